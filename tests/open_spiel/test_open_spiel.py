"""The classics play as OpenSpiel plays them, move for move.

A new game, or a new setting of one, is a row of `ROWS`. Where OpenSpiel deviates from its own rules
and a setting is left out of the table or a play is cut short, a test at the end pins how, so that
we notice when it no longer does.

The slow rows play fewer than 1,000 games, so that all is done in five minutes.
`RULERUN_OPEN_SPIEL_GAMES=1000` plays 1,000 of every row.
"""

import os
import random
import re

import pytest
from tests.open_spiel.walking import Difference, Joined, Row, compare

from rulerun.runtime import actions

pyspiel = pytest.importorskip("pyspiel")
pytestmark = pytest.mark.open_spiel


# ------------------------------------------------------------------- other names and numbers, pins


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
        return quiet + 1 if quiet + 1 in state.legal_actions() else quiet

    return number


BREAKTHROUGH = steps([(1, -1), (1, 0), (1, 1), (-1, -1), (-1, 0), (-1, 1)])
CHECKERS = steps([(-1, -1), (-1, 1), (1, 1), (1, -1)])


def face_first(game, state, action):
    """With `reset-quantity` OpenSpiel numbers bids by their face first."""
    number, places = actions.split(game, action)
    bids = game.actions[0]
    if number:
        return action
    quantity, face = places
    return face * bids.parameters[0].size + quantity


def universal_poker(game, settings):
    """In OpenSpiel hold'em is one setting of a game for every poker."""
    players = settings.get("players", 2)
    blinds = [settings.get("small_blind", 1), settings.get("big_blind", 2)]
    return "universal_poker", {
        "betting": "nolimit",
        "bettingAbstraction": "fullgame",
        "numPlayers": players,
        "numRounds": 4,
        "numHoleCards": 2,
        "numBoardCards": "0 3 1 1",
        "numRanks": 13,
        "numSuits": 4,
        "stack": " ".join([str(settings.get("buy_in", 100))] * players),
        # Of two the dealer, who has the last seat, pays the small blind and speaks first.
        "blind": " ".join(map(str, blinds[::-1] if players == 2 else blinds + [0] * (players - 2))),
        "firstPlayer": "2 1 1 1" if players == 2 else "3 1 1 1",
    }


def total(game, state, action):
    """There a raise has the number of chips that it leads to."""
    number, places = actions.split(game, action)
    return places[0] + 1 if number == 2 else number


def line_of_action(game, state, action):
    """OpenSpiel numbers where a man begins and where it ends, and whether it captures."""
    site, way = actions.split(game, action)[1]
    (board,) = game.boards
    _, down, right = board.directions[way]
    start = f"{board.sites[site][0]}{board.sites[site][1]}"
    for one in state.legal_actions():
        said = state.action_to_string(one)
        ends = re.findall("[a-h][1-8]", said)
        across, up = ord(ends[1][0]) - ord(ends[0][0]), int(ends[1][1]) - int(ends[0][1])
        if ends[0] == start and (sign(across), sign(up)) == (right, -down):
            return one
    return -1 - action


def sign(number):
    return (number > 0) - (number < 0)


def taken_like_placed(game, state, action):
    """OpenSpiel has the same numbers for the points where one places and where one takes."""
    number, places = actions.split(game, action)
    return places[0] if number == 2 else action


def chess_move(game, state, action):
    """OpenSpiel numbers moves as the mover sees them; the long form of a move says which it is."""
    number, places = actions.split(game, action)
    sites = game.boards[0].sites
    if number == 2:
        return 4672 + places[0]
    said = "".join(sites[place] for place in places[:2])
    if number == 1:
        said += "kqrbnp"[places[2]]
    board = state.board()
    for one in state.legal_actions():
        if pyspiel.chess.action_to_move(one, board).to_lan() == said:
            return one
    return -1 - action


BAR = 100
"""OpenSpiel's number of the bar."""


def our_men(game, state):
    """Men on the points as each player counts them, from 1; then those on the bar."""
    base = dict(game.layout.variables)["men"]
    return tuple(state.slots[base + 26 * p + at] for p in range(2) for at in range(1, 26))


def their_men(state):
    """There x goes up from 0 and o goes down."""
    ways = range(23, -1, -1), range(24)
    return tuple(state.board(p, at) for p in range(2) for at in (*ways[p], BAR))


MEN = Joined(2, our_men, their_men)


def half_points(game, settings):
    """OpenSpiel's `komi` may be a half, and always ends the game where a position comes again."""
    alike = {name: settings[name] for name in settings if name not in ("double_komi", "superko")}
    return game, {**alike, "komi": settings.get("double_komi", 15) / 2}


def comes_again(state):
    """OpenSpiel has ended the game for a position that was there before."""
    moves = state.history()
    settings = state.get_game().get_parameters()
    passing = settings["board_size"] ** 2
    longest = len(moves) == settings["max_game_length"]
    return state.is_terminal() and not longest and moves[-2:] != [passing, passing]


def broken_chips(state):
    """There winners break the chip that is left over."""
    return state.is_terminal() and any(share % 1 for share in state.returns())


def one_way_only(state):
    """Without passing OpenSpiel lists four ways to pass, of which one is legal."""
    state.apply_action(0)


def last_seat_is_short(state):
    """OpenSpiel replaces no book that is dealt to the last seat."""
    if any(item.player >= 0 for item in state.full_history()):
        return False
    dealt = re.search(r"(\w*):(\d+)\n[^\n]*$", str(state).rstrip("\n"))
    return not state.is_chance_node() and dealt is not None and dealt[2] != "0"


# ------------------------------------------------------------------------------------- the table

ROWS = [
    Row("tic_tac_toe"),
    Row("kuhn_poker"),
    Row("kuhn_poker", {"players": 3}),
    Row("kuhn_poker", {"players": 5}),
    Row("kuhn_poker", {"players": 10}),
    Row("goofspiel"),
    Row("goofspiel", {"num_cards": 5}),
    Row("goofspiel", {"num_cards": 4, "points_order": "ascending", "imp_info": True}),
    Row("goofspiel", {"num_cards": 8, "num_turns": 3, "returns_type": "total_points"}),
    Row("goofspiel", {"num_cards": 3, "num_turns": 1}),
    Row(
        "goofspiel",
        {
            "num_cards": 6,
            "players": 3,
            "points_order": "descending",
            "returns_type": "point_difference",
        },
    ),
    Row("goofspiel", {"num_cards": 4, "players": 6}),
    Row("pig", games=300),
    Row("pig", {"winscore": 20}),
    Row("pig", {"winscore": 20, "horizon": 7}),
    Row("pig", {"winscore": 15, "players": 5, "diceoutcomes": 4}),
    Row("pig", {"winscore": 10, "piglet": True, "horizon": 40}),
    Row("pig", {"winscore": 5, "piglet": True, "diceoutcomes": 20, "players": 3}),
    Row("connect_four"),
    Row("connect_four", {"rows": 5, "columns": 6, "x_in_row": 3}),
    Row("connect_four", {"rows": 4, "columns": 9, "x_in_row": 5}),
    Row("breakthrough", games=100, theirs=BREAKTHROUGH),
    Row("breakthrough", {"rows": 5, "columns": 4}, theirs=BREAKTHROUGH),
    Row("breakthrough", {"rows": 6, "columns": 2}, theirs=BREAKTHROUGH),
    Row("hex", games=100),
    Row("hex", {"board_size": 5}),
    Row("hex", {"num_cols": 6, "num_rows": 4}),
    Row("hex", {"board_size": 4, "swap": True}),
    Row("checkers", games=100, theirs=CHECKERS),
    Row("checkers", {"rows": 10, "columns": 8}, games=20, theirs=CHECKERS),
    Row("checkers", {"rows": 7, "columns": 5}, games=100, theirs=CHECKERS),
    Row("leduc_poker"),
    Row("leduc_poker", {"players": 3}),
    Row("leduc_poker", {"players": 5, "starting_player": 2}),
    Row("leduc_poker", {"suit_isomorphism": True}),
    Row("leduc_poker", {"suit_isomorphism": True, "players": 10}, games=300),
    Row("liars_dice"),
    Row("liars_dice", {"numdice": 2}),
    Row("liars_dice", {"numdice": 3, "dice_sides": 4}),
    Row(
        "liars_dice",
        {"numdice": 2, "dice_sides": 5, "bidding_rule": "reset-quantity"},
        theirs=face_first,
    ),
    Row("go_fish", games=100, left_out=last_seat_is_short),
    Row("go_fish", {"players": 5}, games=100, left_out=last_seat_is_short),
    Row("go_fish", {"ranks": 5, "suits": 4, "initial_cards": 3}, games=300),
    Row(
        "go_fish",
        {"ranks": 8, "suits": 3, "initial_cards": 5},
        games=300,
        left_out=last_seat_is_short,
    ),
    Row("go_fish", {"players": 3, "ranks": 6, "suits": 3, "initial_cards": 2}, games=300),
    Row(
        "go_fish",
        {
            "players": 3,
            "ranks": 6,
            "suits": 3,
            "initial_cards": 2,
            "end_on_first_out": True,
            "most_books_wins": False,
            "ask_after_empty_draw": False,
        },
        games=300,
    ),
    Row("hearts", games=100),
    Row(
        "hearts",
        {
            "jd_bonus": True,
            "avoid_all_tricks_bonus": True,
            "can_lead_any_club": True,
            "can_lead_hearts_instead_of_qs": True,
            "qs_breaks_hearts": False,
        },
        games=100,
    ),
    Row(
        "hearts",
        {"pass_cards": False, "no_pts_on_first_trick": False, "must_break_hearts": False},
        games=100,
        begin=one_way_only,
    ),
    Row("othello", games=500, executor="native"),
    Row("nine_mens_morris", games=200, theirs=taken_like_placed, executor="native"),
    *(
        Row("amazons", {"board_size": size}, games=games, executor="native")
        for size, games in ((6, 100), (8, 40), (10, 20))
    ),
    Row("lines_of_action", games=12, theirs=line_of_action, executor="native"),
    Row(
        "lines_of_action",
        {"max_game_length": 30},
        games=100,
        theirs=line_of_action,
        executor="native",
    ),
    Row("backgammon", games=30, joined=MEN, executor="native"),
    Row(
        "backgammon",
        {"scoring_type": "enable_gammons"},
        games=20,
        joined=MEN,
        executor="native",
    ),
    Row(
        "backgammon",
        {"scoring_type": "full_scoring", "max_player_turns": 40},
        games=20,
        joined=MEN,
        executor="native",
    ),
    Row("chess", games=20, theirs=chess_move, executor="native"),
    *(
        Row("go", settings, games=games, named=half_points, executor="native")
        for settings, games in (
            ({"board_size": 9}, 60),
            ({"board_size": 5}, 200),
            ({"board_size": 3, "double_komi": 2}, 300),
            ({"board_size": 2, "double_komi": 0}, 300),
            ({"board_size": 7, "double_komi": 9, "max_game_length": 60}, 200),
            ({"board_size": 19, "max_game_length": 300}, 10),
            ({"board_size": 19, "handicap": 7, "max_game_length": 100}, 10),
        )
    ),
    Row(
        "go",
        {"board_size": 4, "superko": False},
        named=half_points,
        left_out=comes_again,
        executor="native",
    ),
    *(
        Row(
            "texas_holdem",
            settings,
            games=50,
            named=universal_poker,
            theirs=total,
            left_out=broken_chips,
        )
        for settings in (
            {},
            {"buy_in": 20},
            {"players": 3, "buy_in": 50},
            {"players": 4, "buy_in": 12, "small_blind": 3, "big_blind": 5},
            {"players": 5, "buy_in": 7, "big_blind": 1},
            {"players": 6, "buy_in": 10, "small_blind": 2, "big_blind": 4},
        )
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_same_play(row):
    games = int(os.environ.get("RULERUN_OPEN_SPIEL_GAMES", row.games))
    name, parameters = row.named(row.game, row.settings)
    try:
        compare(row, pyspiel.load_game(name, dict(parameters)), games)
    except Difference as difference:
        pytest.fail(str(difference), pytrace=False)


# ------------------------------------------------------------------------- where OpenSpiel deviates


def begun(game, settings, history=()):
    """A state of OpenSpiel after these actions."""
    state = pyspiel.load_game(game, settings).new_initial_state()
    for action in history:
        state.apply_action(action)
    return state


def test_hearts_lists_outcomes_that_are_not_legal():
    state = begun("hearts", {"pass_cards": False})
    assert len(state.chance_outcomes()) == 4
    assert state.legal_actions() == [0]


def test_go_fish_replaces_no_book_of_the_last_seat():
    settings = {"ranks": 8, "suits": 3, "initial_cards": 5}
    state = begun("go_fish", settings, [0, 3, 0, 3, 1, 7, 6, 6, 7, 6])
    assert not state.is_chance_node()
    assert str(state).splitlines()[3] == "h2:1"


def test_poker_breaks_the_chip_that_is_left_over():
    """At a table it goes to the first winner left of the dealer, which is how we play."""
    game, parameters = universal_poker("texas_holdem", {"players": 3})
    hands = [0, 1, 2, 4, 5, 6]
    flop, turn, river = [35, 39, 43], [47], [51]  # ten to ace of spades: all are equal
    first, second = [1, 0, 1], [1, 1]  # the small blind folds
    history = [*hands, *first, *flop, *second, *turn, *second, *river, *second]
    assert begun(game, parameters, history).returns() == [-1, 0.5, 0.5]


def test_goofspiel_has_no_cards_for_the_last_round():
    """With `num_turns` one below `num_cards` (so also for one card), which we play as it says."""
    state = begun("goofspiel", {"num_cards": 4, "num_turns": 3, "points_order": "descending"})
    for card in range(3):
        state.apply_actions([card, card])
    assert not state.is_terminal()
    assert state.legal_actions(0) == []


def test_checkers_on_six_rows_begins_blocked():
    """We allow seven rows and more."""
    state = begun("checkers", {"rows": 6, "columns": 6})
    assert state.is_terminal()
    assert state.returns() == [0, 0]


def test_checkers_with_more_columns_than_rows_fails():
    state = begun("checkers", {"rows": 7, "columns": 12}, [424, 221, 529, 252, 457])
    assert 149 in state.legal_actions()
    with pytest.raises(pyspiel.SpielError):
        state.apply_action(149)


def test_hex_swap_loses_the_stone_on_a_long_board():
    """We refuse it there."""
    state = begun("hex", {"num_rows": 3, "num_cols": 4, "swap": True}, [3, 12])
    assert set(str(state).split()) == {"."}


def test_go_has_no_stars_but_on_the_board_of_19():
    """We refuse a handicap elsewhere."""
    with pytest.raises(pyspiel.SpielError):
        begun("go", {"board_size": 9, "handicap": 2})


def test_nobody_wins_hyper_backgammon():
    """Its returns wait for fifteen men, and each player has three; we leave it out."""
    state = begun("backgammon", {"hyper_backgammon": True})
    luck = random.Random(1)
    while not state.is_terminal():
        state.apply_action(luck.choice(state.legal_actions()))
    assert state.move_number() < 1000, "somebody has borne off all men"
    assert state.returns() == [0, 0]
