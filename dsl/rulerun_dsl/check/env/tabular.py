"""What enumerations, kinds and boards share: names in order, with columns.

Assumes: a `World`, and rows as the outline has them.
Does: reads `has:` and `rows:`, gives each column its type and each row its values.
Leaves behind: names and columns; findings about what is missing or not of its type.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as Mapping_
from itertools import product

from rulerun_dsl.check.env import board_sites, facts
from rulerun_dsl.check.env.by_row import column_names, values_by_row
from rulerun_dsl.check.env.records import ColumnFacts, RowsFacts
from rulerun_dsl.check.env.world import World
from rulerun_dsl.diagnostics.diagnostic import Related
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar, Sequence


def enumeration(world: World, name: str) -> RowsFacts:
    """The members of an enumeration (a declared type, or an option with named values)."""

    def make() -> RowsFacts:
        names = facts.enumeration_names(world, name)
        if name in world.by_kind["type"]:
            decl: declarations.TypeDecl = world.by_kind["type"][name]  # type: ignore[assignment]
            return RowsFacts(names, columns(world, decl.columns, decl.rows, name))
        return RowsFacts(names, {})

    return world.fact("enumeration", name, make, RowsFacts((), {}))


def check_distinct(world: World, names: list[tuple[str, Span]]) -> None:
    """Report a column, attribute or rule whose name another one has."""
    seen: dict[str, Span] = {}
    for name, span in names:
        if name in seen:
            world.report(
                "RR0403",
                f"`{name}` is declared twice",
                span,
                related=(Related(seen[name], "declared first here"),),
                help="columns, attributes and rules of one kind have names of their own",
            )
        seen.setdefault(name, span)


def kind_rows(world: World, kind: str) -> RowsFacts:
    """The rows of a kind."""

    def make() -> RowsFacts:
        decl = facts.kind_decl(world, kind)
        if decl.every is not None:
            return every_row(world, decl)
        if not decl.rows:
            return RowsFacts((kind,), columns(world, all_columns(world, decl), (), kind, 1))
        facts.check_names(world, [(row.name, row.span) for row in decl.rows])
        names = tuple(row.name for row in decl.rows)
        slots = frozenset(slot.signature.name for each in likes(world, decl) for slot in each.slots)
        return RowsFacts(names, columns(world, all_columns(world, decl), decl.rows, kind, 0, slots))

    return world.fact("rows", kind, make, RowsFacts((), {}))


def rows_of(world: World, kind: str) -> tuple[declarations.RowDecl, ...]:
    """The rows of a kind as declarations, also where none is written."""
    decl = facts.kind_decl(world, kind)
    return decl.rows or tuple(
        declarations.RowDecl(name, decl.at.span, (), None) for name in facts.row_names(world, kind)
    )


def all_columns(world: World, decl: declarations.KindDecl) -> tuple[declarations.Column, ...]:
    """The columns of a kind, those of the kind it is like first."""
    return tuple(column for each in likes(world, decl) for column in each.columns)


def likes(world: World, decl: declarations.KindDecl) -> list[declarations.KindDecl]:
    """The kinds that a kind is like, itself last."""
    found = [decl]
    while (like := found[0].like) is not None:
        if like.text not in world.by_kind["kind"]:
            world.unknown(like.text, like.span, "kind of component", world.by_kind["kind"])
            break
        other = facts.kind_decl(world, like.text)
        if any(each is other for each in found):
            names = [each.at.name for each in reversed(found)]
            round_ = " -> ".join([*names[names.index(like.text) :], like.text])
            world.report("RR0701", f"`{like.text}` is like itself: {round_}", like.span)
            break
        world.used.add(like.text)
        world.note(like.span, like.text)
        found.insert(0, other)
    return found


Combinations = tuple[tuple[tuple[declarations.Column, t.Scalar], ...], list[tuple[int, ...]]]
"""The columns that `every` names with their types, and each combination of their values."""


def combinations_of(world: World, decl: declarations.KindDecl) -> Combinations:
    """What `rows: every rank and suit` makes: each combination, the first column slowest."""

    def make() -> Combinations:
        assert decl.every is not None
        by_name = {column.name: column for column in decl.columns}
        types: list[tuple[declarations.Column, t.Scalar]] = []
        for name in decl.every.columns:
            if name not in by_name:
                world.unknown(name, decl.every.span, "column", by_name)
                return (), []
            column = by_name[name]
            types.append((column, facts.stored(world, column.type, f"`{name}`")))
        if facts.too_many(world, tuple(type_ for _, type_ in types), "rows", decl.every.span):
            return (), []
        ranges = [
            range(facts.low(type_), facts.low(type_) + facts.size(world, type_))
            for _, type_ in types
        ]
        return tuple(types), list(product(*ranges))

    nothing: Combinations = (), []
    return world.fact("combinations", decl.at.name, make, nothing)


def every_names(world: World, kind: str) -> tuple[str, ...]:
    """The names of such rows, without asking for their other columns."""

    def make() -> tuple[str, ...]:
        types, combinations = combinations_of(world, facts.kind_decl(world, kind))
        return tuple(
            "_".join(
                facts.name_of(world, type_, value)
                for value, (_, type_) in zip(row, types, strict=True)
            )
            for row in combinations
        )

    return world.fact("row names", kind, make, ())


def every_row(world: World, decl: declarations.KindDecl) -> RowsFacts:
    """The rows of `rows: every rank and suit`; the other columns have their defaults."""
    names = every_names(world, decl.at.name)
    types, combinations = combinations_of(world, decl)
    found: dict[str, ColumnFacts] = {}
    for place, (column, type_) in enumerate(types):
        values = tuple(row[place] for row in combinations)
        found[column.name] = ColumnFacts(column.name, type_, (), values, column.span)
    rest = tuple(column for column in decl.columns if column.name not in found)
    given = {
        column.name: by_default(world, column, column.default, found, names)
        for column in rest
        if column.default is not None
    }
    found.update(columns(world, rest, (), decl.at.name, len(names), given=given))
    return RowsFacts(names, found)


def by_default(
    world: World,
    column: declarations.Column,
    default: s.Expression,
    known: Mapping_[str, ColumnFacts],
    names: tuple[str, ...],
) -> list[int | None]:
    """What the default of a column is in each row, which may name the columns of `every`."""
    type_ = facts.stored(world, column.type, f"`{column.name}`")
    found = values_by_row(world, default, type_, known, names, column_names(known))
    return found if found is not None else [facts.low(type_)] * len(names)


def columns(
    world: World,
    declared: tuple[declarations.Column, ...],
    rows: tuple[declarations.RowDecl, ...],
    owner: str,
    count: int = 0,
    slots: frozenset[str] = frozenset(),
    given: Mapping_[str, list[int | None]] | None = None,
) -> dict[str, ColumnFacts]:
    """Return the columns of rows with their values, `count` rows of defaults if there are none.

    `given` are defaults that were worked out for each row.
    """
    types = [(each, facts.stored(world, each.type, f"`{each.name}`")) for each in declared]
    indexes = {
        each.name: tuple(facts.stored(world, index, "an index", True) for index in each.indexes)
        for each in declared
    }
    check_distinct(world, [(each.name, each.span) for each in declared])
    many = len(rows) or count
    # What would be too much is there, so that its name is known, and is the same in every row.
    nothing: tuple[int | None, ...] = (0,) * many
    blank = {
        each.name: ColumnFacts(each.name, t.Unknown(), (), nothing, each.span)
        for each, _ in types
        if facts.too_many(world, indexes[each.name], each.name, each.span)
        or facts.too_many_of(
            world,
            [*(facts.size(world, index) for index in indexes[each.name]), many],
            each.name,
            each.span,
            "values",
        )
    }
    types = [(each, type_) for each, type_ in types if each.name not in blank]
    values: dict[str, list[int | None]] = {each.name: [] for each, _ in types}
    defaults: dict[str, int | None] = {}
    known = {each.name for each in declared} | slots | {"copies"}
    plain = [each for each in declared if not each.indexes]
    for place, row in enumerate(rows or [None] * count):
        defaults.update({name: values_[place] for name, values_ in (given or {}).items()})
        written: dict[str, Node] = {}
        if row is not None and row.listed is not None:
            if len(row.listed) > len(plain):
                world.report(
                    "RR0514",
                    f"row `{row.name}` has {len(row.listed)} values for {len(plain)} columns",
                    row.span,
                    help=f"the columns are: {', '.join(each.name for each in plain) or 'none'}",
                )
            written = {each.name: node for each, node in zip(plain, row.listed, strict=False)}
        elif row is not None:
            for key, node in row.values:
                if key.text not in known:
                    world.unknown(key.text, key.span, f"column of `{owner}`", known)
                for each in declared if world.recorder is not None else ():
                    if each.name == key.text:
                        world.note(key.span, key.text, "column", at=each.span)
                written[key.text] = node
        for column, type_ in types:
            span = row.span if row is not None else column.span
            cells = cell(
                world, column, type_, indexes[column.name], written.get(column.name), span, defaults
            )
            values[column.name].extend(cells)
    made = {
        each.name: ColumnFacts(
            each.name, type_, indexes[each.name], tuple(values[each.name]), each.span
        )
        for each, type_ in types
    }
    return {each.name: made.get(each.name) or blank[each.name] for each in declared}


def cell(
    world: World,
    column: declarations.Column,
    type_: t.Scalar,
    indexes: tuple[t.Scalar, ...],
    node: Node | None,
    span: Span,
    defaults: dict[str, int | None],
) -> list[int | None]:
    """Return the values of one cell: one, or one for each value of the column's indexes.

    `defaults` keeps those of the columns whose default was asked for before.
    """
    if column.default is not None and column.name not in defaults and (node is None or indexes):
        defaults[column.name] = facts.constant(world, column.default, type_)
    default = defaults.get(column.name)
    many = 1
    for index in indexes:
        many *= facts.size(world, index)
    if node is None:
        if column.default is None:
            world.report(
                "RR0514",
                f"there is no value for the column `{column.name}`",
                span,
                help=f"give one, or a default: `{column.name}: {column.type.span.text} = …`",
            )
            return [facts.low(type_)] * many
        return [default] * many
    if not indexes:
        return [written_value(world, node, type_)]
    mark = len(world.diagnostics)
    values = spread(world, node, column.name, type_, indexes, default)
    gap = column.default is None and None in values and not isinstance(type_, t.Optional)
    if gap and len(world.diagnostics) == mark:
        world.report(
            "RR0514",
            f"`{column.name}` says nothing of some of {', '.join(map(str, indexes))}",
            node.span,
            help=f"write all of them, or give a default: `{column.type.span.text} = …`",
        )
    return [facts.low(type_) if gap and value is None else value for value in values]


def keys(world: World, node: s.Expression, type_: t.Scalar) -> Iterator[int]:
    """The places that a key names, from 0, as far as the type has them."""
    low, count = facts.low(type_), facts.size(world, type_)
    if isinstance(node, s.Nothing) and isinstance(type_, t.Optional):
        yield 0
    elif isinstance(node, s.Range):
        first = facts.constant(world, node.low, type_)
        last = facts.constant(world, node.high, type_)
        if first is None or last is None:
            return
        if first > last:
            world.report("RR0503", f"the range `{node.span.text}` is empty", node.span)
        # However far the range goes, the type has so many values.
        yield from range(max(first - low, 0), min(last - low + 1, count))
    elif isinstance(node, s.ListOf):
        for item in node.items:
            yield from keys(world, item, type_)
    else:
        value = facts.constant(world, node, type_)
        if value is not None and 0 <= value - low < count:
            yield value - low


def spread(
    world: World,
    node: Node,
    name: str,
    type_: t.Scalar,
    indexes: tuple[t.Scalar, ...],
    default: int | None,
) -> list[int | None]:
    """The values of an indexed cell: a list in order, or a mapping; the default for the rest."""
    if not indexes:
        return [written_value(world, node, type_)]
    first, *more = indexes
    count, inner = facts.size(world, first), 1
    for index in more:
        inner *= facts.size(world, index)
    found: list[int | None] = [default] * (count * inner)

    def fill(place: int, values: list[int | None]) -> None:
        found[place * inner : (place + 1) * inner] = values

    if isinstance(node, Sequence):
        if len(node.items) > count:
            world.report("RR0514", f"`{name}` has {count} values, not {len(node.items)}", node.span)
        for place, item in enumerate(node.items[:count]):
            fill(place, spread(world, item, name, type_, tuple(more), default))
    elif isinstance(node, Mapping):
        filled: set[int] = set()
        for entry in node.entries:
            key = world.parsed(entry.key)
            if key is None:
                continue
            values = spread(world, entry.value, name, type_, tuple(more), default)
            for place in keys(world, key, first):
                if place in filled:
                    value = facts.name_of(world, first, place + facts.low(first))
                    world.report("RR0512", f"`{value}` stands twice in `{name}`", key.span)
                    break
                filled.add(place)
                fill(place, values)
    elif not isinstance(type_, t.Unknown):
        listed = ", ".join(str(index) for index in indexes)
        world.report(
            "RR0514",
            f"`{name}` is indexed by {listed}: one value says not which",
            node.span,
            help="write a list of all, or a mapping: `{clubs: 1}`",
        )
    return found


def written_value(world: World, node: Node, type_: t.Scalar) -> int | None:
    """Return the value that a cell or table entry writes: a name or a constant expression."""
    if isinstance(type_, t.SetOf) and isinstance(node, Sequence):
        inside = [written_value(world, item, type_.element) for item in node.items]
        first = facts.low(type_.element)
        return sum(1 << (place - first) for place in set(inside) if place is not None)
    if not isinstance(node, Scalar):
        world.report("RR0514", "one value is wanted here", node.span)
        return facts.low(type_)
    if isinstance(type_, t.Int) and type(node.value) is int and node.text.isdecimal():
        # Most cells are plain numbers.
        if type_.low <= node.value <= type_.high:
            return node.value
    places = facts.places(world, type_)
    if node.text in places:
        return places[node.text]
    inner = t.bare(type_)
    if isinstance(inner, t.Site) and board_sites.is_removed(world, inner.board, node.text):
        if not isinstance(type_, t.Optional):
            world.report(
                "RR0514",
                f"`{node.text}` is taken away, and the column always names a site",
                node.span,
                help=f"let its type be `{inner} or none`",
            )
        return None
    expression = world.parsed(node)
    if expression is None:
        return facts.low(type_)
    value = facts.constant(world, expression, type_)
    return facts.low(type_) if value is None and not isinstance(type_, t.Optional) else value
