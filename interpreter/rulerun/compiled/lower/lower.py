"""From a game to a program.

Assumes: a checked `Game`.
Does: lowers every instruction, question and chance of it, the scoring, and the order of copies.
Leaves behind: a `Program`. A construct for which there is no lowering raises `Unsupported`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from rulerun.compiled import ir
from rulerun.compiled.ir.passes import inside_out
from rulerun.compiled.lower.builder import WIDEST, Builder, plus
from rulerun.compiled.lower.evaluate import Expressions
from rulerun.compiled.lower.machine import Instructions
from rulerun.compiled.lower.scoring import Scoring
from rulerun.runtime.batch import arms
from rulerun_dsl.model import Game


def lower(
    game: Game,
    coverage: bool = False,
    observed: bool = True,
    any_size: bool = True,
    widest: int = WIDEST,
    floods: bool = False,
) -> ir.Program:
    """The program of a game; with `coverage` it counts what it does.

    Without `observed` nothing is kept that only observers look at: what players know of what they
    do not see. No rule reads it, so a game goes the same way.
    Without `any_size` a slot has 64 bits, and a set that needs more of them takes several; what
    searches and masks work with at once is one number, of `widest` bits at most.
    `floods`: searches over boards visit all sites of one distance at once; so they do without
    `any_size`.
    """
    builder = Builder(game, coverage, observed, any_size, widest, floods or not any_size)
    instructions = Instructions(Expressions(builder))
    scoring = Scoring(instructions)
    blocks = instructions.blocks()
    judge = scoring.judge()
    canonical = builder.body_of(scoring.canonical)
    restart = builder.body_of(instructions.stack.restart_all)
    layout = builder.layout
    functions, questions = [*builder.functions.values()], builder.questions
    if builder.spread.wide:
        whole = partial(_whole, builder)
        functions = [replace(each, body=whole(each.body)) for each in functions]
        blocks = tuple(replace(each, body=whole(each.body)) for each in blocks)
        questions = [replace(each, settle=whole(each.settle)) for each in questions]
    supposed: tuple[int, ...] = ()
    if builder.supposed:
        # Behind the code stands where it ends.
        end = len(game.code)
        supposed = (*sorted(builder.supposed), end)
        blocks = (
            *blocks,
            ir.Block(end, (ir.Signal("supposed", end),), "what was supposed has run"),
        )
    return ir.Program(
        name=game.name,
        fingerprint=game.fingerprint,
        size=layout.size,
        base=layout.base,
        frame=layout.frame,
        frames=layout.frames,
        players=len(game.players),
        functions=tuple(functions),
        listers=tuple(_remembering(builder, (*builder.listers.values(), judge))),
        blocks=blocks,
        questions=tuple(questions),
        togethers=tuple(builder.togethers),
        tables=tuple((name, values) for values, name in builder.tables_made.items()),
        lists=tuple((name, values) for values, name in builder.lists_made.items()),
        entry=game.procedures[0].entry,
        begin=tuple(_beginning(builder)),
        live=layout.live,
        shadow=layout.shadow,
        rest=layout.queue,
        restart=restart,
        lines=len(game.scoring.lines),
        judge=judge,
        returns_may_fail=scoring.returns_may_fail(),
        canonical=canonical,
        steps=game.steps,
        decisions=game.decisions,
        counters=len(game.code) + len(arms(game)) + len(game.functions) if coverage else 0,
        evaluations=builder.effort.budget if builder.effort.counted else 0,
        supposed=supposed,
        wide=builder.wide,
    )


def _whole(builder: Builder, body: ir.Body) -> ir.Body:
    """Statements that write slots of frames whole.

    Where a name of several slots ends, another may begin, which writes only the first of them.
    """
    several = {builder.local(at): many for at, many in builder.spread.in_frames.items()}

    def change(statement: ir.Statement) -> ir.Body:
        match statement:
            case ir.StoreSlot(address, _) if many := several.get(address):
                rest = (ir.StoreSlot(plus(address, at), ir.Const(0)) for at in range(1, many))
                return (*rest, statement)
            case _:
                return (statement,)

    return inside_out(body, change)


def _remembering(builder: Builder, listers: tuple[ir.Lister, ...]) -> Iterator[ir.Lister]:
    """The listers, those noted that come to a function that searches."""
    searching = {name for name, function in builder.functions.items() if function.remembered}
    if not searching:
        yield from listers
        return
    calls = {name: _called(function.body) for name, function in builder.functions.items()}
    while more := {name for name in calls if calls[name] & searching} - searching:
        searching |= more
    for lister in listers:
        yield replace(lister, remembers=bool(_called(lister.body) & searching))


def _called(body: ir.Body) -> set[str]:
    """The functions that are called directly."""
    found: set[str] = set()
    waiting: list[object] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ir.Call):
            found.add(node.function)
        waiting.extend(ir.inside(node))
    return found


def _beginning(builder: Builder) -> list[int]:
    """The vector before set-up: everything at its start."""
    slots = [0] * builder.layout.size
    for table in builder.tables.variables.values():
        values = builder.starting(table)
        slots[table.base : table.base + len(values)] = values
    builder.components.place_at_start(slots)
    return slots
