"""Playing small games by text, and looking at what came of it."""

from __future__ import annotations

from typing import Any

from tests.building import (
    Builder,
    cmp,
    maybe,
    num,
    quantifier,
    span,
)
from tests.executors import reference_of

from rulerun.runtime import actions
from rulerun.runtime.executor import CHANCE, Chance, Decision, Event, Executor
from rulerun.runtime.state import State
from rulerun_dsl import model
from rulerun_dsl.model.valuetypes import (
    Collection,
    Component,
    Int,
    Player,
)

PLAYERS = Collection(Player(), True)


def play(executor: Executor, *given: Any) -> State:
    """Give inputs one after another: actions by text, outcomes by text."""
    state = executor.initial().state
    for one in given:
        state = executor.apply(state, read(executor, state, one)).state
    return state


def read(executor: Executor, state: State, text: str) -> Any:
    """The input that a text means now."""
    waiting = executor.waiting(state)
    if waiting[0].player == CHANCE:
        return next(Chance(one.id) for one in executor.outcomes(state) if one.text == text)
    name, _, action = text.rpartition(": ")
    player = executor.game.players.index(name) if name else waiting[0].player
    found = actions.parse(executor.game, action)
    assert found is not None
    return Decision(player, found)


def legal(executor: Executor, state: State, player: int | None = None) -> list[str]:
    """The texts of what is legal for who is asked."""
    who = executor.waiting(state)[0].player if player is None else player
    return [actions.text(executor.game, action) for action in executor.legal(state, who)]


def texts(events: tuple[Event, ...]) -> list[str]:
    return [event.secret[0] for event in events]


def value(executor: Executor, state: State, name: str, at: int = 0) -> int:
    """A variable's slot."""
    return state.slots[dict(executor.game.layout.variables)[name] + at]


def zone(executor: Executor, state: State, name: str, at: int = 0) -> list[str]:
    """What lies in a zone, by row."""
    machine = reference_of(executor).machine
    family = machine.tables.families[name]
    kind = machine.tables.kinds[family.kind]
    found = machine.components.members(state.slots, family.base + at)
    return [machine.log.component(kind, one, whose=False) for one in found]


def rats() -> Builder:
    """Two players with a hand each; both lay a card in secret; a prince wins a round."""
    b = Builder()
    b.kind("card", ["spy", "prince"], each_player=True, zones=["hand", "line"])
    hands = [(0, 0, 1), (1, 1, 1), (0, 2, 1), (1, 3, 1)]
    b.zone("hand", "card", True, visible="owner", start=hands)
    b.zone("line", "card", True, order="stack")
    b.variable("won", Int(0, 2), 0, per_player=True)
    you = b.local("you", Player())
    play_ = b.action("play", b.domain("card"))
    b.label("round")
    b.unless(cmp(b.count("hand", num(0, Player())), ">", num(0)), "over")
    b.together(you, "body", "done")
    b.label("body")
    c = b.binder("c", b.members("hand", you), Component("card"))
    b.choose(you, b.option(play_, "laid", [c]))
    b.label("laid")
    b.move(c.local, b.at("line", you))
    b.do(model.Clear(span("}"), (c.local.offset,)))
    b.together_end("done")
    b.label("done")
    p = b.local("p", Player())
    everybody = model.Clockwise(PLAYERS, span("players"), num(0, Player()), False)
    b.pass_(b.loop("sequence", p, everybody), "each", "next")
    x = b.register(Component("card"))
    top = quantifier("first", x.index, b.members("line", p), value=x, type_=maybe(x.type))
    b.unless(cmp(b.row(top, "card"), "==", num(1)), "each")
    b.store(b.var("won", p), num(1), "+=")
    b.jump("each")
    b.label("next")
    b.jump("round")
    b.label("over")
    reg = b.register(Player(), "p")
    line = model.ScoreLine("rounds", b.var("won", reg))
    b.scoring = model.Scoring(reg.index, (line,), (), None, "tied", "highest", None, None)
    return b
