"""How a game ended, and how copies are kept in order, lowered.

Assumes: a state that is over, for the scoring; a state at rest, for the order of copies.
Does: says of each player the place, whether they won, and the lines of the score, as
`rulerun.reference.scoring` does; sorts copies that nothing tells apart and nothing holds, as
`rulerun.reference.canonical` does.
Leaves behind: a lister of rows by player; statements.
"""

from __future__ import annotations

from functools import partial

from rulerun.analysis.failing import never_fails
from rulerun.analysis.holding import Holding
from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import FOUND
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.builder import Scope, binary, const, plus
from rulerun.compiled.lower.machine import Instructions
from rulerun.reference.scoring import BY_SCORING
from rulerun.runtime.components import kind_of
from rulerun.runtime.index import KindTable, element_of
from rulerun.runtime.play import RESULT, TOGETHER
from rulerun_dsl import model
from rulerun_dsl.model import Expression, Game
from rulerun_dsl.model.traversal import parts
from rulerun_dsl.model.valuetypes import Fraction


class Scoring:
    """The end of one game."""

    def __init__(self, instructions: Instructions) -> None:
        """Lower the parts with those of `instructions`."""
        self.code = instructions
        self.expressions = instructions.expressions
        self.builder = self.expressions.builder
        self.game = self.expressions.game
        self.scoring = self.game.scoring
        self.players = range(self.builder.players)

    def judge(self) -> ir.Lister:
        """Rows of (place, 1 if a winner, value of each line) by player."""
        width = 2 + len(self.scoring.lines)
        body = self.builder.body_of(self._judge)
        return ir.Lister("judge", width, len(self.players), body, "how the game ended")

    def _judge(self) -> None:
        builder, emit = self.builder, self.builder.emit
        lines: list[list[Value]] = []
        for player in self.players:
            scope = {self.scoring.register: const(player)}
            lines.append(
                [
                    builder.keep("line", self.expressions.sure(line.value, scope))
                    for line in self.scoring.lines
                ]
            )
        self.won = builder.keep("won", const(0))
        self.places = [builder.keep("place", const(0)) for _ in self.players]
        by_rules = binary(">", ir.Slot(const(RESULT)), BY_SCORING)
        said = builder.body_of(lambda: self._won_by(plus(ir.Slot(const(RESULT)), -BY_SCORING - 1)))
        builder.emit(ir.If(by_rules, said, builder.body_of(lambda: self._by_scoring(lines))))
        returns = self.scoring.returns
        counted = builder.coverage and counts_returns(self.game)
        if returns is not None and (counted or self._returns_are_tried()):
            for player in self.players:
                scope = {self.scoring.register: const(player)}
                emit(ir.Eval(self.expressions.value(returns, scope)))
        for player in self.players:
            won = binary("&", binary(">>", self.won, player), 1)
            emit(ir.Push(FOUND, (self.places[player], won, *lines[player])))

    def _won_by(self, mask: Value) -> None:
        """Winners are first, all others share the next place."""
        emit = self.builder.emit
        emit(ir.Assign(self.won.name, mask))
        next_ = self.builder.keep("next", plus(ir.BitCount(self.won), 1))
        for player in self.players:
            won = binary("&", binary(">>", self.won, player), 1)
            emit(ir.Assign(self.places[player].name, ir.Select(won, const(1), next_)))

    def _by_scoring(self, lines: list[list[Value]]) -> None:
        scoring = self.scoring
        if scoring.winner is not None:
            mask = self.code.winners(scoring.winner, const(0), scoring.register)
            self._won_by(mask)
            return
        best = scoring.best or ("highest" if scoring.lines else None)
        if best is None:
            self._won_by(const(0))
            return
        self._ranked(lines, best == "highest")

    def _ranked(self, lines: list[list[Value]], highest: bool) -> None:
        """Places by total, then by the ties in their order."""
        builder, emit = self.builder, self.builder.emit
        inside: list[Value] = []
        keys: list[list[Value]] = []
        for player in self.players:
            scope: Scope = {self.scoring.register: const(player)}
            out: Value = const(0)
            if self.scoring.out is not None:
                out = self.expressions.value(self.scoring.out, scope)
            inside.append(builder.keep("inside", ir.Select(out, const(0), const(1))))
            total: Value = const(0)
            for line in lines[player]:
                total = plus(total, line)
            first = builder.keep("total", total)
            keys.append([first])
            # Of those who are out nobody asks for ties.
            names = [builder.fresh("tie") for _ in self.scoring.ties]
            emit(*(ir.Assign(name, const(0)) for name in names))
            builder.when(inside[player], partial(self._ask_ties, names, scope))
            keys[player] += [ir.Var(name) for name in names]
        for player in self.players:
            place: Value = const(1)
            for other in self.players:
                if other != player:
                    better = ir.Both(
                        inside[other], self._better(keys[other], keys[player], highest)
                    )
                    place = plus(ir.Select(better, const(1), const(0)), place)
            emit(ir.Assign(self.places[player].name, ir.Select(inside[player], place, const(0))))
        first_mask: Value = const(0)
        all_inside: Value = const(0)
        for player in self.players:
            is_first = binary("==", self.places[player], 1)
            bit = const(1 << player)
            first_mask = plus(ir.Select(is_first, bit, const(0)), first_mask)
            all_inside = plus(ir.Select(inside[player], bit, const(0)), all_inside)
        emit(ir.Assign(self.won.name, first_mask))
        several = binary(">", ir.BitCount(self.won), 1)
        if self.scoring.equal == "nobody":
            emit(ir.If(several, (ir.Assign(self.won.name, const(0)),)))
        elif self.scoring.equal == "everybody":
            emit(ir.If(several, (ir.Assign(self.won.name, all_inside),)))

    def _ask_ties(self, names: list[str], scope: Scope) -> None:
        for name, tie in zip(names, self.scoring.ties, strict=True):
            self.builder.emit(ir.Assign(name, self.expressions.sure(tie, scope)))

    def _better(self, one: list[Value], other: list[Value], highest: bool) -> Value:
        """Whether keys come before others: the total as the scoring says, ties higher first."""
        better: Value = const(0)
        for at in range(len(one) - 1, -1, -1):
            operator = ">" if at or highest else "<"
            wins = binary(operator, one[at], other[at])
            ties = ir.Both(binary("==", one[at], other[at]), better)
            better = wins if better == const(0) else ir.Either(wins, ties)
        return better

    def returns_may_fail(self) -> bool:
        """Whether working out the returns might be a rule error that only the reference finds."""
        node = self.scoring.returns
        return node is not None and not self._safe(node) and not self._returns_are_tried()

    def _returns_are_tried(self) -> bool:
        """Whether the judge works the returns out for their errors.

        A fraction is as large as its numerator at most, which stands for it: so what is too large
        is found, and what is found and is not too large is set right by the reference.
        """
        node = self.scoring.returns
        return node is not None and not self._safe(node) and counts_returns(self.game)

    def _safe(self, node: Expression) -> bool:
        if isinstance(node, model.BuiltinCall) and node.word in ("winner", "share_of_win"):
            return all(self._safe(part) for part in parts(node))
        if isinstance(node, model.Arithmetic):
            if any(self.builder.may_be_none(side.type) for side in (node.left, node.right)):
                return False
            if node.operator == "/":
                plain = isinstance(node.right, model.Literal) and node.right.value
                return bool(plain) and self._safe(node.left)
            small = node.operator in ("+", "-", "*")
            return small and self._safe(node.left) and self._safe(node.right)
        if isinstance(node, model.FunctionCall):
            whole = (*node.arguments, self.game.functions[node.function].body)
            return all(self._safe(part) for part in whole)
        if isinstance(node, model.Conditional | model.Not | model.And | model.Or):
            return all(self._safe(part) for part in parts(node))
        if isinstance(node, model.Quantifier) and node.word in ("sum", "count", "any", "all"):
            return all(self._safe(part) for part in parts(node))
        return never_fails(self.builder.tables, node)

    # ------------------------------------------------------------------------------- copies

    def canonical(self) -> None:
        """Copies in order, at rest."""
        kinds = [kind for kind in self.builder.tables.kinds.values() if kind.alike]
        if not kinds:
            return
        quiet = ir.Not(ir.Slot(const(TOGETHER)))

        def sort() -> None:
            for kind in kinds:
                held = self._held(kind)
                self.builder.when(ir.Not(held), partial(self._sort, kind))

        self.builder.when(quiet, sort)

    def _held(self, kind: KindTable) -> Value:
        """Whether a name, a loop, a waiting call or a variable holds one of a kind."""
        builder = self.builder
        tables, control = builder.tables, self.code.stack.control
        holding = Holding(tables, control, {kind.kind.name})
        now = builder.spread.offsets
        offsets = [sorted({now[each.offset] for each in held}) for held in holding.by_instruction]

        def write() -> None:
            emit = builder.emit
            if any(offsets):
                self._look_up_the_stack(offsets)
            for procedure in self.game.procedures:
                places = [
                    at
                    for at, parameter in enumerate(procedure.parameters)
                    if kind_of(tables, element_of(parameter.type)) is kind
                ]
                if procedure.queued and places:
                    width = 1 + len(procedure.parameters)
                    start = self.game.layout.queue + procedure.queue_base
                    for entry in range(start, start + procedure.queued * width, width):
                        for at in places:
                            holds = ir.Both(
                                ir.Slot(const(entry)),
                                binary(">=", ir.Slot(const(entry + 1 + at)), 0),
                            )
                            emit(ir.If(holds, (ir.Return(const(1)),)))
            for table in tables.variables.values():
                type_ = table.variable.type
                if kind_of(tables, element_of(type_)) is not kind:
                    continue
                for indexes in table.instances():
                    slot = ir.Slot(const(table.address(indexes)))
                    value = builder.decoded(slot, type_)
                    emit(ir.If(binary("!=", value, ir.NONE), (ir.Return(const(1)),)))
            emit(ir.Return(const(0)))

        about = f"whether something holds a {kind.kind.name}, so that its number matters"
        name = builder.function(
            ("held", kind.kind.name), f"held_{kind.kind.name}", [], about, write
        )
        return ir.Call(name, ())

    def _look_up_the_stack(self, offsets: list[list[int]]) -> None:
        builder, emit = self.builder, self.builder.emit
        base = self.game.layout.base
        holders = builder.lists("holders", offsets)
        owner = self.code.stack.control.owner
        slots = [
            builder.spread.offsets[procedure.return_slot] if number else 0
            for number, procedure in enumerate(self.game.procedures)
        ]
        back_slots = [slots[number] for number in owner]
        where = builder.keep("where", ir.Slot(const(base)))
        name = builder.fresh("o")
        found = ir.If(binary(">=", ir.Slot(plus(ir.Var(name), base)), 0), (ir.Return(const(1)),))
        with builder.block() as loop:
            here = builder.keep("at", plus(where, -1))
            emit(ir.Each(name, holders, here, (found,)))
            offset = builder.keep("back", builder.entry("way_back", back_slots, here))
            up = ir.Select(offset, ir.Slot(plus(offset, base)), const(0))
            emit(ir.Assign(where.name, up))
        emit(ir.While(where, tuple(loop)))

    def _sort(self, kind: KindTable) -> None:
        """Within a class: by place, position, attributes, who knows them."""
        builder, emit = self.builder, self.builder.emit
        columns = [kind.base, *([kind.positions] if kind.positions >= 0 else [])]
        columns.extend(attribute.base for attribute in kind.attributes)
        known = dict(self.game.layout.known).get(kind.kind.name)
        placed = dict(self.game.layout.known_places)
        columns.extend([] if known is None else [known])
        columns.extend(sorted({placed[each] for each in kind.kind.zones if each in placed}))
        for first, copies in zip(kind.first, kind.kind.copies, strict=True):
            if copies < 2:
                continue
            rows, one = builder.fresh("copies"), builder.fresh("c")
            numbers = tuple(ir.Slot(plus(ir.Var(one), column)) for column in columns)
            emit(ir.NewRows(rows, len(columns), copies))
            emit(ir.For(one, const(first), const(first + copies), (ir.Push(rows, numbers),)))
            emit(ir.SortRows(rows))
            names = tuple(builder.fresh("v") for _ in columns)
            at = builder.keep("at", const(first))
            back = tuple(
                ir.StoreSlot(plus(at, column), ir.Var(name))
                for column, name in zip(columns, names, strict=True)
            )
            emit(ir.EachRow(names, rows, (*back, ir.Assign(at.name, plus(at, 1)))))


def counts_returns(game: Game) -> bool:
    """Whether working out the returns calls what the reference calls.

    It does, unless something asks what a fraction is, or who won.
    """
    waiting = [] if game.scoring.returns is None else [game.scoring.returns]
    called: set[int] = set()
    while waiting:
        node = waiting.pop()
        if not _plain(node):
            return False
        if isinstance(node, model.FunctionCall) and node.function not in called:
            called.add(node.function)
            waiting.append(game.functions[node.function].body)
        waiting += parts(node)
    return True


def _plain(node: Expression) -> bool:
    """Whether a node is worked out as the reference does, what is inside it apart."""
    match node:
        case model.BuiltinCall(word="winner" | "share_of_win"):
            return False
        case model.Comparison(left=left, right=right):
            return not any(isinstance(side.type, Fraction) for side in (left, right))
        case model.Arithmetic(operator=operator, type=Fraction()):
            return operator in ("+", "-", "/")
        case _:  # whatever it is made of is asked for by itself
            return True
