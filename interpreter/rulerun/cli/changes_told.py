"""What has changed in a game, told: for a terminal, as Markdown for a pull request, as data.

Assumes: changes, and the fingerprints of both sides.
Leaves behind: text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from rulerun_dsl.changes.change import Change, Changes, Detail
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.safe_text import clean, visible
from rulerun_dsl.source.spans import Span

SCHEMA_VERSION = 1
_SHOWN = 12
"""So much of a fingerprint tells it from others."""
_LONG = 60
"""A longer value stands on a line of its own."""

_TITLES = {
    "game": "The game",
    "player": "Players",
    "option": "Options",
    "variant": "Variants",
    "constraint": "Never together",
    "constant": "Constants",
    "type": "Types",
    "table": "Tables",
    "board": "Boards",
    "component": "Components",
    "zone": "Zones",
    "variable": "State",
    "automa": "Automata",
    "setup": "Set-up",
    "phase": "Phases",
    "action": "Actions",
    "procedure": "Procedures",
    "function": "Functions",
    "hook": "Hooks of modules",
    "scoring": "Scoring",
    "points": "Points",
    "tie": "Ties",
    "always": "Always",
}

_INSIDE = {"row": "Rows", "value": "Values"}
"""Titles of what belongs to something that has a name."""


@frozen
class Compared:
    """Two rules files and what is different in the game."""

    title: str
    old_name: str
    new_name: str
    old_fingerprint: str
    new_fingerprint: str
    known: bool
    """Whether records of the old rules are known to the new ones."""
    changes: Changes


def headline(found: Compared) -> str:
    """What came of it, in one line."""
    title, many = clean(found.title), len(found.changes.changes)
    if found.changes.same:
        return f"{title}: the same game"
    return f"{title}: {many} {'change' if many == 1 else 'changes'} in the game"


def records(found: Compared) -> str:
    """Whether records of the old rules are still known."""
    old, new = found.old_fingerprint[:_SHOWN], found.new_fingerprint[:_SHOWN]
    if found.old_fingerprint == found.new_fingerprint:
        return f"records of the old rules are known (fingerprint {new}, as before)"
    if found.known:
        return f"records of the old rules are known, by the older fingerprint {old}"
    why = (
        "records of the old rules are refused, since the same rules are written in another way"
        if found.changes.same
        else "records of the old rules are refused"
    )
    return f"{why} (fingerprint {old}, now {new}); `rulerun replay --force` tries them all the same"


def _section(change: Change) -> str:
    inside = _INSIDE.get(change.sort)
    return f"{inside} of {change.within}" if inside else _TITLES[change.sort]


def _sections(changes: Changes) -> Iterator[tuple[str, list[Change]]]:
    for title, group in groupby(changes.changes, _section):
        yield title, list(group)


def _name(change: Change) -> str:
    """The name of a thing; of a phase that has one already, `_was` has the phases around it."""
    inside = change.sort == "phase" and change.how != "renamed"
    return f"{change.within} {change.name}".strip() if inside else change.name


def _was(change: Change) -> str:
    return f"{change.within} {change.was}".strip() if change.sort == "phase" else change.was


def _beside(changes: Changes) -> Iterator[str]:
    if changes.texts:
        yield f"texts changed: {changes.texts}"
    if changes.hints:
        yield f"hints for screens changed: {changes.hints}"


def _is_short(detail: Detail) -> bool:
    return not detail.lines and all(
        len(each) <= _LONG for each in (detail.old, detail.new) if each is not None
    )


def _short(detail: Detail, how: str) -> str:
    what = f"{detail.what} " if detail.what else ""
    if detail.old is not None and detail.new is not None:
        return f"{what}{detail.old} → {detail.new}"
    value = detail.new if detail.new is not None else detail.old
    if how in ("added", "removed"):
        return f"{what}{value}"
    return f"{what}{value}, {'new' if detail.old is None else 'gone'}"


def _lines(detail: Detail) -> Iterator[str]:
    """A detail that has lines of its own."""
    if detail.lines:
        yield from detail.lines
        return
    if detail.old is not None:
        yield f"- {detail.old}"
    if detail.new is not None:
        yield f"+ {detail.new}"


def _head(change: Change, quote: str = "") -> str:
    """The name of a change, and what is short enough to stand behind it."""
    shown = ", ".join(f"{_short(each, change.how)}" for each in change.details if _is_short(each))
    name = _name(change)
    head = f"{quote}{name}{quote}" if name else ""
    if change.how == "renamed":
        head = f"{quote}{_was(change)}{quote} is now called {head}"
    elif change.how != "changed":
        head = f"{head} {change.how}".strip()
    return f"{head}: {shown}" if shown and head else head or shown


def as_text(found: Compared) -> str:
    """For a terminal."""
    lines = [
        headline(found),
        f"  old  {visible(found.old_name)}",
        f"  new  {visible(found.new_name)}",
    ]
    for title, changes in _sections(found.changes):
        lines += ["", title]
        for change in changes:
            head = _head(change)
            lines += [f"  {head}"] if head else []
            for detail in change.details:
                if _is_short(detail):
                    continue
                if detail.what:
                    lines.append(f"    {detail.what}")
                lines += [f"    {each}".rstrip() for each in _lines(detail)]
    lines += ["", *_beside(found.changes), records(found)]
    return "\n".join(lines) + "\n"


# ------------------------------------------------------------------------------------- Markdown


def as_markdown(found: Compared) -> str:
    """As a comment of a pull request."""
    lines = [f"### {_plain(headline(found))}", ""]
    lines += [f"{_code(visible(found.old_name))} → {_code(visible(found.new_name))}", ""]
    for title, changes in _sections(found.changes):
        lines += [f"**{_plain(title)}**", ""]
        for change in changes:
            lines.append(f"- {_marked(change)}")
            for detail in change.details:
                if not _is_short(detail):
                    lines += _fenced(detail)
        lines.append("")
    lines += [f"{each.capitalize()}.  " for each in _beside(found.changes)]
    told = records(found)
    lines += [f"{told[0].upper()}{told[1:]}.", ""]
    return "\n".join(lines)


def _marked(change: Change) -> str:
    """The first line of a change, with names and values as code."""
    name = _code(_name(change)) if _name(change) else ""
    head = {
        "renamed": f"{_code(_was(change))} is now called {name}",
        "added": f"{name} added",
        "removed": f"{name} removed",
    }.get(change.how, name)
    shown = []
    for each in change.details:
        if not _is_short(each):
            continue
        what = f"{_plain(each.what)} " if each.what else ""
        if each.old is not None and each.new is not None:
            shown.append(f"{what}{_code(each.old)} → {_code(each.new)}")
        else:
            value = each.new if each.new is not None else each.old or ""
            last = {"added": "", "removed": ""}.get(
                change.how, ", new" if each.old is None else ", gone"
            )
            shown.append(f"{what}{_code(value)}{last}")
    return ": ".join(filter(None, [head, ", ".join(shown)])) or "steps"


def _fenced(detail: Detail) -> list[str]:
    lines = list(_lines(detail))
    longest = max((len(run) for run in re.findall("`+", "\n".join(lines))), default=0)
    fence = "`" * max(3, longest + 1)
    what = [f"  {_plain(detail.what)}", ""] if detail.what else []
    return ["", *what, f"  {fence}diff", *(f"  {each}".rstrip() for each in lines), f"  {fence}"]


def _code(text: str) -> str:
    """A text as code, whatever stands in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    mark = "`" * (longest + 1)
    space = " " if longest else ""
    return f"{mark}{space}{text}{space}{mark}"


def _plain(text: str) -> str:
    """A text that means nothing to Markdown."""
    return re.sub(r"([\\`*_\[\]<>#|@])", r"\\\1", text)


# ----------------------------------------------------------------------------------------- data


def as_data(found: Compared) -> dict[str, Any]:
    """For programs."""
    return {
        "schema_version": SCHEMA_VERSION,
        "same": found.changes.same,
        "old": {"file": found.old_name, "fingerprint": found.old_fingerprint},
        "new": {"file": found.new_name, "fingerprint": found.new_fingerprint},
        "records_known": found.known,
        "changes": [_change(each) for each in found.changes.changes],
        "texts": found.changes.texts,
        "hints": found.changes.hints,
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "thing": change.sort,
        "within": change.within or None,
        "name": change.name,
        "change": change.how,
        "was": change.was,
        "details": [
            {"what": each.what, "old": each.old, "new": each.new, "lines": list(each.lines)}
            for each in change.details
        ],
        "old": _place(change.old),
        "new": _place(change.new),
    }


def _place(span: Span | None) -> dict[str, Any] | None:
    return None if span is None else {"file": span.source.name, "line": span.line}
