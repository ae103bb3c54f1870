"""Subsets, and the best of them that lie apart, lowered.

Assumes: sets as masks: a bit for each value of a type, the lowest first.
Does: meets the subsets of a collection in the order of the reference, each made from the one before
it; searches the best sets that lie apart with a stack of its own, and tries what the reference
tries.
Leaves behind: statements in the block that is written.
"""

from __future__ import annotations

from collections.abc import Callable

from rulerun.compiled import ir
from rulerun.compiled.ir.value import MOST, Value
from rulerun.compiled.lower.builder import Builder, Scope, binary, const, interval, plus
from rulerun.compiled.lower.collections import Collections
from rulerun.compiled.lower.compiler import Compiler
from rulerun.compiled.lower.components import Body
from rulerun.runtime.index import element_of
from rulerun_dsl import model
from rulerun_dsl.model.valuetypes import SetOf

Passing = Callable[[model.Quantifier, Scope, Callable[[Scope], None]], None]
"""Writes the loops of a word's clauses."""


def each_subset(
    compiler: Compiler,
    mask: Callable[[model.Expression, Scope, SetOf], Value],
    node: model.BuiltinCall,
    scope: Scope,
    body: Body,
) -> None:
    """A loop over `subsets(low..high, S)`."""
    builder, emit = compiler.builder, compiler.builder.emit
    low, high, source = node.arguments
    of = element_of(node.type)
    assert isinstance(of, SetOf)
    low_value, high_value = builder.tables.members(of)
    most = high_value - low_value + 1
    whole = builder.keep_set("whole", mask(source, scope, of), most)
    count = builder.keep("count", ir.BitCount(whole))
    bits, each = builder.fresh("bits"), builder.fresh("each")
    emit(ir.NewRows(bits, 1, most))
    emit(ir.EachBit(each, whole, (ir.Push(bits, (ir.Var(each),)),)))
    first = binary("max", compiler.sure(low, scope), 0)
    last = binary("min", compiler.sure(high, scope), count)
    size, out = builder.fresh("size"), builder.fresh("out")
    full = builder.keep_set("full", binary("-", binary("<<", const(1), count), 1), most + 1)
    emit(builder.no_set(out, most + 1))
    with builder.block() as of_size:
        # Which members are left out, as a number: ascending.
        fewer = binary("<<", const(1), binary("-", count, ir.Var(size)))
        emit(ir.Assign(out, plus(fewer, -1)))
        with builder.block() as of_set:
            found = builder.keep_set("set", const(0), most)
            place = builder.fresh("place")
            # The last member is the lowest bit of the number.
            which = ir.RowGet(bits, binary("-", plus(count, -1), ir.Var(place)), 0)
            bit = binary("<<", const(1), which)
            add = (ir.Assign(found.name, binary("|", found, bit)),)
            emit(ir.EachBit(place, binary("^", full, ir.Var(out)), add))
            # The next number with as many bits.
            lowest, ripple = builder.fresh("lowest"), builder.fresh("ripple")
            changed = binary("^", ir.Var(ripple), ir.Var(out))
            moved = binary(">>", changed, plus(ir.Var(lowest), 2))
            following = (
                ir.Assign(lowest, ir.LowestBit(ir.Var(out))),
                ir.Assign(ripple, plus(ir.Var(out), binary("<<", const(1), ir.Var(lowest)))),
                ir.Assign(out, binary("|", moved, ir.Var(ripple))),
            )
            emit(ir.If(ir.Var(out), following, (ir.Assign(out, plus(full, 1)),)))
            body(found)
        emit(ir.While(binary("<=", ir.Var(out), full), tuple(of_set)))
    emit(ir.For(size, first, plus(last, 1), tuple(of_size)))


def packing(
    compiler: Compiler,
    collections: Collections,
    passing: Passing,
    node: model.Quantifier,
    scope: Scope,
) -> None:
    """The body of a function that gives `packing(e for t in S if c)`."""
    builder, emit = compiler.builder, compiler.builder.emit
    of = element_of(node.clauses[-1].source.type)
    assert isinstance(of, SetOf)
    assert node.value is not None
    value, register = node.value, node.clauses[-1].register
    base = builder.keep("base", const(0))
    many = 1
    for clause in node.clauses:
        many *= max(1, collections.most(clause.source))
    found, sets = builder.fresh("found"), builder.fresh("sets")
    words = builder.words(of)
    emit(ir.NewRows(found, 2 + words, many), ir.NewRows(sets, 1 + words, many))

    def note(inner: Scope) -> None:
        worth = builder.keep("worth", compiler.sure(value, inner))
        held = inner[register]
        assert isinstance(held, ir.Var | ir.Const)
        # The highest part first: so they are in order as the sets are.
        parts = reversed(builder.parts(held, of))
        row = (ir.LowestBit(held), *parts, binary("-", const(0), worth))
        alone = (ir.Assign(base.name, binary("max", base, worth)),)
        emit(ir.If(held, (ir.If(binary(">", worth, 0), (ir.Push(found, row),)),), alone))

    passing(node, scope, note)
    # By the lowest member; of one set the highest value first, and none but that.
    low, *masks, loss = builder.columns(2 + words)
    columns = [ir.Var(name) for name in reversed(masks)]
    before = [builder.keep("before", const(0)) for _ in columns]
    keep: ir.Body = (
        ir.Push(sets, (*columns, binary("-", const(0), ir.Var(loss)))),
        *(ir.Assign(one.name, now) for one, now in zip(before, columns, strict=True)),
    )
    other: Value = const(0)
    for one, now in zip(before, columns, strict=True):
        differs = binary("!=", now, one)
        other = differs if other == const(0) else ir.Either(other, differs)
    again = ir.If(other, keep)
    emit(ir.SortRows(found), ir.EachRow((low, *masks, loss), found, (again,)))
    number = builder.keep("number", ir.Length(sets))

    rest = builder.fresh("rest")
    emit(ir.NewRows(rest, 1, many))
    behind, highest = builder.keep("behind", const(0)), builder.keep("highest", const(0))
    lowest, step = builder.keep("lowest", const(-1)), builder.fresh("step")
    with builder.block() as backwards:
        at = binary("-", binary("-", number, 1), ir.Var(step))
        here = builder.keep("low", ir.LowestBit(_set_of(builder, sets, at, of)))
        change = (
            ir.Assign(behind.name, plus(behind, highest)),
            ir.Assign(highest.name, const(0)),
            ir.Assign(lowest.name, here),
        )
        emit(ir.If(binary("!=", here, lowest), change))
        emit(ir.Assign(highest.name, binary("max", highest, ir.RowGet(sets, at, words))))
        emit(ir.Push(rest, (plus(behind, highest),)))
    emit(ir.For(step, const(0), number, tuple(backwards)))

    _search(compiler, node, of, (sets, rest), number)(base)


def _set_of(builder: Builder, sets: str, at: Value, of: SetOf) -> Value:
    """One of the sets that are worth something."""
    return builder.joined([ir.RowGet(sets, at, part) for part in range(builder.words(of))], of)


def _search(
    compiler: Compiler, node: model.Quantifier, of: SetOf, rows: tuple[str, str], number: Value
) -> Callable[[Value], None]:
    """The search, which ends the function."""
    builder, emit = compiler.builder, compiler.builder.emit
    sets, rest = rows
    low, high = builder.tables.members(of)
    taken = builder.fresh("taken")
    # No two of what is taken have the same lowest member.
    emit(ir.NewRows(taken, 1, high - low + 1, high - low + 1))
    names = ("at", "depth", "total", "best", "on")
    at, depth, total, best, on = (builder.keep(each, const(0)) for each in names)
    used = builder.keep_as("used", const(0), of)
    emit(ir.Assign(on.name, const(1)))
    mask, worth = _set_of(builder, sets, at, of), ir.RowGet(sets, at, builder.words(of))
    still = ir.RowGet(rest, binary("-", binary("-", number, 1), at), 0)
    helps = ir.Both(binary("<", at, number), binary(">", plus(total, still), best))
    take = (
        ir.RowSet(taken, depth, at),
        ir.Assign(depth.name, plus(depth, 1)),
        ir.Assign(used.name, binary("|", used, mask)),
        ir.Assign(total.name, plus(total, worth)),
        ir.Assign(best.name, binary("max", best, total)),
    )
    leave = (
        ir.Assign(depth.name, plus(depth, -1)),
        ir.Assign(at.name, ir.RowGet(taken, depth, 0)),
        ir.Assign(used.name, binary("^", used, mask)),
        ir.Assign(total.name, binary("-", total, worth)),
    )
    spent = (ir.Spend(),) if builder.counts(node) else ()
    try_it = (*spent, ir.If(binary("==", binary("&", mask, used), 0), take))
    go_back = ir.If(depth, leave, (ir.Assign(on.name, const(0)),))
    emit(ir.While(on, (ir.If(helps, try_it, (go_back,)), ir.Assign(at.name, plus(at, 1)))))

    def give(base: Value) -> None:
        whole: Value = plus(base, best)
        assert node.value is not None
        if interval(builder, node.value)[1] * (high - low + 2) > MOST:
            whole = ir.Checked(whole, 0, MOST, builder.fresh("t"))
        emit(ir.Return(whole))

    return give
