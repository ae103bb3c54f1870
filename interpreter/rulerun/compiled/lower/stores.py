"""Writing values, lowered: variables, attributes and locals, with their ranges checked.

Assumes: targets and values of types that agree.
Does: finds where a target lies, checks that the value fits unless its type says so, writes it.
Leaves behind: statements in the block that is written.
"""

from __future__ import annotations

from rulerun.compiled import ir
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.builder import Scope, binary, const, interval, plus, times
from rulerun.compiled.lower.evaluate import Expressions
from rulerun_dsl import model
from rulerun_dsl.model import Expression, Target
from rulerun_dsl.model.valuetypes import Collection, Int, Multiset, Order, SetOf, Type, Zone, bare


class Stores:
    """The stores of one game."""

    def __init__(self, expressions: Expressions) -> None:
        """Lower the parts with `expressions`."""
        self.expressions = expressions
        self.builder = expressions.builder
        self.tables = expressions.tables

    def addresses(self, target: Target, scope: Scope) -> list[Value]:
        """Where a target lies: several, if an index is left open."""
        builder = self.builder
        match target:
            case model.Local(offset=offset):
                return [builder.local(offset)]
            case model.Variable(name=name, indexes=indexes):
                table = self.tables.variables[name]
                variable = table.variable
                found: list[Value] = [ir.Const(table.base)]
                for index, low, size, stride in zip(
                    indexes, variable.lows, variable.sizes, table.strides, strict=True
                ):
                    if index is None:
                        found = [plus(at, step * stride) for at in found for step in range(size)]
                        continue
                    value = self.expressions.value(index, scope)
                    sure = builder.checked(value, index.type, low, low + size - 1)
                    step = times(plus(sure, -low), stride)
                    found = [plus(at, step) for at in found]
                return found
            case model.State(kind=kind, attribute=attribute):
                which = self.expressions.sure(target.component, scope)
                return [builder.of_one(which, self.tables.kinds[kind].attribute(attribute))]

    # -------------------------------------------------------------------------- instructions

    def store(self, node: model.Store) -> None:
        """`x = e`, `x += e`, `x -= e`."""
        type_ = self.tables.type_of(node.target)
        if isinstance(bare(type_), Order):
            self._store_order(node.target, node.value)
            return
        addresses = self.addresses(node.target, {})
        if node.operator == "=":
            number = self.fitting(node.value, type_, node.clamp)
            if len(addresses) > 1 and not isinstance(number, ir.Const):
                number = self.builder.keep_as("v", number, type_)
            for address in addresses:
                self.builder.store(address, number, type_)
            return
        inner = bare(type_)
        if isinstance(inner, SetOf):
            self._with_set(node, type_, addresses)
            return
        value = self.expressions.sure(node.value, {})
        if len(addresses) > 1 and not isinstance(value, ir.Const):
            value = self.builder.keep("v", value)
        low, high = self.builder.bounds(type_)
        least, most = interval(self.builder, node.value)
        for address in addresses:
            address = self.builder.place(address)
            old = self.builder.sure(self.builder.decoded(ir.Slot(address), type_), type_)
            if node.operator == "+=":
                new, ends = plus(old, value), (low + least, high + most)
            else:
                new = (
                    plus(old, -value.value)
                    if isinstance(value, ir.Const)
                    else binary("-", old, value)
                )
                ends = (low - most, high - least)
            if node.clamp:
                new, ends = binary("min", new, high), (ends[0], min(ends[1], high))
            if ends[0] < low or ends[1] > high:
                new = ir.Checked(new, low, high, self.builder.fresh("t"))
            self.builder.emit(ir.StoreSlot(address, new))

    def fitting(self, node: Expression, type_: Type, clamp: bool = False) -> Value:
        """The number that a slot of a type gets for an expression; the run fails if none fits."""
        inner = bare(type_)
        if isinstance(inner, SetOf):
            return self._as_set(node, inner, type_)
        return self.fit(self.expressions.value(node, {}), node, type_, clamp)

    def fit(self, value: Value, node: Expression, type_: Type, clamp: bool = False) -> Value:
        """The same for a value that is there already; `node` tells what it may be."""
        number = self.builder.encoded(value, type_, node.type)
        low, high = self.tables.bounds(type_)
        if isinstance(bare(type_), Multiset):
            low, high = -1, ir.MOST
        if clamp:
            number = binary("min", number, high)
        if isinstance(number, ir.Const):
            return number if low <= number.value <= high else self.builder.never(number)
        least, most = interval(self.builder, node)
        if self.builder.may_be_none(node.type):
            none = self.tables.none_code(type_)
            least, most = min(least, none), max(most, none)
        if clamp:
            most = min(most, high)
        if low <= least and most <= high:
            return number
        return ir.Checked(number, low, high, self.builder.fresh("t"))

    def _as_set(self, node: Expression, inner: SetOf, type_: Type) -> Value:
        if isinstance(bare(node.type), SetOf) or (
            isinstance(node, model.Literal) and node.value is None
        ):
            value = self.builder.encoded(self.expressions.value(node, {}), type_, node.type)
            if isinstance(value, ir.Const) and value.value == ir.NONE:
                return self.builder.never(value)
            return value
        return self.expressions.membership.mask(node, {}, inner)

    def _with_set(self, node: model.Store, held_type: Type, addresses: list[Value]) -> None:
        """Members come into a set or leave it."""
        type_, inner = node.value.type, bare(held_type)
        assert isinstance(inner, SetOf)
        low, high = self.builder.tables.members(inner)
        mask: Value
        if isinstance(bare(type_), SetOf):
            value = self.expressions.value(node.value, {})
            mask = value
            if self.builder.may_be_none(type_):
                mask = ir.OrElse(value, const(0), self.builder.fresh("t"))
        elif isinstance(type_, Collection | Zone):
            mask = self.expressions.membership.mask(node.value, {}, inner)
        else:
            one = self.builder.keep("one", self.expressions.value(node.value, {}))
            sure = ir.Checked(one, low, high, self.builder.fresh("t"))
            bit = binary("<<", const(1), plus(sure, -low))
            mask = (
                ir.Select(binary("==", one, ir.NONE), const(0), bit)
                if self.builder.may_be_none(type_)
                else bit
            )
        held = self.builder.keep_as("mask", mask, inner)
        for address in addresses:
            address = self.builder.place(address)
            old = self.builder.stored(address, held_type)
            if node.operator == "+=":
                new = binary("|", old, held)
            else:
                new = binary("-", old, binary("&", old, held))
            self.builder.store(address, new, inner)

    def _store_order(self, target: Target, value: Expression) -> None:
        players = self.builder.players
        rows = self.builder.fresh("order")
        self.builder.emit(ir.NewRows(rows, 1, players))
        collections = self.expressions.collections

        def push(one: Value) -> None:
            self.builder.emit(ir.Push(rows, (one,)))

        if isinstance(bare(value.type), Order):
            collections.order(value, {}, push)
        else:
            self.expressions.each(value, {}, push)
        for address in self.addresses(target, {}):
            for at in range(players):
                item = ir.RowGet(rows, const(at), 0)
                self.builder.emit(ir.StoreSlot(plus(address, at), item))

    def swap(self, node: model.SwapValues) -> None:
        """Exchange the values of two variables."""
        (left,), (right,) = self.addresses(node.left, {}), self.addresses(node.right, {})
        keep, emit = self.builder.keep, self.builder.emit
        one, other = self.tables.type_of(node.left), self.tables.type_of(node.right)
        width = self.builder.players if isinstance(bare(one), Order) else self.builder.words(one)
        left, right = self.builder.place(left), self.builder.place(right)
        pairs = [
            (keep("v", ir.Slot(plus(left, at))), keep("v", ir.Slot(plus(right, at))))
            for at in range(width)
        ]
        for at, (first, second) in enumerate(pairs):
            emit(ir.StoreSlot(plus(left, at), self._refit(second, other, one)))
            emit(ir.StoreSlot(plus(right, at), self._refit(first, one, other)))

    def _refit(self, slot: Value, given: Type, type_: Type) -> Value:
        """What a slot of one type is in a slot of another."""
        if given == type_:
            return slot
        value = self.builder.decoded(slot, given)
        number = self.builder.encoded(value, type_, given)
        low, high = self.tables.bounds(type_)
        return ir.Checked(number, low, high, self.builder.fresh("t"))

    def sort(self, node: model.SortBy) -> None:
        """Reorder an order of players: highest keys first, ties as before."""
        builder, emit = self.builder, self.builder.emit
        address = builder.keep("a", self.expressions.address(node.target, {}))
        rows = builder.fresh("ranked")
        players = builder.players
        emit(ir.NewRows(rows, len(node.keys) + 2, players))
        for at in range(players):
            one = builder.keep("p", ir.Slot(plus(address, at)))
            scope: Scope = {node.register: one}
            keys = [binary("-", const(0), self.expressions.sure(key, scope)) for key in node.keys]
            emit(ir.Push(rows, (*keys, const(at), one)))
        emit(ir.SortRows(rows))
        for at in range(players):
            item = ir.RowGet(rows, const(at), len(node.keys) + 1)
            emit(ir.StoreSlot(plus(address, at), item))


__all__ = ["Int", "Stores"]
