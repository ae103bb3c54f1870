"""Another world that a viewer may be in: what is hidden from them is dealt anew.

Assumes a state at rest, outside any `together`, through a viewer's `PlayerView`.
Does: deals all that the viewer does not see over the same places, each as likely as any other.
What they know of it stays where it is known to be, and what a name or a variable of the rules holds
stays where it lies; what the others know goes with the places: who knew which card lies there knows
which one does now. Pieces that begin with their owners, where every zone is somebody's, change
places with their owner's only. Hidden variables get any value of their types.
Leaves behind a state: every component in one zone, each zone with as many as before, and nobody
knowing what is not so. The viewer sees the same. How the play may have come there is not asked.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from rulerun.runtime.components import kind_of
from rulerun.runtime.index import KindTable, bare, element_of
from rulerun.runtime.rng import Stream
from rulerun.runtime.state import State
from rulerun.views.observe import PlayerView
from rulerun_dsl.model.valuetypes import Component, Order, Player

Item = TypeVar("Item")


def hidden_zones(glass: PlayerView, kind: KindTable) -> list[int]:
    """The zones of a kind in which the viewer does not see what lies there."""
    return [at for at in kind.zones if not glass.sees_zone(glass.tables.instances[at])]


def deal_anew(glass: PlayerView, luck: Stream) -> State:
    """Return a state in which what is hidden from the viewer is dealt anew over the same places."""
    slots = list(glass.state.slots)
    held = _held(glass)
    for name, kind in glass.tables.kinds.items():
        if held[name] is None:
            continue
        zones = hidden_zones(glass, kind)
        stay = Counter(held[name])
        for members in glass.known().values() if zones else ():
            for component, many in Counter(members).items():
                stay[component] = max(stay[component], many)
        if kind.kind.counted:
            _deal_counted(glass, slots, kind, zones, stay, luck)
        else:
            _deal(glass, slots, kind, zones, stay, luck)
    for table, indexes in glass.hidden_variables():
        at = table.address(indexes)
        type_ = table.variable.type
        if isinstance(bare(type_), Order):
            slots[at : at + table.width] = luck.shuffled(slots[at : at + table.width])
        elif not isinstance(element_of(bare(type_)), Component):
            low, high = glass.tables.bounds(type_)
            slots[at] = low + luck.below(high - low + 1)
    return State(tuple(slots))


def _held(glass: PlayerView) -> dict[str, set[int] | None]:
    """By kind: the components that the rules hold elsewhere than in zones; None: it may be any."""
    found: dict[str, set[int] | None] = {name: set() for name in glass.tables.kinds}
    values = [
        (holder.kind, None if holder.what == "several" else value)
        for holder, value in glass.lenses.holding.held(glass.state.slots)
        if holder.what != "loop"
    ]
    for lens in glass.lenses.variables:
        kind = kind_of(glass.tables, element_of(bare(lens.table.variable.type)))
        if kind is not None:
            values.append((kind.kind.name, glass.state.slots[lens.at]))
    for name, value in values:
        known = found[name]
        if value is None or known is None:
            found[name] = None
        else:
            known.add(value)
    return found


def _deal(
    glass: PlayerView,
    slots: list[int],
    kind: KindTable,
    zones: Sequence[int],
    stay: Counter[int],
    luck: Stream,
) -> None:
    hidden = [
        component
        for component in range(kind.kind.total)
        if slots[kind.base + component] in zones and not stay[component]
    ]
    knowing = glass.lenses.knowledge.column(kind)
    columns = [kind.base, *([kind.positions] if kind.positions >= 0 else [])]
    columns += [] if knowing is None else [knowing]
    for group in _groups(glass, kind, hidden, kind.class_of.__getitem__):
        # Sorted first: how they lie in truth must not decide how they are dealt.
        places = sorted(tuple(slots[base + component] for base in columns) for component in group)
        for component, place in zip(luck.shuffled(group), places, strict=True):
            for base, value in zip(columns, place, strict=True):
                slots[base + component] = value


def _deal_counted(
    glass: PlayerView,
    slots: list[int],
    kind: KindTable,
    zones: Sequence[int],
    stay: Counter[int],
    luck: Stream,
) -> None:
    components = glass.components
    before: dict[int, list[int]] = {}
    loose: list[tuple[int, int]] = []
    for zone in zones:
        # From where it leaves: of alike ones the first are those that stay.
        left = +stay
        before[zone] = []
        for place, component in enumerate(components.members(slots, zone)):
            before[zone].append(components.class_of(kind, component))
            if left[component] > 0:
                left[component] -= 1
            else:
                loose.append((zone, place))
    after = {zone: list(classes) for zone, classes in before.items()}
    for group in _groups(glass, kind, loose, lambda each: before[each[0]][each[1]]):
        dealt = luck.shuffled(sorted(before[zone][place] for zone, place in group))
        for (zone, place), class_ in zip(group, dealt, strict=True):
            after[zone][place] = class_
    for zone, classes in after.items():
        instance = glass.tables.instances[zone]
        slots[instance.counts : instance.counts + instance.width] = [0] * instance.width
        for class_ in classes[::-1] if instance.family.order == "stack" else classes:
            components.add(slots, kind, class_, zone)
        _known_there(glass, slots, kind, zone, list(zip(before[zone], classes, strict=True)))


def _groups(
    glass: PlayerView, kind: KindTable, items: Sequence[Item], class_of: Callable[[Item], int]
) -> list[list[Item]]:
    """What may change places: all, or, where each piece keeps to its owner, those of each owner."""
    if not _keeps_to_owner(glass, kind):
        return [list(items)]
    groups: dict[int, list[Item]] = defaultdict(list)
    for item in items:
        groups[kind.parts[class_of(item)][1]].append(item)
    return [groups[owner] for owner in sorted(groups)]


def _keeps_to_owner(glass: PlayerView, kind: KindTable) -> bool:
    """Whether the pieces of each player begin in a zone of theirs, and none is nobody's."""
    if not isinstance(kind.kind.owner, Player):
        return False
    instances = glass.tables.instances
    starts = [
        (instances[zone].owner, kind.parts[class_][1])
        for name in kind.kind.zones
        for zone, class_, many in glass.tables.families[name].start
        if many
    ]
    return all(instances[zone].owner is not None for zone in kind.zones) and all(
        one == other for one, other in starts
    )


def _known_there(
    glass: PlayerView,
    slots: list[int],
    kind: KindTable,
    zone: int,
    pairs: Iterable[tuple[int, int]],
) -> None:
    """The others know as many of what lies in a zone now as they did of what lay there."""
    knowledge = glass.lenses.knowledge
    if not knowledge.kept(kind):
        return
    for player in range(len(glass.game.players)):
        if player == glass.viewer:
            continue
        places = [knowledge.at(kind, zone, one) + player for one in range(kind.kind.classes)]
        left = [slots[at] for at in places]
        found = [0] * len(left)
        for class_, now in pairs:
            if left[class_]:
                left[class_] -= 1
                found[now] += 1
        for at, many in zip(places, found, strict=True):
            slots[at] = many
