"""What an iteration of a search costs at a game, told without a clock.

Assumes: a checked `Game`.
Does: plays a few games at random and counts their inputs; at some places of each it counts what
the rules evaluate for an input (`reference.metering`).
Leaves behind: a number that hangs on the rules alone, the same on every machine; of a game that has
a name in the cache it lies there as well (`costs/*.txt`).
"""

from __future__ import annotations

from contextlib import suppress

from rulerun.host import cache_dir
from rulerun.runtime.recent import Recent
from rulerun_dsl.model import Game

PLAIN = 1_000
"""Evaluations that cost about as much, in machine code, as an input with few of them."""
SAMPLE = 8
"""The most games that are played at random."""
ENOUGH = 2_000
"""No more are begun once they have cost so much."""
LONGEST = 5_000
"""Inputs of such a game that are played."""
APART = 16
"""Inputs from one place to the next at which evaluations may be counted."""
PLACES = 4
"""About so many of a game are looked at."""


_KIND = "costs"


def _cost(game: Game, known: str = "") -> int:
    kept = cache_dir.recall(_KIND, f"{known}.txt") if known else None
    with suppress(ValueError):
        if kept is not None:
            return int(kept)
    found = _counted(game)
    if known:
        cache_dir.keep(_KIND, f"{known}.txt", str(found).encode())
    return found


def _counted(game: Game) -> int:
    # Imported when something is counted: most costs are known.
    from rulerun.executors.stepper import TERMINAL, StateStepper, step_at_random
    from rulerun.reference.executor import Reference
    from rulerun.reference.metering import Meter, Metered
    from rulerun.runtime.rng import Quick, key_of
    from rulerun.search.plays import plays_for
    from rulerun.search.utility import Utility

    plays, meter = plays_for(game), Meter()
    reference = Reference(game, False, Metered(game, meter))
    start = plays.at(reference.initial().state)
    begun = meter.used
    most = Utility(game).cut or LONGEST
    games = inputs = places = 0
    while not games or (games < SAMPLE and _weighed(inputs, places, meter.used - begun) < ENOUGH):
        luck = Quick(key_of("length"), games, 0)
        play, passed = start.clone(), []
        for at in range(most):
            if play.who() == TERMINAL:
                break
            if not at % APART:
                passed.append(play.clone())
            step_at_random(play, luck)
            inputs += 1
        looked_at = passed[:: max(1, len(passed) // PLACES)]
        for each in looked_at:
            step_at_random(StateStepper(reference, each.state()), luck)
        places += len(looked_at)
        games += 1
    return max(1, _weighed(inputs, places, meter.used - begun) // games)


def _weighed(inputs: int, places: int, evaluated: int) -> int:
    """So many inputs in plain ones, if at so many places so much was evaluated."""
    return inputs + inputs * evaluated // (PLAIN * max(1, places))


_COSTS = Recent(_cost, 16)


def iteration_cost(game: Game, known: str = "") -> int:
    """What an iteration from the start costs, in inputs with few evaluations: the mean of a few.

    It plays a game at random, to its end or to the cut (`Utility.cut`); luck's inputs count too.
    `known`: what names the game in the cache; "" if nothing does.
    """
    return _COSTS.of(game, known)
