"""What the recorder is told of an expression that was typed (see `env.recorder`).

Assumes: an expression, what it was typed as, and the names that were in scope.
Does: says of names and calls what they turned out to be. Nothing is looked up a second time: a name
is a member if the result is that member, and else what the declarations or the scope say.
Leaves behind: notes.
"""

from __future__ import annotations

from rulerun_dsl import model as m
from rulerun_dsl.check.env import facts, tabular
from rulerun_dsl.check.env.recorder import HERE, Recorder, word_in
from rulerun_dsl.check.env.records import KindFacts
from rulerun_dsl.check.env.typing import last_name
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import scopes
from rulerun_dsl.check.expr.scopes import Scope
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.model.library import WORDS
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import expressions as s


def note(
    world: World,
    recorder: Recorder,
    scope: Scope,
    node: s.Expression,
    expected: t.Type | None,
    many: bool,
    found: m.Expression,
) -> None:
    """Tell what an expression was found to be."""
    recorder.typed(node.span, found.type)
    match node:
        case s.Name(text=text) if text == HERE:
            scopes.ask(recorder, "value", scope, expected, many)
        case s.Name():
            _name(world, scope, node, found)
        case s.Call(name=name) if name == HERE:
            scopes.ask(recorder, "call", scope, expected, many)
        case s.Call(name=name, name_span=span):
            if name in world.declared:
                world.note(span, name, type_=found.type)
            elif name in WORDS:
                world.note(span, name, "library")
        case s.KindName(kind=kind) | s.ComponentsOf(kind=kind):
            world.note(word_in(node.span, kind), kind, type_=found.type)


def _name(world: World, scope: Scope, node: s.Name, found: m.Expression) -> None:
    text = node.text
    span = node.span if node.span.text == text else last_name(node.span, text)
    if text in scope.names:
        local = scope.names[text]
        world.note(span, text, "local", type_=local.type, at=word_in(local.span, text))
        return
    type_ = t.bare(found.type)
    if isinstance(found, m.Literal) and found.value is not None:
        names = facts.members(world, type_)
        if names and 0 <= found.value < len(names) and names[found.value] == text:
            member(world, span, text, type_)
            return
    if text in world.declared:
        world.note(span, text, type_=found.type)
    elif text in world.players or text in world.automata:
        world.note(span, text, "player", type_=found.type)
    elif text in ("players", "people", "owner", "direction"):
        world.note(span, text, "language", type_=found.type)


def member(world: World, span: Span, name: str, type_: t.Type) -> None:
    """Tell of a member of a type, a row of a kind, a site of a board."""
    if isinstance(type_, t.Player):
        world.note(span, name, "player", type_=type_)
    elif not isinstance(type_, t.Bool):
        if isinstance(type_, t.Row | t.Component):
            of = type_.kind
        else:
            of = type_.board if isinstance(type_, t.Direction) else str(type_)
        world.note(span, name, "member", of, type_)


def attribute(world: World, span: Span, name: str, kind: KindFacts) -> None:
    """Tell of an attribute of components, which the kind itself or one it is like declares."""
    if world.recorder is None:
        return
    for each in tabular.likes(world, kind.decl):
        for key, _ in each.attributes:
            if key.name == name:
                world.note(
                    span, name, "attribute", type_=kind.attributes[name][0], at=key.name_span
                )
