"""Keys of things on the table: what an answer is about, so that the thing itself can be clicked.

Assumes a game, components as they are seen, and actions by number.
Does: gives a component, a site and a player each a key, and an action the keys of what it names.
Leaves behind texts; the page compares them and reads nothing in them.
"""

from __future__ import annotations

from rulerun.runtime import actions
from rulerun.views.observation import Seen
from rulerun.words.labels import Labels
from rulerun_dsl.model import Domain
from rulerun_dsl.model.valuetypes import Component, Player, Row, Site


class Keys:
    """The keys of one game."""

    def __init__(self, names: Labels) -> None:
        """Take the names, which know how an action names a component."""
        self.names = names
        self._of: dict[int, list[str]] = {}

    def component(self, kind: str, seen: Seen) -> str:
        """Of a component, by what it is; two that are alike have one key."""
        return f"{kind}/{seen.row}"

    def site(self, board: str, site: str) -> str:
        """Of a site of a board."""
        return f"{board}/{site}"

    def player(self, name: str) -> str:
        """Of a player."""
        return f"player/{name}"

    def of_action(self, action: int) -> list[str]:
        """Of what an action names, in the order in which it names them."""
        if action not in self._of:
            type_, texts = self.names.parts(action)
            found = []
            for domain, text in zip(type_.parameters, texts, strict=True):
                found += self._of_value(domain, text)
            self._of[action] = list(dict.fromkeys(found))
        return self._of[action]

    def _of_value(self, domain: Domain, text: str) -> list[str]:
        of = domain.of if domain.element is None else domain.element.of
        pieces = text.split(actions.PLUS) if domain.element is not None else [text]
        found = []
        for piece in pieces:
            match of:
                case Component(kind) | Row(kind):
                    row = self.names.row_of(kind, piece)
                    found += [] if row is None else [f"{kind}/{row[0]}"]
                case Site(board):
                    found.append(self.site(board, piece))
                case Player():
                    found.append(self.player(piece))
        return found
