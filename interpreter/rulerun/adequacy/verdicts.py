"""What came of changes before, so that a run goes on where another stopped.

Assumes: the content of a ruleset, and its scenarios.
Does: keeps verdicts and what scenarios touch under what the rules say, and by what each scenario
says. A change that a scenario noticed stays noticed as long as that scenario is there; one that
nobody noticed is run only with scenarios that it has not met.
Leaves behind: one text, which whoever has a cache may keep; one that does not fit is as good as
none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from rulerun.adequacy.changes import Change
from rulerun.adequacy.noticing import Touched, Verdict
from rulerun.simulation.stats.coverage import Key
from rulerun_dsl.source.spans import Source


def name_of(sources: Iterable[Source], about: str) -> str:
    """Under which name the state of these rules is kept; `about`: what else it depends on."""
    texts = (about, *(each.text for each in sources))
    whole = sha256()
    for text in texts:
        whole.update(sha256(text.encode()).digest())
    return whole.hexdigest() + ".json"


@dataclass
class Verdicts:
    """What is known of the changes of one ruleset."""

    digests: Sequence[str]
    """By scenario, what it says."""
    files: Sequence[str]
    touched: dict[str, tuple[list[int], int]] = field(default_factory=dict)
    """By digest: numbers of places, and the number of the settings' game."""
    known: list[list[list[int]]] = field(default_factory=list)
    """What games have, and the conditions that do not hold in them."""
    places: dict[Key, int] = field(default_factory=dict)
    """The statements, functions and conditions, numbered."""
    changes: dict[str, dict[str, Any]] = field(default_factory=dict)

    # --------------------------------------------------------------------------------- touching

    def note_touched(self, scenario: int, one: Touched) -> None:
        """Keep what a scenario touches."""
        known = [self._numbers(one.known), self._numbers(one.gone)]
        if known not in self.known:
            self.known.append(known)
        numbers = self._numbers(one.touched)
        self.touched[self.digests[scenario]] = numbers, self.known.index(known)

    def _numbers(self, keys: Iterable[Key]) -> list[int]:
        places = self.places
        return sorted(places.setdefault(each, len(places)) for each in keys)

    def touches(self) -> dict[int, Touched]:
        """By scenario: what is known of what it touches."""
        keys = list(self.places)
        sets = [[frozenset(keys[each] for each in some) for some in one] for one in self.known]
        found = {}
        for scenario, digest in enumerate(self.digests):
            if digest in self.touched:
                numbers, game = self.touched[digest]
                known, gone = sets[game]
                touched = frozenset(keys[each] for each in numbers)
                found[scenario] = Touched(touched, known, gone)
        return found

    # --------------------------------------------------------------------------------- verdicts

    def note(self, change: Change, verdict: Verdict) -> None:
        """Keep what came of a change."""
        before = self.changes.get(change.key, {})
        same = before.get("new") == verdict.new
        passed = {*(before.get("passed", ()) if same else ()), *map(self._digest, verdict.passed)}
        noticed = None if verdict.noticed is None else self._digest(verdict.noticed)
        self.changes[change.key] = {
            "new": verdict.new,
            "noticed": noticed,
            "passed": sorted(passed) if noticed is None else [],
        }

    def _digest(self, scenario: int) -> str:
        return self.digests[scenario]

    def of(self, change: Change) -> Mapping[str, Any] | None:
        """What came of a change, if the scenarios that say so are still there."""
        found = self.changes.get(change.key)
        if found is None or found["noticed"] in (None, *self.digests):
            return found
        return None

    def left(self, change: Change, scenarios: Sequence[int]) -> tuple[int, ...] | None:
        """The scenarios that a change has not met; None: its verdict stands."""
        found = self.of(change)
        if found is None:
            return tuple(scenarios)
        if found["new"] is None or found["noticed"] is not None:
            return None
        passed = set(found["passed"])
        return tuple(each for each in scenarios if self.digests[each] not in passed) or None

    # ---------------------------------------------------------------------------------- keeping

    def text(self) -> str:
        """All of it."""
        places = [[self.files.index(name), start, end] for name, start, end in self.places]
        return json.dumps([places, self.known, self.touched, self.changes])

    def read(self, text: str | bytes | None) -> None:
        """Take over what was kept."""
        with suppress(ValueError, TypeError, KeyError, IndexError, AttributeError):
            places, known, touched, changes = json.loads(text or "")
            self.places = {
                (self.files[file], start, end): at for at, (file, start, end) in enumerate(places)
            }
            self.known = known
            self.touched = {key: (numbers, game) for key, (numbers, game) in touched.items()}
            self.changes = {
                key: {"new": one["new"], "noticed": one["noticed"], "passed": one["passed"]}
                for key, one in changes.items()
            }
