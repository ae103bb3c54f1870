"""Machine code of a module, by LLVM, and where it is kept.

Assumes: the text of a module; the package llvmlite.
Does: compiles it for this very processor, or takes what was compiled before from the cache.
Leaves behind: an engine with the code loaded; in `native/*.o` of the cache folder, the code behind
its digest. It is kept under the fingerprint of the module, the version of llvmlite, the processor
and what it can do. What is not what was written is as good as not there: LLVM does not refuse
broken code but takes the process down.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from rulerun import caching

_DIGEST = 16
"""Bytes of the digest that stands before machine code that is kept."""


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
    """An engine with the code of a module, the code, and whether it was in the cache."""
    entry = _entry(llvm, text)
    code = None if entry is None else _kept(entry)
    if code is not None:
        return _engine(llvm, code), code, True
    code = _compiled(llvm, text)
    if entry is not None:
        caching.keep(entry, _digest(code) + code)
    return _engine(llvm, code), code, False


def _entry(llvm: Any, text: str) -> Path | None:
    """Where the code of a module is kept."""
    import llvmlite

    folder = caching.folder()
    if folder is None:
        return None
    key = blake2b(digest_size=16)
    for part in (text, llvmlite.__version__, llvm.get_process_triple(), *_processor(llvm)):
        key.update(part.encode())
    return folder / "native" / f"{key.hexdigest()}.o"


def _kept(entry: Path) -> bytes | None:
    """The code that is kept there, if it is what was written."""
    with suppress(OSError):
        content = entry.read_bytes()
        code = content[_DIGEST:]
        if content[:_DIGEST] == _digest(code):
            return code
    return None


def _digest(code: bytes) -> bytes:
    return blake2b(code, digest_size=_DIGEST).digest()


def _processor(llvm: Any) -> tuple[str, str]:
    """The name of the processor, and what it can do."""
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def _target(llvm: Any) -> Any:
    name, features = _processor(llvm)
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(cpu=name, features=features, opt=2)


def _engine(llvm: Any, code: bytes) -> Any:
    """The code, loaded; it must be whole."""
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target(llvm))
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


def _compiled(llvm: Any, text: str) -> bytes:
    target = _target(llvm)
    parsed = llvm.parse_assembly(text)
    parsed.triple = llvm.get_process_triple()
    parsed.data_layout = str(target.target_data)
    tuning = llvm.create_pipeline_tuning_options(speed_level=2)
    builder = llvm.create_pass_builder(target, tuning)
    builder.getModulePassManager().run(parsed, builder)
    return bytes(target.emit_object(parsed))
