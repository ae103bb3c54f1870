"""Collections, lowered: a loop over the members, with a block for each.

Assumes: nodes of the model whose value is a collection.
Does: writes loops that meet the members in the order the reference lists them; nothing is listed
that need not be. What must be sorted, or met from behind, goes through rows.
Leaves behind: statements in the block that is written.
"""

from __future__ import annotations

from functools import partial

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import PASSED
from rulerun.compiled.ir.program import Unsupported
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.builder import Scope, binary, const, plus
from rulerun.compiled.lower.compiler import Compiler
from rulerun.compiled.lower.components import Body
from rulerun.compiled.lower.conditions import fails_at_once
from rulerun.compiled.lower.multi_choice import MultiChoice
from rulerun.runtime.index import element_of, strides_of
from rulerun_dsl import model
from rulerun_dsl.model import Expression
from rulerun_dsl.model.valuetypes import (
    WORD,
    Collection,
    Component,
    Multiset,
    Order,
    Row,
    SetOf,
    Type,
    Zone,
    bare,
)


class Collections:
    """The collections of one game."""

    def __init__(self, compiler: Compiler) -> None:
        """Lower the parts with `compiler`."""
        self.compiler = compiler
        self.builder = compiler.builder
        self.tables = compiler.builder.tables
        self.components = compiler.components
        self.multi_choice = MultiChoice(compiler, self.most)

    def element(self, node: Expression) -> Type:
        """The type of a member."""
        type_ = node.type
        if isinstance(type_, Zone):
            return Component(type_.kind)
        return element_of(bare(type_))

    def is_collection(self, node: Expression) -> bool:
        """Whether a node gives a collection rather than one value."""
        return isinstance(node.type, Collection) or (
            isinstance(node.type, Zone) and not isinstance(node, model.Occupant)
        )

    def most(self, node: Expression) -> int:
        """No more members than this."""
        match node:
            case model.Members() | model.OfKind():
                kind = (
                    node.kind
                    if isinstance(node, model.OfKind)
                    else (self.tables.families[node.zone].kind)
                )
                return self.tables.kinds[kind].kind.total
            case model.Listed(items=items):
                return len(items)
            case model.Joined(left=left, right=right):
                return self.most(left) + self.most(right)
            case model.Conditional(value=left, alternative=right):
                return max(self.most(left), self.most(right))
            case model.Otherwise(left=left, right=right):
                return max(self.most(left), self.most(right))
            case model.Clockwise():
                return self.builder.players
            case model.Quantifier(clauses=clauses):
                many = 1
                for clause in clauses:
                    many *= self.most(clause.source)
                return many
            case model.FunctionCall(function=function):
                return self.most(self.builder.game.functions[function].body)
            case model.SlotCall(functions=functions):
                bodies = (self.builder.game.functions[each].body for each in functions)
                return max(self.most(body) for body in bodies)
            case model.BuiltinCall(word="subsets"):
                return self.builder.effort.members(node)
            case model.BuiltinCall(word="reverse" | "around", arguments=arguments):
                return self.most(arguments[0])
            case model.BuiltinCall(word="prefix", clause=model.Clause(source=source)):
                return self.most(source)
            case _:
                element = self.element(node)
                if isinstance(element, Component):
                    return self.tables.kinds[element.kind].kind.total
                low, high = self.builder.bounds(element)
                return high - low + 1

    # ----------------------------------------------------------------------------- the loops

    def each(self, node: Expression, scope: Scope, body: Body) -> None:
        """A loop over the members of a collection that is neither searched for nor on a board."""
        match node:
            case model.Members(zone=zone, indexes=indexes):
                self._members(zone, indexes, scope, body)
            case model.OfKind():
                self._of_kind(node, scope, body)
            case model.Values(low=low, high=high):
                first = self.compiler.sure(low, scope)
                last = self.compiler.sure(high, scope)
                self._range(first, plus(last, 1), body)
            case model.Clockwise(start=start, others=others):
                self._round(self.compiler.sure(start, scope), 1 if others else 0, body)
            case model.Listed(items=items):
                for item in items:
                    value = self.compiler.value(item, scope)
                    if not self.builder.may_be_none(item.type):
                        if not isinstance(value, ir.Const):
                            value = self.builder.keep("m", value)
                        body(value)
                        continue
                    one = self.builder.keep("m", value)
                    self.builder.when(binary("!=", one, ir.NONE), partial(body, one))
            case model.Joined(left=left, right=right):
                self.compiler.each(left, scope, body)
                self.compiler.each(right, scope, body)
            case model.BuiltinCall(word="reverse", arguments=(whole,)):
                self._reverse(self.rows(whole, scope), body)
            case model.BuiltinCall(word="around", arguments=(whole, start)):
                self.ring(self.rows(whole, scope), self.compiler.value(start, scope), body)
            case model.BuiltinCall(word="prefix"):
                self._prefix(node, scope, body)
            case model.Unpacked(operand=operand):
                self._unpacked(operand, scope, body)
            case model.Register(index=index):
                self.multi_choice.members(scope[index], scope, body)
            case model.Conditional(condition=condition, value=yes, alternative=no):
                self.builder.when(
                    self.compiler.value(condition, scope),
                    lambda: self.compiler.each(yes, scope, body),
                    lambda: self.compiler.each(no, scope, body),
                )
            case model.Otherwise(left=left, right=right):
                rows = self.rows(left, scope)
                self.builder.when(
                    binary(">", ir.Length(rows), 0),
                    lambda: self.each_of(rows, body),
                    lambda: self.compiler.each(right, scope, body),
                )
            case model.FunctionCall(function=number, arguments=arguments):
                self.compiler.each(*self._opened(number, arguments, scope), body)
            case model.SlotCall():
                self._slot_call(node, scope, body)
            case model.NotNone(operand=operand):
                self.compiler.each(operand, scope, body)
            case model.Literal(value=None):
                pass
            case _:
                raise Unsupported(f"a collection of {type(node).__name__}")

    def rows(self, node: Expression, scope: Scope) -> str:
        """The members as rows of one number. Raises `Unsupported`."""
        if self.builder.words(self.element(node)) > 1:
            raise Unsupported(f"a list of sets of more than {WORD} members")
        name = self.builder.fresh("all")
        self.builder.emit(ir.NewRows(name, 1, max(1, self.most(node))))
        self.compiler.each(node, scope, lambda one: self.builder.emit(ir.Push(name, (one,))))
        return name

    def each_to_the_end(self, node: Expression, scope: Scope, body: Body) -> None:
        """A loop that `body` may leave: what goes wrong behind that member does so all the same.

        What is counted behind it is counted all the same, too.
        """
        if fails_at_once(self.tables, node) and not self.builder.exact:
            self.compiler.each(node, scope, body)
        else:
            self.each_of(self.rows(node, scope), body)

    def each_of(self, rows: str, body: Body) -> None:
        """A loop over rows of one number."""
        name = self.builder.fresh("m")
        with self.builder.block() as inner:
            body(ir.Var(name))
        self.builder.emit(ir.EachRow((name,), rows, tuple(inner)))

    def _prefix(self, node: model.BuiltinCall, scope: Scope, body: Body) -> None:
        """What stands behind the first that does not pass is passed over."""
        clause = node.clause
        assert clause is not None
        assert clause.condition is not None
        builder, condition = self.builder, clause.condition
        on = builder.keep("on", const(1))
        counted = builder.counts(node)

        def member(value: Value) -> None:
            held = builder.keep("m", value)

            def ask() -> None:
                builder.spend(counted)
                passes = self.compiler.value(condition, {**scope, clause.register: held})
                stop = ir.Assign(on.name, const(0))
                builder.when(passes, lambda: body(held), lambda: builder.emit(stop))

            builder.when(on, ask)

        self.compiler.each(clause.source, scope, member)

    def _reverse(self, rows: str, body: Body) -> None:
        count = ir.Length(rows)
        name = self.builder.fresh("i")
        at = binary("-", binary("-", count, 1), ir.Var(name))
        with self.builder.block() as inner:
            body(self.builder.keep("m", ir.RowGet(rows, at, 0)))
        self.builder.emit(ir.For(name, ir.Const(0), count, tuple(inner)))

    def ring(self, rows: str, first: Value, body: Body) -> None:
        """Rows as a ring, from a member on (or from where it would stand)."""
        builder = self.builder
        start = builder.keep("first", first)
        at = builder.keep("at", const(0))
        found = builder.keep("found", const(0))
        one = builder.fresh("m")

        def look() -> None:
            place = builder.keep("place", const(0))
            builder.emit(
                ir.EachRow(
                    (one,),
                    rows,
                    (
                        ir.If(
                            ir.Both(ir.Not(found), binary("==", ir.Var(one), start)),
                            (ir.Assign(found.name, const(1)), ir.Assign(at.name, place)),
                        ),
                        ir.Assign(place.name, plus(place, 1)),
                    ),
                )
            )
            other = builder.fresh("m")
            count = (
                ir.EachRow(
                    (other,),
                    rows,
                    (
                        ir.If(
                            binary("<", ir.Var(other), start),
                            (ir.Assign(at.name, plus(at, 1)),),
                        ),
                    ),
                ),
            )
            builder.emit(ir.If(ir.Not(found), count))

        builder.when(binary("!=", start, ir.NONE), look)
        name = builder.fresh("i")
        length = ir.Length(rows)
        with builder.block() as inner:
            which = binary("%", plus(ir.Var(name), at), length)
            body(builder.keep("m", ir.RowGet(rows, which, 0)))
        builder.emit(ir.For(name, const(0), length, tuple(inner)))

    def _range(self, low: Value, high: Value, body: Body) -> None:
        name = self.builder.fresh("m")
        with self.builder.block() as inner:
            body(ir.Var(name))
        self.builder.emit(ir.For(name, low, high, tuple(inner)))

    def _round(self, start: Value, skipped: int, body: Body) -> None:
        players = self.builder.players
        first = start if isinstance(start, ir.Const) else self.builder.keep("first", start)
        name = self.builder.fresh("i")
        with self.builder.block() as inner:
            body(self.builder.keep("m", binary("%", plus(first, ir.Var(name)), players)))
        self.builder.emit(ir.For(name, const(skipped), const(players), tuple(inner)))

    # ----------------------------------------------------------------------------- the zones

    def _members(
        self, zone: str, indexes: tuple[Expression | None, ...], scope: Scope, body: Body
    ) -> None:
        if None not in indexes:
            number = self.compiler.zone(zone, indexes, scope)
            if not isinstance(number, ir.Const):
                number = self.builder.keep("z", number)
            self.components.each_in(zone, number, body)
            return
        self.components.each_in_any(zone, self._fixed(zone, indexes, scope), body)

    def _fixed(
        self, zone: str, indexes: tuple[Expression | None, ...], scope: Scope
    ) -> list[Value | None]:
        """The indexes that are said, counted from 0."""
        family = self.tables.families[zone]
        found: list[Value | None] = []
        for index, low, size in zip(indexes, family.lows, family.sizes, strict=True):
            if index is None:
                found.append(None)
                continue
            value = self.compiler.value(index, scope)
            sure = self.builder.checked(value, index.type, low, low + size - 1)
            from_0 = plus(sure, -low)
            found.append(from_0 if isinstance(from_0, ir.Const) else self.builder.keep("i", from_0))
        return found

    def zones(self, zone: str, indexes: tuple[Expression | None, ...], scope: Scope) -> list[Value]:
        """The numbers of the zones that are meant, ascending."""
        family = self.tables.families[zone]
        found: list[Value] = [ir.Const(family.base)]
        fixed = self._fixed(zone, indexes, scope)
        for index, size, stride in zip(fixed, family.sizes, strides_of(family.sizes), strict=True):
            if index is None:
                found = [plus(at, step * stride) for at in found for step in range(size)]
            else:
                step = index if stride == 1 else binary("*", index, stride)
                found = [plus(at, step) for at in found]
        return found

    def _of_kind(self, node: model.OfKind, scope: Scope, body: Body) -> None:
        kind = self.tables.kinds[node.kind]
        wanted: list[tuple[int, Value]] = []
        for part, expression in ((1, node.owner), (0, node.row)):
            if expression is not None:
                value = self.compiler.value(expression, scope)
                wanted.append((part, self.builder.keep("own", value)))

        def test(one: Value) -> None:
            conditions = [
                binary("==", self.components.part_of(kind, one, part), value)
                for part, value in wanted
            ]
            if not conditions:
                body(one)
                return
            whole = conditions[0]
            for more in conditions[1:]:
                whole = ir.Both(whole, more)
            self.builder.when(whole, lambda: body(one))

        self.components.each_anywhere(kind, test)

    # --------------------------------------------------------------------------- what is stored

    def _unpacked(self, operand: Expression, scope: Scope, body: Body) -> None:
        type_ = bare(operand.type)
        match type_:
            case SetOf() as set_:
                low, _ = self.tables.members(set_)
                value = self.compiler.value(operand, scope)
                if self.builder.may_be_none(operand.type):
                    value = ir.OrElse(value, const(0), self.builder.fresh("t"))
                name = self.builder.fresh("bit")
                with self.builder.block() as inner:
                    body(
                        plus(ir.Var(name), low)
                        if low == 0
                        else self.builder.keep("m", plus(ir.Var(name), low))
                    )
                self.builder.emit(ir.EachBit(name, value, tuple(inner)))
            case Multiset():
                self.multi_choice.each(operand, scope, body)
            case Order():
                self.order(operand, scope, body)
            case _:
                raise Unsupported(f"the members of {type(operand).__name__}")

    def order(self, node: Expression, scope: Scope, body: Body) -> None:
        """A loop over a stored order of players."""
        match node:
            case model.Local(offset=offset):
                address: Value = self.builder.local(offset)
            case model.Variable():
                address = self.compiler.address(node, scope)
            case _:
                raise Unsupported("an order that is not stored")
        if not isinstance(address, ir.Const):
            address = self.builder.place(address)
        for at in range(self.builder.players):
            body(self.builder.keep("m", ir.Slot(plus(address, at))))

    # ----------------------------------------------------------------------------- functions

    def _opened(
        self, number: int, arguments: tuple[Expression, ...], scope: Scope
    ) -> tuple[Expression, Scope]:
        """The body of a function of the rules, its parameters bound."""
        function = self.builder.game.functions[number]
        inner = dict(scope)
        for register, argument in zip(function.parameters, arguments, strict=True):
            value = self.compiler.value(argument, scope)
            inner[register] = (
                value if isinstance(value, ir.Const) else self.builder.keep(PASSED, value)
            )
        self.builder.count_call(number)
        return function.body, inner

    def _slot_call(self, node: model.SlotCall, scope: Scope, body: Body) -> None:
        kind = self.tables.kinds[node.kind]
        which = self.builder.keep("c", self.compiler.sure(node.component, scope))
        row = which
        if not isinstance(bare(node.component.type), Row):
            row = self.builder.keep("row", self.components.part_of(kind, which, 0))
        for number, function in enumerate(node.functions):

            def then(function: int = function) -> None:
                self.compiler.each(*self._opened(function, node.arguments, scope), body)

            self.builder.when(binary("==", row, number), then)

    def ascending(self, node: Expression) -> bool:
        """Whether the members come in ascending order, each once."""
        match node:
            case model.Values():
                return True
            case model.Members(zone=zone):
                family = self.tables.families[zone]
                kind = self.tables.kinds[family.kind]
                plain = not kind.kind.counted and not kind.alike and not kind.attributes
                return plain and (not family.order or family.order == "random")
            case model.OfKind(kind=name):
                kind = self.tables.kinds[name]
                return not kind.kind.counted and not kind.alike and not kind.attributes
            case model.Unpacked(operand=operand):
                return isinstance(bare(operand.type), SetOf)
            case model.Quantifier(word="those", clauses=(clause,), value=model.Register() as value):
                return value.index == clause.register and self.ascending(clause.source)
            case model.Listed(items=items):
                return len(items) == 1
            case model.Conditional(value=yes, alternative=no):
                return self.ascending(yes) and self.ascending(no)
            case model.Otherwise(left=left, right=right):
                return self.ascending(left) and self.ascending(right)
            case model.FunctionCall(function=function):
                return self.ascending(self.builder.game.functions[function].body)
            case model.BuiltinCall(word="reach"):
                return True
            case model.BuiltinCall(word="prefix", clause=model.Clause(source=source)):
                return self.ascending(source)
            case _:
                return False
