"""The words of the library that work on boards, and `reverse` and `around`, lowered.

Assumes: boards whose `go` and `neighbours` were worked out at load.
Does: turns steps into tables; lines into masks of sites; `reach`, `distance` and `path` into a
search that spreads from site to site.
Leaves behind: functions and statements of the program.
"""

from __future__ import annotations

from collections.abc import Callable

from rulerun.analysis.failing import never_fails
from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import PASSED
from rulerun.compiled.ir.program import Unsupported
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.builder import Chosen, Scope, binary, const, plus, times
from rulerun.compiled.lower.collections import Collections
from rulerun.compiled.lower.compiler import Compiler
from rulerun.compiled.lower.flags import Flags
from rulerun.compiled.lower.floods import flood, goes_by_shifts
from rulerun.reference.boards import backwards, gone, lines_of, rays
from rulerun_dsl import model
from rulerun_dsl.model import Board, Expression
from rulerun_dsl.model.valuetypes import WORD, Component


class BoardWords:
    """The words on boards of one game."""

    def __init__(self, compiler: Compiler, collections: Collections) -> None:
        """Lower the parts with `compiler`."""
        self.compiler = compiler
        self.collections = collections
        self.builder = compiler.builder

    def value(self, node: model.BuiltinCall, scope: Scope) -> Value:
        """A word that gives one value."""
        board = self.builder.tables.boards.get(node.board)
        match node.word:
            case "go":
                assert board is not None
                return self._go(node, board, scope)
            case "site":
                assert board is not None
                return self._site(node, board, scope)
            case "line":
                assert board is not None
                return self._line(node, board, scope)
            case "path":
                assert board is not None
                return self._path(node, board, scope)
            case "distance":
                return self._distance(node, board, scope)
            case _:
                raise Unsupported(f"`{node.word}` as one value")

    def each(self, node: model.BuiltinCall, scope: Scope, body: Callable[[Value], None]) -> None:
        """A loop over what a word gives that gives a collection."""
        board = self.builder.tables.boards.get(node.board)
        match node.word:
            case "ray":
                assert board is not None
                self._ray(node, board, scope, body)
            case "neighbours":
                assert board is not None
                self._neighbours(node.arguments[0], board, scope, body)
            case "reach":
                self._reach(node, board, scope, body)
            case _:
                raise Unsupported(f"`{node.word}` as a collection")

    # ------------------------------------------------------------------------------- steps

    def _go(self, node: model.BuiltinCall, board: Board, scope: Scope) -> Value:
        site, direction = node.arguments[0], node.arguments[1]
        sites = len(board.sites)
        many = node.arguments[2] if len(node.arguments) > 2 else None
        if many is None:
            steps = 1
        elif isinstance(many, model.Literal) and many.value is not None:
            steps = many.value
        else:
            return self._go_many(node, board, scope)
        if not never_fails(self.builder.tables, direction):
            # It is asked for even where the site is none.
            return self._go_many(node, board, scope)
        back = backwards(board)
        whole = [
            gone(board, back, start, way, steps)
            for way in range(len(board.directions))
            for start in range(sites)
        ]
        name = f"go_{board.name}" if steps == 1 else f"go_{steps}_{board.name}"

        def step(here: Value) -> Value:
            return self.compiler.of(
                direction,
                scope,
                lambda way: self.builder.entry(name, whole, plus(times(way, sites), here)),
            )

        return self.compiler.of(site, scope, step)

    def _go_many(self, node: model.BuiltinCall, board: Board, scope: Scope) -> Value:
        sites = len(board.sites)
        # Behind the directions stand those that lead back.
        whole = [site for ways in (*board.go, *backwards(board)) for site in ways]

        def write(here: ir.Var, way: ir.Var, steps: ir.Var) -> None:
            emit, name = self.builder.emit, self.builder.fresh("i")
            for given in (here, way, steps):
                emit(ir.If(binary("==", given, ir.NONE), (ir.Return(const(None)),)))
            turn = ir.Assign(way.name, plus(way, len(board.go)))
            negative = binary("<", steps, 0)
            emit(ir.If(negative, (turn, ir.Assign(steps.name, binary("-", const(0), steps)))))
            if board.shape == "ring":
                emit(ir.Assign(steps.name, binary("%", steps, sites)))
            else:
                emit(ir.Assign(steps.name, binary("min", steps, sites)))
            there = self.builder.entry(f"far_{board.name}", whole, plus(times(way, sites), here))
            off = ir.If(binary("==", here, ir.NONE), (ir.Return(const(None)),))
            emit(ir.For(name, const(0), steps, (ir.Assign(here.name, there), off)))
            emit(ir.Return(here))

        made = self.builder.function(
            ("go", board.name),
            f"go_far_{board.name}",
            ["here", "way", "steps"],
            f"so many steps on {board.name}; none off the board",
            write,
        )
        given = [self.compiler.value(each, scope) for each in node.arguments]
        return ir.Call(made, (*given, *[const(1)] * (3 - len(given))))

    def _site(self, node: model.BuiltinCall, board: Board, scope: Scope) -> Value:
        places = {
            place: site for site, place in enumerate(zip(board.rows, board.columns, strict=True))
        }
        high, wide = max(board.rows, default=0), max(board.columns, default=0)
        whole = [places.get((row, column)) for row in range(high + 1) for column in range(wide + 1)]

        def write(row: Value, column: Value) -> None:
            inside = ir.Both(
                ir.Both(binary(">=", row, 0), binary("<=", row, high)),
                ir.Both(binary(">=", column, 0), binary("<=", column, wide)),
            )
            at = plus(times(row, wide + 1), column)
            found = self.builder.entry(f"site_of_{board.name}", whole, at)
            self.builder.emit(ir.If(inside, (ir.Return(found),)), ir.Return(const(None)))

        made = self.builder.function(
            ("site", board.name),
            f"site_{board.name}",
            ["row", "column"],
            f"the site of {board.name} there",
            write,
        )
        return ir.Call(made, tuple(self.compiler.value(each, scope) for each in node.arguments))

    def _neighbours(
        self, node: Expression, board: Board, scope: Scope, body: Callable[[Value], None]
    ) -> None:
        site = self.compiler.value(node, scope)
        table = self.builder.lists(f"near_{board.name}", board.neighbours)
        name = self.builder.fresh("m")

        def loop(here: Value) -> None:
            with self.builder.block() as inner:
                body(ir.Var(name))
            self.builder.emit(ir.Each(name, table, here, tuple(inner)))

        if not self.builder.may_be_none(node.type):
            loop(site)
            return
        here = self.builder.keep("here", site)
        self.builder.when(binary("!=", here, ir.NONE), lambda: loop(here))

    def _ray(
        self, node: model.BuiltinCall, board: Board, scope: Scope, body: Callable[[Value], None]
    ) -> None:
        site, direction = (self.compiler.value(each, scope) for each in node.arguments)
        table = self.builder.lists(f"rays_{board.name}", rays(board))
        name = self.builder.fresh("m")
        with self.builder.block() as inner:
            body(ir.Var(name))
        which = plus(times(direction, len(board.sites)), site)
        self.builder.emit(ir.Each(name, table, which, tuple(inner)))

    # ------------------------------------------------------------------------------- lines

    def _passing(
        self, node: model.BuiltinCall, scope: Scope, then: Callable[[Value], None]
    ) -> None:
        """A loop over the sites that pass the clause of a word."""
        clause = node.clause
        assert clause is not None

        def test(site: Value) -> None:
            self.builder.spend(self.builder.counts(node))
            if clause.condition is None:
                then(site)
                return
            inner = {**scope, clause.register: site}
            self.builder.when(self.compiler.value(clause.condition, inner), lambda: then(site))

        self.compiler.each(clause.source, scope, test)

    def _line(self, node: model.BuiltinCall, board: Board, scope: Scope) -> Value:
        """Whether so many sites in a row pass: the sites as bits of a number."""
        (length,) = node.arguments
        if not isinstance(length, model.Literal) or length.value is None:
            raise Unsupported("a line of a length that is reckoned")
        lines = lines_of(board, length.value)
        if length.value < 1:
            raise Unsupported("a line of no site")
        sites = len(board.sites)

        def write(inner: Scope) -> None:
            emit = self.builder.emit
            held = Flags(self.builder, "held", sites)
            self._passing(node, inner, lambda site: emit(held.mark(site)))
            # Lines that run the same way are found together: shifted onto their first site.
            ways: dict[tuple[int, ...], int] = {}
            for line in lines:
                first, *others = sorted(line)
                steps = tuple(site - first for site in others)
                ways[steps] = ways.get(steps, 0) | 1 << first
            for steps, firsts in ways.items():
                for word in held.some_of(firsts):
                    whole = binary("&", held.shifted(0, word), held.word_of(firsts, word))
                    for step in steps:
                        whole = binary("&", whole, held.shifted(step, word))
                    emit(ir.If(whole, (ir.Return(const(1)),)))
            emit(ir.Return(const(0)))

        return self.compiler.as_function(node, scope, "line", write)

    # ------------------------------------------------------------------------------ searches

    def _nodes(self, node: model.BuiltinCall, board: Board | None) -> tuple[int, int]:
        """The lowest node of a graph, and how many there are."""
        if node.relation is None:
            assert board is not None
            return 0, len(board.sites)
        function = self.builder.game.functions[node.relation]
        element = (
            self.collections.element(function.body)
            if self.collections.is_collection(function.body)
            else function.body.type
        )
        if isinstance(element, Component):
            kind = self.builder.tables.kinds[element.kind]
            if kind.kind.counted:
                raise Unsupported("a search over counted components")
        low, high = self.builder.bounds(element)
        return low, high - low + 1

    def _spread(
        self,
        node: model.BuiltinCall,
        board: Board | None,
        scope: Scope,
        starts: Callable[[Callable[[Value], None]], None],
        met: Callable[[Value, Value], None],
    ) -> Flags:
        """Visit every node that can be reached, nearest first: `met(node, how far)`.

        Gives those that were seen, numbered from the lowest.
        """
        builder, emit = self.builder, self.builder.emit
        low, many = self._nodes(node, board)
        seen = Flags(builder, "seen", many)
        queue = builder.fresh("queue")
        emit(ir.NewRows(queue, 2, many))
        allowed: Callable[[Value], Value] | None = None
        if node.clause is not None:
            allowed = self._allowed(node, scope, many)

        def enter(site: Value, far: Value) -> None:
            bit = plus(site, -low)
            new: Value = ir.Not(seen.holds(bit))
            if allowed is not None:
                new = ir.Both(new, allowed(site))
            emit(ir.If(new, (seen.mark(bit), ir.Push(queue, (site, far)))))

        starts(lambda site: enter(site, const(0)))
        next_ = builder.keep("next", const(0))
        with builder.block() as inner:
            here = builder.keep("here", ir.RowGet(queue, next_, 0))
            far = builder.keep("far", ir.RowGet(queue, next_, 1))
            emit(ir.Assign(next_.name, plus(next_, 1)))
            met(here, far)
            self._onward(node, board, scope, here, lambda site: enter(site, plus(far, 1)))
        emit(ir.While(binary("<", next_, ir.Length(queue)), tuple(inner)))
        return seen

    def _floods(self, node: model.BuiltinCall, board: Board | None) -> bool:
        """Whether a search is a flood."""
        return node.relation is None and board is not None and goes_by_shifts(self.builder, board)

    def _flood(
        self,
        node: model.BuiltinCall,
        board: Board | None,
        scope: Scope,
        starts: Callable[[Callable[[Value], None]], None],
        met: Callable[[Flags, Value], None],
    ) -> Flags:
        """Visit every site that can be reached, all of one distance at once."""
        assert board is not None
        allowed = (
            None if node.clause is None else self._those_passing(node, scope, len(board.sites))
        )
        return flood(self.builder, board, allowed, starts, met)

    def _those_passing(self, node: model.BuiltinCall, scope: Scope, many: int) -> Flags:
        """The sites that pass the clause of a word."""
        sites = Flags(self.builder, "sites", many)
        self._passing(node, scope, lambda site: self.builder.emit(sites.mark(site)))
        return sites

    def _allowed(
        self, node: model.BuiltinCall, scope: Scope, many: int
    ) -> Callable[[Value], Value]:
        """Whether a site passes the clause of a word."""
        clause = node.clause
        assert clause is not None
        every = (
            isinstance(clause.source, model.Values)
            and clause.source.low.span == clause.source.high.span
            and never_fails(self.builder.tables, clause.source)
        )
        condition = clause.condition
        sure = condition is not None and never_fails(self.builder.tables, condition)
        if every and condition is not None and sure and not self.builder.exact:
            # Each site is asked for when the search comes to it.
            return lambda site: self.compiler.value(condition, {**scope, clause.register: site})
        return self._those_passing(node, scope, many).holds

    def _onward(
        self,
        node: model.BuiltinCall,
        board: Board | None,
        scope: Scope,
        here: Value,
        body: Callable[[Value], None],
    ) -> None:
        """The nodes one step away."""
        builder = self.builder
        if node.relation is None:
            assert board is not None
            table = builder.lists(f"near_{board.name}", board.neighbours)
            name = builder.fresh("m")
            with builder.block() as inner:
                body(ir.Var(name))
            builder.emit(ir.Each(name, table, here, tuple(inner)))
            return
        function = self.builder.game.functions[node.relation]
        *registers, register = function.parameters
        given = node.arguments[len(node.arguments) - len(registers) :] if registers else ()
        values: dict[int, Value | Chosen] = dict(scope)
        for at, argument in zip(registers, given, strict=True):
            values[at] = builder.keep(PASSED, self.compiler.value(argument, scope))
        values[register] = here
        builder.count_call(node.relation)
        if self.collections.is_collection(function.body):
            if not builder.may_be_none(self.collections.element(function.body)):
                self.compiler.each(function.body, values, body)
                return

            def near(one: Value) -> None:
                builder.when(binary("!=", one, ir.NONE), lambda: body(one))

            self.compiler.each(function.body, values, near)
            return
        one = builder.keep("m", self.compiler.value(function.body, values))
        builder.when(binary("!=", one, ir.NONE), lambda: body(one))

    def _distance(self, node: model.BuiltinCall, board: Board | None, scope: Scope) -> Value:
        start, goal = node.arguments[0], node.arguments[1]

        def write(inner: Scope) -> None:
            emit = self.builder.emit
            one = self.builder.keep("start", self.compiler.value(start, inner))
            other = self.builder.keep("goal", self.compiler.value(goal, inner))
            absent = ir.Either(binary("==", one, ir.NONE), binary("==", other, ir.NONE))
            emit(ir.If(absent, (ir.Return(const(None)),)))

            found = self.builder.keep("found", const(None))
            leaves = node.relation is None or (
                not self.builder.exact
                and never_fails(
                    self.builder.tables, self.builder.game.functions[node.relation].body
                )
            )

            if self._floods(node, board):

                def arrived(sites: Flags, far: Value) -> None:
                    emit(ir.If(sites.holds(other), (ir.Return(far),)))

                self._flood(node, board, inner, lambda enter: enter(one), arrived)
                emit(ir.Return(const(None)))
                return

            def met(here: Value, far: Value) -> None:
                done: ir.Statement = ir.Return(far) if leaves else ir.Assign(found.name, far)
                emit(ir.If(binary("==", here, other), (done,)))

            self._spread(node, board, inner, lambda enter: enter(one), met)
            emit(ir.Return(found))

        return self.compiler.as_function(node, scope, "distance", write)

    def _path(self, node: model.BuiltinCall, board: Board, scope: Scope) -> Value:
        start, goal = node.arguments[0], node.arguments[1]

        def write(inner: Scope) -> None:
            emit = self.builder.emit
            goals = Flags(self.builder, "goals", len(board.sites))
            self.compiler.each(goal, inner, lambda site: emit(goals.mark(site)))

            def starts(enter: Callable[[Value], None]) -> None:
                self.compiler.each(start, inner, enter)

            def arrived(sites: Flags, _: Value) -> None:
                emit(ir.If(binary("&", sites.whole, goals.whole), (ir.Return(const(1)),)))

            def met(here: Value, _: Value) -> None:
                emit(ir.If(goals.holds(here), (ir.Return(const(1)),)))

            if self._floods(node, board):
                self._flood(node, board, inner, starts, arrived)
            else:
                self._spread(node, board, inner, starts, met)
            emit(ir.Return(const(0)))

        return self.compiler.as_function(node, scope, "path", write)

    def _reach(
        self,
        node: model.BuiltinCall,
        board: Board | None,
        scope: Scope,
        body: Callable[[Value], None],
    ) -> None:
        """The nodes that can be reached, ascending: from a function that gives them as bits.

        Those of a large board are too many for the bits of a number: they are searched in place.
        """
        low, many = self._nodes(node, board)
        start = node.arguments[0]

        def search(inner: Scope) -> Flags:
            def starts(enter: Callable[[Value], None]) -> None:
                if self.collections.is_collection(start):
                    self.compiler.each(start, inner, enter)
                    return
                one = self.builder.keep("start", self.compiler.value(start, inner))
                self.builder.when(binary("!=", one, ir.NONE), lambda: enter(one))

            if self._floods(node, board):
                return self._flood(node, board, inner, starts, lambda sites, far: None)
            return self._spread(node, board, inner, starts, lambda here, far: None)

        def write(inner: Scope) -> None:
            self.builder.emit(ir.Return(ir.Var(search(inner).name)))

        if many > WORD and not self.builder.any_size:
            search(scope).each(lambda bit: body(plus(bit, low)))
            return
        value = self.compiler.as_function(node, scope, "reach", write)
        name = self.builder.fresh("bit")
        with self.builder.block() as inner_body:
            body(plus(ir.Var(name), low))
        self.builder.emit(ir.EachBit(name, value, tuple(inner_body)))
