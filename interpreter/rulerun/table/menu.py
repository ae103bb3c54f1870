"""What a person may answer: the numbered actions, and how a typed answer is understood.

Assumes the legal actions of an observation, in order.
Does: gives each a label. That is its place in the list, save where an action is itself a number (a
bid): there the number is the label, so that `3` can only mean one thing. An answer is a label, the
action as the rules write it or as the screen does, or the beginning of just one of them.
Leaves behind lines to show, and actions found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rulerun.observation import Action
from rulerun.table.naming import Names
from rulerun.table.text import Paint, in_columns, pad, width_of

MOST_ROWS = 9


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


class Menu:
    """The actions that one person may take now."""

    def __init__(self, names: Names, legal: Sequence[Action]) -> None:
        """Label the actions."""
        numbers = any(_number(action.text) for action in legal)
        self.entries = tuple(
            Entry(
                label=_label(action, place, numbers),
                action=action,
                text=names.action(action.id),
                values=names.action_values(action.id),
            )
            for place, action in enumerate(legal, 1)
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
        return None

    def lines(self, width: int, paint: Paint, rows: int | None = MOST_ROWS) -> list[str]:
        """The list for the screen, on so many rows; None: all of it."""
        wide = max((width_of(entry.label) for entry in self.entries), default=0)
        items = [
            f"{pad(entry.label, wide, right=True)} {entry.text}"
            if entry.label != entry.text
            else pad(entry.text, wide, right=True)
            for entry in self.entries
        ]
        lines = in_columns(items, width)
        left = 0
        if rows is not None and len(lines) > rows:
            shown = len(items) * rows // len(lines)
            lines = in_columns(items[:shown], width)
            left = len(items) - shown
        if paint.on:
            lines = [_painted(line, paint) for line in lines]
        if left:
            lines.append(f"  … and {left} more: type one, or its beginning; `list` shows them all")
        return lines


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
