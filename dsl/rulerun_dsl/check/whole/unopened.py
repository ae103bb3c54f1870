"""What is certainly still as declared at a place of the rules: whether a secret can be open yet.

Assumes: every routine is checked.
Does: of the variables that a `visible:` or `count:` reads (`owner or open`), finds at each node
those that nothing before it may have changed since the game began or they were set back to their
start. Loops, calls and what leaves a routine early are followed; in doubt a variable is changed.
Leaves behind: for each node the start values that hold there. Where they keep a zone or variable
closed, it is a secret (`secret_reads`); where the condition may hold, the rules are trusted.

What a name holds may have been opened since, and closed again: for what is read through a name,
a variable that was ever changed stays changed.
"""

from __future__ import annotations

from collections.abc import Iterator

from rulerun_dsl import model as m
from rulerun_dsl.check.env import facts
from rulerun_dsl.check.stmt import tree, walking
from rulerun_dsl.check.stmt.rule_checker import RuleChecker
from rulerun_dsl.check.whole.secret_reads import Closed, Read, reads, rule_of
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.model.effects import effects

Changed = frozenset[tuple[str, bool]]
"""Variables that may have changed; with True: that ever did, though they may be set back."""

NOTHING: Changed = frozenset()


class Unopened:
    """The start values that hold at the nodes of a game."""

    def __init__(self, rules: RuleChecker) -> None:
        """Go through all that may run."""
        self.rules = rules
        self.starts = self._watched()
        self._all: Changed = frozenset(
            (name, ever) for name in self.starts for ever in (False, True)
        )
        self._at: dict[int, Changed] = {}
        self._closed: dict[Changed, Closed] = {}
        """What holds where just these may have changed: the same at most nodes."""
        self._done: dict[int, tuple[Changed, Changed]] = {}
        self._routines: dict[str, tuple[Changed, Changed]] = {}
        self._entries: dict[str, Changed] = {"": NOTHING}
        self._waiting: list[str] = []
        if self.starts:
            self._left_early = self._leaving()
            self._follow()

    def at(self, node: tree.Node) -> Closed:
        """The start values that hold before a node, of what is read there or through a name."""
        changed = self._at.get(id(node), self._all)
        found = self._closed.get(changed)
        if found is None:
            found = {key: self.starts[key[0]] for key in self._all - changed}
            self._closed[changed] = found
        return found

    def _watched(self) -> dict[str, m.Literal]:
        """The variables that decide who sees something, with their start values."""
        world = self.rules.world
        found: dict[str, m.Literal] = {}
        for each in self._rules():
            for read in reads(world, each):
                variable = None if read.is_zone else facts.variable(world, read.name)
                if variable is not None and not isinstance(variable.type, t.Order):
                    start = facts.start_value(world, variable.decl, variable.type)
                    found[read.name] = m.Literal(variable.type, read.span, start)
        return found

    def _rules(self) -> Iterator[m.Expression]:
        """All that says who sees something."""
        world = self.rules.world
        for name in world.by_kind["variable"]:
            span = facts.variable(world, name).decl.at.span
            yield rule_of(world, Read(name, False, None, False, span))
        for name in world.by_kind["zone"]:
            zone = facts.zone(world, name)
            if zone is not None:
                for count_only in (False, True):
                    yield rule_of(world, Read(name, True, None, count_only, zone.decl.at.span))
        for routine in self.rules.routines.values():
            for node in walking.within(routine):
                if isinstance(node, tree.Choose) and node.visible is not None:
                    yield node.visible

    def _leaving(self) -> set[str]:
        """The routines that may be left before their end, from inside or by what they call."""
        found: set[str] = set()
        for name, routine in self.rules.routines.items():
            for node in walking.within(routine):
                if isinstance(node, tree.Stop | tree.Give):
                    found.add(name)
                    if isinstance(node, tree.Stop) and node.procedure is not None:
                        found.add(node.procedure)
        return found

    # ----------------------------------------------------------------- what a tree changes

    def _changes(self, node: tree.Node) -> tuple[Changed, Changed]:
        """What a tree may change, and what it surely sets back."""
        if id(node) not in self._done:
            self._done[id(node)] = self._found(node)
        return self._done[id(node)]

    def _found(self, node: tree.Node) -> tuple[Changed, Changed]:
        match node:
            case tree.Block(steps=steps):
                changed, back = NOTHING, NOTHING
                for step in steps:
                    more, less = self._changes(step)
                    changed, back = (changed - less) | more, (back | less) - more
                return changed, back
            case tree.Leaf(instruction=instruction):
                return self._instruction(instruction)
            case tree.CallProcedure(name=name, result=result):
                changed, back = self._routine(name)
                stored = self._stored(result)
                return changed | stored, back - stored
            case tree.CallSlot(procedures=procedures):
                ways = [(NOTHING, NOTHING) if p is None else self._routine(p) for p in procedures]
            case tree.Phase(body=body):
                return self._changes(body)
            case tree.If(then=then, alternative=alternative) if alternative is not None:
                ways = [self._changes(then), self._changes(alternative)]
            case _:  # what is inside may be done, or not
                ways = [(NOTHING, NOTHING), *map(self._changes, walking.children(node))]
        changed = NOTHING.union(*(each for each, _ in ways))
        return changed, self._all.intersection(*(each for _, each in ways)) - changed

    def _routine(self, name: str) -> tuple[Changed, Changed]:
        if name not in self._routines:
            self._routines[name] = self._all, NOTHING  # it calls itself, in a queue
            routine = self.rules.routines[name]
            if routine.body is not None and not routine.queued:
                changed, back = self._changes(routine.body)
                if name in self._left_early:
                    changed, back = self._ever(changed), NOTHING
                self._routines[name] = changed, back
        return self._routines[name]

    def _ever(self, changed: Changed) -> Changed:
        """All that is changed meanwhile, though it may be set back later."""
        return frozenset((name, each) for name, ever in changed if ever for each in (False, True))

    def _instruction(self, instruction: m.Instruction) -> tuple[Changed, Changed]:
        match instruction:
            case m.Store(
                target=m.Variable(name=name, indexes=indexes),
                operator="=",
                value=m.Literal(value=value),
            ) if name in self.starts and not any(indexes) and value == self.starts[name].value:
                return NOTHING, frozenset(((name, False),))
            case _:
                pass  # nothing else sets a variable back
        targets = [write.target for write in effects(instruction).writes]
        return NOTHING.union(*map(self._stored, targets)), NOTHING

    def _stored(self, target: m.Target | None) -> Changed:
        if isinstance(target, m.Variable) and target.name in self.starts:
            return frozenset(((target.name, False), (target.name, True)))
        return NOTHING

    # ------------------------------------------------------------------- what is changed before

    def _follow(self) -> None:
        for name, routine in self.rules.routines.items():
            if routine.queued:
                self._entries[name] = self._all
        self._waiting = list(self._entries)
        while self._waiting:
            name = self._waiting.pop()
            body = self.rules.routines[name].body if name in self.rules.routines else None
            if body is not None:
                self._walk(body, self._entries[name])

    def _walk(self, node: tree.Node, before: Changed) -> None:
        self._at[id(node)] = self._at.get(id(node), NOTHING) | before
        match node:
            case tree.Block(steps=steps):
                for step in steps:
                    self._walk(step, before)
                    changed, back = self._changes(step)
                    before = (before - back) | changed
            case tree.CallProcedure(name=name):
                self._enter(name, before)
            case tree.CallSlot(procedures=procedures):
                for each in dict.fromkeys(procedures):
                    if each is not None:
                        self._enter(each, before)
            case tree.If() | tree.Phase():
                for child in walking.children(node):
                    self._walk(child, before)
            case _:  # it may be gone through again: a loop, or a menu with an `also:`
                for child in walking.children(node):
                    before |= self._changes(child)[0]
                self._at[id(node)] |= before
                for child in walking.children(node):
                    self._walk(child, before)

    def _enter(self, name: str, before: Changed) -> None:
        known = self._entries.get(name)
        if known is None or not before <= known:
            self._entries[name] = before if known is None else known | before
            self._waiting.append(name)
