"""Two players who learn not to regret, until neither could do much better.

Assumes: a `Form` for two players of whom one gains what the other loses.
Does: counterfactual regret minimisation in its variant CFR+ (Tammelin 2014): in turns each player
goes through all their information sets, sees what each action would have come to against how the
other plays now, and plays those more that they regret not to have played; regrets never fall below
0. The answer is how both have played on the average, later rounds counting more.
Leaves behind a `Learned`: for each player how likely each action is in each information set, what
the best answer to the other's play gets (exactly, over all of the game), and so how far both are
from playing perfectly. Half of what both could gain by best answers is the exploitability.

Between two rounds nothing is half done: there a run that was interrupted goes on (`keeping`), and
one that has ended, if more is asked for.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence

from rulerun.solving.keeping import Found, Keeper, Parts
from rulerun.solving.sequence_form import Form, Known
from rulerun_dsl.source.frozen import frozen

Told = Callable[[int, str], None]

LEARNING = "learning"
"""The stage in which two players learn, as it is kept."""
_LOOK = 50
"""Rounds between two looks at how far it is."""


@frozen
class Learned:
    """How two players play, and how good that is."""

    plans: tuple[list[float], list[float]]
    """By player and sequence: how likely they take all of its actions, as far as it is theirs."""
    shares: tuple[list[float], list[float]]
    """By player and sequence: how likely they take its last action where they may."""
    value: float
    """What the first player gets."""
    best: tuple[float, float]
    """What a best answer to the other's play gets each of them."""
    exploitability: float
    rounds: int


class _Side:
    """What one player has learned."""

    def __init__(self, form: Form, player: int) -> None:
        self.sets = form.sets[player]
        many = form.sequences[player]
        self.regrets = [0.0] * many
        self.sums = [0.0] * many
        self.shares = [1.0] * many
        for each in self.sets:
            for at in range(len(each.actions)):
                self.shares[each.first + at] = 1 / len(each.actions)
        sign = 1.0 if player == 0 else -1.0
        shift = 0.0 if player == 0 else float(form.total)
        self.own = [pair[player] for pair in form.ends]
        self.other = [pair[1 - player] for pair in form.ends]
        self.worth = [
            sign * worth + shift * form.chances[pair] for pair, worth in form.ends.items()
        ]

    def parts(self, side: str) -> Parts:
        """What was learned, as it is kept."""
        return {
            f"regrets {side}": array("d", self.regrets),
            f"sums {side}": array("d", self.sums),
            f"shares {side}": array("d", self.shares),
        }

    def resume(self, found: Found, side: str) -> None:
        """Know what was kept."""
        self.regrets = found.array(f"regrets {side}", "d").tolist()
        self.sums = found.array(f"sums {side}", "d").tolist()
        self.shares = found.array(f"shares {side}", "d").tolist()

    def plan(self) -> list[float]:
        """How likely each sequence is, by how this player plays now."""
        return realised(self.sets, self.shares)

    def gains(self, other: Sequence[float]) -> list[float]:
        """By sequence: what its ends come to against another's plan."""
        gains = [0.0] * len(self.shares)
        for own, at, worth in zip(self.own, self.other, self.worth, strict=True):
            gains[own] += worth * other[at]
        return gains

    def learn(self, other: Sequence[float], weight: int) -> None:
        """One round against another's plan."""
        gains, regrets, shares = self.gains(other), self.regrets, self.shares
        for each in reversed(self.sets):
            first = each.first
            last = first + len(each.actions)
            value = 0.0
            for at in range(first, last):
                value += shares[at] * gains[at]
            gains[each.parent] += value
            total = 0.0
            for at in range(first, last):
                regret = regrets[at] + gains[at] - value
                if regret > 0.0:
                    regrets[at] = regret
                    total += regret
                else:
                    regrets[at] = 0.0
            for at in range(first, last):
                shares[at] = regrets[at] / total if total else 1 / (last - first)
        sums = self.sums
        for at, likely in enumerate(self.plan()):
            sums[at] += weight * likely

    def average(self) -> list[float]:
        """How likely each action is where it may be taken, on the average of all rounds."""
        shares = [1.0] * len(self.sums)
        for each in self.sets:
            last = each.first + len(each.actions)
            total = sum(self.sums[each.first : last])
            for at in range(each.first, last):
                shares[at] = self.sums[at] / total if total else self.shares[at]
        return shares

    def best(self, other: Sequence[float]) -> float:
        """What the best answer to a plan gets."""
        gains = self.gains(other)
        for each in reversed(self.sets):
            gains[each.parent] += max(gains[each.first : each.first + len(each.actions)])
        return gains[0]


def realised(sets: Sequence[Known], shares: Sequence[float]) -> list[float]:
    """How likely each sequence is, by how likely each action is where it is taken."""
    plan = list(shares)
    plan[0] = 1.0
    for each in sets:
        before = plan[each.parent]
        for at in range(each.first, each.first + len(each.actions)):
            plan[at] = before * shares[at]
    return plan


def learn(form: Form, rounds: int, within: float, told: Told, keeper: Keeper) -> Learned:
    """Play so many rounds (at least one), or until the exploitability is at most `within`.

    Rounds of a run that was kept count, even if they are more than these.
    """
    sides = _Side(form, 0), _Side(form, 1)
    number = 0
    kept = keeper.at(LEARNING)
    if kept is not None:
        number = kept.data("rounds")
        for side, each in enumerate(sides):
            each.resume(kept, str(side))
        keeper.forget()

    def parts() -> Parts:
        return {**form.parts(), "rounds": number, **sides[0].parts("0"), **sides[1].parts("1")}

    with keeper.careful():
        while True:
            if number and (not number % _LOOK or number >= rounds):
                found = _judged(form, sides, number)
                told(number, f"rounds, exploitability {found.exploitability:.3g}")
                if found.exploitability <= within or number >= rounds:
                    keeper.keep(LEARNING, parts)
                    return found
            keeper.rest(LEARNING, parts)
            number += 1
            for own, other in (sides, sides[::-1]):
                own.learn(other.plan(), number)


def _judged(form: Form, sides: tuple[_Side, _Side], rounds: int) -> Learned:
    shares = sides[0].average(), sides[1].average()
    plans = realised(sides[0].sets, shares[0]), realised(sides[1].sets, shares[1])
    best = sides[0].best(plans[1]), sides[1].best(plans[0])
    gains = sides[0].gains(plans[1])
    value = sum(likely * gain for likely, gain in zip(plans[0], gains, strict=True))
    return Learned(plans, shares, value, best, (sum(best) - float(form.total)) / 2, rounds)
