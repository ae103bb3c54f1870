"""Many plays that are stepped by one call, in machine code.

Assumes: what drives a program (`runs`); memories of plays one behind another.
Does: writes, in `ir` itself, what takes an action in one play and lets luck fall until somebody
decides; and the loops over plays, which begin the next game where one is over, and draw actions.
Leaves behind: a function `rr_step_many`. By play it writes who decides (-2 where a game is over),
which actions are legal and what a game that is over returned. With `again` the step that ends a
game begins the next; if that is over before anybody decides, the step after begins it once more. It
gives how many plays went wrong, or, before it does anything, -1 less the first play whose action is
not legal. And `rr_sample_many`, which draws one of the legal actions of each play.

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
        return [self._settle(), self._step(), self._open(), self._loop(), *self._sample()]

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

    @property
    def _lone(self) -> str:
        return f", i64 {self.program.base}" if self.target.framed else ""

    def _open(self) -> str:
        """Begin a game, and settle: how that was."""
        sums = self.places.offset + 8 * self.places.sums
        return f"""
define internal i64 @open(ptr %s, ptr %start, i64 %bytes, i64 %key, i64 %number, i64 %signal) {{
  call void @llvm.memcpy.p0.p0.i64(ptr %s, ptr %start, i64 %bytes, i1 false)
  %s0 = getelementptr i8, ptr %s, i64 {sums}
  call void @llvm.memset.p0.i64(ptr %s0, i8 0, i64 {8 * SUMS}, i1 false)
  call void @begin(ptr %s, i64 %key, i64 %number, i64 0)
  %begun = call i64 @"f.settle"(ptr %s{self._lone}, i64 %signal)
  ret i64 %begun
}}"""

    def _loop(self) -> str:
        program, places = self.program, self.places
        sums = places.offset + 8 * places.sums
        rows, count = places.offset + 8 * places.rows, places.offset + 8 * places.count
        worth = "\n".join(self._worth())
        return f"""
define i64 @rr_step_many(ptr %plays, i64 %stride, i64 %many, ptr %actions, ptr %numbers, i64 %key,
                         ptr %start, i64 %bytes, i64 %signal, ptr %deciding, ptr %legal,
                         ptr %returns, i64 %unit, ptr %ends, ptr %how, i64 %again) {{
entry:
  br label %check
check:
  %c = phi i64 [0, %entry], [%c2, %right]
  %unseen = icmp slt i64 %c, %many
  br i1 %unseen, label %look, label %loop
look:
  %asks.p = getelementptr i64, ptr %deciding, i64 %c
  %asks = load i64, ptr %asks.p
  %idle = icmp slt i64 %asks, 0
  %given.p = getelementptr i64, ptr %actions, i64 %c
  %given = load i64, ptr %given.p
  %none = icmp eq i64 %given, {STAY}
  %any = or i1 %idle, %none
  %inside = icmp ult i64 %given, {self.actions}
  %safe = select i1 %inside, i64 %given, i64 0
  %line = mul i64 %c, {self.actions}
  %cell = add i64 %line, %safe
  %may.p = getelementptr i8, ptr %legal, i64 %cell
  %may = load i8, ptr %may.p
  %set = icmp ne i8 %may, 0
  %legal.one = and i1 %inside, %set
  %fine = or i1 %any, %legal.one
  br i1 %fine, label %right, label %refuse
right:
  %c2 = add i64 %c, 1
  br label %check
refuse:
  %which = sub i64 -1, %c
  ret i64 %which
loop:
  %i = phi i64 [0, %check], [%i2, %next]
  %wrong = phi i64 [0, %check], [%wrong2, %next]
  %more = icmp slt i64 %i, %many
  br i1 %more, label %play, label %back
play:
  %far = mul i64 %i, %stride
  %s = getelementptr i8, ptr %plays, i64 %far
  %s0 = getelementptr i8, ptr %s, i64 {sums}
  %who.p = getelementptr i64, ptr %s0, i64 {WHO}
  %whose = getelementptr i64, ptr %deciding, i64 %i
  %how.p = getelementptr i64, ptr %how, i64 %i
  %number.p = getelementptr i64, ptr %numbers, i64 %i
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
  %first = mul i64 %i, {program.players}
  %returns.p = getelementptr double, ptr %returns, i64 %first
  call void @llvm.memset.p0.i64(ptr %returns.p, i8 0, i64 {8 * program.players}, i1 false)
  %before = load i64, ptr %who.p
  %over = icmp slt i64 %before, 0
  br i1 %over, label %begin, label %go
begin:
  %number = load i64, ptr %number.p
  %number2 = add i64 %number, %many
  store i64 %number2, ptr %number.p
  %begun = call i64 @open(ptr %s, ptr %start, i64 %bytes, i64 %key, i64 %number, i64 %signal)
  br label %stands
go:
  %gone = call i64 @"f.step"(ptr %s{self._lone}, i64 %action)
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
{worth}
paid:
  %goes.on = icmp ne i64 %again, 0
  br i1 %goes.on, label %anew, label %rest
anew:
  %number3 = load i64, ptr %number.p
  %fresh = call i64 @open(ptr %s, ptr %start, i64 %bytes, i64 %key, i64 %number3, i64 %signal)
  %starts = icmp eq i64 %fresh, {PAUSED}
  br i1 %starts, label %kept, label %rest
kept:
  %number4 = add i64 %number3, %many
  store i64 %number4, ptr %number.p
  br label %decides
lost:
  br label %rest
rest:
  %worse = phi i64 [0, %paid], [0, %anew], [1, %lost]
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

    def _worth(self) -> list[str]:
        """What a game returned, of its rows: parts of `%unit`; at 0 what the winners share.

        Below 0 only the reference works it out, of the slots that are put aside.
        """
        players, width = range(self.program.players), 2 + self.program.lines
        slots = self.program.size * self.target.cell_bytes
        text = [
            "  switch i64 %unit, label %parts [i64 0, label %shares]",
            "parts:",
            "  %known = icmp sgt i64 %unit, 0",
            "  br i1 %known, label %told, label %aside",
            "aside:",
            f"  %end.far = mul i64 %i, {slots}",
            "  %end.p = getelementptr i8, ptr %ends, i64 %end.far",
            f"  call void @llvm.memcpy.p0.p0.i64(ptr %end.p, ptr %s, i64 {slots}, i1 false)",
            "  br label %paid",
            "told:",
            "  %whole = sitofp i64 %unit to double",
        ]
        for p in players:
            text += [
                f"  %worth.p{p} = getelementptr i64, ptr %judged, i64 {p * width + 2}",
                f"  %worth{p} = load i64, ptr %worth.p{p}",
                f"  %over{p} = sitofp i64 %worth{p} to double",
                f"  %return{p} = fdiv double %over{p}, %whole",
                f"  %return.p{p} = getelementptr double, ptr %returns.p, i64 {p}",
                f"  store double %return{p}, ptr %return.p{p}",
            ]
        text += ["  br label %paid", "shares:", "  %winners0 = add i64 0, 0"]
        for p in players:
            text += [
                f"  %won.p{p} = getelementptr i64, ptr %judged, i64 {p * width + 1}",
                f"  %win{p} = load i64, ptr %won.p{p}",
                f"  %won{p} = icmp ne i64 %win{p}, 0",
                f"  %one{p} = zext i1 %won{p} to i64",
                f"  %winners{p + 1} = add i64 %winners{p}, %one{p}",
            ]
        winners, many = f"%winners{len(players)}", len(players)
        # As the reference has it: winners share 1, the others -1; all or none is 0.
        text += [
            f"  %nobody = icmp eq i64 {winners}, 0",
            f"  %everybody = icmp eq i64 {winners}, {many}",
            "  %alike = or i1 %nobody, %everybody",
            "  br i1 %alike, label %paid, label %shared",
            "shared:",
            f"  %losers = sub i64 {many}, {winners}",
            f"  %winners.d = sitofp i64 {winners} to double",
            "  %losers.d = sitofp i64 %losers to double",
            "  %gain = fdiv double 1.0, %winners.d",
            "  %loss = fdiv double -1.0, %losers.d",
        ]
        for p in players:
            text += [
                f"  %share{p} = select i1 %won{p}, double %gain, double %loss",
                f"  %share.p{p} = getelementptr double, ptr %returns.p, i64 {p}",
                f"  store double %share{p}, ptr %share.p{p}",
            ]
        return [*text, "  br label %paid"]

    def _sample(self) -> list[str]:
        """Draws an action of each play, of eight marks at a time; 0 where there are none.

        Of the sums of marks up to each of eight, as many as are no more than what is drawn stand
        before the mark that is meant.
        """
        eights, rest = divmod(self.actions, 8)
        ones, tops = 0x0101010101010101, 0x80 * 0x0101010101010101 - (1 << 64)
        last = (
            f"""
  %part = load i{8 * rest}, ptr %at
  %found = zext i{8 * rest} %part to i64
  ret i64 %found"""
            if rest
            else "\n  unreachable"
        )
        marks = f"""
define internal i64 @marks(ptr %row, i64 %word) {{
entry:
  %far = mul i64 %word, 8
  %at = getelementptr i8, ptr %row, i64 %far
  %full = icmp slt i64 %word, {eights}
  br i1 %full, label %all, label %some
all:
  %eight = load i64, ptr %at
  ret i64 %eight
some:{last}
}}"""
        words = eights + bool(rest)
        draws = f"""
define i64 @rr_sample_many(ptr %legal, i64 %many, ptr %luck, ptr %out) {{
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%i2, %drawn]
  %more = icmp slt i64 %i, %many
  br i1 %more, label %play, label %back
play:
  %far = mul i64 %i, {self.actions}
  %row = getelementptr i8, ptr %legal, i64 %far
  br label %count
count:
  %w = phi i64 [0, %play], [%w2, %counting]
  %sum = phi i64 [0, %play], [%sum2, %counting]
  %uncounted = icmp slt i64 %w, {words}
  br i1 %uncounted, label %counting, label %counted
counting:
  %eight = call i64 @marks(ptr %row, i64 %w)
  %set = call i64 @llvm.ctpop.i64(i64 %eight)
  %sum2 = add i64 %sum, %set
  %w2 = add i64 %w, 1
  br label %count
counted:
  %none = icmp eq i64 %sum, 0
  br i1 %none, label %drawn, label %draw
draw:
  %k0 = call i64 @draw(ptr %luck, i64 %sum)
  br label %seek
seek:
  %v = phi i64 [0, %draw], [%v2, %beyond]
  %k = phi i64 [%k0, %draw], [%k2, %beyond]
  %these = call i64 @marks(ptr %row, i64 %v)
  %here = call i64 @llvm.ctpop.i64(i64 %these)
  %within = icmp slt i64 %k, %here
  br i1 %within, label %among, label %beyond
beyond:
  %k2 = sub i64 %k, %here
  %v2 = add i64 %v, 1
  br label %seek
among:
  %sums = mul i64 %these, {ones}
  %k8 = mul i64 %k, {ones}
  %most = or i64 %k8, {tops}
  %less = sub i64 %most, %sums
  %flags = and i64 %less, {tops}
  %before = call i64 @llvm.ctpop.i64(i64 %flags)
  %first = mul i64 %v, 8
  %meant = add i64 %first, %before
  br label %drawn
drawn:
  %action = phi i64 [0, %counted], [%meant, %among]
  %out.p = getelementptr i64, ptr %out, i64 %i
  store i64 %action, ptr %out.p
  %i2 = add i64 %i, 1
  br label %loop
back:
  ret i64 0
}}"""
        return [marks, draws]
