"""A folder loses nothing, counts nothing twice, and knows whose it is."""

import json

import pytest
from tests.hand import hand_game

from rulerun.simulation.run.checkpoint import CHUNKS, SETTINGS, Folder, Unkept, identity
from rulerun.simulation.run.driver import run
from rulerun.simulation.run.pool import Simulating, run_here
from rulerun.simulation.run.seats import seated

GAME = hand_game()
SEATS = seated(GAME, ())


def folder(path, seed=7, game=GAME, coverage="the first"):
    return Folder(path, game, identity(game, SEATS, seed, coverage))


def played(wanted, keeper=None, until=None, stop_after=None, game=GAME):
    """Run, in a folder or without; with `stop_after` interrupted after so many pieces."""
    task = Simulating(game, "reference", tuple(SEATS.items()), 7, 1_000)

    def here(missing):
        for number, found in enumerate(run_here(task, missing)):
            if number == stop_after:
                raise KeyboardInterrupt
            yield found

    known = keeper.known if keeper is not None else None
    return run(game, here, wanted, until, known=known, keeper=keeper, largest=7)


def test_goes_on_with_what_there_is(tmp_path):
    whole = played(60).totals.data()
    first = folder(tmp_path)
    outcome = played(60, first, stop_after=4)
    first.close()
    assert outcome.stopped == "interrupted"
    assert outcome.totals.games == 20
    again = folder(tmp_path)
    assert sum(piece.many for piece in again.known) == 20
    assert played(60, again).totals.data() == whole
    again.close()
    # Nothing is left to play, and fewer games than there are may be asked for.
    third = folder(tmp_path)
    assert played(60, third, stop_after=0).totals.data() == whole
    assert played(33, third).totals.data() == played(33).totals.data()
    third.close()
    assert folder(tmp_path).known.keys() == third.known.keys()


@pytest.mark.parametrize("torn", [1, 10, 200])
def test_a_torn_last_line_is_dropped(tmp_path, torn):
    first = folder(tmp_path)
    played(40, first)
    first.close()
    content = (tmp_path / CHUNKS).read_bytes()
    (tmp_path / CHUNKS).write_bytes(content[:-torn])
    again = folder(tmp_path)
    assert len(again.known) == len(first._held) - 1
    assert played(40, again).totals.data() == played(40).totals.data()
    again.close()
    assert sorted((tmp_path / CHUNKS).read_bytes().splitlines()) == sorted(content.splitlines())


def test_a_line_that_stands_twice_counts_once(tmp_path):
    first = folder(tmp_path)
    played(20, first)
    first.close()
    lines = (tmp_path / CHUNKS).read_bytes().splitlines(keepends=True)
    (tmp_path / CHUNKS).write_bytes(b"".join([*lines, lines[1]]))
    again = folder(tmp_path)
    assert played(20, again, stop_after=0).totals.games == 20
    again.close()


@pytest.mark.parametrize("harm", [b"{}\n", b"nonsense\n", b'{"first":0,"count":5,"totals":3}\n'])
def test_a_damaged_line_is_named(tmp_path, harm):
    first = folder(tmp_path)
    played(10, first)
    first.close()
    lines = (tmp_path / CHUNKS).read_bytes().splitlines(keepends=True)
    (tmp_path / CHUNKS).write_bytes(b"".join([lines[0], harm, lines[1]]))
    with pytest.raises(Unkept, match="damaged in line 2: take that line out"):
        folder(tmp_path)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"seed": 8}, "the seed 7, not 8"),
        ({"game": hand_game(decisions=3)}, "other rules"),
        ({"coverage": "all"}, "coverage of the first games, not of all"),
    ],
)
def test_another_run_is_refused(tmp_path, other, words):
    folder(tmp_path).close()
    with pytest.raises(Unkept, match=words):
        folder(tmp_path, **other)


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(Unkept, match=r"holds `thesis.txt` and no simulation"):
        folder(tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["thesis.txt"]
    (tmp_path / SETTINGS).write_text("[]")
    with pytest.raises(Unkept, match="none of a simulation"):
        folder(tmp_path)


def test_two_runs_in_one_folder_are_refused(tmp_path):
    pytest.importorskip("fcntl", reason="without it nothing is locked")
    first = folder(tmp_path)
    with pytest.raises(Unkept, match="another run is going on"):
        folder(tmp_path)
    first.close()


def test_identity_is_data():
    found = json.loads(json.dumps(identity(GAME, SEATS, "orange", "no")))
    assert found["scheme"] == "rulerun-quick-1"
    assert found["seats"] == {"P1": "random", "P2": "random"}


# ---------------------------------------------------------------------------------- ending early


def test_ends_at_the_same_game_in_whatever_order_pieces_come():
    task = Simulating(GAME, "reference", tuple(SEATS.items()), 7, 1_000)

    def backwards(missing):
        waiting = list(run_here(task, list(missing)))
        yield from reversed(waiting)

    forwards = played(600, until=0.06)
    assert forwards.stopped == "interval"
    assert 100 <= forwards.totals.games < 600
    assert forwards.totals.games % 25 == 0
    for largest in (3, 100):
        outcome = run(GAME, backwards, 600, 0.06, largest=largest)
        assert outcome.stopped == "interval"
        assert outcome.totals.data() == forwards.totals.data()


def test_what_is_known_closely_enough_is_not_played(tmp_path):
    first = folder(tmp_path)
    outcome = played(400, first, until=0.06)
    first.close()
    again = folder(tmp_path)
    assert played(400, again, until=0.06, stop_after=0).totals == outcome.totals
    again.close()
