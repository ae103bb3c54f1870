"""One line of a record: what may stand in it, and its sum.

Assumes bytes that anybody may have written.
Does: reads a line as JSON and checks that it is a header, an input or an end; computes the sum that
chains a line to those before it.
Leaves behind a header as it stands, or an `Entry`; `Unfit` says why a line is neither.

A *sum* (from format 2 on) is a hash of the line without it and of the sum of the line before. So
the first line that was changed afterwards is known without playing. It is no signature: somebody
who changes a line can compute all sums again. Then only the end of the play can show the change,
and where nothing in it differs, nothing shows it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from hashlib import blake2b

from rulerun_dsl.diagnostics.diagnostic import Diagnostic, problem
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Span

FORMAT = 2
"""The version of the format in which records are written."""

FORMATS = (1, 2)
"""Those that are read. Format 1 has no sums, and neither points nor a state in its end."""

LONGEST_LINE = 2**16

SUM = "sum"


@frozen
class Entry:
    """A line behind the header. `word`: `action`, `chance`, `undo` or `end`."""

    number: int
    word: str
    text: str
    """The action, the outcome, or how it ended."""
    by: str = ""
    of: int = 0
    """Of an undo: the number of the input taken back."""
    result: Mapping[str, object] | None = None
    state: str = ""
    """Of an end: the hash of the state."""
    span: Span | None = field(default=None, compare=False)


class Unfit(ValueError):
    """A line is none that a record holds; the message says why."""


def sum_of(before: str, data: Mapping[str, object]) -> str:
    """The sum of a line, behind one with the sum `before` (the header: behind none)."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return blake2b(f"{before}{text}".encode(), digest_size=8).hexdigest()


def header_sum(data: Mapping[str, object]) -> str:
    """The sum of a header: four digits for each part, so that a change can be named, then all."""
    return "".join(_short(name, part) for name, part in _parts(data)) + sum_of("", data)


def changed_parts(stated: str, data: Mapping[str, object]) -> list[str]:
    """The parts of a header that are not as its sum says; none if that cannot be told."""
    parts = _parts(data)
    if len(stated) != len(header_sum(data)):
        return []
    return [
        name
        for at, (name, part) in enumerate(parts)
        if stated[4 * at : 4 * at + 4] != _short(name, part)
    ]


def _parts(data: Mapping[str, object]) -> list[tuple[str, object]]:
    parts: dict[str, object] = {}
    for key, value in data.items():
        if isinstance(value, dict):
            parts.update((f"{key}: {name}", each) for name, each in value.items())
        else:
            parts[key] = value
    return sorted(parts.items(), key=lambda part: part[0])


def _short(name: str, part: object) -> str:
    return sum_of(name, {"": part})[:4]


def object_of(line: bytes) -> dict[str, object]:
    """Return the JSON object of a line. Raises `Unfit`."""
    if len(line) > LONGEST_LINE:
        raise Unfit(f"the line is longer than {LONGEST_LINE // 1024} KiB")
    try:
        data = json.loads(
            line.decode("utf-8"), parse_constant=_no_constant, object_pairs_hook=_unique
        )
    except Unfit:
        raise
    except RecursionError:
        raise Unfit("the line is nested too deeply") from None
    except UnicodeDecodeError:
        raise Unfit("the line is not UTF-8") from None
    except ValueError as failure:
        reason = failure.msg.lower() if isinstance(failure, json.JSONDecodeError) else "a number"
        raise Unfit(f"the line is not JSON: {reason}") from None
    if not isinstance(data, dict):
        raise Unfit("the line is not a JSON object")
    return data


def _no_constant(word: str) -> object:
    raise Unfit(f"`{word}` is no number of JSON")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    data = dict(pairs)
    if len(data) < len(pairs):
        raise Unfit("a key stands twice in one object")
    return data


def header_of(
    data: dict[str, object], span: Span, diagnostics: list[Diagnostic]
) -> dict[str, object]:
    """The header, without its sum. Raises `Unfit`."""
    if "record" not in data:
        raise Unfit("the first line of a record has the key `record`")
    if number_of(data, "record") not in FORMATS:
        known = " and ".join(map(str, FORMATS))
        message = f"this record has format {data['record']}; this rulerun reads {known}"
        diagnostics.append(problem("RR1004", message, span))
        return data
    _only(data, ("record", "rulerun", "game", "fingerprint", "players", "options", "seats", "seed"))
    number_of(data, "rulerun")
    text_of(data, "game")
    text_of(data, "fingerprint")
    players = texts_of(data, "players")
    if len(set(players)) < len(players) or not players:
        raise Unfit("`players` are different names, one at least")
    table_of(data, "options")
    for name in table_of(data, "seats"):
        if name not in players:
            raise Unfit(f"`seats` names {name}, who is no player")
    seed_of(data)
    return data


def entry_of(data: dict[str, object], span: Span, format_: int) -> Entry:
    """A line behind the header, without its sum. Raises `Unfit`."""
    words = [word for word in ("action", "chance", "undo", "end") if word in data]
    if len(words) != 1:
        raise Unfit("a line has one of `action`, `chance`, `undo` and `end`")
    (word,) = words
    number = number_of(data, "n")
    match word:
        case "action":
            _only(data, ("n", "by", "action"))
            return Entry(number, word, text_of(data, "action"), by=text_of(data, "by"), span=span)
        case "chance":
            _only(data, ("n", "chance"))
            return Entry(number, word, text_of(data, "chance"), span=span)
        case "undo":
            _only(data, ("n", "undo"))
            return Entry(number, word, "", of=number_of(data, "undo"), span=span)
    newer = ("state",) if format_ > 1 else ()
    _only(data, ("n", "end", "result", *newer))
    how = text_of(data, "end")
    if how not in ("over", "truncated"):
        raise Unfit("`end` is `over` or `truncated`")
    state = text_of(data, "state") if newer else ""
    outcome = data.get("result")
    if outcome is None and "result" not in data:
        return Entry(number, word, how, state=state, span=span)
    if not isinstance(outcome, dict):
        raise Unfit("`result` is an object")
    _only(outcome, ("winners", "returns", "places", *(("points",) if newer else ())))
    texts_of(outcome, "winners")
    texts_of(outcome, "returns")
    if "points" in outcome:
        texts_of(outcome, "points")
    if "places" in outcome:
        places = outcome["places"]
        if not isinstance(places, list) or not all(type(each) is int for each in places):
            raise Unfit("`places` is a list of whole numbers")
    return Entry(number, word, how, result=outcome, state=state, span=span)


def stated_sum(data: dict[str, object]) -> str:
    """Take the sum out of a line. Raises `Unfit`."""
    stated = text_of(data, SUM)
    del data[SUM]
    return stated


def _only(data: Mapping[str, object], keys: tuple[str, ...]) -> None:
    for key in data:
        if key not in keys:
            raise Unfit(f"`{key}` is no key of this line")


def number_of(data: Mapping[str, object], key: str) -> int:
    """A whole number that is not negative. Raises `Unfit`."""
    value = data.get(key)
    if type(value) is not int or value < 0:
        raise Unfit(f"`{key}` is a whole number")
    return value


def text_of(data: Mapping[str, object], key: str) -> str:
    """A text. Raises `Unfit`."""
    value = data.get(key)
    if not isinstance(value, str):
        raise Unfit(f"`{key}` is a text")
    return value


def texts_of(data: Mapping[str, object], key: str) -> list[str]:
    """A list of texts. Raises `Unfit`."""
    value = data.get(key)
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise Unfit(f"`{key}` is a list of texts")
    return value


def table_of(data: Mapping[str, object], key: str) -> dict[str, str]:
    """An object of texts, which may be missing. Raises `Unfit`."""
    value = data.get(key, {})
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        raise Unfit(f"`{key}` is an object of texts")
    return value


def seed_of(data: Mapping[str, object]) -> int | str | None:
    """A seed, which may be missing. Raises `Unfit`."""
    seed = data.get("seed")
    if type(seed) is int or isinstance(seed, str) or "seed" not in data:
        return seed  # type: ignore[return-value]  # `type is int` leaves out bool
    raise Unfit("`seed` is a whole number or a text")
