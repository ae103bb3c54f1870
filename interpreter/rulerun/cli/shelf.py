"""`rulerun list`: the shipped games, a line each.

Assumes nothing: of each rules file only its head is read, and nothing is checked.
Leaves behind a list for people, or the same as JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from rulerun.cli.common import color_option, format_option, out
from rulerun.cli.languages import language_asked, language_option
from rulerun_dsl.source.safe_text import as_json

if TYPE_CHECKING:
    from rulerun_dsl.heads import Head

_WIDTH = 100


@click.command("list")
@language_option
@format_option("text", "json")
@color_option
def list_(form: str, lang: str | None) -> None:
    """List the games that come with rulerun: `rulerun play NAME` plays one."""
    from rulerun_dsl.source.resources import ruleset_names, ruleset_path
    from rulerun_dsl.translations import head_in

    asked = language_asked(lang)
    paths = [ruleset_path(name) for name in ruleset_names()]
    games = [head_in(path, asked) for path in paths if path is not None]
    if form == "json":
        data = {"schema_version": 1, "games": [asdict(each) for each in games]}
        out(as_json(data))
        return
    out("\n".join(_lines(games)) + "\n")


def _lines(games: Sequence[Head]) -> list[str]:
    from rulerun.terminal.formatting import pad, width_of, wrap

    rows = [("name", "players", "minutes", "")]
    for each in games:
        about = f"{each.title}: {each.about}" if each.about else each.title
        rows.append((each.name, _range(each.players), _range(each.minutes), about))
    sides = [max(width_of(row[at]) for row in rows) for at in range(3)]
    lines = []
    for *cells, about in rows:
        side = "  ".join(pad(cell, wide) for cell, wide in zip(cells, sides, strict=True))
        lines += wrap(about, _WIDTH, first=f"{side}  ", rest=" " * (width_of(side) + 2))
    return lines


def _range(text: str) -> str:
    return text.replace("..", "-")
