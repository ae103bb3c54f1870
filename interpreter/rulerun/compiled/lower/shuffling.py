"""A shuffle, lowered: the order of a zone, drawn one after another from the bottom up.

Assumes: a shuffle of the model.
Does: keeps what is drawn below what is not, which is in canonical order; lists what is not drawn
yet, alike ones merged; lays what has fallen on what is drawn.
Leaves behind: statements. Which instruction they stand in, `chance` says.
"""

from __future__ import annotations

from rulerun.compiled import ir
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.alike import id_of, merged
from rulerun.compiled.lower.builder import binary, const, plus, times
from rulerun.compiled.lower.evaluate import Expressions
from rulerun.compiled.lower.knowledge import Knowledge
from rulerun.runtime.index import KindTable
from rulerun_dsl import model


class Shuffle:
    """One shuffle: what is drawn lies below what is not, which is in canonical order."""

    def __init__(
        self,
        expressions: Expressions,
        knowledge: Knowledge,
        node: model.ShuffleZone,
        kind: KindTable,
    ) -> None:
        """Nothing is drawn yet."""
        self.expressions = expressions
        self.knowledge = knowledge
        self.node = node
        self.kind = kind
        self.builder = expressions.builder
        self.components = expressions.components
        self.left = self.builder.local(node.left)

    def _zone(self) -> Value:
        zone = self.node.zone
        return self.builder.keep("z", self.expressions.zone(zone.zone, zone.indexes, {}))

    def _upwards(self, zone: Value) -> str:
        """Rows (position from the bottom, component)."""
        builder, emit = self.builder, self.builder.emit
        rows = builder.fresh("order")
        emit(ir.NewRows(rows, 2, max(1, self.kind.kind.total)))
        if self.kind.kind.counted:
            at = builder.keep("at", self.components.counts(self.kind, zone))
            many = builder.keep("n", self.components.count(self.node.zone.zone, zone))
            name = builder.fresh("i")
            first = times(zone, self.kind.kind.classes)
            one = plus(plus(first, ir.Slot(plus(at, ir.Var(name)))), -1)
            push = ir.Push(rows, (ir.Var(name), one))
            emit(ir.For(name, const(0), many, (push,)))
            return rows
        name = builder.fresh("c")
        position = ir.Slot(plus(ir.Var(name), self.kind.positions))
        push = ir.Push(rows, (position, ir.Var(name)))
        emit(ir.EachEqual(name, self.kind.base, self.kind.kind.total, zone, (push,)))
        emit(ir.SortRows(rows))
        return rows

    def begin(self) -> None:
        """Nothing is drawn yet: all in canonical order."""
        builder, emit, kind = self.builder, self.builder.emit, self.kind
        zone = self._zone()
        order = self._upwards(zone)
        emit(ir.StoreSlot(self.left, plus(ir.Length(order), 1)))
        self.knowledge.forget(kind, zone)
        ranked = builder.fresh("ranked")
        place, one = builder.fresh("p"), builder.fresh("c")
        key: tuple[Value, ...] = (self.components.class_of(kind, ir.Var(one)),)
        if not kind.kind.counted:
            states = (ir.Slot(plus(ir.Var(one), each.base)) for each in kind.attributes)
            key = (*key, *states)
        emit(ir.NewRows(ranked, len(key) + 1, max(1, kind.kind.total)))
        emit(ir.EachRow((place, one), order, (ir.Push(ranked, (*key, ir.Var(one))),)))
        emit(ir.SortRows(ranked))
        at = builder.keep("at", const(0))
        names = tuple(builder.fresh("k") for _ in key)
        other = builder.fresh("c")
        with builder.block() as inner:
            self._write(zone, at, ir.Var(other))
            emit(ir.Assign(at.name, plus(at, 1)))
        emit(ir.EachRow((*names, other), ranked, tuple(inner)))

    def _write(self, zone: Value, at: Value, one: Value) -> None:
        """Lay a component at a position from the bottom."""
        emit = self.builder.emit
        if self.kind.kind.counted:
            base = self.components.counts(self.kind, zone)
            emit(ir.StoreSlot(plus(base, at), plus(self.components.class_of(self.kind, one), 1)))
        else:
            emit(ir.StoreSlot(plus(one, self.kind.positions), at))

    def _drawn(self, order: str) -> Value:
        return binary("-", ir.Length(order), plus(ir.Slot(self.left), -1))

    def list_rest(self) -> None:
        """What is not drawn yet, alike ones merged."""
        builder, emit = self.builder, self.builder.emit
        order = self._upwards(self._zone())
        drawn = builder.keep("drawn", self._drawn(order))
        name, met = builder.fresh("i"), builder.fresh("c")

        def loop(body: ir.Body) -> None:
            here = ir.Assign(met, ir.RowGet(order, ir.Var(name), 1))
            emit(ir.For(name, drawn, ir.Length(order), (here, *body)))

        id_ = id_of(self.components, self.kind, ir.Var(met), False)
        merged(builder, loop, id_, const(1), ir.Var(met))

    def put_next(self, one: Value) -> None:
        """Lay what has fallen on what is drawn; those before it in the rest move up."""
        builder, emit = self.builder, self.builder.emit
        chosen = builder.keep("one", one)
        zone = self._zone()
        order = self._upwards(zone)
        drawn = builder.keep("drawn", self._drawn(order))
        place = builder.keep("place", drawn)
        with builder.block() as search:
            emit(
                ir.If(
                    binary("==", ir.RowGet(order, place, 1), chosen),
                    (ir.Break(),),
                ),
                ir.Assign(place.name, plus(place, 1)),
            )
        emit(ir.While(binary("<", place, ir.Length(order)), tuple(search)))
        emit(ir.If(binary("==", place, ir.Length(order)), (ir.Fail(),)))
        name = builder.fresh("i")
        with builder.block() as shift:
            self._write(zone, plus(ir.Var(name), 1), ir.RowGet(order, ir.Var(name), 1))
        emit(ir.For(name, drawn, place, tuple(shift)))
        self._write(zone, drawn, chosen)
