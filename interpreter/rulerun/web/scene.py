"""A table as one seat sees it: plain data, from which the page draws boards, cards and questions.

Assumes an observation, and what its viewer was told; both hold nothing that the viewer may not see.
Does: sorts what is seen by whose it is, with what can be known by counting, names it in the
viewer's language, and says of each answer which things on the table it is about, so that they can
be clicked.
Leaves behind a dictionary of texts and numbers, with its mark: equal scenes have equal marks, so
that an answer to a question that is gone is noticed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b

from rulerun.terminal.eliminating import told_by_counting
from rulerun.views.observation import (
    Action,
    Observation,
    Seen,
    SeenVariable,
    SeenZone,
    Told,
    moved_in,
)
from rulerun.web.board_scenes import Boards
from rulerun.web.clicking import Keys
from rulerun.web.kept import Kept
from rulerun.words.chronicle import Chronicle
from rulerun.words.labels import NOTHING, Labels, is_player
from rulerun.words.narration import Sentence, capital
from rulerun.words.outcomes import headline, reasons, standings
from rulerun.words.rule_phrases import rule_phrases
from rulerun.words.several import several
from rulerun.words.signs import Glyphs
from rulerun_dsl.model import ORDERED, SPECTATOR
from rulerun_dsl.model.valuetypes import Player, Type
from rulerun_dsl.source.frozen import frozen

Data = dict[str, object]

MOST_KEPT = 4_096
"""Cards and answers that are not put in words again, of one game in one language."""


@frozen
class _Card:
    """A card, or another thing, as it looks."""

    keys: tuple[str, ...]
    text: str
    glyph: str
    icon: str
    colour: str
    about: str

    @property
    def data(self) -> Data:
        """As plain data."""
        return {
            "keys": list(self.keys),
            "text": self.text,
            "glyph": self.glyph,
            **({"icon": self.icon} if self.icon else {}),
            "colour": self.colour,
            "about": self.about,
        }


@dataclass
class _Area:
    """What belongs to one player, or to everybody."""

    values: list[Data] = field(default_factory=list)
    zones: list[Data] = field(default_factory=list)

    def data(self) -> Data:
        return {"values": self.values, "zones": self.zones}


@frozen
class Scene:
    """What a viewer sees, at one moment."""

    data: Data
    """All of it but the log."""
    log: tuple[tuple[str, str], ...]
    """Sentences, each behind its style."""
    text: str
    """The data as JSON."""

    at: str
    """Its mark: of a log that grew, the number of sentences or the last one is another."""

    @staticmethod
    def of(data: Data, log: Sequence[Sentence]) -> Scene:
        """The scene of these."""
        told = tuple((each.style, each.text) for each in log)
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        mark = blake2b(f"{len(told)}{told[-1:]}{text}".encode(), digest_size=9).hexdigest()
        return Scene(data, told, text, mark)


class Eyes:
    """One viewer of one play: what they were told is told again only where it is new."""

    def __init__(self, stage: Stage, viewer: str) -> None:
        """See nothing yet."""
        self._stage = stage
        self._log = Chronicle(stage.names, viewer if viewer in stage.names.game.players else "")
        self._moved: set[str] = set()
        self._heard = 0

    def look(self, seen: Observation, told: Sequence[Told]) -> Scene:
        """The scene, after all that was told so far."""
        self._moved |= moved_in(told[self._heard :])
        self._heard = len(told)
        return Scene.of(self._stage.scene(seen, self._moved), self._log.sentences(told))


class Stage:
    """Makes the scenes of one game in one language."""

    def __init__(self, names: Labels, icons: Collection[str] = ()) -> None:
        """Know the families of zones and variables; `icons`: what has pictures."""
        self.names = names
        game = names.game
        self.glyphs = Glyphs(names, icons)
        self.keys = Keys(names)
        self.boards = Boards(names, self.glyphs, self.keys)
        self._zones = {family.name: family for family in game.zones}
        self._variables = {variable.name: variable for variable in game.variables}
        unspoken = names.unspoken
        self._note = rule_phrases(unspoken).no_texts if unspoken else ""
        self._hidden = frozenset(game.view.hides)
        self._forgets = frozenset(game.view.forgets)
        self._made: Kept[Data | None] = Kept(MOST_KEPT)
        self._places: dict[str, tuple[str, list[str]] | None] = {}
        self._answer = lru_cache(MOST_KEPT)(self._new_answer)
        self._card = lru_cache(MOST_KEPT)(self._new_card)

    def scene(self, seen: Observation, moved: Collection[str]) -> Data:
        """All that a viewer sees. `moved`: families of zones in which something has moved."""
        seen = replace(seen, zones=tuple(told_by_counting(self.names.game, seen.zones)))
        areas = self._areas(seen, moved)
        answers = self._answers(seen.actions, seen.name)
        names, players = self.names, self.names.game.players
        viewer = seen.name if seen.name in players else ""
        return {
            "viewer": viewer,
            "headline": self._said(seen.headline, seen.name),
            "note": self._note,
            "together": seen.together,
            "done": seen.done,
            "question": self._question(seen),
            "players": [
                {
                    "id": player,
                    "name": names.player(player),
                    "colour": self.glyphs.colour(player),
                    "asked": player in seen.asked,
                    **areas[player].data(),
                }
                for player in players
            ],
            "table": areas[""].data(),
            "boards": self.boards.drawn(seen, self._hidden),
            **answers,
            "result": None if seen.result is None else self._result(seen, viewer),
        }

    def _said(self, text: str | None, viewer: str) -> str:
        return "" if text is None else capital(self.names.said(text, viewer))

    def _question(self, seen: Observation) -> str:
        if not seen.actions:
            return ""
        return self._said(seen.question, seen.name) or self.names.speech.what_do_you_do

    def _result(self, seen: Observation, viewer: str) -> Data:
        assert seen.result is not None
        return {
            "text": headline(seen.result, self.names, viewer),
            "won": any(each.winner and each.player == viewer for each in seen.result),
            "rows": standings(seen.result, self.names),
            "reasons": reasons(seen.result, self.names),
        }

    # ---------------------------------------------------------------------------- what lies where

    def _areas(self, seen: Observation, moved: Collection[str]) -> dict[str, _Area]:
        areas = {owner: _Area() for owner in ("", *self.names.game.players)}
        for variable in seen.variables:
            place = self._place(self._variables[variable.family].indexes, variable)
            if place is not None:
                shown = self._made.of("variable", (variable,), self._shown)
                if shown is not None:
                    areas[place[0]].values.append(shown)
        used = {zone.family for zone in seen.zones if zone.count != 0}.union(moved)
        for zone in seen.zones:
            if zone.family not in used:
                continue
            place = self._place(self._zones[zone.family].indexes, zone)
            if place is not None and (not place[1] or zone.count != 0):
                shown = self._made.of("zone", (zone,), self._zone)
                assert shown is not None
                areas[place[0]].zones.append(shown)
        return areas

    def _place(
        self, types: Sequence[Type], thing: SeenVariable | SeenZone
    ) -> tuple[str, list[str]] | None:
        """Whose a zone or variable is ("": nobody's), and its other indexes; None: not here."""
        if thing.name not in self._places:
            elsewhere = thing.family in self._hidden or self.boards.holds(types)
            self._places[thing.name] = None if elsewhere else _split(types, thing.indexes)
        return self._places[thing.name]

    def _shown(self, variable: SeenVariable) -> Data | None:
        """A variable; None for one of many that says nothing."""
        family = self._variables[variable.family]
        _, rest = _split(family.indexes, variable.indexes)
        value = self._value(family.type, variable)
        if rest and value in (NOTHING, "0", self.names.speech.no):
            return None
        return {
            "label": self.names.variable(variable.family),
            "at": [self.names.word(each) for each in rest],
            "value": value,
            "about": self.names.about(f"variable {variable.family}"),
        }

    def _value(self, type_: Type, variable: SeenVariable) -> str:
        if variable.value is None and is_player(type_):
            return self.names.speech.nobody
        return self.names.value(variable.value)

    def _zone(self, zone: SeenZone) -> Data:
        owner, rest = _split(self._zones[zone.family].indexes, zone.indexes)
        there = zone.components
        if there is None:
            # What is known to lie in a zone that is not to be seen is shown as if it were seen.
            # The rules may want that forgotten, which people at a table do as well.
            there = () if zone.family in self._forgets else zone.known
            hidden = None if zone.count is None else zone.count - len(there)
        else:
            hidden = 0
        if zone.order not in ORDERED:
            there = tuple(self.names.in_order(zone.kind, there, lambda each: each.row))
        cards = [
            # What has become of a component may be a list, which is no key.
            self._new_card(zone.kind, each, zone.family, owner)
            if each.attributes
            else self._card(zone.kind, each, zone.family, owner)
            for each in there
        ]
        if zone.order in ORDERED:
            counted = [(card, 1) for card in cards]
        else:
            counted = list(Counter(cards).items())
        closed = zone.components is None and bool(there)
        return {
            "label": self.names.zone(zone.family),
            "at": [self.names.word(each) for each in rest],
            "about": self.names.about(f"zone {zone.family}"),
            "kind": self.names.kind(zone.kind),
            "ordered": zone.order in ORDERED and zone.order,
            "count": zone.count,
            "hidden": hidden,
            "closed": closed,
            # Nobody chooses from what they do not see: a click on such a card means nothing.
            "cards": [
                {**card.data, "many": many, **({"keys": []} if closed else {})}
                for card, many in counted
            ],
        }

    def _new_card(self, kind: str, seen: Seen, family: str, owner: str) -> _Card:
        shown = seen
        if seen.owner == owner:
            shown = Seen(seen.row, seen.row, seen.owner, seen.attributes)
        return _Card(
            keys=tuple(self.keys.component(kind, seen, family, owner)),
            text=capital(self.names.seen(kind, shown)),
            glyph=self.glyphs.glyph(seen.row),
            icon=self.glyphs.icon(f"{seen.owner} {seen.row}", seen.row, kind),
            colour=self.glyphs.colour(
                f"{seen.owner} {seen.row}", seen.row, seen.owner, self.names.kinds[kind].name
            ),
            about=self.names.details(kind, seen.row),
        )

    # ------------------------------------------------------------------------------------- answers

    def _answers(self, actions: Sequence[Action], viewer: str) -> Data:
        names = self.names
        ordered = names.actions_in_order(actions, lambda action: action.id)
        group, others = several(names, ordered)
        told: Data | None = None
        if group is not None:
            told = {
                "name": capital(group.name),
                "members": [
                    {"text": text, "most": most}
                    for text, most in zip(group.texts, group.most, strict=True)
                ],
                "sizes": list(group.sizes),
                "choices": [[list(each), action.id] for each, action in group.choices.items()],
                "nothing": group.nothing,
            }
        signs = self.glyphs.of_actions([each.id for each in others])
        found = [{**self._answer(each, viewer), "sign": signs.get(each.id, "")} for each in others]
        return {"actions": found, "several": told}

    def _new_answer(self, action: Action, viewer: str) -> Data:
        return {
            "id": action.id,
            "text": capital(self.names.action(action.id, viewer)),
            "hint": self.names.said(action.hint) if action.hint else "",
            "about": self.names.about_action(action.id),
            "on": self.keys.of_action(action.id, viewer),
        }


def viewer_of(names: Labels, player: str) -> int:
    """The number of a player; of nobody, who looks on."""
    players = names.game.players
    return players.index(player) if player in players else SPECTATOR


def _split(types: Sequence[Type], texts: Sequence[str]) -> tuple[str, list[str]]:
    """Whose it is ("": nobody's), and the other indexes."""
    owner, rest = "", []
    for type_, text in zip(types, texts, strict=True):
        if isinstance(type_, Player) and not owner:
            owner = text
        else:
            rest.append(text)
    return owner, rest
