"""What of a game fits machine code.

Assumes: a checked `Game`, and its program.
Does: refuses what python runs and machine code does not; says what the slots of its types hold, and
of which slots masks may be kept.
Leaves behind: bounds and regions for `memory`. What does not fit raises `Unsupported`.
"""

from __future__ import annotations

from rulerun.compiled import ir
from rulerun.compiled.ir.program import Unsupported, inside
from rulerun.compiled.lower.spreading import names_in
from rulerun.compiled.native.memory import MOST_KEPT, Region
from rulerun.runtime.index import GameIndex
from rulerun_dsl.model import Game
from rulerun_dsl.model.valuetypes import WORD, Type

_REGION, _VALUES = 64, 72
"""The largest region of which masks are kept, and the most values."""
_FAMILY = 256
"""A family of variables of so many is several regions."""


def bounds_of(game: Game) -> list[tuple[int, int]]:
    """What the slots of variables, attributes and parameters hold."""
    tables = GameIndex(game)
    return [tables.bounds(type_) for type_ in _types(game)]


def regions_of(game: Game) -> list[Region]:
    """The slots of which masks may be kept: families of variables, and where components lie."""
    tables = GameIndex(game)
    found = []
    for table in tables.variables.values():
        many = len(list(table.instances()))
        low, high = tables.bounds(table.variable.type)
        if table.width == 1 and 2 <= many <= _FAMILY and high - low < _VALUES:
            for start in range(0, many, _REGION):
                number = min(_REGION, many - start)
                found.append(Region(table.base + start, number, low, high - low + 1))
    for kind in tables.kinds.values():
        total = kind.kind.total
        if kind.kind.counted or not 2 <= total <= _REGION:
            continue
        if len(tables.instances) < _VALUES:
            found.append(Region(kind.base, total, -1, len(tables.instances) + 1))
        if kind.positions >= 0:
            found.append(Region(kind.positions, total, -1, total + 2))
    return found


def ranges_of(game: Game) -> dict[tuple[int, int], tuple[int, int]]:
    """What the slots of a run hold, by its base and number: the least and the most."""
    return {
        (each.base, each.number): (each.low, each.low + each.many - 1) for each in regions_of(game)
    }


def alone_in(game: Game) -> list[int]:
    """The slots that hold a variable by themselves."""
    tables = GameIndex(game)
    return [
        table.base
        for table in tables.variables.values()
        if table.width == 1 and not table.variable.sizes
    ]


def _types(game: Game) -> list[Type]:
    types: list[Type] = [variable.type for variable in game.variables]
    types += [each.type for kind in game.kinds for each in kind.attributes]
    return [*types, *(each.type for each in names_in(game))]


def check(game: Game, program: ir.Program) -> None:
    """Raise `Unsupported` for what python runs and machine code does not."""
    if program.returns_may_fail:
        raise Unsupported("returns that may be a rule error")
    if len(game.players) > 10:
        raise Unsupported("more than 10 players")
    _check_copies(program)


def has_large_sets(program: ir.Program) -> bool:
    """Whether sets of more members than a number has bits are made somewhere.

    Not all that may be done with them is seen before it is written.
    """
    bodies = (*program.functions, *program.listers, *program.blocks, *program.questions)
    return any(map(_makes_large_set, bodies))


def _makes_large_set(node: object) -> bool:
    large = isinstance(node, ir.NewBits) and node.many > WORD
    return large or any(map(_makes_large_set, inside(node)))


def _check_copies(program: ir.Program) -> None:
    """A state that is large is not copied to the stack, as what supposes something does."""
    bodies = (*program.functions, *program.listers, *program.blocks)
    if 8 * program.size > MOST_KEPT and any(map(_supposes, bodies)):
        raise Unsupported(f"what is supposed of a state of {program.size} numbers")


def _supposes(node: object) -> bool:
    return isinstance(node, ir.Suppose) or any(map(_supposes, inside(node)))
