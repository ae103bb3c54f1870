"""What players know of another's zones after a `together`, lowered.

Assumes: `Knowledge`; the slots as they were when the block began, in the shadow.
Does: word for word what `rulerun.reference.parting` does.
Leaves behind: a function of the program for each `together` after which that may be something.
"""

from __future__ import annotations

from rulerun.compiled import ir
from rulerun.compiled.ir.statement import Body
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.builder import binary, const, plus
from rulerun.compiled.lower.knowledge import Knowledge
from rulerun.reference.parting import Parted
from rulerun.reference.parting import Parting as ReferenceParting

_Run = tuple[Value, Value | None]
"""The copies of a class, from one up to another; None if there is but one."""


class Parting:
    """What is known after the `together` blocks of one game."""

    def __init__(self, knowledge: Knowledge) -> None:
        """Stand on what is known."""
        self.knowledge = knowledge
        self.builder = knowledge.builder
        self.tables = knowledge.tables
        self.game = knowledge.game
        self._parting = ReferenceParting(knowledge.known)

    def decided(self, at: int) -> str | None:
        """The function to call when all parts of the `together` at `at` are done, if there is one.

        Until then the shadow holds the slots as they were when it began.
        """
        if not self.knowledge.any_kept:
            return None
        parts = self._parting.parted(at)
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
        for zone, *_ in part.zones:
            self.knowledge.places.forget(kind, const(zone), const(part.viewers))
        class_ = builder.fresh("class")
        with builder.block() as inner:
            if kind.kind.counted:
                gone = self._gone_counted(part, ir.Var(class_))
            else:
                names = f"first_{kind.kind.name}", f"copies_{kind.kind.name}"
                first = builder.entry(names[0], kind.first, ir.Var(class_))
                if not isinstance(first, ir.Var):
                    first = builder.keep("first", first)
                copies = builder.entry(names[1], kind.kind.copies, ir.Var(class_))
                # Of one copy it is asked directly.
                last = None if copies == const(1) else builder.keep("last", plus(first, copies))
                run = first, last
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

    def _gone_marked(self, part: Parted, run: _Run) -> Value:
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
        if run[1] is None:
            builder.emit(ir.Assign(one, run[0]))
        builder.emit(*_each(one, run, more))
        return gone

    def _know_counted(self, part: Parted, zone: Value, class_: Value, more: Value | None) -> None:
        """Players know so many more or less of a class than before; nothing without `more`."""
        first = self.builder.keep("k", self.knowledge.at(part.kind, zone, class_))
        for player in _bits(part.viewers):
            slot = plus(first, player)
            known: Value = const(0)
            if more is not None:
                known = binary("max", plus(self._before(slot), more), 0)
            self.builder.emit(ir.StoreSlot(slot, known))

    def _know_marked(self, part: Parted, zone: Value, run: _Run, more: Value | None) -> None:
        """The same of a kind with identities; first of those that were known before."""
        builder, kind = self.builder, part.kind
        one = builder.fresh("c")
        is_there = binary("==", ir.Slot(plus(ir.Var(one), kind.base)), zone)
        with builder.block() as inner:
            for player in _bits(part.viewers):
                self._know_one_by_one(part, zone, run, more, const(1 << player), one)
        if run[1] is None:
            # The one that there is lies there, or nothing is to be known.
            builder.emit(ir.Assign(one, run[0]), ir.If(is_there, tuple(inner)))
        else:
            builder.emit(*inner)

    def _know_one_by_one(
        self, part: Parted, zone: Value, run: _Run, more: Value | None, bit: Value, one: str
    ) -> None:
        """What one player, who has this bit, knows of the copies of a class."""
        builder, kind = self.builder, part.kind
        mark = plus(ir.Var(one), self.knowledge.base(kind))
        is_there = binary("==", ir.Slot(plus(ir.Var(one), kind.base)), zone)
        was_there = binary("==", self._before(plus(ir.Var(one), kind.base)), zone)
        unknown = ir.StoreSlot(mark, binary("&", ir.Slot(mark), self.knowledge.sight.without(bit)))
        if more is None:
            there = unknown if run[1] is None else ir.If(is_there, (unknown,))
            builder.emit(*_each(one, run, there))
            return
        left = builder.keep("left", more)
        known = ir.StoreSlot(mark, binary("|", ir.Slot(mark), bit))
        was_known = ir.Both(was_there, binary("&", self._before(mark), bit))
        builder.emit(*_each(one, run, ir.If(was_known, (ir.Assign(left.name, plus(left, 1)),))))
        less = ir.Assign(left.name, plus(left, -1))
        choice = ir.If(binary(">", left, 0), (known, less), (unknown,))
        if run[1] is None:
            builder.emit(choice)
            return
        builder.emit(*_each(one, run, ir.If(ir.Both(is_there, was_known), (choice,))))
        builder.emit(*_each(one, run, ir.If(ir.Both(is_there, ir.Not(was_known)), (choice,))))


def _each(one: str, run: _Run, statement: ir.Statement) -> Body:
    """A statement for each copy of a class; for the one, which has a name, if there is but one."""
    first, last = run
    return (statement,) if last is None else (ir.For(one, first, last, (statement,)),)


def _bits(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]
