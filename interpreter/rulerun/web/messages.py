"""What a client may send, and what is made of it.

Assumes text from anybody.
Does: reads it as one of a few messages, each with its fields and no others.
Leaves behind frozen values, or `Unclear`, which says what was expected.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from rulerun.words.language import SHIPPED
from rulerun_dsl.source.frozen import frozen

LONGEST = 4_096
"""Bytes of a message."""


class Unclear(ValueError):
    """A message is none that there is."""


@frozen
class Hello:
    """Who comes, and what they read."""

    token: str
    language: str


@frozen
class Do:
    """An answer to the question of the scene with this mark."""

    action: int
    mark: str


@frozen
class Undo:
    """Take back my last decision."""


@frozen
class Seat:
    """Let a bot of some level, or a person, play on for a player."""

    player: str
    who: str


@frozen
class Sit:
    """Sit down on a seat that is open."""

    player: str


@frozen
class Speak:
    """Read on in another language."""

    language: str


@frozen
class Again:
    """Another game with the same people, each one seat further on."""


@frozen
class Back:
    """Show how the table stood after so many inputs of a game that is over."""

    to: int


@frozen
class Why:
    """What belongs to my question and is not offered, and why."""


@frozen
class Advise:
    """What a player who thinks would do in my place."""


Message = Hello | Do | Undo | Seat | Sit | Speak | Again | Back | Why | Advise

_FORMS: Mapping[str, tuple[Callable[..., Message], tuple[tuple[str, type], ...]]] = {
    "hello": (Hello, (("token", str), ("language", str))),
    "do": (Do, (("action", int), ("mark", str))),
    "undo": (Undo, ()),
    "seat": (Seat, (("player", str), ("who", str))),
    "sit": (Sit, (("player", str),)),
    "speak": (Speak, (("language", str),)),
    "again": (Again, ()),
    "back": (Back, (("to", int),)),
    "why": (Why, ()),
    "advise": (Advise, ()),
}


def read(text: str | bytes) -> Message:
    """The message of a text. Raises `Unclear`."""
    if len(text) > LONGEST:
        raise Unclear(f"a message has at most {LONGEST} bytes")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise Unclear("a message is a JSON object") from None
    if not isinstance(data, dict):
        raise Unclear("a message is a JSON object")
    word = data.pop("is", None)
    if not isinstance(word, str) or word not in _FORMS:
        raise Unclear(f"`is` is one of {', '.join(_FORMS)}")
    kind, fields = _FORMS[word]
    if data.keys() != {name for name, _ in fields}:
        raise Unclear(f"`{word}` has the fields {', '.join(name for name, _ in fields) or 'none'}")
    values: list[object] = []
    for name, type_ in fields:
        value = data[name]
        if type(value) is not type_ or not _bounded(value):
            raise Unclear(f"`{name}` is {'a number' if type_ is int else 'a text'}")
        values.append(value)
    return kind(*values)


def _bounded(value: object) -> bool:
    if isinstance(value, int):
        return 0 <= value < 2**53
    return not isinstance(value, str) or whole(value)


def whole(text: str) -> bool:
    """Whether a text has no half characters, which neither a disk nor a socket takes."""
    return text.isascii() or not any("\ud800" <= each <= "\udfff" for each in text)


def known(language: str) -> str:
    """A language that is shipped; "", that of the rules, for any other text."""
    return language if language in SHIPPED else ""
