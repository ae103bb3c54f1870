"""Each pass of the compiled executors still fires: it changes this program, and leaves its trace.

A pass that no longer recognises what the lowering makes is silently no pass, and law 14 does not
see it: the games stay the same. So one small game has something for every pass. The program with
the pass is not the program without it, and what the pass alone writes stands in one of them and not
in the other. That the games are the same is counted as well.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.util import find_spec

import pytest
from tests.idioms import ruleset as idioms
from tests.playing import game_of

from rulerun.compiled import ir
from rulerun.compiled.ir.bitsets import most
from rulerun.compiled.ir.bounding import bounded
from rulerun.compiled.ir.cloning import cloned
from rulerun.compiled.ir.copies import copies
from rulerun.compiled.ir.gathering import gathered
from rulerun.compiled.ir.inlining import inlined
from rulerun.compiled.ir.lockstep import lockstep
from rulerun.compiled.ir.masks import each_bit, masks
from rulerun.compiled.ir.passes import hoisted, unshadowed
from rulerun.compiled.ir.picking import picked
from rulerun.compiled.ir.printing import printed
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.sampling import sampled
from rulerun.compiled.ir.scans import scans
from rulerun.compiled.ir.serial import serial
from rulerun.compiled.ir.statement import Body
from rulerun.compiled.ir.stopping import stopping
from rulerun.compiled.ir.sweeping import swept
from rulerun.compiled.ir.tabling import tabled
from rulerun.compiled.lower.lower import lower
from rulerun.compiled.native import batch as batches
from rulerun.compiled.native import building
from rulerun.compiled.native.batch import NativeBatch
from rulerun.compiled.native.fitting import ranges_of
from rulerun.compiled.python import preparing as python
from rulerun.compiled.python.batch import PythonBatch
from rulerun.compiled.python.regions import families
from rulerun.compiled.python.source import source
from rulerun.reference.executor import Reference
from rulerun.runtime.batch import Expected
from rulerun.runtime.rng import key_of
from rulerun.simulation.run.stepping import Stepping
from rulerun_dsl.model import Game

FIXED = os.environ.get("RULERUN_EXAMPLES")
"""`.ci/run` says it: fewer of what takes long."""
RULES = """
rulerun: 1
game: passes
players: [a, b]
boards:
  square: {shape: grid, rows: 5, columns: 5}
  cell:
    {shape: grid, rows: 8, columns: 9, regions: {left: column == 1, right: column == 9}}
components:
  card: {has: {rank: 1..20}, rows: every rank, start: deck}
  coin: {has: {worth: 1..5}, rows: every worth, copies: 5, start: bank}
zones:
  deck: {of: card, order: random, visible: none}
  hand[player]: {of: card, visible: owner}
  pile: {of: card, visible: none}
  bank: {of: coin, visible: all}
  purse[player]: {of: coin, visible: all}
state:
  visible: all
  mark[square]: player or none
  road[cell]: player or none
  bid[player]: 0..3
  last: 0..3
setup: move 2 from deck to hand[p] for p in players
phases:
  bidding:
    do:
      - together: you in players
        do:
          - choose: n in 0..3
          - bid = n
  play:
    turns: you in players
    until: count(s in square if mark[s] is none) < 4
    do:
      - choose: s in square, n in 0..3 if mark[s] is none and n != last
      - mark[s] = you
      - bid = last
      - last = n
      - road[r] = you for r in cell if r.row == n
      - move 1 c in bank if c.worth == n to purse[you] if count(c in bank if c.worth == n) > 0
      - move highest(c in hand by c.rank) to pile if any(is_high(c) for c in hand)
      - end game won by you if any(mark[t] == you and t.row == bid + 1 and t != s for t in square)
functions:
  is_high(card c): c.rank > 10
  sees(square f, square g): any(t == g for d in direction for t in ray(f, d) while mark[t] is none)
  is_late: last > 1
  jumps(square f, square g): abs(f.row - g.row) * abs(f.column - g.column) == 2
  far(square s): go(s, south, last) is none
  run(player p, square s, direction d): count(t in ray(s, d) while mark[t] == p)
  is_corner(square s): count(neighbours(s)) == 3
  chain(cell s): those(t in reach(s, u in cell if road[u] == road[s]))
  breathes(cell s): any(road[u] is none for t in chain(s) for u in neighbours(t))
scoring:
  points(player p): >-
    count(s in square if mark[s] == p) + count(c in purse[p] if last > 1)
    + count(s in square if mark[s] == p and is_corner(s))
    + (1 if breathes(cell(1, last + 1)) else 0)
    + count(s in square if sees(square(1, last + 1), s))
    + count(s in square if mark[s] == p and any(mark[t] == p and jumps(s, t) for t in square))
    + (2 if is_late else 0)
    + count(s in square if mark[s] is none and any(run(p, s, d) > 1 for d in direction))
    + (1 if far(square(2, 2)) else 0)
    + sum(n for n in 1..20 if n > last and n <= last + 3)
    + (5 if path(left, right, r in cell if road[r] == p) else 0)
"""


NOTHING = "nothing"


def game() -> Game:
    return game_of(RULES)


def runs() -> set[tuple[int, int]]:
    """The families of slots of which masks may be kept: base and number."""
    return {(each.base, each.number) for each in families(game())}


def compare(having: str, without: str, here: str, there: str) -> None:
    """Two texts differ, one having what the other has not."""
    assert having != without
    for pattern, one, other in ((here, having, without), (there, without, having)):
        if pattern != NOTHING:
            assert re.search(pattern, one, re.MULTILINE), "the pass leaves no trace"
            assert not re.search(pattern, other, re.MULTILINE), "that is no trace of the pass"


# ----------------------------------------------------------------------------- program to program

Pass = Callable[[Program], Program]
PASSES: dict[str, tuple[Pass, str, str]] = {
    # The pass, what only the program with it says, what only the program without it says.
    "hoisted": (hoisted, r"in rows \w+__some", NOTHING),
    "inlined": (inlined, r"^    if table RANK\[c\d+\] > 10", r"if f_is_high\("),
    "copies": (copies, r"\+ \(sum of 5 from", r"for i\d+ from 0 below slot\["),
    "tabled": (tabled, r"^  return table \w+__table\[", NOTHING),
    "stopping": (
        lambda _: stopping(masks(lower(game(), any_size=False))),
        r"^  while front\d+:\n    if seen\d+ & ",
        NOTHING,
    ),
    "gathered": (gathered, r"^  \w+__met := 0$", NOTHING),
    "scans": (scans, r"\+ \(count of slot\[", NOTHING),
    "masks": (masks, r"table \w+__is_\d+\[", NOTHING),
    "ways": (masks, r"__way\d+ := ", NOTHING),
    "related": (lambda _: related(lower(game())), r"table PAIRS__\d+\[", NOTHING),
    "picked": (picked, r"^  \w+__bits := 0$", NOTHING),
    "bounded": (bounded, r"^  for \w+ from max\(1, slot\[", NOTHING),
    "swept": (lambda _: swept(lower(game(), floods=True)), r"^    near\d+ := seen\d+$", NOTHING),
    "lockstep": (
        lambda program: lockstep(masks(program, runs=runs()), runs()),
        r"^function all0__hold\(",
        NOTHING,
    ),
    "sampled": (lambda program: sampled(masks(program))[0], r"^function \w+__count\(", NOTHING),
    "unshadowed": (unshadowed, NOTHING, r"^  2\.\.\d+ what a `together` shadows"),
    "serial": (
        lambda _: serial(lower(game(), observed=False)),
        r"the parts of a together, one after another",
        r"^together \d+",
    ),
    "cloned": (lambda _: with_clones(), r"^  known: slot\[\d+\] == \d", NOTHING),
    "wide": (
        lambda _: lower(game(), any_size=False),
        r"^  bits front\d+ := none of 72$",
        r"^  rows queue\d+ := ",
    ),
    "unobserved": (lambda _: lower(game(), observed=False), NOTHING, r"table SIGHT"),
}


def with_clones() -> Program:
    whole = serial(lower(game(), observed=False))
    frame = range(whole.base + 1, whole.size)
    return cloned(whole, frozenset(), frame)[0]


def related(program: Program) -> Program:
    return masks(program, ranges=ranges_of(game()))


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_changes_the_program(name: str) -> None:
    change, here, there = PASSES[name]
    plain = lower(game())
    compare(printed(change(plain)), printed(plain), here, there)


ROUND, J, X, SEEN, FRONT, OTHERS = map(ir.Var, ("i", "j", "x", "seen", "front", "others"))
HERE = ir.Slot(ir.Binary("+", ROUND, ir.Const(2)))
LEFT_ALONE: dict[str, tuple[Pass, Body]] = {
    # What looks like a body that a pass changes, and why it must not.
    "scans: what is looked for changes": (
        scans,
        (
            ir.For(
                "i",
                ir.Const(0),
                ir.Const(20),
                (ir.If(ir.Binary("==", HERE, X), (ir.Assign("x", ROUND),)),),
            ),
            ir.Return(X),
        ),
    ),
    "bounded: where the loop ends is asked for": (
        bounded,
        (
            ir.For(
                "i",
                ir.Const(0),
                ir.Const(20),
                (ir.If(ir.Binary("<", ROUND, X), (ir.Assign("seen", ROUND),)),),
            ),
            ir.Return(ROUND),
        ),
    ),
    "hoisted: what is asked may fail": (
        hoisted,
        (
            ir.For(
                "j",
                ir.Const(0),
                X,
                (
                    ir.For(
                        "i",
                        ir.Const(0),
                        ir.Const(20),
                        (
                            ir.If(
                                ir.Both(
                                    ir.Binary("==", ROUND, J),
                                    ir.Binary("==", ir.Checked(HERE, 0, 5, "n"), ir.Const(1)),
                                ),
                                (ir.Return(ir.Const(1)),),
                            ),
                        ),
                    ),
                ),
            ),
            ir.Return(ir.Const(0)),
        ),
    ),
    "stopping: what is met changes": (
        stopping,
        (
            ir.While(
                FRONT,
                (
                    ir.Assign("seen", ir.Binary("|", SEEN, FRONT)),
                    ir.Assign("others", FRONT),
                    ir.Assign("front", ir.Const(0)),
                ),
            ),
            ir.If(ir.Binary("&", SEEN, OTHERS), (ir.Return(ir.Const(1)),)),
            ir.Return(ir.Const(0)),
        ),
    ),
}


ONE, TWO = (ir.EqualMask(2, 64, ir.Const(at)) for at in (1, 2))


@pytest.mark.parametrize("mask", (ONE, ir.Const(-1), ir.Select(ir.Var("x"), ONE, TWO)))
def test_the_last_bits_of_a_mask_are_moved_without_its_sign(mask: ir.Value) -> None:
    """A set of 64 members is kept in parts of 62: two of them are in the last."""
    bit = ir.Binary("<<", ir.Const(1), ir.Binary("-", ir.Var("i"), ir.Const(62)))
    put = ir.Assign("held", ir.Binary("|", ir.Var("held"), bit))
    *_, last = each_bit("i", mask, (put,))
    assert isinstance(last, ir.Assign)
    assert isinstance(last.value, ir.Binary)
    assert most(last.value.right) == 3


def test_a_loop_that_makes_no_row_is_not_picked_from() -> None:
    """Where a condition never holds nothing is left of what would be pushed."""
    loop = ir.For("i", ir.Const(0), ir.Const(9), (ir.If(ir.Var("i"), ()),))
    program = replace(lower(game()), listers=(ir.Lister("options", 1, 9, (loop,), "nothing"),))
    assert picked(program).listers == program.listers


@pytest.mark.parametrize("name", LEFT_ALONE)
def test_a_pass_leaves_alone_what_it_would_spoil(name: str) -> None:
    change, body = LEFT_ALONE[name]
    parameters = ("x", "seen", "front", "others")
    function = ir.Function("asked", parameters, body, "what is asked")
    program = replace(lower(game()), functions=(function,), listers=())
    assert change(program).functions[0].body == body


# ----------------------------------------------------------------------------------------- python

PYTHON: dict[str, tuple[str, str]] = {
    # What only the source with it says, and what only the source without it says.
    "floods": (r"^    while front\d+:", r"^    queue\d+ = \[\]"),
    "serial": (r"# the parts of a together, one after another", NOTHING),
    "tabled": (r"^[\w_]+__table = ", NOTHING),
    "gathered": (r"^    \w+__met = 0$", NOTHING),
    "unrolled": (r"found\.append\(\(0, 0, 0\)\)|found\.append\(\(0, 0\)\)", NOTHING),
    "masks": (r"^def put__\d+\(", NOTHING),
    "lockstep": (r"^def all0__hold__anew\(", NOTHING),
    "bounded": (r"^    for \w+ in range\(max\(1, ", NOTHING),
    "swept": (r"^        near\d+ = seen\d+$", NOTHING),
    "kept": (r"^def go_far_square__anew\(", NOTHING),
    "hoisted": (r"^    \w+__some = \[\]", NOTHING),
    "scans": (NOTHING, NOTHING),
    "forwarded": (r"^    now__\d+ = s\[", NOTHING),
}


def test_every_pass_of_python_has_its_trace() -> None:
    assert set(PYTHON) == set(python.PASSES)


@pytest.mark.parametrize("name", python.PASSES)
def test_a_pass_changes_the_python(name: str) -> None:
    here, there = PYTHON[name]
    # Others leave little for those that look at each slot.
    less = {"masks", "unrolled"} if name in ("hoisted", "scans") else set()
    texts = [
        source(*python.prepared(game(), whole=True, without=left)) for left in (less, {*less, name})
    ]
    compare(texts[0], texts[1], here, there)


@pytest.mark.parametrize("name", ["", *python.PASSES])
def test_the_games_of_python_are_those_of_the_reference(name: str) -> None:
    """Whether a pass is left out or not."""
    again = Stepping(Reference(game(), events=False))
    batch = PythonBatch(game(), again, without={name})
    assert batch.play(key_of(2), 0, 20) == again.play(key_of(2), 0, 20)


# ---------------------------------------------------------------------------------- machine code

needs_native = pytest.mark.skipif(find_spec("llvmlite") is None, reason="llvmlite is not installed")

MACHINE: dict[str, tuple[str, str]] = {
    # What only the text with it says, and what only the text without it says.
    "unobserved": (NOTHING, r"@SIGHT = "),
    "serial": (NOTHING, r'call i64 @"f\.part_\d+"'),
    "wide": (r"= shl i128 %v\d+, 9$", r"= alloca \[144 x i64\]$"),
    "inlined": (NOTHING, r'call i64 @"f\.f_is_late"'),
    "copies": (r"call i64 @llvm\.vector\.reduce\.add", NOTHING),
    "tabled": (r"^@\w+__table = ", NOTHING),
    "stopping": (r'@"f\.any_of_\d+"[^}]*ret i64 1\n[^}]*ret i64 1\n', NOTHING),
    "gathered": (NOTHING, r'call i64 @"f\.f_sees"'),
    "masks": (r"@\w+__is_25 = ", NOTHING),
    "ways": (r"and i64 %v\d+, 4294967295$", NOTHING),
    "related": (r"^@PAIRS__\d+ = ", NOTHING),
    "regions": (r'"f\.rebuild"\([^}]*load <', r"^@BEGIN = internal constant \[\d+ x i16\]"),
    "picked": (r'@"f\.options_\d__count"', NOTHING),
    "sampled": (r"__count\"", NOTHING),
    "unshadowed": (NOTHING, r"memmove\S*\(.*, i64 {shadow}, i1 false\)$"),
    "cloned": (r'call i64 @"f\.\w+__\d+"', NOTHING),
    "threaded": (r"^ask\d+:$", r'call i64 @"f\.take\.row"'),
    "held": (r"^paused:\n  %v\d+ = getelementptr", NOTHING),
    "pure": (r"memory\(read\)", NOTHING),
    "guards": (r"icmp ult i64 %\w+, {size}$", NOTHING),
}


QUICKLY = ("", "regions", "serial", "related", "picked", "cloned", "threaded", "held")
"""What is left out one after another in a quick run; each is machine code made anew."""


@cache
def text(without: str) -> str:
    """The text of the module that plays whole games, without one pass; it is not compiled."""
    return building.draft(game(), whole=True, without=frozenset([without])).text


def test_every_pass_has_its_trace() -> None:
    assert set(MACHINE) == set(building.PASSES)


@needs_native
@pytest.mark.parametrize("name", building.PASSES)
def test_a_pass_changes_the_machine_code(name: str) -> None:
    first, last = lower(game()).live
    slots = building.draft(game(), whole=True).program.size
    sizes = {"{size}": f"{slots}", "{shadow}": f"{8 * (last - first)}"}
    here, there = MACHINE[name]
    for mark, size in sizes.items():
        here, there = here.replace(mark, size), there.replace(mark, size)
    compare(text(""), text(name), here, there)


@pytest.mark.slow_in_ci
@needs_native
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in QUICKLY else [pytest.mark.slow])
        for name in ("", *building.PASSES)
    ],
)
def test_the_games_are_those_of_the_reference(name: str) -> None:
    """Whether a pass is left out or not; `count` has passes that `play` has not.

    Without `serial` parts run in frames: an address that is read from one may lead into a region
    of which masks are kept.
    """
    again = Stepping(Reference(game(), events=False))
    hold(again, NativeBatch(game(), again, without=frozenset([name])))


@needs_native
@pytest.mark.parametrize("slice_", [1, 3])
def test_games_go_on_where_they_paused(slice_: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a game holds in registers stands in memory meanwhile."""
    monkeypatch.setattr(batches, "SLICE", slice_)
    again = Stepping(Reference(game(), events=False))
    hold(again, NativeBatch(game(), again))


@needs_native
def test_long_rules_keep_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """LLVM takes too long over one function of them all; the games are the same."""
    threaded = text("")
    monkeypatch.setattr(building, "LONGEST", 0)
    compare(threaded, building.draft(game(), whole=True).text, *MACHINE["threaded"])
    again = Stepping(Reference(game(), events=False))
    hold(again, NativeBatch(game(), again, expected=Expected(20, 0)))


@pytest.mark.slow
@needs_native
@pytest.mark.parametrize("number", range(len(building.PASSES) if FIXED else 120))
def test_games_of_idioms_are_those_of_the_reference(number: int) -> None:
    """One pass takes away what another would find: so each is left out in its turn."""
    game = game_of(idioms(number))
    again = Stepping(Reference(game, events=False))
    plays = again.play(key_of(2), 0, 4)
    for name in ("", python.PASSES[number % len(python.PASSES)]):
        assert PythonBatch(game, again, without={name}).play(key_of(2), 0, 4) == plays
    if not any(each.end for each in plays):
        for name in ("", building.PASSES[number % len(building.PASSES)]):
            left = frozenset([name])
            hold(again, NativeBatch(game, again, left, expected=Expected(4, 0)), 4)


def hold(again: Stepping, batch: NativeBatch, number: int = 20) -> None:
    """Sums of games against the games of the reference."""
    plays = again.play(key_of(2), 0, number)
    games, won, decisions, inputs = batch.count(key_of(2), 0, number)
    assert games == len(plays)
    assert won == Counter(each.winners for each in plays)
    assert decisions == sum(each.decisions for each in plays)
    assert inputs == sum(each.inputs for each in plays)
