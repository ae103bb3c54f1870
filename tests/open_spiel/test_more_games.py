"""More of the classics against OpenSpiel: as in `test_open_spiel`, which says how a row reads."""

import itertools
import os
import random
import re

import pytest
from tests.open_spiel.walking import Difference, Joined, Row, compare, whatever

from rulerun.runtime import actions

pyspiel = pytest.importorskip("pyspiel")
pytestmark = pytest.mark.open_spiel


def number_of_card(text):
    """A card of four suits, by its rank first: from the two to the ace."""
    found = re.search(r"(\d+)_(\w+?)\b", text)
    assert found is not None, text
    rank, suit = found.groups()
    return 4 * (int(rank) - 2) + ["clubs", "diamonds", "hearts", "spades"].index(suit)


def eights(game, state, action):
    """OpenSpiel has drawing and passing behind the cards, and then the suits."""
    text = actions.text(game, action)
    words = {"draw": 52, "pass": 53, "clubs": 54, "diamonds": 55, "hearts": 56, "spades": 57}
    return words[text] if text in words else number_of_card(text)


def luck_decides(game, settings):
    """OpenSpiel's -1 is our 0."""
    return game, {"num_tricks_fixed": -1, **settings}


def bids_behind_cards(game, state, action):
    """OpenSpiel numbers cards by their rank and then their suit, and bids behind them."""
    text = actions.text(game, action)
    if text.isdigit():
        return 52 + int(text)
    rank, suit = text.split("_")
    return 4 * (int(rank) - 2) + ["clubs", "diamonds", "spades", "hearts"].index(suit)


def bids_before_cards(game, state, action):
    """OpenSpiel numbers cards first, and bids behind them."""
    return (action + 52) % game.number_of_actions


def calls_behind_cards(game, state, action):
    """OpenSpiel has the 24 cards first, then passing and the four suits."""
    return action + 24 if action < 5 else action - 5 if action < 29 else action


def cautious_calls(state, legal):
    """Pass, double or bid low: what can be made."""
    return legal[:4] if legal[0] >= 52 else legal


def one_hand(game, settings):
    """OpenSpiel has no other hands, and nothing for spades that are led freely."""
    return game, {one: value for one, value in settings.items() if one != "single_hand"}


def spades_led(state):
    """OpenSpiel never takes spades for broken: who has anything else does not lead one."""
    played = len(state.history()) - 56
    leads = played >= 0 and played % 4 == 0
    return range(39, 52) if leads and state.legal_actions()[0] < 39 else ()


def played_out(game, settings):
    """OpenSpiel may score without play, by a solver that sees all hands; its seats are numbers."""
    seat = ["north", "east", "south", "west"].index(settings.get("dealer", "north"))
    return game, {**settings, "use_double_dummy_result": False, "dealer": seat}


def hit_or_stand(game, state, action):
    """We have more options, which are off."""
    return ["hit", "stand"].index(actions.text(game, action))


def level_then_upright(game, state, action):
    """OpenSpiel numbers level lines first, row by row, then upright ones; ours are sites."""
    (board,) = game.boards
    row, column = board.rows[action] - 1, board.columns[action] - 1
    rows, columns = max(board.rows) // 2, max(board.columns) // 2
    if row % 2 == 0:
        return row // 2 * columns + column // 2
    return (rows + 1) * columns + row // 2 * (columns + 1) + column // 2


def step_or_wall(game, state, action):
    """OpenSpiel numbers walls by where they begin, and steps by where they lead."""
    number, places = actions.split(game, action)
    (board,) = game.boards
    if number == 1:
        upright, crossing = places
        return crossing - (max(board.columns) if upright else 1)
    (spot,) = places
    target = f"{chr(97 + board.columns[spot] // 2)}{board.rows[spot] // 2 + 1}"
    player = state.current_player()
    steps = [one for one in state.legal_actions() if state.action_to_string(player, one) == target]
    return steps[0] if steps else -1 - action


def last_turn(state):
    """There nobody wins with the last move that may be made."""
    longest = 4 * state.get_game().get_parameters()["board_size"] ** 2
    return state.is_terminal() and len(state.history()) == longest


def without_options(game, settings):
    """OpenSpiel has one setting."""
    return game, {}


def four_heaps(game, settings):
    """OpenSpiel lists the sizes of its piles in a text."""
    sizes = [str(settings.get(one, 2 * i + 1)) for i, one in enumerate(HEAPS)]
    return game, {"pile_sizes": ";".join(sizes), "is_misere": settings.get("is_misere", True)}


def number_before_heap(game, state, action):
    """OpenSpiel numbers how many are taken first, and then from which pile."""
    heap, less_one = actions.split(game, action)[1]
    return less_one * len(HEAPS) + heap


def square_of_hexes(game, state, action):
    """OpenSpiel counts the cells that were cut off as well."""
    (board,) = game.boards
    return (board.rows[action] - 1) * max(board.columns) + board.columns[action] - 1


def slanting(game, state, action):
    """There each row of hexes stands half a cell further left than the one above."""
    (board,) = game.boards
    row, column, across = board.rows[action], board.columns[action], max(board.columns)
    return (row - 1) * across + column + row - 2 - across // 2


def our_marbles(game, state):
    """Whose marble lies on each square: -1 is nobody's."""
    base = dict(game.layout.variables)["marble"]
    return tuple(state.slots[base : base + 36])


def their_marbles(state):
    """There the squares are drawn."""
    rows = re.findall(r"[1-6] ((?:[O@.] ){6})", str(state))
    return tuple(".O@".index(one) - 1 for row in rows for one in row.split())


def no_five_before_turning(game, settings):
    """OpenSpiel looks for five when a block was turned."""
    return game, {}


def of_nine(game, state, action):
    """OpenSpiel numbers the squares of each small board; ours lie on one."""
    text = actions.text(game, action)
    row, column = int(text[1]) - 1, int(text[3]) - 1
    return 3 * (row % 3) + column % 3


def ships_behind_shots(game, state, action):
    """OpenSpiel numbers shots first, then ships."""
    number, places = actions.split(game, action)
    sites = len(game.boards[0].sites)
    return places[0] if number else sites * (1 + places[0]) + places[1]


def dark_versions(game, settings):
    """OpenSpiel has initials for its versions."""
    version = settings.get("gameversion", "classical")
    return game, {**settings, "gameversion": {"classical": "cdh", "abrupt": "adh"}[version]}


def doublings(game, settings):
    """OpenSpiel has the name that everybody has for it, and its goal as a number."""
    return "2048", {"max_tile": 2 ** settings.get("doublings", 11)}


def cell_and_number(state, outcome):
    """OpenSpiel has one outcome for where a tile comes and which; a single cell is no luck."""
    text = state.action_to_string(pyspiel.PlayerId.CHANCE, outcome)
    number, row, column = re.findall(r"\d+", text)
    where = [f"r{row}c{column}"] if len(state.chance_outcomes()) > 2 else []
    return [*where, number]


def just_joined(state):
    """OpenSpiel does not let a tile join in a move because it has joined in the one before."""
    tiles = [[int(one) for one in line.split()] for line in str(state).splitlines()[:4]]
    size, found = range(4), set()
    for number, (down, right) in enumerate([(-1, 0), (0, 1), (1, 0), (0, -1)]):
        for row, column in itertools.product(size, size):
            far, beside = row + down, column + right
            if tiles[row][column] and far in size and beside in size:
                if tiles[far][beside] in (0, tiles[row][column]):
                    found.add(number)
    return found.difference(state.legal_actions())


def soldiers(game, state, action):
    """OpenSpiel names how many go to each of the three fields."""
    left, middle = actions.split(game, action)[1]
    coins = state.get_game().get_parameters()["coins"]
    said = f"[{left},{middle},{coins - left - middle}]"
    legal = state.legal_actions(0)
    return next((one for one in legal if state.action_to_string(0, one) == said), -1 - action)


def pennies(game, settings):
    """OpenSpiel has two games for it."""
    return {2: "matrix_mp", 3: "matching_pennies_3p"}[settings["players"]], {}


MATRICES = {
    "rock_paper_scissors": "matrix_rps",
    "with_water": "matrix_rpsw",
    "prisoners_dilemma": "matrix_pd",
    "chicken": "matrix_cd",
    "stag_hunt": "matrix_sh",
    "coordination": "matrix_coordination",
}


def matrix(game, settings):
    """OpenSpiel has a game for each matrix."""
    return MATRICES[settings["matrix"]], {}


def by_name(game, state, action):
    """OpenSpiel numbers what can be chosen in each game from 0."""
    said = {"swerve": "chicken"}.get(actions.text(game, action), actions.text(game, action))
    names = [state.action_to_string(0, one).lower() for one in state.legal_actions(0)]
    return names.index(said) if said in names else -1 - action


def alone(game, settings):
    """OpenSpiel has no parameter for how many play."""
    return game, {name: value for name, value in settings.items() if name != "players"}


def right_first(game, state, action):
    """OpenSpiel numbers the ways from the right round to the left: right, up, left, down."""
    return ["east", "north", "west", "south"].index(actions.text(game, action))


def eights_in_hand(state):
    """What the cards left in hand cost: OpenSpiel adds the numbers of cards, not their pips."""
    suits = re.findall(r"^Suit .*", str(state), re.MULTILINE)
    hands = zip(*(re.findall(r"Suit \w: (.{13})", suit) for suit in suits), strict=True)
    pips = {"8": 50, "A": 1, "T": 10, "J": 10, "Q": 10, "K": 10, " ": 0}
    return [-sum(pips.get(c) or int(c.strip() or 0) for c in "".join(hand)) for hand in hands]


HEAPS = ("first", "second", "third", "fourth")

BRIDGE: tuple[dict[str, bool | int | str], ...] = (
    {"dealer": "east"},
    {"dealer": "west", "dealer_vul": True},
    {"dealer": "south", "non_dealer_vul": True},
    {"dealer_vul": True, "non_dealer_vul": True},
)
ROWS = [
    *(
        Row(
            "crazy_eights",
            {"players": players, **settings},
            games=10,
            theirs=eights,
            worth=eights_in_hand,
        )
        for players, settings in (
            (2, {}),
            (5, {}),
            (3, {"reshuffle": True, "max_draw_cards": 2}),
            (4, {"use_special_cards": True}),
            (2, {"use_special_cards": True, "reshuffle": True, "max_turns": 60}),
        )
    ),
    *(
        Row("oh_hell", settings, games=20, named=luck_decides, theirs=bids_behind_cards)
        for settings in (
            {"players": 3},
            {"players": 7},
            {"players": 5, "off_bid_penalty": True, "points_per_trick": 2},
            {"players": 4, "num_tricks_fixed": 6, "points_per_trick": 3},
        )
    ),
    *(
        Row(
            "spades",
            {"single_hand": True, **settings},
            games=30,
            named=one_hand,
            theirs=bids_before_cards,
            withheld=spades_led,
            tries=tries,
        )
        for tries, settings in (
            (whatever, {"win_or_loss_bonus": 200}),
            (cautious_calls, {"win_threshold": 30, "win_or_loss_bonus": 100}),
            (
                cautious_calls,
                {"win_threshold": 70, "mercy_threshold": -60, "win_or_loss_bonus": 50},
            ),
        )
    ),
    *(
        Row("euchre", settings, games=60, theirs=calls_behind_cards)
        for settings in (
            {},
            {"stick_the_dealer": False},
            {"allow_lone_defender": True},
            {"stick_the_dealer": False, "allow_lone_defender": True},
        )
    ),
    Row("bridge", games=20, named=played_out, theirs=bids_before_cards),
    *(
        Row(
            "bridge",
            settings,
            games=20,
            named=played_out,
            theirs=bids_before_cards,
            tries=cautious_calls,
        )
        for settings in BRIDGE
    ),
    Row(
        "blackjack",
        {"players": 1, "doubling": False, "splitting": False, "naturals": False},
        named=without_options,
        theirs=hit_or_stand,
    ),
    Row("mancala", games=40),
    *(
        Row("dots_and_boxes", settings, games=20, theirs=level_then_upright)
        for settings in (
            {"num_rows": 2, "num_cols": 2},
            {"num_rows": 1, "num_cols": 3},
            {"num_rows": 4, "num_cols": 3, "utility_margin": True},
        )
    ),
    *(
        Row(
            "quoridor",
            settings,
            games=games,
            theirs=step_or_wall,
            left_out=last_turn,
            executor="python",
        )
        for games, settings in (
            (6, {"board_size": 5, "wall_count": 3}),
            (6, {"board_size": 3, "wall_count": 2}),
            (2, {"board_size": 7, "wall_count": 4}),
        )
    ),
    Row("clobber", games=60),
    Row("clobber", {"rows": 4, "columns": 7}, games=60),
    *(
        Row("nim", settings, named=four_heaps, theirs=number_before_heap)
        for settings in (
            {},
            {"is_misere": False},
            {"first": 2, "second": 9, "third": 1, "fourth": 4, "is_misere": False},
        )
    ),
    Row("y", {"board_size": 4}, theirs=square_of_hexes),
    Row("y", {"board_size": 11}, games=10, theirs=square_of_hexes, executor="python"),
    *(
        Row("havannah", settings, games=games, theirs=slanting, executor="python")
        for games, settings in (
            (100, {"board_size": 3}),
            (60, {"board_size": 4, "swap": True}),
            (8, {"board_size": 8}),
        )
    ),
    Row(
        "pentago",
        {"five_before_turning": False},
        games=6,
        named=no_five_before_turning,
        joined=Joined(2, our_marbles, their_marbles),
        executor="native",
    ),
    *(
        Row("battleship", settings, games=games, theirs=ships_behind_shots, executor="python")
        for games, settings in (
            (6, {"num_shots": 100, "allow_repeated_shots": False}),
            (8, {"num_shots": 50, "allow_repeated_shots": True}),
            (
                10,
                {
                    "board_height": 8,
                    "board_width": 9,
                    "num_shots": 72,
                    "allow_repeated_shots": False,
                },
            ),
        )
    ),
    *(
        Row("oshi_zumo", settings)
        for settings in (
            {"coins": 20},
            {"coins": 7, "size": 1, "min_bid": 2},
            {"coins": 12, "size": 2, "min_bid": 1, "alesia": True},
            {"coins": 50, "horizon": 6},
        )
    ),
    Row("phantom_ttt"),
    Row("phantom_ttt", {"gameversion": "abrupt"}),
    Row("dark_hex", {"board_size": 3}, games=60, named=dark_versions),
    Row("dark_hex", {"num_rows": 4, "num_cols": 3}, games=60, named=dark_versions),
    Row("dark_hex", {"board_size": 5, "gameversion": "abrupt"}, games=60, named=dark_versions),
    *(
        Row(
            "sliding_numbers",
            settings,
            games=games,
            named=doublings,
            falls=cell_and_number,
            withheld=just_joined,
            executor="python",
        )
        for games, settings in ((20, {"players": 1}), (100, {"players": 1, "doublings": 6}))
    ),
    *(
        Row("blotto", settings, theirs=soldiers)
        for settings in ({}, {"coins": 4}, {"players": 3, "coins": 7}, {"players": 5})
    ),
    Row("matching_pennies", {"players": 2}, named=pennies),
    Row("matching_pennies", {"players": 3}, named=pennies),
    *(
        Row("matrix_games", {"matrix": one}, games=40, named=matrix, theirs=by_name)
        for one in MATRICES
    ),
    Row("catch", {"players": 1}, named=alone),
    Row("catch", {"players": 1, "rows": 7, "columns": 4}, named=alone),
    *(
        Row("cliff_walking", settings, named=alone, theirs=right_first)
        for settings in (
            {"players": 1},
            {"players": 1, "height": 3, "width": 5, "horizon": 30},
        )
    ),
    Row("ultimate_tic_tac_toe", games=40, theirs=of_nine, executor="python"),
]


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_same_play(row):
    games = int(os.environ.get("RULERUN_OPEN_SPIEL_GAMES", row.games))
    name, parameters = row.named(row.game, row.settings)
    try:
        compare(row, pyspiel.load_game(name, dict(parameters)), games)
    except Difference as difference:
        pytest.fail(str(difference), pytrace=False)


def begun(game, settings, history=()):
    """A state of OpenSpiel after these actions."""
    state = pyspiel.load_game(game, settings).new_initial_state()
    for action in history:
        state.apply_action(action)
    return state


def test_crazy_eights_adds_numbers_of_cards():
    """The three of clubs is the fifth card of the deck, and an ace counts like a court card."""
    state, luck = begun("crazy_eights", {"players": 2}), random.Random(0)
    while not state.is_terminal():
        state.apply_action(luck.choice(state.legal_actions()))
    assert state.returns() != eights_in_hand(state)


def test_quoridor_takes_a_win_with_the_last_move_for_a_draw():
    """A pawn stands on the row where it wins."""
    moves = """3 63 9 19 13 45 22 22 18 22 2 18 38 18 22 22 18 18 2 22 2 18 18 22 2 22 38 18 2 18 38
        22 2 18 38 22 22 18 38 22 22 18 18 22 38 18 18 22 22 22 22 38 22 2 18 18 18 22 22 38 18 18
        18 18 18 22 22 22 18 18 22 22 18 2 22 38 18 18 22 38 22 22 22 18 18 22 2 2 22 38 18 38 2 2
        38 38 22 2 22 38"""
    state = begun("quoridor", {"board_size": 5, "wall_count": 3}, map(int, moves.split()))
    assert state.is_terminal()
    assert state.returns() == [0, 0]
    assert any(line.startswith(" 5 ") and "@" in line for line in str(state).splitlines())


def test_2048_withholds_a_slide_that_only_joins_what_has_just_joined():
    """The marks that keep a tile from joining twice in a move are still there at the next one."""
    state, luck = begun("2048", {}), random.Random(0)
    while not state.is_terminal():
        if not state.is_chance_node() and just_joined(state):
            return
        state.apply_action(luck.choice(state.legal_actions()))
    pytest.fail("every slide that does something was legal")


def test_spades_are_never_broken():
    """A spade was played, the leader has others, and may lead none."""
    luck = random.Random(0)
    state = begun("spades", {})
    while not state.is_terminal():
        played = state.history()[56:]
        if any(39 <= one < 52 for one in played) and spades_led(state):
            hand = str(state.observation_string(state.current_player()))
            assert "S none" not in hand
            assert not any(39 <= one < 52 for one in state.legal_actions())
            return
        state.apply_action(luck.choice(state.legal_actions()))
    pytest.fail("nobody could have led a spade")


def test_spades_shows_mercy_though_it_is_off():
    """A threshold other than 0 is what switches it on."""
    luck = random.Random(0)
    state = begun("spades", {"use_mercy_rule": False, "mercy_threshold": -20})
    while not state.is_terminal():
        state.apply_action(luck.choice(state.legal_actions()))
    plain = begun("spades", {"use_mercy_rule": False, "mercy_threshold": 0}, state.history())
    assert min(plain.returns()) <= -20
    assert min(state.returns()) == min(plain.returns()) - 200
