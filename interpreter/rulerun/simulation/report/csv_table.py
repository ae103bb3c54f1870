"""The figures of a report as one table of comma-separated values, for spreadsheets.

Assumes: a `Report`.
Does: writes each figure as a row: what it is about, of whom, which number, and its interval.
Leaves behind: text with the columns `about, of, what, value, low, high`. A text that begins like a
formula (`=`, `+`, `-`, `@`) has an apostrophe before it, as spreadsheets want it.
"""

from __future__ import annotations

import csv
import io
from dataclasses import astuple, fields

from rulerun.simulation.report.elements import Figure, Report
from rulerun_dsl.source.safe_text import clean


def table(report: Report) -> str:
    """The whole table."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(field.name for field in fields(Figure))
    for section in report.sections:
        writer.writerows(map(cell, astuple(figure)) for figure in section.figures)
    return written.getvalue()


def cell(value: object) -> object:
    """A cell for a spreadsheet, which would reckon with a text that begins like a formula.

    >>> cell("=1+1"), cell(-1), cell(None)
    ("'=1+1", -1, '')
    """
    if not isinstance(value, str):
        return "" if value is None else value
    text = clean(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text
