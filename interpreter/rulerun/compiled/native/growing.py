"""What grows a tree in machine code: iterations, over the worlds in turn.

Assumes: one iteration (`searching`).
Does: copies the next world into the memory of a play, begins its streams of luck, and has it
searched; takes the roots of a bonus as the processor does, which is the same on every machine.
Leaves behind: a function `rr_grow` that does so many iterations, and says how many were lost.
"""

from __future__ import annotations

from rulerun.compiled import ir
from rulerun.compiled.native.plan import FAILED, PAUSE, SUMS, Places
from rulerun.compiled.native.tree_layout import Worth


def grow(program: ir.Program, places: Places, worth: Worth, framed: bool) -> str:
    """The bonus, and the loop over iterations."""
    base, given = ("i64 %b, ", f", i64 {program.base}") if framed else ("", "")
    return f"""
declare double @llvm.sqrt.f64(double)
define internal i64 @"f.bonus"(ptr noalias %s, {base}i64 %offered, i64 %tried) {{
entry:
  %n = sitofp i64 %offered to double
  %t = sitofp i64 %tried to double
  %root = call double @llvm.sqrt.f64(double %n)
  %part = fdiv double %root, %t
  %again = call double @llvm.sqrt.f64(double %part)
  %bonus = fmul double %again, {worth.exploring:.17e}
  %whole = fptosi double %bonus to i64
  ret i64 %whole
}}
define i64 @rr_grow(ptr noalias %s, ptr %worlds, i64 %bytes, i64 %many, i64 %key, i64 %first,
                    i64 %last, ptr %head, ptr %nodes, ptr %table, ptr %extra) {{
entry:
  %s0 = getelementptr i8, ptr %s, i64 {places.offset + 8 * places.sums}
  %soon = getelementptr i64, ptr %s0, i64 {PAUSE}
  br label %loop
loop:
  %i = phi i64 [%first, %entry], [%i2, %play]
  %lost = phi i64 [0, %entry], [%lost2, %play]
  %more = icmp slt i64 %i, %last
  br i1 %more, label %world, label %back
world:
  %which = srem i64 %i, %many
  %far = mul i64 %which, %bytes
  %from = getelementptr i8, ptr %worlds, i64 %far
  call void @llvm.memcpy.p0.p0.i64(ptr %s, ptr %from, i64 %bytes, i1 false)
  call void @llvm.memset.p0.i64(ptr %s0, i8 0, i64 {8 * SUMS}, i1 false)
  store i64 {worth.cut or 1 << 40}, ptr %soon
  br label %streams
streams:
  %j = phi i64 [0, %world], [%j2, %streams]
  call void @begin(ptr %s, i64 %key, i64 %i, i64 %j)
  %j2 = add i64 %j, 1
  %all = icmp sgt i64 %j2, {program.players}
  br i1 %all, label %play, label %streams
play:
  %end = call i64 @"f.search"(ptr %s{given}, ptr %head, ptr %nodes, ptr %table, ptr %extra)
  %bad = icmp eq i64 %end, {FAILED}
  %one = zext i1 %bad to i64
  %lost2 = add i64 %lost, %one
  %i2 = add i64 %i, 1
  br label %loop
back:
  ret i64 %lost
}}"""
