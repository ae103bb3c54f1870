"""What a report is made of: sections of tables, charts and remarks, and the figures in them.

A report is made once from a result (`sections`, `compare.findings`), and written by `text`, `html`
and `csv_table`, which know nothing of what it says. Its texts are on one line each, and nothing in
them steers a terminal; what is markup in HTML is not escaped.

A page has more room than a text: what stands in one of the two only says so (`only`).
"""

from __future__ import annotations

from collections.abc import Sequence

from rulerun_dsl.source.frozen import frozen

TEXT, PAGE = "text", "page"


@frozen
class Figure:
    """A number of the result by itself: the value and the 95 % interval as they were reckoned."""

    about: str
    of: str
    what: str
    value: int | float | str | None
    low: float | None = None
    high: float | None = None


@frozen
class Cell:
    """A name or a number of a table, as people read it."""

    text: str
    note: str = ""
    """Its interval, where there is room."""
    code: bool = False
    marked: bool = False


@frozen
class Column:
    """A column of a table: numbers, unless it holds `words`."""

    head: str
    words: bool = False
    only: str = ""
    bar: bool = False
    """Its cells are shares, drawn as bars."""


@frozen
class Row:
    """A row of a table: a cell for each column, the first of them its name."""

    cells: tuple[Cell, ...]
    group: str = ""
    """Rows of one group follow each other."""


@frozen
class Table:
    """Numbers in columns."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    most: int | None = None
    """A text writes so many rows."""
    folded: bool = False
    """A page shows it when asked for."""
    only: str = ""


@frozen
class Listing:
    """Places in files, with what there is to say of each."""

    title: str
    caption: str
    rows: tuple[tuple[str, Cell], ...]
    most: int
    """A text writes so many rows."""


@frozen
class Remarks:
    """Sentences, each by itself."""

    sentences: tuple[str, ...]


@frozen
class Trouble:
    """A rule error that stopped games."""

    code: str
    games: str
    message: str
    where: str
    source: str
    first: int
    """The number of the first such game."""
    record: str
    """Where it is written down; empty: nowhere."""
    command: str
    """What shows that game."""


@frozen
class Bar:
    """A value with its interval."""

    name: str
    value: float
    low: float
    high: float
    text: str
    marked: bool = False


@frozen
class Intervals:
    """A chart of values on their intervals, and a line at what they are compared with."""

    caption: str
    title: str
    """In words what is drawn."""
    bars: tuple[Bar, ...]
    line: float
    line_name: str
    unit: str = " %"


@frozen
class Histogram:
    """A chart of how often each value was met."""

    caption: str
    title: str
    """In words what is drawn."""
    values: Sequence[Sequence[int]]
    """Pairs of a value and how often it was met."""
    low: int
    high: int
    mark: float
    """The mean."""
    columns: int = 40


@frozen
class Histograms:
    """Charts beside each other, by one measure."""

    charts: tuple[Histogram, ...]


Block = Table | Listing | Remarks | Trouble | Intervals | Histograms


@frozen
class Section:
    """One subject of a report."""

    title: str = ""
    """Its name; without one it goes on with what stands before it."""
    heading: str = ""
    """The first line of it in a text: the title, and of how many games it is."""
    intro: str = ""
    """The same as a sentence, under its title."""
    blocks: tuple[Block, ...] = ()
    figures: tuple[Figure, ...] = ()
    conclusion: bool = False
    """What all comes to: the end of a text, where one looks first, and the beginning of a page."""


@frozen
class Fact:
    """Something about a run as a whole."""

    name: str
    value: str
    only: str = ""
    marked: bool = False


@frozen
class Report:
    """All that is told of a run."""

    title: str
    """Of the page."""
    name: str
    """Of what was played."""
    heading: str
    """The first line of a text."""
    subtitle: str
    facts: tuple[Fact, ...]
    warnings: tuple[str, ...]
    sections: tuple[Section, ...]
