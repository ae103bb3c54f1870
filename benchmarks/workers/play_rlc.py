"""Rulebook (rlc): our programs in its language, compiled to machine code, called once a batch.

Assumes: `GAME` as argument: one of the programs in the folder `rlc` beside this file.
Does: compiles it with the optimiser on and preconditions unchecked (the compiler's fastest), and
calls its loop of playouts, which is itself written in Rulebook, as a C function.
Leaves behind: answers to `lines`.
"""

from __future__ import annotations

import ctypes
import random
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

from benchmarks.workers.lines import Counted, Sample, serve, two_sided

PROGRAMS = Path(__file__).parent / "rlc"
WORD = ctypes.c_int64


class Compiled:
    """One program."""

    def __init__(self, name: str, folder: str) -> None:
        """Compile and load it."""
        begun = time.perf_counter()
        library = Path(folder) / f"{name}.so"
        compiler = Path(sys.executable).parent / "rlc"
        program = PROGRAMS / f"{name}.rl"
        command = [str(compiler), str(program), "-o", str(library), "--shared", "-O2"]
        subprocess.run(command, check=True, capture_output=True, text=True)
        spent = time.perf_counter() - begun
        loaded = ctypes.CDLL(str(library))
        # Arguments go by address, a result as the first of them.
        self._playouts = loaded.rl_playouts__Totals_int64_t_int64_t
        self._perft = loaded.rl_perft__int64_t_r_int64_t
        self.versions = {"rlc": version("rl_language_core")}
        self.notes = [f"compiling took {spent:.2f} s"]
        self.caveat = ""

    def _totals(self, count: int) -> list[int]:
        totals = (WORD * 5)()
        seed = WORD(random.getrandbits(62))
        self._playouts(ctypes.byref(totals), ctypes.byref(WORD(count)), ctypes.byref(seed))
        return list(totals)

    def many(self, count: int) -> Counted:
        """Play some games."""
        playouts, decisions, *_ = self._totals(count)
        return Counted(playouts, decisions)

    def sample(self, count: int) -> Sample:
        """Play some games; the program adds up what is asked for in any case."""
        return two_sided(*self._totals(count))

    def perft(self, depth: int) -> int:
        """Count sequences of actions."""
        found = WORD()
        self._perft(ctypes.byref(found), ctypes.byref(WORD(depth)))
        return found.value


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        serve(lambda: Compiled(sys.argv[1], folder))
