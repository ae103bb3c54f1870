"""What each instruction does is said once, of every instruction, and leaves nothing out."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from tests.rulesets import read

import rulerun_dsl
from rulerun.analysis.reads import reads
from rulerun_dsl import model
from rulerun_dsl.check.stmt import walking
from rulerun_dsl.load import load, load_game
from rulerun_dsl.model import instructions
from rulerun_dsl.model.effects import NEXT, effects
from rulerun_dsl.source.resources import shipped

PACKAGE = Path(rulerun_dsl.__file__ or "").parent
ROOT = Path(__file__).resolve().parents[1]
RULES = ["antler_island", "ruse", "classics/sushi_go", "classics/hearts", "classics/love_letter"]
PLANTED = '''
@frozen
class Planted(InstructionBase):
    """Something new."""


Instruction = (
    Planted |'''


def code() -> Iterator[model.Instruction]:
    """Instructions of games."""
    for name in RULES:
        game, found = read(shipped("rulesets") / f"{name}.yaml").game()
        assert game is not None, found
        yield from game.code


def test_the_instructions_are_all_there_are() -> None:
    classes = {
        each
        for each in vars(instructions).values()
        if isinstance(each, type)
        and issubclass(each, model.InstructionBase)
        and each is not model.InstructionBase
    }
    assert set(get_args(model.Instruction)) == classes


def test_a_new_instruction_is_a_type_error_until_it_is_said_what_it_does(tmp_path: Path) -> None:
    """The types see it: nobody has to remember `effects`."""
    pytest.importorskip("mypy")
    shutil.copytree(PACKAGE / "model", tmp_path / "rulerun_dsl" / "model")
    shutil.copytree(PACKAGE / "source", tmp_path / "rulerun_dsl" / "source")
    shutil.copy(PACKAGE / "__init__.py", tmp_path / "rulerun_dsl")
    path = tmp_path / "rulerun_dsl" / "model" / "instructions.py"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("\nInstruction = (\n   ", PLANTED), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "-p", "rulerun_dsl.model"],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    errors = [each for each in done.stdout.splitlines() if "error:" in each]
    assert len(errors) == 1, done.stdout
    assert "effects.py" in errors[0]
    assert 'has incompatible type "Planted"; expected "Never"' in errors[0]


def test_what_is_not_said_is_no_silence() -> None:
    class Planted(model.InstructionBase):
        """Something new."""

    loaded, _ = load(ROOT / "rulesets" / "classics" / "pig.yaml")
    assert loaded is not None
    game, _ = loaded.game()
    assert game is not None
    with pytest.raises(AssertionError, match="Planted"):
        effects(Planted(game.code[0].span))  # type: ignore[arg-type]


def test_nothing_that_is_evaluated_is_left_out() -> None:
    """Against the fields of the classes: each expression is read, or is what is written."""
    met = set()
    for node in code():
        does = effects(node)
        told = [*does.reads, *(each.target for each in does.writes)]
        # A loop goes on through what it has fixed at its start.
        reached = {id(part) for each in told for part in walking.parts(each)}
        for part in walking.parts(node):
            if id(part) not in reached:
                named = isinstance(node, model.MoveOne) and part == node.name
                assert named or isinstance(node, model.LoopStart), (node, part)
        met.add(type(node))
    assert len(met) > 20


def test_ways_lead_to_the_code() -> None:
    for name in RULES:
        game, _ = read(shipped("rulesets") / f"{name}.yaml").game()
        assert game is not None
        for at, node in enumerate(game.code):
            for way in effects(node).ways:
                assert 0 <= (at + 1 if way == NEXT else way) < len(game.code)


def test_only_what_may_wait_for_somebody_asks() -> None:
    asking = {type(each) for each in code() if effects(each).asks is not None}
    drawing = {type(each) for each in code() if effects(each).draws}
    assert asking == {model.Choose}
    assert drawing <= {model.Roll, model.Pick, model.MoveSome, model.ShuffleZone}
    assert model.MoveSome in drawing


READING = """
rulerun: 1
game: reading
players: [a, b]
components:
  card: {copies: 2, start: hand}
zones:
  hand: {of: card, visible: all}
state: {visible: all, "won[player]": 0..9, met: bool}
phases:
  play:
    do:
      - for: p in players
        do:
          - met = won_by(p) > 1 and count(hand) > won_by(p)
functions:
  won_by(player q): won[q]
"""


def test_what_an_expression_reads_is_found_through_functions() -> None:
    game, found = load_game(READING.encode())
    assert game is not None, found
    (store,) = (each for each in game.code if isinstance(each, model.Store))
    does = reads(game, store.value)
    assert does.variables == {"won"}
    assert does.counts == {"hand"}
    assert does.zones == frozenset()
    assert does.registers == frozenset()
    assert {name for _, name in does.locals} == {"p"}
