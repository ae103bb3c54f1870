"""Types as the sets of their values: all of them as a collection, and one of them by its name."""

from __future__ import annotations

from collections.abc import Iterator

from rulerun_dsl import model as m
from rulerun_dsl.check.env import component_kinds, directions, facts
from rulerun_dsl.check.env.typing import unknown
from rulerun_dsl.check.env.world import World
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span


def all_values(world: World, type_: t.Scalar, span: Span) -> m.Expression:
    """All values of a finite type, in order."""
    low = facts.low(type_)
    if isinstance(type_, t.Player):
        high = _last_player(world, span, "players")
    else:
        last = low + facts.size(world, type_) - 1
        high = m.Literal(t.Int(last, last), span, last)
    first = m.Literal(t.Int(low, low), span, low)
    return m.Values(t.Collection(type_, True), span, first, high)


def number_of(world: World, span: Span, word: str = "players") -> m.Setting:
    """How many `players` or `people` there are."""
    low, high = world.outline.player_range
    more = len(world.outline.automata) if word == "players" else 0
    return m.Setting(t.Int(low, high + more), span, word)


def people(world: World, span: Span) -> m.Expression:
    """The players that are no automata."""
    first = m.Literal(t.Int(0, 0), span, 0)
    type_ = t.Collection(t.Player(), True)
    return m.Values(type_, span, first, _last_player(world, span, "people"))


def _last_player(world: World, span: Span, word: str) -> m.Expression:
    count = number_of(world, span, word)
    assert isinstance(count.type, t.Int)
    one = m.Literal(t.Int(1, 1), span, 1)
    return m.Arithmetic(t.Int(0, count.type.high - 1), span, "-", count, one)


def all_of(world: World, name: str, span: Span) -> m.Expression:
    """A board, kind or type named as a collection."""
    type_ = facts.named_type(world, name, span)
    if isinstance(type_, t.Component):
        return m.OfKind(t.Collection(type_, False), span, name, None, None)
    if isinstance(type_, t.Unknown):
        return unknown(span)
    if isinstance(type_, t.Optional):
        world.report("RR0509", f"`{name}` may be none: it cannot be ranged over", span)
        return unknown(span)
    return all_values(world, type_, span)


def named(world: World, type_: t.Type) -> dict[str, int]:
    """The bare names that may stand for a value of a type, with these values.

    For components: those in the game, if no row has more than one and they are not counted.
    """
    inner = t.bare(type_)
    if not isinstance(inner, t.Component):
        return facts.places(world, type_)
    kind = component_kinds.kind(world, inner.kind)
    if kind.owner is not None or kind.counted or any(count > 1 for count in kind.copies):
        return {}
    there = [name for name, count in zip(kind.rows.names, kind.copies, strict=True) if count]
    return {name: number for number, name in enumerate(there)}


def named_types(world: World) -> Iterator[t.Scalar]:
    """The types whose values have names."""
    for name, decl in world.by_kind["option"].items():
        if decl.members:  # type: ignore[attr-defined]
            yield t.Enum(name)
    for name, decl in world.by_kind["type"].items():
        if decl.alias is None:  # type: ignore[attr-defined]
            yield t.Enum(name)
    for name in world.by_kind["kind"]:
        yield t.Row(name)
    for name in world.by_kind["board"]:
        yield t.Site(name)
        if directions.names(world, name) and directions.type_of(world, name).board == name:
            yield t.Direction(name)


def having(world: World, name: str) -> list[t.Scalar]:
    """The types with a value of this name, in the order of `named_types`.

    They are listed by name on the first question, for there may be many of both; boards come last,
    since what says how large one is may name values of the others. What is being made cannot be
    listed yet, and is asked again each time.
    """
    if world.unlisted is None:
        every = enumerate(named_types(world))
        world.unlisted = sorted(every, key=lambda each: isinstance(each[1], t.Site))
    found: list[tuple[int, t.Scalar]] = []
    if not world.is_listing:
        world.is_listing = True
        waiting, world.unlisted = world.unlisted, []
        for place, each in waiting:
            if isinstance(each, t.Site) and world.is_busy(each.board, "cells", "site names"):
                # What says how large a board is cannot name its sites.
                world.unlisted.append((place, each))
            elif isinstance(each, t.Row) and world.is_busy(each.kind, "rows"):
                world.unlisted.append((place, each))
                found += [(place, each)] if name in facts.places(world, each) else []
            else:
                for text in facts.places(world, each):
                    world.holders.setdefault(text, []).append((place, each))
        world.is_listing = False
    found += world.holders.get(name, ())
    return [each for _, each in sorted(found, key=lambda each: each[0])]
