"""Information-set Monte Carlo tree search.

Assumes: a vantage, plays to go along, a number of iterations.
Does: one tree over many worlds (Cowling, Powley and Whitehouse 2012). An iteration takes a world,
goes down the tree by the actions that are legal there, adds one node, and plays on at random. What
a node is worth is kept for who chose it, so any number of players is searched alike. Luck is drawn
anew in each iteration and is no part of the tree.
Inside a `together` nobody's choice hangs on another's: each player goes down a branch of their own,
and where all have decided the tree goes on from what they have chosen together.
Leaves behind: how often each action was tried, and what it came to.

An action is chosen by its mean, between the worst and the best end seen so far, and a bonus for
having been tried little: C * tried ** (1/4) / own ** (1/2), with `tried` for how often it could
have been chosen (Shah, Xie and Xu 2020 prove it for such bonuses). Unlike a logarithm, roots are
the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from rulerun.executors.stepper import TERMINAL
from rulerun.runtime.executor import CHANCE, IllegalInput, RuleError
from rulerun.runtime.rng import Stream
from rulerun.search.plays import Plays
from rulerun.search.utility import Utility

EXPLORING = 0.4
"""How much a bonus counts, where the whole range of ends is 1."""
SEATS = 64
"""More than there can be players: a child is numbered by action and player."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a search has found of an action."""

    action: int
    tried: int
    worth: float
    """The mean of the ends, from 0 (the worst that was seen) to 1."""


class _Node:
    __slots__ = ("children", "offered", "total", "tried")

    def __init__(self) -> None:
        self.children: dict[object, _Node] = {}
        self.tried = 0
        self.offered = 0
        self.total = 0.0


class Tree:
    """The search of one decision."""

    def __init__(self, plays: Plays, luck: Stream, utility: Utility) -> None:
        """Begin with nothing."""
        self.plays = plays
        self.utility = utility
        self.luck = luck
        self.root = _Node()
        self._low = self._high = 0.0
        self._ends = 0

    def grow(self, worlds: Sequence[Any], iterations: int) -> None:
        """Go through the worlds in turn, so many times in all."""
        for number in range(iterations):
            self._iterate(worlds[number % len(worlds)].clone())

    def choices(self, viewer: int, legal: Sequence[int]) -> list[Choice]:
        """What was found, the best first: the most tried, then by worth."""
        found = []
        for action in legal:
            node = self.root.children.get(action * SEATS + viewer)
            if node is not None and node.tried:
                found.append(Choice(action, node.tried, self._scaled(node.total / node.tried)))
            else:
                found.append(Choice(action, 0, 0.0))
        return sorted(found, key=lambda each: (-each.tried, -each.worth, each.action))

    def _scaled(self, value: float) -> float:
        """A value between the worst and the best end."""
        return (value - self._low) / (self._high - self._low) if self._high > self._low else 0.5

    def _iterate(self, play: Any) -> None:
        path: list[tuple[_Node, int]] = []
        try:
            ends = self._descend(play, path)
        except (IllegalInput, RuleError, RuntimeError):
            return  # the rules go wrong in this world: it is none
        if ends is None:
            return
        low, high = min(ends), max(ends)
        if not self._ends:
            self._low, self._high = low, high
        elif low < self._low or high > self._high:
            self._low, self._high = min(low, self._low), max(high, self._high)
        self._ends += 1
        for node, who in path:
            node.tried += 1
            node.total += ends[who]

    def _descend(self, play: Any, path: list[tuple[_Node, int]]) -> list[float] | None:
        """Go down to a new node and play on; what the end is worth to each player."""
        plays, luck = self.plays, self.luck
        node = self.root
        own: dict[int, _Node] | None = None
        joint: list[int] = []
        while True:
            who = play.who()
            if who == TERMINAL:
                return plays.worth(play, self.utility)
            legal = play.legal()
            if who == CHANCE:
                weights = play.weights()
                even = weights.count(weights[0]) == len(weights)
                play.apply(legal[luck.below(len(legal)) if even else luck.weighted(weights)])
                continue
            together = plays.is_together(play)
            if own is not None and not together:
                # All have decided: what they chose leads on.
                node = node.children.setdefault(tuple(joint), _Node())
                own = None
            if together and own is None:
                own, joint = {}, []
            if len(legal) == 1:
                play.apply(legal[0])
                continue
            at = node if own is None else own.get(who, node)
            child, action, new = self._chosen(at, who, legal)
            if own is None:
                node = child
            else:
                own[who] = child
                joint.append(action * SEATS + who)
            path.append((child, who))
            play.apply(action)
            if new:
                return plays.finish(play, luck, self.utility)

    def _chosen(self, node: _Node, who: int, legal: Sequence[int]) -> tuple[_Node, int, bool]:
        """An action to take: one that was never tried, else the most promising."""
        children = node.children
        found = [children.get(action * SEATS + who) for action in legal]
        if None in found:
            new = [at for at, child in enumerate(found) if child is None]
            at = new[self.luck.below(len(new))]
            child = _Node()
            children[legal[at] * SEATS + who] = child
            for each in found:
                if each is not None:
                    each.offered += 1
            child.offered = 1
            return child, legal[at], True
        low, width = self._low, self._high - self._low or 1.0
        best, best_value, best_child = legal[0], -1.0, None
        for action, each in zip(legal, found, strict=True):
            assert each is not None
            each.offered += 1
            tried = each.tried or 1
            value = (each.total / tried - low) / width
            value += EXPLORING * sqrt(sqrt(each.offered) / tried)
            if best_child is None or value > best_value:
                best, best_value, best_child = action, value, each
        assert best_child is not None
        return best_child, best, False


def standing(plays: Plays, worlds: Iterator[Any], most: int) -> list[Any]:
    """Plays that stand at the first worlds."""
    found = []
    for _, world in zip(range(most), worlds, strict=False):
        found.append(plays.at(world))
    return found
