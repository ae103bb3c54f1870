"""Values joined by `or`, as a sentence has them: `suit is (fox or owl)`.

Assumes: a side of a comparison, a value, or who is shown something, which may be such an `or`.
Does: tells an `or` of values from one of conditions, by the type that is wanted and by their own.
Leaves behind: a finding with what to write: all of it once more for each, or `otherwise` where one
value is wanted.
"""

from __future__ import annotations

from itertools import pairwise

from rulerun_dsl import model as m
from rulerun_dsl.check.env.typing import describe, join, shorten
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import elaborate, visibility
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.diagnostics.fixes import Fix, rewrite, sign_between
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.syntax import expressions as s

_VALUES = (
    s.Name | s.Call | s.Attribute | s.Index | s.RuleCall | s.Number | s.The | s.You | s.Nothing
)
"""What need not be a condition."""


def values(
    world: World, scope: Scope, node: s.Expression, expected: t.Type | None
) -> list[m.Expression]:
    """The values of an `or` that joins no conditions; empty if it is none."""
    if not isinstance(node, s.Logic) or node.operator != "or":
        return []
    if isinstance(expected, t.Bool | t.Unknown):
        return []
    if not all(isinstance(each, _VALUES) for each in node.operands):
        return []
    found = []
    for each in node.operands:
        found.append(elaborate.single(world, scope, each, expected))
        type_ = t.bare(found[-1].type)
        if isinstance(type_, t.Bool | t.Unknown):
            return []
        if isinstance(type_, t.Collection | t.Zone):
            continue
        if isinstance(expected, t.Scalar) and join(expected, type_) is None:
            return []
        if expected is None or isinstance(expected, t.NoneType):
            expected = type_
    return found


def report(world: World, scope: Scope, node: s.Logic, expected: t.Type | None) -> bool:
    """Report `first(a) or first(b)`, the second for when the first is none: that is `otherwise`."""
    # Who sees something is a condition, also where a name stands for it.
    found = [] if scope.visibility else values(world, scope, node, expected)
    if not found or any(isinstance(t.bare(each.type), t.Collection | t.Zone) for each in found):
        return False
    spans = [each.span for each in node.operands]
    places = [
        fix.edits
        for one, other in pairwise(spans)
        for fix in sign_between(one, other, "or", "otherwise", safe=False)
    ]
    edits = tuple(edit for each in places for edit in each)
    fixes: tuple[Fix, ...] = ()
    help = "say when it is which: `A if … else B`"
    if isinstance(found[0].type, t.Optional):
        help = "write `otherwise` for the second choice, which counts where the first is none"
        if len(edits) == len(spans) - 1:
            fixes = (Fix("write `otherwise`", edits, safe=False),)
    refuse(world, node, found[0], help, fixes)
    return True


def refuse(
    world: World,
    node: s.Expression,
    first: m.Expression,
    help: str,
    fixes: tuple[Fix, ...] = (),
) -> None:
    """Report an `or` between values, of which the first is given."""
    what = f"`{shorten(first.span.text)}` is {describe(world, first.type)}"
    world.report("RR0501", f"`or` joins conditions, and {what}", node.span, help=help, fixes=fixes)


def compared(world: World, scope: Scope, node: s.Compare | s.Is | s.Membership) -> bool:
    """Report `c.suit is (fox or owl)`: it is compared with each by itself."""
    either, other = node.right, node.left
    if not isinstance(either, s.Logic):
        either, other = other, either
        if not isinstance(either, s.Logic):
            return False
    mark = len(world.diagnostics)
    wanted = None
    if other is node.left:
        # In `visible:`, `owner` is here that player, and no condition.
        whose = t.Player() if scope.visibility and visibility.is_owner(other) else None
        wanted = t.bare(elaborate.single(world, scope, other, whose).type)
    found = values(world, scope, either, wanted)
    world.forget(mark, node.span)
    if not found:
        return False
    several = isinstance(found[0].type, t.Collection | t.Zone)
    texts, beside = [shorten(each.span.text) for each in either.operands], shorten(other.span.text)
    fixes: tuple[Fix, ...] = ()
    if isinstance(node, s.Membership) and either is node.right and not several:
        members = ", ".join(each.span.text for each in either.operands)
        fixes = rewrite(either.span, f"({members})", safe=False)
        help = f"write a list: `{beside} {sign(world, scope, node, other)} ({', '.join(texts)})`"
    else:
        if either is node.right:
            word = " and " if _is_negated(node) else " or "
            signs = [sign(world, scope, node, each) for each in either.operands]
            parts = [
                f"{beside} {between} {text}" for between, text in zip(signs, texts, strict=True)
            ]
        else:
            word, between = " or ", sign(world, scope, node, other)
            parts = [f"{text} {between} {beside}" for text in texts]
        help = f"say the whole again: `{word.join(parts)}`"
    refuse(world, either, found[0], help, fixes)
    return True


def sign(
    world: World, scope: Scope, node: s.Compare | s.Is | s.Membership, right: s.Expression
) -> str:
    """What stands between two values that are compared like this."""
    no = _is_negated(node)
    if isinstance(node, s.Membership):
        return "not in" if no else "in"
    if isinstance(node, s.Compare) and node.operator not in ("==", "!="):
        return node.operator
    is_name = isinstance(right, s.Nothing) or (
        isinstance(right, s.Name)
        and right.text not in scope.names
        and right.text not in world.declared
    )
    if is_name:
        return "is not" if no else "is"
    return "!=" if no else "=="


def _is_negated(node: s.Compare | s.Is | s.Membership) -> bool:
    return node.operator == "!=" if isinstance(node, s.Compare) else node.negated
