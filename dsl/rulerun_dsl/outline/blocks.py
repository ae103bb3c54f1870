"""Reading blocks: statements, choices and their options, from documents.

Assumes: nodes of a sound shape.
Does: reads the half of an outline that says what rules do. `Blocks` parses strings and collects
what the parser says; `declarations` and `outline` build on it.
Leaves behind: blocks of the abstract syntax; diagnostics.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from rulerun_dsl.diagnostics.diagnostic import MOST_FINDINGS, Diagnostic, not_checked
from rulerun_dsl.outline.parameters import types_first
from rulerun_dsl.schema.ruleset_schema import HEADS
from rulerun_dsl.syntax import declarations, parse
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax.parse import EACH_TEXT, MOST_TEXT
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar, Sequence

_Parsed = TypeVar("_Parsed")
Parser = Callable[[Scalar], tuple[object, list[Diagnostic]]]
_GROUP = re.compile(r"when\s+(\S.*)", re.S)


@dataclass
class Blocks:
    """Parses strings and blocks into `diagnostics`."""

    diagnostics: list[Diagnostic]
    slips: int = field(default=0, init=False)
    """How many texts could not be read."""
    length: int = field(default=0, init=False)
    """How many characters the texts had."""
    texts: int = field(default=0, init=False)
    """How many there were."""
    unread: list[Scalar] = field(default_factory=list, init=False)
    """Those that were not read any more."""
    read: list[tuple[Scalar, Parser]] = field(default_factory=list, init=False)
    """Those that were, and as what."""
    sentences: list[str] = field(default_factory=list, init=False)
    """What people are told and asked, as it stands there."""
    action_names: list[str] = field(default_factory=list, init=False)
    """What they may do."""
    action_parameters: dict[str, tuple[str, ...]] = field(default_factory=dict, init=False)
    """By action: what it is done with, as the first menu that offers it calls that."""
    action_arguments: dict[str, int] = field(default_factory=dict, init=False)
    """By action: how much of that the first choice gives that offers it, `step(tile)`."""
    named_types: frozenset[str] = field(default=frozenset(), init=False)
    """The names of types that the files declare, as far as they are known."""

    def parsed(
        self,
        how: Callable[[Scalar], tuple[_Parsed, list[Diagnostic]]],
        node: Node | None,
    ) -> _Parsed | None:
        """Parse a string, keeping what the parser says; None for anything that is no string."""
        if not isinstance(node, Scalar):
            return None
        self.length += len(node.text)
        self.texts += 1
        if self.slips >= MOST_FINDINGS or self.length + EACH_TEXT * self.texts > MOST_TEXT:
            self.unread.append(node)
            return None
        self.read.append((node, how))
        if how is parse.parse_template:
            self.sentences.append(node.text)
        found, diagnostics = how(node)
        self.diagnostics.extend(diagnostics)
        self.slips += len(diagnostics)
        return found

    def signature(self, node: Node | None) -> s.Signature | None:
        """Parse a signature, whose parameters are then as they are meant."""
        found = self.parsed(parse.parse_signature, node)
        if found is None or not found.parameters:
            return found
        found, slips = types_first(found, self.named_types)
        self.diagnostics.extend(slips)
        self.slips += len(slips)
        return found

    def say_unread(self) -> None:
        """Report the texts that were not read any more."""
        if not self.unread:
            return
        first = self.unread[0].span
        why = (
            f"{self.slips} mistakes were found before"
            if self.slips >= MOST_FINDINGS
            else f"the rules have more than {MOST_TEXT:,} characters ({EACH_TEXT} for each text)"
        )
        self.diagnostics.append(not_checked(f"{len(self.unread):,} texts of rules", why, first))

    def expression(self, node: Node | None) -> s.Expression | None:
        """Parse an expression."""
        return self.parsed(parse.parse_test, node)

    def expressions(self, node: Node | None) -> tuple[s.Expression, ...]:
        """Parse one expression or a list of them."""
        nodes = node.items if isinstance(node, Sequence) else () if node is None else (node,)
        found = (self.expression(item) for item in nodes)
        return tuple(item for item in found if item is not None)

    def is_step(self, node: Node) -> bool:
        """Tell whether a mapping is a structured statement (else it is a body)."""
        return isinstance(node, Mapping) and any(node.get(head) is not None for head in HEADS)

    def block(self, node: Node | None) -> declarations.Block:
        """Read a block: a string, a statement, a list of them, or a body with `do`."""
        if isinstance(node, Scalar):
            found = self.parsed(parse.parse_block, node)
            return (declarations.Line(node.span, found.statements),) if found is not None else ()
        if isinstance(node, Sequence):
            return tuple(step for item in node.items for step in self.block(item))
        if isinstance(node, Mapping):
            if self.is_step(node):
                step = self.step(node)
                return (step,) if step is not None else ()
            return self.block(node.get("do"))
        return ()

    def step(self, node: Mapping) -> declarations.BlockItem | None:
        """Read a structured statement."""
        span = node.entries[0].key.span
        if (condition := node.get("if")) is not None:
            test = self.expression(condition)
            then, alternative = self.block(node.get("then")), self.block(node.get("else"))
            return declarations.If(span, test, then, alternative) if test is not None else None
        if (subject := node.get("match")) is not None:
            matched = self.expression(subject)
            cases = self.cases(node.get("cases"))
            return declarations.Match(span, matched, cases) if matched is not None else None
        if (cases_node := node.get("cases")) is not None:
            return declarations.Cases(span, self.cases(cases_node))
        if node.get("choose") is not None:
            return self.choose(node)
        if (text := node.get("say")) is not None:
            template = self.parsed(parse.parse_template, text)
            return declarations.Say(span, template) if template is not None else None
        body = self.block(node.get("do"))
        until = self.expression(node.get("until"))
        if (loop := node.get("for")) is not None:
            loops = self.parsed(parse.parse_loops, loop)
            return declarations.For(span, loops, body) if loops is not None else None
        if (loop := node.get("together")) is not None:
            binders = self.parsed(parse.parse_binders, loop)
            return declarations.Together(span, binders, body) if binders is not None else None
        if (loop := node.get("turns")) is not None:
            binders = self.parsed(parse.parse_binders, loop)
            return declarations.Turns(span, binders, until, body) if binders is not None else None
        if (count := node.get("repeat")) is not None:
            times = self.expression(count)
            return declarations.Times(span, times, body) if times is not None else None
        return declarations.Until(span, until, body) if until is not None else None

    def cases(
        self, node: Node | None
    ) -> tuple[tuple[s.Expression | None, declarations.Block], ...]:
        """Read `cases:`."""
        found: list[tuple[s.Expression | None, declarations.Block]] = []
        for entry in node.entries if isinstance(node, Mapping) else ():
            body = self.block(entry.value)
            if entry.key.text == "else":
                found.append((None, body))
            elif (condition := self.expression(entry.key)) is not None:
                found.append((condition, body))
        return tuple(found)

    def calls(self, node: Node | None) -> tuple[s.Name | s.Call, ...]:
        """Read `[actions, groups]`."""
        found = (self.parsed(parse.parse_call, item) for item in _calls(node))
        return tuple(item for item in found if item is not None)

    def given_in(self, actions: Iterable[s.Name | s.Call | None]) -> None:
        """Note what a choice gives to the actions that it offers."""
        for each in actions:
            if isinstance(each, s.Call):
                self.action_arguments.setdefault(each.name, len(each.arguments))

    def grouped(
        self, node: Node | None, around: tuple[s.Expression, ...] = ()
    ) -> Iterator[tuple[Scalar, Node, tuple[s.Expression, ...]]]:
        """Options or actions, each with the conditions of the `when …:` groups around it."""
        for entry in node.entries if isinstance(node, Mapping) else ():
            group = _GROUP.fullmatch(entry.key.text)
            if group is None:
                yield entry.key, entry.value, around
                continue
            inner = Scalar(group[1], group[1], entry.key.span_of(*group.span(1)), entry.key.style)
            test = self.expression(inner)
            yield from self.grouped(entry.value, around if test is None else (*around, test))

    def menu_line(
        self, key: Scalar, node: Node, around: tuple[s.Expression, ...] = ()
    ) -> declarations.MenuLine | None:
        """Read an option or action: its signature, conditions and body."""
        signature = self.signature(key)
        if signature is None:
            return None
        conditions: tuple[s.Expression, ...] = ()
        if signature.condition is not None:
            conditions = (signature.condition,)
        body, hint = node, None
        if isinstance(node, Mapping) and not self.is_step(node):
            conditions += self.expressions(node.get("when"))
            hint = self.parsed(parse.parse_template, node.get("hint"))
            do = node.get("do")
            body = do if do is not None else Sequence((), node.span)
        self.action_names.append(signature.name)
        called = tuple(each.name for each in signature.parameters)
        self.action_parameters.setdefault(signature.name, called)
        return declarations.MenuLine(
            key.span, signature, conditions, self.block(body), hint, around
        )

    def told_in(self, rules: Node) -> None:
        """Gather the sentences and options of what stands in a row, where rules are read later."""
        left = [rules]
        while left:
            node = left.pop()
            if isinstance(node, Sequence):
                left += reversed(node.items)
            if not isinstance(node, Mapping):
                continue
            for entry in reversed(node.entries):
                left.append(entry.value)
                if entry.key.text in ("say", "ask", "hint") and isinstance(entry.value, Scalar):
                    self.sentences.append(entry.value.text)
                if entry.key.text == "choose":
                    self.given_in(parse.parse_call(each)[0] for each in _calls(entry.value))
                    for name, called in _options(entry.value):
                        self.action_names.append(name)
                        self.action_parameters.setdefault(name, called)
                    ends = (node.get("done"), node.get("or"))
                    self.action_names += [each.text for each in ends if isinstance(each, Scalar)]

    def choose(self, node: Mapping) -> declarations.Choose | None:
        """Read a decision."""
        options = node.get("choose")
        binders = self.parsed(parse.parse_binders, options)
        menu: list[declarations.MenuLine] = []
        for option in self.grouped(options):
            if (line := self.menu_line(*option)) is not None:
                menu.append(line)
        times = node.get("times")
        how_often: str | s.Expression | None = None
        if isinstance(times, Scalar):
            known = times.text in ("each once", "any")
            how_often = times.text if known else self.expression(times)
        done, decline = node.get("done"), node.get("or")
        actions = self.calls(options)
        self.given_in(actions)
        if binders is None and not menu and not actions:
            return None
        self.action_names += [each.text for each in (done, decline) if isinstance(each, Scalar)]
        nothing = node.get("else")
        forced = node.get("forced")
        return declarations.Choose(
            span=node.entries[0].key.span,
            by=self.expression(node.get("by")),
            ask=self.parsed(parse.parse_template, node.get("ask")),
            hint=self.parsed(parse.parse_template, node.get("hint")),
            visible=self.expression(node.get("visible")),
            binders=binders,
            menu=tuple(menu),
            actions=actions,
            narrowing=self.expressions(node.get("if_possible")),
            also=self.calls(node.get("also")),
            times=how_often,
            done=done.text if isinstance(done, Scalar) else None,
            decline=decline.text if isinstance(decline, Scalar) else None,
            nothing=self.block(nothing) if nothing is not None else None,
            forced=isinstance(forced, Scalar) and forced.text == "take",
        )


def row_rule(node: Node, signature: s.Signature) -> tuple[declarations.Block, list[Diagnostic]]:
    """Read what a row gives for a rule slot of its kind, and what the parser says of it.

    Only the checker knows which values of a row are rules, and asks when one is called.
    A mapping may go by the last parameter: `icon: {3: raise(), 4: gain(2)}`; for what it does not
    list nothing happens.
    """
    reader = Blocks(diagnostics=[])
    if (
        not isinstance(node, Mapping)
        or reader.is_step(node)
        or node.get("do") is not None
        or not signature.parameters
    ):
        return reader.block(node), reader.diagnostics
    subject = s.Name(node.span, signature.parameters[-1].name)
    cases = reader.cases(node)
    if not any(key is None for key, _ in cases):
        cases += ((None, ()),)
    return (declarations.Match(node.entries[0].key.span, subject, cases),), reader.diagnostics


def _calls(node: Node | None) -> tuple[Scalar, ...]:
    """What a list names of actions."""
    items = node.items if isinstance(node, Sequence) else ()
    return tuple(item for item in items if isinstance(item, Scalar))


def _options(node: Node) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The options of a choice: their names, and those of their parameters."""
    for entry in node.entries if isinstance(node, Mapping) else ():
        if _GROUP.fullmatch(entry.key.text) is not None:
            yield from _options(entry.value)
            continue
        name, _, rest = entry.key.text.partition("(")
        parameters = (each.partition(" in ")[0].split() for each in rest.rstrip(")").split(","))
        yield name.strip(), tuple(each[-1] for each in parameters if each)
