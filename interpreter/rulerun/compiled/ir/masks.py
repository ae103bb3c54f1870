"""Loops that look for members which meet a condition, as masks.

Assumes: a `Program` of `ir`.
Does: a loop over slots that looks which of them hold a value becomes one comparison of all of them
at once, and a loop over the bits of what it finds. What else is asked of a member is asked of all
at once too, if it is a question to a table or does not depend on the member. Loops over bits that
only count, collect or stop at the first are no loops any more, nor are loops over a list, as over
neighbours, that do only that: a list is a set that a table knows. Rows of one name that are
narrowed (`if_possible:`) are narrowed as a mask before any is made.
Leaves behind: a program that does the same. Only functions and listers that write no slot are
searched for such loops: nothing can change under a loop there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from itertools import pairwise

from rulerun.compiled import ir
from rulerun.compiled.ir.bitsets import (
    NOTHING,
    WIDEST,
    Members,
    down,
    join,
    meet,
    most,
    number_of,
    select,
)
from rulerun.compiled.ir.fresh_names import beside
from rulerun.compiled.ir.members import Questions
from rulerun.compiled.ir.passes import (
    assigned,
    conjuncts,
    every_part,
    inside_out,
    never_fail,
    pure_functions,
    reads,
    reads_only,
    run_of,
    substituted,
    together,
    variables,
)
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.relations import Ranges
from rulerun.compiled.ir.site_ways import by_way
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.ir.tabling import most_asked
from rulerun.compiled.ir.value import Value

_UNROLLED = 16
_NEAR = 8
"""So many values side by side are looked for one after another."""


def masks(
    program: Program,
    ways: bool = True,
    runs: Collection[tuple[int, int]] | None = None,
    ranges: Ranges | None = None,
) -> Program:
    """Loops over slots that hold a value, as masks; `ways`: also for pairs of a site and a way.

    `runs`: of which runs of slots, if not of all; `ranges`: what slots may hold (`Questions`).
    """
    maker = _Masks(program, runs, ranges)

    def lister(body: Body) -> Body:
        body = maker.distinct(maker.whole(body, True))
        return maker.narrowed(maker.by_way(body) if ways else body)

    changed = replace(
        program,
        functions=tuple(
            replace(each, body=maker.whole(each.body, reads_only(each.body)))
            for each in program.functions
        ),
        listers=tuple(replace(each, body=lister(each.body)) for each in program.listers),
        blocks=tuple(replace(each, body=maker.whole(each.body, False)) for each in program.blocks),
    )
    return replace(changed, tables=tuple(maker.tables.items()))


class _Masks:
    """Makes masks of loops; the tables that they need are added to those of the program."""

    def __init__(
        self, program: Program, runs: Collection[tuple[int, int]] | None, ranges: Ranges | None
    ) -> None:
        self.tables = dict(program.tables)
        sure = never_fail(program) & pure_functions(program)
        quiet = pure_functions(program)
        looking = [each for each in program.functions if each.name in quiet]
        self.ask = Questions(self.tables, dict(program.lists), looking, sure, runs, ranges)
        self.sets: dict[str, int] = {}
        """How many numbers a local set may hold, where its statement says so."""

    def whole(self, body: Body, quiet: bool) -> Body:
        """The body of a function or lister."""
        nodes = every_part(body)
        self.sets = {node.name: node.many for node in nodes if isinstance(node, ir.NewBits)}
        return self.body(body, quiet)

    def body(self, body: Body, quiet: bool) -> Body:
        """The statements of a block, the innermost loops first; `quiet`: no slot is written."""
        if quiet:
            body = inside_out(body, self._around)
        return inside_out(body, lambda statement: self._loop(statement, quiet))

    def _loop(self, statement: Statement, quiet: bool) -> Body:
        match statement:
            case ir.EachEqual(name, base, number, value, block) if self.ask.may_be_asked(
                base, number
            ):
                mask = ir.EqualMask(base, number, value)
                return self._among(name, number, mask, block, quiet)
            case ir.For(name, ir.Const(0), ir.Const(number), block) if (
                quiet and 0 < number <= WIDEST
            ):
                return self._looking(statement, name, number, block)
            case ir.EachBit(name, held, block):
                return self._in_set(name, held, block, quiet)
            case ir.Each() if quiet:
                return self._listed(statement)
            case _:
                return (statement,)

    def _in_set(self, name: str, held: Value, block: Body, quiet: bool) -> Body:
        """A loop over the numbers in a set, of which more may be asked."""
        number = self._most(name, held, block)
        if number is None or not quiet or not isinstance(block[0], ir.If):
            return each_bit(name, held, block)
        return self._among(name, number, held, block, quiet)

    def _most(self, name: str, held: Value, block: Body) -> int | None:
        """How many numbers may be in a set that a loop goes through; None if nothing says so."""
        if isinstance(held, ir.Var) and held.name in self.sets:
            return self.sets[held.name]
        return most_asked(block[0], name, self.tables, self.ask.lists)

    def _around(self, loop: Statement) -> Body:
        """A loop that stops where one in the list of a member meets a condition."""
        match loop:
            case ir.EachBit(name, held, (ir.Each(near, table, centre, (ir.If() as asked,)),)) if (
                centre == ir.Var(name)
            ):
                pass
            case _:
                return (loop,)
        match asked:
            case ir.If(condition, (ir.Return(ir.Const()),) as then, ()):
                number = self._most(name, held, loop.body)
            case _:
                return (loop,)
        if number is None:
            return (loop,)
        members = self.ask.members(near, number, (near, name))
        around = self.ask.near(table, near, condition, members)
        return (loop,) if around is None else each_bit(name, meet(held, around), then)

    def _listed(self, loop: ir.Each) -> Body:
        """A loop over a list, as a set, if all that it asks is asked of all at once."""
        lists = self.ask.lists[loop.table]
        number = max((max(each, default=0) for each in lists), default=0) + 1
        members = self.ask.members(loop.name, number, (loop.name,))
        if number > WIDEST or (held := self.ask.sets(loop.table, loop.index, members)) is None:
            return (loop,)
        if _tells_which(loop) and any(list(each) != sorted(each) for each in lists):
            # Which one is met first hangs on the order of the list; a set has its own.
            return (loop,)
        found = self._among(loop.name, number, held, loop.body, True)
        return (loop,) if any(isinstance(each, ir.EachBit) for each in found) else found

    def _among(self, name: str, number: int, mask: Value, block: Body, quiet: bool) -> Body:
        """A loop over the members of a mask, of which more may be asked."""
        match block:
            case (ir.If(condition, then, ()),) if quiet:
                rest = list(conjuncts(condition))
                members = self.ask.members(name, number, assigned(then) | {name})
            case _:
                return each_bit(name, mask, block)
        asked, rest = self._at_once(rest, members)
        if asked is not None:
            mask = meet(mask, asked)
        return self._each_of(members, mask, rest, then)

    def _each_of(self, members: Members, mask: Value, rest: list[Value], then: Body) -> Body:
        """A loop over the members of a mask, of each of which more is asked."""
        sure: Body = ()
        if rest and (opened := self._open(rest[0], members, mask, then)) is not None:
            sure, mask, rest = opened, ir.Var(beside(members.name, "passing")), rest[1:]
        inner: Body = (ir.If(together(rest), then),) if rest else then
        return (*sure, *each_bit(members.name, mask, inner))

    def _open(self, condition: Value, members: Members, mask: Value, then: Body) -> Body | None:
        """Of whom one of two conditions holds, of which the first may be asked of all at once.

        The other is asked of each for whom the first does not hold, as the rules do.
        """
        ends = any(isinstance(node, ir.Return | ir.Break | ir.Fail) for node in every_part(then))
        if self.ask.runs is None or ends or not isinstance(condition, ir.Either):
            return None
        first = self.ask.mask_of(condition.left, members)
        if first is None:
            return None
        name = members.name
        held, passing = beside(name, "held"), beside(name, "passing")
        one = ir.Binary("<<", ir.Const(1), ir.Var(name))
        found = ir.Assign(passing, ir.Binary("|", ir.Var(passing), one))
        left = ir.Binary("^", ir.Var(held), ir.Var(passing))
        return (
            ir.Assign(held, mask),
            ir.Assign(passing, meet(ir.Var(held), first)),
            ir.EachBit(name, left, (ir.If(condition.right, (found,)),)),
        )

    def _looking(self, loop: ir.For, name: str, number: int, block: Body) -> Body:
        """A loop in which everything depends on what its member, or one slot, is."""
        match block:
            case (ir.If(condition, then, ()),):
                pass
            case (ir.Assign(read, ir.Slot(address) as slot), ir.If(condition, then, ())) if (
                run_of(address, name) is not None
            ):
                # What the slot holds has a name.
                condition = substituted(condition, {read: slot})
                if read in reads(then):
                    then = (ir.Assign(read, slot), *then)
            case _:
                return (loop,)
        members = self.ask.members(name, number, assigned(then) | {name})
        members = replace(members, asked=True)
        mask, rest = self._at_once(list(conjuncts(condition)), members)
        if mask is None:
            mask, rest = self.ask.may_hold(condition, members), [condition]
        if mask is None:
            return (loop,)
        if mask == NOTHING:
            return ()
        parts = list(every_part([mask]))
        plain = any(isinstance(each, ir.EqualMask) for each in parts) and not any(
            isinstance(each, ir.Select) for each in parts
        )
        if number <= _UNROLLED and not plain:
            # So short a loop is better written out, as LLVM does.
            return (loop,)
        return self._each_of(members, mask, rest, then)

    def _at_once(
        self, conditions: list[Value], members: Members
    ) -> tuple[Value | None, list[Value]]:
        """The mask of the conditions that are asked first, and those that are left.

        Only what is asked first may be asked of all at once: behind it something may fail.
        """
        if not conditions:
            return None, []
        taken, mask = self._first(conditions, members)
        if mask is None:
            return None, conditions
        more, rest = self._at_once(conditions[taken:], replace(members, asked=False))
        if more is None:
            return mask, rest
        if members.name in variables(conditions[0]):
            return meet(mask, more), rest
        # What is the same for all may say whether the others have an answer.
        return select(conditions[0], more, NOTHING), rest

    def _first(self, rest: list[Value], members: Members) -> tuple[int, Value | None]:
        """The mask of the first conditions, and how many those are."""
        if len(rest) > 1 and (near := self._near(rest[0], rest[1], members)) is not None:
            return 2, near
        return 1, self.ask.mask_of(rest[0], members)

    def _near(self, least: Value, most: Value, members: Members) -> Value | None:
        """For which members a slot holds one of a few values side by side."""
        match least, most:
            case (
                ir.Binary(">=", ir.Slot(address), ir.Const(low)),
                ir.Binary("<", ir.Slot(same), ir.Const(high)),
            ) if address == same and low < high <= low + _NEAR:
                base = run_of(address, members.name)
            case _:
                return None
        if base is None or not self.ask.may_be_asked(base, members.number):
            return None
        found: Value = NOTHING
        for value in range(low, high):
            found = join(found, ir.EqualMask(base, members.number, ir.Const(value)))
        return found

    # -------------------------------------------------------------------------------- listers

    def distinct(self, body: Body) -> Body:
        """The body of a lister, with the first of those that are alike as a mask.

        Alike is what a table says the same of, side by side: a row is made if it is another one
        than that of the member before.
        """
        found: list[Statement] = []
        for each in body:
            found += self._distinct(each, body) if isinstance(each, ir.EachBit) else (each,)
        return tuple(found)

    def _distinct(self, loop: ir.EachBit, body: Body) -> Body:
        match loop.body:
            case (
                ir.Assign(place, ir.TableLoad(table, ir.Var(member))) as read,
                ir.If(ir.Binary("==", _, ir.Const(ir.NONE)), (ir.Fail(),), ()),
                ir.If(
                    ir.Binary("!=", ir.Var(mine), ir.Var(last)),
                    (ir.Assign(noted, ir.Var(kept)), ir.Push() as row),
                    (),
                ),
            ) if member == loop.name and place == mine == kept and last == noted:
                number, values = number_of(loop.value), self.tables[table]
            case _:
                return (loop,)
        others = [node for node in every_part(body) if getattr(node, "name", "") == last]
        begins = ir.Assign(last, ir.Const(-1)) in body and len(others) == 3
        if (
            number is None
            or not begins
            or any(not 0 <= one <= other for one, other in pairwise((0, *values[:number])))
        ):
            return (loop,)
        members = self.ask.members(member, number, (member,))
        all_ = ir.Var(beside(member, "all"))
        first: Value = all_
        for far in range(1, max(Counter(values[:number]).values())):
            alike = members.bits(at for at in range(far, number) if values[at] == values[at - far])
            before = meet(ir.Binary("<<", all_, ir.Const(far)), alike)
            first = meet(first, ir.Binary("^", before, members.every))
        return (
            ir.Assign(all_.name, loop.value),
            ir.EachBit(member, first, (read, row)),
        )

    def by_way(self, body: Body) -> Body:
        """The body of a lister, with pairs of a site and a way as masks."""
        found: list[Statement] = []
        for each in body:
            if isinstance(each, ir.EachBit):
                found += by_way(each, number_of(each.value), self.ask)
            else:
                found.append(each)
        return tuple(found)

    def narrowed(self, body: Body) -> Body:
        """The body of a lister, with rows of one name narrowed as a mask.

        It lists a row for each bit of a mask, all of one line, and narrows them one condition after
        another: those that pass stay, unless none would.
        """
        start = next((at for at, each in enumerate(body) if not isinstance(each, ir.Assign)), 0)
        found, narrowing = list(body[:start]), body[start + 1 :]
        match body[start : start + 1]:
            case (ir.EachBit(member, all_, (ir.Push("found", (_, ir.Const(line), last)) as row,)),):
                number = number_of(all_)
            case _:
                return body
        if number is None or last != ir.Var(member) or not narrowing or len(narrowing) % 4:
            return body
        members = self.ask.members(member, number, (member,))
        held, passing = beside(member, "held"), beside(member, "passing")
        found.append(ir.Assign(held, all_))
        for at in range(0, len(narrowing), 4):
            asked = _narrows(narrowing[at : at + 4], line, ir.Var(member))
            mask = None if asked is None else self.ask.mask_of(asked, members)
            if mask is None:
                return body
            # Nobody asks where there is nothing.
            left = select(ir.Var(held), meet(ir.Var(held), mask), NOTHING)
            found.append(ir.Assign(passing, left))
            found.append(ir.If(ir.Var(passing), (ir.Assign(held, ir.Var(passing)),)))
        return (*found, ir.EachBit(member, ir.Var(held), (row,)))


def _narrows(body: Body, line: int, member: Value) -> Value | None:
    """The condition on a member by which statements narrow rows of one line."""
    match body:
        case (
            ir.NewRows(passing, _, _, 0),
            ir.Assign(some, ir.Const(0)),
            ir.EachRow(
                names,
                "found",
                (
                    ir.Assign(kept, ir.Const(1)),
                    ir.If(
                        ir.Binary("==", ir.Var(of), ir.Const(asked)),
                        (
                            ir.If(
                                condition,
                                (ir.Assign(noted, ir.Const(1)),),
                                (ir.Assign(dropped, ir.Const(0)),),
                            ),
                        ),
                        (),
                    ),
                    ir.If(ir.Var(keeps), (ir.Push(into, numbers),), ()),
                ),
            ),
            ir.If(ir.Var(any_), (ir.Swap("found", source),), ()),
        ) if (
            len(names) == 3
            and (of, asked) == (names[1], line)
            and some == noted == any_
            and kept == dropped == keeps
            and passing == into == source
            and numbers == tuple(ir.Var(name) for name in names)
            and not variables(condition) & {names[0], names[1]}
        ):
            found: Value = substituted(condition, {names[2]: member})
            return found
        case _:
            return None


def _tells_which(loop: ir.Each) -> bool:
    """Whether a loop gives back the member that it comes to, or notes the last one."""
    for each in every_part(loop.body):
        match each:
            case ir.Return(value) | ir.Assign(_, value) if loop.name in variables(
                value
            ) and not _collects(each):
                return True
    return False


def _collects(each: ir.Return | ir.Assign) -> bool:
    """Whether a statement adds to a set."""
    match each:
        case ir.Assign(name, ir.Binary("|", ir.Var(same))):
            return name == same
        case _:
            return False


def each_bit(name: str, mask: Value, block: Body, bits: int | None = None) -> Body:
    """A loop over the bits of a mask, or what does the same; `bits`: those that it may have."""
    bits = most(mask) if bits is None else bits
    if any(isinstance(node, ir.Select) for node in every_part([mask])):
        among = beside(name, "among")
        return (ir.Assign(among, mask), *each_bit(name, ir.Var(among), block, bits))
    one = ir.Var(name)
    match block:
        case (ir.Assign(total, ir.Binary("+", ir.Var(same), ir.Const(1))),) if total == same:
            return (ir.Assign(total, ir.Binary("+", ir.Var(total), ir.BitCount(mask))),)
        case (
            ir.Assign(held, ir.Binary("|", ir.Var(same), ir.Binary("<<", ir.Const(1), bit))),
        ) if held == same and bit == one:
            return (ir.Assign(held, ir.Binary("|", ir.Var(held), mask)),)
        case (
            ir.Assign(
                held,
                ir.Binary(
                    "|",
                    ir.Var(same),
                    ir.Binary("<<", ir.Const(1), ir.Binary("-", bit, ir.Const() as low)),
                ),
            ),
        ) if held == same and bit == one:
            moved = down(mask, low.value, bits)
            return (ir.Assign(held, ir.Binary("|", ir.Var(held), moved)),)
        case (ir.Return(ir.Const() as value),):
            return (ir.If(mask, (ir.Return(value),)),)
        case (ir.Return(value),) if value == one:
            return (ir.If(mask, (ir.Return(ir.LowestBit(mask)),)),)
        case (ir.Assign(last, value),) if last != name and _is_member(value, one):
            # Each is set in its turn: what is left is the last.
            return (ir.If(mask, (ir.Assign(last, ir.HighestBit(mask)),)),)
        case _:
            return (ir.EachBit(name, mask, block),)


def _is_member(value: Value, one: Value) -> bool:
    """Whether a value is the member of a loop, which is never none."""
    return value == one or (isinstance(value, ir.OrElse) and value.value == one)
