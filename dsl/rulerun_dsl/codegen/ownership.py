"""Whose components a zone can hold: may an option's components differ in owner or zone.

A zone of `each: player` components is *own* if nothing but the components of its own player (its
first index) can ever lie in it. It begins so if it is the start zone of its kind (or nothing starts
there), and stays so if every move into it comes from an own zone of the same player.
"""

from __future__ import annotations

from collections.abc import Iterator

from rulerun_dsl import model as m
from rulerun_dsl.check.env import component_kinds, facts
from rulerun_dsl.check.env.typing import same_place
from rulerun_dsl.check.stmt import walking
from rulerun_dsl.check.whole import secret_reads
from rulerun_dsl.check.whole.origins import Registers, origins
from rulerun_dsl.codegen.assemble import Assembly
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span

Place = tuple[str, tuple[bool, ...]]
"""A zone family, and which of its indexes are left open (`hand[all]`)."""


def learnable(assembly: Assembly) -> frozenset[str]:
    """The kinds of which a player may know more than they see.

    Something was shown, or a component can go from where a player sees it to where the player does
    not (save a random zone, in which nobody can follow it).
    """
    world = assembly.rules.world
    found = set()
    for each in assembly.effects:
        for shown in each.shows:
            found.update(kinds_of(shown))
    for to, source in flows(assembly):
        target = facts.zone(world, to.zone)
        if target is None or target.order == "random" or target.kind in found:
            continue
        families = families_of(assembly, source, target.kind)
        if any(may_be_learnt(assembly, family, source, to) for family in families):
            found.add(target.kind)
    return frozenset(found)


def placeable(assembly: Assembly, learnt: frozenset[str]) -> frozenset[str]:
    """The ordered zone families of which a player may know what lies at which place.

    Something of them was shown, or a component can be seen to go there, or go there from another.
    """
    world = assembly.rules.world
    hidden = {
        name: zone.kind
        for name in world.by_kind["zone"]
        if (zone := facts.zone(world, name)) is not None
        and zone.order in ("stack", "queue")
        and zone.kind in learnt
        and not all(_sees(assembly, name, zone.decl.at.span, role) for role in (True, False))
    }
    found: set[str] = set()
    for each in assembly.effects:
        for shown in each.shows:
            for kind in kinds_of(shown):
                found |= families_of(assembly, shown, kind) & hidden.keys()
    ways = [
        (to, source, families_of(assembly, source, hidden[to.zone]))
        for to, source in flows(assembly)
        if to.zone in hidden
    ]
    for to, source, families in ways:
        if any(may_be_learnt(assembly, family, source, to) for family in families):
            found.add(to.zone)
    more = True
    while more:
        onward = {to.zone for to, _, families in ways if families & found}
        more = not onward <= found
        found |= onward
    return frozenset(found)


def families_of(assembly: Assembly, source: m.Expression | m.ZoneAt, kind: str) -> set[str]:
    """The zone families from which something may come."""
    if isinstance(source, m.ZoneAt):
        return {source.zone}
    return {name for name, _ in zones_in(assembly, source, kind)}


def kinds_of(source: m.Expression) -> set[str]:
    """The kind of the components of a collection."""
    if isinstance(source.type, t.Zone):
        return {source.type.kind}
    if isinstance(source.type, t.Collection):
        inner = t.bare(source.type.element)
        return {inner.kind} if isinstance(inner, t.Component) else set()
    return set()


def may_be_learnt(
    assembly: Assembly, family: str, source: m.Expression | m.ZoneAt, to: m.ZoneAt
) -> bool:
    """May a player see a component in a zone of `family` and no longer see it in `to`."""

    def sees(zone: str, is_owner: bool) -> bool | None:
        return _sees(assembly, zone, to.span, is_owner)

    same = False
    if isinstance(source, m.ZoneAt | m.Members | m.Occupant):
        same = same_index(to, tuple(source.indexes))
    roles = (
        [(role, role) for role in (True, False)]
        if same
        else [(before, after) for before in (True, False) for after in (True, False)]
    )
    return any(
        sees(family, before) is not False and sees(to.zone, after) is not True
        for before, after in roles
    )


def _sees(assembly: Assembly, zone: str, span: Span, is_owner: bool) -> bool | None:
    """Whether an owner, or anybody else, sees what lies in a zone."""
    read = secret_reads.Read(zone, True, None, False, span)
    return secret_reads.surely(secret_reads.rule_of(assembly.rules.world, read), is_owner)


def own_zones(assembly: Assembly) -> frozenset[str]:
    """The zone families that hold nothing but their own player's components."""
    world = assembly.rules.world

    def make() -> frozenset[str]:
        own = set()
        for name in world.by_kind["zone"]:
            zone = facts.zone(world, name)
            if zone is None or not zone.indexes:
                continue
            kind = component_kinds.kind(world, zone.kind)
            if kind.owner is not None and zone.indexes[0] == kind.owner:
                own.add(name)
        changed = True
        while changed:
            changed = False
            for to, source in flows(assembly):
                if to.zone in own and not keeps(assembly, own, to, source):
                    own.discard(to.zone)
                    changed = True
        return frozenset(own)

    return world.fact("own", "zones", make, frozenset())


def flows(assembly: Assembly) -> Iterator[tuple[m.ZoneAt, m.Expression | m.ZoneAt]]:
    """Every way into a zone: where to, and from where (a zone, or a component's expression)."""
    for move in assembly.moves:
        yield move.to, move.source
    for name in assembly.rules.world.by_kind["zone"]:
        decl = assembly.rules.world.by_kind["zone"][name]
        if decl.refill is not None:  # type: ignore[attr-defined]
            span = decl.at.span  # type: ignore[attr-defined]
            text = decl.refill.span.text.split("[")[0].strip()  # type: ignore[attr-defined]
            yield m.ZoneAt(name, (None,), span), m.ZoneAt(text, (), span)


def keeps(assembly: Assembly, own: set[str], to: m.ZoneAt, source: m.Expression | m.ZoneAt) -> bool:
    """Does a move into an own zone bring the same player's components only."""
    match source:
        case m.ZoneAt(zone=zone, indexes=indexes) | m.Members(zone=zone, indexes=indexes):
            return zone in own and same_index(to, indexes)
        case m.Occupant(zone=zone, indexes=indexes):
            return zone in own and same_index(to, indexes)
        case m.OfKind(owner=owner):
            return owner is not None and same_index(to, (owner,))
        case m.NotNone(operand=operand):
            return keeps(assembly, own, to, operand)
        case m.Joined(left=left, right=right) | m.Otherwise(left=left, right=right):
            return keeps(assembly, own, to, left) and keeps(assembly, own, to, right)
        case m.Conditional(value=left, alternative=right):
            return keeps(assembly, own, to, left) and keeps(assembly, own, to, right)
        case m.Quantifier(clauses=(clause,), value=m.Register()):
            return keeps(assembly, own, to, clause.source)
        case m.Local():
            # It was bound before: by then the same words must have meant the same player.
            bound = assembly.sources.get(source.offset, [None])
            return is_fixed(assembly, to) and all(
                each is not None and keeps(assembly, own, to, each) for each in bound
            )
        case _:  # it may come from anywhere
            return False


def same_index(to: m.ZoneAt, indexes: tuple[m.Expression | None, ...]) -> bool:
    """Is the first index of both the same player."""
    if not to.indexes or not indexes:
        return False
    first, second = to.indexes[0], indexes[0]
    if first is None or second is None:
        return first is second
    return same_place(first, second)


def note_sources(assembly: Assembly) -> None:
    """Remember what each local is bound to, wherever the code binds it."""
    for each in assembly.effects:
        for write in each.writes:
            if isinstance(write.target, m.Local):
                bound = assembly.sources.setdefault(write.target.offset, [])
                bound += write.sources or (None,)


def is_fixed(assembly: Assembly, to: m.ZoneAt) -> bool:
    """Is whose zone it is the same wherever it is written: nothing can change it in between."""
    match to.indexes[:1]:
        case (m.Literal(),):
            return True
        case (m.Local(offset=offset),):  # bound once, it means the same as long as it is in scope
            return len(assembly.sources.get(offset, ())) < 2
        case _:
            return False


def may_be_foreign(assembly: Assembly, source: m.Expression) -> bool:
    """May members of a collection differ in owner."""
    own = own_zones(assembly)
    for each, bound in origins(assembly.rules.world, source, {}):
        match each:
            case m.Members(zone=zone, indexes=indexes) | m.Occupant(zone=zone, indexes=indexes):
                if zone not in own or not indexes or is_open(indexes[0], bound):
                    return True
            case m.OfKind(owner=owner):
                if owner is None or is_open(owner, bound):
                    return True
            case _:  # it may come from anywhere
                return True
    return False


def zones_in(assembly: Assembly, source: m.Expression, kind: str) -> set[Place]:
    """The zone families from which a collection's components come, with their open indexes."""
    world = assembly.rules.world
    found: set[Place] = set()
    for each, bound in origins(world, source, {}):
        match each:
            case m.Members(zone=zone, indexes=indexes) | m.Occupant(zone=zone, indexes=indexes):
                found.add((zone, tuple(is_open(index, bound) for index in indexes)))
            case _:  # it may lie anywhere
                for name in world.by_kind["zone"]:
                    held = facts.zone(world, name)
                    if held is not None and held.kind == kind:
                        found.add((name, (True,) * len(held.indexes)))
    return found


def is_open(index: m.Expression | None, bound: Registers) -> bool:
    """May an index stand for several at once: for all, or for each member of a collection."""
    if index is None:
        return True
    return any(
        isinstance(part, m.Register)
        and part.index in bound
        and isinstance(bound[part.index].type, t.Collection)
        for part in walking.parts(index)
    )
