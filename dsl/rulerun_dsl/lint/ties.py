"""Points and winners that the order of seats decides.

Assumes: checked rules. Of several that are highest or lowest alike, the first counts.
Does: looks for `highest` and `lowest` over players in the scoring and in `end game won by`, with
the functions that they call.
Leaves behind: RR0726, unless what is compared tells all players apart, or a second thing is
compared where the first is equal: then the author has thought of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from rulerun_dsl import model as m
from rulerun_dsl import valuetypes as t
from rulerun_dsl.check import pieces, tree, walking
from rulerun_dsl.check.statements import Statements
from rulerun_dsl.check.typing import shorten
from rulerun_dsl.check.world import World
from rulerun_dsl.diagnostics import Diagnostic, problem
from rulerun_dsl.lint.sites import scores


def deciding_ties(rules: Statements) -> Iterator[Diagnostic]:
    """Report what gives points or the game to the first of several players who are equal."""
    world = rules.world
    roots = [(value, True) for value in scores(rules)]
    for routine in rules.routines.values():
        for node in walking.walk(routine.body) if routine.body is not None else ():
            match node:
                case tree.Leaf(instruction=m.EndGame(winner=m.Expression() as winner)):
                    roots.append((winner, False))
    seen: set[int] = set()
    for root, shared in roots:
        for found in _first_of_equals(world, root, seen):
            several = f"`all_{found.word}(…)` is all of them, " if shared else ""
            yield problem(
                "RR0726",
                f"of players who are equal, `{shorten(found.span.text)}` takes the first seat, "
                "and points or the game hang on it",
                found.span,
                help=f"say what a tie means: {several}"
                "a second thing to compare stands behind `then`",
            )


def _first_of_equals(world: World, node: m.Expression, seen: set[int]) -> Iterator[m.Quantifier]:
    for each in walking.parts(node):
        match each:
            case m.Quantifier(word="highest" | "lowest", keys=(key,), value=value) if (
                value is not None and isinstance(t.inner(value.type), t.Player)
            ):
                if not _tells_apart(world, key):
                    yield each
            case m.FunctionCall(function=function) if function not in seen:
                seen.add(function)
                body = world.functions[function].body
                if body is not None:
                    yield from _first_of_equals(world, body, seen)


def _tells_apart(world: World, key: m.Expression) -> bool:
    """Whether something compared is different for any two players.

    So are their seats and what is worked out from them, and what is printed on the cards that they
    hold if no two cards are alike in it.
    """
    for each in walking.parts(key):
        match each:
            case m.Register(type=t.Int()) | m.Local(type=t.Int()):
                return True
            case m.Lookup(values=values, indexes=(m.RowOf(kind=kind),)):
                copies = pieces.kind(world, kind).copies
                if len(set(values)) == len(values) and sum(copies) == len(values):
                    return True
    return False
