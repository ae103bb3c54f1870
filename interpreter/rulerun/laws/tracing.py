"""Law 5, what a viewer may go by: what they see after each instruction, what is declared to them.

Assumes the reference executor (or one that compiles its code into `machine.steps` as that does).
Does: runs inputs again, and notes for one viewer a row of items: each *sight* that differs from the
one before, by the declarations alone (`declared_sight`); what is *declared* to them: visible
choices and their own, `say`, a `show` to them, rolls and picks that they see, that zones whose
count they see are shuffled or exchanged, who is asked what;
and what they are *told* besides. Inside a `together` the parts of others give no sights, and only
`say` counts as declared.
Leaves behind `Trace`s, and the law about them: equal traces give equal told lists, in order and in
number (`told_apart`). Nothing here asks the executor who may be told what.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from rulerun.laws.declared_sight import Sight
from rulerun.reference.executor import Reference
from rulerun.runtime.executor import CHANCE, Decision, Event, Input
from rulerun.runtime.play import TOGETHER, Play
from rulerun.runtime.state import State
from rulerun.views.observe import Told, canonical
from rulerun.views.recall import TOGETHER_END, Held, sift
from rulerun_dsl.model import SPECTATOR, Choose


@dataclass
class Trace:
    """What one viewer saw, was declared and was told, since some state."""

    items: list[object] = field(default_factory=list)
    """Sights and what was declared."""
    told: list[tuple[int, Told]] = field(default_factory=list)
    """What was told besides, each with the number of items before it."""


NOTHING = Told("", "nothing more", {})


def told_apart(one: Trace, other: Trace) -> tuple[str, str] | None:
    """What is told, and what instead, though the traces are equal so far; None if nothing is."""
    pairs = zip_longest(one.items, other.items)
    alike = next((at for at, (left, right) in enumerate(pairs) if left != right), None)
    upto = len(one.items) if alike is None else alike
    mine, theirs = ([what for at, what in each.told if at <= upto] for each in (one, other))
    # Where one trace has parted from the other, more may have been told than there was time for.
    told = (
        zip(mine, theirs, strict=False)
        if alike is not None
        else zip_longest(mine, theirs, fillvalue=NOTHING)
    )
    for left, right in told:
        if left != right:
            return left.text, right.text
    return None


class Tracer:
    """An executor that is looked at between its instructions, as one viewer."""

    def __init__(self, executor: Reference, sight: Sight) -> None:
        """Stand around every instruction."""
        self.executor = executor
        self.game = executor.game
        self.sight = sight
        self._trace = Trace()
        self._viewer = SPECTATOR
        self._held: Held = ()
        self._heard = 0
        self._question: Choose | None = None
        self._looked: Sequence[int] = ()
        steps = executor.machine.steps
        executor.machine.steps = [self._around(run, at) for at, run in enumerate(steps)]

    def trace(self, state: State, inputs: Iterable[Input], viewer: int, held: Held) -> Trace:
        """Play inputs again from a state; `held` is what is held back there from the viewer."""
        self._trace, self._viewer, self._held, self._looked = Trace(), viewer, held, ()
        self._look(state.slots)
        for given in inputs:
            self._heard, self._question = 0, None
            if isinstance(given, Decision):
                waiting = self.executor.waiting(state)
                asked = next(each for each in waiting if each.player == given.player)
                node = self.game.code[asked.instruction]
                self._question = node if isinstance(node, Choose) else None
                if given.player == viewer:
                    self._trace.items.append(("did", given.action))
            step = self.executor.apply(state, given)
            state = step.state
            self._note(state.slots, step.events)
            waiting = self.executor.waiting(state)
            asked_now = [
                (each.player, each.instruction)
                for each in waiting
                if each.player != CHANCE and (each.player == viewer or not state.slots[TOGETHER])
            ]
            if asked_now and self._trace.items[-1] != asked_now:
                self._trace.items.append(asked_now)
        return self._trace

    def _around(self, run: Callable[[Play], int], at: int) -> Callable[[Play], int]:
        node = self.game.code[at]

        def around(play: Play) -> int:
            self._note(play.slots, play.events or ())
            if isinstance(node, Choose):
                self._question = node
            after = run(play)
            self._note(play.slots, play.events or ())
            return after

        return around

    def _note(self, slots: Sequence[int], events: Sequence[Event]) -> None:
        self._look(slots)
        players = len(self.game.players)
        for event in events[self._heard :]:
            heard, self._held = sift((event,), 0, self._viewer, self._held, players)
            for told in heard:
                said = told.word == "say"
                if said or (event.word != TOGETHER_END and self._declared(event, slots)):
                    self._trace.items.append(canonical(told.data()))
                else:
                    self._trace.told.append((len(self._trace.items), told))
        self._heard = len(events)

    def _look(self, slots: Sequence[int]) -> None:
        """Note what is seen, if it is something else than before."""
        start, end = self.game.layout.live
        looked = (slots[TOGETHER], *slots[start:end])
        if looked == self._looked:
            return
        self._looked = looked
        seen = self.sight.view(slots, self._viewer)
        sights = (each for each in reversed(self._trace.items) if isinstance(each, tuple))
        if next((each for each in sights if each[0] == "saw"), ("saw", None))[1] != seen:
            self._trace.items.append(("saw", seen))

    def _declared(self, event: Event, slots: Sequence[int]) -> bool:
        """Whether the rules declare an event to the viewer, who hears of it."""
        viewer, about, sight = self._viewer, event.secret[1], self.sight
        match event.word:
            case "choose":
                if event.maker == viewer:
                    return True
                visible = None if self._question is None else self._question.visible
                return (
                    event.block is None
                    and visible is not None
                    and sight.holds(visible, slots, viewer, event.maker)
                )
            case "show":
                to = about["to"]
                assert isinstance(to, list)
                return to == ["all"] or (viewer != SPECTATOR and self.game.players[viewer] in to)
            case "shuffle" | "swap":
                zones = about["zones"]
                assert isinstance(zones, list)
                return any(sight.how_many(sight.zones[each], slots, viewer) for each in zones)
            case "roll" | "pick" if "name" in about:
                return sight.variable(*sight.named[str(about["name"])], slots, viewer)
            case "roll" | "pick":
                return sight.in_zone(sight.zones[str(about["zone"])], slots, viewer)
        return False
