"""The parts of a `together`: what each player does in secret must be independent of the others.

Assumes: every routine is checked.
Does: follows each `together` into what it calls, knowing which locals hold the part's player, and
which a component that lies in a zone of theirs. Each part asks nobody but its player, and writes
only their own variables, zones and what lies in them; it reads nothing that another part may write.
What an instruction does, `effects` says of all; what is not surely the player's own is refused.
Leaves behind: errors.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import assert_never

from rulerun_dsl import model as m
from rulerun_dsl.check.env import facts
from rulerun_dsl.check.stmt import tree, walking
from rulerun_dsl.check.stmt.rule_checker import RuleChecker
from rulerun_dsl.check.whole.origins import Registers, origins, passed
from rulerun_dsl.check.whole.secret_reads import player_index
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.model.effects import effects
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span

Own = frozenset[int]
"""Locals, by slot, that surely hold the part's player, or a component in a zone of theirs."""


def check_independence(rules: RuleChecker) -> None:
    """Check every `together`."""
    for routine in rules.routines.values():
        if routine.body is None:
            continue
        for node in walking.within(routine):
            if isinstance(node, tree.Together):
                part = _Part(rules)
                part.routine(node.body, routine, frozenset((node.variable.offset,)), 0)
                part.judge()


@frozen
class _Read:
    """A variable, a zone or an attribute that is read, and whether it is surely the player's."""

    name: str
    is_own: bool
    span: Span


@dataclass
class _Part:
    """What the parts of one `together` write and read."""

    rules: RuleChecker
    written: set[str] = field(default_factory=set)
    moved: list[m.Expression] = field(default_factory=list)
    """The names of what is moved; the zones that they come from are written."""
    bindings: dict[int, list[m.Expression]] = field(default_factory=lambda: defaultdict(list))
    """By slot: what a local holds that is the player's own."""
    read: list[_Read] = field(default_factory=list)
    stops: list[tree.Stop] = field(default_factory=list)
    entered: set[str] = field(default_factory=set)
    """The routines that run inside the part."""
    seen: set[tuple[str, Own]] = field(default_factory=set)
    reported: list[Span] = field(default_factory=list)

    # ------------------------------------------------------------------------- what is own

    def routine(self, body: tree.Node, around: tree.Routine, own: Own, depth: int) -> None:
        """Note what the body of the part, or of a routine that it calls, writes and reads.

        `own` are those of the parameters, and the variable of the `together` itself.
        """
        bound: dict[int, list[m.Expression | None]] = defaultdict(list)
        for node in walking.walk(around.body or body):
            for local, source in _bindings(node):
                bound[local.offset].append(source)
        # A local holds the player's own if all that it is ever given is; some are given others.
        parameters = {around.you.offset, *(local.offset for _, _, local in around.parameters)}
        own |= bound.keys() - parameters
        before = None
        while own != before:
            before = own
            own = frozenset(
                each for each in own if all(self.is_own(source, own) for source in bound[each])
            )
        for each in own:
            self.bindings[each] += [source for source in bound[each] if source is not None]
        for node in walking.walk(body):
            self.node(node, own, depth)

    def is_own(self, node: m.Expression | None, own: Own, bound: Registers | None = None) -> bool:
        """Is something surely the part's player, or in a zone of theirs."""
        if node is None:
            return False
        return all(
            self.is_own_place(each, own, registers)
            for each, registers in origins(self.rules.world, node, bound or {})
        )

    def is_own_place(self, node: m.Expression, own: Own, bound: Registers) -> bool:
        """The same of what something is found by; of what is not plain the answer is no."""
        match node:
            case m.Local(offset=offset):
                return offset in own
            case m.Members(zone=zone, indexes=indexes) | m.Occupant(zone=zone, indexes=indexes):
                made = facts.zone(self.rules.world, zone)
                return made is not None and self.is_indexed(made.indexes, indexes, own, bound)
            case _:  # what a variable or a kind gives may lie anywhere
                return False

    def is_indexed(
        self,
        types: tuple[t.Scalar, ...],
        indexes: tuple[m.Expression | None, ...],
        own: Own,
        bound: Registers,
    ) -> bool:
        """Is one of a family surely the player's own: the first index that is a player."""
        at = player_index(types)
        return at is not None and bool(indexes) and self.is_own(indexes[at], own, bound)

    # ------------------------------------------------------------------------- what is done

    def node(self, node: tree.Node, own: Own, depth: int) -> None:
        """Note what one node does; the nodes inside it come by themselves."""
        for expression in walking.parts(node):
            self.reads(expression, own, {}, expression.span)
        match node:
            case tree.Leaf(instruction=instruction):
                self.instruction(instruction, own)
            case tree.Together():
                if depth:
                    self.forbid(node.span, "a `together` cannot stand inside another")
            case tree.Stop() | tree.Give() if depth == 0:
                self.forbid(node.span, "this leaves a procedure outside the `together`")
            case tree.Stop():
                self.stops.append(node)
            case tree.CallProcedure(name=name, arguments=arguments, you=you, result=result):
                self.target(result, own)
                if self.rules.routines[name].queued:
                    self.forbid(node.span, "a queued call cannot be made in a `together`")
                self.call(name, arguments, you, own, depth)
            case tree.CallSlot(procedures=procedures, arguments=arguments, you=you):
                for each in procedures:
                    if each is not None:
                        self.call(each, arguments, you, own, depth)
            case tree.Block() | tree.If() | tree.Loop() | tree.Until() | tree.Repeat():
                pass
            case tree.Choose(player=player):
                if not self.is_own(player, own):
                    self.forbid(
                        player.span,
                        "somebody else may decide here, inside a `together`",
                        help="a part is its player's own: let the others decide in theirs, "
                        "or behind the `together`",
                    )
            case tree.Phase() | tree.Give():
                pass  # what is done is done by the nodes inside; names are each part's own
            case _:
                assert_never(node)

    def call(
        self,
        name: str,
        arguments: tuple[m.Expression, ...],
        you: m.Expression | None,
        own: Own,
        depth: int,
    ) -> None:
        """Follow a call: which of the callee's parameters hold the player's own."""
        routine = self.rules.routines[name]
        self.entered.add(name)
        inner = set()
        for (_, _, local), argument in zip(routine.parameters, arguments, strict=True):
            if self.is_own(argument, own):
                self.bindings[local.offset].append(argument)
                inner.add(local.offset)
        if self.is_own(you, own):
            inner.add(routine.you.offset)
        key = name, frozenset(inner)
        if key not in self.seen and routine.body is not None:
            self.seen.add(key)
            self.routine(routine.body, routine, frozenset(inner), depth + 1)

    def instruction(self, instruction: m.Instruction, own: Own) -> None:
        """Note what an instruction writes; what cannot be a player's own is refused.

        Luck falls for the part alone, and what it says is told in the order of seats.
        """
        does = effects(instruction)
        for write in does.writes:
            self.target(write.target, own)
        for move in does.moves:
            self.place(move.source, own)
            self.place(move.to, own)
            if does.draws:
                self.refill(move.source, own)
        for zone in does.reorders:
            self.place(zone, own)
        if does.ends:
            self.forbid(instruction.span, "the game cannot end inside a `together`")
        if does.shows:
            self.forbid(instruction.span, "nothing can be shown inside a `together`")

    def forbid(self, span: Span, message: str, help: str | None = None) -> None:
        """Report a statement that cannot stand here."""
        self.rules.world.report("RR0607", message, span, help=help)

    def target(self, target: m.Target | None, own: Own) -> None:
        """What is stored must be stored in the player's own; locals are each part's anyway."""
        match target:
            case None | m.Local():
                pass
            case m.Variable(name=name, indexes=indexes):
                self.written.add(name)
                types = facts.variable(self.rules.world, name).indexes
                if not self.is_indexed(types, indexes, own, {}):
                    self.shared(name, target.span, player_index(types) is not None)
            case m.State(kind=kind, attribute=attribute, component=component):
                self.written.add(f"{kind}.{attribute}")
                if not self.is_own(component, own):
                    self.shared(attribute, target.span, False)
            case _:
                assert_never(target)

    def place(self, node: m.ZoneAt | m.Expression, own: Own) -> None:
        """What is moved must come from, or go to, a zone of the player's own."""
        if isinstance(node, m.ZoneAt):
            self.zone(node.zone, node.indexes, node.span, own, {})
            return
        for each, bound in origins(self.rules.world, node, {}):
            if isinstance(each, m.Members | m.Occupant):
                span = each.span if node.span.covers(each.span) else node.span
                self.zone(each.zone, each.indexes, span, own, bound)
            elif self.is_own_place(each, own, bound):
                self.moved.append(each)
            else:
                self.refuse("moves what need not lie in a zone of its player", node.span)

    def refill(self, node: m.ZoneAt | m.Expression, own: Own) -> None:
        """So must what comes in when a zone from which components are drawn is empty."""
        made = facts.zone(self.rules.world, node.zone) if isinstance(node, m.ZoneAt) else None
        if isinstance(node, m.ZoneAt) and made is not None and made.decl.refill is not None:
            name = made.decl.refill.span.text
            source = facts.zone(self.rules.world, name)
            if source is not None:
                indexes = node.indexes[: len(source.indexes)]
                self.zone(name, indexes, node.span, own, {})

    def zone(
        self,
        name: str,
        indexes: tuple[m.Expression | None, ...],
        span: Span,
        own: Own,
        bound: Registers,
    ) -> None:
        """A zone must be the player's own."""
        self.written.add(name)
        made = facts.zone(self.rules.world, name)
        types = made.indexes if made is not None else ()
        if not self.is_indexed(types, indexes, own, bound):
            self.shared(name, span, player_index(types) is not None)

    def shared(self, name: str, span: Span, owned: bool) -> None:
        """Report a write to what is not the player's own."""
        whose = "may be another player's" if owned else "is everybody's"
        self.refuse(f"changes `{name}`, which {whose}", span)

    def refuse(self, does: str, span: Span) -> None:
        """Report what a part may not do to others."""
        self.reported.append(span)
        self.rules.world.report(
            "RR0605",
            f"a `together` {does}",
            span,
            help="inside it each player may change only their own variables and zones; "
            "do the rest after it",
        )

    # ------------------------------------------------------------------------ what is read

    def reads(self, node: m.Expression, own: Own, bound: Registers, at: Span) -> None:
        """Note what one expression reads by itself, through functions; `at`: for the report."""
        world = self.rules.world
        match node:
            case m.Members(zone=name, indexes=indexes) | m.Occupant(zone=name, indexes=indexes):
                made = facts.zone(world, name)
                types = made.indexes if made is not None else ()
                self.note(name, self.is_indexed(types, indexes, own, bound), at)
            case m.Variable(name=name, indexes=indexes):
                types = facts.variable(world, name).indexes
                self.note(name, self.is_indexed(types, indexes, own, bound), at)
            case m.State(kind=kind, attribute=attribute, component=component):
                self.note(f"{kind}.{attribute}", self.is_own(component, own, bound), at)
            case m.SiteOf(zone=name, component=component):
                self.note(name, self.is_own(component, own, bound), at)
            case m.OfKind(kind=kind):
                # Which there are cannot change, but the order may in which they are gone through.
                for name in world.by_kind["zone"]:
                    made = facts.zone(world, name)
                    if made is not None and made.kind == kind:
                        self.note(name, False, at)
            case m.FunctionCall(function=function):
                self.function(function, own, {**bound, **passed(world, node, bound)}, at)
            case m.SlotCall(functions=functions):
                for function in functions:
                    self.function(function, own, bound, at)
            case m.BuiltinCall(relation=int() as function):
                self.function(function, own, bound, at)
            case _:
                pass  # it reads what its parts read; which procedures run is each part's own

    def function(self, function: int, own: Own, bound: Registers, at: Span) -> None:
        """Note what the body of a function reads."""
        body = self.rules.world.functions[function].body
        for each in walking.parts(body) if body is not None else ():
            self.reads(each, own, bound, at)

    def note(self, name: str, is_own: bool, span: Span) -> None:
        """Note one read."""
        self.read.append(_Read(name, is_own, span))

    # -------------------------------------------------------------------------- judgement

    def judge(self) -> None:
        """Report reads of what another's part may write, and `stop` of what runs around it."""
        seen: set[int] = set()
        for node in self.moved:
            self.written.update(self.zones_of(node, seen))
        for read in self.read:
            if any(span.covers(read.span) for span in self.reported):
                continue
            if read.name in self.written and not read.is_own:
                self.rules.world.report(
                    "RR0606",
                    f"a `together` reads `{read.name}` of others, which their parts may change",
                    read.span,
                    help="what the others do in secret is not known before all are done",
                )
        for stop in self.stops:
            if stop.procedure is not None and stop.procedure not in self.entered:
                self.forbid(stop.span, "this leaves a procedure outside the `together`")

    def zones_of(self, node: m.Expression, seen: set[int]) -> Iterator[str]:
        """The zones in which a component may have lain, through the names that held it."""
        for each, _ in origins(self.rules.world, node, {}):
            if isinstance(each, m.Members | m.Occupant):
                yield each.zone
            elif isinstance(each, m.Local) and each.offset not in seen:
                seen.add(each.offset)
                for source in self.bindings[each.offset]:
                    yield from self.zones_of(source, seen)


def _bindings(node: tree.Node) -> Iterator[tuple[m.Local, m.Expression | None]]:
    """The locals that a node binds, each with what it may hold (None: there is no telling)."""
    match node:
        case tree.Leaf(instruction=instruction):
            for write in effects(instruction).writes:
                if isinstance(write.target, m.Local):
                    for source in write.sources or (None,):
                        yield write.target, source
        case tree.Loop(loop=loop):
            yield loop.variable, loop.source
        case tree.Choose(lines=lines):
            for line in lines:
                for binder in line.binders:
                    yield binder.local, binder.source
        case tree.CallProcedure(result=m.Local() as result):
            yield result, None
        case tree.CallProcedure() | tree.CallSlot() | tree.Block() | tree.If() | tree.Until():
            pass
        case tree.Repeat() | tree.Stop() | tree.Give() | tree.Phase() | tree.Together():
            pass
        case _:
            assert_never(node)
