"""`rulerun fmt`: the one layout, which says the same as before, and stays as it is."""

from __future__ import annotations

import random
import re
import stat
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.yaml_pages import page, pages

from rulerun.cli import main
from rulerun_dsl.diagnostics.diagnostic import has_errors
from rulerun_dsl.edit.laying_out import Unproved, laid_out
from rulerun_dsl.edit.shape import data_of
from rulerun_dsl.load import load
from rulerun_dsl.source.regular_files import read_regular
from rulerun_dsl.source.resources import shipped
from rulerun_dsl.source.spans import Source
from rulerun_dsl.yaml.comments import comments
from rulerun_dsl.yaml.document import load_document

RULESETS = shipped("rulesets")
HEAD = "rulerun: 1\ngame: g\nplayers: 2\n"


def fmt(text: str) -> str:
    return laid_out(Source("t.yaml", text))


def said(text: str) -> object:
    source = Source("t.yaml", text)
    document, _ = load_document(source)
    assert document is not None, text
    return data_of(document), [each.text for each in comments(source)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # Blocks stand two columns further in, lists under their keys as well.
        ("a:\n    b:\n        c: 1\n", "a:\n  b:\n    c: 1\n"),
        ("a:\n- b\n-   c: 1\n    d: 2\n", "a:\n  - b\n  - c: 1\n    d: 2\n"),
        ("a:\n  -\n     b: 1\n", "a:\n  -\n    b: 1\n"),
        ("a:\n - - 1\n   - 2\n", "a:\n  - - 1\n    - 2\n"),
        ("a:\n      text\n", "a:\n  text\n"),
        # Blanks.
        ("a :   1\n", "a: 1\n"),
        ("a: { b: [ 1,2 , 3 ],c: d }\n", "a: {b: [1, 2, 3], c: d}\n"),
        ("a: 1   \nb: 2  \n", "a: 1\nb: 2\n"),
        ("\n\na: 1\n\n\n\nb: 2\n\n\n", "a: 1\n\nb: 2\n"),
        ("a: 1", "a: 1\n"),
        ("a: {b: 1,\n       c: 2}\n", "a: {b: 1,\n       c: 2}\n"),
        # Columns that are aligned stay so, others do not.
        ("a:    1\nlong: 2\n", "a:    1\nlong: 2\n"),
        ("a:    1\nlong: {x:    2}\n", "a:    1\nlong: {x: 2}\n"),
        ("a:\n   b:   {c: 1,  d: 2}\n   bcd: {c: 10, d: 2}\n",
         "a:\n  b:   {c: 1,  d: 2}\n  bcd: {c: 10, d: 2}\n"),
        # Comments.
        ("a: 1 # b\n", "a: 1  # b\n"),
        ("a: 1        # b\nc: 22       # d\n", "a: 1        # b\nc: 22       # d\n"),
        ("a:   1  # b\n", "a: 1  # b\n"),
        ("a: {b: 1}# c\n", "a: {b: 1}  # c\n"),
        ("a:\n    # of b\n    b: 1\n    # the end of a\n# of c\nc: 2\n",
         "a:\n  # of b\n  b: 1\n  # the end of a\n# of c\nc: 2\n"),
        ("a:\n- b\n# of c\n- c\n", "a:\n  - b\n  # of c\n  - c\n"),
        # Quotes.
        ("a: 'b'\n", "a: b\n"),
        ("a: 'b: c'\n", 'a: "b: c"\n'),
        ("a: \"3\"\nb: 'yes'\nc: ''\n", 'a: "3"\nb: "yes"\nc: ""\n'),
        ("a: 'say \"no\"'\n", "a: say \"no\"\n"),
        ("a: ['b, c', \"d\"]\n", 'a: ["b, c", d]\n'),
        ('"a": b\n"x y": c\n', 'a: b\n"x y": c\n'),
        # Texts of several lines move with their block.
        ("a:\n    b: |\n        x\n          y \n\n    c: 1\n",
         "a:\n  b: |\n      x\n        y \n\n  c: 1\n"),
        ("a:\n    b: x\n      y\n", "a:\n  b: x\n    y\n"),
        ("a: |+\n  x\n\n\nb: 1\n", "a: |+\n  x\n\n\nb: 1\n"),
        # Line endings stay, also where they are mixed.
        ("a :  1\r\nb: 2\r\n", "a: 1\r\nb: 2\r\n"),
        ("a:  1\r\nb: 2\nc: 3", "a: 1\r\nb: 2\nc: 3\r\n"),
        # What would be read in another way stays: no break at the end of a text that has none.
        ("a: {x:  }\nb: {x: , y: 1}\n", "a: {x: }\nb: {x: , y: 1}\n"),
        ("a:  |\n  x", "a: |\n  x"),
        ("a: [':x',  '?x', 'x:']\n", 'a: [":x", "?x", "x:"]\n'),
        ('a: "x: y"# b\n', 'a: "x: y"  # b\n'),
        # Anchors and aliases stay.
        ("a:   &x  {b: 1}\nc:  *x\n", "a: &x {b: 1}\nc: *x\n"),
    ],
)  # fmt: skip
def test_the_layout(before, after):
    assert fmt(before) == after
    assert fmt(after) == after
    assert yaml.safe_load(before) == yaml.safe_load(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a=b+1", "a = b + 1"),
        ("a  =  f( b,c ) [ 1 ]", "a = f(b, c) [1]"),
        ("a = -1+ - b", "a = -1 + -b"),
        ("let -1..4 a = b", "let -1..4 a = b"),
        ("a += 1 if(b)and not(c)", "a += 1 if (b) and not (c)"),
        ("a = b if x<=3 else c//2", "a = b if x <= 3 else c // 2"),
        ("move 1 from x to y;gain( 1 .. 3 )", "move 1 from x to y; gain(1..3)"),
        # What no parser takes stays as it is.
        ("a=b+ = 1", "a=b+ = 1"),
        ("a=b ? 1", "a=b ? 1"),
    ],
)
def test_signs_in_rules_are_set_apart(before, after):
    def rules(line: str) -> str:
        return f"{HEAD}setup:\n  - {line}\n"

    assert fmt(rules(before)) == rules(after)


def test_sentences_and_other_files_keep_their_signs():
    text = f"{HEAD}setup:\n  - say: a=b  c+d\n"
    assert fmt(text) == text
    assert fmt("scenarios:\n  - id: a=b\n") == "scenarios:\n  - id: a=b\n"


def test_a_table_that_no_longer_fits_settles():
    text = 'a:\n  x:  {b: "1",  c: 2}\n  yy: {b: "abc", c: 2}\n  z:  {b:  \'q\',  c: 2}\n'
    once = fmt(text)
    assert fmt(once) == once and said(once) == said(text)


def test_the_shipped_files_are_laid_out(monkeypatch, capsys):
    monkeypatch.chdir(RULESETS.parent)
    small = ["rulesets/brave_rats.yaml", "rulesets/classics/hearts.yaml", "rulesets/texts"]
    assert main(["fmt", "--check", *small]) == 0, capsys.readouterr().err


@settings(deadline=None, max_examples=80)
@given(pages())
def test_any_page_says_the_same_and_stays(drawn):
    _, text = drawn
    before = said(text)
    once = fmt(text)
    assert said(once) == before
    assert fmt(once) == once
    assert ("\r\n" in once) == ("\r\n" in text)
    assert not re.search(r"[ \t]+(\r?\n|\Z)", once) and not re.search(r"(\r?\n){3}", once)
    # Another reader takes the same out of both.
    assert yaml.load(once, yaml.BaseLoader) == yaml.load(text, yaml.BaseLoader)


PIECES = ["# c", "  # c ", "\n# c\n", "\n", "\n\n\n", " ", "\t", "&x ", "!!str ", "*x", '"q"', "é"]
PIECES += ["|\n      x\n", ">-\n      x\n\n      y\n", "\r\n", ", ", "[1, 2]", "{b: 1}", ": ", "- "]
PIECES += ['""', "?"]


@settings(deadline=None, max_examples=150)
@given(pages(), st.integers(0, 10**9))
def test_any_page_with_something_put_in_says_the_same_or_is_left(drawn, seed):
    draw = random.Random(seed)
    lines = drawn[1].split("\n")
    for _ in range(draw.randint(1, 2)):
        place = draw.randrange(len(lines))
        ends = draw.random() < 0.6
        piece = draw.choice(PIECES)
        lines[place] = lines[place] + piece if ends else piece + lines[place]
    text = "\n".join(lines)
    document, findings = load_document(Source("t.yaml", text))
    if document is None or has_errors(findings):
        return
    try:
        once = fmt(text)
    except Unproved:
        return
    assert said(once) == said(text)
    assert fmt(once) == once


@pytest.mark.parametrize("text", ["? a\n: b\n", "a: {? b : c}\n"])
def test_a_key_with_a_question_mark_is_left(text):
    with pytest.raises(Unproved, match="begins with `\\?` in line 1"):
        fmt(text)


def test_pages_say_what_they_are_made_of():
    for seed in range(200):
        data, text = page(seed)
        assert yaml.load(text, yaml.BaseLoader) == data, text


FILES = ("brave_rats.yaml", "classics/hearts.yaml", "classics/yacht.test.yaml", "ruse/vixen.yaml")
_SOURCES = {name: (RULESETS / name).read_text(encoding="utf-8") for name in FILES}


def disturbed(text: str, seed: int) -> str:
    """The same text as another hand would have typed it."""
    draw = random.Random(seed)
    lines = text.split("\n")
    wide = draw.choice([1, 2, 3])
    found: list[str] = []
    for line in lines:
        blanks = len(line) - len(line.lstrip(" "))
        dashes = re.match(r"(?:- )*", line[blanks:])
        assert dashes is not None
        line = " " * (blanks * wide) + line[blanks:]
        for place in range(len(dashes[0]) // 2):
            at = blanks * wide + place * 2 * wide
            line = f"{line[:at]}-{' ' * (2 * wide - 1)}{line[at + 2 :]}"
        if draw.random() < 0.1 and '"' not in line and "#" not in line:
            line = re.sub(r"(?<=\w): (?=\w)", lambda found: ":" + " " * draw.randint(1, 4), line)
        if draw.random() < 0.05:
            line += " " * draw.randrange(4)
        if draw.random() < 0.05 and (not found or not found[-1].strip()):
            found.append("")
        found.append(line)
    return draw.choice(["\n", "\r\n"]).join(found)


@settings(deadline=None, max_examples=6)
@given(st.sampled_from(FILES), st.integers(0, 10**6))
def test_a_disturbed_file_says_the_same_and_stays(name, seed):
    text = disturbed(_SOURCES[name], seed)
    once = fmt(text)
    assert said(once) == said(text)
    assert fmt(once) == once


def test_rules_are_the_same_rules(tmp_path):
    """Blanks in rules are no change of rules: the fingerprint says so."""
    text = _SOURCES["brave_rats.yaml"]
    tight = re.sub(r" (==|\+|>=) (?=\w)", r"\1", text)
    assert tight != text
    one, _ = load(tight.encode())
    other, _ = load(fmt(tight).encode())
    assert one is not None and other is not None and one.fingerprint == other.fingerprint
    assert "first(p in players if won[p] >= target)" in fmt(tight)


def test_what_cannot_be_proved_is_not_given(monkeypatch):
    from rulerun_dsl.edit import laying_out as layout

    monkeypatch.setattr(layout, "plain_enough", lambda text, **where: True)
    with pytest.raises(Unproved, match=r"something else|not be read"):
        fmt('a: "b: c"\nd: "[x"\n')
    monkeypatch.undo()
    monkeypatch.setattr(layout._Page, "comment", lambda self, *_: None)
    with pytest.raises(Unproved, match="other comments"):
        fmt("# gone\na:  1\n")


# ---------------------------------------------------------------------------------- the command


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("rulesets").mkdir()
    return tmp_path


ROUGH = f"{HEAD}state:\n    a:  0..3\n"
SMOOTH = f"{HEAD}state:\n  a: 0..3\n"


def test_files_are_laid_out_in_place(folder, capsys):
    rough, smooth, other = Path("rulesets/a.yaml"), Path("rulesets/b.yaml"), Path("rulesets/c.yml")
    rough.write_bytes(b"\xef\xbb\xbf" + ROUGH.replace("\n", "\r\n").encode())
    smooth.write_text(SMOOTH)
    other.write_text("jobs:   {}\n")
    rough.chmod(0o640)
    before = smooth.stat().st_mtime_ns
    assert main(["fmt"]) == 0
    assert (
        "laid out: rulesets/a.yaml\n2 files: 1 laid out, 1 as they are" in capsys.readouterr().err
    )
    assert rough.read_bytes() == b"\xef\xbb\xbf" + SMOOTH.replace("\n", "\r\n").encode()
    assert stat.S_IMODE(rough.stat().st_mode) == 0o640
    assert smooth.stat().st_mtime_ns == before and other.read_text() == "jobs:   {}\n"
    assert sorted(each.name for each in Path("rulesets").iterdir()) == ["a.yaml", "b.yaml", "c.yml"]


def test_check_and_diff_write_nothing(folder, capsys):
    path = Path("a.yaml")
    path.write_text(ROUGH)
    assert main(["fmt", "--check", "a.yaml"]) == 1
    assert "would change: a.yaml" in capsys.readouterr().err
    assert main(["fmt", "--diff", "a.yaml"]) == 1
    assert "-    a:  0..3\n+  a: 0..3\n" in capsys.readouterr().out
    assert path.read_text() == ROUGH
    assert main(["fmt", "a.yaml"]) == 0
    assert main(["fmt", "--check", "a.yaml"]) == 0


def test_what_cannot_be_read_is_left_alone(folder, capsys):
    Path("a.yaml").write_text(f"{HEAD}state: [1\n")
    Path("b.yaml").write_text(ROUGH)
    assert main(["fmt", "a.yaml", "b.yaml"]) == 1
    said = capsys.readouterr().err
    assert "RR0126" in said and "2 files: 1 laid out, 1 left alone" in said
    assert Path("b.yaml").read_text() == SMOOTH
    assert main(["fmt", "nowhere.yaml"]) == 2
    assert main(["fmt", "rulesets"]) == 2


def test_what_may_not_be_written_is_left(folder, capsys, monkeypatch):
    path = Path("a.yaml")
    path.write_text(ROUGH)
    from rulerun.host import rewriting

    read = read_regular

    def saved_meanwhile(name):
        content = read(name)
        path.write_text(SMOOTH + "# mine\n")
        return content

    monkeypatch.setattr(rewriting, "read_regular", saved_meanwhile)
    assert main(["fmt", "a.yaml"]) == 2
    assert "it was changed meanwhile" in capsys.readouterr().err
    assert path.read_text() == SMOOTH + "# mine\n"
    assert list(folder.glob(".a*")) == []


def test_a_link_stays_a_link(folder):
    real = Path("real.yaml")
    real.write_text(ROUGH)
    link = Path("link.yaml")
    link.symlink_to(real)
    assert main(["fmt", "link.yaml"]) == 0
    assert link.is_symlink() and real.read_text() == SMOOTH


def test_standard_input(monkeypatch, capfdbinary):
    import io

    def given_(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    given_(ROUGH.replace("\n", "\r\n").encode())
    assert main(["fmt", "-"]) == 0
    assert capfdbinary.readouterr().out == SMOOTH.replace("\n", "\r\n").encode()
    given_(ROUGH.encode())
    assert main(["fmt", "--check", "-"]) == 1
    given_(SMOOTH.encode())
    assert main(["fmt", "--check", "-"]) == 0
    assert main(["fmt", "-", "a.yaml"]) == 2
