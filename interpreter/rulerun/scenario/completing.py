"""What may be written in a file of scenarios.

Assumes: the text of such a file, broken or not, the last analysis of the rules it is about, and
somebody who says what a player may do before an input.
Does: where a line begins, offers what may stand there, dash and indent with it (`indents`); in a
line, looks in which key it is: there a name of the rules, a word or an answer fits.
Leaves behind: `Item`s, as for rules.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from rulerun.scenario.indents import Slot, closing, enclosing, is_flowing, slots
from rulerun.scenario.reader import scenarios_in
from rulerun.scenario.runner import asked_after
from rulerun_dsl.assist.analysis import Analysis
from rulerun_dsl.assist.completion import Item
from rulerun_dsl.assist.describing import values_of
from rulerun_dsl.load import Loaded
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.resources import shipped

_WORD = re.compile(r"[\w-]*\Z")
_PLAIN = re.compile(r"[^\W\d][^:#]*")


_BLOCKS = {
    "variants": "- ",
    "options": "",
    "given": "",
    "do": "- ",
    "expect": "- ",
    "legal": "",
    "sees": "",
}
"""What begins on the lines below a key, and with what."""


@cache
def keys() -> Mapping[str, str]:
    """The keys of a scenario, each with what the schema says of it."""
    text = (shipped("schemas") / "scenario.schema.json").read_text(encoding="utf-8")
    known = json.loads(text)["definitions"]
    return {
        key: str(form.get("description") or known["checks"]["description"])
        for key, form in known["scenario"]["properties"].items()
    }


@cache
def _file_keys() -> Mapping[str, str]:
    """The keys of a file, each with what the schema says of it."""
    text = (shipped("schemas") / "scenario.schema.json").read_text(encoding="utf-8")
    known = json.loads(text)["properties"]
    return {key: str(form["description"]) for key, form in known.items()}


@frozen
class Place:
    """Where somebody writes."""

    start: int
    """What is completed begins here."""
    within: tuple[str, ...]
    """The keys around it, the outermost first."""
    head: str
    """What stands before it in its line."""
    who: str | None
    """Whose answer it is, a player's or `chance`; None: it is none."""
    before: str = ""
    """The file up to the inputs before that answer, with what is open there closed."""
    slots: tuple[Slot, ...] = ()
    """What its line may be, if it begins there."""

    @property
    def section(self) -> str:
        """The key of the scenario in which it is; "": none."""
        return self.within[1] if len(self.within) > 1 else ""


def place_at(text: str, offset: int) -> Place:
    """The place of an offset."""
    word = _WORD.search(text, 0, offset)
    start = word.start() if word is not None else offset
    begin = text.rfind("\n", 0, start) + 1
    head = text[begin:start]
    flows = is_flowing(text, begin)
    if not head.strip(" -") and not flows:
        return Place(start, (), head, None, slots=_fitting(slots(text, begin, head), head))
    within = enclosing(text, begin, "" if flows else head)
    place = Place(start, within, head, None)
    who = re.search(r"(\w+)\s*:\s*([^:]*)\Z", text[begin:offset])
    if (
        place.section not in ("do", "legal")
        or who is None
        or who[1] in (place.section, "expect", "refuse", "because")
    ):
        return place
    # An answer has many words.
    before = _closed(text[: begin + who.start()])
    return replace(place, start=begin + who.start(2), who=who[1], before=before)


def _fitting(every: tuple[Slot, ...], head: str) -> tuple[Slot, ...]:
    """The slots that a line may fill of which this is written, the nearest first."""
    column = len(head) - len(head.lstrip(" "))
    if "-" in head:
        return tuple(each for each in every if each.item and each.column == column)
    return tuple(
        sorted(every, key=lambda each: (not each.within, abs(each.column - column), each.column))
    )


def _closed(text: str) -> str:
    """A text that somebody is writing, without what has only begun."""
    text = re.sub(r"[\s,{\[-]*\Z", "", text)
    # A key of which nothing is left.
    text = re.sub(r"\n[^\n]*:\Z", "", text)
    line = text[text.rfind("\n") + 1 :]
    return f"{text}{closing(line)}\n"


def answers(place: Place, loaded: Loaded) -> tuple[str, ...]:
    """What may be answered at a place where an answer stands."""
    scenarios, _ = scenarios_in(place.before, "")
    if not scenarios or place.who is None:
        return ()
    luck = place.who == "chance"
    return asked_after(scenarios[-1], loaded, luck=luck).get(place.who, ())


def items(place: Place, analysis: Analysis | None, answers: tuple[str, ...]) -> Iterator[Item]:
    """What may be written at a place; `answers`: where one stands."""
    if place.who is not None:
        for answer in answers:
            plain = _PLAIN.fullmatch(answer)
            written = answer if plain else json.dumps(answer, ensure_ascii=False)
            yield Item(answer, "action", insert=written, rank=1)
    elif place.slots or not place.head.strip(" -"):
        for rank, slot in enumerate(place.slots):
            for each in _begun(slot, analysis):
                yield _laid(each, slot, place.head, rank)
    elif place.section == "outcome":
        yield from _outcomes(analysis, place)
    elif analysis is not None:
        yield from _names(analysis, place.within, place.head)


def _laid(item: Item, slot: Slot, head: str, rank: int) -> Item:
    """What fills a slot, with the dash and the indent that its line lacks."""
    text, rank = item.insert or item.label, 3 * rank + item.rank
    if "-" in head:
        return replace(item, insert=text, rank=rank)
    dash = "- " if slot.item else ""
    lacking, back = " " * (slot.column - len(head)), max(0, len(head) - slot.column)
    label = f"{dash}{item.label}"
    return replace(item, label=label, insert=f"{lacking}{dash}{text}", back=back, rank=rank)


def _begun(slot: Slot, analysis: Analysis | None) -> Iterator[Item]:
    """What a line may be that fills a slot."""
    if not slot.within:
        for key, about in _file_keys().items():
            if key not in slot.there:
                insert = "scenarios:\n  - id: " if key == "scenarios" else f"{key}: "
                yield Item(key, "key", about, insert=insert)
    elif slot.within == ("scenarios",):
        for key, about in keys().items():
            if slot.item and key != "id":
                # Each begins with its name.
                return
            if key not in slot.there:
                yield Item(key, "key", about, insert=_key(key, slot.column))
    elif slot.within[1] == "do" and slot.there and not slot.item:
        # An input is one key.
        return
    elif analysis is not None:
        for each in _names(analysis, slot.within, "", begins=not slot.item):
            if each.label not in slot.there:
                yield each


def _key(key: str, column: int) -> str:
    """A key of a scenario, and the beginning of what stands below it."""
    if key not in _BLOCKS:
        return f"{key}: "
    return f"{key}:\n{' ' * (column + 2)}{_BLOCKS[key]}"


def _outcomes(analysis: Analysis | None, place: Place) -> Iterator[Item]:
    """How a game may have ended."""
    world = None if analysis is None else analysis.world
    players = () if world is None else tuple(world.players)
    inner = re.search(r"(\w+)\s*:\s*([\[{]?)[^\[\]{}]*\Z", place.head)
    key = inner[1] if inner is not None else place.within[-1]
    if key == "outcome" and "{" in place.head:
        for each in ("winners", "points", "places"):
            yield Item(each, "key", insert=f"{each}: ", rank=1)
    elif key == "outcome":
        yield Item("draw", "value", "nobody wins", rank=1)
        yield Item("ongoing", "value", "the game goes on", rank=1)
        for player in players:
            yield Item(f"{{winners: [{player}]}}", "value", "and nobody else", rank=1)
    else:
        after = "" if key == "winners" else ": "
        for player in players:
            yield Item(player, "player", "player", insert=f"{player}{after}", rank=1)


def _names(
    analysis: Analysis, within: tuple[str, ...], head: str, *, begins: bool = False
) -> Iterator[Item]:
    """The names of the rules that may stand in a section; `begins`: on a line of their own."""
    outline, world = analysis.outline, analysis.world
    if outline is None or world is None:
        return
    section, inner = within[1], within[2:]
    if section == "variants":
        for variant in outline.variants:
            yield Item(variant.at.name, "variant", variant.about, rank=1)
    elif section == "options" and ":" not in head.partition("options:")[2]:
        if inner and not begins:
            yield from _values(analysis, inner[-1])
            return
        for option in outline.options:
            name = option.at.name
            yield Item(name, "option", option.about, insert=f"{name}: ", rank=1)
    elif section == "options":
        named = re.search(r"(\w+)\s*:\s*\w*\Z", head)
        yield from _values(analysis, named[1] if named is not None else "")
    elif (section in ("do", "legal", "sees", "waiting") and not inner) or inner == ("refuse",):
        for player in world.players:
            after = "" if section == "waiting" else ": "
            yield Item(player, "player", "player", insert=f"{player}{after}", rank=1)
        yield from _others(section, inner)
    elif section == "enter":
        for phase in outline.phases:
            yield Item(phase.at.name, "phase", "phase", rank=1)
    elif section == "outcome":
        for each in ("winners", "points", "places") if not inner else ():
            yield Item(each, "key", insert=f"{each}: ", rank=1)
    elif section in ("given", "expect", "sees") or inner == ("expect",):
        after = ": " if begins and section in ("given", "sees") else ""
        for zone in outline.zones:
            name = zone.at.name
            yield Item(name, "zone", zone.at.span.text, insert=f"{name}{after}", rank=1)
        for variable in outline.variables:
            name = variable.at.name
            yield Item(name, "variable", variable.at.span.text, insert=f"{name}{after}", rank=1)
        if not after:
            for player in world.players:
                yield Item(player, "player", "player", rank=2)
            for function in outline.functions:
                name = function.at.name
                yield Item(name, "function", function.signature.span.text, rank=2)


def _others(section: str, inner: tuple[str, ...]) -> Iterator[Item]:
    """What stands beside players in a section."""
    if section == "sees":
        yield Item("spectator", "word", insert="spectator: ", rank=2)
    elif section == "waiting":
        yield Item("chance", "word", rank=2)
    elif section == "do" and not inner:
        yield Item("chance", "word", insert="chance: ", rank=2)
        yield Item("refuse", "word", insert="refuse: {$0}", rank=2)
        yield Item("expect", "word", insert="expect: ", rank=2)


def _values(analysis: Analysis, option: str) -> Iterator[Item]:
    """What an option may be set to."""
    for value in values_of(analysis, option):
        yield Item(value, "value", rank=1)
