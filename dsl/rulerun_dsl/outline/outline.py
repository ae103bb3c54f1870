"""From documents to an outline: every string parsed, every key in its slot.

Assumes: documents that `schema` has checked. A part whose shape is wrong is left out without a
word, since it has been reported.
Does: walks the sections of the file, its chapters and its module files in order, and parses every
string once.
Leaves behind: an `Outline`. Names are not bound, types not known, options not fixed: the checker
does that from the same outline for each setting.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from rulerun_dsl.diagnostics.diagnostic import (
    MOST_FINDINGS,
    Diagnostic,
    Related,
    problem,
    short,
    suggest,
)
from rulerun_dsl.outline.declarations import Declarations, scalars_of, text_at
from rulerun_dsl.syntax import declarations, parse
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar, Sequence

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
MOST_PLAYERS = 20
"""The most players of a game; automata come on top."""

MOST_AUTOMATA = 20
"""The most automata that a game may have."""

_HINTS = frozenset(("when", "about", "view"))
_OF = re.compile(r"^(actions|procedures|functions|zones|state|tables|types) of .+$")
_CHAPTER = re.compile(r"^chapter ([A-Za-z_][A-Za-z0-9_]*)$")
_HOOK = re.compile(r"^(before|after) (.+)$", re.S)
_INSTEAD = re.compile(r"^instead for ([A-Za-z_][A-Za-z0-9_]*)$")


def outline(
    documents: Iterable[Mapping], citations: Callable[[int], tuple[str, ...]] = lambda line: ()
) -> tuple[declarations.Outline | None, list[Diagnostic]]:
    """Return the outline of a rules file and its module files (the main one first).

    `citations` gives what a trailing comment of a line cites (see `sources: cite`).
    """
    head, *modules = documents
    walk = _Walk(citations=citations)
    walk.sections(head, None)
    for module in modules:
        walk.sections(module, text_at(module, "module"))
    return walk.finish(head), walk.diagnostics


def _only_for(
    whom: Scalar, hook: declarations.HookDecl, body: declarations.Block
) -> declarations.Block:
    """What an automa does instead; for everybody else, the procedure as it was."""
    span = hook.at.span
    arguments = tuple(s.Name(each.span, each.name) for each in hook.signature.parameters)
    original = s.Do(span, s.Call(span, "original", span, arguments), None)
    is_it = s.Is(whom.span, s.You(whom.span), s.Name(whom.span, whom.text), False)
    return (declarations.If(span, is_it, body, (declarations.Line(span, (original,)),)),)


@dataclass
class _Walk(Declarations):
    """The walk in progress."""

    def sections(self, node: Mapping, chapter: str | None) -> None:
        """Read the sections of a file or chapter."""
        outer = self.chapter, self.visible, self.when
        self.chapter = chapter
        if (when := node.get("when")) is not None:
            self.when = self.expression(when)
            # A module that is all hints for screens is no part of the rules.
            if self.when is not None and not _HINTS.issuperset(node.keys()):
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
        if (whom := _INSTEAD.match(key.text)) and isinstance(value, Mapping):
            inner = Scalar(whom[1], whom[1], key.span_of(*whom.span(1)), key.style)
            for entry in value.entries:
                self.replacement(entry.key, entry.value, inner)
            return
        name = _OF.sub(r"\1", key.text)
        if name == "setup":
            steps = self.block(value)
            if self.when is not None:
                steps = (declarations.If(key.span, self.when, steps, ()),)
            self.setup.append(declarations.Group(key.span, steps))
        elif name in ("rows", "columns") and self.chapter is not None:
            for entry in value.entries if isinstance(value, Mapping) else ():
                if name == "rows":
                    self.more_rows.append((entry.key, self.rows(entry.value), self.when))
                else:
                    self.more_columns.append((entry.key, self.columns(entry.value)))
        elif name == "replace":
            for entry in value.entries if isinstance(value, Mapping) else ():
                self.replacement(entry.key, entry.value)
        elif name == "automa" and isinstance(value, Scalar):
            self.automata.append(declarations.AutomaDecl(value, self.when))
            if len(self.automata) > MOST_AUTOMATA:
                self.automata.pop()
                message = f"more than {MOST_AUTOMATA} automata are declared"
                self.diagnostics.append(problem("RR0516", message, value.span))
        elif name == "scoring" and isinstance(value, Mapping):
            self.read_scoring(key, value)
        elif name == "constraints" and isinstance(value, Sequence):
            for item in value.items:
                self.read_constraint(item)
        elif name == "view" and isinstance(value, Mapping):
            headline = self.parsed(parse.parse_template, value.get("headline"))
            self.view.append(declarations.ViewDecl(value, self.when, headline))
        elif name in _READERS and isinstance(value, Mapping):
            outer = self.visible
            if name in ("state", "zones") and (default := value.get("visible")) is not None:
                self.visible = self.expression(default) or self.visible
            for entry in value.entries:
                if name in ("state", "zones") and entry.key.text == "visible":
                    continue
                _READERS[name](self, entry.key, entry.value)
            self.visible = outer

    def finish(self, head: Mapping) -> declarations.Outline | None:
        """Return the outline, or None if there is no game to speak of."""
        self.read_replacements()
        self.misplaced()
        self.say_unread()
        players, player_range = self.read_players(head.get("players"))
        if head.get("players") is None:
            self.no_players(head)
        if not player_range[1]:
            return None
        sources = head.get("sources")
        limits = head.get("limits")
        return declarations.Outline(
            name=text_at(head, "game", "game"),
            title=text_at(head, "title") or text_at(head, "game", "game"),
            about=text_at(head, "about"),
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
            automata=tuple(self.automata),
            whens=tuple(self.whens),
            setup=tuple(self.setup),
            phases=tuple(self.phases),
            scoring=self.scoring
            or declarations.ScoringDecl((), (), "tied", None, None, None, None, None),
            always=tuple(self.always),
            view=tuple(self.view),
            sources=tuple(
                (entry.key.text, entry.value.text)
                for entry in (sources.entries if isinstance(sources, Mapping) else ())
                if isinstance(entry.value, Scalar)
            ),
            span=head.span,
            text_length=self.length,
        )

    def misplaced(self) -> None:
        """Report rows and columns of what is not there, or cannot grow by an option."""
        kinds = {each.at.name for each in self.kinds}
        types = {each.at.name: each for each in self.types}
        known = [*kinds, *types]
        for key in (*(key for key, *_ in self.more_rows), *(key for key, _ in self.more_columns)):
            if key.text not in known:
                near = suggest(key.text, known) if self.slips < MOST_FINDINGS else None
                self.slips += 1
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

    def no_players(self, head: Mapping) -> None:
        """Report a file that does not say who plays."""
        key = next(
            (entry.key for entry in head.entries if entry.key.text in ("game", "module")), None
        )
        if key is not None and key.text == "module":
            message = f"`{text_at(head, 'module')}` is a module: it is no game of its own"
            help = "load the rules file that lists it under `files:`"
        else:
            message = "nothing says how many play"
            help = "write `players: 2`, `players: 2..4` or a list of names"
        span = key.span if key is not None else head.span
        self.diagnostics.append(problem("RR0401", message, span, help=help))

    def read_players(self, node: Node | None) -> tuple[tuple[Scalar, ...], tuple[int, int]]:
        """Return the names and the least and greatest number of players."""
        if isinstance(node, Sequence):
            names = scalars_of(node)
            if len(names) <= MOST_PLAYERS:
                return names, (len(names), len(names))
            self.diagnostics.append(
                problem(
                    "RR0401",
                    f"{len(names)} players are named: at most {MOST_PLAYERS} play a game",
                    names[MOST_PLAYERS].span,
                )
            )
        if isinstance(node, Scalar):
            if found := re.fullmatch(r"\s*(\d{1,9})(?:\s*\.\.\s*(\d{1,9}))?\s*", node.text):
                low, high = int(found[1]), int(found[2] or found[1])
                if 1 <= low <= high <= MOST_PLAYERS:
                    return (), (low, high)
            self.diagnostics.append(
                problem(
                    "RR0401",
                    f"`{short(node.text)}` is no number of players",
                    node.span,
                    help="write a number (`2`), a range "
                    f"(`2..4`, at most {MOST_PLAYERS}) or a list of names",
                )
            )
        return (), (0, 0)

    # -------------------------------------------------------------- options and constants

    # ----------------------------------------------------------- types, tables, components

    # ----------------------------------------------------------------- zones and variables

    # ------------------------------------------------------------------------------- rules

    def read_function(self, key: Scalar, node: Node) -> None:
        """Read one function."""
        if (found := self.function(key, node)) is not None:
            self.functions.append(found)

    def function(self, key: Scalar, node: Node) -> declarations.FunctionDecl | None:
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
            return declarations.FunctionDecl(
                at,
                signature,
                None,
                self.expression(subject) if subject is not None else None,
                tuple(pairs),
            )
        value = self.expression(body)
        return declarations.FunctionDecl(at, signature, value, None, ()) if value else None

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
            declarations.ProcedureDecl(
                self.at(signature.name, key, node), signature, self.block(body), queued
            )
        )

    def read_action(self, key: Scalar, node: Node) -> None:
        """Read one action."""
        line = self.menu_line(key, node)
        if line is not None:
            groups = scalars_of(node.get("in")) if isinstance(node, Mapping) else ()
            self.actions.append(
                declarations.ActionDecl(
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
            self.hooks.append(declarations.HookDecl(at, word, signature, body, None, self.when))

    def replacement(self, key: Scalar, node: Node, whom: Scalar | None = None) -> None:
        """Read one entry of `replace:`: of a function if it is an expression or cases.

        `whom`: it stands under `instead for` this automa.
        """
        signature = self.parsed(parse.parse_signature, key)
        if signature is None:
            return
        at = self.at(signature.name, key, node)
        self.replacements.append((len(self.hooks), key, node, whom))
        self.hooks.append(declarations.HookDecl(at, "replace", signature, (), None, self.when))

    def read_replacements(self) -> None:
        """Read what `replace:` puts in place, once it is known what is a function."""
        functions = {each.at.name for each in self.functions}
        procedures = {each.at.name for each in self.procedures}
        for place, key, node, whom in self.replacements:
            hook = self.hooks[place]
            if hook.at.name in functions and whom is None:
                made = self.function(key, node)
                function = dataclasses.replace(made, at=hook.at) if made is not None else None
                self.hooks[place] = dataclasses.replace(hook, function=function)
            elif hook.at.name in procedures:
                if isinstance(node, Mapping) and not self.is_step(node):
                    node = node.get("do") or node
                body = self.block(node)
                if whom is not None:
                    body = _only_for(whom, hook, body)
                self.hooks[place] = dataclasses.replace(hook, body=body)
            elif whom is not None and hook.at.name in functions:
                self.diagnostics.append(
                    problem(
                        "RR0409",
                        f"`{hook.at.name}` is a function: `instead for` is for procedures",
                        hook.at.span,
                        help="put it under `replace:`, and ask there who it is about",
                    )
                )

    def read_phase(self, key: Scalar, node: Node) -> None:
        """Read one phase of the section."""
        self.phases.append(self.phase(key, node))

    def phase(self, key: Scalar, node: Node) -> declarations.PhaseDecl:
        """Return a phase with the phases inside it."""
        at = self.at(key.text, key, node)
        if (
            not isinstance(node, Mapping)
            or not (node.get("do") or node.get("phases"))
            or node.get("together") is not None
        ):
            return declarations.PhaseDecl(
                at, None, None, None, False, None, self.block(node), (), ""
            )
        inside = node.get("phases")
        loop = node.get("for") or node.get("turns")
        for first, second in (("for", "turns"), ("for", "repeat"), ("turns", "repeat")):
            self.rivals(node, first, second)
        self.rivals(node, "until", "repeat")
        return declarations.PhaseDecl(
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
            about=text_at(node, "about"),
        )

    def rivals(self, node: Mapping, first: str, second: str) -> None:
        """Report two keys of which only one may stand in a mapping."""
        one, other = node.entry(first), node.entry(second)
        if one is None or other is None:
            return
        self.diagnostics.append(
            problem(
                "RR0211",
                f"`{second}` and `{first}` exclude each other",
                other.key.span,
                related=(Related(one.key.span, f"`{first}` stands here"),),
                help="keep one of them, and put a phase or loop with the other inside",
            )
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

        def lines(word: str) -> tuple[declarations.ScoringLine, ...]:
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
                    made.append(declarations.ScoringLine(name, item, signature))
            return tuple(made)

        earlier = self.scoring
        for word in ("equal", "out", "winner", "returns"):
            if word in found:
                self.scoring_once(word, found[word][2])
        winner, returns, out = (found.get(word) for word in ("winner", "returns", "out"))
        made = declarations.ScoringDecl(
            points=lines("points"),
            ties=lines("ties"),
            equal=text_at(node, "equal", earlier.equal if earlier is not None else "tied"),
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
