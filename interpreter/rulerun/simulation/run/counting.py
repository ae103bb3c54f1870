"""Which rules ran: a reference executor that counts.

Assumes: a checked `Game`.
Does: plays it with a `Reference` that counts instructions where they are dispatched, the ways of a
question where it is answered, and functions where they are evaluated. An instruction that rests
for luck and goes on is counted once.
Leaves behind: `reached`, `arms` and `called` as in `batch.Tally`.

The rules themselves count a function: its body is put behind a table of one column that is looked
up first and notes the call. So the executor plays the same way.

A function counts if a rule that runs evaluates it: an instruction, a question, and at the end the
scoring, `returns` among it. What viewers ask (who sees what, a view, the text of a question, a
hint) and what is asked to check the rules (an invariant) does not count, with any executor.

What a question supposes (`value after PROC(…)`) has not run: of it functions count, no instruction.

How often a function was evaluated depends on the executor (a scoring or a question may be asked
twice, a search is remembered): only whether it was evaluated at all can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, cast

from rulerun.reference.choices import Offer, Question
from rulerun.reference.evaluate import Evaluator
from rulerun.reference.executor import Reference
from rulerun.runtime.batch import Tally, arms
from rulerun.runtime.components import Components
from rulerun.runtime.index import GameIndex
from rulerun.runtime.play import Operation, Play
from rulerun_dsl import model
from rulerun_dsl.model import Choose, Game
from rulerun_dsl.model.valuetypes import Bool, Int


class Counting:
    """A reference executor of a game, and what it has counted."""

    def __init__(self, game: Game, build: Callable[[Game], Reference] | None = None) -> None:
        """Compile the game with counters in it; `build` makes the executor, which tells nothing."""
        self.reached = [0] * len(game.code)
        self.arms = [0] * len(arms(game))
        self.called = [0] * len(game.functions)
        noting = _noting(game, self.called)
        self.executor = Reference(noting, events=False) if build is None else build(noting)
        ways: dict[int, dict[int, int]] = {}
        for number, arm in enumerate(arms(game)):
            ways.setdefault(arm.instruction, {})[arm.to] = number
        machine = self.executor.machine
        # What viewers ask is no rule that ran: their conditions are those of the game itself.
        tables = GameIndex(game)
        machine.visibility.evaluator = Evaluator(tables, Components(tables))
        machine.steps = [
            self._counted(step, at, ways.get(at)) for at, step in enumerate(machine.steps)
        ]
        for at in ways:
            if isinstance(game.code[at], Choose):
                counted = _Answered(machine.questions[at], ways[at], self.arms)
                machine.questions[at] = cast(Question, counted)

    def _counted(self, step: Operation, at: int, ways: dict[int, int] | None) -> Operation:
        reached, taken = self.reached, self.arms

        def alone(play: Play) -> int:
            # Luck that has fallen is given to the instruction that waited for it.
            if play.given is None and not play.supposed:
                reached[at] += 1
            return step(play)

        def forking(play: Play) -> int:
            reached[at] += not play.supposed
            to = step(play)
            way = ways.get(to) if ways is not None else None
            if way is not None and not play.supposed:
                taken[way] += 1
            return to

        return alone if ways is None else forking

    def give(self, tally: Tally) -> None:
        """Add to a tally what was counted since the last time."""
        for mine, theirs in (
            (self.reached, tally.reached),
            (self.arms, tally.arms),
            (self.called, tally.called),
        ):
            for at, count in enumerate(mine):
                if count:
                    theirs[at] += count
            # The closures hold these very lists.
            mine[:] = [0] * len(mine)
        for question in self.executor.machine.questions.values():
            question.forget()


class _Answered:
    """A question whose answers are counted. One that answers itself is counted where it stands."""

    def __init__(self, question: Question, ways: dict[int, int], taken: list[int]) -> None:
        self._question = question
        self._ways = ways
        self._taken = taken

    def __getattr__(self, name: str) -> Any:
        return getattr(self._question, name)

    def take(self, play: Play, offer: Offer, player: int) -> int:
        to = self._question.take(play, offer, player)
        self._taken[self._ways[to]] += 1
        return to


# ----------------------------------------------------------------------------- functions that note


class _Noting:
    """A column of ones that counts how often each of its places is looked up."""

    def __init__(self, counts: list[int]) -> None:
        self._counts = counts

    def __len__(self) -> int:
        return len(self._counts)

    def __iter__(self) -> Iterator[int]:
        return iter([1] * len(self._counts))

    def __getitem__(self, at: int) -> int:
        self._counts[at] += 1
        return 1


def _noting(game: Game, counts: list[int]) -> Game:
    """The game with each function noting that it is evaluated: `BODY if noted[N] else BODY`."""
    noted = cast("tuple[int | None, ...]", _Noting(counts))
    functions = []
    for number, function in enumerate(game.functions):
        span, body = function.span, function.body
        place = model.Literal(Int(number, number), span, number)
        note = model.Lookup(Bool(), span, "evaluated", noted, (place,), (0,), (1,))
        noting = model.Conditional(body.type, body.span, note, body, body)
        functions.append(replace(function, body=noting))
    return replace(game, functions=tuple(functions))
