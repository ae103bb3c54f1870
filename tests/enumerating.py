"""Every world that a viewer may be in, by going through all plays: for small games."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from rulerun.reference.executor import Reference
from rulerun.runtime.executor import CHANCE, Chance, Decision, Input, RuleError, Step
from rulerun.runtime.state import State
from rulerun.session.session import Session
from rulerun.views.recall import Recall


def posterior(session: Session, viewer: int) -> dict[State, Fraction]:
    """Each state that the viewer may be in, with its probability if the others play at random."""
    told = Reference(session.game)
    known = _recall(told, session, viewer).known
    wanted = known.items
    found: dict[State, Fraction] = {}

    def go(step: Step, recall: Recall, likely: Fraction) -> None:
        items = recall.known.items
        if items != wanted[: len(items)]:
            return
        waiting = told.waiting(step.state)
        if len(items) == len(wanted) and not (waiting and waiting[0].player == CHANCE):
            assert recall.known.digest == known.digest
            found[step.state] = found.get(step.state, Fraction()) + likely
            return
        for given, share in _ways(told, step.state, viewer, wanted, len(items)):
            try:
                after = told.apply(step.state, given)
            except RuleError:
                continue
            go(after, recall.extended(told, given, after), likely * share)

    begun = told.initial()
    go(begun, Recall.begin(told, begun, viewer), Fraction(1))
    whole = sum(found.values())
    return {state: likely / whole for state, likely in found.items()}


def _ways(
    told: Reference, state: State, viewer: int, wanted: tuple[str, ...], came: int
) -> Iterator[tuple[Input, Fraction]]:
    """The viewer first: what they do hangs on nobody in an open `together`."""
    waiting = told.waiting(state)
    if waiting and waiting[0].player == CHANCE:
        outcomes = told.outcomes(state)
        whole = sum(each.weight for each in outcomes)
        for each in outcomes:
            yield Chance(each.id), Fraction(each.weight, whole)
        return
    players = [each.player for each in waiting]
    if not players:
        return
    player = viewer if viewer in players else players[0]
    legal = told.legal(state, player)
    for action in legal:
        yield Decision(player, action), Fraction(1, 1 if player == viewer else len(legal))


def _recall(told: Reference, session: Session, viewer: int) -> Recall:
    step = told.initial()
    recall = Recall.begin(told, step, viewer)
    for point in session.history:
        step = told.apply(step.state, point.given)
        recall = recall.extended(told, point.given, step)
    return recall
