"""Procedures, lowered: calls, ways back, `stop`, and calls that wait in a cycle.

Assumes: return addresses written as `rulerun.runtime.control` lays down.
Does: writes arguments into parameters, checked; leaves procedures with all their slots cleared.
Leaves behind: statements in the block that is written. A way back is read from its slot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import assert_never

from rulerun.compiled import ir
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.builder import binary, const, plus
from rulerun.compiled.lower.evaluate import Expressions
from rulerun.compiled.lower.stores import Stores
from rulerun.runtime.control import Control
from rulerun.runtime.index import VariableTable
from rulerun_dsl import model
from rulerun_dsl.model import Expression
from rulerun_dsl.model.valuetypes import Row, bare

ControlInstruction = (
    model.Call
    | model.CallSlot
    | model.Queue
    | model.Drain
    | model.Return
    | model.GiveValue
    | model.StopTo
)


class ControlStack:
    """The control stacks of one game."""

    def __init__(self, expressions: Expressions, stores: Stores) -> None:
        """Follow the code."""
        self.expressions = expressions
        self.builder = expressions.builder
        self.game = expressions.game
        self.stores = stores
        self.control = Control(self.builder.tables)

    def write(self, node: ControlInstruction, at: int) -> None:
        """One instruction of the control stack."""
        match node:
            case model.Call():
                self._call(node.procedure, node.arguments, at + 1)
            case model.CallSlot():
                self._call_slot(node, at)
            case model.Queue():
                self._queue(node, at)
            case model.Drain():
                self._drain(node, at)
            case model.Return(procedure=procedure):
                self._back(procedure)
            case model.GiveValue():
                self._give(node)
            case model.StopTo():
                self._stop(node, at)
            case _:
                assert_never(node)

    def _arguments(self, procedure: int, arguments: Sequence[Expression]) -> list[Value]:
        """The numbers for the slots of the parameters, checked."""
        called = self.game.procedures[procedure]
        found: list[Value] = []
        for parameter, argument in zip(called.parameters, arguments, strict=True):
            number = self.stores.fitting(argument, parameter.type)
            if not isinstance(number, ir.Const):
                number = self.builder.keep_as("a", number, parameter.type)
            found.append(number)
        return found

    def _call(self, procedure: int, arguments: Sequence[Expression], back: int) -> None:
        called = self.game.procedures[procedure]
        local, emit = self.builder.local, self.builder.emit
        numbers = self._arguments(procedure, arguments)
        for parameter, number in zip(called.parameters, numbers, strict=True):
            self.builder.store(local(parameter.offset), number, parameter.type)
        emit(ir.StoreSlot(local(called.return_slot), const(back)), ir.Jump(const(called.entry)))

    def _call_slot(self, node: model.CallSlot, at: int) -> None:
        builder = self.builder
        kind = builder.tables.kinds[node.kind]
        which = builder.keep("c", self.expressions.sure(node.component, {}))
        row = which
        if not isinstance(bare(node.component.type), Row):
            row = builder.keep("row", self.expressions.components.part_of(kind, which, 0))
        for number, procedure in enumerate(node.procedures):
            if procedure is not None:
                builder.when(
                    binary("==", row, number),
                    partial(self._call, procedure, node.arguments, at + 1),
                )
        builder.go(at, at + 1)

    # --------------------------------------------------------------------------------- leave

    def _back(self, procedure: int) -> None:
        ended = self.game.procedures[procedure]
        back = self.builder.keep("back", ir.Slot(self.builder.local(ended.return_slot)))
        self.clear(procedure)
        self.builder.emit(ir.Jump(back))

    def clear(self, procedure: int) -> None:
        """Clear what belongs to a run of a procedure."""
        ended = self.game.procedures[procedure]
        local, emit = self.builder.local, self.builder.emit
        for offset in ended.slots:
            emit(ir.StoreSlot(local(offset), const(0)))
        if procedure and ended.return_slot not in ended.slots:
            emit(ir.StoreSlot(local(ended.return_slot), const(0)))
        for table in self.control.during.get(procedure, ()):
            self.start_variable(table)

    def start_variable(self, table: VariableTable) -> None:
        """Set a variable, all instances of it, to its start."""
        values = self.builder.starting(table)
        if len(set(values)) == 1 and len(values) > 1:
            self.builder.emit(ir.Fill(const(table.base), len(values), values[0]))
            return
        for at, value in enumerate(values):
            self.builder.emit(ir.StoreSlot(const(table.base + at), ir.Const(value)))

    def restart_all(self) -> None:
        """Set all variables that live only during a procedure to their start."""
        for tables in self.control.during.values():
            for table in tables:
                self.start_variable(table)

    def _give(self, node: model.GiveValue) -> None:
        builder, emit = self.builder, self.builder.emit
        ended = self.game.procedures[node.procedure]
        calls = [
            (at, call)
            for at, call in enumerate(self.game.code)
            if isinstance(call, model.Call)
            and call.procedure == node.procedure
            and call.result is not None
        ]
        value = self.expressions.kept("given", node.value, {})
        back = builder.keep("back", ir.Slot(builder.local(ended.return_slot)))
        self.clear(node.procedure)
        for at, call in calls:

            def put(call: model.Call = call) -> None:
                assert call.result is not None
                type_ = self.stores.tables.type_of(call.result)
                number = self.stores.fit(value, node.value, type_)
                for address in self.stores.addresses(call.result, {}):
                    builder.store(address, number, type_)

            builder.when(binary("==", back, at + 1), put)
        emit(ir.Jump(back))

    def _stop(self, node: model.StopTo, at: int) -> None:
        """Leave every procedure up to and with the one that is stopped."""
        builder, emit = self.builder, self.builder.emit
        owner = self.control.owner
        procedures = self.game.procedures
        code = self.game.code
        drains = [
            where + 1 < len(code) and isinstance(code[where + 1], model.Drain)
            for where in range(len(code))
        ]

        def steps(last: bool) -> None:
            """Go up the stack: look only, or leave."""
            where = builder.keep("where", const(at))
            left = builder.keep("up", const(1))
            with builder.block() as loop:
                number = builder.keep("proc", builder.entry("procedure_of", owner, where))
                if not last and any(drains):
                    waits = builder.entry("before_drain", drains, where)
                    busy = ir.Both(ir.Both(binary("!=", where, at), waits), self._waiting())
                    emit(ir.If(busy, (ir.Fail(),)))
                for which, procedure in enumerate(procedures):
                    if which not in owner:
                        continue

                    def one(which: int = which, procedure: model.Procedure = procedure) -> None:
                        slot = ir.Slot(builder.local(procedure.return_slot))
                        back = builder.keep("back", slot if which else const(0))
                        if last:
                            self.clear(which)
                        if which == node.procedure:
                            emit(ir.Jump(back) if last else ir.Assign(left.name, const(0)))
                            return
                        emit(ir.If(ir.Not(back), (ir.Fail(),)))
                        emit(ir.Assign(where.name, plus(back, -1)))

                    builder.when(ir.Both(left, binary("==", number, which)), one)
            emit(ir.While(left, tuple(loop)))

        # Nothing is cleared before it is known that all goes well.
        steps(False)
        steps(True)
        emit(ir.Fail())

    def _waiting(self) -> Value:
        """Whether any call waits: a drain behind a call on the stack has one of its cycle's."""
        found: Value = const(0)
        for start, width, many in self._queues():
            for entry in range(start, start + many * width, width):
                held = binary(">", ir.Slot(const(entry)), 0)
                found = held if found == const(0) else ir.Either(held, found)
        return found

    # --------------------------------------------------------------------------------- queue

    def _queues(self) -> list[tuple[int, int, int]]:
        """Of each procedure with a queue: where it starts, the width of an entry, how many."""
        found = []
        for procedure in self.game.procedures:
            if procedure.queued:
                start = self.game.layout.queue + procedure.queue_base
                found.append((start, 1 + len(procedure.parameters), procedure.queued))
        return found

    def _entries(self, procedure: int) -> tuple[int, int, int]:
        queued = self.game.procedures[procedure]
        start = self.game.layout.queue + queued.queue_base
        return start, 1 + len(queued.parameters), queued.queued

    def _queue(self, node: model.Queue, at: int) -> None:
        builder, emit = self.builder, self.builder.emit
        most = self.control.most
        stacked = self.game.procedures[node.procedure].stacked
        numbers = self._arguments(node.procedure, node.arguments)
        turn = builder.keep("turn", const(most if stacked else 0))

        def later(entry: Value) -> ir.Statement:
            held = ir.Slot(entry)
            then = ir.Assign(turn.name, binary("max", turn, held))
            return then if stacked else ir.If(binary("<=", held, most), (then,))

        self._each_entry(node.circle, later)
        start, width, many = self._entries(node.procedure)
        end = start + (many - 1) * width
        emit(ir.If(ir.Slot(const(end)), (ir.Fail(),)))
        name = builder.fresh("i")
        with builder.block() as inner:
            entry_var = builder.keep("entry", plus(binary("*", ir.Var(name), width), start))

            def wait() -> None:
                # From the end: what waits behind this place moves down.
                back = builder.fresh("i")
                slot = plus(binary("*", ir.Var(back), -1), end + width - 1)
                shift = ir.StoreSlot(slot, ir.Slot(plus(slot, -width)))
                if stacked:
                    emit(ir.For(back, const(0), binary("-", const(end), entry_var), (shift,)))
                emit(ir.StoreSlot(entry_var, plus(turn, 1)))
                for place, number in enumerate(numbers):
                    emit(ir.StoreSlot(plus(entry_var, 1 + place), number))
                builder.go(at, at + 1)

            held = ir.Slot(entry_var)
            builder.when(binary("<=", held, most) if stacked else ir.Not(held), wait)
        emit(ir.For(name, const(0), const(many), tuple(inner)))
        emit(ir.Fail())

    def _each_entry(self, procedures: Sequence[int], does: Callable[[Value], ir.Statement]) -> None:
        """A statement about each entry that calls of these procedures may have."""
        for procedure in procedures:
            start, width, many = self._entries(procedure)
            name = self.builder.fresh("i")
            entry = plus(binary("*", ir.Var(name), width), start)
            self.builder.emit(ir.For(name, const(0), const(many), (does(entry),)))

    def _settle(self, node: model.Drain) -> None:
        """What ran has returned: the calls that it made go before those that waited earlier."""
        most = self.control.most
        new = self.builder.keep("new", const(0))

        def count(entry: Value) -> ir.Statement:
            return ir.If(binary(">", ir.Slot(entry), most), (ir.Assign(new.name, plus(new, 1)),))

        def move(entry: Value) -> ir.Statement:
            by = ir.Select(binary(">", ir.Slot(entry), most), const(-most), new)
            return ir.If(ir.Slot(entry), (ir.Add(entry, by),))

        self._each_entry(node.procedures, count)
        self._each_entry(node.procedures, move)

    def _drain(self, node: model.Drain, at: int) -> None:
        builder, emit = self.builder, self.builder.emit
        if any(self.game.procedures[each].stacked for each in node.procedures):
            self._settle(node)
        turn = builder.keep("turn", const(0))
        found = builder.keep("entry", const(0))
        for procedure in node.procedures:
            start, width, many = self._entries(procedure)
            name = builder.fresh("i")
            with builder.block() as inner:
                entry = builder.keep("e", plus(binary("*", ir.Var(name), width), start))
                held = builder.keep("t", ir.Slot(entry))
                first = ir.Both(held, ir.Either(ir.Not(turn), binary("<", held, turn)))
                emit(ir.If(first, (ir.Assign(turn.name, held), ir.Assign(found.name, entry))))
            emit(ir.For(name, const(0), const(many), tuple(inner)))
        builder.when(ir.Not(turn), lambda: builder.go(at, at + 1))
        for procedure in node.procedures:
            start, width, many = self._entries(procedure)

            def take(procedure: int = procedure) -> None:
                self._take(node, procedure, found, turn, at)

            inside = ir.Both(binary(">=", found, start), binary("<", found, start + many * width))
            builder.when(inside, take)
        emit(ir.Fail())

    def _take(self, node: model.Drain, procedure: int, entry: Value, turn: Value, at: int) -> None:
        """Take a waiting call out of the queue and run it. The others move up."""
        builder, emit = self.builder, self.builder.emit
        called = self.game.procedures[procedure]
        start, width, many = self._entries(procedure)
        for place, parameter in enumerate(called.parameters):
            number = ir.Slot(plus(entry, 1 + place))
            emit(ir.StoreSlot(builder.local(parameter.offset), number))
        end = start + (many - 1) * width
        slot = builder.fresh("i")
        shift = ir.StoreSlot(ir.Var(slot), ir.Slot(plus(ir.Var(slot), width)))
        emit(ir.For(slot, entry, const(end), (shift,)))
        emit(ir.Fill(const(end), width, 0))
        self._each_entry(
            node.procedures,
            lambda at: ir.If(binary(">", ir.Slot(at), turn), (ir.Add(at, const(-1)),)),
        )
        emit(ir.StoreSlot(builder.local(called.return_slot), const(at)))
        emit(ir.Jump(const(called.entry)))
