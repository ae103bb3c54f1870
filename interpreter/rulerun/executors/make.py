"""Executors by name: what runs a game.

Assumes: a checked `Game`.
Does: makes the executor that is asked for or, where it is not available, the next best: native
falls back to python (llvmlite is not installed), both to the reference (a construct has no
lowering). `note` is told why, in one sentence. A play that is told (`events`) needs the reference
for every step, since only it tells: there nothing is compiled.
Leaves behind: an executor. The game is the same whichever it is.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

from rulerun.reference.executor import Reference
from rulerun.runtime.executor import Executor
from rulerun_dsl.model import Game

NAMES = ("reference", "python", "native")
DEFAULT = "python"
AUTO = "auto"
"""Of a search: machine code once it is made, which begins in the background; meanwhile python."""


def executor_for(
    game: Game,
    name: str = DEFAULT,
    events: bool = True,
    note: Callable[[str], None] | None = None,
    brief: bool = False,
) -> Executor:
    """The executor of that name. Raises ValueError for another name.

    `brief`: python is made for a play of few inputs.
    """
    if name not in NAMES:
        raise ValueError(f"there is no executor {name}; there are {', '.join(NAMES)}")
    if name == "reference" or events:
        return Reference(game, events)
    from rulerun.compiled.ir.program import Unsupported
    from rulerun.compiled.python.executor import PythonExecutor

    if name == "native":
        from rulerun.compiled.native.executor import Missing, NativeExecutor

        try:
            return NativeExecutor(game, events=False)
        except Missing:
            _say(note, MISSING)
        except Unsupported as reason:
            _say(note, f"native cannot run {game.name} yet ({reason}); python does")
    try:
        return PythonExecutor(game, events=False, brief=brief)
    except Unsupported as reason:
        _say(note, f"python cannot run {game.name} yet ({reason}); the reference does")
        return Reference(game, events=False)


def executor_within(game: Game, inputs: int) -> Executor:
    """What plays so many inputs in the least time, getting ready included; nothing is told.

    The longer the rules are, the more inputs pay for compiling them, and for making that quick.
    """
    code = len(game.code)
    if inputs <= code * _COMPILING:
        return Reference(game, events=False)
    from rulerun.compiled.ir.program import Unsupported
    from rulerun.compiled.python.executor import PythonExecutor

    try:
        return PythonExecutor(game, events=False, brief=inputs <= code * _PASSES)
    except Unsupported:
        return Reference(game, events=False)


_COMPILING, _PASSES = 1, 64
"""So many inputs for each instruction pay for compiling, and for all that makes it quicker."""


def has_machine_code() -> bool:
    """Whether machine code can be made here."""
    return find_spec("llvmlite") is not None


MISSING = "native needs `pip install 'rulerun[native]'`; python runs the game"


def _say(note: Callable[[str], None] | None, text: str) -> None:
    if note is not None:
        note(text)


def why_not(game: Game, name: str) -> str | None:
    """Why an executor cannot run a game, and what does instead; None if it can.

    For a caller that has the executor made elsewhere: the game is only lowered, and machine code
    written where that alone shows whether it can be.
    """
    if name == "reference":
        return None
    from rulerun.compiled.ir.program import Unsupported
    from rulerun.compiled.lower.lower import lower

    try:
        program = lower(game, any_size=name != "native")
        if name == "native":
            from rulerun.compiled.native.building import draft
            from rulerun.compiled.native.fitting import check, has_large_sets

            if not has_machine_code():
                return MISSING
            check(game, program)
            if has_large_sets(program):
                draft(game, whole=True)
    except Unsupported as reason:
        return f"{name} cannot run {game.name} yet ({reason}); the next slower executor does"
    return None
