"""Files that would take all time or memory end in a finding, and the bounds are as documented.

What would hang or eat memory without its bound is checked in a process of its own that has limits.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from tests.rulesets import FOR_CI

from rulerun.cli import trials
from rulerun_dsl.check.env import world
from rulerun_dsl.check.stmt import walking
from rulerun_dsl.diagnostics import diagnostic
from rulerun_dsl.diagnostics.diagnostic import MOST_FINDINGS, Diagnostic, by_place, suggest
from rulerun_dsl.load import Loaded, load
from rulerun_dsl.outline import blocks

HEAD = "rulerun: 1\ngame: demo\nplayers: 2\n"
STATE = "state:\n  visible: all\n  n: 0..9\n"
DIGITS = "9" * 4301

MEMORY = 2**30
SECONDS = 120


def lines(template: str, count: int) -> str:
    return "".join(template.format(i=i, j=i + 1) for i in range(count))


def chain(template: str, first: str, count: int, *, backwards: bool) -> str:
    made = [template.format(i=i, before=f"{i - 1}" if i else "") for i in range(1, count)]
    made = [first, *made]
    return "".join(reversed(made) if backwards else made)


PILES = (
    "components:\n  k: {copies: 2, start: z}\nzones:\n  visible: all\n  z: {of: k}\n  y: {of: k}\n"
)


def hostile() -> Iterator[tuple[str, str, str]]:
    """What it is, the file, the code that it gets."""
    for backwards in (False, True):
        word = "backwards" if backwards else "forwards"
        constants = chain("  a{i}: a{before}\n", "  a0: 1\n", 600, backwards=backwards)
        text = f"{HEAD}constants:\n{constants}{STATE}setup: n = a599\n"
        yield f"constants {word}", text, "RR0717"
        functions = chain("  f{i}: not f{before}\n", "  f0: n > 5\n", 600, backwards=backwards)
        text = f"{HEAD}{STATE}functions:\n{functions}setup:\n  - n = 1 if f599\n"
        yield f"functions {word}", text, "RR0717"
        types = chain("  t{i}: t{before}\n", "  t0: 0..9\n", 600, backwards=backwards)
        text = f"{HEAD}types:\n{types}state:\n  visible: all\n  n: t599\nsetup: n = 1\n"
        yield f"types {word}", text, "RR0717"
        tables = chain(
            "  t{i}[1..2]: {{rows: {{else: 't{before}[1]'}}}}\n",
            "  t0[1..2]: {rows: {else: 1}}\n",
            600,
            backwards=backwards,
        )
        yield f"tables {word}", f"{HEAD}tables:\n{tables}{STATE}setup: n = t599[1]\n", "RR0717"
    yield (
        "a circle of many",
        HEAD
        + "constants:\n"
        + lines("  a{i}: a{j}\n", 200)
        + ("  a200: a0\n" + STATE + "setup: n = a1\n"),
        "RR0701",
    )
    yield "players", f"rulerun: 1\ngame: demo\nplayers: {DIGITS}\n", "RR0401"
    yield "players by count", HEAD + f"constants:\n  ? {{{DIGITS}}}\n", "RR01"
    yield "steps", f"{HEAD}limits: {{steps: {DIGITS}}}\n", "RR0207"
    yield "hexadecimal", f"{HEAD}limits: {{steps: 0x{'f' * 50}}}\n", "RR0215"
    yield "a range", f"{HEAD}state:\n  visible: all\n  n: 0..{DIGITS[:3000]}\n", "RR0329"
    yield "an option", f"{HEAD}options:\n  o: {{type: 0..9, default: {DIGITS}, about: x}}\n", "RR03"
    yield (
        "a power of a power",
        HEAD
        + STATE
        + ("functions:\n  f(int x): x ** 62\nsetup:\n  - n = f(f(f(f(f(f(9))))))\n  - m = 1\n"),
        "RR0402",
    )
    yield (
        "a key of a table",
        HEAD + ("tables:\n  t[1..6]: {rows: {1..99999999999: 4}}\n" + STATE + "setup: n = t[1]\n"),
        "RR0503",
    )
    ranges = lines("      1..{i}: 1\n", 500)
    text = f"{HEAD}tables:\n  t[1..100000]:\n    rows:\n{ranges}{STATE}setup: n = t[1]\n"
    yield "keys of a table over one another", text, "RR0512"
    rolled = "state:\n  visible: all\n  n: 0..2000000000\nsetup: roll n\n"
    yield "outcomes", HEAD + rolled, "RR0517"
    cited = "".join(f"  v{i}: 0..9 # {'a' * 60}!\n" for i in range(9))
    text = f'{HEAD}sources: {{rulebook: x, cite: "(a|a)*$"}}\nstate:\n  visible: all\n{cited}'
    yield "a pattern", text, "RR0414"
    yield (
        "a choice of very many",
        HEAD
        + STATE
        + (
            "phases:\n  p:\n    for: you in players\n    do:\n"
            "      - choose: 1000000000..2000000000 c in 0..2000000000\n      - n = 1\n"
        ),
        "RR0706",
    )
    tables = lines("  t{i}[1..100000]: {{rows: {{else: 1}}}}\n", 100)
    yield "tables", f"{HEAD}tables:\n{tables}{STATE}setup: n = t1[1]\n", "RR0516"
    rows = lines("      r{i}: {{copies: 9999}}\n", 300)
    text = f"{HEAD}components:\n  k:\n    start: z\n    rows:\n{rows}"
    yield "components", text + "zones:\n  z: {of: k, visible: all}\n", "RR0516"
    joined = "count(" + "(" * 55 + "z" + " + (y if n > 1 else z))" * 55 + ")"
    yield (
        "collections joined",
        f"{HEAD}{STATE}{PILES}setup:\n  - n = {joined}\n  - m = 1\n",
        "RR0402",
    )
    listed = "(" * 55 + "true" + " in (true, false))" * 55
    yield "lists", f"{HEAD}{STATE}setup:\n  - n = 1 if {listed}\n  - m = 1\n", "RR0402"
    lets = lines("  - let x{i} = 0\n", 1500) + lines("  - x{i} = x{j} + 1\n", 1400)
    yield "locals", f"{HEAD}{STATE}setup:\n{lets}", "RR0516"
    cases = lines("      n == {i}: 1\n", 400)
    text = f"{HEAD}{STATE}functions:\n  f:\n    cases:\n{cases}      else: 2\nsetup: n = f\n"
    yield "cases", text, "RR0516"
    steps = lines("      n == {i}: n = 1\n", 400)
    yield "cases of a statement", f"{HEAD}{STATE}setup:\n  - cases:\n{steps}", "RR0516"
    sums = lines("  - n = {i} % 9 if sum(x for x in 0..9999) > 3\n", 900)
    yield "constants worked out", f"{HEAD}{STATE}setup:\n{sums}", "RR0149"
    levels = range(18)
    twice = "".join(
        f"  p{i}():\n    - p{i + 1}() if secret == 1\n    - p{i + 1}() if secret == 2\n"
        for i in levels
    )
    text = HEAD + "state: {secret: {type: 0..9, visible: none}}\nsetup: [roll secret, p0()]\n"
    yield "ways under secrets", f"{text}procedures:\n{twice}  p18(): pass\n", "what is told under"
    handed = "".join(
        f"  p{i}(0..9 a):\n    - choose: k in 0..1\n    - p{i + 1}(a)\n"
        f"    - p{i + 1}(min(a + k, 9))\n"
        for i in levels
    )
    text = f"{HEAD}state:\n  kept[player]: {{type: 0..9, visible: owner}}\n"
    text += "setup:\n  - for: you in players\n    do: p0(0)\n"
    text += f"procedures:\n{handed}  p18(0..9 a): kept = a\n"
    yield "ways of untold choices", text, "what gives untold"
    unknown = lines("k{i}: 1\n", 1000)
    yield "unknown keys", HEAD + unknown, "and 800 more"
    names = lines("  abcdefghi{i}: 0..9\n", 800)
    wrong = lines("  - abcdefghij{i} = abcdefghijk{i}\n", 800)
    text = f"{HEAD}state:\n  visible: all\n{names}setup:\n{wrong}"
    yield "misspelt names", text, "more: "
    yield "mistakes", f"{HEAD}{STATE}setup:\n" + lines("  - n = = {i}\n", 400), "RR0149"


HOSTILE = {name: (text, said) for name, text, said in hostile()}


LONG = ("ways under secrets", "ways of untold choices")
"""These take all the steps that there are."""
SLOW = (*LONG, "constants worked out")


VALIDATE = """
import contextlib, io, json, sys
from rulerun.__main__ import main
for path in sys.argv[1:]:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = main(["validate", path])
    print(json.dumps([code, out.getvalue()]), flush=True)
"""
QUICK = [name for name in HOSTILE if name not in SLOW]
TOGETHER = 9
"""Files that one process looks at, one after another: it has the memory and the time of one."""
PARTS = [QUICK[at : at + TOGETHER] for at in range(0, len(QUICK), TOGETHER)]


@pytest.mark.slow_in_ci
@pytest.mark.parametrize(
    "names",
    [
        *(pytest.param(part, marks=FOR_CI if at else []) for at, part in enumerate(PARTS)),
        *(pytest.param([name], marks=pytest.mark.slow) for name in SLOW),
    ],
    ids=lambda names: names[0],
)
def test_a_hostile_file_ends_in_a_finding(names, tmp_path):
    paths = [tmp_path / f"rules{number}.yaml" for number in range(len(names))]
    for name, path in zip(names, paths, strict=True):
        path.write_text(HOSTILE[name][0], encoding="utf-8")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))

    done = subprocess.run(
        [sys.executable, "-c", VALIDATE, *map(str, paths)],
        capture_output=True,
        text=True,
        preexec_fn=limit,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(names), f"{names[len(answers)]}: {done.stderr[-500:]}"
    for name, path, (code, out) in zip(names, paths, answers, strict=True):
        said = HOSTILE[name][1]
        assert code == 1, f"{name}: {done.stderr[-500:]}"
        assert said in out, name
        assert "RR0149" in said or f"{path}:" in out, name


@pytest.mark.parametrize("name", LONG)
def test_of_too_many_ways_is_told(name, monkeypatch):
    """The same with fewer steps."""
    monkeypatch.setattr(walking.Steps.__init__, "__defaults__", (5_000,))
    text, said = HOSTILE[name]
    loaded, found = load(text.encode())
    assert loaded is not None, found
    game, found = loaded.game()
    assert any(each.code == "RR0149" and said in each.message for each in found)
    # Nothing wrong was found: it can be played.
    assert (game is None) is any(each.code != "RR0149" for each in found)


def codes(text: str, players: int | None = None) -> set[str]:
    loaded, found = load(text.encode())
    if loaded is not None:
        _, found = loaded.game(players)
    return {each.code for each in found}


CASES = STATE + "functions:\n  f:\n    cases:\n{}      else: 2\nsetup: n = f\n"
BOARD = (
    "boards:\n  b: {{shape: grid, rows: {}, columns: 3}}\n"
    + STATE
    + ("setup:\n  - n = 1 if count(b) > 3\n")
)
LINE = "boards:\n  b: {{shape: line, size: {}}}\n" + STATE + ("setup:\n  - n = 1 if count(b) > 3\n")
FAMILY = "state:\n  visible: all\n  n[1..{}]: bool\nsetup:\n  - n[1] = n[2]\n"
ROLL = "state:\n  visible: all\n  n: 1..{}\nsetup:\n  - roll n\n  - end game if n > 2\n"
CHOICE = STATE + "phases:\n  p:\n    for: you in players\n    do:\n{}      - n = 1\n"


@pytest.mark.parametrize(
    ("code", "within", "beyond"),
    [
        ("RR0401", "players: 1..20", "players: 1..21"),
        ("RR0401", f"players: [{lines('p{i}, ', 20)}]", f"players: [{lines('p{i}, ', 21)}]"),
        ("RR0329", f"{STATE}setup:\n  - n = 1 if n < 123456789012", None),
        ("RR0516", CASES.format(lines("      n == {i}: 1\n", 199)), None),
        ("RR0516", FAMILY.format(100_000), FAMILY.format(100_001)),
        ("RR0517", ROLL.format(100_000), ROLL.format(100_001)),
        ("RR0503", BOARD.format(100), BOARD.format(101)),
        ("RR0503", LINE.format(1000), LINE.format(1001)),
        (
            "RR0706",
            CHOICE.format("      - choose: x in 1..200000\n"),
            CHOICE.format("      - choose: x in 1..200001\n"),
        ),
        ("RR0215", "limits: {steps: 10000000}", "limits: {steps: 10000001}"),
        ("RR0215", "limits: {decisions: 1000000}", "limits: {decisions: 1000001}"),
    ],
)
def test_a_documented_bound_is_kept(code, within, beyond):
    if beyond is None:
        beyond = within.replace("123456789012", "1234567890123")
        beyond = beyond.replace("      else", "      n == 200: 1\n      n == 201: 1\n      else")

    def whole(text: str) -> str:
        head = HEAD if "players:" not in text.splitlines()[0] else "rulerun: 1\ngame: demo\n"
        return f"{head}{text}\n"

    assert code not in codes(whole(within))
    assert code in codes(whole(beyond))


def test_how_deep_a_chain_goes_does_not_depend_on_its_order():
    def game(count: int, backwards: bool) -> str:
        made = chain("  a{i}: a{before}\n", "  a0: 1\n", count, backwards=backwards)
        return f"{HEAD}constants:\n{made}{STATE}setup: n = a{count - 1}\n"

    def first_too_long(backwards: bool) -> int:
        lengths = range(240, 256)
        at = bisect_left(lengths, True, key=lambda count: bool(codes(game(count, backwards))))
        return lengths[at]

    assert first_too_long(False) == first_too_long(True) > 240


def test_of_many_findings_the_first_are_shown():
    loaded, found = load((HEAD + lines("k{i}: 1\n", 250)).encode())
    assert loaded is None
    shown = [each for each in found if each.code == "RR0201"]
    (more,) = [each for each in found if each.code == "RR0150"]
    assert len(shown) == MOST_FINDINGS
    assert more.message.startswith("and 50 more")
    assert more.span is not None and more.span.line == 4 + MOST_FINDINGS


def test_errors_are_shown_before_warnings():
    source = load(b"rulerun: 1\nx: 2\n")[1][0].span
    assert source is not None
    warnings = [
        diagnostic.problem("RR0603", f"w{i}", source.source.span(0)) for i in range(MOST_FINDINGS)
    ]
    error = diagnostic.problem("RR0402", "e", source.source.span(5))
    found = diagnostic.first_of([*warnings, error])
    assert error in found
    (more,) = [each for each in found if each.code == "RR0150"]
    assert more.severity is diagnostic.Severity.WARNING


def test_echoes_are_dropped_as_if_each_were_held_against_each():
    source = load(b"rulerun: 1\nx: 2\n")[1][0].span
    assert source is not None
    places = [(0, 9), (2, 4), (3, 12), (5, 6), (8, 11), (12, 15)]
    every = [
        diagnostic.problem(code, f"{code} {start}", source.source.span(start, end))
        for code in ("RR0101", "RR0201", "RR0402", "RR0603")
        for start, end in places[:: 1 if code != "RR0101" else 3]
    ]

    def echoes(late: Diagnostic) -> bool:
        return any(
            early.severity is diagnostic.Severity.ERROR
            and early.code[:4] < late.code[:4]
            and early.span is not None
            and late.span is not None
            and early.span.covers(late.span)
            for early in every
        )

    left = diagnostic.without_echoes(every)
    assert by_place(left) == by_place(each for each in every if not echoes(each))
    assert 0 < len(left) < len(every)


def test_settings_beyond_the_budget_are_named_and_fail(tmp_path, monkeypatch, capsys):
    from rulerun import __main__
    from rulerun.cli import examining

    path = tmp_path / "rules.yaml"
    path.write_text(
        f"{HEAD}options:\n  o: {{type: 1..5, default: 3, about: How many.}}\n"
        "state:\n  visible: all\n  n[1..o]: bool\nsetup:\n  - n[1] = n[1]\n"
    )
    monkeypatch.setenv("RULERUN_CACHE", str(tmp_path / "cache"))
    assert __main__.main(["validate", str(path)]) == 0
    monkeypatch.setattr(examining, "MOST_READ", 1)
    path.write_text(path.read_text() + "# changed\n")
    assert __main__.main(["validate", str(path)]) == 1
    said = capsys.readouterr().out
    assert "error[RR0149]: not checked: 4 of 5 settings" in said


def test_a_suggestion_is_found_among_very_many():
    names = [f"name{i}" for i in range(30_000)]
    assert suggest("stonnes", [*names, "stones"]) == "stones"
    assert suggest("x" * 100_000, names) is None


def steps(text: str) -> int:
    """How many calls it takes to check rules in their default setting."""
    loaded, found = load(f"{HEAD}{text}".encode())
    assert loaded is not None, found
    count = 0

    def called(*_: object) -> None:
        nonlocal count
        count += 1

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        loaded.game()
    finally:
        sys.setprofile(before)
    return count


WIDE = {
    "members of types": (
        "types:\n",
        "  t{i}: [a{i}, b{i}]\n",
        "functions:\n",
        "  f{i}: a{i} is a{i}\n",
    ),
    "names of nothing": (
        "types:\n",
        "  t{i}: [a{i}, b{i}]\n",
        "functions:\n",
        "  f{i}: zz{i} > 3\n",
    ),
    "directions": (
        "boards:\n  l: {{rows: {{x: {{}}, y: {{}}}}}}\n",
        "  b{i}: {{shape: line, size: 2}}\n",
        "functions:\n",
        "  f{i}(direction d): n > 3\n",
    ),
    "sites": (
        "boards:\n",
        "  b{i}: {{rows: {{x{i}: {{}}, y{i}: {{}}}}}}\n",
        "functions:\n",
        "  f{i}: x{i} is x{i}\n",
    ),
    "boards that take sites away": (
        "options:\n  o: {{type: bool, default: true, about: x}}\nboards:\n",
        "  b{i}:\n    rows: {{x{i}: {{}}, y{i}: {{}}}}\n"
        "    remove:\n      - {{when: o, sites: [x{i}]}}\n",
        "functions:\n",
        "  f{i}: x{i} > 3\n",
    ),
}


@pytest.mark.parametrize("name", WIDE)
def test_what_a_file_takes_grows_with_its_length(name):
    def taken(count: int) -> int:
        first, many, then, uses = WIDE[name]
        head = first.replace("{{", "{").replace("}}", "}")
        return steps(f"{head}{lines(many, count)}{STATE}{then}{lines(uses, count)}setup: n = 1\n")

    short, middle, long = (taken(count) for count in (100, 200, 400))
    assert long - middle < 2.3 * (middle - short)


class Looked(tuple[Any, ...]):
    """Declarations that count how often somebody goes through all of them."""

    often = 0

    def __iter__(self) -> Iterator[Any]:
        Looked.often += 1
        return super().__iter__()


def test_what_stands_around_a_procedure_is_looked_up():
    def looked(count: int) -> int:
        procedures = lines("  p{i}(): n = 1\n", count)
        hooks = lines("  before p{i}(): n = 2\n", count)
        text = f"{HEAD}{STATE}procedures:\n{procedures}chapter c:\n{hooks}setup: n = 1\n"
        loaded, found = load(text.encode())
        assert loaded is not None, found
        made = loaded.outline
        hooked, variables = Looked(made.hooks), Looked(made.variables)
        loaded.outline = replace(made, hooks=hooked, variables=variables)
        Looked.often = 0
        loaded.game()
        return Looked.often

    assert looked(10) == looked(50)


CHAIN = (
    f"{HEAD}options:\n  o0: {{type: bool, default: true, about: x}}\n"
    + lines("  o{j}: {{type: bool, default: o{i}, only_if: o{i}, about: x}}\n", 60)
    + f"{STATE}  v[1..(3 if o60 else 4)]: bool\nsetup:\n  - v[1] = v[2]\n"
    + lines("  - n = 1 if o{i}\n", 60)
)


def test_an_option_on_which_only_another_depends_decides_nothing():
    loaded, found = load(CHAIN.encode())
    assert loaded is not None, found
    assert loaded.decisive() == {"o60"}
    # Whether this is known before play begins, `o58` says.
    whether, found = load(CHAIN.replace("only_if: o58,", "only_if: o58 or n > 2,").encode())
    assert whether is not None, found
    assert whether.decisive() == {"o58", "o60"}
    _, found = whether.game(options={"o58": "false"})
    assert "RR0504" in {each.code for each in found}


def test_settings_that_get_no_share_of_play_are_not_made(tmp_path, monkeypatch):
    from rulerun.cli import examining

    asked = 0

    def refused(*_: object) -> list[Diagnostic]:
        nonlocal asked
        asked += 1
        return []

    monkeypatch.setattr(Loaded, "refused", refused)
    path = tmp_path / "rules.yaml"
    path.write_text(CHAIN)
    report = examining.Report(examining.Wanted(play=1_000))
    loaded, found = load(path)
    report.examine(loaded, found, "rules")
    assert asked <= 1 + 1_000 // trials.LESS + 2
    # One setting is the default; all others are named, played or not.
    assert 61 - asked < len(report.unplayed["rules"]) <= 61


def test_few_sites_in_many_links_and_many_automata_are_bounded():
    spans = lines("      - line: [b_1..b_1000]\n", 1002)
    text = f"boards:\n  b:\n    shape: ring\n    size: 1000\n    links:\n{spans}{STATE}"
    assert "RR0516" in codes(f"{HEAD}{text}setup:\n  - n = 1 if count(b) > 3\n")
    for count, many in ((20, False), (21, True)):
        seats = lines("chapter c{i}:\n  automa: g{i}\n", count)
        assert ("RR0516" in codes(f"{HEAD}{STATE}setup: n = 1\n{seats}")) is many


def test_short_texts_count_for_more_than_their_length(monkeypatch):
    text = f"{HEAD}constants:\n" + lines("  c{i}: 1\n", 90) + f"{STATE}setup: n = 1\n"
    monkeypatch.setattr(blocks, "MOST_TEXT", 1_100)
    assert "RR0149" not in codes(text)
    monkeypatch.setattr(blocks, "MOST_TEXT", 900)
    assert "RR0149" in codes(text)


def test_cells_that_are_expressions_count_like_other_texts(monkeypatch):
    """Plain numbers do not."""
    rows = "types:\n  t:\n    has: {{x: 0..9}}\n    rows:\n{rows}"
    monkeypatch.setattr(world, "MOST_TEXT", 900)
    for cell, many in (("3", False), ("3 + 1", True)):
        text = rows.format(rows=lines(f"      r{{i}}: {{{{x: {cell}}}}}\n", 90))
        assert ("RR0149" in codes(f"{HEAD}{text}{STATE}setup: n = 1\n")) is many


SIX = "abcdef"
SIGHT = f"""{HEAD}zones: {{}}
limits: {{steps: 1000}}
state:
  visible: all
  n: 0..9
  secret: {{type: 0..9, visible: heavy()}}
functions:
  heavy(): n < 2 or any(a + f == 1 for {" for ".join(f"{x} in 0..99" for x in SIX)} if a > 98)
phases:
  go:
    turns: p in players
    until: n == 9
    do:
      - choose:
          more: n += 1
          peek(1..2 k): secret = k
"""


def test_who_sees_what_is_found_out_within_the_budget(tmp_path):
    path = tmp_path / "sight.yaml"
    path.write_text(SIGHT)
    command = [sys.executable, "-m", "rulerun", "play", str(path), "--executor", "reference"]
    done = subprocess.run(
        command, input="more\nmore\n", capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert "RR0913" in done.stderr, done.stderr
    assert "in set-up" not in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 1


def test_a_rule_error_that_nobody_caught_is_a_finding(monkeypatch, capsys):
    from rulerun import cli
    from rulerun.cli.group import rulerun
    from rulerun.runtime.executor import RuleError
    from rulerun_dsl.source.spans import Source

    def failing(*_arguments: object, **_settings: object) -> int:
        raise RuleError("steps", "too long", Source("rules.yaml", "x").span(0, 1), ())

    monkeypatch.setattr(rulerun, "main", failing)
    assert cli.main(["show", "anything"]) == 1
    assert "error[RR0913]: too long" in capsys.readouterr().err
