"""Keys of things on the table: what an answer is about, so that the thing itself can be clicked.

Assumes a game, components as they are seen, and actions by number.
Does: gives a thing its keys, of what it is and of where it lies or whose it is, and an action one
key for each thing that it names: by the question that offers it that of a zone (`c in hand`) or of
the player who is asked (`den[cell]`), else the one that says only what it is.
Leaves behind texts; the page compares them and reads nothing in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rulerun.runtime import actions
from rulerun.views.observation import Seen
from rulerun.words.labels import Labels
from rulerun_dsl.model import Choose, Domain, Game, Option
from rulerun_dsl.model.expressions import (
    Expression,
    FunctionCall,
    Joined,
    Local,
    Members,
    Occupant,
    Register,
    Variable,
)
from rulerun_dsl.model.traversal import parts
from rulerun_dsl.model.valuetypes import Component, Player, Row, Site

ASKED = object()
"""Stands for the player who is asked."""

Place = tuple[str, object]
"""A family of zones ("": any), and whose: `ASKED`, or None for anybody's."""
ANYWHERE: Place = ("", None)


class Keys:
    """The keys of one game."""

    def __init__(self, names: Labels) -> None:
        """Take the names, which know how an action names a component."""
        self.names = names
        self._places = _places(names.game)
        self._of: dict[tuple[int, str], list[str]] = {}

    def component(self, kind: str, seen: Seen, family: str, owner: str) -> list[str]:
        """Of a component in a zone of this family and owner; those alike there share them."""
        owners = dict.fromkeys(("", owner))
        return [_key(kind, seen.row, at, of) for at in ("", family) for of in owners]

    def site(self, board: str, site: str, owner: str = "") -> list[str]:
        """Of a site of a board, as it is drawn for its owner, or for all players together."""
        owners = ("", owner) if owner else ("", *self.names.game.players)
        return [_key(board, site, "", of) for of in owners]

    def player(self, name: str) -> str:
        """Of a player."""
        return f"player/{name}"

    def of_action(self, action: int, asked: str) -> list[str]:
        """Of what an action of the one who is asked names, in the order in which it names them."""
        if (action, asked) not in self._of:
            type_, texts = self.names.parts(action)
            number, _ = actions.split(self.names.game, action)
            found: list[str] = []
            for at, (domain, text) in enumerate(zip(type_.parameters, texts, strict=True)):
                places = self._places.get((number, at), {ANYWHERE: None})
                owned = [(family, asked if of is ASKED else "") for family, of in places]
                found += self._of_value(domain, text, owned)
            self._of[action, asked] = list(dict.fromkeys(found))
        return self._of[action, asked]

    def _of_value(
        self, domain: Domain, text: str, places: Sequence[tuple[str, str]]
    ) -> Iterator[str]:
        of = domain.of if domain.element is None else domain.element.of
        pieces = text.split(actions.PLUS) if domain.element is not None else [text]
        for piece in pieces:
            match of:
                case Component(kind) | Row(kind):
                    row = self.names.row_of(kind, piece)
                    if row is not None:
                        yield from (_key(kind, row[0], *place) for place in places)
                case Site(board):
                    yield from (_key(board, piece, *place) for place in places)
                case Player():
                    yield self.player(piece)


def _key(group: str, name: str, family: str, owner: str) -> str:
    where = f"{family}/{owner}" if family or owner else ""
    return f"{group}/{name}@{where}" if where else f"{group}/{name}"


def _places(game: Game) -> dict[tuple[int, int], dict[Place, None]]:
    """By type of action and parameter: where what it names lies, in all questions together."""
    found: dict[tuple[int, int], dict[Place, None]] = {}
    for node in game.code:
        if not isinstance(node, Choose):
            continue
        for option in node.options:
            for at, binder in enumerate(option.binders):
                match _bare(game.actions[option.action].parameters[at]):
                    case Component():
                        places = list(_zones(binder.source, node.player))
                    case Site():
                        places = [("", _owner_of_site(option, binder.register, node.player))]
                    case _:
                        places = [ANYWHERE]
                found.setdefault((option.action, at), {}).update(dict.fromkeys(places))
    return found


def _bare(domain: Domain) -> object:
    """The type of one value of a domain."""
    return domain.of if domain.element is None else domain.element.of


def _zones(source: Expression, asked: Expression) -> Iterator[Place]:
    """The zones that a collection of components is read from."""
    match source:
        case Members():
            mine = any(_same(each, asked) for each in source.indexes)
            yield source.zone, ASKED if mine else None
        case Joined():
            yield from _zones(source.left, asked)
            yield from _zones(source.right, asked)
        case _:
            yield ANYWHERE


def _owner_of_site(option: Option, register: int, asked: Expression) -> object:
    """Whose a site is: of the one who is asked, if their things there are what is asked about."""
    beside = [_beside(each, register) for each in option.conditions]
    together = [each for found in beside for each in found]
    return ASKED if any(_same(each, asked) for each in together) else None


def _beside(node: Expression, register: int) -> Iterable[Expression]:
    """What stands beside a register among indexes and arguments."""
    match node:
        case Variable() | Members() | Occupant():
            given = [each for each in node.indexes if each is not None]
        case FunctionCall():
            given = list(node.arguments)
        case _:
            given = []
    if any(isinstance(each, Register) and each.index == register for each in given):
        yield from given
    for part in parts(node):
        yield from _beside(part, register)


def _same(one: Expression | None, other: Expression) -> bool:
    return isinstance(one, Local) and isinstance(other, Local) and one.offset == other.offset
