"""The words on boards, `go`, `neighbours`, `line` and so on; and `reverse` and `around`.

Assumes: boards whose `go` and `neighbours` were worked out at load.
Does: walks them. `reverse` and `around` need no board: they walk a collection another way round.
Leaves behind: closures, as `evaluate` does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rulerun.reference.compiler import Compiler
from rulerun.runtime.closures import Run
from rulerun_dsl import model
from rulerun_dsl.model import Board

Onward = Callable[[int], Iterable[int]]
"""From a site to those one step away."""


class Boards:
    """The words on boards of one game."""

    def __init__(self, compiler: Compiler) -> None:
        """Compile the parts with `compiler`."""
        self.compiler = compiler

    def compile(self, node: model.BuiltinCall) -> Run:
        """The closure of a word."""
        runs = [self.compiler.compile(argument) for argument in node.arguments]
        board = self.compiler.tables.boards.get(node.board)
        if node.word in ("reach", "distance"):
            return self._reaching(node, runs, board)
        assert board is not None
        match node.word:
            case "go":
                return _go(board, runs)
            case "site":
                return _site(board, *runs)
            case "ray":
                return _ray(board, *runs)
            case "neighbours":
                (site,) = runs
                return lambda s, b, r: _neighbours(board, site(s, b, r))
            case "line":
                return self._line(node, board, *runs)
            case "path":
                return self._path(node, board, *runs)
            case _:
                raise AssertionError(f"no meaning for the word {node.word}")

    def _passing(self, node: model.BuiltinCall) -> Run:
        """The sites that pass the clause."""
        assert node.clause is not None
        source = self.compiler.budget.members(
            self.compiler.compile(node.clause.source),
            node.clause.source.span,
            self.compiler.budget.effort.counts(node),
        )
        condition = self.compiler.test(node.clause.condition)
        register = node.clause.register

        def passing(s: Sequence[int], b: int, r: list[Any]) -> set[int]:
            found = set()
            for site in source(s, b, r):
                r[register] = site
                if condition is None or condition(s, b, r):
                    found.add(site)
            return found

        return passing

    def _line(self, node: model.BuiltinCall, board: Board, length: Run) -> Run:
        passing = self._passing(node)

        def line(s: Sequence[int], b: int, r: list[Any]) -> bool:
            wanted = length(s, b, r)
            sites = passing(s, b, r)
            if wanted is None or len(sites) < wanted:
                return False
            return any(sites.issuperset(one) for one in lines_of(board, wanted))

        return line

    def _path(self, node: model.BuiltinCall, board: Board, start: Run, goal: Run) -> Run:
        passing = self._passing(node)

        def path(s: Sequence[int], b: int, r: list[Any]) -> bool:
            goals = set(goal(s, b, r))
            starts = list(start(s, b, r))
            return not goals.isdisjoint(_among(board, starts, passing(s, b, r)))

        return path

    def _reaching(self, node: model.BuiltinCall, runs: list[Run], board: Board | None) -> Run:
        step_of = self._step(node, runs, board)
        start = runs[0]
        if node.word == "distance":
            goal = runs[1]

            def distance(s: Sequence[int], b: int, r: list[Any]) -> int | None:
                one, other = start(s, b, r), goal(s, b, r)
                if one is None or other is None:
                    return None
                return _spread([one], step_of(s, b, r)).get(other)

            return distance

        passing = None if node.clause is None or board is None else self._passing(node)

        def reach(s: Sequence[int], b: int, r: list[Any]) -> list[int]:
            starts = start(s, b, r)
            if starts is None:
                return []
            some = [starts] if isinstance(starts, int) else list(starts)
            if passing is not None and board is not None:
                return sorted(_among(board, some, passing(s, b, r)))
            return sorted(_spread(some, step_of(s, b, r)))

        return reach

    def _step(
        self, node: model.BuiltinCall, runs: list[Run], board: Board | None
    ) -> Callable[[Sequence[int], int, list[Any]], Onward]:
        """How `reach` and `distance` go from a site to the next ones."""
        if node.relation is None:
            assert board is not None
            return lambda s, b, r: board.neighbours.__getitem__
        body = self.compiler.function(node.relation)
        *registers, register = self.compiler.tables.game.functions[node.relation].parameters
        given = runs[len(runs) - len(registers) :] if registers else []

        def related(s: Sequence[int], b: int, r: list[Any]) -> Onward:
            values = [run(s, b, r) for run in given]

            def onward(site: int) -> Iterable[int]:
                for at, value in zip(registers, values, strict=True):
                    r[at] = value
                r[register] = site
                found = body(s, b, r)
                if found is None:
                    return ()
                if isinstance(found, int):
                    return (found,)
                return [near for near in found if near is not None]

            return onward

        return related


def _spread(starts: list[int], step: Onward) -> dict[int, int]:
    """How far each site is that can be reached."""
    far = dict.fromkeys(starts, 0)
    waiting = deque(far)
    while waiting:
        site = waiting.popleft()
        for near in step(site):
            if near not in far:
                far[near] = far[site] + 1
                waiting.append(near)
    return far


def _among(board: Board, starts: list[int], sites: set[int]) -> dict[int, int]:
    """The same among some sites: who begins on another one gets nowhere."""
    return _spread(
        [site for site in starts if site in sites],
        lambda site: (near for near in board.neighbours[site] if near in sites),
    )


def lines_of(board: Board, length: int) -> tuple[tuple[int, ...], ...]:
    """All rows of so many sites in one direction, each once."""
    found: dict[frozenset[int], tuple[int, ...]] = {}
    for go in board.go:
        for start in range(len(board.sites)):
            line = [start]
            while len(line) < length and (onward := go[line[-1]]) is not None:
                line.append(onward)
            if len(line) == length:
                found.setdefault(frozenset(line), tuple(line))
    return tuple(found.values())


def _go(board: Board, runs: list[Run]) -> Run:
    site, direction = runs[0], runs[1]
    steps = runs[2] if len(runs) > 2 else None
    back = backwards(board)

    def go(s: Sequence[int], b: int, r: list[Any]) -> int | None:
        here, way = site(s, b, r), direction(s, b, r)
        many = 1 if steps is None else steps(s, b, r)
        if here is None or way is None or many is None:
            return None
        return gone(board, back, here, way, many)

    return go


def rays(board: Board) -> tuple[tuple[int, ...], ...]:
    """By direction, then by site: the sites from there on, each once."""
    found = []
    for step in board.go:
        for start in range(len(board.sites)):
            ray: list[int] = []
            here = step[start]
            while here is not None and here != start:
                ray.append(here)
                here = step[here]
            found.append(tuple(ray))
    return tuple(found)


def _ray(board: Board, site: Run, direction: Run) -> Run:
    whole, sites = rays(board), len(board.sites)
    return lambda s, b, r: whole[site(s, b, r) + direction(s, b, r) * sites]


Ways = tuple[tuple[int | None, ...], ...]
"""By direction and site: the site one step on."""


def gone(board: Board, back: Ways, site: int, way: int, many: int) -> int | None:
    """The site so many steps in a direction; by `back`, if that is a negative number."""
    sites = len(board.sites)
    step = board.go[way] if many >= 0 else back[way]
    many = abs(many) % sites if board.shape == "ring" else min(abs(many), sites)
    here: int | None = site
    for _ in range(many):
        if here is None:
            return None
        here = step[here]
    return here


def backwards(board: Board) -> Ways:
    """`backwards[direction][site]`: the site from which a step in that direction leads here."""
    found = []
    for step in board.go:
        back = {to: site for site, to in enumerate(step) if to is not None}
        found.append(tuple(back.get(site) for site in range(len(step))))
    return tuple(found)


def _site(board: Board, row: Run, column: Run) -> Run:
    places = {place: site for site, place in enumerate(zip(board.rows, board.columns, strict=True))}
    return lambda s, b, r: places.get((row(s, b, r), column(s, b, r)))


def _neighbours(board: Board, site: int | None) -> Sequence[int]:
    return () if site is None else board.neighbours[site]
