"""All histories of a small game that hides something, and what each player knows in them.

Assumes: the reference executor, telling what happens; two players of whom one gains what the other
loses; how many histories there may be.
Does: goes through every way in which play can go, luck's too. What a player knows where they decide
is all that they were told so far, what they saw where they decided, and what they did: nothing is
forgotten. Histories in which that is the same are one *information set*. Where one action alone is
legal nobody decides.
Leaves behind a `Form`, the sequence form (von Stengel 1996): for each player the information sets,
each behind the sequence of own actions that leads there, and what each pair of sequences comes to,
weighted with luck.

An agent at a table is not handed what was told, but sees and remembers what it did: `trail` is the
digest of that. `Form.told_more` counts the information sets that a trail does not tell apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import blake2b

from rulerun.reference.executor import Reference
from rulerun.runtime.executor import CHANCE, Chance, Decision, Input, RuleError, Step
from rulerun.runtime.phrases import as_written
from rulerun.search.utility import shares
from rulerun.solving.refusals import TooBig, Unsolvable
from rulerun.views.observation import Observation, Seen
from rulerun.views.observe import SPECTATOR, observe
from rulerun.views.recall import Held, sift
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen

Told = Callable[[int, str], None]

KEY = 16
BEGIN = b""
_PAUSE = 500


def seen(trail: bytes, sight: str) -> bytes:
    """The trail of a player who sees something where they decide."""
    return blake2b(trail + sight.encode("utf-8"), digest_size=KEY).digest()


def did(trail: bytes, action: int) -> bytes:
    """The trail of a player who has decided."""
    return blake2b(trail + b"did" + str(action).encode("ascii"), digest_size=KEY).digest()


@frozen
class Known:
    """An information set."""

    parent: int
    """The sequence of own actions that leads there."""
    first: int
    """The sequence of that and the first action; the others follow."""
    actions: tuple[int, ...]
    trail: bytes
    seen: str = ""
    """Of a first decision: what the player alone sees."""


@dataclass(slots=True)
class Form:
    """The sequence form of a game for two players."""

    total: Fraction | int = 0
    """What both get together."""
    sets: tuple[list[Known], list[Known]] = field(default_factory=lambda: ([], []))
    """By player, each behind its parent."""
    sequences: list[int] = field(default_factory=lambda: [1, 1])
    """By player: how many there are; number 0 is that of no action."""
    ends: dict[tuple[int, int], float] = field(default_factory=dict)
    """By sequences of both: what the first gets, times how likely luck makes it."""
    chances: dict[tuple[int, int], float] = field(default_factory=dict)
    """By sequences of both: how likely luck makes an end."""
    histories: int = 0
    told_more: int = 0
    firsts: list[tuple[int, int]] = field(default_factory=list)
    """Player and information set of each decision before which nobody has decided."""


@frozen
class _Mind:
    """What one player knows."""

    knows: bytes = BEGIN
    trail: bytes = BEGIN
    sequence: int = 0
    held: Held = ()


def enumerate_histories(game: Game, most: int, told: Told) -> Form:
    """Go through all histories. Raises `Unsolvable` and `TooBig`."""
    if len(game.players) != 2:
        raise Unsolvable(
            f"{game.name} hides something, and {len(game.players)} play: "
            "there is an exact answer for two players only"
        )
    return _Histories(game, most, told).run()


class _Histories:
    def __init__(self, game: Game, most: int, told: Told) -> None:
        self.game, self.most, self.told = game, most, told
        self.executor = Reference(game)
        self.form = Form()
        self.numbers: tuple[dict[bytes, int], dict[bytes, int]] = ({}, {})
        self.trails: tuple[dict[bytes, int], dict[bytes, int]] = ({}, {})
        self.totals: set[Fraction | int] = set()

    def run(self) -> Form:
        begin = self.executor.initial()
        minds = (self._heard(_Mind(), 0, begin), self._heard(_Mind(), 1, begin))
        waiting: list[tuple[Step, tuple[_Mind, _Mind], float, bool]] = [(begin, minds, 1.0, True)]
        try:
            while waiting:
                waiting += self._on(*waiting.pop())
        except RuleError as failure:
            raise Unsolvable(
                f"the rules of {self.game.name} go wrong in line {failure.span.line}: {failure}"
            ) from None
        self.form.total = self.totals.pop()
        return self.form

    def _on(
        self, step: Step, minds: tuple[_Mind, _Mind], chance: float, fresh: bool
    ) -> list[tuple[Step, tuple[_Mind, _Mind], float, bool]]:
        """The histories one input longer."""
        form, state, executor = self.form, step.state, self.executor
        form.histories += 1
        if form.histories > self.most:
            raise TooBig(
                f"{self.game.name} has more than {self.most:,} histories; "
                "--states N lets there be more"
            )
        if not form.histories % _PAUSE:
            self.told(form.histories, "histories found")
        asked = executor.waiting(state)
        if not asked:
            self._end(step, minds, chance)
            return []
        found = []
        if asked[0].player == CHANCE:
            outcomes = executor.outcomes(state)
            total = sum(each.weight for each in outcomes)
            for outcome in outcomes:
                given: Input = Chance(outcome.id)
                after = executor.apply(state, given)
                both = self._heard(minds[0], 0, after), self._heard(minds[1], 1, after)
                found.append((after, both, chance * outcome.weight / total, fresh))
            return found
        player = asked[0].player
        legal = executor.legal(state, player)
        mind = minds[player]
        first = -1
        if len(legal) > 1:
            number, mind = self._known(step, player, mind, legal, fresh)
            first = form.sets[player][number].first
            if fresh and (player, number) not in form.firsts:
                form.firsts.append((player, number))
        for at, action in enumerate(legal):
            after = executor.apply(state, Decision(player, action))
            own = mind
            if first >= 0:
                own = _Mind(did(mind.knows, action), did(mind.trail, action), first + at, mind.held)
            new = (own, minds[1]) if player == 0 else (minds[0], own)
            both = self._heard(new[0], 0, after), self._heard(new[1], 1, after)
            found.append((after, both, chance, fresh and first < 0))
        return found

    def _known(
        self, step: Step, player: int, mind: _Mind, legal: tuple[int, ...], fresh: bool
    ) -> tuple[int, _Mind]:
        """The information set where a player decides, and what they know there."""
        form = self.form
        observed = observe(self.executor, step.state, player)
        sight = observed.text()
        knows, trail = seen(mind.knows, sight), seen(mind.trail, sight)
        number = self.numbers[player].get(knows)
        if number is None:
            number = self.numbers[player][knows] = len(form.sets[player])
            form.sets[player].append(
                Known(
                    mind.sequence,
                    form.sequences[player],
                    legal,
                    trail,
                    self._alone(step, player, observed) if fresh else "",
                )
            )
            form.sequences[player] += len(legal)
            if trail in self.trails[player]:
                form.told_more += 1
            self.trails[player][trail] = number
        return number, _Mind(knows, trail, mind.sequence, mind.held)

    def _alone(self, step: Step, player: int, observed: Observation) -> str:
        """What a player sees that a spectator does not, in a few words."""
        spectator = observe(self.executor, step.state, SPECTATOR)
        words = []
        for zone in observed.zones:
            other = spectator.zone(zone.name)
            if zone.components and other is not None and other.components is None:
                words += [f"{zone.name} {_named(each)}" for each in zone.components]
        others = {each.name for each in spectator.variables}
        for variable in observed.variables:
            if variable.name not in others:
                words.append(f"{variable.name} {as_written(variable.value)}")
        return ", ".join(words)

    def _heard(self, mind: _Mind, player: int, step: Step) -> _Mind:
        """What a player knows when they have heard what happened."""
        heard, held = sift(step.events, 0, player, mind.held, 2)
        if not heard and held == mind.held:
            return mind
        knows = mind.knows
        for each in heard:
            knows = seen(knows, repr(each.data()))
        return _Mind(knows, mind.trail, mind.sequence, held)

    def _end(self, step: Step, minds: tuple[_Mind, _Mind], chance: float) -> None:
        verdict = self.executor.verdict(step.state)
        assert verdict is not None
        worth = (
            verdict.returns
            if self.game.scoring.returns is not None
            else shares([player in verdict.winners for player in (0, 1)])
        )
        self.totals.add(sum(worth))
        if len(self.totals) > 1:
            raise Unsolvable(
                f"in {self.game.name} what one player gains the other does not lose, and something "
                "is hidden: there is no one value to find"
            )
        pair = minds[0].sequence, minds[1].sequence
        self.form.ends[pair] = self.form.ends.get(pair, 0.0) + chance * float(worth[0])
        self.form.chances[pair] = self.form.chances.get(pair, 0.0) + chance


def _named(each: Seen) -> str:
    state = [f"{name} {as_written(value)}" for name, value in each.attributes]
    return f"{each.text} ({', '.join(state)})" if state else each.text
