"""What each viewer is told: the news since they last looked, the whole story, who won.

Assumes a session, and what things are called. What comes from the session for a viewer is all that
is told.
Does: remembers how far each viewer has heard, and puts events into sentences.
Leaves behind lines.
"""

from __future__ import annotations

from rulerun.session.session import Session
from rulerun.terminal.ending import ending, truncated
from rulerun.terminal.formatting import Paint, wrap
from rulerun.views.observation import name_of
from rulerun.words.labels import Labels
from rulerun.words.narration import Narrator, Sentence, capital

_MOST_NEWS = 14


class Hearing:
    """What is heard of one session."""

    def __init__(self, session: Session, names: Labels, width: int, paint: Paint) -> None:
        """Nobody has heard anything yet."""
        self.session = session
        self.names = names
        self.width = width
        self.paint = paint
        self._narrators: dict[int, Narrator] = {}
        self._heard: dict[int, int] = {}

    def news(self, viewer: int) -> list[str]:
        """What `viewer` was told since they last heard."""
        told = self.session.log(viewer)
        narrator = self._narrators.setdefault(viewer, self._narrator(viewer))
        sentences = narrator.tell(told[self._heard.get(viewer, 0) :])
        self._heard[viewer] = len(told)
        return self._lines(sentences)

    def has_heard_the_most(self, viewer: int) -> None:
        """Of who has heard nothing so far: only the last of it is news."""
        told = self.session.log(viewer)
        self._heard.setdefault(viewer, max(0, len(told) - _MOST_NEWS))

    def story(self, viewer: int, room: int | None = None) -> list[str]:
        """What `viewer` was told since the beginning; the last of it where there is little room."""
        lines = self._lines(self._narrator(viewer).tell(self.session.log(viewer)))
        if room is None or len(lines) <= room:
            return lines
        earlier = self.names.speech.log_before.format(number=len(lines) - room + 1)
        return [self.paint.faint(earlier), *lines[1 - room :]]

    def question(self, player: int, asked: str) -> str:
        """What a player is asked, as that player reads it."""
        return capital(self.names.said(asked, self._name(player)))

    def who_thinks(self) -> str:
        """Who takes their time to decide, for everybody; nothing where no agent is asked."""
        thinks = self.session.thinks
        if thinks is None:
            return ""
        if not thinks:
            return self.names.speech.others_think
        return self.names.speech.thinks.format(player=self.names.player(self._name(thinks[0])))

    def result(self, viewer: int) -> list[str]:
        """Who won; nothing as long as the play is not at its end."""
        result = self.session.observation(viewer).result
        if result is not None:
            return ending(result, self.names, self.width, self.paint, self._name(viewer))
        if self.session.truncated:
            return truncated(self.session.decisions, self.names, self.width)
        return []

    def _name(self, viewer: int) -> str:
        return name_of(self.session.game, viewer)

    def _narrator(self, viewer: int) -> Narrator:
        return Narrator(self.names, self._name(viewer))

    def _lines(self, sentences: list[Sentence]) -> list[str]:
        lines = []
        while sentences and sentences[-1].style == "phase" and self.session.over:
            # Nothing comes below a heading that is the last thing told.
            sentences = sentences[:-1]
        for each in sentences:
            if each.style == "phase":
                lines.append(self.paint.strong(f"-- {each.text} --"))
                continue
            wrapped = wrap(each.text, self.width, first="* ", rest="  ")
            strong = each.style == "say"
            lines += [self.paint.strong(line) if strong else line for line in wrapped]
        return lines
