"""What people read: names, texts, the story of the log, other languages, and what is wrong in them.

The orchard stands on the page of words as well; here it is played and spoiled.
"""

from __future__ import annotations

import dataclasses
import io
import re
from pathlib import Path

import pytest
from tests.playing import game_of as game_of_text
from tests.rulesets import SHIPPED as RULESETS
from tests.rulesets import read

from rulerun.reference.executor import Reference
from rulerun.runtime.phrases import (
    OTHER,
    SELF,
    SEVERAL,
    Filling,
    Said,
    assembled,
    filled,
    places,
    template_of,
)
from rulerun.session.session import Session
from rulerun.terminal.commands import Commands
from rulerun.terminal.ending import ending
from rulerun.terminal.evening import Evening
from rulerun.terminal.formatting import Paint
from rulerun.terminal.menu import Menu
from rulerun.terminal.screen import Screen
from rulerun.views.observation import Standing
from rulerun.views.observe import SPECTATOR, observe
from rulerun.web.scene import Stage
from rulerun.words.labels import Labels
from rulerun.words.language import SHIPPED, UnknownLanguage, language
from rulerun.words.narration import Narrator
from rulerun.words.outcomes import headline
from rulerun_dsl.load import load
from rulerun_dsl.model import Choose, Game, Say, Words
from rulerun_dsl.translations import files_of_texts, rules_of, translation

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "language" / "words.md"

pytestmark = pytest.mark.skipif(not PAGE.is_file(), reason="the pages are not in the wheel")

_BLOCK = re.compile(r"^```yaml (?:texts )?file=(\S+)\n(.*?)^```$", re.M | re.S)


@pytest.fixture
def orchard(tmp_path: Path) -> Path:
    for name, text in _BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / "orchard.yaml"


def game_of(path: Path, **options: str) -> Game:
    loaded, found = load(path)
    assert loaded is not None, found
    game, found = loaded.game(2, options)
    assert game is not None, found
    return game


def spoiled(path: Path, before: str, after: str) -> list[str]:
    """The codes that are found once something is put otherwise."""
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1
    path.write_text(text.replace(before, after), encoding="utf-8")
    loaded, found = load(rules_of(path) or path)
    if loaded is None:
        return [each.code for each in found]
    game, more = loaded.game(2)
    if game is None or path.parent.name != "texts":
        return [each.code for each in more]
    return [each.code for each in translation(loaded, game, path)[1]]


def in_french(path: Path, **options: str) -> tuple[Game, Words]:
    loaded, _ = load(path)
    assert loaded is not None
    game, _ = loaded.game(2, options)
    assert game is not None
    words, found, missing = translation(loaded, game, files_of_texts(path)["fr"])
    assert words is not None and not found and not missing
    return game, words


def log(game: Game, words: Words | None, viewer: int, *typed: str) -> list[str]:
    session = Session(Reference(game), {}, 1, automatic=False)
    session.advance()
    for answer in typed:
        session.submit(session.asked[0], answer)
        session.advance()
    narrator = Narrator(Labels(game, words), game.players[viewer])
    return [each.text for each in narrator.tell(session.log(viewer))]


# ------------------------------------------------------------------------------------- phrases


def values(**given: Filling):
    return lambda name: given[name]


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("<n> [card|cards]", "1 card"),
        ("<m> [card|cards]", "3 cards"),
        ("There [is|are] <m>.", "There are 3."),
        ("<you> [take|takes|take] <n>", "you take 1"),
        ("<bob> [take|takes|take]", "Bob takes"),
        ("<all> [take|takes|took]", "all took"),
        ("<all> [take|takes]", "all take"),
        ("a[ and <zero> more].", "a."),
        ("a[ and <n> [thing|things]].", "a and 1 thing."),
        ("3 << 4, <n>", "3 < 4, 1"),
        ("[<zero>]", ""),
        ("an ] end", "an ] end"),
    ],
)
def test_a_template_is_filled(template, said):
    found = filled(
        template,
        values(
            n=Filling("1", SELF),
            m=Filling("3", OTHER),
            zero=Filling("0", OTHER, False),
            you=Filling("you", SELF),
            bob=Filling("Bob", OTHER),
            all=Filling("all", SEVERAL),
        ),
    )
    assert found == said
    assert assembled([said]) == said or "[" in said


def test_values_are_found_inside_brackets_and_calls():
    text = "<a> [<count(x in y if (x))>] << <b > [<c < (d > e)>]"
    assert list(places(text)) == ["a", "count(x in y if (x))", "b", "c < (d > e)"]


def test_a_sentence_of_the_model_is_as_it_is_written(orchard):
    game = game_of(orchard)
    say = next(each for each in game.code if isinstance(each, Say))
    assert template_of(say.parts) == "<you> [have|has] picked the last one."


# --------------------------------------------------------------------------------------- texts


def test_a_text_says_what_an_edit_changed(orchard):
    assert "of cider, from two apples, is worth 2." in Labels(game_of(orchard)).details(
        "fruit", "apple"
    )
    text = orchard.read_text(encoding="utf-8")
    orchard.write_text(text.replace("apple: {worth: 1", "apple: {worth: 3"), encoding="utf-8")
    names = Labels(game_of(orchard, cider="3"))
    assert names.details("fruit", "apple").startswith("Worth 3.")
    assert names.details("fruit", "apple").endswith("is worth 3.")


def test_words_are_no_rules(orchard):
    """Nothing that people read is in the fingerprint, nor a step that only says something."""
    one, _ = load(orchard)
    text = orchard.read_text(encoding="utf-8")
    start = text.index("      - if: empty(tree)\n")
    text = text[:start] + text[text.index("\nscoring:") :]
    text = text[: text.index("\nwords:")].replace(", about: Worth <worth>.", "")
    orchard.write_text(text, encoding="utf-8")
    other, _ = load(orchard)
    assert one is not None and other is not None
    assert one.fingerprint == other.fingerprint
    assert one.former_fingerprints != other.former_fingerprints


def test_the_log_tells_the_story(orchard):
    game = game_of(orchard)
    mine = log(game, None, 0, "pick", "pick")
    theirs = log(game, None, 1, "pick", "pick")
    assert mine[0] == "Harvest"
    thing = r"the (apple|pear) \d"
    assert re.fullmatch(rf"You pick {thing}; P2 picks {thing}\.", mine[1])
    assert re.fullmatch(rf"P1 picks {thing}; you pick {thing}\.", theirs[1])
    assert not any("turns left" in each for each in mine), "silent is silent"


def test_a_value_is_told_with_its_forms(orchard):
    game = game_of(orchard)
    session = Session(Reference(game), {}, 0, automatic=False)
    session.advance()
    while session.asked and not session.over:
        legal = [each.text for each in session.observation(session.asked[0]).actions]
        session.submit(session.asked[0], "press" if "press" in legal else "pick")
        session.advance()
    narrator = Narrator(Labels(game), "P1")
    told = [each.text for each in narrator.tell(session.log(0))]
    pressed = [each for each in told if "barrel" in each]
    assert pressed and all(
        re.fullmatch(r"(You press a barrel and have|P2 presses a barrel and has) \d\.", each)
        for each in pressed
    )


# ----------------------------------------------------------------------------------- languages


@pytest.mark.parametrize(
    ("players", "viewer", "said"),
    [
        (["P1", "P2"], "P1", "vous et P2 n'avez plus rien"),
        (["P1", "P2"], "", "P1 et P2 n'ont plus rien"),
        (["P1"], "P1", "vous n'avez plus rien"),
        (["P2"], "P1", "P2 n'a plus rien"),
    ],
)
def test_a_verb_agrees_with_you_among_several(orchard, players, viewer, said):
    game, words = in_french(orchard)
    names = Labels(game, words)
    assert names.sentence("<p> n'[avez|a|ont] plus rien", [players], viewer) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("la carte de Anna", "la carte d'Anna"),
        ("le Espion que Anna a vu", "l'Espion qu'Anna a vu"),
        ("jusque ici", "jusqu'ici"),
        ("la oie", "l'oie"),
        ("de Bob", "de Bob"),
        ("de a1", "de a1"),
        ("le onzième", "le onzième"),
    ],
)
def test_what_meets_in_french_runs_together(text, said):
    assert language("fr").contracted(text) == said
    assert language("en").contracted(text) == text


def test_another_language_has_every_sentence(orchard):
    game, words = in_french(orchard, cider="3")
    names = Labels(game, words)
    assert names.title == "Le verger" and names.speech.code == "fr"
    assert names.details("fruit", "apple").endswith("vaut 3.")
    told = log(game, words, 0, "pick", "pick")
    assert told[0] == "Récolte"
    thing = r"(pomme|poire) \d"
    assert re.fullmatch(rf"Vous cueillez {thing} ; P2 cueille {thing}\.", told[1])
    session = Session(Reference(game), {}, 1, automatic=False)
    session.advance()
    question = session.observation(0).question
    assert isinstance(question, Said)
    assert names.said(question) == "Que faites-vous ? Il reste 9 fruits sur l'arbre."


def test_what_is_not_said_in_a_language_is_said_as_in_the_rules(orchard):
    path = files_of_texts(orchard)["fr"]
    text = path.read_text(encoding="utf-8")
    text = text.replace("zones: {tree: arbre, basket: panier}\n", "")
    path.write_text(text.replace("{name: cidre, about: Ce", "{about: Ce"), encoding="utf-8")
    loaded, _ = load(orchard)
    assert loaded is not None
    game, _ = loaded.game(2)
    assert game is not None
    words, found, missing = translation(loaded, game, path)
    assert words is not None and not found
    assert missing == ("option cider", "zone tree", "zone basket")
    assert Labels(game, words).zone("tree") == "tree"


@pytest.mark.parametrize("code", SHIPPED)
def test_every_language_has_every_command(code):
    found = language(code)
    assert found.commands.keys() == language("en").commands.keys()
    spoken = [word for word, _ in found.commands.values()]
    assert len(set(spoken)) == len(spoken)
    assert found.undo_not.keys() == language("en").undo_not.keys()
    for field in dataclasses.fields(found):
        said, plain = getattr(found, field.name), getattr(language("en"), field.name)
        if isinstance(said, str):
            names = set(re.findall(r"\{\w+\}", said))
            assert names <= set(re.findall(r"\{\w+\}", plain)) | {"{zone}"}, field.name


def test_no_other_language_is_shipped():
    with pytest.raises(UnknownLanguage, match="there are en, fr, de"):
        language("tlh")


# ------------------------------------------------------------------------------- what is wrong


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ("state:\n    barrels: barrels of", "state:\n    barrls: barrels of", "RR0402"),
        ("Worth <worth>. A barrel", "Worth <wort>. A barrel", "RR0402"),
        ("is worth <cider>.", "is worth <turns_left>.", "RR0752"),
        ("    turns_left: silent", "    turns_lef: silent", "RR0402"),
        ("tree to basket: <owner>", "tree to baskt: <owner>", "RR0402"),
        ("tree to basket: <owner>", "tree into basket: <owner>", "RR0409"),
        ("[pick|picks] <what>.", "[pick|picks] <wat>.", "RR0402"),
        ("press: {name: press two", "pres: {name: press two", "RR0402"),
        ("fruit: {name: fruit, plural", "fruit: {nam: fruit, plural", "RR0201"),
        ("words:\n", "words:\n  zone: {tree: tree}\n", "RR0201"),
        ("    fruit: {name: fruit, plural", "    tree: {name: fruit, plural", "RR0402"),
    ],
)
def test_wrong_words_are_found(orchard, before, after, code):
    assert set(spoiled(orchard, before, after)) == {code}


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ("texts: orchard", "texts: garden", "RR0754"),
        ("language: fr", "language: de", "RR0754"),
        ("zones: {tree: arbre", "zones: {treee: arbre", "RR0402"),
        ("Il reste <count(tree)>", "Il reste <count(basket)>", "RR0752"),
        ("  <owner> [pick|picks] <what>.:", "  <owner> [picks|pick] <what>.:", "RR0753"),
        ("phases: {harvest: récolte}", "phase: {harvest: récolte}", "RR0201"),
        ("Vaut <worth>. Un", "Vaut <worht>. Un", "RR0402"),
    ],
)
def test_wrong_texts_are_found(orchard, before, after, code):
    assert set(spoiled(files_of_texts(orchard)["fr"], before, after)) == {code}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Sour[<cider == 2>, and <cider> a barrel].", "Sour, and 2 a barrel."),
        ("Sour[<cider != 2>, and <cider> a barrel].", "Sour."),
        ("Sour[<cider == 2>: <cider> [barrel|barrels]][<cider == 9>!].", "Sour: 2 barrels."),
        ("Sour[ly] [<cider == 2>and [<cider == 3>not ]sweet].", "Sour[ly] and sweet."),
        ("Sour[<cider < 3>: <cider>][<cider <= 1>!][<(cider > 2)>?].", "Sour: 2."),
        ("Sour: <cider == 2>.", "Sour: true."),
        ("Sour: <those(n in 1..4 if n != cider)>.", "Sour: 1, 3 and 4."),
        ("Sour: <those(n * cider for n in 1..2)>, <those(n in 1..1)>.", "Sour: 2 and 4, 1."),
        ("Sour: <those(f in fruit kind if f is pear)>.", "Sour: pear."),
    ],
)
def test_a_text_leaves_out_what_the_settings_decide_against(orchard, text, said):
    rules = orchard.read_text(encoding="utf-8")
    orchard.write_text(
        rules.replace("Worth <worth>. A barrel of cider, from two apples, is worth <cider>.", text),
        encoding="utf-8",
    )
    assert Labels(game_of(orchard)).about("row fruit apple") == said


def test_two_texts_for_one_thing(orchard):
    assert spoiled(orchard, "words:\n", "words:\n  options: {cider: Barrels.}\n") == ["RR0403"]


@pytest.mark.parametrize("code", ["RR0753", "RR0754"])
def test_the_pages_of_what_is_wrong_in_texts(orchard, code):
    page = (PAGE.parent.parent / "diagnostics" / f"{code}.md").read_text(encoding="utf-8")
    wrong, right = re.findall(r"^```yaml\n(.*?)^```$", page, re.M | re.S)
    loaded, _ = load(orchard)
    assert loaded is not None
    game, _ = loaded.game(2)
    assert game is not None
    path = files_of_texts(orchard)["fr"]
    for text, codes in ((wrong, [code]), (right, [])):
        path.write_text(text, encoding="utf-8")
        assert [each.code for each in translation(loaded, game, path)[1]] == codes


# ------------------------------------------------------------------------------------ at a table


class Typed(io.StringIO):
    """A terminal at which somebody types."""

    def isatty(self) -> bool:
        return True


def test_an_evening_turns_the_seats_and_counts(orchard):
    names = Labels(game_of(orchard))
    out = Typed()
    evening = Evening({0: "human", 1: "easy"})

    def nothing(answer: str) -> None:
        raise AssertionError(answer)

    standing = Standing("P1", 1, True, "1", 3, ())
    lost = dataclasses.replace(standing, place=2, winner=False)
    evening.count((standing, lost))
    assert evening.score(names) == "Games won this evening: P1 (you) 1, P2 (a bot, easy) 0."
    assert evening.go_on(Screen(Typed("r\n"), out), names, nothing)
    assert "The seats have turned: you were P1 and are P2 now." in out.getvalue()
    assert evening.now() == {0: "easy", 1: "human"}
    evening.count((standing, lost))
    evening.count((standing, standing))
    # The names are those of the seats of now, with who sits there.
    assert evening.score(names) == "Games won this evening: P1 (a bot, easy) 3/2, P2 (you) 3/2."
    assert evening.go_on(Screen(Typed("n\n"), out), names, nothing)
    assert evening.now() == {0: "easy", 1: "human"}
    assert not evening.go_on(Screen(Typed("\n"), out), names, nothing)


def test_another_game_is_asked_until_somebody_answers(orchard):
    names = Labels(game_of(orchard))
    obeyed: list[str] = []
    out = Typed()
    evening = Evening({0: "human", 1: "human"})
    after = obeyed.append
    assert evening.go_on(Screen(Typed("log\nrules cider\nr\n"), out), names, after)
    assert obeyed == ["log", "rules cider"]
    assert "who was P2 is P1 now" in out.getvalue()
    for end in ("q", "no", "quit", "exit", ""):
        assert not evening.go_on(Screen(Typed(f"{end}\n"), Typed()), names, after)
    assert not evening.go_on(Screen(Typed(""), Typed()), names, after), "the input has ended"


def test_commands_have_a_word_in_each_language():
    commands = Commands(language("fr"))
    assert commands.parse("annuler Paul") == ("undo", "Paul")
    assert commands.parse("undo") == ("undo", "")
    assert commands.parse(":journal") == ("log", "")
    assert commands.parse("?  pick") == ("?", "pick")
    assert commands.parse("cueillir") == ("", "")
    assert any(line.startswith("  annuler") for line in commands.help(80))


@pytest.mark.parametrize(
    ("typed", "shown", "asked"), [("\n\n", 20, 2), ("q\n", 9, 1), (" \n", 9, 1), ("", 9, 1)]
)
def test_what_is_long_is_read_screen_by_screen(typed, shown, asked):
    out = Typed()
    screen = Screen(Typed(typed), out)
    screen.height = 10
    screen.read([f"line {at}" for at in range(20)], "more")
    assert out.getvalue().count("line") == shown and out.getvalue().count("more") == asked


def test_a_command_between_two_pages_is_told_and_an_interrupt_ends_the_page(monkeypatch):
    screen = Screen(Typed("rules wolf\n"), Typed())
    screen.height = 10
    lines = [f"line {at}" for at in range(20)]
    assert screen.read(lines, "more") == "rules wolf"

    def interrupted(prompt: str, *, afresh: bool) -> str:
        raise KeyboardInterrupt

    screen = Screen(Typed(), out := Typed())
    screen.height = 10
    monkeypatch.setattr(screen, "ask", interrupted)
    assert screen.read(lines, "more") == ""
    assert out.getvalue().count("line") == 9


def test_who_reads_a_pipe_reads_all_of_it():
    out = Typed()
    Screen(io.StringIO(), out).read([f"line {at}" for at in range(200)], "more")
    assert "more" not in out.getvalue() and out.getvalue().count("line") == 200


PASSING = """
rulerun: 1
game: several
players: 2
components:
  card: {rows: [ace, king, queen, jack, ten], each: player, start: hand}
zones:
  hand[player]: {of: card, visible: owner}
  out[player]: {of: card, visible: none}
state:
  visible: all
  bid[player]: 0..40
phases:
  play:
    for: you in players
    do:
      - choose: 2..3 given in hand
        ask: Which do you pass?
      - move given to out
      - choose:
          raise(1..40 n): bid = n
          pass: pass
        ask: Your bid?
"""


def menu_of(text: str, *typed: str) -> Menu:
    loaded, found = load(text.encode(), "several.yaml")
    assert loaded is not None, found
    game, found = loaded.game(2)
    assert game is not None, found
    session = Session(Reference(game), {}, 1, automatic=False)
    session.advance()
    for answer in typed:
        session.submit(session.asked[0], answer)
        session.advance()
    return Menu(Labels(game), session.observation(session.asked[0]).actions)


def test_of_choices_of_several_the_things_are_listed():
    menu = menu_of(PASSING)
    assert len(menu.entries) == 20 and not menu.shown
    assert menu.lines(80, Paint()) == [
        "  1 ace   2 king   3 queen   4 jack   5 ten",
        "  Type 2..3 of them, as in `1 2`.",
    ]
    for answer in ("1 3", "3, 1", "ace, queen", "queen + ace", "ace + queen"):
        assert [each.action.text for each in menu.find(answer)] == ["ace + queen"], answer
    assert not menu.find("1") and not menu.find("1 1") and not menu.find("1 6")


def test_numbers_are_a_range():
    menu = menu_of(PASSING, "ace + queen")
    assert menu.lines(80, Paint()) == ["  1 pass", "  raise 1..40"]
    assert [each.action.text for each in menu.find("raise 17")] == ["raise(17)"]
    assert [each.action.text for each in menu.find("1")] == ["pass"]


def test_what_was_probably_meant():
    menu = menu_of(PASSING, "ace + queen")
    assert menu.near("pas", []) == "pass"
    assert menu.near("rasie 17", []) == "raise 17"
    assert menu.near("lgo", ["log"]) == "log"
    assert menu.near("xyzzy", ["log"]) == ""


def test_what_is_taken_back_is_no_base_of_a_change():
    rules = b"""
rulerun: 1
game: change
players: 1
components: {coin: {copies: 2, state: {side: 0..3}, start: purse}}
zones: {purse: {of: coin, visible: all}}
state: {visible: all, gold: 0..9 = 4}
phases:
  p:
    turns: you in players
    until: gold > 8
    do:
      - choose: {earn: gold += 3, pay: gold -= 1, turn: c.side = 2 for c in coin}
story:
  values: {gold: "Gold <value> (<change>).", coin.side: silent}
  choices: {earn: silent, pay: silent, turn: silent}
"""
    loaded, _ = load(rules)
    assert loaded is not None
    game, found = loaded.game()
    assert game is not None, found
    session = Session(Reference(game), {}, 1, automatic=False)
    session.submit(0, "earn")
    session.undo(0)
    session.submit(0, "pay")
    session.submit(0, "turn")
    told = [each.text for each in Narrator(Labels(game), "P1").tell(session.log(0))]
    assert told == ["P", "Gold 7 (+3).", "You take back earn.", "Gold 3 (-1)."]


def test_the_name_of_an_action_that_is_offered_with_arguments():
    """What the choice gives is no value of the action, and cannot be named."""
    rules = """
rulerun: 1
game: given
players: 1
types: {tile: [left, right], track: [red, blue]}
state:
  visible: all
  at[track]: 0..9
phases:
  p:
    turns: you in players
    until: at[red] > 3
    do:
      - choose: [step(left)]
actions:
  step(tile here, track where):
    - if: here is left
      then: at[where] += 1
words:
  actions: {step: "step on the PLACE track"}
"""
    loaded, _ = load(rules.replace("PLACE", "<where>").encode())
    assert loaded is not None
    game, found = loaded.game()
    assert game is not None, found
    labels = Labels(game)
    every = [labels.action(action) for action in range(game.number_of_actions)]
    assert every == ["step on the red track", "step on the blue track"]
    loaded, _ = load(rules.replace("PLACE", "<here>").encode())
    assert loaded is not None
    game, found = loaded.game()
    assert game is None and [each.code for each in found] == ["RR0402"]


@pytest.mark.parametrize("path", RULESETS, ids=lambda path: path.stem)
def test_every_action_of_a_shipped_game_has_a_name_in_each_language(path: Path) -> None:
    loaded = read(path)
    game, _ = loaded.game()
    assert game is not None
    every = [game.words]
    for texts in files_of_texts(path).values():
        words, _, _ = translation(loaded, game, texts)
        assert words is not None
        every.append(words)
    for words in every:
        labels = Labels(game, words)
        for type_ in game.actions:
            if type_.size:
                said = labels.action(type_.base)
                assert said and "<" not in said


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("points(player p): n", "The game is not won."),
        ("returns(player p): n - 1", "The game is over."),
    ],
)
def test_a_game_for_one_that_is_not_won_is_no_draw(lines, said):
    rules = f"""
        rulerun: 1
        game: patience
        players: 1
        state: {{visible: all, n: 0..3}}
        setup: [n = 2, end game won by none]
        scoring: {{{lines}}}
    """
    executor = Reference(game_of_text(rules))
    seen = observe(executor, executor.initial().state, 0)
    assert seen.result is not None
    assert headline(seen.result, Labels(executor.game)) == said


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("winner: those(p in players if n == 3)", "The game is not won."),
        ("winner: those(p in people if won)", "The game is not won."),
        ("winner: those(p in players if n == 2)", "Everybody wins together."),
        (
            "winner: those(p in players if n == 3)\n          returns(player p): n - 1",
            "The game is over.",
        ),
        ("winner: those(p in players if own[p] == 3)", "Nobody wins: the game is a draw."),
        ("winner: those(p in players if leads(p))", "Nobody wins: the game is a draw."),
        ("winner: none", "Nobody wins: the game is a draw."),
    ],
)
def test_a_game_that_all_win_or_nobody_is_lost_and_no_draw(lines, said):
    rules = f"""
        rulerun: 1
        game: rescue
        players: 2
        state:
          visible: all
          n: 0..3
          own[player]: 0..3
        functions:
          won: n == 3
          leads(player p): own[p] > n
        setup:
          - n = 2
          - own[all] = 1
          - end game if not won or any(leads(p) for p in players)
        scoring:
          {lines}
    """
    executor = Reference(game_of_text(rules))
    seen = observe(executor, executor.initial().state, 0)
    assert seen.result is not None
    assert headline(seen.result, Labels(executor.game)) == said


def test_who_is_out_is_told_why_at_a_terminal_and_in_a_browser():
    rules = """
        rulerun: 1
        game: duel
        players: [ann, bob]
        state:
          visible: all
          coins[player]: 0..9
        setup:
          - coins[bob] = 3
          - end game
        scoring:
          points(player p): coins[p]
          out(player p): coins[p] == 0
        words:
          scoring:
            out: {about: Who has no coin is out.}
    """
    executor = Reference(game_of_text(rules))
    seen = observe(executor, executor.initial().state, 1)
    names = Labels(executor.game)
    why = "Ann (out): Who has no coin is out."
    assert seen.result is not None
    assert why in "\n".join(ending(seen.result, names, 80, Paint(), "bob"))
    told = Stage(names).scene(seen, ())["result"]
    assert isinstance(told, dict) and told["reasons"] == [why]


HOT = """
rulerun: 1
game: hot
players: 1
visible: all
options:
  hot: {type: bool, default: false}
state:
  n: 0..3
phases:
  play:
    until: n >= 2
    turns: you in players
    do:
      - choose: {go: n += 1, stay: n += 1}
        ask: "[<hot and n == 1>It is hot. ]Where?"
      - say: "[<not hot or n == 1>All is well]."
"""


@pytest.mark.parametrize("hot", ["true", "false"])
def test_a_translation_knows_a_sentence_whatever_the_options_leave_of_it(hot):
    loaded, found = load(HOT.encode(), "hot.yaml")
    assert loaded is not None, found
    game, found = loaded.game(1, {"hot": hot})
    assert game is not None, found
    said = {template_of(each.parts) for each in game.code if isinstance(each, Say)}
    asked = {template_of(each.ask) for each in game.code if isinstance(each, Choose)}
    assert said == {"[<not hot or n == 1>All is well]."}
    assert asked == {"[<hot and n == 1>It is hot. ]Where?"}


def test_a_card_that_is_laid_in_secret_is_not_said_to_lie_open():
    """Brave Rats says in its headline what somebody laid open after a Spy."""
    path = next(path for path in RULESETS if path.stem == "brave_rats")
    game, _ = read(path).game()
    assert game is not None
    session = Session(Reference(game))
    before = session.observation(0).headline
    session.submit(0, session.executor.legal(session.state, 0)[0])
    assert session.observation(0).headline == before


DEAL = """
rulerun: 1
game: deal
players: [ann, bob, cy]
components:
  card:
    has: {worth: 1..9}
    rows: {rose: 1, ruby: 2, lake: 3, leaf: 4, moon: 5, star: 6}
    start: deck
zones:
  deck: {of: card, order: random, visible: none}
  hand[player]: {of: card, visible: SEEN}
setup: move 2 from deck to hand[p] for p in players
phases:
  play: {turns: you in players, until: empty(deck), do: {choose: {go: pass}}}
scoring:
  points(player p): sum(c.worth for c in hand[p])
story:
  moves: {deck to hand: "STORY"}
"""


@pytest.mark.parametrize(
    ("story", "seen", "viewer", "said"),
    [
        (
            "<owner> [draw|draws] <what>.",
            "owner",
            0,
            "Everybody draws 2 cards; you draw lake 3 and moon 5.",
        ),
        ("<owner> [draw|draws] <what>.", "owner", 3, "Everybody draws 2 cards."),
        (
            "Dealt to <owner>[: <list>].",
            "owner",
            0,
            "Dealt to everybody; dealt to you: lake 3 and moon 5.",
        ),
        (
            "<owner> [get|gets] <count> cards[; you get <list>].",
            "owner",
            0,
            "Everybody gets 2 cards; you get lake 3 and moon 5.",
        ),
        (
            "<owner> [get|gets] <count> cards[; you get <list>].",
            "all",
            3,
            "Everybody gets 2 cards.",
        ),
        (
            "<owner> [draw|draws] <what>.",
            "all",
            1,
            "Ann draws 2 cards (lake 3 and moon 5); you draw 2 cards (rose 1 and star 6); "
            "Cy draws 2 cards (ruby 2 and leaf 4).",
        ),
    ],
)
def test_of_a_deal_nobody_is_told_to_get_what_another_gets(story, seen, viewer, said):
    game = game_of_text(DEAL.replace("STORY", story).replace("SEEN", seen))
    session = Session(Reference(game), {}, 1, automatic=False)
    session.advance()
    reader = game.players[viewer] if viewer < 3 else ""
    told = Narrator(Labels(game), reader).tell(session.log(viewer if viewer < 3 else SPECTATOR))
    assert said in [each.text for each in told]


@pytest.mark.parametrize(
    ("code", "story", "said"),
    [
        (
            "de",
            "<owner>: <what>.",
            "Alle: 2 card; du: lake 3 und moon 5.",
        ),
        (
            "fr",
            "<owner> [piochez|pioche] <what>.",
            "Tout le monde pioche 2 cards ; vous piochez lake 3 et moon 5.",
        ),
    ],
)
def test_a_deal_is_told_apart_in_every_language(code, story, said):
    template = "<owner> [draw|draws] <what>."
    game = game_of_text(DEAL.replace("STORY", template).replace("SEEN", "owner"))
    words = dataclasses.replace(game.words, sentences=((template, story),), language=code)
    session = Session(Reference(game), {}, 1, automatic=False)
    session.advance()
    told = Narrator(Labels(game, words), "ann").tell(session.log(0))
    assert told[0].text == said
