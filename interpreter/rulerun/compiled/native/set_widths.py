"""How wide the sets are that functions are given and give back.

Assumes: a program in which a set that may have more members than a number has bits begins as
`NewBits`, or as a constant, a mask or a join that says so.
Does: follows such sets into functions and out of them again, until nothing is wider than it was.
What a mask or a shift leaves so few bits of that a number holds them is no set.
Leaves behind: the bits of parameters and results; 0 is a number of 64 bits with a sign.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from rulerun.compiled import ir
from rulerun.compiled.ir.passes import every_part
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.statement import Body
from rulerun.compiled.ir.value import Value
from rulerun_dsl.model.valuetypes import WORD

_WORD = 64


@dataclass
class Widths:
    """How wide what functions are given is, and what they give; who is not in it has numbers."""

    parameters: dict[str, tuple[int, ...]] = field(default_factory=dict)
    results: dict[str, int] = field(default_factory=dict)

    def of(self, value: Value, names: Mapping[str, int]) -> int:
        """How wide a value is, if some names are sets."""
        if _length(value) <= WORD:
            return 0
        match value:
            case ir.Var(name):
                return names.get(name, 0)
            case ir.Call(function, _):
                return self.results.get(function, 0)
            case ir.EqualMask(_, number, _):
                return width_for(number) if number > _WORD else 0
            case ir.Const(number):
                fits = -(1 << _WORD - 1) <= number < 1 << _WORD - 1
                return 0 if fits else width_for(number.bit_length())
            case ir.Binary("&" | "|" | "^" | "+" | "-", left, right) | ir.Select(_, left, right):
                return max(self.of(left, names), self.of(right, names))
            case ir.Binary("<<", left, ir.Const(by)) if by >= _WORD:
                return self.of(left, names) or width_for(by + _WORD)
            case ir.Binary(">>", left, ir.Const(by)) if self.of(left, names) - by <= WORD:
                return 0
            case ir.Binary("<<" | ">>", left, _):
                return self.of(left, names)
            case _:
                return 0


def _length(value: Value) -> int:
    """How many bits a value has at most, where a mask says so; else more than any number."""
    match value:
        case ir.Const(mask) | ir.Binary("&", _, ir.Const(mask)) if mask >= 0:
            return mask.bit_length()
        case ir.Binary(">>", left, ir.Const(by)):
            return _length(left) - by
        case _:
            return 1 << _WORD


def width_for(many: int) -> int:
    """How wide a set of so many numbers is."""
    return -(-many // _WORD) * _WORD


def widths_of(program: Program) -> Widths:
    """The widths of a program."""
    found, before = Widths(), None
    if not program.wide:
        return found
    parameters = {each.name: each.parameters for each in program.functions}
    bodies = [(owner, list(every_part(body))) for owner, body in _bodies(program)]
    while before != (state := (dict(found.parameters), dict(found.results))):
        before = state
        for owner, parts in bodies:
            known = zip(parameters.get(owner, ()), found.parameters.get(owner, ()), strict=False)
            names = _named(parts, {name: bits for name, bits in known if bits}, found)
            for node in parts:
                _note(node, owner, names, parameters, found)
    return found


def _named(parts: Iterable[object], names: dict[str, int], found: Widths) -> dict[str, int]:
    """The names that are sets, with how wide they are."""
    many = -1
    while many != len(names):
        many = len(names)
        for node in parts:
            match node:
                case ir.NewBits(name, number):
                    names.setdefault(name, width_for(number))
                case ir.Assign(name, value) if bits := found.of(value, names):
                    names.setdefault(name, bits)
    return names


def _note(
    node: object,
    owner: str,
    names: Mapping[str, int],
    parameters: Mapping[str, tuple[str, ...]],
    found: Widths,
) -> None:
    """What a function is given, or gives."""
    match node:
        case ir.Return(value) if bits := found.of(value, names):
            found.results[owner] = max(bits, found.results.get(owner, 0))
        case ir.Call(function, arguments) if function in parameters:
            wide = [found.of(each, names) for each in arguments]
            if any(wide):
                held = found.parameters.get(function, (0,) * len(wide))
                found.parameters[function] = tuple(map(max, wide, held))


def _bodies(program: Program) -> Iterator[tuple[str, Body]]:
    """Everything that calls functions, by the name of the function that it is."""
    yield from ((each.name, each.body) for each in program.functions)
    yield from (("", each.body) for each in program.listers)
    yield from (("", each.body) for each in program.blocks)
    for each in program.questions:
        yield "", (ir.Eval(each.player), *each.settle)
    yield from (("", body) for body in (program.canonical, program.restart))
