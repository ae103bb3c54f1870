"""Rulesets of functions inside functions, made up: what binds names, in every order there is.

A ruleset has a board, a few variables, and functions with many parameters that call one another
and go over collections inside collections. All functions and clauses take their names from one
short list, and what is declared stands in any order: so whatever an executor calls what it holds,
two things that it may take for one soon meet. Nothing else is asked of these rulesets but that all
executors agree on them (law 14).

`ruleset(number)` is always the same text. Some of them run into rule errors; all load.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass

NAMES = ("s", "t", "u", "v", "w", "k", "m")
"""What parameters and clauses are called, whichever function they are in."""
SHAPES = (
    "{shape: grid, rows: 3, columns: 3, directions: orthogonal}",
    '{shape: grid, rows: 3, columns: 3, only: "row != 2 or column != 2"}',
    "{shape: hex, rows: 3, columns: 2}",
    "{shape: ring, size: 6}",
    "{shape: line, size: 5}",
)
WAYS = {
    "grid": ("north", "east"),
    "hex": ("west", "south_east"),
    "ring": ("forward",),
    "line": ("back",),
}
SITES = ("sites", "ordered")
COSTLY = 3000
"""No expression evaluates more parts than this, roughly."""

_ASKED = {
    "point": "stone[{0}] is none",
    "number": "{0} < 3",
    "player": "stone[at] == {0}",
    "maybe": "{0} in point",
}
"""What hangs on a parameter."""
_NUMBER = {
    "number": "{0}",
    "truth": "(1 if {0} else 0)",
    "sites": "count({0})",
    "ordered": "count({0})",
    "maybe": "count(({0}, at))",
    "point": "index({0})",
    "player": "seat({0})",
}
"""A number that hangs on a value."""

Scope = dict[str, str]
"""By name: what it holds."""


@dataclass(frozen=True)
class Function:
    """A function that there is."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    """Name and what it holds."""
    gives: str
    cost: int


@dataclass(frozen=True)
class Text:
    """An expression, and how many parts are evaluated, roughly."""

    text: str
    cost: int = 1


class Nest:
    """Makes one ruleset."""

    def __init__(self, number: int) -> None:
        """Everything follows from a number."""
        self.luck = random.Random(number)
        self.functions: list[Function] = []
        self.shape = self.one(*SHAPES)
        self.kind = next(kind for kind in WAYS if f"shape: {kind}" in self.shape)
        self.first = "point_1" if self.kind in ("ring", "line") else "r1c1"
        self.risky = self.luck.random() < 0.25
        self.small = self.luck.random() < 0.8
        """In a small ruleset numbers are small: those that mean different things soon meet."""

    def one(self, *items: str) -> str:
        """Any of these."""
        return self.luck.choice(items)

    # ------------------------------------------------------------------------- expressions

    def make(self, gives: str, scope: Scope, deep: int) -> Text:
        """An expression that gives something; a plain one if there is no room for another."""
        ways = getattr(self, f"_{gives}")(scope)
        plain: list[Text] = ways[0]
        if deep <= 0:
            return self.luck.choice(plain)
        for _ in range(4):
            if self.luck.random() < 0.15:
                return self.luck.choice(plain)
            if self.functions and self.luck.random() < (0.7 if gives in SITES else 0.3):
                found = self._call(gives, scope, deep)
                if found is not None and found.cost <= COSTLY:
                    return found
            made: Callable[[int], Text] = self.luck.choice(ways[1])
            found = made(deep - 1)
            if found.cost <= COSTLY:
                return found
        return self.luck.choice(plain)

    def _call(self, gives: str, scope: Scope, deep: int) -> Text | None:
        fitting = [
            each
            for each in self.functions
            if each.gives == gives or (each.gives == "ordered" and gives == "sites")
        ]
        if not fitting:
            return None
        function = self.luck.choice(fitting)
        given = [self.make(holds, scope, deep - 1) for _, holds in function.parameters]
        cost = function.cost + sum(each.cost for each in given)
        if not given:
            return Text(function.name, cost)
        return Text(f"{function.name}({', '.join(each.text for each in given)})", cost)

    def join(self, form: str, *parts: Text) -> Text:
        """Parts put into a form."""
        return Text(
            form.format(*(each.text for each in parts)), 1 + sum(each.cost for each in parts)
        )

    def over(
        self, form: str, source: str, scope: Scope, deep: int, *gives: str, holds: str = "point"
    ) -> Text:
        """Parts that are evaluated for each member: `{0}` is the name, `{1}` the source.

        One that is marked by `^` does not see the member.
        """
        free = [name for name in NAMES if name not in scope]
        if not free:
            return Text("x", COSTLY + 1)
        name = self.luck.choice(free)
        called = self._call(source, scope, 1) if self.luck.random() < 0.7 else None
        among = called or self.make(source, scope, deep)
        if source == "sites" and self.luck.random() < 0.1:
            among = Text("marked")
        inner = {**scope, name: holds}
        parts = [
            self.make(each.strip("^"), scope if each[0] == "^" else inner, deep) for each in gives
        ]
        cost = 1 + among.cost + 9 * (1 + sum(each.cost for each in parts))
        return Text(form.format(name, among.text, *(each.text for each in parts)), cost)

    def named(self, scope: Scope, *holds: str) -> list[Text]:
        """The names that hold one of these."""
        return [Text(name) for name, held in scope.items() if held in holds]

    def _number(self, scope: Scope) -> tuple[list[Text], list[Callable[[int], Text]]]:
        def make(*gives: str) -> Callable[[int], list[Text]]:
            return lambda deep: [self.make(each, scope, deep) for each in gives]

        def form(text: str, *gives: str) -> Callable[[int], Text]:
            return lambda deep: self.join(text, *make(*gives)(deep))

        def over(
            text: str, source: str, *gives: str, holds: str = "point"
        ) -> Callable[[int], Text]:
            return lambda deep: self.over(text, source, scope, deep, *gives, holds=holds)

        reckoned = Text(f"((clock + {self.luck.randrange(6)}) % 6)")
        plain = [reckoned, *2 * self.named(scope, "number"), Text("clock")]
        ways = [
            form("count({0})", "sites"),
            form("abs({0} - {1})", "number", "number"),
            form("({0} + {1}) % 7", "number", "number"),
            form("max({0}, {1})", "number", "number"),
            form("index({0})", "point"),
            form("seat({0})", "player"),
            form("n[{0}]", "player"),
            form("worth[({0}) % 6]", "number"),
            form("({0} if {1} else {2})", "number", "truth", "number"),
            form("(distance({0}, {1}) otherwise {2})", "point", "point", "number"),
            over("count({0} in {1} if {2})", "sites", "truth"),
            over("sum({2} for {0} in {1})", "sites", "number"),
            over("sum({2} for {0} in {1} if {3})", "sites", "number", "truth"),
            over("count({0} in {1} if {2})", "players", "truth", holds="player"),
            over("sum({2} for {0} in {1})", "numbers", "number", holds="number"),
            over("count({0} in {1} while {2})", "ordered", "truth"),
            over("sum({2} for {0} in {1} while {3} if {4})", "ordered", "number", "truth", "truth"),
            form("({0} after lay({1}, {2}))", "number", "point", "player"),
        ]
        if self.risky:
            ways += [
                over("max({2} for {0} in {1} if {3})", "sites", "number", "truth"),
                form("worth[{0}]", "number"),
                form("({0} // {1})", "number", "number"),
            ]
        return plain, ways

    def _truth(self, scope: Scope) -> tuple[list[Text], list[Callable[[int], Text]]]:
        def form(text: str, *gives: str) -> Callable[[int], Text]:
            return lambda deep: self.join(text, *(self.make(each, scope, deep) for each in gives))

        def over(
            text: str, source: str, *gives: str, holds: str = "point"
        ) -> Callable[[int], Text]:
            return lambda deep: self.over(text, source, scope, deep, *gives, holds=holds)

        plain = [
            form(text, *gives)(0)
            for text, *gives in (
                ("stone[{0}] is none", "point"),
                ("stone[{0}] == {1}", "point", "player"),
                ("{0} < {1}", "number", "number"),
                ("{0} == {1}", "point", "point"),
            )
        ]
        ways = [
            form("{0} < {1}", "number", "number"),
            form("{0} == {1}", "number", "number"),
            form("{0} == {1}", "point", "maybe"),
            form("stone[{0}] == {1}", "point", "player"),
            form("stone[{0}] != stone[{1}]", "point", "point"),
            form("{0} in {1}", "maybe", "sites"),
            form("{0} in {1}", "number", "numbers"),
            form("({0} and {1})", "truth", "truth"),
            form("({0} or {1})", "truth", "truth"),
            form("not ({0})", "truth"),
            over("any({2} for {0} in {1})", "sites", "truth"),
            over("all({2} for {0} in {1} if {3})", "sites", "truth", "truth"),
            over("any({2} for {0} in {1})", "players", "truth", holds="player"),
            over("all({2} for {0} in {1})", "numbers", "truth", holds="number"),
            over("any({2} for {0} in {1} while {3})", "ordered", "truth", "truth"),
            form("({0} after lay({1}, {2}))", "truth", "point", "player"),
        ]
        if self.kind != "ring":
            ways.append(
                over("path({2}, {3}, {0} in {1} if {4})", "sites", "^sites", "^point", "truth")
            )
            ways.append(over("line(2, {0} in {1} if {2})", "sites", "truth"))
        return plain, ways

    def _point(self, scope: Scope) -> tuple[list[Text], list[Callable[[int], Text]]]:
        def form(text: str, *gives: str) -> Callable[[int], Text]:
            return lambda deep: self.join(text, *(self.make(each, scope, deep) for each in gives))

        plain = [*3 * self.named(scope, "point"), Text("at")]
        ways = [
            form("({0} otherwise {1})", "maybe", "point"),
            form("({0} if {1} else {2})", "point", "truth", "point"),
        ]
        if self.risky:
            ways.append(form("the {0}", "maybe"))
        return plain, ways

    def _maybe(self, scope: Scope) -> tuple[list[Text], list[Callable[[int], Text]]]:
        def form(text: str, *gives: str) -> Callable[[int], Text]:
            return lambda deep: self.join(text, *(self.make(each, scope, deep) for each in gives))

        def over(text: str, source: str, *gives: str) -> Callable[[int], Text]:
            return lambda deep: self.over(text, source, scope, deep, *gives)

        plain = [*2 * self.named(scope, "maybe"), Text("last_at"), *self.named(scope, "point")]
        way = self.one(*WAYS[self.kind])
        ways = [
            form(f"go({{0}}, {way})", "maybe"),
            form(f"go({{0}}, {way}, {{1}} - 3)", "maybe", "number"),
            form(f"go({{0}}, {way}, -1)", "point"),
            form("first({0})", "ordered"),
            form("last({0})", "ordered"),
            over("first({0} in {1} if {2})", "ordered", "truth"),
            over("first({2} for {0} in {1})", "ordered", "maybe"),
            over("last({0} in {1} if {2})", "ordered", "truth"),
            over("highest({0} in {1} by {2})", "sites", "number"),
            over("lowest({0} in {1} if {3} by {2} then index({0}))", "sites", "number", "truth"),
        ]
        return plain, ways

    def _player(self, scope: Scope) -> tuple[list[Text], list[Callable[[int], Text]]]:
        def form(text: str, *gives: str) -> Callable[[int], Text]:
            return lambda deep: self.join(text, *(self.make(each, scope, deep) for each in gives))

        def over(text: str, source: str, *gives: str) -> Callable[[int], Text]:
            return lambda deep: self.over(text, source, scope, deep, *gives, holds="player")

        plain = [*2 * self.named(scope, "player"), Text("who")]
        return plain, [
            form("next({0})", "player"),
            form("player({0})", "number"),
            form("(stone[{0}] otherwise {1})", "point", "player"),
            over("(highest({0} in {1} by {2}) otherwise who)", "players", "number"),
            over("(first({0} in {1} if {2}) otherwise who)", "players", "truth"),
        ]

    def _players(self, scope: Scope) -> tuple[list[Text], list[Callable[[int], Text]]]:
        def form(text: str, *gives: str) -> Callable[[int], Text]:
            return lambda deep: self.join(text, *(self.make(each, scope, deep) for each in gives))

        return [Text("players")], [form("clockwise({0})", "player"), form("others({0})", "player")]

    def _numbers(self, scope: Scope) -> tuple[list[Text], list[Callable[[int], Text]]]:
        def form(text: str, *gives: str) -> Callable[[int], Text]:
            return lambda deep: self.join(text, *(self.make(each, scope, deep) for each in gives))

        return [Text("(0..3)"), Text("seen")], [
            form("(0..({0}) % 4)", "number"),
            form("({0}, {1})", "number", "number"),
            lambda deep: self.over("those({2} for {0} in {1})", "sites", scope, deep, "number"),
        ]

    def _ordered(self, scope: Scope) -> tuple[list[Text], list[Callable[[int], Text]]]:
        def form(text: str, *gives: str) -> Callable[[int], Text]:
            return lambda deep: self.join(text, *(self.make(each, scope, deep) for each in gives))

        def over(text: str, source: str, *gives: str) -> Callable[[int], Text]:
            return lambda deep: self.over(text, source, scope, deep, *gives)

        return [Text("point"), form("neighbours({0})", "point")(0)], [
            form("neighbours({0})", "point"),
            form(f"ray({{0}}, {self.one(*WAYS[self.kind])})", "point"),
            form("({0}, {1})", "point", "maybe"),
            over("those({0} in {1} while {2})", "ordered", "truth"),
            form("reverse({0})", "ordered"),
            form("around({0}, {1})", "ordered", "point"),
            form("({0} if {1} else {2})", "ordered", "truth", "ordered"),
            over("those({0} in {1} if {2})", "ordered", "truth"),
        ]

    def _sites(self, scope: Scope) -> tuple[list[Text], list[Callable[[int], Text]]]:
        def form(text: str, *gives: str) -> Callable[[int], Text]:
            return lambda deep: self.join(text, *(self.make(each, scope, deep) for each in gives))

        def over(text: str, source: str, *gives: str) -> Callable[[int], Text]:
            return lambda deep: self.over(text, source, scope, deep, *gives)

        plain, ways = self._ordered(scope)
        return plain, [
            *ways,
            form("({0} + {1})", "sites", "sites"),
            form("({0} otherwise {1})", "sites", "sites"),
            over("reach({2}, {0} in {1} if {3})", "sites", "^point", "truth"),
            over("reach({2}, {0} in {1} if {3})", "sites", "^sites", "truth"),
            over("those({0} in {1} if {2})", "sites", "truth"),
            over("those({2} for {0} in {1})", "sites", "point"),
            over("highest(2, {0} in {1} by {2})", "sites", "number"),
            over("all_lowest({0} in {1} by {2})", "sites", "number"),
            lambda deep: self.related(scope, deep),
        ]

    def related(self, scope: Scope, deep: int) -> Text:
        """What can be reached by a relation of the rules' own."""
        fitting = [
            each
            for each in self.functions
            if each.gives in (*SITES, "maybe") and each.parameters
            if each.parameters[-1][1] == "point"
        ]
        if not fitting:
            return Text("x", COSTLY + 1)
        function = self.luck.choice(fitting)
        start = self.make("point", scope, deep)
        given = [self.make(holds, scope, deep) for _, holds in function.parameters[:-1]]
        inside = f"({', '.join(each.text for each in given)})" if given else ""
        cost = start.cost + 9 * (function.cost + sum(each.cost for each in given))
        return Text(f"reach({start.text} by {function.name}{inside})", cost)

    # ------------------------------------------------------------------------- declarations

    def function(self, name: str) -> str:
        """The text of one function more."""
        kinds = ("point", "point", "point", "number", "player", "maybe")
        names = self.luck.sample(NAMES, self.luck.choice((0, 1, 1, 1, 2, 2, 3, 4)))
        parameters = tuple((each, self.one(*kinds)) for each in names)
        gives = self.one("number", "truth", *3 * SITES, "maybe", "point", "player")
        scope, before = dict(parameters), ""
        if self.luck.random() < 0.3:
            # Another name, for a value of these.
            held = self.one("number", "maybe", "player")
            value = self.make(held, scope, 1)
            before, scope = f'"let y = {value.text}", ', {**scope, "y": held}
        body = self.make(gives, scope, 2 if self.small else 3)
        if before:
            other = self.make(gives, dict(parameters), 0)
            asked = _ASKED[held].format("y")
            body = Text(f"({body.text} if {asked} else {other.text})", body.cost + value.cost)
        for each, holds in parameters:
            if not re.search(rf"\b{each}\b", body.text):
                other = self.make(gives, dict(parameters), 0)
                body = Text(
                    f"({body.text} if {_ASKED[holds].format(each)} else {other.text})", body.cost
                )
        cost = body.cost
        self.functions.append(Function(name, parameters, gives, cost))
        types = {"point": "point", "number": "0..999", "player": "player", "maybe": "point or none"}
        listed = ", ".join(f"{types[holds]} {each}" for each, holds in parameters)
        text = f'[{before}"{body.text}"]' if before else f'"{body.text}"'
        return f"{name}{f'({listed})' if listed else ''}: {text}"

    def asked(self, function: Function) -> str:
        """A number that hangs on a function."""
        scope = {"p": "player"}
        given = ", ".join(self.make(holds, scope, 1).text for _, holds in function.parameters)
        return _NUMBER[function.gives].format(
            f"{function.name}({given})" if given else function.name
        )

    def shuffled(self, lines: list[str]) -> list[str]:
        """In any order."""
        return self.luck.sample(lines, len(lines))

    def ruleset(self) -> str:
        """The text."""
        many = self.luck.randrange(2, 5) if self.small else self.luck.randrange(3, 10)
        functions = [self.function(name) for name in self.luck.sample(_FUNCTIONS, many)]
        choices = {
            "s in point": {"s": "point"},
            "s in point, 0..3 k": {"s": "point", "k": "number"},
            "s in point, t in neighbours(s)": {"s": "point", "t": "point"},
        }
        choice = self.one(*choices)
        here = {**choices[choice], "you": "player"}
        wanted = 1 if self.small else 2
        conditions = [self.make("truth", here, 3 - wanted).text for _ in range(wanted)]
        body = [
            f"stone[s] = {self.make('player', here, 2).text}",
            f"n[you] = ({self.make('number', here, 3).text}) % 10",
            f"at = {self.make('point', here, 3).text}",
            f"last_at = {self.make('maybe', here, 3).text}",
            f"marked = {self.make('sites', here, 2).text}",
            f"seen = those(z % 8 for z in {self.make('numbers', here, 2).text})",
            f"who = {self.make('player', here, 3).text}",
        ]
        state = [
            "stone[point]: player or none",
            "n[player]: 0..9",
            f"at: point = {self.first}",
            "last_at: point or none",
            "marked: set of point",
            "seen: set of 0..7",
            "who: player",
            "clock: 0..9",
        ]
        most = self.luck.randrange(1, 4) if self.small else self.luck.randrange(3, 8)
        lines = 0 if self.small else 2
        sections = {
            "boards": [f"point: {self.shape}"],
            "tables": ["worth[0..5]: {rows: {0: 3, 1: 0, 2: 5, 3: 1, 4: 4, 5: 1}}"],
            "state": ["visible: all", *self.shuffled(state)],
            "phases": [
                "play:",
                "  turns: you in players",
                "  until: clock >= 7",
                "  do:",
                "    - choose:",
                f"        put({choice}):",
                "          when:",
                *(f'            - "{each}"' for each in conditions),
                "          do:",
                *(f"            - {each}" for each in self.shuffled(body)[:most]),
                "        wait: pass",
                "    - clock += 1",
            ],
            "procedures": ["lay(point s, player p): stone[s] = p; at = s; clock = (clock + 1) % 9"],
            "functions": [f"{name}: {text}" for name, text in _cut(self.shuffled(functions))],
            "always": ["lain: count(s in point if stone[s] == who) >= 0 after lay(at, who)"],
            "scoring": [
                "points(player p):",
                *(
                    f'  line{at}: "{self.make("number", {"p": "player"}, 3).text}"'
                    for at in range(lines)
                ),
                "  held: n[p] + count(s in point if stone[s] == p) + count(marked) + count(seen)",
                "  last: count((last_at, at)) + worth[clock % 6] + index(at) + seat(who)",
                *(f'  {each.name}: "{self.asked(each)}"' for each in self.functions),
            ],
        }
        text = ["rulerun: 1", "game: nested", "players: 2"]
        for name in self.shuffled(list(sections)):
            text += [f"{name}:", *(f"  {line}" for line in sections[name])]
        return "\n".join(text) + "\n"


_FUNCTIONS = ("chain", "east_of", "x", "f", "group", "lists", "count_of", "x12", "best", "reach_of")


def _cut(functions: list[str]) -> list[tuple[str, str]]:
    """Signature and body."""
    cut = (each.partition(": ") for each in functions)
    return [(name, text) for name, _, text in cut]


def ruleset(number: int) -> str:
    """The ruleset with a number."""
    return Nest(number).ruleset()
