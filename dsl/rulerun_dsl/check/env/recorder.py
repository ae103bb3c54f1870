"""What the checker understood of each name and expression, written down while it checks.

Assumes: a `World` that carries a recorder; most carry none, and nothing is written down.
Does: takes notes of what names stand for, of the types of expressions, and of what could stand at
the place that somebody asks about: a name no author writes (`HERE`) is put there, and where the
checker tries to bind it, the names in scope and the wanted type are kept.
Leaves behind: lists, in the order of checking. A text that is checked twice is noted twice.

Names are resolved by the checker alone: whoever shows, renames or completes one reads this.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from rulerun_dsl import model as m
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span

HERE = "placeholder_of_the_editor"
"""The name that stands where something is asked for."""

DECLARED = ""
"""The `of` of what is declared at the top of sections: it shares one namespace."""


@frozen
class Symbol:
    """What a name stands for; two uses are of one thing if their symbols are equal."""

    word: str
    """`zone`, `local`, `member`, `column`, `attribute`, `slot`, `library`, `player`, …"""
    name: str
    of: str = DECLARED
    """The type or kind that it belongs to."""
    at: Span | None = None
    """Where a local, a column, an attribute or a slot is named first; all else is known by name."""


@frozen
class Use:
    """A name in a text, and what it stands for."""

    span: Span
    symbol: Symbol
    type: t.Type | None


@frozen
class Asked:
    """What could stand at the place that is asked about."""

    role: str
    """`value`, `call`, `zone`, `target`, `statement`, or `name`: one of those that are known."""
    names: Mapping[str, m.Expression]
    """The locals."""
    expected: t.Type | None = None
    many: bool = False
    has_you: bool = False
    known: tuple[str, ...] = ()
    """What fits, where that is a list of names (the role `name`)."""
    what: str = ""
    """What these are, as messages call it: `zone`, `attribute of a card:`."""


def word_in(span: Span, name: str) -> Span:
    """Where a name stands in what declares it: `4 p in players`, `card c`, `let n = 3`."""
    if span.text == name:
        return span
    text, word = span.text, rf"(?<!\w){re.escape(name)}(?!\w)"
    found = re.search(rf"{word}(?=\s+in\b)|{word}(?=\s*=)|{word}$", text) or re.search(word, text)
    if found is None:
        return span
    return Span(span.source, span.start + found.start(), span.start + found.end())


_OFTEN = 128
"""So many expressions are noted between two looks at whether anybody still wants to know."""


@dataclass
class Recorder:
    """The notes of one world."""

    heed: Callable[[], None] | None = None
    """Called now and then; what it raises ends the check."""
    uses: list[Use] = field(default_factory=list)
    types: list[tuple[Span, t.Type]] = field(default_factory=list)
    """Of expressions."""
    asked: list[Asked] = field(default_factory=list)

    def use(self, span: Span, symbol: Symbol, type_: t.Type | None = None) -> None:
        """Note what a name stands for."""
        self.uses.append(Use(span, symbol, type_))

    def typed(self, span: Span, type_: t.Type) -> None:
        """Note the type of an expression."""
        self.types.append((span, type_))
        if self.heed is not None and len(self.types) % _OFTEN == 0:
            self.heed()

    def ask(
        self,
        role: str,
        names: Mapping[str, m.Expression],
        expected: t.Type | None = None,
        *,
        many: bool = False,
        has_you: bool = False,
        known: Iterable[str] = (),
        what: str = "",
    ) -> None:
        """Note what could stand at the place that is asked about."""
        self.asked.append(Asked(role, names, expected, many, has_you, tuple(known), what))
