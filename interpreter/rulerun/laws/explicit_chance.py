"""Law 7: chance is explicit.

Assumes a walk.
Does: looks at the outcomes wherever luck is asked: ids, weights, texts, and whether outcomes that
nobody can tell apart are one outcome with their common weight; plays the walk again with another
seed, since no seed may show in what anybody sees.
Leaves behind what is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

from rulerun.laws.altering import looks
from rulerun.laws.trajectory import Found, Walk, some
from rulerun.runtime.index import Instance
from rulerun.views.observe import observe
from rulerun.views.player_view import PlayerView
from rulerun.views.resample import deal_anew
from rulerun_dsl import model

MOST_RESTS = 12
MOST_WORLDS = 80
FEW = 12
"""So many hidden components at most, that each class is dealt where it is drawn from in time."""


def look(walk: Walk) -> Iterator[Found]:
    """Look for luck that is not explicit."""
    rests = [at for at in range(len(walk.states)) if walk.by_chance(at)]
    for at in some(rests, walk.few(MOST_RESTS), walk.luck("falling")):
        yield from ((at, what) for what in _outcomes(walk, at))
    yield from _no_seed(walk)


def _outcomes(walk: Walk, at: int) -> Iterator[str]:
    outcomes = walk.executor.outcomes(walk.states[at])
    if len(walk.waiting[at]) != 1:
        yield "somebody else is asked while luck is"
    if len(outcomes) < 2:
        yield "luck is asked where only one thing can happen"
    ids = [each.id for each in outcomes]
    if ids != sorted(set(ids)):
        yield f"the ids of the outcomes are not sorted, or one stands twice: {ids}"
    if len({each.text for each in outcomes}) < len(outcomes):
        yield "two outcomes have one text"
    if any(each.weight < 1 for each in outcomes):
        yield "an outcome has no weight"
        return
    total = sum(each.weight for each in outcomes)
    if sum((Fraction(each.weight, total) for each in outcomes), Fraction()) != 1:
        yield "the probabilities do not sum to 1"
    yield from _all_there(walk, at)
    yield from _reckoned_with(walk, at)


def _all_there(walk: Walk, at: int) -> Iterator[str]:
    """A draw weighs as much as lies there: equal components are one outcome, of their number."""
    # Only a draw and a shuffle weigh by what lies there: this is about these two.
    node = walk.game.code[walk.waiting[at][0].instruction]
    weights = sorted(each.weight for each in walk.executor.outcomes(walk.states[at]))
    slots = walk.states[at].slots
    if isinstance(node, model.MoveSome) and node.condition is None:
        families = {source.zone for source in node.sources}
        if any(None in source.indexes for source in node.sources):
            return
    elif isinstance(node, model.ShuffleZone):
        families = {node.zone.zone}
    else:
        return
    lying = {
        name: _weights(walk, zone, slots)
        for name, zone in walk.table.sight.zones.items()
        if zone.family.name in families
    }
    if isinstance(node, model.ShuffleZone):
        # Part of the order is drawn already; a slot tells how much is left.
        frame = walk.game.layout.base + walk.waiting[at][0].frame * walk.game.layout.frame
        fits = sum(weights) == slots[frame + node.left] - 1 and any(
            len(weights) <= len(there)
            and all(one <= other for one, other in zip(weights[::-1], there[::-1], strict=False))
            for there in lying.values()
        )
    else:
        fits = weights in lying.values()
    if not fits:
        yield f"a draw has the weights {weights}, and the zones have {lying}"


def _weights(walk: Walk, zone: Instance, slots: Sequence[int]) -> list[int]:
    """How many of each class, with its attributes, lie in a zone."""
    components = walk.table.sight.components
    members = components.members(slots, zone.number)
    return sorted(Counter(components.key(slots, zone.kind, each) for each in members).values())


def _reckoned_with(walk: Walk, at: int) -> Iterator[str]:
    """Dealing again what a viewer does not see looks the same, and shows every outcome at last."""
    state = walk.states[at]
    wanted = {each.text for each in walk.executor.outcomes(state)}
    node = walk.game.code[walk.waiting[at][0].instruction]
    drawn = isinstance(node, model.MoveSome)
    for viewer in walk.viewers:
        view = PlayerView(walk.game, state, viewer)
        if view.together:
            continue
        looked = looks(observe(walk.executor, state, viewer))
        luck = walk.luck("worlds", at, viewer)
        found: set[str] = set()
        hidden = sum(
            view.components.count(view.slots, zone.number)
            for zone in view.tables.instances
            if not view.sees_zone(zone)
        )
        for _ in range(MOST_WORLDS if drawn and hidden <= FEW else 2):
            world = deal_anew(view, luck)
            if looks(observe(walk.executor, world, viewer)) != looked:
                name = "a spectator" if viewer < 0 else walk.game.players[viewer]
                yield f"{name} sees a difference when what is hidden from them is dealt anew"
                return
            found |= {each.text for each in walk.executor.outcomes(world)}
            if found >= wanted:
                break
        else:
            if drawn and hidden <= FEW:
                name = "a spectator" if viewer < 0 else walk.game.players[viewer]
                yield f"{name} would never reckon with {', '.join(sorted(wanted - found))}"


def _no_seed(walk: Walk) -> Iterator[Found]:
    """Nobody sees a seed: the same inputs under another one look the same."""
    sessions = [walk.session(), walk.session("another one")]
    picked = set(walk.picked(4, "seeds"))
    for at in range(len(walk.states)):
        if at in picked:
            for viewer in walk.viewers:
                seen = {each.observation(viewer).text() for each in sessions}
                if len(seen) > 1 or sessions[0].log(viewer) != sessions[1].log(viewer):
                    yield at, "the seed of a play shows in what is seen or told"
                    return
        if at < len(walk.steps):
            for each in sessions:
                each.give(walk.inputs[at])
