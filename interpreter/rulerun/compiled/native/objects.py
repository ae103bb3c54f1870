"""Machine code of a module, by LLVM, and where it is kept.

Assumes: the text of a module; the package llvmlite.
Does: compiles it for this very processor, or takes what was compiled before from the cache. There
are two tiers: code that is there at once, made without passes, and the best, which takes LLVM some
twenty times as long and runs up to twelve times as fast. The best is made here, while the caller
waits, or in a process beside this one, while the quick code runs.
Leaves behind: an engine with the code loaded; in `native/*.o` of the cache the code, the quick one
by a name of its own, under a hash of the module, the version of llvmlite, the processor and what it
can do. What comes from the cache is what was written (see `host.cache_dir`): LLVM does not refuse
broken code but takes the process down, and any other code it would run.

It is another process and not a thread for two reasons: the binding lets one thread at a time into
LLVM, so that small modules would wait for a large one; and a process that ends while one of its
threads is inside of LLVM crashes.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from threading import Lock, Thread
from time import sleep
from typing import Any

from rulerun.host import cache_dir

_KIND = "native"
_SIZE = 8
_DIGEST = 16
"""Bytes that say how long a text is."""
_AGAIN = 0.2
"""Seconds after which it is looked again whether another process has made what is wanted."""


Write = Callable[[], str]
"""Writes a module."""


class Missing(Exception):
    """llvmlite is not installed."""


@cache
def library() -> Any:
    """The binding of LLVM, made ready. Raises `Missing`."""
    try:
        import llvmlite.binding as binding
    except ImportError as error:
        raise Missing(str(error)) from None
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding


def deposits(llvm: Any) -> bool:
    """Whether the processor deposits bits by itself, and quickly: AMD does since Zen 3."""
    slow = ("znver1", "znver2", "bdver4")
    return bool(llvm.get_host_cpu_features().get("bmi2")) and llvm.get_host_cpu_name() not in slow


def load(llvm: Any, text: str) -> tuple[Any, bytes, bool]:
    """An engine with the best code of a module, the code, and whether it was in the cache."""
    found = tiers(llvm, text, quick=False)
    return found.engine, found.code, found.from_cache


def tiers(llvm: Any, text: str, quick: bool) -> Tiers:
    """The best code of a module from the cache; else made now, or, if `quick`, other code."""
    name = name_of(llvm, text)
    write = (lambda: text) if quick else None
    found = recalled(llvm, name, write)
    if found is not None:
        return found
    code = compiled(llvm, text, best=not quick)
    cache_dir.keep(_KIND, _quick(name) if quick else name, code)
    return Tiers(llvm, name, code, write)


def recalled(llvm: Any, name: str, write: Write | None = None) -> Tiers | None:
    """The best code that is kept under a name; quick code only for who can `write` the module."""
    code = cache_dir.recall(_KIND, name)
    if code is not None:
        return Tiers(llvm, name, code, from_cache=True)
    code = None if write is None else cache_dir.recall(_KIND, _quick(name))
    return None if code is None else Tiers(llvm, name, code, write, from_cache=True)


def is_kept(name: str) -> bool:
    """Whether code is kept under a name, be it quick."""
    return cache_dir.is_there(_KIND, name) or cache_dir.is_there(_KIND, _quick(name))


def _quick(name: str) -> str:
    return name.removesuffix(".o") + ".quick.o"


class Tiers:
    """The machine code of one module: the best that is there."""

    def __init__(
        self,
        llvm: Any,
        name: str,
        code: bytes,
        write: Write | None = None,
        from_cache: bool = False,
    ) -> None:
        """Load code. `write` gives the module, of which better code can be made."""
        self.name = name
        self.code = code
        self.from_cache = from_cache
        self.engine = engine_of(llvm, code)
        self._llvm = llvm
        self._write = write
        self._maker: Thread | None = None
        self._made: bytes | None = None
        self._lock = Lock()

    @property
    def best(self) -> bool:
        """Whether there is nothing better to come."""
        return self._write is None

    def ripen(self) -> None:
        """Begin to make the best code, in a process beside this one."""
        if not self.best and self._maker is None and _has_python():
            maker = Thread(target=self._make, daemon=True)
            # A process that ends begins no thread.
            with suppress(RuntimeError):
                maker.start()
                self._maker = maker

    def ripe(self, wait: bool = False) -> bool:
        """Take better code, if there is some by now: whether `engine` is another one.

        `wait`: until it is made, if that has begun.
        """
        if self.best or self._maker is None:
            return False
        if wait:
            self._maker.join()
        with self._lock:
            if self._made is None or self.best:
                return False
            self.engine = engine_of(self._llvm, self._made)
            self.code, self._write = self._made, None
            return True

    def _make(self) -> None:
        """Have the best code made once, however many processes want it."""
        while True:
            with _TURN, cache_dir.claimed(_KIND, f"{self.name}.making") as mine:
                made = cache_dir.recall(_KIND, self.name)
                if made is None and mine and self._write is not None:
                    with suppress(RuntimeError, MemoryError):  # the code that is there is right
                        made = _elsewhere(self._write())
                    if made is not None:
                        cache_dir.keep(_KIND, self.name, made)
                self._made = made
                if made is not None or mine:
                    return
            sleep(_AGAIN)


_TURN = Lock()
"""Of this process, one after the other has code made."""


def name_of(llvm: Any, *parts: str) -> str:
    """The name under which code is kept that is made of these for this processor."""
    import llvmlite

    key = blake2b(digest_size=16)
    for part in (*parts, llvmlite.__version__, llvm.get_process_triple(), *_processor(llvm)):
        key.update(part.encode())
    return f"{key.hexdigest()}.o"


def _processor(llvm: Any) -> tuple[str, str]:
    """The name of the processor, and what it can do."""
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def _target(llvm: Any, best: bool = True) -> Any:
    name, features = _processor(llvm)
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(cpu=name, features=features, opt=2 if best else 0)


def engine_of(llvm: Any, code: bytes) -> Any:
    """The code, loaded; it must be whole."""
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target(llvm))
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def compiled(llvm: Any, text: str, best: bool) -> bytes:
    """The code of a module: the best, or some at once."""
    target = _target(llvm, best)
    parsed = llvm.parse_assembly(text)
    parsed.triple = llvm.get_process_triple()
    parsed.data_layout = str(target.target_data)
    if best:
        tuning = llvm.create_pipeline_tuning_options(speed_level=2)
        builder = llvm.create_pass_builder(target, tuning)
        builder.getModulePassManager().run(parsed, builder)
    return bytes(target.emit_object(parsed))


# ----------------------------------------------------------------------------- a process beside


def _has_python() -> bool:
    """Whether `sys.executable` is a Python, and not a program of which this is a part."""
    return bool(sys.executable) and not hasattr(sys, "frozen")


def _elsewhere(text: str) -> bytes | None:
    """The best code of a module, made by another process; None if that comes to nothing."""
    import subprocess

    given = text.encode()
    paths = os.pathsep.join(filter(None, sys.path))
    try:
        with subprocess.Popen(
            # Without `site`: what somebody has run at the start of every Python may print.
            [sys.executable, "-S", "-P", "-c", f"from {__name__} import beside; beside()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": paths},
        ) as process:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(len(given).to_bytes(_SIZE, "little") + given)
            # It stays open: the other process ends when this one does, however that comes.
            process.stdin.flush()
            written = process.stdout.read()
        code, digest = written[:-_DIGEST], written[-_DIGEST:]
        # What is no code would take the process down that runs it.
        return code if digest == _digest_of(code) else None
    except OSError:
        return None


def _digest_of(code: bytes) -> bytes:
    return blake2b(code, digest_size=_DIGEST).digest()


def beside() -> None:
    """Be that process: read a module, write its code."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    wanted = sys.stdin.buffer
    text = wanted.read(int.from_bytes(wanted.read(_SIZE), "little")).decode()

    def end() -> None:
        wanted.read(1)
        os._exit(1)

    Thread(target=end, daemon=True).start()
    code = compiled(library(), text, best=True)
    # Nobody reads along: what is written is the code.
    with os.fdopen(1, "wb") as out:
        out.write(code + _digest_of(code))
    os._exit(0)
