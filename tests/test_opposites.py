"""The opposite of a condition: as Python, whose words and signs for it are the same."""

from __future__ import annotations

import pytest

from rulerun_dsl.schema.opposites import opposite

WRITTEN = {
    "done": "not done",
    "not done": "done",
    "not (n > 1 or done)": "n > 1 or done",
    "n > 1": "n <= 1",
    "n  <=  f(n == 1)": "n  >  f(n == 1)",
    "n == 1 or done": "not (n == 1 or done)",
}
CONDITIONS = [
    *WRITTEN,
    *(f"n {sign} 1" for sign in ("==", "!=", "<", "<=", ">", ">=")),
    *("n is m", "n is not m"),
    *("n in row", "n not in row", "not n in row", "not n == 1", "not f(n) is f(1)"),
    *("not done and n > 1", "not done or n > 1", "done and not n > 1", "not not done"),
    *("not (done) and (n > 1)", "not (done) == (n > 1)", "not(done)", "(done)", "notable"),
    *("n > 1 if done else n == 1", "not done if n > 1 else done", "row[n] > 1 and n < 2"),
    *("any(x > n for x in row)", "not any(x > n for x in row)", "row[n] <= f(row[n - 1])"),
    *("not any(x > n for x in row) == done", "f(n == 1)", "f(n) < f(1) < f(2)"),
]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_it_holds_where_the_condition_does_not(condition: str) -> None:
    other = opposite(condition)
    assert other is not None
    assert other == WRITTEN.get(condition, other)
    for n in range(4):
        for done in (False, True):
            names = {"n": n, "done": done, "row": [1, 2, 0, 3], "f": int, "notable": done, "m": 2}
            assert bool(eval(condition, names)) is not bool(eval(other, names))


@pytest.mark.parametrize("condition", ["n => 3", "n = 3", "!done", "a && b", "a or n <> b"])
def test_what_is_not_of_the_language_has_none(condition: str) -> None:
    assert opposite(condition) is None


def test_what_never_ends() -> None:
    assert (opposite("true"), opposite(" false ")) == ("false", "true")
