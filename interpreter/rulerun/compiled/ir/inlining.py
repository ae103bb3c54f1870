"""Small functions in place of their calls: the same program, quicker everywhere.

Assumes: a `Program` of `ir`.
Does: a function that is one short value, such as `c.suit is hearts`, stands where it is called, if
what it is given may be asked for as often as it asks. What stands there is seen by other passes: a
loop that asks it of each member can ask all at once.
Leaves behind: a program that does the same. Functions that are called nowhere any more are still
there; a back end leaves them out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rulerun.compiled import ir
from rulerun.compiled.ir.passes import every_part, rewritten, substituted
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.value import Value

_SHORT = 24
"""A value of so many nodes is short."""
_PLAIN = (
    ir.Const | ir.Var | ir.Slot | ir.Binary | ir.Not | ir.Both | ir.Either | ir.Select
    | ir.TableLoad | ir.CountEqual | ir.SumSlots | ir.EqualMask | ir.BitCount | ir.Call
)  # fmt: skip
"""What gives no name to what it meets: it may stand twice in one place."""


def inlined(program: Program) -> Program:
    """The program with short functions in place of their calls."""
    maker = _Inliner({each.name: each for each in program.functions})
    return replace(
        program,
        functions=tuple(replace(each, body=maker.put(each.body)) for each in program.functions),
        listers=tuple(replace(each, body=maker.put(each.body)) for each in program.listers),
        blocks=tuple(replace(each, body=maker.put(each.body)) for each in program.blocks),
        questions=tuple(
            replace(each, player=maker.put(each.player), settle=maker.put(each.settle))
            for each in program.questions
        ),
    )


class _Inliner:
    """Puts the functions of one program in place of their calls."""

    def __init__(self, functions: dict[str, ir.Function]) -> None:
        self.functions = functions
        self.short: dict[str, Value | None] = {}
        """By function its value, without calls of short ones; None if it is not short."""

    def put(self, node: Any) -> Any:
        """A value, a statement or several, with short functions in place of their calls."""
        return rewritten(node, self._called)

    def _called(self, node: Any) -> Any:
        if not isinstance(node, ir.Call) or (value := self._value_of(node.function)) is None:
            return node
        given = dict(zip(self.functions[node.function].parameters, node.arguments, strict=True))
        return substituted(value, given) if all(map(_is_cheap, given.values())) else node

    def _value_of(self, name: str) -> Value | None:
        """The value of a short function."""
        if name not in self.short:
            self.short[name] = None  # so it stays if it calls itself
            function = self.functions.get(name)
            match function:
                case ir.Function(body=(ir.Return(value),), remembered=False):
                    whole: Value = self.put(value)
                    if _is_short(whole):
                        self.short[name] = whole
        return self.short[name]


def _is_short(value: Value) -> bool:
    nodes = list(every_part([value]))
    return len(nodes) <= _SHORT and all(isinstance(node, _PLAIN) for node in nodes)


def _is_cheap(value: Value) -> bool:
    """Whether a value may be asked for several times, or not at all."""
    match value:
        case ir.Const() | ir.Var() | ir.Slot(ir.Const() | ir.Var()):
            return True
        case ir.Slot(ir.Binary("+", ir.Var(), ir.Const())):
            return True
        case ir.Binary("+" | "-", left, right):
            return _is_cheap(left) and _is_cheap(right)
        case _:
            return False
