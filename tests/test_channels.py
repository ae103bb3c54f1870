"""Whatever stands in a file, its name or a command line, is harmless on every channel.

The texts go through the whole command, in this process; how they are written down there is read
back by who would read it: a terminal, an XML parser, a browser, a spreadsheet, a log.
"""

from __future__ import annotations

import ast
import contextlib
import csv
import io
import json
import os
import re
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.sources import tree_of

import rulerun
import rulerun_dsl
from rulerun.cli import main
from rulerun.host.streams import Outlet
from rulerun.simulation.report.csv_table import table
from rulerun.simulation.report.sections import simulation_report
from rulerun_dsl.source.safe_text import harmless, visible

NASTY = [
    "\x1b[2J", "\x1b]0;owned\x07", "\x9b31m", "\r", "\b\b", "\x7f", "\0", "\u202e", "\u2066",
    "\ufeff", "\u2028", "\x85", "\x0b", "\ufffe", "\ufdd0", "\U0001ffff", "\n::error::x",
    "::stop-commands::x", "##[error]x", "##vso[task.x]", "]]>", "<!--", "&amp;", "&#27;", '"', "'",
    "</title><script>x()</script>", "%0A::error::", "=1+1", "+1", "-1", "@x", "\t", "\n", "王",
    "e\u0301", "\u200d", "a", " ", ",", ":",
]  # fmt: skip

texts = st.lists(st.sampled_from(NASTY) | st.characters(exclude_categories=["Cs"]), max_size=8).map(
    "".join
)
any_texts = st.lists(st.sampled_from(NASTY) | st.characters(), max_size=8).map("".join)

BENIGN = "benign"

RULES = """
rulerun: 1
game: channels
title: {text}
about: {text}
players: [red, blue]
sources: {{rulebook: {text}, cite: "C-[0-9]+"}}
options:
  far: {{type: 1..3, default: 2, about: {text}}}
variants:
  long: {{about: {text}, far: 3}}
constraints:
  - {{never: far == 1, say: {open}}}
state:
  visible: all
  n: {{type: 0..9, about: {text}, assumed: {text}}}
phases:
  main:
    about: {text}
    until: n > far
    do:
      - for: you in players
        do:
          - choose: k in 1..2
            ask: {open}
          - n += k
          - say: {open}
scoring:
  points(player p):
    {open}: n
view:
  headline: {open}
"""

SCENARIOS = """
scenarios:
  - id: {text}
    title: {text}
    cite: {text}
    do: [{{red: 1}}]
    expect: [n == 2, {{{text}: 3}}]
  - id: fine
    title: {text}
    do: [{{red: {text}}}]
"""


def quoted(text: str) -> str:
    """A text as YAML writes it, with everything odd escaped."""
    return '"' + "".join(
        each if each.isascii() and each.isalnum() else f"\\U{ord(each):08x}" for each in text
    ) + '"'  # fmt: skip


@contextlib.contextmanager
def folder(text: str) -> Iterator[Path]:
    """A folder with rules, scenarios and a record that are full of a text."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        free = text.replace("<", "(").replace(">", ")") or "x"
        filled = {"text": quoted(text or "x"), "open": quoted(free)}
        Path("g.yaml").write_text(RULES.format(**filled), encoding="utf-8")
        Path("g.test.yaml").write_text(SCENARIOS.format(**filled), encoding="utf-8")
        yield Path(name)


def run(*arguments: str, typed: str = "") -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    stdin = io.TextIOWrapper(io.BytesIO(typed.encode("utf-8", "surrogatepass")), encoding="utf-8")
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr("sys.stdin", stdin)
        code = main(list(arguments))
    return code, out.getvalue(), err.getvalue()


def assert_harmless(written: str) -> None:
    for each in written:
        category = unicodedata.category(each)
        assert each == "\n" or category not in ("Cc", "Cs", "Zl", "Zp"), repr(written)
        assert category != "Cf" or each == "\u200d", repr(written)
    assert not re.search(r"(?m)^\s*::\w", written), written
    assert not re.search(r"##\w*\[", written), written


def on_terminal(*arguments: str, typed: str = "") -> str:
    """Run a command; what it wrote on both streams, which must be harmless."""
    code, out, err = run(*arguments, typed=typed)
    assert code in (0, 1, 2, 5), (code, err)
    assert_harmless(out)
    assert_harmless(err)
    return out + err


def examples(test):
    for text in NASTY:
        test = example(text=f"a{text}b")(example(text=text)(test))
    return test


quick = settings(deadline=None, max_examples=200)
slow = settings(
    deadline=None,
    max_examples=int(os.environ.get("RULERUN_EXAMPLES", "1")),
    suppress_health_check=[HealthCheck.too_slow],
)


@quick
@examples
@given(text=any_texts)
def test_a_stream_takes_nothing_harmful(text):
    stream = io.StringIO()
    outlet = Outlet(stream, 1)
    outlet.write(text)
    written = stream.getvalue()
    assert_harmless(written)
    written.encode("utf-8")
    assert harmless(written) == written
    assert len(visible(text)) == len(text)
    outlet.colors = True
    outlet.write(f"\x1b[1m{text}\x1b[0m\x1b[5m")
    colored = stream.getvalue()[len(written) :]
    assert colored.startswith("\x1b[1m") and colored.endswith("\x1b[0m␛[5m")
    assert_harmless(re.sub(r"\x1b\[(1|0|[0-9;]*)m", "", colored))


@slow
@example(text="".join(NASTY))
@given(text=texts)
def test_a_ruleset_on_the_terminal(text):
    with folder(text):
        on_terminal("validate", "g.yaml", "--strict")
        on_terminal("show", "g.yaml")
        on_terminal("show", "g.yaml", "--assumptions")
        on_terminal("test", "g.yaml")
        on_terminal("simulate", "g.yaml", "-n", "2", "--executor", "reference")
        on_terminal("play", "g.yaml", "--seed", "1", typed="?\nlog\nlook\ncards\n1\nquit\n")
        on_terminal("play", "g.yaml", "--seat", "all=first", "--record", "r.jsonl")
        if Path("r.jsonl").exists():
            on_terminal("replay", "r.jsonl", "--rules", "g.yaml")


@slow
@example(text="".join(NASTY))
@given(text=any_texts)
def test_records_scripts_and_command_lines_on_the_terminal(text):
    with folder(BENIGN):
        on_terminal("play", "g.yaml", "--seat", "all=first", "--record", "r.jsonl")
        header, *lines = Path("r.jsonl").read_text(encoding="utf-8").splitlines()
        for key in ("seed", "fingerprint", "game"):
            changed = {**json.loads(header), key: text}
            Path("h.jsonl").write_text("\n".join([json.dumps(changed), *lines]) + "\n")
            on_terminal("replay", "h.jsonl", "--rules", "g.yaml")
            on_terminal("play", "g.yaml", "--resume", "h.jsonl")
        for key in ("options", "seats"):
            for pair in ({text: "2"}, {"far": text}, {"red": text}):
                changed = {**json.loads(header), key: pair}
                Path("h.jsonl").write_text("\n".join([json.dumps(changed), *lines]) + "\n")
                on_terminal("replay", "h.jsonl", "--rules", "g.yaml")
        odd = [json.dumps({"n": 1, "by": text, "action": text}), json.dumps({text: text})]
        for line in odd:
            Path("h.jsonl").write_text(f"{header}\n{line}\n")
            on_terminal("replay", "h.jsonl", "--rules", "g.yaml", "--force")
        on_terminal("play", "g.yaml", "--script", "-", typed=f"{text}\n")
        on_terminal("play", "g.yaml", "--script", "-", typed=f"chance: {text}\n")
        on_terminal("play", "g.yaml", typed=f"{text}\n? {text}\nundo {text}\nquit\n")
        # The system hands over neither of these in an argument.
        text = re.sub("[\0\ud800-\udc7f\udd00-\udfff]", "", text)
        for arguments in (
            ["validate", text],
            ["show", text],
            ["replay", text],
            ["replay", "r.jsonl", "--rules", "g.yaml", "--as", text],
            ["play", "g.yaml", "--seat", text],
            ["play", "g.yaml", "--seat", f"{text}=human"],
            ["play", "g.yaml", "--set", text],
            ["play", "g.yaml", "--set", f"{text}=1"],
            ["play", "g.yaml", "--variant", text],
            ["play", "g.yaml", "--seed", text, "--seat", "all=first"],
            ["test", "g.yaml", "-k", text],
            ["explain", text],
            ["compile", "g.yaml", "--to", f"{text}!"],
        ):
            on_terminal(*arguments)


@slow
@example(text="".join(NASTY))
@given(text=texts)
def test_a_file_may_be_called_anything(text):
    with folder(BENIGN) as place:
        name = visible(text)[:20].replace("/", "") + text.replace("/", "").replace("\0", "")[:20]
        file = place / f"{name}.yaml"
        try:
            file.write_text(Path("g.yaml").read_text(encoding="utf-8") + "odd: 1\n")
        except (OSError, ValueError):
            return
        for command in ("validate", "show", "test", "simulate"):
            on_terminal(command, str(file))
        _, out, _ = run("validate", str(file), "--format", "github")
        assert all(line.startswith("::error ") for line in out.splitlines())


@slow
@example(text="".join(NASTY))
@given(text=texts)
def test_data_holds_the_very_text(text):
    text = text or "x"
    with folder(text):
        _, out, _ = run("show", "g.yaml", "--format", "json")
        assert_harmless(out)
        if out:
            assert json.loads(out)["title"] == text
        _, out, _ = run("test", "g.yaml", "--format", "json")
        assert_harmless(out)
        if out:
            found = json.loads(out)["files"][0]["scenarios"]
            assert {each["title"] for each in found} <= {text, ""}
        _, out, _ = run("test", "g.yaml", "--format", "junit")
        assert_harmless(out)
        if out:
            cases = ElementTree.fromstring(out).iter("testcase")
            names = {each.get("name") for each in cases}
            assert names <= {harmless(f"{text}: {text}"), harmless(f"fine: {text}"), "file"}


class Page(HTMLParser):
    """What a browser finds on a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.said: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags[tag] += 1

    def handle_comment(self, data):
        self.tags["comment"] += 1

    def handle_data(self, data):
        self.said.append(data)


def page_of(text: str) -> Page | None:
    with folder(text):
        arguments = ["-n", "2", "--executor", "reference", "--html", "page.html"]
        _, _, err = run("simulate", "g.yaml", *arguments)
        assert_harmless(err)
        file = Path("page.html")
        return Page(file.read_text(encoding="utf-8")) if file.exists() else None


@slow
@example(text="".join(NASTY))
@given(text=texts)
def test_a_page_has_no_tags_but_ours_and_the_same_text(text):
    page, plain = page_of(text), page_of(BENIGN)
    if page is not None:
        assert plain is not None
        assert page.tags == plain.tags
        assert visible(" ".join((text or "x").split())) in "\n".join(page.said)


@cache
def simulated() -> str:
    """What a simulation found, as JSON."""
    with folder(BENIGN):
        arguments = ["-n", "2", "--executor", "reference", "--format", "json"]
        return run("simulate", "g.yaml", *arguments)[1]


@pytest.mark.parametrize("text", NASTY)
def test_a_spreadsheet_reckons_with_nothing(text):
    result = json.loads(simulated())
    where = {"file": "g.yaml", "line": 1, "column": 1, "source": text}
    error = {"code": "RR0900", "message": text, "count": 1, "numbers": [0], "record": "g.jsonl"}
    result["errors"] = [{**error, **where}]
    result["actions"]["names"][0]["name"] = text
    written = table(simulation_report(result))
    assert_harmless(harmless(written))
    for row in csv.reader(io.StringIO(written)):
        for cell in row:
            assert re.fullmatch(r"-?[0-9.e-]+", cell) or not cell.startswith(tuple("=+-@")), row


@pytest.mark.parametrize("text", NASTY)
def test_annotations_are_one_line_each(text):
    with folder(BENIGN):
        name = quoted(f"a{text}b")
        Path("g.yaml").write_text(
            f"rulerun: 1\ngame: x\nplayers: 2\n{name}: 1\nstate: {{{name}: 1}}\n"
        )
        _, out, _ = run("validate", "g.yaml", "--format", "github")
        found = json.loads(run("validate", "g.yaml", "--format", "json")[1])["diagnostics"]
        lines = out.splitlines()
        assert len(lines) == len(found) > 0
        for line in lines:
            assert re.match(
                r"::(error|warning|notice) title=[^:]*,file=[^:]*,line=\d+[^:]*::", line
            )


def test_nobody_writes_past_the_guards():
    """Only `streams` knows the streams of the system; `steer` is for control codes and commands."""
    steers = {"streams.py", "screen.py", "progress.py", "common.py", "thinking_sign.py"}
    for package in (rulerun, rulerun_dsl):
        for path in Path(package.__path__[0]).rglob("*.py"):
            # Most modules have none of the words.
            words = "__stdout__|__stderr__|buffer|steer|write"
            if not re.search(rf"\.({words})\b", path.read_text(encoding="utf-8")):
                continue
            for node in ast.walk(tree_of(path)):
                if isinstance(node, ast.Attribute):
                    assert node.attr not in ("__stdout__", "__stderr__"), path
                    inner = isinstance(node.value, ast.Attribute) and node.value.attr
                    past = node.attr == "buffer" and inner in ("stdout", "stderr")
                    assert not past, f"{path}: writes bytes"
                    if node.attr == "steer":
                        assert path.name in steers, path
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    name = f"{getattr(node.func.value, 'id', '')}.{node.func.attr}"
                    assert name != "os.write", path


def test_colours_let_nothing_else_through(monkeypatch):
    with folder("a\x1b[5mb\x1b[31mc\x1b[2Jd"):
        for arguments in (["test", "g.yaml"], ["validate", "g.yaml", "--strict"]):
            _, out, err = run("--color", "always", *arguments)
            assert set(re.findall(r"\x1b[^m]*m", out + err)) <= {
                "\x1b[0m", "\x1b[1m", "\x1b[1;31m", "\x1b[1;33m", "\x1b[1;34m", "\x1b[1;36m",
            }  # fmt: skip
        _, out, _ = run("--color", "always", "play", "g.yaml", typed="1\n?\n")
        assert "a␛[5mb␛[31mc␛[2Jd" in out
        assert "\x1b[5m" not in out


def test_output_is_utf8_whatever_the_locale(tmp_path):
    import subprocess
    import sys

    roots = {str(Path(package.__path__[0]).parent) for package in (rulerun, rulerun_dsl)}
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith(("LC_", "LANG"))},
        "PYTHONPATH": os.pathsep.join(sorted(roots)),
    }
    (tmp_path / "g.yaml").write_text(
        RULES.format(text=quoted("王é"), open=quoted("王é")), encoding="utf-8"
    )
    found = {
        subprocess.run(
            [sys.executable, "-m", "rulerun", "show", "g.yaml"],
            cwd=tmp_path,
            env={**environment, **more},
            capture_output=True,
            timeout=60,
        ).stdout
        for more in (
            {"LC_ALL": "C", "PYTHONUTF8": "0"},
            {"LC_ALL": "POSIX", "PYTHONIOENCODING": "ascii"},
            {"PYTHONIOENCODING": "latin-1"},
            {"LC_ALL": "C.UTF-8"},
        )
    }
    assert len(found) == 1
    assert "王é (channels)" in found.pop().decode("utf-8")
