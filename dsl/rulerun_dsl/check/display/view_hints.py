"""The hints of `view:` on what stands side by side, order, formats, and the headline.

Assumes: declarations that can be asked for.
Does: finds by the types alone how what is shown beside a family of zones belongs to it; checks the
names in a format and the expressions of a headline, which everybody reads.
Leaves behind: parts of a `View`.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

from rulerun_dsl import model as m
from rulerun_dsl.check.env import component_kinds, constants, facts
from rulerun_dsl.check.env.records import VariableFacts, ZoneFacts
from rulerun_dsl.check.env.wording import named
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import elaborate
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.check.whole.secret_reads import secrets
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.yaml.nodes import Entry, Scalar, Sequence

_NAME = re.compile(r"<([^<>]*)>")


# --------------------------------------------------------------------------------------- headline


def headline(world: World, text: s.Template) -> tuple[str | m.Expression, ...]:
    """A sentence that everybody reads."""
    found: list[str | m.Expression] = []
    for part in elaborate.template(world, Scope(), text):
        if not isinstance(part, str):
            # A translation knows a value by what stands there, whatever the options leave of it.
            part = dataclasses.replace(constants.fold(world, part), span=part.span)
            hidden = secrets(world, part, None, {})
            if hidden:
                world.report(
                    "RR0603",
                    f"the headline tells `{hidden[0].name}`, which not everybody sees",
                    part.span,
                    help="a headline is for everybody: leave it out, or let everybody see it",
                )
        found.append(part)
    return tuple(found)


# ----------------------------------------------------------------------------------------- beside


def beside(world: World, entry: Entry) -> Iterator[m.Beside]:
    """`tile_at: [marker_on, [row_of, column_of]]`."""
    zone = _zone(world, entry.key)
    if zone is None:
        return
    items = entry.value.items if isinstance(entry.value, Sequence) else (entry.value,)
    for item in items:
        if isinstance(item, Scalar):
            how = _how(world, zone, item)
            if how:
                yield m.Beside((item.text,), how)
        elif isinstance(item, Sequence):
            names = [each for each in item.items if isinstance(each, Scalar)]
            if _tell_a_place(world, zone, names):
                yield m.Beside(tuple(name.text for name in names), "at")


def _zone(world: World, key: Scalar) -> ZoneFacts | None:
    """The family beside which things are shown."""
    if key.text not in world.by_kind["zone"]:
        _no_such(world, key, ("zone",))
        return None
    zone = facts.zone(world, key.text)
    if zone is not None and zone.indexes and not _places(zone.indexes):
        world.report(
            "RR0501",
            f"`{key.text}` has no places to show things beside: it has no index but a player",
            key.span,
        )
        return None
    return zone


def _no_such(world: World, name: Scalar, words: tuple[str, ...]) -> None:
    """Report a name that is not what is wanted here."""
    wanted = " or ".join(words)
    if name.text in world.declared:
        is_ = named(world.declared[name.text][0])
        world.report("RR0409", f"`{name.text}` is {is_}, not a {wanted}", name.span)
    else:
        known = [each for word in words for each in world.by_kind[word]]
        world.unknown(name.text, name.span, wanted, known)


def is_board(world: World, key: Scalar) -> bool:
    """Whether a name is that of a board; else that is reported."""
    boards = world.by_kind["board"]
    if key.text in boards:
        return True
    word = world.declared[key.text][0] if key.text in world.declared else None
    if word is None:
        world.unknown(key.text, key.span, "board", boards)
    else:
        world.report("RR0409", f"`{key.text}` is {named(word)}, not a board", key.span)
    return False


def _places(indexes: tuple[t.Scalar, ...]) -> list[t.Scalar]:
    """The indexes but players."""
    return [index for index in indexes if not isinstance(index, t.Player)]


def _same(index: t.Type, other: t.Type) -> bool:
    """Whether values of two types may be equal."""
    if isinstance(index, t.Int) and isinstance(other, t.Int):
        return index.low <= other.high and other.low <= index.high
    return index == other


def _is_piece(type_: t.Type, kind: str) -> bool:
    return type_ in (t.Component(kind), t.Row(kind))


def _how(world: World, zone: ZoneFacts, name: Scalar) -> str:
    """How a family of zones or variables belongs to a family of zones."""
    type_: t.Type | None = None
    if name.text in world.by_kind["zone"]:
        found = facts.zone(world, name.text)
        if found is None:
            return ""
        indexes = found.indexes
    elif name.text in world.by_kind["variable"]:
        variable = facts.variable(world, name.text)
        indexes, type_ = variable.indexes, t.bare(variable.type)
    else:
        _no_such(world, name, ("zone", "variable"))
        return ""
    places, own = _places(indexes), _places(zone.indexes)
    if type_ is not None and _is_piece(type_, zone.kind):
        return "on"
    if len(places) == 1 and _is_piece(places[0], zone.kind):
        return "piece"
    if own and len(places) == len(own) and all(map(_same, places, own)):
        return "place"
    if own and places and _same(places[0], own[0]):
        return "line"
    if own and type_ is not None and _same(type_, own[0]):
        return "row"
    world.report(
        "RR0501",
        f"`{name.text}` does not belong to the places of `{zone.decl.at.name}`, nor to what lies "
        "there",
        name.span,
        help="it needs an index of their type, or to be a variable of their type",
    )
    return ""


def _tell_a_place(world: World, zone: ZoneFacts, names: list[Scalar]) -> bool:
    """Whether variables together tell a place: one for each index, all of the same players."""
    own = _places(zone.indexes)
    found: list[VariableFacts] = []
    for name in names:
        if name.text not in world.by_kind["variable"]:
            _no_such(world, name, ("variable",))
            return False
        found.append(facts.variable(world, name.text))
    fits = (
        0 < len(found) == len(own)
        and all(_same(t.bare(each.type), index) for each, index in zip(found, own, strict=True))
        and all(each.indexes == found[0].indexes for each in found)
    )
    if not fits and names:
        listed = ", ".join(f"`{name.text}`" for name in names)
        world.report(
            "RR0501",
            f"{listed} do not tell a place of `{zone.decl.at.name}`",
            names[0].span,
            help="name a variable for each of its indexes, all with the same index or none",
        )
    return fits


# ------------------------------------------------------------------------------ sorts and formats


def sorted_by(world: World, entry: Entry) -> Iterator[str]:
    """The columns of a kind by which its components are sorted."""
    if entry.key.text not in world.by_kind["kind"]:
        _no_such(world, entry.key, ("kind",))
        return
    decl: declarations.KindDecl = component_kinds.kind(world, entry.key.text).decl
    known = [column.name for column in decl.columns]
    items = entry.value.items if isinstance(entry.value, Sequence) else (entry.value,)
    for item in items:
        if isinstance(item, Scalar):
            if item.text in known:
                yield item.text
            else:
                world.unknown(item.text, item.span, f"column of {entry.key.text}", known)


def check_format(world: World, entry: Entry) -> None:
    """A text that names columns, attributes and rules of a kind."""
    if entry.key.text not in world.by_kind["kind"]:
        _no_such(world, entry.key, ("kind",))
        return
    kind = component_kinds.kind(world, entry.key.text)
    decl: declarations.KindDecl = kind.decl
    known = [
        "name",
        *kind.attributes,
        *(column.name for column in decl.columns),
        *(slot.signature.name for slot in decl.slots),
    ]
    if not isinstance(entry.value, Scalar):
        return
    for match in _NAME.finditer(entry.value.text):
        if match[1] not in known:
            span = entry.value.span_of(*match.span(1))
            world.unknown(match[1], span, f"column, attribute or rule of {entry.key.text}", known)
