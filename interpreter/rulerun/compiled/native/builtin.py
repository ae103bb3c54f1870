"""A type of Python made of machine code: a play stepped without interpreter overhead.

Assumes: a program, where things stand in the memory of a play, and the module of `runs`, to which
this is added.
Does: writes in LLVM IR the methods of a builtin type, and makes the type when the code is there.
They call the C API of Python through a table of addresses that is filled at run time, so no
compiler and no header is needed, and nothing is known of Python's objects but where they begin to
be ours.
Leaves behind: a heap type with the methods `who`, `legal`, `weights`, `apply`, `clone`, `slots` and
`judged`. An instance is the memory of one play, and behind it a copy of its slots from before the
step that runs: a step that is given up leaves the play as it was.
"""

from __future__ import annotations

import ctypes
from typing import Any

from rulerun.compiled.ir.program import Program
from rulerun.compiled.native.loaded_code import NativePlay
from rulerun.compiled.native.plan import FAILED, FALLS
from rulerun.compiled.python.executor import Bailout
from rulerun.runtime.luck_bound import MOST_FALLS
from rulerun_dsl.model import Game

_API = (
    "PyType_GenericAlloc",
    "PyLong_FromLongLong",
    "PyLong_AsLongLong",
    "PyTuple_New",
    "PyTuple_SetItem",
    "PyErr_SetString",
    "PyErr_Occurred",
    "Py_IncRef",
    "PyObject_Type",
    "Py_DecRef",
)
_OBJECTS = (None, ValueError, RuntimeError)
HEAD = (object.__basicsize__ + 15) // 16 * 16
"""Where the memory of a play begins in an object."""
GIVEN_UP = -3
"""What `who` says when the first rest could not be reached."""

_METHODS = (
    ("who", 4, "Who decides now: a player, -1 for luck, -2 when the game is over."),
    ("legal", 4, "The actions that may be taken now; for luck, the outcomes that may fall."),
    ("weights", 4, "For luck: how heavy each outcome is."),
    ("apply", 8, "Take an action, or let an outcome fall."),
    ("clone", 4, "A copy that goes its own way."),
    ("slots", 4, "The vector of the state."),
    ("judged", 4, "Place, whether they won, and the lines of the score, player after player."),
)


def text(program: Program, offset: int, words: dict[str, int], size: int, bits: int) -> str:
    """The methods.

    `offset`: where the numbers behind the slots begin, in bytes; `words`: where `count`, `rows` and
    `sums` stand among them (the first three sums hold what `rr_next` finds); `size`: bytes of the
    memory of a play; `bits`: of a slot.
    """
    cell, base, width = f"i{bits}", program.base, program.frame
    falls = offset + 8 * (words["sums"] + FALLS)
    chance = {each.at for each in program.questions if each.chance}
    wide = {each.at: each.width for each in program.questions}
    many = len(program.blocks)
    frame, at, who = (offset + 8 * (words["sums"] + place) for place in range(3))
    count, rows = offset + 8 * words["count"], offset + 8 * words["rows"]
    slots, players, judged = program.size, program.players, 2 + program.lines
    tables = [
        f"@py.chance = internal constant [{many} x i64] ["
        + ", ".join(f"i64 {int(each in chance)}" for each in range(many))
        + "]",
        f"@py.width = internal constant [{many} x i64] ["
        + ", ".join(f"i64 {wide.get(each, 1)}" for each in range(many))
        + "]",
        f"@rr_api = global [{len(_API) + len(_OBJECTS)} x ptr] zeroinitializer",
        f"@rr_begun = global [{size} x i8] zeroinitializer",
        '@py.refused = internal constant [28 x i8] c"this cannot be chosen now.\\00\\00"',
        '@py.gone = internal constant [40 x i8] c"the rules go wrong here: see executors\\00\\00"',
    ]

    def api(name: str, call: str) -> str:
        place = _API.index(name)
        return (
            f"  %{call}.p = getelementptr ptr, ptr @rr_api, i64 {place}\n"
            f"  %{call}.f = load ptr, ptr %{call}.p\n"
        )

    def made(place: int, name: str) -> str:
        return (
            f"  %{name}.p = getelementptr ptr, ptr @rr_api, i64 {len(_API) + place}\n"
            f"  %{name} = load ptr, ptr %{name}.p\n"
        )

    def collected(name: str, number: str, start: str, how: str) -> str:
        """A tuple of so many numbers; `how` makes `%number` of `%i`."""
        return f"""
define ptr @rr_py_{name}(ptr %self, ptr %nothing) {{
entry:
  %s = getelementptr i8, ptr %self, i64 {HEAD}
{start}{api("PyTuple_New", "new")}{api("PyLong_FromLongLong", "num")}{api("PyTuple_SetItem", "set")}
  %tuple = call ptr %new.f(i64 {number})
  %none = icmp eq ptr %tuple, null
  br i1 %none, label %done, label %loop
loop:
  %i = phi i64 [0, %entry], [%i2, %next]
  %more = icmp slt i64 %i, {number}
  br i1 %more, label %next, label %done
next:
{how}
  %one = call ptr %num.f(i64 %number)
  %ok = call i32 %set.f(ptr %tuple, i64 %i, ptr %one)
  %i2 = add i64 %i, 1
  br label %loop
done:
  ret ptr %tuple
}}"""

    def word(place: int, name: str) -> str:
        return (
            f"  %{name}.p = getelementptr i8, ptr %s, i64 {place}\n"
            f"  %{name} = load i64, ptr %{name}.p\n"
        )

    def column(which: int) -> str:
        return f"""  %first = mul i64 %i, %width
  %where = add i64 %first, {which}
  %rows = getelementptr i8, ptr %s, i64 {rows}
  %cell = getelementptr i64, ptr %rows, i64 %where
  %number = load i64, ptr %cell"""

    width_of = (
        word(at, "at")
        + "  %width.p = getelementptr i64, ptr @py.width, i64 %at\n"
        + "  %width = load i64, ptr %width.p\n"
    )
    listing = word(count, "count") + width_of
    next_ = f"""
define void @rr_next(ptr %s) {{
entry:
  %frame.p = getelementptr i8, ptr %s, i64 {frame}
  %at.p = getelementptr i8, ptr %s, i64 {at}
  %who.p = getelementptr i8, ptr %s, i64 {who}
  %count.p = getelementptr i8, ptr %s, i64 {count}
  %result = load {cell}, ptr %s
  %over = icmp ne {cell} %result, 0
  br i1 %over, label %ended, label %running
ended:
  store i64 -2, ptr %who.p
  store i64 0, ptr %count.p
  store i64 0, ptr %at.p
  ret void
running:
  %tog.p = getelementptr {cell}, ptr %s, i64 1
  %tog = load {cell}, ptr %tog.p
  %several = icmp ne {cell} %tog, 0
  br i1 %several, label %frames, label %alone
alone:
  %pc.p = getelementptr {cell}, ptr %s, i64 {base}
  %pc0 = load {cell}, ptr %pc.p
  %pc = sext {cell} %pc0 to i64
  %here = sub i64 %pc, 1
  store i64 0, ptr %frame.p
  store i64 %here, ptr %at.p
  %luck.p = getelementptr i64, ptr @py.chance, i64 %here
  %luck = load i64, ptr %luck.p
  %falls = icmp ne i64 %luck, 0
  br i1 %falls, label %chance, label %asked
chance:
  store i64 -1, ptr %who.p
  ret void
asked:
  %mine = call i64 @rr_who(ptr %s, i64 0, i64 %here)
  store i64 %mine, ptr %who.p
  ret void
frames:
  br label %look
look:
  %f = phi i64 [1, %frames], [%f2, %on]
  %best = phi i64 [{1 << 40}, %frames], [%best2, %on]
  %bf = phi i64 [0, %frames], [%bf2, %on]
  %ba = phi i64 [0, %frames], [%ba2, %on]
  %left = icmp slt i64 %f, {program.frames}
  br i1 %left, label %see, label %seen
see:
  %far = mul i64 %f, {width}
  %b = add i64 %far, {base}
  %fp = getelementptr {cell}, ptr %s, i64 %b
  %fpc0 = load {cell}, ptr %fp
  %fpc = sext {cell} %fpc0 to i64
  %stands = icmp ne i64 %fpc, 0
  br i1 %stands, label %stand, label %on
stand:
  %fat = sub i64 %fpc, 1
  %fl.p = getelementptr i64, ptr @py.chance, i64 %fat
  %fl = load i64, ptr %fl.p
  %ff = icmp ne i64 %fl, 0
  br i1 %ff, label %lucky, label %person
lucky:
  br label %chosen
person:
  %fw = call i64 @rr_who(ptr %s, i64 %f, i64 %fat)
  br label %chosen
chosen:
  %w = phi i64 [-1, %lucky], [%fw, %person]
  %better = icmp slt i64 %w, %best
  %nb = select i1 %better, i64 %w, i64 %best
  %nf = select i1 %better, i64 %f, i64 %bf
  %na = select i1 %better, i64 %fat, i64 %ba
  br label %on
on:
  %best2 = phi i64 [%best, %see], [%nb, %chosen]
  %bf2 = phi i64 [%bf, %see], [%nf, %chosen]
  %ba2 = phi i64 [%ba, %see], [%na, %chosen]
  %f2 = add i64 %f, 1
  br label %look
seen:
  store i64 %best, ptr %who.p
  store i64 %bf, ptr %frame.p
  store i64 %ba, ptr %at.p
  %listed = call i64 @rr_list(ptr %s, i64 %bf, i64 %ba)
  ret void
}}"""
    plain = f"""
define ptr @rr_py_new(ptr %type, ptr %args, ptr %names) {{
entry:
{api("PyType_GenericAlloc", "alloc")}
  %self = call ptr %alloc.f(ptr %type, i64 0)
  %none = icmp eq ptr %self, null
  br i1 %none, label %done, label %fill
fill:
  %s = getelementptr i8, ptr %self, i64 {HEAD}
  call void @llvm.memcpy.p0.p0.i64(ptr %s, ptr @rr_begun, i64 {size}, i1 false)
  br label %done
done:
  ret ptr %self
}}
define ptr @rr_py_clone(ptr %self, ptr %nothing) {{
entry:
{api("PyObject_Type", "type")}{api("PyType_GenericAlloc", "alloc")}{api("Py_DecRef", "drop")}
  %mine = call ptr %type.f(ptr %self)
  %copy = call ptr %alloc.f(ptr %mine, i64 0)
  call void %drop.f(ptr %mine)
  %none = icmp eq ptr %copy, null
  br i1 %none, label %done, label %fill
fill:
  %s = getelementptr i8, ptr %self, i64 {HEAD}
  %t = getelementptr i8, ptr %copy, i64 {HEAD}
{word(count, "count")}{width_of}
  %numbers = mul i64 %count, %width
  %bytes0 = mul i64 %numbers, 8
  %bytes = add i64 %bytes0, {rows}
  call void @llvm.memcpy.p0.p0.i64(ptr %t, ptr %s, i64 %bytes, i1 false)
  %sums.s = getelementptr i8, ptr %s, i64 {frame}
  %sums.t = getelementptr i8, ptr %t, i64 {frame}
  call void @llvm.memcpy.p0.p0.i64(ptr %sums.t, ptr %sums.s, i64 {8 * (FALLS + 1)}, i1 false)
  br label %done
done:
  ret ptr %copy
}}
define ptr @rr_py_who(ptr %self, ptr %nothing) {{
entry:
  %s = getelementptr i8, ptr %self, i64 {HEAD}
{word(who, "who")}{api("PyLong_FromLongLong", "num")}
  %found = call ptr %num.f(i64 %who)
  ret ptr %found
}}
define ptr @rr_py_apply(ptr %self, ptr %choice) {{
entry:
  %s = getelementptr i8, ptr %self, i64 {HEAD}
{api("PyLong_AsLongLong", "as")}{api("PyErr_Occurred", "bad")}{api("PyErr_SetString", "say")}
  %id = call i64 %as.f(ptr %choice)
  %odd = icmp eq i64 %id, -1
  br i1 %odd, label %maybe, label %search
maybe:
  %error = call ptr %bad.f()
  %wrong = icmp ne ptr %error, null
  br i1 %wrong, label %null, label %search
null:
  ret ptr null
search:
{listing}
  %rows = getelementptr i8, ptr %s, i64 {rows}
  br label %loop
loop:
  %i = phi i64 [0, %search], [%i2, %other]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %look, label %refused
look:
  %first = mul i64 %i, %width
  %cell = getelementptr i64, ptr %rows, i64 %first
  %action = load i64, ptr %cell
  %this = icmp eq i64 %action, %id
  br i1 %this, label %take, label %other
other:
  %i2 = add i64 %i, 1
  br label %loop
refused:
{made(1, "value.error")}
  call void %say.f(ptr %value.error, ptr @py.refused)
  ret ptr null
take:
  %before = getelementptr i8, ptr %s, i64 {size}
  call void @llvm.memcpy.p0.p0.i64(ptr %before, ptr %s, i64 {slots * bits // 8}, i1 false)
{word(frame, "frame")}{word(who, "asked")}{word(falls, "falls")}
  %luck = icmp eq i64 %asked, -1
  %enough = icmp sge i64 %falls, {MOST_FALLS}
  %endless = and i1 %luck, %enough
  br i1 %endless, label %gone, label %run
run:
  %r = call i64 @rr_take(ptr %s, i64 %frame, i64 %at, i64 %i)
  %failed = icmp slt i64 %r, -100
  br i1 %failed, label %gone, label %fine
fine:
  call void @rr_next(ptr %s)
  %next = load i64, ptr %asked.p
  %lost = icmp slt i64 %next, -100
  br i1 %lost, label %gone, label %kept
kept:
  %once = add i64 %falls, 1
  %row = select i1 %luck, i64 %once, i64 0
  store i64 %row, ptr %falls.p
{made(0, "none")}{api("Py_IncRef", "keep")}
  call void %keep.f(ptr %none)
  ret ptr %none
gone:
  call void @llvm.memcpy.p0.p0.i64(ptr %s, ptr %before, i64 {slots * bits // 8}, i1 false)
  store i64 %frame, ptr %frame.p
  store i64 %at, ptr %at.p
  store i64 %asked, ptr %asked.p
  %again = call i64 @rr_list(ptr %s, i64 %frame, i64 %at)
{made(2, "run.error")}
  call void %say.f(ptr %run.error, ptr @py.gone)
  ret ptr null
}}"""
    slot = f"""  %cell = getelementptr {cell}, ptr %s, i64 %i
  %held = load {cell}, ptr %cell
  %number = sext {cell} %held to i64"""
    if bits == 64:
        slot = f"  %cell = getelementptr {cell}, ptr %s, i64 %i\n  %number = load i64, ptr %cell"
    sorted_ = ""
    if program.canonical:
        sorted_ = (
            f"{word(frame, 'frame')}{word(at, 'now')}"
            "  %tidied = call i64 @rr_tidy(ptr %s)\n"
            "  %again = call i64 @rr_list(ptr %s, i64 %frame, i64 %now)\n"
        )
    judge = "  %rows.n = call i64 @rr_judge(ptr %s)\n"
    single = f"""  %rows = getelementptr i8, ptr %s, i64 {rows}
  %cell = getelementptr i64, ptr %rows, i64 %i
  %number = load i64, ptr %cell"""
    whole = "\n".join(
        [
            *tables,
            next_,
            plain,
            collected("legal", "%count", listing, column(0)),
            collected("weights", "%count", listing, column(1)),
            collected("slots", str(slots), sorted_, slot),
            collected("judged", str(players * judged), judge, single),
        ]
    )
    # Python's narrow slots are read as they are.
    return whole.replace("sext i64 %pc0 to i64", "add i64 %pc0, 0").replace(
        "sext i64 %fpc0 to i64", "add i64 %fpc0, 0"
    )


class _Method(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


class _Slot(ctypes.Structure):
    _fields_ = (("slot", ctypes.c_int), ("value", ctypes.c_void_p))


class _Spec(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("basicsize", ctypes.c_int),
        ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("slots", ctypes.POINTER(_Slot)),
    )


_TP_DOC, _TP_METHODS, _TP_NEW = 56, 64, 65
_IS_BASE = 1 << 10
_ALIVE: list[Any] = []
"""What the types that were made stand on."""


def type_of(game: Game, machine: NativePlay) -> type:
    """The type of plays of a game, once the code is there. Raises `Bailout`."""
    memory = machine.memory()
    if machine.start(memory.whole) == FAILED:
        raise Bailout
    machine.function("rr_next", None, ctypes.c_void_p)(memory.whole)
    name, engine, size = game.name, machine.tiers.engine, machine.plan.size
    begun = bytes(memory.whole)[:size]
    slots_bytes = machine.plan.slots * machine.plan.bits // 8
    api = (ctypes.c_void_p * (len(_API) + len(_OBJECTS))).from_address(
        engine.get_global_value_address("rr_api")
    )
    for place, each in enumerate(_API):
        api[place] = ctypes.cast(getattr(ctypes.pythonapi, each), ctypes.c_void_p).value
    for place, known in enumerate(_OBJECTS):
        api[len(_API) + place] = id(known)
    ctypes.memmove(engine.get_global_value_address("rr_begun"), begun, size)
    methods = (_Method * (len(_METHODS) + 1))()
    for place, (word, flags, doc) in enumerate(_METHODS):
        address = engine.get_function_address(f"rr_py_{word}")
        methods[place] = _Method(word.encode(), address, flags, doc.encode())
    slots = (_Slot * 4)(
        _Slot(_TP_NEW, engine.get_function_address("rr_py_new")),
        _Slot(_TP_METHODS, ctypes.addressof(methods)),
        _Slot(_TP_DOC, ctypes.cast(ctypes.c_char_p(b"A play of one game."), ctypes.c_void_p)),
        _Slot(0, None),
    )
    whole = HEAD + size + slots_bytes
    spec = _Spec(f"rulerun.{name}".encode(), whole, 0, _IS_BASE, slots)
    make = ctypes.pythonapi.PyType_FromSpec
    make.restype = ctypes.py_object
    make.argtypes = (ctypes.c_void_p,)
    made: type = make(ctypes.addressof(spec))
    # The C API does not copy names and methods of a type made from a specification.
    _ALIVE.append((engine, methods, slots, spec))
    return made
