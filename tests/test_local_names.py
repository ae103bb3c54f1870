"""Options of one name in different choices: numbered apart, named alike, told apart in lists."""

import pytest
from tests.executors import executor_of
from tests.test_laws import HERE

from rulerun.runtime import actions
from rulerun.session import record as records
from rulerun.session import replay as replays
from rulerun.session.agents import RandomAgent
from rulerun.session.record import RecordWriter
from rulerun.session.session import Session
from rulerun.simulation.stats.action_names import names_of
from rulerun_dsl.load import load

pytestmark = pytest.mark.executors


@pytest.fixture(scope="module")
def game():
    loaded, found = load(HERE / "local_names.yaml")
    assert loaded is not None and not found
    made, found = loaded.game()
    assert not found
    return made


@pytest.mark.once
def test_each_signature_is_a_type_of_its_own(game):
    assert names_of(game) == (
        "play(card)",
        "pass",
        "play(number)",
        "pass(number)",
        "(card)",
        "leave",
        "play(mood)",
        "(mood)",
    )


@pytest.mark.once
def test_a_text_names_what_is_asked_for(game):
    card, mood = actions.named(game, "play(fox)")
    assert actions.parse(game, "play(fox)", {0}) == card
    assert actions.parse(game, "Play( fox )", {6}) == mood
    # Where none of them is asked for, any will do to say so.
    assert actions.parse(game, "play(fox)", {2, 3}) == card
    assert actions.named(game, "play(fox)", {6}) == [mood]


@pytest.mark.parametrize("seed", range(4))
def test_records_replay(game, seed, tmp_path):
    executor, path = executor_of(game), tmp_path / "play.jsonl"
    with RecordWriter.create(path, game, {0: "random", 1: "random"}, seed) as writer:
        session = Session(executor, {0: RandomAgent(1), 1: RandomAgent(2)}, seed, writer)
        session.advance()
    assert session.over
    record, found = records.read_record(path)
    assert record is not None and not found
    again, found = replays.replay(record, executor)
    assert again is not None and not found
    assert [each.given for each in again.history] == [each.given for each in session.history]
