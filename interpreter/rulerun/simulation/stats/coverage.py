"""Which rules ran in the games that were counted, told by the lines of the file.

Assumes: a tally with coverage.
Does: puts the instructions of one statement together; names statements that never ran, ways that
were never taken by what a reader of the rules calls them, and functions that were never evaluated.
Leaves behind: what ran, which may be added up over several settings, and the same as plain data.
Where a way leads to a statement that never ran, only the statement is named.

Instructions that only hold the code together (jumps, the end of a procedure) are no statements.
Functions that only viewers ask (in `visible:`, a view, a question, a hint) or an invariant asks, or
whose value was known when the file was read, are not counted (`run.counting`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, fields, is_dataclass
from typing import Any

from rulerun.runtime.batch import Tally, arms
from rulerun.simulation.stats.action_names import names_of
from rulerun_dsl import model
from rulerun_dsl.model import Game, Instruction
from rulerun_dsl.source.frozen import frozen, slotted
from rulerun_dsl.source.spans import Span

_GLUE = (model.Jump, model.Clear, model.TogetherEnd, model.Drain, model.LoopStart)

Key = tuple[str, int, int]


@slotted
class Way:
    """A way on from a place in the file, of which the code may have several copies."""

    span: Span
    text: str
    """What never happened, if it was never taken."""
    taken: bool = False
    come_to: bool = False
    """Whether play came to the fork."""
    after: set[Key] = field(default_factory=set)
    """What it leads to, where play came to the fork."""


@frozen
class Function:
    """A function on which play depends."""

    name: str
    span: Span
    evaluated: bool


@slotted
class Reach:
    """What ran of a game, by the places of its rules; of several settings, together."""

    ran: dict[Key, bool]
    """By statement: whether it ran."""
    spans: dict[Key, Span]
    ways: dict[tuple[Key, str], Way]
    functions: dict[Key, Function]

    def add(self, other: Reach) -> None:
        """Count what ran elsewhere, such as in another setting, as well."""
        for key, did in other.ran.items():
            self.ran[key] = self.ran.get(key, False) or did
            self.spans[key] = other.spans[key]
        for name, way in other.ways.items():
            known = self.ways.setdefault(name, Way(way.span, way.text))
            known.taken = known.taken or way.taken
            known.come_to = known.come_to or way.come_to
            known.after |= way.after
        for key, function in other.functions.items():
            before = self.functions.get(key)
            if before is None or function.evaluated:
                self.functions[key] = function

    @property
    def reached(self) -> frozenset[Key]:
        """The places of what ran."""
        functions = (key for key, each in self.functions.items() if each.evaluated)
        return frozenset([*(key for key, did in self.ran.items() if did), *functions])

    @property
    def open_ways(self) -> list[Way]:
        """The ways never taken of which that says more than that what they lead to never ran."""
        never = {key for key, did in self.ran.items() if not did}
        return [
            each
            for each in self.ways.values()
            if each.come_to and not each.taken and each.after - never
        ]

    def told(self, folder: str = "") -> dict[str, Any]:
        """The same as plain data."""
        never = [key for key, did in self.ran.items() if not did]
        unused = [each for each in self.functions.values() if not each.evaluated]
        return {
            "statements": {
                "of": len(self.ran),
                "ran": len(self.ran) - len(never),
                "files": _files(self.ran, folder),
                "never": sorted((place(self.spans[key], folder) for key in never), key=_order),
            },
            "ways": {
                "of": len(self.ways),
                "taken": sum(way.taken for way in self.ways.values()),
                "never": sorted(
                    ({"way": way.text, **place(way.span, folder)} for way in self.open_ways),
                    key=_order,
                ),
            },
            "functions": {
                "of": len(self.functions),
                "evaluated": len(self.functions) - len(unused),
                "never": sorted(
                    ({"name": one.name, **place(one.span, folder)} for one in unused), key=_order
                ),
            },
        }


def coverage(game: Game, tally: Tally, games: int, folder: str = "") -> dict[str, Any]:
    """What the games reached, and what they did not."""
    return {"games": games, **reach_of(game, tally).told(folder)}


def reach_of(game: Game, tally: Tally) -> Reach:
    """What the games that a tally has counted reached."""
    ran: dict[Key, bool] = {}
    spans: dict[Key, Span] = {}
    for at, key in statements_of(game):
        ran[key] = ran.get(key, False) or tally.reached[at] > 0
        spans[key] = game.code[at].span
    decisive = ruling(game)
    functions = {
        key_of(each.span): Function(each.name, each.span, tally.called[number] > 0)
        for number, each in enumerate(game.functions)
        if each.name and number in decisive
    }
    return Reach(ran, spans, _ways(game, tally), functions)


def _files(ran: dict[Key, bool], folder: str) -> list[dict[str, Any]]:
    """How many statements ran by file, in the order of their names."""
    sums: dict[str, list[int]] = {}
    for (name, _, _), did in ran.items():
        held = sums.setdefault(below(name, folder), [0, 0])
        held[0] += 1
        held[1] += did
    return [{"file": name, "of": of, "ran": some} for name, (of, some) in sorted(sums.items())]


def below(path: str, folder: str) -> str:
    """A path from the folder of the rules file: what lies above differs from machine to machine."""
    path, folder = (each.replace("\\", "/").rstrip("/") for each in (path, folder))
    folder = "" if folder == "." else folder
    if folder and path.startswith(f"{folder}/"):
        return path[len(folder) + 1 :]
    relative = not folder and not path.startswith("/") and ":" not in path
    return path if relative else path.rpartition("/")[2]


def place(span: Span, folder: str = "") -> dict[str, Any]:
    """Where something stands, with its line."""
    line, column = span.source.position(span.start)
    return {
        "file": below(span.source.name, folder),
        "line": line,
        "column": column,
        "source": span.source.line_text(line).strip(),
    }


def _order(found: dict[str, Any]) -> tuple[Any, ...]:
    return found["file"], found["line"], found["column"], found.get("way", "")


def key_of(span: Span) -> Key:
    """What tells a place in the files from others."""
    return span.source.name, span.start, span.end


def statements_of(game: Game) -> Iterator[tuple[int, Key]]:
    """The instructions that a reader would call something that is done, with their places."""
    own = {key_of(procedure.span) for procedure in game.procedures}
    for at, node in enumerate(game.code):
        if _is_statement(node, own):
            yield at, key_of(node.span)


def _is_statement(node: Instruction, own: set[Key]) -> bool:
    """Whether a reader would call it something that is done."""
    if isinstance(node, _GLUE):
        return False
    if isinstance(node, model.Return | model.EndGame):
        # A `stop` or `end game` has a place of its own; the end of a procedure has the procedure's.
        return key_of(node.span) not in own
    return True


def _ways(game: Game, tally: Tally) -> dict[tuple[Key, str], Way]:
    """All ways of all forks, as a reader of the file tells them apart."""
    found: dict[tuple[Key, str], Way] = {}
    for arm, many in zip(arms(game), tally.arms, strict=True):
        node = game.code[arm.instruction]
        if isinstance(node, model.LoopNext) and node.loop.mode == "turns" and arm.to == node.done:
            # Turns go round until something else ends them.
            continue
        span, text = _told(game, node, arm.to, arm.instruction)
        way = found.setdefault((key_of(span), text), Way(span, text))
        way.taken = way.taken or many > 0
        if tally.reached[arm.instruction]:
            way.come_to = True
            after = game.code[arm.to]
            while isinstance(after, model.Jump):
                after = game.code[after.to]
            way.after.add(key_of(after.span))
    return found


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
                    return option.span, f"`{names_of(game)[option.action]}` was never chosen"
            return node.span, "there was always something to choose: `else` never came to pass"
        case _:
            raise AssertionError(f"{type(node).__name__} has one way")


# ------------------------------------------------------------------------------------ functions

_FOR_PEOPLE = frozenset(("hint", "ask", "span", "type"))


def ruling(game: Game) -> set[int]:
    """The functions on which play depends."""
    found: set[int] = set()
    waiting: list[Any] = [game.code, game.scoring]
    waiting += [family.refill for family in game.zones if family.refill is not None]
    while waiting:
        for number in functions_in(waiting.pop()):
            if number not in found:
                found.add(number)
                waiting.append(game.functions[number].body)
    return found


def functions_in(value: Any) -> Iterator[int]:
    """The functions that stand in a part of a game."""
    match value:
        case tuple():
            for each in value:
                yield from functions_in(each)
            return
        case model.FunctionCall(function=function):
            yield function
        case model.SlotCall(functions=functions):
            yield from functions
        case model.BuiltinCall(relation=int(relation)):
            yield relation
    if is_dataclass(value):
        for each in fields(value):
            if each.name not in _FOR_PEOPLE:
                inside = getattr(value, each.name)
                if isinstance(inside, tuple) or is_dataclass(inside):
                    yield from functions_in(inside)
