"""Components that nothing tells apart, as one outcome of chance.

Assumes: rows of a lister of chance: id, weight, number.
Does: numbers components so that equal ids are alike; adds up the weights of equal ids.
Leaves behind: values, and statements that push rows.
"""

from __future__ import annotations

from collections.abc import Callable

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import FOUND
from rulerun.compiled.ir.program import Unsupported
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.builder import Builder, binary, const, plus, times
from rulerun.compiled.lower.components import Components
from rulerun.runtime.index import KindTable
from rulerun_dsl.model.valuetypes import WORD


def id_of(components: Components, kind: KindTable, one: Value, several: bool) -> Value:
    """The id of a component among what may fall."""
    id_ = components.class_of(kind, one)
    for attribute in kind.attributes:
        low, high = components.tables.bounds(attribute.type)
        if components.builder.words(attribute.type) > 1:
            raise Unsupported(f"a draw of {kind.kind.name} with a set of more than {WORD} members")
        code = plus(ir.Slot(plus(one, attribute.base)), -low)
        id_ = plus(times(id_, high - low + 1), code)
    if several:
        zones = len(components.tables.instances)
        id_ = plus(times(id_, zones), components.zone_of(kind, one))
    return id_


def merged(
    builder: Builder,
    loop: Callable[[ir.Body], None],
    id_: Value,
    weight: Value,
    number: Value,
) -> None:
    """Rows from a loop that meets equal ids one after another: their weights added up."""
    emit = builder.emit
    last = builder.keep("last", const(-1))
    total = builder.keep("total", const(0))
    first = builder.keep("first", const(0))
    push = ir.Push(FOUND, (last, total, first))
    with builder.block() as inner:
        new = builder.keep("id", id_)
        emit(
            ir.If(
                binary("==", new, last),
                (ir.Assign(total.name, plus(total, weight)),),
                (
                    ir.If(binary(">", total, 0), (push,)),
                    ir.Assign(last.name, new),
                    ir.Assign(total.name, weight),
                    ir.Assign(first.name, number),
                ),
            )
        )
    loop(tuple(inner))
    emit(ir.If(binary(">", total, 0), (push,)))
