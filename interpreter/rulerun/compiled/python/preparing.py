"""From a game to the program that is written as Python.

Assumes: a checked `Game` for which there is a lowering.
Does: lowers it, and applies the passes that pay in Python. What is counted is asked as often as the
rules ask it, so there nothing is changed.
Leaves behind: a program, and the regions of which its module keeps masks. Raises `Unsupported`.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from rulerun.compiled import ir
from rulerun.compiled.ir.bounding import bounded
from rulerun.compiled.ir.copies import copies
from rulerun.compiled.ir.gathering import gathered
from rulerun.compiled.ir.inlining import inlined
from rulerun.compiled.ir.kept_values import kept_values
from rulerun.compiled.ir.lockstep import lockstep
from rulerun.compiled.ir.masks import masks
from rulerun.compiled.ir.passes import hoisted, unshadowed
from rulerun.compiled.ir.scans import scans
from rulerun.compiled.ir.serial import serial
from rulerun.compiled.ir.sweeping import swept
from rulerun.compiled.ir.tabling import tabled
from rulerun.compiled.lower.lower import lower
from rulerun.compiled.python.behind import Behind
from rulerun.compiled.python.regions import Region, families, kept
from rulerun.compiled.python.unrolled import as_values, unrolled
from rulerun_dsl.model import Game

PASSES = (
    "floods",
    "serial",
    "tabled",
    "gathered",
    "unrolled",
    "masks",
    "lockstep",
    "bounded",
    "swept",
    "kept",
    "hoisted",
    "scans",
    "forwarded",
)
"""What can be left out, to measure what it gains."""


def prepared(
    game: Game, coverage: bool = False, whole: bool = False, without: Set[str] = frozenset()
) -> tuple[ir.Program, tuple[Region, ...]]:
    """The program of a game, made ready to be written, and the regions of which masks are kept.

    `coverage`: it counts what it does. `whole`: only whole games are played, and nobody looks at a
    position in between.
    """
    floods = not coverage and "floods" not in without
    program = lower(game, coverage, not coverage and not whole, floods=floods)
    if whole and "serial" not in without:
        program = unshadowed(serial(program))
    if not coverage and "tabled" not in without:
        program = tabled(program)
    program = copies(inlined(program))
    regions: tuple[Region, ...] = ()
    if coverage:
        return program, regions
    if "gathered" not in without:
        program = gathered(program)
    if "unrolled" not in without:
        program = unrolled(program)
    if "masks" not in without:
        found = list(families(game))
        runs = {(each.base, each.number) for each in found}
        program = masks(program, runs=runs)
        if "lockstep" not in without:
            program = lockstep(program, runs)
        regions = kept(program, found, Behind(program.size, program.frames).masks)
    if "unrolled" not in without:
        program = inlined(as_values(program))
    if "bounded" not in without:
        program = bounded(program)
    if "swept" not in without:
        program = swept(program)
    if "kept" not in without:
        program = kept_values(program)
    if "hoisted" not in without:
        program = hoisted(program)
    if "scans" not in without:
        program = scans(program)
    if "forwarded" not in without:
        program = replace(program, forwarded=True)
    return program, regions
