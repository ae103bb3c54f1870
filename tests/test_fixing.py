"""`rulerun fix`: what findings know the fix of is mended, and nothing gets worse."""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from random import Random

import pytest
from tests.fuzzing import spoiled

from rulerun.cli import main
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, problem
from rulerun_dsl.diagnostics.fixes import rewrite, take_out_lines
from rulerun_dsl.edit.applying import applied
from rulerun_dsl.edit.mending import MOST_LOOKS, Mended, mended
from rulerun_dsl.load import load
from rulerun_dsl.source.spans import Source

RIGHT = """rulerun: 1
game: lucky
players: 2..4
state:
  visible: all
  score[player]: 0..99
  die: 1..6
phases:
  play:
    turns: you in players
    until: any(score[p] >= 20 for p in players)
    do:
      - roll die
      - score += die if die == 6  # the best
      - score += 1 if not (die == 5) and die != 4
scoring:
  winner: highest score
"""
WRONG = (
    RIGHT.replace("(score[p] >=", "(scores[p] >=")
    .replace("die == 6", "die = 6")
    .replace("not (die == 5) and die != 4", "!(die == 5) && die <> 4")
    .replace("winner:", "winer:")
)


def found_in(text: str) -> list[Diagnostic]:
    loaded, found = load(text.encode(), "t.yaml")
    return found if loaded is None else [*found, *loaded.game()[1]]


def mend(text: str, *, unsafe: bool = False) -> Mended:
    return mended(Source("t.yaml", text), found_in, unsafe=unsafe)


def test_all_that_is_safe_is_mended_in_a_few_looks():
    looks = []

    def look(text: str) -> Sequence[Diagnostic]:
        looks.append(text)
        return found_in(text)

    got = mended(Source("t.yaml", WRONG), look, unsafe=False)
    assert got.text == RIGHT and not got.left
    assert len(got.steps) == 6 and len(looks) <= 6
    again = mend(RIGHT)
    assert again.text == RIGHT and not again.steps


def test_a_section_among_the_procedures_goes_to_the_left_and_takes_nothing_along():
    right = RIGHT.replace(
        "scoring:",
        "procedures:\n  begin(): score[p] = 1 for p in players\nsetup:\n  - begin()\nscoring:",
    )
    text = right.replace("setup:\n  - begin()", "  setup:\n    - begin()")
    assert [each.code for each in mend(text).left] == ["RR0702"] and not mend(text).steps
    assert mend(text, unsafe=True).text == right


def test_what_only_a_guess_has_made_unused_is_not_taken_out():
    text = RIGHT + "functions:\n  best: max(score[p] for p in players)\n"
    text += "  total:\n    points: best\n"
    got = mend(text, unsafe=True)
    assert got.text == text.replace("points:", "value:")
    assert [(each.code, each.message) for each in got.left] == [
        ("RR0702", "the function `total` is called by nothing")
    ]


def test_what_is_unsafe_is_asked_for():
    text = RIGHT.replace("  die: 1..6\n", "  die: 1..6\n  spare: 0..3  # gone\n")
    assert mend(text).text == text
    assert [each.code for each in mend(text).left] == ["RR0702"]
    assert mend(text, unsafe=True).text == RIGHT


# --------------------------------------------------------------------------- nothing gets worse

Finder = Callable[[Source], list[Diagnostic]]


def by(*finders: Finder) -> Callable[[str], list[Diagnostic]]:
    """A look that finds what these find."""

    def look(text: str) -> list[Diagnostic]:
        source = Source("t.yaml", text)
        return [found for each in finders for found in each(source)]

    return look


def wherever(word: str, instead: str, code: str = "RR0402", safe: bool = True) -> Finder:
    """Finds a word, and would write another one."""

    def finder(source: Source) -> list[Diagnostic]:
        place = source.text.find(word)
        if place < 0:
            return []
        span = source.span(place, place + len(word))
        return [problem(code, f"there is `{word}`", span, fixes=rewrite(span, instead, safe=safe))]

    return finder


def test_a_fix_that_only_moves_the_mistake_is_refused():
    look = by(wherever("aa", "bb"), wherever("bb", "cc", "RR0501"), wherever("x", "y"))
    got = mended(Source("t.yaml", "k: aa\nl: x\n"), look, unsafe=False)
    assert got.text == "k: aa\nl: y\n" and len(got.steps) == 1


def test_two_fixes_that_undo_each_other_end():
    looks = []
    inner = by(wherever("aa", "bb"), wherever("bb", "aa"), wherever("c", "caa"))

    def look(text: str) -> list[Diagnostic]:
        looks.append(text)
        return inner(text)

    mended(Source("t.yaml", "k: aa\nl: c\n"), look, unsafe=False)
    assert len(looks) <= MOST_LOOKS


def test_one_wrong_fix_keeps_no_right_one_from_going_in():
    words = [wherever(f"wrong{each}", "right") for each in "abcdefg"]
    look = by(*words, wherever("bad", "worse"), wherever("worse", "bad", "RR0201"))
    text = "".join(f"{each}: wrong{each}\n" for each in "abcdefg")
    got = mended(Source("t.yaml", text + "z: bad\n"), look, unsafe=False)
    assert got.text == re.sub("wrong.", "right", text) + "z: bad\n"
    assert [each.message for each in got.left] == ["there is `bad`"]


@pytest.mark.parametrize(
    ("before", "written"),
    [
        ("a: x\n", "y # more"),
        ("a: x  # b\n", "'"),
        ("a: x\n  # b\nc: d\n", "|"),
        ("a: x\n# b\n", "y\n# c"),
    ],
)
def test_a_fix_that_changes_comments_is_refused(before, written):
    look = by(wherever("x", written))
    assert mended(Source("t.yaml", before), look, unsafe=False).text == before


def test_fixes_of_another_file_are_left():
    other = Source("other.yaml", "a: x\n")

    def look(text: str) -> list[Diagnostic]:
        span = other.span(3, 4)
        return [problem("RR0402", "there is `x`", span, fixes=rewrite(span, "y", safe=True))]

    assert mended(Source("t.yaml", "a: x\n"), look, unsafe=False).text == "a: x\n"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("a:\n  b: 1\n  c: 2\n", "a:\n  c: 2\n"),
        ("a:\n  b:\n    d: 1\n\n    # e\n    f: 2\n\n  c: 2\n", "a:\n\n  c: 2\n"),
        # What would hold nothing goes as well, and what holds that.
        ("a:\n  # of b\n  b: 1\nc: 2\n", "c: 2\n"),
        ("a:\n  x:\n    b: 1\nc: 2\n", "c: 2\n"),
        ("a:\n  x:\n    b: 1\n  c: 2\n", "a:\n  c: 2\n"),
        ("a: 1\nb: 2", "a: 1\n"),
        ("a: {b: 1}\n", None),
        ("a:\n  - b: 1\n", None),
    ],
)
def test_a_key_goes_with_what_is_under_it(text, after):
    source = Source("t.yaml", text)
    place = text.index("b:")
    fixes = take_out_lines(source.span(place, place + 1), "`b`")
    assert (applied(source, fixes[0].edits) if fixes else None) == after


# ------------------------------------------------------------------------------------- slips

BAZAAR = (Path(__file__).parent / "cases" / "bazaar.yaml").read_text(encoding="utf-8")
OTHER_SIGNS = {
    " == ": [" = ", " === "], " and ": [" && ", " & "], " or ": [" || "], " not ": [" !"],
    " >= ": [" => ", " ≥ "], ": ": [":", " : ", " = ", " "], "..": ["...", "-", "…", " to "],
    "- ": ["", "-", "* "], " is ": [" == "],
}  # fmt: skip


def with_a_slip(text: str, draw: Random) -> str:
    """A text with one slip of the fingers, or of another language."""
    words = [each.span() for each in re.finditer(r"\w{4,}", text)]
    signs = r" (?:==|and|or|not|>=|is) |: |\.\.|- |\n +|[\[\](){},\"]"
    start, end = draw.choice(words)
    place = draw.randrange(start, end - 1)
    match draw.randrange(9):
        case 0:
            return text[:place] + text[place + 1] + text[place] + text[place + 2 :]
        case 1:
            return text[:place] + text[place + 1 :]
        case 2:
            return text[:place] + draw.choice("abcdefgh") + text[place:]
        case 3:
            return text[:place] + draw.choice("abcdefgh") + text[place + 1 :]
        case 4:
            return text[:start] + text[start:end].capitalize() + text[end:]
    found = draw.choice([*re.finditer(signs, text)])
    if found[0].startswith("\n"):
        instead = draw.choice(["\n\t", found[0][:-2], found[0] + "  "])
    else:
        instead = draw.choice(OTHER_SIGNS.get(found[0], [""]))
    return text[: found.start()] + instead + text[found.end() :]


@cache
def as_meant() -> str:
    """The fingerprint of the rules without a slip."""
    right, _ = load(BAZAAR.encode())
    assert right is not None
    return right.fingerprint


def mends_to_the_same(seed: int) -> str:
    """What comes of the safe fixes of a slip: they never make other rules of it."""
    text = with_a_slip(BAZAAR, Random(seed))
    if not found_in(text):
        return "right"
    got = mend(text)
    if not got.steps:
        return "none"
    assert not mend(got.text).steps
    assert not got.left, got.steps
    again, _ = load(got.text.encode())
    assert again is not None and again.fingerprint == as_meant(), got.steps
    return "same"


def test_a_slip_is_mended_to_the_rules_that_were_meant():
    kinds = Counter(map(mends_to_the_same, range(40)))
    assert kinds == {"same": 19, "none": 19, "right": 2}


@pytest.mark.slow
def test_many_slips_are_mended_to_the_rules_that_were_meant():
    kinds = Counter(map(mends_to_the_same, range(40, 1000)))
    assert kinds["same"] > kinds["none"] / 2


def test_every_fix_of_a_spoiled_text_can_be_put_in():
    for seed in range(60):
        text = spoiled(BAZAAR, Random(seed), ["zones:", "!x", "'", "a = b", "{a: [b"])
        for finding in found_in(text):
            for fix in finding.fixes:
                assert fix.edits and fix.title
                applied(fix.edits[0].span.source, fix.edits)
        mend(text, unsafe=True)


# ---------------------------------------------------------------------------------- the command


@pytest.fixture
def lucky(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("lucky.yaml")
    path.write_text(WRONG)
    return path


def test_files_are_mended_in_place(lucky, capsys):
    lucky.write_bytes(b"\xef\xbb\xbf" + WRONG.replace("\n", "\r\n").encode())
    lucky.chmod(0o600)
    assert main(["fix", "lucky.yaml"]) == 0
    said = capsys.readouterr()
    assert "-  winer: highest score\n+  winner: highest score\n" in said.out
    assert "lucky.yaml:14: RR0314: write `==`\n" in said.err
    assert said.err.endswith("lucky.yaml: 6 mended; no problems left that reading finds\n")
    assert lucky.read_bytes() == b"\xef\xbb\xbf" + RIGHT.replace("\n", "\r\n").encode()
    assert stat.S_IMODE(lucky.stat().st_mode) == 0o600
    assert main(["fix", "lucky.yaml"]) == 0
    assert capsys.readouterr().err == "nothing that is safe to mend in 1 file\n"


def test_check_and_diff_write_nothing(lucky, capsys):
    assert main(["fix", "--check", "lucky.yaml"]) == 1
    said = capsys.readouterr()
    assert said.out == "" and "6 would be mended; no problems left that reading finds" in said.err
    assert main(["fix", "--diff", "lucky.yaml"]) == 1
    assert "+  winner: highest score\n" in capsys.readouterr().out
    assert lucky.read_text() == WRONG
    lucky.write_text(RIGHT)
    assert main(["fix", "--check", "lucky.yaml"]) == main(["fix", "--diff", "lucky.yaml"]) == 0


def test_what_is_left_is_said(lucky, capsys):
    lucky.write_text(WRONG.replace("  die: 1..6\n", "  die: 1..6\n  spare: 0..3\n"))
    assert main(["fix", "lucky.yaml"]) == 1
    said = capsys.readouterr().err
    assert "lucky.yaml: 6 mended; 1 error left, 1 of them to mend by --unsafe" in said
    assert main(["fix", "--unsafe", "lucky.yaml"]) == 0
    assert lucky.read_text() == RIGHT


def test_what_only_brings_more_to_light_is_mended_as_validate_says(lucky, capsys):
    """Without a number of players no name is looked up."""
    lucky.write_text(RIGHT.replace("2..4", "2-4").replace("+= die ", "+= dice_of(die) "))
    assert main(["validate", str(lucky)]) == 1
    assert "`rulerun fix` mends 1" in capsys.readouterr().err
    assert main(["fix", str(lucky)]) == 1
    assert "players: 2..4" in lucky.read_text()
    assert "1 mended; 1 error left\n" in capsys.readouterr().err


def test_nothing_is_promised_that_is_then_refused(lucky, capsys, monkeypatch):
    """A safe fix that leaves the file no better, and a guess that does."""
    text = RIGHT.replace("not (die == 5)", "lucky_one(die)").replace("- roll die", "- roll bone")
    lucky.write_text(text.replace("  die: 1..6", "  bones: 1..6"))
    main(["validate", str(lucky)])
    promised = re.search(r"`rulerun fix` mends (\d+)", capsys.readouterr().err)
    main(["fix", str(lucky)])
    done = re.search(r"(\d+) mended", capsys.readouterr().err)
    assert (promised and promised[1]) == (done and done[1])


def test_a_module_and_scenarios_are_mended_where_they_stand(lucky, capsys):
    lucky.write_text(WRONG + "files: [more.yaml]\n")
    module = Path("more.yaml")
    module.write_text("module: more\nfunctions:\n  twice(1..6 n): n * 2 if n = 3 else 0\n")
    tests = Path("lucky.test.yaml")
    tests.write_text("scenarios:\n  - id: L\n    titel: T\n    do:\n      - chance: 6\n")
    assert main(["fix", "lucky.yaml", "more.yaml", "lucky.test.yaml"]) == 1
    said = capsys.readouterr().err
    assert lucky.read_text() == RIGHT + "files: [more.yaml]\n"
    assert "if n == 3" in module.read_text() and "title: T" in tests.read_text()
    # That nothing calls the function is left.
    assert "1 error left" in said


def test_the_file_before_counts_as_mended_in_a_difference(lucky, capsys):
    rules = RIGHT.replace("score[player]: 0..99", "score[player]: 0..99\n  die2: 1..6")
    lucky.write_text(rules.replace("highest score", "highest scores") + "files: [more.yaml]\n")
    Path("more.yaml").write_text(
        "module: more\nphases:\n  more:\n    do:\n      - roll die2\n"
        "      - score[p] += 1 for p in players if die2 = 3\n"
    )
    assert main(["fix", "--diff", "lucky.yaml", "more.yaml"]) == 1
    assert capsys.readouterr().err.endswith(
        "more.yaml: 1 would be mended; no problems left that reading finds\n"
    )


def test_a_module_is_mended_however_its_path_is_written(lucky, capsys, monkeypatch):
    Path("sub/deep").mkdir(parents=True)
    lucky.write_text(RIGHT + "files: [sub/more.yaml]\n")
    module = Path("sub/more.yaml").resolve()
    for name in ("sub/deep/../more.yaml", str(module), "sub/more.yaml"):
        module.write_text("module: more\nfunctions:\n  twice(1..6 n): n * 2 if n = 3 else 0\n")
        assert main(["fix", name]) == 1
        assert "if n == 3" in module.read_text()
        assert "1 error left, 1 of them to mend by --unsafe" in capsys.readouterr().err


def test_what_a_project_does_not_want_is_left(lucky, capsys):
    Path("rulerun.toml").write_text('[severity]\nRR0314 = "off"\n')
    assert main(["fix", "lucky.yaml"]) == 0
    assert "die = 6" in lucky.read_text()


def test_what_cannot_be_read_or_written_is_said(lucky, capsys, monkeypatch):
    assert main(["fix", "lucki.yaml"]) == 2
    assert "there is no file `lucki.yaml`" in capsys.readouterr().err
    assert main(["fix", "brave_rats"]) == main(["fmt", "brave_rats"]) == 2
    assert "is not changed by its name" in capsys.readouterr().err
    Path("bad.yaml").write_bytes(b"rulerun: 1\n\xff\n")
    assert main(["fix", "bad.yaml", "lucky.yaml"]) == 1
    assert "bad.yaml:2:1" in capsys.readouterr().err
    assert lucky.read_text() == RIGHT
    lucky.write_text(WRONG)
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert main(["fix", "lucky.yaml"]) == 2
    assert "is left as it was: it may not be written" in capsys.readouterr().err
    assert lucky.read_text() == WRONG
