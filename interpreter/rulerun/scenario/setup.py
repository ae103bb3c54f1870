"""Starting points for scenarios: values and places set over a state, and a phase entered.

Assumes: names and values that exist (else `ValueError`: the scenario is wrong).
Does: sets variables; puts exactly the listed components into zones; begins a phase with the loop
variables given.
Leaves behind: new states. Every component is still in exactly one zone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rulerun.analysis.effort import effort_of
from rulerun.reference.budget import Budget
from rulerun.reference.executor import Reference
from rulerun.runtime.executor import CHANCE, Chance, Decision, Executor, Step
from rulerun.runtime.index import GameIndex, KindTable, VariableTable
from rulerun.runtime.play import RESULT, TOGETHER, Play
from rulerun.runtime.recent import Recent
from rulerun.runtime.state import State
from rulerun.session.session import Session
from rulerun_dsl import model
from rulerun_dsl.model import EndGame, Enter, Game, Loop, LoopStart, RepeatStart, Scoring
from rulerun_dsl.model.valuetypes import Order

Wanted = tuple[int, Mapping[str, int | None]]
"""A component that a zone shall hold: its class, and the attributes that shall have a value."""

MOST_RESTS = 100_000
"""So many rests a scenario may pass through before the next of its inputs."""


def after_set_up(executor: Reference) -> tuple[State, int]:
    """Return the state when set-up has run with first options, and where play would go on.

    Every scenario of a game that begins in the middle begins with the same set-up.
    """
    return _SET_UP.of(executor.game)


def set_up(game: Game, build: Callable[[Game], Executor] | None = None) -> tuple[State, int]:
    """Run set-up in a copy of the game that ends where the first phase begins.

    `build` makes the executor of the copy, whose code has the same places; left out, it is a
    reference that tells nothing.
    """
    start = first_phase(game)
    code = list(game.code)
    code[start] = EndGame(code[start].span, None)
    nothing = Scoring(game.scoring.register, (), (), None, "tied", None, None, None)
    copy = replace(game, code=tuple(code), scoring=nothing)
    if build is None:
        # What the copy evaluates the game does, so one look at how much that is will do for both.
        executor: Executor = Reference(copy, False, Budget(effort_of(game)))
    else:
        executor = build(copy)
    session = Session(executor, automatic=False)
    for _ in range(MOST_RESTS):
        if not session.waiting:
            break
        player = session.waiting[0].player
        if player == CHANCE:
            session.give(Chance(session.outcomes()[0].id))
        else:
            session.give(Decision(player, session.executor.legal(session.state, player)[0]))
    slots = list(session.state.slots)
    slots[RESULT] = 0
    return State(tuple(slots)), start


_SET_UP = Recent(set_up, 8)


def first_phase(game: Game) -> int:
    """Return the instruction at which the first phase begins, its loop to be started included."""
    phase = game.phases[0]
    starts = [phase.entry]
    for at, each in enumerate(game.code):
        if isinstance(each, Enter) and each.phase == 0:
            starts.append(at)
        if isinstance(each, LoopStart) and each.loop in phase.loops:
            starts.append(at)
    start = min(starts)
    return start - 1 if start and isinstance(game.code[start - 1], RepeatStart) else start


def with_value(
    tables: GameIndex, state: State, table: VariableTable, indexes: Sequence[int], value: Any
) -> State:
    """The state with what one address holds set: a variable, or an attribute of a component."""
    name = table.variable.name
    if tuple(indexes) not in set(table.instances()):
        pairs = zip(table.variable.indexes, indexes, strict=False)
        texts = [tables.text(type_, index) for type_, index in pairs]
        raise ValueError(f"there is no `{name}[{', '.join(texts)}]`")
    at = table.address(tuple(indexes))
    slots = list(state.slots)
    if isinstance(table.variable.type, Order):
        if sorted(value) != list(range(table.width)):
            raise ValueError(f"{name} is an order of all players")
        slots[at : at + table.width] = value
        return State(tuple(slots))
    low, high = tables.bounds(table.variable.type)
    code = tables.encode(table.variable.type, value)
    if not low <= code <= high:
        raise ValueError(f"`{name}` is {table.variable.type}, not {value}")
    slots[at] = code
    return State(tuple(slots))


def with_zones(executor: Reference, state: State, wanted: Mapping[int, Sequence[Wanted]]) -> State:
    """The state with exactly these components in these zones (ordered ones: what leaves first).

    They come from zones that are not named, their start zone first; what a named zone held goes
    back to where it starts. Where that changes what lies in a zone, nobody knows anything of it.
    """
    laying = _Laying(executor, list(state.slots), wanted)
    laying.clear()
    for zone, listed in wanted.items():
        laying.fill(zone, listed)
    laying.put_back()
    play = Play(executor.game, laying.slots, None)
    components, knowledge = executor.machine.components, executor.machine.knowledge
    for each in executor.machine.tables.instances:
        before, now = (components.members(one, each.number) for one in (state.slots, play.slots))
        if before != now:
            knowledge.forget(play, each.kind, each.number)
    executor.canonical.sort(play)
    return State(tuple(play.slots))


class _Laying:
    """Components on their way from zones that are named to zones that are named."""

    def __init__(
        self, executor: Reference, slots: list[int], wanted: Mapping[int, Sequence[Wanted]]
    ) -> None:
        self.components = executor.machine.components
        self.tables = executor.machine.tables
        self.slots = slots
        self.wanted = wanted
        self.lifted: dict[tuple[str, int], list[int]] = defaultdict(list)
        """By kind and class: what is in the hand."""

    def clear(self) -> None:
        """Lift all that lies in the named zones."""
        for zone in self.wanted:
            kind = self.tables.instances[zone].kind
            for component in self.components.members(self.slots, zone):
                self._lift(kind, component)

    def fill(self, zone: int, listed: Sequence[Wanted]) -> None:
        """Lay what is listed."""
        instance = self.tables.instances[zone]
        kind = instance.kind
        holds = instance.family.holds
        if len(listed) > holds:
            over = ", ".join(self._named(kind, class_) for class_, _ in listed[holds:])
            raise ValueError(
                f"`{self.components.label(zone)}` has room for {holds}, and {len(listed)} are "
                f"listed: {over} too many"
            )
        ordered = reversed(listed) if instance.family.order == "stack" else listed
        for class_, attributes in ordered:
            component = self._fetch(kind, class_)
            self._lay(kind, component, zone)
            for name, value in attributes.items():
                attribute = kind.attribute(name)
                code = self.tables.encode(attribute.type, value)
                self.slots[attribute.base + component] = code

    def put_back(self) -> None:
        """What is left goes where it starts."""
        for (name, class_), components in self.lifted.items():
            kind = self.tables.kinds[name]
            for component in components:
                homes = (self.components.start_zone(kind, class_), *kind.zones)
                home = next((zone for zone in homes if self._has_room(zone)), None)
                if home is None:
                    raise ValueError(f"no zone is left for {self._named(kind, class_)}")
                self._lay(kind, component, home)

    def _named(self, kind: KindTable, class_: int) -> str:
        """A component of a class, as the rules write it."""
        row, owner = divmod(class_, kind.kind.owners)
        name = kind.kind.rows[row]
        of = kind.kind.owner
        return name if of is None else f"{name} of {self.tables.text(of, owner)}"

    def _has_room(self, zone: int) -> bool:
        holds = self.tables.instances[zone].family.holds
        return zone not in self.wanted and self.components.count(self.slots, zone) < holds

    def _lift(self, kind: KindTable, component: int) -> None:
        class_ = self.components.class_of(kind, component)
        self.components.lift(self.slots, kind, component)
        if not kind.kind.counted:
            self.slots[kind.base + component] = -1
        self.lifted[kind.kind.name, class_].append(component)

    def _lay(self, kind: KindTable, component: int, zone: int) -> None:
        if kind.kind.counted:
            self.components.add(self.slots, kind, component % kind.kind.classes, zone)
        else:
            self.components.lay(self.slots, kind, component, zone)

    def _fetch(self, kind: KindTable, class_: int) -> int:
        """A component of a class: from its start zone, what was lifted, or another zone."""
        home = self.components.start_zone(kind, class_)
        free = [zone for zone in kind.zones if zone not in self.wanted]
        lifted = self.lifted[kind.kind.name, class_]
        for zone in sorted(free, key=lambda zone: zone != home):
            if lifted and zone != home:
                break
            for component in self.components.members(self.slots, zone):
                if self.components.class_of(kind, component) == class_:
                    self._lift(kind, component)
                    return lifted.pop()
        if lifted:
            return lifted.pop(0)
        raise ValueError(f"there is no {self._named(kind, class_)} left")


def enter_phase(executor: Reference, state: State, phase: int, values: Mapping[str, int]) -> Step:
    """Begin a phase, its loops and those around it at the values given, else at their first.

    The phase begins as it always does, with its `until`; the phases around it go on from there.
    """
    game, machine = executor.game, executor.machine
    entered = game.phases[phase]
    unknown = set(values) - {loop.variable.name for loop in entered.loops}
    if unknown:
        raise ValueError(f"{entered.name} has no loop over {', '.join(sorted(unknown))}")
    layout = game.layout
    slots = list(state.slots)
    slots[layout.queue :] = [0] * (len(slots) - layout.queue)
    if slots[TOGETHER]:
        width = layout.live[1] - layout.live[0]
        slots[layout.shadow : layout.shadow + width] = [0] * width
    slots[RESULT] = slots[TOGETHER] = 0
    play = Play(game, slots, [] if executor.events else None)
    for loop in entered.loops:
        own = _comes_behind(executor, loop, entered.entry)
        begin, advance = machine.loops.begin(loop), machine.loops.advance(loop)
        _set(machine.tables, begin, advance, play, loop, own, values)
    return executor.begin(play, entered.entry)


def _comes_behind(executor: Reference, loop: Loop, entry: int) -> bool:
    """Whether the loop takes its next member behind the entry: then it is the phase's own."""
    return any(
        isinstance(node, model.LoopNext) and node.loop == loop
        for node in executor.game.code[entry:]
    )


def _set(
    tables: GameIndex,
    begin: Any,
    advance: Any,
    play: Play,
    loop: Loop,
    own: bool,
    values: Mapping[str, int],
) -> None:
    """Let a loop stand at a value (its own: just before it)."""
    begin(play)
    name = loop.variable.name
    while True:
        before = list(play.slots)
        if not advance(play):
            if name not in values:
                play.slots[:] = before
                return
            text = tables.text(loop.variable.type, values[name])
            raise ValueError(f"`{name}` is never {text} there")
        if name not in values or play.slots[play.base + loop.variable.offset] == values[name]:
            if own:
                play.slots[:] = before
            return
