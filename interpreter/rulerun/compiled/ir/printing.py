"""A program as text, for people: what a game is lowered to before a back end translates it.

Assumes: a `Program`.
Does: writes tables, functions, listers, blocks and questions one after the other, each under the
text of the rules that it comes from, in a notation that the head of the text explains.
Leaves behind: text. Nothing reads it back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rulerun.compiled import ir
from rulerun.compiled.ir.program import Program
from rulerun.compiled.ir.statement import Statement
from rulerun.compiled.ir.value import Value

WIDE = 100
LONGEST_TEXT = 88

HEAD = """\
Everything is a whole number; `none` is what is not there. `slot[a]` is number a of the state.
`check(x in l..h)` gives the run up if x lies outside; `x as y: z` is z, in which y stands for x.
`table T[i]` is an entry of a constant table, `lists L[i]` a list of a table of lists. `b` is where
the frame that runs begins: its locals are `slot[b + 1]` and what follows. Rows are lists of equally
long tuples of numbers: `rows.length`, `rows[i].c` (column c), `push`.
A block is one instruction of the rules. It ends in `go N` (on at block N), `rest` (wait for an
input; the rows say what may be chosen, or what may fall), `signal`, or `fail`: then the reference
executor is asked what happened. A question says who decides and what taking a row does; c0, c1, …
are the numbers of the row: (action, line, names …), or of luck (outcome, weight, slot)."""

_TIGHT = (
    ir.Const,
    ir.Var,
    ir.Slot,
    ir.TableLoad,
    ir.Call,
    ir.Checked,
    ir.Length,
    ir.RowGet,
    ir.Not,
)
"""Values that need no parentheses inside others."""


def printed(program: Program) -> str:
    """The text of a program."""
    return "\n".join(_lines(program)) + "\n"


def _lines(program: Program) -> Iterator[str]:
    yield f"# {program.name}, lowered. The rules have the fingerprint {program.fingerprint[:16]}."
    yield "#"
    for line in HEAD.splitlines():
        yield f"# {line}"
    yield ""
    yield from _shape(program)
    for name, values in program.tables:
        yield from _wrapped(f"table {name} =", [_number(each) for each in values])
    for name, lists in program.lists:
        texts = [f"({' '.join(map(str, each))})" for each in lists]
        yield from _wrapped(f"lists {name} =", texts)
    for function in program.functions:
        yield from _function(function)
    for lister in program.listers:
        yield from _lister(lister)
    for block in program.blocks:
        yield ""
        yield from _about(block.about)
        yield f"block {block.at}:"
        yield from body(block.body)
    for question in program.questions:
        yield ""
        yield from _question(question)
    for together in program.togethers:
        yield ""
        yield (
            f"together {together.at}: those of {together.players}() take part, each in a frame of "
            f"their own with their number in local {together.variable}; a part begins at block "
            f"{together.body}, behind them all the game goes on at block {together.done}"
        )
    for title, statements in (
        ("at rest, bring copies that nothing tells apart into order", program.canonical),
        ("when the game is over, begin anew", program.restart),
    ):
        if statements:
            yield ""
            yield f"{title}:"
            yield from body(statements)


def _shape(program: Program) -> Iterator[str]:
    start, end = program.live
    yield f"players {program.players}"
    yield f"slots {program.size}"
    yield "  0 how the game ended, 1 the `together` that is open (1 + its block)"
    yield f"  {start}..{end - 1} what a `together` shadows: variables, components, knowledge"
    if program.frames > 1:
        yield f"  {program.shadow}..{program.shadow + end - start - 1} the shadow"
    yield f"  {program.base}..{program.size - 1} frames: {program.frames} of {program.frame}"
    yield f"steps {program.steps} between two rests"
    yield f"decisions {program.decisions or 'without a bound'}"
    if program.counters:
        yield f"counters {program.counters}"
    yield f"entry: block {program.entry}"
    yield from _wrapped("begin =", [_number(each) for each in program.begin])


def _about(text: str) -> Iterator[str]:
    """The text of the rules above what comes of it."""
    line = " ".join(text.split())
    if len(line) > LONGEST_TEXT:
        line = f"{line[:LONGEST_TEXT]}…"
    if line:
        yield f"# {line}"


def _function(function: ir.Function) -> Iterator[str]:
    yield ""
    yield from _about(function.about)
    given = ["b"] if function.framed else []
    searches = "  # searches: remembered while a lister runs" if function.remembered else ""
    yield f"function {function.name}({', '.join([*given, *function.parameters])}):{searches}"
    yield from body(function.body)


def _lister(lister: ir.Lister) -> Iterator[str]:
    yield ""
    yield from _about(lister.about)
    most = f", at most {lister.most}" if lister.most >= 0 else ""
    yield f"lister {lister.name}: rows of {lister.width}{most}"
    yield from body(lister.body)


def _question(question: ir.Question) -> Iterator[str]:
    what = "luck" if question.chance else f"player {value(question.player)}"
    yield f"question {question.at}: {what}, from {question.lister}(), rows of {question.width}"
    if question.known:
        yield "  known: " + ", ".join(f"slot[{at}] == {held}" for at, held in question.known)
    yield "  taking a row:"
    yield from body(question.settle, "    ")


def _wrapped(head: str, items: Sequence[str]) -> Iterator[str]:
    """A head and items, on as many lines as they need; runs of one item are written once."""
    line = head
    for text in _runs(items):
        if len(line) + 1 + len(text) > WIDE:
            yield line
            line = "   "
        line = f"{line} {text}"
    yield line


def _runs(items: Sequence[str]) -> Iterator[str]:
    at = 0
    while at < len(items):
        end = at
        while end < len(items) and items[end] == items[at]:
            end += 1
        if end - at > 3:
            yield f"{items[at]}*{end - at}"
        else:
            yield from items[at:end]
        at = end


def _number(number: int) -> str:
    return "none" if number == ir.NONE else str(number)


# ---------------------------------------------------------------------------------- statements


def body(statements: Sequence[Statement], indent: str = "  ") -> Iterator[str]:
    """The lines of a block of statements."""
    if not statements:
        yield f"{indent}nothing"
    for each in statements:
        yield from _statement(each, indent)


def _statement(node: Statement, indent: str) -> Iterator[str]:
    deeper = f"{indent}  "
    match node:
        case ir.If(condition, then, otherwise):
            yield f"{indent}if {value(condition)}:"
            yield from body(then, deeper)
            if otherwise:
                yield f"{indent}else:"
                yield from body(otherwise, deeper)
        case ir.For(name, low, high, inner):
            yield f"{indent}for {name} from {value(low)} below {value(high)}:"
            yield from body(inner, deeper)
        case ir.Each(name, table, index, inner):
            yield f"{indent}for {name} in lists {table}[{value(index)}]:"
            yield from body(inner, deeper)
        case ir.EachEqual(name, base, number, wanted, inner):
            yield f"{indent}for {name} where {_slots(base, number)} == {_tight(wanted)}:"
            yield from body(inner, deeper)
        case ir.EachBit(name, mask, inner):
            yield f"{indent}for {name} in bits of {value(mask)}:"
            yield from body(inner, deeper)
        case ir.EachRow(names, rows, inner):
            yield f"{indent}for ({', '.join(names)}) in rows {rows}:"
            yield from body(inner, deeper)
        case ir.While(condition, inner):
            yield f"{indent}while {value(condition)}:"
            yield from body(inner, deeper)
        case ir.Suppose(inner):
            runs = "" if node.runs is None else ", ".join(_slots(*each) for each in node.runs)
            yield f"{indent}suppose{' of ' * bool(runs)}{runs}:"
            yield from body(inner, deeper)
        case _:
            yield f"{indent}{_simple(node)}"


def _simple(node: Statement) -> str:
    """A statement that holds no others."""
    match node:
        case ir.Assign(name, what):
            return f"{name} := {value(what)}"
        case ir.StoreSlot(address, what):
            return f"slot[{value(address)}] := {value(what)}"
        case ir.Add(address, what):
            return f"slot[{value(address)}] += {value(what)}"
        case ir.Fill(address, number, what):
            return f"slots {_from(address, number)} := {_number(what)}"
        case ir.Copy(to, source, number):
            return f"slots {_from(to, number)} := slots {_from(source, number)}"
        case ir.Break():
            return "break"
        case ir.Return(what):
            return f"return {value(what)}"
        case ir.Fail():
            return "fail"
        case ir.NewBits(name, many):
            return f"bits {name} := none of {many}"
        case ir.NewRows(name, width, most, filled):
            bound = f", at most {most}" if most >= 0 else ""
            zeros = f", {filled} of 0" if filled else ""
            return f"rows {name} := none of {width}{bound}{zeros}"
        case ir.Push(rows, numbers):
            return f"push ({', '.join(map(value, numbers))}) to {rows}"
        case ir.RowSet(rows, index, what):
            return f"{rows}[{value(index)}].0 := {value(what)}"
        case ir.SortRows(rows):
            return f"sort {rows}"
        case ir.Swap(to, source):
            return f"rows {to} := rows {source}"
        case ir.CallLister(name, lister, _):
            return f"rows {name} := {lister}()"
        case ir.Eval(what):
            return f"do {value(what)}"
        case ir.Jump(to):
            return f"go {value(to)}"
        case ir.Rest(at, rows):
            return f"rest at {at} with {rows}"
        case ir.Signal(word, at):
            return f"signal {word} at {at}"
        case ir.Count(counter):
            return f"count {counter}"
        case ir.Spend():
            return "spend"
        case _:
            # A node that is newer than this page: better its fields than nothing.
            return repr(node)


def _from(address: Value, number: int) -> str:
    return f"{number} from {_tight(address)}"


def _slots(base: int, number: int) -> str:
    return f"slot[{base}..{base + number - 1}]"


# --------------------------------------------------------------------------------- expressions


def value(node: Value) -> str:
    """A value as text."""
    match node:
        case ir.Const(number):
            return _number(number)
        case ir.Var(name):
            return name
        case ir.Slot(address):
            return f"slot[{value(address)}]"
        case ir.Binary("min" | "max" as word, left, right):
            return f"{word}({value(left)}, {value(right)})"
        case ir.Binary(operator, left, right):
            return f"{_tight(left)} {operator} {_tight(right)}"
        case ir.Not(operand):
            return f"not {_tight(operand)}"
        case ir.Both(left, right):
            return f"{_tight(left)} and {_tight(right)}"
        case ir.Either(left, right):
            return f"{_tight(left)} or {_tight(right)}"
        case ir.Select(condition, yes, no):
            return f"{_tight(yes)} if {_tight(condition)} else {_tight(no)}"
        case ir.TableLoad(table, index):
            return f"table {table}[{value(index)}]"
        case ir.Call(function, arguments):
            return f"{function}({', '.join(map(value, arguments))})"
        case ir.Checked(what, low, high, _):
            return f"check({value(what)} in {low}..{high})"
        case ir.Decoded(what, code, _):
            return f"none if {_tight(what)} == {code} else it"
        case ir.Maybe(what, inner, name):
            return f"{_tight(what)} as {name}: {_tight(inner)}, or none"
        case ir.OrElse(what, other, _):
            return f"{_tight(what)} otherwise {_tight(other)}"
        case ir.Length(rows):
            return f"{rows}.length"
        case ir.RowGet(rows, index, column):
            return f"{rows}[{value(index)}].{column}"
        case _:
            return _counted(node)


def _counted(node: Value) -> str:
    """What is counted or searched in slots and bits."""
    match node:
        case ir.CountEqual(base, number, what):
            return f"count of {_slots(base, number)} == {_tight(what)}"
        case ir.FindEqual(base, number, what):
            return f"first of {_slots(base, number)} == {_tight(what)}"
        case ir.EqualMask(base, number, what):
            return f"mask of {_slots(base, number)} == {_tight(what)}"
        case ir.SumSlots(address, number):
            return f"sum of {_from(address, number)}"
        case ir.OnTop(base, positions, number, zone, stack):
            end = "top" if stack else "front"
            there = _slots(base, number)
            return f"{end} of {there} == {_tight(zone)} by position from {positions}"
        case ir.NthBit(mask, below):
            return f"bit {_tight(below)} of {_tight(mask)}"
        case ir.LowestBit(mask):
            return f"lowest bit of {_tight(mask)}"
        case ir.HighestBit(mask):
            return f"highest bit of {_tight(mask)}"
        case ir.BitCount(mask):
            return f"bits set in {_tight(mask)}"
        case _:
            return repr(node)


def _tight(node: Value) -> str:
    """A value inside another one."""
    text = value(node)
    if isinstance(node, _TIGHT) or (
        isinstance(node, ir.Binary) and node.operator in ("min", "max")
    ):
        return text
    return f"({text})"
