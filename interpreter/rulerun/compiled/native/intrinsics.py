"""Functions of LLVM IR that are written by hand.

Assumes: the layout of `memory` and the types of `llvm`.
Does: sorts rows, finds the n-th set bit, draws from a stream as `rng.Quick` does, counts
actions, and lets what is outside call what is inside.
Leaves behind: text.
"""

from __future__ import annotations

from collections.abc import Iterable

from rulerun.compiled.ir.program import Program
from rulerun.compiled.native.emit import STREAM, apart
from rulerun.compiled.native.memory import SPENT
from rulerun.compiled.native.plan import FAILED, INPUTS, PAUSE, PAUSED, SUMS, Places
from rulerun.runtime.rng import GOLDEN, STEP, STREAMS, TWIST
from rulerun.runtime.signals import OVER


def sort_function(width: int) -> str:
    """Rows by their numbers, the first column first: insertion, for they are few."""
    lines = [
        f"define internal void @sort.{width}(ptr %data, i64 %many) {{",
        "entry:",
        *(f"  %t{column} = alloca i64" for column in range(width)),
        "  br label %outer",
        "outer:",
        "  %i = phi i64 [1, %entry], [%i2, %placed]",
        "  %more = icmp slt i64 %i, %many",
        "  br i1 %more, label %take, label %done",
        "take:",
        f"  %from = mul i64 %i, {width}",
        "  %row = getelementptr i64, ptr %data, i64 %from",
    ]
    for column in range(width):
        lines += [
            f"  %g{column} = getelementptr i64, ptr %row, i64 {column}",
            f"  %x{column} = load i64, ptr %g{column}",
        ]
    lines += [
        "  br label %inner",
        "inner:",
        "  %j = phi i64 [%i, %take], [%k, %shift]",
        "  %some = icmp sgt i64 %j, 0",
        "  br i1 %some, label %look, label %placed",
        "look:",
        "  %k = sub i64 %j, 1",
        f"  %before = mul i64 %k, {width}",
        "  %other = getelementptr i64, ptr %data, i64 %before",
    ]
    for column in range(width):
        lines += [
            f"  %h{column} = getelementptr i64, ptr %other, i64 {column}",
            f"  %y{column} = load i64, ptr %h{column}",
        ]
    greater = "false"
    for column in reversed(range(width)):
        lines += [
            f"  %gt{column} = icmp sgt i64 %y{column}, %x{column}",
            f"  %eq{column} = icmp eq i64 %y{column}, %x{column}",
            f"  %and{column} = and i1 %eq{column}, {greater}",
            f"  %or{column} = or i1 %gt{column}, %and{column}",
        ]
        greater = f"%or{column}"
    lines += [f"  br i1 {greater}, label %shift, label %placed", "shift:"]
    lines += [f"  %to = mul i64 %j, {width}", "  %up = getelementptr i64, ptr %data, i64 %to"]
    for column in range(width):
        lines += [
            f"  %u{column} = getelementptr i64, ptr %up, i64 {column}",
            f"  store i64 %y{column}, ptr %u{column}",
        ]
    lines += ["  br label %inner", "placed:"]
    lines += [f"  %end = mul i64 %j, {width}", "  %here = getelementptr i64, ptr %data, i64 %end"]
    for column in range(width):
        lines += [
            f"  %w{column} = getelementptr i64, ptr %here, i64 {column}",
            f"  store i64 %x{column}, ptr %w{column}",
        ]
    lines += ["  %i2 = add i64 %i, 1", "  br label %outer", "done:", "  ret void", "}"]
    return "\n".join(lines)


_DEPOSITED = """
declare i64 @llvm.x86.bmi.pdep.64(i64, i64)
define internal i64 @nth(i64 %bits, i64 %below) nounwind willreturn memory(none) {
entry:
  %one = shl i64 1, %below
  %bit = call i64 @llvm.x86.bmi.pdep.64(i64 %one, i64 %bits)
  %place = call i64 @llvm.cttz.i64(i64 %bit, i1 false)
  ret i64 %place
}"""
"""The same where the processor deposits bits by itself."""


def _nth(deposits: bool) -> str:
    """The place of the n-th set bit: halves are counted, with no branch to foresee."""
    if deposits:
        return _DEPOSITED
    lines = [
        "define internal i64 @nth(i64 %b64, i64 %n64) nounwind willreturn memory(none) {",
        "entry:",
    ]
    bits, left, place = "%b64", "%n64", "0"
    for half in (32, 16, 8, 4, 2, 1):
        lines += [
            f"  %low{half} = and i64 {bits}, {(1 << half) - 1}",
            f"  %many{half} = call i64 @llvm.ctpop.i64(i64 %low{half})",
            f"  %up{half} = icmp uge i64 {left}, %many{half}",
            f"  %shift{half} = select i1 %up{half}, i64 {half}, i64 0",
            f"  %less{half} = select i1 %up{half}, i64 %many{half}, i64 0",
            f"  %b{half} = lshr i64 {bits}, %shift{half}",
            f"  %n{half} = sub i64 {left}, %less{half}",
            f"  %p{half} = add i64 {place}, %shift{half}",
        ]
        bits, left, place = f"%b{half}", f"%n{half}", f"%p{half}"
    return "\n".join([*lines, f"  ret i64 {place}", "}"])


def declarations(deposits: bool) -> Iterable[str]:
    """The intrinsics that are used; `deposits`: the processor has `pdep`."""
    return (
        _nth(deposits),
        "declare i64 @llvm.ctpop.i64(i64)",
        "declare i64 @llvm.cttz.i64(i64, i1)",
        "declare i64 @llvm.ctlz.i64(i64, i1)",
        *(
            f"declare {cell} @llvm.vector.reduce.add.v{wide}{cell}(<{wide} x {cell}>)"
            for cell in ("i32", "i64")
            for wide in (4, 8, 16, 32, 64)
        ),
        "declare i64 @llvm.smin.i64(i64, i64)",
        "declare i64 @llvm.smax.i64(i64, i64)",
        "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
        "declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)",
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
    )


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def luck(places: Places, b: str) -> str:
    """Draw from a stream, and begin one.

    Of one alone nothing is drawn: the stream stands still, and whatever number there is becomes 0.
    """
    return f"""
define internal i64 @"f.draw"(ptr noalias %s, {b}i64 %stream, i64 %bound) {{
  %w = getelementptr i8, ptr %s, i64 {places.offset}
  %at = add i64 %stream, {places.streams}
  %p = getelementptr i64, ptr %w, i64 %at
  %found = call i64 @draw(ptr %p, i64 %bound)
  ret i64 %found
}}
define internal i64 @draw(ptr %p, i64 %bound) {{
entry:
  %old = load i64, ptr %p{apart(STREAM)}
  %next = add i64 %old, {_signed(STEP)}
  %alone = icmp ult i64 %bound, 2
  %new = select i1 %alone, i64 %old, i64 %next
  store i64 %new, ptr %p{apart(STREAM)}
  %other = xor i64 %next, {_signed(TWIST)}
  %a = zext i64 %next to i128
  %c = zext i64 %other to i128
  %m = mul i128 %a, %c
  %hi = lshr i128 %m, 64
  %x = xor i128 %m, %hi
  %word = trunc i128 %x to i64
  %wide = zext i64 %word to i128
  %n = zext i64 %bound to i128
  %r = mul i128 %wide, %n
  %top = lshr i128 %r, 64
  %found = trunc i128 %top to i64
  ret i64 %found
}}
define internal void @begin(ptr noalias %s, i64 %key, i64 %game, i64 %stream) {{
entry:
  %g = mul i64 %game, {STREAMS}
  %gs = add i64 %g, %stream
  %gs1 = add i64 %gs, 1
  %far = mul i64 %gs1, {_signed(GOLDEN)}
  %s0 = add i64 %key, %far
  %h0 = lshr i64 %s0, 30
  %x0 = xor i64 %s0, %h0
  %s1 = mul i64 %x0, {_signed(0xBF58476D1CE4E5B9)}
  %h1 = lshr i64 %s1, 27
  %x1 = xor i64 %s1, %h1
  %s2 = mul i64 %x1, {_signed(0x94D049BB133111EB)}
  %h2 = lshr i64 %s2, 31
  %s3 = xor i64 %s2, %h2
  %w = getelementptr i8, ptr %s, i64 {places.offset}
  %at = add i64 %stream, {places.streams}
  %p = getelementptr i64, ptr %w, i64 %at
  store i64 %s3, ptr %p
  ret void
}}"""


def note(places: Places, actions: int, b: str, program: Program) -> str:
    """Count what was legal and what was taken."""
    widths = {each.at: each.width for each in program.questions if not each.chance}
    cases = " ".join(f"i64 {at}, label %w{width}" for at, width in widths.items())
    kinds = sorted(set(widths.values())) or [2]
    blocks = "\n".join(f"w{width}:\n  br label %go" for width in kinds)
    phis = ", ".join(f"[{width}, %w{width}]" for width in kinds)
    return f"""
define internal i64 @"f.note"(ptr noalias %s, {b}i64 %at, i64 %many, i64 %row) {{
entry:
  %w = getelementptr i8, ptr %s, i64 {places.offset}
  switch i64 %at, label %w{kinds[0]} [{cases}]
{blocks}
go:
  %width = phi i64 {phis}
  br label %loop
loop:
  %i = phi i64 [0, %go], [%i2, %loop]
  %from = mul i64 %i, %width
  %place = add i64 %from, {places.rows}
  %p = getelementptr i64, ptr %w, i64 %place
  %action = load i64, ptr %p
  %q0 = add i64 %action, {places.actions}
  %q = getelementptr i64, ptr %w, i64 %q0
  %old = load i64, ptr %q
  %new = add i64 %old, 1
  store i64 %new, ptr %q
  %mine = icmp eq i64 %i, %row
  %once = zext i1 %mine to i64
  %t0 = add i64 %q0, {actions}
  %t = getelementptr i64, ptr %w, i64 %t0
  %told = load i64, ptr %t
  %tnew = add i64 %told, %once
  store i64 %tnew, ptr %t
  %i2 = add i64 %i, 1
  %more = icmp slt i64 %i2, %many
  br i1 %more, label %loop, label %done
done:
  ret i64 0
}}"""


def _anew(program: Program, places: Places) -> str:
    """What is spent begins with an input."""
    if not program.evaluations:
        return ""
    spent = places.offset + 8 * SPENT
    return f"  %spent = getelementptr i8, ptr %s, i64 {spent}\n  store i64 0, ptr %spent\n"


def step_by_step(program: Program, places: Places, base: str, given: str, cell: int) -> str:
    """What is called from outside to play input by input."""
    framed = bool(base)
    lone = f", {given}" if framed else ""
    anew = _anew(program, places)
    return f"""
define i64 @rr_take(ptr noalias %s, i64 %frame, i64 %at, i64 %row) {{
entry:
{anew}  %far = mul i64 %frame, {program.frame}
  %b = add i64 %far, {program.base}
  %to = call i64 @"f.take.row"(ptr %s, {"i64 %b, " if framed else ""}i64 %at, i64 %row)
  %bad = icmp eq i64 %to, {FAILED}
  br i1 %bad, label %no, label %yes
no:
  ret i64 {FAILED}
yes:
  %p = getelementptr i{cell}, ptr %s, i64 %b
  store i{cell} 0, ptr %p
  %r = call i64 @"f.advance"(ptr %s, {base}i64 %frame, i64 %to)
  ret i64 %r
}}
define i64 @rr_list(ptr noalias %s, i64 %frame, i64 %at) {{
entry:
{anew}  %far = mul i64 %frame, {program.frame}
  %b = add i64 %far, {program.base}
  %r = call i64 @"f.list.at"(ptr %s, {"i64 %b, " if framed else ""}i64 %at)
  ret i64 %r
}}
define i64 @rr_who(ptr noalias %s, i64 %frame, i64 %at) {{
entry:
{anew}  %far = mul i64 %frame, {program.frame}
  %b = add i64 %far, {program.base}
  %r = call i64 @"f.who.at"(ptr %s, {"i64 %b, " if framed else ""}i64 %at)
  ret i64 %r
}}
define i64 @rr_tidy(ptr noalias %s) {{
entry:
{anew}  %r = call i64 @"f.tidy"(ptr %s{lone})
  ret i64 %r
}}
define i64 @rr_judge(ptr noalias %s) {{
entry:
{anew}  %rows = getelementptr i8, ptr %s, i64 {places.offset + 8 * places.rows}
  %r = call i64 @"f.judge"(ptr %s{lone}, ptr %rows)
  ret i64 %r
}}"""


def outside(
    program: Program,
    places: Places,
    base: str,
    given: str,
    cell: int,
    rows: bool,
    end: int | None = None,
) -> str:
    """What is called from outside.

    `rr_batch` plays games on from the number `done` and gives how many are done then; with some
    left it wants to be called again, once more with what it left in `sums`: the first signal,
    decisions and inputs of the games that ended, whether a game is half played, how many did not
    come to their end, and how often each set of winners won. `rows`: what was listed at the first
    rest is looked at there; where a game is over before, how it ended is. `end`: so many slots are
    looked at (`held_slots`).
    """
    players, width = program.players, 2 + program.lines
    lone = f", {given}" if base else ""
    bytes_, anew = cell // 8 * program.size, _anew(program, places)
    begun = bytes_ if end is None else cell // 8 * end
    before = places.offset + 8 * places.rows
    over = f"%over = icmp eq i64 %signal0, {OVER}\n  br i1 %over, label %listed, label %fresh"
    looked = "br label %listed" if rows else over
    return f"""
define i64 @rr_start(ptr noalias %s) {{
entry:
{anew}  call void @llvm.memcpy.p0.p0.i64(ptr %s, ptr @BEGIN, i64 {bytes_}, i1 false)
  %m = call i64 @"f.rebuild"(ptr %s{lone})
  %r = call i64 @"f.advance"(ptr %s, {base}i64 0, i64 {program.entry})
  ret i64 %r
}}
define i64 @rr_batch(ptr noalias %s, ptr noalias %start, i64 %bytes, i64 %key, i64 %first,
                     i64 %done, i64 %many, ptr %out, i64 %step, ptr noalias %sums, i64 %inputs) {{
entry:
  %signal0 = load i64, ptr %sums
  %halved = getelementptr i64, ptr %sums, i64 3
  %half = load i64, ptr %halved
  %s0 = getelementptr i8, ptr %s, i64 {places.offset + 8 * places.sums}
  %soon = getelementptr i64, ptr %s0, i64 {PAUSE}
  %taken = getelementptr i64, ptr %s0, i64 {INPUTS}
  %amid = icmp ne i64 %half, 0
  br i1 %amid, label %again, label %loop
again:
  %before = load i64, ptr %taken
  %until = add i64 %before, %inputs
  store i64 %until, ptr %soon
  store i64 0, ptr %halved
  br label %go
loop:
  %i = phi i64 [%done, %entry], [%i2, %next]
  %left = phi i64 [%inputs, %entry], [%less, %next]
  %more = icmp slt i64 %i, %many
  %some = icmp sgt i64 %left, 0
  %both = and i1 %more, %some
  br i1 %both, label %play, label %back
play:
  %game = add i64 %first, %i
  call void @llvm.memcpy.p0.p0.i64(ptr %s, ptr %start, i64 {begun}, i1 false)
  %words = getelementptr i8, ptr %s, i64 {places.offset}
  %words0 = getelementptr i8, ptr %start, i64 {places.offset}
  call void @llvm.memcpy.p0.p0.i64(ptr %words, ptr %words0, i64 {8 * places.rows}, i1 false)
  {looked}
listed:
  %rows.n = sub i64 %bytes, {before}
  %rows.to = getelementptr i8, ptr %s, i64 {before}
  %rows.of = getelementptr i8, ptr %start, i64 {before}
  call void @llvm.memcpy.p0.p0.i64(ptr %rows.to, ptr %rows.of, i64 %rows.n, i1 false)
  br label %fresh
fresh:
  br label %streams
streams:
  %j = phi i64 [0, %fresh], [%j2, %streams]
  call void @begin(ptr %s, i64 %key, i64 %game, i64 %j)
  %j2 = add i64 %j, 1
  %all = icmp sgt i64 %j2, {players}
  br i1 %all, label %ready, label %streams
ready:
  call void @llvm.memset.p0.i64(ptr %s0, i8 0, i64 {8 * SUMS}, i1 false)
  store i64 %left, ptr %soon
  br label %go
go:
  %n = phi i64 [%i, %ready], [%done, %again]
  %upto = phi i64 [%left, %ready], [%until, %again]
  %signal = phi i64 [%signal0, %ready], [0, %again]
  %end = call i64 @"f.game"(ptr %s, {base}i64 %signal)
  %paused = icmp eq i64 %end, {PAUSED}
  br i1 %paused, label %pause, label %whole
pause:
  store i64 1, ptr %halved
  ret i64 %n
whole:
  %used = load i64, ptr %taken
  %less = sub i64 %upto, %used
  %off = mul i64 %n, %step
  %rec = getelementptr i64, ptr %out, i64 %off
  store i64 %end, ptr %rec
  %rec1 = getelementptr i64, ptr %rec, i64 1
  call void @llvm.memcpy.p0.p0.i64(ptr %rec1, ptr %s0, i64 24, i1 false)
  %rec4 = getelementptr i64, ptr %rec, i64 4
  %rows = getelementptr i8, ptr %s, i64 {places.offset + 8 * places.rows}
  call void @llvm.memcpy.p0.p0.i64(ptr %rec4, ptr %rows, i64 {8 * players * width}, i1 false)
  %fine = icmp eq i64 %end, 0
  br i1 %fine, label %count, label %odd
odd:
  %o = getelementptr i64, ptr %sums, i64 4
  %oo = load i64, ptr %o
  %on = add i64 %oo, 1
  store i64 %on, ptr %o
  br label %next
count:
  %w0 = getelementptr i64, ptr %rec, i64 5
  br label %won
won:
  %p = phi i64 [0, %count], [%p2, %won]
  %mask = phi i64 [0, %count], [%mask2, %won]
  %woff = mul i64 %p, {width}
  %wp = getelementptr i64, ptr %w0, i64 %woff
  %wv = load i64, ptr %wp
  %bit = shl i64 %wv, %p
  %mask2 = or i64 %mask, %bit
  %p2 = add i64 %p, 1
  %last = icmp sge i64 %p2, {players}
  br i1 %last, label %add, label %won
add:
  %cap = and i64 %mask2, 1023
  %moff = add i64 %cap, 5
  %mp = getelementptr i64, ptr %sums, i64 %moff
  %mv = load i64, ptr %mp
  %mn = add i64 %mv, 1
  store i64 %mn, ptr %mp
  %d = load i64, ptr %s0
  %dp = getelementptr i64, ptr %sums, i64 1
  %dv = load i64, ptr %dp
  %dn = add i64 %dv, %d
  store i64 %dn, ptr %dp
  %in = load i64, ptr %taken
  %ip = getelementptr i64, ptr %sums, i64 2
  %iv = load i64, ptr %ip
  %inn = add i64 %iv, %in
  store i64 %inn, ptr %ip
  br label %next
next:
  %i2 = add i64 %n, 1
  br label %loop
back:
  ret i64 %i
}}"""
