"""What everybody sees of rules that run: what they change in the open, and what they begin with.

Assumes: every routine is checked.
Does: says of an instruction whether all may see its effect as data (a variable, what lies in a zone
or how much), and of a tree with what it can begin, as far as all can tell: such an effect, a
question, a sentence, the begin of a phase, or nothing before it ends or leaves.
Leaves behind: answers for the checks of secrets. In doubt an effect counts as seen: what is seen
gives a secret away by declaration, and is no finding.
"""

from __future__ import annotations

import dataclasses
from typing import assert_never

from rulerun_dsl import model as m
from rulerun_dsl.check.env import constants, facts
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.stmt import tree, walking
from rulerun_dsl.check.stmt.rule_checker import RuleChecker
from rulerun_dsl.check.whole.secret_reads import Closed, Read, first, player_index, seen_by_all
from rulerun_dsl.check.whole.unopened import Unopened
from rulerun_dsl.model.effects import Movement, effects

Shape = tuple[object, ...]
"""An expression without its places, or what all are told, so that two can be compared."""

Begins = frozenset[Shape]
"""All that rules may begin with."""

EFFECT: Shape = ("effect",)
"""Something changes that all may see."""
THROUGH: Shape = ("through",)
"""Nothing is seen before what comes behind."""
LEAVES: Shape = ("leaves",)
"""Nothing is seen before the routine is left."""


def shape(node: object) -> Shape:
    """An expression without its places; names stand for what they name."""
    if not isinstance(node, m.Expression | m.Clause):
        return (node,)
    name = node.name if isinstance(node, m.Local) else ""
    if name:
        return ("Local", name)
    found: list[object] = [type(node).__name__]
    for field in dataclasses.fields(node):
        if field.name in ("span", "type"):
            continue
        value = getattr(node, field.name)
        if isinstance(value, tuple):
            found.append(tuple(shape(each) for each in value))
        else:
            found.append(shape(value))
    return tuple(found)


# ------------------------------------------------------------------------------------ effects


def members_seen(world: World, zone: m.ZoneAt, closed: Closed) -> bool:
    """May everybody see what lies in a zone."""
    return seen_by_all(world, _zone(world, zone, False), closed) is not False


def count_seen(world: World, zone: m.ZoneAt, closed: Closed) -> bool:
    """May everybody see how much lies in a zone."""
    return seen_by_all(world, _zone(world, zone, True), closed) is not False


def _zone(world: World, zone: m.ZoneAt, count_only: bool) -> Read:
    return Read(zone.zone, True, first(world, zone.zone, zone.indexes), count_only, zone.span)


def variable_seen(world: World, node: m.Variable, closed: Closed) -> bool:
    """May everybody see a variable."""
    at = player_index(facts.variable(world, node.name).indexes)
    owner = node.indexes[at] if at is not None and node.indexes else None
    read = Read(node.name, False, owner, False, node.span)
    return seen_by_all(world, read, closed) is not False


def target_seen(world: World, target: m.Target | None, closed: Closed) -> bool:
    """May everybody see what is stored there."""
    match target:
        case None | m.Local():
            return False
        case m.Variable():
            return variable_seen(world, target, closed)
        case m.State():
            return True
        case _:
            assert_never(target)


def is_effect(world: World, instruction: m.Instruction, closed: Closed) -> bool:
    """May everybody see, as data, that an instruction was run."""
    does = effects(instruction)
    if isinstance(instruction, m.ShowTo):
        return instruction.player is None
    if isinstance(instruction, m.SwapZones):
        return any(members_seen(world, each.to, closed) for each in does.moves)
    return (
        does.ends
        or any(target_seen(world, each.target, closed) for each in does.writes)
        or any(move_seen(world, each, closed) for each in does.moves)
        or any(members_seen(world, each, closed) for each in does.reorders)
    )


def move_seen(world: World, move: Movement, closed: Closed) -> bool:
    """May everybody see that components went, by how many are where."""
    source = move.source
    if isinstance(source, m.Members) and source.indexes == move.to.indexes == ():
        source = m.ZoneAt(source.zone, source.indexes, source.span)
    if not isinstance(source, m.ZoneAt):
        return True
    return shape_of(source) != shape_of(move.to) and (
        count_seen(world, source, closed) or count_seen(world, move.to, closed)
    )


def shape_of(zone: m.ZoneAt) -> Shape:
    """A place without where it is written."""
    return (zone.zone, *(shape(each) for each in zone.indexes))


# ----------------------------------------------------------------------------------- openings


class Openings:
    """With what the trees of a game can begin, as far as everybody can tell."""

    def __init__(self, rules: RuleChecker, unopened: Unopened) -> None:
        """Know the routines, and what is closed yet."""
        self.rules = rules
        self.unopened = unopened
        self.world = rules.world
        self._routines: dict[str, Begins] = {}
        self._nodes: dict[int, Begins] = {}
        self._own = {
            id(node)
            for routine in rules.routines.values()
            for node in walking.within(routine)
            if isinstance(node, tree.Stop) and node.procedure in (None, routine.name)
        }

    def of(self, node: tree.Node) -> Begins:
        """All that everybody may be given first when a tree runs."""
        if id(node) not in self._nodes:
            self._nodes[id(node)] = self._of(node)
        return self._nodes[id(node)]

    def going_on(self, node: tree.Node, after: Begins, out: Begins) -> Begins:
        """The same, with what comes when it ends (`after`) and when the routine is left (`out`)."""
        found = self.of(node)
        more = found - {THROUGH, LEAVES}
        if THROUGH in found:
            more |= after
        return more | out if LEAVES in found else more

    def _of(self, node: tree.Node) -> Begins:
        match node:
            case tree.Leaf(instruction=instruction):
                return self._leaf(instruction, self.unopened.at(node))
            case tree.Block(steps=steps):
                return self._in_order(steps)
            case tree.If(then=then, alternative=alternative):
                other = self.of(alternative) if alternative is not None else {THROUGH}
                test = constants.value_of(self.world, node.condition)
                if isinstance(test, int):
                    return self.of(then) if test else frozenset(other)
                return self.of(then) | other
            case tree.Loop(loop=m.Loop(condition=None) as loop, until=None, body=body) if (
                self._never_empty(loop.source)
            ):
                return self.of(body)
            case tree.Loop(body=body) | tree.Until(body=body) | tree.Repeat(body=body):
                return self.of(body) | {THROUGH}
            case tree.Together():
                return frozenset((("together",),))
            case tree.Phase(path=path):
                return frozenset((("phase", *path),))
            case tree.Choose():
                return frozenset((question(node),))
            case tree.CallProcedure(name=name):
                return self.routine(name)
            case tree.CallSlot(procedures=procedures):
                found: Begins = frozenset()
                for each in dict.fromkeys(procedures):
                    found |= {THROUGH} if each is None else self.routine(each)
                return found
            case tree.Stop() if id(node) not in self._own:
                return frozenset((EFFECT,))  # it leaves more than one: who knows what comes then
            case tree.Stop() | tree.Give():
                return frozenset((LEAVES,))
            case _:
                assert_never(node)

    def routine(self, name: str) -> Begins:
        """The same of a routine; one that waits in a queue begins with nothing."""
        if name not in self._routines:
            self._routines[name] = frozenset((THROUGH,))  # it calls itself, in a queue
            body = self.rules.routines[name].body
            found = self.of(body) if body is not None else frozenset((THROUGH,))
            if LEAVES in found:
                found = found - {LEAVES} | {THROUGH}
            self._routines[name] = found
        return self._routines[name]

    def _never_empty(self, source: m.Expression) -> bool:
        """Is a loop surely gone through: over all players, or all others."""
        if isinstance(source, m.Clockwise):
            return True
        size = constants.value_of(self.world, source)
        return isinstance(size, tuple | frozenset) and bool(size)

    def _leaf(self, instruction: m.Instruction, closed: Closed) -> Begins:
        does = effects(instruction)
        if does.announces or is_effect(self.world, instruction, closed):
            return frozenset((EFFECT,))
        if isinstance(instruction, m.Say):
            return frozenset((("say", *map(shape, does.says)),))
        return frozenset((THROUGH,))

    def _in_order(self, steps: tuple[tree.Node, ...]) -> Begins:
        found: set[Shape] = set()
        for step in steps:
            more = self.of(step)
            found |= more - {THROUGH}
            if THROUGH not in more:
                return frozenset(found)
        return frozenset(found | {THROUGH})


def question(node: tree.Choose) -> Shape:
    """A question as those see it who are not asked: of whom, and its words."""
    return ("question", shape(node.player), *map(shape, node.ask))
