"""What Python knows of slots is what they hold: a name is read instead, and nobody sees it.

Blocks of any statements are written with and without that knowledge, and run on any slots: they
leave the same, or both give up. Masks that are written where they are stay what the slots hold.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from tests.rulesets import game_named

from rulerun.compiled import ir
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.ir.value import Value
from rulerun.compiled.python.executor import Bailout, code_of
from rulerun.compiled.python.preparing import prepared
from rulerun.compiled.python.regions import Region, masks_of

NAMES = ("n1", "n2", "n3")
SLOTS = (3, 4, 13, 14)
"""Two of the board, and two of the control stack."""


@cache
def _prepared() -> tuple[ir.Program, tuple[Region, ...]]:
    program, regions = prepared(game_named("tic_tac_toe"))
    writes: Body = (
        ir.StoreSlot(ir.Const(13), ir.Const(1)),
        ir.StoreSlot(ir.Const(3), ir.Const(0)),
        ir.Return(ir.Slot(ir.Const(14))),
    )
    reads: Body = (ir.Return(ir.Slot(ir.Const(13))),)
    functions = (
        *program.functions,
        ir.Function("writes", (), writes, "writes"),
        ir.Function("reads", (), reads, "reads"),
    )
    return replace(program, functions=functions), regions


class _Any:
    """Makes any statements."""

    def __init__(self, seed: int) -> None:
        self.luck = random.Random(seed)
        self.number = 0

    def block(self, deep: int) -> Body:
        return tuple(self.statement(deep) for _ in range(self.luck.randint(1, 3 + 4 * deep)))

    def statement(self, deep: int) -> Statement:
        kind = self.luck.randrange(14 if deep else 8)
        if kind < 3:
            return ir.StoreSlot(self.address(), self.value())
        if kind < 6:
            return ir.Assign(self.luck.choice(NAMES), self.value())
        if kind == 6 and self.luck.random() < 0.2:
            return ir.Add(ir.Const(self.luck.choice((13, 14))), ir.Const(self.luck.choice((-1, 1))))
        if kind < 8:
            return ir.Eval(ir.Call(self.luck.choice(("reads",) * 5 + ("writes",)), ()))
        if kind < 10:
            ways = self.block(deep - 1), self.luck.choice((self.block(deep - 1), ()))
            return ir.If(self.value(), *ways)
        self.number += 1
        name = f"m{self.number}"
        inner = (
            *self.block(deep - 1),
            ir.StoreSlot(ir.Const(14), ir.Binary("%", ir.Var(name), ir.Const(2))),
        )
        if kind < 12:
            return ir.For(name, ir.Const(0), ir.Const(3), inner)
        return ir.EachBit(
            name, ir.Binary("&", ir.EqualMask(2, 9, ir.Const(-1)), ir.Const(3)), inner
        )

    def address(self) -> Value:
        inside = ir.Select(ir.Binary("<", self.read(), ir.Const(1)), ir.Const(1), ir.Const(2))
        self.number += 1
        addresses: list[Value] = [
            *(ir.Const(each) for each in SLOTS),
            ir.Binary("+", ir.Var(self.luck.choice(NAMES)), ir.Const(4)),
            ir.Binary("+", ir.Checked(inside, 0, 9, f"t{self.number}"), ir.Const(2)),
        ]
        return self.luck.choice(addresses)

    def read(self) -> Value:
        if self.luck.random() < 0.6:
            return ir.Slot(ir.Const(self.luck.choice(SLOTS)))
        return ir.Var(self.luck.choice(NAMES))

    def value(self) -> Value:
        kind = self.luck.randrange(7)
        if kind < 3:
            return self.read()
        if kind == 3:
            return ir.Const(self.luck.randint(-1, 1))
        if kind == 4:
            sought = self.luck.choice((self.read(), ir.Const(5)))
            return ir.BitCount(self.luck.choice((ir.EqualMask(2, 9, sought), self.read())))
        if kind == 5:
            return ir.Binary("%", ir.Binary("+", self.read(), ir.Const(3)), ir.Const(2))
        asked = self.luck.choice(("reads",) * 5 + ("writes",))
        return ir.Select(ir.Call(asked, ()), self.read(), self.read())


def _ends(seed: int) -> Iterator[list[Any] | None]:
    """What the block of a seed leaves of some slots, without what is known and with it."""
    program, regions = _prepared()
    begun: Body = tuple(ir.Assign(name, ir.Const(at - 1)) for at, name in enumerate(NAMES))
    told: Body = tuple(
        ir.StoreSlot(ir.Const(15 + at), ir.Var(name)) for at, name in enumerate(NAMES)
    )
    body = (*begun, *_Any(seed).block(3), *told)
    for held in (False, True):
        code = code_of(replace(program, canonical=body, forwarded=held), regions)
        luck = random.Random(seed)
        slots: list[Any] = [0] * program.size
        slots[2:11] = [luck.randint(-1, 1) for _ in range(9)]
        slots[13:15] = [luck.randint(-1, 1) for _ in range(2)]
        slots += [None] * 6
        slots += masks_of(slots, regions)
        try:
            code.tidy(slots)
        except Bailout:
            yield None
            continue
        assert slots[program.size + 6 :] == masks_of(slots, regions)
        yield slots


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_what_is_known_is_what_slots_hold(first: int) -> None:
    ended = 0
    for seed in range(first, first + 100):
        without, known = _ends(seed)
        assert without == known, seed
        ended += known is not None
    assert ended > 20
