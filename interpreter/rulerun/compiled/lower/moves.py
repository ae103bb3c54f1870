"""Moves and what is shown, lowered.

Assumes: instructions whose components and zones are of one kind.
Does: moves components one after another, each to where its own evaluation says; swaps zones; shows.
What a whole zone takes with it is known together: a move of all is one move to who sees it.
Leaves behind: statements in the block that is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from rulerun.analysis.failing import may_have_left
from rulerun.analysis.moving import ANYHOW, CHOSEN, goes_in_order, goes_whole, lies_by_rows
from rulerun.analysis.reads import reads
from rulerun.compiled import ir
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.builder import binary, const, plus
from rulerun.compiled.lower.evaluate import Expressions
from rulerun.compiled.lower.knowledge import Knowledge
from rulerun.compiled.lower.placement import Placement
from rulerun.runtime.components import kind_of
from rulerun.runtime.index import KindTable, element_of
from rulerun_dsl import model
from rulerun_dsl.model.traversal import parts
from rulerun_dsl.model.valuetypes import Zone


class Moves:
    """The moves of one game."""

    def __init__(
        self, expressions: Expressions, placement: Placement, knowledge: Knowledge
    ) -> None:
        """Move by `placement`, and note in `knowledge` what players learn."""
        self.expressions = expressions
        self.collections = expressions.collections
        self.components = expressions.components
        self.builder = expressions.builder
        self.game = expressions.game
        self.placement = placement
        self.knowledge = knowledge

    def one(self, node: model.MoveOne) -> None:
        """One component goes to a zone, and keeps its name if it has one."""
        kind = self._kind_at(node.to)
        which = self.expressions.sure(node.component, {})
        to = self.expressions.zone(node.to.zone, node.to.indexes, {})
        moved = self.knowledge.move(kind, which, to, CHOSEN)
        if node.name is None:
            self.builder.emit(ir.Eval(moved))
        else:
            self.builder.emit(ir.StoreSlot(self.builder.local(node.name.offset), moved))

    def _kind_at(self, zone: model.ZoneAt) -> KindTable:
        return self.builder.tables.kinds[self.builder.tables.families[zone.zone].kind]

    def all(self, node: model.MoveAll) -> None:
        """The members of a collection go to zones, one after another."""
        builder, emit = self.builder, self.builder.emit
        kind = self._kind_at(node.to)
        by_rows = self.knowledge.places.any_of(kind) and lies_by_rows(self.game, node)

        def move(one: Value, sure: Value | None = None) -> None:
            to = self.expressions.zone(node.to.zone, node.to.indexes, {node.register: one})
            emit(ir.Eval(self.knowledge.move(kind, one, to, ANYHOW, sure)))

        def all_() -> None:
            if node.condition is not None and not by_rows and self._is_left_alone(node.condition):
                # Those that pass do so from the beginning: the others need not be kept.
                chosen = builder.fresh("all")
                emit(ir.NewRows(chosen, 1, max(1, self.collections.most(node.source))))
                self.expressions.each(node.source, {}, partial(self._if_passes, node, chosen))
                self.collections.each_of(chosen, move)
                return
            members = self.collections.rows(node.source, {})
            sure: Value | None = None
            if by_rows:
                sure = self._seeing_all(kind, members)

            def member(one: Value) -> None:
                if node.condition is None:
                    move(one, sure)
                else:
                    passes = self.expressions.value(node.condition, {node.register: one})
                    builder.when(passes, lambda: move(one, sure))

            self.collections.each_of(members, member)

        if not self.knowledge.kept(kind) or not goes_whole(self.game, node):
            all_()
            return
        # All that lies in some zones goes to one: each knows what went where.
        assert isinstance(node.source, model.Members)
        source = node.source
        loads = builder.fresh("loads")
        emit(ir.NewRows(loads, 4, self.knowledge.most_loaded(kind)))
        placed = self._placed(kind, node.to.zone) if goes_in_order(self.game, node) else None
        for number in self.collections.zones(source.zone, source.indexes, {}):
            zone = builder.keep("z", number)

            def take(zone: Value = zone) -> None:
                seen = builder.keep("seen", self.knowledge.sight.of(zone))
                self.knowledge.taken_up(kind, zone, seen, loads)
                if placed is not None:
                    self.knowledge.placed(kind, source.zone, zone, seen, placed)

            builder.when(self.components.count(source.zone, zone), take)
        target = builder.keep("to", self._place_if_any(node, source))

        def go_and_know() -> None:
            below = None
            if placed is not None:
                below = builder.keep("below", self.components.count(node.to.zone, target))
            all_()
            after = builder.keep("after", self.knowledge.sight.of(target))
            self.knowledge.laid_down(
                kind, target, loads, after, lambda zone: binary("!=", zone, target)
            )
            if placed is not None:
                builder.when(
                    binary("!=", zone, target),
                    lambda: self.knowledge.places.laid_down(kind, target, placed, after, below),
                )

        builder.when(binary("!=", target, ir.NONE), go_and_know)

    def _is_left_alone(self, condition: model.Expression) -> bool:
        """Whether what is moved changes nothing of a condition, nor makes it fail."""
        read = reads(self.game, condition)
        if read.zones or read.counts or read.running:
            return False
        return not any(may_have_left(each) for each in _names_in(condition))

    def _if_passes(self, node: model.MoveAll, rows: str, one: Value) -> None:
        """A member that passes the condition of a move goes into rows."""
        assert node.condition is not None
        passes = self.expressions.value(node.condition, {node.register: one})
        self.builder.when(passes, lambda: self._push(rows, one))

    def _seeing_all(self, kind: KindTable, members: str) -> Value:
        """Who always sees all the zones in which some components lie."""
        sure = self.builder.keep("sure", const((1 << self.builder.players + 1) - 1))

        def narrow(one: Value) -> None:
            sees = self.knowledge.sight.always(self.components.zone_of(kind, one))
            self.builder.emit(ir.Assign(sure.name, binary("&", sure, sees)))

        self.collections.each_of(members, narrow)
        return sure

    def _placed(self, kind: KindTable, to: str) -> str | None:
        """Rows for what lies where, if that can be known of it where it goes."""
        if not self.knowledge.kept(kind) or not self.knowledge.places.kept_in(kind, to):
            return None
        rows = self.builder.fresh("placed")
        self.builder.emit(ir.NewRows(rows, 4, max(1, kind.kind.total)))
        return rows

    def _place_if_any(self, node: model.MoveAll, source: model.Members) -> Value:
        """Where all goes; none if nothing is there, for then nobody asks."""

        def write() -> None:
            emit = self.builder.emit
            for number in self.collections.zones(source.zone, source.indexes, {}):
                many = self.components.count(source.zone, number)
                to = self.expressions.zone(node.to.zone, node.to.indexes, {})
                emit(ir.If(many, (ir.Return(to),)))
            emit(ir.Return(const(None)))

        key = ("whole", self.builder.number_of(node))
        name = self.builder.function(
            key, f"where_all_goes_{node.to.zone}", [], node.span.text, write
        )
        return ir.Call(name, ())

    def swap(self, node: model.SwapZones) -> None:
        """What lies in two zones changes self.components."""
        builder, emit = self.builder, self.builder.emit
        kind = self._kind_at(node.left)
        ends = (node.left, node.right)
        zones = [
            builder.keep("z", self.expressions.zone(end.zone, end.indexes, {})) for end in ends
        ]

        def swap() -> None:
            loads, seen = [], []
            placed = [self._placed(kind, end.zone) for end in ends]
            for place, zone in enumerate(zones if self.knowledge.kept(kind) else ()):
                before = builder.keep("seen", self.knowledge.sight.of(zone))
                seen.append(before)
                rows = builder.fresh("loads")
                emit(ir.NewRows(rows, 4, self.knowledge.most_loaded(kind)))
                loads.append(rows)
                self.knowledge.taken_up(kind, zone, before, rows)
                if (other_end := placed[1 - place]) is not None:
                    self.knowledge.placed(kind, ends[place].zone, zone, before, other_end)
            lying = []
            for end, zone, other in zip(ends, zones, reversed(zones), strict=True):
                rows = builder.fresh("lying")
                emit(ir.NewRows(rows, 1, max(1, kind.kind.total)))
                self.components.each_in(end.zone, zone, partial(self._push, rows))
                lying.append(rows)
                holds = [instance.family.holds for instance in builder.tables.instances]
                room = builder.entry("holds", holds, other)
                emit(ir.If(binary(">", ir.Length(rows), room), (ir.Fail(),)))
            self._exchange(kind, ends, zones, lying)
            for place, zone in enumerate(zones):
                if self.knowledge.kept(kind):
                    after = builder.keep("after", self.knowledge.sight.of(zone))
                    self.knowledge.replaced(kind, zone, seen[1 - place], after)
                    self.knowledge.laid_down(
                        kind, zone, loads[1 - place], after, lambda _: const(1)
                    )
                    if (here := placed[place]) is not None:
                        self.knowledge.places.laid_down(kind, zone, here, after, None)

        builder.when(binary("!=", zones[0], zones[1]), swap)

    def _push(self, rows: str, one: Value) -> None:
        self.builder.emit(ir.Push(rows, (one,)))

    def _exchange(
        self,
        kind: KindTable,
        ends: tuple[model.ZoneAt, model.ZoneAt],
        zones: list[ir.Var],
        lying: list[str],
    ) -> None:
        """Lift all out of both zones, then lay them down, each lot in its order."""
        builder, emit = self.builder, self.builder.emit
        one = builder.fresh("c")
        for end, zone, rows in zip(ends, zones, lying, strict=True):
            if kind.kind.counted:
                start = builder.keep("at", self.components.counts(kind, zone))
                name = builder.fresh("i")
                many: Value = const(kind.kind.classes)
                if builder.tables.families[end.zone].ordered:
                    many = self.components.wide(kind, zone)
                emit(
                    ir.For(
                        name, const(0), many, (ir.StoreSlot(plus(start, ir.Var(name)), const(0)),)
                    )
                )
                continue
            clear: list[ir.Statement] = [ir.StoreSlot(plus(ir.Var(one), kind.base), const(-1))]
            if kind.positions >= 0:
                clear.append(ir.StoreSlot(plus(ir.Var(one), kind.positions), const(0)))
            emit(ir.EachRow((one,), rows, tuple(clear)))
        for end, rows, to in zip(ends, lying, reversed(zones), strict=True):
            stack = builder.tables.families[end.zone].order == "stack"
            name = builder.fresh("i")
            at: Value = ir.Var(name)
            if stack:
                # Listed from the top; laid down from the bottom.
                at = binary("-", plus(ir.Length(rows), -1), at)
            with builder.block() as inner:
                member = builder.keep("m", ir.RowGet(rows, at, 0))
                if kind.kind.counted:
                    self.placement.add(kind, self.components.class_of(kind, member), to)
                else:
                    self.placement.lay(kind, member, to)
            emit(ir.For(name, const(0), ir.Length(rows), tuple(inner)))

    def show(self, node: model.ShowTo) -> None:
        """A player, or everybody, learns what some components are."""
        builder, expressions = self.builder, self.expressions
        type_ = node.source.type
        kind = (
            builder.tables.kinds[type_.kind]
            if isinstance(type_, Zone)
            else kind_of(builder.tables, element_of(type_))
        )
        assert kind is not None
        mask: Value = const((1 << builder.players + 1) - 1)
        if node.player is not None:
            mask = builder.keep("mask", binary("<<", const(1), expressions.sure(node.player, {})))
        if self.collections.is_collection(node.source):
            self.knowledge.shown(kind, lambda body: expressions.each(node.source, {}, body), mask)
            return
        one = builder.keep("one", expressions.sure(node.source, {}))
        self.knowledge.shown(kind, lambda body: body(one), mask)


def _names_in(node: model.Expression) -> Iterator[model.Local]:
    """The names of a rule that an expression reads."""
    if isinstance(node, model.Local):
        yield node
    for part in parts(node):
        yield from _names_in(part)
