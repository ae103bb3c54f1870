"""Information-set Monte Carlo tree search.

Assumes: a vantage, plays to go along, a number of iterations.
Does: one tree over many worlds (Cowling, Powley and Whitehouse 2012). An iteration takes a world,
goes down the tree by the actions that are legal there, adds one node, and plays on at random. What
a node is worth is kept for who chose it, so any number of players is searched alike. Luck is drawn
anew in each iteration and is no part of the tree.
Inside a `together` nobody's choice hangs on another's: each player goes down a branch of their own,
adding a node at most, and where all have decided the tree goes on from what they have chosen
together, unless a node was added.
Leaves behind: how often each action was tried, and what it came to.

An action is chosen by its mean, between the worst and the best end seen so far, and a bonus for
having been tried little: EXPLORING * tried ** (1/4) / own ** (1/2), with `tried` for how often it
could have been chosen (Shah, Xie and Xu 2020 prove it for such bonuses). Unlike a logarithm, roots
are the same on every machine; all else is reckoned in whole numbers.

Each iteration has luck of its own: the streams of `rng.Quick` of a key that the search draws and of
its number, the first for luck and one for each player. Machine code searches the same
(`compiled.native.searching`), choice by choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any, Protocol

from rulerun.executors.stepper import TERMINAL
from rulerun.runtime.executor import CHANCE, IllegalInput, RuleError
from rulerun.runtime.rng import GOLDEN, Quick, Stream
from rulerun.search.utility import Ends, Utility
from rulerun_dsl.source.frozen import frozen

SCALE = 1 << 20
"""The whole range of ends, from the worst to the best."""
EXPLORING = 0.4 * SCALE
"""How much a bonus counts."""
_WORD = (1 << 64) - 1
SEATS = 64
"""More than twice the players there can be: a child is numbered by action and player."""
TOGETHER = 32
"""Added to the player: a choice as part of what all have chosen together."""


@frozen
class Choice:
    """What a search has found of an action."""

    action: int
    tried: int
    worth: float
    """The mean of the ends, from 0 (the worst that was seen) to 1."""
    won: int = 0
    """Ends that were won, and by others not."""
    drawn: int = 0
    """Ends that nobody of several has won, or all of them."""
    gain: float = 0.0
    """The mean of the returns, where the rules declare some; else by how many points one is ahead
    of the best of the others."""


@frozen
class Tally:
    """What came of the tries of an action, for who chose it, in sums."""

    tried: int = 0
    total: int = 0
    """Of what the ends were worth."""
    won: int = 0
    drawn: int = 0
    ahead: int = 0


class _Node:
    __slots__ = ("ahead", "children", "drawn", "offered", "total", "tried", "won")

    def __init__(self) -> None:
        self.children: dict[int, _Node] = {}
        self.tried = 0
        self.offered = 0
        self.total = self.won = self.drawn = self.ahead = 0

    def found(self) -> Tally:
        """What came of it."""
        return Tally(self.tried, self.total, self.won, self.drawn, self.ahead)


class Random(Protocol):
    """What plays go along: see `plays`."""

    def parts(self, play: Any) -> int:
        """Which control stacks rest in the `together` that is open (bits); 0 if none is."""

    def finish(self, play: Any, streams: Sequence[Quick], utility: Utility) -> Ends | None:
        """Play on to the end at random: what that is worth.

        `streams`: for luck, and for each player. None if a rule error or the bound on decisions
        stops it.
        """

    def worth(self, play: Any, utility: Utility) -> Ends:
        """What the end is worth at which a play stands."""


class Sight(Protocol):
    """What nodes go by where players know little of one another: see `shared_sight`."""

    viewer: int
    """Who searches: to them all worlds look alike."""

    def key(self, chain: int, play: Any, who: int) -> int:
        """The key of a node: of what a player has done and seen so far (`chain`), and sees now."""


class Tree:
    """The search of one decision."""

    def __init__(
        self, plays: Random, luck: Stream, utility: Utility, sight: Sight | None = None
    ) -> None:
        """Begin with nothing. `sight`: nodes go by what who decides has seen and done."""
        self.plays = plays
        self.sight = sight
        self._nodes: dict[int, _Node] = {}
        self.utility = utility
        self.root = _Node()
        if sight is not None:
            self._nodes[1 + sight.viewer] = self.root
        self._key = luck.word() >> 1
        self._low = self._high = 0
        self._ends = 0

    def grow(self, worlds: Sequence[Any], iterations: int) -> None:
        """Go through the worlds in turn, so many times in all."""
        players = range(1 + self.utility.players)
        for number in range(iterations):
            streams = [Quick(self._key, number, each) for each in players]
            self._iterate(worlds[number % len(worlds)].clone(), streams)

    def choices(self, viewer: int, legal: Sequence[int]) -> list[Choice]:
        """What was found, the best first: the most tried, then by worth."""
        found = []
        for action in legal:
            node = self.root.children.get(action * SEATS + viewer)
            tally = Tally() if node is None else node.found()
            found.append(choice(action, tally, self.utility, self._low, self._high))
        return best_first(found)

    def child(self, node: _Node | None, player: int, action: int) -> _Node | None:
        """The node behind what a player does at another (None: the root); None: there is none."""
        return (node or self.root).children.get(action * SEATS + player)

    def tried(self, node: _Node | None, player: int, action: int) -> int:
        """How often that was tried."""
        child = self.child(node, player, action)
        return 0 if child is None else child.tried

    def _iterate(self, play: Any, streams: Sequence[Quick]) -> None:
        path: list[tuple[_Node, int]] = []
        try:
            ends = self._descend(play, streams, path)
        except (IllegalInput, RuleError, RuntimeError):
            return  # the rules go wrong in this world: it is none
        if ends is None:
            return
        low, high = min(ends.worth), max(ends.worth)
        if not self._ends:
            self._low, self._high = low, high
        self._low, self._high = min(low, self._low), max(high, self._high)
        self._ends += 1
        for node, who in path:
            node.tried += 1
            node.total += ends.worth[who]
            node.won += ends.won[who]
            node.drawn += ends.drawn
            node.ahead += ends.ahead[who]

    def _descend(
        self, play: Any, streams: Sequence[Quick], path: list[tuple[_Node, int]]
    ) -> Ends | None:
        """Go down to a new node and play on; what the end is worth to each player."""
        plays = self.plays
        node = self.root
        own: dict[int, _Node] | None = None
        joint: list[int] = []
        rested = grown = 0
        chains = [1 + player for player in range(self.utility.players)]
        while True:
            who = play.who()
            if who == TERMINAL:
                return plays.worth(play, self.utility)
            legal = play.legal()
            if who == CHANCE:
                play.apply(legal[streams[0].weighted(play.weights())])
                continue
            resting = plays.parts(play)
            # Parts only end: where another rests, another `together` has opened.
            if self.sight is not None:
                if grown and (not resting or resting & ~rested):
                    return plays.finish(play, streams, self.utility)
            elif own is not None and (not resting or resting & ~rested):
                if grown:
                    return plays.finish(play, streams, self.utility)
                for key in joint:
                    node = node.children.setdefault(key, _Node())
                own = None
            if resting and own is None and self.sight is None:
                own, joint = {}, []
            rested = resting
            if len(legal) == 1:
                play.apply(legal[0])
                continue
            if grown >> who & 1:
                play.apply(legal[streams[1 + who].below(len(legal))])
                continue
            if self.sight is not None:
                here = self.sight.key(chains[who], play, who)
                at = self._nodes.setdefault(here, _Node())
            else:
                at = node if own is None else own.get(who, node)
            child, action, new = self._chosen(at, who, legal, streams[1 + who])
            if self.sight is not None:
                chains[who] = (here ^ (action * SEATS + who)) * GOLDEN & _WORD
            elif own is None:
                node = child
            else:
                own[who] = child
                joint.append(action * SEATS + TOGETHER + who)
            path.append((child, who))
            play.apply(action)
            if new and (own is not None or (resting and self.sight is not None)):
                grown |= 1 << who
            elif new:
                return plays.finish(play, streams, self.utility)

    def _chosen(
        self, node: _Node, who: int, legal: Sequence[int], luck: Stream
    ) -> tuple[_Node, int, bool]:
        """An action to take: one that was never tried, else the most promising."""
        children = node.children
        found = [children.get(action * SEATS + who) for action in legal]
        for each in found:
            if each is not None:
                each.offered += 1
        if None in found:
            new = [at for at, child in enumerate(found) if child is None]
            action = legal[new[luck.below(len(new))]]
            child = children[action * SEATS + who] = _Node()
            child.offered = 1
            return child, action, True
        low, width = self._low, max(1, self._high - self._low)
        best, most = 0, -1
        for at, each in enumerate(found):
            assert each is not None
            tried = each.tried or 1
            value = (each.total // tried - low) * SCALE // width
            value += int(EXPLORING * sqrt(sqrt(each.offered) / tried))
            if not at or value > most:
                best, most = at, value
        chosen = found[best]
        assert chosen is not None
        return chosen, legal[best], False


def choice(action: int, tally: Tally, utility: Utility, low: int, high: int) -> Choice:
    """What was found of an action, with ends between two others."""
    tried = tally.tried
    if not tried:
        return Choice(action, 0, 0.0)
    worth = (tally.total / tried - low) / (high - low) if high > low else 0.5
    gain = tally.total / utility.one if utility.returns else tally.ahead
    return Choice(action, tried, worth, tally.won, tally.drawn, gain / tried)


def best_first(found: list[Choice]) -> list[Choice]:
    """The most tried first, then by worth."""
    return sorted(found, key=lambda each: (-each.tried, -each.worth, each.action))
