"""Matrix games: values and mixes, held against every support and every pure answer."""

from __future__ import annotations

import random
import sys
from fractions import Fraction
from itertools import combinations

import pytest

from rulerun.solving.matrix_games import (
    EXACT,
    PROGRAM,
    SADDLE,
    SIMPLEX,
    Number,
    _program,
    certain,
    short,
    solve_matrix,
)
from rulerun.solving.refusals import Unsolvable


def by_supports(matrix):
    """The value by trying every pair of supports of one size: slow, and nothing like a simplex."""
    rows, columns = range(len(matrix)), range(len(matrix[0]))
    for size in range(1, min(len(rows), len(columns)) + 1):
        for own in combinations(rows, size):
            for other in combinations(columns, size):
                x = _equal([[matrix[i][j] for i in own] for j in other])
                y = _equal([[matrix[i][j] for j in other] for i in own])
                if x is None or y is None or min(x[:-1]) < 0 or min(y[:-1]) < 0:
                    continue
                value = x[-1]
                low = min(
                    sum(p * matrix[i][j] for p, i in zip(x, own, strict=False)) for j in columns
                )
                high = max(
                    sum(p * matrix[i][j] for p, j in zip(y, other, strict=False)) for i in rows
                )
                if low == value == high:
                    return value
    raise AssertionError("every matrix game has a value")


def _sure(matrix, own, other):
    """What each side has for certain, by their shares of rows and of columns."""
    columns = range(len(matrix[0]))
    low = min(sum(share * matrix[row][at] for row, share in own.items()) for at in columns)
    return low, max(sum(share * row[at] for at, share in other.items()) for row in matrix)


def _equal(lines):
    """Shares that make every line come to the same, and what that is; None if there are none."""
    size = len(lines)
    table = [[*map(Fraction, line), Fraction(-1), Fraction(0)] for line in lines]
    table.append([*[Fraction(1)] * size, Fraction(0), Fraction(1)])
    for at in range(size + 1):
        pivot = next((row for row in range(at, size + 1) if table[row][at]), None)
        if pivot is None:
            return None
        table[at], table[pivot] = table[pivot], table[at]
        table[at] = [each / table[at][at] for each in table[at]]
        for row in range(size + 1):
            if row != at:
                factor = table[row][at]
                table[row] = [a - factor * b for a, b in zip(table[row], table[at], strict=True)]
    return [line[-1] for line in table]


def random_matrix(luck: random.Random) -> list[list[int]]:
    rows, columns = luck.randint(1, 4), luck.randint(1, 4)
    return [[luck.randint(-3, 3) for _ in range(columns)] for _ in range(rows)]


def test_values_are_those_of_the_supports_exactly():
    luck = random.Random(1)
    hows = set()
    for _ in range(150):
        matrix = random_matrix(luck)
        found = solve_matrix(matrix)
        hows.add(found.how)
        assert found.value == by_supports(matrix), matrix
        assert certain(matrix, found.rows, found.columns) == (found.value, found.value), matrix
        assert sum(found.rows) == sum(found.columns) == 1
    assert hows == {SADDLE, EXACT}


def test_floating_point_finds_what_fractions_find():
    luck = random.Random(2)
    for _ in range(60):
        matrix = random_matrix(luck)
        shaken: list[list[Number]] = [[each + luck.random() for each in row] for row in matrix]
        found = solve_matrix(shaken)
        exact = solve_matrix(
            [[Fraction(each).limit_denominator(1000) for each in row] for row in shaken]
        )
        assert abs(float(found.value) - float(exact.value)) < 2e-3
        low, high = certain(shaken, found.rows, found.columns)
        assert high - low < 1e-9
        assert low - 1e-9 <= found.value <= high + 1e-9


@pytest.mark.parametrize("side", [10, 30])
def test_larger_games_are_sure_to_1e_9(side):
    luck = random.Random(side)
    matrix = [[luck.random() for _ in range(side)] for _ in range(side)]
    found = solve_matrix(matrix)
    assert found.how == SIMPLEX
    low, high = certain(matrix, found.rows, found.columns)
    assert high - low < 1e-9


def test_games_that_everybody_knows():
    rock = solve_matrix([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    third = Fraction(1, 3)
    assert (rock.value, rock.rows, rock.columns) == (0, (third,) * 3, (third,) * 3)
    assert solve_matrix([[3, -1], [-2, 4]]).value == 1
    assert solve_matrix([[1, 2], [3, 4]]).how == SADDLE
    # The third row is worse than a mix of the others, and is left out of it.
    assert solve_matrix([[4, 0], [0, 4], [1, 1]]).rows == (Fraction(1, 2), Fraction(1, 2), 0)


def test_a_degenerate_game_does_not_go_round():
    # All rows tie at every pivot; Beale's example as a game of many equal entries.
    matrix = [[0] * 6 for _ in range(6)]
    for at in range(6):
        matrix[at][at] = matrix[at][(at + 1) % 6] = 1
    found = solve_matrix(matrix)
    assert found.value == Fraction(1, 3)


def test_long_fractions_become_numbers():
    assert short(Fraction(4, 2)) == 2 and isinstance(short(Fraction(4, 2)), int)
    assert short(Fraction(1, 3)) == Fraction(1, 3)
    assert isinstance(short(Fraction(1, 10**7 + 1)), float)


def test_linear_programming_finds_the_same():
    pytest.importorskip("scipy")
    luck = random.Random(3)
    for _ in range(10):
        matrix = [[luck.random() for _ in range(5)] for _ in range(7)]
        low, high = certain(matrix, _program(matrix, 1), _program(matrix, -1))
        assert high - low < 1e-9
        assert abs(low - solve_matrix(matrix).value) < 1e-9


def test_without_scipy_it_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(Unsolvable, match=r"rulerun\[solve\]"):
        _program([[1.0, 2.0], [2.0, 1.0]], 1)


def test_scipy_is_asked_where_the_simplex_is_not_sure(monkeypatch):
    monkeypatch.setattr("rulerun.solving.matrix_games._simplex", lambda *given: None)
    matrix = [[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]]
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "scipy.optimize", None)
        with pytest.raises(Unsolvable, match="needs linear programming"):
            solve_matrix(matrix)
    pytest.importorskip("scipy")
    found = solve_matrix(matrix)
    assert found.how == PROGRAM and abs(float(found.value)) < 1e-9
