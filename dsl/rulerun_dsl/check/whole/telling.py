"""What is told under a condition: asking, saying, showing and shuffling must not tell a secret.

Assumes: every routine is checked; what each local may hold.
Does: goes through the rules with the secret conditions that stand around each place, follows calls,
and looks at everything that somebody is told: questions and sentences (told to all), what is shown
(to its audience), shuffles, exchanges and moves that nothing else tells of, phases.
Leaves behind: warnings at the conditions.

Once everybody sees, as data, that a branch is taken (a move out of a hand, a counter), its
condition is no secret any more; neither is it where the other branch would have been seen so.
`show c to q if c is spy` tells only `c`, since what is shown tells itself. Inside a `together`
nothing is told to others.

Where the game may end under a secret, whatever is asked behind that, and in the next pass of a loop
around it, is asked under that secret as well: the game goes on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import assert_never

from rulerun_dsl import model as m
from rulerun_dsl.check.env import constants
from rulerun_dsl.check.env.typing import same_place, shorten
from rulerun_dsl.check.stmt import tree, walking
from rulerun_dsl.check.stmt.rule_checker import RuleChecker
from rulerun_dsl.check.whole import opening
from rulerun_dsl.check.whole.secret_reads import Closed, Locals, Read, reads, secrets, seen_by_all
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.model.effects import effects

Conditions = tuple[m.Expression, ...]


@dataclass(frozen=True)
class Around:
    """The secret conditions under which a place of the rules is reached."""

    tests: Conditions = ()
    """Those that stand around it."""
    ends: Conditions = ()
    """Those under which the game would have ended before."""

    def __bool__(self) -> bool:
        return bool(self.tests or self.ends)


NOTHING = Around()
"""What is open."""


@dataclass(frozen=True)
class Ending:
    """How the game may end in a tree."""

    at_once: bool = False
    """Before anything else of the tree is seen."""
    tests: Conditions = ()
    """The secrets that decide it, but for what a player has chosen there."""


def check_telling(rules: RuleChecker, known: Locals, openings: opening.Openings) -> None:
    """Look at all that is told openly."""
    steps = walking.Steps(rules.world, "what is told under a secret")
    chosen = {
        binder.local.offset
        for routine in rules.routines.values()
        for node in walking.within(routine)
        for line in (node.lines if isinstance(node, tree.Choose) else ())
        for binder in line.binders
    }
    unchosen = {offset: values for offset, values in known.items() if offset not in chosen}
    teller = _Teller(rules, known, unchosen, openings, steps)
    for name in open_routines(rules):
        body = rules.routines[name].body
        if body is not None:
            teller.walk(body, NOTHING, False)


def open_routines(rules: RuleChecker) -> list[str]:
    """The routines that may run outside a `together`: all but those that are called only in one."""
    openly: dict[str, set[str]] = {}
    secretly: set[str] = set()
    for name, routine in rules.routines.items():
        openly[name] = set()
        if routine.body is not None:
            _callees(routine.body, openly[name], secretly)
    called = secretly.union(*openly.values())
    waiting = [name for name in rules.routines if name not in called]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(openly[name])
    return [name for name in rules.routines if name in found]


def _callees(node: tree.Node, openly: set[str], secretly: set[str]) -> None:
    match node:
        case tree.CallProcedure(name=name):
            openly.add(name)
        case tree.CallSlot(procedures=procedures):
            openly.update(name for name in procedures if name is not None)
    inner = secretly if isinstance(node, tree.Together) else openly
    for child in walking.children(node):
        _callees(child, inner, secretly)


@dataclass
class _Teller:
    """One walk over the rules."""

    rules: RuleChecker
    known: Locals
    unchosen: Locals
    """The same without the names of what was chosen, which is for `untold` to follow."""
    openings: opening.Openings
    steps: walking.Steps
    closed: Closed = field(default_factory=dict)
    """What holds at the node that is looked at."""
    seen: set[tuple[object, ...]] = field(default_factory=set)
    endings: dict[int, Ending] = field(default_factory=dict)

    def walk(self, node: tree.Node, around: Around, called: bool) -> None:
        """Look at what a tree tells; `around` are the secret conditions that stand around it."""
        if not self.steps.taken(node):
            return
        self.closed = self.openings.unopened.at(node)
        match node:
            case tree.Together():
                # That all choose in secret now is for all to see; nothing inside is.
                self.asked(None, around)
                return
            case tree.Choose(player=player, times=times):
                around = self.more(around, times)
                self.asked(player, around)
            case tree.Leaf(instruction=instruction):
                self.leaf(instruction, around, called)
            case tree.Phase(name=name, body=body):
                if around and not self.apparent(body):
                    self.told(f"that the phase `{name}` begins", around, None, ())
            case tree.If(condition=condition, then=then, alternative=alternative):
                inner = self.more(around, condition)
                for branch, other in ((then, alternative), (alternative, then)):
                    if branch is not None:
                        self.walk(branch, around if self.shows(other) else inner, called)
                return
            case tree.Until() | tree.Repeat() | tree.Loop():
                self.walk(node.body, self.in_loop(node, self.gone_on(node.body, around)), called)
                return
            case tree.CallProcedure(name=name, you=you):
                self.call(name, self.more(around, you))
            case tree.CallSlot(procedures=procedures, component=component, you=you):
                inner = self.more(self.more(around, component), you)
                for procedure in dict.fromkeys(procedures):
                    if procedure is not None:
                        self.call(procedure, inner)
            case tree.Block(steps=steps):
                self.block(steps, around, called)
                return
            case tree.Stop() | tree.Give():
                return
            case _:
                assert_never(node)
        for child in walking.children(node):
            self.walk(child, around, called)

    def block(self, steps: tuple[tree.Node, ...], around: Around, called: bool) -> None:
        """One step after the other: what all have seen happen is no secret for the rest."""
        for place, step in enumerate(steps):
            inner = around
            if isinstance(step, tree.Leaf) and self.apparent(steps[place + 1 :]):
                inner = self.questions_only(step, around)
            self.walk(step, inner, called)
            self.closed = self.openings.unopened.at(step)
            if self.is_seen(step):
                around = NOTHING
            elif isinstance(step, tree.If):
                for branch in (step.then, step.alternative):
                    if branch is not None and walking.leaves(branch) and not self.shows(branch):
                        around = self.more(around, step.condition)
            around = self.gone_on(step, around)

    def questions_only(self, step: tree.Leaf, around: Around) -> Around:
        """What stands around a step that is seen happen right behind it: only `say` tells more."""
        return around if isinstance(step.instruction, m.Say) else NOTHING

    def in_loop(
        self, node: tree.Until | tree.Repeat | tree.Loop, around: Around, chosen: bool = True
    ) -> Around:
        """What stands around the body of a loop."""
        match node:
            case tree.Until(condition=condition):
                return self.more(around, condition, chosen=chosen)
            case tree.Repeat(count=count):
                return self.more(around, count, chosen=chosen)
            case tree.Loop(loop=loop, until=until):
                for each in (loop.condition, until):
                    around = self.more(around, each, chosen=chosen)
                return self.more(around, loop.source, counted=True, chosen=chosen)

    def call(self, name: str, around: Around) -> None:
        """Follow a call that stands under secret conditions."""
        body = self.rules.routines[name].body
        spans = [[each.span for each in some] for some in (around.tests, around.ends)]
        key = (name, *(tuple((at.source.name, at.start) for at in some) for some in spans))
        if around and body is not None and key not in self.seen:
            self.seen.add(key)
            self.walk(body, around, True)

    def more(
        self,
        around: Around,
        condition: m.Expression | None,
        counted: bool = False,
        chosen: bool = True,
    ) -> Around:
        """The conditions with one more, if it is a secret; of a loop's set its size is.

        `chosen`: what somebody has chosen counts as well.
        """
        if condition is None:
            return around
        node = constants.fold(self.rules.world, condition)
        if counted and isinstance(node, m.Members):
            count = Read(node.zone, True, None, True, node.span)
            secret = seen_by_all(self.rules.world, count, self.closed) is False
        else:
            secret = bool(self.hidden(node, None, chosen))
        return replace(around, tests=(*around.tests, condition)) if secret else around

    def hidden(
        self, node: m.Expression, player: m.Expression | None, chosen: bool = True
    ) -> list[Read]:
        """What an expression reads that a player, or the public, does not see."""
        world = self.rules.world
        known = self.known if chosen else self.unchosen
        return secrets(world, constants.fold(world, node), player, known, self.closed)

    # ---------------------------------------------------------------------- ends of the game

    def gone_on(self, node: tree.Node, around: Around) -> Around:
        """What stands around what comes behind a node, since the game has not ended in it."""
        closed = self.closed
        found = self.ending(node).tests
        self.closed = closed
        ends = {id(each): each for each in (*around.ends, *found)}
        return replace(around, ends=tuple(ends.values())) if found else around

    def ending(self, node: tree.Node) -> Ending:
        """How the game may end in a tree."""
        if id(node) not in self.endings:
            self.endings[id(node)] = Ending()  # a circle of calls adds nothing
            self.endings[id(node)] = self._ending(node)
        return self.endings[id(node)]

    def _ending(self, node: tree.Node) -> Ending:
        self.closed = self.openings.unopened.at(node)
        around, inside = NOTHING, list(walking.children(node))
        match node:
            case tree.Leaf(instruction=instruction):
                return Ending(effects(instruction).ends)
            case tree.Block(steps=steps):
                return self._ending_of(steps)
            case tree.If(condition=condition):
                around = self.more(around, condition, chosen=False)
            case tree.Until() | tree.Repeat() | tree.Loop():
                around = self.in_loop(node, around, chosen=False)
            case tree.CallProcedure(name=name):
                inside = self._bodies((name,))
            case tree.CallSlot(procedures=procedures, component=component):
                around = self.more(around, component, chosen=False)
                inside = self._bodies(procedures)
            case _:
                pass  # nothing is tested there
        found = [self.ending(each) for each in inside]
        at_once = any(each.at_once for each in found) and not isinstance(node, tree.Choose)
        tests = tuple(test for each in found for test in each.tests)
        return Ending(at_once, (*around.tests, *tests) if at_once else tests)

    def _ending_of(self, steps: tuple[tree.Node, ...]) -> Ending:
        """The same of steps: once one more is seen, it is no news that the game went on."""
        at_once, silent = False, True
        found: Conditions = ()
        for step in steps:
            if self.is_seen(step):
                found = ()
            inside = self.ending(step)
            at_once = at_once or (inside.at_once and silent)
            found = (*found, *inside.tests)
            silent = silent and opening.THROUGH in self.openings.of(step)
        return Ending(at_once, found)

    def _bodies(self, names: Iterable[str | None]) -> list[tree.Node]:
        bodies = (self.rules.routines[each].body for each in dict.fromkeys(names) if each)
        return [each for each in bodies if each is not None]

    def shows(self, node: tree.Node | None) -> bool:
        """Does everybody see, as data, that a branch was taken: not only by the game's end."""
        return node is not None and self.is_seen(node) and not self.ending(node).at_once

    # ------------------------------------------------------------------------- seen as data

    def is_seen(self, node: tree.Node) -> bool:
        """Does everybody see, whatever comes, that a step was taken."""
        return self.openings.of(node) == {opening.EFFECT}

    def apparent(self, steps: tree.Node | tuple[tree.Node, ...]) -> bool:
        """Is it seen, before anybody is asked, that the steps were taken."""
        if isinstance(steps, tree.Node):
            steps = (steps,)
        for step in steps:
            if isinstance(step, tree.Block):
                return self.apparent((*step.steps, *steps[1:]))
            if isinstance(step, tree.Phase):
                return self.apparent((step.body, *steps[1:]))
            found = self.openings.of(step)
            if found == {opening.EFFECT}:
                return True
            if found != {opening.THROUGH}:
                return False
            steps = steps[1:]
        return False

    # ------------------------------------------------------------------------------ findings

    def asked(self, player: m.Expression | None, around: Around) -> None:
        """Whether, and whom, the game asks must be computable from what everybody knows."""
        conditions = [*around.tests, *around.ends]
        if player is not None:
            conditions.append(player)
        for condition in conditions:
            hidden = self.hidden(condition, None)
            if hidden:
                what = "whom" if condition is player else "whether"
                self.rules.world.report(
                    "RR0604",
                    f"{what} the game asks here depends on `{hidden[0].name}`, "
                    "which not everybody sees",
                    condition.span,
                    help="being asked, or not, tells it: ask in every case that looks the "
                    "same to the others",
                )

    def leaf(self, instruction: m.Instruction, around: Around, called: bool) -> None:
        """What one instruction tells."""
        world = self.rules.world
        match instruction:
            case m.Say(parts=parts):
                self.said(parts, around)
            case m.ShowTo(source=source, player=player) if player is None or not called:
                shown = tuple(reads(world, constants.fold(world, source), self.known))
                self.told("that something is shown", around, player, shown)
            case m.ShuffleZone(zone=zone) if opening.count_seen(world, zone, self.closed):
                if not opening.members_seen(world, zone, self.closed):
                    self.told(f"that `{zone.zone}` is shuffled", around, None, ())
            case m.SwapZones(left=left, right=right) if not opening.is_effect(
                world, instruction, self.closed
            ):
                if opening.count_seen(world, left, self.closed) or opening.count_seen(
                    world, right, self.closed
                ):
                    what = f"that `{left.zone}` and `{right.zone}` are exchanged"
                    self.told(what, around, None, ())
            case m.MoveSome(to=to) | m.MoveAll(to=to) if not opening.is_effect(
                world, instruction, self.closed
            ):
                if opening.count_seen(world, to, self.closed):
                    self.told(f"that something moves within `{to.zone}`", around, None, ())
            case _:
                pass  # nothing is told of it: who sees what it changes, sees it as data

    def told(
        self,
        what: str,
        around: Around,
        player: m.Expression | None,
        shown: tuple[Read, ...],
    ) -> None:
        """Report the conditions that a told thing tells somebody who does not see them."""
        for condition in around.tests:
            hidden = [each for each in self.hidden(condition, player) if not _among(each, shown)]
            if hidden:
                whom = "not everybody sees" if player is None else "who is told does not see"
                self.rules.world.report(
                    "RR0609",
                    f"{what} tells of `{hidden[0].name}`, which {whom}",
                    condition.span,
                    help="do it in every case that looks the same to the others, or let them see "
                    "what decides it",
                )

    def said(self, parts: tuple[str | m.Expression, ...], around: Around) -> None:
        """`say` goes to everybody: what it says, and that it says it, must be no secret."""
        for part in parts:
            if isinstance(part, str) or isinstance(t.bare(part.type), t.Component):
                continue
            hidden = self.hidden(part, None)
            if hidden:
                self.rules.world.report(
                    "RR0608",
                    f"`{shorten(part.span.text)}` tells everybody of `{hidden[0].name}`, "
                    "which not everybody sees",
                    part.span,
                    help="leave it out, or let everybody see it",
                )
        for condition in around.tests:
            hidden = self.hidden(condition, None)
            if hidden:
                self.rules.world.report(
                    "RR0608",
                    f"that this is said tells everybody of `{hidden[0].name}`",
                    condition.span,
                    help="say it in every case that looks the same to the others",
                )


def _among(read: Read, shown: tuple[Read, ...]) -> bool:
    """Is what is read among what is shown."""
    return any(
        each.name == read.name
        and (each.owner is None or (read.owner is not None and same_place(each.owner, read.owner)))
        for each in shown
    )
