"""A live play: one seed gives one play, a refusal changes nothing, undo is no way to peek."""

import pytest
from tests.executors import executor_of
from tests.hand import TEN_POINTS, hand_game, three_players
from tests.playing import game_of

from rulerun.runtime.executor import Chance, Decision, IllegalInput, RuleError
from rulerun.session import agents
from rulerun.session import session as sessions
from rulerun.session.agents import AgentFault, FirstAgent, RandomAgent, ScriptedAgent
from rulerun.session.taking_back import CannotUndo
from rulerun.views.observe import SPECTATOR
from rulerun.views.undo import reveals

pytestmark = pytest.mark.executors

VIEWERS = (0, 1, SPECTATOR)

DRAWING = """
rulerun: 1
game: drawing
players: [P1, P2]
components:
  card: {each: player, rows: {a: {}, b: {}}, start: deck}
zones:
  deck[player]: {of: card, order: stack, visible: none}
  hand[player]: {of: card, visible: owner}
phases:
  play:
    do:
      - together: you in players
        do:
          - choose: {draw: move 1 from deck to hand, wait: pass}
"""
"""In a part of their own each may turn up a card that lay hidden."""


@pytest.fixture
def executor():
    return executor_of(hand_game())


def Session(*arguments, **options):
    return sessions.Session(*arguments, **options)


class Notes:
    """A record in memory."""

    def __init__(self):
        self.lines = []

    def decision(self, number, player, action):
        self.lines.append((number, player, action))

    def chance(self, number, outcome):
        self.lines.append((number, "chance", outcome))

    def undo(self, number, of):
        self.lines.append((number, "undo", of))

    def end(self, number, how, verdict, state):
        self.lines.append((number, "end", how))


def texts(session, player):
    return [each.text for each in session.observation(player).actions]


def laid(executor, seed=3, **options):
    """A session after both have laid their first card."""
    session = Session(executor, seed=seed, **options)
    for player in (0, 1):
        session.submit(player, texts(session, player)[0])
    return session


class TestPlay:
    def test_it_waits_for_people(self, executor):
        session = Session(executor, seed=3)
        assert session.asked == (0, 1)
        assert not session.over
        session.submit(1, texts(session, 1)[0])
        assert session.asked == (0,)
        session.submit(0, texts(session, 0)[0])
        assert session.asked == (0,)
        session.submit(0, "keep")
        assert session.asked == (1,)
        session.submit(1, "pass")
        assert session.over
        assert session.asked == ()
        assert session.verdict.winners == (0,)
        assert not session.truncated

    @pytest.mark.parametrize("blind", [True, False])
    def test_what_a_bot_decided_unseen_is_nothing_to_save(self, executor, blind):
        bot = FirstAgent()
        bot.blind = blind
        session = Session(executor, {1: bot}, seed=3)
        assert session.decisions == 1
        assert not session.people_decided
        session.submit(0, texts(session, 0)[0])
        assert session.people_decided

    def test_one_seed_one_play(self, executor):
        seats = {0: RandomAgent(), 1: RandomAgent()}
        plays = [
            [point.text for point in Session(executor, seats, seed).history]
            for seed in (7, 7, "7", 8, 9, 10)
        ]
        assert plays[0] == plays[1] == plays[2]
        assert len({tuple(play) for play in plays}) > 1

    def test_known_plays(self, executor):
        """These never change within a version of the scheme of randomness."""
        seats = {0: RandomAgent(), 1: RandomAgent()}
        session = Session(executor, seats, 7)
        assert [point.text for point in session.history] == KNOWN_PLAY

    def test_luck_does_not_depend_on_agents(self, executor):
        """An agent that thinks longer, or differently, does not change the dice."""

        class Thoughtful(FirstAgent):
            def choose(self, observation, legal, luck):
                for _ in range(100):
                    luck.below(6)
                return super().choose(observation, legal, luck)

        plays = [
            [p.text for p in Session(executor, {0: agent, 1: agent}, 5).history if p.player is None]
            for agent in (FirstAgent(), Thoughtful())
        ]
        assert plays[0] == plays[1]

    def test_a_person_among_agents(self, executor):
        session = Session(executor, {1: FirstAgent()}, seed=3)
        assert session.asked == (0,)
        told = session.submit(0, texts(session, 0)[0])
        assert told[0].word == "choose"
        assert told[-1].word == "together_end"
        assert session.asked == (0,)

    def test_submit_tells_what_was_told_since(self, executor):
        session = Session(executor, seed=3)
        before = session.log(0)
        told = session.submit(0, texts(session, 0)[0])
        assert session.log(0) == before + told

    def test_take_single(self, executor):
        session = laid(executor, seed=3, take_single=True)
        assert session.asked == (0,)
        game = hand_game(("          pass: pass\n", ""))
        session = laid(executor_of(game), take_single=True)
        session.submit(0, "keep")
        assert session.over
        session = laid(executor_of(game))
        session.submit(0, "keep")
        assert session.asked == (1,)


class TestTelling:
    def test_nobody_is_told_of_what_is_not_theirs(self, executor):
        session = Session(executor, seed=3)
        heard = {who: session.log(who) for who in VIEWERS}
        session.submit(0, texts(session, 0)[0])
        assert session.log(1) == heard[1]
        assert session.log(SPECTATOR) == heard[SPECTATOR]
        assert session.log(0) != heard[0]

    def test_all_is_told_when_all_are_done_in_one_order(self, executor):
        logs = []
        for order in ((0, 1), (1, 0)):
            session = Session(executor, seed=3)
            for player in order:
                session.submit(player, texts(session, player)[0])
            logs.append([session.log(who) for who in VIEWERS])
            logs[-1] += [session.information(who) for who in VIEWERS]
        assert logs[0] == logs[1]

    def test_a_secret_roll_is_not_told(self, executor):
        for seed in range(5):
            session = laid(executor)
            session.seed = seed
            session.submit(0, "keep")
            session.submit(1, "roll")
            assert session.over
            assert not any("secret" in each.text for each in session.log(0)[-3:])
            assert (
                any(each.what.get("name") == "secret[P2]" for each in session.log(1))
                == (session.state.slots[5] != 0)
                or session.state.slots[5] == 0
            )


class TestRefusal:
    @pytest.mark.parametrize(
        ("player", "action", "code"),
        [
            (1, "keep", "not_your_turn"),
            (0, "pass", "not_offered"),
            (0, "pek", "unknown_action"),
            (0, 99, "unknown_action"),
            (0, -1, "unknown_action"),
            (7, "keep", "not_your_turn"),
            (SPECTATOR, "keep", "not_your_turn"),
        ],
    )
    def test_nothing_changes(self, executor, player, action, code):
        notes = Notes()
        session = laid(executor, record=notes)
        before = (
            session.state,
            session.history,
            list(notes.lines),
            [session.log(who) for who in VIEWERS],
            [session.observation(who) for who in VIEWERS],
        )
        with pytest.raises(IllegalInput) as refused:
            session.submit(player, action)
        assert refused.value.refusal.code == code
        assert session.refusal(player, action) == refused.value.refusal
        assert before == (
            session.state,
            session.history,
            notes.lines,
            [session.log(who) for who in VIEWERS],
            [session.observation(who) for who in VIEWERS],
        )

    def test_a_misspelt_action_is_guessed(self, executor):
        session = laid(executor)
        assert "did you mean peek?" in session.refusal(0, "pek").message

    def test_an_outcome_that_is_not_possible(self, executor):
        session = Session(executor, seed=3, automatic=False)
        before = session.state
        with pytest.raises(IllegalInput):
            session.give(Chance(99))
        assert session.state == before
        assert session.history == ()

    def test_a_record_that_cannot_be_written_changes_nothing(self, executor):
        class Full(Notes):
            def decision(self, number, player, action):
                raise OSError("no space left on device")

        session = Session(executor, seed=3, record=Full())
        before = session.state, session.history, session.log(0)
        with pytest.raises(OSError, match="no space"):
            session.submit(0, texts(session, 0)[0])
        assert before == (session.state, session.history, session.log(0))


class TestFaults:
    def failing(self):
        return executor_of(hand_game(TEN_POINTS))

    def test_a_rule_error_keeps_the_state_before(self):
        notes = Notes()
        session = laid(self.failing(), record=notes)
        before = session.state, session.history, len(notes.lines)
        with pytest.raises(RuleError):
            session.submit(0, "keep")
        assert before == (session.state, session.history, len(notes.lines))
        session.submit(0, "peek")
        assert session.asked == (1,)

    def test_a_rule_error_of_an_agent_is_kept(self):
        session = Session(self.failing(), {0: FirstAgent(), 1: FirstAgent()}, 3)
        assert isinstance(session.fault, RuleError)
        assert session.fault.code == "range"
        assert not session.over
        assert session.verdict is None

    def test_an_agent_that_answers_nonsense(self, executor):
        class Wild(FirstAgent):
            def choose(self, observation, legal, luck):
                return 999

        session = Session(executor, {0: Wild(), 1: FirstAgent()}, 3)
        assert isinstance(session.fault, AgentFault)
        assert "P1" in str(session.fault)

    def test_the_cap_truncates(self):
        notes = Notes()
        seats = {0: FirstAgent(), 1: FirstAgent()}
        session = Session(executor_of(hand_game(decisions=3)), seats, 3, notes)
        assert session.truncated
        assert not session.over
        assert session.verdict is None
        assert session.asked == ()
        assert notes.lines[-1] == (len(notes.lines), "end", "truncated")
        with pytest.raises(IllegalInput):
            session.give(Decision(1, 10))
        with pytest.raises(CannotUndo, match="over"):
            session.undo(0)


class TestUndo:
    def test_a_plain_decision(self, executor):
        notes = Notes()
        session = laid(executor, record=notes)
        before = session.state, session.observation(0), session.information(0)
        session.submit(0, "keep")
        assert session.state != before[0]
        session.undo(0)
        assert before == (session.state, session.observation(0), session.information(0))
        assert session.log(0)[-1].text == "You take back keep."
        assert session.log(1)[-1].text == "P1 takes back a decision."
        number = notes.lines[-1][0]
        assert notes.lines[-1] == (number, "undo", number - 1)

    def test_nothing_to_take_back(self, executor):
        session = Session(executor, seed=3)
        with pytest.raises(CannotUndo) as refused:
            session.undo(0)
        assert refused.value.code == "nothing"

    def test_not_across_another_players_decision(self, executor):
        session = laid(executor)
        with pytest.raises(CannotUndo) as refused:
            session.undo(0)
        assert refused.value.code == "secret"

    @pytest.mark.parametrize("seed", range(4))
    def test_not_across_what_was_revealed(self, executor, seed):
        session = laid(executor, seed)
        session.submit(0, "peek")
        before = session.state
        assert session.why_no_undo(0).code == "settled"
        with pytest.raises(CannotUndo):
            session.undo(0)
        assert session.state == before

    @pytest.mark.parametrize("seed", range(12))
    def test_not_across_what_a_rule_gave_away(self, executor, seed):
        """`guess` shows no card, and yet tells whether P2 holds one."""
        session = Session(executor, seed=seed)
        for player in (0, 1):
            session.submit(player, texts(session, player)[1])
        session.submit(0, "guess")
        zones = [
            session.observation(0).zone(name) for name in ("table[P1]", "table[P2]", "hand[P1]")
        ]
        if "a" in {each.text for zone in zones for each in zone.components}:
            session.undo(0)  # P1 knew before that P2 does not hold it
        else:
            assert session.why_no_undo(0).code == "settled"

    def test_not_across_what_was_revealed_in_the_own_block(self):
        executor = executor_of(game_of(DRAWING))
        session = Session(executor, seed=3)
        session.submit(0, "wait")
        assert session.why_no_undo(0) is None
        session = Session(executor, seed=3)
        session.submit(0, "draw")
        assert session.why_no_undo(0).code == "settled"

    def test_not_across_luck(self, executor):
        again = (
            "          pass: pass\n        by: P2",
            "        times: any\n        done: pass\n        by: P2",
        )
        session = laid(executor_of(hand_game(again)))
        session.submit(0, "keep")
        session.submit(1, "roll")
        assert session.asked == (1,)
        assert session.why_no_undo(1).code == "settled"

    def test_in_a_together_one_may_take_back(self, executor):
        session = Session(executor, seed=3)
        before = session.observation(0), session.information(0)
        log = session.log(1)
        session.submit(0, texts(session, 0)[0])
        session.undo(0)
        assert before == (session.observation(0), session.information(0))
        assert session.log(1) == log
        assert session.log(0)[-1].word == "undo"

    def test_in_a_together_what_was_taken_back_is_never_told(self, executor):
        session = Session(executor, seed=3)
        first, second = texts(session, 0)
        session.submit(0, first)
        session.undo(0)
        session.submit(0, second)
        session.submit(1, texts(session, 1)[0])
        told = [each.text for each in session.log(1) if "P1's table" in each.text]
        assert told == [f"the {second[4]} moves from P1's hand to P1's table"]

    def test_in_a_together_what_others_did_stands(self):
        """Three decide; whether the others are done changes no answer, and they stay done."""
        game = three_players()
        executor = executor_of(game)
        session = Session(executor, seed=3)
        session.submit(0, texts(session, 0)[0])
        session.submit(1, texts(session, 1)[0])
        theirs = session.observation(1), session.log(1)
        assert session.why_no_undo(0) is None
        assert [session.plainly_stays(each) for each in range(3)] == [False, False, True]
        session.undo(0)
        assert session.asked == (0, 2)
        assert (session.observation(1), session.log(1)) == theirs
        session.submit(0, texts(session, 0)[0])
        session.submit(2, texts(session, 2)[0])
        lines = [each.text for each in session.log(2) if "table" in each.text]
        assert [text[-10:-8] for text in lines] == ["P3", "P1", "P2"]
        assert session.why_no_undo(2).code == "secret"
        assert all(session.plainly_stays(each) for each in range(3))

    def test_not_back_before_an_open_together(self):
        """Else the answer would tell whether the others are done."""
        again = (
            ("laying:\n", "laying:\n    until: passed\n"),
            ("pass: pass", "pass: passed = true"),
            ("state:\n", "state:\n  passed: {type: bool, visible: all}\n"),
        )
        session = laid(executor_of(hand_game(*again)))
        session.submit(0, "keep")
        session.submit(1, "roll")
        assert session.asked == (0, 1)
        answer = session.why_no_undo(1)
        assert answer.code == "decision"
        session.submit(0, texts(session, 0)[0])
        assert session.why_no_undo(1).args == answer.args

    def test_over_is_over(self, executor):
        session = laid(executor)
        session.submit(0, "keep")
        session.submit(1, "pass")
        assert session.why_no_undo(1).code == "over"


def test_reveals_is_the_same_for_states_that_look_the_same(executor):
    """The answer to an undo may tell nothing either."""
    answers: dict[str, set[bool]] = {}
    for seed in range(40):
        session = laid(executor, seed)
        seen = session.observation(0).text()
        before = session.state
        keep = Decision(0, 6)
        step = executor.apply(before, keep)
        answers.setdefault(seen, set()).add(reveals(executor, before, keep, step, 0))
    assert all(each == {False} for each in answers.values())


class TestAgents:
    def test_a_script(self, executor):
        session = Session(executor, {0: ScriptedAgent(["lay(b)", "peek"]), 1: FirstAgent()}, 3)
        mine = [point.text for point in session.history if point.player == 0]
        assert mine == ["lay(b)", "peek"]
        assert session.over

    def test_a_script_that_is_wrong_or_too_short(self, executor):
        session = Session(executor, {0: ScriptedAgent(["lay(f)"])}, 3)
        assert "lay(f)" in str(session.fault)
        session = Session(executor, {0: ScriptedAgent(["lay(b)"]), 1: FirstAgent()}, 3)
        assert "at its end" in str(session.fault)
        assert session.asked == ()

    def test_a_script_that_goes_on_with_another(self, executor):
        script = ScriptedAgent(["lay(b)"], then=FirstAgent())
        assert Session(executor, {0: script, 1: FirstAgent()}, 3).over

    def test_a_random_agent_of_its_own_seed(self, executor):
        plays = {
            tuple(
                point.text
                for point in Session(executor, {0: RandomAgent(5), 1: FirstAgent()}, 3).history
            )
            for _ in range(2)
        }
        assert len(plays) == 1

    def test_an_agent_that_does_not_look_sees_nothing(self, executor):
        seen = []

        class Looking(FirstAgent):
            def choose(self, observation, legal, luck):
                seen.append(observation)
                return super().choose(observation, legal, luck)

        class Seeing(Looking):
            blind = False

        Session(executor, {0: Looking(), 1: Seeing()}, 3)
        assert all(each.zones == () for each in seen if each.viewer == 0)
        assert all(each.zones for each in seen if each.viewer == 1)
        assert agents.Agent is not None


KNOWN_PLAY = ["b", "d", "lay(b)", "lay(c)", "keep", "roll", "3"]
