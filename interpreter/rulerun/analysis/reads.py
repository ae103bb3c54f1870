"""What an expression reads.

Assumes: a checked game.
Does: collects the names of everything that an expression may read, through the functions it calls;
tells how many binders must be bound for that.
Leaves behind: names.

Evaluating an expression looks at more than its value tells, so the set is generous: a name counts
even in a branch that is not taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce

from rulerun_dsl import model
from rulerun_dsl.model import Expression, Game
from rulerun_dsl.model.traversal import parts
from rulerun_dsl.source.frozen import frozen


@frozen
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
    running: bool = False
    """Whether it asks which procedures run."""

    def __or__(self, other: Reads) -> Reads:
        return Reads(
            self.variables | other.variables,
            self.zones | other.zones,
            self.counts | other.counts,
            self.locals | other.locals,
            self.registers | other.registers,
            self.running or other.running,
        )

    @property
    def state(self) -> bool:
        """Whether it reads anything of the state."""
        found = self.variables or self.zones or self.counts or self.locals or self.running
        return bool(found)

    def without(self, registers: frozenset[int]) -> Reads:
        """The same with registers that are set inside."""
        return Reads(
            self.variables,
            self.zones,
            self.counts,
            self.locals,
            self.registers - registers,
            self.running,
        )


NOTHING = Reads()


def last_register(node: Expression) -> int:
    """The last register that an expression reads or binds; -1: none."""
    own = [node.index] if isinstance(node, model.Register) else []
    match node:
        case model.Quantifier(clauses=clauses):
            own += [clause.register for clause in clauses]
        case model.BuiltinCall(clause=model.Clause(register=register)):
            own.append(register)
    return max([*own, *map(last_register, parts(node))], default=-1)


def conjuncts(conditions: Iterable[Expression]) -> Iterator[Expression]:
    """The parts of conditions that must all hold, in their order."""
    for condition in conditions:
        if isinstance(condition, model.And):
            yield from conjuncts(condition.operands)
        else:
            yield condition


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
        case model.After(arguments=arguments, value=value):
            # What the procedure names on its way has no value where the question is asked.
            asked = (reads(game, part) for part in (*arguments, value))
            return replace(below, locals=reduce(Reads.__or__, asked, NOTHING).locals)
        case model.Running():
            return below | Reads(running=True)
        case model.Members(zone=zone) | model.Occupant(zone=zone):
            return below | Reads(zones=frozenset((zone,)))
        case model.SiteOf(zone=zone):
            return below | Reads(zones=frozenset((zone,)))
        case model.State(component=model.Occupant()):
            # What lies there is seen with its attributes, and looked at nowhere else.
            return below
        case model.OfKind(kind=kind) | model.State(kind=kind):
            return below | Reads(zones=frozenset(_zones(game, kind)))
        case model.FunctionCall(function=function):
            return below | _of_function(game, function)
        case model.SlotCall(functions=functions):
            bodies = (_of_function(game, function) for function in functions)
            return reduce(Reads.__or__, bodies, below)
        case model.BuiltinCall(clause=clause, relation=relation):
            if relation is not None:
                below |= _of_function(game, relation)
            return below if clause is None else below.without(frozenset((clause.register,)))
        case model.Quantifier(clauses=clauses):
            if (counted := only_counted(node)) is not None:
                indexes = (reads(game, part) for part in parts(counted))
                return reduce(Reads.__or__, indexes, Reads(counts=frozenset((counted.zone,))))
            return below.without(frozenset(clause.register for clause in clauses))
        case _:  # it reads nothing but what its parts read
            return below


def bound(game: Game, registers: Sequence[int], node: Expression) -> int:
    """How many binders, of those with these registers, must be bound for an expression."""
    needed = reads(game, node).registers
    return max((at + 1 for at, one in enumerate(registers) if one in needed), default=0)


def only_counted(node: model.Quantifier) -> model.Members | None:
    """The zone of which a word asks only how much lies there."""
    clause, *more = node.clauses
    itself = isinstance(node.value, model.Register) and node.value.index == clause.register
    if node.word != "count" or more or clause.condition is not None:
        return None
    counts = node.value is None or itself
    return clause.source if counts and isinstance(clause.source, model.Members) else None


def asked_if_empty(node: Expression) -> model.Occupant | None:
    """The zone for one of which an expression asks only whether something is there."""
    match node:
        case model.Comparison(
            operator="==" | "!=", left=model.Occupant() as zone, right=model.Literal(value=None)
        ):
            return zone
        case _:  # anything else asks more
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
