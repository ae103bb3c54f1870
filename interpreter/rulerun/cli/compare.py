"""`rulerun compare`: two games, played side by side.

Assumes two rules files, or one under two settings, for the same number of players.
Does: plays the same games of the same seed with both, and measures the differences.
Leaves behind a report on standard output, and a page if asked for.

The first side is FILE with `--set` and `--variant`. The second is OTHER with `--against` and
`--against-variant`; without OTHER it is the first side, changed by these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rulerun.cli import EXIT_FINE, EXIT_INTERRUPTED, EXIT_NO
from rulerun.cli.common import (
    Unable,
    color_option,
    find_rules,
    format_option,
    game_options,
    kept_game_of,
    load_rules,
    note,
    out,
    page_option,
    settings,
    what_runs,
)
from rulerun.cli.progress import Progress
from rulerun.cli.simulate import Rate, a_number, running_options, seating, seed_of, writable, write
from rulerun_dsl.source.safe_text import as_json

if TYPE_CHECKING:
    from rulerun.cli.game_cache import KeptGame
    from rulerun.simulation.compare.paired import Comparing, Pairs
    from rulerun_dsl.model import Game


@click.command("compare")
@click.argument("file")
@click.argument("other", required=False)
@click.option(
    "-n",
    "--games",
    type=click.IntRange(min=1),
    default=1_000,
    show_default=True,
    metavar="GAMES",
    help="How many games of each side; with --until-ci the most.",
)
@game_options
@click.option(
    "--against",
    multiple=True,
    metavar="OPTION=VALUE",
    help="Set an option of the second side.",
)
@click.option(
    "--against-variant",
    "against_variants",
    multiple=True,
    metavar="NAME",
    help="Play a variant on the second side.",
)
@running_options
@click.option(
    "--until-ci",
    type=click.FloatRange(min=0, max=0.5, min_open=True),
    callback=a_number,
    metavar="X",
    help="Stop when the difference of every seat's share of wins is known to within X to each side "
    "(95 %), such as 0.05.",
)
@format_option("text", "json")
@page_option
@color_option
def compare(
    file: str,
    other: str | None,
    games: int,
    players: int | None,
    variants: tuple[str, ...],
    assignments: tuple[str, ...],
    against: tuple[str, ...],
    against_variants: tuple[str, ...],
    seats: tuple[str, ...],
    seed: str,
    executor: str,
    jobs: int | None,
    cluster: str | None,
    until_ci: float | None,
    form: str,
    page: Path | None,
) -> int:
    """Play two games side by side, and say what is different.

    FILE and OTHER are rules files, or names of shipped ones. Without OTHER, FILE is compared with
    itself under other settings: `rulerun compare pig --set winscore=50 --against winscore=100`.
    Both sides have the same luck, and agents that differ change seats.
    """
    kept = _sides(file, other, players, variants, assignments, against, against_variants)
    sides = kept[0].game, kept[1].game
    known = ("", "") if cluster else (kept[0].name, kept[1].name)
    if page is not None:
        writable(page)
    labels = _labels(file, other, sides)
    found, stopped = side_by_side(
        sides, labels, games, seats, seed, executor, jobs, cluster, until_ci, known
    )
    if page is not None:
        from rulerun.simulation.compare.findings import comparison_report
        from rulerun.simulation.report.html import page as as_page

        write(page, as_page(comparison_report(found)))
    _report(found, form)
    if stopped == "interrupted":
        note("interrupted")
        return EXIT_INTERRUPTED
    return EXIT_NO if any(side["failed"] for side in found["sides"]) else EXIT_FINE


def side_by_side(
    sides: tuple[Game, Game],
    labels: Sequence[str],
    games: int,
    seats: Sequence[str],
    seed: str,
    executor: str,
    jobs: int | None,
    cluster: str | None,
    until: float | None = None,
    known: tuple[str, str] = ("", ""),
) -> tuple[dict[str, Any], str]:
    """Play both sides; what is different as data, and why the run stopped.

    `known`: what names them in the cache.
    """
    from rulerun.simulation.compare.differences import comparison

    task = _task(sides, seats, seed, executor, games, known)
    stepped = bool(cluster) or task.stepped
    task = replace(task, executor=what_runs(sides[0], executor, games, stepped, task.is_ready))
    executor = task.executor
    pairs, stopped = _played(task, games, until, executor, jobs, cluster)
    return comparison(task, list(labels), pairs, stopped), stopped


def _sides(
    file: str,
    other: str | None,
    players: int | None,
    variants: Sequence[str],
    assignments: Sequence[str],
    against: Sequence[str],
    against_variants: Sequence[str],
) -> tuple[KeptGame, KeptGame]:
    first, second = settings(assignments), settings(against)
    path, load = find_rules(file), cache(load_rules)
    if other is None:
        if not against and not against_variants:
            raise click.UsageError(
                "both sides are the same: name another FILE, or say what is different with "
                "--against OPTION=VALUE or --against-variant NAME"
            )
        one = kept_game_of(path, players, first, variants, load)
        every = (*variants, *against_variants)
        two = kept_game_of(path, len_of(one.game), {**first, **second}, every, load)
    else:
        one = kept_game_of(path, players, first, variants)
        two = kept_game_of(find_rules(other), len_of(one.game), second, against_variants)
    same_table(one.game, two.game)
    from rulerun_dsl.model.canonical_json import digest

    told = ("name", "title", "options")
    if digest(one.game, told) == digest(two.game, told):
        raise click.UsageError(
            "both sides are the same game: what is set apart makes no difference to the rules"
        )
    return one, two


def same_table(one: Game, two: Game) -> None:
    """Refuse two games that different numbers of people play."""
    if (len(one.players), one.people) != (len(two.players), two.people):
        raise Unable(
            f"A has {len(one.players)} players, B has {len(two.players)}: say with --players how "
            "many play both"
        )


def len_of(game: Game) -> int:
    """How many people play, as `--players` would say it."""
    return game.people


def _task(
    sides: tuple[Game, Game],
    seats: Sequence[str],
    seed: str,
    executor: str,
    games: int,
    known: tuple[str, str],
) -> Comparing:
    from rulerun.simulation.compare.paired import Comparing

    by_seat = tuple(seating(sides[0], seats).items())
    return Comparing(sides, executor, by_seat, seed_of(seed), games, known)


def _labels(file: str, other: str | None, sides: tuple[Game, Game]) -> list[str]:
    """What is said of each side: the file, and the options that are different."""
    texts = [{option.name: option.text for option in game.options} for game in sides]
    labels = []
    for name, game, mine, theirs in zip(
        (file, other or file), sides, texts, reversed(texts), strict=True
    ):
        shown = [
            f"{option.name} {option.text}"
            for option in game.options
            if option.text != option.default_text or mine[option.name] != theirs.get(option.name)
        ]
        labels.append(", ".join([Path(name).name, *shown]))
    return labels


def _played(
    task: Comparing,
    games: int,
    until: float | None,
    executor: str,
    jobs: int | None,
    cluster: str | None,
) -> tuple[Pairs, str]:
    from rulerun.session.agents import AgentFault
    from rulerun.simulation.compare.pairing import run_pairs
    from rulerun.simulation.run.pool import runner
    from rulerun.simulation.run.task import Lost

    played, largest = runner(task, executor, 2 * games, jobs, cluster)
    with Progress(games, "pairs") as progress:
        rate = Rate(0, games, progress, "pairs", aloud=task.thinking)
        try:
            return run_pairs(played, games, until, largest=largest, told=rate.tell)
        except (AgentFault, Lost) as lost:
            progress.wipe()
            raise Unable(str(lost)) from None


def _report(found: dict[str, Any], form: str) -> None:
    if form == "json":
        out(as_json(found, indent=1))
    else:
        from rulerun.simulation.compare.findings import comparison_report
        from rulerun.simulation.report.text import text

        out(text(comparison_report(found)))
