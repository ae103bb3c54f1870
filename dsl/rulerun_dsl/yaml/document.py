"""YAML text as a document: nodes that know their place.

Assumes: a `Source`; its text may be anything.
Does: reads the events of YAML, builds nodes, and refuses the parts of YAML that a rules file has
no use for (tags, merge keys, complex keys, several documents), and those that can hurt (aliases
that multiply or contain themselves, deep nesting).
Leaves behind: the top mapping, or nothing if there is none to speak of, and diagnostics. With
errors the mapping may still be given: a second key of the same name is left out, and a value
that YAML misread is there as it was written.

Events are read, rather than composed nodes, for three reasons. An alias has a place only as an
event. The composer of PyYAML recurses in C, so that a few kilobytes of `- - -` crash the whole
process where libyaml is older than 0.2.6; events come one by one, and nothing here recurses. And
what was found before a syntax error is not lost. Plain scalars get their values by YAML 1.2, as in
editors, not by the YAML 1.1 of PyYAML.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from rulerun_dsl.diagnostics.diagnostic import (
    MOST_FINDINGS,
    Diagnostic,
    Related,
    has_errors,
    not_checked,
    problem,
)
from rulerun_dsl.diagnostics.fixes import Fix, quote, rewrite, take_out_line, take_out_word
from rulerun_dsl.source.spans import Source, Span
from rulerun_dsl.yaml.error_context import LOADER
from rulerun_dsl.yaml.errors import explain
from rulerun_dsl.yaml.nodes import Entry, Mapping, Node, Scalar, Sequence
from rulerun_dsl.yaml.open_source import check_characters
from rulerun_dsl.yaml.pitfalls import flow_traps, missing_space_in, value_traps
from rulerun_dsl.yaml.scalars import NotFinite, Style, Value, core_value

# The schema library recurses several calls deep for each level.
DEEPEST_NESTING = 64

# Aliases may repeat a part of the file, but not make ten files of one.
_MOST_REPETITION = 10
_ALLOWANCE = 10_000
_HUGE = 10**9

_STYLES: dict[str | None, Style] = {
    None: "plain",
    "": "plain",
    "'": "single",
    '"': "double",
    "|": "literal",
    ">": "folded",
}
_PROPERTIES = re.compile(r"(?:[&!][^\s,\[\]{}]*[ \t\r\n]*)+")
_EMPTY_BLOCK = re.compile(r"[|>][-+]?[1-9]")


@dataclass(slots=True)
class _Anchor:
    """What `&name` names, and how much that is once aliases are followed."""

    span: Span
    node: Node | None = None  # nothing while it is still open
    size: int = 1
    height: int = 0
    used: bool = False


@dataclass(slots=True)
class _Frame:
    """A collection whose end has not come."""

    start: int
    flow: bool
    is_mapping: bool
    anchor: _Anchor | None
    items: list[Node] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    seen: dict[str, Scalar] = field(default_factory=dict)
    key: Scalar | None = None
    expects_value: bool = False
    end: int = 0
    size: int = 1
    height: int = 1


def load_document(source: Source) -> tuple[Mapping | None, list[Diagnostic]]:
    """Read the YAML of a rules file."""
    unseen = check_characters(source)
    if unseen:
        return None, unseen
    builder = _Builder(source)
    try:
        for event in yaml.parse(source.text, Loader=LOADER):
            builder.take(event)
            if len(builder.diagnostics) >= MOST_FINDINGS:
                builder.stop()
            if builder.stopped:
                return None, builder.diagnostics
    except yaml.YAMLError as failure:
        found = explain(source, failure)
        # One slip may first be read amiss and then stop the reader; the first word was better.
        line = None if found.span is None else found.span.line
        if not has_errors(
            each
            for each in builder.diagnostics
            if each.span is not None and each.span.end_line == line
        ):
            builder.diagnostics.append(found)
        return None, builder.diagnostics
    return builder.finish(), builder.diagnostics


class _Builder:
    """Nodes from events, with an own stack."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.diagnostics: list[Diagnostic] = []
        self.stopped = False
        self.root: Node | None = None
        self.frames: list[_Frame] = []
        self.anchors: dict[str, _Anchor] = {}
        self.every_anchor: list[tuple[str, _Anchor]] = []
        self.documents = 0
        self.count = 0
        self.expanded = 1
        self.largest_alias: tuple[int, Span] | None = None

    # PyYAML's events bear no types that a checker could use.
    def take(self, event: Any) -> None:
        """Use one event."""
        kind = type(event)
        if kind is yaml.ScalarEvent:
            self._scalar(event)
        elif kind is yaml.MappingStartEvent:
            self._open(event, is_mapping=True)
        elif kind is yaml.SequenceStartEvent:
            self._open(event, is_mapping=False)
        elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            self._close(event.end_mark.index)
        elif kind is yaml.AliasEvent:
            self._alias(event.anchor, event.start_mark.index, event.end_mark.index)
        elif kind is yaml.DocumentStartEvent:
            self.documents += 1
            if self.documents == 2:
                start = event.start_mark.index
                self._report(
                    "RR0112",
                    "a second document starts here; the rest of the file is not read",
                    start,
                    start + 3,
                    help="a rules file is one document: delete the `---`, or make it a file "
                    "of its own",
                    fixes=take_out_line(self.source.span(start, start + 3), "the `---`"),
                )
                self.stopped = True

    def finish(self) -> Mapping | None:
        """Return the top of the document."""
        for name, anchor in self.every_anchor:
            if not anchor.used:
                self.diagnostics.append(
                    problem(
                        "RR0110",
                        f"`&` starts a YAML anchor, and no `*{name}` uses it",
                        anchor.span,
                        help=f"quote the value if the `&` belongs to it, else delete `&{name}`",
                        fixes=take_out_word(anchor.span, f"`&{name}`"),
                    )
                )
        if self.expanded > _MOST_REPETITION * self.count + _ALLOWANCE and self.largest_alias:
            self.diagnostics.append(
                problem(
                    "RR0107",
                    f"with its aliases followed, the file has more than "
                    f"{_MOST_REPETITION * self.count + _ALLOWANCE:,} parts",
                    self.largest_alias[1],
                    help="write the repeated part as a procedure, a function or a constant",
                )
            )
            return None
        root = self.root
        if isinstance(root, Mapping):
            return root
        if root is None or (isinstance(root, Scalar) and not root.text):
            self._report(
                "RR0113", "this file holds nothing to read", 0, 0, help="start with `rulerun: 1`"
            )
        elif spaceless := missing_space_in(root):
            self.diagnostics.append(spaceless)
        else:
            what = "a list" if isinstance(root, Sequence) else "a text"
            self.diagnostics.append(
                problem(
                    "RR0114",
                    f"the file is {what}, not keys with their values",
                    root.span,
                    help="start with `rulerun: 1`, then `game:` and the rest, each on its line",
                )
            )
        return None

    def stop(self) -> None:
        """Read no further: enough is wrong."""
        why = f"{len(self.diagnostics)} mistakes were found before"
        last = self.diagnostics[-1].span
        self.diagnostics.append(not_checked("the rest of the file", why, last))
        self.stopped = True

    def _report(
        self,
        code: str,
        message: str,
        start: int,
        end: int,
        *,
        help: str | None = None,
        fixes: tuple[Fix, ...] = (),
    ) -> None:
        span = Span(self.source, start, max(start, min(end, len(self.text))))
        self.diagnostics.append(problem(code, message, span, help=help, fixes=fixes))

    def _anchor(self, name: str, start: int, end: int) -> _Anchor:
        anchor = self.anchors[name] = _Anchor(Span(self.source, start, end))
        self.every_anchor.append((name, anchor))
        return anchor

    def _tag(self, tag: str, start: int, end: int) -> None:
        written = self.text[start:end].strip()
        word = re.match(r"!([a-z_][\w.]*)", written)
        no = f"write `not {word[1]}`, or quote" if word else "quote"
        sign = self.source.span(start, start + 1)
        # `!important` may be anything; a word with parentheses or brackets is a condition.
        safe = re.match(r"!\w+[(\[]", self.text[start:]) is not None
        fixes = rewrite(sign, "not ", safe=safe, title="write `not`")
        self._report(
            "RR0104",
            f"`!` starts a YAML tag, so this is not read as it stands: `{tag}`"
            if not word
            else f"`!` starts a YAML tag: `!{word[1]}` is not read as part of the value",
            start,
            end,
            help=f"{no} the whole value if the `!` belongs to it",
            fixes=fixes if word else (),
        )

    def _scalar(self, event: Any) -> None:
        text: str = event.value
        start: int = event.start_mark.index
        end: int = event.end_mark.index
        style = _STYLES[event.style]
        anchor = None
        if style == "literal" or style == "folded":
            # YAML ends a block where the next token starts.
            end = start + len(self.text[start:end].rstrip(" \t\r\n"))
            if not text and _EMPTY_BLOCK.match(self.text, start):
                self._report(
                    "RR0120",
                    f"`{self.text[start]}` starts a block of text here, and the block is empty",
                    start,
                    end,
                    help="quote the whole value",
                )
        if event.anchor is not None or event.tag is not None:
            begin = start
            if found := _PROPERTIES.match(self.text, start, end):
                start = found.end()
            if event.anchor is not None:
                anchor = self._anchor(event.anchor, begin, end)
            if event.tag is not None:
                self._tag(event.tag, begin, end)
                # The author's own words, so that nothing seems to be missing there.
                start, style, text = begin, "plain", self.text[begin:end]
        frame = self.frames[-1] if self.frames else None
        is_value = frame is None or not frame.is_mapping or frame.expects_value
        value: Value = text
        counts = True
        if style == "plain" and is_value and event.tag is None:
            try:
                value = core_value(text)
            except NotFinite:
                counts = False
                self._report(
                    "RR0116",
                    f"`{text}` is no number that a game can count with",
                    start,
                    end,
                    help="write a whole number, or quote it if it is a word",
                )
        node = Scalar(text, value, Span(self.source, start, end), style)
        # Most values are plain words on one line, at its end: nothing to look for.
        if (
            frame is not None
            and is_value
            and style == "plain"
            and text
            and event.tag is None
            and counts
            and (
                value is not text
                or not text[0].isalpha()
                or ":" in text
                or end - start != len(text)
                or self.text[end : end + 1] in (" ", "\t")
            )
        ):
            block_item = not frame.is_mapping and not frame.flow
            self.diagnostics.extend(value_traps(node, block_item))
        if anchor is not None:
            anchor.node = node
        self._add(node, end, 1, 0)

    def _open(self, event: Any, *, is_mapping: bool) -> None:
        start: int = event.start_mark.index
        if len(self.frames) >= DEEPEST_NESTING:
            self._report(
                "RR0115",
                f"this is nested more than {DEEPEST_NESTING} levels deep",
                start,
                start + 1,
                help="move the inner part into a procedure or a function",
            )
            self.stopped = True
            return
        anchor = None
        if event.anchor is not None or event.tag is not None:
            found = _PROPERTIES.match(self.text, start)
            end = found.end() if found else start + 1
            written = start + len(self.text[start:end].rstrip())
            if event.anchor is not None:
                anchor = self._anchor(event.anchor, start, written)
            if event.tag is not None:
                self._tag(event.tag, start, written)
            start = end
        self.frames.append(_Frame(start, bool(event.flow_style), is_mapping, anchor, end=start))

    def _close(self, end: int) -> None:
        frame = self.frames.pop()
        # A block ends with its last part, not where the next token starts.
        span = Span(self.source, frame.start, end if frame.flow else frame.end)
        node: Mapping | Sequence
        if frame.is_mapping:
            node = Mapping(tuple(frame.entries), span)
        else:
            node = Sequence(tuple(frame.items), span)
        if frame.flow:
            self.diagnostics.extend(flow_traps(node))
        if frame.anchor is not None:
            frame.anchor.node = node
            frame.anchor.size = frame.size
            frame.anchor.height = frame.height
        self._add(node, span.end, frame.size, frame.height)

    def _alias(self, name: str, start: int, end: int) -> None:
        span = Span(self.source, start, end)
        anchor = self.anchors.get(name)
        # Stands in where there is nothing to share.
        node: Node = Scalar(span.text, span.text, span)
        size, height = 1, 0
        if anchor is None:
            self._report(
                "RR0109",
                f"`*` starts a YAML alias, and nothing above is named `&{name}`",
                start,
                end,
                help="quote the whole value if the `*` belongs to it",
                fixes=quote(self.source.span(start, end), safe=False),
            )
        else:
            anchor.used = True
            if anchor.node is None:
                self._report(
                    "RR0108",
                    f"`*{name}` stands inside the very part that `&{name}` names",
                    start,
                    end,
                    help="write the part out, or use a procedure",
                )
            else:
                node, size, height = anchor.node, anchor.size, anchor.height
                if self.largest_alias is None or size > self.largest_alias[0]:
                    self.largest_alias = size, span
        if len(self.frames) + height > DEEPEST_NESTING:
            self._report(
                "RR0115",
                f"with this alias followed, the nesting is more than {DEEPEST_NESTING} levels deep",
                start,
                end,
                help="move the inner part into a procedure or a function",
            )
            self.stopped = True
            return
        frame = self.frames[-1] if self.frames else None
        if frame is not None and frame.is_mapping and not frame.expects_value:
            if anchor is not None:
                self._complex_key(span)
            self.count += 1
            frame.key, frame.expects_value = None, True
            return
        self._add(node, end, size, height)

    def _add(self, node: Node, end: int, size: int, height: int) -> None:
        """Put a finished node where it belongs."""
        self.count += 1
        if not self.frames:
            self.root = node
            self.expanded = size
            return
        frame = self.frames[-1]
        frame.size = min(frame.size + size, _HUGE)
        frame.height = max(frame.height, height + 1)
        frame.end = max(frame.end, end)
        if not frame.is_mapping:
            frame.items.append(node)
        elif frame.expects_value:
            if frame.key is not None:
                frame.entries.append(Entry(frame.key, node))
            frame.expects_value = False
        else:
            frame.key = self._key(frame, node)
            frame.expects_value = True

    def _key(self, frame: _Frame, node: Node) -> Scalar | None:
        """Return the key if the entry that it begins is to be kept."""
        if not isinstance(node, Scalar) or node.style in ("literal", "folded"):
            self._complex_key(node.span)
            return None
        if node.text == "<<" and node.style == "plain":
            self._report(
                "RR0106",
                "`<<` merges nothing here: YAML 1.2 has no merge keys",
                node.span.start,
                node.span.end,
                help="write the keys out; for kinds that share columns there is `like:`",
            )
            return None
        if not node.text:
            self._report(
                "RR0129",
                "this value has no key",
                node.span.start,
                max(node.span.end, node.span.start + 1),
                help="write a key before the colon",
            )
            return None
        first = frame.seen.setdefault(node.text, node)
        if first is not node:
            self.diagnostics.append(
                problem(
                    "RR0103",
                    f"`{node.text}` is written twice here; only the first one counts",
                    node.span,
                    related=[Related(first.span, "the first one")],
                    help="delete one of them, or give it another name",
                )
            )
            return None
        if node.span.end - node.span.start != len(node.text) and re.search(
            r"[\r\n]", node.span.text
        ):
            self._complex_key(node.span)
            return None
        return node

    def _complex_key(self, span: Span) -> None:
        self.diagnostics.append(
            problem(
                "RR0105",
                "a key is a single line of text, and this is not",
                span,
                help="write the key on one line, quoted if it has brackets or braces in front",
            )
        )
