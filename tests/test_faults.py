"""Faults of other engines, each as a few lines of rules that would show it (`faults`).

Every test can fail: where one says that two things are the same, another thing differs beside it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.executors import executor_of, maker

from rulerun.runtime import actions
from rulerun.runtime.executor import CHANCE, Chance, Decision, Executor, IllegalInput, RuleError
from rulerun.runtime.rng import key_of
from rulerun.scenario import position as positions
from rulerun.session.agents import RandomAgent
from rulerun.session.session import Session
from rulerun.session.taking_back import CannotUndo
from rulerun.simulation.run.driver import simulate, watch
from rulerun.simulation.run.seats import batch_for
from rulerun.simulation.run.stepping import TRUNCATED
from rulerun.views.observe import SPECTATOR
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, Severity
from rulerun_dsl.load import load
from rulerun_dsl.model import Game
from rulerun_dsl.source.resources import shipped

pytestmark = pytest.mark.executors

HERE = Path(__file__).parent / "faults"
ROOT = Path(__file__).parent.parent


def Position(*given: Any, **more: Any) -> positions.Position:
    """A position, played by the executor that the test runs on."""
    return positions.Position(*given, executor=maker(), **more)


def rules(name: str) -> Path:
    return HERE / f"{name}.yaml"


@cache
def game_of(name: str) -> Game:
    loaded, found = load(rules(name))
    assert loaded is not None, found
    game, found = loaded.game(None, {}, ())
    assert game is not None, found
    return game


def errors(path: Path) -> list[Diagnostic]:
    """What keeps a file from being played."""
    loaded, found = load(path)
    if loaded is not None:
        game, found = loaded.game(None, {}, ())
        assert game is None
    return [each for each in found if each.severity is Severity.ERROR]


def legal(session: Session, player: int) -> list[str]:
    ids = session.executor.legal(session.state, player)
    return [actions.text(session.game, each) for each in ids]


def asked(position: positions.Position) -> list[str]:
    return [position.session.game.players[each] for each in position.session.asked]


# --------------------------------------------------------------------------- a choice in secret

ANN, BOB = 0, 1


def views(session: Session, viewer: int) -> list[object]:
    """All that a viewer is given: the view, the log, what is known, the refusals, the undo."""
    every = range(session.game.number_of_actions)
    return [
        session.observation(viewer),
        session.log(viewer),
        session.information(viewer).items,
        [session.refusal(viewer, each) for each in every] if viewer >= 0 else [],
        str(session.why_no_undo(viewer)) if viewer >= 0 else "",
    ]


def in_secret() -> list[Session]:
    """Every way that Ann's part can go, each broken off at every place of it."""
    executor = executor_of(game_of("secret"))
    found = [Session(executor)]
    for card in ("low", "middle", "high"):
        begun = Session(executor)
        begun.submit(ANN, card)
        found.append(begun)
        for bid in legal(begun, ANN):
            done = Session(executor)
            done.submit(ANN, card)
            done.submit(ANN, bid)
            found.append(done)
    return found


def test_a_secret_choice_leaves_the_view_of_others_the_same():
    sessions = in_secret()
    assert len(sessions) == 1 + 3 + (3 + 2 + 1)
    for viewer in (BOB, SPECTATOR):
        first = views(sessions[0], viewer)
        for session in sessions[1:]:
            assert views(session, viewer) == first
    assert len({session.information(ANN).items for session in sessions}) == len(sessions)


def test_what_was_chosen_in_secret_is_seen_when_all_have_chosen():
    seen = set()
    for session in in_secret():
        if legal(session, BOB) and not session.executor.legal(session.state, ANN):
            session.submit(BOB, "low")
            session.submit(BOB, "0")
            seen.add(session.information(BOB).items)
    # Not the bid; the number of coins that are left follows from the card.
    assert len(seen) == 3


# -------------------------------------------------------------- a phase and a turn end together


@pytest.mark.parametrize(
    ("onward", "takes", "then"),
    [
        ("false", ["1", "1", "2"], "P1"),
        ("false", ["2", "2"], "P1"),
        ("false", ["1", "1", "1", "1"], "P1"),
        ("true", ["1", "1", "2"], "P1"),
        ("true", ["2", "2"], "P3"),
        ("true", ["1", "1", "1", "1"], "P2"),
    ],
)
def test_a_phase_and_a_turn_end_on_the_same_action(onward, takes, then):
    position = Position(rules("same_action"), options={"onward": onward})
    for number, take in enumerate(takes):
        player = f"P{number % 3 + 1}"
        assert asked(position) == [player]
        assert position.value(f"begun[{player}]") == number // 3 + 1
        assert position.value("phases_begun") == 0
        position.play(player, take)
    assert asked(position) == [then]
    assert position.value("sum(begun[p] for p in players)") == len(takes)
    assert position.value("phases_begun") == 1
    assert position.value("sum(begun_again[p] for p in players)") == 1
    assert position.value(f"begun_again[{then}]") == 1
    # The second phase ends with a turn too, and the game with it: nobody begins once more.
    position.play(then, "2")
    position.play(asked(position)[0], "2")
    assert position.session.over
    assert position.value("sum(begun_again[p] for p in players)") == 2
    assert position.value("sum(begun[p] for p in players)") == len(takes)


# ------------------------------------------------------------------------- undo across a trigger


def test_undo_across_a_trigger_puts_its_counter_back():
    position = Position(rules("emptied"))
    session = position.session

    def values() -> list[object]:
        return [position.value(each) for each in ("fired", "count(pile)", "count(mine)")]

    position.play("P1", "2")
    assert values() == [0, 2, 2]
    before, view = session.state, session.observation(0)
    position.play("P1", "2")
    assert values() == [1, 2, 2]
    position.play("P1", "2")
    assert values() == [2, 3, 1]
    session.undo(0)
    assert values() == [1, 2, 2]
    session.undo(0)
    assert values() == [0, 2, 2]
    assert session.state == before
    assert session.observation(0) == view
    # It fires as if it never had.
    position.play("P1", "2")
    assert values() == [1, 2, 2]
    session.undo(0)
    session.undo(0)
    assert session.state == session.initial
    with pytest.raises(CannotUndo):
        session.undo(0)


# ----------------------------------------------------------------- more is drawn than there is


def ready_to_dig() -> positions.Position:
    given = {"hand": ["dig"], "deck": ["ash", "elm"], "discard": ["oak"]}
    return Position(rules("draw_five"), given=given, enter="play")


@pytest.mark.parametrize("drawn", [("ash", "elm"), ("elm", "ash")])
def test_five_are_drawn_from_two_and_one_in_the_discard(drawn):
    position = ready_to_dig()
    position.play("P1", "draw_what_there_is(dig)")
    session = position.session
    while session.waiting[0].player == CHANCE:
        outcomes = {each.text for each in session.executor.outcomes(session.state)}
        # The card that is being resolved is never shuffled in, nor the discard too early.
        assert outcomes <= {"ash", "elm"}
        position.fall(drawn[0])
    sizes = [position.value(f"count({zone})") for zone in ("hand", "deck", "discard", "resolving")]
    assert sizes == [3, 0, 1, 0]
    assert position.value("count(c in discard if c is dig)") == 1
    for card in ("ash", "elm", "oak"):
        assert position.value(f"count(c in hand if c is {card})") == 1
    assert legal(session, 0) == ["leave"]


def test_five_that_are_not_there_are_a_rule_error_without_up_to():
    session = ready_to_dig().session
    before = session.state
    with pytest.raises(RuleError) as caught:
        session.submit(0, "draw_five(dig)")
    assert caught.value.code == "empty"
    assert session.state == before


# ---------------------------------------------------------------------- three tie for the first


@pytest.mark.parametrize(
    ("breaks", "haste", "winners", "places"),
    [
        ("false", (0, 0, 0), (0, 2, 3), (1, 4, 1, 1)),
        ("false", (3, 2, 1), (0, 2, 3), (1, 4, 1, 1)),
        ("true", (0, 0, 0), (0, 2, 3), (1, 4, 1, 1)),
        # It orders one before the two others, two before the third, and all of them.
        ("true", (0, 1, 0), (2,), (2, 4, 1, 2)),
        ("true", (1, 0, 1), (0, 3), (1, 4, 3, 1)),
        ("true", (1, 2, 3), (3,), (3, 4, 2, 1)),
    ],
)
def test_three_of_four_tie_for_the_first_place(breaks, haste, winners, places):
    position = Position(rules("three_tie"), options={"breaks": breaks})
    first, third, fourth = haste
    # The second has fewer points, and no haste makes up for it.
    for player, points, quick in zip(
        ("P1", "P2", "P3", "P4"), (7, 6, 7, 7), (first, 9, third, fourth), strict=True
    ):
        position.play(player, f"earn({points}, {quick})")
    verdict = position.session.verdict
    assert verdict is not None
    assert verdict.winners == winners
    assert verdict.places == places
    share = [verdict.returns[each] for each in winners]
    assert sum(share) == 1
    assert len(set(share)) == 1
    assert sum(verdict.returns) == 0


# ------------------------------------------------------------------------------ a misspelt word


def refused_for_wehn(path: Path) -> Diagnostic:
    (found,) = errors(path)
    assert found.code == "RR0201"
    assert "`wehn`" in found.message
    assert found.help == "did you mean `when`?"
    assert found.span is not None
    with pytest.raises(ValueError, match="wehn"):
        Position(path)
    return found


@pytest.mark.once
def test_wehn_is_refused_with_its_place_and_the_suggestion():
    found = refused_for_wehn(rules("wehn"))
    assert found.span is not None
    lines = rules("wehn").read_text(encoding="utf-8").splitlines()
    (line,) = [at for at, text in enumerate(lines, 1) if "wehn: coins" in text]
    assert (found.span.line, found.span.column) == (line, lines[line - 1].index("wehn") + 1)
    played = rulerun("play", str(rules("wehn")), "--seat", "all=random", "--seed", "1")
    out, complaint = played.communicate(timeout=60)
    assert played.returncode != 0
    assert b"wehn" in out + complaint
    assert b"wins" not in out + complaint


def test_with_when_the_same_file_is_played(tmp_path):
    path = tmp_path / "when.yaml"
    path.write_text(rules("wehn").read_text(encoding="utf-8").replace("wehn:", "when:"), "utf-8")
    session = Position(path).session
    assert legal(session, 0) == ["wait"]


WHENS = [
    (path, at)
    for path in [rules("kinds"), *sorted((shipped("rulesets") / "classics").glob("*.yaml"))]
    if not path.name.endswith(".test.yaml")
    for at in range(path.read_text(encoding="utf-8").count("when:"))
]


@pytest.mark.once
def test_no_file_with_wehn_anywhere_is_played(tmp_path):
    assert len(WHENS) > 10
    for number, (path, at) in enumerate(WHENS):
        parts = path.read_text(encoding="utf-8").split("when:")
        text = "when:".join(parts[: at + 1]) + "wehn:" + "when:".join(parts[at + 1 :])
        spoilt = tmp_path / f"{path.stem}_{number}.yaml"
        spoilt.write_text(text, encoding="utf-8")
        found = errors(spoilt)
        assert any(
            each.help == "did you mean `when`?"
            and each.span is not None
            and each.span.line == "when:".join(parts[: at + 1]).count("\n") + 1
            for each in found
        ), (path.name, at, found)


# --------------------------------------------------------------------------- illegal actions

GAMES = 100


def test_an_illegal_action_changes_nothing():
    executor = executor_of(game_of("kinds"))
    illegal = 0
    for seed in range(GAMES):
        plain = seated(executor, seed)
        session = seated(executor, seed)
        goes_on = True
        while goes_on:
            # All of them in the first games, then one of fifteen, in turn.
            some = 1 if seed < 4 else 15
            tried = try_what_is_illegal(session, some, seed + len(session.history))
            assert tried
            illegal += tried
            goes_on = session.step()
            plain.step()
        assert session.over
        # Luck fell, and all else happened, as if nobody had tried anything.
        assert [each.given for each in session.history] == [each.given for each in plain.history]
        assert session.state == plain.state
        for viewer in (ANN, BOB, SPECTATOR):
            assert session.log(viewer) == plain.log(viewer)
        assert session.verdict == plain.verdict
    assert illegal > 10_000


@pytest.mark.once
def test_the_game_with_illegal_actions_has_every_kind_of_decision():
    executor = executor_of(game_of("kinds"))
    taken = {
        each.text.partition("(")[0]
        for seed in range(GAMES // 4)
        for each in finished(seated(executor, seed)).history
        if isinstance(each.given, Decision)
    }
    assert taken >= {"lay", "buy", "wait", "nothing", "borrow", "work", "rest", "enough", "tax"}
    assert taken >= {"0", "1", "2", "red", "spare"}
    assert taken >= {"neither", "3", "red + red", "red + blue"}


@pytest.mark.parametrize(
    "rich",
    [
        "true",
        "false",
    ],
)
def test_several_or_none_of_them(rich):
    position = Position(rules("several_or"), options={"rich": rich})
    if rich == "true":
        position.play("P1", "neither")
        position.play("P2", "red + red")
    assert position.value("count(out)") == (2 if rich == "true" else 0)


def seated(executor: Executor, seed: int) -> Session:
    """A session that does one thing at a time."""
    return Session(executor, {ANN: RandomAgent(), BOB: RandomAgent()}, seed, automatic=False)


def finished(session: Session) -> Session:
    session.advance()
    assert session.over
    return session


def try_what_is_illegal(session: Session, some: int, turn: int) -> int:
    """Give inputs that are not legal now, of `some` one, from `turn` on; how many those were."""
    executor, state = session.executor, session.state
    slots, waiting = state.slots, session.waiting
    outcomes = executor.outcomes(state)
    logs = [session.log(viewer) for viewer in (ANN, BOB, SPECTATOR)]
    tried = 0
    possible = {each.id for each in outcomes}
    inputs: list[Chance | Decision] = [
        Chance(each) for each in range(-1, 5) if each not in possible
    ]
    for player in (ANN, BOB):
        allowed = executor.legal(state, player)
        every = range(-1, session.game.number_of_actions + 1)
        inputs += [Decision(player, each) for each in every if each not in allowed]
    inputs += [Decision(player, 0) for player in (2, SPECTATOR)]
    for given in inputs[turn % some :: some]:
        tried += 1
        try:
            session.give(given)
        except IllegalInput as illegal:
            assert illegal.refusal.code
        else:
            pytest.fail(f"{given} is not legal and was taken")
    assert session.state is state
    assert session.state.slots == slots
    assert session.waiting == waiting
    assert executor.waiting(state) == waiting
    assert executor.outcomes(state) == outcomes
    assert [session.log(viewer) for viewer in (ANN, BOB, SPECTATOR)] == logs
    return tried


# -------------------------------------------------------------------------- locales, hash seeds


def rulerun(*arguments: str, at: Path = ROOT, **settings: str) -> subprocess.Popen[bytes]:
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG"))
    }
    paths = os.pathsep.join([str(ROOT / "dsl"), str(ROOT / "interpreter")])
    return subprocess.Popen(
        [sys.executable, "-m", "rulerun", *arguments],
        cwd=at,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment | {"PYTHONPATH": paths} | settings,
    )


def locales() -> list[str]:
    """`C`, and of those that are installed an Italian, a Turkish, and one more."""
    try:
        told = subprocess.run(["locale", "-a"], capture_output=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return ["C"]
    there = [each for each in told.stdout.decode("utf-8", "replace").split() if each != "POSIX"]
    wanted = ("it_", "tr_", "C.")
    return ["C", *(each for start in wanted for each in there if each.startswith(start))][:4]


@pytest.mark.slow  # in `.ci/run` another game is played so as well
@pytest.mark.slow_in_ci
@pytest.mark.once
def test_locales_and_hash_seeds_give_one_trace(tmp_path):
    ways = [("C", str(number), "1") for number in range(3)]
    ways += [(name, "5", "1") for name in locales()[1:]]
    ways.append(("C", "0", "2"))
    running = []
    for number, (name, hashes, seed) in enumerate(ways):
        # Each at a place of its own, for a record of the same name.
        place = tmp_path / str(number)
        place.mkdir()
        told = ("play", str(rules("kinds")), "--seat", "all=random", "--seed", seed)
        settings = {"LC_ALL": name, "LANG": name, "PYTHONHASHSEED": hashes}
        running.append(rulerun(*told, "--record", "kept", at=place, **settings))
    traces = []
    for number, each in enumerate(running):
        out, complaint = each.communicate(timeout=60)
        assert each.returncode == 0, complaint
        record = (tmp_path / str(number) / "kept").read_bytes()
        assert json.loads(record.splitlines()[-1])["end"] == "over"
        assert "Città".encode() in out
        traces.append((out, record))
    *same, other = traces
    assert set(same) == {same[0]}
    assert other != same[0]


# --------------------------------------------------------------------- what leaves its range


def after(*done: str) -> positions.Position:
    position = Position(rules("pools"))
    for action in done:
        position.play("P1", action)
    return position


@pytest.mark.parametrize(
    ("done", "name", "value"),
    [
        (["pay_debt(1)"], "debt", -3),
        (["gain_debt(7)"], "debt", 5),
        (["pay_purse(1)"], "purse", 0),
        (["gain_purse(4)"], "purse", 5),
        (["gain_purse(4)", "gain_purse(0)"], "purse", 5),
        (["reduce_price(2)"], "price", 0),
        (["reduce_free_price(5)"], "free_price", -3),
        # A price below zero, where it is declared, is paid to whoever buys.
        (["reduce_free_price(5)", "buy"], "purse", 4),
        (["gain_jar(1)"], "jar", 5),
        (["gain_jar(2)"], "jar", 5),
        (["gain_jar(9)", "gain_jar(9)"], "jar", 5),
        (["gain_jar(9)", "pay_jar(5)"], "jar", 0),
    ],
)
def test_what_the_declared_range_holds_is_kept(done, name, value):
    assert after(*done).value(name) == value


@pytest.mark.parametrize(
    ("done", "action", "name"),
    [
        # Paid from below zero.
        ([], "pay_debt(2)", "debt"),
        (["pay_debt(1)"], "pay_debt(1)", "debt"),
        ([], "pay_purse(2)", "purse"),
        ([], "buy", "purse"),
        # A cost below zero.
        ([], "reduce_price(3)", "price"),
        (["reduce_free_price(5)"], "reduce_free_price(3)", "free_price"),
        # Gained at the most.
        (["gain_debt(7)"], "gain_debt(1)", "debt"),
        (["gain_purse(4)"], "gain_purse(1)", "purse"),
        (["reduce_free_price(5)", "gain_purse(2)"], "buy", "purse"),
        # It stops above, not below.
        ([], "pay_jar(5)", "jar"),
    ],
)
def test_what_it_does_not_hold_is_a_rule_error(done, action, name):
    position = after(*done)
    session = position.session
    before, log, value = session.state, session.log(0), position.value(name)
    with pytest.raises(RuleError) as caught:
        session.submit(0, action)
    assert caught.value.code == "range"
    assert name in caught.value.message
    lines = rules("pools").read_text(encoding="utf-8").splitlines()
    assert action.partition("(")[0] in lines[caught.value.span.line - 1]
    assert session.state == before
    assert session.log(0) == log
    assert position.value(name) == value


# ------------------------------------------------------------------------ the cap on decisions


def test_the_cap_on_decisions_truncates():
    game = game_of("cap")
    session = Session(executor_of(game))
    for number in range(7):
        assert not session.truncated
        session.submit(number % 2, "gain")
    assert session.truncated
    assert not session.over
    assert session.verdict is None
    assert session.asked == ()
    assert session.fault is None
    assert session.observation(0).result is None
    before = session.state
    with pytest.raises(IllegalInput):
        session.submit(1, "wait")
    assert session.state == before


def test_a_game_that_ends_with_its_last_decision_is_not_truncated():
    session = Session(executor_of(game_of("cap")))
    for number in range(6):
        session.submit(number % 2, "wait")
    session.submit(0, "win")
    assert session.over
    assert not session.truncated
    assert session.verdict is not None
    assert session.verdict.winners == (0,)


@pytest.mark.once
def test_truncated_plays_have_their_flag_and_no_winner():
    game = game_of("cap")
    played = batch_for(game, "python").play(key_of(1), 0, 60)
    cut = [play for play in played if play.end == TRUNCATED]
    assert 0 < len(cut) < 60
    assert all((play.winners, play.places, play.lines) == (0, (), ()) for play in cut)
    assert all(play.decisions == 7 for play in cut)
    totals = simulate(game, 60, 1)
    assert totals.ends == {"": 60 - len(cut), TRUNCATED: len(cut)}
    assert totals.winners.total() == totals.ended == 60 - len(cut)
    session = watch(game, cut[0].number, 1)
    assert session.truncated
    assert session.verdict is None


# ------------------------------------------------------------------------------------- circles


@pytest.mark.once
def test_two_functions_that_call_each_other_are_reported_with_the_cycle():
    (found,) = errors(rules("cycle"))
    assert "wealth -> luck -> wealth" in found.message
    assert found.span is not None
    lines = rules("cycle").read_text(encoding="utf-8").splitlines()
    assert lines[found.span.line - 1].lstrip().startswith(("wealth(", "luck("))
    with pytest.raises(ValueError, match="depends on itself"):
        Position(rules("cycle"))


def test_without_the_circle_the_same_functions_are_played(tmp_path):
    text = rules("cycle").read_text(encoding="utf-8")
    path = tmp_path / "line.yaml"
    path.write_text(text.replace("if wealth(p) > 3", "if coins[p] > 3"), encoding="utf-8")
    assert legal(Position(path).session, 0) == ["0"]


# -------------------------------------------------------------------------------------- queues


@pytest.mark.once
def test_an_effect_that_would_wait_inside_a_together_is_refused():
    found = errors(rules("queued_inside"))
    assert found
    lines = rules("queued_inside").read_text(encoding="utf-8").splitlines()
    for each in found:
        assert "together" in each.message
        assert each.span is not None
        assert "again(n" in lines[each.span.line - 1]
    with pytest.raises(ValueError, match="together"):
        Position(rules("queued_inside"))


def test_outside_of_it_the_same_effect_is_played(tmp_path):
    text = rules("queued_inside").read_text(encoding="utf-8")
    path = tmp_path / "outside.yaml"
    path.write_text(text.replace("together: you in", "for: you in"), encoding="utf-8")
    position = Position(path)
    position.play("P1", "2")
    assert position.value("coins[P1]") == 3


@pytest.mark.parametrize(("waiting", "coins"), [("1", 2), ("2", 3), ("3", None), ("4", None)])
def test_more_effects_than_may_wait_are_a_rule_error(waiting, coins):
    position = Position(rules("queue_full"))
    session = position.session
    before = session.state
    if coins is not None:
        position.play("P1", waiting)
        assert position.value("coins") == coins
        return
    with pytest.raises(RuleError) as caught:
        session.submit(0, waiting)
    assert caught.value.code == "queue_full"
    assert session.state == before
    assert position.value("coins") == 0
