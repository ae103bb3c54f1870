"""Pairs of a site and a way from it, as a mask of sites for each way.

Assumes: a lister that goes through sites, and for each through a few ways; questions that can be
asked of all sites at once (`members`).
Does: asks for each way of all sites whether the pair passes, so that `go(s, d)` is a shift of the
whole board; lists a pair for each bit, by site, then by way, as before.
Leaves behind: a loop in a form that `ways_of` knows: who counts or draws pairs (`sampling`) needs
no list of them.
"""

from __future__ import annotations

from rulerun.compiled import ir
from rulerun.compiled.ir.bitsets import NOTHING, join, meet
from rulerun.compiled.ir.fresh_names import beside
from rulerun.compiled.ir.members import Questions
from rulerun.compiled.ir.passes import substituted
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.ir.value import Value

_MOST = 16
"""So many ways lead from a site at most."""
_ONE = ir.Const(1)


def by_way(loop: ir.EachBit, number: int | None, ask: Questions) -> Body:
    """A loop over sites, of so many, with a loop over ways in it, as a mask for each way."""
    match loop.body:
        case (ir.For(way, ir.Const(0), ir.Const(many), (ir.If(condition, (ir.Push() as row,)),)),):
            pass
        case _:
            return (loop,)
    if number is None or number > ask.widest or not 1 < many <= _MOST:
        return (loop,)
    site, members = loop.name, ask.members(loop.name, number, (loop.name,))
    own = beside(site, "own")
    found: list[Statement] = [ir.Assign(own, loop.value)]
    pairs: list[Statement] = []
    some: Value = NOTHING
    for at in range(many):
        here = {way: ir.Const(at)}
        asked = ask.plain.value(substituted(condition, here))
        mask = ask.mask_of(asked, members)
        if mask is None:
            return (loop,)
        if mask == NOTHING:
            continue
        name = beside(site, f"way{at}")
        found.append(ir.Assign(name, meet(ir.Var(own), mask)))
        some = join(some, ir.Var(name))
        pairs.append(ir.If(_holds(name, site), (substituted(row, here),)))
    return (*found, ir.EachBit(site, some, tuple(pairs)))


def _holds(name: str, site: str) -> Value:
    return ir.Binary("&", ir.Binary(">>", ir.Var(name), ir.Var(site)), _ONE)


Ways = list[tuple[ir.Var, Body]]
"""For each way the mask of its sites, and what is done with a pair."""


def ways_of(loop: ir.EachBit) -> Ways | None:
    """The masks of a loop over pairs, and what is done with a pair of each; None if it is none."""
    found: Ways = []
    some: Value = NOTHING
    for each in loop.body:
        match each:
            case ir.If(
                ir.Binary("&", ir.Binary(">>", ir.Var(name)), _), (ir.Push(),) as row, ()
            ) if each.condition == _holds(name, loop.name):
                found.append((ir.Var(name), row))
                some = join(some, ir.Var(name))
            case _:
                return None
    return found if found and some == loop.value else None
