"""Statements that move, shuffle, swap or show components.

Assumes: statements as they were parsed, and the names in scope.
Does: finds the zones and the kind that is moved, and checks that they go together; puts before a
move out of a pile what refills and shuffles it.
Leaves behind: trees whose leaves are instructions of the model.
"""

from __future__ import annotations

from rulerun_dsl import model as m
from rulerun_dsl.check.env import component_kinds, constants, facts, refills
from rulerun_dsl.check.env.recorder import HERE
from rulerun_dsl.check.env.typing import (
    describe,
    element,
    fit,
    join,
    mismatch,
    shorten,
    sure_members,
)
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import elaborate, families, joined_values, scopes, undeclared
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.check.stmt import targets, tree
from rulerun_dsl.check.stmt.rule_checker import Context, RuleChecker
from rulerun_dsl.diagnostics.fixes import Hint, rewrite
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax import statements as stmt


def zone_at(
    rules: RuleChecker,
    scope: Scope,
    node: s.Expression,
    many: bool = False,
) -> m.ZoneAt | None:
    """A zone as a place; reports anything else."""
    world = rules.world
    if world.recorder is not None and isinstance(node, s.Name) and node.text == HERE:
        scopes.ask(world.recorder, "zone", scope, many=many)
    family = families.family(world, scope, node)
    if family is None or family.word != "zone":
        typed = elaborate.raw(world, scope, node)
        undeclared.tell(world, scope, node, is_zone=True)
        if not isinstance(typed.type, t.Unknown):
            world.report(
                "RR0510",
                f"`{shorten(node.span.text)}` is {describe(world, typed.type)}; a zone is wanted",
                node.span,
                help="components move from zone to zone",
            )
        return None
    zone = facts.zone(world, family.name)
    indexes = families.indexes(world, scope, family)
    if zone is None or indexes is None:
        return None
    if not many and any(index is None for index in indexes):
        world.report("RR0510", f"`{shorten(node.span.text)}` is several zones", node.span)
        return None
    return m.ZoneAt(family.name, indexes, node.span)


def zones_of(
    rules: RuleChecker, scope: Scope, node: s.Expression
) -> list[tuple[s.Expression, m.ZoneAt]]:
    """The zones of `a otherwise b`, each as it is written and as a place."""
    if isinstance(node, s.Otherwise):
        return zones_of(rules, scope, node.left) + zones_of(rules, scope, node.right)
    place = zone_at(rules, scope, node)
    return [(node, place)] if place is not None else []


def enters(rules: RuleChecker, zone: m.ZoneAt, kind: str | None, span: Span) -> None:
    """Report a component that a zone does not hold; note that the zone is used."""
    target = facts.zone(rules.world, zone.zone)
    rules.written.add(zone.zone)
    if target is not None and kind is not None and target.kind != kind:
        rules.world.report("RR0501", f"`{zone.zone}` holds {target.kind}, not {kind}", span)


def moved_kind(rules: RuleChecker, node: stmt.Move, context: Context) -> tuple[str | None, bool]:
    """The kind that `let c = move 1 …` moves, and whether there may be none."""
    source = node.source if node.source is not None else node.subject
    while isinstance(source, s.Otherwise | s.Membership):
        source = source.left if isinstance(source, s.Otherwise) else source.right
    if source is None:
        return None, False
    family = families.family(rules.world, context.scope, source)
    if family is None or family.word != "zone":
        return None, False
    zone = facts.zone(rules.world, family.name)
    return (zone.kind if zone is not None else None), node.up_to


def move(
    rules: RuleChecker,
    node: stmt.Move | stmt.Shuffle | stmt.Swap | stmt.Show,
    context: Context,
    result: m.Target | None = None,
) -> tree.Node:
    """Check a statement that moves or shows components."""
    world, scope, span = rules.world, context.scope, node.span
    nothing = tree.Block(span, (), ())
    match node:
        case stmt.Shuffle(place=place):
            zone = zone_at(rules, scope, place)
            if zone is None:
                return nothing
            zone_facts = facts.zone(world, zone.zone)
            if zone_facts is not None and zone_facts.order not in m.ORDERED:
                message = f"`{zone.zone}` has no order to shuffle"
                if zone_facts.order == "random":
                    message = f"`{zone.zone}` is random already: it needs no shuffle"
                world.report("RR0510", message, span)
            rules.written.add(zone.zone)
            return tree.Leaf(span, m.ShuffleZone(span, zone, rules.slot()))
        case stmt.Swap(left=left, right=right):
            family = families.family(world, scope, left)
            if family is not None and family.word == "zone":
                first, second = zone_at(rules, scope, left), zone_at(rules, scope, right)
                if first is None or second is None:
                    return nothing
                zone_facts = facts.zone(world, first.zone)
                enters(rules, second, zone_facts.kind if zone_facts is not None else None, span)
                rules.written.add(first.zone)
                return tree.Leaf(span, m.SwapZones(span, first, second))
            mine, theirs = (
                targets.target_of(rules, left, context),
                targets.target_of(rules, right, context),
            )
            if mine is None or theirs is None:
                return nothing
            if join(mine[1], theirs[1]) is None:  # type: ignore[arg-type]
                mismatch(world, right.span, mine[1], theirs[1])
            return tree.Leaf(span, m.SwapValues(span, mine[0], theirs[0]))
        case stmt.Show(what=what, to=to):
            if context.together:
                world.report("RR0607", "nothing can be shown inside a `together`", span)
            shown = elaborate.raw(world, scope, what)
            if not isinstance(shown.type, t.Collection | t.Zone | t.Unknown):
                inside = shown.type
                if not isinstance(t.bare(inside), t.Component):
                    mismatch(world, what.span, t.Component("kind"), inside)
                shown = m.Listed(t.Collection(t.bare(inside), True), what.span, (shown,))  # type: ignore[arg-type]
            else:
                shown = sure_members(world, shown)
            player = None
            if viewers := joined_values.values(world, scope, to, t.Player()):
                each = "; ".join(f"show {what.span.text} to {one.span.text}" for one in viewers)
                joined_values.refuse(world, to, viewers[0], f"write `{each}`")
            elif not isinstance(to, s.All):
                player = elaborate.check(world, scope, to, t.Player())
            return tree.Leaf(span, m.ShowTo(span, shown, player))
    assert isinstance(node, stmt.Move)
    if node.quantity is None:
        return one(rules, node, context)
    if node.quantity == "all":
        return everything(rules, node, context)
    return some(rules, node, context, result)


def one(rules: RuleChecker, node: stmt.Move, context: Context) -> tree.Node:
    """`move c to Z`; a set, and a choice of several, moves whole."""
    world, scope, span = rules.world, context.scope, node.span
    assert node.subject is not None
    if (hint := _one_of_several(rules, node, context)) is not None:
        message = "which one moves, this does not say"
        world.report("RR0501", message, node.subject.span, **hint)
        return tree.Block(span, (), ())
    to = zone_at(rules, scope, node.to)
    zone = facts.zone(world, to.zone) if to is not None else None
    # `move fox to pile`: a name is looked up among what the zone holds.
    wanted = t.Component(zone.kind) if zone is not None else None
    subject = elaborate.single(world, scope, node.subject, wanted)
    if to is None or isinstance(subject.type, t.Unknown):
        return tree.Block(span, (), ())
    inner = t.bare(subject.type)
    if isinstance(inner, t.SetOf | t.Multiset) and isinstance(inner.element, t.Component):
        enters(rules, to, inner.element.kind, span)
        chosen = fit(world, subject, inner)
        whole = m.Unpacked(t.Collection(inner.element, False), node.subject.span, chosen)
        return tree.Leaf(span, m.MoveAll(span, world.register(), whole, None, to))
    if not isinstance(inner, t.Component):
        way_out = None
        if isinstance(inner, t.Collection | t.Zone):
            way_out = f"write `move all {node.subject.span.text} to …`, or how many, or which one"
        world.report(
            "RR0501",
            f"`{shorten(node.subject.span.text)}` is {describe(world, subject.type)}; "
            "a component is wanted",
            node.subject.span,
            help=way_out,
        )
        return tree.Block(span, (), ())
    enters(rules, to, inner.kind, span)
    name = subject if isinstance(subject, m.Local) else None
    return tree.Leaf(span, m.MoveOne(span, fit(world, subject, inner), to, name))


def _one_of_several(rules: RuleChecker, node: stmt.Move, context: Context) -> Hint | None:
    """What to write for `move c in market to hand` and `move card to hand`."""
    world, subject = rules.world, node.subject
    if isinstance(subject, s.Membership) and isinstance(subject.left, s.Name):
        name, place = subject.left.text, subject.right.span.text
        if name in context.scope.names or name in world.declared:
            return None
        help = (
            f"to let somebody choose, write `choose: {name} in {place}` and then `move {name} to "
            f"{node.to.span.text}`, or make it a parameter of the option: `take({name} in {place})`"
        )
        return {"help": help, "fixes": ()}
    if (
        isinstance(subject, s.Name)
        and subject.text in world.by_kind["kind"]
        and subject.text not in context.scope.names
    ):
        kind = subject.text
        named = [
            name
            for name, each in context.scope.names.items()
            if t.bare(each.type) == t.Component(kind)
        ]
        if named and sum(component_kinds.kind(world, kind).copies) > 1:
            text = f"move {named[-1]} to {node.to.span.text}"
            help = f"`{kind}` is the kind; `{named[-1]}` is one of them: write `{text}`"
            fixes = rewrite(subject.span, named[-1], safe=len(named) == 1)
            return {"help": help, "fixes": fixes}
    return None


def everything(rules: RuleChecker, node: stmt.Move, context: Context) -> tree.Node:
    """`move all S to Z`, `move every c in S if e to Z`."""
    world, scope, span = rules.world, context.scope, node.span
    subject = node.subject
    assert subject is not None
    register = world.register()
    test = None
    if isinstance(subject, s.Membership) and isinstance(subject.left, s.Name):
        source = sure_members(world, elaborate.collection(world, scope, subject.right))
        scope = scopes.bind(
            world,
            scope,
            subject.left.text,
            subject.left.span,
            element(source.type),
            register,
        )
        if node.condition is not None:
            test = elaborate.condition(world, scope, node.condition)
    else:
        source = sure_members(world, elaborate.collection(world, scope, subject))
        if node.condition is not None:
            world.report("RR0502", "name what the condition is about: `move all c in S if …`", span)
    to = zone_at(rules, scope, node.to)
    inner = element(source.type)
    if to is None or isinstance(inner, t.Unknown):
        return tree.Block(span, (), ())
    if not isinstance(t.bare(inner), t.Component):
        mismatch(world, subject.span, t.Component("kind"), source.type)
        return tree.Block(span, (), ())
    enters(rules, to, t.bare(inner).kind, span)  # type: ignore[union-attr]
    touched(rules, source)
    return tree.Leaf(span, m.MoveAll(span, register, source, test, to))


def touched(rules: RuleChecker, source: m.Expression) -> None:
    """Note that a zone is moved out of."""
    if isinstance(source, m.Members):
        rules.written.add(source.zone)


def some(
    rules: RuleChecker, node: stmt.Move, context: Context, result: m.Target | None
) -> tree.Node:
    """`move N from Z to Y`, `move 1 c in Z if e to Y`."""
    world, scope, span = rules.world, context.scope, node.span
    assert node.quantity is not None and not isinstance(node.quantity, str)
    quantity = elaborate.check(world, scope, node.quantity, t.ANY_INT)
    register, test, named = None, None, None
    if node.source is not None:
        sources = zones_of(rules, scope, node.source)
    else:
        subject = node.subject
        if not isinstance(subject, s.Membership) or not isinstance(subject.left, s.Name):
            world.report(
                "RR0502",
                "say of which: `move 1 c in hand if … to …`",
                subject.span if subject is not None else span,
            )
            return tree.Block(span, (), ())
        sources = zones_of(rules, scope, subject.right)
        named = subject
        if sources:
            zone = facts.zone(world, sources[0][1].zone)
            register = world.register()
            kind = t.Component(zone.kind) if zone is not None else t.Unknown()
            scope = scopes.bind(world, scope, subject.left.text, subject.left.span, kind, register)
            if node.condition is not None:
                test = elaborate.condition(world, scope, node.condition)
    to = zone_at(rules, context.scope, node.to)
    if to is None or not sources:
        return tree.Block(span, (), ())
    for _, source in sources:
        zone = facts.zone(world, source.zone)
        rules.written.add(source.zone)
        enters(rules, to, zone.kind if zone is not None else None, span)
    places = tuple(place for _, place in sources)
    refills = refilling(rules, context.scope, sources, named, node.condition)

    def move(many: m.Expression) -> tree.Node:
        left = rules.slot()
        return tree.Leaf(
            span, m.MoveSome(span, many, node.up_to, places, to, left, result, register, test)
        )

    if not refills:
        return move(quantity)
    single = m.Literal(t.Int(1, 1), span, 1)
    one_by_one = tree.Block(span, (*refills, move(single)), ())
    if constants.value_of(world, quantity) == 1:
        return one_by_one
    # In one go as long as the pile lasts: the order in which cards lay is not told then.
    there = m.Comparison(t.Bool(), span, "<=", quantity, _count(world, sources[0][1]))
    if len(sources) > 1 or test is not None:
        return tree.Repeat(span, rules.slot(), quantity, one_by_one)
    repeat = tree.Repeat(span, rules.slot(), quantity, one_by_one)
    return tree.If(span, there, move(quantity), repeat)


def _count(world: World, zone: m.ZoneAt) -> m.Expression:
    """How many lie in a zone."""
    kind = t.Component(facts.zone(world, zone.zone).kind)  # type: ignore[union-attr]
    members = m.Members(t.Collection(kind, False), zone.span, zone.zone, zone.indexes)
    clause = m.Clause(world.register(), members, None)
    return m.Quantifier(t.Int(0, t.INT_MAX), zone.span, "count", (clause,), None, (), None)


def refilling(
    rules: RuleChecker,
    scope: Scope,
    sources: list[tuple[s.Expression, m.ZoneAt]],
    named: s.Membership | None,
    condition: s.Expression | None,
) -> list[tree.Node]:
    """What stands before each single move out of piles that are shuffled as they refill.

    Where nothing (that passes the condition) is in the pile, nor in the sources before it, the
    other zone comes in whole, and the pile is shuffled.
    """
    world = rules.world
    found: list[tree.Node] = []
    empty: list[m.Expression] = []
    for node, source in sources:
        span = node.span
        wanted: s.Argument = node
        if named is not None:
            member = s.Membership(named.span, named.left, node, False)
            wanted = member if condition is None else s.Filtered(span, member, condition, ())
        empty.append(elaborate.condition(world, scope, s.Call(span, "empty", span, (wanted,))))
        decl = facts.zone(world, source.zone).decl  # type: ignore[union-attr]
        if not refills.reshuffles(decl) or decl.refill is None:
            continue
        assert isinstance(decl.refill, s.Name)
        name = decl.refill.text
        other = facts.zone(world, name) if name in world.by_kind["zone"] else None
        if other is None:
            continue
        indexes = source.indexes[: len(other.indexes)]
        from_ = m.ZoneAt(decl.refill.text, indexes, span)
        kind = t.Component(other.kind)
        members = m.Members(t.Collection(kind, False), span, decl.refill.text, indexes)
        rules.written.update((decl.refill.text, source.zone))
        steps = (
            tree.Leaf(span, m.MoveAll(span, world.register(), members, None, source)),
            tree.Leaf(span, m.ShuffleZone(span, source, rules.slot())),
        )
        zero = m.Literal(t.Int(0, 0), span, 0)
        there = m.Comparison(t.Bool(), span, ">", _count(world, from_), zero)
        when = m.And(t.Bool(), span, (*empty, there))
        found.append(tree.If(span, when, tree.Block(span, steps, ()), None))
    return found
