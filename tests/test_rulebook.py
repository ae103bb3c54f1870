"""The rulebook: what it says, in which words, and that nothing of a file gets out of its place."""

import dataclasses
import re
import typing
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest

import rulerun.rulebook
from rulerun.rulebook.book import Book, Item, Listing, Paragraph, Section, Table
from rulerun.rulebook.contents import book_for, rulebook
from rulerun.rulebook.passages import passages
from rulerun.rulebook.prose.choice_prose import Prose
from rulerun.rulebook.render.as_html import page
from rulerun.rulebook.render.as_markdown import markdown
from rulerun.rulebook.render.as_text import lines
from rulerun.rulebook.settled import Settled, nodes
from rulerun.words.labels import Labels, labels_for
from rulerun.words.language import SHIPPED
from rulerun.words.rule_phrases import RulePhrases, rule_phrases
from rulerun_dsl.load import load
from rulerun_dsl.model.library import LIBRARY, WORDS
from rulerun_dsl.source.resources import ruleset_names, ruleset_path
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import declarations as d
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax import statements as stmt
from rulerun_dsl.translations import files_of_texts, translation

FAIR = Path(__file__).parent / "rulebooks" / "fair.yaml"


@cache
def read(path):
    loaded, _ = load(path)
    assert loaded is not None
    return loaded


def book_of(path, code="en", players=None, options=None, variants=()):
    """The book of a rules file, with its texts in a language if it has some."""
    loaded = read(path)
    game, found = loaded.game(players, options, variants)
    assert game is not None, [each.message for each in found]
    words = dataclasses.replace(game.words, language=code)
    texts = files_of_texts(path).get(code) if isinstance(path, Path) else None
    if texts is not None:
        words, _, _ = translation(loaded, game, texts)
    return rulebook(loaded, game, Labels(game, words), variants)


def text_of(book):
    return "\n".join(lines(book)) + "\n"


# -------------------------------------------------------------------------------------- goldens


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("brave_rats", "en"),
        ("brave_rats", "fr"),
        ("love_letter", "en"),
        ("fair", "en"),
        ("fair", "fr"),
        ("fair", "de"),
    ],
)
def test_the_book_is_the_golden_one(name, code, golden):
    path = FAIR if name == "fair" else ruleset_path(name)
    golden(f"rulebooks/{name}.{code}.txt", text_of(book_of(path, code)))


def test_the_book_as_markdown_and_as_a_page(golden):
    book = book_of(FAIR)
    golden("rulebooks/fair.en.md", markdown(book))
    golden("rulebooks/fair.en.html", page(book))


# --------------------------------------------------------------------------------- what is there


def test_each_form_of_the_language_is_in_the_example_and_has_words():
    """A form that is added is missing here until it stands in the example, and has its words."""
    loaded = read(FAIR)
    outline = loaded.outline
    found = {type(each).__name__ for each in parts(outline)}
    statements, expressions = typing.get_args(stmt.Statement), typing.get_args(s.Argument)
    # By name: classes with slots are made anew, and the first ones stay until they are collected.
    every = {each.__name__ for each in (*statements, *expressions, *d.BlockItem.__subclasses__())}
    assert every - found <= {"This"}
    assert book_of(FAIR).as_written == 0


def parts(outline):
    """Every node and step of a file."""

    def inside(part):
        if isinstance(part, s.Node | d.BlockItem):
            yield part
        if dataclasses.is_dataclass(part) and not isinstance(part, Span):
            for field in dataclasses.fields(part):
                yield from inside(getattr(part, field.name))
        elif isinstance(part, tuple):
            for each in part:
                yield from inside(each)

    sections = (outline.setup, outline.phases, outline.procedures, outline.functions)
    return inside((*sections, outline.actions, outline.scoring, outline.options))


def test_what_has_no_words_stands_as_it_is_written_and_is_counted():
    loaded = read(FAIR)
    game, _ = loaded.game()
    prose = Prose(Settled(loaded, game, Labels(game)))
    node = next(each for each in nodes(loaded.outline.setup) if isinstance(each, stmt.Shuffle))
    odd = s.Index(node.span, s.Number(node.span, 3), ())
    assert prose.value(odd, {}) == "‹shuffle row›"
    assert prose.unworded == 1


@pytest.mark.parametrize("name", ["pig", "tic_tac_toe"])
def test_a_shipped_game_has_a_book_in_every_language(name):
    for code in SHIPPED:
        book = book_of(ruleset_path(name), code)
        assert book.as_written == 0
        assert all(each.blocks or each.sections for each in book.sections)


@pytest.mark.slow
@pytest.mark.parametrize("name", ruleset_names())
def test_every_shipped_game_has_a_book_in_every_language(name):
    path = ruleset_path(name)
    loaded = read(path)
    for code in SHIPPED:
        for variant in (None, *loaded.variants):
            variants = () if variant is None else (variant,)
            book = book_of(path, code, variants=variants)
            assert book.as_written == 0, variant
            for text in texts(book):
                assert not re.search(r"<\w+>|\{\w+\}", text), text


def texts(part):
    """All texts of a book."""
    match part:
        case str():
            yield part
        case Book() | Section() | Paragraph() | Listing() | Item() | Table():
            for field in dataclasses.fields(part):
                yield from texts(getattr(part, field.name))
        case tuple():
            for each in part:
                yield from texts(each)


def test_the_book_is_that_of_the_game_that_is_asked_for():
    path = ruleset_path("brave_rats")
    plain, drafted = text_of(book_of(path)), text_of(book_of(path, variants=("draft",)))
    assert "takes four cards, keeps one" in drafted
    assert "keeps one" not in plain
    assert "packet" not in plain.partition("OPTIONS")[0]
    assert "has won 4 rounds" in plain
    fast = text_of(book_of(path, variants=("fast_rat",)))
    assert "has won 3 rounds" in fast
    assert "Chosen here: fast rat and target: 3." in " ".join(fast.split())
    assert "Chosen here" not in plain


def test_what_an_about_says_stands_for_the_rules():
    book = text_of(book_of(FAIR))
    assert "- Polish: Your ribbons shine.\n" in book
    told = b"rulerun: 1\ngame: g\nplayers: 2\nstate: {visible: all, n: 0..9}\n"
    told += b"phases: {p: {do: [step(), n = 5]}}\nprocedures: {step(): [n += 1, n += 2]}\n"
    assert "1. Step:\n   - Add 1 to the n." in text_of(book_of(told))
    told += b"words: {rules: {step: {name: go on, about: All go on.}}}\n"
    assert "Go on: All go on." in text_of(book_of(told))
    assert "Add 1" not in text_of(book_of(told))


def test_what_a_text_stands_for_keeps_what_has_texts():
    """Options and procedures with texts of their own are told behind it, the others are not."""
    told = b"""
rulerun: 1
game: told
players: 2
components: {card: {copies: 3, start: deck}}
zones: {deck: {of: card, visible: none}, pit: {of: card, visible: all}}
state: {visible: all, n: 0..9}
setup: [n = 3, move 1 from deck to pit]
phases: {play: {turns: you in players, until: n > 3, do: act()}}
actions:
  dig(1..2 depth): {in: deeds, when: may_dig, do: [n = depth, sink()]}
  rest(): {in: deeds, do: n = 8}
procedures:
  act():
    - n += 1
    - choose: [deeds]
      ask: You have <n>. What now?
  sink(): n = 5
functions: {may_dig: n == 4}
chapter solo:
  automa: bot
  instead for bot: {act(): n = 9}
words:
  players: {bot: {name: Bot, about: It does as it likes.}}
  phases: {setup: {about: Lay the cards out. Shuffle them well.}}
  actions: {dig: {name: "dig <depth> deep:", about: You dig.}}
  rules:
    act: {name: act, about: Do something.}
    sink: {name: sinking, about: All goes down.}
    may_dig: a spade
"""
    text = text_of(book_of(told))
    assert "1. Lay the cards out.\n2. Shuffle them well.\n" in text
    assert "Do something.\n- Dig … deep: You need a spade. You dig.\n" in text
    assert "Bot\n···\nIt does as it likes.\n" in text
    assert "Sinking\n·······\nAll goes down.\n" in text
    for silent in ("Rest", "Add 1", "What now", "becomes", "WORDS MEAN"):
        assert silent not in text, silent


def test_a_sentence_about_one_moment_of_play_is_left_out():
    told = b"""
rulerun: 1
game: g
players: 2
state: {visible: all, n: 0..9}
phases:
  p:
    turns: you in players
    until: n > 3
    do:
      - choose: {one: n += 1, two: n += 2}
        ask: "You have <n> coins. Which do you take?"
"""
    assert "Which do you take? You choose one" in text_of(book_of(told))


def test_a_module_that_is_off_is_left_out():
    told = b"""
rulerun: 1
game: g
players: 2
options: {more: {type: bool, default: false}}
state: {visible: all, n: 0..9}
phases: {p: {do: step()}}
procedures: {step(): n += 1}
chapter extra:
  when: more
  after step(): n += 3
  state: {visible: all, m: 0..5}
  setup: [m = 2]
"""
    off, on = (text_of(book_of(told, options={"more": each})) for each in ("false", "true"))
    assert "Add 3 to the n" in on and "The m becomes 2" in on
    assert "Add 3" not in off and "m becomes" not in off


def test_a_line_of_points_is_left_out_only_where_it_is_nothing():
    told = b"""
rulerun: 1
game: g
players: 2
options: {harsh: {type: bool, default: false}}
state:
  visible: all
  n[player]: 0..9
phases: {play: {do: pass}}
scoring:
  points(player p):
    kept: 0 if harsh and n[p] > 3 else n[p]
    extra: n[p] if harsh else 0
"""
    mild, harsh = (text_of(book_of(told, options={"harsh": each})) for each in ("false", "true"))
    assert "- Kept: Your n." in mild and "Extra" not in mild
    assert "- Kept: 0 if your n is more than 3, else your n." in harsh
    assert "- Extra: Your n." in harsh


def test_cases_with_one_answer_are_told_once():
    told = b"""
rulerun: 1
game: answers
players: 2
state: {visible: all, n: 0..9}
phases:
  play:
    until: is_far
    do: [n += 1]
functions:
  is_far:
    cases:
      n == 1: false
      n == 2: false
      n == 3: true
      n == 4: true
      else: true
"""
    text = text_of(book_of(told))
    assert "- The n is 1 or the n is 2: No.\n" in text and "Otherwise: Yes." in text
    assert "is 3" not in text and "is 4" not in text


def test_what_a_text_stands_for_keeps_its_places():
    """The zones of steps that a text replaces are told; what only they name is not."""
    told = b"""
rulerun: 1
game: replaced
players: 2
components: {card: {rows: {one: {copies: 3}}, start: deck}}
zones: {deck: {of: card, visible: none}, pit: {of: card, visible: all}}
state: {visible: all, n: 0..9}
phases: {play: {until: n == 3, do: [dig()]}}
procedures:
  dig():
    - move up to 1 from deck to pit
    - n += deep
functions: {deep: 1 if empty(pit) else 2}
words: {rules: {dig: {name: dig, about: Dig.}}}
"""
    text = text_of(book_of(told))
    assert "Play\n····\nAgain and again, until the n is 3.\nDig.\n" in text
    assert "- Pit:" in text and "- N:" in text
    assert "deep" not in text.casefold()


def test_a_rule_is_titled_as_it_is_called():
    told = b"""
rulerun: 1
game: titled
players: 2
state: {visible: all, n: 0..9}
phases: {play: {until: n == 9, do: [gain(1), gain(2)]}}
procedures: {"gain(0..9 m)": [n += m]}
words: {rules: {gain: "take <m> [coin|coins]"}}
"""
    text = text_of(book_of(told))
    assert "Take 1 coin." in text and "Take 2 coins." in text and "Take “m” coins\n" in text


# ------------------------------------------------------------------------------------- languages


TEXTS = [each for each in dataclasses.fields(RulePhrases) if each.type == "str"]
PATTERNS = [each.name for each in TEXTS]
MAY_DIFFER = {"name", "noun", "b", "c"}
"""A language may tell the name of what another calls `that card`, and who plays."""


def places(pattern):
    return set(re.findall(r"<(\w+)>", pattern))


@pytest.mark.parametrize("code", SHIPPED)
def test_the_patterns_of_a_language_say_what_those_of_the_others_do(code):
    english, other = rule_phrases("en"), rule_phrases(code)
    for name in PATTERNS:
        ours, theirs = getattr(english, name), getattr(other, name)
        assert theirs.strip() or name == "prepositions", name
        assert places(ours) ^ places(theirs) <= MAY_DIFFER, name
        assert theirs.count("[") == theirs.count("]"), name
    assert set(other.library) == set(english.library)
    for word, pattern in other.library.items():
        assert places(pattern) == places(english.library[word]), word


def test_every_word_of_the_library_can_be_told():
    fields = {each.name for each in dataclasses.fields(RulePhrases)}
    by_pattern = {"count", "empty", "any", "all", "those", *fields}
    by_pattern |= {each.removesuffix("_of") for each in fields}
    told = by_pattern | set(rule_phrases("en").library)
    assert WORDS - told == set()
    assert set(rule_phrases("en").library) <= set(LIBRARY)


def test_no_pattern_is_left_over():
    folder = Path(rulerun.rulebook.__file__).parent
    code = "".join(each.read_text(encoding="utf-8") for each in folder.rglob("*.py"))
    for name in PATTERNS:
        stem = name.removesuffix("_of").removesuffix("_among")
        assert re.search(rf"\bt\.{name}\b|\"{name}\"|\"{stem}\"", code), name


def test_a_language_that_lacks_a_pattern_is_none():
    values = {each: "x" for each in PATTERNS if each != "stop"}
    with pytest.raises(TypeError, match="stop"):
        RulePhrases(**values, library={}, contractions=())


# ----------------------------------------------------------------------------------- what is safe


HOSTILE = """
rulerun: 1
game: hostile
title: "<script>alert(1)</script> & \\e[2J"
about: "<img src=x> | **bold** [link](http://x) `code`"
players: [ann, bob]
options:
  odd: {type: bool, default: false, about: "<</p><<b onload='x'>"}
variants:
  v: {about: "<<i>v<</i>", odd: true}
sources: {book: "<a href='x'>book</a>"}
components:
  card:
    rows: {one: {about: "<<u>text"}, two: {about: "# head"}}
    start: deck
zones:
  deck: {of: card, order: random, visible: none}
  hand[player]: {of: card, visible: owner}
state: {visible: all, n: {type: 0..3, assumed: "<em>why</em>"}}
phases:
  play:
    for: you in players
    do:
      - move 1 from deck to hand
      - choose: c in hand
        ask: "<you>: <</li><<script>"
      - choose:
          more: n += 1
        ask: "1. &lt; <n>"
constraints: [{never: odd and count(players) == 3, say: "<s>never</s>"}]
words:
  players: {ann: "<<b>Ann<</b>", bob: "Bob\\u202e"}
  zones: {hand: "<<h1>hand<</h1>"}
  components: {card: {name: "<<td>card", plural: "cards<</td>"}}
  actions: {more: {name: "<<q>more", about: "<<q>about"}}
  phases: {play: {name: "<<video>"}}
"""


class Tags(HTMLParser):
    """The tags and texts of a page."""

    def __init__(self):
        super().__init__()
        self.tags = []
        self.told = ""

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        assert {name for name, _ in attrs} <= ALLOWED_ATTRIBUTES, (tag, attrs)

    def handle_data(self, data):
        self.told += data


ALLOWED_TAGS = set(
    "html head meta title style body main h1 h2 h3 h4 h5 h6 p nav a ul ol li strong div table "
    "thead tbody tr th td".split()
)
ALLOWED_ATTRIBUTES = {"lang", "charset", "name", "content", "id", "href", "class", "scope"}


def test_nothing_of_a_file_is_markup_in_the_page():
    book = book_of(HOSTILE.encode())
    read = Tags()
    read.feed(page(book))
    assert set(read.tags) <= ALLOWED_TAGS
    assert read.tags.count("h1") == 1 and read.tags.count("script") == 0
    for told in (
        "<script>alert(1)</script>",
        "<img src=x>",
        "<b>Ann</b>",
        "<h1>hand</h1>",
        "<u>text",
        "<video>",
    ):
        assert told in read.told, told
    written = text_of(book) + markdown(book) + page(book)
    assert "\x1b" not in written and "\u202e" not in written


def test_nothing_of_a_file_is_a_sign_of_markdown():
    written = markdown(book_of(HOSTILE.encode()))
    assert r"\<script\>alert(1)\</script\>" in written
    assert r"\| \*\*bold\*\* \[link\](http://x) \`code\`" in written
    assert "<" not in written.replace(r"\<", "")
    # A text that begins like a list is none.
    assert markdown(Book("t", "en", (Paragraph("- x"), Paragraph("1. y")), ())) == (
        "# t\n\n\\- x\n\n\\1. y\n"
    )


# ------------------------------------------------------------------------------------- on a screen


@pytest.mark.parametrize("width", [40, 80])
def test_no_line_is_wider_than_asked(width):
    assert all(len(line) <= width for line in lines(book_of(FAIR), width))


def test_a_table_that_is_too_wide_is_a_list():
    table = Table(("name", "does"), (("a" * 30, "some words that go on"), ("b", "")))
    book = Book("t", "en", (table,), ())
    wide = f"- {'a' * 30}: does:"
    assert lines(book, 40)[3:] == [wide, "  some words that go on", "- b"]


def test_what_the_rules_say_about_a_word():
    item = Item("They lie in the deck.", "Cards")
    book = Book(
        "Rules",
        "en",
        (Paragraph("Not the opening, though it has a deck."),),
        (
            Section("Set-up", (Paragraph("Shuffle the deck."), Paragraph("Bedeck yourself."))),
            Section("Play", (), (Section("The deck", (Paragraph("It is a pile."),)),)),
            Section(
                "Words",
                (
                    Listing((Item("", "Things", (item, Item("Nothing.", "Air"))), Item("No."))),
                    Table(("name", "does"), (("wolf", "eats"), ("deck", "lies"))),
                ),
            ),
        ),
    )
    told = lines(passages(book, "DECK"), 60)
    card = "  - Cards: They lie in the deck."
    for kept in ("Shuffle the deck.", "It is a pile.", "- Things:", card):
        assert kept in told, kept
    for left in ("Bedeck", "opening", "Air", "wolf", "No."):
        assert not any(left in line for line in told), left
    assert passages(book, "dragon").sections == ()


# ------------------------------------------------------------------------------- in one language


def labels_in(path, code):
    """The names of a game for a reader of a language, with the texts it has in that, if any."""
    loaded = read(path)
    game, _ = loaded.game()
    words = None
    texts = files_of_texts(path).get(code)
    if texts is not None:
        words, _, _ = translation(loaded, game, texts)
    return game, labels_for(game, code, words)


def test_a_book_without_texts_in_the_language_is_whole_in_that_of_the_rules():
    game, labels = labels_in(FAIR, "de")
    book = book_for(read(FAIR), game, labels)
    note, *opening = book.opening
    assert note == Paragraph(rule_phrases("de").no_texts)
    assert dataclasses.replace(book, opening=tuple(opening)) == book_of(FAIR)


def test_a_book_with_texts_in_the_language_needs_no_note():
    path = ruleset_path("brave_rats")
    for code in ("en", "fr"):
        game, labels = labels_in(path, code)
        assert book_for(read(path), game, labels) == book_of(path, code)


def test_values_of_options_are_called_what_their_option_calls_them():
    said = text_of(book_of(ruleset_path("ruse"), players=2)).replace("\n  ", " ")
    # `pass_only` is a value of another option as well.
    about = "Whether landing on an orange square crosses it."
    assert f"- Landing on an orange square: {about} Yes or no" in said


# ------------------------------------------------------------------------- texts of the scoring


SCORED = """
rulerun: 1
game: scored
players: 2
state:
  visible: all
  coins[player]: 0..9
  rank[player]: 0..9
phases:
  play:
    for: you in players
    do: coins += 1; rank += 1
scoring:
  points(player p):
    coins: coins[p] * 2
    rank: rank[p]
  ties(player p): rank[p]
  out(player p): coins[p] == 0
words:
  scoring:
    coins: {name: money, about: Two for each coin.}
    ties: {about: The higher rank is better.}
    out: {about: Who has no coin is out.}
"""


def test_texts_about_the_scoring_stand_in_place_of_its_expressions():
    said = text_of(book_of(SCORED.encode()))
    assert "- Money: Two for each coin.\n- Rank: Your rank.\n" in said
    for text in ("The higher rank is better.", "Who has no coin is out."):
        assert text in said.replace("\n", " ")
    assert "decides" not in said and "cannot win" not in said


def test_a_text_about_the_winner_stands_in_its_place():
    rules = SCORED.replace("scoring:\n  points", "scoring:\n  winner: lowest coins\n  points", 1)
    rules = rules.replace("    ties: {", "    winner: {about: The poorest wins.}\n    ties: {")
    said = text_of(book_of(rules.encode()))
    assert "The poorest wins." in said and "lowest" not in said


def test_only_what_the_scoring_has_may_have_a_text():
    rules = SCORED.replace("    ties: {", "    winner: {about: It is won.}\n    ties: {")
    loaded = read(rules.encode())
    _, found = loaded.game()
    assert [each.code for each in found] == ["RR0402"]
