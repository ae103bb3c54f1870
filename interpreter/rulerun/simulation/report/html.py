"""A report as one page for a browser: it needs no network, no script and no other file.

Assumes: a `Report`.
Does: sets charts and tables beside each other; what a chart shows stands in a table as well. Long
tables are folded away.
Leaves behind: HTML. Every text is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from rulerun.simulation.report.charts import histograms, intervals
from rulerun.simulation.report.elements import (
    TEXT,
    Cell,
    Column,
    Histograms,
    Intervals,
    Listing,
    Remarks,
    Report,
    Row,
    Section,
    Table,
    Trouble,
)
from rulerun.simulation.report.formats import NONE, count
from rulerun.simulation.report.style import STYLE


def page(report: Report) -> str:
    """The whole page."""
    # What all comes to is what one looks for first.
    sections = sorted(report.sections, key=lambda section: not section.conclusion)
    body = "".join((*_head(report), *(part for each in sections for part in _section(each))))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(report.title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )


def _head(report: Report) -> Iterator[str]:
    yield f"<h1>{escape(report.name)}</h1>\n"
    yield f'<p class="faint">{escape(report.subtitle)}</p>\n'
    yield "<dl>"
    for fact in report.facts:
        value = _inside(Cell(fact.value, marked=fact.marked))
        yield f"<dt>{escape(fact.name)}</dt><dd>{value}</dd>"
    yield "</dl>\n"
    for warning in report.warnings:
        yield f'<p class="warn">{escape(warning)}</p>\n'


def _section(section: Section) -> Iterator[str]:
    if section.title:
        yield f"<h2>{escape(section.title)}</h2>\n"
    if section.intro:
        yield f"<p>{escape(section.intro)}</p>\n"
    for block in section.blocks:
        match block:
            case Table(folded=True):
                yield _folded(block)
            case Table():
                yield _table(block)
            case Listing():
                yield _folded(_places(block))
            case Remarks(sentences=(sentence,)):
                yield f"<p>{escape(sentence)}</p>\n"
            case Remarks(sentences=sentences):
                items = "".join(f"<li>{escape(sentence)}</li>\n" for sentence in sentences)
                yield f"<ul>\n{items}</ul>\n"
            case Trouble():
                yield _trouble(block)
            case Intervals(caption=caption):
                yield _figure(caption, intervals(block))
            case Histograms(charts=charts):
                drawn = zip(charts, histograms(charts), strict=True)
                figures = "".join(_figure(chart.caption, svg) for chart, svg in drawn)
                yield f'<div class="many">\n{figures}</div>\n' if len(charts) > 1 else figures


def _figure(caption: str, chart: str) -> str:
    """A chart under its name."""
    return f"<figure><figcaption>{escape(caption)}</figcaption>{chart}</figure>\n"


def _trouble(trouble: Trouble) -> str:
    return (
        f'<div class="warn"><p><strong>{escape(trouble.code)}</strong> stopped {trouble.games}: '
        f"{escape(trouble.message)}</p>"
        f"<p><code>{escape(trouble.where)}: {escape(trouble.source)}</code></p>"
        f"<p>The first of them is number {trouble.first}, kept in "
        f"<code>{escape(trouble.record)}</code> for <code>rulerun replay</code>.</p></div>\n"
    )


# --------------------------------------------------------------------------------------- tables


def _folded(table: Table) -> str:
    """A table that is shown when asked for, under its caption."""
    summary = f"{escape(table.caption)} ({count(len(table.rows))})"
    return f"<details><summary>{summary}</summary>{_table(table)}</details>\n"


def _table(table: Table) -> str:
    shown = [at for at, column in enumerate(table.columns) if column.only != TEXT]
    columns = [table.columns[at] for at in shown]
    heads = (f'<th scope="col"{_class(column)}>{escape(column.head)}</th>' for column in columns)
    rows = (_row(row, columns, [row.cells[at] for at in shown]) for row in table.rows)
    return (
        f'<div class="wide"><table><caption>{escape(table.caption)}</caption>'
        f"<thead><tr>{''.join(heads)}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>\n"
    )


def _row(row: Row, columns: Iterable[Column], cells: Iterable[Cell]) -> str:
    """A row, named by its first cell and its group."""
    group = f"{escape(row.group)}: " if row.group else ""
    (_, name), *others = zip(columns, cells, strict=True)
    elements = "".join(_element(column, cell) for column, cell in others)
    return f'<tr><th scope="row">{group}{_inside(name)}</th>{elements}</tr>'


def _element(column: Column, cell: Cell) -> str:
    if column.bar:
        width = "0" if cell.text == NONE else cell.text.replace(" ", "")
        return f'<td class="part" aria-hidden="true"><span style="width:{width}"></span></td>'
    return f"<td{_class(column)}>{_inside(cell)}</td>"


def _class(column: Column) -> str:
    return ' class="text"' if column.words else ""


def _inside(cell: Cell) -> str:
    inside = escape(cell.text)
    if cell.code:
        inside = f"<code>{inside}</code>"
    if cell.marked:
        inside = f'<span class="marked">{inside}</span>'
    if cell.note:
        inside = f"{inside}<br><small>{escape(cell.note)}</small>"
    return inside


def _places(listing: Listing) -> Table:
    columns = (Column("where", words=True), Column("what", words=True))
    rows = tuple(Row((Cell(where, code=True), what)) for where, what in listing.rows)
    return Table(listing.caption, columns, rows)
