"""What code may change: between which zones a `together` may move components, and variables.

Assumes: a checked game.
Does: follows the code of a part or of a procedure, and what it calls, to every move, every order
that it changes, and every variable that it writes.
Leaves behind: ways between zone families, names of variables. There are never too few: where a move
takes what a name stands for, and it is not found here what that may be, the component may come from
wherever its kind may lie.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from rulerun_dsl import model
from rulerun_dsl.model import Expression, Game
from rulerun_dsl.model.effects import NEXT, Effects, effects
from rulerun_dsl.source.frozen import frozen


@frozen
class Touched:
    """What a part may do to zones."""

    families: frozenset[str]
    """Those in which it may change what lies there, or its order."""
    ways: dict[str, frozenset[str]]
    """By family: where a component may come to from there, in one move or in several."""


def touched(game: Game, together: model.TogetherStart) -> Touched:
    """Return what a part of a `together` may do to zones."""
    kinds = {family.name: family.kind for family in game.zones}
    inside = list(_inside(game, together.body))
    given: dict[int, list[Expression]] = defaultdict(list)
    unknown = {each.offset for procedure in game.procedures for each in procedure.parameters}
    for does in inside:
        for write in does.writes:
            if isinstance(write.target, model.Local):
                given[write.target.offset] += write.sources
                if not write.sources:
                    unknown.add(write.target.offset)  # what a call gives, say
    for offset in unknown:
        given.pop(offset, None)
    ordered = {zone.zone for does in inside for zone in does.reorders}
    steps: set[tuple[str, str]] = set()
    for does in inside:
        for move in does.moves:
            to = move.to.zone
            found = _sources(move.source, given, frozenset())
            alike = (name for name in kinds if kinds[name] == kinds[to])
            steps |= {(source, to) for source in (alike if found is None else found)}
    for family in game.zones:
        if family.refill is not None and any(family.name in step for step in steps):
            steps.add((family.refill.zone, family.name))
    return Touched(frozenset(ordered.union(*steps)), _closed(steps))


def variables_written(game: Game, start: int) -> frozenset[str] | None:
    """The variables that code may write, from an instruction on until its routine ends.

    None: it may change more than variables and locals.
    """
    found: set[str] = set()
    for does in _inside(game, start):
        if does.moves or does.reorders or does.shows or does.ends or does.draws:
            return None
        for write in does.writes:
            match write.target:
                case model.Variable(name=name):
                    found.add(name)
                case model.Local():
                    pass
                case _:
                    return None
    return frozenset(found)


def _sources(
    node: Expression | model.ZoneAt, given: dict[int, list[Expression]], seen: frozenset[int]
) -> set[str] | None:
    """The families from which a move takes something; None: from any."""
    match node:
        case model.ZoneAt(zone=zone) | model.Members(zone=zone) | model.Occupant(zone=zone):
            return {zone}
        case model.Local(offset=offset) if offset in seen:
            return set()
        case model.Local(offset=offset) if given.get(offset):
            found: set[str] = set()
            for source in given[offset]:
                more = _sources(source, given, seen | {offset})
                if more is None:
                    return None
                found |= more
            return found
        case _:
            return None


def _closed(steps: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """Where one comes to, by one step or several."""
    onward: dict[str, set[str]] = defaultdict(set)
    for source, to in steps:
        onward[source].add(to)
    more = True
    while more:
        more = False
        for found in onward.values():
            further = {far for near in found for far in onward.get(near, ())}
            more |= not further <= found
            found |= further
    return {source: frozenset(found) for source, found in onward.items()}


def _inside(game: Game, start: int) -> Iterator[Effects]:
    """What each instruction does that may run from an instruction on, until its routine ends."""
    waiting, seen = [start], {start}
    while waiting:
        at = waiting.pop()
        does = effects(game.code[at])
        yield does
        onward = {at + 1 if way == NEXT else way for way in does.ways}
        onward |= {game.procedures[called].entry for called in does.calls}
        waiting += onward - seen
        seen |= onward
