"""Machine code in tiers: quick at first, the best when it is made, and the games are the same."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from tests.playing import game_of

from rulerun.cli import main
from rulerun.compiled.native import batch as batches
from rulerun.compiled.native import building, loaded_code, objects, worth
from rulerun.compiled.native.batch import NativeBatch, is_ready
from rulerun.host import cache_dir
from rulerun.reference.executor import Reference
from rulerun.runtime.batch import Expected, Tally
from rulerun.runtime.rng import key_of
from rulerun.simulation.run.stepping import Stepping
from rulerun_dsl.model import Game
from rulerun_dsl.source.resources import shipped

pytest.importorskip("llvmlite", reason="llvmlite is not installed")

SEVEN = "define i64 @seven() {\n  ret i64 7\n}\n"
RACE = """
rulerun: 1
game: race
players: 2
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


@pytest.fixture
def game() -> Game:
    return game_of(RACE)


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("RULERUN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "native"


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The best code is made here, and is there when it has begun to be made."""

    def ripen(self: objects.Tiers) -> None:
        if not self.best and self._maker is None:
            self._maker = Thread(target=self._make)
            self._maker.start()
            self._maker.join()

    def here(text: str) -> bytes:
        return objects.compiled(objects.library(), text, best=True)

    monkeypatch.setattr(objects.Tiers, "ripen", ripen)
    monkeypatch.setattr(objects, "_elsewhere", here)


def again(game: Game) -> Stepping:
    return Stepping(Reference(game, events=False))


@pytest.mark.parametrize("covered", [False, True], ids=["plain", "covered"])
def test_better_code_comes_in_between_slices(
    game: Game, covered: bool, folder: Path, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slices of seven inputs end in the middle of games, which go on with the other code."""
    way = "covered" if covered else "plain"
    expected = Expected(0, 40) if covered else Expected(40, 0)
    tallies = [Tally.of(game, covered) for _ in range(3)]
    best = NativeBatch(game, again(game))
    wanted = best.play(key_of(3), 5, 40, tallies[0])
    assert best._machines[way].tiers.best
    for each in folder.iterdir():
        each.unlink()
    quick = NativeBatch(game, again(game), expected=expected)
    assert quick.play(key_of(3), 5, 40, tallies[1]) == wanted
    assert not quick._machines[way].tiers.best
    assert [each.name[-8:] for each in folder.iterdir()] == [".quick.o"]
    monkeypatch.setattr(batches, "SLICE", 7)
    monkeypatch.setattr(worth, "BEST", 1)
    rising = NativeBatch(game, again(game), expected=expected)
    assert not rising._machines[way].tiers.best
    assert rising.play(key_of(3), 5, 40, tallies[2]) == wanted
    assert rising._machines[way].tiers.best
    assert tallies[0] == tallies[1] == tallies[2]
    # What is found from now on is the best.
    kept = NativeBatch(game, again(game), expected=expected)._machines[way].tiers
    assert kept.from_cache and kept.best


def test_what_is_not_worth_it_stays_as_it_is(game: Game, folder: Path, at_once: None) -> None:
    batch = NativeBatch(game, again(game), expected=Expected(40, 0))
    batch.play(key_of(3), 0, 40)
    assert not batch._machines["plain"].tiers.best


def test_the_process_beside_makes_the_same_code(folder: Path) -> None:
    tiers = objects.tiers(objects.library(), SEVEN, quick=True)
    before = tiers.engine
    assert not tiers.best and not tiers.ripe()
    tiers.ripen()
    assert tiers.ripe(wait=True) and tiers.best and tiers.engine is not before
    assert tiers.code == objects.compiled(objects.library(), SEVEN, best=True)
    assert objects.tiers(objects.library(), SEVEN, quick=True).best


def test_the_process_beside_ends_with_this_one() -> None:
    """Its caller is gone: nothing is written, nothing runs on."""
    begin = f"from {objects.__name__} import beside; beside()"
    text = SEVEN.encode()
    done = subprocess.run(
        [sys.executable, "-c", begin],
        input=len(text).to_bytes(8, "little") + text[:-9],
        capture_output=True,
        env={"PYTHONPATH": ":".join(sys.path), "PATH": ""},
        timeout=60,
    )
    assert done.returncode != 0 and done.stdout == b""


def test_code_that_cannot_be_made_leaves_the_quick_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(objects, "_elsewhere", lambda text: None)
    tiers = objects.tiers(objects.library(), SEVEN, quick=True)
    tiers.ripen()
    assert not tiers.ripe(wait=True) and not tiers.best
    assert [each.name[-8:] for each in folder.iterdir()] == [".quick.o"]
    again = objects.tiers(objects.library(), SEVEN, quick=True)
    assert again.from_cache and not again.best and again.code == tiers.code


def test_of_two_that_want_the_same_code_one_makes_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def here(text: str) -> bytes:
        made.append(text)
        return objects.compiled(objects.library(), text, best=True)

    monkeypatch.setattr(objects, "_elsewhere", here)
    monkeypatch.setattr(objects, "_AGAIN", 0.01)
    one, two = (objects.tiers(objects.library(), SEVEN, quick=True) for _ in range(2))
    with cache_dir.claimed("native", f"{one.name}.making") as mine:
        assert mine
        one.ripen()
        two.ripen()
        assert not made
    assert one.ripe(wait=True) and two.ripe(wait=True)
    assert made == [SEVEN] and one.code == two.code


def test_what_else_is_printed_is_no_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A process that prints at its start would have its words taken for code, and run."""
    (tmp_path / "sitecustomize.py").write_text("print('good morning')\n", encoding="utf-8")
    monkeypatch.setattr("sys.path", [str(tmp_path), *sys.path])
    whole = objects._elsewhere(SEVEN)
    assert whole == objects.compiled(objects.library(), SEVEN, best=True)
    monkeypatch.setattr(objects, "_digest_of", lambda code: b"?" * 16)
    assert objects._elsewhere(SEVEN) is None


# ----------------------------------------------------------------------------- found by a name


def test_a_known_game_needs_no_program(
    game: Game, folder: Path, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worth, "BEST", 1)
    expected = Expected(40, 0)
    assert not is_ready("race-1", expected)
    first = NativeBatch(game, again(game), expected=expected, known="race-1")
    wanted = first.play(key_of(3), 0, 40)
    assert is_ready("race-1", expected)
    assert not is_ready("race-1", Expected(40, 1)) and not is_ready("race-2", expected)

    def unwanted(*given: object, **more: object) -> None:
        raise AssertionError("it is known")

    monkeypatch.setattr(building, "draft", unwanted)
    found = NativeBatch(game, again(game), expected=expected, known="race-1")
    assert found.play(key_of(3), 0, 40) == wanted
    with pytest.raises(AssertionError, match="it is known"):
        NativeBatch(game, again(game), expected=expected, known="race-2")


def test_code_for_another_processor_is_not_loaded(
    game: Game, folder: Path, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worth, "BEST", 1)
    batch = NativeBatch(game, again(game), expected=Expected(40, 0), known="race")
    batch.play(key_of(3), 0, 40)
    content = cache_dir.recall("native", "race-plain.json")
    assert content is not None and loaded_code.recall("race", "plain", str) is not None
    code, _, plan = json.loads(content)
    for other in ([code, "z80", plan], [code], {"code": code}, [code, "", [1, 2]]):
        cache_dir.keep("native", "race-plain.json", json.dumps(other).encode())
        assert loaded_code.recall("race", "plain", str) is None


def test_a_changed_file_is_another_game(
    folder: Path, at_once: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worth, "BEST", 1)
    rules = tmp_path / "pig.yaml"
    text = (shipped("rulesets") / "classics" / "pig.yaml").read_text(encoding="utf-8")
    command = ["simulate", str(rules), "-n", "30", "--no-coverage", "--executor", "native"]
    drafts: list[Game] = []
    draft = building.draft

    def noted(game: Game, **ways: Any) -> building.Draft:
        drafts.append(game)
        return draft(game, **ways)

    monkeypatch.setattr(building, "draft", noted)
    for content, many in ((text, 1), (text, 1), (text.replace("100", "90"), 2), (text, 2)):
        rules.write_text(content, encoding="utf-8")
        assert main(command) == 0
        assert len(drafts) == many
    assert main([*command, "--set", "winscore=50"]) == 0
    assert len(drafts) == 3


def test_a_hit_imports_nothing_that_makes_a_game(
    folder: Path, at_once: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(worth, "BEST", 1)
    command = ["simulate", "pig", "-n", "3", "--executor", "native"]
    assert main(command) == 0
    told = capsys.readouterr().out
    code = (
        "import sys; from rulerun.__main__ import main; main(sys.argv[1:]); "
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *command],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": ":".join(sys.path), "RULERUN_CACHE": str(folder.parent)},
    )
    assert done.stdout == told
    imported = done.stderr.split()
    assert "rulerun.compiled.native.batch" in imported
    for each in ("lark", "rulerun_dsl.check", "rulerun_dsl.load", "rulerun.compiled.lower",
                 "rulerun.reference", "multiprocessing"):  # fmt: skip
        assert each not in imported, each


def test_quick_code_that_is_known_rises_as_well(
    game: Game, folder: Path, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The module is written then, and not before."""
    short, long = Expected(40, 0), Expected(10**9, 0)
    wanted = NativeBatch(game, again(game), expected=short, known="race").play(key_of(3), 0, 40)
    assert is_ready("race", long)
    drafts: list[Game] = []
    draft = building.draft

    def noted(game: Game, **ways: Any) -> building.Draft:
        drafts.append(game)
        return draft(game, **ways)

    monkeypatch.setattr(building, "draft", noted)
    for expected, many, best in ((short, 0, False), (long, 1, True), (short, 1, True)):
        batch = NativeBatch(game, again(game), expected=expected, known="race")
        assert batch.play(key_of(3), 0, 40) == wanted
        assert (len(drafts), batch._machines["plain"].tiers.best) == (many, best)
