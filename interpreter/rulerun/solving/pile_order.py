"""Which piles have an order that can still matter.

Assumes: a checked game.
Does: finds, from the rules alone, the ordered zones of which no rule reads more than what lies on
top: then two positions that differ only in the order below are the same position, as long as
nothing leaves the pile.
Leaves behind: the families whose order below the top may be forgotten. Whoever forgets it holds on
to the other half of the bargain: from each rest to the next, all that lay in such a zone still lies
there as it did (`positions`). What leaves and comes back unseen between two rests would break it:
so a family counts only if no way through the rules leads, without a rest, from what could take a
component out to what could lay one there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from rulerun_dsl import model
from rulerun_dsl.model import Game, Instruction
from rulerun_dsl.model.effects import NEXT, effects
from rulerun_dsl.source.spans import Span

_ANY_ORDER = ("count", "any", "all", "sum")
"""Words whose answer is the same in whatever order they look."""


def forgettable(game: Game) -> frozenset[str]:
    """The families of ordered zones whose order below the top may be forgotten."""
    counted = {kind.name for kind in game.kinds if kind.counted}
    kinds = {zone: kind.name for kind in game.kinds for zone in kind.zones}
    roots = (game.code, game.functions, game.scoring)
    read = set(_read_in_order(roots))
    return frozenset(
        family.name
        for family in game.zones
        if family.ordered
        and family.name not in read
        and kinds.get(family.name) not in counted
        and not _comes_back(game, family.name, kinds[family.name])
    )


def _read_in_order(node: object, above: object = None) -> Iterator[str]:
    """The families of which something reads more of the order than the top."""
    match node:
        case model.Members(zone=zone):
            if not isinstance(above, model.Contains | model.MoveAll):
                yield zone
        case model.ShuffleZone(zone=model.ZoneAt(zone=zone)):
            yield zone
    if isinstance(node, model.Quantifier) and _harmless(node):
        for clause in node.clauses:
            source = clause.source
            inner = source.indexes if isinstance(source, model.Members) else source
            yield from _read_in_order(inner, node)
            yield from _read_in_order(clause.condition, node)
        yield from _read_in_order((node.value, node.keys, node.number), node)
    elif isinstance(node, tuple):
        for each in node:
            yield from _read_in_order(each, above)
    elif dataclasses.is_dataclass(node) and not isinstance(node, Span):
        for field in dataclasses.fields(node):
            yield from _read_in_order(getattr(node, field.name), node)


def _harmless(node: model.Quantifier) -> bool:
    """Whether a word asks of a zone for its top at most."""
    if node.word in _ANY_ORDER:
        return True
    clause, *more = node.clauses
    itself = node.value is None or (
        isinstance(node.value, model.Register) and node.value.index == clause.register
    )
    plain = not more and clause.condition is None and not node.keys and node.number is None
    return node.word == "first" and itself and plain


def _comes_back(game: Game, family: str, kind: str) -> bool:
    """Whether a component could leave a zone and another come there, without a rest between."""
    lays = {
        at
        for at, node in enumerate(game.code)
        for movement in effects(node).moves
        if movement.to.zone == family
    }
    return any(
        _may_take(node, family, kind, game) and lays & _without_rest(game, at)
        for at, node in enumerate(game.code)
    )


def _may_take(node: Instruction, family: str, kind: str, game: Game) -> bool:
    """Whether an instruction could take a component out of a zone of a family."""
    for movement in effects(node).moves:
        match movement.source:
            case model.ZoneAt(zone=zone) | model.Members(zone=zone):
                found = zone == family
            case model.OfKind(kind=name):
                found = name == kind
            case _:
                # A name: it may stand for anything that may lie where the component goes.
                found = any(
                    each.name == kind and movement.to.zone in each.zones for each in game.kinds
                )
        if found:
            return True
    return False


def _without_rest(game: Game, start: int) -> set[int]:
    """The instructions that may run behind one before the game must rest."""
    seen: set[int] = set()
    waiting = list(_onward(game, start))
    while waiting:
        at = waiting.pop()
        if at in seen or not 0 <= at < len(game.code):
            continue
        seen.add(at)
        waiting.extend(_onward(game, at))
    return seen


def _onward(game: Game, at: int) -> Iterator[int]:
    """Where play may go on from an instruction without waiting for a player."""
    node = game.code[at]
    if isinstance(node, model.Choose) and not node.forced:
        if node.otherwise is not None:
            yield node.otherwise
        return
    done = effects(node)
    for way in done.ways:
        yield at + 1 if way == NEXT else way
    for called in done.calls:
        yield game.procedures[called].entry
    if isinstance(node, model.Return | model.GiveValue | model.StopTo):
        for other, caller in enumerate(game.code):
            if effects(caller).calls:
                yield other + 1
    if isinstance(node, model.TogetherEnd):
        for caller in game.code:
            if isinstance(caller, model.TogetherStart):
                yield caller.done
