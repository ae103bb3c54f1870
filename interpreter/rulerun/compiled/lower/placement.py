"""Moving one component, lowered: out of one zone and into another.

Assumes: the loops and functions of `components`.
Does: lifts a component out of its zone, whereby those above it come down, and lays it on top of
another; nothing goes into a zone that is full.
Leaves behind: statements and functions of the program. What players know of a move, `knowledge`
keeps.
"""

from __future__ import annotations

from rulerun.compiled import ir
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.builder import binary, const, plus, times
from rulerun.compiled.lower.components import Components
from rulerun.runtime.index import KindTable


class Placement:
    """How the components of one game get from zone to zone."""

    def __init__(self, components: Components) -> None:
        """Stand on where they lie."""
        self.components = components
        self.builder = components.builder
        self.tables = components.tables

    def lift_and_lay(self, kind: KindTable) -> str:
        """The function that moves a component into a zone: what it is then."""
        name = kind.kind.name

        def write(one: Value, to: Value) -> None:
            builder, emit = self.builder, self.builder.emit
            if kind.kind.counted:
                emit(ir.If(ir.Not(self.components.is_there(kind, one)), (ir.Fail(),)))
            source = builder.keep("source", self.components.zone_of(kind, one))
            self._check_room(kind, source, to)
            if not kind.kind.counted:
                self.lift(kind, one, source)
                self.lay(kind, one, to)
                emit(ir.Return(one))
                return
            class_ = builder.keep("class", self.components.class_of(kind, one))
            self._lift_counted(kind, class_, source)
            self.add(kind, class_, to)
            emit(ir.Return(plus(times(to, kind.kind.classes), class_)))

        about = f"a {name} goes to a zone, on top; what it is now"
        return self.builder.function(("move", name), f"move_{name}", ["c", "to"], about, write)

    def _check_room(self, kind: KindTable, source: Value, to: Value) -> None:
        """Nothing goes into a zone that is full."""
        holds = [instance.family.holds for instance in self.tables.instances]
        if all(holds[zone] >= kind.kind.total for zone in kind.zones):
            return
        many = self.components.count_in(kind, to, self.components.ordered(kind))
        full = binary(">=", many, self.builder.entry("holds", holds, to))
        self.builder.emit(ir.If(ir.Both(binary("!=", source, to), full), (ir.Fail(),)))

    def lift(self, kind: KindTable, one: Value, source: Value) -> None:
        """Lift a component with identity out of its zone; what lay above it comes down."""
        builder = self.builder
        if kind.positions < 0:
            return

        def lower() -> None:
            at = builder.keep("position", ir.Slot(plus(one, kind.positions)))
            other = builder.fresh("c")
            above = ir.Slot(plus(ir.Var(other), kind.positions))
            down = ir.If(
                binary(">", above, at), (ir.Add(plus(ir.Var(other), kind.positions), const(-1)),)
            )
            builder.emit(ir.EachEqual(other, kind.base, kind.kind.total, source, (down,)))
            builder.emit(ir.StoreSlot(plus(one, kind.positions), const(0)))

        self.components.by_order(kind, source, lower, lambda: None)

    def lay(self, kind: KindTable, one: Value, to: Value) -> None:
        """Lay a component that was lifted into a zone."""
        emit, zone = self.builder.emit, plus(one, kind.base)
        if kind.positions >= 0:
            # It may lie there already.
            itself = binary("==", ir.Slot(zone), to)
            others = binary("-", ir.CountEqual(kind.base, kind.kind.total, to), itself)
            self.components.by_order(
                kind,
                to,
                lambda: emit(ir.StoreSlot(plus(one, kind.positions), others)),
                lambda: None,
            )
        emit(ir.StoreSlot(zone, to))

    def add(self, kind: KindTable, class_: Value, to: Value) -> None:
        """Lay one more of a class of a counted kind into a zone."""
        builder = self.builder
        at = builder.keep("at", self.components.counts(kind, to))

        def on_top() -> None:
            many = ir.Call(self.components.counter(kind), (to,))
            builder.emit(ir.StoreSlot(plus(at, many), plus(class_, 1)))

        self.components.by_order(
            kind,
            to,
            on_top,
            lambda: builder.emit(ir.Add(plus(at, class_), const(1))),
        )

    def _lift_counted(self, kind: KindTable, class_: Value, source: Value) -> None:
        builder = self.builder
        at = builder.keep("at", self.components.counts(kind, source))

        def remove() -> None:
            emit = builder.emit
            many = builder.keep("n", ir.Call(self.components.counter(kind), (source,)))
            where = builder.keep("where", const(-1))
            name = builder.fresh("i")
            stacks = [instance.family.order == "stack" for instance in self.tables.instances]
            last = builder.keep("last", builder.entry("stack_zone", stacks, source))
            # Of alike ones the topmost leaves a stack, the foremost a queue.
            here = binary("==", ir.Slot(plus(at, ir.Var(name))), plus(class_, 1))
            found = ir.Both(here, ir.Either(last, binary("<", where, 0)))
            emit(
                ir.For(
                    name,
                    const(0),
                    many,
                    (ir.If(found, (ir.Assign(where.name, ir.Var(name)),)),),
                )
            )
            other = builder.fresh("i")
            down = ir.StoreSlot(plus(at, ir.Var(other)), ir.Slot(plus(plus(at, ir.Var(other)), 1)))
            emit(ir.For(other, where, plus(many, -1), (down,)))
            emit(ir.StoreSlot(plus(at, plus(many, -1)), const(0)))

        self.components.by_order(
            kind,
            source,
            remove,
            lambda: builder.emit(ir.Add(plus(at, class_), const(-1))),
        )
