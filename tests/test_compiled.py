"""Compiled executors from outside: what is made, what falls back, what is kept.

That they play as the reference does is law 14 (`test_agreeing`).
"""

from __future__ import annotations

import builtins
import dataclasses
import pickle
import random
from pathlib import Path

import pytest
from tests.executors import strict
from tests.rulesets import game_named

from rulerun.cli.common import game_of
from rulerun.cli.game_cache import recall_game, remember_game
from rulerun.compiled import ir
from rulerun.compiled.ir.masks import masks
from rulerun.compiled.lower.lower import lower
from rulerun.compiled.python.batch import PythonBatch
from rulerun.compiled.python.executor import PythonExecutor
from rulerun.compiled.python.source import source
from rulerun.executors import make
from rulerun.executors.make import executor_for, executor_within
from rulerun.executors.stepper import TERMINAL, PythonStepper, StateStepper, stepper
from rulerun.reference.executor import Reference
from rulerun.runtime.executor import CHANCE, Chance, Decision, IllegalInput, Input
from rulerun.runtime.rng import key_of
from rulerun.simulation.run.stepping import Stepping
from rulerun_dsl.load import load
from rulerun_dsl.model import Game
from rulerun_dsl.source.resources import shipped

BRIEFLY = (
    "brave_rats", "chess", "coup", "dominion", "go", "hearts", "hex", "quoridor", "sushi_go",
    "love_letter", "ruse", "yacht",
)  # fmt: skip
SMALL = ("tic_tac_toe", "kuhn_poker", "goofspiel", "pig")


def again(game: Game) -> Stepping:
    return Stepping(Reference(game, events=False))


# ------------------------------------------------------------------------------------- python


def test_the_source_says_what_it_comes_from():
    text = source(lower(game_named("tic_tac_toe")))
    assert "# line(3, t in square if mark[t] == you)" in text
    assert "NONE = " not in text
    compile(text, "tic_tac_toe", "exec")


def test_a_list_of_nothing_is_a_table_too():
    program = dataclasses.replace(lower(game_named("tic_tac_toe")), lists=(("NONE_AT_ALL", ()),))
    names: dict[str, object] = {}
    exec(compile(source(program), "tic_tac_toe", "exec"), names)
    assert names["NONE_AT_ALL"] == ()


def test_the_source_is_the_same_each_time():
    """It is what a cache goes by."""
    assert source(lower(game_named("hearts"))) == source(lower(game_named("hearts")))


@pytest.mark.parametrize("name", SMALL)
def test_batches_are_those_of_the_reference(name):
    game = game_named(name)
    batch = PythonBatch(game, again(game))
    assert batch.play(key_of(3), 5, 20) == again(game).play(key_of(3), 5, 20)


def test_a_line_on_a_large_board_is_found_by_every_executor():
    game = game_named("connect_four", 2, rows="9", columns="9")
    batch = PythonBatch(game, again(game))
    assert batch.play(key_of(1), 0, 10) == again(game).play(key_of(1), 0, 10)
    for name in ("python", "native"):
        assert make.why_not(game, name) is None


def test_an_executor_of_no_name():
    with pytest.raises(ValueError, match="there are reference, python, native"):
        executor_for(game_named("pig"), "quick")


def test_who_is_told_is_told_by_the_reference():
    assert isinstance(executor_for(game_named("pig"), "python"), Reference)
    assert isinstance(executor_for(game_named("pig"), "python", events=False), PythonExecutor)


def test_without_llvmlite_python_runs_the_game(monkeypatch):
    pytest.importorskip("rulerun.compiled.native.objects")
    from rulerun.compiled.native import objects

    real = builtins.__import__

    def missing(name, *given, **more):
        if name.startswith("llvmlite"):
            raise ImportError(name)
        return real(name, *given, **more)

    objects.library.cache_clear()
    monkeypatch.setattr(builtins, "__import__", missing)
    monkeypatch.setattr(make, "find_spec", lambda name: None)
    said: list[str] = []
    try:
        executor = executor_for(game_named("pig"), "native", events=False, note=said.append)
        assert type(executor) is PythonExecutor
        assert said == ["native needs `pip install 'rulerun[native]'`; python runs the game"]
        assert isinstance(stepper(game_named("pig"), "native"), PythonStepper)
    finally:
        objects.library.cache_clear()


# ------------------------------------------------------------------------------------- native

needs_native = pytest.mark.skipif(
    pytest.importorskip("importlib.util").find_spec("llvmlite") is None,
    reason="llvmlite is not installed",
)


@needs_native
@pytest.mark.parametrize("name", SMALL)
def test_counting_plays_the_same_games(name):
    """`count` has passes that `play` has not: options are counted before one is made."""
    from rulerun.compiled.native.batch import NativeBatch

    game = game_named(name)
    batch = NativeBatch(game, again(game))
    plays = batch.play(key_of(1), 0, 500)
    games, won, decisions, inputs = batch.count(key_of(1), 0, 500)
    assert games == len(plays)
    assert decisions == sum(each.decisions for each in plays)
    assert inputs == sum(each.inputs for each in plays)
    assert all(won.get(mask, 0) == sum(each.winners == mask for each in plays) for mask in range(4))


@pytest.mark.slow
@pytest.mark.slow_in_ci
@needs_native
@pytest.mark.parametrize("left_out", [("masks",), ("regions",), ("sampled",), ("unobserved",)])
def test_every_pass_leaves_the_games_as_they_are(left_out):
    """Of a larger game than that of `test_passes`."""
    from rulerun.compiled.native.batch import NativeBatch

    game = game_named("connect_four")
    batch = NativeBatch(game, again(game), without=frozenset(left_out))
    assert batch.count(key_of(2), 0, 300) == NativeBatch(game, again(game)).count(key_of(2), 0, 300)


@needs_native
def test_a_torn_file_of_machine_code_is_as_good_as_none(monkeypatch, tmp_path):
    from rulerun.compiled.native.building import draft

    monkeypatch.setenv("RULERUN_CACHE", str(tmp_path))
    game = game_named("pig")
    assert not draft(game).play().tiers.from_cache
    assert draft(game).play().tiers.from_cache
    (kept,) = (tmp_path / "native").iterdir()
    kept.write_bytes(kept.read_bytes()[:-100])
    assert not draft(game).play().tiers.from_cache
    assert draft(game).play().tiers.from_cache


def test_masks_are_made_of_loops_that_look_for_a_value():
    program = masks(lower(game_named("connect_four")))
    (options,) = (each for each in program.functions if each.name == "last_of")
    assert not any(type(each).__name__ in ("For", "EachBit") for each in options.body)


def test_members_are_not_put_down_where_nothing_behind_one_can_go_wrong():
    """The search goes wrong before its first member, what the list reads at each."""
    text = b"""
rulerun: 1
game: put_down
players: 2
boards:
  point: {shape: grid, rows: 2, columns: 2}
state:
  visible: all
  at: point = r1c1
  gone: point or none
functions:
  onward(point s): (s, the gone)
  near: at in reach(at by onward)
  listed: at in (at, the gone)
setup:
  - at = r2c1 if near else r1c1
  - at = r2c2 if listed else r1c1
"""
    loaded, found = load(text)
    assert loaded is not None, found
    game, found = loaded.game()
    assert game is not None, found
    put_down = {
        each.about
        for each in lower(game).functions
        if any(isinstance(node, ir.NewRows) and node.width == 1 for node in each.body)
    }
    assert put_down == {"(at, the gone)"}


@pytest.mark.parametrize("name", BRIEFLY)
def test_what_is_made_for_few_inputs_plays_as_the_reference(name):
    """The games have a `together`, boards, choices of several, piles, counted evaluations."""
    game = game_named(name)
    brief = strict(PythonExecutor)(game, False, brief=True)
    stand_ins = set(map(id, brief.code.blocks.values()))
    luck = random.Random(5)
    for _ in range(2):
        state = brief.initial().state
        for _ in range(60):
            if not (waiting := brief.waiting(state)):
                assert brief.verdict(state) is not None
                break
            who = waiting[-1].player
            given: Input
            if who == CHANCE:
                given = Chance(luck.choice(brief.outcomes(state)).id)
                assert {each for each, _ in brief.falls(state)} >= {given.outcome}
            else:
                given = Decision(who, luck.choice(brief.legal(state, who)))
            state = brief.apply(state, given).state
    written = [each for each in brief.code.blocks.values() if id(each) not in stand_ins]
    assert written and all(each.__name__.startswith("at__") for each in written)


def test_a_few_inputs_come_to_a_part_of_the_code():
    brief = PythonExecutor(game_named("hearts"), events=False, brief=True)
    brief.apply(brief.initial().state, Chance(0))
    blocks = brief.code.blocks.values()
    assert 0 < sum(each.__name__.startswith("at__") for each in blocks) < len(blocks)


def test_what_is_asked_of_one_state_is_asked_of_one_list(monkeypatch):
    made: list[object] = []
    slots_of = PythonExecutor.slots_of

    def counted(self, slots):
        made.append(slots)
        return slots_of(self, slots)

    monkeypatch.setattr(PythonExecutor, "slots_of", counted)
    game = game_named("goofspiel")
    play = PythonExecutor(game, events=False)
    state, inputs = play.initial().state, []
    while len(play.waiting(state)) < 2:
        inputs.append(Chance(play.falls(state)[0][0]))
        state = play.apply(state, inputs[-1]).state
    made.clear()
    asking = PythonExecutor(game, events=False)
    players = [each.player for each in asking.waiting(state)]
    legal = {player: asking.legal(state, player) for player in players}
    given = [Decision(player, legal[player][0]) for player in players]
    first = asking.apply(state, given[0]).state
    assert made == [state.slots], "who decides, what each may do, and what comes of one"
    # What was changed by then is not what is asked about next.
    assert legal == {player: asking.legal(state, player) for player in players}
    reference = Reference(game, events=False)
    assert first == reference.apply(state, given[0]).state
    assert asking.apply(state, given[1]).state == reference.apply(state, given[1]).state


def test_what_plays_few_inputs_goes_by_the_length_of_the_rules():
    game = game_named("hearts")
    code = len(game.code)
    assert isinstance(executor_within(game, code), Reference)
    brief, full = executor_within(game, code + 1), executor_within(game, 100 * code)
    assert isinstance(brief, PythonExecutor) and brief.brief
    assert isinstance(full, PythonExecutor) and not full.brief


# ------------------------------------------------------------------------------------ steppers

EXECUTORS = ("reference", "python", pytest.param("native", marks=needs_native))


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("name", (*SMALL, "yacht"))  # which has dice that nothing tells apart
def test_a_stepper_plays_the_game(name, executor):
    game = game_named(name)
    plain = StateStepper(Reference(game, events=False))
    play = stepper(game, executor)
    luck = random.Random(7)
    while plain.who() != TERMINAL:
        assert (play.who(), play.legal(), play.state()) == (
            plain.who(),
            plain.legal(),
            plain.state(),
        )
        if play.who() == CHANCE:
            assert play.weights() == plain.weights()
        choice = luck.choice(plain.legal())
        play.apply(choice)
        plain.apply(choice)
    assert play.who() == TERMINAL and play.state() == plain.state()
    assert play.verdict() == plain.verdict()


@pytest.mark.parametrize("executor", EXECUTORS)
def test_a_copy_goes_its_own_way(executor):
    play = stepper(game_named("tic_tac_toe"), executor)
    copy = play.clone()
    copy.apply(4)
    assert play.state() != copy.state() and 4 in play.legal() and 4 not in copy.legal()


@pytest.mark.parametrize("executor", EXECUTORS)
def test_what_cannot_be_chosen_is_refused_and_nothing_happens(executor):
    play = stepper(game_named("tic_tac_toe"), executor)
    play.apply(4)
    before = play.state()
    with pytest.raises((IllegalInput, ValueError)):
        play.apply(4)
    assert play.state() == before


@needs_native
def test_a_builtin_play_takes_numbers_only():
    play = stepper(game_named("tic_tac_toe"), "native")
    with pytest.raises(TypeError):
        play.apply("4")  # type: ignore[arg-type]
    assert len(play.legal()) == 9


# ------------------------------------------------------------------------ games that are kept


@pytest.fixture
def rules(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("RULERUN_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "pig.yaml"
    path.write_bytes((shipped("rulesets") / "classics" / "pig.yaml").read_bytes())
    return path


def test_a_game_is_kept_as_long_as_its_file_is_unchanged(rules):
    game = game_of(rules, None, {}, ())
    kept = recall_game(rules, repr((None, [], ())))
    # Places compare by the file they were read from, so the games are compared by what they do.
    assert kept is not None and source(lower(kept.game)) == source(lower(game))
    assert recall_game(rules, repr((3, [], ()))) is None
    rules.write_text(rules.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert recall_game(rules, repr((None, [], ()))) is None


def test_a_kept_game_that_names_something_else_is_not_read(rules):
    remember_game(rules, [], "x", game_named("pig"))
    (entry,) = (rules.parent / "cache" / "games").iterdir()
    head, _, _ = entry.read_bytes().partition(b"\n")
    entry.write_bytes(head + b"\n" + pickle.dumps(Path("somewhere")))
    assert recall_game(rules, "x") is None
    entry.write_bytes(head[:10])
    assert recall_game(rules, "x") is None


# ------------------------------------------------------------------------------ what is kept

BEHIND = """
rulerun: 1
game: behind
players: [a, b]
state: {visible: all, "men[0..9]": 0..3, found: 0..20}
setup:
  - men[6] = 2
  - found = 1 if none_behind(3) else 0
phases:
  play:
    turns: you in players
    until: found > 9
    do:
      - choose: {two: {when: none_behind(6), do: found += 2}, three: {do: found += 3}}
functions:
  none_behind(int f): all(men[q] == 0 for q in f + 1..6)
"""
"""A function that goes through a range which any number may begin."""


def test_a_range_of_any_number_has_no_room_for_all_of_it() -> None:
    """Of rows that nobody can bound some are kept; who wants more gives the run up."""
    loaded, _ = load(BEHIND.encode(), "behind.yaml")
    assert loaded is not None
    game, _ = loaded.game()
    assert game is not None
    native, reference = executor_for(game, "native", events=False), Reference(game)
    state = native.initial().state
    assert state == reference.initial().state
    assert native.legal(state, 0) == reference.legal(state, 0)


def test_a_large_state_is_not_copied_to_the_stack(monkeypatch: pytest.MonkeyPatch) -> None:
    text = BEHIND.replace("when: none_behind(6)", "when: (found > 1 after more())")
    text += """procedures:
  more():
    - found += 2
"""
    loaded, found = load(text.encode(), "behind.yaml")
    assert loaded is not None, found
    game, found = loaded.game()
    assert game is not None, found
    assert make.why_not(game, "native") is None
    monkeypatch.setattr("rulerun.compiled.native.fitting.MOST_KEPT", 8)
    said = make.why_not(game, "native")
    assert said is not None and "what is supposed of a state of" in said
