"""Every law can fail: faults planted in the engine, each of which the suite must find.

A mutant is a small change of one thing that runs a game, as somebody might make by mistake. The
suite looks only for the law that it breaks, on one ruleset on which nothing is found without it
(`test_laws`). The names of the mutants say what is wrong with the engine.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rulerun.laws import check_laws, tracing
from rulerun.laws import resampling as laws_dealing
from rulerun.reference import chance as luck
from rulerun.reference.chance import ChanceSteps, Possible
from rulerun.reference.events import EventLog
from rulerun.reference.executor import Reference
from rulerun.reference.knowledge import Knowledge
from rulerun.reference.moves import Moves
from rulerun.reference.piles import Places
from rulerun.reference.refusing import Refuser
from rulerun.reference.scoring import Scoring
from rulerun.reference.secrecy import Secrecy
from rulerun.reference.stores import Stores
from rulerun.reference.told_differences import Differences
from rulerun.runtime import actions
from rulerun.runtime.closures import rule_error
from rulerun.runtime.components import Components
from rulerun.runtime.executor import CHANCE, Decision, Event, IllegalInput, Refusal, Step
from rulerun.runtime.state import State
from rulerun.session import record, replay, taking_back
from rulerun.session.record import RecordWriter
from rulerun.session.session import Session
from rulerun.session.taking_back import CannotUndo
from rulerun.views import observe, questions, recall, resample
from rulerun.views.player_view import PlayerView
from rulerun_dsl import load as loading
from rulerun_dsl.check.whole import flow
from rulerun_dsl.diagnostics.diagnostic import problem
from rulerun_dsl.load import Loaded, load
from rulerun_dsl.source.resources import shipped

HERE = Path(__file__).parent / "laws"
CLASSICS = shipped("rulesets") / "classics"

CRASH = "a bug in rulerun"
"""What is said where the engine itself breaks: that is found too, but not by a law."""

Plant = Callable[[pytest.MonkeyPatch], None]
MUTANTS: list[Any] = []


def mutant(law: int, ruleset: str, *others: int) -> Callable[[Plant], Plant]:
    """A fault that must be found on a ruleset as a breach of a law (looked for with others)."""

    def note(plant: Plant) -> Plant:
        name = f"{law}-{plant.__name__}"
        MUTANTS.append(pytest.param(law, others, ruleset, plant, id=name))
        return plant

    return note


def around(patch: pytest.MonkeyPatch, owner: Any, name: str, wrapper: Any) -> None:
    """Replace a function by one that is given the original first."""
    original = getattr(owner, name)

    def replaced(*arguments: Any, **named: Any) -> Any:
        return wrapper(original, *arguments, **named)

    patch.setattr(owner, name, replaced)


def is_found(law: int, ruleset: str, laws: set[int]) -> bool:
    """Whether a law is found to be broken, where some are looked at: no further than that."""
    path = HERE / f"{ruleset}.yaml"
    loaded, _ = load(path if path.is_file() else CLASSICS / f"{ruleset}.yaml")
    assert loaded is not None
    found = check_laws(loaded, games=8, laws=laws)
    return any(each.law == law and CRASH not in each.what for each in found)


# ------------------------------------------------------------------------------ 1 conservation


@mutant(1, "stacks")
def a_component_is_lost(patch):
    def lay(original, self, slots, kind, component, to):
        original(self, slots, kind, component, to)
        if self.instances[to].family.name == "heap":
            slots[kind.base + component] = -1

    around(patch, Components, "lay", lay)


@mutant(1, "counted")
def a_component_is_doubled_for_a_moment(patch):
    doubled: list[tuple[list[int], int]] = []

    def add(original, self, slots, kind, class_, to):
        instance = self.instances[to]
        if instance.family.name == "camp":
            slots[instance.counts + class_] += 1
            doubled.append((slots, instance.counts + class_))
        return original(self, slots, kind, class_, to)

    def step(original, self, play):
        for slots, at in doubled:
            slots[at] -= 1
        doubled.clear()
        return original(self, play)

    around(patch, Components, "add", add)
    around(patch, Reference, "_step", step)


@mutant(1, "stacks")
def a_shuffle_leaves_a_gap(patch):
    def arrange(original, self, slots, zone, order):
        original(self, slots, zone, order)
        kind = self.instances[zone].kind
        if order and kind.positions >= 0:
            slots[kind.positions + order[-1]] += 1

    around(patch, Components, "arrange", arrange)


@mutant(1, "broken/overdraft")
def a_range_is_not_looked_at(patch):
    def put(original, self, target, span, clamp=False):
        convert = self._number(self.tables.type_of(target), span)

        def unchecked(play, at, value):
            play.slots[at] = convert(value)

        return unchecked

    around(patch, Stores, "put", put)


@mutant(1, "parts")
def the_shadow_is_left(patch):
    def close(original, self, play):
        shadow = self.game.layout.shadow
        start, end = self.game.layout.live
        kept = play.slots[shadow : shadow + end - start]
        after = original(self, play)
        play.slots[shadow : shadow + end - start] = kept
        return after

    around(patch, Reference, "_close", close)


@mutant(1, "counted")
def knowledge_is_of_more_than_there_is(patch):
    around(patch, Knowledge, "_moved_count", lambda original, *given: None)


@mutant(1, "scry")
def a_place_is_known_of_what_is_not_known_to_be_there(patch):
    around(
        patch,
        Places,
        "on_top",
        lambda original, self, slots, zone, one, mask: original(self, slots, zone, one, 3),
    )


@mutant(1, "stacks")
def a_place_is_known_where_there_is_none_any_more(patch):
    around(patch, Places, "forget", lambda original, *given: None)


# ---------------------------------------------------------------------------------- 2 a value


@mutant(2, "refill")
def what_is_applied_writes_into_its_state(patch):
    made: list[Reference] = []

    def apply(original, self, state, given):
        step = original(self, state, given)
        if self not in made[:1]:  # the first one walks: it would break down at once
            object.__setattr__(state, "slots", step.state.slots)
        return step

    def initial(original, self):
        made.append(self)
        return original(self)

    around(patch, Reference, "apply", apply)
    around(patch, Reference, "initial", initial)


@mutant(2, "tic_tac_toe")
def signs_get_lost(patch):
    def to_bytes(original, self):
        return original(State(tuple(abs(each) for each in self.slots)))

    around(patch, State, "to_bytes", to_bytes)


@mutant(2, "refill")
def an_executor_remembers(patch):
    def apply(original, self, state, given):
        step = original(self, state, given)
        self.count = getattr(self, "count", 0) + 1
        return Step(step.state, step.events[1:]) if self.count % 5 == 0 else step

    around(patch, Reference, "apply", apply)


@mutant(2, "refill")
def what_was_listed_is_kept_too_long(patch):
    def step(original, self, play):
        self.kept = {}
        return original(self, play)

    def offers(original, self, state, asked):
        if asked.frame not in self.kept:
            self.kept[asked.frame] = original(self, state, asked)
        return self.kept[asked.frame]

    around(patch, Reference, "_step", step)
    around(patch, Reference, "_offers", offers)


@mutant(2, "resorted")
def what_was_listed_means_others_once_sorted(patch):
    """Found by a made-up ruleset."""

    def step(original, self, play):
        before = State(tuple(play.slots))
        asked = [each for each in self.waiting(before) if each.player != CHANCE]
        listed = {each.frame: self._offers(before, each) for each in asked}
        made = original(self, play)
        self.kept = made.state, listed
        return made

    def offers(original, self, state, asked):
        of, listed = getattr(self, "kept", (None, {}))
        return listed[asked.frame] if of is state else original(self, state, asked)

    around(patch, Reference, "_step", step)
    around(patch, Reference, "_offers", offers)


@mutant(2, "parts")
def untold_plays_go_otherwise(patch):
    def apply(original, self, state, given):
        step = original(self, state, given)
        if self.events or not step.state.slots[1]:
            return step
        return Step(State((*step.state.slots[:-1], 1)), step.events)

    around(patch, Reference, "apply", apply)


# ------------------------------------------------------------------------------------ 3 legal


@mutant(3, "refill")
def actions_are_not_sorted(patch):
    around(patch, Reference, "legal", lambda legal, *given: legal(*given)[::-1])


@mutant(3, "refill")
def an_action_is_listed_twice(patch):
    def legal(original, *given):
        found = original(*given)
        return found + found[-1:]

    around(patch, Reference, "legal", legal)


@mutant(3, "refill")
def anybody_may_act(patch):
    def legal(original, self, state, player):
        waiting = self.waiting(state)
        return original(self, state, waiting[0].player if waiting else player)

    around(patch, Reference, "legal", legal)


@mutant(3, "refill")
def what_is_not_listed_is_taken(patch):
    def apply(original, self, state, given):
        try:
            return original(self, state, given)
        except IllegalInput as refused:
            if refused.refusal.code == "not_there":
                return Step(state, ())
            raise

    around(patch, Reference, "apply", apply)


@mutant(3, "refill")
def what_is_listed_is_refused(patch):
    def refusal(original, self, state, given):
        found = original(self, state, given)
        if found is None and isinstance(given, Decision) and given.action == 0:
            return Refusal("hidden", "not today")
        return found

    around(patch, Reference, "refusal", refusal)


@mutant(3, "refill")
def what_is_listed_fails(patch):
    def move(original, self, play, kind, component, to, span, *way):
        if self.components.count(play.slots, to) > 1:
            raise rule_error("full", "there is no room", span)
        return original(self, play, kind, component, to, span, *way)

    around(patch, Moves, "move", move)


@mutant(3, "refill")
def two_actions_have_one_name(patch):
    def text(original, game, action):
        return original(game, action).split("(")[0]

    around(patch, actions, "text", text)


# --------------------------------------------------------------------------------- 4 refusals


@mutant(4, "refill")
def what_is_refused_is_recorded(patch):
    def submit(original, self, player, action):
        if self._record is not None and 0 <= player < len(self.game.players):
            self._record.decision(self._number + 1, self.game.players[player], str(action))
        return original(self, player, action)

    around(patch, Session, "submit", submit)


@mutant(4, "refill")
def a_refusal_counts(patch):
    def submit(original, self, player, action):
        try:
            return original(self, player, action)
        except IllegalInput:
            self._counts[player] = self._counts.get(player, 0) + 1
            raise

    around(patch, Session, "submit", submit)


@mutant(4, "refill")
def a_refusal_plays_on(patch):
    def give(original, self, given):
        try:
            original(self, given)
        except IllegalInput:
            self._path = self._path[:-1]
            raise

    around(patch, Session, "give", give)


@mutant(4, "gates")
def a_refusal_says_nothing(patch):
    around(patch, Refuser, "why", lambda why, *given: dataclasses.replace(why(*given), message=""))


@mutant(4, "gates")
def a_refusal_names_no_line(patch):
    around(patch, Refuser, "why", lambda why, *given: dataclasses.replace(why(*given), span=None))


# ---------------------------------------------------------------------- 5 indistinguishable


@mutant(5, "secrets")
def a_hidden_count_is_seen(patch):
    def zone(original, self, entry, *given):
        seen = original(self, entry, *given)
        return dataclasses.replace(seen, count=self.components.count(self.slots, entry.zone.number))

    around(patch, PlayerView, "_zone", zone)


@mutant(5, "secrets")
def a_hidden_hand_is_seen(patch):
    def sees(original, self, condition):
        return original(self, condition) or condition.owner == 0

    around(patch, PlayerView, "sees", sees)


@mutant(5, "secrets")
def what_may_be_seen_is_not(patch):
    def sees(original, self, condition):
        return original(self, condition) and condition.owner != self.viewer

    around(patch, PlayerView, "sees", sees)


@mutant(5, "parts")
def the_shadow_is_thin(patch):
    around(patch, PlayerView, "_vector", lambda through, self: self.state.slots)


@mutant(5, "secrets")
def everybody_hears_what_is_set(patch):
    around(patch, EventLog, "emit", told_to_all("set"))


@mutant(5, "counted")
def everybody_hears_which_card_it_was(patch):
    around(patch, EventLog, "emit", told_to_all("move"))


@mutant(5, "counted")
def everybody_hears_what_was_chosen(patch):
    around(patch, EventLog, "emit", told_to_all("choose"))


@mutant(5, "counted")
def everybody_hears_what_was_shown(patch):
    around(patch, EventLog, "emit", told_to_all("show"))


def told_to_all(wanted):
    def tell(original, self, play, word, audience, detail, *given, **named):
        if word == wanted:
            audience = detail = self.visibility.all
        original(self, play, word, audience, detail, *given, **named)

    return tell


@mutant(5, "passing")
def the_open_text_names_the_card(patch):
    def tell(original, self, play, word, audience, detail, open_, secret=None, **named):
        if word == "move" and secret is not None:
            open_ = (secret[0], open_[1])
        original(self, play, word, audience, detail, open_, secret, **named)

    around(patch, EventLog, "emit", tell)


@mutant(5, "gates")
def a_refusal_tells_a_secret(patch):
    around(patch, Secrecy, "open_to", lambda open_to, *given: True)


@mutant(5, "counted")
def an_answer_to_undo_tells_a_secret(patch):
    def undoable(original, self, player):
        found = original(self, player)
        if isinstance(found, CannotUndo):
            return CannotUndo(found.code, f"{found} {hash(self.state.slots)}")
        return found

    around(patch, Session, "_undoable", undoable)


@mutant(5, "secrets")
def knowledge_is_invented(patch):
    def moved(original, self, play, kind, component, *given):
        original(self, play, kind, component, *given)
        if self.kept(kind) and not kind.kind.counted:
            play.slots[self.column(kind) + component] = 7

    around(patch, Knowledge, "moved", moved)


@mutant(5, "stacks")
def places_are_counted_from_the_wrong_end(patch):
    def known(original, self, slots, zone, player):
        last = self.components.count(slots, zone) - 1
        found = original(self, slots, zone, player)
        return [dataclasses.replace(each, turn=last - each.turn) for each in found]

    around(patch, Places, "known", known)


@mutant(5, "passing")
def knowledge_is_invented_of_what_goes_on(patch):
    def taken_up(original, self, play, zone, seen):
        load = original(self, play, zone, seen)
        for known in load.known.values():
            known[0] = 1
        return load

    around(patch, Knowledge, "taken_up", taken_up)


@mutant(5, "secrets")
def what_is_known_is_dealt_away(patch):
    def deal(original, view, slots, kind, zones, stay, holders, luck):
        return original(view, slots, kind, zones, Counter(), holders, luck)

    around(patch, resample, "_deal", deal)


@mutant(5, "counted")
def what_is_known_of_alike_ones_is_dealt_away(patch):
    def piles(original, view, kind, zones, stay):
        return original(view, kind, zones, Counter())

    around(patch, resample, "_piles", piles)


@mutant(5, "counted")
def others_know_what_is_dealt_away(patch):
    around(patch, resample, "_known_there", lambda original, *given: None)


@mutant(5, "passing")
def what_is_seen_is_dealt_too(patch):
    around(patch, resample, "hidden_zones", lambda original, view, kind: list(kind.zones))


@mutant(5, "ordered")
def what_is_dealt_is_more_or_less(patch):
    def deal(original, view, luck):
        slots = list(original(view, luck).slots)
        kind = next(iter(view.tables.kinds.values()))
        if kind.kind.counted:
            slots[view.tables.instances[kind.zones[0]].counts] += 1
        else:
            slots[kind.base] = kind.zones[luck.below(len(kind.zones))]
        return State(tuple(slots))

    around(patch, laws_dealing, "deal_anew", deal)


@mutant(5, "secrets")
def a_question_tells_a_secret(patch):
    around(patch, questions, "is_open", lambda open_, view, part: True)


@mutant(5, "secrets")
def an_order_tells_a_secret(patch):
    """Zones are listed in an order that depends on where hidden cards lie."""

    def zones(original, self):
        kind = self.tables.kinds["card"]
        lying = self.state.slots[kind.base : kind.base + kind.kind.total]
        hidden = sum(at * zone for at, zone in enumerate(lying))
        found = original(self)
        return found[hidden % len(found) :] + found[: hidden % len(found)]

    around(patch, PlayerView, "zones", zones)


def what_others_do_in_a_block_is_told(patch, arranged=lambda events: events):
    """As it happened, when all are done; not as the difference that it made."""

    def told(
        original, self, play, word, audience, detail, open_, secret=None, maker=None, block=None
    ):
        audience |= detail
        if play.events is not None and audience and word:
            secret = open_ if secret is None else secret
            block = play.block if block is None else block
            play.events.append(Event(word, audience, detail, open_, secret, block, maker))

    def sift(original, events, number, viewer, held, players):
        events = list(events)
        waiting = [*held, *((number, each) for each in events if each.block not in (None, viewer))]
        heard = [each for each in events if each.block in (None, viewer)]
        if any(each.word == recall.TOGETHER_END for each in heard):
            waiting.sort(key=lambda each: each[1].block)
            at = next(n for n, each in enumerate(heard) if each.word == recall.TOGETHER_END)
            heard[at:at] = arranged([each for _, each in waiting])
            waiting = []
        return observe.tell(heard, viewer, players), tuple(waiting)

    around(patch, EventLog, "emit", told)
    patch.setattr(Differences, "tell", lambda self, play, before: None)
    for module in (recall, tracing):
        around(patch, module, "sift", sift)


@mutant(5, "plan_order")
def the_order_in_a_block_is_told(patch):
    what_others_do_in_a_block_is_told(patch)


@mutant(5, "set_twice")
def what_came_and_went_in_a_block_is_told(patch):
    what_others_do_in_a_block_is_told(patch)


@mutant(5, "rerolled")
def how_often_was_rolled_in_a_block_is_told(patch):
    what_others_do_in_a_block_is_told(patch)


@mutant(5, "set_twice")
def what_came_and_went_in_a_block_is_told_in_some_order(patch):
    """Sorted by what is told: the order is no secret any more, and the number is one still."""

    def arranged(events):
        return sorted(events, key=lambda each: (each.block, each.open[0]))

    what_others_do_in_a_block_is_told(patch, arranged)


@mutant(5, "gathered")
def what_is_gathered_is_told_as_it_is_numbered(patch):
    def moved(original, self, play, moves, before):
        for each in moves:
            original(self, play, [each], before)

    around(patch, EventLog, "moved", moved)


@mutant(5, "turned_over")
def what_is_turned_over_is_told_as_it_lay(patch):
    what_is_gathered_is_told_as_it_is_numbered(patch)


@mutant(5, "spies_shown")
def a_show_to_one_is_told_to_all(patch):
    def shown(original, self, play, kind, members, mask, placed):
        about = {"zones": [], "count": len(members), "to": [], "components": []}
        self.everybody(play, "show", "something is shown", about)

    around(patch, EventLog, "shown", shown)


@mutant(5, "marked")
def what_a_mark_lies_on_is_told(patch):
    def valued(original, *given):
        found = original(*given)
        return dataclasses.replace(found, open=found.secret)

    around(patch, EventLog, "valued", valued)


@mutant(5, "sent_away")
def where_something_went_is_told(patch):
    """Both ends, to whoever sees how much lies at one."""

    def went(original, self, play, kind, component, ends, sights):
        either = sights[0][1] | sights[1][1]
        original(
            self, play, kind, component, ends, ((sights[0][0], either), (sights[1][0], either))
        )

    around(patch, EventLog, "_went", went)


# ----------------------------------------------------------------------------- 6 simultaneous


@mutant(6, "parts")
def who_is_done_is_told(patch):
    def init(original, self, game, state, viewer):
        original(self, game, state, viewer)
        self.together = False

    around(patch, PlayerView, "__init__", init)


@mutant(6, "parts")
def the_last_one_gets_a_point(patch):
    def close(original, self, play):
        play.slots[dict(self.game.layout.variables)["score"] + play.frame - 1] += 1
        return original(self, play)

    around(patch, Reference, "_close", close)


@mutant(6, "parts")
def what_happened_is_told_in_the_order_of_submission(patch):
    def sift(original, events, number, viewer, held, players):
        mine, others = [], list(held)
        for event in events:
            if event.block is not None and event.block != viewer:
                others.append((number, event))
            elif event.word == recall.TOGETHER_END:
                mine += [*(each for _, each in others), event]
                others = []
            else:
                mine.append(event)
        return observe.tell(mine, viewer, players), tuple(others)

    around(patch, recall, "sift", sift)


# ----------------------------------------------------------------------------------- 7 chance


@mutant(7, "refill")
def weights_are_forgotten(patch):
    weigh_one_each(patch)


@mutant(7, "ordered")
def weights_of_a_shuffle_are_forgotten(patch):
    weigh_one_each(patch)


def weigh_one_each(patch):
    def classes(original, *given):
        return [dataclasses.replace(each, weight=1) for each in original(*given)]

    around(patch, ChanceSteps, "classes", classes)


@mutant(7, "refill")
def alike_cards_are_told_apart(patch):
    def classes(original, *given):
        found = original(*given)
        for each in list(found):
            if each.weight > 1:
                found.remove(each)
                one = Possible(each.id, each.weight - 1, each.text, each.value)
                found += [one, Possible(each.id + 50, 1, f"another {each.text}", each.value)]
        return sorted(found, key=lambda each: each.id)

    around(patch, ChanceSteps, "classes", classes)


@mutant(7, "dice")
def outcomes_are_not_sorted(patch):
    around(patch, Reference, "outcomes", lambda outcomes, *given: outcomes(*given)[::-1])


@mutant(7, "refill")
def what_is_certain_is_asked(patch):
    def fallen(original, play, possible):
        return None if play.given is None else original(play, possible)

    around(patch, luck, "fallen", fallen)


@mutant(7, "dice")
def an_outcome_cannot_fall(patch):
    def outcomes(original, *given):
        return tuple(dataclasses.replace(each, weight=each.id) for each in original(*given))

    around(patch, Reference, "outcomes", outcomes)


@mutant(7, "dice")
def the_seed_shows(patch):
    def observation(original, self, viewer):
        return dataclasses.replace(original(self, viewer), question=f"seed {self.seed}")

    around(patch, Session, "observation", observation)


# ---------------------------------------------------------------------------------- 8 records


@mutant(8, "refill")
def what_is_torn_is_passed_over(patch):
    patch.setattr(record._Reader, "report", lambda self, code, message, span: None)


@mutant(8, "settings", 10)
def other_options_are_not_noticed(patch):
    def other(original, record, game):
        return original(dataclasses.replace(record, options=_options(game)), game)

    around(patch, replay, "_other_rules", other)


def _options(game):
    return {option.name: option.text for option in game.options}


@mutant(8, "settings", 10)
def options_are_not_saved(patch):
    def header(original, game, *given):
        data = original(game, *given)
        return {**data, "options": {each.name: each.default_text for each in game.options}}

    around(patch, record, "header", header)


@mutant(8, "refill")
def what_is_illegal_is_skipped(patch):
    around(patch, replay, "follow", lambda follow, session, entry: follow(session, entry) and None)


@mutant(8, "refill")
def a_result_is_not_compared(patch):
    patch.setattr(replay, "_ended", lambda session, entry: None)


@mutant(8, "refill")
def a_changed_line_is_not_noticed(patch):
    patch.setattr(record._Reader, "_edited", lambda self, message, span: None)


@mutant(8, "refill")
def the_state_at_the_end_is_not_compared(patch):
    def ended(original, session, entry):
        return original(session, dataclasses.replace(entry, state=""))

    around(patch, replay, "_ended", ended)


@mutant(8, "refill")
def what_follows_a_torn_line_is_glued_to_it(patch):
    def append(original, path, record, game, **named):
        file = path.open("r+b", buffering=0)
        file.truncate(record.good)
        file.seek(record.good)
        return RecordWriter(file, game)

    around(patch, RecordWriter, "append", append)


@mutant(8, "dice")
def a_seed_is_forgotten(patch):
    around(
        patch, replay, "Session", lambda made, ex, seats, seed, **named: made(ex, seats, 0, **named)
    )


# ------------------------------------------------------------------------------------- 9 undo


@mutant(9, "queue")
def undo_forgets_to_count(patch):
    def settle(original, self, *new):
        counts = dict(self._counts)
        original(self, *new)
        if not new:
            self._counts = counts

    around(patch, Session, "_settle", settle)


@mutant(9, "dice")
def undo_goes_across_luck(patch):
    around(patch, Session, "_undoable", undoes_what_is("settled"))


@mutant(9, "queue")
def undo_goes_across_others(patch):
    around(patch, Session, "_undoable", undoes_what_is("decision"))


@mutant(9, "queue")
def undo_goes_behind_the_end(patch):
    around(patch, Session, "_undoable", undoes_what_is("over"))


def undoes_what_is(code):
    def undoable(original, self, player):
        found = original(self, player)
        if isinstance(found, CannotUndo) and found.code == code:
            return max(at for at, point in enumerate(self._path) if point.player == player)
        return found

    return undoable


@mutant(9, "ordered")
def undo_gives_a_peek(patch):
    patch.setattr(taking_back, "reveals", lambda *given: False)


@mutant(9, "secrets")
def undo_across_replies_gives_a_peek(patch):
    patch.setattr(taking_back, "gives_away", lambda *given: False)


@mutant(9, "tic_tac_toe")
def undo_takes_the_reply_only(patch):
    def take_back(original, self, number):
        last = self._path[-1]
        original(self, number if last.player is None else last.number)

    around(patch, Session, "take_back", take_back)


@mutant(9, "queue")
def undo_forgets_to_forget(patch):
    def take_back(original, self, number):
        kept = {viewer: list(each) for viewer, each in self._recalls.items()}
        original(self, number)
        self._recalls.update(kept)

    def undo(original, self, player):
        for viewer in (*range(len(self.game.players)), observe.SPECTATOR):
            self.information(viewer)
        original(self, player)

    around(patch, Session, "take_back", take_back)
    around(patch, Session, "undo", undo)


@mutant(9, "parts")
def undo_takes_others_with_it(patch):
    def take_back(original, self, number):
        place = next(at for at, point in enumerate(self._path) if point.number == number)
        self._path = self._path[: place + 1]
        original(self, number)

    around(patch, Session, "take_back", take_back)


# --------------------------------------------------------------------------------- 10 options


@mutant(10, "settings")
def a_combination_is_refused_without_a_reason(patch):
    def game(original, self, *given):
        made, found = original(self, *given)
        return made, [dataclasses.replace(each, message=" ") for each in found]

    around(patch, Loaded, "game", game)


@mutant(10, "settings")
def a_value_of_an_option_cannot_be_set(patch):
    def game(original, self, players=None, options=None, variants=()):
        if (options or {}).get("length") == "3":
            return None, [problem("RR0413", "no", None)]
        return original(self, players, options, variants)

    around(patch, Loaded, "game", game)


# ------------------------------------------------------------------------------------ 11 ends


@mutant(11, "endless")
def the_bound_is_passed(patch):
    patch.setattr(Session, "truncated", property(lambda self: False))


@mutant(11, "endless")
def what_is_cut_off_has_a_result(patch):
    def verdict(self):
        found = self.executor.verdict(self.state)
        return "won" if found is None and self.truncated else found

    patch.setattr(Session, "verdict", property(verdict))


@mutant(11, "endless")
def a_running_game_has_a_verdict(patch):
    def verdict(original, self, state):
        return original(self, state) or self.scoring.verdict((1, *state.slots[1:]), [None] * 99)

    around(patch, Reference, "verdict", verdict)


# ---------------------------------------------------------------------------------- 12 places


@mutant(12, "ties", 10)
def a_tie_takes_one_place(patch):
    def ranked(original, *given):
        winners, places = original(*given)
        order = sorted(set(places))
        return winners, tuple(order.index(place) + 1 for place in places)

    around(patch, Scoring, "_ranked", ranked)


@mutant(12, "ties", 10)
def ties_are_not_broken(patch):
    def init(original, self, evaluator):
        original(self, evaluator)
        self.ties = []

    around(patch, Scoring, "__init__", init)


@mutant(12, "elimination")
def who_is_out_has_a_place(patch):
    def init(original, self, evaluator):
        original(self, evaluator)
        self.out = None

    around(patch, Scoring, "__init__", init)


@mutant(12, "ties")
def only_one_can_win(patch):
    def verdict(original, self, slots, registers):
        made = original(self, slots, registers)
        return dataclasses.replace(made, winners=made.winners[:1])

    around(patch, Scoring, "verdict", verdict)


@mutant(12, "refill")
def returns_are_of_one_size(patch):
    def verdict(original, self, slots, registers):
        made = original(self, slots, registers)
        return dataclasses.replace(made, returns=tuple(abs(each) for each in made.returns))

    around(patch, Scoring, "verdict", verdict)


# ---------------------------------------------------------------------------------- 13 unread


@mutant(13, "refill")
def unknown_keys_pass(patch):
    around(patch, loading, "check_shape", lambda check, document: [])
    around(patch, loading, "outline", lambda outline, *given: (outline(*given)[0], []))


@mutant(13, "refill")
def unread_names_pass(patch):
    patch.setattr(flow, "check_flow", lambda *given: None)


@pytest.mark.parametrize(("law", "others", "ruleset", "plant"), MUTANTS)
def test_the_fault_is_found(law, others, ruleset, plant, monkeypatch):
    plant(monkeypatch)
    assert is_found(law, ruleset, {law, *others})


@pytest.mark.parametrize("law", range(14))
def test_every_law_has_a_mutant(law):
    planted = {each.values[0] for each in MUTANTS}
    broken = {
        int(line.removeprefix("#: breaks "))
        for path in (HERE / "broken").glob("*.yaml")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("#: breaks ")
    }
    assert law in planted | broken
    assert CHANCE == -1
