"""YAML as located nodes, and the traps of YAML."""

from __future__ import annotations

import random
import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from rulerun_dsl.diagnostics.diagnostic import Diagnostic, Severity, has_errors
from rulerun_dsl.source.spans import Source
from rulerun_dsl.yaml.comments import comments
from rulerun_dsl.yaml.document import DEEPEST_NESTING, load_document
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar, Sequence, data
from rulerun_dsl.yaml.scalars import Value


def load(text: str) -> Mapping:
    """Return the top of a document without faults."""
    root, diagnostics = load_document(Source("game.yaml", text))
    assert diagnostics == []
    assert root is not None
    return root


def value(text: str) -> Scalar:
    node = load(text).get("a")
    assert isinstance(node, Scalar)
    return node


def every_scalar(node: Node) -> list[Scalar]:
    match node:
        case Scalar():
            return [node]
        case Sequence():
            return [scalar for item in node.items for scalar in every_scalar(item)]
        case Mapping():
            return [
                scalar
                for entry in node.entries
                for scalar in (entry.key, *every_scalar(entry.value))
            ]


# ---------------------------------------------------------------- nodes


def test_keys_and_texts_are_as_written() -> None:
    root = load("1..2: 3\non: yes\n3: 017x\n'3 ': \"true\"\n")
    assert root.keys() == ("1..2", "on", "3", "3 ")
    assert data(root) == {"1..2": 3, "on": "yes", "3": "017x", "3 ": "true"}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("3", 3),
        ("-12", -12),
        ("true", True),
        ("false", False),
        ("", None),
        ("no", "no"),
        ("off", "off"),
        ("1:30", "1:30"),
        ("2024-01-01", "2024-01-01"),
        ("1..4", "1..4"),
        ("0.5", 0.5),
        ("'3'", "3"),
        ("9" * 5000, "9" * 5000),
    ],
)
def test_plain_values_follow_yaml_1_2(written: str, expected: Value) -> None:
    found = value(f"a: {written}\n")
    assert found.value == expected
    assert type(found.value) is type(expected)


@pytest.mark.parametrize(
    ("written", "expected"),
    [("017", 17), ("0x1F", 31), ("0o17", 15), ("1e3", 1000.0), ("True", True), ("~", None)],
)
def test_odd_spellings_keep_their_core_value(written: str, expected: Value) -> None:
    root, diagnostics = load_document(Source("x", f"a: {written}\n"))
    assert [each.code for each in diagnostics] == ["RR0125"]
    assert root is not None
    assert data(root) == {"a": expected}


def test_spans_of_collections_end_with_their_last_part() -> None:
    root = load("a:\n  - b: c   # d\n\n    e:\n\n# f\ng: [1, 2]\nh: |\n  i\n\n# j\nk: l\n")
    spans = {entry.key.text: entry.value.span.text for entry in root if not entry.key.text == "k"}
    assert spans == {
        "a": "- b: c   # d\n\n    e:",
        "g": "[1, 2]",
        "h": "|\n  i",
    }
    entry = root.entry("g")
    assert entry is not None
    assert entry.span.text == "g: [1, 2]"


def test_look_up() -> None:
    root = load("a: [x, {b: y}]\n")
    assert "a" in root
    assert root.get("x") is None


def test_aliases_share_a_node() -> None:
    root = load("a: &x {b: 1}\nc: *x\n")
    assert root.get("a") is root.get("c")
    assert data(root) == {"a": {"b": 1}, "c": {"b": 1}}
    entry = root.entry("c")
    assert entry is not None
    assert entry.span.text == "c"


# ---------------------------------------------------------------- offsets

STYLES = {
    "plain": ("a: b c d\n", "b c d"),
    "folded plain": ("a: b\n   c\n\n   d\n", "b c\nd"),
    "single": ("a: 'b''c d'\n", "b'c d"),
    "folded single": ("a: 'b\n  c  \n\n\n   d'\n", "b c\n\nd"),
    "double": ('a: "b\\tc \\x41\\u0041\\U00000041 \\" d"\n', 'b\tc AAA " d'),
    "broken double": ('a: "b \\\n   c\n   d\\\n\n   e"\n', "b c d\ne"),
    "literal": ("a: |\n  b\n    c\n\n  d\n", "b\n  c\n\nd\n"),
    "literal, kept": ("a: |+2  # e\n\n    b\n  c\n\n\nz: 1\n", "\n  b\nc\n\n\n"),
    "literal, stripped": ("a: |-\n b\n\n\n", "b"),
    "folded": ("a: >\n  b\n  c\n\n  d\n    e\n  f\n\n\n", "b c\nd\n  e\nf\n"),
    "folded, deep": ("x:\n  - a: >1-\n      b\n     c\n", " b\nc"),
    "windows": ("a: b\r\n  c\r\nd: |\r\n  e\r\n  f\r\n", "b c"),
}


@pytest.mark.parametrize("name", STYLES)
def test_each_character_is_found_in_the_file(name: str) -> None:
    text, expected = STYLES[name]
    root = load(text)
    for scalar in every_scalar(root):
        if scalar.text == expected:
            break
    else:
        pytest.fail(f"{expected!r} was not read")
    for place, character in enumerate(scalar.text):
        there = scalar.span_of(place, place + 1).text
        if there.startswith("\\"):
            continue
        if character in " \n":
            assert there.strip() == "", name
        else:
            assert there == character or there == character * 2, name
    assert scalar.span.covers(scalar.span_of(0, len(scalar.text.rstrip())))


def test_a_stretch_inside_folded_text_runs_over_the_lines() -> None:
    node = value("a: >\n  move 1\n  to hand\n")
    assert node.span_of(5, 9).text == "1\n  to"
    assert node.span_of(7, 9).text == "to"
    assert node.span_of(99).start == node.span_of(len(node.text)).start
    assert value("a: ''\n").span_of(0, 0).start == 4


WORDS = st.text(
    st.sampled_from("ab(+é漢𝄞,.") | st.characters(categories=("Ll", "Lo", "Nd")), min_size=1
)
STYLED = st.sampled_from(["plain", "single", "double", "literal", "folded"])


@st.composite
def written(draw: st.DrawFn) -> tuple[str, str]:
    """Return a file with a value under `a`, and the words of that value."""
    style = draw(STYLED)
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    lines = draw(st.lists(st.lists(WORDS, min_size=1, max_size=4), min_size=1, max_size=4))
    indent = " " * draw(st.integers(1, 5))
    blanks = st.integers(0, 2)
    gaps = [end + (indent[: draw(st.integers(0, 3))] + end) * draw(blanks) for _ in lines]
    texts = [" ".join(line) for line in lines]
    if style == "plain":
        # A first letter that starts nothing else in YAML, and no number.
        texts = ["x" + text for text in texts]
    if style in ("literal", "folded"):
        deeper = [" " * draw(st.integers(0, 2)) if place else "" for place in range(len(lines))]
        body = "".join(
            indent + deep + text + gap for deep, text, gap in zip(deeper, texts, gaps, strict=True)
        )
        chomping = draw(st.sampled_from(["", "-", "+"]))
        sign = "|" if style == "literal" else ">"
        written = f"{sign}{chomping}{end}{body}"
    else:
        body = "".join(text + gap + indent for text, gap in zip(texts, gaps, strict=True)).rstrip(
            " \r\n"
        )
        if style == "single":
            body = "'" + body + draw(st.sampled_from(["", " ", "''"])) + "'"
        elif style == "double":
            tails = st.sampled_from(["", " ", "\\n\\u00e9", "\\" + end + " b"])
            body = '"' + body + draw(tails) + '"'
        written = body + end
    return f"a: {written}z: end{end}", "".join(texts)


@given(written())
def test_every_visible_character_leads_back_to_itself(case: tuple[str, str]) -> None:
    text, _ = case
    root, diagnostics = load_document(Source("x", text))
    assert not has_errors(diagnostics)
    assert root is not None
    node = root.get("a")
    assert isinstance(node, Scalar)
    before = node.span.start
    for place, character in enumerate(node.text):
        span = node.span_of(place, place + 1)
        assert before <= span.start < span.end
        before = span.start
        if not character.isspace() and not span.text.startswith("\\"):
            assert span.text in (character, character * 2)
        # A span of the whole scalar would be the sign that the walk has lost its way.
        assert span.end - span.start < len(node.span.text) or len(node.text) == 1


# ---------------------------------------------------------------- traps

ONE_CODE = [
    ("a:\n\tb: 1\n", "RR0102", "\t"),
    ("a:\n  - b\n\t- c\n", "RR0102", "\t"),
    ("when: !player.done\n", "RR0104", "!player.done"),
    ("when: !x(b)\n", "RR0104", "!x(b)"),
    ("a: !!str 3\n", "RR0104", "!!str 3"),
    ("a: !x!y z\n", "RR0104", "!x!y z"),
    ("a: !x [b]\n", "RR0104", "!x"),
    ("[a, b]: c\n", "RR0105", "[a, b]"),
    ("? |\n  a\n: c\n", "RR0105", "|\n  a"),
    ("a: ? b\n", "RR0105", "? b"),
    ("'a\n  b': c\n", "RR0105", "'a\n  b'"),
    ("a: &a [*a]\n", "RR0108", "*a"),
    ("when: *x\n", "RR0109", "*x"),
    ("when: *x + 1\n", "RR0109", "*x"),
    ("when: *(x)\n", "RR0109", "*(x)"),
    ("*x : b\n", "RR0109", "*x"),
    ("when: &y z\n", "RR0110", "&y z"),
    ("when: && b\n", "RR0110", "&& b"),
    ("when: @me\n", "RR0111", "@me"),
    ("when: `x`  # b\n", "RR0111", "`x`"),
    ("when: %x\n", "RR0111", "%x"),
    ("%x\n", "RR0111", "%x"),
    ("a: [%x, b]\n", "RR0111", "%x"),
    ("a: 1\n---\nb: 2\n", "RR0112", "---"),
    ("a: 1\n...\nb: 2\n", "RR0112", "b: 2"),
    ("\n", "RR0113", ""),
    ("--- # a\n", "RR0113", ""),
    ("a\n", "RR0114", "a"),
    ("a: .NaN\n", "RR0116", ".NaN"),
    ("a: -.inf\n", "RR0116", "-.inf"),
    ("a: 1e999\n", "RR0116", "1e999"),
    ("name: card #3\n", "RR0117", "#3"),
    ("when: hand > 0 # and not done\n", "RR0117", "# and not done"),
    ("when: hand > 0 and  # done\n", "RR0117", "# done"),
    ("when: count(hand  # done\n", "RR0117", "# done"),
    ("a: b  # c\n   d\n", "RR0117", "d"),
    ("when: 'x' in tags\n", "RR0118", "in tags"),
    ('when: "a" == b\nc: 1\n', "RR0118", "== b"),
    ("a:\n  - 'x' in tags\n  - b\n", "RR0118", "in tags"),
    ("a: [x, 'a' in b]\n", "RR0118", "in b"),
    ("a: 'don't'\n", "RR0118", "t'"),
    ("a: [b, c] + d\n", "RR0118", "+ d"),
    ("when: a ? b : c\n", "RR0119", ":"),
    ("k: v: w\n", "RR0119", ":"),
    ("a: {b: c: d}\n", "RR0119", ":"),
    ("when: > 3\n", "RR0120", "> 3"),
    ("when: >= 3\n", "RR0120", ">= 3"),
    ("when: >3\nb: 1\n", "RR0120", ">3"),
    ("when: |x|\n", "RR0120", "|x|"),
    ("a: [> 3]\n", "RR0120", "> 3]"),
    ("f: [max(a, b), c]\n", "RR0121", "max(a, b)"),
    ("f: {a: max(b, c, d), e: 1}\n", "RR0121", "max(b, c, d)"),
    ("f: {about: Take 2 (or 3, in winter)}\n", "RR0121", "Take 2 (or 3, in winter)"),
    ("f: {cost: a, b}\n", "RR0122", "b"),
    ("f: {rows: every rank, suit, colour}\n", "RR0122", "suit, colour"),
    ("f: {a, b}\n", "RR0122", "a, b"),
    ("f: {min:1, max:4}\n", "RR0123", "min:"),
    ("when:player.food\n", "RR0123", "when:"),
    ("a: 1\nwhen:player.food\nb: 2\n", "RR0123", "when:"),
    ("a:\n  - if:b\n", "RR0123", "if:"),
    ("a:\n  hand[player]:b\n", "RR0123", "hand[player]:"),
    ("a:\n  - 2\n   -3\n", "RR0124", "-3"),
    ("a: 1_000\n", "RR0125", "1_000"),
    ("a: TRUE\n", "RR0125", "TRUE"),
    ("a: [null]\n", "RR0125", "null"),
    ("a: [1, 2\nb: 3\n", "RR0126", "["),
    ("a: [1, 2}\n", "RR0126", "["),
    ("a: {b: [1]\n", "RR0126", "{"),
    ("a: [\n", "RR0126", "["),
    ("a: 'abc\nb: 1\n", "RR0127", "'"),
    ("a: x\n  b: y\n", "RR0128", "b: y"),
    ("a:\n  b: 1\n c: 2\n", "RR0128", "c: 2"),
    ("a: 1\n- b\n", "RR0128", "- b"),
    ("a:\n  - b\n  c: d\n", "RR0128", "c: d"),
    (": x\n", "RR0129", ": x"),
    ("a: {: b}\n", "RR0129", ": b"),
    ('a: "b\\qc"\n', "RR0130", "\\q"),
    ('a: "\\x4"\n', "RR0130", "\\x"),
    ("a: - x\n", "RR0131", "- x"),
    ("a: 1\nfoo\nbar: 2\n", "RR0132", "foo"),
    ("a:\n  b\n  c: d\n", "RR0132", "b"),
    ("f: [max[a], b]\n", "RR0133", "max["),
    ("f: {a: x in {1,2}}\n", "RR0133", "x in {"),
    ("a: ]\n", "RR0134", "]"),
    ("a: , b\n", "RR0134", ","),
    ("a: [- b]\n", "RR0134", "-"),
]


@pytest.mark.parametrize(("text", "code", "there"), ONE_CODE)
def test_traps(text: str, code: str, there: str) -> None:
    root, diagnostics = load_document(Source("game.yaml", text))
    assert [each.code for each in diagnostics] == [code]
    (only,) = diagnostics
    assert only.span is not None
    assert only.span.text == there
    assert only.help
    assert root is not None or only.severity is Severity.ERROR


HARMLESS = [
    "a: b  # and so on\n",
    "a: b # a remark\n",
    "a: card  # 3 of them\n",
    "a: 3 # or 4 in winter\n",
    "a: b # RU-144\n",
    "a: Every <k>  # why\n",
    "a: [x, y]  # and z\n",
    "a: {b: f(c), d: [1, 2]}\n",
    "a: {b: 'f(c, d)'}\n",
    "a: [yes, no, on, off]\n",
    "a: https://example.org/b\n",
    "a: 12:30\n",
    "a: b\n  - c\n",
    "a: b is\n   c\n",
    "3 players: 4\n1..2: 5\n",
    "a: >\n  b\nc: |\n  d\n",
    "a: don't (really)\n",
    "when: a ?? b\n",
    "a: {b: }\n",
    "---\na: 1\n",
    "%YAML 1.2\n---\na: 1\n",
    "a: &x 1\nb: *x\n",
    "hand[player, deed]: {one: card}\n",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_no_false_alarms(text: str) -> None:
    load(text)


def test_a_second_key_is_reported_with_the_first_and_left_out() -> None:
    root, diagnostics = load_document(Source("x", "a: 1\nb: 2\na: {c: 3}\n"))
    (only,) = diagnostics
    assert only.code == "RR0103"
    assert only.span is not None
    assert (only.span.line, only.related[0].span.line) == (3, 1)
    assert root is not None
    assert data(root) == {"a": 1, "b": 2}


def test_one_run_reports_all() -> None:
    text = "a: 1\na: 2\nb: !c\nd: [e(f, g)]\n<<: x\nh: 017\ni: 'j' k\n"
    _, diagnostics = load_document(Source("x", text))
    assert [each.code for each in diagnostics] == [
        "RR0103", "RR0104", "RR0121", "RR0106", "RR0125", "RR0118",
    ]  # fmt: skip


def test_a_warning_does_not_swallow_a_syntax_error() -> None:
    root, diagnostics = load_document(Source("x", "a: [017, 'b' c]\n"))
    assert root is None
    assert has_errors(diagnostics)


def test_a_bomb_is_refused_before_it_goes_off() -> None:
    lines = ["a0: &a0 [x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    start = time.perf_counter()
    root, diagnostics = load_document(Source("x", "\n".join(lines) + "\nz: *a29\n"))
    assert root is None
    assert [each.code for each in diagnostics] == ["RR0107"]
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? "])
def test_depth_has_a_limit_and_crashes_nothing(opening: str) -> None:
    text = ("" if opening in "- ? " else "a: ") + opening * 50_000
    root, diagnostics = load_document(Source("x", text))
    assert root is None
    assert [each.code for each in diagnostics] == ["RR0115"]


def test_the_deepest_nesting_that_is_allowed() -> None:
    depth = DEEPEST_NESTING - 1
    assert load(f"a: {'[' * depth}{']' * depth}\n")
    _, diagnostics = load_document(Source("x", f"a: {'[' * (depth + 1)}{']' * (depth + 1)}\n"))
    assert [each.code for each in diagnostics] == ["RR0115"]


def test_aliases_cannot_nest_deeper_than_the_limit() -> None:
    lines = ["a0: &a0 [x]", *(f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, DEEPEST_NESTING + 2))]
    _, diagnostics = load_document(Source("x", "\n".join(lines)))
    assert [each.code for each in diagnostics] == ["RR0115"]


def test_the_pure_reader_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rulerun_dsl.yaml.document.LOADER", yaml.SafeLoader)
    monkeypatch.setattr("rulerun_dsl.yaml.error_context.LOADER", yaml.SafeLoader)
    amiss = []
    for text, code, _ in ONE_CODE:
        root, diagnostics = load_document(Source("x", text))
        assert root is not None or has_errors(diagnostics)
        amiss += [(text, code) for each in diagnostics if each.code != code]
    # Its words differ here and there; an odd one out is no harm, a crash or silence would be.
    assert len(amiss) < len(ONE_CODE) // 5, amiss


# ---------------------------------------------------------------- comments


def test_comments_are_found_wherever_yaml_allows_them() -> None:
    text = (
        "# head\n"
        "a: b  # RU-144\n"
        "c: 'x # no'  #yes\n"
        "d: |  # sign\n"
        "  # no\n"
        "e: [f,  # in a list\n"
        "  g#no]\n"
        'h: "i\n'
        '  # no"\n'
        "# foot"
    )
    found = [(each.line, each.text, each.trailing) for each in comments(Source("x", text))]
    assert found == [
        (1, "head", False),
        (2, "RU-144", True),
        (3, "yes", True),
        (4, "sign", True),
        (6, "in a list", True),
        (10, "foot", False),
    ]
    assert comments(Source("x", text))[1].span.text == "# RU-144"


def test_comments_before_a_syntax_error_are_kept() -> None:
    assert [each.text for each in comments(Source("x", "a: 1  # b\nc: 'd' e\n# f\n"))] == ["b"]


# ---------------------------------------------------------------- anything


def check(text: str) -> list[Diagnostic]:
    source = Source("x", text)
    root, diagnostics = load_document(source)
    assert root is not None or has_errors(diagnostics)
    comments(source)
    for each in diagnostics:
        assert each.span is not None
        assert 0 <= each.span.start <= each.span.end <= len(text)
        assert each.message[-1] != "."
    if root is not None:
        for scalar in every_scalar(root):
            for place in range(len(scalar.text) + 1):
                span = scalar.span_of(place, place + 1)
                assert 0 <= span.start <= span.end <= len(text)
    return diagnostics


@given(st.text())
def test_no_text_raises(text: str) -> None:
    check(text)


PIECES = (
    *"ab:-'\"[]{},#!&*|>%@`?~\t\\é漢", ": ", "- ", "\n", "\r\n", "\n  ", "\n    ", " # ", "&x ",
    "*x", "<<: ", "---\n", "...\n", "0x1", ".nan", "1_0", "|2\n   b\n", ">-\n  c\n\n",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_no_yaml_raises(text: str) -> None:
    check(text)


def test_a_large_file_is_read_fast() -> None:
    chance = random.Random(1)
    lines = []
    for number in range(5000):
        if number % 10 == 0:
            lines.append(f"section_{number}:")
        words = " ".join(chance.choices(["move", "hand", "count(deck)", "3"], k=5))
        lines.append(f"  key_{number}: {{of: card, visible: all, when: {words}}}  # RU-{number}")
    source = Source("x", "\n".join(lines))
    start = time.process_time()
    root, diagnostics = load_document(source)
    assert root is not None
    assert diagnostics == []
    # A tenth of this is usual; the pure reader takes longer.
    assert time.process_time() - start < 3
