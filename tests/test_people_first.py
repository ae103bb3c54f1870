"""A person is asked before bots think that decide at the same time; the play is the same."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from tests.playing import RATS, game_of, rats
from tests.rulesets import game_named

from rulerun.compiled.python.executor import PythonExecutor
from rulerun.executors.answering import Answering
from rulerun.runtime.executor import Decision
from rulerun.runtime.rng import Stream
from rulerun.session.agents import AgentFault
from rulerun.session.record import read_record
from rulerun.session.session import Session
from rulerun.terminal.save import Keeper
from rulerun.terminal.screen import Screen
from rulerun.terminal.sitting import ENDED, FAILED, FINE, Sitting
from rulerun.views.observation import Observation
from rulerun_dsl.model import Game

LIMITED = RATS.replace("players:", "limits: {decisions: 2}\nplayers:")


class Typed(io.StringIO):
    """What a person types, and when they were asked for it."""

    def __init__(self, answers: str, happened: list[str]) -> None:
        super().__init__(answers)
        self.happened = happened

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]  # it is text
        self.happened.append("asked")
        return super().readline(-1 if size is None else size)


class Bot:
    """A bot that notes what it saw."""

    blind = False

    def __init__(self, happened: list[str], fails: bool = False) -> None:
        self.happened, self.fails = happened, fails
        self.seen: list[tuple[Observation, tuple[int, ...]]] = []
        self.ready = False

    def prepare(self) -> None:
        if not self.ready:
            self.happened.append("ready")
        self.ready = True

    def choose(self, observation: Observation, legal: tuple[int, ...], luck: Stream) -> int:
        if self.fails:
            raise AgentFault("no idea")
        self.happened.append("thinks")
        self.seen.append((observation, legal))
        return legal[luck.below(len(legal))]


class Sat:
    """A play of one person and a bot at a screen."""

    def __init__(
        self,
        game: Game,
        answers: str,
        at: int = 1,
        path: Path | None = None,
        fails: bool = False,
        live: bool = False,
    ) -> None:
        self.happened: list[str] = []
        self.bot = Bot(self.happened, fails)
        self.out = io.StringIO()
        self.said: list[str] = []
        keeper = Keeper(game, {}, 5)
        if path is not None:
            keeper.save(path)
        screen = Screen(Typed(answers, self.happened), self.out)
        screen.live = live
        seats = {at: self.bot}
        self.session = Session(Answering(game), seats, 5, keeper, automatic=False)
        self.code = Sitting(self.session, screen, keeper, self.said.append).play()
        keeper.close()


@pytest.mark.parametrize("at", [0, 1])
def test_a_question_does_not_wait_for_a_bot_of_the_same_together(at: int) -> None:
    sat = Sat(rats(), "spy\n", at)
    assert sat.happened == ["asked", "thinks", "thinks"], "nobody is asked for the last card"
    assert sat.code == FINE


def test_a_bot_that_moves_first_thinks_first() -> None:
    sat = Sat(game_named("tic_tac_toe"), "1\n", at=0)
    assert sat.happened[:3] == ["thinks", "asked", "thinks"]


@pytest.mark.parametrize("at", [0, 1])
def test_the_play_is_that_in_which_bots_do_not_wait(at: int) -> None:
    """The same inputs in the same order, by the same luck, from the same sights."""
    game = game_named("brave_rats")
    sat = Sat(game, "look\n?\nnonsense\nlog\n" + "f\n" * 3 + "a\n", at)
    assert sat.happened[:6] == ["asked"] * 5 + ["thinks"], "who only looks does not wait either"
    bot = Bot([])
    session = Session(Answering(game), {at: bot}, 5)
    played = [point.given for point in sat.session.history]
    assert len(played) == 8
    for given in played:
        if isinstance(given, Decision) and given.player != at:
            session.submit(given.player, given.action)
    assert [point.given for point in session.history][: len(played)] == played
    assert bot.seen[:4] == sat.bot.seen
    assert sat.session.log(1 - at) == session.log(1 - at)


@pytest.mark.parametrize("live", [True, False])
def test_a_bot_is_made_ready_while_a_person_is_asked(live: bool) -> None:
    sat = Sat(rats(), "spy\n", live=live)
    assert sat.happened == [*["ready"] * live, "asked", "thinks", "thinks"]


def test_who_leaves_waits_for_no_bot() -> None:
    for answers, code in (("quit\n", FINE), ("", ENDED)):
        sat = Sat(rats(), answers)
        assert (sat.happened, sat.code) == (["asked"], code)


@pytest.mark.parametrize("answers", ["quit\n", ""])
def test_a_record_of_who_leaves_has_what_bots_decide(answers: str, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    sat = Sat(rats(), answers, path=path)
    assert sat.happened == ["asked", "thinks"]
    record, _ = read_record(path)
    assert record is not None and [entry.number for entry in record.entries] == [1]


@pytest.mark.parametrize("answers", ["quit\n", ""])
def test_a_bot_that_fails_for_the_record_is_told_of(answers: str, tmp_path: Path) -> None:
    sat = Sat(rats(), answers, path=tmp_path / "game.jsonl", fails=True)
    assert sat.code == FAILED and "no idea" in sat.said[0]


def test_a_bot_that_fails_ends_the_play_and_the_answer_does_not_count() -> None:
    sat = Sat(rats(), "spy\n", fails=True)
    assert sat.code == FAILED and "no idea" in sat.said[0]
    assert not sat.session.history


def test_nobody_is_asked_for_a_decision_that_bots_may_leave_no_room_for() -> None:
    made = game_of(LIMITED)
    assert Sat(made, "spy\n").happened == ["asked", "thinks"], "there is room for both"
    alone = game_of(LIMITED.replace("decisions: 2", "decisions: 1"))
    sat = Sat(alone, "spy\n")
    assert (sat.happened, sat.code) == (["thinks"], FINE)


def test_a_play_makes_one_executor_and_none_to_ask_first(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    make, happened = PythonExecutor.__init__, Typed.readline
    counts: list[int] = []

    def noted(self: PythonExecutor, *given: object, **named: object) -> None:
        made.append(1)
        make(self, *given, **named)  # type: ignore[arg-type]

    def asked(self: Typed, size: int | None = -1, /) -> str:
        counts.append(len(made))
        return happened(self, size)

    monkeypatch.setattr(PythonExecutor, "__init__", noted)
    monkeypatch.setattr(Typed, "readline", asked)
    Sat(game_named("brave_rats"), "a\n" * 8)
    assert counts[0] == 0 and set(counts[1:]) == {1}
