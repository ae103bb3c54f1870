"""`rulerun ladder`: luck or skill, by agents that think longer and longer.

Assumes a rules file for two players or more, and names of agents from weak to strong.
Does: has them play each other, in several processes, and rates them.
Leaves behind a report on standard output, and a page if asked for.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulerun.cli import EXIT_FINE, EXIT_INTERRUPTED
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
    settings,
    what_runs,
)
from rulerun.cli.progress import Progress
from rulerun.cli.simulate import Rate, luck_options, seed_of, writable, write
from rulerun_dsl.source.safe_text import as_json

if TYPE_CHECKING:
    from rulerun.simulation.ladder.climbing import Climbing, Standings
    from rulerun_dsl.model import Game


@click.command("ladder")
@click.argument("file")
@click.option(
    "-n",
    "--games",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    metavar="GAMES",
    help="How many games of each pairing.",
)
@click.option(
    "--rungs",
    metavar="AGENT,AGENT,…",
    help="Who climbs, from weak to strong. Left out: random, greedy and three searches, shorter "
    "ones where games are long.",
)
@game_options
@luck_options
@format_option("text", "json")
@page_option
@color_option
def ladder(
    file: str,
    games: int,
    rungs: str | None,
    players: int | None,
    variants: tuple[str, ...],
    assignments: tuple[str, ...],
    seed: str,
    executor: str,
    jobs: int | None,
    cluster: str | None,
    form: str,
    page: Path | None,
) -> int:
    """Play agents that think longer and longer against each other: luck or skill.

    FILE is a rules file, or the name of a shipped one. Each rung plays the one below and the
    lowest, from every seat in turn; with more than two players, one of the higher rung sits among
    players of the lower one.
    """
    game = game_of(find_rules(file), players, settings(assignments), variants)
    executor = what_runs(game, executor, games, stepped=True)
    task = _task(game, rungs, seed_of(seed), executor)
    if page is not None:
        writable(page)
    standings, stopped = _played(task, games, executor, jobs, cluster)
    from rulerun.simulation.ladder import luck_or_skill

    found = luck_or_skill.ladder(task, standings, stopped)
    report = luck_or_skill.ladder_report(found)
    if page is not None:
        from rulerun.simulation.report.html import page as as_page

        write(page, as_page(report))
    if form == "json":
        out(as_json(found, indent=1))
    else:
        from rulerun.simulation.report.text import text

        out(text(report))
    if stopped == "interrupted":
        note("interrupted")
        return EXIT_INTERRUPTED
    return EXIT_FINE


def _task(game: Game, rungs: str | None, seed: int | str, executor: str) -> Climbing:
    from rulerun.search.agent_names import named
    from rulerun.session.agents import Unfit
    from rulerun.simulation.ladder.climbing import Climbing, default_rungs
    from rulerun.simulation.run.seats import seated

    if game.people < 2:
        raise Unable(f"{game.name} has one player here: on a ladder somebody has to be beaten")
    try:
        seated(game, ())
        given = default_rungs(game) if rungs is None else rungs.split(",")
        names = tuple(named(game, each.strip()) for each in given)
    except Unfit as unfit:
        raise click.UsageError(f"`--rungs`: {unfit}") from None
    if len(set(names)) < max(2, len(names)):
        raise click.UsageError("`--rungs`: name two agents or more, each once, from weak to strong")
    return Climbing(game, executor, names, seed)


def _played(
    task: Climbing, games: int, executor: str, jobs: int | None, cluster: str | None
) -> tuple[Standings, str]:
    from rulerun.simulation.ladder.climbing import Standings, pairings_of
    from rulerun.simulation.run.pool import runner
    from rulerun.simulation.run.schedule import pieces
    from rulerun.simulation.run.task import Lost

    many = len(pairings_of(task.rungs))
    wanted = games * many
    played, largest = runner(task, executor, wanted, jobs, cluster)
    sums = Standings()
    with Progress(wanted, "games") as progress:
        # Pairings take turns, and the last takes longest: one round tells how long all take.
        rate = Rate(0, wanted, progress, aloud=True, least=many)
        arriving = played(pieces(wanted, largest=largest))
        try:
            for _, found in arriving:
                sums.add(found)
                rate.tell(sums.games)
        except KeyboardInterrupt:
            return sums, "interrupted"
        except Lost as lost:
            progress.wipe()
            raise Unable(str(lost)) from None
        finally:
            arriving.close()  # type: ignore[attr-defined]
    return sums, "games"
