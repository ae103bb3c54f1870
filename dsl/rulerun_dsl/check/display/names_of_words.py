"""Which names of the rules may have words for people.

Assumes: declarations that can be asked for.
Leaves behind: names by group, such as `zone`, `row card` or `value suit`; findings about the keys
of `story:`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from rulerun_dsl.check.env import board_sites, component_kinds, facts, tables
from rulerun_dsl.check.env.world import World
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.outline.abouts import ROWS
from rulerun_dsl.syntax import declarations
from rulerun_dsl.yaml.nodes import Scalar

CALLED = {
    "kind": "kind of component",
    "line": "line of the points",
    "rows": "kind of component",
    "rule": "function or procedure",
}
"""What a group is called where its word would not do."""

_CODE = re.compile(r"([a-zA-Z]{1,3}[0-9]+){1,2}")
"""A row with a number for a name, such as `b4` or `r1c2`, is called so in every language."""

_CHOSEN = ("kind", "type", "board")
"""Groups of what is chosen where the choice has no name."""

A_NUMBER, A_PLAYER = "number", "player"
"""What is chosen where that is a number, or a player."""

SETUP = "setup"
"""The set-up has words as the phases have, before which it comes."""

DECISIONS = ("ties", "out", "winner")
"""Keys of `scoring` that have a text and no name."""

_MOVE = re.compile(r"(?:(?P<source>\S+) to (?P<target>\S+)|to (?P<to>\S+)|from (?P<out>\S+))")


Names = Mapping[str, tuple[str, ...]]


def names(world: World) -> Names:
    """The names of each group."""
    return world.fact("words", "names", lambda: _made(world), {})


def _made(world: World) -> dict[str, tuple[str, ...]]:
    outline = world.outline
    players = tuple(scalar.text for scalar in outline.players)
    players = players or tuple(f"P{number + 1}" for number in range(outline.player_range[1]))
    found: dict[str, Iterable[str]] = {
        "rows": (each.at.name for each in outline.kinds),
        "player": (*players, *(each.name.text for each in outline.automata)),
        "option": (each.at.name for each in outline.options),
        "variant": (each.at.name for each in outline.variants),
        "zone": (each.at.name for each in outline.zones),
        "variable": (each.at.name for each in outline.variables),
        "kind": (each.at.name for each in outline.kinds),
        "type": (each.at.name for each in outline.types),
        "board": (each.at.name for each in outline.boards),
        "action": outline.action_names,
        "rule": (
            *(each.at.name for each in outline.functions),
            *(each.at.name for each in outline.procedures),
        ),
        "phase": (*_phases(outline.phases), *((SETUP,) if outline.setup else ())),
        "line": (*(each.label for each in outline.scoring.points), *_decisions(outline.scoring)),
    }
    for kind in outline.kinds:
        name = kind.at.name
        # Rows of modules that are off may have words as well.
        found[f"row {name}"] = (*facts.row_names(world, name), *(each.name for each in kind.rows))
        found[f"column {name}"] = (
            *(each.name for each in kind.columns),
            *(each.signature.name for each in kind.slots),
            *(each.name for each, _ in kind.attributes),
        )
        for column in kind.columns:
            found[f"number {name}.{column.name}"] = _numbers(world, name, column.name)
    for type_ in outline.types:
        if type_.alias is None:
            name = type_.at.name
            found[f"value {name}"] = facts.enumeration_names(world, name)
            found[f"column {name}"] = (each.name for each in type_.columns)
    for option in outline.options:
        if option.members:
            found[f"value {option.at.name}"] = (each.text for each in option.members)
    for board in outline.boards:
        found[f"site {board.at.name}"] = _sites(world, board)
        found[f"column {board.at.name}"] = (
            *(each.name for each in board.columns),
            *tables.by_site(world, board.at.name),
        )
    return {group: tuple(dict.fromkeys(each)) for group, each in found.items()}


def inside(word: str, group: str, name: str, key: str) -> tuple[str, str]:
    """The word and the group of what stands under `rows` or `has` of a name of a group."""
    if key == "has":
        return "column", f"column {name}"
    if word == "column":
        return "number", f"number {group.partition(' ')[2]}.{name}"
    inner = ROWS.get(word, "value" if word == "option" else "")
    return inner, f"{inner} {name}"


def _decisions(scoring: declarations.ScoringDecl) -> Iterable[str]:
    """What decides besides points, by its key: a text about it stands in its place."""
    written = (scoring.ties, scoring.out is not None, scoring.winner is not None)
    return (name for name, there in zip(DECISIONS, written, strict=True) if there)


def _attributes(world: World) -> Iterable[str]:
    """What may become of components, as `story:` names it: `card.tapped`."""
    for kind in world.outline.kinds:
        yield from (f"{kind.at.name}.{each.name}" for each, _ in kind.attributes)


def _numbers(world: World, kind: str, column: str) -> Iterable[str]:
    """The numbers of a column."""
    found = component_kinds.kind(world, kind).rows.columns.get(column)
    if found is None or not isinstance(t.bare(found.type), t.Int):
        return ()
    return map(str, sorted({value for value in found.values if value is not None}))


def _sites(world: World, board: declarations.BoardDecl) -> Iterable[str]:
    return (*board_sites.site_names(world, board.at.name), *(each.name for each in board.rows))


def _phases(phases: tuple[declarations.PhaseDecl, ...]) -> list[str]:
    return [name for each in phases for name in (each.at.name, *_phases(each.phases))]


_OFTEN_BARE = ("rule", "column", "rows", "type", "board", "player")
"""Groups whose names people read only where a text is written for them, or proper names."""


def wants_a_name(world: World, group: str, name: str) -> bool:
    """Whether people read this name, so that a translation should have it."""
    word, _, owner = group.partition(" ")
    if word == "row" and name == owner:
        # The one row of a kind without rows: it goes by the kind.
        return False
    if word in _OFTEN_BARE or (word, name) == ("phase", SETUP):
        return False
    if word == "line" and name in DECISIONS and name not in _labels(world):
        return False
    if not any(letter.isalpha() for letter in name):
        return False
    return word not in ROWS.values() or _CODE.fullmatch(name) is None


def _labels(world: World) -> Iterable[str]:
    return (each.label for each in world.outline.scoring.points)


def check_story_key(world: World, section: str, key: Scalar) -> None:
    """Report a key of `story:` that names nothing."""
    group = {"values": "variable", "choices": "action", "phases": "phase"}.get(section)
    known: tuple[str, ...]
    if group is not None:
        known = names(world)[group]
        if group == "variable":
            known += tuple(_attributes(world))
        if group == "action":
            # A choice without a name goes by what is chosen.
            known += tuple(name for each in _CHOSEN for name in names(world)[each])
            known += tuple(each.at.name for each in world.outline.options if each.members)
            known += (A_NUMBER, A_PLAYER)
        if key.text not in known:
            world.unknown(key.text, key.span, group, known)
        return
    known = names(world)["zone"]
    found = _MOVE.fullmatch(key.text)
    if found is None:
        world.report(
            "RR0409",
            f"`{key.text}` is no move",
            key.span,
            help="write `hand to table`, `to table` or `from hand`",
        )
        return
    for part in ("source", "target", "to", "out"):
        if found[part] is not None and found[part] not in known:
            world.unknown(found[part], key.span_of(*found.span(part)), "zone", known)
