"""Answering what happens: events with all their secrets, and with who may know what.

Assumes: visibilities that read only what everybody sees.
Does: words each event twice, openly and with its secret, for people and as plain data. What is told
of a statement follows from what each viewer sees before and after it, and from what is declared to
them (`say`, `show`, a visible choice, luck that they see): so moves are told when their statement
is over, in an order that follows from what is told.
Leaves behind: events on the play that runs, if anybody listens. Nothing here writes the state.

Inside a part of a `together` only its own player hears anything but `say`: the others are told the
difference when all are done (`told_differences`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rulerun.reference.piles import Placed
from rulerun.reference.visibility import Visibility
from rulerun.runtime.closures import fresh_registers
from rulerun.runtime.components import Components
from rulerun.runtime.executor import Event
from rulerun.runtime.index import Attribute, GameIndex, Instance, KindTable, VariableTable
from rulerun.runtime.phrases import Plain
from rulerun.runtime.play import Moved, Play
from rulerun.runtime.wording import nth, person, words
from rulerun_dsl.model.valuetypes import Bool, Component, Int, Order, SetOf, Type, bare
from rulerun_dsl.source.frozen import frozen

Wording = tuple[str, dict[str, object]]


@frozen
class Valued:
    """What a variable says: a component is told by its kind to who does not see it."""

    open: str
    secret: str
    seeing: int
    """Who is told the secret."""
    class_: int = -1
    """Of a component: what those see who see it, its owner too."""

    def differs(self, other: Valued) -> int:
        """Who sees another value than before."""
        found = 0
        for mine, *value in self._seen():
            for theirs, *was in other._seen():
                if value != was:
                    found |= mine & theirs
        return found

    def _seen(self) -> tuple[tuple[int, str, int], ...]:
        return (self.seeing, self.secret, self.class_), (~self.seeing, self.open, -1)


class EventLog:
    """Says what happens in one game."""

    def __init__(self, tables: GameIndex, components: Components, visibility: Visibility) -> None:
        """Know who may see what."""
        self.tables = tables
        self.game = tables.game
        self.components = components
        self.visibility = visibility
        self._places: dict[int, str] = {}
        self._variables: dict[int, tuple[VariableTable, tuple[int, ...]]] = {
            table.address(indexes): (table, indexes)
            for table in tables.variables.values()
            for indexes in table.instances()
        }

    def emit(
        self,
        play: Play,
        word: str,
        audience: int,
        detail: int,
        open_: Wording,
        secret: Wording | None = None,
        maker: int | None = None,
        block: int | None = None,
    ) -> None:
        """Add an event; inside a part of a `together` nobody else hears of it, unless it is said.

        `block` is whose part has changed what is told, if that part is done.
        """
        audience |= detail
        if play.block is not None and word != "say":
            audience &= 1 << play.block
            detail &= 1 << play.block
        if play.events is None or not audience:
            return
        told = Event(
            word=word,
            audience=audience,
            detail=detail,
            open=open_,
            secret=open_ if secret is None else secret,
            block=play.block if block is None else block,
            maker=maker,
        )
        play.events.append(told)

    def everybody(self, play: Play, word: str, text: str, data: dict[str, object]) -> None:
        """Add an event that has no secret."""
        self.emit(play, word, self.visibility.all, self.visibility.all, (text, data))

    # ------------------------------------------------------------------------------- stored

    def stored(self, play: Play, at: int, before: int) -> None:
        """A variable or an attribute was written: told to those who see the difference."""
        if play.slots[at] != before:
            self._wrote(play, "set", at, before)

    def reordered(self, play: Play, at: int) -> None:
        """An order of players was written."""
        self._wrote(play, "set", at)

    def rolled(self, play: Play, word: str, at: int) -> None:
        """Luck fell on a variable or attribute."""
        self._wrote(play, word, at)

    def _wrote(self, play: Play, word: str, at: int, before: int | None = None) -> None:
        if play.events is None:
            return
        found = self._variables.get(at)
        if found is None:
            self._attribute(play, word, at)
            return
        table, indexes = found
        mask = self.visibility.variable(table, indexes, play.slots, play.registers)
        value = self.valued(play.slots, table, at)
        if before is not None:
            mask &= value.differs(self.valued([before], table, 0, play.slots))
        open_, secret = (self.set_to(table, indexes, text) for text in (value.open, value.secret))
        self.emit(play, word, mask, mask & value.seeing, open_, secret)

    def set_to(self, table: VariableTable, indexes: tuple[int, ...], value: str) -> Wording:
        """A variable has a value."""
        name = self.label(table.variable.name, table.variable.indexes, indexes)
        return f"{words(name)} is {words(value)}", {"name": name, "value": value}

    def valued(
        self, held: Sequence[int], table: VariableTable, at: int, slots: Sequence[int] = ()
    ) -> Valued:
        """What a variable that is held at a place says; components lie where `slots` has them."""
        type_ = table.variable.type
        if isinstance(bare(type_), Order):
            order = held[at : at + table.width]
            text = ", ".join(self.game.players[player] for player in order)
            return Valued(text, text, self.visibility.all)
        value, component = self.tables.decode(type_, held[at]), bare(type_)
        text = self.tables.text(type_, value)
        if value is None or not isinstance(component, Component):
            return Valued(text, text, self.visibility.all)
        kind = self.tables.kinds[component.kind]
        zone = self.tables.instances[self.components.zone_of(slots or held, kind, value)]
        registers = fresh_registers(self.game)
        seeing = self.visibility.members(zone, slots or held, registers)
        return Valued(component.kind, text, seeing, self.components.class_of(kind, value))

    def _attribute(self, play: Play, word: str, at: int) -> None:
        for kind in self.tables.kinds.values():
            for attribute in kind.attributes:
                component = at - attribute.base
                if 0 <= component < kind.kind.total:
                    number = self.components.zone_of(play.slots, kind, component)
                    zone = self.tables.instances[number]
                    mask = self.visibility.members(zone, play.slots, play.registers)
                    name = self.component(kind, component)
                    told = self.attribute_is(zone, name, attribute, play.slots[at])
                    self.emit(play, word, mask, mask, told)
                    return

    def attribute_is(self, zone: Instance, name: str, attribute: Attribute, slot: int) -> Wording:
        """An attribute of a component has a value."""
        value = self.tables.text(attribute.type, self.tables.decode(attribute.type, slot))
        text = f"{words(attribute.name)} of the {words(name)} is {words(value)}"
        return text, {
            "kind": zone.kind.kind.name,
            "component": name,
            "zone": self.components.label(zone.number),
            "attribute": attribute.name,
            "value": value,
        }

    # -------------------------------------------------------------------------------- moved

    def sight(self, play: Play, zone: Instance) -> tuple[int, int]:
        """Who sees what lies in a zone, and who sees how much."""
        return self._sight(play.slots, play, zone)

    def _sight(self, slots: Sequence[int], play: Play, zone: Instance) -> tuple[int, int]:
        members = self.visibility.members(zone, slots, play.registers)
        return members, members | self.visibility.count(zone, slots, play.registers)

    def moved(self, play: Play, moves: Sequence[Moved], before: Sequence[int]) -> None:
        """Components went from zones to others in one statement; `before`: the slots it began with.

        By source, by target, then by what they are: no order in which they lay, and no number that
        they have, is told to those who do not see it.
        """

        def rank(move: Moved) -> tuple[object, ...]:
            kind, component, source, target = move
            what = self.components.key(play.slots, self.tables.kinds[kind], component)
            return source, target, what

        for kind, component, source, target in sorted(moves, key=rank):
            if source != target:
                ends = self.tables.instances[source], self.tables.instances[target]
                sights = self._sight(before, play, ends[0]), self._sight(play.slots, play, ends[1])
                self._went(play, self.tables.kinds[kind], component, ends, sights)

    def _went(
        self,
        play: Play,
        kind: KindTable,
        component: int,
        ends: tuple[Instance, Instance],
        sights: tuple[tuple[int, int], tuple[int, int]],
    ) -> None:
        """One component went: each is told of the ends where they see how much lies there."""
        named = sights[0][0] | sights[1][0]
        leaving, coming = sights[0][1], sights[1][1]
        source, target = ends
        for audience, *told in (
            (leaving & coming, source, target),
            (leaving & ~coming, source, None),
            (coming & ~leaving, None, target),
        ):
            if audience:
                row = self.tables.row_and_owner(kind, component)
                open_, secret = (self.went(kind, each, *told) for each in (None, row))
                self.emit(play, "move", audience, audience & named, open_, secret)

    def went(
        self,
        kind: KindTable,
        which: tuple[int, int] | None,
        source: Instance | None,
        target: Instance | None,
    ) -> Wording:
        """A component went, as who sees these ends is told it; `which`: row and owner, if seen."""
        data: dict[str, object] = {"kind": kind.kind.name}
        if source is not None:
            data["from"] = self.components.label(source.number)
        if target is not None:
            data["to"] = self.components.label(target.number)
        thing = f"a {words(kind.kind.name)}"
        if which is not None:
            whose = all(each is None or each.owner is None for each in (source, target))
            name = data["component"] = self.named(kind, *which, whose)
            thing = f"the {words(name)}"
        if source is None:
            assert target is not None
            return f"{thing} comes to {self.place(target)}", data
        if target is None:
            return f"{thing} leaves {self.place(source)}", data
        return f"{thing} moves from {self.place(source)} to {self.place(target)}", data

    def zones(self, play: Play, word: str, verb: str, places: Sequence[Instance]) -> None:
        """Something befell whole zones (a shuffle, an exchange)."""
        if play.events is None:
            return
        audience = 0
        for zone in places:
            audience |= self.sight(play, zone)[1]
        labels = [self.components.label(zone.number) for zone in places]
        names = " and ".join(self.place(zone) for zone in places)
        self.emit(play, word, audience, audience, (f"{names} {verb}", {"zones": labels}))

    def shown(
        self,
        play: Play,
        kind: KindTable,
        members: Sequence[int],
        mask: int,
        placed: Sequence[Placed],
    ) -> None:
        """Components were shown to some, at their places in a pile: they alone are told."""
        if play.events is None:
            return
        slots = play.slots
        seen = [self.component(kind, one, whose=True) for one in members]
        zones = sorted({self.components.zone_of(slots, kind, one) for one in members})
        to = [name for at, name in enumerate(self.game.players) if mask >> at & 1]
        if mask == self.visibility.all:
            to = ["all"]
        data: dict[str, object] = {
            "kind": kind.kind.name,
            "zones": [self.components.label(number) for number in zones],
            "count": len(members),
            "to": to,
            "components": seen,
        }
        names = ", ".join(words(name) for name in seen)
        if placed:
            at = [(self.component(kind, each.component), each) for each in placed]
            data["places"] = [
                {"zone": self.components.label(each.zone), "place": 1 + each.turn, "is": name}
                for name, each in at
            ]
            lying = [f"{words(name)} ({nth(1 + each.turn)})" for name, each in at]
            others = (Counter(seen) - Counter(name for name, _ in at)).elements()
            names = ", ".join([*lying, *(words(name) for name in others)])
        whom = " and ".join(person(name) for name in to)
        self.emit(play, "show", mask, mask, (f"{names} shown to {whom}", data))

    # -------------------------------------------------------------------------------- names

    def component(self, kind: KindTable, component: int, whose: bool = True) -> str:
        """A component by name: its row, and whose it is if `whose` and it can differ."""
        return self.named(kind, *self.tables.row_and_owner(kind, component), whose)

    def named(self, kind: KindTable, row: int, owner: int, whose: bool = True) -> str:
        """The components of a row and an owner by name."""
        name = kind.kind.rows[row]
        if whose and kind.kind.owner is not None and kind.kind.owners > 1:
            return f"{name} of {self.tables.text(kind.kind.owner, owner)}"
        return name

    def label(self, name: str, types: Sequence[Type], indexes: Sequence[int]) -> str:
        """`won[yarg]`."""
        if not indexes:
            return name
        pairs = zip(types, indexes, strict=True)
        return f"{name}[{', '.join(self.tables.text(type_, at) for type_, at in pairs)}]"

    def place(self, zone: Instance) -> str:
        """A zone for people: `Yarg's hand`."""
        if zone.number not in self._places:
            self._places[zone.number] = self._place(zone)
        return self._places[zone.number]

    def _place(self, zone: Instance) -> str:
        family = zone.family
        others = [
            words(self.tables.text(type_, index))
            for type_, index in zip(family.indexes, zone.indexes, strict=True)
        ]
        name = words(family.name)
        if zone.owner is None:
            return " ".join([f"the {name}", *others])
        owner = words(self.game.players[zone.owner])
        others.remove(owner)
        return " ".join([f"{person(owner)}'s {name}", *others])

    def value(self, slots: Sequence[int], type_: Type, value: Any, mask: int) -> tuple[Plain, int]:
        """A value in a sentence as plain data, and which of the viewers `mask` may see it so."""
        component = bare(type_)
        if value is None:
            return None, mask
        if isinstance(component, Bool):
            return bool(value), mask
        if isinstance(component, Int):
            return int(value), mask
        if isinstance(component, SetOf) and not isinstance(bare(component.element), Component):
            low, high = self.tables.members(component)
            members = [low + bit for bit in range(high - low + 1) if value >> bit & 1]
            return [self.value(slots, component.element, each, mask)[0] for each in members], mask
        if not isinstance(component, Component):
            return self.tables.text(type_, value), mask
        kind = self.tables.kinds[component.kind]
        zone = self.tables.instances[self.components.zone_of(slots, kind, value)]
        whose = zone.owner is None
        registers = fresh_registers(self.game)
        return (
            self.component(kind, value, whose),
            mask & self.visibility.members(zone, slots, registers),
        )
