"""How the values of an action's parameter are numbered.

Assumes: `model.Domain`s whose facets come in the order the model gives: row, owner, zone,
attributes; the first slowest.
Does: numbers a value, or a component, inside its domain.
Leaves behind: places, from which `actions` makes the id of a whole action.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rulerun.runtime.components import Components, kind_of
from rulerun.runtime.index import KindTable
from rulerun_dsl.model import Domain

Placing = Callable[[Sequence[int], Any], int | None]
"""From the state and a value to where it stands in its domain; None: it does not belong there."""


def placing(components: Components, domain: Domain) -> Placing:
    """How the values of a domain (not of several) are numbered."""
    kind = kind_of(components.tables, domain.of)
    low, size = domain.low, domain.size
    if kind is None:
        none = components.tables.none_code(domain.of)

        def value_at(slots: Sequence[int], value: Any) -> int | None:
            at = (none if value is None else int(value)) - low
            return at if 0 <= at < size else None

        return value_at
    if domain.owner or domain.zones or domain.attributes:
        return _with_facets(components, kind, domain)
    row_and_owner = components.tables.row_and_owner

    def row_at(slots: Sequence[int], component: Any) -> int | None:
        if component is None:
            return None
        at = row_and_owner(kind, component)[0] - low
        return at if 0 <= at < size else None

    return row_at


def _with_facets(components: Components, kind: KindTable, domain: Domain) -> Placing:
    zones = {zone: place for place, group in enumerate(domain.zones) for zone in group}
    groups = len(domain.zones)
    attributes = [(kind.attribute(name).base, low, size) for name, low, size in domain.attributes]

    def at(slots: Sequence[int], component: Any) -> int | None:
        if component is None:
            return None
        row, owner = components.tables.row_and_owner(kind, component)
        at = row - domain.low
        if domain.owner:
            at = at * kind.kind.owners + owner
        if zones:
            zone = components.zone_of(slots, kind, component)
            if zone not in zones:
                return None
            at = at * groups + zones[zone]
        for base, low, size in attributes:
            at = at * size + slots[base + component] - low
        return at if 0 <= at < domain.size else None

    return at
