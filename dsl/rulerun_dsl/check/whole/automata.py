"""Nothing asks an automa: `instead for` makes its decisions.

Assumes: checked routines, in a game in which automata play.
Does: follows who `you` may be from the game's own block through loops, calls and conditions. A loop
over `people`, a condition `you is NAME` and a `stop` behind one show that it is no automa.
Leaves behind: a report for each `choose` that an automa might reach.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import assert_never

from rulerun_dsl import model as m
from rulerun_dsl.check.stmt import tree, walking
from rulerun_dsl.check.stmt.rule_checker import RuleChecker
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.model.effects import effects
from rulerun_dsl.source.spans import Span

Automata = frozenset[int]
"""Players by number: those automata that somebody may be."""
Minds = dict[int, Automata]
"""By slot of a local: which automata it may be. What is not known may be any."""

NONE: Automata = frozenset()


def check_automata(rules: RuleChecker) -> None:
    """Report the decisions that an automa may be asked for."""
    if rules.world.people == rules.world.count or "" not in rules.routines:
        return
    walk = _Walk(rules, frozenset(range(rules.world.people, rules.world.count)))
    walk.waiting.append(("", NONE))
    while walk.waiting:
        name, may = walk.waiting.pop()
        if (name, may) not in walk.seen:
            walk.seen.add((name, may))
            walk.routine(rules.routines[name], may)


@dataclass
class _Walk:
    """The walk in progress."""

    rules: RuleChecker
    every: Automata
    waiting: list[tuple[str, Automata]] = field(default_factory=list)
    seen: set[tuple[str, Automata]] = field(default_factory=set)
    reported: set[Span] = field(default_factory=set)

    def routine(self, routine: tree.Routine, may: Automata) -> None:
        """Walk through a routine whose `you` may be these automata."""
        if routine.body is not None:
            self.visit(routine.body, {routine.you.offset: may}, routine)

    def visit(self, node: tree.Node, minds: Minds, routine: tree.Routine) -> None:
        """Walk through a node."""
        match node:
            case tree.Block(steps=steps):
                for step in steps:
                    self.visit(step, minds, routine)
                    minds = _kept(minds, step)
                    if isinstance(step, tree.If) and walking.leaves(step.then):
                        minds = self.told(step.condition, False, minds)
                return
            case tree.If(condition=condition, then=then, alternative=alternative):
                self.visit(then, self.told(condition, True, minds), routine)
                if alternative is not None:
                    self.visit(alternative, self.told(condition, False, minds), routine)
                return
            case tree.Loop(loop=loop):
                minds = {**_kept(minds, node), loop.variable.offset: self.among(loop.source)}
                if loop.condition is not None:
                    minds = self.told(loop.condition, True, minds)
            case tree.Together(players=players, variable=variable):
                minds = {**minds, variable.offset: self.among(players)}
            case tree.Until() | tree.Repeat():
                minds = _kept(minds, node)
            case tree.Choose(player=player, times=times, lines=lines):
                if asked := self.may(player, minds):
                    self.report(node, routine, min(asked))
                if times is not None or any(line.again for line in lines):
                    minds = _kept(minds, node)
            case tree.CallProcedure(name=name, you=you):
                self.waiting.append((name, self.may(you, minds)))
            case tree.CallSlot(procedures=procedures, you=you):
                self.waiting += [(name, self.may(you, minds)) for name in procedures if name]
            case tree.Leaf() | tree.Phase() | tree.Stop() | tree.Give():
                pass
            case _:
                assert_never(node)
        for child in walking.children(node):
            self.visit(child, minds, routine)

    def report(self, node: tree.Choose, routine: tree.Routine, player: int) -> None:
        """An automa would be asked."""
        if node.span in self.reported:
            return
        self.reported.add(node.span)
        name = self.rules.world.players[player]
        where = f"does in place of `{routine.name}`" if routine.decl else "does"
        self.rules.world.report(
            "RR0716",
            f"`{name}` is an automa and may be asked here",
            node.span,
            help=f"say under `instead for {name}:` what it {where}, "
            "or go through `people` instead of `players`",
        )

    def may(self, who: m.Expression | None, minds: Minds) -> Automata:
        """Which automata somebody may be."""
        match who:
            case None:
                return NONE
            case m.Local(offset=offset):
                return minds.get(offset, self.every)
            case m.Literal(value=value):
                return self.every & {value}
            case m.Setting(name=name) if name in self.rules.world.automata:
                return self.every & {self.rules.world.setting_value(name)}
            case _:  # who is worked out may be any
                return self.every

    def told(self, condition: m.Expression, holds: bool, minds: Minds) -> Minds:
        """What is known if a condition holds, or does not."""
        match condition:
            case m.Not(operand=operand):
                return self.told(operand, not holds, minds)
            case m.And(operands=operands) if holds:
                for each in operands:
                    minds = self.told(each, True, minds)
            case m.Or(operands=operands) if not holds:
                for each in operands:
                    minds = self.told(each, False, minds)
            case m.Comparison(
                operator="==" | "!=" as operator,
                left=m.Local(offset=offset),
                right=m.Setting() as who,
            ) if who.name in self.rules.world.automata:
                before, named = minds.get(offset, self.every), self.may(who, {})
                is_it = (operator == "==") is holds
                return {**minds, offset: before & named if is_it else before - named}
            case m.Contains(value=m.Local(offset=offset), collection=some) if holds:
                return {**minds, offset: minds.get(offset, self.every) & self.among(some)}
        return minds

    def among(self, source: m.Expression) -> Automata:
        """Which automata are members of a collection."""
        match source:
            case m.Values(type=t.Collection(t.Player()), high=high):
                parts = list(walking.parts(high))
                if any(isinstance(each, m.Setting) and each.name == "people" for each in parts):
                    return NONE
            case m.Listed(items=items):
                return NONE.union(*(self.may(each, {}) for each in items))
        return self.every


def _kept(minds: Minds, node: tree.Node) -> Minds:
    """What is known still when a node has run: not of what it may have stored."""
    stored = {
        target.offset
        for each in walking.walk(node)
        for target in _targets(each)
        if isinstance(target, m.Local)
    }
    return {offset: may for offset, may in minds.items() if offset not in stored}


def _targets(node: tree.Node) -> Iterator[object]:
    """What a node stores into."""
    if isinstance(node, tree.Leaf):
        for write in effects(node.instruction).writes:
            yield write.target
    elif isinstance(node, tree.CallProcedure):
        yield node.result
