"""The answer to `?`: what a player can do, and why not the rest.

Assumes a session and a player who is asked. Reasons come from the session as it gives them to that
player, so they tell nothing that the player may not know.
Does: tells what is written about each action that is offered and about what it concerns; goes
through the others that belong to the question, and gathers those refused for one reason.
Leaves behind lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rulerun.runtime.executor import Refusal
from rulerun.runtime.phrases import one_line
from rulerun.runtime.wording import words
from rulerun.session.session import Session
from rulerun.terminal.formatting import Paint, wrap
from rulerun.terminal.menu import Entry, Menu
from rulerun.words.labels import Labels, is_player
from rulerun.words.narration import sentence
from rulerun_dsl.model import ActionType, Kind
from rulerun_dsl.model.valuetypes import Component, Enum, Int, Site
from rulerun_dsl.source.safe_text import clean

_MOST_ASKED = 400
_MOST_NAMED = 12


class Explainer:
    """Explains the choices of one game."""

    def __init__(self, session: Session, names: Labels, width: int, paint: Paint) -> None:
        """Explain what is asked in `session`."""
        self.session = session
        self.names = names
        self.speech = names.speech
        self.width = width
        self.paint = paint

    def all(self, player: int, menu: Menu) -> list[str]:
        """What the player can do, and why not the rest."""
        lines = [self.speech.you_can]
        if any(self._details(entry.action.id) for entry in menu.entries):
            for alike in self._alike(menu.entries[:_MOST_ASKED]):
                lines += self._entries(alike)
        else:
            lines += menu.lines(self.width, self.paint)
        refused: dict[tuple[str, int], list[tuple[str, Refusal]]] = {}
        offered = {entry.action.id for entry in menu.entries}
        for action in self._others(player, menu):
            if action in offered:
                continue
            refusal = self.session.refusal(player, action)
            # What belongs to other questions is told only to who asks for it by name.
            if (
                refusal is not None
                and refusal.code != "not_offered"
                and not self._lies_elsewhere(action, refusal)
            ):
                where = -1 if refusal.span is None else refusal.span.start
                same = refused.setdefault((refusal.code, where), [])
                same.append((self.names.action(action), refusal))
        if refused:
            lines.append(self.speech.you_cannot)
        for same in refused.values():
            named = [text for text, _ in same[:_MOST_NAMED]]
            left = len(same) - len(named)
            more = self.speech.and_more.format(number=left) if left else ""
            reason = in_common([self.reason(refusal) for _, refusal in same])
            lines += wrap(
                f"{self.speech.and_so.join(named)}{more}{self.speech.colon} {reason}",
                self.width,
                first="  ",
                rest="    ",
            )
        return lines

    def one(self, player: int, answer: str, menu: Menu) -> list[str]:
        """About one action, or one component."""
        lines: list[str] = []
        found = menu.find(answer)
        for entry in found[:_MOST_NAMED]:
            lines += self._entries([entry])
        if not found:
            refusal = self.session.refusal(player, answer)
            if refusal is not None and refusal.code != "unknown_action":
                text = self.names.action_text(answer)
                lines += wrap(
                    f"{text}{self.speech.colon} {self.reason(refusal)}{self._place(refusal)}",
                    self.width,
                    rest="  ",
                )
        lines += self._component(answer, shown=bool(found))
        if not lines:
            why = self.speech.unknown_component.format(name=clean(answer))
            lines = wrap(sentence(why), self.width)
        return lines

    def components(self, wanted: str = "") -> list[str]:
        """All that is printed on the components of the game, or on those whose names begin so."""
        lines: list[str] = []
        for kind in self.names.kinds.values():
            about = self.names.about(f"kind {kind.name}")
            there = [row for at, row in enumerate(kind.rows) if _copies(kind, at)]
            found = [row for row in there if self._is_meant(kind.name, row, wanted)]
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
        if lines:
            return lines
        if wanted:
            return [sentence(self.speech.unknown_component.format(name=clean(wanted)))]
        return [self.speech.nothing_to_see]

    def _is_meant(self, kind: str, row: str, wanted: str) -> bool:
        names = (self.names.component(kind, row), self.names.kind(kind), words(row), words(kind))
        plain = words(wanted).casefold().strip()
        # What stands above them on the table names them as well: `objectives`.
        zones = (zone.name for zone in self.names.game.zones if zone.kind == kind)
        headings = {self.names.zone(zone).casefold() for zone in zones}
        if plain in headings | {self.names.kind(kind, 2).casefold()}:
            return True
        return any(name.casefold().startswith(plain) for name in names)

    # ---------------------------------------------------------------------------------- parts

    def _alike(self, entries: Sequence[Entry]) -> list[list[Entry]]:
        """Entries that follow each other, together where the same is written about them."""
        found: list[list[Entry]] = []
        before = ""
        for entry in entries:
            details = self._details(entry.action.id)
            if details and details == before:
                found[-1].append(entry)
            else:
                found.append([entry])
            before = details
        return found

    def _entries(self, alike: Sequence[Entry]) -> list[str]:
        """Entries of which the same is written."""
        texts = (
            f"{entry.label} {entry.text}{entry.hint}"
            if entry.label != entry.text
            else f"{entry.text}{entry.hint}"
            for entry in alike
        )
        text = "; ".join(texts)
        details = self._details(alike[0].action.id)
        return wrap(
            f"{text}{self.speech.colon} {details}" if details else text,
            self.width,
            first="  ",
            rest="    ",
        )

    def _details(self, action: int) -> str:
        """What is written about an action, and about the first thing that it is about."""
        type_, texts = self.names.parts(action)
        told = [self.names.about(f"action {type_.name}")]
        for domain, text in zip(type_.parameters, texts, strict=True):
            match domain.of:
                case Component(kind):
                    found = self.names.row_of(kind, text)
                    about = "" if found is None else self.names.details(kind, found[0])
                case Enum(name):
                    about = self.names.about(f"value {name} {text}")
                case Site(board):
                    about = self.names.about(f"site {board} {text}")
                case _:
                    about = ""
            if about:
                told.append(about)
                break
        return " ".join(filter(None, told))

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

    def _lies_elsewhere(self, action: int, refusal: Refusal) -> bool:
        """Whether all that is wrong is that a piece, or a number, is not among those there.

        Which lie elsewhere is no answer to who asks what can be done.
        """
        if refusal.code != "not_there":
            return False
        domains = self.names.parts(action)[0].parameters
        return any(
            domain.element is not None or isinstance(domain.of, Component | Int)
            for domain in domains
        )

    def _others(self, player: int, menu: Menu) -> Iterable[int]:
        """The actions to ask about: all of a small game, else of the kinds of this question."""
        game = self.names.game
        if game.number_of_actions <= _MOST_ASKED:
            return range(game.number_of_actions)
        offered = {self.names.parts(entry.action.id)[0].base for entry in menu.entries}
        types = [
            type_
            for type_ in game.actions
            if type_.size and (type_.base in offered or self._belongs(player, type_))
        ]
        return [
            action
            for type_ in types
            for action in range(type_.base, type_.base + min(type_.size, _MOST_ASKED))
        ][: 2 * _MOST_ASKED]

    def _belongs(self, player: int, type_: ActionType) -> bool:
        """Whether the question has this kind of action, though none of it is possible."""
        refusal = self.session.refusal(player, type_.base)
        return refusal is not None and refusal.code != "not_offered"

    def reason(self, refusal: Refusal) -> str:
        """Why something is refused, in words as far as the rules have some."""
        speech = self.speech
        plain = {"hidden": speech.not_now, "not_offered": speech.not_offered, "taken": speech.taken}
        if refusal.code in plain:
            return plain[refusal.code]
        forms = {
            "not_there": ("source", speech.not_there),
            "condition": ("rule", speech.needs),
            "if_possible": ("rule", speech.preferred),
        }
        if refusal.code not in forms or refusal.span is None:
            return clean(refusal.message)
        place, form = forms[refusal.code]
        rule = one_line(refusal.span.text)
        if refusal.code == "not_there" and (zone := self._zone(rule)):
            return clean(speech.not_in.format(source=zone))
        said = self.names.rule(rule)
        if said == words(rule).replace("()", ""):
            # The rules have no words for it: as it is written, with the values that make it fail.
            return clean(refusal.message)
        return clean(form.format(**{place: said}))

    def _zone(self, rule: str) -> str:
        """A zone that is named alone, as the one who is asked reads it: `your hand`."""
        name, _, index = rule.partition("[")
        family = next((each for each in self.names.game.zones if each.name == name), None)
        if family is None or index not in ("", "you]"):
            return ""
        label = self.names.zone(name)
        if not family.indexes:
            return self.speech.the.format(name=label)
        owned = len(family.indexes) == 1 and is_player(family.indexes[0])
        return self.speech.your.format(zone=label) if owned else ""

    def _place(self, refusal: Refusal) -> str:
        """Where the rule stands that says no."""
        span = refusal.span
        if span is None or not span.source.name:
            return ""
        return f" ({clean(span.source.name.split('/')[-1])}:{span.line})"


def _copies(kind: Kind, row: int) -> int:
    """How many components of a row there are in this game."""
    return sum(kind.copies[row * kind.owners : (row + 1) * kind.owners])


def in_common(reasons: Sequence[str]) -> str:
    """What reasons of one kind have in common: they differ in the values that are named.

    >>> in_common(["2 is not in `hand`", "3 is not in `hand`"])
    'is not in `hand`'
    >>> in_common(["needs `q > 0`: q is -1", "needs `q > 0`: q is 0"])
    'needs `q > 0`'
    """
    if len(set(reasons)) == 1:
        return reasons[0]
    texts = [reason.split(" ") for reason in reasons]
    heads = _beginning(texts)
    tails = _beginning([text[::-1] for text in texts])[::-1]
    best = " ".join(heads if len(heads) >= len(tails) else tails)
    return best.split("`: ")[0] + "`" if "`: " in best else best or reasons[0]


def _beginning(texts: Sequence[Sequence[str]]) -> list[str]:
    """The words with which all begin."""
    same = []
    for column in zip(*texts, strict=False):
        if len(set(column)) > 1:
            break
        same.append(column[0])
    return same
