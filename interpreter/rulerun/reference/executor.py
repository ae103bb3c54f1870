"""The reference executor: it walks the code of the model, and what it does is what the rules mean.

Assumes: a checked `Game`.
Does: runs a state from an input to the next rest, instruction by instruction. Between calls it
keeps what was offered last and what might fall, since who asks takes one of it next.
Leaves behind: states at rest: every control stack stands at a question or at a chance with two
outcomes or more, or the game is over and nothing is left of them.

In a `together` each player who takes part has a control stack of their own. It begins as a copy of
the game's, since the block may read the names around it. All run until they rest; the last one
done closes it, and the game's own stack goes on.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rulerun.reference.budget import Budget
from rulerun.reference.canonical import Canonical
from rulerun.reference.choices import Offer, Question
from rulerun.reference.machine import Machine
from rulerun.reference.refusing import Refuser
from rulerun.reference.scoring import Scoring
from rulerun.runtime.closures import fresh_registers
from rulerun.runtime.executor import (
    CHANCE,
    Chance,
    Decision,
    Event,
    IllegalInput,
    Input,
    Outcome,
    Refusal,
    RuleError,
    Step,
    Verdict,
    Waiting,
)
from rulerun.runtime.play import RESULT, TOGETHER, Play
from rulerun.runtime.signals import OPEN, OVER, PART_DONE, REST
from rulerun.runtime.state import State
from rulerun_dsl import model
from rulerun_dsl.model import Expression, Game


class Reference:
    """What runs a game, by the letter of the model."""

    def __init__(self, game: Game, events: bool = True, budget: Budget | None = None) -> None:
        """Compile the game. Without `events` steps tell nothing, and are quicker."""
        self.game = game
        self.events = events
        self.machine = Machine(game, budget)
        self.scoring = Scoring(self.machine.evaluator)
        self.canonical = Canonical(self.machine)
        self.refuser = Refuser(self.machine)
        self._last: tuple[State, Waiting, list[Offer]] | None = None
        self._fell: tuple[State, tuple[Outcome, ...]] | None = None

    # ------------------------------------------------------------------------------- asking

    def waiting(self, state: State) -> tuple[Waiting, ...]:
        """Whose input is wanted: nobody (over), `CHANCE` alone, or players in seat order."""
        slots = state.slots
        if slots[RESULT]:
            return ()
        found = []
        for frame in self._resting(slots):
            base, at = self._where(slots, frame)
            if self.machine.lots(at) is not None:
                return (Waiting(CHANCE, frame, at),)
            player = self.machine.questions[at].asked(slots, base, self._registers())
            found.append(Waiting(player, frame, at))
        return tuple(sorted(found, key=lambda each: each.player))

    def legal(self, state: State, player: int) -> tuple[int, ...]:
        """The action ids that `player` may take now, ascending; () if not asked."""
        for each in self.waiting(state):
            if each.player == player and player != CHANCE:
                return tuple(offer.action for offer in self._offers(state, each))
        return ()

    def outcomes(self, state: State) -> tuple[Outcome, ...]:
        """The chance outcomes now possible, by ascending id; () if luck is not asked."""
        waiting = self.waiting(state)
        if not waiting or waiting[0].player != CHANCE:
            return ()
        last = self._fell
        if last is not None and last[0] is state and self.machine.evaluator.budget.silent:
            return last[1]
        play = self._play(state, None)
        play.enter(waiting[0].frame)
        lots = self.machine.lots(waiting[0].instruction)
        assert lots is not None
        possible = lots(play)
        found = tuple(Outcome(each.id, each.weight, each.text) for each in possible)
        self._fell = state, found
        return found

    def refusal(self, state: State, given: Input) -> Refusal | None:
        """Why `given` would be refused now; None if it would not."""
        waiting = self.waiting(state)
        if not waiting:
            return Refusal("over", "the game is over")
        if isinstance(given, Chance):
            if any(given.outcome == each.id for each in self.outcomes(state)):
                return None
            if waiting[0].player != CHANCE:
                return Refusal("not_your_turn", "no chance outcome is wanted now")
            return Refusal("unknown_action", f"no outcome {given.outcome} is possible now")
        asked = next((each for each in waiting if each.player == given.player), None)
        if asked is None or given.player == CHANCE:
            return Refusal("not_your_turn", "it is not for you to decide now")
        if not 0 <= given.action < self.game.number_of_actions:
            return Refusal("unknown_action", f"there is no action {given.action}")
        if any(offer.action == given.action for offer in self._offers(state, asked)):
            return None
        return self.refuser.why(state.slots, asked, given.action)

    def verdict(self, state: State) -> Verdict | None:
        """How the game ended; None while it runs."""
        if not state.slots[RESULT]:
            return None
        return self.judged(state)

    def judged(self, state: State) -> Verdict:
        """How the game would have ended, were it over. Raises `RuleError`."""
        return self.scoring.verdict(state.slots, self._registers())

    def ask(self, state: State, expression: Expression, registers: Iterable[Any] = ()) -> Any:
        """The value of an expression in a state; the first registers as given."""
        run = self.machine.evaluator.compile(expression)
        whole = [*registers]
        whole += [None] * (self.game.registers - len(whole) + 2)
        return run(state.slots, self.game.layout.base, whole)

    # ------------------------------------------------------------------------------ running

    def initial(self) -> Step:
        """The state at the first rest, and what happened in set-up until then."""
        play = Play(self.game, self.machine.beginning(), [] if self.events else None)
        self._run(play, self.game.procedures[0].entry)
        return self._step(play)

    def apply(self, state: State, given: Input) -> Step:
        """The next rest. Raises `IllegalInput` or `RuleError`; `state` is never changed."""
        waiting = self.waiting(state)
        if isinstance(given, Decision):
            for each in waiting:
                if each.player == given.player != CHANCE:
                    for offer in self._offers(state, each):
                        if offer.action == given.action:
                            return self._decided(state, each, offer)
        elif waiting and waiting[0].player == CHANCE:
            if any(given.outcome == each.id for each in self.outcomes(state)):
                play = self._play(state, [] if self.events else None)
                play.given = given.outcome
                return self._go_on(play, waiting[0].frame, waiting[0].instruction)
        refusal = self.refusal(state, given)
        assert refusal is not None
        raise IllegalInput(refusal)

    def take(self, state: State, given: Decision) -> Step:
        """The next rest after a decision that is known to be legal. Raises as `apply` does."""
        for each in self.waiting(state):
            if each.player == given.player:
                base, at = self._where(state.slots, each.frame)
                question = self._question(at)
                offer = question.offer(given.action, state.slots, base, self._registers())
                if offer is not None:
                    return self._decided(state, each, offer)
        return self.apply(state, given)

    def _decided(self, state: State, asked: Waiting, offer: Offer) -> Step:
        play = self._play(state, [] if self.events else None)
        play.enter(asked.frame)
        question = self.machine.questions[asked.instruction]
        to = question.take(play, offer, asked.player)
        return self._go_on(play, asked.frame, to)

    def _go_on(self, play: Play, frame: int, at: int) -> Step:
        play.enter(frame)
        play.slots[play.base] = 0
        self._run(play, at)
        return self._step(play)

    def begin(self, play: Play, at: int) -> Step:
        """Run a play that somebody prepared, from an instruction of the game's own stack."""
        return self._go_on(play, 0, at)

    def _run(self, play: Play, at: int) -> None:
        """Run the control stack that is entered, and what follows from it, until all rest."""
        with self.machine.evaluator.budget.anew():
            self._run_on(play, at)

    def _run_on(self, play: Play, at: int) -> None:
        while True:
            at = self._until_signal(play, at)
            if play.slots[RESULT]:
                self._over(play)
                # Scoring that fails stops the input that ends the game, not a later question.
                self.scoring.verdict(play.slots, self._registers())
                return
            if at == REST:
                return
            if at == OPEN:
                self._open(play)
            else:
                assert at == PART_DONE
                layout = self.game.layout
                play.slots[play.base : play.base + layout.frame] = [0] * layout.frame
            if any(True for _ in self._resting(play.slots)):
                return
            at = self._close(play)

    def _until_signal(self, play: Play, at: int) -> int:
        """Run until the control stack rests, ends its part, opens a `together` or ends the game."""
        steps, budget = self.machine.steps, self.game.steps
        last, count = at, play.steps
        try:
            while at >= 0:
                last = at
                count += 1
                if count > budget:
                    span = self.game.code[at].span
                    message = f"more than {budget} steps without a decision"
                    raise RuleError("steps", message, span, ())
                at = steps[at](play)
            play.steps = count
        except RuleError as error:
            raise self.machine.control.led_to(error, play, last) from None
        if at != OVER:
            play.slots[play.base] = 0 if at == PART_DONE else 1 + last
        return at

    # ----------------------------------------------------------------------------- together

    def _open(self, play: Play) -> None:
        """Begin the `together` at which the game's stack rests; run each part to its rest."""
        layout, slots = self.game.layout, play.slots
        at = slots[play.base] - 1
        node = self.game.code[at]
        assert isinstance(node, model.TogetherStart)
        try:
            players = sorted(set(self.machine.together[at](slots, play.base, play.registers)))
        except RuleError as error:
            raise self.machine.control.led_to(error, play, at) from None
        start, end = layout.live
        slots[layout.shadow : layout.shadow + end - start] = slots[start:end]
        slots[TOGETHER] = 1 + at
        whole = slots[play.base : play.base + layout.frame]
        for player in players:
            play.enter(1 + player)
            slots[play.base : play.base + layout.frame] = whole
            slots[play.base + node.variable.offset] = player
        for player in players:
            play.enter(1 + player)
            slots[play.base] = 0
            if self._until_signal(play, node.body) == PART_DONE:
                slots[play.base : play.base + layout.frame] = [0] * layout.frame

    def _close(self, play: Play) -> int:
        """All parts are done: where the game's stack goes on."""
        layout, slots = self.game.layout, play.slots
        at = slots[TOGETHER] - 1
        node = self.game.code[at]
        assert isinstance(node, model.TogetherStart)
        start, end = layout.live
        shadow = slice(layout.shadow, layout.shadow + end - start)
        before = [*slots[:start], *slots[shadow], *slots[end:]]
        slots[shadow] = [0] * (end - start)
        slots[TOGETHER] = 0
        play.enter(0)
        slots[play.base] = 0
        self.machine.parting.decided(play, before, at)
        self.machine.differences.tell(play, before)
        self.machine.log.everybody(play, "together_end", "all have decided", {})
        return node.done

    # ---------------------------------------------------------------------------- the state

    def _over(self, play: Play) -> None:
        """The game has ended: nothing is left of control stacks, waiting calls and shadow."""
        layout, slots = self.game.layout, play.slots
        self.machine.control.restart_all(slots)
        slots[layout.queue :] = [0] * (len(slots) - layout.queue)
        slots[TOGETHER] = 0
        self.machine.log.everybody(play, "end", "the game is over", {})

    def _step(self, play: Play) -> Step:
        self.canonical.sort(play)
        return Step(State(tuple(play.slots)), tuple(play.events or ()))

    def _play(self, state: State, events: list[Event] | None) -> Play:
        return Play(self.game, list(state.slots), events)

    def _registers(self) -> list[Any]:
        return fresh_registers(self.game)

    def _where(self, slots: Any, frame: int) -> tuple[int, int]:
        """Where a frame begins, and the instruction at which it rests."""
        base = self.game.layout.base + frame * self.game.layout.frame
        return base, slots[base] - 1

    def _resting(self, slots: Any) -> Iterable[int]:
        """The frames that rest, ascending: the game's, or inside a `together` the players'."""
        if not slots[TOGETHER]:
            yield 0
            return
        for frame in range(1, self.game.layout.frames):
            if slots[self.game.layout.base + frame * self.game.layout.frame]:
                yield frame

    def _offers(self, state: State, asked: Waiting) -> list[Offer]:
        last = self._last
        if last is not None and last[0] is state and last[1] == asked:
            return last[2]
        base, at = self._where(state.slots, asked.frame)
        offers = self._question(at).offers(state.slots, base, self._registers())
        self._last = state, asked, offers
        return offers

    def _question(self, at: int) -> Question:
        return self.machine.questions[at]
