"""What commands share: finding a rules file, making a game of it, colours, findings on the screen.

A command that cannot do what it was asked raises `Unable`, which ends in exit code 2.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rulerun.host.streams import Outlet, steer

if TYPE_CHECKING:
    from rulerun.cli.game_cache import KeptGame
    from rulerun.runtime.executor import Executor
    from rulerun_dsl.diagnostics.diagnostic import Diagnostic
    from rulerun_dsl.load import Loaded
    from rulerun_dsl.model import Game

Command = TypeVar("Command", bound=Callable[..., Any])

EXECUTORS = ("reference", "python", "native")
"""As in `rulerun.executors.make`, which takes its time to import."""
BEST = "auto"
"""The executor that is best for what is asked."""
LONG = 10
"""So many times as many games are a run on which somebody waits."""

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 80}


class Unable(click.ClickException):
    """What was asked cannot be done."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """One line on standard error."""
        print(f"rulerun: {self.message}", file=sys.stderr)


class Refused(click.ClickException):
    """The answer is no, and has been given already."""

    exit_code = 1

    def show(self, file: Any = None) -> None:
        """The message, if there is one."""
        if self.message:
            print(f"rulerun: {self.message}", file=sys.stderr)


# --------------------------------------------------------------------------------------- colours


def color_option(command: Command) -> Command:
    """Let a command take `--color`."""

    def remember(ctx: click.Context, parameter: click.Parameter, value: str | None) -> None:
        if value is not None:
            ctx.find_root().meta["rulerun.color"] = value

    option = click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        expose_value=False,
        callback=remember,
        help="Colours: on a terminal (the default), always, or never.",
    )
    return option(command)


def colored(stream: Any) -> bool:
    """Whether to write to a stream in colours; it lets them through from now on."""
    found = _colored(stream)
    if isinstance(stream, Outlet):
        stream.colors = found
    return found


def _colored(stream: Any) -> bool:
    """What `--color`, `NO_COLOR`, `FORCE_COLOR` and the terminal say."""
    context = click.get_current_context(silent=True)
    wanted = "auto" if context is None else context.find_root().meta.get("rulerun.color", "auto")
    if wanted != "auto":
        return bool(wanted == "always")
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    try:
        return bool(stream.isatty()) and os.environ.get("TERM") != "dumb"
    except (AttributeError, ValueError):
        return False


# ------------------------------------------------------------------------------------ rules files


def find_rules(name: str) -> Path:
    """The rules file of that path, else the shipped one of that name."""
    from rulerun_dsl.source.resources import ruleset_path

    path = Path(name)
    try:
        if path.is_file():
            return path
        shipped = ruleset_path(name)
        is_folder, is_there = path.is_dir(), path.exists()
    except (OSError, ValueError):
        raise Unable(f"`{name}` is no name of a file") from None
    if shipped is not None:
        return shipped
    if is_folder:
        raise Unable(f"`{name}` is a folder, not a rules file")
    if is_there:
        raise Unable(f"`{name}` is no regular file")
    from rulerun_dsl.diagnostics.diagnostic import suggest
    from rulerun_dsl.source.resources import ruleset_names

    beside = path.with_name(f"{path.name}.yaml")
    close = (
        str(beside)
        if beside.is_file()
        else suggest(path.name.removesuffix(".yaml"), ruleset_names())
    )
    hint = f"did you mean `{close}`?" if close else "`rulerun list` has those that there are"
    raise Unable(f"there is no file `{name}`, and no shipped ruleset of that name; {hint}")


def settings(assignments: Sequence[str]) -> dict[str, str]:
    """The options given with `--set option=value`."""
    found: dict[str, str] = {}
    for each in assignments:
        name, equals, value = each.partition("=")
        if not equals or not name.strip():
            raise click.UsageError(f"`--set {each}`: write it as option=value")
        found[name.strip()] = value.strip()
    return found


def load_rules(path: Path) -> Loaded:
    """Read a rules file; findings that are no errors are not shown."""
    from rulerun_dsl.load import load

    loaded, found = load(path)
    if loaded is None:
        complain(found)
        raise Refused("")
    return loaded


def make_game(
    loaded: Loaded, players: int | None, options: dict[str, str], variants: Iterable[str]
) -> Game:
    """The game for some settings; a wrong name of one is wrong usage, anything else a finding."""
    game, found = loaded.game(players, options, tuple(variants))
    if game is None:
        complain(found)
        usage = all(each.code in ("RR0412", "RR0413") for each in found)
        raise Unable("these settings are none of the game's") if usage else Refused("")
    return game


def game_of(
    path: Path,
    players: int | None,
    options: dict[str, str],
    variants: Iterable[str],
    loaded: Loaded | None = None,
) -> Game:
    """The game of a rules file for some settings, checked, or as it was found right before.

    `loaded` is the file, if it was read anyway.
    """
    load = load_rules if loaded is None else lambda _: loaded
    return kept_game_of(path, players, options, variants, load).game


def kept_game_of(
    path: Path,
    players: int | None,
    options: dict[str, str],
    variants: Iterable[str],
    load: Callable[[Path], Loaded] = load_rules,
) -> KeptGame:
    """The same, with what names it in the cache; `load` reads the file, if it must be read."""
    names = tuple(variants)

    def make() -> tuple[Game, Loaded]:
        read = load(path)
        return make_game(read, players, options, names), read

    return _kept(path, repr((players, sorted(options.items()), names)), make)


def cached(
    path: Path,
    asked: str,
    make: Callable[[], tuple[Game, Loaded | None]],
    others: Iterable[Path] = (),
) -> Game:
    """The game of a rules file that was asked for so, made only if the cache does not have it.

    `make` gives the rules with the game, or None for a game that is not to be kept. `others` are
    files that it was made of besides the rules file and its modules.
    """
    return _kept(path, asked, make, others).game


def _kept(
    path: Path,
    asked: str,
    make: Callable[[], tuple[Game, Loaded | None]],
    others: Iterable[Path] = (),
) -> KeptGame:
    from rulerun.cli.game_cache import KeptGame, recall_game, remember_game

    found = recall_game(path, asked)
    if found is not None:
        return found
    game, loaded = make()
    if loaded is None:
        return KeptGame(game, "")
    modules = [*(Path(each.name) for each in loaded.modules), *others]
    known = remember_game(path, modules, asked, game, (loaded.source, *loaded.modules))
    return KeptGame(game, known)


def complain(diagnostics: Iterable[Diagnostic]) -> None:
    """Show the errors on standard error."""
    from rulerun_dsl.diagnostics.diagnostic import Severity

    tell(each for each in diagnostics if each.severity is Severity.ERROR)


def game_options(command: Command) -> Command:
    """Let a command take `--players`, `--variant` and `--set`."""
    for option in (
        click.option(
            "--set",
            "assignments",
            multiple=True,
            metavar="OPTION=VALUE",
            help="Set an option of the game; `rulerun rules FILE` names them and their values.",
        ),
        click.option(
            "--variant",
            "variants",
            multiple=True,
            metavar="NAME",
            help="Play a variant of the game; `rulerun rules FILE` names them.",
        ),
        click.option("--players", type=click.IntRange(min=1), metavar="N", help="How many play."),
    ):
        command = option(command)
    return command


def format_option(*formats: str) -> Callable[[Command], Command]:
    """Let a command take `--format`; the first is the default."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="How the answer is written.",
    )


def page_option(command: Command) -> Command:
    """Let a command take `--html`."""
    option = click.option(
        "--html",
        "page",
        type=click.Path(path_type=Path),
        metavar="REPORT",
        help="Write the report with charts as one page, for a browser.",
    )
    return option(command)


def executor_option(command: Command) -> Command:
    """Let a command take `--executor`."""
    option = click.option(
        "--executor",
        "executor",
        type=click.Choice(EXECUTORS),
        default="python",
        show_default=True,
        help="What runs the rules; a game goes the same way whichever it is.",
    )
    return option(command)


def output_option(command: Command) -> Command:
    """Let a command take `--output`."""
    option = click.option(
        "--output",
        "target",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Write what is found into a file.",
    )
    return option(command)


def quiet_option(command: Command) -> Command:
    """Let a command take `--quiet`."""
    option = click.option(
        "-q", "--quiet", is_flag=True, help="Only findings: no summary, no notes."
    )
    return option(command)


def jobs_option(command: Command) -> Command:
    """Let a command take `--jobs`."""
    option = click.option(
        "-j",
        "--jobs",
        type=click.IntRange(min=1),
        metavar="N",
        help="So many processes work; what is found is the same.  [default: as many as help]",
    )
    return option(command)


def executors_named(name: str) -> Callable[[Game], Executor]:
    """What makes the executor of a game; where it takes another one it says so, once."""
    from rulerun.executors.make import executor_for

    said: set[str] = set()

    def say(text: str) -> None:
        if text not in said:
            said.add(text)
            note(f"rulerun: {text}")

    return lambda game: executor_for(game, name, note=say)


def what_runs(
    game: Game, executor: str, games: int, stepped: bool, ready: Callable[[], bool] = bool
) -> str:
    """Return the executor that is asked for, or the best one for so many games; say what is not so.

    `stepped`: agents decide, or other machines play; there machine code gains nothing. `ready`:
    whether machine code is in the cache.
    """
    from importlib.util import find_spec

    from rulerun.compiled.native.worth import worth_machine_code

    if executor == "native" and not stepped and ready():
        return executor
    if executor != BEST:
        from rulerun.executors.make import why_not

        why = why_not(game, executor)
        if why is not None:
            note(f"rulerun: {why}")
        return executor
    if stepped or not worth_machine_code(games, len(game.code)):
        return "python"
    if find_spec("llvmlite") is not None:
        if ready():
            return "native"
        from rulerun.executors.make import why_not

        return "native" if why_not(game, "native") is None else "python"
    if worth_machine_code(games // LONG, len(game.code)):
        note("rulerun: machine code would be many times as fast: `pip install 'rulerun[native]'`")
    return "python"


def out(text: str) -> None:
    """Write to standard output; whatever a file had in it is harmless there (see `streams`)."""
    sys.stdout.write(text)


def annotate(commands: str) -> None:
    """Write commands to GitHub on standard output, which a text could not hold."""
    steer(sys.stdout, commands)


def deliver(text: str, form: str, target: Path | None) -> None:
    """Write what was asked for: to a file, as commands to GitHub, or to standard output."""
    from rulerun_dsl.source.regular_files import why

    if target is not None:
        try:
            target.write_text(text, encoding="utf-8", newline="\n")
        except OSError as failure:
            raise Unable(f"`{target}` cannot be written: {why(failure)}") from None
    elif form == "github":
        annotate(text)
    else:
        out(text)


def note(text: str) -> None:
    """Say something beside the data, on standard error; behind it, where both go to one place."""
    sys.stdout.flush()
    print(text, file=sys.stderr)


def tell(diagnostics: Iterable[Diagnostic]) -> None:
    """Show findings on standard error."""
    from rulerun_dsl.diagnostics.render import render_text

    sys.stdout.flush()
    sys.stderr.write(render_text(diagnostics, color=colored(sys.stderr)))
