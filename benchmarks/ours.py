"""rulerun's side: its engines, each with its two ways to play, and the worker that serves one.

Assumes: rulerun importable (the environment that runs the benchmarks). As a worker: `ENGINE MODE
GAME` as arguments; MODE is `whole` or `stepped`, GAME the JSON of `games.Shared.ours`.
Does: plays whole batches (`Batch.play`), or steps from Python: who is asked, what is legal, choose,
apply, as the peers' loops do.
Leaves behind: answers to `workers.lines`.

`engines` is the one place where an engine is plugged in. Below it is what any of them is used by.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.workers.lines import Counted, Sample, serve
from rulerun import __version__
from rulerun.compiled.python.batch import PythonBatch
from rulerun.executors.stepper import TERMINAL, PythonStepper, StateStepper, Stepper, stepper
from rulerun.reference.executor import Reference
from rulerun.runtime.batch import Played
from rulerun.runtime.executor import CHANCE, Chance, Decision, Executor
from rulerun.runtime.rng import key_of
from rulerun.runtime.state import State
from rulerun.simulation.run.stepping import Stepping
from rulerun_dsl.load import load
from rulerun_dsl.model import Game

RULESETS = Path(__file__).parents[1] / "rulesets"
NAMES = ("reference", "python", "native")
MODES = ("whole", "stepped")


class Missing(Exception):
    """This engine is not there, or cannot play this game."""


Whole = Callable[[int, int, int], Sequence[Played]]
"""`Batch.play`: the games from `first` on, so many, of a key."""
Once = Callable[[], tuple[int, Stepper]]
"""Steps one game from Python, with luck of its own: its decisions, and the play that is over."""


@dataclass(frozen=True, slots=True)
class Engine:
    """One executor, ready to play one game."""

    name: str
    whole: Whole
    once: Once
    count: Callable[[int, int, int], Counted] | None = None
    """As `whole`, but only counting, for an engine that has a cheaper way to do so."""


def engines(game: Game) -> dict[str, Callable[[], Engine]]:
    """By name, how each engine is made ready for a game. Plug new ones in here.

    A maker may raise `Missing` (or `ImportError`): the run then says "not measured".
    """
    return {
        "reference": lambda: by_reference(game),
        "python": lambda: by_python(game),
        "native": lambda: by_native(game),
    }


def by_reference(game: Game) -> Engine:
    """The reference executor."""
    executor = Reference(game, events=False)
    return Engine("reference", Stepping(executor).play, lambda: stepped(StateStepper(executor)))


def by_python(game: Game) -> Engine:
    """The executor of generated Python."""
    batch = PythonBatch(game, Stepping(Reference(game, events=False)))
    begun = stepper(game, "python")
    if isinstance(begun, StateStepper):
        raise Missing("the python executor cannot run it")
    return Engine("python", batch.play, lambda: stepped(begun.clone()))


def by_native(game: Game) -> Engine:
    """The executor of machine code: whole games counted in it, plays of its own builtin type."""
    from rulerun.compiled.native.batch import NativeBatch

    batch = NativeBatch(game, Stepping(Reference(game, events=False)))
    begun = stepper(game, "native")
    if isinstance(begun, StateStepper | PythonStepper):
        raise Missing("the native executor cannot run it")

    def count(key: int, first: int, many: int) -> Counted:
        played, _, decisions, _ = batch.count(key, first, many)
        if played != many:
            raise Missing("some games were given up")
        return Counted(many, decisions)

    return Engine("native", batch.play, lambda: stepped(begun.clone()), count)


# ------------------------------------------------------------------------- on any executor


def stepped(play: Stepper) -> tuple[int, Stepper]:
    """One game, stepped: the loop is the one that the peers are stepped with."""
    draw = random.random
    decisions = 0
    while (who := play.who()) != TERMINAL:
        choices = play.legal()
        if who == CHANCE:
            play.apply(_fallen(choices, play.weights(), draw()))
            continue
        play.apply(choices[int(draw() * len(choices))])
        decisions += 1
    return decisions, play


def _fallen(choices: Sequence[int], weights: Sequence[int], share: float) -> int:
    left = share * sum(weights)
    for choice, weight in zip(choices, weights, strict=True):
        left -= weight
        if left < 0:
            return choice
    return choices[-1]


def _returns(play: Stepper) -> tuple[float, ...]:
    verdict = play.verdict()
    assert verdict is not None
    return tuple(map(float, verdict.returns))


def perft(executor: Executor, depth: int) -> int:
    """How many sequences of `depth` inputs there are from the start."""
    return _below(executor, executor.initial().state, depth)


def _below(executor: Executor, state: State, depth: int) -> int:
    given = tuple(_inputs(executor, state))
    if depth == 1:
        return len(given)
    return sum(_below(executor, executor.apply(state, each).state, depth - 1) for each in given)


def _inputs(executor: Executor, state: State) -> Iterator[Decision | Chance]:
    for asked in executor.waiting(state)[:1]:
        if asked.player == CHANCE:
            yield from (Chance(each.id) for each in executor.outcomes(state))
        else:
            for action in executor.legal(state, asked.player):
                yield Decision(asked.player, action)


# ------------------------------------------------------------------------------- the worker


class Ours:
    """One engine in one mode, for `workers.lines`."""

    def __init__(self, engine: Engine, mode: str, game: Game) -> None:
        """Begin with game 0 of a key of this process."""
        self.engine = engine
        self.mode = mode
        self.game = game
        self.key = key_of(random.getrandbits(60))
        self.next = 0
        self.versions = {"rulerun": __version__}
        self.notes: list[str] = []
        self.caveat = ""

    def many(self, count: int) -> Counted:
        """Play some games in this mode."""
        if self.mode == "stepped":
            once = self.engine.once
            return Counted(count, sum(once()[0] for _ in range(count)))
        first, self.next = self.next, self.next + count
        if self.engine.count is not None:
            return self.engine.count(self.key, first, count)
        plays = self.engine.whole(self.key, first, count)
        return Counted(count, sum(each.decisions for each in plays))

    def sample(self, count: int) -> Sample:
        """Step some games and look at them: batches tell no returns."""
        sample = Sample()
        for _ in range(count):
            decisions, play = self.engine.once()
            sample.saw(decisions, _returns(play))
        return sample

    def perft(self, depth: int) -> int:
        """Count with the reference, which says what the others must do."""
        return perft(Reference(self.game, events=False), depth)

    def digest(self, request: dict[str, Any]) -> dict[str, str]:
        """A fingerprint of the first games of a seed: equal for all engines, in all they tell."""
        plays = self.engine.whole(key_of("benchmarks"), 0, request["games"])
        told = "\n".join(repr(each) for each in plays)
        return {"digest": hashlib.sha256(told.encode()).hexdigest()}


def load_game(told: str) -> Game:
    """The game of `games.Shared.ours`."""
    given = json.loads(told)
    loaded, found = load(RULESETS / f"{given['ruleset']}.yaml")
    if loaded is None:
        raise Missing("; ".join(each.message for each in found))
    game, found = loaded.game(given["players"], given["options"])
    if game is None:
        raise Missing("; ".join(each.message for each in found))
    return game


def make(name: str, mode: str, told: str) -> Ours:
    """An engine for a game, ready to serve."""
    game = load_game(told)
    makers = engines(game)
    if name not in makers:
        raise Missing(f"there is no executor `{name}` yet")
    return Ours(makers[name](), mode, game)


if __name__ == "__main__":
    engine_name, mode_name, game_told = sys.argv[1:]
    serve(lambda: make(engine_name, mode_name, game_told))
