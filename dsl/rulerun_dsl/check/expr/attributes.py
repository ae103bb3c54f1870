"""What follows a dot: columns, attributes of components, facts of sites and directions."""

from __future__ import annotations

from collections.abc import Mapping

from rulerun_dsl import model as m
from rulerun_dsl.check.env import boards, component_kinds, directions, facts, tabular
from rulerun_dsl.check.env.records import ColumnFacts
from rulerun_dsl.check.env.typing import (
    describe,
    element,
    last_name,
    shorten,
    unknown,
)
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import elaborate, families, notes, undeclared
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.diagnostics.fixes import rewrite
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.frozen import replaced
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import expressions as s


def attribute(world: World, scope: Scope, node: s.Attribute | s.Index) -> m.Expression:
    """A column, a state attribute or a fact of a value; of a collection, of each member."""
    indexes: tuple[s.Expression, ...] = ()
    target = node
    if isinstance(node, s.Index):
        if not isinstance(node.base, s.Attribute):
            base = elaborate.raw(world, scope, node.base)
            if isinstance(base.type, t.Unknown):
                undeclared.tell_indexes(world, scope, node)
            return index_of_value(world, scope, base, node)
        indexes, target = node.indexes, node.base
    assert isinstance(target, s.Attribute)
    if families.misspelt_member(world, scope, target):
        return unknown(node.span)
    base = elaborate.single(world, scope, target.base)
    if isinstance(base.type, t.Collection | t.Zone):
        register = world.register()
        item = m.Register(element(base.type), base.span, register)
        value = column(world, scope, item, target.name, indexes, node.span)
        if isinstance(value.type, t.Unknown):
            return unknown(node.span)
        type_ = t.Collection(value.type, elaborate.is_ordered(world, base))  # type: ignore[arg-type]
        clause = m.Clause(register, base, None)
        return m.Quantifier(type_, node.span, "those", (clause,), value, (), None)
    return column(world, scope, base, target.name, indexes, node.span)


def index_of_value(world: World, scope: Scope, base: m.Expression, node: s.Index) -> m.Expression:
    """`order[1]`: the member at a place of an order (from 1)."""
    if isinstance(base.type, t.Unknown):
        return unknown(node.span)
    if isinstance(base.type, t.Order) and len(node.indexes) == 1:
        return place_in_order(world, scope, base, node.indexes[0], node.span)
    world.report("RR0406", f"`{shorten(node.base.span.text)}` takes no index", node.span)
    return unknown(node.span)


def place_in_order(
    world: World, scope: Scope, base: m.Expression, index: s.Expression, span: Span
) -> m.Expression:
    """`order[1]`: the player at that place, from 1."""
    place = elaborate.check(world, scope, index, t.Int(1, world.outline.player_range[1]))
    whole = m.Unpacked(t.Collection(t.Player(), True), base.span, base)
    return m.BuiltinCall(t.Player(), span, "at", "", (whole, place))


def _columns(world: World, type_: t.Row | t.Enum | t.Site) -> Mapping[str, ColumnFacts]:
    match type_:
        case t.Row(kind):
            return tabular.kind_rows(world, kind).columns
        case t.Enum(name):
            return tabular.enumeration(world, name).columns
        case t.Site(board):
            return boards.sites(world, board).columns


def column(
    world: World,
    scope: Scope,
    base: m.Expression,
    attribute_name: str,
    indexes: tuple[s.Expression, ...],
    span: Span,
) -> m.Expression:
    """`base.attribute[indexes]` of one value; of none it is none."""
    inner = t.bare(base.type)
    optional = isinstance(base.type, t.Optional)

    def typed(type_: t.Scalar) -> t.Scalar:
        return t.optional(type_) if optional else type_

    def read(columns: Mapping[str, ColumnFacts], first: m.Expression) -> m.Expression | None:
        found = columns.get(attribute_name)
        if found is None:
            return None
        if isinstance(found.type, t.Unknown):
            world.read_column(found.span)
            return unknown(span)
        if len(indexes) != len(found.indexes):
            world.report(
                "RR0406",
                f"`{attribute_name}` takes {len(found.indexes)} indexes, not {len(indexes)}",
                span,
            )
            return unknown(span)
        more = tuple(
            elaborate.check(world, scope, each, type_)
            for each, type_ in zip(indexes, found.indexes, strict=True)
        )
        world.note(place, attribute_name, "column", type_=found.type, at=found.span)
        made = facts.lookup(attribute_name, found, (first, *more), world, span)
        world.read_column(found.span)
        return replaced(made, type=typed(found.type))

    known: list[str] = []
    place = last_name(span, attribute_name)
    match inner:
        case t.Unknown():
            return unknown(span)
        case t.NoneType():
            return base
        case t.Component(kind):
            made = component_kinds.kind(world, kind)
            if attribute_name == "kind":
                return m.RowOf(typed(t.Row(kind)), span, kind, base)
            owner_word = made.decl.each
            if made.owner is not None and attribute_name in ("owner", owner_word):
                world.used.add(f"owner {kind}")
                return m.OwnerOf(typed(made.owner), span, kind, base)
            if attribute_name in made.attributes:
                type_ = made.attributes[attribute_name][0]
                world.used.add(f"attribute {kind}.{attribute_name}")
                notes.attribute(world, place, attribute_name, made)
                return m.State(typed(type_), span, kind, attribute_name, base)
            row = m.RowOf(typed(t.Row(kind)), span, kind, base)
            if (found := read(made.rows.columns, row)) is not None:
                return found
            known = [*made.rows.columns, *made.attributes, "kind"]
            if made.owner is not None:
                known.append("owner")
        case t.Row() | t.Enum() | t.Site():
            columns = _columns(world, inner)
            if (found := read(columns, base)) is not None:
                return found
            known = list(columns)
        case t.Direction(board):
            steps = directions.steps_of(directions.board_decl(world, board))
            if attribute_name in ("rows", "columns"):
                which = 1 if attribute_name == "rows" else 2
                values = tuple(int(step[which]) for step in steps)
                type_ = typed(t.Int(min(values), max(values)))
                return m.Lookup(type_, span, attribute_name, values, (base,), (0,), (1,))
            known = ["rows", "columns"]
    if str(inner) in world.circular or getattr(inner, "kind", None) in world.circular:
        return unknown(span)
    whole = span.text.removesuffix(f".{attribute_name}")
    if (word := _OF_ZONES.get(attribute_name)) is not None and attribute_name not in known:
        world.report(
            "RR0402",
            f"there is no attribute `{attribute_name}`",
            place,
            help=f"write `{word}({whole})`",
            fixes=rewrite(span, f"{word}({whole})", safe=True),
        )
    elif known:
        world.unknown(attribute_name, place, f"attribute of {describe(world, inner)}:", known)
    else:
        several = isinstance(inner, t.SetOf | t.Multiset)
        world.report(
            "RR0410",
            f"{describe(world, inner)} has no attributes (`.{attribute_name}`)",
            place,
            help=f"ask each of them: `all(x.{attribute_name} … for x in {whole})`; or narrow what "
            f"is chosen from: `… in those(x in hand if x.{attribute_name} …)`"
            if several
            else None,
        )
    return unknown(span)


_OF_ZONES = {
    **dict.fromkeys(("count", "size", "length", "len", "number", "amount"), "count"),
    **dict.fromkeys(("empty", "is_empty", "isempty"), "empty"),
    **dict.fromkeys(("top", "first", "head"), "first"),
    **dict.fromkeys(("bottom", "last"), "last"),
}
"""Words of the library that other languages write behind a dot."""


def the(world: World, scope: Scope, operand: s.Expression, span: Span) -> m.Expression:
    """`the x`: not none; of a zone for one component, that component."""
    single = elaborate.single(world, scope, operand)
    if isinstance(single.type, t.Collection | t.Zone):
        world.report(
            "RR0501",
            f"`the` takes one value that may be none, not {describe(world, single.type)}",
            operand.span,
            help="say which of them: `the lowest(x in S by …)`; `first(…)` if they have an order",
        )
        return unknown(span)
    if not isinstance(single.type, t.Optional):
        return replaced(single, span=span)
    return m.NotNone(single.type.inner, span, single, operand.span.text)
