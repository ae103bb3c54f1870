"""What drives a program natively: running to a rest, settling a row, whole games, batches.

Assumes: a `Target`: a program, and how it is written.
Does: writes, in `ir` itself, a game at random as `rulerun.runtime.batch` lays down; what drives to
the next rest is that of every back end (`lower.advance`).
Leaves behind: the text of a module, and the names and types of what may be called.

Behind the slots stand, besides what `memory.Frame` says, the streams of luck and the sums of a game
(`intrinsics.Places`).

A call plays so many inputs at most and then comes back, in the middle of a game if need be, so that
its caller can be interrupted in between.
"""

from __future__ import annotations

from dataclasses import replace

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import RUN, beside
from rulerun.compiled.ir.sampling import weighs_even
from rulerun.compiled.ir.statement import Statement
from rulerun.compiled.ir.value import WORDS
from rulerun.compiled.lower.advance import advance
from rulerun.compiled.lower.builder import binary, const, plus, times
from rulerun.compiled.native import growing, llvm, llvm_sets, searching, sighting
from rulerun.compiled.native.intrinsics import declarations, luck, note, outside, sort_function
from rulerun.compiled.native.llvm import Code
from rulerun.compiled.native.many import Many
from rulerun.compiled.native.memory import SPENT, Rows, Target, array_of, sort_widths
from rulerun.compiled.native.plan import (
    DECISIONS,
    ENDED,
    ENDLESS,
    FALLS,
    INPUTS,
    OPTIONS,
    PAUSE,
    PAUSED,
    SUMS,
    TRUNCATED,
    Places,
)
from rulerun.compiled.native.tree_layout import Worth
from rulerun.runtime.luck_bound import MOST_FALLS
from rulerun.runtime.play import TOGETHER
from rulerun.runtime.signals import OVER


def places_of(target: Target, actions: int, counted: bool) -> Places:
    """Where things stand in the memory of a play."""
    frame, program = target.frame, target.program
    streams = frame.size + (2 * actions if counted else 0)
    sums = streams + 1 + program.players
    return Places(
        frame.count,
        frame.rows,
        frame.counters,
        frame.size,
        streams,
        sums,
        sums + SUMS,
        target.offset,
    )


def module(
    target: Target,
    actions: int,
    counted: bool = False,
    flat: frozenset[str] = frozenset(),
    deposits: bool = False,
    worth: Worth | None = None,
    many: bool = False,
) -> str:
    """The text of the module of a program; `counted`: with counts of actions.

    `flat`: the listers that make one row (see `sampling.sampled`). `deposits`: the processor has
    `pdep` (BMI2). `worth`: with a tree search that counts ends so. `many`: with what steps
    many plays at once.
    """
    program = target.program
    driver = _Driver(target, places_of(target, actions, counted), counted, actions, flat)
    parts = [llvm.function(target, each) for each in program.functions]
    parts += [llvm.lister(target, each) for each in program.listers]
    parts += [driver.run(), driver.take(), driver.list_at(), driver.who_at(), llvm.rebuild(target)]
    parts += [driver.advance(), driver.game(), driver.tidy(), *driver.by_hand()]
    if worth is not None:
        parts += driver.search(worth)
    if many:
        parts += driver.many()
    words = [*declarations(deposits), *llvm_sets.declared()]
    tables = [*llvm.constants(target), *driver.tables()]
    sorts = [sort_function(width) for width in sorted(sort_widths(program))]
    return "\n".join([*words, *tables, *sorts, *parts]) + "\n"


class _Driver:
    """Writes the functions that drive one program."""

    def __init__(
        self,
        target: Target,
        places: Places,
        counted: bool,
        actions: int,
        flat: frozenset[str],
    ) -> None:
        program = self.program = target.program
        self.places = places
        self.counted = counted
        self.actions = actions
        self.flat = flat
        self.framed = target.framed
        self.pc: ir.Value = ir.Var("b") if self.framed else const(program.base)
        self.blocks = {block.at: block for block in program.blocks}
        even = {lister.name for lister in program.listers if weighs_even(lister)}
        self.chancy = any(each.chance for each in program.questions)
        # 1: luck, by weight; 2: luck, all alike.
        chance = {
            each.at: 2 if each.lister in even else 1 for each in program.questions if each.chance
        }
        wide = {each.at: each.width for each in program.questions}
        self._tables = {
            "CHANCE.AT": tuple(chance.get(at, 0) for at in range(len(self.blocks))),
            "WIDTH.AT": tuple(wide.get(at, 1) for at in range(len(self.blocks))),
        }
        self.target = replace(
            target,
            fallible=target.fallible | {"take.row", "list.at", "who.at", "advance"},
            tables={**target.tables, **self._tables},
        )

    def tables(self) -> list[str]:
        """By instruction: whether it waits for luck, how wide the rows are of what may be taken."""
        return [array_of(name, values) for name, values in self._tables.items()]

    def _switch(self, code: Code, name: str, cases: list[int], prefix: str) -> None:
        """Go to the block of a number; any other gives the run up."""
        held = code.load(code.names[name])
        texts = " ".join(f"i64 {case}, label %{prefix}{case}" for case in cases)
        code.line(f"switch i64 {held}, label %{code.fail()} [{texts}]")
        code.open = False

    def run(self) -> str:
        """All blocks: from an instruction to a rest or another signal."""
        code = Code(self.target, RUN, ("at",))
        code.set("steps", "0")
        code.go("dispatch")
        code.at("dispatch")
        self._switch(code, "at", sorted(self.blocks), "at")
        for at, block in sorted(self.blocks.items()):
            code.at(f"at{at}")
            code.run = at
            more = code.value_of(f"add i64 {code.load(code.names['steps'])}, 1")
            code.line(f"store i64 {more}, ptr {code.names['steps']}")
            code.body(block.body)
            if code.open:
                code.go(code.fail())
        return code.finished()

    def take(self) -> str:
        """Settle a row: where play goes on."""
        code = Code(self.target, "take.row", ("at", "row"))
        self._switch(code, "at", [each.at for each in self.program.questions], "q")
        for question in self.program.questions:
            code.at(f"q{question.at}")
            row = code.load(code.names["row"])
            if question.lister in self.flat:
                code.body(
                    (
                        ir.StoreSlot(const(WORDS + 1), ir.Var("row")),
                        ir.CallLister("one", question.lister, question.width),
                    )
                )
                row = "0"
            start = code.value_of(f"mul i64 {row}, {question.width}")
            rows = code.word(self.places.rows)
            pointer = code.value_of(f"getelementptr i64, ptr {rows}, i64 {start}")
            for column, name in enumerate(question.columns):
                number = code.load(code.value_of(f"getelementptr i64, ptr {pointer}, i64 {column}"))
                code.set(name, number)
            code.body(question.settle)
            if code.open:
                code.go(code.fail())
        return code.finished()

    def list_at(self) -> str:
        """List what may be chosen, or may fall, at an instruction: how much."""
        code = Code(self.target, "list.at", ("at",))
        listers = {each.at: (each.lister, each.width) for each in self.program.questions}
        listers |= {each.at: (each.players, 1) for each in self.program.togethers}
        self._switch(code, "at", sorted(listers), "q")
        for at, (lister, width) in sorted(listers.items()):
            code.at(f"q{at}")
            if lister in self.flat:
                many = ir.Call(beside(lister, "count"), ())
                code.body((ir.StoreSlot(const(WORDS), many), ir.Return(ir.Slot(const(WORDS)))))
                continue
            code.body((ir.CallLister("rows", lister, width), ir.Return(ir.Length("rows"))))
        return code.finished()

    def who_at(self) -> str:
        """Who decides at a question."""
        code = Code(self.target, "who.at", ("at",))
        self._switch(code, "at", [each.at for each in self.program.questions], "q")
        for question in self.program.questions:
            code.at(f"q{question.at}")
            code.body((ir.Return(question.player),))
        return code.finished()

    def tidy(self) -> str:
        """Copies in order."""
        code = Code(self.target, "tidy", ())
        code.body((*self.program.canonical, ir.Return(const(0))))
        return code.finished()

    # ------------------------------------------------------------------------------ to a rest

    def advance(self) -> str:
        """Run a control stack, and what follows, until all rest or the game is over."""
        code = Code(self.target, "advance", ("frame", "at"))
        start = plus(times(ir.Var("frame"), self.program.frame), self.program.base)
        code.body((*self._set_b(start), *advance(self.program)))
        return code.finished()

    def _set_b(self, value: ir.Value) -> tuple[Statement, ...]:
        return (ir.Assign("b", value),) if self.framed else ()

    # -------------------------------------------------------------------------------- a game

    def game(self) -> str:
        """A game from a rest on: `ENDED` and so on, see `intrinsics`."""
        code = Code(self.target, "game", ("signal",))
        program, places = self.program, self.places
        count, data = code.word(places.count), code.word(places.rows)
        code.rows["lots"] = Rows(data, count, 3, 1 << 40)
        sums = [const(WORDS + places.sums + at) for at in range(SUMS)]
        many, row = ir.Var("many"), ir.Var("row")
        at = ir.Var("at")
        # The input that a rule error refuses is counted.
        endless = (
            *self._amid_parts(),
            ir.Add(sums[INPUTS], const(1)),
            ir.Return(const(ENDLESS)),
        )
        falls: tuple[Statement, ...] = (
            ir.If(binary(">=", ir.Slot(sums[FALLS]), MOST_FALLS), endless),
            ir.Add(sums[FALLS], const(1)),
            *self._fall(),
        )
        decide: tuple[Statement, ...] = (
            *self._limit(sums[DECISIONS]),
            # Where luck never falls nobody counts it.
            *((ir.StoreSlot(sums[FALLS], const(0)),) if self.chancy else ()),
            ir.Assign("row", ir.Call("draw", (plus(ir.Var("who"), 1), many))),
            ir.Add(sums[DECISIONS], const(1)),
            ir.Add(sums[OPTIONS], many),
            *((ir.Eval(ir.Call("note", (at, many, row))),) if self.counted else ()),
        )
        paused = binary(">=", ir.Slot(sums[INPUTS]), ir.Slot(sums[PAUSE]))
        loop: tuple[Statement, ...] = (
            ir.If(binary("==", ir.Var("signal"), OVER), (ir.Return(const(ENDED)),)),
            ir.If(paused, (ir.Return(const(PAUSED)),)),
            *self._who_is_next(),
            ir.Assign("many", ir.Slot(const(WORDS + places.count))),
            ir.If(binary("<", ir.Var("who"), 0), falls, decide),
            ir.Add(sums[INPUTS], const(1)),
            *((ir.StoreSlot(const(WORDS + SPENT), const(0)),) if program.evaluations else ()),
            ir.Assign("to", ir.Call("take.row", (at, row))),
            ir.StoreSlot(self.pc, const(0)),
            ir.Assign("signal", ir.Call("advance", (ir.Var("frame"), ir.Var("to")))),
        )
        code.body((*self._set_b(const(program.base)), ir.While(const(1), loop), ir.Fail()))
        return code.finished()

    def _fall(self) -> tuple[Statement, ...]:
        """A `row` of luck, by the weights of the rows `lots`."""
        many, bound, row = ir.Var("many"), ir.Var("bound"), ir.Var("row")
        weigh = ir.EachRow(
            ("id", "weight", "slot"), "lots", (ir.Assign("bound", plus(bound, ir.Var("weight"))),)
        )
        fall = ir.EachRow(
            ("id", "weight", "slot"),
            "lots",
            (
                ir.Assign("left", binary("-", ir.Var("left"), ir.Var("weight"))),
                ir.If(binary("<", ir.Var("left"), 0), (ir.Break(),)),
                ir.Assign("row", plus(row, 1)),
            ),
        )
        weighed: tuple[Statement, ...] = (
            ir.Assign("bound", const(0)),
            weigh,
            ir.Assign("left", ir.Call("draw", (const(0), bound))),
            ir.Assign("row", const(0)),
            fall,
        )
        even = binary("==", ir.TableLoad("CHANCE.AT", ir.Var("at")), 2)
        drawn = (ir.Assign("row", ir.Call("draw", (const(0), many))),)
        return (ir.If(even, drawn, weighed),)

    def search(self, worth: Worth) -> tuple[str, ...]:
        """A tree search."""
        target, places, next_ = self.target, self.places, self._who_is_next()
        seen = sighting.sight(target, worth.sight) if worth.sight else []
        text = searching.search(target, places, worth, self.actions, next_, self._fall())
        return *seen, text, growing.grow(self.program, places, worth, self.framed)

    def many(self) -> list[str]:
        """What steps many plays."""
        given = self.target, self.places, self.actions, self._who_is_next(), self._fall()
        return Many(*given).text()

    def _limit(self, decisions: ir.Const) -> tuple[Statement, ...]:
        """A decision beyond the bound is not taken."""
        most = self.program.decisions
        reached = binary(">=", ir.Slot(decisions), most)
        cut = (*self._amid_parts(), ir.Return(const(TRUNCATED)))
        return (ir.If(reached, cut),) if most > 0 else ()

    def _amid_parts(self) -> tuple[Statement, ...]:
        """Where parts of a `together` are still to come the run is given up: see `serial`."""
        parts = self.program.parts
        return (ir.If(ir.Slot(const(parts)), (ir.Fail(),)),) if parts else ()

    def _who_is_next(self) -> tuple[Statement, ...]:
        """`frame`, `at`, and `who`: -1 for luck."""
        program = self.program
        alone: tuple[Statement, ...] = (
            ir.Assign("frame", const(0)),
            ir.Assign("at", plus(ir.Slot(const(program.base)), -1)),
            ir.If(
                ir.TableLoad("CHANCE.AT", ir.Var("at")),
                (ir.Assign("who", const(-1)),),
                (ir.Assign("who", ir.Call("who.at", (ir.Var("at"),))),),
            ),
        )
        if not self.framed:
            return alone
        best, found, at = ir.Var("who"), ir.Var("found"), ir.Var("standing")
        take = (
            ir.Assign("who", found),
            ir.Assign("frame", ir.Var("f")),
            ir.Assign("at", at),
        )
        look: tuple[Statement, ...] = (
            ir.Assign("b", plus(times(ir.Var("f"), program.frame), program.base)),
            ir.Assign("standing", plus(ir.Slot(ir.Var("b")), -1)),
            ir.If(
                binary(">=", at, 0),
                (
                    ir.If(
                        ir.TableLoad("CHANCE.AT", at),
                        (ir.Assign("found", const(-1)),),
                        (ir.Assign("found", ir.Call("who.at", (at,))),),
                    ),
                    ir.If(binary("<", found, best), take),
                    ir.If(binary("<", found, 0), (ir.Break(),)),
                ),
            ),
        )
        several: tuple[Statement, ...] = (
            ir.Assign("who", const(1 << 40)),
            ir.For("f", const(1), const(program.frames), look),
            ir.Assign("b", plus(times(ir.Var("frame"), program.frame), program.base)),
            ir.Eval(ir.Call("list.at", (ir.Var("at"),))),
        )
        return (
            *self._set_b(const(program.base)),
            ir.If(ir.Slot(const(TOGETHER)), several, alone),
        )

    # -------------------------------------------------------------------------------- by hand

    def by_hand(self) -> list[str]:
        """Luck, and what is called from outside."""
        b = "i64 %b, " if self.framed else ""
        base = f"i64 {self.program.base}, " if self.framed else ""
        given = f"i64 {self.program.base}" if self.framed else ""
        return [
            luck(self.places, b),
            note(self.places, self.actions, b, self.program) if self.counted else "",
            outside(self.program, self.places, base, given, self.target.bits),
        ]
