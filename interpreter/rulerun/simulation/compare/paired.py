"""Two games played side by side, and the sums from which their differences are computed.

Assumes: two games for the same number of players, and agents by seat.
Does: plays the same numbers of the same key with both, so that luck differs no more than the rules
do; where agents differ, game number `i` moves all of them on by `i` seats. Adds up the results of
each pair: sums, squares and products of whole numbers.
Leaves behind: `Pairs`, which add up in any order.

What is measured of one game (wins, scores, length) is paired game by game. How often actions are
used is known of a batch only, so it is paired by blocks, which are the same however a run is cut,
as long as no piece ends inside of one (`seats.largest_piece` is a multiple of `BLOCK`). Where
players think, each pair is a block, as it is a piece.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, mul

from rulerun.runtime import actions
from rulerun.runtime.batch import Batch, Expected, Played, PlayedTable, Tally
from rulerun.runtime.rng import key_of
from rulerun.simulation.run.schedule import Piece, step_at
from rulerun.simulation.run.seats import agents_of, batch_for, decide, think
from rulerun.simulation.stats.action_names import names_of
from rulerun.simulation.stats.moments import Moments
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen

BLOCK = 50
"""The most games of a block."""

Use = tuple[str, str]
"""The name of an action, and a value that is chosen with it ("": whatever)."""


@dataclass(slots=True)
class Pairs:
    """What many pairs of games came to."""

    games: int = 0
    both: int = 0
    """In how many of them both came to their end: of these is measured."""
    ends: tuple[Counter[str], Counter[str]] = field(default_factory=lambda: (Counter(), Counter()))
    wins: dict[int, Moments] = field(default_factory=dict)
    """By seat."""
    agents: dict[int, Moments] = field(default_factory=dict)
    """Wins by the seat for which an agent was named, wherever it sat."""
    nobody: Moments = field(default_factory=Moments)
    scores: dict[int, Moments] = field(default_factory=dict)
    """By seat, where both sides have a score."""
    decisions: Moments = field(default_factory=Moments)
    options: Moments = field(default_factory=Moments)
    crossed: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    """Products of options and decisions: of A, of B, A's options by B's decisions, and reverse."""
    blocks: int = 0
    block_squares: int = 0
    """The sizes of blocks, squared and added up."""
    uses: dict[Use, list[int]] = field(default_factory=dict)
    """Offered by A, taken by A, offered by B, taken by B; then over blocks the differences of what
    was taken squared, and times the size of the block."""

    def add(self, other: Pairs) -> None:
        """Add what was counted elsewhere."""
        for name in ("games", "both", "blocks", "block_squares"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for mine, theirs in zip(self.ends, other.ends, strict=True):
            mine.update(theirs)
        for name in ("wins", "agents", "scores"):
            by_seat = getattr(self, name)
            for seat, moments in getattr(other, name).items():
                by_seat.setdefault(seat, Moments()).add(moments)
        for name in ("nobody", "decisions", "options"):
            getattr(self, name).add(getattr(other, name))
        self.crossed = [one + two for one, two in zip(self.crossed, other.crossed, strict=True)]
        for use, sums in other.uses.items():
            held = self.uses.setdefault(use, [0] * len(sums))
            held[:] = [one + two for one, two in zip(held, sums, strict=True)]

    def count(
        self, ones: Sequence[Played], others: Sequence[Played], moved: int, agents: int
    ) -> None:
        """Add pairs of games, of which all `agents` sat `moved` seats on."""
        self.games += len(ones)
        for ends, played in zip(self.ends, (ones, others), strict=True):
            if isinstance(played, PlayedTable):
                ends[""] += len(played)
            else:
                ends.update(map(attrgetter("end"), played))
        if not (isinstance(ones, PlayedTable) and isinstance(others, PlayedTable)):
            pairs = zip(ones, others, strict=True)
            both = [(one, two) for one, two in pairs if not (one.end or two.end)]
            ones, others = [one for one, _ in both], [two for _, two in both]
        if not len(ones):
            return
        self.both += len(ones)
        left, right = _columns(ones), _columns(others)
        self._count_wins(left, right, moved, agents)
        for seat, totals in enumerate(zip(left.totals, right.totals, strict=False)):
            self.scores.setdefault(seat, Moments()).count(*totals)
        self.decisions.count(left.decisions, right.decisions)
        self.options.count(left.options, right.options)
        sides = left, right
        for at, (of, by) in enumerate(((0, 0), (1, 1), (0, 1), (1, 0))):
            self.crossed[at] += sum(map(mul, sides[of].options, sides[by].decisions))

    def _count_wins(self, left: _Columns, right: _Columns, moved: int, agents: int) -> None:
        for (one, two), many in Counter(zip(left.winners, right.winners, strict=True)).items():
            for seat in range(left.players):
                a, b = one >> seat & 1, two >> seat & 1
                found = Moments(a * many, b * many, a * many, b * many, a * b * many)
                self.wins.setdefault(seat, Moments()).add(found)
                if seat < agents:
                    # The agent named for seat 0 sits at seat `moved`.
                    home = (seat - moved) % agents
                    self.agents.setdefault(home, Moments()).add(found)
            a, b = int(not one), int(not two)
            self.nobody.add(Moments(a * many, b * many, a * many, b * many, a * b * many))

    def count_uses(self, games: int, taken: Sequence[dict[Use, tuple[int, int]]]) -> None:
        """Add a block: by side, how often each use was offered and taken."""
        self.blocks += 1
        self.block_squares += games * games
        one, two = taken
        for use in {**one, **two}:
            (offered_a, taken_a), (offered_b, taken_b) = one.get(use, _NEVER), two.get(use, _NEVER)
            more = taken_b - taken_a
            sums = self.uses.setdefault(use, [0] * 6)
            for at, value in enumerate(
                (offered_a, taken_a, offered_b, taken_b, more * more, more * games)
            ):
                sums[at] += value


_NEVER = (0, 0)


@frozen
class _Columns:
    """Games that came to their end, by what is measured of them."""

    players: int
    winners: Sequence[int]
    decisions: Sequence[int]
    options: Sequence[int]
    totals: Sequence[Sequence[int]]
    """By player; empty without a scoring of lines."""


def _columns(played: Sequence[Played]) -> _Columns:
    if isinstance(played, PlayedTable):
        scored = range(played.players if played.lines else 0)
        totals = [played.total(player) for player in scored]
        return _Columns(played.players, played.winners, played.decisions, played.options, totals)
    lines = played[0].lines
    return _Columns(
        len(played[0].places),
        [each.winners for each in played],
        [each.decisions for each in played],
        [each.options for each in played],
        list(zip(*(each.totals for each in played), strict=True)) if lines and lines[0] else [],
    )


# ------------------------------------------------------------------------------------- playing


@frozen
class Comparing:
    """The task of `compare`: pieces to pairs."""

    games: tuple[Game, Game]
    executor: str
    seats: tuple[tuple[int, str], ...]
    seed: int | str
    many: int = 0
    """How many pairs are to be played at most, as far as that is known."""
    known: tuple[str, str] = ("", "")
    """What names the games in the cache (`native.batch`)."""

    @property
    def swapped(self) -> bool:
        """Whether agents change their seats."""
        return len({agent for _, agent in self.seats}) > 1

    @property
    def thinking(self) -> bool:
        """Whether a game takes long."""
        return think(dict(self.seats))

    @property
    def stepped(self) -> bool:
        """Whether somebody decides."""
        return decide(dict(self.seats))

    @property
    def expected(self) -> Expected | None:
        """How many games are to be played of each side."""
        return Expected(self.many, 0) if self.many else None

    def is_ready(self) -> bool:
        """Whether machine code of both games is in the cache."""
        from rulerun.compiled.native.batch import is_ready

        return all(is_ready(known, self.expected) for known in self.known)

    def begin(self) -> Callable[[Piece], Pairs]:
        """Compile both games."""
        key, people = key_of(self.seed), len(self.seats)
        batches: dict[int, list[Batch]] = {}
        named = [_Uses(game) for game in self.games]

        def sides(moved: int) -> list[Batch]:
            if moved not in batches:
                seats = {(seat + moved) % people: agent for seat, agent in self.seats}
                batches[moved] = [
                    batch_for(
                        game,
                        self.executor,
                        agents_of(game, seats, self.executor),
                        expected=self.expected,
                        known=known,
                    )
                    for game, known in zip(self.games, self.known, strict=True)
                ]
            return batches[moved]

        def play(piece: Piece) -> Pairs:
            pairs = Pairs()
            for block in blocks(piece, 1 if self.thinking else BLOCK):
                tallies = [Tally.of(game) for game in self.games]
                for run in self._runs(block):
                    moved = run.first % people if self.swapped else 0
                    ones, others = (
                        batch.play(key, run.first, run.many, tally)
                        for batch, tally in zip(sides(moved), tallies, strict=True)
                    )
                    pairs.count(ones, others, moved, people if self.swapped else 0)
                uses = [each.of(tally) for each, tally in zip(named, tallies, strict=True)]
                pairs.count_uses(block.many, uses)
            return pairs

        return play

    def _runs(self, block: Piece) -> Iterator[Piece]:
        """Games that are played by the same agents at the same seats."""
        if self.swapped:
            for number in range(block.first, block.end):
                yield Piece(number, 1)
        else:
            yield block


def blocks(piece: Piece, most: int = BLOCK) -> Iterator[Piece]:
    """The blocks of a piece, of `most` games: they end at the same games however a run is cut.

    >>> list(blocks(Piece(90, 20)))[:2]
    [Piece(first=90, many=5), Piece(first=95, many=5)]
    """
    at = piece.first
    while at < piece.end:
        size = min(step_at(at), most)
        stop = min(piece.end, at - at % size + size)
        yield Piece(at, stop - at)
        at = stop


class _Uses:
    """What each action is a use of: its name, and each value that is chosen with it."""

    def __init__(self, game: Game) -> None:
        self._of: list[list[Use]] = []
        for name, type_ in zip(names_of(game), game.actions, strict=True):
            for action in range(type_.base, type_.base + type_.size):
                _, places = actions.split(game, action)
                values = {
                    domain.texts[place]
                    for domain, place in zip(type_.parameters, places, strict=True)
                }
                self._of.append([(name, ""), *((name, value) for value in sorted(values))])

    def of(self, tally: Tally) -> dict[Use, tuple[int, int]]:
        """How often each use was offered and taken."""
        found: dict[Use, tuple[int, int]] = {}
        for uses, offered, taken in zip(self._of, tally.offered, tally.taken, strict=True):
            if offered:
                for use in uses:
                    before = found.get(use, _NEVER)
                    found[use] = (before[0] + offered, before[1] + taken)
        return found
