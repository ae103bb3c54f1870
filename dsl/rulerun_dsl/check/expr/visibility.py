"""Who sees what: the `visible:` and `count:` of zones and variables as expressions.

They read the registers `viewer` and `owner` (the player index of what is seen) and, beside them,
only what everybody sees. Leaving `visible:` out where no written default stands is an error.
"""

from __future__ import annotations

from collections.abc import Mapping

from rulerun_dsl import model as m
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import elaborate
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.diagnostics.fixes import rewrite
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s


def visibility_scope(owned: bool, names: Mapping[str, m.Expression] | None = None) -> Scope:
    """The scope of a `visible:` text."""
    return Scope(names or {}, None, None, visibility=True, owned=owned)


def visible(
    world: World,
    decl: declarations.ZoneDecl | declarations.VariableDecl,
    indexes: tuple[t.Scalar, ...],
    what: str,
) -> m.Expression:
    """Who sees a zone or variable."""
    owned = any(isinstance(index, t.Player) for index in indexes)
    node = decl.visible_here if decl.visible_here is not None else decl.at.visible
    if node is None:
        world.report(
            "RR0601",
            f"nothing says who sees the {what} `{decl.at.name}`",
            decl.at.span,
            help="write `visible: all`, `owner`, `none` or a condition; "
            "once at the head of the section it is the default of all in it",
        )
        return m.Literal(t.Bool(), decl.at.span, 0)
    if not owned and is_owner(node):
        name = decl.at.name
        world.report(
            "RR0405",
            f"`{name}` belongs to nobody: it has no player among its indexes",
            node.span,
            help=f"write `{name}[player]: …` if each player has one; else `all`, `none` or "
            "a condition",
            fixes=rewrite(decl.at.span, f"{name}[player]", safe=False)
            if decl.at.span.text == name
            else (),
        )
        return m.Literal(t.Bool(), node.span, 0)
    return read(world, node, owned)


def is_owner(node: s.Expression | None) -> bool:
    """Whether this is `visible: owner`, which wants a player among the indexes."""
    return isinstance(node, s.Name) and node.text == "owner"


def read(world: World, node: s.Expression, owned: bool) -> m.Expression:
    """Type a `visible:` text."""
    scope = visibility_scope(owned)
    return elaborate.condition(world, scope, node)


def count_visible(
    world: World, decl: declarations.ZoneDecl, indexes: tuple[t.Scalar, ...]
) -> m.Expression:
    """Who sees how many lie in a zone: everybody, unless it says otherwise."""
    owned = any(isinstance(index, t.Player) for index in indexes)
    if decl.count is None:
        return m.Literal(t.Bool(), decl.at.span, 1)
    return read(world, decl.count, owned)
