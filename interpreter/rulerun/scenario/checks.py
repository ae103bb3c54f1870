"""What a scenario says must be so, compared with what is.

Assumes a session that has come to where the checks are made.
Does: reads what is expected in names of the game, and compares values, places, who is asked, what
is legal, what viewers see (through `views.observe`), and how the game ended.
Leaves behind diagnostics at the lines that do not hold; each says what is so instead.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from rulerun.runtime import actions
from rulerun.runtime.executor import CHANCE, RuleError
from rulerun.runtime.faults import ended_by
from rulerun.runtime.index import Instance, VariableTable
from rulerun.runtime.phrases import as_written
from rulerun.scenario import spelling
from rulerun.scenario.names import GameNames, Misfit, Numbers, Piece
from rulerun.scenario.reader import Check, Holds, Is, Scenario, Sight
from rulerun.scenario.reasons import why_not
from rulerun.scenario.spelling import shorter
from rulerun.session.session import Session
from rulerun.views.observation import Json, SeenZone
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, Severity, problem
from rulerun_dsl.load import Loaded
from rulerun_dsl.model import SPECTATOR, Expression, Game
from rulerun_dsl.model.valuetypes import Bool, Type
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax.parse import parse_test
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar
from rulerun_dsl.yaml.nodes import Sequence as Items


class Failure(Exception):
    """A scenario that cannot go on."""

    def __init__(self, code: str, message: str, span: Span | None) -> None:
        """Keep what is wrong as a diagnostic."""
        super().__init__(message)
        self.diagnostic = problem(code, message, span)

    @classmethod
    def of(cls, diagnostic: Diagnostic, span: Span | None = None) -> Failure:
        """A failure that was found already; at `span` if it has no place of its own."""
        failure = cls(diagnostic.code, diagnostic.message, diagnostic.span or span)
        if diagnostic.span is not None:
            failure.diagnostic = diagnostic
        return failure

    @classmethod
    def by(cls, code: str, error: RuleError, span: Span | None) -> Failure:
        """A failure by a rule error, with the places in the rules."""
        failure = cls(code, error.message, span)
        failure.diagnostic = ended_by(code, "a rule error", span, error)
        return failure


def matching(wanted: str, texts: dict[str, int]) -> int | None:
    """Return what a text names: itself, or the only one that it names without what is around it.

    >>> matching("roll(4)", {"3": 3, "4": 4})
    4
    >>> matching("king", {"king of x": 1, "king of y": 2}) is None
    True
    """
    wanted = actions.in_order(" ".join(wanted.split()))
    texts = {actions.in_order(text): id_ for text, id_ in texts.items()}
    if wanted in texts:
        return texts[wanted]
    inside = fitting(wanted, texts)
    return inside[0] if len(inside) == 1 else None


def fitting(wanted: str, texts: dict[str, int]) -> list[int]:
    """Return all that a text names in short."""
    wanted = " ".join(wanted.split())
    short = list(shorter(wanted))
    return [id_ for text, id_ in texts.items() if text in short or wanted in shorter(text)]


def spread(names: GameNames, written: Sequence[Check]) -> list[Check]:
    """Say of each zone and variable what is said of it: `[all]` speaks of those not named closer.

    What speaks of fewer is closer: `won[yarg]`, then `won[all]`.
    """
    labels = [names.spread(each.name.text) if isinstance(each, Is) else [] for each in written]
    checks: list[list[Check]] = [[each] for each in written]
    named: set[str] = set()
    for place in sorted(range(len(written)), key=lambda place: len(labels[place])):
        each = written[place]
        if not isinstance(each, Is):
            continue
        alone = labels[place] == [each.name.text]
        keys = ["".join(label.split()) for label in labels[place]]
        if not alone:
            checks[place] = [
                Is(replace(each.name, text=label), each.value)
                for label, key in zip(labels[place], keys, strict=True)
                if key not in named
            ]
        named.update(keys)
    return [each for group in checks for each in group]


def typed(loaded: Loaded, game: Game, scalar: Scalar, expected: Type | None = None) -> Expression:
    """Return an expression of the language in the words of a game. Raises `Failure`."""
    parsed, findings = parse_test(scalar)
    errors = [each for each in findings if each.severity is Severity.ERROR]
    if parsed is None or errors:
        raise Failure.of(errors[0], scalar.span)
    expression, findings = loaded.expression(game, parsed, expected)
    if expression is None:
        errors = [each for each in findings if each.severity is Severity.ERROR]
        raise Failure.of(errors[0], scalar.span)
    return expression


def knowing(loaded: Loaded, names: GameNames) -> GameNames:
    """The names of a game, which know all that expressions have asked for."""
    game = loaded.as_asked(names.game)
    return names if game is names.game else GameNames(game)


def plain_word(node: Scalar) -> bool:
    """Whether a text is one word or number: a name, which no expression makes right."""
    return re.fullmatch(r"\s*-?\w+\s*", node.text) is not None


def evaluated(
    loaded: Loaded,
    names: GameNames,
    slots: Numbers,
    scalar: Scalar,
    expected: Type | None = None,
    code: str = "RR1025",
) -> tuple[Type, Any]:
    """Return what an expression of the language gives in a state, with its type.

    `code` is what it is called if that is a rule error.
    """
    expression = typed(loaded, names.game, scalar, expected)
    try:
        return expression.type, knowing(loaded, names).evaluate(slots, expression)
    except RuleError as error:
        raise Failure.by(code, error, scalar.span) from None


def stored(
    loaded: Loaded,
    names: GameNames,
    slots: Numbers,
    table: VariableTable,
    node: Node,
    code: str = "RR1025",
) -> Any:
    """Return the value of a variable as it is written: plainly, or as an expression."""
    try:
        return names.stored(table.variable.type, node)
    except Misfit:
        if not isinstance(node, Scalar) or plain_word(node):
            raise
        return evaluated(loaded, names, slots, node, table.variable.type, code)[1]


class Verifier:
    """Compares what a scenario expects with where its session stands."""

    def __init__(self, session: Session, names: GameNames, loaded: Loaded) -> None:
        """Look at a session."""
        self.session = session
        self.executor = session.executor
        self.game = session.game
        self.names = names
        self.loaded = loaded

    def action(self, player: int, text: str) -> int | None:
        """The id of an action by its text: any of the game, else the only legal one it fits."""
        number = self.session.action(player, text)
        legal = self.executor.legal(self.session.state, player)
        if number in legal:
            return number
        texts = {actions.text(self.game, each): each for each in legal}
        fitting = matching(text, texts)
        return number if fitting is None else fitting

    def types_asked(self, player: int) -> frozenset[int]:
        """The types of action of the question that a player is asked."""
        return actions.asked(self.game, self.session.waiting, player)

    def not_taken(self, player: int, written: Scalar) -> Failure:
        """Why a text that names no legal action, or several, is none to take here."""
        state, text = self.session.state, written.text
        legal = {actions.text(self.game, each): each for each in self.executor.legal(state, player)}
        several = [actions.text(self.game, each) for each in fitting(text, legal)]
        named = spelling.meant(self.game, text, self.types_asked(player))
        if several:
            message = f"`{text}` may mean {_list(several)} here: write which"
        elif named:
            refusal = self.session.refusal(player, named[0])
            message = f"refused: {refusal.message if refusal else text}"
        else:
            return Failure("RR1023", f"`{text}` is no action of the game", written.span)
        return Failure("RR1024", message, written.span)

    def waiting_text(self) -> str:
        """Who is asked, as a sentence."""
        asked = self.asked()
        return f"{_list(asked)} is asked" if asked else "the game is over"

    def asked(self) -> list[str]:
        """Who is asked, by name."""
        return [
            "chance" if each.player == CHANCE else self.game.players[each.player]
            for each in self.session.waiting
        ]

    # ---------------------------------------------------------------------------------- checks

    def final(self, scenario: Scenario) -> list[Diagnostic]:
        """What does not hold at the end."""
        findings = self.checks(scenario.expect)
        if scenario.waiting is not None and scenario.waiting_span is not None:
            findings += self.waiting(scenario.waiting, scenario.waiting_span)
        for player, texts in scenario.legal:
            findings += self.guarded(player, lambda p=player, t=texts: self.legal(p, t))
        for viewer, sights in scenario.sees:
            for sight in sights:
                findings += self.guarded(sight.name, lambda v=viewer, s=sight: self.sees(v, s))
        if scenario.outcome is not None:
            findings += self.outcome(scenario.outcome)
        return findings

    def checks(self, checks: Sequence[Check]) -> list[Diagnostic]:
        """What does not hold of these."""
        findings: list[Diagnostic] = []
        for check in spread(self.names, checks):
            if isinstance(check, Holds):
                findings += self.holds(check.expression)
            else:
                findings += self.guarded(check.name, lambda c=check: self.is_(c))
        return findings

    def guarded(self, named: Scalar, check: Any) -> list[Diagnostic]:
        """Run a check; names that do not exist are what is wrong."""
        try:
            return list(check())
        except Misfit as misfit:
            return [problem("RR1023", str(misfit), named.span)]
        except Failure as failure:
            return [failure.diagnostic]

    def expected(self, message: str, span: Span) -> Diagnostic:
        """Something is otherwise."""
        return problem("RR1025", message, span)

    def holds(self, scalar: Scalar) -> list[Diagnostic]:
        """An expression that must hold."""
        slots = self.session.state.slots
        try:
            condition = typed(self.loaded, self.game, scalar, Bool())
            names = knowing(self.loaded, self.names)
            if names.evaluate(slots, condition):
                return []
        except Failure as failure:
            return [failure.diagnostic]
        except RuleError as error:
            return [Failure.by("RR1025", error, scalar.span).diagnostic]
        why = why_not(names, slots, condition)
        message = f"expected {' '.join(scalar.text.split())}"
        return [self.expected(f"{message}: {why}" if why else message, scalar.span)]

    def evaluate(self, scalar: Scalar, expected: Type | None = None) -> tuple[Type, Any]:
        """What an expression of the language gives here, with its type. Raises `Failure`."""
        return evaluated(self.loaded, self.names, self.session.state.slots, scalar, expected)

    def is_(self, check: Is) -> Iterator[Diagnostic]:
        """A zone or variable that must be as said."""
        named = self.names.zone_or_variable(check.name.text)
        slots = self.session.state.slots
        if isinstance(named, Instance):
            lying = self.names.lying(slots, named)
            if not _same(named, self.names.pieces(named, check.value), lying):
                wanted = self.names.pieces(named, check.value)
                message = f"`{check.name.text}` holds {self.compared(named, wanted, lying)}"
                yield self.expected(message, check.value.span)
            return
        table, indexes = named
        wanted = stored(self.loaded, self.names, slots, table, check.value)
        if self.names.held(table, indexes, slots) != wanted:
            text = self.names.held_text(table, indexes, slots)
            yield self.expected(f"`{check.name.text}` is {text}", check.value.span)

    def compared(self, zone: Instance, wanted: list[Piece], lying: list[Piece]) -> str:
        """What lies in a zone, and in what that differs from what is wanted."""
        missing, more = Counter(wanted) - Counter(lying), Counter(lying) - Counter(wanted)
        texts = [
            [self.names.piece_text(zone, each) for each in counted.elements()]
            for counted in (missing, more)
        ]
        has = _list([self.names.piece_text(zone, each) for each in lying])
        return f"{has}{_difference(*texts) or ', in this order'}"

    def waiting(self, names: Sequence[Scalar], span: Span) -> list[Diagnostic]:
        """Who must be asked."""
        unknown = [each for each in names if each.text not in ("chance", *self.game.players)]
        if unknown:
            message = f"there is no player `{unknown[0].text}`"
            return [problem("RR1023", message, unknown[0].span)]
        wanted, asked = [each.text for each in names], self.asked()
        if sorted(wanted) == sorted(asked):
            return []
        missing = [each for each in wanted if each not in asked]
        more = [each for each in asked if each not in wanted]
        return [self.expected(f"{self.waiting_text()}{_difference(missing, more)}", span)]

    def legal(self, player: Scalar, wanted: Sequence[Scalar]) -> Iterator[Diagnostic]:
        """What a player must be able to do, no more and no less."""
        legal = self.executor.legal(self.session.state, self.names.player(player.text))
        texts = {actions.text(self.game, each): each for each in legal}
        pairs = [(each, matching(each.text, texts)) for each in wanted]
        listed = {id_ for _, id_ in pairs}
        more = [text for text, id_ in texts.items() if id_ not in listed]
        missing = [each for each, id_ in pairs if id_ is None]
        for each in missing:
            instead = f", and not listed is {_list(more)}" if more else ""
            message = f"`{each.text}` is not legal for {player.text}{instead}"
            yield self.expected(message, each.span)
        if more and not missing:
            yield self.expected(f"{_list(more)} is legal for {player.text} too", player.span)

    # ----------------------------------------------------------------------------------- sight

    def sees(self, viewer: Scalar, sight: Sight) -> Iterator[Diagnostic]:
        """What a viewer must see of a zone or variable."""
        who = SPECTATOR if viewer.text == "spectator" else self.names.player(viewer.text)
        seen = self.session.observation(who)
        named = self.names.zone_or_variable(sight.name.text)
        label = self.names.label(named)
        if isinstance(named, Instance):
            zone = seen.zone(label)
            assert zone is not None
            yield from self.sees_zone(viewer.text, named, zone, sight.value)
            return
        variable = seen.variable(label)
        hidden = isinstance(sight.value, Scalar) and sight.value.text == "hidden"
        if variable is None:
            if not hidden:
                yield self.expected(f"{viewer.text} does not see `{label}`", sight.value.span)
        elif hidden or _texts(sight.value) != _flat(variable.value):
            message = f"{viewer.text} sees that `{label}` is {as_written(variable.value)}"
            yield self.expected(message, sight.value.span)

    def sees_zone(
        self, who: str, zone: Instance, seen: SeenZone, wanted: Node
    ) -> Iterator[Diagnostic]:
        """What a viewer must see of a zone."""
        if isinstance(wanted, Mapping):
            yield from self.sees_part(who, zone, seen, wanted)
            return
        if seen.components is None:
            if not (isinstance(wanted, Scalar) and wanted.text == "hidden"):
                message = f"{who} does not see what lies in `{seen.name}`"
                yield self.expected(message, wanted.span)
            return
        pieces = [self.names.piece(zone, each.text) for each in seen.components]
        if isinstance(wanted, Scalar) and wanted.text == "hidden":
            same = False
        else:
            same = _same(zone, self.names.pieces(zone, wanted), pieces)
        if not same:
            has = _list([each.text for each in seen.components])
            if not (isinstance(wanted, Scalar) and wanted.text == "hidden"):
                has = self.compared(zone, self.names.pieces(zone, wanted), pieces)
            yield self.expected(f"{who} sees {has} in `{seen.name}`", wanted.span)

    def sees_part(
        self, who: str, zone: Instance, seen: SeenZone, wanted: Mapping
    ) -> Iterator[Diagnostic]:
        """`{hidden: 3}`, `{count: 3}`, `{known: [prince]}`, `{places: {1: prince}}`."""
        for entry in wanted:
            key, value = entry.key.text, entry.value
            if key == "known":
                pieces = [self.names.piece(zone, each.text) for each in seen.known]
                if Counter(pieces) != Counter(self.names.pieces(zone, value)):
                    has = _list([each.text for each in seen.known])
                    yield self.expected(f"{who} knows of {has} in `{seen.name}`", value.span)
                continue
            if key == "places":
                lies = {place: self.names.piece(zone, one.text) for place, one in seen.places}
                if lies != self.names.places(zone, value):
                    has = _list([f"{one.text} at place {place}" for place, one in seen.places])
                    yield self.expected(f"{who} knows of {has} in `{seen.name}`", value.span)
                continue
            if key == "hidden" and seen.components is not None:
                has = _list([each.text for each in seen.components])
                yield self.expected(f"{who} sees {has} in `{seen.name}`", entry.key.span)
            elif not isinstance(value, Scalar) or value.text != as_written(seen.count):
                many = "not how many" if seen.count is None else str(seen.count)
                yield self.expected(f"{who} sees {many} in `{seen.name}`", value.span)

    # --------------------------------------------------------------------------------- outcome

    def outcome(self, node: Node) -> list[Diagnostic]:
        """How the game must have ended."""
        verdict = self.session.verdict
        if verdict is None:
            if isinstance(node, Scalar) and node.text == "ongoing":
                return []
            return [self.expected(f"the game goes on: {self.waiting_text()}", node.span)]
        winners = [self.game.players[player] for player in verdict.winners]
        ended = f"the game is over; {_list(winners, 'nobody')} {_win(winners)}"
        if isinstance(node, Scalar):
            return [] if node.text == "draw" and not winners else [self.expected(ended, node.span)]
        findings: list[Diagnostic] = []
        assert isinstance(node, Mapping)
        for entry in node:
            key, value = entry.key.text, entry.value
            if key == "winners":
                if sorted(_texts(value)) != sorted(winners):
                    wanted = _list(_texts(value), "nobody")
                    findings.append(self.expected(f"{ended} (not {wanted})", value.span))
                continue
            numbers = verdict.totals if key == "points" else verdict.places
            now = dict(zip(self.game.players, map(as_written, numbers), strict=True))
            assert isinstance(value, Mapping)
            for each in value:
                is_ = now.get(each.key.text)
                if is_ is None:
                    message = f"there is no player `{each.key.text}`"
                    findings.append(problem("RR1023", message, each.key.span))
                elif [is_] != _texts(each.value):
                    wanted = _list(_texts(each.value))
                    so = f"has {_points(is_)}" if key == "points" else f"is at place {is_}"
                    message = f"{each.key.text} {so} (not {wanted})"
                    findings.append(self.expected(message, each.value.span))
        return findings


def _same(zone: Instance, wanted: list[Piece], lying: list[Piece]) -> bool:
    return wanted == lying if zone.ordered else Counter(wanted) == Counter(lying)


def _difference(missing: Sequence[str], more: Sequence[str]) -> str:
    """In what two lists differ, behind the one that is so."""
    parts = [f"not {_list(missing)}"] if missing else []
    parts += [f"{_list(more)} too many"] if more else []
    return f" ({'; '.join(parts)})" if parts else ""


def _points(number: str) -> str:
    return f"{number} point" if number == "1" else f"{number} points"


def _win(winners: Sequence[str]) -> str:
    return "win" if len(winners) > 1 else "wins"


def _texts(node: Node) -> list[str]:
    match node:
        case Scalar():
            return [node.text]
        case Items():
            return [text for item in node for text in _texts(item)]
        case Mapping():
            return [entry.key.text for entry in node]


def _flat(value: Json) -> list[str]:
    return [as_written(each) for each in value] if isinstance(value, list) else [as_written(value)]


def _list(texts: Any, nothing: str = "nothing") -> str:
    return ", ".join(texts) or nothing
