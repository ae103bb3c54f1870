"""Cookbook and patterns: each piece stands in a game that runs, its slip is found as the page says.

The games are in `tests/cookbook/`; a recipe may be a whole game itself. `slips.yaml` there says of
each recipe which text of which game somebody writes in another way, and what is found then.
A pattern is cut from shipped games (`cut=NAME` behind the backticks), or is a whole game; what a
row of a table quotes stands in the game that the row names. `slips_of_patterns.yaml` has their
slips.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from tests.test_docs import DOCS, Block, blocks_of

from rulerun.cli.examining import Report, Wanted
from rulerun_dsl.diagnostics.render import render_text
from rulerun_dsl.heads import head_of
from rulerun_dsl.source.resources import ruleset_path, shipped

GAMES = Path(__file__).parent / "cookbook"
PAGE = DOCS / "how-to" / "cookbook.md"
PATTERNS = DOCS / "how-to" / "patterns.md"

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the pages are not in the wheel")

INPUTS = 400
"""Inputs of random play for each game."""


@dataclass(frozen=True)
class Recipe:
    """One recipe or pattern of a page."""

    title: str
    text: str
    blocks: tuple[Block, ...]

    @property
    def whole(self) -> str | None:
        """The game, where the recipe is one."""
        found = [each.text for each in self.blocks if is_whole(each)]
        return found[0] if found else None


def is_whole(block: Block) -> bool:
    return block.text.startswith("rulerun: 1\n")


def recipes(page: Path, head: str) -> Iterator[Recipe]:
    """What stands under each line that is a head."""
    lines = page.read_text(encoding="utf-8").splitlines() if page.is_file() else []
    blocks = blocks_of(page) if lines else []
    inside = {at for each in blocks for at in range(each.line, each.line + each.text.count("\n"))}
    outside = [(at, line) for at, line in enumerate(lines) if at not in inside]
    heads = [at for at, line in outside if re.match(rf"{head}|#", line)]
    for start, end in zip(heads, [*heads[1:], len(lines)], strict=True):
        if re.match(head, lines[start]):
            own = tuple(each for each in blocks if start < each.line <= end)
            yield Recipe(lines[start].strip("*# "), "\n".join(lines[start:end]), own)


RECIPES = list(recipes(PAGE, r"\*\*.*\*\*$"))
PATTERNS_OF_GAMES = list(recipes(PATTERNS, "## "))
SLIPS, SLIPS_OF_PATTERNS = (
    yaml.safe_load((GAMES / name).read_text(encoding="utf-8"))
    for name in ("slips.yaml", "slips_of_patterns.yaml")
)


def pieces(block: Block) -> Iterator[list[str]]:
    """Lines that stand together in a game; of a fragment, those of each section."""
    if "fragment" not in block.info:
        yield block.text.splitlines()
        return
    for section in re.split(r"^(?=\S)", block.text, flags=re.M):
        lines = section.splitlines()
        if len(lines) == 1 or (lines and lines[0].startswith(("chapter", "scoring"))):
            yield lines
        elif lines:
            # The default of a section stands at its head, others may come between.
            yield [each for each in lines[1:] if each.strip() != "visible: all"]


def plain(line: str) -> str:
    """A line without its comment, and without blanks that only set it in columns."""
    return re.sub(r"(?<=\S) +", " ", re.sub(r" +# .*", "", line).rstrip())


def stands_in(piece: list[str], game: str) -> bool:
    """Whether lines follow each other in a game, however far they are set in."""
    wanted = [plain(each) for each in piece if each.strip()]
    lines = [plain(each) for each in game.splitlines() if each.strip()]
    for at in range(len(lines) - len(wanted) + 1):
        depth = len(lines[at]) - len(lines[at].lstrip())
        own = len(wanted[0]) - len(wanted[0].lstrip())
        if [each[depth:] for each in lines[at : at + len(wanted)]] == [
            each[own:] for each in wanted
        ]:
            return True
    return False


def games() -> dict[str, str]:
    found = {each.name: each.read_text(encoding="utf-8") for each in GAMES.glob("*.yaml")}
    return {name: text for name, text in found.items() if not name.startswith("slips")}


def examined(text: str, inputs: int = INPUTS) -> Report:
    report = Report(Wanted(play=inputs))
    report.text(text.encode(), "game.yaml")
    return report


@pytest.mark.parametrize("name", sorted(games()))
def test_the_games_run(name: str) -> None:
    found = examined(games()[name]).found.values()
    assert not found, render_text(found)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.title)
def test_a_piece_runs_and_its_slip_is_found(recipe: Recipe) -> None:
    assert recipe.title in SLIPS, "which mistake belongs to it?"
    slip = SLIPS[recipe.title]
    game = recipe.whole or games()[slip["in"]]
    if recipe.whole is None:
        for block in recipe.blocks:
            for piece in pieces(block):
                assert stands_in(piece, game), "\n".join(piece)
    is_found(slip, game, recipe)


@pytest.mark.parametrize("pattern", PATTERNS_OF_GAMES, ids=lambda pattern: pattern.title)
def test_a_pattern_is_cut_from_games_and_its_slip_is_found(pattern: Recipe) -> None:
    assert pattern.title in SLIPS_OF_PATTERNS, "which mistake belongs to it?"
    slip = SLIPS_OF_PATTERNS[pattern.title]
    for block in pattern.blocks:
        source = block.setting("cut")
        if source is None:
            assert is_whole(block) or "scenarios" in block.info, f"{block.place}: cut=GAME"
            continue
        for piece in pieces(block):
            assert stands_in(piece, game_at(source)), "\n".join(piece)
    is_found(slip, pattern.whole or game_at(slip["in"]), pattern)


def game_at(name: str) -> str:
    """The rules of a shipped game, or of one of the cookbook."""
    where = GAMES.parent.parent if name.startswith("tests/") else shipped("rulesets")
    return (where / f"{name}.yaml").read_text(encoding="utf-8")


def is_found(slip: dict[str, str], game: str, recipe: Recipe) -> None:
    """What comes of a slip is found as the page says."""
    assert slip["write"] in game, f"{slip['write']!r} is not in the game"
    # RR09 is what only play brings to light.
    inputs = INPUTS if slip["finds"].startswith("RR09") else 0
    found = examined(game.replace(slip["write"], slip["as"]), inputs).found.values()
    assert slip["finds"] in {each.code for each in found}, render_text(found) or "nothing is found"
    link = f"[{slip['finds']}](../reference/diagnostics/{slip['finds']}.md)"
    assert link in recipe.text, f"{link} is not told"


def test_no_slip_is_of_another_page() -> None:
    assert set(SLIPS) == {each.title for each in RECIPES}
    assert set(SLIPS_OF_PATTERNS) == {each.title for each in PATTERNS_OF_GAMES}


@pytest.mark.parametrize("pattern", PATTERNS_OF_GAMES, ids=lambda pattern: pattern.title)
def test_what_a_table_quotes_stands_in_the_game_that_it_names(pattern: Recipe) -> None:
    rows = [line for line in pattern.text.splitlines() if line.startswith("| ")]
    link = re.compile(r"\.\./\.\./rulesets/(\S+)\.yaml\)")
    assert link.search(pattern.text), "in which game is it?"
    for row in rows:
        for name in link.findall(row):
            game = [plain(line) for line in game_at(name).splitlines()]
            for quoted in re.findall(r"`([^`]+)`", row):
                assert any(plain(quoted) in line for line in game), f"{name}: {quoted}"


def test_the_table_of_patterns_names_each_in_its_order() -> None:
    text = PATTERNS.read_text(encoding="utf-8")
    listed = re.findall(r"^\|.*\]\(#(.*?)\)", text, re.M)
    assert listed == [each.title.lower().replace(" ", "-") for each in PATTERNS_OF_GAMES]


def test_the_games_that_the_table_names_show_their_pattern() -> None:
    rows = re.findall(r"^\|.*\]\(#.*?\) \| (.*) \| (.*) \|$", PATTERNS.read_text("utf-8"), re.M)
    assert len(rows) == len(PATTERNS_OF_GAMES)
    for words, names in rows:
        phrases = re.findall(r"`(.+?)`", words)
        for name in re.findall(r"`(.+?)`", names):
            path = ruleset_path(name)
            assert path is not None, name
            shown = "\n".join(head_of(path).shows)
            assert any(each in shown for each in phrases), f"{name} shows none of {words}"
