"""`rulerun diff`: what changed in the game, between files and between revisions of git."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
from pathlib import Path

import pytest

from rulerun.cli import main
from rulerun_dsl.changes.change import Change, Changes
from rulerun_dsl.changes.matching import changes_between
from rulerun_dsl.load import Loaded, load
from rulerun_dsl.source.resources import ruleset_path

GAME = """\
rulerun: 1
game: raid
players: [red, blue]
options:
  gems: {type: 1..3, default: 3, about: Pearls in the bag.}
constants:
  goal: 5
components:
  card:
    each: player
    start: hand
    has: {value: 1..9, worth: 0..9 = 0}
    rows:
      imp: {value: 1}
      wolf: {value: 2, worth: 3}
zones:
  hand[player]: {of: card, visible: owner}
  pile: {of: card, visible: all}
state:
  visible: all
  score[player]: -99..99
phases:
  rounds:
    until: all(empty(hand[p]) for p in players)
    do:
      - for: you in players
        do:
          - choose: c in hand
            ask: Which card do you lay?
          - lay(c)
procedures:
  lay(card c):
    - move c to pile
    - say: <you> [lay|lays] <c>.
    - score += gain(c) if c.value > 1
functions:
  gain(card c): c.value + c.worth + gems - goal
scoring:
  points(player p): score[p]
"""


def loaded(text: str) -> Loaded:
    found, findings = load(text.encode())
    assert found is not None, findings
    return found


def changes(*replaced: tuple[str, str]) -> Changes:
    """What is different where pieces of the game are replaced."""
    text = GAME
    for old, new in replaced:
        assert old in text
        text = text.replace(old, new)
    return changes_between(loaded(GAME).outline, loaded(text).outline)


def only(found: Changes) -> Change:
    (change,) = found.changes
    return change


def told(change: Change) -> list[tuple[str, str | None, str | None]]:
    return [(each.what, each.old, each.new) for each in change.details]


# ------------------------------------------------------------------------------------ no change


def test_layout_comments_and_order_are_no_change() -> None:
    laid_out = GAME.replace("imp: {value: 1}", "imp:  # the weak one\n        value:   1")
    laid_out = laid_out.replace("c.value + c.worth", "c.value+c.worth")
    zones = ["  hand[player]: {of: card, visible: owner}\n", "  pile: {of: card, visible: all}\n"]
    laid_out = laid_out.replace("".join(zones), "".join(reversed(zones)))
    found = changes_between(loaded(GAME).outline, loaded(laid_out).outline)
    assert found == Changes((), 0, 0)


def test_a_default_that_is_written_out_is_no_change() -> None:
    """Of a column, of a visibility, of a row that is a list."""
    assert changes(("imp: {value: 1}", "imp: [1, 0]")).same
    assert changes(
        (
            "  visible: all\n  score[player]: -99..99",
            "  score[player]: {type: -99..99, visible: all}",
        )
    ).same
    assert changes(("    - move c to pile\n", "    - move c to pile; pass\n")).changes


def test_texts_are_counted_apart() -> None:
    found = changes(
        ("Which card do you lay?", "Which one?"),
        ("<you> [lay|lays] <c>.", "A card, <c>."),
        ("game: raid", "game: raid\ntitle: The raid"),
    )
    assert found == Changes((), 3, 0)
    assert changes(("scoring:", "view: {hides: score}\nscoring:")) == Changes((), 0, 1)


# ----------------------------------------------------------------------------------- the changes


@pytest.mark.parametrize(
    ("old", "new", "where", "details"),
    [
        ("default: 3", "default: 2", "option  gems", [("default", "3", "2")]),
        ("type: 1..3", "type: 1..4", "option  gems", [("type", "1..3", "1..4")]),
        ("goal: 5", "goal: 6", "constant  goal", [("value", "5", "6")]),
        ("value: 2,", "value: 4,", "row card wolf", [("value", "2", "4")]),
        ("imp: {value: 1}", "imp: {value: 1, worth: 2}", "row card imp", [("worth", "0", "2")]),
        ("visible: owner}", "visible: all}", "zone  hand", [("visible", "owner", "all")]),
        ("pile: {of: card,", "pile: {of: card, order: stack,", "zone  pile",
         [("order", None, "stack")]),
        ("-99..99", "0..50", "variable  score", [("type", "-99..99", "0..50")]),
        ("rounds:\n    until: all", "rounds:\n    until: any", "phase  rounds",
         [("until", "all(empty(hand[p]) for p in players)",
           "any(empty(hand[p]) for p in players)")]),
        ("each: player", "each: player\n    copies: 2", "component  card", [("copies", None, "2")]),
        ("points(player p): score[p]", "points(player p): score[p] + 1", "points  ",
         [("value", "score[p]", "score[p] + 1")]),
    ],
)  # fmt: skip
def test_a_value_is_named(
    old: str, new: str, where: str, details: list[tuple[str, str | None, str | None]]
) -> None:
    change = only(changes((old, new)))
    assert f"{change.sort} {change.within} {change.name}" == where
    assert change.how == "changed" and told(change) == details
    assert change.old and change.new


def test_steps_are_compared_line_by_line() -> None:
    change = only(changes(("    - move c to pile\n", "    - move c to hand\n    - score += 1\n")))
    assert (change.sort, change.name) == ("procedure", "lay")
    (detail,) = change.details
    assert detail.lines == (
        "- move c to pile",
        "+ move c to hand",
        "+ score += 1",
        "  score += gain(c) if c.value > 1",
    )


def test_conditions_are_compared_one_by_one() -> None:
    actions = """actions:
  raise_it:
    when:
      - score > 1
      - score < 9
    do: score += 1
"""
    before = GAME.replace("scoring:", f"{actions}scoring:")
    found = changes_between(
        loaded(before).outline, loaded(before.replace("score < 9", "score < 8")).outline
    )
    (detail,) = only(found).details
    assert (detail.what, detail.lines) == ("when", ("  score > 1", "- score < 9", "+ score < 8"))


def test_of_a_new_row_only_what_is_written_is_told() -> None:
    found = changes(("      imp: {value: 1}\n", "      imp: {value: 1}\n      elf: {value: 4}\n"))
    (row,) = [each for each in found.changes if each.how == "added"]
    assert told(row) == [("value", None, "4")]


def test_what_comes_and_goes() -> None:
    found = changes(
        ("      wolf: {value: 2, worth: 3}\n", "      bear: {value: 9, worth: 3}\n"),
        ("constants:\n  goal: 5\n", ""),
        ("scoring:", "always:\n  a limit: score[red] < 90\nscoring:"),
    )
    assert {(each.sort, each.name, each.how) for each in found.changes} == {
        ("row", "wolf", "removed"),
        ("row", "bear", "added"),
        ("constant", "goal", "removed"),
        ("always", "a limit", "added"),
    }


def test_the_order_of_rows_counts() -> None:
    rows = ["      imp: {value: 1}\n", "      wolf: {value: 2, worth: 3}\n"]
    change = only(changes(("".join(rows), "".join(reversed(rows)))))
    assert told(change) == [("order of the rows", "imp, wolf", "wolf, imp")]


# ----------------------------------------------------------------------------------- new names


def test_a_new_name_is_one_change_wherever_it_is_used() -> None:
    text = re.sub(r"\bgain\b", "yield_of", re.sub(r"\bpile\b", "heap", GAME))
    text = re.sub(r"\bwolf\b", "bear", re.sub(r"\bcard\b", "beast", text))
    found = changes_between(loaded(GAME).outline, loaded(text).outline)
    assert {(each.was, each.name, each.how, each.details) for each in found.changes} == {
        ("card", "beast", "renamed", ()),
        ("wolf", "bear", "renamed", ()),
        ("pile", "heap", "renamed", ()),
        ("gain", "yield_of", "renamed", ()),
    }


def test_a_new_name_with_other_rules_is_another_thing() -> None:
    found = changes(
        ("  gain(card c): c.value + c.worth + gems - goal", "  profit(card c): c.value"),
        ("+= gain", "+= profit"),
    )
    assert [(each.name, each.how) for each in found.changes] == [
        ("lay", "changed"),
        ("profit", "added"),
        ("gain", "removed"),
    ]


TRADE = """\
rulerun: 1
game: trade
players: 2
options:
  storms: {type: bool, default: false}
  goal: {type: 1..9, default: 5}
variants:
  long: {goal: 9}
types:
  good: [wool, iron]
tables:
  price: {by: [good, 0..1], rows: {wool: [4, 3], iron: [9, 6]}}
state:
  visible: all
  coins[player]: 0..99
  wind: 0..1
phases:
  play:
    turns: you in players
    until: any(coins[p] >= goal for p in players)
    do:
      - roll wind
      - choose: g in good if g is not wool or wind == 0
      - coins += price[g, wind]
chapter weather:
  when: storms
  scoring:
    points(player p):
      damage: -wind
scoring:
  points(player p): coins[p]
"""


@pytest.mark.parametrize(
    ("old", "new", "where", "details"),
    [
        ("wool: [4, 3]", "wool: [4, 2]", "table  price", [("at wool", "[4, 3]", "[4, 2]")]),
        ("when: storms", "when: not storms", "game  ",
         [("modules only when", "storms", "not storms")]),
        ("-wind", "-wind - 1", "points  damage", [("value", "-wind", "-wind - 1")]),
        ("[wool, iron]", "[iron, wool]", "type  good",
         [("order of the values", "wool, iron", "iron, wool")]),
    ],
)  # fmt: skip
def test_tables_values_and_modules(
    old: str, new: str, where: str, details: list[tuple[str, str | None, str | None]]
) -> None:
    found = changes_between(loaded(TRADE).outline, loaded(TRADE.replace(old, new)).outline)
    change = found.changes[0]
    assert f"{change.sort} {change.within} {change.name}" == where and told(change) == details
    more = [told(each) for each in found.changes[1:]]
    assert more == ([[("only when", "storms", "not storms")]] if where == "game  " else [])


def test_the_order_of_rows_with_keys_is_no_change() -> None:
    other = TRADE.replace("{wool: [4, 3], iron: [9, 6]}", "{iron: [9, 6], wool: [4, 3]}")
    assert changes_between(loaded(TRADE).outline, loaded(other).outline).same


def test_names_of_values_and_options_are_followed_into_tables_and_variants() -> None:
    for old, new, sort in (("wool", "cloth", "value"), ("goal", "enough", "option")):
        found = changes_between(loaded(TRADE).outline, loaded(TRADE.replace(old, new)).outline)
        change = only(found)
        assert (change.sort, change.was, change.name, change.how) == (sort, old, new, "renamed")
        assert not change.details
    more = TRADE.replace("[wool, iron]", "[wool, iron, salt]").replace(
        "9, 6]}", "9, 6], salt: [1, 1]}"
    )
    found = changes_between(loaded(TRADE).outline, loaded(more).outline)
    assert [(each.sort, each.name, each.how) for each in found.changes] == [
        ("value", "salt", "added"),
        ("table", "price", "changed"),
    ]


def test_what_is_alike_but_used_elsewhere_is_no_new_name() -> None:
    """An option that goes and another that comes have the same type, and nothing else."""
    options = "options:\n  gems: {type: 1..3, default: 3, about: Pearls in the bag.}\n"
    before = GAME.replace(options, f"{options}  bold: {{type: bool, default: false}}\n")
    after = before.replace("bold", "meek")
    used = ("if c.value > 1", "if c.value > 1 or bold"), ("+ gems", "+ (gems if meek else 0)")
    old = loaded(before.replace(*used[0])).outline
    found = changes_between(old, loaded(after.replace(*used[1])).outline)
    assert [(each.name, each.how) for each in found.changes] == [
        ("meek", "added"),
        ("bold", "removed"),
        ("lay", "changed"),
        ("gain", "changed"),
    ]
    found = changes_between(
        old, loaded(after.replace("if c.value > 1", "if c.value > 1 or meek")).outline
    )
    assert (only(found).was, only(found).name, only(found).how) == ("bold", "meek", "renamed")


def test_what_has_a_new_name_and_says_a_little_else_is_the_same_thing() -> None:
    change = only(
        changes(("gain(card", "yield_of(card"), ("+= gain", "+= yield_of"), ("- goal", "- 1"))
    )
    assert (change.was, change.name, change.how) == ("gain", "yield_of", "renamed")
    assert change.details[0].lines == (
        "- c.value + c.worth + gems - goal",
        "+ c.value + c.worth + gems - 1",
    )


def test_players_and_phases_have_new_names() -> None:
    scored = GAME.replace("- say:", "- score[blue] += 0\n    - say:")
    text = scored.replace("blue", "green").replace("rounds:", "tricks:")
    found = changes_between(loaded(scored).outline, loaded(text).outline)
    assert [(each.sort, each.was, each.name, each.how) for each in found.changes] == [
        ("player", "blue", "green", "renamed"),
        ("phase", "rounds", "tricks", "renamed"),
    ]


def test_a_phase_in_another_is_told_with_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inner = "phases:\n  night:\n    phases:\n      "
    text = GAME.replace("phases:\n  ", inner).replace("\n    until", "\n        until")
    head, _, rest = text.partition("    do:\n")
    steps, _, rest = rest.partition("procedures:")
    steps = "        do:\n" + "".join(f"    {line}\n" for line in steps.splitlines())
    old, new = tmp_path / "a.yaml", tmp_path / "b.yaml"
    old.write_text(f"{head}{steps}procedures:{rest}", encoding="utf-8")
    new.write_text(old.read_text(encoding="utf-8").replace("rounds:", "tricks:"), encoding="utf-8")
    assert found(capsys, str(old), str(new))[1].count("  night rounds is now called tricks\n") == 1
    _, out, _ = found(capsys, str(old), str(new), "--format", "md")
    assert "- `night rounds` is now called `tricks`\n" in out


# ------------------------------------------------------------------------- nothing is overlooked


def spoiled(text: str, seed: int) -> str:
    """A text with a number, a word or a line that is another."""
    luck = random.Random(seed)
    words = list(re.finditer(r"[A-Za-z_]\w*|\d+", text))
    kind = luck.randrange(3)
    if kind == 2:
        lines = text.split("\n")
        del lines[luck.randrange(len(lines))]
        return "\n".join(lines)
    found = luck.choice([each for each in words if kind == 1 or each[0].isdigit()])
    new = luck.choice(words)[0] if kind == 1 else str(int(found[0]) + 1)
    return text[: found.start()] + new + text[found.end() :]


def overlooked(path: Path, seeds: range) -> tuple[list[int], int]:
    """Seeds whose change of the fingerprint is none of the game; how many files were rules."""
    text = path.read_text(encoding="utf-8")
    old = loaded(text)
    wrong, tried = [], 0
    for seed in seeds:
        other = spoiled(text, seed)
        new = load(other.encode())[0]
        if new is None:
            continue
        tried += 1
        same = changes_between(old.outline, new.outline).same
        # That a question has a text at all is part of the fingerprint, and of no game.
        silent = text.count("ask:") != other.count("ask:") or text.count("hint:") != other.count(
            "hint:"
        )
        if same and not silent and old.fingerprint != new.fingerprint:
            wrong.append(seed)
    return wrong, tried


EVERYTHING = Path(__file__).parent / "rulebooks" / "fair.yaml"
"""A game with every form of the language."""


def test_no_change_of_a_rule_is_overlooked() -> None:
    wrong, tried = overlooked(EVERYTHING, range(16))
    assert not wrong and tried > 5


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fair", "brave_rats", "cribbage", "hearts"])
def test_no_change_of_a_rule_is_overlooked_at_length(name: str) -> None:
    path = EVERYTHING if name == "fair" else ruleset_path(name)
    if path is None:
        pytest.skip(f"{name} has no file of its own")
    wrong, tried = overlooked(path, range(300))
    assert not wrong and tried > 50


@pytest.mark.parametrize("name", ["ruse", "hearts", "chess"])
def test_every_game_is_the_same_as_itself(name: str) -> None:
    path = ruleset_path(name)
    assert path is not None
    found, _ = load(path)
    assert found is not None
    outline = found.outline
    assert changes_between(outline, outline) == Changes((), 0, 0)


# ---------------------------------------------------------------------------------- the command


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder under git with a game of two files, changed once since its first commit."""
    for name in [each for each in os.environ if each.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "Somebody")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "somebody@example.org")
    folder = tmp_path / "repo"
    (folder / "games" / "parts").mkdir(parents=True)
    head, _, functions = GAME.partition("functions:\n")
    functions, _, scoring = functions.partition("scoring:\n")
    game = f"{head}scoring:\n{scoring}files: [parts/gains.yaml]\n"
    (folder / "games" / "raid.yaml").write_text(game, encoding="utf-8")
    module = f"module: gains\nfunctions:\n{functions}"
    (folder / "games" / "parts" / "gains.yaml").write_text(module, encoding="utf-8")
    monkeypatch.chdir(folder)
    git("init", "--quiet", "--initial-branch", "main")
    git("add", ".")
    git("commit", "--quiet", "--message", "first")
    git("tag", "v1")
    (folder / "games" / "raid.yaml").write_text(
        game.replace("goal: 5", "goal: 7"), encoding="utf-8"
    )
    (folder / "games" / "parts" / "gains.yaml").write_text(
        module.replace("c.value + c.worth", "c.value * c.worth"), encoding="utf-8"
    )
    return folder


def git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, capture_output=True)


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["diff", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_file_against_its_last_commit_modules_too(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = found(capsys, "games/raid.yaml")
    assert code == 1
    assert "raid: 2 changes in the game\n  old  HEAD:games/raid.yaml\n" in out
    assert "  goal: value 5 → 7\n" in out
    assert "    - c.value + c.worth + gems - goal\n    + c.value * c.worth + gems - goal\n" in out
    git("commit", "--all", "--quiet", "--message", "second")
    assert found(capsys, "games/raid.yaml")[0] == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["HEAD", "--", "games/raid.yaml"],
        ["v1", "games/raid.yaml"],
        ["main:games/raid.yaml", "games/raid.yaml"],
        ["main:games/raid.yaml"],
        ["HEAD:./games/raid.yaml"],
    ],
)
def test_ways_to_say_what_is_meant(
    repository: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    code, out, err = found(capsys, *arguments)
    assert (code, err) == (1, "")
    assert "goal: value 5 → 7" in out and "2 changes" in out


def test_two_revisions_and_a_file_that_is_gone(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git("commit", "--all", "--quiet", "--message", "second")
    git("rm", "--quiet", "-r", "games")
    code, out, _ = found(capsys, "v1", "main", "games/raid.yaml")
    assert code == 1 and "goal: value 5 → 7" in out


def test_below_a_folder_names_are_those_of_the_folder(
    repository: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository / "games")
    assert found(capsys, "HEAD", "raid.yaml")[0] == 1
    code, _, err = found(capsys, "HEAD:raid.yaml", "raid.yaml")
    assert code == 2 and "`raid.yaml` is no file of `HEAD`" in err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--", "--output=x", "games/raid.yaml"], "`--output=x` is no name of a revision"),
        (["--", "-h", "games/raid.yaml"], "`-h` is no name of a revision"),
        (["--", "--output=x:games/raid.yaml"], "is no name of a revision"),
        (["a\x1b[2Jb", "games/raid.yaml"], "is no name of a revision"),
        (["v1..main", "games/raid.yaml"], "is not one revision"),
        (["v2", "games/raid.yaml"], "git knows no revision `v2`"),
        (["v1:games/gone.yaml", "games/raid.yaml"], "`games/gone.yaml` is no file of `v1`"),
        (["v1:games"], "`games` is no file of `v1`"),
        ([":games/raid.yaml"], "write it as REV:PATH"),
        (["gone.yaml"], "there is no file `gone.yaml`"),
        (["gone.yaml", "games/raid.yaml"], "there is no file `gone.yaml`"),
        (["games", "games/raid.yaml"], "`games` is a folder"),
        (["v2", "games/raid.yaml"], "revision `v2`, and there is no file of that name"),
        (["v1", "gone.yaml"], "there is no file `gone.yaml`"),
        (["v1", "v1"], "`v1` is a revision, but of which file? Write `v1 FILE` or `v1:PATH`"),
        (["games/raid.yaml", "v1"], "`v1` is a revision, but of which file?"),
        (["v1"], "`v1` is a revision, but of which file?"),
        (["v1", "odd.yaml"], "`odd.yaml` is no file of `v1`; if it had another name there"),
        (["a", "b", "c", "d"], "write OLD and NEW"),
        ([], "Missing argument"),
    ],
)
def test_what_cannot_be_told_is_said_in_one_message(
    repository: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    (repository / "odd.yaml").write_text(GAME, encoding="utf-8")
    code, out, err = found(capsys, *arguments)
    assert (code, out) == (2, "") and says in err
    assert not (repository / "x").exists()


def test_without_git_and_without_a_repository(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    (tmp_path / "raid.yaml").write_text(GAME, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    code, _, err = found(capsys, "raid.yaml")
    assert code == 2 and "is in no git repository" in err
    monkeypatch.setenv("PATH", str(tmp_path))
    code, _, err = found(capsys, "raid.yaml")
    assert code == 2 and "there is no git here" in err


def test_broken_files_are_shown_at_their_places(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module = repository / "games" / "parts" / "gains.yaml"
    right = module.read_text(encoding="utf-8")
    module.write_text(right.replace("c.value * c.worth", "c.value * * c"), encoding="utf-8")
    code, out, err = found(capsys, "games/raid.yaml")
    assert (code, out) == (2, "")
    assert "--> games/parts/gains.yaml:3" in err
    assert "games/raid.yaml has errors, so what is different in the game cannot be told" in err
    git("commit", "--all", "--quiet", "--message", "broken")
    module.write_text(right, encoding="utf-8")
    code, out, err = found(capsys, "games/raid.yaml")
    assert (code, out) == (2, "") and "--> HEAD:games/parts/gains.yaml:3" in err


def test_modules_outside_the_folder_are_not_asked_for(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = repository / "games" / "raid.yaml"
    text = game.read_text(encoding="utf-8").replace("parts/gains.yaml", "../../secret.yaml")
    (repository / "odd.yaml").write_text(text, encoding="utf-8")
    git("add", ".")
    git("commit", "--quiet", "--message", "odd")
    code, _, err = found(capsys, "HEAD:odd.yaml", "games/raid.yaml")
    assert code == 2 and "RR0148" in err and "HEAD:./odd.yaml" in err


def test_as_data_and_as_a_comment(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = found(capsys, "games/raid.yaml", "--format", "json")
    data = json.loads(out)
    assert code == 1 and not data["same"] and not data["records_known"]
    first = data["changes"][0]
    assert (first["thing"], first["name"], first["change"]) == ("constant", "goal", "changed")
    assert first["details"] == [{"what": "value", "old": "5", "new": "7", "lines": []}]
    assert first["old"] == {"file": "HEAD:games/raid.yaml", "line": 7}
    assert first["new"] == {"file": "games/raid.yaml", "line": 7}
    _, out, _ = found(capsys, "games/raid.yaml", "--format", "md")
    assert out.startswith("### raid: 2 changes in the game\n")
    assert "- `goal`: value `5` → `7`\n" in out
    steps = "  - c.value + c.worth + gems - goal\n  + c.value * c.worth + gems - goal\n"
    assert f"  ```diff\n{steps}  ```\n" in out


def test_markdown_of_hostile_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = tmp_path / "a.yaml", tmp_path / "b.yaml"
    old.write_text(GAME, encoding="utf-8")
    title = 'title: "<img src=x> @all `|` [a](b)"'
    text = GAME.replace("game: raid", f"game: raid\n{title}")
    new.write_text(
        text.replace("scoring:", 'always:\n  "```\\n# <b>": true\nscoring:'), encoding="utf-8"
    )
    code, out, _ = found(capsys, str(old), str(new), "--format", "md")
    assert code == 1
    assert out.startswith(r"### \<img src=x\> \@all \`\|\` \[a\](b): 1 change")
    assert "\n# <b>" not in out


def test_titles_and_names_of_files_stay_on_their_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = tmp_path / "a.yaml", tmp_path / "b\nc.yaml"
    old.write_text(GAME, encoding="utf-8")
    title = 'game: raid\ntitle: "one\\n\\n# two"'
    new.write_text(GAME.replace("game: raid", title), encoding="utf-8")
    assert found(capsys, str(old), str(new))[1].startswith("one # two: the same game\n")
    _, out, _ = found(capsys, str(old), str(new), "--format", "md")
    assert out.startswith("### one \\# two: the same game\n") and "b␊c.yaml`\n" in out


def test_settings_that_one_side_has_are_set_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = tmp_path / "a.yaml", tmp_path / "b.yaml"
    old.write_text(GAME, encoding="utf-8")
    options = "options:\n  more: {type: 0..9, default: 0}\n"
    text = GAME.replace("options:\n", options).replace("+ gems", "+ gems + more")
    new.write_text(text + "variants:\n  rich: {more: 9}\n", encoding="utf-8")
    play = (str(old), str(new), "--simulate", "10", "--seat", "all=first")
    for setting in (["--set", "more=9"], ["--variant", "rich"]):
        code, out, err = found(capsys, *play, *setting, "--set", "gems=1")
        assert (code, err) == (1, "") and "Score" in out, setting
    code, _, err = found(capsys, *play, "--set", "less=1")
    assert code == 2 and "there is no option `less`" in err


def test_what_it_does_is_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = tmp_path / "a.yaml", tmp_path / "b.yaml"
    old.write_text(GAME, encoding="utf-8")
    new.write_text(GAME.replace("worth: 3", "worth: 9"), encoding="utf-8")
    code, out, _ = found(capsys, str(old), str(new), "--simulate", "20", "--seat", "all=first")
    assert code == 1 and "wolf: worth 3 → 9" in out
    assert "A and B, 20 pairs of games, seed 0\n" in out and "What can be told" in out
    code, out, err = found(capsys, str(old), str(new), "--simulate", "20", "--format", "json")
    data = json.loads(out)
    assert code == 1 and data["simulation"]["pairs"]["played"] == 20
    code, out, err = found(capsys, str(old), str(old), "--simulate", "20")
    assert code == 0 and "is not played against itself" in err
    new.write_text(GAME.replace("worth: 3", "worth: 12"), encoding="utf-8")
    code, out, err = found(capsys, str(old), str(new), "--simulate", "20")
    assert (code, out) == (2, "") and "b.yaml:15" in err
