"""Passes over a program: the same program, quicker as machine code.

Assumes: a `Program` of `ir`.
Does, each by itself, so that each can be switched off and measured:

* `hoisted` (Python only: LLVM does better by itself): what an inner loop asks of its own member
  alone is asked once for each member, before the loop around it;
* `masks`: a loop that looks for slots that hold one value becomes one comparison of all of them at
  once, and a loop over the bits of what it finds. Loops over bits that only count, collect or stop
  at the first are no loops any more.
* `unshadowed`: in whole games nobody looks at the position before a `together`, so it is not kept.

Leaves behind: a program that does the same. Only functions and listers that write no slot are
searched for such loops: nothing can change under a loop there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import beside
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.ir.value import Value

_RISKY = ir.Checked | ir.Fail | ir.StoreSlot | ir.Add | ir.Fill | ir.Count | ir.Spend
_WIDEST = 64
_UNROLLED = 16


def hoisted(program: Program) -> Program:
    """Conditions on the member of an inner loop, asked before the outer one."""
    sure = _never_fail(program)
    return replace(
        program,
        functions=tuple(
            replace(each, body=_hoisted(each.body, sure)) if reads_only(each.body) else each
            for each in program.functions
        ),
        listers=tuple(replace(each, body=_hoisted(each.body, sure)) for each in program.listers),
    )


def _never_fail(program: Program) -> set[str]:
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


def _hoisted(body: Body, sure: set[str]) -> Body:
    found: list[Statement] = []
    for statement in body:
        inner = {
            name: _hoisted(getattr(statement, name), sure)
            for name in ("then", "otherwise", "body")
            if getattr(statement, name, None)
        }
        if inner:
            statement = replace(statement, **inner)  # type: ignore[arg-type]
        if isinstance(statement, ir.For | ir.Each | ir.EachEqual | ir.EachBit | ir.EachRow):
            before, statement = _without_inner_tests(statement, sure)
            found += before
        found.append(statement)
    return tuple(found)


_Loop = ir.For | ir.Each | ir.EachEqual | ir.EachBit | ir.EachRow


def _without_inner_tests(loop: _Loop, sure: set[str]) -> tuple[list[Statement], Statement]:
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
            return [], loop
    changing = assigned((loop,)) - {name}
    parts = list(_parts(condition))
    free = [part for part in parts if _is_free(part, changing, sure)]
    if not free:
        return [], loop
    rest = [part for part in parts if part not in free]
    mask = beside(name, "mask")
    test = _together(free)
    bit = ir.Binary("<<", ir.Const(1), ir.Var(name))
    note = ir.If(test, (ir.Assign(mask, ir.Binary("|", ir.Var(mask), bit)),))
    before: list[Statement] = [
        ir.Assign(mask, ir.Const(0)),
        ir.For(name, ir.Const(0), ir.Const(many), (note,)),
    ]
    inside: Body = (ir.If(_together(rest), then),) if rest else then
    changed: Body = (ir.EachBit(name, ir.Var(mask), inside),)
    for outer in reversed(around):
        changed = (ir.If(outer, changed),)
    return before, replace(loop, body=changed)


def _parts(condition: Value) -> Iterable[Value]:
    if isinstance(condition, ir.Both):
        yield from _parts(condition.left)
        yield from _parts(condition.right)
    else:
        yield condition


def _together(parts: list[Value]) -> Value:
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
        if isinstance(node, ir.Checked | ir.Maybe | ir.OrElse | ir.Decoded):
            # They name what they meet, and the names may be met again.
            if isinstance(node, ir.Checked):
                return False
    return True


def masks(program: Program) -> Program:
    """Loops over slots that hold a value, as masks."""
    maker = _Masks(dict(program.tables))
    changed = replace(
        program,
        functions=tuple(
            replace(each, body=maker.body(each.body, reads_only(each.body)))
            for each in program.functions
        ),
        listers=tuple(replace(each, body=maker.body(each.body, True)) for each in program.listers),
        blocks=tuple(replace(each, body=maker.body(each.body, False)) for each in program.blocks),
    )
    return replace(changed, tables=tuple(maker.tables.items()))


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
        waiting.extend(ir.inside(node))


class _Masks:
    """Makes masks of loops; the tables that they need are added to those of the program."""

    def __init__(self, tables: dict[str, tuple[int, ...]]) -> None:
        self.tables = tables

    def body(self, body: Body, quiet: bool) -> Body:
        """The statements of a block, the innermost loops first; `quiet`: no slot is written."""
        found: list[Statement] = []
        for statement in body:
            inner = {
                name: self.body(getattr(statement, name), quiet)
                for name in ("then", "otherwise", "body")
                if getattr(statement, name, None)
            }
            if inner:
                statement = replace(statement, **inner)  # type: ignore[arg-type]
            match statement:
                case ir.EachEqual(name, base, number, value, block) if number <= _WIDEST:
                    found += _each_bit(name, ir.EqualMask(base, number, value), block)
                case ir.For(name, ir.Const(0), ir.Const(number), block) if (
                    quiet and 0 < number <= _WIDEST
                ):
                    found += self._looking(statement, name, number, block)
                case _:
                    found.append(statement)
        return tuple(found)

    def _looking(self, loop: ir.For, name: str, number: int, block: Body) -> Body:
        """A loop in which everything depends on what its member, or one slot, is."""
        match block:
            case (ir.If(condition, then, ()),):
                pass
            case _:
                return (loop,)
        changing = assigned(then) | {name}
        mask: Value | None = None
        rest = list(_parts(condition))
        # Only what is asked first may be asked of all at once: behind it something may fail.
        while rest:
            one = self._mask_of(rest[0], name, number, changing)
            if one is None:
                break
            mask = one if mask is None else ir.Binary("&", mask, one)
            rest.pop(0)
        if mask is None:
            return (loop,)
        if isinstance(mask, ir.Const) and mask.value == 0:
            return ()
        if number <= _UNROLLED and not any(
            isinstance(node, ir.EqualMask) for node in every_part([mask])
        ):
            # So short a loop is better written out, as LLVM does.
            return (loop,)
        inner: Body = (ir.If(_together(rest), then),) if rest else then
        return _each_bit(name, mask, inner)

    def _mask_of(
        self, condition: Value, name: str, number: int, changing: set[str]
    ) -> Value | None:
        """For which members a condition holds; None if it cannot be said of all at once."""
        if isinstance(condition, ir.Not):
            inner = self._mask_of(condition.operand, name, number, changing)
            return None if inner is None else _others(inner, number)
        match condition:
            case ir.Binary("==" | "!=" as operator, ir.Slot(address), value):
                base = run_of(address, name)
                if base is None or variables(value) & changing:
                    return None
                mask: Value = ir.EqualMask(base, number, value)
                return mask if operator == "==" else _others(mask, number)
            case ir.Binary(operator, ir.TableLoad(table, ir.Var(same)), ir.Const(value)) if (
                same == name and operator in _TESTS
            ):
                entries = self.tables[table][:number]
                test = _TESTS[operator]
                return _bits(at for at, entry in enumerate(entries) if test(entry, value))
            case ir.Binary("==" | "!=" as operator, ir.TableLoad(table, ir.Var(same)), value) if (
                same == name and not variables(value) & changing
            ):
                mask = self._by_value(table, number, value)
                return mask if operator == "==" else _others(mask, number)
            case _:
                return None

    def _by_value(self, table: str, number: int, value: Value) -> Value:
        """Where a table holds a value that is only known when it is asked."""
        entries = self.tables[table][:number]
        known = [entry for entry in entries if entry != ir.NONE]
        low, high = min(known, default=0), max(known, default=0)
        name = beside(table, f"is_{number}")
        self.tables[name] = tuple(
            _bits(at for at, entry in enumerate(entries) if entry == wanted).value
            for wanted in range(low, high + 1)
        )
        inside = ir.Both(
            ir.Binary(">=", value, ir.Const(low)), ir.Binary("<=", value, ir.Const(high))
        )
        index = ir.Binary("-", value, ir.Const(low))
        return ir.Select(inside, ir.TableLoad(name, index), ir.Const(0))


_TESTS: dict[str, Callable[[int, int], bool]] = {
    "==": int.__eq__,
    "!=": int.__ne__,
    "<": int.__lt__,
    "<=": int.__le__,
    ">": int.__gt__,
    ">=": int.__ge__,
}


def _bits(places: Iterable[int]) -> ir.Const:
    """A mask, as a number of 64 bits with a sign."""
    mask = sum(1 << place for place in places)
    return ir.Const(mask - (1 << 64) if mask >> 63 else mask)


def _others(mask: Value, number: int) -> Value:
    every = _bits(range(number))
    if isinstance(mask, ir.Const):
        return ir.Const(mask.value ^ every.value)
    return ir.Binary("^", mask, every)


def run_of(address: Value, name: str) -> int | None:
    """Where the run of slots begins that a loop goes along."""
    match address:
        case ir.Binary("+", ir.Var(found), ir.Const(base)) if found == name:
            return base
        case ir.Var(found) if found == name:
            return 0
        case _:
            return None


def _each_bit(name: str, mask: Value, block: Body) -> Body:
    """A loop over the bits of a mask, or what does the same."""
    one = ir.Var(name)
    match block:
        case (ir.Assign(total, ir.Binary("+", ir.Var(same), ir.Const(1))),) if total == same:
            return (ir.Assign(total, ir.Binary("+", ir.Var(total), ir.BitCount(mask))),)
        case (
            ir.Assign(held, ir.Binary("|", ir.Var(same), ir.Binary("<<", ir.Const(1), bit))),
        ) if held == same and bit == one:
            return (ir.Assign(held, ir.Binary("|", ir.Var(held), mask)),)
        case (ir.Return(ir.Const() as value),):
            return (ir.If(mask, (ir.Return(value),)),)
        case (ir.Return(value),) if value == one:
            return (ir.If(mask, (ir.Return(ir.LowestBit(mask)),)),)
        case (ir.Assign(last, value),) if last != name and _is_member(value, one):
            # Each is set in its turn: what is left is the last.
            return (ir.If(mask, (ir.Assign(last, ir.HighestBit(mask)),)),)
        case _:
            return (ir.EachBit(name, mask, block),)


def _is_member(value: Value, one: Value) -> bool:
    """Whether a value is the member of a loop, which is never none."""
    return value == one or (isinstance(value, ir.OrElse) and value.value == one)


def variables(value: object) -> set[str]:
    """The names that a value reads."""
    return {node.name for node in every_part([value]) if isinstance(node, ir.Var)}


def assigned(body: Body) -> set[str]:
    """The names that a block may give another value."""
    found: set[str] = set()
    for node in every_part(body):
        if isinstance(node, ir.Var):
            continue  # it is read
        for word in ("name", "names"):
            names = getattr(node, word, ())
            found |= {names} if isinstance(names, str) else set(names)
    return found


def unshadowed(program: Program) -> Program:
    """The program without the position before a `together`."""
    return replace(program, live=(0, 0))
