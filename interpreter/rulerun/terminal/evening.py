"""An evening: one game after the other at one screen, with seats that turn and a running score.

Assumes a game that has ended, and who sat where in it.
Does: asks whether to go on, and turns the seats for a rematch: everybody moves one seat further.
Leaves behind the seats of the next game; nothing when the evening is over.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from rulerun.terminal.screen import Screen
from rulerun.views.observation import Standing
from rulerun.words.labels import Labels


@dataclass
class Evening:
    """Who has won how often. People and bots are known by where they sat first."""

    seats: Mapping[int, str]
    """Who plays, by the seat that they had first."""
    turned: int = 0
    """By how many seats everybody has moved since."""
    wins: dict[int, Fraction] = field(default_factory=dict)

    def now(self) -> dict[int, str]:
        """Who plays, by the seat that they have now."""
        many = len(self.seats)
        return {(seat + self.turned) % many: who for seat, who in sorted(self.seats.items())}

    def count(self, result: tuple[Standing, ...]) -> None:
        """Add a game; who share a win have a share of it each."""
        many = len(self.seats)
        winners = [seat for seat, each in enumerate(result) if each.winner and seat < many]
        for seat in winners:
            first = (seat - self.turned) % many
            self.wins[first] = self.wins.get(first, Fraction(0)) + Fraction(1, len(winners))

    def score(self, names: Labels, you: int | None) -> str:
        """The score in a line; `you` is the first seat of the one person who plays."""
        parts = []
        for seat in sorted(self.seats):
            who = names.speech.you if seat == you else names.player(names.game.players[seat])
            wins = self.wins.get(seat, Fraction(0))
            parts.append(f"{who} {wins}")
        return names.speech.evening.format(score=", ".join(parts))

    def go_on(self, screen: Screen, names: Labels) -> bool:
        """Ask what comes next; whether there is another game."""
        answer = (screen.ask(names.speech.another) or "").casefold()
        if answer[:1] == "r":
            self.turned += 1
        return answer[:1] in ("r", "n")
