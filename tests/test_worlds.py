"""Worlds that a viewer's history allows: proved, from any truth the same, as frequent as likely."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import islice
from typing import Any

import pytest
from tests.enumerating import posterior
from tests.playing import game_of
from tests.rulesets import SHIPPED, read

from rulerun.posterior import chain as chains
from rulerun.posterior.chain import Chain
from rulerun.posterior.proof import Hearing
from rulerun.posterior.rerun import Trace
from rulerun.posterior.worlds import Sampler, pool, sampler_of, worlds
from rulerun.reference.executor import Reference
from rulerun.runtime.executor import CHANCE, Decision, Input
from rulerun.runtime.play import TOGETHER
from rulerun.runtime.rng import stream
from rulerun.runtime.state import State
from rulerun.search.thinking import TreeAgent
from rulerun.session.agents import RandomAgent
from rulerun.session.session import Session
from rulerun.simulation.run.driver import simulate
from rulerun.views.observe import observe
from rulerun_dsl.model import Game

EFFORT = 250
"""Replays that are enough for two worlds of these games; the long ones get `MORE`."""
MORE = 20_000
GAMES = [
    *(("kuhn_poker", 1), ("leduc_poker", 3), ("love_letter", 3)),
    *(("brave_rats", 6), ("goofspiel", 3)),
]
"""With how many decisions have been taken."""
LONG = [
    *(("coup", 6), ("hearts", 4), ("go_fish", 3), ("sushi_go", 2), ("chasse_en_folie", 4)),
    *(("love_letter", 6), ("go_fish", 20), ("hearts", 18), ("hearts", 33)),
    *(("ruse", 6), ("sushi_go", 9), ("antler_island", 12)),
    *(("antler_island", 30), ("dominion", 8), ("gin_rummy", 6), ("cribbage", 5), ("hanabi", 4)),
]


def game(name: str, **settings: Any) -> Game:
    (path,) = [each for each in SHIPPED if each.stem == name]
    made, found = read(path).game(**settings)
    assert made is not None, found
    return made


def played(made: Game, decisions: int, seed: int) -> Session:
    """A random play in which somebody decides next, behind so many decisions."""
    agents = dict.fromkeys(range(len(made.players)), RandomAgent())
    session = Session(Reference(made), agents, seed, automatic=False)
    while session.decisions < decisions or session.waiting[0].player == CHANCE:
        assert session.step() and not session.over
    return session


def again(made: Game, inputs: list[Input]) -> Session:
    """A session of these inputs."""
    session = Session(Reference(made), {}, 1, automatic=False)
    for given in inputs:
        session.give(given)
    return session


def sampler(session: Session, viewer: int, seed: int = 1) -> Sampler:
    return sampler_of(session, viewer, stream(seed, "worlds"))


def traces(session: Session, viewer: int, many: int, effort: int) -> list[Trace]:
    """Plays that the viewer cannot tell from theirs, by what they hear as well."""
    found = sampler(session, viewer)
    past = [point.given for point in session.history]
    found.chain.hearing = Hearing(session.game, viewer, past)
    return list(islice(found.traces(many, effort), many))


# ------------------------------------------------------------------------------------------- laws


def cases(long: bool = True):
    slow = [
        pytest.param(*each, marks=pytest.mark.slow, id="-".join(map(str, each))) for each in LONG
    ]
    quick = [pytest.param(*each, id="-".join(map(str, each))) for each in GAMES]
    return quick + (slow if long else [])


@pytest.mark.parametrize(("name", "decisions"), cases())
def test_a_world_leaves_the_viewer_with_what_they_know(name, decisions):
    """Law 1; and law 2: from there, the same seed gives the same worlds."""
    made = game(name)
    session = played(made, decisions, 2)
    viewer = session.waiting[0].player
    known = session.information(viewer).digest
    effort = EFFORT if (name, decisions) in GAMES else MORE
    found = traces(session, viewer, 2, effort)
    assert len(found) == 2
    others = [again(made, trace.inputs) for trace in found]
    for other in others:
        assert other.information(viewer).digest == known
        assert other.executor.legal(other.state, viewer) == session.executor.legal(
            session.state, viewer
        )
    ours, theirs = (
        worlds(each, viewer, 2, seed=5, effort=effort) for each in (session, others[-1])
    )
    assert [each.proved for each in ours] == [True] * 2 and min(each.weight for each in ours) > 0
    assert ours == theirs


VOIDS = 1
"""A seed of a play of Hearts in which somebody has not followed suit."""


def test_who_did_not_follow_suit_has_none_of_it():
    made = game("hearts")
    session = played(made, 12, VOIDS)
    viewer = session.waiting[0].player
    void = dict(lacking(session, viewer))
    assert void
    found = worlds(session, viewer, 5, seed=12, effort=EFFORT)
    assert all(each.proved for each in found)
    assert not any(has(made, each.state, void) for each in found)
    dealt = worlds(session, viewer, 5, seed=12, effort=0)
    assert not any(each.proved or each.weight for each in dealt)
    assert any(has(made, each.state, void) for each in dealt)


def lacking(session: Session, viewer: int):
    """Others who have not followed suit, each with the cards of that suit."""
    reference = Reference(session.game)
    state = session.initial
    for point in session.history:
        if isinstance(point.given, Decision):
            seen = observe(reference, state, viewer)
            led = next((each.value for each in seen.variables if each.name == "led"), None)
            suit = point.text.rpartition("_")[2]
            if led not in (None, suit) and point.given.player != viewer:
                yield point.given.player, {f"{rank}_{led}" for rank in range(2, 15)}
        state = point.step.state


def has(made: Game, state: State, void: dict[int, set[str]]) -> bool:
    """Whether somebody holds a card of a suit that they cannot have."""
    for player, suit in void.items():
        zone = observe(Reference(made), state, player).zone(f"hand[{made.players[player]}]")
        assert zone is not None and zone.components is not None
        if suit & {each.text for each in zone.components}:
            return True
    return False


def test_inside_a_together_what_others_have_chosen_makes_no_difference():
    made = game("brave_rats")
    for decisions in range(1, 12):
        session = played(made, decisions, 4)
        if session.state.slots[TOGETHER] and session.history[-1].frame:
            break
    player, last = session.waiting[0].player, session.history[-1].given
    assert isinstance(last, Decision) and last.player != player
    before = [point.given for point in session.history[:-1]]
    found = set()
    for action in again(made, before).executor.legal(again(made, before).state, last.player)[:3]:
        other = again(made, [*before, Decision(last.player, action)])
        found.add(worlds(other, player, 3, seed=2))
    assert len(found) == 1
    # There nobody else has chosen anything yet: a search lets them choose.
    (same,) = found
    assert all(
        last.player in [each.player for each in session.executor.waiting(world.state)]
        for world in same
    )


DRAWS = """
rulerun: 1
game: draws
players: 2
components:
  card: {has: {rank: 1..5}, rows: every rank, start: deck}
  coin: {rows: {copper: {}, silver: {}}, start: purse}
zones:
  deck: {of: card, order: random, visible: none}
  purse: {of: coin, order: random, visible: none}
  drawn: {of: card, visible: all}
  won: {of: coin, visible: all}
  hand[player]: {of: card, visible: owner}
state:
  visible: all
  done: 0..1
phases:
  play:
    repeat: 1
    do:
      - move 1 from deck to hand[P2]
      - if: any(c.rank > 2 for c in hand[P2])
        then: move 1 from deck to drawn
        else: move 1 from purse to won
      - choose: {stay: done = 1, go: pass}
        by: P1
scoring:
  points(player p): done
"""
"""What is told of luck depends on what is hidden: a card, or a coin of a kind with fewer rows."""


@pytest.mark.parametrize("seed", range(1, 5))
def test_in_another_world_luck_may_be_told_of_something_else(seed):
    session = played(game_of(DRAWS), 0, seed)
    wanted = posterior(session, 0)
    found = worlds(session, 0, 12, seed=seed)
    assert all(each.proved for each in found) and {each.state for each in found} <= set(wanted)


# -------------------------------------------------------------------------------------- frequencies


def distance(wanted: dict[State, Fraction], found: Counter[State]) -> float:
    """The total variation between what should come and what came."""
    many = sum(found.values())
    return (
        sum(abs(float(wanted.get(each, 0)) - found[each] / many) for each in {*wanted, *found}) / 2
    )


def noise(wanted: dict[State, Fraction], many: int) -> float:
    """The distance of so many independent draws, on the average."""
    luck, states, times = stream("noise"), list(wanted), 5
    weights = [int(wanted[each] * 10**12) for each in states]
    whole = 0.0
    for _ in range(times):
        found = Counter(states[luck.weighted(weights)] for _ in range(many))
        whole += distance(wanted, found)
    return whole / times


def compared(session: Session, many: int) -> tuple[float, float]:
    viewer = session.waiting[0].player
    wanted = posterior(session, viewer)
    assert len(wanted) > 1
    found = sampler(session, viewer)
    if any(type(node).__name__ == "ShowTo" for node in session.game.code):
        past = [point.given for point in session.history]
        found.chain.hearing = Hearing(session.game, viewer, past)
    counts = Counter(
        trace.state for trace in islice(found.traces(many, 10**9), many) if trace.state is not None
    )
    assert not set(counts) - set(wanted)
    return distance(wanted, counts), noise(wanted, many)


LAST = """
rulerun: 1
game: last
players: 2
components:
  card: {rows: {ash: {copies: 4}, elm: {}, oak: {}}, start: deck}
zones:
  deck: {of: card, order: random, visible: none}
  hand[player]: {of: card, visible: owner}
  table: {of: card, visible: all}
state:
  visible: all
  done: 0..1
phases:
  play:
    repeat: 1
    do:
      - move 2 from deck to hand[P2]
      - choose: c in hand[P2]
        by: P2
      - move c to table
      - move 1 from deck to hand[P1]
      - choose: {stay: done = 1, go: pass}
        by: P1
scoring:
  points(player p): done
"""
"""What was drawn decides how often luck is asked: if all that is left is of a kind, it is not."""


@pytest.mark.parametrize(
    ("made", "decisions", "many"),
    [
        pytest.param(lambda: game_of(LAST), 1, 300, id="last"),
        pytest.param(lambda: game("kuhn_poker"), 1, 400, id="kuhn_poker"),
        pytest.param(lambda: game("leduc_poker"), 3, 400, id="leduc_poker"),
        *(
            pytest.param(*each, marks=pytest.mark.slow, id=name)
            for name, *each in [
                ("leduc-1", lambda: game("leduc_poker"), 1, 5_000),
                ("leduc-3", lambda: game("leduc_poker"), 3, 5_000),
                ("love_letter-2", lambda: game("love_letter"), 2, 3_000),
                ("love_letter-3", lambda: game("love_letter"), 3, 300),
                (
                    "go_fish",
                    lambda: game(
                        "go_fish", options={"ranks": "5", "suits": "3", "initial_cards": "2"}
                    ),
                    *(3, 1_000),
                ),
                ("draw_pile", lambda: game("brave_rats", variants=["draw_pile"]), 1, 1_000),
            ]
        ),
    ],
)
def test_worlds_come_as_often_as_they_are_likely(made, decisions, many):
    """As near to the exact probabilities as independent draws would be, twice over."""
    far, near = compared(played(made(), decisions, 2), many)
    assert far < 2 * near + 0.02


def test_a_chain_that_takes_whatever_comes_is_found_out(monkeypatch):
    monkeypatch.setattr(Chain, "_ratio", lambda *given: (1, 1))
    far, near = compared(played(game_of(LAST), 1, 2), 300)
    assert far > 2 * near + 0.02


def test_no_chain_begins_at_the_truth(monkeypatch):
    """Without a single step of a chain worlds differ from the truth as often as they should."""
    for name in ("APART", "APART_EACH"):
        monkeypatch.setattr(f"rulerun.posterior.worlds.{name}", 0)
    session = played(game("hearts"), 3, 3)
    viewer = session.waiting[0].player
    found = [worlds(session, viewer, 1, seed=seed)[0].state for seed in range(2)]
    assert session.state not in found and len(set(found)) == 2


# ------------------------------------------------------------------------------------- the function


@pytest.mark.parametrize("executor", ["reference", pytest.param("native", marks=pytest.mark.slow)])
def test_worlds_are_the_same_whatever_runs_them(executor):
    session = played(game("leduc_poker"), 2, 2)
    viewer = session.waiting[0].player
    assert worlds(session, viewer, 5, seed=3, executor=executor) == worlds(
        session, viewer, 5, seed=3
    )


def test_a_seed_says_which_worlds_come():
    session = played(game("leduc_poker"), 1, 2)
    viewer = session.waiting[0].player
    one, two = (worlds(session, viewer, 4, seed=seed) for seed in (1, 2))
    assert one == worlds(session, viewer, 4, seed=1) and one != two


def test_where_nothing_is_proved_worlds_are_dealt():
    session = played(game("hearts"), 12, 3)
    viewer = session.waiting[0].player
    found = worlds(session, viewer, 2, effort=1)
    assert len(found) == 2 and not any(each.proved for each in found)
    seen = session.observation(viewer).text()
    assert all(observe(session.executor, each.state, viewer).text() == seen for each in found)


def test_a_play_that_began_elsewhere_is_not_proved():
    """What lay where then is nothing that luck has drawn: no other history can be told."""
    made = game("leduc_poker")
    past = played(made, 2, 2)
    reference = Reference(made)
    before = past.history[-2].step.state
    start = reference.apply(before, past.history[-1].given)
    session = Session(reference, {}, 1, automatic=False, start=start)
    found = worlds(session, session.waiting[0].player, 2)
    assert len(found) == 2 and not any(each.proved for each in found)


def test_of_an_open_game_there_is_one_world():
    session = played(game("tic_tac_toe"), 3, 1)
    found = worlds(session, session.waiting[0].player, 2)
    assert [each.state for each in found] == [session.state] * 2
    assert all(each.proved for each in found)


@pytest.mark.parametrize(("viewer", "many"), [(-1, 1), (2, 1), (0, -1)])
def test_worlds_are_for_players(viewer, many):
    with pytest.raises(ValueError, match="worlds are for a player, 0 to 1"):
        worlds(played(game("tic_tac_toe"), 1, 1), viewer, many)


def test_probabilities_are_whole_numbers():
    """No float decides what is taken: the same chain on every machine."""
    assert not {"math", "random"} & set(vars(chains))


# -------------------------------------------------------------------------------------- in a search


@pytest.mark.parametrize(("name", "decisions"), [("leduc_poker", 3), ("leduc_poker", 1)])
def test_a_search_answers_alike_from_what_cannot_be_told_apart(name, decisions):
    made = game(name)
    session = played(made, decisions, 2)
    viewer = session.waiting[0].player
    (trace,) = traces(session, viewer, 1, EFFORT)
    agent = TreeAgent(made, 40, proved=True)
    ours, theirs = (
        agent.choices(each.vantage(viewer), stream(3, "agent"))
        for each in (session, again(made, trace.inputs))
    )
    assert ours == theirs and sum(each.tried for each in ours) == 40


def test_a_search_takes_worlds_that_the_history_allows():
    """Hearts, where somebody has not followed suit: what the agent's plays begin with."""
    made = game("hearts")
    session = played(made, 12, VOIDS)
    viewer = session.waiting[0].player
    void = dict(lacking(session, viewer))
    found = pool(session.vantage(viewer), stream(12, "worlds"), 4, EFFORT, "python")
    assert len(found) == 4 and not any(has(made, each, void) for each in found)
    dealt = islice(session.vantage(viewer).worlds(stream(12, "worlds")), 4)
    assert any(has(made, each, void) for each in dealt)


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_seed_says_what_it_does_whatever_runs_the_rules_and_however_many_do(jobs):
    made = game("leduc_poker")
    seats = {0: "mcts:8:proved"}
    found = [
        simulate(made, 2, seed="worlds", seats=seats, executor=executor, jobs=many)
        for executor, many in (("python", 1), ("reference", jobs))
    ]
    played = [(each.ended, each.wins(0), each.wins(1), each.decisions) for each in found]
    assert played[0] == played[1]
