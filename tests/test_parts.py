"""The parts of a `together` are proven independent, or refused, whatever stands in them."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from rulerun_dsl import model
from rulerun_dsl.load import load

RULES = """\
rulerun: 1
game: demo
players: 2

components:
  card:
    rows: {low: {worth: 1, copies: 1}, high: {worth: 2, copies: 1}}
    each: player
    has: {worth: 1..2}
    state: {face: 0..3}
    start: hand

zones:
  hand[player]: {of: card, visible: owner}
  line[player]: {of: card, visible: all}
  pile[player]: {of: card, order: stack, visible: none}
  bag[player]: {of: card, order: random, visible: none, refill: table}
  sack[player]: {of: card, order: random, visible: none}
  table: {of: card, visible: all}
  heap: {of: card, order: stack, visible: none}

state:
  visible: all
  total: 0..9
  bid[player]: 0..9
  side[player]: 0..9
  mark[player]: 0..9
  seat: order of player

functions:
  dear: highest(c in table by c.worth)
  mine(player p): highest(c in hand[p] by c.worth)

procedures:
  part(player q, card c):
    - mark[q] = c.worth
PART
  value():
    - give 1
  around():
    - total = value() if dear is not none
    - together: you in players
      do:
        - part(you, mine(you)) if side == 9
STATEMENT
    - total = 1 if total + bid[player(0)] + side[player(1)] + mark[player(0)] + count(line[all]) > 5
    - total = 2 if count(pile[all]) + count(bag[all]) + count(sack[all]) + count(table) > 5
    - total = 3 if first(seat) == player(0) and any(c.face > 0 for c in table) and empty(heap)

setup:
  - around()
"""
"""One player's own beside what is everybody's."""


def codes(
    tmp_path: Path, statement: str, part: str = "pass"
) -> tuple[list[str], list[model.Instruction]]:
    """The errors of a statement in a `together`, and the code of the game, if there is one."""

    def steps(text: str, depth: int) -> str:
        return "\n".join(f"{' ' * depth}{'' if e[0] == ' ' else '- '}{e}" for e in text.split("\n"))

    text = RULES.replace("PART", steps(part, 4)).replace("STATEMENT", steps(statement, 8))
    path = tmp_path / "demo.yaml"
    path.write_text(text, encoding="utf-8")
    loaded, found = load(path)
    game = None
    if loaded is not None:
        game, more = loaded.game()
        found = [*found, *more]
    errors = {each.code for each in found if each.severity.name == "ERROR"}
    return sorted(errors), list(game.code if game is not None else ())


CARD = "choose: c in hand\n"
SHARED = "choose: c in table\n"
SINGLE = [
    # What stands in the part (and in the procedure `part` that it calls); what is said of it.
    ("bid += side", "pass", ""),
    ("bid[opponent(you)] = 1", "pass", "RR0605"),
    ("total += 1", "pass", "RR0605"),
    ("bid = 1; bid = side[opponent(you)]", "pass", ""),
    ("bid = bid[opponent(you)]", "pass", "RR0606"),
    ("bid = 1 if any(bid[p] > 2 for p in players)", "pass", "RR0606"),
    ("swap bid with side", "pass", ""),
    ("swap bid with total", "pass", "RR0605"),
    ("roll bid", "pass", ""),
    ("roll total", "pass", "RR0605"),
    ("pick bid at random from 1..3", "pass", ""),
    ("pick total at random from 1..3", "pass", "RR0605"),
    ("sort p in seat by 0", "pass", "RR0605"),
    (CARD + "move c to line", "pass", ""),
    (CARD + "move c to table", "pass", "RR0605"),
    (CARD + "move c to line[opponent(you)]", "pass", "RR0605"),
    (SHARED + "move c to line", "pass", "RR0605"),
    ("move dear to line", "pass", "RR0605"),
    ("move mine(you) to line", "pass", ""),
    ("move mine(opponent(you)) to line", "pass", "RR0605"),
    ("let c = mine(you)\nmove c to line\nmove c to pile", "pass", ""),
    ("let card c = mine(you)\nc = dear\nmove c to line", "pass", "RR0605"),
    ("let c = dear\nmove c to line", "pass", "RR0605"),
    ("part(you, mine(you))", "move c to line[q]", ""),
    ("part(you, dear)", "move c to line[q]", "RR0605"),
    ("part(opponent(you), mine(you))", "move c to line[q]", "RR0605"),
    ("for: c in hand\n  do: move c to line", "pass", ""),
    ("for: c in table\n  do: move c to line", "pass", "RR0605"),
    (CARD + "c.face = 1", "pass", ""),
    (SHARED + "c.face = 1", "pass", "RR0605"),
    (CARD + "c.face = 1\nbid = 1 if any(x.face > 0 for x in line[all])", "pass", "RR0606"),
    (CARD + "move c to line\nbid = 1 if empty(hand[opponent(you)])", "pass", "RR0606"),
    (CARD + "move c to line\nbid = count(card)", "pass", "RR0606"),
    ("move all hand to line", "pass", ""),
    ("move all table to line", "pass", "RR0605"),
    ("move all hand[all] to line", "pass", "RR0605"),
    ("move up to 1 from sack to line", "pass", ""),
    ("move up to 1 from bag to line", "pass", "RR0605"),
    ("move up to 1 from heap to line", "pass", "RR0605"),
    ("let c = move 1 from pile to line\nmove c to pile", "pass", ""),
    ("shuffle pile", "pass", ""),
    ("shuffle heap", "pass", "RR0605"),
    ("swap hand with line", "pass", ""),
    ("swap hand with table", "pass", "RR0605"),
    ("repeat: 2\n  do: bid += 1", "pass", ""),
    ("turns: p in players\n  until: bid > 2\n  do: bid += 1", "pass", ""),
    ("say: hello", "pass", ""),
    ("show table to all", "pass", "RR0607"),
    ("part(you, mine(you))", "show table to all", "RR0607"),
    ("end game", "pass", "RR0607"),
    ("part(you, mine(you))", "end game", "RR0607"),
    ("together: p in players\n  do: pass", "pass", "RR0607"),
    ("stop", "pass", "RR0607"),
    ("stop around", "pass", "RR0607"),
    ("part(you, mine(you))", "stop", ""),
    ("part(you, mine(you))", "stop around", "RR0607"),
    ("bid = value()", "pass", ""),
    ("total = value()", "pass", "RR0605"),
    ("let v = value()\nbid = v", "pass", ""),
]
BETWEEN = {
    # They only lead from one to the other, or stand around the part.
    model.Jump, model.Unless, model.Clear, model.LoopStart, model.LoopNext, model.RepeatStart,
    model.RepeatNext, model.Call, model.Return, model.GiveValue, model.Choose, model.Enter,
    model.TogetherStart, model.TogetherEnd,
}  # fmt: skip
ELSEWHERE = {model.CallSlot, model.Queue, model.Drain, model.StopTo}
"""Calls: of a row's rule, followed as others are; in circles, refused (`tests/faults`)."""
REFUSED = {model.SortBy, model.ShowTo, model.EndGame}
"""What no player has of their own: an order of players; what is told or ends for all."""


@pytest.mark.parametrize(("statement", "part", "code"), SINGLE)
def test_a_statement_is_independent_or_refused(
    statement: str, part: str, code: str, tmp_path: Path
) -> None:
    errors, _ = codes(tmp_path, statement, part)
    assert errors == ([code] if code else [])


def test_every_instruction_is_looked_at(tmp_path: Path) -> None:
    """One that changes something is in the table above, both ways, or is refused in any case."""
    proven = {
        type(node)
        for statement, part, code in SINGLE
        if not code
        for node in codes(tmp_path, statement, part)[1]
    }
    assert proven | REFUSED | BETWEEN | ELSEWHERE == set(get_args(model.Instruction))
    assert not proven & (REFUSED - {model.EndGame})
