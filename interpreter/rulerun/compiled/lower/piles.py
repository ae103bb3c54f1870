"""What players know of the places in ordered zones, lowered.

Assumes: the slots of `Layout.known_places`.
Does: word for word what `rulerun.reference.piles` does.
Leaves behind: functions and statements of the program; none for kinds of which no place can be
known.
"""

from __future__ import annotations

from rulerun.analysis.moving import Way, told_piles
from rulerun.compiled import ir
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.builder import Builder, binary, const, plus, times
from rulerun.compiled.lower.components import Components
from rulerun.compiled.lower.sight import Sight
from rulerun.reference.piles import Places as ReferencePlaces
from rulerun.runtime.index import KindTable


class Places:
    """What is known of the places in one game."""

    def __init__(
        self, builder: Builder, components: Components, sight: Sight, known: ReferencePlaces
    ) -> None:
        """Stand on where things lie."""
        self.builder = builder
        self.components = components
        self.sight = sight
        self.tables = builder.tables
        self._known = known
        self._told = told_piles(builder.tables.game)
        self._stacks = [each.family.order == "stack" for each in self.tables.instances]

    def any_of(self, kind: KindTable) -> bool:
        """Whether anything can be known of places where a kind may lie."""
        return self.builder.observed and self._known.any_of(kind)

    def column(self, kind: KindTable) -> int | None:
        """Where the slots of a kind with identities begin."""
        return self._known.column(kind) if self.builder.observed else None

    def kept_in(self, kind: KindTable, family: str) -> bool:
        """Whether anything can be known of the places in the zones of a family."""
        return self.any_of(kind) and self._known.kept(self.tables.families[family].base)

    def _kept(self, zone: Value) -> Value:
        flags = [self._known.kept(number) for number in range(len(self.tables.instances))]
        return self.builder.entry("places_of_zone", flags, zone)

    def _run(self, zone: Value) -> Value:
        """Where the slots of a zone of a counted kind begin."""
        bases: list[int | None] = [
            run.start if (run := self._known.run(number)) else None
            for number in range(len(self.tables.instances))
        ]
        return self.builder.entry("known_places_of", bases, zone)

    def _slot(self, kind: KindTable, zone: Value, one: Value, position: Value) -> Value:
        column = self.column(kind)
        return plus(self._run(zone), position) if column is None else plus(one, column)

    def _class(self, kind: KindTable, one: Value) -> Value:
        return self.components.class_of(kind, one)

    # ------------------------------------------------------------------------------- looking

    def place_of(self, kind: KindTable, one: Value, which: Value) -> Value:
        """At which position such a component of a counted kind lies in its zone.

        `which`: 1 for the first of its class to leave, 2 for the second. -1: there is none.
        """
        name = kind.kind.name

        def write(one: Value, which: Value) -> None:
            builder, emit = self.builder, self.builder.emit
            zone = builder.keep("z", self.components.zone_of(kind, one))
            held = builder.keep("held", plus(self._class(kind, one), 1))
            at = builder.keep("at", self.components.counts(kind, zone))
            many = builder.keep("n", ir.Call(self.components.counter(kind), (zone,)))
            stack = builder.keep("stack", builder.entry("stack_zone", self._stacks, zone))
            met = builder.keep("met", const(0))
            turn = builder.fresh("i")
            with builder.block() as inner:
                last = binary("-", plus(many, -1), ir.Var(turn))
                position = builder.keep("p", ir.Select(stack, last, ir.Var(turn)))
                more = ir.Assign(met.name, plus(met, 1))
                found = ir.If(binary("==", met, which), (ir.Return(position),))
                emit(ir.If(binary("==", ir.Slot(plus(at, position)), held), (more, found)))
            emit(ir.For(turn, const(0), many, tuple(inner)))
            emit(ir.Return(const(-1)))

        about = f"at which position such a {name} lies in its zone, from the bottom"
        made = self.builder.function(("at", name), f"at_{name}", ["c", "n"], about, write)
        return ir.Call(made, (one, which))

    def leaving(self, kind: KindTable, one: Value) -> Value:
        """At which place a component of a counted kind lies that is about to leave."""
        if not kind.kind.counted:
            return const(0)
        kept = self._kept(self.components.zone_of(kind, one))
        place = self.builder.keep("place", const(0))
        first = ir.Assign(place.name, self.place_of(kind, one, const(1)))
        self.builder.emit(ir.If(kept, (first,)))
        return place

    def many(self, kind: KindTable, zone: Value, class_: Value, player: int) -> Value:
        """Of how many of a class of a counted kind a player knows the place in a zone."""
        name = kind.kind.name

        def write(zone: Value, class_: Value, who: Value) -> None:
            builder, emit = self.builder, self.builder.emit
            emit(ir.If(ir.Not(self._kept(zone)), (ir.Return(const(0)),)))
            n = builder.keep("n", const(0))
            at = builder.keep("at", self.components.counts(kind, zone))
            run = builder.keep("run", self._run(zone))
            place = builder.fresh("i")
            known = binary("&", binary(">>", ir.Slot(plus(run, ir.Var(place))), who), 1)
            here = binary("==", ir.Slot(plus(at, ir.Var(place))), plus(class_, 1))
            more = ir.If(here, (ir.Assign(n.name, plus(n, known)),))
            emit(ir.For(place, const(0), self.components.wide(kind, zone), (more,)))
            emit(ir.Return(n))

        made = self.builder.function(
            ("places", name),
            f"places_of_{name}",
            ["z", "class", "p"],
            f"of how many {name} of a class a player knows the place in a zone",
            write,
        )
        return ir.Call(made, (zone, class_, const(player)))

    # -------------------------------------------------------------------------------- moving

    def left(
        self,
        kind: KindTable,
        one: Value,
        source: Value,
        heard: Value,
        way: Way,
        place: Value,
    ) -> Value:
        """A component has left a zone, from a place: who can tell which one it was by its place."""
        builder, emit = self.builder, self.builder.emit
        column = self.column(kind)
        knew = builder.keep("knew", const(0))
        only = [copies == 1 for copies in kind.kind.copies]
        sole = builder.entry(f"only_{kind.kind.name}", only, self._class(kind, one))
        surely = ir.Select(sole, binary("&", knew, heard), const(0))

        def forget(slot: Value) -> ir.Statement:
            return ir.StoreSlot(slot, binary("&", ir.Slot(slot), knew))

        if column is not None:
            emit(ir.Assign(knew.name, ir.Slot(plus(one, column))))
            emit(ir.StoreSlot(plus(one, column), const(0)))
            if not way.from_end:
                emit(ir.Assign(knew.name, surely))
                other = builder.fresh("c")
                clear = forget(plus(ir.Var(other), column))
                emit(ir.EachEqual(other, kind.base, kind.kind.total, source, (clear,)))
            return knew

        def move_down() -> None:
            run = builder.keep("run", self._run(source))
            last = builder.keep("last", plus(self.components.wide(kind, source), -1))
            emit(ir.Assign(knew.name, ir.Slot(plus(run, place))))
            at = builder.fresh("i")
            slot = plus(run, ir.Var(at))
            emit(ir.For(at, place, last, (ir.StoreSlot(slot, ir.Slot(plus(slot, 1))),)))
            emit(ir.StoreSlot(plus(run, last), const(0)))
            if not way.from_end:
                emit(ir.Assign(knew.name, surely))
                at = builder.fresh("i")
                emit(ir.For(at, const(0), last, (forget(plus(run, ir.Var(at))),)))

        builder.when(self._kept(source), move_down)
        return knew

    def lie(self, kind: KindTable, zone: Value, one: Value, position: Value, mask: Value) -> None:
        """More players know that a component lies at a place."""

        def write() -> None:
            slot = self.builder.keep("slot", self._slot(kind, zone, one, position))
            known = ir.StoreSlot(slot, binary("|", ir.Slot(slot), mask))
            self.builder.emit(known)

        self.builder.when(self._kept(zone), write)

    def on_top(self, kind: KindTable, zone: Value, one: Value, mask: Value) -> None:
        """Some players know that a component lies where it was laid last: on top, or at the end."""
        builder = self.builder

        def write() -> None:
            position: Value = const(0)
            if kind.kind.counted:
                position = plus(ir.Call(self.components.counter(kind), (zone,)), -1)
            self.lie(kind, zone, one, position, mask)

        builder.when(mask, write)

    def forget(self, kind: KindTable, zone: Value, mask: Value) -> None:
        """Some players know no places in a zone any more."""
        if not self.any_of(kind):
            return
        builder, emit = self.builder, self.builder.emit
        column = self.column(kind)
        rest = self.sight.without(mask)
        name = builder.fresh("i")

        def forget(slot: Value) -> ir.Statement:
            return ir.StoreSlot(slot, binary("&", ir.Slot(slot), rest))

        if column is not None:
            clear = forget(plus(ir.Var(name), column))
            emit(ir.EachEqual(name, kind.base, kind.kind.total, zone, (clear,)))
            return

        def write() -> None:
            run = builder.keep("run", self._run(zone))
            clear = forget(plus(run, ir.Var(name)))
            emit(ir.For(name, const(0), self.components.wide(kind, zone), (clear,)))

        builder.when(self._kept(zone), write)

    # ------------------------------------------------------------------ all that lies there

    def taken_up(self, kind: KindTable, family: str, zone: Value, blind: Value, rows: str) -> None:
        """All that lies in a zone is about to go elsewhere.

        Into `rows` of four goes what lies there: its turn, its position, which, who can tell.
        """
        emit, keep = self.builder.emit, self.builder.keep
        declared = self.tables.families[family]
        many = keep("n", self.components.count(family, zone))
        turn = keep("turn", const(0))
        sure: Value = const(0)
        if not declared.ordered or family in self._told:
            sure = keep("sure", self.sight.always(zone))

        def note(one: Value) -> None:
            position: Value = turn
            if declared.order == "stack":
                position = keep("p", binary("-", plus(many, -1), turn))
            knowing = sure
            if self.kept_in(kind, family):
                known = ir.Slot(self._slot(kind, zone, one, position))
                knowing = binary("|", binary("&", known, blind), sure)
            emit(ir.Push(rows, (turn, position, one, knowing)))
            emit(ir.Assign(turn.name, plus(turn, 1)))

        self.components.each_in(family, zone, note)

    def laid_down(
        self, kind: KindTable, zone: Value, rows: str, after: Value, below: Value | None
    ) -> None:
        """What was taken up lies in a zone, in its order: on so many others, or as it lay."""
        builder = self.builder
        can = self.sight.hears(zone), self.sight.without(after)
        knowing = builder.keep("can", binary("&", *can))
        turn, position, one, mask = (builder.fresh(name) for name in ("t", "p", "c", "m"))
        with builder.block() as inner:
            at: Value = ir.Var(position) if below is None else plus(below, ir.Var(turn))
            known = builder.keep("known", binary("&", ir.Var(mask), knowing))
            if kind.kind.counted:
                moved: Value = plus(times(zone, kind.kind.classes), self._class(kind, ir.Var(one)))
            else:
                moved = ir.Var(one)
            self.lie(kind, zone, moved, at, known)
        builder.emit(ir.EachRow((turn, position, one, mask), rows, tuple(inner)))
