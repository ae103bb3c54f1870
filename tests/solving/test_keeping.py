"""A solve that is kept on the way: it ends in any way, goes on, and comes to the same answer."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from collections import Counter

import pytest
from tests.playing import game_of
from tests.solving.test_solver import DICE, LINE, NIM, TAKEN_BACK, shipped

from rulerun.cli import main
from rulerun.host.locking import hold
from rulerun.solving.backward import Values
from rulerun.solving.graph import Graph, Stage
from rulerun.solving.keeping import Keeper, Unkept
from rulerun.solving.policy_file import write_policy
from rulerun.solving.refusals import TooBig
from rulerun.solving.solver import Limits, solve

GAMES = {
    "one decides": lambda: game_of(NIM),
    "both decide": lambda: shipped("goofspiel", num_cards=3),
    "positions come again": lambda: game_of(DICE),
    "three play": lambda: game_of(NIM.replace("players: [a, b]", "players: [a, b, c]")),
    "a pile that something leaves": lambda: game_of(TAKEN_BACK),
    "hidden": lambda: shipped("kuhn_poker"),
    "hidden, in a `together`": lambda: game_of(
        LINE.replace("1..4", "1..3")
        .replace("  line[player]:", "  away[player]: {of: card, visible: none}\n  line[player]:")
        .replace(
            "phases:\n  rounds:",
            "setup:\n  - move 1 from hand[p] to away[p] for p in players\nphases:\n  rounds:",
        )
        .replace("hand[player]: {of: card,", "hand[player]: {of: card, order: random,")
    ),
}
LIMITS = Limits(rounds=60, within=0)


class Killed(BaseException):
    """The process is gone."""


class Ending(Keeper):
    """Ends a run at one of its rests; keeps there, or at some of those before."""

    def __init__(self, path, game, ends_at, keeps_each=0):
        super().__init__(path, game)
        self.rests = 0
        self.ends_at, self.keeps_each = ends_at, keeps_each

    def rest(self, stage, parts):
        self.rests += 1
        if self.keeps_each and not self.rests % self.keeps_each:
            self.keep(stage, parts)
        if self.rests == self.ends_at:
            if self.keeps_each:
                raise Killed
            self.keep(stage, parts)
            raise KeyboardInterrupt


def nobody(*told):
    pass


def answer(game, folder, keeper=None):
    """All that a solve comes to, the policy byte for byte."""
    try:
        found = solve(game, "python", LIMITS, nobody, keeper)
    finally:
        if keeper is not None:
            keeper.close()
    policy = folder / "a.policy"
    write_policy(policy, found)
    kept = policy.read_bytes()
    policy.unlink()
    return found.values, found.gap, found.first, found.figures, found.levels, found.notes, kept


@pytest.mark.parametrize("name", GAMES)
def test_interrupted_again_and_again_it_comes_to_the_same(tmp_path, name):
    game = GAMES[name]()
    whole = answer(game, tmp_path)
    path = tmp_path / "a.keep"
    counting = Ending(path, game, 0)
    assert answer(game, tmp_path, counting) == whole
    # What has ended is kept as well, and answers at once.
    again = Ending(path, game, 0)
    assert answer(game, tmp_path, again) == whole and again.rests == 0
    path.unlink()
    stages = set()
    for ends_at in (2, *[counting.rests // 4 + 2] * 5):
        keeper = Ending(path, game, ends_at)
        try:
            found = answer(game, tmp_path, keeper)
        except KeyboardInterrupt:
            other = Keeper(path, game)
            assert other.found is not None
            stages.add(other.found.stage)
            other.close()
        else:
            break
    assert found == whole
    assert len(stages) > 1
    assert [each.name for each in tmp_path.iterdir()] == ["a.keep"]


@pytest.mark.parametrize("name", GAMES)
def test_killed_it_goes_on_from_what_was_kept_last(tmp_path, name):
    game = GAMES[name]()
    whole = answer(game, tmp_path)
    path = tmp_path / "a.keep"
    counting = Ending(None, game, 0)
    answer(game, tmp_path, counting)
    for at in (counting.rests // 3, counting.rests // 2):
        with pytest.raises(Killed):
            answer(game, tmp_path, Ending(path, game, at, keeps_each=3))
    assert path.exists()
    assert answer(game, tmp_path, Keeper(path, game)) == whole


def test_the_keyboard_waits_for_a_rest_once(tmp_path, monkeypatch):
    monkeypatch.setattr("rulerun.solving.graph._PAUSE", 20)
    game = shipped("goofspiel", num_cards=3)
    whole = answer(game, tmp_path)
    path = tmp_path / "a.keep"
    raised: list[int] = []

    def told(done, about, what):
        # The second time while positions are found: nothing is kept so far.
        if what == "positions found" and not raised:
            raised.append(done)
            signal.raise_signal(signal.SIGINT)

    keeper = Keeper(path, game)
    assert not keeper.kept
    with pytest.raises(KeyboardInterrupt):
        solve(game, "python", LIMITS, told, keeper)
    keeper.close()
    assert raised and path.exists()
    keeper = Keeper(path, game)
    assert keeper.found is not None
    assert len(keeper.found.array("shape", "i")) >= raised[0]
    assert answer(game, tmp_path, keeper) == whole
    with keeper.careful():
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_process_that_is_killed_while_it_writes_leaves_what_was_whole(tmp_path):
    """By the system, in the middle of a file."""
    game = shipped("kuhn_poker")
    whole = answer(game, tmp_path)
    path = tmp_path / "a.keep"
    script = f"""
import os, pathlib, signal
from tests.solving.test_keeping import LIMITS, nobody, shipped
from rulerun.solving import keeping, solver
keeping.EVERY = keeping.SHARE = 0
times = 0
def fsync(number):
    global times
    times += 1
    if times == 70:
        os.truncate(number, 100)
        os.kill(os.getpid(), signal.SIGKILL)
os.fsync = fsync
game = shipped("kuhn_poker")
keeper = keeping.Keeper(pathlib.Path({str(path)!r}), game)
solver.solve(game, "python", LIMITS, nobody, keeper)
"""
    done = subprocess.run([sys.executable, "-c", script], check=False, env=dict(os.environ))
    assert done.returncode == -signal.SIGKILL
    assert len(list(tmp_path.iterdir())) == 2  # the file, and the draft that was torn
    keeper = Keeper(path, game)
    assert keeper.found is not None
    assert answer(game, tmp_path, keeper) == whole
    assert list(tmp_path.iterdir()) == [path]


def test_a_disk_that_is_full_spoils_nothing(tmp_path, monkeypatch):
    game = shipped("kuhn_poker")
    path = tmp_path / "a.keep"
    with pytest.raises(KeyboardInterrupt):
        answer(game, tmp_path, Ending(path, game, 40))
    before = path.read_bytes()

    def full(number):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("rulerun.host.rewriting.os.fsync", full)
    with pytest.raises(Unkept, match="cannot be written: no space left on device; what was kept"):
        answer(game, tmp_path, Keeper(path, game))
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_more_rounds_go_on_from_those_that_are_kept(tmp_path):
    game = shipped("kuhn_poker")
    path = tmp_path / "a.keep"
    for rounds in (60, 130):
        keeper = Keeper(path, game)
        found = solve(game, "python", Limits(rounds=rounds, within=0), nobody, keeper)
        keeper.close()
    whole = solve(game, "python", Limits(rounds=130, within=0), nobody)
    assert found.gap == whole.gap and found.figures == whole.figures
    assert list(found.plans()) == list(whole.plans())


def test_what_is_allowed_may_be_more_the_next_time(tmp_path):
    game = shipped("goofspiel", num_cards=3)
    whole = answer(game, tmp_path)
    path = tmp_path / "a.keep"
    with pytest.raises(KeyboardInterrupt):
        answer(game, tmp_path, Ending(path, game, 30))
    keeper = Keeper(path, game)
    with pytest.raises(TooBig):
        solve(game, "python", Limits(positions=20), nobody, keeper)
    keeper.close()
    assert answer(game, tmp_path, Keeper(path, game)) == whole


# -------------------------------------------------------------------------------- what is no use


def _head(**changes):
    def spoil(raw):
        line, rest = raw.split(b"\n", 1)
        return json.dumps({**json.loads(line), **changes}).encode() + b"\n" + rest

    return spoil


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda raw: raw[:-1], "is torn"),
        (lambda raw: raw[: len(raw) // 2], "is torn"),
        (lambda raw: raw + b" ", "is torn"),
        (lambda raw: raw[:-50] + bytes([raw[-50] ^ 1]) + raw[-49:], "is torn"),
        (lambda raw: raw.split(b"\n")[0] + b"\n", "is torn"),
        (_head(parts=[["shape", -1]]), "is torn"),
        (_head(parts=7), "is torn"),
        (lambda raw: b"", "is none of `rulerun solve --keep`"),
        (lambda raw: bytes(len(raw)), "is none of `rulerun solve --keep`"),
        (lambda raw: b"rulerun: 1\ngame: mine\n", "is none of `rulerun solve --keep`"),
        (_head(solving=2), "by another version"),
        (_head(rulerun="0.0.1"), "by another version"),
        (_head(python="2.7"), "by another version"),
        (_head(game="chess"), "was kept for the game chess, not kuhn_poker"),
        (_head(fingerprint="0"), "other rules"),
        (_head(model="0"), "other rules: rulerun or the file has changed since"),
        (_head(options={"more": "1"}), "the options more=1, not"),
    ],
)
def test_a_file_that_is_no_use_is_one_sentence_and_stays(tmp_path, capsys, spoil, said):
    game = shipped("kuhn_poker")
    path = tmp_path / "a.keep"
    with pytest.raises(KeyboardInterrupt):
        answer(game, tmp_path, Ending(path, game, 80))
    path.write_bytes(spoil(path.read_bytes()))
    before = path.read_bytes()
    assert main(["solve", "kuhn_poker", "--keep", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert said in err and "another file" in err
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_two_runs_do_not_keep_in_one_file(tmp_path):
    game = shipped("kuhn_poker")
    path = tmp_path / "a.keep"
    with pytest.raises(KeyboardInterrupt):
        answer(game, tmp_path, Ending(path, game, 80))
    with path.open("rb") as file:
        hold(file)
        with pytest.raises(Unkept, match="another run keeps in"):
            Keeper(path, game)
    one = Keeper(tmp_path / "b.keep", game)
    answer(game, tmp_path, Keeper(tmp_path / "b.keep", game))
    with pytest.raises(Unkept, match="was not there before: another run keeps in it"):
        answer(game, tmp_path, one)


def test_what_was_solved_before_decides_no_answer():
    """A game of numbers that are not exact is another than the same one of whole numbers."""
    stage = Stage((0, 1), ((0,), (1,)), ((0,), (1,)))
    values = Values(Graph(), 0, 1, [], [], [], Counter(), 0)
    whole = values.answer(stage, [2, 0, 0, 1])
    rough = values.answer(stage, [2.0, 0, 0, 1])
    assert not isinstance(whole.value, float) and isinstance(rough.value, float)
    assert values.answer(stage, [2, 0, 0, 1]) == whole


# ---------------------------------------------------------------------------------- the command


def test_the_command_goes_on_and_says_the_same(tmp_path, capsys, monkeypatch):
    path = tmp_path / "a.keep"
    arguments = ["solve", "goofspiel", "--set", "num_cards=3"]
    assert main(arguments) == 0
    whole = capsys.readouterr().out
    rests = []

    def wanted(self):
        rests.append(self)
        if len(rests) == 50:
            signal.raise_signal(signal.SIGINT)
        return 0.0

    with monkeypatch.context() as patched:
        patched.setattr("rulerun.solving.keeping.time.monotonic", lambda: wanted(None))
        assert main([*arguments, "--keep", str(path)]) == 130
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        f"interrupted; what was found is kept in `{path}`, and the same command goes on with it\n"
    )
    assert main([*arguments, "--keep", str(path)]) == 0
    out, err = capsys.readouterr()
    assert out == whole
    assert err.startswith(f"goes on with what `{path}` keeps\n")
