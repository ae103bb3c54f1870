"""The words of the library that are about boards; `env.boards` has the boards themselves."""

from __future__ import annotations

from functools import partial, reduce

from rulerun_dsl import model as m
from rulerun_dsl.check.env import boards, directions, domains, facts
from rulerun_dsl.check.env.typing import element, fit, join, mismatch, sure_members, unknown
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import calling, elaborate, scopes
from rulerun_dsl.check.expr.arguments import TypeRule, of_values
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.model.library import LIBRARY
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import expressions as s


def board_of(world: World, node: m.Expression) -> str | None:
    """The board of a site or of a collection of sites; reports anything else."""
    inner = t.bare(node.type)
    if isinstance(inner, t.Collection):
        inner = t.bare(inner.element)
    if isinstance(inner, t.Site):
        return inner.board
    if not isinstance(inner, t.Unknown):
        boards_ = list(world.by_kind["board"])
        wanted = t.Site(boards_[0]) if boards_ else t.Site("board")
        mismatch(world, node.span, wanted, node.type)
    return None


def site_at(world: World, scope: Scope, node: s.Call) -> m.Expression:
    """`cell(row, column)`: the site there, or none."""
    world.used.add(node.name)
    if len(node.arguments) != 2:
        world.report("RR0502", f"`{node.name}` takes a row and a column", node.span)
        return unknown(node.span)
    places = []
    for argument in node.arguments:
        if isinstance(argument, s.Comprehension | s.Filtered):
            return unknown(node.span)
        places.append(elaborate.check(world, scope, argument, t.ANY_INT))
    type_ = t.Optional(t.Site(node.name))
    return m.BuiltinCall(type_, node.span, "site", node.name, tuple(places))


def _where(world: World, scope: Scope, plain: list[s.Expression], span: Span) -> m.Expression:
    component = elaborate.check(world, scope, plain[0])
    inner = t.bare(component.type)
    if not isinstance(inner, t.Component):
        if not isinstance(inner, t.Unknown):
            mismatch(world, plain[0].span, t.Component("kind"), component.type)
        return unknown(span)
    found: list[tuple[str, t.Site]] = []
    for zone_name in world.by_kind["zone"]:
        zone = facts.zone(world, zone_name)
        if zone and zone.kind == inner.kind and len(zone.indexes) == 1:
            (site,) = zone.indexes
            if isinstance(site, t.Site):
                world.used.add(zone_name)
                found.append((zone_name, site))
    if not found:
        world.report("RR0410", f"no zone of {inner.kind} is indexed by sites", span)
        return unknown(span)
    boards = list(dict.fromkeys(site.board for _, site in found))
    if len(boards) > 1:
        world.report(
            "RR0410",
            f"zones of {inner.kind} are indexed by sites of {' and of '.join(boards)}: a site is "
            "of one board",
            span,
            help=f"ask a zone: `first(s in {boards[0]} if c in {found[0][0]}[s])`",
        )
        return unknown(span)
    # It lies in one of them at most.
    sites: list[m.Expression] = [
        m.SiteOf(t.Optional(site), span, inner.kind, name, component) for name, site in found
    ]
    return reduce(partial(m.Otherwise, sites[0].type, span), sites)


def _start(world: World, scope: Scope, node: s.Expression) -> tuple[m.Expression, str | None]:
    """A site, and its board, which is used."""
    site = elaborate.check(world, scope, node)
    board = board_of(world, site)
    if board is not None:
        world.used.add(board)
    return site, board


def _neighbours(world: World, scope: Scope, plain: list[s.Expression], span: Span) -> m.Expression:
    site, board = _start(world, scope, plain[0])
    if board is None:
        return unknown(span)
    site = fit(world, site, t.Site(board))
    return m.BuiltinCall(t.Collection(t.Site(board), True), span, "neighbours", board, (site,))


def _distance(world: World, scope: Scope, plain: list[s.Expression], span: Span) -> m.Expression:
    site, board = _start(world, scope, plain[0])
    if board is None:
        return unknown(span)
    site = fit(world, site, t.Site(board))
    other = elaborate.check(world, scope, plain[1], t.Site(board))
    far = t.Optional(t.Int(0, max(facts.size(world, t.Site(board)) - 1, 0)))
    return m.BuiltinCall(far, span, "distance", board, (site, other))


def _go(world: World, scope: Scope, plain: list[s.Expression], span: Span) -> m.Expression:
    site, board = _start(world, scope, plain[0])
    if board is None:
        return unknown(span)
    if not directions.names(world, board):
        world.report(
            "RR0410",
            f"`{board}` has no directions",
            span,
            help="use `neighbours(s)`, or a column that names a site: `s.COLUMN`",
        )
        return unknown(span)
    direction = elaborate.check(world, scope, plain[1], directions.type_of(world, board))
    steps: m.Expression = m.Literal(t.Int(1, 1), span, 1)
    if len(plain) == 3:
        steps = elaborate.check(world, scope, plain[2], t.ANY_INT)
    return m.BuiltinCall(t.Optional(t.Site(board)), span, "go", board, (site, direction, steps))


def _ray(world: World, scope: Scope, plain: list[s.Expression], span: Span) -> m.Expression:
    """`ray(s, d)`: all sites that `go` comes to, one step after another."""
    found = _go(world, scope, plain, span)
    if not isinstance(found, m.BuiltinCall):
        return found
    site, direction, _ = found.arguments
    ends = tuple(fit(world, each, t.bare(each.type)) for each in (site, direction))
    type_ = t.Collection(t.Site(found.board), True)
    return m.BuiltinCall(type_, span, "ray", found.board, ends)


def _opposite(world: World, scope: Scope, plain: list[s.Expression], span: Span) -> m.Expression:
    direction = elaborate.check(world, scope, plain[0])
    inner = t.bare(direction.type)
    if not isinstance(inner, t.Direction):
        if not isinstance(inner, t.Unknown):
            mismatch(world, plain[0].span, t.Direction("board"), direction.type)
        return unknown(span)
    values = directions.opposites(world, inner.board)
    return m.Lookup(direction.type, span, "opposite", values, (direction,), (0,), (1,))


def _relating(rule: TypeRule) -> TypeRule:
    """The rule of a word that also goes over a relation of one's own, behind `by`."""

    def checked(world: World, scope: Scope, node: s.Call) -> m.Expression:
        last = node.arguments[-1] if node.arguments else None
        if isinstance(last, s.Filtered) and last.keys:
            return by_relation(world, scope, node, last)
        return rule(world, scope, node)

    return checked


def board_search(world: World, scope: Scope, node: s.Call) -> m.Expression:
    """`line(k, s in S if c)`, `path(a, b, s in S if c)`, `reach(starts, s in S if c)`."""
    name, span = node.name, node.span
    count, _ = LIBRARY[name].takes
    if len(node.arguments) != count:
        world.report("RR0502", f"`{name}` takes {count} arguments", span)
        return unknown(span)
    *first, last = node.arguments
    condition = last.condition if isinstance(last, s.Filtered) else None
    subject = last.subject if isinstance(last, s.Filtered) else last
    if isinstance(last, s.Filtered) and last.so_long is not None:
        world.report("RR0502", f"`{name}` goes every way: it takes no `while`", last.so_long.span)
        return unknown(span)
    if not isinstance(subject, s.Membership) or not isinstance(subject.left, s.Name):
        world.report("RR0502", f"`{name}` wants the sites last: `s in square if …`", last.span)
        return unknown(span)
    source = sure_members(world, elaborate.collection(world, scope, subject.right))
    board = board_of(world, source)
    if board is None:
        return unknown(span)
    register = world.register()
    inner = scopes.bind(world, scope, subject.left.text, subject.left.span, t.Site(board), register)
    test = elaborate.condition(world, inner, condition) if condition is not None else None
    clause = m.Clause(register, source, test)
    plain: list[m.Expression] = []
    for argument in first:
        if isinstance(argument, s.Comprehension | s.Filtered):
            world.report("RR0502", f"`{name}` takes no filter here", argument.span)
            return unknown(span)
        if name == "line":
            plain.append(elaborate.check(world, scope, argument, t.Int(1, 1000)))
        else:
            plain.append(region(world, scope, board, argument))
    type_: t.Type = t.Bool() if name in ("line", "path") else t.Collection(t.Site(board), True)
    return m.BuiltinCall(type_, span, name, board, tuple(plain), clause)


def by_relation(world: World, scope: Scope, node: s.Call, last: s.Filtered) -> m.Expression:
    """`reach(starts by f(x))`, `distance(a, b by f(x))`: the last parameter of `f` is the node."""
    span = node.span
    wanted = 1 if node.name == "reach" else 2
    first = node.arguments[0] if wanted == 2 else None
    if (
        len(node.arguments) != wanted
        or last.condition is not None
        or last.so_long is not None
        or len(last.keys) != 1
        or isinstance(first, s.Comprehension | s.Filtered)
        or isinstance(last.subject, s.Comprehension | s.Filtered)
    ):
        world.report(
            "RR0502",
            f"`{node.name}` by a relation takes {'one start' if wanted == 1 else 'two ends'}, "
            "and nothing else",
            span,
            help="write `reach(starts by f)` or `distance(a, b by f)`",
        )
        return unknown(span)
    ends: list[m.Expression] = []
    if first is not None:
        ends.append(elaborate.check(world, scope, first))
        inside = t.bare(ends[0].type)
        ends[0] = fit(world, ends[0], inside)
        if isinstance(inside, t.Collection | t.Zone):
            element_type = t.bare(element(inside))
            mismatch(world, first.span, element_type, ends[0].type)
            return unknown(span)
        ends.append(elaborate.check(world, scope, last.subject, inside))
        if isinstance(ends[1].type, t.Unknown):
            return unknown(span)
    else:
        start = elaborate.raw(world, scope, last.subject)
        if not isinstance(start.type, t.Collection | t.Zone | t.Unknown):
            start = elaborate.scalar(world, start)
            inside = t.bare(start.type)
            start = fit(world, start, inside)
        else:
            start = sure_members(world, start)
            inside = element(start.type)
        ends.append(start)
    if isinstance(inside, t.Unknown):
        return unknown(span)
    assert not isinstance(inside, t.Collection | t.Zone)
    key = last.keys[0]
    name = key.text if isinstance(key, s.Name) else key.name if isinstance(key, s.Call) else ""
    if name not in world.by_kind["function"]:
        if name and name not in world.declared:
            world.unknown(name, key.span, "function", world.by_kind["function"])
        else:
            world.report(
                "RR0409",
                f"`{key.span.text}` is no function of a node",
                key.span,
                help="a relation is a function whose last parameter is where one stands",
            )
        return unknown(span)
    given = key.arguments if isinstance(key, s.Call) else ()
    here = m.Register(inside, key.span, world.register())
    call = s.Call(key.span, name, key.span, (*given, s.Name(key.span, _HERE)))
    related = calling.user_call(world, scope.with_names(**{_HERE: here}), call)
    if not isinstance(related, m.FunctionCall):
        return unknown(span)
    if isinstance(related.arguments[-1].type, t.Unknown):
        return unknown(span)
    onward = related.type
    if isinstance(onward, t.Collection | t.Zone):
        onward = element(onward)
    if join(t.bare(onward), inside) is None:  # type: ignore[arg-type]
        mismatch(world, key.span, t.Collection(inside, False), related.type)
        return unknown(span)
    board = inside.board if isinstance(inside, t.Site) else ""
    arguments = (*ends, *related.arguments[:-1])
    type_: t.Type = t.Collection(inside, True)
    if node.name == "distance":
        type_ = t.Optional(t.Int(0, max(facts.size(world, inside) - 1, 0)))
    return m.BuiltinCall(type_, span, node.name, board, arguments, None, related.function)


_HERE = "the node"
"""A name that no author can write: where a relation is asked from."""


def region(world: World, scope: Scope, board: str, node: s.Expression) -> m.Expression:
    """A region of a board (`north`), one site, or any collection of sites."""
    if isinstance(node, s.Name) and node.text in boards.regions_of(world, board):
        register = world.register()
        site = m.Register(t.Site(board), node.span, register)
        found = boards.sites(world, board).columns.get(node.text)
        if found is None:
            # Its condition could not be read, as was reported.
            return unknown(node.span)
        world.read_column(found.span)
        test = facts.lookup(node.text, found, (site,), world, node.span)
        source = domains.all_values(world, t.Site(board), node.span)
        type_ = t.Collection(t.Site(board), True)
        clause = m.Clause(register, source, test)
        return m.Quantifier(type_, node.span, "those", (clause,), site, (), None)
    found_node = elaborate.raw(world, scope, node)
    if isinstance(t.bare(found_node.type), t.Site):
        one = fit(world, found_node, t.Site(board))
        return m.Listed(t.Collection(t.Site(board), True), node.span, (one,))
    return sure_members(world, elaborate.collection(world, scope, node))


TYPE_RULES: dict[str, TypeRule] = {
    "go": of_values(_go),
    "ray": of_values(_ray),
    "opposite": of_values(_opposite),
    "neighbours": of_values(_neighbours),
    "distance": _relating(of_values(_distance)),
    "reach": _relating(board_search),
    "line": board_search,
    "path": board_search,
    "where": of_values(_where),
}
