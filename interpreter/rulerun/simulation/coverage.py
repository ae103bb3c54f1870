"""Which rules ran in the games that were counted, told by the lines of the file.

Assumes: a tally with coverage.
Does: puts the instructions of one statement together; names statements that never ran, ways that
were never taken by what a reader of the rules calls them, and functions that were never evaluated.
Leaves behind plain data. What a way leads to is not named again as a way if it is a statement that
never ran.

Instructions that only hold the code together (jumps, the end of a procedure) are no statements.
Functions that only people read (in a view, a question, a hint, an invariant), or whose value was
known when the file was read, are not counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from rulerun.batch import Tally, arms
from rulerun.simulation.wording import name_of
from rulerun_dsl import model
from rulerun_dsl.model import Game, Instruction
from rulerun_dsl.source import Span

_GLUE = (model.Jump, model.Clear, model.TogetherEnd, model.Drain, model.LoopStart)

Key = tuple[str, int, int]


def coverage(game: Game, tally: Tally, games: int) -> dict[str, Any]:
    """What the games reached, and what they did not."""
    own = {_key(procedure.span) for procedure in game.procedures}
    ran: dict[Key, bool] = {}
    spans: dict[Key, Span] = {}
    for node, many in zip(game.code, tally.reached, strict=True):
        key = _key(node.span)
        if _is_statement(node, own):
            ran[key] = ran.get(key, False) or many > 0
            spans[key] = node.span
    never = [key for key, did in ran.items() if not did]
    ways = list(_ways(game, tally, set(never)))
    ways_of = len(arms(game)) - sum(1 for _ in _endless(game))
    ruling = _ruling(game)
    functions = [
        (each, many)
        for number, (each, many) in enumerate(zip(game.functions, tally.called, strict=True))
        if each.name and number in ruling
    ]
    unused = [each for each, many in functions if not many]
    return {
        "games": games,
        "statements": {
            "of": len(ran),
            "ran": len(ran) - len(never),
            "never": sorted((place(spans[key]) for key in never), key=_order),
        },
        "ways": {
            "of": ways_of,
            "taken": ways_of - sum(1 for _ in _untaken(game, tally)),
            "never": sorted(ways, key=_order),
        },
        "functions": {
            "of": len(functions),
            "evaluated": len(functions) - len(unused),
            "never": sorted(({"name": one.name, **place(one.span)} for one in unused), key=_order),
        },
    }


def place(span: Span) -> dict[str, Any]:
    """Where something stands, with its line."""
    line, column = span.source.position(span.start)
    name = span.source.name.replace("\\", "/").rpartition("/")[2]
    return {
        "file": name,
        "line": line,
        "column": column,
        "source": span.source.line_text(line).strip(),
    }


def _order(found: dict[str, Any]) -> tuple[Any, ...]:
    return found["file"], found["line"], found["column"], found.get("way", "")


def _key(span: Span) -> Key:
    return span.source.name, span.start, span.end


def _is_statement(node: Instruction, own: set[Key]) -> bool:
    """Whether a reader would call it something that is done."""
    if isinstance(node, _GLUE):
        return False
    if isinstance(node, model.Return | model.EndGame):
        # A `stop` or `end game` has a place of its own; the end of a procedure has the procedure's.
        return _key(node.span) not in own
    return True


def _endless(game: Game) -> Iterator[int]:
    """The ways that lead out of a round of turns: it goes on until something else ends it."""
    for number, arm in enumerate(arms(game)):
        node = game.code[arm.instruction]
        if isinstance(node, model.LoopNext) and node.loop.mode == "turns" and arm.to == node.done:
            yield number


def _untaken(game: Game, tally: Tally) -> Iterator[int]:
    endless = set(_endless(game))
    for number, many in enumerate(tally.arms):
        if not many and number not in endless:
            yield number


def _ways(game: Game, tally: Tally, never: set[Key]) -> Iterator[dict[str, Any]]:
    """The ways never taken on from what ran."""
    found = arms(game)
    for number in _untaken(game, tally):
        arm = found[number]
        node = game.code[arm.instruction]
        if not tally.reached[arm.instruction]:
            continue
        after = game.code[arm.to]
        while isinstance(after, model.Jump):
            after = game.code[after.to]
        if _key(after.span) in never and not tally.reached[arm.to]:
            continue
        span, way = _told(game, node, arm.to, arm.instruction)
        yield {"way": way, **place(span)}


def _told(game: Game, node: Instruction, to: int, at: int) -> tuple[Span, str]:
    """Where a way stands, and what never happened."""
    match node:
        case model.Unless(condition=condition):
            holds = to == at + 1
            while isinstance(condition, model.Not):
                condition, holds = condition.operand, not holds
            text = " ".join(condition.span.text.split())
            return condition.span, f"`{text}` was never {'true' if holds else 'false'}"
        case model.LoopNext() | model.RepeatNext():
            if to == node.done:
                return node.span, "it never came to its end"
            return node.span, "there was never anything to go through"
        case model.Choose(options=options):
            for option in options:
                if option.to == to and option.span is not None:
                    type_ = game.actions[option.action]
                    name = name_of(type_.name, type_.parameters)
                    return option.span, f"`{name}` was never chosen"
            return node.span, "there was always something to choose: `else` never came to pass"
        case _:
            raise AssertionError(f"{type(node).__name__} has one way")


# ------------------------------------------------------------------------------------ functions

_FOR_PEOPLE = frozenset(("hint", "ask", "span", "type"))


def _ruling(game: Game) -> set[int]:
    """The functions on which play depends."""
    found: set[int] = set()
    waiting: list[Any] = [game.code, game.zones, game.variables, game.scoring]
    while waiting:
        for number in _functions(waiting.pop()):
            if number not in found:
                found.add(number)
                waiting.append(game.functions[number].body)
    return found


def _functions(value: Any) -> Iterator[int]:
    """The functions that stand in a part of a game."""
    match value:
        case tuple():
            for each in value:
                yield from _functions(each)
            return
        case model.FunctionCall(function=function):
            yield function
        case model.SlotCall(functions=functions):
            yield from functions
        case model.Built(relation=int(relation)):
            yield relation
    if is_dataclass(value):
        for each in fields(value):
            if each.name not in _FOR_PEOPLE:
                inside = getattr(value, each.name)
                if isinstance(inside, tuple) or is_dataclass(inside):
                    yield from _functions(inside)
