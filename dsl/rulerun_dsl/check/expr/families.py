"""References to declared families: `hand[p]`, `track.farm`, `safe[all]`, and bare names of yours.

Only a first index that is a player may be left out: `track[farm]` is yours.
"""

from __future__ import annotations

from rulerun_dsl import model as m
from rulerun_dsl.check.env import facts, histories, tables
from rulerun_dsl.check.env.recorder import word_in
from rulerun_dsl.check.env.typing import last_name, unknown
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import elaborate, visibility
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import expressions as s


@frozen
class Family:
    """A family and the indexes written behind it."""

    word: str
    """`variable`, `zone` or `table`."""
    name: str
    indexes: tuple[s.Expression, ...]
    span: Span


def family(world: World, scope: Scope, node: s.Expression) -> Family | None:
    """Return the family that an expression refers to, or None if it is something else."""
    match node:
        case s.Name(span, text):
            if text in scope.names:
                return None
            word = world.declared.get(text, ("", None))[0]
            return Family(word, text, (), span) if word in ("variable", "zone", "table") else None
        case s.Index(span, base, indexes):
            outer = family(world, scope, base)
            if outer is None or (outer.indexes and not isinstance(base, s.Attribute)):
                return None
            if not index_types(world, outer) and is_order(world, outer):
                return None
            return Family(outer.word, outer.name, (*outer.indexes, *indexes), span)
        case s.Attribute(span, base, name):
            outer = family(world, scope, base)
            if outer is None:
                return None
            types = index_types(world, outer)
            place = len(outer.indexes)
            # `track.farm`: the member of the next index, or of the one after the left-out player.
            for at in (place, place + 1):
                if at >= len(types) or (at > place and not (place == 0 and _player(types[0]))):
                    break
                if name in facts.members(world, types[at]):
                    member = s.Name(span, name)
                    return Family(outer.word, outer.name, (*outer.indexes, member), span)
            return None
        case _:
            return None


def is_spoilt(world: World, place: Family) -> bool:
    """Is the declaration itself at fault, so that nothing is known of its indexes."""
    match place.word:
        case "zone":
            return facts.zone(world, place.name) is None
        case "variable":
            variable = facts.variable(world, place.name)
            return bool(variable.decl.indexes)
        case _:
            return True


def misspelt_member(world: World, scope: Scope, node: s.Attribute) -> bool:
    """Report `track.fram`: what follows the dot is no member of the index that is wanted there."""
    found = family(world, scope, node.base)
    if found is None:
        return False
    place = len(found.indexes)
    wanted_all = index_types(world, found)
    if place and place == len(wanted_all) - 1 and _player(wanted_all[0]) and scope.you is not None:
        # Yours, and whole: this asks for an attribute of it.
        return False
    missing = wanted_all[place:]
    if not missing or any(isinstance(each, t.Unknown) for each in missing):
        return False
    leavable = place == 0 and _player(missing[0])
    known = [each for type_ in missing[:1] for each in facts.members(world, type_)]
    if leavable and len(missing) > 1:
        known = [*facts.members(world, missing[1]), *known]
    if (
        leavable
        and len(missing) == 1
        and (
            # A bare name is yours, and this asks for an attribute of it.
            scope.you is not None or world.guess(node.name, known) is None
        )
    ):
        return False
    wanted = missing[1] if leavable and len(missing) > 1 else missing[0]
    world.used.add(found.name)
    world.unknown(node.name, last_name(node.span, node.name), str(wanted), known)
    return True


def is_order(world: World, place: Family) -> bool:
    """Is it a variable that holds an order: its index is a place in it (`order[1]`)."""
    return place.word == "variable" and isinstance(facts.variable(world, place.name).type, t.Order)


def _player(type_: t.Type) -> bool:
    return isinstance(type_, t.Player)


def index_types(world: World, place: Family) -> tuple[t.Scalar, ...]:
    """The types of a family's indexes."""
    match place.word:
        case "variable":
            return facts.variable(world, place.name).indexes
        case "zone":
            zone = facts.zone(world, place.name)
            return zone.indexes if zone is not None else ()
        case _:
            return tables.table(world, place.name).indexes


def indexes(world: World, scope: Scope, place: Family) -> tuple[m.Expression | None, ...] | None:
    """Return the indexes, `you` put in where it was left out; None once reported."""
    world.note(word_in(place.span, place.name), place.name)
    if place.word == "variable" and histories.is_history(world, place.name):
        world.used.add(place.name)
        world.report(
            "RR0409",
            f"`{place.name}` is a history, not a value",
            place.span,
            help=f"ask `times({place.name})` or `count({place.name})`; "
            f"it changes by `remember {place.name}` and `reset {place.name}`",
        )
        return None
    types = index_types(world, place)
    if not types and is_spoilt(world, place):
        return None
    index = list(place.indexes)
    checked: list[m.Expression | None] = []
    if len(index) == len(types) - 1 and types and isinstance(types[0], t.Player):
        if scope.you is None:
            rest = [each.text if isinstance(each, s.Name) else each.span.text for each in index]
            example, everybody = ", ".join(["p", *rest]), ", ".join(["all", *rest])
            world.report(
                "RR0405",
                f"whose `{place.name}`? no `you` is bound here",
                place.span,
                help=f"write `{place.name}[{example}]`, or `{place.name}[{everybody}]` "
                "for everybody's",
            )
            return None
        checked.append(elaborate.you(world, scope, place.span))
        types = types[1:]
    if len(index) != len(types):
        seen = getattr(world.by_kind.get(place.word, {}).get(place.name), "visible_here", None)
        if visibility.is_owner(seen) and t.Player() not in types:
            return None  # That it lacks a player is reported where it is declared.
        wanted = ", ".join(str(each) for each in index_types(world, place)) or "no index"
        world.report(
            "RR0406",
            f"`{place.name}` is indexed by {wanted}; here it has {len(index)}",
            place.span,
            help="write `[all]` for every one of them" if len(index) < len(types) else None,
        )
        return None
    for node, type_ in zip(index, types, strict=True):
        if isinstance(node, s.All):
            checked.append(None)
        else:
            # A table gives none of none.
            wanted_type = t.optional(type_) if place.word == "table" else type_
            checked.append(elaborate.check(world, scope, node, wanted_type))
    return tuple(checked)


def reference(world: World, scope: Scope, place: Family) -> m.Expression:
    """Return what a reference means as an expression."""
    world.used.add(place.name)
    span = place.span
    if place.word == "zone":
        zone = facts.zone(world, place.name)
        if zone is None:
            return unknown(span)
        places = indexes(world, scope, place)
        if places is None:
            return unknown(span)
        single = all(index is not None for index in places)
        type_ = t.Zone(zone.kind, place.name, single, zone.one)
        return m.Members(type_, span, place.name, places)
    places = indexes(world, scope, place)
    if places is None:
        return unknown(span)
    if place.word == "table":
        table = tables.table(world, place.name)
        sizes = [facts.size(world, index) for index in table.indexes]
        strides = [1]
        for size in reversed(sizes[1:]):
            strides.insert(0, strides[0] * size)
        if any(index is None for index in places):
            world.report("RR0406", f"`{place.name}[all]` is no value", span)
            return unknown(span)
        lows = tuple(facts.low(index) for index in table.indexes)
        whole = tuple(index for index in places if index is not None)
        optional = any(isinstance(index.type, t.Optional) for index in whole)
        value_type = t.optional(table.type) if optional else table.type
        return m.Lookup(value_type, span, place.name, table.values, whole, lows, tuple(strides))
    variable = facts.variable(world, place.name)
    if any(index is None for index in places):
        return all_values_of(world, place.name, variable.type, variable.indexes, places, span)
    return m.Variable(variable.type, span, place.name, places)


def all_values_of(
    world: World,
    name: str,
    type_: t.Scalar,
    index_types_: tuple[t.Scalar, ...],
    indexes: tuple[m.Expression | None, ...],
    span: Span,
) -> m.Expression:
    """`score[all]` read: the values of all, in order of the indexes."""
    clauses = []
    whole: list[m.Expression] = []
    for index, index_type in zip(indexes, index_types_, strict=True):
        if index is not None:
            whole.append(index)
            continue
        register = world.register()
        low = facts.low(index_type)
        high = low + facts.size(world, index_type) - 1
        ends = tuple(m.Literal(t.Int(low, high), span, end) for end in (low, high))
        source = m.Values(t.Collection(index_type, True), span, *ends)
        clauses.append(m.Clause(register, source, None))
        whole.append(m.Register(index_type, span, register))
    value = m.Variable(type_, span, name, tuple(whole))
    return m.Quantifier(t.Collection(type_, True), span, "those", tuple(clauses), value, (), None)
