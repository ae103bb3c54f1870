"""Names of the rules as people read them."""

from __future__ import annotations


def words(name: str) -> str:
    """A name of the rules for people."""
    return name.replace("_", " ")


def person(name: str) -> str:
    """A player's name for people."""
    name = words(name)
    return name[:1].upper() + name[1:]


def nth(number: int) -> str:
    """A place in a row, counted from 1: `1st`, `12th`, `23rd`."""
    ends = {1: "st", 2: "nd", 3: "rd"}
    end = "th" if number // 10 % 10 == 1 else ends.get(number % 10, "th")
    return f"{number}{end}"
