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

Between two histories nothing is half done: there a run that was interrupted goes on (`keeping`).
Histories that wait are kept as the inputs that lead there.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from hashlib import blake2b
from itertools import chain
from typing import Any

from rulerun.reference.executor import Reference
from rulerun.runtime.executor import CHANCE, Chance, Decision, Input, RuleError, Step
from rulerun.runtime.phrases import as_written
from rulerun.search.utility import shares
from rulerun.solving.keeping import Found, Keeper, Parts, plain, restored
from rulerun.solving.refusals import TooBig, Unsolvable
from rulerun.views.observation import Observation, Seen
from rulerun.views.observe import SPECTATOR, observe
from rulerun.views.recall import Held, sift
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen

Told = Callable[[int, str], None]

FORM = "form"
"""The stage in which a form grows, as it is kept."""
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

    def parts(self) -> Parts:
        """The form as it is kept."""
        return {
            "total": plain(self.total),
            "sets": [
                [
                    [each.parent, each.first, each.actions, each.trail.hex(), each.seen]
                    for each in own
                ]
                for own in self.sets
            ],
            "sequences": self.sequences,
            "pairs": array("q", chain.from_iterable(self.ends)),
            "ends": array("d", self.ends.values()),
            "chances": array("d", self.chances.values()),
            "counts": [self.histories, self.told_more],
            "firsts": self.firsts,
        }

    @classmethod
    def of(cls, found: Found) -> Form:
        """The form that was kept."""
        one, two = (
            [
                Known(parent, first, tuple(actions), bytes.fromhex(trail), seen)
                for parent, first, actions, trail, seen in own
            ]
            for own in found.data("sets")
        )
        histories, told_more = found.data("counts")
        each = iter(found.array("pairs", "q"))
        pairs = list(zip(each, each, strict=True))
        return cls(
            restored(found.data("total")),
            (one, two),
            found.data("sequences"),
            dict(zip(pairs, found.array("ends", "d"), strict=True)),
            dict(zip(pairs, found.array("chances", "d"), strict=True)),
            histories,
            told_more,
            [(player, number) for player, number in found.data("firsts")],
        )


@frozen
class _Mind:
    """What one player knows."""

    knows: bytes = BEGIN
    trail: bytes = BEGIN
    sequence: int = 0
    held: Held = ()


@frozen
class _History:
    """A history that waits for its turn."""

    step: Step
    minds: tuple[_Mind, _Mind]
    chance: float
    fresh: bool
    """Whether nobody has decided yet."""
    inputs: tuple[Any, ...] = ()
    """The last input, and those before it in the same way."""


def enumerate_histories(game: Game, most: int, told: Told, keeper: Keeper | None = None) -> Form:
    """Go through all histories. Raises `Unsolvable` and `TooBig`."""
    if len(game.players) != 2:
        raise Unsolvable(
            f"{game.name} hides something, and {len(game.players)} play: "
            "there is an exact answer for two players only"
        )
    return _Histories(game, most, told).run(keeper or Keeper(None, game))


class _Histories:
    def __init__(self, game: Game, most: int, told: Told) -> None:
        self.game, self.most, self.told = game, most, told
        self.executor = Reference(game)
        self.form = Form()
        self.numbers: tuple[dict[bytes, int], dict[bytes, int]] = ({}, {})
        self.trails: tuple[dict[bytes, int], dict[bytes, int]] = ({}, {})
        self.totals: set[Fraction | int] = set()

    def run(self, keeper: Keeper) -> Form:
        found = keeper.at(FORM)
        waiting = [self._beginning()] if found is None else self._resumed(found)
        keeper.forget()

        def parts() -> Parts:
            return {
                **self.form.parts(),
                "knows": [[each.hex() for each in own] for own in self.numbers],
                "totals": [plain(each) for each in self.totals],
                "waiting": [_plain(each) for each in waiting],
            }

        try:
            with keeper.careful():
                while waiting:
                    keeper.rest(FORM, parts)
                    waiting += self._on(waiting.pop())
        except RuleError as failure:
            raise Unsolvable(
                f"the rules of {self.game.name} go wrong in line {failure.span.line}: {failure}"
            ) from None
        self.form.total = self.totals.pop()
        return self.form

    def _beginning(self) -> _History:
        begin = self.executor.initial()
        minds = self._heard(_Mind(), 0, begin), self._heard(_Mind(), 1, begin)
        return _History(begin, minds, 1.0, True)

    def _resumed(self, found: Found) -> list[_History]:
        """Take what was kept; the histories that wait."""
        self.form = form = Form.of(found)
        for player, own in enumerate(found.data("knows")):
            self.numbers[player].update((bytes.fromhex(each), at) for at, each in enumerate(own))
            self.trails[player].update(
                (each.trail, at) for at, each in enumerate(form.sets[player])
            )
        self.totals.update(map(restored, found.data("totals")))
        return [self._led(*each) for each in found.data("waiting")]

    def _led(
        self, chance: float, fresh: bool, known: list[list[Any]], inputs: list[list[int]]
    ) -> _History:
        """The history to which some inputs lead."""
        at = self._beginning()
        for player, id_ in inputs:
            given: Input = Chance(id_) if player == CHANCE else Decision(player, id_)
            step = self.executor.apply(at.step.state, given)
            minds = self._heard(at.minds[0], 0, step), self._heard(at.minds[1], 1, step)
            at = _History(step, minds, chance, fresh, ((player, id_), at.inputs))
        one, two = (
            _Mind(bytes.fromhex(knows), bytes.fromhex(trail), sequence, mind.held)
            for (knows, trail, sequence), mind in zip(known, at.minds, strict=True)
        )
        return replace(at, minds=(one, two))

    def _on(self, at: _History) -> list[_History]:
        """The histories one input longer."""
        form, step, state, executor = self.form, at.step, at.step.state, self.executor
        minds, chance, fresh = at.minds, at.chance, at.fresh
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
                likely = chance * outcome.weight / total
                inputs = ((CHANCE, outcome.id), at.inputs)
                found.append(_History(after, both, likely, fresh, inputs))
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
        for place, action in enumerate(legal):
            after = executor.apply(state, Decision(player, action))
            own = mind
            if first >= 0:
                knows, trail = did(mind.knows, action), did(mind.trail, action)
                own = _Mind(knows, trail, first + place, mind.held)
            new = (own, minds[1]) if player == 0 else (minds[0], own)
            both = self._heard(new[0], 0, after), self._heard(new[1], 1, after)
            inputs = ((player, action), at.inputs)
            found.append(_History(after, both, chance, fresh and first < 0, inputs))
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


def _plain(history: _History) -> list[Any]:
    """A history as plain data, by the inputs that lead there."""
    inputs = []
    left = history.inputs
    while left:
        given, left = left
        inputs.append(given)
    known = [[each.knows.hex(), each.trail.hex(), each.sequence] for each in history.minds]
    return [history.chance, history.fresh, known, inputs[::-1]]


def _named(each: Seen) -> str:
    state = [f"{name} {as_written(value)}" for name, value in each.attributes]
    return f"{each.text} ({', '.join(state)})" if state else each.text
