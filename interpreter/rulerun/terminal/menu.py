"""What a person may answer: the numbered actions, and how a typed answer is understood.

Assumes the legal actions of an observation, in order.
Does: gives each a label: its place in the list, except where an action is itself a number (a bid):
there the number is the label, so that `3` can only mean one thing. An answer is a label, the
action as the rules write it or as the screen does, or a beginning that only one of them has.
Leaves behind lines to show, and actions found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rulerun.runtime import actions
from rulerun.terminal.formatting import Paint, flow, in_columns, pad, width_of
from rulerun.views.observation import Action
from rulerun.words.labels import Labels
from rulerun.words.language import Language

MOST_ROWS = 12
_WORTH_GROUPING = 4


@dataclass(frozen=True, slots=True)
class Entry:
    """An action that may be taken, and what to call it."""

    label: str
    """What to type for it; nothing if only its name will do."""
    action: Action
    text: str
    """For people: `play prince 7`."""
    values: str
    """The same without the action's name: `prince 7`."""
    head: str = ""
    """What it has in common with others that stand on one line: all but its last value."""
    tail: str = ""
    """Its last value."""
    hint: str = ""
    """What it would cost or bring: ` (costs 2)`."""


class Menu:
    """The actions that one person may take now."""

    def __init__(self, names: Labels, legal: Sequence[Action]) -> None:
        """Label the actions."""
        ordered = names.actions_in_order(legal, lambda action: action.id)
        numbers = any(_number(action.text) for action in legal)
        self.speech = names.speech
        self.entries = tuple(
            Entry(
                _label(action, place, numbers),
                action,
                names.action(action.id),
                names.action_values(action.id),
                *_parted(*names.parameters(action.id)),
                hint=f" ({names.said(action.hint)})" if action.hint else "",
            )
            for place, action in enumerate(ordered, 1)
        )

    def find(self, answer: str) -> list[Entry]:
        """The entries that an answer may mean: one, or several that begin so, or none."""
        wanted = _plain(answer)
        if not wanted:
            return []
        exact = self.exact(answer)
        if exact is not None:
            return [exact]
        return [
            each for each in self.entries if any(text.startswith(wanted) for text in _spoken(each))
        ]

    def exact(self, answer: str) -> Entry | None:
        """The entry whose label or whole name was typed."""
        wanted = _plain(answer)
        ways: tuple[Callable[[Entry], set[str]], ...] = (
            lambda entry: {entry.label} - {""},
            lambda entry: {_plain(entry.action.text)},
            _spoken,
        )
        for spoken in ways:
            for each in self.entries:
                if wanted in spoken(each):
                    return each
        if actions.PLUS.strip() in answer:
            return next((each for each in self.entries if _rearranged(each, answer)), None)
        return None

    def lines(self, width: int, paint: Paint, rows: int | None = MOST_ROWS) -> list[str]:
        """The list for the screen, on so many rows; None: all of it."""
        wide = max((width_of(entry.label) for entry in self.entries), default=0)
        items = [
            f"{pad(entry.label, wide, right=True)} {entry.text}{entry.hint}"
            if entry.label != entry.text
            else pad(entry.text, wide, right=True) + entry.hint
            for entry in self.entries
        ]
        lines = in_columns(items, width)
        named = any(entry.head and entry.tail not in entry.values for entry in self.entries)
        if (named or len(lines) >= _WORTH_GROUPING) and (
            grouped := self._grouped(width, wide, paint)
        ):
            return self._cut(grouped, rows, width)
        left = 0
        if rows is not None and len(lines) > rows:
            shown = len(items) * rows // len(lines)
            lines = in_columns(items[:shown], width)
            left = len(items) - shown
        if paint.on:
            lines = [_painted(line, paint) for line in lines]
        if left:
            lines.append(_more(left, width, self.speech))
        return lines

    def _grouped(self, width: int, wide: int, paint: Paint) -> list[tuple[str, int]]:
        """Lines of what differs in one value only, with how many entries begin on each; or none."""
        groups: list[list[Entry]] = []
        for entry in self.entries:
            if not (entry.tail and entry.label and groups and groups[-1][0].tail):
                groups.append([entry])
            elif groups[-1][0].head == entry.head:
                groups[-1].append(entry)
            else:
                groups.append([entry])
        if not any(len(group) > 1 and group[0].head for group in groups):
            return []
        side = max(width_of(group[0].head) for group in groups if len(group) > 1)
        side = min(side, width // 3)
        lines: list[tuple[str, int]] = []
        small: list[tuple[str, int]] = []

        def item(entry: Entry, text: str) -> str:
            return f"{paint.number(pad(entry.label, wide, right=True))} {text}{entry.hint}"

        def flush() -> None:
            texts = [text for text, _ in small]
            counts = iter([count for _, count in small])
            for line in in_columns(texts, width):
                begun = [text for text in texts if text in line]
                lines.append((line, sum(next(counts, 0) for _ in begun)))
            small.clear()

        for group in groups:
            if len(group) == 1:
                small.append((item(group[0], group[0].text), 1))
                continue
            items = [item(entry, entry.tail) for entry in group]
            together = "   ".join([group[0].head, *items])
            if small and width_of(together) <= width // 2 - 4:
                small.append((together, len(group)))
                continue
            flush()
            first = pad(f"  {group[0].head}", side + 4)
            body = flow(items, width, first=first, rest=" " * (side + 4), gap="   ")
            lines.extend(_counted(body, items))
        flush()
        return lines

    def _cut(self, lines: list[tuple[str, int]], rows: int | None, width: int) -> list[str]:
        """As many lines as there is room for."""
        if rows is None or len(lines) <= rows:
            return [line for line, _ in lines]
        left = sum(count for _, count in lines[rows - 1 :])
        return [
            *(line for line, _ in lines[: rows - 1]),
            _more(left, width, self.speech),
        ]


def _more(left: int, width: int, speech: Language) -> str:
    """What is told of entries for which there is no room."""
    text = "  " + speech.more_answers.format(number=left)
    return text if width_of(text) <= width else "  " + speech.more_short.format(number=left)


def _counted(lines: list[str], items: list[str]) -> list[tuple[str, int]]:
    """Lines with how many of the items stand on each."""
    if not items:
        return []
    left = list(items)
    counted = []
    for line in lines:
        count = 0
        while left and left[0] in line:
            left.pop(0)
            count += 1
        counted.append((line, count))
    return counted


def _parted(name: str, values: Sequence[str]) -> tuple[str, str]:
    """What an action has in common with others that differ in the last value; and that value."""
    *most, last = values or ("",)
    return f"{name} {', '.join(most)}".strip(), last


def _rearranged(entry: Entry, answer: str) -> bool:
    """Whether an answer is a choice of several, written in another order."""
    ways = (entry.action.text, entry.values, answer)
    *meant, given = (_plain(actions.in_order(each.casefold())) for each in ways)
    return given in meant


def _spoken(entry: Entry) -> set[str]:
    texts = (entry.text, entry.action.text, entry.action.sentence, entry.values)
    return {_plain(text) for text in texts} - {""}


def _label(action: Action, place: int, numbers: bool) -> str:
    if not numbers:
        return str(place)
    return action.text if _number(action.text) else ""


def _number(text: str) -> bool:
    return text.lstrip("-").isdigit()


def _plain(text: str) -> str:
    return " ".join(text.replace("_", " ").replace(",", " ").casefold().split())


def _painted(line: str, paint: Paint) -> str:
    """The numbers of a line in colour."""
    return re.sub(
        r"(^ {2,}| {3,})(-?\d+)(?= |$)", lambda found: found[1] + paint.number(found[2]), line
    )
