"""What can be chosen, lowered: a lister for each question, and the taking of a row.

Assumes: a `Choose` of the model.
Does: lists rows (action, line, a number for each name) as the reference lists offers: products of
the members in which all conditions hold, each condition asked as early as may be, narrowed by
`if_possible:`, equal actions merged, ascending. The number for a name is what its slot will hold.
Leaves behind: listers; statements that take a row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from math import prod

from rulerun.analysis.reads import reads
from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import FOUND
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.builder import Chosen, Scope, binary, const, plus, times
from rulerun.compiled.lower.conditions import levels
from rulerun.compiled.lower.evaluate import Expressions
from rulerun_dsl import model
from rulerun_dsl.model import Choose, Domain, Option, OptionBinder
from rulerun_dsl.model.valuetypes import Component, Multiset, Optional, SetOf, bare

Bound = Callable[[Value, "Value | Chosen", Value], None]
"""What is done with a member of a binder: its place, what it is, what its slot holds."""


class Choices:
    """The questions of one game."""

    def __init__(self, expressions: Expressions) -> None:
        """Lower the parts with `expressions`."""
        self.expressions = expressions
        self.builder = expressions.builder
        self.game = expressions.game

    def choose(self, node: Choose, at: int) -> None:
        """The instruction: go on without a choice, or rest where it is asked."""
        builder, emit = self.builder, self.builder.emit
        width = self._width(node)
        lister = self._lister(node, at)
        player = self.expressions.sure(node.player, {})
        columns = builder.columns(width)
        settle = builder.body_of(lambda: self._settle(node, at, [ir.Var(name) for name in columns]))
        builder.questions.append(ir.Question(at, lister, columns, False, player, settle))
        rows = builder.fresh("rows")
        emit(ir.CallLister(rows, lister, width))
        if node.otherwise is not None:
            otherwise = node.otherwise
            builder.when(
                self._nothing_to_choose(node, rows, width), lambda: builder.go(at, otherwise)
            )
        emit(ir.If(ir.Not(ir.Length(rows)), (ir.Fail(),)))
        if isinstance(player, ir.Checked | ir.Call):
            emit(ir.Eval(player))
        for part in node.ask:
            if not isinstance(part, str | model.Literal):
                self.expressions.for_errors(part)
        if node.forced:
            with builder.block() as alone:
                for column in range(1, width):
                    emit(ir.Assign(columns[column], ir.RowGet(rows, const(0), column)))
                emit(*settle)
            emit(ir.If(binary("==", ir.Length(rows), 1), tuple(alone)))
        emit(ir.Rest(at, rows))

    def _nothing_to_choose(self, node: Choose, rows: str, width: int) -> Value:
        """Whether no main option is there: what else may be chosen does not count."""
        builder, emit = self.builder, self.builder.emit
        main = [number for number, option in enumerate(node.options) if option.main]
        if len(main) == len(node.options):
            return ir.Not(ir.Length(rows))
        some = builder.keep("some", const(0))
        names = builder.columns(width)
        is_main: Value = const(0)
        for number in main:
            this = binary("==", ir.Var(names[1]), number)
            is_main = this if is_main == const(0) else ir.Either(this, is_main)
        note = ir.If(is_main, (ir.Assign(some.name, const(1)),))
        emit(ir.EachRow(names, rows, (note,)))
        return ir.Not(some)

    def _width(self, node: Choose) -> int:
        """Numbers in a row."""
        return max((self._starts(option)[-1] for option in node.options), default=2)

    def _starts(self, option: Option) -> list[int]:
        """By name of an option, the first number for it in a row; last how many there are."""
        words = (self.builder.words(binder.local.type) for binder in option.binders)
        return list(accumulate(words, initial=2))

    def _lister(self, node: Choose, at: int) -> str:
        """The lister of a question."""
        width = self._width(node)
        most = sum(self.game.actions[option.action].size for option in node.options)
        return self.builder.lister(
            f"options_{at}", width, most, node.span.text, lambda: self._list(node, width)
        )

    def _list(self, node: Choose, width: int) -> None:
        emit = self.builder.emit
        for number, option in enumerate(node.options):

            def write(option: Option = option, number: int = number) -> None:
                self._line(option, number, width)

            if option.once is not None and node.taken is not None:
                taken = ir.Slot(self.builder.local(node.taken))
                free = ir.Not(binary("&", binary(">>", taken, option.once), 1))
                self.builder.when(free, write)
            else:
                write()
        for condition in node.narrowing:
            self._narrow(node, condition, width)
        if not self._in_order(node):
            emit(ir.SortRows(FOUND))
            if len({option.action for option in node.options}) < len(node.options):
                self._merge(width)

    def _in_order(self, node: Choose) -> bool:
        """Whether the rows come in ascending order as they are listed, each action once."""
        bases = [self.game.actions[option.action].base for option in node.options]
        if sorted(set(bases)) != bases:
            return False
        for option in node.options:
            type_ = self.game.actions[option.action]
            for binder, domain in zip(option.binders, type_.parameters, strict=True):
                plain = domain.element is None and not domain.zones and not domain.attributes
                if not plain or not self.expressions.collections.ascending(binder.source):
                    return domain.element is not None and len(option.binders) == 1
                if isinstance(bare(domain.of), Component) and not self._rises(domain):
                    return False
        return True

    def _rises(self, domain: Domain) -> bool:
        """Whether components stand at places in the order of their numbers."""
        type_ = bare(domain.of)
        assert isinstance(type_, Component)
        kind = self.builder.tables.kinds[type_.kind]
        if kind.kind.counted:
            return False
        # Numbers go by class, classes by row, then by owner.
        return domain.owner or all(one <= two for one, two in pairwise(kind.class_of))

    def _one_a_place(self, domain: Domain) -> bool:
        """Whether no two components of a kind stand at one place of the domain."""
        type_ = bare(domain.of)
        assert isinstance(type_, Component)
        kind = self.builder.tables.kinds[type_.kind]
        if kind.kind.counted or max(kind.kind.copies, default=0) > 1:
            return False
        return domain.owner or kind.kind.owners == 1

    # ------------------------------------------------------------------------------ listing

    def _line(self, option: Option, number: int, width: int) -> None:
        """The rows of one line of a question."""
        type_ = self.game.actions[option.action]
        registers = [binder.register for binder in option.binders]
        sources = [binder.source for binder in option.binders]
        asked = levels(
            self.builder.tables, registers, sources, [option.conditions], not self.builder.exact
        )
        sizes = [domain.size for domain in type_.parameters]
        emit = self.builder.emit

        def deeper(depth: int, scope: Scope, at: Value, numbers: tuple[Value, ...]) -> None:
            def inside() -> None:
                if depth == len(option.binders):
                    rest = (const(0),) * (width - 2 - len(numbers))
                    emit(ir.Push(FOUND, (at, const(number), *numbers, *rest)))
                    return
                stride = prod(sizes[depth + 1 :])
                binder, domain = option.binders[depth], type_.parameters[depth]

                def bound(place: Value, held: Value | Chosen, slot: Value) -> None:
                    deeper(
                        depth + 1,
                        {**scope, binder.register: held},
                        plus(at, times(place, stride)),
                        (*numbers, *self.builder.parts(slot, binder.local.type)),
                    )

                if domain.element is not None:
                    self._several(option, depth, domain, scope, bound)
                else:
                    self._single(binder, domain, scope, bound, self._is_counted(option))

            conditions = [self.expressions.value(each, scope) for each in asked[depth]]
            if not conditions:
                inside()
                return
            *before, whole = conditions
            for one in reversed(before):
                whole = ir.Both(one, whole)
            self.builder.when(whole, inside)

        deeper(0, {}, const(type_.base), ())

    def _is_counted(self, option: Option) -> bool:
        return self.builder.effort.counts_option(option)

    def _counted(self, counted: bool, body: Callable[[Value], None]) -> Callable[[Value], None]:
        """What is done with a member, which is counted."""

        def member(one: Value) -> None:
            self.builder.spend(counted)
            body(one)

        return member

    def _single(
        self, binder: OptionBinder, domain: Domain, scope: Scope, bound: Bound, counted: bool
    ) -> None:
        """The members of a binder, one of each place."""
        builder, emit = self.builder, self.builder.emit
        components = self.expressions.components
        once = self._distinct(binder, domain)
        taken = last = None
        if not once and self._side_by_side(binder, domain):
            last = builder.keep("last", const(-1))
        elif not once:
            taken = builder.fresh("taken")
            emit(ir.NewRows(taken, 1, domain.size, domain.size))
        element = self.expressions.collections.element(binder.source)

        def member(one: Value) -> None:
            found = components.placed(domain, one)
            place = found
            if not isinstance(found, ir.Const | ir.Var):
                place = builder.keep("place", found)
            if isinstance(found, ir.Select) or self._may_miss(found):
                emit(ir.If(binary("==", place, ir.NONE), (ir.Fail(),)))
            slot = builder.encoded(one, binder.local.type, element)

            def fresh() -> None:
                if taken is not None:
                    emit(ir.RowSet(taken, place, const(1)))
                if last is not None:
                    emit(ir.Assign(last.name, place))
                bound(place, one, slot)

            if last is not None:
                builder.when(binary("!=", place, last), fresh)
            elif taken is None:
                fresh()
            else:
                builder.when(ir.Not(ir.RowGet(taken, place, 0)), fresh)

        self.expressions.each(binder.source, scope, self._counted(counted, member))

    def _may_miss(self, value: Value) -> bool:
        return isinstance(value, ir.TableLoad | ir.Maybe)

    def _side_by_side(self, binder: OptionBinder, domain: Domain) -> bool:
        """Whether members that stand at the same place come one after another."""
        plain = not domain.zones and not domain.attributes
        component = isinstance(bare(domain.of), Component)
        return (
            component
            and plain
            and self.expressions.collections.ascending(binder.source)
            and self._rises(domain)
        )

    def _distinct(self, binder: OptionBinder, domain: Domain) -> bool:
        """Whether no two members stand at the same place."""
        if not self.expressions.collections.ascending(binder.source):
            return False
        if isinstance(bare(domain.of), Component):
            return self._one_a_place(domain)
        return True

    def _several(
        self, option: Option, depth: int, domain: Domain, scope: Scope, bound: Bound
    ) -> None:
        """Every multiset of alike members within the bounds.

        What can be told apart is chosen as a set: its mask is put together as members are counted.
        """
        builder, emit = self.builder, self.builder.emit
        expressions = self.expressions
        binder, element = option.binders[depth], domain.element
        assert element is not None and binder.high is not None
        there = builder.fresh("there")
        emit(ir.NewRows(there, 1, element.size, element.size))
        deep = max(map(len, domain.multisets), default=1) or 1
        bits = None
        if isinstance(bare(binder.local.type), SetOf):
            bits = builder.fresh("bits")
            emit(ir.NewRows(bits, 1, element.size * deep, element.size * deep))
        note = self._noting(binder, element, there, bits, deep)
        expressions.each(binder.source, scope, self._counted(self._is_counted(option), note))
        low = const(0) if binder.low is None else expressions.sure(binder.low, scope)
        least = builder.keep("least", low)
        most = builder.keep("most", expressions.sure(binder.high, scope))
        sets = builder.lists(f"{binder.name}_sets", domain.multisets)
        sizes = [len(each) for each in domain.multisets]
        number, one = builder.fresh("set"), builder.fresh("m")
        enough, last, run = builder.fresh("ok"), builder.fresh("last"), builder.fresh("run")
        mask = builder.fresh("mask")
        place = ir.Var(number)
        held: Value | Chosen = Chosen(place, option, depth) if bits is None else ir.Var(mask)
        slot = place if bits is None else ir.Var(mask)
        count = ir.Select(binary("==", ir.Var(one), ir.Var(last)), plus(ir.Var(run), 1), const(1))
        short = binary("<", ir.RowGet(there, ir.Var(one), 0), ir.Var(run))
        start: list[ir.Statement] = [
            ir.Assign(enough, const(1)),
            ir.Assign(last, const(-1)),
            ir.Assign(run, const(0)),
        ]
        member: list[ir.Statement] = [
            ir.Assign(run, count),
            ir.Assign(last, ir.Var(one)),
            ir.If(short, (ir.Assign(enough, const(0)), ir.Break())),
        ]
        if bits is not None:
            at = plus(plus(times(ir.Var(one), deep), ir.Var(run)), -1)
            start.append(builder.no_set(mask, builder.bits(bare(binder.local.type))))
            bit = binary("<<", const(1), ir.RowGet(bits, at, 0))
            member.append(ir.Assign(mask, binary("|", ir.Var(mask), bit)))
        with builder.block() as inner:
            size = builder.entry(f"{binder.name}_size", sizes, place)
            fits = ir.Both(binary("<=", least, size), binary("<=", size, most))

            def check() -> None:
                emit(*start, ir.Each(one, sets, place, tuple(member)))
                builder.when(ir.Var(enough), lambda: bound(place, held, slot))

            builder.when(fits, check)
        emit(ir.For(number, const(0), const(len(sizes)), tuple(inner)))

    def _noting(
        self, binder: OptionBinder, element: Domain, there: str, bits: str | None, deep: int
    ) -> Callable[[Value], None]:
        """What counts a member at its place, in `there`.

        In `bits` the first members of each place stand behind one another, each as its bit of a
        set: `deep` of each place, more are never chosen. A member that comes twice is one.
        """
        builder, emit = self.builder, self.builder.emit
        lowest, highest = builder.bounds(self.expressions.collections.element(binder.source))
        seen = None
        if bits is not None:
            seen = builder.keep_set("seen", const(0), highest - lowest + 1)

        def note(one: Value) -> None:
            place = builder.keep("place", self.expressions.components.placed(element, one))
            many = ir.RowGet(there, place, 0)
            fresh: Value = binary("!=", place, ir.NONE)
            does: list[ir.Statement] = [ir.RowSet(there, place, plus(many, 1))]
            if bits is not None and seen is not None:
                bit = builder.keep("bit", plus(one, -lowest))
                kept = ir.RowSet(bits, plus(times(place, deep), many), bit)
                does.insert(0, ir.If(binary("<", many, deep), (kept,)))
                does.append(ir.Assign(seen.name, binary("|", seen, binary("<<", const(1), bit))))
                fresh = ir.Both(fresh, ir.Not(binary("&", binary(">>", seen, bit), 1)))
            emit(ir.If(fresh, tuple(does)))

        return note

    # ---------------------------------------------------------------------------- narrowing

    def _narrow(self, node: Choose, condition: model.Expression, width: int) -> None:
        """Those for which the condition holds, unless none of them would be left."""
        builder, emit = self.builder, self.builder.emit
        main = [at for at, option in enumerate(node.options) if option.main]
        binders = {
            at: {binder.register: n for n, binder in enumerate(node.options[at].binders)}
            for at in main
        }
        bound = set().union(*binders.values()) if binders else set()
        needed = reads(self.game, condition).registers & bound
        lines = [at for at in main if needed <= set(binders[at])]
        passing = builder.fresh("passing")
        most = sum(self.game.actions[option.action].size for option in node.options)
        emit(ir.NewRows(passing, width, max(1, most)))
        some = builder.keep("some", const(0))
        names = builder.columns(width)
        keep_row = ir.Push(passing, tuple(ir.Var(name) for name in names))
        with builder.block() as inner:
            kept = builder.keep("kept", const(1))
            for at in lines:
                option = node.options[at]
                starts = self._starts(option)
                scope: dict[int, Value | Chosen] = {}
                for register, n in binders[at].items():
                    binder = option.binders[n]
                    first, last = starts[n : n + 2]
                    columns = [ir.Var(name) for name in names[first:last]]
                    number = self.builder.joined(columns, bare(binder.local.type))
                    if isinstance(bare(binder.local.type), Multiset):
                        scope[register] = Chosen(number, option, n)
                    elif isinstance(binder.local.type, Optional):
                        scope[register] = builder.decoded(number, binder.local.type)
                    else:
                        scope[register] = number

                def ask(scope: Scope = scope) -> None:
                    holds = self.expressions.value(condition, scope)
                    emit(
                        ir.If(
                            holds,
                            (ir.Assign(some.name, const(1)),),
                            (ir.Assign(kept.name, const(0)),),
                        )
                    )

                builder.when(binary("==", ir.Var(names[1]), at), ask)
            emit(ir.If(kept, (keep_row,)))
        emit(ir.EachRow(names, FOUND, tuple(inner)))
        emit(ir.If(some, (ir.Swap(FOUND, passing),)))

    def _merge(self, width: int) -> None:
        """Of rows with the same action only the first."""
        builder, emit = self.builder, self.builder.emit
        merged = builder.fresh("merged")
        last = builder.keep("last", const(-1))
        emit(ir.NewRows(merged, width, -1))
        names = builder.columns(width)
        push = ir.Push(merged, tuple(ir.Var(name) for name in names))
        new = binary("!=", ir.Var(names[0]), last)
        once = ir.If(new, (push, ir.Assign(last.name, ir.Var(names[0]))))
        emit(ir.EachRow(names, FOUND, (once,)), ir.Swap(FOUND, merged))

    # -------------------------------------------------------------------------------- taking

    def _settle(self, node: Choose, at: int, row: Sequence[Value]) -> None:
        emit = self.builder.emit
        arms = {}
        for number, option in enumerate(node.options):

            def take(option: Option = option) -> None:
                starts = self._starts(option)
                for n, binder in enumerate(option.binders):
                    address = self.builder.local(binder.local.offset)
                    for at_, number in enumerate(row[starts[n] : starts[n + 1]]):
                        emit(ir.StoreSlot(plus(address, at_), number))
                if option.once is not None and node.taken is not None:
                    slot = self.builder.local(node.taken)
                    bits = binary("|", ir.Slot(slot), 1 << option.once)
                    emit(ir.StoreSlot(slot, bits))
                self.builder.go(at, option.to)

            arms[number] = take
        last = len(node.options) - 1
        for number, take in arms.items():
            if number == last:
                take()
            else:
                self.builder.when(binary("==", row[1], number), take)
