"""Spoiled rules files: whatever is in them, there are diagnostics, never an exception, and soon.

The rules files that are shipped and the conformance cases that succeed are spoiled the same way
every time: lines go, come twice, change places or come from another file; words are taken from a
list of what means something elsewhere; and characters change as in the other fuzz tests. What still
loads is made into a game.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest
from tests.fuzzing import spoiled, within
from tests.test_conformance import ROOT, cases_in

from rulerun_dsl.diagnostics.catalogue import CATALOGUE
from rulerun_dsl.diagnostics.diagnostic import has_errors
from rulerun_dsl.diagnostics.render import render_text
from rulerun_dsl.load import load
from rulerun_dsl.source.resources import ruleset_names, ruleset_path

SECONDS = 20
CASES = [
    range(150),
    # With the others before them: what falls at the last pass is one in a hundred.
    pytest.param(range(250), marks=[pytest.mark.slow, pytest.mark.slow_in_ci]),
    pytest.param(range(250, 20_500), marks=pytest.mark.slow),
]
"""Those of the quick run, those that `.ci/run` adds, and many."""

WORDS = (
    "all any away bool card choose clubs count direction else empty first for game give hand if in "
    "int is kind last let move n none not of or order original otherwise owner pass pick player "
    "players pile red reset roll set show shuffle sort square stop swap the this then to turns "
    "until winner with you 0 1 -1 2..1 0..9 99999999999 card.kind hand[all] hand[you] (a,b) x[1] "
    "f() f(x) a==b a=b and or..or 1/2 2**99 the(the) true false [] {}"
).split()
"""Words that mean something somewhere."""

_WORD = re.compile(r"[A-Za-z_0-9]+")


@cache
def bases() -> tuple[str, ...]:
    """The texts that are spoiled: every shipped ruleset twice, and every case that succeeds."""
    texts = []
    for name in ruleset_names():
        path = ruleset_path(name)
        assert path is not None
        texts += [path.read_text(encoding="utf-8")] * 2
    for path in sorted(ROOT.glob("*/success/*.cases.yaml")):
        texts += [case.files[""].lstrip("\n") for case in cases_in(path) if len(case.files) == 1]
    return tuple(texts)


def mutant(number: int) -> str:
    """The text of a number; the same in every run."""
    luck = Random(f"rules {number}")
    text = luck.choice(bases())
    for _ in range(luck.choice((1, 1, 2, 3))):
        lines = text.splitlines(keepends=True) or [""]
        here, there = luck.randrange(len(lines)), luck.randrange(len(lines))
        match luck.randrange(14):
            case 0:
                del lines[here]
            case 1:
                lines.insert(there, lines[here])
            case 2:
                lines[here], lines[there] = lines[there], lines[here]
            case 3:
                other = luck.choice(bases()).splitlines(keepends=True)
                lines.insert(there, luck.choice(other))
            case 4:
                lines[here] = lines[here].replace("  ", "", 1)
            case 5:
                lines[here] = "  " + lines[here]
            case 6 | 7 | 8 | 9 | 10 | 11 | 12:
                lines[here] = with_other_word(lines[here], luck)
            case _:
                text = spoiled(text, luck, WORDS)
                continue
        text = "".join(lines)
    return text


def with_other_word(line: str, luck: Random) -> str:
    """A line with one word changed: for another, a misspelt one, one of the file."""
    places = list(_WORD.finditer(line))
    if not places:
        return line
    place = luck.choice(places)
    word = place[0]
    match luck.randrange(4):
        case 0:
            new = luck.choice(WORDS)
        case 1 if len(word) > 1:
            at = luck.randrange(len(word) - 1)
            new = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        case 2:
            new = luck.choice(places)[0]
        case _:
            new = luck.choice(_WORD.findall(luck.choice(bases())))
    return line[: place.start()] + new + line[place.end() :]


def texts(numbers: range) -> Iterator[tuple[int, str]]:
    """The mutants of some numbers."""
    for number in numbers:
        yield number, mutant(number)


@pytest.mark.parametrize("numbers", CASES, ids=["few", "more", "many"])
def test_spoiled_rules(numbers: range) -> None:
    loaded_ones = games = 0
    codes: set[str] = set()
    for number, text in texts(numbers):
        with within(SECONDS, f"mutant {number}"):
            loaded, found = load(text.encode("utf-8", "surrogatepass"), "mutant.yaml")
            if loaded is not None:
                loaded_ones += 1
                game, more = loaded.game()
                assert (game is None) == has_errors(more)
                games += game is not None
                found = [*found, *more]
            else:
                assert has_errors(found)
            assert all(each.code in CATALOGUE for each in found)
            codes.update(each.code[:4] for each in found)
            render_text(found)
    print(f"{len(numbers)} mutants: {loaded_ones} parsed, {games} games")
    # They are of use: some are still games, some fall at each pass.
    assert games > min(16, len(numbers) // 10)
    assert {"RR01", "RR02", "RR03", "RR04", "RR05", "RR07"} <= codes


def test_the_bases_are_games() -> None:
    assert len(bases()) > 100
    assert Path(ROOT).is_dir()
