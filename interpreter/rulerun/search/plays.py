"""Plays that a search goes along: from any state, by machine code where that is to be had.

Assumes: a checked `Game`.
Does: stands a play at a state, says which parts of a `together` are open, and plays a game to its
end at random: luck by its weights, everybody any legal action; has a tree grow from plays.
Leaves behind: plays that change in place (`executors.stepper`), and what an end is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from threading import Thread
from typing import Any, Protocol

from rulerun.compiled.ir.program import Unsupported
from rulerun.compiled.python.executor import Bailout, PythonExecutor
from rulerun.executors.make import AUTO, has_machine_code
from rulerun.executors.stepper import TERMINAL, PythonStepper, StateStepper, Stepper
from rulerun.reference.executor import Reference
from rulerun.reference.sight_sum import sight_sum
from rulerun.runtime.executor import CHANCE, IllegalInput, RuleError
from rulerun.runtime.play import TOGETHER
from rulerun.runtime.recent import Recent
from rulerun.runtime.rng import Quick, Stream
from rulerun.runtime.state import State
from rulerun.search.shared_sight import SharedSight, is_shared
from rulerun.search.tree_search import Choice, Tree
from rulerun.search.utility import Ends, Utility, has_fractions, lined, packed, shares
from rulerun.views.undo import hides
from rulerun_dsl.model import Game


class Plays(Protocol):
    """Where the plays of a search come from. Whichever they are, they go the same way."""

    def at(self, state: State) -> Stepper:
        """A play that stands at a state."""

    def parts(self, play: Any) -> int:
        """Which control stacks rest in the `together` that is open (bits); 0 if none is."""

    def cells(self, play: Any) -> bytes:
        """The slots of a play, packed: the same bytes for the same slots, whichever plays."""

    def ending(self, play: Any) -> Sequence[Fraction | int]:
        """What the end at which a play stands is worth by the rules, exactly: by player.

        The declared returns; without them a share of the win (a game that nobody wins is shared by
        all).
        """

    def worth(self, play: Any, utility: Utility) -> Ends:
        """What the end is worth at which a play stands."""

    def points(self, play: Any, utility: Utility) -> list[int]:
        """By how many points each is ahead, were the game over where a play stands."""

    def searched(
        self,
        worlds: Sequence[Any],
        iterations: int,
        luck: Stream,
        utility: Utility,
        viewer: int,
    ) -> Searched:
        """A tree grown from plays in turn, so many iterations in all, for who decides there."""


class Searched(Protocol):
    """A tree that has grown."""

    def choices(self, viewer: int, legal: Sequence[int]) -> list[Choice]:
        """What was found of the actions of its root, the best first."""

    def child(self, node: Any, player: int, action: int) -> Any:
        """The node behind what a player does at another (None: the root); None: there is none."""

    def tried(self, node: Any, player: int, action: int) -> int:
        """How often that was tried."""


QUICK = 50
"""Iterations that are not worth waiting for machine code: more take longer in Python."""


def plays_for(game: Game, name: str = "python", iterations: int = 0, known: str = "") -> Plays:
    """Plays by an executor, or by the next best one that can run the game. They are shared.

    `iterations`: how many are to be searched from them. `known`: what names the game in the cache.
    """
    if name == AUTO:
        return _AUTO.of(game, known).best(iterations > QUICK)
    if name == "native":
        found = _NATIVE.of(game, known)
        if found is not None:
            return found
    return (_REFERENCE if name == "reference" else _PYTHON).of(game)


def prepare(game: Game, name: str, known: str = "") -> None:
    """Begin to make what `plays_for` gives."""
    if name == AUTO:
        _AUTO.of(game, known)


class SteppedPlays:
    """Plays in Python."""

    def __init__(self, game: Game, name: str) -> None:
        """Compile the game to Python, if that can be done."""
        self._bound = game.decisions
        self._hides = hides(game)
        made = lined(game)
        self._lined = made is not None
        self._returns = game.scoring.returns is not None
        whole = made is not None and not has_fractions(game)
        self._exact = None if whole else Reference(game, events=False)
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

    def parts(self, play: Any) -> int:
        """Which control stacks rest in a `together`."""
        if isinstance(play, PythonStepper):
            return play.parts()
        return resting(self._reference.game, play.state().slots)

    def cells(self, play: Any) -> bytes:
        """The slots of a play."""
        return packed(play.state().slots)

    def ending(self, play: Any) -> Sequence[Fraction | int]:
        """What the end is worth by the rules."""
        verdict = play.verdict()
        if self._returns:
            if self._exact is not None:
                verdict = self._exact.verdict(play.state())
                return [] if verdict is None else verdict.returns
            return [total or 0 for total in verdict.totals]
        return shares([player in verdict.winners for player in range(self._players)])

    def finish(self, play: Any, streams: Sequence[Quick], utility: Utility) -> Ends | None:
        """Play on to the end at random, or to the cut, as machine code does."""
        left, until_cut = self._bound or -1, utility.cut or -1
        try:
            while (who := play.who()) != TERMINAL:
                if not until_cut:
                    return utility.of_verdict(self._reference.judged(play.state()), self._lined)
                until_cut -= 1
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

    def worth(self, play: Any, utility: Utility) -> Ends:
        """What the end is worth."""
        return utility.of_verdict(play.verdict(), self._lined)

    def searched(
        self,
        worlds: Sequence[Any],
        iterations: int,
        luck: Stream,
        utility: Utility,
        viewer: int,
    ) -> Tree:
        """A tree grown from plays."""
        sight = None
        if self._hides:
            sums = sight_sum(self._reference.game)
            slots = [world.state().slots for world in worlds]
            if is_shared(sums, slots, viewer, self._players):
                sight = SharedSight(sums, viewer)
        tree = Tree(self, luck, utility, sight)
        tree.grow(worlds, iterations)
        return tree

    def points(self, play: Any, utility: Utility) -> list[int]:
        """By how many points each is ahead."""
        verdict = self._reference.judged(play.state())
        return utility.ahead([total or 0 for total in verdict.totals])


def resting(game: Game, slots: Sequence[int]) -> int:
    """Which control stacks rest in the `together` that is open (bits); 0 if none is."""
    if not slots[TOGETHER]:
        return 0
    layout = game.layout
    starts = range(layout.base, layout.base + layout.frame * (1 + len(game.players)), layout.frame)
    return sum(1 << at for at, start in enumerate(starts) if at and slots[start])


class _Rising:
    """Plays in Python until those in machine code are there; better code is their own affair."""

    def __init__(self, game: Game, known: str = "") -> None:
        self._game = game
        self._known = known
        self._native: list[Plays | None] = []
        self._made: Thread | None = None
        if has_machine_code():
            # Whichever plays there are, they go the same way: nobody can tell when these come in.
            # It is no daemon: a process that ends while a thread is inside of LLVM crashes.
            self._made = Thread(target=self._make)
            self._made.start()

    def _make(self) -> None:
        # Python plays go on where there is no room for others, or no time before all ends.
        with suppress(RuntimeError, MemoryError):
            self._native.append(_NATIVE.of(self._game, self._known))

    def best(self, wait: bool) -> Plays:
        """The best that is ready; the best of all, if it is worth waiting for."""
        if wait and self._made is not None:
            self._made.join()
        found = self._native[0] if self._native else None
        return found or _PYTHON.of(self._game)


def _native(game: Game, known: str = "") -> Plays | None:
    from rulerun.compiled.native.executor import Missing
    from rulerun.search.native_plays import NativePlays

    try:
        return NativePlays(game, known)
    except (Missing, Unsupported, Bailout):
        return None


_NATIVE = Recent(_native, 8)
_PYTHON = Recent(lambda game: SteppedPlays(game, "python"), 8)
_AUTO = Recent(_Rising, 8)
_REFERENCE = Recent(lambda game: SteppedPlays(game, "reference"), 8)
