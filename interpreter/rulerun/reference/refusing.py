"""Why an action is refused, in words that tell the asker nothing new.

Assumes: an action that is not among the offers of the question that the asker stands at.
Does: finds the lines of the question that have the action, and the first of their parts that
fails: a value that is not there, a condition that is false, a preference (`if_possible:`).
Leaves behind: a `Refusal`. What reads anything that the asker does not see is not named: such a
refusal says only that the action is not possible now.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from rulerun.reference.choices import Question
from rulerun.reference.collections import bits
from rulerun.reference.machine import Machine
from rulerun.reference.secrecy import Asker, Secrecy, slot_function, whose
from rulerun.runtime import actions
from rulerun.runtime.closures import fresh_registers
from rulerun.runtime.executor import Refusal, RuleError, Waiting
from rulerun.runtime.wording import words
from rulerun_dsl import model
from rulerun_dsl.model import Expression, Function, Option
from rulerun_dsl.model.valuetypes import Collection, Multiset, Order, SetOf, Zone, bare
from rulerun_dsl.source.spans import Span


class Refuser:
    """The refusals of one game."""

    def __init__(self, machine: Machine) -> None:
        """Stand on what is compiled."""
        self.machine = machine
        self.game = machine.game
        self.evaluator = machine.evaluator

    @cached_property
    def worded(self) -> frozenset[str]:
        """The functions that have words: these say why as a whole."""
        rules = (key.partition(" ") for key, _ in self.game.words.texts)
        return frozenset(name for what, _, name in rules if what == "rule")

    @cached_property
    def secrecy(self) -> Secrecy:
        """What is secret in the game: worked out when something is refused for the first time."""
        return Secrecy(self.machine)

    def why(self, slots: Sequence[int], asked: Waiting, action: int) -> Refusal:
        """Why the action is refused."""
        layout = self.game.layout
        base = layout.base + asked.frame * layout.frame
        question = self.machine.questions[asked.instruction]
        case = Case(self, slots, base, asked, question)
        number, places = actions.split(self.game, action)
        text = actions.text(self.game, action)
        lines = [option for option in question.node.options if option.action == number]
        if not lines:
            return Refusal("not_offered", f"{text} is not asked for here", question.node.span)
        # Saying why is bounded as rules are; what would take longer is not said.
        with self.evaluator.budget.anew():
            try:
                reasons = [case.refused(option, places, text) for option in lines]
            except RuleError:
                return hidden()
        # Of several lines with the same action the one that came furthest says most.
        return max(reasons, key=lambda reason: _DEPTH.index(reason.code))


_DEPTH = ("not_there", "taken", "hidden", "condition", "if_possible")


class Case:
    """One action that was refused, and all that is asked about it."""

    def __init__(
        self, refuser: Refuser, slots: Sequence[int], base: int, asked: Waiting, question: Question
    ) -> None:
        """Look at the state through the eyes of who is asked."""
        self.refuser = refuser
        self.evaluator = refuser.evaluator
        self.tables = refuser.machine.tables
        self.slots = slots
        self.base = base
        self.question = question
        self.registers = fresh_registers(refuser.game)
        self.asker = Asker(asked.player, whose(question.node.player), slots, base, self.registers)

    def refused(self, option: Option, places: Sequence[int], text: str) -> Refusal:
        """Why this line does not offer the action."""
        taken = self.question.node.taken
        if option.once is not None and taken is not None:
            if self.slots[self.base + taken] >> option.once & 1:
                return Refusal("taken", f"{text} was taken already", option.span)
        domains = self.refuser.game.actions[option.action].parameters
        for binder, domain, place in zip(option.binders, domains, places, strict=True):
            found = self._value(binder, place)
            if found is None:
                if self.may_know(binder.source):
                    message = f"{domain.texts[place]} is not in `{_text(binder.source.span)}`"
                    return Refusal("not_there", message, binder.source.span)
                return hidden()
            self.registers[binder.register] = found[0]
        for condition in option.conditions:
            if not self.holds(condition):
                return self._conditions_fail(option.conditions)
        return self._narrowed(actions.join(self.refuser.game, option.action, places))

    def _conditions_fail(self, conditions: Sequence[Expression]) -> Refusal:
        """The first false part of all conditions that the asker can evaluate.

        What stands behind a secret part is looked at as well, or its turn would tell the secret.
        """
        for condition in conditions:
            found = self._condition(condition)
            if found.code == "condition":
                return found
        return hidden()

    def _narrowed(self, action: int) -> Refusal:
        """Which preference takes the action away: told if all the choices may be known."""
        bound = list(self.registers)
        narrowing = self.question.narrowed_by(self.slots, self.base, self.registers, action)
        self.registers[:] = bound
        asked = [*self.question.node.narrowing, *self._conditions()]
        if narrowing is None or not all(map(self.may_know, asked)):
            return hidden()
        message = f"another choice is to be preferred: `{_text(narrowing.span)}`"
        return Refusal("if_possible", message, narrowing.span)

    def _conditions(self) -> Iterator[Expression]:
        """All that tells which other choices there are."""
        for option in self.question.node.options:
            if option.main:
                yield from option.conditions
                yield from (binder.source for binder in option.binders)

    def _value(self, binder: model.OptionBinder, place: int) -> list[Any] | None:
        """The value of a binder that stands at a place of its domain, in a list, if it is there."""
        lister = self.question.listers[0]
        for other in self.question.listers:
            if binder in other.option.binders:
                lister = other
        at = lister.option.binders.index(binder)
        try:
            for found, value in lister.candidates[at](self.slots, self.base, self.registers):
                if found == place:
                    return [value]
        except RuleError:
            return None
        return None

    # -------------------------------------------------------------------------- conditions

    def holds(self, node: Expression) -> bool:
        """Whether a condition holds."""
        return bool(self.value(node))

    def value(self, node: Expression) -> Any:
        """The value of an expression for this action."""
        return self.evaluator.compile(node)(self.slots, self.base, self.registers)

    def may_know(self, node: Expression) -> bool:
        """Whether the asker may know all that an expression reads."""
        return self.refuser.secrecy.open_to(self.asker, node)

    def _condition(self, node: Expression) -> Refusal:
        """The first false part of a condition that the asker can evaluate."""
        for part in self._false_parts(node):
            if self.may_know(part):
                values = tuple(self._values(part))
                told = "; ".join(f"{name} is {value}" for name, value in values)
                message = f"needs `{_text(part.span)}`" + (f": {told}" if told else "")
                return Refusal("condition", message, part.span, values)
        return hidden()

    def _false_parts(self, node: Expression) -> Iterator[Expression]:
        """The parts of a condition that are false, each enough to refuse."""
        try:
            if self.holds(node):
                return
        except RuleError:
            return
        if isinstance(node, model.And):
            for operand in node.operands:
                yield from self._false_parts(operand)
        elif isinstance(node, model.FunctionCall):
            function = self.refuser.game.functions[node.function]
            told = function.name in self.refuser.worded
            if isinstance(function.body, model.And) and not told and self.may_know(node):
                yield from self._inside(function, node.arguments)
            else:
                yield node
        elif isinstance(node, model.SlotCall) and self.may_know(node):
            which = slot_function(self.refuser.machine, node, self.value(node.component))
            yield from self._inside(self.refuser.game.functions[which], node.arguments)
        else:
            yield node

    def _inside(self, function: Function, given: Sequence[Expression]) -> Iterator[Expression]:
        """The parts of a function's body that are false."""
        values = [self.value(argument) for argument in given]
        for register, value in zip(function.parameters, values, strict=True):
            self.registers[register] = value
        yield from self._false_parts(function.body)

    def _values(self, node: Expression) -> list[tuple[str, str]]:
        """The names in a condition with their values."""
        found: dict[str, str] = {}
        for part in self._named(node):
            text = _text(part.span)
            if text and text not in found and self.may_know(part):
                try:
                    found[text] = self._shown(part)
                except RuleError:
                    continue
        return list(found.items())

    def _named(self, node: Expression) -> Iterator[Expression]:
        """What is worth telling: the sides of a comparison, and names that are true or false."""
        match node:
            case model.Comparison(left=left, right=right):
                for side in (left, right):
                    if not isinstance(side, model.Literal):
                        yield side
            case model.Not(operand=operand):
                yield from self._named(operand)
            case model.And(operands=operands) | model.Or(operands=operands):
                for operand in operands:
                    yield from self._named(operand)
            case model.Contains(value=value):
                if not isinstance(value, model.Literal):
                    yield value
            case model.FunctionCall(arguments=arguments):
                for argument in arguments:
                    # What was left out (`you`) has the place of the call.
                    if argument.span != node.span and isinstance(
                        argument, model.Variable | model.Local | model.Register
                    ):
                        yield argument
            case model.Variable() | model.Local() | model.State():
                yield node
            case _:
                return

    def _shown(self, node: Expression) -> str:
        """A value in words."""
        value = self.value(node)
        type_ = node.type
        match bare(type_):
            case Collection(element=element):
                return ", ".join(self.tables.text(element, one) for one in value) or "nothing"
            case Zone() | Order() | Multiset():
                return str(len(value))
            case SetOf(element=element):
                low = self.tables.lowest(element)
                inside = (self.tables.text(element, one) for one in bits(value or 0, low))
                return words(", ".join(inside)) or "nothing"
            case _:
                return words(self.tables.text(type_, value))


def hidden() -> Refusal:
    """What the asker may not know."""
    return Refusal("hidden", "that is not possible now")


def _text(span: Span) -> str:
    return " ".join(span.text.split())
