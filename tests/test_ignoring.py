"""`# rulerun: ignore[CODE] reason`: what is answered, where, and what is said of the comment."""

from __future__ import annotations

import pytest

from rulerun_dsl.lint.suppressions import idle
from rulerun_dsl.load import load

RULES = """rulerun: 1
game: demo
players: 2
options:
  quick: {{type: bool, default: false}}
components:
  card: {{rows: {{ant: {{}}, bee: {{}}}}, start: deck}}
zones:
  visible: none
{deck}
  discard: {{of: card}}
setup: move (2 if quick else 1) from deck to discard
"""
DECK = "  deck: {of: card, order: stack, refill: discard}"


def found(deck: str) -> list[tuple[str, int]]:
    """What is said of a file whose deck is declared so: codes and lines."""
    loaded, first = load(RULES.format(deck=deck).encode(), "rules.yaml")
    assert loaded is not None, first
    game, more = loaded.game()
    assert game is not None
    last = idle(loaded.answers, loaded.answered, {"RR0720"})
    return [(each.code, each.span.line) for each in (*first, *more, *last) if each.span]


@pytest.mark.parametrize(
    "deck",
    [
        f"{DECK}  # rulerun: ignore[RR0720] it is turned over",
        f"  # rulerun: ignore[RR0720] it is turned over\n{DECK}",
        f"  # rulerun: ignore[RR0720] it is turned over\n  # and so on\n{DECK}",
        f"{DECK}  # rulerun: ignore [ RR0604,RR0720 ] it is turned over",
        "  deck: # rulerun: ignore[RR0720] it is turned over\n"
        "    {of: card, order: stack, refill: discard}  # rulerun: ignore[RR0720] here it counts",
    ],
)
def test_a_comment_answers_what_is_found_on_its_line(deck: str) -> None:
    rest = [each for each in found(deck) if each[0] != "RR0723"]
    assert not rest


@pytest.mark.parametrize(
    "deck",
    [
        f"  # rulerun: ignore[RR0720] too far away\n\n{DECK}",
        f"{DECK}\n  # rulerun: ignore[RR0720] below",
        f"{DECK}  # rulerun: ignore[RR0604] another finding",
        f'{DECK[:-1]}, about: "rulerun: ignore[RR0720] in a text"}}',
    ],
)
def test_nothing_else_is_answered(deck: str) -> None:
    assert "RR0720" in [code for code, _ in found(deck)]


@pytest.mark.parametrize(
    ("comment", "words"),
    [
        ("rulerun: ignore", "does not say in brackets which"),
        ("rulerun: ignore RR0720 it is turned over", "does not say in brackets which"),
        ("rulerun: ignore[RR0720]", "gives no reason"),
        ("rulerun: ignore[RR0702] unread", "has to be mended"),
        ("rulerun: ignore[RR0730] so", "no finding has the code"),
        ("Rulerun: ignore[RR0720] so", "in small letters"),
        ("rulerun : Ignore[RR0720] so", "the colon behind `rulerun`"),
    ],
)
def test_a_comment_that_is_no_answer_is_told(comment: str, words: str) -> None:
    _, first = load(RULES.format(deck=f"{DECK}  # {comment}").encode(), "rules.yaml")
    assert [each.code for each in first] == ["RR0722"]
    assert words in first[0].message


@pytest.mark.parametrize(
    ("comment", "help_"),
    [
        ("rulerun: ignore", "ignore[CODE] and why it is right as it is`, with the code"),
        ("rulerun: ignore RR0720 it is turned over", "ignore[RR0720] and why"),
        ("rulerun: ignore[rr720, RR0604]", "ignore[RR0720, RR0604] and why"),
        ("rulerun: ignore[RR9999] so", "did you mean"),
    ],
)
def test_the_help_names_the_codes_that_are_meant(comment: str, help_: str) -> None:
    _, first = load(RULES.format(deck=f"{DECK}  # {comment}").encode(), "rules.yaml")
    assert [each.code for each in first] == ["RR0722"]
    assert help_ in (first[0].help or "")


@pytest.mark.parametrize(
    ("codes", "help_"),
    [("RR0720", "take the comment out"), ("RR0604, RR0720", "take `RR0720` out")],
)
def test_what_answers_nothing_goes(codes: str, help_: str) -> None:
    deck = f"{DECK[:-1]}, reshuffle: true}}  # rulerun: ignore[{codes}] it is turned over"
    loaded, _ = load(RULES.format(deck=deck).encode(), "rules.yaml")
    assert loaded is not None
    loaded.game()
    left = idle(loaded.answers, loaded.answered, {"RR0720"})
    assert [each.help for each in left] == [help_]


def test_an_answer_to_nothing_is_told() -> None:
    deck = f"{DECK[:-1]}, reshuffle: true}}  # rulerun: ignore[RR0720] it is turned over"
    assert found(deck) == [("RR0723", 10)]


def test_a_module_answers_for_itself(tmp_path) -> None:
    main = tmp_path / "game.yaml"
    main.write_text(
        "rulerun: 1\ngame: demo\nplayers: 2\nfiles: [deck.yaml]\n"
        "setup: move 1 from deck to discard\n"
    )
    (tmp_path / "deck.yaml").write_text(
        "module: deck\n"
        "components:\n  card: {rows: {ant: {}, bee: {}}, start: deck}\n"
        "zones:\n  visible: none\n"
        f"{DECK}  # rulerun: ignore[RR0720] it is turned over\n  discard: {{of: card}}\n"
    )
    loaded, first = load(main)
    assert loaded is not None, first
    _, more = loaded.game()
    assert not [*first, *more, *idle(loaded.answers, loaded.answered, {"RR0720"})]


def test_of_very_many_the_first_are_told_and_the_rest_counted() -> None:
    idle_ones = "".join(f"  # rulerun: ignore[RR0720] number {i}\n" for i in range(2_000))
    codes = [code for code, _ in found(f"{idle_ones}\n{DECK}")]
    assert codes.count("RR0723") == 200 and codes.count("RR0150") == 1
    wrong = "".join(f"  # rulerun: ignore[RR0{i:03}x] number {i}\n" for i in range(2_000))
    _, said = load(RULES.format(deck=f"{wrong}{DECK}").encode(), "rules.yaml")
    codes = [each.code for each in said]
    assert codes.count("RR0722") == 200 and codes[-1] == "RR0149"
    assert "1800 comments" in said[-1].message
