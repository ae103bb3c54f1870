"""Whether a position hides anything from anybody.

Assumes: a state at rest, looked at as if no `together` were open: what others do inside one is
hidden by its nature, and is no matter of sight.
Does: asks for every player, by what they see (`views.observe`), whether what they do not see could
be otherwise. Cards that all lie in one place that nobody sees hide nothing: which they are follows
from all that is seen. A variable that is not seen, or an order that is not, hides something.
Leaves behind a yes or no that errs to one side: a position of which it says that nothing is hidden
hides nothing.

What a name of the rules or a running loop holds counts as known.
"""

from __future__ import annotations

from rulerun.runtime.index import KindTable
from rulerun.runtime.play import TOGETHER
from rulerun.runtime.state import State
from rulerun.views.player_view import PlayerView
from rulerun.views.resample import hidden_zones
from rulerun.views.view_index import view_index
from rulerun_dsl.model import Game
from rulerun_dsl.model.valuetypes import Order, bare


class Hiding:
    """What the positions of one game hide."""

    def __init__(self, game: Game) -> None:
        """Read who sees what."""
        self.game = game
        index = view_index(game)
        self.index = index
        conditions = [each.visible for each in index.variables]
        conditions += [each.visible for each in index.zones]
        conditions += [each.count_visible for each in index.zones]
        everybody = (1 << len(game.players)) - 1
        steady = all(each.always is not None for each in conditions)
        self.by_places = steady and all(
            (each.visible.always or 0) & everybody == everybody for each in index.variables
        )
        """Whether the answer hangs on nothing but what lies where (and no order)."""
        self.never = self.by_places and all(
            (each.visible.always or 0) & everybody == everybody for each in index.zones
        )
        """Whether everybody sees everything, always."""

    def from_whom(self, state: State) -> int | None:
        """A player from whom something is hidden; None if there is nobody."""
        if self.never:
            return None
        if state.slots[TOGETHER]:
            slots = list(state.slots)
            slots[TOGETHER] = 0
            state = State(tuple(slots))
        for viewer in range(len(self.game.players)):
            if _hides(PlayerView(self.game, state, viewer)):
                return viewer
        return None


def _hides(view: PlayerView) -> bool:
    """Whether what a viewer does not see could be otherwise."""
    for table, _ in view.hidden_variables():
        type_ = table.variable.type
        low, high = (0, 1) if isinstance(bare(type_), Order) else view.tables.bounds(type_)
        if low < high:
            return True
    return any(_hides_some(view, kind) for kind in view.tables.kinds.values())


def _hides_some(view: PlayerView, kind: KindTable) -> bool:
    """Whether components of a kind could lie elsewhere, or have become something else."""
    zones = hidden_zones(view, kind)
    inside = {zone: view.components.members(view.slots, zone) for zone in zones}
    held = [zone for zone in zones if inside[zone]]
    if not held:
        return False
    if any(low < high for low, high in (view.tables.bounds(each.type) for each in kind.attributes)):
        return True
    if len(zones) > 1 and not all(
        view.sees(view.view_index.zones[zone].count_visible) for zone in zones
    ):
        return True
    classes = {view.components.class_of(kind, each) for zone in held for each in inside[zone]}
    ordered = view.tables.instances[held[0]].ordered and len(inside[held[0]]) > 1
    return len(classes) > 1 and (len(held) > 1 or ordered)
