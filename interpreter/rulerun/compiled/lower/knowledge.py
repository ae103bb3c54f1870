"""What players know of components that they do not see, lowered.

Assumes: the slots of `Layout.known`; visibilities that read only what everybody sees.
Does: says, for each way in which components move, how what is known changes: word for word what
`rulerun.reference.knowledge` does.
Leaves behind: functions and statements of the program.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from rulerun.analysis.moving import ANYHOW, Way
from rulerun.compiled import ir
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.builder import binary, const, plus, times
from rulerun.compiled.lower.evaluate import Expressions
from rulerun.compiled.lower.piles import Places
from rulerun.compiled.lower.placement import Placement
from rulerun.compiled.lower.sight import Sight
from rulerun.reference.knowledge import Knowledge as ReferenceKnowledge
from rulerun.runtime.index import KindTable


class Knowledge:
    """The knowledge of one game."""

    def __init__(self, expressions: Expressions, placement: Placement) -> None:
        """Find the slots."""
        self.expressions = expressions
        self.builder = expressions.builder
        self.tables = expressions.tables
        self.components = expressions.components
        self.placement = placement
        self.game = expressions.game
        self.players = self.builder.players
        self.everyone = (1 << self.players) - 1
        self._bases = dict(self.game.layout.known if expressions.builder.observed else ())
        builder = self.builder
        self.known = ReferenceKnowledge(builder.tables, builder.components, builder.visibility)
        self.sight = Sight(expressions, self.known)
        self.places = Places(builder, expressions.components, self.sight, self.known.places)

    def kept(self, kind: KindTable) -> bool:
        """Whether anything can be known of a kind."""
        return kind.kind.name in self._bases

    @property
    def any_kept(self) -> bool:
        """Whether anything can be known at all."""
        return bool(self._bases)

    def base(self, kind: KindTable) -> int:
        """Where the slots of a kind begin."""
        return self._bases[kind.kind.name]

    def at(self, kind: KindTable, zone: Value, class_: Value) -> Value:
        """Where the numbers of a class in a zone begin: one for each player."""
        places: list[int | None] = [None] * len(self.tables.instances)
        for place, number in enumerate(kind.zones):
            places[number] = place
        if kind.zones[-1] - kind.zones[0] + 1 == len(kind.zones):
            place_of = plus(zone, -kind.zones[0])
        else:
            place_of = self.builder.entry(f"place_for_{kind.kind.name}", places, zone)
        classes = kind.kind.classes
        inside = plus(times(place_of, classes), class_)
        return plus(times(inside, self.players), self.base(kind))

    # ------------------------------------------------------------------------------ moving

    def move(
        self,
        kind: KindTable,
        one: Value,
        to: Value,
        way: Way = ANYHOW,
        sure: Value | None = None,
    ) -> Value:
        """Move a component and keep what is known: what it is now.

        `sure`: who can tell how it comes to lie among the others that go.
        """
        bare = self.placement.lift_and_lay(kind)
        if not self.kept(kind):
            return ir.Call(bare, (one, to))
        name = kind.kind.name
        placed = self.places.any_of(kind)

        more = sure if placed and not way.alone else None

        def write(one: Value, to: Value, sure: Value | None = None) -> None:
            keep, emit = self.builder.keep, self.builder.emit
            source = keep("source", self.components.zone_of(kind, one))
            if kind.kind.counted:
                there = self.components.is_there(kind, one)
                emit(ir.If(ir.Not(there), (ir.Fail(),)))
            before = keep("before", self.sight.of(source))
            place = self.places.leaving(kind, one) if placed else None
            moved = keep("moved", ir.Call(bare, (one, to)))
            after = keep("after", self.sight.of(to))
            told: Value = binary("|", before, after)
            follow: Value = before
            knew = None
            if place is not None:
                knew = self.places.left(kind, moved, source, told, way, place)
                told = binary("|", told, knew)
                follow = binary("|", before, knew) if way.followed else before
            learns = self._learns(to, follow, after)
            self._moved(kind, moved, source, to, told, learns)
            if knew is not None:
                can = knew if sure is None else binary("|", knew, sure)
                lies = learns if way.alone else binary("&", learns, can)
                self.places.on_top(kind, to, moved, lies)
            emit(ir.Return(moved))

        made = self.builder.function(
            ("carry", name, way if placed else ANYHOW, more is not None),
            f"carry_{name}",
            ["c", "to"] if more is None else ["c", "to", "sure"],
            f"a {name} goes to a zone, and who saw it may know it there; what it is now",
            write,
        )
        return ir.Call(made, (one, to) if more is None else (one, to, more))

    def _learns(self, target: Value, follow: Value, after: Value) -> Value:
        """Who knows what it was and does not see it where it is."""
        learning = binary(
            "&", binary("&", follow, self.sight.without(after)), self.sight.hears(target)
        )
        return self.builder.keep("learns", ir.Select(self.sight.random(target), const(0), learning))

    def _moved(
        self,
        kind: KindTable,
        one: Value,
        source: Value,
        target: Value,
        told: Value,
        learns: Value,
    ) -> None:
        keep, emit = self.builder.keep, self.builder.emit
        unseen = keep("unseen", binary("&", self.sight.without(told), self.everyone))
        base, column = self.base(kind), self.places.column(kind)
        if not kind.kind.counted:
            unknown: Value = const(0)
            if kind.alike:
                mine = self.sight.without(ir.Slot(plus(one, base)))
                unknown = keep("unknown", binary("&", mine, told))
            other = self.builder.fresh("c")
            slot = plus(ir.Var(other), base)
            stays = self.sight.without(unseen)
            if column is not None:
                stays = binary("|", stays, ir.Slot(plus(ir.Var(other), column)))
            forget = ir.StoreSlot(slot, binary("&", ir.Slot(slot), stays))
            loop = ir.EachEqual(other, kind.base, kind.kind.total, source, (forget,))
            emit(ir.If(unseen, (loop,)))
            self._one_less(kind, one, source, unknown)
            emit(ir.StoreSlot(plus(one, base), learns))
            return
        class_ = keep("class", self.components.class_of(kind, one))
        first = keep("first", self.at(kind, source, const(0)))
        self.builder.when(
            ir.SumSlots(first, kind.kind.classes * self.players),
            lambda: self._lower(kind, source, first, class_, unseen),
        )

        def learn() -> None:
            at = keep("at", self.at(kind, target, class_))
            for player in range(self.players):
                bit = binary("&", binary(">>", learns, player), 1)
                emit(ir.Add(plus(at, player), bit))

        self.builder.when(learns, learn)

    def _lower(
        self, kind: KindTable, source: Value, first: Value, class_: Value, unseen: Value
    ) -> None:
        """One of a class has left a zone; who did not see it knows not which."""
        emit = self.builder.emit

        def lowered(each: Value, player: int) -> ir.Statement:
            at = plus(plus(first, times(each, self.players)), player)
            if not self.places.any_of(kind):
                return ir.If(binary(">", ir.Slot(at), 0), (ir.Add(at, const(-1)),))
            least = self.places.many(kind, source, each, player)
            return ir.StoreSlot(at, binary("max", plus(ir.Slot(at), -1), least))

        for player in range(self.players):
            other = self.builder.fresh("i")
            body = (lowered(ir.Var(other), player),)
            all_ = ir.For(other, const(0), const(kind.kind.classes), body)
            bit = binary("&", binary(">>", unseen, player), 1)
            emit(ir.If(bit, (all_,), (lowered(class_, player),)))

    def _one_less(self, kind: KindTable, one: Value, zone: Value, whom: Value) -> None:
        """Some know of one less that is alike in a zone, of those whose places they do not know."""
        if not kind.alike:
            return
        builder, emit = self.builder, self.builder.emit
        base, column = self.base(kind), self.places.column(kind)
        name = kind.kind.name
        runs = [kind.copies_of(class_) for class_ in kind.class_of]
        first = builder.entry(f"first_alike_{name}", [run.start for run in runs], one)
        behind = builder.entry(f"behind_alike_{name}", [run.stop for run in runs], one)
        left = builder.keep("left", binary("&", whom, self.everyone))
        other = builder.fresh("c")
        slot = plus(ir.Var(other), base)
        with builder.block() as inner:
            known = binary("&", ir.Slot(slot), left)
            if column is not None:
                known = binary("&", known, self.sight.without(ir.Slot(plus(ir.Var(other), column))))
            less = builder.keep("less", known)
            emit(ir.StoreSlot(slot, binary("&", ir.Slot(slot), self.sight.without(less))))
            emit(ir.Assign(left.name, binary("&", left, self.sight.without(less))))
        there = binary("==", ir.Slot(plus(ir.Var(other), kind.base)), zone)
        test = ir.If(ir.Both(binary("!=", ir.Var(other), one), there), tuple(inner))
        emit(ir.If(left, (ir.For(other, first, behind, (test,)),)))

    def forget(self, kind: KindTable, zone: Value) -> None:
        """Nobody knows any more which lies where in a zone."""
        if not self.kept(kind):
            return
        self.places.forget(kind, zone, const(self.everyone))
        if not kind.kind.counted:
            other = self.builder.fresh("c")
            base = self.base(kind)
            clear = ir.StoreSlot(plus(ir.Var(other), base), const(0))
            self.builder.emit(ir.EachEqual(other, kind.base, kind.kind.total, zone, (clear,)))
            return
        first = self.at(kind, zone, const(0))
        self.builder.emit(ir.Fill(first, kind.kind.classes * self.players, 0))

    # ------------------------------------------------------------------------------ showing

    def shown(
        self, kind: KindTable, each: Callable[[Callable[[Value], None]], None], mask: Value
    ) -> None:
        """The players of a mask are told which these are."""
        builder, emit = self.builder, self.builder.emit
        rows = builder.fresh("shown")
        emit(ir.NewRows(rows, 1, max(1, kind.kind.total)))
        each(lambda one: emit(ir.Push(rows, (one,))))
        if not self.kept(kind):
            return
        emit(ir.SortRows(rows))
        if kind.alike:
            self._show_alike(kind, rows, mask)
            return
        many, last = builder.keep("many", const(0)), builder.keep("last", const(-1))
        one = builder.fresh("c")
        placed = self.places.any_of(kind)
        with builder.block() as inner:
            count = ir.Select(binary("==", ir.Var(one), last), plus(many, 1), const(1))
            emit(ir.Assign(many.name, count), ir.Assign(last.name, ir.Var(one)))
            zone, told = self._told(kind, ir.Var(one), mask)

            def tell() -> None:
                if placed:
                    self._show_place(kind, zone, ir.Var(one), many, told)
                if not kind.kind.counted:
                    slot = plus(ir.Var(one), self.base(kind))
                    emit(ir.StoreSlot(slot, binary("|", ir.Slot(slot), told)))
                    return
                class_ = builder.keep("class", self.components.class_of(kind, ir.Var(one)))
                at = builder.keep("at", self.at(kind, zone, class_))
                for player in range(self.players):
                    slot = plus(at, player)
                    known: Value = binary("max", ir.Slot(slot), many)
                    if placed:
                        known = binary("max", known, self.places.many(kind, zone, class_, player))
                    bit = binary("&", binary(">>", told, player), 1)
                    emit(ir.If(bit, (ir.StoreSlot(slot, known),)))

            builder.when(ir.Not(self.sight.random(zone)), tell)
        emit(ir.EachRow((one,), rows, tuple(inner)))

    def _told(self, kind: KindTable, one: Value, mask: Value) -> tuple[Value, Value]:
        """In which zone something lies that is shown, and who learns something by that."""
        keep = self.builder.keep
        zone = keep("z", self.components.zone_of(kind, one))
        hear = binary("&", mask, self.sight.hears(zone))
        return zone, keep("told", binary("&", hear, self.sight.without(self.sight.of(zone))))

    def _show_place(
        self, kind: KindTable, zone: Value, one: Value, which: Value, told: Value
    ) -> None:
        position: Value = const(0)
        if kind.kind.counted:
            position = self.places.place_of(kind, one, which)
        self.places.lie(kind, zone, one, position, told)

    def _show_alike(self, kind: KindTable, rows: str, mask: Value) -> None:
        """They know of one copy more only where it cannot be one that they knew of before."""
        builder, emit = self.builder, self.builder.emit
        names = tuple(builder.fresh(name) for name in ("c", "z", "told", "new"))
        one, zone, told, new = map(ir.Var, names)
        slot = plus(one, self.base(kind))
        shown, last = builder.fresh("new"), builder.keep("last", const(-1))
        emit(ir.NewRows(shown, 4, max(1, kind.kind.total)))
        with builder.block() as inner:
            here, whom = self._told(kind, one, mask)

            def tell() -> None:
                if self.places.any_of(kind):
                    self._show_place(kind, here, one, const(1), whom)
                fresh = binary("&", whom, self.sight.without(ir.Slot(slot)))
                emit(ir.Push(shown, (one, here, whom, fresh)))
                emit(ir.StoreSlot(slot, binary("&", ir.Slot(slot), self.sight.without(whom))))

            again = binary("==", one, last)
            builder.when(ir.Not(ir.Either(again, self.sight.random(here))), tell)
            emit(ir.Assign(last.name, one))
        emit(ir.EachRow(names[:1], rows, tuple(inner)))
        with builder.block() as inner:
            self._one_less(kind, one, zone, new)
        emit(ir.EachRow(names, shown, tuple(inner)))
        known = ir.StoreSlot(slot, binary("|", ir.Slot(slot), told))
        emit(ir.EachRow(names, shown, (known,)))

    # ------------------------------------------------------------------ all that lies there

    def taken_up(self, kind: KindTable, zone: Value, seen: Value, rows: str) -> None:
        """All that lies in a zone is about to go elsewhere.

        Into `rows` of four goes what those know who do not see it: zone, which (counted: its
        class), player, of how many.
        """
        builder, emit, keep = self.builder, self.builder.emit, self.builder.keep
        blind = keep("blind", binary("&", self.sight.hears(zone), self.sight.without(seen)))
        if not kind.kind.counted:
            other = builder.fresh("c")
            base = self.base(kind)
            with builder.block() as inner:
                mask = keep("mask", binary("&", ir.Slot(plus(ir.Var(other), base)), blind))
                bit = builder.fresh("p")
                note = ir.Push(rows, (zone, ir.Var(other), ir.Var(bit), const(1)))
                emit(ir.EachBit(bit, mask, (note,)))
            emit(ir.EachEqual(other, kind.base, kind.kind.total, zone, tuple(inner)))
            return
        class_ = builder.fresh("class")
        with builder.block() as inner:
            at = keep("at", self.at(kind, zone, ir.Var(class_)))
            for player in range(self.players):
                known = keep("many", ir.Slot(plus(at, player)))
                sees = binary("&", binary(">>", blind, player), 1)
                note = ir.Push(rows, (zone, ir.Var(class_), const(player), known))
                emit(ir.If(ir.Both(binary(">", known, 0), sees), (note,)))
        emit(ir.For(class_, const(0), const(kind.kind.classes), tuple(inner)))

    def placed(self, kind: KindTable, family: str, zone: Value, seen: Value, rows: str) -> None:
        """What lies where in a zone, and who can tell in which order it goes elsewhere."""
        blind = binary("&", self.sight.hears(zone), self.sight.without(seen))
        self.places.taken_up(kind, family, zone, self.builder.keep("blind", blind), rows)

    def most_loaded(self, kind: KindTable) -> int:
        """No more rows than this are taken up."""
        if not kind.kind.counted:
            return max(1, kind.kind.total * self.players)
        return max(1, kind.kind.classes * self.players * len(kind.zones))

    def laid_down(
        self,
        kind: KindTable,
        target: Value,
        rows: str,
        after: Value,
        counts: Callable[[Value], Value],
    ) -> None:
        """What was taken up lies in a zone now, as far as `counts` holds of where it was."""
        builder, emit, keep = self.builder, self.builder.emit, self.builder.keep

        def lay() -> None:
            knowing = keep(
                "knowing", binary("&", self.sight.hears(target), self.sight.without(after))
            )
            zone, key, player, many = (builder.fresh(name) for name in ("z", "c", "p", "n"))
            with builder.block() as inner:
                bit = binary("&", binary(">>", knowing, ir.Var(player)), 1)
                if kind.kind.counted:
                    slot = plus(self.at(kind, target, ir.Var(key)), ir.Var(player))
                    more: ir.Statement = ir.Add(slot, ir.Var(many))
                else:
                    slot = plus(ir.Var(key), self.base(kind))
                    mine = binary("<<", const(1), ir.Var(player))
                    more = ir.StoreSlot(slot, binary("|", ir.Slot(slot), mine))
                emit(ir.If(ir.Both(counts(ir.Var(zone)), bit), (more,)))
            emit(ir.EachRow((zone, key, player, many), rows, tuple(inner)))

        builder.when(ir.Not(self.sight.random(target)), lay)

    def replaced(self, kind: KindTable, instance_zone: Value, seen: Value, after: Value) -> None:
        """All that lies in a zone was taken from another just now, where `seen` saw it."""
        builder, emit, keep = self.builder, self.builder.emit, self.builder.keep
        self.forget(kind, instance_zone)
        base = self.base(kind)

        def learn() -> None:
            learns = keep(
                "learns",
                binary(
                    "&",
                    binary("&", seen, self.sight.without(after)),
                    self.sight.hears(instance_zone),
                ),
            )
            if not kind.kind.counted:
                other = builder.fresh("c")
                note = ir.StoreSlot(plus(ir.Var(other), base), learns)
                emit(ir.EachEqual(other, kind.base, kind.kind.total, instance_zone, (note,)))
                return
            at = keep("at", self.components.counts(kind, instance_zone))
            class_ = builder.fresh("class")

            def count_of(class_of: Value) -> Value:
                return ir.Slot(plus(at, class_of))

            ordered = self.components.ordered(kind)
            if ordered is not False:
                # In an ordered zone each place is one of its class.
                self._learn_in_order(kind, instance_zone, learns)
                return
            with builder.block() as inner:
                slot = keep("k", self.at(kind, instance_zone, ir.Var(class_)))
                for player in range(self.players):
                    bit = binary("&", binary(">>", learns, player), 1)
                    many = ir.Select(bit, count_of(ir.Var(class_)), const(0))
                    emit(ir.StoreSlot(plus(slot, player), many))
            emit(ir.For(class_, const(0), const(kind.kind.classes), tuple(inner)))

        builder.when(ir.Not(self.sight.random(instance_zone)), learn)

    def _learn_in_order(self, kind: KindTable, zone: Value, learns: Value) -> None:
        builder, emit, keep = self.builder, self.builder.emit, self.builder.keep
        families = [f for f in self.game.zones if f.name in kind.kind.zones]
        for family in families:
            inside = ir.Both(
                binary(">=", zone, family.base),
                binary("<", zone, family.base + family.instances),
            )

            def note(one: Value) -> None:
                slot = keep("k", self.at(kind, zone, self.components.class_of(kind, one)))
                for player in range(self.players):
                    bit = binary("&", binary(">>", learns, player), 1)
                    emit(ir.Add(plus(slot, player), bit))

            builder.when(inside, partial(self.components.each_in, family.name, zone, note))
