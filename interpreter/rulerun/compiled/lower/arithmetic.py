"""Arithmetic and comparison, lowered.

Assumes: checked expressions, whose parts a `Compiler` lowers.
Does: turns operators and comparisons into values of `ir`, with a check wherever a result may leave
32 bits; makes truths as plain as they can be.
Leaves behind: values; the function for powers.
"""

from __future__ import annotations

from rulerun.compiled import ir
from rulerun.compiled.ir.program import Unsupported
from rulerun.compiled.ir.value import LEAST, MOST, Value
from rulerun.compiled.lower.builder import Scope, binary, interval, plus
from rulerun.compiled.lower.compiler import Compiler
from rulerun_dsl import model
from rulerun_dsl.model import Expression
from rulerun_dsl.model.valuetypes import Collection, Fraction, Multiset, Order, Zone, bare


class Arithmetic:
    """The operators of one game."""

    def __init__(self, compiler: Compiler) -> None:
        """Lower the parts with `compiler`."""
        self.compiler = compiler
        self.builder = compiler.builder
        self.tables = compiler.builder.tables

    def value(self, node: model.Arithmetic, scope: Scope) -> Value:
        """The result of an operator."""
        left, right = self.compiler.sure(node.left, scope), self.compiler.sure(node.right, scope)
        if node.operator == "/":
            return self._fraction(node, left, right)
        (a, b), (c, d) = interval(self.builder, node.left), interval(self.builder, node.right)
        match node.operator:
            case "+":
                result, ends = plus(left, right), (a + c, b + d)
            case "-":
                result, ends = (
                    plus(left, -right.value)
                    if isinstance(right, ir.Const)
                    else binary("-", left, right),
                    (a - d, b - c),
                )
            case "*":
                corners = (a * c, a * d, b * c, b * d)
                result, ends = binary("*", left, right), (min(corners), max(corners))
            case "//" | "%":
                result = binary(node.operator, left, right)
                ends = (-max(abs(a), abs(b)), max(abs(a), abs(b)))
                if c <= 0 <= d:
                    fails = self.builder.never(ir.Const(0))
                    result = ir.Select(binary("==", right, 0), fails, result)
                if node.operator == "%":
                    ends = (min(c, 0), max(d, 0))
            case "**":
                result, ends = ir.Call(self._power(), (left, right)), (LEAST, MOST)
            case _:
                raise Unsupported(f"the operator {node.operator}")
        if ends[0] < LEAST or ends[1] > MOST:
            return ir.Checked(result, LEAST, MOST, self.builder.fresh("t"))
        return result

    def _fraction(self, node: model.Arithmetic, left: Value, right: Value) -> Value:
        """`/` stands in `returns` only, where it is asked whether anything fails."""
        if isinstance(bare(node.right.type), Fraction):
            raise Unsupported("a division by a fraction")
        return ir.Select(binary("==", right, 0), self.builder.never(ir.Const(0)), left)

    def _power(self) -> str:
        def write(base: Value, exponent: ir.Var) -> None:
            emit = self.builder.emit
            emit(ir.If(binary("<", exponent, 0), (ir.Fail(),)))
            small = ir.Both(binary("<=", base, 1), binary(">=", base, -1))
            steep = ir.Both(binary(">", exponent, 31), ir.Not(small))
            emit(ir.If(steep, (ir.Fail(),)))
            # Of 1, 0 and -1 only whether the exponent is odd matters.
            odd = plus(binary("%", exponent, 2), 2)
            less = ir.Select(binary(">", exponent, 2), odd, exponent)
            emit(ir.If(small, (ir.Assign(exponent.name, less),)))
            found = self.builder.keep("p", ir.Const(1))
            more = ir.Checked(binary("*", found, base), LEAST, MOST, self.builder.fresh("t"))
            name = self.builder.fresh("i")
            emit(ir.For(name, ir.Const(0), exponent, (ir.Assign(found.name, more),)))
            emit(ir.Return(found))

        return self.builder.function("power", "power", ["base", "n"], "x to the n", write)

    def comparison(self, node: model.Comparison, scope: Scope) -> Value:
        """Whether two values compare so."""
        if node.operator in ("==", "!="):
            return self._equal(node, scope)
        left, right = self.compiler.sure(node.left, scope), self.compiler.sure(node.right, scope)
        return binary(node.operator, left, right)

    def _equal(self, node: model.Comparison, scope: Scope) -> Value:
        if isinstance(bare(node.left.type), Multiset) and isinstance(node.left, model.Local):
            # What was chosen of a counted kind is compared with none alone: its place is below 0.
            place = ir.Slot(self.builder.local(node.left.offset))
            return binary("<" if node.operator == "==" else ">=", place, 0)
        for side in (node.left, node.right):
            if isinstance(bare(side.type), Order | Collection | Zone | Multiset):
                raise Unsupported("a comparison of collections")
        if isinstance(node.left, model.Occupant) and _is_none(node.right):
            kind = self.tables.kinds[self.tables.families[node.left.zone].kind]
            if not kind.kind.counted:
                # Asking whether something lies there is quicker than what.
                number = self.compiler.zone(node.left.zone, node.left.indexes, scope)
                there = ir.CountEqual(kind.base, kind.kind.total, number)
                return binary("==" if node.operator == "==" else ">", there, 0)
        if _is_none(node.right) and (parts := self.compiler.parts_of(node.left, scope)):
            return binary("<" if node.operator == "==" else ">=", parts[0], 0)
        left, right = self.compiler.value(node.left, scope), self.compiler.value(node.right, scope)
        for one, other, type_ in ((left, right, node.right.type), (right, left, node.left.type)):
            if not isinstance(one, ir.Decoded):
                continue
            # A slot may be compared as it is, if its code for none is nothing else's.
            if isinstance(other, ir.Const):
                code = one.code if other.value == ir.NONE else other.value
                if other.value == ir.NONE or other.value != one.code:
                    return binary(node.operator, one.value, code)
            elif isinstance(other, ir.Decoded) and other.code == one.code:
                return binary(node.operator, one.value, other.value)
            elif not self.builder.may_be_none(type_):
                low, high = self.builder.bounds(type_)
                if not low <= one.code <= high:
                    return binary(node.operator, one.value, other)
        return binary(node.operator, left, right)

    def within(self, node: model.RangeCheck, scope: Scope) -> Value:
        """A value that must lie within the bounds of its type."""
        low, high = self.builder.bounds(node.type)
        return self.compiler.of(
            node.operand,
            scope,
            lambda value: ir.Checked(value, low, high, self.builder.fresh("t")),
        )


def negated(value: Value) -> Value:
    """What holds if the value does not."""
    match value:
        case ir.Binary(operator, left, right) if operator in _OPPOSITE:
            return ir.Binary(_OPPOSITE[operator], left, right)
        case ir.Not(operand):
            return ir.Binary("!=", operand, ir.Const(0))
        case ir.Const(number):
            return ir.Const(0 if number else 1)
        case _:
            return ir.Not(value)


_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def all_of(values: list[Value]) -> Value:
    """What holds if all do."""
    if not values:
        return ir.Const(1)
    *before, found = values
    for one in reversed(before):
        found = ir.Both(one, found)
    return found


def chosen(condition: Value, yes: Value, no: Value) -> Value:
    """One of two values."""
    if isinstance(condition, ir.Const):
        return yes if condition.value else no
    return ir.Select(condition, yes, no)


def _is_none(node: Expression) -> bool:
    return isinstance(node, model.Literal) and node.value is None
