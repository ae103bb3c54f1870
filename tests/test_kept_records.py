"""Records in use, and records that somebody changed: the commands, from outside."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rulerun.cli import main
from rulerun.host.locking import InUse
from rulerun.laws.recording import summed
from rulerun.session.record import RecordWriter, read_record
from rulerun_dsl.load import load_game

RULES = """
rulerun: 1
game: work
players: 2
options:
  bonus: {type: 0..5, default: 1}
  rounds: {type: 1..9, default: 6}
state:
  visible: all
  coins[player]: 0..30
  turns: 0..9
phases:
  play:
    turns: you in players
    until: turns == rounds
    do:
      - turns += 1
      - choose:
          work: coins += bonus
          rest: pass
scoring:
  points(player p): coins[p]
"""

INPUTS = ["work", "rest", "work", "rest", "work", "rest"]


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "work.yaml"
    path.write_text(RULES, encoding="utf-8")
    return path


@pytest.fixture
def record(rules: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """The record of a play in which P1 works and P2 rests."""
    return recorded(rules, tmp_path / "play.jsonl", INPUTS, capsys)


def recorded(
    rules: Path, path: Path, inputs: list[str], capsys: pytest.CaptureFixture[str]
) -> Path:
    script = rules.with_suffix(".txt")
    script.write_text("\n".join(inputs), encoding="utf-8")
    play = ["play", str(rules), "--seat", "all=human", "--seed", "1", "--script", str(script)]
    assert main([*play, "--record", str(path)]) == (0 if len(inputs) == 6 else 2)
    capsys.readouterr()
    return path


class Verified:
    """What `replay --verify` says."""

    def __init__(
        self, record: Path, rules: Path, capsys: pytest.CaptureFixture[str], *more: str
    ) -> None:
        self.code = main(["replay", str(record), "--rules", str(rules), "--verify", *more])
        captured = capsys.readouterr()
        self.said = captured.out + captured.err


def changed(record: Path, old: str, new: str, *, anew: bool = False) -> None:
    content = record.read_text(encoding="utf-8")
    assert content.count(old) >= 1
    lines = content.replace(old, new, 1).encode().splitlines(keepends=True)
    record.write_bytes(b"".join(summed(lines) if anew else lines))


# --------------------------------------------------------------------------------- changed


def test_what_was_written_is_verified(record, rules, capsys):
    found = Verified(record, rules, capsys)
    assert (found.code, found.said) == (0, f"{record}: 6 inputs, over; it fits the rules\n")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('3, "by": "P1", "action": "work"', '3, "by": "P1", "action": "rest"', ["input 3"]),
        ('2, "by": "P2", "action": "rest"', '2, "by": "P2", "action": "work"', ["input 2"]),
        ('"points": ["3"', '"points": ["4"', ["the end"]),
        ('"state": "', '"state": "0', ["the end"]),
        ('"bonus": "1"', '"bonus": "2"', ["the header", "`options: bonus` is another"]),
        ('"seed": 1', '"seed": 2', ["the header", "`seed` is another"]),
        ('"P2": "human"', '"P2": "first"', ["the header", "`seats: P2` is another"]),
    ],
)
def test_what_was_changed_is_named(record, rules, capsys, old, new, words):
    changed(record, old, new)
    found = Verified(record, rules, capsys)
    assert found.code == 1
    assert "RR1010" in found.said
    for word in words:
        assert word in found.said
    # Nobody plays on from it either.
    before = record.read_bytes()
    assert main(["play", str(rules), "--resume", str(record)]) == 2
    assert record.read_bytes() == before


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ('3, "by": "P1", "action": "work"', '3, "by": "P1", "action": "rest"', "points 2, 0"),
        ('"bonus": "1"', '"bonus": "2"', "points 6, 0 instead of 3, 0"),
        ('"points": ["3"', '"points": ["4"', "points 3, 0 instead of 4, 0"),
        ('"state": "', '"state": "0', "in another state"),
    ],
)
def test_what_was_changed_with_its_sums_shows_at_the_end(record, rules, capsys, old, new, word):
    changed(record, old, new, anew=True)
    found = Verified(record, rules, capsys)
    assert found.code == 1
    assert "RR1008" in found.said and word in found.said


def test_a_change_that_leaves_the_points_is_named(rules, tmp_path, capsys):
    """Two who work and rest in turn: nobody's points tell who did it when."""
    record = recorded(rules, tmp_path / "p.jsonl", ["work", "rest", "rest", "work", "rest", "rest"],
                      capsys)  # fmt: skip
    content = record.read_text(encoding="utf-8")
    swapped = content.replace('1, "by": "P1", "action": "work"', '1, "by": "P1", "action": "rest"')
    swapped = swapped.replace('3, "by": "P1", "action": "rest"', '3, "by": "P1", "action": "work"')
    record.write_text(swapped, encoding="utf-8")
    found = Verified(record, rules, capsys)
    assert found.code == 1 and "input 1 was changed" in found.said


def test_a_record_of_format_1_is_read_and_gone_on_with(rules, tmp_path, capsys):
    record = tmp_path / "old.jsonl"
    game, _ = load_game(rules)
    assert game is not None
    record.write_text(
        '{"record": 1, "rulerun": 1, "game": "work", '
        f'"fingerprint": "{game.former_fingerprints[-1]}", "players": ["P1", "P2"], '
        '"options": {"bonus": "1", "rounds": "6"}, "seats": {"P1": "human", "P2": "human"}}\n'
        '{"n": 1, "by": "P1", "action": "work"}\n'
        '{"n": 2, "by": "P2", "action": "rest"}\n'
    )
    found = Verified(record, rules, capsys)
    assert found.code == 0 and "of format 1, without sums" in found.said
    script = tmp_path / "rest.txt"
    script.write_text("\n".join(INPUTS[2:]))
    assert main(["play", str(rules), "--resume", str(record), "--script", str(script)]) == 0
    text = record.read_text(encoding="utf-8")
    assert "sum" not in text and "points" not in text and "state" not in text
    assert '{"n": 7, "end": "over"' in text
    assert Verified(record, rules, capsys).code == 0


def test_records_of_before_are_of_the_same_rules(tmp_path, capsys):
    """The fingerprint that format 1 had is known still."""
    rules = tmp_path / "vv.yaml"
    text = RULES.replace("game: work", "game: vv").replace("turns == rounds", "turns == 6")
    text = text.replace("options:\n  bonus:", "options: {bonus:").replace(
        "default: 1}", "default: 1}}"
    )
    text = text.replace("  rounds: {type: 1..9, default: 6}\n", "")
    rules.write_text(text)
    record = tmp_path / "vv.jsonl"
    record.write_text(
        '{"record": 1, "rulerun": 1, "game": "vv", '
        '"fingerprint": "946f01eecd947a9934e0413a83db5920", "players": ["P1", "P2"], '
        '"options": {"bonus": "1"}}\n{"n": 1, "by": "P1", "action": "work"}\n'
    )
    assert Verified(record, rules, capsys).code == 0


# ------------------------------------------------------------------------------ other rules


def test_a_record_of_another_game_is_refused_as_that(record, rules, tmp_path, capsys):
    """Whatever else differs with it: options, players."""
    for other in ("pig", "brave_rats", str(rules)):
        changed(record, '"game": "work"', '"game": "toil"', anew=True)
        found = Verified(record, Path(other), capsys)
        assert found.code == 1
        assert "RR1011" in found.said and "a record of the game toil, not of" in found.said
        assert "RR1006" not in found.said and "RR04" not in found.said
        changed(record, '"game": "toil"', '"game": "work"', anew=True)
    assert main(["play", "pig", "--resume", str(record)]) == 1
    assert "RR1011" in capsys.readouterr().err


def test_a_game_of_another_name_can_be_forced(record, rules, capsys):
    rules.write_text(RULES.replace("game: work", "game: toil"))
    assert Verified(record, rules, capsys).code == 1
    assert Verified(record, rules, capsys, "--force").code == 0


def test_a_changed_default_is_no_other_rule(record, rules, capsys):
    rules.write_text(RULES.replace("default: 1", "default: 3").replace("default: 6", "default: 2"))
    found = Verified(record, rules, capsys)
    assert found.code == 0, found.said


def test_another_type_of_an_option_is_another_rule(record, rules, capsys):
    rules.write_text(RULES.replace("0..5", "0..6"))
    found = Verified(record, rules, capsys)
    assert found.code == 1 and "the rules have changed" in found.said
    assert Verified(record, rules, capsys, "--force").code == 0


def test_an_option_that_is_gone_is_named_and_can_be_forced(record, rules, capsys):
    text = RULES.replace("  rounds: {type: 1..9, default: 6}\n", "")
    rules.write_text(text.replace("turns == rounds", "turns == 6"))
    found = Verified(record, rules, capsys)
    assert found.code == 1
    assert "RR1006" in found.said
    assert "rounds 6, which the game has no longer" in found.said
    found = Verified(record, rules, capsys, "--force")
    assert found.code == 0
    assert "rounds is left out, since the game no longer has 6" in found.said


def test_a_value_that_is_gone_can_be_forced(record, rules, capsys):
    """Then the first difference is named."""
    rules.write_text(RULES.replace("1..9, default: 6", "1..5, default: 5"))
    found = Verified(record, rules, capsys)
    assert found.code == 1
    assert "RR1006" in found.said and "rounds 6, which the game has no longer" in found.said
    found = Verified(record, rules, capsys, "--force")
    assert found.code == 1
    assert "RR1007" in found.said and "line 6" in found.said


# ----------------------------------------------------------------------------------- in use


HOLD = """
import sys, time
from pathlib import Path
from rulerun.session.record import RecordWriter, read_record
from rulerun_dsl.load import load_game
game, _ = load_game(sys.argv[2])
path = Path(sys.argv[1])
writer = RecordWriter.append(path, read_record(path)[0], game)
print("held", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def begun(rules, tmp_path, capsys):
    """A record of a play that goes on."""
    return recorded(rules, tmp_path / "begun.jsonl", INPUTS[:2], capsys)


def held(record: Path, rules: Path) -> subprocess.Popen[str]:
    """A process that has the record open to go on with it."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(record), str(rules)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    return process


def go_on(record: Path, rules: Path) -> int:
    script = rules.with_suffix(".rest")
    script.write_text("\n".join(INPUTS[2:]))
    return main(["play", str(rules), "--resume", str(record), "--script", str(script)])


def test_the_second_who_goes_on_is_told_so(begun, rules, capsys):
    before = begun.read_bytes()
    first = held(begun, rules)
    try:
        assert go_on(begun, rules) == 2
        said = capsys.readouterr().err
        assert f"`{begun}` is in use: another process is writing to it" in said
        assert begun.read_bytes() == before
        # Reading is free.
        assert Verified(begun, rules, capsys).code == 0
    finally:
        first.communicate("\n")
    assert go_on(begun, rules) == 0
    assert Verified(begun, rules, capsys).code == 0


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="nothing can be killed here")
def test_a_crash_leaves_no_lock(begun, rules, capsys):
    first = held(begun, rules)
    first.kill()
    first.communicate()
    assert go_on(begun, rules) == 0
    assert Verified(begun, rules, capsys).code == 0


def test_a_record_that_grew_since_it_was_read_is_not_gone_on_with(begun, rules):
    """Somebody else has gone on with it and left, between reading and locking."""
    game, _ = load_game(rules)
    assert game is not None
    record, _ = read_record(begun)
    assert record is not None
    with RecordWriter.append(begun, record, game) as writer:
        writer.decision(3, "P1", "work")
    grown = begun.read_bytes()
    with pytest.raises(InUse, match="since it was read"):
        RecordWriter.append(begun, record, game)
    assert begun.read_bytes() == grown


def test_a_new_record_is_held_too(rules, tmp_path):
    game, _ = load_game(rules)
    assert game is not None
    path = tmp_path / "new.jsonl"
    with RecordWriter.create(path, game) as writer:
        record, _ = read_record(path)
        assert record is not None
        with pytest.raises(InUse):
            RecordWriter.append(path, record, game)
        writer.decision(1, "P1", "work")
    record, found = read_record(path)
    assert record is not None and not found and len(record.entries) == 1


def test_a_torn_line_is_cut_off_and_gone_on_from(begun, rules, capsys):
    begun.write_bytes(begun.read_bytes() + b'{"n": 3, "by": "P')
    assert go_on(begun, rules) == 0
    assert "RR1002" in capsys.readouterr().err
    assert Verified(begun, rules, capsys).code == 0


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere"
)
def test_a_record_that_may_not_be_written_is_no_bug(begun, rules, capsys):
    begun.chmod(0o400)
    assert go_on(begun, rules) == 2
    assert "cannot be written: permission denied" in capsys.readouterr().err
