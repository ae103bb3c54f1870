"""Many plays that are stepped by one call, in machine code.

Assumes: what drives a program (`runs`); memories of plays one behind another.
Does: writes, in `ir` itself, what takes an action in one play and lets luck fall until somebody
decides; and the loop over plays, which begins the next game where one is over.
Leaves behind: a function `rr_step_many`. By play it writes who decides (-2 where a game is over)
and which actions are legal, and of games that are over how they ended.

A game has a number and with it luck of its own: a play that is the `i`-th of `n` plays the games
`i`, `i + n`, `i + 2 * n` and so on.
"""

from __future__ import annotations

from rulerun.compiled import ir
from rulerun.compiled.ir.statement import Body
from rulerun.compiled.ir.value import WORDS, Value
from rulerun.compiled.lower.builder import binary, const, plus, times
from rulerun.compiled.native.llvm import Code
from rulerun.compiled.native.memory import SPENT, Rows, Target
from rulerun.compiled.native.plan import (
    ENDED,
    ENDLESS,
    FALLS,
    PAUSED,
    REFUSED,
    STAY,
    STAYED,
    SUMS,
    Places,
)
from rulerun.runtime.luck_bound import MOST_FALLS
from rulerun.runtime.signals import OVER

FRAME, AT, WHO = range(3)
"""Which of the sums of a play hold where it stands: the control stack, the instruction, who."""


class Many:
    """Writes what steps many plays of one program."""

    def __init__(
        self, target: Target, places: Places, actions: int, next_: Body, falls: Body
    ) -> None:
        """`next_` finds `frame`, `at` and `who`; `falls` a `row` of luck."""
        self.target = target
        self.program = target.program
        self.places = places
        self.actions = actions
        self.next, self.falls = next_, falls

    def text(self) -> list[str]:
        """The functions."""
        return [self._settle(), self._step(), self._loop()]

    def _sum(self, which: int) -> ir.Const:
        return const(WORDS + self.places.sums + which)

    def _take(self) -> Body:
        """Go on with a row: `signal`."""
        framed = self.target.framed
        running: Value = ir.Var("b") if framed else const(self.program.base)
        spent = ir.StoreSlot(const(WORDS + SPENT), const(0))
        return (
            *((spent,) if self.program.evaluations else ()),
            ir.Assign("to", ir.Call("take.row", (ir.Var("at"), ir.Var("row")))),
            ir.StoreSlot(running, const(0)),
            ir.Assign("signal", ir.Call("advance", (ir.Var("frame"), ir.Var("to")))),
        )

    def _settle(self) -> str:
        """Let luck fall until somebody decides, or the game is over: how that was."""
        code = Code(self.target, "settle", ("signal",))
        count = code.word(self.places.count)
        code.rows["lots"] = Rows(code.word(self.places.rows), count, 3, 1 << 40)
        decides: Body = (
            *(
                ir.StoreSlot(self._sum(at), ir.Var(name))
                for at, name in ((FRAME, "frame"), (AT, "at"), (WHO, "who"))
            ),
            ir.Return(const(PAUSED)),
        )
        fallen = self._sum(FALLS)
        loop: Body = (
            ir.If(binary("==", ir.Var("signal"), OVER), (ir.Return(const(ENDED)),)),
            *self.next,
            ir.If(binary(">=", ir.Var("who"), 0), decides),
            ir.Assign("many", ir.Slot(const(WORDS + self.places.count))),
            ir.If(binary(">=", ir.Slot(fallen), MOST_FALLS), (ir.Return(const(ENDLESS)),)),
            ir.Add(fallen, const(1)),
            *self.falls,
            *self._take(),
        )
        start: Body = ()
        if self.target.framed:
            start = (ir.Assign("b", const(self.program.base)),)
        code.body((*start, ir.While(const(1), loop), ir.Fail()))
        return code.finished()

    def _step(self) -> str:
        """Take an action, and settle: how that was."""
        code = Code(self.target, "step", ("action",))
        large = code.alloca("i64")
        code.line(f"store i64 {1 << 40}, ptr {large}")
        code.rows["listed"] = Rows(code.word(self.places.rows), large, 1, 1 << 40)
        one, at = ir.Var("i"), ir.Var("at")
        action = ir.RowGet("listed", binary("*", one, ir.Var("width")), 0)
        found: Body = (ir.Assign("row", one), ir.Break())
        seek: Body = (ir.If(binary("==", action, ir.Var("action")), found),)
        here: Body = ()
        if self.target.framed:
            start = plus(times(ir.Var("frame"), self.program.frame), self.program.base)
            here = (ir.Assign("b", start),)
        code.body(
            (
                ir.Assign("frame", ir.Slot(self._sum(FRAME))),
                ir.Assign("at", ir.Slot(self._sum(AT))),
                *here,
                ir.Assign("width", ir.TableLoad("WIDTH.AT", at)),
                ir.Assign("row", const(-1)),
                ir.For("i", const(0), ir.Slot(const(WORDS + self.places.count)), seek),
                ir.If(binary("<", ir.Var("row"), 0), (ir.Return(const(REFUSED)),)),
                ir.StoreSlot(self._sum(FALLS), const(0)),
                *self._take(),
                ir.Return(ir.Call("settle", (ir.Var("signal"),))),
            )
        )
        return code.finished()

    def _loop(self) -> str:
        program, places = self.program, self.places
        lone = f", i64 {program.base}" if self.target.framed else ""
        sums = places.offset + 8 * places.sums
        rows, count = places.offset + 8 * places.rows, places.offset + 8 * places.count
        ends = program.players * (2 + program.lines)
        return f"""
define i64 @rr_step_many(ptr %plays, i64 %stride, i64 %many, ptr %actions, ptr %numbers, i64 %key,
                         ptr %start, i64 %bytes, i64 %signal, ptr %deciding, ptr %legal, ptr %ends,
                         ptr %how) {{
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%i2, %next]
  %wrong = phi i64 [0, %entry], [%wrong2, %next]
  %more = icmp slt i64 %i, %many
  br i1 %more, label %play, label %back
play:
  %far = mul i64 %i, %stride
  %s = getelementptr i8, ptr %plays, i64 %far
  %s0 = getelementptr i8, ptr %s, i64 {sums}
  %who.p = getelementptr i64, ptr %s0, i64 {WHO}
  %whose = getelementptr i64, ptr %deciding, i64 %i
  %how.p = getelementptr i64, ptr %how, i64 %i
  %marks = mul i64 %i, {self.actions}
  %mask = getelementptr i8, ptr %legal, i64 %marks
  %action.p = getelementptr i64, ptr %actions, i64 %i
  %action = load i64, ptr %action.p
  %stays = icmp eq i64 %action, {STAY}
  br i1 %stays, label %stay, label %moves
stay:
  store i64 {STAYED}, ptr %how.p
  br label %next
moves:
  %before = load i64, ptr %who.p
  %over = icmp slt i64 %before, 0
  br i1 %over, label %begin, label %go
begin:
  call void @llvm.memcpy.p0.p0.i64(ptr %s, ptr %start, i64 %bytes, i1 false)
  call void @llvm.memset.p0.i64(ptr %s0, i8 0, i64 {8 * SUMS}, i1 false)
  %number.p = getelementptr i64, ptr %numbers, i64 %i
  %number = load i64, ptr %number.p
  call void @begin(ptr %s, i64 %key, i64 %number, i64 0)
  %number2 = add i64 %number, %many
  store i64 %number2, ptr %number.p
  %begun = call i64 @"f.settle"(ptr %s{lone}, i64 %signal)
  br label %stands
go:
  %gone = call i64 @"f.step"(ptr %s{lone}, i64 %action)
  br label %stands
stands:
  %end = phi i64 [%begun, %begin], [%gone, %go]
  store i64 %end, ptr %how.p
  switch i64 %end, label %lost [i64 {PAUSED}, label %decides
                                i64 {ENDED}, label %ended
                                i64 {REFUSED}, label %bad]
decides:
  %who = load i64, ptr %who.p
  store i64 %who, ptr %whose
  call void @llvm.memset.p0.i64(ptr %mask, i8 0, i64 {self.actions}, i1 false)
  %at.p = getelementptr i64, ptr %s0, i64 {AT}
  %at = load i64, ptr %at.p
  %width.p = getelementptr i64, ptr @WIDTH.AT, i64 %at
  %width = load i64, ptr %width.p
  %count.p = getelementptr i8, ptr %s, i64 {count}
  %listed = load i64, ptr %count.p
  %rows = getelementptr i8, ptr %s, i64 {rows}
  br label %mark
mark:
  %j = phi i64 [0, %decides], [%j2, %marking]
  %some = icmp slt i64 %j, %listed
  br i1 %some, label %marking, label %next
marking:
  %place = mul i64 %j, %width
  %one.p = getelementptr i64, ptr %rows, i64 %place
  %one = load i64, ptr %one.p
  %bit = getelementptr i8, ptr %mask, i64 %one
  store i8 1, ptr %bit
  %j2 = add i64 %j, 1
  br label %mark
ended:
  %judged = getelementptr i8, ptr %s, i64 {rows}
  %out = mul i64 %i, {ends}
  %ends.p = getelementptr i64, ptr %ends, i64 %out
  call void @llvm.memcpy.p0.p0.i64(ptr %ends.p, ptr %judged, i64 {8 * ends}, i1 false)
  br label %rest
lost:
  br label %rest
rest:
  %worse = phi i64 [0, %ended], [1, %lost]
  store i64 -2, ptr %who.p
  store i64 -2, ptr %whose
  call void @llvm.memset.p0.i64(ptr %mask, i8 0, i64 {self.actions}, i1 false)
  br label %next
bad:
  br label %next
next:
  %more.wrong = phi i64 [0, %stay], [0, %mark], [%worse, %rest], [1, %bad]
  %wrong2 = add i64 %wrong, %more.wrong
  %i2 = add i64 %i, 1
  br label %loop
back:
  ret i64 %wrong
}}"""
