"""What is supposed to have run leaves nothing behind, though only what it may write is kept.

`after` runs a procedure and takes everything back: variables that it writes, or that what it calls
writes, and all slots where more than variables changes.
"""

from __future__ import annotations

import pytest
from tests.playing import game_of
from tests.same_games import same_games

from rulerun.analysis.touching import variables_written
from rulerun.compiled import ir
from rulerun.compiled.ir.passes import every_part
from rulerun.compiled.lower.lower import lower
from rulerun_dsl.model import Game

GAMES = 12
RULES = """
rulerun: 1
game: supposed
players: [a, b]
boards:
  square: {{shape: grid, rows: 4, columns: 5}}
components:
  token: {{has: {{worth: 1..6}}, rows: every worth, start: bag}}
zones:
  bag: {{of: token, visible: all}}
  out: {{of: token, visible: all}}
state:
  visible: all
  man[square]: player or none
  before: 0..99
  put[player]: 0..40
  last: 0..40
setup: pass
phases:
  play:
    turns: you in players
    until: last >= 30
    do:
      - choose: s in square if man[s] is none and (worth(you) after {procedure}) % 4 != 3
        else: end game won by opponent(you)
      - lay(s, you)
      - before = 7
      - take() if last % 7 == 0
procedures:
  lay(square s, player p):
    - man[s] = p
    - note(p)
    - for: t in neighbours(s) if man[t] == opponent(p)
      do: man[t] = none if last % 3 == 0
  note(player p): put[p] += 1; last += 1
  take: move highest(t in bag by t.worth) to out if not empty(bag)
functions:
  worth(player p): put[p] + count(s in square if man[s] == p) + last + before + count(out)
scoring:
  points(player p): put[p] + count(s in square if man[s] == p)
"""
WRITTEN: dict[str, set[str] | None] = {
    "lay(s, you)": {"man", "put", "last"},
    "note(you)": {"put", "last"},
    "take()": None,
}


def supposing(procedure: str) -> Game:
    return game_of(RULES.format(procedure=procedure))


@pytest.mark.parametrize("procedure", WRITTEN)
def test_what_may_be_written_is_kept(procedure: str) -> None:
    game = supposing(procedure)
    name, written = procedure.partition("(")[0], WRITTEN[procedure]
    entry = next(each.entry for each in game.procedures if each.name == name)
    assert variables_written(game, entry) == written
    (supposed,) = (
        node
        for each in lower(game).functions
        for node in every_part(each.body)
        if isinstance(node, ir.Suppose)
    )
    if written is None:
        assert supposed.runs is None
        return
    wide = {"man": 20, "put": 2, "last": 1}
    bases = dict(game.layout.variables)
    assert supposed.runs == tuple(sorted((bases[each], wide[each]) for each in written))


@pytest.mark.parametrize("procedure", WRITTEN)
def test_all_is_as_it_was(procedure: str) -> None:
    same_games(supposing(procedure), GAMES)
