"""Histories: variables that keep earlier positions, as families of words.

Assumes: a variable declared as `{remembers: [stone, turn], holds: 100}`.
Does: lists the values that make a position, and packs as many of them into one number of 32 bits as
its range allows.
Leaves behind: the words of a position, and the indexes of the family that keeps them. Row 0 of it
holds in its first column how many positions there are; the others hold one each.
"""

from __future__ import annotations

from itertools import product

from rulerun_dsl.check.env import facts
from rulerun_dsl.check.env.typing import describe
from rulerun_dsl.check.env.wording import named
from rulerun_dsl.check.env.world import World
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.syntax import declarations
from rulerun_dsl.yaml.nodes import Scalar

MOST_IN_A_WORD = 2**31
"""The most different values of a word that is packed."""


@frozen
class Digit:
    """One value of a position."""

    name: str
    """The variable."""
    indexes: tuple[int, ...]
    """Which of its family: numbers of values, a type's lowest for none."""
    place: int | None
    """Of a set the member, of an order the place from 0; None: the value itself."""
    low: int
    size: int


Word = tuple[Digit, ...]


def is_history(world: World, name: str) -> bool:
    """Whether a name is that of a history."""
    decl = world.by_kind["variable"].get(name)
    return isinstance(decl, declarations.VariableDecl) and decl.remembers is not None


def of_history(world: World, decl: declarations.VariableDecl) -> tuple[t.Scalar, ...]:
    """The indexes of the family that keeps a history: which position, which word of it."""
    assert decl.remembers is not None
    holds = 1
    if decl.remembers.holds is not None:
        holds = facts.constant(world, decl.remembers.holds, t.Int(1, t.INT_MAX)) or 1
    if decl.indexes:
        world.report("RR0406", f"`{decl.at.name}` is a history and takes no index", decl.at.span)
    many = max(len(words(world, decl)), 1)
    return t.Int(0, holds), t.Int(0, many - 1)


def words(world: World, decl: declarations.VariableDecl) -> tuple[Word, ...]:
    """What a position of a history is made of."""
    return world.fact("words", decl.at.name, lambda: _packed(world, decl), ())


def _packed(world: World, decl: declarations.VariableDecl) -> tuple[Word, ...]:
    """Digits in the order in which they are declared, as many in each word as there is room."""
    assert decl.remembers is not None
    found: list[Word] = []
    room = 0
    for scalar in decl.remembers.of:
        for digit in _digits(world, decl, scalar):
            if digit.size == 1:
                continue
            if digit.size > room:
                found.append(())
                room = MOST_IN_A_WORD
            found[-1] += (digit,)
            room //= digit.size
    return tuple(found)


def _digits(world: World, decl: declarations.VariableDecl, scalar: Scalar) -> list[Digit]:
    """The values of a variable or a family of them; none once something is reported."""
    name, span = scalar.text, scalar.span
    word = world.declared.get(name, ("", None))[0]
    world.note(span, name)
    if word != "variable":
        if word:
            what = f"`{name}` is {named(word)}: a history remembers variables"
            world.report("RR0409", what, span)
        else:
            world.unknown(name, span, "variable", world.by_kind["variable"])
        return []
    world.used.add(name)
    if is_history(world, name):
        world.report("RR0409", f"`{name}` is a history itself", span)
        return []
    made = facts.variable(world, name)
    inner = t.bare(made.type)
    if isinstance(inner, t.Component):
        what = f"`{name}` is {describe(world, made.type)}: a history remembers values"
        help = "remember what stands where: a row, a site, a player"
        world.report("RR0501", what, span, help=help)
        return []
    if isinstance(inner, t.Unknown):
        return []
    if isinstance(inner, t.SetOf):
        first, many = facts.low(inner.element), facts.size(world, inner.element)
        shape = [(place, 0, 2) for place in range(first, first + many)]
    elif isinstance(inner, t.Order):
        shape = [(place, 0, world.count) for place in range(world.count)]
    else:
        shape = [(-1, facts.low(made.type), facts.size(world, made.type))]
    members = []
    for index in made.indexes:
        first = facts.low(index)
        members.append(range(first, first + facts.size(world, index)))
    several = isinstance(inner, t.SetOf | t.Order)
    found = [
        Digit(name, indexes, place if several else None, low, size)
        for indexes in product(*members)
        for place, low, size in shape
    ]
    if facts.too_many_of(world, [len(found)], decl.at.name, span, "values in a position"):
        return []
    return found
