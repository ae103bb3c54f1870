"""Conditions taken apart, so that each part is asked as soon as everything it reads is bound.

Assumes: checked expressions, so a value is what its type says.
Does: splits a conjunction into its parts, in their order, through calls of functions that are
nothing but a conjunction; tells which collections can be a rule error only before their first
member.
Leaves behind: parts that all hold if and only if the whole does. The reference asks a condition
where the rules say (`reads.bound`, and behind its clause in a word of the library). A part that can
never fail may be asked before that: nobody sees a difference, except that false is found sooner.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from rulerun.analysis.failing import may_have_left, never_fails
from rulerun.analysis.reads import bound, conjuncts
from rulerun.runtime.index import GameIndex
from rulerun_dsl import model
from rulerun_dsl.model import Expression, Game
from rulerun_dsl.model.library import LIBRARY
from rulerun_dsl.model.traversal import with_parts
from rulerun_dsl.model.valuetypes import Order, SetOf, bare
from rulerun_dsl.source.frozen import frozen


@frozen
class Part:
    """A part of conditions that must all hold."""

    node: Expression
    whole: Expression
    """What it is a part of: itself, or the call of a function that was opened for it."""


def _split(game: Game, conditions: Iterable[Expression]) -> Iterator[Part]:
    """The parts of conditions that must all hold, in their order."""
    for condition in conjuncts(conditions):
        opened = _opened(game, condition)
        if len(opened) == 1:
            yield _whole(condition)
        else:
            yield from (Part(node, condition) for node in opened)


def _opened(game: Game, node: Expression) -> list[Expression]:
    """The parts of a function's conjunction, with the arguments of a call in their places."""
    if not isinstance(node, model.FunctionCall) or not all(map(_simple, node.arguments)):
        return [node]
    function = game.functions[node.function]
    if not isinstance(function.body, model.And):
        return [node]
    given = dict(zip(function.parameters, node.arguments, strict=True))
    found = []
    for operand in conjuncts([function.body]):
        found += _opened(game, _put(operand, given))
    return found


def _simple(node: Expression) -> bool:
    """Whether an argument may as well be evaluated at each place where it stands."""
    match node:
        case model.Literal() | model.Register():
            return True
        case model.Variable(indexes=indexes):
            return not indexes
        case model.Local():
            return not may_have_left(node)
        case _:  # anything else is work, or may fail
            return False


def _put(node: Expression, given: Mapping[int, Expression]) -> Expression:
    """An expression with arguments for parameters. Each keeps the parameter's place in the file."""
    if isinstance(node, model.Register):
        argument = given.get(node.index)
        return node if argument is None else replace(argument, span=node.span)
    return with_parts(node, lambda part: _put(part, given))


# ----------------------------------------------------------------------------------- how early


def levels(
    tables: GameIndex,
    registers: Sequence[int],
    sources: Sequence[Expression],
    conditions: Sequence[Sequence[Expression]],
    early: bool,
) -> list[list[Expression]]:
    """By how many binders are bound: the conditions to ask then.

    `sources` are what the binders range over; `conditions[n]` stand behind the n-th binder, as the
    rules are written. No condition is asked before one that stands before it. Where what is asked
    is counted, none is asked `early`, and the count is the reference's.
    """
    game = tables.game
    found: list[list[Expression]] = [[] for _ in range(len(registers) + 1)]
    least = 0
    for written, some in enumerate(conditions):
        for part in _split(game, some) if early else map(_whole, conjuncts(some)):
            late = max(least, written, bound(game, registers, part.whole))
            depth = max(least, bound(game, registers, part.node))
            if depth < late and not (
                early
                and never_fails(tables, part.node)
                and all(never_fails(tables, source) for source in sources[depth:late])
            ):
                depth = late
            found[depth].append(part.node)
            least = depth
    return found


def _whole(node: Expression) -> Part:
    return Part(node, node)


# ---------------------------------------------------------------------------------- never fails


def fails_at_once(tables: GameIndex, node: Expression) -> bool:
    """Whether listing a collection can be a rule error only before its first member is there.

    So whoever needs only some of the members may list no more of them.
    """
    match node:
        case model.Values() | model.Clockwise() | model.Members() | model.OfKind():
            return True
        case model.Unpacked(operand=operand):
            return isinstance(bare(operand.type), SetOf | Order)
        case model.BuiltinCall(
            word=word, clause=model.Clause(source=source, condition=condition)
        ) if not LIBRARY[word].searches:
            return fails_at_once(tables, source) and (
                condition is None or never_fails(tables, condition)
            )
        case model.BuiltinCall():
            # It has looked at the whole before it gives the first member.
            return True
        case model.Quantifier(word="those", clauses=(clause,), value=value):
            inner = [each for each in (clause.condition, value) if each is not None]
            return fails_at_once(tables, clause.source) and _none_fails(tables, inner)
        case model.Quantifier(word=word) if word != "those":
            # So has this, for it compares.
            return True
        case model.FunctionCall(function=function):
            return fails_at_once(tables, tables.game.functions[function].body)
        case model.Conditional(value=one, alternative=other):
            return fails_at_once(tables, one) and fails_at_once(tables, other)
        case model.Joined(left=left, right=right):
            return fails_at_once(tables, left) and never_fails(tables, right)
        case _:  # in doubt it may fail later
            return never_fails(tables, node)


def _none_fails(tables: GameIndex, nodes: Iterable[Expression]) -> bool:
    return all(never_fails(tables, node) for node in nodes)
