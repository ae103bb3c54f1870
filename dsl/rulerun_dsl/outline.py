"""From documents to an outline: every string parsed, every key in its slot.

Assumes: documents whose shape `schema` has found sound; where it has not, the part is left out
here without a word (it has been reported).
Does: walks the sections of the file, its chapters and its module files in order, and parses every
string once.
Leaves behind: an `Outline`. Names are not bound, types not known, options not fixed: the checker
does that, as often as it is asked for other options, from the same outline.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from rulerun_dsl import parse, structure
from rulerun_dsl import syntax as s
from rulerun_dsl.blocks import Blocks
from rulerun_dsl.diagnostics import Diagnostic, Related, problem, suggest
from rulerun_dsl.nodes import Mapping, Node, Scalar, Sequence
from rulerun_dsl.source import Span

_Parsed = TypeVar("_Parsed")

SECTIONS = (
    "constants",
    "types",
    "tables",
    "boards",
    "components",
    "zones",
    "state",
    "functions",
    "actions",
    "setup",
    "phases",
    "procedures",
    "scoring",
    "always",
    "constraints",
    "view",
)
_OF = re.compile(r"^(actions|procedures|functions|zones|state|tables|types) of .+$")
_CHAPTER = re.compile(r"^chapter ([A-Za-z_][A-Za-z0-9_]*)$")
_HOOK = re.compile(r"^(before|after) (.+)$", re.S)


def outline(
    documents: Iterable[Mapping], citations: Callable[[int], tuple[str, ...]] = lambda line: ()
) -> tuple[structure.Outline | None, list[Diagnostic]]:
    """Return the outline of a rules file and its module files (the main one first).

    `citations` gives what a trailing comment of a line cites (see `sources: cite`).
    """
    head, *modules = documents
    walk = _Walk(citations=citations)
    walk.sections(head, None)
    for module in modules:
        walk.sections(module, _text(module, "module"))
    return walk.finish(head), walk.diagnostics


def _text(node: Mapping, key: str, default: str = "") -> str:
    value = node.get(key)
    return value.text if isinstance(value, Scalar) else default


def _scalars(node: Node | None) -> tuple[Scalar, ...]:
    if isinstance(node, Scalar):
        return (node,)
    if isinstance(node, Sequence):
        return tuple(item for item in node.items if isinstance(item, Scalar))
    return ()


@dataclass
class _Walk(Blocks):
    """The walk in progress: what has been found so far."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    citations: Callable[[int], tuple[str, ...]] = lambda line: ()
    chapter: str | None = None
    visible: s.Expression | None = None
    options: list[structure.OptionDecl] = field(default_factory=list)
    variants: list[structure.VariantDecl] = field(default_factory=list)
    constraints: list[structure.ConstraintDecl] = field(default_factory=list)
    constants: list[structure.ConstantDecl] = field(default_factory=list)
    types: list[structure.TypeDecl] = field(default_factory=list)
    tables: list[structure.TableDecl] = field(default_factory=list)
    boards: list[structure.BoardDecl] = field(default_factory=list)
    kinds: list[structure.KindDecl] = field(default_factory=list)
    zones: list[structure.ZoneDecl] = field(default_factory=list)
    variables: list[structure.VariableDecl] = field(default_factory=list)
    functions: list[structure.FunctionDecl] = field(default_factory=list)
    procedures: list[structure.ProcedureDecl] = field(default_factory=list)
    actions: list[structure.ActionDecl] = field(default_factory=list)
    hooks: list[structure.HookDecl] = field(default_factory=list)
    replacements: list[tuple[int, Scalar, Node]] = field(default_factory=list)
    """Place among the hooks, key and value."""
    whens: list[s.Expression] = field(default_factory=list)
    setup: list[structure.Step] = field(default_factory=list)
    phases: list[structure.PhaseDecl] = field(default_factory=list)
    always: list[tuple[str, s.Expression]] = field(default_factory=list)
    scoring: structure.ScoringDecl | None = None
    scored: dict[str, Span] = field(default_factory=dict)
    """Where `winner`, `returns`, … were declared."""
    view: Mapping | None = None
    when: s.Expression | None = None
    more_rows: list[tuple[Scalar, tuple[structure.RowDecl, ...], s.Expression | None]] = field(
        default_factory=list
    )
    more_columns: list[tuple[Scalar, tuple[structure.Column, ...]]] = field(default_factory=list)

    # ------------------------------------------------------------------------------ the file

    def sections(self, node: Mapping, chapter: str | None) -> None:
        """Read the sections of a file or chapter."""
        outer = self.chapter, self.visible, self.when
        self.chapter = chapter
        if (when := node.get("when")) is not None:
            self.when = self.expression(when)
            if self.when is not None:
                self.whens.append(self.when)
        if (default := node.get("visible")) is not None:
            self.visible = self.expression(default) or self.visible
        for entry in node.entries:
            self.section(entry.key, entry.value)
        self.chapter, self.visible, self.when = outer

    def section(self, key: Scalar, value: Node) -> None:
        """Read one section."""
        if (chapter := _CHAPTER.match(key.text)) and isinstance(value, Mapping):
            self.sections(value, chapter[1])
            return
        if hook := _HOOK.match(key.text):
            self.hook(key, hook[1], hook[2], value)
            return
        name = _OF.sub(r"\1", key.text)
        if name == "setup":
            steps = self.block(value)
            if self.when is not None:
                steps = (structure.If(key.span, self.when, steps, ()),)
            self.setup.append(structure.Group(key.span, steps))
        elif name in ("rows", "columns") and self.chapter is not None:
            for entry in value.entries if isinstance(value, Mapping) else ():
                if name == "rows":
                    self.more_rows.append((entry.key, self.rows(entry.value), self.when))
                else:
                    self.more_columns.append((entry.key, self.columns(entry.value)))
        elif name == "replace":
            for entry in value.entries if isinstance(value, Mapping) else ():
                self.replacement(entry.key, entry.value)
        elif name == "scoring" and isinstance(value, Mapping):
            self.read_scoring(key, value)
        elif name == "constraints" and isinstance(value, Sequence):
            for item in value.items:
                self.read_constraint(item)
        elif name == "view" and isinstance(value, Mapping):
            self.view = value
        elif name in _READERS and isinstance(value, Mapping):
            outer = self.visible
            if name in ("state", "zones") and (default := value.get("visible")) is not None:
                self.visible = self.expression(default) or self.visible
            for entry in value.entries:
                if name in ("state", "zones") and entry.key.text == "visible":
                    continue
                _READERS[name](self, entry.key, entry.value)
            self.visible = outer

    def finish(self, head: Mapping) -> structure.Outline | None:
        """Return the outline, or None if there is no game to speak of."""
        self.read_replacements()
        self.misplaced()
        players, player_range = self.read_players(head.get("players"))
        if head.get("players") is None:
            self.no_players(head)
        if not player_range[1]:
            return None
        sources = head.get("sources")
        limits = head.get("limits")
        return structure.Outline(
            name=_text(head, "game", "game"),
            title=_text(head, "title") or _text(head, "game", "game"),
            about=_text(head, "about"),
            language=1,
            players=players,
            player_range=player_range,
            limits=limits if isinstance(limits, Mapping) else None,
            options=tuple(self.options),
            variants=tuple(self.variants),
            constraints=tuple(self.constraints),
            constants=tuple(self.constants),
            types=tuple(self.grown(each) for each in self.types),
            tables=tuple(self.tables),
            boards=tuple(self.boards),
            kinds=tuple(self.extended(kind) for kind in self.kinds),
            zones=tuple(self.zones),
            variables=tuple(self.variables),
            functions=tuple(self.functions),
            procedures=tuple(self.procedures),
            actions=tuple(self.actions),
            hooks=tuple(self.hooks),
            whens=tuple(self.whens),
            setup=tuple(self.setup),
            phases=tuple(self.phases),
            scoring=self.scoring
            or structure.ScoringDecl((), (), "tied", None, None, None, None, None),
            always=tuple(self.always),
            view=self.view,
            sources=tuple(
                (entry.key.text, entry.value.text)
                for entry in (sources.entries if isinstance(sources, Mapping) else ())
                if isinstance(entry.value, Scalar)
            ),
            span=head.span,
        )

    def misplaced(self) -> None:
        """Report rows and columns of what is not there, or cannot grow by an option."""
        kinds = {each.at.name for each in self.kinds}
        types = {each.at.name: each for each in self.types}
        known = [*kinds, *types]
        for key in (*(key for key, *_ in self.more_rows), *(key for key, _ in self.more_columns)):
            if key.text not in known:
                near = suggest(key.text, known)
                self.diagnostics.append(
                    problem(
                        "RR0402",
                        f"there is no kind or type `{key.text}`",
                        key.span,
                        help=f"did you mean `{near}`?" if near else None,
                    )
                )
        for key, rows, when in self.more_rows:
            if key.text in types and (when is not None or types[key.text].alias is not None):
                self.diagnostics.append(
                    problem(
                        "RR0409",
                        f"the values of `{key.text}` cannot depend on an option",
                        rows[0].span if rows else key.span,
                        help="name them all where the type is declared, and leave out what is not "
                        "played with where the type is ranged over",
                    )
                )

    def grown(self, decl: structure.TypeDecl) -> structure.TypeDecl:
        """An enumeration with the rows and columns that chapters add."""
        rows, columns = list(decl.rows), list(decl.columns)
        for key, more_columns in self.more_columns:
            if key.text == decl.at.name:
                columns.extend(more_columns)
        for key, more_rows, _ in self.more_rows:
            if key.text == decl.at.name:
                rows.extend(more_rows)
        return dataclasses.replace(decl, rows=tuple(rows), columns=tuple(columns))

    def extended(self, kind: structure.KindDecl) -> structure.KindDecl:
        """A kind with the rows and columns that modules add.

        A row of a module that is off stays, without copies, so that its name can be named.
        """
        rows, columns = list(kind.rows), list(kind.columns)
        for key, more_columns in self.more_columns:
            if key.text == kind.at.name:
                columns.extend(more_columns)
        for key, more_rows, when in self.more_rows:
            if key.text == kind.at.name:
                rows.extend(dataclasses.replace(row, when=when) for row in more_rows)
        return dataclasses.replace(kind, rows=tuple(rows), columns=tuple(columns))

    def no_players(self, head: Mapping) -> None:
        """Report a file that does not say who plays."""
        key = next(
            (entry.key for entry in head.entries if entry.key.text in ("game", "module")), None
        )
        if key is not None and key.text == "module":
            message = f"`{_text(head, 'module')}` is a module: it is no game of its own"
            help = "load the rules file that lists it under `files:`"
        else:
            message = "nothing says how many play"
            help = "write `players: 2`, `players: 2..4` or a list of names"
        span = key.span if key is not None else head.span
        self.diagnostics.append(problem("RR0401", message, span, help=help))

    def read_players(self, node: Node | None) -> tuple[tuple[Scalar, ...], tuple[int, int]]:
        """Return the names and the least and greatest number of players."""
        if isinstance(node, Sequence):
            names = _scalars(node)
            return names, (len(names), len(names))
        if isinstance(node, Scalar):
            if found := re.fullmatch(r"\s*(\d+)(?:\s*\.\.\s*(\d+))?\s*", node.text):
                low, high = int(found[1]), int(found[2] or found[1])
                if 1 <= low <= high <= 20:
                    return (), (low, high)
            self.diagnostics.append(
                problem(
                    "RR0401",
                    f"`{node.text}` is no number of players",
                    node.span,
                    help="write a number (`2`), a range (`2..4`, at most 20) or a list of names",
                )
            )
        return (), (0, 0)

    def at(self, name: str, key: Scalar, node: Node | None) -> structure.Source:
        """Return what a declaration carries."""
        cite: tuple[str, ...] = self.citations(key.span.line)
        assumed = None
        if isinstance(node, Mapping):
            cite += tuple(scalar.text for scalar in _scalars(node.get("cite")))
            assumed = _text(node, "assumed") or None
        return structure.Source(
            name, key.span, cite, assumed, self.chapter, self.visible, self.when
        )

    # -------------------------------------------------------------- options and constants

    def read_option(self, key: Scalar, node: Node) -> None:
        """Read one option."""
        if not isinstance(node, Mapping):
            return
        type_node, default = node.get("type"), node.get("default")
        members = _scalars(type_node) if isinstance(type_node, Sequence) else ()
        self.options.append(
            structure.OptionDecl(
                at=self.at(key.text, key, node),
                type=self.parsed(parse.parse_type, type_node) if not members else None,
                members=members,
                default=self.option_value(default, bool(members)),
                only_if=self.expression(node.get("only_if")),
                default_text=default.text if isinstance(default, Scalar) else "",
                about=_text(node, "about"),
            )
        )

    def option_value(self, node: Node | None, members: bool) -> s.Expression | None:
        """Parse the value of an option: a member may bear any name, also a reserved word."""
        if isinstance(node, Scalar) and re.fullmatch(r"[A-Za-z_]\w*", node.text):
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
            structure.VariantDecl(self.at(key.text, key, node), _text(node, "about"), values)
        )

    def read_constraint(self, node: Node) -> None:
        """Read one constraint."""
        if not isinstance(node, Mapping):
            return
        condition = self.expression(node.get("never"))
        if condition is not None:
            self.constraints.append(
                structure.ConstraintDecl(node.span, condition, _text(node, "say"))
            )

    def read_constant(self, key: Scalar, node: Node) -> None:
        """Read one constant."""
        at = self.at(key.text, key, node)
        if isinstance(node, Scalar):
            self.constants.append(structure.ConstantDecl(at, self.expression(node), ()))
        elif isinstance(node, Mapping):
            if (value := node.get("value")) is not None:
                self.constants.append(structure.ConstantDecl(at, self.expression(value), ()))
                return
            pairs = []
            for entry in node.entries:
                if found := re.fullmatch(r"(\d+) players?", entry.key.text):
                    if (expression := self.expression(entry.value)) is not None:
                        pairs.append((int(found[1]), expression))
            self.constants.append(structure.ConstantDecl(at, None, tuple(pairs)))

    # ----------------------------------------------------------- types, tables, components

    def columns(self, node: Node | None) -> tuple[structure.Column, ...]:
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
                    structure.Column(
                        name.name, entry.key.span, name.indexes, declared.type, declared.start
                    )
                )
        return tuple(found)

    def rows(self, node: Node | None) -> tuple[structure.RowDecl, ...]:
        """Read `rows:` written as a mapping."""
        return tuple(
            self.row(entry.key, entry.value)
            for entry in (node.entries if isinstance(node, Mapping) else ())
        )

    def row(self, key: Scalar, node: Node) -> structure.RowDecl:
        """Read one row."""
        cite = self.citations(key.span.line)
        if isinstance(node, Mapping):
            return structure.RowDecl(
                key.text,
                key.span,
                tuple(
                    (entry.key, entry.value)
                    for entry in node.entries
                    if entry.key.text not in ("about", "cite", "assumed")
                ),
                None,
                cite + tuple(scalar.text for scalar in _scalars(node.get("cite"))),
                _text(node, "assumed") or None,
                _text(node, "about"),
            )
        listed = tuple(node.items) if isinstance(node, Sequence) else (node,)
        return structure.RowDecl(key.text, key.span, (), listed, cite)

    def read_type(self, key: Scalar, node: Node) -> None:
        """Read one declared type."""
        at = self.at(key.text, key, node)
        if isinstance(node, Sequence):
            self.types.append(structure.TypeDecl(at, _scalars(node), None, (), ()))
        elif isinstance(node, Scalar):
            alias = self.parsed(parse.parse_type, node)
            if alias is not None:
                self.types.append(structure.TypeDecl(at, (), alias, (), ()))
        else:
            self.types.append(
                structure.TypeDecl(
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
            for scalar in _scalars(node.get("by"))
            if (parsed := self.parsed(parse.parse_type, scalar)) is not None
        )
        type_ = self.parsed(parse.parse_type, node.get("type")) if node.get("type") else None
        self.tables.append(
            structure.TableDecl(self.at(name.name, key, node), by, type_, tuple(rows))
        )

    def read_board(self, key: Scalar, node: Node) -> None:
        """Read one board."""
        if isinstance(node, Mapping):
            self.parse_texts(node)
            self.boards.append(
                structure.BoardDecl(
                    self.at(key.text, key, node),
                    _text(node, "shape", "list"),
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
            signature = self.parsed(parse.parse_signature, entry.key)
            if signature is None or not isinstance(entry.value, Scalar):
                continue
            if entry.value.text == "block":
                slots.append(structure.RuleSlot(signature, None, None))
            elif declared := self.parsed(parse.parse_declared, entry.value):
                slots.append(structure.RuleSlot(signature, declared.type, declared.start))
        attributes = []
        for entry in state.entries if isinstance(state, Mapping) else ():
            name = self.parsed(parse.parse_indexed, entry.key)
            declared = self.parsed(parse.parse_declared, entry.value)
            if name is not None and declared is not None:
                attributes.append((name, declared))
        like = node.get("like")
        self.kinds.append(
            structure.KindDecl(
                at=self.at(key.text, key, node),
                each=_text(node, "each") or None,
                each_span=each.span if each is not None else None,
                start=self.expression(node.get("start")) if node.get("start") else None,
                copies=self.expression(node.get("copies")) if node.get("copies") else None,
                columns=self.columns(node.get("has")),
                rows=self.rows(rows),
                every=self.parsed(parse.parse_every, rows) if isinstance(rows, Scalar) else None,
                slots=tuple(slots),
                attributes=tuple(attributes),
                like=like if isinstance(like, Scalar) else None,
            )
        )

    # ----------------------------------------------------------------- zones and variables

    def read_zone(self, key: Scalar, node: Node) -> None:
        """Read one zone."""
        name = self.parsed(parse.parse_indexed, key)
        if name is None or not isinstance(node, Mapping):
            return
        one = node.get("one")
        kind = one if one is not None else node.get("of")
        self.zones.append(
            structure.ZoneDecl(
                at=self.at(name.name, key, node),
                indexes=name.indexes,
                kind=kind if isinstance(kind, Scalar) else None,
                one=one is not None,
                visible_here=self.expression(node.get("visible")) if node.get("visible") else None,
                count=self.expression(node.get("count")) if node.get("count") else None,
                order=_text(node, "order"),
                holds=self.expression(node.get("holds")) if node.get("holds") else None,
                refill=self.expression(node.get("refill")) if node.get("refill") else None,
            )
        )

    def read_variable(self, key: Scalar, node: Node) -> None:
        """Read one variable."""
        name = self.parsed(parse.parse_indexed, key)
        if name is None:
            return
        body = node if isinstance(node, Mapping) else None
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
            structure.VariableDecl(
                at=self.at(name.name, key, node),
                indexes=name.indexes,
                type=declared.type,
                start=start,
                visible_here=visible,
                clamp=body is not None and _text(body, "above") == "stop",
                only=_scalars(body.get("only")) if body is not None else (),
                during=during if isinstance(during, Scalar) else None,
            )
        )

    # ------------------------------------------------------------------------------- rules

    def read_function(self, key: Scalar, node: Node) -> None:
        """Read one function."""
        if (found := self.function(key, node)) is not None:
            self.functions.append(found)

    def function(self, key: Scalar, node: Node) -> structure.FunctionDecl | None:
        """Return a function: an expression, or cases."""
        signature = self.parsed(parse.parse_signature, key)
        if signature is None:
            return None
        at = self.at(signature.name, key, node)
        body = node.get("value") or node if isinstance(node, Mapping) else node
        if isinstance(body, Mapping):
            subject = body.get("match")
            cases = body.get("cases")
            pairs = []
            for entry in cases.entries if isinstance(cases, Mapping) else ():
                condition = None if entry.key.text == "else" else self.expression(entry.key)
                value = self.expression(entry.value)
                if value is not None and (condition is not None or entry.key.text == "else"):
                    pairs.append((condition, value))
            return structure.FunctionDecl(
                at,
                signature,
                None,
                self.expression(subject) if subject is not None else None,
                tuple(pairs),
            )
        value = self.expression(body)
        return structure.FunctionDecl(at, signature, value, None, ()) if value else None

    def read_procedure(self, key: Scalar, node: Node) -> None:
        """Read one procedure."""
        signature = self.parsed(parse.parse_signature, key)
        if signature is None:
            return
        body, queued = node, None
        if isinstance(node, Mapping) and (inside := node.get("do")) and not self.is_step(node):
            body = inside
            queued = self.expression(node.get("queued")) if node.get("queued") else None
        self.procedures.append(
            structure.ProcedureDecl(
                self.at(signature.name, key, node), signature, self.block(body), queued
            )
        )

    def read_action(self, key: Scalar, node: Node) -> None:
        """Read one action."""
        line = self.menu_line(key, node)
        if line is not None:
            groups = _scalars(node.get("in")) if isinstance(node, Mapping) else ()
            self.actions.append(
                structure.ActionDecl(
                    self.at(line.signature.name, key, node),
                    line,
                    tuple(group.text for group in groups),
                )
            )

    def hook(self, key: Scalar, word: str, rest: str, node: Node) -> None:
        """Read `before PROC(…)` or `after PROC(…)`."""
        offset = len(key.text) - len(rest)
        inner = Scalar(rest, rest, key.span_of(offset, len(key.text)), key.style)
        signature = self.parsed(parse.parse_signature, inner)
        if signature is not None:
            at = self.at(signature.name, key, node)
            body = self.block(node)
            self.hooks.append(structure.HookDecl(at, word, signature, body, None, self.when))

    def replacement(self, key: Scalar, node: Node) -> None:
        """Read one entry of `replace:`: of a function if it is an expression or cases."""
        signature = self.parsed(parse.parse_signature, key)
        if signature is None:
            return
        at = self.at(signature.name, key, node)
        self.replacements.append((len(self.hooks), key, node))
        self.hooks.append(structure.HookDecl(at, "replace", signature, (), None, self.when))

    def read_replacements(self) -> None:
        """Read what `replace:` puts in place, once it is known what is a function."""
        functions = {each.at.name for each in self.functions}
        procedures = {each.at.name for each in self.procedures}
        for place, key, node in self.replacements:
            hook = self.hooks[place]
            if hook.at.name in functions:
                made = self.function(key, node)
                function = dataclasses.replace(made, at=hook.at) if made is not None else None
                self.hooks[place] = dataclasses.replace(hook, function=function)
            elif hook.at.name in procedures:
                if isinstance(node, Mapping) and not self.is_step(node):
                    node = node.get("do") or node
                self.hooks[place] = dataclasses.replace(hook, body=self.block(node))

    def read_phase(self, key: Scalar, node: Node) -> None:
        """Read one phase of the section."""
        self.phases.append(self.phase(key, node))

    def phase(self, key: Scalar, node: Node) -> structure.PhaseDecl:
        """Return a phase with the phases inside it."""
        at = self.at(key.text, key, node)
        if not isinstance(node, Mapping) or not (node.get("do") or node.get("phases")):
            return structure.PhaseDecl(at, None, None, None, False, None, self.block(node), (), "")
        inside = node.get("phases")
        loop = node.get("for") or node.get("turns")
        return structure.PhaseDecl(
            at=at,
            condition=self.expression(node.get("if")) if node.get("if") else None,
            until=self.expression(node.get("until")) if node.get("until") else None,
            binders=self.parsed(parse.parse_binders, loop) if loop else None,
            turns=node.get("turns") is not None,
            repeat=self.expression(node.get("repeat")) if node.get("repeat") else None,
            body=self.block(node.get("do")) if node.get("do") else (),
            phases=tuple(
                self.phase(entry.key, entry.value)
                for entry in (inside.entries if isinstance(inside, Mapping) else ())
            ),
            about=_text(node, "about"),
        )

    def read_always(self, key: Scalar, node: Node) -> None:
        """Read one invariant."""
        if (condition := self.expression(node)) is not None:
            if self.when is not None:
                true = s.Truth(condition.span, True)
                condition = s.IfElse(condition.span, condition, self.when, true)
            self.always.append((key.text, condition))

    def read_scoring(self, key: Scalar, node: Mapping) -> None:
        """Read `scoring:`."""
        found: dict[str, tuple[s.Signature, Node, Scalar]] = {}
        for entry in node.entries:
            signature = self.parsed(parse.parse_signature, entry.key)
            if signature is not None:
                found[signature.name] = (signature, entry.value, entry.key)

        def lines(word: str) -> tuple[structure.ScoringLine, ...]:
            if word not in found:
                return ()
            signature, value, _ = found[word]
            if isinstance(value, Mapping):
                pairs = [(entry.key.text, self.expression(entry.value)) for entry in value.entries]
            elif isinstance(value, Sequence):
                pairs = [("", self.expression(item)) for item in value.items]
            else:
                pairs = [("", self.expression(value))]
            made = []
            for name, item in pairs:
                if item is not None and self.when is not None:
                    item = s.IfElse(item.span, item, self.when, s.Number(item.span, 0))
                if item is not None:
                    made.append(structure.ScoringLine(name, item, signature))
            return tuple(made)

        earlier = self.scoring
        for word in ("equal", "out", "winner", "returns"):
            if word in found:
                self.scoring_once(word, found[word][2])
        winner, returns, out = (found.get(word) for word in ("winner", "returns", "out"))
        made = structure.ScoringDecl(
            points=lines("points"),
            ties=lines("ties"),
            equal=_text(node, "equal", earlier.equal if earlier is not None else "tied"),
            out=self.expression(out[1]) if out else None,
            out_parameter=out[0] if out else None,
            winner=self.parsed(parse.parse_winner, winner[1]) if winner else None,
            returns=self.function(returns[2], returns[1]) if returns else None,
            span=key.span,
        )
        if earlier is not None:
            made = dataclasses.replace(
                made,
                points=earlier.points + made.points,
                ties=earlier.ties + made.ties,
                out=made.out or earlier.out,
                out_parameter=made.out_parameter or earlier.out_parameter,
                winner=made.winner or earlier.winner,
                returns=made.returns or earlier.returns,
                span=earlier.span,
            )
        self.scoring = made

    def scoring_once(self, word: str, key: Scalar) -> None:
        """Report a word of `scoring:` that a module may not say, or that is said twice."""
        if self.when is not None:
            self.diagnostics.append(
                problem(
                    "RR0409",
                    f"a module adds lines to `points` and `ties`; `{word}` is the whole game's",
                    key.span,
                    help=f"let `{word}` call a function, and `replace:` that",
                )
            )
        elif word in self.scored:
            self.diagnostics.append(
                problem(
                    "RR0403",
                    f"`{word}` is declared twice",
                    key.span,
                    related=(Related(self.scored[word], "declared first here"),),
                )
            )
        else:
            self.scored[word] = key.span


_Reader = Callable[[_Walk, Scalar, Node], None]
_READERS: dict[str, _Reader] = {
    "options": _Walk.read_option,
    "variants": _Walk.read_variant,
    "constants": _Walk.read_constant,
    "types": _Walk.read_type,
    "tables": _Walk.read_table,
    "boards": _Walk.read_board,
    "components": _Walk.read_kind,
    "zones": _Walk.read_zone,
    "state": _Walk.read_variable,
    "functions": _Walk.read_function,
    "procedures": _Walk.read_procedure,
    "actions": _Walk.read_action,
    "phases": _Walk.read_phase,
    "always": _Walk.read_always,
}
