"""For which settings `rulerun validate` checks a rules file.

Assumes a rules file that was read.
Does: lists the default with each number of players, each variant, and each value of each option by
itself (of a long range: its ends, around its default, and some between), as far as the findings can
depend on them.
For play, each of these is put together with each number of players.
Leaves behind settings, in an order that depends on the file alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rulerun_dsl.load import Loaded
    from rulerun_dsl.model import Game, OptionValue

MOST_VALUES = 24
"""Of an option with more values, so many at most are tried."""


@dataclass(frozen=True, slots=True)
class Setting:
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

    @property
    def named(self) -> str:
        """The same, with the number of players."""
        players = f"--players {self.players}" if self.players else ""
        return f"{players} {self.text}".strip()

    @property
    def arguments(self) -> tuple[int | None, dict[str, str], tuple[str, ...]]:
        """As `Loaded.game` takes it."""
        return self.players, dict(self.options), self.variants


def settings(loaded: Loaded, all_values: bool) -> Iterator[Setting]:
    """The default with each number of players, each variant, each value of each option.

    Unless `all_values`, only of the options on which it depends what the checks find.
    """
    decisive = loaded.decisive()
    low, high = loaded.outline.player_range
    for count in range(low, high + 1):
        yield Setting(count)
    seen: set[tuple[tuple[str, str], ...]] = set()
    for name in loaded.variants:
        values, _ = loaded.settings({}, [name])
        seen.add(tuple(values.items()))
        if all_values or not decisive.isdisjoint(values):
            yield Setting(None, (name,))
    game, _ = loaded.game()
    if game is None:
        return
    for option in game.options:
        if not all_values and option.name not in decisive:
            continue
        for text in _values(game, option):
            if text != option.text and ((option.name, text),) not in seen:
                yield Setting(None, (), ((option.name, text),))


def together(loaded: Loaded, every: Iterable[Setting]) -> Iterator[Setting]:
    """Each setting with each number of players: all with the most first, then with the fewest.

    The first ones are with what differs most from the default; a budget may end anywhere behind.
    """
    low, high = loaded.outline.player_range
    one_by_one = [each for each in every if each.text]
    for count in dict.fromkeys((high, low, *range(high - 1, low, -1))):
        yield from (replace(each, players=count) for each in one_by_one)


def _values(game: Game, option: OptionValue) -> list[str]:
    """The values of an option as texts; of a long range, some."""
    from rulerun_dsl.model.valuetypes import Bool, Enum, Int, Optional, Player

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
