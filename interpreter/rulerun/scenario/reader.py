"""The scenarios beside a rules file, read: `NAME.test.yaml` as values that know their place.

Assumes: a document that `rulerun_dsl.yaml.document` has read.
Does: checks it against the shape of scenarios (the same that `schemas/scenario.schema.json` gives
to editors) and takes it apart. Names of the game are not looked up here: there is no game yet.
Leaves behind: `Scenario`s, and diagnostics for what is not one. What is right is there even if
something beside it is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from rulerun_dsl.diagnostics.catalogue import CATALOGUE
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, did_you_mean, problem, suggest
from rulerun_dsl.diagnostics.fixes import Fix, rewrite
from rulerun_dsl.lint.suppressions import Answer, idle, read_answers, unanswered
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Source, Span
from rulerun_dsl.yaml.document import load_document
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar, Sequence
from rulerun_dsl.yaml.open_source import read_source

SUFFIX = ".test.yaml"
_NAME = re.compile(r"[^\W\d]\w*")

_FILE_KEYS = ("scenarios", "ruleset")
_KEYS = (
    "id",
    "title",
    "cite",
    "players",
    "variants",
    "options",
    "given",
    "enter",
    "do",
    "expect",
    "waiting",
    "legal",
    "sees",
    "outcome",
    "error",
)
_OUTCOMES = ("draw", "ongoing")
_OUTCOME_KEYS = ("winners", "points", "places")
_SEES_KEYS = ("hidden", "count", "known", "places")


@frozen
class Holds:
    """An expression of the language that must hold."""

    expression: Scalar


@frozen
class Is:
    """A variable or zone that must be as said: a value, or a list of what lies in it."""

    name: Scalar
    value: Scalar | Sequence


Check = Holds | Is


@frozen
class Takes:
    """A decision: who, and the action's text."""

    player: Scalar
    action: Scalar


@frozen
class Falls:
    """A chance outcome by its text."""

    outcome: Scalar


@frozen
class Refused:
    """A decision that must be refused, for a reason that holds this text."""

    player: Scalar
    action: Scalar
    because: Scalar | None


@frozen
class Checked:
    """Checks in between."""

    checks: tuple[Check, ...]


Item = Takes | Falls | Refused | Checked


@frozen
class Sight:
    """What a viewer sees of a variable or zone: a value, a list, or an object with `hidden`."""

    name: Scalar
    value: Node


@frozen
class Scenario:
    """One test of a rules file. What is left out is None or empty, and then is not tested."""

    id: str
    title: str
    span: Span
    cite: tuple[str, ...]
    players: int | None
    players_span: Span | None
    variants: tuple[Scalar, ...]
    options: tuple[tuple[Scalar, Scalar], ...]
    given: tuple[Is, ...]
    phase: Scalar | None
    loops: tuple[tuple[Scalar, Scalar], ...]
    """Variables of the phase's loops and their values."""
    do: tuple[Item, ...]
    expect: tuple[Check, ...]
    waiting: tuple[Scalar, ...] | None
    waiting_span: Span | None
    legal: tuple[tuple[Scalar, tuple[Scalar, ...]], ...]
    sees: tuple[tuple[Scalar, tuple[Sight, ...]], ...]
    outcome: Node | None
    error: Scalar | None
    """A text that the sentence refusing the set-up must hold."""


@frozen
class ScenarioFile:
    """The scenarios of one file, and the rules file that they are about."""

    path: Path
    ruleset: Path
    span: Span
    """Where the rules file is named, else the beginning."""
    scenarios: tuple[Scenario, ...]


def read_scenarios(path: Path) -> tuple[ScenarioFile | None, list[Diagnostic]]:
    """Read a file of scenarios."""
    source, diagnostics = read_source(path)
    if source is None:
        return None, diagnostics
    document, found = _document(source)
    if document is None:
        return None, found
    reader = _Reader()
    return reader.file(path, document), [*found, *reader.diagnostics]


def _document(source: Source) -> tuple[Mapping | None, list[Diagnostic]]:
    """The document of a file, unless something is wrong with it that no comment answers.

    Only its YAML gives warnings, so that here is known what its comments answer.
    """
    document, found = load_document(source)
    answers, unfit = read_answers((source,))
    used: set[Answer] = set()
    left = unanswered(found, answers, used)
    if document is None or left:
        return None, [*left, *unfit]
    return document, [*unfit, *idle(answers, used, CATALOGUE)]


def scenarios_in(text: str, name: str) -> tuple[tuple[Scenario, ...], list[Diagnostic]]:
    """Read scenarios from a text, whatever rules they are about."""
    document, found = _document(Source(name, text))
    if document is None:
        return (), found
    reader = _Reader()
    file = reader.file(Path(name), document)
    return (() if file is None else file.scenarios), [*found, *reader.diagnostics]


def scalar_of(text: str) -> Scalar:
    """A text as it would stand in a scenario."""
    return Scalar(text, text, Source("position", text).span(0, len(text)))


class _Reader:
    """Takes a document apart and collects what is wrong with it."""

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []

    def report(
        self, message: str, span: Span, help: str | None = None, fixes: tuple[Fix, ...] = ()
    ) -> None:
        self.diagnostics.append(problem("RR1020", message, span, help=help, fixes=fixes))

    # ------------------------------------------------------------------------------- the pieces

    def keys(self, node: Mapping, known: Iterable[str], what: str) -> None:
        known = tuple(known)
        for entry in node:
            if entry.key.text not in known:
                key = entry.key
                near, others = suggest(key.text, known), f"there are {', '.join(known)}"
                hint = did_you_mean(key.span, key.text, near, known, others)
                self.report(f"`{key.text}` is no key of {what}", key.span, **hint)

    def mapping(self, node: Node | None, what: str) -> Mapping | None:
        if node is None or isinstance(node, Mapping):
            return node
        self.report(f"{what} is written as keys with values", node.span)
        return None

    def scalar(self, node: Node | None, what: str) -> Scalar | None:
        if node is None or isinstance(node, Scalar):
            return node
        self.report(f"{what} is a single text", node.span)
        return None

    def scalars(self, node: Node | None, what: str) -> tuple[Scalar, ...]:
        """One text or a list of texts."""
        match node:
            case None:
                return ()
            case Scalar():
                return (node,)
            case Sequence():
                texts = (self.scalar(item, f"each of {what}") for item in node)
                return tuple(text for text in texts if text is not None)
        self.report(f"{what} is a list", node.span)
        return ()

    def pairs(self, node: Node | None, what: str) -> Iterator[tuple[Scalar, Node]]:
        mapping = self.mapping(node, what)
        if mapping is not None:
            yield from ((entry.key, entry.value) for entry in mapping)

    def settings(self, node: Node | None, what: str) -> tuple[tuple[Scalar, Scalar], ...]:
        found = []
        for key, value in self.pairs(node, what):
            scalar = self.scalar(value, f"the value of `{key.text}`")
            if scalar is not None:
                found.append((key, scalar))
        return tuple(found)

    def values(self, node: Node | None, what: str) -> tuple[Is, ...]:
        found = []
        for key, value in self.pairs(node, what):
            if isinstance(value, Mapping):
                # `c1 of P1: {value: 3}`: attributes of a component.
                for name, inner in self.pairs(value, f"`{key.text}`"):
                    if isinstance(inner, Mapping):
                        self.report(f"`{name.text}` is a value or a list", inner.span)
                    else:
                        text = f"({key.text.strip()}).{name.text.strip()}"
                        found.append(Is(replace(name, text=text), inner))
            else:
                found.append(Is(key, value))
        return tuple(found)

    # ---------------------------------------------------------------------------------- the file

    def file(self, path: Path, document: Mapping) -> ScenarioFile | None:
        self.keys(document, _FILE_KEYS, "a file of scenarios")
        ruleset = self.scalar(document.get("ruleset"), "`ruleset`")
        name = path.name.removesuffix(SUFFIX) + ".yaml" if ruleset is None else ruleset.text
        span = document.span.source.span(0) if ruleset is None else ruleset.span
        items = document.get("scenarios")
        if not isinstance(items, Sequence):
            self.report("`scenarios` is a list", span if items is None else items.span)
            return None
        scenarios: dict[str, Scenario] = {}
        for item in items:
            scenario = self.scenario(item)
            if scenario is None:
                continue
            if scenario.id in scenarios:
                self.report(f"the id `{scenario.id}` is used twice", scenario.span)
            scenarios.setdefault(scenario.id, scenario)
        return ScenarioFile(path, path.parent / name, span, tuple(scenarios.values()))

    def scenario(self, node: Node) -> Scenario | None:
        mapping = self.mapping(node, "a scenario")
        if mapping is None:
            return None
        before = len(self.diagnostics)
        self.keys(mapping, _KEYS, "a scenario")
        id_ = self.scalar(mapping.get("id"), "`id`")
        if id_ is None:
            self.report("a scenario has an `id`", mapping.span)
        title = self.scalar(mapping.get("title"), "`title`")
        phase, loops = self.enter(mapping.get("enter"))
        error = mapping.get("error")
        waiting = mapping.get("waiting")
        players = mapping.get("players")
        scenario = Scenario(
            id=id_.text if id_ else "",
            title=title.text if title else "",
            span=(id_ or mapping).span,
            cite=tuple(each.text for each in self.scalars(mapping.get("cite"), "`cite`")),
            players=self.players(players),
            players_span=None if players is None else players.span,
            variants=self.scalars(mapping.get("variants"), "`variants`"),
            options=self.settings(mapping.get("options"), "`options`"),
            given=self.values(mapping.get("given"), "`given`"),
            phase=phase,
            loops=loops,
            do=self.do(mapping.get("do")),
            expect=self.checks(mapping.get("expect")),
            waiting=None if waiting is None else self.scalars(waiting, "`waiting`"),
            waiting_span=None if waiting is None else waiting.span,
            legal=tuple(
                (key, self.scalars(value, f"what is legal for `{key.text}`"))
                for key, value in self.pairs(mapping.get("legal"), "`legal`")
            ),
            sees=tuple(
                (key, self.sights(key, value))
                for key, value in self.pairs(mapping.get("sees"), "`sees`")
            ),
            outcome=self.outcome(mapping.get("outcome")),
            error=self.error(error),
        )
        return None if len(self.diagnostics) > before else scenario

    def players(self, node: Node | None) -> int | None:
        scalar = self.scalar(node, "`players`")
        if scalar is None:
            return None
        if type(scalar.value) is not int or scalar.value < 1:
            self.report("`players` is how many play", scalar.span)
            return None
        return scalar.value

    def enter(self, node: Node | None) -> tuple[Scalar | None, tuple[tuple[Scalar, Scalar], ...]]:
        if node is None or isinstance(node, Scalar):
            return node, ()
        settings = self.settings(node, "`enter`")
        phase = next((value for key, value in settings if key.text == "phase"), None)
        if phase is None:
            self.report("`enter` names a `phase`", node.span)
        return phase, tuple(pair for pair in settings if pair[0].text != "phase")

    def do(self, node: Node | None) -> tuple[Item, ...]:
        if node is None:
            return ()
        if not isinstance(node, Sequence):
            self.report("`do` is a list of inputs", node.span)
            return ()
        items = (self.item(item) for item in node)
        return tuple(item for item in items if item is not None)

    def item(self, node: Node) -> Item | None:
        mapping = self.mapping(node, "an input")
        if mapping is None:
            return None
        if len(mapping) != 1:
            self.report("an input has one key: a player, `chance`, `refuse` or `expect`", node.span)
            return None
        (entry,) = mapping
        match entry.key.text:
            case "expect":
                return Checked(self.checks(entry.value))
            case "refuse":
                return self.refused(entry.value)
            case "chance":
                outcome = self.scalar(entry.value, "a chance outcome")
                return None if outcome is None else Falls(outcome)
        action = self.scalar(entry.value, "an action")
        return None if action is None else Takes(entry.key, action)

    def refused(self, node: Node) -> Refused | None:
        settings = self.settings(node, "`refuse`")
        because = next((value for key, value in settings if key.text == "because"), None)
        players = [pair for pair in settings if pair[0].text != "because"]
        if len(players) != 1:
            self.report("`refuse` has one player with an action, and may have `because`", node.span)
            return None
        return Refused(*players[0], because)

    def checks(self, node: Node | None) -> tuple[Check, ...]:
        if node is None:
            return ()
        if isinstance(node, Scalar):
            return (Holds(node),)
        if isinstance(node, Mapping):
            return self.values(node, "`expect`")
        found: list[Check] = []
        for item in node:
            if isinstance(item, Sequence):
                self.report("a check is an expression or a name with a value", item.span)
            else:
                found += self.checks(item)
        return tuple(found)

    def sights(self, viewer: Scalar, node: Node) -> tuple[Sight, ...]:
        found = []
        for key, value in self.pairs(node, f"what `{viewer.text}` sees"):
            if isinstance(value, Mapping):
                self.keys(value, _SEES_KEYS, "what is seen of a zone")
            found.append(Sight(key, value))
        return tuple(found)

    def outcome(self, node: Node | None) -> Node | None:
        if isinstance(node, Scalar) and node.text not in _OUTCOMES:
            # A name alone says who wins, as people say it.
            winner = f"{{winners: [{node.text if _NAME.fullmatch(node.text) else 'NAME'}]}}"
            fixes = () if "NAME" in winner else rewrite(node.span, winner, safe=False)
            message = "`outcome` is `draw`, `ongoing`, or says who wins"
            self.report(message, node.span, f"write `{winner}`", fixes)
        elif isinstance(node, Mapping):
            self.keys(node, _OUTCOME_KEYS, "an outcome")
            self.scalars(node.get("winners"), "`winners`")
            for key in ("points", "places"):
                self.settings(node.get(key), f"`{key}`")
        elif isinstance(node, Sequence):
            self.report("`outcome` is `draw`, `ongoing`, or says who wins", node.span)
        return node

    def error(self, node: Node | None) -> Scalar | None:
        if node is None or isinstance(node, Scalar):
            return node
        settings = self.settings(node, "`error`")
        if [key.text for key, _ in settings] != ["because"]:
            self.report("`error` has the one key `because`", node.span)
            return None
        return settings[0][1]
