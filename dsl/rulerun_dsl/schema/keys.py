"""The findings of a mapping's keys: one too many, one too few, two that exclude each other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from rulerun_dsl.diagnostics.diagnostic import (
    MOST_FINDINGS,
    Diagnostic,
    Related,
    did_you_mean,
    listed,
    more_findings,
    problem,
    short,
    suggest,
)
from rulerun_dsl.diagnostics.fixes import Edit, Fix, Hint, insert, rewrite
from rulerun_dsl.schema.failed_keywords import Failure
from rulerun_dsl.schema.opposites import opposite
from rulerun_dsl.schema.ruleset_schema import HEADS, Schema, definition, homes_of
from rulerun_dsl.schema.validator import Place, extra_keys
from rulerun_dsl.source.identifiers import composed, is_name
from rulerun_dsl.source.spans import Span
from rulerun_dsl.source.special_cards import ALONE, is_every
from rulerun_dsl.yaml.nodes import Entry, Mapping, Node, Scalar

NAMES = "a name is one word of letters, digits and `_`, and begins with no digit"


def not_a_name(word: Scalar) -> Diagnostic:
    """The diagnostic for what should be a name and is none."""
    help, name = NAMES, composed(word.text)
    fixes: tuple[Fix, ...] = ()
    if is_every(word.text):
        help = ALONE
    if is_name(name):
        help = "an accent stands behind its letter: write both as one character"
        fixes = rewrite(word.span, name, safe=True) if word.span.text == word.text else ()
    return problem("RR0212", f"`{word.text}` is not a name", word.span, help=help, fixes=fixes)


# Keys that cannot stand side by side, though each is right without the other.
_RIVALS = (
    {"of", "one"},
    {"queued", "stacked"},
    {"do", "phases"},
    {"value", "cases"},
    {"value", "match"},
    {"module", "game"},
    {"module", "rulerun"},
)

# What people write who know other languages, or an older rulerun.
_OTHER_WORDS = {
    "while": "write `until:` with the opposite condition",
    "faces": "write a `state` such as `{face: 1..6}`",
    "per": "write it in brackets behind the name, as in `hand[player]`",
    "random": "write `pick x at random from …` as a line",
    "modules": "write each as a `chapter NAME` with `when`",
    "dice": "write each kind of die under `components`",
    "lines": "write the lines directly under `points(player p)`",
    "cycle": "write a board of the shape `ring`",
    "refill_from": "write `refill`",
    "rounds": "write `repeat:` with the number",
    "end": "write `until:` with the condition",
    "ends": "write `until:` with the condition",
    "hidden": "write `visible: none`, or `visible: owner` if its player sees it",
    "secret": "write `visible: none`, or `visible: owner` if its player sees it",
    "private": "write `visible: owner`",
    "public": "write `visible: all`",
    "face_down": "write `visible: none`, with `order: random` if it is shuffled",
    "shuffled": "write `order: random`",
    "bonus": "write it as a line under `points(player p):`",
    "foreach": "write `for: p in players` and `do:`",
    "else": "write it beside `if:` and `then:`",
}
_FOR_EACH = re.compile(
    r"(?:for )?(?:foreach|each|every|all) (?:player ?)?(\w+)?(?: in (\S+))?$|for (\w+) in (\S+)$"
)
"""A key that is meant as a loop."""


def too_little(place: Place) -> Diagnostic:
    """Return what is wrong with a collection that is empty."""
    return problem(
        "RR0213",
        f"{place.name} holds nothing",
        place.node.span,
        help="write what belongs there, or take it out",
    )


def no_head(node: Mapping) -> Diagnostic:
    """Return what is wrong with a step that begins with none of the words for that."""
    for entry in node.entries:
        key = entry.key
        near = suggest(key.text, HEADS)
        if each := _FOR_EACH.match(key.text):
            name = each[3] or each[1] or "p"
            where = each[4] or each[2] or "players"
            does = entry.value.text if isinstance(entry.value, Scalar) else "…"
            help = f"write the keys `for: {name} in {where}` and `do:`"
            fixes: tuple[Fix, ...] = ()
            if does != "…":
                line = f"{does} for {name} in {where}"
                help = f"write `{line}`, or " + help[6:]
                if len(node.entries) == 1 and entry.value.span.text == does and "\n" not in does:
                    alone = not re.search(r"\b(?:for|if)\b|;", does)
                    fixes = rewrite(node.span, line, safe=alone)
            message = "a loop is written with keys of its own"
            return problem("RR0210", message, key.span, help=help, fixes=fixes)
        if near or key.text in _OTHER_WORDS:
            hint = did_you_mean(key.span, key.text, near, HEADS, _OTHER_WORDS.get(key.text))
            if key.text == "while":
                hint = _until(key, node)
            return problem("RR0210", f"no statement begins with `{key.text}`", key.span, **hint)
    first = node.entries[0].key.span if node.entries else node.span
    words = listed(f"`{head}`" for head in HEADS)
    what = f"with `{node.entries[0].key.text}`" if node.entries else "like this"
    return problem(
        "RR0210",
        f"no statement begins {what}",
        first,
        help=f"write a line of text, or one of the keys {words}",
    )


def wrong_keys(place: Place, node: Mapping, failed: dict[str, Failure]) -> Iterator[Diagnostic]:
    """Yield what is wrong with the keys of a mapping that should be one."""
    missing = []
    if "required" in failed:
        missing = [key for key in failed["required"].wanted if key not in node]
    if "additionalProperties" in failed:
        # An unknown key may be what a missing one was meant to be: that is one mistake, not two.
        yield from _unknown_keys(node, failed["additionalProperties"].form, missing)
    if missing:
        yield from _missing_keys(place, node, failed["required"].form, missing)
    if "minProperties" in failed:
        yield too_little(place)


def _unknown_keys(node: Mapping, form: Schema, missing: list[str]) -> Iterator[Diagnostic]:
    """Yield the keys that do not belong in a mapping; strike what they stand for from `missing`."""
    extra, known = extra_keys(form, node), list(form.get("properties", {}))
    if extra[MOST_FINDINGS:]:
        yield more_findings(len(extra) - MOST_FINDINGS, extra[MOST_FINDINGS].span)
        del extra[MOST_FINDINGS:]
    head = next((node.entry(word) for word in HEADS if word in form.get("required", ())), None)
    if head is not None and any(key.text in HEADS for key in extra):
        # What belongs to the second statement is as wrong as its head, and needs no second word.
        yield from (_second_head(head.key, key) for key in extra if key.text in HEADS)
        companions = definition("statement_unknown")["properties"]
        extra = [key for key in extra if key.text not in companions]
        missing.clear()
    if "rows" in missing and not any(
        suggest(key.text, known) or homes_of(key.text) for key in extra
    ):
        # The rows stand a level too high.
        yield problem(
            "RR0202",
            f"{form.get('title', 'this')} needs `rows`",
            extra[0].span,
            help=f"put {listed((f'`{key.text}`' for key in extra[:3]), 'and')} under `rows:`",
        )
        missing.remove("rows")
        return
    for key in extra:
        rival = _rival(key.text, known, node)
        if rival is not None:
            yield problem(
                "RR0211",
                f"`{key.text}` and `{rival.text}` exclude each other",
                key.span,
                related=[Related(rival.span, f"`{rival.text}` stands here")],
                help="keep one of them",
            )
            continue
        near = None
        if key.text not in _OTHER_WORDS:
            near = meant(key.text, [word for word in known if word not in node])
            if near is None and "do" in known:
                near = meant(key.text, HEADS)
            if near is None and len(missing) == 1:
                near = missing[0]
        if near in missing:
            missing.remove(near)
        elif near in HEADS or key.text in _OTHER_WORDS:
            missing.clear()
        yield _unknown_key(key, node, form, near)
    if extra and not any(word in node for word in known):
        # Nothing here is what it should be: what is missing need not be told one by one.
        missing.clear()


def meant(word: str, known: Iterable[str]) -> str | None:
    """Return the key that was likely meant by one that is not known here."""
    near = suggest(word, known)
    # A word that is right elsewhere is not misspelt, unless it is very like one that is right here.
    if near and homes_of(word) and SequenceMatcher(None, word, near).ratio() < _VERY_LIKE:
        return None
    return near


# The pattern of a key such as `points(player p)`.
_CALLED = re.compile(r"\^([a-z]+)\(\\\(")
_FEW_KEYS = 12
_VERY_LIKE = 0.8


def _unknown_key(key: Scalar, node: Mapping, form: Schema, near: str | None) -> Diagnostic:
    known, patterns = list(form.get("properties", {})), form.get("patternProperties", {})
    word, _, rest = key.text.partition(" ")
    if rest and any(pattern.startswith(f"^{word} ") for pattern in patterns):
        return problem(
            "RR0212",
            f"`{key.text}` does not end in a name of one word",
            key.span,
            help="write `chapter NAME`",
        )
    if patterns and not known:
        return not_a_name(key)
    known += [f"{found[1]}(…)" for each in patterns if (found := _CALLED.match(each))]
    help = None
    if key.text in _OTHER_WORDS:
        help = _OTHER_WORDS[key.text]
    elif homes := homes_of(key.text):
        help = f"it belongs in {listed(homes[:3])}{' and elsewhere' if len(homes) > 3 else ''}"
    elif len(known) <= _FEW_KEYS:
        help = "the keys here are " + listed((f"`{word}`" for word in known), "and")
    title = form.get("title", "this mapping")
    hint = did_you_mean(key.span, key.text, near, [*form.get("properties", {}), *HEADS], help)
    if key.text == "while" and "until" in form.get("properties", {}):
        hint = _until(key, node)
    elif key.text == "while" and ("for" in node or "repeat" in node):
        hint["help"] = _LEAVING
    elif key.text in _OTHER_WORDS:
        hint["fixes"] = _other_key(key, node.get(key.text), form)
    return problem("RR0201", f"`{key.text}` is not a key of {title}", key.span, **hint)


_ANOTHER = re.compile(r"write `([a-z_]+)(?::`|`$|`? with the)")
_ANOTHER_WITH_VALUE = re.compile(r"write `([a-z]+: \w+)`")


def _other_key(key: Scalar, value: Node | None, form: Schema) -> tuple[Fix, ...]:
    """The fix that writes the key, or key and value, of which `_OTHER_WORDS` speaks."""
    help = _OTHER_WORDS[key.text]
    known = form.get("properties", {})
    if (other := _ANOTHER.match(help)) and other[1] in known:
        return rewrite(key.span, other[1], safe=True)
    both = _ANOTHER_WITH_VALUE.match(help)
    is_set = isinstance(value, Scalar) and value.text == "true" and value.style == "plain"
    if both and both[1].split(":")[0] in known and value is not None and is_set:
        sure = help == both[0]
        return rewrite(key.span.to(value.span), both[1], safe=sure)
    return ()


_LINE = 200
"""So much is shown of a line that is to be written."""


def _until(key: Scalar, node: Mapping) -> Hint:
    """What to write for a `while`: the condition that ends what it goes on with."""
    hint: Hint = {"help": _OTHER_WORDS["while"], "fixes": ()}
    value, until = node.get("while"), node.get("until")
    if not isinstance(value, Scalar) or value.text != value.span.text or "\n" in value.text:
        return hint
    text = opposite(value.text)
    if text is None:
        return hint
    if until is not None:
        if isinstance(until, Scalar):
            both = f"until: {short(until.text, _LINE)} or {short(text, _LINE)}"
            hint["help"] = f"write one `{both}`, for what ends it either way"
        return hint
    # What is done first and tested then is done once more often.
    keys = [entry.key.text for entry in node.entries]
    safe = not {"do", "phases"} & {*keys[: keys.index("while")]}
    edits = (Edit(key.span, "until"), Edit(value.span, text))
    title = f"write `until: {short(text, _LINE)}`"
    return {"help": f"{title}, the condition that ends it", "fixes": (Fix(title, edits, safe),)}


_LEAVING = (
    "to leave a loop before its time put it into a procedure, and begin its `do` with `stop if …`"
)


def _second_head(first: Scalar, second: Scalar) -> Diagnostic:
    help = "make them two items of a list, or put one under the `do` of the other"
    if {first.text, second.text} in ({"for", "until"}, {"repeat", "until"}):
        help = _LEAVING
    return problem(
        "RR0209",
        f"`{second.text}` begins a second statement in one",
        second.span,
        related=[Related(first.span, f"the statement is `{first.text}`")],
        help=help,
    )


def _rival(word: str, known: list[str], node: Mapping) -> Scalar | None:
    """Return the key that is there instead of `word`."""
    for pair in _RIVALS:
        if word in pair:
            (other,) = pair - {word}
            if other in known and (entry := node.entry(other)) is not None:
                return entry.key
    return None


def _list_in_value(node: Mapping) -> tuple[Entry, Span] | None:
    """A list that stands under a value, which YAML reads as more of that value."""
    for entry in node.entries:
        value = entry.value
        if isinstance(value, Scalar) and value.style == "plain":
            found = re.search(r"[\r\n] *(?=- )", value.span.text)
            if found is not None:
                source = value.span.source
                return entry, source.span(value.span.start + found.end(), value.span.end)
    return None


def _line_above(span: Span, line: str) -> tuple[Fix, ...]:
    source = span.source
    start = source.line_starts[span.line - 1]
    ending = "\r\n" if "\r\n" in source.text else "\n"
    title = f"write `{line.strip()}` above it"
    return insert(source.span(start, start), line + ending, safe=True, title=title)


def _missing_keys(
    place: Place, node: Mapping, form: Schema, missing: list[str]
) -> Iterator[Diagnostic]:
    head = next((entry.key for entry in node.entries if entry.key.text in HEADS), None)
    owner = head if head is not None and head.text in form["required"] else place.key
    if owner is not None:
        name, span = f"`{owner.text}`", owner.span
    else:
        name, span = form.get("title", "this item"), place.start
    for key in missing:
        if key in ("do", "then") and (listed_there := _list_in_value(node)) is not None:
            entry, steps = listed_there
            depth = entry.key.span.column - 1
            yield problem(
                "RR0202",
                f"{name} needs `{key}`: this list is a part of the value of `{entry.key.text}`",
                steps,
                related=[Related(entry.key.span, "the value begins here")],
                help=f"write `{key}:` on a line above it, in column {depth + 1}",
                fixes=_line_above(steps, " " * depth + f"{key}:"),
            )
            continue
        about = form.get("properties", {}).get(key, {}).get("description")
        fixes: tuple[Fix, ...] = ()
        if key == "rulerun":
            about = "begin the file with the version of the language: `rulerun: 1`"
            source = place.node.span.source
            ending = "\r\n" if "\r\n" in source.text else "\n"
            top = source.span(place.node.span.start)
            fixes = insert(top, f"rulerun: 1{ending}", safe=True, title="write `rulerun: 1`")
        yield problem("RR0202", f"{name} needs `{key}`", span, help=about, fixes=fixes)
