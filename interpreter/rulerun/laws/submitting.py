"""Law 6: inside a `together` the order in which players decide does not matter.

Assumes a walk.
Does: finds each stretch of it that lies inside one `together`, gives the same inputs of each player
(and of luck in their part) again in other orders, and compares the results.
Leaves behind what differs: the state, or what somebody was told and saw.
"""

from __future__ import annotations

from collections.abc import Iterator

from rulerun.laws.trajectory import Found, Walk
from rulerun.runtime.executor import Chance, Decision, IllegalInput, Input, RuleError
from rulerun.runtime.play import TOGETHER
from rulerun.runtime.rng import Stream
from rulerun.runtime.state import State
from rulerun.views.recall import TOGETHER_END, Recall

ORDERS = 3
MOST_STRETCHES = 6


def look(walk: Walk) -> Iterator[Found]:
    """Look for orders of submission that matter."""
    luck = walk.luck("submitting")
    found = luck.shuffled(stretches(walk))[: walk.few(MOST_STRETCHES)]
    for first, last in found:
        for _ in range(ORDERS):
            wrong = _in_another_order(walk, first, last, luck)
            if wrong is not None:
                yield first, wrong
                return


def stretches(walk: Walk) -> list[tuple[int, int]]:
    """The first state inside each `together`, and the first one behind it."""
    found = []
    first: int | None = None
    for at, state in enumerate(walk.states):
        closed = at > 0 and any(event.word == TOGETHER_END for event in walk.steps[at - 1].events)
        if first is not None and (closed or not state.slots[TOGETHER]):
            found.append((first, at))
            first = None
        if first is None and state.slots[TOGETHER]:
            first = at
    return [(first, last) for first, last in found if last - first > 1]


def _in_another_order(walk: Walk, first: int, last: int, luck: Stream) -> str | None:
    left: dict[int, list[Input]] = {}
    for at in range(first, last):
        given = walk.inputs[at]
        who = given.player if isinstance(given, Decision) else walk.waiting[at][0].frame - 1
        left.setdefault(who, []).append(given)
    state = walk.states[first]
    recalls = {viewer: walk.recalls(viewer)[first] for viewer in walk.viewers}
    order: list[str] = []
    for _ in range(first, last):
        following = _next(walk, state, left, luck)
        if following is None:
            return f"after {', '.join(order)} nobody is asked who had something to decide"
        order.append(_who(walk, following))
        try:
            step = walk.executor.apply(state, following)
        except (IllegalInput, RuleError) as error:
            return f"in the order {', '.join(order)} an input fails: {error}"
        state = step.state
        for viewer in walk.viewers:
            recalls[viewer] = recalls[viewer].extended(walk.executor, following, step)
    if state != walk.states[last]:
        return f"in the order {', '.join(order)} the state is another"
    return _heard_otherwise(walk, recalls, last, order)


def _heard_otherwise(
    walk: Walk, recalls: dict[int, Recall], last: int, order: list[str]
) -> str | None:
    for viewer in walk.viewers:
        if recalls[viewer].known.items != walk.recalls(viewer)[last].known.items:
            name = "a spectator" if viewer < 0 else walk.game.players[viewer]
            return f"in the order {', '.join(order)} {name} knows something else"
    return None


def _next(walk: Walk, state: State, left: dict[int, list[Input]], luck: Stream) -> Input | None:
    """One of the inputs that are left and wanted now."""
    waiting = walk.executor.waiting(state)
    ready = []
    for each in waiting:
        who = each.frame - 1
        if left.get(who) and isinstance(left[who][0], Chance) == (each.player < 0):
            ready.append(who)
    if not ready:
        return None
    return left[ready[luck.below(len(ready))]].pop(0)


def _who(walk: Walk, given: Input) -> str:
    return walk.game.players[given.player] if isinstance(given, Decision) else "chance"
