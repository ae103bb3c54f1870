"""Counting options instead of listing them: the same program, quicker as machine code.

Assumes: a `Program` of `ir` that only plays whole games.
Does: where nothing but the number of options matters until one is drawn, they are counted, and only
the one that is drawn is made.
Leaves behind: a program that does the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import FOUND, beside
from rulerun.compiled.ir.passes import every_part, rewritten
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.site_ways import Ways, ways_of
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.ir.value import WORDS, Value

ROWS_COUNT = ir.Const(WORDS)
"""The address of how many rows there are where a play rests."""
ROW_ASKED = ir.Const(WORDS + 1)
"""The address of which row shall be made."""


def sampled(program: Program) -> tuple[Program, frozenset[str]]:
    """The program with listers that only count, and which they are.

    Beside a lister a function gives the number of its rows; the lister itself makes the one row
    that `ROW_ASKED` says.
    """
    straight = straight_functions(program)
    flat = {
        lister.name: lister
        for lister in program.listers
        if not lister.remembers
        and _is_flat(lister.body, straight)
        and not _counts_itself(lister.body)
    }
    used = [_listed_rows(block.body) for block in program.blocks]
    for block, rows in zip(program.blocks, used, strict=True):
        for name, lister in rows.items():
            if not _only_counted(block.body, name):
                flat.pop(lister, None)
    for together in program.togethers:
        flat.pop(together.players, None)
    for question in program.questions:
        # What falls by its weight is drawn from all rows.
        if question.chance and question.lister in flat and not weighs_even(flat[question.lister]):
            del flat[question.lister]
    flat.pop("judge", None)
    framed = program.frames > 1
    functions = tuple(
        ir.Function(
            beside(name, "count"),
            (),
            (ir.Assign("n", ir.Const(0)), *_counts(lister.body), ir.Return(ir.Var("n"))),
            lister.about,
            framed,
        )
        for name, lister in flat.items()
    )
    listers = tuple(
        replace(lister, body=(ir.Assign("k", ir.Slot(ROW_ASKED)), *_picks(lister.body)))
        if lister.name in flat
        else lister
        for lister in program.listers
    )
    blocks = tuple(
        replace(
            block,
            body=_counting(
                block.body, {name: lister for name, lister in rows.items() if lister in flat}
            ),
        )
        for block, rows in zip(program.blocks, used, strict=True)
    )
    changed = replace(
        program, functions=(*program.functions, *functions), listers=listers, blocks=blocks
    )
    return changed, frozenset(flat)


def weighs_even(lister: ir.Lister) -> bool:
    """Whether all rows of a lister of luck weigh the same: 1."""
    return lister.width == 3 and all(
        node.numbers[1] == ir.Const(1)
        for node in every_part(lister.body)
        if isinstance(node, ir.Push) and node.rows == FOUND
    )


def _is_flat(body: Body, straight: frozenset[str]) -> bool:
    """Whether a lister does nothing but push rows, in their order."""
    for statement in body:
        match statement:
            case ir.Assign() | ir.NewBits() | ir.Push("found"):
                continue
            case ir.If(_, then, otherwise) if _is_flat(then, straight) and _is_flat(
                otherwise, straight
            ):
                continue
            case ir.EachBit(name, _, block) if _is_row(name, block) or ways_of(statement):
                continue
            case ir.For(_, ir.Const(), ir.Const(), block) if goes_straight(block, straight):
                continue
            case _:
                return False
    return True


def straight_functions(program: Program) -> frozenset[str]:
    """The functions in which nothing is gone through: what they give may be worked out twice."""
    bodies = {each.name: each.body for each in program.functions}
    found: frozenset[str] = frozenset()
    while True:
        more = frozenset(name for name, body in bodies.items() if goes_straight(body, found))
        if more == found:
            return found
        found = more


def goes_straight(body: Body, straight: frozenset[str]) -> bool:
    """Whether statements only reckon, one after another, with functions that do so."""
    return all(
        node.function in straight
        if isinstance(node, ir.Call)
        else not isinstance(node, Statement) or isinstance(node, _RECKONS)
        for node in every_part(body)
    )


_RECKONS = ir.Assign | ir.If | ir.Fail | ir.Return


def _counts_itself(body: Body) -> bool:
    """Whether a lister asks how many rows it has made."""
    return any(
        isinstance(node, ir.Length | ir.RowGet | ir.EachRow) and node.rows == FOUND
        for node in every_part(body)
    )


def _is_row(name: str, block: Body) -> bool:
    """Whether a block pushes one row, after giving names to what it is made of."""
    *before, last = block
    return isinstance(last, ir.Push) and all(
        isinstance(one, ir.Assign) and one.name != name for one in before
    )


def _counts(body: Body) -> Body:
    found: list[Statement] = []
    more = ir.Var("n")
    for statement in body:
        match statement:
            case ir.Push():
                found.append(ir.Assign("n", ir.Binary("+", more, ir.Const(1))))
            case ir.EachBit() if (ways := ways_of(statement)) is not None:
                found.append(ir.Assign("n", ir.Binary("+", more, _pairs(ways))))
            case ir.EachBit(_, mask, _):
                found.append(ir.Assign("n", ir.Binary("+", more, ir.BitCount(mask))))
            case ir.If(condition, then, otherwise):
                found.append(ir.If(condition, _counts(then), _counts(otherwise)))
            case _:
                found.append(statement)
    return tuple(found)


_DONE = ir.Return(ir.Const(1))


def _picks(body: Body, last: bool = True) -> Body:
    """Make the row before which so many are left; `last`: it is none that comes behind these."""
    found: list[Statement] = []
    left = ir.Var("k")
    for at, statement in enumerate(body):
        ends = last and at == len(body) - 1
        match statement:
            case ir.Push():
                found += _one_of(ir.Const(1), (statement, _DONE), ends)
            case ir.EachBit(name) if (ways := ways_of(statement)) is not None:
                many = beside(name, "many")
                found.append(ir.Assign(many, _pairs(ways)))
                found += _one_of(ir.Var(many), _nth_pair(name, ways), ends)
            case ir.EachBit(name, mask, block):
                take = (ir.Assign(name, ir.NthBit(mask, left)), *block, _DONE)
                found += _one_of(ir.BitCount(mask), take, ends)
            case ir.If(condition, then, otherwise):
                found.append(ir.If(condition, _picks(then, ends), _picks(otherwise, ends)))
            case _:
                found.append(statement)
    return tuple(found)


def _one_of(many: Value, take: Body, last: bool) -> Body:
    """Take one of so many, if it is one of them."""
    if last:
        return take
    left = ir.Var("k")
    further = ir.Assign("k", ir.Binary("-", left, many))
    return (ir.If(ir.Binary("<", left, many), take), further)


_HALVES = (32, 16, 8, 4, 2, 1)


def _pairs(ways: Ways, low: Callable[[Value], Value] = lambda way: way) -> Value:
    """How many pairs there are of a site and a way; `low`: of some sites."""
    first, *others = (ir.BitCount(low(way)) for way, _ in ways)
    found: Value = first
    for one in others:
        found = ir.Binary("+", found, one)
    return found


def _nth_pair(site: str, ways: Ways) -> Body:
    """Make the row of the pair before which so many are left: its site by halves, then its way."""
    left, at, below = ir.Var("k"), ir.Var(site), beside(site, "below")
    found: list[Statement] = [ir.Assign(site, ir.Const(0))]
    for half in _HALVES:
        few = ir.Const((1 << half) - 1)

        def low(way: Value, few: Value = few) -> Value:
            return ir.Binary("&", ir.Binary(">>", way, at), few)

        beyond: Body = (
            ir.Assign("k", ir.Binary("-", left, ir.Var(below))),
            ir.Assign(site, ir.Binary("+", at, ir.Const(half))),
        )
        found.append(ir.Assign(below, _pairs(ways, low)))
        found.append(ir.If(ir.Binary(">=", left, ir.Var(below)), beyond))
    for way, row in ways:
        held = ir.Binary("&", ir.Binary(">>", way, at), ir.Const(1))
        take = ir.If(ir.Binary("==", left, ir.Const(0)), (*row, _DONE))
        less = ir.Assign("k", ir.Binary("-", left, ir.Const(1)))
        found.append(ir.If(held, (take, less)))
    return tuple(found)


def _listed_rows(body: Body) -> dict[str, str]:
    """The rows that a block lists, with their listers."""
    return {node.name: node.lister for node in every_part(body) if isinstance(node, ir.CallLister)}


def _only_counted(body: Body, rows: str) -> bool:
    """Whether of some rows only the number is asked for."""
    return not any(
        isinstance(node, ir.RowGet | ir.EachRow | ir.SortRows | ir.Swap | ir.Push | ir.RowSet)
        and rows in (getattr(node, "rows", None), getattr(node, "source", None))
        for node in every_part(body)
    )


def _counting(body: Body, rows: dict[str, str]) -> Body:
    """The same with rows counted instead of listed."""

    def change(node: Any) -> Any:
        match node:
            case ir.CallLister(name=name) if name in rows:
                return ir.StoreSlot(ROWS_COUNT, ir.Call(beside(rows[name], "count"), ()))
            case ir.Length(name) if name in rows:
                return ir.Slot(ROWS_COUNT)
            case _:
                return node

    found: Body = rewritten(body, change)
    return found
