"""The parameters of what is being called at a place.

Assumes: an `Analysis`, and a text in which the call may not be finished.
Leaves behind: how it is called, and which parameter the place is in.
"""

from __future__ import annotations

import re

from rulerun_dsl.assist.analysis import Analysis
from rulerun_dsl.assist.describing import about_of, detail_of
from rulerun_dsl.model.library import LIBRARY
from rulerun_dsl.source.frozen import frozen

_NAME = re.compile(r"([^\W\d]\w*)\Z")
_FAR = 2_000


@frozen
class Signature:
    """How something is called."""

    forms: tuple[str, ...]
    about: str
    parameter: int
    """Of the one whose arguments are being written, from 0."""


def signature_at(analysis: Analysis, text: str, offset: int) -> Signature | None:
    """The innermost call around a place."""
    depth = commas = 0
    for place in range(offset - 1, max(offset - _FAR, -1), -1):
        sign = text[place]
        if sign in ")]":
            depth += 1
        elif sign in "([" and depth:
            depth -= 1
        elif sign == "," and not depth:
            commas += 1
        elif sign == "(":
            name = _NAME.search(text, 0, place)
            if name is not None:
                return _of(analysis, name[1], commas)
        elif sign == "\n" and re.match(r"\n\s*(?:- |[^\s:]+:)", text[place:]):
            return None
    return None


def _of(analysis: Analysis, name: str, parameter: int) -> Signature | None:
    world = analysis.world
    if world is not None and name in world.declared:
        word = world.declared[name][0]
        if word not in ("function", "procedure", "action"):
            return None
        form = detail_of(analysis, world, word, name)
        return Signature((form,), about_of(analysis, word, name), parameter)
    row = LIBRARY.get(name)
    return Signature(row.forms, row.about, parameter) if row is not None else None
