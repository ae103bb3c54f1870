"""A game at random as one function, in which every instruction is a place.

Assumes: a program with one control stack, that only plays whole games and is not too long.
Does: writes the blocks as labels, and beside each question a label where somebody decides or luck
falls: there a row is drawn and settled, and play goes on at the block that follows. Nothing is
looked up from one rest to the next: a game knows where it stands by being there.
Leaves behind: the function `game`, which does what that of `runs` does, out of the same parts.

Where the control stack rests, and what is held in registers, is written only when the function is
left in the middle of a game, to be gone on with there. What is over is looked at by nobody but who
reads how it ended: nothing of the control stack is cleared then.
"""

from __future__ import annotations

from rulerun.compiled import ir
from rulerun.compiled.ir.passes import every_part
from rulerun.compiled.ir.program import Question
from rulerun.compiled.ir.sampling import weighs_even
from rulerun.compiled.ir.statement import Body
from rulerun.compiled.ir.successors import kept_by
from rulerun.compiled.lower.builder import binary, const, plus
from rulerun.compiled.native.at_rest import AtRest, settle
from rulerun.compiled.native.block_labels import BlockLabels
from rulerun.compiled.native.held_slots import Held
from rulerun.compiled.native.llvm import Code
from rulerun.compiled.native.memory import Target
from rulerun.compiled.native.plan import ENDED, PAUSED
from rulerun.runtime.signals import OVER

_OVER, _PAUSED = "over", "paused"
LONGEST = 5_000
"""How long a game may be (`effort_of`) to be one function. LLVM's time grows faster than the length
of a function: of 6,000 it is not twice that of the loop, of 30,000 (Ruse) six times."""


def effort_of(program: ir.Program) -> int:
    """How much the function of a game would hold, in parts of statements."""
    bodies = (each.body for each in program.blocks)
    settled = (each.settle for each in program.questions)
    return sum(1 for body in (*bodies, *settled) for _ in every_part(body))


def threaded(target: Target, rest: AtRest, flat: frozenset[str], held: Held) -> str:
    """The function of a game.

    `flat`: the listers that make one row (see `sampling.sampled`). `held`: the slots that the
    function holds by itself.
    """
    return _Game(target, rest, flat, held).text()


def _asked(at: int) -> str:
    """The label at which a question is answered."""
    return f"ask{at}"


class _Game:
    def __init__(self, target: Target, rest: AtRest, flat: frozenset[str], held: Held) -> None:
        self.program = target.program
        self.rest = rest
        self.flat = flat
        self.held = held
        self.counter = const(target.program.base)
        self.even = {each.name for each in target.program.listers if weighs_even(each)}
        self.code = Code(target, "game", ("signal",))

    def text(self) -> str:
        code, program, rest = self.code, self.program, self.rest
        over = binary("==", ir.Var("signal"), OVER)
        code.body((*rest.begin(), ir.If(over, rest.leave(ENDED))))
        code.hold(self.held.slots, self.held.read, self.held.known)
        rest.lots(code)
        blocks = BlockLabels(code, program.blocks, kept_by(program), self._leave, roughly=True)
        standing = code.value(plus(ir.Slot(self.counter), -1))
        code.switch(standing, {each.at: _asked(each.at) for each in program.questions})
        for question in program.questions:
            code.at(_asked(question.at))
            self._ask(question, blocks)
        blocks.write()
        code.at(_OVER)
        verdict = ir.CallLister("verdict", "judge", 2 + program.lines)
        code.body((*program.restart, verdict, *rest.leave(ENDED)))
        code.at(_PAUSED)
        code.put_back()
        code.body(rest.leave(PAUSED))
        rest.given_up(code)
        return code.finished()

    def _leave(self, statement: ir.Rest | ir.Signal) -> None:
        match statement:
            case ir.Rest(at, _):
                self.code.go(_asked(at))
            case ir.Signal("over", _):
                self.code.go(_OVER)
            case _:
                self.code.go(self.code.fail())

    def _ask(self, question: Question, blocks: BlockLabels) -> None:
        code, rest, at = self.code, self.rest, const(question.at)
        code.known(question.known)
        pauses, goes_on = code.label(), code.label()
        code.branch(code.condition(rest.enough), pauses, goes_on)
        code.at(pauses)
        code.body((ir.StoreSlot(self.counter, plus(at, 1)),))
        code.go(_PAUSED)
        code.at(goes_on)
        drawn: Body
        if question.chance:
            even = question.lister in self.even
            drawn = rest.fall(rest.even() if even else rest.weighed())
        else:
            drawn = (ir.Assign("who", question.player), *rest.decide(at))
        code.body((ir.Assign("many", rest.count), *drawn, *rest.taken()))
        blocks.rested()
        flat = question.lister in self.flat
        blocks.body(settle(code, question, "row", flat, rest.places))
