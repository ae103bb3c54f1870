"""Sums over many games: whole numbers only, which come out the same in whatever order they add up.

Assumes: games that were played (`batch.Played`) and what was tallied of them.
Does: counts results, places, scores line by line, lengths, actions, and which rules ran; keeps the
numbers of the first few games that did not come to their end.
Leaves behind: `Totals`, and the same as data for a line of JSON.

A batch may hand over a million games a second, so it is counted column by column: equal values
first, then what is in each different one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import field
from operator import attrgetter
from typing import Any

from rulerun.runtime.batch import Played, PlayedTable, Tally
from rulerun.simulation.stats.choice_sums import Choices, whole
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import slotted

EXAMPLES = 3
"""The numbers of so many games are kept of each way not to come to the end."""

Counts = Counter[int]


@slotted
class Totals:
    """What many games of one game came to."""

    players: int
    lines: int
    tally: Tally
    games: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    """By `Played.end`."""
    examples: dict[str, list[int]] = field(default_factory=dict)
    """By `Played.end`, except for "": the lowest numbers of such games, ascending."""
    winners: Counts = field(default_factory=Counter)
    """By mask of the winners; as all that follows, of games that came to their end."""
    places: list[Counts] = field(default_factory=list)
    """By player, by place."""
    scores: list[Counts] = field(default_factory=list)
    """By player, by total; empty without a scoring of lines."""
    parts: list[list[Counts]] = field(default_factory=list)
    """By player and line, by value."""
    decisions: Counts = field(default_factory=Counter)
    """By length."""
    inputs: Counts = field(default_factory=Counter)
    options: int = 0
    """Legal actions, added up over all decisions of all games."""
    asked: int = 0
    """Decisions of all games."""
    covered: int = 0
    """How many of the games were counted with coverage."""
    choices: Choices | None = None
    """What was chosen; None where nobody's choices are counted."""

    @classmethod
    def of(cls, game: Game, coverage: bool = False) -> Totals:
        """Of no games yet."""
        players, lines = len(game.players), len(game.scoring.lines)
        totals = cls(players, lines, Tally.of(game, coverage))
        totals.places = [Counter() for _ in range(players)]
        if lines:
            totals.scores = [Counter() for _ in range(players)]
            totals.parts = [[Counter() for _ in range(lines)] for _ in range(players)]
        return totals

    @property
    def ended(self) -> int:
        """How many games came to their end."""
        return self.ends[""]

    def wins(self, player: int) -> int:
        """How many games a player won, alone or with others."""
        return sum(many for mask, many in self.winners.items() if mask >> player & 1)

    # -------------------------------------------------------------------------------- adding up

    def count(self, played: Sequence[Played], tally: Tally) -> None:
        """Add games, and what was tallied of them."""
        self.games += len(played)
        self.covered += len(played) if tally.reached else 0
        self._tally(tally)
        if isinstance(played, PlayedTable):
            self._count_columns(played)
            return
        self.options += sum(map(attrgetter("options"), played))
        self.asked += sum(map(attrgetter("decisions"), played))
        ends = Counter(map(attrgetter("end"), played))
        self.ends.update(ends)
        if len(ends) > 1 or "" not in ends:
            for each in played:
                if each.end:
                    self._example(each.end, (each.number,))
            played = [each for each in played if not each.end]
        self.winners.update(map(attrgetter("winners"), played))
        self.decisions.update(map(attrgetter("decisions"), played))
        self.inputs.update(map(attrgetter("inputs"), played))
        for places, many in Counter(map(attrgetter("places"), played)).items():
            for player, place in enumerate(places):
                self.places[player][place] += many
        if self.lines and played:
            self._count_lines(list(map(attrgetter("lines"), played)))

    def _count_columns(self, played: PlayedTable) -> None:
        """The same of games that all came to their end, without a look at any by itself."""
        if not len(played):
            return
        decisions = played.decisions
        self.ends[""] += len(played)
        self.options += sum(played.options)
        self.asked += sum(decisions)
        self.decisions.update(decisions)
        self.inputs.update(played.inputs)
        players = range(self.players)
        results = zip(*map(played.won, players), *map(played.place, players), strict=True)
        for result, many in Counter(results).items():
            won, places = result[: self.players], result[self.players :]
            self.winners[sum(1 << at for at, each in enumerate(won) if each)] += many
            for player, place in enumerate(places):
                self.places[player][place] += many
        for player, scores, parts in zip(players, self.scores, self.parts, strict=False):
            for at, part in enumerate(parts):
                part.update(played.line(player, at))
            scores.update(played.total(player))

    def _count_lines(self, lines: Sequence[tuple[tuple[int, ...], ...]]) -> None:
        """Add what the scoring gave, by player and line."""
        different = Counter(lines)
        if 4 * len(different) < len(lines):
            for each, many in different.items():
                for values, scores, parts in zip(each, self.scores, self.parts, strict=True):
                    scores[sum(values)] += many
                    for value, part in zip(values, parts, strict=True):
                        part[value] += many
            return
        # Where hardly two games score alike, it is the columns that repeat.
        for column, scores, parts in zip(
            zip(*lines, strict=True), self.scores, self.parts, strict=True
        ):
            scores.update(map(sum, column))
            for values, part in zip(zip(*column, strict=True), parts, strict=True):
                part.update(values)

    def add(self, other: Totals) -> None:
        """Add what was counted elsewhere."""
        self.games += other.games
        self.covered += other.covered
        self.options += other.options
        self.asked += other.asked
        self.ends.update(other.ends)
        for end, numbers in other.examples.items():
            self._example(end, numbers)
        for mine, theirs in zip(self._counters(), other._counters(), strict=True):
            mine.update(theirs)
        self._tally(other.tally)
        if other.choices is not None:
            self.choices = self.choices or Choices.of(self.players)
            self.choices.add(other.choices)

    def _tally(self, other: Tally) -> None:
        """Add a tally. One without coverage adds nothing to what is covered."""
        if other.reached and not self.tally.reached:
            for name in ("reached", "arms", "called"):
                setattr(self.tally, name, [0] * len(getattr(other, name)))
        for name in ("offered", "taken", "reached", "arms", "called"):
            added = getattr(self.tally, name)
            for at, many in enumerate(getattr(other, name)):
                if many:
                    added[at] += many

    def _example(self, end: str, numbers: Iterable[int]) -> None:
        kept = {*self.examples.get(end, ()), *numbers}
        self.examples[end] = sorted(kept)[:EXAMPLES]

    def _counters(self) -> list[Counts]:
        parts = [part for parts in self.parts for part in parts]
        return [self.winners, self.decisions, self.inputs, *self.places, *self.scores, *parts]

    # --------------------------------------------------------------------------------- as data

    def data(self) -> dict[str, Any]:
        """The same for a line of JSON; what is nothing is left out."""
        data: dict[str, Any] = {
            "games": self.games,
            "covered": self.covered,
            "options": self.options,
            "asked": self.asked,
            "ends": dict(sorted(self.ends.items())),
            "examples": dict(sorted(self.examples.items())),
            "counts": [sorted(counter.items()) for counter in self._counters()],
        }
        for name in ("offered", "taken", "reached", "arms", "called"):
            data[name] = [[at, many] for at, many in enumerate(getattr(self.tally, name)) if many]
        if self.choices is not None:
            data["choices"] = self.choices.data()
        return data

    @classmethod
    def read(cls, game: Game, data: dict[str, Any]) -> Totals:
        """Read it again. Data that is none raises `ValueError`, `LookupError` or `TypeError`."""
        totals = cls.of(game, coverage=bool(data["covered"]))
        for name in ("games", "covered", "options", "asked"):
            setattr(totals, name, whole(data[name]))
        totals.ends.update({str(end): whole(many) for end, many in data["ends"].items()})
        for end, numbers in data["examples"].items():
            totals._example(str(end), map(whole, numbers))
        counters = totals._counters()
        for counter, pairs in zip(counters, data["counts"], strict=True):
            counter.update({whole(value): whole(many) for value, many in pairs})
        for name in ("offered", "taken", "reached", "arms", "called"):
            counted = getattr(totals.tally, name)
            for at, many in data[name]:
                counted[at] += whole(many)
        if "choices" in data:
            totals.choices = Choices.read(totals.players, data["choices"])
            if totals.choices.games != totals.ended:
                raise ValueError("the sums do not agree")
        if sum(totals.ends.values()) != totals.games or totals.winners.total() != totals.ended:
            raise ValueError("the sums do not agree")
        return totals
