"""From documents to an outline: every string parsed, every key in its slot.

Assumes: documents that `schema` has checked. A part whose shape is wrong is left out without a
word, since it has been reported.
Does: walks the sections of the file, its chapters and its module files in order, and parses every
string once.
Leaves behind: an `Outline`. Names are not bound, types not known, options not fixed: the checker
does that from the same outline for each setting.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rulerun_dsl.diagnostics.diagnostic import (
    MOST_FINDINGS,
    Diagnostic,
    did_you_mean,
    problem,
    short,
    suggest,
)
from rulerun_dsl.diagnostics.fixes import Fix, rewrite
from rulerun_dsl.outline.abouts import abouts_in
from rulerun_dsl.outline.blocks import Parser
from rulerun_dsl.outline.declarations import scalars_of, text_at
from rulerun_dsl.outline.parameters import type_names
from rulerun_dsl.outline.rules import Rules
from rulerun_dsl.source.identifiers import NAME
from rulerun_dsl.syntax import declarations, parse
from rulerun_dsl.syntax.told import About, ViewDecl, WordsDecl
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar, Sequence

MOST_PLAYERS = 20
"""The most players of a game; automata come on top."""

MOST_AUTOMATA = 20
"""The most automata that a game may have."""

_HINTS = frozenset(("when", "about", "view", "words", "story"))
_OF = re.compile(r"^(actions|procedures|functions|zones|state|tables|types) of .+$")
_CHAPTER = re.compile(rf"^chapter ({NAME})$")
_HOOK = re.compile(r"^(before|after) (.+)$", re.S)
_INSTEAD = re.compile(rf"^instead for ({NAME})$")


def outline(
    documents: Iterable[Mapping], citations: Callable[[int], tuple[str, ...]] = lambda line: ()
) -> tuple[declarations.Outline | None, list[Diagnostic]]:
    """Return the outline of a rules file and its module files (the main one first).

    `citations` gives what a trailing comment of a line cites (see `sources: cite`).
    """
    head, *modules = documents
    walk = _Walk(citations=citations)
    walk.named_types = type_names((head, *modules))
    walk.sections(head, None)
    for module in modules:
        walk.sections(module, text_at(module, "module"))
    abouts = tuple(each for document in (head, *modules) for each in abouts_in(document))
    return walk.finish(head, abouts), walk.diagnostics


def texts_of_rules(document: Mapping) -> list[tuple[Scalar, Parser]]:
    """The texts of one file that are rules, values and types, each with what parses it."""
    walk = _Walk([], citations=lambda line: ())
    walk.sections(document, None)
    return walk.read


@dataclass
class _Walk(Rules):
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
            self.view.append(ViewDecl(value, self.when, headline))
        elif name in ("words", "story") and isinstance(value, Mapping):
            found = self.words if name == "words" else self.story
            found.append(WordsDecl(value, self.when))
        elif name == "actions" and isinstance(value, Mapping):
            self.read_actions(value)
        elif name in _READERS and isinstance(value, Mapping):
            outer = self.visible
            if name in ("state", "zones") and (default := value.get("visible")) is not None:
                self.visible = self.expression(default) or self.visible
            for entry in value.entries:
                if name in ("state", "zones") and entry.key.text == "visible":
                    continue
                _READERS[name](self, entry.key, entry.value)
            self.visible = outer

    def finish(self, head: Mapping, abouts: tuple[About, ...]) -> declarations.Outline | None:
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
            kinds=tuple(self.grown(each) for each in self.kinds),
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
            words=tuple(self.words),
            story=tuple(self.story),
            abouts=abouts,
            sentences=tuple(dict.fromkeys(self.sentences)),
            action_names=tuple(dict.fromkeys(self.action_names)),
            action_parameters=tuple(
                (name, called[self.action_arguments.get(name, 0) :])
                for name, called in self.action_parameters.items()
            ),
            written_in=text_at(head, "language") or "en",
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
                        **did_you_mean(key.span, key.text, near, known),
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
                    fixes=_as_range(node),
                )
            )
        return (), (0, 0)


def _as_range(node: Scalar) -> tuple[Fix, ...]:
    """The fix of `2-4` or `2 to 4` players."""
    found = re.fullmatch(r"(\d+)\s*(?:-|–|to|\.{3})\s*(\d+)", node.text)
    return rewrite(node.span, f"{found[1]}..{found[2]}", safe=True) if found else ()


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
    "phases": _Walk.read_phase,
    "always": _Walk.read_always,
}
