"""`rulerun watch`: what a rule that was just saved does, as long as somebody edits.

Assumes a rules file that somebody has open in an editor.
Does: looks again whenever the file, its modules or its scenarios were saved: what `validate` finds,
which scenarios have changed, and what many quick games of random players come to, beside what they
came to before; what stopped some of them, and which rules none of them came to, as `simulate` says
it. The same luck each time, so that a difference is the rule's.
Leaves behind lines; Ctrl-C ends it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rulerun.cli.common import BEST, color_option, colored, find_rules, out, what_runs

if TYPE_CHECKING:
    from rulerun.simulation.stats.totals import Totals
    from rulerun_dsl.diagnostics.diagnostic import Diagnostic
    from rulerun_dsl.model import Game

_EACH = 0.3
"""Seconds between two looks at the files."""

_SEED = 0
_COVERED = 100
"""Of so many games it is counted which rules ran: counting takes time."""

_LEAST = 0.02
"""A share that differs by less is told without what it was."""


@dataclass(frozen=True)
class Look:
    """What was found at one time."""

    findings: tuple[Diagnostic, ...] = ()
    scenarios: Mapping[str, bool] = field(default_factory=dict)
    """By id, whether it passes."""
    numbers: Mapping[str, float] = field(default_factory=dict)
    """What the games that ended came to."""
    odd: str = ""
    """What is to be mended in what the games showed, as `simulate` says it."""
    files: tuple[Path, ...] = ()


@click.command("watch")
@click.argument("file")
@click.option("--players", type=click.IntRange(min=1), metavar="N", help="How many play.")
@click.option(
    "--games",
    type=click.IntRange(min=0),
    default=200,
    show_default=True,
    metavar="N",
    help="So many games of random players after each change.",
)
@click.option("--once", is_flag=True, help="Look once, and wait for nothing.")
@color_option
def watch(file: str, players: int | None, games: int, once: bool) -> None:
    """Look at a rules file again whenever it is saved.

    Says what is wrong, which scenarios have changed, and what quick games come to.
    """
    import sys

    path = find_rules(file)
    color = colored(sys.stdout)
    before: Look | None = None
    while True:
        now = look(path, players, games)
        out("\n".join(told(now, before, color)) + "\n")
        sys.stdout.flush()
        if once:
            return
        # Of a file that cannot be read, what was known before is still worth comparing with.
        before = now if now.numbers or before is None else before
        wait(now.files)


def look(path: Path, players: int | None, games: int) -> Look:
    """Check a rules file as `validate` does, run its scenarios, and play it."""
    from rulerun.cli.belonging import scenarios_about
    from rulerun.cli.examining import DEFAULT_PLAY, Report, Wanted
    from rulerun.cli.project import project
    from rulerun.scenario.runner import run_scenarios
    from rulerun_dsl.diagnostics.diagnostic import has_errors

    tests = scenarios_about(path)
    report = Report(Wanted(play=DEFAULT_PLAY if games else 0))
    report.rules(path)
    findings = tuple(project().weighed(report.found.values()))
    loaded, wrong = report.load(path)
    files = (path, *tests, *(Path(each.name) for each in (loaded.modules if loaded else ())))
    game = None
    if loaded is not None:
        game, more = loaded.game(players)
        wrong = [*wrong, *more]
    if game is None or has_errors(wrong):
        return Look(findings or tuple(wrong), files=files)
    # The rules are read and their games are made, for what `validate` finds.
    ran = (each for test in tests for each in run_scenarios(test, read=report.load))
    passed = {each.id: each.passed for each in ran if each.id}
    numbers, odd = _played(game, path, players, games) if games else ({}, "")
    return Look(findings, passed, numbers, odd, files)


def _played(
    game: Game, path: Path, players: int | None, games: int
) -> tuple[dict[str, float], str]:
    """What so many games came to, and what is odd in them."""
    from rulerun.simulation.run.driver import run
    from rulerun.simulation.run.pool import Simulating, runner

    executor = what_runs(game, BEST, games, stepped=False)
    task = Simulating(game, executor, (), _SEED, min(games, _COVERED), (), games)
    played, largest = runner(task, executor, games, 1, cluster=None)
    outcome = run(game, played, games, largest=largest)
    if outcome.stopped == "interrupted":
        raise KeyboardInterrupt
    return _numbers(game, outcome.totals), _odd(game, outcome.totals, path, players)


def _odd(game: Game, totals: Totals, path: Path, players: int | None) -> str:
    """Errors that stopped games, and rules to which no game came, in words."""
    from shlex import quote

    from rulerun.simulation.report.sections import what_is_odd
    from rulerun.simulation.report.text import text
    from rulerun.simulation.run.failures import errors
    from rulerun.simulation.stats.result import result

    def again(error: Mapping[str, Any]) -> str:
        seats = f" --players {players}" if players else ""
        return f"rulerun simulate {quote(str(path))}{seats} -n {error['numbers'][0] + 1}"

    failed = errors(game, {}, _SEED, totals, None, str(path.parent))
    found = result(game, {}, _SEED, totals, "games", failed, str(path.parent))
    report = what_is_odd(found, again)
    return text(report) if report.facts or any(each.blocks for each in report.sections) else ""


def _numbers(game: Game, totals: Totals) -> dict[str, float]:
    ended = totals.ended
    if not ended:
        return {}
    found = {"decisions": _mean(totals.decisions)}
    for seat, name in enumerate(game.players):
        won = sum(many for mask, many in totals.winners.items() if mask >> seat & 1)
        found[f"{name} wins"] = won / ended
        if totals.scores:
            found[f"points of {name}"] = _mean(totals.scores[seat])
    return found


def _mean(counts: Counter[int]) -> float:
    many = sum(counts.values())
    return sum(value * count for value, count in counts.items()) / many if many else 0.0


# --------------------------------------------------------------------------------------- telling


def told(now: Look, before: Look | None, color: bool) -> Iterator[str]:
    """What is to be said, beside what was so before."""
    from rulerun_dsl.diagnostics.render import render_text, summary

    yield f"-- {time.strftime('%H:%M:%S')}: {summary(now.findings)}"
    if now.findings:
        yield render_text(now.findings, color=color).rstrip()
    yield from _scenarios(now, before)
    was = {} if before is None else before.numbers
    for name, value in now.numbers.items():
        yield f"{name:>24}  {_number(name, value)}{_was(name, value, was.get(name))}"
    if now.odd:
        yield now.odd.rstrip()


def _scenarios(now: Look, before: Look | None) -> Iterator[str]:
    if not now.scenarios:
        return
    failed = [name for name, passed in now.scenarios.items() if not passed]
    yield f"scenarios: {len(now.scenarios) - len(failed)} passed, {len(failed)} failed"
    was = {} if before is None else before.scenarios
    for name, passed in now.scenarios.items():
        if passed and was.get(name) is False:
            yield f"  passes again: {name}"
        elif not passed and was.get(name, True):
            yield f"  fails now: {name}"


def _number(name: str, value: float) -> str:
    return f"{value:.0%}" if name.endswith(" wins") else f"{value:.1f}"


def _was(name: str, value: float, was: float | None) -> str:
    if was is None or abs(value - was) < _LEAST:
        return ""
    return f"  (was {_number(name, was)})"


def wait(files: tuple[Path, ...]) -> None:
    """Wait until one of these files was saved."""

    def stamps() -> list[float]:
        found = []
        for each in files:
            try:
                found.append(each.stat().st_mtime)
            except OSError:
                # An editor may be writing it anew.
                found.append(0.0)
        return found

    known = stamps()
    while stamps() == known or 0.0 in stamps():
        time.sleep(_EACH)
