"""Sets that take several slots: a state as machine code has it.

Assumes: a checked `Game`, whose sets of any size take one slot each.
Does: gives each set of more than `WORD` members as many slots as it fills, of `WORD` members each,
and moves what stands behind it; takes a state apart so, and puts it together again.
Leaves behind: a `Spread`: the game with the layout that is so found. A game without such sets stays
as it is.

A slot of a frame belongs to one name after another. It is as wide as the widest of them, and holds
what the others do in its first number: which is below 0 only if it is no set.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from math import prod

from rulerun.compiled.ir.program import Unsupported
from rulerun.runtime.index import GameIndex
from rulerun_dsl import model
from rulerun_dsl.model import Game
from rulerun_dsl.model.effects import effects
from rulerun_dsl.model.valuetypes import WORD, SetOf, Type, bare
from rulerun_dsl.source.frozen import frozen

MOST_IN_PART = (1 << WORD) - 1
"""What one slot of several holds at most."""


@frozen
class Spread:
    """A game in which each set has the slots it fills, and where things stood before."""

    game: Game
    offsets: tuple[int, ...]
    """By offset in a frame: the offset now."""
    in_frames: Mapping[int, int]
    """The offsets of slots that are several now, and how many."""
    wide: tuple[tuple[int, int], ...]
    """Slots that are several now: where each stood, ascending, and how many."""

    def apart(self, slots: Sequence[int]) -> list[int]:
        """A state as the reference has it, with its sets taken apart."""
        found: list[int] = []
        done = 0
        for at, many in self.wide:
            found += slots[done:at]
            found += words_in(slots[at], many)
            done = at + 1
        found += slots[done : self._size]
        return found

    def together(self, slots: Sequence[int]) -> tuple[int, ...]:
        """The state again."""
        found: list[int] = []
        done = moved = 0
        for at, many in self.wide:
            here = at + moved
            found += slots[done:here]
            held = slots[here : here + many]
            sum_ = sum(word << WORD * place for place, word in enumerate(held))
            found.append(held[0] if held[0] < 0 else sum_)
            done = here + many
            moved += many - 1
        found += slots[done:]
        return tuple(found)

    @property
    def _size(self) -> int:
        """How many slots there were."""
        return self.game.layout.size - sum(many - 1 for _, many in self.wide)


def words_in(value: int, many: int) -> list[int]:
    """What several slots hold for a value: a set in parts, anything else in the first of them."""
    if value < 0 or many == 1:
        return [value, *[0] * (many - 1)]
    return [value >> WORD * place & MOST_IN_PART for place in range(many)]


def words_of(tables: GameIndex, type_: Type) -> int:
    """How many slots a value of a type takes where a set takes as many as it fills."""
    inner = bare(type_)
    if not isinstance(inner, SetOf):
        return 1
    low, high = tables.members(inner)
    return max(1, -(-(high - low + 1) // WORD))


def spread(game: Game) -> Spread:
    """Give each set as many slots as it fills. Raises `Unsupported`."""
    tables, layout = GameIndex(game), game.layout
    _check(game, tables)
    frame = _by_offset(game, tables)
    wide = {**dict(_variables(tables)), **dict(_attributes(tables))}
    first, last = layout.live
    if layout.queue > layout.shadow:
        wide |= {at - first + layout.shadow: many for at, many in wide.items()}
    for start in range(layout.base, layout.base + layout.frame * layout.frames, layout.frame):
        wide |= {start + offset: many for offset, many in frame.items()}
    if not wide:
        return unspread(game)
    moved = list(accumulate((wide.get(at, 1) for at in range(layout.size)), initial=0))
    offsets = accumulate((frame.get(at, 1) for at in range(layout.frame)), initial=0)
    *within, length = offsets

    def named(places: tuple[tuple[str, int], ...]) -> tuple[tuple[str, int], ...]:
        return tuple((name, moved[at]) for name, at in places)

    changed = replace(
        layout,
        variables=named(layout.variables),
        places=named(layout.places),
        counts=tuple(at if at < 0 else moved[at] for at in layout.counts),
        positions=named(layout.positions),
        attributes=tuple((kind, name, moved[at]) for kind, name, at in layout.attributes),
        knowledge=moved[layout.knowledge],
        live=(moved[first], moved[last]),
        shadow=moved[layout.shadow],
        queue=moved[layout.queue],
        frame=length,
        base=moved[layout.base],
        size=moved[-1],
        known=named(layout.known),
        known_places=named(layout.known_places),
    )
    changed_game = replace(game, layout=changed)
    return Spread(changed_game, tuple(within), frame, tuple(sorted(wide.items())))


def unspread(game: Game) -> Spread:
    """A game as it is: a slot is as wide as it must be."""
    return Spread(game, tuple(range(game.layout.frame)), {}, ())


def _variables(tables: GameIndex) -> Iterator[tuple[int, int]]:
    """The slots of variables that are several."""
    for table in tables.variables.values():
        many = words_of(tables, table.variable.type)
        if many > 1:
            for at in range(table.base, table.base + prod(table.variable.sizes)):
                yield at, many


def _attributes(tables: GameIndex) -> Iterator[tuple[int, int]]:
    """The slots of attributes that are several."""
    for kind in tables.kinds.values():
        for attribute in kind.attributes:
            many = words_of(tables, attribute.type)
            if many > 1:
                for at in range(attribute.base, attribute.base + kind.kind.total):
                    yield at, many


def _by_offset(game: Game, tables: GameIndex) -> dict[int, int]:
    """The slots of a frame that are several."""
    found: dict[int, int] = {}
    for each in names_in(game):
        many = words_of(tables, each.type)
        if many > 1:
            found[each.offset] = max(many, found.get(each.offset, 1))
    return found


def names_in(game: Game) -> Iterator[model.Local]:
    """What has a slot of a frame, as its writer names it."""
    for procedure in game.procedures:
        yield from procedure.parameters
    for node in game.code:
        for write in effects(node).writes:
            if isinstance(write.target, model.Local):
                yield write.target


def _check(game: Game, tables: GameIndex) -> None:
    """Raise `Unsupported` where a set can be neither taken apart nor left as it is."""
    for kind in tables.kinds.values():
        for attribute in kind.attributes:
            if words_of(tables, attribute.type) > 1 and kind.alike:
                name = kind.kind.name
                raise Unsupported(f"copies of {name} with a set of more than {WORD} members each")
    for procedure in game.procedures:
        if procedure.queued:
            for parameter in procedure.parameters:
                if words_of(tables, parameter.type) > 1:
                    raise Unsupported(f"a call that waits with more than {WORD} members")
