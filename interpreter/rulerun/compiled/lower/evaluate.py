"""Expressions, lowered: one case for each node of the model that gives one value.

Assumes: checked expressions; a `Scope` that says what each register holds.
Does: turns each into a value of `ir`, with a check wherever it may be a rule error that its types
do not rule out. What needs a loop becomes a function of the registers it reads.
Leaves behind: values; functions of the program.
"""

from __future__ import annotations

from collections.abc import Callable

from rulerun.analysis.failing import never_fails
from rulerun.analysis.reads import reads
from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import PASSED, RUN
from rulerun.compiled.ir.program import Unsupported
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.arithmetic import Arithmetic, all_of, chosen, negated
from rulerun.compiled.lower.boards import BoardWords
from rulerun.compiled.lower.builder import (
    Builder,
    Chosen,
    Scope,
    binary,
    const,
    is_set,
    may_fail,
    plus,
    quotient,
    times,
)
from rulerun.compiled.lower.collections import Collections
from rulerun.compiled.lower.components import Body, Components
from rulerun.compiled.lower.membership import Membership
from rulerun.compiled.lower.quantifiers import Quantifiers
from rulerun.compiled.lower.spreading import MOST_IN_PART
from rulerun.compiled.lower.subsets import each_subset
from rulerun.runtime.components import kind_of
from rulerun.runtime.index import KindTable, strides_of
from rulerun_dsl import model
from rulerun_dsl.model import Expression
from rulerun_dsl.model.valuetypes import (
    Order,
    Row,
    bare,
)


class Expressions:
    """The expressions of one game."""

    def __init__(self, builder: Builder) -> None:
        """Lower nothing yet."""
        self.builder = builder
        self.game = builder.game
        self.tables = builder.tables
        self.components = Components(builder)
        self.arithmetic = Arithmetic(self)
        self.collections = Collections(self)
        self.quantifiers = Quantifiers(self, self.collections)
        self.boards = BoardWords(self, self.collections)
        self.membership = Membership(self, self.collections)
        self._return_slots = {item.name: item.return_slot for item in self.game.procedures}

    def value(self, node: Expression, scope: Scope) -> Value:
        """The value of an expression."""
        match node:
            case model.Literal(value=value):
                return const(value)
            case model.Register(index=index):
                return self._register(scope, index)
            case model.Local():
                return self._local(node)
            case model.Variable(name=name):
                type_ = self.tables.variables[name].variable.type
                slot = self.builder.stored(self.address(node, scope), type_)
                return self.builder.decoded(slot, type_)
            case model.State():
                return self._state(node, scope)
            case model.Lookup():
                return self._lookup(node, scope)
            case model.RowOf() | model.OwnerOf() | model.SiteOf():
                return self._column(node, scope)
            case model.Arithmetic():
                return self.arithmetic.value(node, scope)
            case model.Comparison():
                return self.arithmetic.comparison(node, scope)
            case model.Not(operand=operand):
                return negated(self.value(operand, scope))
            case model.And(operands=operands):
                return all_of([self.value(each, scope) for each in operands])
            case model.Or(operands=operands):
                *before, found = [self.value(each, scope) for each in operands]
                for one in reversed(before):
                    found = ir.Either(one, found)
                return found
            case model.Conditional(condition=condition, value=yes, alternative=no):
                return chosen(
                    self.value(condition, scope), self.value(yes, scope), self.value(no, scope)
                )
            case model.Otherwise(left=left, right=right):
                first = self.value(left, scope)
                if not self.builder.may_be_none(left.type):
                    return first
                return ir.OrElse(first, self.value(right, scope), self.builder.fresh("t"))
            case model.NotNone(operand=operand) if parts := self.parts_of(operand, scope):
                first = ir.Checked(parts[0], 0, MOST_IN_PART, self.builder.fresh("t"))
                return self.builder.joined([first, *parts[1:]], bare(operand.type))
            case model.NotNone(operand=operand):
                return self.builder.sure(self.value(operand, scope), operand.type)
            case model.RangeCheck():
                return self.arithmetic.within(node, scope)
            case model.After():
                return self._after(node, scope)
            case model.FunctionCall(function=function, arguments=arguments):
                return self.call(function, [self.value(each, scope) for each in arguments])
            case model.SlotCall():
                return self._slot_call(node, scope)
            case model.Quantifier():
                return self.quantifiers.value(node, scope)
            case model.Contains():
                return self.membership.contains(node, scope)
            case model.Occupant():
                return self._occupant(node, scope)
            case model.Running(procedure=procedure):
                slot = ir.Slot(self.builder.local(self._return_slots[procedure]))
                return binary("!=", slot, 0)
            case model.Unpacked(operand=operand) if is_set(operand.type):
                return self.value(operand, scope)
            case model.BuiltinCall():
                return self._word(node, scope)
            case _:
                raise Unsupported(f"a value of {type(node).__name__}")

    def each(self, node: Expression, scope: Scope, body: Body) -> None:
        """A loop over the members of a collection."""
        match node:
            case model.Quantifier():
                self.quantifiers.each(node, scope, body)
            case model.BuiltinCall(word="reverse" | "around" | "prefix"):
                self.collections.each(node, scope, body)
            case model.BuiltinCall(word="subsets"):
                each_subset(self, self.membership.mask, node, scope, body)
            case model.BuiltinCall():
                self.boards.each(node, scope, body)
            case _:
                self.collections.each(node, scope, body)

    def for_errors(self, node: Expression) -> None:
        """Evaluate for nothing but the rule errors it may have: nobody hears what it gives."""
        if never_fails(self.tables, node):
            return
        if self.collections.is_collection(node):
            self.each(node, {}, lambda one: None)
        else:
            self.builder.emit(ir.Eval(self.value(node, {})))

    def parts_of(self, node: Expression, scope: Scope) -> list[Value]:
        """Of a large set that may be none, by name: its parts, the first below 0 if it is none."""
        many = self.builder.words(node.type)
        if many == 1 or not self.builder.may_be_none(node.type):
            return []
        match node:
            case model.Local(offset=offset):
                address = self.builder.local(offset)
            case model.Variable():
                address = self.address(node, scope)
            case _:
                return []
        return [ir.Slot(plus(address, at)) for at in range(many)]

    def kept(self, name: str, node: Expression, scope: Scope) -> Value:
        """The value of an expression, worked out once."""
        return self.builder.keep_as(name, self.value(node, scope), node.type)

    def sure(self, node: Expression, scope: Scope) -> Value:
        """A value that must not be none."""
        return self.builder.sure(self.value(node, scope), node.type)

    # ------------------------------------------------------------------------ what is stored

    def _register(self, scope: Scope, index: int) -> Value:
        held = scope.get(index)
        if held is None:
            raise Unsupported(f"register {index} is read where nothing is bound")
        if isinstance(held, Chosen):
            raise Unsupported("what was chosen, as a value")
        return held

    def _local(self, node: model.Local) -> Value:
        builder = self.builder
        slot = builder.stored(builder.local(node.offset), node.type)
        type_ = bare(node.type)
        if isinstance(type_, Order):
            raise Unsupported("an order of players as a value")
        kind = kind_of(self.tables, type_)
        if kind is not None and kind.kind.counted:
            there = self._name_of(kind)
            return ir.Call(there, (slot,))
        return builder.decoded(slot, node.type)

    def _name_of(self, kind: KindTable) -> str:
        """The function that reads a name of a counted component: none, or it must be there."""

        def write(value: Value) -> None:
            builder = self.builder
            builder.emit(ir.If(binary("<", value, 0), (ir.Return(const(None)),)))
            there = self.components.is_there(kind, value)
            builder.emit(ir.If(negated(there), (ir.Fail(),)))
            builder.emit(ir.Return(value))

        name = kind.kind.name
        about = f"the {name} of a name: it must not have left the place where it was"
        return self.builder.function(("name", name), f"named_{name}", ["c"], about, write)

    def address(self, node: model.Variable, scope: Scope) -> Value:
        """Where a single variable lies."""
        table = self.tables.variables[node.name]
        indexes = [(self.value(each, scope), each.type) for each in node.indexes if each]
        variable = table.variable
        return self.builder.address_of(
            indexes, table.base, variable.lows, variable.sizes, table.strides
        )

    def zone(self, zone: str, indexes: tuple[Expression | None, ...], scope: Scope) -> Value:
        """The number of a single zone."""
        found = [(self.value(each, scope), each.type) for each in indexes if each is not None]
        return self.builder.zone_number(zone, found)

    def _state(self, node: model.State, scope: Scope) -> Value:
        attribute = self.tables.kinds[node.kind].attribute(node.attribute)
        return self.of(
            node.component,
            scope,
            lambda which: self.builder.decoded(
                self.builder.stored(self.builder.of_one(which, attribute), attribute.type),
                attribute.type,
            ),
        )

    def of(self, node: Expression, scope: Scope, inside: Callable[[Value], Value]) -> Value:
        """What is said of a value, none of none."""
        value = self.value(node, scope)
        if not self.builder.may_be_none(node.type):
            return inside(value)
        if isinstance(value, ir.Const):
            return const(None)
        name = self.builder.fresh("t")
        return ir.Maybe(value, inside(ir.Var(name)), name)

    def _occupant(self, node: model.Occupant, scope: Scope) -> Value:
        number = self.zone(node.zone, node.indexes, scope)
        kind = self.tables.kinds[self.tables.families[node.zone].kind]
        if kind.kind.counted:
            return self.components.occupant(node.zone, number)
        return ir.FindEqual(kind.base, kind.kind.total, number)

    # --------------------------------------------------------------------- what is looked up

    def _lookup(self, node: model.Lookup, scope: Scope) -> Value:
        builder = self.builder
        wholes = (len(node.values), *node.strides[:-1])
        named: list[tuple[str, Value]] = []
        at: Value = ir.Const(0)
        for index, low, stride, whole in zip(
            node.indexes, node.lows, node.strides, wholes, strict=True
        ):
            value = self.value(index, scope)
            if builder.may_be_none(index.type) and not (
                isinstance(value, ir.Const) and value.value != ir.NONE
            ):
                name = builder.fresh("t")
                named.append((name, value))
                value = ir.Var(name)
            inside = builder.checked(value, bare(index.type), low, low + whole // stride - 1)
            at = plus(at, times(plus(inside, -low), stride))
        found: Value = builder.entry(node.name, node.values, at)
        if isinstance(found, ir.Const) and may_fail(at):
            # The entry is known, but whether there is one is not.
            found = ir.Select(binary(">=", at, 0), found, found)
        for name, value in reversed(named):
            found = ir.Maybe(value, found, name)
        return found

    def _column(self, node: model.RowOf | model.OwnerOf | model.SiteOf, scope: Scope) -> Value:
        kind = self.tables.kinds[node.kind]
        name = kind.kind.name
        if isinstance(node, model.SiteOf):
            family = node.zone
            return self.of(node.component, scope, lambda which: self._site_of(kind, family, which))
        part, word = (0, "row") if isinstance(node, model.RowOf) else (1, "owner")
        by_class = [parts[part] for parts in kind.parts]
        if kind.kind.counted:
            return self.of(
                node.component,
                scope,
                lambda which: self.builder.entry(
                    f"{word}_of_{name}", by_class, self.components.class_of(kind, which)
                ),
            )
        by_number = [by_class[class_] for class_ in kind.class_of]
        return self.of(
            node.component,
            scope,
            lambda which: self.builder.entry(f"{word}_of_{name}", by_number, which),
        )

    def _site_of(self, kind: KindTable, zone: str, which: Value) -> Value:
        family = self.tables.families[zone]

        def write(one: Value) -> None:
            at = self.builder.keep("z", plus(self.components.zone_of(kind, one), -family.base))
            stride = strides_of(family.sizes)[0]
            inside = ir.Both(binary(">=", at, 0), binary("<", at, family.instances))
            site = plus(quotient(at, stride), family.lows[0])
            self.builder.emit(ir.Return(ir.Select(inside, site, const(None))))

        key = ("site_of", kind.kind.name, zone)
        about = f"where a {kind.kind.name} lies in {zone}"
        name = self.builder.function(key, f"where_{zone}", ["c"], about, write)
        return ir.Call(name, (which,))

    # ---------------------------------------------------------------------------- functions

    def call(self, number: int, arguments: list[Value]) -> Value:
        """A call of a function of the rules."""
        return ir.Call(self.function(number), tuple(arguments))

    def function(self, number: int) -> str:
        """The function of the program for one of the rules."""
        function = self.game.functions[number]

        def write(*given: Value) -> None:
            scope = dict(zip(function.parameters, given, strict=True))
            self.builder.count_call(number)
            self.builder.emit(ir.Return(self.value(function.body, scope)))

        key = ("function", number)
        about = f"{function.name}: {function.body.span.text}"
        words = [PASSED] * len(function.parameters)
        return self.builder.function(key, f"f_{function.name}", words, about, write)

    def _after(self, node: model.After, scope: Scope) -> Value:
        """A value after a procedure has run; then all is as it was."""
        builder = self.builder
        called = next(item for item in self.game.procedures if item.name == node.procedure)
        builder.supposed.add(called.entry)

        def write(inner: Scope) -> None:
            numbers = []
            for each, argument in zip(called.parameters, node.arguments, strict=True):
                value = self.value(argument, inner)
                slot = builder.encoded(value, each.type, argument.type)
                numbers.append(builder.keep_as("a", slot, each.type))
            back = ir.StoreSlot(builder.local(called.return_slot), const(len(self.game.code)))
            run = ir.Eval(ir.Call(RUN, (const(called.entry),)))
            found = builder.keep("found", const(None))
            with builder.block() as body:
                for each, number in zip(called.parameters, numbers, strict=True):
                    builder.store(builder.local(each.offset), number, each.type)
                builder.emit(back, run)
                builder.emit(ir.Assign(found.name, self.value(node.value, inner)))
            runs = builder.written_runs(called.entry)
            builder.emit(ir.Suppose(tuple(body), builder.counters_of_code, runs), ir.Return(found))

        return self.as_function(node, scope, "after", write)

    def _slot_call(self, node: model.SlotCall, scope: Scope) -> Value:
        kind = self.tables.kinds[node.kind]
        which = self.sure(node.component, scope)
        by_class = [parts[0] for parts in kind.parts]
        rows = by_class if kind.kind.counted else [by_class[class_] for class_ in kind.class_of]

        def write(inner: Scope, one: Value) -> None:
            row = one
            if not isinstance(bare(node.component.type), Row):
                at = self.components.class_of(kind, one) if kind.kind.counted else one
                row = self.builder.keep("row", self.builder.entry(f"row_of_{node.kind}", rows, at))
            for number, function in enumerate(node.functions):
                given = [self.value(each, inner) for each in node.arguments]
                then = (ir.Return(self.call(function, given)),)
                if number == len(node.functions) - 1:
                    self.builder.emit(*then)
                else:
                    self.builder.emit(ir.If(binary("==", row, number), then))

        return self.as_function(node, scope, "slot", write, (("c", which),))

    def free(self, node: Expression, scope: Scope) -> list[int]:
        """The registers that an expression reads and does not set itself."""
        needed = set(reads(self.game, node).registers)
        return sorted(index for index in needed if index in scope)

    def as_function(
        self,
        node: Expression,
        scope: Scope,
        word: str,
        write: Callable[..., None],
        extra: tuple[tuple[str, Value], ...] = (),
    ) -> Value:
        """The value of an expression by a function of what it reads.

        `extra` are more parameters with what they are given. `write` gets what the registers hold
        inside, then these.
        """
        free = self.free(node, scope)
        held = [scope[index] for index in free]

        def body(*given: Value) -> None:
            inner: dict[int, Value | Chosen] = {}
            for index, outside, var in zip(free, held, given, strict=False):
                inner[index] = outside.at(var) if isinstance(outside, Chosen) else var
            write(inner, *given[len(free) :])

        chosen_here = tuple(
            (index, one.binder)
            for index, one in zip(free, held, strict=True)
            if isinstance(one, Chosen)
        )
        made = self.builder.function(
            (word, self.builder.number_of(node), tuple(free), chosen_here),
            f"{word}_of",
            [*([PASSED] * len(free)), *(name for name, _ in extra)],
            node.span.text,
            body,
            word in ("reach", "distance", "path") and not self.builder.effort.counted,
        )
        passed = [one.place if isinstance(one, Chosen) else one for one in held]
        return ir.Call(made, (*passed, *(value for _, value in extra)))

    # ------------------------------------------------------------------------------- others

    def _word(self, node: model.BuiltinCall, scope: Scope) -> Value:
        match node.word:
            case "winner" | "share_of_win":
                raise Unsupported(f"`{node.word}` outside the judge")
            case "packed":
                return self.membership.packed(node, scope)
            case "at":
                return self.membership.at(node, scope)
            case _:
                return self.boards.value(node, scope)
