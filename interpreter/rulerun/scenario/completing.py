"""What may be written in a file of scenarios.

Assumes: the text of such a file, broken or not, the last analysis of the rules it is about, and
somebody who says what a player may do before an input.
Does: looks in which key of a scenario a place is: there a key, a name of the rules or an answer
fits.
Leaves behind: `Item`s, as for rules.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache

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


@cache
def keys() -> Mapping[str, str]:
    """The keys of a scenario, each with what the schema says of it."""
    text = (shipped("schemas") / "scenario.schema.json").read_text(encoding="utf-8")
    known = json.loads(text)["definitions"]
    return {
        key: str(form.get("description") or known["checks"]["description"])
        for key, form in known["scenario"]["properties"].items()
    }


@frozen
class Place:
    """Where somebody writes."""

    start: int
    """What is completed begins here."""
    section: str
    """The key of the scenario in which it is; "": none."""
    head: str
    """What stands before it in its line."""
    who: str | None
    """Whose answer it is, a player's or `chance`; None: it is none."""
    before: str = ""
    """The file up to the inputs before that answer, with what is open there closed."""


def place_at(text: str, offset: int) -> Place:
    """The place of an offset."""
    word = _WORD.search(text, 0, offset)
    start = word.start() if word is not None else offset
    begin = text.rfind("\n", 0, start) + 1
    section, head = _section(text, start), text[begin:start]
    who = re.search(r"(\w+)\s*:\s*([^:]*)\Z", text[begin:offset])
    if section not in ("do", "legal") or who is None or who[1] == section:
        return Place(start, section, head, None)
    # An answer has many words.
    return Place(begin + who.start(2), section, head, who[1], _closed(text[: begin + who.start()]))


def _closed(text: str) -> str:
    """A text that somebody is writing, without what has only begun."""
    text = re.sub(r"[\s,{\[-]*\Z", "", text)
    # A key of which nothing is left.
    text = re.sub(r"\n[^\n]*:\Z", "", text)
    line = text[text.rfind("\n") + 1 :]
    ends = ""
    for sign in re.sub(r"\"[^\"]*\"|'[^']*'|\s#.*", "", line):
        if sign in "[{":
            ends = "]}"["[{".index(sign)] + ends
        elif ends[:1] == sign:
            ends = ends[1:]
    return f"{text}{ends}\n"


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
    elif not place.section and ":" not in place.head:
        for key, about in keys().items():
            yield Item(key, "key", about, insert=f"{key}: ", rank=1)
    elif analysis is not None:
        yield from _names(analysis, place.section, place.head)


def _names(analysis: Analysis, section: str, head: str) -> Iterator[Item]:
    """The names of the rules that may stand in a section of a scenario."""
    outline, world = analysis.outline, analysis.world
    if outline is None or world is None:
        return
    if section == "variants":
        for variant in outline.variants:
            yield Item(variant.at.name, "variant", variant.about, rank=1)
    elif section == "options" and ":" not in head:
        for option in outline.options:
            name = option.at.name
            yield Item(name, "option", option.about, insert=f"{name}: ", rank=1)
    elif section == "options":
        named = re.search(r"(\w+)\s*:\s*\w*\Z", head)
        for value in values_of(analysis, named[1]) if named is not None else ():
            yield Item(value, "value", rank=1)
    elif section in ("do", "legal", "sees", "waiting"):
        for player in world.players:
            after = "" if section == "waiting" else ": "
            yield Item(player, "player", "player", insert=f"{player}{after}", rank=1)
        for word in ("chance", "refuse", "expect") if section == "do" else ():
            yield Item(word, "word", insert=f"{word}: ", rank=2)
    elif section == "enter":
        for phase in outline.phases:
            yield Item(phase.at.name, "phase", "phase", rank=1)
    else:
        for zone in outline.zones:
            yield Item(zone.at.name, "zone", zone.at.span.text, rank=1)
        for variable in outline.variables:
            yield Item(variable.at.name, "variable", variable.at.span.text, rank=1)
        for player in world.players:
            yield Item(player, "player", "player", rank=2)
        for function in outline.functions:
            yield Item(function.at.name, "function", function.signature.span.text, rank=2)


def _section(text: str, start: int) -> str:
    """The key of a scenario in which a place is."""
    begin = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", start)
    line = text[begin : stop if stop >= 0 else len(text)]
    indent = len(line) - len(line.lstrip(" "))
    own = re.match(r"\s*(?:- )?(\w+)\s*:", text[begin:start])
    if own is not None and own[1] in keys():
        return own[1]
    place = begin
    while place > 0:
        above = text.rfind("\n", 0, place - 1) + 1
        before = text[above : place - 1]
        place = above
        bare = before.strip()
        if not bare or bare.startswith("#"):
            continue
        depth = len(before) - len(before.lstrip(" "))
        key = re.match(r"\s*(- )?(\w+)\s*:", before)
        if key is None or depth >= indent + (0 if line.strip() else 1):
            continue
        if depth == indent and not bare.endswith(":"):
            # What follows on the same depth stands beside it.
            continue
        if key[2] in keys() and not (key[1] and indent == depth + 2):
            return key[2]
        if key[1]:
            return ""
    return ""
