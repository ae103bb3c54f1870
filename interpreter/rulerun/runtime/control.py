"""The control stack: which procedures run, how one is left, and which calls wait.

Assumes: code in which each instruction belongs to one procedure (the checker ensures it), and
return addresses that only `Call`, `CallSlot` and `Drain` write.
Does: follows the code to find the procedure of each instruction; reads the chain of callers; leaves
procedures, by whatever exit, with all their slots cleared and the variables that live only during
them back at their start; keeps the calls that wait in a cycle.
Leaves behind: a stack with nothing of a procedure that has ended.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from rulerun.runtime.closures import rule_error
from rulerun.runtime.executor import RuleError
from rulerun.runtime.index import GameIndex, VariableTable
from rulerun.runtime.play import Play
from rulerun.runtime.recent import Recent
from rulerun_dsl.model import Drain, Game, Queue
from rulerun_dsl.model.effects import NEXT, Effects, effects
from rulerun_dsl.source.spans import Span

Chain = tuple[tuple[str, Span], ...]


_EFFECTS: Recent[tuple[Effects, ...]] = Recent(lambda game: tuple(map(effects, game.code)), 8)


def effects_of(game: Game) -> tuple[Effects, ...]:
    """What each instruction of a game does; of the last few games it is kept."""
    return _EFFECTS.of(game)


def onward(game: Game, at: int) -> Iterator[int]:
    """Where play may go on after an instruction inside the same procedure."""
    for way in effects_of(game)[at].ways:
        yield at + 1 if way == NEXT else way


class Control:
    """The control stacks of one game."""

    def __init__(self, tables: GameIndex) -> None:
        """Follow the code from the entry of each procedure."""
        self.tables = tables
        self.game = tables.game
        self.procedures = self.game.procedures
        self.owner = self._owners()
        self.during: dict[int, list[VariableTable]] = defaultdict(list)
        numbers = {procedure.name: at for at, procedure in enumerate(self.procedures)}
        for table in tables.variables.values():
            if table.variable.during is not None:
                self.during[numbers[table.variable.during]].append(table)
        self.most = sum(each.queued for each in self.procedures)
        """No more calls than these wait; who has a turn behind them is new."""

    def _owners(self) -> list[int]:
        code = self.game.code
        owner = [0] * len(code)
        for number, procedure in enumerate(self.procedures):
            seen: set[int] = set()
            waiting = [procedure.entry]
            while waiting:
                at = waiting.pop()
                if at in seen or not 0 <= at < len(code):
                    continue
                seen.add(at)
                owner[at] = number
                waiting.extend(onward(self.game, at))
        return owner

    # --------------------------------------------------------------------------------- chain

    def running(self, slots: Sequence[int], base: int, at: int) -> Iterator[tuple[int, int]]:
        """The procedures that run, innermost first, each with where it stands."""
        while True:
            number = self.owner[at]
            yield number, at
            back = slots[base + self.procedures[number].return_slot] if number else 0
            if not back:
                return
            at = back - 1

    def chain(self, slots: Sequence[int], base: int, at: int) -> Chain:
        """The same for people."""
        return tuple(
            (self.procedures[number].name, self.game.code[where].span)
            for number, where in self.running(slots, base, at)
        )

    def led_to(self, error: RuleError, play: Play, at: int) -> RuleError:
        """The error with how the rules got there, unless that is known already."""
        chain = error.chain or self.chain(play.slots, play.base, at)
        return RuleError(error.code, error.message, error.span, chain)

    # --------------------------------------------------------------------------------- leave

    def back(self, play: Play, procedure: int) -> int:
        """Leave a procedure: its slots cleared; where its caller goes on."""
        back = play.slots[play.base + self.procedures[procedure].return_slot]
        self.clear(play, procedure)
        return back

    def clear(self, play: Play, procedure: int) -> None:
        """Clear what belongs to a run of a procedure."""
        slots, base = play.slots, play.base
        ended = self.procedures[procedure]
        for offset in ended.slots:
            slots[base + offset] = 0
        if procedure:
            slots[base + ended.return_slot] = 0
        for table in self.during.get(procedure, ()):
            start_variable(self.tables, slots, table)

    def restart_all(self, slots: list[int]) -> None:
        """Set all variables that live only during a procedure to their start."""
        for tables in self.during.values():
            for table in tables:
                start_variable(self.tables, slots, table)

    def unwind(self, play: Play, at: int, target: int, span: Span) -> int:
        """`stop PROC`: leave every procedure up to and with `target`; where its caller goes on."""
        code, name = self.game.code, self.procedures[target].name
        left: list[int] = []
        # Nothing is cleared before it is known that all goes well: an error names the whole chain.
        for number, where in self.running(play.slots, play.base, at):
            drain = code[where + 1] if where + 1 < len(code) else None
            if where != at and isinstance(drain, Drain) and self.first(play, drain):
                raise rule_error(
                    "stopped_queue", f"{span.text}: calls of the circle still wait", span
                )
            if number == target:
                for inner in left:
                    self.clear(play, inner)
                return self.back(play, number)
            left.append(number)
        raise rule_error("not_running", f"{span.text}: {name} is not running", span)

    # --------------------------------------------------------------------------------- queue
    #
    # A waiting call is an entry of 1 + parameters slots: its turn (1 is the next; 0: no entry),
    # then the arguments as the parameters' slots hold them. Turns are those of one circle of calls.
    # A call of a `stacked:` procedure has a turn from `most` + 1 on, until what runs has returned:
    # it then goes before those that waited already. The entries of a procedure stand in the order
    # in which they are taken, so that who waits in what order is one vector.

    def entries(self, procedure: int) -> Iterator[int]:
        """Where the waiting calls of a procedure may stand."""
        queued = self.procedures[procedure]
        start = self.game.layout.queue + queued.queue_base
        width = 1 + len(queued.parameters)
        yield from range(start, start + queued.queued * width, width)

    def wait(self, play: Play, node: Queue, arguments: Sequence[int]) -> None:
        """Let a call wait its turn."""
        slots, called = play.slots, self.procedures[node.procedure]
        entries = [*self.entries(node.procedure)]
        if slots[entries[-1]]:
            message = f"the queue of {called.name} is full: it holds {called.queued}"
            raise rule_error("queue_full", f"{node.span.text}: {message}", node.span)
        turns = [slots[entry] for other in node.circle for entry in self.entries(other)]
        if called.stacked:
            turn = 1 + max(self.most, *turns)
            place = next(entry for entry in entries if slots[entry] <= self.most)
        else:
            turn = 1 + max(turn for turn in (0, *turns) if turn <= self.most)
            place = next(entry for entry in entries if not slots[entry])
        width = 1 + len(called.parameters)
        slots[place + width : entries[-1] + width] = slots[place : entries[-1]]
        slots[place : place + width] = [turn, *arguments]

    def settle(self, play: Play, drain: Drain) -> None:
        """What ran has returned: the calls that it made go before those that waited earlier."""
        slots = play.slots
        held = [e for each in drain.procedures for e in self.entries(each) if slots[e]]
        new = sum(slots[entry] > self.most for entry in held)
        for entry in held:
            slots[entry] += -self.most if slots[entry] > self.most else new

    def first(self, play: Play, drain: Drain) -> tuple[int, int] | None:
        """The procedure and the entry of the call of a cycle whose turn is next."""
        found = [
            (play.slots[entry], procedure, entry)
            for procedure in drain.procedures
            for entry in self.entries(procedure)
            if play.slots[entry]
        ]
        return min(found)[1:] if found else None

    def take(self, play: Play, drain: Drain, procedure: int, entry: int) -> list[int]:
        """Take a waiting call out of the queue: its arguments. The others move up."""
        slots = play.slots
        width = 1 + len(self.procedures[procedure].parameters)
        turn, *arguments = slots[entry : entry + width]
        last = entry
        for other in self.entries(procedure):
            if other > entry:
                slots[other - width : other] = slots[other : other + width]
                last = other
        slots[last : last + width] = [0] * width
        for each in drain.procedures:
            for other in self.entries(each):
                if slots[other] > turn:
                    slots[other] -= 1
        return arguments


def start_variable(tables: GameIndex, slots: list[int], table: VariableTable) -> None:
    """Set a variable, all instances of it, to its start."""
    type_ = table.variable.type
    values = [tables.encode(type_, value) for value in table.variable.start]
    slots[table.base : table.base + len(values)] = values
