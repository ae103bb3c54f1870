"""A rules file that was found right is not checked twice, and is as soon as a byte is different."""

import shutil
from pathlib import Path

import pytest

import rulerun_dsl
from rulerun.cli import game_cache, main
from rulerun.host import cache_dir

RULES = """
rulerun: 1
game: demo
players: 2
files: [more.yaml]
options:
  winter: {type: bool, default: false}
state: {visible: all, coins: 0..9}
setup: coins = 3
"""
MODULE = """
module: frost
when: winter
setup: coins = 2
"""


@pytest.fixture
def validate(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("RULERUN_CACHE", str(tmp_path / "cache"))
    (tmp_path / "demo.yaml").write_text(RULES, encoding="utf-8")
    (tmp_path / "more.yaml").write_text(MODULE, encoding="utf-8")
    checked = []
    original = game_cache.remember

    def remember(path, others, how_far, read=()):
        checked.append(path.name)
        original(path, others, how_far, read)

    monkeypatch.setattr("rulerun.cli.game_cache.remember", remember)

    def run(*more):
        checked.clear()
        code = main(["validate", str(tmp_path / "demo.yaml"), *more])
        return code, "".join(capsys.readouterr()), list(checked)

    return run


def test_what_is_right_is_checked_once(validate):
    first, again = validate(), validate()
    assert first[0] == again[0] == 0
    assert first[1] == again[1]
    assert (first[2], again[2]) == (["demo.yaml"], [])


def test_a_change_of_the_file_or_of_a_module_is_seen(validate, tmp_path):
    validate()
    (tmp_path / "more.yaml").write_text(MODULE.replace("coins", "cions"), encoding="utf-8")
    code, output, _ = validate()
    assert code == 1 and "did you mean `coins`?" in output
    (tmp_path / "more.yaml").write_text(MODULE, encoding="utf-8")
    (tmp_path / "demo.yaml").write_text(RULES.replace("0..9", "0..2"), encoding="utf-8")
    assert validate()[0] == 1
    (tmp_path / "more.yaml").unlink()
    (tmp_path / "demo.yaml").write_text(RULES, encoding="utf-8")
    assert validate()[0] == 1


def test_findings_are_not_remembered(validate, tmp_path):
    (tmp_path / "demo.yaml").write_text(RULES.replace("= 3", "= 33"), encoding="utf-8")
    assert validate() == validate()
    assert not (tmp_path / "cache").exists()


def test_what_was_played_is_remembered(validate):
    """Less was played than is asked for now: that is not enough; more is."""
    validate("--play", "100")
    assert validate("--play", "100")[2] == []
    assert validate("--play", "900")[2] == ["demo.yaml"]
    assert validate("--play", "0")[2] == []


def test_scenarios_are_remembered_with_their_rules(validate, tmp_path):
    path = tmp_path / "demo.test.yaml"
    path.write_text("scenarios: [{id: A, expect: {coins: 3}}]", encoding="utf-8")
    assert validate(str(path))[2] == ["demo.yaml", "demo.test.yaml"]
    assert validate(str(path))[2] == []
    (tmp_path / "more.yaml").write_text(MODULE + "# later\n", encoding="utf-8")
    assert validate(str(path))[2] == ["demo.yaml", "demo.test.yaml"]
    path.write_text("scenarios: [{id: A, expect: {cions: 3}}]", encoding="utf-8")
    assert validate(str(path))[0] == 1


@pytest.mark.parametrize("torn", ["", "{", "[]", '{"settings": "2", "files": {}}', "\udcff"])
def test_a_torn_note_is_no_note(validate, tmp_path, torn):
    validate()
    (note,) = (tmp_path / "cache" / "validated").iterdir()
    note.write_text(torn, encoding="utf-8", errors="surrogateescape")
    assert validate()[2] == ["demo.yaml"]


def test_strict_checks_always_and_off_keeps_nothing(validate, tmp_path, monkeypatch):
    validate()
    assert validate("--strict")[2] == []
    monkeypatch.setenv("RULERUN_CACHE", "off")
    assert not game_cache.recall(tmp_path / "demo.yaml")


def test_a_folder_that_cannot_be_written_is_no_obstacle(validate, tmp_path, monkeypatch):
    (tmp_path / "plain").write_text("", encoding="utf-8")
    monkeypatch.setenv("RULERUN_CACHE", str(tmp_path / "plain"))
    assert validate()[0] == 0


def test_only_so_many_are_remembered(tmp_path, monkeypatch):
    monkeypatch.setenv("RULERUN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache_dir, "MOST", 2)
    for name in "abc":
        path = tmp_path / f"{name}.yaml"
        path.write_text(name, encoding="utf-8")
        game_cache.remember(path, [], game_cache.Checked(1))
    assert len(list((tmp_path / "cache" / "validated").iterdir())) == 2


def test_a_change_at_any_depth_makes_another_copy(tmp_path):
    """What an older checker found is not believed of a newer one, wherever that differs."""
    package = Path(rulerun_dsl.__path__[0])
    shutil.copytree(package, tmp_path / "dsl", ignore=shutil.ignore_patterns("rulesets", "*.pyc"))
    before = game_cache.copy_in(str(tmp_path / "dsl"))
    deepest = max((tmp_path / "dsl").rglob("*.py"), key=lambda each: (len(each.parts), each.name))
    assert len(deepest.relative_to(tmp_path).parts) > 3
    deepest.write_text(deepest.read_text("utf-8") + "# changed\n", "utf-8")
    assert game_cache.copy_in(str(tmp_path / "dsl")) != before
