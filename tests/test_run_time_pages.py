"""The pages of what goes wrong in play, in records and in scenarios: their examples do just that.

A page of a rule error (09) shows a whole rules file that is played by first options and first
outcomes, or by the inputs in the `text inputs` block below it. A page of pass 10 shows a record or
scenarios, with the rules they are for; `…` stands for the fingerprint of these rules.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from tests.executors import executor_of, maker
from tests.sources import tree_of

import rulerun
from rulerun.runtime import actions, faults
from rulerun.runtime.executor import CHANCE, Chance, Decision, RuleError
from rulerun.runtime.luck_bound import MOST_FALLS
from rulerun.scenario.runner import run_scenarios
from rulerun.session.record import read_record
from rulerun.session.replay import replay
from rulerun.session.session import Session
from rulerun.terminal.ending import told_error
from rulerun_dsl.diagnostics.catalogue import CATALOGUE, RECORDS, RUN_TIME
from rulerun_dsl.diagnostics.diagnostic import Diagnostic
from rulerun_dsl.diagnostics.render import render_text
from rulerun_dsl.load import load, load_game
from rulerun_dsl.model import Game
from rulerun_dsl.source.spans import Source

PAGES = Path(__file__).parent.parent / "docs" / "reference" / "diagnostics"
CODES = [*RUN_TIME, *RECORDS]

BARE = {"RR0917", "RR1001"}
"""What no example can show: a bug of rulerun, and a file that is not there."""

RULES = "rules.yaml"
RECORD = Path("play.jsonl")
MOST_INPUTS = 2 * MOST_FALLS

pytestmark = [
    pytest.mark.skipif(not PAGES.is_dir(), reason="the pages are not in the wheel"),
    pytest.mark.executors,
]


@dataclass(frozen=True)
class Example:
    """The blocks of a section of a page, by the words behind their backticks."""

    blocks: dict[str, str]

    @property
    def inputs(self) -> list[str]:
        return self.blocks.get("text inputs", "").splitlines()


def sections(code: str) -> dict[str, str]:
    """The sections of a page, by heading; what stands before them under ``."""
    text = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    heading, *rest = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    return {"": heading} | dict(zip(rest[::2], rest[1::2], strict=True))


def example(code: str, section: str) -> Example:
    found = re.findall(
        r"^```([^\n]*)\n(.*?)^```$", sections(code)[section], re.DOTALL | re.MULTILINE
    )
    return Example(dict(found))


# ------------------------------------------------------------------------------------- running


@cache
def game_of(text: str) -> Game:
    """The game of a rules file in which nothing is found."""
    game, found = load_game(text.encode())
    assert game is not None and not found, "\n" + render_text(found)
    return game


def play(text: str, inputs: list[str]) -> RuleError | None:
    """Play a rules file to its end, or to the rule error that stops it."""
    loaded, found = load(text.encode(), RULES)
    assert loaded is not None and not found, "\n" + render_text(found)
    game, found = loaded.game()
    assert game is not None and not found, "\n" + render_text(found)
    given = list(inputs)
    try:
        session = Session(executor_of(game), automatic=False)
        for _ in range(MOST_INPUTS):
            if session.over:
                assert session.verdict is not None
                assert not given, "the inputs go on behind the end"
                return None
            session.give(_next(session, given))
    except RuleError as error:
        assert not given, "the rules fail before the last input"
        return error
    raise AssertionError("the play does not end")


def _next(session: Session, given: list[str]) -> Decision | Chance:
    """The input that is listed, else the first."""
    asked, state = session.waiting[0], session.state
    if asked.player == CHANCE:
        return Chance(session.executor.outcomes(state)[0].id)
    if not given:
        return Decision(asked.player, session.executor.legal(state, asked.player)[0])
    player, _, text = given.pop(0).partition(": ")
    action = actions.parse(session.game, text)
    assert action is not None
    return Decision(session.game.players.index(player), action)


def run(shown: Example) -> list[Diagnostic]:
    """What comes of an example, in the current folder."""
    rules = {info: text for info, text in shown.blocks.items() if info.startswith("yaml file=")}
    for info, text in rules.items():
        Path(info.partition("=")[2]).write_text(text, encoding="utf-8")
    if "yaml" in shown.blocks:
        error = play(shown.blocks["yaml"], shown.inputs)
        return [] if error is None else [faults.diagnostic(error)]
    if "jsonl" in shown.blocks:
        return replayed(shown.blocks["jsonl"], next(iter(rules.values()), None))
    path = Path("nim.test.yaml")
    path.write_text(shown.blocks["yaml scenarios"], encoding="utf-8")
    return [each for result in run_scenarios(path, executor=maker()) for each in result.diagnostics]


def replayed(text: str, rules: str | None) -> list[Diagnostic]:
    """What is found when a record is read, and replayed if rules are given."""
    game = None if rules is None else game_of(rules)
    if game is not None:
        text = text.replace('"…"', f'"{game.fingerprint}"')
    # A last line that is not whole has no line break either.
    RECORD.write_bytes(text.encode() if text.endswith("}\n") else text.rstrip("\n").encode())
    record, found = read_record(RECORD)
    if game is None or record is None:
        return found
    return found + replay(record, executor_of(game))[1]


def bare(code: str) -> list[Diagnostic]:
    """The diagnostic of a code that no example can bring about."""
    if code == "RR1001":
        return read_record(Path("gaem.jsonl"))[1]
    there = Source(RULES, "- choose: k in 1..top\n").span(10, 21)
    message = "k would be 12, which no action names"
    return [faults.diagnostic(RuleError("no_action", message, there, ()))]


# --------------------------------------------------------------------------------------- pages


@pytest.mark.once
@pytest.mark.parametrize("code", CODES)
def test_each_code_has_a_page(code: str) -> None:
    found = sections(code)
    assert list(found) == ["", "Summary", "Avoid", "Prefer", "Why"]
    entry = CATALOGUE[code]
    assert found[""] == f"# {code} {entry.slug}\n\n{entry.title}.\n\n"
    assert all(text.strip() for text in found.values())


@pytest.mark.once
def test_no_page_is_left_over() -> None:
    there = {path.stem for path in PAGES.glob("RR*.md") if path.stem[:4] in ("RR09", "RR10")}
    assert there == set(CODES)


@pytest.mark.once
def test_few_pages_do_without_an_example() -> None:
    without = {
        code
        for code in CODES
        if not {"yaml", "jsonl", "yaml scenarios"} & set(example(code, "Avoid").blocks)
    }
    assert without == BARE


@pytest.mark.parametrize("code", CODES)
def test_what_to_avoid_is_found(
    code: str,
    golden: Callable[[str, str], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    found = bare(code) if code in BARE else run(example(code, "Avoid"))
    assert [each.code for each in found] == [code], "\n" + render_text(found)
    golden(f"diagnostics/{code}.txt", render_text(found))


@pytest.mark.parametrize("code", [each for each in CODES if each not in BARE])
def test_what_to_prefer_is_right(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # The rules stand once on a page, above what is wrong.
    rules = {
        info: text
        for info, text in example(code, "Avoid").blocks.items()
        if info.startswith("yaml file=")
    }
    found = run(Example(rules | example(code, "Prefer").blocks))
    assert not found, "\n" + render_text(found)


# -------------------------------------------------------------------------------------- words


def words_raised() -> Iterator[tuple[str, str]]:
    """Each word that the interpreter raises a `RuleError` with, and where."""
    folder = Path(rulerun.__file__).parent
    for path in sorted(folder.rglob("*.py")):
        if not re.search(r"\b(rule_error|RuleError)\(", path.read_text(encoding="utf-8")):
            continue
        tree = tree_of(path)
        constants = {
            node.targets[0].id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id in ("rule_error", "RuleError"):
                where = f"{path.relative_to(folder).as_posix()}:{node.lineno}"
                first = node.args[0]
                named = constants.get(first.id) if isinstance(first, ast.Name) else None
                yield from ((word, where) for word in _words(named or first, where))


def _words(argument: ast.expr, where: str) -> Iterator[str]:
    match argument:
        case ast.Constant(value=str(word)):
            yield word
        case ast.IfExp(body=body, orelse=orelse):
            yield from _words(body, where)
            yield from _words(orelse, where)
        case ast.Attribute(value=ast.Name(id="error"), attr="code"):
            pass  # an error that is raised anew
        case _:
            assert where.startswith("runtime/closures.py:"), f"{where}: which words are these?"


@pytest.mark.once
def test_each_word_of_a_rule_error_has_a_code() -> None:
    unknown = [(word, where) for word, where in words_raised() if word not in faults._CODES]
    assert not unknown


@pytest.mark.once
def test_each_row_of_the_codes_is_used() -> None:
    assert set(faults._CODES) == {word for word, _ in words_raised()}
    assert set(faults._CODES.values()) == set(RUN_TIME)
    assert set(faults._HELP) <= set(RUN_TIME)


# ------------------------------------------------------------------- where, and how it came there

HEAD = """\
rulerun: 1
game: demo
players: 2
"""


def stopped(text: str, *inputs: str) -> RuleError:
    error = play(HEAD + text, list(inputs))
    assert error is not None, "nothing goes wrong"
    return error


def told(error: RuleError) -> tuple[str, str, list[tuple[str, str]]]:
    """The code, the place and the chain of a rule error, as texts."""
    found = faults.diagnostic(error)
    assert found.span is not None
    return found.code, found.span.text, [(each.message, each.span.text) for each in found.related]


def test_the_statement_of_a_phase_that_holds_the_place_is_not_told_twice() -> None:
    error = stopped("state: {visible: all, n: 0..9}\nsetup: n = 9 // n\n")
    assert told(error) == ("RR0905", "9 // n", [])


def test_a_stop_that_fails_still_knows_the_whole_chain() -> None:
    text = example("RR0916", "Avoid").blocks["yaml"]
    error = play(text, [])
    assert error is not None
    assert [name for name, _ in error.chain] == ["reward", "bonus", "turn", ""]


def test_a_value_that_is_given_fails_at_its_caller() -> None:
    error = stopped("""
state: {visible: all, winner: player, best: player or none}
setup: award()
procedures:
  award():
    - winner = leader()
    - end game won by winner
  leader(): {do: give best}
""")
    chain = [("in `award`", "winner = leader()"), ("in the course of the game", "award()")]
    assert told(error) == ("RR0901", "winner = leader()", chain)


def test_who_takes_part_in_a_together_has_a_chain() -> None:
    error = stopped("""
state:
  visible: all
  n: 0..9
  bid[player]: 0..3
setup: bidding()
procedures:
  bidding():
    - together: you in players if 9 // n > bid
      do:
        - choose: k in 1..3
        - bid = k
    - n = bid[first(players)]
""")
    code, place, chain = told(error)
    assert (code, place) == ("RR0905", "9 // n")
    assert chain == [("in `bidding`", "together"), ("in the course of the game", "bidding()")]


SET = """
types: {year: 2..5}
state: {visible: all, n: 0..9, years: set of year}
setup:
  - STATEMENT
  - n = 1 if n in years
"""


@pytest.mark.parametrize("statement", ["years += n", "years -= n", "years = (3, n)"])
def test_a_set_holds_only_what_is_in_its_type(statement: str) -> None:
    error = stopped(SET.replace("STATEMENT", statement))
    assert (error.code, "0 in a set of 2..5" in error.message) == ("range", True)


def test_what_is_outside_the_type_of_a_set_is_not_in_it() -> None:
    assert play(HEAD + SET.replace("STATEMENT", "years += 3"), []) is None


def test_scoring_that_fails_stops_the_input_that_ends_the_game() -> None:
    game = game_of(
        HEAD
        + """
state: {visible: all, n: 0..9}
setup:
  - choose: k in 1..3
    by: first(players)
  - n = k - 1
scoring:
  points(player p): 10 // n
"""
    )
    session = Session(executor_of(game), automatic=False)
    before = session.state
    with pytest.raises(RuleError) as caught:
        session.submit(0, "1")
    assert told(caught.value) == ("RR0905", "10 // n", [])
    assert session.state == before and not session.over
    session.submit(0, "2")
    assert session.over


def test_a_question_that_fails_does_so_when_it_is_asked() -> None:
    error = stopped("""
state: {visible: all, n: 0..9}
setup:
  - choose: k in 1..3
    by: first(players)
    ask: Which of <9 // n>?
  - n = k
""")
    code, place, _ = told(error)
    assert (code, place) == ("RR0905", "9 // n")


@pytest.mark.parametrize("events", [True, False])
def test_a_sentence_that_fails_does_so_whoever_listens(events: bool) -> None:
    game = game_of(HEAD + "state: {visible: all, n: 0..9}\nsetup: {say: There are <9 // n>.}\n")
    with pytest.raises(RuleError):
        executor_of(game, events).initial()


# ----------------------------------------------------------------------------- told by others

FAILING = (
    HEAD
    + """
state: {visible: all, n: 0..9}
phases:
  play:
    do:
      - choose: k in 1..3
        by: first(players)
      - halve(k)
procedures:
  halve(1..3 k): n = k // (k - 1)
"""
)
CHAIN = [
    ("it fails here (RR0905)", "k // (k - 1)"),
    ("in `halve`", "n = k // (k - 1)"),
    ("in the course of the game", "halve(k)"),
]


@pytest.mark.parametrize(
    ("scenario", "code", "place"),
    [
        ("do: [{P1: 1}]", "RR1024", "1"),
        ("expect: 9 // n == 1", "RR1025", "9 // n == 1"),
        ("given: {n: 9 // n}\n    enter: play", "RR1022", "9 // n"),
    ],
)
def test_a_scenario_says_where_the_rules_fail(
    scenario: str, code: str, place: str, tmp_path: Path
) -> None:
    (tmp_path / "demo.yaml").write_text(FAILING, encoding="utf-8")
    path = tmp_path / "demo.test.yaml"
    path.write_text(f"scenarios:\n  - id: A\n    {scenario}\n", encoding="utf-8")
    (result,) = run_scenarios(path, executor=maker())
    (found,) = result.diagnostics
    assert found.span is not None
    assert (found.code, found.span.text) == (code, place)
    assert found.message.startswith("a rule error: ")
    assert found.help == "test the divisor before"
    chain = [(each.message, each.span.text) for each in found.related]
    assert chain == (CHAIN if code == "RR1024" else [("it fails here (RR0905)", "9 // n")])


@pytest.mark.once
def test_a_scenario_says_where_rules_do_not_load(tmp_path: Path) -> None:
    (tmp_path / "demo.yaml").write_text(FAILING.replace("halve(k)", "half(k)"), encoding="utf-8")
    path = tmp_path / "demo.test.yaml"
    path.write_text("scenarios:\n  - id: A\n", encoding="utf-8")
    (result,) = run_scenarios(path, executor=maker())
    (found,) = result.diagnostics
    assert found.code == "RR1021"
    assert [(each.message, each.span.text) for each in found.related] == [
        ("the error is here (RR0402)", "half")
    ]


@pytest.mark.once
def test_a_scenario_of_a_game_without_phases_begins_nowhere(tmp_path: Path) -> None:
    rules = HEAD + "state: {visible: all, n: 0..9}\nsetup: n = 9 if n == 0\n"
    (tmp_path / "demo.yaml").write_text(rules, encoding="utf-8")
    path = tmp_path / "demo.test.yaml"
    path.write_text("scenarios:\n  - id: A\n    given: {n: 3}\n", encoding="utf-8")
    (result,) = run_scenarios(path, executor=maker())
    assert [each.code for each in result.diagnostics] == ["RR1022"]


def test_a_replay_says_where_the_rules_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    record = """\
{"record": 1, "rulerun": 1, "game": "demo", "fingerprint": "…", "players": ["P1", "P2"]}
{"n": 1, "by": "P1", "action": "1"}
"""
    (found,) = replayed(record, FAILING)
    assert found.code == "RR1007"
    assert found.message == "line 1: `1` leads to a rule error: k // (k - 1) divides by 0"
    assert [(each.message, each.span.text) for each in found.related] == CHAIN


def test_at_the_table_a_rule_error_has_its_place_and_help() -> None:
    error = play(FAILING, ["P1: 1"])
    assert error is not None
    text = told_error(error)
    assert "error[RR0905]" in text
    assert f"{RULES}:" in text
    assert "in `halve`" in text
    assert "test the divisor before" in text
