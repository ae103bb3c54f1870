"""From the text of one scalar to its syntax tree.

Assumes: a scalar of a document, and that the caller knows its role: a statement, a condition, a
signature, a type. The role decides the start symbol of `grammar.lark`.
Does: runs the LALR parser, whose rules build the tree as they are completed (`tree_builder`). When
a text does not parse, `explain` finds out what its author probably meant.
Leaves behind: a node of `expressions` and no diagnostics, or nothing and one diagnostic. Whatever
the text, nothing is raised: lengths and depths are limited, since later passes walk the tree by
recursion, and a rules file may come from a stranger.

There is one parser for all roles. It is loaded from `grammar.json`, which is made of the grammar by
`python -m rulerun_dsl.syntax.parser_tables`: reading tables takes a third of the time of computing
them. Tables of another grammar or another Lark are ignored, and computed again.
"""

from __future__ import annotations

import dataclasses
import re
import threading
from functools import cache
from typing import Any, cast

from lark import Lark, Token
from lark.exceptions import UnexpectedInput, UnexpectedToken

from rulerun_dsl.diagnostics.diagnostic import Diagnostic, Related, problem
from rulerun_dsl.diagnostics.fixes import Edit, Fix, rewrite
from rulerun_dsl.source.placeholders import closing
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import expressions as ast
from rulerun_dsl.syntax import statements as stmt
from rulerun_dsl.syntax.parser_tables import load_parser, reserved_words
from rulerun_dsl.syntax.pieces import Instead, Piece, Rejected
from rulerun_dsl.syntax.tree_builder import Builder
from rulerun_dsl.yaml.nodes import Scalar

MOST_TEXT = 200_000
"""The most characters that the rules of a game may have, without keys, prose and values of rows."""

EACH_TEXT = 10
"""So many characters more count for each text: to read a short one takes as long."""

LONGEST = 4_000
DEEPEST = 64

Found = list[Diagnostic]

_builder = Builder()
# The builder holds the text that is being parsed.
_lock = threading.RLock()


def parse_block(scalar: Scalar) -> tuple[stmt.Block | None, Found]:
    """Parse statements joined by `;`."""
    return _parse(scalar, "block")


def parse_test(scalar: Scalar) -> tuple[ast.Expression | None, Found]:
    """Parse an expression: a value, a condition, who sees something."""
    return _parse(scalar, "test")


def parse_binders(scalar: Scalar) -> tuple[ast.Binders | None, Found]:
    """Parse `c in hand if c.red`, `you in order`, `1..3 t in larder`."""
    return _parse(scalar, "binders")


def parse_loops(scalar: Scalar) -> tuple[ast.Loops | None, Found]:
    """Parse `x in S if c for y in T`, of a loop in a loop."""
    return _parse(scalar, "loops")


def parse_signature(scalar: Scalar) -> tuple[ast.Signature | None, Found]:
    """Parse the key of a procedure, function, action or named option."""
    return _parse(scalar, "signature")


def parse_indexed(scalar: Scalar) -> tuple[ast.Indexed | None, Found]:
    """Parse the key of a zone or variable: `hand[player]`."""
    return _parse(scalar, "indexed")


def parse_declared(scalar: Scalar) -> tuple[ast.Declared | None, Found]:
    """Parse `TYPE` or `TYPE = start`."""
    return _parse(scalar, "declared")


def parse_type(scalar: Scalar) -> tuple[ast.TypeExpression | None, Found]:
    """Parse a type."""
    return _parse(scalar, "type")


def parse_winner(scalar: Scalar) -> tuple[ast.Superlative | ast.Expression | None, Found]:
    """Parse the value of `winner:`: `highest score`, `lowest score` or an expression."""
    return _parse(scalar, "winner")


def parse_every(scalar: Scalar) -> tuple[ast.Every | None, Found]:
    """Parse `every rank and suit`."""
    return _parse(scalar, "every")


def parse_call(scalar: Scalar) -> tuple[ast.Name | ast.Call | None, Found]:
    """Parse an item of `choose: [action, group]`: a name, or a call of an action."""
    return _parse(scalar, "call_item")


def parse_template(scalar: Scalar) -> tuple[ast.Template | None, Found]:
    """Parse the sentence of `say:` or `ask:`, in which `<p>` stands for the value of `p`.

    `<<` is a `<` of the sentence itself; a `>` outside of `<…>` needs no sign. In the expression
    a comparison with `>` needs parentheses around it.
    """
    text = scalar.text
    if not text.strip():
        return None, [_empty(scalar)]
    if len(text) > LONGEST:
        return None, [_too_long(scalar, text)]
    parts: list[str | ast.Expression] = []
    found: Found = []
    words: list[str] = []
    place = 0
    while place < len(text):
        if text[place] != "<":
            words.append(text[place])
            place += 1
        elif text.startswith("<<", place):
            words.append("<")
            place += 2
        else:
            close = closing(text, place + 1)
            if close is None:
                message = "`<` is never closed by `>`"
                help = "write `<<` for a `<` that belongs to the sentence"
                span = scalar.span_of(place, place + 1)
                fixes = rewrite(span, "<<", safe=False) if span.text == "<" else ()
                found.append(problem("RR0324", message, span, help=help, fixes=fixes))
                return None, found
            if _goes_on(text, close):
                message = "`>` ends what stands in `<…>`"
                whole = text[place + 1 : text.index(">", close + 1)]
                help = f"write `<({whole})>`"
                span = scalar.span_of(close, close + 1)
                found.append(problem("RR0324", message, span, help=help))
                return None, found
            node, wrong = _parse(scalar, "test", place + 1, close)
            found.extend(wrong)
            if words:
                parts.append("".join(words))
                words.clear()
            if node is not None:
                parts.append(node)
            place = close + 1
    if words:
        parts.append("".join(words))
    if found:
        return None, found
    return ast.Template(scalar.span_of(0, len(text)), tuple(parts)), []


def _goes_on(text: str, close: int) -> bool:
    """Whether a `>` rather compares, as in `<n > 3>`, than ends what stands in `<…>`."""
    rest = text[close + 1 :]
    ends = rest.find(">")
    bare = text[close - 1].isspace() and (rest[:1].isspace() or rest[:1] == "=")
    return bare and ends > 0 and "<" not in rest[:ends]


def _parse(scalar: Scalar, start: str, low: int = 0, high: int | None = None) -> tuple[Any, Found]:
    """Parse the text of a scalar, or a part of it, in one role."""
    text = scalar.text[low:high]
    if not text.strip():
        return None, [_empty(scalar, low, high)]
    if len(text) > LONGEST:
        return None, [_too_long(scalar, text)]
    if not text.isascii():
        from rulerun_dsl.syntax.explain.typos import odd_word

        if (odd := odd_word(text)) is not None:
            return None, [_diagnostic(scalar, odd, low)]
    with _lock:
        _builder.begin(scalar, text, low)
        try:
            piece = _run(text, start)
        except UnexpectedInput as error:
            from rulerun_dsl.syntax.explain.typos import explain

            slip = explain(text, start, error, parser())
        except Rejected as refused:
            slip = refused
        else:
            deep = _too_deep(piece.node) if len(text) > DEEPEST else None
            return (None, [deep]) if deep else (piece.node, [])
    return None, [_diagnostic(scalar, slip, low)]


def _diagnostic(scalar: Scalar, slip: Rejected, low: int) -> Diagnostic:
    related = []
    if slip.related:
        start, end, message = slip.related
        related.append(Related(scalar.span_of(low + start, low + end), message))
    span = scalar.span_of(low + slip.start, low + slip.end)
    if scalar.style == "plain" and _begins_line(span) and "\n" in scalar.span.text:
        # YAML has joined lines that were meant as several.
        return problem(
            "RR0132",
            "this line goes on with the one above",
            span,
            help="begin each line of a list with `- `",
            fixes=_as_list(scalar),
        )
    fixes = () if slip.instead is None else _mended(scalar, slip, slip.instead, low)
    return problem(slip.code, slip.message, span, help=slip.help, related=related, fixes=fixes)


def _as_list(scalar: Scalar) -> tuple[Fix, ...]:
    """The fix that makes items of the lines of a text, if all stand in one column."""
    source, first = scalar.span.source, scalar.span
    lines = range(first.line, first.end_line + 1)
    starts = [source.line_starts[each - 1] + first.column - 1 for each in lines]
    if not _begins_line(first) or any(
        source.text[source.line_starts[line - 1] : start].strip() or source.text[start].isspace()
        for line, start in zip(lines, starts, strict=True)
    ):
        return ()
    edits = tuple(Edit(source.span(start), "- ") for start in starts)
    return (Fix("make them items of a list", edits, False),)


_KEY = re.compile(r"[a-z]+: ")
_ITEM = re.compile(r"\s*(?:- )+\Z")


def _mended(scalar: Scalar, slip: Rejected, instead: Instead, low: int) -> tuple[Fix, ...]:
    """The fix that writes what a slip was meant to be, with blanks round a word."""
    start, end = (low + each for each in instead.place or (slip.start, slip.end))
    span = scalar.span_of(start, end)
    if span.text != scalar.text[start:end]:
        return ()
    text = instead.text
    if text and text[0].isalpha() and scalar.text[start - 1 : start].strip("([; "):
        text = f" {text}"
    if text and text[-1].isalpha() and scalar.text[end : end + 1].strip("),; "):
        text += " "
    if _KEY.match(text):
        # A key takes the place of a whole line.
        if scalar.style != "plain" or end - start < len(scalar.text):
            return ()
        source = span.source
        before = source.text[source.line_starts[span.line - 1] : span.start]
        text = text if _ITEM.fullmatch(before) else f"{{{text}}}"
    what = f"write `{instead.text.strip()}`"
    if not instead.text.strip():
        what = f"take out `{span.text.strip()}`" if span.text.strip() else "write a blank"
    return rewrite(span, text, safe=instead.sure, title=what)


def _begins_line(span: Span) -> bool:
    """Whether nothing stands before a place on its line, which is not the first of its text."""
    source = span.source
    return not source.text[source.line_starts[span.line - 1] : span.start].strip()


def _may_be_a_name(token: Token) -> bool:
    """Tell whether a keyword opens or joins parts of a statement, and is a name where it cannot."""
    return token.type != "NAME" and token.isidentifier() and token not in reserved_words()


def _run(text: str, start: str) -> Piece:
    """Run the parser, and once more with care if it may have taken a name for a keyword."""
    try:
        return cast(Piece, parser().parse(text, start=start))
    except UnexpectedToken as error:
        if not _may_be_a_name(error.token):
            raise
        return _run_softly(text, start)


def _run_softly(text: str, start: str) -> Piece:
    """Run the parser, reading a word of the language as a name where only that fits.

    The lexer takes a word for a keyword wherever the state of the parser lets it, and states are
    merged: in `raise(1..limit to)` it cannot tell that no `move` is under way.
    """
    names: set[int] = set()
    while True:
        interactive: Any = parser().parse_interactive(text, start=start)
        before = interactive
        try:
            for token in interactive.lexer_thread.lex(interactive.parser_state):
                before = interactive.copy(deepcopy_values=False)
                if token.start_pos in names:
                    token = Token.new_borrow_pos("NAME", token, token)
                interactive.feed_token(token)
            return cast(Piece, interactive.feed_eof())
        except UnexpectedToken as error:
            place = error.token.start_pos
            if (
                not _may_be_a_name(error.token)
                or place is None
                or place in names
                or "NAME" not in before.accepts()
            ):
                raise
            names.add(place)


@cache
def parser() -> Lark:
    """The parser for all roles, loaded when the first text is parsed."""
    return load_parser(_builder)


def _empty(scalar: Scalar, low: int = 0, high: int | None = None) -> Diagnostic:
    return problem(
        "RR0301",
        "there is nothing here",
        scalar.span_of(low, high) if high is not None else scalar.span,
        help="write the rule, or leave the key out; for a block that does nothing write `pass`",
    )


def _too_long(scalar: Scalar, text: str) -> Diagnostic:
    return problem(
        "RR0302",
        f"a rule of {len(text)} characters is longer than {LONGEST}",
        scalar.span,
        help="split it: statements into a list, values into functions",
    )


def _too_deep(root: ast.Node) -> Diagnostic | None:
    """Measure the tree without recursion."""
    level: list[ast.Node] = [root]
    for _ in range(DEEPEST):
        level = [child for node in level for child in children(node)]
        if not level:
            return None
    return problem(
        "RR0303",
        f"this is nested more than {DEEPEST} deep",
        level[0].span,
        help="give a part of it a name: a function, or a `let`",
    )


def children(node: ast.Node) -> list[ast.Node]:
    """The nodes directly inside a node, in the order of the text."""
    inside: list[ast.Node] = []
    kind: Any = type(node)
    for name in _fields(kind):
        value = getattr(node, name)
        if isinstance(value, ast.Node):
            inside.append(value)
        elif isinstance(value, tuple):
            inside.extend(item for item in value if isinstance(item, ast.Node))
    return inside


@cache
def _fields(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))
