"""What the python executor keeps: masks as slots are written, choices without a row for each.

What it keeps must be what is there: masks are made anew from the slots and compared at every rest,
choices of every form are compared with their rows.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from tests.rulesets import game_named

from rulerun.compiled.python.executor import Bailout, PythonExecutor
from rulerun.compiled.python.regions import masks_of
from rulerun.compiled.python.row_forms import (
    Choices,
    Known,
    Listed,
    Masked,
    Mixed,
    Paired,
    Placed,
    bits,
    known,
)
from rulerun.executors.stepper import TERMINAL, PythonStepper, StateStepper
from rulerun.runtime.state import State

# ------------------------------------------------------------------------------------------ masks

KEPT = {
    # By game: what is asked of many slots at once.
    "tic_tac_toe": "what is marked",
    "breakthrough": "an address that is read from a table",
    "hex": "more than 64 sites",
    "hearts": "where cards lie, in frames",
    "goofspiel": "parts of a together",
    "checkers": "several moves by one player",
}


@pytest.mark.parametrize("name", KEPT)
def test_masks_say_what_the_slots_hold(name: str) -> None:
    executor = PythonExecutor(game_named(name), events=False)
    regions = executor.code.regions
    assert regions, "no mask is kept: the test tells nothing"
    luck = random.Random(name)
    for _ in range(3):
        play = PythonStepper(executor)
        for _ in range(150):
            if play.who() == TERMINAL:
                break
            play.apply(luck.choice(play.legal()))
            slots = play._slots
            assert slots[executor.behind.masks :] == masks_of(slots, regions)


def test_a_slot_that_holds_what_none_may_is_left_to_the_reference() -> None:
    executor = PythonExecutor(game_named("tic_tac_toe"), events=False)
    slots = list(executor.initial().state.slots)
    slots[executor.code.regions[0].base] = 9
    with pytest.raises(Bailout):
        executor.slots_of(slots)


def test_a_play_goes_on_from_any_state() -> None:
    executor = PythonExecutor(game_named("breakthrough"), events=False)
    luck = random.Random(1)
    play = PythonStepper(executor)
    for _ in range(40):
        again = PythonStepper.at(executor, State(play.state().slots))
        assert (again.who(), again.legal()) == (play.who(), play.legal())
        choice = luck.choice(play.legal())
        play.apply(choice)
        again.apply(choice)
        assert again.state() == play.state()


@pytest.mark.parametrize("name", KEPT)
def test_a_step_that_is_given_up_has_not_been(name: str) -> None:
    """The slots that it wrote are what they were, and the reference takes the input."""
    executor = PythonExecutor(game_named(name), events=False)
    fails = _Fails()
    executor.take = fails.after(executor.take)  # type: ignore[method-assign]
    play, plain = PythonStepper(executor), StateStepper(executor.reference)
    play._take = fails.after(play._take)
    luck = random.Random(name)
    for turn in range(120):
        assert (play.who(), play.state()) == (plain.who(), plain.state())
        if play.who() == TERMINAL:
            break
        choice = luck.choice(play.legal())
        fails.soon = turn % 3 == 2
        copy = play.clone() if turn % 5 == 2 else play
        copy.apply(choice)
        if copy is not play:
            play.apply(choice)
        plain.apply(choice)
        assert copy.state() == plain.state()
    assert fails.failed > 1


class _Fails:
    """Gives a step up, when it is asked to, once it has written slots."""

    soon = False
    failed = 0

    def after(self, take: Callable[..., Any]) -> Callable[..., Any]:
        def taking(slots: list[Any], *given: Any) -> Any:
            whole = take(slots, *given)
            if self.soon:
                self.soon = False
                self.failed += 1
                slots[:] = [9] * len(slots)
                raise Bailout
            return whole

        return taking


# ---------------------------------------------------------------------------------------- choices


@pytest.mark.parametrize("wide", [1, 9, 11, 12, 64, 121])
def test_bits_are_the_places_that_are_set(wide: int) -> None:
    luck = random.Random(wide)
    for mask in (0, 1, (1 << wide) - 1, *(luck.getrandbits(wide) for _ in range(50))):
        assert bits(mask) == tuple(at for at in range(wide) if mask >> at & 1)


ROWS: list[tuple[int, ...]] = [(3, 1, 3), (5, 1, 5), (70, 1, 70)]
PAIRS: list[tuple[int, ...]] = [(6, 0, 0, 6), (9, 0, 1, 1), (14, 0, 1, 6), (561, 0, 70, 1)]
PLACES = (3, 3, 5, 5, 5, 6, 6, 7, 70)
PLACED: list[tuple[int, ...]] = [(3, 1, 0), (5, 1, 2), (70, 1, 8)]
FORMS: dict[str, tuple[Choices, list[tuple[int, ...]]]] = {
    "listed": (Listed([*ROWS]), [*ROWS]),
    "known": (Known([*ROWS]), [*ROWS]),
    "masked": (Masked(1 << 3 | 1 << 5 | 1 << 70, 1), [*ROWS]),
    "mixed": (Mixed(1 << 3 | 1 << 5, 1, [ROWS[2]]), [*ROWS]),
    "placed": (Placed(1 | 1 << 2 | 1 << 8, 1, PLACES), PLACED),
    "paired": (Paired({1: 1 << 1 | 1 << 70, 6: 1 | 1 << 1}, 8, 0), PAIRS),
}


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_of_choices_say_what_their_rows_say(form: str) -> None:
    choices, rows = FORMS[form]
    assert list(choices.rows) == rows
    assert choices.many == len(rows)
    assert choices.ids == tuple(row[0] for row in rows)
    assert choices.weights == tuple(row[1] for row in rows)
    assert [choices.nth(place) for place in range(len(rows))] == rows
    by_id = {row[0]: row for row in rows}
    for choice in range(-8, 600):
        assert choices.row(choice) == by_id.get(choice)


def test_what_is_remembered_is_bounded() -> None:
    memo: dict[int, Known] = {}
    for key in range(10_000):
        known(memo, key, [*ROWS])
    assert 0 < len(memo) <= 1 << 12


FORM = {
    # By game: the form of the choices at its first question.
    "tic_tac_toe": Known,
    "hex": Masked,
    "breakthrough": Paired,
    "connect_four": Known,
    "chess": Listed,
    "othello": Masked,
}


@pytest.mark.parametrize("name", FORM)
def test_the_form_goes_by_the_question(name: str) -> None:
    play = PythonStepper(PythonExecutor(game_named(name), events=False))
    assert type(play._choices) is FORM[name]
