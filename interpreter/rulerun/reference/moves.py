"""Moving components: one, all, what two zones hold, and the telling of it.

Assumes: instructions whose zones hold the kind that is moved.
Does: moves through `components`, keeps what players know of what is hidden (`knowledge`), and
tells who saw it when the statement is over.
Leaves behind: conservation: every component in exactly one zone, also between two moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulerun.analysis.moving import ANYHOW, CHOSEN, Way, goes_in_order, goes_whole, lies_by_rows
from rulerun.reference.evaluate import Evaluator
from rulerun.reference.events import EventLog
from rulerun.reference.knowledge import Knowledge
from rulerun.runtime.closures import Run, rule_error
from rulerun.runtime.components import kind_of
from rulerun.runtime.index import KindTable, element_of
from rulerun.runtime.play import Operation, Play
from rulerun_dsl import model
from rulerun_dsl.model import ZoneAt
from rulerun_dsl.model.valuetypes import Zone
from rulerun_dsl.source.spans import Span


class Moves:
    """The moves of one game."""

    def __init__(self, evaluator: Evaluator, log: EventLog, knowledge: Knowledge) -> None:
        """Compile the parts with `evaluator`, tell `log` what moves."""
        self.evaluator = evaluator
        self.tables = evaluator.tables
        self.components = evaluator.components
        self.log = log
        self.knowledge = knowledge

    def place(self, zone: ZoneAt) -> Run:
        """The number of a single zone."""
        return self.evaluator.zone(zone.zone, zone.indexes, zone.span)

    def places(self, zone: ZoneAt) -> Run:
        """The numbers of the zones that are meant."""
        return self.evaluator.zones(zone.zone, zone.indexes, zone.span)

    def kind_at(self, zone: ZoneAt) -> KindTable:
        """The kind that a zone holds."""
        return self.tables.kinds[self.tables.families[zone.zone].kind]

    def move(
        self,
        play: Play,
        kind: KindTable,
        component: int,
        to: int,
        span: Span,
        way: Way = ANYHOW,
        sure: int = 0,
    ) -> int:
        """Move one component, which `tell` tells. What it is now.

        `sure`: who can tell how it comes to lie among the others that go.
        """
        slots, visibility = play.slots, self.log.visibility
        source = self.tables.instances[self.components.zone_of(slots, kind, component)]
        if play.events is not None and not play.moves:
            play.before = list(slots)
        if not self.knowledge.kept(kind):
            moved = self.components.move(slots, kind, component, to, span)
        else:
            before = visibility.members(source, slots, play.registers)
            place = self.knowledge.places.leaving(slots, kind, component)
            moved = self.components.move(slots, kind, component, to, span)
            after = visibility.members(self.tables.instances[to], slots, play.registers)
            self.knowledge.moved(play, kind, moved, source.number, before, after, way, place, sure)
        if play.events is not None:
            play.moves.append((kind.kind.name, moved, source.number, to))
        return moved

    def tell(self, play: Play) -> None:
        """Tell what a statement has moved."""
        if play.moves:
            self.log.moved(play, play.moves, play.before)
            play.moves = []

    def seeing_all(self, play: Play, kind: KindTable, members: Sequence[int]) -> int:
        """Who always sees all the zones in which some components lie."""
        sure = self.log.visibility.all
        for zone in {self.components.zone_of(play.slots, kind, member) for member in members}:
            sure &= self.knowledge.always(self.tables.instances[zone])
        return sure

    # -------------------------------------------------------------------------- instructions

    def one(self, node: model.MoveOne, at: int) -> Operation:
        """`move c to Z`; the name of a counted component goes along."""
        component, to = self.evaluator.compile(node.component), self.place(node.to)
        kind = self.kind_at(node.to)
        name = node.name

        def one(play: Play) -> int:
            slots, base, registers = play.slots, play.base, play.registers
            which = component(slots, base, registers)
            if which is None:
                raise rule_error("none", f"{node.component.span.text} is none", node.span)
            moved = self.move(play, kind, which, to(slots, base, registers), node.span, CHOSEN)
            self.tell(play)
            if name is not None:
                slots[base + name.offset] = moved
            return at + 1

        return one

    def all(self, node: model.MoveAll, at: int) -> Operation:
        """`move all S to Z`: the members as they are when the move begins, in order."""
        source, to = self.evaluator.compile(node.source), self.place(node.to)
        condition, kind, register = (
            self.evaluator.test(node.condition),
            self.kind_at(node.to),
            node.register,
        )

        by_rows = self.knowledge.places.any_of(kind) and lies_by_rows(self.tables.game, node)

        def all_(play: Play) -> int:
            here = (play.slots, play.base, play.registers)
            members = list(source(*here))
            sure = self.seeing_all(play, kind, members) if by_rows else 0
            for member in members:
                play.registers[register] = member
                if condition is None or condition(*here):
                    self.move(play, kind, member, to(*here), node.span, sure=sure)
            self.tell(play)
            return at + 1

        if not self.knowledge.kept(kind) or not goes_whole(self.tables.game, node):
            return all_
        assert isinstance(node.source, model.Members)
        zones = self.evaluator.zones(node.source.zone, node.source.indexes, node.source.span)
        sight = self.log.visibility.members
        in_order = goes_in_order(self.tables.game, node)

        def whole(play: Play) -> int:
            here = (play.slots, play.base, play.registers)
            instances = [self.tables.instances[zone] for zone in zones(*here)]
            loads = {
                zone.number: self.knowledge.taken_up(play, zone, sight(zone, *here[::2]))
                for zone in instances
                if self.components.count(play.slots, zone.number)
            }
            if not loads:
                return at + 1
            target = self.tables.instances[to(*here)]
            below = self.components.count(play.slots, target.number)
            all_(play)
            after = sight(target, *here[::2])
            for number, load in loads.items():
                if number != target.number:
                    self.knowledge.laid_down(play, target, load, after)
                    if in_order:
                        self.knowledge.piled(play, target, load, below, after)
            return at + 1

        return whole

    def swap(self, node: model.SwapZones, at: int) -> Operation:
        """Exchange what lies in two zones."""
        left, right = self.place(node.left), self.place(node.right)

        def swap(play: Play) -> int:
            here = (play.slots, play.base, play.registers)
            zones = (left(*here), right(*here))
            if zones[0] == zones[1]:
                return at + 1
            instances = [self.tables.instances[zone] for zone in zones]
            loads = [
                self.knowledge.taken_up(play, zone, self.log.sight(play, zone)[0])
                for zone in instances
            ]
            self.components.swap(play.slots, *zones, node.span)
            for place, zone in enumerate(instances):
                after = self.log.sight(play, zone)[0]
                self.knowledge.replaced(play, zone, loads[1 - place], after)
            self.log.zones(play, "swap", "are exchanged", instances)
            return at + 1

        return swap

    def show(self, node: model.ShowTo, at: int) -> Operation:
        """`show S to p`: known from now on, until it can't be known any more."""
        source, player = self.evaluator.compile(node.source), self.evaluator.test(node.player)
        type_ = node.source.type
        kind = (
            self.tables.kinds[type_.kind]
            if isinstance(type_, Zone)
            else kind_of(self.tables, element_of(type_))
        )
        assert kind is not None

        def show(play: Play) -> int:
            here = (play.slots, play.base, play.registers)
            found = source(*here)
            if found is None:
                raise rule_error("none", f"{node.source.span.text} is none", node.span)
            members: Sequence[Any] = [found] if isinstance(found, int) else found
            mask = self.log.visibility.all
            if player is not None:
                whom = player(*here)
                if whom is None:
                    raise rule_error("none", f"{node.span.text}: to whom is none", node.span)
                mask = 1 << whom
            self.knowledge.shown(play, kind, members, mask)
            if members:
                placed = self.knowledge.shown_places(play.slots, kind, members)
                self.log.shown(play, kind, members, mask, placed)
            return at + 1

        return show
