"""Agents by their names, as a command line gives them.

Assumes: a checked `Game`.
Does: reads a name: `random`, `first`, `greedy`, a level (`easy`, `normal`, `hard`), `mcts:N` for N
iterations, `exact:FILE` for who plays by a policy of `rulerun solve`, or `package.module:Agent` for
one's own. A level is a number of iterations that hangs on the rules alone: on how much one of them
plays, so that each level thinks about as long whatever is played. Once looked up it is written with
its number (`normal:147`), and means that from then on.
Leaves behind: a name with its number, or what makes the agent. A name that is none raises `Unfit`,
with what there is.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import Any

from rulerun.executors.stepper import TERMINAL
from rulerun.reference.executor import Reference
from rulerun.runtime.executor import CHANCE
from rulerun.runtime.recent import Recent
from rulerun.runtime.rng import Quick, key_of
from rulerun.search.plays import has_machine_code, plays_for
from rulerun.search.thinking import GreedyAgent, TreeAgent
from rulerun.search.utility import Utility
from rulerun.session.agents import RANDOM, Agent, AgentMaker, FirstAgent, RandomAgent, Unfit
from rulerun_dsl.diagnostics.diagnostic import suggest
from rulerun_dsl.model import Game

LEVELS: Mapping[str, tuple[int, int, int]] = {
    "easy": (1_000, 10, 100),
    "normal": (300_000, 100, 20_000),
    "hard": (3_000_000, 1_000, 200_000),
}
"""By level: inputs that are played for a decision, the fewest and the most iterations."""
SEARCHED = "mcts"
PROVED = "proved"
"""Behind the number of a search: in worlds that the player's history allows."""
EXACT = "exact"
_EXACT_AGENT = "rulerun.solving.exact_agent"
"""What plays by a policy stands above this package: it is found by its name, as one's own is."""
WORDS = (
    RANDOM,
    "first",
    "greedy",
    *LEVELS,
    f"{SEARCHED}:N",
    f"{SEARCHED}:N:{PROVED}",
    f"{EXACT}:FILE",
    "package.module:Agent",
)
SAMPLE = 8
"""Games at random from which it is told how long games are."""
LONGEST = 5_000
"""Inputs of such a game that are played."""
MOST = 1_000_000
"""Iterations of a search: a tree of so many takes up some hundred megabytes."""
_COUNT = re.compile(r"[1-9]\d{0,6}")


def named(game: Game, text: str) -> str:
    """The name with its number, as it is kept. Raises `Unfit`."""
    word, colon, _ = text.partition(":")
    if word in LEVELS and not colon:
        inputs, fewest, most = LEVELS[word]
        return f"{word}:{min(most, max(fewest, inputs // length(game)))}"
    _maker(game, text, "python")
    return text


def maker(game: Game, text: str, executor: str = "python") -> AgentMaker:
    """What makes the agent of a name, which goes to other processes as it is. Raises `Unfit`."""
    return _maker(game, named(game, text), executor)


def opponent() -> str:
    """The level of whom nobody chose: the best that answers in a second."""
    return "normal" if has_machine_code() else "easy"


def level(text: str) -> str:
    """What a person calls an agent: its level without the number."""
    word, _, _ = text.partition(":")
    return word if word in LEVELS else text


def _maker(game: Game, text: str, executor: str) -> AgentMaker:
    word, colon, rest = text.partition(":")
    if not colon:
        made: Mapping[str, AgentMaker] = {
            RANDOM: RandomAgent,
            "first": FirstAgent,
            "greedy": partial(GreedyAgent, game, executor),
        }
        if text in made:
            return made[text]
        close = suggest(text, [*made, *LEVELS, SEARCHED, EXACT])
        hint = f"did you mean {close}?" if close else f"there are {', '.join(WORDS)}"
        if text == SEARCHED:
            hint = f"write how many iterations: `{SEARCHED}:800`"
        if text == EXACT:
            hint = f"write which policy: `{EXACT}:FILE`, a file that `rulerun solve --policy` wrote"
        raise Unfit(f"there is no agent {text}; {hint}")
    if word == EXACT:
        try:
            import_module(_EXACT_AGENT).check(game, rest)
        except ValueError as failure:
            raise Unfit(str(failure)) from None
        return partial(_exact, game, rest)
    if word in LEVELS or word == SEARCHED:
        rest, colon, last = rest.partition(":")
        if colon and (word != SEARCHED or last != PROVED):
            raise Unfit(
                f"`{text}`: behind the number may stand `:{PROVED}`, as in `mcts:800:proved`"
            )
        if not _COUNT.fullmatch(rest) or int(rest) > MOST:
            raise Unfit(
                f"`{text}`: behind the colon stands a number of iterations, such as 800, and "
                f"{MOST:,} at most"
            )
        return partial(TreeAgent, game, int(rest), executor, bool(colon))
    _imported(text)
    return partial(_own, text, game)


def _exact(game: Game, path: str) -> Agent:
    made: Agent = import_module(_EXACT_AGENT).ExactAgent(game, path)
    return made


def _own(text: str, game: Game) -> Agent:
    made: Agent = _imported(text)(game)
    return made


def _imported(text: str) -> Any:
    module, _, name = text.partition(":")
    if not re.fullmatch(r"[^\W\d]\w*(\.[^\W\d]\w*)*", module) or not name.isidentifier():
        raise Unfit(f"there is no agent {text}; there are {', '.join(WORDS)}")
    here = os.getcwd()
    # Last, so that nothing in this folder stands before what others import.
    added = here not in sys.path
    if added:
        sys.path.append(here)
    try:
        found = getattr(import_module(module), name, None)
    except ImportError as failure:
        raise Unfit(f"the agent {text} cannot be imported: {failure}") from None
    finally:
        if added:
            sys.path.remove(here)
    if not callable(found):
        raise Unfit(f"there is nothing in {module} called {name} that makes an agent")
    return found


def _length(game: Game) -> int:
    plays, inputs = plays_for(game), 0
    start = plays.at(Reference(game, events=False).initial().state)
    most = Utility(game).cut or LONGEST
    for number in range(SAMPLE):
        luck = Quick(key_of("length"), number, 0)
        play = start.clone()
        for _ in range(most):
            who = play.who()
            if who == TERMINAL:
                break
            choices = play.legal()
            weights = play.weights() if who == CHANCE else (1,) * len(choices)
            play.apply(choices[luck.weighted(weights)])
            inputs += 1
    return max(1, inputs // SAMPLE)


_LENGTHS = Recent(_length, 16)


def length(game: Game) -> int:
    """How many inputs an iteration from the start plays, luck's too: the mean of a few.

    That is a game at random, to its end or to the cut (`Utility.cut`).
    """
    return _LENGTHS.of(game)
