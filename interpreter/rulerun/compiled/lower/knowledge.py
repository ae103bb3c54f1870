"""What players know of components that they do not see, lowered.

Assumes: the slots of `Layout.known`; visibilities that read only what everybody sees.
Does: says, for each way in which components move, how what is known changes: word for word what
`rulerun.reference.knowledge` does.
Leaves behind: functions and statements of the program. A visibility that reads no state is a table
of masks by zone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from rulerun.analysis.reads import reads
from rulerun.compiled import ir
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.builder import Chosen, binary, const, plus, times
from rulerun.compiled.lower.evaluate import Expressions
from rulerun.compiled.lower.placement import Placement
from rulerun.reference.knowledge import Knowledge as ReferenceKnowledge
from rulerun.reference.knowledge import Parted
from rulerun.runtime.closures import fresh_registers
from rulerun.runtime.index import KindTable
from rulerun.runtime.play import Play
from rulerun_dsl.model import OWNER, SPECTATOR, VIEWER, ZoneFamily


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
        self._known = ReferenceKnowledge(builder.tables, builder.components, builder.visibility)

    def kept(self, kind: KindTable) -> bool:
        """Whether anything can be known of a kind."""
        return kind.kind.name in self._bases

    # ------------------------------------------------------------------------------- sight

    def sight(self, zone: Value) -> Value:
        """Who sees what lies in a zone: a mask of viewers."""
        families = self.game.zones
        steady = all(not reads(self.game, family.visible).state for family in families)
        registers = fresh_registers(self.game)
        if steady:
            masks = [
                self.builder.visibility.members(instance, (), registers)
                for instance in self.tables.instances
            ]
            return self.builder.entry("sight", masks, zone)
        return ir.Call(self._sight(), (zone,))

    def _sight(self) -> str:
        def write(zone: Value) -> None:
            emit = self.builder.emit
            registers = fresh_registers(self.game)
            for family in self.game.zones:
                inside = binary("<", zone, family.base + family.instances)
                numbers = range(family.base, family.base + family.instances)
                owners = [self.tables.instances[number].owner for number in numbers]
                if not reads(self.game, family.visible).state:
                    masks = [
                        self.builder.visibility.members(
                            self.tables.instances[number], (), registers
                        )
                        for number in numbers
                    ]
                    found = self.builder.entry(
                        f"sight_of_{family.name}", masks, plus(zone, -family.base)
                    )
                    emit(ir.If(inside, (ir.Return(found),)))
                    continue

                def ask(family: ZoneFamily = family, owners: list[int | None] = owners) -> None:
                    whose = self.builder.entry(
                        f"owner_of_{family.name}", owners, plus(zone, -family.base)
                    )
                    owner = self.builder.keep("owner", whose)
                    mask = self.builder.keep("mask", const(0))
                    for viewer in range(SPECTATOR, self.players):
                        scope: dict[int, Value | Chosen] = {VIEWER: const(viewer), OWNER: owner}
                        bit = 1 << (self.players if viewer == SPECTATOR else viewer)
                        sees = self.expressions.value(family.visible, scope)
                        more = ir.Assign(mask.name, binary("|", mask, bit))
                        emit(ir.If(sees, (more,)))
                    emit(ir.Return(mask))

                self.builder.when(inside, ask)
            emit(ir.Return(const(0)))

        return self.builder.function(
            "sight", "who_sees", ["z"], "who sees what lies in a zone: a mask of viewers", write
        )

    def _hears(self, zone: Value) -> Value:
        """The players who always hear of what comes into a zone and leaves it."""
        play = Play(self.game, [0] * self.game.layout.size, None)
        masks = [self._known.hears(play, number) for number in range(len(self.tables.instances))]
        return self.builder.entry("hears", masks, zone)

    def _random(self, zone: Value) -> Value:
        flags = [instance.family.order == "random" for instance in self.tables.instances]
        return self.builder.entry("random_zone", flags, zone)

    def _not(self, mask: Value) -> Value:
        return binary("^", mask, (1 << self.players + 1) - 1)

    def _at(self, kind: KindTable, zone: Value, class_: Value) -> Value:
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
        return plus(times(inside, self.players), self._bases[kind.kind.name])

    # ------------------------------------------------------------------------------ moving

    def move(self, kind: KindTable, one: Value, to: Value) -> Value:
        """Move a component and keep what is known: what it is now."""
        bare = self.placement.lift_and_lay(kind)
        if not self.kept(kind):
            return ir.Call(bare, (one, to))
        name = kind.kind.name

        def write(one: Value, to: Value) -> None:
            keep, emit = self.builder.keep, self.builder.emit
            source = keep("source", self.components.zone_of(kind, one))
            if kind.kind.counted:
                there = self.components.is_there(kind, one)
                emit(ir.If(ir.Not(there), (ir.Fail(),)))
            before = keep("before", self.sight(source))
            moved = keep("moved", ir.Call(bare, (one, to)))
            after = keep("after", self.sight(to))
            self._moved(kind, moved, source, to, before, after)
            emit(ir.Return(moved))

        made = self.builder.function(
            ("carry", name),
            f"carry_{name}",
            ["c", "to"],
            f"a {name} goes to a zone, and who saw it may know it there; what it is now",
            write,
        )
        return ir.Call(made, (one, to))

    def _moved(
        self,
        kind: KindTable,
        one: Value,
        source: Value,
        target: Value,
        before: Value,
        after: Value,
    ) -> None:
        keep, emit = self.builder.keep, self.builder.emit
        blind = self._not(after)
        learning = binary("&", binary("&", before, blind), self._hears(target))
        learns = keep("learns", ir.Select(self._random(target), const(0), learning))
        unseen = keep("unseen", binary("&", binary("&", self._not(before), blind), self.everyone))
        base = self._bases[kind.kind.name]
        if not kind.kind.counted:
            other = self.builder.fresh("c")
            slot = plus(ir.Var(other), base)
            forget = ir.StoreSlot(slot, binary("&", ir.Slot(slot), self._not(unseen)))
            loop = ir.EachEqual(other, kind.base, kind.kind.total, source, (forget,))
            emit(ir.If(unseen, (loop,)))
            emit(ir.StoreSlot(plus(one, base), learns))
            return
        classes = kind.kind.classes
        class_ = keep("class", self.components.class_of(kind, one))
        first = keep("first", self._at(kind, source, const(0)))

        def lower() -> None:
            at = keep("at", plus(first, times(class_, self.players)))
            for player in range(self.players):
                other = self.builder.fresh("i")
                all_ = ir.For(
                    other,
                    const(0),
                    const(classes),
                    (self._lowered(plus(plus(first, times(ir.Var(other), self.players)), player)),),
                )
                bit = binary("&", binary(">>", unseen, player), 1)
                emit(ir.If(bit, (all_,), (self._lowered(plus(at, player)),)))

        self.builder.when(ir.SumSlots(first, classes * self.players), lower)

        def learn() -> None:
            at = keep("at", self._at(kind, target, class_))
            for player in range(self.players):
                bit = binary("&", binary(">>", learns, player), 1)
                emit(ir.Add(plus(at, player), bit))

        self.builder.when(learns, learn)

    @staticmethod
    def _lowered(at: Value) -> ir.Statement:
        return ir.If(binary(">", ir.Slot(at), 0), (ir.Add(at, const(-1)),))

    def forget(self, kind: KindTable, zone: Value) -> None:
        """Nobody knows any more which lies where in a zone."""
        if not self.kept(kind):
            return
        if not kind.kind.counted:
            other = self.builder.fresh("c")
            base = self._bases[kind.kind.name]
            clear = ir.StoreSlot(plus(ir.Var(other), base), const(0))
            self.builder.emit(ir.EachEqual(other, kind.base, kind.kind.total, zone, (clear,)))
            return
        first = self._at(kind, zone, const(0))
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
        many, last = builder.keep("many", const(0)), builder.keep("last", const(-1))
        one = builder.fresh("c")
        base = self._bases[kind.kind.name]
        with builder.block() as inner:
            count = ir.Select(binary("==", ir.Var(one), last), plus(many, 1), const(1))
            emit(ir.Assign(many.name, count), ir.Assign(last.name, ir.Var(one)))
            zone = builder.keep("z", self.components.zone_of(kind, ir.Var(one)))
            told = builder.keep(
                "told",
                binary(
                    "&",
                    binary("&", mask, self._hears(zone)),
                    self._not(self.sight(zone)),
                ),
            )

            def tell() -> None:
                if not kind.kind.counted:
                    slot = plus(ir.Var(one), base)
                    emit(ir.StoreSlot(slot, binary("|", ir.Slot(slot), told)))
                    return
                at = builder.keep(
                    "at", self._at(kind, zone, self.components.class_of(kind, ir.Var(one)))
                )
                for player in range(self.players):
                    slot = plus(at, player)
                    more = ir.StoreSlot(slot, binary("max", ir.Slot(slot), many))
                    bit = binary("&", binary(">>", told, player), 1)
                    emit(ir.If(bit, (more,)))

            builder.when(ir.Not(self._random(zone)), tell)
        emit(ir.EachRow((one,), rows, tuple(inner)))

    # ------------------------------------------------------------------ all that lies there

    def taken_up(self, kind: KindTable, zone: Value, seen: Value, rows: str) -> None:
        """All that lies in a zone is about to go elsewhere.

        Into `rows` of four goes what those know who do not see it: zone, which (counted: its
        class), player, of how many.
        """
        builder, emit, keep = self.builder, self.builder.emit, self.builder.keep
        blind = keep("blind", binary("&", self._hears(zone), self._not(seen)))
        if not kind.kind.counted:
            other = builder.fresh("c")
            base = self._bases[kind.kind.name]
            with builder.block() as inner:
                mask = keep("mask", binary("&", ir.Slot(plus(ir.Var(other), base)), blind))
                bit = builder.fresh("p")
                note = ir.Push(rows, (zone, ir.Var(other), ir.Var(bit), const(1)))
                emit(ir.EachBit(bit, mask, (note,)))
            emit(ir.EachEqual(other, kind.base, kind.kind.total, zone, tuple(inner)))
            return
        class_ = builder.fresh("class")
        with builder.block() as inner:
            at = keep("at", self._at(kind, zone, ir.Var(class_)))
            for player in range(self.players):
                known = keep("many", ir.Slot(plus(at, player)))
                sees = binary("&", binary(">>", blind, player), 1)
                note = ir.Push(rows, (zone, ir.Var(class_), const(player), known))
                emit(ir.If(ir.Both(binary(">", known, 0), sees), (note,)))
        emit(ir.For(class_, const(0), const(kind.kind.classes), tuple(inner)))

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
            knowing = keep("knowing", binary("&", self._hears(target), self._not(after)))
            zone, key, player, many = (builder.fresh(name) for name in ("z", "c", "p", "n"))
            with builder.block() as inner:
                bit = binary("&", binary(">>", knowing, ir.Var(player)), 1)
                if kind.kind.counted:
                    slot = plus(self._at(kind, target, ir.Var(key)), ir.Var(player))
                    more: ir.Statement = ir.Add(slot, ir.Var(many))
                else:
                    slot = plus(ir.Var(key), self._bases[kind.kind.name])
                    mine = binary("<<", const(1), ir.Var(player))
                    more = ir.StoreSlot(slot, binary("|", ir.Slot(slot), mine))
                emit(ir.If(ir.Both(counts(ir.Var(zone)), bit), (more,)))
            emit(ir.EachRow((zone, key, player, many), rows, tuple(inner)))

        builder.when(ir.Not(self._random(target)), lay)

    def replaced(self, kind: KindTable, instance_zone: Value, seen: Value, after: Value) -> None:
        """All that lies in a zone was taken from another just now, where `seen` saw it."""
        builder, emit, keep = self.builder, self.builder.emit, self.builder.keep
        self.forget(kind, instance_zone)
        base = self._bases[kind.kind.name]

        def learn() -> None:
            learns = keep(
                "learns",
                binary("&", binary("&", seen, self._not(after)), self._hears(instance_zone)),
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
                slot = keep("k", self._at(kind, instance_zone, ir.Var(class_)))
                for player in range(self.players):
                    bit = binary("&", binary(">>", learns, player), 1)
                    many = ir.Select(bit, count_of(ir.Var(class_)), const(0))
                    emit(ir.StoreSlot(plus(slot, player), many))
            emit(ir.For(class_, const(0), const(kind.kind.classes), tuple(inner)))

        builder.when(ir.Not(self._random(instance_zone)), learn)

    def _learn_in_order(self, kind: KindTable, zone: Value, learns: Value) -> None:
        builder, emit, keep = self.builder, self.builder.emit, self.builder.keep
        families = [f for f in self.game.zones if f.name in kind.kind.zones]
        for family in families:
            inside = ir.Both(
                binary(">=", zone, family.base),
                binary("<", zone, family.base + family.instances),
            )

            def note(one: Value) -> None:
                slot = keep("k", self._at(kind, zone, self.components.class_of(kind, one)))
                for player in range(self.players):
                    bit = binary("&", binary(">>", learns, player), 1)
                    emit(ir.Add(plus(slot, player), bit))

            builder.when(inside, partial(self.components.each_in, family.name, zone, note))

    # ------------------------------------------------------------------------ after a together

    def decided(self, at: int) -> str | None:
        """The function to call when all parts of the `together` at `at` are done, if there is one.

        Until then the shadow holds the slots as they were when it began.
        """
        if not self._bases:
            return None
        parts = self._known.parted(at)
        if not parts:
            return None

        def write() -> None:
            for part in parts:
                self._after(part)
            self.builder.emit(ir.Return(const(0)))

        return self.builder.function(
            ("decided", at),
            f"known_after_{at}",
            [],
            "the others know what the difference of the `together` tells",
            write,
        )

    def _before(self, at: Value) -> Value:
        """The slot that an address had when the `together` began."""
        return ir.Slot(plus(at, self.game.layout.shadow - self.game.layout.live[0]))

    def _after(self, part: Parted) -> None:
        """Of each class players know as many as they can tell."""
        builder, emit = self.builder, self.builder.emit
        kind = part.kind
        class_ = builder.fresh("class")
        with builder.block() as inner:
            if kind.kind.counted:
                gone = self._gone_counted(part, ir.Var(class_))
            else:
                names = f"first_{kind.kind.name}", f"copies_{kind.kind.name}"
                first = builder.keep("first", builder.entry(names[0], kind.first, ir.Var(class_)))
                copies = builder.entry(names[1], kind.kind.copies, ir.Var(class_))
                run = first, builder.keep("last", plus(first, copies))
                gone = self._gone_marked(part, run)
            for zone, follows, learns in part.zones:
                more = (gone if learns else binary("min", gone, 0)) if follows else None
                if kind.kind.counted:
                    self._know_counted(part, const(zone), ir.Var(class_), more)
                else:
                    self._know_marked(part, const(zone), run, more)
        emit(ir.For(class_, const(0), const(kind.kind.classes), tuple(inner)))

    def _gone_counted(self, part: Parted, class_: Value) -> Value:
        """How many more of a class of a counted kind lay in the zones that are seen."""
        gone: Value = const(0)
        shift = self.game.layout.shadow - self.game.layout.live[0]
        for number in part.seen:
            zone = self.tables.instances[number]
            if zone.ordered:
                held = plus(class_, 1)
                now: Value = ir.CountEqual(zone.counts, zone.width, held)
                then: Value = ir.CountEqual(zone.counts + shift, zone.width, held)
            else:
                now = ir.Slot(plus(class_, zone.counts))
                then = self._before(plus(class_, zone.counts))
            gone = plus(gone, binary("-", then, now))
        return self.builder.keep("gone", gone)

    def _gone_marked(self, part: Parted, run: tuple[Value, Value]) -> Value:
        """The same of a kind with identities."""
        builder = self.builder
        gone, one = builder.keep("gone", const(0)), builder.fresh("c")
        flags = [number in part.seen for number in range(len(self.tables.instances))]
        place = plus(ir.Var(one), part.kind.base)
        then, now = (
            builder.entry("seen_zone", flags, zone)
            for zone in (self._before(place), ir.Slot(place))
        )
        more = ir.Assign(gone.name, plus(gone, binary("-", then, now)))
        builder.emit(ir.For(one, *run, (more,)))
        return gone

    def _know_counted(self, part: Parted, zone: Value, class_: Value, more: Value | None) -> None:
        """Players know so many more or less of a class than before; nothing without `more`."""
        first = self.builder.keep("k", self._at(part.kind, zone, class_))
        for player in _bits(part.viewers):
            slot = plus(first, player)
            known: Value = const(0)
            if more is not None:
                known = binary("max", plus(self._before(slot), more), 0)
            self.builder.emit(ir.StoreSlot(slot, known))

    def _know_marked(
        self, part: Parted, zone: Value, run: tuple[Value, Value], more: Value | None
    ) -> None:
        """The same of a kind with identities; first of those that were known before."""
        builder, kind = self.builder, part.kind
        one = builder.fresh("c")
        mark = plus(ir.Var(one), self._bases[kind.kind.name])
        is_there = binary("==", ir.Slot(plus(ir.Var(one), kind.base)), zone)
        was_there = binary("==", self._before(plus(ir.Var(one), kind.base)), zone)

        def each(*body: ir.Statement) -> None:
            builder.emit(ir.For(one, *run, body))

        for player in _bits(part.viewers):
            bit = const(1 << player)
            unknown = ir.StoreSlot(mark, binary("&", ir.Slot(mark), self._not(bit)))
            if more is None:
                each(ir.If(is_there, (unknown,)))
                continue
            left = builder.keep("left", more)
            known = ir.StoreSlot(mark, binary("|", ir.Slot(mark), bit))
            was_known = ir.Both(was_there, binary("&", self._before(mark), bit))
            each(ir.If(was_known, (ir.Assign(left.name, plus(left, 1)),)))
            less = ir.Assign(left.name, plus(left, -1))
            choice = ir.If(binary(">", left, 0), (known, less), (unknown,))
            each(ir.If(ir.Both(is_there, was_known), (choice,)))
            each(ir.If(ir.Both(is_there, ir.Not(was_known)), (choice,)))


def _bits(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]
