"""Nothing asks an automa: its decisions are made by `instead for`.

Assumes: checked routines, in a game in which automata play.
Does: follows who `you` may be from the game's own block through loops, calls and conditions. A loop
over `people`, a condition `you is NAME` and a `stop` behind one tell that it is no automa.
Leaves behind: a report for each `choose` that an automa might reach.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rulerun_dsl import model as m
from rulerun_dsl import valuetypes as t
from rulerun_dsl.check import flow, tree, walking
from rulerun_dsl.check.statements import Statements

Minds = dict[int, bool]
"""By slot of a local: may it be an automa. What is not known may be."""


def check_automata(rules: Statements) -> None:
    """Report the decisions that an automa may be asked for."""
    if rules.world.people == rules.world.count or "" not in rules.routines:
        return
    walk = _Walk(rules)
    walk.waiting.append(("", False))
    while walk.waiting:
        name, may = walk.waiting.pop()
        if (name, may) not in walk.seen:
            walk.seen.add((name, may))
            walk.routine(rules.routines[name], may)


@dataclass
class _Walk:
    """The walk in progress."""

    rules: Statements
    waiting: list[tuple[str, bool]] = field(default_factory=list)
    seen: set[tuple[str, bool]] = field(default_factory=set)
    reported: set[int] = field(default_factory=set)

    def routine(self, routine: tree.Routine, may: bool) -> None:
        """Walk through a routine whose `you` may or may not be an automa."""
        if routine.body is not None:
            self.visit(routine.body, {routine.you.offset: may}, routine)

    def visit(self, node: tree.Node, minds: Minds, routine: tree.Routine) -> None:
        """Walk through a node."""
        match node:
            case tree.Block(steps=steps):
                for step in steps:
                    self.visit(step, minds, routine)
                    if isinstance(step, tree.If) and flow.leaves(step.then):
                        minds = self.told(step.condition, False, minds)
                return
            case tree.If(condition=condition, then=then, alternative=alternative):
                self.visit(then, self.told(condition, True, minds), routine)
                if alternative is not None:
                    self.visit(alternative, self.told(condition, False, minds), routine)
                return
            case tree.Loop(loop=loop):
                may = not self.is_people(loop.source)
                minds = {**minds, loop.variable.offset: may}
                if loop.condition is not None:
                    minds = self.told(loop.condition, True, minds)
            case tree.Together(players=players, variable=variable):
                minds = {**minds, variable.offset: not self.is_people(players)}
            case tree.Choose(player=player) if self.may(player, minds):
                self.report(node, routine)
            case tree.CallProcedure(name=name, you=you):
                self.waiting.append((name, self.may(you, minds)))
            case tree.CallSlot(procedures=procedures, you=you):
                self.waiting += [(name, self.may(you, minds)) for name in procedures if name]
        for child in walking.children(node):
            self.visit(child, minds, routine)

    def report(self, node: tree.Choose, routine: tree.Routine) -> None:
        """An automa would be asked."""
        if node.span.start in self.reported:
            return
        self.reported.add(node.span.start)
        world = self.rules.world
        names = world.players[world.people :]
        where = f"does in place of `{routine.name}`" if routine.decl else "does"
        world.report(
            "RR0716",
            f"`{names[0]}` is an automa and may be asked here",
            node.span,
            help=f"say under `instead for {names[0]}:` what it {where}, "
            "or go through `people` instead of `players`",
        )

    def may(self, who: m.Expression | None, minds: Minds) -> bool:
        """May somebody be an automa."""
        match who:
            case None:
                return False
            case m.Local(offset=offset):
                return minds.get(offset, True)
            case m.Literal(value=value):
                return value is not None and value >= self.rules.world.people
            case _:
                return True

    def told(self, condition: m.Expression, holds: bool, minds: Minds) -> Minds:
        """What is known if a condition holds, or does not."""
        match condition:
            case m.Not(operand=operand):
                return self.told(operand, not holds, minds)
            case m.Every(operands=operands) if holds:
                for each in operands:
                    minds = self.told(each, True, minds)
            case m.Either(operands=operands) if not holds:
                for each in operands:
                    minds = self.told(each, False, minds)
            case m.Comparison(
                operator="==" | "!=" as operator,
                left=m.Local(offset=offset),
                right=m.Setting() as who,
            ) if who.name in self.rules.world.automata:
                is_it = (operator == "==") is holds
                only = self.rules.world.count - self.rules.world.people == 1
                if is_it or only:
                    return {**minds, offset: is_it}
            case m.Contains(value=m.Local(offset=offset), collection=some) if self.is_people(some):
                return {**minds, offset: not holds}
        return minds

    def is_people(self, source: m.Expression) -> bool:
        """Is it a collection of people only."""
        match source:
            case m.Values(type=t.Collection(t.Player()), high=high):
                return any(
                    isinstance(each, m.Setting) and each.name == "people"
                    for each in walking.parts(high)
                )
            case m.Listed(items=items):
                return not any(self.may(each, {}) for each in items)
        return False
