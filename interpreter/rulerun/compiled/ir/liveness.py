"""Which slots are asked for again.

Assumes: a `Program` of `ir` with one frame, of which nothing is supposed; slots that nothing but
blocks, and what settles a row, write, one by one.
Does: goes back over blocks from one to another: a slot is alive where it may be read before it is
written.
Leaves behind: for each block, and each rest, the slots that are alive there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from rulerun.compiled import ir
from rulerun.compiled.ir.passes import every_part
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.ir.successors import kept_by, targets_of

_Slots = frozenset[int]
_NONE: _Slots = frozenset()


class Liveness:
    """The slots of one program that are alive, of those that are followed."""

    def __init__(self, program: Program, followed: Collection[int]) -> None:
        self.reads = reads_of(program, followed)
        self.at: dict[int, _Slots] = {each.at: _NONE for each in program.blocks}
        """Where a block begins."""
        self.rests: dict[int, _Slots] = {each.at: _NONE for each in program.questions}
        self._followed = frozenset(followed)
        self._kept = kept_by(program)
        self._body: Body = ()
        changed = True
        while changed:
            before = dict(self.at), dict(self.rests)
            for question in program.questions:
                asked = self._asked((question.player,)) | self.reads.get(question.lister, _NONE)
                self.rests[question.at] = asked | self._whole(question.settle)
            for block in reversed(program.blocks):
                self.at[block.at] = self._whole(block.body)
            changed = before != (self.at, self.rests)

    def _whole(self, body: Body) -> _Slots:
        self._body = body
        return self._before(body, _NONE)

    def _before(self, body: Body, after: _Slots) -> _Slots:
        """What is alive before statements, from what is behind them."""
        for statement in reversed(body):
            after = self._through(statement, after)
        return after

    def _through(self, statement: Statement, after: _Slots) -> _Slots:
        match statement:
            case ir.StoreSlot(ir.Const(at), value):
                return after - {at} | self._asked((value,))
            case ir.If(condition, then, otherwise):
                either = self._before(then, after) | self._before(otherwise, after)
                return either | self._asked((condition,))
            case ir.Jump(ir.Const(to)):
                return self.at[to]
            case ir.Jump(to) as jump:
                targets = targets_of(jump, self._body, self._kept)
                found = self.at if targets is None else targets
                return _NONE.union(*(self.at[at] for at in found), self._asked((to,)))
            case ir.Rest(at, _):
                return self.rests[at]
            case ir.Signal():
                return self.reads.get("judge", _NONE)
            case ir.Return() | ir.Fail():
                return self._asked((statement,))
            case _:
                inner = ir.blocks_in(statement)
                again = after | self._asked((statement,))
                return again.union(*(self._before(block, again) for block in inner.values()))

    def _asked(self, parts: Iterable[object]) -> _Slots:
        """What values and statements read."""
        return (
            _NONE.union(*(_read(node, self.reads) for node in every_part(parts))) & self._followed
        )


def _read(node: object, reads: dict[str, _Slots]) -> _Slots:
    match node:
        case ir.Slot(ir.Const(at)) | ir.Add(ir.Const(at)):
            return frozenset((at,))
        case ir.Call(name) | ir.CallLister(_, name):
            return reads.get(name, _NONE)
        case _:
            return _NONE


def reads_of(program: Program, followed: Collection[int]) -> dict[str, _Slots]:
    """By function and lister: the slots that it reads, or what it calls does."""
    bodies = {each.name: each.body for each in program.functions}
    bodies |= {each.name: each.body for each in program.listers}
    bodies[program.judge.name] = program.judge.body
    found: dict[str, _Slots] = {}
    while True:
        more = {
            name: _NONE.union(*(_read(node, found) for node in every_part(body)))
            & frozenset(followed)
            for name, body in bodies.items()
        }
        if more == found:
            return found
        found = more
