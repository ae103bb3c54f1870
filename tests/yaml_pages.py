"""YAML at random, as people write it: what a page says, laid out in one of many ways.

`pages` draws a document and the text of it: blocks and brackets, any indentation, quotes, comments,
blank lines, line endings, letters of any script.
"""

from __future__ import annotations

import random
from typing import Any

from hypothesis import strategies as st

_WORDS = ["a", "card", "é", "王子", "x y", "a: b", "a #b", "# no", "3", "1..4", "true", "yes", "-1"]
_WORDS += ["[win|wins]", "<p> {x}", "it's", 'say "no"', "back\\slash", "a, b", "- x", "&a", "*b"]
_WORDS += ["!t", "%d", "@x", "`y`", "? q", "~", "null", "0x1f", "1_0", "1e3", "", " lead", "trail "]
_WORDS += ["x" * 60, "a\tb", "née ✓", "=", "<<", "|", ">", "tab\\t", "a:b", "::", "'", '"', "12:30"]
_BARE = {"a", "card", "é", "王子", "x y", "3", "1..4", "true", "yes", "-1", "it's", "née ✓"}
_BARE |= {"0x1f", "1e3", "x" * 60, "12:30", 'say "no"', "back\\slash"}
_KEYS = ["a", "b", "long_name", "clé", "hand[p]", "1..3", "x y", "k.e.y", "points(p)", "z", "n"]


def pages() -> st.SearchStrategy[tuple[dict[str, Any], str]]:
    """A document, and a text that says it."""
    return st.integers(0, 10**9).map(page)


def page(seed: int) -> tuple[dict[str, Any], str]:
    """The page of a number."""
    draw = random.Random(seed)
    data = _mapping(draw, 0)
    lines = _block(draw, data, 0, "")
    if draw.random() < 0.3:
        lines = ["# the first line", *([""] * draw.randrange(3)), *lines]
    ending = draw.choice(["\n", "\n", "\r\n"])
    end = draw.choice(["", ending, ending * 3, f"{ending}# the end{ending}"])
    return data, ending.join(lines) + end


def _mapping(draw: random.Random, depth: int) -> dict[str, Any]:
    keys = draw.sample(_KEYS, draw.randint(1, 5))
    return {key: _value(draw, depth + 1) for key in keys}


def _value(draw: random.Random, depth: int) -> Any:
    kind = draw.random()
    if depth < 4 and kind < 0.3:
        return _mapping(draw, depth)
    if depth < 4 and kind < 0.5:
        return [_value(draw, depth + 1) for _ in range(draw.randint(1, 4))]
    return draw.choice(_WORDS)


def _scalar(draw: random.Random, text: str, flow: bool) -> str:
    if text in _BARE and not (flow and text.startswith("[")) and draw.random() < 0.7:
        return text
    if draw.random() < 0.4 and "\t" not in text:
        return "'" + text.replace("'", "''") + "'"
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t") + '"'


def _flow(draw: random.Random, value: Any, indent: str) -> str:
    def blank() -> str:
        return draw.choice(["", "", " ", "  ", f"\n{indent}    "])

    if isinstance(value, dict):
        parts = [
            f"{_key(draw, key, True)}{draw.choice([':', ' :', ':'])} {_flow(draw, each, indent)}"
            for key, each in value.items()
        ]
        return "{" + blank() + f",{blank()} ".join(parts) + blank() + "}"
    if isinstance(value, list):
        parts = [_flow(draw, each, indent) for each in value]
        return "[" + blank() + f"{draw.choice(['', ' '])}, {blank()}".join(parts) + blank() + "]"
    return _scalar(draw, value, True)


def _key(draw: random.Random, key: str, flow: bool) -> str:
    if "[" in key and flow:
        return f'"{key}"'
    return draw.choice([key, key, f'"{key}"', f"'{key}'"])


def _block(draw: random.Random, value: Any, depth: int, indent: str) -> list[str]:
    """The lines of a collection in block style."""
    found: list[str] = []
    for each in value if isinstance(value, list) else value.items():
        if isinstance(value, list):
            head, inner = f"{indent}-", each
        else:
            key, inner = each
            head = f"{indent}{_key(draw, key, False)}{draw.choice([':', ':', ' :'])}"
        if draw.random() < 0.15:
            found += [""] * draw.randrange(4)
        if draw.random() < 0.15:
            found.append(f"{indent}{' ' * draw.choice([0, 0, 2])}# about {depth}")
        found += _entry(draw, head, inner, depth, indent)
    return found


def _entry(draw: random.Random, head: str, value: Any, depth: int, indent: str) -> list[str]:
    blank = " " * draw.choice([1, 1, 1, 2, 4])
    comment = draw.choice(["", "", "", " # said", "     # far", " " * draw.randrange(3)])
    if isinstance(value, str):
        lines = f"{head}{blank}{_scalar(draw, value, False)}{comment}"
        return lines.split("\n")
    if depth > 0 and draw.random() < 0.4:
        return f"{head}{blank}{_flow(draw, value, indent)}{comment}".split("\n")
    is_list = isinstance(value, list)
    in_list = head.endswith("-")
    step = draw.choice([2, 2, 4, 3, 1]) if not (is_list and not in_list) else draw.choice([0, 2, 4])
    below = _block(draw, value, depth + 1, indent + " " * (step or 0) if step else indent)
    if in_list and draw.random() < 0.7:
        # `- key: value` needs the rest of the mapping in the column of the key.
        gap = draw.choice([1, 1, 2, 3])
        inner = indent + " " * (1 + gap)
        below = _block(draw, value, depth + 1, inner)
        first = next((place for place, each in enumerate(below) if each.strip()), 0)
        if not below[first].lstrip().startswith("#"):
            return [*below[:0], f"{head}{' ' * gap}{below[first].lstrip()}", *below[first + 1 :]]
    return [f"{head}{comment}", *below]
