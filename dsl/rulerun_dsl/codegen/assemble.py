"""From trees to flat code: what rules do, as instructions.

Assumes: checked routines.
Does: folds options into expressions, drops branches that the options close, lays statements out one
behind the other with jumps, ends every block by clearing its locals.
Leaves behind: instructions whose jumps are indexes into `Assembly.code`, the procedures that are
reachable, the phases, and the options of every decision with the action type each asks for.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, assert_never

from rulerun_dsl import model as m
from rulerun_dsl.check.env import constants
from rulerun_dsl.check.stmt import hooks, tree, walking
from rulerun_dsl.check.stmt.rule_checker import RuleChecker
from rulerun_dsl.check.whole import call_graph
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.model.effects import Effects, Movement, effects
from rulerun_dsl.model.traversal import holding
from rulerun_dsl.source.frozen import replaced

_FOLDED_INSIDE = (m.InstructionBase, m.ZoneAt, m.Loop, m.OptionBinder)
"""What is looked into, beside expressions."""


@dataclass
class Assembly:
    """The code so far."""

    rules: RuleChecker
    code: list[m.Instruction] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    """Number of each procedure that is called."""
    order: list[str] = field(default_factory=list)
    entries: dict[str, int] = field(default_factory=dict)
    returns: dict[str, int] = field(default_factory=dict)
    phases: list[m.Phase] = field(default_factory=list)
    loops: list[m.Loop] = field(default_factory=list)
    """The loops around the code that is being made, outside in."""
    routine: str = ""
    pending_loops: list[m.Loop] = field(default_factory=list)
    sources: dict[int, list[m.Expression | None]] = field(default_factory=dict)
    """What each local is bound to, or a member of; None: there is no telling (see `ownership`)."""
    _reached: dict[str, set[str]] = field(default_factory=dict)

    @cached_property
    def graph(self) -> dict[str, set[str]]:
        """Who may call whom, whatever modules are on."""
        return call_graph.calls_of_all_modules(self.rules)

    def reached(self, name: str) -> set[str]:
        """What a procedure may reach by calls."""
        if name not in self._reached:
            self._reached[name] = call_graph.reaches(self.graph, name)
        return self._reached[name]

    @cached_property
    def effects(self) -> list[Effects]:
        """What each instruction of the code does, once it is all there."""
        return [*map(effects, self.code)]

    @cached_property
    def moves(self) -> list[Movement]:
        """Every movement of the code, once it is all there."""
        return [move for each in self.effects for move in each.moves]

    # -------------------------------------------------------------------------- procedures

    def number(self, name: str) -> int:
        """The number of a procedure; it will be assembled."""
        if name not in self.numbers:
            self.numbers[name] = len(self.order)
            self.order.append(name)
            self.returns[name] = self.rules.slot()
        return self.numbers[name]

    def all(self) -> None:
        """Assemble the game and every procedure that it calls."""
        for name in ("", *self.rules.world.supposed):
            self.number(name)
        done = 0
        while done < len(self.order):
            name = self.order[done]
            done += 1
            self.routine = name
            routine = self.rules.routines[name]
            self.entries[name] = len(self.code)
            if routine.body is not None:
                self.node(routine.body)
            if name == "":
                self.emit(m.EndGame(routine.span, None))
            else:
                self.emit(m.Return(routine.span, self.numbers[name]))

    # --------------------------------------------------------------------------------- code

    def emit(self, instruction: m.Instruction) -> int:
        """Append an instruction; its index."""
        self.code.append(instruction)
        return len(self.code) - 1

    def patch(self, index: int, **changes: object) -> None:
        """Fill in a jump."""
        self.code[index] = replaced(self.code[index], **changes)

    def fold(self, node: m.Expression) -> m.Expression:
        """An expression with the options put in."""
        return constants.fold(self.rules.world, node)

    def folded(self, value: object) -> object:
        """Anything that holds expressions, with the options put in."""
        if isinstance(value, m.Expression):
            return self.fold(value)
        if isinstance(value, tuple):
            made = tuple([self.folded(each) for each in value]) if value else value
            told = any(isinstance(each, str) for each in value)
            return _as_written(made, value) if told else made
        if isinstance(value, _FOLDED_INSIDE):
            changes: dict[str, Any] = {}
            for name in holding(value):
                old = getattr(value, name)
                new = self.folded(old)
                if new is not old:
                    changes[name] = new
            return replaced(value, **changes) if changes else value
        return value

    def target(self, node: m.Target) -> m.Target:
        """A place with its indexes folded; it stays a place."""
        made = self.fold(node)
        assert isinstance(made, m.Target)
        return made

    def node(self, node: tree.Node) -> None:
        """Assemble a node."""
        span = node.span
        match node:
            case tree.Leaf(instruction=instruction):
                made = self.folded(instruction)
                assert isinstance(made, m.Instruction)
                self.emit(made)
            case tree.Block(steps=steps, slots=slots):
                for step in steps:
                    self.node(step)
                if slots:
                    self.emit(m.Clear(span, slots))
            case tree.If():
                self.branch(node)
            case tree.Loop():
                self.loop(node)
            case tree.Until(condition=condition, body=body):
                top = len(self.code)
                self.enter_phase_here(top)
                test = self.fold(condition)
                out = self.emit(m.Unless(span, m.Not(t.Bool(), test.span, test), 0))
                self.node(body)
                self.emit(m.Jump(span, top))
                self.patch(out, to=len(self.code))
            case tree.Repeat(offset=offset, count=count, body=body):
                self.emit(m.RepeatStart(span, offset, self.fold(count)))
                top = self.emit(m.RepeatNext(span, offset, 0))
                self.node(body)
                self.emit(m.Jump(span, top))
                self.patch(top, done=len(self.code))
            case tree.Together(players=players, variable=variable, body=body):
                start = self.emit(m.TogetherStart(span, self.fold(players), variable, 0, 0))
                self.patch(start, body=len(self.code))
                self.node(body)
                end = self.emit(m.TogetherEnd(span, 0))
                self.patch(end, done=len(self.code))
                self.patch(start, done=len(self.code))
            case tree.Choose():
                self.choose(node)
            case tree.CallProcedure():
                self.call(node)
            case tree.CallSlot():
                self.call_slot(node)
            case tree.Stop(procedure=procedure):
                if procedure is not None and procedure + hooks.BODY in self.rules.routines:
                    # What stands after a procedure runs however its body ends.
                    procedure += hooks.BODY
                if procedure is None or procedure == self.routine:
                    self.emit(m.Return(span, self.numbers[self.routine]))
                else:
                    self.emit(m.StopTo(span, self.number(procedure)))
            case tree.Give(value=value):
                self.emit(m.GiveValue(span, self.numbers[self.routine], self.fold(value)))
            case tree.Phase():
                self.phase(node)
            case _:
                assert_never(node)

    def branch(self, node: tree.If) -> None:
        """A branch; one that the options close is left out."""
        test = self.fold(node.condition)
        if isinstance(test, m.Literal):
            if test.value:
                self.node(node.then)
            elif node.alternative is not None:
                self.node(node.alternative)
            return
        out = self.emit(m.Unless(node.span, test, 0))
        self.node(node.then)
        if node.alternative is None:
            self.patch(out, to=len(self.code))
            return
        over = self.emit(m.Jump(node.span, 0))
        self.patch(out, to=len(self.code))
        self.node(node.alternative)
        self.patch(over, to=len(self.code))

    def loop(self, node: tree.Loop) -> None:
        """A loop over a cursor; `until` before each pass."""
        plan = self.folded(node.loop)
        assert isinstance(plan, m.Loop)
        self.emit(m.LoopStart(node.span, plan))
        top = len(self.code)
        self.pending_loops.append(plan)
        self.enter_phase_here(top)
        ends = None
        if node.until is not None:
            test = self.fold(node.until)
            ends = self.emit(m.Unless(node.span, m.Not(t.Bool(), test.span, test), 0))
        step = self.emit(m.LoopNext(node.span, plan, 0))
        self.loops.append(plan)
        self.node(node.body)
        self.loops.pop()
        self.emit(m.Jump(node.span, top))
        if ends is not None:
            # Leaving by `until` leaves the cursor where it is: clear it.
            self.patch(ends, to=len(self.code))
            slots = (plan.variable.offset, plan.cursor, plan.second, plan.third)
            self.emit(m.Clear(node.span, slots))
        self.patch(step, done=len(self.code))

    # ------------------------------------------------------------------------------- phases

    def phase(self, node: tree.Phase) -> None:
        """A phase: a note, and where it can be entered."""
        index = len(self.phases)
        self.phases.append(m.Phase(node.name, node.path, -1, tuple(self.loops), node.span))
        self.emit(m.Enter(node.span, index))
        inner = node.body
        if isinstance(inner, tree.Loop | tree.Until):
            self._opening = index
        else:
            self.phases[index] = dataclasses.replace(self.phases[index], entry=len(self.code))
        self.node(inner)

    _opening: int | None = None

    def enter_phase_here(self, top: int) -> None:
        """The test of the loop just begun is where its phase is entered."""
        if self._opening is not None:
            index, self._opening = self._opening, None
            own = tuple(self.pending_loops[-1:]) if self.pending_loops else ()
            loops = tuple(self.loops)
            if own and isinstance(self.code[-1], m.LoopStart):
                loops = (*loops, *own)
            self.phases[index] = dataclasses.replace(self.phases[index], entry=top, loops=loops)

    # -------------------------------------------------------------------------------- calls

    def call(self, node: tree.CallProcedure) -> None:
        """A call; `you` goes first where it is needed."""
        routine = self.rules.routines[node.name]
        arguments = tuple(self.fold(each) for each in node.arguments)
        if routine.needs_you:
            arguments = (self.you(node.you), *arguments)
        number = self.number(node.name)
        if routine.queued and self.inside_cycle(node.name):
            self.emit(m.Queue(node.span, number, arguments, self.circle(node.name)))
            return
        result = self.target(node.result) if node.result is not None else None
        self.emit(m.Call(node.span, number, arguments, result))
        self.drain(node)

    def you(self, node: m.Expression | None) -> m.Expression:
        """The player that a call passes on."""
        assert node is not None
        return self.fold(node)

    def inside_cycle(self, name: str) -> bool:
        """Is the call that is being made inside the cycle of a `queued:` procedure."""
        return self.routine in self.reached(name) and name in self.reached(self.routine)

    def circle(self, name: str) -> tuple[int, ...]:
        """The procedures whose calls wait in one order with those of a procedure, itself too."""
        found = (
            each
            for each in self.reached(name)
            if self.rules.routines[each].queued and name in self.reached(each)
        )
        return tuple(sorted(map(self.number, found)))

    def drain(self, node: tree.CallProcedure | tree.CallSlot) -> None:
        """After a call that enters a cycle from outside: what waits runs."""
        called = (node.name,) if isinstance(node, tree.CallProcedure) else node.procedures
        waiting = [
            each
            for each, routine in self.rules.routines.items()
            if routine.queued
            and any(
                (name == each or name in self.reached(each))
                and (each == name or each in self.reached(name))
                for name in called
                if name is not None
            )
            and self.routine not in self.reached(each)
        ]
        if waiting:
            self.emit(m.Drain(node.span, tuple(self.number(each) for each in waiting)))

    def call_slot(self, node: tree.CallSlot) -> None:
        """A call of a rule slot: the procedure of the component's row."""
        names = [each for each in node.procedures if each is not None]
        rowwise = any(self.rules.routines[each].rowwise for each in names)
        arguments = tuple(self.fold(each) for each in node.arguments)[rowwise:]
        needs = any(self.rules.routines[each].needs_you for each in names)
        if needs:
            # All rows take the same arguments, so that the caller need not know the row.
            for each in names:
                self.rules.routines[each].needs_you = True
            arguments = (self.you(node.you), *arguments)
        numbers = tuple(self.number(each) if each is not None else None for each in node.procedures)
        component = self.fold(node.component)
        self.emit(m.CallSlot(node.span, node.kind, component, node.slot, numbers, arguments))
        self.drain(node)

    # ---------------------------------------------------------------------------- decisions

    def choose(self, node: tree.Choose) -> None:
        """A decision and what its options lead to."""
        span = node.span
        if node.counter is not None and node.times is not None:
            self.emit(m.RepeatStart(span, node.counter, self.fold(node.times)))
        top = len(self.code)
        spent = None
        if node.counter is not None:
            spent = self.emit(m.RepeatNext(span, node.counter, 0))
        at = self.emit(m.Jump(span, 0))
        options: list[m.Option] = []
        exits: list[int] = []
        narrowing = tuple(self.fold(each) for each in node.narrowing)
        for line in node.lines:
            conditions = tuple(self.fold(each) for each in line.conditions)
            if any(isinstance(each, m.Literal) and not each.value for each in conditions):
                continue
            conditions = tuple(each for each in conditions if not isinstance(each, m.Literal))
            binders = tuple(self.binder(each) for each in line.binders)
            options.append(
                m.Option(
                    -1,
                    binders,
                    conditions,
                    len(self.code),
                    line.main,
                    line.once,
                    line.span,
                    self.folded(line.hint),  # type: ignore[arg-type]
                )
            )
            self.names[(at, len(options) - 1)] = line.name
            if line.body is not None:
                self.node(line.body)
            elif not line.main or not line.binders:
                self.none_chosen(node)
            exits.append(self.emit(m.Jump(span, top if line.again else -1)))
        otherwise = None
        if node.nothing is not None:
            otherwise = len(self.code)
            self.node(node.nothing)
            if not walking.leaves(node.nothing):
                self.none_chosen(node)
        end = len(self.code)
        for index in exits:
            if self.code[index] == m.Jump(span, -1):
                self.patch(index, to=end)
        if spent is not None:
            self.patch(spent, done=end)
        offsets = [each for each in (node.taken,) if each is not None]
        if offsets:
            self.emit(m.Clear(span, tuple(offsets)))
        ask = self.folded(node.ask)
        self.code[at] = m.Choose(
            span,
            self.fold(node.player),
            tuple(options),
            narrowing,
            ask,  # type: ignore[arg-type]
            self.fold(node.visible) if node.visible is not None else None,
            node.forced,
            otherwise,
            node.taken,
        )

    def none_chosen(self, node: tree.Choose) -> None:
        """After `or:` or an `else:` that goes on, what would have been chosen is none."""
        for line in node.lines:
            if line.main and line.body is None:
                for binder in line.binders:
                    nothing = m.Literal(t.NoneType(), node.span, None)
                    self.emit(m.Store(node.span, binder.local, "=", nothing))

    names: dict[tuple[int, int], str] = field(default_factory=dict)
    """The name of each option, by instruction and place."""

    def binder(self, binder: m.OptionBinder) -> m.OptionBinder:
        """A binder with its source folded."""
        return dataclasses.replace(
            binder,
            source=self.fold(binder.source),
            low=self.fold(binder.low) if binder.low is not None else None,
            high=self.fold(binder.high) if binder.high is not None else None,
        )


def _as_written(made: tuple[object, ...], parts: tuple[object, ...]) -> tuple[object, ...]:
    """The values of a sentence with what stands there for each: by that translations know it."""
    return tuple(
        dataclasses.replace(new, span=old.span)
        if isinstance(new, m.Expression) and isinstance(old, m.Expression) and new.span != old.span
        else new
        for new, old in zip(made, parts, strict=True)
    )
