"""Laws 3 and 4: what is listed applies, everything else is refused, and a refusal changes nothing.

Assumes a walk.
Does: in some of its states takes every action that is listed and tries others: ids that do not
exist, other players, luck where none is asked. In a session that plays the walk again it submits
what must be refused, and compares everything that a session holds and shows before and after.
Leaves behind what applies and should not, does not and should, or changed by being refused.
"""

from __future__ import annotations

from collections.abc import Iterator

from rulerun.laws.report import Placed
from rulerun.laws.trajectory import Found, Walk, some, text_of
from rulerun.runtime import actions
from rulerun.runtime.executor import (
    CHANCE,
    Chance,
    Decision,
    IllegalInput,
    Input,
    Refusal,
    RuleError,
    Verdict,
)
from rulerun.session.session import Session
from rulerun.session.taking_back import CannotUndo

MOST_STATES = 16
MOST_ACTIONS = 24
CODES = frozenset(
    (
        "over",
        "not_your_turn",
        "unknown_action",
        "not_offered",
        "not_there",
        "condition",
        "if_possible",
        "taken",
        "hidden",
    )
)
WITH_A_PLACE = frozenset(("not_there", "condition", "if_possible"))


# ------------------------------------------------------------------------------------- law 3


def stopped(walk: Walk) -> Iterator[Found]:
    """What was listed and stopped a walk."""
    if walk.fault is not None:
        message = f"`{walk.texts[-1]}` is listed and ends in a rule error: {walk.fault.message}"
        yield len(walk.steps), Placed(message, walk.fault.span)


def legal(walk: Walk) -> Iterator[Found]:
    """Look for actions that are listed and do not apply, and for others that do."""
    for at in walk.picked(MOST_STATES, "legality"):
        yield from ((at, what) for what in _listed(walk, at))
        yield from ((at, what) for what in _others(walk, at))


def _listed(walk: Walk, at: int) -> Iterator[str]:
    executor, state, game = walk.executor, walk.states[at], walk.game
    luck = walk.luck("listed", at)
    for player in walk.players_asked(at):
        legal = executor.legal(state, player)
        name = game.players[player]
        if not legal:
            yield f"{name} is asked and may do nothing"
        if list(legal) != sorted(set(legal)):
            yield f"the actions of {name} are not sorted, or one stands twice: {legal}"
        if executor.legal(state, player) != legal:
            yield f"{name} may do something else when asked again"
        types = actions.asked(game, executor.waiting(state), player)
        for action in some(list(legal), MOST_ACTIONS, luck):
            if not 0 <= action < game.number_of_actions:
                yield f"{name} may do {action}, which is no action of the game"
                continue
            text = actions.text(game, action)
            if not luck.below(4) and actions.parse(game, text, types) != action:
                yield f"`{text}` names another action than {action}"
            if executor.refusal(state, Decision(player, action)) is not None:
                yield f"`{text}` is listed for {name} and would be refused"
            yield from _applies(walk, at, Decision(player, action))
    if walk.by_chance(at):
        for outcome in some([each.id for each in executor.outcomes(state)], MOST_ACTIONS, luck):
            yield from _applies(walk, at, Chance(outcome))


def _applies(walk: Walk, at: int, given: Input) -> Iterator[str]:
    state = walk.states[at]
    try:
        walk.executor.apply(state, given)
    except IllegalInput as refused:
        yield f"`{text_of(walk.executor, state, given)}` is listed and refused: {refused}"
    except RuleError as error:
        text = text_of(walk.executor, state, given)
        message = f"`{text}` is listed and ends in a rule error: {error.message}"
        yield Placed(message, error.span)


def _others(walk: Walk, at: int) -> Iterator[str]:
    for given in refusable(walk, at):
        refusal = walk.executor.refusal(walk.states[at], given)
        if refusal is None:
            yield f"{given} is not listed and would not be refused"
        try:
            walk.executor.apply(walk.states[at], given)
        except IllegalInput as refused:
            if refused.refusal != refusal:
                yield f"{given} is refused with {refused.refusal.code}, not as it was announced"
        except RuleError as error:
            yield Placed(f"{given} is not listed and is a rule error: {error.message}", error.span)
        else:
            yield f"{given} is not listed and is taken"
    for player in range(len(walk.game.players)):
        if player not in walk.players_asked(at) and walk.executor.legal(walk.states[at], player):
            yield f"{walk.game.players[player]} is not asked and may do something"
    if not walk.by_chance(at) and walk.executor.outcomes(walk.states[at]):
        yield "luck is not asked and may fall"


def refusable(walk: Walk, at: int, most: int = MOST_ACTIONS) -> Iterator[Input]:
    """Inputs that must be refused in a state."""
    game, state = walk.game, walk.states[at]
    luck = walk.luck("refusable", at)
    asked = walk.players_asked(at)
    taken: list[int] = []
    for player in asked:
        legal = set(walk.executor.legal(state, player))
        taken += sorted(legal)
        rest = [each for each in range(min(game.number_of_actions, 4096)) if each not in legal]
        for action in some(rest, most, luck):
            yield Decision(player, action)
        for action in (-1, game.number_of_actions, game.number_of_actions + 7):
            yield Decision(player, action)
    ids = taken or list(range(min(game.number_of_actions, 3)))
    for player in (*range(len(game.players)), CHANCE, len(game.players)):
        if player not in asked:
            for action in some(ids, 3, luck):
                yield Decision(player, action)
    outcomes = {each.id for each in walk.executor.outcomes(state)} if walk.by_chance(at) else set()
    for outcome in (-1, 0, 1, max(outcomes, default=0) + 1):
        if outcome not in outcomes:
            yield Chance(outcome)


# ------------------------------------------------------------------------------------- law 4


class Notes:
    """A record in memory, to see whether anything is written."""

    def __init__(self) -> None:
        """Nothing written yet."""
        self.lines: list[object] = []

    def decision(self, number: int, player: str, action: str) -> None:
        """A player has taken an action."""
        self.lines.append((number, player, action))

    def chance(self, number: int, outcome: str) -> None:
        """Luck has fallen."""
        self.lines.append((number, outcome))

    def undo(self, number: int, of: int) -> None:
        """An input is taken back."""
        self.lines.append((number, of))

    def end(self, number: int, how: str, verdict: Verdict | None, state: str) -> None:
        """The play is over."""
        self.lines.append((number, how))


MOST_REFUSALS = 5
"""States of a walk in which refusals are tried."""


def refused(walk: Walk) -> Iterator[Found]:
    """Look for what a refusal changes."""
    notes = Notes()
    session = walk.session(record=notes)
    wanted = set(walk.picked(MOST_REFUSALS, "refusals"))
    for at in range(len(walk.states)):
        if at in wanted:
            yield from ((at, what) for what in _refused(walk, at, session, notes))
        if at < len(walk.steps):
            session.give(walk.inputs[at])
            if session.state != walk.states[at + 1]:
                yield at + 1, "a play in which something was refused goes on otherwise"
                return


def holding(session: Session, notes: Notes, viewers: tuple[int, ...]) -> tuple[object, ...]:
    """All that a session holds and shows."""
    return (
        session.state.to_bytes(),
        session.history,
        session.waiting,
        session.asked,
        session.decisions,
        session.over,
        session.truncated,
        session.verdict,
        session.fault,
        tuple(notes.lines),
        tuple(session.log(viewer) for viewer in viewers),
        tuple(session.observation(viewer).text() for viewer in viewers),
        tuple(session.information(viewer).items for viewer in viewers),
    )


def _refused(walk: Walk, at: int, session: Session, notes: Notes) -> Iterator[str]:
    before = holding(session, notes, walk.viewers)
    for given in refusable(walk, at, most=3):
        try:
            if isinstance(given, Decision):
                session.submit(given.player, given.action)
            else:
                session.give(given)
        except IllegalInput as refused:
            ours = isinstance(given, Decision) and 0 <= given.player < len(walk.game.players)
            yield from _says(given, refused.refusal)
            if ours and session.over and refused.refusal.code != "over":
                yield f"{given} is refused with `{refused.refusal.code}` though the game is over"
        except RuleError as error:
            yield f"{given} must be refused and is a rule error: {error.message}"
        else:
            yield f"{given} must be refused and is taken"
            return
        if (session.state.to_bytes(), session.history, session.waiting) != before[:3]:
            yield f"{given} was refused and has changed something"
            return
    yield from _no_such_action(walk, session)
    for player in range(len(walk.game.players)):
        if session.why_no_undo(player) is not None:
            try:
                session.undo(player)
            except CannotUndo:
                continue
            yield f"an undo of {walk.game.players[player]} must be refused and is done"
            return
    if holding(session, notes, walk.viewers) != before:
        yield "what was refused (an input or an undo) has changed something"


def _says(given: Input, refusal: Refusal) -> Iterator[str]:
    """Whether a refusal says what it must."""
    if refusal.code not in CODES:
        yield f"{given} is refused with the unknown code {refusal.code}"
    if not refusal.message.strip():
        yield f"{given} is refused without a word"
    if refusal.code in WITH_A_PLACE and (refusal.span is None or not refusal.span.text.strip()):
        yield f"{given} is refused for `{refusal.code}` and no line is named"


def _no_such_action(walk: Walk, session: Session) -> Iterator[str]:
    for player in range(len(walk.game.players)):
        try:
            session.submit(player, "no such action, ever")
        except IllegalInput:
            continue
        yield "an action that nobody has heard of is taken"
