"""Lists of games: what stands at the head of a rules file, and how `list` and the lobby put it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.rulesets import SHIPPED

from rulerun.cli.shelf import list_
from rulerun.words.language import SHIPPED as LANGUAGES
from rulerun.words.language import language
from rulerun_dsl.heads import head_of
from rulerun_dsl.load import load
from rulerun_dsl.schema.ruleset_schema import definition

ROOT = Path(__file__).resolve().parents[1]
CATALOGUE = [each["const"] for each in definition("rules_file")["properties"]["kind"]["oneOf"]]
HEADS = [head_of(path) for path in SHIPPED]
DEMO = "rulerun: 1\ngame: demo\nplayers: 2\nphases:\n  play: end game won by player(0)\n"


def listed(*arguments: str, code: int = 0) -> str:
    ran = CliRunner().invoke(list_, arguments)
    assert ran.exit_code == code, ran.output
    return ran.output


def names(*arguments: str) -> list[str]:
    return [each["name"] for each in json.loads(listed(*arguments, "--format", "json"))["games"]]


# --------------------------------------------------------------------------------------- the heads


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_a_heading_for_every_kind(code: str) -> None:
    said = language(code)
    assert [*said.kinds_of_game] == CATALOGUE, "in the order of the schema"
    assert len(set(said.headings)) == len(CATALOGUE) + 1
    assert said.heading("dice") == said.kinds_of_game["dice"]
    assert said.heading("") == said.other_games


@pytest.mark.parametrize("head", HEADS, ids=lambda head: head.name)
def test_a_shipped_ruleset_says_its_kind_and_what_it_shows(head) -> None:
    assert head.kind in CATALOGUE
    assert head.shows and head.players and head.minutes and head.about


def test_every_kind_has_a_game() -> None:
    assert {each.kind for each in HEADS} == {*CATALOGUE}


def test_what_is_shown_is_said_in_one_way() -> None:
    phrases = {each for head in HEADS for each in head.shows}
    folded = {re.sub(r"s\b", "", each.casefold()) for each in phrases}
    assert len(folded) == len(phrases), "the same in the singular and the plural"


@pytest.mark.parametrize("head", HEADS, ids=lambda head: head.name)
def test_after_which_game_one_is_stands_at_the_head_as_well(head) -> None:
    """Whoever opens the file reads what whoever lists the games does."""
    (path,) = (each for each in SHIPPED if each.stem == head.name)
    text = " ".join(path.read_text(encoding="utf-8").partition("rulerun: 1")[0].split())
    comment = text.replace(" # ", " ")
    if found := re.search(r"\bAfter (.+?\(.*?\d{4}\))", head.about):
        known = re.split(r" by | \(", found[1])[0]
        assert known not in head.title
        assert known.casefold() in comment.casefold()
    else:
        assert "After " not in comment


def test_kind_and_what_is_shown_are_none_of_the_rules(tmp_path: Path) -> None:
    prints = set()
    for more in ("", "kind: dice\n", "kind: toy\nshows: [draft]\ntitle: Other\nminutes: 3\n"):
        path = tmp_path / "demo.yaml"
        path.write_text(more + DEMO, encoding="utf-8")
        loaded, found = load(path)
        assert loaded is not None and not found, [each.message for each in found]
        game, _ = loaded.game()
        assert game is not None
        prints.add(game.fingerprint)
    assert len(prints) == 1


@pytest.mark.parametrize(
    "text", ["", "kind: [dice]\nshows: draft\n", "shows: [[a], {b: c}]\n", "::"]
)
def test_a_head_that_cannot_be_read_is_empty(text: str, tmp_path: Path) -> None:
    path = tmp_path / "demo.yaml"
    path.write_text(text, encoding="utf-8")
    assert (head_of(path).kind, head_of(path).shows) == ("", ())


# ---------------------------------------------------------------------------------------- `list`


def test_games_stand_below_the_heading_of_their_kind() -> None:
    said = language("en")
    lines = listed().splitlines()
    under: dict[str, str] = {}
    heading = ""
    for line in lines[1:]:
        if line and not line.startswith(" "):
            heading = line
        elif (found := re.match(r"  (\w+)  +\d", line)) is not None:
            under[found[1]] = heading
    assert under == {each.name: said.heading(each.kind) for each in HEADS}
    assert [line for line in lines if line in said.headings] == said.headings[:-1]
    assert all(len(line) <= 100 for line in lines)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("love letter", ["love_letter"]),
        ("LOVE_LETTER", ["love_letter"]),
        ("othello", ["othello"]),
        ("reversi", ["othello"]),
        ("Market Row", ["ruse"]),
        ("trick_taking", ["agram", "hearts", "oh_hell"]),
        ("lamont", []),
    ],
)
def test_words_choose_games(words: str, found: list[str]) -> None:
    if not found:
        assert "nothing in this list has" in listed(*words.split(), code=1)
        return
    assert set(found) <= set(names(*words.split()))
    assert len(names(*words.split())) < len(HEADS) / 5
    text = listed(*words.split())
    assert all(f"  {each} " in text for each in found)


def test_headings_are_in_the_language_asked_for() -> None:
    assert "\nWürfel\n" in listed("--lang", "de") and "\nDés\n" in listed("--lang", "fr")
    assert names("würfel", "--lang", "de") == [each.name for each in HEADS if each.kind == "dice"]
    assert "\nDice\n" in listed("--lang", "es"), "there is no Spanish: the headings are English"


def test_what_is_shown_is_listed_with_its_games() -> None:
    data = json.loads(listed("--shows", "--format", "json"))["shows"]
    shown = {each["shows"]: each["games"] for each in data}
    assert [*shown] == sorted(shown)
    pairs = {(phrase, name) for phrase, games in shown.items() for name in games}
    assert pairs == {(phrase, each.name) for each in HEADS for phrase in each.shows}
    text = listed("--shows")
    assert all(re.search(rf"^{re.escape(each)}  ", text, re.M) for each in shown)


def test_words_choose_what_is_shown() -> None:
    lines = listed("--shows", "ROLL", "and").splitlines()
    assert len(lines) == 1 and lines[0].startswith("roll and keep  ") and "yacht" in lines[0]
    assert "`worlds`" in listed("--shows", "worlds", code=1)


# ------------------------------------------------------------------------------------- the pages


def test_the_table_of_classics_is_that_of_the_files() -> None:
    command = [sys.executable, "-m", "benchmarks.shelf", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_of_the_file_has_the_catalogue() -> None:
    page = ROOT / "docs" / "reference" / "language" / "file.md"
    part = page.read_text(encoding="utf-8").partition("| kind | is for games")[2]
    rows = re.findall(r"^\| `(\w+)` \|", part.partition("\n\n")[0], re.M)
    assert rows == CATALOGUE


def test_the_lobby_has_the_headings() -> None:
    pytest.importorskip("starlette")
    from rulerun.web.shelf import Shelf

    wanted = ("pig", "tic_tac_toe", "nim", "dots_and_boxes", "othello", "clobber")
    paths = {each.stem: each for each in SHIPPED if each.stem in wanted}
    found = Shelf(paths).listed("fr")
    said = language("fr")
    assert [(each["kind"], each["title"]) for each in found] == [
        (said.heading("board"), "Clobber"),
        (said.heading("board"), "Dots and Boxes"),
        (said.heading("board"), "Reversi"),
        (said.heading("connection"), "Tic-tac-toe"),
        (said.heading("dice"), "Pig"),
        (said.heading("toy"), "Nim"),
    ]


def test_a_game_without_a_kind_stands_last_in_the_lobby(tmp_path: Path) -> None:
    pytest.importorskip("starlette")
    from rulerun.web.shelf import Shelf

    games = {"broken": "kind: board\ngame: broken\n", "demo": DEMO, "rolled": "kind: dice\n" + DEMO}
    for name, text in games.items():
        (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
    found = Shelf({name: tmp_path / f"{name}.yaml" for name in games}).listed("es")
    assert [(each["name"], each["kind"]) for each in found] == [
        ("broken", "On a board"),
        ("rolled", "Dice"),
        ("demo", "Other games"),
    ]
    assert "error" in found[0]
