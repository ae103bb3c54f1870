"""The table of the library's words against all that gives them a meaning.

The checker has a type rule for each word, the page of the reference a line and a section, the model
keeps the words that the table says it keeps; and what the page shows holds on every executor.
"""

import dataclasses
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.executors import executor_of

from rulerun.compiled.lower.lower import lower
from rulerun.reference.executor import Reference
from rulerun_dsl import model
from rulerun_dsl.check.expr import (
    collections,
    histories,
    library,
    players,
    quantifiers,
    sites,
    subsets,
)
from rulerun_dsl.load import load
from rulerun_dsl.model import Game
from rulerun_dsl.model.library import LIBRARY, WORDS

pytestmark = pytest.mark.executors

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "library.md"

# What the page shows in games of their own, or in prose.
MORE = """
rulerun: 1
game: more
players: [ann, bob, cyd]

state:
  visible: all
  seats: order of player
  liked: set of player
  told[1..2]: bool

setup:
  - liked = those(p in players if seat(p) < 3)
  - told[1] = seats[2] is bob
  - told[2] = count(liked) == 2

scoring:
  points(player p): 1 if p in liked and p is not bob else 0
  returns(player p): share_of_win(p) + (1 if winner == p else 0)

always:
  all is as told: all(told[n] for n in 1..2)
"""


def blocks() -> Iterator[tuple[str, str]]:
    """The blocks of the page: what is said of each, and its text."""
    text = PAGE.read_text(encoding="utf-8")
    yield from re.findall(r"^```yaml ?(.*?)\n(.*?)^```$", text, flags=re.M | re.S)


def examples(name: str) -> list[str]:
    """The expressions that hold in a game of the page."""
    parts = [text for said, text in blocks() if said == f"expect of={name}"]
    return [line.removeprefix("- ") for part in parts for line in part.splitlines()]


@cache
def game_of(text: str) -> Game:
    loaded, found = load(text.encode())
    assert loaded is not None, found
    game, more = loaded.game()
    assert game is not None, more
    return game


def told(name: str) -> Game:
    """A game of the page that stores in its set-up whether each example holds."""
    (rules,) = [text for said, text in blocks() if said == f"file={name}"]
    shown = examples(name)
    rules = rules.replace("state:\n", f"state:\n  told[1..{len(shown)}]: bool\n")
    stores = [f"  - told[{number}] = ({each})\n" for number, each in enumerate(shown, start=1)]
    holds = f"always:\n  all is as told: all(told[n] for n in 1..{len(shown)})\n"
    return game_of(rules + "".join(stores) + holds)


def words_in(node: object) -> Iterator[str]:
    """The words of the library in a part of the model."""
    if isinstance(node, model.Quantifier | model.BuiltinCall):
        assert LIBRARY[node.word].node == type(node).__name__
        yield node.word
    if isinstance(node, tuple):
        for each in node:
            yield from words_in(each)
    elif dataclasses.is_dataclass(node):
        for field in dataclasses.fields(node):
            yield from words_in(getattr(node, field.name))


GAMES = {
    "collections, players and numbers": lambda: told("cards.yaml"),
    "boards": lambda: told("boards.yaml"),
    "rules": lambda: game_of(MORE),
}


@pytest.mark.parametrize("about", GAMES)
def test_what_the_page_shows_holds(about: str) -> None:
    game = GAMES[about]()
    state = executor_of(game).initial().state
    (invariant,) = game.always
    assert Reference(game).ask(state, invariant.condition)


@pytest.mark.once
@pytest.mark.parametrize("about", GAMES)
def test_what_the_page_shows_is_lowered(about: str) -> None:
    """Compiled executors leave games that have no lowering to the reference, and say nothing."""
    lower(GAMES[about]())


@pytest.mark.once
def test_every_word_that_the_model_keeps_is_shown() -> None:
    shown = {word for make in GAMES.values() for word in words_in(make())}
    assert shown == {name for name, word in LIBRARY.items() if word.node}


@pytest.mark.once
def test_every_word_has_one_type_rule() -> None:
    areas = (quantifiers, collections, players, histories, sites, subsets, library)
    rules = [name for area in areas for name in area.TYPE_RULES]
    assert sorted(rules) == sorted(WORDS)
    assert all(library.rule_of(name) for name in WORDS)


@pytest.mark.once
def test_only_what_can_be_folded_has_a_value_of_nothing() -> None:
    """A word that folds is evaluated of nothing as the page says: or not before play."""
    folded = {name: word.fold([]) for name, word in LIBRARY.items() if word.fold is not None}
    assert folded == {"count": 0, "any": 0, "all": 1, "sum": 0, "max": None, "min": None}


# ------------------------------------------------------------------------------------- the page


def table() -> str:
    """The words as the page lists them."""
    lines = ["| word | gives |", "|---|---|"]
    for word in LIBRARY.values():
        if word.is_written:
            forms = ", ".join(f"`{form}`" for form in word.forms)
            lines.append(f"| {forms} | {word.about} |")
    return "\n".join(lines) + "\n"


@pytest.mark.once
def test_the_page_lists_the_words() -> None:
    text = PAGE.read_text(encoding="utf-8")
    head, mark, rest = text.partition("<!-- words -->\n")
    _, end, tail = rest.partition("<!-- end of words -->\n")
    assert mark and end
    whole = f"{head}{mark}\n{table()}\n{end}{tail}"
    if os.environ.get("RULERUN_UPDATE_DOCS"):
        PAGE.write_text(whole, encoding="utf-8")
    else:
        assert text == whole, "RULERUN_UPDATE_DOCS=1 pytest tests/test_library.py writes it"


@pytest.mark.once
def test_every_word_has_a_section_and_every_section_its_words() -> None:
    text = PAGE.read_text(encoding="utf-8")
    headings = " ".join(re.findall(r"^### (.+)$", text, flags=re.M))
    spans = re.findall(r"`([^`]+)`", headings)
    assert {re.split(r"\W", each)[0] for each in spans} - {"BOARD"} == WORDS
    forms = {form for word in LIBRARY.values() for form in word.forms}
    # `lowest(…)` stands beside `highest` in full.
    assert [each for each in spans if each not in forms and not each.endswith("…)")] == []
