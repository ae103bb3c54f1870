"""The shape of a rules file: what passes, what does not, and what is said of it."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator

import rulerun_dsl
from rulerun_dsl.diagnostics.catalogue import SHAPE
from rulerun_dsl.schema import validator
from rulerun_dsl.schema.ruleset_schema import NAME, definition, matches_pattern, rules_schema
from rulerun_dsl.schema.shapes import check_shape
from rulerun_dsl.source.resources import shipped
from rulerun_dsl.source.section_names import HEAD_KEYS, PHASE_KEYS, SECTIONS
from rulerun_dsl.source.spans import Source
from rulerun_dsl.yaml.document import load_document
from rulerun_dsl.yaml.nodes import Entry, Mapping, Node, Scalar, Sequence, data

Json = dict[str, Any]
ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "reference" / "diagnostics"
HEAD = "rulerun: 1\ngame: demo\nplayers: 2\n"

# Every construct of the language, each at least once. It makes no sense as a game.
EVERYTHING = """\
rulerun: 1
game: everything
title: 2048
about: All there is.
minutes: 20..30
kind: betting
shows: [deck that refills, 2 decks]
players: [red, blue]
limits: {decisions: 5000, steps: 100000}
sources:
  book: A printed rulebook
  cite: XX-[0-9A-Z]+
files: [more/winter.yaml]
visible: all

options:
  size: {type: 3..8, default: 5, about: How large the board is., cite: XX-001}
  winter: {type: bool, default: false, cite: [XX-002, XX-003]}
  opener: {type: player, default: player(0), only_if: winter}
  scope: {type: [near, far], default: near, assumed: Nobody says.}
variants:
  small: {about: On a small board., size: 3, winter: true, cite: [XX-023, XX-024]}
constraints:
  - never: winter and size == 3
    say: The small board has no winter side.
    cite: XX-004
    assumed: A guess.

constants:
  rounds: 4
  fast: true
  does: {3 players: 11, 4 players: 14, cite: XX-015}
  last: {value: size + 1, assumed: A guess., about: The last one.}
types:
  suit: [clubs, hearts]
  rank: 2..14
  level:
    has: {points: 0..3}
    rules: {gives: block}
    rows: {outer: 0, inner: {points: 1, gives: gain(1)}}
types of dens:
  den_exit: 1..5
tables:
  gain_of: {by: 1..6, type: 0..4, rows: {1..2: 4, 3..4: 3, else: 2}, assumed: A guess.}
  cost[1..3]: {rows: [0, 1, 2]}
  pay: {by: [suit, 1..2], rows: {clubs: [1, 2], hearts: {1: 2, 2: 3}}}
tables of the den:
  den_cost[1..3]: {rows: [0, 1, 2]}
boards:
  square:
    {shape: grid, rows: size, columns: 8, names: chess, directions: all, only: row > 1}
  field: {shape: grid, rows: 2, columns: size, regions: {north: row == 1}}
  cell: {shape: hex, rows: 11, columns: 11}
  circle: {shape: ring, size: 12}
  track: {shape: line, size: 12, about: A score track.}
  island:
    has: {level: level, marsh: bool = false, uphill: island or none = none}
    rows:
      O1: [outer, false, M1]
      O2: {level: outer, uphill: M1, cite: XX-005}
      M1: [inner, true, none]
    links:
      - {along: uphill}
      - {ring: O1..O2}
      - {line: [O1, M1], when: count(players) == 4, assumed: A guess.}
    remove:
      - {when: count(players) == 3, sites: O2, cite: XX-006}
    cite: XX-007

components:
  card:
    each: player
    start: deck
    has:
      value: 0..7
      spend[suit]: 0..2 = 0
      colour: {type: suit = clubs, cite: XX-8}
    rules: {needs: bool = true, gives: block, on_play(player p): block}
    rows:
      prince: 7
      general: [6, 0]
      spy: {value: 2, copies: 2, spend: {clubs: 1}, gives: gain(1), about: Looks at a card.}
      wolf:
        value: 3
        assumed: A guess.
        needs: count(hand) > 1
        gives:
          - gain(2)
          - if: winter
            then: gain(3)
        on_play: {choose: c in hand}
  plain: {has: {rank: rank, suit: suit}, rows: every rank and suit, start: deck, copies: 2}
  die:
    {each: player, copies: 3, start: cup, state: {face: 1..6 = 1, kept: bool}}
  bonus: {like: card, start: deck, rows: {extra: 1}, cite: XX-009, about: More.}

zones:
  visible: none
  deck: {of: card, order: random, count: owner, refill: discard}
  hand[player]: {of: card, visible: all if open else owner, holds: 10, cite: XX-010}
  above[player, suit]: {one: card, visible: all, assumed: A guess.}
zones of dice:
  cup[player]: {of: die, visible: owner, order: stack, about: A cup.}
state:
  visible: all
  round: 0..4
  won[player]: {type: 0..9, start: 1, above: stop, only: [gain, lose], cite: XX-011}
  spying: {type: player or none, visible: owner, during: turn, only: turn, assumed: A guess.}
  open: bool = false
state of the den:
  dug: 0..4

functions:
  strength(player p): count(hand[p])
  ten: 10
  always_so: true
  worth(card c):
    cases:
      c is prince: 1
      else: none
    cite: XX-012
  possible(player p, 1..3 d):
    match: d
    cases: {1: true, 2..3: open}
    assumed: A guess.
  named: {value: 1 + 1, about: Two.}
functions of the den: {deep: 3}
actions:
  trade:
    in: free
    when: open
    do: gain(4)
  pass_on(c in hand): move c to discard
  dig(1..3 n):
    in: [free, den]
    when:
      - open
      - n < 3
    do:
      - gain(n)
    cite: XX-013
  look: {choose: c in hand}
actions of the den:
  rest: pass
setup: move 5 from deck to hand[p] for p in players

phases:
  opening: gain(1)
  deal:
    - move 1 from deck to hand[p] for p in players
  vote: {together: you in players, do: pass}
  days:
    for: today in 1..4
    if: winter
    about: All days.
    phases:
      day: {until: open, do: turn(), cite: XX-014}
      night:
        turns: you in players
        until: open
        do:
          - turn()
      dusk: {repeat: 2, do: pass, assumed: A guess.}
  passing: {if: winter, then: pass, else: gain(1)}

procedures:
  gain(0..9 n): won += n
  lose: {do: won -= 1, queued: 8, cite: XX-015, about: Less.}
  ask_once: {choose: c in hand, ask: Which?}
  turn():
    cite: XX-016
    assumed: A guess.
    do:
      - let n = 1; gain(n)
      - if: n == 1
        then: {do: gain(1), cite: XX-017}
        else:
          - gain(2)
        assumed: A guess.
      - cases:
          n == 1: pass
          n in (2, 4):
            - gain(1)
            - gain(2)
          n > 4: {repeat: 2, do: gain(1)}
          else: {do: pass, assumed: A guess.}
      - match: n
        cases: {0: pass, 1..2: gain(1)}
        cite: XX-018
      - for: p in players if won[p] > 0
        do: lose() as p
      - turns: you in clockwise(opener)
        until: open
        do: [gain(1)]
      - until: open
        do: open = true
      - repeat: n + 1
        do: pass
      - together: you in players
        do:
          - choose: 1..3 t in hand
      - choose: c in hand
        by: opponent(you)
        ask: Which card?
        visible: all
        if_possible: c is prince
        also: [free, trade]
        times: each once
        done: enough
        forced: take
      - choose: [dig, den]
        if_possible:
          - open
          - not open
        times: 2
        or: nothing
        else: stop
        cite: XX-019
      - choose:
          bid(1..12 q, 1..6 f): gain(q)
          raise:
            when: [open, won > 1]
            do: pass
            assumed: A guess.
          two:
            - gain(1)
            - gain(2)
          if_so: {if: open, then: pass}
          wait: {when: open}
      - say: <you> cannot do that.
procedures of the den:
  climb(suit s): pass

scoring:
  points(player p):
    cards: count(hand[p])
    won in play: won[p]
  ties(player p):
    - won[p]
    - 3
  equal: everybody
  out(player p): won[p] == 0
  winner: lowest points
  returns(player p): {cases: {winner == p: 1, else: -1}}
  cite: XX-020
always:
  nobody has too many: all(count(hand[p]) < 11 for p in players)
view:
  maps:
    space: |
      A --- B
    field: {2 players: A - B, 3 players: A - B - C}
  shows: {space: [level, colour], field: level}
  glyphs: {card: 1, on: "#"}
  colours: {red: red, prince: grey}
  hides: [hand, won]

chapter den:
  visible: owner
  about: Where foxes live.
  procedures:
    sleep(): pass
  scoring: {points: won, ties: [won]}
chapter winter:
  when: winter
  rows:
    card: {snow: 3}
    level: {top: {points: 3}}
  columns:
    card: {cold: bool = false}
  before turn(): gain(1)
  after turn():
    - gain(2)
  replace:
    strength(player p): original(p) + 1
    ten: 11
    worth(card c): {cases: {c is prince: 2, else: 1}}
    gain(0..9 n): [won += n]
    lose: {if: open, then: pass}
    deep: {value: 2, cite: XX-021}
    climb(suit s): {do: pass, assumed: A guess.}
"""

MODULE = """\
module: winter
when: winter
visible: all
constraints:
  - {never: winter and far, say: No.}
rows: {card: {snow: 3}}
after turn(): gain(1)
procedures of snow: {thaw(): pass}
"""

# What stands behind HEAD, and what is said of it: code and line (line 4 is the first).
INVALID = {
    "key misspelt": ("zoens: {}", "RR0201 4"),
    "key of a zone misspelt": ("zones:\n  deck: {of: card, oder: random}", "RR0201 5"),
    "key that belongs elsewhere": ("zones:\n  deck: {of: card, start: deck}", "RR0201 5"),
    "module key at the top": ("replace: {a: 1}", "RR0201 4"),
    "hook at the top": ("before turn(): pass", "RR0201 4"),
    "chapter in a chapter": ("chapter a:\n  chapter b: {}", "RR0201 5"),
    "companion of another statement": (
        "setup:\n  - for: p in players\n    do: pass\n    then: pass",
        "RR0201 7",
    ),
    "old word": ("components:\n  die: {faces: 6}", "RR0201 5"),
    "key that stands for the missing one": (
        "procedures:\n  a():\n    queued: 2\n    steps: pass",
        "RR0201 7",
    ),
    "nothing right in a constraint": ("constraints:\n  - a: b", "RR0201 5"),
    "no default": ("options:\n  a: {type: bool}", "RR0202 5"),
    "no type and no default": ("options:\n  a: {about: b}", "RR0202 5, RR0202 5"),
    "no say": ("constraints:\n  - never: a", "RR0202 5"),
    "no then": ("setup:\n  if: a", "RR0202 5"),
    "no do": ("setup:\n  - pass\n  - cite: a\n    for: p in players", "RR0202 7"),
    "no cases": ("functions:\n  f:\n    match: a", "RR0202 6"),
    "no value": ("functions:\n  f: {cite: a}", "RR0202 5"),
    "constant with a value and counts": ("constants:\n  a: {value: 1, 3 players: 2}", "RR0201 5"),
    "constant with notes alone": ("constants:\n  a: {cite: b}", "RR0202 5"),
    "phase without steps": ("phases:\n  a: {until: b}", "RR0202 5"),
    "link without a way": ("boards:\n  a:\n    links:\n      - when: b", "RR0202 7"),
    "zone of nothing": ("zones:\n  a: {visible: all}", "RR0202 5"),
    "empty key": ("title:", "RR0203 4"),
    "empty section": ("zones:", "RR0203 4"),
    "empty item": ("setup:\n  - pass\n  -", "RR0203 6"),
    "empty choice of words": ("scoring:\n  equal:", "RR0203 5"),
    "empty column": ("components:\n  a:\n    rows:\n      b: {c: null}", "RR0203 7"),
    "null": ("functions:\n  f: null", "RR0203 5"),
    "empty hint": ("view:\n  maps:\n    a:", "RR0203 6"),
    "empty group of options": ("setup:\n  - choose:\n      when a:", "RR0203 6"),
    "no options in a group": ("setup:\n  - choose:\n      when a: {}", "RR0213 6"),
    "a list of options in a group": ("setup:\n  - choose:\n      when a: [b, c]", "RR0205 6"),
    "no actions in a group": ("actions:\n  when a:\n    when b: {}", "RR0213 6"),
    "a line for a group of actions": ("actions:\n  when a: pass", "RR0205 5"),
    "empty hints": ("view: {}", "RR0213 4"),
    "unknown hint": ("view: {map: {a: b}}", "RR0201 4"),
    "unknown colour": ("view: {colours: {a: gray}}", "RR0208 4"),
    "list for a map": ("view:\n  maps:\n    a: [b]", "RR0205 6"),
    "empty case": ("setup:\n  cases:\n    a: pass\n    else:", "RR0203 7"),
    "list for one value": ("zones:\n  a: {of: card, visible: [all]}", "RR0204 5"),
    "mapping for one value": ("zones:\n  a: {of: card, holds: {a: b}}", "RR0204 5"),
    "list for a word": ("scoring:\n  equal: [tied]", "RR0204 5"),
    "mapping for a word": ("scoring:\n  equal: {tied: all}", "RR0204 5"),
    "list for a mapping": ("zones:\n  - a\n  - b", "RR0205 5"),
    "text for a mapping": ("zones:\n  a: card", "RR0205 5"),
    "list of cases": ("setup:\n  cases:\n    - a: b", "RR0205 6"),
    "mapping for a list": ("constraints:\n  never: a", "RR0206 5"),
    "text for a list": ("files: a.yaml", "RR0206 4"),
    "text for a number": ("limits: {decisions: many}", "RR0207 4"),
    "number for a step": ("setup: 5", "RR0207 4"),
    "truth value for a step": ("setup:\n  - true", "RR0207 5"),
    "number for a name": ("types:\n  a: [1, 2]", "RR0207 5, RR0207 5"),
    "no such order": ("zones:\n  a: {of: card, order: rundom}", "RR0208 5"),
    "no such shape": ("boards:\n  a: {shape: cube}", "RR0208 5"),
    "two heads": ("setup:\n  - for: a\n    repeat: 2\n    do: pass", "RR0209 6"),
    "two heads with what belongs to them": (
        "setup:\n  - if: a\n    then: pass\n    for: b\n    do: pass",
        "RR0209 7",
    ),
    "three heads": ("setup:\n  if: a\n  then: pass\n  for: b\n  say: c", "RR0209 7, RR0209 8"),
    "head misspelt": ("setup:\n  - fro: a\n    do: pass", "RR0210 5"),
    "head misspelt in a block": ("setup:\n  chose: a\n  ask: b", "RR0210 5"),
    "no head": ("setup:\n  - do: pass", "RR0210 5"),
    "another language's head": ("setup:\n  - while: a\n    do: pass", "RR0210 5"),
    "of and one": ("zones:\n  a: {one: card, of: card}", "RR0211 5"),
    "do and phases": ("phases:\n  a:\n    do: pass\n    phases: {b: pass}", "RR0211 6"),
    "value and cases": ("functions:\n  f: {value: 1, cases: {a: 1}}", "RR0211 5"),
    "name of two words": ("types:\n  my suit: [a]", "RR0212 5"),
    "member of two words": ("types:\n  suit: [a, b c]", "RR0212 5"),
    "chapter of two words": ("chapter the den: {}", "RR0212 4"),
    "no steps": ("setup: []", "RR0213 4"),
    "no cases in it": ("setup:\n  cases: {}", "RR0213 5"),
    "empty row": ("components:\n  a:\n    rows: {b: []}", "RR0213 6"),
    "no decisions": ("limits: {decisions: 0}", "RR0214 4"),
    "many steps": ("limits: {steps: 10000001}", "RR0215 4"),
    "many decisions": ("limits: {decisions: 1e300}", "RR0215 4"),
    "kind of game misspelt": ("kind: shedings", "RR0208 4"),
    "kinds of game": ("kind: [board, dice]", "RR0204 4"),
    "shows one text": ("shows: an auction", "RR0206 4"),
    "shows nothing": ("shows: []", "RR0213 4"),
    "shows keys": ("shows: [{market: row}]", "RR0204 4"),
    "shows the same twice": ("shows:\n  - draft\n  - auction\n  - draft", "RR0217 7"),
    "shows a sentence": (f"shows:\n  - draft\n  - {'a' * 41}", "RR0216 6"),
    "shows at most so long": (f"shows:\n  - {'a' * 40}\n  - draft\n  - draft", "RR0217 7"),
    "several": (
        "zoens: {}\noptions:\n  a: {type: bool}\nsetup:\n  - if:\n    then: pas\n  - 5",
        "RR0201 4, RR0202 6, RR0203 8, RR0207 10",
    ),
}


def document(text: str) -> Mapping:
    found, diagnostics = load_document(Source("test.yaml", text))
    assert found is not None, diagnostics
    return found


def said(text: str) -> list[str]:
    return [
        f"{found.code} {found.span.line if found.span else 0}"
        for found in check_shape(document(text))
    ]


def rulesets() -> list[Path]:
    files = shipped("rulesets").rglob("*.yaml")
    return sorted(path for path in files if not path.name.endswith(".test.yaml"))


# ------------------------------------------------------------------------------------ what passes


@pytest.mark.parametrize("path", rulesets(), ids=lambda path: path.stem)
def test_shipped_rulesets_pass(path):
    assert said(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("text", [EVERYTHING, MODULE, HEAD], ids=["everything", "module", "least"])
def test_right_files_pass(text):
    assert said(text) == []
    Draft7Validator(rules_schema()).validate(data(document(text)))


def test_a_right_file_needs_no_jsonschema():
    code = (
        "import sys; from rulerun_dsl.yaml.document import load_document as load\n"
        "from rulerun_dsl.source.spans import Source\n"
        "from rulerun_dsl.schema.shapes import check_shape\n"
        f"print(list(check_shape(load(Source('', {EVERYTHING!r}))[0])))\n"
        "print('jsonschema' in sys.modules)"
    )
    root = str(Path(rulerun_dsl.__file__ or "").parent.parent)
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": root, "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == ("[]\nFalse\n", "")


# ------------------------------------------------------------------------------- what does not


@pytest.mark.parametrize("name", INVALID)
def test_problems_are_found_once_and_in_place(name):
    text, expected = INVALID[name]
    assert said(HEAD + text + "\n") == expected.split(", ")


def test_every_code_is_provoked():
    provoked = set(re.findall(r"RR\d{4}", " ".join(expected for _, expected in INVALID.values())))
    assert provoked == set(SHAPE)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("zoens: {}", ["`zoens` is not a key of a rules file", "did you mean `zones`?"]),
        ("zones:\n  a: {of: b, state: c}", ["`state` is not a key of a zone", "it belongs in"]),
        ("setup:\n  - fro: a\n    do: b", ["begins with `fro`", "did you mean `for`?"]),
        ("setup:\n  - if: a", ["`if` needs `then`"]),
        ("zones:\n  a: {of: b, order: rundom}", ["cannot be `rundom`", "did you mean `random`?"]),
        ("boards:\n  a: {shape: 3}", ["`grid`, `hex`, `list`, `ring` or `line`"]),
        ("limits: {steps: no}", ["`steps` takes a whole number, not `no`"]),
        ("before turn(): pass", ["it belongs in a module file or a chapter"]),
        ("chapter a:\n  rulerun: 1", ["it belongs in a rules file"]),
    ],
)
def test_messages_help(text, words):
    (found,) = check_shape(document(HEAD + text + "\n"))
    for word in words:
        assert word in f"{found.message} | {found.help}"


def test_the_exact_words_are_marked():
    text = HEAD + "zones: {deck: {of: card, oder: random}}\nscoring: {equal: tide}\n"
    spans = [found.span for found in check_shape(document(text))]
    assert [span.text for span in spans if span] == ["oder", "tide"]


def test_a_head_alone_is_not_enough():
    assert said("players: 2\n") == ["RR0202 1", "RR0202 1"]
    assert said("rulerun: 2\ngame: a\n") == ["RR0208 1"]
    assert said("rulerun: 1\ngame: a\nmodule: b\n") == ["RR0211 1", "RR0211 2"]


@pytest.mark.parametrize("step", ["if: a, then: ", "for: a, do: ", "fro: a, do: "])
@pytest.mark.parametrize("end", ["pass", "5", "{a: b}"])
def test_depth_does_no_harm(step, end):
    # Deeper than `document` lets through.
    source = Source("", "{}")
    span = source.span(0, 2)

    def text(value: str | int) -> Scalar:
        return Scalar(str(value), value, span)

    pairs = [pair.split(": ") for pair in step.split(", ")]
    ends: dict[str, Node] = {
        "pass": text("pass"),
        "5": text(5),
        "{a: b}": Mapping((Entry(text("a"), text("b")),), span),
    }
    node = ends[end]
    for _ in range(3_000):
        entries = [Entry(text(key), text(value) if value else node) for key, value in pairs]
        node = Sequence((Mapping(tuple(entries), span),), span)
    heads = [Entry(text("rulerun"), text(1)), Entry(text("game"), text("a"))]
    whole = Mapping((*heads, Entry(text("setup"), node)), span)
    found = {each.code for each in check_shape(whole)}
    wrong: set[str] = {"pass": set[str](), "5": {"RR0207"}, "{a: b}": {"RR0210"}}[end]
    # Nothing is said of what stands in a step that cannot be understood.
    assert found == ({"RR0210"} if step.startswith("fro") else wrong)


# ---------------------------------------------------------------------------------- the pages


def blocks_of(page: str) -> dict[str, str]:
    return {
        part.partition("\n")[0]: found[1]
        for part in page.split("\n## ")
        if (found := re.search(r"```yaml\n(.*?)```", part, re.S))
    }


@pytest.mark.parametrize("code", SHAPE)
def test_every_code_has_a_page_with_examples(code):
    page = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    assert page.startswith(f"# {code} {SHAPE[code].slug}\n")
    assert re.findall("^## (.*)$", page, re.M) == ["Summary", "Avoid", "Prefer", "Why"]
    blocks = blocks_of(page)
    assert [line.split()[0] for line in said(blocks["Avoid"])] == [code]
    assert said(blocks["Prefer"]) == []


# --------------------------------------------------------------------------- the schema itself


def subschemas(part: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Json]]:
    """Yield every schema in the schema with the way to it."""
    if not isinstance(part, dict):
        return
    yield path, part
    for word in ("properties", "patternProperties", "definitions"):
        for key, value in part.get(word, {}).items():
            yield from subschemas(value, (*path, word, key))
    for word in ("if", "then", "else", "not", "items", "additionalProperties", "propertyNames"):
        yield from subschemas(part.get(word), (*path, word))
    for word in ("allOf", "anyOf", "oneOf"):
        for place, value in enumerate(part.get(word, [])):
            yield from subschemas(value, (*path, word, str(place)))


ALL = list(subschemas(rules_schema()))


def test_the_schema_is_a_schema():
    Draft7Validator.check_schema(rules_schema())
    assert rules_schema()["$schema"] == "http://json-schema.org/draft-07/schema#"


def test_no_keyword_is_unknown_to_the_quick_validator():
    for path, part in ALL:
        assert set(part) <= validator.KEYWORDS, path


def test_references_are_local_and_alone():
    definitions = rules_schema()["definitions"]
    used = set()
    for path, part in ALL:
        if "$ref" in part:
            assert list(part) == ["$ref"], path
            word, _, name = part["$ref"].rpartition("/")
            assert word == "#/definitions", path
            assert name in definitions, path
            used.add(name)
    assert used == set(definitions)


def test_every_property_is_described():
    definitions = rules_schema()["definitions"]
    for path, part in ALL:
        in_condition = {"if", "not", "propertyNames"} & set(path)
        if in_condition or len(path) < 2 or path[-2] not in ("properties", "patternProperties"):
            continue
        seen = definitions[part["$ref"].rpartition("/")[2]] if "$ref" in part else part
        assert seen.get("description"), path


def test_every_object_says_what_else_may_stand_in_it():
    for path, part in ALL:
        if {"properties", "patternProperties"} & set(part) and "if" not in path:
            assert "additionalProperties" in part, path


def test_choices_are_among_constants():
    for path, part in ALL:
        for branch in part.get("oneOf", ()):
            assert set(branch) == {"const", "description"}, path
        # Only a condition may be one of several: it has no errors.
        if "anyOf" in part:
            assert "if" in path or path[-1] == "has_head", path


def test_patterns_are_for_names():
    for path, part in ALL:
        patterns = [
            *part.get("patternProperties", ()),
            *([part["pattern"]] if "pattern" in part else ()),
        ]
        for pattern in patterns:
            assert pattern.startswith("^"), path
            assert "\\p" not in pattern, path
        if "pattern" in part:
            assert part["pattern"] == f"^{NAME}$", path


@pytest.mark.parametrize("text", ["a", "_1", "höhle", "приз", "春", "été2", "ß"])
def test_what_is_a_name(text):
    assert re.search(f"^{NAME}$", text)
    assert matches_pattern(f"^{NAME}$", text)


@pytest.mark.parametrize(
    "text", ["", "1a", "a b", "a-b", "x²", "a–b", "e\u0301", "\u212b", "ä.b", "٣a"]
)
def test_what_is_no_name(text):
    assert not matches_pattern(f"^{NAME}$", text)


# --------------------------------------------------------------------- the two validators agree

SOURCE = Source("", "")
KEYS = sorted(
    {
        key
        for path, part in ALL
        for key in part.get("properties", {})
        if not {"if", "not"} & set(path)
    }
    | {"chapter a", "chapter a b", "after a()", "zones of a", "points(player p)"}
    | {"3 players", "a", "a b", "1"}
)
VALUES = st.sampled_from(
    [
        *(None, True, 0, 1, 2, -1, 1.0, 1.5, 10**30),
        *("", "a", "a b", "random", "take", "tied"),
        *([], ["a"], [None]),
        *({}, {"a": 1}, {"do": "a"}, {"if": "a", "then": "b"}, {"of": "a"}, {"one": "a"}),
    ]
)


def node_of(value: object) -> Node:
    span = SOURCE.span(0)
    if isinstance(value, dict):
        return Mapping(
            tuple(Entry(Scalar(key, key, span), node_of(inner)) for key, inner in value.items()),
            span,
        )
    if isinstance(value, list):
        return Sequence(tuple(map(node_of, value)), span)
    assert value is None or isinstance(value, str | bool | int | float)
    return Scalar(str(value), value, span)


def containers(value: object) -> Iterator[Json | list[Any]]:
    if isinstance(value, dict | list):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from containers(inner)


@st.composite
def mutated(draw: st.DrawFn) -> Json:
    """A right document with a few things changed."""
    value = json.loads(json.dumps(data(document(draw(st.sampled_from([EVERYTHING, MODULE]))))))
    for _ in range(draw(st.integers(0, 3))):
        places = list(containers(value))
        place = draw(st.sampled_from(places))
        # A copy, so that what is drawn is not changed afterwards.
        new = json.loads(json.dumps(draw(VALUES)))
        if isinstance(place, dict):
            old = draw(st.sampled_from([*place, None])) if place else None
            match draw(st.sampled_from(["replace", "rename", "remove", "add"])):
                case "replace" if old is not None:
                    place[old] = new
                case "rename" if old is not None:
                    place[draw(st.sampled_from(KEYS))] = place.pop(old)
                case "remove" if old is not None:
                    del place[old]
                case _:
                    place[draw(st.sampled_from(KEYS))] = new
        elif place and draw(st.booleans()):
            place[draw(st.integers(0, len(place) - 1))] = new
        else:
            place.append(new)
    assert isinstance(value, dict)
    return value


@settings(
    max_examples=int(os.environ.get("RULERUN_EXAMPLES", "30")), deadline=None, derandomize=True
)
@given(mutated())
def test_the_quick_validator_agrees_with_jsonschema(value):
    the_validators_agree(value)


@pytest.mark.slow
@settings(max_examples=3000, deadline=None)
@given(mutated())
def test_the_quick_validator_agrees_with_jsonschema_often(value):
    the_validators_agree(value)


def the_validators_agree(value):
    node = node_of(value)
    assert isinstance(node, Mapping)
    right = Draft7Validator(rules_schema()).is_valid(value)
    assert validator.is_valid(node) is right
    found = list(check_shape(node))
    assert bool(found) is not right
    marks = [(each.code, each.message, id(each.span)) for each in found]
    assert len(marks) == len(set(marks))


@pytest.mark.parametrize("path", rulesets(), ids=lambda path: path.stem)
def test_both_validators_accept_what_is_shipped(path):
    node = document(path.read_text(encoding="utf-8"))
    assert validator.is_valid(node)
    assert Draft7Validator(rules_schema()).is_valid(data(node))


def test_no_key_has_two_meanings():
    """A key that is named in a form must not fit a pattern of the same form as well."""
    for path, part in ALL:
        for pattern in part.get("patternProperties", ()):
            assert not [key for key in part.get("properties", ()) if re.search(pattern, key)], path


def test_the_sections_are_those_of_the_schema() -> None:
    keys = definition("rules_file")["properties"]
    assert {*SECTIONS} <= {*keys} and {*keys} <= {*SECTIONS, *HEAD_KEYS}


def test_the_keys_of_phases_are_those_of_the_schema() -> None:
    keys = {
        key for form in ("phase_steps", "phase_group") for key in definition(form)["properties"]
    }
    assert {*PHASE_KEYS} == keys - {"about", "cite", "assumed"}
