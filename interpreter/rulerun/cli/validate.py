"""`rulerun validate`: a rules file must be right whatever the options and the number of players.

Assumes paths of rules files, module files and scenario files.
Does: reads each and holds it against its shape. A rules file is then checked for its default
options with each number of players, for each variant, and for each value of each option by itself
(of a long range: its ends, around its default, and some between), as far as the findings can depend
on them. What the file's own `constraints` refuse is no finding, unless they refuse everything. With
`--strict`, what only play can prove is listed, and warnings count; with `--deep`, every setting is
checked, and random play holds the file against the laws.
Leaves behind findings on standard output, each once, and a summary on standard error.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulerun.cli.common import Unable, annotate, color_option, colored, note, out
from rulerun.cli.files import STDIN, collect, is_scenarios, standard_input
from rulerun.cli.progress import Progress
from rulerun.cli.remembering import recall, remember
from rulerun_dsl.harmless import as_json
from rulerun_dsl.regular import read_regular

if TYPE_CHECKING:
    from rulerun.laws import Finding
    from rulerun_dsl.diagnostics import Diagnostic
    from rulerun_dsl.load import Loaded
    from rulerun_dsl.model import Game, OptionValue

REFUSED = "RR0710"
"""The code with which constraints refuse settings."""

MOST_VALUES = 24
"""Of an option with more values, so many at most are tried."""

MOST_READ = 20_000_000
"""So many characters of rules are checked, over all settings of a file."""

MOST_READ_WRONG = 600_000
"""So many, once something wrong is found: most of what follows would say the same again."""

_EACH = 15_000
"""What a setting costs beside the length of the rules."""

_KEPT = 16
"""So many games are kept at once."""

_MODULE = re.compile(rb"^module[ \t]*:", re.MULTILINE)
_GAME = re.compile(rb"^(game|rulerun)[ \t]*:", re.MULTILINE)


@click.command("validate")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    show_default=True,
    help="How findings are written.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="List what only play can prove, and let warnings count as errors.",
)
@click.option("--deep", is_flag=True, help="Play at random as well, and test the laws.")
@click.option(
    "--games",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --deep: so many plays of each number of players.",
)
@click.option("--seed", default="0", metavar="N", help="With --deep: the luck of those plays.")
@color_option
def validate(
    paths: tuple[str, ...], form: str, strict: bool, deep: bool, games: int | None, seed: str
) -> int:
    """Check rules files and scenario files.

    PATH is a file, a folder, `-` for standard input, or the name of a shipped ruleset. Without
    one, everything in the folder `rulesets/` is checked.
    """
    from rulerun_dsl.diagnostics import Severity
    from rulerun_dsl.render import render_github, render_text, summary

    report = _Report(strict, deep, games, seed, tells=form == "text")
    if STDIN in paths:
        report.rules(standard_input(), "<stdin>")
    named = [path for path in paths if path != STDIN]
    files = collect(named, lambda path: True) if named or not paths else []
    if not files and STDIN not in paths:
        raise Unable("there is nothing to check: no YAML file in what was named")
    for path in files:
        report.file(path)
    found = list(report.found.values())
    if form == "json":
        out(report.as_json(found))
    elif form == "github":
        annotate(render_github(found))
        annotate("".join(map(_law_for_github, report.broken)))
    else:
        out(render_text(found, color=colored(sys.stdout)))
    note(f"{report.counted()}: {summary(found)}{_laws(report)}")
    bad = [Severity.ERROR, Severity.WARNING] if strict else [Severity.ERROR]
    return 1 if report.broken or any(each.severity in bad for each in found) else 0


@dataclass
class _Report:
    """What was examined, and what was found."""

    strict: bool
    deep: bool
    games: int | None
    seed: str
    tells: bool
    """Whether broken laws are written at once."""
    found: dict[tuple[object, ...], Diagnostic] = field(default_factory=dict)
    broken: list[tuple[str, Finding]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    rulesets: int = 0
    modules: int = 0
    scenarios: int = 0
    settings: int = 0

    def add(self, diagnostics: Iterable[Diagnostic], setting: str = "") -> None:
        """Take findings in; one that is known already is not taken twice."""
        for each in diagnostics:
            span = each.span
            place = None if span is None else (span.source.name, span.start, span.end)
            key = (each.code, place, each.message)
            if key in self.found:
                continue
            if setting:
                help_ = f"{each.help}; found" if each.help else "found"
                each = replace(each, help=f"{help_} with {setting}")
            self.found[key] = each

    # ------------------------------------------------------------------------------- each file

    def file(self, path: Path) -> None:
        """Examine a file."""
        if is_scenarios(path):
            from rulerun.scenarios import read_scenarios

            self.names.append(str(path))
            self.scenarios += 1
            self.add(read_scenarios(path)[1])
            return
        try:
            content = read_regular(path)
        except OSError:
            content = b""
        if _MODULE.search(content) and not _GAME.search(content):
            self.module(path)
        else:
            self.rules(path, str(path))

    def module(self, path: Path) -> None:
        """Examine the shape of a module file; what it means, its main file says."""
        from rulerun_dsl.document import load_document, read_source
        from rulerun_dsl.schema import check_shape

        self.names.append(str(path))
        self.modules += 1
        source, found = read_source(path)
        self.add(found)
        if source is not None:
            document, found = load_document(source)
            self.add(found)
            if document is not None:
                self.add(check_shape(document))

    def rules(self, content: Path | bytes, name: str) -> None:
        """Examine a rules file in all its settings."""
        self.names.append(name)
        self.rulesets += 1
        keeps = isinstance(content, Path) and not self.strict and not self.deep
        if keeps and (known := recall(Path(name))) is not None:
            self.settings += known
            return
        from rulerun_dsl.diagnostics import has_errors, not_checked
        from rulerun_dsl.ignoring import idle
        from rulerun_dsl.load import load

        loaded, found = load(content, name)
        before = len(self.found)
        self.add(found)
        if loaded is None:
            return
        refused = None
        accepted = 0
        every = list(_settings(loaded, self.deep))
        meant: list[list[Diagnostic]] = []
        cost = loaded.outline.text_length + _EACH
        with Progress(len(every), name) as progress:
            for place, each in enumerate(every):
                wrong = has_errors(list(self.found.values())[before:])
                if place and (place + 1) * cost > (MOST_READ_WRONG if wrong else MOST_READ):
                    left = len(every) - place
                    why = "mistakes were found before" if wrong else "there are too many of them"
                    what = f"{left:,} of {len(every):,} settings"
                    self.add([not_checked(what, why, loaded.outline.span.source.span(0))])
                    break
                if place % _KEPT == 0:
                    # It keeps what it has made, and nobody asks for it twice.
                    loaded = loaded.anew()
                game, found = loaded.game(each.players, dict(each.options), each.variants)
                self.settings += 1
                progress.step()
                refusals = [one for one in found if one.code == REFUSED]
                refused = refused or (refusals[0] if refusals else None)
                accepted += not refusals
                self.add([one for one in found if one.code != REFUSED], each.text)
                meant += [] if game is None else [loaded.lints(game)]
                if self.strict and game is not None:
                    unproved = loaded.unproved(each.players, dict(each.options), each.variants)
                    self.add(unproved, each.text)
        self.add(loaded.hardly_meant(meant))
        self.add(idle(loaded.answers, loaded.answered, _looked_for(self.strict)))
        if refused is not None and not accepted:
            self.add([refused])
        if keeps and len(self.found) == before:
            remember(Path(name), [Path(each.name) for each in loaded.modules], len(every))
        if self.deep and not has_errors(list(self.found.values())[before:]):
            self.laws(loaded, name)

    def laws(self, loaded: Loaded, name: str) -> None:
        """Hold a rules file against the laws by random play."""
        from rulerun.laws import check_laws

        with Progress(1, name) as progress:
            for finding in check_laws(
                loaded, games=self.games, seed=self.seed, progress=progress.at
            ):
                self.broken.append((name, finding))
                if self.tells:
                    progress.wipe()
                    out(f"{name}: {finding}\n")
                    sys.stdout.flush()

    # ------------------------------------------------------------------------------- the report

    def counted(self) -> str:
        """What was examined, in words."""
        parts = [
            f"{count} {one if count == 1 else many}"
            for count, one, many in (
                (self.rulesets, "ruleset", "rulesets"),
                (self.modules, "module file", "module files"),
                (self.scenarios, "file of scenarios", "files of scenarios"),
            )
            if count
        ]
        text = ", ".join(parts)
        return f"{text} ({self.settings} settings)" if self.rulesets else text

    def as_json(self, found: Sequence[Diagnostic]) -> str:
        """The findings and what was examined, as JSON."""
        from rulerun_dsl.render import render_json

        data = json.loads(render_json(found))
        data["examined"] = {"files": self.names, "settings": self.settings}
        if self.deep:
            data["laws"] = [
                {
                    "file": name,
                    "law": each.law,
                    "name": each.name,
                    "message": each.what,
                    "where": each.where,
                    "inputs": list(each.inputs),
                    "again": each.again,
                }
                for name, each in self.broken
            ]
        return as_json(data)


# ------------------------------------------------------------------------------------- settings


@dataclass(frozen=True, slots=True)
class _Setting:
    """For what a file is checked."""

    players: int | None
    """None: the fewest that these settings allow."""
    variants: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """As one writes it at the command line; nothing for the default."""
        parts = [f"--variant {name}" for name in self.variants]
        parts += [f"--set {name}={value}" for name, value in self.options]
        return " ".join(parts)


def _settings(loaded: Loaded, all_values: bool) -> Iterator[_Setting]:
    """The default with each number of players, each variant, each value of each option.

    Unless `all_values`, only of the options on which it depends what the checks find.
    """
    decisive = loaded.decisive()
    low, high = loaded.outline.player_range
    for count in range(low, high + 1):
        yield _Setting(count)
    seen: set[tuple[tuple[str, str], ...]] = set()
    for name in loaded.variants:
        values, _ = loaded.settings({}, [name])
        seen.add(tuple(values.items()))
        if all_values or not decisive.isdisjoint(values):
            yield _Setting(None, (name,))
    game, _ = loaded.game()
    if game is None:
        return
    for option in game.options:
        if not all_values and option.name not in decisive:
            continue
        for text in _values(game, option):
            if text != option.text and ((option.name, text),) not in seen:
                yield _Setting(None, (), ((option.name, text),))


def _values(game: Game, option: OptionValue) -> list[str]:
    """The values of an option as texts; of a long range, some."""
    from rulerun_dsl.valuetypes import Bool, Enum, Int, Optional, Player

    type_ = option.type
    none: list[str] = []
    if isinstance(type_, Optional):
        type_, none = type_.inner, ["none"]
    if isinstance(type_, Bool):
        return ["false", "true", *none]
    if isinstance(type_, Enum):
        members = {each.name: each.members for each in game.enumerations}
        return [*members.get(type_.name, ()), *none]
    if isinstance(type_, Player):
        return [*game.players, *none]
    if not isinstance(type_, Int):
        return none
    low, high = type_.low, type_.high
    if high - low < MOST_VALUES:
        return [*map(str, range(low, high + 1)), *none]
    at = low if option.value is None else option.value
    chosen = {low, low + 1, at - 1, at, at + 1, high - 1, high}
    chosen |= {low + (high - low) * part // 8 for part in range(1, 8)}
    return [*(str(value) for value in sorted(chosen) if low <= value <= high), *none]


# -------------------------------------------------------------------------------------- writing


def _looked_for(strict: bool) -> set[str]:
    """The codes that a run looks for: what only play can prove, it lists if it is strict."""
    from rulerun_dsl.catalogue import CATALOGUE

    return {code for code in CATALOGUE if strict or not code.startswith("RR08")}


def _laws(report: _Report) -> str:
    if not report.deep:
        return ""
    count = len(report.broken)
    return f"; {count or 'no'} broken law{'' if count == 1 else 's'}"


def _law_for_github(broken: tuple[str, Finding]) -> str:
    from rulerun_dsl.render import github_command

    name, finding = broken
    return github_command("error", {"title": f"law {finding.law}", "file": name}, str(finding))
