"""One random walk in two engines: rulerun and OpenSpiel, compared at every step.

Assumes a `Row` that says which of our rulesets and which of OpenSpiel's games are one.
Does: plays both with the same choices, and compares who acts, what is legal, which chance outcomes
there are and with what probability, and the returns.
Where a row says that one action of OpenSpiel is several decisions here, it compares the positions
they lead to.
Leaves behind the number of steps, or raises `Difference` with the first one and both states.

What is no step: a chance of OpenSpiel with one outcome. In rulerun that is no input.
One of OpenSpiel's steps may be several of ours, such as five dice that fall at once, and several of
its actions one of ours, such as dice that show the same.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from rulerun.executors.make import executor_for
from rulerun.runtime import actions
from rulerun.runtime.executor import CHANCE, Chance, Decision, Executor
from rulerun.runtime.phrases import as_written
from rulerun.runtime.state import State
from rulerun.views.observe import SPECTATOR
from rulerun.views.player_view import PlayerView
from rulerun_dsl.load import load
from rulerun_dsl.model import Game

Settings = Mapping[str, bool | int | str]
Spiel = Any
"""A game or state of `pyspiel`, which has no types."""

RULESETS = Path(__file__).parents[2] / "rulesets" / "classics"
CLOSE = 1e-9

Theirs = Callable[[Game, Spiel, int], int | Collection[int]]
"""OpenSpiel's number of one of our actions, in a state of OpenSpiel; or its numbers, if we make no
difference between several of its actions."""

Falls = Callable[[Spiel, int], Sequence[str]]
"""Our outcomes, one after another, that together are an outcome of OpenSpiel in this state."""


def as_named(game: str, settings: Settings) -> tuple[str, Settings]:
    """The names of both are equal."""
    return game, settings


def same(game: Game, state: Spiel, action: int) -> int:
    """The numbers of both are equal."""
    return action


def whatever(state: Spiel, legal: list[int]) -> list[int]:
    """All that is legal."""
    return legal


Position = tuple[int, ...]
"""What lies where, in numbers that both engines can give."""


@dataclass(frozen=True)
class Joined:
    """Where one action of OpenSpiel is several decisions of ours: what to compare instead."""

    decisions: int
    """How many decisions they are at most, of one player."""
    ours: Callable[[Game, State], Position]
    theirs: Callable[[Spiel], Position]


@dataclass(frozen=True)
class Row:
    """One game with its settings, in both engines.

    `settings` are OpenSpiel's parameters; all but `players` are our options of the same name.
    """

    game: str
    settings: Settings = field(default_factory=dict)
    games: int = 150
    """How many games make a comparison, unless one asks for another number."""
    named: Callable[[str, Settings], tuple[str, Settings]] = as_named
    """OpenSpiel's game and parameters, where it has other names than we."""
    theirs: Theirs = same
    """OpenSpiel's number of one of our actions."""
    falls: Falls | None = None
    """What falls with us for an outcome of OpenSpiel, if there it falls in another way."""
    tries: Callable[[Spiel, list[int]], list[int]] = whatever
    """Which of OpenSpiel's legal actions are tried, where random ones would not lead far."""
    unasked: Callable[[Spiel], bool] = lambda state: False
    """Where OpenSpiel asks for its only action, and we ask nobody."""
    shows: Callable[[Spiel], Mapping[str, int]] = lambda state: {}
    """What some of our variables must be, by OpenSpiel's state: where the returns tell little."""
    begin: Callable[[Spiel], None] = lambda state: None
    """What to do to OpenSpiel's first state."""
    left_out: Callable[[Spiel], bool] = lambda state: False
    """Where OpenSpiel is known to deviate: the play is broken off there."""
    withheld: Callable[[Spiel], Collection[int]] = lambda state: ()
    """Which of our actions OpenSpiel is known not to have there, by the numbers it has for them."""
    worth: Callable[[Spiel], Sequence[float]] = lambda state: state.returns()
    """What an end of OpenSpiel is worth, where its returns are known to be wrong."""
    joined: Joined | None = None
    """What to compare where the decisions of both are not the same."""
    executor: str = "reference"
    """Long games are walked by machine code, which is held to the reference elsewhere."""

    def __str__(self) -> str:
        """The game and its settings, as the test's name."""
        said = ",".join(f"{name}={_text(value)}" for name, value in self.settings.items())
        return f"{self.game}({said})"

    def ours(self) -> Executor:
        """Our game, ready to run."""
        loaded, found = load(RULESETS / f"{self.game}.yaml")
        assert loaded is not None, [each.message for each in found]
        options = {name: _text(value) for name, value in self.settings.items() if name != "players"}
        players = self.settings.get("players", len(loaded.outline.players) or 2)
        game, found = loaded.game(int(players), options)
        assert game is not None, [each.message for each in found]
        return executor_for(game, self.executor, events=False)


def _text(value: bool | int | str) -> str:
    """A value as the rules write it: a name holds no hyphen."""
    if isinstance(value, str):
        return value.replace("-", "_")
    return str(value).lower()


class Difference(AssertionError):
    """The two engines do not agree."""


@dataclass
class Walk:
    """One play in both engines."""

    row: Row
    executor: Executor
    state: State
    spiel: Spiel
    seed: int
    steps: int = 0

    def play(self) -> int:
        """Play to the end; how many steps there were."""
        luck = random.Random(f"{self.row}:{self.seed}")
        self.row.begin(self.spiel)
        while True:
            while self.spiel.is_chance_node() and len(self.spiel.chance_outcomes()) == 1:
                self.spiel.apply_action(self.spiel.chance_outcomes()[0][0])
            while not self.spiel.is_terminal() and self.row.unasked(self.spiel):
                self.spiel.apply_action(self.spiel.legal_actions()[0])
            if self.row.left_out(self.spiel):
                return self.steps
            if shown_there := self.row.shows(self.spiel):
                view = _Everything(self.executor.game, self.state, SPECTATOR)
                values = {each.name: each.value for each in view.variables()}
                self.equal("what is shown", {one: values[one] for one in shown_there}, shown_there)
            asked = [each.player for each in self.executor.waiting(self.state)]
            self.equal("the end", not asked, self.spiel.is_terminal())
            if not asked:
                break
            self.steps += 1
            if self.spiel.is_chance_node():
                self.equal("who acts", asked, [CHANCE])
                if self.row.falls is None:
                    self.chance(luck)
                else:
                    self.fall(self.row.falls, luck)
            elif self.spiel.is_simultaneous_node():
                self.together(asked, luck)
            else:
                player = self.spiel.current_player()
                # Where ours decide at the same time, OpenSpiel may ask one after the other.
                self.equal("who acts", [player] if player in asked else asked, [player])
                if self.row.joined is not None:
                    self.joined(player, self.row.joined, luck)
                    continue
                ours, theirs = self.choice(player, luck)
                self.state = self.executor.apply(self.state, Decision(player, ours)).state
                self.spiel.apply_action(theirs)
        verdict = self.executor.verdict(self.state)
        assert verdict is not None
        returns = [float(one) for one in verdict.returns]
        worth = list(self.row.worth(self.spiel))
        if any(abs(mine - theirs) > CLOSE for mine, theirs in zip(returns, worth, strict=True)):
            self.equal("the returns", returns, worth)
        return self.steps

    def choice(self, player: int, luck: random.Random) -> tuple[int, int]:
        """Compare what a player may do, and take one of it: our number and theirs."""
        game = self.executor.game
        legal = self.executor.legal(self.state, player)
        numbers = {action: self.row.theirs(game, self.spiel, action) for action in legal}
        withheld = self.row.withheld(self.spiel)
        legal = tuple(action for action in legal if numbers[action] not in withheld)
        mapped: dict[int, int] = {}
        for action in legal:
            theirs = numbers[action]
            mapped |= dict.fromkeys((theirs,) if isinstance(theirs, int) else theirs, action)
        missing = set(legal).difference(mapped.values())
        if missing or sorted(mapped) != self.spiel.legal_actions(player):
            self.equal(
                f"what is legal for {game.players[player]}",
                [(numbers[one], actions.text(game, one)) for one in legal],
                [
                    (one, self.spiel.action_to_string(player, one))
                    for one in self.spiel.legal_actions(player)
                ],
            )
        chosen = luck.choice(self.row.tries(self.spiel, sorted(mapped)))
        return mapped[chosen], chosen

    def joined(self, player: int, joined: Joined, luck: random.Random) -> None:
        """Compare the positions that one action of theirs and some of ours lead to; take one."""
        ours: dict[Position, State] = {}
        open_ = [(self.state, joined.decisions)]
        while open_:
            state, left = open_.pop()
            waiting = [each.player for each in self.executor.waiting(state)]
            if left == 0 or waiting != [player]:
                ours[joined.ours(self.executor.game, state)] = state
                continue
            for action in self.executor.legal(state, player):
                step = self.executor.apply(state, Decision(player, action))
                open_.append((step.state, left - 1))
        theirs = {
            joined.theirs(self.spiel.child(action)): action
            for action in self.spiel.legal_actions(player)
        }
        self.equal("the positions to be reached", sorted(ours), sorted(theirs))
        position = luck.choice(sorted(ours))
        self.state = ours[position]
        self.spiel.apply_action(theirs[position])

    def together(self, asked: list[int], luck: random.Random) -> None:
        """Players decide at the same time; ours hand in one after the other, in any order."""
        joint = [0] * len(self.spiel.returns())
        wanted = [player for player in range(len(joint)) if self.spiel.legal_actions(player)]
        self.equal("who acts", asked, wanted)
        for player in luck.sample(asked, len(asked)):
            ours, joint[player] = self.choice(player, luck)
            self.state = self.executor.apply(self.state, Decision(player, ours)).state
        self.spiel.apply_actions(joint)

    def chance(self, luck: random.Random) -> None:
        """Compare the chance outcomes, and let one fall."""
        ours, theirs = self.executor.outcomes(self.state), self.spiel.chance_outcomes()
        whole = sum(each.weight for each in ours)
        chances = [Fraction(each.weight, whole) for each in ours]
        if len(ours) != len(theirs) or any(
            abs(float(mine) - chance) > CLOSE
            for mine, (_, chance) in zip(chances, theirs, strict=True)
        ):
            self.equal(
                "what can fall",
                [f"{each.text}: {chance}" for each, chance in zip(ours, chances, strict=True)],
                [(self.spiel.action_to_string(CHANCE, one), chance) for one, chance in theirs],
            )
        place = luck.choices(range(len(ours)), [each.weight for each in ours])[0]
        self.state = self.executor.apply(self.state, Chance(ours[place].id)).state
        self.spiel.apply_action(theirs[place][0])

    def fall(self, falls: Falls, luck: random.Random) -> None:
        """Let one of their outcomes fall, and ours that are the same; compare how likely it was."""
        theirs = self.spiel.chance_outcomes()
        (outcome, chance), *_ = luck.choices(theirs, [each for _, each in theirs])
        likely = Fraction(1)
        for text in falls(self.spiel, outcome):
            self.equal(
                "who acts", [one.player for one in self.executor.waiting(self.state)], [CHANCE]
            )
            ours = {each.text: each for each in self.executor.outcomes(self.state)}
            self.equal("what can fall", text if text in ours else list(ours), text)
            likely *= Fraction(ours[text].weight, sum(each.weight for each in ours.values()))
            self.state = self.executor.apply(self.state, Chance(ours[text].id)).state
        if abs(float(likely) - chance) > CLOSE:
            self.equal("how likely it is", float(likely), chance)
        self.spiel.apply_action(outcome)

    def equal(self, what: str, ours: object, theirs: object) -> None:
        """Raise a `Difference` unless both engines say the same."""
        if ours != theirs:
            raise Difference(
                f"{self.row}, game {self.seed}, step {self.steps}: {what}\n"
                f"  rulerun:   {ours}\n  OpenSpiel: {theirs}\n"
                f"  history:   {self.spiel.history()}\n\n"
                f"rulerun's state:\n{shown(self.executor.game, self.state)}\n\n"
                f"OpenSpiel's state:\n{self.spiel}"
            )


class _Everything(PlayerView):
    """A state with every secret, as it is."""

    def _vector(self) -> list[int]:
        return list(self.state.slots)

    def sees(self, condition: object) -> bool:
        return True


def shown(game: Game, state: State) -> str:
    """A state with every secret, a line each."""
    return "\n".join(_lines(_Everything(game, state, SPECTATOR)))


def _lines(view: PlayerView) -> Iterator[str]:
    for variable in view.variables():
        yield f"  {variable.name} = {as_written(variable.value)}"
    for zone in view.zones():
        held = [as_written(each.data()) for each in zone.components or ()]
        yield f"  {zone.name}: {', '.join(held)}"


def compare(row: Row, spiel: Spiel, games: int) -> int:
    """Play so many games in both engines; the number of steps. Raises `Difference`."""
    executor = row.ours()
    if row.theirs is same:
        # go_fish counts its chance outcomes too.
        assert executor.game.number_of_actions <= spiel.num_distinct_actions()
    return sum(
        Walk(row, executor, executor.initial().state, spiel.new_initial_state(), seed).play()
        for seed in range(games)
    )
