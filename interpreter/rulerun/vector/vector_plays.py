"""Many plays of one game side by side, for learners: stepped at once, seen as arrays.

Assumes: a checked `Game`; numpy.
Does: takes an action in each play, lets luck fall until somebody decides, says who that is and what
they may do; writes what they see (`encoding`). In machine code where that is to be had, else in
Python: the plays go the same way.
Leaves behind: arrays, which the next step changes in place.

    plays, seen = VectorPlays(game, 1024, seed=7), None
    while training:
        seen = plays.observe(out=seen)              # (1024, columns)
        plays.step(policy(seen, plays.legal))       # (1024,) actions; any legal: plays.sample()
        learn(plays.over, plays.returns)            # of the games that this step ended

A game that is over stays as it is for one step, so that its end can be seen; the next step begins
another, whatever action it is given. With `same_step` the step that ends one begins the next. Luck
is that of the seed and of the number of the game.
"""

from __future__ import annotations

from collections.abc import Collection
from operator import index
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulerun.compiled.ir.program import Unsupported
from rulerun.compiled.native.objects import Missing
from rulerun.compiled.python.executor import Bailout
from rulerun.executors.stepper import TERMINAL
from rulerun.runtime.rng import key_of
from rulerun.vector.encoding import Encoding
from rulerun.vector.seeing import write_columns
from rulerun.vector.stepped_many import LEGAL, PythonMany, Stepped
from rulerun_dsl.model import Game

Number = TypeVar("Number", bound=np.generic)
EXECUTORS = ("auto", "native", "python", "reference")


class VectorPlays:
    """Many plays of one game."""

    def __init__(
        self,
        game: Game,
        many: int,
        seed: int | str = 0,
        executor: str = "auto",
        without: Collection[str] = (),
        same_step: bool = False,
    ) -> None:
        """Begin so many plays.

        `executor`: `native`, `python`, `reference`, or `auto` for the best that there is.
        `without`: families of variables that are not observed. `same_step`: the step that ends a
        game begins the next one too; `over` and `returns` are of the one that ended. Raises
        `ValueError` for a number of plays below 1, a name of nothing, and a game in which nobody
        decides; `RuntimeError` if `native` cannot be had.
        """
        if many < 1:
            raise ValueError(f"{many} plays: there must be one at least")
        if not game.number_of_actions:
            raise ValueError(f"nobody decides anything in {game.name}: there is nothing to step")
        if executor not in EXECUTORS:
            raise ValueError(f"no executor {executor}; there are {', '.join(EXECUTORS)}")
        self.game = game
        self.many = many
        self.players = len(game.players)
        self.actions = game.number_of_actions
        self.encoding = Encoding(game, without)
        self._who = np.full(many, TERMINAL, dtype=np.int64)
        self.who = _shown(self._who)
        """By play, the player who decides now (the first, of several); -2 where a game is over."""
        self._marks = np.zeros((many, self.actions), dtype=np.uint8)
        self.legal: NDArray[np.bool_] = _shown(self._marks.view(np.bool_))
        """(plays, actions): what whoever decides may do; nothing where a game is over."""
        self._plays = self._made(executor, same_step)
        cell = np.int64 if self._plays.slots.itemsize == 8 else np.int32
        self._side = np.empty(self._plays.slots.T.shape, dtype=cell)
        self.reset(seed)

    @property
    def slots(self) -> NDArray[np.signedinteger]:
        """(plays, slots): the states themselves, with everything that is hidden.

        Numbers of Python where a set is larger than a number of 64 bits.
        """
        return _shown(self._plays.slots)

    @property
    def over(self) -> NDArray[np.bool_]:
        """By play, whether its game is over, or (`same_step`) was ended by the last step."""
        found: NDArray[np.bool_] = (self.who == TERMINAL) | self._plays.ended()
        return found

    @property
    def returns(self) -> NDArray[np.float64]:
        """(plays, players): what a game that is `over` is worth; 0 where it is not."""
        return _shown(self._plays.returns)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Refuse to be copied: memory that machine code works in is not."""
        raise TypeError("many plays are neither copied nor sent to processes: make them there")

    def reset(self, seed: int | str = 0) -> None:
        """Begin all plays anew."""
        self._plays.restart(key_of(seed if isinstance(seed, str) else index(seed)))
        self._plays.step(np.zeros(self.many, dtype=np.int64))

    def step(self, actions: ArrayLike) -> None:
        """Take an action in each play; where a game is over another begins.

        `actions`: (plays,) whole numbers; a play that is given `STAY` stays as it is. Raises
        `ValueError` if one is not legal, before anything is done; `RuntimeError` where the rules go
        wrong.
        """
        given = whole(actions, self.many)
        play = self._plays.step(given)
        if play != LEGAL:
            may = np.flatnonzero(self.legal[play])
            raise ValueError(
                f"play {play}: action {given[play]} is not legal now; {_some(may)} may be taken"
            )

    def sample(self, out: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """(plays,): in each play one of the legal actions, each as likely as the others.

        0 where a game is over. Drawn by the seed: what is drawn once is not drawn again.
        `out`: where to write them, (plays,) numbers of 64 bits that stand side by side.
        """
        if out is None:
            out = np.empty(self.many, dtype=np.int64)
        elif not _takes(out, np.int64, (self.many,)) or not out.flags.c_contiguous:
            raise ValueError(f"no room for actions: {self.many} numbers of type int64, in a row")
        self._plays.sample(out)
        return out

    def drop(self, which: NDArray[np.bool_]) -> None:
        """Break games off, worth nothing: by play, whether its next step begins another."""
        if which.dtype != np.bool_ or which.shape != (self.many,):
            raise ValueError(f"there are {self.many} plays: say of each whether it is broken off")
        self._plays.drop(which)
        self._marks[which] = 0

    def observe(
        self, viewer: int | None = None, out: NDArray[np.int32] | None = None
    ) -> NDArray[np.int32]:
        """(plays, columns): what a player sees; left out, whoever decides (player 0 at an end).

        `out`: an array that this gave before, to be written once more. Raises `ValueError`.
        """
        if viewer is not None:
            if not 0 <= viewer < self.players:
                raise ValueError(f"no player {viewer}: they have numbers below {self.players}")
        shape = (self.many, len(self.encoding.columns))
        if out is None:
            out = np.empty(shape, dtype=np.int32, order="F")
        elif not _takes(out, np.int32, shape):
            raise ValueError(f"no room for what is seen: {shape} numbers of type int32")
        viewers = np.maximum(self.who, 0) if viewer is None else np.full(self.many, viewer)
        write_columns(self.encoding, self._states(), viewers, self.who, out.T)
        return out

    def _states(self) -> NDArray[np.signedinteger]:
        """(slots, plays): what is looked at for all plays stands side by side."""
        held = self._plays.slots
        if held.dtype == object:
            return held.T.copy()
        np.copyto(self._side, held.T)
        return self._side

    def _made(self, executor: str, same_step: bool) -> Stepped:
        if executor in ("auto", "native"):
            try:
                from rulerun.vector.native_many import NativeMany

                return NativeMany(self.game, self._who, self._marks, same_step)
            except (Unsupported, Bailout, Missing) as failure:
                if executor == "native":
                    mend = (
                        " (pip install 'rulerun[native]')" if isinstance(failure, Missing) else ""
                    )
                    why = f"no machine code of {self.game.name}: {failure}{mend}"
                    raise RuntimeError(why) from None
        return PythonMany(self.game, self._who, self._marks, same_step, executor)


def whole(actions: ArrayLike, many: int) -> NDArray[np.int64]:
    """Actions as an array of whole numbers, one for each play. Raises `ValueError`."""
    given = np.asarray(actions)
    if given.shape != (many,):
        raise ValueError(f"there are {many} plays: {given.shape} is not an action for each")
    if given.dtype.kind not in "iu":
        raise ValueError(f"actions are whole numbers, not {given.dtype}")
    if given.dtype == np.int64:
        return np.ascontiguousarray(given)
    # What no number of 64 bits holds is no action either.
    least, most = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    fits: NDArray[np.int64] = np.where((given < 0) | (given <= most), given, least).astype(np.int64)
    return np.ascontiguousarray(fits)


def _shown(array: NDArray[Number]) -> NDArray[Number]:
    """The same numbers, which nobody but the plays writes."""
    found = array.view()
    found.flags.writeable = False
    return found


def _takes(out: NDArray[Any], type_: type[np.generic], shape: tuple[int, ...]) -> bool:
    """Whether an array has room for such numbers."""
    return out.dtype == type_ and out.shape == shape and out.flags.writeable


def _some(actions: NDArray[np.int64]) -> str:
    shown = ", ".join(map(str, actions[:8].tolist()))
    return f"{shown} and {len(actions) - 8} more" if len(actions) > 8 else shown
