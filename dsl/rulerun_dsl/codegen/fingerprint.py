"""The fingerprint of a game's rules: what records and saved games name them by.

It is taken over the parsed outline: names, structure and expressions, without places in files and
without prose. A class of the outline appears under its tag, as in canonical JSON, so that a renamed
class leaves the fingerprints as they were.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

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
    return _hash(_without_defaults(outline), silent=True)


def former_fingerprints_of(outline: Outline) -> tuple[str, ...]:
    """The fingerprints in older records: with all that is said, in format 1 with the defaults."""
    return _hash(_without_defaults(outline), silent=False), _hash(outline, silent=False)


def _without_defaults(outline: Outline) -> Outline:
    options = (
        replace(each, default=None, default_text="") if each.type or each.members else each
        for each in outline.options
    )
    return replace(outline, options=tuple(options))


def _hash(outline: Outline, *, silent: bool) -> str:
    digest = hashlib.blake2b(digest_size=16)
    digest.update(RulesWriter(silent).text(outline).encode())
    return digest.hexdigest()


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


class RulesWriter:
    """Writes an outline or a part of one, `silent` without the steps that only tell something."""

    def __init__(self, silent: bool) -> None:
        self.silent = silent

    def text(self, value: object) -> str:
        """A value of the outline as text, without places and prose."""
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
        if isinstance(value, tuple | list):
            if self.silent:
                value = [each for each in value if not only_tells(each)]
            return "(" + ",".join(self.text(each) for each in value) + ")"
        if isinstance(value, s.Comprehension):
            return self.of_clauses(value, value.value, value.clauses)
        if isinstance(value, stmt.Repeated):
            return self.of_clauses(value, value.statement, value.clauses)
        if isinstance(value, s.Loops):
            return self.text(_as_binders(value))
        fields = getattr(value, "__dataclass_fields__", None)
        if fields is not None:
            made = type(value)
            given = [(name, getattr(value, name)) for name in fields if name not in _PROSE]
            if isinstance(value, PhaseDecl):
                # Loops and turns were one field, and another told which of them it is.
                former = {"loops": value.loops or value.turns, "turns": value.turns is not None}
                given = [(name, former.get(name, each)) for name, each in given]
            inside = ",".join(
                self.text(each) for name, each in given if each or (made, name) not in _ADDED
            )
            return f"{tag(made)}({inside})"
        return repr(value)

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
