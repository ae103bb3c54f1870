"""Sums over pairs of whole numbers, from which means, ratios and their intervals are computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from operator import mul

from rulerun_dsl.source.frozen import slotted


@slotted
class Moments:
    """Sums over pairs of numbers: of each, of their squares, of their products."""

    a: int = 0
    b: int = 0
    aa: int = 0
    bb: int = 0
    ab: int = 0

    def count(self, ones: Sequence[int], others: Sequence[int]) -> None:
        """Add pairs."""
        self.a += sum(ones)
        self.b += sum(others)
        self.aa += sum(map(mul, ones, ones))
        self.bb += sum(map(mul, others, others))
        self.ab += sum(map(mul, ones, others))

    def one(self, a: int, b: int) -> None:
        """Add a pair."""
        self.a += a
        self.b += b
        self.aa += a * a
        self.bb += b * b
        self.ab += a * b

    def add(self, other: Moments) -> None:
        """Add sums."""
        self.a += other.a
        self.b += other.b
        self.aa += other.aa
        self.bb += other.bb
        self.ab += other.ab

    def data(self) -> list[int]:
        """The sums in the order of their names."""
        return list(astuple(self))

    @property
    def difference(self) -> int:
        """B less A, added up."""
        return self.b - self.a

    @property
    def squares(self) -> int:
        """The squares of the differences, added up."""
        return self.aa + self.bb - 2 * self.ab
