"""`rulerun solve`: what a small game is worth when everybody plays perfectly.

Assumes a rules file, and how much may be done.
Does: solves the game, or says in one sentence why not; keeps the solution in a file, if one is
named, and in another what is found on the way, so that a run can end in any way and go on.
Leaves behind the answer on standard output; how long it took, and a bar meanwhile, on standard
error.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rulerun.cli import EXIT_FINE, EXIT_INTERRUPTED, EXIT_NO
from rulerun.cli.common import (
    Unable,
    color_option,
    find_rules,
    format_option,
    game_of,
    game_options,
    note,
    out,
    settings,
)
from rulerun.cli.progress import Progress
from rulerun.cli.simulate import writable
from rulerun_dsl.source.regular_files import why
from rulerun_dsl.source.safe_text import as_json

if TYPE_CHECKING:
    from rulerun.solving.keeping import Keeper
    from rulerun.solving.matrix_games import Number
    from rulerun.solving.solver import First, Solution
    from rulerun_dsl.model import Game

MOST_LEVELS = 40
"""Lines about positions by decisions; more of them are in the JSON alone."""


@click.command("solve")
@click.argument("file")
@game_options
@click.option(
    "--policy",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Keep what to play everywhere; `--seat NAME=exact:FILE` plays it.",
)
@click.option(
    "--keep",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Keep what is found on the way, and go on with what is in it: a run may end in any way.",
)
@click.option(
    "--states",
    type=click.IntRange(min=1),
    metavar="N",
    help="Positions, or histories of a game that hides something, at most. "
    "Left out: 5,000,000 positions or 500,000 histories.",
)
@click.option(
    "--memory",
    type=click.IntRange(min=100),
    default=3_000,
    show_default=True,
    metavar="MIB",
    help="Stop before the process takes up more memory.",
)
@click.option(
    "--iterations",
    type=click.IntRange(min=1, max=10_000_000),
    default=2_000,
    show_default=True,
    metavar="N",
    help="Rounds of learning at most, for a game that hides something.",
)
@click.option(
    "--within",
    type=click.FloatRange(min=0),
    default=1e-4,
    show_default=True,
    metavar="X",
    help="Stop learning at this exploitability.",
)
@click.option(
    "--executor",
    type=click.Choice(["auto", "reference", "python", "native"]),
    default="auto",
    show_default=True,
    help="What runs the rules: machine code where it is worth its start, or the one named. The "
    "answer is the same.",
)
@format_option("text", "json")
@color_option
def solve(
    file: str,
    players: int | None,
    variants: tuple[str, ...],
    assignments: tuple[str, ...],
    policy: Path | None,
    keep: Path | None,
    states: int | None,
    memory: int,
    iterations: int,
    within: float,
    executor: str,
    form: str,
) -> int:
    """Find what a small game is worth when everybody plays perfectly.

    FILE is a rules file, or the name of a shipped one: `rulerun solve tic_tac_toe`. A game that
    hides nothing is solved from its ends backward, through every position, also where two players
    decide at the same time. For a game of two players that hides something both learn to play until
    neither could do much better. A game that is too big is refused at once, by an estimate.
    """
    from rulerun.solving.keeping import Unkept
    from rulerun.solving.refusals import Unsolvable
    from rulerun.solving.solver import Limits
    from rulerun.solving.solver import solve as solved

    begun = time.monotonic()
    game = game_of(find_rules(file), players, settings(assignments), variants)
    for path in (policy, keep):
        if path is not None:
            writable(path)
    limits = Limits(states, iterations, within, memory)
    keeper = _keeper(keep, game)
    with Progress(1, "") as progress:

        def told(done: int, total: float, what: str) -> None:
            progress.at(done, int(total), what)

        try:
            found = solved(game, executor, limits, told, keeper)
        except Unsolvable as reason:
            progress.wipe()
            note(f"rulerun: {reason}")
            return EXIT_NO
        except Unkept as unkept:
            progress.wipe()
            raise Unable(str(unkept)) from None
        except KeyboardInterrupt:
            if not keeper.kept:
                raise
            progress.wipe()
            note(
                f"interrupted; what was found is kept in `{keep}`, and the same command goes on "
                "with it"
            )
            return EXIT_INTERRUPTED
        finally:
            keeper.close()
        kept = None if policy is None else _kept(policy, found, progress)
    out(as_json(data_of(found, policy, kept), indent=1) if form == "json" else text_of(found))
    if kept is not None:
        note(f"{kept:,} decisions are kept in `{policy}`")
    note(f"solved in {time.monotonic() - begun:.1f} s")
    return EXIT_FINE


def _keeper(path: Path | None, game: Game) -> Keeper:
    from rulerun.solving.keeping import Keeper, Unkept

    try:
        keeper = Keeper(path, game)
    except Unkept as unkept:
        raise Unable(str(unkept)) from None
    if keeper.kept:
        note(f"goes on with what `{path}` keeps")
    return keeper


def _kept(path: Path, found: Solution, progress: Progress) -> int | None:
    from rulerun.solving.policy_file import write_policy

    if not found.playable:
        return None
    progress.at(0, 1, "writing the policy")
    try:
        return write_policy(path, found)
    except OSError as failure:
        raise Unable(f"`{path}` cannot be written: {why(failure)}") from None


# ------------------------------------------------------------------------------------------ text


def text_of(found: Solution) -> str:
    """The answer for people."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Solution) -> Iterator[str]:
    game = found.game
    worth = ", ".join(
        f"{name} {_number(each)}" for name, each in zip(game.players, found.values, strict=True)
    )
    yield f"{game.title}: {found.kind}"
    yield f"  value      {worth}" + (f"{_even(found)}" if found.exact else "")
    if found.hides:
        yield f"  off by     {found.gap:.2g} at most (exploitability)"
        yield f"  histories  {found.positions:,}"
    else:
        yield "  exact      yes" if found.exact else f"  off by     {found.gap:.1g} at most"
        yield f"  positions  {found.positions:,}"
    for name, many in found.figures:
        yield f"  {name}: {many:,}"
    for first in found.first:
        yield ""
        yield from _first(game.players[first.player], first)
    if 1 < len(found.levels) <= MOST_LEVELS:
        yield ""
        yield "positions, by decisions taken before them"
        for level, many in found.levels:
            yield f"  {level:>3}  {many:>12,}"
    for each in found.notes:
        yield ""
        yield each


def _even(found: Solution) -> str:
    return " (even)" if len(set(found.values)) == 1 else ""


def _first(name: str, first: First) -> Iterator[str]:
    yield f"first decision of {name}" + (f", who sees {first.seen}" if first.seen else "")
    wide = max(len(each.text) for each in first.options)
    for each in first.options:
        share = f"{float(each.share):8.4%}" if each.share else f"{'-':>8}"
        worth = "" if each.worth is None else f"  worth {_number(each.worth)}"
        yield f"  {each.text:<{wide}}  {share}{worth}"


def _number(value: Number) -> str:
    if isinstance(value, float):
        return f"{value:.6f}"
    return str(value)


# ------------------------------------------------------------------------------------------ data


def data_of(found: Solution, policy: Path | None, kept: int | None) -> dict[str, Any]:
    """The answer as plain data. Fractions are texts."""
    game = found.game
    return {
        "game": {
            "name": game.name,
            "fingerprint": game.fingerprint,
            "players": list(game.players),
            "options": {option.name: option.text for option in game.options},
        },
        "kind": found.kind,
        "values": {
            name: _plain(each) for name, each in zip(game.players, found.values, strict=True)
        },
        "exact": found.exact,
        "off_by": found.gap,
        "histories" if found.hides else "positions": found.positions,
        "by_decisions": [list(each) for each in found.levels],
        "figures": dict(found.figures),
        "first": [
            {
                "player": game.players[first.player],
                "sees": first.seen,
                "options": [
                    {
                        "action": each.text,
                        "share": _plain(each.share),
                        "worth": None if each.worth is None else _plain(each.worth),
                    }
                    for each in first.options
                ],
            }
            for first in found.first
        ],
        "notes": list(found.notes),
        "policy": None if kept is None else {"file": str(policy), "decisions": kept},
    }


def _plain(value: Number) -> int | float | str:
    return str(value) if isinstance(value, Fraction) else value
