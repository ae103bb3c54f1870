"""`rulerun new`: a small game to begin with.

Assumes a name for the game, and a folder in which nothing of that name lies yet.
Does: asks what kind of game it is, unless that is said, and lays down a rules file that plays and
two scenarios that pass, from the templates that come with rulerun.
Leaves behind `NAME.yaml` and `NAME.test.yaml`, and says what to do with them.
"""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from pathlib import Path

import click

from rulerun.cli.common import Unable, color_option, note, out
from rulerun_dsl.source.identifiers import is_name
from rulerun_dsl.source.regular_files import why

KINDS = {
    "cards": "a hand of cards, a deck, a market",
    "dice": "roll again, or stop in time",
    "board": "tiles on a board of squares",
    "simultaneous": "everybody lays a card at the same time",
}
_PLAYERS = {"cards": "2..4", "dice": "2..6", "board": "2..3", "simultaneous": "2..5"}
_MOST = {"cards": 6, "dice": 20, "board": 6, "simultaneous": 20}
"""How many can play a template at most: for more there are not enough cards, or squares."""


@click.command("new")
@click.argument("name")
@click.option(
    "--kind",
    type=click.Choice(list(KINDS)),
    help="What the game is like. Left out, it is asked for; where nobody can answer: cards.",
)
@click.option("--players", metavar="N", help="How many play: a number, or a range such as 2..4.")
@color_option
def new(name: str, kind: str | None, players: str | None) -> None:
    """Begin a game: NAME.yaml, which plays, and two tests of it in NAME.test.yaml."""
    from rulerun_dsl.source.resources import shipped

    game = name.removesuffix(".yaml")
    if not is_name(game):
        raise click.UsageError(
            f"`{name}` is no name for a game: write one word, such as {_suggested(game)}"
        )
    chosen = kind or _asked()
    if players is not None and not _is_range(players, _MOST[chosen]):
        raise click.UsageError(
            f"`--players {players}`: write a number from 1 to {_MOST[chosen]}, or a range such as "
            "2..4"
        )
    many = players or _PLAYERS[chosen]
    title = game.replace("_", " ")
    filled = {"GAME": game, "TITLE": title[:1].upper() + title[1:], "PLAYERS": many}
    folder = shipped("rulesets") / "templates"
    for ending in (".yaml", ".test.yaml"):
        text = (folder / f"{chosen}{ending}.in").read_text(encoding="utf-8")
        _write(Path(game + ending), re.sub("|".join(filled), lambda each: filled[each[0]], text))
    out(
        f"{game}.yaml plays, and {game}.test.yaml tests it.\n"
        f"  rulerun play {game}.yaml\n"
        f"  rulerun validate {game}.yaml\n"
        f"  rulerun test {game}.test.yaml\n"
        "Then change a line, and see what they say.\n"
    )


def _asked() -> str:
    """The kind that somebody at a terminal wants."""
    if sys.stdin is None or not sys.stdin.isatty():
        return "cards"
    note("What is the game like?")
    for number, (kind, about) in enumerate(KINDS.items(), 1):
        note(f"  {number} {kind}: {about}")
    kinds = list(KINDS)
    answers = [*kinds, *map(str, range(1, len(kinds) + 1))]
    answer: str = click.prompt("Kind", type=click.Choice(answers), show_choices=False, err=True)
    return kinds[int(answer) - 1] if answer.isdigit() else answer


def _is_range(text: str, most: int) -> bool:
    found = re.fullmatch(r"(\d{1,2})(?:\.\.(\d{1,2}))?", text)
    return found is not None and 1 <= int(found[1]) <= int(found[2] or found[1]) <= most


def _suggested(name: str) -> str:
    word = re.sub(r"\W+", "_", Path(name).name.casefold()).strip("_")
    return f"`{word}`" if is_name(word) else "`my_game`"


def _write(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise Unable(f"there is a file `{path}` already, and it stays as it is") from None
    except OSError as failure:
        with suppress(OSError):
            path.unlink()
        raise Unable(f"`{path}` cannot be written: {why(failure)}") from None
