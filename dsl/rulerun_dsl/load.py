"""The public face of the language: from a file to a game.

    loaded, diagnostics = load("rulesets/brave_rats.yaml")
    game, more = loaded.game(options={"target": "3"})

Nothing is raised for a mistake in a file: every pass gives its findings, and goes on as far as is
sound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from rulerun_dsl import model as m
from rulerun_dsl.check import checker
from rulerun_dsl.check.env import constants, facts
from rulerun_dsl.check.env.recorder import Recorder
from rulerun_dsl.check.env.texts import Texts
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import elaborate, undeclared
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.check.kin import Kin
from rulerun_dsl.check.stmt.rule_checker import RuleChecker
from rulerun_dsl.codegen.fingerprint import fingerprint_of, former_fingerprints_of
from rulerun_dsl.codegen.generate import functions_of, generate
from rulerun_dsl.diagnostics.diagnostic import (
    COUNTS,
    Diagnostic,
    first_of,
    has_errors,
    problem,
    suggest,
    without_echoes,
)
from rulerun_dsl.lint import in_all, lints
from rulerun_dsl.lint.suppressions import Answer, read_answers, unanswered
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.outline.citations import citations_of
from rulerun_dsl.outline.outline import outline
from rulerun_dsl.schema.shapes import check_shape
from rulerun_dsl.source.regular_files import within
from rulerun_dsl.source.spans import Source, Span
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.yaml import recovery
from rulerun_dsl.yaml.document import load_document
from rulerun_dsl.yaml.nodes import Mapping as Node
from rulerun_dsl.yaml.nodes import Scalar, Sequence
from rulerun_dsl.yaml.open_source import read_source


@dataclass
class Loaded:
    """A rules file that was read and parsed; games are made from it for any settings."""

    source: Source
    outline: declarations.Outline
    fingerprint: str
    modules: tuple[Source, ...] = ()
    """The module files."""
    former_fingerprints: tuple[str, ...] = ()
    answers: tuple[Answer, ...] = ()
    """The comments that answer findings (see `lint.suppressions`)."""
    answered: set[Answer] = field(default_factory=set)
    """Those that answered one, in the settings for which a game was made."""
    guarded: bool = True
    """Whether it is looked for where secrets get out; without, a game is good for play alone."""
    _checked: dict[tuple[object, ...], tuple[m.Game | None, list[Diagnostic]]] = field(
        default_factory=dict
    )
    _rules: dict[int, RuleChecker] = field(default_factory=dict)
    """By the identity of a game, which `_checked` keeps alive."""
    _asked: dict[int, m.Game] = field(default_factory=dict)
    """In the same way, games with what only expressions from outside have asked for."""
    _fewest: dict[tuple[tuple[str, str], ...], int] = field(default_factory=dict)
    _texts: Texts = field(default_factory=Texts)
    _kin: Kin = field(default_factory=Kin)
    _sound: set[tuple[object, ...]] = field(default_factory=set)
    """The numbers of players with values of decisive options for which no secret gets out."""

    def anew(self) -> Loaded:
        """The same file, without the games that were made of it."""
        return replace(self, _checked={}, _rules={}, _asked={}, _kin=Kin(), _sound=set())

    def unguarded(self) -> Loaded:
        """The same file for play alone, with the games that were made of it so far."""
        made = {**self._checked}
        return replace(
            self, guarded=False, _checked=made, _rules={**self._rules}, _asked={**self._asked}
        )

    def people_among(self, players: Iterable[str]) -> int:
        """How many of these players, as a record names them, are no automata."""
        automata = {each.name.text for each in self.outline.automata}
        return sum(name not in automata for name in players)

    def fewest(self, values: Mapping[str, str]) -> int:
        """The fewest players that the constraints allow with these options."""
        key = tuple(sorted(values.items()))
        if key not in self._fewest:
            self._fewest[key] = checker.fewest(self.outline, values, self._texts)
        return self._fewest[key]

    def decisive(self, players: int | None = None) -> frozenset[str]:
        """The options on which it depends what the checks find, for the default settings.

        Types, sizes and visibilities depend on them. Every branch is checked whatever the options,
        so a file that is sound for each value of these is sound for all.
        """
        game, _ = self.game(players)
        return frozenset(self.rules_of(game).world.decisive) if game is not None else frozenset()

    @property
    def variants(self) -> tuple[str, ...]:
        """The names of the variants."""
        return tuple(each.at.name for each in self.outline.variants)

    @cached_property
    def _by_name(self) -> tuple[dict[str, declarations.VariantDecl], frozenset[str]]:
        """The variants, and the names of the options: asked for with every setting."""
        return (
            {each.at.name: each for each in self.outline.variants},
            frozenset(each.at.name for each in self.outline.options),
        )

    def settings(
        self, options: Mapping[str, str], variants: Iterable[str]
    ) -> tuple[dict[str, str], list[Diagnostic]]:
        """The options that variants and options set together; options come last."""
        findings: list[Diagnostic] = []
        values: dict[str, str] = {}
        known, names = self._by_name
        for name in variants:
            if name not in known:
                findings.append(_unknown(name, "variant", known))
                continue
            for key, scalar in known[name].values:
                values[key.text] = scalar.text
        for name, value in options.items():
            if name not in names:
                findings.append(_unknown(name, "option", names))
                continue
            values[name] = value
        return values, findings

    def _settled(
        self, players: int | None, options: Mapping[str, str] | None, variants: Iterable[str]
    ) -> tuple[int, dict[str, str], list[Diagnostic]]:
        """How many play, the options, and what is wrong with either by itself."""
        values, findings = self.settings(options or {}, variants)
        count = self.fewest(values) if players is None else players
        low, high = self.outline.player_range
        if not low <= count <= high:
            wanted = str(low) if low == high else f"{low} to {high}"
            message = f"{self.outline.title} is for {wanted} players, not {count}"
            findings.append(problem("RR0413", message, None))
        return count, values, findings

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
        count, values, findings = self._settled(players, options, variants)
        if has_errors(findings):
            return None, findings
        key = (count, tuple(sorted(values.items())))
        if key not in self._checked:
            self._checked[key] = self._make(count, values)
        game, diagnostics = self._checked[key]
        return game, [*findings, *unanswered(diagnostics, self.answers, self.answered)]

    def playable(
        self,
        players: int | None = None,
        options: Mapping[str, str] | None = None,
        variants: Iterable[str] = (),
    ) -> tuple[m.Game | None, list[Diagnostic]]:
        """The same for who plays many settings: where secrets get out is looked for less often.

        Whether they do depends on the number of players and on the options that are `decisive`,
        so it is looked for once for each value of these.
        """
        count, values, findings = self._settled(players, options, variants)
        if has_errors(findings):
            return None, findings
        key = (count, tuple(sorted(values.items())))
        if key in self._checked or not self.guarded:
            return self.game(players, options, variants)
        decisive = self.decisive(count)
        alike = (count, tuple(each for each in key[1] if each[0] in decisive))
        if alike in self._sound:
            self._checked[key] = self._make(count, values, secrets=False)
        game, found = self.game(players, options, variants)
        if game is not None:
            self._sound.add(alike)
        return game, found

    def refused(
        self,
        players: int | None = None,
        options: Mapping[str, str] | None = None,
        variants: Iterable[str] = (),
    ) -> list[Diagnostic]:
        """What is wrong with settings by themselves: names, values, what constraints refuse.

        That the rules are right with them, only `game` says.
        """
        count, values, findings = self._settled(players, options, variants)
        if not has_errors(findings):
            world = self._world(count, values)
            checker.settings(world)
            checker.constraints(world)
            findings += world.diagnostics
        return findings

    def idle(self, players: int | None, options: Mapping[str, str]) -> frozenset[str]:
        """The options that mean nothing beside these (`only_if`).

        `options` are all that are set, by variants too; they are right by themselves.
        """
        count, values, _ = self._settled(players, options, ())
        return checker.idle(self._world(count, values))

    def unproved(
        self,
        players: int | None = None,
        options: Mapping[str, str] | None = None,
        variants: Iterable[str] = (),
    ) -> list[Diagnostic]:
        """What is found out only in play (`validate --strict`), for these settings."""
        count, values, _ = self._settled(players, options, variants)
        world = self._world(count, values)
        world.strict = True
        checker.check_world(world)
        findings = first_of(each for each in world.diagnostics if each.code.startswith("RR08"))
        return unanswered(findings, self.answers, self.answered)

    def rules_of(self, game: m.Game) -> RuleChecker:
        """What the checks left of the rules, of which this game was made."""
        return self._rules[id(game)]

    def lints(self, game: m.Game) -> list[Diagnostic]:
        """What is hardly meant in a game made from this file."""
        return list(lints(self.rules_of(game)))

    def hardly_meant(self, settings: Iterable[Iterable[Diagnostic]]) -> list[Diagnostic]:
        """What `lints` has found in every one of these settings."""
        return unanswered(in_all(settings), self.answers, self.answered)

    def _world(self, count: int, values: Mapping[str, str]) -> World:
        return checker.world_of(self.outline, count, values, self._texts)

    def _make(
        self, count: int, values: Mapping[str, str], secrets: bool = True
    ) -> tuple[m.Game | None, list[Diagnostic]]:
        world = self._world(count, values)
        rules = checker.check_world(world, secrets and self.guarded, self._kin)
        if has_errors(world.diagnostics):
            return None, first_of([*world.diagnostics, *world.unfollowed])
        game = generate(rules, self.fingerprint, self.former_fingerprints)
        if has_errors(world.diagnostics):
            game = None
        if game is not None:
            self._rules[id(game)] = rules
        return game, first_of([*world.diagnostics, *world.unfollowed])

    def expression(
        self, game: m.Game, node: s.Expression, expected: t.Type | None = None
    ) -> tuple[m.Expression | None, list[Diagnostic]]:
        """Type an expression in the context of a game made from this file (see scenarios).

        The names that it binds lie behind the registers of the game, and behind nothing else: no
        two expressions are evaluated at once.
        """
        with self.world_of(game) as world:
            typed = elaborate.check(world, Scope(), node, expected)
            undeclared.settle(world, declares=False)
            diagnostics = list(world.diagnostics)
            if has_errors(diagnostics):
                return None, diagnostics
            return constants.fold(world, typed), diagnostics

    def gone(self, game: m.Game) -> list[Span]:
        """The conditions of modules and chapters that are not in a game made from this file."""
        with self.world_of(game) as world:
            return [
                each.span
                for each in self.outline.whens
                if not facts.constant(world, each, t.Bool())
            ]

    def as_asked(self, game: m.Game) -> m.Game:
        """A game with the functions that only expressions from outside call: `points(p)`, say."""
        world = self.rules_of(game).world
        known = self._asked.get(id(game), game)
        if len(world.functions) > len(known.functions):
            functions, registers = functions_of(world), world.registers
            known = self._asked[id(game)] = replace(game, functions=functions, registers=registers)
        return known

    @contextmanager
    def world_of(self, game: m.Game) -> Iterator[World]:
        """The world of a game made from this file, for something that is checked once.

        While inside, the world has no findings but what is found there.
        """
        world = self.rules_of(game).world
        before, world.diagnostics = world.diagnostics, []
        world._reported.clear()
        try:
            with world.once():
                yield world
        finally:
            world.diagnostics = before


def _unknown(name: str, what: str, known: Iterable[str]) -> Diagnostic:
    close = suggest(name, known)
    listed = ", ".join(sorted(known))
    hint = f"did you mean `{close}`?" if close else (f"there are: {listed}" if listed else None)
    return problem("RR0412", f"there is no {what} `{name}`", None, help=hint)


Reader = Callable[[str | Path | bytes, str | None], tuple[Source | None, list[Diagnostic]]]
"""Reads a file, called as people know it."""


def load(
    path: str | Path | bytes, name: str | None = None, read: Reader = read_source
) -> tuple[Loaded | None, list[Diagnostic]]:
    """Read and parse a rules file and its module files (`files:`).

    `read` may give texts that are not saved yet.
    """
    source, findings = read(path, name)
    if source is None:
        return None, findings
    document, more = read_document(source)
    findings.extend(more)
    if document is None:
        return None, first_of(findings)
    documents = [document]
    complete = True
    files = document.get("files")
    if isinstance(files, Sequence) and isinstance(path, bytes):
        findings.append(
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
                module, diagnostics = load_module(Path(path).parent, item, name, read)
                findings.extend(diagnostics)
                if module is not None:
                    documents.append(module)
                else:
                    complete = False
    outlined, findings = outline_of(documents, findings)
    if outlined is None:
        return None, findings
    if has_errors(findings) and (not complete or any(each.code in COUNTS for each in findings)):
        # What is missing would be missed everywhere.
        return None, findings
    if has_errors(findings):
        rest, _ = findings_of_the_rest(outlined, documents, findings)
        return None, first_of(without_echoes([*findings, *rest]))
    modules = tuple(each.span.source for each in documents[1:])
    answers, more = read_answers((source, *modules))
    former = former_fingerprints_of(outlined)
    loaded = Loaded(source, outlined, fingerprint_of(outlined), modules, former, answers)
    return loaded, first_of([*unanswered(findings, answers, loaded.answered), *more])


def outline_of(
    documents: list[Node],
    findings: Iterable[Diagnostic],
) -> tuple[declarations.Outline | None, list[Diagnostic]]:
    """The outline of a rules file and its modules, with what was found before and on the way."""
    citations, more = citations_of(documents[0].span.source, documents[0])
    outlined, others = outline(documents, citations)
    return outlined, first_of(without_echoes([*findings, *more, *others]))


def findings_of_the_rest(
    outlined: declarations.Outline,
    documents: list[Node],
    findings: list[Diagnostic],
    recorder: Recorder | None = None,
) -> tuple[list[Diagnostic], World]:
    """What is wrong in the parts that could be read, without echoes of what could not; the world.

    With a recorder, that world tells it what names stand for.
    """
    doubtful = recovery.words_of(documents) | recovery.words_near(findings)
    world = checker.world_of_the_rest(outlined, doubtful)
    world.recorder = recorder
    rest = checker.findings_of_the_rest(world)
    return without_what_follows(documents, findings, rest), world


def without_what_follows(
    documents: list[Node], findings: list[Diagnostic], rest: list[Diagnostic]
) -> list[Diagnostic]:
    """Findings of the checker without those that only follow from what could not be read."""
    keys = list(recovery.keys_round(documents, findings))
    # What a declaration lacks may stand in the part of it that could not be read.
    broken = {key.span for key in keys}
    echoes = ("RR05", "RR0407")
    rest = [each for each in rest if not each.code.startswith(echoes) or each.span not in broken]
    # Who `you` is says a loop, which may be the part that could not be read.
    if any(key.text in ("for", "turns", "together", "by") for key in keys) or any(
        each.code in ("RR0201", "RR0210") for each in findings
    ):
        rest = [each for each in rest if each.code != "RR0405"]
    return rest


def load_module(
    folder: Path, item: Scalar, beside: str | None = None, read: Reader = read_source
) -> tuple[Node | None, list[Diagnostic]]:
    """Read a module file; it must lie beside or below the main one, wherever links lead.

    `beside` is what messages call the main one, if not by its path.
    """
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
    named = folder if beside is None else Path(beside).parent
    source, findings = read(real, str(named / relative))
    if source is None:
        return None, [
            problem(each.code, each.message, item.span, help=each.help) for each in findings
        ]
    document, more = read_document(source)
    return document, [*findings, *more]


def read_document(source: Source) -> tuple[Node | None, list[Diagnostic]]:
    """The document of a text, and what is wrong with it before any rule in it is parsed."""
    document, findings = load_document(source)
    if document is not None:
        findings.extend(check_shape(document))
    return document, findings


def load_game(
    path: str | Path | bytes,
    players: int | None = None,
    options: Mapping[str, str] | None = None,
    variants: Iterable[str] = (),
) -> tuple[m.Game | None, list[Diagnostic]]:
    """Load a file and make a game of it in one go."""
    loaded, findings = load(path)
    if loaded is None:
        return None, findings
    game, more = loaded.game(players, options, variants)
    return game, [*findings, *more]
