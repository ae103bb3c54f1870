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
        roughly: bool = False,
    ) -> None:
        """`leave` writes what a `Rest` and a `Signal` do.

        `roughly`: a run may be given up when nearly as many instructions ran as may run.
        """
        self.code = code
        self.blocks = sorted(blocks, key=lambda block: block.at)
        self._numbers = {block.at for block in self.blocks}
        self._kept = kept
        self._leave = leave
        self._at = 0
        self._body: ir.Body = ()
        code.leaves = self._goes
        self._framed = code.target.framed
        most, forward = code.target.program.steps, len(self.blocks)
        self._looks = not roughly or most < 2 * forward
        """Whether it is looked where the function is left as well: from a way back on no more than
        each block runs, for which there can be room."""
        self._enough = most if self._looks else most - forward
        if self._framed:
            code.set(_STEPS, code.load(code.word(code.target.frame.steps)))
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
                    self._some_left()
                self.code.go(label_of(to))
            case ir.Jump(to) as jump:
                held = self.code.value(to)
                self._some_left()
                self.go(held, targets_of(jump, self._body, self._kept))
            case _:
                self._left(statement)

    def _left(self, statement: ir.Rest | ir.Signal) -> None:
        code, steps = self.code, self._steps()
        if self._looks:
            code.check(code.value_of(f"icmp ule i64 {steps}, {self._enough}"))
        supposed = isinstance(statement, ir.Signal) and statement.word == "supposed"
        if self._framed and not supposed:
            code.put(steps, code.word(code.target.frame.steps))
        self._leave(statement)

    def _some_left(self) -> None:
        """One more may run."""
        self.code.check(self.code.value_of(f"icmp ult i64 {self._steps()}, {self._enough}"))

    def _steps(self) -> str:
        return self.code.load(self.code.names[_STEPS])
