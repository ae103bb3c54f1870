"""The words of the language, and of other languages, as they appear in diagnostics.

Assumes nothing and does nothing: these are the tables that `typos` and its neighbours look things
up in. A new slip is mostly a new row here, with a case in `tests/test_parse.py`. The reserved words
stand in the grammar (see `syntax.parser_tables`), and how statements are written in `statements`.
"""

from __future__ import annotations

from rulerun_dsl.syntax.statements import FORMS

VERBS = tuple("end game" if word == "end" else word for word in FORMS)

# How a text of each other role is written.
ROLES = {
    "binders": "write `c in hand`, `c in hand if c.red` or `1..3 t in larder`",
    "loops": "write `c in hand`, `c in hand if c.red` or `p in players for c in hand[p]`",
    "signature": "write `name`, `name(TYPE parameter)` or `name(c in hand)`",
    "indexed": "write `name` or `name[player]`",
    "declared": "write `TYPE` or `TYPE = start`",
    "type": "write a name, a range `0..9`, `card kind`, `set of T`, `order of player` "
    "or `T or none`",
    "winner": "write `highest score`, `lowest score` or a value",
    "every": "write `every rank and suit`",
    "call_item": "write the name of an action, with arguments in parentheses if it takes any",
}

TYPE_FIRST = "the type of a parameter comes first"

# What numbers may not look like: pattern, message, help.
NUMBERS = (
    (
        r"\d+\.\d+",
        "numbers are whole: `{found}` is not",
        "write fractions as counts of the smallest part; for a range write two dots: `1..5`",
    ),
    (r"\d+(?:_\d+)+\b", "a number is written in digits alone, not `{found}`", "write `{digits}`"),
    (
        r"\d+\w+",
        "a name cannot begin with a digit: `{found}`",
        "put a letter first, or a space between the number and the word",
    ),
)

# Signs that mean nothing here: pattern, code, message, help.
SIGNS = (
    (r"&&?", "RR0313", "`{found}` is not an operator here", "write `and`"),
    (r"\|\|?", "RR0313", "`{found}` is not an operator here", "write `or`"),
    (r"===", "RR0313", "`===` is not an operator here", "write `==`"),
    (r"!==", "RR0313", "`!==` is not an operator here", "write `!=`"),
    (r"<>", "RR0313", "`<>` is not an operator here", "write `!=`"),
    (r"=<", "RR0313", "`=<` is not an operator here", "write `<=`"),
    (r"=>", "RR0313", "`=>` is not an operator here", "write `>=`"),
    (r"!(?!=)", "RR0313", "`!` is not an operator here", "write `not`"),
    (
        r"\?",
        "RR0313",
        "`? :` is not an operator here",
        "write `value if condition else other`",
    ),
    (r"≤", "RR0313", "`≤` is not an operator here", "write `<=`"),
    (r"≥", "RR0313", "`≥` is not an operator here", "write `>=`"),
    (r"≠", "RR0313", "`≠` is not an operator here", "write `!=`"),
    (r"[×·]", "RR0313", "`{found}` is not an operator here", "write `*`"),
    (r"[−–]", "RR0313", "`{found}` is not a minus sign", "write `-`"),
    (r"\^", "RR0313", "`^` is not an operator here", "write `**` for a power"),
    (
        r"\.\.\.|…",
        "RR0313",
        "`{found}` is not an operator here",
        "a range has `..`, two dots: `1..6`",
    ),
    (r":=", "RR0319", "`:=` does not set anything", "write `=`, or `let x = …` for a new name"),
    (r"\+\+", "RR0319", "`++` is not a statement", "write `x += 1`"),
    (r"--", "RR0319", "`--` is not a statement", "write `x -= 1`"),
    (
        r"(?:\*\*|//|[*/%])=",
        "RR0319",
        "`{found}` is not a statement",
        "write it out: `x = x {operator} …`",
    ),
    (
        r"[+-]=",
        "RR0319",
        "`{found}` changes a variable and cannot stand inside a value",
        "make it a statement of its own; statements are joined by `;`",
    ),
    (
        r"[\"'`“”„«»‘’]",
        "RR0316",
        "a rule has no quotes",
        "names are written bare; a sentence for people belongs under `say:` or `about:`",
    ),
    (r"\{", "RR0318", "braces mean nothing in a rule", "write a list in parentheses: `(a, b)`"),
    (r"\}", "RR0318", "braces mean nothing in a rule", "write a list in parentheses: `(a, b)`"),
)

# Words that begin a block in YAML or elsewhere, and so no statement of one line.
BLOCKS = {
    "if": "write `do_it() if condition`, or the keys `if:`, `then:` and `else:`",
    "elif": "write `cases:`, a mapping from conditions to what is done",
    "else": "write the keys `if:`, `then:` and `else:`",
    "then": "write the keys `if:`, `then:` and `else:`",
    "for": "write `do_it() for x in S`, or the keys `for:` and `do:`",
    "foreach": "write `do_it() for x in S`, or the keys `for:` and `do:`",
    "while": "write the keys `until:` and `do:`; the condition is the one that ends it",
    "until": "write the keys `until:` and `do:`",
    "repeat": "write the keys `repeat:` and `do:`",
    "loop": "write the keys `repeat:` or `until:`, and `do:`",
    "when": "write `do_it() if condition`, or the keys `if:` and `then:`",
    "unless": "write `do_it() if not condition`",
    "match": "write the keys `match:` and `cases:`",
    "switch": "write the keys `match:` and `cases:`",
    "choose": "write the key `choose:`",
    "together": "write the key `together:`",
    "turns": "write the key `turns:`",
    "say": "write the key `say:`",
}

# Verbs of other languages and of rulebooks.
STATEMENTS = {
    "return": "write `give x`; to leave without a value write `stop`",
    "break": "write `stop` to leave the procedure; a loop ends by its `until:` or `if`",
    "exit": "write `stop` to leave the procedure, or `end game`",
    "var": "write `let x = 1`",
    "def": "a procedure is a key under `procedures:`, a function one under `functions:`",
    "draw": "write `move 1 from deck to hand`",
    "deal": "write `move 1 from deck to hand`",
    "discard": "write `move c to discard`",
    "put": "write `move c to place`",
    "place": "write `move c to place`",
    "take": "write `move c to hand`",
    "play": "write `move c to played`",
    "add": "write `x += 1`",
    "gain": "write `x += 1`, or call a procedure with parentheses: `gain(1)`",
    "increase": "write `x += 1`",
    "decrease": "write `x -= 1`",
    "set": "write `x = 1`",
    "call": "a procedure is called by its name and parentheses: `gain(1)`",
    "do": "a procedure is called by its name and parentheses: `gain(1)`",
    "reveal": "write `show hand to p`",
    "reorder": "write `sort x in zone by key`",
    "exchange": "write `swap a with b`",
    "throw": "write `roll die`",
    "flip": "write `x = not x` for a variable",
    "print": "write the key `say:`",
    "win": "write `end game won by p`",
    "fill": "give the zone `refill:`, or write `move all pile to zone`",
    "skip": "write `pass`",
    "continue": "write `pass`, or put the rest under `if:`",
    "end": "write `end game`",
}

# Terminals of the grammar as people write them.
SIGN_NAMES = {
    "SEMICOLON": ";",
    "COMMA": ",",
    "LPAR": "(",
    "RPAR": ")",
    "LSQB": "[",
    "RSQB": "]",
    "EQUALS": "=",
    "DOTS": "..",
    "CHANGE": "+=",
}
WORD_NAMES = frozenset(
    "TO FROM WITH UNTIL BY THEN AS AT RANDOM GAME WON IN ELSE NONE KIND EVERY OF".split()
)
OPERATORS = frozenset("AND OR NOT IN IS OTHERWISE IF THEN ELSE".split())
