"""Which of many answers are shown where there is no room for all.

Assumes of what sort each answer is, in their order, and which sorts only go besides a question.
Leaves behind the places of those that are shown: some of every sort.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest


def fair(
    kinds: Sequence[int], room: int, besides: Callable[[int], bool] = lambda _: False
) -> list[int]:
    """The places of what is shown where there is room for so many: some of every kind, in order.

    What there is much of leaves room for what there is little of. Of what only goes `besides`
    there is one of each kind, the last first, for it ends the question, on no more than half of the
    room, until all else is shown.

    >>> fair([1, 1, 1, 1, 1, 2, 3, 3], 5)
    [0, 1, 5, 6, 7]
    >>> fair([1, 1, 1, 2, 3, 3, 3], 5, lambda kind: kind == 3)
    [0, 1, 2, 3, 4]
    >>> fair([1, 1, 1, 1, 2, 3], 3, lambda kind: kind > 1)
    [0, 1, 5]
    """
    return sorted(in_order_of_need(kinds, room, besides)[:room])


def in_order_of_need(kinds: Sequence[int], room: int, besides: Callable[[int], bool]) -> list[int]:
    """All places, those that are to be shown first ahead, where there is room for so many."""
    places: dict[int, list[int]] = {}
    for at, kind in enumerate(kinds):
        places.setdefault(kind, []).append(at)
    main = [each for kind, each in places.items() if not besides(kind)]
    rest = [each for kind, each in places.items() if besides(kind)]
    ahead = [each[0] for each in reversed(rest)][: room // 2 if main else room]
    return [*ahead, *_in_turns(main), *(at for at in _in_turns(rest) if at not in ahead)]


def _in_turns(lists: Sequence[Sequence[int]]) -> list[int]:
    """The first of each, then the second of each, and so on."""
    return [found for each in zip_longest(*lists) for found in each if found is not None]
