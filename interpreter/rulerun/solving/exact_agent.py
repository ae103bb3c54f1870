"""A player that plays by a policy.

Assumes: a policy file for the game, and what an agent is handed for a decision (`Vantage`).
Does: looks up what to play there. Where nothing is hidden it is in any world that the player may be
in, since there is one only; inside a `together` by where that began and the player's own actions
since. Where something is hidden, by what the player has seen and done in this game, which the agent
remembers: one agent plays one seat of one game from its beginning on. What was taken back it
forgets.
Leaves behind an action, drawn by how likely the policy makes it. A decision that the policy does
not know is an `AgentFault`: there is nothing exact to play.
"""

from __future__ import annotations

from pathlib import Path

from rulerun.runtime.recent import Recent
from rulerun.runtime.rng import Stream
from rulerun.session.agents import AgentFault
from rulerun.solving.policy_file import NoPolicy, Policy, check_policy, read_policy
from rulerun.solving.positions import Positions
from rulerun.solving.sequence_form import BEGIN, did, seen
from rulerun.solving.solver import part_key
from rulerun.views.observation import Observation
from rulerun.views.vantage import Vantage
from rulerun_dsl.model import Game

FINE = 1_000_000_000
"""Parts of a whole by which an action is drawn."""


class ExactAgent:
    """Plays by a policy file."""

    blind = False

    def __init__(self, game: Game, path: str) -> None:
        """Play by the file; it is read when the first decision is to be made."""
        self.game = game
        self.path = path
        self._trails = [BEGIN]

    def choose(self, observation: Observation, legal: tuple[int, ...], luck: Stream) -> int:
        """An exact player needs a vantage."""
        raise AgentFault("an exact player cannot play from an observation alone")

    def think(self, vantage: Vantage, luck: Stream) -> int:
        """Look it up."""
        legal = vantage.legal
        if len(legal) == 1:
            return legal[0]
        policy = self._read()
        if policy.remembers:
            return self._remembered(policy, vantage, luck)
        world, own = vantage.beginning(luck)
        for positions in _POSITIONS.of(self.game):
            mix = policy.mix(part_key(positions.of_state(world), own), vantage.viewer)
            if mix is not None:
                return self._drawn(mix, legal, luck)
        raise self._unknown("this position")

    def _read(self) -> Policy:
        try:
            stamp = Path(self.path).stat()
            return _read(self.path, stamp.st_mtime_ns, stamp.st_size, self.game)
        except (NoPolicy, OSError) as failure:
            raise AgentFault(str(failure)) from None

    def _remembered(self, policy: Policy, vantage: Vantage, luck: Stream) -> int:
        sight = vantage.observation().text()
        # The whole of what was seen and done; or less of it, if some was taken back.
        for many in range(len(self._trails), 0, -1):
            trail = seen(self._trails[many - 1], sight)
            mix = policy.mix(trail, vantage.viewer)
            if mix is not None:
                action = self._drawn(mix, vantage.legal, luck)
                self._trails[many:] = [did(trail, action)]
                return action
        raise self._unknown("what has happened in this game so far")

    def _drawn(
        self, mix: tuple[tuple[int, float], ...], legal: tuple[int, ...], luck: Stream
    ) -> int:
        weights = [round(share * FINE) for _, share in mix]
        if not sum(weights) or any(action not in legal for action, _ in mix):
            raise self._unknown("these actions")
        return mix[luck.weighted(weights)][0]

    def _unknown(self, what: str) -> AgentFault:
        return AgentFault(f"the policy `{self.path}` does not know {what}: there is no exact play")


def check(game: Game, path: str) -> None:
    """See that a file is a policy for a game. Raises `ValueError` with one sentence."""
    check_policy(path, game)


_POSITIONS = Recent(lambda game: (Positions(game), Positions(game, forget=False)), 4)
"""What tells positions apart: a policy was made by one of these two."""
_KEPT: list[tuple[tuple[str, int, int], Game, Policy]] = []


def _read(path: str, changed: int, size: int, game: Game) -> Policy:
    """The policy of a file; that of the last two files is kept."""
    key = (path, changed, size)
    for kept, other, policy in _KEPT:
        if kept == key and other is game:
            return policy
    policy = read_policy(path, game)
    _KEPT.insert(0, (key, game, policy))
    del _KEPT[2:]
    return policy
