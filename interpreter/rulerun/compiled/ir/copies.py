"""Loops over copies that nothing tells apart, as sums: the same program, quicker everywhere.

Assumes: a `Program` of `ir`. Components of a kind that is counted are numbers: so many lie here. A
word of the rules goes through them one by one, since that is what it means.
Does, the innermost loop first:

* A loop that does the same so many times does it once, and what is added up is added so many times.
  So a loop over the copies of a class is none any more.
* A loop that asks the same in every round before it does anything asks once.
* A loop over classes that only adds up slots is one sum.
* A loop that does nothing but for one member, which is known, is no loop: `if c.rank == r` asks for
  one class where no two have the same rank.

Leaves behind: a program that does the same. What is counted (coverage, evaluations) stands in loops
that are left as they are.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

from rulerun.compiled import ir
from rulerun.compiled.ir.passes import every_part, inside_out, pure_functions, reads, variables
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.ir.value import Value

_ONE = ir.Const(1)
_WRITES = ir.StoreSlot | ir.Add | ir.Fill | ir.Copy | ir.Count | ir.Spend | ir.Suppose


def copies(program: Program) -> Program:
    """The program with loops over copies as sums."""
    maker = _Copies(dict(program.tables), pure_functions(program))
    return replace(
        program,
        functions=tuple(replace(each, body=maker.whole(each.body)) for each in program.functions),
        listers=tuple(replace(each, body=maker.whole(each.body)) for each in program.listers),
        blocks=tuple(replace(each, body=maker.whole(each.body)) for each in program.blocks),
    )


class _Copies:
    """Makes sums of the loops of one program."""

    def __init__(self, tables: dict[str, tuple[int, ...]], pure: set[str]) -> None:
        self.tables = tables
        self.pure = pure
        self.leaking: set[str] = set()
        """The names of a loop of the function that is changed that are read outside of it."""

    def whole(self, body: Body) -> Body:
        """The statements of a function, a lister or a block."""
        loops = [node for node in every_part(body) if isinstance(node, ir.For)]
        if not loops:
            return body
        plain = _without_unread(body, reads(body))
        read = reads(plain)
        self.leaking = {
            name
            for loop in loops
            for name in _assigned((loop,))
            if reads((loop,))[name] < read[name]
        }
        changed = self.body(plain)
        return body if changed == plain else changed

    def body(self, body: Body) -> Body:
        """Statements, the innermost loops first."""
        return inside_out(body, self._summed)

    def _summed(self, statement: Statement) -> Body:
        if not isinstance(statement, ir.For) or not self._is_quiet(statement.body):
            return (statement,)
        changed = self._loop(statement)
        return (statement,) if changed is None else self.body(changed)

    def _loop(self, loop: ir.For) -> Body | None:
        """What does the same as a loop, if there is something quicker."""
        found = None
        if loop.low == ir.Const(0) and loop.name not in reads(loop.body):
            found = self._times(loop.high, loop.body)
        if found is None and isinstance(loop.low, ir.Const) and isinstance(loop.high, ir.Const):
            found = self._sum(loop) or self._only(loop)
        return self._if_at_all(loop) if found is None else found

    def _is_quiet(self, block: Body) -> bool:
        """Whether a block writes no slot and counts nothing, nor what it calls."""
        return not any(
            isinstance(node, _WRITES | ir.Eval | ir.CallLister | ir.Jump | ir.Rest | ir.Signal)
            or (isinstance(node, ir.Call) and node.function not in self.pure)
            for node in every_part(block)
        )

    # ------------------------------------------------------------------ the same, many times

    def _times(self, many: Value, block: Body) -> Body | None:
        """What a block does that runs so many times."""
        if not _is_simple(many) or variables(many) & _assigned(block) or _breaks(block):
            return None
        again = _Round(block).again(block)
        if again is None:
            return None
        if _only_adds(block) and again == _additions(block):
            # Without any it adds nothing.
            return _scaled(block, many)
        rest = _scaled(again, ir.Binary("-", many, _ONE))
        return (ir.If(ir.Binary(">", many, ir.Const(0)), (*block, *rest)),)

    def _if_at_all(self, loop: ir.For) -> Body | None:
        """A loop that does nothing in any round, or something in all of them."""
        *before, last = loop.body
        match last:
            case ir.If(condition, then, ()) if _is_simple(condition) and not _risky(before):
                pass
            case _:
                return None
        changing = _assigned((loop,))
        if variables(condition) & changing or not all(
            isinstance(each, ir.Assign) for each in before
        ):
            return None
        return (ir.If(condition, (replace(loop, body=(*before, *then)),)),)

    # ------------------------------------------------------------------------- sums of slots

    def _sum(self, loop: ir.For) -> Body | None:
        """A loop that adds up slots side by side."""
        match loop:
            case ir.For(
                name,
                ir.Const(low),
                ir.Const(high),
                (ir.Assign(total, ir.Binary("+", ir.Var(same), ir.Slot(address))),),
            ) if total == same and low < high:
                base = _offset(address, name)
            case _:
                return None
        if base is None or total in variables(base):
            return None
        more = ir.SumSlots(_plus(base, low), high - low)
        return (ir.Assign(total, ir.Binary("+", ir.Var(total), more)),)

    # -------------------------------------------------------------------------- one member

    def _only(self, loop: ir.For) -> Body | None:
        """A loop that does something for one member alone."""
        name, (*before, last) = loop.name, loop.body
        match last:
            case ir.If(condition, then, ()):
                pass
            case _:
                return None
        names = [each.name for each in before if isinstance(each, ir.Assign)]
        if len(names) < len(before) or _breaks(then) or _risky(before):
            return None
        if self.leaking & {name, *names}:
            return None
        changing = _assigned((loop,))
        first, rest = condition, None
        if isinstance(condition, ir.Both):
            first, rest = condition.left, condition.right
        found = self._member(first, loop)
        if found is None:
            return None
        wanted, lowest, highest, member = found
        if variables(wanted) & changing or not _is_simple(wanted):
            return None
        inner: Body = then if rest is None else (ir.If(rest, then),)
        if isinstance(wanted, ir.Const):
            here = lowest <= wanted.value <= highest
            return (ir.Assign(name, member), *before, *inner) if here else ()
        inside = ir.Both(
            ir.Binary(">=", wanted, ir.Const(lowest)), ir.Binary("<=", wanted, ir.Const(highest))
        )
        return (ir.If(inside, (ir.Assign(name, member), *before, *inner)),)

    def _member(self, condition: Value, loop: ir.For) -> tuple[Value, int, int, Value] | None:
        """What says which member passes, its bounds, and the member."""
        assert isinstance(loop.low, ir.Const) and isinstance(loop.high, ir.Const)
        name, low, high = loop.name, loop.low.value, loop.high.value
        match condition:
            case ir.Binary("==", ir.Var(same), wanted) if same == name and low < high:
                return wanted, low, high - 1, wanted
            case ir.Binary("==", ir.TableLoad(table, ir.Var(same)), wanted) if same == name:
                entries = self.tables[table][low:high]
            case _:
                return None
        if isinstance(wanted, ir.Const) and entries.count(wanted.value) == 1:
            at = entries.index(wanted.value)
            return wanted, wanted.value, wanted.value, ir.Const(low + at)
        if not entries or any(later != entry + 1 for entry, later in pairwise(entries)):
            return None
        return wanted, entries[0], entries[-1], _plus(wanted, low - entries[0])


class _Round:
    """One round of a block that runs several times: what later rounds do beside the first."""

    def __init__(self, block: Body) -> None:
        self.changing = _assigned(block)
        self.times = Counter(node.name for node in every_part(block) if isinstance(node, ir.Assign))
        self.marks = [node for node in every_part(block) if isinstance(node, ir.RowSet)]
        others = [
            node
            for node in every_part(block)
            if isinstance(node, ir.NewRows | ir.Push | ir.SortRows | ir.Swap)
        ]
        self.remade = {
            name
            for node in others
            for word in ("name", "rows", "to", "source")
            if isinstance(name := getattr(node, word, None), str)
        }
        """The rows that the block changes otherwise than by setting a number."""
        self.steady: set[str] = set()
        """The names that have by now what they have here in every round."""

    def again(self, body: Body) -> Body | None:
        """What a block does in each later round; only additions, or None if it is anything else."""
        found: list[Statement] = []
        for statement in body:
            match statement:
                case ir.Assign(name, value) if self._is_steady(value) and self.times[name] == 1:
                    self.steady.add(name)
                case ir.Assign(name, ir.Binary("+", ir.Var(same), value)) if (
                    name == same and self._is_steady(value)
                ):
                    found.append(statement)
                case ir.Return(value) if self._is_steady(value):
                    # There is no later round.
                    return tuple(found) if not found else None
                case ir.Fail():
                    return ()
                case ir.If():
                    more = self._branch(statement)
                    if more is None:
                        return None
                    found += more
                case _:
                    return None
        return tuple(found)

    def _branch(self, statement: ir.If) -> Body | None:
        """What a branch does in later rounds."""
        condition, then, otherwise = statement.condition, statement.then, statement.otherwise
        match condition:
            case ir.Not(ir.RowGet(rows, at, _)) if (
                self._is_steady(at) and not otherwise and self._marks(then, rows, at)
            ):
                return ()  # the first round has marked it
            case ir.Binary("==" | "!=" as operator, one, other):
                same, new = (then, otherwise) if operator == "==" else (otherwise, then)
                for last, value in ((one, other), (other, one)):
                    if self._keeps(new, last, value):
                        return self._apart(same)
        if not self._is_steady(condition):
            return None
        one_, other_ = self._apart(then), self._apart(otherwise)
        if one_ is None or other_ is None:
            return None
        return (ir.If(condition, one_, other_),) if one_ or other_ else ()

    def _apart(self, body: Body) -> Body | None:
        """A block that may not run: what it gives a name is not known behind it."""
        held = set(self.steady)
        found = self.again(body)
        self.steady = held
        return found

    def _marks(self, body: Body, rows: str, at: Value) -> bool:
        """Whether a block marks a row, and nothing takes marks away."""
        return (
            rows not in self.remade
            and any(
                isinstance(each, ir.RowSet) and (each.rows, each.index) == (rows, at)
                for each in body
            )
            and all(each.value == _ONE for each in self.marks if each.rows == rows)
        )

    def _keeps(self, body: Body, last: Value, value: Value) -> bool:
        """Whether a block remembers a value under a name that nothing else changes."""
        return (
            isinstance(last, ir.Var)
            and self.times[last.name] == 1
            and self._is_steady(value)
            and ir.Assign(last.name, value) in body
        )

    def _is_steady(self, value: Value) -> bool:
        """Whether a value is the same in every round."""
        changing = self.changing - self.steady
        rows = self.remade | {each.rows for each in self.marks}
        return not any(
            (isinstance(node, ir.Var) and node.name in changing)
            or (isinstance(node, ir.RowGet | ir.Length) and node.rows in rows)
            for node in every_part([value])
        )


def _only_adds(body: Body) -> bool:
    """Whether a block gives names to what cannot fail, and adds up."""
    return not _risky(body) and all(
        _only_adds(each.then) and _only_adds(each.otherwise)
        if isinstance(each, ir.If)
        else isinstance(each, ir.Assign)
        for each in body
    )


def _additions(body: Body) -> Body:
    """The additions of a block."""
    found: list[Statement] = []
    for each in body:
        match each:
            case ir.If(condition, then, otherwise):
                one, other = _additions(then), _additions(otherwise)
                if one or other:
                    found.append(ir.If(condition, one, other))
            case ir.Assign(name, ir.Binary("+", ir.Var(same), _)) if name == same:
                found.append(each)
    return tuple(found)


def _scaled(body: Body, many: Value) -> Body:
    """A block in which everything is added so many times."""

    def change(each: Statement) -> Body:
        match each:
            case ir.Assign(name, ir.Binary("+", ir.Var(same), value)) if name == same:
                more = many if value == _ONE else ir.Binary("*", value, many)
                return (ir.Assign(name, ir.Binary("+", ir.Var(name), more)),)
            case _:
                return (each,)

    return inside_out(body, change)


def _is_simple(value: Value) -> bool:
    """Whether a value may be evaluated several times."""
    return not _risky([value]) and not any(
        isinstance(node, ir.Maybe | ir.OrElse | ir.Decoded | ir.Length)
        for node in every_part([value])
    )


def _risky(body: Any) -> bool:
    """Whether something in a block may fail, or costs so much that it is asked if need be only."""
    return any(
        isinstance(node, ir.Checked | ir.Call | ir.RowGet)
        or (
            isinstance(node, ir.Binary)
            and node.operator in ("//", "%", "**", "<<", ">>")
            and not isinstance(node.right, ir.Const)
        )
        for node in every_part(body)
    )


def _breaks(body: Body) -> bool:
    return any(isinstance(node, ir.Break) for node in every_part(body))


def _assigned(body: Any) -> set[str]:
    """The names that a block gives another value; those that values use inside are fresh."""
    return {
        name
        for node in every_part(body)
        if isinstance(
            node, ir.Assign | ir.NewBits | ir.For | ir.Each | ir.EachEqual | ir.EachBit | ir.EachRow
        )
        for name in (node.names if isinstance(node, ir.EachRow) else (node.name,))
    }


def _without_unread(body: Body, read: Counter[str]) -> Body:
    """A block without names that nothing reads, of values that cannot fail."""

    def change(each: Statement) -> Body:
        unread = isinstance(each, ir.Assign) and not read[each.name] and not _risky([each.value])
        return () if unread else (each,)

    return inside_out(body, change)


def _offset(address: Value, name: str) -> Value | None:
    """What is added to a member to make an address; None if it is reckoned otherwise."""
    match address:
        case ir.Var(found) if found == name:
            return ir.Const(0)
        case ir.Binary("+", ir.Var(found), rest) if found == name and name not in variables(rest):
            return rest
        case ir.Binary("+", rest, ir.Var(found)) if found == name and name not in variables(rest):
            return rest
        case _:
            return None


def _plus(value: Value, more: int) -> Value:
    if isinstance(value, ir.Const):
        return ir.Const(value.value + more)
    return ir.Binary("+", value, ir.Const(more)) if more else value
