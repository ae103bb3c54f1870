"""`rulerun set`: one value changes, and nothing else."""

from __future__ import annotations

import random
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.yaml_pages import pages

from rulerun.cli import main
from rulerun_dsl.diagnostics.fixes import Edit, Fix
from rulerun_dsl.edit.applying import Overlap, applied, compatible
from rulerun_dsl.edit.paths import NoPlace, find
from rulerun_dsl.edit.setting import CannotSet, setting
from rulerun_dsl.edit.shape import shape_of, with_value
from rulerun_dsl.source.regular_files import read_regular
from rulerun_dsl.source.resources import shipped
from rulerun_dsl.source.spans import Source
from rulerun_dsl.yaml.comments import comments
from rulerun_dsl.yaml.document import load_document
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar


def document(text: str) -> Mapping:
    found, _ = load_document(Source("t.yaml", text))
    assert found is not None, text
    return found


def put(text: str, path: str, value: str) -> str:
    root = document(text)
    return applied(root.span.source, [setting(root, find(root, path), value)])


@pytest.mark.parametrize(
    ("text", "path", "value", "after"),
    [
        ("a: {b: 1, c: 2}  # x\n", "a.b", "3", "a: {b: 3, c: 2}  # x\n"),
        ("a:\r\n  - 1\r\n  - 2 # two\r\n", "a.2", "3", "a:\r\n  - 1\r\n  - 3 # two\r\n"),
        ("a: [x, y]\n", "a.1", "z", "a: [z, y]\n"),
        ("a: [x, y]\n", "a", "[z]", "a: [z]\n"),
        ("a: x\n", "a", "{b: 1}", "a: {b: 1}\n"),
        # A text stays a text: with quotes where it needs them, and with those that it had.
        ("a: x\n", "a", "b: c", 'a: "b: c"\n'),
        ("a: x\n", "a", "b # c", 'a: "b # c"\n'),
        ("a: {b: x}\n", "a.b", "y, z", 'a: {b: "y, z"}\n'),
        ("a: x\n", "a", "[win|wins] <p>", 'a: "[win|wins] <p>"\n'),
        ('a: "x"\n', "a", "[y]", 'a: "[y]"\n'),
        ("a: 'x'\n", "a", "it's", "a: 'it''s'\n"),
        ("a: x\n", "a", "", 'a: ""\n'),
        ("a: x\n", "a", "two\nlines", 'a: "two\\nlines"\n'),
        ("a: |\n  x\n  y\nb: 1\n", "a", "z\nw\n", "a: |\n  z\n  w\nb: 1\n"),
        ("a:\nb: 1\n", "a", "x", "a: x\nb: 1\n"),
        ("a: {b: , c: 1}\n", "a.b", "x", "a: {b: x, c: 1}\n"),
        # Keys with dots, and items by their id.
        ("a:\n  1..3: x\n  1: {.3: y}\n", "a.1..3", "z", "a:\n  1..3: z\n  1: {.3: y}\n"),
        ("s:\n  - id: S.1\n    n: 1\n", "s.S.1.n", "2", "s:\n  - id: S.1\n    n: 2\n"),
        ("f(x p): 1\n", "f(x p)", "2", "f(x p): 2\n"),
    ],
)
def test_a_value_is_set(text, path, value, after):
    assert put(text, path, value) == after


@pytest.mark.parametrize(
    ("text", "path", "said"),
    [
        ("a: {b: 1}\n", "a.c", "in `a` there is no `c`; there is `b`"),
        ("abc: {default: 1}\n", "abd.default", "there is no `abd`: did you mean `abc.default`?"),
        ("abc: {default: 1}\n", "abc.defalt", "did you mean `abc.default`?"),
        ("o: {abc: {default: 1}}\n", "abc.default", "did you mean `o.abc.default`?"),
        ("a: [1, 2]\n", "a.3", "in `a` there is no `3`; there are positions 1 to 2"),
        ("a: [1, 2]\n", "a.0", "there are positions 1 to 2"),
        ("a: 1\n", "a.b", "`a` is `1`: there is no `b` in a single value"),
        ("a: 1\n", "", "a path names keys"),
    ],
)
def test_a_path_to_nowhere_says_what_is_there(text, path, said):
    with pytest.raises(NoPlace) as found:
        find(document(text), path)
    assert said in str(found.value)


@pytest.mark.parametrize(
    ("text", "path", "said"),
    [
        ("a:\n  b: 1\n", "a", "`a` is a block of keys: set one value in it, such as `a.b`"),
        ("a:\n  - b\n", "a", "a block of a list: set one value in it, such as `a.1`"),
        ("a: &x 1\nb: *x\n", "b", "`b` is an alias"),
        ("a: &x 1\nb: *x\n", "a", "`a` cannot be `2` where it stands"),
    ],
)
def test_what_cannot_be_set(text, path, said):
    root = document(text)
    with pytest.raises(CannotSet) as found:
        setting(root, find(root, path), "2")
    assert said in str(found.value)


def places(node: Node, steps: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    if isinstance(node, Scalar):
        return [steps]
    found = []
    if isinstance(node, Mapping):
        for each in node.entries:
            found += places(each.value, (*steps, each.key.text))
    else:
        for place, item in enumerate(node.items):
            found += places(item, (*steps, place))
    return found


VALUES = ["7", "x", "a: b", "it's", "[a|b] c", "", "née, ✓", "- x", 'say "no"', "a\\b", "x #y", "~"]
SHIPPED = [
    (shipped("rulesets") / name).read_text(encoding="utf-8")
    for name in ("brave_rats.yaml", "classics/yacht.test.yaml", "texts/brave_rats.fr.yaml")
]


def changes_one(text: str, seed: int) -> None:
    draw = random.Random(seed)
    root = document(text)
    steps = draw.choice(places(root))
    path = ".".join(str(each + 1) if isinstance(each, int) else each for each in steps)
    place = find(root, path)
    if place.steps != steps:
        return  # Of two keys that fit, one has a dot.
    value = draw.choice(VALUES)
    edit = setting(root, place, value)
    after = applied(root.span.source, [edit])
    start, end = edit.span.start, edit.span.end
    assert after[:start] == text[:start] and after[start + len(edit.text) :] == text[end:]
    now = document(after)
    assert shape_of(now) == with_value(shape_of(root), steps, ("text", value))
    old, new = comments(root.span.source), comments(now.span.source)
    assert [each.text for each in old] == [each.text for each in new]


@settings(deadline=None, max_examples=60)
@given(pages(), st.integers(0, 10**6))
def test_of_any_page_one_value_changes(drawn, seed):
    changes_one(drawn[1], seed)


@settings(deadline=None, max_examples=15)
@given(st.sampled_from(SHIPPED), st.integers(0, 10**6))
def test_of_a_shipped_file_one_value_changes(text, seed):
    changes_one(text, seed)


# -------------------------------------------------------------------------------------- edits


def test_edits_that_overlap_are_refused():
    source = Source("t", "abcdef")

    def edit(start: int, end: int, text: str) -> Edit:
        return Edit(source.span(start, end), text)

    assert applied(source, [edit(3, 5, "X"), edit(0, 1, ""), edit(3, 3, "-")]) == "bc-Xf"
    assert applied(source, [edit(0, 1, "x"), edit(0, 1, "x")]) == "xbcdef"
    for clash in ([edit(0, 3, ""), edit(2, 4, "")], [edit(1, 1, "a"), edit(1, 1, "b")]):
        with pytest.raises(Overlap):
            applied(source, clash)
    first = Fix("one", (edit(0, 3, "x"), edit(5, 6, "y")), True)
    second = Fix("two", (edit(4, 6, "z"),), True)
    third = Fix("three", (edit(3, 4, "w"),), True)
    assert compatible([first, second, third], source) == [first, third]


# ---------------------------------------------------------------------------------- the command

RULES = """rulerun: 1
game: lucky
players: 2
options:
  goal: {type: 1..9, default: 4}  # to win
state:
  visible: all
  die: 1..6
  score[player]: 0..99
phases:
  play:
    turns: you in players
    until: any(score[p] >= goal for p in players)
    do:
      - roll die
      - score += 1 if die == 6
scoring:
  winner: highest score
"""


@pytest.fixture
def lucky(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("lucky.yaml")
    path.write_text(RULES)
    return path


def test_a_line_is_changed_and_shown(lucky, capsys):
    lucky.write_bytes(b"\xef\xbb\xbf" + RULES.replace("\n", "\r\n").encode())
    lucky.chmod(0o600)
    assert main(["set", "lucky.yaml", "options.goal.default", "5"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown == [
        "- goal: {type: 1..9, default: 4}  # to win",
        "+ goal: {type: 1..9, default: 5}  # to win",
    ]
    wanted = RULES.replace("default: 4", "default: 5").replace("\n", "\r\n").encode()
    assert lucky.read_bytes() == b"\xef\xbb\xbf" + wanted
    assert stat.S_IMODE(lucky.stat().st_mode) == 0o600
    assert main(["set", "lucky.yaml", "options.goal.default", "5"]) == 0
    assert "is that already" in capsys.readouterr().err


def test_a_value_that_is_wrong_is_not_written(lucky, capsys):
    assert main(["set", "lucky.yaml", "options.goal.default", "-1"]) == 1
    said = capsys.readouterr().err
    assert "RR0503" in said and "nothing is written: with this value there is 1 error" in said
    assert lucky.read_text() == RULES
    assert main(["set", "--force", "lucky.yaml", "options.goal.default", "-1"]) == 0
    assert "default: -1" in lucky.read_text()


def test_a_difference_writes_nothing(lucky, capsys):
    assert main(["set", "--diff", "lucky.yaml", "options.goal.default", "5"]) == 0
    assert "+  goal: {type: 1..9, default: 5}  # to win\n" in capsys.readouterr().out
    assert lucky.read_text() == RULES


def test_what_cannot_be_done_says_why(lucky, capsys, monkeypatch):
    for arguments, said in (
        (["lucky.yaml", "goal.default", "5"], "did you mean `options.goal.default`?"),
        (["lucky.yaml", "options", "5"], "is a block of keys"),
        (["lucki.yaml", "options.goal.default", "5"], "there is no file `lucki.yaml`"),
        (["ruse.yaml", "title", "x"], "is not changed by its name"),
        ([".", "title", "x"], "`.` is a folder"),
    ):
        assert main(["set", *arguments]) == 2
        assert said in capsys.readouterr().err
    lucky.write_text("a: [1\n")
    assert main(["set", "lucky.yaml", "a", "5"]) == 1
    assert "RR0126" in capsys.readouterr().err


def test_what_somebody_else_has_saved_stays(lucky, capsys, monkeypatch):
    from rulerun.host import rewriting

    read = read_regular
    theirs = RULES + "# mine\n"

    def saved_meanwhile(name):
        content = read(name)
        lucky.write_text(theirs)
        return content

    monkeypatch.setattr(rewriting, "read_regular", saved_meanwhile)
    assert main(["set", "lucky.yaml", "options.goal.default", "5"]) == 2
    assert "it was changed meanwhile" in capsys.readouterr().err
    assert lucky.read_text() == theirs and [each.name for each in Path().iterdir()] == [lucky.name]


def test_what_may_not_be_written_stays(lucky, capsys, monkeypatch):
    monkeypatch.setattr("os.access", lambda *_: False)
    assert main(["set", "lucky.yaml", "options.goal.default", "5"]) == 2
    assert "is left as it was: it may not be written" in capsys.readouterr().err
    assert lucky.read_text() == RULES


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        ("options.goal.default", "x", "RR0402"),
        ("options.goal.type", "9..1", "RR0503"),
        ("state.score[player]", "int", "RR0507"),
        ("state.score[player]", "", "RR0301"),
        ("players", "-3", "RR0214"),
        ("players", "[a, b", "RR0401"),
        ("state.die", "\x1b[31m", "RR0304"),
    ],
)
def test_values_of_another_kind_or_out_of_range_are_refused(lucky, capsys, path, value, code):
    assert main(["set", "lucky.yaml", path, value]) == 1
    assert f"error[{code}]" in capsys.readouterr().err
    assert lucky.read_text() == RULES


def test_a_module_is_checked_through_its_rules(lucky, capsys):
    lucky.write_text(RULES + "files: [more.yaml]\n")
    module = Path("more.yaml")
    module.write_text("module: more\nfunctions:\n  twice(1..6 n): n * 2\n")
    assert main(["set", "more.yaml", "functions.twice(1..6 n)", "m * 2"]) == 1
    said = capsys.readouterr().err
    # That nothing calls it was so before, and keeps nobody from going on.
    assert "there is no name `m`" in said and "RR0702" not in said
    assert main(["set", "more.yaml", "functions.twice(1..6 n)", "n * 3"]) == 0
    assert "n * 3" in module.read_text()
