"""A file, or bytes, as a `Source`.

Assumes nothing: the path may lead nowhere and the bytes may be anything.
Does: reads a regular file up to a size, decodes UTF-8 without its byte order mark, and refuses
characters that would make the file look other than it is, or make its line numbers differ from an
editor's.
Leaves behind: a `Source`, or the reason why there is none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from os import PathLike
from pathlib import Path

from rulerun_dsl.diagnostics.diagnostic import Diagnostic, problem
from rulerun_dsl.source.regular_files import LARGEST_FILE, Special, TooLarge, read_regular, why
from rulerun_dsl.source.spans import Source

# All but these may stand in YAML, and these may not: libyaml would stop at most of them with a
# message that names a number.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe\uffff\ud800-\udfff]"
)
# libyaml counts these as ends of lines, editors do not.
_ODD_BREAK = re.compile("[\x85\u2028\u2029]")

# A file full of them is binary; a few places are enough to say so.
_MOST_PLACES = 10


def read_source(
    path_or_bytes: str | PathLike[str] | bytes, name: str | None = None
) -> tuple[Source | None, list[Diagnostic]]:
    """Read a rules file, or take the bytes of one; `name` is what messages call it."""
    if isinstance(path_or_bytes, bytes):
        return decode(path_or_bytes, name or "<bytes>")
    path = Path(path_or_bytes)
    shown = name or str(path)

    def refuse(code: str, message: str, help: str) -> tuple[None, list[Diagnostic]]:
        nowhere = Source(shown, "").span(0)
        return None, [problem(code, message, nowhere, help=help)]

    try:
        content = read_regular(path)
    except TooLarge:
        return None, [_too_large(shown)]
    except Special as special:
        if special.what == "a folder":
            return refuse("RR0141", f"`{shown}` is a folder", "name a file in it")
        return refuse("RR0147", f"`{shown}` is {special.what}, not a file", "name a regular file")
    except FileNotFoundError:
        return refuse("RR0140", f"there is no file `{shown}`", "check the path and its spelling")
    except OSError as failure:
        return refuse(
            "RR0142", f"`{shown}` cannot be read: {why(failure)}", "check who may read it"
        )
    except ValueError:
        # A path with a NUL character, which no file can have.
        return refuse("RR0140", f"there is no file `{shown}`", "check the path and its spelling")
    return decode(content, shown)


def read_open(
    texts: Mapping[Path, str], path: str | PathLike[str] | bytes, name: str | None = None
) -> tuple[Source | None, list[Diagnostic]]:
    """Read a file as an editor has it: a text that is open before what is on the disk."""
    if not isinstance(path, bytes) and (text := texts.get(Path(path))) is not None:
        return decode(text.encode("utf-8", "replace"), name or str(path))
    return read_source(path, name)


def decode(content: bytes, name: str) -> tuple[Source | None, list[Diagnostic]]:
    """Return the text of a file's bytes."""
    if len(content) > LARGEST_FILE:
        return None, [_too_large(name)]
    try:
        source = Source(name, content.decode("utf-8-sig"))
    except UnicodeDecodeError as failure:
        # Shown with a stand-in for each bad byte, so that there is a line to point at.
        shown = Source(name, content.decode("utf-8-sig", "replace"))
        before = len(failure.object[: failure.start].decode("utf-8", "replace"))
        wide = content[:2] in (b"\xff\xfe", b"\xfe\xff")
        return None, [
            problem(
                "RR0144",
                "this file is in UTF-16, not in UTF-8"
                if wide
                else f"byte {failure.object[failure.start]:#04x} is not UTF-8",
                shown.span(before, before + 1),
                help="save the file as UTF-8",
            )
        ]
    diagnostics = check_characters(source)
    return (None if diagnostics else source), diagnostics


def _too_large(name: str) -> Diagnostic:
    return problem(
        "RR0143",
        f"`{name}` is larger than {LARGEST_FILE // 2**20} MiB",
        Source(name, "").span(0),
        help="split the game into several files and name them under `files:`",
    )


def check_characters(source: Source) -> list[Diagnostic]:
    """Return a diagnostic for each character that no rules file may hold."""
    found = [
        (match.start(), code)
        for code, pattern in (("RR0145", _UNSEEN), ("RR0146", _ODD_BREAK))
        for match, _ in zip(pattern.finditer(source.text), range(_MOST_PLACES), strict=False)
    ]
    return [
        problem(
            code,
            f"{_name(source.text[place])} may not stand in a rules file",
            source.span(place, place + 1),
            help="delete it"
            if code == "RR0145"
            else "break the line with the return key, or write a space",
        )
        for place, code in sorted(found)[:_MOST_PLACES]
    ]


_ABBREVIATIONS = {
    "\x00": "the NUL character",
    "\x0b": "a vertical tab",
    "\x0c": "a form feed",
    "\x1b": "an escape character",
    "\x7f": "a delete character",
    "\x85": "a next-line character",
    "\ufeff": "a byte order mark inside the text",
}


def _name(character: str) -> str:
    number = f"U+{ord(character):04X}"
    if character in _ABBREVIATIONS:
        return f"{_ABBREVIATIONS[character]} ({number})"
    name = unicodedata.name(character, "").lower()
    return f"the {name} ({number})" if name else f"the control character {number}"
