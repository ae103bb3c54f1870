"""Membership, lowered: whether a value is in a collection, a collection as a set, its nth member.

Assumes: nodes of the model that ask it of a collection or of a set that is stored.
Does: asks a stored set, or a short list of constants, without a loop; anything else goes through a
loop over the members, in a function of the registers that it reads.
Leaves behind: values; functions of the program.
"""

from __future__ import annotations

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import PASSED
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.builder import Scope, binary, const, is_set, plus
from rulerun.compiled.lower.collections import Collections
from rulerun.compiled.lower.compiler import Compiler
from rulerun_dsl import model
from rulerun_dsl.model import Expression
from rulerun_dsl.model.valuetypes import WORD, SetOf, bare


class Membership:
    """What is asked of the members of collections, in one game."""

    def __init__(self, compiler: Compiler, collections: Collections) -> None:
        """Lower the parts with `compiler`."""
        self.compiler = compiler
        self.builder = compiler.builder
        self.collections = collections

    def contains(self, node: model.Contains, scope: Scope) -> Value:
        collection = node.collection
        value = self.compiler.value(node.value, scope)
        if isinstance(collection, model.Unpacked) and is_set(collection.operand.type):
            return self._in_set(node, collection, value, scope)
        if isinstance(collection, model.Listed) and all(
            not self.builder.may_be_none(item.type) for item in collection.items
        ):
            items = [self.compiler.value(item, scope) for item in collection.items]
            if all(isinstance(item, ir.Const) for item in items) and isinstance(
                value, ir.Var | ir.Slot
            ):
                found: Value | None = None
                for item in reversed(items):
                    here = binary("==", value, item)
                    found = here if found is None else ir.Either(here, found)
                return const(0) if found is None else found

        def write(inner: Scope, sought: Value) -> None:
            emit = self.builder.emit

            # None is in nothing, not even where a member is none.
            maybe = self.builder.may_be_none(node.value.type)
            maybe = maybe and self.builder.may_be_none(self.collections.element(collection))

            def test(member: Value) -> None:
                same: Value = binary("==", sought, member)
                if maybe:
                    same = ir.Both(binary("!=", sought, ir.NONE), same)
                emit(ir.If(same, (ir.Return(ir.Const(1)),)))

            self.collections.each_to_the_end(collection, inner, test)
            emit(ir.Return(ir.Const(0)))

        return self.compiler.as_function(collection, scope, "contains", write, ((PASSED, value),))

    def _in_set(
        self, node: model.Contains, collection: model.Unpacked, value: Value, scope: Scope
    ) -> Value:
        type_ = bare(collection.operand.type)
        assert isinstance(type_, SetOf)
        low, high = self.builder.tables.members(type_)
        held = self.compiler.value(collection.operand, scope)
        if self.builder.may_be_none(collection.operand.type):
            held = ir.OrElse(held, ir.Const(0), self.builder.fresh("t"))
        least, most = (
            (value.value, value.value)
            if isinstance(value, ir.Const)
            else self.builder.bounds(node.value.type)
        )
        if not self.builder.may_be_none(node.value.type) and low <= least and most <= high:
            return binary("&", binary(">>", held, plus(value, -low)), 1)
        name = self.builder.fresh("t")
        var = ir.Var(name)
        bit = binary("&", binary(">>", held, plus(var, -low)), 1)
        inside = ir.Both(binary(">=", var, low), binary("<=", var, high))
        # None lies below everything.
        return ir.Both(
            binary("!=", ir.Maybe(value, ir.Select(inside, bit, ir.Const(0)), name), ir.NONE),
            ir.Maybe(value, ir.Select(inside, bit, ir.Const(0)), name),
        )

    def packed(self, node: model.BuiltinCall, scope: Scope) -> Value:
        assert isinstance(node.type, SetOf)
        (members,) = node.arguments
        return self.mask(members, scope, node.type)

    def mask(self, node: Expression, scope: Scope, type_: SetOf) -> Value:
        """A collection as a set of a type."""
        low, high = self.builder.tables.members(type_)
        self.builder.wide |= high - low >= WORD

        def write(inner: Scope) -> None:
            mask = self.builder.keep_set("mask", const(0), high - low + 1)

            def put(member: Value) -> None:
                bit = binary("<<", ir.Const(1), plus(member, -low))
                self.builder.emit(ir.Assign(mask.name, binary("|", mask, bit)))

            def add(member: Value) -> None:
                if type_.part is None:
                    put(self.builder.checked(member, self.collections.element(node), low, high))
                    return
                inside = ir.Both(binary(">=", member, low), binary("<=", member, high))
                self.builder.when(inside, lambda: put(member))

            self.compiler.each(node, inner, add)
            self.builder.emit(ir.Return(mask))

        word = "set" if type_.part is None else f"set_{type_.part}"
        return self.compiler.as_function(node, scope, word, write)

    def at(self, node: model.BuiltinCall, scope: Scope) -> Value:
        whole, place = node.arguments

        def write(inner: Scope, sought: Value) -> None:
            emit = self.builder.emit
            n = self.builder.keep("n", const(0))

            def test(member: Value) -> None:
                emit(ir.Assign(n.name, plus(n, 1)))
                emit(ir.If(binary("==", sought, n), (ir.Return(member),)))

            self.compiler.each(whole, inner, test)
            emit(ir.Fail())

        return self.compiler.as_function(
            whole, scope, "member", write, ((PASSED, self.compiler.value(place, scope)),)
        )
