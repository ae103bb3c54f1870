"""Plays that a search goes along: from any state, by machine code where that is to be had.

Assumes: a checked `Game`.
Does: stands a play at a state, says whether a `together` is open, and plays a game to its end at
random: luck by its weights, everybody any legal action.
Leaves behind: plays that change in place (`executors.stepper`), and what an end is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from importlib.util import find_spec
from threading import Thread
from typing import Any, Protocol

from rulerun.compiled.lower.builder import Unsupported
from rulerun.compiled.python.executor import Bailout, PythonExecutor
from rulerun.executors.stepper import TERMINAL, PythonStepper, StateStepper, Stepper
from rulerun.reference.executor import Reference
from rulerun.runtime.executor import CHANCE, IllegalInput, RuleError
from rulerun.runtime.play import TOGETHER
from rulerun.runtime.recent import Recent
from rulerun.runtime.rng import Quick, Stream
from rulerun.runtime.state import State
from rulerun.search.utility import Utility, lined, packed, shares
from rulerun_dsl.model import Game


class Plays(Protocol):
    """Where the plays of a search come from. Whichever they are, they go the same way."""

    def at(self, state: State) -> Stepper:
        """A play that stands at a state."""

    def is_together(self, play: Any) -> bool:
        """Whether a `together` is open."""

    def cells(self, play: Any) -> bytes:
        """The slots of a play, packed: the same bytes for the same slots, whichever plays."""

    def ending(self, play: Any) -> Sequence[Fraction | int]:
        """What the end at which a play stands is worth by the rules, exactly: by player.

        The declared returns; without them a share of the win (a game that nobody wins is shared by
        all).
        """

    def finish(self, play: Any, luck: Stream, utility: Utility) -> list[float] | None:
        """Play on to the end at random, the play itself or a copy: what that is worth.

        None if a rule error or the bound on decisions stops it.
        """

    def worth(self, play: Any, utility: Utility) -> list[float]:
        """What the end is worth at which a play stands."""

    def points(self, play: Any, utility: Utility) -> list[float]:
        """By how many points each is ahead, were the game over where a play stands."""


AUTO = "auto"
"""The best plays that are ready: machine code is made in the background meanwhile."""
PATIENCE = 0.7
"""Seconds for which machine code is waited for before plays in Python begin."""


def plays_for(game: Game, name: str = "python") -> Plays:
    """Plays by an executor, or by the next best one that can run the game. They are shared."""
    if name == AUTO:
        return _AUTO.of(game).best()
    if name == "native":
        found = _NATIVE.of(game)
        if found is not None:
            return found
    return (_REFERENCE if name == "reference" else _PYTHON).of(game)


class SteppedPlays:
    """Plays in Python."""

    def __init__(self, game: Game, name: str) -> None:
        """Compile the game to Python, if that can be done."""
        self._bound = game.decisions
        made = lined(game)
        self._lined = made is not None
        self._returns = game.scoring.returns is not None
        self._players = len(game.players)
        game = made or game
        self._python: PythonExecutor | None = None
        if name != "reference":
            try:
                self._python = PythonExecutor(game, events=False)
            except Unsupported:
                pass
        self._reference = Reference(game, events=False)

    def at(self, state: State) -> Stepper:
        """A play that stands at a state."""
        if self._python is None:
            return StateStepper(self._reference, state)
        return PythonStepper.at(self._python, state)

    def is_together(self, play: Any) -> bool:
        """Whether a `together` is open."""
        if isinstance(play, PythonStepper):
            return play.is_together()
        return bool(play.state().slots[TOGETHER])

    def cells(self, play: Any) -> bytes:
        """The slots of a play."""
        return packed(play.state().slots)

    def ending(self, play: Any) -> Sequence[Fraction | int]:
        """What the end is worth by the rules."""
        verdict = play.verdict()
        if self._returns:
            if not self._lined:
                verdict = self._reference.verdict(play.state())
                return [] if verdict is None else verdict.returns
            return [total or 0 for total in verdict.totals]
        return shares([player in verdict.winners for player in range(self._players)])

    def finish(self, play: Any, luck: Stream, utility: Utility) -> list[float] | None:
        """Play on to the end at random, as machine code does."""
        key = luck.word() >> 1
        streams = [Quick(key, 0, number) for number in range(1 + utility.players)]
        left = self._bound or -1
        try:
            while (who := play.who()) != TERMINAL:
                choices = play.legal()
                if who == CHANCE:
                    play.apply(choices[streams[0].weighted(play.weights())])
                    continue
                if not left:
                    return None
                left -= 1
                play.apply(choices[streams[1 + who].below(len(choices))])
        except (IllegalInput, RuleError, Bailout):
            return None
        return self.worth(play, utility)

    def worth(self, play: Any, utility: Utility) -> list[float]:
        """What the end is worth."""
        return utility.of_verdict(play.verdict(), self._lined)

    def points(self, play: Any, utility: Utility) -> list[float]:
        """By how many points each is ahead."""
        verdict = self._reference.judged(play.state())
        return utility.ahead([total or 0 for total in verdict.totals])


class _Tiers:
    """Plays in Python until those in machine code are made."""

    def __init__(self, game: Game) -> None:
        self._python = _PYTHON.of(game)
        self._native: list[Plays | None] = []
        if find_spec("llvmlite") is not None:
            # Whichever plays there are, they go the same way: nobody can tell when these come in.
            made = Thread(target=lambda: self._native.append(_NATIVE.of(game)), daemon=True)
            made.start()
            made.join(PATIENCE)

    def best(self) -> Plays:
        """The best that is ready."""
        found = self._native[0] if self._native else None
        return found or self._python


def _native(game: Game) -> Plays | None:
    from rulerun.compiled.native.executor import Missing
    from rulerun.search.native_plays import NativePlays

    try:
        return NativePlays(game)
    except (Missing, Unsupported, Bailout):
        return None


_NATIVE = Recent(_native, 8)
_PYTHON = Recent(lambda game: SteppedPlays(game, "python"), 8)
_AUTO = Recent(_Tiers, 8)
_REFERENCE = Recent(lambda game: SteppedPlays(game, "reference"), 8)
