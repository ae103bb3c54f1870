"""The classics play as OpenSpiel plays them, move for move.

A new game, or a new setting of one, is a row of `ROWS`. Where OpenSpiel deviates from its own rules
or documentation, `test_known_deviations` pins how, so that we notice when it no longer does.
"""

import os

import pytest
from tests.open_spiel.walking import Difference, Row, compare

from rulerun import actions

pyspiel = pytest.importorskip("pyspiel")
pytestmark = pytest.mark.open_spiel



def steps(directions):
    """OpenSpiel's number of a step on a board: origin, direction, and whether it captures.

    `directions` are (rows, columns), in its order.
    """

    def number(game, state, action):
        _, (site, way) = actions.split(game, action)
        (board,) = game.boards
        _, rows, columns = board.directions[way]
        row, column = board.rows[site] - 1, board.columns[site] - 1
        origin = row * max(board.columns) + column
        quiet = (origin * len(directions) + directions.index((rows, columns))) * 2
        legal = state.legal_actions()
        return quiet + 1 if quiet + 1 in legal else quiet

    return number


BREAKTHROUGH = steps([(1, -1), (1, 0), (1, 1), (-1, -1), (-1, 0), (-1, 1)])
CHECKERS = steps([(-1, -1), (-1, 1), (1, 1), (1, -1)])

ROWS = [
    Row("tic_tac_toe"),
    Row("kuhn_poker"),
    Row("kuhn_poker", {"players": 3}),
    Row("kuhn_poker", {"players": 10}),
    Row("goofspiel", {"num_cards": 5}),
    Row("goofspiel"),
    Row("pig", {"winscore": 20}),
    Row("connect_four"),
    Row("connect_four", {"rows": 5, "columns": 6, "x_in_row": 3}),
    Row("breakthrough", games=30, theirs=BREAKTHROUGH),
    Row("breakthrough", {"rows": 5, "columns": 4}, games=100, theirs=BREAKTHROUGH),
    Row("hex", games=30),
    Row("hex", {"board_size": 5}, games=100),
    Row("hex", {"num_cols": 6, "num_rows": 4}, games=100),
    Row("hex", {"board_size": 4, "swap": True}, games=100),
    Row("checkers", games=30, theirs=CHECKERS),
    Row("checkers", {"rows": 10, "columns": 8}, games=30, theirs=CHECKERS),
    Row("checkers", {"rows": 7, "columns": 5}, games=30, theirs=CHECKERS),
    Row("leduc_poker"),
    Row("leduc_poker", {"players": 3}),
    Row("leduc_poker", {"players": 5, "starting_player": 2}),
    Row("leduc_poker", {"suit_isomorphism": True}),
    Row("liars_dice"),
    Row("liars_dice", {"numdice": 2}),
    Row("liars_dice", {"numdice": 3, "dice_sides": 4}),
    Row("go_fish", games=100),
    Row("go_fish", {"ranks": 5, "suits": 4, "initial_cards": 3}, games=200),
    Row("go_fish", {"players": 3, "ranks": 6, "suits": 3, "initial_cards": 2}, games=200),
    Row("hearts", games=30),
    Row(
        "hearts",
        {
            "jd_bonus": True,
            "avoid_all_tricks_bonus": True,
            "can_lead_any_club": True,
            "can_lead_hearts_instead_of_qs": True,
            "qs_breaks_hearts": False,
        },
        games=30,
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_same_play(row):
    try:
        compare(row, pyspiel.load_game(row.game, dict(row.settings)))
    except Difference as difference:
        pytest.fail(str(difference), pytrace=False)
