"""Law 5: what is hidden from a viewer, dealt again, is a world that they may be in.

Assumes a walk.
Does: in some of its states deals again what each viewer does not see, and looks at the resulting
world: whether it is whole (every component in one zone, no zone too full, nobody knowing of
more than there is), whether the viewer sees the same by the declarations and by `observe`, whether
what they know to lie somewhere lies there, and whether the same players are to decide.
Leaves behind what no viewer could believe by what they know, or what is impossible altogether.

Inside a `together` nothing is dealt: others' things are not in the viewer's reach there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rulerun.laws.altering import looks
from rulerun.laws.trajectory import Found, Walk
from rulerun.laws.whole import Whole
from rulerun.reference.knowledge import Knowledge
from rulerun.reference.visibility import Visibility
from rulerun.runtime.play import TOGETHER
from rulerun.runtime.state import State
from rulerun.views.observe import observe
from rulerun.views.player_view import PlayerView
from rulerun.views.resample import deal_anew

MOST_STATES = 10
WORLDS = 3

Known = Counter[tuple[str, int, int]]
"""Of how many one knows, by kind, zone and class."""


def look(walk: Walk) -> Iterator[Found]:
    """Look for worlds that cannot be."""
    dealt = _Dealt(walk)
    for at in walk.picked(MOST_STATES, "dealing"):
        if walk.states[at].slots[TOGETHER]:
            continue
        for viewer in walk.viewers:
            yield from ((at, what) for what in dealt.look(at, viewer))


class _Dealt:
    """The worlds of one walk."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.sight = walk.table.sight
        self.whole = Whole(walk.game)
        self.knowledge = Knowledge(
            self.sight.tables, self.sight.components, Visibility(self.sight.evaluator)
        )

    def look(self, at: int, viewer: int) -> Iterator[str]:
        walk, state = self.walk, self.walk.states[at]
        name = "a spectator" if viewer < 0 else walk.game.players[viewer]
        view = PlayerView(walk.game, state, viewer)
        seen = observe(walk.executor, state, viewer)
        known = self._known(state, viewer)
        for number in range(WORLDS):
            world = deal_anew(view, walk.luck("dealing", at, viewer, number))
            for fault in self.whole.at_rest(world.slots):
                yield f"dealt anew for {name}, it cannot be: {fault}"
                return
            missing = known - self._lying(world)
            if missing:
                kind, zone, class_ = next(iter(missing))
                row = self.sight.tables.kinds[kind].kind.rows
                owners = self.sight.tables.kinds[kind].kind.owners
                label = self.sight.components.label(zone)
                yield f"{name} knows of {row[class_ // owners]} in {label}; dealt anew, it is away"
                return
            if self._known(world, viewer) != known:
                yield f"dealt anew for {name}, they know something else"
                return
            if self.sight.view(world.slots, viewer) != self.sight.view(state.slots, viewer):
                yield f"dealt anew for {name}, the declarations show them something else"
                return
            if looks(observe(walk.executor, world, viewer)) != looks(seen):
                yield f"dealt anew for {name}, they see something else"
                return

    def _known(self, state: State, viewer: int) -> Known:
        """What the viewer knows to lie where, without seeing it."""
        found: Known = Counter()
        if viewer < 0:
            return found
        components = self.sight.components
        for name, kind in self.sight.tables.kinds.items():
            for each, many in self.knowledge.known(state.slots, kind, viewer).items():
                zone = components.zone_of(state.slots, kind, each)
                found[name, zone, components.class_of(kind, each)] += many
        return found

    def _lying(self, state: State) -> Known:
        """What lies where."""
        found: Known = Counter()
        for zone in self.sight.tables.instances:
            for class_, many in self.sight.classes(zone.kind, state.slots, zone.number).items():
                found[zone.kind.kind.name, zone.number, class_] += many
        return found
