"""What the options are: their types, their values, and whether they matter.

Assumes: a `World` with the values that were given, as text.
Does: reads a given value in the option's type, or its default; asks `only_if` whether it matters.
Leaves behind: facts, kept in the world; findings in its diagnostics.
"""

from __future__ import annotations

from collections.abc import Iterator

from rulerun_dsl.check.env import facts
from rulerun_dsl.check.env.world import World
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax.parse import children


def type_of(world: World, name: str) -> t.Scalar:
    """The type of an option."""
    decl: declarations.OptionDecl = world.by_kind["option"][name]  # type: ignore[assignment]
    if decl.members:
        return t.Enum(name)

    def make() -> t.Scalar:
        return facts.stored(world, decl.type, "an option") if decl.type is not None else t.Unknown()

    return world.fact("option type", name, make, facts.UNKNOWN)


def value(world: World, name: str) -> int | None:
    """The value of an option: as given, else its default."""

    def make() -> int | None:
        decl: declarations.OptionDecl = world.by_kind["option"][name]  # type: ignore[assignment]
        type_ = type_of(world, name)
        # The default is checked, and reads what it reads, whatever is given.
        with world.aside():
            default = (
                None
                if decl.default is None
                else facts.constant(world, decl.default, type_, decides=False)
            )
        if name in world.given:
            return read(world, name, type_, world.given[name], decl.at.span)
        if default is None and (decl.default is None or not isinstance(type_, t.Optional)):
            return facts.low(type_)
        return default

    return world.fact("option", name, make, None)


def matters(world: World, name: str) -> bool:
    """Does an option matter with these settings (`only_if`), and those on which that depends."""

    def make() -> bool:
        decl: declarations.OptionDecl = world.by_kind["option"][name]  # type: ignore[assignment]
        if decl.only_if is None:
            return True
        with world.aside():
            holds = facts.constant(world, decl.only_if, t.Bool(), decides=False) == 1
        for each in names_in(decl.only_if):
            if each.text in world.by_kind["option"]:
                world.here = each.span
                matters(world, each.text)
        return holds

    return world.fact("only if", name, make, False)


def names_in(node: s.Node) -> Iterator[s.Name]:
    """The names that stand in a text."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, s.Name):
            yield each
        waiting.extend(children(each))


def read(world: World, name: str, type_: t.Scalar, text: str, span: Span) -> int | None:
    """Return a value of an option given as text."""
    names = facts.members(world, type_)
    if isinstance(type_, t.Optional) and text == "none":
        return None
    if text in names:
        return names.index(text)
    whole = t.bare(type_)
    if isinstance(whole, t.Int):
        try:
            value = int(text)
        except ValueError:
            value = whole.low - 1
        if whole.low <= value <= whole.high:
            return value
    values = ", ".join(names) if names else str(type_)
    world.report(
        "RR0412",
        f"`{text}` is no value of the option `{name}`",
        span,
        help=f"it can be: {values}",
    )
    return facts.low(type_)
