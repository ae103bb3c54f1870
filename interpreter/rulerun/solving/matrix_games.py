"""Matrix games: two players decide at the same time, and one gains what the other loses.

Assumes: a matrix of what the first player, who takes a row, gets for each row and column; the
second, who takes a column, wants it small.
Does: looks for a saddle point; else leaves out rows and columns that others dominate, and solves
what is left by the simplex method (Dantzig 1951), in exact fractions while these are short, else in
floating point. The mixes found are held against every pure answer: how much each
player has for certain. Where these two differ by more than 1e-9, scipy's linear programming is
asked, so that what is installed decides whether there is an answer, and not which.
Leaves behind an `Answer`: the value, a mix of rows and one of columns, and how they were found.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from rulerun.solving.refusals import Unsolvable
from rulerun_dsl.source.frozen import frozen

Number = int | Fraction | float
Matrix = Sequence[Sequence[Number]]

SADDLE, EXACT, SIMPLEX, PROGRAM = (
    "saddle point",
    "exact simplex",
    "simplex",
    "linear program",
)
"""How a matrix game was solved, the simplest way first."""
CLOSE = 1e-9
"""What a value may be off."""
NOISE = 1e-12
"""What rounding may do to a value."""
_LONG = 1_000_000
"""Denominators beyond this one are no longer worth being exact."""
_SMALL = 12
"""Rows or columns up to which fractions are used."""
_MOST_PIVOTS = 2_000


@frozen
class Answer:
    """What a matrix game comes to."""

    value: Number
    rows: tuple[Number, ...]
    columns: tuple[Number, ...]
    how: str
    gap: float = 0.0
    """By how much the value may be off."""


def solve_matrix(matrix: Matrix) -> Answer:
    """The value of a matrix game, and a mix for each player that is sure of it.

    Exact where all entries are whole numbers or short fractions and the matrix is small; else to
    1e-9 of its largest entry. Raises `Unsolvable` where that takes scipy, and it is not installed.
    """
    saddle = _saddle(matrix)
    if saddle is not None:
        return _pure(matrix, *saddle)
    # What is left has no saddle point either: it would be one of the whole.
    rows, columns = _undominated(matrix)
    left = [[matrix[row][column] for column in columns] for row in rows]
    value, own, other, how, gap = _mixed(left)
    wide = len(matrix[0])
    return Answer(value, _spread(own, rows, len(matrix)), _spread(other, columns, wide), how, gap)


def short(value: Number) -> Number:
    """The value, no longer exact if it is a long fraction."""
    if isinstance(value, Fraction):
        if value.denominator == 1:
            return value.numerator
        if value.denominator > _LONG:
            return float(value)
    return value


def certain(matrix: Matrix, rows: Sequence[Number], columns: Sequence[Number]) -> tuple[Any, Any]:
    """What the first player has for certain by a mix of rows, and at most by a mix of columns."""
    chosen = [(share, line) for share, line in zip(rows, matrix, strict=True) if share]
    low = min(sum(share * line[at] for share, line in chosen) for at in range(len(matrix[0])))
    high = max(sum(map(_times, line, columns)) for line in matrix)
    return low, high


def _times(one: Number, other: Number) -> Number:
    return one * other


def _saddle(matrix: Matrix) -> tuple[int, int] | None:
    """A row and a column from which neither would go away."""
    lows = [min(row) for row in matrix]
    low = max(lows)
    highs = [max(column) for column in zip(*matrix, strict=True)]
    high = min(highs)
    if high - low > NOISE:
        return None
    return lows.index(low), highs.index(high)


def _pure(matrix: Matrix, row: int, column: int) -> Answer:
    rows = tuple(int(at == row) for at in range(len(matrix)))
    columns = tuple(int(at == column) for at in range(len(matrix[0])))
    return Answer(matrix[row][column], rows, columns, SADDLE)


def _undominated(matrix: Matrix) -> tuple[list[int], list[int]]:
    """Rows and columns that are left when no other of them is as good everywhere."""
    rows, columns = list(range(len(matrix))), list(range(len(matrix[0])))
    lines: list[list[Number]] = [list(row) for row in matrix]
    while True:
        kept = _best(lines, 1)
        rows = [rows[at] for at in kept]
        turned = [list(column) for column in zip(*(lines[at] for at in kept), strict=True)]
        left = _best(turned, -1)
        columns = [columns[at] for at in left]
        before = len(lines), len(turned)
        lines = [list(row) for row in zip(*(turned[at] for at in left), strict=True)]
        if before == (len(kept), len(left)):
            return rows, columns


def _best(lines: Sequence[Sequence[Number]], sign: int) -> list[int]:
    """The lines that no other one is as good as everywhere (of equal ones the first)."""
    kept = list(range(len(lines)))
    for at in range(len(lines) - 1, -1, -1):
        line = lines[at]
        for other in kept:
            if other == at:
                continue
            better = lines[other]
            if sign > 0:
                worse = all(one <= two for one, two in zip(line, better, strict=True))
            else:
                worse = all(one >= two for one, two in zip(line, better, strict=True))
            if worse:
                kept.remove(at)
                break
    return kept


def _spread(mix: Sequence[Number], places: Sequence[int], many: int) -> tuple[Number, ...]:
    found: list[Number] = [0] * many
    for share, at in zip(mix, places, strict=True):
        found[at] = share
    return tuple(found)


# --------------------------------------------------------------------------------------- mixing


def _mixed(matrix: Matrix) -> tuple[Number, Sequence[Number], Sequence[Number], str, float]:
    rows, columns = len(matrix), len(matrix[0])
    if max(rows, columns) <= _SMALL and all(_is_short(each) for row in matrix for each in row):
        exact = [[Fraction(each) for each in row] for row in matrix]
        found = _simplex(exact, Fraction(0), Fraction(1))
        assert found is not None
        return short(found[0]), found[1], found[2], EXACT, 0.0
    floats = [[float(each) for each in row] for row in matrix]
    scale = max(1.0, *(abs(each) for row in floats for each in row))
    found = _simplex(floats, NOISE, 1.0)
    if found is not None:
        low, high = certain(floats, found[1], found[2])
        if high - low <= CLOSE * scale:
            return (low + high) / 2, found[1], found[2], SIMPLEX, float(high - low)
    own, other = _program(floats, 1), _program(floats, -1)
    low, high = certain(floats, own, other)
    if high - low > CLOSE * scale:
        raise Unsolvable(f"a matrix of {rows} by {columns} cannot be solved to {CLOSE}")
    return (low + high) / 2, own, other, PROGRAM, float(high - low)


def _is_short(value: Number) -> bool:
    return isinstance(value, int) or (isinstance(value, Fraction) and value.denominator <= _LONG)


def _simplex(
    matrix: Sequence[Sequence[Any]], noise: Any, one: Any
) -> tuple[Any, list[Any], list[Any]] | None:
    """The game as a linear program: value, rows' mix, columns' mix; None where it does not end.

    With all entries above 0, the columns' mix y, divided by the value, is the largest y >= 0 with
    A y <= 1; the rows' mix is what the bounds are worth.
    """
    rows, columns = len(matrix), len(matrix[0])
    shift = one - min(min(row) for row in matrix)
    table = [[*(each + shift for each in row), one] for row in matrix]
    goal = [one] * columns + [one - one]
    # Labels: 0 .. columns - 1 are the columns' shares, columns + i the slack of row i.
    across = list(range(columns))
    down = [columns + at for at in range(rows)]
    exact = isinstance(one, Fraction)
    for pivot in range(_MOST_PIVOTS):
        some = [at for at in range(columns) if goal[at] > noise]
        if not some:
            break
        if exact or pivot > 100:
            column = min(some, key=across.__getitem__)  # Bland 1977: it cannot go round
        else:
            column = max(some, key=goal.__getitem__)
        row = -1
        best = None
        for at, line in enumerate(table):
            if line[column] > noise:
                ratio = line[-1] / line[column]
                if best is None or ratio < best or (ratio == best and down[at] < down[row]):
                    best, row = ratio, at
        if row < 0:
            return None
        _pivot(table, goal, row, column, one)
        across[column], down[row] = down[row], across[column]
    else:
        return None
    own, other = [one - one] * rows, [one - one] * columns
    for at, label in enumerate(down):
        if label < columns:
            other[label] = max(table[at][-1], one - one)
    for at, label in enumerate(across):
        if label >= columns:
            own[label - columns] = max(-goal[at], one - one)
    total, sum_of_rows = sum(other), sum(own)
    if not total or not sum_of_rows:
        return None
    return (
        one / total - shift,
        [each / sum_of_rows for each in own],
        [each / total for each in other],
    )


def _pivot(table: list[list[Any]], goal: list[Any], row: int, column: int, one: Any) -> None:
    """Exchange a variable of a row with one of a column, in place."""
    pivot = one / table[row][column]
    line = [each * pivot for each in table[row]]
    line[column] = pivot
    for other in (*table, goal):
        if other is table[row]:
            continue
        factor = other[column]
        if factor:
            other[:] = [each - factor * part for each, part in zip(other, line, strict=True)]
            other[column] = -factor * pivot
    table[row] = line


def _program(matrix: Sequence[Sequence[float]], side: int) -> list[float]:
    """The mix of one side (1: rows, -1: columns), by linear programming."""
    try:
        from scipy.optimize import linprog
    except ImportError:
        raise Unsolvable(
            f"a matrix of {len(matrix)} by {len(matrix[0])} needs linear programming: "
            "`pip install 'rulerun[solve]'`"
        ) from None
    lines = matrix if side < 0 else [list(column) for column in zip(*matrix, strict=True)]
    many = len(lines[0])
    # The largest v with every line's sum at least v; for the columns the smallest, and at most.
    bounds = [[*(-side * each for each in line), float(side)] for line in lines]
    found = linprog(
        [0.0] * many + [-float(side)],
        A_ub=bounds,
        b_ub=[0.0] * len(lines),
        A_eq=[[1.0] * many + [0.0]],
        b_eq=[1.0],
        bounds=[(0, 1)] * many + [(None, None)],
        method="highs",
    )
    if found.status != 0:
        raise Unsolvable(f"linear programming fails: {found.message}")
    mix = [max(0.0, float(each)) for each in found.x[:many]]
    total = sum(mix)
    return [each / total for each in mix]
