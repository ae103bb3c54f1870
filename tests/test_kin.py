"""What a setting takes over from another is what its own checks would have left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from itertools import islice
from pathlib import Path

import pytest
from tests.rulesets import SHIPPED, read
from tests.test_conformance import Case, all_cases, loaded_from, settings

from rulerun.analysis.settings import Setting, decisive
from rulerun.runtime.rng import stream
from rulerun_dsl.check.env.world import World
from rulerun_dsl.load import Loaded, load

FAIR = b"""\
rulerun: 1
game: fair
players: 1..3
options:
  stalls: {type: 1..3, default: 2}
  spare: {type: 0..3, default: stalls, only_if: not rain}
  rain: {type: bool, default: false}
  loud: {type: bool, default: false}
  fog: {type: bool, default: false}
  dog: {type: bool, default: false}
variants:
  storm: {rain: true, loud: true}
constraints:
  - {never: stalls == 3 and rain, say: The third stall has no roof.}
constants:
  purse: {1 player: 4, 2 players: 5, 3 players: 6}
types:
  weather: [wet, dry]
tables:
  price: {by: weather, type: 0..9, rows: {wet: stalls + 1, dry: 1}}
state:
  visible: all
  coins[player]: 0..20 = purse
  open: 1..stalls
  days: 0..9
functions:
  asked(weather w): price[w] + (1 if loud else 0)
procedures:
  earn(): coins += 2 if loud
phases:
  buy:
    turns: you in people
    until: days == 9
    do:
      - let cost = asked(wet if rain else dry)
      - days += 1
      - earn()
      - choose:
          buy:
            when: coins >= cost
            do: coins -= cost; open = stalls; days = 9 if spare > 1
          rest: pass
scoring:
  points(player p): coins[p] + (open if loud else 0)
chapter misty:
  when: fog
  before earn:
    - days += 1 if days < 8
chapter guarded:
  when: dog
  automa: rex
  before earn:
    - days = 9 if coins == 0
"""
"""Of its options `loud` and `spare` decide nothing that the checks find."""


OPTIONS = ("stalls", "spare", "rain", "loud", "fog", "dog")

EVERY = [
    *(
        Setting(players, (), tuple(zip(OPTIONS, values.split(), strict=True)))
        for players in (1, 3)
        for values in (
            "2 2 false false false false",
            "2 0 false true  false false",
            "2 7 true  true  false false",
            "3 3 true  false false false",
            "1 1 false false false false",
            "2 2 false true  true  false",
            "1 2 false true  false true",
        )
    ),
    Setting(2, ("storm",)),
    Setting(),
]


def loaded_of(content: bytes) -> Loaded:
    loaded, found = load(content)
    assert loaded is not None and not found
    return loaded


def different(loaded: Loaded, every: Iterable[Setting]) -> Iterator[Setting]:
    """The settings that are not the same made one after another and each by itself."""
    for each in every:
        by_itself = loaded.anew()
        game, found = loaded.game(*each.arguments)
        alone, said = by_itself.game(*each.arguments)
        meant = [] if game is None else loaded.lints(game)
        if game != alone or found != said or meant != (by_itself.lints(alone) if alone else []):
            yield each


@pytest.mark.parametrize("order", [1, -1])
def test_a_setting_is_the_same_whatever_was_checked_before(order: int) -> None:
    fair = loaded_of(FAIR)
    assert not list(different(fair, EVERY[::order]))


CALLING = b"""\
rulerun: 1
game: calling
players: 2
options:
  b: {type: bool, default: false}
  n: {type: 1..4, default: 2}
  m: {type: 1..4, default: n, only_if: n > 2 and b}
  first: {type: 0..20, default: cheap if b else dear}
  cheap: {type: 0..20, default: "low[x]"}
  dear: {type: 0..20, default: "high[x]"}
types:
  which: [x, y]
tables:
  low: {by: which, type: 0..20, rows: {x: plus_one(2), y: 1}}
  high: {by: which, type: 0..20, rows: {x: plus_two(2), y: 1}}
constraints:
  - {never: b and sum(i for i in 1..n) > 9, say: That is too much.}
functions:
  plus_one(0..9 z): z + 1
  plus_two(0..9 z): z + 2
state:
  score[player]: {type: 0..99, visible: all}
  aim[player]: {type: 1..6, visible: owner if b and plus_two(2) == 4 else all}
phases:
  play:
    turns: you in players
    do:
      - choose:
          roll:
            when: aim[next(you)] > 2
            do: score += (first + cheap + dear + m + (1 if b else 0)) % 3
          stop: end game won by you
          set: aim = 3
"""
"""The values of options call functions, in another order by the value of `b`, which decides
whether a secret gets out; constraints bind names."""


@pytest.mark.parametrize("order", [1, -1])
def test_what_options_call_is_called_alike(order: int) -> None:
    values = [("false", "2"), ("true", "2"), ("false", "4"), ("true", "3"), ("true", "4")]
    every = [Setting(2, (), (("b", b), ("n", n))) for b, n in values]
    assert not list(different(loaded_of(CALLING), every[::order]))


@pytest.mark.parametrize("order", [1, -1])
def test_what_nothing_reads_is_said_in_every_setting(order: int) -> None:
    unread = FAIR.replace(b"- days += 1\n      - earn", b"- let kept = days + 1\n      - earn")
    assert unread != FAIR
    loaded = loaded_of(unread)
    assert not list(different(loaded, EVERY[::order]))
    _, found = loaded.game(*EVERY[0].arguments)
    assert [each.message for each in found] == ["nothing reads the local `kept`"]


def test_what_does_not_decide_is_not_checked_again() -> None:
    fair = loaded_of(FAIR)
    games = [fair.game(options={"loud": loud, "spare": "1"})[0] for loud in ("true", "false")]
    one, other = (fair.rules_of(game).routines[""] for game in games if game is not None)
    assert one is not other and one.body is other.body


def test_who_plays_is_checked_again() -> None:
    fair = loaded_of(FAIR)
    games = [fair.game(2, {"dog": dog})[0] for dog in ("true", "false")]
    one, other = (fair.rules_of(game).routines[""] for game in games if game is not None)
    assert one.body is not other.body


@pytest.mark.parametrize("name", ["stalls", "fog"])
def test_a_setting_that_was_not_written_down_is_found(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    setting_value = World.setting_value

    def forgetful(self: World, asked: str) -> int | None:
        with self.aside() if asked == name else nullcontext():
            return setting_value(self, asked)

    monkeypatch.setattr(World, "setting_value", forgetful)
    assert list(different(loaded_of(FAIR), EVERY))


@pytest.mark.slow  # each setting is made twice
@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_settings_of_a_shipped_ruleset(path: Path) -> None:
    loaded = read(path)
    every = list(decisive(loaded, True))
    luck = stream("kin", path.stem)
    low, high = loaded.outline.player_range
    for _ in range(20):
        some = [luck.below(len(every)) for _ in range(3)]
        options = dict(pair for at in some for pair in every[at].options)
        every.append(Setting(low + luck.below(high - low + 1), (), tuple(options.items())))
    mixed = sorted(every, key=lambda _: luck.below(1_000_000))
    assert not list(different(loaded.anew(), mixed[:60]))


@pytest.mark.slow  # as many cases as there are
@pytest.mark.parametrize("result", ["failure", "success"])
def test_settings_of_the_cases_of_the_language(result: str, tmp_path: Path) -> None:
    for number, parameters in enumerate(all_cases(result)):
        case, folder = parameters.values[0], tmp_path / str(number)
        folder.mkdir()
        assert isinstance(case, Case)
        loaded, _ = loaded_from(case, folder)
        if loaded is None or not loaded.outline.options:
            continue
        own = Setting(case.players, tuple(case.variants), tuple(case.options.items()))
        more = (Setting(at, (), tuple(some.items())) for at, some in settings(loaded, case))
        assert not list(different(loaded, [Setting(), own, *islice(more, 6)])), case.title
