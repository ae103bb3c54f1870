"""How the components of an instruction go, as far as everybody can tell from the rules.

Assumes: a checked game.
Does: says of moves whether their components leave at the end where a pile gives, whether one can
follow them, whether all that lies in some zones goes to one, and whether several are laid down in
an order that follows from what they are; of piles whether their order was told as they grew.
Leaves behind: answers that hold wherever the instruction runs.
"""

from __future__ import annotations

from rulerun.analysis.reads import reads
from rulerun.runtime.control import effects_of
from rulerun.runtime.recent import Recent
from rulerun_dsl import model
from rulerun_dsl.model import Game
from rulerun_dsl.model.valuetypes import Multiset, Player, SetOf, bare
from rulerun_dsl.source.frozen import frozen


@frozen
class Way:
    """How a component goes from one zone to another."""

    from_end: bool = False
    """What it takes from an ordered zone lies where that gives: on top, or in front."""
    followed: bool = False
    """Who knew what lay there can tell where it has gone, though others go with it."""
    alone: bool = False
    """It goes alone, so that everybody who hears of it can tell at which place it comes to lie."""


ANYHOW = Way()
"""Nothing is sure: others go with it, or which one goes is somebody's choice."""
CHOSEN = Way(alone=True)
"""One is named, and goes alone."""


def way_of(game: Game, node: model.MoveSome) -> Way:
    """How what `move N from Z to Y` takes goes."""
    families = {family.name: family for family in game.zones}
    from_end = node.condition is None and not any(
        families[source.zone].ordered and not _single(families[source.zone], source)
        for source in node.sources
    )
    alone = isinstance(node.quantity, model.Literal) and node.quantity.value == 1
    return Way(from_end, from_end and (alone or _steady(game, node)), alone)


def _single(family: model.ZoneFamily, zone: model.ZoneAt | model.Members) -> bool:
    return None not in zone.indexes or family.instances == 1


def _steady(game: Game, node: model.MoveSome) -> bool:
    """Whether all that is taken goes to the same zone: who goes where tells nothing then."""
    result = node.result
    for index in node.to.indexes:
        read = reads(game, index) if index is not None else None
        if read is None or read.zones or read.counts or read.running:
            return False
        if isinstance(result, model.Local) and any(at == result.offset for at, _ in read.locals):
            return False
        if result is not None and not isinstance(result, model.Local) and read.variables:
            return False
    return True


def goes_whole(game: Game, node: model.MoveAll) -> bool:
    """Whether all that lies in some zones goes to one, so that each knows what went where."""
    if node.condition is not None or not isinstance(node.source, model.Members):
        return False
    # What goes where must not depend on which one it is; nor may where it goes, or who sees it,
    # change with what lies where meanwhile.
    families = {family.name: family for family in game.zones}
    indexes = [index for index in node.to.indexes if index is not None]
    ends = [families[node.source.zone].visible, families[node.to.zone].visible]
    read = [reads(game, each) for each in (*indexes, *ends)]
    return not any(node.register in each.registers or each.zones or each.counts for each in read)


def goes_in_order(game: Game, node: model.MoveAll) -> bool:
    """Whether all that lies in one zone goes to another, one after another in its order."""
    if not goes_whole(game, node):
        return False
    assert isinstance(node.source, model.Members)
    family = next(family for family in game.zones if family.name == node.source.zone)
    return _single(family, node.source)


def lies_by_rows(game: Game, node: model.MoveAll) -> bool:
    """Whether what goes is laid in the order of the rows: who sees all of it can tell how it lies.

    It comes out of one zone that has no order, or is a set of components.
    """
    return _by_rows({family.name: family for family in game.zones}, node.source)


def _by_rows(families: dict[str, model.ZoneFamily], source: model.Expression) -> bool:
    match source:
        case model.Members(zone=zone):
            return not families[zone].ordered and _single(families[zone], source)
        case model.Unpacked(operand=operand):
            return isinstance(bare(operand.type), SetOf | Multiset)
        case model.Quantifier(word="those", clauses=(clause,)):
            return _by_rows(families, clause.source)
    return False


def take_alike(game: Game, node: model.MoveSome) -> bool:
    """Whether all that is taken is alike, so that its order is none."""
    families = {family.name: family for family in game.zones}
    orders = (families[source.zone].order for source in node.sources)
    return not any(order in ("stack", "queue", "random") for order in orders)


def told_piles(game: Game) -> frozenset[str]:
    """The zones with an order whose order is told, to who sees them, as they grow."""
    return _TOLD.of(game)


def _told_piles(game: Game) -> frozenset[str]:
    """The same, worked out.

    What comes there comes alone, or by rows. Where several are laid at once in another order, it is
    told only by what is seen when the game rests, and by then they may be gone.
    """
    apart = any(isinstance(each, model.TogetherStart) for each in game.code)
    told = {
        family.name
        for family in game.zones
        if family.ordered
        and family.refill is None
        # What others do in a `together` is told as the difference that it makes.
        and not (apart and any(isinstance(index, Player) for index in family.indexes))
    }
    for instruction, does in zip(game.code, effects_of(game), strict=True):
        told -= {zone.zone for zone in does.reorders}
        if not _told_alone(game, instruction):
            told -= {move.to.zone for move in does.moves}
    return frozenset(told)


_TOLD = Recent(_told_piles, 8)


def _told_alone(game: Game, instruction: model.Instruction) -> bool:
    match instruction:
        case model.MoveOne():
            return True
        case model.MoveSome():
            return way_of(game, instruction).alone
        case model.MoveAll():
            return lies_by_rows(game, instruction)
    return False
