"""Where things stand in the memory of a play, and what is known of a program beforehand.

Assumes: a `Program` of `ir`.
Does: lays out what stands behind the slots; finds how narrow a slot may be, of which slots masks
are worth keeping, which functions only read, how wide the rows are that are sorted, which values
may be evaluated where they are not needed.
Leaves behind: a `Target`, and plain values, for the writers of LLVM IR.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import FOUND, RUN
from rulerun.compiled.ir.passes import pure_functions
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.value import Value
from rulerun.compiled.native.set_widths import Widths, widths_of
from rulerun_dsl.source.frozen import frozen

MOST_KEPT = 1 << 20
"""Bytes that are kept on the stack at once: of rows, of a state. A thread has some megabytes."""
_BITS = (16, 32, 64)
SPENT, MASKS = 2, 3
"""Where stands how many evaluations were counted, and where masks begin, behind the slots."""


@frozen
class Frame:
    """What stands behind the slots: numbers of 64 bits, counted from `WORDS`."""

    count: int
    """How many rows there are; behind it which one is asked for, how much is spent, the masks."""
    rows: int
    counters: int
    steps: int
    """How many instructions other control stacks ran in this input."""
    size: int
    """All together."""


def frame_of(program: Program, masks: int) -> Frame:
    """Where things stand behind the slots of a program."""
    most = max((lister.width * lister.most for lister in program.listers), default=1)
    rows = MASKS + masks
    steps = rows + most + program.counters
    return Frame(0, rows, rows + most, steps, steps + 1)


FEW_VALUES = 4
"""Of so many values at most each mask is looked at by itself, not where a value says."""


@frozen
class Region:
    """Slots of which it is kept up to date which hold what: a mask of bits for each value.

    So that asking for one is reading one number, which was written as one.
    """

    base: int
    number: int
    low: int
    many: int
    """Values, from `low` up."""
    word: int = 0
    """Where its masks begin behind the slots."""


@frozen
class Rows:
    """Rows while a function is written: where they are, how many, how wide."""

    data: str
    count: str
    width: int
    most: int


def array_of(name: str, values: Sequence[int], cell: str = "i64") -> str:
    """A constant table."""
    numbers = ", ".join(f"{cell} {value}" for value in values)
    return f"@{name} = internal constant [{len(values)} x {cell}] [{numbers}]"


def is_constant(text: str) -> bool:
    """Whether a value of LLVM is a number as it stands there."""
    return text.lstrip("-").isdigit()


def asked_for(program: Program) -> set[tuple[int, int]]:
    """The runs of slots of which is asked which hold a value: base and number."""
    found: set[tuple[int, int]] = set()
    bodies = (
        *(each.body for each in program.functions),
        *(each.body for each in program.listers),
        *(each.body for each in program.blocks),
        *(each.settle for each in program.questions),
    )
    waiting: list[object] = [statement for body in bodies for statement in body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ir.EqualMask | ir.CountEqual | ir.FindEqual):
            found |= set(words_of(node.base, node.number))
        elif isinstance(node, ir.OnTop):
            for base in (node.base, node.positions):
                found |= set(words_of(base, node.number))
        waiting.extend(ir.inside(node))
    return found


def words_of(base: int, number: int) -> Iterable[tuple[int, int]]:
    """The runs of 64 slots at most that a run of slots is asked for in."""
    for start in range(0, number, 64):
        yield base + start, min(64, number - start)


def starts_with_frame(address: Value) -> bool:
    """Whether an address that is reckoned lies in a frame, so in no region.

    Only what is added up counts: an address that is read from a frame may lead anywhere.
    """
    match address:
        case ir.Var("b"):
            return True
        case ir.Binary("+", left, right):
            return starts_with_frame(left) or starts_with_frame(right)
        case _:
            return False


def touches(address: Value, number: int, region: Region) -> bool:
    """Whether a run of slots that is filled may lie in a region."""
    if isinstance(address, ir.Const):
        return address.value < region.base + region.number and region.base < address.value + number
    return not starts_with_frame(address)


def fits(value: int, bits: int) -> bool:
    """Whether a number fits so many bits, with its sign."""
    return -(1 << bits - 1) <= value < 1 << bits - 1


def narrowest(program: Program, bounds: Iterable[tuple[int, int]]) -> int:
    """How wide a slot must be for what its declared types allow."""
    ends = [*program.begin, program.steps and 0, len(program.blocks) + 1]
    for low, high in bounds:
        ends += [low - 1, high]
    return next(bits for bits in _BITS if all(fits(end, bits) for end in ends) or bits == 64)


def quoted(name: str) -> str:
    """The name of a function of the program."""
    return f'"f.{name}"'


def is_simple(value: Value) -> bool:
    """Whether a value may as well be evaluated where it is not needed."""
    match value:
        case ir.Const() | ir.Var() | ir.Slot(ir.Const()):
            return True
        case ir.Binary(operator, left, right):
            return operator not in ("//", "%", "<<", ">>") and is_simple(left) and is_simple(right)
        case ir.Not(operand):
            return is_simple(operand)
        case ir.Both(left, right) | ir.Either(left, right):
            return is_simple(left) and is_simple(right)
        case ir.Decoded(inner):
            return is_simple(inner)
        case _:
            return False


def fallible_functions(program: Program) -> set[str]:
    """The functions and listers that may give the run up: with guards, nearly all."""
    listers = {each.name for each in program.listers}
    return {RUN, *listers, *(each.name for each in program.functions)}


def sort_widths(program: Program) -> set[int]:
    """How wide the rows are that are sorted somewhere."""
    found = {width for each in program.listers for width in _sorted(each.body, each.width)}
    bodies = (
        *(each.body for each in program.functions),
        *(each.body for each in program.blocks),
        *(each.settle for each in program.questions),
        program.canonical,
        program.restart,
    )
    return found.union(*(_sorted(body) for body in bodies))


def nodes(value: object) -> Iterable[object]:
    """A value and all its parts."""
    yield value
    for part in ir.inside(value):
        yield from nodes(part)


def _sorted(body: ir.Body, width: int = 0) -> set[int]:
    """`width`: of the rows that a lister is given."""
    widths = {FOUND: width}
    names = set()
    for node in (node for statement in body for node in nodes(statement)):
        if isinstance(node, ir.NewRows):
            widths[node.name] = node.width
        elif isinstance(node, ir.SortRows):
            names.add(node.rows)
    return {widths[name] for name in names}


@frozen
class Target:
    """A program, and how it is written as machine code."""

    program: Program
    guards: bool
    """Check addresses, as must be done unless one measures what it costs."""
    bits: int
    """How wide a slot is; a number that does not fit gives the run up."""
    pure: frozenset[str]
    """The functions of which LLVM is told that they only read."""
    fallible: frozenset[str]
    """The functions and listers that may give the run up."""
    regions: tuple[Region, ...]
    """The slots of which masks are kept."""
    frame: Frame
    tables: Mapping[str, tuple[int, ...]]
    lists: Mapping[str, tuple[tuple[int, ...], ...]]
    listers: Mapping[str, ir.Lister]
    widths: Widths
    """How wide the sets are that functions are given, and give."""

    @property
    def cell(self) -> str:
        """The type of a slot."""
        return f"i{self.bits}"

    @property
    def cell_bytes(self) -> int:
        """How wide a slot is, in bytes."""
        return self.bits // 8

    @property
    def offset(self) -> int:
        """Where the numbers behind the slots begin, in bytes."""
        # Masks are read a few slots too far: there is room behind the slots.
        return (self.program.size * self.bits // 8 + 64 * self.bits // 8 + 63) // 64 * 64

    @property
    def framed(self) -> bool:
        """Whether there are several control stacks: functions are told where theirs begins."""
        return self.program.frames > 1


def target_of(
    program: Program,
    guards: bool = True,
    bits: int = 64,
    pure: bool = True,
    regions: Sequence[Region] = (),
) -> Target:
    """How a program is written: see `Target`.

    `pure`: tell LLVM which functions only read. `regions`: slots of which masks are kept, if they
    are asked for.
    """
    asked = asked_for(program)
    kept: list[Region] = []
    word = MASKS
    for region in regions:
        if (region.base, region.number) in asked:
            kept.append(replace(region, word=word))
            word += region.many
    return Target(
        program,
        guards,
        bits,
        frozenset(pure_functions(program) if pure else ()),
        frozenset(fallible_functions(program)),
        tuple(kept),
        frame_of(program, word - MASKS),
        dict(program.tables),
        dict(program.lists),
        {lister.name: lister for lister in program.listers},
        widths_of(program),
    )
