"""What a loop asks of each member of a set, asked of all of them at once.

Assumes: a `Program` of `ir` after `masks`, whose sets may be of any size, as numbers of Python are.
Does: where a loop over a set asks a condition that functions answer, as whether a disc on a square
would enclose others, a new function follows it for all members (`following`), and the loop goes
through those for whom it holds. That function depends on nothing but the masks that it is given:
where two loops ask the same it is the same function.
Leaves behind: a program that does the same. Only functions and listers that write no slot are
searched for such loops; what may go wrong is asked of each, as before.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from rulerun.compiled import ir
from rulerun.compiled.ir.bitsets import number_of
from rulerun.compiled.ir.following import Followed, Surroundings, followed
from rulerun.compiled.ir.fresh_names import beside
from rulerun.compiled.ir.masks import each_bit
from rulerun.compiled.ir.passes import (
    assigned,
    every_part,
    inside_out,
    pure_functions,
    substituted,
    variables,
    where_nothing_changes,
)
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.ir.value import Value
from rulerun.compiled.ir.ways_parted import Unknown


def lockstep(program: Program, runs: Collection[tuple[int, int]]) -> Program:
    """The program with such loops; `runs`: of which slots masks are kept, base and number."""
    maker = _Maker(program, runs)
    changed = where_nothing_changes(program, lambda body: inside_out(body, maker.loop))
    return replace(changed, functions=(*changed.functions, *maker.made.values()))


class _Maker:
    """Makes the functions of one program."""

    def __init__(self, program: Program, runs: Collection[tuple[int, int]]) -> None:
        pure = pure_functions(program)
        functions = {each.name: each for each in program.functions if each.name in pure}
        tables, lists = dict(program.tables), dict(program.lists)
        self.known = Surroundings(tables, lists, functions, runs)
        self.made: dict[Body, ir.Function] = {}
        self.tried: dict[tuple[str, int], Followed | None] = {}

    def loop(self, loop: Statement) -> Body:
        """What does the same as a loop, or as any other statement."""
        match loop:
            case ir.EachBit(name, held, (ir.If(condition, then, ()),)) if any(
                isinstance(node, ir.Call) for node in every_part([condition])
            ):
                call = self._asked(condition, name, held)
                return (loop,) if call is None else each_bit(name, call, then)
            case _:
                return (loop,)

    def _of_any(self, condition: Value, name: str, number: int, held: Value) -> Followed | None:
        """A condition followed; one that a function answers, whatever else it is given."""
        match condition:
            case ir.Call(function, arguments):
                pass
            case _:
                return self._followed(condition, name, number, held)
        words = [f"other{at}" for at in range(len(arguments))]
        member = ir.Var(name)
        others = {
            word: argument
            for word, argument in zip(words, arguments, strict=True)
            if argument != member
        }
        if len(others) == len(arguments) or any(
            name in variables(each) for each in others.values()
        ):
            return self._followed(condition, name, number, held)
        asked = tuple(
            member if argument == member else ir.Var(word)
            for word, argument in zip(words, arguments, strict=True)
        )
        found = self._followed(ir.Call(function, asked), name, number, ir.Var("own"))
        if found is None:
            return self._followed(condition, name, number, held)
        given = {**others, "own": held}
        arguments = tuple(substituted(each, given) for each in found.arguments)
        return replace(found, arguments=arguments)

    def _followed(self, condition: Value, name: str, number: int, held: Value) -> Followed | None:
        asked = repr(substituted((condition, held), {name: ir.Var("member")}))
        if isinstance(condition, ir.Call) and condition.function in self.known.functions:
            # The rules may say the same twice.
            function = self.known.functions[condition.function]
            asked = asked.replace(repr(function.name), _spelled(function))
        key = asked, number
        if key not in self.tried:
            try:
                self.tried[key] = followed(condition, name, number, held, self.known)
            except Unknown:
                self.tried[key] = None
        return self.tried[key]

    def _asked(self, condition: Value, name: str, held: Value) -> Value | None:
        """For whom of some a condition holds."""
        number = number_of(held)
        if number is None:
            return None
        found = self._of_any(condition, name, number, held)
        if found is None:
            return None
        if found.body not in self.made:
            word = beside(f"all{len(self.made)}", "hold")
            about = "for whom of some it holds"
            function = ir.Function(word, found.parameters, found.body, about, kept=True)
            self.made[found.body] = function
        return ir.Call(self.made[found.body].name, found.arguments)


def _spelled(function: ir.Function) -> str:
    """A function whatever its names are: two of which that is the same do the same."""
    numbers = {name: at for at, name in enumerate(function.parameters)}
    own = assigned(function.body)

    def spelled(found: re.Match[str]) -> str:
        name = found[1]
        if name in own:
            numbers.setdefault(name, len(numbers))
        return f"<{numbers[name]}>" if name in numbers else found[0]

    return re.sub(r"'(\w+)'", spelled, repr(function.body))
