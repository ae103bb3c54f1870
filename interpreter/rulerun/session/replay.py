"""A record, played again.

Assumes a record that `record.read_record` has read, and an executor of the rules.
Does: gives each input to a session and tests it for legality; chance outcomes are inputs like any
other, so nothing is drawn. Names the first difference, and keeps the play up to there.
Leaves behind a session. A record holds every secret of the play, so what a player may see of it
comes from that session's observations and logs, which hide the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rulerun.runtime.executor import Chance, Decision, Executor, IllegalInput, RuleError
from rulerun.runtime.faults import ended_by
from rulerun.session.agents import Agent
from rulerun.session.record import PEOPLE, Record, result
from rulerun.session.record_lines import Entry
from rulerun.session.session import Recorder, Session
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, problem
from rulerun_dsl.model import Game
from rulerun_dsl.source.spans import Span


def replay(
    record: Record,
    executor: Executor,
    *,
    forced: bool = False,
    to: int | None = None,
    seats: Mapping[int, Agent | None] | None = None,
    writer: Recorder | None = None,
) -> tuple[Session | None, list[Diagnostic]]:
    """Play a record (up to input number `to`); where it can't go on, the session up to there.

    Under other rules than it was played under this is refused, unless `forced`: then the first
    difference is named. The session does nothing of itself; with `seats` and `writer` it is one
    that goes on from there: call its `advance`.
    """
    game = executor.game
    place = record.source.span(0, len(record.source.line_text(1)))
    differences = [*other_game(record, game.name), *_other_rules(record, game)][:1]
    if differences and (not forced or record.players != game.players):
        return None, differences
    try:
        seed = record.seed if record.seed is not None else 0
        session = Session(executor, seats, seed, automatic=False, bots=_bots(record))
    except RuleError as error:
        return None, [ended_by("RR1007", "set-up fails", place, error)]
    diagnostics: list[Diagnostic] = []
    for entry in record.entries:
        if to is not None and entry.number > to:
            break
        try:
            reason = follow(session, entry)
        except RuleError as error:
            what = f"line {entry.number}: `{entry.text}` leads to a rule error"
            diagnostics.append(ended_by("RR1007", what, entry.span, error))
            break
        if reason is not None:
            diagnostics.append(_unfit(record, entry, reason))
            break
    if seats is not None:
        # A later reader of the record knows only who played at first.
        session.bots &= session.seats.keys()
    if writer is not None:
        session.record_with(writer, closed=record.end is not None)
    return session, diagnostics


def _bots(record: Record) -> list[int]:
    """Who was played by no person; of whom nothing is said, a person did."""
    seats = (record.seats.get(player, PEOPLE[0]) for player in record.players)
    return [at for at, who in enumerate(seats) if who not in PEOPLE]


def _unfit(record: Record, entry: Entry, reason: str) -> Diagnostic:
    message = f"line {entry.number}: {reason}"
    if entry.word != "end":
        return problem("RR1007", message, entry.span)
    # A line that was changed, and its sum not, is named when the record is read.
    help_ = (
        "the rules or a line have changed; the record has no sums, which would tell which line"
        if record.format == 1
        else "every line is as its sum says: the rules have changed, or lines and sums together"
    )
    return problem("RR1008", message, entry.span, help=help_)


def other_game(record: Record, name: str) -> Iterator[Diagnostic]:
    """That a record is of another game than the one of this name."""
    if record.game != name:
        message = f"this is a record of the game {record.game}, not of {name}"
        help_ = f"replay it with the rules of {record.game}"
        yield problem("RR1011", message, _header(record), help=help_)


def other_option(record: Record, name: str) -> Diagnostic:
    """That a record was played with an option, or its value, that the game no longer has."""
    return problem("RR1006", _gone(record, name), _header(record), help=_FORCE)


def _gone(record: Record, name: str) -> str:
    return f"the record was played with {name} {record.options[name]}, which the game has no longer"


_FORCE = "replay it with the rules it was played under, or force it (`replay --force`)"


def _header(record: Record) -> Span:
    return record.source.span(0, len(record.source.line_text(1)))


def _other_rules(record: Record, game: Game) -> Iterator[Diagnostic]:
    for each in _differences(record, game):
        yield problem("RR1006", each, _header(record), help=_FORCE)


def _differences(record: Record, game: Game) -> Iterator[str]:
    if record.language != game.language:
        yield f"the record is of language version {record.language}, the game of {game.language}"
    elif record.players != game.players:
        theirs = ", ".join(record.players)
        yield f"the record has the players {theirs}, the game has {', '.join(game.players)}"
    else:
        # The fingerprint is the file's: which options are set is no part of it.
        now = {option.name: option.text for option in game.options}
        other = sorted(
            name for name in {*now, *record.options} if now.get(name) != record.options.get(name)
        )
        if other:
            name = other[0]
            was, is_ = record.options.get(name), now.get(name)
            if is_ is None:
                yield _gone(record, name)
            elif was is None:
                yield f"the game has an option {name}, of which the record does not say anything"
            else:
                yield f"the record was played with {name} {was}, the game has {is_}"
        elif record.fingerprint not in (game.fingerprint, *game.former_fingerprints):
            yield "the rules have changed since the record was played"


def follow(session: Session, entry: Entry) -> str | None:
    """Give one line of a record to a session; the reason if it can't be. Raises `RuleError`."""
    game = session.game
    try:
        match entry.word:
            case "action":
                if entry.by not in game.players:
                    return f"there is no player {entry.by}"
                player = game.players.index(entry.by)
                action = session.action(player, entry.text)
                if action is None:
                    return f"there is no action `{entry.text}`"
                session.give(Decision(player, action))
            case "chance":
                outcomes = session.outcomes()
                found = [each.id for each in outcomes if each.text == entry.text]
                if not found:
                    return f"`{entry.text}` is no chance outcome here"
                session.give(Chance(found[0]))
            case "undo":
                return _take_back(session, entry.of)
            case _:
                return _ended(session, entry)
    except IllegalInput as illegal:
        return f"`{entry.text}` of {entry.by or 'luck'} is refused: {illegal.refusal.message}"
    return None


def _take_back(session: Session, number: int) -> str | None:
    found = [point for point in session.history if point.number == number]
    player = found[0].player if found else None
    mine = [point.number for point in session.history if point.player == player]
    if player is None or mine[-1] != number:
        return f"input {number} is no decision that can be taken back here"
    refused = session.why_no_undo(player)
    if refused is not None:
        return f"input {number} cannot be taken back: {refused}"
    session.take_back(number)
    return None


def _ended(session: Session, entry: Entry) -> str | None:
    how = "truncated" if session.truncated else "over" if session.over else "not at its end"
    if how != entry.text:
        return f"the record says the play is {entry.text}, but it is {how}"
    reason = _other_result(session, entry)
    if reason is None and entry.state and entry.state != session.state.digest():
        return "the play ends as the record says, but in another state"
    return reason


def _other_result(session: Session, entry: Entry) -> str | None:
    verdict = session.verdict
    if entry.result is None or verdict is None:
        return None if entry.result is None else "the record has a result, the play has none"
    now = result(session.game, verdict)
    found = [
        f"{key} {_list(now.get(key))} instead of {_list(value)}"
        for key, value in entry.result.items()
        if now.get(key) != value
    ]
    if not found:
        return None
    return f"the play ends otherwise than the record says: {'; '.join(found)}"


def _list(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) and value else "nobody"
