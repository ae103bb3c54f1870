"""The parser as data: made from the grammar once, read at every start.

Assumes: `grammar.lark`, and beside it `grammar.json`, which holds the tables that Lark computed
from it.
Does: reads the tables, or computes them where they are of another grammar or of another Lark.
Leaves behind: a `Lark` that calls the methods of a builder.

Computing the tables takes longer than everything else that happens before a game starts; reading
them takes a few milliseconds. They are JSON and lie in the package, so nothing is unpickled and no
directory is searched that others can write to. After a change of the grammar:

    python -m rulerun_dsl.syntax.parser_tables
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import lark
from lark import Lark
from lark.grammar import Rule
from lark.lexer import TerminalDef

STARTS = (
    "block",
    "test",
    "binders",
    "loops",
    "signature",
    "indexed",
    "declared",
    "type",
    "winner",
    "every",
    "call_item",
)

TABLES = "grammar.json"

_RESERVED = re.compile(r"^\w+\.3: /([a-z]+)\\b/$", re.MULTILINE)

# How Lark writes the action of a state; the other is to reduce.
SHIFT = 0


@cache
def grammar_text() -> str:
    """Return the grammar as it is shipped."""
    return files("rulerun_dsl.syntax").joinpath("grammar.lark").read_text(encoding="utf-8")


def reserved_words() -> frozenset[str]:
    """Return the words that are never names: those of the terminals of priority 3."""
    return _reserved_words(grammar_text())


@cache
def _reserved_words(grammar: str) -> frozenset[str]:
    return frozenset(_RESERVED.findall(grammar))


def fingerprint() -> str:
    """Return what tables must have been made from to be of use here."""
    made_from = "\n".join((lark.__version__, *STARTS, grammar_text()))
    return hashlib.sha256(made_from.encode()).hexdigest()


def build_parser(builder: object | None = None, *, strict: bool = False) -> Lark:
    """Compute the parser from the grammar."""
    words = "|".join(sorted(reserved_words()))
    return Lark(
        grammar_text().replace("(?:RESERVED)", f"(?:{words})"),
        start=list(STARTS),
        parser="lalr",
        lexer="contextual",
        strict=strict,
        maybe_placeholders=False,
        transformer=builder,
    )


def load_parser(builder: object) -> Lark:
    """Read the parser from the tables, or compute it if they do not fit."""
    tables = read_tables()
    if tables is None or tables["made_from"] != fingerprint():
        return build_parser(builder)
    # Not a documented method, but what Lark's own standalone parsers are loaded by; the tables fit
    # this very version of it.
    loaded: Any = Lark
    parser: Lark = loaded._load_from_dict(tables["data"], tables["memo"], transformer=builder)
    return parser


def read_tables() -> Any:
    """Return the tables that are shipped, or nothing if there are none that can be read."""
    try:
        text = files("rulerun_dsl.syntax").joinpath(TABLES).read_text(encoding="utf-8")
        return json.loads(text, object_hook=_with_numbers)
    except (OSError, ValueError):
        return None


def _with_numbers(found: dict[str, Any]) -> dict[Any, Any]:
    """Give back to a mapping the numbers that JSON keeps as texts."""
    for key in found:
        if not key.isdigit():
            return found
    return {int(key): value for key, value in found.items()}


def tables_text() -> str:
    """Return the text of the file of tables, the same for the same grammar."""
    data, memo = build_parser().memo_serialize([TerminalDef, Rule])
    automaton = data["parser"]["parser"]
    automaton.update(_in_order(automaton))
    tables = {"made_from": fingerprint(), "data": data, "memo": memo}
    # A line for each state, so that a change of the grammar can be read as one.
    return json.dumps(tables, separators=(",", ":")).replace("]},", "]},\n") + "\n"


def _in_order(automaton: dict[str, Any]) -> dict[str, Any]:
    """Number the states in the order in which they are reached, and the symbols by name.

    Lark numbers them in the order of a set, so differently each time.
    """
    names: dict[int, str] = automaton["tokens"]
    symbols = {name: number for number, name in enumerate(sorted(names.values()))}
    states: dict[int, dict[int, tuple[int, Any]]] = automaton["states"]
    reached = [automaton["start_states"][start] for start in STARTS]
    numbers = {state: number for number, state in enumerate(reached)}
    ordered: dict[int, dict[int, tuple[int, Any]]] = {}
    for state in reached:
        actions = {}
        for symbol, (action, to) in sorted(states[state].items(), key=lambda x: names[x[0]]):
            if action == SHIFT:
                if to not in numbers:
                    numbers[to] = len(reached)
                    reached.append(to)
                to = numbers[to]
            actions[symbols[names[symbol]]] = (action, to)
        ordered[numbers[state]] = actions
    return {
        "tokens": {number: name for name, number in symbols.items()},
        "states": ordered,
        **{
            ends: {start: numbers[automaton[ends][start]] for start in STARTS}
            for ends in ("start_states", "end_states")
        },
    }


def main() -> None:
    """Write the tables beside the grammar."""
    path = Path(str(files("rulerun_dsl.syntax").joinpath(TABLES)))
    path.write_text(tables_text(), encoding="utf-8")


if __name__ == "__main__":
    main()
