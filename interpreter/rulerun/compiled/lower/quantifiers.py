"""What the library's words say of collections, lowered.

Assumes: clauses whose registers are their own.
Does: nests the loops of the clauses, with each condition asked as early as may be; makes of what
passes what the word says. A word that gives one value is a function of the registers
it reads; one that gives a collection becomes part of the loop that runs through it.
Leaves behind: functions and statements of the program.
"""

from __future__ import annotations

from collections.abc import Callable

from rulerun.compiled import ir
from rulerun.compiled.ir.program import Unsupported
from rulerun.compiled.ir.value import LEAST, MOST, Value
from rulerun.compiled.lower.builder import Scope, binary, const, interval, is_set, plus
from rulerun.compiled.lower.collections import Collections
from rulerun.compiled.lower.compiler import Compiler
from rulerun.compiled.lower.conditions import levels
from rulerun.compiled.lower.subsets import packing
from rulerun_dsl import model
from rulerun_dsl.model import Expression
from rulerun_dsl.model.valuetypes import WORD

_AMONG = ("first", "last", "highest", "lowest", "highest_few", "lowest_few", "all_highest",
          "all_lowest")  # fmt: skip
"""Words that give some of what they go through, by its place or its order."""


class Quantifiers:
    """The quantifiers of one game."""

    def __init__(self, compiler: Compiler, collections: Collections) -> None:
        """Lower the parts with `compiler`."""
        self.compiler = compiler
        self.collections = collections
        self.builder = compiler.builder

    # --------------------------------------------------------------------------- one value

    def value(self, node: model.Quantifier, scope: Scope) -> Value:
        """A word that gives one value."""
        if node.word == "count" and (quick := self._number_there(node, scope)) is not None:
            return quick
        if node.word == "first" and (quick := self._on_top(node, scope)) is not None:
            return quick
        write = {
            "count": self._count,
            "any": self._any,
            "all": self._all,
            "sum": self._sum,
            "packing": self._packing,
            "max": self._extreme,
            "min": self._extreme,
            "first": self._first,
            "last": self._last,
            "highest": self._best,
            "lowest": self._best,
        }.get(node.word)
        if write is None:
            raise Unsupported(f"`{node.word}` as one value")
        return self.compiler.as_function(node, scope, node.word, lambda inner: write(node, inner))

    def _number_there(self, node: model.Quantifier, scope: Scope) -> Value | None:
        """`count(hand[p])`: no need to list what is there."""
        (clause, *others) = node.clauses
        source = clause.source
        plain = clause.condition is None and _is_member(node.value, clause)
        if others or not plain or self.builder.counts(node):
            return None
        if isinstance(source, model.Unpacked) and is_set(source.operand.type):
            held = self.compiler.value(source.operand, scope)
            if self.builder.may_be_none(source.operand.type):
                held = ir.OrElse(held, const(0), self.builder.fresh("t"))
            return ir.BitCount(held)
        # What was chosen is gone through: one of it that has left by now is a rule error.
        if not isinstance(source, model.Members):
            return None
        if None in source.indexes:
            return None
        number = self.compiler.zone(source.zone, source.indexes, scope)
        return self.compiler.components.count(source.zone, number)

    def _on_top(self, node: model.Quantifier, scope: Scope) -> Value | None:
        """`first(c in pile)`: no need to bring what is there into its order."""
        (clause, *others) = node.clauses
        source = clause.source
        plain = node.value is not None and _is_member(node.value, clause)
        if others or clause.condition is not None or not plain or self.builder.counts(node):
            return None
        if not isinstance(source, model.Members) or None in source.indexes:
            return None
        number = self.compiler.zone(source.zone, source.indexes, scope)
        return self.compiler.components.on_top(source.zone, number)

    def _count(self, node: model.Quantifier, scope: Scope) -> None:
        emit = self.builder.emit
        n = self.builder.keep("n", const(0))
        self.passing(node, scope, lambda _: emit(ir.Assign(n.name, plus(n, 1))))
        emit(ir.Return(n))

    def _any(self, node: model.Quantifier, scope: Scope) -> None:
        emit = self.builder.emit
        self.passing(node, scope, lambda _: emit(ir.Return(const(1))), node.value)
        emit(ir.Return(const(0)))

    def _all(self, node: model.Quantifier, scope: Scope) -> None:
        emit = self.builder.emit
        held = self._value_of(node)

        def test(inner: Scope) -> None:
            condition = self.compiler.value(held, inner)
            emit(ir.If(ir.Not(condition), (ir.Return(const(0)),)))

        self.passing(node, scope, test)
        emit(ir.Return(const(1)))

    def _sum(self, node: model.Quantifier, scope: Scope) -> None:
        emit = self.builder.emit
        value = self._value_of(node)
        total = self.builder.keep("total", const(0))

        def add(inner: Scope) -> None:
            more = self.compiler.sure(value, inner)
            emit(ir.Assign(total.name, plus(total, more)))

        self.passing(node, scope, add)
        low, high = interval(self.builder, value)
        many = 1
        for clause in node.clauses:
            many *= max(1, self.collections.most(clause.source))
        whole: Value = total
        if low * many < LEAST or high * many > MOST:
            whole = ir.Checked(total, LEAST, MOST, self.builder.fresh("t"))
        emit(ir.Return(whole))

    def _packing(self, node: model.Quantifier, scope: Scope) -> None:
        packing(self.compiler, self.collections, self.passing, node, scope)

    def _extreme(self, node: model.Quantifier, scope: Scope) -> None:
        emit = self.builder.emit
        value = self._value_of(node)
        best = self.builder.keep("best", const(None))
        better = ">" if node.word == "max" else "<"

        def compare(inner: Scope) -> None:
            one = self.builder.keep("v", self.compiler.sure(value, inner))
            first = binary("==", best, ir.NONE)
            wins = ir.Either(first, binary(better, one, best))
            emit(ir.If(wins, (ir.Assign(best.name, one),)))

        self.passing(node, scope, compare)
        emit(ir.Return(ir.Checked(best, LEAST, MOST, self.builder.fresh("t"))))

    def _first(self, node: model.Quantifier, scope: Scope) -> None:
        emit = self.builder.emit
        value = self._value_of(node)

        def take(inner: Scope) -> None:
            found = self.compiler.value(value, inner)
            if self.builder.may_be_none(value.type):
                found = self.builder.keep("v", found)
                emit(ir.If(binary("!=", found, ir.NONE), (ir.Return(found),)))
            else:
                emit(ir.Return(found))

        self.passing(node, scope, take)
        emit(ir.Return(const(None)))

    def _last(self, node: model.Quantifier, scope: Scope) -> None:
        emit = self.builder.emit
        value = self._value_of(node)
        last = self.builder.keep("last", const(None))

        def take(inner: Scope) -> None:
            one = self.compiler.value(value, inner)
            emit(ir.Assign(last.name, ir.OrElse(one, last, self.builder.fresh("t"))))

        self.passing(node, scope, take)
        emit(ir.Return(last))

    def _best(self, node: model.Quantifier, scope: Scope) -> None:
        emit = self.builder.emit
        value = self._value_of(node)
        highest = node.word == "highest"
        best, some = self.builder.keep("best", const(None)), self.builder.keep("some", const(0))
        bests = [self.builder.keep("key", const(0)) for _ in node.keys]

        def compare(inner: Scope) -> None:
            member = self.builder.keep("v", self.compiler.value(value, inner))
            keys = [self.builder.keep("k", self.compiler.sure(key, inner)) for key in node.keys]
            better: Value = const(0)
            for held, key in reversed(list(zip(bests, keys, strict=True))):
                wins = binary(">" if highest else "<", key, held)
                ties = ir.Both(binary("==", key, held), better)
                better = wins if better == const(0) else ir.Either(wins, ties)
            new = (
                ir.Assign(some.name, const(1)),
                ir.Assign(best.name, member),
                *(ir.Assign(held.name, key) for held, key in zip(bests, keys, strict=True)),
            )
            emit(ir.If(ir.Either(ir.Not(some), better), new))

        self.passing(node, scope, compare)
        emit(ir.Return(best))

    def _value_of(self, node: model.Quantifier) -> Expression:
        if node.value is None:
            raise Unsupported(f"`{node.word}` without a value")
        if node.word in _AMONG and self.builder.words(node.value.type) > 1:
            raise Unsupported(f"`{node.word}` among sets of more than {WORD} members")
        return node.value

    # -------------------------------------------------------------------------- collections

    def each(self, node: model.Quantifier, scope: Scope, body: Callable[[Value], None]) -> None:
        """A loop over what a word gives that gives a collection."""
        value = self._value_of(node)
        if node.word == "those":
            self.passing(node, scope, lambda inner: self._member(value, inner, body))
            return
        if node.word not in ("highest_few", "lowest_few", "all_highest", "all_lowest"):
            raise Unsupported(f"`{node.word}` as a collection")
        self._ranked(node, scope, value, body)

    def _member(self, value: Expression, scope: Scope, body: Callable[[Value], None]) -> None:
        found = self.compiler.value(value, scope)
        body(found if isinstance(found, ir.Var | ir.Const) else self.builder.keep("v", found))

    def _ranked(
        self,
        node: model.Quantifier,
        scope: Scope,
        value: Expression,
        body: Callable[[Value], None],
    ) -> None:
        builder, emit = self.builder, self.builder.emit
        number = None
        few = node.word.endswith("_few")
        if few:
            assert node.number is not None
            number = builder.keep("wanted", self.compiler.sure(node.number, scope))
        rows = builder.fresh("ranked")
        most = 1
        for clause in node.clauses:
            most *= max(1, self.collections.most(clause.source))
        emit(ir.NewRows(rows, len(node.keys) + 2, most))
        highest = "highest" in node.word

        def rank(inner: Scope) -> None:
            member = builder.keep("v", self.compiler.value(value, inner))
            keys = []
            for key in node.keys:
                found = self.compiler.sure(key, inner)
                keys.append(binary("-", const(0), found) if highest else found)
            emit(ir.Push(rows, (*keys, ir.Length(rows), member)))

        self.passing(node, scope, rank)
        # The third column but last keeps ties in the order in which they came.
        emit(ir.SortRows(rows))
        names = tuple(builder.fresh("k") for _ in node.keys)
        order, one = builder.fresh("n"), builder.fresh("m")
        firsts = [builder.fresh("best") for _ in node.keys]
        place = builder.fresh("place")
        emit(ir.Assign(place, const(0)), *(ir.Assign(first, const(0)) for first in firsts))
        with builder.block() as inner_body:
            if few:
                assert number is not None
                emit(ir.If(binary(">=", ir.Var(place), number), (ir.Break(),)))
            else:
                note = tuple(
                    ir.Assign(first, ir.Var(name))
                    for first, name in zip(firsts, names, strict=True)
                )
                emit(ir.If(binary("==", ir.Var(place), 0), note))
                for first, name in zip(firsts, names, strict=True):
                    emit(ir.If(binary("!=", ir.Var(name), ir.Var(first)), (ir.Break(),)))
            emit(ir.Assign(place, plus(ir.Var(place), 1)))
            body(ir.Var(one))
        emit(ir.EachRow((*names, order, one), rows, tuple(inner_body)))

    # ------------------------------------------------------------------------------ clauses

    def passing(
        self,
        node: model.Quantifier,
        scope: Scope,
        body: Callable[[Scope], None],
        also: Expression | None = None,
    ) -> None:
        """The loops of the clauses, with the registers bound; `also` must hold as well."""
        clauses = node.clauses
        counted = self.builder.counts(node)
        written = [[each] if (each := clause.condition) is not None else [] for clause in clauses]
        if also is not None:
            written[-1].append(also)
        asked = levels(
            self.builder.tables,
            [clause.register for clause in clauses],
            [clause.source for clause in clauses],
            [[], *written],
            not self.builder.exact,
        )

        def deeper(depth: int, inner: Scope) -> None:
            conditions = asked[depth]

            def inside() -> None:
                if depth == len(clauses):
                    body(inner)
                    return
                clause = clauses[depth]

                def member(one: Value) -> None:
                    self.builder.spend(counted)
                    deeper(depth + 1, {**inner, clause.register: one})

                leaves = node.word in ("any", "all", "first")
                each = self.collections.each_to_the_end if leaves else self.compiler.each
                each(clause.source, inner, member)

            if not conditions:
                inside()
                return
            values = [self.compiler.value(each, inner) for each in conditions]
            *before, whole = values
            for one in reversed(before):
                whole = ir.Both(one, whole)
            self.builder.when(whole, inside)

        deeper(0, scope)


def _is_member(value: Expression | None, clause: model.Clause) -> bool:
    """Whether a word takes the members of its clause as they are, if it takes a value at all."""
    if value is None:
        return True
    return isinstance(value, model.Register) and value.index == clause.register
