"""Where components come from: the places in which an expression finds them.

Assumes a checked expression, of a component or of a collection.
Does: follows what only passes components on (a condition, a word that picks some, a function) down
to what first names them.
Leaves behind: a zone, a kind, a name, a variable: whatever the expression finds them by, each with
what is known there of registers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rulerun_dsl import model as m
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.whole.secret_reads import substitute

Registers = Mapping[int, m.Expression]
"""By register: the argument that it holds, or the collection of which it is a member."""


def origins(
    world: World, node: m.Expression, bound: Registers
) -> Iterator[tuple[m.Expression, Registers]]:
    """Yield what an expression finds its components by."""
    match node:
        case m.Joined(left=left, right=right) | m.Otherwise(left=left, right=right):
            yield from origins(world, left, bound)
            yield from origins(world, right, bound)
        case m.Conditional(value=value, alternative=alternative):
            yield from origins(world, value, bound)
            yield from origins(world, alternative, bound)
        case m.NotNone(operand=operand) | m.Unpacked(operand=operand):
            yield from origins(world, operand, bound)
        case m.Listed(items=items):
            for item in items:
                yield from origins(world, item, bound)
        case m.Quantifier(clauses=clauses, value=m.Expression() as value):
            members = {each.register: each.source for each in clauses}
            yield from origins(world, value, {**bound, **members})
        case m.Register(index=index) if index in bound:
            yield from origins(world, bound[index], bound)
        case m.BuiltinCall(word="reverse" | "around", arguments=arguments):
            yield from origins(world, arguments[0], bound)
        case m.FunctionCall(function=function, arguments=arguments):
            if (body := world.functions[function].body) is not None:
                yield from origins(world, body, {**bound, **passed(world, node, bound)})
        case m.SlotCall(functions=functions):
            for function in functions:
                if (body := world.functions[function].body) is not None:
                    yield from origins(world, body, bound)
        case m.Literal(value=None):
            pass  # nothing comes from nowhere
        case _:  # it names them itself, or there is no telling: that is for the caller to say
            yield node, bound


def passed(world: World, call: m.FunctionCall, bound: Registers) -> Registers:
    """Return the arguments of a call, by the registers of the function."""
    registers = [register for _, _, register in world.functions[call.function].parameters]
    arguments = (substitute(each, bound) for each in call.arguments)
    return dict(zip(registers, arguments, strict=True))
