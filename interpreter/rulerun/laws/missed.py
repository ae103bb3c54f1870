"""What the laws did not look at, for whoever reports that nothing was found.

Assumes: plays that were bounded (`rulerun.reference.metering`).
Does: counts those that were not played or were broken off, and by law what it saw a part of.
Leaves behind: the same in words, and as data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

_SHOWN = 3
"""So many settings that were not played are named."""


@dataclass
class Missed:
    """What was not looked at, since there was too much work in it."""

    plays: int = 0
    """Plays that there were to be."""
    unplayed: Counter[str] = field(default_factory=Counter)
    """By setting: how many of its plays were not played."""
    broken_off: int = 0
    """Plays that were broken off."""
    partly: Counter[int] = field(default_factory=Counter)
    """By law: in how many plays it looked at a part of what it names."""

    @property
    def anything(self) -> bool:
        """Whether there is something to say."""
        return bool(self.unplayed or self.broken_off or self.partly)

    def told(self) -> Iterator[str]:
        """In words, each part by itself."""
        if self.unplayed:
            settings = ", ".join(f"`{each}`" for each in [*self.unplayed][:_SHOWN])
            more = len(self.unplayed) - _SHOWN
            yield (
                f"{self.unplayed.total()} of {self.plays} plays were not played "
                f"({settings}{f' and {more} more' if more > 0 else ''})"
            )
        played = self.plays - self.unplayed.total()
        if self.broken_off:
            yield f"{self.broken_off} of {played} plays were broken off"
        if self.partly:
            laws = ", ".join(f"{law} ({many})" for law, many in sorted(self.partly.items()))
            yield f"of {played} plays these laws looked at a part only: {laws}"

    def as_data(self) -> dict[str, object]:
        """The same for machines."""
        return {
            "plays": self.plays,
            "unplayed": dict(self.unplayed),
            "broken_off": self.broken_off,
            "partly": {str(law): many for law, many in sorted(self.partly.items())},
        }
