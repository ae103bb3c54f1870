"""Sets that are wider than a number of 64 bits, wherever rules keep them and hand them on.

Each game is played on boards around the widths at which something changes: sets of one word, of
one and a bit, of several, and more than a search holds as one number. All executors play the games
of the reference; what machine code does step by step is held against it state by state.
"""

from __future__ import annotations

import random
from importlib.util import find_spec

import pytest
from tests import executors
from tests.playing import game_of
from tests.rulesets import game_named, read
from tests.same_games import same_games

from rulerun.compiled.ir.program import Unsupported
from rulerun.compiled.lower.spreading import spread
from rulerun.compiled.native import building
from rulerun.compiled.native.llvm_sets import LISTED
from rulerun.executors.make import why_not
from rulerun.executors.stepper import TERMINAL, stepper
from rulerun.reference.executor import Reference
from rulerun.runtime.executor import Chance, Decision
from rulerun.runtime.state import State
from rulerun.search.utility import packed, unpacked
from rulerun_dsl.model import Game
from rulerun_dsl.source.resources import ruleset_path

needs_native = pytest.mark.skipif(find_spec("llvmlite") is None, reason="llvmlite is not installed")

CLAIMS = """
rulerun: 1
game: claims
players: [a, b]
boards:
  cell: {shape: grid, rows: SIDE, columns: SIDE}
state:
  visible: all
  held[player]: set of cell
  old: set of cell
  near[player, 0..1]: set of cell
  last: cell or none
  sum: 0..99999
phases:
  play:
    turns: you in players
    until: count(held[a]) + count(held[b]) >= 16
    do:
      - choose: s in cell if s not in held[a] and s not in held[b] and not in_way(s, old)
      - let set of cell mine = reach(s, t in cell if t in held[you])
      - held += s
      - last = s
      - near[you, 1] = near[you, 0]
      - near[you, 0] = those(t in neighbours(s) if t not in mine)
      - let 0..999 gained = worth(both(mine, near[you, 1]), s)
      - sum += gained
      - grab(near[you, 0])
      - held[opponent(you)] -= near[you, 1] if count(held[opponent(you)]) > 5
      - old = held[you] if s.row > 2 else mine
      - sum += 1 if larger(s) > 3 after lay(s)
      - for: every u in near[you, 0]
        do:
          - old -= u
functions:
  in_way(cell s, set of cell those_): s in those_ and count(those_) > 3
  both(set of cell one, set of cell other): those(s in cell if s in one or s in other)
  worth(set of cell some, cell s):
    - let 0..999 low = count(t in some if t.row > s.row)
    - count(some) + (1 if s in some else 0) + low
  larger(cell s): count(t in neighbours(s) if t in held[a] or t in held[b])
procedures:
  grab(set of cell some):
    - let set of cell fresh = those(s in some if s not in held[a] and s not in held[b])
    - let cell or none low = first(s in fresh)
    - held += low if low is not none
  lay(cell s):
    - held += s
    - held += those(t in neighbours(s))
scoring:
  points(player p): sum if p is a else count(held[p]) + count(near[p, 0])
"""
"""Variables alone and in families, parameters and results of functions, parameters of procedures,
names, what is after a procedure, every member of a set as it was."""

PARTS = """
rulerun: 1
game: parts
players: [a, b]
boards:
  cell: {shape: grid, rows: SIDE, columns: SIDE}
state:
  visible: all
  held[player]: set of cell
  seen[cell]: set of cell
  open: set of cell
  rounds: 0..20
setup:
  - open = those(s in cell if s.row > 1 or s.column > 2)
phases:
  play:
    until: rounds == 4
    do:
      - rounds += 1
      - together: you in players
        do:
            - let set of cell free = those(s in open if s not in held[you])
            - choose: s in free
            - held += s
            - let set of cell round_ = those(t in neighbours(s) if t in free)
            - choose: t in round_
              else: pass
            - held += t if t is not none
            - held += round_ if count(round_) < 3
      - for: p in players
        do:
          - let cell low = first(held[p]) otherwise first(open)
          - seen[low] = held[p]
          - seen[low] -= seen[first(held[opponent(p)])]
      - swap held[a] with held[b] if rounds % 3 == 2
      - choose: s in open
        by: player(rounds % 2)
      - open -= s
functions:
  own: count(s in cell if s in seen[s])
scoring:
  points(player p): count(held[p]) * 100 + sum(count(seen[s]) for s in cell) + own
"""
"""A set for each site, sets in the parts of a `together`, options out of a set, exchanged sets."""

DECK = """
rulerun: 1
game: deck
players: [a, b]
types:
  suit: [s1, s2, s3, s4, s5, s6]
components:
  card: {has: {suit: suit, rank: 1..13}, rows: every suit and rank, start: deck}
zones:
  deck: {of: card, order: random, visible: none}
  hand[player]: {of: card, visible: owner}
  table: {of: card, visible: all}
state:
  visible: all
  score[player]: 0..9999
  rounds: 0..9
setup:
  - move 5 from deck to hand[p] for p in players
phases:
  play:
    until: rounds == 5
    do:
      - rounds += 1
      - for: you in players
        do:
          - choose: 1..2 c in hand if pairs(c + table) > 0 or rounds % 2 == 0
            else: pass
          - score += pairs(c + table) * 2 if c is not none
          - move c to table if c is not none
          - move 2 from deck to hand
          - score += pairs(hand)
functions:
  pairs(set of card cards): sum(count(d in cards if d.rank == c.rank) - 1 for c in cards) // 2
scoring:
  points(player p): score[p]
"""
"""A kind of 78 cards: several chosen, none, hands given to functions."""

MELDS = """
rulerun: 1
game: melds
players: [a, b]
types:
  suit: [s1, s2, s3, s4, s5, s6]
components:
  card: {has: {suit: suit, rank: 1..13}, rows: every suit and rank, start: deck}
zones:
  deck: {of: card, order: random, visible: none}
  hand[player]: {of: card, visible: owner}
  table: {of: card, visible: all}
state:
  visible: all
  score[player]: 0..9999
  kept[player]: set of card or none
  rounds: 0..9
setup:
  - move 7 from deck to hand[p] for p in players
phases:
  play:
    until: rounds == 4
    do:
      - rounds += 1
      - for: you in players
        do:
          - choose: 0..3 c in hand
          - kept = c if count(c) > 1
          - kept = none if count(c) == 0
          - score += 1 if kept is not none
          - score += count(kept) if kept is not none
          - score += worth(hand)
          - move c to table
          - move 2 from deck to hand
functions:
  worth(set of card cards): packing(count(t) * 2 for t in subsets(2..3, cards) if fits(t))
  fits(set of card t): all(alike(c, d) for c in t for d in t)
  alike(card c, card d): c.rank == d.rank or c.suit == d.suit and abs(c.rank - d.rank) < 2
scoring:
  points(player p): score[p] + count(s in subsets(2, hand[p]) if fits(s))
"""
"""The same with subsets, the best that lie apart, a variable that may be none."""

MEN = """
rulerun: 1
game: men
players: [a, b]
boards:
  cell: {shape: grid, rows: 9, columns: 9}
components:
  man: {each: player, has: {no: 1..4}, rows: every no, state: {been: set of cell}, start: on}
zones:
  on: {of: man, visible: all}
state:
  visible: all
  at[player, 1..4]: cell or none
  rounds: 0..9
phases:
  play:
    until: rounds == 6
    do:
      - rounds += 1
      - for: you in players
        do:
          - choose: m in on if m.owner == you
          - choose: s in cell if s not in m.been and s.row + s.column < 5 + 2 * rounds
          - m.been += s
          - m.been += those(t in neighbours(s) if t.row > s.row)
          - n.been -= s for n in on if n.owner != you and s in n.been
          - at[you, m.no] = s
scoring:
  points(player p): sum(count(m.been) for m in on if m.owner == p) + placed(p) + all_been
functions:
  placed(player p): count(k in 1..4 if at[p, k] is not none)
  all_been: count(s in cell if any(s in m.been for m in on))
"""
"""Sets that components carry."""

SEVERAL = """
rulerun: 1
game: several
players: [a, b]
boards:
  cell: {shape: grid, rows: 9, columns: 8}
state:
  visible: all
  stone[cell]: player or none
  rounds: 0..9
phases:
  play:
    until: rounds == 6
    do:
      - for: you in players
        do:
          - choose: 1..2 c in those(s in cell if stone[s] is none and s.row > 2 + rounds)
          - stone[s] = you for s in c
      - rounds += 1
scoring:
  points(player p): sum(s.row for s in cell if stone[s] == p)
"""
"""Several sites of a board at once."""

RIMS = """
rulerun: 1
game: rims
players: [a, b]
boards:
  cell: {shape: grid, rows: SIDE, columns: SIDE}
state:
  visible: all
  stone[cell]: player or none
  marked: set of cell
  sum[player]: 0..9999
  rounds: 0..9
phases:
  play:
    until: rounds == 8
    do:
      - rounds += 1
      - for: you in players
        do:
          - choose: s in cell if stone[s] is none and s.row > SIDE - 3
          - stone[s] = you
          - marked += t for t in neighbours(s)
          - stone[t] = none for every t in cell if stone[t] == you and t != s and t.row == rounds
          - stone[t] = none for every t in group(s) if t.column % 4 == rounds % 4
          - sum[you] += count(t in cell if go(t, south_east) in marked)
functions:
  group(cell s): those(t in reach(s, u in cell if stone[u] == stone[s] and stone[u] is not none))
scoring:
  points(player p): sum[p] + sum(s.row for s in cell if stone[s] == p)
"""
"""A group that is kept while it is gone through, in parts; a site that may be none, in a set."""

SIDES = (7, 8, 9, 12, 23)
RULES = {"claims": CLAIMS, "parts": PARTS, "rims": RIMS}


def with_side(rules: str, side: int) -> Game:
    return game_of(rules.replace("SIDE", str(side)))


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", RULES)
def test_sets_of_all_widths(name: str, side: int) -> None:
    same_games(with_side(RULES[name], side), 3)


@pytest.mark.parametrize("rules", (DECK, MELDS, MEN, SEVERAL))
def test_sets_of_components_and_choices_of_several(rules: str) -> None:
    same_games(game_of(rules), 4)


@pytest.mark.parametrize(
    ("put", "said"),
    (
        ("highest(t in subsets(2, hand) by sum(d.rank for d in t))", "`highest` among sets"),
        ("first(t in subsets(2, hand) if count(t) > 1)", "`first` among sets"),
        ("kept otherwise c", "may be none"),
    ),
)
def test_what_machine_code_does_not_do_with_them_is_said(put: str, said: str) -> None:
    line = "          - kept = none if"
    name = f"          - let set of card some = {put}\n          - score += count(some)\n"
    changed = MELDS.replace(line, name + line)
    why = why_not(game_of(changed), "native")
    assert why is not None
    assert said in why
    assert "62 members" in why


@needs_native
@pytest.mark.parametrize(("side", "is_said"), ((7, False), (9, True)))
def test_what_is_refused_as_machine_code_is_written_is_said(
    side: int, is_said: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise Unsupported(LISTED)

    monkeypatch.setattr(building, "module", refuse)
    why = why_not(with_side(CLAIMS, side), "native")
    assert (why is not None and LISTED in why) == is_said


@needs_native
@pytest.mark.parametrize("side", (8, 9, 23))
@pytest.mark.parametrize("name", RULES)
def test_states_are_those_of_the_reference(name: str, side: int) -> None:
    executor = executors.make("native", with_side(RULES[name], side), events=False)
    luck, state = random.Random(side), executor.initial().state
    for _ in range(20):
        if executor.verdict(state) is not None:
            break
        if outcomes := executor.outcomes(state):
            state = executor.apply(state, Chance(luck.choice(outcomes).id)).state
        else:
            who = executor.waiting(state)[0].player
            state = executor.apply(
                state, Decision(who, luck.choice(executor.legal(state, who)))
            ).state


@needs_native
@pytest.mark.parametrize("name", RULES)
def test_plays_that_change_in_place(name: str) -> None:
    game = with_side(RULES[name], 9)
    plays = [stepper(game, executor) for executor in executors.NAMES]
    luck = random.Random(5)
    while plays[0].who() != TERMINAL:
        told = {(play.who(), play.legal(), play.state()) for play in plays}
        assert len(told) == 1
        choice = luck.choice(plays[0].legal())
        for play in plays:
            play.apply(choice)
    assert len({play.state() for play in plays}) == 1


@needs_native
@pytest.mark.parametrize("name", RULES)
def test_many_plays_at_once(name: str) -> None:
    np = pytest.importorskip("numpy")
    from rulerun.vector.vector_plays import VectorPlays

    game = with_side(RULES[name], 9)
    many = [VectorPlays(game, 3, seed=4, executor=executor) for executor in ("python", "native")]
    for _ in range(24):
        actions = many[0].sample()
        for plays in many:
            plays.step(actions)
        one, other = many
        assert (one.slots == other.slots).all()
        assert np.array_equal(one.legal, other.legal)
        assert np.array_equal(one.observe(), other.observe())
        assert np.array_equal(one.returns, other.returns)


@pytest.mark.parametrize(
    ("name", "options"),
    (
        ("havannah", {"board_size": "6"}),
        ("havannah", {"board_size": "8"}),
        ("y", {"board_size": "12"}),
        ("dots_and_boxes", {"num_rows": "4", "num_cols": "4"}),
        ("dots_and_boxes", {"num_rows": "5", "num_cols": "6"}),
    ),
)
def test_shipped_games_on_large_boards(name: str, options: dict[str, str]) -> None:
    game, _ = read(ruleset_path(name)).game(options=options)
    assert game is not None
    same_games(game, 2)


def test_a_state_is_taken_apart_and_put_together_again() -> None:
    game = with_side(PARTS, 12)
    laid, reference = spread(game), Reference(game, events=False)
    state, luck = reference.initial().state, random.Random(2)
    while reference.verdict(state) is None:
        apart = laid.apart(state.slots)
        assert all(-(1 << 63) <= each < 1 << 63 for each in apart)
        assert len(apart) == laid.game.layout.size > game.layout.size
        assert laid.together(apart) == state.slots
        who = luck.choice(reference.waiting(state)).player
        chosen = luck.choice(reference.legal(state, who))
        state = reference.apply(state, Decision(who, chosen)).state


def test_a_game_without_such_sets_stays_as_it_is() -> None:
    game = game_named("hanabi")
    assert spread(game).game is game


@pytest.mark.parametrize("last", (3, 1 << 40, 1 << 100, 1 << 101))
def test_states_with_sets_of_any_size_are_packed(last: int) -> None:
    state = State((0, -1, 7, last))
    assert unpacked(packed(state.slots), len(state.slots)) == state
