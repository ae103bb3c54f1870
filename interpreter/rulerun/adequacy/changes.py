"""What can be changed in a ruleset, one at a time.

Assumes: the outline of a ruleset without errors.
Does: goes through what decides how the game goes, and leaves out what only people read (texts,
words, views, conditions of what is said), what bounds the engine (`limits:`), what is held against
play (`always:`), and how wide a column is, for what its rows say stands there as it is.
Leaves behind: changes, in the order of the files, each a stretch of text with what may stand there
instead, the likeliest first.

| kind | what | instead |
| --- | --- | --- |
| number | a whole number in a rule, a row, a table, a variant, a default | one more, one less |
| range | an end of a declared range, such as `1..6`, not of a column | one further in or out |
| value | `true`, `false`, a row, a member of a type, a player, a site | another of the same |
| condition | a comparison, `and`, `or`, `not`, what is asked for | its neighbour, the opposite |
| sight | `visible: owner`, `all` or `none` | another of these |
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from itertools import pairwise

from rulerun.simulation.stats.coverage import Key, key_of
from rulerun_dsl.load import Loaded
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Source, Span
from rulerun_dsl.syntax import declarations as d
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax import statements as stmt
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar, Sequence

KINDS = ("number", "range", "value", "condition", "sight")

MOST_VALUES = 3
"""So many other values are tried until one makes a game."""


@frozen
class Change:
    """A stretch of a file, and what may stand there instead."""

    kind: str
    file: int
    """0: the rules file; then its modules in their order."""
    start: int
    end: int
    old: str
    new: tuple[str, ...]
    about: str
    """The name of the declaration or row that it stands in."""
    deciding: bool
    """It stands in a condition, which may decide whether something is in the game at all."""
    when: Key | None = None
    """The condition of the module or chapter whose declaration it stands in."""

    @property
    def key(self) -> str:
        """What tells it from the others of the same rules."""
        return f"{self.file}:{self.start}:{self.end}:{self.kind}"

    def made(self, text: str, new: str) -> str:
        """The file with something else written there."""
        return text[: self.start] + new + text[self.end :]


def changes_of(loaded: Loaded) -> tuple[Change, ...]:
    """All that can be changed in a ruleset."""
    whens = frozenset(key_of(each.span) for each in loaded.outline.whens)
    finder = _Finder((loaded.source, *loaded.modules), _groups(loaded.outline), whens)
    finder.inside(loaded.outline)
    return tuple(sorted(finder.found.values(), key=lambda each: (each.file, each.start, each.end)))


def _groups(outline: d.Outline) -> dict[str, tuple[str, ...]]:
    """By value: the others that may stand in its place, the next one first."""
    found: dict[str, tuple[str, ...]] = {}
    groups: list[tuple[str, ...]] = [tuple(each.text for each in outline.players)]
    groups += [tuple(each.text for each in option.members) for option in outline.options]
    for type_ in outline.types:
        groups.append(tuple(each.text for each in type_.members))
    tables = (
        item.rows for items in (outline.types, outline.kinds, outline.boards) for item in items
    )
    groups += [tuple(each.name for each in rows) for rows in tables]
    for group in groups:
        for at, name in enumerate(group):
            others = (*group[at + 1 :], *group[:at])
            found[name] = (*found.get(name, ()), *others[:MOST_VALUES])
    return found


# What decides nothing: read by people, or bounds the engine, or stands for itself.
_LEFT_OUT: dict[type, frozenset[str]] = {
    d.Outline: frozenset(
        "name title about language players player_range limits always view words story abouts "
        "sentences action_names action_parameters sources whens".split()
    ),
    d.OptionDecl: frozenset(("members", "only_if")),
    d.MenuLine: frozenset(("hint",)),
    d.Choose: frozenset(("ask", "hint")),
    d.KindDecl: frozenset(("each_span", "like")),
    d.ZoneDecl: frozenset(("kind", "reshuffle")),
    d.VariableDecl: frozenset(("only", "during")),
    d.Remembers: frozenset(("of",)),
    d.TypeDecl: frozenset(("members",)),
    d.TableDecl: frozenset(("type",)),
}
_WIDTH = frozenset(("type",))
_SKIPPED = (Span, Source, s.Template, d.Say, Scalar, Sequence, Mapping)

# Fields that hold conditions.
_ASKED = frozenset("condition conditions around narrowing when until so_long out".split())
_SEEN = frozenset(("visible", "visible_here", "count"))

_FLIPPED = {"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">"}


class _Finder:
    """Collects changes; what stands in the outline twice is one change."""

    def __init__(
        self,
        sources: tuple[Source, ...],
        groups: dict[str, tuple[str, ...]],
        whens: frozenset[Key],
    ) -> None:
        self.files = {id(each): at for at, each in enumerate(sources)}
        self.groups = groups
        self.whens = whens
        self.found: dict[tuple[int, int, int], Change] = {}
        self.about = ""
        self.deciding = False
        self.when: Key | None = None
        self.ruled = False
        """The rows of the kind are made of the values of its columns."""
        self.gone_through: set[tuple[int, int]] = set()
        """The places of `x in S` that are no conditions."""

    def add(self, kind: str, span: Span, old: str, new: Iterable[str]) -> None:
        """Note a change, if the file says there what is to be changed."""
        file = self.files.get(id(span.source))
        others = tuple(dict.fromkeys(each for each in new if each != old))
        if file is None or span.text != old or not others:
            return
        key = (file, span.start, span.end)
        when = self.when
        if when is not None and when[0] == span.source.name and when[1] <= span.start < when[2]:
            # The condition itself is what decides.
            when = None
        change = Change(kind, file, *key[1:], old, others, self.about, self.deciding, when)
        self.found.setdefault(key, change)

    def when_of(self, value: object) -> Key | None:
        """The condition of the module or chapter of a declaration, if it is gone without it."""
        if isinstance(value, d.OptionDecl):
            return None
        when = getattr(getattr(value, "at", value), "when", None)
        if isinstance(value, d.If) and key_of(value.condition.span) in self.whens:
            when = value.condition
        return None if when is None else key_of(when.span)

    # ---------------------------------------------------------------------------- going through

    def inside(self, value: object) -> None:
        """Go through the parts of a value."""
        if isinstance(value, tuple):
            for each in value:
                self.inside(each)
            return
        if not is_dataclass(value) or isinstance(value, _SKIPPED):
            return
        if isinstance(value, d.If | d.Cases | d.Match | d.For) and _only_tells(value):
            return
        before = self.about, self.deciding, self.when, self.ruled
        self.about = _name_of(value) or self.about
        self.when = self.when_of(value) or self.when
        if isinstance(value, d.KindDecl):
            self.ruled = value.every is not None
        self.own(value)
        left_out = _LEFT_OUT.get(type(value), frozenset())
        if isinstance(value, d.Column) and not self.ruled:
            left_out = _WIDTH
        for field in fields(value):
            if field.name in left_out:
                continue
            part = getattr(value, field.name)
            if field.name in _SEEN and self.sight(part):
                continue
            asked = field.name in _ASKED and part is not None
            self.deciding = before[1] or asked
            if asked:
                self.asked(part)
            self.inside(part)
        self.about, self.deciding, self.when, self.ruled = before

    def own(self, node: object) -> None:
        """What is changed in a node itself."""
        match node:
            case s.RangeType(low=low, high=high):
                self.end(low, 1)
                self.end(high, -1)
            case s.Number(span=span, value=value):
                self.number(span, value)
            case s.Truth(span=span, value=truth):
                self.add("value", span, str(truth).lower(), (str(not truth).lower(),))
            case s.Name(span=span, text=text):
                self.add("value", span, text, self.groups.get(text, ()))
            case s.ComponentsOf(span=span, kind=kind):
                word = span.source.span(span.start, span.start + len(kind))
                self.add("value", word, kind, self.groups.get(kind, ()))
            case s.Superlative(span=span, direction=word):
                place = span.source.span(span.start, span.start + len(word))
                self.add("value", place, word, ("lowest" if word == "highest" else "highest",))
            case s.Compare(operator=operator, left=left, right=right):
                self.between(left.span, right.span, operator, _FLIPPED[operator])
            case s.Is(left=left, right=right, negated=negated):
                self.negation(left.span, right.span, "is", "is not", negated)
            case s.Membership(left=left, right=right, negated=negated):
                self.negation(left.span, right.span, "in", "not in", negated)
            case s.Logic(operator=operator, operands=operands):
                other = "or" if operator == "and" else "and"
                for one, next_ in pairwise(operands):
                    self.between(one.span, next_.span, operator, other)
                self.asked(operands)
            case s.Unary(span=span, operator="not"):
                self.add("condition", span.source.span(span.start, span.start + 4), "not ", ("",))
            case d.Cases(cases=cases) | d.FunctionDecl(cases=cases, subject=None):
                self.asked(tuple(each[0] for each in cases if each[0] is not None))
            case s.Call(arguments=arguments):
                # `count(c in hand)`: `in` says what is gone through, and may not be denied.
                self.going_through(arguments)
            case s.Filtered(subject=subject):
                self.going_through((subject,))
            case stmt.Move(subject=subject):
                self.going_through((subject,))
            case d.RowDecl(values=values, listed=listed):
                for _, cell in values:
                    self.cell(cell)
                for cell in listed or ():
                    self.cell(cell)
            case d.TableDecl(rows=rows):
                for _, cell in rows:
                    self.cell(cell)
            case d.VariantDecl(values=settings):
                for _, cell in settings:
                    self.cell(cell)
            case d.BoardDecl(node=board):
                for key in ("links", "remove", "rows", "columns", "size"):
                    part = board.get(key)
                    if part is not None and not isinstance(part, Mapping):
                        self.cell(part)

    # ------------------------------------------------------------------------------ what is found

    def number(self, span: Span, value: int) -> None:
        self.add("number", span, str(value), (str(value + 1), str(value - 1))[: 1 + (value > 0)])

    def end(self, node: object, inwards: int) -> None:
        """The end of a declared range."""
        if isinstance(node, s.Unary) and node.operator == "-":
            self.end(node.operand, -inwards)
        if isinstance(node, s.Number):
            others = (node.value + inwards, node.value - inwards)
            texts = (str(each) for each in others if each >= 0)
            self.add("range", node.span, str(node.value), texts)

    def between(self, left: Span, right: Span, old: str, new: str) -> None:
        """An operator between two operands."""
        text = left.source.text[left.end : right.start]
        places = [each.start() for each in re.finditer(_as_token(old), text)]
        if len(places) == 1:
            start = left.end + places[0]
            self.add("condition", left.source.span(start, start + len(old)), old, (new,))

    def negation(self, left: Span, right: Span, plain: str, denied: str, is_denied: bool) -> None:
        if (left.start, right.end) not in self.gone_through:
            old, new = (denied, plain) if is_denied else (plain, denied)
            self.between(left, right, old, new)

    def going_through(self, arguments: Iterable[object]) -> None:
        for each in arguments:
            if isinstance(each, s.Membership):
                self.gone_through.add((each.left.span.start, each.right.span.end))

    def asked(self, conditions: object) -> None:
        """Truths that are asked for and say nothing that could be turned inside."""
        for each in conditions if isinstance(conditions, tuple) else (conditions,):
            if isinstance(each, s.Name | s.Call | s.Attribute | s.Index | s.RuleCall):
                before, self.deciding = self.deciding, True
                self.add("condition", each.span, each.span.text, (f"not ({each.span.text})",))
                self.deciding = before

    def sight(self, node: object) -> bool:
        """Who sees something, if that is said in a word."""
        match node:
            case s.All(span=span):
                self.add("sight", span, "all", ("none",))
            case s.Nothing(span=span):
                self.add("sight", span, "none", ("all",))
            case s.Name(span=span, text="owner"):
                self.add("sight", span, "owner", ("all",))
            case _:
                return False
        return True

    def cell(self, node: Node) -> None:
        """Numbers and values in what is written in a row or table."""
        if isinstance(node, Sequence):
            for each in node.items:
                self.cell(each)
        elif isinstance(node, Mapping):
            for entry in node.entries:
                if entry.key.text not in ("about", "assumed", "cite", "along"):
                    self.cell(entry.value)
        else:
            for found in re.finditer(r"(?<![\w.])\w+", node.text):
                word, span = found[0], node.span_of(*found.span())
                if word.isdecimal():
                    self.number(span, int(word))
                elif word in ("true", "false"):
                    self.add("value", span, word, ("false" if word == "true" else "true",))
                else:
                    self.add("value", span, word, self.groups.get(word, ()))


def _only_tells(node: d.If | d.Cases | d.Match | d.For) -> bool:
    """Whether something decides nothing but what is told."""
    match node:
        case d.If():
            blocks = [node.then, node.alternative]
        case d.For():
            blocks = [node.body]
        case _:
            blocks = [block for _, block in node.cases]
    return all(
        isinstance(each, d.Say)
        or (isinstance(each, d.If | d.Cases | d.Match | d.For) and _only_tells(each))
        for block in blocks
        for each in block
    )


def _as_token(operator: str) -> str:
    """A pattern for an operator that is no part of a longer one."""
    if operator[0].isalpha():
        words = r"\s+".join(operator.split())
        return rf"(?<!\w){words}(?!\w)" + (r"(?!\s+not\b)" if operator == "is" else "")
    return rf"(?<![<>=!]){re.escape(operator)}(?![<>=!])"


def _name_of(value: object) -> str:
    """What a declaration or row is called."""
    match value:
        case d.RowDecl(name=name) | d.Source(name=name):
            return name
        case _:
            at = getattr(value, "at", None)
            return at.name if isinstance(at, d.Source) else ""
