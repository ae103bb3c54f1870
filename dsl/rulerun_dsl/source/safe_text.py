"""Texts of files, made harmless before anybody is shown them.

Assumes nothing of a text: rules files, records, scripts, names of files and command lines come from
anywhere, and go to terminals, logs of continuous integration, XML and pages.
Does: `visible` and `clean` are for one text of a file, and leave one line; `harmless` is for all
that is written to a stream, whatever it was put together from, and leaves lines.
Leaves behind text in which nothing steers a terminal or turns the reading direction, which UTF-8
can hold, whose every character XML 1.0 allows, and no line of which is a command to the log that it
is written to. What is harmless already stays as it is.
"""

from __future__ import annotations

import re
import unicodedata

_COLOR = re.compile(r"(\x1b\[(?:[0127]|3[1-7]|90)(?:;(?:[0127]|3[1-7]|90))*m)")
"""The colours that rulerun itself writes, and no other escape sequence."""

# `::error::…` at the beginning of a line is a command to GitHub, as are `##[error]…`,
# `##vso[…]` and `##teamcity[…]` anywhere in it to others.
_WORKFLOW_COMMAND = re.compile(r"^((?:[^\S\n]|\x1b\[[0-9;]*m)*:)(?=:[^\s:])", re.MULTILINE)
_LOG_COMMAND = re.compile(r"##(?=\w*\[)")


def harmless(text: str, *, colors: bool = False) -> str:
    r"""Return what may be written to a stream: lines, and `colors` if they are wanted.

    >>> harmless("a" + chr(27) + "[2J" + chr(10) + "::error::b")
    'a␛[2J\n: :error::b'
    """
    if not text.isprintable():
        line = _visible_but_colors if colors else visible
        text = "\n".join(map(line, text.split("\n")))
    if "::" in text:
        text = _WORKFLOW_COMMAND.sub(r"\1 ", text)
    return _LOG_COMMAND.sub("## ", text) if "##" in text else text


def as_json(data: object, indent: int = 2) -> str:
    """Return data as a JSON text that is harmless as it stands, and reads back as the same data.

    The name of a file may hold half a character, which UTF-8 cannot; the escape can.
    """
    import json

    text = json.dumps(data, indent=indent, ensure_ascii=True) + "\n"
    return text.replace("\x7f", "\\u007f").replace("##", "#\\u0023")


def _visible_but_colors(line: str) -> str:
    parts = _COLOR.split(line)
    parts[::2] = map(visible, parts[::2])
    return "".join(parts)


def visible(text: str) -> str:
    """Return a text in which nothing steers a terminal or turns the reading direction.

    >>> visible("a" + chr(27) + "[2J")
    'a␛[2J'
    """
    if text.isprintable():
        return text
    return "".join(map(_stand_in, text))


def clean(text: str) -> str:
    """Return a text on one line in which nothing steers a terminal.

    >>> clean("a  b" + chr(10) + "c")
    'a b c'
    """
    return visible(" ".join(text.split()))


def _stand_in(character: str) -> str:
    number = ord(character)
    if number < 0x20:
        return chr(0x2400 + number)
    if number == 0x7F:
        return "␡"
    category = unicodedata.category(character)
    # Zero-width joiners hold together what people see as one picture: they may stay.
    if category in ("Cc", "Cs", "Zl", "Zp") or (category == "Cf" and character != "\u200d"):
        return "\ufffd"
    # What is no character and never will be, XML does not allow.
    if category == "Cn" and (number & 0xFFFE == 0xFFFE or 0xFDD0 <= number <= 0xFDEF):
        return "\ufffd"
    return character
