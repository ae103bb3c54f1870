"""Blocks of a program as labels of one function.

Assumes: a function that is being written (`llvm.Code`); blocks that jump to none but each other.
Does: writes block after block. A jump to a block that is known goes straight to its label; one back
to where a procedure was called from chooses among the places that it is called from.
Leaves behind: lines. What happens at a rest, and at a signal, is said by who writes the function.

No run is without end: instructions are counted, and looked at on every way back and where the
function is left. Where several control stacks run, all that they run in one input counts; what is
only supposed to run counts by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rulerun.compiled import ir
from rulerun.compiled.ir.successors import Kept, targets_of
from rulerun.compiled.native.llvm import Code, Leaving
from rulerun.compiled.native.memory import STEPS

_STEPS = "steps"


def label_of(at: int) -> str:
    """The label of a block."""
    return f"at{at}"


class BlockLabels:
    """The blocks of one function."""

    def __init__(
        self,
        code: Code,
        blocks: Iterable[ir.Block],
        kept: Kept,
        leave: Callable[[ir.Rest | ir.Signal], None],
    ) -> None:
        """`leave` writes what a `Rest` and a `Signal` do."""
        self.code = code
        self.blocks = sorted(blocks, key=lambda block: block.at)
        self._numbers = {block.at for block in self.blocks}
        self._kept = kept
        self._leave = leave
        self._at = 0
        self._body: ir.Body = ()
        code.leaves = self._goes
        self._framed = code.target.framed
        if self._framed:
            code.set(_STEPS, code.load(code.word(STEPS)))
        else:
            self.rested()

    def rested(self) -> None:
        """What is counted between two rests begins."""
        self.code.set(_STEPS, "0")

    def write(self) -> None:
        """All blocks."""
        code = self.code
        for block in self.blocks:
            code.at(label_of(block.at))
            self._at = block.at
            steps = code.names[_STEPS]
            code.set(_STEPS, code.value_of(f"add i64 {code.load(steps)}, 1"))
            self.body(block.body)

    def body(self, body: ir.Body) -> None:
        """Statements that end by going on somewhere; where they do not, the run is given up."""
        self._body = body
        self.code.body(body)
        if self.code.open:
            self.code.go(self.code.fail())

    def go(self, number: str, targets: Iterable[int] | None = None) -> None:
        """Go on at the block of a number, one of these: of all, if that is not known."""
        among = self._numbers if targets is None else self._numbers & set(targets)
        self.code.switch(number, {at: label_of(at) for at in sorted(among)})

    def _goes(self, statement: Leaving) -> None:
        match statement:
            case ir.Jump(ir.Const(to)):
                if to <= self._at:
                    self._some_left("ult")
                self.code.go(label_of(to))
            case ir.Jump(to) as jump:
                held = self.code.value(to)
                self._some_left("ult")
                self.go(held, targets_of(jump, self._body, self._kept))
            case _:
                steps = self._some_left("ule")
                supposed = isinstance(statement, ir.Signal) and statement.word == "supposed"
                if self._framed and not supposed:
                    self.code.put(steps, self.code.word(STEPS))
                self._leave(statement)

    def _some_left(self, compared: str) -> str:
        """No more ran than may run; `ult`: and one more may. How many ran."""
        code = self.code
        steps = code.load(code.names[_STEPS])
        code.check(code.value_of(f"icmp {compared} i64 {steps}, {code.target.program.steps}"))
        return steps
