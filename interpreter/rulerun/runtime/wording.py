"""Names of the rules as people read them."""

from __future__ import annotations


def words(name: str) -> str:
    """A name of the rules for people."""
    return name.replace("_", " ")


def person(name: str) -> str:
    """A player's name for people."""
    name = words(name)
    return name[:1].upper() + name[1:]
