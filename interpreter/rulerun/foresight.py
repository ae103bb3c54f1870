"""Whether a decision showed its maker something that they could not have known before.

Undo may not be a way to peek. Assumes the state before a decision, the decision, what came of it.
Does two things, both from what the player saw, so that the answer itself tells nothing:

* counts the components that the player sees, by kind, row and owner: one more than before of any
  was revealed;
* tries the decision in other worlds: what is hidden from the player is dealt anew, at random but
  always the same way, into the places where something is hidden. Where the player would not have
  seen the difference before, they may not see one after, nor be told one.

The second is a search, not a proof: a rule that answers alike in nearly all worlds may slip
through. It errs towards a refusal: if nothing can be dealt anew so that it looks the same, the
decision is said to reveal. Inside a `together` only the first is asked, since others' things are
not in the player's reach there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rulerun.chance import Stream, stream
from rulerun.executor import Executor, IllegalInput, Input, RuleError, Step
from rulerun.observe import Glass, observe, tell
from rulerun.state import State
from rulerun.tables import KindTable, bare
from rulerun_dsl.valuetypes import Component, Order

WORLDS = 12


def reveals(executor: Executor, before: State, given: Input, step: Step, player: int) -> bool:
    """Tell whether an input, which led from `before` to `step`, revealed something to `player`."""
    if _seen(executor, step.state, player) - _seen(executor, before, player):
        return True
    glass = Glass(executor.game, before, player)
    if glass.together or step.state.slots[1] or not _hides(glass):
        return False
    looked = observe(executor, before, player).text()
    learnt = _learnt(executor, step, player)
    tried = 0
    for number in range(WORLDS):
        world = deal_anew(glass, stream("rulerun undo", number))
        if observe(executor, world, player).text() != looked:
            continue
        try:
            other = executor.apply(world, given)
        except (IllegalInput, RuleError):
            continue
        tried += 1
        if _learnt(executor, other, player) != learnt:
            return True
    return not tried


def _learnt(executor: Executor, step: Step, player: int) -> list[object]:
    told = tell(step.events, player, len(executor.game.players))
    return [observe(executor, step.state, player).data(), [each.data() for each in told]]


def _seen(executor: Executor, state: State, player: int) -> Counter[tuple[str, ...]]:
    """How many of what the player sees, and which variables."""
    glass = Glass(executor.game, state, player)
    seen: Counter[tuple[str, ...]] = Counter()
    for zone in glass.zones():
        for component in (*(zone.components or ()), *zone.known):
            seen["component", zone.kind, component.row, component.owner or ""] += 1
    seen.update(("variable", variable.name) for variable in glass.variables())
    return seen


def _hidden_zones(glass: Glass, kind: KindTable) -> list[int]:
    return [at for at in kind.zones if not glass.sees_zone(glass.tables.instances[at])]


def _hides(glass: Glass) -> bool:
    """Whether anything at all is hidden from the viewer."""
    return any(
        glass.components.count(glass.slots, zone)
        for kind in glass.tables.kinds.values()
        for zone in _hidden_zones(glass, kind)
    ) or any(True for _ in glass.hidden_variables())


def deal_anew(glass: Glass, luck: Stream) -> State:
    """Return a state in which what is hidden from the viewer is dealt anew over the same places."""
    slots = list(glass.state.slots)
    for kind in glass.tables.kinds.values():
        zones = _hidden_zones(glass, kind)
        if kind.kind.counted:
            _deal_counted(glass, slots, kind, zones, luck)
        else:
            _deal(glass, slots, kind, zones, luck)
    for table, indexes in glass.hidden_variables():
        at = table.address(indexes)
        type_ = table.variable.type
        if isinstance(bare(type_), Order):
            slots[at : at + table.width] = luck.shuffled(slots[at : at + table.width])
        elif not isinstance(bare(type_), Component):
            low, high = glass.tables.bounds(type_)
            slots[at] = low + luck.below(high - low + 1)
    return State(tuple(slots))


def _deal(
    glass: Glass, slots: list[int], kind: KindTable, zones: Sequence[int], luck: Stream
) -> None:
    known = {component for members in glass.known().values() for component in members}
    hidden = [
        component
        for component in range(kind.kind.total)
        if slots[kind.base + component] in zones and component not in known
    ]
    columns = [kind.base, *([kind.positions] if kind.positions >= 0 else [])]
    places = sorted(tuple(slots[base + component] for base in columns) for component in hidden)
    for component, place in zip(luck.shuffled(hidden), places, strict=True):
        for base, value in zip(columns, place, strict=True):
            slots[base + component] = value


def _deal_counted(
    glass: Glass, slots: list[int], kind: KindTable, zones: Sequence[int], luck: Stream
) -> None:
    components = glass.components
    known = glass.known()
    kept: dict[int, list[int]] = {}
    loose: list[int] = []
    sizes: list[int] = []
    for zone in zones:
        instance = glass.tables.instances[zone]
        held = [components.class_of(kind, each) for each in components.members(slots, zone)]
        kept[zone] = [components.class_of(kind, each) for each in known.get(zone, ())]
        if kept[zone] and instance.ordered:
            # Where in it the known ones lie is not ours to change.
            kept[zone] = [
                components.class_of(kind, each) for each in components.upwards(slots, zone)
            ]
        sizes.append(len(held) - len(kept[zone]))
        loose += (Counter(held) - Counter(kept[zone])).elements()
        width = instance.family.holds if instance.ordered else kind.kind.classes
        slots[instance.counts : instance.counts + width] = [0] * width
    # Sorted first: how they lie in truth must not decide how they are dealt.
    dealt = iter(luck.shuffled(sorted(loose)))
    for zone, size in zip(zones, sizes, strict=True):
        for class_ in [*kept[zone], *(next(dealt) for _ in range(size))]:
            components.add(slots, kind, class_, zone)
