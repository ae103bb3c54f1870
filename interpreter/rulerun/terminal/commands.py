"""The words that are no answers but commands: `?`, `undo`, `log` and others, in each language.

Assumes a language. The English words work in every language, and a colon or a stroke before a word
makes it a command where an action bears its name.
"""

from __future__ import annotations

from rulerun.terminal.formatting import folded, wrap
from rulerun.words.language import Language

_OTHER_WORDS = {"exit": "quit", "h": "help", "l": "look"}


class Commands:
    """The commands at a table where this language is spoken."""

    def __init__(self, speech: Language) -> None:
        """Know the words."""
        self.speech = speech
        self.words = [word for word, _ in speech.commands.values()]
        self._spoken = {folded(word): command for command, (word, _) in speech.commands.items()}

    @property
    def ends(self) -> list[str]:
        """The words with which one leaves."""
        return ["quit", "exit", self.speech.commands["quit"][0]]

    def parse(self, answer: str) -> tuple[str, str]:
        """A command, by its English word, and the rest of the line; else two empty texts."""
        if not answer:
            return "", ""
        if answer[0] == "?":
            return "?", answer[1:].strip()
        given, _, rest = answer.lstrip(":/").partition(" ")
        given = folded(given)
        word = self._spoken.get(given, _OTHER_WORDS.get(given, given))
        return (word, rest.strip()) if word in self.speech.commands else ("", "")

    def help(self, width: int) -> list[str]:
        """What each of them does."""
        wide = max(map(len, self.words)) + 2
        lines = [self.speech.help_begins]
        for word, about in self.speech.commands.values():
            lines += wrap(about, width, first=f"  {word:<{wide}}", rest=" " * (wide + 2))
        return [*lines, self.speech.help_ends]
