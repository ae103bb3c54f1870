"""A game that a rule error stopped, played again and written down.

Assumes: the number of a game of a run, and the agents that played it.
Does: plays it with the reference executor up to the input that fails, and writes a record of it,
that input included; says what failed, and where in the rules.
Leaves behind: a record which `rulerun replay` plays up to the error. A record that has this name
already is replaced; a file that is no record is left alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rulerun.reference.executor import Reference
from rulerun.runtime import actions
from rulerun.runtime.executor import Decision, Input, RuleError
from rulerun.runtime.faults import diagnostic
from rulerun.runtime.rng import key_of
from rulerun.runtime.state import State
from rulerun.session.record import RecordWriter
from rulerun.simulation.run.seats import agents_of
from rulerun.simulation.run.stepping import TRUNCATED, Stepping
from rulerun.simulation.stats.coverage import place
from rulerun.simulation.stats.totals import Totals
from rulerun_dsl.model import Game
from rulerun_dsl.source.regular_files import opened


def errors(
    game: Game,
    seats: Mapping[int, str],
    seed: int | str,
    totals: Totals,
    folder: Path | None,
    rules: str = "",
) -> list[dict[str, Any]]:
    """What stopped games: each code with its first games, the first of which is written down.

    `rules` is the folder of the rules file. Without a `folder` for records nothing is written.
    """
    found = []
    for end in sorted(totals.ends):
        if end in ("", TRUNCATED):
            continue
        numbers = totals.examples[end]
        error, inputs = _again(game, seats, seed, numbers[0])
        told = diagnostic(error)
        name = f"{game.name}-{end}-{numbers[0]}.jsonl"
        found.append(
            {
                "error": end,
                "code": told.code,
                "count": totals.ends[end],
                "numbers": numbers,
                "message": error.message,
                **place(error.span, rules),
                "record": "" if folder is None else name,
            }
        )
        if folder is not None:
            write_record(folder / name, game, seats, inputs)
    return found


def _again(
    game: Game, seats: Mapping[int, str], seed: int | str, number: int
) -> tuple[RuleError, list[tuple[str, str]]]:
    """The error of a game, and its inputs: the player (or "" for luck) and the text."""
    executor = Reference(game, events=False)
    inputs: list[tuple[str, str]] = []

    def listen(state: State, given: Input) -> None:
        if isinstance(given, Decision):
            inputs.append((game.players[given.player], actions.text(game, given.action)))
        else:
            fallen = next(o.text for o in executor.outcomes(state) if o.id == given.outcome)
            inputs.append(("", fallen))

    caught: list[RuleError] = []
    stepping = Stepping(executor, agents_of(game, seats, "python"))
    stepping.one(executor, key_of(seed), number, listener=listen, caught=caught)
    return caught[0], inputs


def write_record(
    path: Path, game: Game, seats: Mapping[int, str], inputs: list[tuple[str, str]]
) -> None:
    """Write a record of these inputs, in place of an older record of that name."""
    if path.exists():
        with opened(path) as file:
            if not file.read(16).startswith(b'{"record":'):
                raise FileExistsError(17, "there is another file of that name", str(path))
        path.unlink()
    with RecordWriter.create(path, game, seats) as writer:
        for number, (player, text) in enumerate(inputs, start=1):
            if player:
                writer.decision(number, player, text)
            else:
                writer.chance(number, text)
