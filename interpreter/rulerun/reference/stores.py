"""Writing values: variables, attributes and locals, with their ranges checked.

Assumes: targets and values of types that agree.
Does: finds where a target lies, checks that the value fits, writes it, tells who may know.
Leaves behind: slots within the ranges of their types, or a rule error and nothing written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rulerun.reference.collections import mask_of
from rulerun.reference.evaluate import Evaluator
from rulerun.reference.events import EventLog
from rulerun.runtime.closures import Run, rule_error
from rulerun.runtime.play import Operation, Play
from rulerun_dsl import model
from rulerun_dsl.model import Target
from rulerun_dsl.model.valuetypes import Order, SetOf, Type, bare
from rulerun_dsl.source.spans import Span

Put = Callable[[Play, int, Any], None]
"""Write a value at an address."""


class Stores:
    """The stores of one game."""

    def __init__(self, evaluator: Evaluator, log: EventLog) -> None:
        """Compile the parts with `evaluator`, tell `log` what changes."""
        self.evaluator = evaluator
        self.tables = evaluator.tables
        self.log = log

    def addresses(self, target: Target) -> Run:
        """Where a target lies: a list, for an index may be left open."""
        match target:
            case model.Local(offset=offset):
                return lambda s, b, r: (b + offset,)
            case model.Variable():
                return self.evaluator.variable_addresses(target)
            case model.State():
                component = self.evaluator.compile(target.component)
                base = self.tables.kinds[target.kind].attribute(target.attribute).base

                def state(s: Sequence[int], b: int, r: list[Any]) -> tuple[int, ...]:
                    which = component(s, b, r)
                    if which is None:
                        message = f"{target.component.span.text} is none"
                        raise rule_error("none", message, target.span)
                    return (base + which,)

                return state

    def put(self, target: Target, span: Span, clamp: bool = False) -> Put:
        """Write one value, once it is known where."""
        type_ = self.tables.type_of(target)
        name = target.name if isinstance(target, model.Local) else target.span.text
        heard = not isinstance(target, model.Local)
        if isinstance(bare(type_), Order):
            return self._put_order(heard)
        convert = self._number(type_, span)
        low, high = self.tables.bounds(type_)
        may_be_none = self.tables.none_code(type_) == low - 1
        log = self.log

        def put(play: Play, at: int, value: Any) -> None:
            number = convert(value)
            if clamp and number > high:
                number = high
            if not low <= number <= high or (value is None and may_be_none):
                shown = "none" if value is None else str(value)
                message = f"{name} would be {shown}; it is {type_}"
                raise rule_error("none" if value is None else "range", message, span)
            if heard and play.events is not None:
                before = play.slots[at]
                play.slots[at] = number
                log.stored(play, at, before)
            else:
                play.slots[at] = number

        return put

    def _number(self, type_: Type, span: Span) -> Callable[[Any], int]:
        """What is written for a value."""
        none = self.tables.none_code(type_)
        inner = bare(type_)
        if isinstance(inner, SetOf):
            bounds = self.tables.members(inner)
            return lambda value: none if value is None else set_mask(value, bounds, span)
        return lambda value: none if value is None else int(value)

    def _put_order(self, heard: bool) -> Put:
        players = self.evaluator.players

        def put(play: Play, at: int, value: Any) -> None:
            before = play.slots[at : at + players]
            play.slots[at : at + players] = list(value)
            if heard and play.events is not None and before != list(value):
                self.log.reordered(play, at)

        return put

    def number(self, target: Target) -> Callable[[Any], int]:
        """How a value is written in the target, unchecked."""
        return self._number(self.tables.type_of(target), target.span)

    # -------------------------------------------------------------------------- instructions

    def store(self, node: model.Store, at: int) -> Operation:
        """`x = e`, `x += e`, `x -= e`."""
        addresses = self.addresses(node.target)
        value = self.evaluator.compile(node.value)
        put = self.put(node.target, node.span, node.clamp)
        type_ = self.tables.type_of(node.target)
        combine = None if node.operator == "=" else self._combine(node, type_)
        decode, after = self.tables.decode, at + 1

        def store(play: Play) -> int:
            slots, base, registers = play.slots, play.base, play.registers
            where = addresses(slots, base, registers)
            given = value(slots, base, registers)
            for address in where:
                if combine is None:
                    put(play, address, given)
                else:
                    put(play, address, combine(decode(type_, slots[address]), given))
            return after

        return store

    def _combine(self, node: model.Store, type_: Type) -> Callable[[Any, Any], Any]:
        inner = bare(type_)
        adds = node.operator == "+="
        if isinstance(inner, SetOf):
            bounds = self.tables.members(inner)
            packed = isinstance(bare(node.value.type), SetOf)

            def with_set(old: int, value: Any) -> int:
                if value is None:
                    return old
                alone = isinstance(value, int) and not packed
                mask = set_mask([value] if alone else value, bounds, node.span)
                return old | mask if adds else old & ~mask

            return with_set

        def with_number(old: Any, value: Any) -> Any:
            if old is None or value is None:
                what = node.target.span if old is None else node.value.span
                raise rule_error("none", f"{what.text} is none", node.span)
            return old + value if adds else old - value

        return with_number

    def swap(self, node: model.SwapValues, at: int) -> Operation:
        """Exchange the values of two variables."""
        places = [self.addresses(node.left), self.addresses(node.right)]
        values = [self.evaluator.compile(node.left), self.evaluator.compile(node.right)]
        puts = [self.put(node.left, node.span), self.put(node.right, node.span)]

        def swap(play: Play) -> int:
            here = (play.slots, play.base, play.registers)
            (left,), (right,) = (place(*here) for place in places)
            one, other = (value(*here) for value in values)
            puts[0](play, left, other)
            puts[1](play, right, one)
            return at + 1

        return swap

    def sort(self, node: model.SortBy, at: int) -> Operation:
        """Reorder an order of players: highest keys first, ties as before."""
        address = self.evaluator.variable_address(node.target)
        order = self.evaluator.compile(node.target)
        keys = [self.evaluator.compile(key) for key in node.keys]
        put = self.put(node.target, node.span)

        def sort(play: Play) -> int:
            slots, base, registers = play.slots, play.base, play.registers
            ranked = []
            for player in order(slots, base, registers):
                registers[node.register] = player
                found = [key(slots, base, registers) for key in keys]
                if None in found:
                    raise rule_error("none", f"{node.span.text}: a key is none", node.span)
                ranked.append(([-one for one in found], player))
            ranked.sort(key=lambda pair: pair[0])
            put(play, address(slots, base, registers), tuple(player for _, player in ranked))
            return at + 1

        return sort


def set_mask(value: Any, bounds: tuple[int, int], span: Span) -> int:
    """How a set is stored: given as its mask or as its members."""
    return value if isinstance(value, int) else mask_of(value, *bounds, span)
