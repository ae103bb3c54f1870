"""Hypothesis strategies: random syntax trees, as the parser could have made them.

Names are drawn also from the words of the language that are not reserved, since an author may use
them as names. Where such a word would be ambiguous (`move up to …`), only plain names are drawn.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from rulerun_dsl.source.spans import Source
from rulerun_dsl.syntax import expressions as ast
from rulerun_dsl.syntax import statements as stmt

SPAN = Source("made up", "").span(0)

PLAIN = ("a", "b", "hand", "deck", "p", "fox_2", "X", "in_hand", "nothing", "iffy", "ally")
SOFT = (
    "from by move stop pass roll first show until then to with let give end game won at random "
    "sort swap shuffle reset remember pick set order highest lowest count empty"
).split()

plain_names = st.sampled_from(PLAIN)
names = plain_names | st.sampled_from(SOFT)


def build(kind: Any, *fields: Any, **named: Any) -> st.SearchStrategy[Any]:
    """A strategy for nodes of a class, without a place."""
    return st.builds(kind, st.just(SPAN), *fields, **named)


def several(each: st.SearchStrategy[Any], low: int, high: int = 3) -> st.SearchStrategy[Any]:
    """A strategy for tuples."""
    return st.lists(each, min_size=low, max_size=high).map(tuple)


def leaves(words: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """Expressions without parts."""
    return st.one_of(
        build(ast.Name, words),
        build(ast.Number, st.integers(0, 300)),
        build(ast.Truth, st.booleans()),
        build(ast.Nothing),
        build(ast.You),
        build(ast.This),
        build(ast.KindName, plain_names),
    )


def grown(part: st.SearchStrategy[Any], words: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """Expressions one level above their parts."""
    everybody = build(ast.All)
    membership = build(ast.Membership, build(ast.Name, words), part, st.just(False))
    filtered = st.one_of(
        build(ast.Filtered, part | membership, part, several(part, 0, 2), st.none() | part),
        build(ast.Filtered, part | membership, st.none(), several(part, 1, 2), st.none() | part),
    )
    maybe = st.none() | part
    clause = build(ast.ForClause, words | st.just("you"), part, maybe, maybe)
    comprehension = build(ast.Comprehension, part, several(clause, 1, 2))
    argument = part | membership | filtered | comprehension
    some = several(argument, 1, 2).map(unambiguous)
    given = st.just(()) | some
    return st.one_of(
        build(ast.ListOf, several(part, 2)),
        build(ast.Unary, st.sampled_from(("not", "-")), part),
        build(ast.Binary, st.sampled_from(("+", "-", "*", "//", "/", "%", "**")), part, part),
        build(ast.Compare, st.sampled_from(("==", "!=", "<", "<=", ">", ">=")), part, part),
        build(ast.Membership, part, part, st.booleans()),
        build(ast.Is, part, part, st.booleans()),
        build(ast.Logic, st.sampled_from(("and", "or")), several(part, 2)),
        build(ast.After, part, part),
        build(ast.IfElse, part | everybody, part, part | everybody),
        build(ast.Otherwise, part, part),
        build(ast.Range, part, part),
        build(ast.Attribute, part, words),
        build(ast.RuleCall, part, words, given),
        build(ast.Index, part, several(part | everybody, 1, 2)),
        build(ast.The, part),
        build(ast.ComponentsOf, plain_names, part),
        build(ast.Call, words, st.just(SPAN), given),
        build(ast.Call, st.just("all"), st.just(SPAN), some),
    )


def unambiguous(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Leave a comprehension only in the last place: `f(e for x in S, y in T)` is refused."""
    first = [each for each in given[:-1] if not isinstance(each, ast.Comprehension)]
    return (*first, given[-1])


def growing(words: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    """Expressions of any depth over these names."""
    return st.recursive(leaves(words), lambda part: grown(part, words), max_leaves=8)


plain_expressions = growing(plain_names)
expressions = growing(names)
tests = expressions | build(ast.All)

simple_types: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        build(ast.NamedType, names),
        build(ast.KindType, plain_names),
        build(ast.RangeType, plain_expressions, plain_expressions),
        build(ast.OrderType, plain_names),
    ),
    lambda part: build(ast.SetType, part),
    max_leaves=2,
)
types = simple_types | build(ast.OptionalType, simple_types)

moves = st.one_of(
    build(
        stmt.Move,
        st.none(),
        st.just(False),
        plain_expressions,
        st.none(),
        st.none(),
        plain_expressions,
    ),
    build(
        stmt.Move,
        st.just("all"),
        st.just(False),
        plain_expressions,
        st.none() | plain_expressions,
        st.none(),
        plain_expressions,
    ),
    build(
        stmt.Move,
        plain_expressions,
        st.booleans(),
        st.none(),
        st.none(),
        plain_expressions,
        plain_expressions,
    ),
    build(
        stmt.Move,
        plain_expressions,
        st.booleans(),
        build(ast.Membership, build(ast.Name, plain_names), plain_expressions, st.just(False)),
        st.none() | plain_expressions,
        st.none(),
        plain_expressions,
    ),
)

places = st.one_of(
    build(ast.Name, names),
    build(ast.Attribute, expressions, names),
    build(ast.Index, expressions, several(tests, 1, 2)),
)
# The name of a typed `let` may be any word but those that go on with its type.
let_names = names
lets = st.one_of(
    build(stmt.Let, names, st.just(SPAN), st.none(), tests | moves),
    build(stmt.Let, let_names, st.just(SPAN), types, tests | moves),
)
calls = st.one_of(
    build(ast.Call, names, st.just(SPAN), several(expressions, 0, 2)),
    build(ast.RuleCall, expressions, names, several(expressions, 0, 2)),
)

# Statements that take either suffix.
guardable = st.one_of(
    build(stmt.Pass),
    build(stmt.Stop, st.none() | names),
    build(stmt.Again),
    build(stmt.EndGame, st.none() | tests),
    build(stmt.Give, tests),
    lets,
    build(stmt.Assign, places, st.just("="), tests | moves),
    build(stmt.Assign, places, st.sampled_from(("+=", "-=")), tests),
    moves,
    build(stmt.Shuffle, expressions),
    build(stmt.Swap, expressions, expressions),
    build(stmt.Show, expressions, tests),
    build(stmt.Roll, expressions, st.none() | tests, st.none() | expressions),
    build(stmt.Sort, names, expressions, several(tests, 1)),
    build(stmt.Reset, expressions),
    build(stmt.Remember, expressions),
    build(stmt.Do, calls, st.none() | expressions),
)
picks = build(stmt.Pick, expressions, expressions, st.none() | expressions, st.none() | tests)
clause = st.one_of(
    *(
        build(
            ast.ForClause,
            bound,
            expressions,
            st.none() | expressions,
            st.none() | expressions,
            st.just(every),
        )
        # Behind `every`, a word such as `from` is no name.
        for every, bound in ((False, names | st.just("you")), (True, plain_names))
    )
)
clauses = several(clause, 1, 2)
loops = build(ast.Loops, clauses)
statements = st.one_of(
    guardable,
    picks,
    build(stmt.Guarded, guardable, expressions),
    build(stmt.Repeated, guardable | picks, clauses),
)
blocks = build(stmt.Block, several(statements, 1))

binders = build(
    ast.Binders,
    several(
        st.one_of(
            build(
                ast.Binder,
                names,
                st.just(SPAN),
                expressions,
                st.none(),
                st.none(),
                st.just(False),
            ),
            # `every from in hand` says that `every` is from somewhere.
            build(
                ast.Binder,
                plain_names,
                st.just(SPAN),
                expressions,
                st.none(),
                st.none(),
                st.just(True),
            ),
            build(
                ast.Binder,
                plain_names,
                st.just(SPAN),
                expressions,
                plain_expressions,
                plain_expressions,
            ),
        ),
        1,
    ),
    st.none() | expressions,
)
parameters = several(
    st.one_of(
        build(ast.Parameter, names | st.just("you"), types, st.none() | expressions),
        build(ast.Parameter, names, st.none(), expressions),
    ),
    1,
)
signatures = st.one_of(
    build(ast.Signature, names, st.just(SPAN), st.just(()), st.none(), st.booleans()),
    build(ast.Signature, names, st.just(SPAN), parameters, st.none() | expressions, st.just(True)),
)
declared = build(ast.Declared, types, st.none() | tests)
indexed = build(ast.Indexed, names, st.just(SPAN), several(types, 0))
templates = st.lists(
    st.text(st.characters(codec="ascii", min_codepoint=32, max_codepoint=126), min_size=1)
    | expressions,
    min_size=1,
    max_size=4,
).map(lambda parts: ast.Template(SPAN, joined(parts)))


def joined(parts: list[Any]) -> tuple[Any, ...]:
    """The parts of a template with neighbouring texts put together."""
    result: list[Any] = []
    for part in parts:
        if isinstance(part, str) and result and isinstance(result[-1], str):
            result[-1] += part
        else:
            result.append(part)
    return tuple(result)
