"""What a name means: a local, a member of the type that is wanted, a declared name, any member.

Assumes: a world, and the names bound around the place (`elaborate.Scope`).
Does: looks a name up in the order that the reference gives (types, *What a name means*).
Leaves behind: the expression it stands for; a name that means nothing is reported, with a
suggestion where one is close.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from rulerun_dsl import model as m
from rulerun_dsl.check.env import (
    board_sites,
    boards,
    component_kinds,
    constants,
    domains,
    facts,
    options,
    tabular,
)
from rulerun_dsl.check.env.typing import mismatch, unknown
from rulerun_dsl.check.env.wording import named
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import calling, elaborate, families, points, undeclared
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.diagnostics.diagnostic import did_you_mean
from rulerun_dsl.diagnostics.fixes import Fix, rewrite
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.model.library import WORDS
from rulerun_dsl.source.frozen import replaced
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s


def name(
    world: World,
    scope: Scope,
    text: str,
    span: Span,
    expected: t.Type | None,
    many: bool,
) -> m.Expression:
    """Bind a name: a local, a member of the expected type, a declared name, any member."""
    if text in scope.names:
        return replaced(scope.names[text], span=span)
    if scope.visibility and text == "owner":
        return owner(world, scope, span, expected)
    if text in world.automata:
        return automaton(world, text, span)
    if isinstance(inside := t.bare(expected) if expected is not None else None, t.SetOf):
        # Where a set is wanted one member stands for the set of it.
        expected = inside.element
    if expected is not None and not many:
        inside, values = t.bare(expected), domains.named(world, expected)
        if text in values:
            facts.use(world, inside)
            return m.Literal(inside, span, values[text])
        if isinstance(inside, t.Site) and board_sites.is_removed(world, inside.board, text):
            return removed_site(inside, text, span)
    word = world.declared[text][0] if text in world.declared else None
    if word is not None:
        world.used.add(text)
    match word:
        case "option":
            return m.Setting(options.type_of(world, text), span, text)
        case "constant":
            return constant_value(world, text, span)
        case "variable" | "zone" | "table":
            return families.reference(world, scope, families.Family(word, text, (), span))
        case "function":
            node = s.Call(span, text, span, ())
            return calling.user_call(world, scope, node)
        case "board" | "kind" | "type":
            if word == "kind" and not many and only_kind(world, text):
                return elaborate.scalar(
                    world, m.OfKind(t.Collection(t.Component(text), False), span, text, None, None)
                )
            return domains.all_of(world, text, span)
        case "procedure" | "action" | "phase":
            world.report("RR0409", f"`{text}` is {named(word)}, not a value", span)
            return unknown(span)
    if text == "players":
        return domains.all_values(world, t.Player(), span)
    if text == "people":
        return domains.people(world, span)
    if text == "direction":
        type_ = facts.named_type(world, text, span)
        return (
            unknown(span)
            if isinstance(type_, t.Unknown)
            else (domains.all_values(world, type_, span))
        )
    if text in world.players:
        return m.Literal(t.Player(), span, world.players.index(text))
    return member(world, scope, text, span, expected, many)


def owner(world: World, scope: Scope, span: Span, expected: t.Type | None) -> m.Expression:
    """`owner` in `visible:`: the zone's player, and as a condition "the viewer is that player"."""
    if not scope.owned:
        world.report(
            "RR0405",
            "whose? this has no player among its indexes",
            span,
            help="write `all`, `none` or a condition",
        )
        return unknown(span)
    whose = m.Register(t.Player(), span, m.OWNER)
    if isinstance(expected, t.Player):
        return whose
    viewer = m.Register(t.Player(), span, m.VIEWER)
    return m.Comparison(t.Bool(), span, "==", viewer, whose)


def constant_value(world: World, name: str, span: Span) -> m.Expression:
    """A constant: its expression, by the number of players if it says so."""
    decl: declarations.ConstantDecl = world.by_kind["constant"][name]  # type: ignore[assignment]

    def make() -> m.Expression:
        if decl.value is not None:
            return elaborate.check(world, Scope(), decl.value)
        for count, value in decl.by_count:
            if count == world.people:
                return elaborate.check(world, Scope(), value)
        return unknown(decl.at.span)

    made = world.fact("constant", name, make, unknown(span))
    value = constants.value_of(world, made)
    if value is constants.NOT_CONSTANT:
        if not isinstance(made.type, t.Unknown):
            world.report("RR0504", f"`{name}` is not constant", decl.at.span)
        return unknown(span)
    assert value is None or isinstance(value, int)
    type_ = made.type
    if decl.by_count and isinstance(type_, t.Int):
        for _, other in decl.by_count:
            typed = elaborate.check(world, Scope(), other).type
            if isinstance(typed, t.Int):
                type_ = t.Int(min(type_.low, typed.low), max(type_.high, typed.high))
    return m.Literal(type_, span, value)


def automaton(world: World, text: str, span: Span) -> m.Expression:
    """An automa by its name: none while it does not play."""
    plays = text in world.players
    type_: t.Scalar = t.Player() if plays else t.Optional(t.Player())
    return m.Setting(type_, span, text)


def only_kind(world: World, kind: str) -> bool:
    """Is there just one component of this kind (`die`)."""
    made = component_kinds.kind(world, kind)
    return sum(made.copies) == 1 and not made.counted


def removed_site(type_: t.Site, text: str, span: Span) -> m.Expression:
    """A site that is not there under the settings: to use it all the same is a rule error."""
    return m.NotNone(type_, span, m.Literal(t.Optional(type_), span, None), text)


def member(
    world: World, scope: Scope, text: str, span: Span, expected: t.Type | None, many: bool
) -> m.Expression:
    """Bind a member of some enumeration, row of some kind, site of some board."""
    found: list[m.Expression] = [
        m.Literal(each, span, facts.places(world, each)[text])
        for each in domains.having(world, text)
    ]
    if not found and (board := board_sites.removed_from(world, text)) is not None:
        return removed_site(t.Site(board), text, span)
    kinds = {str(each.type) for each in found}
    for each in found:
        facts.use(world, each.type)
    if len(kinds) == 1:
        return found[0]
    if found:
        if isinstance(expected, t.Unknown):
            return unknown(span)
        if expected is not None:
            mismatch(world, span, expected, found[0].type)
            return unknown(span)
        world.report(
            "RR0408",
            f"`{text}` may be of {' or '.join(sorted(kinds))}: nothing here says which",
            span,
            help="use it where a type is expected: after `is`, in an index, as an argument",
        )
        return unknown(span)
    # Worked out only while there is guessing (see `World.guess`).
    known: Iterator[str] = chain(
        scope.names,
        world.declared,
        world.players,
        world.automata,
        ("players",),
        world.holders,
    )
    if text == "player" and many:
        there = "`player` is the type of one of them: all are `players`"
        fixes = rewrite(span, "players", safe=True)
        world.report("RR0409", there, span, help="write `players`", fixes=fixes)
        return unknown(span)
    if text in WORDS:
        world.report(
            "RR0409",
            f"`{text}` is a word of the library and needs its arguments: `{text}(…)`",
            span,
        )
        return unknown(span)
    if points.is_meant(world, scope, text) and world.outline.scoring.points:
        world.report("RR0409", "points are asked of a player: `points(p)`", span)
        return unknown(span)
    if text in world.doubtful:
        return unknown(span)
    if isinstance(expected, t.Player) and text in _EVERYBODY:
        help = "write `[p]`, and `for p in players` behind the statement; `all` is all at once"
        world.report("RR0402", f"there is no name `{text}`", span, help=help)
        return unknown(span)
    if (bound := _letter_beside(scope, text, expected)) is not None:
        hint = did_you_mean(span, text, bound, ())
        world.report("RR0402", f"there is no name `{text}`", span, **hint)
        return unknown(span)
    if isinstance(expected, t.Player) and scope.you is not None and len(text) < 3:
        # A letter stands for a player that nothing has bound, and is no misspelt name.
        if scope.line is not None:
            wanted = f"{scope.line.name}(player {text})"
            fixes = rewrite(scope.line.span, wanted, safe=True, title=f"write `{wanted}: …`")
            there = f"there is no name `{text}`"
            help = f"write `{wanted}: …`: the points are asked of each player"
            world.report("RR0402", there, span, help=help, fixes=fixes)
            return unknown(span)
        world.report(
            "RR0402",
            f"there is no name `{text}`",
            span,
            help="leave the index out for the one whose turn it is (`you`), or bind it: "
            f"`… for {text} in players`",
            fixes=_without_index(span),
        )
        return unknown(span)
    if scope.visibility and text.casefold() in _YES_OR_NO:
        # Who sees it is the question, and a wrong guess opens a hand.
        ways = _YES_OR_NO[text.casefold()]
        help = " or ".join(f"`{way}` {_SEEN[way]}" for way in ways)
        fixes = tuple(fix for way in ways for fix in rewrite(span, way, safe=False))
        message = f"`{text}` does not say who sees it"
        world.report("RR0402", message, span, help=f"write {help}", fixes=fixes)
        return unknown(span)
    members_wanted = facts.members(world, expected) if expected is not None else ()
    if world.guess(text, members_wanted) is not None:
        world.unknown(text, span, "name", members_wanted)
        return unknown(span)
    if scope.visibility and (who := _VIEWERS.get(text)) is not None:
        there = f"there is no name `{text}`"
        fixes = rewrite(span, who, safe=True)
        world.report("RR0402", there, span, help=f"write `{who}`", fixes=fixes)
        return unknown(span)
    if isinstance(expected, t.Unknown) or facts.has_nameless_rows(world, expected):
        return unknown(span)  # What it should be was reported.
    if owner_ := owner_of_column(world, scope, text):
        hint = did_you_mean(span, text, f"{owner_}.{text}", ())
        world.report("RR0402", f"there is no name `{text}`", span, **hint)
        return unknown(span)
    undeclared.report(world, scope, text, span, known, expected, many=many)
    return unknown(span)


_YES_OR_NO = {
    **dict.fromkeys(("yes", "true"), ("owner", "all")),
    **dict.fromkeys(("no", "false"), ("none", "owner")),
}
_SEEN = {"all": "if everybody sees it", "owner": "if its player does", "none": "if nobody does"}
_EVERYBODY = frozenset(("everyone", "everybody", "each", "every", "any", "each_player"))
_VIEWERS = {
    **dict.fromkeys(("private", "hidden", "secret", "mine", "own", "player", "self"), "owner"),
    **dict.fromkeys(("public", "everyone", "everybody", "shown", "open"), "all"),
    **dict.fromkeys(("nobody", "nothing", "face_down"), "none"),
}
"""What people write for who sees something."""


def _letter_beside(scope: Scope, text: str, expected: t.Type | None) -> str | None:
    """The one local of the type that is wanted which is a letter too: `laid[q]` for a player p."""
    if len(text) > 1 or not isinstance(expected, t.Scalar):
        return None
    wanted = t.bare(expected)
    fitting = [
        each for each, node in scope.names.items() if len(each) == 1 and t.bare(node.type) == wanted
    ]
    return fitting[0] if len(fitting) == 1 else None


def owner_of_column(world: World, scope: Scope, text: str) -> str | None:
    """The local that has an attribute of this name."""
    for name_, node in scope.names.items():
        inner = t.bare(node.type)
        known: Iterable[str] = ()
        match inner:
            case t.Component(kind):
                made = component_kinds.kind(world, kind)
                known = (*made.rows.columns, *made.attributes)
            case t.Row(kind):
                known = tabular.kind_rows(world, kind).columns
            case t.Site(board):
                known = boards.sites(world, board).columns
            case t.Enum(enum):
                known = tabular.enumeration(world, enum).columns
        if text in known:
            return name_
    return None


def _without_index(span: Span) -> tuple[Fix, ...]:
    """The fix that leaves out an index that stands alone in its brackets."""
    text = span.source.text
    if text[span.start - 1 : span.start] != "[" or text[span.end : span.end + 1] != "]":
        return ()
    return rewrite(
        span.source.span(span.start - 1, span.end + 1),
        "",
        safe=False,
        title="leave the index out",
    )
