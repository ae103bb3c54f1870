"""`rulerun play`: seats, seed, record; then people sit down at the terminal.

Assumes a rules file, or a record to go on with, which names the rules it was played by.
Does: makes the game, seats people and bots, opens the record, says what is played, and hands over
to `terminal.sitting` or, with `--script`, to `terminal.script`.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulerun.cli.common import (
    Refused,
    Unable,
    color_option,
    colored,
    complain,
    executor_option,
    executors_named,
    find_rules,
    game_options,
    kept_game_of,
    note,
    tell,
)
from rulerun.cli.files import STDIN, standard_input
from rulerun.cli.languages import labels, language_option, preparing
from rulerun.cli.option_names import named_settings
from rulerun.cli.progress import Patience
from rulerun.cli.recorded import game_for
from rulerun_dsl.source.regular_files import LARGEST_FILE, read_regular, why
from rulerun_dsl.source.safe_text import clean

if TYPE_CHECKING:
    from rulerun.rulebook.book import Book
    from rulerun.runtime.executor import Executor
    from rulerun.session.agents import Agent
    from rulerun.session.record import Record
    from rulerun.session.session import Session
    from rulerun.terminal.save import Keeper
    from rulerun.terminal.screen import Screen
    from rulerun.terminal.sitting import Sitting
    from rulerun.words.labels import Labels
    from rulerun_dsl.model import Game

HUMAN = "human"
EVERYBODY = "all"


@click.command("play")
@click.argument("file", required=False)
@game_options
@click.option(
    "--seat",
    "seats",
    multiple=True,
    metavar="PLAYER=WHO",
    help="Who plays: human, easy, normal or hard (bots that think), mcts:N, greedy, random, "
    "first, exact:FILE (a policy of `solve`) or package.module:Agent. Left out: you against normal "
    "bots (easy ones, where no machine code can be made). `all=human` seats everybody at this "
    "screen.",
)
@click.option("--seed", metavar="N", help="Play with the luck of this number.")
@click.option(
    "--record",
    "record_path",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Keep every input in a new file.",
)
@click.option(
    "--resume",
    "resume_path",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Go on with a game that was kept, and keep it there.",
)
@click.option(
    "--script",
    "script_path",
    metavar="FILE",
    help="Take the inputs from a file (`-`: from a pipe), one a line: ACTION, "
    "PLAYER: ACTION or chance: OUTCOME.",
)
@click.option(
    "--pace",
    type=click.FloatRange(0, 10),
    default=0.0,
    metavar="SECONDS",
    help="How long each line of what the others do stands alone on a terminal.",
)
@executor_option
@language_option
@color_option
def play(
    file: str | None,
    players: int | None,
    variants: tuple[str, ...],
    assignments: tuple[str, ...],
    seats: tuple[str, ...],
    seed: str | None,
    record_path: Path | None,
    resume_path: Path | None,
    script_path: str | None,
    pace: float,
    executor: str,
    lang: str | None,
) -> int:
    """Play a game at this terminal.

    FILE is a rules file, or the name of a shipped one: `rulerun play brave_rats`.
    """
    from rulerun.terminal.screen import Screen

    if resume_path is not None:
        if players or variants or assignments or seed:
            raise click.UsageError(
                "with --resume the options, the players and the seed are those of the record"
            )
        table = _resumed(file, resume_path, seats, lang)
    elif file is None:
        raise click.UsageError(
            "say what to play: a rules file, or the name of a shipped one, such as brave_rats"
        )
    else:
        path = find_rules(file)
        with Patience(preparing(lang)):
            options, variants = named_settings(path, players, assignments, variants, lang)
            kept = kept_game_of(path, players, options, variants)
            game = kept.game
            names = labels(game, path, lang)
        seated = _seated(game, seats, None, kept.name)
        seeded = _seed(seed)
        table = _Table(game, seated, seeded, None, names, path, variants=variants, known=kept.name)
    rules = file if file is not None and Path(file).exists() else ""
    table = replace(table, executor=executor, rules=rules)
    screen = Screen(color=colored(sys.stdout), pace=pace)
    script = None if script_path is None else _script_text(script_path)
    code, ended = _play(table, screen, record_path, resume_path, script, script_path or "")
    if ended is not None and screen.live and screen.terminal:
        return _go_on_playing(table, screen, ended)
    return code


def _go_on_playing(table: _Table, screen: Screen, ended: Sitting) -> int:
    """Play game after game, as long as somebody wants."""
    from rulerun.terminal.evening import Evening
    from rulerun.terminal.formatting import wrap

    evening = Evening(table.seats)
    while True:
        evening.count(ended.standings)
        screen.say("", *wrap(evening.score(table.names), screen.width))
        if not evening.go_on(screen, table.names, ended.after):
            return 0
        table = replace(table, seats=evening.now(), seed=_seed(None), record=None)
        screen.say("")
        code, next_ = _play(table, screen, None, None, None, "")
        if next_ is None:
            return code
        ended = next_


@dataclass(frozen=True)
class _Table:
    """What is played, by whom, and what was played so far."""

    game: Game
    seats: dict[int, str]
    seed: int | str
    record: Record | None
    names: Labels
    path: Path
    executor: str = "python"
    rules: str = ""
    """The rules file, if it is no shipped one."""
    variants: tuple[str, ...] = ()
    """Those that were asked for."""
    known: str = ""
    """What names the game in the cache."""

    def book(self, width: int, wanted: str) -> list[str]:
        """The rules of the game that is played, or what they say about a word.

        None if the file cannot be read any more when they are first asked for.
        """
        from rulerun.cli.rules import lines_of

        try:
            return lines_of(self._book, width, wanted)
        except click.ClickException:
            return []

    @cached_property
    def _book(self) -> Book:
        from rulerun.cli.rules import book_of

        return book_of(self.path, self.game, self.names)

    def agents(self) -> dict[int, Agent]:
        from rulerun.executors.make import AUTO
        from rulerun.search.agent_names import maker

        # Whatever runs the rules at the table: a search finds the same, and people wait for it.
        bots = {player: who for player, who in self.seats.items() if who != HUMAN}
        return {player: maker(self.game, who, AUTO, self.known)() for player, who in bots.items()}


def _play(
    table: _Table,
    screen: Screen,
    record_path: Path | None,
    resume_path: Path | None,
    script: str | None,
    script_name: str,
) -> tuple[int, Sitting | None]:
    """One game: the exit code, and who sits there still if people played it to its end."""
    from rulerun.runtime.executor import RuleError
    from rulerun.terminal.ending import told_error
    from rulerun.terminal.save import Keeper, NotKept
    from rulerun.terminal.sitting import Sitting

    keeper = Keeper(table.game, table.seats, table.seed, table.record)
    keeper.rules = table.rules
    spoken = table.names.speech.code
    keeper.lang = "" if spoken == table.game.words.language else spoken
    opened = False
    people = HUMAN in table.seats.values()
    try:
        with Patience(table.names.speech.preparing):
            session = _session(table, keeper, record_path, resume_path)
        opened = True
        complain_of = lambda text: note(f"rulerun: {text}")  # noqa: E731
        sitting = Sitting(session, screen, keeper, complain_of, table.names, table.book)
        _opening(table, screen)
        if script is not None:
            from rulerun.terminal.script import follow, read_script

            return follow(sitting, read_script(script, table.game), script_name), None
        code = sitting.play()
        return code, sitting if code == 0 and people and sitting.standings else None
    except RuleError as error:
        note(f"rulerun: {'' if opened else 'in set-up '}{told_error(error)}")
        if opened:
            _how_to_go_on(keeper)
        return 1, None
    except NotKept as failure:
        note(f"rulerun: {failure}; nothing is lost but this input")
        _how_to_go_on(keeper)
        return 2, None
    except KeyboardInterrupt:
        note("\ninterrupted")
        _how_to_go_on(keeper)
        return 130, None
    finally:
        keeper.close()


def _session(
    table: _Table, keeper: Keeper, record_path: Path | None, resume_path: Path | None
) -> Session:
    """The session, at the beginning or where the record ends, with its record open."""
    from rulerun.executors.answering import Answering
    from rulerun.session.session import Session

    executor: Executor
    if table.executor == "python":
        executor = Answering(table.game)
    else:
        executor = executors_named(table.executor)(table.game)
    if table.record is None:
        if record_path is not None:
            _begin_record(keeper, record_path)
        return Session(executor, table.agents(), table.seed, keeper, automatic=False)
    from rulerun.session.replay import replay

    session, found = replay(table.record, executor, seats=table.agents())
    if session is None or found:
        complain(found)
        raise Refused("the record cannot be played on")
    if record_path is not None:
        _begin_record(keeper, record_path)
    elif table.record.end is None and resume_path is not None:
        _go_on(keeper, resume_path, table.record)
    session.record_with(keeper, closed=table.record.end is not None)
    return session


def _go_on(keeper: Keeper, path: Path, record: Record) -> None:
    from rulerun.host.locking import InUse

    try:
        keeper.go_on(path, record)
    except InUse as failure:
        raise Unable(
            f"`{path}` is in use: {failure.strerror}; `rulerun replay {path}` only reads it"
        ) from None
    except OSError as failure:
        raise Unable(f"`{path}` cannot be written: {why(failure)}") from None


def _begin_record(keeper: Keeper, path: Path) -> None:
    try:
        keeper.save(path)
    except FileExistsError:
        raise Unable(
            f"there is a file `{path}` already; `--resume {path}` goes on with it"
        ) from None
    except OSError as failure:
        raise Unable(f"`{path}` cannot be written: {why(failure)}") from None


def _resumed(file: str | None, path: Path, seats: Sequence[str], lang: str | None) -> _Table:
    """What a record says was played."""
    from rulerun.session.record import read_record
    from rulerun_dsl.diagnostics.diagnostic import has_errors
    from rulerun_dsl.source.resources import ruleset_path

    record, found = read_record(path)
    if record is None or has_errors(found):
        complain(found)
        raise Unable(f"`{path}` is no record that can be played on")
    tell(found)
    rules = find_rules(file) if file is not None else ruleset_path(record.game)
    if rules is None:
        raise Unable(
            f"`{path}` is a game of {record.game}, which is no shipped ruleset: write "
            f"`rulerun play FILE --resume {path}`"
        )
    game = game_for(rules, record)
    seated = _seated(game, seats, record.seats)
    seed = 0 if record.seed is None else record.seed
    return _Table(game, seated, seed, record, labels(game, rules, lang), rules)


def _seated(
    game: Game, given: Sequence[str], before: Mapping[str, str] | None, known: str = ""
) -> dict[int, str]:
    """Who plays whom, by player. `known`: what names the game in the cache."""
    from rulerun.search.agent_names import named, opponent
    from rulerun.session.agents import Unfit
    from rulerun_dsl.diagnostics.diagnostic import suggest

    def numbered(who: str) -> str:
        return who if who == HUMAN else named(game, who, known)

    found: dict[int, str] = {}
    for player, who in (before or {}).items():
        if player in game.players:
            try:
                found[game.players.index(player)] = numbered(who)
            except Unfit:
                found[game.players.index(player)] = HUMAN
    for each in given:
        name, equals, who = (part.strip() for part in each.partition("="))
        if not equals:
            raise click.UsageError(f"`--seat {each}`: write it as PLAYER=WHO")
        try:
            who = numbered(who)
        except Unfit as reason:
            raise click.UsageError(f"`--seat {each}`: {reason}") from None
        people = game.players[: game.people]
        names = {player.casefold(): at for at, player in enumerate(people)}
        if name == EVERYBODY:
            found.update(dict.fromkeys(range(game.people), who))
        elif name.casefold() in names:
            found[names[name.casefold()]] = who
        else:
            close = suggest(name, people)
            hint = f"did you mean {close}?" if close else f"there are {', '.join(people)}"
            if name.casefold() in [each.casefold() for each in game.players]:
                hint = f"{name} is an automa, which the rules play"
                raise click.UsageError(f"`--seat {each}`: {hint}")
            raise click.UsageError(f"`--seat {each}`: there is no player {name}; {hint}")
    for at in range(game.people):
        if at not in found:
            found[at] = numbered(opponent()) if HUMAN in found.values() else HUMAN
    return dict(sorted(found.items()))


def _seed(given: str | None) -> int | str:
    if given is None:
        return int.from_bytes(os.urandom(4), "big")
    return int(given) if re.fullmatch(r"-?(0|[1-9]\d{0,30})", given) else given


def _script_text(path: str) -> str:
    try:
        content = standard_input() if path == STDIN else read_regular(path)
    except (OSError, ValueError) as failure:
        raise Unable(f"the script `{path}` cannot be read: {why(failure)}") from None
    if len(content) > LARGEST_FILE:
        raise Unable(f"the script is larger than {LARGEST_FILE // 2**20} MiB")
    return content.decode("utf-8", "replace")


def _opening(table: _Table, screen: Screen) -> None:
    """Say what is played."""
    from rulerun.terminal.evening import seated
    from rulerun.terminal.formatting import wrap

    game, names = table.game, table.names
    speech = names.speech
    changed = [names.named("variant", each) for each in table.variants]
    for option in game.options:
        if option.text != option.default_text:
            value = names.of_type(option.type, option.text)
            name = names.named("option", option.name)
            changed.append(f"{name} {value}" if value[-1:].isdigit() else f"{name} ({value})")
    rows = [(speech.seats, ", ".join(seated(names, seat, table.seats) for seat in table.seats))]
    if changed:
        rows.insert(0, (speech.options, ", ".join(changed)))
    if table.record is None:
        rows.append((speech.seed, speech.seed_again.format(seed=table.seed)))
    else:
        # Not after how many inputs: who decides in secret would count those of the others.
        rows.append((speech.resumed, speech.resumed_from))
    rows.append((speech.help, speech.help_line))
    screen.say(screen.paint.strong(names.title))
    for label, text in rows:
        screen.lines(wrap(clean(text), screen.width, first=f"  {label:<9}", rest=" " * 11))


def _how_to_go_on(keeper: Keeper) -> None:
    if keeper.path is not None:
        note("The game is kept. To go on:")
        note(f"  {keeper.again}")
