"""The cursors of `for`, `turns` and `repeat`.

Assumes: three slots for each loop besides its variable, cleared before it begins.
Does: takes the next member of a set that is read again for each pass; what is fixed at entry (where
`clockwise` or `around` starts, the bounds of a range) stands in the loop's slots.
Leaves behind: after the last pass, all slots of the loop cleared.

What the slots hold, by `Loop.mode` (0 always means: not begun):

| mode | cursor | second |
| --- | --- | --- |
| values | 1 + (last visited - lowest of the type) | of a range: the same of its last |
| counted | 1 + class * zones + zone of the current class | the passes that its alike still have |
| sequence | how many were taken | where `clockwise`, or a ring, starts |
| positions | how many were taken and are still there | the length at the last pass |
| turns | steps round the table, modulo its length | who was first |
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeGuard

from rulerun.reference.collections import ring_from
from rulerun.reference.evaluate import Evaluator
from rulerun.runtime.closures import Run, rule_error
from rulerun.runtime.components import kind_of
from rulerun.runtime.play import Operation, Play
from rulerun_dsl import model
from rulerun_dsl.model import Loop
from rulerun_dsl.model.valuetypes import Optional


def is_ring(source: model.Expression) -> TypeGuard[model.BuiltinCall]:
    """Whether a loop goes round in a ring: `around(p)`."""
    return isinstance(source, model.BuiltinCall) and source.word == "around"


Next = Callable[[Play], bool]
"""Take the next member; whether there was one."""


class Loops:
    """The loops of one game."""

    def __init__(self, evaluator: Evaluator) -> None:
        """Compile the parts with `evaluator`."""
        self.evaluator = evaluator
        self.tables = evaluator.tables

    # -------------------------------------------------------------------------- instructions

    def start(self, node: model.LoopStart, at: int) -> Operation:
        """Fix what is fixed at entry."""
        begin = self.begin(node.loop)

        def start(play: Play) -> int:
            begin(play)
            return at + 1

        return start

    def next(self, node: model.LoopNext, at: int) -> Operation:
        """The next pass, or the end of the loop."""
        advance = self.advance(node.loop)
        clear = self.clear(node.loop)
        done = node.done

        def next_(play: Play) -> int:
            if advance(play):
                return at + 1
            clear(play)
            return done

        return next_

    def repeat_start(self, node: model.RepeatStart, at: int) -> Operation:
        """How often, evaluated once."""
        count, offset = self.evaluator.compile(node.count), node.offset

        def start(play: Play) -> int:
            many = count(play.slots, play.base, play.registers)
            if many is None:
                raise rule_error("none", f"{node.count.span.text} is none", node.span)
            play.slots[play.base + offset] = max(int(many), 0)
            return at + 1

        return start

    def repeat_next(self, node: model.RepeatNext, at: int) -> Operation:
        """One pass fewer, or the end."""
        offset, done = node.offset, node.done

        def next_(play: Play) -> int:
            slot = play.base + offset
            if play.slots[slot]:
                play.slots[slot] -= 1
                return at + 1
            return done

        return next_

    # -------------------------------------------------------------------------------- parts

    def clear(self, loop: Loop) -> Callable[[Play], None]:
        """Forget a loop."""
        offsets = (loop.variable.offset, loop.cursor, loop.second, loop.third)

        def clear(play: Play) -> None:
            for offset in offsets:
                if offset > 0:
                    play.slots[play.base + offset] = 0

        return clear

    def begin(self, loop: Loop) -> Callable[[Play], None]:
        """Stand before the first member."""
        clear = self.clear(loop)
        source, evaluator = loop.source, self.evaluator
        cursor, second = loop.cursor, loop.second
        if loop.mode == "values" and isinstance(source, model.Values):
            values, lowest = evaluator.compile(source), self._lowest(loop)

            def begin_range(play: Play) -> None:
                clear(play)
                whole = values(play.slots, play.base, play.registers)
                if whole:
                    play.slots[play.base + cursor] = whole[0] - lowest
                    play.slots[play.base + second] = whole[-1] - lowest + 1

            return begin_range
        if loop.mode in ("sequence", "turns") and isinstance(source, model.Clockwise):
            start = evaluator.compile(source.start)

            def begin_round(play: Play) -> None:
                clear(play)
                first = start(play.slots, play.base, play.registers)
                if first is None:
                    message = f"{source.span.text}: where to start is none"
                    raise rule_error("none", message, source.span)
                play.slots[play.base + second] = first

            return begin_round
        if loop.mode == "sequence" and is_ring(source):
            first, lowest = evaluator.compile(source.arguments[1]), self._lowest(loop)

            def begin_ring(play: Play) -> None:
                clear(play)
                at = first(play.slots, play.base, play.registers)
                play.slots[play.base + second] = 0 if at is None else at - lowest + 1

            return begin_ring
        return clear

    def advance(self, loop: Loop) -> Next:
        """Take the next member into the loop's variable."""
        match loop.mode:
            case "values":
                return self._next_value(loop)
            case "counted":
                return self._next_counted(loop)
            case "sequence":
                return self._next_in_sequence(loop)
            case "positions":
                return self._next_position(loop)
            case "turns":
                return self._next_turn(loop)
            case _:
                raise AssertionError(f"no meaning for the loop mode {loop.mode}")

    def _lowest(self, loop: Loop) -> int:
        """The lowest slot that a member may be written as: none stands below all others."""
        type_ = loop.variable.type
        maybe = isinstance(type_, Optional)
        return self.tables.none_code(type_) if maybe else self.tables.lowest(type_)

    def _passes(self, loop: Loop) -> Callable[[Play, Any], bool]:
        """Put a member into the variable, and tell whether it passes the condition."""
        offset, type_, encode = loop.variable.offset, loop.variable.type, self.tables.encode
        condition = self.evaluator.test(loop.condition)

        def passes(play: Play, member: int | None) -> bool:
            play.slots[play.base + offset] = encode(type_, member) if member is None else member
            return condition is None or bool(condition(play.slots, play.base, play.registers))

        return passes

    def _next_value(self, loop: Loop) -> Next:
        source, passes = self.evaluator.compile(loop.source), self._passes(loop)
        cursor, second, lowest = loop.cursor, loop.second, self._lowest(loop)
        none = self.tables.none_code(loop.variable.type)
        if isinstance(loop.source, model.Values):

            def next_in_range(play: Play) -> bool:
                slot = play.base + cursor
                last = play.slots[play.base + second]
                for code in range(play.slots[slot] + 1, last + 1):
                    play.slots[slot] = code
                    if passes(play, code - 1 + lowest):
                        return True
                return False

            return next_in_range

        def next_(play: Play) -> bool:
            slot = play.base + cursor
            visited = play.slots[slot] - 1 + lowest
            members = source(play.slots, play.base, play.registers)
            codes = {none if one is None else one for one in members}
            for member in sorted(one for one in codes if one > visited):
                play.slots[slot] = member - lowest + 1
                if passes(play, member):
                    return True
            return False

        return next_

    def _next_counted(self, loop: Loop) -> Next:
        kind = kind_of(self.tables, loop.variable.type)
        assert kind is not None
        source, passes = self.evaluator.compile(loop.source), self._passes(loop)
        cursor, second = loop.cursor, loop.second
        classes, zones = kind.kind.classes, len(self.tables.instances)

        def next_(play: Play) -> bool:
            slots, here, left = play.slots, play.base + cursor, play.base + second
            many: dict[int, int] = {}
            for component in source(slots, play.base, play.registers):
                zone, class_ = divmod(component, classes)
                code = 1 + class_ * zones + zone
                many[code] = many.get(code, 0) + 1
            for code in sorted(code for code in many if code >= slots[here]):
                class_, zone = divmod(code - 1, zones)
                if code == slots[here]:
                    remaining = min(slots[left], many[code])
                else:
                    remaining = many[code]
                slots[here] = code
                slots[left] = max(remaining - 1, 0)
                if remaining and passes(play, zone * classes + class_):
                    return True
            return False

        return next_

    def _sequence(self, loop: Loop) -> Run:
        """The list that is gone through, with the start of `clockwise` as it was at entry."""
        second = loop.second
        if is_ring(loop.source):
            whole, lowest = self.evaluator.compile(loop.source.arguments[0]), self._lowest(loop)
            return lambda s, b, r: ring_from(
                list(whole(s, b, r)), s[b + second] - 1 + lowest if s[b + second] else None
            )
        if not isinstance(loop.source, model.Clockwise):
            return self.evaluator.compile(loop.source)
        players = self.evaluator.players
        skipped = 1 if loop.source.others else 0
        return lambda s, b, r: [
            (s[b + second] + step) % players for step in range(skipped, players)
        ]

    def _next_in_sequence(self, loop: Loop) -> Next:
        sequence, passes, cursor = self._sequence(loop), self._passes(loop), loop.cursor

        def next_(play: Play) -> bool:
            slot = play.base + cursor
            members = sequence(play.slots, play.base, play.registers)
            while play.slots[slot] < len(members):
                member = members[play.slots[slot]]
                play.slots[slot] += 1
                if passes(play, member):
                    return True
            return False

        return next_

    def _next_position(self, loop: Loop) -> Next:
        source, passes = self.evaluator.compile(loop.source), self._passes(loop)
        cursor, second = loop.cursor, loop.second

        def next_(play: Play) -> bool:
            slots, here, length = play.slots, play.base + cursor, play.base + second
            members = source(slots, play.base, play.registers)
            if slots[here] and len(members) < slots[length]:
                # The current one has left: the next stands in its place.
                slots[here] -= 1
            slots[length] = len(members)
            while slots[here] < len(members):
                member = members[slots[here]]
                slots[here] += 1
                if passes(play, member):
                    return True
            return False

        return next_

    def _next_turn(self, loop: Loop) -> Next:
        sequence, passes, cursor = self._sequence(loop), self._passes(loop), loop.cursor
        span = loop.source.span if loop.condition is None else loop.condition.span

        def next_(play: Play) -> bool:
            slot = play.base + cursor
            members = sequence(play.slots, play.base, play.registers)
            for _ in members:
                member = members[play.slots[slot] % len(members)]
                play.slots[slot] = (play.slots[slot] + 1) % len(members)
                if passes(play, member):
                    return True
            raise rule_error("no_turn", f"{span.text}: in a whole round nobody has a turn", span)

        return next_
