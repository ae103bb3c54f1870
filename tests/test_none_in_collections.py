"""Collections whose members may be none: what each word makes of one, on every executor.

The executors are strict (`tests.executors`): a compiled one that takes a step otherwise than the
reference, or takes one that is a rule error there, fails.
"""

from __future__ import annotations

from functools import cache

import pytest
from tests.executors import executor_of

from rulerun.runtime import actions
from rulerun.runtime.executor import RuleError
from rulerun_dsl.load import load
from rulerun_dsl.model import Game

pytestmark = pytest.mark.executors

RULES = """\
rulerun: 1
game: none
players: 3
types:
  suit: [sun, moon, star]
boards:
  square: {shape: grid, rows: 2, columns: 3}
components:
  card:
    has: {suit: suit or none = none, nxt: square or none = none, n: 1..9 or none = none}
    rows: {a: {suit: moon, nxt: r1c2, n: 3}, b: {}, c: {suit: sun, n: 2}}
    start: deck
  peg: {rows: {p1: {}, p2: {}}, start: box}
zones:
  visible: all
  deck: {of: card, order: queue}
  box: {of: peg}
  on[square]: {one: peg}
  hand[player]: {of: card}
state:
  visible: all
  v[player]: suit or none
  k[player]: 1..5 or none
  w[player]: player or none
  s[player]: square or none
  z: square or none
  kk: 0..5 or none
  d: player or none
  o: 0..20
  q: bool
  st: set of suit
  sn: set of 1..5
  ss: set of square
  oo: suit or none
  op: square or none
  od: player or none
  on_: 0..9 or none
functions:
  nbrs(square x): those(s[p] for p in players if x.row > 0)
  one(square x): z if x.row > 0 else none
  hop(square x): neighbours(x)
  read(player p):
    cases:
      any(c.suit is sun or c.nxt is none or c.n == 1 for c in card): true
      empty(deck) and empty(hand[p]) and count(box) == kk: d is P1
      empty(st) and empty(sn) and empty(ss): oo is sun and op is none
      od is none and on_ is none and q and o == 1: v[p] is sun and k[p] == 1
      else: s[p] is none and w[p] is none and p1 in box
setup:
  - v[P1] = moon; v[P3] = sun
  - k[P1] = 3; k[P3] = 2
  - w[P1] = P2; w[P3] = P1
  - s[P1] = r1c1; s[P3] = r2c2
  - move p1 to on[r1c1]
  - STATEMENT
scoring:
  points(player p): count(nbrs(r1c1)) + count(hop(r1c1)) if read(p) and one(r1c1) is none else 0
"""

CHOICE = """\
rulerun: 1
game: choice
players: 2
zones: {}
state:
  visible: all
  k[player]: 1..5 or none
  o: 0..5
setup:
  - k[P1] = 3
phases:
  pick:
    do:
      - choose: x in k[all] + (2, 2)
        by: P1
      - o = x
"""


@cache
def game_of(statement: str) -> Game:
    loaded, _ = load(RULES.replace("STATEMENT", statement).encode(), "none.yaml")
    assert loaded is not None
    game, found = loaded.game()
    assert game is not None, [each.message for each in found]
    return game


@pytest.mark.parametrize(
    ("statement", "name", "value"),
    [
        ("o = count(those(v[p] for p in players))", "o", 3),
        ("q = v[P2] in v[all]", "q", 0),
        ("q = k[P2] not in k[all]", "q", 1),
        ("o = count(c in card if c.suit in v[all])", "o", 2),
        ("on_ = last(around(k[all], 4))", "on_", 2),
        ("oo = last(around(v[all], star))", "oo", 0),
        ("on_ = first(reverse(k[all]))", "on_", 2),
        ("on_ = distance(r1c1, r2c2 by nbrs)", "on_", 1),
        ("o = count(reach(r1c1 by nbrs))", "o", 2),
        ("o = count(reach(r1c1 by one))", "o", 1),
        ("ss = those(x in s[all] if x is not none)", "ss", 17),
        ("o = count(reach(those(x in s[all] if x is not none), y in square))", "o", 6),
        ("o = sum(k[p] for p in players if k[p] is not none)", "o", 5),
        ("{for: 'x in card.n', do: o += x otherwise 10}", "o", 15),
        ("{for: 'x in k[all] if x is not none', do: o += x}", "o", 5),
        ("{for: 'x in s[all]', do: o += 1 if x is none else 3}", "o", 7),
        ("{for: 'x in card.suit', do: o += 1}", "o", 3),
        # A list leaves out what is none, whatever is made of it.
        ("o = count((v[P1], v[P2], v[P3]))", "o", 2),
        ("o = sum(x + 1 for x in (k[P1], k[P2]))", "o", 4),
        ("{for: 'x in (k[P1], k[P2])', do: o += 1}", "o", 1),
        ("o = count((on[r1c1], on[r1c2]))", "o", 1),
        ("st = (v[P1], v[P2])", "st", 2),
        ("ss = (z, r1c1, s[P2])", "ss", 1),
        ("q = k[P2] in (1, k[P2], 3)", "q", 0),
        ("q = st != (v[P1], v[P2])", "q", 1),
        ("o = count(reach((r1c1, s[P2]) by hop))", "o", 6),
    ],
)
def test_none_as_a_member_is(statement: str, name: str, value: int) -> None:
    game = game_of(statement)
    slots = executor_of(game).initial().state.slots
    assert all(isinstance(slot, int) for slot in slots)
    assert slots[dict(game.layout.variables)[name]] == value


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("st = those(v[p] for p in players)", "those(v[p] for p in players)"),
        ("st = v[all]", "v[all]"),
        ("sn = card.n", "card.n"),
        ("o = sum(card.n)", "card.n"),
        ("o = sum(x for x in those(k[p] for p in players))", "x"),
        ("q = any(x < 1 for x in those(k[p] for p in players))", "x"),
        ("o = sum(count(neighbours(x)) for x in those(s[p] for p in players))", "x"),
        ("on_ = first(k[x] for x in those(w[p] for p in players))", "x"),
        ("od = last(next(x) for x in those(w[p] for p in players))", "x"),
        ("on_ = distance(z, r1c1 by hop)", "z"),
        ("o = count(reach(z by hop))", "z"),
        ("o = count(reach(z, y in square))", "z"),
        ("q = path(z, r1c1, y in square)", "z"),
        ("o = count(reach(s[all] by hop))", "s[all]"),
        ("o = count(reach(s[all], y in square))", "s[all]"),
        ("q = path(r1c1, s[all], y in square)", "s[all]"),
        ("q = line(2, y in s[all])", "s[all]"),
        (
            "o = count(reach(r1c1, y in those(s[p] for p in players) if y.row == 1))",
            "those(s[p] for p in players)",
        ),
        ("move all those(on[x] for x in square) to box", "those(on[x] for x in square)"),
        ("{for: 'x in those(k[p] for p in players)', do: o += x}", "x"),
    ],
)
def test_none_where_a_value_is_wanted_is_a_rule_error(statement: str, what: str) -> None:
    with pytest.raises(RuleError) as failure:
        executor_of(game_of(statement)).initial()
    assert failure.value.code == "none"
    assert failure.value.message == f"{what} is none"


def test_a_choice_does_not_offer_none() -> None:
    loaded, _ = load(CHOICE.encode(), "choice.yaml")
    assert loaded is not None
    game, _ = loaded.game()
    assert game is not None
    executor = executor_of(game)
    state = executor.initial().state
    assert [actions.text(game, each) for each in executor.legal(state, 0)] == ["2", "3"]
