"""The instructions of a game, lowered: one block for each.

Assumes: code as `model` describes it.
Does: writes for each instruction what it does to the slots, and where play goes on.
Leaves behind: blocks; a question for each instruction at which a game may rest.
"""

from __future__ import annotations

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import FOUND
from rulerun.compiled.ir.value import Value
from rulerun.compiled.lower.builder import binary, const, plus
from rulerun.compiled.lower.chance import ChanceSteps
from rulerun.compiled.lower.choices import Choices
from rulerun.compiled.lower.control import ControlStack
from rulerun.compiled.lower.evaluate import Expressions
from rulerun.compiled.lower.knowledge import Knowledge
from rulerun.compiled.lower.loops import Loops
from rulerun.compiled.lower.moves import Moves
from rulerun.compiled.lower.parting import Parting
from rulerun.compiled.lower.placement import Placement
from rulerun.compiled.lower.stores import Stores
from rulerun.reference.scoring import BY_SCORING
from rulerun.runtime.play import RESULT
from rulerun_dsl import model
from rulerun_dsl.model import Expression, Instruction


class Instructions:
    """The code of one game."""

    def __init__(self, expressions: Expressions) -> None:
        """Lower the parts with `expressions`."""
        self.expressions = expressions
        self.builder = expressions.builder
        self.game = expressions.game
        placement = Placement(expressions.components)
        self.knowledge = knowledge = Knowledge(expressions, placement)
        self.parting = Parting(knowledge)
        self.stores = Stores(expressions)
        self.moves = Moves(expressions, placement, knowledge)
        self.loops = Loops(expressions)
        self.choices = Choices(expressions)
        self.chance = ChanceSteps(expressions, self.stores, knowledge)
        self.stack = ControlStack(expressions, self.stores)

    def blocks(self) -> tuple[ir.Block, ...]:
        """The blocks of all instructions."""
        found = []
        for at, node in enumerate(self.game.code):

            def write(node: Instruction = node, at: int = at) -> None:
                # A chain of draws counts where it begins: it is come back to after each of them.
                chain = isinstance(node, model.MoveSome | model.ShuffleZone)
                if self.builder.coverage and not chain:
                    self.builder.emit(ir.Count(at))
                self._write(node, at)

            found.append(ir.Block(at, self.builder.body_of(write), node.span.text))
        return tuple(found)

    def _write(self, node: Instruction, at: int) -> None:
        go = self.builder.go
        match node:
            case model.Store():
                self.stores.store(node)
                go(at, at + 1)
            case model.SwapValues():
                self.stores.swap(node)
                go(at, at + 1)
            case model.SortBy():
                self.stores.sort(node)
                go(at, at + 1)
            case model.LoopStart():
                self.loops.start(node, at)
            case model.LoopNext():
                self.loops.next(node, at)
            case model.RepeatStart():
                self.loops.repeat_start(node, at)
            case model.RepeatNext():
                self.loops.repeat_next(node, at)
            case model.Roll():
                self.chance.roll(node, at)
            case model.Pick():
                self.chance.pick(node, at)
            case model.MoveSome():
                self.chance.move_some(node, at)
            case model.ShuffleZone():
                self.chance.shuffle(node, at)
            case model.MoveOne():
                self.moves.one(node)
                go(at, at + 1)
            case model.MoveAll():
                self.moves.all(node)
                go(at, at + 1)
            case model.SwapZones():
                self.moves.swap(node)
                go(at, at + 1)
            case model.ShowTo():
                self.moves.show(node)
                go(at, at + 1)
            case model.Choose():
                self.choices.choose(node, at)
            case model.Jump(to=to):
                go(at, to)
            case model.Unless(condition=condition, to=to):
                holds = self.expressions.value(condition, {})
                self.builder.when(holds, lambda: go(at, at + 1), lambda: go(at, to))
            case model.Clear(offsets=offsets):
                for offset in offsets:
                    self.builder.emit(ir.StoreSlot(self.builder.local(offset), const(0)))
                go(at, at + 1)
            case model.Say(parts=parts):
                for part in parts:
                    if not isinstance(part, str):
                        self.expressions.for_errors(part)
                go(at, at + 1)
            case model.Enter():
                go(at, at + 1)
            case model.EndGame():
                self._end(node, at)
            case model.Return(procedure=0):
                self._end(None, at)
            case model.TogetherStart():
                self._together(node, at)
            case model.TogetherEnd():
                self.builder.emit(ir.Signal("part_done", at))
            case _:
                self.stack.write(node, at)

    # --------------------------------------------------------------------------------- the end

    def _end(self, node: model.EndGame | None, at: int) -> None:
        emit = self.builder.emit
        result: Value = const(BY_SCORING)
        if node is not None and node.winner is not None:
            result = plus(self.winners(node.winner), 2)
        emit(ir.StoreSlot(const(RESULT), result), ir.Signal("over", at))

    def winners(self, node: Expression, player: Value | None = None, register: int = -1) -> Value:
        """The mask of the players that an expression says: one, none, or a collection."""
        scope = {} if player is None else {register: player}
        if not self.expressions.collections.is_collection(node):
            value = self.builder.keep("winner", self.expressions.value(node, scope))
            mask = binary("<<", const(1), value)
            if not self.builder.may_be_none(node.type):
                return mask
            return ir.Select(binary("==", value, ir.NONE), const(0), mask)
        found = self.builder.keep("winners", const(0))
        self.expressions.each(
            node,
            scope,
            lambda one: self.builder.emit(
                ir.Assign(found.name, binary("|", found, binary("<<", const(1), one)))
            ),
        )
        return found

    def _together(self, node: model.TogetherStart, at: int) -> None:
        builder = self.builder

        def write() -> None:
            rows = builder.fresh("some")
            mask = builder.keep("mask", const(0))
            builder.emit(ir.NewRows(rows, 1, 1))
            self.expressions.each(
                node.players,
                {},
                lambda one: builder.emit(
                    ir.Assign(mask.name, binary("|", mask, binary("<<", const(1), one)))
                ),
            )
            bit = builder.fresh("p")
            builder.emit(ir.EachBit(bit, mask, (ir.Push(FOUND, (ir.Var(bit),)),)))

        name = builder.lister(f"part_{at}", 1, builder.players, node.span.text, write)
        variable = self.builder.spread.offsets[node.variable.offset]
        self.builder.togethers.append(
            ir.Together(
                *(at, name, variable, node.body, node.done),
                self.parting.decided(at),
            )
        )
        builder.emit(ir.Signal("open", at))
