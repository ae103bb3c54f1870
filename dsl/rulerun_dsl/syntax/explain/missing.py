"""A text that breaks off, lacks something, or cannot be read at all.

Assumes: `typos` has found no slip that it knows.
Does: says whether a statement, a value or a name is missing, or else what was expected in this
place, in plain words.
Leaves behind: one `Rejected`.
"""

from __future__ import annotations

import re

from rulerun_dsl.diagnostics.diagnostic import evident, listed, suggest
from rulerun_dsl.source.identifiers import NAME
from rulerun_dsl.syntax.explain.stop import ARITHMETIC, COMPARISONS, Stop, begins
from rulerun_dsl.syntax.explain.wording import (
    OPERATORS,
    ROLES,
    SIGN_NAMES,
    TYPE_FIRST,
    VERBS,
    WORD_NAMES,
)
from rulerun_dsl.syntax.parser_tables import reserved_words
from rulerun_dsl.syntax.pieces import Instead, Rejected
from rulerun_dsl.syntax.statements import FORMS

_NAME_FIRST = re.compile(
    rf"(?<=[(,])\s*({NAME})\s+(\d+\s*\.\.\s*\d+|set of {NAME}|order of player|{NAME} kind)"
    r"(?=\s*(?:[,)]|in\b))"
)
"""A parameter with its type behind it, of a type that is more than a name."""


def statement_missing(stop: Stop) -> Rejected | None:
    """Find an empty statement, or one that begins with a sign."""
    if not stop.wants_statement or stop.role != "block":
        return None
    word = stop.found
    if word is None or word.text == ";":
        return Rejected(
            "RR0326",
            "a statement is missing " + ("after `;`" if stop.at else "before `;`"),
            stop.at,
            stop.at + (1 if word else 0),
            "`;` stands only between two statements",
            instead=_without_semicolon(stop),
        )
    if begins(word.text) and word.text not in reserved_words():
        return None
    what = f"no statement begins with `{word.text}`"
    return Rejected(
        "RR0323",
        what,
        word.start,
        word.end,
        "a statement is a change (`x += 1`), a call (`gain(2)`) or one of: " + ", ".join(VERBS),
    )


def _without_semicolon(stop: Stop) -> Instead | None:
    """The text without a `;` that joins nothing."""
    if stop.found is not None:
        return Instead("", place=(stop.found.start, stop.found.end))
    last = stop.text.rstrip()
    return Instead("", place=(len(last) - 1, len(last))) if last.endswith(";") else None


def value_alone(stop: Stop) -> Rejected | None:
    """A value where a statement should stand: `x == 3`, `a + b`."""
    word = stop.found
    if stop.role != "block" or word is None or not {"EQUALS", "CHANGE"} <= stop.expected:
        return None
    if word.text not in COMPARISONS | ARITHMETIC | {"and", "or", "not", ".."}:
        return None
    return Rejected(
        "RR0312",
        f"a value with `{word.text}` alone does nothing",
        word.start,
        word.end,
        "to set a variable write `x = 3` or `x += 1`; a condition stands behind `if`",
    )


def unary_plus(stop: Stop) -> Rejected | None:
    """A plus before a value: `x =+ 1` for `x += 1`, or a sign that a number does not need."""
    plus, words = stop.found, stop.before
    value = stop.text[plus.end :] if plus is not None and plus.text == "+" else ""
    if plus is None or not stop.wants_value or not begins(value.lstrip() or " "):
        return None
    last, end = words[-1] if words else plus, stop.at + 1 + len(value) - len(value.lstrip())
    if stop.role == "block" and last.text == "=" and words[0].text != "let":
        target = stop.text[words[0].start : last.start].rstrip()
        value = re.split(r"\s*(?:;|\b(?:if|for)\b)", value)[0].strip()
        return Rejected(
            "RR0319",
            "`=` and `+` do not add",
            last.start,
            plus.end,
            f"write `{target} += {value}`, or `{target} = {value}` to set it",
            instead=Instead("+= ", False, (last.start, end)),
        )
    if value[0].isspace():
        return None
    return Rejected(
        "RR0319",
        "a value has no `+` before it",
        plus.start,
        plus.end,
        "leave it out",
        instead=Instead("", place=(plus.start, end)),
    )


def range_by_dash(stop: Stop) -> Rejected | None:
    """A type such as `1-6`, which is a range; a start value may follow."""
    if stop.role not in ("type", "declared"):
        return None
    dashed = re.match(r"\s*((\d+)\s*([-–])\s*(\d+))(?=\s*(?:=.*)?$)", stop.text)
    if dashed is None or int(dashed[2]) > int(dashed[4]):
        return None
    meant = f"{dashed[2]}..{dashed[4]}"
    return Rejected(
        "RR0306",
        f"a range is written `{meant}`",
        *dashed.span(1),
        f"write two dots for the `{dashed[3]}`: `{dashed[1]}` would be a difference",
        instead=Instead(meant),
    )


def value_missing(stop: Stop) -> Rejected | None:
    """Find a place where a value should stand."""
    word = stop.found
    if not stop.wants_value or stop.wants_statement:
        return None
    if word is not None and begins(word.text) and word.text not in reserved_words():
        return None
    last = stop.before[-1].text if stop.before else ""
    where = f" after `{last}`" if last else ""
    place: tuple[int, int] | None = None
    if word is not None and word.text == "," and last == ",":
        help, place = "leave one of the commas out", (word.start, word.end)
    elif word is not None and word.text == ")" and last == ",":
        help, place = "leave the comma out", (stop.before[-1].start, word.start)
    elif word is not None and word.text == ")" and last == "(":
        help = "write a value between the parentheses"
    elif word is not None and word.text in COMPARISONS | {"and", "or", "+", "*", "/", "//"}:
        help = f"write a value between `{last}` and `{word.text}`" if last else "write a value"
    else:
        help = "write a name, a number or a call"
    return Rejected(
        "RR0305",
        f"a value is missing{where}",
        stop.at,
        word.end if word else stop.at,
        help,
        instead=None if place is None else Instead("", place=place),
    )


def unknown_verb(stop: Stop) -> Rejected | None:
    """Find a statement that begins with a word that opens none."""
    if stop.role != "block" or len(stop.before) != 1 or stop.found is None:
        return None
    first = stop.before[0]
    if not begins(stop.found.text) or first.text[0].isdigit():
        return None
    if first.text in VERBS:
        return Rejected(
            "RR0305",
            f"a value is missing after `{first.text}`",
            stop.found.start,
            stop.found.end,
            FORMS[first.text],
        )
    if not begins(first.text) or stop.found.text in ("is", "in", "and", "or", "not"):
        return None
    near = suggest(first.text, VERBS)
    help = (
        f"did you mean `{near}`?"
        if near
        else "a procedure is called with parentheses: `gain(2)`; or begin with one of: "
        + ", ".join(VERBS)
    )
    return Rejected(
        "RR0323",
        f"no statement begins with `{first.text}`",
        first.start,
        first.end,
        help,
        instead=Instead(near, evident(first.text, near, VERBS)) if near else None,
    )


def name_missing(stop: Stop) -> Rejected | None:
    """Find a place where only a name can stand."""
    if stop.role == "every" and stop.text.strip() == "every":
        message, end = "a name is missing after `every`", len(stop.text)
        return Rejected("RR0325", message, end, end, ROLES["every"])
    if "NAME" not in stop.expected or stop.wants_value or "TO" in stop.expected:
        return None
    if stop.expected - {"NAME", "YOU", "RPAR", "KIND", "ORDER", "SET"}:
        return None
    last = stop.before[-1].text if stop.before else ""
    word = stop.found
    shown = f"; found `{word.text}`" if word else ""
    return Rejected(
        "RR0325",
        "a name is missing" + (f" after `{last}`" if last else "") + shown,
        stop.at,
        word.end if word else stop.at,
        "a name begins with a letter and goes on with letters, digits and `_`",
    )


def anything(stop: Stop) -> Rejected:
    """Say what was expected, in words."""
    word = stop.found
    words = stop.before
    moves = any(each.text == "move" for each in words)
    if stop.expected == {"IN"} and moves and words[-2].text not in ("to", "not"):
        # `move c hand`: read as `move NUMBER NAME in …`, and one word too late.
        missing = "from" if words[-2].text.isdigit() else "to"
        message = f"`{missing}` was expected before `{words[-1].text}`"
        return Rejected("RR0306", message, words[-1].start, words[-1].end, _way_out(stop))
    for parameter in _NAME_FIRST.finditer(stop.text) if stop.role == "signature" else ():
        if parameter.start(1) <= stop.at <= parameter.end(2):
            meant = f"{parameter[2]} {parameter[1]}"
            return Rejected(
                "RR0306",
                TYPE_FIRST,
                parameter.start(1),
                parameter.end(2),
                f"write `{meant}`",
                instead=Instead(meant),
            )
    wanted = listed(_wanted(stop)) or "something else"
    shown = f"`{word.text}`" if word else "the end"
    return Rejected(
        "RR0306",
        f"{wanted} was expected, not {shown}",
        stop.at,
        word.end if word else stop.at,
        _way_out(stop),
        instead=_written(stop),
    )


def _written(stop: Stop) -> Instead | None:
    """What `_way_out` says to write."""
    found, last = stop.found, stop.before[-1] if stop.before else None
    if stop.role == "type" and re.fullmatch(rf"{NAME}(?:, *{NAME})+", stop.text):
        return Instead(f"[{stop.text}]", place=(0, len(stop.text)))
    if stop.role == "signature" and last is not None and last.text in ("from", "of"):
        return Instead("in", place=(last.start, last.end))
    if found is not None and stop.complete and found.text in ("when", "where"):
        return Instead("if")
    if found is not None and stop.complete and found.text == "unless":
        # `unless a or b`: the `not` would belong to `a` alone.
        many = re.search(r"\b(?:and|or|if|then|else)\b", stop.text[found.end :])
        return Instead("if not", sure=not many)
    return None


def _wanted(stop: Stop) -> list[str]:
    """What could stand at the error, the likeliest first."""
    expected = stop.expected - {"KIND", "OF"} or stop.expected
    words = [word.text for word in stop.before]
    # Where a type, a name or an `in` is due, an operator could only lengthen a bound of a range.
    heading = stop.role not in ("block", "test") or (words[:1] == ["let"] and "=" not in words)
    value_goes_on = "PLUS" in expected
    names: list[str] = []
    if stop.wants_statement:
        names.append("a statement")
    elif stop.wants_value:
        names.append("a value")
    elif "NAME" in expected:
        names.append("a name")
    hidden = {"LPAR", "LSQB"} | ({"DOTS"} if value_goes_on and not heading else set())
    names += [f"`{sign}`" for kind, sign in SIGN_NAMES.items() if kind in expected - hidden]
    unsaid = OPERATORS if value_goes_on and not heading else frozenset()
    names += sorted(f"`{kind.lower()}`" for kind in (expected & WORD_NAMES) - unsaid)
    if value_goes_on and not heading:
        names.append("an operator")
    if stop.complete:
        names.append("the end")
    return names


def _way_out(stop: Stop) -> str:
    found, last = stop.found, stop.before[-1] if stop.before else None
    first = stop.before[0].text if stop.before else ""
    if stop.role == "type" and found is not None and found.text == ",":
        return f"write a list: `[{stop.text}]`"
    if stop.role == "signature" and last is not None and last.text in ("from", "of"):
        return f"write `in` for `{last.text}`"
    if found is not None and found.text in ("when", "where", "unless") and stop.complete:
        return "write `if` for `when`" if found.text != "unless" else "write `if not`"
    if stop.role in ROLES:
        return ROLES[stop.role]
    if stop.role == "block" and first in FORMS and not stop.complete:
        return FORMS[first]
    if "= move" in " ".join(word.text for word in stop.before) and not stop.complete:
        return FORMS["move"]
    if found is None:
        return "the rule breaks off: write the rest"
    if found.text == "," and stop.complete:
        return "a list is written in parentheses: `(a, b)`; statements are joined by `;`"
    if found.text == ":":
        return "a key of YAML stands at the beginning of a line"
    if found.text == "else":
        return "put parentheses around `x if c else y`, or use the keys `if:`, `then:`, `else:`"
    if last and stop.after_value and begins(found.text) and "PLUS" in stop.expected:
        return f"write an operator between `{last.text}` and `{found.text}`, or leave one out"
    return f"the rule could be read up to here: look at what stands before `{found.text}`"
