"""Laws 1 and 5 between two effects: every instruction is looked at while a step runs.

Assumes the reference executor (or one that compiles its code into `machine.steps` as that does).
Does: puts itself around each instruction, and around each single move; after each it looks whether
the vector is whole, and whether everybody who was told something may know it, by the declarations
of the zones and variables that it is about.
Leaves behind sentences about what is wrong. It changes nothing and tells nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rulerun.laws.declared_sight import Sight
from rulerun.laws.trajectory import Found, Walk
from rulerun.laws.whole import Whole
from rulerun.reference.executor import Reference
from rulerun.runtime import actions
from rulerun.runtime.executor import Decision, Event, RuleError
from rulerun.runtime.index import Instance
from rulerun.runtime.play import Play
from rulerun_dsl.model import SPECTATOR, Choose, Game
from rulerun_dsl.model.valuetypes import Component

Slots = Sequence[int]


class Watched:
    """An executor that is looked at while it runs."""

    def __init__(self, executor: Reference) -> None:
        """Stand around every instruction and every move."""
        self.executor = executor
        self.game: Game = executor.game
        self.whole = Whole(self.game)
        self.sight = Sight(self.game)
        self.faults: list[tuple[int, str]] = []
        self._play: Play | None = None
        self._before: list[int] = []
        self._looked: list[int] = []
        """The last vector that was looked at: an equal one is as whole."""
        self._heard = 0
        self._choosing: Choose | None = None
        self.answered: Choose | None = None
        """The question that the input of this step answers, until that was told."""
        machine = executor.machine
        machine.steps = [self._around(run, at) for at, run in enumerate(machine.steps)]
        moving = machine.moves.move

        def moved(play: Play, *arguments: Any, **named: Any) -> Any:
            result = moving(play, *arguments, **named)
            self._weigh(play)
            return result

        machine.moves.move = moved  # type: ignore[method-assign]

    def _around(self, run: Callable[[Play], int], at: int) -> Callable[[Play], int]:
        node = self.game.code[at]

        def around(play: Play) -> int:
            if play is not self._play:
                self._begin(play)
            if isinstance(node, Choose):
                self._choosing = node
            after = run(play)
            self._look(play)
            return after

        return around

    def _begin(self, play: Play) -> None:
        """Another step begins; what was chosen is told already."""
        self._play = play
        self._before = list(play.slots)
        self._heard = 0

    def _weigh(self, play: Play) -> None:
        """Look whether all is there."""
        if play.slots != self._looked:
            self.faults += [(1, fault) for fault in self.whole.faults(play.slots)]
            self._looked = list(play.slots)

    def _look(self, play: Play) -> None:
        if play is not self._play:
            self._begin(play)
        self._weigh(play)
        events = play.events or []
        for event in events[self._heard :]:
            self.faults += [(5, fault) for fault in self._told(event, play)]
        self._heard = len(events)
        self._before = list(play.slots)

    # ----------------------------------------------------------------------------- the events

    def _told(self, event: Event, play: Play) -> Iterator[str]:
        """What is wrong with whom an event tells what."""
        if event.detail & ~event.audience:
            yield f"`{event.secret[0]}` is told to some who may not know of it"
        about = event.secret[1]
        match event.word:
            case "set" | "roll" | "pick" if "name" in about:
                yield from self._about_variable(event, play, str(about["name"]))
            case "set" | "roll" | "pick":
                yield from self._about_zones(event, play, [str(about["zone"])], content=True)
            case "move":
                yield from self._about_move(event, play)
            case "choose":
                yield from self._about_choice(event)
            case "show":
                yield from self._about_show(event)
            case "swap" | "shuffle":
                labels = [str(each) for each in event.secret[1]["zones"]]  # type: ignore[attr-defined]
                yield from self._about_zones(event, play, labels, content=False)
            case _:
                return

    def _about_variable(self, event: Event, play: Play, name: str) -> Iterator[str]:
        table, indexes = self.sight.named[name]
        for viewer in self._told_viewers(event.audience):
            if not any(
                self.sight.variable(table, indexes, slots, viewer)
                for slots in (self._before, play.slots)
            ):
                yield f"{self._name(viewer)} is told `{event.secret[0]}` and may not see {name}"

    def _about_zones(
        self, event: Event, play: Play, labels: list[str], content: bool
    ) -> Iterator[str]:
        zones = [self.sight.zones[label] for label in labels]
        for viewer in self._told_viewers(event.detail if content else event.audience):
            if not any(self._sees(zone, play, viewer, content) for zone in zones):
                yield f"{self._name(viewer)} is told `{event.secret[0]}`, and does not see where"

    def _about_move(self, event: Event, play: Play) -> Iterator[str]:
        labels = [str(event.secret[1][key]) for key in ("from", "to") if key in event.secret[1]]
        if "component" in event.secret[1]:
            yield from self._about_zones(event, play, labels, content=True)
        for label in labels:
            yield from self._about_zones(event, play, [label], content=False)
        if event.audience != event.detail and "component" in event.open[1]:
            yield f"`{event.open[0]}`, told to those who may not know, names the component"

    def _sees(self, zone: Instance, play: Play, viewer: int, content: bool) -> bool:
        ask = self.sight.in_zone if content else self.sight.how_many
        return any(ask(zone, slots, viewer) for slots in (self._before, play.slots))

    def _about_show(self, event: Event) -> Iterator[str]:
        to = event.secret[1]["to"]
        assert isinstance(to, list)
        for viewer in self._told_viewers(event.audience):
            if to != ["all"] and (viewer == SPECTATOR or self.game.players[viewer] not in to):
                name = self._name(viewer)
                yield f"{name} is told `{event.secret[0]}`, which is not shown to them"

    def _about_choice(self, event: Event) -> Iterator[str]:
        if event.maker is None:
            yield f"`{event.secret[0]}` has no maker"
            return
        if event.block is not None and event.audience != 1 << event.maker:
            yield f"`{event.secret[0]}`, chosen inside a together, is told to others"
        # The choice that the input made is told before anything runs.
        node = self.answered or self._choosing
        self.answered = None
        others = [each for each in self._told_viewers(event.audience) if each != event.maker]
        for viewer in others:
            visible = None if node is None else node.visible
            if visible is None or not self.sight.holds(visible, self._before, viewer, event.maker):
                yield f"{self._name(viewer)} is told `{event.secret[0]}`, a choice not visible"
        types = () if node is None else tuple(option.action for option in node.options)
        action = actions.parse(self.game, str(event.secret[1]["action"]), types)
        if action is not None:
            yield from self._chosen(event, action, others)

    def _chosen(self, event: Event, action: int, others: list[int]) -> Iterator[str]:
        """Nobody else is told a component that lies where they see nothing of its class."""
        number, places = actions.split(self.game, action)
        for domain, place in zip(self.game.actions[number].parameters, places, strict=True):
            if not isinstance(domain.of, Component):
                continue
            kind = self.sight.tables.kinds[domain.of.kind]
            for viewer in others:
                if not self.sight.bit(viewer) & event.detail:
                    told = str(event.open[1]["action"])
                    words = told.rpartition("(")[2].rstrip(")").split(", ")
                    if domain.texts[place] in words and domain.texts[place] != kind.kind.name:
                        yield f"{self._name(viewer)} is told `{told}` and may not know which"
                elif not any(
                    self.sight.in_zone(self.sight.tables.instances[zone], self._before, viewer)
                    for zone in kind.zones
                    if self.sight.components.count(self._before, zone)
                ):
                    yield f"{self._name(viewer)} is told `{event.secret[0]}`, and sees it nowhere"

    def _told_viewers(self, mask: int) -> list[int]:
        return [viewer for viewer in self.sight.viewers if self.sight.bit(viewer) & mask]

    def _name(self, viewer: int) -> str:
        return "a spectator" if viewer == SPECTATOR else self.game.players[viewer]


def watch(walk: Walk, wanted: int) -> Iterator[Found]:
    """Walk again, and look between all effects."""
    executor = walk.table.made()
    if not isinstance(executor, Reference):
        return
    watched = Watched(executor)
    if not walk.before:
        executor.initial()
        yield from _new(watched, wanted, 0)
    for at, given in enumerate(walk.inputs):
        state = walk.states[at]
        watched.answered = None
        if isinstance(given, Decision):
            asked = next(each for each in walk.waiting[at] if each.player == given.player)
            node = walk.game.code[asked.instruction]
            watched.answered = node if isinstance(node, Choose) else None
        try:
            executor.apply(state, given)
        except RuleError:
            pass
        yield from _new(watched, wanted, at + 1)


def _new(watched: Watched, wanted: int, at: int) -> Iterator[Found]:
    for law, fault in dict.fromkeys(watched.faults):
        if law == wanted:
            yield at, fault
    watched.faults.clear()
