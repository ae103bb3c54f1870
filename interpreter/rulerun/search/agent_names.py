"""Agents by their names, as a command line gives them.

Assumes: a checked `Game`.
Does: reads a name: `random`, `first`, `greedy`, a level (`easy`, `normal`, `hard`), `mcts:N` for N
iterations, `exact:FILE` for who plays by a policy of `rulerun solve`, or `package.module:Agent` for
one's own. A level is a number of iterations that hangs on the rules alone: on what one of them
costs (`iteration_cost`), so that each level thinks about as long whatever is played. Once looked up
it is written with its number (`normal:147`), and means that from then on.
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

from rulerun.executors.make import has_machine_code
from rulerun.search.iteration_cost import iteration_cost
from rulerun.search.thinking import GreedyAgent, TreeAgent
from rulerun.session.agents import RANDOM, Agent, AgentMaker, FirstAgent, RandomAgent, Unfit
from rulerun_dsl.diagnostics.diagnostic import suggest
from rulerun_dsl.model import Game

LEVELS: Mapping[str, tuple[int, int, int]] = {
    "easy": (4_000, 4, 100),
    "normal": (300_000, 100, 20_000),
    "hard": (3_000_000, 1_000, 200_000),
}
"""By level: what a decision may cost, in plain inputs, the fewest and the most iterations."""
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
MOST = 1_000_000
"""Iterations of a search: a tree of so many takes up some hundred megabytes."""
_COUNT = re.compile(r"[1-9]\d{0,6}")


def named(game: Game, text: str, known: str = "") -> str:
    """The name with its number, as it is kept. Raises `Unfit`.

    `known`: what names the game in the cache (see `iteration_cost`).
    """
    word, colon, _ = text.partition(":")
    if word in LEVELS and not colon:
        inputs, fewest, most = LEVELS[word]
        return f"{word}:{min(most, max(fewest, inputs // iteration_cost(game, known)))}"
    _maker(game, text, "python")
    return text


def maker(game: Game, text: str, executor: str = "python", known: str = "") -> AgentMaker:
    """What makes the agent of a name, which goes to other processes as it is. Raises `Unfit`.

    `known`: what names the game in the cache, where its machine code is found by that.
    """
    return _maker(game, named(game, text, known), executor, known)


def opponent() -> str:
    """The level of whom nobody chose: the best that answers in a second."""
    return "normal" if has_machine_code() else "easy"


def level(text: str) -> str:
    """What a person calls an agent: its level without the number."""
    word, _, _ = text.partition(":")
    return word if word in LEVELS else text


def _maker(game: Game, text: str, executor: str, known: str = "") -> AgentMaker:
    word, colon, rest = text.partition(":")
    if not colon:
        made: Mapping[str, AgentMaker] = {
            RANDOM: RandomAgent,
            "first": FirstAgent,
            "greedy": partial(GreedyAgent, game, executor, known),
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
        return partial(TreeAgent, game, int(rest), executor, bool(colon), known)
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
