"""The cursors of `for`, `turns` and `repeat`, lowered.

Assumes: loops of the model, their slots as `rulerun.reference.loops` lays down.
Does: takes the next member exactly as the reference does.
Leaves behind: blocks that go on with the next pass, or behind the loop.
"""

from __future__ import annotations

from collections.abc import Callable

from rulerun.compiled import ir
from rulerun.compiled.ir.program import Unsupported
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.builder import binary, const, plus, times
from rulerun.compiled.lower.evaluate import Expressions
from rulerun.reference.loops import is_ring
from rulerun.runtime.components import kind_of
from rulerun_dsl import model
from rulerun_dsl.model import Loop


class Loops:
    """The loops of one game."""

    def __init__(self, expressions: Expressions) -> None:
        """Lower the parts with `expressions`."""
        self.expressions = expressions
        self.builder = expressions.builder

    def start(self, node: model.LoopStart, at: int) -> None:
        """Fix what is fixed at entry; the cursor before the first."""
        loop, builder, emit = node.loop, self.builder, self.builder.emit
        source = loop.source
        cursor, second = builder.local(loop.cursor), builder.local(loop.second)
        if loop.mode == "values" and isinstance(source, model.Values):
            low = builder.keep("low", self.expressions.sure(source.low, {}))
            high = builder.keep("high", self.expressions.sure(source.high, {}))
            self.clear(loop)
            lowest = self._lowest(loop)
            fix = (
                ir.StoreSlot(cursor, plus(low, -lowest)),
                ir.StoreSlot(second, plus(high, 1 - lowest)),
            )
            emit(ir.If(binary("<=", low, high), fix))
        elif loop.mode in ("sequence", "turns") and isinstance(source, model.Clockwise):
            first = builder.keep("first", self.expressions.sure(source.start, {}))
            self.clear(loop)
            emit(ir.StoreSlot(second, first))
        elif loop.mode == "sequence" and is_ring(source):
            assert isinstance(source, model.BuiltinCall)
            first = builder.keep("first", self.expressions.value(source.arguments[1], {}))
            self.clear(loop)
            code = plus(first, 1 - self._lowest(loop))
            emit(ir.StoreSlot(second, ir.Select(binary("==", first, ir.NONE), const(0), code)))
        else:
            self.clear(loop)
        builder.go(at, at + 1)

    def next(self, node: model.LoopNext, at: int) -> None:
        """The next pass, or the end of the loop."""
        loop = node.loop
        write = {
            "values": self._values,
            "counted": self._counted,
            "sequence": self._sequence,
            "positions": self._positions,
            "turns": self._turns,
        }.get(loop.mode)
        if write is None:
            raise Unsupported(f"the loop mode {loop.mode}")
        write(loop, at)
        if loop.mode == "turns":
            self.builder.emit(ir.Fail())
            return
        self.clear(loop)
        self.builder.go(at, node.done)

    def repeat_start(self, node: model.RepeatStart, at: int) -> None:
        """How often, evaluated once."""
        many = self.expressions.sure(node.count, {})
        self.builder.emit(ir.StoreSlot(self.builder.local(node.offset), binary("max", many, 0)))
        self.builder.go(at, at + 1)

    def repeat_next(self, node: model.RepeatNext, at: int) -> None:
        """One pass fewer, or the end."""
        slot = self.builder.local(node.offset)

        def again() -> None:
            self.builder.emit(ir.Add(slot, const(-1)))
            self.builder.go(at, at + 1)

        self.builder.when(ir.Slot(slot), again)
        self.builder.go(at, node.done)

    # -------------------------------------------------------------------------------- parts

    def clear(self, loop: Loop) -> None:
        """Forget a loop."""
        offsets = (loop.variable.offset, loop.cursor, loop.second, loop.third)
        for offset in dict.fromkeys(offsets):
            if offset > 0:
                self.builder.emit(ir.StoreSlot(self.builder.local(offset), const(0)))

    def _lowest(self, loop: Loop) -> int:
        """The lowest slot that a member may be written as: none stands below all others."""
        type_, tables = loop.variable.type, self.builder.tables
        maybe = self.builder.may_be_none(type_)
        return tables.none_code(type_) if maybe else tables.lowest(type_)

    def _if_passes(self, loop: Loop, member: Value, then: Callable[[], None]) -> None:
        """Put a member into the variable, and go on if it passes."""
        builder = self.builder
        slot = builder.local(loop.variable.offset)
        type_ = loop.variable.type
        builder.emit(ir.StoreSlot(slot, builder.encoded(member, type_, type_)))
        if loop.condition is None:
            then()
        else:
            builder.when(self.expressions.value(loop.condition, {}), then)

    def _values(self, loop: Loop, at: int) -> None:
        builder, emit = self.builder, self.builder.emit
        cursor, lowest = builder.local(loop.cursor), self._lowest(loop)

        def go() -> None:
            builder.go(at, at + 1)

        if isinstance(loop.source, model.Values):
            code = builder.fresh("code")
            last = builder.keep("end", plus(ir.Slot(builder.local(loop.second)), 1))
            with builder.block() as inner:
                emit(ir.StoreSlot(cursor, ir.Var(code)))
                member = builder.keep("m", plus(ir.Var(code), lowest - 1))
                self._if_passes(loop, member, go)
            emit(ir.For(code, plus(ir.Slot(cursor), 1), last, tuple(inner)))
            return
        visited = builder.keep("visited", plus(ir.Slot(cursor), lowest - 1))

        def visit(member: Value) -> None:
            emit(ir.StoreSlot(cursor, plus(member, 1 - lowest)))
            self._if_passes(loop, member, go)

        if self.expressions.collections.ascending(loop.source) and not self._writes_source(loop):

            def later(member: Value) -> None:
                builder.when(binary(">", member, visited), lambda: visit(member))

            self.expressions.each(loop.source, {}, later)
            return
        members = self.expressions.collections.rows(loop.source, {})
        emit(ir.SortRows(members))
        last = builder.keep("last", visited)

        def in_order(found: Value) -> None:
            member = found
            if builder.may_be_none(loop.variable.type):
                type_ = loop.variable.type
                member = builder.keep("code", builder.encoded(found, type_, type_))

            def once() -> None:
                emit(ir.Assign(last.name, member))
                visit(member)

            builder.when(binary(">", member, last), once)

        self.expressions.collections.each_of(members, in_order)

    def _writes_source(self, loop: Loop) -> bool:
        """Whether the source reads what the loop writes while it looks for the next member."""
        from rulerun.analysis.reads import reads

        offsets = {loop.variable.offset, loop.cursor}
        found = reads(self.expressions.game, loop.source).locals
        return any(offset in offsets for offset, _ in found)

    def _counted(self, loop: Loop, at: int) -> None:
        builder, emit = self.builder, self.builder.emit
        kind = kind_of(self.builder.tables, loop.variable.type)
        assert kind is not None
        classes, zones = kind.kind.classes, len(builder.tables.instances)
        here, left = builder.local(loop.cursor), builder.local(loop.second)
        codes = builder.fresh("codes")
        most = max(1, self.expressions.collections.most(loop.source))
        emit(ir.NewRows(codes, 1, most))

        def note(one: Value) -> None:
            components = self.expressions.components
            code = plus(
                plus(times(components.class_of(kind, one), zones), components.zone_of(kind, one)), 1
            )
            emit(ir.Push(codes, (code,)))

        self.expressions.each(loop.source, {}, note)
        emit(ir.SortRows(codes))
        place = builder.keep("i", const(0))
        with builder.block() as whole:
            code = builder.keep("code", ir.RowGet(codes, place, 0))
            many = builder.keep("many", const(0))
            same = ir.Both(
                binary("<", place, ir.Length(codes)),
                binary("==", ir.RowGet(codes, place, 0), code),
            )
            emit(
                ir.While(
                    same,
                    (ir.Assign(many.name, plus(many, 1)), ir.Assign(place.name, plus(place, 1))),
                )
            )

            def visit() -> None:
                again = binary("==", code, ir.Slot(here))
                remaining = builder.keep(
                    "remaining",
                    ir.Select(again, binary("min", ir.Slot(left), many), many),
                )
                emit(ir.StoreSlot(here, code))
                emit(ir.StoreSlot(left, binary("max", plus(remaining, -1), 0)))

                def take() -> None:
                    class_ = binary("//", plus(code, -1), zones)
                    zone = binary("%", plus(code, -1), zones)
                    member = builder.keep("m", plus(times(zone, classes), class_))
                    self._if_passes(loop, member, lambda: builder.go(at, at + 1))

                builder.when(remaining, take)

            builder.when(binary(">=", code, ir.Slot(here)), visit)
        emit(ir.While(binary("<", place, ir.Length(codes)), tuple(whole)))

    def _list(self, loop: Loop) -> str:
        """The list that is gone through, with where it starts as it was at entry."""
        builder, emit = self.builder, self.builder.emit
        second = ir.Slot(builder.local(loop.second))
        source = loop.source
        rows = builder.fresh("list")
        if is_ring(source):
            assert isinstance(source, model.BuiltinCall)
            whole = self.expressions.collections.rows(source.arguments[0], {})
            most = max(1, self.expressions.collections.most(source.arguments[0]))
            emit(ir.NewRows(rows, 1, most))
            held = builder.keep("second", second)
            first = ir.Select(held, plus(held, self._lowest(loop) - 1), const(None))
            self.expressions.collections.ring(whole, first, lambda one: emit(ir.Push(rows, (one,))))
            return rows
        if isinstance(source, model.Clockwise):
            emit(ir.NewRows(rows, 1, builder.players))
            skipped = 1 if source.others else 0
            name = builder.fresh("i")
            player = binary("%", plus(second, ir.Var(name)), builder.players)
            push = ir.Push(rows, (player,))
            emit(ir.For(name, const(skipped), const(builder.players), (push,)))
            return rows
        return self.expressions.collections.rows(source, {})

    def _sequence(self, loop: Loop, at: int) -> None:
        builder, emit = self.builder, self.builder.emit
        cursor = builder.local(loop.cursor)
        rows = self._list(loop)
        with builder.block() as inner:
            member = builder.keep("m", ir.RowGet(rows, ir.Slot(cursor), 0))
            emit(ir.Add(cursor, const(1)))
            self._if_passes(loop, member, lambda: builder.go(at, at + 1))
        emit(ir.While(binary("<", ir.Slot(cursor), ir.Length(rows)), tuple(inner)))

    def _positions(self, loop: Loop, at: int) -> None:
        builder, emit = self.builder, self.builder.emit
        here, length = builder.local(loop.cursor), builder.local(loop.second)
        rows = self.expressions.collections.rows(loop.source, {})
        # The current one has left: the next stands in its place.
        gone = ir.Both(ir.Slot(here), binary("<", ir.Length(rows), ir.Slot(length)))
        emit(ir.If(gone, (ir.Add(here, const(-1)),)))
        emit(ir.StoreSlot(length, ir.Length(rows)))
        with builder.block() as inner:
            member = builder.keep("m", ir.RowGet(rows, ir.Slot(here), 0))
            emit(ir.Add(here, const(1)))
            self._if_passes(loop, member, lambda: builder.go(at, at + 1))
        emit(ir.While(binary("<", ir.Slot(here), ir.Length(rows)), tuple(inner)))

    def _turns(self, loop: Loop, at: int) -> None:
        builder, emit = self.builder, self.builder.emit
        cursor = builder.local(loop.cursor)
        if isinstance(loop.source, model.Clockwise) and not loop.source.others:
            second = ir.Slot(builder.local(loop.second))
            self._round(loop, at, builder.players, second, 0)
            return
        match loop.source:
            case model.Values(
                low=model.Literal(value=int(low)), high=model.Literal(value=int(high))
            ):
                self._round(loop, at, high - low + 1, const(0), low)
                return
            case _:
                pass
        rows = self._list(loop)
        name = builder.fresh("i")
        with builder.block() as inner:
            place = builder.keep("at", binary("%", ir.Slot(cursor), ir.Length(rows)))
            member = builder.keep("m", ir.RowGet(rows, place, 0))
            emit(ir.StoreSlot(cursor, binary("%", plus(ir.Slot(cursor), 1), ir.Length(rows))))
            self._if_passes(loop, member, lambda: builder.go(at, at + 1))
        emit(ir.For(name, const(0), ir.Length(rows), tuple(inner)))

    def _round(self, loop: Loop, at: int, many: int, start: Value, low: int) -> None:
        """Round the table: no list is needed."""
        builder, emit = self.builder, self.builder.emit
        cursor = builder.local(loop.cursor)

        def take() -> None:
            step = plus(start, ir.Slot(cursor)) if start != const(0) else ir.Slot(cursor)
            whose = binary("%", step, many) if start != const(0) else step
            member = builder.keep("m", plus(whose, low))
            emit(ir.StoreSlot(cursor, binary("%", plus(ir.Slot(cursor), 1), many)))
            self._if_passes(loop, member, lambda: builder.go(at, at + 1))

        if loop.condition is None:
            take()
            return
        with builder.block() as inner:
            take()
        emit(ir.For(builder.fresh("i"), const(0), const(many), tuple(inner)))
