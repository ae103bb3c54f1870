"""What a scenario names, checked against a game without playing it, for `validate` and `test`.

Assumes: scenarios that `reader` has read, and a game made for the settings of one.
Does: looks up every player, phase, zone, variable and value; types every expression; finds the
action that every text means. Which action a text means may depend on who may do what there: it is
enough that some action of the game can be meant. A text that is to be refused must be an action as
well, of this game or of the same rules in another setting, or choose some of what may be chosen: a
refusal of what nobody could ever do says nothing about the rules.
Leaves behind diagnostics, all of a scenario's at once. Only play shows whether what is named is so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from rulerun.analysis.settings import Setting, by_players, by_value
from rulerun.runtime import actions
from rulerun.runtime.index import Instance
from rulerun.scenario import spelling
from rulerun.scenario.checks import Failure, plain_word, spread, typed
from rulerun.scenario.names import GameNames, Misfit, Named
from rulerun.scenario.reader import (
    Check,
    Checked,
    Falls,
    Holds,
    Is,
    Refused,
    Scenario,
    Sight,
    Takes,
)
from rulerun_dsl.diagnostics.diagnostic import (
    Diagnostic,
    Related,
    Severity,
    did_you_mean,
    evident,
    has_errors,
    not_checked,
    problem,
    suggest,
)
from rulerun_dsl.diagnostics.fixes import Fix, word_instead
from rulerun_dsl.load import Loaded
from rulerun_dsl.model import Game
from rulerun_dsl.model.valuetypes import Bool, bare
from rulerun_dsl.source.spans import Span
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar
from rulerun_dsl.yaml.nodes import Sequence as Items

MOST_SETTINGS = 16
"""So many other settings are looked at for an action that this one does not have."""

Looked = tuple[list[Diagnostic], Diagnostic | None]
"""What is wrong with a scenario; or the error in its rules that keeps anybody from looking."""


def resolve(scenario: Scenario, loaded: Loaded, game: Game) -> list[Diagnostic]:
    """What a scenario names that its game does not have."""
    resolver = _Resolver(loaded, game, scenario.players)
    resolver.scenario(scenario)
    return resolver.found


def vet(scenario: Scenario, loaded: Loaded) -> Looked:
    """What is wrong with a scenario, as far as it can be told without playing.

    Names depend on few of the options, so a game for these is enough where all is well. A set-up
    that must be refused is left to the runner.
    """
    if scenario.error is not None:
        return [], None
    found = misset(scenario, loaded)
    if found:
        return found, None
    players, options, variants = settings_of(scenario)
    values, _ = loaded.settings(options, variants)
    count = loaded.fewest(values) if players is None else players
    decisive = loaded.decisive()
    cause = None
    for chosen in ({name: values[name] for name in values if name in decisive}, values):
        game, errors = loaded.game(count, chosen)
        cause = first_error(errors) if game is None else None
        if game is not None:
            found = resolve(scenario, loaded, game)
        if (cause is None and not found) or chosen == values:
            break
    return ([], cause) if cause is not None else (found, None)


def misset(scenario: Scenario, loaded: Loaded) -> list[Diagnostic]:
    """What is wrong with the settings of a scenario by themselves: its own mistakes, in place."""
    players, options, variants = settings_of(scenario)
    without = loaded.refused()

    def refused(*arguments: Any) -> list[Diagnostic]:
        found = loaded.refused(*arguments)
        return [each for each in found if has_errors([each]) and each not in without]

    every = refused(players, options, variants)
    if not every:
        return []
    names = {each.at.name for each in loaded.outline.options}
    parts = [(each.span, loaded.settings({}, [each.text])[1]) for each in scenario.variants]
    for key, value in scenario.options:
        span = value.span if key.text in names else key.span
        parts.append((span, refused(None, {key.text: value.text})))
    if scenario.players_span is not None:
        parts.append((scenario.players_span, refused(players)))
    single = [
        problem("RR1021", _MISSET + each.message, span, help=each.help)
        for span, found in parts
        for each in found
        if each.code in _BY_ITSELF
    ]
    return single or [not_loaded(every[0], scenario.span, _MISSET)]


_MISSET = "the rules do not load with these settings: "
_BY_ITSELF = ("RR0412", "RR0413")
"""The codes of what is wrong with one setting, whatever the others are."""


def settings_of(scenario: Scenario) -> tuple[int | None, dict[str, str], list[str]]:
    """What the game of a scenario is made for: players, options, variants."""
    options = {key.text: value.text for key, value in scenario.options}
    return scenario.players, options, [each.text for each in scenario.variants]


def other_settings(loaded: Loaded, players: int | None) -> list[Setting]:
    """What may be set otherwise: nothing at all, how many play, a variant, a switch."""
    base = Setting(players)
    listed = list(dict.fromkeys([base, *by_players(loaded)]))
    listed += [base.with_variants(name) for name in loaded.variants]
    game = loaded.game(players)[0] or loaded.game()[0]
    if game is not None:
        switches = (each.name for each in game.options if isinstance(bare(each.type), Bool))
        listed += by_value(base, game, switches, most=3)
    return listed


def first_error(found: Iterable[Diagnostic]) -> Diagnostic:
    """The first error among findings that hold one."""
    return next(each for each in found if each.severity is Severity.ERROR)


def not_looked_at(causes: Iterable[Diagnostic], span: Span) -> list[Diagnostic]:
    """Say each error in the rules once, with how many scenarios nobody could look at for it."""
    grouped: dict[tuple[str, Span | None, str], list[Diagnostic]] = {}
    for each in causes:
        grouped.setdefault((each.code, each.span, each.message), []).append(each)
    return [
        not_loaded(
            alike[0],
            span,
            f"{scenarios_are(len(alike))} not checked, since the rules do not load: ",
        )
        for alike in grouped.values()
    ]


def scenarios_are(count: int) -> str:
    """The beginning of a sentence about so many scenarios."""
    return "1 scenario is" if count == 1 else f"{count} scenarios are"


def not_loaded(why: Diagnostic, span: Span, text: str) -> Diagnostic:
    """Return a text that ends in the reason why rules do not load, with where that stands."""
    there = () if why.span is None else (Related(why.span, f"the error is here ({why.code})"),)
    return problem("RR1021", text + why.message, span, related=there, help=why.help)


class _Resolver:
    """Looks up the names of one scenario and collects what is wrong with them."""

    def __init__(self, loaded: Loaded, game: Game, players: int | None) -> None:
        self.loaded = loaded
        self.game = game
        self.names = GameNames(game)
        self.players = players
        self.found: list[Diagnostic] = []

    def report(
        self, message: str, span: Span, help: str | None = None, fixes: tuple[Fix, ...] = ()
    ) -> None:
        self.found.append(problem("RR1023", message, span, help=help, fixes=fixes))

    @contextmanager
    def at(self, span: Span) -> Iterator[None]:
        """Report what does not fit at a place."""
        try:
            yield
        except Misfit as misfit:
            message, _, near = str(misfit).partition(": did you mean ")
            fixes: tuple[Fix, ...] = ()
            if misfit.meant is not None:
                word, instead, sure = misfit.meant
                fixes = word_instead(span, word, instead, safe=sure)
            self.report(message, span, f"did you mean {near}" if near else None, fixes)
        except Failure as failure:
            self.found.append(failure.diagnostic)

    def scenario(self, scenario: Scenario) -> None:
        for given in spread(self.names, scenario.given):
            self.check(given)
        if scenario.phase is not None:
            self.enter(scenario.phase, scenario.loops)
        for item in scenario.do:
            match item:
                case Takes(player=player, action=action):
                    self.player(player)
                    self.action(action)
                case Refused(player=player, action=action):
                    self.player(player)
                    self.refused(action)
                case Falls(outcome=outcome):
                    self.outcome_of_luck(outcome)
                case Checked(checks=checks):
                    self.checks(checks)
        self.checks(scenario.expect)
        for name in scenario.waiting or ():
            if name.text != "chance":
                self.player(name)
        for player, texts in scenario.legal:
            self.player(player)
            for each in texts:
                self.action(each)
        for viewer, sights in scenario.sees:
            if viewer.text != "spectator":
                self.player(viewer, "spectator")
            for sight in sights:
                self.sight(sight)
        if isinstance(scenario.outcome, Mapping):
            self.outcome(scenario.outcome)

    # --------------------------------------------------------------------- players and phases

    def player(self, name: Scalar, *also: str) -> None:
        players = (*self.game.players, *also)
        if name.text not in players:
            near, others = suggest(name.text, players), f"there are {', '.join(players)}"
            hint = did_you_mean(name.span, name.text, near, players, others)
            self.report(f"there is no player `{name.text}`", name.span, **hint)

    def enter(self, name: Scalar, loops: Sequence[tuple[Scalar, Scalar]]) -> None:
        with self.at(name.span):
            phase = self.game.phases[self.names.phase(name.text)]
            types = {loop.variable.name: loop.variable.type for loop in phase.loops}
            for key, value in loops:
                if key.text not in types:
                    hint = did_you_mean(key.span, key.text, suggest(key.text, types), types)
                    message = f"the phase `{name.text}` has no loop variable `{key.text}`"
                    self.report(message, key.span, **hint)
                    continue
                with self.at(value.span):
                    self.names.number(types[key.text], value.text)

    # ---------------------------------------------------------------------- zones and variables

    def checks(self, checks: Sequence[Check]) -> None:
        for each in spread(self.names, checks):
            self.check(each)

    def check(self, check: Check) -> None:
        if isinstance(check, Holds):
            with self.at(check.expression.span):
                typed(self.loaded, self.game, check.expression, Bool())
            return
        named = self.named(check)
        if named is not None:
            with self.at(check.value.span):
                self.value(named, check.value)

    def named(self, check: Is | Sight) -> Named | None:
        with self.at(check.name.span):
            return self.names.zone_or_variable(check.name.text)
        return None

    def value(self, named: Named, node: Node) -> None:
        """What lies in a zone, or the value of a variable. Raises what does not fit."""
        if isinstance(named, Instance):
            self.names.pieces(named, node)
            return
        type_ = named[0].variable.type
        try:
            self.names.stored(type_, node)
        except Misfit:
            if not isinstance(node, Scalar) or plain_word(node):
                raise
            typed(self.loaded, self.game, node, type_)

    def sight(self, sight: Sight) -> None:
        """What is seen; `hidden` and the like are no values."""
        named, node = self.named(sight), sight.value
        if named is None or (isinstance(node, Scalar) and node.text == "hidden"):
            return
        if isinstance(node, Mapping):
            known = node.get("known")
            if known is not None and isinstance(named, Instance):
                with self.at(known.span):
                    self.names.pieces(named, known)
            places = node.get("places")
            if places is not None and isinstance(named, Instance):
                with self.at(places.span):
                    self.names.places(named, places)
            return
        with self.at(node.span):
            self.value(named, node)

    # ----------------------------------------------------------------------------------- inputs

    def action(self, text: Scalar) -> None:
        if not spelling.meant(self.game, text.text):
            self.no_action(text)
        self.clear(text)

    def clear(self, text: Scalar) -> None:
        """A short text must not mean several things that one may choose from at once."""
        if offered := spelling.unclear(self.game, text.text):
            several = [f"`{actions.text(self.game, each)}`" for each in offered]
            message = f"`{text.text}` may mean {', '.join(several[:-1])} or {several[-1]}"
            self.report(message, text.span, "write which")

    def refused(self, text: Scalar) -> None:
        written = text.text
        self.clear(text)
        if spelling.meant(self.game, written) or spelling.is_one_of_several(self.game, written):
            return
        others = other_settings(self.loaded, self.players) if written.strip() else []
        for setting in others[:MOST_SETTINGS]:
            game = self.loaded.game(*setting.arguments)[0]
            if game is not None and spelling.meant(game, written):
                return
        self.no_action(text)
        if len(others) > MOST_SETTINGS:
            left = f"{len(others) - MOST_SETTINGS} of {len(others)} other settings"
            what = f"whether `{written}` is an action in {left}"
            self.found.append(not_checked(what, f"only {MOST_SETTINGS} are looked at", text.span))

    def no_action(self, text: Scalar) -> None:
        near = spelling.nearest(self.game, text.text)
        known = spelling.forms(self.game) if near is None else ""
        others = f"there are {known}" if known else "nobody is ever asked"
        hint = did_you_mean(text.span, text.text, near, (), others)
        self.report(f"`{text.text}` is no action of the game", text.span, **hint)

    def outcome_of_luck(self, text: Scalar) -> None:
        for word in re.findall(r"[^\W\d]\w*\b(?!\()", text.text):
            if word not in self.words:
                near = suggest(word, self.words)
                hint = f"did you mean `{near}`?" if near else None
                fixes: tuple[Fix, ...] = ()
                if near is not None:
                    safe = evident(word, near, self.words)
                    fixes = word_instead(text.span, word, near, safe=safe)
                message = f"nothing that can fall has `{word}` in it"
                self.report(message, text.span, hint, fixes)
                return

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of which the texts of outcomes are made."""
        game = self.game
        names = ["true", "false", "none", "nothing", "of", *game.players]
        for kind in game.kinds:
            names += kind.rows
        for enumeration in game.enumerations:
            names += enumeration.members
        for board in game.boards:
            names += board.sites
            names += [name for name, *_ in board.directions]
        names += [zone.name for zone in game.zones]
        names += [name for table in self.names.tables.kinds.values() for name in _states(table)]
        return frozenset(word for name in names for word in re.findall(r"[^\W\d]\w*", name))

    # ---------------------------------------------------------------------------------- the end

    def outcome(self, node: Mapping) -> None:
        for name in _scalars(node.get("winners")):
            self.player(name)
        for key in ("points", "places"):
            inner = node.get(key)
            for entry in inner if isinstance(inner, Mapping) else ():
                self.player(entry.key)


def _states(table: object) -> list[str]:
    return [each.name for each in getattr(table, "attributes", ())]


def _scalars(node: Node | None) -> Iterator[Scalar]:
    match node:
        case Scalar():
            yield node
        case Items():
            yield from (each for each in node if isinstance(each, Scalar))
