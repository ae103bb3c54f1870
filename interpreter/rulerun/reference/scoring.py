"""How a game that has ended is decided.

Assumes: a state whose slot `result` says that it is over.
Does: asks the scoring for lines, ties and who is out; `end game won by` overrules all of it.
Leaves behind: a `Verdict`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rulerun.reference.collections import bits
from rulerun.reference.evaluate import Evaluator
from rulerun.runtime.executor import Verdict

if TYPE_CHECKING:
    from fractions import Fraction

BY_SCORING = 1
"""The result of a game that ended without `won by`; 2 + a mask of winners with it."""


class Scoring:
    """The scoring of one game."""

    def __init__(self, evaluator: Evaluator) -> None:
        """Compile the scoring."""
        self.game = evaluator.game
        self.players = range(len(self.game.players))
        scoring = self.game.scoring
        self.scoring = scoring
        self.lines = [(line.label, evaluator.compile(line.value)) for line in scoring.lines]
        self.ties = [evaluator.compile(tie) for tie in scoring.ties]
        self.out = evaluator.test(scoring.out)
        self.winner = evaluator.test(scoring.winner)
        self.returns = evaluator.test(scoring.returns)
        best = scoring.best or ("highest" if scoring.lines else None)
        self.sign = {"highest": -1, "lowest": 1, None: 0}[best]

    def verdict(self, slots: Sequence[int], registers: list[Any]) -> Verdict:
        """The verdict on a state that is over."""

        def ask(run: Any, player: int, scratch: list[Any] = registers) -> Any:
            scratch[self.scoring.register] = player
            return run(slots, self.game.layout.base, scratch)

        lines = tuple(
            tuple((label, int(ask(run, player))) for label, run in self.lines)
            for player in self.players
        )
        totals = tuple(
            sum(value for _, value in lines[player]) if self.lines else None
            for player in self.players
        )
        result = slots[0]
        if result > BY_SCORING:
            winners = tuple(bits(result - 2, 0))
            places = self._places_of(winners)
        elif self.winner is not None:
            winners = _players(ask(self.winner, self.players[0]))
            places = self._places_of(winners)
        elif self.sign:
            winners, places = self._ranked(totals, ask)
        else:
            winners, places = (), self._places_of(())
        if self.returns is not None:
            # The register behind the others holds the winners.
            registers = [*registers[: self.game.registers]]
            registers += [None] * (self.game.registers - len(registers))
            registers.append(winners)
            from fractions import Fraction

            returns = tuple(
                Fraction(ask(self.returns, player, registers)) for player in self.players
            )
        else:
            returns = self._shares(winners)
        return Verdict(winners, returns, places, lines, totals)

    def _ranked(
        self, totals: tuple[int | None, ...], ask: Any
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Winners and places by total, then by the ties in their order."""
        inside = [
            player for player in self.players if self.out is None or not ask(self.out, player)
        ]
        keys = {
            player: (
                self.sign * (totals[player] or 0),
                *(-ask(tie, player) for tie in self.ties),
            )
            for player in inside
        }
        places = tuple(
            1 + sum(1 for other in inside if keys[other] < keys[player]) if player in keys else 0
            for player in self.players
        )
        first = tuple(player for player in inside if places[player] == 1)
        if len(first) > 1 and self.scoring.equal == "nobody":
            return (), places
        if len(first) > 1 and self.scoring.equal == "everybody":
            return tuple(inside), places
        return first, places

    def _places_of(self, winners: tuple[int, ...]) -> tuple[int, ...]:
        """Winners are first, all others share the next place."""
        return tuple(1 if player in winners else len(winners) + 1 for player in self.players)

    def _shares(self, winners: tuple[int, ...]) -> tuple[Fraction, ...]:
        """Winners share +1, the others -1; 0 if nobody or everybody wins."""
        from fractions import Fraction

        others = len(self.players) - len(winners)
        if not winners or not others:
            return tuple(Fraction(0) for _ in self.players)
        return tuple(
            Fraction(1, len(winners)) if player in winners else Fraction(-1, others)
            for player in self.players
        )


def _players(found: Any) -> tuple[int, ...]:
    """Players given as one, none, or a collection."""
    if found is None:
        return ()
    if isinstance(found, int):
        return (found,)
    return tuple(sorted(set(found)))
