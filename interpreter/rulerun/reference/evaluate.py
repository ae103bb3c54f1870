"""What expressions mean: one case for each node of the model.

Assumes: expressions that were checked, so a type is never wrong; only what no check can prove is
tested here.
Does: turns an expression into a Python closure `(slots, base, registers) -> value`, once. `slots`
is the state's vector, `base` where the running frame begins, `registers` the scratch of binders and
parameters. A scalar is a whole number (or a bool, its equal) or None, an order a tuple of players,
a collection a list or a range.
Leaves behind: closures that never write `slots`. Where the rules ask for what is not there, a
closure raises `RuleError` with the place of the node; who runs it adds how the rules got there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rulerun.analysis.effort import effort_of
from rulerun.reference.arithmetic import arithmetic, comparison
from rulerun.reference.boards import Boards
from rulerun.reference.budget import Budget
from rulerun.reference.collections import Collections, mask_of
from rulerun.reference.multi_choice import MultiChoice
from rulerun.reference.quantifiers import Quantifiers
from rulerun.reference.remembering import Listing
from rulerun.reference.subsets import subsets
from rulerun.runtime.addresses import Shape, address, addresses, no_such
from rulerun.runtime.closures import Run, rule_error
from rulerun.runtime.components import Components, kind_of
from rulerun.runtime.index import GameIndex, strides_of
from rulerun_dsl import model
from rulerun_dsl.model import Expression
from rulerun_dsl.model.valuetypes import (
    Collection,
    Int,
    Order,
    Row,
    SetOf,
    Zone,
    bare,
)
from rulerun_dsl.source.spans import Span


class Evaluator:
    """The expressions of one game."""

    def __init__(
        self, tables: GameIndex, components: Components, budget: Budget | None = None
    ) -> None:
        """Compile nothing yet: expressions come one by one."""
        self.tables = tables
        self.game = tables.game
        self.components = components
        self.players = len(self.game.players)
        self._functions: dict[int, Run] = {}
        self.budget = Budget(effort_of(self.game)) if budget is None else budget
        self.suppose: Callable[..., Sequence[int]] | None = None
        """Given an `After`, its arguments and where they were evaluated: the slots that the
        procedure would leave. Whoever has steps sets it (`machine`)."""
        self._return_slots = {item.name: item.return_slot for item in self.game.procedures}
        self.listing = Listing()
        self._boards = Boards(self)
        self._collections = Collections(self, MultiChoice(self))
        self._quantifiers = Quantifiers(self)

    def compile(self, node: Expression) -> Run:
        """The closure of an expression."""
        match node:
            case model.Literal(value=value):
                return lambda s, b, r: value
            case model.Register(index=index):
                return lambda s, b, r: r[index]
            case model.Local():
                return self._local(node)
            case model.Variable():
                return self._variable(node)
            case model.State():
                return self._state(node)
            case model.Lookup():
                return self._lookup(node)
            case model.RowOf() | model.OwnerOf() | model.SiteOf():
                return self._column(node)
            case model.Arithmetic():
                return arithmetic(node, self.compile(node.left), self.compile(node.right))
            case model.Comparison():
                return comparison(node, self.compile(node.left), self.compile(node.right))
            case model.Not(operand=operand):
                inside = self.compile(operand)
                return lambda s, b, r: not inside(s, b, r)
            case model.And(operands=operands):
                return self._every([self.compile(operand) for operand in operands])
            case model.Or(operands=operands):
                return self._either([self.compile(operand) for operand in operands])
            case model.Conditional():
                return self._conditional(node)
            case model.Otherwise():
                return self._otherwise(node)
            case model.NotNone():
                return self._sure(node)
            case model.RangeCheck():
                return self._within(node)
            case model.After():
                return self._after(node)
            case model.FunctionCall(function=function, arguments=arguments):
                return self._call(function, arguments)
            case model.SlotCall():
                return self._slot_call(node)
            case model.Quantifier():
                return self._quantifiers.compile(node)
            case model.Contains():
                return self._collections.contains(node)
            case model.Occupant():
                return self._occupant(node)
            case model.BuiltinCall(word="winner" | "share_of_win" | "at" | "packed"):
                return self._word(node)
            case model.BuiltinCall(word="reverse" | "around" | "prefix"):
                return self._collections.compile(node)
            case model.BuiltinCall(word="subsets"):
                return subsets(self, node)
            case model.BuiltinCall():
                return self._boards.compile(node)
            case model.Running(procedure=procedure):
                offset = self._return_slots[procedure]
                return lambda s, b, r: s[b + offset] != 0
            case _:
                return self._collections.compile(node)

    def test(self, node: Expression | None) -> Run | None:
        """The closure of a condition that may be left out."""
        return None if node is None else self.compile(node)

    def tests(self, nodes: Sequence[Expression]) -> Run | None:
        """The closure of conditions that must all hold; None without any."""
        runs = [self.compile(node) for node in nodes]
        return self._every(runs) if runs else None

    def function(self, number: int) -> Run:
        """The closure of a function's body."""
        if number not in self._functions:
            function = self.game.functions[number]
            counted = self.budget.effort.counts_calls(number)
            body = self.budget.call(self.compile(function.body), function.body.span, counted)
            if self.budget.silent:
                body = self.listing.remembered(self.game, number, body)
            self._functions[number] = body
        return self._functions[number]

    # ------------------------------------------------------------------------ what is stored

    def _local(self, node: model.Local) -> Run:
        offset = node.offset
        type_ = bare(node.type)
        if isinstance(type_, Order):
            players = self.players
            return lambda s, b, r: tuple(s[b + offset : b + offset + players])
        kind = kind_of(self.tables, type_)
        if kind is not None and kind.kind.counted:
            return self._counted_name(node, kind)
        decode = self.tables.decode
        return lambda s, b, r: decode(node.type, s[b + offset])

    def _counted_name(self, node: model.Local, kind: Any) -> Run:
        """A name for a counted component: an error once none of its class lies there."""
        offset, span, name = node.offset, node.span, node.name
        is_there = self.components.is_there

        def counted(s: Sequence[int], b: int, r: list[Any]) -> int | None:
            value = s[b + offset]
            if value < 0:
                return None
            if not is_there(s, kind, value):
                raise rule_error("moved_away", f"{name} has left the place where it was", span)
            return value

        return counted

    def _variable(self, node: model.Variable) -> Run:
        table, decode = self.tables.variables[node.name], self.tables.decode
        address, type_ = self.variable_address(node), table.variable.type
        if isinstance(bare(type_), Order):
            width = table.width

            def order(s: Sequence[int], b: int, r: list[Any]) -> tuple[int, ...]:
                at = address(s, b, r)
                return tuple(s[at : at + width])

            return order
        return lambda s, b, r: decode(type_, s[address(s, b, r)])

    def variable_address(self, node: model.Variable) -> Run:
        """Where a single variable lies."""
        table = self.tables.variables[node.name]
        shape = Shape(table.base, table.variable.lows, table.variable.sizes, table.strides)
        return address(self.compile, node.name, shape, node.indexes, node.span)

    def variable_addresses(self, node: model.Variable) -> Run:
        """Where all the variables lie that are meant (an index left open is any)."""
        table = self.tables.variables[node.name]
        shape = Shape(table.base, table.variable.lows, table.variable.sizes, table.strides)
        return addresses(self.compile, node.name, shape, node.indexes, node.span)

    def _state(self, node: model.State) -> Run:
        attribute = self.tables.kinds[node.kind].attribute(node.attribute)
        component = self.compile(node.component)
        base, type_, decode = attribute.base, attribute.type, self.tables.decode

        def state(s: Sequence[int], b: int, r: list[Any]) -> int | None:
            which = component(s, b, r)
            return None if which is None else decode(type_, s[base + which])

        return state

    def zone(self, zone: str, indexes: tuple[Expression | None, ...], span: Span) -> Run:
        """The number of a single zone."""
        family = self.tables.families[zone]
        shape = Shape(family.base, family.lows, family.sizes, strides_of(family.sizes))
        return address(self.compile, zone, shape, indexes, span)

    def zones(self, zone: str, indexes: tuple[Expression | None, ...], span: Span) -> Run:
        """The numbers of the zones that are meant, ascending (an index left open is any)."""
        family = self.tables.families[zone]
        shape = Shape(family.base, family.lows, family.sizes, strides_of(family.sizes))
        return addresses(self.compile, zone, shape, indexes, span)

    def _occupant(self, node: model.Occupant) -> Run:
        """What lies in a zone for one; none if it is empty."""
        number = self.zone(node.zone, node.indexes, node.span)
        occupant = self.components.occupant
        return lambda s, b, r: occupant(s, number(s, b, r))

    # -------------------------------------------------------------------- what is looked up

    def _lookup(self, node: model.Lookup) -> Run:
        values, span, name = node.values, node.span, node.name
        wholes = (len(values), *node.strides[:-1])
        steps = [
            (self.compile(index), low, stride, whole // stride)
            for index, low, stride, whole in zip(
                node.indexes, node.lows, node.strides, wholes, strict=True
            )
        ]

        if len(steps) == 1:
            ((only, least, _, many),) = steps

            def row(s: Sequence[int], b: int, r: list[Any]) -> int | None:
                index: int | None = only(s, b, r)
                if index is None:
                    return None
                if not 0 <= index - least < many:
                    raise no_such(name, index, least, many, span)
                return values[index - least]

            return row

        def lookup(s: Sequence[int], b: int, r: list[Any]) -> int | None:
            at = 0
            for run, low, stride, size in steps:
                index = run(s, b, r)
                if index is None:
                    return None
                if not 0 <= index - low < size:
                    raise no_such(name, index, low, size, span)
                at += (index - low) * stride
            return values[at]

        return lookup

    def _column(self, node: model.RowOf | model.OwnerOf | model.SiteOf) -> Run:
        """What a component is by itself, or by where it lies; none of none."""
        kind = self.tables.kinds[node.kind]
        component = self.compile(node.component)
        if isinstance(node, model.SiteOf):
            family = self.tables.families[node.zone]
            stride = strides_of(family.sizes)[0]
            low, base, instances = family.lows[0], family.base, family.instances

            def site(s: Sequence[int], b: int, r: list[Any]) -> int | None:
                value = component(s, b, r)
                if value is None:
                    return None
                at = self.components.zone_of(s, kind, value) - base
                return low + at // stride if 0 <= at < instances else None

            return site
        row_and_owner = self.tables.row_and_owner
        which = 0 if isinstance(node, model.RowOf) else 1

        def ask(s: Sequence[int], b: int, r: list[Any]) -> int | None:
            value = component(s, b, r)
            return None if value is None else row_and_owner(kind, value)[which]

        return ask

    # ---------------------------------------------------------------------- true and false

    # Conditions are asked more than anything else: a loop costs half of what `all` costs.

    @staticmethod
    def _every(operands: list[Run]) -> Run:
        def every(s: Sequence[int], b: int, r: list[Any]) -> bool:
            for operand in operands:
                if not operand(s, b, r):
                    return False
            return True

        return every

    @staticmethod
    def _either(operands: list[Run]) -> Run:
        def either(s: Sequence[int], b: int, r: list[Any]) -> bool:
            for operand in operands:
                if operand(s, b, r):
                    return True
            return False

        return either

    def _conditional(self, node: model.Conditional) -> Run:
        condition = self.compile(node.condition)
        value, alternative = self.compile(node.value), self.compile(node.alternative)
        return lambda s, b, r: value(s, b, r) if condition(s, b, r) else alternative(s, b, r)

    def _otherwise(self, node: model.Otherwise) -> Run:
        left, right = self.compile(node.left), self.compile(node.right)
        several = isinstance(node.left.type, (Collection, Zone))

        def otherwise(s: Sequence[int], b: int, r: list[Any]) -> Any:
            value = left(s, b, r)
            missing = not value if several else value is None
            return right(s, b, r) if missing else value

        return otherwise

    def _sure(self, node: model.NotNone) -> Run:
        operand, span, what = self.compile(node.operand), node.span, node.what

        def sure(s: Sequence[int], b: int, r: list[Any]) -> Any:
            value = operand(s, b, r)
            if value is None:
                raise rule_error("none", f"{what} is none", span)
            return value

        return sure

    def _within(self, node: model.RangeCheck) -> Run:
        operand, span = self.compile(node.operand), node.span
        assert isinstance(node.type, Int)
        low, high = node.type.low, node.type.high

        def within(s: Sequence[int], b: int, r: list[Any]) -> Any:
            value = operand(s, b, r)
            if value is not None and not low <= value <= high:
                raise rule_error("range", f"{value} is outside {low}..{high}", span)
            return value

        return within

    def _call(self, function: int, arguments: tuple[Expression, ...]) -> Run:
        body, registers = self.function(function), self.game.functions[function].parameters
        runs = [self.compile(argument) for argument in arguments]

        if len(runs) == 1:
            (given,), (into,) = runs, registers

            def call_with(s: Sequence[int], b: int, r: list[Any]) -> Any:
                r[into] = given(s, b, r)
                return body(s, b, r)

            return call_with

        def call(s: Sequence[int], b: int, r: list[Any]) -> Any:
            values = [run(s, b, r) for run in runs]
            for register, value in zip(registers, values, strict=True):
                r[register] = value
            return body(s, b, r)

        return call

    def _after(self, node: model.After) -> Run:
        """The value on a copy on which the procedure has run."""
        arguments = [self.compile(argument) for argument in node.arguments]
        value = self.compile(node.value)

        def after(s: Sequence[int], b: int, r: list[Any]) -> Any:
            given = [run(s, b, r) for run in arguments]
            assert self.suppose is not None, "only rules suppose that a procedure has run"
            return value(self.suppose(node, given, s, b, r), b, list(r))

        return after

    def _slot_call(self, node: model.SlotCall) -> Run:
        kind = self.tables.kinds[node.kind]
        component, span = self.compile(node.component), node.span
        bodies = [self._call(at, node.arguments) for at in node.functions]
        by_row = isinstance(bare(node.component.type), Row)

        def call(s: Sequence[int], b: int, r: list[Any]) -> Any:
            which = component(s, b, r)
            if which is None:
                raise rule_error("none", f"{node.component.span.text} is none", span)
            return bodies[which if by_row else self.tables.row_and_owner(kind, which)[0]](s, b, r)

        return call

    def _word(self, node: model.BuiltinCall) -> Run:
        """`winner`, `share_of_win`, `packed` and `at`: each is one value, and needs no board."""
        runs = [self.compile(argument) for argument in node.arguments]
        # In `returns` scoring keeps the winners in a register behind those of the rules.
        won = self.game.registers
        match node.word:
            case "winner":
                return lambda s, b, r: r[won][0] if len(r[won]) == 1 else None
            case "share_of_win":
                from fractions import Fraction

                (player,) = runs
                return lambda s, b, r: (
                    Fraction(1, len(r[won])) if player(s, b, r) in r[won] else Fraction(0)
                )
            case "packed":
                assert isinstance(node.type, SetOf)
                (members,), (low, high) = runs, self.tables.members(node.type)
                if node.type.part is None:
                    return lambda s, b, r: mask_of(members(s, b, r), low, high, node.span)
                return lambda s, b, r: mask_of(
                    [each for each in members(s, b, r) if low <= each <= high], low, high, node.span
                )
            case _:
                whole, place = runs

                def at(s: Sequence[int], b: int, r: list[Any]) -> Any:
                    found, number = whole(s, b, r), place(s, b, r)
                    if number is None or not 1 <= number <= len(found):
                        raise no_such(node.arguments[0].span.text, number, 1, len(found), node.span)
                    return found[number - 1]

                return at
