"""What a viewer is given: observations and what is told, as plain frozen values.

Assumes that `observe` has taken out what the viewer may not know; nothing here hides anything.
Does: turns them into plain JSON data in canonical order, so that equal views are equal bytes.
Leaves behind values that agents, front ends and tests read; all names in them are texts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import field

from rulerun_dsl.model import SPECTATOR, Game
from rulerun_dsl.source.frozen import frozen

Json = None | bool | int | str | list["Json"] | dict[str, "Json"]


def canonical(data: object) -> str:
    """Plain data as JSON, the same bytes for the same data."""
    return json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


@frozen
class Seen:
    """A component as it is seen."""

    text: str
    """`prince`, or `prince of applewood` where the zone does not tell whose it is."""
    row: str
    owner: str | None
    attributes: tuple[tuple[str, Json], ...] = ()

    def data(self) -> Json:
        """Its text, or an object if it has attributes."""
        return {"is": self.text, **dict(self.attributes)} if self.attributes else self.text


@frozen
class SeenZone:
    """A zone as it is seen: what lies in it, or how much, or nothing."""

    name: str
    family: str
    indexes: tuple[str, ...]
    kind: str
    order: str
    """`""`, `random`, `stack` or `queue`."""
    count: int | None
    """None: not to be seen."""
    components: tuple[Seen, ...] | None
    """None: not to be seen. Ordered zones begin with what would leave next."""
    known: tuple[Seen, ...] = ()
    """Of a zone that is not to be seen: what the viewer knows to lie in it (was shown)."""
    places: tuple[tuple[int, Seen], ...] = ()
    """What of that they know to lie at which place: 1 is what would leave next."""

    def data(self) -> Json:
        """An object with what is seen of `count`, `components`, `known` and `places`."""
        data: dict[str, Json] = {}
        if self.count is not None:
            data["count"] = self.count
        if self.components is not None:
            data["components"] = [component.data() for component in self.components]
        if self.known:
            data["known"] = [component.data() for component in self.known]
        if self.places:
            data["places"] = [{"place": place, "is": one.text} for place, one in self.places]
        return data


@frozen
class SeenVariable:
    """A variable that is seen. Names are texts, orders and sets are lists, none is None."""

    name: str
    family: str
    indexes: tuple[str, ...]
    value: Json


@frozen
class Action:
    """An action that the viewer may take now."""

    id: int
    text: str
    sentence: str
    hint: str = ""
    """What it would cost or bring, as the rules tell people."""

    def data(self) -> Json:
        """An object; a hint stands in it only if there is one."""
        data: dict[str, Json] = {"id": self.id, "text": self.text, "sentence": self.sentence}
        return {**data, "hint": self.hint} if self.hint else data


@frozen
class Standing:
    """How a game that is over ended for one player."""

    player: str
    place: int
    winner: bool
    returns: str
    """A whole number or an exact fraction."""
    total: int | None
    lines: tuple[tuple[str, int], ...]

    def data(self) -> Json:
        """An object."""
        lines: list[Json] = [[label, value] for label, value in self.lines]
        return {
            "player": self.player,
            "place": self.place,
            "winner": self.winner,
            "returns": self.returns,
            "total": self.total,
            "lines": lines,
        }


@frozen
class Observation:
    """What a viewer sees now."""

    viewer: int
    name: str
    """The viewer's: a player's, or "spectator"."""
    variables: tuple[SeenVariable, ...] = ()
    zones: tuple[SeenZone, ...] = ()
    together: bool = False
    """Whether players decide in secret now."""
    asked: tuple[str, ...] = ()
    """Whose decision is wanted; inside a `together` at most the viewer's own."""
    done: bool | None = None
    """Inside a `together`: whether the viewer's part is done; None for who takes no part."""
    question: str | None = None
    actions: tuple[Action, ...] = ()
    result: tuple[Standing, ...] | None = None
    """By player, once the game is over."""
    headline: str | None = None
    """What the rules would have everybody read above the table."""
    _zones: dict[str, SeenZone] = field(default_factory=dict, repr=False, compare=False)

    def zone(self, name: str) -> SeenZone | None:
        """The zone of that name (`hand[yarg]`)."""
        if not self._zones:
            self._zones.update((zone.name, zone) for zone in self.zones)
        return self._zones.get(name)

    def variable(self, name: str) -> SeenVariable | None:
        """The variable of that name, if it is seen."""
        return next((each for each in self.variables if each.name == name), None)

    def data(self) -> dict[str, Json]:
        """Plain JSON data, in canonical order."""
        return {
            "viewer": self.name,
            "state": {each.name: each.value for each in self.variables},
            "zones": {zone.name: zone.data() for zone in self.zones},
            "together": self.together,
            "asked": list(self.asked),
            "done": self.done,
            "question": self.question,
            "actions": [each.data() for each in self.actions],
            "result": None if self.result is None else [each.data() for each in self.result],
            **({} if self.headline is None else {"headline": self.headline}),
        }

    def text(self) -> str:
        """The data as JSON: equal bytes for what cannot be told apart."""
        return canonical(self.data())


def nothing_seen(game: Game, viewer: int) -> Observation:
    """The observation of an agent that does not look."""
    return Observation(viewer, name_of(game, viewer))


def name_of(game: Game, viewer: int) -> str:
    """What to call a viewer."""
    return "spectator" if viewer == SPECTATOR else game.players[viewer]


@frozen
class Told:
    """An event as one viewer hears of it."""

    word: str
    text: str
    what: dict[str, object]

    def data(self) -> list[object]:
        """Plain JSON data."""
        return [self.word, self.text, self.what]


def moved_in(told: Iterable[Told]) -> frozenset[str]:
    """The families of zones that something was moved in or out of, as the viewer was told."""
    names: set[str] = set()
    for each in told:
        source, target = each.what.get("from"), each.what.get("to")
        if source != target:
            names |= {each.split("[")[0] for each in (source, target) if isinstance(each, str)}
    return frozenset(names)
