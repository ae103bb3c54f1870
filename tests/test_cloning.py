"""Blocks cloned for what slots hold: which are, and which stay as they are.

The program here counts down in a frame of three slots: 9 is where it rests, 10 how many rounds are
left, 11 whose turn it is, 12 where a procedure was called from. Slot 2 is no local number.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.rulesets import game_named

from rulerun.compiled import ir
from rulerun.compiled.ir import cloning
from rulerun.compiled.ir.cloning import cloned
from rulerun.compiled.ir.known import contents_of_rows
from rulerun.compiled.ir.liveness import Liveness
from rulerun.compiled.ir.passes import every_part
from rulerun.compiled.ir.printing import printed
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.statement import Body
from rulerun.compiled.lower.builder import binary, const, plus
from rulerun.compiled.lower.lower import lower
from rulerun.compiled.native.building import draft
from rulerun.compiled.native.held_slots import held_by

ROUNDS, TURN, BACK = 10, 11, 12
FRAME = (ROUNDS, TURN, BACK)


def slot(at: int) -> ir.Slot:
    return ir.Slot(const(at))


def store(at: int, value: ir.Value | int) -> ir.StoreSlot:
    return ir.StoreSlot(const(at), const(value) if isinstance(value, int) else value)


def go(to: int) -> ir.Jump:
    return ir.Jump(const(to))


ASKED = ir.Function("asked", (), (ir.Return(slot(TURN)),), "whose turn it is")
NEXT: Body = (go(1),)
OVER = ir.Signal("over", 0)


def program(*bodies: Body, settle: Body = NEXT, rests: int = 0) -> Program:
    """Blocks, of which one rests; the others of the game that it is made of are left out."""
    whole = lower(game_named("nim"), observed=False)
    question = ir.Question(rests, "options", ("c0",), False, slot(TURN), settle)
    lister = ir.Lister("options", 1, 2, (ir.Push("found", (ir.Call("asked", ()),)),), "options")
    return replace(
        whole,
        size=13,
        base=9,
        frame=4,
        begin=(0,) * 13,
        functions=(ASKED,),
        listers=(lister,),
        blocks=tuple(ir.Block(at, body, "") for at, body in enumerate(bodies)),
        questions=(question,),
        restart=(),
        canonical=(),
        judge=replace(whole.judge, body=()),
    )


def made(before: Program) -> Program:
    return cloned(before, frozenset(), FRAME)[0]


TURNS = program(
    (ir.Rest(0, "rows"),),
    (store(TURN, binary("%", plus(slot(TURN), 1), ir.Const(2))), go(0)),
)


def test_each_turn_has_a_clone() -> None:
    after = made(TURNS)
    assert [each.player for each in after.questions] == [const(0), const(1)]
    assert [dict(each.known)[TURN] for each in after.questions] == [0, 1]
    # What a function reads is known as well.
    assert [each.name for each in after.functions] == ["asked__2", "asked__4"]
    assert [each.body for each in after.functions] == [
        (ir.Return(const(0)),),
        (ir.Return(const(1)),),
    ]
    assert {each.lister for each in after.questions} == {each.name for each in after.listers}


def test_what_nobody_asks_for_again_makes_no_clones() -> None:
    """A slot that is written before it is read may hold anything at a rest."""
    idle = program(
        (ir.Rest(0, "rows"),),
        (store(ROUNDS, slot(2)), ir.If(slot(ROUNDS), (store(ROUNDS, 5), go(0))), go(0)),
    )
    assert ROUNDS not in Liveness(idle, FRAME).rests[0]
    assert len(made(idle).blocks) == 2


def test_a_loop_is_written_out_and_a_procedure_goes_back() -> None:
    after = made(
        program(
            (
                ir.For("i", const(0), const(2), (store(BACK, 2), store(TURN, ir.Var("i")), go(1))),
                ir.Fail(),
            ),
            (ir.Assign("back", slot(BACK)), ir.Jump(ir.Var("back"))),
            (ir.Rest(2, "rows"),),
            settle=(go(0),),
            rests=2,
        )
    )
    jumps = [node for each in after.blocks for node in every_part(each.body)]
    assert all(isinstance(node.to, ir.Const) for node in jumps if isinstance(node, ir.Jump))
    assert not any(isinstance(node, ir.For) for node in jumps)


@pytest.mark.parametrize("change", [{"frames": 2}, {"supposed": (0,)}])
def test_where_slots_stand_elsewhere_blocks_stay(change: dict[str, object]) -> None:
    """With several frames, or code that is only supposed to run."""
    before = replace(TURNS, **change)  # type: ignore[arg-type]
    assert made(before) == before


def test_a_loop_of_many_rounds_stays() -> None:
    loop = ir.For("i", const(0), const(9), (store(TURN, ir.Var("i")), ir.If(slot(2), (go(1),))))
    after = made(program((loop, go(1)), (ir.Rest(1, "rows"),), rests=1))
    assert any(isinstance(node, ir.For) for each in after.blocks for node in each.body)
    assert [each.player for each in after.questions] == [slot(TURN)]


def test_a_slot_that_takes_too_many_clones_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn has two values, what counts up a hundred."""
    counts = program(
        (ir.Rest(0, "rows"),),
        (
            store(TURN, binary("%", plus(slot(TURN), 1), ir.Const(2))),
            store(ROUNDS, binary("%", plus(slot(ROUNDS), 1), ir.Const(100))),
            ir.If(slot(ROUNDS), (go(0),)),
            store(2, plus(slot(2), 1)),
            go(0),
        ),
    )
    after = made(counts)
    assert [dict(each.known)[TURN] for each in after.questions] == [0, 1]
    assert all(ROUNDS not in dict(each.known) for each in after.questions)
    monkeypatch.setattr(cloning, "_SLACK", 0)
    monkeypatch.setattr(cloning, "_GROWTH", 0)
    assert made(counts) == counts


def test_a_jump_to_what_is_not_known_looks_where() -> None:
    """The number that was kept is compared with those it may be."""
    after = made(
        program(
            (store(BACK, 1), ir.If(slot(2), (store(BACK, 2),)), go(3)),
            (ir.Rest(1, "rows"),),
            (OVER,),
            (ir.Assign("back", slot(BACK)), ir.Jump(ir.Var("back"))),
            settle=(go(0),),
            rests=1,
        )
    )
    asked = [line.strip() for line in printed(after).splitlines() if "if back" in line]
    assert asked == ["if back == 1:", "if back == 2:"]


@pytest.mark.parametrize("name", ["brave_rats", "connect_four"])
def test_games_have_a_question_for_each_player(name: str) -> None:
    without = draft(game_named(name), whole=True, without=frozenset(["cloned"])).program
    with_ = draft(game_named(name), whole=True).program
    assert {const(0), const(1)} <= {each.player for each in with_.questions if not each.chance}
    assert len(without.questions) < len(with_.questions)


# ------------------------------------------------------------- what lies where, and what is moved

ZONE, OTHER = 3, 6
"""Where two families begin, of three slots each: in which zone a card lies, and something else."""
CARD = 10
C, TO, MINE = ir.Var("c"), ir.Var("to"), ir.EqualMask(ZONE, 3, ir.Const(1))


def rows(*body: ir.Statement, number: ir.Value = C) -> ir.Lister:
    return ir.Lister("options", 1, 2, (*body, ir.Push("found", (number,))), "cards")


LIES: dict[str, tuple[ir.Lister, set[tuple[int, int]]]] = {
    "one of a zone": (rows(ir.Assign("c", ir.NthBit(MINE, const(0)))), {(ZONE, 1)}),
    "one after another": (
        ir.Lister("o", 1, 2, (ir.EachBit("c", MINE, (ir.Push("found", (C,)),)),), "cards"),
        {(ZONE, 1)},
    ),
    "by a name, and some of them": (
        rows(
            ir.Assign("m", MINE),
            ir.Assign("c", ir.LowestBit(binary("&", ir.Var("m"), ir.Const(5)))),
        ),
        {(ZONE, 1)},
    ),
    "one of two zones": (
        rows(
            ir.Assign("c", ir.LowestBit(binary("|", MINE, ir.EqualMask(ZONE, 3, ir.Const(2))))),
        ),
        set(),
    ),
    "in a zone that is not known": (
        rows(ir.Assign("c", ir.LowestBit(ir.EqualMask(ZONE, 3, slot(TURN))))),
        set(),
    ),
    "a name with two values": (
        rows(ir.Assign("c", ir.LowestBit(MINE)), ir.Assign("c", ir.Const(2))),
        set(),
    ),
    "a name that stands for itself": (rows(ir.Assign("c", C)), set()),
    "any number": (rows(ir.For("c", const(0), const(3), ())), set()),
    "beside another row": (
        rows(ir.Assign("c", ir.LowestBit(MINE)), ir.Push("found", (ir.Const(2),))),
        set(),
    ),
}


@pytest.mark.parametrize("name", LIES)
def test_what_is_listed_lies_where_it_was_found(name: str) -> None:
    lister, expected = LIES[name]
    assert contents_of_rows(lister) == [expected]


MOVE = ir.Function(
    "move",
    ("c", "to"),
    (
        ir.Assign("from", ir.Slot(plus(C, ZONE))),
        ir.StoreSlot(plus(C, ZONE), TO),
        ir.StoreSlot(plus(C, OTHER), ir.Slot(plus(C, ZONE))),
        ir.Return(ir.Var("from")),
    ),
    "a card goes to a zone",
)


def moving(*body: ir.Statement) -> list[Body]:
    """What is done with a card that was chosen from zone 1: the bodies of the moves."""
    before = program(
        (ir.Rest(0, "rows"),),
        (*body, go(0)),
        settle=(store(CARD, ir.Var("c0")), go(1)),
    )
    lister = rows(ir.Assign("c", ir.LowestBit(MINE)))
    after = made(replace(before, functions=(MOVE,), listers=(lister,)))
    return [each.body for each in after.functions]


def test_a_card_leaves_the_zone_that_it_was_chosen_from() -> None:
    """Once something has changed it is not known any more."""
    (body,) = moving(ir.Eval(ir.Call("move", (slot(CARD), ir.Const(2)))))
    assert body[:2] == (
        ir.Assign("from", ir.Const(1)),
        ir.StoreSlot(plus(C, ZONE), ir.Const(2)),
    )
    assert body[2] == ir.StoreSlot(plus(C, OTHER), ir.Slot(plus(C, ZONE)))


CHANGES: dict[str, ir.Statement] = {
    "another move": ir.Eval(ir.Call("move", (ir.Const(0), slot(2)))),
    "a slot that may be anywhere": ir.StoreSlot(plus(slot(2), ZONE), ir.Const(0)),
    "one more there": ir.Add(plus(slot(2), ZONE), ir.Const(1)),
    "another card": store(CARD, slot(2)),
    "a loop in which it moves": ir.For(
        "i", const(0), slot(2), (ir.StoreSlot(plus(ir.Var("i"), ZONE), ir.Const(0)),)
    ),
    "one of two ways": ir.If(slot(2), (ir.StoreSlot(plus(slot(2), ZONE), ir.Const(0)),)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_where_it_lies_is_forgotten(name: str) -> None:
    bodies = moving(CHANGES[name], ir.Eval(ir.Call("move", (slot(CARD), ir.Const(2)))))
    assert ir.Assign("from", ir.Const(1)) not in [
        statement for body in bodies for statement in body
    ]


def test_what_holds_the_same_card_knows_as_much() -> None:
    (body,) = moving(store(TURN, slot(CARD)), ir.Eval(ir.Call("move", (slot(TURN), ir.Const(2)))))
    assert body[0] == ir.Assign("from", ir.Const(1))


def test_a_game_begins_with_what_it_asks_for_alone() -> None:
    """What is known at every rest is not looked at; without clones nothing is known."""
    game = game_named("brave_rats")
    held = {
        without: held_by(draft(game, whole=True, without=frozenset([without])).program, ())
        for without in ("", "cloned")
    }
    assert held[""].known and not held["cloned"].known
    assert held[""].end is not None and held["cloned"].end is not None
    assert held[""].end < held["cloned"].end
