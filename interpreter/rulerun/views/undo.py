"""Whether a decision showed a viewer something that they could not have known before.

Undo may not be a way to peek. Assumes the state before a decision, the decision, what came of it.
Does two things, both from what the viewer saw, so that the answer itself tells nothing:

* counts the components that the player sees, by kind, row and owner: one more than before of any
  was revealed;
* tries the decision in other worlds: what is hidden from the player is dealt again, at random but
  always the same way, into the places where something is hidden. Where the player would not have
  seen the difference before, they may not see one after, nor be told one.

The second is a search, not a proof: a rule that answers alike in nearly all worlds may slip
through. It errs towards a refusal: if nothing can be dealt again so that it looks the same, the
decision is said to reveal. Inside a `together` only the first is asked, since others' things are
not in the player's reach there.

An answer that others have still to give is looked at as well (`may_be_passed_unseen`).
"""

from __future__ import annotations

from collections import Counter

from rulerun.runtime.executor import (
    CHANCE,
    Decision,
    Executor,
    IllegalInput,
    Input,
    RuleError,
    Step,
)
from rulerun.runtime.play import TOGETHER
from rulerun.runtime.rng import stream
from rulerun.runtime.state import State
from rulerun.views.observe import observe, tell
from rulerun.views.player_view import PlayerView
from rulerun.views.resample import deal_anew, hidden_zones
from rulerun_dsl.model import Game, Literal, TogetherStart

WORLDS = 12


def reveals(executor: Executor, before: State, given: Input, step: Step, player: int) -> bool:
    """Tell whether an input, which led from `before` to `step`, revealed something to `player`."""
    if _seen(executor, step.state, player) - _seen(executor, before, player):
        return True
    view = PlayerView(executor.game, before, player)
    if view.together or step.state.slots[TOGETHER] or not _hides(view):
        return False
    looked = observe(executor, before, player).text()
    learnt = _learnt(executor, step, player)
    tried = 0
    for number in range(WORLDS):
        world = deal_anew(view, stream("rulerun undo", number))
        if observe(executor, world, player).text() != looked:
            continue
        try:
            other = executor.apply(world, given)
        except (IllegalInput, RuleError):
            continue
        tried += 1
        if _learnt(executor, other, player) != learnt:
            return True
    return not tried


def gives_away(executor: Executor, before: State, given: Decision, step: Step, viewer: int) -> bool:
    """Tell whether the decision of somebody who does not look told `viewer` what was hidden."""
    if _seen(executor, step.state, viewer) - _seen(executor, before, viewer):
        return True
    options = executor.legal(before, given.player)
    learnt = _learnt(executor, step, viewer)
    for option in options:
        if option != given.action:
            try:
                other = executor.apply(before, Decision(given.player, option))
            except RuleError:
                continue
            if _learnt(executor, other, viewer) == learnt:
                return True
    view = PlayerView(executor.game, before, viewer)
    if not _hides(view):
        return False
    looked, next_ = observe(executor, before, viewer).text(), executor.waiting(step.state)
    tried = 0
    for number in range(WORLDS):
        world = deal_anew(view, stream("rulerun undo", number))
        if observe(executor, world, viewer).text() != looked:
            continue
        tried += 1
        try:
            if executor.legal(world, given.player) != options:
                return True
            other = executor.apply(world, given)
        except (IllegalInput, RuleError):
            return True
        if _learnt(executor, other, viewer) != learnt or executor.waiting(other.state) != next_:
            return True
    return not tried


def hides(game: Game) -> bool:
    """Whether a game hides anything from anybody, as it is declared."""
    declared = [
        *(family.visible for family in game.zones),
        *(variable.visible for variable in game.variables),
    ]
    return any(not (isinstance(each, Literal) and each.value == 1) for each in declared) or any(
        isinstance(each, TogetherStart) for each in game.code
    )


def _learnt(executor: Executor, step: Step, player: int) -> list[object]:
    told = tell(step.events, player, len(executor.game.players))
    return [observe(executor, step.state, player).data(), [each.data() for each in told]]


def _seen(executor: Executor, state: State, player: int) -> Counter[tuple[str, ...]]:
    """How many of what the player sees, and which variables."""
    view = PlayerView(executor.game, state, player)
    seen: Counter[tuple[str, ...]] = Counter()
    for zone in view.zones():
        for component in (*(zone.components or ()), *zone.known):
            seen["component", zone.kind, component.row, component.owner or ""] += 1
    seen.update(("variable", variable.name) for variable in view.variables())
    return seen


def _hides(view: PlayerView) -> bool:
    """Whether anything at all is hidden from the viewer."""
    return any(
        view.components.count(view.slots, zone)
        for kind in view.tables.kinds.values()
        for zone in hidden_zones(view, kind)
    ) or any(True for _ in view.hidden_variables())


def may_be_passed_unseen(executor: Executor, state: State, player: int) -> bool:
    """Tell whether somebody else is asked whose answer `player` might not notice.

    If undo were granted before such an answer and refused behind it, it would tell of it. What the
    others may answer can hang on what is hidden from the player, and so could what is told here: it
    is looked for in worlds that look the same to them.
    """
    if all(waiting.player in (player, CHANCE) for waiting in executor.waiting(state)):
        return False
    view = PlayerView(executor.game, state, player)
    if view.together or not _hides(view):
        return _passes_unseen(executor, state, player)
    looked = observe(executor, state, player).text()
    tried = 0
    for number in range(WORLDS):
        world = deal_anew(view, stream("rulerun undo", number))
        if observe(executor, world, player).text() == looked:
            tried += 1
            if _passes_unseen(executor, world, player):
                return True
    return not tried


def _passes_unseen(executor: Executor, state: State, player: int) -> bool:
    """Tell whether an answer that somebody else may give here shows `player` nothing."""
    looked = observe(executor, state, player).text()
    for waiting in executor.waiting(state):
        if waiting.player in (player, CHANCE):
            continue
        for action in executor.legal(state, waiting.player):
            try:
                step = executor.apply(state, Decision(waiting.player, action))
            except RuleError:
                continue
            told = tell(step.events, player, len(executor.game.players))
            if not told and observe(executor, step.state, player).text() == looked:
                return True
    return False
