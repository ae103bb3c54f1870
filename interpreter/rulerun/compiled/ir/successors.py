"""Where play goes on from a block.

Assumes: a `Program` of `ir`.
Does: finds the blocks that statements jump to. Who called a procedure stands in a slot: what is
jumped to from there is what some statement puts there.
Leaves behind: plain values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rulerun.compiled import ir
from rulerun.compiled.ir.passes import every_part
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.statement import Body
from rulerun.compiled.ir.value import Value

Kept = Mapping[Value, frozenset[int]]
"""By address: the blocks that are put there to be gone on at."""


def kept_in(statements: Iterable[object]) -> Kept:
    """What statements put where."""
    found: dict[Value, set[int]] = {}
    for node in every_part(statements):
        match node:
            case ir.StoreSlot(address, ir.Const(to)) if to > 0:
                found.setdefault(address, set()).add(to)
    return {address: frozenset(blocks) for address, blocks in found.items()}


def jumps(body: Body, kept: Kept) -> list[int] | None:
    """The blocks to which statements jump; None if that is not known."""
    found: list[int] = []
    for node in every_part(body):
        if isinstance(node, ir.Jump):
            targets = targets_of(node, body, kept)
            if targets is None:
                return None
            found += sorted(targets)
    return found


def targets_of(jump: ir.Jump, body: Body, kept: Kept) -> frozenset[int] | None:
    """The blocks to which one of some statements may jump; None if that is not known."""
    match jump.to:
        case ir.Const(to):
            return frozenset((to,))
        case ir.Var(name):
            given = [
                node.value
                for node in every_part(body)
                if isinstance(node, ir.Assign) and node.name == name
            ]
            slots = [value.address for value in given if isinstance(value, ir.Slot)]
            if given and len(slots) == len(given):
                return frozenset[int]().union(*(kept.get(slot, ()) for slot in slots))
    return None


def kept_by(program: Program) -> Kept:
    """What all of a program puts where: blocks, what takes a row, what supposes that code runs."""
    bodies = [
        *(each.body for each in program.blocks),
        *(each.settle for each in program.questions),
        *(each.body for each in program.functions),
        *(each.body for each in program.listers),
    ]
    return kept_in(statement for body in bodies for statement in body)


def reached(program: Program, roots: Iterable[int], kept: Kept) -> frozenset[int]:
    """The blocks that are come to from some before anything rests."""
    bodies = {block.at: block.body for block in program.blocks}
    found: set[int] = set()
    waiting = list(roots)
    while waiting:
        at = waiting.pop()
        if at in found:
            continue
        found.add(at)
        further = jumps(bodies[at], kept)
        if further is None:
            return frozenset(bodies)
        waiting += further
    return frozenset(found)
