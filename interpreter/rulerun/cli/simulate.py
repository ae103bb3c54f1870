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
from collections.abc import Callable, Sequence
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
    page_option,
    say_what_runs,
    settings,
)
from rulerun.cli.progress import Progress
from rulerun_dsl.source.regular_files import why
from rulerun_dsl.source.safe_text import as_json

if TYPE_CHECKING:
    from rulerun.simulation.run.checkpoint import Folder
    from rulerun.simulation.run.driver import Outcome
    from rulerun_dsl.model import Game

DEFAULT_GAMES = 1_000


def running_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Let a command say what is played, how often, and by what."""
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
            type=click.Choice(["reference", "python", "native"]),
            default="python",
            show_default=True,
            help="What runs the rules. The result is the same.",
        ),
        click.option(
            "--seed",
            default="0",
            show_default=True,
            metavar="N",
            help="The luck. The same seed gives the same result.",
        ),
        click.option(
            "--seat",
            "seats",
            multiple=True,
            metavar="NAME=AGENT",
            help="Who decides: random (the default), first (the first legal action), greedy, "
            "easy, normal, hard, mcts:N, exact:FILE (a policy of `solve`) or package.module:Agent. "
            "`all=first` is for every seat.",
        ),
    ):
        command = option(command)
    return command


def _a_number(ctx: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
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
    callback=_a_number,
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
    form: str,
    page: Path | None,
) -> int:
    """Play many games by agents, and say what they came to.

    FILE is a rules file, or the name of a shipped one: `rulerun simulate brave_rats`. The same
    seed gives the same result, whatever the number of jobs, the executor and the machine. A rule
    error ends its own game; the exit code then is 1.
    """
    path = find_rules(file)
    game = game_of(path, players, settings(assignments), variants)
    where, luck = seating(game, seats), seed_of(seed)
    say_what_runs(game, executor)
    if page is not None:
        writable(page)
    kept = None if folder is None else _folder(folder, game, where, luck, coverage)
    try:
        outcome = _run(game, where, luck, executor, jobs, cluster, games, until_ci, coverage, kept)
    finally:
        if kept is not None:
            kept.close()
    found = _result(game, str(path.parent), where, luck, outcome, folder)
    if page is not None:
        from rulerun.simulation.report.html import page as as_page
        from rulerun.simulation.report.sections import simulation_report

        write(page, as_page(simulation_report(found)))
    _report(found, form, file, folder)
    if outcome.stopped == "interrupted":
        note("interrupted")
        return EXIT_INTERRUPTED
    return EXIT_NO if found["errors"] else EXIT_FINE


def seating(game: Game, given: Sequence[str]) -> dict[int, str]:
    """Whose agent is which, by seat."""
    from rulerun.search.agent_names import Unfit
    from rulerun.simulation.run.seats import seated

    try:
        return seated(game, given)
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
    path: Path, game: Game, seats: dict[int, str], seed: int | str, coverage: bool | None
) -> Folder:
    from rulerun.simulation.run.checkpoint import Folder, Unkept, identity

    words = {None: "the first", True: "all", False: "no"}
    try:
        return Folder(path, game, identity(game, seats, seed, words[coverage]))
    except Unkept as unkept:
        raise Unable(str(unkept)) from None


def _run(
    game: Game,
    seats: dict[int, str],
    seed: int | str,
    executor: str,
    jobs: int | None,
    cluster: str | None,
    games: int,
    until: float | None,
    coverage: bool | None,
    kept: Folder | None,
) -> Outcome:
    from rulerun.session.agents import AgentFault
    from rulerun.simulation.run.checkpoint import Unkept
    from rulerun.simulation.run.driver import run
    from rulerun.simulation.run.pool import Simulating, runner
    from rulerun.simulation.run.task import Lost

    task = Simulating(game, executor, tuple(seats.items()), seed, covered(coverage, games))
    known = {} if kept is None else kept.known
    here = sum(piece.many for piece in known if piece.end <= games)
    played, largest = runner(task, executor, games - here, jobs, cluster)
    with Progress(games, "games") as progress:
        rate = Rate(here, games, progress)
        try:
            return run(
                game,
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
    """Says how fast games are played, and how long it will take."""

    def __init__(self, here: int, wanted: int, progress: Progress) -> None:
        """`here` games were there before."""
        self._here = here
        self._wanted = wanted
        self._progress = progress
        self._begun = time.monotonic()

    def tell(self, games: int) -> None:
        """So many games are done."""
        seconds = time.monotonic() - self._begun
        rate = (games - self._here) / seconds if seconds > 0 else 0.0
        label = "games"
        if rate > 0:
            label = f"games, {rate:,.3g} a second, {_lasting((self._wanted - games) / rate)} left"
        self._progress.at(games, self._wanted, label)


def _lasting(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


def _result(
    game: Game,
    rules: str,
    seats: dict[int, str],
    seed: int | str,
    outcome: Outcome,
    folder: Path | None,
) -> dict[str, Any]:
    from rulerun.simulation.run.failures import errors
    from rulerun.simulation.stats.result import result

    try:
        failed = errors(game, seats, seed, outcome.totals, folder or Path(), rules)
    except OSError as failure:
        raise Unable(f"`{failure.filename}`: a record cannot be written: {why(failure)}") from None
    return result(game, seats, seed, outcome.totals, outcome.stopped, failed, rules)


def _report(found: dict[str, Any], form: str, file: str, folder: Path | None) -> None:
    if form == "json":
        out(as_json(found, indent=1))
        return
    from shlex import quote

    from rulerun.simulation.report.csv_table import table
    from rulerun.simulation.report.sections import simulation_report
    from rulerun.simulation.report.text import text

    def replay(record: str) -> str:
        path = quote(record if folder is None else str(folder / record))
        return f"rulerun replay {path} --rules {quote(file)}"

    report = simulation_report(found, replay)
    out(table(report) if form == "csv" else text(report))
