"""What was chosen where there was a choice, who won with it, and who led: sums of many games.

Assumes: games that came to their end, each noted decision by decision (`Course`).
Does: sums up each *use*: an action by its name, and by each value that is chosen with it, whichever
copy of a component it is. A use is counted at a decision if it is legal and something else is, too.
What is won is a share of the win, as a whole number of parts (`parts_of`). Sums over games are kept
with their squares and products, since what happens within one game hangs together.
Leaves behind: `Choices`, whole numbers only, which come out the same in whatever order they add up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from itertools import pairwise
from math import lcm
from typing import Any, NamedTuple

from rulerun.runtime import actions
from rulerun.simulation.stats.action_names import names_of
from rulerun.simulation.stats.moments import Moments
from rulerun_dsl.model import Domain, Game
from rulerun_dsl.model.valuetypes import Component
from rulerun_dsl.source.frozen import slotted

MILLION = 1_000_000
"""What would be taken if all actions were alike is counted in millionths of a decision."""
MOMENTS = (25, 50, 75)
"""Percent of the decisions of a game at which it is looked who leads."""

Counts = Counter[int]


class Use(NamedTuple):
    """An action by its name (`parameter` 0), or a value that is chosen with it."""

    name: str
    parameter: int
    """Which parameter, from 1."""
    value: str


def uses_of(game: Game) -> Callable[[int], tuple[Use, ...]]:
    """What makes the uses of an action, each once: its name, then the value of each parameter.

    The value of a component is its row, whichever copy it is; of several each is one.
    """
    names = names_of(game)
    rows = {kind.name: kind.rows for kind in game.kinds}
    known: dict[int, tuple[Use, ...]] = {}

    def found(action: int) -> tuple[Use, ...]:
        if action not in known:
            number, places = actions.split(game, action)
            domains = game.actions[number].parameters
            values = [
                Use(names[number], at, value)
                for at, (domain, place) in enumerate(zip(domains, places, strict=True), start=1)
                for value in _values(domain, place, rows)
            ]
            known[action] = tuple(dict.fromkeys((Use(names[number], 0, ""), *values)))
        return known[action]

    return found


def _values(domain: Domain, place: int, rows: dict[str, tuple[str, ...]]) -> Iterator[str]:
    if domain.element is not None:
        members = domain.multisets[place]
        if not members:
            yield domain.texts[place]
        for member in members:
            yield from _values(domain.element, member, rows)
    elif isinstance(domain.of, Component) and domain.size % len(rows[domain.of.kind]) == 0:
        of = rows[domain.of.kind]
        yield of[place // (domain.size // len(of))]
    else:
        yield domain.texts[place]


def parts_of(players: int) -> int:
    """Into how many parts a win is cut, so that any number of winners share it evenly."""
    return lcm(*range(1, players + 1))


@slotted
class Course:
    """One game, as it went: what `Choices.count` adds."""

    uses: list[dict[Use, list[int]]]
    """By player: how often each use was to be had, how often it was taken, and how often it would
    have been, all legal actions alike (millionths)."""
    decisions: list[int]
    """By player, of those whose choices are counted, as the next two."""
    forced: list[int]
    """With one legal action."""
    options: list[int]
    pauses: int = 0
    """How many decisions of anybody the table waited for: none that were forced, and of those in a
    `together`, which are made at one time, as many as who had most of them."""
    leaders: list[int] = field(default_factory=list)
    """By decision of anybody: who would have won alone, had the game been over there; -1: nobody,
    or several."""

    @classmethod
    def of(cls, players: int) -> Course:
        """A game that has not begun."""
        decisions, forced, options = ([0] * players for _ in range(3))
        return cls([{} for _ in range(players)], decisions, forced, options)


@slotted
class Used:
    """Sums over the games in which a use was to be had."""

    games: int = 0
    offered: Moments = field(default_factory=Moments)
    """In a game how often it was to be had, and how often it was taken."""
    alike: int = 0
    """How often it would have been taken, had all legal actions been alike, in millionths."""
    took_games: int = 0
    """Games in which somebody took it."""
    took: Moments = field(default_factory=Moments)
    """In a game how many players took it, and the parts of the win that they had."""
    never_games: int = 0
    never: Moments = field(default_factory=Moments)
    """The same of those who might have taken it and never did."""
    crossed: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    """Products of the two: players by players, players by parts, parts by players, parts by
    parts."""

    def add(self, other: Used) -> None:
        """Add what was counted elsewhere."""
        for name in ("games", "alike", "took_games", "never_games"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("offered", "took", "never"):
            getattr(self, name).add(getattr(other, name))
        self.crossed = [one + two for one, two in zip(self.crossed, other.crossed, strict=True)]

    def data(self) -> list[int]:
        """All sums in one row."""
        sums = (*self.offered.data(), *self.took.data(), *self.never.data(), *self.crossed)
        return [self.games, self.alike, self.took_games, self.never_games, *sums]

    @classmethod
    def read(cls, row: Sequence[int]) -> Used:
        """Read it again. Raises `ValueError` if there are too few numbers, or too many."""
        if len(row) != 23:
            raise ValueError("the sums of a use are 23 numbers")
        games, alike, took_games, never_games = row[:4]
        offered, took, never = (Moments(*row[at : at + 5]) for at in (4, 9, 14))
        crossed = list(row[19:])
        return cls(games, offered, alike, took_games, took, never_games, never, crossed)


@slotted
class Choices:
    """What was chosen in many games, and how they went."""

    players: int
    games: int = 0
    uses: dict[Use, Used] = field(default_factory=dict)
    decisions: list[Counts] = field(default_factory=list)
    """By player, by how many decisions in a game."""
    pauses: Counts = field(default_factory=Counter)
    """By how many decisions of a game the table waited for."""
    forced: list[int] = field(default_factory=list)
    """By player."""
    options: list[int] = field(default_factory=list)
    """By player: legal actions, added up over decisions."""
    led: list[int] = field(default_factory=lambda: [0] * len(MOMENTS))
    """By moment: in how many games somebody led alone."""
    held: list[int] = field(default_factory=lambda: [0] * len(MOMENTS))
    """By moment: in how many of these the leader was among the winners."""
    changes: Counts = field(default_factory=Counter)
    """By how often the lead went from one player to another."""
    known: Counts = field(default_factory=Counter)
    """Of games with one winner: by percent of the decisions from which on the winner led."""

    @classmethod
    def of(cls, players: int) -> Choices:
        """Of no games yet."""
        found = cls(players)
        found.decisions = [Counter() for _ in range(players)]
        found.forced, found.options = [0] * players, [0] * players
        return found

    # ---------------------------------------------------------------------------- adding up

    def count(self, course: Course, winners: int) -> None:
        """Add a game that came to its end; `winners` is a mask."""
        self.games += 1
        for player in range(self.players):
            self.decisions[player][course.decisions[player]] += 1
            self.forced[player] += course.forced[player]
            self.options[player] += course.options[player]
        self.pauses[course.pauses] += 1
        self._count_uses(course, winners)
        self._count_leads(course.leaders, winners)

    def _count_uses(self, course: Course, winners: int) -> None:
        share = parts_of(self.players) // (winners.bit_count() or self.players)
        for use in {use: None for each in course.uses for use in each}:
            sums = self.uses.setdefault(use, Used())
            offered = taken = took = took_parts = never = never_parts = 0
            for player, each in enumerate(course.uses):
                if use not in each:
                    continue
                to_be_had, had, alike = each[use]
                # Where nobody wins all share the win, as if drawn.
                parts = share if winners >> player & 1 or not winners else 0
                offered += to_be_had
                taken += had
                sums.alike += alike
                if had:
                    took, took_parts = took + 1, took_parts + parts
                else:
                    never, never_parts = never + 1, never_parts + parts
            sums.games += 1
            sums.offered.one(offered, taken)
            sums.took_games += took > 0
            sums.took.one(took, took_parts)
            sums.never_games += never > 0
            sums.never.one(never, never_parts)
            for at, (a, b) in enumerate(
                ((took, never), (took, never_parts), (took_parts, never), (took_parts, never_parts))
            ):
                sums.crossed[at] += a * b

    def _count_leads(self, leaders: Sequence[int], winners: int) -> None:
        many = len(leaders)
        if not many:
            return
        for at, percent in enumerate(MOMENTS):
            leader = leaders[many * percent // 100]
            if leader >= 0:
                self.led[at] += 1
                self.held[at] += winners >> leader & 1
        alone = [leader for leader in leaders if leader >= 0]
        if winners.bit_count() == 1:
            winner = winners.bit_length() - 1
            since = many
            while since and leaders[since - 1] == winner:
                since -= 1
            self.known[100 * since // many] += 1
            alone.append(winner)
        self.changes[sum(one != two for one, two in pairwise(alone))] += 1

    def add(self, other: Choices) -> None:
        """Add what was counted elsewhere."""
        self.games += other.games
        for use, sums in other.uses.items():
            self.uses.setdefault(use, Used()).add(sums)
        for mine, theirs in zip(self._counters(), other._counters(), strict=True):
            mine.update(theirs)
        for one, two in zip(self._sums(), other._sums(), strict=True):
            one[:] = [a + b for a, b in zip(one, two, strict=True)]

    def _counters(self) -> list[Counts]:
        return [*self.decisions, self.pauses, self.changes, self.known]

    def _sums(self) -> list[list[int]]:
        return [self.forced, self.options, self.led, self.held]

    # ------------------------------------------------------------------------------ as data

    def data(self) -> dict[str, Any]:
        """The same for a line of JSON."""
        return {
            "games": self.games,
            "counts": [sorted(counter.items()) for counter in self._counters()],
            "sums": self._sums(),
            "uses": [[*use, self.uses[use].data()] for use in sorted(self.uses)],
        }

    @classmethod
    def read(cls, players: int, data: dict[str, Any]) -> Choices:
        """Read it again. Data that is none raises `ValueError`, `LookupError` or `TypeError`."""
        found = cls.of(players)
        found.games = whole(data["games"])
        for counter, pairs in zip(found._counters(), data["counts"], strict=True):
            counter.update({whole(value): whole(many) for value, many in pairs})
        for sums, given in zip(found._sums(), data["sums"], strict=True):
            if len(given) != len(sums):
                raise ValueError("there are sums for other players")
            sums[:] = map(whole, given)
        for name, parameter, value, row in data["uses"]:
            use = Use(str(name), whole(parameter), str(value))
            found.uses[use] = Used.read(list(map(whole, row)))
        if any(each.total() != found.games for each in (*found.decisions, found.pauses)):
            raise ValueError("the sums do not agree")
        return found


def whole(value: object) -> int:
    """A whole number. Raises `TypeError` if it is none."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{value!r} is no whole number")
    return value
