"""Machine code of a module, by LLVM, and where it is kept.

Assumes: the text of a module; the package llvmlite.
Does: compiles it for this very processor, or takes what was compiled before from the cache.
Leaves behind: an engine with the code loaded; in `native/*.o` of the cache the code, under a hash
of the module, the version of llvmlite, the processor and what it can do. What comes from the cache
is what was written (see `host.cache_dir`): LLVM does not refuse broken code but takes the process
down, and any other code it would run.
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from typing import Any

from rulerun.host import cache_dir

_KIND = "native"


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
    name = _name(llvm, text)
    code = cache_dir.recall(_KIND, name)
    if code is not None:
        return _engine(llvm, code), code, True
    code = _compiled(llvm, text)
    cache_dir.keep(_KIND, name, code)
    return _engine(llvm, code), code, False


def _name(llvm: Any, text: str) -> str:
    """The name under which the code of a module is kept."""
    import llvmlite

    key = blake2b(digest_size=16)
    for part in (text, llvmlite.__version__, llvm.get_process_triple(), *_processor(llvm)):
        key.update(part.encode())
    return f"{key.hexdigest()}.o"


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
