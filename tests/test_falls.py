"""Luck without a decision ends, in every driver; the bound on decisions cuts where one is asked.

And machine code comes back to Python on the way, so that an interrupt is heard.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import nullcontext
from functools import cache
from itertools import count
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from tests.executors import executor_of

import rulerun
import rulerun_dsl
from rulerun.compiled.python.batch import PythonBatch
from rulerun.executors.make import executor_for
from rulerun.executors.stepper import TERMINAL, stepper
from rulerun.laws import check_laws
from rulerun.reference.executor import Reference
from rulerun.runtime.batch import Batch, Expected, Played, Tally
from rulerun.runtime.executor import CHANCE, Chance, RuleError
from rulerun.runtime.faults import diagnostic
from rulerun.runtime.luck_bound import CODE, MOST_FALLS
from rulerun.runtime.rng import key_of
from rulerun.session.agents import RandomAgent
from rulerun.session.session import Session
from rulerun.simulation.run.seats import batch_for
from rulerun.simulation.run.stepping import Stepping
from rulerun_dsl.load import Loaded, load
from rulerun_dsl.model import Game

FAULTS = Path(__file__).parent / "faults"
NAMES = ("reference", "python", "native")
ENDLESS = ("endless_roll", "three_locomotives", "endless_set_up")


@cache
def loaded_of(name: str) -> Loaded:
    loaded, found = load(FAULTS / f"{name}.yaml")
    assert loaded is not None, found
    return loaded


@cache
def game_of(name: str) -> Game:
    game, found = loaded_of(name).game()
    assert game is not None, found
    return game


def batch_of(name: str, game: Game) -> Batch:
    again = Stepping(Reference(game, events=False))
    if name == "reference":
        return again
    if name == "python":
        return PythonBatch(game, _Never(game))
    pytest.importorskip("llvmlite", reason="native: llvmlite is not installed")
    from rulerun.compiled.native.batch import NativeBatch

    return NativeBatch(game, _Never(game))


class _Never:
    """What a batch must not need here: it tells the end itself, else it takes twice as long."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def play(self, *given: Any) -> list[Played]:
        raise AssertionError("it was given up")


# ----------------------------------------------------------------------------- luck without end


@pytest.mark.executors
def test_a_session_stops_and_names_the_loop():
    session = Session(executor_of(game_of("endless_roll"), events=False), seed=1)
    assert isinstance(session.fault, RuleError)
    assert len(session.history) == MOST_FALLS
    assert session.waiting[0].player == CHANCE
    assert session.fault.message == (
        "luck falls more than 10000 times without a decision; the loop in line 11 does not end: "
        "`n == 9` does not come true"
    )
    found = diagnostic(session.fault)
    assert (found.code, found.span and found.span.line) == ("RR0918", 14)
    with pytest.raises(RuleError):
        session.give(Chance(session.executor.outcomes(session.state)[0].id))


def test_the_error_says_how_the_rules_got_there():
    """Twelve trains, of which three in a row are wiped away: three are left in the end."""
    game = game_of("three_locomotives")
    seats = dict.fromkeys(range(2), RandomAgent())
    sessions = (
        Session(executor_for(game, events=False), seats, f"0:{number}") for number in range(40)
    )
    session = next(each for each in sessions if each.fault is not None)
    assert isinstance(session.fault, RuleError)
    assert [name for name, _ in session.fault.chain] == ["fill", ""]
    assert session.fault.span.text == "move up to 1 from deck to row"
    assert "the loop in line 24 does not end: `count(row) == 5 and" in session.fault.message


def test_of_what_is_empty_the_help_fits_what_was_wanted():
    """No `otherwise` helps against the greatest of nothing."""
    game, found = load_text(
        """
        rulerun: 1
        game: greatest
        players: 2
        state: {visible: all, best: 0..9, row: set of 1..9}
        setup: best = max(n for n in row)
        phases: {play: {do: end game won by none}}
        """
    )
    assert game is not None, found
    with pytest.raises(RuleError) as caught:
        Session(executor_for(game, events=False))
    help_ = diagnostic(caught.value).help or ""
    assert "if … else …" in help_ and "otherwise" not in help_


def test_in_set_up_too():
    session = Session(executor_for(game_of("endless_set_up"), events=False), seed=1)
    assert isinstance(session.fault, RuleError)
    assert session.fault.code == "luck"
    assert len(session.history) == MOST_FALLS


def test_a_decision_begins_the_count_anew():
    """A hundred draws between two decisions, a hundred times over, are no endless loop."""
    game, found = load_text(
        """
        rulerun: 1
        game: patient
        players: 2
        state: {visible: all, die: 1..6, n: 0..150}
        phases:
          play:
            until: n == 150
            do:
              - repeat: 100
                do: roll die
              - choose:
                  go_on: pass
                by: P1
              - n += 1
        scoring:
          points(player p): n
        """
    )
    assert game is not None, found
    played = {name: batch_of(name, game).play(key_of(1), 0, 1)[0] for name in NAMES[1:]}
    assert set(played.values()) == {played["python"]}
    assert (played["python"].end, played["python"].inputs) == ("", 15_150)


def load_text(text: str) -> tuple[Game | None, Any]:
    loaded, found = load(dedent(text).encode())
    assert loaded is not None, found
    return loaded.game()


@pytest.mark.slow_in_ci
@pytest.mark.parametrize(
    "name",
    # On that ruleset it takes seconds to come to such a game; `.ci/run` asks for it.
    [pytest.param(n, marks=pytest.mark.slow if n == "three_locomotives" else ()) for n in ENDLESS],
)
def test_batches_stop_at_the_same_input(name):
    game = game_of(name)
    ours = Tally.of(game, coverage=True)
    # Not each game goes on for ever: the first that does, which python finds sooner.
    quick = batch_of("python", game)
    first = next(at for at in count() if quick.play(key_of(0), at, 1)[0].end == CODE)
    wanted = batch_of("reference", game).play(key_of(0), first, 1, ours)
    assert CODE in {each.end for each in wanted}
    assert all(each.inputs == MOST_FALLS + 1 for each in wanted if each.decisions == 0)
    for other in NAMES[1:]:
        theirs = Tally.of(game, coverage=True)
        batch = batch_of(other, game)
        assert batch.play(key_of(0), first, 1, theirs) == wanted
        assert (theirs.reached, theirs.taken, theirs.offered) == (
            ours.reached,
            ours.taken,
            ours.offered,
        )
        assert batch.play(key_of(0), first, 1) == wanted


@pytest.mark.parametrize("name", NAMES)
def test_a_stepper_stops(name):
    if name == "native":
        pytest.importorskip("llvmlite", reason="native: llvmlite is not installed")
    play = stepper(game_of("endless_roll"), name)
    for _ in range(MOST_FALLS):
        play.apply(play.legal()[0])
    copy = play.clone()
    for each in (play, copy):
        before = each.state()
        with pytest.raises(RuntimeError if name == "native" else RuleError):
            each.apply(each.legal()[0])
        assert (each.who(), each.state()) == (CHANCE, before)


def test_law_11_finds_it_and_says_where():
    (found,) = check_laws(loaded_of("endless_roll"), laws=[11], games=2)
    assert found.law == 11
    assert "luck falls more than 10000 times" in found.what
    assert "endless_roll.yaml:14 `roll die`" in found.what


@pytest.mark.slow
@pytest.mark.ci
def test_law_14_finds_an_executor_that_counts_otherwise(monkeypatch):
    from rulerun.compiled.python import batch as playing

    monkeypatch.setattr(playing, "MOST_FALLS", MOST_FALLS - 1)
    # So much luck is more than a check does unless one asks for more.
    monkeypatch.setattr(rulerun.laws, "OF_A_CHECK", 10**8)
    found = list(
        check_laws(loaded_of("endless_roll"), laws=[14], games=1, against=["python"], depth=0.1)
    )
    assert any(
        f"inputs is {MOST_FALLS} and should be {MOST_FALLS + 1}" in each.what for each in found
    )


# --------------------------------------------------------------------------- the last decision


@pytest.mark.executors
def test_luck_after_the_last_decision_still_falls():
    session = Session(executor_of(game_of("last_decision_then_luck")), automatic=False)
    assert not session.truncated
    (action,) = session.executor.legal(session.state, 0)
    session.give(rulerun.runtime.executor.Decision(0, action))
    assert session.decisions == 1
    assert not session.truncated, "nobody is asked for a decision"
    session.advance()
    assert session.over
    assert session.verdict is not None


@pytest.mark.parametrize("name", NAMES)
def test_a_game_of_just_so_many_decisions_ends_as_itself(name):
    played = batch_of(name, game_of("last_decision_then_luck")).play(key_of(0), 0, 20)
    assert {each.end for each in played} == {""}
    assert {each.inputs for each in played} == {2}


TWO_ROUNDS = """
    rulerun: 1
    game: two_rounds
    players: 2
    limits: {decisions: 1}
    state: {visible: all, die: 1..6, n: 0..2}
    phases:
      play:
        until: n == 2
        do:
          - choose:
              go: pass
            by: P1
          - roll die
          - n += 1
    scoring:
      points(player p): die
"""


@pytest.mark.parametrize("name", NAMES)
def test_it_is_cut_where_one_more_is_asked_for(name):
    game, _ = load_text(TWO_ROUNDS)
    assert game is not None
    (played,) = batch_of(name, game).play(key_of(0), 0, 1)
    assert (played.end, played.decisions, played.inputs) == ("truncated", 1, 2)


def test_a_session_is_cut_there_as_well():
    game, _ = load_text(TWO_ROUNDS)
    assert game is not None
    seats = dict.fromkeys(range(len(game.players)), RandomAgent())
    found = Session(executor_for(game, events=False), seats, 1)
    assert (found.truncated, found.decisions, len(found.history)) == (True, 1, 2)


# ------------------------------------------------------------------------------- too many steps

# A loop, and a way back from a procedure, are not the last that runs before somebody is asked.
STEPS = """
    rulerun: 1
    game: steps
    players: 2
    limits: {steps: LIMIT}
    state: {visible: all, n: 0..99, left: 0..9}
    phases:
      play:
        do:
          - choose: {go: pass}
            by: P1
          - left = 5
          - until: left == 0
            do: down()
          - n += 1
          - n += 2
          - n += 3
          - n += 4
          - n += 5
          - n += 6
          - choose: {go: pass}
            by: P2
    procedures:
      down():
        - n += 1
        - left -= 1
    scoring:
      points(player p): n
"""

# A `together` of which no part asks anything, again and again: each by itself takes few steps.
ROUNDS = """
    rulerun: 1
    game: rounds
    players: 3
    limits: {steps: LIMIT}
    state:
      visible: all
      n: 0..99
      x[player]: 0..2
    phases:
      first:
        do:
          - choose: {go: pass}
            by: P1
          - n = 12
      play:
        until: n == 0
        do:
          - together: you in players
            do:
              - if: x[you] == 2
                then:
                  - choose: {wait: pass}
              - x[you] = 1 - x[you]
          - n -= 1
      last:
        do:
          - choose: {go: pass}
            by: P2
"""


# All parts run to where they ask before anybody answers: that is one input.
PARTS = """
    rulerun: 1
    game: parts
    players: 3
    limits: {steps: LIMIT}
    state:
      visible: all
      x[player]: 0..9
    phases:
      first:
        do:
          - choose: {go: pass}
            by: P1
      play:
        do:
          - together: you in players
            do:
              - until: x[you] == 9
                do: x[you] += 1
              - choose: {go: pass}
              - x[you] = 0
"""


@cache
def least_steps(text: str) -> int:
    """The lowest limit with which the reference plays a game to its end."""
    low, high = 1, 1000
    while low < high:
        middle = (low + high) // 2
        game, found = load_text(text.replace("LIMIT", str(middle)))
        assert game is not None, found
        (played,) = Stepping(Reference(game, events=False)).play(key_of(0), 0, 1)
        low, high = (low, middle) if played.end == "" else (middle + 1, high)
    return low


@pytest.mark.parametrize("name", NAMES[1:])
@pytest.mark.parametrize("text", [STEPS, ROUNDS, PARTS], ids=["steps", "rounds", "parts"])
@pytest.mark.parametrize("off", [-1, 0])
def test_no_executor_runs_more_steps_than_the_reference(text, off, name):
    if name == "native":
        pytest.importorskip("llvmlite", reason="native: llvmlite is not installed")
    game, _ = load_text(text.replace("LIMIT", str(least_steps(text) + off)))
    assert game is not None
    again = Stepping(Reference(game, events=False))
    (wanted,) = again.play(key_of(0), 0, 1)
    assert wanted.end == ("steps" if off else "")
    batch = batch_for(game, name, expected=Expected(1, 0))
    assert list(batch.play(key_of(0), 0, 1)) == [wanted]
    play = stepper(game, name)
    with pytest.raises((RuleError, RuntimeError)) if off else nullcontext():
        while play.who() != TERMINAL:
            play.apply(play.legal()[0])


# ------------------------------------------------------------------------------------ interrupts


@pytest.mark.parametrize("name", ["race", "last_decision_then_luck"])
@pytest.mark.parametrize("inputs", [1, 7])
def test_games_in_slices_are_the_same_games(name, inputs, monkeypatch):
    pytest.importorskip("llvmlite", reason="native: llvmlite is not installed")
    from rulerun.compiled.native import batch as native

    if name == "race":
        game, _ = load_text(RACE)
        assert game is not None
    else:
        game = game_of(name)
    batch = native.NativeBatch(game, _Never(game))
    whole = Tally.of(game, coverage=True)
    wanted = batch.play(key_of(3), 5, 40, whole), batch.count(key_of(3), 5, 40)
    monkeypatch.setattr(native, "SLICE", inputs)
    cut = Tally.of(game, coverage=True)
    assert (batch.play(key_of(3), 5, 40, cut), batch.count(key_of(3), 5, 40)) == wanted
    assert cut == whole


@pytest.mark.parametrize(
    ("seconds", "slices"), [(0.1, [64, 8, 1, 1]), (1e-6, [64, 512, 4096, 20_000])]
)
def test_the_heavier_inputs_are_the_sooner_python_is_asked(seconds, slices, monkeypatch):
    """By a clock that goes on with each input, not by that of the machine."""
    pytest.importorskip("llvmlite", reason="native: llvmlite is not installed")
    from rulerun.compiled.native import batch as native

    game, _ = load_text(RACE)
    assert game is not None
    batch = native.NativeBatch(game, _Never(game), expected=Expected(1, 0))
    machine = batch._machine("plain")
    plays, asked = machine.batch, []

    def heavy(*given: Any) -> Any:
        asked.append(given[-1])
        return plays(*given)

    monkeypatch.setattr(machine, "batch", heavy)
    monkeypatch.setattr(native, "perf_counter", lambda: seconds * sum(asked))
    batch.play(key_of(3), 0, sum(slices) // 8)
    assert asked[: len(slices)] == slices


RACE = """
    rulerun: 1
    game: race
    players: 3
    state:
      visible: all
      die: 1..3
      at[player]: 0..9
    phases:
      play:
        turns: you in players
        until: any(at[p] == 9 for p in players)
        do:
          - choose:
              run: pass
              rest: pass
          - roll die
          - at[you] += 1 if at[you] < 9 and die > 1
    scoring:
      points(player p): at[p]
"""

# Nothing but the bound on decisions ends it, and each decision takes its time.
TALK = """rulerun: 1
game: endless_talk
players: 2
limits: {decisions: 1000000, steps: 10000000}
phases:
  talk:
    turns: you in players
    until: false
    do:
      - choose:
          go_on: pass
      - let 0..9999 words = 0
      - repeat: 300000
        do: words = (words + 7) % 9999
      - end game if words == 9999
scoring:
  points(player p): 0
"""

PLAYS = """
import signal, sys
from pathlib import Path
from rulerun.simulation.run.seats import batch_for
from rulerun_dsl.load import load

loaded, _ = load(Path(sys.argv[1]))
game, _ = loaded.game()
batch = batch_for(game, "native")
assert type(batch).__name__ == "NativeBatch"
try:
    print("begun", flush=True)
    batch.play(0, 0, 1)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.skipif(os.name == "nt", reason="there are no such signals on Windows")
def test_one_game_without_end_can_be_interrupted(tmp_path):
    pytest.importorskip("llvmlite", reason="native: llvmlite is not installed")
    rules = tmp_path / "endless_talk.yaml"
    rules.write_text(TALK)
    packages = [str(Path(each.__file__ or "").parent.parent) for each in (rulerun, rulerun_dsl)]
    process = subprocess.Popen(
        [sys.executable, "-c", PLAYS, str(rules)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(packages)},
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert out == "interrupted\n"
