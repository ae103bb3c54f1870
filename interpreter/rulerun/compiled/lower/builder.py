"""What all of the lowering shares: names, addresses, functions, and what a value may be.

Assumes: a checked `Game`.
Does: holds the tables of a game and the parts of the program that are made so far; turns families
with indexes into addresses, with checks where the type of an index does not rule an error out.
Leaves behind: `Builder`, on which the other modules of the lowering stand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import prod

from rulerun.analysis.effort import effort_of
from rulerun.analysis.touching import variables_written
from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import FRAME, NameAllocator
from rulerun.compiled.ir.program import Unsupported
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.ir.value import LEAST, MOST, NONE, Value
from rulerun.compiled.lower.spreading import spread, unspread, words_in, words_of
from rulerun.reference.evaluate import Evaluator
from rulerun.reference.multi_choice import bindings
from rulerun.reference.visibility import Visibility
from rulerun.runtime.batch import arms
from rulerun.runtime.components import Components
from rulerun.runtime.index import Attribute, GameIndex, KindTable, VariableTable, strides_of
from rulerun_dsl import model
from rulerun_dsl.model import Expression, Game
from rulerun_dsl.model.valuetypes import (
    WORD,
    Int,
    Multiset,
    NoneType,
    Optional,
    SetOf,
    Type,
    bare,
)
from rulerun_dsl.source.frozen import frozen


@frozen
class Chosen:
    """What a choice of several chose: which multiset of its domain, a name for it."""

    place: Value
    option: model.Option
    binder: int

    def at(self, place: Value) -> Chosen:
        """The same under another name for which multiset it is."""
        return Chosen(place, self.option, self.binder)


Scope = Mapping[int, "Value | Chosen"]
"""By register: what it holds."""


def const(value: int | None) -> ir.Const:
    """A number, or none."""
    return ir.Const(NONE if value is None else int(value))


def plus(left: Value, right: Value | int) -> Value:
    """A sum, with constants added up."""
    other = ir.Const(right) if isinstance(right, int) else right
    if isinstance(left, ir.Const) and isinstance(other, ir.Const):
        return ir.Const(left.value + other.value)
    if isinstance(other, ir.Const):
        if other.value == 0:
            return left
        match left:
            case ir.Binary("+", inner, ir.Const(value)):
                return plus(inner, value + other.value)
        if other.value < 0:
            return ir.Binary("-", left, ir.Const(-other.value))
    if isinstance(left, ir.Const):
        return plus(other, left)
    return ir.Binary("+", left, other)


def times(left: Value, factor: int) -> Value:
    """A product with a constant."""
    if factor == 1:
        return left
    if isinstance(left, ir.Const):
        return ir.Const(left.value * factor)
    return ir.Binary("*", left, ir.Const(factor))


def binary(operator: str, left: Value, right: Value | int) -> Value:
    """A binary expression."""
    return ir.Binary(operator, left, ir.Const(right) if isinstance(right, int) else right)


def may_fail(value: object) -> bool:
    """Whether evaluating may fail the run, as far as is plain to see."""
    if isinstance(value, ir.Checked | ir.Call):
        return True
    return any(may_fail(part) for part in ir.inside(value))


def remainder(value: Value, by: int) -> Value:
    """The remainder by a constant; by 1 nothing but the checks of the value is left of it."""
    return ir.Const(0) if by == 1 and not may_fail(value) else binary("%", value, by)


def quotient(value: Value, by: int) -> Value:
    """The quotient by a constant, rounded down."""
    return value if by == 1 else binary("//", value, by)


WIDEST = 512
"""Bits of a set that machine code holds as one number."""


@dataclass
class Builder:
    """A program in the making."""

    game: Game
    coverage: bool = False
    observed: bool = True
    any_size: bool = True
    """Whether a slot may have as many bits as one likes; else 64, and a set may take several."""
    widest: int = WIDEST
    """How many bits such a set has at most."""
    floods: bool = False
    """Whether searches visit all sites of one distance at once, where they can."""
    functions: dict[str, ir.Function] = field(default_factory=dict)
    listers: dict[str, ir.Lister] = field(default_factory=dict)
    tables_made: dict[tuple[int, ...], str] = field(default_factory=dict)
    lists_made: dict[tuple[tuple[int, ...], ...], str] = field(default_factory=dict)
    questions: list[ir.Question] = field(default_factory=list)
    togethers: list[ir.Together] = field(default_factory=list)
    supposed: set[int] = field(default_factory=set)
    """The entries of procedures that a question supposes to have run."""

    def __post_init__(self) -> None:
        """Look everything up."""
        self.spread = unspread(self.game) if self.any_size else spread(self.game)
        self.game = self.spread.game
        self.tables = GameIndex(self.game)
        for name, table in self.tables.variables.items():
            self.tables.variables[name] = self._as_wide_as(table)
        self.components = Components(self.tables)
        self.evaluator = Evaluator(self.tables, self.components)
        self.visibility = Visibility(self.evaluator)
        self.effort = effort_of(self.game)
        self.exact = self.coverage or self.effort.counted
        """Whether what is asked is counted, and so must be asked as often as the reference asks."""
        self.layout = self.game.layout
        self.players = len(self.game.players)
        self.framed = self.layout.frames > 1
        self.names = NameAllocator()
        self.wide = False
        """Whether a function is given, or gives, a set that may have more than 64 bits."""
        self._made: dict[object, str] = {}
        self._body: list[Statement] = []
        self._nodes: dict[int, object] = {}
        ways = arms(self.game)
        self._arms = {(arm.instruction, arm.to): number for number, arm in enumerate(ways)}
        self._number_of_arms = len(ways)
        self.option_of = bindings(self.game)

    def _as_wide_as(self, table: VariableTable) -> VariableTable:
        """A variable with as many slots as its values take."""
        many = self.words(table.variable.type)
        if many == 1:
            return table
        return replace(table, width=many, strides=strides_of(table.variable.sizes, many))

    # ---------------------------------------------------------------------------- statements

    def emit(self, *statements: Statement) -> None:
        """Add to the block that is written."""
        self._body.extend(statements)

    @contextmanager
    def block(self) -> Iterator[list[Statement]]:
        """Write another block meanwhile."""
        outer, self._body = self._body, []
        try:
            yield self._body
        finally:
            self._body = outer

    def body_of(self, write: Callable[[], None]) -> Body:
        """The block that `write` writes."""
        with self.block() as body:
            write()
        return tuple(body)

    def when(
        self,
        condition: Value,
        then: Callable[[], None],
        otherwise: Callable[[], None] | None = None,
    ) -> None:
        """One of two blocks."""
        yes = self.body_of(then)
        no = () if otherwise is None else self.body_of(otherwise)
        self.emit(ir.If(condition, yes, no))

    def keep(self, name: str, value: Value) -> ir.Var:
        """A local number with a value."""
        var = ir.Var(self.fresh(name))
        self.emit(ir.Assign(var.name, value))
        return var

    @property
    def counters_of_code(self) -> int:
        """How many counters of coverage are of code; those of functions stand behind them."""
        return len(self.game.code) + self._number_of_arms if self.coverage else 0

    def written_runs(self, entry: int) -> tuple[tuple[int, int], ...] | None:
        """The runs of slots that a procedure may write beside those of frames; None: any."""
        names = variables_written(self.game, entry)
        if names is None:
            return None
        tables = [self.tables.variables[name] for name in names]
        found = ((each.base, each.width * prod(each.variable.sizes)) for each in tables)
        return tuple(sorted(found))

    def counts(self, node: Expression) -> bool:
        """Whether the members that a word goes through are counted."""
        return self.effort.counts(node)

    def spend(self, counted: bool) -> None:
        """Count an evaluation."""
        if counted:
            self.emit(ir.Spend())

    def count_call(self, function: int) -> None:
        """Count a call of a function of the rules, for coverage and against the budget."""
        if self.coverage:
            self.emit(ir.Count(self.counters_of_code + function))
        self.spend(self.effort.counts_calls(function))

    def go(self, at: int, to: int) -> None:
        """Go on from an instruction at another."""
        if self.coverage and (at, to) in self._arms:
            self.emit(ir.Count(len(self.game.code) + self._arms[at, to]))
        self.emit(ir.Jump(ir.Const(to)))

    # --------------------------------------------------------------------------------- names

    def fresh(self, name: str) -> str:
        """A name that nothing else has."""
        return self.names.fresh(name)

    def columns(self, width: int) -> tuple[str, ...]:
        """Names for the numbers of a row."""
        return tuple(self.fresh("c") for _ in range(width))

    def number_of(self, node: object) -> int:
        """A number for a node of the model, for as long as the builder lives."""
        self._nodes[id(node)] = node
        return id(node)

    def function(
        self,
        key: object,
        name: str,
        parameters: Sequence[str],
        about: str,
        write: Callable[..., None],
        remembered: bool = False,
    ) -> str:
        """The name of a function, which is written when first asked for.

        `write` is given its parameters, one for each word of `parameters`.
        """
        if key not in self._made:
            unique = self._made[key] = self.names.unique(name)
            given = [ir.Var(self.fresh(word)) for word in parameters]
            body = self.body_of(lambda: write(*given))
            self.functions[unique] = ir.Function(
                unique, tuple(one.name for one in given), body, about, self.framed, remembered
            )
        return self._made[key]

    def lister(
        self, name: str, width: int, most: int, about: str, write: Callable[[], None]
    ) -> str:
        """The name of a lister, written at once."""
        unique = self.names.unique(name)
        body = self.body_of(write)
        self.listers[unique] = ir.Lister(unique, width, max(1, most), body, about)
        return unique

    def table(self, name: str, values: Sequence[int | None]) -> str:
        """The name of a constant table."""
        entries = tuple(NONE if value is None else int(value) for value in values)
        if entries not in self.tables_made:
            self.tables_made[entries] = self.names.unique(name.upper())
        return self.tables_made[entries]

    def entry(self, name: str, values: Sequence[int | None], index: Value) -> Value:
        """An entry of a table; constant if all are the same, and the index needs no check."""
        if len(set(values)) == 1 and not may_fail(index):
            return const(values[0])
        if isinstance(index, ir.Const):
            return const(values[index.value])
        if all(value == at for at, value in enumerate(values)):
            return index
        return ir.TableLoad(self.table(name, values), index)

    def lists(self, name: str, values: Sequence[Sequence[int]]) -> str:
        """The name of a constant table of lists."""
        entries = tuple(tuple(each) for each in values)
        if entries not in self.lists_made:
            self.lists_made[entries] = self.names.unique(name.upper())
        return self.lists_made[entries]

    # ----------------------------------------------------------------------------- addresses

    def local(self, offset: int) -> Value:
        """The address of a slot of the running frame."""
        if self.framed:
            return plus(ir.Var(FRAME), self.spread.offsets[offset])
        return ir.Const(self.layout.base + self.spread.offsets[offset])

    def place(self, address: Value) -> Value:
        """An address to be written down several times.

        That of a slot of a frame stays as it is: passes see which one it is.
        """
        match address:
            case ir.Const() | ir.Var() | ir.Binary("+", ir.Var(), ir.Const()):
                return address
        return self.keep("a", address)

    def words(self, type_: Type) -> int:
        """How many slots a value of a type takes."""
        return 1 if self.any_size else words_of(self.tables, type_)

    def stored(self, address: Value, type_: Type) -> Value:
        """What stands at an address, as a slot of a type writes it. Raises `Unsupported`."""
        if isinstance(type_, Optional) and self.words(type_) > 1:
            raise Unsupported(f"what may be none, or a {bare(type_)} of more than {WORD} members")
        return self.joined([ir.Slot(plus(address, at)) for at in range(self.words(type_))], type_)

    def joined(self, parts: Sequence[Value], type_: Type) -> Value:
        """What stands in the parts of a value of a type."""
        found, *more = parts
        if not more:
            return found
        self.wide = True
        for at, part in enumerate(more, start=1):
            found = binary("|", found, binary("<<", part, WORD * at))
        # Says how wide it is.
        return binary("&", found, self.bounds(type_)[1])

    def of_one(self, which: Value, attribute: Attribute) -> Value:
        """The address of an attribute of a component."""
        return plus(times(which, self.words(attribute.type)), attribute.base)

    def parts(self, value: Value, type_: Type) -> list[Value]:
        """The same taken apart: a name, or what may be worked out several times."""
        many = self.words(type_)
        if many == 1:
            return [value]
        if isinstance(value, ir.Const):
            return [ir.Const(each) for each in words_in(value.value, many)]
        full = (1 << WORD) - 1
        shifted = (binary(">>", value, WORD * at) if at else value for at in range(many))
        return [binary("&", each, full) for each in shifted]

    def store(self, address: Value, number: Value, type_: Type) -> None:
        """Let a number stand at an address, as a slot of a type writes it."""
        if self.words(type_) == 1:
            self.emit(ir.StoreSlot(address, number))
            return
        held = number if isinstance(number, ir.Const) else self.keep_as("set", number, type_)
        address = self.place(address)
        for at, part in enumerate(self.parts(held, type_)):
            self.emit(ir.StoreSlot(plus(address, at), part))

    def starting(self, table: VariableTable) -> list[int]:
        """What stands in the slots of a variable at its start."""
        type_ = table.variable.type
        values = (self.tables.encode(type_, value) for value in table.variable.start)
        return [word for value in values for word in words_in(value, self.words(type_))]

    def keep_as(self, name: str, value: Value, type_: Type) -> ir.Var:
        """A local value of a type."""
        return self.keep_set(name, value, self.bits(type_))

    def bits(self, type_: Type) -> int:
        """How many bits a local value of a type has, so many at least as a number."""
        return WORD if self.words(type_) == 1 else self.bounds(type_)[1].bit_length()

    def no_set(self, name: str, many: int) -> Statement:
        """A name is a set of so many members at most, with nothing in it."""
        return ir.Assign(name, const(0)) if many <= WORD else ir.NewBits(name, many)

    def keep_set(self, name: str, value: Value, many: int) -> ir.Var:
        """A local set of so many members with a value."""
        if many <= WORD:
            return self.keep(name, value)
        held = self.fresh(name)
        self.emit(self.no_set(held, many))
        if value != ir.Const(0):
            self.emit(ir.Assign(held, value))
        return ir.Var(held)

    def kind(self, name: str) -> KindTable:
        """A kind."""
        return self.tables.kinds[name]

    def address_of(
        self,
        indexes: Sequence[tuple[Value, Type]],
        base: int,
        lows: Sequence[int],
        sizes: Sequence[int],
        strides: Sequence[int],
    ) -> Value:
        """`base + sum((index - low) * stride)`, each index inside its range or the run fails."""
        at: Value = ir.Const(base)
        for (index, type_), low, size, stride in zip(indexes, lows, sizes, strides, strict=True):
            sure = self.checked(index, type_, low, low + size - 1)
            at = plus(at, times(plus(sure, -low), stride))
        return at

    def checked(self, value: Value, type_: Type, low: int, high: int) -> Value:
        """A value that must lie in a range; unchecked where its type says so."""
        if isinstance(value, ir.Const):
            if low <= value.value <= high:
                return value
        elif not isinstance(type_, Optional | NoneType):
            least, most = self.bounds(type_)
            if low <= least and most <= high:
                return value
        return ir.Checked(value, low, high, self.fresh("t"))

    def sure(self, value: Value, type_: Type) -> Value:
        """A value that must not be none."""
        if not isinstance(type_, Optional | NoneType):
            return value
        return ir.Checked(value, LEAST, max(MOST, self.bounds(bare(type_))[1]), self.fresh("t"))

    def never(self, value: Value) -> Value:
        """A value that always fails the run."""
        return ir.Checked(value, 1, 0, self.fresh("t"))

    def bounds(self, type_: Type) -> tuple[int, int]:
        """What a value of a type may be, none apart."""
        inner = bare(type_)
        if isinstance(inner, Multiset):
            return 0, MOST
        return self.tables.bounds(inner)

    def may_be_none(self, type_: Type) -> bool:
        """Whether a value of this type may be none."""
        return isinstance(type_, Optional | NoneType)

    def decoded(self, slot: Value, type_: Type) -> Value:
        """The value of a slot of this type."""
        if isinstance(type_, Optional):
            return ir.Decoded(slot, self.tables.none_code(type_), self.fresh("t"))
        return slot

    def encoded(self, value: Value, type_: Type, given: Type) -> Value:
        """The slot that holds a value, unchecked; `given` is the value's own type."""
        if isinstance(value, ir.Const):
            return const(self.tables.none_code(type_)) if value.value == NONE else value
        if isinstance(given, Optional | NoneType):
            match value:
                case ir.Decoded(slot, code) if code == self.tables.none_code(type_):
                    return slot
            return ir.OrElse(value, const(self.tables.none_code(type_)), self.fresh("t"))
        return value

    def zone_number(self, zone: str, indexes: Sequence[tuple[Value, Type]]) -> Value:
        """The number of a single zone."""
        family = self.tables.families[zone]
        return self.address_of(
            indexes, family.base, family.lows, family.sizes, strides_of(family.sizes)
        )


def is_set(type_: Type) -> bool:
    """Whether values of a type are sets."""
    return isinstance(bare(type_), SetOf)


def interval(builder: Builder, node: Expression) -> tuple[int, int]:
    """What a number may be."""
    if isinstance(node, model.Literal) and node.value is not None:
        return node.value, node.value
    type_ = bare(node.type)
    if isinstance(type_, Int):
        return type_.low, type_.high
    return builder.bounds(type_)
