"""Names that nothing declares: one that is misspelt, or a declaration that was forgotten.

Assumes: a name that means nothing where it stands, and what is wanted there.
Does: looks for a declared name that is close, among those that could stand there at all. What the
uses of a name without one tell of its type is gathered (`tell`) until the rules were gone through;
`settle` then says at its first use what to declare, and takes back what was said of the others.
Leaves behind: findings in the world, which have their help once `settle` was called.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from rulerun_dsl.check.env import facts, options
from rulerun_dsl.check.env.recorder import HERE
from rulerun_dsl.check.env.records import FunctionFacts, Missing
from rulerun_dsl.check.env.typing import element, join
from rulerun_dsl.check.env.wording import zone_line
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import elaborate
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, by_place
from rulerun_dsl.diagnostics.fixes import rewrite
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import expressions as s


def report(
    world: World,
    scope: Scope,
    name: str,
    span: Span,
    known: Iterable[str],
    expected: t.Type | None = None,
    what: str = "name",
    many: bool = False,
) -> None:
    """Report a name that means nothing, with the close one that may stand here."""
    if name == HERE and world.recorder is not None:
        world.unknown(name, span, what, known)
        return
    close = None
    if world.may_guess:
        fitting = [each for each in known if _may_stand(world, scope, each, expected, many)]
        close = world.guess(name, fitting)
    missing = of_name(world, name)
    missing.uses.append((span, close))
    missing.is_changed |= what == "variable"
    missing.is_constant |= scope.constant
    missing.is_zone |= many
    if isinstance(expected, t.Scalar):
        missing.types.append(t.bare(expected))  # type: ignore[arg-type]
    if close is not None:
        world.unknown(name, span, what, fitting)
    else:
        world.report("RR0402", f"there is no {what} `{name}`", span)


def of_name(world: World, name: str) -> Missing:
    """What is known of a name so far."""
    return world.missing.setdefault(name, Missing())


def tell(
    world: World,
    scope: Scope,
    node: s.Expression,
    type_: t.Type | None = None,
    *,
    is_zone: bool = False,
    is_rolled: bool = False,
    may_be_none: bool = False,
    indexes: Sequence[t.Type] = (),
) -> None:
    """Note what a use tells of a name that nothing declares: its type, its indexes, a zone."""
    base = node.base if isinstance(node, s.Index) else node
    if not isinstance(base, s.Name) or base.text in scope.names:
        return
    missing = world.missing.get(base.text)
    if missing is None:
        return
    missing.is_zone |= is_zone
    missing.is_rolled |= is_rolled
    missing.may_be_none |= may_be_none
    inside = t.bare(type_) if type_ is not None else None
    if isinstance(inside, t.Scalar) and not isinstance(inside, t.Unknown | t.NoneType):
        missing.types.append(inside)
    if indexes and not missing.indexes:
        missing.indexes = tuple(each for each in indexes if isinstance(each, t.Scalar))


def tell_indexes(world: World, scope: Scope, node: s.Index) -> None:
    """Note what stands in the brackets behind a name that nothing declares."""
    mark = len(world.diagnostics)
    types = [elaborate.single(world, scope, each).type for each in node.indexes]
    world.forget(mark, node.span)
    if not any(isinstance(each, t.Unknown) for each in types):
        tell(world, scope, node, indexes=types)


# ------------------------------------------------------------------------------- what may stand


def _may_stand(
    world: World, scope: Scope, name: str, expected: t.Type | None, many: bool = False
) -> bool:
    """Whether a declared name can be of the type that is wanted, as far as that is known."""
    word = world.declared.get(name, ("", None))[0]
    if word in ("procedure", "action", "phase"):
        return False
    if expected is None or many or isinstance(expected, t.Unknown):
        return True
    wanted = t.bare(expected)
    if name in scope.names:
        return _fits(scope.names[name].type, wanted)
    if name in ("players", "people") or word in ("board", "kind", "type"):
        return isinstance(wanted, t.SetOf | t.Order | t.Component)
    if word == "zone":
        return isinstance(wanted, t.Component | t.SetOf)
    if name in world.players or name in world.automata:
        return isinstance(wanted, t.Player)
    if not word:
        # A member of a type that is not wanted.
        return False
    type_ = _type_of(world, name, word)
    return _fits(type_, wanted) if type_ is not None else True


def _type_of(world: World, name: str, word: str) -> t.Type | None:
    """The type of what is declared, if it is known already."""
    match word:
        case "variable" if not world.is_busy(name, "variable"):
            return facts.variable(world, name).type
        case "option":
            return options.type_of(world, name)
        case "function":
            made = world.known_fact("function", name)
            return made.result if isinstance(made, FunctionFacts) else None
        case "constant":
            return getattr(world.known_fact("constant", name), "type", None)
        case _:
            return None


def _fits(type_: t.Type, wanted: t.Type) -> bool:
    inside = t.bare(type_)
    if isinstance(inside, t.Collection | t.Zone):
        return isinstance(wanted, t.SetOf | t.Order)
    return join(inside, wanted) is not None  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------- at the end


def settle(world: World, declares: bool = True) -> None:
    """Say what to declare, at the first use of each name that nothing declares.

    `declares`: the file that names it can declare it.
    """
    for name, missing in world.missing.items():
        if missing.uses:
            _settle(world, name, missing, declares)
            missing.uses = []


def _settle(world: World, name: str, missing: Missing, declares: bool) -> None:
    type_ = _type(missing)
    for _, close in missing.uses:
        # What a local may be was known at once; of a function, only now.
        if close and (close not in world.declared or _may_stand(world, Scope(), close, type_)):
            return
    places = [span for span, _ in missing.uses]
    mine = [
        each
        for each in world.diagnostics
        if each.code == "RR0402" and each.span in places and f"`{name}`" in each.message
    ]
    if not mine:
        return
    first, *others = by_place(mine)
    line = _hint(world, name, missing, type_, first, declares)
    world.diagnostics[:] = [
        line if each is first else each
        for each in world.diagnostics
        if not any(each is other for other in others)
    ]


def _type(missing: Missing) -> t.Scalar | None:
    """What all uses want together; None if they say nothing, or contradict one another."""
    joined: t.Scalar | None = None
    bounds: list[t.Int] = []
    for each in missing.types:
        if isinstance(each, t.Int):
            bounds.append(each)
            each = t.ANY_INT
        both = each if joined is None else join(joined, each)
        if both is None:
            return None
        joined = both
    if not isinstance(joined, t.Int):
        return joined
    known = [each for each in bounds if each != t.ANY_INT]
    most = max((each.high for each in known), default=9)
    if all(each.low == each.high for each in known):
        most = max(most, 9)
    return t.Int(min([0, *(each.low for each in known)]), most)


def _hint(
    world: World,
    name: str,
    missing: Missing,
    type_: t.Scalar | None,
    found: Diagnostic,
    declares: bool,
) -> Diagnostic:
    """The finding at the first use, with what to write."""
    assert found.span is not None
    value = _NUMBERS.get(name.lower())
    if value is not None and not missing.is_changed and (type_ is None or isinstance(type_, t.Int)):
        fixes = rewrite(found.span, value, safe=isinstance(type_, t.Int))
        return dataclasses.replace(found, help=f"write `{value}`", fixes=fixes)
    members = () if type_ is None or missing.is_changed else facts.members(world, type_)
    listed = ""
    if isinstance(type_, t.Enum | t.Row | t.Site | t.Direction) and 0 < len(members) <= 12:
        listed = f"it can be: {', '.join(members)}"
    line = _line(world, name, missing, type_) if declares else ""
    if listed and missing.is_constant:
        line = ""
    if listed and line:
        line = f"{listed}; or {line}"
    return dataclasses.replace(found, help=line or listed or None, fixes=())


def _line(world: World, name: str, missing: Missing, type_: t.Scalar | None) -> str:
    """What to declare, and where."""
    if missing.is_constant and not missing.is_changed:
        value = {"bool": "true", "player": world.players[0]}.get(str(type_), "7")
        simple = type_ is None or isinstance(type_, t.Int | t.Bool | t.Player)
        return f"declare it under `constants:`: `{name}: {value}`" if simple else ""
    indexes = f"[{', '.join(map(_written, missing.indexes))}]" if missing.indexes else ""
    if missing.is_zone and not missing.is_changed and not missing.types:
        return zone_line(name, next(iter(world.by_kind["kind"]), "card"), indexes)
    if type_ is None or isinstance(type_, t.Fraction | t.Multiset | t.Unknown):
        if missing.types:
            return "declare it under `state:`"
        numbers = "1..6" if missing.is_rolled else "0..9"
        return f"declare it under `state:`, such as `{name}{indexes}: {numbers}`"
    if missing.may_be_none or isinstance(type_, t.Component | t.Row):
        type_ = t.Optional(type_)
    return f"declare it under `state:`: `{name}{indexes}: {type_}`"


def _written(type_: t.Type) -> str:
    """A type as it is declared: of one number only that it is one is known."""
    return "0..9" if isinstance(type_, t.Int) and type_.low == type_.high else str(type_)


def routine_line(world: World, scope: Scope, node: s.Call, section: str) -> str:
    """How a function or procedure is declared that is called like this."""
    mark = len(world.diagnostics)
    found: list[str] = []
    for each in node.arguments:
        type_: t.Type = t.Unknown()
        if not isinstance(each, s.Comprehension | s.Filtered):
            type_ = elaborate.raw(world, scope, each).type
        if isinstance(type_, t.Collection | t.Zone):
            type_ = t.SetOf(element(type_))
        type_ = t.bare(type_)
        if isinstance(type_, t.Unknown | t.NoneType):
            found = ["…"]
            break
        word = _written(type_)
        letter = "n" if isinstance(type_, t.Int) else word[0]
        found.append(f"{word} {letter}{len(found) + 1 if len(node.arguments) > 1 else ''}")
    world.forget(mark, node.span)
    signature = f"({', '.join(found)})" if found or section == "procedures" else ""
    return f"declare it under `{section}:`: `{node.name}{signature.replace('()', '')}: …`"


_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
}
"""Numbers in words."""
