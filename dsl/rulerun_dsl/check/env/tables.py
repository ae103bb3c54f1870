"""Tables: a value for every value of one or several small types.

Keys are values, ranges (`1..2`) or lists; a table written as a list gives the values in order. A
table is checked to be total and without overlap.
"""

from __future__ import annotations

from rulerun_dsl.check.env import facts, tabular
from rulerun_dsl.check.env.records import TableFacts
from rulerun_dsl.check.env.world import World
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.yaml.nodes import Mapping, Node, Sequence


def table(world: World, name: str) -> TableFacts:
    """The facts of a table: total over its index types, without overlap."""
    return world.fact(
        "table",
        name,
        lambda: table_facts(world, world.by_kind["table"][name]),  # type: ignore[arg-type]
        TableFacts((), t.Unknown(), ()),
    )


def by_site(world: World, board: str) -> list[str]:
    """The tables that have one value for each site of a board, as a column has."""
    return [
        name for name in world.by_kind["table"] if table(world, name).indexes == (t.Site(board),)
    ]


def table_facts(world: World, decl: declarations.TableDecl) -> TableFacts:
    """Return the table's types and values."""
    indexes = tuple(facts.stored(world, each, "an index", True) for each in decl.by)
    if not indexes:
        world.report(
            "RR0407",
            f"the table `{decl.at.name}` does not say what it is indexed by",
            decl.at.span,
            help=f"write `{decl.at.name}[1..6]: …`, or `by: 1..6` in it",
        )
    if not indexes or any(isinstance(index, t.Unknown) for index in indexes):
        return TableFacts((), t.Unknown(), ())
    if facts.too_many(world, indexes, decl.at.name, decl.at.span, "values"):
        return TableFacts((), t.Unknown(), ())
    type_ = facts.type_of(world, decl.type) if decl.type is not None else None
    flat = spread(world, list(decl.rows), decl.at.name, decl.at.span, type_, indexes)
    if type_ is None:
        numbers = [value for value in flat if value is not None]
        type_ = t.Int(min(numbers, default=0), max(numbers, default=0))
    return TableFacts(indexes, type_, tuple(flat))


def spread(
    world: World,
    rows: list[tuple[s.Expression | None, Node]],
    name: str,
    span: Span,
    type_: t.Scalar | None,
    indexes: tuple[t.Scalar, ...],
) -> list[int | None]:
    """The values that rows write, for every value of the indexes; the last one fastest."""
    first, *more = indexes
    count = facts.size(world, first)
    cells: list[list[int | None] | None] = [None] * count
    for place, (key, node) in enumerate(rows):
        values = row_values(world, node, name, type_, tuple(more))
        if isinstance(key, s.Name) and key.text == "else":
            if None not in cells or place + 1 < len(rows):
                world.report(
                    "RR0512", "`else` stands last, for what no key before it names", key.span
                )
            cells = [values if cell is None else cell for cell in cells]
            continue
        if key is None and place >= count:
            world.report("RR0512", f"{count} values are wanted in `{name}`, no more", node.span)
            break
        for each in [place] if key is None else tabular.keys(world, key, first):
            if cells[each] is not None:
                value = facts.name_of(world, first, each + facts.low(first))
                where = key.span if key is not None else node.span
                world.report("RR0512", f"`{value}` stands twice in `{name}`", where)
                break
            cells[each] = values
    missing = [
        facts.name_of(world, first, place + facts.low(first))
        for place, cell in enumerate(cells)
        if cell is None
    ]
    # A key that was reported may well have been the one that is missing.
    starts = {each.span.start for each in world.diagnostics if each.span is not None}
    if missing and not any(key is not None and key.span.start in starts for key, _ in rows):
        listed = ", ".join(missing[:5]) + (" and others" if len(missing) > 5 else "")
        world.report(
            "RR0512",
            f"`{name}` says nothing of {listed}",
            span,
            help="a table has a value for every value of `by:`; `else` may stand for the rest",
        )
    blank: list[int | None] = [0] * (len(next((each for each in cells if each), [0])))
    return [value for cell in cells for value in (cell if cell is not None else blank)]


def row_values(
    world: World,
    node: Node,
    name: str,
    type_: t.Scalar | None,
    indexes: tuple[t.Scalar, ...],
) -> list[int | None]:
    """The values of one row: one, or a list or mapping for the next index."""
    if not indexes:
        wanted = type_ if type_ is not None else t.ANY_INT
        return [tabular.written_value(world, node, wanted)]
    rows: list[tuple[s.Expression | None, Node]] = []
    if isinstance(node, Mapping):
        for entry in node.entries:
            if entry.key.text == "else":
                rows.append((s.Name(entry.key.span, "else"), entry.value))
                continue
            key = world.parsed(entry.key)
            if key is not None:
                rows.append((key, entry.value))
    elif isinstance(node, Sequence):
        rows = [(None, item) for item in node.items]
    else:
        # One value for all of them is written as `else`.
        rows = [(None, node)]
    return spread(world, rows, name, node.span, type_, indexes)
