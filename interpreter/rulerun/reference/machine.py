"""The instructions of a game, each compiled into a step.

Assumes: code as `model` describes it.
Does: puts the parts together (expressions, stores, moves, chance, loops, questions, the control
stack), and gives each instruction its closure `(play) -> number of the next one` when play first
comes to it: a play of a large game comes to few of them.
Leaves behind: `Machine`, on which `reference` runs plays. It keeps nothing of any play.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, assert_never

from rulerun.reference.budget import Budget
from rulerun.reference.chance import ChanceSteps, Lots
from rulerun.reference.choices import Question
from rulerun.reference.evaluate import Evaluator
from rulerun.reference.events import EventLog, Wording
from rulerun.reference.knowledge import Knowledge
from rulerun.reference.loops import Loops
from rulerun.reference.moves import Moves
from rulerun.reference.parting import Parting
from rulerun.reference.scoring import BY_SCORING
from rulerun.reference.stores import Stores
from rulerun.reference.told_differences import Differences
from rulerun.reference.visibility import Visibility
from rulerun.runtime.closures import Run, rule_error
from rulerun.runtime.components import Components
from rulerun.runtime.control import Control
from rulerun.runtime.executor import RuleError
from rulerun.runtime.index import GameIndex
from rulerun.runtime.phrases import Plain, assembled, filling, template_of
from rulerun.runtime.play import RESULT, Operation, Play
from rulerun.runtime.signals import OPEN, OVER, PART_DONE
from rulerun.runtime.wording import person, words
from rulerun_dsl import model
from rulerun_dsl.model import Game, Instruction
from rulerun_dsl.model.valuetypes import Row, bare

Listing = Callable[[int, Sequence[int], int], list[tuple[int, int]] | None]
"""What may be chosen at a question, for these slots and a frame, as `Question.quickly` gives it."""


class Machine:
    """The code of one game, compiled."""

    def __init__(self, game: Game, budget: Budget | None = None) -> None:
        """Compile everything; `budget` counts as the game's own does, and may count more."""
        self.game = game
        self.tables = GameIndex(game)
        self.components = Components(self.tables)
        self.evaluator = Evaluator(self.tables, self.components, budget)
        self.visibility = Visibility(self.evaluator)
        self.log = EventLog(self.tables, self.components, self.visibility)
        self.differences = Differences(self.log)
        self.knowledge = Knowledge(self.tables, self.components, self.visibility)
        self.parting = Parting(self.knowledge)
        self.stores = Stores(self.evaluator, self.log)
        self.moves = Moves(self.evaluator, self.log, self.knowledge)
        self.chance = ChanceSteps(self.moves, self.stores, self.log)
        self.loops = Loops(self.evaluator)
        self.control = Control(self.tables)
        self.questions: dict[int, Question] = _Compiled(self)
        self._listing: Listing | None = None
        self.together: dict[int, Run] = _Compiled(self)
        """By `TogetherStart`: who takes part."""
        self._made: dict[int, Operation] = {}
        self.steps: list[Operation] = [self._first(at) for at in range(len(game.code))]
        self.evaluator.suppose = self.suppose

    def step(self, at: int) -> Operation:
        """The closure of an instruction, which is compiled when first asked for."""
        made = self._made.get(at)
        if made is None:
            # Two threads may both compile it: they get the same, and either will do.
            made = self._made[at] = self._step(self.game.code[at], at)
        return made

    def list_by(self, listing: Listing) -> None:
        """Have what may be chosen listed by somebody else: at each question, whenever it is made.

        The others are compiled when play comes to them.
        """
        self._listing = listing
        for at, question in self.questions.items():
            question.quickly = partial(listing, at)

    def lots(self, at: int) -> Lots | None:
        """What may fall where an instruction rests; None if it asks for no luck."""
        self.step(at)
        return self.chance.lots.get(at)

    def _first(self, at: int) -> Operation:
        """What compiles an instruction when play first comes to it."""

        def first(play: Play) -> int:
            step = self._made.get(at)
            if step is None:
                step = self.step(at)
                if self.steps[at] is first:
                    # Nobody has put a step of their own around this one.
                    self.steps[at] = step
            return step(play)

        return first

    def _step(self, node: Instruction, at: int) -> Operation:
        match node:
            case model.Store():
                return self.stores.store(node, at)
            case model.SwapValues():
                return self.stores.swap(node, at)
            case model.SortBy():
                return self.stores.sort(node, at)
            case model.LoopStart():
                return self.loops.start(node, at)
            case model.LoopNext():
                return self.loops.next(node, at)
            case model.RepeatStart():
                return self.loops.repeat_start(node, at)
            case model.RepeatNext():
                return self.loops.repeat_next(node, at)
            case model.Roll():
                return self.chance.roll(node, at)
            case model.Pick():
                return self.chance.pick(node, at)
            case model.MoveSome():
                return self.chance.move_some(node, at)
            case model.ShuffleZone():
                return self.chance.shuffle(node, at)
            case model.MoveOne():
                return self.moves.one(node, at)
            case model.MoveAll():
                return self.moves.all(node, at)
            case model.SwapZones():
                return self.moves.swap(node, at)
            case model.ShowTo():
                return self.moves.show(node, at)
            case model.Choose():
                question = Question(self.evaluator, self.stores, self.log, node)
                if self._listing is not None:
                    question.quickly = partial(self._listing, at)
                self.questions[at] = question
                return question.step()
            case model.Jump(to=to):
                return lambda play: to
            case model.Unless(condition=condition, to=to):
                holds, after = self.evaluator.compile(condition), at + 1
                return lambda play: after if holds(play.slots, play.base, play.registers) else to
            case model.Clear(offsets=offsets):
                return self._clear(offsets, at)
            case model.Call():
                return self._call(node.procedure, node.arguments, at)
            case model.CallSlot():
                return self._call_slot(node, at)
            case model.Queue():
                return self._queue(node, at)
            case model.Drain():
                return self._drain(node, at)
            case model.Return(procedure=procedure):
                if procedure == 0:
                    return self._end(None)
                return lambda play: self.control.back(play, procedure)
            case model.GiveValue():
                return self._give(node)
            case model.StopTo(procedure=procedure, span=span):
                return lambda play: self.control.unwind(play, at, procedure, span)
            case model.TogetherStart():
                self.together[at] = self.evaluator.compile(node.players)
                return lambda play: OPEN
            case model.TogetherEnd():
                return lambda play: PART_DONE
            case model.EndGame():
                return self._end(node)
            case model.Say():
                return self._say(node, at)
            case model.Enter():
                return self._enter(node, at)
            case _:
                assert_never(node)

    @staticmethod
    def _clear(offsets: tuple[int, ...], at: int) -> Operation:
        def clear(play: Play) -> int:
            for offset in offsets:
                play.slots[play.base + offset] = 0
            return at + 1

        return clear

    # ---------------------------------------------------------------------------- procedures

    def _arguments(
        self, procedure: int, arguments: Sequence[model.Expression]
    ) -> Callable[[Play], list[tuple[int, int]]]:
        """What goes into which parameter: offsets and slots, evaluated left to right."""
        called = self.game.procedures[procedure]
        runs = [self.evaluator.compile(argument) for argument in arguments]
        bounds = [self.tables.bounds(parameter.type) for parameter in called.parameters]
        numbers = [self.stores.number(parameter) for parameter in called.parameters]

        def evaluate(play: Play) -> list[tuple[int, int]]:
            here = (play.slots, play.base, play.registers)
            values = [run(*here) for run in runs]
            found = []
            for parameter, argument, value, (low, high), number in zip(
                called.parameters, arguments, values, bounds, numbers, strict=True
            ):
                slot = number(value)
                if not low <= slot <= high:
                    shown = "none" if value is None else str(value)
                    message = f"{called.name}: {parameter.name} would be {shown}"
                    message += f"; it is {parameter.type}"
                    raise rule_error("none" if value is None else "range", message, argument.span)
                found.append((parameter.offset, slot))
            return found

        return evaluate

    def _call(self, procedure: int, arguments: tuple[model.Expression, ...], at: int) -> Operation:
        called = self.game.procedures[procedure]
        evaluate = self._arguments(procedure, arguments)
        entry, return_slot = called.entry, called.return_slot

        def call(play: Play) -> int:
            given = evaluate(play)
            slots, base = play.slots, play.base
            for offset, slot in given:
                slots[base + offset] = slot
            slots[base + return_slot] = at + 1
            return entry

        return call

    def _call_slot(self, node: model.CallSlot, at: int) -> Operation:
        kind = self.tables.kinds[node.kind]
        component = self.evaluator.compile(node.component)
        by_row = isinstance(bare(node.component.type), Row)
        calls = [
            None if procedure is None else self._call(procedure, node.arguments, at)
            for procedure in node.procedures
        ]

        def call(play: Play) -> int:
            which = component(play.slots, play.base, play.registers)
            if which is None:
                raise rule_error("none", f"{node.component.span.text} is none", node.span)
            row = which if by_row else self.tables.row_and_owner(kind, which)[0]
            chosen = calls[row]
            return at + 1 if chosen is None else chosen(play)

        return call

    def suppose(
        self,
        node: model.After,
        given: Sequence[int | None],
        slots: Sequence[int],
        base: int,
        registers: Sequence[Any],
    ) -> list[int]:
        """The slots that a procedure would leave: it runs on a copy, and nobody listens."""
        number = next(
            at for at, item in enumerate(self.game.procedures) if item.name == node.procedure
        )
        called = self.game.procedures[number]
        play = Play(self.game, list(slots), None)
        play.base, play.registers, play.supposed = base, list(registers), True
        for parameter, value in zip(called.parameters, given, strict=True):
            play.slots[base + parameter.offset] = self.stores.number(parameter)(value)
        # It goes back to behind the code.
        end = len(self.steps)
        play.slots[base + called.return_slot] = end
        at = last = called.entry
        try:
            for _ in range(self.game.steps):
                if at == end:
                    return play.slots
                last = at
                at = self.steps[at](play)
        except RuleError as error:
            raise rule_error(error.code, error.message, error.span) from None
        message = f"more than {self.game.steps} steps in a question"
        raise rule_error("steps", message, self.game.code[last].span)

    def _queue(self, node: model.Queue, at: int) -> Operation:
        evaluate = self._arguments(node.procedure, node.arguments)

        def queue(play: Play) -> int:
            arguments = [slot for _, slot in evaluate(play)]
            self.control.wait(play, node, arguments)
            return at + 1

        return queue

    def _drain(self, node: model.Drain, at: int) -> Operation:
        def drain(play: Play) -> int:
            self.control.settle(play, node)
            first = self.control.first(play, node)
            if first is None:
                return at + 1
            procedure, entry = first
            called = self.game.procedures[procedure]
            arguments = self.control.take(play, node, procedure, entry)
            slots, base = play.slots, play.base
            for parameter, slot in zip(called.parameters, arguments, strict=True):
                slots[base + parameter.offset] = slot
            # Back to this instruction: return addresses count from 1.
            slots[base + called.return_slot] = at
            return called.entry

        return drain

    def _give(self, node: model.GiveValue) -> Operation:
        value = self.evaluator.compile(node.value)
        puts = {
            at: (self.stores.addresses(call.result), self.stores.put(call.result, call.span))
            for at, call in enumerate(self.game.code)
            if isinstance(call, model.Call)
            and call.procedure == node.procedure
            and call.result is not None
        }

        def give(play: Play) -> int:
            given = value(play.slots, play.base, play.registers)
            after = self.control.back(play, node.procedure)
            found = puts.get(after - 1)
            if found is not None:
                addresses, put = found
                try:
                    for address in addresses(play.slots, play.base, play.registers):
                        put(play, address, given)
                except RuleError as error:
                    # The procedure has ended: it is the caller that fails.
                    raise self.control.led_to(error, play, after - 1) from None
            return after

        return give

    # ------------------------------------------------------------------- the end, and notes

    def _end(self, node: model.EndGame | None) -> Operation:
        winner = None if node is None else self.evaluator.test(node.winner)

        def end(play: Play) -> int:
            result = BY_SCORING
            if winner is not None:
                found = winner(play.slots, play.base, play.registers)
                winners = [] if found is None else [found] if isinstance(found, int) else found
                result = 2 + sum(1 << player for player in set(winners))
            play.slots[RESULT] = result
            return OVER

        return end

    def _say(self, node: model.Say, at: int) -> Operation:
        parts = [
            part if isinstance(part, str) else (self.evaluator.compile(part), part.type)
            for part in node.parts
        ]
        template = template_of(node.parts)

        def say(play: Play) -> int:
            if play.events is None:
                # What goes wrong in a sentence does so no matter who listens.
                for part in parts:
                    if not isinstance(part, str):
                        part[0](play.slots, play.base, play.registers)
                return at + 1
            detail = self.visibility.all
            open_: list[Plain] = []
            secret: list[Plain] = []
            for part in parts:
                if not isinstance(part, str):
                    run, type_ = part
                    value = run(play.slots, play.base, play.registers)
                    plain, seeing = self.log.value(play.slots, type_, value, self.visibility.all)
                    secret.append(plain)
                    open_.append(plain if seeing == self.visibility.all else str(type_))
                    detail &= seeing
            everybody = self.visibility.all
            to_all = self._sentence(node.parts, template, open_)
            to_some = self._sentence(node.parts, template, secret)
            self.log.emit(play, "say", everybody, detail, to_all, to_some)
            return at + 1

        return say

    def _sentence(
        self, parts: Sequence[str | model.Expression], template: str, values: Sequence[Plain]
    ) -> Wording:
        """A sentence with these values: for people, and as plain data."""
        left = iter(values)
        language = self.game.words.language
        text = assembled(
            part if isinstance(part, str) else filling(next(left), language) for part in parts
        )
        return words(text), {"sentence": template, "values": list(values)}

    def _enter(self, node: model.Enter, at: int) -> Operation:
        phase = self.game.phases[node.phase]
        data: dict[str, object] = {"phase": phase.name, "path": list(phase.path)}

        def enter(play: Play) -> int:
            self.log.everybody(play, "phase", person(phase.name), data)
            return at + 1

        return enter

    # ----------------------------------------------------------------------------- beginning

    def beginning(self) -> list[int]:
        """The vector before set-up: everything at its start."""
        slots = [0] * self.game.layout.size
        for table in self.tables.variables.values():
            type_ = table.variable.type
            values: list[Any] = list(table.variable.start)
            slots[table.base : table.base + len(values)] = [
                self.tables.encode(type_, value) for value in values
            ]
        self.components.place_at_start(slots)
        return slots


class _Compiled(dict[int, Any]):
    """What instructions leave when they are compiled, which happens when it is first asked for."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def __missing__(self, at: int) -> Any:
        self._machine.step(at)
        if at not in self:
            raise KeyError(at)
        return self[at]


def supposing(game: Game) -> Callable[..., Sequence[int]]:
    """What an evaluator without a machine needs to suppose that procedures have run.

    The machine is made at the first such question: few games ask one.
    """
    made: list[Machine] = []

    def suppose(
        node: model.After,
        given: Sequence[int | None],
        slots: Sequence[int],
        base: int,
        registers: Sequence[Any],
    ) -> Sequence[int]:
        if not made:
            made.append(Machine(game))
        return made[0].suppose(node, given, slots, base, registers)

    return suppose
