"""What each number of a state is, in the words of the rules: `won[yarg]`, `the place of a card`.

Assumes: a checked `Game`.
Does: names slots by what `model.Layout` says lies there, and finds the rule that wrote one last.
Leaves behind: texts, for findings that compare two states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass

from rulerun.reference.executor import Reference
from rulerun.runtime.components import Components
from rulerun.runtime.control import Control
from rulerun.runtime.executor import Chance, IllegalInput, Input, RuleError
from rulerun.runtime.index import GameIndex, Instance, KindTable, VariableTable
from rulerun.runtime.play import RESULT, TOGETHER, Play
from rulerun.runtime.state import State
from rulerun_dsl import model
from rulerun_dsl.model import Game
from rulerun_dsl.source.spans import Span

MOST_TOLD = 4
"""Slots that differ and are told one by one."""
LONGEST_TEXT = 60


class Slots:
    """The slots of one game, by name."""

    def __init__(self, game: Game) -> None:
        """Look up what there is."""
        self.game = game
        self.tables = GameIndex(game)
        self.components = Components(self.tables)
        self._named = dict(self._all())
        self._locals = dict(_locals(game))

    def name(self, at: int) -> str:
        """What lies in a slot."""
        layout = self.game.layout
        if at in self._named:
            return self._named[at]
        start, end = layout.live
        if layout.shadow <= at < layout.shadow + end - start and layout.frames > 1:
            return f"{self.name(start + at - layout.shadow)} as it was before the `together`"
        if layout.base <= at < layout.size:
            frame, offset = divmod(at - layout.base, layout.frame)
            whose = "the game" if frame == 0 else self.game.players[frame - 1]
            if offset == 0:
                return f"where {whose} rests"
            return f"{self._locals.get(offset, f'local {offset}')} of {whose}"
        return f"slot {at}"

    def differences(self, ours: Sequence[int], theirs: Sequence[int]) -> str:
        """Where two vectors differ, in words; the first one is what there should be."""
        if len(ours) != len(theirs):
            return f"there are {len(theirs)} numbers and should be {len(ours)}"
        differ = [at for at in range(len(ours)) if ours[at] != theirs[at]]
        told = [
            f"{self.name(at)} (slot {at}) is {theirs[at]} and should be {ours[at]}"
            for at in differ[:MOST_TOLD]
        ]
        if len(differ) > MOST_TOLD:
            told.append(f"{len(differ) - MOST_TOLD} more slots differ")
        return "; ".join(told)

    # ---------------------------------------------------------------------------------- names

    def _all(self) -> Iterator[tuple[int, str]]:
        yield RESULT, "how the game ended"
        yield TOGETHER, "which `together` is open"
        for table in self.tables.variables.values():
            yield from self._variable(table)
        for kind in self.tables.kinds.values():
            if not kind.kind.counted:
                yield from self._identities(kind)
        for zone in self.tables.instances:
            if zone.kind.kind.counted:
                yield from self._counts(zone)
        for name, base in self.game.layout.known:
            yield from self._known(self.tables.kinds[name], base)
        for name, base in self.game.layout.known_places:
            yield from self._placed(self.tables.families[name], base)
        control = Control(self.tables)
        for number, procedure in enumerate(self.game.procedures):
            for place, entry in enumerate(control.entries(number) if procedure.queued else ()):
                yield entry, f"the turn of waiting call {place} of {procedure.name}"
                for offset, parameter in enumerate(procedure.parameters, start=1):
                    what = f"{parameter.name} of waiting call {place} of {procedure.name}"
                    yield entry + offset, what

    def _variable(self, table: VariableTable) -> Iterator[tuple[int, str]]:
        variable = table.variable
        for indexes in table.instances():
            pairs = zip(variable.indexes, indexes, strict=True)
            inside = ", ".join(self.tables.text(type_, at) for type_, at in pairs)
            name = f"{variable.name}[{inside}]" if inside else variable.name
            start = table.address(indexes)
            for place in range(table.width):
                yield start + place, name if table.width == 1 else f"place {place} of {name}"

    def _piece(self, kind: KindTable, component: int) -> str:
        row, owner = self.tables.row_and_owner(kind, component)
        whose = ""
        if kind.kind.owner is not None and kind.kind.owners > 1:
            whose = f" of {self.tables.text(kind.kind.owner, owner)}"
        return f"{kind.kind.rows[row]}{whose} (number {component})"

    def _identities(self, kind: KindTable) -> Iterator[tuple[int, str]]:
        for component in range(kind.kind.total):
            piece = self._piece(kind, component)
            yield kind.base + component, f"the zone of {piece}"
            if kind.positions >= 0:
                yield kind.positions + component, f"the position of {piece}"
            for attribute in kind.attributes:
                yield attribute.base + component, f"{attribute.name} of {piece}"

    def _counts(self, zone: Instance) -> Iterator[tuple[int, str]]:
        label = self.components.label(zone.number)
        for place in range(zone.width):
            if zone.ordered:
                yield zone.counts + place, f"what lies at place {place} of {label}"
            else:
                piece = self._piece(zone.kind, place)
                yield zone.counts + place, f"how many of {piece} lie in {label}"

    def _known(self, kind: KindTable, base: int) -> Iterator[tuple[int, str]]:
        if not kind.kind.counted:
            for component in range(kind.kind.total):
                yield base + component, f"who knows {self._piece(kind, component)}"
            return
        at = base
        for zone in kind.zones:
            for class_ in range(kind.kind.classes):
                for player in self.game.players:
                    piece, label = self._piece(kind, class_), self.components.label(zone)
                    yield at, f"of how many {piece} in {label} {player} knows"
                    at += 1

    def _placed(self, family: model.ZoneFamily, base: int) -> Iterator[tuple[int, str]]:
        kind = self.tables.kinds[family.kind]
        if not kind.kind.counted:
            for component in range(kind.kind.total):
                yield (
                    base + component,
                    f"who knows exactly where {self._piece(kind, component)} lies",
                )
            return
        at = base
        for number in range(family.base, family.base + family.instances):
            for place in range(self.tables.instances[number].width):
                label = self.components.label(number)
                yield at, f"who knows what lies at place {place} of {label}"
                at += 1


def _locals(game: Game) -> Iterator[tuple[int, str]]:
    """The names of the slots of a frame, as far as the code tells: several may share one."""
    found: dict[int, list[str]] = {}
    for node in (*game.code, *game.procedures):
        for offset, name in _named(node):
            names = found.setdefault(offset, [])
            if name not in names:
                names.append(name)
    for offset, names in found.items():
        yield offset, "/".join(f"`{name}`" for name in names)


def _named(node: object) -> Iterator[tuple[int, str]]:
    if isinstance(node, model.Local):
        yield node.offset, node.name
    if isinstance(node, model.Loop):
        for offset in (node.cursor, node.second, node.third):
            if offset >= 0:
                yield offset, f"cursor of {node.variable.name}"
    if isinstance(node, tuple):
        for each in node:
            yield from _named(each)
    elif is_dataclass(node) and not isinstance(node, Span):
        for item in fields(node):
            yield from _named(getattr(node, item.name))


# --------------------------------------------------------------------------------------- rules


def rule(game: Game, at: int) -> str:
    """An instruction: its place and its text."""
    return place_of(game.code[at].span)


def place_of(span: Span) -> str:
    """A rule, as its place and its text."""
    text = " ".join(span.text.split())
    if len(text) > LONGEST_TEXT:
        text = f"{text[:LONGEST_TEXT]}…"
    return f"{span.source.name}:{span.line} `{text}`"


def writers(game: Game, state: State | None, given: Input | None, slot: int) -> list[int]:
    """The instructions that changed a slot on the way from a state (None: set-up), in order."""
    reference = Reference(game, events=False)
    steps = reference.machine.steps
    found: list[int] = []
    seen: list[int | None] = [None if state is None else state.slots[slot]]

    def watched(at: int) -> None:
        step = steps[at]

        def run(play: Play) -> int:
            to = step(play)
            if play.slots[slot] != seen[0]:
                found.append(at)
                seen[0] = play.slots[slot]
            return to

        steps[at] = run

    for at in range(len(steps)):
        watched(at)
    try:
        if state is None or given is None:
            reference.initial()
        else:
            reference.apply(state, given)
    except (RuleError, IllegalInput):
        pass
    return found


def input_text(given: Input) -> str:
    """An input as plain numbers, for where it may be no input at all."""
    if isinstance(given, Chance):
        return f"outcome {given.outcome}"
    return f"action {given.action} of player {given.player}"
