"""The instructions of a game, lowered: one block for each.

Assumes: code as `model` describes it.
Does: writes for each instruction what it does to the slots, and where play goes on.
Leaves behind: blocks; a question for each instruction at which a game may rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from rulerun.analysis.conditions import never_fails
from rulerun.analysis.reads import reads
from rulerun.compiled.ir import program as ir
from rulerun.compiled.ir.fresh_names import FOUND
from rulerun.compiled.ir.program import Value
from rulerun.compiled.lower.builder import binary, const, plus
from rulerun.compiled.lower.chance import ChanceSteps
from rulerun.compiled.lower.choices import Choices
from rulerun.compiled.lower.control import ControlStack
from rulerun.compiled.lower.evaluate import Expressions
from rulerun.compiled.lower.knowledge import Knowing
from rulerun.compiled.lower.loops import Loops
from rulerun.compiled.lower.stores import Stores
from rulerun.reference.scoring import BY_SCORING
from rulerun.runtime.components import kind_of
from rulerun.runtime.index import KindTable, element_of
from rulerun.runtime.play import RESULT
from rulerun_dsl import model
from rulerun_dsl.model import Expression, Instruction
from rulerun_dsl.model.valuetypes import Zone


class Instructions:
    """The code of one game."""

    def __init__(self, expressions: Expressions) -> None:
        """Lower the parts with `expressions`."""
        self.expressions = expressions
        self.builder = expressions.builder
        self.game = expressions.game
        self.questions: list[ir.Question] = []
        self.togethers: list[ir.Together] = []
        self.knowing = Knowing(expressions)
        self.stores = Stores(expressions)
        self.loops = Loops(expressions)
        self.choosing = Choices(expressions)
        self.luck = ChanceSteps(self)
        self.stacks = ControlStack(expressions, self.stores)

    def blocks(self) -> tuple[ir.Block, ...]:
        """The blocks of all instructions."""
        found = []
        for at, node in enumerate(self.game.code):

            def write(node: Instruction = node, at: int = at) -> None:
                # A chain of draws counts where it begins: it is come back to after each of them.
                chain = isinstance(node, model.MoveSome | model.ShuffleZone)
                if self.builder.coverage and not chain:
                    self.builder.emit(ir.Count(at))
                self._write(node, at)

            found.append(ir.Block(at, self.builder.body_of(write), node.span.text))
        return tuple(found)

    def _write(self, node: Instruction, at: int) -> None:
        go = self.builder.go
        match node:
            case model.Store():
                self.stores.store(node)
                go(at, at + 1)
            case model.SwapValues():
                self.stores.swap(node)
                go(at, at + 1)
            case model.SortBy():
                self.stores.sort(node)
                go(at, at + 1)
            case model.LoopStart():
                self.loops.start(node, at)
            case model.LoopNext():
                self.loops.next(node, at)
            case model.RepeatStart():
                self.loops.repeat_start(node, at)
            case model.RepeatNext():
                self.loops.repeat_next(node, at)
            case model.Roll():
                self.luck.roll(node, at)
            case model.Pick():
                self.luck.pick(node, at)
            case model.MoveSome():
                self.luck.move_some(node, at)
            case model.ShuffleZone():
                self.luck.shuffle(node, at)
            case model.MoveOne():
                self._move_one(node)
                go(at, at + 1)
            case model.MoveAll():
                self._move_all(node)
                go(at, at + 1)
            case model.SwapZones():
                self._swap_zones(node)
                go(at, at + 1)
            case model.ShowTo():
                self._show(node)
                go(at, at + 1)
            case model.Choose():
                self._choose(node, at)
            case model.Jump(to=to):
                go(at, to)
            case model.Unless(condition=condition, to=to):
                holds = self.expressions.value(condition, {})
                self.builder.when(holds, lambda: go(at, at + 1), lambda: go(at, to))
            case model.Clear(offsets=offsets):
                for offset in offsets:
                    self.builder.emit(ir.StoreSlot(self.builder.local(offset), const(0)))
                go(at, at + 1)
            case model.Say(parts=parts):
                self._asked([part for part in parts if not isinstance(part, str)])
                go(at, at + 1)
            case model.Enter():
                go(at, at + 1)
            case model.EndGame():
                self._end(node, at)
            case model.Return(procedure=0):
                self._end(None, at)
            case model.TogetherStart():
                self._together(node, at)
            case model.TogetherEnd():
                self.builder.emit(ir.Signal("part_done", at))
            case _:
                self.stacks.write(node, at)

    def _asked(self, nodes: Sequence[Expression]) -> None:
        """What goes wrong in a sentence does so whoever listens."""
        for node in nodes:
            if not never_fails(self.builder.tables, node):
                if self.expressions.collections.is_collection(node):
                    self.expressions.each(node, {}, lambda one: None)
                else:
                    self.builder.emit(ir.Eval(self.expressions.value(node, {})))

    # ------------------------------------------------------------------------------ questions

    def _choose(self, node: model.Choose, at: int) -> None:
        builder, emit = self.builder, self.builder.emit
        width = self.choosing.width(node)
        lister = self.choosing.lister(node, at)
        player = self.expressions.sure(node.player, {})
        columns = builder.columns(width)
        settle = self.choosing.settle(node, at, [ir.Var(name) for name in columns])
        self.questions.append(ir.Question(at, lister, columns, False, player, settle))
        rows = builder.fresh("rows")
        emit(ir.CallLister(rows, lister, width))
        if node.otherwise is not None:
            otherwise = node.otherwise
            main = [number for number, option in enumerate(node.options) if option.main]
            if len(main) == len(node.options):
                none = ir.Not(ir.Length(rows))
                builder.when(none, lambda: builder.go(at, otherwise))
            else:
                some = builder.keep("some", const(0))
                names = builder.columns(width)
                is_main: Value = const(0)
                for number in main:
                    this = binary("==", ir.Var(names[1]), number)
                    is_main = this if is_main == const(0) else ir.Either(this, is_main)
                note = ir.If(is_main, (ir.Assign(some.name, const(1)),))
                emit(ir.EachRow(names, rows, (note,)))
                builder.when(ir.Not(some), lambda: builder.go(at, otherwise))
        emit(ir.If(ir.Not(ir.Length(rows)), (ir.Fail(),)))
        if isinstance(player, ir.Checked | ir.Call):
            emit(ir.Eval(player))
        asked = [part for part in node.ask if not isinstance(part, str)]
        self._asked([part for part in asked if not isinstance(part, model.Literal)])
        if node.forced:
            with builder.block() as alone:
                for column in range(1, width):
                    emit(ir.Assign(columns[column], ir.RowGet(rows, const(0), column)))
                emit(*settle)
            emit(ir.If(binary("==", ir.Length(rows), 1), tuple(alone)))
        emit(ir.Rest(at, rows))

    # ---------------------------------------------------------------------------------- moves

    def _move_one(self, node: model.MoveOne) -> None:
        kind = self._kind_at(node.to)
        which = self.expressions.sure(node.component, {})
        to = self.expressions.zone(node.to.zone, node.to.indexes, {})
        moved = self.knowing.move(kind, which, to)
        if node.name is None:
            self.builder.emit(ir.Eval(moved))
        else:
            self.builder.emit(ir.StoreSlot(self.builder.local(node.name.offset), moved))

    def _kind_at(self, zone: model.ZoneAt) -> KindTable:
        return self.builder.tables.kinds[self.builder.tables.families[zone.zone].kind]

    def _move_all(self, node: model.MoveAll) -> None:
        builder, emit = self.builder, self.builder.emit
        kind = self._kind_at(node.to)

        def all_() -> None:
            members = self.expressions.collections.rows(node.source, {})

            def member(one: Value) -> None:
                scope = {node.register: one}

                def move() -> None:
                    to = self.expressions.zone(node.to.zone, node.to.indexes, scope)
                    emit(ir.Eval(self.knowing.move(kind, one, to)))

                if node.condition is None:
                    move()
                else:
                    builder.when(self.expressions.value(node.condition, scope), move)

            self.expressions.collections.each_of(members, member)

        if not self.knowing.kept(kind) or not self._whole(node):
            all_()
            return
        # All that lies in some zones goes to one: each knows what went where.
        assert isinstance(node.source, model.Members)
        source = node.source
        loads = builder.fresh("loads")
        emit(ir.NewRows(loads, 4, self.knowing.most_loaded(kind)))
        for number in self.expressions.collections.zones(source.zone, source.indexes, {}):
            zone = builder.keep("z", number)

            def take(zone: Value = zone) -> None:
                self.knowing.taken_up(kind, zone, self.knowing.sight(zone), loads)

            builder.when(self.expressions.components.count(source.zone, zone), take)
        target = builder.keep("to", self._place_if_any(node, source))

        def go_and_know() -> None:
            all_()
            after = builder.keep("after", self.knowing.sight(target))
            self.knowing.laid_down(
                kind, target, loads, after, lambda zone: binary("!=", zone, target)
            )

        builder.when(binary("!=", target, ir.NONE), go_and_know)

    def _place_if_any(self, node: model.MoveAll, source: model.Members) -> Value:
        """Where all goes; none if nothing is there, for then nobody asks."""

        def write() -> None:
            emit = self.builder.emit
            for number in self.expressions.collections.zones(source.zone, source.indexes, {}):
                many = self.expressions.components.count(source.zone, number)
                to = self.expressions.zone(node.to.zone, node.to.indexes, {})
                emit(ir.If(many, (ir.Return(to),)))
            emit(ir.Return(const(None)))

        key = ("whole", self.builder.number_of(node))
        name = self.builder.function(
            key, f"where_all_goes_{node.to.zone}", [], node.span.text, write
        )
        return ir.Call(name, ())

    def _whole(self, node: model.MoveAll) -> bool:
        """Whether all that lies in some zones goes to one, so that each knows what went where."""
        if node.condition is not None or not isinstance(node.source, model.Members):
            return False
        families = self.builder.tables.families
        indexes = [index for index in node.to.indexes if index is not None]
        ends = [families[node.source.zone].visible, families[node.to.zone].visible]
        read = [reads(self.game, each) for each in (*indexes, *ends)]
        return not any(
            node.register in each.registers or each.zones or each.counts for each in read
        )

    def _swap_zones(self, node: model.SwapZones) -> None:
        builder, emit = self.builder, self.builder.emit
        kind = self._kind_at(node.left)
        places = self.expressions.components
        ends = (node.left, node.right)
        zones = [
            builder.keep("z", self.expressions.zone(end.zone, end.indexes, {})) for end in ends
        ]

        def swap() -> None:
            loads, seen = [], []
            for zone in zones if self.knowing.kept(kind) else ():
                before = builder.keep("seen", self.knowing.sight(zone))
                seen.append(before)
                rows = builder.fresh("loads")
                emit(ir.NewRows(rows, 4, self.knowing.most_loaded(kind)))
                loads.append(rows)
                self.knowing.taken_up(kind, zone, before, rows)
            lying = []
            for end, zone, other in zip(ends, zones, reversed(zones), strict=True):
                rows = builder.fresh("lying")
                emit(ir.NewRows(rows, 1, max(1, kind.kind.total)))
                places.each_in(end.zone, zone, partial(self._push, rows))
                lying.append(rows)
                holds = [instance.family.holds for instance in builder.tables.instances]
                room = builder.entry("holds", holds, other)
                emit(ir.If(binary(">", ir.Length(rows), room), (ir.Fail(),)))
            self._exchange(kind, ends, zones, lying)
            for place, zone in enumerate(zones):
                if self.knowing.kept(kind):
                    after = builder.keep("after", self.knowing.sight(zone))
                    self.knowing.replaced(kind, zone, seen[1 - place], after)
                    self.knowing.laid_down(kind, zone, loads[1 - place], after, lambda _: const(1))

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
        places = self.expressions.components
        one = builder.fresh("c")
        for end, zone, rows in zip(ends, zones, lying, strict=True):
            if kind.kind.counted:
                start = builder.keep("at", places.counts(kind, zone))
                name = builder.fresh("i")
                many: Value = const(kind.kind.classes)
                if builder.tables.families[end.zone].order in ("stack", "queue"):
                    many = places.wide(kind, zone)
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
                    places.lifting.add(kind, places.class_of(kind, member), to)
                else:
                    places.lifting.lay(kind, member, to)
            emit(ir.For(name, const(0), ir.Length(rows), tuple(inner)))

    def _show(self, node: model.ShowTo) -> None:
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
        if expressions.collections.is_collection(node.source):
            self.knowing.shown(kind, lambda body: expressions.each(node.source, {}, body), mask)
            return
        one = builder.keep("one", expressions.sure(node.source, {}))
        self.knowing.shown(kind, lambda body: body(one), mask)

    # --------------------------------------------------------------------------------- the end

    def _end(self, node: model.EndGame | None, at: int) -> None:
        emit = self.builder.emit
        result: Value = const(BY_SCORING)
        if node is not None and node.winner is not None:
            result = plus(self.winners(node.winner), 2)
        emit(ir.StoreSlot(const(RESULT), result), ir.Signal("over", at))

    def winners(self, node: Expression, player: Value | None = None, register: int = -1) -> Value:
        """The mask of the players that an expression says: one, none, or a collection."""
        scope = {} if player is None else {register: player}
        if not self.expressions.collections.is_collection(node):
            value = self.builder.keep("winner", self.expressions.value(node, scope))
            mask = binary("<<", const(1), value)
            if not self.builder.may_be_none(node.type):
                return mask
            return ir.Select(binary("==", value, ir.NONE), const(0), mask)
        found = self.builder.keep("winners", const(0))
        self.expressions.each(
            node,
            scope,
            lambda one: self.builder.emit(
                ir.Assign(found.name, binary("|", found, binary("<<", const(1), one)))
            ),
        )
        return found

    def _together(self, node: model.TogetherStart, at: int) -> None:
        builder = self.builder

        def write() -> None:
            rows = builder.fresh("some")
            mask = builder.keep("mask", const(0))
            builder.emit(ir.NewRows(rows, 1, 1))
            self.expressions.each(
                node.players,
                {},
                lambda one: builder.emit(
                    ir.Assign(mask.name, binary("|", mask, binary("<<", const(1), one)))
                ),
            )
            bit = builder.fresh("p")
            builder.emit(ir.EachBit(bit, mask, (ir.Push(FOUND, (ir.Var(bit),)),)))

        name = builder.lister(f"part_{at}", 1, builder.players, node.span.text, write)
        self.togethers.append(ir.Together(at, name, node.variable.offset, node.body, node.done))
        builder.emit(ir.Signal("open", at))
