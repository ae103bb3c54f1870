"""Reading declarations: options, types, tables, boards, components, zones and variables.

The part of `outline` that deals with what a game is made of. `Declarations` holds what has been
found so far; `rules` adds what the game does.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from rulerun_dsl.diagnostics.diagnostic import Diagnostic, problem
from rulerun_dsl.diagnostics.fixes import Fix, rewrite
from rulerun_dsl.outline.blocks import Blocks
from rulerun_dsl.source.identifiers import is_name
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations, parse
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax.told import ViewDecl, WordsDecl
from rulerun_dsl.yaml.nodes import Entry, Mapping, Node, Scalar, Sequence

_Grows = TypeVar("_Grows", declarations.TypeDecl, declarations.KindDecl)


def text_at(node: Mapping, key: str, default: str = "") -> str:
    """The text of a key."""
    value = node.get(key)
    return value.text if isinstance(value, Scalar) else default


def shape_of(node: Mapping) -> str:
    """The shape of a board; one that is misspelt is told by the other keys."""
    written = text_at(node, "shape", "list")
    if written in ("grid", "hex", "list", "ring", "line"):
        return written
    return "grid" if node.get("columns") is not None else "list"


def scalars_of(node: Node | None) -> tuple[Scalar, ...]:
    """One scalar or a list of them."""
    if isinstance(node, Scalar):
        return (node,)
    if isinstance(node, Sequence):
        return tuple(item for item in node.items if isinstance(item, Scalar))
    return ()


@dataclass
class Declarations(Blocks):
    """The walk in progress: what has been found so far."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    citations: Callable[[int], tuple[str, ...]] = lambda line: ()
    chapter: str | None = None
    visible: s.Expression | None = None
    options: list[declarations.OptionDecl] = field(default_factory=list)
    variants: list[declarations.VariantDecl] = field(default_factory=list)
    constraints: list[declarations.ConstraintDecl] = field(default_factory=list)
    constants: list[declarations.ConstantDecl] = field(default_factory=list)
    types: list[declarations.TypeDecl] = field(default_factory=list)
    tables: list[declarations.TableDecl] = field(default_factory=list)
    boards: list[declarations.BoardDecl] = field(default_factory=list)
    kinds: list[declarations.KindDecl] = field(default_factory=list)
    zones: list[declarations.ZoneDecl] = field(default_factory=list)
    variables: list[declarations.VariableDecl] = field(default_factory=list)
    functions: list[declarations.FunctionDecl] = field(default_factory=list)
    procedures: list[declarations.ProcedureDecl] = field(default_factory=list)
    actions: list[declarations.ActionDecl] = field(default_factory=list)
    hooks: list[declarations.HookDecl] = field(default_factory=list)
    replacements: list[tuple[int, Scalar, Node, Scalar | None]] = field(default_factory=list)
    """Place among the hooks, key and value, and the automa that it is for."""
    automata: list[declarations.AutomaDecl] = field(default_factory=list)
    whens: list[s.Expression] = field(default_factory=list)
    setup: list[declarations.BlockItem] = field(default_factory=list)
    phases: list[declarations.PhaseDecl] = field(default_factory=list)
    always: list[tuple[str, s.Expression]] = field(default_factory=list)
    scoring: declarations.ScoringDecl | None = None
    scored: dict[str, Span] = field(default_factory=dict)
    """Where `winner`, `returns`, … were declared."""
    view: list[ViewDecl] = field(default_factory=list)
    words: list[WordsDecl] = field(default_factory=list)
    story: list[WordsDecl] = field(default_factory=list)
    when: s.Expression | None = None
    more_rows: list[tuple[Scalar, tuple[declarations.RowDecl, ...], s.Expression | None]] = field(
        default_factory=list
    )
    more_columns: list[tuple[Scalar, tuple[declarations.Column, ...]]] = field(default_factory=list)

    def at(self, name: str, key: Scalar, node: Node | None) -> declarations.Source:
        """Return what a declaration carries."""
        cite: tuple[str, ...] = self.citations(key.span.line)
        assumed = None
        if isinstance(node, Mapping):
            cite += tuple(scalar.text for scalar in scalars_of(node.get("cite")))
            assumed = text_at(node, "assumed") or None
        return declarations.Source(
            name, key.span, cite, assumed, self.chapter, self.visible, self.when
        )

    def read_option(self, key: Scalar, node: Node) -> None:
        """Read one option."""
        if not isinstance(node, Mapping):
            return
        type_node, default = node.get("type"), node.get("default")
        members = scalars_of(type_node) if isinstance(type_node, Sequence) else ()
        self.options.append(
            declarations.OptionDecl(
                at=self.at(key.text, key, node),
                type=self.parsed(parse.parse_type, type_node) if not members else None,
                members=members,
                default=self.option_value(default, bool(members)),
                only_if=self.expression(node.get("only_if")),
                default_text=default.text if isinstance(default, Scalar) else "",
                about=text_at(node, "about"),
            )
        )

    def option_value(self, node: Node | None, members: bool) -> s.Expression | None:
        """Parse the value of an option: a member may bear any name, also a reserved word."""
        if isinstance(node, Scalar) and is_name(node.text):
            if node.text in ("true", "false"):
                return s.Truth(node.span, node.text == "true")
            if node.text == "none" and not members:
                return s.Nothing(node.span)
            return s.Name(node.span, node.text)
        return self.expression(node)

    def read_variant(self, key: Scalar, node: Node) -> None:
        """Read one variant."""
        if not isinstance(node, Mapping):
            return
        values = tuple(
            (entry.key, entry.value)
            for entry in node.entries
            if entry.key.text not in ("about", "cite", "assumed")
            and isinstance(entry.value, Scalar)
        )
        self.variants.append(
            declarations.VariantDecl(self.at(key.text, key, node), text_at(node, "about"), values)
        )

    def read_constraint(self, node: Node) -> None:
        """Read one constraint."""
        if not isinstance(node, Mapping):
            return
        condition = self.expression(node.get("never"))
        if condition is not None:
            self.constraints.append(
                declarations.ConstraintDecl(node.span, condition, text_at(node, "say"))
            )

    def read_constant(self, key: Scalar, node: Node) -> None:
        """Read one constant."""
        at = self.at(key.text, key, node)
        if isinstance(node, Scalar):
            self.constants.append(declarations.ConstantDecl(at, self.expression(node), ()))
        elif isinstance(node, Mapping):
            if (value := node.get("value")) is not None:
                self.constants.append(declarations.ConstantDecl(at, self.expression(value), ()))
                return
            pairs = []
            for entry in node.entries:
                if found := re.fullmatch(r"(\d{1,9}) players?", entry.key.text):
                    if (expression := self.expression(entry.value)) is not None:
                        pairs.append((int(found[1]), expression))
            self.constants.append(declarations.ConstantDecl(at, None, tuple(pairs)))

    def columns(self, node: Node | None) -> tuple[declarations.Column, ...]:
        """Read `has:`."""
        found = []
        for entry in node.entries if isinstance(node, Mapping) else ():
            name = self.parsed(parse.parse_indexed, entry.key)
            value = entry.value
            if isinstance(value, Mapping):
                value = value.get("type") or value
            declared = self.parsed(parse.parse_declared, value)
            if name is not None and declared is not None:
                found.append(
                    declarations.Column(
                        name.name, entry.key.span, name.indexes, declared.type, declared.start
                    )
                )
        return tuple(found)

    def rows(self, node: Node | None) -> tuple[declarations.RowDecl, ...]:
        """Read `rows:` written as a mapping, or as a list of names that say nothing more."""
        if isinstance(node, Sequence):
            return tuple(
                declarations.RowDecl(each.text, each.span, (), None, self.citations(each.span.line))
                for each in scalars_of(node)
            )
        return tuple(
            self.row(entry.key, entry.value)
            for entry in (node.entries if isinstance(node, Mapping) else ())
        )

    def row(self, key: Scalar, node: Node) -> declarations.RowDecl:
        """Read one row."""
        cite = self.citations(key.span.line)
        self.told_in(node)
        if isinstance(node, Mapping):
            return declarations.RowDecl(
                key.text,
                key.span,
                tuple(
                    (entry.key, entry.value)
                    for entry in node.entries
                    if entry.key.text not in ("about", "cite", "assumed")
                ),
                None,
                cite + tuple(scalar.text for scalar in scalars_of(node.get("cite"))),
                text_at(node, "assumed") or None,
                text_at(node, "about"),
            )
        listed = tuple(node.items) if isinstance(node, Sequence) else (node,)
        return declarations.RowDecl(key.text, key.span, (), listed, cite)

    def read_type(self, key: Scalar, node: Node) -> None:
        """Read one declared type."""
        at = self.at(key.text, key, node)
        if isinstance(node, Sequence):
            self.types.append(declarations.TypeDecl(at, scalars_of(node), None, (), ()))
        elif isinstance(node, Scalar):
            alias = self.parsed(parse.parse_type, node)
            if alias is not None:
                self.types.append(declarations.TypeDecl(at, (), alias, (), ()))
        else:
            self.types.append(
                declarations.TypeDecl(
                    at, (), None, self.columns(node.get("has")), self.rows(node.get("rows"))
                )
            )

    def read_table(self, key: Scalar, node: Node) -> None:
        """Read one table."""
        name = self.parsed(parse.parse_indexed, key)
        if name is None or not isinstance(node, Mapping):
            return
        rows: list[tuple[s.Expression | None, Node]] = []
        given = node.get("rows")
        if isinstance(given, Mapping):
            for entry in given.entries:
                # No author can write a name `else`: it stands for all that is not listed.
                if entry.key.text == "else":
                    rows.append((s.Name(entry.key.span, "else"), entry.value))
                elif (expression := self.expression(entry.key)) is not None:
                    rows.append((expression, entry.value))
        elif isinstance(given, Sequence):
            rows = [(None, item) for item in given.items]
        by = name.indexes + tuple(
            parsed
            for scalar in scalars_of(node.get("by"))
            if (parsed := self.parsed(parse.parse_type, scalar)) is not None
        )
        type_ = self.parsed(parse.parse_type, node.get("type")) if node.get("type") else None
        self.tables.append(
            declarations.TableDecl(self.at(name.name, key, node), by, type_, tuple(rows))
        )

    def read_board(self, key: Scalar, node: Node) -> None:
        """Read one board."""
        if isinstance(node, Mapping):
            self.parse_texts(node)
            self.boards.append(
                declarations.BoardDecl(
                    self.at(key.text, key, node),
                    shape_of(node),
                    node,
                    self.columns(node.get("has")),
                    self.rows(node.get("rows")),
                )
            )

    def parse_texts(self, board: Mapping) -> None:
        """Let the parser say what is wrong with the texts of a board; they are read later."""
        texts = [board.get(word) for word in ("rows", "columns", "size", "only")]
        regions = board.get("regions")
        texts += [each.value for each in regions] if isinstance(regions, Mapping) else []
        for word in ("links", "remove"):
            items = board.get(word)
            for item in items if isinstance(items, Sequence) else ():
                texts.append(item.get("when") if isinstance(item, Mapping) else None)
        for text in texts:
            self.expression(text)

    def read_kind(self, key: Scalar, node: Node) -> None:
        """Read one kind of component."""
        if not isinstance(node, Mapping):
            return
        each, rows, rules, state = (node.get(k) for k in ("each", "rows", "rules", "state"))
        slots = []
        for entry in rules.entries if isinstance(rules, Mapping) else ():
            signature = self.signature(entry.key)
            if signature is None or not isinstance(entry.value, Scalar):
                continue
            if entry.value.text == "block":
                slots.append(declarations.RuleSlot(signature, None, None))
            elif declared := self.parsed(parse.parse_declared, entry.value):
                slots.append(declarations.RuleSlot(signature, declared.type, declared.start))
        attributes = []
        for entry in state.entries if isinstance(state, Mapping) else ():
            name = self.parsed(parse.parse_indexed, entry.key)
            declared = self.parsed(parse.parse_declared, entry.value)
            if name is not None and declared is not None:
                attributes.append((name, declared))
        like = node.get("like")
        start = node.get("start")
        if start is None and like is None and isinstance(rows, Mapping):
            start, rows = self.start_among(key.text, rows)
        self.kinds.append(
            declarations.KindDecl(
                at=self.at(key.text, key, node),
                each=text_at(node, "each") or None,
                each_span=each.span if each is not None else None,
                start=self.expression(start) if start is not None else None,
                copies=self.expression(node.get("copies")) if node.get("copies") else None,
                columns=self.columns(node.get("has")),
                rows=self.rows(rows),
                every=self.parsed(parse.parse_every, rows) if isinstance(rows, Scalar) else None,
                slots=tuple(slots),
                attributes=tuple(attributes),
                like=like if isinstance(like, Scalar) else None,
            )
        )

    def start_among(self, kind: str, rows: Mapping) -> tuple[Node | None, Mapping]:
        """A `start:` that stands one level too deep, among the rows; and the rows without it."""
        entry = rows.entry("start")
        if entry is None or not isinstance(entry.value, Scalar):
            return None, rows
        self.diagnostics.append(
            problem(
                "RR0411",
                f"`start` stands among the rows of `{kind}`, which has none itself",
                entry.key.span,
                help=f"write `start: {entry.value.text}` less deep, beside `rows:`",
                fixes=_less_deep(entry, rows),
            )
        )
        rest = tuple(each for each in rows.entries if each is not entry)
        return entry.value, dataclasses.replace(rows, entries=rest)

    def read_zone(self, key: Scalar, node: Node) -> None:
        """Read one zone."""
        name = self.parsed(parse.parse_indexed, key)
        if name is None or not isinstance(node, Mapping):
            return
        one = node.get("one")
        kind = one if one is not None else node.get("of")
        reshuffle = node.get("reshuffle")
        self.zones.append(
            declarations.ZoneDecl(
                at=self.at(name.name, key, node),
                indexes=name.indexes,
                kind=kind if isinstance(kind, Scalar) else None,
                one=one is not None,
                visible_here=self.expression(node.get("visible")) if node.get("visible") else None,
                count=self.expression(node.get("count")) if node.get("count") else None,
                order=text_at(node, "order"),
                holds=self.expression(node.get("holds")) if node.get("holds") else None,
                refill=self.expression(node.get("refill")) if node.get("refill") else None,
                reshuffle=reshuffle if isinstance(reshuffle, Scalar) else None,
            )
        )

    def read_variable(self, key: Scalar, node: Node) -> None:
        """Read one variable."""
        name = self.parsed(parse.parse_indexed, key)
        if name is None:
            return
        body = node if isinstance(node, Mapping) else None
        if body is not None and "remembers" in body:
            self.read_history(key, body, name)
            return
        declared = self.parsed(parse.parse_declared, body.get("type") if body else node)
        if declared is None:
            return
        start, visible, during = declared.start, None, None
        if body is not None:
            if (given := body.get("start")) is not None:
                start = self.expression(given)
            visible = self.expression(body.get("visible")) if body.get("visible") else None
            during = body.get("during")
        self.variables.append(
            declarations.VariableDecl(
                at=self.at(name.name, key, node),
                indexes=name.indexes,
                type=declared.type,
                start=start,
                visible_here=visible,
                clamp=body is not None and text_at(body, "above") == "stop",
                only=scalars_of(body.get("only")) if body is not None else (),
                during=during if isinstance(during, Scalar) else None,
            )
        )

    def read_history(self, key: Scalar, node: Mapping, name: s.Indexed) -> None:
        """Read a variable that keeps earlier positions. As `times` reads it, everybody may."""
        remembers = declarations.Remembers(
            scalars_of(node.get("remembers")),
            self.expression(node.get("holds")) if node.get("holds") else None,
        )
        self.variables.append(
            declarations.VariableDecl(
                at=self.at(name.name, key, node),
                indexes=name.indexes,
                type=None,
                start=None,
                visible_here=s.All(key.span),
                clamp=False,
                only=scalars_of(node.get("only")),
                during=None,
                remembers=remembers,
            )
        )

    def grown(self, decl: _Grows) -> _Grows:
        """A kind or an enumeration with the rows and columns that modules add.

        A row of a module that is off stays, without copies, so that its name can be named.
        """
        rows, columns = list(decl.rows), list(decl.columns)
        for key, more_columns in self.more_columns:
            if key.text == decl.at.name:
                columns.extend(more_columns)
        for key, more_rows, when in self.more_rows:
            if key.text == decl.at.name:
                rows.extend(dataclasses.replace(row, when=when) for row in more_rows)
        return dataclasses.replace(decl, rows=tuple(rows), columns=tuple(columns))


def _less_deep(entry: Entry, rows: Mapping) -> tuple[Fix, ...]:
    """The fix that indents the last row like the key of the rows, if it has a line of its own."""
    source, line = entry.span.source, entry.key.span.line
    own = source.line_text(line)[: entry.key.span.column - 1]
    above = range(rows.span.line, 0, -1)
    indents = (re.match(" *", source.line_text(each)) for each in above)
    outer = next((each[0] for each in indents if each and len(each[0]) < len(own)), None)
    if outer is None or own.strip(" ") or rows.entries[-1] is not entry:
        return ()
    start = source.line_starts[line - 1]
    return rewrite(source.span(start, start + len(own)), outer, safe=True, title="indent it less")
