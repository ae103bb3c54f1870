"""Games as one writes them from the pages of the language alone: the checker has no finding.

They are here for what they say of the language and of its checker: no scenario holds their rules.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.rulesets import read, rules_in

from rulerun.cli import main
from rulerun.executors.make import executor_for
from rulerun.session.agents import RandomAgent
from rulerun.session.session import Session

SKETCHES = rules_in(Path(__file__).parent / "sketches")
GAMES = 3
"""Plays of each, by seed."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.parametrize("path", SKETCHES, ids=lambda path: path.stem),
]


def test_a_sketch_validates_without_a_finding(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["validate", str(path)])
    said = capsys.readouterr()
    assert (code, said.out) == (0, "")
    assert "no problems found" in said.err


def test_a_sketch_is_played_to_its_end(path: Path) -> None:
    low, high = read(path).outline.player_range
    for players in {low, high}:
        game, found = read(path).game(players)
        assert game is not None and not found
        executor = executor_for(game, events=False)
        for seed in range(GAMES):
            session = Session(executor, dict.fromkeys(range(players), RandomAgent()), seed)
            assert session.over and session.verdict is not None
