"""What tables are quick with says the same as what is slow: logs that grow, steps that are told."""

from __future__ import annotations

import random

import pytest
from tests.rulesets import game_named

from rulerun.executors.answering import Answering
from rulerun.reference.executor import Reference
from rulerun.runtime.executor import Decision, IllegalInput
from rulerun.session.session import Session
from rulerun.views.observe import SPECTATOR, observe
from rulerun.web.scene import Eyes, Stage
from rulerun.words.chronicle import Chronicle
from rulerun.words.labels import Labels
from rulerun.words.narration import Narrator
from rulerun_dsl.source.resources import ruleset_names

NAMES = (
    "antler_island",
    "brave_rats",
    "chasse_en_folie",
    "hearts",
    "ruse",
    "yacht",
)


HEAVY = ("antler_island", "chasse_en_folie", "ruse")
"""Of these a look at each decision takes long; `.ci/run` asks for them."""
HEAVY_SLOWLY = [
    pytest.param(name, marks=pytest.mark.slow if name in HEAVY else ()) for name in NAMES
]


def decided(game, executor, luck, most):
    """A play at random, after each decision."""
    session = Session(executor, {}, "1", automatic=False)
    session.advance()
    for _ in range(most):
        if session.over or session.truncated:
            return
        player = luck.choice(session.asked)
        session.submit(player, luck.choice(executor.legal(session.state, player)))
        yield session


@pytest.mark.slow_in_ci
@pytest.mark.parametrize("name", HEAVY_SLOWLY)
def test_a_log_that_grows_is_the_log_of_it_all(name):
    game, luck = game_named(name), random.Random(name)
    names = Labels(game)
    viewers = [SPECTATOR, *range(len(game.players))]
    texts = {each: "" if each == SPECTATOR else game.players[each] for each in viewers}
    logs = {each: Chronicle(names, texts[each]) for each in viewers}
    session = None
    for session in decided(game, Answering(game), luck, 24):
        # Who looks now and then has heard much at a time.
        for viewer in luck.sample(viewers, luck.randrange(len(viewers) + 1)):
            told = session.log(viewer)
            whole = Narrator(names, viewer=texts[viewer]).tell(told)
            assert logs[viewer].sentences(told) == whole
    assert session is not None
    for viewer in viewers:
        told = session.log(viewer)
        assert logs[viewer].sentences(told) == Narrator(names, viewer=texts[viewer]).tell(told)


@pytest.mark.slow_in_ci
@pytest.mark.parametrize("prepared", [False, True])
@pytest.mark.parametrize("name", HEAVY_SLOWLY)
def test_an_answering_step_is_that_of_the_reference(name, prepared):
    game, luck = game_named(name), random.Random(name)
    answering, plain = Answering(game), Reference(game)
    if prepared:
        answering.prepare()
    assert answering.initial() == plain.initial()
    for session in decided(game, answering, luck, 5):
        point = session.history[-1]
        before = session.history[-2].step.state if len(session.history) > 1 else session.initial
        assert point.step == plain.apply(before, point.given)
        for player in range(len(game.players)):
            legal = plain.legal(session.state, player)
            assert answering.legal(session.state, player) == legal
            # Hints are worked out for what is legal, by the one without listing it anew.
            seen = observe(answering, session.state, player)
            assert seen == observe(plain, session.state, player)
            other = luck.randrange(game.number_of_actions)
            given = Decision(player, other)
            assert answering.refusal(session.state, given) == plain.refusal(session.state, given)
            if other not in legal:
                with pytest.raises(IllegalInput):
                    answering.apply(session.state, given)


def test_every_question_is_listed_by_compiled_code(monkeypatch):
    """Those as well that play comes to after the answers are ready."""
    monkeypatch.setattr(
        "rulerun.reference.choices.Question.offers",
        lambda *_: pytest.fail("the reference lists what may be chosen"),
    )
    game = game_named("love_letter")
    answering = Answering(game)
    answering.prepare()
    for _ in decided(game, answering, random.Random(1), 12):
        pass
    assert len([*answering._told.machine.questions]) > 1


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(ruleset_names()))
def test_every_game_is_shown_to_everybody(name):
    """Scenes of random plays: nothing fails, and what was shown before changes nothing."""
    game, luck = game_named(name), random.Random(name)
    stage = Stage(Labels(game))
    roles = [*game.players, "spectator"]
    eyes = {role: Eyes(stage, role) for role in roles}
    for number, session in enumerate(decided(game, Answering(game), luck, 60)):
        for at, role in enumerate(roles):
            viewer = at if at < len(game.players) else SPECTATOR
            seen, told = session.observation(viewer), session.log(viewer)
            scene = eyes[role].look(seen, told)
            if number % 20 == 19:
                fresh = Eyes(Stage(Labels(game)), role).look(seen, told)
                assert (scene.text, scene.log) == (fresh.text, fresh.log)
