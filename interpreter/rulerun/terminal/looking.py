"""When somebody is shown the table again.

Assumes a session, and the layout of its game on one screen.
Does: keeps in mind which table was shown last, to whom, and what has been told since. The table is
shown at the beginning of somebody's turn: when others have decided, the rules have come back to a
phase, or nothing was shown to this person yet. In the middle of a turn what was told and the next
question are enough, unless

- a board has changed, or a place on one is to be chosen;
- the table is short: it takes no more than half the screen;
- more than half a screen was told since it was shown.

Leaves behind lines, or none where the table is not due.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulerun.session.session import Session
from rulerun.terminal.layout import Layout
from rulerun.terminal.screen import Screen
from rulerun.views.observation import Told


class Looking:
    """What has been seen of one game at one screen."""

    def __init__(self, session: Session, screen: Screen, layout: Layout) -> None:
        """Nobody has seen anything yet."""
        self.session = session
        self.screen = screen
        self.layout = layout
        self._viewer: int | None = None
        """To whom the last table was shown; None: the next is due."""
        self._boards: list[list[str]] = []
        self._rows = 0
        """What it had of boards, and its lines."""
        self._told = 0
        """Lines that were told since."""
        self._hinted = False
        self._phases = {phase.name: at for at, phase in enumerate(session.game.phases)}
        """By name, in the order of the rules."""
        self._heard: dict[int, tuple[int, int]] = {}
        """By viewer: how much of the log was looked at, and the phase that was entered last."""

    def forget(self) -> None:
        """What was shown holds no more: the table is due."""
        self._viewer = None

    def hear(self, lines: int) -> None:
        """So many lines were told."""
        self._told += lines

    def table(self, viewer: int, below: int | None = None, *, whole: bool = False) -> list[str]:
        """The table, as `viewer` sees it, behind an empty line. The rest is as `Layout` has it."""
        seen, log = self.session.observation(viewer), self.session.log(viewer)
        lines = self.layout.lines(seen, log, below, whole=whole)
        self._viewer, self._boards = viewer, self.layout.boards(seen, log)
        self._rows, self._told = len(lines), 0
        return ["", *lines] if lines else []

    def due(self, viewer: int, below: int) -> list[str]:
        """The table, if it is due at a question for `viewer`."""
        seen, log = self.session.observation(viewer), self.session.log(viewer)
        comes_back = self._comes_back(viewer, log)
        known = (
            viewer == self._viewer
            and not comes_back
            and self._told <= self.screen.height // 2 < self._rows
            and not self.layout.to_choose(seen)
            and self._boards == self.layout.boards(seen, log)
        )
        return [] if known else self.table(viewer, below)

    def _comes_back(self, viewer: int, log: Sequence[Told]) -> bool:
        """Whether a phase began since that is not behind the one before: a turn, a round, a game.

        So does the turn of who plays alone, or against an automaton, whom nobody asks.
        """
        heard, last = self._heard.get(viewer, (0, len(self._phases)))
        found = False
        for each in log[heard:]:
            if each.word == "phase":
                now = self._phases.get(str(each.what.get("phase")), last)
                found, last = found or now <= last, now
        self._heard[viewer] = len(log), last
        return found

    def hint(self, table: list[str]) -> list[str]:
        """The first time that a table is not due: how one sees it all the same."""
        if table or self._hinted or not self._rows:
            return []
        self._hinted = True
        speech = self.layout.names.speech
        return [self.screen.paint.faint(speech.look_again.format(look=speech.commands["look"][0]))]
