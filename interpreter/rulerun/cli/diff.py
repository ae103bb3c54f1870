"""`rulerun diff`: what changed in a game between two rules files.

Assumes files, shipped rulesets, or revisions of git (`two_sides`); that they can be read is found
out, that the rules are right is `validate`'s business.
Does: compares what is declared; with `--simulate` plays both sides as `compare` does.
Leaves behind: text, Markdown or JSON on standard output. Exit code 0: the same game, 1: another,
2: that cannot be told.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from rulerun.cli import EXIT_FINE, EXIT_INTERRUPTED, EXIT_NO
from rulerun.cli.common import (
    Refused,
    Unable,
    color_option,
    format_option,
    game_options,
    make_game,
    note,
    out,
    settings,
)
from rulerun.cli.simulate import running_options
from rulerun_dsl.source.safe_text import as_json

if TYPE_CHECKING:
    from rulerun.cli.two_sides import Side


@click.command("diff")
@click.argument("sides", nargs=-1, required=True, metavar="OLD [NEW]")
@format_option("text", "md", "json")
@click.option(
    "--simulate",
    "games",
    type=click.IntRange(min=1),
    metavar="N",
    help="Also play N games of each side, and say what is different, as `compare` does.",
)
@game_options
@running_options
@color_option
def diff(
    sides: tuple[str, ...],
    form: str,
    games: int | None,
    players: int | None,
    variants: tuple[str, ...],
    assignments: tuple[str, ...],
    seats: tuple[str, ...],
    seed: str,
    executor: str,
    jobs: int | None,
    cluster: str | None,
) -> int:
    """Say what changed in a game between OLD and NEW, not in its text.

    Each is a file, the name of a shipped ruleset, or REV:PATH for what git has. `rulerun diff FILE`
    compares with the last commit, `rulerun diff REV FILE` with a revision, and `rulerun diff REV
    REV FILE` two revisions. Comments, layout and the order of declarations are no change.
    """
    from rulerun.cli.changes_told import Compared, as_data, as_markdown, as_text
    from rulerun.cli.two_sides import sides as read_sides
    from rulerun_dsl.changes.matching import changes_between

    if len(sides) > 3:
        raise click.UsageError("write OLD and NEW, or REV and FILE, or REV, REV and FILE")
    old, new = read_sides(sides)
    first, second = old.loaded, new.loaded
    found = Compared(
        second.outline.title,
        old.name,
        new.name,
        first.fingerprint,
        second.fingerprint,
        first.fingerprint in (second.fingerprint, *second.former_fingerprints),
        changes_between(first.outline, second.outline),
    )
    played: dict[str, Any] | None = None
    stopped = ""
    if games is not None and found.changes.same:
        note("the same game is not played against itself")
    elif games is not None:
        chosen = (players, settings(assignments), variants)
        running = (games, seats, seed, executor, jobs, cluster)
        played, stopped = _simulated(old, new, chosen, running)
    if form == "json":
        data = as_data(found)
        out(as_json({**data, "simulation": played} if games is not None else data, indent=1))
    elif form == "md":
        out(as_markdown(found) + _as_block(played))
    else:
        out(as_text(found) + ("" if played is None else "\n" + _report(played)))
    if stopped == "interrupted":
        note("interrupted")
        return EXIT_INTERRUPTED
    return EXIT_FINE if found.changes.same else EXIT_NO


def _simulated(
    old: Side, new: Side, chosen: tuple[Any, ...], running: tuple[Any, ...]
) -> tuple[dict[str, Any], str]:
    """Both sides played with the same settings, as far as each has them."""
    from rulerun.cli.compare import same_table, side_by_side

    players, options, variants = chosen
    games, *how = running
    try:
        one = make_game(old.loaded, players, *_known(old, new, options, variants))
        two = make_game(new.loaded, players or one.people, *_known(new, old, options, variants))
    except Refused:
        # Exit code 1 is for a difference.
        raise Unable("what the change does cannot be told: one side has errors") from None
    same_table(one, two)
    return side_by_side((one, two), (old.name, new.name), games, *how)


def _known(
    side: Side, other: Side, options: dict[str, str], variants: tuple[str, ...]
) -> tuple[dict[str, str], tuple[str, ...]]:
    """The settings without those that the other side alone has: the change may have brought them.

    What neither has is left in, to be refused.
    """

    def left(names: Iterable[str], mine: set[str], theirs: set[str]) -> list[str]:
        return [each for each in names if each in mine or each not in theirs]

    own, foreign = ({each.at.name for each in one.loaded.outline.options} for one in (side, other))
    named, there = (set(one.loaded.variants) for one in (side, other))
    kept = {name: options[name] for name in left(options, own, foreign)}
    return kept, tuple(left(variants, named, there))


def _report(played: dict[str, Any]) -> str:
    from rulerun.simulation.compare.findings import comparison_report
    from rulerun.simulation.report.text import text

    return text(comparison_report(played))


def _as_block(played: dict[str, Any] | None) -> str:
    """The report as a part of Markdown that is folded up."""
    if played is None:
        return ""
    title = f"What that does, in {played['pairs']['played']:,} games of each side"
    return f"\n<details><summary>{title}</summary>\n\n```text\n{_report(played)}```\n\n</details>\n"
