"""The library: the words that expressions may call, and what is known of each.

One row a word. The checker, the analyses, the executors, the page `docs/reference/library.md` and
the tests read it, so that nothing else lists words. A new word is a row here, its type rule
(`TYPE_RULES` in `rulerun_dsl.check.expr`), its meaning (`rulerun.reference`), its lowering
(`rulerun.compiled.lower`), its section on the page, whose examples are run, and a conformance case.

Most words stay in the model under their names, as the `word` of a `Quantifier` or a `BuiltinCall`.
Some rows have `is_written=False`: the model has a word of its own for another form of what is
written. Words that are no `node` are written out by their type rule, in expressions that the model
has anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from rulerun_dsl.source.frozen import frozen


@frozen
class Word:
    """A word of the library."""

    forms: tuple[str, ...]
    """How it is called, as people read it."""
    about: str
    """What it gives, in one line."""
    takes: tuple[int, int | None] = (1, 1)
    """The fewest and the most arguments; None: any number."""
    node: Literal["Quantifier", "BuiltinCall", ""] = ""
    """The class of the model that keeps it by name."""
    is_written: bool = True
    """Whether rules call it by this name."""
    wants_values: bool = False
    """It asks for a value of each member (`e for x in S`), and takes no filter alone."""
    has_keys: bool = False
    """It compares members by keys (`by k then m`)."""
    can_fail: bool = False
    """It can be a rule error, its arguments aside. Where that is not plain, it counts as one."""
    fold: Callable[[list[int]], int | None] | None = None
    """Works out what it gives of values that are constant (None: nothing that can be known)."""
    searches: bool = False
    """It goes through a graph, and so may take long."""
    is_relative: bool = False
    """It gives a collection in which one member depends on others."""
    reorders: bool = False
    """It gives the members of its first argument in another order."""


def _any(values: list[int]) -> int:
    return int(any(values))


def _all(values: list[int]) -> int:
    return int(all(values))


def _max(values: list[int]) -> int | None:
    return max(values, default=None)


def _min(values: list[int]) -> int | None:
    return min(values, default=None)


LIBRARY: dict[str, Word] = {
    # ------------------------------------------------------------------------- collections
    "count": Word(
        ("count(S)", "count(x in S if c)"),
        "how many there are",
        node="Quantifier",
        fold=len,
    ),
    "empty": Word(("empty(S)", "empty(x in S if c)"), "whether there is nothing"),
    "any": Word(
        ("any(e for x in S if c)",),
        "whether a condition holds for one of them",
        node="Quantifier",
        wants_values=True,
        fold=_any,
    ),
    "all": Word(
        ("all(e for x in S if c)",),
        "whether a condition holds for each of them",
        node="Quantifier",
        wants_values=True,
        fold=_all,
    ),
    "sum": Word(
        ("sum(e for x in S if c)", "sum(S)"),
        "the sum of numbers, 0 of nothing",
        node="Quantifier",
        wants_values=True,
        can_fail=True,
        fold=sum,
    ),
    "max": Word(
        ("max(e for x in S if c)", "max(a, b, …)"),
        "the greatest of numbers; of nothing a rule error",
        takes=(1, None),
        node="Quantifier",
        wants_values=True,
        can_fail=True,
        fold=_max,
    ),
    "min": Word(
        ("min(e for x in S if c)", "min(a, b, …)"),
        "the least of numbers; of nothing a rule error",
        takes=(1, None),
        node="Quantifier",
        wants_values=True,
        can_fail=True,
        fold=_min,
    ),
    "first": Word(
        ("first(S)", "first(x in S if c)"),
        "the first member, or none of nothing",
        node="Quantifier",
    ),
    "last": Word(
        ("last(S)", "last(x in S if c)"),
        "the last member, or none of nothing",
        node="Quantifier",
    ),
    "those": Word(
        ("those(x in S if c)", "those(e for x in S if c)"),
        "the members that pass, or a value for each",
        node="Quantifier",
    ),
    "highest": Word(
        ("highest(x in S if c by k then m)", "highest(n, x in S if c by k)"),
        "the member whose key is highest, or none of nothing; the n best, the best first",
        takes=(1, 2),
        node="Quantifier",
        has_keys=True,
        can_fail=True,
    ),
    "lowest": Word(
        ("lowest(x in S if c by k then m)", "lowest(n, x in S if c by k)"),
        "the member whose key is lowest, or none of nothing; the n lowest, the lowest first",
        takes=(1, 2),
        node="Quantifier",
        has_keys=True,
        can_fail=True,
    ),
    "highest_few": Word(
        ("highest(n, x in S if c by k)",),
        "the n best, the best first",
        node="Quantifier",
        is_written=False,
        can_fail=True,
        is_relative=True,
    ),
    "lowest_few": Word(
        ("lowest(n, x in S if c by k)",),
        "the n lowest, the lowest first",
        node="Quantifier",
        is_written=False,
        can_fail=True,
        is_relative=True,
    ),
    "all_highest": Word(
        ("all_highest(x in S if c by k)",),
        "all who tie for highest",
        node="Quantifier",
        has_keys=True,
        can_fail=True,
        is_relative=True,
    ),
    "all_lowest": Word(
        ("all_lowest(x in S if c by k)",),
        "all who tie for lowest",
        node="Quantifier",
        has_keys=True,
        can_fail=True,
        is_relative=True,
    ),
    "reverse": Word(
        ("reverse(S)",), "the collection from its end", node="BuiltinCall", reorders=True
    ),
    "around": Word(
        ("around(S, x)",),
        "the collection as a ring, beginning with x",
        takes=(2, 2),
        node="BuiltinCall",
        reorders=True,
    ),
    "at": Word(
        ("ORDER[n]",),
        "the member at place n of an order, from 1",
        node="BuiltinCall",
        is_written=False,
        can_fail=True,
    ),
    "packed": Word(
        ("SET = S",),
        "a collection as a set",
        node="BuiltinCall",
        is_written=False,
        can_fail=True,
    ),
    "prefix": Word(
        ("x in S while c",),
        "the members before the first for which a condition does not hold",
        node="BuiltinCall",
        is_written=False,
        can_fail=True,
        is_relative=True,
    ),
    # ----------------------------------------------------------------------------- players
    "clockwise": Word(("clockwise(p)",), "the players from p on round the table"),
    "others": Word(("others(p)",), "the players round the table that come after p"),
    "next": Word(
        ("next(p)", "next(p, n)"), "the player one seat, or n seats, on from p", takes=(1, 2)
    ),
    "opponent": Word(("opponent(p)",), "the other player of two"),
    "seat": Word(("seat(p)",), "the number of a player's seat, from 1"),
    "player": Word(("player(n)",), "the player with a number from 0, round and round"),
    # ----------------------------------------------------------------------------- numbers
    "abs": Word(("abs(n)",), "the distance of a number from 0"),
    "index": Word(("index(x)",), "the place of a value among those of its type, from 0"),
    # ------------------------------------------------------------------------------ boards
    "site": Word(
        ("BOARD(row, column)",),
        "the site there, or none",
        node="BuiltinCall",
        is_written=False,
        can_fail=True,
    ),
    "go": Word(
        ("go(s, d)", "go(s, d, n)"),
        "the site one step, or n steps, from s in direction d, or none",
        takes=(2, 3),
        node="BuiltinCall",
    ),
    "ray": Word(
        ("ray(s, d)",),
        "the sites from s on in direction d, the next one first",
        takes=(2, 2),
        node="BuiltinCall",
    ),
    "opposite": Word(("opposite(d)",), "the direction that leads back"),
    "neighbours": Word(("neighbours(s)",), "the sites that touch s", node="BuiltinCall"),
    "distance": Word(
        ("distance(s, t)", "distance(a, b by f)"),
        "how many steps lead from s to t, or none",
        takes=(2, 2),
        node="BuiltinCall",
        can_fail=True,
        searches=True,
    ),
    "reach": Word(
        ("reach(A, s in S if c)", "reach(A by f)"),
        "all that can be reached from A, A with it",
        takes=(2, 2),
        node="BuiltinCall",
        can_fail=True,
        searches=True,
        is_relative=True,
    ),
    "line": Word(
        ("line(n, s in S if c)",),
        "whether n sites in a row pass",
        takes=(2, 2),
        node="BuiltinCall",
        can_fail=True,
        searches=True,
    ),
    "path": Word(
        ("path(A, B, s in S if c)",),
        "whether a chain of neighbours that pass joins A and B",
        takes=(3, 3),
        node="BuiltinCall",
        can_fail=True,
        searches=True,
    ),
    "where": Word(("where(c)",), "the site where the component c lies, or none"),
    # ------------------------------------------------------------------------------- rules
    "times": Word(("times(HISTORY)",), "how often this position is among those remembered"),
    "running": Word(("running(PROC)",), "whether a procedure is on the way from the game to here"),
    "share_of_win": Word(
        ("share_of_win(p)",),
        "in `returns`: 1 divided among those who have won, 0 for the others",
        node="BuiltinCall",
        can_fail=True,
    ),
    "winner": Word(
        ("winner",),
        "in `returns`: who has won, if it is one player",
        node="BuiltinCall",
        is_written=False,
        can_fail=True,
    ),
}

WORDS = frozenset(name for name, word in LIBRARY.items() if word.is_written)
"""The words that rules call by name."""
