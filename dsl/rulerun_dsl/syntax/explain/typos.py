"""What an author probably meant by a text that does not parse.

Assumes: a text, the role in which it was read, and the error of the parser: where it stopped and
what it could have accepted instead.
Does: looks for a known slip at that place, the most telling first: an operator of another language,
a bracket, the words of another language, a chained comparison, a reserved word, a missing value.
Leaves behind: one `Rejected` with the exact place, what was expected in plain words, and a way out.

Slips are not part of the grammar. A grammar that also takes `&&` and `x := 1` says them all
twice, and each of its wrong alternatives can clash with a right one; whereas the parser stops at
the first token that no correct text can have there, and that is the place to look.
"""

from __future__ import annotations

import re
import unicodedata

from lark import Lark
from lark.exceptions import UnexpectedInput

from rulerun_dsl.source.identifiers import WORD, composed, is_name
from rulerun_dsl.syntax.explain.instead import of_brackets, of_chain, of_sign, of_statement
from rulerun_dsl.syntax.explain.missing import (
    anything,
    name_missing,
    range_by_dash,
    statement_missing,
    unary_plus,
    unknown_verb,
    value_alone,
    value_missing,
)
from rulerun_dsl.syntax.explain.phrases import each_value, for_each, phrase
from rulerun_dsl.syntax.explain.stop import COMPARISONS, Stop, Word, begins, stopped
from rulerun_dsl.syntax.explain.wording import BLOCKS, NUMBERS, SIGNS, STATEMENTS, VERBS
from rulerun_dsl.syntax.parser_tables import reserved_words
from rulerun_dsl.syntax.pieces import Instead, Rejected


def explain(text: str, role: str, error: UnexpectedInput, parser: Lark) -> Rejected:
    """Say what is wrong with a text at which the parser has stopped."""
    stop = stopped(text, role, error, parser)
    for look in (
        each_value,
        for_each,
        phrase,
        range_by_dash,
        _number,
        _sign,
        _bracket,
        _block_words,
        _foreign_statement,
        _chain,
        _reserved,
        _suffixes,
        _comma,
        _keys,
        _if_without_else,
        statement_missing,
        unary_plus,
        value_missing,
        value_alone,
        unknown_verb,
        name_missing,
    ):
        refused = look(stop)
        if refused is not None:
            return refused
    return anything(stop)


# ------------------------------------------------------------------------------ numbers and signs


def _number(stop: Stop) -> Rejected | None:
    for pattern, message, help in NUMBERS:
        match = re.match(pattern, stop.rest)
        if match:
            number = match.group()
            digits = number.replace("_", "")
            return Rejected(
                "RR0317",
                message.format(found=number),
                stop.at,
                stop.at + match.end(),
                help.format(digits=digits),
                instead=Instead(digits) if "{digits}" in help else None,
            )
    return None


def _sign(stop: Stop) -> Rejected | None:
    for pattern, code, message, help in SIGNS:
        match = re.match(pattern, stop.rest)
        if match:
            sign = match.group()
            return Rejected(
                code,
                message.format(found=sign),
                stop.at,
                stop.at + match.end(),
                help.format(operator=sign[:-1]),
                instead=of_sign(stop, sign, help),
            )
    if re.match(r"=(?!=)", stop.rest) and stop.after_value and stop.role != "type":
        return _equals(stop)
    if stop.rest.startswith("[") and stop.wants_value:
        return Rejected(
            "RR0318",
            "square brackets stand only after a name",
            stop.at,
            stop.at + 1,
            "write a list in parentheses: `(a, b)`",
            instead=of_brackets(stop),
        )
    if stop.rest and not re.match(r"[\x21-\x7e]", stop.rest):
        return _unknown(stop)
    if re.match(r"[#$@\\~]", stop.rest):
        return _unknown(stop)
    return None


def _equals(stop: Stop) -> Rejected:
    words = [word.text for word in stop.before]
    if words[0] == "let" and words[-1] in reserved_words():
        return _not_a_name(stop.before[-1])
    if stop.role == "block" and words[0] not in VERBS and not {"=", "if"} & set(words):
        return Rejected(
            "RR0311",
            f"`{stop.text[stop.before[0].start : stop.before[-1].end]}` cannot be set",
            stop.before[0].start,
            stop.before[-1].end,
            "left of `=` stands a variable, a column or one of several: "
            "`gp`, `die.value`, `paid[p]`",
        )
    if stop.role == "signature":
        return Rejected(
            "RR0306",
            "a parameter has no value of its own",
            stop.at,
            stop.at + 1,
            "every caller gives all of them",
        )
    return Rejected(
        "RR0314",
        "`=` compares nothing",
        stop.at,
        stop.at + 1,
        "write `==`, or `is` for a name",
        instead=Instead("=="),
    )


def odd_word(text: str) -> Rejected | None:
    """The first word that the lexer takes for a name and that is none, such as `x²`."""
    for word in WORD.finditer(text):
        if not is_name(word.group()):
            accents = is_name(composed(word.group()))
            return Rejected(
                "RR0304",
                f"`{word.group()}` is not a name",
                word.start(),
                word.end(),
                "write a letter and its accent as one character"
                if accents
                else "a name is made of letters, digits and `_`",
                instead=Instead(composed(word.group())) if accents else None,
            )
    return None


def _unknown(stop: Stop) -> Rejected:
    sign = stop.rest[0]
    shown = f"`{sign}`" if sign.isprintable() and not sign.isspace() else f"U+{ord(sign):04X}"
    name = unicodedata.name(sign, "").lower()
    described = f"{shown} ({name})" if name else shown
    instead = Instead("", sure=False)
    if sign.isspace():
        help, instead = "write an ordinary space", Instead(" ")
    elif unicodedata.combining(sign):
        help = "write a letter and its accent as one character"
        place = (stop.at - 1, stop.at + 1)
        instead = Instead(composed(stop.text[slice(*place)]), place=place)
    else:
        help = "leave it out"
    return Rejected(
        "RR0304",
        f"{described} means nothing in a rule",
        stop.at,
        stop.at + 1,
        help,
        instead=instead,
    )


# --------------------------------------------------------------------------------------- brackets

_PAIRS = {")": "(", "]": "["}
_CLOSING = {"(": ")", "[": "]"}


def _bracket(stop: Stop) -> Rejected | None:
    open_ones: list[Word] = []
    for match in re.finditer(r"[()\[\]]", stop.text[: stop.at]):
        if match.group() in _CLOSING:
            open_ones.append(Word(match.group(), match.start(), match.end()))
        elif open_ones:
            open_ones.pop()
    word = stop.found
    if word is not None and word.text in _PAIRS:
        if not open_ones:
            return Rejected(
                "RR0308",
                f"this `{word.text}` closes nothing",
                word.start,
                word.end,
                "leave it out, or write the one that opens",
                instead=Instead("", sure=False),
            )
        if open_ones[-1].text == _PAIRS[word.text]:
            return None
        return _unclosed(stop, open_ones[-1])
    closers = {"RPAR", "RSQB"} & stop.expected
    if not open_ones or not closers or not (stop.after_value or stop.before[-1].text == "("):
        return None
    if word is None or word.text in (";", "to", "from", "with", "as", "until", "="):
        return _unclosed(stop, open_ones[-1])
    return None


def _unclosed(stop: Stop, opened: Word) -> Rejected:
    here = len(stop.text[: stop.at].rstrip())
    # An index is mostly one word; what is in parentheses goes on to where something is missing.
    index = re.compile(r"\w+(?= )").match(stop.text, opened.end)
    if opened.text == "[" and index is not None:
        here = index.end()
    return Rejected(
        "RR0307",
        f"a `{opened.text}` is not closed",
        stop.at,
        stop.at + (1 if stop.found else 0),
        f"write `{_CLOSING[opened.text]}` here",
        (opened.start, opened.end, "it is opened here"),
        instead=Instead(_CLOSING[opened.text], False, (here, here)),
    )


# ---------------------------------------------------------------------- words of other languages


def _block_words(stop: Stop) -> Rejected | None:
    if stop.role not in ("block", "test"):
        return None
    words = stop.before
    first = words[0] if words else stop.found
    if first is None or first.text not in BLOCKS:
        return None
    if not (stop.wants_statement or stop.role == "test") and not words:
        return None
    if words and (first.text in reserved_words() or not _foreign_head(stop)):
        return None
    if not words and re.match(r"\s*[+-]?=(?!=)", stop.text[first.end :]):
        return None
    if stop.role == "test":
        if first.text != "if":
            return None
        help = "a value is written `x if condition else y`; a condition needs no `if`"
    else:
        help = BLOCKS[first.text]
    return Rejected(
        "RR0320", f"`{first.text}` cannot begin a rule in one line", first.start, first.end, help
    )


def _foreign_head(stop: Stop) -> bool:
    """Whether one word stands before the error, and what follows it is not a sign of its use."""
    return len(stop.before) == 1 and stop.found is not None


def _foreign_statement(stop: Stop) -> Rejected | None:
    if stop.role != "block" or not stop.before:
        return None
    words, word = stop.before, stop.found
    if word is not None and word.text == ":" and words[0].text == "let" and len(words) == 2:
        return Rejected(
            "RR0319",
            "a type stands before the name, without a colon",
            word.start,
            word.end,
            f"write `let TYPE {words[1].text} = …`",
        )
    if word is not None and word.text == ":":
        return None
    first = words[0]
    if len(words) == 1 and first.text in STATEMENTS and (word is None or begins(word.text)):
        return Rejected(
            "RR0319",
            f"`{first.text}` is not a statement",
            first.start,
            first.end,
            STATEMENTS[first.text],
            instead=of_statement(stop, first),
        )
    return None


# --------------------------------------------------------------------- slips inside an expression


def _chain(stop: Stop) -> Rejected | None:
    word = stop.found
    if word is None or not stop.after_value or "AND" not in stop.expected:
        return None
    if word.text in COMPARISONS or re.match(r"not\s+in\b", stop.rest):
        return Rejected(
            "RR0315",
            "two comparisons cannot be chained",
            word.start,
            word.end,
            "join them with `and`: `1 < x and x < 3`; for a range write `x in 1..3`",
            instead=of_chain(stop, word),
        )
    return None


def _reserved(stop: Stop) -> Rejected | None:
    found = stop.found
    last = stop.before[-1] if stop.before else None
    if last is not None and stop.role in ("signature", "binders"):
        # `gain(territory kind)` is read as a type without a name, `the in hand` as a value.
        if last.text == "kind" and "NAME" in stop.expected and not stop.rest.startswith("kind"):
            return _not_a_name(last)
        if last.text == "the" and stop.rest.startswith("in"):
            return _not_a_name(last)
    if found is None or found.text not in reserved_words():
        return None
    only_name = "NAME" in stop.expected and not stop.wants_value
    only_name |= [word.text for word in stop.before] == ["let"]
    follows = stop.text[found.end :].lstrip()
    set_here = stop.wants_statement and re.match(r"[+-]?=(?!=)|\[|\.(?!\.)|\(", follows)
    as_value = found.text == "kind" and (stop.wants_value or "NAME" in stop.expected)
    declared = "NAME" in stop.expected and stop.role in ("signature", "indexed", "declared")
    if not (only_name or set_here or as_value or declared):
        return None
    return _not_a_name(found)


def _not_a_name(word: Word) -> Rejected:
    if word.text == "kind":
        help = "choose another name, such as `sort_of`; the rows of a kind are written `card kind`"
    else:
        help = f"choose another name, such as `{word.text}_`"
    return Rejected(
        "RR0309",
        f"`{word.text}` is a word of the language and cannot be a name",
        word.start,
        word.end,
        help,
    )


def _suffixes(stop: Stop) -> Rejected | None:
    found = stop.found
    if stop.role != "block" or found is None or found.text not in ("if", "for"):
        return None
    if not stop.complete or not any(word.text in ("if", "for") for word in stop.before):
        return None
    return Rejected(
        "RR0322",
        f"a statement has one suffix: a second `{found.text}` is too many",
        found.start,
        found.end,
        "put the statement under `if:` and `then:`, or under `for:` and `do:`; "
        "`for x in S if c` filters the members",
    )


def _comma(stop: Stop) -> Rejected | None:
    """`S for x in A, y in B`: a loop in a loop has a `for` of its own."""
    words = [word.text for word in stop.before]
    after = re.match(r",\s*(?=(?:every\s+)?\w+\s+in\b)", stop.rest)
    if after is None or stop.role not in ("block", "loops") or "in" not in words:
        return None
    if stop.role == "block" and "for" not in words:
        return None
    begin = stop.before[0] if stop.role == "loops" else stop.before[words.index("for")]
    rest = re.split(r",(?!\s*(?:every\s+)?\w+\s+in\b)|;", stop.rest[after.end() :])[0]
    return Rejected(
        "RR0328",
        "a comma does not go on with a `for`",
        stop.at,
        stop.at + len(after.group()),
        f"write `{stop.text[begin.start : stop.at]} for {rest.strip()}`",
        instead=Instead(" for "),
    )


def _keys(stop: Stop) -> Rejected | None:
    words = [word.text for word in stop.before]
    if not words or "by" not in words:
        return None
    if stop.rest.startswith(",") and "THEN" in stop.expected:
        return Rejected(
            "RR0327",
            "keys of comparison are not joined by a comma",
            stop.at,
            stop.at + 1,
            "write `then`: `sort p in order by vp[p] then gp[p]`",
            instead=Instead(" then"),
        )
    if words[-1] in ("most", "least", "highest", "lowest") and stop.found is not None:
        last = stop.before[-1]
        return Rejected(
            "RR0306",
            f"a key of comparison has no `{last.text}`",
            last.start,
            last.end,
            "the highest comes first; for the lowest write a minus before the key",
            instead=Instead(
                "-" if last.text in ("least", "lowest") else "",
                last.text == "highest",
                (last.start, stop.found.start),
            ),
        )
    return None


def _if_without_else(stop: Stop) -> Rejected | None:
    if "ELSE" not in stop.expected or stop.complete:
        return None
    ifs = [word for word in stop.before if word.text == "if"]
    if not ifs:
        return None
    if stop.before[0].text == "move" and stop.rest.startswith("to"):
        help = "write `move every c in hand if c.red to …` or `move 1 c in hand if c.red to …`"
    elif stop.role == "block":
        help = "write the `else`, or put the `if` at the end of the statement"
    else:
        help = "write `x if condition else y`; conditions are joined by `and`"
    return Rejected("RR0321", "this `if` has no `else`", ifs[-1].start, ifs[-1].end, help)
