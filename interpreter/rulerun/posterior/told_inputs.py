"""What a viewer is told of an input as such: which option was taken, what luck has drawn.

Assumes: a state at rest, and an instruction at which it rests.
Does: says whether the viewer is told what is taken there, and how that reads: an option as its text
(with components covered that the viewer does not see), a component that is drawn as its class, a
roll as its outcome. Of what is not told by itself nothing is said: whether it shows is for the
sight to say.
Leaves behind: values that are the same in every world that the viewer may be in, and, the other way
round, the inputs that such a value leaves.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulerun.analysis.reads import reads
from rulerun.posterior.sight_key import Name
from rulerun.reference.executor import Reference
from rulerun.runtime import actions
from rulerun.runtime.closures import Run, fresh_registers
from rulerun.runtime.components import kind_of
from rulerun.runtime.index import KindTable
from rulerun.runtime.play import Play
from rulerun.views.view_index import view_index
from rulerun_dsl import model
from rulerun_dsl.model import Choose, Domain, Game, MoveSome, Pick, Roll, ShuffleZone
from rulerun_dsl.model.valuetypes import Component

Slots = Sequence[int]


class Answering:
    """What one viewer is told of inputs of one game."""

    def __init__(self, game: Game, viewer: int) -> None:
        """Read from the instructions what is the same in every state."""
        self.game = game
        self.viewer = viewer
        self.reference = Reference(game, events=False)
        self.machine = self.reference.machine
        self.tables = self.machine.tables
        self._draws: dict[int, tuple[KindTable, int] | None] = {}
        """By instruction: what kind luck draws there, and how many outcomes share a class."""
        self._texts: dict[int, tuple[str, str]] = {}
        self._rolled: dict[int, bool] = {}
        self._ends: dict[int, tuple[Run, ...]] = {}

    # --------------------------------------------------------------------------------- choices

    def chosen(self, slots: Slots, at: int, player: int, action: int) -> str | None:
        """How a decision outside any `together` is told to the viewer; None if it is not."""
        if not self.tells(slots, at, player):
            return None
        question = self.machine.questions[at]
        play = Play(self.game, list(slots), None)
        for offer in question.offers(play.slots, play.base, play.registers):
            if offer.action == action:
                _, detail = question.audience(play, offer, player)
                seen = detail >> self.viewer & 1
                return actions.text(self.game, action) if seen else question.covered(offer)[0]
        return None

    def tells(self, slots: Slots, at: int, player: int) -> bool:
        """Whether the viewer is told what a player decides at a question."""
        node = self.game.code[at]
        assert isinstance(node, Choose)
        if node.visible is None:
            return False
        registers = fresh_registers(self.game)
        return bool(
            self.machine.visibility.of(node.visible, player, slots, registers) >> self.viewer & 1
        )

    def reads_so(self, action: int, told: str) -> bool:
        """Whether an action may be what was told."""
        texts = self._texts.get(action)
        if texts is None:
            texts = actions.text(self.game, action), self._covered(action)
            self._texts[action] = texts
        return told in texts

    def _covered(self, action: int) -> str:
        """An action with each component named as its kind."""
        number, places = actions.split(self.game, action)
        type_ = self.game.actions[number]
        texts = []
        for domain, place in zip(type_.parameters, places, strict=True):
            kind = _kind(domain)
            if kind is None:
                texts.append(domain.texts[place])
            elif domain.element is not None:
                texts.append(f"{len(domain.multisets[place])} {kind}")
            else:
                texts.append(kind)
        inside = ", ".join(texts)
        return (f"{type_.name}({inside})" if inside else type_.name) if type_.name else inside

    def names(self, action: int) -> tuple[Name, ...]:
        """The components that an action names."""
        number, places = actions.split(self.game, action)
        found: list[Name] = []
        for domain, place in zip(self.game.actions[number].parameters, places, strict=True):
            kind = _kind(domain)
            if kind is None:
                continue
            single = domain if domain.element is None else domain.element
            members = (place,) if domain.element is None else domain.multisets[place]
            found += [(kind, each // _facets(self.tables.kinds[kind], single)) for each in members]
        return tuple(found)

    def renamed(self, action: int, one: Name, other: Name) -> int:
        """The action with two components of a kind changing places in it."""
        number, places = actions.split(self.game, action)
        new = []
        for domain, place in zip(self.game.actions[number].parameters, places, strict=True):
            if _kind(domain) == one[0]:
                place = self._exchanged(domain, place, one[1], other[1])
            new.append(place)
        return actions.join(self.game, number, new)

    def _exchanged(self, domain: Domain, place: int, one: int, other: int) -> int:
        single = domain if domain.element is None else domain.element
        facets = _facets(self.tables.kinds[str(_kind(single))], single)

        def exchanged(each: int) -> int:
            row, rest = divmod(each, facets)
            row = other if row == one else one if row == other else row
            return row * facets + rest

        if domain.element is None:
            return exchanged(place)
        members = tuple(sorted(map(exchanged, domain.multisets[place])))
        return domain.multisets.index(members) if members in domain.multisets else place

    # ------------------------------------------------------------------------------------ luck

    def hears(self, slots: Slots, frame: int, at: int) -> bool:
        """Whether the viewer is told how luck falls at an instruction.

        `frame`: the control stack, that of the game or of the viewer's own part of a `together`.
        """
        node = self.game.code[at]
        if isinstance(node, Roll | Pick):
            return self._rolls(at)
        if isinstance(node, MoveSome) and self.drawn(at):
            return self._sees_draw(at, slots, frame)
        return False

    def fallen(self, at: int, outcome: int) -> tuple[str, int]:
        """How luck is told that the viewer hears of: a kind and its class, or what was rolled."""
        drawn = self.drawn(at)
        if drawn is not None:
            return drawn[0].kind.name, self.class_of(at, outcome)
        node = self.game.code[at]
        assert isinstance(node, Roll | Pick) and isinstance(node.target, model.Variable)
        return f"{node.target.name} is", outcome

    def drawn(self, at: int) -> tuple[KindTable, int] | None:
        """What kind luck draws at an instruction, and how many outcomes share a class."""
        if at not in self._draws:
            self._draws[at] = self._drawing(self.game.code[at])
        return self._draws[at]

    def class_of(self, at: int, outcome: int) -> int:
        """The class of what luck draws."""
        found = self.drawn(at)
        assert found is not None
        return outcome // found[1]

    def _drawing(self, node: model.Instruction) -> tuple[KindTable, int] | None:
        """An outcome is the class, then the value of each attribute, then a zone of several."""
        if isinstance(node, MoveSome):
            several = {None in each.indexes for each in node.sources}
            if len(several) > 1:
                return None
            kind, zones = self.machine.moves.kind_at(node.to), several.pop()
        elif isinstance(node, ShuffleZone):
            kind, zones = self.machine.moves.kind_at(node.zone), False
        elif isinstance(node, Pick):
            found = kind_of(self.tables, self.tables.type_of(node.target))
            if found is None:
                return None
            kind, zones = found, len(found.zones) > 1
        else:
            return None
        share = 1
        for attribute in kind.attributes:
            low, high = self.tables.bounds(attribute.type)
            share *= high - low + 1
        return kind, share * (len(self.tables.instances) if zones else 1)

    def _rolls(self, at: int) -> bool:
        """Whether a variable that luck falls on is one that the viewer sees in every state."""
        if at not in self._rolled:
            node = self.game.code[at]
            assert isinstance(node, Roll | Pick)
            target = node.target
            told = False
            if isinstance(target, model.Variable) and self.drawn(at) is None:
                masks = [
                    each.visible.always or 0
                    for each in view_index(self.game).variables
                    if each.table.variable.name == target.name
                ]
                told = all(mask >> self.viewer & 1 for mask in masks)
            self._rolled[at] = told
        return self._rolled[at]

    def _sees_draw(self, at: int, slots: Slots, frame: int) -> bool:
        """Whether the viewer sees where a draw comes from, or where it goes."""
        if at not in self._ends:
            self._ends[at] = self._ends_of(at)
        base = self.game.layout.base + frame * self.game.layout.frame
        registers = fresh_registers(self.game)
        visibility, instances = self.machine.visibility, self.tables.instances
        for places in self._ends[at]:
            zones = places(slots, base, registers)
            if zones and all(
                visibility.members(instances[zone], slots, registers) >> self.viewer & 1
                for zone in zones
            ):
                return True
        return False

    def _ends_of(self, at: int) -> tuple[Run, ...]:
        """What gives the zones of either end of a draw; none, if they hang on what is drawn."""
        node = self.game.code[at]
        assert isinstance(node, MoveSome)
        places = [node.to, *node.sources[:1]]
        indexes = [each for place in places for each in place.indexes if each is not None]
        if any(reads(self.game, each).registers for each in indexes):
            return ()
        return tuple(self.machine.moves.places(place) for place in places)


def _kind(domain: Domain) -> str | None:
    """The kind of component that a parameter names."""
    of = domain.of if domain.element is None else domain.element.of
    return of.kind if isinstance(of, Component) else None


def _facets(kind: KindTable, domain: Domain) -> int:
    """How many values of a parameter share a row."""
    size = kind.kind.owners if domain.owner else 1
    size *= max(1, len(domain.zones))
    for _, _, many in domain.attributes:
        size *= many
    return size
