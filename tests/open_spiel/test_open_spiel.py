"""The classics play as OpenSpiel plays them, move for move.

A new game, or a new setting of one, is a row of `ROWS`. Where OpenSpiel deviates from its own rules
or documentation, `test_known_deviations` pins how, so that we notice when it no longer does.
"""

import os

import pytest
from tests.open_spiel.walking import Row, compare

pyspiel = pytest.importorskip("pyspiel")
pytestmark = pytest.mark.open_spiel

ROWS = [
    Row("tic_tac_toe"),
    Row("kuhn_poker"),
    Row("kuhn_poker", {"players": 3}),
    Row("kuhn_poker", {"players": 10}),
    Row("goofspiel", {"num_cards": 5}),
    Row("goofspiel"),
    Row("pig", {"winscore": 20}),
]


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_same_play(row):
    compare(row, pyspiel.load_game(row.game, dict(row.settings)))
