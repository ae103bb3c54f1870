"""Whatever tree is printed, parsing gives it back; whatever text is parsed, nothing is raised."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests import strategies
from tests.printing import bare, printed

from rulerun_dsl.source.spans import Source
from rulerun_dsl.syntax import expressions as ast
from rulerun_dsl.syntax import parse
from rulerun_dsl.yaml.nodes import Scalar

# Trees are made of many small choices; what is slow to make is still quick to check. `.ci/run`
# asks for more of them.
quick = settings(
    max_examples=int(os.environ.get("RULERUN_EXAMPLES", "30")),
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

PARSERS: tuple[Callable[[Scalar], tuple[Any, list[Any]]], ...] = (
    parse.parse_block,
    parse.parse_test,
    parse.parse_binders,
    parse.parse_loops,
    parse.parse_signature,
    parse.parse_indexed,
    parse.parse_declared,
    parse.parse_type,
    parse.parse_winner,
    parse.parse_every,
    parse.parse_call,
    parse.parse_template,
)


def scalar(text: str) -> Scalar:
    source = Source("made up", text)
    return Scalar(text, text, source.span(0, len(text)))


def depth(node: ast.Node) -> int:
    return 1 + max(map(depth, parse.children(node)), default=0)


def comes_back(parser: Callable[[Scalar], tuple[Any, list[Any]]], tree: Any) -> None:
    text = printed(tree)
    assume(len(text) <= parse.LONGEST and depth(tree) < parse.DEEPEST)
    again, found = parser(scalar(text))
    assert not found, (text, found)
    assert bare(again) == bare(tree), text


@quick
@given(strategies.tests)
def test_expression(tree: Any) -> None:
    comes_back(parse.parse_test, tree)


@quick
@given(strategies.blocks)
def test_block(tree: Any) -> None:
    comes_back(parse.parse_block, tree)


@quick
@given(strategies.binders)
def test_binders(tree: Any) -> None:
    comes_back(parse.parse_binders, tree)


@quick
@given(strategies.loops)
def test_loops(tree: Any) -> None:
    comes_back(parse.parse_loops, tree)


@quick
@given(strategies.signatures)
def test_signature(tree: Any) -> None:
    comes_back(parse.parse_signature, tree)


@quick
@given(strategies.declared)
def test_declared(tree: Any) -> None:
    comes_back(parse.parse_declared, tree)


@quick
@given(strategies.indexed)
def test_indexed(tree: Any) -> None:
    comes_back(parse.parse_indexed, tree)


@quick
@given(strategies.types)
def test_type(tree: Any) -> None:
    comes_back(parse.parse_type, tree)


@quick
@given(strategies.templates)
def test_template(tree: Any) -> None:
    assume(printed(tree).strip())
    comes_back(parse.parse_template, tree)


TOKENS = (
    "and or not in is if else for true false none kind the you all this otherwise let move to from "
    "by up every with until then as of at random roll pick sort give stop pass end game won a b p "
    "x 1 23 ( ) [ ] , ; . .. = == != <= < > >= + - * // ** % += -= && || ! ? : { } ' \" 3food 1.5 "
    "=== <> := ++ # é"
).split()


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.__name__)
@quick
@given(st.text(max_size=40) | st.lists(st.sampled_from(TOKENS), max_size=12).map(" ".join))
def test_any_text(parser: Callable[[Scalar], tuple[Any, list[Any]]], text: str) -> None:
    node, found = parser(scalar(text))
    assert (node is None) == bool(found)
    if parser is not parse.parse_template:
        assert len(found) <= 1
    for diagnostic in found:
        assert diagnostic.help
        assert diagnostic.message and not diagnostic.message.endswith(".")
        assert diagnostic.span is not None
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text)


@quick
@given(strategies.blocks, st.data())
def test_a_broken_text(tree: Any, data: st.DataObject) -> None:
    """One character lost, doubled or put in: still a tree or one diagnostic."""
    text = printed(tree)
    place = data.draw(st.integers(0, len(text)))
    lost = data.draw(st.integers(0, 2))
    more = data.draw(st.sampled_from(("", " ", "(", ")", "=", "x", "1", ";", "'", "if ", ".")))
    node, found = parse.parse_block(scalar(text[:place] + more + text[place + lost :]))
    assert (node is None) == (len(found) == 1)


@quick
@given(strategies.blocks)
def test_spans_nest(tree: Any) -> None:
    """Every node lies inside the one around it."""
    text = printed(tree)
    assume(len(text) <= parse.LONGEST and depth(tree) < parse.DEEPEST)
    block, _ = parse.parse_block(scalar(text))
    assert block is not None
    assert block.span.text == text
    waiting: list[ast.Node] = [block]
    while waiting:
        node = waiting.pop()
        for child in parse.children(node):
            assert node.span.start <= child.span.start < child.span.end <= node.span.end
            waiting.append(child)
