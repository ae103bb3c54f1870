"""Law 5, whole histories: two plays that differ only where a viewer cannot look.

Assumes a walk.
Does: at some input that the viewer did not make (luck, somebody else's choice) lets a *twin* of the
play go another way, then lets both go on alike. Another way is, where possible, what the same
player (or luck) did later in the walk, which is then done now: so the twin soon comes to where the
viewer sees the same. As long as the viewer was given the same bytes since the beginning, everything
that they are given next must be the same: what they see, what they are asked, what they may do, how
they are refused, whether they may take something back.
Leaves behind the first difference that no declaration allows.

What a viewer is given is a row of items (`views.recall`): what they did, were told, saw. Where the
items of the two plays part in what was told, both are run again from where they parted and compared
with what the viewer saw and was declared between (`tracing`): equal traces give equal told lists.
Where they part in what is seen at rest, that is allowed if the declarations show the two states
apart; it is not allowed if they show the same zones and variables and yet another question, other
actions, or somebody else who is asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from rulerun.laws.tracing import told_apart
from rulerun.laws.trajectory import Found, Walk, inputs_at, some, text_of
from rulerun.runtime import actions
from rulerun.runtime.executor import CHANCE, Chance, Decision, Input, RuleError
from rulerun.runtime.play import TOGETHER
from rulerun.runtime.rng import Stream
from rulerun.runtime.state import State
from rulerun.views.observe import SPECTATOR, observe, refuse
from rulerun.views.recall import TOGETHER_END, Recall

TWINS = 5
"""Twins of a walk for each viewer."""
EXCHANGED = 2
"""Inputs that come later in the walk and are tried in another's place."""
SOON = 40
"""So far on in the walk they are looked for."""
TRIES = 2
"""Other ways tried at an input, besides."""
MOST_STEPS = 60
"""Inputs that a twin goes on for."""
MOST_REFUSALS = 6


@dataclass
class Twin:
    """A play that went another way, and what the viewer was given in it."""

    forked: int
    """The state of the walk from which it went another way."""
    state: State
    recall: Recall
    inputs: list[Input]
    decisions: int
    """How many were taken outside any `together`: who is asked is public there, so these are."""


def look(walk: Walk) -> Iterator[Found]:
    """Look for what tells a viewer apart what they may not."""
    for viewer in walk.viewers:
        yield from _Viewer(walk, viewer).look()


class _Viewer:
    """One walk, as one viewer was given it."""

    def __init__(self, walk: Walk, viewer: int) -> None:
        self.walk = walk
        self.viewer = viewer
        self.executor = walk.executor
        self.game = walk.game
        self.recalls = walk.recalls(viewer)
        self.items = self.recalls[-1].known.items
        self.decisions = [0]
        """By state: how many decisions were taken outside any `together`."""
        for state, given in zip(walk.states, walk.inputs, strict=False):
            self.decisions.append(self.decisions[-1] + _openly(given, state))
        self.places: dict[tuple[int, int], list[int]] = {}
        """By number of items and decisions: the states in which the viewer had just these items."""
        for at, recall in enumerate(self.recalls):
            if not walk.by_chance(at):
                key = len(recall.known.items), self.decisions[at]
                self.places.setdefault(key, []).append(at)

    def look(self) -> Iterator[Found]:
        luck = self.walk.luck("twins", self.viewer)
        forks = [
            at
            for at, given in enumerate(self.walk.inputs[: len(self.walk.steps)])
            if not self._mine(given)
        ]
        for at in some(luck.shuffled(forks), self.walk.few(TWINS), luck):
            for given, script in self._ways(at, luck):
                found, lived = self._live(at, given, script, luck)
                if found is not None:
                    yield found
                    return
                if lived:
                    break

    def _ways(self, at: int, luck: Stream) -> Iterator[tuple[Input, list[Input]]]:
        """Other ways to go from a state, each with what is to follow."""
        given, rest = self.walk.inputs[at], self.walk.inputs[at + 1 :]
        others = [
            each
            for each in inputs_at(self.executor, self.walk.states[at])
            if not self._mine(each) and each != given
        ]
        later = [
            number
            for number, each in enumerate(rest[:SOON])
            if each in others and _who(each) == _who(given)
        ]
        for number in luck.shuffled(later)[:EXCHANGED]:
            yield rest[number], [*rest[:number], given, *rest[number + 1 :]]
        for each in luck.shuffled(others)[:TRIES]:
            yield each, list(rest)

    def _mine(self, given: Input) -> bool:
        return isinstance(given, Decision) and given.player == self.viewer

    # ------------------------------------------------------------------------------- a twin

    def _live(
        self, at: int, given: Input, script: list[Input], luck: Stream
    ) -> tuple[Found | None, bool]:
        """Let a twin go another way from state `at`; what is wrong, and whether it lived."""
        inputs = list(self.walk.inputs[:at])
        twin = Twin(at, self.walk.states[at], self.recalls[at], inputs, self.decisions[at])
        lived = False
        for _ in range(MOST_STEPS):
            had = len(twin.recall.known.items)
            try:
                step = self.executor.apply(twin.state, given)
            except RuleError:
                return None, lived  # law 3 has something to say of it
            twin.recall = twin.recall.extended(self.executor, given, step)
            twin.decisions += _openly(given, twin.state)
            twin.state = step.state
            twin.inputs.append(given)
            parting = self._parting(twin, had)
            if parting is not None:
                return self._judged(twin, parting), lived
            lived = True
            wrong = self._compared(twin, luck)
            if wrong is not None:
                return wrong, lived
            following = self._following(twin, script, luck)
            if following is None or self._met(twin):
                break
            given = following
        return None, lived

    def _met(self, twin: Twin) -> bool:
        """Whether the twin has come to a state of the walk again: nothing differs from here on."""
        places = self.places.get((len(twin.recall.known.items), twin.decisions), ())
        return any(
            twin.state == self.walk.states[at] and twin.recall.held == self.recalls[at].held
            for at in places
        )

    def _parting(self, twin: Twin, had: int) -> int | None:
        """The first item at which the twin and the walk part, of those that are new."""
        for number, item in enumerate(twin.recall.known.items[had:], start=had):
            if number >= len(self.items) or self.items[number] != item:
                return number
        return None

    def _following(self, twin: Twin, script: list[Input], luck: Stream) -> Input | None:
        """The next input of the twin: as in the walk, as far as it can be."""
        waiting = self.executor.waiting(twin.state)
        had = len(twin.recall.known.items)
        if not waiting or had >= len(self.items):
            return None
        possible = list(inputs_at(self.executor, twin.state))
        mine = [each for each in possible if self._mine(each)]
        if self.items[had].startswith('["did"') and mine:
            wanted = next((each for each in script if self._mine(each)), None)
            if wanted not in possible:
                return None
            script.remove(wanted)
            return wanted
        hidden = [each for each in possible if not self._mine(each)]
        for number, each in enumerate(script):
            if each in hidden:
                del script[number]
                return each
        return hidden[luck.below(len(hidden))] if hidden else None

    # ------------------------------------------------------------------------------ judging

    def _judged(self, twin: Twin, number: int) -> Found | None:
        """Whether a viewer may tell the two plays apart at an item."""
        items = twin.recall.known.items
        if number >= len(self.items):
            return None
        at = next(at for at, each in enumerate(self.recalls) if len(each.known.items) > number)
        ours, other = json.loads(self.items[number]), json.loads(items[number])
        if ours[0] == other[0] == "told" and ours[1::2] == other[1::2]:
            return at, (
                f"{self._name()} is told `{ours[2]}` or `{other[2]}` though neither says so as data"
            )
        if "told" in (ours[0], other[0]):
            apart = self._told_apart(twin, at)
            if apart is not None:
                return at, (
                    f"{self._name()} is told `{apart[0]}` and not `{apart[1]}`, with nothing that "
                    f"they see or are declared to account for it: {self._apart(twin, at)}"
                )
        if not ours[0] == other[0] == "saw" or self.decisions[at] != twin.decisions:
            return None
        sight = self.walk.table.sight
        mine = observe(self.executor, self.walk.states[at], self.viewer).data()
        theirs = observe(self.executor, twin.state, self.viewer).data()
        views = (sight.view(each.slots, self.viewer) for each in (self.walk.states[at], twin.state))
        if len(set(views)) > 1:
            return None
        # How a game ended is for all to know, whatever decided it.
        parts = [key for key in mine if mine[key] != theirs[key] and key != "result"]
        if not parts:
            return None
        name = self._name()
        return at, (
            f"{name} is given the same so far and then {' and '.join(map(_otherwise, parts))}, "
            f"because of what is hidden from them: {self._apart(twin, at)}"
        )

    def _told_apart(self, twin: Twin, at: int) -> tuple[str, str] | None:
        """What is told in one of the two plays though the viewer's traces are equal, as texts."""
        tracer = self.walk.table.tracer
        if tracer is None:
            return None
        fork = twin.forked
        state, held = self.walk.states[fork], self.recalls[fork].held
        traces = (
            tracer.trace(state, inputs[fork:], self.viewer, held)
            for inputs in (self.walk.inputs[:at], twin.inputs)
        )
        return told_apart(*traces)

    def _compared(self, twin: Twin, luck: Stream) -> Found | None:
        """Compare the channels where both plays rest and the viewer was given the same."""
        waiting = self.executor.waiting(twin.state)
        if waiting and waiting[0].player == CHANCE:
            return None
        places = self.places.get((len(twin.recall.known.items), twin.decisions))
        if not places:
            return None
        seen = observe(self.executor, twin.state, self.viewer)
        for at in dict.fromkeys((places[0], places[-1])):
            state = self.walk.states[at]
            looked = observe(self.executor, state, self.viewer)
            if looked.done != seen.done:
                continue
            name = self._name()
            if looked.text() != seen.text():
                return at, f"{name} sees what is hidden from them: {self._apart(twin, at)}"
            if self.viewer == SPECTATOR:
                return None
            if self.executor.legal(state, self.viewer) != self.executor.legal(
                twin.state, self.viewer
            ):
                return at, f"{name} may do something else: {self._apart(twin, at)}"
            for action in self._tried(luck):
                one = refuse(self.executor, state, self.viewer, action)
                other = refuse(self.executor, twin.state, self.viewer, action)
                if one != other:
                    text = actions.text(self.game, action)
                    return at, (
                        f"{name} is refused `{text}` otherwise "
                        f"({one.message if one else 'not at all'} / "
                        f"{other.message if other else 'not at all'}): {self._apart(twin, at)}"
                    )
            if not luck.below(4) and not self._same_undo(twin, at):
                return at, f"{name} may take back otherwise: {self._apart(twin, at)}"
            return None
        return None

    def _tried(self, luck: Stream) -> list[int]:
        return some(list(range(min(self.game.number_of_actions, 4096))), MOST_REFUSALS, luck)

    def _same_undo(self, twin: Twin, at: int) -> bool:
        answers: list[list[object]] = []
        for inputs in (self.walk.inputs[:at], twin.inputs):
            session = self.walk.session()
            for given in inputs:
                session.give(given)
            answers.append([session.log(self.viewer)])
            everybody = frozenset(range(self.game.people))
            for bots in (frozenset[int](), everybody - {self.viewer}):
                session.bots = bots
                why = session.why_no_undo(self.viewer)
                answers[-1].append(why and (why.code, str(why)))
        return answers[0] == answers[1]

    # -------------------------------------------------------------------------------- words

    def _name(self) -> str:
        return "a spectator" if self.viewer == SPECTATOR else self.game.players[self.viewer]

    def _apart(self, twin: Twin, at: int) -> str:
        """Where the twin went another way."""
        state = self.walk.initial.state
        texts = []
        for number, given in enumerate(twin.inputs):
            same = number < at and self.walk.inputs[number] == given
            if not same:
                texts.append(text_of(self.executor, state, given))
            state = self.executor.apply(state, given).state
        return f"in a play with `{'; '.join(texts)}`"


def _who(given: Input) -> int:
    """Who made an input."""
    return given.player if isinstance(given, Decision) else CHANCE


def _openly(given: Input, state: State) -> bool:
    """Whether an input is a decision outside any `together`."""
    return isinstance(given, Decision) and not state.slots[TOGETHER]


def _otherwise(part: str) -> str:
    return {
        "asked": "somebody else is asked",
        "actions": "may do something else",
        "question": "reads another question",
        "zones": "knows something else of the zones",
    }.get(part, f"sees another `{part}`")


def waits(walk: Walk) -> Iterator[Found]:
    """Law 6: who waits in a `together` sees nothing of what others do.

    Nobody looks while luck is asked: it falls at once.
    """
    for viewer in walk.viewers:
        before: str | None = None
        for at, state in enumerate(walk.states):
            if not state.slots[TOGETHER]:
                before = None
                continue
            acted = at and _by(walk.inputs[at - 1], walk, at - 1, viewer)
            if at and any(event.word == TOGETHER_END for event in walk.steps[at - 1].events):
                before = None  # another one has begun
            if walk.by_chance(at):
                before = None if acted else before
                continue
            seen = observe(walk.executor, state, viewer).text()
            if before is not None and not acted and seen != before:
                name = "a spectator" if viewer == SPECTATOR else walk.game.players[viewer]
                yield at, f"{name} waits, and sees that `{walk.texts[at - 1]}`"
                return
            before = seen


def _by(given: Input, walk: Walk, at: int, viewer: int) -> bool:
    """Whether an input is the viewer's, or luck's in the viewer's block."""
    if isinstance(given, Chance):
        return walk.waiting[at][0].frame == viewer + 1
    return given.player == viewer
