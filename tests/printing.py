"""From a syntax tree back to text, and to a form that tests can compare.

`printed` writes a tree as an author would, with no parentheses but those that are needed: parsed
again, the text gives the same tree, and that is a test of the grammar's levels. `bare` and
`compact` leave the spans out. Nothing in the program needs any of them.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from rulerun_dsl.syntax import expressions as ast
from rulerun_dsl.syntax import statements as stmt

# The levels of the grammar, loosest first.
(
    TEST,
    OR,
    AND,
    AFTER,
    NOT,
    COMPARISON,
    RANGE,
    OTHERWISE,
    SUM,
    TERM,
    SIGN,
    POWER,
    PRIMARY,
    POSTFIX,
    ATOM,
) = range(15)


def bare(value: Any) -> Any:
    """A tree without its spans, as tuples."""
    if isinstance(value, ast.Node):
        fields = [field.name for field in dataclasses.fields(value)]
        return (
            type(value).__name__,
            *(bare(getattr(value, name)) for name in fields if "span" not in name),
        )
    if isinstance(value, tuple):
        return tuple(bare(item) for item in value)
    return value


def compact(value: Any) -> str:
    """A tree on one line, without spans: `Binary(+, a, 1)`."""
    match value:
        case ast.Name(text=text):
            return text
        case ast.Number(value=number):
            return str(number)
        case ast.NamedType(name=name):
            return name
        case ast.Node():
            fields = [field.name for field in dataclasses.fields(value)]
            shown = [compact(getattr(value, name)) for name in fields if "span" not in name]
            return f"{type(value).__name__}({', '.join(shown)})" if shown else type(value).__name__
        case tuple():
            return "[" + ", ".join(map(compact, value)) + "]"
        case None:
            return "-"
        case _:
            return str(value)


def printed(node: Any) -> str:
    """The text of a block, statement, type, argument, expression or any other tree."""
    match node:
        case stmt.Block(statements=statements):
            return "; ".join(map(statement, statements))
        case stmt.Guarded() | stmt.Repeated():
            return statement(node)
        case ast.Binders(items=items, condition=condition):
            return ", ".join(map(binder, items)) + suffix("if", condition)
        case ast.Loops(items=items):
            return clauses(items)
        case ast.Signature(name=name, parameters=parameters, condition=condition, called=called):
            inside = ", ".join(map(parameter, parameters)) + suffix("if", condition)
            return f"{name}({inside})" if called else name
        case ast.Indexed(name=name, indexes=indexes):
            return name + (f"[{', '.join(map(type_, indexes))}]" if indexes else "")
        case ast.Declared(type=declared, start=start):
            return type_(declared) + (f" = {test(start)}" if start else "")
        case ast.Superlative(direction=direction, score=score):
            return f"{direction} {score}"
        case ast.Every(columns=columns):
            return "every " + " and ".join(columns)
        case ast.Template(parts=parts):
            return "".join(
                part.replace("<", "<<") if isinstance(part, str) else f"<{angled(part)}>"
                for part in parts
            )
        case _ if isinstance(node, ast.TypeExpression):
            return type_(node)
        case _ if isinstance(node, stmt.Statement):
            return statement(node)
        case _:
            return argument(node)


def angled(node: ast.Expression) -> str:
    """An expression between `<` and `>`, where a bare `>` would end it."""
    text = test(node)
    return f"({text})" if ">" in text else text


# ------------------------------------------------------------------------------------ statements


def suffix(word: str, condition: Any) -> str:
    """The ` if c` or ` by c` at the end, if there is one."""
    return f" {word} {expression(condition, OR)}" if condition else ""


def clauses(items: Any) -> str:
    """The `x in S if c for y in T` of a loop in a loop."""
    return " for ".join(
        f"{'every ' if item.every else ''}{item.name} in {expression(item.source, RANGE)}"
        + suffix("while", item.so_long)
        + suffix("if", item.condition)
        for item in items
    )


def statement(node: Any) -> str:
    """One statement with its suffix."""
    match node:
        case stmt.Guarded(statement=inner, condition=condition):
            # A value before a trailing `if` cannot itself be a conditional.
            return plain(inner, OR) + suffix("if", condition)
        case stmt.Repeated(statement=inner, clauses=items):
            return f"{plain(inner, TEST)} for {clauses(items)}"
        case _:
            return plain(node, TEST)


def plain(node: Any, level: int) -> str:
    """A statement without its suffix, its last value no looser than `level`."""
    match node:
        case stmt.Pass():
            return "pass"
        case stmt.Again():
            return "again"
        case stmt.Stop(procedure=procedure):
            return f"stop {procedure}" if procedure else "stop"
        case stmt.EndGame(winner=winner):
            return "end game" + (f" won by {expression(winner, level)}" if winner else "")
        case stmt.Give(value=value):
            return f"give {expression(value, level)}"
        case stmt.Let(name=name, type=declared, value=value):
            before = f"{type_(declared)} " if declared else ""
            return f"let {before}{name} = {assigned(value, level)}"
        case stmt.Assign(place=place, operator=operator, value=value):
            return f"{expression(place, POSTFIX)} {operator} {assigned(value, level)}"
        case stmt.Move():
            return move(node)
        case stmt.Shuffle(place=place):
            return f"shuffle {expression(place, PRIMARY)}"
        case stmt.Swap(left=left, right=right):
            return f"swap {expression(left, PRIMARY)} with {expression(right, PRIMARY)}"
        case stmt.Show(what=what, to=to):
            seer = "all" if isinstance(to, ast.All) else expression(to, PRIMARY)
            return f"show {expression(what, PRIMARY)} to {seer}"
        case stmt.Roll(place=place, weight=weight, until=until):
            by = f" by {expression(weight, TEST if until else level)}" if weight else ""
            return f"roll {expression(place, PRIMARY)}{by}" + suffix("until", until)
        case stmt.Pick(place=place, source=source, condition=condition, weight=weight):
            start = f"pick {expression(place, PRIMARY)} at random from {expression(source, RANGE)}"
            return start + suffix("if", condition) + (f" by {test(weight)}" if weight else "")
        case stmt.Sort(binder=name, place=place, keys=keys):
            *others, last = keys
            shown = [*map(test, others), expression(last, level)]
            return f"sort {name} in {expression(place, RANGE)} by {' then '.join(shown)}"
        case stmt.Reset(place=place):
            return f"reset {expression(place, PRIMARY)}"
        case stmt.Remember(place=place):
            return f"remember {expression(place, PRIMARY)}"
        case stmt.Do(call=call, player=player):
            by = f" as {expression(player, PRIMARY)}" if player else ""
            return expression(call, POSTFIX) + by
        case _:
            raise AssertionError(node)


def assigned(value: Any, level: int) -> str:
    """What stands right of `=`."""
    return move(value) if isinstance(value, stmt.Move) else expression(value, level)


def move(node: stmt.Move) -> str:
    """Each form of `move`."""
    to = f"to {expression(node.to, PRIMARY)}"
    up_to = "up to " if node.up_to else ""
    if node.quantity is None:
        assert node.subject is not None
        return f"move {opening(test(node.subject))} {to}"
    if isinstance(node.quantity, str):
        return f"move all {expression(node.subject, OR)}{suffix('if', node.condition)} {to}"
    if node.source is not None:
        quantity = test(node.quantity) if up_to else opening(test(node.quantity))
        return f"move {up_to}{quantity} from {expression(node.source, OTHERWISE)} {to}"
    assert isinstance(node.subject, ast.Membership)
    quantity = expression(node.quantity, SUM)
    members = f"{test(node.subject.left)} in {expression(node.subject.right, RANGE)}"
    quantity = quantity if up_to else opening(quantity)
    return f"move {up_to}{quantity} {members}{suffix('if', node.condition)} {to}"


def opening(text: str) -> str:
    """What follows `move`: a minus or a `not` there would make `move` a name."""
    return f"({text})" if text.startswith(("-", "not ")) else text


# ------------------------------------------------------------------- binders, parameters and types


def binder(node: ast.Binder) -> str:
    """`c in hand`, or `1..3 c in hand`."""
    source = expression(node.source, RANGE)
    if node.low is None:
        return f"{'every ' if node.every else ''}{node.name} in {source}"
    return f"{expression(node.low, SUM)}..{expression(node.high, SUM)} {node.name} in {source}"


def parameter(node: ast.Parameter) -> str:
    """`TYPE name in S`."""
    before = f"{type_(node.type)} " if node.type else ""
    return before + node.name + (f" in {expression(node.source, RANGE)}" if node.source else "")


def type_(node: Any) -> str:
    """A type."""
    match node:
        case ast.NamedType(name=name):
            return name
        case ast.KindType(kind=kind):
            return f"{kind} kind"
        case ast.RangeType(low=low, high=high):
            return f"{expression(low, SUM)}..{expression(high, SUM)}"
        case ast.OrderType(name=name):
            return f"order of {name}"
        case ast.SetType(element=element):
            return f"set of {type_(element)}"
        case ast.OptionalType(inner=inner):
            return f"{type_(inner)} or none"
        case _:
            raise AssertionError(node)


# ------------------------------------------------------------------------------------- expressions


def test(node: Any) -> str:
    """An expression where the loosest may stand."""
    return expression(node, TEST)


test.__test__ = False  # type: ignore[attr-defined]  # a name of the grammar, not a test of pytest


def expression(node: Any, level: int) -> str:
    """An expression, in parentheses if it is looser than `level`."""
    own, text = leveled(node)
    return f"({text})" if own < level else text


def argument(node: Any) -> str:
    """What may stand between the parentheses of a call."""
    match node:
        case ast.Comprehension(value=value, clauses=items):
            return test(value) + "".join(map(clause_for, items))
        case ast.Filtered(subject=subject, condition=condition, keys=keys, so_long=so_long):
            by = f" by {' then '.join(map(test, keys))}" if keys else ""
            return expression(subject, OR) + suffix("while", so_long) + suffix("if", condition) + by
        case _:
            return test(node)


def clause_for(item: Any) -> str:
    """One ` for x in S while c if d`."""
    head = f" for {item.name} in {expression(item.source, RANGE)}"
    return head + suffix("while", item.so_long) + suffix("if", item.condition)


def arguments(items: Any) -> str:
    """The arguments of a call with their parentheses."""
    return f"({', '.join(map(argument, items))})"


SUMS = ("+", "-")


def leveled(node: Any) -> tuple[int, str]:
    """An expression without outer parentheses, and its level."""
    match node:
        case ast.Name(text=text):
            return ATOM, text
        case ast.Number(value=value):
            return ATOM, str(value)
        case ast.Truth(value=value):
            return ATOM, "true" if value else "false"
        case ast.Nothing():
            return ATOM, "none"
        case ast.You():
            return ATOM, "you"
        case ast.This():
            return ATOM, "this"
        case ast.All():
            return TEST, "all"
        case ast.KindName(kind=kind):
            return ATOM, f"{kind} kind"
        case ast.ListOf(items=items):
            return ATOM, f"({', '.join(map(test, items))})"
        case ast.Call(name=name, arguments=items):
            return ATOM, name + arguments(items)
        case ast.Attribute(base=base, name=name):
            return POSTFIX, f"{expression(base, POSTFIX)}.{name}"
        case ast.RuleCall(base=base, name=name, arguments=items):
            return POSTFIX, f"{expression(base, POSTFIX)}.{name}{arguments(items)}"
        case ast.Index(base=base, indexes=indexes):
            return POSTFIX, f"{expression(base, POSTFIX)}[{', '.join(map(test, indexes))}]"
        case ast.The(operand=operand):
            return PRIMARY, f"the {expression(operand, PRIMARY)}"
        case ast.ComponentsOf(kind=kind, owner=owner):
            return PRIMARY, f"{kind} of {expression(owner, PRIMARY)}"
        case ast.Unary(operator="not", operand=operand):
            return NOT, f"not {expression(operand, NOT)}"
        case ast.Unary(operand=operand):
            return SIGN, f"-{expression(operand, SIGN)}"
        case ast.Binary(operator="**", left=left, right=right):
            return POWER, f"{expression(left, PRIMARY)} ** {expression(right, SIGN)}"
        case ast.Binary(operator=sign, left=left, right=right):
            own = SUM if sign in SUMS else TERM
            return own, f"{expression(left, own)} {sign} {expression(right, own + 1)}"
        case ast.Otherwise(left=left, right=right):
            shown = f"{expression(left, OTHERWISE)} otherwise {expression(right, SUM)}"
            return OTHERWISE, shown
        case ast.Range(low=low, high=high):
            return RANGE, f"{expression(low, OTHERWISE)}..{expression(high, OTHERWISE)}"
        case ast.Compare(operator=sign, left=left, right=right):
            return COMPARISON, f"{expression(left, RANGE)} {sign} {expression(right, RANGE)}"
        case ast.Membership(left=left, right=right, negated=negated):
            word = "not in" if negated else "in"
            return COMPARISON, f"{expression(left, RANGE)} {word} {expression(right, RANGE)}"
        case ast.Is(left=left, right=right, negated=negated):
            word = "is not" if negated else "is"
            return COMPARISON, f"{expression(left, RANGE)} {word} {expression(right, RANGE)}"
        case ast.Logic(operator="or", operands=operands):
            return OR, " or ".join(expression(each, AND) for each in operands)
        case ast.Logic(operands=operands):
            return AND, " and ".join(expression(each, AFTER) for each in operands)
        case ast.After(value=value, call=call):
            return AFTER, f"{expression(value, NOT)} after {expression(call, POSTFIX)}"
        case ast.IfElse(value=value, condition=condition, alternative=alternative):
            first = "all" if isinstance(value, ast.All) else expression(value, OR)
            return TEST, f"{first} if {expression(condition, OR)} else {test(alternative)}"
        case _:
            raise AssertionError(node)
