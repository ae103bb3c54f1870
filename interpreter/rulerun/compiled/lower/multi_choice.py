"""What a choice of several alike components chose, lowered: a loop over the members.

Assumes: a local or a register of the type `Multiset`, which holds the place of what was chosen in
its parameter's domain.
Does: finds the members again among those that the choice was made from, the first of each class, as
`rulerun.reference.multi_choice` does. One that has left since is a rule error.
Leaves behind: statements in the block that is written.
"""

from __future__ import annotations

from collections.abc import Callable

from rulerun.compiled import ir
from rulerun.compiled.ir.program import Unsupported
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.builder import Chosen, Scope, binary, const, plus
from rulerun.compiled.lower.compiler import Compiler
from rulerun.compiled.lower.components import Body
from rulerun_dsl import model
from rulerun_dsl.model import Expression
from rulerun_dsl.model.valuetypes import Multiset, bare


class MultiChoice:
    """The choices of several of one game."""

    def __init__(self, compiler: Compiler, most: Callable[[Expression], int]) -> None:
        """Lower the parts with `compiler`; no more than `most` members are in a collection."""
        self.compiler = compiler
        self.builder = compiler.builder
        self.components = compiler.components
        self.most = most

    def each(self, node: Expression, scope: Scope, body: Body) -> None:
        """A loop over what the value of a node chose."""
        match node:
            case model.Local():
                self._local(node, scope, body)
            case model.NotNone(operand=operand):
                value = ir.Slot(self._slot_of(operand))
                self.builder.emit(ir.If(binary("<", value, 0), (ir.Fail(),)))
                self.each(operand, scope, body)
            case model.Register(index=index):
                self.members(scope[index], scope, body)
            case _:
                raise Unsupported(f"the members of {type(node).__name__}")

    def _slot_of(self, node: Expression) -> Value:
        if isinstance(node, model.Local):
            return self.builder.local(node.offset)
        raise Unsupported("what was chosen, other than by name")

    def _local(self, node: model.Local, scope: Scope, body: Body) -> None:
        found = self.builder.option_of.get((node.offset, node.name))
        if found is None:
            return
        option, at = found
        earlier: dict[int, Value | Chosen] = {}
        for binder in option.binders[:at]:
            if isinstance(bare(binder.local.type), Multiset):
                slot = ir.Slot(self.builder.local(binder.local.offset))
                earlier[binder.register] = Chosen(slot, option, option.binders.index(binder))
            else:
                earlier[binder.register] = self.compiler.value(binder.local, scope)
        place = self.builder.keep("place", ir.Slot(self.builder.local(node.offset)))
        self.members(Chosen(place, option, at), {**scope, **earlier}, body)

    def members(self, chosen: object, scope: Scope, body: Body) -> None:
        """A loop over what a choice of several alike components chose."""
        if not isinstance(chosen, Chosen):
            raise Unsupported("a register that holds no choice of several")
        binder = chosen.option.binders[chosen.binder]
        actions = self.builder.game.actions
        domain = actions[chosen.option.action].parameters[chosen.binder]
        element = domain.element
        assert element is not None
        table = self.builder.lists(f"{binder.name}_sets", domain.multisets)
        name = self.builder.fresh("m")
        emit = self.builder.emit
        # Of each class that was chosen, the first ones that lie there.
        there = self.builder.fresh("there")
        emit(ir.NewRows(there, 2, max(1, self.most(binder.source))))

        def push(one: Value) -> None:
            place = self.components.placed(element, one)
            emit(ir.Push(there, (place, one)))

        self.compiler.each(binder.source, scope, push)
        used = self.builder.keep("used", const(0))
        last = self.builder.keep("last", const(-1))
        skip = self.builder.fresh("skip")
        got = self.builder.fresh("got")
        at, one = self.builder.fresh("p"), self.builder.fresh("m")
        with self.builder.block() as inner:
            emit(
                ir.If(
                    binary("==", ir.Var(name), last),
                    (ir.Assign(used.name, plus(used, 1)),),
                    (ir.Assign(used.name, const(0)), ir.Assign(last.name, ir.Var(name))),
                ),
                ir.Assign(skip, used),
                ir.Assign(got, const(ir.NONE)),
                ir.EachRow(
                    (at, one),
                    there,
                    (
                        ir.If(
                            binary("==", ir.Var(at), ir.Var(name)),
                            (
                                ir.If(
                                    binary("==", ir.Var(skip), 0),
                                    (ir.Assign(got, ir.Var(one)), ir.Break()),
                                ),
                                ir.Assign(skip, plus(ir.Var(skip), -1)),
                            ),
                        ),
                    ),
                ),
                ir.If(binary("==", ir.Var(got), ir.NONE), (ir.Fail(),)),
            )
            body(ir.Var(got))
        emit(ir.Each(name, table, chosen.place, tuple(inner)))
