"""From text to tree: what each form becomes, and what is said of each slip."""

from __future__ import annotations

import ast as python
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.printing import bare, compact, printed

from rulerun_dsl.diagnostics.catalogue import SYNTAX
from rulerun_dsl.source.spans import Source
from rulerun_dsl.syntax import expressions as ast
from rulerun_dsl.syntax import parse, parser_tables
from rulerun_dsl.syntax import statements as stmt
from rulerun_dsl.syntax.tree_builder import Builder
from rulerun_dsl.yaml.document import load_document
from rulerun_dsl.yaml.nodes import Mapping, Scalar

CASES = Path(__file__).parent / "cases"
PAGES = Path(__file__).parent.parent / "docs" / "reference" / "diagnostics"

ROLES: dict[str, Callable[[Scalar], tuple[Any, list[Any]]]] = {
    "block": parse.parse_block,
    "test": parse.parse_test,
    "binders": parse.parse_binders,
    "loops": parse.parse_loops,
    "signature": parse.parse_signature,
    "indexed": parse.parse_indexed,
    "declared": parse.parse_declared,
    "type": parse.parse_type,
    "winner": parse.parse_winner,
    "every": parse.parse_every,
    "call": parse.parse_call,
    "template": parse.parse_template,
}


def scalar(text: str) -> Scalar:
    return Scalar(text, text, Source("test.yaml", text).span(0, len(text)))


def trees() -> list[tuple[str, str, str]]:
    """The cases of `trees.txt`: role, text, tree."""
    lines = (CASES / "trees.txt").read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line and not line.startswith("#")]
    heads = (row.split(" | ", 1) for row in rows[::2])
    return [
        (role, text, tree.strip()) for (role, text), tree in zip(heads, rows[1::2], strict=True)
    ]


def slips() -> list[tuple[str, int, int, str, str]]:
    """The cases of `slips.txt`: code, column, length, role, text."""
    cases = []
    for line in (CASES / "slips.txt").read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        head, role, text = line.split(" | ", 2)
        code, column, length = re.split(r"[ +]", head)
        quoted = text.startswith("'") and text.endswith("'")
        cases.append(
            (code, int(column), int(length), role, python.literal_eval(text) if quoted else text)
        )
    return cases


@pytest.mark.parametrize(("role", "text", "tree"), trees())
def test_trees(role: str, text: str, tree: str) -> None:
    node, found = ROLES[role](scalar(text))
    assert not found
    assert compact(node) == tree
    assert node.span.text == text
    again, _ = ROLES[role](scalar(printed(node)))
    assert bare(again) == bare(node)


@pytest.mark.parametrize(("code", "column", "length", "role", "text"), slips())
def test_slips(code: str, column: int, length: int, role: str, text: str) -> None:
    node, found = ROLES[role](scalar(text))
    assert node is None
    (diagnostic,) = found
    place = (diagnostic.span.column, diagnostic.span.end - diagnostic.span.start)
    assert (diagnostic.code, *place) == (code, column, length), diagnostic.message
    assert diagnostic.help
    assert not re.search(r"[.\n]$|[A-Z]{3}", diagnostic.message)


def test_every_code_has_a_case() -> None:
    cases = {code for code, *_ in slips()}
    # These two take more text than a line.
    assert set(SYNTAX) - cases == {"RR0302", "RR0303"}


def test_the_messages_of_a_few_slips() -> None:
    def said(role: str, text: str) -> tuple[str, str | None]:
        _, (diagnostic,) = ROLES[role](scalar(text))
        return diagnostic.message, diagnostic.help

    assert said("block", "moove c to hand") == (
        "no statement begins with `moove`",
        "did you mean `move`?",
    )
    assert said("test", "1_000") == (
        "a number is written in digits alone, not `1_000`",
        "write `1000`",
    )
    assert said("test", "a and or b") == (
        "a value is missing after `and`",
        "write a value between `and` and `or`",
    )
    assert said("block", "swap a b") == ("`with` was expected, not `b`", "write `swap a with b`")
    assert said("block", "x += 1 for each p")[1] == "write `for p in players`"
    assert (
        said("block", "x += 1 for each other player q")[1] == "write `for q in players if q != you`"
    )
    assert said("block", "x += 1 for each other q if y")[1] == "write `for q in players`"
    assert said("block", "x += 1 for each of hand")[1] == "write `for h in hand`"
    assert said("block", "x += sum(c.n for each c in hand)")[1] == "write `for c in hand`"
    assert said("block", "x += count(for each c in hand)")[1] == "write `count(c in …)`"
    assert said("test", "sum(for c in hand: c.n)")[1] == "write `sum(VALUE for c in …)`"
    assert said("test", "all c in hand: c.n > 3")[1] == "write `all(c.n > 3 for c in hand)`"
    assert said("test", "exists c in hand[p] with a")[1] == "write `any(a for c in hand[p])`"
    assert said("block", "x //= 2")[1] == "write it out: `x = x // …`"
    assert said("test", "a\u2003b")[0] == "U+2003 (em space) means nothing in a rule"


def test_an_open_bracket_is_shown_where_it_opens() -> None:
    _, (diagnostic,) = parse.parse_test(scalar("1 + count(hand[p] and x"))
    (related,) = diagnostic.related
    assert (related.span.start, related.span.text) == (9, "(")


def test_parentheses_widen_the_span() -> None:
    node, _ = parse.parse_test(scalar("(a + b) * c"))
    assert isinstance(node, ast.Binary)
    assert node.span.text == "(a + b) * c"
    assert node.left.span.text == "(a + b)"


def test_suffixes_have_their_own_span() -> None:
    node, _ = parse.parse_block(scalar("pass; x = 1 for p in S if c; y += 2 if d"))
    assert node is not None
    repeated, guarded = node.statements[1:]
    assert isinstance(repeated, stmt.Repeated) and isinstance(guarded, stmt.Guarded)
    assert repeated.span.text == "x = 1 for p in S if c"
    assert repeated.statement.span.text == "x = 1"
    assert guarded.span.text == "y += 2 if d"
    assert guarded.statement.span.text == "y += 2"


def test_places_follow_yaml() -> None:
    """An error in a folded text is shown in the file, not in what YAML makes of it."""
    document, _ = load_document(Source("x.yaml", "when: >-\n  a and\n  b && c\nthen: 1\n"))
    assert isinstance(document, Mapping)
    when = document.get("when")
    assert isinstance(when, Scalar)
    _, (diagnostic,) = parse.parse_test(when)
    assert diagnostic.span is not None
    assert (diagnostic.span.line, diagnostic.span.column) == (3, 5)


def test_a_long_text() -> None:
    fits = "a" + " + a" * 20 + " " * (parse.LONGEST - 81)
    assert parse.parse_test(scalar(fits))[0] is not None
    for role in ROLES:
        _, (diagnostic,) = ROLES[role](scalar(fits + " "))
        assert diagnostic.code == "RR0302"


@pytest.mark.parametrize(
    "text",
    [
        "-" * 3_900 + "a",
        "not " * 900 + "a",
        "a" + ".b" * 1_900,
        "a" + "[1]" * 1_300,
        "f(" * 1_300 + "a" + ")" * 1_300,
        "a" + " + a" * 900,
        "a if b else " * 300 + "c",
        "a ** " * 700 + "a",
        "the " * 900 + "a",
        "x of " * 700 + "a",
    ],
)
def test_a_deep_text(text: str) -> None:
    _, (diagnostic,) = parse.parse_test(scalar(text))
    assert diagnostic.code == "RR0303"


def test_depth_is_of_the_tree() -> None:
    """Parentheses leave no node, and so do not count."""
    assert parse.parse_test(scalar("(" * 1_900 + "a" + ")" * 1_900))[0] is not None
    just = "-" * (parse.DEEPEST - 1) + "a"
    assert parse.parse_test(scalar(just))[0] is not None
    assert parse.parse_test(scalar("-" + just))[0] is None


def test_unclosed_depth_is_no_trouble() -> None:
    for text in ("(" * 3_999, "a[" * 1_999, "(" * 2_000 + "a", "f(" * 1_999 + "a"):
        _, (diagnostic,) = parse.parse_test(scalar(text))
        assert diagnostic.code in ("RR0305", "RR0307")


def test_each_part_of_a_sentence_is_reported() -> None:
    _, found = parse.parse_template(scalar("<a +> wins <b &&> twice"))
    places = [each.span.start for each in found if each.span is not None]
    assert [each.code for each in found] == ["RR0305", "RR0313"]
    assert places == [4, 14]


def test_threads_do_not_mix_their_texts() -> None:
    wrong: list[str] = []

    def work(text: str) -> None:
        for _ in range(60):
            node, _ = parse.parse_test(scalar(text))
            if node is None or node.span.text != text:
                wrong.append(text)

    threads = [threading.Thread(target=work, args=(f"a{n} + {n} * b",)) for n in range(4)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not wrong


# ------------------------------------------------------------------------------------- the grammar


def test_the_grammar_is_strict() -> None:
    """No conflict that Lark would settle silently, and no two terminals for one text."""
    pytest.importorskip("interegular")
    parser_tables.build_parser(strict=True)


def test_every_rule_has_a_method() -> None:
    """Without one, Lark leaves a tree of its own where a node should be."""
    parser = parser_tables.build_parser()
    rules = {rule.alias or str(rule.origin.name) for rule in parser.rules}
    # What is written with `?` and has no alias passes its only part on.
    kept = {name for name in rules if not name.startswith("_")}
    passed_on = {
        str(rule.origin.name)
        for rule in parser.rules
        if rule.options.expand1 and not rule.alias and len(rule.expansion) == 1
    }
    methods = {name for name in dir(Builder) if not name.startswith("_")}
    assert kept - methods <= passed_on


def test_the_tables_are_up_to_date() -> None:
    """If this fails: `python -m rulerun_dsl.syntax.parser_tables`."""
    shipped = parser_tables.read_tables()
    assert shipped is not None
    assert shipped["made_from"] == parser_tables.fingerprint()
    path = Path(parser_tables.__file__).with_name(parser_tables.TABLES)
    assert path.read_text(encoding="utf-8") == parser_tables.tables_text()


def test_without_tables_the_parser_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser_tables, "TABLES", "nowhere.json")
    builder = Builder()
    builder.begin(scalar("a + b"), "a + b", 0)
    piece: Any = parser_tables.load_parser(builder).parse("a + b", start="test")
    assert compact(piece.node) == "Binary(+, a, b)"


def test_tables_of_another_grammar_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser_tables, "read_tables", lambda: {"made_from": "another"})
    assert parser_tables.load_parser(Builder()).rules


def test_the_reserved_words_are_never_names() -> None:
    reserved = parser_tables.reserved_words()
    assert {"and", "for", "none", "otherwise"} <= reserved
    assert not reserved & {"move", "roll", "to", "random"}
    name = names()
    for word in reserved:
        assert not name.fullmatch(word)
        assert name.fullmatch(word + "_") and name.fullmatch("_" + word)


def names() -> re.Pattern[str]:
    """The pattern of a name."""
    name = next(each for each in parser_tables.build_parser().terminals if each.name == "NAME")
    return re.compile(name.pattern.to_regexp())


@pytest.mark.slow  # the tables are made anew
@pytest.mark.slow_in_ci
def test_a_new_keyword_is_reserved_by_standing_in_the_grammar(monkeypatch: pytest.MonkeyPatch):
    grammar = parser_tables.grammar_text()
    grammar = grammar.replace("?test: or_test\n", "?test: or_test\n     | UNLESS test -> unary\n")
    grammar += "\nUNLESS.3: /unless\\b/\n"
    assert not parse.parse_block(scalar("let unless = 3"))[1]
    monkeypatch.setattr(parser_tables, "grammar_text", lambda: grammar)
    monkeypatch.setattr(parse, "parser", lambda: parser_tables.build_parser(parse._builder))
    assert not names().fullmatch("unless") and names().fullmatch("unless_")
    (found,) = parse.parse_block(scalar("let unless = 3"))[1]
    assert found.code == "RR0309"


# ------------------------------------------------------------------------------------------- pages

# The keys that the examples of the pages use, and the role of what stands there.
KEYS = {
    "do": "block",
    "when": "test",
    "choose": "binders",
    "rows": "every",
    "say": "template",
    "type": "type",
}


def examples(code: str) -> tuple[str, str]:
    """What a page says to avoid, and what to prefer."""
    page = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    avoid, prefer = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    return avoid, prefer


def findings(text: str) -> list[str]:
    """The codes found in a fragment of a rules file."""
    fragment = yaml.safe_load(text)
    assert isinstance(fragment, dict)
    found: list[str] = []
    for key, value in fragment.items():
        for rule in value if isinstance(value, list) else [value]:
            role = KEYS.get(key, "block")
            if key == "procedures":
                for head, body in rule.items():
                    found += [each.code for each in parse.parse_signature(scalar(head))[1]]
                    found += [each.code for each in parse.parse_block(scalar(body))[1]]
            elif isinstance(rule, str):
                found += [each.code for each in ROLES[role](scalar(rule))[1]]
    return found


@pytest.mark.parametrize("code", [code for code in SYNTAX if code not in ("RR0302", "RR0303")])
def test_pages(code: str) -> None:
    avoid, prefer = examples(code)
    assert findings(avoid) == [code]
    assert findings(prefer) == []
