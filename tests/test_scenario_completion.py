"""Completion in files of scenarios: whatever it offers fits where it is inserted."""

from __future__ import annotations

import re

import pytest

from rulerun.scenario.completing import items, place_at
from rulerun.scenario.reader import scenarios_in
from rulerun_dsl.assist.analysis import analyse
from rulerun_dsl.assist.open_texts import MAIN, Book
from rulerun_dsl.source.resources import ruleset_path

HEAD = "scenarios:\n  - id: one\n    title: The first\n"
DO = HEAD + "    do:\n      - yarg: prince\n"
PLACES = {
    "an empty file": "|",
    "no scenario yet": "scenarios:\n|",
    "below all": DO + "\n|",
    "below all, where keys stand": HEAD + "    |",
    "below all, too deep": DO + "        |",
    "below all, where items stand": DO + "      |",
    "a dash for a scenario": DO + "  - |",
    "a dash for an input": DO + "      - |",
    "between two scenarios": DO + "|\n\n  - id: two\n    do: []\n",
    "between keys": HEAD + "|\n    outcome: draw\n",
    "between inputs": DO + "|\n      - applewood: spy\n",
    "below `do`": HEAD + "    do:\n|",
    "below `do`, as the editor indents": HEAD + "    do:\n    |",
    "below `do`, before what it has": HEAD + "    do:\n|\n      - yarg: prince\n",
    "below `do`, before a key": HEAD + "    do:\n|\n    outcome: draw\n",
    "below `do`, a dash in its column": HEAD + "    do:\n    - |",
    "items in the column of their key": HEAD + "    do:\n    - yarg: prince\n|",
    "no indent at all": "scenarios:\n- id: one\n  do:\n  - yarg: prince\n|",
    "below `expect`": HEAD + "    expect:\n|",
    "checks in between": HEAD + "    do:\n      - expect:\n|",
    "more checks in between": HEAD + "    do:\n      - expect:\n          - true\n|",
    "what must be refused": HEAD + "    do:\n      - refuse: {|}\n",
    "below `given`": HEAD + "    given:\n|",
    "more in `given`": HEAD + "    given:\n      games_won[yarg]: 1\n|",
    "below `options`": HEAD + "    options:\n|",
    "below `variants`": HEAD + "    variants:\n|",
    "below `sees`": HEAD + "    sees:\n|",
    "what somebody sees": HEAD + "    sees:\n      yarg:\n|",
    "below `waiting`": HEAD + "    waiting:\n|",
    "below `legal`": HEAD + "    legal:\n|",
    "behind `outcome`": HEAD + "    outcome: |",
    "in `outcome`": HEAD + "    outcome: {|}",
    "the winners": HEAD + "    outcome: {winners: [|]}",
    "below `outcome`": HEAD + "    outcome:\n|",
    "behind `title`": "scenarios:\n  - id: one\n    title: |",
}
VALUES = {
    "players": "2",
    "options": "{}",
    "given": "{}",
    "do": "[]",
    "legal": "{}",
    "sees": "{}",
    "refuse": "{yarg: spy}",
    "outcome": "draw",
    "winners": "[yarg]",
    "points": "{yarg: 1}",
    "places": "{yarg: 1}",
    "scenarios": "[{id: x}]",
}


@pytest.fixture(scope="module")
def analysis():
    path = ruleset_path("brave_rats")
    assert path is not None
    return analyse(Book({MAIN: path.read_text(encoding="utf-8")}), path.name)


def offered(analysis, marked):
    """What is offered at `|`, and the text that each of it makes."""
    at = marked.index("|")
    text = marked[:at] + marked[at + 1 :]
    place = place_at(text, at)
    for each in items(place, analysis, ()):
        insert = (each.insert or each.label).replace("$0", "yarg: spy")
        yield each, text[: place.start - each.back] + insert + "|" + text[at:]


def finished(text):
    """A text in which what was begun at `|` has a value; `:` and `- ` alone are begun."""
    before, _, after = text.partition("|")
    if "scenarios:" not in text:
        after += "\nscenarios: []\n"
    line = before[before.rfind("\n") + 1 :]
    key = re.search(r"([\w\[\]]+):\s*\Z", before)
    if key is not None and not line.strip():
        return before + ("yarg: {}" if key[1] == "sees" else "yarg: x") + after
    if key is not None:
        inner = key[1] in ("yarg", "applewood", "spectator") and "sees:" in before
        return before + ("{}" if inner else VALUES.get(key[1], "x")) + after
    if line.strip() == "-":
        return before + ("yarg: prince" if before.endswith("do:\n" + line) else "x") + after
    return before + after


@pytest.mark.parametrize("where", PLACES)
def test_what_is_offered_fits_where_it_is_inserted(analysis, where):
    for each, text in offered(analysis, PLACES[where]):
        _, found = scenarios_in(finished(text), "x.test.yaml")
        assert not found, (each.label, finished(text), [(e.code, e.message) for e in found])


@pytest.mark.parametrize(
    ("where", "first", "among", "absent"),
    [
        ("no scenario yet", "- id", (), ("do",)),
        ("below all", "- id", ("cite", "outcome", "- applewood"), ("do", "id", "title")),
        ("below all, where keys stand", "cite", ("do", "- id"), ("title",)),
        ("below all, too deep", "- applewood", ("outcome",), ("applewood",)),
        ("a dash for a scenario", "id", (), ("do",)),
        ("between keys", "cite", ("do",), ("- id", "outcome")),
        ("between inputs", "- applewood", (), ("cite", "- id")),
        ("below `do`", "- applewood", ("- chance", "- refuse", "- expect"), ("cite", "at_stake")),
        ("below `do`, as the editor indents", "- applewood", ("- yarg",), ("cite",)),
        ("a dash for an input", "applewood", ("expect",), ("cite",)),
        ("below `expect`", "- at_stake", (), ("cite",)),
        ("what must be refused", "applewood", (), ("chance",)),
        ("behind `outcome`", "draw", ("ongoing", "{winners: [yarg]}"), ("at_stake", "bonus")),
        ("the winners", "applewood", ("yarg",), ("draw",)),
    ],
)
def test_what_is_offered_first(analysis, where, first, among, absent):
    found = [each for each, _ in offered(analysis, PLACES[where])]
    labels = [each.label for each in sorted(found, key=lambda each: (each.rank, each.label))]
    assert labels[0] == first
    assert set(among) <= {*labels} and not set(absent) & {*labels}


def test_a_line_comes_where_it_belongs(analysis):
    made = {each.label: text for each, text in offered(analysis, PLACES["below all, too deep"])}
    assert made["- applewood"] == DO + "      - applewood: |"
    assert made["outcome"] == DO + "    outcome: |"
    assert made["- id"] == DO + "  - id: |"
    made = {each.label: text for each, text in offered(analysis, PLACES["below all"])}
    assert made["expect"] == DO + "\n    expect:\n      - |"
