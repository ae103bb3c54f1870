"""The public face of the language: from a file to a game.

    loaded, diagnostics = load("rulesets/brave_rats.yaml")
    game, more = loaded.game(options={"target": "3"})

Nothing is raised for a mistake in a file: every pass gives its findings, and goes on as far as is
sound.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from rulerun_dsl import model as m
from rulerun_dsl.check.display import view
from rulerun_dsl.check.env import (
    boards,
    component_kinds,
    constants,
    facts,
    refills,
    tables,
    tabular,
)
from rulerun_dsl.check.env.new_world import new_world
from rulerun_dsl.check.env.world import RESERVED_TYPES, World
from rulerun_dsl.check.expr import branching, elaborate, visibility
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.check.stmt import hooks, phases, scoring, statements, targets
from rulerun_dsl.check.stmt.rules import RuleChecker
from rulerun_dsl.check.whole import flow
from rulerun_dsl.check.whole.automata import check_automata
from rulerun_dsl.check.whole.information_flow import check_information
from rulerun_dsl.codegen.generate import fingerprint_of, former_fingerprint_of, lower
from rulerun_dsl.diagnostics.diagnostic import (
    COUNTS,
    Diagnostic,
    first_of,
    has_errors,
    problem,
    without_echoes,
)
from rulerun_dsl.lint import in_all, lints
from rulerun_dsl.lint.suppressions import Answer, read_answers, unanswered
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.outline.citations import citations_of
from rulerun_dsl.outline.outline import outline
from rulerun_dsl.schema import check_shape
from rulerun_dsl.source.regular_files import within
from rulerun_dsl.source.spans import Source
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.yaml import recovery
from rulerun_dsl.yaml.document import load_document, read_source
from rulerun_dsl.yaml.nodes import Mapping as Node
from rulerun_dsl.yaml.nodes import Scalar, Sequence


@dataclass
class Loaded:
    """A rules file that was read and parsed; games are made from it for any settings."""

    source: Source
    outline: declarations.Outline
    fingerprint: str
    modules: tuple[Source, ...] = ()
    """The module files."""
    former_fingerprint: str = ""
    answers: tuple[Answer, ...] = ()
    """The comments that answer findings (see `ignoring`)."""
    answered: set[Answer] = field(default_factory=set)
    """Those that answered one, in the settings for which a game was made."""
    _checked: dict[tuple[object, ...], tuple[m.Game | None, list[Diagnostic]]] = field(
        default_factory=dict
    )
    _worlds: dict[int, World] = field(default_factory=dict)
    _rules: dict[int, RuleChecker] = field(default_factory=dict)

    def anew(self) -> Loaded:
        """The same file, without the games that were made of it."""
        return replace(self, _checked={}, _worlds={}, _rules={})

    @property
    def default_players(self) -> int:
        """The fewest players that play without further settings."""
        return self.fewest({})

    def people_among(self, players: Iterable[str]) -> int:
        """How many of these players, as a record names them, are no automata."""
        automata = {each.name.text for each in self.outline.automata}
        return sum(name not in automata for name in players)

    def fewest(self, values: Mapping[str, str]) -> int:
        """The fewest players that the constraints allow with these options."""
        low, high = self.outline.player_range
        for count in range(low, high + 1) if self.outline.constraints else ():
            world = self._world(count, values)
            tests = [
                elaborate.condition(world, Scope(), each.condition)
                for each in self.outline.constraints
            ]
            if not any(constants.value_of(world, test) == 1 for test in tests):
                return count
        return low

    def decisive(self, players: int | None = None) -> frozenset[str]:
        """The options on which it depends what the checks find, for the default settings.

        Types, sizes and visibilities depend on them. Every branch is checked whatever the options,
        so a file that is sound for each value of these is sound for all.
        """
        game, _ = self.game(players)
        return frozenset(self._worlds[id(game)].decisive) if game is not None else frozenset()

    @property
    def variants(self) -> tuple[str, ...]:
        """The names of the variants."""
        return tuple(each.at.name for each in self.outline.variants)

    def settings(
        self, options: Mapping[str, str], variants: Iterable[str]
    ) -> tuple[dict[str, str], list[Diagnostic]]:
        """The options that variants and options set together; options come last."""
        found: list[Diagnostic] = []
        values: dict[str, str] = {}
        known = {each.at.name: each for each in self.outline.variants}
        names = {each.at.name for each in self.outline.options}
        for name in variants:
            if name not in known:
                found.append(_unknown(name, "variant", known))
                continue
            for key, scalar in known[name].values:
                values[key.text] = scalar.text
        for name, value in options.items():
            if name not in names:
                found.append(_unknown(name, "option", names))
                continue
            values[name] = value
        return values, found

    def game(
        self,
        players: int | None = None,
        options: Mapping[str, str] | None = None,
        variants: Iterable[str] = (),
    ) -> tuple[m.Game | None, list[Diagnostic]]:
        """The game for these settings, or None with the reasons.

        `options` are texts, as one writes them; they overrule the variants, which set their
        options in the order given.
        """
        values, found = self.settings(options or {}, variants)
        count = self.fewest(values) if players is None else players
        found += self._wrong_count(count)
        if has_errors(found):
            return None, found
        key = (count, tuple(sorted(values.items())))
        if key not in self._checked:
            self._checked[key] = self._make(count, values)
        game, diagnostics = self._checked[key]
        return game, [*found, *unanswered(diagnostics, self.answers, self.answered)]

    def refused(
        self,
        players: int | None = None,
        options: Mapping[str, str] | None = None,
        variants: Iterable[str] = (),
    ) -> list[Diagnostic]:
        """What is wrong with settings by themselves: names, values, what constraints refuse.

        That the rules are right with them, only `game` says.
        """
        values, found = self.settings(options or {}, variants)
        count = self.fewest(values) if players is None else players
        found += self._wrong_count(count)
        if not has_errors(found):
            world = self._world(count, values)
            for name in world.by_kind["option"]:
                facts.setting(world, name)
            constraints(world)
            found += world.diagnostics
        return found

    def _wrong_count(self, count: int) -> list[Diagnostic]:
        low, high = self.outline.player_range
        if low <= count <= high:
            return []
        wanted = str(low) if low == high else f"{low} to {high}"
        message = f"{self.outline.title} is for {wanted} players, not {count}"
        return [problem("RR0413", message, None)]

    def unproved(
        self,
        players: int | None = None,
        options: Mapping[str, str] | None = None,
        variants: Iterable[str] = (),
    ) -> list[Diagnostic]:
        """What is found out only in play (`validate --strict`), for these settings."""
        values, _ = self.settings(options or {}, variants)
        count = self.fewest(values) if players is None else players
        world = self._world(count, values)
        world.strict = True
        check(statements.rule_checker(world))
        found = first_of(each for each in world.diagnostics if each.code.startswith("RR08"))
        return unanswered(found, self.answers, self.answered)

    def lints(self, game: m.Game) -> list[Diagnostic]:
        """What is hardly meant in a game made from this file."""
        return list(lints(self._rules[id(game)]))

    def hardly_meant(self, settings: Iterable[Iterable[Diagnostic]]) -> list[Diagnostic]:
        """What `lints` has found in every one of these settings."""
        return unanswered(in_all(settings), self.answers, self.answered)

    def _world(self, count: int, values: Mapping[str, str]) -> World:
        names = tuple(scalar.text for scalar in self.outline.players)
        people = names or tuple(f"P{number + 1}" for number in range(count))
        automata: tuple[str, ...] = ()
        if self.outline.automata:
            # Whether an automa plays, the options and the number of people say.
            world = new_world(self.outline, people, values, elaborate.elaborate)
            automata = tuple(
                each.name.text
                for each in self.outline.automata
                if each.when is None or facts.constant(world, each.when, t.Bool()) == 1
            )
        players = (*people, *automata)
        return new_world(self.outline, players, values, elaborate.elaborate, people=len(people))

    def _make(
        self, count: int, values: Mapping[str, str]
    ) -> tuple[m.Game | None, list[Diagnostic]]:
        world = self._world(count, values)
        rules = statements.rule_checker(world)
        check(rules)
        if has_errors(world.diagnostics):
            return None, first_of(world.diagnostics)
        game = lower(rules, self.fingerprint, self.former_fingerprint)
        if game is not None:
            self._worlds[id(game)] = world
            self._rules[id(game)] = rules
        if has_errors(world.diagnostics):
            game = None
        return game, first_of(world.diagnostics)

    def expression(
        self, game: m.Game, node: s.Expression, expected: t.Type | None = None
    ) -> tuple[m.Expression | None, list[Diagnostic]]:
        """Type an expression in the context of a game made from this file (see scenarios).

        The names that it binds lie behind the registers of the game, and behind nothing else: no
        two expressions are evaluated at once.
        """
        world = self._worlds[id(game)]
        mark = len(world.diagnostics)
        world._reported.clear()
        with world.once():
            found = elaborate.check(world, Scope(), node, expected)
            diagnostics = world.diagnostics[mark:]
            del world.diagnostics[mark:]
            if has_errors(diagnostics):
                return None, diagnostics
            return constants.fold(world, found), diagnostics


def check(rules: RuleChecker, whole: bool = True) -> None:
    """Check everything of a world: declarations, rules, the whole, who may know what.

    Unless `whole`, nothing is said of the whole: a part of the file is missing.
    """
    world = rules.world
    for name in world.by_kind["option"]:
        facts.setting(world, name)
    variants(world)
    for when in world.outline.whens:
        facts.constant(world, when, t.Bool())
    automata(world)
    world.replace_functions(lambda hook: hooks.is_active(rules, hook))
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
    phases.game(rules)
    statements.finish(rules)
    scoring.model_scoring(world)
    for _, condition in world.outline.always:
        elaborate.condition(world, Scope(), condition)
    constraints(world)
    constants_by_count(world)
    for option in world.outline.options:
        facts.matters(world, option.at.name)
    if not whole:
        return
    for name in world.by_kind["board"]:
        # What `links:` reads is read.
        boards.board(world, name)
    view.view(world)
    sound = not has_errors(world.diagnostics)
    flow.check_flow(rules, sound)
    check_automata(rules)
    if sound:
        # What looks at the whole would only echo what was found in the parts.
        check_information(rules)


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
    options = world.by_kind["option"]
    for decl in world.outline.variants:
        for key, value in decl.values:
            if key.text not in options:
                world.unknown(key.text, key.span, "option", options)
                continue
            type_ = facts.setting_type(world, key.text)
            facts.read_setting(world, key.text, type_, value.text, value.span)


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


def _unknown(name: str, what: str, known: Iterable[str]) -> Diagnostic:
    from rulerun_dsl.diagnostics.diagnostic import suggest

    close = suggest(name, known)
    listed = ", ".join(sorted(known))
    hint = f"did you mean `{close}`?" if close else (f"there are: {listed}" if listed else None)
    return problem("RR0412", f"there is no {what} `{name}`", None, help=hint)


def load(
    path: str | Path | bytes, name: str | None = None
) -> tuple[Loaded | None, list[Diagnostic]]:
    """Read and parse a rules file and its module files (`files:`)."""
    source, found = read_source(path, name)
    if source is None:
        return None, found
    document, more = load_document(source)
    found.extend(more)
    if document is None:
        return None, first_of(found)
    found.extend(check_shape(document))
    documents = [document]
    complete = True
    files = document.get("files")
    if isinstance(files, Sequence) and isinstance(path, bytes):
        found.append(
            problem(
                "RR0140",
                "a text without a folder can have no module files",
                files.span,
                help="check the file by its path",
            )
        )
    elif isinstance(files, Sequence) and not isinstance(path, bytes):
        for item in files.items:
            if isinstance(item, Scalar):
                module, diagnostics = load_module(Path(path).parent, item)
                found.extend(diagnostics)
                if module is not None:
                    documents.append(module)
                else:
                    complete = False
    citations, more = citations_of(source, document)
    found.extend(more)
    made, more = outline(documents, citations)
    found.extend(more)
    found = first_of(without_echoes(found))
    if made is None:
        return None, found
    if has_errors(found) and (not complete or any(each.code in COUNTS for each in found)):
        # What is missing would be missed everywhere.
        return None, found
    if has_errors(found):
        doubtful = recovery.words_of(documents) | recovery.words_near(found)
        broken = {key.span for key in recovery.keys_round(documents, found)}
        rest = findings_of_the_rest(made, doubtful)
        # What a declaration lacks may stand in the part of it that could not be read.
        echoes = ("RR05", "RR0407")
        rest = [
            each for each in rest if not each.code.startswith(echoes) or each.span not in broken
        ]
        # Who `you` is says a loop, which may be the part that could not be read.
        loops = ("for", "turns", "together", "by")
        if any(each.text in loops for each in recovery.keys_round(documents, found)) or any(
            each.code in ("RR0201", "RR0210") for each in found
        ):
            rest = [each for each in rest if each.code != "RR0405"]
        return None, first_of(without_echoes([*found, *rest]))
    modules = tuple(each.span.source for each in documents[1:])
    answers, more = read_answers((source, *modules))
    former = former_fingerprint_of(made)
    loaded = Loaded(source, made, fingerprint_of(made), modules, former, answers)
    return loaded, first_of([*unanswered(found, answers, loaded.answered), *more])


def findings_of_the_rest(made: declarations.Outline, doubtful: frozenset[str]) -> list[Diagnostic]:
    """What the checks say of the parts of a file that could be read, so that one run tells all."""
    names = tuple(scalar.text for scalar in made.players)
    players = names or tuple(f"P{number + 1}" for number in range(made.player_range[0]))
    world = new_world(made, players, {}, elaborate.elaborate, doubtful=doubtful)
    check(statements.rule_checker(world), whole=False)
    return [each for each in world.diagnostics if each.code[:4] in ("RR04", "RR05")]


def load_module(folder: Path, item: Scalar) -> tuple[Node | None, list[Diagnostic]]:
    """Read a module file; it must lie beside or below the main one, wherever links lead."""
    relative = Path(item.text)
    plain = not relative.is_absolute() and ".." not in relative.parts
    real = within(folder, folder / relative) if plain else None
    if real is None:
        verb = "leads" if plain else "lies"
        return None, [
            problem(
                "RR0148",
                f"`{item.text}` {verb} outside the folder of the rules file",
                item.span,
                help="copy the file into that folder, or into one below it",
            )
        ]
    source, found = read_source(real, str(folder / relative))
    if source is None:
        return None, [problem(each.code, each.message, item.span, help=each.help) for each in found]
    document, more = load_document(source)
    found.extend(more)
    if document is not None:
        found.extend(check_shape(document))
    return document, found


def load_game(
    path: str | Path | bytes,
    players: int | None = None,
    options: Mapping[str, str] | None = None,
    variants: Iterable[str] = (),
) -> tuple[m.Game | None, list[Diagnostic]]:
    """Load a file and make a game of it in one go."""
    loaded, found = load(path)
    if loaded is None:
        return None, found
    game, more = loaded.game(players, options, variants)
    return game, [*found, *more]
