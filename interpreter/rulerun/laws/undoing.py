"""Law 9: undo is computed, restores everything, and is no way to peek.

Assumes a walk.
Does: in some of its states asks for each player whether they may take back, once with people
everywhere and once with bots on all other seats. Where they may, it is done: everything that the
session holds and shows must be as in a play without that input (and without the replies of bots),
and doing the same again must lead to the same state. Where luck has fallen, another person has
decided or something was revealed since, they may not.
Leaves behind what is not restored, and what may be taken back and should not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rulerun.laws.trajectory import Found, Walk
from rulerun.reference.knowledge import Knowledge
from rulerun.reference.visibility import Visibility
from rulerun.runtime.executor import Decision, Input
from rulerun.runtime.play import TOGETHER
from rulerun.runtime.state import State
from rulerun.session.session import Session
from rulerun.session.taking_back import CannotUndo
from rulerun.views.recall import TOGETHER_END

MOST_STATES = 8
MOST_UNDONE = 6
"""Undos that are done: each takes two plays from the start of the walk."""


def look(walk: Walk) -> Iterator[Found]:
    """Look for undo that does not undo, and for undo that tells."""
    session = walk.session()
    wanted = set(walk.picked(MOST_STATES, "undoing"))
    left = walk.few(MOST_UNDONE)
    for at in range(len(walk.states)):
        if at in wanted and not walk.by_chance(at):
            for player, bots in _seatings(walk):
                session.bots = bots
                if session.why_no_undo(player) is None:
                    why = why_not(walk, at, player, bots)
                    name = walk.game.players[player]
                    if session.plainly_stays(player):
                        yield at, f"{name} may take back what is said to stay"
                    if why is not None:
                        yield at, f"{name} may take back {why}"
                    elif left:
                        left -= 1
                        yield from ((at, what) for what in _undone(walk, at, player, bots))
        if at < len(walk.steps):
            session.give(walk.inputs[at])


def _seatings(walk: Walk) -> Iterator[tuple[int, frozenset[int]]]:
    """Each player, among people and among bots."""
    everybody = frozenset(range(walk.game.people))
    for player in range(len(walk.game.players)):
        yield player, frozenset()
        yield player, everybody - {player}


def why_not(walk: Walk, at: int, player: int, bots: frozenset[int] = frozenset()) -> str | None:
    """Why a player must not take back their last decision in a state; None: not for this."""
    if not walk.waiting[at]:
        return "when the game is over"
    last = _last(walk, at, player)
    if last is None:
        return "though they have not decided anything"
    inside = bool(walk.states[at].slots[TOGETHER])
    since = range(last + 1, at)
    if inside:
        begun = _begun(walk, at)
        if last < begun:
            return "what they did before this decision in secret"
        frame = player + 1
        if any(walk.waiting[each][0].frame == frame and _luck(walk, each) for each in since):
            return "across luck in their own part"
    else:
        for each in since:
            given = walk.inputs[each]
            if not isinstance(given, Decision):
                return "across a chance outcome"
            if given.player not in bots:
                return "across somebody else's decision"
    sight = walk.table.sight
    for each in (last, *(() if inside else since)):
        before, after = walk.states[each], walk.states[each + 1]
        if not before.slots[TOGETHER]:
            known = known_to(walk, before, player)
            if sight.shown(after, player) - sight.shown(before, player) - known:
                return "what has shown them components that they did not see"
    return None


def known_to(walk: Walk, state: State, player: int) -> Counter[tuple[object, ...]]:
    """What a player knows to lie where they do not see it, by class."""
    sight = walk.table.sight
    found: Counter[tuple[object, ...]] = Counter()
    knowledge = Knowledge(sight.tables, sight.components, Visibility(sight.evaluator))
    for kind in sight.tables.kinds.values():
        for each, many in knowledge.known(state.slots, kind, player).items():
            found[kind.kind.name, sight.components.class_of(kind, each)] += many
    return found


def _luck(walk: Walk, at: int) -> bool:
    return not isinstance(walk.inputs[at], Decision)


def _last(walk: Walk, at: int, player: int) -> int | None:
    for each in range(at - 1, -1, -1):
        given = walk.inputs[each]
        if isinstance(given, Decision) and given.player == player:
            return each
    return None


def _begun(walk: Walk, at: int) -> int:
    """The first state of the `together` that is open in a state."""
    begun = at
    while begun > 0 and walk.states[begun - 1].slots[TOGETHER]:
        if any(event.word == TOGETHER_END for event in walk.steps[begun - 1].events):
            break
        begun -= 1
    return begun


def _undone(walk: Walk, at: int, player: int, bots: frozenset[int]) -> Iterator[str]:
    """Take back, compare with a play without the input, and do the same again."""
    name = walk.game.players[player]
    last = _last(walk, at, player)
    assert last is not None
    inputs = walk.inputs[:at]
    session = _played(walk, inputs)
    session.bots = bots
    theirs = {each: session.log(each) for each in walk.viewers if each != player}
    try:
        session.undo(player)
    except CannotUndo as refused:
        yield f"{name} may take back and is refused: {refused}"
        return
    inside = bool(walk.states[at].slots[TOGETHER])
    # In an open `together` what others have done stands; outside it bots decide again.
    behind = inputs[last + 1 :]
    without = _played(walk, [*inputs[:last], *(behind if inside else ())])
    for what, restored, wanted in (
        ("the state", session.state, without.state),
        ("who is asked", session.waiting, without.waiting),
        ("the number of decisions", session.decisions, without.decisions),
        ("the history", _given(session), _given(without)),
        ("whether it is over", session.over, without.over),
    ):
        if restored != wanted:
            yield f"{name} takes back, and {what} is not as it was"
            return
    for viewer in walk.viewers:
        if session.observation(viewer).text() != without.observation(viewer).text():
            yield f"{name} takes back, and what is seen is not as it was"
        if session.information(viewer) != without.information(viewer):
            yield f"{name} takes back, and what is known is not as it was"
    for viewer, told in theirs.items():
        more = session.log(viewer)[len(told) :]
        if session.log(viewer)[: len(told)] != told or len(more) != (0 if inside else 1):
            texts = [one.text for one in more]
            yield f"{name} takes back, and what others are told of it is {texts}"
    for given in (walk.inputs[last], *(() if inside else behind)):
        session.give(given)
    if session.state != walk.states[at]:
        yield f"{name} takes back and does the same again, and the state is another"


def _played(walk: Walk, inputs: list[Input]) -> Session:
    session = walk.session()
    for given in inputs:
        session.give(given)
    return session


def _given(session: Session) -> list[Input]:
    return [point.given for point in session.history]
