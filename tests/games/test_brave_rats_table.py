"""Every cell of the outcome tables of Brave Rats (docs/games/brave_rats.md), played.

BR-T1 is printed in the rulebook; BR-T2 has the card of Applewood raised by a General. Each is
played as it stands and with the clans changed, and BR-T1 once more with both cards raised.
"""

import pytest

testing = pytest.importorskip("rulerun.scenario.position")

CARDS = ("musician", "princess", "spy", "assassin", "ambassador", "magician", "general", "prince")

# Columns: Yarg's card, from 7 down to 0. Rows: Applewood's. Y, A: wins the round; X: on hold;
# Y!, A!: wins the game.
BR_T1 = {
    7: "X  A  A  A  A  A  Y! X",
    6: "Y  X  A  A  Y  A  A  X",
    5: "Y  Y  X  A  A  A  A  A",
    4: "Y  Y  Y  X  Y  A  A  X",
    3: "Y  A  Y  A  X  Y  Y  X",
    2: "Y  Y  Y  Y  A  X  A  X",
    1: "A! Y  Y  Y  A  Y  X  X",
    0: "X  X  Y  X  X  X  X  X",
}
BR_T2 = {
    7: "A  A  A  A  A  A  Y! X",
    6: "Y  A  A  A  Y  A  A  X",
    5: "X  A  A  A  A  A  A  A",
    4: "Y  X  A  A  Y  A  A  X",
    3: "Y  A  X  Y  Y  Y  Y  X",
    2: "Y  Y  Y  X  Y  A  A  X",
    1: "A! Y  Y  Y  X  A  A  X",
    0: "X  X  Y  X  X  X  X  X",
}
CLANS_CHANGED = str.maketrans("YA", "AY")


def outcome(yarg, applewood, *, raised=()):
    """Play one round from the start and say what came of it, in the letters of the table."""
    position = testing.Position(
        "brave_rats", enter="battle", given={f"bonus[{player}]": "2" for player in raised}
    )
    position.play("yarg", CARDS[yarg])
    position.play("applewood", CARDS[applewood])
    if position.winners:
        (winner,) = position.winners
        return {"yarg": "Y!", "applewood": "A!"}[winner]
    won = {player: position.value(f"won[{player}]") for player in ("yarg", "applewood")}
    if won["yarg"] and not won["applewood"]:
        return "Y"
    if won["applewood"] and not won["yarg"]:
        return "A"
    assert won == {"yarg": 0, "applewood": 0}
    assert position.value("at_stake[yarg]") > 0
    assert position.value("at_stake[applewood]") > 0
    return "X"


def row(table, value):
    return list(zip(range(7, -1, -1), table[value].split(), strict=True))


@pytest.mark.parametrize("value", range(8))
class TestTables:
    def test_printed_table(self, value):
        played = [outcome(card, value) for card, _ in row(BR_T1, value)]
        assert played == [cell for _, cell in row(BR_T1, value)]

    def test_printed_table_with_the_clans_changed(self, value):
        played = [outcome(value, card) for card, _ in row(BR_T1, value)]
        assert played == [cell.translate(CLANS_CHANGED) for _, cell in row(BR_T1, value)]

    def test_printed_table_with_both_cards_raised(self, value):
        both = ("yarg", "applewood")
        played = [outcome(card, value, raised=both) for card, _ in row(BR_T1, value)]
        assert played == [cell for _, cell in row(BR_T1, value)]

    def test_applewood_raised(self, value):
        played = [outcome(card, value, raised=("applewood",)) for card, _ in row(BR_T2, value)]
        assert played == [cell for _, cell in row(BR_T2, value)]

    def test_yarg_raised(self, value):
        played = [outcome(value, card, raised=("yarg",)) for card, _ in row(BR_T2, value)]
        assert played == [cell.translate(CLANS_CHANGED) for _, cell in row(BR_T2, value)]


def test_the_printed_table_is_the_same_for_both_clans():
    """BR-I02: changing the clans changes every outcome."""
    for value in range(8):
        for card, cell in row(BR_T1, value):
            assert dict(row(BR_T1, card))[value] == cell.translate(CLANS_CHANGED)
