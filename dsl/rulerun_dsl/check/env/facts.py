"""What the declared names are: answers to questions about declarations, made when first asked.

Assumes: a `World`, whose makers know kinds, rows and sites.
Does: reads types, constants, names of values, zones and variables.
Leaves behind: facts, kept in the world; findings in its diagnostics.
"""

from __future__ import annotations

import re
from contextlib import nullcontext
from itertools import chain
from math import prod

from rulerun_dsl import model as m
from rulerun_dsl.check.env import directions
from rulerun_dsl.check.env.constants import NOT_CONSTANT, is_total, value_of
from rulerun_dsl.check.env.recorder import word_in
from rulerun_dsl.check.env.records import ColumnFacts, VariableFacts, ZoneFacts
from rulerun_dsl.check.env.wording import kind_line, type_line
from rulerun_dsl.check.env.world import World
from rulerun_dsl.diagnostics.fixes import rewrite, word_instead
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.identifiers import is_composed
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax.parser_tables import reserved_words

UNKNOWN: t.Scalar = t.Unknown()

# -------------------------------------------------------------------------------------- types


def type_of(world: World, node: s.TypeExpression) -> t.Scalar:
    """Return the type that a type expression names; `Unknown` once it is reported."""
    world.here = node.span
    match node:
        case s.NamedType(span, name):
            return named_type(world, name, span)
        case s.KindType(span, kind):
            if kind not in world.by_kind["kind"]:
                kinds = world.by_kind["kind"]
                world.unknown(kind, span, "kind of component", kinds, kind_line(kind))
                return t.Unknown()
            world.used.add(kind)
            world.note(word_in(span, kind), kind)
            return t.Row(kind)
        case s.RangeType(span, low, high):
            first, last = _bound(world, low), _bound(world, high)
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
        case s.OrderType(span, of):
            if of != "player":
                world.report(
                    "RR0407",
                    "an order is one of players",
                    span,
                    help="write `order of player`",
                    fixes=rewrite(span, "order of player", safe=False),
                )
                return t.Unknown()
            return t.Order()
        case s.SetType(_, element):
            return t.SetOf(type_of(world, element))


def _bound(world: World, node: s.Expression) -> int | None:
    """The value of an end of a range: a number, however large; None once something is reported."""
    with world.deciding():
        type_ = world.makers.elaborate(world, node, None, {}).type
    if isinstance(type_, t.Int | t.Unknown):
        return constant(world, node, None)
    world.report(
        "RR0501",
        f"`{node.span.text}` is no number: a range goes from a number to a number",
        node.span,
    )
    return None


def stored(world: World, node: s.TypeExpression, what: str = "", index: bool = False) -> t.Scalar:
    """The type of what is kept in the state or counts as an index: finite, and not an order."""
    type_ = type_of(world, node)
    inner = t.bare(type_)
    if isinstance(inner, t.Int) and inner == t.ANY_INT:
        world.report(
            "RR0507",
            f"{what or 'this'} needs a range: it is kept in the state",
            node.span,
            help="write `0..9`; `int` is for the parameters of functions",
        )
        return t.Unknown()
    if isinstance(inner, t.Order) or (index and isinstance(inner, t.SetOf)):
        world.report(
            "RR0407",
            f"`{node.span.text}` cannot stand here",
            node.span,
            help="an order is kept in a variable of the state, a set also in a local or column",
        )
        return t.Unknown()
    return type_


MOST_MEMBERS = 100_000
"""The most members of a family, values of a table or of an indexed column, rows, components."""

MOST_TOGETHER = 1_000_000
"""The most of all that together."""


def too_many(
    world: World, types: tuple[t.Scalar, ...], name: str, span: Span, what: str = "members"
) -> bool:
    """Report a family (or rows, or a table) of more members than may be."""
    sizes = [size(world, type_) for type_ in types if not isinstance(type_, t.Unknown)]
    return too_many_of(world, sizes, name, span, what)


def too_many_of(
    world: World, factors: list[int], name: str, span: Span, what: str = "members"
) -> bool:
    """Report more than may be of what these factors make, or of all there is together."""
    many = prod(factors)
    if many > MOST_MEMBERS:
        product = f" ({' x '.join(map(str, factors))})" if len(factors) > 1 else ""
        message = f"`{name}` has {many} {what}{product}: at most {MOST_MEMBERS} are allowed"
    else:
        world.members += many
        if world.members <= MOST_TOGETHER:
            return False
        message = f"with `{name}` all families, tables, columns and components together have more "
        message += f"than {MOST_TOGETHER} members"
        world.members -= many
    world.report("RR0516", message, span)
    return True


def named_type(world: World, name: str, span: Span) -> t.Scalar:
    """Return the type of a name."""
    if world.recorder is not None:
        if name in ("bool", "player", "int", "direction"):
            world.note(span, name, "language")
        else:
            world.note(word_in(span, name), name)
    if name == "bool":
        return t.Bool()
    if name == "player":
        return t.Player()
    if name == "int":
        return t.ANY_INT
    if name == "direction":
        having = [board for names, board in directions.first_with(world).items() if names]
        if len(having) == 1:
            world.used.add(having[0])
            return t.Direction(having[0])
        if having:
            listed = " and ".join(having)
            message = f"`direction` may be of {listed}: they have different directions"
        else:
            message = "`direction` needs a board with directions"
        world.report("RR0407", message, span)
        return t.Unknown()
    for word, make in (("board", t.Site), ("kind", t.Component)):
        if name in world.by_kind[word]:
            world.used.add(name)
            return make(name)
    if name in world.by_kind["type"]:
        world.used.add(name)
        return declared_type(world, name)
    if name in world.by_kind["option"]:
        option: declarations.OptionDecl = world.by_kind["option"][name]  # type: ignore[assignment]
        if option.members:
            world.used.add(name)
            return t.Enum(name)
    known = chain(
        ("bool", "player", "direction"),
        *(world.by_kind[word] for word in ("type", "board", "kind")),
    )
    if (hint := _OTHER_TYPES.get(name.lower())) is not None:
        # Only of `bool` and `player` it is known which type is meant.
        meant = re.fullmatch(r"write `(\w+)`", hint)
        fixes = word_instead(span, name, meant[1], safe=True) if meant else ()
        world.report("RR0402", f"there is no type `{name}`", span, help=hint, fixes=fixes)
        if hint == "write `player`":
            return t.Player()
    else:
        world.unknown(name, span, "type", known, type_line(name))
    return t.Unknown()


_OTHER_TYPES = {
    **dict.fromkeys(
        ("number", "numbers", "integer", "num", "float", "natural"),
        "write a range, such as `0..9`",
    ),
    **dict.fromkeys(("boolean", "flag", "truth"), "write `bool`"),
    **dict.fromkeys(
        ("string", "str", "text", "word"), "write an enumeration under `types`: `suit: [a, b]`"
    ),
    **dict.fromkeys(
        ("list", "array", "dict", "map"), "write indexes behind the name, as in `hand[player]`"
    ),
    **dict.fromkeys(("players", "seat"), "write `player`"),
}
"""What people write who know other languages."""


def declared_type(world: World, name: str) -> t.Scalar:
    """Return what `types: name` stands for."""

    def make() -> t.Scalar:
        decl: declarations.TypeDecl = world.by_kind["type"][name]  # type: ignore[assignment]
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
        case t.Component(kind):
            made = world.makers.kind(world, kind)
            # Rows of a module that is off have no components; each owner has components of its own.
            return len(made.rows.names) if made.counted else sum(made.copies)
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
            return world.makers.site_names(world, board)
        case t.Direction(board):
            return directions.names(world, board)
        case t.Bool():
            return ("false", "true")
        case t.Optional(inner):
            return members(world, inner)
        case _:
            return ()


def places(world: World, type_: t.Type) -> dict[str, int]:
    """The names of a type's values with their places."""
    names = members(world, type_)
    made, known = world.places.get(type_, ((), {}))
    if len(made) != len(names):
        known = {}
        for place, name in enumerate(names):
            known.setdefault(name, place)
        world.places[type_] = names, known
    return known


def name_of(world: World, type_: t.Type, value: int | None) -> str:
    """The value of a type as people write it."""
    if value is None:
        return "none"
    names = members(world, type_)
    return names[value] if names and 0 <= value < len(names) else str(value)


# ------------------------------------------------------------------------------------ constants


def constant(
    world: World, node: s.Expression, expected: t.Type | None, decides: bool = True
) -> int | None:
    """Return the value of a constant expression; None once something is reported.

    Unless its value `decides` what the checks find, only that it has one matters, and on that no
    setting has a say where everything in it always has one.
    """
    with world.deciding():
        expression = world.makers.elaborate(world, node, expected, {})
        if isinstance(expression.type, t.Unknown):
            return None
    with world.deciding() if decides or not is_total(expression) else nullcontext():
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


# -------------------------------------------------------------------------------- names of values


def enumeration_names(world: World, name: str) -> tuple[str, ...]:
    """The names alone: a column may be of the very type whose rows it belongs to."""

    def make() -> tuple[str, ...]:
        if name in world.by_kind["type"]:
            decl: declarations.TypeDecl = world.by_kind["type"][name]  # type: ignore[assignment]
            pairs = [(each.text, each.span) for each in decl.members]
            pairs += [(each.name, each.span) for each in decl.rows]
        else:
            option: declarations.OptionDecl = world.by_kind["option"][name]  # type: ignore[assignment]
            pairs = [(each.text, each.span) for each in option.members]
        check_names(world, pairs)
        return tuple(text for text, _ in pairs)

    return world.fact("members", name, make, ())


def kind_decl(world: World, kind: str) -> declarations.KindDecl:
    """The declaration of a kind."""
    return world.by_kind["kind"][kind]  # type: ignore[return-value]


def row_names(world: World, kind: str) -> tuple[str, ...]:
    """The names of a kind's rows, without asking for their columns."""
    decl = kind_decl(world, kind)
    if decl.every is not None:
        return world.makers.every_names(world, kind)
    names = lambda: tuple(row.name for row in decl.rows) or (kind,)  # noqa: E731
    return world.fact("row names", kind, names, ())


def has_nameless_rows(world: World, type_: t.Type | None) -> bool:
    """Whether `every …` would name the values of a type by a column that is missing or unread."""
    inner = t.bare(type_) if type_ is not None else None
    kind = inner.kind if isinstance(inner, t.Component | t.Row) else ""
    decl = kind_decl(world, kind) if kind in world.by_kind["kind"] else None
    if decl is None or decl.every is None:
        return False
    return not {*decl.every.columns} <= {column.name for column in decl.columns}


def check_names(world: World, names: list[tuple[str, Span]]) -> None:
    """Report members that are reserved words or stand twice."""
    seen: set[str] = set()
    for name, span in names:
        if not name.isascii() and not is_composed(name):
            help = "an accent stands behind its letter: write both as one character"
            world.report("RR0212", f"`{name}` is not a name", span, help=help)
        if name in reserved_words():
            world.report(
                "RR0404",
                f"`{name}` is a word of the language and cannot be a name",
                span,
                help="choose another word, as `nobody` for `none`",
            )
        if name in seen:
            world.report("RR0403", f"`{name}` stands twice", span)
        seen.add(name)


# ----------------------------------------------------------------------- zones and variables


def zone(world: World, name: str) -> ZoneFacts | None:
    """The facts of a zone; None if its kind is unknown (reported)."""

    def make() -> ZoneFacts | None:
        decl: declarations.ZoneDecl = world.by_kind["zone"][name]  # type: ignore[assignment]
        indexes = tuple(stored(world, each, "an index", True) for each in decl.indexes)
        if too_many(world, indexes, name, decl.at.span):
            return None
        if decl.kind is None or decl.kind.text not in world.by_kind["kind"]:
            if decl.kind is not None:
                kinds = world.by_kind["kind"]
                of = decl.kind.text
                world.unknown(of, decl.kind.span, "kind of component", kinds, kind_line(of))
            return None
        world.used.add(decl.kind.text)
        world.note(decl.kind.span, decl.kind.text)
        holds = 1 if decl.one else None
        if decl.holds is not None:
            holds = constant(world, decl.holds, t.Int(1, 1 if decl.one else t.INT_MAX))
        return ZoneFacts(decl, decl.kind.text, indexes, decl.order, decl.one, holds)

    return world.fact("zone", name, make, None)


def variable(world: World, name: str) -> VariableFacts:
    """The facts of a variable."""
    decl: declarations.VariableDecl = world.by_kind["variable"][name]  # type: ignore[assignment]

    def make() -> VariableFacts:
        type_: t.Scalar = t.Unknown()
        if isinstance(decl.type, s.OrderType):
            type_ = t.Order()
        elif decl.type is not None:
            type_ = stored(world, decl.type, f"`{name}`")
        indexes = tuple(stored(world, each, "an index", True) for each in decl.indexes)
        if decl.remembers is not None:
            type_, indexes = t.ANY_INT, world.makers.history(world, decl)
        if too_many(world, indexes, name, decl.at.span):
            return VariableFacts(decl, t.Unknown(), ())
        return VariableFacts(decl, type_, indexes)

    return world.fact("variable", name, make, VariableFacts(decl, t.Unknown(), ()))


def start_value(world: World, decl: declarations.VariableDecl, type_: t.Type) -> int | None:
    """The start value of a variable: as written, else none, else the lowest (0 if in range)."""
    if decl.start is not None:
        return constant(world, decl.start, type_)
    if isinstance(type_, t.Optional):
        return None
    if isinstance(type_, t.Int) and type_.low <= 0 <= type_.high:
        return 0
    return low(type_)


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
