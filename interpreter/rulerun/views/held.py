"""What holds components elsewhere than in zones, as a viewer may know it.

Assumes a state at rest, through a viewer's `PlayerView`.
Does: parts the slots that hold components into those whose value the viewer sees, and those that
may hold another in another world: hidden variables, and names of rules that run.
Leaves behind what `resample` may deal anew, and where what is held must be followed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from rulerun.reference.collections import bits
from rulerun.runtime.components import kind_of
from rulerun.runtime.index import element_of
from rulerun.views.player_view import PlayerView
from rulerun_dsl.model.valuetypes import SetOf, bare
from rulerun_dsl.source.frozen import frozen, slotted


@frozen
class Holds:
    """A slot that holds a component, or a set of some."""

    at: int
    several: bool
    secret: bool
    """Whether it is a variable that the viewer does not see."""
    cursor: int = -1
    """The slot of the loop that stands at it, if it is the name of one: 1 more than it holds."""

    def members(self, slots: Sequence[int]) -> list[int]:
        """What it holds, ascending. None is -1, in a set and else."""
        value = slots[self.at]
        if value < 0:
            return []
        return list(bits(value, 0)) if self.several else [value]

    def put(self, slots: list[int], components: Sequence[int]) -> None:
        """Let it hold these, if it holds any."""
        if slots[self.at] >= 0:
            held = sum(1 << each for each in components) if self.several else components[0]
            slots[self.at] = held
            if self.cursor >= 0:
                slots[self.cursor] = 1 + held


@slotted
class Held:
    """What is held of a kind."""

    all: bool = False
    """Whether it may be any: what holds several at once is not looked into."""
    components: set[int] = field(default_factory=set)
    """What stays where it lies."""
    slots: list[Holds] = field(default_factory=list)
    """What holds what lies now where lay what it held. Of counted kinds there is none."""


def held_by_rules(view: PlayerView) -> dict[str, Held]:
    """By kind: what is held."""
    slots = view.state.slots
    found = {name: Held() for name in view.tables.kinds}
    hidden = {table.address(indexes) for table, indexes in view.hidden_variables()}
    for entry in view.view_index.variables:
        type_ = bare(entry.table.variable.type)
        kind = kind_of(view.tables, element_of(type_))
        if kind is None:
            continue
        held = found[kind.kind.name]
        holder = Holds(entry.at, isinstance(type_, SetOf), entry.at in hidden)
        if holder.secret and not kind.kind.counted:
            held.slots.append(holder)
        else:
            held.components.update(holder.members(slots))
    standing = [*view.view_index.holding.held(slots)]
    loops = {(at - name.offset, name.kind, slots[at] - 1): at
             for name, at in standing if name.what == "loop"}  # fmt: skip
    """By frame, kind and component: where a loop keeps that it stands there."""
    for name, at in standing:
        cursor = loops.get((at - name.offset, name.kind, slots[at]), -1)
        held, holder = found[name.kind], Holds(at, False, False, cursor)
        if name.what == "several":
            held.all = True
        elif name.what == "name" and view.tables.kinds[name.kind].kind.counted:
            held.components.update(holder.members(slots))
        elif name.what == "name":
            held.slots.append(holder)
    return found
