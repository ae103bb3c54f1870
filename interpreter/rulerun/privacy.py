"""What an expression looks at, and who may know it.

Assumes: a checked game.
Does: collects the names of all that an expression may read, through the functions it calls; asks
the visibility that zones and variables declare.
Leaves behind: names, and masks of viewers (bit p for player p; the bit behind the last player is
the spectator).

An expression looks at more than its value tells, so what it reads is taken widely: a name read in
a branch that is not taken counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import reduce
from typing import Any

from rulerun.evaluate import Evaluator, Run
from rulerun.tables import Instance, VariableTable
from rulerun_dsl import model
from rulerun_dsl.model import OWNER, SPECTATOR, VIEWER, Expression, Game


@dataclass(frozen=True, slots=True)
class Reads:
    """What an expression may read."""

    variables: frozenset[str] = frozenset()
    zones: frozenset[str] = frozenset()
    """Families of which it reads what lies where."""
    counts: frozenset[str] = frozenset()
    """Families of which it reads only how much lies there."""
    locals: frozenset[tuple[int, str]] = frozenset()
    """Offset and name."""
    registers: frozenset[int] = frozenset()
    """Those that it does not set itself."""

    def __or__(self, other: Reads) -> Reads:
        return Reads(
            self.variables | other.variables,
            self.zones | other.zones,
            self.counts | other.counts,
            self.locals | other.locals,
            self.registers | other.registers,
        )

    @property
    def state(self) -> bool:
        """Whether it reads anything of the state."""
        return bool(self.variables or self.zones or self.counts or self.locals)

    def without(self, registers: frozenset[int]) -> Reads:
        """The same with registers that are set inside."""
        return Reads(
            self.variables, self.zones, self.counts, self.locals, self.registers - registers
        )


NOTHING = Reads()


def parts(node: Any) -> Iterator[Expression]:
    """The expressions directly inside an expression."""
    for item in fields(node):
        yield from _expressions(getattr(node, item.name))


def _expressions(value: Any) -> Iterator[Expression]:
    if isinstance(value, Expression):
        yield value
    elif isinstance(value, model.Clause):
        yield value.source
        if value.condition is not None:
            yield value.condition
    elif isinstance(value, tuple):
        for item in value:
            yield from _expressions(item)


def reads(game: Game, node: Expression) -> Reads:
    """What an expression may read, through the functions it calls."""
    inside = (reads(game, part) for part in parts(node))
    below = reduce(Reads.__or__, inside, NOTHING)
    if (empty := asked_if_empty(node)) is not None:
        indexes = (reads(game, part) for part in parts(empty))
        return reduce(Reads.__or__, indexes, Reads(counts=frozenset((empty.zone,))))
    match node:
        case model.Variable(name=name):
            return below | Reads(variables=frozenset((name,)))
        case model.Local(offset=offset, name=name):
            return below | Reads(locals=frozenset(((offset, name),)))
        case model.Register(index=index):
            return below | Reads(registers=frozenset((index,)))
        case model.Members(zone=zone) | model.Occupant(zone=zone):
            return below | Reads(zones=frozenset((zone,)))
        case model.SiteOf(zone=zone):
            return below | Reads(zones=frozenset((zone,)))
        case model.OfKind(kind=kind) | model.State(kind=kind):
            return below | Reads(zones=frozenset(_zones(game, kind)))
        case model.FunctionCall(function=function):
            return below | _of_function(game, function)
        case model.SlotCall(functions=functions):
            bodies = (_of_function(game, function) for function in functions)
            return reduce(Reads.__or__, bodies, below)
        case model.Built(clause=clause, relation=relation):
            if relation is not None:
                below |= _of_function(game, relation)
            return below if clause is None else below.without(frozenset((clause.register,)))
        case model.Quantifier(clauses=clauses):
            (first, *more) = clauses
            if node.word == "count" and not more and node.value is None:
                source = first.source
                if first.condition is None and isinstance(source, model.Members):
                    indexes = (reads(game, part) for part in parts(source))
                    counted = Reads(counts=frozenset((source.zone,)))
                    return reduce(Reads.__or__, indexes, counted)
            return below.without(frozenset(clause.register for clause in clauses))
        case _:
            return below


def asked_if_empty(node: Expression) -> model.Occupant | None:
    """The zone for one of which an expression asks only whether something is there."""
    match node:
        case model.Comparison(
            operator="==" | "!=", left=model.Occupant() as zone, right=model.Literal(value=None)
        ):
            return zone
        case _:
            return None


_FUNCTIONS: list[tuple[Game, dict[int, Reads]]] = []
"""What the functions of the last few games read, worked out once."""


def _of_function(game: Game, number: int) -> Reads:
    known = next((found for other, found in _FUNCTIONS if other is game), None)
    if known is None:
        known = {}
        _FUNCTIONS.insert(0, (game, known))
        del _FUNCTIONS[8:]
    if number not in known:
        function = game.functions[number]
        below = reads(game, function.body)
        known[number] = below.without(frozenset(function.parameters))
    return known[number]


def _zones(game: Game, kind: str) -> tuple[str, ...]:
    return next(item.zones for item in game.kinds if item.name == kind)


class Masks:
    """Who may see what, as masks of viewers."""

    def __init__(self, evaluator: Evaluator) -> None:
        """Compile every visibility of the game."""
        self.evaluator = evaluator
        self.game = evaluator.game
        self.players = len(self.game.players)
        self.all = (1 << self.players + 1) - 1
        self._compiled: dict[int, tuple[Run, bool]] = {}
        self._fixed: dict[tuple[int, int | None], int] = {}

    def of(
        self, condition: Expression, owner: int | None, slots: Sequence[int], registers: list[Any]
    ) -> int:
        """The viewers for whom a visibility holds."""
        number = id(condition)
        if number not in self._compiled:
            steady = not reads(self.game, condition).state
            self._compiled[number] = self.evaluator.compile(condition), steady
        run, steady = self._compiled[number]
        if steady and (number, owner) in self._fixed:
            return self._fixed[number, owner]
        base = self.game.layout.base
        mask = 0
        kept = registers[VIEWER], registers[OWNER]
        registers[OWNER] = owner
        for viewer in range(SPECTATOR, self.players):
            registers[VIEWER] = viewer
            if run(slots, base, registers):
                mask |= 1 << (self.players if viewer == SPECTATOR else viewer)
        registers[VIEWER], registers[OWNER] = kept
        if steady:
            self._fixed[number, owner] = mask
        return mask

    def members(self, zone: Instance, slots: Sequence[int], registers: list[Any]) -> int:
        """Who sees what lies in a zone."""
        return self.of(zone.family.visible, zone.owner, slots, registers)

    def count(self, zone: Instance, slots: Sequence[int], registers: list[Any]) -> int:
        """Who sees how much lies in a zone."""
        counted = self.of(zone.family.count_visible, zone.owner, slots, registers)
        return counted | self.members(zone, slots, registers)

    def variable(
        self,
        table: VariableTable,
        indexes: tuple[int, ...],
        slots: Sequence[int],
        registers: list[Any],
    ) -> int:
        """Who sees a variable."""
        owner = None if table.owner is None else indexes[table.owner]
        return self.of(table.variable.visible, owner, slots, registers)
