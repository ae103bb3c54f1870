"""What the rules would have a viewer read: a question, a headline, hints beside actions.

Assumes a viewer's `PlayerView`, and whose input is wanted.
Does: works the parts of a sentence out, and puts `HIDDEN` for what reads more than the viewer sees.
Leaves behind sentences as `Said`. No rule fails for one of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any

from rulerun.reference.choices import Lister
from rulerun.runtime.executor import RuleError, Waiting
from rulerun.runtime.phrases import Filling, Said, assembled, filling, template_of
from rulerun.views.observation import Json
from rulerun.views.player_view import PlayerView
from rulerun_dsl.model import Choose, Expression

HIDDEN = "…"
"""Stands where a question names what the viewer may not know."""


def question(view: PlayerView, waiting: Waiting) -> Said | None:
    """What is asked of someone; to others, without what it says of the state."""
    instruction = view.game.code[waiting.instruction]
    if not isinstance(instruction, Choose) or not instruction.ask:
        return None
    return _said(view, instruction.ask, lambda part: _part(view, part, waiting))


def headline(view: PlayerView) -> Said | None:
    """What the rules would have everybody read, without what the viewer may not know."""
    parts = view.game.view.headline
    if not parts:
        return None
    registers: list[Any] = [None] * view.game.registers
    with view.view_index.evaluator.budget.anew():
        return _said(
            view,
            parts,
            lambda part: (
                _worked_out(view, part, view.slots, view.game.layout.base, registers)
                if is_open(view, part)
                else HIDDEN
            ),
        )


def hints(view: PlayerView, waiting: Waiting, legal: Collection[int]) -> dict[int, Said]:
    """By action: what the rules say that it would cost or bring, to the one who decides.

    All of them share what may be counted: what is left over when it is gone stays hidden.
    """
    with view.view_index.evaluator.budget.anew():
        return _hints(view, waiting, legal)


def _hints(view: PlayerView, waiting: Waiting, legal: Collection[int]) -> dict[int, Said]:
    instruction = view.game.code[waiting.instruction]
    if not isinstance(instruction, Choose) or not any(
        option.hint for option in instruction.options
    ):
        return {}
    base, registers = _frame(view, waiting)
    slots = view.state.slots
    found: dict[int, Said] = {}
    if waiting.instruction not in view.view_index.listers:
        view.view_index.listers[waiting.instruction] = [
            Lister(view.view_index.evaluator, option) for option in instruction.options
        ]
    lines = Counter(option.action for option in instruction.options)
    for lister in view.view_index.listers[waiting.instruction]:
        option = lister.option
        if not option.hint and lines[option.action] == 1:
            continue
        try:
            if lines[option.action] == 1:
                offers = lister.named(legal, slots, base, registers)
            else:
                offers = lister.offers(slots, base, registers)
        except RuleError:
            # It was listed before: this time the hints have taken what may be counted.
            break
        for action, values in offers:
            if action in found:
                continue
            for register, value in zip(lister.registers, values, strict=True):
                registers[register] = value
            found[action] = _said(
                view, option.hint, lambda part: _worked_out(view, part, slots, base, registers)
            )
    return found


def _part(view: PlayerView, part: Expression, waiting: Waiting) -> Json:
    if waiting.player != view.viewer and not is_open(view, part):
        return HIDDEN
    base, registers = _frame(view, waiting)
    run = view.view_index.evaluator.compile(part)
    return view.plain(part.type, run(view.state.slots, base, registers))


def _said(
    view: PlayerView, parts: Sequence[str | Expression], value: Callable[[Expression], Json]
) -> Said:
    """A sentence with its values, each as the viewer may know it."""
    pieces: list[str | Filling] = []
    values: list[Json] = []
    for part in parts:
        if isinstance(part, str):
            pieces.append(part)
            continue
        values.append(value(part))
        pieces.append(filling(values[-1], view.game.words.language))
    return Said.of(assembled(pieces), template_of(parts), values)


def _frame(view: PlayerView, waiting: Waiting) -> tuple[int, list[Any]]:
    """Where the locals of a question are, and registers to work with."""
    layout = view.game.layout
    return layout.base + waiting.frame * layout.frame, [None] * view.game.registers


def _worked_out(
    view: PlayerView, part: Expression, slots: Sequence[int], base: int, registers: list[Any]
) -> Json:
    """A part of a sentence for people: no rule fails for it."""
    try:
        value = view.view_index.evaluator.compile(part)(slots, base, registers)
    except RuleError:
        return HIDDEN
    return view.plain(part.type, value)


def is_open(view: PlayerView, part: Expression) -> bool:
    """Whether the viewer sees everything that an expression may read."""
    conditions = view.view_index.conditions(part)
    return conditions is not None and all(any(map(view.sees, each)) for each in conditions)
