"""What a viewer knows of hidden components follows from what they saw and were told.

Every play of a small game is walked (of those that wait at once, the first seat goes first). Where
a viewer did, heard and saw the same in two plays, and the declarations show them the same now, what
they are given must be the same: also what they know of components that they do not see.
Without slots for it nothing is kept.

What each knows in which case is said as text: `conformance/run/knowledge.cases.yaml`.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from tests.executors import executor_of, reference_of
from tests.playing import game_of
from tests.rulesets import FOR_CI

from rulerun.analysis.moving import Way, goes_whole
from rulerun.laws.declared_sight import Sight
from rulerun.laws.trajectory import inputs_at
from rulerun.laws.whole import Whole
from rulerun.reference import knowledge, moves
from rulerun.reference.events import EventLog
from rulerun.reference.executor import Reference
from rulerun.reference.knowledge import Knowledge
from rulerun.reference.piles import Places
from rulerun.runtime.executor import CHANCE, Executor, Step
from rulerun.runtime.rng import stream
from rulerun.views import resample
from rulerun.views.observe import SPECTATOR, observe
from rulerun.views.player_view import PlayerView
from rulerun.views.recall import Recall
from rulerun.views.resample import deal_anew

pytestmark = pytest.mark.executors

HEAD = """\
rulerun: 1
game: small
players: 2
"""

SHOWN = """
components:
  gem: {rows: {red: {copies: 2}, blue: {copies: 2}}, start: pile}
zones:
  pile: {of: gem, order: random, visible: none}
  safe[player]: {of: gem, visible: "all if shown[owner] else owner"}
  hand[player]: {of: gem, visible: owner}
state:
  visible: all
  shown[player]: bool
setup:
  - move 2 from pile to safe[p] for p in players
phases:
  play:
    - together: you in players
      do:
        - choose:
            take(gem in safe): move gem to hand
            leave: pass
        - choose:
            show: shown = true
            wait: pass
        - move all safe to hand
"""
"""What is shown in a `together`, and goes away before its end."""

HIDDEN = """
components:
  mask: {KIND}
zones:
  shelf: {of: mask, order: random, visible: none}
  face[player]: {of: mask, visible: all}
  bag[player]: {of: mask, visible: owner}
  trunk[player]: {of: mask, visible: owner}
state:
  visible: all
setup:
  - for: p in players
    do:
      - move 1 from shelf to bag[p]
      - show bag[p] to all
      - move 1 from shelf to face[p]
phases:
  play:
    do:
      - together: you in players
        do:
          - choose:
              doff(mask in face): move mask to bag
              don(mask in bag): move mask to face
          - choose:
              hide(mask in bag): move mask to trunk
              don(mask in bag): move mask to face
              wait: pass
      - for: p in players
        do:
          - move all face[p] to bag[p]
      - TEAR
"""
"""Two hidden zones of a player: what went from one to the other, nobody else can tell."""

ALONE = HIDDEN.replace("  trunk[player]: {of: mask, visible: owner}\n", "").replace(
    "              hide(mask in bag): move mask to trunk\n", ""
)
"""One hidden zone: what comes from where all see it is known there."""

PILED = ALONE.replace(
    "bag[player]: {of: mask, visible", "bag[player]: {of: mask, order: stack, visible"
).replace("wait: pass", "wait: pass\n              turn(mask in bag): move mask to bag")
"""That zone is a pile: what came and went in the meantime does not show in what lies where."""

PLAYED = """
components:
  mask: {KIND}
zones:
  shelf: {of: mask, order: random, visible: none}
  bag[player]: {of: mask, visible: owner}
  face[player]: {of: mask, visible: all}
state:
  visible: all
setup:
  - move 1 from shelf to bag[p] for p in players
  - show bag[p] to all for p in players
  - move 1 from shelf to bag[p] for p in players
phases:
  play:
    do:
      - for: p in players
        do:
          - choose:
              don(mask in bag[p]): move mask to face[p]
            by: p
      - TEAR
"""
"""Of two alike, one was shown: which of them is laid down does not tell that the other is there."""

PILES = """
components:
  card: {KIND}
zones:
  box: {of: card, order: random, visible: none}
  deck: {of: card, order: ORDER, visible: none}
  heap: {of: card, order: HEAP, visible: none}
  hand[player]: {of: card, visible: owner}
  table: {of: card, visible: all}
state:
  visible: all
setup:
  - move 1 from box to hand[p] for p in players
  - move all box to deck
  - shuffle deck
phases:
  play:
    do:
      - repeat: TIMES
        do:
          - choose:
OPTIONS
            by: P1
            visible: all
      - move all heap to table
      - move all hand[all] to table
      - TEAR
"""
"""A pile that nobody sees, and what one of two players has done with it, a few times."""

DOES = {
    "peek": "{when: not empty(deck), do: show first(deck) to P1}",
    "look": "show deck to all",
    "deal": "move up to 1 from deck to hand[P2]",
    "open": "move up to 1 from deck to table",
    "draw": "move up to 1 from deck to hand[P1]",
    "pick": "move up to 1 c in deck if c is wolf to hand[P2]",
    "take": """
                - choose:
                    wolf: move up to 1 c in deck if c is wolf to hand[P2]
                    other: move up to 1 c in deck if c is not wolf to hand[P2]
                  by: P2
                  visible: none""",
    "pull": "move up to 1 c in deck if c is wolf to table",
    "lay": "move c to deck for c in hand[P1]",
    "put": "move all hand[P1] to deck",
    "give": "move all hand[all] to deck",
    "two": "move up to 2 from deck to heap",
    "over": "move all deck to heap",
    "back": "move all heap to deck",
    "swap": "swap deck with heap",
    "turn": "move up to 1 from deck to deck",
    "mix": "shuffle deck",
}

COUNTED = "rows: {wolf: {copies: 2}, hare: {copies: 2}}, start: shelf"
MARKED = "state: {torn: bool = false}, rows: {wolf: {copies: 2}, hare: {copies: 2}}, start: shelf"


def of_kind(rules: str, kind: str) -> str:
    """The rules with masks of a kind, with identities if they can be torn."""
    tear = "c.torn = true for c in mask" if kind == MARKED else "pass"
    return rules.replace("KIND", kind).replace("TEAR", tear)


TURNED = """
components:
  card: {KIND}
zones:
  box: {of: card, order: random, visible: none}
  deck: {of: card, order: ORDER, visible: none}
  heap: {of: card, order: HEAP, visible: all}
  hand[player]: {of: card, visible: owner}
  table: {of: card, visible: all}
state:
  visible: all
setup:
  - move 2 from box to hand[P1]
  - move 1 from box to hand[P2]
  - move all box to table
phases:
  play:
    do:
      - repeat: 2
        do:
          - choose:
OPTIONS
            by: P1
            visible: all
      - move all heap to table
      - move all hand[all] to table
      - TEAR
"""
"""A pile that all see beside one that nobody sees: what is laid, by one statement, and turned."""

DOES |= {
    "some": "move all c in hand[P1] if c is not wolf to deck",
    "dump": "move all those(c in table if c is hare) to heap; move all heap to deck",
    "down": "move all c in table if c is not hare to deck",
    "many": "move up to 2 c in table if c is hare to deck",
    "leaf": "move c to heap for c in hand[P1]",
    "turn-over": "move all heap to deck",
    "through": "move up to 2 from deck to heap; move all heap to deck",
    "each": "move all hand[all] to deck",
    "toss": "move all hand[all] to deck; shuffle deck",
    "mixed": """
                - choose: 2..2 c in hand[P1] + table
                  else: pass
                  by: P1
                  visible: none
                - if: c is not none
                  then: move c to deck""",
    "both": """
                - choose: 1..2 c in hand[P1]
                  else: pass
                  by: P1
                  visible: none
                - if: c is not none
                  then: move c to deck""",
}

KINDS = {
    "counted": "rows: {wolf: {copies: 2}, hare: {copies: 3}}, start: box",
    "marked": "state: {torn: bool = false}, rows: {wolf: {copies: 2}, hare: {copies: 3}}, "
    "start: box",
    "each-its-own": "rows: {wolf: {}, hare: {}, fox: {}, owl: {}}, start: box",
}


def piles(said: str, times: int = 3, *, rules: str = PILES) -> str:
    """The rules with a pile of a kind that gives in an order, and what is done so often with it."""
    kind, order, heap, does = said.split(maxsplit=3)
    options = "".join(
        f"              {each.replace('-', '_')}: {DOES[each]}\n" for each in does.split()
    )
    rules = (
        rules.replace("TIMES", str(times))
        .replace("KIND", KINDS[kind])
        .replace("ORDER", order)
        .replace("HEAP", heap)
    )
    tear = "c.torn = true for c in card" if kind == "marked" else "pass"
    return rules.replace("OPTIONS\n", options).replace("TEAR", tear)


def rest(
    executor: Executor, step: Step, recalls: list[Recall]
) -> Iterator[tuple[Step, list[Recall]]]:
    """Every position at which luck does not decide, with what each viewer has been given."""
    waiting = executor.waiting(step.state)
    if not waiting or waiting[0].player != CHANCE:
        yield step, recalls
    if not waiting:
        return
    first = [one for one in inputs_at(executor, step.state) if _who(one) == waiting[0].player]
    for given in first:
        onward = executor.apply(step.state, given)
        yield from rest(
            executor, onward, [each.extended(executor, given, onward) for each in recalls]
        )


def _who(given: object) -> int:
    return getattr(given, "player", CHANCE)


@pytest.mark.parametrize(
    ("rules", "most"),
    [
        (SHOWN, 0),
        (of_kind(HIDDEN, COUNTED), 2),
        (of_kind(HIDDEN, MARKED), 2),
        (of_kind(ALONE, COUNTED), 2),
        (of_kind(ALONE, MARKED), 2),
        (of_kind(PILED, COUNTED), 2),
        (of_kind(PILED, MARKED), 2),
        (of_kind(PLAYED, COUNTED), 1),
        (of_kind(PLAYED, MARKED), 1),
    ],
    ids=[
        "shown",
        "hidden-counted",
        "hidden-marked",
        "alone-counted",
        "alone-marked",
        "piled-counted",
        "piled-marked",
        "played-counted",
        "played-marked",
    ],
)
def test_what_is_known_follows_from_what_was_told(rules, most):
    assert walked(executor_of(game_of(HEAD + rules)))[0] == most


def walked(executor: Executor) -> tuple[int, int]:
    """Walk every play: of how many in one zone, and of how many places, somebody knows at most."""
    game = executor.game
    sight, whole = Sight(game), Whole(game)
    initial = executor.initial()
    viewers = (*range(len(game.players)), SPECTATOR)
    given: dict[object, str] = {}
    known = places = 0
    for step, recalls in rest(
        executor, initial, [Recall.begin(executor, initial, viewer) for viewer in viewers]
    ):
        assert not list(whole.at_rest(step.state.slots))
        for viewer, recall in zip(viewers, recalls, strict=True):
            seen = observe(executor, step.state, viewer).data()
            known = max(known, _known(seen, "known"))
            places = max(places, _known(seen, "places"))
            seen.pop("result")
            items = tuple(each for each in recall.known.items[:-1])
            key = viewer, items, sight.view(step.state.slots, viewer)
            text = json.dumps(seen, sort_keys=True)
            assert given.setdefault(key, text) == text, items
    return known, places


def _known(seen: dict[str, Any], what: str) -> int:
    """Of how many components, or places, in one zone that they do not see the viewer knows."""
    return max(len(zone.get(what, ())) for zone in seen["zones"].values())


def shortly(walked: dict[str, int]) -> list[Any]:
    """Rules with how much is done; the first of each kind of piece are for the quick run."""
    kinds: set[str] = set()
    found = []
    for rules, most in walked.items():
        kind = rules.split()[0]
        found.append(pytest.param(rules, most, id=rules, marks=FOR_CI if kind in kinds else []))
        kinds.add(kind)
    return found


WALKED = {
    "counted stack stack look take deal": 3,
    "counted stack queue lay peek mix": 2,
    "counted queue stack lay deal turn": 1,
    "counted queue queue put over back": 1,
    "counted stack stack give pick swap": 0,
    "marked stack stack peek deal lay": 2,
    "marked stack queue look take open": 3,
    "marked queue queue look two back": 3,
    "marked stack stack give peek deal": 2,
    "each-its-own stack stack lay over pull": 1,
    "each-its-own queue stack look draw put": 3,
    "each-its-own stack queue lay mix deal": 1,
}
"""By kind, how the pile gives, how the heap gives and what is done: of how many places is known."""
LONG = (
    "counted stack stack look take deal",
    "counted stack queue lay peek mix",
    "marked stack queue look take open",
    "each-its-own queue stack look draw put",
    "each-its-own stack queue lay mix deal",
    "each-its-own stack stack lay over pull",
)
"""To walk every play of these takes seconds: they are quick when less is done, and then as much
is known of them; `.ci/run` asks for all."""


@pytest.mark.parametrize(("rules", "most"), shortly(WALKED))
def test_what_is_known_of_places_follows_from_what_was_told(rules, most):
    given = piles(rules, times=2 if rules in LONG else 3)
    assert walked(executor_of(game_of(HEAD + given)))[1] == most


@pytest.mark.slow
@pytest.mark.slow_in_ci
@pytest.mark.parametrize("rules", LONG)
def test_what_is_known_of_places_when_more_is_done(rules):
    given = piles(rules)
    assert walked(executor_of(game_of(HEAD + given)))[1] == WALKED[rules]


LAID = {
    "counted stack stack some leaf turn-over": 2,
    "counted queue stack both turn-over": 2,
    "counted stack queue through down turn-over": 2,
    "marked stack stack dump leaf turn-over": 4,
    "marked queue stack mixed many": 4,
    "each-its-own stack queue mixed each": 2,
    "counted stack stack toss through": 0,
    "each-its-own queue queue leaf down swap": 1,
}
"""The same of piles that all see, and of what one statement lays."""


@pytest.mark.parametrize(("rules", "most"), shortly(LAID))
def test_what_is_known_of_what_is_laid_at_once_follows_from_what_was_told(rules, most):
    text = piles(rules, rules=TURNED)
    assert walked(executor_of(game_of(HEAD + text)))[1] == most


def test_of_alike_ones_the_one_that_left_may_be_the_one_that_was_shown():
    rules = of_kind(PLAYED, MARKED).replace("copies: 2", "copies: 3")
    assert walked(executor_of(game_of(HEAD + rules)))[0] == 1


def _chosen_as_if_from_the_end(patch):
    left = Places.left

    def at_end(self, slots, kind, component, source, heard, way, place):
        way = replace(way, from_end=True)
        return left(self, slots, kind, component, source, heard, way, place)

    patch.setattr(Places, "left", at_end)


def _chosen_forgets_only_itself(patch):
    keep = Places._keep
    everyone = Way(from_end=True)
    patch.setattr(
        Places, "_keep", lambda self, kind, one, knew, way: keep(self, kind, one, knew, everyone)
    )


def _nothing_moves_up(patch):
    left = Places.left

    def at_last(self, slots, kind, component, source, heard, way, place):
        place = len(self.run(source)) - 1
        return left(self, slots, kind, component, source, heard, way, place)

    patch.setattr(Places, "left", at_last)


def _shuffled_and_not_forgotten(patch):
    patch.setattr(Places, "forget", lambda *given: None)


def _kept_after_a_together(patch):
    forget = Places.forget

    def keep(self, slots, zone, mask):
        if mask == 3:
            forget(self, slots, zone, mask)

    patch.setattr(Places, "forget", keep)


def _laid_among_others(patch):
    patch.setattr(moves, "goes_in_order", goes_whole)


def _places_are_not_told(patch):
    shown = EventLog.shown

    def untold(self, play, kind, members, mask, placed):
        shown(self, play, kind, sorted(members), mask, ())

    patch.setattr(EventLog, "shown", untold)


def _known_of_a_pile_stays(patch):
    patch.setattr(Places, "many", lambda self, slots, kind, zone, class_, who: 1)


@pytest.mark.once
@pytest.mark.parametrize(
    ("fault", "rules"),
    [
        (_chosen_as_if_from_the_end, "counted stack stack look take deal"),
        (_chosen_as_if_from_the_end, "marked stack queue look take open"),
        (_chosen_forgets_only_itself, "marked stack queue look take open"),
        (_nothing_moves_up, "counted queue stack lay deal turn"),
        (_shuffled_and_not_forgotten, "counted stack queue lay peek mix"),
        (_shuffled_and_not_forgotten, "each-its-own stack queue lay mix deal"),
        (_laid_among_others, "marked stack stack give peek deal"),
        (_places_are_not_told, "each-its-own queue stack look draw put"),
        (_known_of_a_pile_stays, "counted stack stack look take deal"),
    ],
)
def test_a_fault_in_what_is_known_of_places_is_found(fault, rules, monkeypatch):
    assert rules in WALKED
    fault(monkeypatch)
    with pytest.raises(AssertionError):
        walked(Reference(game_of(HEAD + piles(rules))))


def _every_pile_is_told(patch):
    patch.setattr(
        knowledge, "told_piles", lambda game: {each.name for each in game.zones if each.ordered}
    )


def _all_see_what_is_laid(patch):
    patch.setattr(moves.Moves, "seeing_all", lambda *given: 3)


@pytest.mark.once
@pytest.mark.parametrize(
    ("fault", "rules"),
    [
        (_every_pile_is_told, "counted stack stack toss through"),
        (_all_see_what_is_laid, "each-its-own stack queue mixed each"),
    ],
)
def test_a_fault_in_what_is_known_of_what_is_laid_is_found(fault, rules, monkeypatch):
    assert rules in LAID
    fault(monkeypatch)
    with pytest.raises(AssertionError):
        walked(Reference(game_of(HEAD + piles(rules, rules=TURNED))))


@pytest.mark.once
@pytest.mark.parametrize("kind", [COUNTED, MARKED], ids=["counted", "marked"])
def test_where_places_are_known_after_a_together_it_is_found(kind, monkeypatch):
    _kept_after_a_together(monkeypatch)
    with pytest.raises(AssertionError):
        walked(Reference(game_of(HEAD + of_kind(PILED, kind))))


@pytest.mark.once
def test_where_alike_ones_are_told_apart_it_is_found(monkeypatch):
    monkeypatch.setattr(Knowledge, "_one_less", lambda *given: None)
    with pytest.raises(AssertionError):
        walked(Reference(game_of(HEAD + of_kind(PLAYED, MARKED).replace("copies: 2", "copies: 3"))))


def dealt(executor: Executor) -> Iterator[str]:
    """What is wrong with the worlds in which all is dealt again that a player does not see."""
    whole = Whole(executor.game)
    for step, _ in rest(executor, executor.initial(), []):
        for viewer in range(len(executor.game.players)):
            sees = observe(executor, step.state, viewer).data()["zones"]
            view = PlayerView(executor.game, step.state, viewer)
            for number in range(2):
                world = deal_anew(view, stream("dealt", number))
                yield from whole.at_rest(world.slots)
                if observe(executor, world, viewer).data()["zones"] != sees:
                    yield "somebody sees something else"


PILES_DEALT = [
    "counted stack queue lay give deal",
    "marked queue stack lay give deal",
    "each-its-own stack stack look two put",
]


@pytest.mark.once
@pytest.mark.parametrize("rules", PILES_DEALT)
def test_what_is_dealt_anew_looks_the_same(rules):
    assert not list(dealt(Reference(game_of(HEAD + piles(rules)))))


def _viewers_places_are_dealt(patch):
    def deal(view, *given):
        view.places = lambda zone: []
        return deal_counted(view, *given)

    deal_counted = resample._deal_counted
    patch.setattr(resample, "_deal_counted", deal)


def _others_places_do_not_go_along(patch):
    patch.setattr(resample, "_known_there", lambda *given: None)


@pytest.mark.once
@pytest.mark.parametrize("fault", [_viewers_places_are_dealt, _others_places_do_not_go_along])
def test_where_known_places_are_dealt_anew_it_is_found(fault, monkeypatch):
    executor = Reference(game_of(HEAD + piles(PILES_DEALT[0])))
    with monkeypatch.context() as patch:
        fault(patch)
        assert list(dealt(executor))


DEALT = """
rulerun: 1
game: shown
players: [yarg, applewood]
components:
  card: {rows: {spy: {copies: 2}, prince: {copies: 2}}, start: box}
zones:
  box: {of: card, visible: none}
  hand[player]: {of: card, visible: owner}
setup:
  - move all box to hand[yarg]
phases:
  play:
    do:
      - show hand[yarg] to applewood
"""


@pytest.mark.parametrize("slots", [True, False])
def test_without_slots_nothing_is_kept(slots):
    game = game_of(DEALT)
    assert game.layout.known
    if not slots:
        game = replace(game, layout=replace(game.layout, known=()))
    executor = executor_of(game)
    state = executor.initial().state
    machine = reference_of(executor).machine
    known = machine.knowledge.known(state.slots, machine.tables.kinds["card"], 1)
    assert sum(known.values()) == (4 if slots else 0)
