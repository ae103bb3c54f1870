"""Walking over checked rules: the nodes of a tree, the expressions in a node.

Assumes: checked routines.
Does: visits nodes and expressions. A walk that follows calls under the conditions of each caller
takes as many steps as there are ways through the rules: it counts them, and reports where it stops.
Leaves behind: nodes, in the order of the rules.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar, assert_never

from rulerun_dsl import model as m
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.stmt import tree
from rulerun_dsl.diagnostics.diagnostic import not_checked
from rulerun_dsl.model.effects import effects, place
from rulerun_dsl.model.traversal import holding

_Answer = TypeVar("_Answer")
MOST_STEPS = 200_000
"""Nodes that one walk over all ways goes through at most."""


@dataclass
class Steps:
    """The steps that a walk has left."""

    world: World
    what: str
    """What it looks for, as it is said where it stops."""
    left: int = MOST_STEPS

    def taken(self, node: tree.Node) -> bool:
        """Take a step, unless there were too many; the first that is not taken is reported."""
        self.left -= 1
        if self.left == -1:
            why = "there are too many ways through the calls"
            self.world.unfollowed.append(not_checked(self.what, why, node.span))
        return self.left >= 0


def children(node: tree.Node) -> tuple[tree.Node, ...]:
    """The nodes right inside a node."""
    match node:
        # What there is most of comes first: every walk asks this of every node.
        case tree.Leaf() | tree.CallProcedure() | tree.CallSlot() | tree.Stop() | tree.Give():
            return ()
        case tree.Block(steps=steps):
            return steps
        case tree.If(then=then, alternative=alternative):
            return (then,) if alternative is None else (then, alternative)
        case tree.Loop(body=body) | tree.Until(body=body) | tree.Repeat(body=body):
            return (body,)
        case tree.Together(body=body) | tree.Phase(body=body):
            return (body,)
        case tree.Choose(lines=lines, nothing=nothing):
            bodies = [line.body for line in lines if line.body is not None]
            return tuple(bodies) if nothing is None else (*bodies, nothing)
        case _:
            assert_never(node)


def walk(node: tree.Node) -> list[tree.Node]:
    """A node and all nodes inside it, each before what is inside it."""
    found: list[tree.Node] = []
    waiting = [node]
    while waiting:
        node = waiting.pop()
        found.append(node)
        waiting += reversed(children(node))
    return found


def within(routine: tree.Routine) -> tuple[tree.Node, ...]:
    """All nodes of a routine; none while it has no body."""
    body = routine.body
    return () if body is None else known_of(routine, "nodes", lambda: tuple(walk(body)))


def known_of(routine: tree.Routine, what: str, make: Callable[[], _Answer]) -> _Answer:
    """What somebody works out from the body of a routine alone, under a name of its own.

    Settings for which the same was checked share it.
    """
    body, found = routine.known.get(what, (None, None))
    if body is None or body is not routine.body:
        found = make()
        routine.known[what] = routine.body, found
    return found  # type: ignore[no-any-return]


def parts(node: object) -> list[m.Expression]:
    """All expressions in a node, an instruction or an expression, each before its parts."""
    found: list[m.Expression] = []
    if dataclasses.is_dataclass(node):
        _add_parts(node, found)
    return found


_HOLD_PARTS = (
    *(m.Expression, m.Clause, m.Loop, m.ZoneAt, m.OptionBinder),
    *(m.InstructionBase, tree.Line),
)
"""What is looked into; of the nodes inside a node, nothing."""


def _add_parts(node: object, found: list[m.Expression]) -> None:
    if isinstance(node, m.Expression):
        found.append(node)
    for name in holding(node):
        value = getattr(node, name)
        if value:
            _add_inside(value, found)


def _add_inside(value: object, found: list[m.Expression]) -> None:
    if isinstance(value, tuple):
        for each in value:
            _add_inside(each, found)
    elif isinstance(value, _HOLD_PARTS):
        _add_parts(value, found)


def evaluated(node: tree.Node) -> Iterator[m.Expression]:
    """What a node evaluates by itself, outermost; of a place that it writes, the indexes."""
    found: tuple[m.Expression | str | None, ...]
    match node:
        case tree.Leaf(instruction=instruction):
            found = effects(instruction).reads
        case tree.If(condition=condition) | tree.Until(condition=condition):
            found = (condition,)
        case tree.Loop(loop=loop, until=until):
            found = (loop.source, loop.condition, until)
        case tree.Repeat(count=count):
            found = (count,)
        case tree.Together(players=players):
            found = (players,)
        case tree.Choose():
            lines = (each for line in node.lines for each in _offered(line))
            more = (*node.narrowing, *node.ask, node.visible, node.times)
            found = (node.player, *lines, *more)
        case tree.CallProcedure(arguments=arguments, you=you, result=result):
            found = (*arguments, you, *place(result))
        case tree.CallSlot(component=component, arguments=arguments, you=you):
            found = (component, *arguments, you)
        case tree.Give(value=value):
            found = (value,)
        case tree.Block() | tree.Stop() | tree.Phase():
            found = ()
        case _:
            assert_never(node)
    return (each for each in found if isinstance(each, m.Expression))


def _offered(line: tree.Line) -> Iterator[m.Expression | str | None]:
    for binder in line.binders:
        yield from (binder.source, binder.low, binder.high)
    yield from line.conditions
    yield from line.hint


def leaves(node: tree.Node) -> bool:
    """Does a node never go on to what follows it."""
    match node:
        case tree.Stop() | tree.Give():
            return True
        case tree.Leaf(instruction=instruction):
            return effects(instruction).ends
        case tree.Block(steps=steps):
            return any(leaves(step) for step in steps)
        case tree.If(then=then, alternative=alternative):
            return alternative is not None and leaves(then) and leaves(alternative)
        case tree.Choose(lines=lines, nothing=nothing):
            # An `also:` line asks again afterwards, whatever it does.
            bodies = [line.body for line in lines if line.main or not line.again]
            if nothing is not None:
                bodies.append(nothing)
            return bool(bodies) and all(body is not None and leaves(body) for body in bodies)
        case tree.Loop(loop=loop, until=until):
            return loop.mode == "turns" and until is None
        case tree.Phase() | tree.Until() | tree.Repeat() | tree.Together():
            return False
        case tree.CallProcedure() | tree.CallSlot():
            return False
        case _:
            assert_never(node)
