"""A bracket that is left open at the end of its line, and one too many inside another.

Assumes: a `Slip` inside brackets, and the place of the innermost that is open there.
Does: looks whether the next line goes on with what is inside or begins something of its own, and
whether a bracket belongs to a key, as in `hand[player]: …`.
Leaves behind: one diagnostic, or none if it is something else.
"""

from __future__ import annotations

import re

import yaml

from rulerun_dsl.diagnostics.diagnostic import Diagnostic, Related, problem
from rulerun_dsl.diagnostics.fixes import Fix, insert, rewrite
from rulerun_dsl.source.identifiers import NAME
from rulerun_dsl.yaml.error_context import Slip

_CLOSING = {"[": "]", "{": "}"}
_BEGINS = re.compile(r"(?:- )?[^\s,:]+:(?: |$)|- ")
_KEY_WITH_INDEX = re.compile(rf"{NAME}\[[^\[\]{{}}]*\]: ")
_PIECE = re.compile(rf"{NAME}(?:\[[^\[\]{{}}]*\])?: [^{{}}\[\]:]+")


def left_open(slip: Slip, opening: int) -> Diagnostic | None:
    """A bracket on whose line all stands that it holds: a line as deep follows, with a key."""
    line = slip.source.position(opening)[0]
    below = (each for each in range(line + 1, slip.line + 1) if slip.source.line_text(each).strip())
    following = next(below, None)
    held = slip.first_line(opening)
    if following is None or slip.depth(following) > slip.depth(line) or held[-1] in "[{,":
        return None
    if not _BEGINS.match(slip.source.line_text(following).lstrip(" ")):
        return None
    bracket = slip.text[opening]
    closing = _CLOSING[bracket]
    title = f"write the `{closing}`"
    return problem(
        "RR0126",
        f"a `{bracket}` is not closed",
        slip.span(opening, opening + 1),
        help=f"write `{closing}` at the end of the line",
        fixes=insert(slip.span(opening, opening + len(held)), closing, safe=False, title=title),
    )


def bracket_in_item(slip: Slip, opening: int) -> Diagnostic | None:
    """A bracket that begins in the middle of an item."""
    before = slip.previous
    if slip.character not in ("[", "{") or not isinstance(before, yaml.ScalarToken):
        return None
    start = before.start_mark.index
    bracket = slip.text[opening]
    help = "quote the item, or write one item a line, without brackets"
    fixes: tuple[Fix, ...] = ()
    if bracket == "{" and _KEY_WITH_INDEX.match(slip.text, start):
        help, fixes = "write one key a line, without the braces", _one_a_line(slip, opening)
    return problem(
        "RR0133",
        f"`{slip.character}` stands inside an item of a list or mapping in `{bracket}`",
        slip.span(start, slip.place + 1),
        related=[Related(slip.span(opening, opening + 1), "opened here")],
        help=help,
        fixes=fixes,
    )


def _one_a_line(slip: Slip, opening: int) -> tuple[Fix, ...]:
    """The fix that writes what stands in braces on one line as a block under its key."""
    held = slip.first_line(opening)
    line = slip.source.position(opening)[0]
    before = slip.text[slip.source.line_starts[line - 1] : opening]
    key = re.fullmatch(r"((?: |- )*)[^\s{}][^{}]*: +", before)
    if key is None or held[-1:] != "}" or slip.source.line_text(line) != before + held:
        return ()
    pieces = re.split(r", *(?![^\[]*\])", held[1:-1])
    if not all(map(_PIECE.fullmatch, pieces)):
        return ()
    ending = ("\r\n" if "\r\n" in slip.text else "\n") + " " * (len(key[1]) + 2)
    place = slip.span(opening - len(before) + len(before.rstrip()), opening + len(held))
    text = ending + ending.join(pieces)
    return rewrite(place, text, safe=True, title="write one key a line")
