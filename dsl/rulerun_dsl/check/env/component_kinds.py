"""Kinds of component: rows, owners, copies, where they start.

Assumes: a `World`; types and tables that can be asked for.
Does: reads `components:`, and checks that what starts in a zone fits there.
Leaves behind: `KindFacts`, kept in the world.
"""

from __future__ import annotations

from rulerun_dsl.check.env import facts, tabular
from rulerun_dsl.check.env.by_row import column_names, values_by_row
from rulerun_dsl.check.env.records import KindFacts, RowsFacts
from rulerun_dsl.check.env.settable import is_settable, texts
from rulerun_dsl.check.env.wording import zone_line
from rulerun_dsl.check.env.world import World
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.special_cards import ONE_KIND
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s


def kind(world: World, name: str) -> KindFacts:
    """The facts of a kind of component."""

    def make() -> KindFacts:
        decl = facts.kind_decl(world, name)
        rows = tabular.kind_rows(world, name)
        owner: t.Scalar | None = None
        owners: tuple[str, ...] = ("",)
        if decl.each is not None:
            owner = facts.named_type(world, decl.each, decl.each_span or decl.at.span)
            owners = facts.members(world, owner) or ("",)
        by_row = copies(world, decl, rows)
        if facts.too_many_of(
            world, [sum(by_row), len(owners)], name, decl.at.span, "components"
        ) or facts.too_many_of(world, [len(rows.names), len(owners)], name, decl.at.span, "rows"):
            by_row = [0] * len(by_row)
        attributes = {}
        alike = tabular.likes(world, decl)
        for key, declared in [pair for each in alike for pair in each.attributes]:
            type_ = facts.stored(world, declared.type, f"`{key.name}`")
            start = facts.low(type_) if not isinstance(type_, t.Optional) else None
            if declared.start is not None:
                start = facts.constant(world, declared.start, type_)
            attributes[key.name] = (type_, (start,) * len(rows.names), declared.start)
        named = [(each.name, each.span) for kin in alike for each in kin.columns]
        named += [(key.name, key.name_span) for kin in alike for key, _ in kin.attributes]
        named += [
            (each.signature.name, each.signature.name_span) for kin in alike for each in kin.slots
        ]
        tabular.check_distinct(world, named)
        for each, span in named:
            if each == "owner" and owner is not None:
                world.report("RR0404", f"`owner` is whose {name} it is", span)
        held = name in held_kinds(world) or (
            name in kinds_of_sets(world) and not are_several(world, decl)
        )
        several = any(count != 1 for count in by_row)
        start_zone = start_of(world, decl)
        return KindFacts(
            decl=decl,
            rows=rows,
            owner=owner,
            owners=owners,
            copies=tuple(count for count in by_row for _ in owners),
            attributes=attributes,
            slots={slot.signature.name: slot for each in alike for slot in each.slots},
            counted=several and not attributes and not held,
            start=start_zone,
        )

    # What depends on itself is a kind of nothing.
    decl = facts.kind_decl(world, name)
    nothing = RowsFacts((), {})
    empty = KindFacts(decl, nothing, None, ("",), (), {}, {}, False, None)
    return world.fact("kind", name, make, empty)


def held_kinds(world: World) -> frozenset[str]:
    """The kinds that some variable holds: their copies must be told apart."""

    def make() -> frozenset[str]:
        found: set[str] = set()
        for decl in world.outline.variables:
            type_: s.TypeExpression | None = decl.type
            while isinstance(type_, s.OptionalType | s.SetType):
                type_ = type_.inner if isinstance(type_, s.OptionalType) else type_.element
            if isinstance(type_, s.NamedType) and type_.name in world.by_kind["kind"]:
                found.add(type_.name)
            for index in decl.indexes:
                if isinstance(index, s.NamedType) and index.name in world.by_kind["kind"]:
                    found.add(index.name)
        return frozenset(found)

    return world.fact("held", "kinds", make, frozenset())


def kinds_of_sets(world: World) -> frozenset[str]:
    """The kinds of which some parameter takes a set."""

    def make() -> frozenset[str]:
        outline = world.outline
        signatures = [
            *(each.signature for each in outline.functions),
            *(each.signature for each in outline.procedures),
            *(each.line.signature for each in outline.actions),
            *(slot.signature for each in outline.kinds for slot in each.slots),
        ]
        found: set[str] = set()
        for parameter in (each for signature in signatures for each in signature.parameters):
            type_ = parameter.type
            if isinstance(type_, s.OptionalType):
                type_ = type_.inner
            if isinstance(type_, s.SetType) and isinstance(type_.element, s.NamedType):
                found.add(type_.element.name)
        return frozenset(found)

    return world.fact("sets", "kinds", make, frozenset())


def are_several(world: World, decl: declarations.KindDecl) -> bool:
    """Are there several copies of some row, whatever the setting.

    Where a setting decides that, the copies are told apart as soon as rules make sets of them: what
    is right with one copy is right with two.
    """
    written: list[object] = [
        node for row in decl.rows for key, node in row.values if key.text == "copies"
    ]
    listed = [each for each in tabular.likes(world, decl) if _has_copies(each)]
    if listed:
        written += [(each.columns, each.rows) for each in listed]
    elif decl.copies is not None:
        written.append(decl.copies)
    fixed = [each for each in written if not is_settable(world, each)]
    return any(text != "1" for each in fixed for text in texts(each))


def _has_copies(decl: declarations.KindDecl) -> bool:
    return any(column.name == "copies" for column in decl.columns)


def copies(world: World, decl: declarations.KindDecl, rows: RowsFacts) -> list[int]:
    """How many of each row there are (for each owner)."""
    many, number = len(rows.names), t.Int(0, 9999)
    if "copies" in rows.columns:
        found = [count or 0 for count in rows.columns["copies"].values]
    else:
        found = [1] * many
        if decl.copies is not None:
            known = rows.columns
            by = values_by_row(world, decl.copies, number, known, rows.names, column_names(known))
            found = [count or 0 for count in by] if by is not None else [0] * many
        for place, row in enumerate(decl.rows):
            for key, node in row.values:
                if key.text == "copies":
                    found[place] = tabular.written_value(world, node, number) or 0
    for place, row in enumerate(decl.rows):
        if row.when is not None and facts.constant(world, row.when, t.Bool()) != 1:
            found[place] = 0
    if decl.at.when is not None and facts.constant(world, decl.at.when, t.Bool()) != 1:
        # The kind of a module that is off has no components.
        found = [0] * len(found)
    return found


def check_starts(world: World) -> None:
    """Report zones in which more components start than they hold."""
    inside: dict[str, int] = {}
    for name in world.by_kind["kind"]:
        made = kind(world, name)
        zone = facts.zone(world, made.start) if made.start is not None else None
        if zone is None or zone.holds is None or made.start is None:
            continue
        if not zone.indexes:
            count = sum(made.copies)
        elif isinstance(made.decl.start, s.Name) and zone.indexes == (made.owner,):
            # Each of them starts in the zone of its owner.
            count = sum(made.copies) // len(made.owners)
        else:
            continue
        inside[made.start] = inside.get(made.start, 0) + count
        if inside[made.start] > zone.holds:
            world.report(
                "RR0503",
                f"{inside[made.start]} components start in `{made.start}`, "
                f"which holds {zone.holds}",
                made.decl.start.span if made.decl.start is not None else made.decl.at.span,
            )


def start_of(world: World, decl: declarations.KindDecl) -> str | None:
    """The zone family in which a kind starts."""
    if decl.start is None:
        world.report(
            "RR0411",
            f"nothing says where `{decl.at.name}` starts",
            decl.at.span,
            help="write `start: ZONE`; of a family of zones it is the own one",
        )
        return None
    if isinstance(decl.start, s.Name):
        name = decl.start.text
        if name not in world.by_kind["zone"]:
            line = zone_line(name, decl.at.name)
            world.unknown(name, decl.start.span, "zone", world.by_kind["zone"], line)
            return None
        world.note(decl.start.span, name)
        zone_decl: declarations.ZoneDecl = world.by_kind["zone"][name]  # type: ignore[assignment]
        held = zone_decl.kind.text if zone_decl.kind is not None else decl.at.name
        # Of what is no kind, the zone says so.
        if held != decl.at.name and held in world.by_kind["kind"]:
            world.report(
                "RR0411",
                f"`{name}` holds {held}, not {decl.at.name}",
                decl.start.span,
                help=ONE_KIND,
            )
            return None
        many = zone_decl.indexes
        own = len(many) == 1 and isinstance(many[0], s.NamedType) and many[0].name == decl.each
        if many and not own:
            world.report(
                "RR0411",
                f"`{decl.at.name}` starts in one zone, but `{name}` is many",
                decl.start.span,
                help="start in a single zone, or in the own one of a family "
                f"indexed by `{decl.each or 'player'}`",
            )
            return None
        return name
    world.report("RR0411", "`start:` names a zone", decl.start.span)
    return None
