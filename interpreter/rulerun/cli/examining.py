"""What `rulerun validate` does with each file.

Assumes the files and the switches of the command.
Does: checks a rules file in its settings, then plays some of them at random, then, if asked, tests
the laws on it. A module file is checked through the rules files that list it, scenarios through the
rules they are about. No file is examined twice.
Leaves behind a `Report`: the findings, each once, and what was examined and what was not;
`examined` puts that into words.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

from rulerun.cli import belonging
from rulerun.cli.files import is_scenarios
from rulerun.cli.game_cache import Checked, recall, remember_rules
from rulerun.cli.progress import Progress
from rulerun_dsl.source.frozen import frozen

if TYPE_CHECKING:
    from rulerun.analysis.settings import Setting
    from rulerun.laws import Finding, Missed
    from rulerun_dsl.diagnostics.diagnostic import Diagnostic
    from rulerun_dsl.load import Loaded

PATIENCE = 30
"""Seconds of computing after which the rest of a game is not played: its inputs take too long."""

REFUSED = "RR0710"
"""The code with which constraints refuse settings."""

MOST_READ = 20_000_000
"""So many characters of rules are checked, over all settings of a file."""

MOST_READ_WRONG = 600_000
"""So many, once something wrong is found: most of what follows would say the same again."""

_EACH = 15_000
"""What a setting costs beside the length of the rules."""

_LESS = 8
"""So many characters of a file cost as much as one of its rules."""

_KEPT = 16
"""So many games are kept at once."""

DEFAULT_PLAY = 7_000
"""As `rulerun.cli.trials.BUDGET`, which takes its time to import."""

Read = tuple["Loaded | None", "list[Diagnostic]"]


@frozen
class Wanted:
    """How a file is to be examined."""

    strict: bool = False
    deep: bool = False
    games: int | None = None
    seed: str = "0"
    play: int = 0
    """Inputs of random play for each rules file."""
    records: Path | None = None
    """Where games that end in a rule error are written down."""

    @property
    def remembers(self) -> bool:
        """Whether a file that was found right need not be examined again."""
        return not (self.strict or self.deep or self.records)


@dataclass
class Report:
    """What was examined, and what was found."""

    wanted: Wanted
    found: dict[tuple[object, ...], Diagnostic] = field(default_factory=dict)
    broken: list[tuple[str, Finding]] = field(default_factory=list)
    missed: dict[str, Missed] = field(default_factory=dict)
    """By rules file: what the laws did not look at."""
    names: list[str] = field(default_factory=list)
    unplayed: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By rules file: the settings that were not played."""
    unchecked: dict[str, int] = field(default_factory=dict)
    """By file of scenarios or texts: how many were not checked, for their rules are wrong."""
    untranslated: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By file of texts: what people may read that it does not say."""
    counts: Counter[str] = field(default_factory=Counter)
    settings: int = 0
    _read: dict[Path, Read] = field(default_factory=dict)
    _done: set[Path] = field(default_factory=set)
    taken: int = 0
    """Findings that came in, those that were known already too."""
    errors: int = 0
    """Of these, the errors."""
    _wrong: set[Path] = field(default_factory=set)
    """Rules files in which errors were found: their own findings say what is wrong."""

    def add(self, diagnostics: Iterable[Diagnostic], setting: str = "") -> None:
        """Take findings in; one that is known already is not taken twice."""
        from rulerun_dsl.diagnostics.diagnostic import Severity

        for each in diagnostics:
            self.taken += 1
            self.errors += each.severity is Severity.ERROR
            span = each.span
            place = None if span is None else (span.source.name, span.start, span.end)
            key = (each.code, place, each.message)
            if key in self.found:
                continue
            if setting:
                help_ = f"{each.help}; found" if each.help else "found"
                each = replace(each, help=f"{help_} with {setting}")
            self.found[key] = each

    def load(self, path: Path) -> Read:
        """Read a rules file, once."""
        from rulerun_dsl.load import load

        whole = Path(os.path.realpath(path))
        if whole not in self._read:
            self._read[whole] = load(path, str(path))
        return self._read[whole]

    # ------------------------------------------------------------------------------- each file

    def files(self, paths: Sequence[Path], dependents: bool) -> None:
        """Examine files: first rules, then what means something only with them."""
        scenarios = [path for path in paths if is_scenarios(path)]
        modules = [path for path in paths if path not in scenarios and belonging.is_module(path)]
        texts = [path for path in paths if path not in scenarios and belonging.is_texts(path)]
        others = {*scenarios, *modules, *texts}
        rules = [path for path in paths if path not in others]
        for path in rules:
            self.rules(path)
        for path in modules:
            rules += self.module(path)
        if dependents:
            from rulerun_dsl.translations import files_of_texts

            for path in rules:
                self.crowded(path)
                scenarios += belonging.scenarios_about(path)
                texts += files_of_texts(path).values()
        for path in texts:
            self.texts(path)
        for path in scenarios:
            self.scenarios(path)

    def begin(self, path: Path, what: str) -> bool:
        """Count a file; whether it was not examined before."""
        whole = Path(os.path.realpath(path))
        if whole in self._done:
            return False
        self._done.add(whole)
        self.names.append(str(path))
        self.counts[what] += 1
        return True

    def module(self, path: Path) -> list[Path]:
        """Examine a module file through the rules files that list it; these."""
        if not self.begin(path, "module"):
            return []
        self.crowded(path)
        parents = belonging.parents(path)
        for parent in parents:
            self.rules(parent)
        if not parents:
            self.alone(path)
        return parents

    def crowded(self, path: Path) -> None:
        """Say where not all was looked at for what belongs to a file."""
        from rulerun_dsl.diagnostics.diagnostic import not_checked
        from rulerun_dsl.yaml.open_source import read_source

        source, _ = read_source(path)
        for folder, count in belonging.crowded(path):
            most = belonging.MOST_FILES
            what = f"what {count - most:,} files of `{folder}` have to do with this one"
            why = f"only {most:,} of a folder are looked at"
            self.add([not_checked(what, why, None if source is None else source.span(0))])

    def alone(self, path: Path) -> None:
        """Examine the shape of a module that no rules file lists, and say that it is no more."""
        from rulerun_dsl.diagnostics.diagnostic import problem
        from rulerun_dsl.lint.suppressions import read_answers, unanswered
        from rulerun_dsl.schema.shapes import check_shape
        from rulerun_dsl.yaml.document import load_document
        from rulerun_dsl.yaml.open_source import read_source

        source, findings = read_source(path)
        if source is None:
            self.add(findings)
            return
        document, findings = load_document(source)
        answers, unfit = read_answers((source,))
        if document is not None:
            findings += check_shape(document)
            named = document.get("module")
            findings.append(
                problem(
                    "RR0802",
                    "only the shape of this module was checked: no rules file lists it",
                    document.span if named is None else named.span,
                    help="name the rules file that lists it under `files:`",
                )
            )
        self.add([*unanswered(findings, answers, set()), *unfit])

    def scenarios(self, path: Path) -> None:
        """Examine a file of scenarios: its shape, and all that it names of its rules."""
        if not self.begin(path, "scenarios"):
            return
        if self.wanted.remembers and recall(path) is not None:
            return
        from rulerun.scenario.reader import read_scenarios
        from rulerun.scenario.resolving import first_error, not_looked_at, vet

        before = self.taken
        file, findings = read_scenarios(path)
        self.add(findings)
        if file is None:
            return
        if Path(os.path.realpath(file.ruleset)) in self._wrong:
            self.unchecked[str(path)] = len(file.scenarios)
            return
        loaded, findings = self.load(file.ruleset)
        causes = []
        with Progress(len(file.scenarios), path.name) as progress:
            for each in file.scenarios:
                found_here, cause = vet(each, loaded) if loaded else ([], first_error(findings))
                self.add(found_here)
                if cause is not None:
                    causes.append(cause)
                progress.step()
        self.add(not_looked_at(causes, file.span))
        if loaded is None:
            return
        if self.wanted.remembers and self.taken == before:
            remember_rules(path, [file.ruleset], Checked(0), loaded, file.span.source)

    def texts(self, path: Path) -> None:
        """Examine what people read of a game in a language, by its rules."""
        from rulerun_dsl.translations import rules_of, translation, without_rules

        if not self.begin(path, "texts"):
            return
        rules = rules_of(path)
        if rules is None:
            self.add(without_rules(path))
            return
        if self.wanted.remembers and recall(path) is not None:
            return
        before = self.taken
        loaded, _ = self.load(rules)
        game = None if loaded is None else loaded.game()[0]
        if loaded is None or game is None or Path(os.path.realpath(rules)) in self._wrong:
            self.unchecked[str(path)] = 0
            return
        _, findings, missing = translation(loaded, game, path)
        self.add(findings)
        if missing:
            self.untranslated[str(path)] = missing
        elif self.wanted.remembers and self.taken == before:
            remember_rules(path, [rules], Checked(0), loaded)

    def icons(self, rules: Path) -> None:
        """Examine the pictures of a rules file that was found right."""
        from rulerun_dsl.icons import files_of_icons, wrong_icons

        paths = [*files_of_icons(rules).values()]
        if not paths or Path(os.path.realpath(rules)) in self._wrong:
            return
        known = recall(paths[0]) if self.wanted.remembers else None
        # A picture more is not among the files that were looked at.
        if known is not None and known.settings == len(paths):
            return
        loaded, _ = self.load(rules)
        game = None if loaded is None else loaded.game()[0]
        before = self.taken
        if loaded is not None and game is not None:
            self.add(wrong_icons(loaded, game, rules))
            if self.taken == before:
                remember_rules(paths[0], [rules, *paths[1:]], Checked(len(paths)), loaded)

    def rules(self, path: Path) -> None:
        """Examine a rules file in all its settings."""
        if self.begin(path, "ruleset"):
            self._rules(path)
            self.icons(path)

    def _rules(self, path: Path) -> None:
        name = str(path)
        if self.wanted.remembers:
            known = recall(path)
            if known is not None and known.play >= self.wanted.play:
                self.settings += known.settings
                self.unplayed[name] = known.unplayed
                return
        before, wrong, count = self.taken, self.errors, self.settings
        loaded, findings = self.load(path)
        self.examine(loaded, findings, name)
        if self.errors > wrong:
            self._wrong.add(Path(os.path.realpath(path)))
        if loaded is not None and self.wanted.remembers and self.taken == before:
            unplayed = self.unplayed.get(name, ())
            checked = Checked(self.settings - count, self.wanted.play, unplayed)
            remember_rules(path, [], checked, loaded)

    def text(self, content: bytes, name: str) -> None:
        """Examine a rules file that has no path."""
        from rulerun_dsl.load import load

        self.names.append(name)
        self.counts["ruleset"] += 1
        self.examine(*load(content, name), name)

    def examine(self, loaded: Loaded | None, findings: list[Diagnostic], name: str) -> None:
        """Check a rules file that was read, then play it if it is right."""
        wrong = self.errors
        self.add(findings)
        if loaded is None:
            return
        self.check(loaded, name)
        if self.errors > wrong:
            return
        if self.wanted.play:
            self.play(loaded, name)
        if self.wanted.deep:
            self.laws(loaded, name)

    def check(self, loaded: Loaded, name: str) -> None:
        """Check a rules file in each setting on which findings can depend."""
        from rulerun.analysis.settings import decisive
        from rulerun_dsl.diagnostics.diagnostic import not_checked
        from rulerun_dsl.lint import in_all

        refused = None
        accepted = 0
        before = self.errors
        every = list(decisive(loaded, self.wanted.deep))
        meant: list[list[Diagnostic]] = []
        size = sum(len(each.text) for each in (loaded.source, *loaded.modules))
        cost = loaded.outline.text_length + size // _LESS + _EACH
        with Progress(len(every), name) as progress:
            for place, each in enumerate(every):
                wrong = self.errors > before
                if place and (place + 1) * cost > (MOST_READ_WRONG if wrong else MOST_READ):
                    left = len(every) - place
                    why = "mistakes were found before" if wrong else "there are too many of them"
                    what = f"{left:,} of {len(every):,} settings"
                    self.add([not_checked(what, why, loaded.outline.span.source.span(0))])
                    break
                if place and place % _KEPT == 0:
                    # It keeps what it has made, and nobody asks for it twice.
                    loaded = loaded.anew()
                game, findings = loaded.game(*each.arguments)
                self.settings += 1
                progress.step()
                refusals = [finding for finding in findings if finding.code == REFUSED]
                refused = refused or (refusals[0] if refusals else None)
                accepted += not refusals
                self.add([finding for finding in findings if finding.code != REFUSED], each.text)
                if game is not None and (not meant or meant[0]):
                    # What is hardly meant is so in every setting.
                    meant = [in_all([*meant, loaded.lints(game)])]
                if self.wanted.strict and game is not None:
                    self.add(loaded.unproved(*each.arguments), each.text)
        self.add(loaded.hardly_meant(meant))
        if refused is not None and not accepted:
            self.add([refused])
        if self.errors == before:
            self.idle(loaded)

    def idle(self, loaded: Loaded) -> None:
        """Report comments that answer nothing; those of a shared module others may want."""
        from rulerun_dsl.lint.suppressions import idle

        modules = {each.span.source for each in loaded.answers}.intersection(loaded.modules)
        shared = {each for each in modules if len(belonging.parents(Path(each.name))) > 1}
        own = [each for each in loaded.answers if each.span.source not in shared]
        self.add(idle(own, loaded.answered, _looked_for(self.wanted.strict)))

    # ----------------------------------------------------------------------------------- play

    def play(self, loaded: Loaded, name: str) -> None:
        """Play a rules file at random, each setting with its share of the budget."""
        from rulerun.analysis.settings import decisive, together
        from rulerun.cli.trials import LESS, shares, times, try_out
        from rulerun_dsl.diagnostics.diagnostic import has_errors

        until = process_time() + PATIENCE

        def patient() -> bool:
            return process_time() < until

        def playable(each: Setting) -> bool:
            return not has_errors(loaded.refused(*each.arguments))

        # What was checked keeps its secrets; the rest is only played.
        loaded = loaded.unguarded()
        every = list(decisive(loaded, all_values=True))
        first = loaded.game()[0] or next(
            (game for each in every if (game := loaded.game(*each.arguments)[0])), None
        )
        if first is None:
            return
        plain = [each for each in every if not each.text and playable(each)]
        waiting = together(loaded, every)
        beside: list[Setting] = []
        # Only as many are asked about as can get a share.
        while len(beside) < self.wanted.play // LESS + 2 and patient():
            if (each := next(waiting, None)) is None:
                break
            if playable(each):
                beside.append(each)
        budgets = chain(*shares(self.wanted.play, first, len(plain), len(beside)))
        planned = list(zip([*plain, *beside], budgets, strict=True))
        unplayed = []
        with Progress(len(planned), f"{name}, at random") as progress:
            for place, (each, share) in enumerate(planned):
                progress.step()
                if place and place % _KEPT == 0:
                    loaded = loaded.anew()
                if share and patient():
                    game, _ = loaded.game(*each.arguments)
                    inputs = share * times(first)
                    for crash in () if game is None else try_out(game, inputs, patient):
                        from rulerun.cli.crashes import keep, told

                        self.add([told(crash, each, name)])
                        if self.wanted.records is not None:
                            keep(crash, self.wanted.records)
                if not share or not patient():
                    unplayed.append(each.named)
        self.unplayed[name] = (*unplayed, *(each.named for each in waiting))

    def laws(self, loaded: Loaded, name: str) -> None:
        """Hold a rules file against the laws by random play."""
        from rulerun.laws import Missed, check_laws
        from rulerun.laws.placing import broken_laws

        missed = self.missed[name] = Missed()
        with Progress(1, name) as progress:
            games, seed, told = self.wanted.games, self.wanted.seed, progress.at
            broken = list(check_laws(loaded, games=games, seed=seed, progress=told, missed=missed))
        self.broken += ((name, each) for each in broken)
        self.add(broken_laws(loaded, broken))


def _looked_for(strict: bool) -> set[str]:
    """The codes that a run looks for: what only play can prove, it lists if it is strict."""
    from rulerun_dsl.diagnostics.catalogue import CATALOGUE

    return {code for code in CATALOGUE if strict or not code.startswith("RR08")}
