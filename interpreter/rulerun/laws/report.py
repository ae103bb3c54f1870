"""What the laws are called, and what is said when one does not hold.

Assumes nothing.
Does: names the laws; keeps a finding with all that is needed to see it again.
Leaves behind plain frozen values.
"""

from __future__ import annotations

from collections.abc import Mapping

from rulerun.analysis.settings import Setting
from rulerun.runtime.state import State
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span

LAWS: Mapping[int, str] = {
    0: "what a rules file says is always so",
    1: "conservation",
    2: "a state is a value",
    3: "legal means legal",
    4: "a refusal changes nothing",
    5: "indistinguishable means identical",
    6: "simultaneous is simultaneous",
    7: "chance is explicit",
    8: "a record replays",
    9: "undo is computed",
    10: "options are part of the game",
    11: "it ends",
    12: "places are places",
    13: "what nobody reads is an error",
    14: "executors agree",
}
"""The laws by number; 0 are the conditions under `always:`."""


class Placed(str):
    """What is wrong, by a line of the rules."""

    __slots__ = ("span",)

    def __new__(cls, what: str, span: Span) -> Placed:
        """Keep where it stands."""
        placed = super().__new__(cls, what)
        placed.span = span
        return placed

    span: Span


def span_of(what: str) -> Span | None:
    """Where what is wrong stands, if that is known."""
    return what.span if isinstance(what, Placed) else None


@frozen
class Finding:
    """A law that did not hold."""

    law: int
    what: str
    setting: Setting | None = None
    """None: it was found in the file, before any play."""
    seed: str = ""
    """Of the play, to see it again."""
    inputs: tuple[str, ...] = ()
    """The inputs up to there, as texts."""
    state: State | None = None
    """There, with every secret."""
    span: Span | None = None
    """Where in the rules, if that is known: what the state says of it is not asked then."""

    @property
    def name(self) -> str:
        """The law's name."""
        return LAWS[self.law]

    @property
    def step(self) -> int:
        """After how many inputs."""
        return len(self.inputs)

    @property
    def where(self) -> str:
        """Where it was seen."""
        if self.setting is None:
            return "in the file"
        if not self.seed:
            return f"with {self.setting}"
        return f"with {self.setting}, seed {self.seed}, after {self.step} inputs"

    @property
    def again(self) -> str:
        """How to see it again: the call that plays just this."""
        if self.setting is None:
            return f"check_laws(loaded, laws=[{self.law}])"
        arguments = [f"players={self.setting.players}"]
        if self.setting.variants:
            arguments.append(f"variants={list(self.setting.variants)!r}")
        if self.setting.options:
            arguments.append(f"options={dict(self.setting.options)!r}")
        if self.seed:
            arguments.append(f"replay={self.seed!r}")
        return f"check_laws(loaded, {', '.join(arguments)}, laws=[{self.law}])"

    def __str__(self) -> str:
        law = f"law {self.law} ({self.name})" if self.law else self.name
        lines = [f"{law}: {self.what}", f"  {self.where}"]
        if self.inputs:
            lines.append(f"  inputs: {'; '.join(self.inputs)}")
        return "\n".join([*lines, f"  again: {self.again}"])
