"""Whether a player may know all that an expression looks at.

Assumes: a question that rests, asked of a player.
Does: follows the expression down to what it reads, and asks the visibility of each zone and
variable; an index that can be worked out narrows that to one instance, else all must be seen. A
function is followed with its arguments.
Leaves behind: yes or no. In doubt it says no: a refusal then says less.

Names of the rules (locals) have no visibility. One is open if all that ever goes into it is public,
and what a player has chosen is open to that player (to all, where the choice is told to all). Which
names are secret is found once, by following what flows into each; what a procedure branches on
flows into all that it stores in names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

from rulerun.analysis.reads import asked_if_empty, only_counted, reads
from rulerun.reference.machine import Machine
from rulerun.runtime.closures import fresh_registers
from rulerun.runtime.control import onward
from rulerun.runtime.executor import RuleError
from rulerun_dsl import model
from rulerun_dsl.model import Expression, Local
from rulerun_dsl.model.effects import effects
from rulerun_dsl.model.traversal import parts
from rulerun_dsl.model.valuetypes import Row, bare
from rulerun_dsl.source.frozen import frozen

Name = tuple[int, str]
"""A local: its offset and its name."""


@frozen
class Asker:
    """Who asks, and about which position."""

    player: int
    name: Any
    """What tells whose choice the question is (see `whose`)."""
    slots: Sequence[int]
    base: int
    registers: list[Any]
    """The scratch of what is evaluated, with the values bound so far."""


class Secrecy:
    """What is secret in one game."""

    def __init__(self, machine: Machine) -> None:
        """Follow what flows into names."""
        self.machine = machine
        self.game = machine.game
        self.secret: set[Name] = set()
        self.chosen: dict[Name, set[Any]] = {}
        self._public_families: dict[tuple[str, str], bool] = {}
        self.chosen = self._chosen()
        self._rebound = frozenset(
            whose(node.loop.variable) for node in self.game.code if isinstance(node, model.LoopNext)
        )
        self._follow()

    # ------------------------------------------------------------------------------- public

    def public(self, node: Expression) -> bool:
        """Whether everybody may know all that an expression reads."""
        return self._flowing(node) == frozenset()

    def _flowing(self, node: Expression) -> frozenset[Any] | None:
        """Whose choices an expression tells of, all else in it being public; None: a secret."""
        found = reads(self.game, node)
        if (
            all(self._seen_by_all("variable", name) for name in found.variables)
            and all(self._seen_by_all("zone", name) for name in found.zones)
            and all(self._seen_by_all("count", name) for name in found.counts)
            and not found.locals & self.secret
        ):
            return frozenset(one for name in found.locals for one in self.chosen.get(name, set()))
        return None

    def _seen_by_all(self, what: str, name: str) -> bool:
        key = (what, name)
        if key not in self._public_families:
            conditions = self._conditions(what, name)
            always = not any(reads(self.game, condition).state for condition, _ in conditions)
            self._public_families[key] = always and all(
                self._mask(condition, owner, ()) == self.machine.visibility.all
                for condition, owner in conditions
            )
        return self._public_families[key]

    def _mask(self, condition: Expression, owner: int | None, slots: Sequence[int]) -> int:
        registers = fresh_registers(self.game)
        return self.machine.visibility.of(condition, owner, slots, registers)

    def _conditions(self, what: str, name: str) -> list[tuple[Expression, int | None]]:
        """The visibility of each instance of a family, with its owner."""
        tables = self.machine.tables
        if what == "variable":
            table = tables.variables[name]
            return [
                (table.variable.visible, None if table.owner is None else indexes[table.owner])
                for indexes in table.instances()
            ]
        family = tables.families[name]
        zones = tables.instances[family.base : family.base + family.instances]
        if what == "zone":
            return [(family.visible, zone.owner) for zone in zones]
        return [(family.count_visible, zone.owner) for zone in zones]

    # -------------------------------------------------------------------------------- names

    def _chosen(self) -> dict[Name, set[Any]]:
        """Names that a choice binds which is not told to all: by whose choice."""
        found: dict[Name, set[Any]] = {}
        apart = self._in_together()
        for at, node in enumerate(self.game.code):
            if isinstance(node, model.Choose):
                told = at not in apart and self._told_to_all(node)
                for option in node.options:
                    for binder in option.binders:
                        if told and self.public(binder.source):
                            continue
                        name = (binder.local.offset, binder.local.name)
                        found.setdefault(name, set()).add(whose(node.player))
        return found

    def _told_to_all(self, node: model.Choose) -> bool:
        """Whether everybody is told what was chosen."""
        if node.visible is None or reads(self.game, node.visible).state:
            return False
        return all(
            self._mask(node.visible, player, ()) == self.machine.visibility.all
            for player in range(len(self.game.players))
        )

    def _in_together(self) -> set[int]:
        """The instructions that may run inside a `together`."""
        code = self.game.code
        waiting = [node.body for node in code if isinstance(node, model.TogetherStart)]
        found: set[int] = set()
        while waiting:
            at = waiting.pop()
            if at in found:
                continue
            found.add(at)
            waiting.extend(onward(self.game, at))
            calls = effects(code[at]).calls
            waiting.extend(self.game.procedures[each].entry for each in calls)
        return found

    def _follow(self) -> None:
        """Mark what something secret or chosen flows into, until nothing more is marked."""
        code, owner = self.game.code, self.machine.control.owner
        before = -1
        while before != self._marks():
            before = self._marks()
            branches: dict[int, list[Expression]] = defaultdict(list)
            for at, node in enumerate(code):
                if isinstance(node, model.Unless):
                    branches[owner[at]].append(node.condition)
            hidden = {number: self._all_flowing(tests) for number, tests in branches.items()}
            for at, node in enumerate(code):
                for local, sources in self._flows(node):
                    flowing = None if sources is None else self._all_flowing(sources)
                    if isinstance(node, model.Store):
                        branch = hidden.get(owner[at], frozenset())
                        if flowing is not None:
                            flowing = None if branch is None else flowing | branch
                    self._mark((local.offset, local.name), flowing)

    def _marks(self) -> int:
        return len(self.secret) + sum(len(whom) for whom in self.chosen.values())

    def _mark(self, name: Name, flowing: frozenset[Any] | None) -> None:
        # What is kept from a choice of a loop's `you` may be there when `you` is another.
        if flowing is None or flowing & self._rebound:
            self.secret.add(name)
        elif flowing:
            self.chosen.setdefault(name, set()).update(flowing)

    def _all_flowing(self, nodes: Sequence[Expression]) -> frozenset[Any] | None:
        """Whose choices some expressions tell of together; None: a secret."""
        whom: frozenset[Any] = frozenset()
        for node in nodes:
            flowing = self._flowing(node)
            if flowing is None:
                return None
            whom |= flowing
        return whom

    def _flows(self, node: model.Instruction) -> Iterator[tuple[Local, list[Expression] | None]]:
        """The names that an instruction writes, each with what flows in (None: luck)."""
        does = effects(node)
        for number in does.calls:
            # A call that has waited has its arguments already.
            parameters = self.game.procedures[number].parameters
            yield from (
                (one, [what]) for one, what in zip(parameters, does.arguments, strict=False)
            )
        if does.asks is not None:
            return  # what is chosen is known to who chooses: see `_chosen`
        given = [value for number in does.calls for value in self._given.get(number, ())]
        # The condition reads the variable itself: what it is compared with matters.
        tests = does.reads if isinstance(node, model.LoopNext) else ()
        for write in does.writes:
            if isinstance(write.target, Local):
                yield write.target, None if write.luck else [*write.sources, *tests, *given]

    @cached_property
    def _given(self) -> dict[int, list[Expression]]:
        """By procedure: all that it may give."""
        found: dict[int, list[Expression]] = defaultdict(list)
        for node in self.game.code:
            if isinstance(node, model.GiveValue):
                found[node.procedure].append(node.value)
        return dict(found)

    # ------------------------------------------------------------------------------ one asker

    def open_to(self, asker: Asker, node: Expression) -> bool:
        """Whether an asker may know all that an expression reads."""
        return self._open(asker, node, frozenset())

    def _open(self, asker: Asker, node: Expression, bound: frozenset[int]) -> bool:
        """`bound`: registers whose values are not known here, since they run through many."""
        match node:
            case model.Local(offset=offset, name=name):
                return self._open_name(asker, (offset, name))
            case model.Variable(name=name):
                return self._instances(asker, node, bound, "variable", name)
            case model.Members(zone=zone) | model.Occupant(zone=zone):
                return self._instances(asker, node, bound, "zone", zone)
            case model.Comparison() if (empty := asked_if_empty(node)) is not None:
                return self._instances(asker, empty, bound, "count", empty.zone)
            case model.Quantifier(clauses=clauses):
                within = bound
                for clause in clauses:
                    if not self._open_clause(asker, node, clause, within):
                        return False
                    within |= {clause.register}
                rest = [node.value, *node.keys, node.number]
                return all(self._open(asker, one, within) for one in rest if one is not None)
            case model.FunctionCall(function=function, arguments=arguments):
                return self._open_call(asker, [function], arguments, bound)
            case model.SlotCall(component=component, arguments=arguments):
                return self._open(asker, component, bound) and self._open_call(
                    asker, self._of_rows(asker, node, bound), arguments, bound
                )
            case model.State(component=model.Occupant() as component):
                return self._open(asker, component, bound)
            case model.OfKind() | model.State() | model.SiteOf() | model.BuiltinCall():
                return self._wide(asker, node)
            case model.After():
                return self._wide(asker, node)
            case _:
                return all(self._open(asker, part, bound) for part in parts(node))

    def _open_name(self, asker: Asker, name: Name) -> bool:
        who = asker.name
        if who == ("local", *name):
            # Whom the game asks is known to all, most of all to who is asked.
            return True
        if name in self.secret:
            return False
        if name in self.chosen:
            return who is not None and self.chosen[name] == {who}
        return True

    def _open_clause(
        self, asker: Asker, node: model.Quantifier, clause: model.Clause, bound: frozenset[int]
    ) -> bool:
        source = clause.source
        if (counted := only_counted(node)) is not None:
            return self._instances(asker, counted, bound, "count", counted.zone)
        if not self._open(asker, source, bound):
            return False
        condition = clause.condition
        return condition is None or self._open(asker, condition, bound | {clause.register})

    def _of_rows(self, asker: Asker, node: model.SlotCall, bound: frozenset[int]) -> Sequence[int]:
        """The functions of the rows that a component may be of: one, where the action names it."""
        component = node.component
        if not isinstance(component, model.Register) or component.index in bound:
            return node.functions
        return [slot_function(self.machine, node, self._value(asker, component))]

    def _open_call(
        self,
        asker: Asker,
        functions: Sequence[int],
        arguments: Sequence[Expression],
        bound: frozenset[int],
    ) -> bool:
        if not all(self._open(asker, argument, bound) for argument in arguments):
            return False
        known = not any(reads(self.game, one).registers & bound for one in arguments)
        for number in functions:
            function = self.game.functions[number]
            within = bound | set(function.parameters)
            if known:
                with suppress(RuleError):  # a value that cannot be is as good as one not known
                    values = [self._value(asker, argument) for argument in arguments]
                    for register, value in zip(function.parameters, values, strict=True):
                        asker.registers[register] = value
                    within = bound - set(function.parameters)
            if not self._open(asker, function.body, within):
                return False
        return True

    def _value(self, asker: Asker, node: Expression) -> Any:
        run = self.machine.evaluator.compile(node)
        return run(asker.slots, asker.base, asker.registers)

    def _instances(
        self,
        asker: Asker,
        node: model.Variable | model.Members | model.Occupant,
        bound: frozenset[int],
        what: str,
        name: str,
    ) -> bool:
        """Whether the instances that a node may read are seen by the asker."""
        given = [index for index in node.indexes if index is not None]
        if not all(self._open(asker, index, bound) for index in given):
            return False
        if self._seen_by_all(what, name):
            return True
        conditions = self._conditions(what, name)
        known = not any(reads(self.game, index).registers & bound for index in given)
        if known:
            try:
                conditions = [conditions[at] for at in self._which(asker, node)]
            except RuleError:
                return False
        bit = 1 << asker.player
        return all(
            self._mask(condition, owner, asker.slots) & bit for condition, owner in conditions
        )

    def _which(
        self, asker: Asker, node: model.Variable | model.Members | model.Occupant
    ) -> list[int]:
        """The places, in their family, of the instances that are meant."""
        here = (asker.slots, asker.base, asker.registers)
        if isinstance(node, model.Variable):
            table = self.machine.tables.variables[node.name]
            addresses = self.machine.evaluator.variable_addresses(node)(*here)
            return [(address - table.base) // table.width for address in addresses]
        family = self.machine.tables.families[node.zone]
        zones = self.machine.evaluator.zones(node.zone, node.indexes, node.span)(*here)
        return [zone - family.base for zone in zones]

    def _wide(self, asker: Asker, node: Expression) -> bool:
        """Everything that it may read must be seen, in all instances."""
        found = reads(self.game, node)
        bit = 1 << asker.player
        wanted = [
            *(("variable", name) for name in found.variables),
            *(("zone", name) for name in found.zones),
            *(("count", name) for name in found.counts),
        ]
        return all(self._open_name(asker, name) for name in found.locals) and all(
            self._mask(condition, owner, asker.slots) & bit
            for what, name in wanted
            for condition, owner in self._conditions(what, name)
        )


def slot_function(machine: Machine, node: model.SlotCall, which: Any) -> int:
    """The function that the row of a component, or a row by itself, has in a slot."""
    if isinstance(bare(node.component.type), Row):
        return node.functions[int(which)]
    row, _ = machine.tables.row_and_owner(machine.tables.kinds[node.kind], which)
    return node.functions[row]


def whose(node: Expression) -> Any:
    """What tells whose choice it is, if that cannot change: a name, or a player."""
    match node:
        case Local(offset=offset, name=name):
            return ("local", offset, name)
        case model.Literal(value=value):
            return ("player", value)
        case _:  # who is worked out may be another later
            return None
