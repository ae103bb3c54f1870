"""What an answer means: an action, a command, or neither, and why.

Assumes the line that a player typed, and the menu of what they may do.
Does: looks for what is called so; for the first of several answers in one line; for a command, of
which one that an action may also be called is asked about. An answer to the question which of some
actions was meant is understood among these. Otherwise it asks the session why not.
Leaves behind a `Meant`.
"""

from __future__ import annotations

from rulerun.session.session import Session
from rulerun.terminal.commands import Commands
from rulerun.terminal.formatting import folded
from rulerun.terminal.menu import Entry, Menu
from rulerun.terminal.why_not import Reasons
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.safe_text import clean


@frozen
class Meant:
    """What was meant: one of these, or only why it is nothing that can be done."""

    action: int | None = None
    later: tuple[str, ...] = ()
    """What was typed beside the action, for the questions that follow."""
    command: tuple[str, str] | None = None
    """A command, by its English word, and the rest of the line."""
    refused: str = ""

    @property
    def hangs_on_others(self) -> bool:
        """Whether it takes what others decide at the same time; the rest only looks."""
        commands = ("undo", "advice", "save", "quit")
        return self.action is not None or (self.command or ("", ""))[0] in commands


class Answering:
    """Understands the answers in one session."""

    def __init__(self, session: Session, commands: Commands, reasons: Reasons) -> None:
        """Know the commands, and who says why something is refused."""
        self.session = session
        self.commands = commands
        self.reasons = reasons
        self.speech = commands.speech
        self.skipped: Entry | None = None
        """What was done without a question, as the only thing that could be."""
        self._named: tuple[int, ...] = ()
        """The actions that the last answer might have meant: who answered was asked which."""
        self._near = ""
        """What the last answer was near to: who answered was asked whether that was meant."""

    def meant(self, player: int, answer: str, menu: Menu) -> Meant:
        """What a player means by an answer."""
        if self._near and folded(answer) in (folded(self.speech.yes), folded(self.speech.yes)[:1]):
            answer = self._near
        found = (self._named and menu.among(answer, self._named)) or menu.find(answer)
        self._named, self._near = (), ""
        word, rest = self.commands.parse(answer)
        exact = len(found) == 1 and found[0] is menu.exact(answer)
        if word and (not found or answer[0] in ":/"):
            return Meant(command=(word, rest))
        # A command that an answer begins with is asked about, for it might be either.
        either = "" if exact or not word else f":{answer}"
        if len(found) == 1 and not either:
            return Meant(found[0].action.id)
        if found:
            self._named = tuple(entry.action.id for entry in found)
            meant = [*(entry.named for entry in found[:6]), *([either] if either else [])]
            more = self.speech.or_others if len(found) > 6 else ""
            some = ", ".join(meant) if more else self.speech.listed(meant, either=True)
            return Meant(refused=self.speech.do_you_mean.format(answers=some, more=more))
        # A line that names an action as a whole is no list of answers, though one begins it.
        first = None if self._is_action(player, answer) else self._first_of(answer, menu)
        return first or Meant(refused=self._why_not(player, answer, menu))

    def _is_action(self, player: int, answer: str) -> bool:
        refusal = self.session.refusal(player, answer)
        return refusal is not None and refusal.code != "unknown_action"

    def _first_of(self, answer: str, menu: Menu) -> Meant | None:
        """The first of several answers in one line; the others wait for their questions."""
        parts = [each.strip() for each in answer.split(",")] if "," in answer else answer.split()
        if len(parts) < 2 or not all(parts):
            return None
        first = menu.exact(parts[0])
        return None if first is None else Meant(first.action.id, tuple(parts[1:]))

    def _why_not(self, player: int, answer: str, menu: Menu) -> str:
        if self.skipped is not None and self.skipped.is_called(answer):
            return self.speech.done_already.format(answer=self.skipped.text)
        refusal = self.session.refusal(player, answer)
        if refusal is not None and refusal.code != "unknown_action":
            return self.speech.refused.format(why=self.reasons.reason(refusal))
        offered = [entry.action.id for entry in menu.entries]
        if why := self.reasons.of_name(player, offered, answer):
            return self.speech.refused.format(why=why)
        near = menu.near(answer, self.commands.words)
        if near:
            self._near = near
            return self.speech.do_you_mean.format(answers=near, more="")
        why = self.speech.no_such_action.format(name=clean(answer))
        return self.speech.refused.format(why=why)
