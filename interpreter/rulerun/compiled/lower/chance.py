"""Chance, lowered: the possible outcomes as rows, and the effect of each.

Assumes: chance instructions of the model.
Does: makes listers of rows (id, weight, number), ids ascending, alike components merged, as the
reference lists outcomes. One possible row falls at once; of several the game waits for one.
Leaves behind: listers, blocks, and statements that settle a row.
"""

from __future__ import annotations

from collections.abc import Callable

from rulerun.analysis.moving import take_alike, way_of
from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import FOUND
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.alike import id_of, merged
from rulerun.compiled.lower.builder import Scope, binary, const, plus
from rulerun.compiled.lower.evaluate import Expressions
from rulerun.compiled.lower.knowledge import Knowledge
from rulerun.compiled.lower.shuffling import Shuffle
from rulerun.compiled.lower.stores import Stores
from rulerun.runtime.components import kind_of
from rulerun.runtime.index import KindTable
from rulerun_dsl import model
from rulerun_dsl.model import ZoneAt
from rulerun_dsl.model.valuetypes import Optional, Zone, bare


class ChanceSteps:
    """The chance instructions of one game."""

    def __init__(self, expressions: Expressions, stores: Stores, knowledge: Knowledge) -> None:
        """Store by `stores`, and note in `knowledge` what players learn of moves."""
        self.expressions = expressions
        self.stores = stores
        self.knowledge = knowledge
        self.builder = expressions.builder
        self.components = expressions.components
        self.tables = self.builder.tables

    def _lister(self, at: int, most: int, about: str, write: Callable[[], None]) -> str:
        return self.builder.lister(f"lots_{at}", 3, most, about, write)

    def _question(self, at: int, lister: str, settle: Callable[[Value], None]) -> None:
        """`settle` is given what fell."""
        columns = self.builder.columns(3)
        body = self.builder.body_of(lambda: settle(ir.Var(columns[2])))
        self.builder.questions.append(ir.Question(at, lister, columns, True, const(-1), body))

    # ---------------------------------------------------------------------- rolls and picks

    def roll(self, node: model.Roll, at: int) -> None:
        """Every value of the target's type, weighted."""
        type_ = bare(self.stores.tables.type_of(node.target))
        low, high = self.tables.bounds(type_)
        emit = self.builder.emit

        def write() -> None:
            name = self.builder.fresh("v")
            scope: Scope = {node.register: ir.Var(name)}
            with self.builder.block() as inner:

                def weigh() -> None:
                    self._push_weighted(node.weight, scope, plus(ir.Var(name), -low), ir.Var(name))

                if node.until is None:
                    weigh()
                else:
                    self.builder.when(self.expressions.value(node.until, scope), weigh)
            emit(ir.For(name, const(low), const(high + 1), tuple(inner)))

        lister = self._lister(at, high - low + 1, node.span.text, write)
        self._falling(node, at, lister)

    def _push_weighted(
        self, weight: model.Expression | None, scope: Scope, id_: Value, number: Value
    ) -> None:
        if weight is None:
            self.builder.emit(ir.Push(FOUND, (id_, const(1), number)))
            return
        heavy = self.builder.keep("w", self._weight(weight, scope))
        push = ir.Push(FOUND, (id_, heavy, number))
        self.builder.emit(ir.If(binary(">", heavy, 0), (push,)))

    def _weight(self, weight: model.Expression, scope: Scope) -> Value:
        value = self.expressions.value(weight, scope)
        return self.builder.checked(value, weight.type, 0, ir.MOST)

    def pick(self, node: model.Pick, at: int) -> None:
        """A member of a collection, weighted; alike components merged."""
        type_ = self.stores.tables.type_of(node.target)
        collections = self.expressions.collections
        kind = kind_of(self.builder.tables, collections.element(node.source))
        lowest = self.tables.lowest(type_)
        emit = self.builder.emit
        most = collections.most(node.source)

        def write() -> None:
            rows = self.builder.fresh("rows")
            emit(ir.NewRows(rows, 4, max(1, most)))

            def member(component: Value) -> None:
                scope: Scope = {node.register: component}

                def add() -> None:
                    weight: Value = const(1)
                    if node.weight is not None:
                        weight = self.builder.keep("w", self._weight(node.weight, scope))
                    if kind is None:
                        id_ = plus(component, -lowest)
                    else:
                        id_ = id_of(self.components, kind, component, len(kind.zones) > 1)
                    push = ir.Push(rows, (id_, ir.Length(rows), weight, component))
                    if node.weight is None:
                        emit(push)
                    else:
                        emit(ir.If(binary(">", weight, 0), (push,)))

                if node.condition is None:
                    add()
                else:
                    self.builder.when(self.expressions.value(node.condition, scope), add)

            self.expressions.each(node.source, {}, member)
            emit(ir.SortRows(rows))
            id_, order, weight, component = (self.builder.fresh(n) for n in ("id", "n", "w", "c"))
            merged(
                self.builder,
                lambda body: emit(ir.EachRow((id_, order, weight, component), rows, body)),
                ir.Var(id_),
                ir.Var(weight),
                ir.Var(component),
            )

        lister = self._lister(at, most, node.span.text, write)
        self._falling(node, at, lister)

    def _falling(self, node: model.Roll | model.Pick, at: int, lister: str) -> None:
        rows = self.builder.fresh("rows")
        emit = self.builder.emit

        def settle(number: Value) -> None:
            for address in self.stores.addresses(node.target, {}):
                emit(ir.StoreSlot(address, number))
            self.builder.go(at, at + 1)

        self._question(at, lister, settle)
        emit(ir.CallLister(rows, lister, 3))
        emit(ir.If(binary("==", ir.Length(rows), 0), (ir.Fail(),)))
        component = self.builder.body_of(lambda: settle(ir.RowGet(rows, const(0), 2)))
        emit(ir.If(binary("==", ir.Length(rows), 1), component), ir.Rest(at, rows))

    # ------------------------------------------------------------------------------- draws

    def _each_open(
        self, node: model.MoveSome, source: ZoneAt, body: Callable[[Value], None]
    ) -> None:
        """What may be taken from a source, in order."""
        scope: Scope = {}

        def member(component: Value) -> None:
            if node.condition is None or node.register is None:
                body(component)
                return
            condition = self.expressions.value(node.condition, {**scope, node.register: component})
            self.builder.when(condition, lambda: body(component))

        family = self.tables.families[source.zone]
        kind = self.tables.kinds[family.kind].kind
        members = model.Members(
            Zone(kind.name, source.zone, None not in source.indexes, family.one),
            source.span,
            source.zone,
            source.indexes,
        )
        if len(self._zones(source)) == 1 and None in source.indexes:
            # The only one of its family: in its own order.
            number = self.expressions.collections.zones(source.zone, source.indexes, scope)[0]
            self.components.each_in(source.zone, number, member)
            return
        self.expressions.each(members, scope, member)

    def _zones(self, source: ZoneAt) -> list[Value]:
        with self.builder.block():
            return self.expressions.collections.zones(source.zone, source.indexes, {})

    def move_some(self, node: model.MoveSome, at: int) -> None:
        """`move N from Z to Y`: one after another, each decided when its turn comes."""
        builder, emit = self.builder, self.builder.emit
        left = builder.local(node.left)
        kind = self.tables.kinds[self.tables.families[node.to.zone].kind]
        way = way_of(self.builder.game, node)
        alike = self.knowledge.places.any_of(kind) and take_alike(self.builder.game, node)
        lister = self._lister(
            at, kind.kind.total, node.span.text, lambda: self._list_open(node, kind)
        )

        def take(component: Value) -> None:
            to = self.expressions.zone(node.to.zone, node.to.indexes, {})
            sure = None
            if alike:
                sees = self.knowledge.sight.always(self.components.zone_of(kind, component))
                sure = builder.keep("sure", sees)
            moved = builder.keep("moved", self.knowledge.move(kind, component, to, way, sure))
            emit(ir.Add(left, const(-1)))
            if node.result is not None:
                for address in self.stores.addresses(node.result, {}):
                    emit(ir.StoreSlot(address, moved))

        def settle(component: Value) -> None:
            take(component)
            emit(ir.Jump(const(at)))

        self._question(at, lister, settle)

        def begin() -> None:
            if builder.coverage:
                emit(ir.Count(at))
            wanted = builder.keep("wanted", self.expressions.sure(node.quantity, {}))
            emit(ir.StoreSlot(left, plus(binary("max", wanted, 0), 1)))
            if node.result is not None:
                type_ = self.stores.tables.type_of(node.result)
                if isinstance(type_, Optional):
                    none = const(self.tables.none_code(type_))
                    for address in self.stores.addresses(node.result, {}):
                        emit(ir.StoreSlot(address, none))

        builder.when(ir.Not(ir.Slot(left)), begin)
        with builder.block() as loop:
            component = builder.fresh("one")
            emit(ir.Assign(component, const(None)))
            self._next(node, kind, at, lister, component, 0)
            if node.up_to:
                emit(ir.If(binary("==", ir.Var(component), ir.NONE), (ir.Break(),)))
            else:
                emit(ir.If(binary("==", ir.Var(component), ir.NONE), (ir.Fail(),)))
            take(ir.Var(component))
        emit(ir.While(binary(">", ir.Slot(left), 1), tuple(loop)))
        emit(ir.StoreSlot(left, const(0)))
        builder.go(at, at + 1)

    def _next(
        self,
        node: model.MoveSome,
        kind: KindTable,
        at: int,
        lister: str,
        component: str,
        which: int,
    ) -> None:
        """The component to take, into `one`; or rest; or none is there."""
        builder, emit = self.builder, self.builder.emit
        if which == len(node.sources):
            return
        source = node.sources[which]
        family = self.tables.families[source.zone]
        single = len(self._zones(source)) == 1
        many = builder.keep("many", self._number(node, source))
        if family.refill is not None and single:
            refill = family.refill

            def fill() -> None:
                self._refill(source, refill, kind)
                emit(ir.Assign(many.name, self._number(node, source)))

            builder.when(ir.Not(many), fill)

        def take() -> None:
            if family.order == "random":
                self._draw(node, source, at, lister, component, many)
                return
            if family.ordered and single:
                self._first(node, source, component)
                return
            wanted = plus(ir.Slot(builder.local(node.left)), -1)
            rows = builder.fresh("rows")
            alike = builder.body_of(
                lambda: emit(
                    ir.CallLister(rows, lister, 3),
                    ir.If(binary(">", ir.Length(rows), 1), (ir.Fail(),)),
                )
            )
            emit(ir.If(binary("<", wanted, many), alike))
            self._first(node, source, component)

        builder.when(many, take, lambda: self._next(node, kind, at, lister, component, which + 1))

    def _number(self, node: model.MoveSome, source: ZoneAt) -> Value:
        """How many may be taken from a source."""
        if node.condition is None and None not in source.indexes:
            number = self.expressions.zone(source.zone, source.indexes, {})
            return self.components.count(source.zone, number)

        def write() -> None:
            emit = self.builder.emit
            n = self.builder.keep("n", const(0))
            self._each_open(node, source, lambda _: emit(ir.Assign(n.name, plus(n, 1))))
            emit(ir.Return(n))

        key = ("open", self.builder.number_of(node), self.builder.number_of(source))
        name = self.builder.function(key, f"open_{source.zone}", [], source.span.text, write)
        return ir.Call(name, ())

    def _first(self, node: model.MoveSome, source: ZoneAt, component: str) -> None:
        """The first that may be taken, into `one`."""

        def write() -> None:
            emit = self.builder.emit
            self._each_open(node, source, lambda found: emit(ir.Return(found)))
            emit(ir.Return(const(None)))

        key = ("first", self.builder.number_of(node), self.builder.number_of(source))
        name = self.builder.function(key, f"first_{source.zone}", [], source.span.text, write)
        self.builder.emit(ir.Assign(component, ir.Call(name, ())))

    def _draw(
        self,
        node: model.MoveSome,
        source: ZoneAt,
        at: int,
        lister: str,
        component: str,
        many: Value,
    ) -> None:
        """A draw by chance; all of them are taken without."""
        builder, emit = self.builder, self.builder.emit
        rows = builder.fresh("rows")

        def draw() -> None:
            emit(ir.CallLister(rows, lister, 3))
            emit(ir.If(binary(">", ir.Length(rows), 1), (ir.Rest(at, rows),)))
            self._first(node, source, component)

        if self.tables.families[node.to.zone].ordered:
            draw()
            return
        wanted = plus(ir.Slot(builder.local(node.left)), -1)
        builder.when(binary(">=", wanted, many), lambda: self._first(node, source, component), draw)

    def _list_open(self, node: model.MoveSome, kind: KindTable) -> None:
        """What may be drawn from the first source that has something."""
        emit = self.builder.emit

        def from_source(which: int) -> None:
            if which == len(node.sources):
                return
            source = node.sources[which]
            several = None in source.indexes
            met = self.builder.fresh("c")

            def loop(body: ir.Body) -> None:
                def member(component: Value) -> None:
                    emit(ir.Assign(met, component), *body)

                self._each_open(node, source, member)

            if not kind.kind.counted and not kind.alike and self._sorted(source):
                # No two are alike, and they are met in the order of their ids.
                id_ = id_of(self.components, kind, ir.Var(met), several)
                loop((ir.Push(FOUND, (id_, const(1), ir.Var(met))),))
            elif self._sorted(source):
                merged(
                    self.builder,
                    loop,
                    id_of(self.components, kind, ir.Var(met), several),
                    const(1),
                    ir.Var(met),
                )
            else:
                self._merge_unsorted(loop, kind, several, met)
            if which + 1 < len(node.sources):
                empty = ir.Not(ir.Length(FOUND))
                self.builder.when(empty, lambda: from_source(which + 1))

        from_source(0)

    def _sorted(self, source: ZoneAt) -> bool:
        """Whether what lies in a source is met in canonical order."""
        return not self.tables.families[source.zone].ordered

    def _merge_unsorted(
        self, loop: Callable[[ir.Body], None], kind: KindTable, several: bool, met: str
    ) -> None:
        builder, emit = self.builder, self.builder.emit
        rows = builder.fresh("rows")
        emit(ir.NewRows(rows, 3, max(1, kind.kind.total)))
        push = ir.Push(
            rows, (id_of(self.components, kind, ir.Var(met), several), ir.Length(rows), ir.Var(met))
        )
        loop((push,))
        emit(ir.SortRows(rows))
        id_, order, component = (builder.fresh(name) for name in ("id", "n", "c"))
        merged(
            self.builder,
            lambda body: emit(ir.EachRow((id_, order, component), rows, body)),
            ir.Var(id_),
            const(1),
            ir.Var(component),
        )

    def _refill(self, source: ZoneAt, refill: ZoneAt, kind: KindTable) -> None:
        """All of the zone that refills this one comes in."""
        builder, emit = self.builder, self.builder.emit
        zone = builder.keep("z", self.expressions.zone(source.zone, source.indexes, {}))
        # The model writes the zone's own indexes as the first registers.
        scope: dict[int, Value] = {}
        family = self.tables.families[source.zone]
        width = family.instances
        rest: Value = plus(zone, -family.base)
        for register, (low, size) in enumerate(zip(family.lows, family.sizes, strict=True)):
            width //= size
            step = binary("//", rest, width) if width > 1 else rest
            scope[register] = builder.keep("i", plus(binary("%", step, size), low))
        number = builder.keep("from", self.expressions.zone(refill.zone, refill.indexes, scope))
        rows = builder.fresh("all")
        emit(ir.NewRows(rows, 1, max(1, kind.kind.total)))
        self.components.each_in(
            refill.zone, number, lambda component: emit(ir.Push(rows, (component,)))
        )
        self.expressions.collections.each_of(
            rows, lambda component: emit(ir.Eval(self.knowledge.move(kind, component, zone)))
        )

    # ----------------------------------------------------------------------------- shuffles

    def shuffle(self, node: model.ShuffleZone, at: int) -> None:
        """The order of a zone, drawn from the bottom up."""
        builder, emit = self.builder, self.builder.emit
        left = builder.local(node.left)
        family = self.tables.families[node.zone.zone]
        kind = self.tables.kinds[family.kind]
        shuffled = Shuffle(self.expressions, self.knowledge, node, kind)

        lister = self._lister(at, kind.kind.total, node.span.text, shuffled.list_rest)

        def settle(component: Value) -> None:
            shuffled.put_next(component)
            emit(ir.Add(left, const(-1)))
            emit(ir.Jump(const(at)))

        self._question(at, lister, settle)

        def begin() -> None:
            if builder.coverage:
                emit(ir.Count(at))
            shuffled.begin()

        builder.when(ir.Not(ir.Slot(left)), begin)
        rows = builder.fresh("rows")
        with builder.block() as loop:
            emit(ir.CallLister(rows, lister, 3))
            emit(ir.If(binary(">", ir.Length(rows), 1), (ir.Rest(at, rows),)))
            emit(ir.If(binary("==", ir.Length(rows), 0), (ir.Fail(),)))
            shuffled.put_next(ir.RowGet(rows, const(0), 2))
            emit(ir.Add(left, const(-1)))
        emit(ir.While(binary(">", ir.Slot(left), 1), tuple(loop)))
        emit(ir.StoreSlot(left, const(0)))
        builder.go(at, at + 1)
