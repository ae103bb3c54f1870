"""The log of one viewer as it grows: what is told already is not told again.

Assumes all that the viewer was told, which only ever gets longer.
Does: keeps what is told up to the last place behind which nothing changes it; narrates from there.
Leaves behind the sentences that a `Narrator` makes of everything at once.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulerun.views.observation import Told
from rulerun.words.labels import Labels
from rulerun.words.narration import Narrator, Sentence


class Chronicle:
    """What one viewer has read."""

    def __init__(self, names: Labels, viewer: str) -> None:
        """Begin with nothing told."""
        self._narrator = Narrator(names, viewer=viewer)
        self._told: list[Sentence] = []
        self._heard = 0
        self._last: tuple[int, list[Sentence]] = (0, [])
        """How much had been told when somebody asked last, and the answer."""

    def sentences(self, told: Sequence[Told]) -> list[Sentence]:
        """All sentences, of all that was told so far."""
        if len(told) == self._last[0]:
            return self._last[1]
        narrator = self._narrator
        for at in range(len(told) - 1, self._heard, -1):
            if narrator.parted(told[at - 1], told[at]):
                new = narrator.parts(told[self._heard : at])
                self._told, self._heard = narrator.put_behind(self._told, new), at
                break
        whole = narrator.put_behind(self._told, narrator.fork().parts(told[self._heard :]))
        self._last = len(told), whole
        return whole
