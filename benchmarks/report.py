"""What a run found, for people and for machines.

Assumes: for each engine what each round counted, and what the check of it said.
Does: makes rates of counts, ratios of rates round by round (what slowed a round slowed both), and
of each the median and the spread.
Leaves behind: text; plain data for JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any


@dataclass(frozen=True, slots=True)
class Spread:
    """A figure with its doubts."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, figures: Sequence[float]) -> Spread:
        """The spread of some figures."""
        return cls(median(figures), min(figures), max(figures))

    def data(self) -> dict[str, float]:
        """As plain JSON, to five digits."""
        named = {"median": self.median, "min": self.least, "max": self.most}
        return {name: float(f"{value:.5g}") for name, value in named.items()}


@dataclass(slots=True)
class Row:
    """One engine and one game."""

    name: str
    title: str
    side: str
    """`ours` or `theirs`."""
    loop: str
    """`whole` or `stepped`; of a peer `inside`, `stepped` or `both`."""
    rounds: list[dict[str, float]] = field(default_factory=list)
    same: bool | None = None
    """Whether it plays the same game; None if it was not checked."""
    said: str = ""
    """What the check found, or why there are no figures."""
    notes: list[str] = field(default_factory=list)
    caveat: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    sample: dict[str, Any] = field(default_factory=dict)

    def rates(self, what: str) -> list[float]:
        """By round: so many a second of CPU time."""
        return [each[what] / each["cpu"] for each in self.rounds]

    def data(self) -> dict[str, Any]:
        """As plain JSON."""
        told: dict[str, Any] = {
            "name": self.name,
            "title": self.title,
            "loop": self.loop,
            "measured": bool(self.rounds),
            "same_game": self.same,
            "check": self.said,
            "notes": self.notes,
            "caveat": self.caveat,
            "versions": self.versions,
        }
        if self.rounds:
            told["playouts_per_second"] = Spread.of(self.rates("playouts")).data()
            told["moves_per_second"] = Spread.of(self.rates("decisions")).data()
            told["rounds"] = self.rounds
        if self.sample:
            told["sample"] = self.sample
        return told


@dataclass(frozen=True, slots=True)
class Ratio:
    """One of ours to one of theirs."""

    ours: str
    theirs: str
    times: Spread | None
    """None: not quoted."""
    why: str = ""
    caveat: str = ""

    def data(self) -> dict[str, Any]:
        """As plain JSON."""
        told: dict[str, Any] = {"ours": self.ours, "theirs": self.theirs}
        told["ratio"] = None if self.times is None else self.times.data()
        if self.why:
            told["not_quoted"] = self.why
        if self.caveat:
            told["caveat"] = self.caveat
        return told


def ratios(rows: Sequence[Row]) -> Iterator[Ratio]:
    """Ours to theirs, whole to whole and stepped to stepped, where both play the same game."""
    fits = {"whole": ("inside", "both"), "stepped": ("stepped", "both")}
    for mine in (row for row in rows if row.side == "ours" and row.rounds):
        for peer in (row for row in rows if row.side == "theirs" and row.rounds):
            if peer.loop not in fits[mine.loop]:
                continue
            wrong = next((row for row in (mine, peer) if not row.same), None)
            if wrong is not None:
                yield Ratio(mine.name, peer.name, None, f"{wrong.name}: {wrong.said}")
                continue
            pairs = zip(mine.rates("playouts"), peer.rates("playouts"), strict=True)
            times = Spread.of([here / there for here, there in pairs])
            yield Ratio(mine.name, peer.name, times, caveat=peer.caveat)


def number(value: float) -> str:
    """A figure with three digits that count."""
    if value >= 100:
        digits = len(str(int(value)))
        return f"{round(value, 3 - digits):,.0f}"
    return f"{value:.3g}" if value >= 0.001 else f"{value:.1e}"


def table(rows: Sequence[Row]) -> str:
    """The figures of one game, a line an engine."""
    lines = [f"  {'':44}{'playouts/s':>11}  {'min .. max':22}{'moves/s':>11}  same game?"]
    for row in rows:
        if not row.rounds:
            lines.append(f"  {row.title:44}{'-':>11}  not measured: {row.said}")
            continue
        rate = Spread.of(row.rates("playouts"))
        moves = Spread.of(row.rates("decisions"))
        span = f"{number(rate.least)} .. {number(rate.most)}"
        verdict = {True: "yes", False: "NO", None: ""}[row.same]
        said = f"{verdict}: {row.said}" if verdict and row.said else verdict
        figures = f"{number(rate.median):>11}  {span:22}{number(moves.median):>11}"
        lines.append(f"  {row.title:44}{figures}  {said}")
    return "\n".join(lines)


def ratio_table(found: Sequence[Ratio]) -> str:
    """Ratios, a line each."""
    lines = []
    for each in found:
        pair = f"{each.ours} / {each.theirs}"
        if each.times is None:
            lines.append(f"  {pair:48}no ratio: {each.why}")
        else:
            span = f"{number(each.times.least)} .. {number(each.times.most)}"
            also = f"  {each.caveat}" if each.caveat else ""
            lines.append(f"  {pair:48}{number(each.times.median):>9} x  ({span}){also}")
    return "\n".join(lines)


def summary(games: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Of the JSON of all games: a line for each pair, with the ratio in each game that has one."""
    pairs: dict[str, list[str]] = {}
    for game in games:
        for each in game["ratios"]:
            if each["ratio"] is not None:
                mark = "*" if each.get("caveat") else ""
                told = f"{game['game']} {number(each['ratio']['median'])}{mark}"
                pairs.setdefault(f"{each['ours']} / {each['theirs']}", []).append(told)
    for pair, told_of in pairs.items():
        yield f"  {pair}: {', '.join(told_of)}"
    if any("*" in told for told_of in pairs.values() for told in told_of):
        yield "  (*: with a caveat, which its table tells)"


def contended(rows: Sequence[Row]) -> float:
    """How much longer the clock ran than the processor worked for us, over all rounds."""
    wall = sum(each["wall"] for row in rows for each in row.rounds)
    cpu = sum(each["cpu"] for row in rows for each in row.rounds)
    return wall / cpu if cpu else 1.0
