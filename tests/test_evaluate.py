"""What expressions mean, node by node."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from tests.building import (
    FALSE,
    TRUE,
    Builder,
    add,
    cmp,
    every,
    maybe,
    num,
    quantifier,
    reg,
    span,
    values,
)

from rulerun.analysis.reads import reads
from rulerun.reference.evaluate import Evaluator
from rulerun.reference.executor import Reference
from rulerun.runtime.components import Components
from rulerun.runtime.executor import RuleError
from rulerun.runtime.index import GameIndex
from rulerun_dsl import model
from rulerun_dsl.model.valuetypes import (
    INT_MAX,
    Bool,
    Collection,
    Component,
    Direction,
    Int,
    Order,
    Player,
    Row,
    SetOf,
    Site,
)

NONE = num(None, maybe(Int(0, 9)))
SITES = Collection(Site("square"), True)


def board() -> model.Board:
    """Two rows of three squares, joined to the right and down."""
    right = (1, 2, None, 4, 5, None)
    down = (3, 4, 5, None, None, None)
    return model.Board(
        name="square",
        shape="grid",
        sites=("a1", "b1", "c1", "a2", "b2", "c2"),
        rows=(1, 1, 1, 2, 2, 2),
        columns=(1, 2, 3, 1, 2, 3),
        directions=(("east", 0, 1), ("south", 1, 0)),
        go=(right, down),
        neighbours=((1, 3), (0, 2, 4), (1, 5), (0, 4), (1, 3, 5), (2, 4)),
    )


def world() -> Builder:
    b = Builder("yarg", "applewood", "nell")
    b.boards.append(board())
    b.kind("card", ["spy", "prince"], each_player=True, zones=["hand", "line"], copies=1)
    b.kind("coin", ["copper", "gold"], copies=3, counted=True, zones=["purse", "tower"])
    b.kind("die", ["red", "blue"], zones=["pool"], state=[("face", Int(1, 6), 2)])
    hands = [(owner, row * 3 + owner, 1) for row in range(2) for owner in range(3)]
    b.zone("hand", "card", per_player=True, start=hands)
    b.zone("line", "card", order="stack")
    b.zone("purse", "coin", per_player=True, start=[(0, 0, 2), (0, 1, 1), (1, 0, 1), (2, 1, 2)])
    b.zone("tower", "coin", order="queue")
    b.zone("pool", "die", start=[(0, 0, 1), (0, 1, 1)])
    b.variable("won", Int(0, 9), [3, 1, 4], per_player=True)
    b.variable("best", maybe(Player()), None)
    b.variable("seen", SetOf(Int(1, 5)), 0b10110)
    b.variable("order", Order(), [2, 0, 1])
    return b


class Asker:
    """Evaluates expressions in the first state of a builder's game."""

    def __init__(self, builder: Builder) -> None:
        self.game = builder.game()
        self.tables = GameIndex(self.game)
        self.components = Components(self.tables)
        self.evaluator = Evaluator(self.tables, self.components)
        self.state = Reference(self.game).initial().state
        self.slots = list(self.state.slots)

    def __call__(self, node: Any) -> Any:
        registers: list[Any] = [None] * (self.game.registers + 20)
        before = list(self.slots)
        value = self.evaluator.compile(node)(self.slots, self.game.layout.base, registers)
        assert self.slots == before, "asking writes nothing"
        return value


@pytest.fixture
def b():
    return world()


@pytest.fixture
def ask(b):
    return Asker(b)


def fails(ask: Asker, node: Any, code: str) -> RuleError:
    with pytest.raises(RuleError) as caught:
        ask(node)
    assert caught.value.code == code
    assert caught.value.span == node.span
    return caught.value


# ------------------------------------------------------------------------------- arithmetic


@pytest.mark.parametrize(
    ("left", "operator", "right", "result"),
    [
        (7, "+", 3, 10),
        (7, "-", 9, -2),
        (7, "*", -3, -21),
        (-7, "//", 2, -4),
        (-7, "%", 3, 2),
        (2, "**", 10, 1024),
        (1, "/", 3, Fraction(1, 3)),
    ],
)
def test_arithmetic(ask, left, operator, right, result):
    assert ask(add(num(left), num(right), operator)) == result


@pytest.mark.parametrize(
    ("left", "operator", "right", "code"),
    [
        (1, "//", 0, "division"),
        (1, "%", 0, "division"),
        (1, "/", 0, "division"),
        (INT_MAX, "+", 1, "overflow"),
        (-INT_MAX, "*", 2, "overflow"),
        (2, "**", 31, "overflow"),
        (2, "**", 10**9, "overflow"),
        (2, "**", -1, "power"),
    ],
)
def test_arithmetic_that_cannot_be(ask, left, operator, right, code):
    fails(ask, add(num(left), num(right), operator), code)


def test_none_is_no_number(ask):
    error = fails(ask, add(num(1), NONE), "none")
    assert error.message == "None is none"
    fails(ask, cmp(NONE, "<", num(1)), "none")


def test_comparison(ask):
    assert ask(cmp(num(1), "<=", num(1)))
    assert not ask(cmp(num(1), ">", num(1)))
    assert ask(cmp(NONE, "==", NONE))
    assert ask(cmp(NONE, "!=", num(0)))


def test_and_or_stop_early(ask):
    bad = cmp(add(num(1), num(0), "//"), "==", num(0))
    assert not ask(every(FALSE, bad))
    assert ask(model.Or(Bool(), span("or"), (TRUE, bad)))
    with pytest.raises(RuleError):
        ask(every(TRUE, bad))
    assert ask(model.Not(Bool(), span("not"), FALSE))


def test_conditional_otherwise_sure(ask):
    assert ask(model.Conditional(Int(0, 9), span("c"), FALSE, num(1), num(2))) == 2
    assert ask(model.Otherwise(Int(0, 9), span("o"), NONE, num(5))) == 5
    empty = values(num(1), num(0))
    some = values(num(1), num(2))
    assert list(ask(model.Otherwise(some.type, span("o"), empty, some))) == [1, 2]
    fails(ask, model.NotNone(Int(0, 9), span("the x"), NONE, "x"), "none")


# -------------------------------------------------------------------------------- the state


def test_variables(b, ask):
    assert ask(b.var("won", num(2, Player()))) == 4
    assert ask(b.var("best")) is None
    assert ask(b.var("order")) == (2, 0, 1)
    assert ask(model.Unpacked(Collection(Player(), True), span("order"), b.var("order"))) == [
        2,
        0,
        1,
    ]
    fails(ask, b.var("won", num(3, Player())), "index")
    fails(ask, b.var("won", NONE), "none")


def test_sets(b, ask):
    inside = model.Unpacked(Collection(Int(1, 5), False), span("seen"), b.var("seen"))
    assert ask(inside) == [2, 3, 5]
    assert ask(model.Contains(Bool(), span("in"), num(3), inside))
    assert not ask(model.Contains(Bool(), span("in"), num(4), inside))
    assert not ask(model.Contains(Bool(), span("in"), NONE, inside))


def test_lookup(ask):
    indexes = (num(2, Player()), num(1, Row("coin")))
    table = model.Lookup(Int(0, 9), span("t"), "t", (1, 2, 3, 4, None, 6), indexes, (0, 0), (2, 1))
    assert ask(table) == 6
    off = model.Lookup(Int(0, 9), span("t"), "t", (1, 2), (num(2),), (0,), (1,))
    fails(ask, off, "index")
    none = model.Lookup(Int(0, 9), span("t"), "t", (1, 2), (NONE,), (0,), (1,))
    assert ask(none) is None


def test_columns_of_a_component(b, ask):
    prince = num(4, Component("card"))
    assert ask(b.row(prince, "card")) == 1
    assert ask(model.OwnerOf(Player(), span("owner"), "card", prince)) == 1
    assert ask(model.SiteOf(Player(), span("where"), "card", "hand", prince)) == 1
    assert ask(b.row(num(None, maybe(Component("card"))), "card")) is None
    assert ask(model.State(Int(1, 6), span("face"), "die", "face", num(1, Component("die")))) == 2


def test_counted_components_are_class_and_zone(b, ask):
    found = ask(b.members("purse", num(0, Player())))
    zone = ask.tables.families["purse"].base
    assert found == [zone * 2, zone * 2, zone * 2 + 1]
    everywhere = ask(
        model.OfKind(Collection(Component("coin"), False), span("coin"), "coin", None, None)
    )
    assert [one % 2 for one in everywhere] == [0, 0, 0, 1, 1, 1]
    assert ask(b.members("purse", None)) == everywhere
    coppers = model.OfKind(
        Collection(Component("coin"), False), span("copper"), "coin", None, num(0, Row("coin"))
    )
    assert len(ask(coppers)) == 3


def test_members_come_in_canonical_order(b, ask):
    owners = [one % 3 for one in ask(b.members("hand", None))]
    assert owners == [0, 1, 2, 0, 1, 2]


# -------------------------------------------------------------------------------- functions


def test_arguments_do_not_disturb_one_another(b):
    x, y = b.register(), b.register()
    minus = b.function("minus", [x, y], add(x, y, "-"))

    def call(one: Any, other: Any) -> model.FunctionCall:
        return model.FunctionCall(Int(0, 9), span("minus"), minus, (one, other))

    ask = Asker(b)
    assert ask(call(num(9), call(num(5), num(3)))) == 7
    assert ask(call(call(num(9), num(1)), call(num(5), num(3)))) == 6


def test_slot_call(b):
    same = [b.function(name, [], num(value)) for name, value in (("a", 1), ("b", 2))]
    ask = Asker(b)
    call = model.SlotCall(Int(0, 9), span("x"), "card", num(4, Component("card")), tuple(same), ())
    assert ask(call) == 2


# ------------------------------------------------------------------------------ quantifiers


def test_quantifiers(ask):
    x = reg(10)
    few = values(num(1), num(4))
    big = cmp(x, ">", num(2))

    def q(word: str, condition: Any = None, value: Any = x, **more: Any) -> Any:
        return ask(quantifier(word, 10, few, condition, value, **more))

    assert q("count", big, None) == 2
    assert q("any", None, big) == 1
    assert q("all", None, big) == 0
    assert q("sum", big) == 7
    assert q("max") == 4
    assert q("min", big) == 3
    assert q("first", big) == 3
    assert q("last") == 4
    assert q("those", big) == [3, 4]
    odd = add(x, num(2), "%")
    assert q("highest", keys=[odd]) == 1
    assert q("lowest", keys=[odd, x]) == 2
    assert q("all_highest", keys=[odd]) == [1, 3]
    assert q("highest_few", keys=[odd, x], number=num(3)) == [3, 1, 4]
    assert q("lowest_few", keys=[x], number=num(9)) == [1, 2, 3, 4]


def test_quantifiers_of_nothing(ask):
    x = reg(10)
    nothing = values(num(1), num(0))

    def q(word: str, **more: Any) -> Any:
        return ask(quantifier(word, 10, nothing, None, x, **more))

    assert q("sum") == 0
    assert q("first") is None
    assert q("highest", keys=[x]) is None
    assert q("all_lowest", keys=[x]) == []
    fails(ask, quantifier("max", 10, nothing, None, x), "nothing")


def test_first_skips_none(b, ask):
    x = reg(10, Player())
    value = model.Conditional(
        maybe(Int(0, 9)), span("v"), cmp(x, "==", num(0)), NONE, b.var("won", x)
    )
    players = values(num(0, Player()), num(2, Player()), Player())
    assert ask(quantifier("first", 10, players, None, value)) == 1


def test_nested_clauses(ask):
    one, other = reg(10), reg(11)
    clauses = (
        model.Clause(10, values(num(1), num(3)), None),
        model.Clause(11, values(num(1), one), cmp(other, "!=", num(2))),
    )
    node = model.Quantifier(Int(0, 9), span("q"), "sum", clauses, other, (), None)
    assert ask(node) == 1 + 1 + (1 + 3)


def test_collections(ask):
    players = Collection(Player(), True)
    start = num(1, Player())
    assert ask(model.Clockwise(players, span("c"), start, False)) == [1, 2, 0]
    assert ask(model.Clockwise(players, span("c"), start, True)) == [2, 0]
    listed = model.Listed(players, span("l"), (num(2), NONE, num(1)))
    assert ask(listed) == [2, 1]
    assert ask(model.Joined(players, span("j"), listed, listed)) == [2, 1, 2, 1]


# ----------------------------------------------------------------------------------- boards


def site(name: str) -> model.Literal:
    return num(board().sites.index(name), Site("square"))


def built(word: str, *arguments: Any, passing: Any = None) -> model.BuiltinCall:
    clause = None
    if passing is not None:
        clause = model.Clause(10, values(num(0), num(5), Site("square")), passing)
    return model.BuiltinCall(Site("square"), span(word), word, "square", arguments, clause)


def test_boards(ask):
    east = num(0, Direction("square"))
    assert ask(built("go", site("a1"), east)) == 1
    assert ask(built("go", site("a1"), east, num(2))) == 2
    assert ask(built("go", site("a1"), east, num(3))) is None
    assert ask(built("site", num(2), num(3))) == 5
    assert ask(built("site", num(3), num(3))) is None
    assert list(ask(built("neighbours", site("b1")))) == [0, 2, 4]
    assert ask(built("distance", site("a1"), site("c2"))) == 3
    ring = values(num(0), num(5), Site("square"))
    assert ask(built("around", ring, site("c2"))) == [5, 0, 1, 2, 3, 4]
    assert ask(built("reverse", ring)) == [5, 4, 3, 2, 1, 0]


def test_places_in_an_order_and_packed_sets(b, ask):
    players = Collection(Player(), True)
    order = model.Unpacked(players, span("order"), b.var("order"))
    assert ask(model.BuiltinCall(Player(), span("order[2]"), "at", "", (order, num(2)))) == 0
    fails(ask, model.BuiltinCall(Player(), span("order[4]"), "at", "", (order, num(4))), "index")
    packed = model.BuiltinCall(SetOf(Int(1, 5)), span("s"), "packed", "", (values(num(2), num(4)),))
    assert ask(packed) == 0b1110


def test_lines_and_paths(ask):
    x = reg(10, Site("square"))
    top = cmp(x, "<", num(3))
    assert ask(built("line", num(3), passing=top))
    assert not ask(built("line", num(3), passing=every(cmp(x, "!=", num(1)), cmp(x, "!=", num(4)))))
    left = model.Listed(SITES, span("left"), (site("a1"), site("a2")))
    right = model.Listed(SITES, span("right"), (site("c1"), site("c2")))
    assert ask(built("path", left, right, passing=cmp(x, "!=", num(1))))
    assert not ask(
        built("path", left, right, passing=every(cmp(x, "!=", num(1)), cmp(x, "!=", num(4))))
    )
    reached = built("reach", left, passing=every(cmp(x, "!=", num(1)), cmp(x, "!=", num(4))))
    assert ask(reached) == [0, 3]


def test_a_relation_of_ones_own(b):
    node = b.register(Site("square"))
    skip = model.Lookup(
        maybe(Site("square")), span("up"), "up", (2, None, 4, None, 5, None), (node,), (0,), (1,)
    )
    up = b.function("up", [node], skip)
    ask = Asker(b)
    far = model.BuiltinCall(
        maybe(Int(0, 9)), span("d"), "distance", "square", (site("a1"), site("c2")), None, up
    )
    assert ask(far) == 3


# ------------------------------------------------------------------------------------ reads


def test_reads_goes_through_functions(b):
    p = b.register(Player())
    won = b.function("score", [p], b.var("won", p))
    game = b.game()
    call = model.FunctionCall(Int(0, 9), span("score"), won, (reg(9, Player()),))
    found = reads(game, every(cmp(call, ">", num(1)), cmp(b.count("hand", p), ">", num(0))))
    assert found.variables == {"won"}
    assert found.counts == {"hand"}
    assert found.zones == frozenset()
    assert found.registers == {9, p.index}
