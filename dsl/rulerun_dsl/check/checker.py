"""The order of the checks: what is asked of a world, and when.

Assumes: an outline with options and players fixed.
Does: asks for every declaration, then the rules, then the whole, then who may know what. What one
check needs of another it asks for by itself, so the order decides only in which order findings come
and what is left unsaid: the whole is looked at where the parts have been, information where the
parts are sound.
Leaves behind: the findings in the world, and the typed trees in the checker of rules.
"""

from __future__ import annotations

from collections.abc import Mapping

from rulerun_dsl.check.display import view, words
from rulerun_dsl.check.env import (
    boards,
    component_kinds,
    constants,
    facts,
    options,
    refills,
    tables,
    tabular,
)
from rulerun_dsl.check.env.declared import RESERVED_TYPES
from rulerun_dsl.check.env.new_world import new_world
from rulerun_dsl.check.env.replacing import replace_functions
from rulerun_dsl.check.env.texts import Texts
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import branching, elaborate, undeclared, visibility
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.check.kin import Kin
from rulerun_dsl.check.stmt import hooks, phases, scoring, statements, targets
from rulerun_dsl.check.stmt.rule_checker import RuleChecker
from rulerun_dsl.check.whole import flow
from rulerun_dsl.check.whole.automata import check_automata
from rulerun_dsl.check.whole.information_flow import check_information
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, has_errors
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.syntax.declarations import Outline


def world_of(
    outline: Outline, count: int, values: Mapping[str, str], texts: Texts | None = None
) -> World:
    """The world of an outline for a number of people and these options, as texts."""
    known = texts or Texts()
    people = people_of(outline, count)
    automata: tuple[str, ...] = ()
    if outline.automata:
        # Whether an automa plays, the options and the number of people say.
        world = new_world(outline, people, values, elaborate.elaborate, texts=known)
        automata = tuple(
            each.name.text
            for each in outline.automata
            if each.when is None or facts.constant(world, each.when, t.Bool()) == 1
        )
    players = (*people, *automata)
    return new_world(outline, players, values, elaborate.elaborate, len(people), known)


def people_of(outline: Outline, count: int) -> tuple[str, ...]:
    """The names of the people who play: as the file has them, or P1, P2, …."""
    names = tuple(scalar.text for scalar in outline.players)
    return names or tuple(f"P{number + 1}" for number in range(count))


def check_world(world: World, secrets: bool = True, kin: Kin | None = None) -> RuleChecker:
    """Check everything of a world; what the checks leave of its rules.

    `secrets`: also who may know what, which leaves findings and nothing else. `kin`: what was
    checked before, for other settings of the same outline.
    """
    settings(world)
    rules = kin.taken_over(world) if kin is not None else None
    if rules is None:
        rules = statements.rule_checker(world)
        check_each_part(rules)
        if kin is not None:
            kin.keep(rules)
    check_setting(world)
    check_whole(rules, secrets)
    return rules


def check_each_part(rules: RuleChecker) -> None:
    """Check each part by itself, as can be done where another part is missing."""
    check_declarations(rules)
    check_rules(rules)


def check_declarations(rules: RuleChecker) -> None:
    """Check what the game is made of."""
    world = rules.world
    settings(world)
    variants(world)
    for when in world.outline.whens:
        facts.constant(world, when, t.Bool())
    automata(world)
    replace_functions(world, lambda hook: hooks.is_active(rules, hook))
    for word, ask in (
        ("type", lambda name: facts.declared_type(world, name)),
        ("type", lambda name: tabular.enumeration(world, name)),
        ("table", lambda name: tables.table(world, name)),
        ("board", lambda name: boards.sites(world, name)),
        ("kind", lambda name: component_kinds.kind(world, name)),
        ("zone", lambda name: facts.zone(world, name)),
        ("variable", lambda name: facts.variable(world, name)),
        ("function", lambda name: branching.function_facts(world, name)),
    ):
        for name in world.by_kind[word]:
            ask(name)
    component_kinds.check_starts(world)
    for name in world.by_kind["variable"]:
        made = facts.variable(world, name)
        visibility.visible(world, made.decl, made.indexes, "variable")
        targets.only(rules, made.decl)
        if made.decl.start is not None and not isinstance(made.type, t.Unknown):
            facts.constant(world, made.decl.start, made.type)
    for name in world.by_kind["zone"]:
        zone = facts.zone(world, name)
        if zone is not None:
            visibility.visible(world, zone.decl, zone.indexes, "zone")
            visibility.count_visible(world, zone.decl, zone.indexes)
            if zone.decl.refill is not None:
                refills.refill(world, zone.decl, zone.indexes)
            refills.check_reshuffle(world, zone.decl)


def check_rules(rules: RuleChecker) -> None:
    """Check what the game does, how it is scored, and what must always hold."""
    world = rules.world
    phases.game(rules)
    statements.finish(rules)
    scoring.typed_scoring(world)
    for _, condition in world.outline.always:
        elaborate.condition(world, Scope(), condition)
    constants_by_count(world)
    undeclared.settle(world)


def check_setting(world: World) -> None:
    """Check what is to be said of the values of the options themselves."""
    constraints(world)
    for option in world.outline.options:
        options.matters(world, option.at.name)


def check_whole(rules: RuleChecker, secrets: bool = True) -> None:
    """Check what only the whole shows: what is never read, what cannot end, what gets out."""
    world = rules.world
    world.folded = {}
    for name in world.by_kind["board"]:
        # What `links:` reads is read.
        boards.board(world, name)
    view.view(world)
    words.words(world)
    sound = not has_errors(world.diagnostics)
    flow.check_flow(rules, sound)
    check_automata(rules)
    if sound and secrets:
        # What looks at the whole would only echo what was found in the parts.
        check_information(rules)


def settings(world: World) -> None:
    """Options have values of their types."""
    for name in world.by_kind["option"]:
        options.value(world, name)


def automata(world: World) -> None:
    """Automata have names of their own; on whether they play it depends who the players are."""
    names = [(each.text, each.span) for each in world.outline.players]
    for each in world.outline.automata:
        text, span = each.name.text, each.name.span
        if text in world.declared or text in RESERVED_TYPES:
            world.report("RR0403", f"`{text}` is declared twice", span)
        names.append((text, span))
        if each.when is not None:
            with world.deciding():
                facts.constant(world, each.when, t.Bool())
    facts.check_names(world, names)


def variants(world: World) -> None:
    """Variants name options and their values."""
    declared = world.by_kind["option"]
    for decl in world.outline.variants:
        for key, value in decl.values:
            if key.text not in declared:
                world.unknown(key.text, key.span, "option", declared)
                continue
            world.note(key.span, key.text)
            type_ = options.type_of(world, key.text)
            options.read(world, key.text, type_, value.text, value.span)


def constants_by_count(world: World) -> None:
    """A constant by the number of players says something of every number."""
    low, high = world.outline.player_range
    for decl in world.outline.constants:
        said = {count for count, _ in decl.by_count}
        missing = [str(count) for count in range(low, high + 1) if count not in said]
        if decl.by_count and missing:
            world.report(
                "RR0512",
                f"`{decl.at.name}` says nothing of {', '.join(missing)} players",
                decl.at.span,
            )
        for count in sorted(said - set(range(low, high + 1))):
            world.report(
                "RR0512",
                f"`{decl.at.name}` speaks of {count} players, which the game is not for",
                decl.at.span,
            )


def constraints(world: World) -> None:
    """`constraints:`: combinations of options that are refused, with the reason."""
    for decl in world.outline.constraints:
        test = elaborate.condition(world, Scope(), decl.condition)
        with world.aside():
            value = constants.value_of(world, test)
        if value == 1:
            world.report(
                "RR0710",
                decl.say or f"these settings are refused: {decl.condition.span.text}",
                decl.condition.span,
            )
        elif value is constants.NOT_CONSTANT and not isinstance(test.type, t.Unknown):
            world.report(
                "RR0504",
                "a constraint is about options and the number of players",
                decl.condition.span,
            )


def allowed(world: World) -> bool:
    """Whether no constraint refuses the settings of a world."""
    tests = [
        elaborate.condition(world, Scope(), each.condition) for each in world.outline.constraints
    ]
    return not any(constants.value_of(world, test) == 1 for test in tests)


def fewest(outline: Outline, values: Mapping[str, str], texts: Texts | None = None) -> int:
    """The fewest players that the constraints allow with these options."""
    low, high = outline.player_range
    for count in range(low, high + 1) if outline.constraints else ():
        if allowed(world_of(outline, count, values, texts)):
            return count
    return low


def idle(world: World) -> frozenset[str]:
    """The options that mean nothing with these settings (`only_if`)."""
    return frozenset(name for name in world.by_kind["option"] if not options.matters(world, name))


def findings_of_the_rest(world: World) -> list[Diagnostic]:
    """What the checks say of the parts of a file that could be read, so that one run tells all."""
    check_each_part(statements.rule_checker(world))
    check_setting(world)
    return [each for each in world.diagnostics if each.code[:4] in ("RR04", "RR05")]


def world_of_the_rest(outline: Outline, doubtful: frozenset[str]) -> World:
    """The world of what could be read of a file, for its default setting."""
    people = people_of(outline, outline.player_range[0])
    return new_world(outline, people, {}, elaborate.elaborate, doubtful=doubtful)


def check_only(rules: RuleChecker, part: Outline) -> None:
    """Check these declarations and rules, and of others only what they need to know.

    For an editor: `part` is what was just changed, and stands in the outline of the world too.
    """
    world = rules.world
    active = lambda hook: hooks.is_active(rules, hook)  # noqa: E731
    replace_functions(world, active)
    for zone in part.zones:
        made = facts.zone(world, zone.at.name)
        if made is not None:
            visibility.visible(world, made.decl, made.indexes, "zone")
            visibility.count_visible(world, made.decl, made.indexes)
            if made.decl.refill is not None:
                refills.refill(world, made.decl, made.indexes)
    for variable in part.variables:
        known = facts.variable(world, variable.at.name)
        visibility.visible(world, known.decl, known.indexes, "variable")
        if known.decl.start is not None and not isinstance(known.type, t.Unknown):
            facts.constant(world, known.decl.start, known.type)
    for type_ in part.types:
        facts.declared_type(world, type_.at.name)
        tabular.enumeration(world, type_.at.name)
    for table in part.tables:
        tables.table(world, table.at.name)
    for board in part.boards:
        boards.sites(world, board.at.name)
    for kind in part.kinds:
        component_kinds.kind(world, kind.at.name)
    for function in part.functions:
        branching.function_facts(world, function.at.name)
    for when in part.whens:
        facts.constant(world, when, t.Bool())
    for constant in part.constants:
        if constant.value is not None:
            elaborate.elaborate(world, constant.value, None, {})
    for option in part.options:
        options.value(world, option.at.name)
        options.matters(world, option.at.name)
    if part.variants:
        variants(world)
    if part.constraints:
        constraints(world)
    for _, condition in part.always:
        elaborate.condition(world, Scope(), condition)
    statements.only(rules, part)
    if part.scoring.span is not None:
        scoring.typed_scoring(world)
    if part.view:
        view.view(world)
    if part.words or part.story:
        words.words(world)
    undeclared.settle(world)
