"""Whether a play leaves a viewer with what they know: proved by the reference.

Assumes: what a viewer knows (`recall`), and inputs of another play, every one of them legal.
Does: runs them from the beginning and holds what the viewer is told, sees and does against what
they know, item by item, until one differs. `Hearing` looks at what is told alone, which costs far
less: with a sight at every step (`rerun`) it is nearly the whole of it. Where two plays begin
alike, the second is run from where they part.
Leaves behind yes or no; of what was heard, where it differs and which components it is about.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

from rulerun.posterior.sight_key import Name
from rulerun.reference.executor import Reference
from rulerun.runtime.executor import Input, Step
from rulerun.views.observe import Told, canonical
from rulerun.views.recall import Held, InformationState, Recall, sift
from rulerun_dsl.model import Game


class Proof:
    """Whether plays leave a viewer with just what they know."""

    def __init__(self, game: Game, known: InformationState) -> None:
        """Hold plays against this."""
        self._reference = Reference(game)
        self._known = known
        begun = self._reference.initial()
        self._path = [(begun, Recall.begin(self._reference, begun, known.viewer))]
        self._inputs: list[Input] = []

    def holds(self, inputs: Sequence[Input]) -> bool:
        """Whether it is so after these inputs."""
        start = _common(self._inputs, inputs)
        path = self._path[: start + 1]
        wanted = self._known.items
        step, recall = path[-1]
        seen = len(recall.known.items)
        for given in inputs[start:]:
            step = self._reference.apply(step.state, given)
            recall = recall.extended(self._reference, given, step)
            items = recall.known.items
            if items[seen:] != wanted[seen : len(items)]:
                return False
            seen = len(items)
            path.append((step, recall))
        self._path, self._inputs = path, list(inputs)
        return recall.known.digest == self._known.digest


class Hearing:
    """Whether a viewer is told in plays what they were told."""

    def __init__(self, game: Game, viewer: int, past: Sequence[Input]) -> None:
        """Hear what was told in the play of these inputs."""
        self._game = game
        self._viewer = viewer
        self._reference = Reference(game)
        begun = self._reference.initial()
        heard, held = sift(begun.events, 0, viewer, (), len(game.players))
        self._path: list[tuple[Step, Held, int]] = [(begun, held, len(heard))]
        self._inputs: list[Input] = []
        self._told = [*map(_plain, heard)]
        step = begun
        for given in past:
            step = self._reference.apply(step.state, given)
            heard, held = sift(step.events, 0, viewer, held, len(game.players))
            self._told += map(_plain, heard)
        self.came = 0
        """How many inputs of the last play were right."""
        self.more: Counter[Name] = Counter()
        self.less: Counter[Name] = Counter()

    def holds(self, inputs: Sequence[Input], whole: bool = True) -> bool:
        """Whether the same was told after these inputs; if not `whole`, the same so far."""
        start = _common(self._inputs, inputs)
        path = self._path[: start + 1]
        step, held, count = path[-1]
        right = True
        self.came = start
        for given in inputs[start:]:
            step = self._reference.apply(step.state, given)
            heard, held = sift(step.events, 0, self._viewer, held, len(self._game.players))
            told = [*map(_plain, heard)]
            wanted = self._told[count : count + len(told)]
            if told != wanted:
                self._differs(told, wanted)
                right = False
                break
            count += len(told)
            self.came += 1
            path.append((step, held, count))
        self._path, self._inputs = path, list(inputs[: len(path) - 1])
        return right and (not whole or count == len(self._told))

    def _differs(self, told: Sequence[str], wanted: Sequence[str]) -> None:
        more: Counter[Name] = Counter()
        for items, sign in ((told, 1), (wanted, -1)):
            for item in items:
                for name in self._names(json.loads(item)[2]):
                    more[name] += sign
        self.more, self.less = +more, -more

    def _names(self, what: dict[str, object]) -> list[Name]:
        """The components that something told is about."""
        listed = what.get("components", what.get("component", []))
        texts = [listed] if isinstance(listed, str) else listed if isinstance(listed, list) else []
        rows = [str(text).partition(" of ")[0] for text in texts]
        return [
            (kind.name, kind.rows.index(row))
            for row in rows
            for kind in self._game.kinds
            if kind.name == what.get("kind", kind.name) and row in kind.rows
        ]


def _common(one: Sequence[Input], other: Sequence[Input]) -> int:
    """How many inputs two plays begin with alike."""
    for at, (mine, theirs) in enumerate(zip(one, other, strict=False)):
        if mine != theirs:
            return at
    return min(len(one), len(other))


def _plain(told: Told) -> str:
    return canonical(told.data())
