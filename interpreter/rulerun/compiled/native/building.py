"""From a game to machine code.

Assumes: a checked `Game` for which there is a lowering; the package llvmlite.
Does: lowers the game, applies the passes of machine code, writes the module.
Leaves behind: a `Draft`, of which machine code is made: the program, the plan, the text of the
module. What does not fit raises `Unsupported`.
"""

from __future__ import annotations

from rulerun.compiled import ir
from rulerun.compiled.ir import passes
from rulerun.compiled.ir.cloning import cloned
from rulerun.compiled.ir.copies import copies
from rulerun.compiled.ir.gathering import gathered
from rulerun.compiled.ir.inlining import inlined
from rulerun.compiled.ir.masks import masks
from rulerun.compiled.ir.picking import picked
from rulerun.compiled.ir.sampling import sampled
from rulerun.compiled.ir.serial import serial
from rulerun.compiled.ir.stopping import stopping
from rulerun.compiled.ir.tabling import tabled
from rulerun.compiled.lower.builder import WIDEST
from rulerun.compiled.lower.lower import lower
from rulerun.compiled.lower.scoring import counts_returns
from rulerun.compiled.lower.spreading import spread
from rulerun.compiled.native import builtin
from rulerun.compiled.native.fitting import alone_in, bounds_of, check, ranges_of, regions_of
from rulerun.compiled.native.held_slots import Held, held_by
from rulerun.compiled.native.loaded_code import NativePlay
from rulerun.compiled.native.memory import narrowest, target_of
from rulerun.compiled.native.objects import deposits, library, tiers
from rulerun.compiled.native.plan import Plan
from rulerun.compiled.native.runs import module, places_of
from rulerun.compiled.native.threaded import LONGEST, effort_of
from rulerun.compiled.native.tree_layout import Worth
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen

PASSES = (
    "unobserved",
    "serial",
    "wide",
    "tabled",
    "inlined",
    "copies",
    "gathered",
    "masks",
    "ways",
    "related",
    "stopping",
    "regions",
    "picked",
    "sampled",
    "unshadowed",
    "cloned",
    "threaded",
    "held",
    "pure",
    "guards",
)
"""What a draft can leave out, to measure what it gains or costs."""


@frozen
class Draft:
    """What machine code is made of."""

    program: ir.Program
    plan: Plan
    text: str

    def play(self, quick: bool = False) -> NativePlay:
        """The machine code; `quick`: if it is not in the cache, code that is there at once."""
        return NativePlay(self.plan, tiers(library(), self.text, quick))


def draft(
    game: Game,
    coverage: bool = False,
    counted: bool = False,
    whole: bool = False,
    stepped: bool = False,
    without: frozenset[str] = frozenset(),
    worth: Worth | None = None,
    many: bool = False,
) -> Draft:
    """Write the module of a game. Raises `Unsupported` and `Missing`.

    `coverage`, `counted`: count instructions, actions. `whole`: only whole games are played.
    `stepped`: with the methods of a builtin type (`builtin`).
    `without`: what to leave out to measure it, of `PASSES`. `worth`: with a tree search
    (`searching`). `many`: with what steps many plays at once (`many`).
    """
    llvm = library()
    observed, widest = not whole or "unobserved" in without, 0 if "wide" in without else WIDEST
    program = lower(game, coverage, observed, any_size=False, widest=widest)
    check(game, program)
    laid = spread(game).game
    actions = game.number_of_actions
    if whole and not without & {"serial", "unobserved", "unshadowed"}:
        program = serial(program)
    if "tabled" not in without:
        program = tabled(program)
    if "inlined" not in without:
        program = inlined(program)
    if "copies" not in without:
        program = copies(program)
    if "gathered" not in without:
        program = gathered(program)
    if "masks" not in without:
        ranges = None if "related" in without else ranges_of(laid)
        program = masks(program, "ways" not in without, ranges=ranges)
    if "stopping" not in without:
        program = stopping(program)
    flat: frozenset[str] = frozenset()
    if whole and not counted and "sampled" not in without:
        program, flat = sampled(program if "picked" in without else picked(program))
    threads = whole and "threaded" not in without and effort_of(program) <= LONGEST
    if threads and "cloned" not in without:
        followed = set(held_by(program, ()).slots) & set(range(program.base, program.size))
        program, flat = cloned(program, flat, followed)
    # What players know after a `together` is worked out from the shadow.
    if whole and not without & {"unshadowed", "unobserved"}:
        program = passes.unshadowed(program)
    regions = regions_of(laid) if whole and "regions" not in without else ()
    # Narrow slots are for comparing many at once: where masks are kept, nothing is compared.
    bits = 64 if regions else narrowest(program, bounds_of(game))
    target = target_of(program, "guards" not in without, bits, "pure" not in without, regions)
    places = places_of(target, actions, counted)
    plan = Plan(
        program.size,
        bits,
        program.base,
        program.frame,
        program.frames,
        program.lines,
        program.counters,
        counts_returns(game),
        places,
        tuple((each.at, each.width) for each in program.questions),
    )
    held: Held | None = None
    if threads and not target.framed:
        held = Held() if "held" in without else held_by(program, alone_in(laid))
    text = module(target, actions, counted, flat, deposits(llvm), worth, many, held)
    if stepped:
        words = {"count": places.count, "rows": places.rows, "sums": places.sums}
        text += builtin.text(program, places.offset, words, plan.size, bits)
    return Draft(program, plan, text)
