"""Spoiled inputs: a text that is no action, a number that is none; refused, and nothing changes.

At points of random plays the texts of legal actions are spoiled and handed in, the same way every
time, and so are numbers. Each is taken if it names a legal action, else refused; nothing else is
raised, nothing hangs, and a refusal leaves state, log and record as they were.
"""

from __future__ import annotations

from functools import cache
from random import Random

import pytest
from tests.fuzzing import spoiled, within
from tests.hand import hand_game
from tests.rulesets import game_named

from rulerun.reference.executor import Reference
from rulerun.runtime import actions
from rulerun.runtime.executor import Chance, Decision, IllegalInput, Input
from rulerun.session.session import Session
from rulerun.views.observe import SPECTATOR

SECONDS = 20
CASES = [range(300), pytest.param(range(300, 20_300), marks=pytest.mark.slow)]
GAMES = ("hand", "brave_rats", "go_fish", "goofspiel", "liars_dice", "pig", "tic_tac_toe")
CODES = {
    "over", "not_your_turn", "unknown_action", "not_offered", "not_there", "condition",
    "if_possible", "taken", "hidden",
}  # fmt: skip
NUMBERS = (-(2**63), -2, -1, 0, 1, 2, 3, 7, 12, 13, 2**31, 2**64)


@cache
def executor(name):
    if name == "hand":
        return Reference(hand_game())
    return Reference(game_named(name))


def somewhere(running, luck):
    """A session after a few random inputs."""
    session = Session(running, seed=luck.randrange(100))
    for _ in range(luck.randrange(12)):
        if session.asked:
            player = luck.choice(session.asked)
            session.submit(player, luck.choice(running.legal(session.state, player)))
    return session


def whole(session):
    """All of a session that a refusal must leave alone."""
    viewers = [SPECTATOR, *range(len(session.game.players))]
    return session.state, session.history, [session.log(viewer) for viewer in viewers]


def given(session, luck):
    """A player, and what they hand in: a text or a number."""
    running = session.executor
    players = len(session.game.players)
    player = luck.choice(session.asked or (0,))
    if luck.random() < 0.1:
        player = luck.choice((0, players - 1))
    legal = running.legal(session.state, player)
    many = session.game.number_of_actions
    if luck.random() < 0.15:
        return player, luck.choice((*NUMBERS, many, many - 1, luck.randrange(many)))
    known = [actions.text(session.game, luck.randrange(many)) for _ in range(3)]
    known += [actions.text(session.game, action) for action in legal[:20]]
    return player, spoiled(luck.choice(known), luck, known)


@pytest.mark.parametrize("cases", CASES)
def test_spoiled_actions(cases):
    for number in cases:
        luck = Random(f"actions {number}")
        name = luck.choice(GAMES)
        session = somewhere(executor(name), luck)
        player, action = given(session, luck)
        with within(SECONDS, f"case {number} of {name}: {player} {action!r}"):
            hold(session, player, action)


def hold(session, player, action):
    """What must hold of whatever a player hands in."""
    game = session.game
    legal = session.executor.legal(session.state, player)
    found = actions.parse(game, action) if isinstance(action, str) else action
    if isinstance(action, str) and found is not None:
        assert 0 <= found < game.number_of_actions
        assert actions.parse(game, actions.text(game, found)) == found
    before = whole(session)
    refusal = session.refusal(player, action)
    assert (refusal is None) == (found in legal)
    assert whole(session) == before
    if refusal is None:
        session.submit(player, action)
        assert len(session.history) > len(before[1])
        return
    assert refusal.code in CODES
    assert refusal.message
    with pytest.raises(IllegalInput) as raised:
        session.submit(player, action)
    assert raised.value.refusal == refusal
    assert whole(session) == before


LONG = 60_000


@pytest.mark.parametrize(
    "text",
    [
        f"ask({',' * LONG})",
        f"ask(P2{',' * LONG}",
        f"ask(P2, {'9' * LONG})",
        f"{'ask(' * LONG}",
        "a" * LONG,
        f"ask{' ' * LONG}(P2, 3)",
        f"{'P2, ' * LONG}",
    ],
    ids=lambda text: f"{text[:4]}…{text[-4:]}",
)
def test_long_texts(text):
    session = Session(executor("go_fish"), seed=1)
    with within(SECONDS, text[:20]):
        hold(session, session.asked[0], text)


@pytest.mark.parametrize("name", GAMES)
def test_spoiled_inputs(name):
    """Players, actions and outcomes that are none, straight to the executor."""
    running = executor(name)
    players = len(running.game.players)
    inputs: list[Input] = [Chance(number) for number in NUMBERS]
    inputs += [Decision(who, 0) for who in (*NUMBERS, players)]
    inputs += [Decision(0, action) for action in (*NUMBERS, running.game.number_of_actions)]
    for number in range(20):
        state = somewhere(running, Random(f"inputs {number}")).state
        asked = {each.player: running.legal(state, each.player) for each in running.waiting(state)}
        outcomes = {each.id for each in running.outcomes(state)}
        for one in inputs:
            good = (
                one.outcome in outcomes
                if isinstance(one, Chance)
                else one.action in asked.get(one.player, ())
            )
            refusal = running.refusal(state, one)
            assert (refusal is None) == good
            if good:
                running.apply(state, one)
            else:
                assert refusal.code in CODES
                with pytest.raises(IllegalInput):
                    running.apply(state, one)
