"""What a viewer sees, sorted by whose it is and how it is shown.

Assumes an observation, and the families of zones and variables of its game.
Does: puts everybody's values in one row, those of the players in a table, zones on lines, and what
stands on a board into its drawing. A zone that is empty and always was is left out; hidden things
are counted.
Leaves behind a `Sorted`, of which `layout` makes lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import field

from rulerun.runtime.wording import nth
from rulerun.terminal.drawing import Drawer
from rulerun.terminal.eliminating import told_by_counting
from rulerun.terminal.indexed_tables import Charter
from rulerun.views.observation import Observation, Seen, SeenVariable, SeenZone
from rulerun.words.labels import HIDDEN, NOTHING, Labels, is_player
from rulerun_dsl.model import ORDERED, Board, Literal, StateVariable, ZoneFamily
from rulerun_dsl.model.valuetypes import Player, Type
from rulerun_dsl.source.frozen import frozen, slotted

_NAME = "<name>"
"""The format of what is told by its name alone."""


@frozen
class Line:
    """A line of the lower part: whose, what, and the things there."""

    owner: str
    label: str
    items: tuple[str, ...]
    family: str = ""
    short: tuple[str, ...] = ()
    """The same by names alone, where a screen may spare what else is told of them."""


@slotted
class Sorted:
    """What is seen, sorted by how it is shown."""

    lines: list[Line] = field(default_factory=list)
    columns: dict[str, dict[str, str]] = field(default_factory=dict)
    """Of the table of players: column, player, value."""
    indexed: set[str] = field(default_factory=set)
    """Columns of families with another index."""
    shared: list[str] = field(default_factory=list)
    drawings: list[tuple[str, list[str]]] = field(default_factory=list)
    """With whose they are."""
    left_out: list[str] = field(default_factory=list)
    """What the screen has no room for."""
    unexplained: str = ""
    """What is not explained: `some` signs on drawings, then any but the `first` table, or `all`."""
    notes: list[str] = field(default_factory=list)
    """What the signs on several drawings mean."""
    charts: dict[str, list[SeenZone | SeenVariable]] = field(default_factory=dict)
    """By family: what makes a table of its own where there is little room."""
    charted: set[str] = field(default_factory=set)
    """Columns of the table of players that are in one of these."""


class Sorter:
    """Sorts the observations of one game."""

    def __init__(self, names: Labels, drawer: Drawer, charter: Charter) -> None:
        """Know the families of zones and variables."""
        self.names = names
        self.drawer = drawer
        self.charter = charter
        game = names.game
        self._zones = {family.name: family for family in game.zones}
        self._variables = {variable.name: variable for variable in game.variables}
        self._hidden = frozenset(game.view.hides)
        self._forgets = frozenset(game.view.forgets)
        self._spares = frozenset(game.view.spares)
        self._formats = dict(game.view.formats)

    def sort(self, seen: Observation, touched: frozenset[str]) -> Sorted:
        """All of it. `touched`: families of zones that were in use, shown though they are empty."""
        groups = Sorted()
        on_boards: dict[str, tuple[Board, list[SeenZone | SeenVariable]]] = {}
        for variable in seen.variables:
            family = self._variables[variable.family]
            if variable.family in self._hidden or variable.family in self.charter.together:
                continue
            if (board := self.drawer.board(family.indexes)) is not None:
                on_boards.setdefault(board.name, (board, []))[1].append(variable)
                continue
            self._sort_variable(groups, family, variable)
        used = {
            zone.family
            for zone in seen.zones
            if zone.count is None or zone.count or zone.family in touched
        }
        for zone in told_by_counting(self.names.game, seen.zones):
            zones = self._zones[zone.family]
            if zone.family in self._hidden or zone.family in self.charter.together:
                continue
            if (board := self.drawer.board(zones.indexes)) is not None:
                on_boards.setdefault(board.name, (board, []))[1].append(zone)
            elif zone.family in used:
                self._sort_zone(groups, zones, zone)
        on_sides = {
            name: things
            for name, (_, things) in on_boards.items()
            if self.drawer.draws_sides(name) and self.drawer.sides.of[name] in on_boards
        }
        for board, things in on_boards.values():
            if board.name in on_sides:
                continue
            lying = [each for every in on_sides.values() for each in every]
            drawn = self.drawer.draw(board, things, seen, lying)
            groups.drawings += zip(drawn.owners, drawn.blocks, strict=True)
            groups.notes += drawn.notes
            groups.lines += [Line("", label, items) for label, items in drawn.lists]
        return groups

    def _sort_zone(self, groups: Sorted, family: ZoneFamily, zone: SeenZone) -> None:
        """A line for a zone; zones that differ in more than their owner share one."""
        if self.charter.charted(family.name, family.indexes):
            groups.charts.setdefault(family.name, []).append(zone)
        owner, rest = self._indexes(family.indexes, zone.indexes)
        label, contents = self.names.zone(zone.family), self._contents(zone)
        if not rest and self._is_heap(family, zone):
            if owner:
                groups.columns.setdefault(label, {})[owner] = str(zone.count)
                return
            contents = (str(zone.count) if zone.count else NOTHING,)
        if not rest:
            more = self._formats.get(family.kind, _NAME) != _NAME
            short = self._names_alone(zone) if more and family.name in self._spares else ()
            groups.lines.append(Line(owner, label, contents, family.name, short))
            return
        place = next(
            (
                at
                for at, each in enumerate(groups.lines)
                if (each.owner, each.label) == (owner, label)
            ),
            None,
        )
        if place is None:
            place = len(groups.lines)
            groups.lines.append(Line(owner, label, (NOTHING,), family.name))
        if contents != (NOTHING,):
            before = [each for each in groups.lines[place].items if each != NOTHING]
            item = f"{' '.join(rest)}{self.names.speech.colon} {', '.join(contents)}"
            groups.lines[place] = Line(owner, label, (*before, item), family.name)

    def _names_alone(self, zone: SeenZone) -> tuple[str, ...]:
        """What lies in a zone, by names; of what lies on others the top one."""
        there = zone.components or ()
        if zone.order != "stack" or len(there) < 2:
            there = there if zone.order in ORDERED else self._in_order(zone)
            return tuple(_counted(self.names.component(zone.kind, each.text) for each in there))
        speech = self.names.speech
        top = self.names.component(zone.kind, there[0].text)
        return (f"{speech.top}{speech.colon} {top}", speech.below.format(number=len(there) - 1))

    def _in_order(self, zone: SeenZone) -> tuple[Seen, ...]:
        return tuple(self.names.in_order(zone.kind, zone.components or (), lambda each: each.row))

    def _is_heap(self, family: ZoneFamily, zone: SeenZone) -> bool:
        """Whether how much lies there is all that can be said: of things that are all alike."""
        kind = self.names.kinds[family.kind]
        # Of a kind without rows those in a player's zone are usually the player's.
        own = len(kind.rows) == 1 and {each.owner for each in zone.components or ()} <= {
            text for text in zone.indexes if text in self.names.game.players
        }
        alike = (kind.classes == 1 or own) and not kind.attributes
        everybody = isinstance(family.visible, Literal) and family.visible.value == 1
        return alike and everybody and zone.count is not None

    def _sort_variable(self, groups: Sorted, family: StateVariable, variable: SeenVariable) -> None:
        charted = self.charter.charted(family.name, family.indexes)
        if charted:
            groups.charts.setdefault(family.name, []).append(variable)
        owner, rest = self._indexes(family.indexes, variable.indexes)
        name = self.names.variable(variable.family)
        value = self._value(family, variable)
        if owner:
            label = " ".join([name, *rest])
            groups.columns.setdefault(label, {})[owner] = value
            if rest:
                groups.indexed.add(label)
            if charted:
                groups.charted.add(label)
        elif not family.indexes:
            groups.shared.append(f"{name} {value}")
        else:
            item = f"{' '.join(rest)} {value}"
            last = groups.lines[-1] if groups.lines else None
            if last is not None and (last.owner, last.label) == ("", name):
                groups.lines[-1] = Line("", name, (*last.items, item), family.name)
            else:
                groups.lines.append(Line("", name, (item,), family.name))

    def _value(self, family: StateVariable, variable: SeenVariable) -> str:
        if variable.value is None and is_player(family.type):
            return self.names.speech.nobody
        return self.names.value(variable.value)

    def _indexes(self, types: Sequence[Type], texts: Sequence[str]) -> tuple[str, list[str]]:
        """Whose it is ("": nobody's), and the other indexes as words."""
        owner = ""
        rest = []
        for type_, text in zip(types, texts, strict=True):
            if isinstance(type_, Player) and not owner:
                owner = text
            else:
                rest.append(self.names.word(text))
        return owner, rest

    def _contents(self, zone: SeenZone) -> tuple[str, ...]:
        """What lies in a zone, as far as it is seen."""
        if zone.components is None:
            count = f" x{zone.count}" if zone.count is not None else ""
            known = [] if zone.family in self._forgets else self._known(zone)
            if zone.count == 0:
                return (NOTHING,)
            hidden = f"{HIDDEN}{count}"
            if known and len(zone.known) == zone.count:
                # All of it is known: that it lies hidden is all there is to say beside.
                return (*known, self.names.speech.known_all)
            return (
                (hidden, self.names.speech.known.format(what=", ".join(known)))
                if known
                else (hidden,)
            )
        ordered = zone.order in ORDERED
        there = zone.components if ordered else self._in_order(zone)
        texts = [self.names.seen(zone.kind, each) for each in there]
        if self._says_its_kind(zone):
            # What it is stands before it: whose it is is left to say.
            texts = [self.names.player(each.owner or "") for each in there]
        if not texts:
            return (NOTHING,)
        if ordered:
            speech = self.names.speech
            word = speech.top if zone.order == "stack" else speech.next
            return (
                (f"{word}{speech.colon} {texts[0]}", *texts[1:]) if len(texts) > 1 else tuple(texts)
            )
        return tuple(_counted(texts))

    def _says_its_kind(self, zone: SeenZone) -> bool:
        """Whether a zone is called as its kind, of which only owners tell pieces apart."""
        kind = self.names.kinds[zone.kind]
        label = self.names.zone(zone.family).casefold()
        called = {self.names.kind(zone.kind, many).casefold() for many in (1, 2)}
        owned = kind.owner is not None and is_player(kind.owner)
        return owned and len(kind.rows) == 1 and not kind.attributes and label in called

    def _known(self, zone: SeenZone) -> list[str]:
        """What the viewer knows to lie in a zone, by its place where they know that."""
        speech = self.names.speech
        first = speech.on_top if zone.order == "stack" else speech.next
        placed, left = [], list(zone.known)
        for place, one in zone.places:
            where = first if place == 1 else nth(place)
            placed.append(f"{self.names.seen(zone.kind, one)} {where}")
            left.remove(one)
        return [*placed, *_counted(self.names.seen(zone.kind, each) for each in left)]


def _counted(texts: Iterable[str]) -> list[str]:
    """Equal texts once, with how many there are."""
    counted = Counter(texts).items()
    return [text if count == 1 else f"{text} x{count}" for text, count in counted]
