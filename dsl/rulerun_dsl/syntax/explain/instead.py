"""What to write for signs and statements of other languages.

Assumes: a slip that `typos` has found, and where the parser stopped.
Does: says the same in the words of the language, where that can be said without guessing; a value
that is moved is one that stays one value whatever stands beside it.
Leaves behind: `Instead`, or nothing.
"""

from __future__ import annotations

import re

from rulerun_dsl.source.identifiers import is_name
from rulerun_dsl.syntax.explain.stop import Stop, Word
from rulerun_dsl.syntax.explain.wording import STATEMENTS
from rulerun_dsl.syntax.pieces import Instead

_PLAIN = r"[\w.]+(?:\[[\w., ]*\])?"
"""A value that is no sum or the like."""

_ONE_SIGN = re.compile(r"(?:write|a range has) `([^ `]+)`")
_DOUBTFUL = ("&", "|", "^", ":=")
"""Signs that do something else in other languages."""
_QUOTED = re.compile(r"[\"'`“”„«»‘’]\s*(\w+)\s*[\"'`“”„«»‘’]")
_END = re.compile(r"\s*(?:;|$|(?:if|for)\b)")
"""Where a statement ends, or its suffix begins."""


def of_sign(stop: Stop, sign: str, help: str) -> Instead | None:
    """What to write for a sign; `help` says it if it is another sign."""
    if meant := _ONE_SIGN.match(help):
        return Instead(meant[1], sign not in _DOUBTFUL)
    if (quoted := _QUOTED.match(stop.rest)) and is_name(quoted[1]):
        return Instead(quoted[1], place=(stop.at, stop.at + quoted.end()))
    if sign in "[{":
        return of_brackets(stop)
    if stop.role != "block" or not stop.before:
        return None
    start = stop.before[0].start
    name, rest = stop.text[start : stop.at].rstrip(), stop.rest[len(sign) :]
    if not re.fullmatch(_PLAIN, name):
        return None
    if sign in ("++", "--") and _END.match(rest):
        return Instead(f"{name} {sign[0]}= 1", place=(start, stop.at + len(sign)))
    value = re.match(rf"\s*({_PLAIN})", rest)
    if sign in ("*=", "//=", "**=", "%=") and value and _END.match(rest, value.end()):
        end = stop.at + len(sign) + value.end()
        return Instead(f"{name} = {name} {sign[:-1]} {value[1]}", place=(start, end))
    return None


def of_brackets(stop: Stop) -> Instead | None:
    """A list in brackets or braces, in parentheses."""
    listed = re.match(r"\[([^\[\](){}:]*)\]|\{([^\[\](){}:]*)\}", stop.rest)
    if listed is None:
        return None
    inner = (listed[1] or listed[2] or "").strip()
    return Instead(f"({inner})", place=(stop.at, stop.at + listed.end()))


def of_chain(stop: Stop, word: Word) -> Instead | None:
    """The `and` between two comparisons, before the sign of the second.

    It is sure where both look the same way, as in `1 < x <= 3`, and no bracket is missing.
    """
    middle = re.search(rf"([<>]=?|[=!]=)\s*({_PLAIN})\s*\Z", stop.text[: stop.at])
    if middle is None:
        return None
    closed = all(stop.text.count(one) == stop.text.count(other) for one, other in ("()", "[]"))
    sure = closed and middle[1][0] in "<>" and middle[1][0] == word.text[0]
    return Instead(f"and {middle[2]} ", sure, (word.start, word.start))


_SAME_VERB = ("var", "throw", "reveal", "reorder", "exchange", "return")
"""Words for which another one is all that is needed: the first that `STATEMENTS` writes."""
_VERB = re.compile(r"write `(\w+)")
_ALONE = {"skip": "pass", "continue": "pass", "end": "end game", "return": "stop"}
_NEEDLESS = ("set", "call", "do")
_TARGET = re.compile(r"\w+(?:\(|\[[^\]]*\] *=|\.\w+ *=| *=)")
_PUT = ("put", "place", "take", "play", "discard")


def of_statement(stop: Stop, first: Word) -> Instead | None:
    """What to write for a statement that begins with a word of another language."""
    rest = re.split(r"\s*;", stop.text[first.end :])[0]
    whole, rest = (first.start, first.end + len(rest.rstrip())), rest.strip()
    word = first.text
    if not rest and word in _ALONE:
        return Instead(_ALONE[word])
    if rest and word in _SAME_VERB and (verb := _VERB.match(STATEMENTS[word])):
        return Instead(verb[1])
    if word in _NEEDLESS and _TARGET.match(rest):
        return Instead("", place=(first.start, first.end + 1))
    if word in _PUT and (
        put := re.fullmatch(rf"({_PLAIN}) (?:to|in|into|on|onto) ({_PLAIN})", rest)
    ):
        return Instead(f"move {put[1]} to {put[2]}", place=whole)
    if word == "discard" and re.fullmatch(_PLAIN, rest):
        return Instead(f"move {rest} to discard", False, whole)
    return None
