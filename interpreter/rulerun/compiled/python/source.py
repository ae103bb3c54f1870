"""A program as Python source.

Assumes: a `Program` of `ir`.
Does: writes a module of plain functions over a list of slots. A block becomes a function that gives
the number of the next one, or a signal; a block that only one other goes on at is written where it
is gone on at. The text of the rules stands above what it became.
Leaves behind: source text. Executed, it needs `NONE`, `fail` and `find` and gives `BLOCKS`,
`LISTS`, `TAKES` and `WHO` by instruction, `judge`, `tidy`, `advance`.

`s` is the list of slots; behind them stand what may be chosen where a play rests, the counters of
coverage, what a lister has found while it runs, and how many evaluations may still be counted. `b`
is where the running frame starts, in games that have several.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import FOUND, RUN, beside
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.lower.advance import advance
from rulerun.compiled.python.queries import (
    comment,
    loose_names,
    names_in,
    never_ends,
    tuple_text,
)
from rulerun.compiled.python.value_text import ValueText
from rulerun.runtime.signals import BY_WORD, REST

_DEEP = 8
"""Blocks are not written inside one another deeper than this."""
_SHORT = 3
"""A block of so few statements is written again wherever it is gone on at."""
_MOST = 12
"""So many instructions are in one block at most, those written inside it among them."""


def source(program: Program) -> str:
    """The module."""
    return "\n".join(_Writer(program).module()) + "\n"


class _Writer:
    """Writes one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.framed = program.frames > 1
        self.blocks = {block.at: block for block in program.blocks}
        self.given = "s, b" if self.framed else "s"
        self.values = ValueText(self.given)
        self.lines: list[str] = []
        self.statements = {at: ir.all_statements(block.body) for at, block in self.blocks.items()}
        self.jumps = {at: _jumps(each) for at, each in self.statements.items()}
        """Where each block goes on."""
        self.met = Counter(to for jumps in self.jumps.values() for to in jumps)
        self.answers = {
            each.at: _jumps(ir.all_statements(each.settle)) for each in program.questions
        }
        """Where an answer to each question goes on."""
        for jumps in self.answers.values():
            self.met.update(jumps)
        self.backs = self._backs()
        self.entries = self._entries(set())
        while deeper := self._deeper():
            self.entries = self._entries(self.entries | deeper)

    # --------------------------------------------------------------------------------- module

    def module(self) -> list[str]:
        """The lines of the module."""
        program = self.program
        self.lines = [f'"""{program.name}, compiled: {program.size} slots, made from its rules."""']
        for name, values in program.tables:
            self._write(0, f"{name} = {tuple_text(values)}")
        for name, lists in program.lists:
            self._write(0, f"{name} = ({''.join(f'{tuple_text(each)}, ' for each in lists)})")
        for function in program.functions:
            self._defined(function)
        for lister in program.listers:
            self._lister(lister)
        for at in sorted(self.entries):
            block = self.blocks[at]
            self._function(f"at__{at}({self.given})", block.about, block.body, (at,))
        for question in program.questions:
            self._question(question)
        self._function(f"tidy({self.given})", "copies in order", program.canonical)
        self._run()
        self._function(f"advance({self.given}, at)", "to the next rest", advance(program))
        self._index("BLOCKS", ((at, f"at__{at}") for at in sorted(self.entries)))
        for word in ("LISTS", "TAKES", "WHO"):
            self._index(
                word,
                (
                    (each.at, each.lister if word == "LISTS" else f"{word.lower()}__{each.at}")
                    for each in program.questions
                ),
            )
        return self.lines

    def _run(self) -> None:
        """What runs blocks from one on: `ir.RUN`.

        A block runs no more instructions than this: so many blocks stay within the bound, and where
        there are more the reference counts exactly.
        """
        for line in (
            "",
            "",
            f"def {RUN}({self.given}, at):",
            f"    for _ in range({max(0, self.program.steps // _MOST)}):",
            "        if at < 0:",
            "            return at",
            f"        at = BLOCKS[at]({self.given})",
            "    fail()",
        ):
            self._write(0, line)

    def _index(self, name: str, entries: Iterable[tuple[int, str]]) -> None:
        self._write(0, "")
        self._write(0, f"{name} = {{{', '.join(f'{at}: {each}' for at, each in entries)}}}")

    def _write(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def _function(self, header: str, about: str, body: Body, inside: tuple[int, ...] = ()) -> None:
        self.values.loose = loose_names(body)
        self._write(0, "")
        self._write(0, "")
        for line in comment(about):
            self._write(0, line)
        self._write(0, f"def {header}:")
        self._body(body, 1, inside)
        if not body:
            self._write(1, "return")

    def _defined(self, function: ir.Function) -> None:
        parameters = ", ".join((self.given, *function.parameters))
        if not function.remembered:
            self._function(f"{function.name}({parameters})", function.about, function.body)
            return
        # While a lister runs, each search is done once.
        anew = f"{beside(function.name, 'anew')}({parameters})"
        self._function(anew, function.about, function.body)
        key = ", ".join((repr(function.name), *function.parameters))
        if self.framed:
            key += ", b"
        memo = self.program.size + 2
        for line in (
            "",
            "",
            f"def {function.name}({parameters}):",
            f"    known = s[{memo}]",
            "    if known is None:",
            f"        return {anew}",
            f"    key = ({key},)",
            "    if key not in known:",
            f"        known[key] = {anew}",
            "    return known[key]",
        ):
            self._write(0, line)

    def _lister(self, lister: ir.Lister) -> None:
        self.values.widths[FOUND] = lister.width
        start = (ir.NewRows(FOUND, lister.width, lister.most), *lister.body)
        anew = beside(lister.name, "anew") if lister.remembers else lister.name
        self._function(f"{anew}({self.given})", lister.about, start)
        self._write(1, "return found")
        if not lister.remembers:
            return
        memo = self.program.size + 2
        for line in (
            "",
            "",
            f"def {lister.name}({self.given}):",
            f"    s[{memo}] = {{}}",
            "    try:",
            f"        return {anew}({self.given})",
            "    finally:",
            f"        s[{memo}] = None",
        ):
            self._write(0, line)

    def _question(self, question: ir.Question) -> None:
        names = question.columns
        used = names_in(question.settle)
        row = ", ".join(name if name in used else "_" for name in names)
        header = f"takes__{question.at}({self.given}, row)"
        unpack = [f"{row} = row"] if any(name in used for name in names) else []
        self.values.loose = loose_names(question.settle)
        self._write(0, "")
        self._write(0, "")
        self._write(0, f"def {header}:")
        for line in unpack:
            self._write(1, line)
        self._body(question.settle, 1, (question.at,))
        self._write(0, "")
        self._write(0, "")
        self._write(0, f"def who__{question.at}({self.given}):")
        self._write(1, f"return {self.values.text(question.player)}")

    # ---------------------------------------------------------------------------- who goes where

    def _deeper(self) -> set[int]:
        """The blocks that would be written inside themselves, or too deep inside others."""
        found: set[int] = set()
        waiting: list[tuple[list[int], tuple[int, ...]]]
        waiting = [(self.jumps[at], (at,)) for at in self.entries]
        waiting += [(jumps, (at,)) for at, jumps in self.answers.items()]
        while waiting:
            jumps, inside = waiting.pop()
            for to in jumps:
                if to in self.entries:
                    continue
                if to in inside or len(inside) > _DEEP:
                    found.add(to)
                else:
                    waiting.append((self.jumps[to], (*inside, to)))
        return found

    def _entries(self, apart: set[int]) -> set[int]:
        """The blocks that are functions of their own, `apart` among them."""
        program = self.program
        fixed = {program.entry, *(each.at for each in program.questions)}
        fixed |= set(program.supposed)
        for together in program.togethers:
            fixed |= {together.body, together.done, together.at}
        entries = fixed | self.backs | apart
        for at, statements in self.statements.items():
            if self.met[at] > 1 and not _is_short(statements):
                entries.add(at)
        reached = self._reached(entries)
        return {at for at in entries if at in reached or at in fixed}

    def _backs(self) -> set[int]:
        """The blocks at which a call of the code comes back: where to is stored before a jump."""
        found: set[int] = set()
        for place, statements in self.statements.items():
            for first, second in pairwise(statements):
                match first, second:
                    case ir.StoreSlot(_, ir.Const(at)), ir.Jump(ir.Const()) if (
                        at in self.blocks and place in (at - 1, at)
                    ):
                        found.add(at)
        return found

    def _reached(self, entries: set[int]) -> set[int]:
        """The blocks that play can come to; those written inside others make new entries."""
        reached: set[int] = set()
        waiting = list(entries)
        while waiting:
            at = waiting.pop()
            if at in reached or at not in self.blocks:
                continue
            reached.add(at)
            waiting += self.jumps[at]
        return reached

    # ------------------------------------------------------------------------------ statements

    def _body(self, body: Body, depth: int, inside: tuple[int, ...]) -> None:
        for statement in body:
            self._statement(statement, depth, inside)
        if not body:
            self._write(depth, "pass")

    def _statement(self, statement: Statement, depth: int, inside: tuple[int, ...]) -> None:
        value = self.values.text
        match statement:
            case ir.Assign(name, given):
                self._write(depth, f"{name} = {value(given)}")
            case ir.NewBits(name):
                self._write(depth, f"{name} = 0")
            case ir.StoreSlot(address, given):
                self._write(depth, f"s[{value(address)}] = {self.values.number(given)}")
            case ir.Add(address, ir.Const(number)) if number < 0:
                self._write(depth, f"s[{value(address)}] -= {-number}")
            case ir.Add(address, given):
                self._write(depth, f"s[{value(address)}] += {value(given)}")
            case ir.Fill(address, number, given):
                where = self.values.slice(address, number)
                self._write(depth, f"s[{where}] = [{given}] * {number}")
            case ir.Copy(to, origin, number):
                where = self.values.slice(to, number)
                self._write(depth, f"s[{where}] = s[{self.values.slice(origin, number)}]")
            case ir.Suppose():
                self._suppose(statement, depth, inside)
            case ir.If():
                self._if(statement, depth, inside)
            case ir.While(condition, body):
                self._write(depth, f"while {value(condition)}:")
                self._body(body, depth + 1, inside)
            case (
                ir.NewRows() | ir.Push() | ir.RowSet() | ir.SortRows() | ir.Swap() | ir.CallLister()
            ):
                self._rows(statement, depth)
            case ir.Break():
                self._write(depth, "break")
            case ir.Return(given):
                self._write(depth, f"return {value(given)}")
            case ir.Fail():
                self._write(depth, "fail()")
            case ir.Eval(given):
                self._write(depth, value(given))
            case ir.Count(counter):
                self._write(depth, f"s[{self.program.size + 1}][{counter}] += 1")
            case ir.Spend():
                left = f"s[{self.program.size + 3}]"
                self._write(depth, f"{left} -= 1")
                self._write(depth, f"if {left} < 0: fail()")
            case ir.Jump() | ir.Rest() | ir.Signal():
                self._leave(statement, depth, inside)
            case _:
                self._loop(statement, depth, inside)

    def _suppose(self, statement: ir.Suppose, depth: int, inside: tuple[int, ...]) -> None:
        # What searches have found so far holds of these slots only.
        size, counters = self.program.size, statement.counters
        memo = f"s[{size + 2}]"
        kept = f"s[:{size}], {memo}"
        if counters:
            kept += f", s[{size + 1}][:{counters}]"
        self._write(depth, f"kept = {kept}")
        self._write(depth, f"{memo} = None")
        self._write(depth, "try:")
        self._body(statement.body, depth + 1, inside)
        self._write(depth, "finally:")
        self._write(depth + 1, f"{kept} = kept")

    def _if(self, statement: ir.If, depth: int, inside: tuple[int, ...]) -> None:
        self._write(depth, f"if {self.values.text(statement.condition)}:")
        self._body(statement.then, depth + 1, inside)
        if not statement.otherwise:
            return
        if never_ends(statement.then):
            for each in statement.otherwise:
                self._statement(each, depth, inside)
            return
        if len(statement.otherwise) == 1 and isinstance(statement.otherwise[0], ir.If):
            at = len(self.lines)
            self._if(statement.otherwise[0], depth, inside)
            self.lines[at] = "    " * depth + "el" + self.lines[at].lstrip()
            return
        self._write(depth, "else:")
        self._body(statement.otherwise, depth + 1, inside)

    def _loop(self, statement: Statement, depth: int, inside: tuple[int, ...]) -> None:
        value = self.values.text
        match statement:
            case ir.For(name, low, high, body):
                start = "" if low == ir.Const(0) else f"{value(low)}, "
                self._write(depth, f"for {name} in range({start}{value(high)}):")
            case ir.Each(name, table, index, body):
                self._write(depth, f"for {name} in {table}[{value(index)}]:")
            case ir.EachEqual(name, base, number, sought, (ir.Push(rows, numbers),)):
                where = f"s[{base}:{base + number}]"
                members = f"for {name}, lies in enumerate({where}) if lies == "
                row = self.values.row(numbers)
                self._write(depth, f"{rows} += [{row} {members}{value(sought, 4)}]")
                return
            case ir.EachEqual(name, base, number, sought, body):
                where = f"s[{base}:{base + number}]"
                self._write(depth, f"for {name}, lies in enumerate({where}):")
                self._write(depth + 1, f"if lies == {value(sought, 4)}:")
                self._body(body, depth + 2, inside)
                return
            case ir.EachBit(name, given, body):
                bits = beside(name, "bits")
                self._write(depth, f"{bits} = {value(given)}")
                self._write(depth, f"while {bits}:")
                self._write(depth + 1, f"{name} = ({bits} & -{bits}).bit_length() - 1")
                self._write(depth + 1, f"{bits} &= {bits} - 1")
            case ir.EachRow(names, rows, body):
                self._write(depth, f"for {', '.join(names)} in {rows}:")
            case _:
                raise AssertionError(f"no Python for {type(statement).__name__}")
        self._body(body, depth + 1, inside)

    def _rows(self, statement: Statement, depth: int) -> None:
        match statement:
            case ir.NewRows(name, width, _, filled):
                self.values.widths[name] = width
                self._write(depth, f"{name} = [0] * {filled}" if filled else f"{name} = []")
            case ir.Push(rows, numbers):
                self._write(depth, f"{rows}.append({self.values.row(numbers)})")
            case ir.RowSet(rows, index, given):
                self._write(depth, f"{rows}[{self.values.text(index)}] = {self.values.text(given)}")
            case ir.SortRows(rows):
                self._write(depth, f"{rows}.sort()")
            case ir.Swap(to, origin):
                self._write(depth, f"{to} = {origin}")
            case ir.CallLister(name, lister, width):
                self.values.widths[name] = width
                self._write(depth, f"{name} = {lister}({self.given})")
            case _:
                raise AssertionError(f"no Python for {type(statement).__name__}")

    def _leave(self, statement: Statement, depth: int, inside: tuple[int, ...]) -> None:
        slot = "b" if self.framed else str(self.program.base)
        match statement:
            case ir.Jump(ir.Const(to)):
                if to in self.entries:
                    self._write(depth, f"return {to}")
                    return
                block = self.blocks[to]
                if block.about:
                    self._write(depth, comment(block.about)[0])
                self.values.loose |= loose_names(block.body)
                self._body(block.body, depth, (*inside, to))
            case ir.Jump(to):
                self._write(depth, f"return {self.values.text(to)}")
            case ir.Rest(at, rows):
                self._write(depth, f"s[{self.program.size}] = {rows}")
                self._write(depth, f"s[{slot}] = {at + 1}")
                self._write(depth, f"return {REST}")
            case ir.Signal(word, at):
                if word == "open":
                    self._write(depth, f"s[{slot}] = {at + 1}")
                self._write(depth, f"return {BY_WORD[word]}")
            case _:
                raise AssertionError(f"no Python for {type(statement).__name__}")


def _jumps(statements: Iterable[Statement]) -> list[int]:
    """The blocks at which statements go on."""
    return [
        each.to.value
        for each in statements
        if isinstance(each, ir.Jump) and isinstance(each.to, ir.Const)
    ]


def _is_short(statements: list[Statement]) -> bool:
    loops = ir.For | ir.Each | ir.EachEqual | ir.EachBit | ir.EachRow | ir.While | ir.CallLister
    return len(statements) <= _SHORT and not any(isinstance(one, loops) for one in statements)
