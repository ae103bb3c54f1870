"""The generator keeps its promise: the known values of docs/reference/randomness.md, for ever."""

import re
import subprocess
import sys
from hashlib import blake2b
from pathlib import Path

import pytest

from rulerun.runtime.rng import Quick, begun, key_of, stream

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "randomness.md"

WORDS_OF_7 = [
    0x53994681FE0F679A,
    0xD5415E5ED88E8C68,
    0x9F7F742EE1539FE5,
    0x1098BC7E430EFCF1,
    0xF785BC979EBD53AC,
    0x9635B3B89F64D929,
    0x6AE15561FAAC2EF2,
    0xD025C08EF6995AE4,
    0x36A59DAE1350F729,
]


def test_words():
    numbers = stream(7)
    assert [numbers.word() for _ in range(9)] == WORDS_OF_7


def test_words_as_the_page_defines_them():
    """The page alone suffices to draw them."""
    key = blake2b(b"1:7,", digest_size=64, person=b"rulerun-chance-1").digest()
    words = []
    for block in range(2):
        content = blake2b(block.to_bytes(8, "little"), key=key, digest_size=64).digest()
        words += [int.from_bytes(content[at : at + 8], "little") for at in range(0, 64, 8)]
    assert words[:9] == WORDS_OF_7


@pytest.mark.parametrize(
    ("seed", "first"),
    [
        (5, 0xDC1B41C110BF2948),
        (-5, 0x2CF87EE2B55520D9),
        ("", 0x2E4F1ACAC24AB6F6),
        ("é", 0xC9EEF2BD3BC51134),
        (2**70, 4931345701941306369),
    ],
)
def test_seeds(seed, first):
    assert stream(seed).word() == first


def draws(bound, count, *name):
    numbers = stream(*name)
    return [numbers.below(bound) for _ in range(count)]


def test_known_draws():
    assert draws(6, 20, 7, "chance", 0) == [
        1, 0, 4, 2, 1, 2, 1, 5, 3, 2, 4, 3, 2, 5, 0, 4, 3, 4, 3, 5,
    ]  # fmt: skip
    assert draws(52, 10, 7, "agent", 1, 3) == [5, 37, 38, 16, 15, 3, 14, 22, 20, 44]
    assert draws(3 * 2**62, 4, -5, "x") == [
        8315925850388288860,
        13656175065078684227,
        4779729140873646741,
        3494093075618352098,
    ]
    assert draws(10**30, 1, "orange", "x") == [207996046381769094400336439988]
    assert stream(7, "s").shuffled(range(10)) == [7, 4, 2, 9, 8, 1, 0, 6, 3, 5]
    by_weight = stream(7, "w")
    drawn = [by_weight.weighted([1, 0, 2, 5]) for _ in range(12)]
    assert drawn == [2, 2, 3, 2, 3, 2, 3, 3, 3, 2, 3, 3]


def test_the_page_shows_these_values():
    shown = " ".join(re.findall(r"[0-9a-f]+", PAGE.read_text(encoding="utf-8")))
    for word in WORDS_OF_7:
        assert f"{word:016x}" in shown
    for value in ("207996046381769094400336439988", "7 4 2 9 8 1 0 6 3 5", "2 2 3 2 3 2 3 3 3 2"):
        assert value in shown


def test_a_number_above_the_limit_is_drawn_again():
    """Three quarters of 2^64: one word in four is thrown away, and none is folded back."""
    words = stream(-5, "x")
    kept = [word for word in (words.word() for _ in range(200)) if word < 3 * 2**62]
    assert len(kept) < 200
    assert draws(3 * 2**62, len(kept), -5, "x") == kept


def test_names_are_told_apart():
    names: list[tuple[int | str, ...]] = [
        (7,),
        (-7,),
        (77,),
        (7, 7),
        ("7,1:7",),
        (7, ""),
        (7, "a", "b"),
        (7, "ab"),
        (7, "b", "a"),
    ]
    assert len({stream(*name).word() for name in names}) == len(names)
    assert stream(7, "a", 1).word() == stream("7", "a", "1").word()


def test_below_one_draws_nothing():
    numbers = stream(7)
    assert [numbers.below(1) for _ in range(5)] == [0] * 5
    assert numbers.word() == WORDS_OF_7[0]


@pytest.mark.parametrize("bound", [0, -1])
def test_nothing_lies_below_nothing(bound):
    with pytest.raises(ValueError, match="no number"):
        stream(7).below(bound)


@pytest.mark.parametrize("weights", [[], [0, 0], [3, -1]])
def test_weights_that_are_none(weights):
    with pytest.raises(ValueError, match="weight"):
        stream(7).weighted(weights)


@pytest.mark.parametrize("seed", [True, 1.5, None, b"x"])
def test_seeds_that_are_none(seed):
    with pytest.raises(TypeError):
        stream(seed)


def test_every_value_about_as_often():
    """Chi-squared over 6 faces: 5 degrees of freedom, 20.5 is one in a thousand."""
    count = 6000
    faces = draws(6, count, 1, "fair")
    expected = count / 6
    assert sum((faces.count(face) - expected) ** 2 / expected for face in range(6)) < 20.5


def test_every_order_about_as_often():
    count = 6000
    numbers = stream(1, "orders")
    orders = [tuple(numbers.shuffled("abc")) for _ in range(count)]
    expected = count / 6
    assert len(set(orders)) == 6
    chi = sum((orders.count(order) - expected) ** 2 / expected for order in set(orders))
    assert chi < 20.5


def test_hash_seed_does_not_matter():
    code = "from rulerun.runtime.rng import stream; print(stream('orange', 'x').below(10**30))"
    root = PAGE.parents[2]
    shown = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(root / "interpreter"), "LC_ALL": "C"},
        ).stdout
        for seed in ("0", "1", "4711")
    }
    assert shown == {"207996046381769094400336439988\n"}


# -------------------------------------------------------------------------------- for batches


def test_the_quick_scheme_draws_its_known_values():
    key = key_of(7)
    assert key == 0xD8C39F4242270771 and key_of("orange") == 0xFD08341565561DF3
    assert begun(key, 0, 0) == 0x854D193B27EFF0DC
    assert begun(key, 0, 1) == 0xEA75809696131415
    assert begun(key, 5, 2) == 0x6C778815F02CEE56
    luck = Quick(key, 0, 0)
    assert [luck.word() for _ in range(4)] == [
        0x3460491625395F15,
        0x85829855219979FF,
        0xD0FDA35D2F545B82,
        0x9F1EB012D303C242,
    ]
    luck = Quick(key, 3, 1)
    assert [luck.below(6) for _ in range(12)] == [1, 0, 0, 2, 0, 0, 4, 2, 4, 4, 4, 2]
    luck = Quick(key, 3, 1)
    assert [luck.weighted([1, 0, 2, 5]) for _ in range(8)] == [2, 0, 2, 2, 2, 2, 3, 3]


def test_a_quick_stream_draws_nothing_where_there_is_no_choice():
    luck = Quick(1, 2, 3)
    before = luck.state
    assert luck.below(1) == 0 and luck.state == before


def test_quick_streams_of_neighbouring_games_are_unlike():
    """Of 6,000 first draws below 6 each face falls about a thousand times: by game, by seat."""
    for draws_ in (
        [Quick(key_of(1), game, 0).below(6) for game in range(6_000)],
        [Quick(key_of(1), game, seat).below(6) for game in range(1_000) for seat in range(6)],
    ):
        assert all(850 < draws_.count(face) < 1_150 for face in range(6))
