"""`rulerun replay`: a record, played again and told.

Assumes a record, and the rules it was played under: a shipped ruleset, or the file that is named.
Does: gives every input of the record to a session, tests each for legality, and names the first
that does not fit. Then tells what happened as one viewer heard it, and shows the state at the end
of the record, all of it from the session, which hides what that viewer may not see.
Leaves behind text or JSON on standard output; exit code 1 where record and rules differ.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulerun.cli import EXIT_FINE, EXIT_NO, EXIT_UNABLE
from rulerun.cli.common import (
    Unable,
    color_option,
    colored,
    executor_option,
    executors_named,
    find_rules,
    format_option,
    note,
    out,
    tell,
)
from rulerun.cli.languages import labels, language_option
from rulerun.cli.recorded import game_for
from rulerun_dsl.source.safe_text import as_json

if TYPE_CHECKING:
    from rulerun.session.record import Record
    from rulerun.session.session import Session
    from rulerun.words.labels import Labels
    from rulerun_dsl.diagnostics.diagnostic import Diagnostic

SPECTATOR_NAME = "spectator"


@click.command("replay")
@click.argument("record", type=click.Path(path_type=Path))
@click.option("--rules", metavar="FILE", help="The rules file, if it is not a shipped one.")
@click.option("--verify", is_flag=True, help="Only say whether the record fits the rules.")
@click.option(
    "--to",
    "upto",
    type=click.IntRange(min=0),
    metavar="N",
    help="Stop after input number N, and show the table there.",
)
@click.option(
    "--as",
    "viewer",
    default=SPECTATOR_NAME,
    metavar="PLAYER",
    help="Tell it as this player heard it (else: as a spectator did).",
)
@click.option(
    "--force",
    is_flag=True,
    help="Try it under rules that have changed, up to the first difference.",
)
@format_option("text", "json")
@executor_option
@language_option
@color_option
def replay(
    record: Path,
    rules: str | None,
    verify: bool,
    upto: int | None,
    viewer: str,
    force: bool,
    form: str,
    executor: str,
    lang: str | None,
) -> int:
    """Play a record again, and tell what happened."""
    from rulerun.session.record import read_record
    from rulerun.session.replay import replay as play_again
    from rulerun_dsl.source.resources import ruleset_path

    read, found = read_record(record)
    verdict = verify and form == "json"
    if read is None:
        if verdict:
            out(_verdict(found))
        else:
            tell(found)
        return EXIT_NO if found[-1].code == "RR1010" else EXIT_UNABLE
    path = find_rules(rules) if rules is not None else ruleset_path(read.game)
    if path is None:
        raise Unable(
            f"`{record}` is a game of {read.game}, which is no shipped ruleset: "
            "say with --rules which file it was played by"
        )
    game = game_for(path, read, force)
    if read.language != game.language:
        raise Unable(
            f"`{record}` was played by version {read.language} of the language, this is "
            f"{game.language}"
        )
    at = _viewer(viewer, game.players)
    runs = executors_named(executor)(game)
    session, differences = play_again(read, runs, forced=force, to=upto)
    found = [*found, *differences]
    if verdict:
        out(_verdict(found, read, session))
    else:
        tell(found)
    if session is None:
        return EXIT_NO
    if verdict:
        pass
    elif verify:
        _verified(record, read, session, found)
    elif form == "json":
        out(_as_json(session, at))
    else:
        _tell(session, at, labels(game, path, lang))
    return EXIT_NO if differences or _has_errors(found) or (verify and found) else EXIT_FINE


def _viewer(name: str, players: Sequence[str]) -> int:
    from rulerun_dsl.diagnostics.diagnostic import suggest
    from rulerun_dsl.model import SPECTATOR

    names = {player.casefold(): at for at, player in enumerate(players)}
    if name.casefold() in names:
        return names[name.casefold()]
    if name == SPECTATOR_NAME:
        return SPECTATOR
    close = suggest(name, players)
    hint = f"did you mean {close}?" if close else f"there are {', '.join(players)}"
    raise click.UsageError(f"there is no player {name}; {hint}")


def _verified(path: Path, record: Record, session: Session, found: Sequence[Diagnostic]) -> None:
    if found:
        note(f"{path}: good up to input {len(session.history)}")
        return
    ended = record.end
    how = ended.text if ended is not None else "not at its end"
    inputs = len(record.entries) - (ended is not None)
    note(f"{path}: {inputs} inputs, {how}; it fits the rules")
    if record.format == 1:
        note(
            "It is of format 1, without sums: an input that was changed and still fits is not seen."
        )


def _verdict(
    found: Sequence[Diagnostic], record: Record | None = None, session: Session | None = None
) -> str:
    """Whether a record fits, up to which input, and how it says that it ended."""
    from rulerun_dsl.diagnostics.render import render_json

    ended = None if record is None else record.end
    data = {
        "schema_version": 1,
        "fits": not found,
        "format": None if record is None else record.format,
        "inputs": 0 if session is None else len(session.history),
        "ended": None if ended is None else ended.text,
        "diagnostics": json.loads(render_json(found))["diagnostics"],
    }
    return as_json(data)


def _tell(session: Session, viewer: int, names: Labels) -> None:
    """What happened, the table, and the end if it is reached."""
    from rulerun.terminal.save import Keeper
    from rulerun.terminal.screen import Screen
    from rulerun.terminal.sitting import Sitting

    screen = Screen(color=colored(sys.stdout))
    sitting = Sitting(session, screen, Keeper(session.game, {}, 0), note, names)
    screen.say(screen.paint.strong(names.title))
    sitting.screen.lines(sitting.hearing.story(viewer))
    sitting.show(viewer)
    if session.asked:
        waits = sitting.names.players(session.observation(viewer).asked)
        if waits:
            screen.say("", names.speech.waits_for.format(players=waits))


def _as_json(session: Session, viewer: int) -> str:
    """What the viewer was given, and nothing that counts what others did in secret."""
    data = {
        "schema_version": 1,
        "game": session.game.name,
        "over": session.over,
        "truncated": session.truncated,
        "told": [told.data() for told in session.log(viewer)],
        "observation": session.observation(viewer).data(),
    }
    return as_json(data)


def _has_errors(diagnostics: Sequence[Diagnostic]) -> bool:
    from rulerun_dsl.diagnostics.diagnostic import has_errors

    return has_errors(diagnostics)
