"""`rulerun compile`: what a game is compiled to, as text.

Assumes a rules file.
Does: makes the game for the settings that are named, and writes the Python that runs it, the
intermediate representation of which that is made, or the LLVM module of which machine code is made.
Leaves behind text on standard output, or in a file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulerun.cli import EXIT_FINE
from rulerun.cli.common import (
    Unable,
    color_option,
    find_rules,
    game_of,
    game_options,
    note,
    out,
    settings,
)
from rulerun_dsl.source.regular_files import why

if TYPE_CHECKING:
    from rulerun_dsl.model import Game


@click.command("compile")
@click.argument("file")
@game_options
@click.option(
    "--to",
    "target",
    type=click.Choice(["python", "ir", "llvm"]),
    default="python",
    show_default=True,
    help="Python source, the intermediate representation, or an LLVM module.",
)
@click.option(
    "-o",
    "--output",
    "output",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write it to a file.",
)
@color_option
def compile_(
    file: str,
    players: int | None,
    variants: tuple[str, ...],
    assignments: tuple[str, ...],
    target: str,
    output: Path | None,
) -> int:
    """Print what a game is compiled to.

    FILE is a rules file, or the name of a shipped one.
    """
    from rulerun.compiled.ir.program import Unsupported

    game = game_of(find_rules(file), players, settings(assignments), variants)
    try:
        text = TARGETS[target](game)
    except Unsupported as reason:
        raise Unable(
            f"{game.name} cannot be compiled: there is no lowering yet of {reason}; "
            "the reference executor runs it"
        ) from None
    if output is None:
        out(text)
        return EXIT_FINE
    try:
        output.write_text(text, encoding="utf-8", newline="\n")
    except OSError as failure:
        raise Unable(f"`{output}` cannot be written: {why(failure)}") from None
    note(f"{output}: {text.count(chr(10))} lines")
    return EXIT_FINE


def _python(game: Game) -> str:
    from rulerun.compiled.python.preparing import prepared
    from rulerun.compiled.python.source import source

    return source(*prepared(game))


def _ir(game: Game) -> str:
    from rulerun.compiled.ir.printing import printed
    from rulerun.compiled.lower.lower import lower

    return printed(lower(game))


def _llvm(game: Game) -> str:
    from rulerun.compiled.lower.lower import lower
    from rulerun.compiled.native.memory import target_of
    from rulerun.compiled.native.runs import module

    return module(target_of(lower(game)), game.number_of_actions)


TARGETS: Mapping[str, Callable[[Game], str]] = {"python": _python, "ir": _ir, "llvm": _llvm}
