"""Spoiling texts and bytes, the same way every time, and seeing that nothing takes for ever."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from random import Random
from types import FrameType

ODD = [
    "", " ", "\t", "\n", "\r\n", "\0", "\x1b[31m", "\x7f", "\u00a0", "\u2028", "\ufeff", "\ufffd",
    "\u202e", "ﬁ", "İ", "ß", "e\u0301", "😀", "\ud800", "(", ")", "()", ",", ",,", "(,)", "+", "-",
    "0", "-1", "+1", "007", "1e9", "9" * 40, "9" * 5000, "NaN", "none", "null", "true", "nothing",
    "{}", "[]", '"', "\\", "\\u0000", "a" * 3000, "(" * 300, "," * 3000,
]  # fmt: skip
"""Pieces of text that somebody has not thought of."""


def spoiled(text: str, luck: Random, pieces: Sequence[str] = ()) -> str:
    """A text with one to four changes; `pieces` are texts to mix in."""
    for _ in range(luck.choice((1, 1, 1, 2, 4))):
        text = _spoiled_once(text, luck, pieces)
    return text


def _spoiled_once(text: str, luck: Random, pieces: Sequence[str]) -> str:
    start = luck.randint(0, len(text))
    end = min(len(text), start + luck.choice((0, 1, 1, 2, 5, 50)))
    piece = luck.choice([*ODD, *pieces])
    match luck.randrange(8):
        case 0:  # something instead
            return text[:start] + piece + text[end:]
        case 1:  # something in between
            return text[:start] + piece + text[start:]
        case 2:  # something missing
            return text[:start] + text[end:]
        case 3:  # something twice
            return text[:end] + text[start:]
        case 4:  # two neighbours changed
            return text[:start] + text[start : start + 2][::-1] + text[start + 2 :]
        case 5:  # another character
            return text[:start] + chr(luck.choice((luck.randrange(128), luck.randrange(0x3000))))
        case 6:  # other case, other space
            return luck.choice((text.upper(), text.title(), f" {text}\n", text.replace(" ", "")))
    return luck.choice([text[:start], text[start:], piece])


def spoiled_bytes(content: bytes, luck: Random) -> bytes:
    """Bytes with one to four changes."""
    for _ in range(luck.choice((1, 1, 1, 2, 4))):
        start = luck.randint(0, len(content))
        end = min(len(content), start + luck.choice((0, 1, 2, 20, 200)))
        match luck.randrange(6):
            case 0:
                change = luck.randbytes(luck.choice((1, 2, 4)))
            case 1:
                change = b""
            case 2:
                change = content[start:end] * 2
            case 3:
                other = luck.randint(0, len(content))
                change = content[other : other + luck.choice((1, 5, 50))]
            case 4:
                change = luck.choice(ODD).encode("utf-8", "surrogatepass")
            case _:
                change = bytes(byte ^ 1 << luck.randrange(8) for byte in content[start:end])
        content = content[:start] + change + content[end:]
    return content


@contextmanager
def within(seconds: int, what: str) -> Iterator[None]:
    """Fail, where the system allows it, if this takes longer; say what it was if anything fails."""

    def ring(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"longer than {seconds} seconds")

    can_ring = hasattr(signal, "SIGALRM")
    if can_ring:
        before = signal.signal(signal.SIGALRM, ring)
        signal.alarm(seconds)
    try:
        yield
    except BaseException as failure:
        failure.add_note(f"it was {what}")
        raise
    finally:
        if can_ring:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)
