"""The place from which a player thinks: what they see, and worlds that may be the true one.

Assumes an executor and a state at which a player decides; inside an open `together` also the state
in which it opened, and what the player has done in it since.
Does: shows the player what they see, and deals worlds: states that look the same to them. What is
hidden is dealt anew (`resample`); inside a `together`, where others' parts are a secret, a world
begins where the `together` began and follows the player's own part alone.
Leaves behind no way to the true state: an agent is handed this and luck of its own, no more.

A world is *dealt*: it holds all that the player sees and knows to lie somewhere, but how play came
there is not asked. So it may be one that no history leads to. What the rules hold of counted kinds
is not dealt anew (`resample`): there a world is as the truth is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from rulerun.runtime.executor import Decision, Executor, IllegalInput, Input, RuleError
from rulerun.runtime.play import TOGETHER
from rulerun.runtime.rng import Stream
from rulerun.runtime.state import State
from rulerun.views.observe import Observation, observe
from rulerun.views.player_view import PlayerView
from rulerun.views.resample import Deal, deal_anew
from rulerun_dsl.model import Game

Move = tuple[int, Input, State]
"""Which control stack took an input, what it was, and the state it led to."""
Past = tuple[State, Sequence[Move]]
"""Where a play began, and its inputs, with every secret."""
Read = TypeVar("Read")
TRIES = 20
"""Worlds that are dealt for one that fits."""


class Vantage:
    """What a thinking player is handed for one decision."""

    __slots__ = (
        *("__executor", "__followed", "__past", "__start", "__state"),
        *("game", "legal", "viewer"),
    )

    def __init__(
        self,
        executor: Executor,
        state: State,
        viewer: int,
        legal: tuple[int, ...],
        opened: State | None = None,
        followed: Sequence[Input] = (),
        past: Past | None = None,
    ) -> None:
        """Look as `viewer`, who may take one of `legal`.

        `opened`: where the `together` that is open began; `followed`: the inputs of the viewer's
        own part of it since; `past`: how play came here, if that is known.
        """
        self.game: Game = executor.game
        self.viewer = viewer
        self.legal = legal
        self.__executor = executor
        self.__state = state
        self.__start = state if opened is None else opened
        self.__followed = tuple(followed)
        self.__past = past

    def observation(self) -> Observation:
        """What the player sees."""
        return observe(self.__executor, self.__state, self.viewer)

    def worlds(self, luck: Stream) -> Iterator[State]:
        """Yield worlds without end, each dealt by itself; none if none can be found.

        In each the player may do just what they may do in truth.
        """
        view = PlayerView(self.game, _closed(self.__start), self.viewer)
        hidden = Deal(view)
        failed = 0
        while failed < TRIES:
            world = self._followed(hidden.anew(luck))
            if world is None:
                failed += 1
                continue
            failed = 0
            yield world

    def beginning(self, luck: Stream) -> tuple[State, tuple[int, ...]]:
        """Return a world where the open `together` began, and the player's own actions in it since.

        Outside of any it is a world of now, and no action. Whether the player could have acted so
        in that world is not asked: where nothing is hidden there is one world only.
        """
        view = PlayerView(self.game, _closed(self.__start), self.viewer)
        own = tuple(each.action for each in self.__followed if isinstance(each, Decision))
        return _opened(self.game, deal_anew(view, luck), self.__start), own

    def past(self, reader: Callable[[Executor, Past, int], Read]) -> Read | None:
        """What a reader makes of how play came here; None if that is not known.

        The reader is to take from it no more than the player knows: `posterior` does.
        """
        if self.__past is None:
            return None
        return reader(self.__executor, self.__past, self.viewer)

    def _followed(self, world: State) -> State | None:
        """The world after the player's own part; None if it cannot have gone so."""
        state = _opened(self.game, world, self.__start)
        try:
            for given in self.__followed:
                state = self.__executor.apply(state, given).state
            legal = self.__executor.legal(state, self.viewer)
        except (IllegalInput, RuleError):
            return None
        return state if legal == self.legal else None


def opening(game: Game, state: State) -> tuple[int, ...]:
    """What stays the same while one `together` is open; () if none is."""
    slots, layout = state.slots, game.layout
    if not slots[TOGETHER]:
        return ()
    first, last = layout.live
    shadow = slots[layout.shadow : layout.shadow + last - first]
    return (slots[TOGETHER], *shadow, *slots[layout.base : layout.base + layout.frame])


class Follower:
    """Goes along a play, and knows where the `together` began that is open."""

    def __init__(self, executor: Executor, state: State) -> None:
        """Begin at a state that rests."""
        self.executor = executor
        self._initial = state
        self._path: list[Move] = []
        self._begin(state, opening(executor.game, state))

    def _begin(self, state: State, key: tuple[int, ...]) -> None:
        self._key, self._opened = key, state
        self._followed: list[tuple[int, Input]] = []

    def took(self, frame: int, given: Input, state: State) -> None:
        """An input was taken by a control stack, and led to a state."""
        self._path.append((frame, given, state))
        key = opening(self.executor.game, state)
        if not key or key != self._key:
            self._begin(state, key)
        else:
            self._followed.append((frame, given))

    def vantage(self, state: State, player: int, legal: tuple[int, ...]) -> Vantage:
        """From where a player thinks who is asked now."""
        past = self._initial, tuple(self._path)
        if not self._key:
            return Vantage(self.executor, state, player, legal, past=past)
        own = [given for frame, given in self._followed if frame == 1 + player]
        return Vantage(self.executor, state, player, legal, self._opened, own, past)


def vantage_behind(
    executor: Executor, initial: State, path: Sequence[Move], player: int
) -> Vantage:
    """From where a player thinks behind a path.

    `path`: by input which control stack took it, what it was, and the state it led to.
    """
    follower, state = Follower(executor, initial), initial
    for frame, given, state in path:
        follower.took(frame, given, state)
    return follower.vantage(state, player, executor.legal(state, player))


def _closed(state: State) -> State:
    """The state as if no `together` were open: there nobody has done anything in it yet."""
    if not state.slots[TOGETHER]:
        return state
    slots = list(state.slots)
    slots[TOGETHER] = 0
    return State(tuple(slots))


def _opened(game: Game, world: State, start: State) -> State:
    """A world with the `together` open again that was open at the start."""
    if not start.slots[TOGETHER]:
        return world
    slots = list(world.slots)
    first, last = game.layout.live
    shadow = game.layout.shadow
    slots[TOGETHER] = start.slots[TOGETHER]
    slots[shadow : shadow + last - first] = slots[first:last]
    return State(tuple(slots))
