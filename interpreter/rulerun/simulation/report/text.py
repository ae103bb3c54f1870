"""A report as text, for people at a terminal.

Assumes: a `Report`.
Does: lays it out in columns; long lists are written in part, and charts not at all.
Leaves behind: lines of 80 columns, as far as the names in the game allow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rulerun.simulation.report.elements import (
    PAGE,
    Listing,
    Remarks,
    Report,
    Row,
    Section,
    Table,
    Trouble,
)
from rulerun.simulation.report.formats import count

LONGEST = 100
"""So much of a line of a rules file is shown."""


def text(report: Report) -> str:
    """The whole report."""
    parts = [_head(report), *map(_section, report.sections)]
    return "\n\n".join("\n".join(part) for part in map(list, parts) if part) + "\n"


def _head(report: Report) -> Iterator[str]:
    if report.heading:
        yield report.heading
    yield from columns([[fact.name, fact.value] for fact in report.facts if fact.only != PAGE], 2)
    for warning in report.warnings:
        yield f"  {warning}"


def _section(section: Section) -> Iterator[str]:
    if section.heading:
        yield section.heading
    captioned = False
    for block in section.blocks:
        match block:
            case Table(only="page"):
                pass
            case Table(caption=caption):
                # The heading says what the first one is of.
                if captioned:
                    yield from ("", caption)
                captioned = True
                yield from _table(block)
            case Listing():
                yield from _listing(block)
            case Remarks(sentences=sentences):
                yield from (f"  {sentence}" for sentence in sentences)
            case Trouble():
                yield f"{block.code} in {block.games}: {block.message}"
                yield f"  --> {block.where}"
                yield f"  {block.source}"
                kept = f"written down in {block.record}; " if block.record else ""
                yield f"  {kept}to see it: {block.command}"


def _table(table: Table) -> Iterator[str]:
    shown = [at for at, column in enumerate(table.columns) if column.only != PAGE]
    heads = ["" if table.columns[at].words else table.columns[at].head for at in shown]
    rows = [heads] if any(heads) else []
    grouped = any(row.group for row in table.rows)
    group = ""
    for row in table.rows[: table.most]:
        if row.group not in ("", group):
            rows.append([row.group, *[""] * (len(shown) - 1)])
        group = row.group
        rows.append(_cells(row, shown))
    left = next((at for at in shown if not table.columns[at].words), len(shown))
    yield from columns(rows, left, "" if grouped else "  ")
    yield from _more(len(table.rows), table.most)


def _cells(row: Row, shown: Sequence[int]) -> list[str]:
    name, *others = (row.cells[at].text for at in shown)
    return [f"  {name}" if row.group else name, *others]


def _listing(listing: Listing) -> Iterator[str]:
    yield f"  {listing.title}:"
    for where, what in listing.rows[: listing.most]:
        yield f"    {where}: {shortened(what.text)}"
    yield from (f"  {line}" for line in _more(len(listing.rows), listing.most))


def _more(rows: int, most: int | None) -> Iterator[str]:
    if most is not None and rows > most:
        yield f"  … and {count(rows - most)} more (all with --format json or --html)"


def shortened(line: str) -> str:
    """A line of a rules file, as much of it as fits."""
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def columns(rows: Sequence[Sequence[str]], left: int = 1, indent: str = "  ") -> list[str]:
    """Rows in columns: the first `left` to the left, the others to the right.

    >>> columns([["a", "1"], ["bcd", "22"]])
    ['  a     1', '  bcd  22']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if at < left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append((indent + "  ".join(cells)).rstrip())
    return lines
