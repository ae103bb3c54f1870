"""What drives a program natively: running to a rest, settling a row, whole games, batches.

Assumes: a `Target`: a program, and how it is written.
Does: writes, in `ir` itself, a game at random as `rulerun.runtime.batch` lays down; what drives to
the next rest is that of every back end (`lower.advance`).
Leaves behind: the text of a module, and the names and types of what may be called.

Behind the slots stand, besides what `memory.Frame` says, the streams of luck and the sums of a game
(`plan.Places`).

A call plays so many inputs at most and then comes back, in the middle of a game if need be, so that
its caller can be interrupted in between.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import RUN
from rulerun.compiled.ir.sampling import ROWS_COUNT, weighs_even
from rulerun.compiled.ir.statement import Statement
from rulerun.compiled.ir.successors import kept_by, reached
from rulerun.compiled.ir.value import WORDS
from rulerun.compiled.lower.advance import advance
from rulerun.compiled.lower.builder import binary, const, plus, times
from rulerun.compiled.native import growing, llvm, llvm_sets, searching, sighting
from rulerun.compiled.native.at_rest import AtRest, counted_rows, settle
from rulerun.compiled.native.block_labels import BlockLabels
from rulerun.compiled.native.emit import memory_kinds
from rulerun.compiled.native.held_slots import Held
from rulerun.compiled.native.intrinsics import (
    declarations,
    luck,
    note,
    outside,
    sort_function,
    step_by_step,
)
from rulerun.compiled.native.llvm import Code
from rulerun.compiled.native.many import Many
from rulerun.compiled.native.memory import Target, array_of, sort_widths
from rulerun.compiled.native.plan import ENDED, PAUSED, SUMS, Places
from rulerun.compiled.native.threaded import threaded
from rulerun.compiled.native.tree_layout import Worth
from rulerun.runtime.play import TOGETHER
from rulerun.runtime.signals import BY_WORD, OPEN, OVER, REST


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
    held: Held | None = None,
) -> str:
    """The text of the module of a program; `counted`: with counts of actions.

    `flat`: the listers that make one row (see `sampling.sampled`). `deposits`: the processor has
    `pdep` (BMI2). `worth`: with a tree search that counts ends so. `many`: with what steps
    many plays at once. `held`: only whole games are played, each as one function that holds
    these slots (`threaded`).
    """
    program = target.program
    driver = _Driver(target, places_of(target, actions, counted), counted, actions, flat)
    parts = [llvm.function(target, each) for each in program.functions]
    parts += [llvm.lister(target, each) for each in program.listers]
    parts += [llvm.rebuild(target), driver.run(begun_only=held is not None), driver.advance()]
    if held is not None:
        parts.append(threaded(target, driver.rest, flat, held))
    else:
        parts += [driver.take(), driver.list_at(), driver.who_at(), driver.tidy(), driver.game()]
    parts += driver.by_hand(steps=held is None, end=held.end if held else None)
    if worth is not None:
        parts += driver.search(worth)
    if many:
        parts += driver.many()
    words = [*declarations(deposits), *llvm_sets.declared("\n".join(parts))]
    tables = [*llvm.constants(target), *driver.tables()]
    sorts = [sort_function(width) for width in sorted(sort_widths(program))]
    return "\n".join([*words, *tables, *sorts, *parts, *memory_kinds()]) + "\n"


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
        even = {lister.name for lister in program.listers if weighs_even(lister)}
        self.rest = AtRest(program, places, counted)
        # 1: luck, by weight; 2: luck, all alike.
        chance = {
            each.at: 2 if each.lister in even else 1 for each in program.questions if each.chance
        }
        wide = {each.at: each.width for each in program.questions}
        self._tables = {
            "CHANCE.AT": tuple(chance.get(at, 0) for at in range(len(program.blocks))),
            "WIDTH.AT": tuple(wide.get(at, 1) for at in range(len(program.blocks))),
        }
        self.target = replace(
            target,
            fallible=target.fallible | {"take.row", "list.at", "who.at", "advance"},
            tables={**target.tables, **self._tables},
        )

    def tables(self) -> list[str]:
        """By instruction: whether it waits for luck, how wide the rows are of what may be taken."""
        return [array_of(name, values) for name, values in self._tables.items()]

    def _switch(self, code: Code, cases: Iterable[int]) -> None:
        """Go to the label of an instruction."""
        code.switch(code.load(code.names["at"]), {at: f"q{at}" for at in cases})

    def run(self, begun_only: bool) -> str:
        """The blocks: from an instruction to a rest or another signal.

        `begun_only`: those at which a game begins, and what is supposed.
        """
        program = self.program
        code = Code(self.target, RUN, ("at",))

        def leave(statement: ir.Rest | ir.Signal) -> None:
            signal = BY_WORD[statement.word] if isinstance(statement, ir.Signal) else REST
            if signal in (REST, OPEN):
                code.write(*code.slot(self.pc), str(statement.at + 1))
            code.body((ir.Return(const(signal)),))

        kept = kept_by(program)
        roots = [block.at for block in program.blocks]
        if begun_only:
            roots = [program.entry, *program.supposed]
        inside = reached(program, roots, kept)
        those = [block for block in program.blocks if block.at in inside]
        blocks = BlockLabels(code, those, kept, leave)
        blocks.go(code.load(code.names["at"]), roots)
        blocks.write()
        return code.finished()

    def take(self) -> str:
        """Settle a row: where play goes on."""
        code = Code(self.target, "take.row", ("at", "row"))
        self._switch(code, [each.at for each in self.program.questions])
        for question in self.program.questions:
            code.at(f"q{question.at}")
            flat = question.lister in self.flat
            code.body(settle(code, question, "row", flat, self.places))
            if code.open:
                code.go(code.fail())
        return code.finished()

    def list_at(self) -> str:
        """List what may be chosen, or may fall, at an instruction: how much."""
        code = Code(self.target, "list.at", ("at",))
        listers = {each.at: (each.lister, each.width) for each in self.program.questions}
        listers |= {each.at: (each.players, 1) for each in self.program.togethers}
        self._switch(code, sorted(listers))
        for at, (lister, width) in sorted(listers.items()):
            code.at(f"q{at}")
            if lister in self.flat:
                many = ir.StoreSlot(ROWS_COUNT, counted_rows(lister))
                code.body((many, ir.Return(ir.Slot(ROWS_COUNT))))
                continue
            code.body((ir.CallLister("rows", lister, width), ir.Return(ir.Length("rows"))))
        return code.finished()

    def who_at(self) -> str:
        """Who decides at a question."""
        code = Code(self.target, "who.at", ("at",))
        self._switch(code, [each.at for each in self.program.questions])
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
        steps = const(WORDS + self.target.frame.steps)
        ran = (ir.StoreSlot(steps, const(0)),) if self.framed else ()
        code.body((*ran, *self._set_b(start), *advance(self.program)))
        return code.finished()

    def _set_b(self, value: ir.Value) -> tuple[Statement, ...]:
        return (ir.Assign("b", value),) if self.framed else ()

    # -------------------------------------------------------------------------------- a game

    def game(self) -> str:
        """A game from a rest on: `ENDED` and so on, see `plan`."""
        code = Code(self.target, "game", ("signal",))
        rest, at = self.rest, ir.Var("at")
        rest.lots(code)
        loop: tuple[Statement, ...] = (
            ir.If(binary("==", ir.Var("signal"), OVER), rest.leave(ENDED)),
            ir.If(rest.enough, rest.leave(PAUSED)),
            *self._who_is_next(),
            ir.Assign("many", rest.count),
            ir.If(binary("<", ir.Var("who"), 0), rest.fall(self._fall()), rest.decide(at)),
            *rest.taken(),
            ir.Assign("to", ir.Call("take.row", (at, ir.Var("row")))),
            ir.StoreSlot(self.pc, const(0)),
            ir.Assign("signal", ir.Call("advance", (ir.Var("frame"), ir.Var("to")))),
        )
        start = (*rest.begin(), *self._set_b(const(self.program.base)))
        code.body((*start, ir.While(const(1), loop), ir.Fail()))
        rest.given_up(code)
        return code.finished()

    def _fall(self) -> tuple[Statement, ...]:
        """A `row` of luck."""
        even = binary("==", ir.TableLoad("CHANCE.AT", ir.Var("at")), 2)
        return (ir.If(even, self.rest.even(), self.rest.weighed()),)

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

    def by_hand(self, steps: bool, end: int | None) -> list[str]:
        """Luck, and what is called from outside; `steps`: with what plays input by input.

        `end`: how many slots a game that begins looks at.
        """
        b = "i64 %b, " if self.framed else ""
        base = f"i64 {self.program.base}, " if self.framed else ""
        given = f"i64 {self.program.base}" if self.framed else ""
        listed = self.counted or any(
            each.lister not in self.flat for each in self.program.questions
        )
        return [
            luck(self.places, b),
            note(self.places, self.actions, b, self.program) if self.counted else "",
            outside(self.program, self.places, base, given, self.target.bits, listed, end),
            step_by_step(self.program, self.places, base, given, self.target.bits) if steps else "",
        ]
