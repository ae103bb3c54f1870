"""The executors that behaviour tests run on: each test on one after another.

A module with `pytestmark = pytest.mark.executors` makes its executors by `executor_of(game)`;
`conftest` runs each of its tests once for each name, but those marked `once`, which ask no
executor. The compiled ones are strict: whatever is asked of them is asked of the reference as well,
and a step or an answer that differs fails the test. So what holds on python holds on the reference,
and the quick run takes python alone. A game that has no lowering skips it, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import TypeVar

import pytest

from rulerun.compiled.ir.program import Unsupported
from rulerun.compiled.python.executor import Bailout, Disagreement, PythonExecutor
from rulerun.reference.executor import Reference
from rulerun.runtime.executor import (
    Executor,
    IllegalInput,
    Input,
    Outcome,
    RuleError,
    Step,
    Verdict,
    Waiting,
)
from rulerun.runtime.state import State
from rulerun_dsl.model import Game

Answer = TypeVar("Answer")

NAMES = ("reference", "python", "native")

current = "reference"
"""On which the test runs; `conftest` sets it."""


def strict(build: type[PythonExecutor]) -> type[PythonExecutor]:
    """A compiled executor that must neither differ from the reference nor give up."""

    class Strict(build):  # type: ignore[misc,valid-type]
        strict = True

        def initial(self) -> Step:
            try:
                state = self._begun()
            except Bailout:
                state = None
            try:
                step = self.reference.initial()
            except RuleError:
                if state is not None:
                    raise Disagreement("set-up is a rule error, and was taken") from None
                raise
            return self._checked(state, step)

        def apply(self, state: State, given: Input) -> Step:
            try:
                step = self.reference.apply(state, given)
            except (IllegalInput, RuleError):
                if self._after(state, given) is not None:
                    raise Disagreement(f"{given} was taken") from None
                raise
            return self._checked(self._after(state, given), step)

        def waiting(self, state: State) -> tuple[Waiting, ...]:
            return self._same(super().waiting(state), self.reference.waiting(state))

        def legal(self, state: State, player: int) -> tuple[int, ...]:
            return self._same(super().legal(state, player), self.reference.legal(state, player))

        def outcomes(self, state: State) -> tuple[Outcome, ...]:
            return self._same(super().outcomes(state), self.reference.outcomes(state))

        def verdict(self, state: State) -> Verdict | None:
            wanted: Verdict | None = self.reference.verdict(state)
            return self._same(super().verdict(state), wanted)

        def _same(self, answer: object, wanted: Answer) -> Answer:
            if answer != wanted:
                raise Disagreement(f"the answer is {answer} and should be {wanted}")
            return wanted

        def _checked(self, state: State | None, step: Step) -> Step:
            if state is None:
                raise Disagreement("a step was given up")
            if state != step.state:
                raise Disagreement("the states differ")
            return self._told(state, step) if self.events else Step(state, ())

    return Strict


@cache
def build(name: str) -> Callable[..., Executor]:
    """What makes the executor of that name, imported when it is first wanted."""
    if name == "reference":
        return Reference
    if name == "python":
        return strict(PythonExecutor)
    from rulerun.compiled.native.executor import NativeExecutor

    return strict(NativeExecutor)


def make(name: str, game: Game, events: bool = True) -> Executor:
    """The executor of that name."""
    if name == "native":
        pytest.importorskip("llvmlite", reason="native: llvmlite is not installed")
    try:
        return build(name)(game, events)
    except Unsupported as reason:
        pytest.skip(f"{name}: {reason}")


MAKERS: dict[str, Callable[..., Executor]] = {name: partial(make, name) for name in NAMES}


def executor_of(game: Game, events: bool = True) -> Executor:
    """The executor of a game that the running test is about."""
    return make(current, game, events)


def maker() -> Callable[..., Executor]:
    """What makes the executors that the running test is about: for each name another function."""
    return MAKERS[current]


def reference_of(executor: Executor) -> Reference:
    """The reference executor of the same game, to look inside."""
    if isinstance(executor, Reference):
        return executor
    assert isinstance(executor, PythonExecutor)
    return executor.reference
