"""From checked rules to a `model.Game`: layout, actions, code.

Assumes: an outline whose checks found no error, and the settings.
Does: assembles the code, decides where each thing lies in the state vector, numbers the actions.
Leaves behind: a `Game`, free of sugar: all that executors read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from rulerun_dsl import model as m
from rulerun_dsl.check.display import printed, view, words
from rulerun_dsl.check.env import boards, component_kinds, constants, facts, options, refills
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import visibility
from rulerun_dsl.check.stmt import scoring
from rulerun_dsl.check.stmt.rule_checker import RuleChecker
from rulerun_dsl.codegen.action_types import number_actions
from rulerun_dsl.codegen.assemble import Assembly
from rulerun_dsl.codegen.ownership import learnable, note_sources, placeable
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations
from rulerun_dsl.yaml.nodes import Mapping, Scalar

DECISIONS = 10_000
"""The bound on decisions of a game that says nothing (`limits: {decisions: N}`)."""
STEPS = 100_000
"""The most instructions between two rests (`limits: {steps: N}`)."""


def generate(
    rules: RuleChecker, fingerprint: str, former_fingerprints: tuple[str, ...] = ()
) -> m.Game | None:
    """Return the game, or None if the actions are too many (reported)."""
    world = rules.world
    assembly = Assembly(rules)
    assembly.all()
    note_sources(assembly)
    zones = zone_families(world)
    instances = {zone.name: (zone.base, zone.instances) for zone in zones}
    actions = number_actions(assembly, instances)
    kinds = tuple(model_kind(world, name, zones) for name in world.by_kind["kind"])
    variables = tuple(model_variable(world, name) for name in world.by_kind["variable"])
    judged = scoring.model_scoring(world)
    functions = functions_of(world)
    queues, queue_size = queue_bases(rules, assembly)
    procedures = tuple(model_procedure(rules, assembly, name, queues) for name in assembly.order)
    if any(each.code in ("RR0706", "RR0707") for each in world.diagnostics):
        return None
    code = tuple(assembly.code)
    frame = rules.next_slot
    together = any(isinstance(each, m.TogetherStart) for each in code)
    outline = world.outline
    # These take registers of their own, so before they are counted.
    always, hints = invariants(world), view.view(world)
    learnt = learnable(assembly)
    ordered = placeable(assembly, learnt)
    places = layout(world, kinds, zones, variables, frame, together, queue_size, learnt, ordered)
    if places.size > MOST_STATE:
        world.report(
            "RR0718",
            f"the state of this game has {places.size:,} numbers: at most {MOST_STATE:,} are "
            "allowed",
            largest(world),
            help="a zone of components that are alike has a number for each of their rows, and so "
            "has every member of a family of zones",
        )
        return None
    return m.Game(
        name=outline.name,
        title=outline.title,
        language=outline.language,
        fingerprint=fingerprint,
        players=world.players,
        options=tuple(option_value(world, decl) for decl in outline.options),
        enumerations=tuple(
            m.Enumeration(name, facts.enumeration_names(world, name))
            for name in enumeration_names(world)
        ),
        kinds=kinds,
        boards=tuple(boards.board(world, name) for name in world.by_kind["board"]),
        zones=zones,
        variables=variables,
        functions=functions,
        procedures=procedures,
        phases=tuple(assembly.phases),
        code=code,
        registers=world.registers,
        actions=actions,
        scoring=judged,
        always=always,
        decisions=limit(outline.limits, "decisions", DECISIONS),
        steps=limit(outline.limits, "steps", STEPS),
        layout=places,
        citations=tuple(citations(outline)),
        automata=world.count - world.people,
        view=hints,
        words=words.words(world),
        former_fingerprints=former_fingerprints,
    )


def functions_of(world: World) -> tuple[m.Function, ...]:
    """All functions that something has asked for so far."""
    return tuple(
        m.Function(
            each.decl.at.name,
            tuple(register for _, _, register in each.parameters),
            constants.fold(world, each.body) if each.body is not None else _nothing(each.decl.at),
            each.decl.at.span,
        )
        for each in world.functions
    )


MOST_STATE = 1_000_000
"""The most numbers that the state of a game may have: it is copied again and again."""


def largest(world: World) -> Span:
    """Where the family of most members is declared."""
    found = [
        (prod(sizes(world, each.indexes)), each.decl.at.span)
        for name in world.by_kind["zone"]
        if (each := facts.zone(world, name)) is not None
    ]
    variables = [facts.variable(world, name) for name in world.by_kind["variable"]]
    found += [(prod(sizes(world, each.indexes)), each.decl.at.span) for each in variables]
    return max(found, key=lambda pair: pair[0], default=(0, world.outline.span))[1]


def _nothing(at: declarations.Source) -> m.Expression:
    return m.Literal(t.NoneType(), at.span, None)


def limit(node: Mapping | None, key: str, default: int) -> int:
    """A number of `limits:`."""
    value = node.get(key) if node is not None else None
    return value.value if isinstance(value, Scalar) and isinstance(value.value, int) else default


def enumeration_names(world: World) -> list[str]:
    """The enumerations: declared types and options with named values."""
    names = [
        name
        for name, decl in world.by_kind["type"].items()
        if decl.alias is None  # type: ignore[attr-defined]
    ]
    names += [
        name
        for name, decl in world.by_kind["option"].items()
        if decl.members  # type: ignore[attr-defined]
    ]
    return names


def option_value(world: World, decl: declarations.OptionDecl) -> m.OptionValue:
    """An option as it is set."""
    type_ = options.type_of(world, decl.at.name)
    value = options.value(world, decl.at.name)
    return m.OptionValue(
        decl.at.name,
        type_,
        value,
        facts.name_of(world, type_, value),
        decl.default_text,
        decl.about,
    )


def citations(outline: declarations.Outline) -> list[m.Citation]:
    """Every `cite:` and `assumed:` of a declaration, in the order of the file."""
    found = []
    for items in (
        outline.options,
        outline.constants,
        outline.types,
        outline.tables,
        outline.boards,
        outline.kinds,
        outline.zones,
        outline.variables,
        outline.functions,
        outline.procedures,
        outline.actions,
        tuple(every_phase(outline.phases)),
    ):
        for item in items:
            at = item.at
            if at.cite or at.assumed:
                found.append(m.Citation(at.name, at.cite, at.assumed, at.span))
            for row in getattr(item, "rows", ()):
                if isinstance(row, declarations.RowDecl) and (row.cite or row.assumed):
                    name = f"{at.name} {row.name}"
                    found.append(m.Citation(name, row.cite, row.assumed, row.span))
    files = [outline.span.source.name]
    files += [each.span.source.name for each in found if each.span.source.name not in files]
    return sorted(found, key=lambda each: (files.index(each.span.source.name), each.span.start))


def every_phase(phases: tuple[declarations.PhaseDecl, ...]) -> Iterator[declarations.PhaseDecl]:
    """These phases and those inside them."""
    for phase in phases:
        yield phase
        yield from every_phase(phase.phases)


def invariants(world: World) -> tuple[m.Invariant, ...]:
    """`always:`."""
    found = []
    for name, node in world.outline.always:
        test = world.makers.elaborate(world, node, t.Bool(), {})
        found.append(m.Invariant(name, constants.fold(world, test)))
    return tuple(found)


# --------------------------------------------------------------------------- declarations


def sizes(world: World, indexes: tuple[t.Scalar, ...]) -> tuple[int, ...]:
    """How many values each index has."""
    return tuple(facts.size(world, index) for index in indexes)


def zone_families(world: World) -> tuple[m.ZoneFamily, ...]:
    """The zones, their instances numbered one after another."""
    found: list[m.ZoneFamily] = []
    base = 0
    for name in world.by_kind["zone"]:
        zone = facts.zone(world, name)
        assert zone is not None
        lows = tuple(facts.low(index) for index in zone.indexes)
        counts = sizes(world, zone.indexes)
        total = sum(component_kinds.kind(world, zone.kind).copies)
        refill = None
        # What is shuffled as it comes in is statements by now (see `moves.some`).
        if zone.decl.refill is not None and not refills.reshuffles(zone.decl):
            refill = refills.refill(world, zone.decl, zone.indexes)
        made = m.ZoneFamily(
            name=name,
            kind=zone.kind,
            indexes=zone.indexes,
            lows=lows,
            sizes=counts,
            base=base,
            order=zone.order,
            one=zone.one,
            holds=total if zone.holds is None else zone.holds,
            visible=constants.fold(
                world, visibility.visible(world, zone.decl, zone.indexes, "zone")
            ),
            count_visible=constants.fold(
                world, visibility.count_visible(world, zone.decl, zone.indexes)
            ),
            refill=refill,
            start=start_of_zone(world, name, zone.kind, base, zone.indexes),
            span=zone.decl.at.span,
        )
        found.append(made)
        base += made.instances
    return tuple(found)


def start_of_zone(
    world: World,
    name: str,
    kind_name: str,
    base: int,
    indexes: tuple[t.Scalar, ...],
) -> tuple[tuple[int, int, int], ...]:
    """What lies in a zone family at the start: (instance, class, how many)."""
    kind = component_kinds.kind(world, kind_name)
    if kind.start != name:
        return ()
    owners = len(kind.owners)
    found = []
    for place, many in enumerate(kind.copies):
        if not many:
            continue
        instance = base
        if indexes:
            if kind.owner is None or indexes[0] != kind.owner or len(indexes) > 1:
                world.report(
                    "RR0411",
                    f"`{kind_name}` starts in one zone, but `{name}` is many",
                    kind.decl.start.span if kind.decl.start is not None else kind.decl.at.span,
                    help="start in a single zone, or in the own one of a family "
                    f"indexed by `{kind.owner or 'player'}`",
                )
                return ()
            instance = base + place % owners
        found.append((instance, place, many))
    return tuple(found)


def model_kind(world: World, name: str, zones: tuple[m.ZoneFamily, ...]) -> m.Kind:
    """A kind as the model has it."""
    kind = component_kinds.kind(world, name)
    return m.Kind(
        name=name,
        rows=kind.rows.names,
        owner=kind.owner,
        owners=len(kind.owners),
        copies=kind.copies,
        counted=kind.counted,
        attributes=tuple(
            m.AttributeInfo(attribute, type_, start)
            for attribute, (type_, start, _) in kind.attributes.items()
        ),
        zones=tuple(zone.name for zone in zones if zone.kind == name),
        columns=tuple(
            (column.name, column.type, column.values)
            for column in kind.rows.columns.values()
            if not column.indexes
        ),
        printed=tuple(printed.printed(world, kind.decl)),
    )


def model_variable(world: World, name: str) -> m.StateVariable:
    """A variable as the model has it."""
    variable = facts.variable(world, name)
    decl = variable.decl
    counts = sizes(world, variable.indexes)
    many = 1
    for count in counts:
        many *= count
    if isinstance(variable.type, t.Order):
        start: tuple[int | None, ...] = tuple(range(world.count)) * many
    else:
        start = (facts.start_value(world, decl, variable.type),) * many
    return m.StateVariable(
        name=name,
        type=variable.type,
        indexes=variable.indexes,
        lows=tuple(facts.low(index) for index in variable.indexes),
        sizes=counts,
        start=start,
        visible=constants.fold(
            world, visibility.visible(world, decl, variable.indexes, "variable")
        ),
        clamp=decl.clamp,
        during=decl.during.text if decl.during is not None else None,
        span=decl.at.span,
    )


def queue_bases(rules: RuleChecker, assembly: Assembly) -> tuple[dict[str, int], int]:
    """Where the waiting calls of each procedure are kept, and how many slots in all."""
    bases: dict[str, int] = {}
    size = 0
    for name in assembly.order:
        routine = rules.routines[name]
        if routine.queued:
            bases[name] = size
            size += routine.queued * (1 + len(routine.parameters) + int(routine.needs_you))
    return bases, size


def model_procedure(
    rules: RuleChecker, assembly: Assembly, name: str, queues: dict[str, int]
) -> m.Procedure:
    """A procedure as the model has it."""
    routine = rules.routines[name]
    parameters = tuple(local for _, _, local in routine.parameters)[routine.rowwise :]
    if routine.needs_you:
        parameters = (routine.you, *parameters)
    slots = tuple(dict.fromkeys((*(each.offset for each in parameters), *routine.slots)))
    return m.Procedure(
        name=name,
        entry=assembly.entries[name],
        parameters=parameters,
        slots=slots,
        return_slot=assembly.returns[name],
        span=routine.span,
        queued=routine.queued,
        stacked=routine.stacked,
        queue_base=queues.get(name, -1),
    )


# ---------------------------------------------------------------------------------- layout


@dataclass
class _Cursor:
    at: int

    def take(self, many: int) -> int:
        """The next `many` slots; their base."""
        base, self.at = self.at, self.at + many
        return base


def layout(
    world: World,
    kinds: tuple[m.Kind, ...],
    zones: tuple[m.ZoneFamily, ...],
    variables: tuple[m.StateVariable, ...],
    frame: int,
    together: bool,
    queue_size: int,
    learnt: frozenset[str],
    ordered: frozenset[str],
) -> m.Layout:
    """Give every part of the state its place."""
    cursor = _Cursor(2)
    variable_bases = tuple((each.name, cursor.take(len(each.start))) for each in variables)
    places, positions, attributes = [], [], []
    counts = [-1] * sum(zone.instances for zone in zones)
    for kind in kinds:
        own = [zone for zone in zones if zone.kind == kind.name]
        if kind.counted:
            places.append((kind.name, cursor.at))
            for zone in own:
                many = min(zone.holds, kind.total) if zone.ordered else kind.classes
                for instance in range(zone.base, zone.base + zone.instances):
                    counts[instance] = cursor.take(many)
            continue
        places.append((kind.name, cursor.take(kind.total)))
        if any(zone.ordered for zone in own):
            positions.append((kind.name, cursor.take(kind.total)))
        for attribute in kind.attributes:
            attributes.append((kind.name, attribute.name, cursor.take(kind.total)))
    knowledge = cursor.at
    known = []
    for kind in kinds:
        if kind.name in learnt:
            many = kind.total
            if kind.counted:
                held = sum(zone.instances for zone in zones if zone.kind == kind.name)
                many = held * kind.classes * world.count
            known.append((kind.name, cursor.take(many)))
    known_places = []
    for kind in kinds:
        own = [zone for zone in zones if zone.kind == kind.name and zone.name in ordered]
        if own and not kind.counted:
            base = cursor.take(kind.total)
            known_places += [(zone.name, base) for zone in own]
        elif own:
            for zone in own:
                many = min(zone.holds, kind.total) * zone.instances
                known_places.append((zone.name, cursor.take(many)))
    live = (2, cursor.at)
    shadow = cursor.take(live[1] - live[0]) if together else cursor.at
    queue = cursor.take(queue_size)
    frames = 1 + (world.count if together else 0)
    base = cursor.take(frames * frame)
    return m.Layout(
        variables=variable_bases,
        places=tuple(places),
        counts=tuple(counts),
        positions=tuple(positions),
        attributes=tuple(attributes),
        knowledge=knowledge,
        live=live,
        shadow=shadow,
        queue=queue,
        frames=frames,
        frame=frame,
        base=base,
        size=cursor.at,
        known=tuple(known),
        known_places=tuple(known_places),
    )
