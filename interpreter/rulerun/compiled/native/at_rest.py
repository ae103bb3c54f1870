"""What happens where a game at random rests: luck falls, or somebody decides.

Assumes: the memory of a play (`plan.Places`); the names `who` and `many` (how many options, or
outcomes, there are).
Does: writes, in `ir` itself, what `rulerun.runtime.batch` lays down: when a game pauses, is cut off
or ends for too much luck, which row is drawn from which stream, and what is counted.
Leaves behind: statements, for a game in a loop (`runs`) and one in threads (`threaded`).

What is counted has names while the function runs, and stands in memory before and after.
"""

from __future__ import annotations

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import beside
from rulerun.compiled.ir.program import Program, Question
from rulerun.compiled.ir.sampling import ROW_ASKED
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.ir.value import WORDS, Value
from rulerun.compiled.lower.builder import binary, const, plus
from rulerun.compiled.native.emit import ROW
from rulerun.compiled.native.llvm import Code
from rulerun.compiled.native.memory import SPENT, Rows
from rulerun.compiled.native.plan import (
    DECISIONS,
    ENDLESS,
    FAILED,
    FALLS,
    INPUTS,
    OPTIONS,
    PAUSE,
    SUMS,
    TRUNCATED,
    Places,
)
from rulerun.runtime.luck_bound import MOST_FALLS

_NAMES = {
    DECISIONS: "decisions",
    INPUTS: "inputs",
    OPTIONS: "options",
    FALLS: "falls",
    PAUSE: "pause",
}
assert len(_NAMES) == SUMS
_MANY, _ROW, _WHO = ir.Var("many"), ir.Var("row"), ir.Var("who")


class AtRest:
    """Writes what happens where a play of one program rests."""

    def __init__(self, program: Program, places: Places, counted: bool) -> None:
        """`counted`: with counts of actions."""
        self.program = program
        self.places = places
        self.counted = counted
        self.chancy = any(each.chance for each in program.questions)

    @property
    def count(self) -> Value:
        """How many rows there are."""
        return ir.Slot(const(WORDS + self.places.count))

    @property
    def enough(self) -> Value:
        """Whether enough was played to come back in the middle of a game."""
        return binary(">=", ir.Var("inputs"), ir.Var("pause"))

    def begin(self) -> Body:
        """Take what is counted from memory."""
        return tuple(
            ir.Assign(name, ir.Slot(const(WORDS + self.places.sums + at)))
            for at, name in _NAMES.items()
        )

    def leave(self, how: int) -> Body:
        """Bring what is counted back, and say how the call ends."""
        brought = (
            ir.StoreSlot(const(WORDS + self.places.sums + at), ir.Var(name))
            for at, name in _NAMES.items()
            if at != PAUSE
        )
        return (*brought, ir.Return(const(how)))

    def given_up(self, code: Code) -> None:
        """Bring what is counted back where a run is given up."""
        if code.fail_label is not None:
            label, code.fail_label = code.fail_label, None
            code.at(label)
            code.body(self.leave(FAILED))

    def fall(self, row: Body) -> Body:
        """Luck falls, a `row` of it; too often in a row is an error of the rules."""
        # The input that a rule error refuses is counted.
        endless: Body = (*self._amid_parts(), _more("inputs", const(1)), *self.leave(ENDLESS))
        often = binary(">=", ir.Var("falls"), MOST_FALLS)
        return (ir.If(often, endless), _more("falls", const(1)), *row)

    def even(self) -> Body:
        """A `row` of luck, all of which weigh the same."""
        return (ir.Assign("row", ir.Call("draw", (const(0), _MANY))),)

    def weighed(self) -> Body:
        """A `row` of luck, by the weights of the rows `lots`."""
        bound, names = ir.Var("bound"), ("id", "weight", "slot")
        add = ir.Assign("bound", plus(bound, ir.Var("weight")))
        seek: Body = (
            ir.Assign("left", binary("-", ir.Var("left"), ir.Var("weight"))),
            ir.If(binary("<", ir.Var("left"), 0), (ir.Break(),)),
            _more("row", const(1)),
        )
        return (
            ir.Assign("bound", const(0)),
            ir.EachRow(names, "lots", (add,)),
            ir.Assign("left", ir.Call("draw", (const(0), bound))),
            ir.Assign("row", const(0)),
            ir.EachRow(names, "lots", seek),
        )

    def lots(self, code: Code) -> None:
        """Give a function the rows `lots`."""
        count, data = code.word(self.places.count), code.word(self.places.rows)
        code.rows["lots"] = Rows(data, count, 3, 1 << 40)

    def decide(self, at: Value) -> Body:
        """`who` decides, by a stream of their own: a `row`."""
        return (
            *self._limit(),
            # Where luck never falls nobody counts it.
            *((ir.Assign("falls", const(0)),) if self.chancy else ()),
            ir.Assign("row", ir.Call("draw", (plus(_WHO, 1), _MANY))),
            _more("decisions", const(1)),
            _more("options", _MANY),
            *((ir.Eval(ir.Call("note", (at, _MANY, _ROW))),) if self.counted else ()),
        )

    def taken(self) -> Body:
        """One input more."""
        spent = ir.StoreSlot(const(WORDS + SPENT), const(0))
        return (_more("inputs", const(1)), *((spent,) if self.program.evaluations else ()))

    def _limit(self) -> Body:
        """A decision beyond the bound is not taken."""
        most = self.program.decisions
        reached = binary(">=", ir.Var("decisions"), most)
        cut = (*self._amid_parts(), *self.leave(TRUNCATED))
        return (ir.If(reached, cut),) if most > 0 else ()

    def _amid_parts(self) -> Body:
        """Where parts of a `together` are still to come the run is given up: see `serial`."""
        parts = self.program.parts
        return (ir.If(ir.Slot(const(parts)), (ir.Fail(),)),) if parts else ()


def _more(name: str, by: Value) -> Statement:
    return ir.Assign(name, plus(ir.Var(name), by))


def settle(code: Code, question: Question, row: str, flat: bool, places: Places) -> Body:
    """Give the numbers of a row their names: what is to be done then.

    `flat`: the lister makes that one row, and no other.
    """
    if flat:
        code.body((ir.StoreSlot(ROW_ASKED, ir.Var(row)),))
        start = code.one_row(question.lister, question.width)
    else:
        number = code.value_of(f"mul i64 {code.load(code.names[row])}, {question.width}")
        start = code.value_of(f"getelementptr i64, ptr {code.word(places.rows)}, i64 {number}")
    for column, name in enumerate(question.columns):
        pointer = code.pointer(f"getelementptr i64, ptr {start}, i64 {column}", ROW)
        code.set(name, code.load(pointer))
    return question.settle


def counted_rows(lister: str) -> Value:
    """How many rows there are of a lister that makes one."""
    return ir.Call(beside(lister, "count"), ())
