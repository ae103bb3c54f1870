"""Where components are, lowered: the three storages of `components`, as loops and functions.

Assumes: slots laid out as `model.Layout` says.
Does: writes loops over what lies in a zone, in the order of the reference; makes the functions that
count and look.
Leaves behind: statements and functions of the program. How one moves, `placement` says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

from rulerun.compiled import ir
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.builder import Builder, binary, const, plus, remainder, times
from rulerun.runtime.index import KindTable, strides_of
from rulerun_dsl.model import Domain, ZoneFamily
from rulerun_dsl.model.valuetypes import Component, bare

Body = Callable[[Value], None]
"""Writes what is done with a member."""


class Components:
    """Where the components of one game lie."""

    def __init__(self, builder: Builder) -> None:
        """Stand on the game's tables."""
        self.builder = builder
        self.tables = builder.tables
        self._classes: dict[str, Value] = {}
        """By the name that a loop gives a component of a counted kind, its class."""

    # ------------------------------------------------------------------------ a component

    def zone_of(self, kind: KindTable, component: Value) -> Value:
        """The zone in which a component lies."""
        if kind.kind.counted:
            classes = kind.kind.classes
            return component if classes == 1 else binary("//", component, classes)
        return ir.Slot(plus(component, kind.base))

    def class_of(self, kind: KindTable, component: Value) -> Value:
        """The class of a component."""
        if kind.kind.counted:
            if isinstance(component, ir.Var) and component.name in self._classes:
                return self._classes[component.name]
            return remainder(component, kind.kind.classes)
        return self.builder.entry(f"class_of_{kind.kind.name}", kind.class_of, component)

    def part_of(self, kind: KindTable, component: Value, part: int) -> Value:
        """The row (0) or the owner (1) of a component."""
        word = ("row", "owner")[part]
        by_class = [parts[part] for parts in kind.parts]
        name = f"{word}_of_{kind.kind.name}"
        if kind.kind.counted:
            return self.builder.entry(name, by_class, self.class_of(kind, component))
        return self.builder.entry(name, [by_class[each] for each in kind.class_of], component)

    def placed(self, domain: Domain, component: Value) -> Value:
        """Where a value stands in its domain; none if it does not belong there."""
        builder = self.builder
        type_ = bare(domain.of)
        if not isinstance(type_, Component):
            code = self.builder.tables.none_code(domain.of)
            slot = builder.encoded(component, domain.of, domain.of)
            at = plus(slot, -domain.low)
            low, high = builder.bounds(domain.of)
            if builder.may_be_none(domain.of):
                low = code
            return self._inside(at, low - domain.low, high - domain.low, domain.size)
        kind = self.tables.kinds[type_.kind]
        at = plus(self.part_of(kind, component, 0), -domain.low)
        if domain.owner:
            at = plus(times(at, kind.kind.owners), self.part_of(kind, component, 1))
        if domain.zones:
            groups = {zone: place for place, group in enumerate(domain.zones) for zone in group}
            by_zone = [groups.get(zone) for zone in range(len(self.tables.instances))]
            name = f"group_of_{kind.kind.name}"
            group = builder.keep("g", builder.entry(name, by_zone, self.zone_of(kind, component)))
            at = plus(times(at, len(domain.zones)), group)
        for name, low, size in domain.attributes:
            base = kind.attribute(name).base
            at = plus(times(at, size), plus(ir.Slot(plus(component, base)), -low))
        if domain.zones and None in by_zone:
            at = ir.Select(binary("==", group, ir.NONE), const(None), at)
        if domain.low == 0 and not domain.zones and domain.size >= self._facets(kind, domain):
            return at
        return self._inside(at, -1, domain.size, domain.size)

    def _facets(self, kind: KindTable, domain: Domain) -> int:
        many = len(kind.kind.rows) * (kind.kind.owners if domain.owner else 1)
        for _, _, size in domain.attributes:
            many *= size
        return many

    def _inside(self, at: Value, low: int, high: int, size: int) -> Value:
        if low >= 0 and high < size:
            return at
        kept = self.builder.keep("p", at)
        inside = ir.Both(binary(">=", kept, 0), binary("<", kept, size))
        return ir.Select(inside, kept, const(None))

    # -------------------------------------------------------------------------- addresses

    def counts(self, kind: KindTable, zone: Value) -> Value:
        """Where the slots of a zone of a counted kind begin."""
        instances = self.tables.instances
        numbers = kind.zones
        bases = [instances[zone].counts for zone in numbers]
        widths = {later - earlier for earlier, later in pairwise(bases)}
        run = numbers[-1] - numbers[0] + 1 == len(numbers)
        if run and len(widths) <= 1:
            width = widths.pop() if widths else 1
            return plus(times(plus(zone, -numbers[0]), width), bases[0])
        whole = [instance.counts for instance in instances]
        return self.builder.entry(f"slots_of_{kind.kind.name}", whole, zone)

    def ordered(self, kind: KindTable) -> bool | None:
        """Whether all zones of a kind are ordered; None if some are."""
        ordered = {self.tables.instances[zone].ordered for zone in kind.zones}
        return ordered.pop() if len(ordered) == 1 else None

    # ----------------------------------------------------------------------------- looking

    def count(self, zone: str, number: Value) -> Value:
        """How many lie in a zone of a family."""
        family = self.tables.families[zone]
        return self.count_in(self.tables.kinds[family.kind], number, bool(self._order(family)))

    def _order(self, family: ZoneFamily) -> bool:
        return self.tables.instances[family.base].ordered

    def count_in(self, kind: KindTable, number: Value, ordered: bool | None) -> Value:
        """How many lie in a zone of a kind."""
        if not kind.kind.counted:
            return ir.CountEqual(kind.base, kind.kind.total, number)
        if ordered is False:
            return ir.SumSlots(self.counts(kind, number), kind.kind.classes)
        return ir.Call(self.counter(kind), (number,))

    def counter(self, kind: KindTable) -> str:
        """The function that counts what lies in a zone of a counted kind."""

        def write(zone: Value) -> None:
            emit = self.builder.emit
            at = self.builder.keep("at", self.counts(kind, zone))

            def length() -> None:
                n = self.builder.keep("n", const(0))
                more = ir.Both(
                    binary("<", n, self.wide(kind, zone)),
                    binary("!=", ir.Slot(plus(at, n)), 0),
                )
                emit(ir.While(more, (ir.Assign(n.name, plus(n, 1)),)))
                emit(ir.Return(n))

            whole = ir.Return(ir.SumSlots(at, kind.kind.classes))
            self.by_order(kind, zone, length, lambda: emit(whole))

        name = kind.kind.name
        return self.builder.function(
            ("count", name), f"number_of_{name}", ["z"], f"how many {name} lie in a zone", write
        )

    def wide(self, kind: KindTable, zone: Value) -> Value:
        """How many slots an ordered zone of a counted kind has."""
        widths = [instance.width for instance in self.tables.instances]
        mine = {widths[each] for each in kind.zones if self.tables.instances[each].ordered}
        if len(mine) == 1:
            return const(mine.pop())
        return self.builder.entry("width_of_zone", widths, zone)

    def by_order(
        self,
        kind: KindTable,
        zone: Value,
        ordered: Callable[[], None],
        other: Callable[[], None],
    ) -> None:
        """One of two ways, by whether a zone is ordered."""
        all_ = self.ordered(kind)
        if all_ is None:
            flags = [instance.ordered for instance in self.tables.instances]
            self.builder.when(self.builder.entry("ordered_zone", flags, zone), ordered, other)
        elif all_:
            ordered()
        else:
            other()

    def occupant(self, zone: str, number: Value) -> Value:
        """What lies in a zone for one of a counted kind; none if it is empty."""
        family = self.tables.families[zone]
        kind = self.tables.kinds[family.kind]

        def write(here: Value) -> None:
            emit = self.builder.emit
            self.each_in(zone, here, lambda component: emit(ir.Return(component)))
            emit(ir.Return(const(None)))

        name = self.builder.function(
            ("occupant", zone), f"what_lies_in_{zone}", ["z"], f"the {kind.kind.name} there", write
        )
        return ir.Call(name, (number,))

    def on_top(self, zone: str, number: Value) -> Value | None:
        """The first of an ordered zone of a kind with identities; none if it is empty."""
        family = self.tables.families[zone]
        kind = self.tables.kinds[family.kind]
        if kind.kind.counted or not self._order(family):
            return None

        stack = family.order == "stack"
        return ir.OnTop(kind.base, kind.positions, kind.kind.total, number, stack)

    def is_there(self, kind: KindTable, component: Value) -> Value:
        """Whether what a value of a counted kind names is where it says."""
        name = kind.kind.name

        def write(value: Value) -> None:
            emit = self.builder.emit
            zone = self.builder.keep("z", self.zone_of(kind, value))
            class_ = self.builder.keep("class", self.class_of(kind, value))
            holds = [
                instance.counts >= 0 and at in kind.zones
                for at, instance in enumerate(self.tables.instances)
            ]
            if not all(holds):
                where = ir.Both(binary(">=", zone, 0), binary("<", zone, len(holds)))
                held = self.builder.entry(f"zone_of_{name}", [int(each) for each in holds], zone)
                emit(ir.If(ir.Not(ir.Both(where, held)), (ir.Return(const(0)),)))
            at = self.builder.keep("at", self.counts(kind, zone))

            def search() -> None:
                name = self.builder.fresh("i")
                test = ir.If(
                    binary("==", ir.Slot(plus(at, ir.Var(name))), plus(class_, 1)),
                    (ir.Return(const(1)),),
                )
                emit(ir.For(name, const(0), self.wide(kind, zone), (test,)))
                emit(ir.Return(const(0)))

            there = binary(">", ir.Slot(plus(at, class_)), 0)
            self.by_order(kind, zone, search, lambda: emit(ir.Return(there)))

        function = self.builder.function(
            ("there", name), f"is_{name}_there", ["c"], f"is the {name} where it says", write
        )
        return ir.Call(function, (component,))

    # ------------------------------------------------------------------------------- loops

    def each_in(self, zone: str, number: Value, body: Body) -> None:
        """A loop over what lies in one zone of a family, in its order."""
        family = self.tables.families[zone]
        kind = self.tables.kinds[family.kind]
        builder = self.builder
        if kind.kind.counted:
            self._each_counted(family, kind, number, body)
            return
        name = builder.fresh("c")
        if self._order(family):
            self._each_by(
                kind,
                lambda inner: builder.emit(
                    ir.EachEqual(name, kind.base, kind.kind.total, number, inner)
                ),
                name,
                (self._position(kind, family, ir.Var(name)),),
                body,
            )
            return
        if kind.alike and kind.attributes:
            self._each_by(
                kind,
                lambda inner: builder.emit(
                    ir.EachEqual(name, kind.base, kind.kind.total, number, inner)
                ),
                name,
                self._key(kind, ir.Var(name)),
                body,
            )
            return
        with builder.block() as inner:
            body(ir.Var(name))
        builder.emit(ir.EachEqual(name, kind.base, kind.kind.total, number, tuple(inner)))

    def _position(self, kind: KindTable, family: ZoneFamily, component: Value) -> Value:
        position = ir.Slot(plus(component, kind.positions))
        return binary("-", const(0), position) if family.order == "stack" else position

    def _key(self, kind: KindTable, component: Value) -> tuple[Value, ...]:
        """What ranks a component before others: class, attributes, zone."""
        attributes = (ir.Slot(plus(component, each.base)) for each in kind.attributes)
        return (self.class_of(kind, component), *attributes, self.zone_of(kind, component))

    def _each_alike(
        self, kind: KindTable, loop: Callable[[ir.Body], None], name: str, body: Body
    ) -> None:
        """Go through a loop over components, the alike ones in the order of their keys."""
        if kind.alike:
            self._each_by(kind, loop, name, self._key(kind, ir.Var(name)), body)
            return
        with self.builder.block() as inner:
            body(ir.Var(name))
        loop(tuple(inner))

    def _each_by(
        self,
        kind: KindTable,
        loop: Callable[[ir.Body], None],
        name: str,
        key: Sequence[Value],
        body: Body,
    ) -> None:
        """A loop over what another loop meets, in the order of a key."""
        builder = self.builder
        rows = builder.fresh("sorted")
        builder.emit(ir.NewRows(rows, len(key) + 1, max(1, kind.kind.total)))
        loop((ir.Push(rows, (*key, ir.Var(name))),))
        builder.emit(ir.SortRows(rows))
        names = tuple(builder.fresh("k") for _ in key)
        component = builder.fresh("c")
        with builder.block() as inner:
            body(ir.Var(component))
        builder.emit(ir.EachRow((*names, component), rows, tuple(inner)))

    def _each_counted(self, family: ZoneFamily, kind: KindTable, number: Value, body: Body) -> None:
        builder, classes = self.builder, kind.kind.classes
        at = self.counts(kind, number)
        if not isinstance(at, ir.Const):
            at = builder.keep("at", at)
        first = times(number, classes)
        if not isinstance(first, ir.Const):
            first = builder.keep("first", first)
        if self._order(family):
            self._each_in_sequence(family, kind, number, at, first, body)
            return
        class_, again = builder.fresh("class"), builder.fresh("i")
        with builder.block() as inner:
            component = builder.keep("c", plus(first, ir.Var(class_)))
            self._classes[component.name] = ir.Var(class_)
            body(component)
        many = ir.Slot(plus(at, ir.Var(class_)))
        if classes == 1:
            with builder.block() as inner:
                body(first)
            builder.emit(ir.For(again, const(0), ir.Slot(at), tuple(inner)))
            return
        loop = ir.For(again, const(0), many, tuple(inner))
        builder.emit(ir.For(class_, const(0), const(classes), (loop,)))

    def _each_in_sequence(
        self,
        family: ZoneFamily,
        kind: KindTable,
        number: Value,
        at: Value,
        first: Value,
        body: Body,
    ) -> None:
        builder = self.builder
        length = builder.keep("n", ir.Call(self.counter(kind), (number,)))
        name = builder.fresh("i")
        where: Value = ir.Var(name)
        if family.order == "stack":
            where = binary("-", plus(length, -1), where)
        with builder.block() as inner:
            held = ir.Slot(plus(at, where))
            body(builder.keep("c", plus(plus(first, held), -1)))
        builder.emit(ir.For(name, const(0), length, tuple(inner)))

    def each_in_any(self, zone: str, fixed: list[Value | None], body: Body) -> None:
        """A loop over what lies in several zones of a family, in canonical order.

        `fixed`: the indexes that are said, counted from 0.
        """
        family = self.tables.families[zone]
        kind = self.tables.kinds[family.kind]
        builder = self.builder
        if kind.kind.counted:
            self._each_counted_in(kind, [(family, fixed)], body)
            return
        name = builder.fresh("c")
        at = ir.Var(builder.fresh("z"))

        def loop(inner: ir.Body) -> None:
            test = ir.If(self._among(family, fixed, at), inner)
            here = ir.Assign(at.name, ir.Slot(plus(ir.Var(name), kind.base)))
            builder.emit(ir.For(name, const(0), const(kind.kind.total), (here, test)))

        self._each_alike(kind, loop, name, body)

    def _among(self, family: ZoneFamily, fixed: list[Value | None], zone: Value) -> Value:
        """Whether a zone is one of those that are meant."""
        test: Value = ir.Both(
            binary(">=", zone, family.base), binary("<", zone, family.base + family.instances)
        )
        for index, size, stride in zip(fixed, family.sizes, strides_of(family.sizes), strict=True):
            if index is not None:
                step = plus(zone, -family.base)
                step = step if stride == 1 else binary("//", step, stride)
                test = ir.Both(test, binary("==", binary("%", step, size), index))
        return test

    def _each_counted_in(
        self,
        kind: KindTable,
        families: list[tuple[ZoneFamily, list[Value | None]]],
        body: Body,
    ) -> None:
        """What lies in zones of a counted kind, by class, then by zone."""
        builder, classes = self.builder, kind.kind.classes
        if any(self._order(family) for family, _ in families):
            rows = builder.fresh("sorted")
            builder.emit(ir.NewRows(rows, 2, max(1, kind.kind.total)))

            def push(component: Value) -> None:
                builder.emit(ir.Push(rows, (self.class_of(kind, component), component)))

            for family, fixed in families:
                self._each_zone(family, fixed, partial(self.each_in, family.name, body=push))
            builder.emit(ir.SortRows(rows))
            key, component = builder.fresh("k"), builder.fresh("c")
            with builder.block() as inner:
                body(ir.Var(component))
            builder.emit(ir.EachRow((key, component), rows, tuple(inner)))
            return
        class_ = builder.fresh("class")

        def in_zone(zone: Value) -> None:
            again = builder.fresh("i")
            with builder.block() as inner:
                component = builder.keep("c", plus(times(zone, classes), ir.Var(class_)))
                self._classes[component.name] = ir.Var(class_)
                body(component)
            many = ir.Slot(plus(self.counts(kind, zone), ir.Var(class_)))
            builder.emit(ir.For(again, const(0), many, tuple(inner)))

        with builder.block() as whole:
            for family, fixed in families:
                self._each_zone(family, fixed, in_zone)
        builder.emit(ir.For(class_, const(0), const(classes), tuple(whole)))

    def _each_zone(
        self, family: ZoneFamily, fixed: list[Value | None], body: Callable[[Value], None]
    ) -> None:
        """A loop over the zones that are meant."""
        builder = self.builder
        at: Value = const(family.base)
        loops: list[tuple[str, int]] = []
        for index, size, stride in zip(fixed, family.sizes, strides_of(family.sizes), strict=True):
            if index is None:
                name = builder.fresh("i")
                loops.append((name, size))
                index = ir.Var(name)
            at = plus(at, times(index, stride))
        with builder.block() as inner:
            body(builder.keep("z", at))
        loop = tuple(inner)
        for name, size in reversed(loops):
            loop = (ir.For(name, const(0), const(size), loop),)
        builder.emit(*loop)

    def each_anywhere(self, kind: KindTable, body: Body) -> None:
        """A loop over all components of a kind, in canonical order."""
        builder = self.builder
        families = [family for family in self.tables.game.zones if family.name in kind.kind.zones]
        if kind.kind.counted:
            families.sort(key=lambda family: family.base)
            every: list[Value | None] = [None]
            whole = [(family, every * len(family.sizes)) for family in families]
            self._each_counted_in(kind, whole, body)
            return
        name = builder.fresh("c")

        def loop(inner: ir.Body) -> None:
            builder.emit(ir.For(name, const(0), const(kind.kind.total), inner))

        self._each_alike(kind, loop, name, body)
