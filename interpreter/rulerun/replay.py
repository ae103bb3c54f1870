"""A record, played again.

Assumes a record that `record.read_record` has read, and an executor of the rules.
Does: gives each input to a session and tests it for legality; chance outcomes are inputs like any
other, so nothing is drawn. Names the first difference, and keeps the play up to there.
Leaves behind a session. A record holds every secret of the play, so whoever may see it as a player
reads that session's observations and logs, which hide what is to be hidden.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rulerun import actions
from rulerun.executor import Chance, Decision, Executor, IllegalInput, RuleError
from rulerun.faults import ended_by
from rulerun.record import PEOPLE, Entry, Record, result
from rulerun.session import Agent, Recorder, Session
from rulerun_dsl.diagnostics import Diagnostic, problem
from rulerun_dsl.model import Game


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
    differences = list(_other_rules(record, game))
    if differences and not forced:
        help_ = "replay it with the rules it was played under, or force it"
        return None, [problem("RR1006", each, place, help=help_) for each in differences]
    if record.players != game.players:
        return None, [problem("RR1006", each, place) for each in differences]
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
            reason = _follow(session, entry)
        except RuleError as error:
            what = f"line {entry.number}: `{entry.text}` leads to a rule error"
            diagnostics.append(ended_by("RR1007", what, entry.span, error))
            break
        if reason is not None:
            code = "RR1008" if entry.word == "end" else "RR1007"
            diagnostics.append(problem(code, f"line {entry.number}: {reason}", entry.span))
            break
    if seats is not None:
        # Whoever reads the record later knows only who played at first.
        session.bots &= session.seats.keys()
    if writer is not None:
        session.record_with(writer, closed=record.end is not None)
    return session, diagnostics


def _bots(record: Record) -> list[int]:
    """Who was played by no person; of whom nothing is said, a person did."""
    seats = (record.seats.get(player, PEOPLE[0]) for player in record.players)
    return [at for at, who in enumerate(seats) if who not in PEOPLE]


def _other_rules(record: Record, game: Game) -> Iterator[str]:
    if record.game != game.name:
        yield f"the record is of the game {record.game}, not of {game.name}"
    elif record.language != game.language:
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
            was, is_ = record.options.get(name, "not there"), now.get(name, "not there")
            yield f"the record was played with {name} {was}, the game has {is_}"
        elif record.fingerprint != game.fingerprint:
            yield "the rules have changed since the record was played"


def _follow(session: Session, entry: Entry) -> str | None:
    """Give one line of a record to a session; the reason if it can't be. Raises `RuleError`."""
    executor, game = session.executor, session.game
    try:
        match entry.word:
            case "action":
                if entry.by not in game.players:
                    return f"there is no player {entry.by}"
                action = actions.parse(game, entry.text)
                if action is None:
                    return f"there is no action `{entry.text}`"
                session.give(Decision(game.players.index(entry.by), action))
            case "chance":
                outcomes = executor.outcomes(session.state)
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
    verdict = session.verdict
    if entry.result is None or verdict is None:
        return None if entry.result is None else "the record has a result, the play has none"
    now = result(session.game, verdict)
    for key, value in entry.result.items():
        if now[key] != value:
            return f"the record says {key} {_list(value)}, the play ends with {_list(now[key])}"
    return None


def _list(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) and value else "nobody"
