"""The model as JSON: the same game, the same text, on every machine.

Places in files and prose are left out. A node is an object whose key `is` holds the tag of its
class; types are written as people read them; `none` is null. Used by tools, by goldens and to tell
whether two settings make the same game.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from typing import Any

from rulerun_dsl import model as m
from rulerun_dsl.model import valuetypes as t

_TYPES = (
    t.Bool, t.Int, t.Player, t.Enum, t.Row, t.Site, t.Direction, t.Component, t.Order, t.SetOf,
    t.Multiset, t.NoneType, t.Optional, t.Fraction, t.Unknown, t.Collection, t.Zone,
)  # fmt: skip
_LEFT_OUT = frozenset(
    (
        "span",
        "citations",
        "view",
        "words",
        "about",
        "hint",
        "does",
        "printed",
        "fingerprint",
        "former_fingerprints",
    )
)


_TAGS: dict[type, str] = {
    m.And: "Every",
    m.BuiltinCall: "Built",
    m.InstructionBase: "Instruction",
    m.NotNone: "Sure",
    m.Or: "Either",
    m.RangeCheck: "Within",
}
"""The tags of classes that have been renamed. A tag is the first name that its class had, and
stays: what was written of a game before says the same afterwards."""


def tag(cls: type) -> str:
    """What canonical JSON and fingerprints call a class."""
    return _TAGS.get(cls, cls.__name__)


def to_json(value: object) -> Any:
    """A game, or any part of a model, as plain data for `json`."""
    if isinstance(value, _TYPES):
        return str(value)
    if dataclasses.is_dataclass(value):
        found: dict[str, Any] = {"is": tag(type(value))}
        for field in dataclasses.fields(value):
            if field.name not in _LEFT_OUT:
                found[field.name] = to_json(getattr(value, field.name))
        return found
    if isinstance(value, tuple | list):
        return [to_json(each) for each in value]
    return value


def digest(game: m.Game, without: tuple[str, ...] = ()) -> str:
    """A hash of the game; `without` leaves out fields of `Game` (`options`)."""
    data = to_json(game)
    for name in without:
        data.pop(name, None)
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
