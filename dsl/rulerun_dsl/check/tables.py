"""Tables: a value for every value of one or several small types.

Keys are values, ranges (`1..2`) or lists; a table written as a list gives the values in order. A
table is checked to be total and without overlap.
"""

from __future__ import annotations

from rulerun_dsl import structure
from rulerun_dsl import syntax as s
from rulerun_dsl import valuetypes as t
from rulerun_dsl.check import facts
from rulerun_dsl.check.world import TableFacts, World
from rulerun_dsl.nodes import Node, Sequence


def table_facts(world: World, decl: structure.TableDecl) -> TableFacts:
    """Return the table's types and values."""
    indexes = tuple(facts.type_of(world, each) for each in decl.by)
    if not indexes or any(isinstance(index, t.Unknown) for index in indexes):
        return TableFacts((), t.Unknown(), ())
    first = indexes[0]
    count = facts.size(world, first)
    inner = 1
    for index in indexes[1:]:
        inner *= facts.size(world, index)
    type_ = facts.type_of(world, decl.type) if decl.type is not None else None
    cells: list[list[int | None] | None] = [None] * count
    for place, (key, node) in enumerate(decl.rows):
        values = row_values(world, node, type_, inner)
        places = [place] if key is None else keys(world, key, first)
        for each in places:
            if not 0 <= each < count:
                continue
            if cells[each] is not None:
                name = facts.name_of(world, first, each + facts.low(first))
                span = key.span if key is not None else node.span
                world.report("RR0512", f"`{name}` stands twice in `{decl.at.name}`", span)
            cells[each] = values
    missing = [
        facts.name_of(world, first, place + facts.low(first))
        for place, cell in enumerate(cells)
        if cell is None
    ]
    if missing:
        world.report(
            "RR0512",
            f"`{decl.at.name}` says nothing of {', '.join(missing[:5])}",
            decl.at.span,
            help="a table has a value for every value of `by:`",
        )
    flat = tuple(value for cell in cells for value in (cell or [0] * inner))
    if type_ is None:
        numbers = [value for value in flat if value is not None]
        type_ = t.Int(min(numbers, default=0), max(numbers, default=0))
    return TableFacts(indexes, type_, flat)


def keys(world: World, node: s.Expression, type_: t.Scalar) -> list[int]:
    """The places that a key names, from 0."""
    low = facts.low(type_)
    if isinstance(node, s.Range):
        first = facts.constant(world, node.low, type_)
        last = facts.constant(world, node.high, type_)
        if first is None or last is None:
            return []
        return [value - low for value in range(first, last + 1)]
    if isinstance(node, s.ListOf):
        return [place for item in node.items for place in keys(world, item, type_)]
    value = facts.constant(world, node, type_)
    return [] if value is None else [value - low]


def row_values(
    world: World, node: Node, type_: t.Scalar | None, count: int
) -> list[int | None]:
    """The values of one row: one, or a list for the second index."""
    wanted = type_ if type_ is not None else t.Int(t.INT_MIN, t.INT_MAX)
    if count == 1 and not isinstance(node, Sequence):
        return [facts.written_value(world, node, wanted)]
    items = node.items if isinstance(node, Sequence) else (node,)
    values = [facts.written_value(world, item, wanted) for item in items]
    if len(values) != count:
        world.report("RR0514", f"{count} values are wanted here, not {len(values)}", node.span)
    return (values + [0] * count)[:count]
