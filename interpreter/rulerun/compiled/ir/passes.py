"""Passes over a program: the same program, quicker as machine code.

Assumes: a `Program` of `ir`.
Does, each by itself, so that each can be switched off and measured:

* `hoisted` (Python only: LLVM does better by itself): what an inner loop asks of its own member
  alone is asked once for each member, before the loop around it;
* `unshadowed`: in whole games nobody looks at the position before a `together`, so it is not kept.

`serial`, `tabling`, `inlining`, `copies`, `gathering`, `masks`, `lockstep`, `bounding`, `sweeping`,
`kept_values`, `stopping`, `scans`, `picking`, `sampling`, `cloning` are passes with modules of
their own. What several passes do with programs, bodies and values stands here once.

Leaves behind: a program that does the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from operator import is_
from typing import Any

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import beside
from rulerun.compiled.ir.program import HOLDING, Program
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.ir.value import Value

_RISKY = ir.Checked | ir.Fail | ir.StoreSlot | ir.Add | ir.Fill | ir.Count | ir.Spend
_WIDEST = 64


def hoisted(program: Program) -> Program:
    """Conditions on the member of an inner loop, asked before the outer one."""
    sure = never_fail(program)

    def change(statement: Statement) -> Body:
        if isinstance(statement, ir.For | ir.Each | ir.EachEqual | ir.EachBit | ir.EachRow):
            return _without_inner_tests(statement, sure)
        return (statement,)

    return where_nothing_changes(program, lambda body: inside_out(body, change))


def never_fail(program: Program) -> set[str]:
    """The functions that never give the run up, write nothing and search nothing."""
    calls: dict[str, set[str]] = {}
    risky: set[str] = set()
    for function in program.functions:
        calls[function.name] = set()
        if function.remembered:
            risky.add(function.name)
        for node in every_part(function.body):
            if isinstance(node, ir.Call):
                calls[function.name].add(node.function)
            elif isinstance(node, _RISKY):
                risky.add(function.name)
    while more := {name for name in calls if calls[name] & risky} - risky:
        risky |= more
    return set(calls) - risky


_Loop = ir.For | ir.Each | ir.EachEqual | ir.EachBit | ir.EachRow


def _without_inner_tests(loop: _Loop, sure: set[str]) -> Body:
    """A loop whose body is one loop with conditions, and what comes before it now."""
    body = loop.body
    around: list[Value] = []
    while len(body) == 1 and isinstance(body[0], ir.If) and not body[0].otherwise:
        around.append(body[0].condition)
        body = body[0].then
    match body:
        case (ir.For(name, ir.Const(0), ir.Const(many), (ir.If(condition, then, ()),)),) if (
            1 < many <= _WIDEST - 2
        ):
            pass
        case _:
            return (loop,)
    changing = assigned((loop,)) - {name}
    parts = list(conjuncts(condition))
    free = [part for part in parts if _is_free(part, changing, sure)]
    if not free:
        return (loop,)
    rest = [part for part in parts if part not in free]
    some = beside(name, "some")
    note = ir.If(together(free), (ir.Push(some, (ir.Var(name),)),))
    inside: Body = (ir.If(together(rest), then),) if rest else then
    changed: Body = (ir.EachRow((name,), some, inside),)
    for outer in reversed(around):
        changed = (ir.If(outer, changed),)
    return (
        ir.NewRows(some, 1, many),
        ir.For(name, ir.Const(0), ir.Const(many), (note,)),
        replace(loop, body=changed),
    )


def conjuncts(condition: Value) -> Iterable[Value]:
    """The conditions that must all hold, in their order."""
    if isinstance(condition, ir.Both):
        yield from conjuncts(condition.left)
        yield from conjuncts(condition.right)
    else:
        yield condition


def together(parts: list[Value]) -> Value:
    """What holds if all conditions hold."""
    *before, found = parts
    for part in reversed(before):
        found = ir.Both(part, found)
    return found


def _is_free(part: Value, changing: set[str], sure: set[str]) -> bool:
    """Whether a condition may be asked before a loop that changes some names."""
    for node in every_part([part]):
        if isinstance(node, ir.Var) and node.name in changing:
            return False
        if isinstance(node, ir.Call) and node.function not in sure:
            return False
        if isinstance(node, ir.Checked):
            return False
    return True


def reads_only(body: Body) -> bool:
    """Whether a block writes no slot itself; functions it calls for their value write none."""
    writes = ir.StoreSlot | ir.Add | ir.Fill | ir.Copy | ir.Eval
    return not any(isinstance(each, writes) for each in ir.all_statements(body))


def pure_functions(program: Program) -> set[str]:
    """The functions that only read."""
    calls: dict[str, set[str]] = {}
    writes: set[str] = set()
    for function in program.functions:
        calls[function.name] = set()
        waiting: list[object] = list(function.body)
        while waiting:
            node = waiting.pop()
            if isinstance(node, ir.Call):
                calls[function.name].add(node.function)
            elif isinstance(
                node, ir.StoreSlot | ir.Add | ir.Fill | ir.Copy | ir.Count | ir.Spend | ir.Suppose
            ):
                writes.add(function.name)
            waiting.extend(ir.inside(node))
    while more := {name for name in calls if calls[name] & writes} - writes:
        writes |= more
    return set(calls) - writes


def every_part(body: Iterable[object]) -> Iterable[object]:
    """All values and statements, also those inside others."""
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        yield node
        for name in HOLDING[type(node)]:
            part = getattr(node, name)
            if type(part) is tuple:
                waiting += part
            else:
                waiting.append(part)


def run_of(address: Value, name: str) -> int | None:
    """Where the run of slots begins that a loop goes along."""
    match address:
        case ir.Binary("+", ir.Var(found), ir.Const(base)) if found == name:
            return base
        case ir.Var(found) if found == name:
            return 0
        case _:
            return None


def rewritten(node: Any, change: Callable[[Any], Any]) -> Any:
    """A value, a statement or several, changed from the innermost parts on."""
    if isinstance(node, tuple):
        parts = tuple([rewritten(each, change) for each in node])
        return node if all(map(is_, parts, node)) else parts
    if not hasattr(node, "__dataclass_fields__"):
        return node
    changed = {}
    for name in HOLDING[type(node)]:
        old = getattr(node, name)
        new = rewritten(old, change)
        if new is not old:
            changed[name] = new
    return change(replace(node, **changed) if changed else node)


def inside_out(body: Body, change: Callable[[Statement], Body]) -> Body:
    """Statements, the innermost first: `change` gives what stands in place of one."""
    found: list[Statement] = []
    for statement in body:
        inner = {name: inside_out(block, change) for name, block in ir.blocks_in(statement).items()}
        found += change(replace(statement, **inner) if inner else statement)  # type: ignore[arg-type]
    return tuple(found)


def where_nothing_changes(program: Program, change: Callable[[Body], Body]) -> Program:
    """The program with other bodies of listers and of functions that write no slot."""
    return replace(
        program,
        functions=tuple(
            replace(each, body=change(each.body)) if reads_only(each.body) else each
            for each in program.functions
        ),
        listers=tuple(replace(each, body=change(each.body)) for each in program.listers),
    )


def substituted(node: Any, given: Mapping[str, Value]) -> Any:
    """A value with others in place of names."""
    return rewritten(
        node, lambda each: given.get(each.name, each) if isinstance(each, ir.Var) else each
    )


def variables(value: object) -> set[str]:
    """The names that a value reads."""
    return {node.name for node in every_part([value]) if isinstance(node, ir.Var)}


def reads(body: Iterable[object]) -> Counter[str]:
    """How often each name is read."""
    return Counter(node.name for node in every_part(body) if isinstance(node, ir.Var))


def assigned(body: Body) -> set[str]:
    """The names that a block may give another value."""
    found: set[str] = set()
    for node in every_part(body):
        found.update(names_of(node))
    return found


def names_of(node: object) -> Iterable[str]:
    """The names that a value or a statement may give another value by itself."""
    if isinstance(node, ir.Var):
        return ()  # it is read
    name: str | None = getattr(node, "name", None)
    names: tuple[str, ...] = getattr(node, "names", ())
    return names if name is None else (name, *names)


def unshadowed(program: Program) -> Program:
    """The program without the position before a `together`."""
    return replace(program, live=(0, 0))
