"""Text that YAML accepts and reads as something other than its author meant.

Assumes: nodes fresh from the reader, while their neighbours in the file are still known.
Does: looks for the few shapes that are nearly always a slip: an expression cut by ` #` or by the
comma of a list in brackets, a key without the space behind its colon, an odd number.
Leaves behind: diagnostics; the nodes are untouched.

Each check asks for strong signs, because a finding here is about text that works. What is missed
here is found by the expression parser or the schema, in worse words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from rulerun_dsl.diagnostics.diagnostic import Diagnostic, problem, short
from rulerun_dsl.diagnostics.fixes import Fix, in_quotes, insert, quote, rewrite
from rulerun_dsl.source.identifiers import NAME
from rulerun_dsl.source.spans import Span
from rulerun_dsl.yaml.nodes import Entry, Mapping, Node, Scalar, Sequence

_COMMENT = re.compile(r"([ \t]+)#([^\r\n]*)")
_BLANK_LINE_START = re.compile(r"[ \t]*(?:-[ \t]+)*\Z")
_SPACE_MISSING = re.compile(rf"{NAME}(?:\[[^\]]*\])?:(?=[^\s/:=])")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")

# An expression cannot end with one of these, so a comment behind it has cut something off.
_OPEN_END = re.compile(r"(?:\b(?:and|or|not|in|is|if|else|otherwise)|==|!=|<=|>=|[+*(\[,])\Z")
_EXPRESSION = re.compile(r"[=<>()]|\b(?:and|or|not|is|in)\b")
_GOES_ON = re.compile(r"[ \t]*(?:(?:and|or)\b|[<>=!]=|[<>+*]\s)")

_ODD_NUMBER = re.compile(
    r"[-+]?(?:0[0-9]+|[0-9]+(?:_[0-9]+)+|0[xob][0-9a-fA-F_]+|\.[0-9]+|[0-9]+\.|[0-9.]+[eE][-+]?[0-9]+)\Z"
    r"|\+[0-9]+\Z"
)
_ODD_WORDS = {
    **dict.fromkeys(("True", "TRUE"), "true"),
    **dict.fromkeys(("False", "FALSE"), "false"),
    **dict.fromkeys(("~", "null", "Null", "NULL"), "none"),
}


def value_traps(node: Scalar, in_block_sequence: bool) -> Iterator[Diagnostic]:
    """Yield what is suspicious about a plain value or list item."""
    yield from _cut_by_comment(node)
    yield from _odd_spelling(node)
    source, start = node.span.source, node.span.start
    several_lines = node.span.end - start != len(node.text)
    if in_block_sequence and several_lines:
        for dash in re.finditer(r"(?:\r\n|\r|\n)[ \t]*(-[^\r\n]*)", node.span.text):
            yield problem(
                "RR0124",
                f"`{short(dash[1])}` continues the list item above instead of starting one",
                source.span(start + dash.start(1), start + dash.end(1)),
                help="indent it like the `-` above; or, to go on with a minus sign, "
                "quote the whole value",
            )
    if found := _SPACE_MISSING.match(node.text):
        line, column = source.position(start)
        if _BLANK_LINE_START.match(source.line_text(line)[: column - 1]):
            yield missing_space(node, found.end())


def missing_space(node: Scalar, behind: int) -> Diagnostic:
    """Return the diagnostic for a colon that ends before `behind` in a text."""
    key = node.text[:behind]
    return problem(
        "RR0123",
        f"there is no space after `{key}`, so this is no key",
        node.span_of(0, behind),
        help=f"write `{key} {short(_value_of_its_own(node, behind))}`",
        fixes=insert(node.span_of(0, behind), " ", safe=True, title="put a space behind the colon"),
    )


def _value_of_its_own(node: Scalar, behind: int) -> str:
    """What is behind a colon without a space, as far as it stands deeper than the key would.

    YAML goes on with a text into the key below, for it knows of no key to stop at.
    """
    if node.style != "plain":
        return node.text[behind:]
    first, *below = re.split(r"\r\n|\r|\n", node.span.text)
    deeper = takewhile(lambda line: line[: node.span.column].isspace(), below)
    return " ".join([first[behind:].strip(), *(line.strip() for line in deeper)])


def missing_space_in(node: Node) -> Diagnostic | None:
    """Return the diagnostic for a lone text that should have been a key and a value."""
    if isinstance(node, Scalar) and node.style == "plain":
        found = _SPACE_MISSING.match(node.text)
        return missing_space(node, found.end()) if found else None
    return None


def _cut_by_comment(node: Scalar) -> Iterator[Diagnostic]:
    source = node.span.source
    found = _COMMENT.match(source.text, node.span.end)
    if found is None:
        return
    gap, comment = found[1], found[2]
    bare = _QUOTED.sub("", node.text)
    unfinished = bare.count("(") > bare.count(")") or _OPEN_END.search(bare) is not None
    number = gap == " " and comment[:1].isdigit()
    clause = gap == " " and bool(_EXPRESSION.search(bare)) and bool(_GOES_ON.match(comment))
    if unfinished or number or clause:
        yield problem(
            "RR0117",
            f"the value ends before `#`: it is only `{short(node.text)}`",
            source.span(found.end(1), found.end()),
            help="quote the value if the `#` belongs to it; "
            "for a comment, put two spaces before the `#`"
            if not unfinished
            else "quote the value if the `#` belongs to it, or finish the value before the comment",
            fixes=_comment_or_not(node, source.span(found.end(1), found.end()), unfinished),
        )


def _comment_or_not(node: Scalar, comment: Span, unfinished: bool) -> tuple[Fix, ...]:
    """The fixes that make one value of a value and the comment behind it, or keep them apart."""
    whole = quote(node.span.to(comment), safe=False)
    title = "put two blanks before the comment"
    apart = insert(node.span, " ", safe=False, title=title)
    return whole if unfinished else (*whole, *apart)


def _odd_spelling(node: Scalar) -> Iterator[Diagnostic]:
    text = node.text
    word = _ODD_WORDS.get(text)
    before = node.span.source.text[: node.span.start]
    if word in ("true", "false") and before.endswith("visible: "):
        return  # Who sees it is the question, and the checker asks it.
    if word is not None:
        yield problem(
            "RR0125",
            f"`{text}` is not how the language spells it",
            node.span,
            help=f"write `{word}`, or quote it if it is a word",
            fixes=rewrite(node.span, word, safe=word != "none"),
        )
    elif _ODD_NUMBER.match(text):
        plain = _plain_number(text)
        rewritten = f"write `{plain}`, or quote it if it is no number"
        yield problem(
            "RR0125",
            f"tools do not agree on what the number `{text}` is",
            node.span,
            help=rewritten if plain else "write all its digits",
            fixes=rewrite(node.span, plain, safe=False) if plain else (),
        )


def _plain_number(text: str) -> str | None:
    digits = text.replace("_", "")
    try:
        if re.match(r"[-+]?0[xob]", digits):
            return str(int(digits, 0))
        number = float(digits)
        return str(int(digits)) if digits.lstrip("+-").isdigit() else f"{number:.15g}"
    except (ValueError, OverflowError):
        return None


def flow_traps(node: Sequence | Mapping) -> Iterator[Diagnostic]:
    """Yield what commas have done inside a pair of braces or brackets."""
    pieces = list(_pieces(node))
    place = 0
    while place < len(pieces):
        piece = pieces[place]
        if isinstance(piece, Scalar) and (opened := _surplus(piece)) > 0:
            first, place = place, place + 1
            while opened > 0 and place < len(pieces):
                following = pieces[place]
                opened += _surplus(following if isinstance(following, Scalar) else following.key)
                place += 1
            yield _split(piece, pieces[place - 1])
            continue
        if isinstance(piece, Entry):
            first = place
            while place < len(pieces) and isinstance(pieces[place], Entry):
                place += 1
            whole_set = first == 0 and place == len(pieces)
            entries = [each for each in pieces[first:place] if isinstance(each, Entry)]
            yield _valueless(entries, whole_set)
            continue
        place += 1


def _pieces(node: Sequence | Mapping) -> Iterator[Scalar | Entry]:
    """Yield the plain texts between commas; a key that nothing follows comes as its entry."""
    if isinstance(node, Sequence):
        yield from (item for item in node.items if isinstance(item, Scalar))
        return
    for entry in node.entries:
        value = entry.value
        if not isinstance(value, Scalar):
            continue
        if value.text or value.style != "plain" or value.span.start != entry.key.span.end:
            yield value
        else:
            yield entry


def _surplus(piece: Scalar) -> int:
    """Return how many parentheses a text opens without closing them."""
    if piece.style != "plain" or ("(" not in piece.text and ")" not in piece.text):
        return 0
    bare = _QUOTED.sub("", piece.text)
    return bare.count("(") - bare.count(")")


def _split(first: Scalar, last: Scalar | Entry) -> Diagnostic:
    end = last.key.span if isinstance(last, Entry) else last.span
    span = first.span.to(end)
    quoted = _quoted(span)
    return problem(
        "RR0121",
        f"the comma splits this: YAML reads `{short(first.text)}` as a value of its own",
        span,
        help=f"quote it, as in {quoted}, or write one item a line, without brackets",
        fixes=() if "…" in quoted else quote(span),
    )


def _valueless(entries: list[Entry], whole_set: bool) -> Diagnostic:
    key = entries[0].key
    span: Span = key.span.to(entries[-1].key.span)
    if found := _SPACE_MISSING.match(key.text):
        return missing_space(key, found.end())
    if whole_set:
        help = "a list stands in square brackets; in braces each key has a value: `{key: value}`"
    else:
        help = "a comma in braces ends a value: quote the value before it, or write the keys "
        help += "one a line, without braces"
    return problem("RR0122", f"`{short(key.text)}` is a key without a value", span, help=help)


def _quoted(span: Span) -> str:
    text = span.text
    if "\n" in text or "\r" in text or len(text) > 60 or "`" in text:
        return '`"…"`'
    return f"`{in_quotes(text)}`"
