"""The names of a game, looked up: what a scenario writes, as values of the model.

Assumes: a checked game; texts as a person writes them.
Does: finds zones, variables, values, components, players and phases by their names, and says what
was probably meant by an unknown name.
Leaves behind numbers that executors understand. A text without a value is a `Misfit`: a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Sequence as Row
from typing import Any

from rulerun.analysis.reads import last_register
from rulerun.runtime.index import Instance, VariableTable
from rulerun.views.view_index import ViewIndex, view_index
from rulerun_dsl.diagnostics.diagnostic import evident, suggest
from rulerun_dsl.model import Expression, Game, Literal, StateVariable
from rulerun_dsl.model.valuetypes import (
    Bool,
    Component,
    Int,
    Optional,
    Order,
    Player,
    SetOf,
    Type,
    bare,
)
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Source
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar, Sequence


class Misfit(ValueError):
    """Something named does not exist, or does not fit. The message says what."""

    meant: tuple[str, str, bool] | None = None
    """The word that is unknown, what it was probably meant to be, whether that is evident."""


@frozen
class Piece:
    """A component by class: what a zone is said to hold."""

    row: int
    owner: int


Numbers = Row[int]
Named = Instance | tuple[VariableTable, tuple[int, ...]]

_SEVERAL = re.compile(r"\s*([0-9]{1,4})\s+(.+)\Z", re.DOTALL)
_ATTRIBUTE = re.compile(r"\s*\((.+)\)\.(\w+)\s*\Z", re.DOTALL)
_LABEL = re.compile(r"\s*([^\s\[\]]+)\s*(?:\[(.*)\])?\s*\Z", re.DOTALL)


class GameNames:
    """The names of one game."""

    def __init__(self, game: Game) -> None:
        """Stand on the tables of the game."""
        self.game = game
        self.view_index: ViewIndex = view_index(game)
        self.tables = self.view_index.tables

    # ---------------------------------------------------------------------------------- reading

    def zone_or_variable(self, text: str) -> Named:
        """What `won[yarg]` or `(prince of yarg).cards` names."""
        if attribute := _ATTRIBUTE.match(text):
            return self.attribute(attribute[1], attribute[2]), ()
        found = _LABEL.match(text)
        name = found[1] if found else text
        known = [*self.tables.families, *self.tables.variables]
        if found is None or name not in known:
            raise _unknown(f"there is no zone or variable `{name}`", name, known)
        written = [part.strip() for part in found[2].split(",")] if found[2] else []
        family = self.tables.families.get(name)
        types = family.indexes if family else self.tables.variables[name].variable.indexes
        if len(written) != len(types):
            many = "1 index" if len(types) == 1 else f"{len(types)} indexes"
            raise Misfit(f"`{name}` has {many}, `{text}` has {len(written)}")
        pairs = zip(types, written, strict=True)
        indexes = tuple(self.number(type_, part) for type_, part in pairs)
        if family is None:
            table = self.tables.variables[name]
            if indexes in set(table.instances()):
                return table, indexes
        else:
            for zone in self.tables.instances:
                if zone.family is family and zone.indexes == indexes:
                    return zone
        raise Misfit(f"there is no `{text}`")

    def attribute(self, text: str, name: str) -> VariableTable:
        """An attribute of a component that has no twin, as a variable without indexes."""
        row = " ".join(text.split()).partition(" of ")[0]
        for kind in self.tables.kinds.values():
            if row not in kind.kind.rows or all(each.name != name for each in kind.attributes):
                continue
            found, component = kind.attribute(name), self.only(kind.kind.name, text)
            nowhere = Source(text, text).span(0)
            variable = StateVariable(
                name=f"({text}).{name}",
                type=found.type,
                indexes=(),
                lows=(),
                sizes=(),
                start=(),
                visible=Literal(Bool(), nowhere, 1),
                clamp=False,
                during=None,
                span=nowhere,
            )
            return VariableTable(variable, found.base + component, 1, (), None)
        raise Misfit(f"there is no component `{text}` that has `{name}`")

    def spread(self, text: str) -> list[str]:
        """The names that a name with `all` among its indexes stands for: `won[all]`."""
        found = _LABEL.match(text)
        written = [part.strip() for part in found[2].split(",")] if found and found[2] else []
        if found is None or "all" not in written:
            return [text]
        name = found[1]
        if name in self.tables.families:
            families = (each for each in self.tables.instances if each.family.name == name)
            labels = [self.label(each) for each in families]
        elif name in self.tables.variables:
            table = self.tables.variables[name]
            labels = [self.label((table, indexes)) for indexes in table.instances()]
        else:
            return [text]
        fitting = []
        for label in labels:
            parts = label[len(name) + 1 : -1].split(", ")
            if len(parts) != len(written):
                return [text]
            pairs = zip(written, parts, strict=True)
            if all(one in ("all", part) for one, part in pairs):
                fitting.append(label)
        return fitting or [text]

    def number(self, type_: Type, text: str) -> int:
        """A value that is there."""
        value = self.value(type_, text)
        if value is None:
            raise Misfit("`none` has no place here")
        return value

    def value(self, type_: Type, text: str) -> int | None:
        """A single value of a type, by its text."""
        text = text.strip()
        if isinstance(type_, Optional) and text == "none":
            return None
        inner = bare(type_)
        match inner:
            case Bool() if text in ("true", "false"):
                return int(text == "true")
            case Int(low=low, high=high) if re.fullmatch(r"-?[0-9]{1,10}", text):
                if low <= int(text) <= high:
                    return int(text)
                raise Misfit(f"{text} is not in {inner}")
            case Component(kind=name):
                return self.only(name, text)
            case Bool() | Int() | Order() | SetOf():
                raise Misfit(f"`{text}` is no value of type {type_}")
        low, high = self.tables.bounds(inner)
        texts = [self.tables.text(inner, value) for value in range(low, high + 1)]
        if text in texts:
            return low + texts.index(text)
        raise _unknown(f"`{text}` is no {inner}", text, texts)

    def only(self, kind_name: str, text: str) -> int:
        """The component of a kind that is the only one of its name: `rv3`, `prince of yarg`."""
        kind = self.tables.kinds[kind_name]
        row, _, owner = " ".join(text.split()).partition(" of ")
        if row not in kind.kind.rows:
            raise _unknown(f"`{row}` is no {kind_name}", row, list(kind.kind.rows))
        place = kind.kind.rows.index(row)
        if kind.kind.counted or kind.kind.copies[place] != 1:
            raise Misfit(f"`{text}` is not one component")
        if kind.kind.owner is None:
            if owner:
                raise Misfit(f"a {kind_name} belongs to nobody")
            return kind.first[place]
        if not owner:
            raise Misfit(f"say whose: `{row} of …`")
        return kind.first[place * kind.kind.owners + self.number(kind.kind.owner, owner)]

    def stored(self, type_: Type, node: Node) -> Any:
        """A variable's value as it is written in a file; a list of players for an order."""
        inner = bare(type_)
        match node:
            case Scalar(text=text) if not isinstance(inner, Order | SetOf):
                return self.value(type_, text)
            case Sequence() if isinstance(inner, Order):
                players = [self.player(_text(item)) for item in node]
                if sorted(players) != list(range(len(self.game.players))):
                    raise Misfit("an order names every player once")
                return players
            case Sequence() if isinstance(inner, SetOf):
                low = self.tables.members(inner)[0]
                values = {self.number(inner.element, _text(item)) for item in node}
                return sum(1 << value - low for value in values)
        raise Misfit(f"this is no value of type {type_}")

    def piece(self, zone: Instance, text: str) -> Piece:
        """A component that lies, or shall lie, in a zone: `prince` or `prince of yarg`."""
        kind = zone.kind.kind
        rows = list(kind.rows)
        text = " ".join(text.split())
        name, of, owner = (text, "", "") if text in rows else text.partition(" of ")
        if name not in rows:
            raise _unknown(f"`{name}` is no {kind.name}", name, rows)
        if kind.owner is None:
            if of:
                raise Misfit(f"a {kind.name} belongs to nobody")
            return Piece(rows.index(name), 0)
        if of:
            return Piece(rows.index(name), self.number(kind.owner, owner))
        if zone.owner is None or not isinstance(kind.owner, Player):
            raise Misfit(f"say whose: `{name} of …`")
        return Piece(rows.index(name), zone.owner)

    def pieces(self, zone: Instance, node: Node) -> list[Piece]:
        """What a list (or one name) says lies in a zone; `3 wolf` is three, `none` is nothing."""
        match node:
            case Sequence():
                return [piece for item in node for piece in self.pieces(zone, item)]
            case Scalar(text="none"):
                return []
            case Scalar(text=text) if several := _SEVERAL.match(text):
                return [self.piece(zone, several[2])] * int(several[1])
            case Scalar(text=text):
                return [self.piece(zone, text)]
        raise Misfit("what lies in a zone is a list of names")

    def places(self, zone: Instance, node: Node) -> dict[int, Piece]:
        """What `{1: prince, 3: spy}` says lies at which place of a pile; `none`: nothing."""
        if isinstance(node, Scalar) and node.text == "none":
            return {}
        found = {}
        for entry in node if isinstance(node, Mapping) else ():
            if not entry.key.text.isdecimal() or not isinstance(entry.value, Scalar):
                break
            found[int(entry.key.text)] = self.piece(zone, entry.value.text)
        else:
            if isinstance(node, Mapping):
                return found
        raise Misfit("places are numbers with one name each: {1: NAME}, or none")

    def player(self, text: str) -> int:
        """The player of that name."""
        if text not in self.game.players:
            raise _unknown(f"there is no player `{text}`", text, self.game.players)
        return self.game.players.index(text)

    def phase(self, text: str) -> int:
        """The number of the phase of that name (or path, `rounds.planning`)."""
        phases = self.game.phases
        found = [
            number for number, each in enumerate(phases) if text in (each.name, ".".join(each.path))
        ]
        if not found:
            known = [each.name for each in phases]
            raise _unknown(f"there is no phase `{text}`", text, known)
        if len(found) > 1:
            raise Misfit(f"several phases are called `{text}`: write the path")
        return found[0]

    # ---------------------------------------------------------------------------------- writing

    def lying(self, slots: Numbers, zone: Instance) -> list[Piece]:
        """What lies in a zone, what leaves next first."""
        members = self.view_index.components.members(slots, zone.number)
        return [Piece(*self.tables.row_and_owner(zone.kind, each)) for each in members]

    def piece_text(self, zone: Instance, piece: Piece) -> str:
        """`prince`, or `prince of yarg` where that is not plain."""
        kind = zone.kind.kind
        name = kind.rows[piece.row]
        if kind.owner is None or zone.owner == piece.owner:
            return name
        return f"{name} of {self.tables.text(kind.owner, piece.owner)}"

    def held(self, table: VariableTable, indexes: tuple[int, ...], slots: Numbers) -> Any:
        """What a variable holds, as `stored` would give it."""
        at = table.address(indexes)
        if isinstance(bare(table.variable.type), Order):
            return list(slots[at : at + table.width])
        return self.tables.decode(table.variable.type, slots[at])

    def held_text(self, table: VariableTable, indexes: tuple[int, ...], slots: Numbers) -> str:
        """What a variable holds, as a text."""
        value = self.held(table, indexes, slots)
        if isinstance(value, list):
            return ", ".join(self.game.players[player] for player in value)
        return self.tables.text(table.variable.type, value)

    def label(self, named: Named) -> str:
        """The name of a zone or variable, in one spelling."""
        if isinstance(named, Instance):
            return self.view_index.components.label(named.number)
        table, indexes = named
        pairs = zip(table.variable.indexes, indexes, strict=True)
        texts = [self.tables.text(type_, index) for type_, index in pairs]
        return f"{table.variable.name}[{', '.join(texts)}]" if texts else table.variable.name

    def evaluate(self, slots: Numbers, expression: Expression) -> Any:
        """What an expression gives in a state."""
        # It may bind names that the game has no registers for.
        registers: list[Any] = [None] * max(self.game.registers, 1 + last_register(expression))
        run = self.view_index.evaluator.compile(expression)
        return run(slots, self.game.layout.base, registers)


def _text(node: Node) -> str:
    if not isinstance(node, Scalar):
        raise Misfit("a single name is wanted here")
    return node.text


def _unknown(message: str, word: str, known: Iterable[str]) -> Misfit:
    """A misfit, with the name that was probably meant."""
    names = tuple(known)
    near = suggest(word, names)
    if near is None:
        return Misfit(message)
    misfit = Misfit(f"{message}: did you mean `{near}`?")
    misfit.meant = word, near, evident(word, near, names)
    return misfit
