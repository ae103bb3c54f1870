"""How the rules get to a place, and what is untold there: the values that `untold` carries along.

Assumes nothing.
Does: keeps which names hold part of a choice that nobody is told, and what decides whether the
rules get there at all.
Leaves behind: frozen values, joined where ways meet.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from rulerun_dsl.check.stmt import tree
from rulerun_dsl.check.whole.opening import EFFECT, Begins, Shape


@dataclass(frozen=True)
class Untold:
    """Something that was chosen and told to nobody but who chose."""

    place: int
    """Which `choose`: the place in `_Follower.nodes`."""
    name: str
    """The name that holds it; empty: which option was taken."""
    chooser: Shape


Tainted = frozenset[Untold]
NOTHING: Tainted = frozenset()


@dataclass
class Flow:
    """What is untold at a place of the rules."""

    names: dict[int, Tainted] = field(default_factory=dict)
    """By slot: what of untold choices a local holds."""
    players: dict[int, Shape] = field(default_factory=dict)
    """By slot: which player a local holds, if that is another name for one."""
    told: set[Untold] = field(default_factory=set)
    """What all have seen since."""
    given: set[Untold] = field(default_factory=set)
    """What flows out of the routine with `give`."""

    def copy(self) -> Flow:
        """The same, to go another way."""
        return Flow(dict(self.names), dict(self.players), set(self.told), set(self.given))

    def join(self, other: Flow) -> None:
        """Where two ways meet: what was told on one counts as told."""
        for offset, tainted in other.names.items():
            self.names[offset] = self.names.get(offset, NOTHING) | tainted
        both = self.players.items() & other.players.items()
        self.players = dict(both)
        self.told |= other.told
        self.given |= other.given


@dataclass(frozen=True)
class Rivals:
    """An option of a menu that looks like others of it."""

    option: Untold
    others: tuple[tree.Node, ...]
    """What these others do."""
    born: frozenset[int]
    """The locals that live in the option alone."""


@dataclass(frozen=True)
class Way:
    """How one gets to a place."""

    control: Tainted = NOTHING
    """The untold choices that decide whether one gets here, in a way that a question tells."""
    rivals: tuple[Rivals, ...] = ()
    """The menus in whose options one is."""
    after: Begins = frozenset((EFFECT,))
    """With what the rules go on behind the tree that is followed."""
    out: Begins = frozenset((EFFECT,))
    """With what they go on when the routine is left."""

    def under(self, more: Tainted) -> Way:
        """The way with more that decides about it."""
        return replace(self, control=self.control | more)
