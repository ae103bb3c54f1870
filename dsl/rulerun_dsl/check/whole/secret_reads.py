"""What an expression reads of the state, and who may see that.

A `Read` is a reference to a zone or variable with its first index. Functions are looked into with
their arguments in place of their parameters; a local stands for what was assigned to it. How many
lie in a zone is not its contents: a zone shows its count unless it hides that too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rulerun_dsl import model as m
from rulerun_dsl.check.env import constants, facts
from rulerun_dsl.check.env.typing import same_place
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.expr import visibility
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.model.traversal import parts, with_parts
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span


@frozen
class Read:
    """A reference to a zone (`count_only`: how many lie in it) or a variable."""

    name: str
    is_zone: bool
    owner: m.Expression | None
    """The first index, if it is a player; None for `[all]` or no such index."""
    count_only: bool
    span: Span
    kept: bool = False
    """It is read through a name, which may have kept it for a while."""


Closed = Mapping[tuple[str, bool], m.Literal]
"""The start values of variables that surely hold at a place; with True: that always did."""

Locals = Mapping[int, tuple[m.Expression, ...]]
"""What was assigned to each local."""


_NO_LOCALS: Locals = {}


def reads(
    world: World,
    node: m.Expression,
    locals_: Locals | None = None,
    seen: frozenset[int] = frozenset(),
) -> list[Read]:
    """Everything that an expression reads of the state."""
    found: list[Read] = []
    _add_reads(world, node, locals_ or _NO_LOCALS, seen, found)
    return found


def _add_reads(
    world: World, node: m.Expression, known: Locals, seen: frozenset[int], found: list[Read]
) -> None:
    inside: Iterable[m.Expression | None]
    match node:
        case m.Members(zone=zone, indexes=indexes) | m.Occupant(zone=zone, indexes=indexes):
            found.append(Read(zone, True, first(world, zone, indexes), False, node.span))
            inside = indexes
        case m.Variable(name=name, indexes=indexes):
            at = player_index(facts.variable(world, name).indexes)
            owner = indexes[at] if at is not None and indexes else None
            found.append(Read(name, False, owner, False, node.span))
            inside = indexes
        case m.Quantifier(word="count", clauses=(m.Clause(source=source, condition=None),)) if (
            piles := piled(world, source, {})
        ):
            for pile, around in piles:
                owner = resolved(first(world, pile.zone, pile.indexes), around)
                found.append(Read(pile.zone, True, owner, True, node.span))
                for index in pile.indexes:
                    if index is not None:
                        found += _with(reads(world, index, known, seen), around)
            return
        case m.Comparison(left=m.Occupant() as left, right=m.Literal(value=None)):
            owner = first(world, left.zone, left.indexes)
            found.append(Read(left.zone, True, owner, True, node.span))
            inside = left.indexes
        case m.FunctionCall(function=function, arguments=arguments):
            for argument in arguments:
                _add_reads(world, argument, known, seen, found)
            parameters = world.functions[function].parameters
            bound = {
                register: argument
                for (_, _, register), argument in zip(parameters, arguments, strict=True)
            }
            found += _with(_of_function(world, function, known, seen), bound, node.span)
            return
        case m.SlotCall(functions=functions, component=component, arguments=arguments):
            for each in (component, *arguments):
                _add_reads(world, each, known, seen, found)
            for function in functions:
                found += _with(_of_function(world, function, known, seen), {}, node.span)
            return
        case m.BuiltinCall(relation=int() as function, arguments=arguments):
            for argument in arguments:
                _add_reads(world, argument, known, seen, found)
            found += _with(_of_function(world, function, known, seen), {}, node.span)
            return
        case m.Local(offset=offset):
            if offset not in seen and offset in known:
                values, inside_it = known[offset], seen | {offset}
                for read in _once(world, ("local", offset), values, known, inside_it):
                    found.append(
                        Read(read.name, read.is_zone, read.owner, read.count_only, node.span, True)
                    )
            return
        case _:
            inside = parts(node)
    for child in inside:
        if child is not None:
            _add_reads(world, child, known, seen, found)


def _of_function(
    world: World, function: int, known: Locals, seen: frozenset[int]
) -> Iterable[Read]:
    """What a function reads, with its parameters as they are."""
    body = world.functions[function].body
    return () if body is None else _once(world, ("function", function), (body,), known, seen)


def _once(
    world: World,
    what: tuple[str, int],
    values: tuple[m.Expression, ...],
    known: Locals,
    seen: frozenset[int],
) -> Iterable[Read]:
    """What a function or a local reads, each once; many expressions ask for it."""
    key = *what, id(known), seen
    if key not in world.read_inside:
        once = {
            (each.name, each.is_zone, each.owner, each.count_only, each.kept): each
            for value in values
            for each in reads(world, value, known, seen)
        }
        world.read_inside[key] = known, tuple(once.values())
    return world.read_inside[key][1]


def _with(
    read: Iterable[Read], bound: Mapping[int, m.Expression], span: Span | None = None
) -> Iterator[Read]:
    """Reads with arguments put in for registers, at the place of a call."""
    for each in read:
        owner = resolved(each.owner, bound)
        at = each.span if span is None else span
        yield Read(each.name, each.is_zone, owner, each.count_only, at, each.kept)


def piled(
    world: World, node: m.Expression, bound: Mapping[int, m.Expression]
) -> tuple[tuple[m.Members, Mapping[int, m.Expression]], ...]:
    """The zones that a collection puts together, each with its registers; else nothing."""
    match node:
        case m.Members():
            return ((node, bound),)
        case m.Joined(left=left, right=right):
            one, other = piled(world, left, bound), piled(world, right, bound)
            return one + other if one and other else ()
        case m.FunctionCall(function=function, arguments=arguments):
            called = world.functions[function]
            if called.body is not None:
                more = {
                    register: substitute(argument, bound)
                    for (_, _, register), argument in zip(called.parameters, arguments, strict=True)
                }
                return piled(world, called.body, {**bound, **more})
    return ()


def first(world: World, zone: str, indexes: tuple[m.Expression | None, ...]) -> m.Expression | None:
    """The player index of a zone."""
    made = facts.zone(world, zone)
    at = player_index(made.indexes) if made is not None else None
    return indexes[at] if at is not None and indexes else None


def player_index(indexes: tuple[t.Scalar, ...]) -> int | None:
    """Which index is the owner: the first that is a player."""
    return next((at for at, each in enumerate(indexes) if isinstance(each, t.Player)), None)


def resolved(node: m.Expression | None, bound: Mapping[int, m.Expression]) -> m.Expression | None:
    """An index with the arguments of the functions around it put in."""
    return None if node is None else substitute(node, bound)


def substitute(node: m.Expression, bound: Mapping[int, m.Expression]) -> m.Expression:
    """A register as the argument that it holds."""
    if not bound:
        return node
    if isinstance(node, m.Register) and node.index in bound:
        return bound[node.index]
    return with_parts(node, lambda part: substitute(part, bound))


# --------------------------------------------------------------------------------- who sees


def rule_of(world: World, read: Read) -> m.Expression:
    """The `visible:` (or `count:`) that a read falls under, with the options put in."""

    def make() -> m.Expression:
        with world.deciding():
            return constants.fold(world, written())

    def written() -> m.Expression:
        if read.is_zone:
            zone = facts.zone(world, read.name)
            assert zone is not None
            if read.count_only:
                seen = visibility.count_visible(world, zone.decl, zone.indexes)
                if not isinstance(seen, m.Literal):
                    whole = visibility.visible(world, zone.decl, zone.indexes, "zone")
                    seen = m.Or(t.Bool(), seen.span, (seen, whole))
                return seen
            return visibility.visible(world, zone.decl, zone.indexes, "zone")
        variable = facts.variable(world, read.name)
        return visibility.visible(world, variable.decl, variable.indexes, "variable")

    default: m.Expression = m.Literal(t.Bool(), read.span, 1)
    return world.fact("sees", f"{read.name}.{read.is_zone}.{read.count_only}", make, default)


def surely(node: m.Expression, is_owner: bool) -> bool | None:
    """Does a viewer see it: True, False, or None where the state decides."""
    match node:
        case m.Literal(value=value):
            return bool(value)
        case m.Comparison(
            operator="==", left=m.Register(index=m.VIEWER), right=m.Register(index=m.OWNER)
        ):
            return is_owner
        case m.Not(operand=operand):
            inner = surely(operand, is_owner)
            return None if inner is None else not inner
        case m.Or(operands=operands):
            found = [surely(each, is_owner) for each in operands]
            return True if True in found else (False if set(found) == {False} else None)
        case m.And(operands=operands):
            found = [surely(each, is_owner) for each in operands]
            return False if False in found else (True if set(found) == {True} else None)
        case m.Conditional(condition=condition, value=value, alternative=alternative):
            test = surely(condition, is_owner)
            if test is not None:
                return surely(value if test else alternative, is_owner)
            left, right = surely(value, is_owner), surely(alternative, is_owner)
            return left if left == right else None
        case _:  # only the state tells
            return None


def seen_by_all(world: World, read: Read, closed: Closed | None = None) -> bool | None:
    """Does everybody see what is read (None: the state decides)."""
    found = {_sees(world, read, is_owner, closed) for is_owner in (False, True)}
    return False if False in found else (True if found == {True} else None)


def seen_by(
    world: World, read: Read, player: m.Expression, closed: Closed | None = None
) -> bool | None:
    """Does a player see what is read (None: the state decides, or nobody can tell)."""
    if read.owner is not None and same_place(read.owner, player):
        return _sees(world, read, True, closed)
    # Who is not surely the owner may still be: of what owners alone may not see, nothing is sure.
    return _sees(world, read, False, closed)


def _sees(world: World, read: Read, is_owner: bool, closed: Closed | None) -> bool | None:
    return surely_now(world, rule_of(world, read), is_owner, read.kept, closed or {})


def surely_now(
    world: World, rule: m.Expression, is_owner: bool, kept: bool, closed: Closed
) -> bool | None:
    """Does a viewer see it at a place at which start values hold (None: the state decides)."""
    found = surely(rule, is_owner)
    if found is not None or not closed:
        return found
    return surely(constants.fold(world, _as_begun(rule, kept, closed)), is_owner)


def _as_begun(node: m.Expression, kept: bool, closed: Closed) -> m.Expression:
    """A condition with the start values that hold put in."""
    if isinstance(node, m.Variable):
        return closed.get((node.name, kept), node)
    return with_parts(node, lambda part: _as_begun(part, kept, closed))


def all_is_open(world: World) -> bool:
    """Does everybody see everything, whoever owns it: then no expression reads a secret."""
    places: list[tuple[str, bool, bool, Span]] = []
    for name in world.by_kind["variable"]:
        places.append((name, False, False, facts.variable(world, name).decl.at.span))
    for name in world.by_kind["zone"]:
        zone = facts.zone(world, name)
        if zone is not None:
            places += [(name, True, count_only, zone.decl.at.span) for count_only in (False, True)]
    rules = (
        rule_of(world, Read(name, is_zone, None, count_only, span))
        for name, is_zone, count_only, span in places
    )
    return all(surely(rule, is_owner) for rule in rules for is_owner in (False, True))


def secrets(
    world: World,
    node: m.Expression,
    player: m.Expression | None,
    locals_: Locals,
    closed: Closed | None = None,
) -> list[Read]:
    """What an expression reads that a player (None: the public) surely does not see."""
    found = []
    # Many steps stand under one condition, and each asks what it reads.
    key = "node", id(node), id(locals_)
    if key not in world.read_inside:
        world.read_inside[key] = (node, locals_), tuple(reads(world, node, locals_))
    for each in world.read_inside[key][1]:
        if player is None:
            sees = seen_by_all(world, each, closed)
        else:
            sees = seen_by(world, each, player, closed)
        if sees is False:
            found.append(each)
    return found
