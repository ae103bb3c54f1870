"""What is reckoned from whole numbers, against numbers that are known."""

import statistics
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulerun.simulation.stats.intervals import mean_of, round_below, rounded, spread, wilson


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    # R: binom::binom.confint(x, n, methods = "wilson")
    [
        (0, 10, 0.0, 0.277533),
        (5, 10, 0.236593, 0.763407),
        (81, 263, 0.255292, 0.366227),
        (10, 10, 0.722467, 1.0),
        (0, 0, 0.0, 1.0),
    ],
)
def test_wilson(hits, of, low, high):
    assert wilson(hits, of) == pytest.approx((low, high), abs=2e-5)


@given(st.lists(st.integers(-50, 10**6), min_size=2, max_size=60))
def test_spread(values):
    found = spread(Counter(values))
    assert found is not None
    assert found.mean == rounded(float(Fraction(sum(values), len(values))))
    assert found.deviation == pytest.approx(statistics.stdev(values), abs=1e-5)
    least, low, middle, high, most = found.quartiles
    assert (least, most) == (min(values), max(values))
    assert least <= low <= middle <= high <= most
    assert middle == statistics.median_low(values)


def test_spread_of_nothing_and_of_one():
    assert spread({}) is None
    one = spread({4: 1})
    assert one is not None and (one.mean, one.deviation) == (4.0, 0.0)


@given(st.lists(st.integers(-9, 9), min_size=2, max_size=40))
def test_mean_of_differences(values):
    found = mean_of(len(values), sum(values), sum(value * value for value in values))
    assert found.mean == pytest.approx(statistics.mean(values))
    assert found.deviation == pytest.approx(statistics.stdev(values), abs=1e-9)


def test_more_games_show_less():
    found = mean_of(100, 10, 400)
    assert not found.told
    assert found.needed(found.shown) in (100, 101)
    assert found.needed(found.shown / 2) in range(399, 404)
    assert round_below(found.shown) < found.shown


@given(st.floats(1e-6, 1e6))
def test_round_below(value):
    found = round_below(value)
    assert found < value <= found * 2.51
    assert f"{found:e}"[0] in "125"
