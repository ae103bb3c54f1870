"""The settings in which a rules file can be played.

Assumes a rules file that was read.
Does: lists what one may set, one thing at a time: the number of players, a variant, the value of an
option. An option with many values is tried at both ends, around its default, and at some values
evenly between.
Leaves behind settings, in an order that depends on the file alone, and what is wrong in them.
Whether the file's constraints refuse one is not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from rulerun.runtime.index import GameIndex
from rulerun_dsl.diagnostics.diagnostic import Diagnostic
from rulerun_dsl.lint import in_all
from rulerun_dsl.load import Loaded
from rulerun_dsl.model import Game, OptionValue
from rulerun_dsl.source.frozen import frozen

_REFUSED = "RR0710"
"""Settings that constraints refuse are no mistake."""

MOST_VALUES = 24
"""Of an option with more values, so many at most are tried by `validate`."""


@frozen
class Setting:
    """What a game is made for: how many players, which variants, which options."""

    players: int | None = None
    """None: the fewest that these settings allow."""
    variants: tuple[str, ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    """Texts, as one writes them; only those that are set."""

    def __str__(self) -> str:
        parts = [f"variant {name}" for name in self.variants]
        parts += [f"{name}={text}" for name, text in self.options]
        if self.players is not None:
            parts.insert(0, f"{self.players} player{'' if self.players == 1 else 's'}")
        return ", ".join(parts)

    @property
    def text(self) -> str:
        """As one writes it at the command line, except for the players; nothing for the default."""
        parts = [f"--variant {name}" for name in self.variants]
        parts += [f"--set {name}={value}" for name, value in self.options]
        return " ".join(parts)

    @property
    def named(self) -> str:
        """The same, with the number of players."""
        players = f"--players {self.players}" if self.players else ""
        return f"{players} {self.text}".strip()

    @property
    def arguments(self) -> tuple[int | None, dict[str, str], tuple[str, ...]]:
        """As `Loaded.game` takes it."""
        return self.players, dict(self.options), self.variants

    def with_option(self, name: str, text: str) -> Setting:
        """The same with an option set."""
        return replace(self, options=(*self.options, (name, text)))

    def with_variants(self, *names: str) -> Setting:
        """The same with variants."""
        return replace(self, variants=(*self.variants, *names))


def by_players(loaded: Loaded) -> list[Setting]:
    """The default with each number of players."""
    low, high = loaded.outline.player_range
    return [Setting(count) for count in range(low, high + 1)]


def by_value(base: Setting, game: Game, names: Iterable[str], most: int) -> Iterator[Setting]:
    """The setting of a game with each other value of each of these options, up to `most` of one."""
    tables = GameIndex(game)
    wanted = frozenset(names)
    for option in game.options:
        if option.name in wanted:
            for text in values_of(tables, option, most):
                if text != option.text:
                    yield base.with_option(option.name, text)


def values_of(tables: GameIndex, option: OptionValue, most: int) -> list[str]:
    """The values of an option as texts; of more than `most`, some."""
    low, high = tables.bounds(option.type)
    chosen: Sequence[int] = range(low, high + 1)
    if len(chosen) > most:
        at = low if option.value is None else option.value
        some = {low, low + 1, at - 1, at, at + 1, high - 1, high}
        parts = most // 3
        some |= {low + (high - low) * part // parts for part in range(1, parts)}
        chosen = sorted(some & set(chosen))
    decoded = (tables.decode(option.type, slot) for slot in chosen)
    return [tables.text(option.type, value) for value in decoded]


def decisive(loaded: Loaded, all_values: bool) -> Iterator[Setting]:
    """The default with each number of players, each variant, each value of each option.

    Unless `all_values`, only of the options on which it depends what the checks find.
    """
    names = loaded.decisive()
    yield from by_players(loaded)
    seen: set[tuple[tuple[str, str], ...]] = set()
    for name in loaded.variants:
        values, _ = loaded.settings({}, [name])
        seen.add(tuple(values.items()))
        if all_values or not names.isdisjoint(values):
            yield Setting(variants=(name,))
    game, _ = loaded.game()
    if game is None:
        return
    if all_values:
        names = frozenset(option.name for option in game.options)
    for each in by_value(Setting(), game, names, MOST_VALUES):
        if each.options not in seen:
            yield each


def together(loaded: Loaded, every: Iterable[Setting]) -> Iterator[Setting]:
    """Each setting with each number of players: all with the most first, then with the fewest.

    The first ones are with what differs most from the default; a budget may end anywhere behind.
    """
    low, high = loaded.outline.player_range
    one_by_one = [each for each in every if each.text]
    for count in dict.fromkeys((high, low, *range(high - 1, low, -1))):
        yield from (replace(each, players=count) for each in one_by_one)


def findings_elsewhere(
    loaded: Loaded, known: Iterable[Diagnostic], most: int, over: Callable[[], bool]
) -> list[Diagnostic] | None:
    """What is wrong in settings beside the default one, and what is hardly meant in all of them.

    Of `most` settings, one after another; None once it is `over`.
    """
    said = {(each.code, each.message) for each in known}
    found: dict[tuple[object, ...], Diagnostic] = {}
    meant: list[list[Diagnostic]] = []
    for setting in islice(decisive(loaded, False), most):
        if over():
            return None
        game, findings = loaded.game(*setting.arguments)
        for each in findings:
            key = each.code, each.message, each.span.start if each.span is not None else -1
            if each.code != _REFUSED and key[:2] not in said:
                found.setdefault(key, each)
        if game is not None and (not meant or meant[0]):
            meant = [in_all([*meant, loaded.lints(game)])]
    return [*found.values(), *loaded.hardly_meant(meant)]
