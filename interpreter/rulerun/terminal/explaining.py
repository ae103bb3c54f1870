"""The answer to `?`: what a player can do, and why not the rest.

Assumes a session and a player who is asked.
Does: tells what is written about each action that is offered and about what it concerns; of the
others that belong to the question, why they are refused (`why_not`).
Leaves behind lines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rulerun.runtime.executor import Refusal
from rulerun.runtime.phrases import Said
from rulerun.runtime.wording import words
from rulerun.session.session import Session
from rulerun.terminal.formatting import Paint, wrap
from rulerun.terminal.menu import Entry, Menu
from rulerun.terminal.why_not import Reasons
from rulerun.words.labels import Labels
from rulerun.words.narration import sentence
from rulerun_dsl.model import Kind
from rulerun_dsl.model.valuetypes import Bool, Int, bare
from rulerun_dsl.source.safe_text import clean

Book = Callable[[int, str], list[str]]
"""The rules in lines of some width: all, or what they say about a word."""

_MOST_ASKED = 400
_MOST_NAMED = 12


class Explainer:
    """Explains the choices of one game."""

    def __init__(
        self, session: Session, names: Labels, width: int, paint: Paint, book: Book | None = None
    ) -> None:
        """Explain what is asked in `session`. `book` gives what the rules say about a word."""
        self._book = book
        self.session = session
        self.names = names
        self.speech = names.speech
        self.width = width
        self.paint = paint
        self.reasons = Reasons(session, names)

    def all(self, player: int, menu: Menu) -> list[str]:
        """What the player can do, and why not the rest."""
        lines = [self.speech.you_can]
        if any(self.names.about_action(entry.action.id) for entry in menu.entries):
            for alike in self._alike(menu.entries[:_MOST_ASKED]):
                lines += self._entries(alike)
        else:
            lines += menu.lines(self.width, self.paint)
        lines += self._named(player, menu)
        refused = self.reasons.refused(player, [entry.action.id for entry in menu.entries])
        if refused:
            lines.append(self.speech.you_cannot)
        for what, why in refused:
            told = f"{what}{self.speech.colon} {why}"
            lines += wrap(told, self.width, first="  ", rest="    ")
        return lines

    def _named(self, player: int, menu: Menu) -> list[str]:
        """What is written about components that only the question or a hint names."""
        question = self.session.observation(player).question
        said = [question or "", *(entry.action.hint for entry in menu.entries)]
        told = {self.names.about_action(entry.action.id) for entry in menu.entries}
        lines: list[str] = []
        values = [value for each in said if isinstance(each, Said) for value in each.values]
        for text in (value for value in values if isinstance(value, str)):
            for kind in self.names.kinds:
                found = self.names.row_of(kind, text)
                if found is None or not self.names.about(f"row {kind} {found[0]}"):
                    continue
                details = self.names.details(kind, found[0])
                if not any(details in each for each in told):
                    told.add(details)
                    named = f"{self.names.component(kind, found[0])}{self.speech.colon} {details}"
                    lines += wrap(named, self.width, first="  ", rest="    ")
        return lines

    def one(self, player: int, answer: str, menu: Menu) -> list[str]:
        """About one action, or one component."""
        lines: list[str] = []
        found = menu.find(answer)
        for entry in found[:_MOST_NAMED]:
            lines += self._entries([entry])
        if not found:
            offered = [entry.action.id for entry in menu.entries]
            refused = self.reasons.named(player, offered, answer)
            refusal = None if refused else self.session.refusal(player, answer)
            if refusal is not None and refusal.code != "unknown_action":
                text = self.names.action_text(answer)
                refused = [(text, self.reasons.reason(refusal), refusal)]
            for what, why, refusal in refused[:_MOST_NAMED]:
                told = f"{what}{self.speech.colon} {why}{self._place(refusal)}"
                lines += wrap(told, self.width, rest="  ")
        lines += self._component(answer, shown=bool(found))
        if not found:
            lines += self._written(answer)
        return lines or self.components(answer)

    def rules(self, wanted: str) -> list[str]:
        """The rules of the game, or what they say about a word; nothing where there are none."""
        return [] if self._book is None else self._book(self.width, wanted)

    def components(self, wanted: str = "") -> list[str]:
        """What is printed on the components of the game, or on those that are called so.

        Called so are those whose names, or those of their kind, begin so; else those of which a
        column says it, or those whose place is called so. What else is called so is told as well.
        """
        lines: list[str] = []
        for is_meant in (self._is_named, self._is_of, self._is_at):
            lines = lines or self._printed(is_meant, wanted)
        if lines:
            return lines + (self._written(wanted, exactly=True) if wanted else [])
        if wanted:
            unknown = self.speech.unknown_component.format(name=clean(wanted))
            return [*(self._written(wanted) or [sentence(unknown)]), *self._elsewhere(wanted)]
        return [self.speech.nothing_to_see]

    def _elsewhere(self, wanted: str) -> list[str]:
        """That the rules say more about a word, if they do."""
        if self._book is None or not self._book(self.width, wanted):
            return []
        command = f"{self.speech.commands['rules'][0]} {clean(wanted)}"
        return wrap(self.speech.see_rules.format(rules=command), self.width, rest="  ")

    def _printed(self, is_meant: Callable[[Kind, str, str], bool], wanted: str) -> list[str]:
        """What is printed on some components."""
        lines: list[str] = []
        for kind in self.names.kinds.values():
            about = self.names.about(f"kind {kind.name}")
            there = [row for at, row in enumerate(kind.rows) if _copies(kind, at)]
            found = [row for row in there if is_meant(kind, row, wanted)]
            # What is said of all of them is no answer to who asks for some.
            if about and found and len(found) == len(there):
                head = self.names.kind(kind.name, 2)
                lines += wrap(f"{head}{self.speech.colon} {about}", self.width, rest="  ")
            for row in found:
                details = self.names.details(kind.name, row)
                if details or not about:
                    head = self.names.component(kind.name, row, alone=True)
                    said = wrap(
                        f"{head}{self.speech.colon} {details}" if details else head,
                        self.width,
                        rest="  ",
                    )
                    # Twins are told once.
                    lines += [] if lines[-len(said) :] == said else said
        return lines

    def _is_of(self, kind: Kind, row: str, wanted: str) -> bool:
        """Whether a column says so of a row: it is an `instinct`, or lies in the `forest`."""
        plain = words(wanted).casefold().strip()
        at = kind.rows.index(row)
        said = (
            self.names.constant(type_, values[at])
            for _, type_, values in kind.columns
            if not isinstance(bare(type_), Bool | Int)
        )
        return bool(plain) and any(text.casefold() == plain for text in said)

    def _is_at(self, kind: Kind, row: str, wanted: str) -> bool:
        """Whether what stands above it on the table names it: `objectives`."""
        zones = (zone.name for zone in self.names.game.zones if zone.kind == kind.name)
        plain = words(wanted).casefold().strip()
        return plain in {self.names.zone(zone).casefold() for zone in zones}

    def _is_named(self, kind: Kind, row: str, wanted: str) -> bool:
        """Whether it, or its kind, is called so, or begins so."""
        names = (
            self.names.component(kind.name, row),
            self.names.kind(kind.name),
            self.names.kind(kind.name, 2),
            words(row),
            words(kind.name),
        )
        plain = words(wanted).casefold().strip()
        return any(name.casefold().startswith(plain) for name in names)

    # ---------------------------------------------------------------------------------- parts

    def _alike(self, entries: Sequence[Entry]) -> list[list[Entry]]:
        """Entries that follow each other, together where the same is written about them."""
        found: list[list[Entry]] = []
        before = ""
        for entry in entries:
            details = self.names.about_action(entry.action.id)
            if details and details == before:
                found[-1].append(entry)
            else:
                found.append([entry])
            before = details
        return found

    def _entries(self, alike: Sequence[Entry]) -> list[str]:
        """Entries of which the same is written."""
        texts = [
            f"{entry.label} {entry.text}{entry.remark}"
            if entry.label != entry.text
            else f"{entry.text}{entry.remark}"
            for entry in alike
        ]
        text = "; ".join(texts)
        details = self.names.about_action(alike[0].action.id)
        # A hint may have said it.
        unsaid = details and not all(details in each for each in texts)
        return wrap(
            f"{text}{self.speech.colon} {details}" if unsaid else text,
            self.width,
            first="  ",
            rest="    ",
        )

    def _component(self, answer: str, *, shown: bool) -> list[str]:
        wanted = words(answer).casefold().strip()
        lines: list[str] = []
        for kind in self.names.kinds.values():
            for row in kind.rows:
                details = self.names.details(kind.name, row)
                name = self.names.component(kind.name, row)
                if details and not shown and wanted in (words(row).casefold(), name.casefold()):
                    lines += wrap(f"{name}{self.speech.colon} {details}", self.width, rest="  ")
        return lines

    def _written(self, wanted: str, *, exactly: bool = False) -> list[str]:
        """What is written about anything that is called so, or begins so."""
        lines: list[str] = []
        for name, about in self.names.written_about(wanted):
            if exactly and name.casefold() != words(wanted).casefold().strip():
                continue
            lines += wrap(f"{name}{self.speech.colon} {about}", self.width, rest="  ")
        return lines

    def _place(self, refusal: Refusal) -> str:
        """Where the rule stands that says no."""
        span = refusal.span
        if span is None or not span.source.name:
            return ""
        return f" ({clean(span.source.name.split('/')[-1])}:{span.line})"


def _copies(kind: Kind, row: int) -> int:
    """How many components of a row there are in this game."""
    return sum(kind.copies[row * kind.owners : (row + 1) * kind.owners])
