"""What a player sees, as one number, in machine code.

Assumes: the terms of a game (`reference.sight_sum`).
Does: writes, in `ir` itself, what adds them up.
Leaves behind: a function `sight`, and the tables that it reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rulerun.compiled import ir
from rulerun.compiled.ir.statement import Body
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.builder import binary, const, plus, times
from rulerun.compiled.native.llvm import Code
from rulerun.compiled.native.memory import Target, array_of
from rulerun.reference.sight_sum import Pieces, SightSum
from rulerun.runtime.play import TOGETHER

_WHO, _SHIFT, _ONE, _SUM, _ZONE, _FOUND = (
    ir.Var(name) for name in ("who", "shift", "i", "sum", "zone", "found")
)


def sight(target: Target, sums: SightSum) -> list[str]:
    """The function and its tables."""
    tables = dict(_tables(sums))
    target = replace(target, tables={**target.tables, **tables})
    code = Code(target, "sight", ("who",))
    away = (ir.Assign("shift", const(sums.shadow)),)
    add = _more(binary("*", _slot(_load("SIGHT.SLOT")), _load("SIGHT.TIMES")))
    number: Body = (ir.If(_for(_load("SIGHT.SEEN")), (add,)),)
    code.body(
        (
            ir.Assign("shift", const(0)),
            ir.If(ir.Slot(const(TOGETHER)), away),
            ir.Assign("sum", const(0)),
            ir.For("i", const(0), const(len(sums.numbers)), number),
            *(each for at, kind in enumerate(sums.pieces) for each in _pieces(at, kind)),
            ir.Return(_SUM),
        )
    )
    return [*(array_of(name, values) for name, values in tables.items()), code.finished()]


def _tables(sums: SightSum) -> Mapping[str, tuple[int, ...]]:
    return {
        "SIGHT.SLOT": tuple(each.slot for each in sums.numbers) or (0,),
        "SIGHT.TIMES": tuple(each.times for each in sums.numbers) or (0,),
        "SIGHT.SEEN": tuple(each.seen for each in sums.numbers) or (0,),
        "SIGHT.ZONE": sums.seen or (0,),
        "SIGHT.COUNT": sums.counted or (0,),
        "SIGHT.ONE": sums.one or (0,),
        **{f"SIGHT.CLASS.{at}": kind.classes for at, kind in enumerate(sums.pieces)},
    }


def _pieces(at: int, kind: Pieces) -> Body:
    here = binary("+", ir.TableLoad(f"SIGHT.CLASS.{at}", _ONE), times(_ZONE, kind.zone))
    whole: Value = here
    for base, by in kind.others:
        whole = binary("+", whole, times(_slot(plus(_ONE, base)), by))
    seen: Body = (ir.Assign("found", whole), _more(binary("*", _FOUND, _FOUND)))
    known: Body = ()
    if kind.known >= 0:
        square = times(binary("*", _FOUND, _FOUND), 3)
        mark = _for(_slot(plus(_ONE, kind.known)))
        known = (ir.If(mark, (ir.Assign("found", here), _more(square))),)
    one: Body = (
        ir.Assign("zone", _slot(plus(_ONE, kind.base))),
        ir.If(_for(_load("SIGHT.COUNT", _ZONE)), (_more(_load("SIGHT.ONE", _ZONE)),)),
        ir.If(_for(_load("SIGHT.ZONE", _ZONE)), seen, known),
    )
    return (ir.For("i", const(0), const(len(kind.classes)), one),)


def _slot(address: Value) -> Value:
    return ir.Slot(binary("+", address, _SHIFT))


def _load(table: str, index: Value = _ONE) -> Value:
    return ir.TableLoad(table, index)


def _for(mask: Value) -> Value:
    """Whether a mask has the player."""
    return binary("&", binary(">>", mask, _WHO), 1)


def _more(value: Value) -> ir.Assign:
    return ir.Assign("sum", binary("+", _SUM, value))
