"""What is asked of a program before it is written as Python.

Assumes: values and statements of `ir`.
Does: says what binds how strongly, what is a number and what only a truth, what never comes to its
end, which names are read.
Leaves behind: plain values for `source`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import PASSED
from rulerun.compiled.ir.statement import Body
from rulerun.compiled.ir.value import Value

STRENGTH = {
    "or": 1, "and": 2, "not": 3,
    "==": 4, "!=": 4, "<": 4, "<=": 4, ">": 4, ">=": 4,
    "|": 5, "^": 6, "&": 7, "<<": 8, ">>": 8,
    "+": 9, "-": 9, "*": 10, "//": 10, "%": 10, "**": 12,
}  # fmt: skip
"""How strongly operators bind."""


def never_ends(body: Body) -> bool:
    """Whether a block never comes to its end."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ir.If):
        return never_ends(last.then) and never_ends(last.otherwise)
    return isinstance(last, ir.Return | ir.Jump | ir.Rest | ir.Signal | ir.Fail | ir.Break)


def names_in(body: Body) -> set[str]:
    """The names that a block reads."""
    found: set[str] = set()
    waiting: list[object] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ir.Var):
            found.add(node.name)
        waiting.extend(ir.inside(node))
    return found


_PARAMETER = re.compile(rf"{PASSED}\d+")
"""Names of what may have been given a truth."""


def is_truth(value: Value) -> bool:
    """Whether a value is surely a truth."""
    match value:
        case ir.Binary(operator):
            return STRENGTH.get(operator) == 4
        case ir.Not() | ir.Both() | ir.Either():
            return True
        case _:
            return False


def is_number(value: Value, loose: set[str]) -> bool:
    """Whether a value is surely a number, not a truth."""
    match value:
        case ir.Const() | ir.Slot() | ir.TableLoad() | ir.RowGet() | ir.Length() | ir.CountEqual():
            return True
        case ir.FindEqual() | ir.SumSlots() | ir.BitCount() | ir.OnTop() | ir.LowestBit():
            return True
        case ir.EqualMask() | ir.HighestBit():
            return True
        case ir.Binary(operator, left, right):
            if operator in ("min", "max", "|", "&", "^"):
                return is_number(left, loose) or (
                    operator not in ("min", "max") and is_number(right, loose)
                )
            return STRENGTH[operator] > 4
        case ir.Var(name):
            # Parameters hold whatever they were given.
            return name not in loose and not _PARAMETER.fullmatch(name)
        case ir.Checked(inner) | ir.Decoded(inner):
            return is_number(inner, loose)
        case ir.OrElse(inner, other):
            return is_number(inner, loose) and is_number(other, loose)
        case ir.Select(_, yes, no):
            return is_number(yes, loose) and is_number(no, loose)
        case _:
            return False


def loose_names(body: Body) -> set[str]:
    """The names beside parameters that may hold a truth instead of a number."""
    found: set[str] = set()
    waiting = [each for each in ir.all_statements(body) if isinstance(each, ir.Assign)]
    while True:
        more = [each for each in waiting if not is_number(each.value, found)]
        if not more:
            return found
        found.update(each.name for each in more)
        waiting = [each for each in waiting if each.name not in found]


def comment(about: str) -> list[str]:
    """What something is, as a comment of one line."""
    text = " ".join(about.split())
    return [f"# {text[:110]}{'…' if len(text) > 110 else ''}"] if text else []


def tuple_text(values: Iterable[int]) -> str:
    """Numbers as a tuple."""
    texts = ["NONE" if value == ir.NONE else str(value) for value in values]
    return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"
