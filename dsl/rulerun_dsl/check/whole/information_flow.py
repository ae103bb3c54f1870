"""Who may know what: findings about secrets, over the whole of the rules.

Assumes: all routines, checked.
Does: follows what is hidden into what people see, hear and are asked.
Leaves behind: errors and warnings.

Errors: a `visible:` that itself depends on a secret; a history of secrets; a `together` whose parts
are not independent.
Warnings, where a proof is missing: options that depend on what the chooser cannot see; questions
whose being asked tells a secret; sentences that do. The hard test is `validate --deep`, which
resamples what is hidden. Here only what is certainly hidden counts, so that the warnings stay
worth reading: hidden by its `visible:`, or by one that nothing can have opened yet (`unopened`).
"""

from __future__ import annotations

from rulerun_dsl import model as m
from rulerun_dsl.check.env import component_kinds, constants, facts
from rulerun_dsl.check.env.typing import shorten
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import visibility
from rulerun_dsl.check.stmt import tree, walking
from rulerun_dsl.check.stmt.rule_checker import RuleChecker
from rulerun_dsl.check.whole.opening import Openings
from rulerun_dsl.check.whole.parts import check_independence
from rulerun_dsl.check.whole.secret_reads import (
    Closed,
    Locals,
    Read,
    all_is_open,
    reads,
    secrets,
    seen_by_all,
    surely,
)
from rulerun_dsl.check.whole.telling import check_telling
from rulerun_dsl.check.whole.unopened import Unopened
from rulerun_dsl.check.whole.untold import check_untold
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.model.effects import effects


def check_information(rules: RuleChecker) -> None:
    """Run every check of information."""
    check_visibility(rules.world)
    check_histories(rules.world)
    known: dict[int, tuple[m.Expression, ...]] = {}
    for routine in rules.routines.values():
        if routine.body is not None:
            # A local has one slot in the whole game, so that what is known of all is one table.
            known.update(assigned(rules, routine))
    unopened = Unopened(rules)
    openings = Openings(rules, unopened)
    if not all_is_open(rules.world):
        for routine in rules.routines.values():
            for node in walking.within(routine):
                if isinstance(node, tree.Choose):
                    check_options(rules, node, known, unopened.at(node))
        check_telling(rules, known, openings)
    check_untold(rules, known, openings)
    check_independence(rules)


def check_visibility(world: World) -> None:
    """Who sees something must itself be seen by everybody."""
    pairs: list[tuple[m.Expression, str]] = []
    for name in world.by_kind["variable"]:
        variable = facts.variable(world, name)
        pairs.append((visibility.visible(world, variable.decl, variable.indexes, "variable"), name))
    for name in world.by_kind["zone"]:
        zone = facts.zone(world, name)
        if zone is not None:
            pairs.append((visibility.visible(world, zone.decl, zone.indexes, "zone"), name))
            pairs.append((visibility.count_visible(world, zone.decl, zone.indexes), name))
    for node, name in pairs:
        for read in reads(world, node):
            if seen_by_all(world, read) is not True:
                world.report(
                    "RR0602",
                    f"who sees `{name}` depends on `{read.name}`, which not everybody sees",
                    node.span,
                    help="`visible:` may read only what is visible to all",
                )


def check_histories(world: World) -> None:
    """What everybody may ask about must be made of what everybody sees."""
    for decl in world.outline.variables:
        for scalar in decl.remembers.of if decl.remembers is not None else ():
            made = facts.variable(world, scalar.text)
            seen = visibility.visible(world, made.decl, made.indexes, "variable")
            folded = constants.fold(world, seen)
            if not (surely(folded, False) and surely(folded, True)):
                world.report(
                    "RR0741",
                    f"`{decl.at.name}` remembers `{scalar.text}`, which not everybody sees",
                    scalar.span,
                    help="`times` would tell everybody whether a secret is again what it was; "
                    "remember what is `visible: all`",
                )


# ---------------------------------------------------------------------------------- locals


def assigned(rules: RuleChecker, routine: tree.Routine) -> Locals:
    """What each local of a routine may hold; what is moved to where all see it is no secret."""
    world = rules.world
    found: dict[int, list[m.Expression]] = {}
    public: set[int] = set()

    def note(target: object, value: m.Expression) -> None:
        if isinstance(target, m.Local):
            found.setdefault(target.offset, []).append(value)

    assert routine.body is not None
    for node in walking.within(routine):
        match node:
            case tree.Leaf(instruction=instruction):
                for write in effects(instruction).writes:
                    for source in write.sources:
                        note(write.target, source)
                if isinstance(instruction, m.MoveOne) and instruction.name is not None:
                    if seen_everywhere(world, instruction.to):
                        public.add(instruction.name.offset)
            case tree.Loop(loop=loop):
                note(loop.variable, loop.source)
            case tree.Choose(lines=lines):
                for line in lines:
                    for binder in line.binders:
                        note(binder.local, binder.source)
            case _:
                pass  # what a procedure gives is not followed; nothing else binds a name
    return {offset: tuple(values) for offset, values in found.items() if offset not in public}


def seen_everywhere(world: World, zone: m.ZoneAt) -> bool:
    """Does everybody see what lies in a zone."""
    return seen_by_all(world, Read(zone.zone, True, None, False, zone.span)) is True


# ---------------------------------------------------------------------------------- options


def check_options(rules: RuleChecker, node: tree.Choose, known: Locals, closed: Closed) -> None:
    """What is legal must not depend on what the chooser cannot see."""
    world = rules.world
    player = constants.fold(world, node.player)
    expressions = [*node.narrowing]
    for line in node.lines:
        expressions.extend(line.conditions)
        expressions.extend(binder.source for binder in line.binders)
    for each in expressions:
        hidden = secrets(world, constants.fold(world, each), player, known, closed)
        if hidden:
            world.report(
                "RR0603",
                f"what may be chosen depends on `{hidden[0].name}`, "
                "which the one who chooses does not see",
                each.span,
                help="what is legal tells them: test it after the choice, or let them see it",
            )
    told = [("the question", part) for part in node.ask]
    told += [("the hint", part) for line in node.lines for part in line.hint]
    for what, part in told:
        if isinstance(part, str):
            continue
        hidden = secrets(world, constants.fold(world, part), player, known, closed)
        if hidden:
            world.report(
                "RR0603",
                f"{what} tells `{hidden[0].name}`, which the one who chooses does not see",
                part.span,
                help="leave it out, or let them see it",
            )
    if node.forced:
        check_forced(rules, node, known, closed)


def check_forced(rules: RuleChecker, node: tree.Choose, known: Locals, closed: Closed) -> None:
    """`forced: take` only where everybody can see that there is just one option."""
    world = rules.world
    for line in node.lines:
        for condition in line.conditions:
            if secrets(world, constants.fold(world, condition), None, known, closed):
                warn_forced(world, condition)
                return
        for binder in line.binders:
            source = constants.fold(world, binder.source)
            inside = t.bare(binder.local.type)
            distinct = not (
                isinstance(inside, t.Component)
                and max(component_kinds.kind(world, inside.kind).copies, default=1) > 1
            )
            if isinstance(source, m.Members) and distinct:
                owner = source.indexes[0] if source.indexes else None
                hidden: list[Read] = []
                count = Read(source.zone, True, owner, True, source.span)
                if seen_by_all(world, count, closed) is False:
                    hidden.append(count)
            else:
                hidden = secrets(world, source, None, known, closed)
            if hidden:
                warn_forced(world, binder.source)
                return


def warn_forced(world: World, node: m.Expression) -> None:
    """Report a forced choice that tells a secret."""
    world.report(
        "RR0604",
        f"`forced: take` tells everybody how many options `{shorten(node.span.text)}` leaves",
        node.span,
        help="leave `forced: take` out: a choice with one option is a choice all the same",
    )
