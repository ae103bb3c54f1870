"""Help while somebody writes: what may stand at a place, what a name is and where, new names.

`‸` marks the place in a line that is put into `cases/bazaar.yaml` in place of another.
"""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rulesets import SHIPPED
from tests.test_mistakes import RULES, cases

from rulerun_dsl.assist.analysis import Analysis, Memory, Stopped, analyse
from rulerun_dsl.assist.block import extent_at, read_extent
from rulerun_dsl.assist.completion import Item, complete
from rulerun_dsl.assist.hover import hover
from rulerun_dsl.assist.open_texts import MAIN, Book, Changes, History, change_between
from rulerun_dsl.assist.rename import applied, rename
from rulerun_dsl.assist.signatures import signature_at
from rulerun_dsl.assist.structure import entries, folds
from rulerun_dsl.assist.symbols import all_uses, declaration_of, found_at, places_of
from rulerun_dsl.assist.tokens import tokens
from rulerun_dsl.diagnostics.diagnostic import has_errors
from rulerun_dsl.source.spans import Source

BAZAAR = analyse(Book({MAIN: RULES}))
CURSOR = "‸"


def analysed(text: str) -> Analysis:
    return analyse(Book({MAIN: text}))


def typed(old: str, new: str) -> tuple[str, int]:
    """The rules with a line changed, and where the cursor is."""
    assert RULES.count(old) >= 1
    text = RULES.replace(old, new, 1)
    return text.replace(CURSOR, ""), text.index(CURSOR)


def offered(old: str, new: str) -> dict[str, Item]:
    text, place = typed(old, new)
    found = complete(BAZAAR, MAIN, text, place, Changes((change_between(RULES, text),)))
    assert text[found.start : found.end] == re.findall(r"\w*$", text[:place])[0]
    return {each.label: each for each in found.items}


COMPLETIONS = [
    # What is typed, what is offered, what fits best, and what is not there or fits worse.
    ("- move 1 from deck to market", "- move 1 from ‸", "deck market hand sold", "score price"),
    ("- move 1 from deck to market", "- move 1 from deck to ‸", "market hand", "score"),
    ("- score += price[count(c)]", "- sc‸", "score", ""),
    ("- score += price[count(c)]", "- score += ‸", "price score", "deck"),
    ("- score += price[count(c)]", "- ‸", "score sell", "deck pepper"),
    ("c.spice == s) >= 2\n", "c.‸ == s) >= 2\n", "spice", "score deck"),
    ("c.spice == s) >= 2\n", "c.spice == ‸) >= 2\n", "pepper saffron s", "deck"),
    ("all(x.spice == s for x in c)", "all(x.spice == s for x in ‸)", "c hand market", ""),
    ("until: empty(deck)", "until: ‸", "empty any", ""),
    ("until: empty(deck)", "until: empty(‸", "deck market", ""),
    ("if c is saffron)", "if c is ‸)", "saffron pepper", "score"),
    ("hand[player]: {of: card,", "hand[player]: {of: ‸,", "card", "spice deck"),
    ("sold: {of: card, visible: all}", "sold: {of: card, visible: ‸}", "all owner none", ""),
    ("sold: {of: card, visible: all}", "sold: {of: card, ‸}", "visible order", "of"),
    ("    start: deck", "    start: ‸", "deck market", "score"),
    ("functions:", "func‸", "options constants files", "zones"),
    ("title: Spice Bazaar", "kind: ‸", "betting trick_taking toy", "score"),
    ("title: Spice Bazaar", "ki‸", "kind shows minutes", ""),
    ("- choose: s in spice", "- choose: s in ‸", "spice", ""),
    ("      ask: Which cards?", "      ‸", "ask", "choose"),
    ("ask: Which cards?", "ask: Which <‸>?", "s hand", ""),
    ("    bonus: 5 if p == most_saffron else 0", "    bonus: 5 if ‸", "p most_saffron", ""),
]


@pytest.mark.parametrize(("old", "new", "there", "not_there"), COMPLETIONS)
def test_what_may_be_written_is_offered(old, new, there, not_there):
    found = offered(old, new)
    assert set(there.split()) <= set(found), sorted(found)
    best = min(each.rank for each in found.values())
    for each in not_there.split():
        assert each not in found or found[each].rank > best, each


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("until: empty(deck)", "until: empty(deck) # not ‸"),
        ("title: Spice Bazaar", "title: Spice ‸"),
    ],
)
def test_nothing_is_offered_where_people_write(old, new):
    assert not offered(old, new)


def shown(old: str, new: str) -> str:
    text, place = typed(old, new)
    changes = Changes((change_between(RULES, text),))
    block = read_extent(BAZAAR, MAIN, Source("rules", text), extent_at(text, place), changes)
    found = hover(BAZAAR, block, MAIN, place)
    return found.text if found is not None else ""


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("from deck to hand[p]", "from deck to ha‸nd[p]", "hand[player] owner"),
        ("- score += price", "- sco‸re += price", "0..100 `all` rules:27"),
        ("price[count(c)]", "pri‸ce[count(c)]", "price table"),
        ("price[count(c)]", "price[cou‸nt(c)]", "count(S) how many"),
        ("all(x.spice == s for", "all(x.spice == ‸s for", "local spice pepper"),
        ("all(x.spice == s for", "all(x.spi‸ce == s for", "spice column"),
        ("for x in c)", "for ‸x in c)", "local card"),
        ("if c is saffron", "if c is saf‸fron", "saffron card"),
        ("- choose: 2..4 c", "- choo‸se: 2..4 c", "decision"),
        ("order: random", "or‸der: random", "order"),
        ("5 if p == most_saffron", "5 if p =‸= most_saffron", "true"),
    ],
)
def test_hovering_tells_what_a_thing_is(old, new, words):
    found = shown(old, new)
    for word in words.split():
        assert word in found, found


@pytest.mark.parametrize(("old", "new", "code", "words", "mends"), [*cases()])
def test_a_declaration_by_itself_is_found_wrong_as_the_whole_is(old, new, code, words, mends):
    """Whatever is found in the declaration that was changed is found in the whole as well."""
    text = RULES.replace(old, new, 1)
    change = change_between(RULES, text)
    extent = extent_at(text, change.start)
    block = read_extent(BAZAAR, MAIN, Source("rules", text), extent, Changes((change,)))
    whole = {(each.code, each.span.start) for each in analysed(text).findings if each.span}
    for each in block.findings:
        assert each.span is not None and each.span.source.text == text
        if (each.code, each.span.start) not in whole:
            # Beside what is wrong here something else hides it in the whole.
            assert each.code == "RR0601" and code == "RR0201", (each.code, each.message)


QUICK = ("brave_rats", "othello", "dominion", "chasse_en_folie")


@pytest.mark.slow_in_ci
@pytest.mark.parametrize(
    "path",
    [
        each if each.stem in QUICK else pytest.param(each, marks=pytest.mark.slow)
        for each in SHIPPED
    ],
    ids=lambda path: path.stem,
)
def test_every_name_of_a_shipped_game_is_where_it_says(path):
    texts = {MAIN: path.read_text(encoding="utf-8")}
    for module in re.findall(r"^ +- (\S+\.yaml)$", texts[MAIN].partition("\nfiles:")[2], re.M):
        if (path.parent / module).is_file():
            texts[module] = (path.parent / module).read_text(encoding="utf-8")
    found = analyse(Book(texts), whole=False)
    assert not has_errors(found.findings)
    uses = all_uses(found)
    assert len(uses) > 20
    for use in uses:
        assert use.span.text == use.symbol.name, use
        if use.symbol.word not in ("library", "language", "player"):
            assert declaration_of(found, use.symbol) is not None, use
    for file in texts:
        parts = tokens(found, file)
        assert all(a.end <= b.start for a, b in pairwise(parts))


@pytest.mark.slow_in_ci
@pytest.mark.parametrize(
    "name",
    [
        *("othello", "dominion"),
        *(
            pytest.param(each, marks=pytest.mark.slow)
            for each in ("brave_rats", "hearts", "antler_island")
        ),
    ],
)
def test_declarations_of_a_sound_game_are_sound_by_themselves(name):
    (path,) = (each for each in SHIPPED if each.stem == name)
    text = path.read_text(encoding="utf-8")
    known = analyse(Book({MAIN: text}), whole=False)
    places = {
        extent_at(text, entry.start).start: entry
        for section in entries(text)
        for entry in (section, *section.inside)
    }
    assert len(places) > 12
    for entry in places.values():
        extent = extent_at(text, entry.start)
        block = read_extent(known, MAIN, Source("rules", text), extent, Changes())
        assert not block.findings, (entry.name, block.findings[0].message)
        uses = {each.span.start for each in known.recorder.uses if each.span.text != "players"}
        mine = {each.span.start for each in block.recorder.uses}
        inside = {each for each in uses if extent.start <= each < extent.end}
        assert inside <= mine, (entry.name, [text[each : each + 12] for each in inside - mine])


def test_where_a_name_stands():
    found = found_at(BAZAAR, MAIN, RULES.index("hand if"))
    assert found is not None
    places = places_of(BAZAAR, found.use.symbol)
    assert len(places) == len(re.findall(r"\bhand\b", RULES))
    assert all(RULES[each.start : each.end] == "hand" for each in places)
    local = found_at(BAZAAR, MAIN, RULES.index("c.spice == s)"))
    assert local is not None
    assert len(places_of(BAZAAR, local.use.symbol)) == 2


def renamed(name: str, where: str, new: str) -> str:
    found = found_at(BAZAAR, MAIN, RULES.index(where))
    assert found is not None and found.use.symbol.name == name
    made = rename(BAZAAR, found.use.symbol, new)
    if made.refused:
        return made.refused
    return applied(BAZAAR.book, [(each, new) for each in made.places]).texts[MAIN]


def test_a_new_name_is_everywhere_and_nothing_else_changes():
    for name in ("market", "hand", "score", "price", "most_saffron"):
        where = re.search(rf"\b{name}\b[^:]", RULES)
        assert where is not None
        text = renamed(name, where[0], "quite_new")
        assert not analysed(text).findings
        assert RULES == re.sub(r"\bquite_new\b", name, text)
        assert text != RULES


def test_of_names_that_are_spelt_alike_one_is_changed():
    """`spice` is a type and an attribute; `sell` is a procedure and the name of a choice."""
    text = renamed("spice", "spice: spice", "smell")
    assert "has: {smell: spice}" in text and "c.smell == s" in text and "s in spice" in text
    text = renamed("sell", "sell()\n", "sale")
    assert "do: sale()" in text and "  sale():" in text and "          sell:\n" in text


@pytest.mark.parametrize(
    ("new", "why"),
    [
        ("market", "twice"),
        ("count", "word of the language"),
        ("in", "word of the language"),
        ("a b", "no name"),
        ("9", "no name"),
    ],
)
def test_a_name_that_cannot_be_is_refused(new, why):
    assert why in renamed("deck", "deck to market", new)


def test_signatures():
    text, place = typed("price[count(c)]", "price[min(1, ‸)]")
    found = signature_at(BAZAAR, text, place)
    assert found is not None and found.parameter == 1 and "min(" in found.forms[0]
    assert signature_at(BAZAAR, text, text.index("deck")) is None


def test_a_broken_file_has_an_outline_and_findings():
    text = RULES.replace("zones:\n", "zones\n").replace("visible: none}", "visible: ")
    assert {each.name for each in entries(text)} >= {"types", "components", "phases", "scoring"}
    assert folds(text)
    assert analysed(text).findings
    for text in ("", ":", "\x00", "{[", "a: &a [*a]", "rulerun: 1\n\tgame: x", "‮", "x" * 100_000):
        found = analysed(text)
        assert found.findings and not found.is_sound
        complete(found, MAIN, text, len(text), Changes())
        entries(text)
        folds(text)


def test_an_analysis_ends_when_nobody_wants_it():
    asked = 0

    def stopped() -> bool:
        nonlocal asked
        asked += 1
        return asked > 2

    with pytest.raises(Stopped):
        analyse(Book({MAIN: RULES}), memory=Memory(), stopped=stopped)
    assert asked == 3


@given(st.lists(st.tuples(st.booleans(), st.text("ab\n", max_size=12)), min_size=1, max_size=8))
def test_a_place_is_followed_through_edits(edits):
    """What no edit has touched is found again, whatever was done before and behind it."""
    mark, before, behind = "§", "aba", "bb"
    first = text = f"{before}{mark}{behind}"
    history = History(text)
    for in_front, new in edits:
        before, behind = (new, behind) if in_front else (before, new)
        text = f"{before}{mark}{behind}"
        history.put(text)
    changes = history.since(first)
    assert text[changes.moved(first.index(mark))] == mark
    assert first[changes.back(text.index(mark))] == mark
