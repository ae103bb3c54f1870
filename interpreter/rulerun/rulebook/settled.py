"""What the settings of a game decide: values of expressions, modules that are off.

Assumes: a rules file, a game that was made of it, and what its things are called.
Does: works out an expression in which only options, constants and functions of these stand, and
finds declarations by their names.
Leaves behind: values, or None where the state of a play has a say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from functools import cached_property

from rulerun.words.labels import Labels
from rulerun_dsl.load import Loaded
from rulerun_dsl.model import Game, Literal, OptionValue
from rulerun_dsl.model.valuetypes import Bool, Int, Type
from rulerun_dsl.outline.blocks import Blocks
from rulerun_dsl.syntax import declarations as d
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax import statements as stmt
from rulerun_dsl.yaml.nodes import Node

_LIBRARY = {"count", "min", "max", "sum", "abs", "any", "all"}


def nodes(part: object) -> Iterator[s.Node]:
    """Every node of a part of the syntax, itself first."""
    if isinstance(part, s.Node):
        yield part
    if isinstance(part, s.Node | d.BlockItem):
        for field in fields(part):
            yield from nodes(getattr(part, field.name))
    elif isinstance(part, tuple):
        for each in part:
            yield from nodes(each)


def every_phase(phases: Iterable[d.PhaseDecl]) -> Iterator[d.PhaseDecl]:
    """Phases, and those inside them."""
    for each in phases:
        yield each
        yield from every_phase(each.phases)


class Settled:
    """One game of a rules file, with its names."""

    def __init__(self, loaded: Loaded, game: Game, labels: Labels) -> None:
        """`game` is made from `loaded`, and `labels` of it."""
        self.loaded = loaded
        self.game = game
        self.labels = labels
        self.outline = loaded.outline
        self.zones = {each.name: each for each in game.zones}
        self.variables = {each.name: each for each in game.variables}
        self.kinds = {each.name: each for each in game.kinds}
        self.functions = {each.at.name: each for each in self.outline.functions}
        self.procedures = {each.at.name: each for each in self.outline.procedures}
        self.actions = {each.at.name: each for each in self.outline.actions}
        self._answers: dict[str, bool | None] = {}
        self._values: dict[tuple[str, int, int], tuple[Type, int | None] | None] = {}

    @cached_property
    def _fixed(self) -> frozenset[str]:
        """Names whose values are known before play, or may be."""
        outline, game = self.outline, self.game
        found = set(self.constants)
        found |= {each.at.name for each in outline.tables}
        found |= set(self.functions) | {"players", "people"} | set(game.players)
        for enumeration in game.enumerations:
            found |= {enumeration.name, *enumeration.members}
        for kind in game.kinds:
            found |= set(kind.rows)
        return frozenset(found)

    @cached_property
    def changed(self) -> frozenset[str]:
        """Names that some rule gives another value."""
        found = set()
        outline = self.outline
        roots: list[object] = [outline.setup, *(each.body for each in outline.procedures)]
        roots += [each.line for each in outline.actions]
        roots += [each.body for each in outline.hooks]
        roots += [each.body for each in every_phase(outline.phases)]
        for each in nodes(tuple(roots)):
            match each:
                case stmt.Assign(_, s.Name(_, name)) | stmt.Roll(_, s.Name(_, name)):
                    found.add(name)
                case stmt.Pick(_, s.Name(_, name)) | stmt.Swap(_, s.Name(_, name)):
                    found.add(name)
        return frozenset(found)

    @cached_property
    def constants(self) -> frozenset[str]:
        """The names of options and constants."""
        outline = self.outline
        options = {each.at.name for each in outline.options}
        return frozenset(options | {each.at.name for each in outline.constants})

    def _is_table(self, base: s.Expression) -> bool:
        tables = (each.at.name for each in self.outline.tables)
        return isinstance(base, s.Name) and base.text in tables

    def steps(self, part: object) -> Iterator[d.BlockItem | stmt.Statement]:
        """The steps and statements of a part of the syntax that the settings leave, in order.

        What stands behind an option is none of them.
        """
        inner: object = ()
        match part:
            case d.If(_, condition, then, alternative):
                known = self.decided(condition)
                inner = (then, alternative) if known is None else then if known else alternative
            case stmt.Guarded(_, statement, condition):
                inner = () if self.decided(condition) is False else statement
            case stmt.Repeated(_, statement, _):
                inner = statement
            case d.Choose():
                inner = part.nothing
            case tuple():
                inner = part
            case d.BlockItem():
                inner = tuple(getattr(part, field.name) for field in fields(part))
        if isinstance(part, d.BlockItem | stmt.Statement):
            yield part
        for each in inner if isinstance(inner, tuple) else (inner,):
            yield from self.steps(each)

    def value(
        self, node: s.Expression, bound: Mapping[str, object] | None = None
    ) -> tuple[Type, int | None] | None:
        """The type and value of an expression that the settings decide."""
        names = False
        for each in nodes(node):
            if isinstance(each, s.You | s.This | s.Attribute | s.RuleCall | s.After):
                return None
            if isinstance(each, s.Index) and not self._is_table(each.base):
                return None
            if isinstance(each, s.Name):
                names = True
                if each.text not in self._fixed or each.text in (bound or ()):
                    return None
            if isinstance(each, s.Call):
                names = True
                if each.name not in self.functions and each.name not in _LIBRARY:
                    return None
        if not names:
            return None
        key = (node.span.source.name, node.span.start, node.span.end)
        if key not in self._values:
            found, _ = self.loaded.expression(self.game, node)
            known = isinstance(found, Literal) and (found.type, found.value)
            self._values[key] = known or None
        return self._values[key]

    def decided(self, node: s.Expression, bound: Mapping[str, object] | None = None) -> bool | None:
        """Whether a condition holds, if the settings decide it."""
        match node:
            case s.Truth(_, value):
                return value
            case s.Unary(_, "not", operand):
                found = self.decided(operand, bound)
                return None if found is None else not found
            case s.Name(_, text) if bound is not None and text in bound:
                fixed: tuple[Type, int | None] | None = getattr(bound[text], "known", None)
                return None if fixed is None else bool(fixed[1])
            case s.IfElse(_, then, condition, other):
                which = self.decided(condition, bound)
                if which is not None:
                    return self.decided(then if which else other, bound)
                yes, no = self.decided(then, bound), self.decided(other, bound)
                return yes if yes == no else None
            case s.Name(_, text) if text in self.functions:
                return self._always(text)
            case s.Call(_, text) if text in self.functions:
                return self._always(text)
            case s.Logic(_, operator, operands):
                each = [self.decided(operand, bound) for operand in operands]
                ends = operator == "or"
                if ends in each:
                    return ends
                return None if None in each else not ends
        known = self.value(node, bound)
        return bool(known[1]) if known is not None and isinstance(known[0], Bool) else None

    def _always(self, name: str) -> bool | None:
        """Whether a function gives the same truth value whatever it is asked about."""
        if name not in self._answers:
            self._answers[name] = None
            decl = self.functions[name]
            if decl.value is not None and not self.is_replaced(name):
                bound = {each.name: None for each in decl.signature.parameters}
                bound |= {each.name: None for each in decl.lets}
                self._answers[name] = self.decided(decl.value, bound)
        return self._answers[name]

    def is_replaced(self, name: str) -> bool:
        """Whether a module that is on changes a function or procedure."""
        hooks = (each for each in self.outline.hooks if each.at.name == name)
        return any(self.is_on(each.when) for each in hooks)

    @property
    def automata(self) -> tuple[str, ...]:
        """The players whose decisions the rules make."""
        return self.game.players[self.game.people :]

    def whose(self, hook: d.HookDecl) -> str | None:
        """The automa that does this instead of a procedure, if it stands under `instead for`."""
        match hook.body:
            case (d.If(_, s.Is(_, s.You(), s.Name(_, name), False)),) if name in self.automata:
                return name
        return None

    def parsed(self, node: Node) -> s.Expression | None:
        """The expression that is written somewhere in a row; None if it is none."""
        return Blocks(diagnostics=[]).expression(node)

    def declared(self, kind: str) -> d.KindDecl:
        """The declaration of a kind."""
        return next(each for each in self.outline.kinds if each.at.name == kind)

    def slots(self, kind: str) -> tuple[d.RuleSlot, ...]:
        """The rules that rows of a kind fill in, those of the kind that it is like among them."""
        decl = self.declared(kind)
        before = self.slots(decl.like.text) if decl.like is not None else ()
        return (*before, *decl.slots)

    def is_on(self, when: s.Expression | None) -> bool:
        """Whether what has this condition of a module is part of the game."""
        return when is None or self.decided(when) is not False

    def is_changed(self, option: OptionValue) -> bool:
        """Whether an option is not as it is without anybody's wish."""
        decl = next((each for each in self.outline.options if each.at.name == option.name), None)
        if option.text == option.default_text or decl is None or decl.default is None:
            return False
        usual = self.value(decl.default)
        return usual is None or usual[1] != option.value

    def text(self, type_: Type, value: int | None) -> str:
        """A value for people."""
        speech = self.labels.speech
        if value is None:
            return speech.none
        if isinstance(type_, Bool):
            return speech.yes if value else speech.no
        if isinstance(type_, Int):
            return str(value)
        return self.labels.constant(type_, value)
