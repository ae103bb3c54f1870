"""What may be named without being declared, where an expression stands."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field

from rulerun_dsl import model as m
from rulerun_dsl.check.env.recorder import Recorder, word_in
from rulerun_dsl.check.env.world import World
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span
from rulerun_dsl.syntax import expressions as s


@dataclass(frozen=True)
class Scope:
    """What may be named without being declared."""

    names: Mapping[str, m.Expression] = field(default_factory=dict)
    you: m.Expression | None = None
    this: m.Expression | None = None
    visibility: bool = False
    """Inside `visible:`: `all` and `owner` mean something."""
    owned: bool = False
    """What is seen belongs to a player: `owner` is that player."""
    original: str | None = None
    """Inside a replacement: what `original(…)` calls."""
    fractions: bool = False
    """Inside `returns`: `/` is allowed."""
    constant: bool = False
    """Outside any rule: what stands here is known before play."""
    line: s.Signature | None = None
    """In a line of the scoring: what it says of whom it is asked about, which is nobody."""
    asked: list[bool] = field(default_factory=lambda: [False])
    """Its item becomes True once `you` is read (shared by the scopes inside a rule)."""

    def with_names(self, /, **names: m.Expression) -> Scope:
        """A scope with more locals."""
        return dataclasses.replace(self, names={**self.names, **names})


def ask(
    recorder: Recorder, role: str, scope: Scope, expected: t.Type | None = None, many: bool = False
) -> None:
    """Tell an editor what could stand in a scope."""
    has_you = scope.you is not None
    recorder.ask(role, scope.names, expected, many=many, has_you=has_you)


def bind(
    world: World,
    scope: Scope,
    name: str,
    span: Span,
    type_: t.Scalar,
    register: int,
) -> Scope:
    """A scope with a binder in it; a local hides nothing but the name of a kind."""
    value = m.Register(type_, span, register)
    check_hides(world, scope, name, span)
    if world.recorder is not None:
        world.note(word_in(span, name), name, "local", type_=type_, at=span)
    if name == "you":
        return dataclasses.replace(scope, you=value, asked=[False])
    return scope.with_names(**{name: value})


def check_parameters(world: World, signature: s.Signature) -> None:
    """Report parameters that hide a declared name or one another."""
    scope = Scope()
    for parameter in signature.parameters:
        check_hides(world, scope, parameter.name, parameter.span)
        value = m.Literal(t.Unknown(), parameter.span, 0)
        scope = scope.with_names(**{parameter.name: value})


def check_hides(world: World, scope: Scope, name: str, span: Span, binder: bool = True) -> None:
    """Report a local that hides a declared name or another local.

    A binder may bear the name of what it ranges over, a kind, a board or a type
    (`for: card in hand`); a `let` may not.
    """
    if name == "you":
        return
    word = world.declared.get(name, ("", None))[0]
    hides = name in scope.names or word not in (("", "kind", "board", "type") if binder else ("",))
    named = name in world.players or name in world.automata
    if hides or named or name in ("players", "people"):
        what = f"the {word} `{name}`" if word else f"another `{name}`"
        if named and not word:
            what = f"the player `{name}`"
        world.report(
            "RR0404",
            f"`{name}` would hide {what}",
            span,
            help="choose another name for the local",
        )
