"""Laws 11 and 12: it ends within its bound, and places are places.

Assumes a walk, or a table.
Does: plays on to the end or the declared bound; cuts plays off and looks whether that is said;
ranks players a second time, from the lines of their points and the tie-breaks in order.
Leaves behind what is wrong with an end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from rulerun.laws.report import Placed
from rulerun.laws.slots import place_of
from rulerun.laws.trajectory import Found, Table, Walk
from rulerun.runtime import luck_bound
from rulerun.runtime.executor import CHANCE, Decision, Executor, IllegalInput, RuleError, Verdict
from rulerun.runtime.state import State
from rulerun.session.agents import RandomAgent
from rulerun.session.session import Session
from rulerun_dsl.model import Game

_ENDLESS = (luck_bound.CODE, "steps")
"""The rule errors of a play that nobody and nothing ends."""

# ------------------------------------------------------------------------------------ law 11


def ends(walk: Walk) -> Iterator[Found]:
    """Look for plays that do not end, and for a bound that is taken for a result."""
    if walk.fault is not None:
        return
    game = walk.game
    decisions = sum(isinstance(given, Decision) for given in walk.inputs)
    if game.decisions and decisions > game.decisions:
        yield len(walk.states) - 1, f"{decisions} decisions, of {game.decisions} declared"
    over = not walk.waiting[-1]
    if over != (walk.executor.verdict(walk.states[-1]) is not None):
        yield len(walk.states) - 1, "a game has a verdict just if it is over"
    for at in walk.picked(8, "verdict"):
        if walk.waiting[at] and walk.executor.verdict(walk.states[at]) is not None:
            yield at, "there is a verdict though somebody is asked"
    yield from _cut_off(walk, decisions)


def _cut_off(walk: Walk, decisions: int) -> Iterator[Found]:
    """The same play with a bound half-way is truncated there, and that is no result."""
    bound = decisions // 2
    if bound < 1:
        return
    executor = _Bounded(walk.remembered, replace(walk.game, decisions=bound))
    session = Session(executor, seed=walk.seed, automatic=False, start=walk.initial)
    at = 0
    # Luck that falls after the last decision is still a part of the play.
    while session.decisions < bound or (at < len(walk.inputs) and _luck_is_asked(session)):
        session.give(walk.inputs[at])
        at += 1
    if session.over or at == len(walk.inputs):
        return
    if session.verdict is not None:
        yield at, "a play that was cut off has a result"
    if not session.truncated:
        yield at, f"{bound} of {bound} decisions are taken, and the play is not truncated"
        return
    if session.asked:
        yield at, "somebody is asked though the play is truncated"
    try:
        session.give(walk.inputs[at])
    except IllegalInput:
        pass
    else:
        yield at, "a play that is truncated goes on"
    for player in range(len(walk.game.players)):
        if session.why_no_undo(player) is None:
            yield at, "something may be taken back though the play is truncated"


def _luck_is_asked(session: Session) -> bool:
    return bool(session.waiting) and session.waiting[0].player == CHANCE


class _Bounded:
    """An executor whose game declares another bound."""

    def __init__(self, executor: Executor, game: Game) -> None:
        self._executor = executor
        self.game = game

    def __getattr__(self, name: str) -> Any:
        return getattr(self._executor, name)


def played_out(table: Table, seed: str) -> Iterator[Found]:
    """A play that a walk would be too long for: to its end or its bound, quickly."""
    everybody = dict.fromkeys(range(len(table.game.players)), RandomAgent())
    played = Session(table.made(events=False), everybody, seed)
    if isinstance(played.fault, RuleError) and played.fault.code in _ENDLESS:
        table.endless = True
        span = played.fault.span
        yield None, Placed(f"{played.fault.message} ({place_of(span)})", span)
    if played.fault is not None:
        return
    if table.game.decisions and played.decisions > table.game.decisions:
        yield None, f"{played.decisions} decisions, of {table.game.decisions} declared"
    if played.truncated and played.verdict is not None:
        yield None, "a play that was cut off has a result"
    if not played.truncated and played.verdict is None:
        yield None, "a play came neither to an end nor to its bound"


# ------------------------------------------------------------------------------------ law 12


def places(walk: Walk) -> Iterator[Found]:
    """Look for places that are none."""
    verdict = walk.executor.verdict(walk.states[-1])
    if verdict is not None:
        last = len(walk.states) - 1
        yield from ((last, what) for what in ranked(walk, walk.states[-1], verdict))


def ranked(walk: Walk, state: State, verdict: Verdict) -> Iterator[str]:
    """What is wrong with a verdict."""
    game = walk.game
    players = range(len(game.players))
    if not len(verdict.places) == len(verdict.returns) == len(verdict.lines) == len(players):
        yield "the verdict does not speak of every player"
        return
    inside = [player for player in players if verdict.places[player]]
    for player in inside:
        better = sum(1 for other in inside if verdict.places[other] < verdict.places[player])
        if verdict.places[player] != 1 + better:
            yield f"the places are {verdict.places}"
            break
    for player in players:
        total = verdict.totals[player]
        lines = sum(value for _, value in verdict.lines[player])
        if total is not None and total != lines:
            yield f"{game.players[player]} has {total} in all, and {lines} in the lines"
    if list(verdict.winners) != sorted(set(verdict.winners)):
        yield f"the winners are {verdict.winners}"
    yield from _by_scoring(walk, state, verdict)
    if game.scoring.returns is None:
        yield from _shares(verdict, len(players))


def _by_scoring(walk: Walk, state: State, verdict: Verdict) -> Iterator[str]:
    """Rank once more."""
    game, scoring = walk.game, walk.game.scoring
    players = range(len(game.players))
    first = tuple(player for player in players if verdict.places[player] == 1)
    result = state.slots[0]
    if result > 1:
        won = tuple(player for player in players if result - 2 >> player & 1)
        if verdict.winners != won:
            yield f"`end game won by` {won}, and the winners are {verdict.winners}"
        if won and first != won:
            yield f"{won} won, and at the first place are {first}"
        return
    if scoring.winner is not None:
        if verdict.winners and first != verdict.winners:
            yield f"{verdict.winners} won, and at the first place are {first}"
        return
    if not scoring.lines:
        if verdict.winners and scoring.best is None:
            yield f"nothing says who wins, and {verdict.winners} won"
        return
    sign = -1 if scoring.best == "lowest" else 1
    out = [bool(scoring.out is not None and _ask(walk, state, scoring.out, p)) for p in players]
    keys = {
        player: (
            sign * sum(_ask(walk, state, line.value, player) for line in scoring.lines),
            *(_ask(walk, state, tie, player) for tie in scoring.ties),
        )
        for player in players
        if not out[player]
    }
    wanted = tuple(
        1 + sum(1 for other in keys.values() if other > keys[player]) if player in keys else 0
        for player in players
    )
    if verdict.places != wanted:
        yield f"the places are {verdict.places}, and by points and ties {wanted}"
    best = tuple(player for player in players if wanted[player] == 1)
    if len(best) > 1 and scoring.equal == "nobody":
        best = ()
    elif len(best) > 1 and scoring.equal == "everybody":
        best = tuple(keys)
    if verdict.winners != best:
        yield f"the winners are {verdict.winners}, and by points and ties {best}"


def _ask(walk: Walk, state: State, expression: Any, player: int) -> int:
    sight = walk.table.sight
    registers: list[Any] = [None] * max(walk.game.registers + 1, 2)
    registers[walk.game.scoring.register] = player
    run = sight.evaluator.compile(expression)
    return int(run(state.slots, walk.game.layout.base, registers))


def _shares(verdict: Verdict, players: int) -> Iterator[str]:
    """Winners share +1, the others -1; 0 if nobody or everybody wins."""
    winners = len(verdict.winners)
    for player, value in enumerate(verdict.returns):
        wanted = Fraction(0)
        if 0 < winners < players:
            won = player in verdict.winners
            wanted = Fraction(1, winners) if won else Fraction(-1, players - winners)
        if value != wanted:
            yield f"the returns are {', '.join(map(str, verdict.returns))}"
            return
