"""What drives a program to its next rest: the opening and closing of a `together`, and the end.

Assumes: a program as its back end runs it. `ir.RUN` is the one thing that a back end writes itself:
it runs blocks from one on, and gives the signal with which the last of them ends.
Does: writes what `reference.executor` does with these signals.
Leaves behind: a body for a function of `b`, where the frame starts that runs (if the program has
several), and `at`, the block to go on at. It gives `REST` or `OVER`.
"""

from __future__ import annotations

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import FRAME, RUN
from rulerun.compiled.ir.program import Program, Together
from rulerun.compiled.ir.statement import Body
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.builder import binary, const, plus, times
from rulerun.runtime.play import RESULT, TOGETHER
from rulerun.runtime.signals import OPEN, OVER, PART_DONE, REST

_AT = ir.Var("at")
_SIGNAL = ir.Var("signal")
_START = ir.Var(FRAME)


def advance(program: Program) -> Body:
    """Run a control stack, and what follows, until all rest or the game is over."""
    run = ir.Assign("signal", ir.Call(RUN, (_AT,)))
    ended = ir.If(ir.Slot(const(RESULT)), _over(program))
    rest = ir.Return(const(REST))
    if program.frames == 1:
        return (run, ended, ir.If(binary("!=", _SIGNAL, REST), (ir.Fail(),)), rest)
    rounds: Body = (
        run,
        ended,
        ir.If(binary("==", _SIGNAL, REST), (rest,)),
        ir.If(binary("==", _SIGNAL, OPEN), _open(program), _done(program)),
        ir.If(_any_rests(program), (rest,)),
        *_close(program),
    )
    return (ir.While(const(1), rounds), ir.Fail())


def _over(program: Program) -> Body:
    """The game has ended: nothing is left of control stacks, waiting calls and shadow."""
    return (
        *program.restart,
        ir.Fill(const(program.rest), program.size - program.rest, 0),
        ir.StoreSlot(const(TOGETHER), const(0)),
        *((ir.Assign(FRAME, const(program.base)),) if program.frames > 1 else ()),
        # Scoring that fails stops the input that ends the game, not whoever asks later.
        ir.CallLister("verdict", "judge", 2 + program.lines),
        ir.Return(const(OVER)),
    )


def _done(program: Program) -> Body:
    """A part is done: its frame is cleared."""
    return (ir.Fill(_START, program.frame, 0),)


def _any_rests(program: Program) -> Value:
    """Whether some player's frame rests."""
    found: Value = const(0)
    for frame in range(1, program.frames):
        rests = binary("!=", ir.Slot(const(program.base + frame * program.frame)), 0)
        found = rests if found == const(0) else ir.Either(rests, found)
    return found


def _open(program: Program) -> Body:
    """Begin the `together` at which the game's stack rests; run each part to its rest."""
    opened = ir.Var("opened")
    which = (
        ir.If(binary("==", opened, each.at), _begin(program, each)) for each in program.togethers
    )
    return (ir.Assign("opened", plus(ir.Slot(const(program.base)), -1)), *which)


def _begin(program: Program, together: Together) -> Body:
    first, last = program.live
    player, mask = ir.Var("who"), ir.Var("parts")
    start = ir.Assign(FRAME, plus(times(plus(player, 1), program.frame), program.base))
    taken = ir.Assign("parts", binary("|", mask, binary("<<", const(1), player)))
    copied: Body = (
        start,
        ir.Copy(_START, const(program.base), program.frame),
        ir.StoreSlot(plus(_START, together.variable), player),
    )
    run: Body = (
        start,
        ir.StoreSlot(_START, const(0)),
        ir.Assign("signal", ir.Call(RUN, (const(together.body),))),
        ir.If(binary("==", _SIGNAL, PART_DONE), _done(program)),
    )
    return (
        ir.Assign(FRAME, const(program.base)),
        ir.CallLister("members", together.players, 1),
        ir.Copy(const(program.shadow), const(first), last - first),
        ir.StoreSlot(const(TOGETHER), const(1 + together.at)),
        ir.Assign("parts", const(0)),
        ir.EachRow(("who",), "members", (taken,)),
        ir.EachBit("who", mask, copied),
        ir.EachBit("who", mask, run),
    )


def _decided(together: Together) -> Body:
    """Set what is known, while the shadow stands."""
    if together.decided is None:
        return ()
    return (ir.Eval(ir.Call(together.decided, ())),)


def _close(program: Program) -> Body:
    """All parts are done: the game's stack goes on."""
    first, last = program.live
    opened = ir.Var("opened")
    onward = (
        ir.If(binary("==", opened, each.at), (*_decided(each), ir.Assign("at", const(each.done))))
        for each in program.togethers
    )
    return (
        ir.Assign("opened", plus(ir.Slot(const(TOGETHER)), -1)),
        *onward,
        ir.Fill(const(program.shadow), last - first, 0),
        ir.StoreSlot(const(TOGETHER), const(0)),
        ir.StoreSlot(const(program.base), const(0)),
        ir.Assign(FRAME, const(program.base)),
    )
