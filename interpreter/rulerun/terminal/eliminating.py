"""What lies in the one zone whose contents nobody shows: all that is not seen elsewhere.

Assumes an observation, which says of each component where it lies, or how many lie hidden.
Does: where just one zone of a kind is hidden, and is of a player, takes what the viewer sees from
all that there is.
Nothing is told that the viewer could not find by counting.
Leaves behind the zones, with what the viewer knows of that one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from rulerun.views.observation import Seen, SeenZone
from rulerun.words.labels import is_player
from rulerun_dsl.model import Game, Kind


def told_by_counting(game: Game, zones: Sequence[SeenZone]) -> list[SeenZone]:
    """The zones of an observation, with what is known of one that alone is hidden."""
    found = list(zones)
    for kind in game.kinds:
        # What has attributes, or goes by owners that are no players, is not told apart by counting.
        if kind.attributes or (kind.owner is not None and not is_player(kind.owner)):
            continue
        mine = [at for at, zone in enumerate(found) if zone.kind == kind.name]
        hidden = [at for at in mine if found[at].components is None and found[at].count != 0]
        # What a player holds: nobody counts what is left in a pile to draw from.
        if len(hidden) == 1 and set(found[hidden[0]].indexes) & set(game.players):
            seen = [one for at in mine for one in found[at].components or ()]
            left = _left(game, kind, found[hidden[0]], seen)
            if left is not None:
                found[hidden[0]] = replace(found[hidden[0]], known=left)
    return found


def _left(
    game: Game, kind: Kind, zone: SeenZone, seen: Collection[Seen]
) -> tuple[Seen, ...] | None:
    """All of a kind that is not seen; None if these are not as many as lie in the zone."""
    there: Counter[tuple[str, str | None]] = Counter()
    for class_, copies in enumerate(kind.copies):
        row, owner = divmod(class_, kind.owners)
        there[kind.rows[row], None if kind.owner is None else game.players[owner]] += copies
    there.subtract((one.row, one.owner) for one in seen)
    if min(there.values(), default=0) < 0 or there.total() != zone.count:
        return None
    return tuple(
        Seen(row if owner is None or owner in zone.indexes else f"{row} of {owner}", row, owner)
        for (row, owner), count in there.items()
        for _ in range(count)
    )
