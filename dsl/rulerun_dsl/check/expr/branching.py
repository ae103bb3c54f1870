"""Cases of functions and the keys of `match`; functions and slots that rows fill in."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import pairwise

from rulerun_dsl import model as m
from rulerun_dsl.check.env import constants, facts, tabular
from rulerun_dsl.check.env.records import FunctionFacts
from rulerun_dsl.check.env.typing import (
    describe,
    fit,
    join,
    last_name,
    mismatch,
    shorten,
    unknown,
    within,
)
from rulerun_dsl.check.env.wording import several
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import elaborate, scopes
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.diagnostics.diagnostic import Related
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.model.traversal import parts
from rulerun_dsl.source.depth import MOST_CASES
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax import statements as stmt
from rulerun_dsl.yaml.nodes import Scalar


def function_facts(
    world: World, name_: str, made_for: declarations.FunctionDecl | None = None
) -> FunctionFacts | None:
    """The facts of a function, its body checked; None if it depends on itself or leads too deep.

    `made_for` is one that no author declared.
    """
    decl: declarations.FunctionDecl = made_for or world.by_kind["function"][name_]  # type: ignore[assignment]

    def declare() -> FunctionFacts:
        parameters = []
        scopes.check_parameters(world, decl.signature)
        for parameter in decl.signature.parameters:
            type_: t.Scalar = t.Unknown()
            if parameter.type is not None:
                type_ = facts.type_of(world, parameter.type)
            elif parameter.name == "you":
                type_ = t.Player()
            else:
                world.report(
                    "RR0407", f"the parameter `{parameter.name}` has no type", parameter.span
                )
            parameters.append((parameter.name, type_, world.register()))
        explicit = bool(parameters) and parameters[0][0] == "you"
        made = FunctionFacts(
            decl,
            len(world.functions),
            tuple(parameters),
            explicit,
            explicit,
        )
        world.functions.append(made)
        return made

    made = world.fact("function", name_, declare, None)
    if made is None:
        return None

    def body() -> bool:
        names: dict[str, m.Expression] = {
            each: m.Register(type_, decl.at.span, register)
            for each, type_, register in made.parameters
        }
        implicit = world.register()
        you_node = names.pop("you", m.Register(t.Player(), decl.at.span, implicit))
        scope = Scope(names, you_node, original=world.originals.get(name_))
        made.body = function_body(world, scope, decl, made.parameters, decl.lets)
        made.result = made.body.type
        if scope.asked[0] and not made.explicit_you:
            made.needs_you = True
            made.parameters = (("you", t.Player(), implicit), *made.parameters)
        return True

    # In a circle, or where it would lead too deep, it is a function of nothing (as was reported):
    # no walk of its body may come back to where it began.
    return made if world.fact("function body", name_, body, False) else None


Parameters = tuple[tuple[str, t.Scalar, int], ...]
"""Name, type and register of each."""


def function_body(
    world: World,
    scope: Scope,
    decl: declarations.FunctionDecl,
    parameters: Parameters = (),
    lets: tuple[stmt.Let, ...] = (),
) -> m.Expression:
    """Type the body of a function: names for values, then an expression, or cases from the top."""
    if lets:
        return with_name(world, scope, decl, parameters, lets)
    if decl.value is not None:
        return elaborate.single(world, scope, decl.value)
    return cases(world, scope, decl)


def with_name(
    world: World,
    scope: Scope,
    decl: declarations.FunctionDecl,
    parameters: Parameters,
    lets: tuple[stmt.Let, ...],
) -> m.Expression:
    """`let n = e` and what follows it: a function of n as well, called with e."""
    let, *later = lets
    assert not isinstance(let.value, stmt.Move)
    scopes.check_hides(world, scope, let.name, let.name_span, binder=False)
    declared = facts.type_of(world, let.type) if let.type is not None else None
    value = elaborate.check(world, scope, let.value, declared)
    type_ = declared or value.type
    if isinstance(type_, t.Collection | t.Zone | t.Order | t.Multiset):
        world.report(
            "RR0501",
            f"`{shorten(let.value.span.text)}` is several: a name stands for one value",
            let.value.span,
            help=f"a set may have a name: `let set of … {let.name} = …`",
        )
        type_ = t.Unknown()
    if world.goes_too_deep(len(lets), decl.at.name):
        return unknown(let.span)
    names: dict[str, m.Expression] = {}
    inner: list[tuple[str, t.Scalar, int]] = []
    for name, each, _ in (*parameters, (let.name, type_, 0)):
        born = scope.names[name].span if name in scope.names else let.span
        register = m.Register(each, born, world.register())
        inner.append((name, each, register.index))
        names[name] = register
    asked = [False]
    you = names.pop("you", None) or m.Register(t.Player(), let.span, world.register())
    assert isinstance(you, m.Register)
    inside = dataclasses.replace(scope, names={**scope.names, **names}, you=you, asked=asked)
    body = function_body(world, inside, decl, tuple(inner), tuple(later))
    arguments: list[m.Expression] = [
        # With the place of the whole: what is told of a call leaves these out.
        m.Register(each, decl.at.span, register)
        for _, each, register in parameters
    ]
    arguments.append(within(value, type_) if isinstance(type_, t.Int) else value)
    if asked[0] and not any(name == "you" for name, _, _ in parameters):
        inner.insert(0, ("you", t.Player(), you.index))
        arguments.insert(0, elaborate.you(world, scope, decl.at.span))
    at = dataclasses.replace(decl.at, name=f"{decl.at.name}, {let.name}", span=let.span)
    made = FunctionFacts(
        dataclasses.replace(decl, at=at), len(world.functions), tuple(inner), False, False
    )
    made.body, made.result = body, body.type
    world.functions.append(made)
    return m.FunctionCall(body.type, decl.at.span, made.index, tuple(arguments))


def cases(world: World, scope: Scope, decl: declarations.FunctionDecl) -> m.Expression:
    """`cases:` (conditions) or `match:` with `cases:` (values) as nested conditionals."""
    subject = subject_of(world, scope, decl.subject) if decl.subject is not None else None
    if too_many_cases(world, len(decl.cases), decl.at.span):
        return unknown(decl.at.span)
    if world.goes_too_deep(len(decl.cases), decl.at.name):
        # The last case stands inside all the others.
        return unknown(decl.at.span)
    typed: list[tuple[m.Expression | None, m.Expression]] = []
    result: t.Scalar = t.Unknown()
    covered: set[int | None] = set()
    for key, value in decl.cases:
        test: m.Expression | None = None
        if key is not None:
            test = (
                elaborate.condition(world, scope, key)
                if subject is None
                else matches(world, scope, subject, key, covered)
            )
        given = elaborate.single(world, scope, value)
        both = join(result, given.type)  # type: ignore[arg-type]
        if both is None:
            mismatch(world, given.span, result, given.type)
            both = t.Unknown()
        result = both
        typed.append((test, given))
    if not typed:
        return unknown(decl.at.span)
    check_else(world, subject, covered, [(key, value.span) for key, value in decl.cases])
    total = subject is not None and is_total(world, subject, covered)
    if all(test is not None for test, _ in typed) and not total:
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


def too_many_cases(world: World, many: int, span: Span) -> bool:
    """Report more cases than may stand inside one another."""
    if many > MOST_CASES:
        world.report(
            "RR0516",
            f"{many} cases are more than {MOST_CASES}",
            span,
            help="write a table, or a column of the rows that the cases are about",
        )
    return many > MOST_CASES


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
    if isinstance(t.bare(subject.type), t.Bool | t.Enum | t.Row | t.Component) and is_total(
        world, subject, covered
    ):
        world.report(
            "RR0703",
            "nothing gets here: every value has a case",
            cases[-1][1],
            help="delete the `else`",
        )


def subject_of(world: World, scope: Scope, node: s.Expression) -> m.Expression:
    """What a `match` asks about: one value."""
    found = elaborate.check(world, scope, node)
    if not isinstance(found.type, t.Collection | t.Zone):
        return found
    world.report(
        "RR0501",
        f"`{shorten(node.span.text)}` is {describe(world, found.type)}: "
        "`match` asks about one value",
        node.span,
    )
    return unknown(node.span)


def matches(
    world: World,
    scope: Scope,
    subject: m.Expression,
    key: s.Expression,
    covered: set[int | None],
) -> m.Expression:
    """The condition that the subject of a `match` is what a key names."""
    inner = t.bare(subject.type)
    if isinstance(inner, t.Component):
        row: t.Scalar = t.Row(inner.kind)
        if isinstance(subject.type, t.Optional):
            row = t.Optional(row)
        subject = m.RowOf(row, subject.span, inner.kind, subject)
        inner = t.bare(row)
    parts = key.items if isinstance(key, s.ListOf) else (key,)
    tests: list[m.Expression] = []
    for part in parts:
        if isinstance(part, s.Nothing) and isinstance(subject.type, t.Optional):
            cover(world, key, covered, (None,))
            nothing = m.Literal(subject.type, part.span, None)
            tests.append(m.Comparison(t.Bool(), part.span, "==", subject, nothing))
        elif isinstance(part, s.Range):
            low = elaborate.check(world, scope, part.low, inner)
            high = elaborate.check(world, scope, part.high, inner)
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
            tests.append(m.And(t.Bool(), part.span, bounds))
        else:
            value = elaborate.check(world, scope, part, inner)
            known = constants.value_of(world, value)
            if isinstance(value.type, t.Unknown):
                covered.add(SPOILT)
            elif isinstance(known, int):
                cover(world, key, covered, range(known, known + 1))
            tests.append(m.Comparison(t.Bool(), part.span, "==", subject, value))
    return tests[0] if len(tests) == 1 else m.Or(t.Bool(), key.span, tuple(tests))


def cover(
    world: World, key: s.Expression, covered: set[int | None], values: Sequence[int | None]
) -> None:
    """Note which values a case covers; report what stands twice."""
    if len(values) < 10_000:
        if not covered.isdisjoint(values):
            world.report("RR0512", f"`{key.span.text}` repeats what a case above says", key.span)
        covered.update(values)


SPOILT = -(10**20)
"""Among what is covered: a case could not be read, and may have been the one that is missing."""


def is_total(world: World, subject: m.Expression, covered: set[int | None]) -> bool:
    """Does every value of the subject have a case."""
    inner = t.bare(subject.type)
    if isinstance(inner, t.Component):
        inner = t.Row(inner.kind)
    if isinstance(inner, t.Unknown) or SPOILT in covered:
        return True
    if isinstance(subject.type, t.Optional) and None not in covered:
        return False
    low = facts.low(inner)
    return all(value in covered for value in range(low, low + facts.size(world, inner)))


def slot_call(
    world: World,
    scope: Scope,
    base: m.Expression,
    of: t.Component | t.Row,
    slot: declarations.RuleSlot,
    node: s.RuleCall,
) -> m.Expression:
    """`card.needs(…)`: each row's expression as a function of `this`, `you` and parameters."""
    kind = of.kind
    type_ = facts.type_of(world, slot.type) if slot.type is not None else t.Unknown()
    world.used.add(f"slot {slot.signature.span.start}")
    world.note(last_name(node.span, node.name), node.name, "slot", at=slot.signature.name_span)
    parameters = [
        (each.name, facts.type_of(world, each.type) if each.type is not None else t.Unknown())
        for each in slot.signature.parameters
    ]
    if len(node.arguments) != len(parameters):
        world.report(
            "RR0502",
            f"`{node.name}` takes {several(len(parameters))}, not {len(node.arguments)}",
            node.span,
        )
        return unknown(node.span)
    arguments: list[m.Expression] = [fit(world, base, of)]
    you = scope.you
    if you is not None:
        scope.asked[0] = True
        arguments.append(dataclasses.replace(you, span=node.span))
    for argument, (_, parameter) in zip(node.arguments, parameters, strict=True):
        arguments.append(within(elaborate.check(world, scope, argument, parameter), parameter))

    def make() -> tuple[int, ...]:
        many = [len(facts.row_names(world, kind))]
        if facts.too_many_of(world, many, node.name, node.span, "rules"):
            return ()
        return tuple(map(rule, tabular.rows_of(world, kind)))

    def rule(row: declarations.RowDecl) -> int:
        def make() -> int:
            return slot_function(world, kind, row, slot, type_, parameters, you is not None)

        name = f"{row.name}.{slot.signature.name}"
        world.here = row.span
        return world.fact("rule", f"{kind} {name} {you is not None}", make, -1, name)

    key = f"{kind}.{node.name}.{you is not None}"
    nothing: tuple[int, ...] = ()
    world.here, label = node.span, f"{kind}.{node.name}"
    functions = world.fact("slot", key, make, nothing, label, slot.signature.span)
    if isinstance(of, t.Row):
        for made in (world.functions[each] for each in functions if each >= 0):
            this = made.parameters[0][2]
            use = None if made.body is None else read_of(made.body, this)
            if use is not None:
                no_this(world, node.name, kind, node.span, use.span)
                break
    return m.SlotCall(type_, node.span, kind, base, functions, tuple(arguments))


def read_of(node: m.Expression, register: int) -> m.Expression | None:
    """Where an expression reads a register first; None if it does not."""
    if isinstance(node, m.Register) and node.index == register:
        return node
    found = (read_of(part, register) for part in parts(node))
    return next((each for each in found if each is not None), None)


def no_this(world: World, slot: str, kind: str, call: Span, use: Span) -> None:
    """Report a slot that wants its component and is called on a row."""
    world.report(
        "RR0750",
        f"`{slot}` is called on a row here, and a row has no `this`",
        call,
        related=(Related(use, "`this` is used here"),),
        help=f"call it on a component, or hand in as a parameter what it needs of the {kind}",
    )


def slot_function(
    world: World,
    kind: str,
    row: declarations.RowDecl,
    slot: declarations.RuleSlot,
    type_: t.Scalar,
    parameters: list[tuple[str, t.Scalar]],
    with_you: bool,
) -> int:
    """Make the function of one row's slot; its index."""
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
    node, failed = slot.default, False
    if isinstance(written, Scalar):
        node = world.parsed(written)
        failed = node is None
    elif written is not None:
        world.report("RR0514", f"`{slot.signature.name}` is one value", written.span)
    scope = Scope(names, you, this)
    if node is None and failed:
        body = unknown(span)
    elif node is None:
        world.report("RR0514", f"row `{row.name}` gives no `{slot.signature.name}`", row.span)
        body = unknown(span)
    else:
        body = elaborate.check(world, scope, node, type_)
    name = f"{row.name}.{slot.signature.name}"
    at = dataclasses.replace(facts.kind_decl(world, kind).at, name=name)
    decl = declarations.FunctionDecl(at, slot.signature, None, None, ())
    made = FunctionFacts(decl, len(world.functions), tuple(registers), False, False, type_, body)
    world.functions.append(made)
    return made.index
