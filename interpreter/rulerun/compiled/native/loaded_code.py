"""Machine code that is called: the functions of a module, and the memory of a play.

Assumes: the code of a module, and its plan.
Does: makes the functions of the module callable, and takes better code when there is some, so
between two calls; the memory of a play is the same whichever code runs.
Leaves behind: what the executors call. Python's lock is not held while machine code runs.
"""

from __future__ import annotations

import ctypes
import json
from contextlib import suppress
from typing import Any

from rulerun.compiled.native.objects import Tiers, Write, library, name_of, recalled
from rulerun.compiled.native.objects import is_kept as is_code_kept
from rulerun.compiled.native.plan import FAILED, Plan
from rulerun.host import cache_dir
from rulerun.runtime.play import TOGETHER
from rulerun.runtime.signals import OVER

_CELLS = {16: ctypes.c_int16, 32: ctypes.c_int32, 64: ctypes.c_int64}
_NUMBER, _POINTER = ctypes.c_int64, ctypes.c_void_p
_TYPES: dict[str, tuple[Any, ...]] = {
    "start": (_POINTER,),
    "take": (_POINTER, _NUMBER, _NUMBER, _NUMBER),
    "list": (_POINTER, _NUMBER, _NUMBER),
    "who": (_POINTER, _NUMBER, _NUMBER),
    "tidy": (_POINTER,),
    "judge": (_POINTER,),
    "batch": (_POINTER, _POINTER, *(_NUMBER,) * 5, _POINTER, _NUMBER, _POINTER, _NUMBER),
}
"""What each function takes; it gives a number."""
_KIND = "native"
_LINE = 64


class NativePlay:
    """The machine code of one program, and how it is called."""

    start: Any
    take: Any
    list: Any
    who: Any
    tidy: Any
    judge: Any
    batch: Any

    def __init__(self, plan: Plan, tiers: Tiers) -> None:
        """Make its functions callable."""
        self.plan = plan
        self.tiers = tiers
        # Another thread may be inside of code that was there before.
        self._engines: list[Any] = []
        self._bind()

    def _bind(self) -> None:
        self._engines.append(self.tiers.engine)
        for name, types in _TYPES.items():
            # What plays whole games has no other steps.
            if self.tiers.engine.get_function_address(f"rr_{name}"):
                setattr(self, name, self.function(f"rr_{name}", _NUMBER, *types))

    def ripen(self) -> None:
        """Begin to make the best code; this code runs on."""
        self.tiers.ripen()

    def ripe(self) -> bool:
        """Take better code, if there is some by now: whether there was."""
        changed = self.tiers.ripe()
        if changed:
            self._bind()
        return changed

    @property
    def size(self) -> int:
        """Bytes of the memory of a play."""
        return self.plan.size

    def function(self, name: str, result: Any, *types: Any) -> Any:
        """A function of the module."""
        return ctypes.CFUNCTYPE(result, *types)(self.tiers.engine.get_function_address(name))

    def begun(self, players: int) -> tuple[Memory, int, int]:
        """The memory of a play at its first rest, how many bytes of it matter, and the signal."""
        memory, plan = self.memory(), self.plan
        signal = self.start(memory.whole)
        words = plan.places.rows
        if signal != OVER and signal != FAILED and not memory.slots[TOGETHER]:
            at = memory.slots[plan.base] - 1
            words += memory.words[plan.places.count] * dict(plan.widths)[at]
        elif signal == OVER:
            words += players * (2 + plan.lines)
        return memory, plan.places.offset + 8 * words, signal

    def memory(self) -> Memory:
        """The memory of a play."""
        return Memory(self.plan)


class Memory:
    """The memory of a play: slots, and behind them numbers of 64 bits."""

    def __init__(self, plan: Plan) -> None:
        """Nothing but zeros."""
        # Where a line of the processor's cache begins: what is copied at once is read one by one.
        room = ctypes.create_string_buffer(plan.size + _LINE)
        start = -ctypes.addressof(room) % _LINE
        self.whole = (ctypes.c_char * plan.size).from_buffer(room, start)
        self.slots: Any = cells(plan).from_buffer(self.whole)
        words: Any = _NUMBER * plan.places.size
        self.words: Any = words.from_buffer(self.whole, plan.places.offset)


def cells(plan: Plan) -> Any:
    """The type of the slots of a play."""
    return _CELLS[plan.bits] * plan.slots


# -------------------------------------------------------------------------- found by another name


def recall(known: str, way: str, write: Write) -> NativePlay | None:
    """The best machine code there is of a game that is known by a name; None without.

    The name stands for the rules, their settings and this copy of rulerun: what is found by it
    needs no program. `way`: what the code is for; `write` gives its module. Raises `Missing`.
    """
    found = _noted(known, way)
    if found is None:
        return None
    llvm = library()
    code, processor, plan = found
    # A folder may be shared by machines.
    tiers = recalled(llvm, code, write) if processor == name_of(llvm) else None
    return None if tiers is None else NativePlay(plan, tiers)


def remember(known: str, way: str, play: NativePlay) -> None:
    """Note under which name the code is kept."""
    if known:
        data = [play.tiers.name, name_of(library()), play.plan.data()]
        cache_dir.keep(_KIND, f"{known}-{way}.json", json.dumps(data).encode())


def is_kept(known: str, way: str) -> bool:
    """Whether there is such code, without loading it."""
    found = _noted(known, way)
    return found is not None and is_code_kept(found[0])


def _noted(known: str, way: str) -> tuple[str, str, Plan] | None:
    """The name of the code, the processor that it is for, and the plan."""
    content = cache_dir.recall(_KIND, f"{known}-{way}.json") if known else None
    with suppress(ValueError, TypeError):
        if content is not None:
            code, processor, plan = json.loads(content)
            return str(code), str(processor), Plan.read(plan)
    return None
