"""Law 2: a state is a value. Changing one of two equal states leaves the other as it was.

Assumes a walk.
Does: writes states out and reads them back, asks another executor the same about them, applies the
same inputs, and plays the whole walk again; looks whether the states that were kept are unchanged.
Leaves behind what differs. That other processes, locales and Pythons agree is for the tests.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import blake2b

from rulerun.laws.trajectory import Found, Walk
from rulerun.laws.whole import Whole
from rulerun.reference.executor import Reference
from rulerun.runtime.closures import fresh_registers
from rulerun.runtime.executor import Executor, RuleError
from rulerun.runtime.state import State
from rulerun.views.observe import observe

MOST_STATES = 16
LONGEST = 60
"""States of a long walk whose views are hashed."""


def whole(walk: Walk) -> Iterator[Found]:
    """Law 1, in every state at rest."""
    tested = Whole(walk.game)
    for at, state in enumerate(walk.states):
        for fault in tested.at_rest(state.slots):
            yield at, fault


def always(walk: Walk) -> Iterator[Found]:
    """What the rules file says is always so, in every state at rest."""
    sight = walk.table.sight
    tests = [(each.name, sight.evaluator.compile(each.condition)) for each in walk.game.always]
    for at, state in enumerate(walk.states):
        for name, holds in tests:
            registers = fresh_registers(walk.game)
            try:
                held = bool(holds(state.slots, walk.game.layout.base, registers))
            except RuleError as error:
                yield at, f"`{name}` cannot be told: {error.message}"
                continue
            if not held:
                yield at, f"not so: {name}"


def value(walk: Walk) -> Iterator[Found]:
    """Look for states that are no values."""
    for at in walk.picked(MOST_STATES, "values"):
        state = walk.states[at]
        for what in _written(state):
            yield at, what
            return
        read = State.from_bytes(state.to_bytes())
        for what in _asked(walk.executor, walk.table.other, state, read, walk.viewers):
            yield at, what
        if at < len(walk.steps):
            step = walk.table.other.apply(read, walk.inputs[at])
            if step.state != walk.steps[at].state:
                yield at, f"another executor gives another state for `{walk.texts[at]}`"
            if step.events != walk.steps[at].events:
                yield at, f"another executor tells other events of `{walk.texts[at]}`"
            if read.to_bytes() != walk.kept[at]:
                yield at, f"`{walk.texts[at]}` changed the state that it was given"


def again(walk: Walk) -> Iterator[Found]:
    """Play a whole walk again, and look whether its states are still what they were."""
    yield from _again(walk)
    for at, state in enumerate(walk.states):
        if state.to_bytes() != walk.kept[at]:
            yield at, "the state has changed since it was made"


def _written(state: State) -> Iterator[str]:
    """Whether a state can be written and read back."""
    read = State.from_json(json.loads(json.dumps(state.to_json())))
    if read != state or hash(read) != hash(state):
        yield "the state is another after a round through JSON"
    again = State.from_bytes(state.to_bytes())
    if again != state or again.to_bytes() != state.to_bytes():
        yield "the state is another after a round through bytes"


def _asked(
    one: Executor, other: Executor, state: State, read: State, viewers: tuple[int, ...]
) -> Iterator[str]:
    """Whether two executors answer alike of two equal states."""
    if one.waiting(state) != other.waiting(read):
        yield "who is asked differs between equal states"
    if one.outcomes(state) != other.outcomes(read):
        yield "the chance outcomes differ between equal states"
    if one.verdict(state) != other.verdict(read):
        yield "the verdict differs between equal states"
    for player in range(len(one.game.players)):
        if one.legal(state, player) != other.legal(read, player):
            yield "what is legal differs between equal states"
    for viewer in viewers:
        if observe(one, state, viewer).text() != observe(other, read, viewer).text():
            yield "what is seen differs between equal states"


def _again(walk: Walk) -> Iterator[Found]:
    """Whether the same inputs give the same states, told or untold."""
    executors = [walk.table.other]
    if isinstance(walk.executor, Reference):
        executors.append(walk.table.made(events=False))
    for executor in executors:
        state = executor.initial().state
        if state != walk.states[0]:
            yield 0, "set-up gives another state the second time"
            return
        for at, given in enumerate(walk.inputs):
            try:
                state = executor.apply(state, given).state
            except RuleError:
                if at < len(walk.steps):
                    yield at, f"`{walk.texts[at]}` is a rule error the second time"
                break
            if at >= len(walk.steps) or state != walk.states[at + 1]:
                yield at, f"`{walk.texts[at]}` gives another state the second time"
                return


def trace(walk: Walk) -> str:
    """A hash of the inputs and states of a walk, the same on every machine."""
    found = blake2b("\n".join(walk.texts).encode("utf-8"), digest_size=16)
    for state in walk.states:
        found.update(state.to_bytes())
    return found.hexdigest()


def digest(walk: Walk) -> str:
    """A hash of a walk with its events, too, and with some of what viewers were given."""
    found = blake2b(trace(walk).encode("ascii"), digest_size=16)
    for step in (walk.initial, *walk.steps):
        for event in step.events:
            found.update(f"{event.audience} {event.detail} {event.secret[0]}".encode())
    stretch = walk.cut(LONGEST)
    for viewer in stretch.viewers:
        found.update(stretch.recalls(viewer)[-1].known.digest.encode("ascii"))
    return found.hexdigest()
