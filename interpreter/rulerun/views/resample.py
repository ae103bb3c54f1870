"""Another world that a viewer may be in: what is hidden from them is dealt again.

Assumes a state at rest, outside any `together`, through a viewer's `PlayerView`.
Does: deals all that the viewer does not see over the same places, each as likely as any other.
What they know of it stays where it is known to be: at its place in a pile, else anywhere in there.
What a variable that they see holds stays where it lies; a name, or a variable that they do not see,
holds what lies now where lay what it held, and one that holds what all see, any of what lies there.
A loop stands at what its name holds, with as many before it as there were.
What the others know goes with the places: who knew which card lies there knows which one does now.
Pieces that begin with their owners, where every zone is somebody's, change places with their
owner's only. Hidden variables, and attributes of hidden components, get any value of their types.
Of counted kinds, whatever the rules hold stays where it lies.
Leaves behind a state: every component in one zone, each zone with as many as before, and nobody
knowing what is not so. The viewer sees the same. How the play may have come there is not asked.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from rulerun.runtime.index import KindTable, element_of
from rulerun.runtime.rng import Stream
from rulerun.runtime.state import State
from rulerun.views.held import Held, Holds, held_by_rules
from rulerun.views.player_view import PlayerView
from rulerun_dsl.model.valuetypes import Component, Order, Player, Type, bare
from rulerun_dsl.source.frozen import frozen

Item = TypeVar("Item")


def hidden_zones(view: PlayerView, kind: KindTable) -> list[int]:
    """The zones of a kind in which the viewer does not see what lies there."""
    return [at for at in kind.zones if not view.sees_zone(view.tables.instances[at])]


@frozen
class _Piles:
    """What lies where of a counted kind, by its class."""

    before: Mapping[int, Sequence[int]]
    """By zone: what lies there, in order."""
    groups: Sequence[tuple[Sequence[tuple[int, int]], Sequence[int]]]
    """What changes places with each other: zones with places, and, sorted, what lies there."""
    free: Mapping[int, Sequence[int]]
    """By pile in which something is known to lie: the places of which nothing is known."""


@frozen
class _Hidden:
    """What of a kind is dealt again."""

    kind: KindTable
    holds: Held
    zones: Sequence[int]
    stay: Counter[int]
    """How many of each component stay where they lie, since it is known or held."""
    columns: Sequence[tuple[int, int, int]]
    """Attributes: where their slots begin, the least value, how many values there are."""
    piles: _Piles | None
    """Of a counted kind."""


class Deal:
    """What a viewer does not see, to be dealt again over the same places as often as one likes."""

    def __init__(self, view: PlayerView) -> None:
        """Find what is hidden."""
        self._view = view
        self._kinds: list[_Hidden] = []
        held = held_by_rules(view)
        for name, kind in view.tables.kinds.items():
            holds = held[name]
            if holds.all:
                continue
            zones = hidden_zones(view, kind)
            stay = Counter(holds.components)
            known = view.known() if zones else {}
            for zone in zones:
                for component, many in Counter(known.get(zone, ())).items():
                    stay[component] = max(stay[component], many)
            columns = [
                each
                for attribute in kind.attributes
                for each in _any_value(view, attribute.base, attribute.type)
            ]
            piles = _piles(view, kind, zones, stay) if kind.kind.counted else None
            self._kinds.append(_Hidden(kind, holds, zones, stay, columns, piles))
        self._orders: list[slice] = []
        self._values: list[tuple[int, int, int]] = []
        for table, indexes in view.hidden_variables():
            at, type_ = table.address(indexes), table.variable.type
            if isinstance(bare(type_), Order):
                self._orders.append(slice(at, at + table.width))
            else:
                self._values += _any_value(view, at, type_)

    def anew(self, luck: Stream) -> State:
        """Return a state in which it is dealt again."""
        view = self._view
        slots = list(view.state.slots)
        for hidden in self._kinds:
            kind, holds, zones = hidden.kind, hidden.holds, hidden.zones
            if hidden.piles is not None:
                _deal_counted(view, slots, kind, hidden.piles, luck)
            else:
                _deal(view, slots, kind, zones, hidden.stay, holds.slots, luck)
                fixed = holds.components.union(*(each.members(slots) for each in holds.slots))
                _reorder(view, slots, kind, zones, fixed, luck)
                _change(slots, kind, zones, hidden.columns, luck)
        for order in self._orders:
            slots[order] = luck.shuffled(slots[order])
        for at, low, many in self._values:
            slots[at] = low + luck.below(many)
        return State(tuple(slots))


def deal_anew(view: PlayerView, luck: Stream) -> State:
    """Return a state in which what the viewer does not see is dealt again over the same places."""
    return Deal(view).anew(luck)


def _deal(
    view: PlayerView,
    slots: list[int],
    kind: KindTable,
    zones: Sequence[int],
    stay: Counter[int],
    holders: Sequence[Holds],
    luck: Stream,
) -> None:
    hidden = [
        component
        for component in range(kind.kind.total)
        if slots[kind.base + component] in zones and not stay[component]
    ]
    knowledge = view.view_index.knowledge
    knowing = [knowledge.column(kind), knowledge.places.column(kind)]
    columns = [kind.base, *([kind.positions] if kind.positions >= 0 else [])]
    columns += [each for each in knowing if each is not None]
    wanted = dict.fromkeys(each for holder in holders for each in holder.members(slots))
    stood = {each for holder in holders if holder.cursor >= 0 for each in holder.members(slots)}
    now: dict[int, int] = {}
    """By component that is held: what is held of what is dealt."""
    for group in _groups(view, kind, hidden, kind.class_of.__getitem__):
        # Sorted first: how they lie in truth must not decide how they are dealt.
        before = {each: tuple(slots[base + each] for base in columns) for each in group}
        after: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for component, place in zip(luck.shuffled(group), sorted(before.values()), strict=True):
            after[place].append(component)
            for base, value in zip(columns, place, strict=True):
                slots[base + component] = value
        for component in wanted:
            if component in before:
                there = after[before[component]]
                if component in stood:
                    # A loop goes by the numbers: as many are behind it as in truth.
                    there.sort()
                    alike = [each for each in group if before[each] == before[component]]
                    chosen = min(alike.index(component), len(there) - 1)
                else:
                    chosen = luck.below(len(there))
                now[component] = there.pop(chosen)
    _hold(view, slots, kind, zones, holders, now, luck)


def _hold(
    view: PlayerView,
    slots: list[int],
    kind: KindTable,
    zones: Sequence[int],
    holders: Sequence[Holds],
    now: Mapping[int, int],
    luck: Stream,
) -> None:
    """What holds a component holds what was dealt in its place."""
    if not holders:
        return
    seen: dict[str, list[int]] = defaultdict(list)
    """By family of zones: what the viewer sees there."""
    family = [view.tables.instances[slots[kind.base + each]].family.name
              for each in range(kind.kind.total)]  # fmt: skip
    for component in range(kind.kind.total):
        if slots[kind.base + component] not in zones:
            seen[family[component]].append(component)
    for holder in holders:
        found: list[int] = []
        for component in holder.members(slots):
            others = [each for each in seen[family[component]] if each not in found]
            if component in now:
                found.append(now[component])
            elif holder.secret and component in others:
                found.append(others[luck.below(len(others))])
            else:
                found.append(component)
        holder.put(slots, found)


def _change(
    slots: list[int],
    kind: KindTable,
    zones: Sequence[int],
    columns: Sequence[tuple[int, int, int]],
    luck: Stream,
) -> None:
    """What has become of a component is seen only with it: it may be anything."""
    if not columns:
        return
    for component in range(kind.kind.total):
        if slots[kind.base + component] in zones:
            for base, low, many in columns:
                slots[base + component] = low + luck.below(many)


def _any_value(view: PlayerView, at: int, type_: Type) -> tuple[tuple[int, int, int], ...]:
    """A slot that gets any value of its type: the least, and how many there are.

    Nothing, if it holds a component.
    """
    if isinstance(element_of(bare(type_)), Component):
        return ()
    low, high = view.tables.bounds(type_)
    return ((at, low, high - low + 1),)


def _reorder(
    view: PlayerView,
    slots: list[int],
    kind: KindTable,
    zones: Sequence[int],
    held: set[int],
    luck: Stream,
) -> None:
    """What is known to lie somewhere in a pile lies at any place there, unless that is known."""
    known = view.known()
    if not known:
        return
    bit = 1 << view.viewer
    knowledge = view.view_index.knowledge
    columns = [knowledge.column(kind), knowledge.places.column(kind)]
    masks = [each for each in columns if each is not None]
    for zone in zones:
        if not view.tables.instances[zone].ordered or not known.get(zone):
            continue
        fixed = held | {each.component for each in view.places(zone)}
        group = [
            component
            for component in range(kind.kind.total)
            if slots[kind.base + component] == zone and component not in fixed
        ]
        # Who knows what lies where goes with the place; what the viewer knows, with the component.
        rows = sorted(
            (slots[kind.positions + each], *(slots[base + each] & ~bit for base in masks))
            for each in group
        )
        for component, (position, *others) in zip(luck.shuffled(group), rows, strict=True):
            slots[kind.positions + component] = position
            for base, mask in zip(masks, others, strict=True):
                slots[base + component] = slots[base + component] & bit | mask


def _piles(view: PlayerView, kind: KindTable, zones: Sequence[int], stay: Counter[int]) -> _Piles:
    """What lies in hidden zones of a counted kind."""
    components, slots = view.components, view.state.slots
    before: dict[int, list[int]] = {}
    loose: list[tuple[int, int]] = []
    free: dict[int, list[int]] = {}
    for zone in zones:
        # Those stay whose places are known; of other alike ones, from where it leaves, the first.
        left = +stay
        placed = {each.turn: each.component for each in view.places(zone)}
        left.subtract(placed.values())
        before[zone] = []
        kept = False
        for place, component in enumerate(components.members(slots, zone)):
            before[zone].append(components.class_of(kind, component))
            if place in placed:
                continue
            if left[component] > 0:
                left[component] -= 1
                kept = True
            else:
                loose.append((zone, place))
        if kept and view.tables.instances[zone].ordered:
            free[zone] = [at for at in range(len(before[zone])) if at not in placed]
    groups = _groups(view, kind, loose, lambda each: before[each[0]][each[1]])
    sorts = [sorted(before[zone][place] for zone, place in group) for group in groups]
    return _Piles(before, list(zip(groups, sorts, strict=True)), free)


def _deal_counted(
    view: PlayerView, slots: list[int], kind: KindTable, piles: _Piles, luck: Stream
) -> None:
    components = view.components
    before = piles.before
    after = {zone: list(classes) for zone, classes in before.items()}
    for group, classes in piles.groups:
        for (zone, place), class_ in zip(group, luck.shuffled(classes), strict=True):
            after[zone][place] = class_
    for zone, places in piles.free.items():
        there = luck.shuffled(sorted(after[zone][place] for place in places))
        for place, class_ in zip(places, there, strict=True):
            after[zone][place] = class_
    for zone, classes in after.items():
        if classes == before[zone]:
            continue
        instance = view.tables.instances[zone]
        slots[instance.counts : instance.counts + instance.width] = [0] * instance.width
        for class_ in classes[::-1] if instance.family.order == "stack" else classes:
            components.add(slots, kind, class_, zone)
        _known_there(view, slots, kind, zone, list(zip(before[zone], classes, strict=True)))


def _groups(
    view: PlayerView, kind: KindTable, items: Sequence[Item], class_of: Callable[[Item], int]
) -> list[list[Item]]:
    """What may change places: all, or, where each piece keeps to its owner, those of each owner."""
    if not _keeps_to_owner(view, kind):
        return [list(items)]
    groups: dict[int, list[Item]] = defaultdict(list)
    for item in items:
        groups[kind.parts[class_of(item)][1]].append(item)
    return [groups[owner] for owner in sorted(groups)]


def _keeps_to_owner(view: PlayerView, kind: KindTable) -> bool:
    """Whether the pieces of each player begin in a zone of theirs, and none is nobody's."""
    if not isinstance(kind.kind.owner, Player):
        return False
    instances = view.tables.instances
    starts = [
        (instances[zone].owner, kind.parts[class_][1])
        for name in kind.kind.zones
        for zone, class_, many in view.tables.families[name].start
        if many
    ]
    return all(instances[zone].owner is not None for zone in kind.zones) and all(
        one == other for one, other in starts
    )


def _known_there(
    view: PlayerView,
    slots: list[int],
    kind: KindTable,
    zone: int,
    pairs: Sequence[tuple[int, int]],
) -> None:
    """The others know as many of what lies in a zone now as they did of what lay there."""
    knowledge = view.view_index.knowledge
    if not knowledge.kept(kind):
        return
    first, last = knowledge.there(kind, zone)
    for player in range(len(view.game.players)):
        if player == view.viewer:
            continue
        own = slice(first + player, last, len(view.game.players))
        left = slots[own]
        if not any(left):
            continue
        found = [0] * len(left)
        placed = {each.turn for each in knowledge.places.known(slots, zone, player)}
        # First those whose places they know: these are known in the other world as well.
        sure = [pair for turn, pair in enumerate(pairs) if turn in placed]
        others = [pair for turn, pair in enumerate(pairs) if turn not in placed]
        for class_, now in (*sure, *others):
            if left[class_]:
                left[class_] -= 1
                found[now] += 1
        slots[own] = found
