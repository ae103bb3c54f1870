"""Points and winners that the order of seats decides.

Assumes: checked rules. Of several that are equally high or low, the first counts.
Does: looks for `highest` and `lowest` over players in the scoring and in `end game won by`, in the
functions that they call, and in what is stored in the players that these read.
Leaves behind: RR0726, except where the compared value tells all players apart, or a second value
breaks ties: then the author has thought of it. Where a condition picks the players and the outcome
is kept, there is no finding either: who followed suit with what often differs between all players.
"""

from __future__ import annotations

from collections.abc import Iterator

from rulerun_dsl import model as m
from rulerun_dsl.check.env import component_kinds
from rulerun_dsl.check.env.typing import shorten
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.stmt import tree, walking
from rulerun_dsl.check.stmt.rule_checker import RuleChecker
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, problem
from rulerun_dsl.lint.places import scores
from rulerun_dsl.model import valuetypes as t


def deciding_ties(rules: RuleChecker) -> Iterator[Diagnostic]:
    """Report what gives points or the game to the first of several players who are equal."""
    world = rules.world
    roots = [(value, True, False) for value in scores(rules)]
    for routine in rules.routines.values():
        for node in walking.within(routine):
            match node:
                case tree.Leaf(instruction=m.EndGame(winner=m.Expression() as winner)):
                    roots.append((winner, False, False))
    seen: set[int] = set()
    stored = _stored(rules)
    reached: set[str | int] = set()
    for root, shared, is_kept in roots:
        for name in sorted(_names(world, root, set()) - reached, key=str):
            reached.add(name)
            # What is kept is one player, so that `all_highest` is not the way out there.
            roots += [(value, False, True) for value in stored.get(name, ())]
        for found in _first_of_equals(world, root, seen):
            if is_kept and any(each.condition is not None for each in found.clauses):
                continue
            several = f"`all_{found.word}(…)` is all of them, " if shared else ""
            yield problem(
                "RR0726",
                f"of players who are equal, `{shorten(found.span.text)}` takes the first seat, "
                "and points or the game hang on it",
                found.span,
                help=f"say what a tie means: {several}"
                "a second thing to compare stands behind `then`",
            )


def _stored(rules: RuleChecker) -> dict[str | int, list[m.Expression]]:
    """What is stored in variables and locals that hold a player, by their name or slot."""
    found: dict[str | int, list[m.Expression]] = {}
    for routine in rules.routines.values():
        for node in walking.within(routine):
            match node:
                case tree.Leaf(instruction=m.Store(target=target, value=value)):
                    if isinstance(target, m.Variable | m.Local) and _is_player(target):
                        name: str | int
                        name = target.name if isinstance(target, m.Variable) else target.offset
                        found.setdefault(name, []).append(value)
    return found


def _is_player(node: m.Expression) -> bool:
    return isinstance(t.bare(node.type), t.Player)


def _names(world: World, node: m.Expression, seen: set[int]) -> set[str | int]:
    """The variables and locals that hold a player and that an expression reads."""
    found: set[str | int] = set()
    for each in walking.parts(node):
        match each:
            case m.Variable(name=name) if _is_player(each):
                found.add(name)
            case m.Local(offset=offset) if _is_player(each):
                found.add(offset)
            case m.FunctionCall(function=function) if function not in seen:
                seen.add(function)
                body = world.functions[function].body
                if body is not None:
                    found |= _names(world, body, seen)
    return found


def _first_of_equals(world: World, node: m.Expression, seen: set[int]) -> Iterator[m.Quantifier]:
    for each in walking.parts(node):
        match each:
            case m.Quantifier(word="highest" | "lowest", keys=(key,), value=value) if (
                value is not None and isinstance(t.bare(value.type), t.Player)
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
                copies = component_kinds.kind(world, kind).copies
                if len(set(values)) == len(values) and sum(copies) == len(values):
                    return True
    return False
