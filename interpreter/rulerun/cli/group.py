"""The list of commands, each imported only when it is called.

`--help` and "did you mean" need no command's module: the names and a line about each stand here.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

import click

from rulerun.cli.common import CONTEXT, color_option
from rulerun.host.version import VERSION

# Name: the module in this package, its command there, a line for `--help`.
COMMANDS: Mapping[str, tuple[str, str, str]] = {
    "play": ("play", "play", "Play a game at this terminal."),
    "new": ("new", "new", "Begin a game: a small one that plays, and tests of it."),
    "list": ("shelf", "list_", "List the games that come with rulerun."),
    "validate": ("validate", "validate", "Check rules files and scenario files."),
    "test": ("scenarios", "test", "Run the scenarios beside rules files."),
    "serve": ("serve", "serve", "Play in a browser, with friends."),
    "fmt": ("fmt", "fmt", "Lay files out in the one layout."),
    "fix": ("fix", "fix", "Mend what findings know the fix of."),
    "set": ("set", "set_", "Change one value of a file, and nothing else."),
    "watch": ("watch", "watch", "Look at a rules file again whenever it is saved."),
    "replay": ("replay", "replay", "Play a record again, or verify it."),
    "simulate": ("simulate", "simulate", "Play many games by agents, and count."),
    "compare": ("compare", "compare", "Play two games side by side: what is different?"),
    "diff": ("diff", "diff", "Say what changed in a game, not in its text."),
    "ladder": ("ladder", "ladder", "Luck or skill? Agents that think longer and longer."),
    "solve": ("solve", "solve", "Find what a small game is worth, exactly."),
    "compile": ("compile", "compile_", "Print what a game is compiled to."),
    "show": ("show", "show", "Show what is in a rules file."),
    "rules": ("rules", "rules", "Make a rulebook, for players."),
    "schema": ("lookup", "schema", "Print a JSON schema, for editors."),
    "lsp": ("lsp", "lsp", "Serve an editor: findings, completion, names."),
    "editor": ("editor", "editor", "Write an extension that starts it, for VS Code."),
    "explain": ("explain", "explain", "Explain a finding, such as RR0402, or a word."),
}

# What people type who know other tools.
_MEANT = {
    "check": "validate",
    "lint": "validate",
    "run": "play",
    "start": "play",
    "resume": "play",
    "rule": "explain",
    "rulebook": "rules",
    "book": "rules",
    "info": "show",
    "init": "new",
    "create": "new",
    "games": "list",
    "ls": "list",
    "verify": "replay",
    "balance": "simulate",
    "playouts": "simulate",
    "changes": "diff",
    "changed": "diff",
    "skill": "ladder",
    "ratings": "ladder",
    "build": "compile",
    "format": "fmt",
    "prettify": "fmt",
    "tidy": "fmt",
    "style": "fmt",
    "mend": "fix",
    "repair": "fix",
    "autofix": "fix",
    "change": "set",
    "edit": "set",
    "put": "set",
    "exact": "solve",
    "optimal": "solve",
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in the order in which one meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        module, name, _ = COMMANDS[cmd_name]
        command: click.Command = getattr(import_module(f"rulerun.cli.{module}"), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; say what was meant where there is none."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            from difflib import get_close_matches

            close = get_close_matches(name.casefold(), [*COMMANDS, *_MEANT], n=1)
            meant = _MEANT.get(close[0], close[0]) if close else None
            hint = f" Did you mean `{meant}`?" if meant else ""
            raise click.UsageError(f"There is no command `{name}`.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands for `--help`."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, _, about) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings=CONTEXT)
@click.version_option(VERSION, "-V", "--version", message="rulerun %(version)s")
@click.option("-v", "--verbose", is_flag=True, help="Show a traceback if rulerun itself fails.")
@color_option
def rulerun(verbose: bool) -> None:
    """Board and card games as data: check them, play them, replay them.

    `rulerun COMMAND --help` says more about each command.
    """
