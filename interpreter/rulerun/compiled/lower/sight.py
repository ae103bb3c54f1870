"""Who sees and hears what of zones, lowered: masks of players.

Assumes: visibilities that read only what everybody sees.
Does: says who sees what lies in a zone now, and who always hears how much that is.
Leaves behind: values of the program. A visibility that reads no state is a table of masks by zone.
"""

from __future__ import annotations

from rulerun.analysis.reads import reads
from rulerun.compiled import ir
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.builder import Chosen, binary, const, plus
from rulerun.compiled.lower.evaluate import Expressions
from rulerun.reference.knowledge import Knowledge as ReferenceKnowledge
from rulerun.runtime.closures import fresh_registers
from rulerun.runtime.play import Play
from rulerun_dsl.model import OWNER, SPECTATOR, VIEWER, ZoneFamily


class Sight:
    """The sight of one game's zones."""

    def __init__(self, expressions: Expressions, known: ReferenceKnowledge) -> None:
        """Compile conditions with `expressions`; `known` says who hears what."""
        self.expressions = expressions
        self.builder = expressions.builder
        self.tables = expressions.tables
        self.game = expressions.game
        self.players = self.builder.players
        self._known = known

    def of(self, zone: Value) -> Value:
        """Who sees what lies in a zone: a mask of viewers."""
        families = self.game.zones
        steady = all(not reads(self.game, family.visible).state for family in families)
        registers = fresh_registers(self.game)
        if steady:
            masks = [
                self.builder.visibility.members(instance, (), registers)
                for instance in self.tables.instances
            ]
            return self.builder.entry("sight", masks, zone)
        return ir.Call(self._sight(), (zone,))

    def _sight(self) -> str:
        def write(zone: Value) -> None:
            emit = self.builder.emit
            registers = fresh_registers(self.game)
            for family in self.game.zones:
                inside = binary("<", zone, family.base + family.instances)
                numbers = range(family.base, family.base + family.instances)
                owners = [self.tables.instances[number].owner for number in numbers]
                if not reads(self.game, family.visible).state:
                    masks = [
                        self.builder.visibility.members(
                            self.tables.instances[number], (), registers
                        )
                        for number in numbers
                    ]
                    found = self.builder.entry(
                        f"sight_of_{family.name}", masks, plus(zone, -family.base)
                    )
                    emit(ir.If(inside, (ir.Return(found),)))
                    continue

                def ask(family: ZoneFamily = family, owners: list[int | None] = owners) -> None:
                    whose = self.builder.entry(
                        f"owner_of_{family.name}", owners, plus(zone, -family.base)
                    )
                    owner = self.builder.keep("owner", whose)
                    mask = self.builder.keep("mask", const(0))
                    for viewer in range(SPECTATOR, self.players):
                        scope: dict[int, Value | Chosen] = {VIEWER: const(viewer), OWNER: owner}
                        bit = 1 << (self.players if viewer == SPECTATOR else viewer)
                        sees = self.expressions.value(family.visible, scope)
                        more = ir.Assign(mask.name, binary("|", mask, bit))
                        emit(ir.If(sees, (more,)))
                    emit(ir.Return(mask))

                self.builder.when(inside, ask)
            emit(ir.Return(const(0)))

        return self.builder.function(
            "sight", "who_sees", ["z"], "who sees what lies in a zone: a mask of viewers", write
        )

    def hears(self, zone: Value) -> Value:
        """The players who always hear of what comes into a zone and leaves it."""
        play = Play(self.game, [0] * self.game.layout.size, None)
        masks = [self._known.hears(play, number) for number in range(len(self.tables.instances))]
        return self.builder.entry("hears", masks, zone)

    def random(self, zone: Value) -> Value:
        flags = [instance.family.order == "random" for instance in self.tables.instances]
        return self.builder.entry("random_zone", flags, zone)

    def without(self, mask: Value) -> Value:
        return binary("^", mask, (1 << self.players + 1) - 1)

    def always(self, zone: Value) -> Value:
        """The viewers who see what lies in a zone, whatever the state is."""
        visible = self.builder.visibility.visible
        masks = [
            visible(instance.family.visible, instance.owner).always or 0
            for instance in self.tables.instances
        ]
        return self.builder.entry("always_sees", masks, zone)
