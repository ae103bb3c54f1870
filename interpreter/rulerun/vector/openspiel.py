"""A game as one of OpenSpiel's: its algorithms play and solve what our rules say.

Assumes: a checked `Game`; the package open_spiel.
Does: registers the game under a name, with explicit chance, in turns (inside a `together`
one after another, and none sees what another has chosen); tells each player their information
state, which forgets nothing (`views.recall`), and what they see as numbers (`encoding`).
Leaves behind: a `pyspiel.Game`.
"""

from __future__ import annotations

from fractions import Fraction
from hashlib import blake2b
from typing import Any

import numpy as np
import pyspiel

from rulerun.executors.make import executor_for
from rulerun.executors.stepper import TERMINAL, step_at_random, stepper
from rulerun.reference.executor import Reference
from rulerun.runtime.executor import CHANCE, Chance, Decision, Executor, Input, Step
from rulerun.runtime.index import element_of
from rulerun.runtime.rng import Quick, key_of
from rulerun.vector.encoding import Encoding, states_of
from rulerun.vector.seeing import rows_of
from rulerun.views.recall import Recall
from rulerun.views.undo import hides
from rulerun_dsl.model import Game, Pick
from rulerun_dsl.model.valuetypes import Component, Int, SetOf, Site, bare

LONGEST = 10_000
"""Inputs of a game at most, where the rules say nothing of decisions."""
SAMPLE = 64
"""Games at random after which returns that added up to nothing in each are said to."""
_UNKNOWN = 1e9
"""The worth of an end at most, where the rules do not bound it."""


_REGISTERED: dict[str, Any] = {}
"""By the mark of the rules and their settings."""


def registered(game: Game) -> Any:
    """The game of OpenSpiel that plays by these rules, made once for the same rules and settings.

    Players, options and variants are chosen before; each choice is a game with a name of its own
    (`get_type().short_name`), which `pyspiel.load_game` knows.
    """
    settings = repr((game.fingerprint, game.players, game.options))
    mark = blake2b(settings.encode(), digest_size=4).hexdigest()
    if mark not in _REGISTERED:
        _REGISTERED[mark] = _registered(game, mark)
    return _REGISTERED[mark]


def _registered(game: Game, mark: str) -> Any:
    made = _Rules(game)
    chance = pyspiel.GameType.ChanceMode
    kind = pyspiel.GameType(
        short_name=f"rulerun_{game.name}_{mark}",
        long_name=game.name,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=chance.EXPLICIT_STOCHASTIC if made.chancy else chance.DETERMINISTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION
        if made.hides
        else pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM
        if made.sums_to_nothing
        else pyspiel.GameType.Utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=made.players,
        min_num_players=made.players,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={},
    )
    longest = game.decisions or LONGEST
    info = pyspiel.GameInfo(
        num_distinct_actions=game.number_of_actions,
        max_chance_outcomes=made.outcomes if made.chancy else 0,
        num_players=made.players,
        min_utility=made.least,
        max_utility=made.most,
        utility_sum=0.0 if made.sums_to_nothing else None,
        max_game_length=longest,
    )

    class Ours(pyspiel.Game):  # type: ignore[misc]
        def __init__(self, params: Any = None) -> None:
            super().__init__(kind, info, params or {})

        def new_initial_state(self) -> _State:
            return _State(self, made)

        def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
            wanted = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
            return _Observer(made, wanted.perfect_recall)

    pyspiel.register_game(kind, Ours)
    return Ours()


class _Rules:
    """What all states of a game share: no copy of a state copies it."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.players = len(game.players)
        self.encoding = Encoding(game)
        self.executor: Executor = executor_for(game, "python", events=True)
        self.begun = self.executor.initial()
        self.hides = hides(game)
        machine = Reference(game, events=False).machine
        self.chancy = any(machine.lots(at) is not None for at in range(len(machine.steps)))
        self.outcomes = self._most_outcomes()
        returns = game.scoring.returns
        self.sums_to_nothing = returns is None or self._seem_to_sum_to_nothing()
        self.least, self.most = -1.0, 1.0
        if returns is not None:
            self.least, self.most = -_UNKNOWN, _UNKNOWN
            if isinstance(returns.type, Int):
                self.least, self.most = float(returns.type.low), float(returns.type.high)

    def __deepcopy__(self, memo: object) -> _Rules:
        return self

    def _most_outcomes(self) -> int:
        """Numbers of outcomes lie below this: components, or values of what is rolled."""
        tables = self.encoding.tables
        types = [each.type for each in self.game.variables]
        types += [Site(board.name) for board in self.game.boards]
        for node in self.game.code:
            if isinstance(node, Pick):
                types.append(element_of(node.source.type))
        types += [each.type for kind in tables.kinds.values() for each in kind.attributes]
        spans = [tables.bounds(bare(each)) for each in types if not isinstance(bare(each), SetOf)]
        kinds = (Component(name) for name in tables.kinds)
        return max(1 + high - min(low, 0) for low, high in [*spans, *map(tables.bounds, kinds)])

    def _seem_to_sum_to_nothing(self) -> bool:
        """Whether the returns of games at random do, and are not all nothing."""
        ends = [self._end(number) for number in range(SAMPLE)]
        return any(map(any, ends)) and not any(sum(each, Fraction()) for each in ends)

    def _end(self, number: int) -> tuple[Fraction, ...]:
        """The returns of a game at random; none if it does not end."""
        luck, play = Quick(key_of("sums"), number, 0), stepper(self.game)
        for _ in range(LONGEST):
            if play.who() == TERMINAL:
                break
            step_at_random(play, luck)
        verdict = play.verdict()
        return () if verdict is None else verdict.returns


class _Known:
    """Where a play stands, and what each player knows of it: shared by copies, never changed."""

    def __init__(self, rules: _Rules, step: Step, recalls: tuple[Recall, ...]) -> None:
        self.rules, self.state, self.recalls = rules, step.state, recalls
        self.waiting = rules.executor.waiting(step.state)

    def __deepcopy__(self, memo: object) -> _Known:
        return self

    @classmethod
    def begin(cls, rules: _Rules) -> _Known:
        step = rules.begun
        every = range(rules.players)
        recalls = tuple(Recall.begin(rules.executor, step, each) for each in every)
        return cls(rules, step, recalls)

    def after(self, given: Input) -> _Known:
        step = self.rules.executor.apply(self.state, given)
        known = tuple(each.extended(self.rules.executor, given, step) for each in self.recalls)
        return _Known(self.rules, step, known)


class _State(pyspiel.State):  # type: ignore[misc]
    """A play, as OpenSpiel asks of it."""

    def __init__(self, game: Any, rules: _Rules) -> None:
        super().__init__(game)
        self._at = _Known.begin(rules)

    def current_player(self) -> int:
        if not self._at.waiting:
            return int(pyspiel.PlayerId.TERMINAL)
        who = self._at.waiting[0].player
        return int(pyspiel.PlayerId.CHANCE) if who == CHANCE else who

    def _legal_actions(self, player: int) -> list[int]:
        at = self._at
        return list(at.rules.executor.legal(at.state, player))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        possible = self._at.rules.executor.outcomes(self._at.state)
        whole = sum(each.weight for each in possible)
        return [(each.id, each.weight / whole) for each in possible]

    def _apply_action(self, action: int) -> None:
        who = self._at.waiting[0].player
        given = Chance(action) if who == CHANCE else Decision(who, action)
        self._at = self._at.after(given)

    def _action_to_string(self, player: int, action: int) -> str:
        from rulerun.runtime.actions import text

        if player == pyspiel.PlayerId.CHANCE:
            return f"outcome {action}"
        return text(self._at.rules.game, action)

    def is_terminal(self) -> bool:
        return not self._at.waiting

    def returns(self) -> list[float]:
        verdict = self._at.rules.executor.verdict(self._at.state)
        if verdict is None:
            return [0.0] * self._at.rules.players
        if self._at.rules.sums_to_nothing and sum(verdict.returns, Fraction()):
            raise RuntimeError("the returns of this game do not add up to nothing; others did")
        return [float(each) for each in verdict.returns]

    def __str__(self) -> str:
        return " ".join(map(str, self.history()))


class _Observer:
    """What a player knows or sees."""

    def __init__(self, rules: _Rules, perfect: bool) -> None:
        self._rules, self._perfect = rules, perfect
        self.tensor = np.zeros(0 if perfect else len(rules.encoding.columns), np.float32)
        self.dict = {} if perfect else {"observation": self.tensor}

    def set_from(self, state: _State, player: int) -> None:
        if not self._perfect:
            self.tensor[:] = self._row(state, player)

    def string_from(self, state: _State, player: int) -> str:
        if self._perfect:
            return state._at.recalls[player].known.digest
        return " ".join(map(str, self._row(state, player)))

    def _row(self, state: _State, player: int) -> Any:
        at = state._at
        slots = states_of([at.state.slots])
        who = np.array([at.waiting[0].player if at.waiting else -2])
        return rows_of(at.rules.encoding, slots, player, who)[0]
