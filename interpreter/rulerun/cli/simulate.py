"""`rulerun simulate`: many games by agents, counted.

Assumes a rules file, a number of games and a seed.
Does: plays them, in several processes or on a cluster, until there are enough or somebody
interrupts; keeps them in a folder, if one is named, and goes on with what is in it.
Leaves behind a report on standard output, a page if asked for, and records of games that a rule
error stopped: in that folder, else here.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rulerun.cli import EXIT_FINE, EXIT_INTERRUPTED, EXIT_NO
from rulerun.cli.common import (
    BEST,
    EXECUTORS,
    Unable,
    color_option,
    find_rules,
    format_option,
    game_options,
    kept_game_of,
    note,
    out,
    page_option,
    settings,
    what_runs,
)
from rulerun.cli.progress import Progress, lasting
from rulerun_dsl.source.regular_files import why
from rulerun_dsl.source.safe_text import as_json

if TYPE_CHECKING:
    from rulerun.simulation.run.checkpoint import Folder
    from rulerun.simulation.run.driver import Outcome
    from rulerun.simulation.run.pool import Simulating
    from rulerun.simulation.stats.totals import Totals
    from rulerun_dsl.model import Game

DEFAULT_GAMES = 1_000
SURE = 2.0
"""Seconds behind the first game after which it is told how long a run takes."""
SLOW = 60.0
"""Seconds of a first game that tell it by themselves, whatever had to begin before it."""
LONG = 20.0
"""Seconds for which it is worth saying so."""


def luck_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Let a command say with which luck it is played, and by what."""
    for option in (
        click.option(
            "--cluster",
            metavar="ADDRESS",
            help="Play on the workers of a Dask scheduler, such as tcp://10.0.0.1:8786 "
            "(needs `pip install 'rulerun[dist]'`).",
        ),
        click.option(
            "--jobs",
            type=click.IntRange(min=1),
            metavar="N",
            help="Processes. Left out: one for each processor, if it is worth it.",
        ),
        click.option(
            "--executor",
            type=click.Choice([BEST, *EXECUTORS]),
            default=BEST,
            show_default=True,
            help="What runs the rules: machine code where it is there and worth its start, or the "
            "one named. The result is the same.",
        ),
        click.option(
            "--seed",
            default="0",
            show_default=True,
            metavar="N",
            help="The luck. The same seed gives the same result.",
        ),
    ):
        command = option(command)
    return command


def running_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Let a command say who plays as well."""
    option = click.option(
        "--seat",
        "seats",
        multiple=True,
        metavar="NAME=AGENT",
        help="Who decides: random (the default), first (the first legal action), greedy, "
        "easy, normal, hard, mcts:N or package.module:Agent. `all=first` is for every seat.",
    )
    return luck_options(option(command))


def a_number(ctx: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    """Refuse what is called a float and is none: it is not in the range, nor is it outside."""
    if value is not None and math.isnan(value):
        raise click.BadParameter("nan is not a number.", ctx, parameter)
    return value


@click.command("simulate")
@click.argument("file")
@click.option(
    "-n",
    "--games",
    type=click.IntRange(min=1),
    default=DEFAULT_GAMES,
    show_default=True,
    metavar="GAMES",
    help="How many games; with --until-ci the most.",
)
@game_options
@running_options
@click.option(
    "--until-ci",
    type=click.FloatRange(min=0, max=0.5, min_open=True),
    callback=a_number,
    metavar="X",
    help="Stop when every seat's share of wins is known to within X to each side "
    "(95 %), such as 0.01.",
)
@click.option(
    "--out",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Keep what is played in a folder, and go on with what is in it.",
)
@click.option(
    "--coverage/--no-coverage",
    default=None,
    help="Count which rules ran in every game, or in none. Left out: in the first 1,000 games, "
    "since counting takes time.",
)
@click.option(
    "--choices/--no-choices",
    default=None,
    help="Count what everybody chose, or what nobody did, and who led. Left out: of those who are "
    "not random.",
)
@format_option("text", "json", "csv")
@page_option
@color_option
def simulate(
    file: str,
    games: int,
    players: int | None,
    variants: tuple[str, ...],
    assignments: tuple[str, ...],
    seats: tuple[str, ...],
    seed: str,
    executor: str,
    jobs: int | None,
    cluster: str | None,
    until_ci: float | None,
    folder: Path | None,
    coverage: bool | None,
    choices: bool | None,
    form: str,
    page: Path | None,
) -> int:
    """Play many games by agents, and say what they came to.

    FILE is a rules file, or the name of a shipped one: `rulerun simulate brave_rats`. The same
    seed gives the same result, whatever the number of jobs, the executor and the machine. A rule
    error ends its own game; the exit code then is 1.
    """
    path = find_rules(file)
    kept_game = kept_game_of(path, players, settings(assignments), variants)
    game, known = kept_game.game, "" if cluster else kept_game.name
    where, luck = seating(game, seats, kept_game.name), seed_of(seed)
    from rulerun.simulation.run.pool import Simulating
    from rulerun.simulation.run.seats import watched

    counted = watched(game, where, choices)
    first = covered(coverage, games)
    by_seat = tuple(where.items())
    task = Simulating(game, executor, by_seat, luck, first, counted, games, known)
    stepped = bool(cluster) or task.stepped
    task = replace(task, executor=what_runs(game, executor, games, stepped, task.is_ready))
    if page is not None:
        writable(page)
    kept = None if folder is None else _folder(folder, game, where, luck, coverage, counted)
    try:
        outcome = _run(task, jobs, cluster, until_ci, kept)
    finally:
        if kept is not None:
            kept.close()
    found = _result(game, str(path.parent), where, luck, outcome, counted, folder)
    if page is not None:
        from rulerun.simulation.report.html import page as as_page
        from rulerun.simulation.report.sections import simulation_report

        write(page, as_page(simulation_report(found)))
    _report(found, form, file, folder)
    if outcome.stopped == "interrupted":
        note("interrupted")
        return EXIT_INTERRUPTED
    return EXIT_NO if found["errors"] else EXIT_FINE


def seating(game: Game, given: Sequence[str], known: str = "") -> dict[int, str]:
    """Whose agent is which, by seat. `known`: what names the game in the cache."""
    from rulerun.session.agents import Unfit
    from rulerun.simulation.run.seats import seated

    try:
        return seated(game, given, known)
    except Unfit as unfit:
        raise click.UsageError(str(unfit)) from None


def seed_of(given: str) -> int | str:
    """A seed: a whole number as one, any text as it is."""
    return int(given) if re.fullmatch(r"-?(0|[1-9]\d{0,30})", given) else given


def writable(path: Path) -> None:
    """Refuse a file that cannot be written, before anything is played."""
    if path.is_dir():
        raise Unable(f"`{path}` is a folder, not a file to write the report to")
    if not path.absolute().parent.is_dir():
        raise Unable(f"`{path}` cannot be written: there is no folder `{path.parent}`")


def write(path: Path, text: str) -> None:
    """Write a file."""
    try:
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as failure:
        raise Unable(f"`{path}` cannot be written: {why(failure)}") from None


def covered(coverage: bool | None, wanted: int) -> int:
    """How many of the first games are counted with coverage."""
    from rulerun.simulation.run.schedule import COVERED

    return COVERED if coverage is None else wanted if coverage else 0


def _folder(
    path: Path,
    game: Game,
    seats: dict[int, str],
    seed: int | str,
    coverage: bool | None,
    counted: tuple[int, ...],
) -> Folder:
    from rulerun.simulation.run.checkpoint import Folder, Unkept, identity

    words = {None: "the first", True: "all", False: "no"}
    try:
        return Folder(path, game, identity(game, seats, seed, words[coverage], counted))
    except Unkept as unkept:
        raise Unable(str(unkept)) from None


def _run(
    task: Simulating,
    jobs: int | None,
    cluster: str | None,
    until: float | None,
    kept: Folder | None,
) -> Outcome:
    from rulerun.session.agents import AgentFault
    from rulerun.simulation.run.checkpoint import Unkept
    from rulerun.simulation.run.driver import run
    from rulerun.simulation.run.pool import runner
    from rulerun.simulation.run.task import Lost

    games = task.games
    known = {} if kept is None else kept.known
    here = sum(piece.many for piece in known if piece.end <= games)
    played, largest = runner(task, task.executor, games - here, jobs, cluster)
    with Progress(games, "games") as progress:
        rate = Rate(here, games, progress, aloud=task.thinking)
        try:
            return run(
                task.game,
                played,
                games,
                until,
                known=known,
                keeper=kept,
                largest=largest,
                told=rate.tell,
            )
        except AgentFault as fault:
            progress.wipe()
            raise Unable(str(fault)) from None
        except Lost as lost:
            progress.wipe()
            safe = "" if kept is None else f"; what was played is kept in `{kept.path}`"
            raise Unable(f"{lost}{safe}") from None
        except Unkept as unkept:
            progress.wipe()
            raise Unable(str(unkept)) from None


class Rate:
    """Says how fast games are played, and where that matters aloud how long it will take.

    Where somebody thinks that is said early, in a line of its own: a person may not want to wait.
    """

    def __init__(
        self,
        here: int,
        wanted: int,
        progress: Progress,
        what: str = "games",
        *,
        aloud: bool = False,
        least: int = 1,
        done: str = "played",
    ) -> None:
        """`here` games were there before; `aloud`: say how long it takes, when `least` are done."""
        self._here = here
        self._wanted = wanted
        self._progress = progress
        self._what = what
        self._aloud = aloud
        self._least = least
        self._done = done
        self._begun = time.monotonic()
        self._first: tuple[float, int] | None = None
        progress.begin(here)

    def tell(self, games: int) -> None:
        """So many games are done."""
        now = time.monotonic()
        done, seconds = games - self._here, now - self._begun
        label = self._what
        if done > 0 and seconds > 0:
            rate = done / seconds
            label = f"{self._what}, {rate:,.0f}" if rate >= 10 else f"{self._what}, {rate:.2g}"
            label += " a second"
        if self._aloud:
            self._tell_once(now, games)
        self._progress.at(games, self._wanted, label)

    def _tell_once(self, now: float, games: int) -> None:
        """Say how long it will take, as soon as that is known well enough."""
        if self._first is None:
            # Before the first is done, workers begin: of that nothing follows for the others.
            slow = now - self._begun > SLOW and self._least == 1
            self._first = (self._begun, self._here) if slow else (now, games)
        since, before = self._first
        if games - before < self._least or now - since < SURE:
            return
        self._aloud = False
        left = (self._wanted - games) * (now - since) / (games - before)
        if left > LONG:
            self._progress.wipe()
            note(
                f"about {lasting(left)} more for the other {self._wanted - games:,} "
                f"{self._what}, as fast as the first went; "
                f"Ctrl-C shows what was {self._done} until then"
            )


def _result(
    game: Game,
    rules: str,
    seats: dict[int, str],
    seed: int | str,
    outcome: Outcome,
    counted: tuple[int, ...],
    folder: Path | None,
) -> dict[str, Any]:
    from rulerun.simulation.stats.result import result

    try:
        failed = _failed(game, seats, seed, outcome.totals, folder or Path(), rules)
    except OSError as failure:
        raise Unable(f"`{failure.filename}`: a record cannot be written: {why(failure)}") from None
    return result(game, seats, seed, outcome.totals, outcome.stopped, failed, rules, counted)


def _failed(
    game: Game, seats: dict[int, str], seed: int | str, totals: Totals, folder: Path, rules: str
) -> list[dict[str, Any]]:
    """What stopped games, if something did."""
    if totals.ended == totals.games:
        return []
    from rulerun.simulation.run.failures import errors

    return errors(game, seats, seed, totals, folder, rules)


def _report(found: dict[str, Any], form: str, file: str, folder: Path | None) -> None:
    if form == "json":
        out(as_json(found, indent=1))
        return
    from shlex import quote

    from rulerun.simulation.report.sections import simulation_report

    def replay(error: Mapping[str, Any]) -> str:
        record = error["record"]
        path = quote(record if folder is None else str(folder / record))
        return f"rulerun replay {path} --rules {quote(file)}"

    report = simulation_report(found, replay)
    if form == "csv":
        from rulerun.simulation.report.csv_table import table

        out(table(report))
        return
    from rulerun.simulation.report.text import text

    out(text(report))
