"""A program as Python source.

Assumes: a `Program` of `ir`.
Does: writes a module of plain functions over a list of slots. A block becomes a function that gives
the number of the next one, or a signal; a block that only one other goes on at is written where it
is gone on at. The text of the rules stands above what it became.
Leaves behind: source text, whole or in parts. Executed, it needs the names that `executor` gives,
and gives `BLOCKS`, `LISTS`, `TAKES` and `WHO` by instruction, `judge`, `tidy`, `advance`, `take`.

`s` is the list of slots; behind them stands what `behind` names, and then the masks of `regions`.
`b` is where the running frame starts, in games that have several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from rulerun.compiled import ir
from rulerun.compiled.ir.fresh_names import FOUND, beside
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.statement import Body, Statement
from rulerun.compiled.lower.advance import advance
from rulerun.compiled.python.behind import Behind
from rulerun.compiled.python.column_bounds import column_bounds
from rulerun.compiled.python.driving import index_lines, run_lines, take_lines
from rulerun.compiled.python.entries import Entries, blocks_of
from rulerun.compiled.python.forwarding import Held
from rulerun.compiled.python.listing import Bits, Keyed, Pairs, keyed, manner, remembered
from rulerun.compiled.python.memos import by_key, remembered_meanwhile, while_listing
from rulerun.compiled.python.queries import (
    comment,
    loose_names,
    names_in,
    never_ends,
    tuple_text,
)
from rulerun.compiled.python.regions import Region, put_lines
from rulerun.compiled.python.storing import Storing
from rulerun.compiled.python.value_text import ValueText
from rulerun.runtime.signals import BY_WORD, REST
from rulerun_dsl.source.frozen import frozen


def source(program: Program, regions: Sequence[Region] = ()) -> str:
    """The module. Masks are kept of `regions`."""
    writer = Writer(program, regions)
    writer.head()
    for part in writer.parts():
        part.write()
    writer.foot()
    return writer.taken()


@frozen
class Part:
    """Some functions of a module, which can be written in any order."""

    names: tuple[str, ...]
    """Of the functions that others call."""
    write: Callable[[], None]


class Writer:
    """Writes one program."""

    def __init__(
        self, program: Program, regions: Sequence[Region] = (), manners: bool = True
    ) -> None:
        """Write nothing yet. Without `manners` the choices of all questions are made row by row."""
        self.program = program
        self.regions = regions
        self.behind = Behind(program.size, program.frames)
        self.framed = program.frames > 1
        self.counts = program.evaluations > 0
        self.blocks = {block.at: block for block in program.blocks}
        self.given = "s, b" if self.framed else "s"
        self.held = Held(program, tuple(regions))
        self.values = ValueText(self.given, self.held, regions)
        self.storing = Storing(self.values, tuple(regions), self.behind)
        self.lines: list[str] = []
        self.questions = {each.at: each for each in program.questions}
        self.functions = functions = {each.name: each for each in program.functions}
        asked = {each.lister for each in program.questions}
        self.manners = {
            each.name: manner(each, functions) if manners else None
            for each in program.listers
            if each.name in asked
        }
        """By lister of a question, how its choices are made."""
        self.columns = {
            each.name: column_bounds(each) if program.forwarded and regions else []
            for each in program.listers
            if each.name in asked
        }
        """And between what the numbers of its rows lie."""
        self.entries = Entries(program)
        self.memories: dict[str, Keyed | None] = {}
        if program.forwarded:
            for function in program.functions:
                match None if function.kept else self._remembered(function):
                    case Keyed((value,)) if not isinstance(value, range):
                        self.values.keys[function.name] = value

    # --------------------------------------------------------------------------------- module

    def taken(self) -> str:
        """What was written since this was last asked for."""
        lines, self.lines = self.lines, []
        return "\n".join(lines) + "\n"

    def head(self) -> None:
        """Write what stands before all functions."""
        program = self.program
        self._write(
            0, f'"""{program.name}, compiled: {program.size} slots, made from its rules."""'
        )
        for name, values in program.tables:
            self._write(0, f"{name} = {tuple_text(values)}")
        for name, lists in program.lists:
            self._write(0, f"{name} = ({''.join(f'{tuple_text(each)}, ' for each in lists)})")
        for line in put_lines(self.regions, program.base):
            self._write(0, line)
        for lister, how in self.manners.items():
            if isinstance(how, Keyed):
                self._write(0, f"{beside(lister, 'known')} = {{}}")

    def parts(self) -> Iterator[Part]:
        """The functions that the program is written as."""
        program, given = self.program, self.given
        for function in program.functions:
            yield Part((function.name,), partial(self._defined, function))
        for lister in program.listers:
            yield Part((lister.name,), partial(self._lister, lister))
        for at in sorted(self.entries.all):
            block, name = self.blocks[at], f"at__{at}"
            write = partial(self._function, f"{name}({given})", block.about, block.body, (at,))
            yield Part((name,), write)
        for question in program.questions:
            names = f"takes__{question.at}", f"who__{question.at}"
            yield Part(names, partial(self._question, question))
        write = partial(self._function, f"tidy({given})", "copies in order", program.canonical)
        yield Part(("tidy",), write)

    def foot(self) -> None:
        """Write what runs the functions, and by which instruction each is called."""
        self._lines(run_lines(self.program, self.behind))
        self._advance()
        self._lines(take_lines(self.program, self.behind))
        self._lines(index_lines(self.program, self.entries.all))

    def _advance(self) -> None:
        """What runs on until all rest; all that several control stacks run counts."""
        number = blocks_of(self.program) - 1
        anew = ir.StoreSlot(ir.Const(self.behind.blocks), ir.Const(number))
        body = (*((anew,) if self.framed else ()), *advance(self.program))
        self._function(f"advance({self.given}, at)", "to the next rest", body)

    def _write(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def _lines(self, lines: Iterable[str]) -> None:
        self.lines.extend(lines)

    def _function(
        self, header: str, about: str, body: Body, inside: tuple[int, ...] = (), gives: str = ""
    ) -> None:
        self._begin(body)
        self._write(0, "")
        self._write(0, "")
        for line in comment(about):
            self._write(0, line)
        self._write(0, f"def {header}:")
        self._statements(body, 1, inside)
        if gives or not body:
            self._write(1, f"return {gives}".rstrip())
        self.held.begin()

    def _begin(self, body: Body) -> None:
        """Begin a function: of the names in others it knows nothing."""
        self.values.loose = loose_names(body)
        self.values.choices = set()
        self.values.bounds = {}
        self.held.begin()
        self.storing.counted = set()
        self.storing.know(body)

    def _defined(self, function: ir.Function) -> None:
        parameters = ", ".join((self.given, *function.parameters))
        if function.kept:
            anew = beside(function.name, "anew")
            self._function(f"{anew}({parameters})", function.about, function.body)
            key = f"({', '.join(function.parameters)},)"
            self._lines(by_key(function.name, parameters, key, f"{anew}({parameters})"))
            return
        if (how := self._remembered(function)) is not None:
            anew = beside(function.name, "anew")
            self._function(f"{anew}({parameters})", function.about, function.body)
            key = self._key(how)
            self._lines(by_key(function.name, self.given, key, f"{anew}({parameters})"))
            return
        if not function.remembered:
            self._function(f"{function.name}({parameters})", function.about, function.body)
            return
        # While a lister runs, each search is done once.
        anew = f"{beside(function.name, 'anew')}({parameters})"
        self._function(anew, function.about, function.body)
        key = ", ".join((repr(function.name), *function.parameters))
        if self.framed:
            key += ", b"
        self._lines(while_listing(function.name, parameters, key, self.behind.found, anew))

    def _remembered(self, function: ir.Function) -> Keyed | None:
        """By what the values of a function are kept, if they are."""
        if function.name not in self.memories:
            self.memories[function.name] = remembered(function, self.functions)
        return self.memories[function.name]

    def _lister(self, lister: ir.Lister) -> None:
        given = self.given
        if lister.name not in self.manners:
            little = keyed(lister.body, self.functions)
            rows = lister.name if little is None else beside(lister.name, "rows")
            self._rows_of(rows, lister)
            if little is not None:
                self._lines(by_key(lister.name, given, self._key(little), f"{rows}({given})"))
            return
        how = self.manners[lister.name]
        if isinstance(how, Bits):
            self._bits(lister, how)
            return
        if isinstance(how, Pairs):
            ways = ", ".join(f"{way}: {self.values.text(mask)}" for way, mask in how.ways)
            paired = f"Paired({{{ways}}}, {how.factor}, {how.second})"
            self._function(f"{lister.name}({given})", lister.about, how.before, gives=paired)
            return
        rows = beside(lister.name, "rows")
        self._rows_of(rows, lister)
        made = f"Listed({rows}({given}))"
        if isinstance(how, Keyed):
            made = f"known({beside(lister.name, 'known')}, {self._key(how)}, {rows}({given}))"
        self._lines(("", "", f"def {lister.name}({given}):", f"    return {made}"))

    def _bits(self, lister: ir.Lister, how: Bits) -> None:
        """A lister that makes a row for each bit of a mask, and then perhaps others."""
        mask, body = self.values.text(how.mask), how.before
        if how.after:
            mask = beside(how.name, "bits")
            rows = ir.NewRows(FOUND, lister.width, lister.most)
            body = (*body, ir.Assign(mask, how.mask), rows, *how.after)
            self.values.widths[FOUND] = lister.width
        made = f"Masked({mask}, {how.second})"
        if how.table is not None:
            made = f"Placed({mask}, {how.second}, {how.table})"
        elif how.after:
            made = f"Mixed({mask}, {how.second}, {FOUND}) if {FOUND} else {made}"
        self._function(f"{lister.name}({self.given})", lister.about, body, gives=made)

    def _key(self, how: Keyed) -> str:
        """What choices are remembered by."""
        parts = [
            f"*s[{each.start}:{each.stop}]" if isinstance(each, range) else self.values.text(each)
            for each in how.values
        ]
        if len(parts) == 1 and not parts[0].startswith("*"):
            return parts[0]
        return f"({', '.join(parts)},)" if parts else "()"

    def _rows_of(self, name: str, lister: ir.Lister) -> None:
        """The function that makes the rows of a lister."""
        self.values.widths[FOUND] = lister.width
        start = (ir.NewRows(FOUND, lister.width, lister.most), *lister.body)
        anew = beside(name, "anew") if lister.remembers else name
        self._function(f"{anew}({self.given})", lister.about, start, gives="found")
        if lister.remembers:
            call = f"{anew}({self.given})"
            self._lines(remembered_meanwhile(name, self.given, self.behind.found, call))

    def _question(self, question: ir.Question) -> None:
        names = question.columns
        used = names_in(question.settle)
        row = ", ".join(name if name in used else "_" for name in names)
        header = f"takes__{question.at}({self.given}, row)"
        unpack = [f"{row} = row"] if any(name in used for name in names) else []
        if len(used & set(names)) == 1:
            unpack = [f"{name} = row[{at}]" for at, name in enumerate(names) if name in used]
        self._begin(question.settle)
        bounds = zip(names, self.columns[question.lister], strict=False)
        self.values.bounds = {name: each for name, each in bounds if each is not None}
        self._write(0, "")
        self._write(0, "")
        self._write(0, f"def {header}:")
        for line in unpack:
            self._write(1, line)
        self._body(question.settle, 1, (question.at,))
        self.held.begin()
        self._write(0, "")
        self._write(0, "")
        self._write(0, f"def who__{question.at}({self.given}):")
        self._write(1, f"return {self.values.text(question.player)}")

    # ------------------------------------------------------------------------------ statements

    def _body(self, body: Body, depth: int, inside: tuple[int, ...]) -> None:
        self._statements(body, depth, inside)
        if not body:
            self._write(depth, "pass")

    def _statements(self, body: Body, depth: int, inside: tuple[int, ...]) -> None:
        for at, statement in enumerate(body):
            match body[at - 1 : at + 1] if at else ():
                case (
                    ir.CallLister(rows, lister),
                    ir.If(ir.Not(ir.Length(same)), (ir.Fail(),), ()),
                ) if rows == same and self.held.on and isinstance(self.manners.get(lister), Keyed):
                    # What comes again is some; else it was asked when it was made.
                    line = self.lines.pop()
                    self.lines.append(f"{line.replace(' or ', ' or some(')})")
                case _:
                    self._statement(statement, depth, inside)

    def _statement(self, statement: Statement, depth: int, inside: tuple[int, ...]) -> None:
        if isinstance(statement, ir.If):
            self._if(statement, depth, inside)
            return
        self.held.forget(statement, self.storing.counted)
        before = dict(self.held.facts) if ir.blocks_in(statement) else None
        self._plain(statement, depth, inside)
        if before is not None:
            # What it found out is known in it, not behind it.
            self.held.facts = before
        self.held.note(statement, self.values.loose, self.storing.counted)

    def _plain(self, statement: Statement, depth: int, inside: tuple[int, ...]) -> None:
        value = self.values.text
        match statement:
            case ir.Assign(name, given):
                self._write(depth, f"{name} = {value(given)}")
            case ir.NewBits(name):
                self._write(depth, f"{name} = 0")
            case ir.StoreSlot() | ir.Add() | ir.Fill() | ir.Copy():
                for line in self.storing.lines(statement):
                    self._write(depth, line)
            case ir.Suppose():
                self._suppose(statement, depth, inside)
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
                self._write(depth, f"s[{self.behind.counters}][{counter}] += 1")
            case ir.Spend():
                left = f"s[{self.behind.left}]"
                self._write(depth, f"{left} -= 1")
                self._write(depth, f"if {left} < 0: fail()")
            case ir.Jump() | ir.Rest() | ir.Signal():
                self._leave(statement, depth, inside)
            case _:
                self._loop(statement, depth, inside)

    def _suppose(self, statement: ir.Suppose, depth: int, inside: tuple[int, ...]) -> None:
        # What searches have found so far holds of these slots only.
        kept = self.storing.brought_back(statement, self.program)
        self._write(depth, f"kept = {kept}")
        self._write(depth, f"s[{self.behind.found}] = None")
        self._write(depth, "try:")
        self._body(statement.body, depth + 1, inside)
        self._write(depth, "finally:")
        self._write(depth + 1, f"{kept} = kept")

    def _if(self, statement: ir.If, depth: int, inside: tuple[int, ...]) -> None:
        condition = statement.condition
        while isinstance(condition, ir.Not) and isinstance(condition.operand, ir.Not):
            condition = condition.operand.operand
        held = self.held
        held.forget(condition, self.storing.counted)
        self._write(depth, f"if {self.values.text(condition)}:")
        before = dict(held.facts)
        self._body(statement.then, depth + 1, inside)
        after, held.facts = held.facts, before
        self._otherwise(statement, depth, inside)
        if never_ends(statement.otherwise):
            held.facts = after
        elif not never_ends(statement.then):
            held.facts = {key: fact for key, fact in held.facts.items() if after.get(key) == fact}

    def _otherwise(self, statement: ir.If, depth: int, inside: tuple[int, ...]) -> None:
        if not statement.otherwise:
            return
        if never_ends(statement.then):
            self._statements(statement.otherwise, depth, inside)
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
                self._write(depth, f"for {name} in bits({value(given)}):")
            case ir.EachRow(names, rows, body):
                each = f"{rows}.rows" if rows in self.values.choices else rows
                self._write(depth, f"for {', '.join(names)} in {each}:")
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
                made = f"{lister}({self.given})"
                how = self.manners.get(lister)
                if isinstance(how, Keyed):
                    made = f"{beside(lister, 'known')}.get({self._key(how)}) or {made}"
                if lister in self.manners:
                    self.values.choices.add(name)
                self._write(depth, f"{name} = {made}")
            case _:
                raise AssertionError(f"no Python for {type(statement).__name__}")

    def _of_stack(self, first: int) -> str:
        """The place behind the slots of the running stack, where there is one for each."""
        if not self.framed:
            return str(first)
        # Stacks are equally long.
        return f"b // {self.program.frame} + {first - self.program.base // self.program.frame}"

    def _leave(self, statement: Statement, depth: int, inside: tuple[int, ...]) -> None:
        slot = "b" if self.framed else str(self.program.base)
        match statement:
            case ir.Jump(ir.Const(to)):
                if to in self.entries.called:
                    self._write(depth, f"return {to}")
                    return
                block = self.blocks[to]
                if block.about:
                    self._write(depth, comment(block.about)[0])
                self.values.loose |= loose_names(block.body)
                self.storing.know(block.body)
                self._body(block.body, depth, (*inside, to))
            case ir.Jump(to):
                self._write(depth, f"return {self.values.text(to)}")
            case ir.Rest(at, rows):
                who = self.values.text(self.questions[at].player)
                self._write(depth, f"s[{self._of_stack(self.behind.choices)}] = {rows}")
                self._write(depth, f"s[{self._of_stack(self.behind.who)}] = {who}")
                self._write(depth, f"s[{slot}] = {at + 1}")
                self._write(depth, f"return {REST}")
            case ir.Signal(word, at):
                if word == "open":
                    self._write(depth, f"s[{slot}] = {at + 1}")
                self._write(depth, f"return {BY_WORD[word]}")
            case _:
                raise AssertionError(f"no Python for {type(statement).__name__}")
