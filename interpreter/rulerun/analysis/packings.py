"""How many sets the search of `packing` may try at worst, known before anything runs.

Assumes: sets are tried by their lowest member, each set of members once, as the executors do.
Does: finds what the sets are taken from, filters left out, and how large they are; counts the ways
to take sets that lie apart, and the sets that may be tried behind each.
Leaves behind: a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from math import comb

from rulerun.analysis.reads import reads
from rulerun.runtime.index import GameIndex, element_of
from rulerun_dsl import model
from rulerun_dsl.model import Expression, Game
from rulerun_dsl.model.subsets import sizes
from rulerun_dsl.model.valuetypes import SetOf
from rulerun_dsl.source.frozen import frozen

_MOST_THINGS = 32
"""Of more things there are more ways than are worth counting."""
_MOST_TRIES = 1 << 62

_Held = Mapping[int, object]
"""By register: a name for what it holds, as long as the search goes on; `_VARIES`: many things."""
_VARIES = object()


@frozen
class _Taken:
    """Sets are taken from this collection; None: from all values of their type."""

    source: Expression | None
    name: object
    low: int
    high: int


def tries(tables: GameIndex, members: Callable[[Expression], int], node: model.Quantifier) -> int:
    """How many sets a search may try; `members` tells how many a collection may have."""
    source = node.clauses[-1].source
    held = {clause.register: _VARIES for clause in node.clauses}
    found = list(_taken(tables.game, source, held))
    of = element_of(source.type)
    assert isinstance(of, SetOf)
    low, high = tables.members(of)
    things = high - low + 1
    grounds = {each.name: each.source for each in found}
    if None not in grounds.values():
        known = [members(each) for each in grounds.values() if each is not None]
        things = min(things, sum(known))
    if things > _MOST_THINGS:
        return _MOST_TRIES
    least = max(1, min((each.low for each in found), default=1))
    most = min(things, max((each.high for each in found), default=0))
    return _tries(things, least, most)


def largest(game: Game, source: Expression) -> int:
    """No set of a collection of sets has more members, as far as that is plain."""
    return max((each.high for each in _taken(game, source, {})), default=0)


def _tries(things: int, low: int, high: int) -> int:
    """How many sets of such sizes may be tried: every one of them, behind all that is taken."""

    @cache
    def behind(above: int, free: int) -> int:
        """Of the things above the lowest of the last set that was taken, so many are free."""
        # Those that share the lowest member with it are tried as well.
        found = sum(comb(above + 1, size) for size in range(low, high + 1))
        for left in range(free):
            # The lowest member of the next set is a free one; so many free ones lie above it.
            for others in range(low - 1, min(high - 1, left) + 1):
                ways = comb(left, others)
                found += ways * behind(above - (free - left), left - others)
        return found

    return behind(things, things)


def _taken(game: Game, node: Expression, held: _Held) -> Iterator[_Taken]:
    """What the sets of a collection are taken from."""
    match node:
        case model.BuiltinCall(word="subsets", arguments=(_, _, source)):
            low, high = sizes(node)
            for name, ground in _grounds(game, source, held):
                yield _Taken(ground, name, low, high)
        case model.Quantifier(word="those", clauses=clauses, value=model.Register(index=index)):
            inner = {**held, **{clause.register: _VARIES for clause in clauses}}
            for clause in clauses:
                if clause.register == index:
                    yield from _taken(game, clause.source, inner)
        case model.Joined(left=one, right=other) | model.Conditional(value=one, alternative=other):
            yield from _taken(game, one, held)
            yield from _taken(game, other, held)
        case model.FunctionCall(function=number, arguments=arguments):
            body = game.functions[number].body
            yield from _taken(game, body, _passed(game, number, arguments, held))
        case _:
            yield _Taken(None, None, 1, _MOST_TRIES)


def _grounds(
    game: Game, node: Expression, held: _Held
) -> Iterator[tuple[object, Expression | None]]:
    """What a collection is a part of, and a name for it; None: nothing is known."""
    match node:
        case model.Quantifier(
            word="those", clauses=(clause,), value=model.Register(index=index)
        ) if index == clause.register:
            yield from _grounds(game, clause.source, held)
        case model.Joined(left=left, right=right):
            yield from _grounds(game, left, held)
            yield from _grounds(game, right, held)
        case model.FunctionCall(function=number, arguments=arguments):
            body = game.functions[number].body
            yield from _grounds(game, body, _passed(game, number, arguments, held))
        case _:
            name = _name(game, node, held)
            yield name, None if name is None else node


def _passed(
    game: Game, number: int, arguments: tuple[Expression, ...], held: _Held
) -> dict[int, object]:
    """What the parameters of a function hold."""
    names = [_name(game, argument, held) for argument in arguments]
    parameters = game.functions[number].parameters
    return {
        register: _VARIES if name is None else name
        for register, name in zip(parameters, names, strict=True)
    }


def _name(game: Game, node: Expression, held: _Held) -> object:
    """Two expressions of one name are of one value; None: it may be of several values."""
    match node:
        case model.Register(index=index):
            name = held.get(index, ("register", index))
            return None if name is _VARIES else name
        case model.Literal(value=value):
            return ("literal", value)
        case model.Members(zone=zone, indexes=indexes) if None not in indexes:
            names = [_name(game, each, held) for each in indexes if each is not None]
            return None if None in names else (zone, *names)
        case _:
            return None if reads(game, node).registers else ("node", id(node))
