"""What can be chosen at a `choose`, and taking it.

Assumes: a play that has come to a `Choose`.
Does: lists the options: products of the binders' members in which all conditions hold, narrowed by
`if_possible:`, equal ones merged; puts what was chosen into its names.
Leaves behind: offers by ascending id. Listing writes registers only.

Conditions are asked in their order, each as soon as all it reads is bound and all before it hold:
what would go wrong in the source of a binder does not where a condition before it fails.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Collection as Many
from math import prod
from typing import Any

from rulerun.analysis.failing import never_fails
from rulerun.analysis.reads import bound, conjuncts, reads
from rulerun.reference.collections import bits, mask_of
from rulerun.reference.evaluate import Evaluator
from rulerun.reference.events import EventLog
from rulerun.reference.stores import Stores
from rulerun.runtime import actions
from rulerun.runtime.closures import Run, rule_error
from rulerun.runtime.components import kind_of
from rulerun.runtime.facets import placing
from rulerun.runtime.play import Operation, Play
from rulerun.runtime.signals import REST
from rulerun.runtime.wording import person, words
from rulerun_dsl.model import (
    Choose,
    Domain,
    Expression,
    Option,
    OptionBinder,
)
from rulerun_dsl.model.valuetypes import Collection, Component, Multiset, SetOf, Zone, bare
from rulerun_dsl.source.frozen import frozen


@frozen
class Offer:
    """A legal option: its id, which line of the question it comes from, the values chosen."""

    action: int
    option: int
    values: tuple[Any, ...]


Candidates = Callable[[Sequence[int], int, list[Any]], Iterator[tuple[Any, ...]]]
"""The values of a binder that may be chosen, each with its place in the domain."""


Quickly = Callable[[Sequence[int], int], list[tuple[int, int]] | None]


class Lister:
    """One line of a question, compiled."""

    def __init__(self, evaluator: Evaluator, option: Option) -> None:
        """Compile binders and conditions."""
        self.evaluator = evaluator
        self.components = evaluator.components
        self.option = option
        self.type_ = evaluator.game.actions[option.action]
        pairs = list(zip(option.binders, self.type_.parameters, strict=True))
        self.registers = [binder.register for binder in option.binders]
        self._counted = evaluator.budget.effort.counts_option(option)
        self.candidates = [self._candidates(binder, domain) for binder, domain in pairs]
        asked: list[list[Expression]] = [[] for _ in range(len(self.registers) + 1)]
        depth = 0
        for condition in conjuncts(option.conditions):
            depth = max(depth, bound(evaluator.game, self.registers, condition))
            asked[depth].append(condition)
        self._tests = [evaluator.tests(each) for each in asked]
        """By how many binders are bound: what must hold then."""
        sizes = [domain.size for domain in self.type_.parameters]
        self._strides = [prod(sizes[at + 1 :]) for at in range(len(sizes))]
        self.end = self.type_.base + self.type_.size
        """Behind the last id of its action."""

    def offers(
        self, slots: Sequence[int], base: int, registers: list[Any]
    ) -> list[tuple[int, tuple[Any, ...]]]:
        """The ids, with the values, of all that may be chosen."""
        found: list[tuple[int, tuple[Any, ...]]] = []
        test = self._tests[0]
        if test is None or test(slots, base, registers):
            if self.registers:
                self._deeper(slots, base, registers, 0, self.type_.base, (), found)
            else:
                found.append((self.type_.base, ()))
        return found

    def _deeper(
        self,
        slots: Sequence[int],
        base: int,
        registers: list[Any],
        depth: int,
        at: int,
        values: tuple[Any, ...],
        found: list[tuple[int, tuple[Any, ...]]],
    ) -> None:
        """Try every value of one binder more."""
        register, stride = self.registers[depth], self._strides[depth]
        deeper = depth + 1
        last, test = deeper == len(self.registers), self._tests[deeper]
        for place, value in self.candidates[depth](slots, base, registers):
            registers[register] = value
            if test is not None and not test(slots, base, registers):
                continue
            action, chosen = at + place * stride, (*values, value)
            if last:
                found.append((action, chosen))
            else:
                self._deeper(slots, base, registers, deeper, action, chosen, found)

    def named(
        self, wanted: Many[int], slots: Sequence[int], base: int, registers: list[Any]
    ) -> list[tuple[int, tuple[Any, ...]]]:
        """The values by which this line names those of these ids that are of its action.

        Conditions are not asked: for who knows that these ids may be chosen, by this line alone.
        """
        low = self.type_.base
        inside = [each - low for each in wanted if low <= each < self.end]
        if not inside:
            return []
        values: list[tuple[int, tuple[Any, ...]]] = [(low, ())]
        for depth, stride in enumerate(self._strides):
            starts = {low + each // stride * stride for each in inside}
            longer = []
            for at, before in values:
                for register, value in zip(self.registers, before, strict=False):
                    registers[register] = value
                for place, value in self.candidates[depth](slots, base, registers):
                    if at + place * stride in starts:
                        longer.append((at + place * stride, (*before, value)))
            values = longer
        return values

    # ---------------------------------------------------------------------------- candidates

    def _candidates(self, binder: OptionBinder, domain: Domain) -> Candidates:
        source = self.evaluator.compile(binder.source)
        source = self.evaluator.budget.members(source, binder.source.span, self._counted)
        if domain.element is not None:
            return self._several(binder, domain, source)
        place_of = placing(self.components, domain)

        def single(s: Sequence[int], b: int, r: list[Any]) -> Iterator[tuple[int, Any]]:
            taken = set()
            for value in source(s, b, r):
                place = place_of(s, value)
                if place is None:
                    message = f"{binder.name} would be {value}, which no action names"
                    raise rule_error("no_action", message, binder.source.span)
                if place not in taken:
                    taken.add(place)
                    yield place, value

        return single

    def _several(self, binder: OptionBinder, domain: Domain, source: Run) -> Candidates:
        """Every multiset of alike members within the bounds; the upper caps itself.

        Of what can be told apart the value is a set: of alike ones the first are in it.
        """
        element = domain.element
        assert element is not None and binder.high is not None
        place_of = placing(self.components, element)
        low = self.evaluator.test(binder.low)
        high = self.evaluator.compile(binder.high)
        multisets = [(set_, Counter(set_)) for set_ in domain.multisets]
        type_ = bare(binder.local.type)
        bounds = None
        if isinstance(type_, SetOf):
            bounds = self.evaluator.tables.members(type_)

        def several(s: Sequence[int], b: int, r: list[Any]) -> Iterator[tuple[int, Any]]:
            there: dict[int, list[Any]] = defaultdict(list)
            for value in source(s, b, r):
                place = place_of(s, value)
                if place is not None and (bounds is None or value not in there[place]):
                    there[place].append(value)
            least = 0 if low is None else low(s, b, r)
            most = high(s, b, r)
            if least is None or most is None:
                raise rule_error("none", f"a bound of {binder.name} is none", binder.source.span)
            for number, (set_, many) in enumerate(multisets):
                if not least <= len(set_) <= most:
                    continue
                if all(len(there.get(place, ())) >= wanted for place, wanted in many.items()):
                    used: Counter[int] = Counter()
                    chosen = []
                    for place in set_:
                        chosen.append(there[place][used[place]])
                        used[place] += 1
                    span = binder.source.span
                    yield number, mask_of(chosen, *bounds, span) if bounds else chosen

        return several


class Question:
    """One `choose` of the code, compiled."""

    def __init__(self, evaluator: Evaluator, stores: Stores, log: EventLog, node: Choose) -> None:
        """Compile its lines."""
        self.node = node
        self.evaluator = evaluator
        self.log = log
        self._last: tuple[list[int], int, list[Offer]] | None = None
        self.quickly: Quickly | None = None
        """What else lists the ids, each with its line; None of it: it cannot say."""
        self.player = evaluator.compile(node.player)
        self.listers = [Lister(evaluator, option) for option in node.options]
        self.narrowing = [evaluator.compile(each) for each in node.narrowing]
        self._narrowed = self._which_are_narrowed()
        # Of the question, what can go wrong does so when it is asked, not when somebody looks.
        tables = evaluator.tables
        self._asking = [
            evaluator.compile(part)
            for part in node.ask
            if not isinstance(part, str) and not never_fails(tables, part)
        ]
        self._numbers = [
            [stores.number(binder.local) for binder in option.binders] for option in node.options
        ]

    def _which_are_narrowed(self) -> list[set[int]]:
        """By `if_possible:` condition: the main lines that bind what it reads."""
        main = [at for at, option in enumerate(self.node.options) if option.main]
        bound = {at: set(self.listers[at].registers) for at in main}
        binders = set().union(*bound.values()) if bound else set()
        found = []
        for condition in self.node.narrowing:
            needed = reads(self.evaluator.game, condition).registers & binders
            found.append({at for at in main if needed <= bound[at]})
        return found

    def asked(self, slots: Sequence[int], base: int, registers: list[Any]) -> int:
        """Who is to choose."""
        player = self.player(slots, base, registers)
        if player is None:
            raise rule_error("none", "who chooses is none", self.node.span)
        return int(player)

    def offers(self, slots: Sequence[int], base: int, registers: list[Any]) -> list[Offer]:
        """What may be chosen, by ascending id.

        Who comes to a question lists it, and who is asked then lists it in the same state.
        """
        state = [*slots]
        state[base] = 0  # where it rests
        last = self._last
        if last is None or last[0] != state or last[1] != base:
            last = self._last = state, base, self._offered(slots, base, registers)
        return last[2]

    def forget(self) -> None:
        """List anew what is asked for next: for who counts what a listing evaluates."""
        self._last = None

    def _offered(self, slots: Sequence[int], base: int, registers: list[Any]) -> list[Offer]:
        with self.evaluator.listing.of(slots):
            found = self._listed(slots, base, registers)
            for condition, lines in zip(self.narrowing, self._narrowed, strict=True):
                found = self._narrow(found, condition, lines, slots, base, registers)
        found.sort(key=lambda offer: offer.action)
        return [
            offer
            for at, offer in enumerate(found)
            if not at or found[at - 1].action != offer.action
        ]

    def offer(
        self, action: int, slots: Sequence[int], base: int, registers: list[Any]
    ) -> Offer | None:
        """The offer of an action that may be chosen, as is known; None if it may not after all."""
        lines = [at for at, each in enumerate(self.listers) if each.type_.base <= action < each.end]
        if len(lines) == 1:
            for found, values in self.listers[lines[0]].named((action,), slots, base, registers):
                return Offer(found, lines[0], values)
        offers = self.offers(slots, base, registers)
        return next((each for each in offers if each.action == action), None)

    def _ids(self, slots: Sequence[int], base: int, registers: list[Any]) -> list[tuple[int, int]]:
        """The ids of what may be chosen, each with its line."""
        found = None if self.quickly is None else self.quickly(slots, base)
        if found is not None:
            return found
        return [(each.action, each.option) for each in self.offers(slots, base, registers)]

    def narrowed_by(
        self, slots: Sequence[int], base: int, registers: list[Any], action: int
    ) -> Expression | None:
        """The `if_possible:` that takes an action away for which all conditions hold."""
        found = self._listed(slots, base, registers)
        for at, lines in enumerate(self._narrowed):
            left = self._narrow(found, self.narrowing[at], lines, slots, base, registers)
            if any(offer.action == action for offer in found) and not any(
                offer.action == action for offer in left
            ):
                return self.node.narrowing[at]
            found = left
        return None

    def _listed(self, slots: Sequence[int], base: int, registers: list[Any]) -> list[Offer]:
        """All for which the conditions hold, line by line."""
        taken = 0 if self.node.taken is None else slots[base + self.node.taken]
        found = []
        for number, lister in enumerate(self.listers):
            once = lister.option.once
            if once is not None and taken >> once & 1:
                continue
            for action, values in lister.offers(slots, base, registers):
                found.append(Offer(action, number, values))
        return found

    def _narrow(
        self,
        found: list[Offer],
        condition: Run,
        lines: set[int],
        slots: Sequence[int],
        base: int,
        registers: list[Any],
    ) -> list[Offer]:
        """Those for which the condition holds, unless none of them would be left."""
        passing = []
        for offer in found:
            if offer.option in lines:
                self.bind(offer, registers)
                passing.append(bool(condition(slots, base, registers)))
            else:
                passing.append(True)
        if not any(
            passed and offer.option in lines for passed, offer in zip(passing, found, strict=True)
        ):
            return found
        return [offer for passed, offer in zip(passing, found, strict=True) if passed]

    def bind(self, offer: Offer, registers: list[Any]) -> None:
        """Put the values of an offer into the registers of its binders."""
        for register, value in zip(self.listers[offer.option].registers, offer.values, strict=True):
            registers[register] = value

    # -------------------------------------------------------------------------------- taking

    def step(self) -> Operation:
        """Come to the question: rest, or go where there is nothing to choose."""
        node = self.node

        def choose(play: Play) -> int:
            here = (play.slots, play.base, play.registers)
            listed = self._ids(*here)
            main = any(node.options[line].main for _, line in listed)
            if not main and node.otherwise is not None:
                return node.otherwise
            if not listed:
                raise rule_error("no_option", "nothing can be chosen here", node.span)
            player = self.asked(*here)
            for part in self._asking:
                part(*here)
            if node.forced and len(listed) == 1:
                offer = self.offer(listed[0][0], *here)
                assert offer is not None
                return self.take(play, offer, player)
            return REST

        return choose

    def take(self, play: Play, offer: Offer, player: int) -> int:
        """Take an option: where play goes on."""
        option = self.node.options[offer.option]
        slots, base = play.slots, play.base
        self._tell(play, offer, player)
        _, places = actions.split(self.evaluator.game, offer.action)
        numbers = self._numbers[offer.option]
        for at, (binder, value) in enumerate(zip(option.binders, offer.values, strict=True)):
            by_place = isinstance(bare(binder.local.type), Multiset)
            slots[base + binder.local.offset] = places[at] if by_place else numbers[at](value)
        if option.once is not None and self.node.taken is not None:
            slots[base + self.node.taken] |= 1 << option.once
        return option.to

    def _tell(self, play: Play, offer: Offer, player: int) -> None:
        """Its maker is told, and others where the question is visible to them."""
        if play.events is None:
            return
        game = self.evaluator.game
        audience, detail = self.audience(play, offer, player)
        text = actions.text(game, offer.action)
        sentence = actions.sentence(game, offer.action)
        data: dict[str, object] = {"player": game.players[player]}
        secret = (f"{person(game.players[player])}: {sentence}", {**data, "action": text})
        covered, covered_sentence = self.covered(offer)
        open_ = (
            f"{person(game.players[player])}: {covered_sentence}",
            {**data, "action": covered},
        )
        self.log.emit(play, "choose", audience, detail, open_, secret, maker=player)

    def audience(self, play: Play, offer: Offer, player: int) -> tuple[int, int]:
        """Who is told that a player takes an option, and who of them is told which components."""
        audience = detail = 1 << player
        if self.node.visible is not None and play.block is None:
            visibility = self.log.visibility
            others = visibility.of(self.node.visible, player, play.slots, play.registers)
            audience |= others
            detail |= others & self._seeing(play, offer)
        return audience, detail

    def _seeing(self, play: Play, offer: Offer) -> int:
        """Who sees all the components that were chosen."""
        mask = self.log.visibility.all
        components = self.evaluator.components
        for binder, value in zip(
            self.node.options[offer.option].binders, offer.values, strict=True
        ):
            kind = kind_of(self.evaluator.tables, _element(binder))
            if kind is None or value is None:
                continue
            members = value if isinstance(value, list) else [value]
            if isinstance(type_ := bare(binder.local.type), SetOf):
                members = bits(value, self.evaluator.tables.lowest(type_.element))
            for one in members:
                zone = self.evaluator.tables.instances[components.zone_of(play.slots, kind, one)]
                mask &= self.log.visibility.members(zone, play.slots, play.registers)
        return mask

    def covered(self, offer: Offer) -> tuple[str, str]:
        """The action with each component named as its kind."""
        game = self.evaluator.game
        number, places = actions.split(game, offer.action)
        type_ = game.actions[number]
        texts = []
        binders = self.node.options[offer.option].binders
        for binder, domain, place in zip(binders, type_.parameters, places, strict=True):
            element = _element(binder)
            if not isinstance(element, Component):
                texts.append(domain.texts[place])
            elif domain.element is not None:
                texts.append(f"{len(domain.multisets[place])} {element.kind}")
            else:
                texts.append(element.kind)
        inside = ", ".join(texts)
        text = (f"{type_.name}({inside})" if inside else type_.name) if type_.name else inside
        return text, words(" ".join([type_.name, *texts]).strip())


def _element(binder: OptionBinder) -> Any:
    """The type of what a binder chooses from."""
    type_ = binder.source.type
    if isinstance(type_, Collection):
        return type_.element
    return Component(type_.kind) if isinstance(type_, Zone) else type_
