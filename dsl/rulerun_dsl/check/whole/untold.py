"""Choices that are told to nobody, and what follows that gives them away.

Assumes: every routine is checked.
Does: follows what was chosen under a `choose` that tells nobody, from the names that hold it and
the branch it took, through names, calls and results (`ways`), until something that all may see has
told the same (`opening`). Before that, a question to somebody else gives the choice away by its
words, by its options, or by whether and to whom it is put; so does a sentence, and the begin of a
phase.
Leaves behind: one warning for each such `choose`, with the first place that tells it.

A choice from what not everybody sees is a secret by itself, and `information_flow` looks after it:
nobody is told of a card from a hand, whatever the `choose` says. Of the options of a menu, only
those are followed that look alike so far: an option that changes something in the open has told
itself. In doubt, on one of several ways, a choice counts as told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import assert_never

from rulerun_dsl import model as m
from rulerun_dsl.check.env import constants
from rulerun_dsl.check.env.typing import shorten
from rulerun_dsl.check.stmt import tree, walking
from rulerun_dsl.check.stmt.rule_checker import RuleChecker
from rulerun_dsl.check.whole import call_graph, opening
from rulerun_dsl.check.whole.opening import EFFECT, Begins, Shape, shape
from rulerun_dsl.check.whole.secret_reads import Closed, Locals, secrets, surely_now
from rulerun_dsl.check.whole.telling import open_routines
from rulerun_dsl.check.whole.ways import NOTHING, Flow, Rivals, Tainted, Untold, Way
from rulerun_dsl.diagnostics.diagnostic import Related
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.model.effects import effects
from rulerun_dsl.source.spans import Span

ACTION = "action "
"""How the name of the routine of an action begins."""


def check_untold(rules: RuleChecker, known: Locals, openings: opening.Openings) -> None:
    """Report the choices that nobody is told and that what follows gives away."""
    if len(rules.world.players) < 2:
        return  # there is nobody to keep it from
    follower = _Follower(rules, known, openings)
    for name in open_routines(rules):
        if name not in follower.visited and name in follower.choosing:
            follower.routine(name, Flow(), Way())


class _Follower:
    """One walk over the rules, from the game and from what nobody calls."""

    def __init__(self, rules: RuleChecker, known: Locals, openings: opening.Openings) -> None:
        self.rules = rules
        self.world = rules.world
        self.known = known
        self.openings = openings
        self.closed: Closed = {}
        self.nodes: list[tree.Choose] = []
        self.places: dict[int, int] = {}
        self.visited: set[str] = set()
        self.choosing = self.choosers()
        self.reported: set[int] = set()
        self.steps = walking.Steps(rules.world, "what gives untold choices away")
        self._running: list[str] = []
        self._done: dict[object, tuple[frozenset[Untold], frozenset[Untold]]] = {}

    def choosers(self) -> set[str]:
        """The routines in which something may be chosen that nobody is told."""
        graph = call_graph.calls(self.rules)
        own = {
            name
            for name, routine in self.rules.routines.items()
            for node in walking.within(routine)
            if isinstance(node, tree.Choose) and not self.is_told(node)
        }
        return own | call_graph.reached(call_graph.callers(graph), own)

    # ------------------------------------------------------------------------------- calls

    def routine(self, name: str, inside: Flow, way: Way) -> Tainted:
        """Follow a routine; what flows out of what it gives."""
        self.visited.add(name)
        routine = self.rules.routines[name]
        if routine.body is None or name in self._running:
            return NOTHING
        self._running.append(name)
        self.walk(routine.body, inside, way)
        self._running.pop()
        return frozenset(inside.given - inside.told)

    def call(
        self,
        name: str,
        arguments: tuple[m.Expression, ...],
        you: m.Expression | None,
        here: Flow,
        way: Way,
    ) -> Tainted:
        """Follow a call: what goes in, what comes out, what is told meanwhile."""
        routine = self.rules.routines[name]
        inside = Flow(told=set(here.told))
        place = -1
        for (_, _, local), argument in zip(routine.parameters, arguments, strict=False):
            place += 1
            tainted = self.flowing(argument, here) | self.differing(way, name, place, argument)
            if tainted:
                inside.names[local.offset] = tainted
            if isinstance(t.bare(local.type), t.Player):
                inside.players[local.offset] = self.person(argument, here)
        if you is not None:
            inside.players[routine.you.offset] = self.person(you, here)
            if tainted := self.flowing(you, here):
                inside.names[routine.you.offset] = tainted
        rivals = way.rivals if name.startswith(ACTION) else ()
        control = way.control - here.told
        if not inside.names and not control and not rivals and name not in self.choosing:
            return NOTHING  # nothing untold goes in, and nothing comes of it
        key = (
            name,
            frozenset(inside.names.items()),
            frozenset(inside.players.items()),
            control,
            tuple(each.option for each in rivals),
            way.after,
        )
        if key not in self._done:
            self._done[key] = NOTHING, NOTHING
            found = self.routine(name, inside, replace(way, rivals=rivals, out=way.after))
            self._done[key] = found, frozenset(inside.told - here.told)
        given, told = self._done[key]
        here.told |= told
        return given

    # ------------------------------------------------------------------------------- walking

    def walk(self, node: tree.Node, here: Flow, way: Way) -> None:
        """Follow a tree; `here` goes along."""
        if not self.steps.taken(node):
            return
        outer, self.closed = self.closed, self.openings.unopened.at(node)
        match node:
            case tree.Block(steps=steps, slots=slots):
                for step, after in self.in_order(steps, way):
                    self.walk(step, here, replace(way, after=after))
                    way = way.under(self.behind(step, here, replace(way, after=after)))
                for offset in slots:
                    here.names.pop(offset, None)
            case tree.Leaf(instruction=instruction):
                self.leaf(instruction, here, way)
            case tree.If(condition=condition, then=then, alternative=alternative):
                tests = self.flowing(condition, here)
                other = here.copy()
                self.walk(then, here, self.deciding(tests, then, alternative, way))
                if alternative is not None:
                    self.walk(alternative, other, self.deciding(tests, alternative, then, way))
                here.join(other)
            case tree.Until(condition=condition, body=body):
                self.again(body, here, way, lambda: self.flowing(condition, here))
            case tree.Repeat(count=count, body=body):
                self.again(body, here, way, lambda: self.flowing(count, here))
            case tree.Loop(loop=loop, until=until, body=body):
                self.loop(loop, until, body, here, way)
            case tree.Phase(name=name, body=body):
                what = f"the phase `{name}` begins only then"
                self.tell(way.control, here, node.span, what)
                self.walk(body, here, way)
            case tree.Choose():
                self.choose(node, here, way)
            case tree.CallProcedure(name=name, arguments=arguments, you=you, result=result):
                tainted = self.call(name, arguments, you, here, way)
                self.store(result, tainted, here)
            case tree.CallSlot(procedures=procedures, arguments=arguments, you=you):
                for each in dict.fromkeys(procedures):
                    if each is not None:
                        self.call(each, arguments, you, here, way)
            case tree.Give(value=value):
                here.given |= self.flowing(value, here) | self.differing(way, "", 0, value)
            case tree.Together() | tree.Stop():
                pass  # inside nothing is told to others; who leaves tells nothing by that
            case _:
                assert_never(node)
        self.closed = outer

    def in_order(
        self, steps: tuple[tree.Node, ...], way: Way
    ) -> Iterator[tuple[tree.Node, Begins]]:
        """Steps, each with what comes behind it."""
        after, found = way.after, []
        for step in reversed(steps):
            found.append((step, after))
            after = self.openings.going_on(step, after, way.out)
        return reversed(found)

    def deciding(self, tests: Tainted, side: tree.Node, other: tree.Node | None, way: Way) -> Way:
        """The way into one side of a branch: what decides, if the sides look alike at first."""
        if not tests or EFFECT in self.openings.of(side):
            return way
        left = way.after
        if other is not None:
            if EFFECT in self.openings.of(other):
                return way
            left = self.openings.going_on(other, way.after, way.out)
        return way.under(tests) if self.apart(self.openings.of(side), left) else way

    def behind(self, step: tree.Node, here: Flow, way: Way) -> Tainted:
        """What decides that one gets behind a branch that may leave."""
        if not isinstance(step, tree.If):
            return NOTHING
        then, other = step.then, step.alternative
        gone = then if walking.leaves(then) else other
        if gone is None or not walking.leaves(gone) or EFFECT in self.openings.of(gone):
            return NOTHING
        left = self.openings.going_on(gone, way.after, way.out)
        tests = self.flowing(step.condition, here)
        return tests if self.apart(way.after - {EFFECT}, left) else NOTHING

    def apart(self, begins: Begins, other: Begins) -> bool:
        """Does one way begin with what tells it from another, on which nothing need be seen."""
        other = other - {EFFECT}
        return bool(other) and bool(begins - {opening.THROUGH, opening.LEAVES} - other)

    def again(self, body: tree.Node, here: Flow, way: Way, tests: Callable[[], Tainted]) -> None:
        """A loop: what one pass leaves decides about the next."""
        first = self.openings.going_on(body, way.after, way.out)
        for _ in range(2):
            before = dict(here.names)
            inner = replace(way, after=first | way.after)
            if (found := tests()) and EFFECT not in self.openings.of(body):
                if self.apart(self.openings.of(body), way.after):
                    inner = inner.under(found)
            once = here.copy()
            self.walk(body, once, inner)
            here.join(once)
            if here.names == before:
                break

    def loop(
        self, loop: m.Loop, until: m.Expression | None, body: tree.Node, here: Flow, way: Way
    ) -> None:
        """A loop over a set: its variable holds what the set tells."""
        parts = [each for each in (loop.source, loop.condition, until) if each is not None]

        def tests() -> Tainted:
            tainted = self.flowing(loop.source, here)
            here.names.pop(loop.variable.offset, None)
            if tainted:
                here.names[loop.variable.offset] = tainted
            here.players.pop(loop.variable.offset, None)
            return frozenset().union(*(self.flowing(each, here) for each in parts))

        self.again(body, here, way, tests)
        here.names.pop(loop.variable.offset, None)

    # ----------------------------------------------------------------------------- decisions

    def choose(self, node: tree.Choose, here: Flow, way: Way) -> None:
        """A decision: what it tells of earlier choices, and what it leaves untold itself."""
        self.question(node, here, way)
        if self.is_told(node):
            for line in node.lines:
                for binder in line.binders:
                    here.names.pop(binder.local.offset, None)
            quiet: list[tree.Line] = []
        else:
            self.bind(node, here)
            quiet = [line for line in node.lines if self.is_quiet(line)]
        option = Untold(self.place(node), "", self.person(node.player, here))
        here.told.discard(option)
        before, ends = here.copy(), [here.copy()] if node.nothing is not None else []
        for line in node.lines:
            inside = before.copy()
            inner = replace(way, after=self.behind_option(node, line, way))
            if len(quiet) > 1 and line in quiet:
                inner = replace(inner, rivals=(*way.rivals, self.rivals(option, line, quiet)))
                others = [each for each in quiet if each is not line]
                mine = self.openings.of(line.body) if line.body is not None else frozenset()
                if any(self.apart(mine, self.begins(node, each, way)) for each in others):
                    inner = inner.under(frozenset((option,)))
            if line.body is not None:
                self.walk(line.body, inside, inner)
            ends.append(inside)
        if node.nothing is not None:
            self.walk(node.nothing, ends[0], way)
        for end in ends:
            here.join(end)

    def place(self, node: tree.Choose) -> int:
        """The number of a decision, in the order in which they are met."""
        if id(node) not in self.places:
            self.places[id(node)] = len(self.nodes)
            self.nodes.append(node)
        return self.places[id(node)]

    def is_told(self, node: tree.Choose) -> bool:
        """May anybody but the one who chooses be told."""
        if node.visible is None:
            return False
        rule = constants.fold(self.world, node.visible)
        closed = self.openings.unopened.at(node)
        return surely_now(self.world, rule, False, False, closed) is not False

    def bind(self, node: tree.Choose, here: Flow) -> None:
        """The names of a choice that nobody is told."""
        for line in node.lines:
            for binder in line.binders:
                offset = binder.local.offset
                here.names.pop(offset, None)
                source = constants.fold(self.world, binder.source)
                alone = (
                    isinstance(source, m.Clockwise)
                    and source.others
                    and len(self.world.players) == 2
                )
                if not alone and not secrets(self.world, source, None, self.known, self.closed):
                    untold = Untold(self.place(node), binder.name, self.person(node.player, here))
                    here.names[offset] = frozenset((untold,))
                    here.told.discard(untold)

    def is_quiet(self, line: tree.Line) -> bool:
        """May nothing be seen of an option while it is taken; what comes behind comes anyway."""
        if any(constants.value_of(self.world, each) == 0 for each in line.conditions):
            return False
        return line.body is None or EFFECT not in self.openings.of(line.body)

    def begins(self, node: tree.Choose, line: tree.Line, way: Way) -> Begins:
        """With what the rules go on once an option is taken."""
        after = self.behind_option(node, line, way)
        return after if line.body is None else self.openings.going_on(line.body, after, way.out)

    def behind_option(self, node: tree.Choose, line: tree.Line, way: Way) -> Begins:
        """What comes behind an option; one that is asked again has the question behind it."""
        return way.after | {opening.question(node)} if line.again else way.after

    def rivals(self, option: Untold, line: tree.Line, quiet: list[tree.Line]) -> Rivals:
        """What the other options do that look the same."""
        empty = tree.Block(line.span, (), ())
        others = tuple(each.body or empty for each in quiet if each is not line)
        blocks = self.own(line.body or empty)
        slots = (each.slots for each in blocks if isinstance(each, tree.Block))
        return Rivals(option, others, frozenset().union(*slots))

    def own(self, root: tree.Node) -> Iterator[tree.Node]:
        """The nodes of an option, and of the action that it is."""
        for node in walking.walk(root):
            yield node
            if isinstance(node, tree.CallProcedure) and node.name.startswith(ACTION):
                body = self.rules.routines[node.name].body
                if body is not None:
                    yield from self.own(body)

    def question(self, node: tree.Choose, here: Flow, way: Way) -> None:
        """What a question tells, and whom: all that it is put, who is asked the rest."""
        asked = self.person(node.player, here)
        whom = shorten(node.player.span.text)
        player = self.flowing(node.player, here)
        if player:
            self.tell(player, here, node.player.span, f"the game asks `{whom}`")
        self.tell(way.control, here, node.span, "the game asks only then")
        parts: list[tuple[str, m.Expression]] = []
        for line in node.lines:
            inner = [*line.conditions, *(binder.source for binder in line.binders)]
            parts += [("what may be chosen depends on it", each) for each in inner]
            parts += [
                ("the hint tells it", each) for each in line.hint if not isinstance(each, str)
            ]
        parts += [("what may be chosen depends on it", each) for each in node.narrowing]
        parts += [("the question tells it", each) for each in node.ask if not isinstance(each, str)]
        for what, part in parts:
            others = {each for each in self.flowing(part, here) if each.chooser != asked}
            self.tell(others, here, part.span, what)

    # ---------------------------------------------------------------------------- instructions

    def leaf(self, instruction: m.Instruction, here: Flow, way: Way) -> None:
        """What one instruction tells, stores, or lets everybody see."""
        match instruction:
            case m.Say(parts=parts):
                self.tell(way.control, here, instruction.span, "this is said only then")
                for part in parts:
                    if not isinstance(part, str):
                        if not isinstance(t.bare(part.type), t.Component):
                            self.tell(self.flowing(part, here), here, part.span, "this says it")
                        here.told |= self.flowing(part, here)
            case m.Store(target=m.Local() as target, operator=operator, value=value):
                tainted = self.flowing(value, here) | self.differing(way, target.offset, 0, value)
                if operator != "=":
                    tainted |= here.names.get(target.offset, NOTHING)
                self.store(target, tainted, here)
                if isinstance(t.bare(target.type), t.Player):
                    here.players[target.offset] = self.person(value, here)
            case m.MoveSome(result=m.Local() as result):
                self.store(result, NOTHING, here)
            case _:
                writes = effects(instruction).writes
                found = [NOTHING.union(*(self.flowing(e, here) for e in w.sources)) for w in writes]
                for write, tainted in zip(writes, found, strict=True):
                    if isinstance(write.target, m.Local):
                        self.store(write.target, tainted, here)
        if effects(instruction).announces or opening.is_effect(
            self.world, instruction, self.closed
        ):
            here.told |= way.control
            for part in walking.parts(instruction):
                if isinstance(part, m.Local):
                    here.told |= here.names.get(part.offset, NOTHING)

    def store(self, target: m.Target | None, tainted: Tainted, here: Flow) -> None:
        """Something goes into a local, or to where all may see it."""
        if isinstance(target, m.Local):
            here.players.pop(target.offset, None)
            here.names.pop(target.offset, None)
            if tainted:
                here.names[target.offset] = tainted
        elif opening.target_seen(self.world, target, self.closed):
            here.told |= tainted

    # -------------------------------------------------------------------------------- flowing

    def flowing(self, node: m.Expression, here: Flow) -> Tainted:
        """What of untold choices an expression tells; what reads a secret is one by itself."""
        found: set[Untold] = set()
        for part in walking.parts(node):
            if isinstance(part, m.Local):
                found |= here.names.get(part.offset, NOTHING)
        found -= here.told
        if not found or secrets(
            self.world, constants.fold(self.world, node), None, self.known, self.closed
        ):
            return NOTHING
        return frozenset(found)

    def differing(self, way: Way, to: str | int, place: int, value: m.Expression) -> Tainted:
        """The menus of which an option hands on another value than one that looks the same."""
        mine = shape(value)
        found: set[Untold] = set()
        for menu in way.rivals:
            for body in menu.others:
                theirs = list(self.handed(body, to, place))
                kept = not theirs and isinstance(to, int) and to not in menu.born
                if kept or (theirs and mine not in theirs):
                    found.add(menu.option)
        return frozenset(found)

    def handed(self, root: tree.Node, to: str | int, place: int) -> Iterator[Shape]:
        """What an option stores in a local, hands to a routine, or gives (`to` is empty)."""
        for node in self.own(root):
            match node:
                case tree.Leaf(instruction=m.Store(target=m.Local(offset=offset), value=value)):
                    if offset == to:
                        yield shape(value)
                case tree.Give(value=value) if to == "":
                    yield shape(value)
                case tree.CallProcedure(name=name, arguments=arguments):
                    if name == to and place < len(arguments):
                        yield shape(arguments[place])

    def person(self, node: m.Expression, here: Flow) -> Shape:
        """Which player an expression means, under one name."""
        if isinstance(node, m.Local):
            return here.players.get(node.offset, ("local", node.offset))
        return shape(node)

    # ------------------------------------------------------------------------------- findings

    def tell(self, found: Iterable[Untold], here: Flow, span: Span, what: str) -> None:
        """Something is told: report it, once for each choice; from now on it is known."""
        for untold in sorted(found, key=lambda each: (each.place, each.name)):
            if untold in here.told:
                continue
            here.told.add(untold)
            if untold.place in self.reported:
                continue
            self.reported.add(untold.place)
            node = self.nodes[untold.place]
            which = f"`{untold.name}`" if untold.name else "which option was taken"
            where = f"line {span.line}"
            if span.source.name != node.span.source.name:
                where += f" of {span.source.name}"
            self.world.report(
                "RR0610",
                f"{which} is told to nobody, but {where} gives it away: {what}",
                node.span,
                related=(Related(span, what),),
                help="write `visible: all` on this `choose`, or let everybody see what came of "
                "it before",
            )
