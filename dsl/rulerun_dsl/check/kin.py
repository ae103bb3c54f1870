"""What one setting takes over from another for which the rules were checked before it.

Assumes: an outline; worlds of it of which nothing was asked but the values of their options.
Does: keeps the rules of each world whose parts were checked without a finding, with the settings
that the checks asked for (`World.asked`) and their values. Where these, and who plays, are the same
in another world, and it began with the same functions, the same checks would ask the same, say the
same and leave the same. Most options are not among them: both branches of a condition are checked,
and in what is left an option still stands by its name (`m.Setting`).
Leaves behind: rules of its own for the other world. What is frozen is shared: facts, trees,
expressions. What later steps write in is not. What was said of the values themselves
(`World.aside`) is not taken over either: that is checked in each world.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, replace

from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.stmt import statements
from rulerun_dsl.check.stmt.rule_checker import RuleChecker

_OF_THE_SETTING = ("option", "only if")
"""The facts that say what the values are."""

_ITS_OWN = ("outline", "players", "people", "given", "makers", "diagnostics", "results", "suppose")
"""What a world has from its beginning, or from nobody else."""


@dataclass
class Kin:
    """The rules of one outline that were checked so far."""

    every: list[tuple[RuleChecker, dict[str, int | None]]] = field(default_factory=list)
    """With the values of the settings that were asked for."""

    def keep(self, rules: RuleChecker) -> None:
        """Keep rules as they are now, unless something was found in them."""
        world = rules.world
        if world.diagnostics or world.has_given_up:
            return
        kept = copy(world)
        _own(kept, world)
        values = {name: world.setting_value(name) for name in sorted(world.asked)}
        self.every.append((_with(replace(rules, world=kept), rules), values))

    def taken_over(self, world: World) -> RuleChecker | None:
        """The rules as the checks of this world would leave them, if they were checked alike."""
        for rules, values in self.every:
            kept = rules.world
            if (kept.players, kept.people) != (world.players, world.people):
                continue
            if not _begins_alike(world, kept):
                continue
            with world.aside():
                if any(world.setting_value(name) != value for name, value in values.items()):
                    continue
            facts, heights = world._facts, world._heights
            _own(world, kept)
            world._facts = facts | world._facts
            world._heights = heights | world._heights
            return _with(statements.rule_checker(world), rules)
        return None


def _begins_alike(world: World, kept: World) -> bool:
    """Whether the functions that a world has asked for are the first of another, in their order.

    The values of options may call some, by which these are numbered, and what they gave is kept by
    number.
    """
    called = [each.decl.at.name for each in world.functions]
    return called == [each.decl.at.name for each in kept.functions[: len(called)]]


def _own(world: World, other: World) -> None:
    """Give a world what another has, and containers of its own."""
    for name, value in vars(other).items():
        if name not in _ITS_OWN:
            setattr(world, name, _copied(value))
    for facts in (world._facts, world._heights):
        for key in [key for key in facts if key[0] in _OF_THE_SETTING]:
            del facts[key]


def _with(rules: RuleChecker, other: RuleChecker) -> RuleChecker:
    """Rules with what other rules have."""
    for name, value in vars(other).items():
        if name != "world":
            setattr(rules, name, _copied(value))
    rules.routines = {
        name: replace(routine, slots=[*routine.slots]) for name, routine in rules.routines.items()
    }
    return rules


def _copied(value: object) -> object:
    """A container with the same in it; what is in containers of containers is copied as well."""
    if isinstance(value, dict):
        return {key: _copied(each) for key, each in value.items()}
    return copy(value) if isinstance(value, list | set) else value
