"""A play from a list of inputs, one on each line.

    prince                  the person whose turn it is
    applewood: spy          a player by name, also one that a bot plays
    chance: 4               an outcome
    # a remark

Assumes a session that does nothing by itself.
Does: gives it each input in order. Between them bots decide and luck is drawn from the seed, until
the player named is asked (or luck, for a line that begins with `chance`). The first input that is
refused ends it.
Leaves behind an exit code: 0 the game is over, 1 an input was refused or the rules failed, 2 the
inputs ended before the game.
"""

from __future__ import annotations

from collections.abc import Iterator

from rulerun.runtime.executor import CHANCE, Chance, Decision, IllegalInput, RuleError
from rulerun.terminal.ending import told_error
from rulerun.terminal.formatting import listed
from rulerun.terminal.sitting import ENDED, FAILED, FINE, Sitting
from rulerun_dsl.model import SPECTATOR, Game
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.safe_text import clean

LUCK = "chance"


@frozen
class Given:
    """A line of a script."""

    line: int
    by: str | None
    """A player, `chance`, or None: the player who is asked."""
    text: str


class Refused(Exception):
    """An input of a script was refused; the message says why."""


def read_script(text: str, game: Game) -> list[Given]:
    """The inputs of a script."""
    return list(_lines(text, game))


def _lines(text: str, game: Game) -> Iterator[Given]:
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        content = line.strip()
        if content.startswith("#"):
            continue
        content = content.split(" #")[0].strip()
        if not content:
            continue
        head, colon, rest = content.partition(":")
        by = head.strip()
        if colon and (by in game.players or by == LUCK):
            yield Given(number, by, rest.strip())
        else:
            yield Given(number, None, content)


def follow(sitting: Sitting, script: list[Given], name: str) -> int:
    """Play a script; `name` is the file's, for messages."""
    session = sitting.session
    viewer = sitting.people[0] if len(sitting.people) == 1 else SPECTATOR
    for given in script:
        try:
            _give(sitting, given)
        except Refused as refused:
            sitting.news(viewer, apart=False)
            sitting.complain(f"{clean(name)}:{given.line}: {refused}")
            return FAILED
        if session.fault is not None:
            return sitting.failed()
        sitting.news(viewer, apart=False)
    session.advance()
    if session.fault is not None:
        return sitting.failed()
    if session.over or session.truncated:
        sitting.finish()
        return FINE
    sitting.news(viewer, apart=False)
    sitting.show(viewer)
    sitting.input_ended(session.asked[0])
    return ENDED


def _give(sitting: Sitting, given: Given) -> None:
    if given.by == LUCK:
        _luck(sitting, given.text)
        return
    session, game = sitting.session, sitting.game
    wanted = None if given.by is None else game.players.index(given.by)
    while session.fault is None:
        asked = session.asked if wanted is None else _asked(sitting)
        if asked and wanted in (None, *asked):
            break
        if not session.step():
            break
    if session.fault is not None:
        return
    asked = session.asked
    player = wanted if wanted is not None else asked[0] if asked else 0
    by = sitting.names.player(game.players[player])
    refusal = session.refusal(player, given.text)
    if refusal is not None:
        raise Refused(f"`{clean(given.text)}` of {by} is refused: {clean(refusal.message)}")
    action = session.action(player, given.text)
    assert action is not None, "what is not refused is an action"
    try:
        session.give(Decision(player, action))
    except RuleError as error:
        raise Refused(told_error(error)) from None


def _asked(sitting: Sitting) -> list[int]:
    """Everybody whose decision is wanted, bots among them."""
    return [each.player for each in sitting.session.waiting if each.player != CHANCE]


def _luck(sitting: Sitting, text: str) -> None:
    session = sitting.session
    while not any(each.player == CHANCE for each in session.waiting):
        if not session.step():
            break
    if session.fault is not None:
        return
    outcomes = session.outcomes()
    if not outcomes:
        who = sitting.names.players(sitting.game.players[each] for each in session.asked)
        waits = f"it is for {who} to decide" if who else "the game is over"
        raise Refused(f"chance `{clean(text)}` is refused: {waits}")
    found = [each for each in outcomes if " ".join(each.text.split()) == " ".join(text.split())]
    if not found:
        texts = listed([clean(each.text) for each in outcomes[:12]], "or")
        raise Refused(f"chance `{clean(text)}` is refused: it can only be {texts}")
    try:
        session.give(Chance(found[0].id))
    except (IllegalInput, RuleError) as error:
        raise Refused(clean(str(error))) from None
