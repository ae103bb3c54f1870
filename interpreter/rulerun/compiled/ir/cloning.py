"""Blocks once for each of the few values that slots are known to hold there.

Such slots say whose turn it is, in which round a loop is, where a procedure was called from.

Assumes: a `Program` of `ir` with one frame, of which nothing is supposed; slots that nothing but
blocks, and what settles a row, write, one by one.
Does: follows what those slots hold from the begin of a game on. Where play comes to a block with
other values there is another clone of it, and in each clone what depends on them is worked out: a
loop over players is written out, a procedure goes back to where it was called from, and masks and
options of a player stand at a constant address. Functions that read such slots have clones, too.
Leaves behind: a program that does the same, in which questions say what is known where they rest.

A slot of which that would take too many clones is not followed, that which takes most of them
first; with none left the program stays as it is. Each clone counts as its block did: what runs
between two rests is as much.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from rulerun.compiled import ir
from rulerun.compiled.ir.folding import Plain
from rulerun.compiled.ir.fresh_names import beside
from rulerun.compiled.ir.known import Known, State, contents_of_rows
from rulerun.compiled.ir.liveness import Liveness
from rulerun.compiled.ir.passes import assigned, every_part, pure_functions, rewritten
from rulerun.compiled.ir.program import Block, Function, Program, Question
from rulerun.compiled.ir.renumbering import in_order, without_idle
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.ir.successors import Kept, kept_by, targets_of
from rulerun.compiled.ir.value import Value

_LONGEST_LOOP = 4
"""A loop of so many rounds may be written out."""
_SHORT = 16
"""A loop of so many parts is written out wherever its rounds are known."""
_SLACK, _GROWTH = 320, 1.4
"""Parts that a program may have more, and how many times as long it may become beside them."""
_WORK = 15_000
"""About so many parts are gone through: as often it is tried with fewer slots."""
_BITS = 31
"""Numbers of so many bits are shifted beforehand."""


class _TooMany(Exception):
    """The clones would be too many."""


def cloned(
    program: Program, flat: frozenset[str], slots: Iterable[int]
) -> tuple[Program, frozenset[str]]:
    """The program with clones, and which of its listers make one row.

    `flat`: which of them did before (see `sampling.sampled`). `slots`: those that may be followed.
    """
    followed = set(slots)
    if program.frames > 1 or program.supposed:
        return program, flat
    parts = _effort(
        *(each.body for each in program.blocks), *(each.settle for each in program.questions)
    )
    called = _effort(
        *(each.body for each in program.functions), *(each.body for each in program.listers)
    )
    room = _SLACK + int(_GROWTH * (parts + called)) - called
    alive = Liveness(program, followed)
    for left in range(_WORK // (parts + 1), 0, -1):
        maker = _Cloner(program, flat, followed, alive, room)
        try:
            return maker.program(), frozenset(maker.flat)
        except _TooMany:
            followed -= set(maker.widest()[: -(-len(followed) // left)])
    return program, flat


class _Cloner:
    """Follows some slots of one program."""

    def __init__(
        self,
        program: Program,
        flat: frozenset[str],
        followed: set[int],
        alive: Liveness,
        room: int,
    ) -> None:
        """`room`: how many parts may be made, beside the functions that stay."""
        self.source = program
        self.flat = set(flat)
        self.followed = followed
        self.plain = Plain(program.functions, dict(program.tables))
        self.kept: Kept = kept_by(program)
        self.blocks = {each.at: each for each in program.blocks}
        self.questions = {each.at: each for each in program.questions}
        self.functions = {each.name: each for each in program.functions}
        self.listers = {each.name: each for each in program.listers}
        self.alive = alive
        self.room = room
        self.pure = pure_functions(program)
        self.frame = range(program.base, program.size)
        self.clones: dict[tuple[object, ...], str] = {}
        self.replaced: set[str] = set()
        """Functions and listers that have clones."""
        self.numbers: dict[tuple[int, State], int] = {}
        self.waiting: deque[tuple[int, State]] = deque()
        self.at = 0
        """The number of the clone that is made,"""
        self.body: Body = ()
        """what it does, as it was,"""
        self.rests: Known | None = None
        """and what is known where it rests."""

    def widest(self) -> list[int]:
        """The slots that are followed, those first that have most values at one block.

        What is not known is a value as well, and the one that helps least.
        """
        states: dict[int, list[dict[int, int]]] = defaultdict(list)
        for at, (state, _) in self.numbers:
            states[at].append(dict(state))
        many = dict.fromkeys(self.followed, (0, False))
        for held in states.values():
            for slot in self.followed.intersection(set().union(*held)):
                values = {each.get(slot) for each in held}
                many[slot] = max(many[slot], (len(values), None in values))
        return sorted(many, key=lambda slot: (many[slot], slot), reverse=True)

    def program(self) -> Program:
        """The program with clones."""
        begin = self.source.begin
        first = Known({slot: begin[slot] for slot in self.followed})
        entry = self.number(self.source.entry, first)
        blocks: list[Block] = []
        questions: list[Question] = []
        while self.waiting:
            at, state = self.waiting.popleft()
            number = self.numbers[at, state]
            block = self.blocks[at]
            self.rests, self.at = None, number
            body = self.whole(block.body, Known.of(state))
            clone = replace(block, at=number, body=body)
            blocks.append(clone)
            self.room -= _effort(clone.body)
            rests: Known | None = self.rests
            if rests is not None:
                question = self.question(self.questions[at], rests)
                questions.append(question)
                self.room -= _effort(question.settle)
            if self.room < 0:
                raise _TooMany
        found = replace(
            self.source,
            functions=tuple(self.functions.values()),
            listers=tuple(self.listers.values()),
            blocks=tuple(blocks),
            questions=tuple(questions),
            entry=entry,
        )
        return in_order(without_idle(found))

    def question(self, asked: Question, known: Known) -> Question:
        """The clone of a question in the block that is made."""
        lister = self.clone(asked.lister, known)
        rows = contents_of_rows(self.listers[lister])
        settled = Known(known.slots)
        for name, column in zip(asked.columns, rows, strict=False):
            settled.contents |= {(ir.Var(name), base): held for base, held in column}
        return replace(
            asked,
            at=self.at,
            lister=lister,
            player=self.value(asked.player, known),
            settle=self.whole(asked.settle, settled),
            known=self.known_at(asked.at, known),
        )

    def number(self, at: int, known: Known) -> int:
        """The number of the clone of a block."""
        key = at, known.state(self.alive.at[at])
        if key not in self.numbers:
            self.numbers[key] = len(self.numbers)
            self.waiting.append(key)
        return self.numbers[key]

    def known_at(self, at: int, rests: Known) -> tuple[tuple[int, int], ...]:
        """What slots hold at a rest; of those that nobody asks for again it does not matter."""
        idle = dict.fromkeys(self.followed - self.alive.rests[at] - {self.source.parts}, 0)
        return tuple(sorted((rests.slots | idle).items()))

    # ------------------------------------------------------------------------------ statements

    def whole(self, body: Body, known: Known) -> Body:
        """Statements that stand by themselves."""
        self.body = body
        return self.run(body, known)[0]

    def run(self, body: Body, known: Known) -> tuple[Body, bool]:
        """Statements where something is known, which it is changed to; whether they end."""
        found: list[Statement] = []
        for statement in body:
            more, ends = self.statement(statement, known)
            if self.changes(statement):
                known.contents.clear()
            found += more
            if not ends:
                return tuple(found), False
        return tuple(found), True

    def statement(self, statement: Statement, known: Known) -> tuple[Body, bool]:
        """One statement: what stands in its place, and whether it ends."""
        match statement:
            case ir.Assign(name, value):
                value = self.value(value, known)
                known.name(name, value)
                return (ir.Assign(name, value),), True
            case ir.StoreSlot(address, value):
                return (self.stored(address, self.value(value, known), known),), True
            case ir.Add(ir.Const(at) as address, value) if at in known.slots:
                grown = ir.Binary("+", ir.Const(known.slots[at]), value)
                return (self.stored(address, self.value(grown, known), known),), True
            case ir.If(condition, then, otherwise):
                held = self.value(condition, known)
                if isinstance(held, ir.Const):
                    return self.run(then if held.value else otherwise, known)
                return self.branched(held, then, otherwise, known)
            case ir.For(name, low, high, block) if (
                rounds := self.rounds(low, high, block, known)
            ) is not None:
                found: list[Statement] = []
                for at in rounds:
                    known.names[name] = at
                    more, ends = self.run(block, known)
                    found += ir.Assign(name, ir.Const(at)), *more
                    if not ends:
                        return tuple(found), False
                return tuple(found), True
            case ir.Jump():
                return self.jump(statement, known), False
            case ir.Rest(_, rows):
                if self.rests is None:
                    self.rests = known.copy()
                else:
                    self.rests.both(known)
                return (ir.Rest(self.at, rows),), False
            case ir.Signal(word):
                return (ir.Signal(word, self.at),), False
            case ir.Return() | ir.Fail() | ir.Break():
                return (self.value(statement, known),), False
            case _:
                return (self.looped(statement, known),), True

    def stored(self, address: Value, value: Value, known: Known) -> Statement:
        """A slot gets a value that was worked out."""
        address = self.value(address, known)
        if isinstance(address, ir.Const) and address.value in self.frame:
            known.store(address.value, value, address.value in self.followed)
        else:
            known.contents.clear()
        return ir.StoreSlot(address, value)

    def changes(self, statement: Statement) -> bool:
        """Whether a statement may change what stands in families, by itself or by what it calls."""
        return isinstance(statement, _CHANGING) or any(
            isinstance(node, ir.Call) and node.function not in self.pure
            for node in every_part((replace(statement, **_no_blocks(statement)),))
        )

    def branched(self, held: Value, then: Body, otherwise: Body, known: Known) -> tuple[Body, bool]:
        """One of two blocks, where it is not known which."""
        one, other = known.copy(), known.copy()
        yes, ends = self.run(then, one)
        no, also = self.run(otherwise, other)
        if ends and also:
            one.both(other)
        known.become(one if ends else other)
        return (ir.If(held, yes, no),), ends or also

    def rounds(self, low: Value, high: Value, block: Body, known: Known) -> range | None:
        """The rounds of a loop that is written out: they are known, few, and short, or lead on."""
        first, end = self.value(low, known), self.value(high, known)
        if not (isinstance(first, ir.Const) and isinstance(end, ir.Const)):
            return None
        found = range(first.value, end.value)
        parts = list(every_part(block))
        if any(isinstance(each, ir.Break) for each in parts) or len(found) > _LONGEST_LOOP:
            return None
        leads_on = any(isinstance(each, ir.Jump) for each in parts)
        return found if leads_on or len(parts) <= _SHORT else None

    def jump(self, jump: ir.Jump, known: Known) -> Body:
        """To the clone of a block; where it is not known which, to one of those it may be."""
        to = self.value(jump.to, known)
        if isinstance(to, ir.Const):
            return (ir.Jump(ir.Const(self.number(to.value, known))),)
        targets = targets_of(jump, self.body, self.kept)
        if targets is None:
            raise _TooMany
        ways = (
            ir.If(ir.Binary("==", to, ir.Const(at)), (self.jump(ir.Jump(ir.Const(at)), known)))
            for at in sorted(targets)
        )
        return (*ways, ir.Fail())

    def looped(self, statement: Statement, known: Known) -> Statement:
        """Any other statement; what it changes is not known."""
        known.forget(assigned((statement,)), _written((statement,)))
        inner = ir.blocks_in(statement)
        if inner:
            known.contents.clear()
        bare = replace(statement, **_no_blocks(statement))
        blocks = {name: self.run(block, known.copy())[0] for name, block in inner.items()}
        found: Statement = replace(self.value(bare, known), **blocks)
        return found

    # ----------------------------------------------------------------------- values, functions

    def value(self, node: Any, known: Known) -> Any:
        """A value, or a statement without others inside, worked out."""

        def change(node: Any) -> Any:
            match node:
                case ir.Slot(ir.Const(at)) if at in known.slots:
                    return ir.Const(known.slots[at])
                case ir.Slot(address) if (held := known.content(address)) is not None:
                    return ir.Const(held)
                case ir.Var(name) if name in known.names:
                    return ir.Const(known.names[name])
                case ir.Call(name, arguments):
                    return replace(node, function=self.clone(name, known, arguments))
                case ir.CallLister():
                    return replace(node, lister=self.clone(node.lister, known))
                case ir.Checked(ir.Const(value), low, high) if low <= value <= high:
                    return node.value
                case ir.LowestBit(ir.Const(value)) if value > 0:
                    return ir.Const((value & -value).bit_length() - 1)
                case ir.Binary("<<", ir.Const(value), ir.Const(by)) if 0 <= by < _BITS > value >= 0:
                    return ir.Const(value << by)
                case ir.OrElse(ir.Const(value), other):
                    return other if value == ir.NONE else node.value
            return self.plain.worked_out(node)

        return rewritten(node, change)

    def clone(self, name: str, known: Known, arguments: tuple[Value, ...] = ()) -> str:
        """The name of the clone of a function or a lister that reads what is known.

        What writes slots, as what moves a card, has clones for what it is given as well; the
        others stand where they are called once LLVM is done.
        """
        slots = {at: known.slots[at] for at in self.alive.reads.get(name, ()) if at in known.slots}
        inside = Known(slots)
        node = self.functions.get(name) or self.listers[name]
        if isinstance(node, Function) and name not in self.pure:
            for parameter, given in zip(node.parameters, arguments, strict=True):
                inside.given(parameter, given, known)
        key = name, *inside.all()
        if not any(key[1:]):
            return name
        if key not in self.clones:
            clone = self.clones[key] = beside(name, f"{len(self.clones) + 1}")
            made = replace(node, name=clone, body=self.run(node.body, inside)[0])
            # The function itself is called no more, or seldom.
            self.room -= _effort(made.body) - (0 if name in self.replaced else _effort(node.body))
            self.replaced.add(name)
            if isinstance(made, Function):
                self.functions[clone] = made
            else:
                self.listers[clone] = made
            if name in self.flat:
                self.flat.add(clone)
        return self.clones[key]


def _effort(*bodies: Body) -> int:
    """How much statements hold, in parts."""
    return sum(1 for body in bodies for _ in every_part(body))


_CHANGING = ir.Add | ir.Fill | ir.Copy
"""What may write anywhere, besides `StoreSlot`."""


def _no_blocks(statement: Statement) -> dict[str, Any]:
    """The fields of a statement that hold others, empty."""
    return dict.fromkeys(ir.blocks_in(statement), ())


def _written(body: Body) -> set[int]:
    """The slots that statements write at addresses that are known."""
    found: set[int] = set()
    for node in every_part(body):
        match node:
            case ir.StoreSlot(ir.Const(at)) | ir.Add(ir.Const(at)):
                found.add(at)
            case ir.Fill(ir.Const(at), number):
                found |= set(range(at, at + number))
    return found
