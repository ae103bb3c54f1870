"""Which games a rules file holds: every number of players, option value and variant.

Assumes a file that was read.
Does: lists settings, the default first: each number of players, each value of each option by
itself, each variant, each two variants together. What the file's constraints refuse is kept with
the reason; a setting that fails otherwise is a finding.
Leaves behind settings with their games, in an order that depends on the file alone.

Of an option with many values `MOST_VALUES` at most are tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations

from rulerun.analysis.settings import Setting, by_players, by_value
from rulerun.laws.report import Finding
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, has_errors
from rulerun_dsl.load import Loaded
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen

MOST_VALUES = 12
REFUSED = "RR0710"
"""The code with which constraints refuse."""


@frozen
class Made:
    """A setting, and the game that it gives (None: it is refused, see `diagnostics`)."""

    setting: Setting
    game: Game | None
    diagnostics: tuple[Diagnostic, ...]


def make(loaded: Loaded, setting: Setting) -> Made:
    """Make the game of a setting."""
    game, found = loaded.game(*setting.arguments)
    return Made(setting, game, tuple(found))


def settings(
    loaded: Loaded,
    players: int | None,
    options: Mapping[str, str],
    variants: Iterable[str],
    most: int = MOST_VALUES,
) -> list[Setting]:
    """List the settings to play; what is given holds in all of them."""
    given, fixed = tuple(variants), tuple(options.items())
    counts = by_players(loaded) if players is None else [Setting(players)]
    listed = [replace(count, variants=given, options=fixed) for count in counts]
    # The first that is not refused: some numbers of players may want an option.
    base = next((each for each in listed if make(loaded, each).game is not None), listed[0])
    listed.sort(key=lambda each: each is not base)
    game = make(loaded, base).game
    if game is not None:
        names = (option.name for option in game.options if option.name not in options)
        listed += by_value(base, game, names, most)
    others = [name for name in loaded.variants if name not in given]
    listed += [base.with_variants(name) for name in others]
    listed += [base.with_variants(*two) for two in combinations(others, 2)]
    return listed


def wrong(made: Made) -> Iterator[Finding]:
    """What is wrong with a setting that gives no game: law 10."""
    if made.game is not None:
        return
    errors = [each for each in made.diagnostics if has_errors([each])]
    if not errors:
        yield Finding(10, "the settings are refused, and nothing says why", made.setting)
    for each in errors:
        if each.code != REFUSED:
            yield Finding(10, f"it cannot be set so: {each.code} {each.message}", made.setting)
        elif not each.message.strip():
            yield Finding(10, "the settings are refused without a reason", made.setting)
