"""Values written plainly: what is known is worked out, and a short function is a value.

Assumes: a `Program` of `ir`.
Does: works out what depends on constants alone; says what a slot holds without the names that
`Decoded` and `Maybe` give it, so that the same may stand in two places; says what a function
returns as one value, if it does nothing but ask, in few steps.
Leaves behind: values, for passes that ask more of them. Nothing that may go wrong is left out.
"""

from __future__ import annotations

import operator as operators
from collections.abc import Callable, Iterable, Mapping

from rulerun.compiled import ir
from rulerun.compiled.ir.passes import every_part, rewritten, substituted
from rulerun.compiled.ir.statement import Body
from rulerun.compiled.ir.value import Value

WORK: Mapping[str, Callable[[int, int], int]] = {
    "+": operators.add,
    "-": operators.sub,
    "*": operators.mul,
    "&": operators.and_,
    "|": operators.or_,
    "^": operators.xor,
    "min": min,
    "max": max,
    "==": operators.eq,
    "!=": operators.ne,
    "<": operators.lt,
    "<=": operators.le,
    ">": operators.gt,
    ">=": operators.ge,
    "//": operators.floordiv,
    "%": operators.mod,
}
"""What is worked out here. Who divides looks first whether it can be."""
TESTS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_MOST_STEPS = 400
"""A function that is a value takes so many steps at most."""
_UNROLLED = 16
_NO, _YES = ir.Const(0), ir.Const(1)
_RISKY = ir.Checked | ir.Call | ir.Maybe | ir.OrElse | ir.Decoded


class Plain:
    """Writes the values of one program plainly."""

    def __init__(
        self, functions: Iterable[ir.Function], tables: Mapping[str, tuple[int, ...]]
    ) -> None:
        self.functions = {each.name: each for each in functions}
        self.tables = tables
        self._values: dict[str, Value | None] = {}

    def value(self, value: Value) -> Value:
        """A value, worked out as far as it is known."""
        found: Value = rewritten(value, self.worked_out)
        return found

    def called(self, call: ir.Call) -> Value | None:
        """What a function returns, as a value; None if it does more, or takes many steps."""
        if any(isinstance(node, _RISKY) for node in every_part(call.arguments)):
            return None  # what is given is worked out in any case, even where nobody asks for it
        function = self.functions.get(call.function)
        if function is None or function.remembered:
            return None
        if call.function not in self._values:
            self._values[call.function] = None  # so it stays if it calls itself
            self._values[call.function] = _Steps(self).returned(function.body, {})
        found = self._values[call.function]
        if found is None:
            return None
        given = dict(zip(function.parameters, call.arguments, strict=True))
        return self.value(substituted(found, given))

    def through(self, value: Value) -> Value:
        """A value, worked out, with what functions return in place of their calls."""

        def seen(node: Value) -> Value:
            found = self.called(node) if isinstance(node, ir.Call) else None
            return self.worked_out(node) if found is None else self.through(found)

        found: Value = rewritten(value, seen)
        return found

    def worked_out(self, node: Value) -> Value:
        """A value of which the parts are worked out."""
        match node:
            case ir.Binary(word, ir.Const(one), ir.Const(other)) if word in WORK:
                if word in ("//", "%") and not other:
                    return node
                return ir.Const(int(WORK[word](one, other)))
            case ir.Binary(word, ir.Select(held, ir.Const() as yes, no), ir.Const() as other) if (
                word in TESTS
            ):
                return chosen(
                    held,
                    self.worked_out(ir.Binary(word, yes, other)),
                    self.worked_out(ir.Binary(word, no, other)),
                )
            case ir.Binary(word, ir.Const() as one, ir.Select(held, yes, ir.Const() as no)) if (
                word in TESTS and isinstance(yes, ir.Const)
            ):
                return chosen(
                    held,
                    self.worked_out(ir.Binary(word, one, yes)),
                    self.worked_out(ir.Binary(word, one, no)),
                )
            case ir.Not(ir.Const(one)):
                return ir.Const(int(not one))
            case ir.Both(ir.Const(one), other):
                return _truth(other) if one else _NO
            case ir.Either(ir.Const(one), other):
                return _YES if one else _truth(other)
            case ir.Select(ir.Const(one), yes, no):
                return yes if one else no
            case ir.TableLoad(table, ir.Const(at)) if 0 <= at < len(self.tables[table]):
                return ir.Const(self.tables[table][at])
            case ir.Decoded(ir.Const(one), code):
                return ir.Const(ir.NONE) if one == code else ir.Const(one)
            case ir.Decoded(ir.Slot() as slot, code):
                return ir.Select(ir.Binary("==", slot, ir.Const(code)), ir.Const(ir.NONE), slot)
            case ir.Maybe(ir.Const(one) as value, inside, name):
                if one == ir.NONE:
                    return value
                return self.value(substituted(inside, {name: value}))
            case ir.Maybe(ir.Select(held, ir.Const(ir.NONE) as none, ir.Slot() as slot), inside, n):
                return ir.Select(held, none, self.value(substituted(inside, {n: slot})))
            case ir.Call(_, arguments) if all(isinstance(each, ir.Const) for each in arguments):
                found = self.called(node)
                return found if isinstance(found, ir.Const) else node
            case _:
                return node


def chosen(held: Value, yes: Value, no: Value) -> Value:
    """One of two values. What may fail is still asked."""
    if isinstance(held, ir.Const):
        return yes if held.value else no
    if not (_is_truth(yes) and _is_truth(no)):
        return ir.Select(held, yes, no)
    if (yes, no) == (_YES, _NO):
        return _truth(held)
    if yes == _NO:
        return ir.Both(ir.Not(held), no)
    if no == _NO:
        return ir.Both(held, yes)
    return ir.Either(held, no) if yes == _YES else ir.Select(held, yes, no)


def _is_truth(value: Value) -> bool:
    """Whether a value is 0 or 1."""
    match value:
        case ir.Const(0 | 1) | ir.Not() | ir.Both() | ir.Either():
            return True
        case ir.Binary(word):
            return word in TESTS
        case ir.Select(_, yes, no):
            return _is_truth(yes) and _is_truth(no)
        case _:
            return False


def _truth(value: Value) -> Value:
    """Whether a value holds: 0 or 1."""
    return value if _is_truth(value) else ir.Binary("!=", value, _NO)


class _Steps:
    """Goes through the statements of one function."""

    def __init__(self, plain: Plain) -> None:
        self.plain = plain
        self.left = _MOST_STEPS

    def returned(self, body: Body, names: Mapping[str, Value]) -> Value | None:
        """What statements return, where names have values."""
        self.left -= 1
        if not body or self.left < 0:
            return None
        first, rest = body[0], body[1:]
        match first:
            case ir.Return(value):
                return self._value(value, names)
            case ir.Assign(name, value):
                found = self._value(value, names)
                if any(isinstance(node, _RISKY) for node in every_part([found])):
                    return None
                return self.returned(rest, {**names, name: found})
            case ir.If(condition, then, otherwise):
                held = self._value(condition, names)
                if isinstance(held, ir.Const):
                    return self.returned((*(then if held.value else otherwise), *rest), names)
                yes = self.returned((*then, *rest), names)
                no = None if yes is None else self.returned((*otherwise, *rest), names)
                return None if yes is None or no is None else chosen(held, yes, no)
            case ir.For(name, ir.Const(low), ir.Const(high), block) if (
                high - low <= _UNROLLED
                and not any(isinstance(e, ir.Break) for e in every_part(block))
            ):
                each = ((ir.Assign(name, ir.Const(at)), *block) for at in range(low, high))
                return self.returned((*(one for turn in each for one in turn), *rest), names)
            case _:
                return None

    def _value(self, value: Value, names: Mapping[str, Value]) -> Value:
        return self.plain.value(substituted(value, names))
