"""The classics play as OpenSpiel plays them, move for move.

A new game, or a new setting of one, is a row of `ROWS`. Where OpenSpiel deviates from its own rules
and a setting is left out of the table or a play is cut short, a test at the end pins how, so that
we notice when it no longer does.

A row plays 150 games, a slow one fewer, so that all is done in three minutes.
`RULERUN_OPEN_SPIEL_GAMES=1000` plays 1,000 of every row.
"""

import os
import random
import re
from collections import defaultdict
from functools import cache

import pytest
from tests.open_spiel.walking import Difference, Joined, Row, compare, whatever

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


# ------------------------------------------------------------------------- the same, of card games


def found(pattern, text):
    """What OpenSpiel has written there."""
    match = re.search(pattern, text)
    assert match is not None, text
    return match


def printed_yacht(game, settings):
    """OpenSpiel scores by one of the books that are about, which with us are options."""
    ours = ("four_counts_all", "full_house_of_five")
    return game, {name: value for name, value in settings.items() if name not in ours}


@cache
def again(fell):
    """OpenSpiel's numbers of the dice that show these faces."""
    numbers = defaultdict(list)
    for number in range(1 << len(fell)):
        numbers[tuple(sorted(f for i, f in enumerate(fell) if number >> i & 1))].append(number)
    return numbers


def dice(game, state, action):
    """OpenSpiel rolls certain dice again, we faces; behind these actions come the boxes."""
    number, places = actions.split(game, action)
    fell = tuple(found(r"Dice: (.*)", str(state))[1].split())
    if number == 0:
        return (1 << len(fell)) + places[0]
    return again(fell)[tuple(re.findall(r"face=(\d+)", actions.text(game, action)))]


def dice_at_once(state, outcome):
    """OpenSpiel rolls all dice at once."""
    return found(r"Roll: (.*)", state.action_to_string(-1, outcome))[1].split(",")


def told_by_seat(game, state, action):
    """OpenSpiel counts who is told something from the one who tells."""
    number, places = actions.split(game, action)
    slots, others = game.actions[0].parameters[0].size, len(game.players) - 1
    if number < 2:
        return number * slots + places[0]
    to, what = places
    seat = (to - state.current_player() - 1) % len(game.players)
    return 2 * slots + (number - 2) * others * 5 + seat * 5 + what


def cards_that_fit(state, legal):
    """Who plays at random is out soon: these plays see the last round, and finished fireworks."""
    built = found(r"Fireworks: (.*)", str(state))[1].split()
    hand = found(r"Cur player\n((?:.* \|\|.*\n)+)", str(state))[1].splitlines()
    play = {}
    for action in legal:
        if played := re.match(r"\(Play (\d)", state.action_to_string(action)):
            play[action] = hand[int(played[1])]
    fit = [one for one, card in play.items() if f"{card[0]}{int(card[1]) - 1}" in built]
    return fit or [one for one in legal if one not in play] or legal


SUITS = ["clubs", "diamonds", "hearts", "spades"]


def cribbage_cards(game, state, action):
    """OpenSpiel names two cards for the crib in the order of their ranks."""
    named = [card.split("_") for card in actions.text(game, action).split(" + ")]
    cards = sorted((int(rank) - 1, SUITS.index(suit)) for suit, rank in named)
    numbers = [13 * suit + rank for rank, suit in cards]
    return numbers[0] if len(numbers) == 1 else 52 + 52 * numbers[0] + numbers[1]


def cribbage_scores(state):
    """What was pegged so far."""
    first, second = found(r"Scores: (\d+) (\d+)", str(state)).groups()
    return {"score[P1]": int(first), "score[P2]": int(second)}


def only_go(state):
    """OpenSpiel has those say "go" who have nothing to lay, and who have no cards."""
    return not state.is_chance_node() and state.legal_actions() == [2756]


def somebody_has_won(state):
    """OpenSpiel counts all hands of the deal."""
    return max(cribbage_scores(state).values()) >= 121


MELDS = {"all_but": 0, "all_of": 0, "three_up": 65, "four_up": 65 + 44, "five_up": 65 + 44 + 40}
RUNS = {"three_up": 11, "four_up": 10, "five_up": 9}
GIN_SUITS = ["spades", "clubs", "diamonds", "hearts"]
GIN_WORDS = {
    "take": 52,
    "draw_upcard": 52,
    "draw_stock": 53,
    "leave": 54,
    "that_is_all": 54,
    "nothing_more": 54,
    "knock": 55,
}


def gin_cards(game, state, action):
    """OpenSpiel has one number for a card, whatever becomes of it, and one for each meld."""
    text = actions.text(game, action)
    if text in GIN_WORDS:
        return GIN_WORDS[text]
    form, suit, rank = found(r"^(?:\w+\()?(?:(\w+)_)?([a-z]+)_(\d+)\)?$", text).groups()
    place, low = GIN_SUITS.index(suit), int(rank) - 1
    if form is None:
        return 13 * place + low
    if form in RUNS:
        return 56 + MELDS[form] + RUNS[form] * place + low
    return 56 + 5 * low + (place if form == "all_but" else 4)


def printed_gin(game, settings):
    """OpenSpiel has one may discard the card that was just taken."""
    return game, {name: value for name, value in settings.items() if name != "may_return"}


def gin_in_another_way(state):
    """OpenSpiel ends a hand when cards come and go, asks at the last two, and has draws."""
    shown = str(state)
    over = state.is_terminal() and state.returns() == [0, 0]
    return over or "Repeated move: 1" in shown or "Phase: Wall" in shown


def knocking(state, legal):
    """Who plays at random seldom knocks."""
    return [55] if 55 in legal else legal


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
    Row("breakthrough", games=50, theirs=BREAKTHROUGH),
    Row("breakthrough", {"rows": 5, "columns": 4}, games=300, theirs=BREAKTHROUGH),
    Row("breakthrough", {"rows": 6, "columns": 2}, games=300, theirs=BREAKTHROUGH),
    Row("hex", games=50),
    Row("hex", {"board_size": 5}),
    Row("hex", {"num_cols": 6, "num_rows": 4}),
    Row("hex", {"board_size": 4, "swap": True}),
    Row("checkers", games=40, theirs=CHECKERS),
    Row("checkers", {"rows": 10, "columns": 8}, games=10, theirs=CHECKERS),
    Row("checkers", {"rows": 7, "columns": 5}, games=40, theirs=CHECKERS),
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
    Row("go_fish", {"players": 5}, games=50, left_out=last_seat_is_short),
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
            ({"board_size": 3, "double_komi": 2}, 1000),
            ({"board_size": 2, "double_komi": 0}, 1000),
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
    Row(
        "cribbage",
        {"crib_flush": True},
        games=20,
        named=lambda game, settings: (game, {}),
        theirs=cribbage_cards,
        shows=cribbage_scores,
        unasked=only_go,
        left_out=somebody_has_won,
    ),
    *(
        Row(
            "gin_rummy",
            {"may_return": True, **settings},
            games=20,
            named=printed_gin,
            theirs=gin_cards,
            tries=tries,
            left_out=gin_in_another_way,
        )
        for tries, settings in (
            (whatever, {}),
            (knocking, {"oklahoma": True}),
            (knocking, {"gin_bonus": 10, "undercut_bonus": 20}),
        )
    ),
    *(
        Row("hanabi", settings, games=games, theirs=told_by_seat, tries=tries)
        for games, tries, settings in (
            (100, whatever, {}),
            (20, cards_that_fit, {"players": 3}),
            (20, cards_that_fit, {"players": 5, "hand_size": 3, "max_information_tokens": 4}),
            (50, whatever, {"players": 4, "max_life_tokens": 5, "max_information_tokens": 3}),
        )
    ),
    *(
        Row(
            "yacht",
            {"four_counts_all": True, "full_house_of_five": True, **settings},
            games=games,
            named=printed_yacht,
            theirs=dice,
            falls=dice_at_once,
        )
        for games, settings in (
            (10, {}),
            (2, {"players": 5}),
            (20, {"rolls_per_turn": 1, "players": 3}),
            (20, {"num_dice": 6, "dice_sides": 3, "rolls_per_turn": 2}),
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


@pytest.mark.parametrize(("roll", "box", "score"), [(0, 40, 5), (5, 39, 10)])
def test_yacht_scores_more_than_the_four_or_the_full_house(roll, box, score):
    """Five ones are no full house, and the six is none of four ones, in the rules that we print."""
    state = begun("yacht", {}, [roll, 0, box])
    assert f"(total: {score})" in str(state)


def test_cribbage_counts_all_hands_when_somebody_has_won():
    """Then the first player wins, although the other had shown first: we end the game there."""
    luck = random.Random(0)
    for _ in range(100):
        state = begun("cribbage", {})
        while not state.is_terminal():
            state.apply_action(luck.choice(state.legal_actions()))
        first_dealt = "Dealer: 1" in str(state)  # the next one would deal
        if first_dealt and min(cribbage_scores(state).values()) >= 121:
            assert state.returns()[0] > 1000 > state.returns()[1]
            return
    pytest.fail("no play in which both reach the goal")


def test_cribbage_pays_four_of_a_suit_in_the_crib():
    """By the book the starter must be of the suit as well."""
    ours, crib, theirs = [13, 14, 16, 18], [0, 1, 3, 5], [26, 27, 29, 31]
    state = begun("cribbage", {}, [*ours, *crib[:2], *theirs, *crib[2:]])
    state.apply_action(52 + 52 * crib[0] + crib[1])
    state.apply_action(52 + 52 * crib[2] + crib[3])
    state.apply_action(51)
    while "Round: 0" in str(state):
        before, action = cribbage_scores(state)["score[P1]"], state.legal_actions()[-1]
        state.apply_action(action)
    show = 2 + 4 + 4  # fifteens and a run of hand and crib
    assert cribbage_scores(state)["score[P1]"] - before >= show


def test_gin_rummy_lets_the_upcard_be_returned():
    state = begun("gin_rummy", {}, [*range(21), 52])
    assert 20 in state.legal_actions()


def test_gin_rummy_has_draws():
    """By the book equal deadwood, here four and four, is an undercut."""
    first = [43, 44, 45, 13, 26, 0, 14, 27, 1, 16]
    second = [25, 38, 12, 21, 34, 8, 20, 33, 7, 29]
    knock, answer = [54, 54, 53, 36, 55, 36, 158, 59, 64, 54], [54, 119, 99, 94, 54]
    state = begun("gin_rummy", {}, [*first, *second, 51, *knock, *answer])
    assert state.is_terminal()
    assert state.returns() == [0, 0]


def test_gin_rummy_asks_at_the_wall():
    """By the book a hand is over when two cards are left in the stock."""
    state, luck = begun("gin_rummy", {}), random.Random(0)
    while "Phase: Wall" not in str(state):
        legal = [one for one in state.legal_actions() if one != 55]
        state.apply_action(luck.choice(legal))
    assert 54 in state.legal_actions()


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
