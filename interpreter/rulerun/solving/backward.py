"""Values of positions, from the ends backward.

Assumes: a `Graph`.
Does: orders positions so that what comes of one stands before it, and gives each its value: the
best for who decides, the mean over luck, the value of the matrix game of a stage. Positions that
may come again are valued together: from below and from above, over and over, until both meet. That
is the value whatever endless play may be worth; where they do not meet, play may go on for ever
and the rules do not say what that is worth.
Leaves behind `Values`: for two players of whom one gains what the other loses a number for each
position (what the first player gets); for others a row, where everybody takes what is best for
themselves, and of what is as good the first (max^n, Luckhardt and Irani 1986). Exact while numbers
are whole or short fractions. After each position, and each round through positions that come again,
nothing is half done: there a run that was interrupted goes on (`keeping`).
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

from rulerun.solving.graph import Deciding, Graph, Luck, Shape, Stage
from rulerun.solving.keeping import Keeper, Parts, plain, restored
from rulerun.solving.matrix_games import CLOSE, Answer, Number, short, solve_matrix
from rulerun.solving.refusals import Unsolvable
from rulerun_dsl.model import Game

Row = tuple[Number, ...]
Told = Callable[[int, str], None]

VALUES = "values"
"""The stage in which positions are valued, as it is kept."""
_PAUSE = 2_000
_MOST_ROUNDS = 20_000
"""So often positions that may come again are gone through."""
_KEPT = 200_000
"""Matrices of which the value is remembered."""


@dataclass(slots=True)
class Values:
    """What each position is worth."""

    graph: Graph
    total: Number | None
    """What both of two players get together; None: each has a value of their own."""
    scale: int
    """Values in `of` are that many times as large, so that most are whole."""
    of: list[Number]
    rows: list[Row]
    """In place of `of` where `total` is None."""
    ends: list[Number]
    how: Counter[str]
    """By way of solving: how many stages."""
    cyclic: int
    """Positions that may come again."""
    gap: float = 0.0
    """By how much a value may be off at most, from one position to those that come of it."""
    _known: dict[tuple[Number, ...], Answer] = field(default_factory=dict)
    """By width, entries and which of these are not exact: matrix games that were solved."""

    def at(self, way: int) -> Row:
        """What a position or an end is worth, by player."""
        if self.total is None:
            return self.rows[way] if way >= 0 else tuple(self.graph.ends[-1 - way])
        value = _divided(self.of[way] if way >= 0 else self.ends[-1 - way], self.scale)
        return value, short(self.total - value)

    def stage(self, at: int) -> Answer:
        """The matrix game of a stage, solved; the value is that of the first of its players."""
        shape = self.graph.shapes[self.graph.shape[at]]
        assert isinstance(shape, Stage)
        return self.answer(shape, [self.raw(way) for way in self.graph.on(at)])

    def raw(self, way: int) -> Number:
        """What a position or an end is worth to the first player, as it is stored."""
        return self.of[way] if way >= 0 else self.ends[-1 - way]

    def answer(self, shape: Stage, found: list[Number]) -> Answer:
        """The matrix game of what comes of a stage, row by row; many are the same."""
        if shape.players[0] != 0:
            found = [0 - each for each in found]
        wide = len(shape.columns)
        # 1 and 1.0 are the same key, but not the same game: so what is known decides no answer.
        rough = [at for at, each in enumerate(found) if isinstance(each, float)]
        key = (wide, len(found), *found, *rough)
        answer = self._known.get(key)
        if answer is None:
            answer = solve_matrix([found[at : at + wide] for at in range(0, len(found), wide)])
            if len(self._known) > _KEPT:
                self._known.clear()
            self._known[key] = answer
        return answer


def zero_sum(game: Game, graph: Graph) -> Fraction | int | None:
    """What two players get together, whatever the end; None if that is not always the same."""
    if len(game.players) != 2 or not graph.ends:
        return None
    sums = {sum(end) for end in graph.ends}
    return sums.pop() if len(sums) == 1 else None


def solve_backward(game: Game, graph: Graph, told: Told, keeper: Keeper | None = None) -> Values:
    """Give every position its value. Raises `Unsolvable`."""
    keeper = keeper or Keeper(None, game)
    total = zero_sum(game, graph)
    if total is None and any(isinstance(shape, Stage) for shape in graph.shapes):
        many = len(game.players)
        raise Unsolvable(
            f"in {game.name} players decide at the same time, and "
            + (
                "there are not two of them"
                if many != 2
                else "what one gains the other does not lose"
            )
            + ": there is no one value to find"
        )
    scale = 1
    ends: list[Number] = []
    if total is not None:
        scale = lcm(*(Fraction(end[0]).denominator for end in graph.ends))
        ends = [int(end[0] * scale) for end in graph.ends]
    values = Values(graph, total, scale, [], [], ends, Counter(), 0)
    order, groups = _ordered(graph, told)
    if total is None:
        if groups:
            raise Unsolvable(
                f"positions of {game.name} may come again, which is solved for two players only"
            )
        _rows(values, order, told, keeper)
    else:
        _numbers(game, values, order, groups, told, keeper)
    return values


def _divided(value: Number, scale: int) -> Number:
    if scale == 1 or isinstance(value, float):
        return value / scale if isinstance(value, float) else value
    found = Fraction(value, scale)
    return found.numerator if found.denominator == 1 else found


# ------------------------------------------------------------------------------------ the order


def _ordered(graph: Graph, told: Told) -> tuple[array[int], dict[int, list[int]]]:
    """Positions so that what comes of one stands before it; and groups that come again.

    The strongly connected components (Tarjan 1972). By the last of each group that has more than
    one way round: its members.
    """
    many = len(graph)
    index = array("i", bytes(4 * many))
    low = array("i", bytes(4 * many))
    waiting = bytearray(many)
    stack: list[int] = []
    order = array("i")
    groups: dict[int, list[int]] = {}
    count = 1
    index[0] = low[0] = count
    stack.append(0)
    waiting[0] = 1
    path: list[tuple[int, Iterator[int]]] = [(0, iter(graph.on(0)))]
    while path:
        at, ways = path[-1]
        for way in ways:
            if way < 0:
                continue
            if not index[way]:
                count += 1
                index[way] = low[way] = count
                stack.append(way)
                waiting[way] = 1
                path.append((way, iter(graph.on(way))))
                break
            if waiting[way] and index[way] < low[at]:
                low[at] = index[way]
        else:
            path.pop()
            if path and low[at] < low[path[-1][0]]:
                low[path[-1][0]] = low[at]
            if low[at] == index[at]:
                group = []
                while True:
                    member = stack.pop()
                    waiting[member] = 0
                    group.append(member)
                    if member == at:
                        break
                order.extend(group)
                if len(group) > 1 or at in graph.on(at):
                    groups[group[-1]] = group
            if not len(order) % _PAUSE:
                told(len(order), "positions put in order")
    return order, groups


# --------------------------------------------------------------------------------------- values


def _numbers(
    game: Game,
    values: Values,
    order: Sequence[int],
    groups: dict[int, list[int]],
    told: Told,
    keeper: Keeper,
) -> None:
    graph, ends, how = values.graph, values.ends, values.how
    of: list[Number] = [0] * len(graph)
    values.of = of
    so_far = _resumed(values, keeper)
    grouped = {member: last for last, group in groups.items() for member in group}
    values.cyclic = len(grouped)

    def valued(at: int, of: Sequence[Number]) -> Number:
        shape = graph.shapes[graph.shape[at]]
        ways = graph.on(at)
        found = [of[way] if way >= 0 else ends[-1 - way] for way in ways]
        if isinstance(shape, Deciding):
            return max(found) if shape.player == 0 else min(found)
        if isinstance(shape, Luck):
            return _mean(found, shape)
        answer = values.answer(shape, found)
        how[answer.how] += 1
        values.gap = max(values.gap, answer.gap)
        return answer.value if shape.players[0] == 0 else 0 - answer.value

    def parts() -> Parts:
        return {
            **graph.parts(),
            "of": [plain(each) for each in of],
            "how": how,
            "gap": values.gap,
            "done": so_far.done,
            "rounds": so_far.rounds,
            "low": so_far.low and [plain(each) for each in so_far.low],
        }

    with keeper.careful():
        for done in range(so_far.done, len(order)):
            so_far.done = done
            keeper.rest(VALUES, parts)
            at = order[done]
            if at not in grouped:
                of[at] = valued(at, of)
            elif at in groups:
                _settle(
                    game, groups[at], of, ends, valued, so_far, lambda: keeper.rest(VALUES, parts)
                )
                values.gap = CLOSE
            if not done % _PAUSE:
                told(done, "positions solved")
        so_far.done = len(order)
        keeper.keep(VALUES, parts)


@dataclass(slots=True)
class _SoFar:
    """How many positions are valued, and how far those are that come next and come again."""

    done: int = 0
    rounds: int = 0
    """So often they were gone through, from one side."""
    low: list[Number] | None = None
    """Their values from below, once these are known."""


def _resumed(values: Values, keeper: Keeper) -> _SoFar:
    """Take what was kept, if something was."""
    found = keeper.at(VALUES)
    if found is None:
        return _SoFar()
    keeper.forget()
    values.of[:] = map(restored, found.data("of"))
    values.how.update(found.data("how"))
    values.gap = found.data("gap")
    low = found.data("low")
    return _SoFar(found.data("done"), found.data("rounds"), low and list(map(restored, low)))


def _mean(found: Sequence[Number], shape: Luck) -> Number:
    total = sum(shape.weights)
    whole = sum(weight * each for weight, each in zip(shape.weights, found, strict=True))
    if isinstance(whole, float):
        return whole / total
    return short(Fraction(whole, total))


def _settle(
    game: Game,
    group: Sequence[int],
    of: list[Number],
    ends: Sequence[Number],
    valued: Callable[[int, Sequence[Number]], Number],
    so_far: _SoFar,
    rest: Callable[[], None],
) -> None:
    """Value positions that may come again: from below and from above, until both meet."""
    found: list[list[Number]] = [] if so_far.low is None else [so_far.low]
    for bound in (min(ends), max(ends))[len(found) :]:
        if not so_far.rounds:
            for member in group:
                of[member] = bound
        for rounds in range(so_far.rounds, _MOST_ROUNDS):
            so_far.rounds = rounds
            rest()
            moved = 0.0
            for member in group:
                value = valued(member, of)
                moved = max(moved, abs(float(value - of[member])))
                of[member] = value
            if moved <= CLOSE / 1_000:
                break
        found.append([of[member] for member in group])
        so_far.rounds, so_far.low = 0, found[0]
    so_far.low = None
    for member, low, high in zip(group, *found, strict=True):
        if high - low > CLOSE:
            raise Unsolvable(
                f"play may go on for ever in {game.name}: {len(group):,} positions may come again, "
                "and the rules do not say what that is worth"
            )
        of[member] = low if low == high else (low + high) / 2


def _rows(values: Values, order: Sequence[int], told: Told, keeper: Keeper) -> None:
    graph = values.graph
    rows: list[Row] = [()] * len(graph)
    values.rows = rows
    kept, begun = keeper.at(VALUES), 0
    if kept is not None:
        rows[:] = (tuple(map(restored, row)) for row in kept.data("rows"))
        begun = kept.data("done")
        keeper.forget()

    def parts() -> Parts:
        plainly = [[plain(each) for each in row] for row in rows]
        return {**graph.parts(), "rows": plainly, "done": done}

    done = begun

    with keeper.careful():
        for done in range(begun, len(order)):
            keeper.rest(VALUES, parts)
            at = order[done]
            shape: Shape = graph.shapes[graph.shape[at]]
            found = [rows[way] if way >= 0 else graph.ends[-1 - way] for way in graph.on(at)]
            if isinstance(shape, Deciding):
                player = shape.player
                rows[at] = max(found, key=lambda row: row[player])
            else:
                assert isinstance(shape, Luck)
                rows[at] = tuple(_mean(each, shape) for each in zip(*found, strict=True))
            if not done % _PAUSE:
                told(done, "positions solved")
        done = len(order)
        keeper.keep(VALUES, parts)
