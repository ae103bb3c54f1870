"""What the declared names are: answers to questions about declarations, made when first asked.

Assumes: a `World`.
Does: reads types, options, constants, rows with their columns, kinds, boards, zones and variables.
Leaves behind: facts, kept in the world; findings in its diagnostics.
"""

from __future__ import annotations

from itertools import product

from rulerun_dsl import model as m
from rulerun_dsl import structure
from rulerun_dsl import syntax as s
from rulerun_dsl import valuetypes as t
from rulerun_dsl.check.constants import NOT_CONSTANT, value_of
from rulerun_dsl.check.world import (
    ColumnFacts,
    KindFacts,
    RowsFacts,
    TableFacts,
    VariableFacts,
    World,
    ZoneFacts,
)
from rulerun_dsl.nodes import Node, Scalar, Sequence
from rulerun_dsl.source import Span

UNKNOWN: t.Scalar = t.Unknown()

# -------------------------------------------------------------------------------------- types


def type_of(world: World, node: s.TypeExpression) -> t.Scalar:
    """Return the type that a type expression names; `Unknown` once it is reported."""
    match node:
        case s.NamedType(span, name):
            return named_type(world, name, span)
        case s.KindType(span, kind):
            if kind not in world.by_kind["kind"]:
                world.unknown(kind, span, "kind of component", world.by_kind["kind"])
                return t.Unknown()
            world.used.add(kind)
            return t.Row(kind)
        case s.RangeType(span, low, high):
            first = constant(world, low, None)
            last = constant(world, high, None)
            if first is None or last is None:
                return t.Unknown()
            if first > last:
                world.report(
                    "RR0503",
                    f"the range `{span.text}` is empty: {first} is above {last}",
                    span,
                    help="write the lower end first",
                )
                return t.Unknown()
            if first < t.INT_MIN or last > t.INT_MAX:
                world.report("RR0508", f"`{span.text}` does not fit 32 bits", span)
                return t.Unknown()
            return t.Int(first, last)
        case s.OptionalType(_, inner):
            return t.optional(type_of(world, inner))
        case s.OrderType():
            return t.Order()
        case s.SetType(_, element):
            return t.SetOf(type_of(world, element))


def named_type(world: World, name: str, span: Span) -> t.Scalar:
    """Return the type of a name."""
    if name == "bool":
        return t.Bool()
    if name == "player":
        return t.Player()
    if name == "int":
        return t.Int(t.INT_MIN, t.INT_MAX)
    if name == "direction":
        boards = [each for each in world.by_kind["board"] if directions(world, each)]
        if len(boards) == 1:
            world.used.add(boards[0])
            return t.Direction(boards[0])
        world.report("RR0407", "`direction` needs a board with directions", span)
        return t.Unknown()
    for word, make in (("board", t.Site), ("kind", t.Component)):
        if name in world.by_kind[word]:
            world.used.add(name)
            return make(name)
    if name in world.by_kind["type"]:
        world.used.add(name)
        return declared_type(world, name)
    if name in world.by_kind["option"]:
        option: structure.OptionDecl = world.by_kind["option"][name]  # type: ignore[assignment]
        if option.members:
            world.used.add(name)
            return t.Enum(name)
    known = [*world.by_kind["type"], *world.by_kind["board"], *world.by_kind["kind"]]
    world.unknown(name, span, "type", ["bool", "player", "direction", *known])
    return t.Unknown()


def declared_type(world: World, name: str) -> t.Scalar:
    """Return what `types: name` stands for."""

    def make() -> t.Scalar:
        decl: structure.TypeDecl = world.by_kind["type"][name]  # type: ignore[assignment]
        return type_of(world, decl.alias) if decl.alias is not None else t.Enum(name)

    return world.fact("type", name, make, UNKNOWN)


def use(world: World, type_: t.Type) -> None:
    """Note that something is made of a type: one of its members was named."""
    match type_:
        case t.Enum(name) if name in world.by_kind["type"]:
            world.used.add(name)
        case t.Row(name) | t.Site(name) | t.Direction(name):
            world.used.add(name)


def size(world: World, type_: t.Type) -> int:
    """How many values a type has, `none` included."""
    match type_:
        case t.Bool():
            return 2
        case t.Int(low, high):
            return high - low + 1
        case t.Optional(inner):
            return size(world, inner) + 1
        case t.SetOf(element):
            return 1 << min(size(world, element), 64)
        case _:
            return len(members(world, type_))


def low(type_: t.Type) -> int:
    """The number of a type's lowest value (of `none`, if it has it)."""
    match type_:
        case t.Int(lowest, _):
            return lowest
        case t.Optional(inner):
            return low(inner) - 1
        case _:
            return 0


def members(world: World, type_: t.Type) -> tuple[str, ...]:
    """The names of a type's values, where they have names."""
    match type_:
        case t.Player():
            return world.players
        case t.Enum(name):
            return enumeration_names(world, name)
        case t.Row(kind) | t.Component(kind):
            return row_names(world, kind)
        case t.Site(board):
            return site_names(world, board)
        case t.Direction(board):
            return directions(world, board)
        case t.Bool():
            return ("false", "true")
        case t.Optional(inner):
            return members(world, inner)
        case _:
            return ()


def name_of(world: World, type_: t.Type, value: int | None) -> str:
    """The value of a type as people write it."""
    if value is None:
        return "none"
    names = members(world, type_)
    return names[value] if names and 0 <= value < len(names) else str(value)


# ------------------------------------------------------------------------ options and constants


def setting_type(world: World, name: str) -> t.Scalar:
    """The type of an option."""
    decl: structure.OptionDecl = world.by_kind["option"][name]  # type: ignore[assignment]
    if decl.members:
        return t.Enum(name)

    def make() -> t.Scalar:
        return type_of(world, decl.type) if decl.type is not None else t.Unknown()

    return world.fact("option type", name, make, UNKNOWN)


def setting(world: World, name: str) -> int | None:
    """The value of an option: as given, else its default."""

    def make() -> int | None:
        decl: structure.OptionDecl = world.by_kind["option"][name]  # type: ignore[assignment]
        type_ = setting_type(world, name)
        # The default is checked, and reads what it reads, whatever is given.
        value = None if decl.default is None else constant(world, decl.default, type_)
        if name in world.given:
            return read_setting(world, name, type_, world.given[name], decl.at.span)
        if decl.default is None:
            return low(type_)
        return low(type_) if value is None and not isinstance(type_, t.Optional) else value

    return world.fact("option", name, make, None)


def read_setting(
    world: World, name: str, type_: t.Scalar, text: str, span: Span
) -> int | None:
    """Return a value of an option given as text."""
    names = members(world, type_)
    if isinstance(type_, t.Optional) and text == "none":
        return None
    if text in names:
        return names.index(text)
    whole = t.inner(type_)
    if isinstance(whole, t.Int):
        try:
            value = int(text)
        except ValueError:
            value = whole.low - 1
        if whole.low <= value <= whole.high:
            return value
    values = ", ".join(names) if names else str(type_)
    world.report(
        "RR0412",
        f"`{text}` is no value of the option `{name}`",
        span,
        help=f"it can be: {values}",
    )
    return low(type_)


def constant(world: World, node: s.Expression, expected: t.Type | None) -> int | None:
    """Return the value of a constant expression; None once something is reported."""
    expression = world.elaborate(world, node, expected, {})
    if isinstance(expression.type, t.Unknown):
        return None
    value = value_of(world, expression)
    if value is NOT_CONSTANT:
        world.report(
            "RR0504",
            f"`{node.span.text}` must be known before play begins",
            node.span,
            help="use numbers, options, constants, count(players) and functions of these",
        )
        return None
    assert value is None or isinstance(value, int)
    return value


# ------------------------------------------------------------------------------------- rows


def enumeration(world: World, name: str) -> RowsFacts:
    """The members of an enumeration (a declared type, or an option with named values)."""

    def make() -> RowsFacts:
        names = enumeration_names(world, name)
        if name in world.by_kind["type"]:
            decl: structure.TypeDecl = world.by_kind["type"][name]  # type: ignore[assignment]
            return RowsFacts(names, columns(world, decl.columns, decl.rows, name))
        return RowsFacts(names, {})

    return world.fact("enumeration", name, make, RowsFacts((), {}))


def enumeration_names(world: World, name: str) -> tuple[str, ...]:
    """The names alone: a column may be of the very type whose rows it belongs to."""

    def make() -> tuple[str, ...]:
        if name in world.by_kind["type"]:
            decl: structure.TypeDecl = world.by_kind["type"][name]  # type: ignore[assignment]
            pairs = [(each.text, each.span) for each in decl.members]
            pairs += [(each.name, each.span) for each in decl.rows]
        else:
            option: structure.OptionDecl = world.by_kind["option"][name]  # type: ignore[assignment]
            pairs = [(each.text, each.span) for each in option.members]
        check_names(world, pairs)
        return tuple(text for text, _ in pairs)

    return world.fact("members", name, make, ())


_NEVER_NAMES = frozenset(
    "and or not in is if else for true false none kind the you all this otherwise".split()
)


def check_names(world: World, names: list[tuple[str, Span]]) -> None:
    """Report members that are reserved words or stand twice."""
    seen: set[str] = set()
    for name, span in names:
        if name in _NEVER_NAMES:
            world.report(
                "RR0404",
                f"`{name}` is a word of the language and cannot be a name",
                span,
                help="choose another word, as `nobody` for `none`",
            )
        if name in seen:
            world.report("RR0403", f"`{name}` stands twice", span)
        seen.add(name)


def kind_rows(world: World, kind: str) -> RowsFacts:
    """The rows of a kind."""

    def make() -> RowsFacts:
        decl = kind_decl(world, kind)
        if decl.every is not None:
            return every_row(world, decl)
        if not decl.rows:
            return RowsFacts((kind,), columns(world, decl.columns, (), kind, 1))
        check_names(world, [(row.name, row.span) for row in decl.rows])
        names = tuple(row.name for row in decl.rows)
        slots = frozenset(slot.signature.name for slot in decl.slots)
        return RowsFacts(names, columns(world, all_columns(world, decl), decl.rows, kind, 0, slots))

    return world.fact("rows", kind, make, RowsFacts((), {}))


def row_names(world: World, kind: str) -> tuple[str, ...]:
    """The names of a kind's rows, without asking for their columns."""
    decl = kind_decl(world, kind)
    if decl.every is not None:
        return kind_rows(world, kind).names
    return tuple(row.name for row in decl.rows) or (kind,)


def kind_decl(world: World, kind: str) -> structure.KindDecl:
    """The declaration of a kind."""
    return world.by_kind["kind"][kind]  # type: ignore[return-value]


def all_columns(world: World, decl: structure.KindDecl) -> tuple[structure.Column, ...]:
    """The columns of a kind, those of the kind it is like first."""
    if decl.like is not None and decl.like.text in world.by_kind["kind"]:
        world.used.add(decl.like.text)
        return all_columns(world, kind_decl(world, decl.like.text)) + decl.columns
    return decl.columns


def every_row(world: World, decl: structure.KindDecl) -> RowsFacts:
    """The rows of `rows: every rank and suit`: each combination, the first column slowest."""
    assert decl.every is not None
    by_name = {column.name: column for column in decl.columns}
    types: list[tuple[structure.Column, t.Scalar]] = []
    for name in decl.every.columns:
        if name not in by_name:
            world.unknown(name, decl.every.span, "column", by_name)
            return RowsFacts((), {})
        types.append((by_name[name], type_of(world, by_name[name].type)))
    ranges = [range(low(type_), low(type_) + size(world, type_)) for _, type_ in types]
    combinations = list(product(*ranges))
    names = tuple(
        "_".join(name_of(world, type_, value) for value, (_, type_) in zip(row, types, strict=True))
        for row in combinations
    )
    facts: dict[str, ColumnFacts] = {}
    for place, (column, type_) in enumerate(types):
        values = tuple(row[place] for row in combinations)
        facts[column.name] = ColumnFacts(column.name, type_, (), values, column.span)
    rest = tuple(column for column in decl.columns if column.name not in decl.every.columns)
    facts.update(columns(world, rest, (), decl.at.name, len(names)))
    return RowsFacts(names, facts)


def columns(
    world: World,
    declared: tuple[structure.Column, ...],
    rows: tuple[structure.RowDecl, ...],
    owner: str,
    count: int = 0,
    slots: frozenset[str] = frozenset(),
) -> dict[str, ColumnFacts]:
    """Return the columns of rows with their values, `count` rows of defaults if there are none."""
    types = [(each, type_of(world, each.type)) for each in declared]
    indexes = {each.name: tuple(type_of(world, i) for i in each.indexes) for each in declared}
    values: dict[str, list[int | None]] = {each.name: [] for each in declared}
    known = {each.name for each in declared} | slots | {"copies"}
    plain = [each for each in declared if not each.indexes]
    for row in rows or [None] * count:
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
                written[key.text] = node
        for column, type_ in types:
            span = row.span if row is not None else column.span
            cells = cell(world, column, type_, indexes[column.name], written.get(column.name), span)
            values[column.name].extend(cells)
    return {
        each.name: ColumnFacts(
            each.name, type_, indexes[each.name], tuple(values[each.name]), each.span
        )
        for each, type_ in types
    }


def cell(
    world: World,
    column: structure.Column,
    type_: t.Scalar,
    indexes: tuple[t.Scalar, ...],
    node: Node | None,
    span: Span,
) -> list[int | None]:
    """Return the values of one cell: one, or one for each value of the column's indexes."""
    many = 1
    for index in indexes:
        many *= size(world, index)
    if node is None:
        if column.default is None:
            world.report(
                "RR0514",
                f"there is no value for the column `{column.name}`",
                span,
                help=f"give one, or a default: `{column.name}: {column.type.span.text} = …`",
            )
            return [low(type_)] * many
        return [constant(world, column.default, type_)] * many
    if not indexes:
        return [written_value(world, node, type_)]
    default = constant(world, column.default, type_) if column.default is not None else None
    found: list[int | None] = [default] * many
    if isinstance(node, Sequence):
        for place, item in enumerate(node.items[:many]):
            found[place] = written_value(world, item, type_)
    else:
        names = members(world, indexes[0])
        for key, value in getattr(node, "entries", ()) and [
            (entry.key, entry.value)
            for entry in node.entries  # type: ignore[union-attr]
        ]:
            if key.text in names:
                found[names.index(key.text)] = written_value(world, value, type_)
            else:
                world.unknown(key.text, key.span, f"{indexes[0]}", names)
    return found


def written_value(world: World, node: Node, type_: t.Scalar) -> int | None:
    """Return the value that a cell or table entry writes: a name or a constant expression."""
    from rulerun_dsl.parse import parse_test

    if isinstance(type_, t.SetOf) and isinstance(node, Sequence):
        places = [written_value(world, item, type_.element) for item in node.items]
        first = low(type_.element)
        return sum(1 << (place - first) for place in set(places) if place is not None)
    if not isinstance(node, Scalar):
        world.report("RR0514", "one value is wanted here", node.span)
        return low(type_)
    names = members(world, type_)
    if node.text in names:
        return names.index(node.text)
    expression, found = parse_test(node)
    world.diagnostics.extend(each for each in found if each not in world.diagnostics)
    if expression is None:
        return low(type_)
    value = constant(world, expression, type_)
    return low(type_) if value is None and not isinstance(type_, t.Optional) else value


# ------------------------------------------------------------------------------------- boards


def board_decl(world: World, board: str) -> structure.BoardDecl:
    """The declaration of a board."""
    return world.by_kind["board"][board]  # type: ignore[return-value]


def sites(world: World, board: str) -> RowsFacts:
    """The sites of a board with their columns."""
    from rulerun_dsl.check import boards

    return world.fact("sites", board, lambda: boards.site_facts(world, board), RowsFacts((), {}))


def site_names(world: World, board: str) -> tuple[str, ...]:
    """The names of a board's sites, without asking for their columns."""
    from rulerun_dsl.check import boards

    return world.fact("site names", board, lambda: boards.site_names(world, board), ())


def directions(world: World, board: str) -> tuple[str, ...]:
    """The names of a board's directions."""
    from rulerun_dsl.check import boards

    return tuple(name for name, _, _ in boards.directions_of(board_decl(world, board)))


# ----------------------------------------------------------------------------- kinds and zones


def kind(world: World, name: str) -> KindFacts:
    """The facts of a kind of component."""

    def make() -> KindFacts:
        decl = kind_decl(world, name)
        rows = kind_rows(world, name)
        owner: t.Scalar | None = None
        owners: tuple[str, ...] = ("",)
        if decl.each is not None:
            owner = named_type(world, decl.each, decl.each_span or decl.at.span)
            owners = members(world, owner) or ("",)
        by_row = copies(world, decl, rows)
        attributes = {}
        for key, declared in decl.attributes:
            type_ = type_of(world, declared.type)
            start = low(type_) if not isinstance(type_, t.Optional) else None
            if declared.start is not None:
                start = constant(world, declared.start, type_)
            attributes[key.name] = (type_, (start,) * len(rows.names), declared.start)
        held = name in held_kinds(world)
        several = any(count != 1 for count in by_row)
        start_zone = start_of(world, decl)
        return KindFacts(
            decl=decl,
            rows=rows,
            owner=owner,
            owners=owners,
            copies=tuple(count for count in by_row for _ in owners),
            attributes=attributes,
            slots={slot.signature.name: slot for slot in decl.slots},
            counted=several and not attributes and not held,
            start=start_zone,
            start_indexes=(),
        )

    facts = world.fact("kind", name, make, None)
    assert facts is not None, name
    return facts


def held_kinds(world: World) -> frozenset[str]:
    """The kinds that some variable holds: their copies must be told apart."""

    def make() -> frozenset[str]:
        found: set[str] = set()
        for decl in world.outline.variables:
            type_: s.TypeExpression | None = decl.type
            while isinstance(type_, s.OptionalType | s.SetType):
                type_ = type_.inner if isinstance(type_, s.OptionalType) else type_.element
            if isinstance(type_, s.NamedType) and type_.name in world.by_kind["kind"]:
                found.add(type_.name)
            for index in decl.indexes:
                if isinstance(index, s.NamedType) and index.name in world.by_kind["kind"]:
                    found.add(index.name)
        return frozenset(found)

    return world.fact("held", "kinds", make, frozenset())


def copies(world: World, decl: structure.KindDecl, rows: RowsFacts) -> list[int]:
    """How many of each row there are (for each owner)."""
    every = 1
    if decl.copies is not None:
        every = constant(world, decl.copies, None) or 0
    if "copies" in rows.columns:
        found = [count or 0 for count in rows.columns["copies"].values]
    else:
        found = [every] * len(rows.names)
        for place, row in enumerate(decl.rows):
            for key, node in row.values:
                if key.text == "copies":
                    found[place] = written_value(world, node, t.Int(0, 9999)) or 0
    for place, row in enumerate(decl.rows):
        if row.when is not None and constant(world, row.when, t.Bool()) != 1:
            found[place] = 0
    if decl.at.when is not None and constant(world, decl.at.when, t.Bool()) != 1:
        # The kind of a module that is off has no components.
        found = [0] * len(found)
    return found


def start_of(world: World, decl: structure.KindDecl) -> str | None:
    """The zone family in which a kind starts."""
    if decl.start is None:
        world.report(
            "RR0411",
            f"nothing says where `{decl.at.name}` starts",
            decl.at.span,
            help="write `start: ZONE`; of a family of zones it is the own one",
        )
        return None
    if isinstance(decl.start, s.Name):
        name = decl.start.text
        if name not in world.by_kind["zone"]:
            world.unknown(name, decl.start.span, "zone", world.by_kind["zone"])
            return None
        zone_decl: structure.ZoneDecl = world.by_kind["zone"][name]  # type: ignore[assignment]
        if zone_decl.kind is not None and zone_decl.kind.text != decl.at.name:
            world.report(
                "RR0411",
                f"`{name}` holds {zone_decl.kind.text}, not {decl.at.name}",
                decl.start.span,
            )
            return None
        world.used.add(name)
        return name
    world.report("RR0411", "`start:` names a zone", decl.start.span)
    return None


def zone(world: World, name: str) -> ZoneFacts | None:
    """The facts of a zone; None if its kind is unknown (reported)."""

    def make() -> ZoneFacts | None:
        decl: structure.ZoneDecl = world.by_kind["zone"][name]  # type: ignore[assignment]
        indexes = tuple(type_of(world, each) for each in decl.indexes)
        if decl.kind is None or decl.kind.text not in world.by_kind["kind"]:
            if decl.kind is not None:
                kinds = world.by_kind["kind"]
                world.unknown(decl.kind.text, decl.kind.span, "kind of component", kinds)
            return None
        world.used.add(decl.kind.text)
        holds = 1 if decl.one else None
        if decl.holds is not None:
            holds = constant(world, decl.holds, None)
        return ZoneFacts(decl, decl.kind.text, indexes, decl.order, decl.one, holds)

    return world.fact("zone", name, make, None)


def variable(world: World, name: str) -> VariableFacts:
    """The facts of a variable."""
    decl: structure.VariableDecl = world.by_kind["variable"][name]  # type: ignore[assignment]

    def make() -> VariableFacts:
        type_ = type_of(world, decl.type) if decl.type is not None else t.Unknown()
        return VariableFacts(decl, type_, tuple(type_of(world, each) for each in decl.indexes))

    return world.fact("variable", name, make, VariableFacts(decl, t.Unknown(), ()))


def table(world: World, name: str) -> TableFacts:
    """The facts of a table: total over its index types, without overlap."""
    from rulerun_dsl.check import tables

    return world.fact(
        "table",
        name,
        lambda: tables.table_facts(world, world.by_kind["table"][name]),  # type: ignore[arg-type]
        TableFacts((), t.Unknown(), ()),
    )


def lookup(
    name: str, column: ColumnFacts, indexes: tuple[m.Expression, ...], world: World, span: Span
) -> m.Lookup:
    """Return the expression that reads a column: the row first, then the column's indexes."""
    sizes = [size(world, index) for index in column.indexes]
    strides = [1]
    for each in reversed(sizes):
        strides.insert(0, strides[0] * each)
    lows = (0, *(low(index) for index in column.indexes))
    return m.Lookup(column.type, span, name, column.values, indexes, lows, tuple(strides))
