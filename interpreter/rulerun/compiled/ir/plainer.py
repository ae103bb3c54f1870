"""Statements over masks, without what is needless.

Assumes: a block of `Assign`, `If` without another branch and `Return`, in which every mask of
members is none of them where there is nobody.
Does: leaves out names that nobody asks for and questions behind which nothing is done; a mask that
is gathered from one place is that place's.
Leaves behind: a block that returns the same.
"""

from __future__ import annotations

from collections.abc import Mapping

from rulerun.compiled import ir
from rulerun.compiled.ir.passes import inside_out, substituted, variables
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.ir.value import Value


def plainer(body: Body) -> Body:
    """The same statements, fewer."""
    while True:
        needed = _without_needless(body)
        given: dict[str, int] = {}
        for statement in ir.all_statements(needed):
            if isinstance(statement, ir.Assign):
                given[statement.name] = given.get(statement.name, 0) + 1
        renamed: dict[str, Value] = {}
        changed = _plainer(needed, given, renamed)
        if renamed:
            changed = substituted(changed, renamed)
        if changed == body:
            return body
        body = changed


def _plainer(body: Body, given: Mapping[str, int], renamed: dict[str, Value]) -> Body:
    found: list[Statement | None] = []
    begun: dict[str, int] = {}
    for statement in body:
        match statement:
            case ir.If(condition, (ir.Assign(name, value) as only,), ()) if value == ir.Binary(
                "|", ir.Var(name), condition
            ):
                statement = only
            case ir.If(condition, then, ()):
                statement = ir.If(condition, _plainer(then, given, renamed), ())
        match statement:
            case ir.Assign(name, ir.Const(0)) if given[name] == 2:
                begun[name] = len(found)
            case ir.Assign(name, ir.Binary("|", ir.Var(same), value)) if (
                name == same and name in begun
            ):
                found[begun.pop(name)] = None
                found.append(ir.Assign(name, value))
                continue
            case ir.Assign(name, ir.Var() as other) if given[name] == given.get(other.name, 1) == 1:
                # The other may have another name by now itself.
                renamed[name] = renamed.get(other.name, other)
                continue
        found.append(statement)
    return tuple(each for each in found if each is not None)


def _without_needless(body: Body) -> Body:
    """Statements without those that give a name to what nobody asks for."""
    asked: set[str] = set()
    for statement in ir.all_statements(body):
        match statement:
            case ir.Assign(name, value):
                asked |= variables(value) - {name}
            case ir.If(condition) | ir.Return(condition):
                asked |= variables(condition)

    def change(statement: Statement) -> Body:
        match statement:
            case ir.Assign(name) if name not in asked:
                return ()
            case ir.If(_, (), ()):
                return ()
            case _:
                return (statement,)

    return inside_out(body, change)
