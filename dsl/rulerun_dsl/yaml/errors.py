"""What a syntax error of YAML means to somebody who writes rules.

Assumes: a text that libyaml has refused, and its error with the places it gives.
Does: looks at the text around the place, and at the last tokens before it, for the slip that is
behind the error, and says that in the words of the language.
Leaves behind: one diagnostic. YAML stops at its first syntax error.

libyaml's own messages name what its grammar wanted ("did not find expected key") and often point
to the beginning of the mapping around the slip, so hardly a word of them is used: only which
family of rules gave up. `explain` goes from the surest signs to the weakest.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import yaml

from rulerun_dsl.diagnostics.diagnostic import Diagnostic, Related, Severity, problem, short
from rulerun_dsl.diagnostics.fixes import (
    Fix,
    insert,
    quote,
    rewrite,
    take_out_line,
)
from rulerun_dsl.source.identifiers import NAME
from rulerun_dsl.source.spans import Source
from rulerun_dsl.source.special_cards import ALONE, is_every
from rulerun_dsl.yaml.block_errors import body_missing, section_within, unfitting
from rulerun_dsl.yaml.bracket_errors import bracket_in_item, left_open
from rulerun_dsl.yaml.error_context import Slip
from rulerun_dsl.yaml.slip_fixes import (
    end_of_document,
    on_the_next_line,
    spaces_for_tabs,
    with_colon,
    with_dash,
)

_LONGEST_KEY = 1024
_SPACE_MISSING = re.compile(rf"({NAME}(?:\[[^\]\r\n]*\])?:)([^\s/][^\r\n]*)")
_QUOTE = "quote the whole value"
_KEY_BEFORE = re.compile(r"(\w+)(?:\[[^\]]*\]|\([^)]*\))?:\s+\Z")
_SENTENCES = ("say", "ask", "about", "title", "story", "notes")
"""Keys with sentences for people."""


def explain(source: Source, failure: yaml.YAMLError) -> Diagnostic:
    """Return the diagnostic for an error that stopped the reader."""
    slip = Slip(source, failure)
    for explanation in _EXPLANATIONS:
        if found := explanation(slip):
            return found
    where = []
    if slip.opening != slip.place:
        where.append(Related(slip.span(slip.opening, slip.opening + 1), slip.context))
    return problem(
        "RR0101",
        f"YAML cannot read this: {slip.said}",
        slip.here(),
        related=where,
        help="quote the value, or compare the line with those around it",
    )


def _tab(slip: Slip) -> Diagnostic | None:
    indentation = slip.line_text[: len(slip.line_text) - len(slip.line_text.lstrip())]
    stopped = slip.character == "\t" and ("start any token" in slip.said or "tab" in slip.said)
    if "\t" not in indentation or not (stopped or slip.place <= slip.line_start + len(indentation)):
        if not stopped:
            return None
        start = slip.place
    else:
        start = slip.line_start + indentation.index("\t")
    end = start
    while slip.text[end : end + 1] == "\t":
        end += 1
    return problem(
        "RR0102",
        "a tab is used for indentation",
        slip.span(start, end),
        help="indent with spaces, two for each level",
        fixes=spaces_for_tabs(slip.source),
    )


def _depth(slip: Slip) -> Diagnostic | None:
    if "nesting" not in slip.said:
        return None
    return problem(
        "RR0115",
        "this is nested too deeply",
        slip.span(slip.place, slip.place + 1),
        help="move the inner part into a procedure or a function",
    )


def _quoted(slip: Slip) -> Diagnostic | None:
    if "quoted scalar" not in slip.context and "double-quoted" not in slip.context:
        return None
    quote = slip.text[slip.opening : slip.opening + 1]
    if "escape" in slip.said or "hexdecimal" in slip.said or "hexadecimal" in slip.said:
        start = slip.text.rfind("\\", slip.opening, slip.place + 1)
        start = slip.place if start < 0 else start
        return problem(
            "RR0130",
            f"`{slip.text[start : start + 2]}` means nothing in double quotes",
            slip.span(start, start + 2),
            help="write `\\\\` for a backslash, or use single quotes",
            fixes=insert(slip.span(start, start), "\\", safe=True, title="write a backslash"),
        )
    end = slip.opening + len(slip.first_line(slip.opening))
    return problem(
        "RR0127",
        f"this {quote} is never closed",
        slip.span(slip.opening, slip.opening + 1),
        help=f"add the closing {quote}; if the {quote} belongs to the value, quote the whole "
        "value with the other kind of quote",
        fixes=insert(slip.span(slip.opening, end), quote, safe=False, title=f"write the {quote}"),
    )


def _reserved(slip: Slip) -> Diagnostic | None:
    if "start any token" in slip.said and slip.character in ("@", "`", "%"):
        start = slip.place
    elif "directive" in slip.context or "directive" in slip.said or "incompatible" in slip.said:
        start = slip.line_start
    else:
        return None
    sign = slip.text[start : start + 1]
    if start == slip.line_start and sign == "%":
        return problem(
            "RR0111",
            "`%` at the start of a line starts a YAML directive",
            slip.first_words(),
            help="delete the line, or quote the value if the `%` belongs to it",
        )
    shown = "a backtick" if sign == "`" else f"`{sign}`"
    return problem(
        "RR0111",
        f"{shown} may not start a value: YAML keeps it for itself",
        slip.span(start, start + max(1, len(slip.rest(start)))),
        help=_QUOTE,
        fixes=quote(slip.span(start, start + len(slip.rest(start)))) if slip.rest(start) else (),
    )


def _block_sign(slip: Slip) -> Diagnostic | None:
    in_brackets = "start any token" in slip.said and slip.character in ("|", ">")
    if "block scalar" not in slip.context and not in_brackets:
        return None
    start = slip.place if in_brackets else slip.opening
    sign = slip.text[start : start + 1]
    if in_brackets:
        message = f"`{sign}` may not start a value inside brackets or braces"
    else:
        message = f"`{sign}` at the start of a value opens a block of text on the lines below"
    end = start + len(re.split(r"[\r\n]", slip.text[start:], maxsplit=1)[0])
    return problem(
        "RR0120",
        message,
        slip.span(start, end),
        help=f"{_QUOTE} if the `{sign}` belongs to it",
        fixes=quote(slip.span(start, start + len(slip.rest(start))), safe=False),
    )


def _sign_with_name(slip: Slip) -> Diagnostic | None:
    for sign, word, code in (
        ("*", "alias", "RR0109"),
        ("&", "anchor", "RR0110"),
        ("!", "tag", "RR0104"),
    ):
        start = slip.opening
        if f"scanning a {word}" in slip.context or f"scanning an {word}" in slip.context:
            pass
        elif word == "tag" and ("tag" in slip.said or "URI" in slip.said):
            start = min(slip.opening, slip.place)
        elif word == "alias" and isinstance(slip.previous, yaml.AliasToken):
            if not slip.on_this_line(slip.previous):
                continue
            start = slip.previous.start_mark.index
        else:
            continue
        return problem(
            code,
            f"`{sign}` at the start of a value starts a YAML {word}",
            slip.span(start, max(start + 1, start + len(slip.rest(start)))),
            help=f"{_QUOTE} if the `{sign}` belongs to it",
            fixes=quote(slip.span(start, start + len(slip.rest(start))), safe=False),
        )
    return None


def _after_value(slip: Slip) -> Diagnostic | None:
    """Find a quoted or bracketed value that goes on."""
    before = slip.previous
    if not slip.on_this_line(before) or "not allowed" in slip.said or slip.character in ",]}:":
        return None
    if isinstance(before, yaml.ScalarToken) and not before.plain:
        start = before.start_mark.index
        mark = slip.text[start : start + 1]
        if mark in "|>":
            return None
        whole = slip.text[start:].split("\n", 1)[0]
        inner = slip.text[start + 1 : before.end_mark.index - 1]
        if mark == "'" and re.match(r"\w", slip.character) and before.end_mark.index == slip.place:
            help = f"an apostrophe inside single quotes is written twice: `'{inner}''…'`"
        elif '"' not in whole:
            help = f'{_QUOTE} with the other quotes: `"{slip.rest(start)}"`'
        elif "'" not in whole:
            help = f"{_QUOTE} with the other quotes: `'{slip.rest(start)}'`"
        else:
            help = _QUOTE
        message = "a value that starts with a quote ends with it, and here it goes on"
        # More quotes may be of several values.
        alone = whole.count(mark) == 2 and not slip.open_brackets and not re.search(r"\s#", whole)
        fixes = quote(slip.span(start, start + len(slip.rest(start)))) if alone else ()
        return problem("RR0118", message, slip.here(), help=help, fixes=fixes)
    if isinstance(before, yaml.FlowSequenceEndToken | yaml.FlowMappingEndToken):
        sign = slip.text[before.start_mark.index]
        value = slip.value()
        fits = value.text[:1] == {"]": "[", "}": "{"}[sign] and not slip.open_brackets
        return problem(
            "RR0118",
            f"a value that starts with a bracket or brace ends with its `{sign}`, "
            "and here it goes on",
            slip.here(),
            help=_QUOTE,
            fixes=quote(value) if fits else (),
        )
    return None


def _colon(slip: Slip) -> Diagnostic | None:
    if "mapping values are not allowed" not in slip.said:
        return None
    before = slip.previous
    if isinstance(before, yaml.ScalarToken) and before.start_mark.index < slip.line_start:
        if before.plain:
            return _colon_after_text(slip, before)
        return problem(
            "RR0105",
            "a key is a single line of text, and this is not",
            slip.span(before.start_mark.index, before.end_mark.index),
            help="write the key on one line",
        )
    return _colon_in_value(slip)


def _colon_in_value(slip: Slip) -> Diagnostic:
    before = slip.text[slip.line_start : slip.place]
    place = slip.value()
    written = place.text
    fixes: tuple[Fix, ...] = ()
    if " ? " in before:
        if chosen := re.fullmatch(r"([^?:]+) \? ([^?:]+) : ([^?:]+)", written):
            text = f"{chosen[2]} if {chosen[1]} else {chosen[3]}"
            fixes = rewrite(place, text, safe=True)
        message = "`? :` is not a condition here, and YAML takes the colon for itself"
        help = "write `this if condition else that`"
    else:
        message = "a colon and a space stand inside an unquoted value"
        # Rewriting is offered only where it is one line and simple.
        fits = written and len(written) < 60 and '"' not in written and not slip.open_brackets
        help = f'{_QUOTE}: `"{written}"`' if fits else _QUOTE
        key = _KEY_BEFORE.search(slip.text[slip.line_start : place.start])
        # Braces may be missing around keys; a sentence has none.
        if fits and key and not re.search(r"[\[\]{}=]", written):
            fixes = quote(place, safe=key[1] in _SENTENCES)
    colon = slip.span(slip.place, slip.place + 1)
    return problem("RR0119", message, colon, help=help, fixes=fixes)


def _colon_after_text(slip: Slip, before: Any) -> Diagnostic:
    """Explain a key, or a colon, on a line that continues an unquoted value."""
    start = before.start_mark.index
    line, column = slip.source.position(start)
    above = slip.source.line_text(line)
    words = slip.first_words()
    if not above[: column - 1].strip(" -"):
        # The text stands alone on its line.
        lone = slip.span(start, start + len(above[column - 1 :].rstrip()))
        if is_every(lone.text):
            message = f"`{lone.text}` stands beside other rows"
            follows = [Related(words, "the row that follows")]
            return problem("RR0132", message, lone, related=follows, help=ALONE)
        return problem(
            "RR0132",
            f"`{short(lone.text)}` has no `:`, and a key follows it",
            lone,
            related=[Related(words, "the key that follows")],
            help=f"write `{short(lone.text)}:` if it is a key, or indent the next line less",
            fixes=with_colon(slip, lone),
        )
    value = slip.span(start, start + len(above.rstrip()) - column + 1)
    return (
        section_within(slip)
        or body_missing(slip, value)
        or problem(
            "RR0128",
            f"`{short(words.text)}` stands deeper than the line above, which has its value already",
            words,
            related=[Related(value, "the value above")],
            help="indent it like the key above; if it continues the value, quote the whole value",
        )
    )


def _not_here(slip: Slip) -> Diagnostic | None:
    if "mapping keys are not allowed" in slip.said:
        return problem(
            "RR0105",
            "`?` and a space start a key of several lines, which a rules file has no use for",
            slip.here(),
            help=_QUOTE,
        )
    if "sequence entries are not allowed" not in slip.said and not (
        slip.character == "-" and "block sequence" in slip.said
    ):
        return None
    return problem(
        "RR0131",
        "a list cannot start on the line of its key",
        slip.here(),
        help="put the `-` on the next line, or quote the value if the `-` is a minus sign",
        fixes=on_the_next_line(slip),
    )


def _simple_key(slip: Slip) -> Diagnostic | None:
    if "expected ':'" not in slip.said:
        return None
    start = slip.opening
    if spaceless := _SPACE_MISSING.match(slip.text, start):
        key, value = spaceless[1], re.split(r"\s#", spaceless[2])[0].rstrip()
        return problem(
            "RR0123",
            f"there is no space after `{key}`, so this is no key",
            slip.span(start, spaceless.end(1)),
            help=f"write `{key} {short(value)}`",
            fixes=insert(
                slip.span(start, spaceless.end(1)),
                " ",
                safe=True,
                title="put a space behind the colon",
            ),
        )
    line = re.compile(r"[^\r\n]*").match(slip.text, start)
    assert line is not None
    words = re.split(r"\s#", line[0])[0].rstrip()
    if len(words) > _LONGEST_KEY:
        return problem(
            "RR0105",
            f"a key has at most {_LONGEST_KEY:,} characters",
            slip.span(start, start + len(words)),
            help="make the condition a function and write its name here",
        )
    return problem(
        "RR0132",
        f"`{short(words)}` has no `:`",
        slip.span(start, start + len(words)),
        help="write a key, a colon, a space and a value; indent the line more if it continues "
        "the value above",
        fixes=with_dash(slip, start) or with_colon(slip, slip.span(start, start + len(words))),
    )


def _flow(slip: Slip) -> Diagnostic | None:
    """Explain an error inside braces or brackets."""
    open_brackets = slip.open_brackets
    if "',' or" not in slip.said and not (slip.character == "" and open_brackets):
        signs = ",]}-?" if open_brackets else ",]}"
        wanted = ("node content", "expected key", "block end")
        if slip.character and slip.character in signs and any(map(slip.said.count, wanted)):
            return problem(
                "RR0134",
                f"`{slip.character}` stands where a value or a key is expected",
                slip.span(slip.place, slip.place + 1),
                help="delete it, or quote the value if it belongs to it",
            )
        return None
    opening = open_brackets[-1] if open_brackets else slip.opening
    bracket = slip.text[opening]
    before = slip.previous
    if found := left_open(slip, opening) or bracket_in_item(slip, opening):
        return found
    on_line = before is not None and before.start_mark.index >= slip.line_start
    if slip.character == ":" and on_line:
        return _colon_in_value(slip)
    closing = {"[": "]", "{": "}"}.get(bracket, "")
    end = opening + len(slip.first_line(opening))
    fixes = insert(slip.span(opening, end), closing, safe=False, title=f"write the `{closing}`")
    if slip.character and slip.character in "]}":
        message = f"`{bracket}` is closed by `{slip.character}`"
        help = f"close it with `{closing}`"
        fixes = rewrite(slip.span(slip.place, slip.place + 1), closing, safe=False)
    elif not slip.character:
        message = f"`{bracket}` is never closed"
        help = f"add the `{closing}`"
    else:
        message = f"`{bracket}` is not closed before line {slip.line}, or a comma is missing there"
        help = f"add the `{closing}`, or the comma between two items"
    return problem(
        "RR0126",
        message,
        slip.span(opening, opening + 1),
        related=[Related(slip.here(), "YAML could read on to here")] if slip.character else (),
        help=help,
        fixes=fixes,
    )


def _keyless(slip: Slip) -> Diagnostic | None:
    if slip.character != ":" or "allowed" in slip.said:
        return None
    return problem(
        "RR0129",
        "this value has no key",
        slip.here(),
        help="write a key before the colon, or quote the value if the colon belongs to it",
    )


def _block(slip: Slip) -> Diagnostic | None:
    """Explain a line that does not fit the lines above it."""
    wanted_item = "'-' indicator" in slip.said or "node content" in slip.said
    wanted_key = "expected key" in slip.said or "block end" in slip.said
    wanted_document = "document start" in slip.said
    ended = "document has ended" if wanted_document else "document ends before it has begun"
    if slip.text.startswith("...", slip.place):
        wanted_document, wanted_item = True, False
    if not (wanted_item or wanted_key or wanted_document):
        return None
    if wanted_document and re.search(r"^\.\.\.\s*$", slip.text[: slip.place + 3], re.MULTILINE):
        return problem(
            "RR0112",
            f"the {ended} with `...`",
            slip.here(),
            help="a rules file is one document: delete the `...`",
            fixes=take_out_line(end_of_document(slip), "the `...`"),
        )
    words = slip.first_words()
    before = slip.previous
    if before is not None and not slip.on_this_line(before):
        if isinstance(before, yaml.ScalarToken) and before.plain:
            value = slip.span(before.start_mark.index, before.end_mark.index)
            if missing := body_missing(slip, value):
                return missing
        end = before.end_mark.index
        comment = re.compile(r"[ \t]+(#[^\r\n]*)").match(slip.text, end)
        start_line = slip.source.position(before.start_mark.index)[0]
        above = slip.source.line_text(start_line)
        depth = len(above) - len(above.lstrip())
        if comment and slip.column - 1 > depth and isinstance(before, yaml.ScalarToken):
            return problem(
                "RR0117",
                "a comment has ended the value above, so this line belongs to nothing",
                words,
                related=[Related(slip.span(*comment.span(1)), "the comment")],
                help="move the comment to the last line of the value, or quote the value",
                severity=Severity.ERROR,
            )
    if slip.character == "-" and not wanted_item:
        message = "a list item stands where a key is expected"
        help = "indent it under the key that the list belongs to"
    elif wanted_item:
        message = f"`{short(words.text)}` stands between list items and is none"
        help = "start it with `- `, or indent it like what it belongs to"
    else:
        message = f"`{short(words.text)}` is indented like nothing above it"
        help = "indent it exactly like the keys that it stands with"
    around = slip.span(slip.opening, slip.opening + 1)
    related = Related(around, "in the part that starts here")
    return unfitting(slip, message, help, related if slip.opening != slip.place else None)


_EXPLANATIONS: tuple[Callable[[Slip], Diagnostic | None], ...] = (
    _depth,
    _tab,
    _quoted,
    _reserved,
    _block_sign,
    _sign_with_name,
    _after_value,
    _colon,
    _not_here,
    _simple_key,
    _flow,
    _keyless,
    _block,
)
