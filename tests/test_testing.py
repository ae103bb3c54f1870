"""Scenarios: what they say is read, run, and, where it does not hold, reported at its line."""

import json
from pathlib import Path

import jsonschema
import pytest
import yaml

from rulerun.scenario.position import Position
from rulerun.scenario.reader import read_scenarios, scenarios_in
from rulerun.scenario.runner import run_scenarios
from rulerun_dsl.source.resources import shipped

RULES = """\
rulerun: 1
game: duel
title: Duel
players: [ann, bob]

options:
  best: {type: 1..3, default: 2, about: Tricks that win.}
  wild: {type: bool, default: false, about: The die counts.}

variants:
  short: {best: 1}

constraints:
  - {never: wild and best == 3, say: A wild game is a short one.}

components:
  card:
    each: player
    start: pile
    has: {value: 1..3}
    rows: {low: 1, middle: 2, high: 3}

zones:
  pile[player]: {of: card, order: random, visible: none}
  hand[player]: {of: card, visible: owner}
  table[player]: {of: card, order: stack, visible: all}

state:
  visible: all
  won[player]: 0..9
  leader: player or none
  die: {type: 1..6, visible: all}
  secret[player]: {type: 0..3, visible: owner}

setup:
  - move 2 from pile[p] to hand[p] for p in players

phases:
  rounds:
    for: turn in 1..3
    phases:
      laying:
        do:
          - together: you in players
            do:
              - choose: c in hand
                ask: Which card do you lay?
              - move c to table
              - secret = 1
      rolling:
        do:
          - roll die
          - won[ann] += 1 if face(ann) > face(bob) or wild and die == turn
          - won[bob] += 1 if face(bob) > face(ann)
          - leader = highest(p in players by won[p]) if won[ann] != won[bob]
          - end game if any(won[p] >= best for p in players) or empty(hand[ann])

functions:
  face(player p): (the first(table[p])).value

scoring:
  points(player p):
    won: won[p]
  equal: nobody
"""


@pytest.fixture
def scenario(tmp_path):
    """Run one scenario, given as YAML without its id; its diagnostics."""
    (tmp_path / "duel.yaml").write_text(RULES, encoding="utf-8")
    path = tmp_path / "duel.test.yaml"

    def run(text, **options):
        lines = "".join(f"    {line}\n" for line in text.strip().splitlines())
        path.write_text(f"scenarios:\n  - id: A\n{lines}", encoding="utf-8")
        results = run_scenarios(path, **options)
        return [each for result in results for each in result.diagnostics]

    return run


def said(diagnostics):
    return [(each.code, each.span.line if each.span else None) for each in diagnostics]


def told(diagnostic):
    return f"{diagnostic.message}; {diagnostic.help}"


DEALT = """\
given:
  hand[ann]: [low, high]
  hand[bob]: [low, middle]
"""


def test_the_rules_of_these_tests_load(scenario):
    assert scenario("waiting: [ann, bob]") == []


def test_set_up_takes_the_first_outcomes_or_those_listed(scenario):
    assert scenario("expect: {'hand[ann]': [low, middle], 'pile[bob]': high}") == []
    text = """
do:
  - chance: high
  - chance: low
expect: {'hand[ann]': [low, high], 'hand[bob]': [middle, low]}
"""
    assert scenario(text) == []


def test_inputs_and_checks_in_between(scenario):
    text = (
        DEALT
        + """\
enter: laying
do:
  - ann: high
  - expect: {'table[ann]': [high], 'hand[bob]': [low, middle]}
  - bob: low
  - expect: die == 1
  - chance: 4
  - expect: ['won[ann] == 1', die: 4, leader: ann]
  - bob: middle
  - ann: low
  - chance: roll(2)
expect:
  - won[ann] == 1 and won[bob] == 1
  - table[ann]: [low, high]
  - table[bob]: [middle, low]
waiting: []
outcome: draw
"""
    )
    assert scenario(text) == []


def test_luck_that_is_not_listed_takes_its_first_outcome(scenario):
    assert scenario(DEALT + "do:\n  - ann: high\n  - bob: low\nexpect: die == 1") == []


def test_luck_may_be_waited_for(scenario):
    text = "do:\n  - ann: high\n  - bob: low\nwaiting: [chance]\noutcome: ongoing"
    assert scenario(DEALT + text) == []


HEAP = """\
rulerun: 1
game: heap
players: 1
components:
  stone: {rows: {stone: {copies: 9}, gem: {copies: 2}}, start: bag}
zones:
  visible: all
  bag: {of: stone}
  heap: {of: stone}
phases:
  play:
    for: you in players
    do:
      - choose: s in bag + heap
      - move s to heap
"""

HEAPS = """\
scenarios:
  - {id: good, given: {heap: [2 stone, 1 gem]}, expect: {heap: [gem, 2  stone]}}
  - {id: wrong, given: {heap: [2 stone, gem]}, expect: {heap: 3 stone}}
"""


class TestGiven:
    def test_variables(self, scenario):
        text = """
given:
  won[ann]: 1
  won[bob]: 1 + 2
  leader: bob
expect: won[ann] == 1 and won[bob] == 3 and leader is bob
"""
        assert scenario(text) == []

    def test_a_zone_holds_exactly_what_is_listed_top_first(self, scenario):
        text = """
given:
  table[ann]: [low, high of bob]
  hand[ann]: [middle]
expect:
  - first(table[ann]) is low
  - table[ann]: [low, high of bob]
  - count(table[ann]) == 2 and count(hand[ann]) == 1
  - pile[ann]: high
"""
        assert scenario(text) == []

    def test_all_speaks_of_what_is_not_named_closer(self, scenario):
        text = """
given:
  won[all]: 2
  won[ann]: 1
  pile[all]: none
  pile[bob]: high
expect:
  won[ann]: 1
  won[bob]: 2
  pile[ann]: none
"""
        assert scenario(text) == []
        assert said(scenario(text.replace("  won[ann]: 1\n  pile", "  pile"))) == [("RR1025", 8)]
        assert said(scenario(text.replace("pile[ann]: none", "pile[all]: none"))) == [
            ("RR1025", 11)
        ]
        assert scenario(text.replace("pile[ann]: none", "pile[all]: none\n  pile[bob]: high")) == []
        found = scenario("given: {'hnad[all]': none}")
        assert "did you mean `hand`?" in told(found[0])

    def test_several_of_a_kind(self, tmp_path):
        (tmp_path / "heap.yaml").write_text(HEAP, encoding="utf-8")
        path = tmp_path / "heap.test.yaml"
        path.write_text(HEAPS, encoding="utf-8")
        assert [each.diagnostics for each in run_scenarios(path, ["good"])] == [()]
        (wrong,) = run_scenarios(path, ["wrong"])
        held = "`heap` holds stone, stone, gem (not stone; gem too many)"
        assert [each.message for each in wrong.diagnostics] == [held]

    def test_a_loop_variable(self, scenario):
        text = (
            DEALT
            + """\
options: {wild: true}
enter: {phase: rolling, turn: 3}
do:
  - chance: 3
expect: won[ann] == 1
"""
        ).replace(
            "hand[bob]: [low, middle]",
            "hand[bob]: [low, middle]\n  table[ann]: low\n  table[bob]: low",
        )
        text = text.replace("hand[ann]: [low, high]", "hand[ann]: [high]").replace(
            "hand[bob]: [low, middle]", "hand[bob]: [middle]"
        )
        assert scenario(text) == []
        assert said(scenario(text.replace("turn: 3", "turn: 2"))) == [("RR1025", 12)]

    @pytest.mark.parametrize(
        ("text", "code", "line", "word"),
        [
            ("given: {'hnad[ann]': []}", "RR1023", 3, "did you mean `hand`?"),
            ("given: {'hand[anne]': []}", "RR1023", 3, "did you mean `ann`?"),
            ("given: {hand: []}", "RR1023", 3, "1 index"),
            ("given: {'hand[ann]': [hihg]}", "RR1023", 3, "did you mean `high`?"),
            ("given: {'hand[ann]': [low, low]}", "RR1022", 3, "low"),
            ("given: {'won[ann]': 10}", "RR1023", 3, "0..9"),
            ("given: {'won[ann]': ann}", "RR1023", 3, "no value"),
            ("given: {leader: carl}", "RR1023", 3, "carl"),
            ("enter: layign", "RR1023", 3, "did you mean `laying`?"),
            ("enter: {phase: laying, day: 1}", "RR1023", 3, "`day`"),
            ("enter: {phase: laying, turn: 4}", "RR1023", 3, "1..3"),
        ],
    )
    def test_what_cannot_be(self, scenario, text, code, line, word):
        found = scenario(text)
        assert said(found) == [(code, line)]
        assert word in told(found[0])


@pytest.mark.parametrize(
    ("text", "code", "line", "word"),
    [
        ("do:\n  - ann: hihg", "RR1023", 7, "no action"),
        ("do:\n  - ann: middle", "RR1024", 7, "refused"),
        ("do:\n  - anne: high", "RR1023", 7, "no player"),
        ("do:\n  - chance: 1", "RR1024", 7, "ann, bob"),
        ("do:\n  - ann: high\n  - bob: low\n  - chance: 7", "RR1024", 9, "only 1, 2"),
        ("do:\n  - refuse: {ann: high}", "RR1025", 7, "not refused"),
        ("do:\n  - refuse: {ann: middle, because: money}", "RR1025", 7, "another reason"),
        ("do:\n  - expect: won[ann] == 1", "RR1025", 7, "expected won[ann] == 1: won[ann] is 0"),
        ("expect: {'won[ann]': 3}", "RR1025", 6, "`won[ann]` is 0"),
        ("expect: {leader: ann}", "RR1025", 6, "is none"),
        ("expect: {'hand[ann]': [low]}", "RR1025", 6, "holds low, high"),
        ("expect: wno[ann] == 0", "RR0", 6, "wno"),
        ("expect: won[ann] +", "RR0", 6, ""),
        ("waiting: [ann]", "RR1025", 6, "ann, bob is asked"),
        ("waiting: [anne]", "RR1023", 6, "no player"),
        ("legal: {ann: [low]}", "RR1025", 6, "high is legal for ann too"),
        ("legal: {ann: [low, middle, high]}", "RR1025", 6, "`middle` is not legal"),
        ("sees: {bob: {'hand[ann]': [low, high]}}", "RR1025", 6, "does not see"),
        ("sees: {ann: {'hand[ann]': {hidden: 2}}}", "RR1025", 6, "sees low, high"),
        ("sees: {bob: {'hand[ann]': {hidden: 3}}}", "RR1025", 6, "sees 2"),
        ("sees: {ann: {'hand[ann]': [low]}}", "RR1025", 6, "sees low, high"),
        ("sees: {bob: {'secret[ann]': 0}}", "RR1025", 6, "does not see"),
        ("sees: {bob: {'won[ann]': 1}}", "RR1025", 6, "is 0"),
        ("sees: {bob: {'won[ann]': hidden}}", "RR1025", 6, "is 0"),
        ("sees: {carl: {'won[ann]': 1}}", "RR1023", 6, "carl"),
        ("outcome: draw", "RR1025", 6, "goes on"),
        ("outcome: {winners: [ann]}", "RR1025", 6, "goes on"),
        ("error: {because: x}", "RR1025", 6, "not refused"),
    ],
)
def test_what_does_not_hold_is_said_at_its_line(scenario, text, code, line, word):
    found = scenario(DEALT + text)
    assert len(found) == 1
    assert found[0].code.startswith(code)
    assert found[0].span.line == line
    assert word in told(found[0])


def test_all_that_does_not_hold_at_the_end_is_said(scenario):
    text = "expect:\n  - won[ann] == 1\n  - won[bob] == 0\n  - won[bob] == 2\nwaiting: []"
    assert said(scenario(text)) == [("RR1025", 4), ("RR1025", 6), ("RR1025", 7)]


def test_sight(scenario):
    text = (
        DEALT
        + """\
do:
  - ann: high
sees:
  ann: {'table[ann]': [high], 'hand[ann]': [low], 'hand[bob]': {count: 2}, 'secret[ann]': 1}
  bob: {'table[ann]': [], 'hand[ann]': {hidden: 2}, 'secret[ann]': hidden}
  spectator: {'hand[bob]': {hidden: 2}, 'pile[ann]': {hidden: 1, known: []}, leader: none}
"""
    )
    assert scenario(text) == []


ENDED = (
    DEALT
    + """\
variants: [short]
do:
  - ann: high
  - bob: low
"""
)


def test_outcomes(scenario):
    outcome = "outcome: {winners: [ann], points: {ann: 1, bob: 0}, places: {ann: 1, bob: 2}}"
    assert scenario(ENDED + outcome) == []
    assert said(scenario(ENDED + "outcome: draw")) == [("RR1025", 10)]
    assert said(scenario(ENDED + "outcome: ongoing")) == [("RR1025", 10)]
    assert said(scenario(ENDED + "outcome: {winners: [bob]}")) == [("RR1025", 10)]
    assert said(scenario(ENDED + "outcome: {winners: [ann, bob]}")) == [("RR1025", 10)]
    assert said(scenario(ENDED + "outcome: {points: {ann: 2}}")) == [("RR1025", 10)]
    assert said(scenario(ENDED + "outcome: {places: {carl: 2}}")) == [("RR1023", 10)]


def test_how_it_ended_is_told_beside_what_is_wanted(scenario):
    wrong = "outcome: {winners: [bob], points: {ann: 7, bob: 8}, places: {bob: 3}}"
    assert [each.message for each in scenario(ENDED + wrong)] == [
        "the game is over; ann wins (not bob)",
        "ann has 1 point (not 7)",
        "bob has 0 points (not 8)",
        "bob is at place 2 (not 3)",
    ]


def test_a_failure_says_what_of_given_the_phase_had_changed(tmp_path):
    (tmp_path / "deal.yaml").write_text(DEALING, encoding="utf-8")
    path = tmp_path / "deal.test.yaml"
    path.write_text(DEALING_TEST, encoding="utf-8")
    right, wrong = run_scenarios(path)
    assert right.passed, "nothing is said of what holds"
    (found,) = wrong.diagnostics
    assert found.help is not None
    assert "`trump` was 1" in found.help and "`hand[P1]` held " in found.help
    assert "led" not in found.help, "it was as given"


DEALING = """\
rulerun: 1
game: deal
players: 2
components:
  card: {start: deck, has: {value: 1..6}, rows: {low: 1, middle: 2, high: 3}}
zones:
  deck: {of: card, order: random, visible: none}
  hand[player]: {of: card, visible: all}
  table: {of: card, visible: all}
state:
  visible: all
  trump: 1..6
  led: 0..6
phases:
  round:
    do:
      - roll trump
      - move 1 from deck to hand[p] for p in players
      - for: you in players
        do:
          - choose: c in hand
          - move c to table
      - led = 1
scoring:
  points(player p): sum(c.value for c in hand[p]) + led + trump
"""

DEALING_TEST = """\
scenarios:
  - id: A
    title: What is given is written over, and nobody minds
    given: {trump: 4, "hand[P1]": [low], led: 3}
    enter: round
    do: [{P1: low}, {P2: high}]
  - id: B
    title: Somebody minds
    given: {trump: 4, "hand[P1]": [low], led: 3}
    enter: round
    do: [{P1: low}, {P2: high}]
    expect: {trump: 4}
"""


def test_set_ups_that_are_refused(scenario):
    wild = "options: {wild: true, best: 3}\n"
    assert scenario(wild + "error: {because: short one}") == []
    assert scenario(wild + "error: short one") == []
    assert said(scenario(wild + "error: {because: long one}")) == [("RR1025", 4)]
    found = scenario(wild + "waiting: []")
    assert said(found) == [("RR1021", 2)]
    assert "short one" in found[0].message
    assert scenario("players: 3\nerror: {because: players}") == []
    assert scenario("options: {bset: 3}\nerror: {because: bset}") == []


def test_rules_that_do_not_load(tmp_path):
    path = tmp_path / "none.test.yaml"
    path.write_text("scenarios: [{id: A}]", encoding="utf-8")
    (result,) = run_scenarios(path)
    assert not result.passed
    assert result.diagnostics[0].code == "RR1021"


def test_another_rules_file_may_be_named(tmp_path):
    (tmp_path / "duel.yaml").write_text(RULES, encoding="utf-8")
    path = tmp_path / "more.test.yaml"
    path.write_text("ruleset: duel.yaml\nscenarios: [{id: A, waiting: [ann, bob]}]", "utf-8")
    assert [each.passed for each in run_scenarios(path)] == [True]


def test_only_some(tmp_path):
    (tmp_path / "duel.yaml").write_text(RULES, encoding="utf-8")
    path = tmp_path / "duel.test.yaml"
    path.write_text("scenarios: [{id: A, waiting: []}, {id: B, title: two}]", "utf-8")
    assert [(each.id, each.passed) for each in run_scenarios(path)] == [("A", False), ("B", True)]
    (only,) = run_scenarios(path, ["B"])
    assert (only.id, only.title, only.passed) == ("B", "two", True)


# ------------------------------------------------------------------------------------------ shape

SHAPES = [
    ("{}", False),
    ("scenarios: []", True),
    ("scenarios: {}", False),
    ("scenarios: [{id: A}]", True),
    ("scenarios: [{title: A}]", False),
    ("scenarios: [A]", False),
    ("scenarios: [{id: A, expcet: x}]", False),
    ("scenarios: [{id: A, players: 2}]", True),
    ("scenarios: [{id: A, players: many}]", False),
    ("scenarios: [{id: A, variants: [a, b]}]", True),
    ("scenarios: [{id: A, variants: {a: b}}]", False),
    ("scenarios: [{id: A, options: {a: 1}}]", True),
    ("scenarios: [{id: A, options: {a: [1]}}]", False),
    ("scenarios: [{id: A, given: {a: 1, b: [x, y]}}]", True),
    ("scenarios: [{id: A, given: {a: {b: 1, c: [x]}}}]", True),
    ("scenarios: [{id: A, given: {a: {b: {c: 1}}}}]", False),
    ("scenarios: [{id: A, enter: here}]", True),
    ("scenarios: [{id: A, enter: {phase: here, day: 3}}]", True),
    ("scenarios: [{id: A, enter: {day: 3}}]", False),
    ("scenarios: [{id: A, enter: [here]}]", False),
    ("scenarios: [{id: A, do: [{p: x}, {chance: 3}, {expect: a == 1}]}]", True),
    ("scenarios: [{id: A, do: {p: x}}]", False),
    ("scenarios: [{id: A, do: [x]}]", False),
    ("scenarios: [{id: A, do: [{p: x, q: y}]}]", False),
    ("scenarios: [{id: A, do: [{p: [x]}]}]", False),
    ("scenarios: [{id: A, do: [{refuse: {p: x, because: y}}]}]", True),
    ("scenarios: [{id: A, do: [{refuse: {p: x, q: y, because: z}}]}]", False),
    ("scenarios: [{id: A, do: [{refuse: x}]}]", False),
    ("scenarios: [{id: A, do: [{expect: [a == 1, b: 2, c: [3]]}]}]", True),
    ("scenarios: [{id: A, expect: [[a]]}]", False),
    ("scenarios: [{id: A, expect: {a: {b: 1}}}]", True),
    ("scenarios: [{id: A, expect: {a: {b: {c: 1}}}}]", False),
    ("scenarios: [{id: A, waiting: [a, b]}]", True),
    ("scenarios: [{id: A, waiting: {a: b}}]", False),
    ("scenarios: [{id: A, legal: {a: [x, y]}}]", True),
    ("scenarios: [{id: A, legal: [x, y]}]", False),
    ("scenarios: [{id: A, sees: {a: {b: {hidden: 3, known: [x]}, c: [d], e: hidden}}}]", True),
    ("scenarios: [{id: A, sees: {a: {b: {hiden: 3}}}}]", False),
    ("scenarios: [{id: A, sees: {a: b}}]", False),
    ("scenarios: [{id: A, outcome: draw}]", True),
    ("scenarios: [{id: A, outcome: {winners: [a], points: {a: 3}}}]", True),
    ("scenarios: [{id: A, outcome: {winner: [a]}}]", False),
    ("scenarios: [{id: A, outcome: won}]", False),
    ("scenarios: [{id: A, outcome: [a]}]", False),
    ("scenarios: [{id: A, error: {because: x}}]", True),
    ("scenarios: [{id: A, error: {reason: x}}]", False),
    ("scenarios: [{id: A}]\nrules: x", False),
    ("scenarios: [{id: A}]\nruleset: x.yaml", True),
]


@pytest.fixture(scope="module")
def schema():
    text = (shipped("schemas") / "scenario.schema.json").read_text(encoding="utf-8")
    loaded = json.loads(text)
    jsonschema.Draft7Validator.check_schema(loaded)
    return loaded


@pytest.mark.parametrize(("text", "good"), SHAPES)
def test_the_reader_and_the_schema_agree(schema, text, good):
    _, found = scenarios_in(text, "shape")
    assert (not found) == good
    assert jsonschema.Draft7Validator(schema).is_valid(yaml.safe_load(text)) == good


def test_what_is_misspelt_is_guessed():
    _, found = scenarios_in("scenarios: [{id: A, expcet: x}]", "shape")
    assert found[0].help == "did you mean `expect`?"
    assert found[0].code == "RR1020"


def test_an_id_is_used_once():
    _, found = scenarios_in("scenarios: [{id: A}, {id: A}]", "shape")
    assert "twice" in found[0].message


def test_every_property_of_the_schema_is_described(schema):
    def walk(node):
        if isinstance(node, dict):
            assert "oneOf" not in node
            properties = node.get("properties", {})
            for inner in properties.values() if isinstance(properties, dict) else ():
                assert "description" in inner or "$ref" in inner, inner
            for inner in node.values():
                walk(inner)

    walk(schema)


SCENARIO_FILES = sorted(shipped("rulesets").rglob("*.test.yaml"))


@pytest.mark.parametrize("path", SCENARIO_FILES, ids=lambda path: path.name)
def test_shipped_scenarios_have_the_shape(schema, path):
    file, found = read_scenarios(path)
    assert found == []
    assert file is not None
    jsonschema.Draft7Validator(schema).validate(yaml.safe_load(path.read_text(encoding="utf-8")))


# --------------------------------------------------------------------------------------- positions


@pytest.fixture
def duel(tmp_path):
    path = tmp_path / "duel.yaml"
    path.write_text(RULES, encoding="utf-8")
    return path


class TestPosition:
    def test_play(self, duel):
        given = {"hand[ann]": ["low", "high"], "hand[bob]": ["low", "middle"], "won[ann]": 1}
        position = Position(duel, given=given, enter="laying")
        position.play("ann", "high")
        position.play("bob", "low")
        assert not position.winners
        position.fall("5")
        assert position.value("die") == 5
        assert position.value("won[ann]") == 2
        assert position.value("leader") == "ann"
        assert position.value("won[ann] > won[bob]") is True
        assert position.winners == ("ann",)

    def test_it_may_be_asked_for_ever(self, duel):
        """Names that a question binds are given back."""
        position = Position(duel)
        again = {position.value("sum(won[p] for p in players)") for _ in range(600)}
        assert again == {0}
        assert position.value(" + ".join(["count(k in 1..2)"] * 40)) == 80

    def test_what_cannot_be(self, duel):
        with pytest.raises(ValueError, match="no ruleset"):
            Position("no such game")
        with pytest.raises(ValueError, match="phase"):
            Position(duel, enter="nowhere")
        with pytest.raises(ValueError, match="no option"):
            Position(duel, options={"bset": "2"})
        position = Position(duel)
        with pytest.raises(ValueError, match="no action"):
            position.play("ann", "nothing")
        with pytest.raises(ValueError, match="wno"):
            position.value("wno")


def test_paths_are_paths():
    assert all(isinstance(path, Path) for path in SCENARIO_FILES)


def test_a_scenario_may_have_as_many_checks_as_it_likes(scenario):
    check = "  - sum(won[p] for p in players) == 0\n"
    assert scenario("expect:\n" + 300 * check) == []


DICE = """
rulerun: 1
game: dice
players: 2
components:
  die:
    each: player
    rows: {small: {}, big: {}}
    state: {face: 1..6, seen: set of player}
    start: cup
zones:
  visible: all
  cup[player]: {of: die}
state:
  visible: all
  best: die or none
phases:
  play:
    for: you in players
    do:
      - best = highest(d in die by d.face)
      - choose: d in cup
      - d.face = 1; d.seen += you
scoring:
  points(player p): sum(d.face for d in cup[p]) + (1 if best.owner == p else 0)
"""


def test_attributes_are_given_and_expected(tmp_path):
    (tmp_path / "dice.yaml").write_text(DICE, encoding="utf-8")
    path = tmp_path / "dice.test.yaml"

    def found(text):
        path.write_text(f"scenarios: [{{id: A, {text}}}]", encoding="utf-8")
        return said(each for result in run_scenarios(path) for each in result.diagnostics)

    big = "best: big of P2, big of P2:"
    good = "given: {small of P1: {face: 5, seen: [P2]}, big of P2: {face: 6}}, "
    good += "enter: {phase: play, you: P2}, do: [{P2: big}], "
    good += f"expect: {{small of P1: {{face: 5, seen: [P2]}}, {big} {{face: 1, seen: [P2]}}}}"
    assert found(good) == []
    assert found("expect: {small of P1: {face: 2}}") == [("RR1025", 1)]
    for wrong in ("small: {face: 5}", "small of P1: {fcae: 5}", "small of P1: {face: 7}"):
        assert found(f"given: {{{wrong}}}") == [("RR1023", 1)]


def test_what_is_refused_has_a_name(scenario):
    assert scenario("do: [{refuse: {ann: lwo}}]")[0].code == "RR1023"
    assert "did you mean `low`?" in told(scenario("do: [{refuse: {ann: lwo}}]")[0])


class TestWhatIsSoInstead:
    """A failed expectation shows the values of its parts."""

    @pytest.mark.parametrize(
        ("expected", "why"),
        [
            ("won[ann] == 6", "won[ann] is 0"),
            ("die == 1 and won[ann] + die > 6 and die == 2", "won[ann] + die is 1"),
            ("won[ann] == 3 or leader is ann", "won[ann] is 0; leader is none"),
            ("all(won[p] == 0 and p is ann for p in players)", "with p = bob: p is bob"),
            (
                "any(won[p] > 1 for p in players)",
                "with p = ann: won[p] is 0; with p = bob: won[p] is 0",
            ),
            ("not any(c.value > 1 for c in hand[ann])", "with c = middle: c.value is 2"),
            (
                "all(all(c.value < 2 for c in hand[p]) for p in players)",
                "with p = ann: with c = middle: c.value is 2",
            ),
            ("count(c in hand[ann] if c.value > 1) == 2", "if c.value > 1) is 1"),
            ("empty(hand[ann])", "hand[ann] is low, middle"),
            ("not (won[ann] == 0)", "won[ann] is 0"),
        ],
    )
    def test_values(self, scenario, expected, why):
        (found,) = scenario(f"expect: ['{expected}']")
        assert found.code == "RR1025"
        assert found.message.startswith(f"expected {expected}: ")
        assert why in found.message

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("waiting: [ann]", "ann, bob is asked (bob too many)"),
            ("waiting: [bob, chance]", "(not chance; ann too many)"),
            ("legal: {ann: [low, high]}", "`high` is not legal for ann, and not listed is middle"),
            ("legal: {ann: [low]}", "middle is legal for ann too"),
            ("sees: {bob: {'hand[bob]': [low, high]}}", "low, middle (not high; middle too many)"),
            ("expect: {'hand[bob]': [low, high]}", "low, middle (not high; middle too many)"),
            ("expect: {die: 3}", "`die` is 1"),
        ],
    )
    def test_differences(self, scenario, text, why):
        (found,) = scenario(text)
        assert why in found.message


# ------------------------------------------------------------------- what keeps from looking


def many(tmp_path, rules, head=""):
    """Five scenarios about some rules; the path."""
    (tmp_path / "duel.yaml").write_text(rules, encoding="utf-8")
    path = tmp_path / "duel.test.yaml"
    lines = "".join(f"  - {{id: A{number}{head}}}\n" for number in range(5))
    path.write_text(f"scenarios:\n{lines}  - {{id: B, players: 2, waiting: [ann, bob]}}\n", "utf-8")
    return path


@pytest.mark.parametrize("wrong", ["won[ann] += 1 if fase(ann)", "  - roll dye"])
def test_an_error_in_the_rules_is_said_once_whatever_there_is_to_run(tmp_path, wrong):
    right = wrong.replace("fase", "face").replace("dye", "die")
    (result,) = run_scenarios(many(tmp_path, RULES.replace(right, wrong)))
    (found,) = result.diagnostics
    assert (result.id, found.code) == ("", "RR1021")
    assert found.message.startswith("6 scenarios are not checked, since the rules do not load: ")
    assert found.related[0].span.source.name.endswith("duel.yaml")


def test_an_error_in_some_settings_leaves_the_others_to_run(tmp_path):
    rules = RULES.replace("won[player]: 0..9", "won[player]: 0..(6 - best) = 4")
    results = run_scenarios(many(tmp_path, rules, ", options: {best: 3}"))
    assert [each.id for each in results] == ["", "B"]
    assert [each.passed for each in results] == [False, True]
    assert results[0].diagnostics[0].message.startswith("5 scenarios are not checked")


@pytest.mark.parametrize(
    ("text", "marked", "says"),
    [
        ("options: {bset: 3}", "bset", "no option `bset`"),
        ("options: {wild: true, bset: 3}", "bset", "did you mean `best`"),
        ("options: {wild: true, best: 7}", "7", "no value of the option `best`"),
        ("variants: [shrot]", "shrot", "no variant `shrot`"),
        ("players: 5", "5", "not 5"),
    ],
)
def test_a_wrong_setting_is_marked_itself(scenario, text, marked, says):
    (found,) = scenario(f"{text}\nwaiting: [ann, bob]")
    assert (found.code, found.span.text) == ("RR1021", marked)
    assert says in told(found)


SHORT = """\
rulerun: 1
game: short
players: 2

state:
  visible: all
  coins[player]: 0..9

phases:
  play:
    turns: you in players
    do:
      - choose:
          take(1..3 n):
            when: coins < 3
            do: coins += n
          pay(1..3 n):
            when: coins >= 3
            do: coins -= n
      - end game if coins == 9
"""


def test_a_short_text_that_may_mean_two_things_is_refused_before_and_in_play(tmp_path):
    from rulerun.scenario.resolving import vet
    from rulerun_dsl.load import load

    (tmp_path / "short.yaml").write_text(SHORT, encoding="utf-8")
    path = tmp_path / "short.test.yaml"
    path.write_text("scenarios: [{id: A, do: [{P1: take(2)}, {P2: 2}]}]", encoding="utf-8")
    (result,) = run_scenarios(path)
    loaded, _ = load(tmp_path / "short.yaml")
    file, _ = read_scenarios(path)
    assert loaded is not None and file is not None
    (scenario,) = file.scenarios
    (found,) = result.diagnostics
    (vetted,), cause = vet(scenario, loaded)
    assert cause is None
    assert (vetted.code, vetted.message) == (found.code, found.message)
    assert found.span is not None
    assert (found.code, found.span.text) == ("RR1023", "2")
    assert found.message == "`2` may mean `take(2)` or `pay(2)`"


def test_a_short_text_that_play_makes_unclear_is_an_input_that_is_not_taken(tmp_path):
    rules = RULES.replace("choose: c in hand", "choose: c in hand[all]")
    rules = rules.replace("together: you in players", "for: you in players")
    (tmp_path / "duel.yaml").write_text(rules.replace("visible: owner}", "visible: all}"), "utf-8")
    path = tmp_path / "duel.test.yaml"
    path.write_text("scenarios: [{id: A, do: [{ann: low}]}, {id: B, do: [{ann: high}]}]", "utf-8")
    unclear, missing = (result.diagnostics[0] for result in run_scenarios(path))
    assert unclear.span is not None
    assert (unclear.code, unclear.span.text) == ("RR1024", "low")
    assert unclear.message == "`low` may mean low of ann, low of bob here: write which"
    assert missing.code == "RR1024" and missing.message.startswith("refused: ")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "given: {'table[ann]': [low, middle, high]}",
            "`table[ann]` has room for 2, and 3 are listed: high of ann too many",
        ),
        ("given: {'hand[ann]': [low, low]}", "there is no low of ann left"),
        ("enter: {phase: laying, turn: 1, who: bob}", "`who` is never bob there"),
        ("expect: 'all(p is bob for p in order)'", "with p = ann"),
    ],
)
def test_values_stand_as_the_rules_write_them(tmp_path, text, says):
    rules = RULES.replace("order: stack, visible: all}", "order: stack, visible: all, holds: 2}")
    rules = rules.replace("  die: {type", "  order: order of players\n  die: {type")
    rules = rules.replace("- roll die", "- roll die\n          - order = clockwise(first(order))")
    laying = "      laying:\n        "
    rules = rules.replace(laying, f"{laying}for: who in players if who is ann\n        ")
    (tmp_path / "duel.yaml").write_text(rules, encoding="utf-8")
    path = tmp_path / "duel.test.yaml"
    path.write_text(f"scenarios:\n  - id: A\n    {text}\n", encoding="utf-8")
    (result,) = run_scenarios(path)
    assert says in result.diagnostics[0].message


def test_points_that_no_rule_asks_for_are_expected(tmp_path):
    """Their sum is a function that only the scenario calls."""
    (tmp_path / "pair.yaml").write_text(
        """\
rulerun: 1
game: pair
players: 2
state:
  visible: all
  coins[player]: 0..9
phases:
  play:
    for: you in players
    do:
      - choose: n in 1..3
      - coins = n
scoring:
  points(player p):
    coins: coins[p]
    twice: coins[p] * 2
""",
        encoding="utf-8",
    )
    scenarios = tmp_path / "pair.test.yaml"
    scenarios.write_text(
        "scenarios:\n"
        + "".join(
            f"  - id: {id_}\n    do: [P1: 1, P2: 2]\n    expect: {expected}\n"
            for id_, expected in (
                ("sum", "points(P2) == 6"),
                ("line", "points.twice(P2) == 4"),
                ("wrong", "points(P2) == 7"),
            )
        ),
        encoding="utf-8",
    )
    sum_, line, wrong = run_scenarios(scenarios)
    assert sum_.passed and line.passed
    assert [each.message for each in wrong.diagnostics] == [
        "expected points(P2) == 7: points(P2) is 6"
    ]
