"""Searches over a board as floods, lowered.

Assumes: which sites may be entered, as a set; a board whose neighbours lie in few directions.
Does: visits all sites of one distance at once. The sites are the bits of a number, and a step in
one direction is a shift of those that have a neighbour there. Where evaluations are counted each
site is visited by itself.
Leaves behind: statements; the set of the sites that were seen.
"""

from __future__ import annotations

from collections.abc import Callable

from rulerun.compiled import ir
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.builder import Builder, const, plus
from rulerun.compiled.lower.flags import Flags
from rulerun_dsl.model import Board

_MOST_STEPS, _MOST_IN_PYTHON = 64, 24
"""Neighbours in more directions are visited one by one. They are many where rows differ: a hexagon
of eight cells a side has 18, a triangle of nineteen 38, which Python goes through as soon by sites.
"""


def goes_by_shifts(builder: Builder, board: Board) -> bool:
    """Whether a search over a board is a flood."""
    most = _MOST_IN_PYTHON if builder.any_size else _MOST_STEPS
    fits = len(board.sites) <= builder.widest and len(_steps(board)) <= most
    return fits and builder.floods


def flood(
    builder: Builder,
    board: Board,
    allowed: Flags | None,
    starts: Callable[[Callable[[Value], None]], None],
    met: Callable[[Flags, Value], None],
) -> Flags:
    """Visit the sites that can be reached over those that are allowed: `met(them, how far)`."""
    emit = builder.emit
    many = len(board.sites)
    front, seen, near = (Flags(builder, name, many) for name in ("front", "seen", "near"))
    starts(lambda site: emit(front.mark(site)))
    if allowed is not None:
        emit(front.keep(allowed))
    emit(seen.become(front))
    far = builder.keep("far", const(0))
    with builder.block() as inner:
        met(front, far)
        emit(near.become(const(0)))
        for step, sites in _steps(board).items():
            emit(near.add(front.moved(sites, step)))
        if allowed is not None:
            emit(near.keep(allowed))
        emit(near.drop(seen), front.become(near), seen.add(front.whole))
        emit(ir.Assign(far.name, plus(far, 1)))
    emit(ir.While(front.whole, tuple(inner)))
    return seen


def _steps(board: Board) -> dict[int, int]:
    """By how much a neighbour has another number, of which sites: as a mask."""
    found: dict[int, int] = {}
    for site, near in enumerate(board.neighbours):
        for other in near:
            found[other - site] = found.get(other - site, 0) | 1 << site
    return found
