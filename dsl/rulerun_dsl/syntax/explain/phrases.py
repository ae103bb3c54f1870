"""Sentences of rulebooks, and how the rules file says the same.

Assumes: a text that could not be read, its role, and where the parser stopped.
Does: compares the statement (or value) with what people write who have the rulebook open.
Leaves behind: one `Rejected` that shows the line to write, made of the author's own words.

A new phrase is a row here, and a case in `tests/cases/slips.txt`.
"""

from __future__ import annotations

import re

from rulerun_dsl.source.identifiers import NAME
from rulerun_dsl.syntax.explain.stop import Stop
from rulerun_dsl.syntax.explain.wording import VERBS
from rulerun_dsl.syntax.pieces import Instead, Rejected

_VERBS = "|".join((*VERBS, "end"))
_ZONE = rf"{NAME}(?:\[[^\]]*\])?"

# Roles, the pattern of the whole statement or value, what to write instead, and whether that is
# sure: made of the author's words alone, and the same. In a pattern `core` is the part that is
# written in another way, if not all of it.
PHRASES: tuple[tuple[tuple[str, ...], str, str, bool], ...] = (
    (
        ("block",),
        rf"(?:deal|draw) (?P<n>\d+)(?: \w+)??(?: from (?P<deck>{_ZONE}))? to "
        r"(?:each player|every player|all players|everybody|everyone|players|(?P<to>\w+)\[all\])",
        "write `move {n} from {deck} to {to}[p] for p in players`",
        False,
    ),
    (
        ("block",),
        rf"(?:deal|draw) (?P<n>\d+)(?: \w+)?? from (?P<deck>{_ZONE})(?: to (?P<zone>{_ZONE}))?",
        "write `move {n} from {deck} to {zone}`",
        False,
    ),
    (
        ("block",),
        rf"(?:move|draw|take|deal|reveal|flip) (?:the )?top(?: card| one| tile)?"
        rf"(?: (?:of|from) (?:the )?(?P<deck>{_ZONE}))?(?: to (?P<zone>{_ZONE}))?",
        "write `move 1 from {deck} to {zone}`: from a stack or queue goes what is on top, "
        "from a random zone what luck gives",
        False,
    ),
    (
        ("block",),
        rf"(?:if|when) (?P<c>.+?)(?:,|:| then)? (?P<do>(?:{_VERBS}) .*)",
        "write `{do} if {c}`, or the keys `if:` and `then:`",
        True,
    ),
    (
        ("block",),
        r"(?:say|print|tell) [\"'](?P<x>[^\"']*)[\"']",
        "write the key `say:`, without quotes: `say: {x}`",
        True,
    ),
    (
        ("block",),
        r"roll (?:a |one |1)?(?:\d*)?d(?P<n>\d+)",
        "write `die: 1..{n}` under `state:` and `roll die` here",
        False,
    ),
    (
        ("block",),
        rf"shuffle (?P<a>{_ZONE}) (?:into|in|to) (?P<b>{_ZONE})(?P<rest> if .*)?",
        "write `move all {a} to {b}{rest}`: a deck with `order: random` is shuffled by itself, "
        "any other by `shuffle {b}` behind it; `refill: {a}` at the deck does both",
        False,
    ),
    (
        ("block",),
        rf"choose (?:a|an|one|1|(?P<n>\d+))? ?(?:\w+ )?(?:from|in|of) (?P<zone>{_ZONE})",
        "write the key `choose:`, with a name for what is chosen: `choose: {many}c in {zone}`",
        False,
    ),
    (
        ("test", "block"),
        r".*?(?P<core>(?:\bthe )?\bplayer with (?:the )?"
        r"(?P<most>most|highest|fewest|least|lowest) (?P<x>\w+)).*",
        "write `{highest}(p in players by {x}[p])`, with what is compared behind `by`",
        False,
    ),
    (
        ("test", "block"),
        rf".*?\b(?P<core>(?:count|number of) (?:different|distinct|unique) (?P<x>\w+) (?:in|of) "
        rf"(?P<zone>{_ZONE})).*",
        "write `count(x in {x} if any(c.{x} == x for c in {zone}))`: a value counts once, "
        "however often it is there",
        False,
    ),
    (
        ("test", "block"),
        r".*?\b(?<!\bfor )(?P<core>(?:all|every|each) (?P<x>\w\w+) (?:are |is )?in "
        rf"(?P<zone>{_ZONE})).*",
        "write `all(any(c.{x} == x for c in {zone}) for x in {x})`",
        False,
    ),
    (
        ("test",),
        rf"(?:for )?(?:all|each|every) (?P<x>\w+) in (?P<zone>{_ZONE}) ?[:,] ?(?P<c>.+)",
        "write `all({c} for {x} in {zone})`",
        True,
    ),
    (
        ("test",),
        rf"(?:there )?(?:exists|is an?|any|some) (?P<x>\w+) in (?P<zone>{_ZONE})"
        r"(?: ?[:,] ?| with | where )(?P<c>.+)",
        "write `any({c} for {x} in {zone})`",
        True,
    ),
    (
        ("test",),
        rf"(?:(?P<not>not) )?empty (?P<zone>{_ZONE})",
        "write `{notted}empty({zone})`",
        True,
    ),
    (
        ("binders",),
        r"(?:each |every |all |the )?players?|(?:you|p)",
        "write `you in players`",
        True,
    ),
    (
        ("winner",),
        r"(?:the )?(?:player with )?(?:the )?(?P<most>most|fewest|least|highest|lowest)"
        r"(?: number of)? (?P<x>\w+)(?: wins)?",
        "write `{highest} {x}`",
        True,
    ),
)

_LOW = ("fewest", "least", "lowest")
_WRITTEN = re.compile(r"write (?:the key `\w+:`[^`]*)?`([^`]*)`(?! under)")


def phrase(stop: Stop) -> Rejected | None:
    """Find a sentence that the rules say in another way."""
    start = stop.before[0].start if stop.before and stop.role == "block" else 0
    rest = re.split(r"\s*;", stop.text[start:])[0] if stop.role == "block" else stop.text
    text = " ".join(rest.split())
    for roles, pattern, help, sure in PHRASES:
        if stop.role not in roles:
            continue
        found = re.fullmatch(pattern, text)
        if found is None:
            continue
        words = {name: word or "" for name, word in found.groupdict().items()}
        count = words.get("n", "")
        named = {
            "deck": "deck",
            "to": "hand",
            "zone": "hand",
            **{name: word for name, word in words.items() if word},
            "rest": words.get("rest", ""),
            "many": f"{count}..{count} " if count not in ("", "1") else "",
            "notted": "not " if words.get("not") else "",
            "highest": "lowest" if words.get("most") in _LOW else "highest",
        }
        first, last = found.span("core") if "core" in words else (0, len(rest))
        # What is written is the first thing in backticks that is a whole line or value.
        written = _WRITTEN.search(help)
        instead = None
        if written is not None and text == rest:
            instead = Instead(written[1].format(**named), sure, (start + first, start + last))
        return Rejected(
            "RR0331",
            "this is not how rules are written here",
            start,
            start + len(rest),
            help.format(**named),
            instead=instead,
        )
    return None


_FOR_EACH = re.compile(
    r"\s*(?:(?P<each>each|every|all)\s+)?(?:(?:of|the)\s+)*(?P<other>other\s+(?!in\b))?"
    rf"(?:(?P<of>{NAME})\s+)?(?P<name>(?!in\b){NAME})"
    r"(?=\s*(?:;|$|if\b|while\b|for\b|(?P<goes_on>in\b)))"
)
"""What stands behind a `for`, up to an `in` if there is one."""


def for_each(stop: Stop) -> Rejected | None:
    """Find a loop with the words of a sentence: `for each player p`, `for each card c in hand`."""
    if stop.role not in ("block", "loops", "binders", "test"):
        return None
    heads = [word.end for word in stop.before if word.text == "for"]
    if stop.role in ("block", "test") and not heads:
        return None
    begin = heads[-1] if heads else 0
    found = _FOR_EACH.match(stop.text, begin)
    if found is None or not begin <= stop.at <= found.end():
        return None
    each, of, name = found["each"], found["of"], found["name"]
    # `each p` has a name only, which is mostly a player's.
    is_players = (of or name) in ("player", "players") or bool(each and not of and len(name) == 1)
    if each is None and not is_players:
        return None
    if stop.role == "binders" and of is None and not found["goes_on"]:
        return None
    start = found.end() - len(found[0].lstrip())
    if found["goes_on"]:
        rest = re.split(r"\s*(?:;|\b(?:if|while|for)\b)", stop.text[found.end() :])[0]
        meant, written = f"{name} {_balanced(rest).strip()}", name
    else:
        letter = name if of or len(name) == 1 else "p" if is_players else name[0]
        meant = f"{letter} in {'players' if is_players else of or name}"
        if found["other"] and not re.match(r"\s*if\b", stop.text[found.end() :]):
            meant += f" if {letter} != you"
        written = meant
    return Rejected(
        "RR0331",
        "this is not how rules are written here",
        start,
        found.end(),
        f"write `{'for ' if heads else ''}{meant}`",
        # What a name stands for that is not there yet, or which of all there are, is a guess.
        instead=Instead(
            written, not found["other"] and bool(found["goes_on"] or (of and is_players))
        ),
    )


_EACH_VALUE = re.compile(
    rf"\b(?P<call>{NAME})\(\s*(?P<loop>(?:for\s+)?(?:(?:each|every|all)\s+)?"
    rf"(?:{NAME}\s+)?(?P<name>{NAME}))(?=\s+in\b)"
)
"""A call whose first value is a loop: `count(for each card c in`."""
_TAKES_MEMBERS = frozenset(("any", "count", "first", "last", "highest", "lowest"))


def each_value(stop: Stop) -> Rejected | None:
    """Find a loop where its value stands: `count(for each c in hand)`."""
    for found in _EACH_VALUE.finditer(stop.text):
        loop, name, call = found["loop"], found["name"], found["call"]
        if loop == name or not found.start("loop") <= stop.at <= found.end():
            continue
        takes = call in _TAKES_MEMBERS
        written = f"{call}({name} in …)" if takes else f"{call}(VALUE for {name} in …)"
        return Rejected(
            "RR0331",
            "this is not how rules are written here",
            found.start("loop"),
            found.end("loop"),
            f"write `{written}`",
            instead=Instead(name) if takes else None,
        )
    return None


def _balanced(text: str) -> str:
    """A text up to a bracket that closes what was opened before it."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if depth < 0:
            return text[:place]
    return text
