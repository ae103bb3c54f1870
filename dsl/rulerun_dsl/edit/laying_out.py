"""The one layout of a file: `rulerun fmt`.

Assumes: a source that the reader of documents has accepted.
Does: puts each block two columns further in than the one around it, one blank behind a dash, a
colon and a comma, none inside of brackets, two or more before a comment; takes out blanks at the
end of lines and all but one of several blank lines; writes a text in quotes without them where it
can do without, else in double ones; and sets operators in rules apart (`spacing`). Columns that are
aligned on purpose stay aligned: a value in the column of another one close by; and a comment stays
in its column as long as two blanks fit before it. The order and what stands on one line stay too.
Leaves behind: a text that says the same, proved by reading it again: the same data, the same
comments, nothing more to lay out. Where that fails there is no text, and `Unproved` says why.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from rulerun_dsl.diagnostics.diagnostic import has_errors
from rulerun_dsl.edit.lexemes import STEP, Level, Lexeme, Unusual, lexemes
from rulerun_dsl.edit.quoting import double_quoted, means_itself, plain_enough
from rulerun_dsl.edit.shape import data_of
from rulerun_dsl.edit.spacing import spaced
from rulerun_dsl.source.identifiers import is_name
from rulerun_dsl.source.spans import LINE_BREAK, Source
from rulerun_dsl.yaml.comments import comments
from rulerun_dsl.yaml.document import load_document
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar

_ROUNDS = 8
"""A table that no longer fits may let go of its columns one by one."""

BEFORE_COMMENT = 2

NEAR = 3
"""So many lines above and below are looked at for something in the same column."""


class Unproved(Exception):
    """What the file would say is not surely the same: a message in one line."""


def laid_out(source: Source) -> str:
    """The text of a source in the one layout. Raises `Unproved`.

    A text that cannot be read as a document may not be given.
    """
    before = source
    for _ in range(_ROUNDS):
        text = _once(before)
        if text == before.text:
            return text
        before = Source(source.name, text)
    raise Unproved("its layout does not settle")


def _once(source: Source) -> str:
    document, _ = load_document(source)
    text = spaced(source, document)
    if text != source.text:
        source = Source(source.name, text)
        document, _ = load_document(source)
    text = "".join(_Page(source, dict(_requoted(document))).lines())
    if text != source.text:
        _prove(source, document, Source(source.name, text))
    return text


def _prove(old: Source, was: Mapping | None, new: Source) -> None:
    """See that two texts say the same. Raises `Unproved`."""
    now, findings = load_document(new)
    if has_errors(findings) or (was is None) != (now is None):
        raise Unproved("laid out, it could not be read")
    if was is not None and now is not None and data_of(was) != data_of(now):
        raise Unproved("laid out, it would say something else")
    if [each.text for each in comments(old)] != [each.text for each in comments(new)]:
        raise Unproved("laid out, it would have other comments")


# ---------------------------------------------------------------------------------------- quotes

_KEPT = re.compile(r"(?:y|yes|n|no|on|off)\Z|[-+.]?[0-9]|=\Z|.*[,:;]\Z", re.IGNORECASE | re.S)
"""What stands in quotes for readers of an older YAML, and what would look cut off without."""


def _requoted(root: Node | None) -> Iterator[tuple[int, str]]:
    """Where a scalar begins that is written in other quotes, or without, and how."""
    level: list[tuple[Node, bool, bool]] = [] if root is None else [(root, False, True)]
    seen: set[int] = set()
    while level:
        node, flow, value = level.pop()
        if isinstance(node, Scalar):
            if node.style in ("single", "double") and node.span.start not in seen:
                seen.add(node.span.start)
                text = _bare(node, flow, value)
                if text is not None:
                    yield node.span.start, text
            continue
        flow = flow or node.span.text[:1] in ("[", "{")
        if isinstance(node, Mapping):
            # A sentence as a key stays in its quotes: its end is hard to see without.
            level += ((each.key, flow, False) for each in node.entries if is_name(each.key.text))
            level += ((each.value, flow, True) for each in node.entries)
        else:
            level += ((each, flow, True) for each in node.items)


def _bare(node: Scalar, flow: bool, value: bool) -> str | None:
    """How a quoted text is written, if not as it is."""
    text, written = node.text, node.span.text
    if LINE_BREAK.search(written):
        return None
    escaped = node.style == "double" and "\\" in written
    if (
        not escaped
        and plain_enough(text, flow=flow, value=value)
        and means_itself(text)
        and not _KEPT.match(text)
    ):
        return text
    if node.style == "single" and '"' not in text and "\\" not in text:
        return double_quoted(text)
    return None


# ----------------------------------------------------------------------------------------- lines


class _Page:
    """The text that comes."""

    def __init__(self, source: Source, written: dict[int, str]) -> None:
        self.source = source
        self.text = source.text
        self.written = written
        try:
            self.found = lexemes(source)
        except Unusual as problem:
            raise Unproved(str(problem)) from None
        self.out: list[str] = []
        self.column = 0
        self.shift = 0
        """By how much the line that is being written has moved."""
        self.columns: dict[int, set[tuple[int, int, str]]] = {}
        """By line: the columns in which something begins, in how many brackets, and behind what."""
        for last, each in zip(self.found, self.found[1:], strict=False):
            line, column = source.position(each.start)
            if self.text[each.start - 1 : each.start] == " ":
                self.columns.setdefault(line, set()).add((column - 1, each.depth, last.text))
        every = [each for each in comments(source) if each.trailing]
        self.comment_columns = Counter(each.span.column - 1 for each in every)

    def lines(self) -> list[str]:
        """Write everything."""
        last: Lexeme | None = None
        for each in self.found:
            self.gap(last, each)
            self.lexeme(each)
            last = each
        self.gap(last, None)
        return self.out

    def put(self, text: str) -> None:
        """Write something on the line."""
        self.out.append(text)
        broken = LINE_BREAK.split(text)
        self.column = len(broken[-1]) + (self.column if len(broken) == 1 else 0)

    def lexeme(self, each: Lexeme) -> None:
        """Write a lexeme; the lines of one of several move with its block."""
        text = self.written.get(each.start, each.text)
        if "\n" not in text and "\r" not in text:
            self.put(text)
            return
        shift = each.levels[-1].shift if each.levels else 0
        block = text[:1] in ("|", ">")
        parts = re.split(r"(\r\n|\r|\n)", text)
        for place in range(2, len(parts), 2):
            parts[place] = _moved(parts[place], shift, block)
            if not block:
                parts[place - 2] = parts[place - 2].rstrip(" \t")
        self.put("".join(parts))

    # --------------------------------------------------------------------------- between lexemes

    def gap(self, last: Lexeme | None, following: Lexeme | None) -> None:
        """Write what stands between two lexemes: blanks, breaks, comments."""
        start = 0 if last is None else last.end
        end = len(self.text) if following is None else following.start
        between = self.text[start:end]
        parts = re.split(r"(\r\n|\r|\n)", between)
        kept = last is not None and _keeps_breaks(last)
        # Lines alternate with the breaks behind them; the first is the rest of the line of `last`.
        place = start
        breaks: list[str] = []
        for index, part in enumerate(parts):
            if index % 2:
                breaks.append(part)
            elif mark := part.lstrip(" \t"):
                column = self.source.position(place + len(part) - len(mark))[1] - 1
                if index == 0 and last is not None:
                    self.trailing(mark.rstrip(), column, len(part) - len(mark))
                else:
                    self.broken(breaks, kept)
                    self.comment(mark.rstrip(), column, last, following)
                breaks, kept = [], False
            place += len(part)
        if following is None:
            if breaks and kept:
                self.broken(breaks, kept)
            elif self.out and not (last is not None and _ends_open(last) and not between):
                # A file ends with a line break, as most of its lines do.
                ending = LINE_BREAK.search(self.text)
                self.put(ending[0] if ending else "\n")
        elif breaks or (index == 0 and last is None):
            self.broken(breaks, kept)
            self.indent(following)
        else:
            self.blanks(last, following, len(between))

    def broken(self, breaks: list[str], kept: bool) -> None:
        """Write line breaks: of several blank lines one stays, and none at the top."""
        if not self.out:
            return
        self.put("".join(breaks if kept else breaks[:2]))

    def indent(self, each: Lexeme) -> None:
        """Begin a line with a lexeme."""
        old = self.source.position(each.start)[1] - 1
        level = each.levels[-1] if each.levels else Level(0, 0)
        if each.kind == "mark":
            new = 0
        elif each.depth or (each.kind == "sign" and each.text in ("]", "}")):
            new = max(old + level.shift, level.new)
        elif each.begins:
            new = level.new
        else:
            new = level.new + STEP if each.levels else 0
        self.shift = new - old
        self.put(" " * new)

    def blanks(self, last: Lexeme | None, each: Lexeme, written: int) -> None:
        """Write the blanks between two lexemes of a line."""
        many = _between(last, each)
        if written > many == 1 and last is not None and last.text in (":", ","):
            line, column = self.source.position(each.start)
            if self.aligned(line, (column - 1, each.depth, last.text)):
                many = max(1, column - 1 + self.shift - self.column)
        self.put(" " * many)

    def aligned(self, line: int, place: tuple[int, int, str]) -> bool:
        """Whether something of the kind begins in the same column in a line close by."""
        near = (by for by in range(-NEAR, NEAR + 1) if by)
        return any(place in self.columns.get(line + by, ()) for by in near)

    def trailing(self, text: str, column: int, written: int) -> None:
        """Write a comment behind something: where it stood if there is room, or close."""
        many = max(BEFORE_COMMENT, column - self.column)
        if written <= BEFORE_COMMENT and self.comment_columns[column] == 1:
            # It has stood as close as it can, and in no column with others.
            many = BEFORE_COMMENT
        self.put(" " * many + text)

    def comment(
        self, text: str, column: int, last: Lexeme | None, following: Lexeme | None
    ) -> None:
        """Write a comment on a line of its own, like what it stands with."""
        self.put(" " * self.place_of(column, last, following) + text)

    def place_of(self, column: int, last: Lexeme | None, following: Lexeme | None) -> int:
        """The column of a comment that stood in this one."""
        if following is not None and (following.depth or following.text in ("]", "}")):
            shift = following.levels[-1].shift if following.levels else 0
            return max(0, column + shift)
        after = () if following is None else following.levels
        before = () if last is None else last.levels
        for level in (*reversed(after), *reversed(before)):
            if level.old == column:
                return level.new
        inside = [each for each in (*after, *before) if each.old < column]
        if inside:
            return max(inside, key=lambda each: each.old).new
        return after[-1].new if after else 0


def _between(last: Lexeme | None, each: Lexeme) -> int:
    """How many blanks stand between two lexemes of a line, if nothing is aligned."""
    if last is None:
        return 0
    if last.kind == "sign" and last.text in ("[", "{"):
        return 0
    if each.kind == "sign" and each.text in ("]", "}", ","):
        # `{x:}` would be read as a text.
        return 1 if last.kind == "sign" and last.text == ":" else 0
    if each.kind == "sign" and each.text == ":":
        # The name of an alias may end in a colon.
        return 1 if last.kind == "property" else 0
    return 1


def _keeps_breaks(each: Lexeme) -> bool:
    """Whether the line breaks behind a block of text belong to it."""
    head = LINE_BREAK.split(each.text, maxsplit=1)[0]
    return each.text[:1] in ("|", ">") and "+" in head.split("#", 1)[0]


def _ends_open(each: Lexeme) -> bool:
    """Whether a line break behind it would belong to a block of text, which has none at its end."""
    return each.text[:1] in ("|", ">") and LINE_BREAK.search(each.text) is not None


def _moved(line: str, shift: int, block: bool) -> str:
    """A later line of a text, moved with it."""
    if not line.strip(" \t") and not block:
        return ""
    if shift >= 0:
        return " " * shift + line if line else line
    blanks = len(line) - len(line.lstrip(" "))
    return line[min(-shift, blanks) :]
