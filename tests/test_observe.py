"""What a viewer may see: nothing else, and the same bytes for what cannot be told apart."""

import dataclasses
import itertools
import json
from typing import Any

import pytest
from tests.executors import executor_of
from tests.hand import hand_game

from rulerun.runtime.executor import CHANCE, Chance, Decision, Event
from rulerun.runtime.rng import stream
from rulerun.session.session import Session
from rulerun.views import observe as observing
from rulerun.views.observe import SPECTATOR, tell
from rulerun.views.player_view import PlayerView
from rulerun.views.recall import Recall, sift
from rulerun.views.resample import deal_anew
from rulerun_dsl.load import load_game

pytestmark = pytest.mark.executors

VIEWERS = (0, 1, SPECTATOR)


@pytest.fixture
def executor():
    return executor_of(hand_game())


def observe(*arguments):
    return observing.observe(*arguments)


def dealt(executor, rows):
    """The first rest after a deal of these cards."""
    step = executor.initial()
    for row in rows:
        outcomes = executor.outcomes(step.state)
        if outcomes:  # the last card is no chance
            found = next(each for each in outcomes if row in each.text)
            step = executor.apply(step.state, Chance(found.id))
    return step.state


def play(executor, state, *texts):
    for text in texts:
        waiting = executor.waiting(state)
        name, text = text.split()
        player = executor.game.players.index(name)
        assert player in [each.player for each in waiting]
        action = next(
            each.id for each in observe(executor, state, player).actions if each.text == text
        )
        state = executor.apply(state, Decision(player, action)).state
    return state


def names(zone: Any) -> Any:
    return None if zone.components is None else [each.text for each in zone.components]


def test_each_sees_what_is_declared(executor):
    state = dealt(executor, "cbad")
    mine = observe(executor, state, 0)
    assert names(mine.zone("hand[P1]")) == ["b", "c"]
    assert names(mine.zone("hand[P2]")) is None
    assert mine.zone("hand[P2]").count == 2
    assert mine.zone("well").count is None
    assert mine.zone("pile").count == 0
    assert [each.name for each in mine.variables] == ["score[P1]", "score[P2]", "secret[P1]"]
    spectator = observe(executor, state, SPECTATOR)
    assert names(spectator.zone("hand[P1]")) is names(spectator.zone("hand[P2]")) is None
    assert [each.name for each in spectator.variables] == ["score[P1]", "score[P2]"]
    assert spectator.name == "spectator"


def test_ordered_zones_begin_with_what_leaves_next(executor):
    state = dealt(executor, "abcd")
    view = PlayerView(executor.game, state, SPECTATOR)
    well = view.tables.instances[5]
    lying = [view.component(well, each).text for each in view.components.members(state.slots, 5)]
    assert lying == ["e", "f"]  # the first of a list lies on top


def test_hidden_things_leave_no_trace(executor):
    """Every state that differs in hidden things alone gives the same bytes."""
    for viewer in VIEWERS:
        by_view: dict[object, set[str]] = {}
        for deal in itertools.permutations("abcd"):
            state = dealt(executor, deal)
            seen = observe(executor, state, viewer).text()
            key = {0: frozenset(deal[:2]), 1: frozenset(deal[2:]), SPECTATOR: None}[viewer]
            by_view.setdefault(key, set()).add(seen)
        assert {len(views) for views in by_view.values()} == {1}
        assert len(by_view) == (1 if viewer == SPECTATOR else 6)


def test_data_is_plain_json(executor):
    seen = observe(executor, dealt(executor, "abcd"), 0)
    assert json.loads(seen.text()) == seen.data()


class TestTogether:
    def test_others_are_seen_as_they_were(self, executor):
        before = dealt(executor, "abcd")
        views = {who: observe(executor, before, who).text() for who in VIEWERS}
        for card in "ab":
            after = play(executor, before, f"P1 lay({card})")
            assert observe(executor, after, 1).text() == views[1]
            assert observe(executor, after, SPECTATOR).text() == views[SPECTATOR]

    def test_own_things_are_seen_as_they_are(self, executor):
        state = play(executor, dealt(executor, "abcd"), "P2 lay(c)")
        seen = observe(executor, state, 1)
        assert names(seen.zone("table[P2]")) == ["c"]
        assert names(seen.zone("hand[P2]")) == ["d"]
        assert seen.done is True
        assert seen.asked == ()
        assert seen.actions == ()

    def test_each_is_told_only_whether_the_own_part_is_done(self, executor):
        state = dealt(executor, "abcd")
        assert observe(executor, state, 0).asked == ("P1",)
        assert observe(executor, state, SPECTATOR).asked == ()
        assert [observe(executor, state, who).done for who in VIEWERS] == [False, False, None]
        done = play(executor, state, "P1 lay(a)")
        assert [observe(executor, done, who).done for who in VIEWERS] == [True, False, None]

    def test_all_is_revealed_at_the_end(self, executor):
        state = play(executor, dealt(executor, "abcd"), "P2 lay(c)", "P1 lay(a)")
        seen = observe(executor, state, SPECTATOR)
        assert names(seen.zone("table[P1]")) == ["a"]
        assert names(seen.zone("table[P2]")) == ["c"]
        assert not seen.together
        assert seen.done is None
        assert seen.asked == ("P1",)


class TestQuestion:
    def test_who_is_not_asked_reads_only_what_they_see(self, executor):
        state = play(executor, dealt(executor, "abcd"), "P2 lay(c)", "P1 lay(a)")
        assert observe(executor, state, 0).question == "You hold 1 and a secret 0."
        # How many cards are in a hand is public, a secret is not.
        assert observe(executor, state, 1).question == "You hold 1 and a secret …."
        assert observe(executor, state, SPECTATOR).question == "You hold 1 and a secret …."

    def test_only_who_is_asked_is_offered_anything(self, executor):
        state = play(executor, dealt(executor, "abcd"), "P2 lay(c)", "P1 lay(a)")
        assert [each.text for each in observe(executor, state, 0).actions] == [
            "keep",
            "peek",
            "guess",
        ]
        assert observe(executor, state, 1).actions == ()


def test_a_game_that_is_over_tells_its_result_and_no_more(executor):
    state = play(executor, dealt(executor, "abcd"), "P2 lay(c)", "P1 lay(a)", "P1 keep", "P2 pass")
    seen = observe(executor, state, SPECTATOR)
    assert [(each.player, each.place, each.winner, each.total) for each in seen.result] == [
        ("P1", 1, True, 1),
        ("P2", 2, False, 0),
    ]
    assert [each.returns for each in seen.result] == ["1", "-1"]
    assert seen.result[0].lines == (("points", 1),)
    assert names(seen.zone("hand[P1]")) is None
    assert seen.asked == ()


def test_a_draw_that_is_none_looks_like_one(executor):
    """At a chance outcome nobody is said to be asked."""
    state = executor.initial().state
    assert executor.waiting(state)[0].player == CHANCE
    seen = observe(executor, state, 0)
    assert seen.asked == ()
    assert seen.actions == ()
    assert seen.result is None


def event(text, audience, detail, block=None, maker=None, word="move"):
    return Event(word, audience, detail, ("open", {}), (text, {"secret": text}), block, maker)


class TestTelling:
    def test_by_audience_and_detail(self):
        events = [event("for P1", 0b001, 0b001), event("half", 0b111, 0b010)]
        assert [each.text for each in tell(events, 0, 2)] == ["for P1", "open"]
        assert [each.text for each in tell(events, 1, 2)] == ["half"]
        assert [each.text for each in tell(events, SPECTATOR, 2)] == ["open"]

    def test_the_maker_is_always_told(self):
        made = event("mine", 0b000, 0b000, maker=1)
        assert [each.text for each in tell([made], 1, 2)] == ["mine"]
        assert tell([made], 0, 2) == []

    def test_what_is_said_is_held_until_all_are_done_then_told_by_player(self):
        all_ = 0b1111
        first = [event("three", all_, all_, block=2), event("mine", 0b0100, 0b0100, block=2)]
        then = [event("one", all_, all_, block=0), event("one again", all_, all_, block=0)]
        end = [event("end", all_, all_, word="together_end")]
        heard, held = sift(first, 1, 1, (), 3)
        assert heard == [] and len(held) == 1
        heard, held = sift(then, 2, 1, held, 3)
        assert heard == []
        heard, held = sift(end, 3, 1, held, 3)
        assert [each.text for each in heard] == ["one", "one again", "three", "end"]
        assert held == ()
        # Who did it hears of it at once.
        heard, held = sift(first, 1, 2, (), 3)
        assert [each.text for each in heard] == ["three", "mine"]


def recalled(executor, inputs):
    """The information states of all viewers after set-up by first outcomes and these inputs."""
    step = executor.initial()
    recalls = {who: Recall.begin(executor, step, who) for who in VIEWERS}
    pending = list(inputs)
    while waiting := executor.waiting(step.state):
        if waiting[0].player == CHANCE:
            given = Chance(executor.outcomes(step.state)[0].id)
        elif pending:
            given = pending.pop(0)
        else:
            break
        step = executor.apply(step.state, given)
        recalls = {who: each.extended(executor, given, step) for who, each in recalls.items()}
    return {who: each.known for who, each in recalls.items()}


class TestInformation:
    def test_order_of_submission_is_not_known(self, executor):
        one, other = Decision(0, 0), Decision(1, 2)
        assert recalled(executor, [one, other]) == recalled(executor, [other, one])

    def test_it_holds_own_actions_and_what_was_seen(self, executor):
        known = recalled(executor, [Decision(0, 0), Decision(1, 2)])
        assert '["did","lay(a)"]' in known[0].items
        assert not any(item.startswith('["did"') for item in known[SPECTATOR].items)
        assert any('"hand[P1]":{"components":["a","b"]' in item for item in known[0].items)
        assert not any('"hand[P1]":{"components"' in item for item in known[1].items)

    def test_what_others_do_in_secret_changes_nothing(self, executor):
        waiting = recalled(executor, [])
        assert recalled(executor, [Decision(0, 0)])[1] == waiting[1]
        assert recalled(executor, [Decision(0, 1)])[1] == waiting[1]
        assert recalled(executor, [Decision(0, 0)])[0] != waiting[0]

    def test_digests_are_equal_for_what_is_equal(self, executor):
        once, again = recalled(executor, [Decision(0, 0)]), recalled(executor, [Decision(0, 0)])
        assert once[0].digest == again[0].digest
        assert once[0].digest != recalled(executor, [Decision(0, 1)])[0].digest


def test_worlds_that_look_the_same_do(executor):
    """What is hidden is dealt anew, and the viewer sees no difference."""
    state = play(executor, dealt(executor, "abcd"), "P2 lay(c)", "P1 lay(a)")
    seen = observe(executor, state, 0).text()
    view = PlayerView(executor.game, state, 0)
    worlds = {deal_anew(view, stream("worlds", number)) for number in range(30)}
    assert all(observe(executor, world, 0).text() == seen for world in worlds)
    hands = {observe(executor, world, 1).zone("hand[P2]").components[0].text for world in worlds}
    assert hands == {"d", "e", "f"}


SHOWING = """\
rulerun: 1
game: showing
players: [ann, bob]

components:
  card:
    start: deck
    COPIES
    rows: {low: {}, middle: {}, high: {}}

zones:
  deck: {of: card, order: random, visible: none}
  hand[player]: {of: card, visible: owner}
  spare: {of: card, visible: all}

state:
  done: {type: bool, visible: all}

setup:
  - move 1 from deck to hand[bob]
  - move 1 from deck to hand[bob]

phases:
  looking:
    until: done
    do:
      - choose:
          ask: show hand[bob] to ann
          stop: done = true
        by: ann
      - choose:
          keep: pass
          lose: move all hand[bob] to spare
        by: bob
"""


def seen_by(session: Any, viewer: int) -> Any:
    return session.observation(viewer)


def with_knowledge(game):
    """The game with slots for what is known of its only kind, and nothing else changed."""
    layout = game.layout
    if layout.known:
        return game
    (kind,) = game.kinds
    zones = sum(zone.instances for zone in game.zones)
    width = zones * kind.classes * len(game.players) if kind.counted else kind.total
    start, end = layout.live
    return dataclasses.replace(
        game,
        layout=dataclasses.replace(
            layout,
            known=(("card", layout.knowledge),),
            live=(start, end + width),
            shadow=layout.shadow + width,
            queue=layout.queue + width,
            base=layout.base + width,
            size=layout.size + width,
        ),
    )


@pytest.mark.parametrize("copies", ["copies: 1", "copies: 2"])
def test_what_was_shown_is_known(copies):
    text = SHOWING.replace("COPIES", copies)
    game, found = load_game(text.encode())
    assert game is not None, [each.message for each in found]
    game = with_knowledge(game)
    session = Session(executor_of(game), seed=1)
    cards = names(seen_by(session, 1).zone("hand[bob]"))
    assert seen_by(session, 0).zone("hand[bob]").known == ()
    session.submit(0, "ask")
    seen = seen_by(session, 0).zone("hand[bob]")
    assert seen.components is None
    assert seen.count == 2
    assert [each.text for each in seen.known] == cards
    assert seen.data() == {"count": 2, "known": cards}
    assert seen_by(session, SPECTATOR).zone("hand[bob]").known == ()
    # What is known is not dealt anew.
    view = PlayerView(game, session.state, 0)
    for number in range(10):
        world = deal_anew(view, stream("known", number))
        assert observe(session.executor, world, 0).text() == seen_by(session, 0).text()
        assert names(observe(session.executor, world, 1).zone("hand[bob]")) == cards


MARKED = """
rulerun: 1
game: marked
players: [ann, bob]
components:
  card:
    rows: {oak: {}, elm: {}}
    state: {mark: 0..3}
    start: box
zones:
  visible: owner
  box: {of: card, visible: none}
  hand[player]: {of: card}
setup: move all box to hand[bob]
phases:
  talk:
    turns: p in players
    do:
      - choose:
          ask: show hand[bob] to ann
          note(1..3 k): c.mark = k for c in hand[bob] if c is elm
        visible: owner
"""


def test_what_becomes_of_a_component_unseen_is_not_known():
    game, found = load_game(MARKED.encode())
    assert game is not None, [each.message for each in found]
    session = Session(executor_of(game), seed=1)
    session.submit(0, "ask")
    before = seen_by(session, 0).zone("hand[bob]")
    assert [each.text for each in before.known] == ["oak", "elm"]
    session.submit(1, "note(3)")
    after = seen_by(session, 0).zone("hand[bob]")
    assert after == before
    assert [each.attributes for each in after.known] == [(), ()]
    mine = seen_by(session, 1).zone("hand[bob]").components
    assert mine is not None
    assert sorted(dict(each.attributes)["mark"] for each in mine) == [0, 3]


PILE = """
rulerun: 1
game: pile
players: [ann, bob]
components:
  tree: {rows: {oak: {}, elm: {copies: 2}, fir: {}}, start: box}
zones:
  box: {of: tree, visible: all}
  pile: {of: tree, order: stack, visible: none}
  hand[player]: {of: tree, visible: owner}
setup:
  - move all box to pile
phases:
  play:
    do:
      - choose:
          look: show pile to ann
        by: ann
        visible: all
      - move 1 from pile to hand[bob]
      - choose:
          stop: pass
        by: bob
"""


def test_known_places_of_a_pile_are_counted_from_where_it_gives():
    game, found = load_game(PILE.encode())
    assert game is not None, [each.message for each in found]
    session = Session(executor_of(game), seed=1)
    told = session.submit(0, "look")
    assert [each.what["places"] for each in told if each.word == "show"] == [
        [
            {"zone": "pile", "place": 1, "is": "fir"},
            {"zone": "pile", "place": 2, "is": "elm"},
            {"zone": "pile", "place": 3, "is": "elm"},
            {"zone": "pile", "place": 4, "is": "oak"},
        ]
    ]
    assert "fir (1st), elm (2nd), elm (3rd), oak (4th) shown to Ann" in [each.text for each in told]
    seen = seen_by(session, 0)
    assert seen.zone("pile").data() == {
        "count": 3,
        "known": ["oak", "elm", "elm"],
        "places": [
            {"place": 1, "is": "elm"},
            {"place": 2, "is": "elm"},
            {"place": 3, "is": "oak"},
        ],
    }
    assert [each.text for each in seen.zone("hand[bob]").known] == ["fir"]
    assert seen_by(session, SPECTATOR).zone("pile").places == ()
