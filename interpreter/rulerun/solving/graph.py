"""All positions of a game that hides nothing, and how each leads to others.

Assumes: plays, what tells positions apart, what a position hides, how many there may be.
Does: walks from the first rest to every position that can come of it, each once. A position is a
decision of one player, luck, or the beginning of a `together`: there each of two players goes
through a part of their own, and both parts together lead on (a *stage*).
Leaves behind a `Graph` in flat arrays, with what each end is worth. Where something is hidden it
raises `Hidden`, where more than two players decide at the same time, luck falls inside a
`together`, or a rule goes wrong, `Unsolvable`, where there are too many positions `TooBig`.

A walk that was interrupted goes on where it was: what is found and what waits is kept (`keeping`).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from rulerun.compiled.python.executor import Bailout
from rulerun.executors.stepper import TERMINAL
from rulerun.reference.executor import Reference
from rulerun.runtime.executor import CHANCE, IllegalInput, RuleError
from rulerun.runtime.play import TOGETHER
from rulerun.search.plays import Plays
from rulerun.search.utility import unpacked
from rulerun.solving.hiding import Hiding
from rulerun.solving.keeping import Found, Keeper, Parts, plain, restored
from rulerun.solving.positions import KEY, Positions, Reordered, Watched, stays
from rulerun.solving.refusals import TooBig, Unsolvable
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen

Told = Callable[[int, str], None]
"""Is told how many positions there are so far, and what is done."""

WRONG = (IllegalInput, RuleError, RuntimeError, ValueError, Bailout)
"""What a play raises where the rules go wrong."""
WALK = "walk"
"""The stage in which a graph grows, as it is kept."""
_PAUSE = 2_000


class Hidden(Exception):
    """A position hides something from a player: its number."""


@frozen
class Deciding:
    """One player decides."""

    player: int
    actions: tuple[int, ...]


@frozen
class Luck:
    """Luck decides."""

    weights: tuple[int, ...]


@frozen
class Stage:
    """Two players decide at the same time: each takes one row of actions."""

    players: tuple[int, int]
    """The second is -1 if only one takes part."""
    rows: tuple[tuple[int, ...], ...]
    columns: tuple[tuple[int, ...], ...]


Shape = Deciding | Luck | Stage


@dataclass(slots=True)
class Graph:
    """Positions by number; the first rest is number 0."""

    shapes: list[Shape] = field(default_factory=list)
    """What a position may be like: many are alike."""
    shape: array[int] = field(default_factory=lambda: array("i"))
    """By position: which shape."""
    level: array[int] = field(default_factory=lambda: array("i"))
    """By position: how many decisions were taken before, on the way on which it was found."""
    first: array[int] = field(default_factory=lambda: array("q"))
    """By position: where its ways on begin in `ways`."""
    ways: array[int] = field(default_factory=lambda: array("i"))
    """Positions, or -1 - the number of an end. Of a stage row by row."""
    ends: list[tuple[Fraction | int, ...]] = field(default_factory=list)
    """What an end is worth, by player."""
    numbers: dict[bytes, int] = field(default_factory=dict)
    """By key of `positions`."""
    forgets: bool = False
    """Whether these keys leave the order of some piles out."""

    def __len__(self) -> int:
        """How many positions there are."""
        return len(self.shape)

    def on(self, at: int) -> Sequence[int]:
        """The ways on from a position."""
        first = self.first[at]
        shape = self.shapes[self.shape[at]]
        return self.ways[first : first + width(shape)]

    def parts(self) -> Parts:
        """The graph as it is kept."""
        return {
            "shapes": [_plain(each) for each in self.shapes],
            "shape": self.shape,
            "level": self.level,
            "first": self.first,
            "ways": self.ways,
            "ends": [[plain(each) for each in end] for end in self.ends],
            "keys": b"".join(self.numbers),
            "forgets": self.forgets,
        }

    @classmethod
    def of(cls, found: Found) -> Graph:
        """The graph that was kept."""
        keys = found.bytes("keys")
        return cls(
            [_shape(*each) for each in found.data("shapes")],
            found.array("shape", "i"),
            found.array("level", "i"),
            found.array("first", "q"),
            found.array("ways", "i"),
            [tuple(map(restored, end)) for end in found.data("ends")],
            {keys[at : at + KEY]: at // KEY for at in range(0, len(keys), KEY)},
            found.data("forgets"),
        )


def _plain(shape: Shape) -> list[Any]:
    match shape:
        case Deciding(player=player, actions=actions):
            return ["deciding", player, actions]
        case Luck(weights=weights):
            return ["luck", weights]
        case Stage(players=players, rows=rows, columns=columns):
            return ["stage", players, rows, columns]


def _shape(kind: str, *given: Any) -> Shape:
    if kind == "deciding":
        return Deciding(given[0], tuple(given[1]))
    if kind == "luck":
        return Luck(tuple(given[0]))
    players, rows, columns = given
    return Stage(tuple(players), tuple(map(tuple, rows)), tuple(map(tuple, columns)))


def width(shape: Shape) -> int:
    """How many ways lead on."""
    match shape:
        case Deciding(actions=actions):
            return len(actions)
        case Luck(weights=weights):
            return len(weights)
        case Stage(rows=rows, columns=columns):
            return len(rows) * len(columns)


def walk(
    game: Game,
    plays: Plays,
    positions: Positions,
    hiding: Hiding,
    most: int,
    told: Told,
    keeper: Keeper | None = None,
) -> Graph:
    """Walk all positions. Raises `Hidden`, `Reordered`, `Unsolvable` and `TooBig`."""
    return _Walk(game, plays, positions, hiding, most, told).run(keeper or Keeper(None, game))


class _Walk:
    def __init__(
        self,
        game: Game,
        plays: Plays,
        positions: Positions,
        hiding: Hiding,
        most: int,
        told: Told,
    ) -> None:
        self.game, self.plays, self.positions = game, plays, positions
        self.hiding, self.most, self.told = hiding, most, told
        self.cells = plays.cells
        self.graph = Graph(forgets=positions.forgets)
        self.shapes: dict[Shape, int] = {}
        self.ends: dict[tuple[Fraction | int, ...], int] = {}
        self.waiting: list[tuple[int, Any]] = []
        self.open: set[bytes] = set()
        """What lies where, where it is known that nothing is hidden."""
        layout = game.layout
        self._shadow = layout.shadow, layout.queue
        self._base = layout.base, layout.base + layout.frame

    def run(self, keeper: Keeper) -> Graph:
        found = keeper.at(WALK)
        if found is not None:
            self._resume(found)
            keeper.forget()
        else:
            self._begin()
        graph = self.graph
        done = 0
        with keeper.careful():
            while self.waiting:
                keeper.rest(WALK, self._so_far)
                number, play = self.waiting.pop()
                try:
                    self._expand(number, play)
                except WRONG as failure:
                    raise Unsolvable(_wrong(self.game, failure)) from None
                done += 1
                if not done % _PAUSE:
                    self.told(len(graph), "positions found")
        return graph

    def _begin(self) -> None:
        start = self.plays.at(Reference(self.game, events=False).initial().state)
        if start.who() == TERMINAL:
            raise Unsolvable(f"{self.game.name} is over before anybody decides")
        self._land(start, (), 0)

    def _so_far(self) -> Parts:
        waiting = [[number, self.cells(play).hex()] for number, play in self.waiting]
        return {**self.graph.parts(), "waiting": waiting}

    def _resume(self, found: Found) -> None:
        self.graph = Graph.of(found)
        self.shapes = {shape: at for at, shape in enumerate(self.graph.shapes)}
        self.ends = {end: at for at, end in enumerate(self.graph.ends)}
        size = self.game.layout.size
        for number, cells in found.data("waiting"):
            state = unpacked(bytes.fromhex(cells), size)
            self.waiting.append((number, self.plays.at(state)))

    # ------------------------------------------------------------------------------- landing

    def _land(self, play: Any, watched: Watched, level: int) -> int:
        """The number of the position or end where a play stands."""
        cells = self.cells(play)
        if watched and not stays(watched, cells):
            raise Reordered
        if play.who() == TERMINAL:
            return self._end(play)
        graph = self.graph
        key = self.positions.key(cells)
        number = graph.numbers.get(key)
        if number is None:
            number = graph.numbers[key] = len(graph.shape)
            if number >= self.most:
                raise TooBig(
                    f"{self.game.name} has more than {self.most:,} positions; "
                    "--states N lets there be more"
                )
            graph.shape.append(-1)
            graph.level.append(level)
            graph.first.append(0)
            self.waiting.append((number, play))
        return number

    def _end(self, play: Any) -> int:
        worth = tuple(self.plays.ending(play))
        number = self.ends.get(worth)
        if number is None:
            number = self.ends[worth] = len(self.graph.ends)
            self.graph.ends.append(worth)
        return -1 - number

    # ------------------------------------------------------------------------------- walking

    def _expand(self, number: int, play: Any) -> None:
        graph, who = self.graph, play.who()
        cells = self.cells(play)
        watched = self.positions.watched(cells) if self.positions.forgets else ()
        level = graph.level[number]
        if who != CHANCE:
            self._look(play, cells)
        shape: Shape
        if who != CHANCE and self.plays.parts(play):
            shape, ways = self._stage(play, who, watched, level)
        else:
            actions = play.legal()
            shape = Luck(play.weights()) if who == CHANCE else Deciding(who, actions)
            ways = []
            for action in actions:
                child = play.clone()
                child.apply(action)
                ways.append(self._land(child, watched, level + (who != CHANCE)))
        known = self.shapes.get(shape)
        if known is None:
            known = self.shapes[shape] = len(graph.shapes)
            graph.shapes.append(shape)
        graph.shape[number] = known
        graph.first[number] = len(graph.ways)
        graph.ways.extend(ways)

    def _look(self, play: Any, cells: bytes) -> None:
        """See that nothing is hidden."""
        if self.hiding.never:
            return
        if self.hiding.by_places:
            places = self.positions.places(cells)
            if places in self.open:
                return
            self.open.add(places)
        viewer = self.hiding.from_whom(unpacked(cells, self.game.layout.size))
        if viewer is not None:
            raise Hidden(viewer)

    # -------------------------------------------------------------------------------- stages

    def _stage(
        self, play: Any, first: int, watched: Watched, level: int
    ) -> tuple[Stage, list[int]]:
        opened = self._opened(play)
        rows, ways = [], []
        columns: list[tuple[int, ...]] | None = None
        second = -1
        for row, behind in self._parts(play, first, opened, watched):
            who = behind.who()
            rows.append(row)
            if who == TERMINAL or not self._inside(behind, opened):
                found: list[tuple[int, ...]] = [()]
                ways.append(self._land(behind, watched, level + len(row)))
            else:
                second = who
                self._watch(behind, watched)
                found = []
                for column, end in self._parts(behind, who, opened, watched):
                    found.append(column)
                    if len(self.game.players) > 2 and self._inside(end, opened):
                        raise Unsolvable(
                            f"more than two players decide at the same time in {self.game.name}: "
                            "there is no exact answer to that here"
                        )
                    ways.append(self._land(end, watched, level + len(row) + len(column)))
            if columns is None:
                columns = found
            elif columns != found:
                raise Unsolvable(
                    f"in {self.game.name} what one player may do in a `together` hangs on what "
                    "another does in it"
                )
        return Stage((first, second), tuple(rows), tuple(columns or ())), ways

    def _parts(
        self, play: Any, who: int, opened: bytes, watched: Watched
    ) -> list[tuple[tuple[int, ...], Any]]:
        """The rows of actions by which a player's part may go, each with where it leads."""
        found = []
        waiting: list[tuple[tuple[int, ...], Any]] = [((), play)]
        while waiting:
            done, at = waiting.pop()
            more = []
            for action in at.legal():
                child = at.clone()
                child.apply(action)
                row = (*done, action)
                after = child.who()
                if after == CHANCE and self._inside(child, opened):
                    raise Unsolvable(
                        f"luck falls inside a `together` of {self.game.name}: what it gives is a "
                        "secret of one player's"
                    )
                if after == who and self._inside(child, opened):
                    self._watch(child, watched)
                    more.append((row, child))
                else:
                    found.append((row, child))
            waiting += reversed(more)
        return found

    def _watch(self, play: Any, watched: Watched) -> None:
        if watched and not stays(watched, self.cells(play)):
            raise Reordered

    def _inside(self, play: Any, opened: bytes) -> bool:
        """Whether a `together` that was opened is open still."""
        open_ = play.who() != TERMINAL and self.plays.parts(play) > 0
        return open_ and self._opened(play) == opened

    def _opened(self, play: Any) -> bytes:
        """What stays the same while one `together` is open."""
        cells = self.cells(play)
        width = len(cells) // self.game.layout.size
        shadow, end = self._shadow
        first, last = self._base
        return (
            cells[TOGETHER * width : TOGETHER * width + width]
            + cells[shadow * width : end * width]
            + cells[first * width : last * width]
        )


def _wrong(game: Game, failure: BaseException) -> str:
    where = f" in line {failure.span.line}" if isinstance(failure, RuleError) else ""
    return f"the rules of {game.name} go wrong{where}: {failure}"
