"""Names for what a choice of several alike components chose.

Assumes: a local of the type `Multiset` holds the place of what was chosen in its parameter's
domain; it is set where its `choose` was answered and nowhere else.
Does: finds the members again among those that the choice was made from, the first of each class.
So such a name is, like the name of a counted component, a place and a class: once they have left,
it is a rule error to ask for them, and to ask how many they were.
Leaves behind: closures, as `evaluate` does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from rulerun.reference.compiler import Compiler
from rulerun.runtime.closures import Run, rule_error
from rulerun.runtime.facets import placing
from rulerun_dsl import model
from rulerun_dsl.model.valuetypes import Multiset, bare


def bindings(game: model.Game) -> dict[tuple[int, str], tuple[model.Option, int]]:
    """By offset and name of a local that names several: its option, and which binder it is."""
    return {
        (binder.local.offset, binder.local.name): (option, at)
        for instruction in game.code
        if isinstance(instruction, model.Choose)
        for option in instruction.options
        for at, binder in enumerate(option.binders)
        if isinstance(bare(binder.local.type), Multiset)
    }


class MultiChoice:
    """The choices of several of one game."""

    def __init__(self, compiler: Compiler) -> None:
        """Find where each name of several is bound."""
        self.compiler = compiler
        self.game = compiler.tables.game
        self._bound = bindings(self.game)

    def members(self, local: model.Local) -> Run:
        """What was chosen, as a collection."""
        bound = self._bound.get((local.offset, local.name))
        if bound is None:
            # The options close the choice that would have made it: nothing was ever chosen.
            return lambda s, b, r: []
        option, at = bound
        domain = self.game.actions[option.action].parameters[at]
        element = domain.element
        assert element is not None
        components, offset = self.compiler.components, local.offset
        source = self.compiler.compile(option.binders[at].source)
        place = placing(components, element)
        earlier = [
            (binder.register, self.compiler.compile(binder.local)) for binder in option.binders[:at]
        ]

        def members(s: Sequence[int], b: int, r: list[Any]) -> list[int]:
            for register, value in earlier:
                r[register] = value(s, b, r)
            there: dict[int | None, list[int]] = defaultdict(list)
            for component in source(s, b, r):
                there[place(s, component)].append(component)
            found = []
            for one in domain.multisets[s[b + offset]]:
                if not there[one]:
                    message = f"of {local.name}, {element.texts[one]} has left"
                    raise rule_error("moved_away", message, local.span)
                found.append(there[one].pop(0))
            return found

        return members
