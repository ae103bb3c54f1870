"""Plays of the builtin type, from any state on, and trees that are searched from there.

Assumes: the machine code of a game with the methods of a builtin type, and a tree search.
Does: stands a play at a state by writing its slots; holds the memory of a tree, and has it grow.
Leaves behind: plays; of a tree, how often each action of its root was tried, and what it came to.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Sequence
from threading import local
from typing import TYPE_CHECKING, Any

from rulerun.compiled.lower.spreading import spread
from rulerun.compiled.native.builtin import HEAD as OBJECT
from rulerun.compiled.native.builtin import type_of
from rulerun.compiled.native.loaded_code import NativePlay, cells, recall, remember
from rulerun.compiled.native.tree_layout import (
    CELLS,
    FOUND,
    HEAD,
    HIGH,
    LARGEST,
    LOW,
    NODES,
    PLACES,
    SUMS,
    USED,
    VIEWER,
    Worth,
    place_of,
)
from rulerun.compiled.python.executor import Bailout
from rulerun.runtime.play import RESULT, TOGETHER
from rulerun_dsl.model import Game

if TYPE_CHECKING:
    from rulerun.compiled.native.building import Draft

_WAY = "standing"
SLICE = 256
"""Iterations before Python is asked whether somebody interrupts."""


class _Scratch(local):
    """Where a thread plays."""

    def __init__(self, machine: NativePlay) -> None:
        self.memory = machine.memory()


class Standing:
    """Plays of one game."""

    def __init__(self, game: Game, worth: Worth, known: str = "") -> None:
        """Compile the game, and a search: quickly, and better meanwhile.

        `known`: what names the game in the cache, and its rules, settings and this copy of rulerun;
        `worth` is what that game always has. Raises `Unsupported`, `Missing` and `Bailout`.
        """

        def drafted() -> Draft:
            from rulerun.compiled.native.building import draft

            return draft(game, stepped=True, worth=worth)

        machine = recall(known, _WAY, lambda: drafted().text)
        if machine is None:
            machine = drafted().play(quick=True)
            remember(known, _WAY, machine)
        self.machine = machine
        self._spread = spread(game)
        self.game = game
        self.players = len(game.players)
        self.actions = game.number_of_actions
        self.seats = worth.seats
        plan = self.plan = machine.plan
        self.bits = plan.bits
        self._slots: Any = cells(plan)
        self._code = {16: "h", 32: "i", 64: "q"}[self.bits]
        self.width = 2 + plan.lines
        self._widest = max((wide for _, wide in plan.widths), default=1)
        self._count = OBJECT + plan.places.offset + 8 * plan.places.count
        self._rows = plan.places.offset + 8 * plan.places.rows
        self._scratch = _Scratch(machine)
        self._bind()
        machine.ripen()

    def _bind(self) -> None:
        """Take what is called from the code that is there."""
        machine = self.machine
        self.type = type_of(self.game, machine)
        self._next: Any = machine.function("rr_next", None, ctypes.c_void_p)
        number, pointer = ctypes.c_int64, ctypes.c_void_p
        self._grow: Any = machine.function(
            "rr_grow", number, pointer, pointer, *(number,) * 5, *(pointer,) * 4
        )

    def at(self, slots: Sequence[int]) -> Any:
        """A play that stands where these slots say. Raises `Bailout` where they do not fit."""
        try:
            given = array(self._code, self._spread.apart(slots)).tobytes()
        except OverflowError:
            raise Bailout from None
        if self.machine.ripe():
            # Plays of both types are alike in memory: those that are there go on.
            self._bind()
        play = self.type()
        memory = id(play) + OBJECT
        ctypes.memmove(memory, given, len(given))
        if not slots[TOGETHER] and not slots[RESULT]:
            base = self.plan.base
            self.machine.list(memory, 0, slots[base] - 1)
        self._next(memory)
        return play

    def parts(self, play: Any) -> int:
        """Which control stacks rest in the `together` that is open (bits); 0 if none is."""
        plan, slots = self.plan, self._slots.from_address(id(play) + OBJECT)
        if not slots[TOGETHER]:
            return 0
        starts = range(plan.base, plan.base + plan.frame * plan.frames, plan.frame)
        return sum(1 << at for at, start in enumerate(starts) if at and slots[start])

    def slots(self, play: Any) -> tuple[int, ...]:
        """The state in which a play stands."""
        return self._spread.together(play.slots())

    def cells(self, play: Any) -> bytes:
        """The slots of a play, as they stand in memory."""
        return ctypes.string_at(id(play) + OBJECT, ctypes.sizeof(self._slots))

    def _bytes(self, play: Any) -> int:
        """How many bytes of the memory of a play matter."""
        many = ctypes.c_int64.from_address(id(play) + self._count).value
        return int(min(self._rows + 8 * many * self._widest, self.plan.size))

    def tree(self, plays: Sequence[Any], iterations: int, key: int, viewer: int = -1) -> Grown:
        """A tree grown from plays in turn, so many iterations in all.

        `viewer`: who searches, if nodes go by what players see; else -1.
        """
        size = max(map(self._bytes, plays))
        worlds = ctypes.create_string_buffer(size * len(plays))
        for at, play in enumerate(plays):
            start = ctypes.addressof(worlds) + at * size
            ctypes.memmove(start, id(play) + OBJECT, size)
        # An iteration adds a node, or one for each player in a `together` and one to come there by.
        room = 2 + iterations * (1 + (self.players if self.plan.frames > 1 else 0))
        hashed = 1 << (2 * room).bit_length()
        cells = self.plan.places.counters - self.plan.places.rows
        head = (ctypes.c_int64 * HEAD)()
        head[NODES], head[PLACES], head[CELLS] = room, hashed, cells
        head[USED] = head[LARGEST] = 1
        head[VIEWER] = viewer
        nodes = (ctypes.c_int64 * (len(SUMS) * room))()
        table = (ctypes.c_int64 * (2 * hashed))()
        extra = (ctypes.c_int64 * (2 * room + cells))()
        for first in range(0, iterations, SLICE):
            last = min(first + SLICE, iterations)
            given = worlds, size, len(plays), key, first, last, head, nodes, table, extra
            self._grow(self._scratch.memory.whole, *given)
        return Grown(self, head, nodes, table, 1 + viewer)


class Grown:
    """A tree that has grown."""

    def __init__(self, standing: Standing, head: Any, nodes: Any, table: Any, root: int) -> None:
        """Hold its memory; `root` is the number, or the key, of its root."""
        self._root = root
        self._of = standing
        self._nodes, self._table = nodes, table
        self.low: int = head[LOW]
        self.high: int = head[HIGH]
        self._room, self._hashed = head[NODES], head[PLACES]

    def found(self, action: int, player: int, node: int | None = None) -> tuple[int, ...]:
        """How often an action was tried at a node, and the sums of what it came to.

        At the root, if no `node` is given; () if it was not tried.
        """
        child = self.child(action, player, node)
        if child is None:
            return ()
        return tuple(self._nodes[SUMS.index(sum_) * self._room + child] for sum_ in FOUND)

    def child(self, action: int, player: int, node: int | None = None) -> int | None:
        """The node behind an action of a player at another."""
        node = self._root if node is None else node
        key = node * self._of.actions * self._of.seats + action * self._of.seats + player + 1
        place = place_of(key, self._hashed)
        while (held := self._table[place]) and held != key:
            place = (place + 1) % self._hashed
        return self._table[self._hashed + place] if held else None
