"""A program as LLVM IR.

Assumes: a `Target` (`memory`) whose program has no number of more than 64 bits.
Does: writes statements, functions, listers and tables. The slots stand first in the memory of a
play, as narrow as their types allow; behind them how many rows there are and the rows where a play
rests, masks of slots, and the counters of coverage, 64 bits each (`memory`).
Leaves behind: text for `runs`, which adds what runs all of it.

Every address, index and row is checked against its bounds unless it is constant; what is out of
bounds, like everything that the rules forbid, gives the run up: the function returns `FAILED`.
"""

from __future__ import annotations

from collections.abc import Callable

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import FOUND
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.builder import plus
from rulerun.compiled.native.emit import ROW, SLOT
from rulerun.compiled.native.llvm_values import Values
from rulerun.compiled.native.memory import (
    MOST_KEPT,
    SPENT,
    Rows,
    Target,
    array_of,
    quoted,
    touches,
)
from rulerun.compiled.native.plan import FAILED
from rulerun.compiled.native.set_widths import width_for


def constants(target: Target) -> list[str]:
    """The constant tables of a program."""
    program = target.program
    found = [array_of(name, values) for name, values in program.tables]
    for name, lists in program.lists:
        starts = [0]
        for each in lists:
            starts.append(starts[-1] + len(each))
        found.append(array_of(f"{name}.starts", starts))
        found.append(array_of(name, [one for each in lists for one in each] or [0]))
    found.append(array_of("BEGIN", program.begin, target.cell))
    return found


def function(target: Target, node: ir.Function) -> str:
    """A function of the program."""
    code = Code(target, node.name, node.parameters)
    code.body(node.body)
    return code.finished()


def lister(target: Target, node: ir.Lister) -> str:
    """A lister: rows into a place that is given; how many."""
    code = Code(target, node.name, (), ("ptr %out",))
    count = code.alloca("i64")
    code.line(f"store i64 0, ptr {count}")
    code.rows["found"] = Rows("%out", count, node.width, node.most)
    code.found = True
    code.body(node.body)
    if code.open:
        found = code.rows["found"]
        code.line(f"ret i64 {code.load(found.count)}")
        code.open = False
    return code.finished()


def rebuild(target: Target) -> str:
    """The function that makes all masks of regions from the slots."""
    code = Code(target, "rebuild", ())
    for region in target.regions:
        for value in range(region.many):
            mask = code.compared(region.base, region.number, str(region.low + value))
            code.put(mask, code.word(region.word + value))
    code.body((ir.Return(ir.Const(0)),))
    return code.finished()


Leaving = ir.Jump | ir.Rest | ir.Signal
"""The statements that leave a block."""


class Code(Values):
    """The statements of one function."""

    done: str | None = None
    """Where it goes on behind a lister that stands in this function."""
    leaves: Callable[[Leaving], None] | None = None
    """Writes what leaves a block (`block_labels`)."""

    def body(self, body: Body) -> None:
        """Statements, one after another."""
        for statement in body:
            if not self.open:
                return
            self.statement(statement)

    def statement(self, statement: Statement) -> None:
        """One statement."""
        match statement:
            case ir.NewBits(name, many):
                self.new_set(name, width_for(many))
            case ir.Assign(name, given) if bits := self.wide_name(name, given):
                self.set_bits(name, given, bits)
            case ir.Assign(name, given):
                self.set(name, self.value(given))
            case ir.StoreSlot(address, given):
                self.store(address, self.value(given))
            case ir.Add(address, given):
                number = self.value(given)
                pointer, cell = self.slot(address)
                more = self.value_of(f"add i64 {self.read(pointer, cell)}, {number}")
                self.store(address, more)
            case ir.Fill(address, number, given):
                self._fill(address, number, given)
            case ir.Copy(to, source, number) if number:
                target, cell = self.slot(to, number)
                origin, _ = self.slot(source, number)
                size = int(cell[1:]) // 8 * number
                self.line(f"call void @llvm.memmove.p0.p0.i64(ptr {target}, ptr {origin}, "
                          f"i64 {size}, i1 false)")  # fmt: skip
            case ir.Copy():
                pass
            case ir.If(condition, then, otherwise):
                self._if(condition, then, otherwise)
            case ir.Return() if self.done is not None:
                self.go(self.done)
            case ir.Return(given):
                self.give(self.wide(given, self.gives) if self.gives else self.value(given))
            case ir.Suppose():
                self._suppose(statement)
            case ir.Fail():
                self.go(self.fail())
            case ir.Eval(given) if bits := self.bits_of(given):
                self.wide(given, bits)
            case ir.Eval(given):
                self.value(given)
            case ir.Break():
                self.go(self.loops[-1][1])
            case ir.Count(counter):
                pointer = self.word(self.target.frame.counters + counter)
                more = self.value_of(f"add i64 {self.load(pointer)}, 1")
                self.put(more, pointer)
            case ir.Spend():
                pointer = self.word(SPENT)
                spent = self.load(pointer)
                self.check(
                    self.value_of(f"icmp ult i64 {spent}, {self.target.program.evaluations}")
                )
                self.put(self.value_of(f"add i64 {spent}, 1"), pointer)
            case (
                ir.NewRows() | ir.Push() | ir.RowSet() | ir.SortRows() | ir.Swap() | ir.CallLister()
            ):
                self._rows(statement)
            case ir.Jump() | ir.Rest() | ir.Signal() if self.leaves is not None:
                self.leaves(statement)
            case ir.Jump(to):
                # A row is settled: who called goes on there.
                self.line(f"ret i64 {self.value(to)}")
                self.open = False
            case _:
                self._loop(statement)

    def _suppose(self, statement: ir.Suppose) -> None:
        """Slots that may be written and their masks are kept on the stack meanwhile."""
        target = self.target
        program, cell = target.program, target.cell_bytes
        runs = statement.runs
        if runs is None:
            runs, regions = ((0, program.size),), target.regions
        else:
            regions = tuple(
                region
                for region in target.regions
                if any(touches(ir.Const(base), number, region) for base, number in runs)
            )
            runs = (*runs, (program.rest, program.size - program.rest))
        whole = [
            *((self.cell_at(base), number * cell) for base, number in runs),
            *((self.word(region.word), 8 * region.many) for region in regions),
            (self.word(target.frame.counters), 8 * statement.counters),
        ]
        kept = [(at, self.alloca(f"[{size} x i8], align 16"), size) for at, size in whole if size]
        copy = "call void @llvm.memcpy.p0.p0.i64(ptr {}, ptr {}, i64 {}, i1 false)"

        def bring_back() -> None:
            for at, copied, size in kept:
                self.line(copy.format(at, copied, size))

        for at, copied, size in kept:
            self.line(copy.format(copied, at, size))
        outer, undo = self.fail_label, self.label()
        self.fail_label = undo
        self.body(statement.body)
        self.fail_label = outer
        done = self.label()
        bring_back()
        self.go(done)
        self.at(undo)
        bring_back()
        self.go(self.fail())
        self.at(done)

    def _holds_some(self, address: Value, number: int) -> bool:
        return isinstance(address, ir.Const) and any(
            address.value <= at < address.value + number for at in self.held
        )

    def _fill(self, address: Value, number: int, given: int) -> None:
        if not number:
            return
        if self._holds_some(address, number) or any(
            touches(address, number, region) for region in self.target.regions
        ):
            for at in range(number):
                self.store(plus(address, at), str(given))
            return
        start, cell = self.slot(address, number)
        if given == 0:
            size = int(cell[1:]) // 8 * number
            self.line(f"call void @llvm.memset.p0.i64(ptr {start}, i8 0, i64 {size}, i1 false)")
            return
        for at in range(number):
            pointer = self.pointer(f"getelementptr {cell}, ptr {start}, i64 {at}", SLOT)
            self.write(pointer, cell, str(given))

    def _if(self, condition: Value, then: Body, otherwise: Body) -> None:
        yes, done = self.label(), self.label()
        no = self.label() if otherwise else done
        self.branch(self.condition(condition), yes, no)
        self.at(yes)
        self.body(then)
        ends = [self.open]
        if self.open:
            self.go(done)
        if otherwise:
            self.at(no)
            self.body(otherwise)
            ends.append(self.open)
            if self.open:
                self.go(done)
        else:
            ends.append(True)
        if any(ends):
            self.open = False
            self.at(done)
        else:
            self.open = False

    def _loop(self, statement: Statement) -> None:
        match statement:
            case ir.While(condition, body):
                test, inner, done = self.label(), self.label(), self.label()
                self.at(test)
                self.branch(self.condition(condition), inner, done)
                self.at(inner)
                self._inside(body, test, done)
                self.at(done)
            case ir.For(name, low, high, body):
                start, end = self.value(low), self.value(high)
                self._counted(start, end, lambda at: self.set(name, at), body)
            case ir.Each(name, table, index, body):
                lists = self.target.lists[table]
                which = self.value(index)
                self.inside(which, len(lists))
                first = self.value_of(f"getelementptr i64, ptr @{table}.starts, i64 {which}")
                start = self.load(first)
                end = self.load(self.value_of(f"getelementptr i64, ptr {first}, i64 1"))

                def member(at: str) -> None:
                    pointer = self.value_of(f"getelementptr i64, ptr @{table}, i64 {at}")
                    self.set(name, self.load(pointer))

                self._counted(start, end, member, body)
            case ir.EachEqual(name, base, number, sought, body):
                wanted = self.value(sought)
                self._counted(
                    "0",
                    str(number),
                    lambda at: self.set(name, at),
                    body,
                    lambda at: self._holds(base, at, wanted),
                )
            case ir.EachBit(name, given, body):
                self._bits(name, given, body)
            case ir.EachRow(names, rows, body):
                held = self.rows[rows]

                def numbers(at: str) -> None:
                    start = self.value_of(f"mul i64 {at}, {held.width}")
                    row = self.value_of(f"getelementptr i64, ptr {held.data}, i64 {start}")
                    for column, each in enumerate(names):
                        place = f"getelementptr i64, ptr {row}, i64 {column}"
                        pointer = self.pointer(place, ROW)
                        self.set(each, self.load(pointer))

                self._counted("0", self.load(held.count), numbers, body)
            case _:
                raise AssertionError(f"no LLVM for {type(statement).__name__}")

    def _holds(self, base: int, at: str, wanted: str) -> str:
        cell = self.target.cell
        address = self.value_of(f"add i64 {at}, {base}")
        pointer = self.pointer(f"getelementptr {cell}, ptr %s, i64 {address}", SLOT)
        held = self.read(pointer, cell)
        return self.value_of(f"icmp eq i64 {held}, {wanted}")

    def _inside(self, body: Body, again: str, done: str) -> None:
        self.loops.append((again, done))
        self.body(body)
        self.loops.pop()
        if self.open:
            self.go(again)

    def _counted(
        self,
        start: str,
        end: str,
        member: Callable[[str], None],
        body: Body,
        only: Callable[[str], str] | None = None,
    ) -> None:
        """A loop over the numbers from `start` up to, but without, `end`."""
        place = self.alloca("i64")
        self.line(f"store i64 {start}, ptr {place}")
        test, inner, on, done = (self.label() for _ in range(4))
        self.at(test)
        at = self.load(place)
        self.branch(self.value_of(f"icmp slt i64 {at}, {end}"), inner, done)
        self.at(inner)
        if only is not None:
            met = self.label()
            self.branch(only(at), met, on)
            self.at(met)
        member(at)
        self._inside(body, on, done)
        self.open = False
        self.at(on)
        self.line(f"store i64 {self.value_of(f'add i64 {at}, 1')}, ptr {place}")
        self.go(test)
        self.at(done)

    def _bits(self, name: str, given: Value, body: Body) -> None:
        wide = self.bits_of(given)
        type_ = f"i{wide or 64}"
        left = self.alloca(type_)
        held = self.wide(given, wide) if wide else self.value(given)
        self.line(f"store {type_} {held}, ptr {left}")
        test, inner, done = self.label(), self.label(), self.label()
        self.at(test)
        bits = self.value_of(f"load {type_}, ptr {left}")
        self.branch(self.value_of(f"icmp ne {type_} {bits}, 0"), inner, done)
        self.at(inner)
        self.set(name, self.lowest_bit(bits, wide or 64))
        less = self.value_of(f"sub {type_} {bits}, 1")
        self.line(f"store {type_} {self.value_of(f'and {type_} {bits}, {less}')}, ptr {left}")
        self._inside(body, test, done)
        self.at(done)

    # ---------------------------------------------------------------------------------- rows

    def _rows(self, statement: Statement) -> None:
        match statement:
            case ir.NewRows(name, width, most, filled):
                self._new_rows(name, width, most, filled)
            case ir.Push(rows, numbers):
                self._push(self.rows[rows], [self.value(each) for each in numbers])
            case ir.RowSet(rows, index, given):
                number = self.value(given)
                pointer = self.item(rows, self.value(index), 0)
                self.put(number, pointer)
            case ir.SortRows(rows):
                held = self.rows[rows]
                many = self.load(held.count)
                self.line(f"call void @sort.{held.width}(ptr {held.data}, i64 {many})")
            case ir.Swap(to, source):
                # What is listed must stand where the caller wants it.
                target, origin = self.rows[to], self.rows[source]
                many = self.load(origin.count)
                self.put(many, target.count)
                whole = self.value_of(f"mul i64 {many}, {8 * origin.width}")
                self.line(f"call void @llvm.memmove.p0.p0.i64(ptr {target.data}, "
                          f"ptr {origin.data}, i64 {whole}, i1 false)")  # fmt: skip
            case ir.CallLister(name, lister, width):
                frame = self.target.frame
                data, count = self.word(frame.rows), self.word(frame.count)
                self.put(self._listed(lister, data), count)
                most = self.target.listers[lister].most
                self.rows[name] = Rows(data, count, width, most)
            case _:
                raise AssertionError(f"no LLVM for {type(statement).__name__}")

    def _listed(self, lister: str, data: str) -> str:
        """Have a lister make its rows at a place: how many."""
        passed = ["ptr %s", *(["i64 " + self.frame_start()] if self.target.framed else [])]
        many = self.value_of(f"call i64 @{quoted(lister)}({', '.join(passed)}, ptr {data})")
        if lister in self.target.fallible:
            self.check(self.value_of(f"icmp ne i64 {many}, {FAILED}"))
        return many

    def one_row(self, lister: str, width: int) -> str:
        """Where the row stands of a lister that makes one: the lister stands here itself."""
        row, count, done = self.alloca(f"[{width} x i64]"), self.alloca("i64"), self.label()
        node = self.target.listers[lister]
        self.line(f"store i64 0, ptr {count}")
        self.rows[FOUND] = Rows(row, count, width, node.most)
        self.done = done
        self.body(node.body)
        self.done = None
        self.at(done)
        return row

    def _new_rows(self, name: str, width: int, most: int, filled: int) -> None:
        if most < 0:
            most = self.rows["found"].most
        # Rows beyond what the stack has room for are pushed by nobody: the run is given up there.
        most = max(filled, min(most, MOST_KEPT // (8 * max(1, width))))
        if name not in self.rows:
            data = self.alloca(f"[{max(1, width * most)} x i64]")
            self.rows[name] = Rows(data, self.alloca("i64"), width, most)
        held = self.rows[name]
        self.line(f"store i64 {filled}, ptr {held.count}")
        if filled:
            self.line(f"call void @llvm.memset.p0.i64(ptr {held.data}, i8 0, "
                      f"i64 {8 * filled * width}, i1 false)")  # fmt: skip

    def _push(self, held: Rows, numbers: list[str]) -> None:
        many = self.load(held.count)
        self.check(self.value_of(f"icmp ult i64 {many}, {held.most}"))
        start = self.value_of(f"mul i64 {many}, {held.width}")
        row = self.value_of(f"getelementptr i64, ptr {held.data}, i64 {start}")
        for column, number in enumerate(numbers):
            self.put(number, self.pointer(f"getelementptr i64, ptr {row}, i64 {column}", ROW))
        more = self.value_of(f"add i64 {many}, 1")
        self.line(f"store i64 {more}, ptr {held.count}")
