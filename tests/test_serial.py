"""Parts of a `together` one after another: where that is the same game, and where it must not be.

Only luck can tell the order of parts. The rules here differ in where it falls; each is held against
the reference, and where order shows, running the parts one after another all the same must show it.
"""

from __future__ import annotations

from collections import Counter
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
from tests.playing import game_of
from tests.rulesets import game_named
from tests.same_games import same_games

from rulerun.compiled.ir import serial as serial_module
from rulerun.compiled.ir.serial import serial
from rulerun.compiled.lower.lower import lower
from rulerun.reference.executor import Reference
from rulerun.runtime.batch import Expected
from rulerun.runtime.rng import key_of
from rulerun.simulation.run.stepping import Stepping
from rulerun_dsl.model import Game

if TYPE_CHECKING:
    from rulerun.compiled.native.batch import NativeBatch

needs_native = pytest.mark.skipif(find_spec("llvmlite") is None, reason="llvmlite is not installed")

RULES = """
rulerun: 1
game: parts
players: [a, b, c]
components:
  card: {{has: {{rank: 1..9}}, rows: every rank, start: deck}}
zones:
  deck: {{of: card, order: random, visible: none}}
  own[player]: {{of: card, visible: owner, order: random}}
  got[player]: {{of: card, visible: owner}}
state:
  visible: all
  rolled[player]: 1..6
  bid[player]: 0..40
  rounds: 0..3
{limits}
setup:
  - move 2 from deck to own[p] for p in players{but}
  - for: you in players
    do: throw()
phases:
  play:
    until: rounds == 2
    do:
      - together: you in players if you is not c or rounds == 0
        do:
{part}
      - rounds += 1
procedures:
  throw():
    - roll rolled
scoring:
  points(player p): rolled[p] * 7 + bid[p] + sum(x.rank for x in got[p])
"""

ROLL = "- roll rolled"
CHOOSE = "- choose: n in 0..rolled\n- bid = min(bid + n, 40)"
IN_ORDER = {
    "no luck": [CHOOSE],
    "luck first": [ROLL, CHOOSE],
    "luck last": [CHOOSE, ROLL],
    "luck between": [CHOOSE, ROLL, "- choose: m in 0..rolled\n- bid = min(bid + m, 40)"],
    "only luck": [ROLL, ROLL],
    "a call": ["- throw()", CHOOSE],
    "some do": ["- if: you is b\n  then: [roll rolled]", CHOOSE],
    "a draw": ["- move 1 from own to got if not empty(own)", CHOOSE],
}
OUT_OF_ORDER = {
    "luck first and last": [ROLL, CHOOSE, ROLL],
    "luck in every round": [
        f"- repeat: 2\n  do:\n    {ROLL}\n    - choose: n in 0..3\n    - bid = n"
    ],
    "calls": ["- throw()", CHOOSE, "- throw()"],
    "some first, others last": [
        "- if: you is b\n  then: [roll rolled]",
        CHOOSE,
        "- if: you is not b\n  then: [roll rolled]",
    ],
    "a draw and a throw": ["- move 1 from own to got if not empty(own)", CHOOSE, ROLL],
}


def with_parts(part: list[str], limits: str = "", but: str = "") -> Game:
    lines = "\n".join(" " * 10 + line for text in part for line in text.splitlines())
    text = RULES.format(part=lines, limits=limits, but=but)
    return game_of(text)


def native(game: Game, again: Stepping) -> NativeBatch:
    """Machine code that is there at once: which games it plays is the same with both tiers."""
    from rulerun.compiled.native.batch import NativeBatch

    return NativeBatch(game, again, expected=Expected(60, 0))


def counts(game: Game) -> tuple[object, object]:
    """What machine code counts, and what the reference does."""
    again = Stepping(Reference(game, events=False))
    plays = again.play(key_of(3), 0, 60)
    batch = native(game, again)
    assert batch.play(key_of(3), 0, 60) == plays
    summed = (
        len(plays),
        Counter(each.winners for each in plays),
        sum(each.decisions for each in plays),
        sum(each.inputs for each in plays),
    )
    return batch.count(key_of(3), 0, 60), summed


@needs_native
@pytest.mark.parametrize("name", IN_ORDER)
def test_parts_run_one_after_another(name: str) -> None:
    game = with_parts(IN_ORDER[name])
    assert serial(lower(game, observed=False)).frames == 1
    found, wanted = counts(game)
    assert found == wanted


@needs_native
@pytest.mark.parametrize("name", OUT_OF_ORDER)
def test_parts_keep_their_frames_where_luck_would_fall_in_another_order(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = with_parts(OUT_OF_ORDER[name])
    plain = lower(game, observed=False)
    assert serial(plain) is plain
    found, wanted = counts(game)
    assert found == wanted
    monkeypatch.setattr(serial_module, "keeps_order", lambda *_: True)
    assert serial(plain).frames == 1
    with pytest.raises(AssertionError):
        counts(game)


def test_what_is_known_of_parts_is_worked_out_from_all_of_them() -> None:
    plain = lower(game_named("goofspiel"))
    assert any(each.decided for each in plain.togethers) == (serial(plain) is plain)


@needs_native
@pytest.mark.parametrize("most", [1, 2, 4])
def test_a_part_that_goes_wrong_before_it_decides_does_so_before_others_are_cut_off(
    most: int,
) -> None:
    """Its seat is the last; the first decisions are too many already."""
    part = ["- move 1 from own to got", CHOOSE]
    game = with_parts(part, f"limits: {{decisions: {most}}}", " if p is not c")
    assert serial(lower(game, observed=False)).frames == 1
    again = Stepping(Reference(game, events=False))
    plays = again.play(key_of(3), 0, 20)
    assert {each.end for each in plays} not in ({""}, {"truncated"})
    assert native(game, again).play(key_of(3), 0, 20) == plays


@needs_native
@pytest.mark.parametrize("most", [1, 2, 3, 4, 5])
def test_parts_are_cut_off_where_the_reference_cuts_them_off(most: int) -> None:
    game = with_parts([ROLL, CHOOSE], f"limits: {{decisions: {most}}}")
    again = Stepping(Reference(game, events=False))
    assert native(game, again).play(key_of(3), 0, 20) == again.play(key_of(3), 0, 20)


SUMS = """
rulerun: 1
game: sums
players: [a, b]
state:
  visible: all
  sum[player]: 0..99
  rounds: 0..3
phases:
  play:
    until: rounds == 3
    do:
      - rounds += 1
      - together: you in players
        do:
          - let 0..30 n = 1
          - choose: k in 1..5
          - n += k
          - choose: j in 1..n
          - n += j
          - sum += n
scoring:
  points(player p): sum[p]
"""


def test_a_name_of_a_part_is_added_to_where_it_stands() -> None:
    """A game holds names in registers: no one writes them by an address that it does not know."""
    same_games(game_of(SUMS), 12)
