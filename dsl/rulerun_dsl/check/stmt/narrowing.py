"""What is known not to be none, from one statement to the next.

Assumes: `World.proved`, what the conditions around a statement say; statements as they are written,
for what a loop changes counts before its body is checked.
Does: adds what a guard proves behind it (`give … if q is none`), takes away what a statement may
have changed. A local changes where it is assigned; the state also by what is called, moved or
asked.
Leaves behind: `World.proved` for the next statement. It decides findings only, never what runs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from rulerun_dsl import model as m
from rulerun_dsl.check.expr import elaborate
from rulerun_dsl.check.stmt import calls, tree, walking
from rulerun_dsl.check.stmt.rule_checker import RuleChecker
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax import statements as stmt

_FIXED = (
    m.Literal,
    m.Setting,
    m.Register,
    m.Lookup,
    m.Arithmetic,
    m.RowOf,
    m.OwnerOf,
    m.NotNone,
    m.RangeCheck,
)
"""What has the same value as long as its parts have."""


@dataclasses.dataclass
class Changes:
    """What statements may change: these locals, these variables, any of the state."""

    locals: set[str] = dataclasses.field(default_factory=set)
    variables: set[str] = dataclasses.field(default_factory=set)
    anything: bool = False

    def spare(self, known: m.Expression) -> bool:
        """Is what is known still so."""
        return all(self._spares(part) for part in walking.parts(known))

    def _spares(self, part: m.Expression) -> bool:
        match part:
            case m.Local(name=name):
                return name not in self.locals
            case m.Variable(name=name):
                return not self.anything and name not in self.variables
            case _:
                return isinstance(part, _FIXED) or not (self.anything or self.variables)


def pass_on(
    rules: RuleChecker,
    item: stmt.Statement | declarations.BlockItem,
    nodes: Iterable[tree.Node],
) -> None:
    """Know behind a statement what is known before it and still so, and what it proves."""
    world = rules.world
    if not world.strict:
        return
    world.proved = _left(rules, world.proved, item)
    for node in nodes:
        if isinstance(node, tree.If):
            world.proved += _behind(rules, node, item)


def _behind(
    rules: RuleChecker, node: tree.If, item: stmt.Statement | declarations.BlockItem
) -> list[m.Expression]:
    """What holds behind a branch one side of which never gets there."""
    match item:
        case stmt.Guarded():
            then: object = item.statement
            other: object = ()
        case declarations.If():
            then, other = item.then, item.alternative
        case _:
            return []
    if walking.leaves(node.then):
        return _left(rules, elaborate.proved(node.condition, False), other)
    if node.alternative is not None and walking.leaves(node.alternative):
        return _left(rules, elaborate.proved(node.condition, True), then)
    return []


def _left(rules: RuleChecker, known: list[m.Expression], value: object) -> list[m.Expression]:
    """What is still known when statements have run."""
    if not known:
        return []
    changes = Changes()
    _note(rules, value, changes)
    return [each for each in known if changes.spare(each)]


@contextmanager
def inside(rules: RuleChecker, *body: object) -> Iterator[None]:
    """While inside a loop, know what no pass changes."""
    world = rules.world
    with world.knowing(()):
        world.proved = _left(rules, world.proved, body) if world.strict else []
        yield


@contextmanager
def asked(rules: RuleChecker) -> Iterator[None]:
    """While inside the body of an option, know what others cannot have changed meanwhile."""
    world = rules.world
    with world.knowing(()):
        world.proved = [each for each in world.proved if Changes(anything=True).spare(each)]
        yield


def _note(rules: RuleChecker, value: object, changes: Changes) -> None:
    """Add what a statement, or statements inside anything, may change."""
    match value:
        case stmt.Let(name=name, value=given):
            changes.locals.add(name)
            _note_value(rules, given, changes)
        case stmt.Assign(place=place, value=given):
            _note_place(rules, place, changes)
            _note_value(rules, given, changes)
        case stmt.Roll(place=place) | stmt.Pick(place=place):
            _note_place(rules, place, changes)
        case stmt.Sort(place=place) | stmt.Reset(place=place):
            _note_place(rules, place, changes)
        case stmt.Do() | stmt.Move() | stmt.Shuffle() | stmt.Swap() | stmt.Show():
            changes.anything = True
            if isinstance(value, stmt.Swap):
                _note_place(rules, value.left, changes)
                _note_place(rules, value.right, changes)
        case tuple():
            for each in value:
                _note(rules, each, changes)
        case stmt.Guarded() | stmt.Repeated():
            _note(rules, value.statement, changes)
        case declarations.BlockItem():
            if isinstance(value, declarations.Choose):
                changes.anything = True
            for field in dataclasses.fields(value):
                _note(rules, getattr(value, field.name), changes)
        case _:
            pass


def _note_place(rules: RuleChecker, place: s.Expression, changes: Changes) -> None:
    """Add a place that is written: a local, a variable, or an attribute."""
    root = place
    while isinstance(root, s.Index | s.Attribute):
        root = root.base
    if isinstance(root, s.Name) and root.text in rules.world.by_kind["variable"]:
        changes.variables.add(root.text)
    elif isinstance(place, s.Name):
        changes.locals.add(place.text)
    else:
        changes.anything = True


def _note_value(rules: RuleChecker, value: s.Expression | stmt.Move, changes: Changes) -> None:
    """Add what the value of an assignment does on the way."""
    if isinstance(value, stmt.Move) or calls.is_procedure(rules, value):
        changes.anything = True
