"""The cookbook: every piece stands in a game that runs, and every slip is found as its page says.

The games are in `tests/cookbook/`; a recipe may be a whole game itself. `slips.yaml` there says of
each recipe which text of which game somebody writes in another way, and what is found then.
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

GAMES = Path(__file__).parent / "cookbook"
PAGE = DOCS / "how-to" / "cookbook.md"

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the pages are not in the wheel")

INPUTS = 400
"""Inputs of random play for each game."""


@dataclass(frozen=True)
class Recipe:
    """One recipe of the page."""

    title: str
    text: str
    blocks: tuple[Block, ...]

    @property
    def whole(self) -> str | None:
        """The game, where the recipe is one."""
        found = [each.text for each in self.blocks if each.text.startswith("rulerun: 1\n")]
        return found[0] if found else None


def recipes() -> Iterator[Recipe]:
    lines = PAGE.read_text(encoding="utf-8").splitlines() if PAGE.is_file() else []
    heads = [at for at, line in enumerate(lines) if re.match(r"\*\*.*\*\*$|#", line)]
    blocks = blocks_of(PAGE) if lines else []
    for start, end in zip(heads, [*heads[1:], len(lines)], strict=True):
        if lines[start].startswith("*"):
            inside = tuple(each for each in blocks if start < each.line <= end)
            yield Recipe(lines[start].strip("*"), "\n".join(lines[start:end]), inside)


RECIPES = list(recipes())
SLIPS = yaml.safe_load((GAMES / "slips.yaml").read_text(encoding="utf-8"))


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


def stands_in(piece: list[str], game: str) -> bool:
    """Whether lines follow each other in a game, however far they are set in."""
    wanted = [each.rstrip() for each in piece if each.strip()]
    lines = [each.rstrip() for each in game.splitlines() if each.strip()]
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
    del found["slips.yaml"]
    return found


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
    assert slip["write"] in game, f"{slip['write']!r} is not in the game"
    # RR09 is what only play brings to light.
    inputs = INPUTS if slip["finds"].startswith("RR09") else 0
    found = examined(game.replace(slip["write"], slip["as"]), inputs).found.values()
    assert slip["finds"] in {each.code for each in found}, render_text(found) or "nothing is found"
    link = f"[{slip['finds']}](../reference/diagnostics/{slip['finds']}.md)"
    assert link in recipe.text, f"{link} is not told"


def test_no_slip_is_of_another_page() -> None:
    assert set(SLIPS) == {each.title for each in RECIPES}
