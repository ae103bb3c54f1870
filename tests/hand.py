"""A small game made by hand, with something of everything that must be hidden.

Two players, six cards. Each is dealt two of four cards from a pile; two more lie in a face-down
well whose order stands. Both lay a card in secret. Then P1 may keep (a point), peek (the top card
of the well is turned up), or guess (a point if P2 holds `a`: a rule that reads what P1 can't see).
Then P2 rolls a secret number or passes, and the game is over; most points win.

Made of the model alone, so that these tests need neither the language nor a rules file.
"""

from __future__ import annotations

import dataclasses

from rulerun_dsl import model as m
from rulerun_dsl.model.valuetypes import Bool, Collection, Component, Int, Player, Row
from rulerun_dsl.source.spans import Source

SPAN = Source("hand.yaml", "by hand").span(0, 7)
CARD = Component("card")
ROWS = ("a", "b", "c", "d", "e", "f")
PLAYERS = ("P1", "P2")


def literal(value, type_=None):
    return m.Literal(type_ or Int(value, value), SPAN, value)


TRUE = m.Literal(Bool(), SPAN, 1)
FALSE = m.Literal(Bool(), SPAN, 0)
OWNER = m.Comparison(
    Bool(),
    SPAN,
    "==",
    m.Register(Player(), SPAN, m.VIEWER),
    m.Register(Player(), SPAN, m.OWNER),
)
LEFT = 1
YOU = m.Local(Player(), SPAN, 2, "you")
CHOSEN = m.Local(CARD, SPAN, 3, "c")
C = m.Register(CARD, SPAN, 2)


def zone_at(name, *indexes):
    return m.ZoneAt(name, indexes, SPAN)


def members(name, *indexes):
    return m.Members(Collection(CARD, False), SPAN, name, indexes)


def deal(player):
    return m.MoveSome(
        SPAN,
        literal(2),
        False,
        (zone_at("pile"),),
        zone_at("hand", literal(player, Player())),
        LEFT,
        None,
    )


def point():
    score = m.Variable(Int(0, 9), SPAN, "score", (literal(0, Player()),))
    return m.Store(SPAN, score, "+=", literal(1))


def option(action, to, *binders):
    return m.Option(action, binders, (), to, span=SPAN)


def family(name, base, players, order, visible, count_visible=TRUE, start=()):
    return m.ZoneFamily(
        name=name,
        kind="card",
        indexes=(Player(),) if players else (),
        lows=(0,) if players else (),
        sizes=(2,) if players else (),
        base=base,
        order=order,
        one=False,
        holds=6,
        visible=visible,
        count_visible=count_visible,
        refill=None,
        start=start,
        span=SPAN,
    )


HOLDS_A = m.Quantifier(
    Bool(),
    SPAN,
    "any",
    (m.Clause(3, members("hand", literal(1, Player())), None),),
    m.Comparison(
        Bool(),
        SPAN,
        "==",
        m.RowOf(Row("card"), SPAN, "card", m.Register(CARD, SPAN, 3)),
        literal(0, Row("card")),
    ),
    (),
    None,
)
TOP = m.Quantifier(
    CARD, SPAN, "first", (m.Clause(3, members("well"), None),), m.Register(CARD, SPAN, 3), (), None
)

CODE = (
    m.Enter(SPAN, 0),
    deal(0),
    deal(1),
    m.Enter(SPAN, 1),
    m.TogetherStart(
        SPAN,
        m.Values(Collection(Player(), True), SPAN, literal(0, Player()), literal(1, Player())),
        YOU,
        5,
        9,
    ),
    m.Choose(
        SPAN,
        YOU,
        (option(0, 6, m.OptionBinder("c", 2, CHOSEN, members("hand", YOU))),),
        (),
        ("Which card do you lay?",),
        None,
        False,
        None,
    ),
    m.MoveOne(SPAN, CHOSEN, zone_at("table", YOU), None),
    m.Clear(SPAN, (3,)),
    m.TogetherEnd(SPAN, 9),
    m.Choose(
        SPAN,
        literal(0, Player()),
        (option(1, 10), option(2, 12), option(3, 14)),
        (),
        ("You hold ", m.Quantifier(
            Int(0, 6), SPAN, "count", (m.Clause(3, members("hand", literal(0, Player())), None),),
            None, (), None,
        ), " and a secret ", m.Variable(Int(0, 3), SPAN, "secret", (literal(0, Player()),)), "."),
        None,
        False,
        None,
    ),
    point(),
    m.Jump(SPAN, 16),
    m.MoveOne(SPAN, TOP, zone_at("table", literal(0, Player())), None),
    m.Jump(SPAN, 16),
    m.Unless(SPAN, HOLDS_A, 16),
    point(),
    m.Choose(
        SPAN,
        literal(1, Player()),
        (option(4, 17), option(5, 18)),
        (),
        (),
        TRUE,
        False,
        None,
    ),
    m.Roll(
        SPAN,
        m.Variable(Int(0, 3), SPAN, "secret", (literal(1, Player()),)),
        4,
        None,
        None,
    ),
    m.Return(SPAN, 0),
)  # fmt: skip

ACTIONS = (
    m.ActionType("lay", (m.Domain(CARD, 0, 6, ROWS),), 0, 6),
    m.ActionType("keep", (), 6, 1),
    m.ActionType("peek", (), 7, 1),
    m.ActionType("guess", (), 8, 1),
    m.ActionType("roll", (), 9, 1),
    m.ActionType("pass", (), 10, 1),
)


def layout():
    variables = 2
    places = variables + 4
    live = (variables, places + 12)
    shadow = live[1]
    queue = shadow + live[1] - live[0]
    return m.Layout(
        variables=(("score", variables), ("secret", variables + 2)),
        places=(("card", places),),
        counts=(-1,) * 6,
        positions=(("card", places + 6),),
        attributes=(),
        knowledge=places + 12,
        live=live,
        shadow=shadow,
        queue=queue,
        frames=3,
        frame=4,
        base=queue,
        size=queue + 12,
    )


def variable(name, high, visible):
    return m.StateVariable(
        name=name,
        type=Int(0, high),
        indexes=(Player(),),
        lows=(0,),
        sizes=(2,),
        start=(0, 0),
        visible=visible,
        clamp=False,
        during=None,
        span=SPAN,
    )


def hand_game(code=CODE, decisions=100, fingerprint="by hand"):
    phases = (
        m.Phase("dealing", ("dealing",), 0, (), SPAN),
        m.Phase("laying", ("laying",), 3, (), SPAN),
    )
    register = 5
    return m.Game(
        name="by_hand",
        title="By hand",
        language=1,
        fingerprint=fingerprint,
        players=PLAYERS,
        options=(m.OptionValue("stakes", Int(1, 3), 1, "1", "1", ""),),
        enumerations=(),
        kinds=(
            m.Kind(
                name="card",
                rows=ROWS,
                owner=None,
                owners=1,
                copies=(1,) * 6,
                counted=False,
                attributes=(),
                zones=("hand", "table", "pile", "well"),
                columns=(),
            ),
        ),
        boards=(),
        zones=(
            family("hand", 0, True, "", OWNER),
            family("table", 2, True, "", TRUE),
            family("pile", 4, False, "random", FALSE, start=tuple((4, row, 1) for row in range(4))),
            family("well", 5, False, "stack", FALSE, FALSE, start=((5, 4, 1), (5, 5, 1))),
        ),
        variables=(variable("score", 9, TRUE), variable("secret", 3, OWNER)),
        functions=(),
        procedures=(m.Procedure("the game", 0, (), (1, 2, 3), 0, None, SPAN),),
        phases=phases,
        code=code,
        registers=6,
        actions=ACTIONS,
        scoring=m.Scoring(
            register=register,
            lines=(
                m.ScoreLine(
                    "points",
                    m.Variable(Int(0, 9), SPAN, "score", (m.Register(Player(), SPAN, register),)),
                ),
            ),
            ties=(),
            out=None,
            equal="tied",
            best="highest",
            winner=None,
            returns=None,
        ),
        always=(),
        decisions=decisions,
        steps=1000,
        layout=layout(),
    )


def three_players():
    """The same for three, who only lay cards: each is dealt two of six."""
    three = m.Values(Collection(Player(), True), SPAN, literal(0, Player()), literal(2, Player()))
    code = (
        m.Enter(SPAN, 0),
        deal(0),
        deal(1),
        deal(2),
        dataclasses.replace(CODE[4], players=three),
        *CODE[5:9],
        dataclasses.replace(CODE[16], options=(option(4, 10), option(5, 10))),
        m.Return(SPAN, 0),
    )
    game = hand_game(code)
    rows = tuple((6, row, 1) for row in range(6))
    base = 2 + 6
    live = (2, base + 12)
    queue = live[1] + 18
    return dataclasses.replace(
        game,
        players=("P1", "P2", "P3"),
        zones=(
            dataclasses.replace(game.zones[0], sizes=(3,)),
            dataclasses.replace(game.zones[1], sizes=(3,), base=3),
            dataclasses.replace(game.zones[2], base=6, start=rows),
            dataclasses.replace(game.zones[3], base=7, start=()),
        ),
        variables=tuple(
            dataclasses.replace(each, sizes=(3,), start=(0, 0, 0)) for each in game.variables
        ),
        layout=dataclasses.replace(
            game.layout,
            variables=(("score", 2), ("secret", 5)),
            places=(("card", base),),
            counts=(-1,) * 8,
            positions=(("card", base + 6),),
            knowledge=base + 12,
            live=live,
            shadow=live[1],
            queue=queue,
            frames=4,
            base=queue,
            size=queue + 16,
        ),
        phases=game.phases[:1],
    )
