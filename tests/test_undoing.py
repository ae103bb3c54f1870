"""Undo across what bots have replied: allowed if it tells nobody anything, and never a peek."""

from __future__ import annotations

from functools import cache

import pytest
from tests.executors import executor_of
from tests.rulesets import game_named

from rulerun.runtime.executor import Chance
from rulerun.session.agents import FirstAgent, RandomAgent, ScriptedAgent
from rulerun.session.record import RecordWriter, read_record
from rulerun.session.replay import replay
from rulerun.session.session import Session
from rulerun.session.taking_back import CannotUndo
from rulerun_dsl.load import load, load_game
from rulerun_dsl.model import Game

pytestmark = pytest.mark.executors

# Each holds a card. `show` and `call` tell of it, `wait` does not, `think` is a secret.
TABLE = """
rulerun: 1
game: table
players: [ann, bob, cal]
components:
  card: {rows: {ace: {}, king: {}, queen: {}, jack: {}, ten: {}}, start: deck}
zones:
  deck: {of: card, order: random, visible: none}
  hand[player]: {of: card, visible: owner}
  shown: {of: card, visible: all}
state:
  rounds: {type: 0..9, visible: all}
  waited[player]: {type: 0..9, visible: all}
  thought[player]: {type: 0..9, visible: owner}
setup:
  - for: p in players
    do: move 1 from deck to hand[p]
phases:
  main:
    turns: you in players
    until: rounds == 9
    do:
      - choose:
          %s
      - rounds += 1
scoring:
  points(player p): waited[p] + thought[p] + count(shown)
"""
WAIT = "wait: waited += 1"
WINK = "wink: waited += 2"
SHOW = "show(c in hand): move c to shown"
CALL = "call: {when: ace in hand, do: waited += 3}"
THINK = "think: thought += 1"
PONDER = "ponder: thought += 2"
DRAW = "draw: move 1 from deck to shown"


@cache
def table(*choices: str) -> Game:
    loaded, found = load((TABLE % "\n          ".join(choices)).encode(), "table.yaml")
    assert loaded is not None, found
    game, found = loaded.game()
    assert game is not None, found
    return game


def after(game: Game, given: str, *agents: object, seed: int = 3) -> Session:
    """A session in which the first player has decided and these agents have replied."""
    seats = dict(enumerate(agents, 1))
    session = Session(executor_of(game), seats, seed)  # type: ignore[arg-type]
    session.submit(0, given)
    return session


def why_not(session: Session) -> str:
    refused = session.why_no_undo(0)
    return "" if refused is None else refused.code


def winks() -> ScriptedAgent:
    return ScriptedAgent(["wink"])


class TestAcrossReplies:
    def test_in_an_open_game(self):
        session = Session(executor_of(game_named("tic_tac_toe")), {1: RandomAgent()}, 3)
        before = session.state, session.information(0), session.asked
        session.submit(0, "r1c1")
        replied = session.state
        assert len(session.history) == 2
        session.undo(0)
        assert (session.state, session.information(0), session.asked) == before
        assert session.log(0)[-1].text == "You take back r1c1 and what was done since."
        assert session.log(1)[-1].text == "x takes back a decision and what was done since."
        assert session.decisions == 0
        session.submit(0, "r1c1")
        assert session.state == replied, "the same luck of the bot is there again"

    def test_turn_by_turn_to_the_beginning(self):
        session = Session(executor_of(game_named("tic_tac_toe")), {1: RandomAgent()}, 3)
        start = session.state
        for cell in ("r1c1", "r3c3"):
            assert session.refusal(0, cell) is None
            session.submit(0, cell)
        session.undo(0)
        assert len(session.history) == 2
        session.undo(0)
        assert session.state == start
        assert why_not(session) == "nothing"

    def test_in_a_game_with_secrets_of_which_the_reply_tells_none(self):
        session = after(table(WAIT, WINK), "wait", FirstAgent(), FirstAgent())
        assert [each.text for each in session.history[3:]] == ["wait"] * 3
        session.undo(0)
        assert len(session.history) == 3, "but for the three that were dealt"

    def test_an_agent_that_looks_replies_to_what_all_see_where_nothing_is_hidden(self):
        session = Session(executor_of(game_named("tic_tac_toe")), {1: ScriptedAgent(["r2c2"])}, 3)
        session.submit(0, "r1c1")
        assert session.why_no_undo(0) is None


@pytest.mark.parametrize(
    ("choices", "given", "agents"),
    [
        # A card is shown.
        ([SHOW, WAIT], "wait", [FirstAgent, FirstAgent]),
        # That it waits says that it has no ace, or that it has one.
        ([CALL, WAIT], "wait", [FirstAgent, FirstAgent]),
        # It is not noticed what was done.
        ([THINK, PONDER, WAIT], "wait", [FirstAgent, FirstAgent]),
        # Luck has fallen.
        ([DRAW, WAIT], "wait", [FirstAgent, FirstAgent]),
        # What it replies may hang on what only it sees.
        ([WAIT, WINK], "wait", [winks, winks]),
        # Another person has replied, or could have learnt from a reply.
        ([WAIT, WINK], "wait", [FirstAgent]),
    ],
)
def test_not_across_what_tells_something(choices, given, agents):
    session = after(table(*choices), given, *(each() for each in agents))
    before = session.state
    assert why_not(session) == "decision"
    with pytest.raises(CannotUndo) as refused:
        session.undo(0)
    assert session.state == before
    assert "may" not in str(refused.value).split()


def test_the_answer_is_the_same_whatever_is_hidden():
    """Whichever cards the others hold, and whatever they thought."""
    for choices in ([SHOW, WAIT], [CALL, WAIT], [THINK, PONDER, WAIT], [WAIT, WINK]):
        game = table(*choices)
        answers: dict[object, set[str]] = {}
        for seed in range(12):
            agents = [RandomAgent(), RandomAgent()]
            session = after(game, "wait", *agents, seed=seed)
            given = session.observation(0).text(), tuple(each.text for each in session.log(0))
            answers.setdefault(given, set()).add(str(session.why_no_undo(0)))
        assert all(len(each) == 1 for each in answers.values())


@pytest.mark.parametrize("people", [["human", "random"], ["person", "my own bot"]])
def test_records_replay(tmp_path, people):
    game = game_named("tic_tac_toe")
    path = tmp_path / "r.jsonl"
    with RecordWriter.create(path, game, dict(enumerate(people)), 3) as writer:
        session = Session(executor_of(game), {1: RandomAgent()}, 3, writer)
        session.submit(0, "r1c1")
        session.undo(0)
        session.submit(0, "r2c2")
    record, found = read_record(path)
    assert record is not None and not found
    assert [each.word for each in record.entries] == [*["action"] * 2, "undo", *["action"] * 2]
    again, found = replay(record, executor_of(game))
    assert again is not None and not found
    assert again.state == session.state
    assert again.log(0) == session.log(0)
    going_on, found = replay(record, executor_of(game), seats={1: RandomAgent()})
    assert going_on is not None and not found
    going_on.undo(0)
    assert going_on.history == ()


def test_a_record_takes_back_no_reply_of_a_person(tmp_path):
    game = game_named("tic_tac_toe")
    path = tmp_path / "r.jsonl"
    with RecordWriter.create(path, game, {0: "human", 1: "human"}, 3) as writer:
        session = Session(executor_of(game), {1: RandomAgent()}, 3, writer)
        session.submit(0, "r1c1")
        session.undo(0)
    record, _ = read_record(path)
    assert record is not None
    _, found = replay(record, executor_of(game))
    assert [each.code for each in found] == ["RR1007"]
    assert "somebody else's turn" in found[0].message


def test_who_sits_down_later_is_no_bot_of_the_record(tmp_path):
    """Else the record would not tell whose replies could be taken back."""
    game = game_named("tic_tac_toe")
    path = tmp_path / "r.jsonl"
    RecordWriter.create(path, game, {0: "human", 1: "human"}, 3).close()
    record, _ = read_record(path)
    assert record is not None
    session, _ = replay(record, executor_of(game), seats={1: RandomAgent()})
    assert session is not None
    session.advance()
    session.submit(0, "r1c1")
    assert why_not(session) == "decision"


MUSING = """
rulerun: 1
game: musing
players: [ann, bob]
components:
  card: {rows: {ace: {}, king: {}, queen: {}}, start: deck}
zones:
  deck: {of: card, order: random, visible: none}
  hand[player]: {of: card, visible: owner}
state:
  nods[player]: {type: 0..99, visible: all}
  thoughts[player]: {type: 0..99, visible: owner}
setup:
  - for: p in players
    do: move 1 from deck to hand[p]
phases:
  main:
    for: round in 1..3
    phases:
      turn:
        for: you in players
        do:
          - choose:
              nod: nods += 1
              muse: {when: ace in hand, do: thoughts += 1}
            times: any
            done: enough
scoring:
  points(player p): nods[p] + thoughts[p]
"""


def test_what_others_may_answer_is_not_told_by_undo():
    """Bob can muse, which nobody sees, only with the ace; whether Ann may take back is the same."""
    game, found = load_game(MUSING.encode())
    assert game is not None, found
    answers = {}
    for card in ("ace", "queen"):
        session = Session(executor_of(game), seed=1, automatic=False)
        for falls in ("king", card):
            outcomes = session.executor.outcomes(session.state)
            session.give(next(Chance(each.id) for each in outcomes if each.text == falls))
        session.submit(0, "enough")
        assert session.asked == (1,)
        answers[card] = why_not(session)
    assert answers["ace"] == answers["queen"]
