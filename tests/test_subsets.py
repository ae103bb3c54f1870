"""Subsets and packings against what one would find by trying everything."""

from __future__ import annotations

import random
from bisect import bisect
from functools import cache
from itertools import combinations

import pytest
from tests.executors import executor_of

from rulerun.analysis import effort
from rulerun.analysis.packings import tries
from rulerun.reference.subsets import most_apart
from rulerun.runtime.executor import RuleError
from rulerun.runtime.index import GameIndex
from rulerun_dsl import model
from rulerun_dsl.load import load
from rulerun_dsl.model import Game

pytestmark = pytest.mark.executors


@cache
def game_of(text: str) -> Game:
    loaded, found = load(text.encode())
    assert loaded is not None, found
    game, more = loaded.game()
    assert game is not None, more
    return game


def nothing() -> None:
    """What counts nothing."""


def by_trying(worth: list[tuple[int, int]]) -> int:
    """The highest sum over sets that lie apart, each set once."""
    best_of: dict[int, int] = {}
    for mask, value in worth:
        best_of[mask] = max(value, best_of.get(mask, 0))
    best = 0
    for many in range(len(best_of) + 1):
        for some in combinations(best_of, many):
            if sum(mask.bit_count() for mask in some) == sum_of(some).bit_count():
                best = max(best, sum(best_of[mask] for mask in some))
    return best


def sum_of(masks: tuple[int, ...]) -> int:
    """All members of some sets."""
    whole = 0
    for mask in masks:
        whole |= mask
    return whole


def some_sets(luck: random.Random) -> list[tuple[int, int]]:
    wide = luck.choice((0b1111, 0b111111, 0b11111111))
    sparse = luck.random() < 0.5
    return [
        (luck.randint(0, wide) & (luck.randint(0, wide) if sparse else wide), luck.randint(-2, 9))
        for _ in range(luck.randint(0, 9))
    ]


@pytest.mark.once
@pytest.mark.parametrize("seed", range(60))
def test_the_search_finds_the_best(seed: int) -> None:
    worth = some_sets(random.Random(seed))
    assert most_apart(worth, nothing) == by_trying(worth)


@pytest.mark.parametrize("seed", range(3))
def test_every_executor_finds_it(seed: int) -> None:
    luck = random.Random(seed)
    sets = [some_sets(luck) for _ in range(6)]
    rows = "\n".join(
        f"      r{number}: {{of: {at}, holds: {[bit for bit in range(8) if mask >> bit & 1]}, "
        f"worth: {value}}}"
        for number, (at, mask, value) in enumerate(
            (at, mask, value) for at, worth in enumerate(sets) for mask, value in worth
        )
    )
    game = game_of(f"""
rulerun: 1
game: apart
players: 2
types:
  row:
    has: {{of: 0..9, holds: set of 0..7, worth: -9..9}}
    rows:
{rows}
state:
  visible: all
  best[0..5]: 0..99
setup:
  - best[n] = packing(best_of(n, t) for t in those(r.holds for r in row if r.of == n)) for n in 0..5
functions:
  best_of(int n, set of 0..7 t): max(r.worth for r in row if r.of == n and r.holds == t)
""")
    state = executor_of(game).initial().state
    table = GameIndex(game).variables["best"]
    assert list(state.slots[table.base : table.base + 6]) == [by_trying(each) for each in sets]


COUNTED = """
rulerun: 1
game: counted
players: 2
limits: {steps: STEPS}
state:
  visible: all
  n: 0..99
  k: 0..9
setup:
  - n = packing(count(t) * count(t) for t in subsets(1..k + 2, 1..4))
  - k = 1 if n < 9
"""


@pytest.mark.once
def test_all_executors_count_what_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(effort, "MOST_UNCOUNTED", 100)
    monkeypatch.setattr(effort, "GRAIN", 10)
    least = []
    for name in ("reference", "python"):
        monkeypatch.setattr("tests.executors.current", name)
        least.append(bisect(range(2000), 1, key=is_enough))
    assert least[0] == least[1] > 10


def is_enough(budget: int) -> int:
    """Whether no more than so many evaluations are counted."""
    try:
        executor_of(game_of(COUNTED.replace("STEPS", str(10 * budget + 10)))).initial()
    except RuleError as error:
        assert "long evaluations" in error.message
        return 0
    return 2


@pytest.mark.once
@pytest.mark.parametrize(("things", "sizes"), [(6, (1, 6)), (8, (2, 3)), (9, (3, 5)), (7, (4, 9))])
def test_no_search_tries_more_than_was_thought(things: int, sizes: tuple[int, int]) -> None:
    low, high = sizes
    game = game_of(f"""
rulerun: 1
game: thought
players: 2
state:
  visible: all
  n: 0..99999
setup:
  - n = packing(1 for t in subsets({low}..{high}, 1..{things}))
""")
    (store,) = [node for node in game.code if isinstance(node, model.Store)]
    assert isinstance(store.value, model.Quantifier)
    members = effort.Effort(game).members
    bound = tries(GameIndex(game), members, store.value)
    luck = random.Random(things)
    for _ in range(20):
        tried = [0]

        def one_more(tried: list[int] = tried) -> None:
            tried[0] += 1

        masks = [
            sum(1 << bit for bit in some)
            for size in range(low, high + 1)
            for some in combinations(range(things), size)
        ]
        most_apart([(mask, luck.randint(1, 9)) for mask in masks], one_more)
        assert tried[0] <= bound
