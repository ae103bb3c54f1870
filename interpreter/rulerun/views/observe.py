"""What a viewer may see, hear and be told.

Assumes an executor, a state at rest, and a viewer: a player, or `SPECTATOR`.
Does three things. `observe` says what a `PlayerView` of the state shows, and what is asked of whom.
`tell` passes on of events what their audience says. `refuse` passes on why an action is refused:
the executor has left out what the player may not know.
Leaves behind plain values, with nothing in them that the viewer may not know.

Who is asked is public, but inside a `together` each is told only whether their own part is done.
At a chance outcome nobody is said to be asked: a draw with one outcome left is no chance, and no
view tells the two apart.
"""

from __future__ import annotations

from collections.abc import Iterable

from rulerun.runtime import actions
from rulerun.runtime.executor import CHANCE, Decision, Event, Executor, Refusal, Verdict
from rulerun.runtime.state import State
from rulerun.views.observation import (
    Action,
    Observation,
    Standing,
    Told,
    canonical,
    name_of,
    nothing_seen,
)
from rulerun.views.player_view import PlayerView
from rulerun.views.questions import headline, hints, question
from rulerun_dsl.model import SPECTATOR, Game

__all__ = [
    "SPECTATOR",
    "Observation",
    "Told",
    "canonical",
    "nothing_seen",
    "observe",
    "refuse",
    "tell",
]


def observe(executor: Executor, state: State, viewer: int) -> Observation:
    """Return what `viewer` sees of a state at rest."""
    game = executor.game
    view = PlayerView(game, state, viewer)
    waiting = executor.waiting(state)
    asked = [each for each in waiting if each.player != CHANCE]
    mine = next((each for each in asked if each.player == viewer), None)
    told = [mine] if mine else [] if view.together else asked
    verdict = executor.verdict(state)
    legal = () if mine is None else executor.legal(state, viewer)
    beside = {} if mine is None else hints(view, mine, legal)
    return Observation(
        viewer=viewer,
        name=name_of(game, viewer),
        variables=view.variables(),
        zones=view.zones(),
        together=view.together,
        asked=tuple(game.players[each.player] for each in told),
        done=view.done() if view.together else None,
        question=question(view, told[0]) if told else None,
        actions=tuple(
            Action(
                each, actions.text(game, each), actions.sentence(game, each), beside.get(each, "")
            )
            for each in legal
        ),
        result=None if verdict is None else standings(game, verdict),
        headline=headline(view),
    )


def standings(game: Game, verdict: Verdict) -> tuple[Standing, ...]:
    """How a game ended, by player. All of it is public."""
    return tuple(
        Standing(
            player=name,
            place=verdict.places[player],
            winner=player in verdict.winners,
            returns=str(verdict.returns[player]),
            total=verdict.totals[player],
            lines=verdict.lines[player],
        )
        for player, name in enumerate(game.players)
    )


# ------------------------------------------------------------------------------------- telling


def tell(events: Iterable[Event], viewer: int, players: int) -> list[Told]:
    """Return what the viewer hears of events. What others do in a `together` is `recall`'s to hold.

    `players` is their number: a spectator's bit comes after theirs.
    """
    bit = 1 << (players if viewer == SPECTATOR else viewer)
    told = []
    for event in events:
        mine = event.maker is not None and event.maker == viewer
        if not (mine or event.audience & bit):
            continue
        text, what = event.secret if mine or event.detail & bit else event.open
        told.append(Told(event.word, text, what))
    return told


def refuse(executor: Executor, state: State, player: int, action: int) -> Refusal | None:
    """Return why `player` may not take an action; None if they may. Tells only what is theirs."""
    if not 0 <= player < len(executor.game.players):
        return Refusal("not_your_turn", "Only players decide.")
    return executor.refusal(state, Decision(player, action))
