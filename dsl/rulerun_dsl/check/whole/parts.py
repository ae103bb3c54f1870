"""The parts of a `together`: what each player does in secret must be independent of the others.

Each part writes only its player's own variables and zones, and reads nothing that another part may
write. Procedures are followed with the knowledge of which of their parameters is the player.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from rulerun_dsl import model as m
from rulerun_dsl.check.env import constants, facts
from rulerun_dsl.check.stmt import tree, walking
from rulerun_dsl.check.stmt.rules import RuleChecker
from rulerun_dsl.check.whole.secret_reads import Read, player_index, reads
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span


def check_parts(rules: RuleChecker) -> None:
    """Check every `together`."""
    for routine in rules.routines.values():
        if routine.body is None:
            continue
        for node in walking.walk(routine.body):
            if isinstance(node, tree.Together):
                part = _Part(rules)
                part.walk(node.body, frozenset((node.variable.offset,)), 0)
                part.judge()


@dataclass
class _Part:
    """What the parts of one `together` write and read."""

    rules: RuleChecker
    written: set[str] = field(default_factory=set)
    read: list[tuple[Read, frozenset[int]]] = field(default_factory=list)
    seen: set[tuple[str, frozenset[int]]] = field(default_factory=set)
    reported: list[Span] = field(default_factory=list)

    def own(self, node: m.Expression | None, mine: frozenset[int]) -> bool:
        """Is an index surely the player whose part it is."""
        return isinstance(node, m.Local) and node.offset in mine

    def walk(self, root: tree.Node, mine: frozenset[int], depth: int) -> None:
        """Note what a tree writes and reads; `mine` are the locals that hold the player."""
        for node in walking.walk(root):
            for expression in walking.parts(node):
                self.note_reads(expression, mine)
            match node:
                case tree.Leaf(instruction=instruction):
                    self.instruction(instruction, mine, depth)
                case tree.Together() if depth:
                    self.forbid(node.span, "a `together` cannot stand inside another")
                case tree.Stop(procedure=procedure) if procedure is not None and depth == 0:
                    self.forbid(node.span, "this leaves a procedure outside the `together`")
                case tree.CallProcedure(name=name, arguments=arguments, you=you, result=result):
                    self.target(result, mine)
                    if self.rules.routines[name].queued:
                        self.forbid(node.span, "a queued call cannot be made in a `together`")
                    self.call(name, arguments, you, mine, depth)
                case tree.CallSlot(procedures=procedures, arguments=arguments, you=you):
                    for each in procedures:
                        if each is not None:
                            self.call(each, arguments, you, mine, depth)

    def call(
        self,
        name: str,
        arguments: tuple[m.Expression, ...],
        you: m.Expression | None,
        mine: frozenset[int],
        depth: int,
    ) -> None:
        """Follow a call: which of the callee's parameters are the player."""
        routine = self.rules.routines[name]
        inner = {
            local.offset
            for (_, _, local), argument in zip(routine.parameters, arguments, strict=True)
            if self.own(argument, mine)
        }
        if self.own(you, mine):
            inner.add(routine.you.offset)
        key = name, frozenset(inner)
        if key not in self.seen and routine.body is not None:
            self.seen.add(key)
            self.walk(routine.body, frozenset(inner), depth + 1)

    def note_reads(self, expression: m.Expression, mine: frozenset[int]) -> None:
        """Note the direct reads of one expression node (its parts are walked as well)."""
        if isinstance(
            expression,
            m.Members | m.Occupant | m.Variable | m.FunctionCall | m.SlotCall | m.BuiltinCall,
        ):
            for each in reads(self.rules.world, constants.fold(self.rules.world, expression)):
                self.read.append((each, mine))

    def instruction(self, instruction: m.Instruction, mine: frozenset[int], depth: int) -> None:
        """Note what an instruction writes."""
        match instruction:
            case m.Store(target=target) | m.Roll(target=target) | m.Pick(target=target):
                self.target(target, mine)
            case m.SortBy(target=target):
                self.target(target, mine)
            case m.SwapValues(left=left, right=right):
                self.target(left, mine)
                self.target(right, mine)
            case m.MoveOne(component=component, to=to):
                self.place(to, mine)
                for zone in sources_of(component):
                    self.zone(zone, mine)
            case m.MoveAll(source=source, to=to):
                self.place(to, mine)
                for zone in sources_of(source):
                    self.zone(zone, mine)
            case m.MoveSome(sources=sources, to=to, result=result):
                self.place(to, mine)
                self.target(result, mine)
                for each in sources:
                    self.place(each, mine)
            case m.ShuffleZone(zone=zone):
                self.place(zone, mine)
            case m.SwapZones(left=left, right=right):
                self.place(left, mine)
                self.place(right, mine)
            case m.EndGame() if depth:
                self.forbid(instruction.span, "the game cannot end inside a `together`")
            case m.ShowTo() if depth:
                self.forbid(instruction.span, "nothing can be shown inside a `together`")

    def forbid(self, span: Span, message: str) -> None:
        """Report a statement that cannot stand here."""
        self.rules.world.report("RR0607", message, span)

    def target(self, target: m.Target | None, mine: frozenset[int]) -> None:
        """A variable must be the player's own."""
        if not isinstance(target, m.Variable):
            return
        self.written.add(target.name)
        variable = facts.variable(self.rules.world, target.name)
        at = player_index(variable.indexes)
        if at is None or not target.indexes or not self.own(target.indexes[at], mine):
            self.shared(target.name, target.span, at is not None)

    def place(self, zone: m.ZoneAt, mine: frozenset[int]) -> None:
        """A zone must be the player's own."""
        self.zone(m.Members(t.Bool(), zone.span, zone.zone, zone.indexes), mine)

    def zone(self, node: m.Members | m.Occupant, mine: frozenset[int]) -> None:
        """A zone must be the player's own."""
        self.written.add(node.zone)
        made = facts.zone(self.rules.world, node.zone)
        at = player_index(made.indexes) if made is not None else None
        if at is None or not node.indexes or not self.own(node.indexes[at], mine):
            self.shared(node.zone, node.span, at is not None)

    def shared(self, name: str, span: Span, owned: bool) -> None:
        """Report a write to what is not the player's own."""
        self.reported.append(span)
        self.rules.world.report(
            "RR0605",
            f"a `together` changes `{name}`, which "
            + ("may be another player's" if owned else "is everybody's"),
            span,
            help="inside it each player may change only their own variables and zones; "
            "do the rest after it",
        )

    def judge(self) -> None:
        """Report reads of what another's part may write."""
        for read, mine in self.read:
            if any(span.covers(read.span) for span in self.reported):
                continue
            if read.name in self.written and not self.own(read.owner, mine):
                self.rules.world.report(
                    "RR0606",
                    f"a `together` reads `{read.name}` of others, which their parts may change",
                    read.span,
                    help="what the others do in secret is not known before all are done",
                )


def sources_of(node: m.Expression) -> Iterator[m.Members | m.Occupant]:
    """The zones that a moved component comes from, as far as the text tells."""
    for each in walking.parts(node):
        if isinstance(each, m.Members | m.Occupant):
            yield each
