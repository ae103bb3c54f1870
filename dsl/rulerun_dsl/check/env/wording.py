"""Words of messages: with an article, with how many there are."""

from __future__ import annotations

from rulerun_dsl.source.identifiers import WORD
from rulerun_dsl.source.special_cards import ONE_KIND, is_several


def several(number: int | str, word: str = "argument") -> str:
    """So many of something."""
    return f"{number} {word}" if number in (1, "1") else f"{number} {word}s"


def named(word: str) -> str:
    """A word with its article."""
    return f"an {word}" if word[:1] in "aeio" else f"a {word}"


def type_line(name: str) -> str:
    """How a type is declared."""
    return f"declare it under `types:`: `{name}: [one, other]`"


def zone_line(name: str, kind: str, indexes: str = "") -> str:
    """How a zone of a kind is declared."""
    return f"declare it under `zones:`: `{name}{indexes}: {{of: {kind}, visible: all}}`"


def kind_line(name: str) -> str | None:
    """How a kind of component is declared."""
    if is_several(name):
        return ONE_KIND
    if not WORD.fullmatch(name):
        return None
    return f"declare it under `components:`: `{name}: {{copies: 10, start: ZONE}}`"
