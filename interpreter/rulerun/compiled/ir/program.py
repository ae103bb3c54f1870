"""A program: functions, listers, blocks and tables of a game, lowered."""

from __future__ import annotations

import dataclasses
from typing import get_args

from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.ir.value import Value
from rulerun_dsl.source.frozen import frozen


class Unsupported(Exception):
    """A construct for which there is no lowering: the reference executor must play the game."""


@frozen
class Function:
    """A function of numbers. It reads the slots, and writes them if it `writes`.

    Every one takes the start of the running frame first, if the program has several frames.
    """

    name: str
    parameters: tuple[str, ...]
    body: Body
    about: str
    """What it is, for readers of the program: the text of the rules it comes from."""
    framed: bool = False
    """Whether it needs the start of the running frame."""
    remembered: bool = False
    """Whether it searches: while a lister runs, and nothing is written, each search is done once.
    """
    kept: bool = False
    """Whether it reads no slot and is asked the same again: its values are kept for good."""


@frozen
class Lister:
    """A function that makes rows: what may be chosen at a question, what may fall."""

    name: str
    width: int
    most: int
    body: Body
    """Fills the rows `found`."""
    about: str
    remembers: bool = False
    """Whether it comes to a function that searches."""


@frozen
class Block:
    """What one instruction of the model does; ends in `Jump`, `Rest`, `Signal` or `Fail`."""

    at: int
    body: Body
    about: str


@frozen
class Question:
    """An instruction at which a game may rest."""

    at: int
    lister: str
    columns: tuple[str, ...]
    """What the numbers of a row are called where it is settled."""
    chance: bool
    """Rows are (id, weight, slot) of what may fall, else (action, line, slots of the names)."""
    player: Value
    """Who decides."""
    settle: Body
    """What taking a row does; ends in `Jump`."""
    known: tuple[tuple[int, int], ...] = ()
    """What slots hold whenever a game rests here, by address (`cloning`)."""

    @property
    def width(self) -> int:
        """Numbers in a row."""
        return len(self.columns)


@frozen
class Together:
    """A `together` of the code."""

    at: int
    players: str
    """The lister of who takes part, ascending (rows of one)."""
    variable: int
    body: int
    done: int
    decided: str | None = None
    """The function that says what is known when all parts are done; it reads the shadow."""


@frozen
class Program:
    """A game, lowered."""

    name: str
    fingerprint: str
    size: int
    """Slots of the state."""
    base: int
    frame: int
    """Where frame 0 starts, and how many slots a frame has."""
    frames: int
    players: int
    functions: tuple[Function, ...]
    listers: tuple[Lister, ...]
    blocks: tuple[Block, ...]
    questions: tuple[Question, ...]
    togethers: tuple[Together, ...]
    tables: tuple[tuple[str, tuple[int, ...]], ...]
    lists: tuple[tuple[str, tuple[tuple[int, ...], ...]], ...]
    entry: int
    """The instruction at which a game begins."""
    begin: tuple[int, ...]
    """The state before set-up."""
    live: tuple[int, int]
    shadow: int
    rest: int
    """From here on nothing is left when the game is over."""
    restart: Body
    """What starts again when the game is over."""
    lines: int
    """Lines of the scoring."""
    judge: Lister
    """Rows of (place, 1 if a winner, value of each line) by player."""
    returns_may_fail: bool
    """Whether the judge of the reference must be asked if the returns can be worked out."""
    canonical: Body
    """Brings copies that nothing tells apart into order, at rest."""
    steps: int
    """The most instructions between two rests."""
    decisions: int
    """The declared bound on decisions of one play."""
    counters: int
    """Counters of coverage; 0 without."""
    evaluations: int = 0
    """How many evaluations that are counted are allowed between two rests; 0: none is counted."""
    supposed: tuple[int, ...] = ()
    """The instructions at which what is supposed begins, and last the block at which it ends; ()
    if nothing is supposed."""
    parts: int = 0
    """The slot that says which parts of a `together` are still to come (bits), where they run one
    after another; 0 if they do not. Meanwhile nothing may go wrong (see `serial`)."""
    forwarded: bool = False
    """Whether, in Python, a name is read in place of a slot that is known to hold the same."""
    wide: bool = False
    """Whether some number may have more than 64 bits."""


def inside(node: object) -> list[object]:
    """The parts of a value or statement, one level down."""
    found: list[object] = []
    for name in HOLDING[type(node)]:
        part = getattr(node, name)
        if type(part) is tuple:
            found += part
        else:
            found.append(part)
    return found


class _Holding(dict[type, tuple[str, ...]]):
    """By type, the fields of a value or statement in which others lie."""

    def __missing__(self, kind: type) -> tuple[str, ...]:
        fields = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else ()
        found = self[kind] = tuple(each.name for each in fields if each.type not in _NO_PARTS)
        return found


HOLDING = _Holding()
_RUNS = "tuple[tuple[int, int], ...] | None"
_NO_PARTS = frozenset(("str", "int", "bool", "tuple[str, ...]", "tuple[int, ...]", _RUNS))
"""The types, as they are written, of fields in which no value or statement lies."""


def all_statements(body: Body) -> list[Statement]:
    """All statements, each before those inside it."""
    found: list[Statement] = []
    _add_statements(body, found)
    return found


def _add_statements(body: Body, found: list[Statement]) -> None:
    for statement in body:
        found.append(statement)
        for block in blocks_in(statement).values():
            _add_statements(block, found)


def blocks_in(statement: Statement) -> dict[str, Body]:
    """The statements inside one, by the fields that hold some."""
    return {name: block for name in _BODIES[type(statement)] if (block := getattr(statement, name))}


_BODIES: dict[type, tuple[str, ...]] = {
    kind: tuple(name for name in ("then", "otherwise", "body") if hasattr(kind, name))
    for kind in get_args(Statement)
}
"""The fields of statements that hold others."""
