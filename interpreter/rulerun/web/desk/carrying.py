"""A play, carried on under other rules: its inputs, given again one after another.

Assumes the inputs of a play, and an edition of other rules for the same players.
Does: gives each input as it was, luck too, until one no longer fits. Whoever asks says what then:
stop and say which, let luck fall anew where it must and go on, or play on from there.
Leaves behind the lines of a record, and how far the play came. Raises `RuleError` where the set-up
fails.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

from rulerun.runtime.executor import Chance, Decision, IllegalInput, RuleError
from rulerun.session.record import RecordWriter
from rulerun.session.session import Session
from rulerun.web.editions import Edition, executor_of, game_of
from rulerun.web.table import OPEN, PERSON, Lines
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.safe_text import clean

REPLAY, LUCK, HERE = "replay", "luck", "here"
HOWS = (REPLAY, LUCK, HERE)
"""Say what does not fit; let luck fall anew where it must; play on from what does not fit."""


@frozen
class Given:
    """An input as it was: whose it was ("": luck), and its text."""

    who: str
    text: str


@frozen
class Misfit:
    """The first input that no longer fits."""

    number: int
    given: Given
    why: str
    luck: bool
    """It is luck that falls otherwise now, so new luck may help."""


@frozen
class Carried:
    """How a play came along."""

    edition: Edition
    lines: tuple[bytes, ...]
    """Of a record that ends where the play stands now."""
    fitting: int
    """So many inputs were given again."""
    of: int
    misfit: Misfit | None
    anew: int
    """So often luck has fallen anew."""


def carried(
    edition: Edition, seats: Mapping[str, str], seed: str, inputs: Sequence[Given], how: str
) -> Carried:
    """Give inputs to a play of these rules. Raises `RuleError` where the set-up fails."""
    game = game_of(edition)
    buffer = io.BytesIO()
    writer = RecordWriter(buffer, game)
    persons = (PERSON, OPEN)
    written = {
        at: PERSON if seats.get(name, PERSON) in persons else seats[name]
        for at, name in enumerate(game.players)
    }
    writer.begin(written, seed)
    lines = Lines(writer, buffer)
    session = Session(executor_of(edition), {}, seed, lines, automatic=False)
    misfit: Misfit | None = None
    fitting = anew = 0
    for number, given in enumerate(inputs, 1):
        why = _give(session, given)
        if why is not None and how == LUCK:
            why, fell = _with_new_luck(session, given, why)
            anew += fell
            if why is None and not given.who:
                # What fell then does not fall now.
                continue
        if why is not None:
            misfit = Misfit(number, given, why, not given.who or bool(session.outcomes()))
            break
        fitting += 1
    if misfit is None or how == HERE:
        session.advance()
        if session.fault is not None and isinstance(session.fault, RuleError):
            raise session.fault
    return Carried(edition, tuple(lines.taken()), fitting, len(inputs), misfit, anew)


def _give(session: Session, given: Given) -> str | None:
    """Give an input; why not, if it does not fit."""
    game = session.game
    try:
        if not given.who:
            outcomes = session.outcomes()
            found = next((each.id for each in outcomes if each.text == given.text), None)
            if found is None:
                return _instead(session) if not outcomes else f"`{given.text}` cannot fall any more"
            session.give(Chance(found))
            return None
        if given.who not in game.players:
            return f"there is no player {given.who}"
        player = game.players.index(given.who)
        if player not in session.asked:
            return _instead(session)
        action = session.action(player, given.text)
        if action is None:
            return f"there is no answer `{given.text}` any more"
        session.give(Decision(player, action))
    except IllegalInput as illegal:
        return clean(illegal.refusal.message)
    except RuleError as error:
        return f"it leads to a rule error: {clean(str(error))}"
    return None


def _instead(session: Session) -> str:
    """What the play waits for, in place of an input."""
    if session.over or session.truncated:
        return "the game is over before it"
    if session.outcomes():
        return "luck is asked for first"
    asked = ", ".join(session.game.players[each] for each in session.asked)
    return f"{asked or 'nobody'} is asked instead"


def _with_new_luck(session: Session, given: Given, why: str) -> tuple[str | None, int]:
    """Let luck fall that has to, and try again; how often it fell."""
    fell = 0
    if not given.who and not session.outcomes():
        return None, 0
    while session.outcomes() and session.step():
        fell += 1
        if not given.who:
            return None, fell
    return (_give(session, given), fell) if fell and given.who else (why, fell)
