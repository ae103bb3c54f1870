"""An evening: one game after the other at one screen, with seats that turn and a running score.

Assumes a game that has ended, and who sat where in it.
Does: asks whether to go on, and turns the seats for a rematch: everybody moves one seat further.
Names people by where they sit now, with who that is, since a name alone is another's in a rematch.
Leaves behind the seats of the next game; nothing when the evening is over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from rulerun.terminal.commands import Commands
from rulerun.terminal.screen import Screen
from rulerun.views.observation import Standing
from rulerun.words.labels import Labels
from rulerun_dsl.source.frozen import slotted

if TYPE_CHECKING:
    from fractions import Fraction

HUMAN = "human"
"""Who sits where a person plays; anything else is the name of an agent."""


@slotted
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
        from fractions import Fraction

        many = len(self.seats)
        winners = [seat for seat, each in enumerate(result) if each.winner and seat < many]
        for seat in winners:
            first = (seat - self.turned) % many
            self.wins[first] = self.wins.get(first, Fraction(0)) + Fraction(1, len(winners))

    def score(self, names: Labels) -> str:
        """The score in a line, by the seats of the game that was just played."""
        many = len(self.seats)
        parts = [
            f"{seated(names, seat, self.now())} {self.wins.get((seat - self.turned) % many, 0)}"
            for seat in range(many)
        ]
        return names.speech.evening.format(score=", ".join(parts))

    def moved(self, names: Labels) -> str:
        """Where the people sit after a rematch has turned the seats."""
        many, game = len(self.seats), names.game
        people = [seat for seat, who in self.now().items() if who == HUMAN]
        places = [
            {
                "before": names.player(game.players[(seat - 1) % many]),
                "now": names.player(game.players[seat]),
            }
            for seat in people
        ]
        form = names.speech.you_moved if len(people) == 1 else names.speech.who_moved
        changes = names.speech.listed([form.format(**each) for each in places])
        return names.speech.seats_turned.format(changes=changes)

    def go_on(self, screen: Screen, names: Labels, after: Callable[[str], None]) -> bool:
        """Ask what comes next; whether there is another game.

        `after`: obeys a command that is typed instead, such as `log`.
        """
        ends = {"", "q", names.speech.no, *Commands(names.speech).ends}
        while True:
            answer = screen.ask(names.speech.another)
            word = (answer or "").casefold()
            if word in ends:
                return False
            if word == "n":
                return True
            if word in ("r", "rematch"):
                self.turned += 1
                screen.say("", self.moved(names))
                return True
            after(answer or "")


def seated(names: Labels, seat: int, seats: Mapping[int, str]) -> str:
    """A player, with who that is: `Yarg (you)`, `Applewood (a bot, easy)`."""
    from rulerun.search.agent_names import level

    speech, who = names.speech, seats[seat]
    if who == HUMAN:
        word = speech.you if list(seats.values()).count(HUMAN) == 1 else speech.a_person
    else:
        word = speech.a_bot.format(level=speech.levels.get(level(who), level(who)))
    return f"{names.player(names.game.players[seat])} ({word})"
