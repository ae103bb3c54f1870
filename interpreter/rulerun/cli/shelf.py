"""`rulerun list`: the shipped games by kind, and what a designer can copy from them.

Assumes nothing: of each rules file only its head is read, and nothing is checked.
Leaves behind lists for people, or the same as JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from rulerun.cli.common import Refused, color_option, format_option, out
from rulerun.cli.languages import language_asked, language_option
from rulerun_dsl.source.safe_text import as_json, clean

if TYPE_CHECKING:
    from rulerun.words.language import Language
    from rulerun_dsl.heads import Head

_WIDTH = 100


@click.command("list")
@click.argument("words", metavar="[WORD]...", nargs=-1)
@click.option(
    "--shows", "by_what_is_shown", is_flag=True, help="List what can be copied, and from where."
)
@language_option
@format_option("text", "json")
@color_option
def list_(words: tuple[str, ...], by_what_is_shown: bool, form: str, lang: str | None) -> None:
    """List the games that come with rulerun: `rulerun play NAME` plays one.

    With WORDs only those are listed that have them in their line, also as a part of a word.
    """
    from rulerun.words.language import SHIPPED, language
    from rulerun_dsl.source.resources import ruleset_names, ruleset_path
    from rulerun_dsl.translations import head_in

    asked = language_asked(lang)
    paths = [ruleset_path(name) for name in ruleset_names()]
    games = [head_in(path, asked) for path in paths if path is not None]
    said = language(asked if asked in SHIPPED else "en")
    wanted = " ".join(" ".join(words).split()).casefold()
    if by_what_is_shown:
        shown = {each: names for each, names in _shown(games).items() if wanted in each.casefold()}
        found, key = [{"shows": each, "games": names} for each, names in shown.items()], "shows"
        lines = _patterns(shown)
    else:
        games = [each for each in games if wanted in _texts(each, said)]
        found, key = [asdict(each) for each in games], "games"
        lines = _groups(games, said)
    if not found:
        raise Refused(f"nothing in this list has `{clean(wanted)}` in its line")
    data = {"schema_version": 1, key: found}
    out(as_json(data) if form == "json" else "\n".join(lines) + "\n")


def _texts(game: Head, said: Language) -> str:
    """What is searched."""
    names = game.name, game.name.replace("_", " "), game.title
    kinds = game.kind, game.kind.replace("_", " "), said.heading(game.kind)
    return "\n".join((*names, *kinds, game.about, *game.shows)).casefold()


def _groups(games: Sequence[Head], said: Language) -> list[str]:
    """The games below the headings of their kinds."""
    from rulerun.terminal.formatting import pad, width_of, wrap

    columns = said.shelf
    rows = {each: (each.name, _range(each.players), _range(each.minutes)) for each in games}
    sides = [max(width_of(row[at]) for row in (columns, *rows.values())) for at in range(3)]

    def side(cells: Sequence[str]) -> str:
        return "  ".join(pad(cell, wide) for cell, wide in zip(cells, sides, strict=True))

    lines = [f"  {side(columns)}".rstrip()]
    for heading in said.headings:
        group = [each for each in games if said.heading(each.kind) == heading]
        lines += ["", heading] if group else []
        for each in group:
            about = f"{each.title}: {each.about}" if each.about else each.title
            first = f"  {side(rows[each])}  "
            lines += wrap(about, _WIDTH, first=first, rest=" " * width_of(first))
    return lines


def shown_by() -> dict[str, list[str]]:
    """What can be copied from the games that come with rulerun, with their names."""
    from rulerun_dsl.heads import head_of
    from rulerun_dsl.source.resources import ruleset_names, ruleset_path

    paths = [ruleset_path(name) for name in ruleset_names()]
    return _shown([head_of(path) for path in paths if path is not None])


def _shown(games: Sequence[Head]) -> dict[str, list[str]]:
    """Each phrase with the names of the games that show it, by the alphabet."""
    found: dict[str, list[str]] = {}
    for each in games:
        for phrase in each.shows:
            found.setdefault(phrase, []).append(each.name)
    return dict(sorted(found.items()))


def _patterns(shown: Mapping[str, Sequence[str]]) -> list[str]:
    from rulerun.terminal.formatting import pad, width_of, wrap

    side = max((width_of(phrase) for phrase in shown), default=0)
    lines: list[str] = []
    for phrase, names in shown.items():
        lines += wrap(
            ", ".join(names), _WIDTH, first=f"{pad(phrase, side)}  ", rest=" " * (side + 2)
        )
    return lines


def _range(text: str) -> str:
    return text.replace("..", "-")
