"""Compiled executors against the reference: whole games of a key, one and all of them."""

from __future__ import annotations

from collections import Counter
from importlib.util import find_spec

from rulerun.compiled.python.batch import PythonBatch
from rulerun.reference.executor import Reference
from rulerun.runtime.batch import Expected
from rulerun.runtime.rng import key_of
from rulerun.simulation.run.stepping import Stepping
from rulerun_dsl.model import Game

KEY = 7


def same_games(game: Game, games: int, *, native: bool = True) -> None:
    """Python and, where it can be made, machine code play and count the games of the reference."""
    again = Stepping(Reference(game, events=False))
    plays = again.play(key_of(KEY), 0, games)
    assert {each.end for each in plays} == {""}, "they come to their ends"
    assert PythonBatch(game, again).play(key_of(KEY), 0, games) == plays
    if not native or find_spec("llvmlite") is None:
        return
    from rulerun.compiled.native.batch import NativeBatch

    batch = NativeBatch(game, again, expected=Expected(games, 0))
    assert list(batch.play(key_of(KEY), 0, games)) == list(plays)
    # Of a game that is given up nothing is counted.
    came, won, decisions, inputs = batch.count(key_of(KEY), 0, games)
    assert (came, won) == (len(plays), Counter(each.winners for each in plays))
    assert decisions == sum(each.decisions for each in plays)
    assert inputs == sum(each.inputs for each in plays)
