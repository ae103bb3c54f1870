"""Which expressions can never be a rule error.

Assumes: checked expressions, so a value is what its type says.
Does: looks at each part. Where it is not plain, the answer is that it may fail.
Leaves behind: answers. Every executor works out the text of a question for the errors that it may
have, and for nothing else, so all of them leave out the same parts.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulerun.runtime.index import GameIndex
from rulerun_dsl import model
from rulerun_dsl.model import Expression
from rulerun_dsl.model.library import LIBRARY
from rulerun_dsl.model.traversal import parts
from rulerun_dsl.model.valuetypes import (
    Bool,
    Component,
    Direction,
    Enum,
    Int,
    Multiset,
    Optional,
    Order,
    Player,
    Row,
    SetOf,
    Site,
    Type,
    bare,
)


def never_fails(tables: GameIndex, node: Expression) -> bool:
    """Whether an expression can never be a rule error. Where it is not plain, the answer is no."""
    if not all(never_fails(tables, part) for part in parts(node)):
        return False
    match node:
        case model.Literal() | model.Register() | model.Running() | model.State():
            return True
        case model.RowOf() | model.OwnerOf() | model.SiteOf() | model.OfKind():
            return True
        case model.Not() | model.And() | model.Or() | model.Conditional():
            return True
        case model.Otherwise() | model.Contains() | model.Listed() | model.Joined():
            return True
        case model.Local():
            return not may_have_left(node)
        case model.Variable(name=name, indexes=indexes):
            variable = tables.variables[name].variable
            return _inside(tables, indexes, variable.lows, variable.sizes)
        case model.Members(zone=zone, indexes=indexes) | model.Occupant(zone=zone, indexes=indexes):
            family = tables.families[zone]
            return _inside(tables, indexes, family.lows, family.sizes)
        case model.Lookup():
            wholes = (len(node.values), *node.strides[:-1])
            sizes = [whole // stride for whole, stride in zip(wholes, node.strides, strict=True)]
            # An index that is none gives none.
            return _inside(tables, node.indexes, node.lows, sizes, none=True)
        case model.Comparison(operator=operator, left=left, right=right):
            return operator in ("==", "!=") or not (
                isinstance(left.type, Optional) or isinstance(right.type, Optional)
            )
        case model.FunctionCall(function=function):
            return never_fails(tables, tables.game.functions[function].body)
        case model.Quantifier(word=word) | model.BuiltinCall(word=word):
            return not LIBRARY[word].can_fail
        case model.Values(low=low, high=high):
            return isinstance(low, model.Literal) and isinstance(high, model.Literal)
        case model.Unpacked(operand=operand):
            return isinstance(bare(operand.type), SetOf | Order)
        case _:  # in doubt it may fail
            return False


def may_have_left(name: model.Local) -> bool:
    """Whether a name is that of something that may have left: a rule error for who asks for it."""
    return isinstance(bare(name.type), Component | Multiset)


def _inside(
    tables: GameIndex,
    indexes: Sequence[Expression | None],
    lows: Sequence[int],
    sizes: Sequence[int],
    none: bool = False,
) -> bool:
    """Whether indexes always name one of a family: by the names of their types, not by numbers."""
    for index, low, size in zip(indexes, lows, sizes, strict=True):
        if index is None:
            continue
        if isinstance(index.type, Optional) and not none:
            return False
        type_: Type = bare(index.type)
        if not isinstance(type_, Bool | Player | Enum | Row | Site | Direction | Int):
            return False
        lowest, highest = tables.bounds(type_)
        if isinstance(type_, Int):
            if not isinstance(index, model.Literal) or index.value is None:
                return False
            lowest = highest = index.value
        if lowest < low or highest >= low + size:
            return False
    return True
