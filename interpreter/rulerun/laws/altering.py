"""Law 5, one state at a time: what is hidden from a viewer is changed, and they see the same.

Assumes a walk.
Does: compares what is observed with what is declared to be seen; then changes a state where a
viewer may not look (components change places between zones hidden from them, variables hidden from
them take other values, inside a `together` everything that is others') and looks again.
Leaves behind what a viewer sees and may not, or may and does not.

Only the zones and variables of an observation are compared here: they are a function of the state.
What is asked and what is legal may follow from what a viewer could work out: `indistinguishable`
looks at that. A component that a name or a variable holds stays where it is, since another one in
its place would be held instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rulerun.laws.declared_sight import Sight, owner_of
from rulerun.laws.trajectory import Found, Walk
from rulerun.reference.collections import bits
from rulerun.reference.knowledge import Knowledge
from rulerun.reference.visibility import Visibility
from rulerun.runtime.index import KindTable, element_of
from rulerun.runtime.play import TOGETHER
from rulerun.runtime.rng import Stream
from rulerun.runtime.state import State
from rulerun.views.observation import Json, Observation
from rulerun.views.observe import observe
from rulerun_dsl import model
from rulerun_dsl.model import SPECTATOR
from rulerun_dsl.model.effects import effects
from rulerun_dsl.model.valuetypes import INT_MAX, Component, Multiset, Order, SetOf, bare

MOST_STATES = 12
WORLDS = 2


def look(walk: Walk) -> Iterator[Found]:
    """Look for what is seen and may not be."""
    alter = Alter(walk.table.sight)
    for at in walk.picked(MOST_STATES, "altering"):
        state = walk.states[at]
        for viewer in walk.viewers:
            seen = observe(walk.executor, state, viewer)
            yield from ((at, what) for what in declared(walk.table.sight, state, seen))
            sees = looks(seen)
            for world in range(WORLDS):
                other = alter.hidden(state, viewer, walk.luck("altering", at, viewer, world))
                if other == state:
                    continue
                found = looks(observe(walk.executor, other, viewer))
                for what, now in found.items():
                    if now != sees[what]:
                        yield at, f"{seen.name} sees in {what} what is hidden from them"
                        return


def looks(seen: Observation) -> dict[str, Json]:
    """The part of an observation that is a function of the declarations and the state."""
    data = seen.data()
    parts: dict[str, Json] = {key: data[key] for key in ("together", "done")}
    for name in ("state", "zones"):
        found = data[name]
        assert isinstance(found, dict)
        parts[f"the names in {name}"] = list(found)
        parts |= found
    return parts


def declared(sight: Sight, state: State, seen: Observation) -> Iterator[str]:
    """What an observation shows against the declarations."""
    live, others = state.slots, sight.looked_at(state.slots)
    shown = {variable.name for variable in seen.variables}
    viewer = seen.viewer
    for table, indexes, label in sight.variables:
        slots = live if owner_of(table, indexes) == viewer != SPECTATOR else others
        if sight.variable(table, indexes, slots, viewer) != (label in shown):
            yield f"{seen.name} {'sees' if label in shown else 'does not see'} {label}"
    for label, zone in sight.zones.items():
        found = seen.zone(label)
        if found is None:
            yield f"{seen.name} is not told of the zone {label}"
            continue
        slots = live if zone.owner == viewer != SPECTATOR else others
        if sight.in_zone(zone, slots, viewer) != (found.components is not None):
            does = "sees" if found.components is not None else "does not see"
            yield f"{seen.name} {does} what lies in {label}"
        if sight.how_many(zone, slots, viewer) != (found.count is not None):
            does = "sees" if found.count is not None else "does not see"
            yield f"{seen.name} {does} how much lies in {label}"
        there = sight.components.count(slots, zone.number)
        if found.count not in (None, there):
            yield f"{seen.name} sees {found.count} in {label}, and {there} are there"
        if found.components is not None and len(found.components) != there:
            yield f"{seen.name} sees {len(found.components)} in {label}, and {there} are there"
        if len(found.known) > there:
            yield f"{seen.name} knows of {len(found.known)} in {label}, and {there} are there"
        lying = sight.components.members(slots, zone.number) if found.places else ()
        for place, one in found.places:
            rows = [sight.tables.row_and_owner(zone.kind, each)[0] for each in lying]
            if place > there or zone.kind.kind.rows[rows[place - 1]] != one.row:
                yield f"{seen.name} knows of {one.row} at place {place} of {label}, and it is not"


class Alter:
    """Changes states of one game where a viewer may not look."""

    def __init__(self, sight: Sight) -> None:
        """Find which slots of a control stack may hold components."""
        self.sight = sight
        self.tables = sight.tables
        self.game = sight.game
        self.knowledge = Knowledge(self.tables, sight.components, Visibility(sight.evaluator))
        self.names = set(_names(self.game))

    def hidden(self, state: State, viewer: int, luck: Stream) -> State:
        """Return the state with what is hidden from the viewer changed, as far as it can be."""
        slots = list(state.slots)
        together = bool(slots[TOGETHER])
        for kind in self.tables.kinds.values():
            if together:
                continue
            if kind.kind.counted:
                self._counted(slots, kind, viewer, luck)
            else:
                self._identities(slots, kind, viewer, luck)
        for table, indexes, _ in self.sight.variables:
            owner = owner_of(table, indexes)
            if together:
                hidden = owner is not None and owner != viewer
            else:
                hidden = not self.sight.variable(table, indexes, state.slots, viewer)
            if not hidden:
                continue
            at, type_ = table.address(indexes), table.variable.type
            if isinstance(bare(type_), Order):
                slots[at : at + table.width] = luck.shuffled(slots[at : at + table.width])
            elif not isinstance(element_of(bare(type_)), Component):
                low, high = self.tables.bounds(type_)
                if high != INT_MAX:
                    slots[at] = low + luck.below(high - low + 1)
        return State(tuple(slots))

    def _zones(self, slots: Sequence[int], kind: KindTable, viewer: int) -> list[int]:
        instances = self.tables.instances
        return [at for at in kind.zones if not self.sight.in_zone(instances[at], slots, viewer)]

    def _identities(self, slots: list[int], kind: KindTable, viewer: int, luck: Stream) -> None:
        """Components hidden from the viewer change places."""
        zones = self._zones(slots, kind, viewer)
        held = self._held(slots, kind)
        if viewer != SPECTATOR:
            held |= set(self.knowledge.known(slots, kind, viewer))
        loose = [
            component
            for component in range(kind.kind.total)
            if slots[kind.base + component] in zones and component not in held
        ]
        columns = [kind.base, *([kind.positions] if kind.positions >= 0 else [])]
        places = [tuple(slots[column + each] for column in columns) for each in loose]
        for component, place in zip(luck.shuffled(loose), places, strict=True):
            for column, value in zip(columns, place, strict=True):
                slots[column + component] = value
        for component in loose:
            for each in kind.attributes:
                if not isinstance(bare(each.type), Component):
                    low, high = self.tables.bounds(each.type)
                    slots[each.base + component] = low + luck.below(high - low + 1)

    def _counted(self, slots: list[int], kind: KindTable, viewer: int, luck: Stream) -> None:
        """The same for what is counted: classes change places between hidden zones."""
        components = self.sight.components
        stays = Counter(self._held(slots, kind))
        if viewer != SPECTATOR:
            stays |= self.knowledge.known(slots, kind, viewer)
        zones = self._zones(slots, kind, viewer)
        loose: dict[int, list[int]] = {}
        for at in zones:
            members = components.upwards(slots, at)
            kept = stays & Counter(members)
            if kept and self.tables.instances[at].ordered:
                continue  # where in it they lie is not ours to change
            loose[at] = list((Counter(members) - kept).elements())
        classes = [components.class_of(kind, each) for held in loose.values() for each in held]
        for held in loose.values():
            for each in held:
                components.lift(slots, kind, each)
        dealt = iter(luck.shuffled(sorted(classes)))
        for at, held in loose.items():
            for _ in held:
                components.add(slots, kind, next(dealt), at)
        if not stays:
            self._uncounted(slots, kind, zones, viewer, luck)

    def _uncounted(
        self, slots: list[int], kind: KindTable, zones: list[int], viewer: int, luck: Stream
    ) -> None:
        """Where the viewer does not even see how many there are, one goes over."""
        instances = self.tables.instances
        dark = [at for at in zones if not self.sight.how_many(instances[at], slots, viewer)]
        full = [at for at in dark if self.sight.components.count(slots, at)]
        if len(dark) < 2 or not full:
            return
        source = full[luck.below(len(full))]
        target = [at for at in dark if at != source][luck.below(len(dark) - 1)]
        if self.sight.components.count(slots, target) < instances[target].family.holds:
            member = self.sight.components.members(slots, source)[0]
            class_ = self.sight.components.class_of(kind, member)
            self.sight.components.lift(slots, kind, member)
            self.sight.components.add(slots, kind, class_, target)

    def _held(self, slots: Sequence[int], kind: KindTable) -> set[int]:
        """Components that a name or a variable may hold: they stay."""
        held: set[int] = set()
        layout = self.game.layout
        for frame in range(layout.frames):
            base = layout.base + frame * layout.frame
            if slots[base]:
                for offset, name, is_set in self.names:
                    if name == kind.kind.name:
                        held |= _held_by(slots[base + offset], is_set)
        for table, indexes, _ in self.sight.variables:
            type_ = element_of(bare(table.variable.type))
            if isinstance(bare(type_), Component) and bare(type_).kind == kind.kind.name:  # type: ignore[union-attr]
                is_set = isinstance(bare(table.variable.type), SetOf)
                held |= _held_by(slots[table.address(indexes)], is_set)
        return held


def _held_by(slot: int, is_set: bool) -> set[int]:
    """The components that a slot may hold."""
    return set(bits(max(slot, 0), 0)) if is_set else {slot}


def _names(game: model.Game) -> Iterator[tuple[int, str, bool]]:
    """The slots of a control stack that may hold a component: its kind, and is it a set of them."""
    for node in game.code:
        for write in effects(node).writes:
            target = write.target
            if isinstance(target, model.Local) and (kind := _kind_of(target)) is not None:
                yield target.offset, kind, isinstance(bare(target.type), SetOf)
                if isinstance(node, model.LoopNext):
                    yield node.loop.cursor, kind, False
    for procedure in game.procedures:
        for parameter in procedure.parameters:
            if (kind := _kind_of(parameter)) is not None:
                yield parameter.offset, kind, isinstance(bare(parameter.type), SetOf)


def _kind_of(local: model.Local) -> str | None:
    type_ = bare(element_of(bare(local.type)))
    if isinstance(type_, Multiset):
        type_ = bare(type_.element)
    return type_.kind if isinstance(type_, Component) else None
