"""What a shelf says of a game: the head of its rules file, unchecked.

Assumes a path.
Does: reads YAML and no rule, so that a whole shelf is read at once.
Leaves behind texts; what is not there or cannot be read is an empty one.
"""

from __future__ import annotations

from pathlib import Path

from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.safe_text import clean
from rulerun_dsl.yaml.document import load_document
from rulerun_dsl.yaml.nodes import Scalar, Sequence
from rulerun_dsl.yaml.open_source import read_source


@frozen
class Head:
    """A game, as it stands at the head of its file."""

    name: str
    title: str
    players: str
    """`2`, `3..5`."""
    minutes: str
    about: str
    kind: str
    """A word of the catalogue in the schema."""
    shows: tuple[str, ...]
    """What a designer can copy from it."""


def head_of(path: Path) -> Head:
    """The head of a rules file."""
    source, _ = read_source(path)
    document = None if source is None else load_document(source)[0]

    def text(key: str) -> str:
        node = None if document is None else document.get(key)
        return _line(node) if isinstance(node, Scalar) else ""

    players = None if document is None else document.get("players")
    many = str(len(players.items)) if isinstance(players, Sequence) else text("players")
    shows = None if document is None else document.get("shows")
    return Head(
        name=path.stem,
        title=text("title") or path.stem,
        players=many,
        minutes=text("minutes"),
        about=text("about"),
        kind=text("kind"),
        shows=tuple(_line(each) for each in shows.items if isinstance(each, Scalar))
        if isinstance(shows, Sequence)
        else (),
    )


def _line(node: Scalar) -> str:
    return " ".join(clean(node.text).split())
