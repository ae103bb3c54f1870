"""The fingerprint of a game's rules: what records and saved games name them by.

It is taken over the parsed outline: names, structure and expressions, without places in files and
without prose. A class of the outline appears under its tag, as in canonical JSON, so that a renamed
class leaves the fingerprints as they were.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

from rulerun_dsl.model.canonical_json import tag
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax import statements as stmt
from rulerun_dsl.syntax.declarations import (
    Block,
    Cases,
    For,
    FunctionDecl,
    If,
    Match,
    MenuLine,
    Outline,
    PhaseDecl,
    ProcedureDecl,
    Say,
    Times,
    VariableDecl,
)
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar, Sequence


def fingerprint_of(outline: Outline) -> str:
    """A hash of the rules that comments, layout, `view:` and what people are told do not change.

    Defaults of options are left out, unless they say what type the option has: who knows the
    options of a play need not know what they would have been.
    """
    return RulesWriter(silent=True).digest(_without_defaults(outline))


def former_fingerprints_of(outline: Outline) -> tuple[str, ...]:
    """The fingerprints in older records: with all that is said, in format 1 with the defaults."""
    writer = RulesWriter(silent=False)
    return writer.digest(_without_defaults(outline)), writer.digest(outline)


def _without_defaults(outline: Outline) -> Outline:
    options = (
        replace(each, default=None, default_text="") if each.type or each.members else each
        for each in outline.options
    )
    return replace(outline, options=tuple(options))


# Fields that do not change what is played.
_PROSE = frozenset(
    "span name_span each_span about cite assumed view words story abouts sentences action_names "
    "action_parameters written_in chapter title sources say hint text_length".split()
)
# Fields that came later. Where they say nothing they are left out: rules of before keep theirs.
_ADDED = frozenset(
    (
        (FunctionDecl, "lets"),
        (MenuLine, "around"),
        (ProcedureDecl, "stacked"),
        (VariableDecl, "remembers"),
        (s.Binder, "every"),
        (s.Filtered, "so_long"),
        (s.ForClause, "condition"),
        (s.ForClause, "every"),
        (s.ForClause, "so_long"),
    )
)


_PLAIN = frozenset((str, int, bool, type(None)))


@cache
def _written(made: type) -> tuple[str, tuple[str, ...], frozenset[str]]:
    """What a class is called, its fields that are written, and which of them came later."""
    names = tuple(each.name for each in fields(made) if each.name not in _PROSE)
    return tag(made), names, frozenset(name for name in names if (made, name) in _ADDED)


class RulesWriter:
    """Writes an outline or a part of one, `silent` without the steps that only tell something."""

    def __init__(self, silent: bool) -> None:
        self.silent = silent
        self._sections: dict[int, tuple[object, str]] = {}
        """What outlines with sections in common are made of, by identity."""

    def digest(self, outline: Outline) -> str:
        """A hash of an outline as text."""
        digest = hashlib.blake2b(digest_size=16)
        digest.update(self._of_fields(outline, self._section).encode())
        return digest.hexdigest()

    def _section(self, value: object) -> str:
        if id(value) not in self._sections:
            self._sections[id(value)] = value, self.text(value)
        return self._sections[id(value)][1]

    def text(self, value: object) -> str:
        """A value of the outline as text, without places and prose."""
        if type(value) in _PLAIN:
            return repr(value)
        if isinstance(value, tuple | list):
            if self.silent:
                value = [each for each in value if not only_tells(each)]
            return "(" + ",".join([self.text(each) for each in value]) + ")"
        if isinstance(value, s.Template):
            return ""
        if isinstance(value, Mapping):
            return "{" + ",".join(f"{e.key.text}:{self.text(e.value)}" for e in value.entries) + "}"
        if isinstance(value, Sequence):
            kept = value.items
            if self.silent:
                kept = tuple(each for each in kept if not _row_only_tells(each))
            if len(kept) == 1 < len(value.items) and isinstance(kept[0], Scalar):
                # As it is written where nothing is told beside it: a line is no list then.
                return self.text(kept[0])
            value = replace(value, items=kept)
            return "[" + ",".join(self.text(item) for item in value.items) + "]"
        if isinstance(value, Scalar):
            return repr(value.text)
        if isinstance(value, s.Comprehension):
            return self.of_clauses(value, value.value, value.clauses)
        if isinstance(value, stmt.Repeated):
            return self.of_clauses(value, value.statement, value.clauses)
        if isinstance(value, s.Loops):
            return self.text(_as_binders(value))
        return self._of_fields(value, self.text) if is_dataclass(value) else repr(value)

    def _of_fields(self, value: object, text: Callable[[object], str]) -> str:
        """A value of a class of the outline, whose fields are written by `text`."""
        made: Any = type(value)
        named, names, added = _written(made)
        given = [getattr(value, name) for name in names]
        if isinstance(value, PhaseDecl):
            # Loops and turns were one field, and another told which of them it is.
            former = {"loops": value.loops or value.turns, "turns": value.turns is not None}
            given = [former.get(name, each) for name, each in zip(names, given, strict=True)]
        if added:
            given = [
                each for name, each in zip(names, given, strict=True) if each or name not in added
            ]
        return f"{named}({','.join([text(each) for each in given])})"

    def of_clauses(self, value: object, head: object, clauses: tuple[s.ForClause, ...]) -> str:
        """As it was when the condition behind the last `for` stood beside the clauses."""
        *before, last = clauses
        parts = (head, (*before, replace(last, condition=None)), last.condition)
        return f"{tag(type(value))}({','.join(map(self.text, parts))})"


def only_tells(step: object) -> bool:
    """Whether a step of a block only tells people something, whatever it asks for that."""
    blocks: tuple[Block, ...]
    match step:
        case Say():
            return True
        case If():
            blocks = (step.then, step.alternative)
        case Cases() | Match():
            blocks = tuple(block for _, block in step.cases)
        case For() | Times():
            blocks = (step.body,)
        case _:
            return False
    return any(blocks) and all(only_tells(each) for block in blocks for each in block)


def _row_only_tells(step: Node) -> bool:
    """The same of a step that stands in a row, where rules are read later."""
    if not isinstance(step, Mapping):
        return False
    if step.get("say") is not None:
        return True
    cases = step.get("cases")
    blocks = [step.get(key) for key in ("then", "else", "do")]
    blocks += [each.value for each in cases.entries] if isinstance(cases, Mapping) else []
    found = [each for each in blocks if each is not None]
    return (
        any(step.get(key) is not None for key in ("if", "cases", "for", "repeat"))
        and bool(found)
        and all(
            all(map(_row_only_tells, each.items))
            if isinstance(each, Sequence)
            else _row_only_tells(each)
            for each in found
        )
    )


def _as_binders(loops: s.Loops) -> s.Binders | tuple[s.ForClause, ...]:
    """As it was when loops were binders with one condition, for those that can be said so."""
    *before, last = loops.items
    if any(each.every or each.so_long for each in loops.items):
        return loops.items
    if any(each.condition for each in before):
        return loops.items
    items = tuple(
        s.Binder(each.span, each.name, each.span, each.source, None, None) for each in loops.items
    )
    return s.Binders(loops.span, items, last.condition)
