"""Playing games by the batch: what is kept of a game that was played, and what is counted.

Assumes: a checked `Game`.
Does: names the streams of luck of each game of a batch, so that game `i` under a seed is the same
game in any order and with any executor; says what is kept of a game (`Played`), of many
as one table (`PlayedTable`), and what is added up over them (`Tally`).
Leaves behind: plain values. `simulation.run.stepping` and the compiled executors play batches.

How a game is played is part of the promise of a seed. At every rest: luck, if it is asked, falls by
stream 0: an outcome by its weight, outcomes in ascending order of their ids. Otherwise the first of
those who are waiting decides, by stream 1 + seat; a random player takes the legal action, in
ascending order of ids, at `below(number of legal actions)`. A decision beyond the declared number
is not taken, and luck has a bound (`luck_bound`).
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import field
from typing import Protocol, overload

from rulerun.runtime.control import onward
from rulerun.runtime.recent import Recent
from rulerun_dsl import model
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen, slotted


@frozen
class Played:
    """One game of a batch."""

    number: int
    """Which game of the seed it is, from 0."""
    winners: int
    """Bit mask of the players who won; 0 if nobody did, or if the game did not come to its end."""
    places: tuple[int, ...]
    """By player, as in `Verdict.places`; () if it did not come to its end."""
    lines: tuple[tuple[int, ...], ...]
    """By player, the value of each line of the scoring."""
    decisions: int
    inputs: int
    """Decisions and chance outcomes."""
    options: int
    """The number of legal actions, added up over all decisions."""
    end: str = ""
    """`""` if it came to its end, `truncated` (a decision beyond the declared number was asked
    for), else the code of the rule error that stopped it."""

    @property
    def totals(self) -> tuple[int, ...]:
        """By player, the sum of the lines."""
        return tuple(map(sum, self.lines))


class PlayedTable(Sequence[Played]):
    """Games that all came to their end, as one table of numbers.

    Machine code plays a million in a second: who only adds up takes columns, and no game is made
    an object of its own. A row of `numbers` is what `Played` says, in this order: `end` (0),
    `decisions`, `inputs`, `options`, then for each player the place, 1 if they won, and the value
    of each line.
    """

    def __init__(self, numbers: array[int], first: int, players: int, lines: int) -> None:
        """`first`: the number of the first game."""
        self._numbers = numbers
        self._first = first
        self.players = players
        self.lines = lines
        self._width = 2 + lines
        self._step = 4 + players * self._width

    @property
    def decisions(self) -> array[int]:
        """By game."""
        return self._column(1)

    @property
    def inputs(self) -> array[int]:
        """By game."""
        return self._column(2)

    @property
    def options(self) -> array[int]:
        """By game."""
        return self._column(3)

    def place(self, player: int) -> array[int]:
        """The place of a player, by game."""
        return self._column(4 + player * self._width)

    def won(self, player: int) -> array[int]:
        """1 where a player won, by game."""
        return self._column(5 + player * self._width)

    def line(self, player: int, line: int) -> array[int]:
        """What a line of the scoring gave a player, by game."""
        return self._column(6 + player * self._width + line)

    def total(self, player: int) -> Sequence[int]:
        """What the lines of the scoring gave a player all together, by game."""
        if self.lines == 1:
            return self.line(player, 0)
        lines = [self.line(player, at) for at in range(self.lines)]
        return list(map(sum, zip(*lines, strict=True)))

    @property
    def winners(self) -> Sequence[int]:
        """The bit mask of who won, by game."""
        masks: Sequence[int] = self.won(0)
        for player in range(1, self.players):
            bit = 1 << player
            won = self.won(player)
            masks = [mask | bit if one else mask for mask, one in zip(masks, won, strict=True)]
        return masks

    def _column(self, at: int) -> array[int]:
        return self._numbers[at :: self._step]

    def __len__(self) -> int:
        """How many games."""
        return len(self._numbers) // self._step

    @overload
    def __getitem__(self, at: int) -> Played: ...
    @overload
    def __getitem__(self, at: slice) -> list[Played]: ...
    def __getitem__(self, at: int | slice) -> Played | list[Played]:
        """One game, or several."""
        if isinstance(at, slice):
            return [self[each] for each in range(len(self))[at]]
        number = range(len(self))[at]
        row = self._numbers[number * self._step : (number + 1) * self._step]
        starts = range(4, self._step, self._width)
        return Played(
            self._first + number,
            sum(1 << player for player, start in enumerate(starts) if row[start + 1]),
            tuple(row[start] for start in starts),
            tuple(tuple(row[start + 2 : start + self._width]) for start in starts),
            row[1],
            row[2],
            row[3],
        )

    def __eq__(self, other: object) -> bool:
        """Whether the games are those of another sequence."""
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


@slotted
class Tally:
    """What is counted over many games."""

    offered: list[int]
    """By action: how often it was legal for who was asked."""
    taken: list[int]
    """By action: how often it was taken."""
    reached: list[int] = field(default_factory=list)
    """By instruction: how often it ran. Empty if coverage was not asked for."""
    arms: list[int] = field(default_factory=list)
    """By `Arm` of the game: how often play went on that way. Empty without coverage."""
    called: list[int] = field(default_factory=list)
    """By function: how often it was evaluated. Empty without coverage."""

    @classmethod
    def of(cls, game: Game, coverage: bool = False) -> Tally:
        """A tally of nothing yet."""
        actions = game.number_of_actions
        if not coverage:
            return cls([0] * actions, [0] * actions)
        return cls(
            [0] * actions,
            [0] * actions,
            [0] * len(game.code),
            [0] * len(arms(game)),
            [0] * len(game.functions),
        )


@frozen
class Arm:
    """One of the ways on from an instruction that has several."""

    instruction: int
    to: int
    """The instruction at which play goes on."""


def arms(game: Game) -> tuple[Arm, ...]:
    """All ways on of all instructions that have several, in the order of the code.

    A `together` is not a choice of ways. Of a question the ways are the lines it offers, and
    `else`, if it has one; two lines that lead to the same instruction are one way.
    """
    return _ARMS.of(game)


def _arms(game: Game) -> tuple[Arm, ...]:
    found = []
    for at, node in enumerate(game.code):
        ways = dict.fromkeys(onward(game, at))
        if len(ways) > 1 and not isinstance(node, model.TogetherStart):
            found += [Arm(at, to) for to in ways]
    return tuple(found)


_ARMS = Recent(_arms, 8)


@frozen
class Expected:
    """How many games are going to be played at most, as far as that is known."""

    plain: int
    covered: int
    """With coverage."""


class Batch(Protocol):
    """What plays games by the batch, all seats at random."""

    game: Game

    def play(
        self, key: int, first: int, count: int, tally: Tally | None = None
    ) -> Sequence[Played]:
        """Play the games `first` to `first + count - 1` of a key (`chance.key_of(seed)`).

        A rule error ends its own game, never the batch. What happened is added to `tally`;
        one with coverage is filled with it.
        """
