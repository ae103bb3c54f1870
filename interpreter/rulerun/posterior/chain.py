"""A chain of plays that a viewer cannot tell apart.

Assumes: evidence of what the viewer knows, and what holds plays against it (`rerun`).
Does two things. *Mending* makes a first play: where one parts from the evidence, something is
changed that is amiss there (who holds what is wanted, and what do they hold instead?), and the
change stays if the play then comes as far. It begins with luck of its own, never at the truth.
The *chain* goes on from play to play (Metropolis and Hastings): two hidden draws are exchanged, or
one hidden draw or decision is another, and what hangs on it by name goes along or, where that is
not legal, falls anew; the new play is taken with the probability that makes each as frequent as it
is likely. How likely a play is: luck by its weights, and each decision of the others as if they
took any legal action alike (the standard account of probabilistic programs: Wingate, Stuhlmüller
and Goodman 2011). Probabilities are whole numbers over whole numbers, so that one seed gives one
chain on every machine.
Leaves behind traces that hold; none, if the effort is spent before one does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from rulerun.posterior.proof import Hearing
from rulerun.posterior.rerun import Address, Replayer, Step, Trace
from rulerun.posterior.sight_key import Name
from rulerun.runtime.executor import CHANCE
from rulerun.runtime.rng import Stream

PATIENCE = 40
"""Changes that come to nothing before mending begins anew; and `PATIENCE_EACH` for each step."""
PATIENCE_EACH = 15
UNHEARD = 100
"""How much a play is amiss that tells something else."""
WORSE = 50
"""One change of so many is kept although the play does not come as far."""


@dataclass(slots=True)
class Change:
    """What is to be otherwise, and which components change places in what follows from it."""

    first: int
    """The first step that is changed."""
    wanted: Mapping[Address, int]
    names: tuple[Name, Name] | None = None
    draws: tuple[int, int] | None = None
    """Two outcomes of luck that change places, as do the components that they are."""
    kind: str = ""
    """The kind that is drawn."""


@dataclass(slots=True)
class Rechoose:
    """Chooses as another trace did, as far as that is legal: by name, else anew."""

    replayer: Replayer
    luck: Stream
    old: Mapping[Address, Step] = field(default_factory=dict)
    change: Change | None = None
    fresh: dict[Address, tuple[int, int]] = field(default_factory=dict)
    """What fell anew, and how likely that was."""

    def __call__(
        self, address: Address, at: int, options: tuple[int, ...], weights: tuple[int, ...]
    ) -> int:
        """The choice at an address."""
        change = self.change
        if change is not None and address in change.wanted:
            return change.wanted[address]
        step = self.old.get(address)
        if step is not None:
            kept = self.kept(step.choice, address[1], at, options)
            if kept is not None:
                return kept
        place = self.luck.weighted(weights)
        self.fresh[address] = weights[place], sum(weights)
        return options[place]

    def kept(self, choice: int, who: int, at: int, options: tuple[int, ...]) -> int | None:
        """What becomes of a choice where these are the options; None if it falls anew."""
        if choice in options:
            return choice
        change = self.change
        if change is None or change.names is None:
            return None
        other = choice
        if who != CHANCE:
            other = self.replayer.telling.renamed(choice, *change.names)
        elif change.draws is not None:
            drawn = self.replayer.telling.drawn(at)
            if drawn is not None and drawn[0].kind.name == change.kind:
                one, two = change.draws
                other = two if choice == one else one if choice == two else choice
        return other if other in options else None


class Chain:
    """Plays that hold against one evidence, one after another."""

    def __init__(self, replayer: Replayer, luck: Stream) -> None:
        """Nothing is known of any play yet."""
        self.replayer = replayer
        self.luck = luck
        self.hearing: Hearing | None = None
        """What asks of plays what they tell, where what is seen does not say it all."""
        self.accepted = 0

    # --------------------------------------------------------------------------------- mending

    def begin(self, effort: int, near: Trace | None = None) -> Trace | None:
        """A play that holds, first of all one near another; None if it takes too many replays."""
        last = self.replayer.runs + effort
        while self.replayer.runs < last:
            trace = self._mended(last, near)
            if trace is not None:
                return trace
            near = None
        return None

    def _mended(self, last: int, near: Trace | None = None) -> Trace | None:
        best = near or self.replayer.run(Rechoose(self.replayer, self.luck))
        self._hear(best)
        idle = 0
        while best.state is None:
            free = best.free
            if (
                not free
                or self.replayer.runs >= last
                or idle > PATIENCE + PATIENCE_EACH * len(free)
            ):
                return None
            change = self._repair(best, free)
            idle += 1
            if change is None:
                continue
            found = self._changed(best, change)[0]
            if found.score > best.score or found.state is not None:
                self._hear(found)
            if found.score > best.score or found.state is not None:
                idle = 0
            if found.state is not None or found.score >= best.score or not self.luck.below(WORSE):
                best = found
        return best

    def _hear(self, trace: Trace) -> None:
        """A play that tells what was not told ends there."""
        hearing = self.hearing
        if hearing is None or hearing.holds(trace.inputs, trace.state is not None):
            return
        trace.steps = [step for step in trace.steps if step.place <= hearing.came]
        trace.state = None
        trace.more, trace.less = hearing.more, hearing.less
        spots = [step.spot for step in trace.steps if step.spot is not None]
        trace.came = spots[-1].item + spots[-1].told + spots[-1].own if spots else 0
        trace.amiss = UNHEARD

    def _changed(self, trace: Trace, change: Change) -> tuple[Trace, Rechoose]:
        old = {step.address: step for step in trace.steps[change.first :]}
        choose = Rechoose(self.replayer, self.luck, old, change)
        return self.replayer.run(choose, trace, change.first), choose

    def _repair(self, trace: Trace, free: list[int]) -> Change | None:
        """A change that may help where a play parts from the evidence."""
        luck = self.luck
        more, less = sorted(trace.more), sorted(trace.less)
        if luck.below(3) == 0 and (change := self._alike(trace, free)) is not None:
            return change
        if not (more or less) or not luck.below(5):
            # Nothing is known of what is amiss, or that does not help: the last steps first.
            back = min(luck.below(len(free)), luck.below(len(free)))
            return self._propose(trace, free, free[-1 - back])
        wanted = less[luck.below(len(less))] if less else None
        unwanted = more[luck.below(len(more))] if more else None
        if wanted is None or unwanted is None:
            return self._towards(trace, free, wanted or unwanted, wanted is not None)
        ones = [at for at in free if unwanted in self._names(trace.steps[at])]
        twos = [at for at in free if wanted in self._names(trace.steps[at])]
        decided = [at for at in ones if trace.steps[at].who != CHANCE]
        if decided and luck.below(2):
            return self._renaming(
                trace, decided[-1 - _little(luck, len(decided))], unwanted, wanted
            )
        drawn = [at for at in ones if trace.steps[at].who == CHANCE]
        others = [at for at in twos if trace.steps[at].who == CHANCE]
        if drawn and others and luck.below(4):
            one = drawn[luck.below(len(drawn))]
            return self._exchange(trace, one, others[luck.below(len(others))])
        if ones:
            return self._renaming(trace, ones[luck.below(len(ones))], unwanted, wanted)
        if others:
            # Nobody has drawn what is unwanted: it came to where it is without luck.
            return self._renaming(trace, others[luck.below(len(others))], wanted, unwanted)
        return self._towards(trace, free, wanted, True)

    def _alike(self, trace: Trace, free: list[int]) -> Change | None:
        """Two decisions of a player at one question, with nothing seen in between, change places.

        What was laid where is seen by how much lies there, and what it is only later.
        """
        groups: dict[tuple[int, int, int], list[int]] = {}
        for at in free:
            step = trace.steps[at]
            if step.who != CHANCE:
                groups.setdefault((step.address[0], step.who, step.at), []).append(at)
        several = [group for group in groups.values() if len(group) > 1]
        if not several:
            return None
        group = several[-1 - _little(self.luck, len(several))]
        one, two = (group[self.luck.below(len(group))] for _ in range(2))
        return self._exchange(trace, one, two)

    def _towards(
        self, trace: Trace, free: list[int], name: Name | None, wanted: bool
    ) -> Change | None:
        """Something else becomes what is wanted, or what is unwanted something else."""
        luck, steps = self.luck, trace.steps
        named = [at for at in free if name is not None and name in self._names(steps[at])]
        if not wanted:
            if not named:
                return self._propose(trace, free, free[luck.below(len(free))])
            return self._propose(trace, free, named[luck.below(len(named))])
        at = free[luck.below(len(free))]
        others = [each for each in named if steps[each].who == CHANCE]
        if steps[at].who == CHANCE and others and luck.below(4):
            return self._exchange(trace, at, others[luck.below(len(others))])
        assert name is not None
        able = [
            (each, option)
            for each in free
            for option in steps[each].options
            if option != steps[each].choice and name in self._names_of(steps[each], option)
        ]
        if not able:
            return self._propose(trace, free, at)
        place, option = able[luck.below(len(able))]
        return self._instead(trace, place, option)

    def _renaming(self, trace: Trace, at: int, one: Name, other: Name) -> Change | None:
        """A step goes as it did with another component."""
        step = trace.steps[at]
        able = [
            option
            for option in step.options
            if other in self._names_of(step, option) and option != step.choice
        ]
        if step.who != CHANCE and one[0] == other[0]:
            renamed = self.replayer.telling.renamed(step.choice, one, other)
            able = [renamed] if renamed in able else able
        return self._instead(trace, at, able[self.luck.below(len(able))]) if able else None

    # ------------------------------------------------------------------------------- proposals

    def _propose(self, trace: Trace, free: list[int], at: int) -> Change | None:
        """One step goes otherwise, or changes places with another."""
        step = trace.steps[at]
        if self.luck.below(5) < (3 if step.who == CHANCE else 2):
            return self._exchange(trace, at, free[self.luck.below(len(free))])
        others = [each for each in step.options if each != step.choice]
        return self._instead(trace, at, others[self.luck.below(len(others))])

    def _instead(self, trace: Trace, at: int, option: int) -> Change:
        step = trace.steps[at]
        mine, theirs = self._names_of(step, step.choice), self._names_of(step, option)
        apart = [
            pair
            for pair in zip(mine, theirs, strict=False)
            if pair[0] != pair[1] and pair[0][0] == pair[1][0]
        ]
        names = apart[0] if apart else None
        draws = (step.choice, option) if step.who == CHANCE and names else None
        kind = names[0][0] if names else ""
        return Change(at, {step.address: option}, names, draws, kind)

    def _exchange(self, trace: Trace, one: int, two: int) -> Change | None:
        """Two draws change places, or two decisions of a player at one question."""
        one, two = min(one, two), max(one, two)
        first, second = trace.steps[one], trace.steps[two]
        if first.who != second.who or first.choice == second.choice:
            return None
        if first.who != CHANCE:
            if first.at != second.at or second.choice not in first.options:
                return None
            return Change(one, {first.address: second.choice, second.address: first.choice})
        kinds = self.replayer.telling.drawn(first.at), self.replayer.telling.drawn(second.at)
        if kinds[0] is None or kinds[0] != kinds[1] or second.choice not in first.options:
            return None
        (mine,), (theirs,) = self._names(first), self._names(second)
        return Change(
            one,
            {first.address: second.choice, second.address: first.choice},
            (mine, theirs) if mine != theirs else None,
            (first.choice, second.choice),
            kinds[0][0].kind.name,
        )

    def _names(self, step: Step) -> tuple[Name, ...]:
        return self._names_of(step, step.choice)

    def _names_of(self, step: Step, choice: int) -> tuple[Name, ...]:
        """The components that a choice is about."""
        telling = self.replayer.telling
        if step.who != CHANCE:
            return telling.names(choice)
        drawn = telling.drawn(step.at)
        if drawn is None:
            return ()
        kind, share = drawn
        return (self.replayer.looking.sight.name(kind, choice // share),)

    # ----------------------------------------------------------------------------------- chain

    def go(self, trace: Trace) -> Iterator[Trace]:
        """Yield where the chain is, one proposal after another, without end."""
        while True:
            trace = self._next(trace)
            yield trace

    def _next(self, trace: Trace) -> Trace:
        free = trace.free
        if not free:
            return trace
        at = free[self.luck.below(len(free))]
        change = self._propose(trace, free, at)
        if change is None:
            return trace
        found, choose = self._changed(trace, change)
        if found.state is None:
            return trace
        ratio = self._ratio(trace, found, change, choose)
        if ratio is None:
            return trace
        over, under = ratio
        # A ratio of whole numbers against a number of 64 bits: the same on every machine.
        if self.luck.word() * under >= over << 64:
            return trace
        if self.hearing is not None and not self.hearing.holds(found.inputs):
            return trace
        self.accepted += 1
        return found

    def _ratio(
        self, old: Trace, new: Trace, change: Change, choose: Rechoose
    ) -> tuple[int, int] | None:
        """With which probability a proposal is taken; None if it cannot be proposed back."""
        ways = (len(old.free), len(new.free))
        if len(change.wanted) > 1:
            # An exchange is drawn by its first place and by its second, among all.
            over, under = ways[0] ** 2, ways[1] ** 2
        else:
            over, under = ways
        first = change.first
        before = {step.address: step for step in old.steps[first:]}
        for step in new.steps[first:]:
            over *= step.likely[0]
            under *= step.likely[1]
            was = before.pop(step.address, None)
            if step.address in change.wanted and (
                was is None or was.at != step.at or step.spot is None
            ):
                return None
            if step.spot is None:
                # There was one option: nothing was drawn. What there was before was, if it could.
                if was is not None and was.spot is not None:
                    back = self._back(choose, step.choice, was)
                    if back is None:
                        return None
                    over, under = over * back[0], under * back[1]
                continue
            if step.address in choose.fresh:
                many, whole = choose.fresh[step.address]
                under *= many
                over *= whole
            if step.address in change.wanted or was is None or was.spot is None:
                continue
            back = self._back(choose, step.choice, was)
            if back is None:
                return None
            over, under = over * back[0], under * back[1]
        for step in old.steps[first:]:
            over *= step.likely[1]
            under *= step.likely[0]
        for step in before.values():
            # Steps that the new play lacks: back, they fall anew.
            if step.address in change.wanted:
                return None
            if step.spot is not None:
                over, under = _fallen(step, over, under)
        return over, under

    def _back(self, choose: Rechoose, choice: int, was: Step) -> tuple[int, int] | None:
        """How likely the way back makes the old choice out of the new one; None: it cannot."""
        kept = choose.kept(choice, was.who, was.at, was.options)
        if kept is not None:
            return (1, 1) if kept == was.choice else None
        return _fallen(was, 1, 1)


def _fallen(step: Step, over: int, under: int) -> tuple[int, int]:
    """Times how likely it is that a step falls as it fell."""
    return over * step.weights[step.options.index(step.choice)], under * sum(step.weights)


def _little(luck: Stream, many: int) -> int:
    """A number below `many`, small ones more often."""
    return min(luck.below(many), luck.below(many))
