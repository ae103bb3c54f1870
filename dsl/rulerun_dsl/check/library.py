"""The words of the library: what they take and what they give.

Assumes: `expressions` for everything inside the arguments.
Does: types quantifiers (`count`, `first`, `highest`, …), players round the table, boards.
Leaves behind: model expressions.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from itertools import pairwise

from rulerun_dsl import model as m
from rulerun_dsl import structure
from rulerun_dsl import syntax as s
from rulerun_dsl import valuetypes as t
from rulerun_dsl.check import boards, constants, expressions, facts
from rulerun_dsl.check.typing import describe, element, fit, join, mismatch, unknown
from rulerun_dsl.check.world import World
from rulerun_dsl.diagnostics import suggest
from rulerun_dsl.source import Span

QUANTIFIERS = frozenset(
    "count any all sum max min first last those highest lowest all_highest all_lowest empty".split()
)
BOARD_WORDS = frozenset(
    "go neighbours distance reach line path around reverse where".split()
)
PLAYER_WORDS = frozenset("next opponent clockwise others seat player index".split())
WORDS = QUANTIFIERS | BOARD_WORDS | PLAYER_WORDS | {"running", "abs", "share_of_win"}

_WHOLE = t.Int(t.INT_MIN, t.INT_MAX)


# ----------------------------------------------------------------------------- whole types


def all_values(world: World, type_: t.Scalar, span: Span) -> m.Expression:
    """All values of a finite type, in order."""
    low = facts.low(type_)
    if isinstance(type_, t.Player):
        count = m.Setting(t.Int(*world.outline.player_range), span, "players")
        high: m.Expression = m.Arithmetic(
            t.Int(0, world.outline.player_range[1] - 1), span, "-", count,
            m.Literal(t.Int(1, 1), span, 1),
        )
    else:
        last = low + facts.size(world, type_) - 1
        high = m.Literal(t.Int(last, last), span, last)
    first = m.Literal(t.Int(low, low), span, low)
    return m.Values(t.Collection(type_, True), span, first, high)


def all_of(world: World, name: str, span: Span) -> m.Expression:
    """A board, kind or type named as a collection."""
    type_ = facts.named_type(world, name, span)
    if isinstance(type_, t.Component):
        return m.OfKind(t.Collection(type_, False), span, name, None, None)
    if isinstance(type_, t.Unknown):
        return unknown(span)
    if isinstance(type_, t.Optional):
        world.report("RR0509", f"`{name}` may be none: it cannot be ranged over", span)
        return unknown(span)
    return all_values(world, type_, span)


def named_types(world: World) -> Iterator[t.Scalar]:
    """The types whose values have names."""
    for name, decl in world.by_kind["option"].items():
        if decl.members:  # type: ignore[attr-defined]
            yield t.Enum(name)
    for name, decl in world.by_kind["type"].items():
        if decl.alias is None:  # type: ignore[attr-defined]
            yield t.Enum(name)
    for name in world.by_kind["kind"]:
        yield t.Row(name)
    for name in world.by_kind["board"]:
        yield t.Site(name)
        if facts.directions(world, name):
            yield t.Direction(name)


def constant_value(world: World, name: str, span: Span) -> m.Expression:
    """A constant: its expression, by the number of players if it says so."""
    decl: structure.ConstantDecl = world.by_kind["constant"][name]  # type: ignore[assignment]

    def make() -> m.Expression:
        if decl.value is not None:
            return expressions.check(world, expressions.Scope(), decl.value)
        for count, value in decl.by_count:
            if count == world.count:
                return expressions.check(world, expressions.Scope(), value)
        world.report(
            "RR0512", f"`{name}` says nothing of {world.count} players", decl.at.span
        )
        return unknown(decl.at.span)

    made = world.fact("constant", name, make, unknown(span))
    value = constants.value_of(world, made)
    if value is constants.NOT_CONSTANT:
        if not isinstance(made.type, t.Unknown):
            world.report("RR0504", f"`{name}` is not constant", decl.at.span)
        return unknown(span)
    if decl.by_count and isinstance(made.type, t.Int):
        numbers = [made.type]
        for _, other in decl.by_count:
            typed = expressions.check(world, expressions.Scope(), other)
            if isinstance(typed.type, t.Int):
                numbers.append(typed.type)
        span_type = t.Int(min(n.low for n in numbers), max(n.high for n in numbers))
        # Not a literal, so that no branch counts as dead because of the number of players.
        return dataclasses.replace(made, type=span_type, span=span) if not isinstance(
            made, m.Literal
        ) else m.Conditional(
            span_type, span, _depends_on_players(world, span), made, made
        )
    return dataclasses.replace(made, span=span)


def _depends_on_players(world: World, span: Span) -> m.Expression:
    count = m.Setting(t.Int(*world.outline.player_range), span, "players")
    return m.Comparison(t.Bool(), span, ">", count, m.Literal(t.Int(0, 0), span, 0))


# ----------------------------------------------------------------------------- collections


def components_of(
    world: World, scope: expressions.Scope, name: str, owner: s.Expression, span: Span
) -> m.Expression:
    """`card of p`, `prince of yarg`."""
    kinds = [name] if name in world.by_kind["kind"] else [
        kind for kind in world.by_kind["kind"] if name in facts.row_names(world, kind)
    ]
    if len(kinds) != 1:
        known = list(world.by_kind["kind"])
        world.unknown(name, span, "kind of component", known)
        return unknown(span)
    kind = facts.kind(world, kinds[0])
    world.used.add(kinds[0])
    if kind.owner is None:
        world.report(
            "RR0410",
            f"a {kinds[0]} has no owner: its kind does not say `each:`",
            span,
        )
        return unknown(span)
    row = None
    if name != kinds[0]:
        place = kind.rows.names.index(name)
        row = m.Literal(t.Row(kinds[0]), span, place)
    whose = expressions.check(world, scope, owner, kind.owner)
    type_ = t.Collection(t.Component(kinds[0]), False)
    return m.OfKind(type_, span, kinds[0], whose, row)


def joined(world: World, scope: expressions.Scope, node: s.Binary) -> m.Expression:
    """`a + b` of collections."""
    left = expressions.collection(world, scope, node.left)
    right = expressions.collection(world, scope, node.right)
    inside = join(element(world, left.type), element(world, right.type))
    if inside is None:
        mismatch(world, right.span, left.type, right.type)
        return unknown(node.span)
    ordered = expressions.is_ordered(world, left) and expressions.is_ordered(world, right)
    return m.Joined(t.Collection(inside, ordered), node.span, left, right)


# -------------------------------------------------------------------------- functions, slots


def function_body(
    world: World, scope: expressions.Scope, decl: structure.FunctionDecl
) -> m.Expression:
    """Type the body of a function: an expression, or cases from the top down."""
    if decl.value is not None:
        found = expressions.raw(world, scope, decl.value)
        return expressions.scalar(world, found)
    return cases(world, scope, decl)


def cases(
    world: World, scope: expressions.Scope, decl: structure.FunctionDecl
) -> m.Expression:
    """`cases:` (conditions) or `match:` with `cases:` (values) as nested conditionals."""
    subject = expressions.check(world, scope, decl.subject) if decl.subject is not None else None
    typed: list[tuple[m.Expression | None, m.Expression]] = []
    result: t.Scalar = t.Unknown()
    covered: set[int | None] = set()
    for key, value in decl.cases:
        test: m.Expression | None = None
        if key is not None:
            test = (
                expressions.condition(world, scope, key)
                if subject is None
                else matches(world, scope, subject, key, covered)
            )
        given = expressions.scalar(world, expressions.raw(world, scope, value))
        both = join(result, given.type)  # type: ignore[arg-type]
        if both is None:
            mismatch(world, given.span, result, given.type)
            both = t.Unknown()
        result = both
        typed.append((test, given))
    if not typed:
        return unknown(decl.at.span)
    check_else(world, subject, covered, [(key, value.span) for key, value in decl.cases])
    if typed[-1][0] is not None and not (
        subject is not None and is_total(world, subject, covered)
    ):
        world.report(
            "RR0513",
            f"`{decl.at.name}` may find no case that holds",
            decl.at.span,
            help="end with `else:`",
        )
    body = typed[-1][1]
    for test, given in reversed(typed[:-1]):
        if test is not None:
            body = m.Conditional(result, given.span, test, given, body)
    return body


def check_else(
    world: World,
    subject: m.Expression | None,
    covered: set[int | None],
    cases: Sequence[tuple[s.Expression | None, Span]],
) -> None:
    """Report cases that stand behind `else`, and an `else` that is for nothing."""
    for (key, _), (later, span) in pairwise(cases):
        if key is None:
            world.report(
                "RR0703",
                "nothing gets here: `else` stands before it",
                later.span if later is not None else span,
                help="write `else` last",
            )
            return
    if subject is None or not cases or cases[-1][0] is not None:
        return
    # Numbers may have bounds that options move.
    if isinstance(t.inner(subject.type), t.Bool | t.Enum | t.Row | t.Component) and is_total(
        world, subject, covered
    ):
        world.report(
            "RR0703",
            "nothing gets here: every value has a case",
            cases[-1][1],
            help="delete the `else`",
        )


def matches(
    world: World,
    scope: expressions.Scope,
    subject: m.Expression,
    key: s.Expression,
    covered: set[int | None],
) -> m.Expression:
    """The condition that the subject of a `match` is what a key names."""
    inner = t.inner(subject.type)
    if isinstance(inner, t.Component):
        row: t.Scalar = t.Row(inner.kind)
        if isinstance(subject.type, t.Optional):
            row = t.Optional(row)
        subject = m.RowOf(row, subject.span, inner.kind, subject)
        inner = t.inner(row)
    parts = key.items if isinstance(key, s.ListOf) else (key,)
    tests: list[m.Expression] = []
    for part in parts:
        if isinstance(part, s.Nothing) and isinstance(subject.type, t.Optional):
            cover(world, key, covered, (None,))
            nothing = m.Literal(subject.type, part.span, None)
            tests.append(m.Comparison(t.Bool(), part.span, "==", subject, nothing))
        elif isinstance(part, s.Range):
            low = expressions.check(world, scope, part.low, inner)
            high = expressions.check(world, scope, part.high, inner)
            ends = constants.value_of(world, low), constants.value_of(world, high)
            if isinstance(ends[0], int) and isinstance(ends[1], int):
                cover(world, key, covered, range(ends[0], ends[1] + 1))
            bounds: tuple[m.Expression, ...] = (
                m.Comparison(t.Bool(), part.span, ">=", subject, low),
                m.Comparison(t.Bool(), part.span, "<=", subject, high),
            )
            if isinstance(subject.type, t.Optional):
                nothing = m.Literal(subject.type, part.span, None)
                bounds = (m.Comparison(t.Bool(), part.span, "!=", subject, nothing), *bounds)
            tests.append(m.Every(t.Bool(), part.span, bounds))
        else:
            value = expressions.check(world, scope, part, inner)
            known = constants.value_of(world, value)
            if isinstance(known, int):
                cover(world, key, covered, range(known, known + 1))
            tests.append(m.Comparison(t.Bool(), part.span, "==", subject, value))
    return tests[0] if len(tests) == 1 else m.Either(t.Bool(), key.span, tuple(tests))


def cover(
    world: World, key: s.Expression, covered: set[int | None], values: Sequence[int | None]
) -> None:
    """Note which values a case covers; report what stands twice."""
    if len(values) < 10_000:
        if not covered.isdisjoint(values):
            world.report("RR0512", f"`{key.span.text}` repeats what a case above says", key.span)
        covered.update(values)


def is_total(world: World, subject: m.Expression, covered: set[int | None]) -> bool:
    """Does every value of the subject have a case."""
    inner = t.inner(subject.type)
    if isinstance(inner, t.Component):
        inner = t.Row(inner.kind)
    if isinstance(inner, t.Unknown):
        return True
    if isinstance(subject.type, t.Optional) and None not in covered:
        return False
    low = facts.low(inner)
    return all(value in covered for value in range(low, low + facts.size(world, inner)))


def slot_call(
    world: World,
    scope: expressions.Scope,
    base: m.Expression,
    kind: str,
    slot: structure.RuleSlot,
    node: s.RuleCall,
) -> m.Expression:
    """`card.needs(…)`: each row's expression as a function of `this`, `you` and parameters."""
    type_ = facts.type_of(world, slot.type) if slot.type is not None else t.Unknown()
    parameters = [
        (each.name, facts.type_of(world, each.type) if each.type is not None else t.Unknown())
        for each in slot.signature.parameters
    ]
    if len(node.arguments) != len(parameters):
        world.report(
            "RR0502",
            f"`{node.name}` takes {len(parameters)} arguments, not {len(node.arguments)}",
            node.span,
        )
        return unknown(node.span)
    arguments: list[m.Expression] = [fit(world, base, t.Component(kind))]
    you = scope.you
    if you is not None:
        scope.asked[0] = True
        arguments.append(dataclasses.replace(you, span=node.span))
    for argument, (_, parameter) in zip(node.arguments, parameters, strict=True):
        arguments.append(expressions.check(world, scope, argument, parameter))

    def make() -> tuple[int, ...]:
        return tuple(
            slot_function(world, kind, row, slot, type_, parameters, you is not None)
            for row in facts.kind_decl(world, kind).rows
        )

    key = f"{kind}.{node.name}.{you is not None}"
    nothing: tuple[int, ...] = ()
    functions = world.fact("slot", key, make, nothing)
    return m.SlotCall(type_, node.span, kind, base, functions, tuple(arguments))


def slot_function(
    world: World,
    kind: str,
    row: structure.RowDecl,
    slot: structure.RuleSlot,
    type_: t.Scalar,
    parameters: list[tuple[str, t.Scalar]],
    with_you: bool,
) -> int:
    """Make the function of one row's slot; its index."""
    from rulerun_dsl.check.world import FunctionFacts
    from rulerun_dsl.nodes import Scalar
    from rulerun_dsl.parse import parse_test

    span = row.span
    this = m.Register(t.Component(kind), span, world.register())
    names: dict[str, m.Expression] = {}
    registers: list[tuple[str, t.Scalar, int]] = [("this", this.type, this.index)]  # type: ignore[list-item]
    you = m.Register(t.Player(), span, world.register()) if with_you else None
    if you is not None:
        registers.append(("you", t.Player(), you.index))
    for name, parameter in parameters:
        register = m.Register(parameter, span, world.register())
        names[name] = register
        registers.append((name, parameter, register.index))
    written = next((node for key, node in row.values if key.text == slot.signature.name), None)
    node = parse_test(written)[0] if isinstance(written, Scalar) else slot.default
    scope = expressions.Scope(names, you, this)
    if node is None:
        world.report(
            "RR0514", f"row `{row.name}` gives no `{slot.signature.name}`", row.span
        )
        body = unknown(span)
    else:
        body = expressions.check(world, scope, node, type_)
    name = f"{row.name}.{slot.signature.name}"
    at = dataclasses.replace(facts.kind_decl(world, kind).at, name=name)
    decl = structure.FunctionDecl(at, slot.signature, None, None, ())
    made = FunctionFacts(decl, len(world.functions), tuple(registers), False, False, type_, body)
    world.functions.append(made)
    return made.index


# --------------------------------------------------------------------------------- the words


def call(
    world: World, scope: expressions.Scope, node: s.Call, expected: t.Type | None
) -> m.Expression:
    """A call of a library word."""
    name, span = node.name, node.span
    if name == "empty":
        counted = quantified(world, scope, dataclasses.replace(node, name="count"))
        zero = m.Literal(t.Int(0, 0), span, 0)
        return m.Comparison(t.Bool(), span, "==", counted, zero)
    if name in QUANTIFIERS:
        return quantified(world, scope, node)
    if name not in WORDS:
        known = [*WORDS, *world.by_kind["function"], *world.by_kind["board"]]
        close = suggest(name, known)
        if name in world.declared or name in scope.names:
            world.report("RR0409", f"`{name}` cannot be called", node.name_span)
        else:
            world.report(
                "RR0402",
                f"there is no function `{name}`",
                node.name_span,
                help=f"did you mean `{close}`?" if close else None,
            )
        return unknown(span)
    if name in ("line", "path", "reach"):
        return board_search(world, scope, node)
    plain: list[s.Expression] = []
    for argument in node.arguments:
        if isinstance(argument, s.Comprehension | s.Filtered):
            world.report("RR0502", f"`{name}` takes values, not a filter", argument.span)
            return unknown(span)
        plain.append(argument)
    least, most = {
        "next": (1, 2), "go": (2, 3), "distance": (2, 2), "around": (2, 2)
    }.get(name, (1, 1))
    if not least <= len(plain) <= most:
        wanted = str(least) if least == most else f"{least} or {most}"
        world.report("RR0502", f"`{name}` takes {wanted} arguments, not {len(plain)}", span)
        return unknown(span)
    if name in PLAYER_WORDS:
        return player_word(world, scope, name, plain, span)
    if name == "running":
        text = plain[0].span.text
        if text not in world.by_kind["procedure"]:
            world.unknown(text, plain[0].span, "procedure", world.by_kind["procedure"])
        world.used.add(text)
        return m.Running(t.Bool(), span, text)
    if name == "abs":
        value = expressions.check(world, scope, plain[0], _WHOLE)
        zero = m.Literal(t.Int(0, 0), span, 0)
        reach = value.type if isinstance(value.type, t.Int) else _WHOLE
        high = max(abs(reach.low), abs(reach.high))
        negative = m.Arithmetic(t.Int(0, high), span, "-", zero, value)
        test = m.Comparison(t.Bool(), span, "<", value, zero)
        return m.Conditional(t.Int(0, high), span, test, negative, value)
    if name == "share_of_win":
        player = expressions.check(world, scope, plain[0], t.Player())
        return m.Built(t.Fraction(), span, "share_of_win", "", (player,))
    return board_word(world, scope, name, plain, span)


def player_word(
    world: World, scope: expressions.Scope, name: str, plain: list[s.Expression], span: Span
) -> m.Expression:
    """`next`, `opponent`, `clockwise`, `others`, `seat`, `player` and `index`."""
    low, high = world.outline.player_range
    count = m.Setting(t.Int(low, high), span, "players")
    if name == "player":
        number = expressions.check(world, scope, plain[0], t.Int(0, high - 1))
        return m.Arithmetic(t.Player(), span, "%", number, count)
    if name == "index":
        value = expressions.check(world, scope, plain[0])
        inner = t.inner(value.type)
        if isinstance(inner, t.Unknown):
            return unknown(span)
        return dataclasses.replace(
            fit(world, value, inner), type=t.Int(0, max(facts.size(world, inner) - 1, 0))
        )
    who = expressions.check(world, scope, plain[0], t.Player())
    if name == "seat":
        one = m.Literal(t.Int(1, 1), span, 1)
        number = dataclasses.replace(who, type=t.Int(0, high - 1))
        return m.Arithmetic(t.Int(1, high), span, "+", number, one)
    if name == "opponent":
        if high != 2:
            world.report(
                "RR0502",
                f"`opponent` is for two players; this game has up to {high}",
                span,
                help="write `next(p)` or `others(p)`",
            )
        one = m.Literal(t.Int(1, 1), span, 1)
        return m.Arithmetic(t.Player(), span, "-", one, who)
    if name == "next":
        step: m.Expression = m.Literal(t.Int(1, 1), span, 1)
        if len(plain) == 2:
            step = expressions.check(world, scope, plain[1], _WHOLE)
        added = m.Arithmetic(t.Int(0, high + 100), span, "+", who, step)
        return m.Arithmetic(t.Player(), span, "%", added, count)
    return m.Clockwise(t.Collection(t.Player(), True), span, who, name == "others")


def quantified(world: World, scope: expressions.Scope, node: s.Call) -> m.Expression:
    """`count`, `any`, `sum`, `first`, `highest`, … in all their forms."""
    name, span = node.name, node.span
    arguments = list(node.arguments)
    number: m.Expression | None = None
    if name in ("highest", "lowest") and len(arguments) == 2:
        first = arguments.pop(0)
        if isinstance(first, s.Comprehension | s.Filtered):
            world.report("RR0502", f"`{name}` wants a number first", first.span)
            return unknown(span)
        number = expressions.check(world, scope, first, _WHOLE)
    if name in ("max", "min") and len(arguments) > 1:
        return of_values(world, scope, node)
    if len(arguments) != 1:
        world.report("RR0502", f"`{name}` takes one argument, not {len(arguments)}", span)
        return unknown(span)
    argument = arguments[0]
    if isinstance(argument, s.Comprehension):
        clauses, inner = comprehension(world, scope, argument)
        if name == "count":
            world.report(
                "RR0502",
                "`count` counts things: `count(x in S if …)`",
                argument.span,
            )
            return unknown(span)
        value = expressions.scalar(world, expressions.raw(world, inner, argument.value))
        return finish(world, node, tuple(clauses), value, (), number)
    subject = argument.subject if isinstance(argument, s.Filtered) else argument
    if (
        name in ("any", "all", "sum", "max", "min")
        and isinstance(argument, s.Filtered)
        and isinstance(subject, s.Membership)
    ):
        ranged = f"{subject.left.span.text} in {subject.right.span.text}"
        what = "a condition" if name in ("any", "all") else "a value"
        world.report(
            "RR0502",
            f"`{name}` wants {what} for each, not a filter",
            argument.span,
            help=f"write `{name}(… for {ranged})`",
        )
        return unknown(span)
    if isinstance(argument, s.Filtered) or (
        isinstance(subject, s.Membership)
        and not subject.negated
        and name not in ("any", "all", "sum", "max", "min")
    ):
        return filtered(world, scope, node, argument, subject, number)
    if name == "count" and isinstance(subject, s.Name) and subject.text == "players":
        return m.Setting(t.Int(*world.outline.player_range), span, "players")
    source = expressions.collection(world, scope, subject)
    register = world.register()
    item = m.Register(element(world, source.type), subject.span, register)
    clause = m.Clause(register, source, None)
    return finish(world, node, (clause,), item, (), number)


def of_values(world: World, scope: expressions.Scope, node: s.Call) -> m.Expression:
    """`max(a, b)`."""
    items = []
    for argument in node.arguments:
        if isinstance(argument, s.Comprehension | s.Filtered):
            world.report("RR0502", f"`{node.name}` takes values or one filter", argument.span)
            return unknown(node.span)
        items.append(expressions.check(world, scope, argument, _WHOLE))
    types = [item.type for item in items]
    if not all(isinstance(type_, t.Int) for type_ in types):
        return unknown(node.span)
    ends = [type_ for type_ in types if isinstance(type_, t.Int)]
    pick = max if node.name == "max" else min
    type_ = t.Int(pick(each.low for each in ends), pick(each.high for each in ends))
    register = world.register()
    listed = m.Listed(t.Collection(type_, True), node.span, tuple(items))
    item = m.Register(type_, node.span, register)
    clause = m.Clause(register, listed, None)
    return m.Quantifier(type_, node.span, node.name, (clause,), item, (), None)


def comprehension(
    world: World, scope: expressions.Scope, argument: s.Comprehension
) -> tuple[list[m.Clause], expressions.Scope]:
    """The clauses of `e for x in S for y in T if c`, and the scope of `e`."""
    clauses: list[m.Clause] = []
    inner = scope
    for place, clause in enumerate(argument.clauses):
        source = expressions.collection(world, inner, clause.source)
        register = world.register()
        inner = bind(world, inner, clause.name, clause.span, element(world, source.type), register)
        last = place == len(argument.clauses) - 1
        test = (
            expressions.condition(world, inner, argument.condition)
            if last and argument.condition is not None
            else None
        )
        clauses.append(m.Clause(register, source, test))
    return clauses, inner


def bind(
    world: World,
    scope: expressions.Scope,
    name: str,
    span: Span,
    type_: t.Scalar,
    register: int,
) -> expressions.Scope:
    """A scope with a binder in it; a local hides nothing but the name of a kind."""
    value = m.Register(type_, span, register)
    check_hides(world, scope, name, span)
    if name == "you":
        return dataclasses.replace(scope, you=value, asked=[False])
    return scope.with_names(**{name: value})


def check_hides(world: World, scope: expressions.Scope, name: str, span: Span) -> None:
    """Report a local that hides a declared name or another local."""
    if name == "you":
        return
    word = world.declared.get(name, ("", None))[0]
    hides = name in scope.names or (word not in ("", "kind", "board", "type", "phase"))
    if hides or name in world.players or name == "players":
        what = f"the {word} `{name}`" if word else f"another `{name}`"
        world.report(
            "RR0404",
            f"`{name}` would hide {what}",
            span,
            help="choose another name for the local",
        )


def filtered(
    world: World,
    scope: expressions.Scope,
    node: s.Call,
    argument: s.Argument,
    subject: s.Expression | s.Comprehension | s.Filtered,
    number: m.Expression | None,
) -> m.Expression:
    """`x in S if c by e then f`."""
    if (
        not isinstance(subject, s.Membership)
        or subject.negated
        or not isinstance(subject.left, s.Name | s.You)
    ):
        culprit = subject.span
        hint = "write `x in S if …`"
        if isinstance(subject, s.Logic):
            hint = "what follows `and` belongs behind `if`: `x in S if …`"
        world.report(
            "RR0502", f"`{node.name}` wants a name and what it ranges over", culprit, help=hint
        )
        return unknown(node.span)
    source = expressions.collection(world, scope, subject.right)
    register = world.register()
    name = subject.left.text if isinstance(subject.left, s.Name) else "you"
    inner = bind(world, scope, name, subject.left.span, element(world, source.type), register)
    test, keys = None, []
    if isinstance(argument, s.Filtered):
        if argument.condition is not None:
            test = expressions.condition(world, inner, argument.condition)
        keys = [expressions.check(world, inner, key) for key in argument.keys]
    item = m.Register(element(world, source.type), subject.left.span, register)
    return finish(world, node, (m.Clause(register, source, test),), item, tuple(keys), number)


def finish(
    world: World,
    node: s.Call,
    clauses: tuple[m.Clause, ...],
    value: m.Expression,
    keys: tuple[m.Expression, ...],
    number: m.Expression | None,
) -> m.Expression:
    """Make the quantifier and say what it gives."""
    name, span = node.name, node.span
    ordered = all(expressions.is_ordered(world, clause.source) for clause in clauses)
    inner = value.type
    if keys and name not in ("highest", "lowest", "all_highest", "all_lowest"):
        world.report("RR0502", f"`{name}` takes no `by`", span)
        return unknown(span)
    if isinstance(inner, t.Collection | t.Zone):
        world.report(
            "RR0501", f"`{name}` wants a value for each, not {describe(world, inner)}", value.span
        )
        return unknown(span)
    word = name
    type_: t.Type
    match name:
        case "count":
            type_ = t.Int(0, bound(world, clauses))
        case "any" | "all":
            value = fit(world, value, t.Bool())
            type_ = t.Bool()
        case "sum":
            value = fit(world, value, _WHOLE)
            many = bound(world, clauses)
            reach = value.type if isinstance(value.type, t.Int) else t.Int(0, 0)
            low, high = min(0, reach.low * many), max(0, reach.high * many)
            type_ = t.Int(max(low, t.INT_MIN), min(high, t.INT_MAX))
        case "max" | "min":
            value = fit(world, value, _WHOLE)
            type_ = value.type
        case "first" | "last":
            if not ordered:
                world.report(
                    "RR0506",
                    f"`{name}` needs an order, and this has none",
                    span,
                    help="say which: `lowest(x in S by …)`, `the(…)`; a type, `players`, "
                    "a list and a `stack` or `queue` have an order",
                )
            type_ = inner if never_empty(clauses) else t.optional(inner)
        case "highest" | "lowest":
            if number is not None:
                word = f"{name}_few"
                type_ = t.Collection(t.inner(inner), True)  # type: ignore[arg-type]
            else:
                type_ = t.optional(inner)
            keys = keys or (value,)
        case "all_highest" | "all_lowest":
            keys = keys or (value,)
            type_ = t.Collection(t.inner(inner), ordered)  # type: ignore[arg-type]
        case _:
            type_ = t.Collection(t.inner(inner), ordered)  # type: ignore[arg-type]
    return m.Quantifier(type_, span, word, clauses, value, keys, number)


def never_empty(clauses: tuple[m.Clause, ...]) -> bool:
    """Is there surely something to range over (`players`, a whole type)."""
    return all(
        clause.condition is None
        and isinstance(clause.source, m.Values)
        and isinstance(clause.source.low, m.Literal)
        and (
            isinstance(element_of(clause.source), t.Player)
            or (
                isinstance(clause.source.high, m.Literal)
                and (clause.source.low.value or 0) <= (clause.source.high.value or 0)
            )
        )
        for clause in clauses
    )


def element_of(source: m.Values) -> t.Type:
    """The type of the values of a range."""
    return source.type.element if isinstance(source.type, t.Collection) else source.type


def bound(world: World, clauses: tuple[m.Clause, ...]) -> int:
    """The most members that clauses can range over."""
    many = 1
    for clause in clauses:
        many *= most(world, clause.source)
    return min(many, 10**6)


def most(world: World, node: m.Expression) -> int:
    """The most members of a collection."""
    match node:
        case m.Members(zone=zone, type=t.Zone(kind, _, single, _)):
            total = sum(facts.kind(world, kind).copies)
            made = facts.zone(world, zone)
            holds = made.holds if made is not None and single else None
            return total if holds is None else min(holds, total)
        case m.OfKind(kind=kind):
            return sum(facts.kind(world, kind).copies)
        case m.Values(low=low, high=high):
            if isinstance(low.type, t.Int) and isinstance(high.type, t.Int):
                return max(high.type.high - low.type.low + 1, 0)
            return 100
        case m.Clockwise():
            return world.count
        case m.Listed(items=items):
            return len(items)
        case m.Joined(left=left, right=right):
            return most(world, left) + most(world, right)
        case m.Conditional(value=left, alternative=right) | m.Otherwise(left=left, right=right):
            return max(most(world, left), most(world, right))
        case m.Quantifier(clauses=clauses):
            return bound(world, clauses)
        case m.Built(type=t.Collection(inside, _)):
            return facts.size(world, inside)
        case m.FunctionCall(function=function):
            body = world.functions[function].body
            return most(world, body) if body is not None else 100
        case _:
            return 100


# ------------------------------------------------------------------------------------ boards


def board_of(world: World, node: m.Expression) -> str | None:
    """The board of a site or of a collection of sites; reports anything else."""
    inner = t.inner(node.type)
    if isinstance(inner, t.Collection):
        inner = t.inner(inner.element)
    if isinstance(inner, t.Site):
        return inner.board
    if not isinstance(inner, t.Unknown):
        boards_ = list(world.by_kind["board"])
        wanted = t.Site(boards_[0]) if boards_ else t.Site("board")
        mismatch(world, node.span, wanted, node.type)
    return None


def site_at(world: World, scope: expressions.Scope, node: s.Call) -> m.Expression:
    """`cell(row, column)`: the site there, or none."""
    world.used.add(node.name)
    if len(node.arguments) != 2:
        world.report("RR0502", f"`{node.name}` takes a row and a column", node.span)
        return unknown(node.span)
    places = []
    for argument in node.arguments:
        if isinstance(argument, s.Comprehension | s.Filtered):
            return unknown(node.span)
        places.append(expressions.check(world, scope, argument, _WHOLE))
    type_ = t.Optional(t.Site(node.name))
    return m.Built(type_, node.span, "site", node.name, tuple(places))


def board_word(
    world: World, scope: expressions.Scope, name: str, plain: list[s.Expression], span: Span
) -> m.Expression:
    """`go`, `neighbours`, `distance`, `around`, `reverse`, `where`."""
    if name == "reverse":
        source = expressions.collection(world, scope, plain[0])
        return m.Built(
            t.Collection(element(world, source.type), True), span, "reverse", "", (source,)
        )
    if name == "around":
        source = expressions.collection(world, scope, plain[0])
        inside = element(world, source.type)
        start = expressions.check(world, scope, plain[1], inside)
        return m.Built(t.Collection(inside, True), span, "around", "", (source, start))
    if name == "where":
        component = expressions.check(world, scope, plain[0])
        inner = t.inner(component.type)
        if not isinstance(inner, t.Component):
            if not isinstance(inner, t.Unknown):
                mismatch(world, plain[0].span, t.Component("kind"), component.type)
            return unknown(span)
        for zone_name in world.by_kind["zone"]:
            zone = facts.zone(world, zone_name)
            if zone and zone.kind == inner.kind and len(zone.indexes) == 1 and isinstance(
                zone.indexes[0], t.Site
            ):
                world.used.add(zone_name)
                return m.SiteOf(
                    t.Optional(zone.indexes[0]), span, inner.kind, zone_name, component
                )
        world.report("RR0410", f"no zone of {inner.kind} is indexed by sites", span)
        return unknown(span)
    site = expressions.check(world, scope, plain[0])
    board = board_of(world, site)
    if board is None:
        return unknown(span)
    world.used.add(board)
    if name == "neighbours":
        site = fit(world, site, t.Site(board))
        return m.Built(t.Collection(t.Site(board), True), span, "neighbours", board, (site,))
    if name == "distance":
        site = fit(world, site, t.Site(board))
        other = expressions.check(world, scope, plain[1], t.Site(board))
        far = t.Optional(t.Int(0, max(facts.size(world, t.Site(board)) - 1, 0)))
        return m.Built(far, span, "distance", board, (site, other))
    direction = expressions.check(world, scope, plain[1], t.Direction(board))
    steps: m.Expression = m.Literal(t.Int(1, 1), span, 1)
    if len(plain) == 3:
        steps = expressions.check(world, scope, plain[2], _WHOLE)
    return m.Built(t.Optional(t.Site(board)), span, "go", board, (site, direction, steps))


def board_search(world: World, scope: expressions.Scope, node: s.Call) -> m.Expression:
    """`line(k, s in S if c)`, `path(a, b, s in S if c)`, `reach(starts, s in S if c)`."""
    name, span = node.name, node.span
    count = {"line": 2, "path": 3, "reach": 2}[name]
    if len(node.arguments) != count:
        world.report("RR0502", f"`{name}` takes {count} arguments", span)
        return unknown(span)
    *first, last = node.arguments
    condition = last.condition if isinstance(last, s.Filtered) else None
    subject = last.subject if isinstance(last, s.Filtered) else last
    if not isinstance(subject, s.Membership) or not isinstance(subject.left, s.Name):
        world.report(
            "RR0502", f"`{name}` wants the sites last: `s in square if …`", last.span
        )
        return unknown(span)
    source = expressions.collection(world, scope, subject.right)
    board = board_of(world, source)
    if board is None:
        return unknown(span)
    register = world.register()
    inner = bind(world, scope, subject.left.text, subject.left.span, t.Site(board), register)
    test = expressions.condition(world, inner, condition) if condition is not None else None
    clause = m.Clause(register, source, test)
    plain: list[m.Expression] = []
    for argument in first:
        if isinstance(argument, s.Comprehension | s.Filtered):
            world.report("RR0502", f"`{name}` takes no filter here", argument.span)
            return unknown(span)
        if name == "line":
            plain.append(expressions.check(world, scope, argument, t.Int(1, 1000)))
        else:
            plain.append(region(world, scope, board, argument))
    type_: t.Type = t.Bool() if name in ("line", "path") else t.Collection(t.Site(board), True)
    return m.Built(type_, span, name, board, tuple(plain), clause)


def region(
    world: World, scope: expressions.Scope, board: str, node: s.Expression
) -> m.Expression:
    """A region of a board (`north`), one site, or any collection of sites."""
    if isinstance(node, s.Name) and node.text in boards.regions_of(world, board):
        world.used.add(f"column {node.text}")
        register = world.register()
        site = m.Register(t.Site(board), node.span, register)
        found = facts.sites(world, board).columns[node.text]
        test = facts.lookup(node.text, found, (site,), world, node.span)
        source = all_values(world, t.Site(board), node.span)
        type_ = t.Collection(t.Site(board), True)
        clause = m.Clause(register, source, test)
        return m.Quantifier(type_, node.span, "those", (clause,), site, (), None)
    found_node = expressions.raw(world, scope, node)
    if isinstance(t.inner(found_node.type), t.Site):
        return m.Listed(t.Collection(t.Site(board), True), node.span, (found_node,))
    return expressions.collection(world, scope, node)
