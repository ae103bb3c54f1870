"""`rulerun rules`: a rulebook made from the rules.

Assumes a rules file that loads.
Does: makes the game for the settings asked for, and a book of it in the language asked for.
Leaves behind the book as text, Markdown or a page, on standard output or in a file.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulerun.cli.common import (
    Unable,
    color_option,
    find_rules,
    format_option,
    game_options,
    load_rules,
    make_game,
    note,
    out,
)
from rulerun.cli.languages import labels, language_option
from rulerun.cli.option_names import named_settings
from rulerun_dsl.source.regular_files import why

if TYPE_CHECKING:
    from rulerun.rulebook.book import Book
    from rulerun.words.labels import Labels
    from rulerun_dsl.model import Game


@click.command("rules")
@click.argument("file")
@game_options
@language_option
@format_option("text", "md", "html")
@click.option(
    "--output",
    "output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the book to a file.",
)
@color_option
def rules(
    file: str,
    players: int | None,
    variants: tuple[str, ...],
    assignments: tuple[str, ...],
    lang: str | None,
    form: str,
    output: Path | None,
) -> None:
    """Make a rulebook of a rules file, for players.

    FILE is a rules file, or the name of a shipped one. With --set and --variant it is the book of
    that game.
    """
    path = find_rules(file)
    loaded = load_rules(path)
    options, variants = named_settings(path, players, assignments, variants, lang)
    game = make_game(loaded, players, options, variants)
    from rulerun.rulebook.contents import book_for

    # The book itself says if it is in another language.
    names = labels(game, path, lang, tell=False)
    book = book_for(loaded, game, names, variants, typed=form == "text")
    text = written(book, form)
    if output is None:
        out(text)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as failure:
        raise Unable(f"`{output}` cannot be written: {why(failure)}") from None
    note(f"the rules are in {output}")


def written(book: Book, form: str) -> str:
    """A book in a format."""
    if form == "html":
        from rulerun.rulebook.render.as_html import page

        return page(book)
    if form == "md":
        from rulerun.rulebook.render.as_markdown import markdown

        return markdown(book)
    from rulerun.rulebook.render.as_text import lines

    return "\n".join(lines(book)) + "\n"


def book_of(path: Path, game: Game, names: Labels) -> Book:
    """The book of a game that is being played."""
    from rulerun.rulebook.contents import book_for

    loaded = load_rules(path)
    options = {option.name: option.text for option in game.options}
    again = make_game(loaded, game.people, options, ())
    return book_for(loaded, again, names, typed=True)


def lines_of(book: Book, width: int, wanted: str = "") -> list[str]:
    """A book for a screen of some width.

    With a word, what the book says about that; nothing, if it says nothing.
    """
    from rulerun.rulebook.passages import passages
    from rulerun.rulebook.render.as_text import lines

    if wanted:
        book = passages(book, wanted)
        return lines(book, width) if book.sections else []
    return lines(book, width)
