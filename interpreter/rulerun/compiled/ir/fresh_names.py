"""The names of a program: each is handed out once.

Assumes: nothing.
Does: gives a name to whatever is bound (a local number, a parameter, rows, what holds a value
meanwhile) and to whatever stands by itself (a function, a lister, a table). Nobody makes a name of
a number that means something else, as that of a register: two such names may be the same.
Leaves behind: names of which no two are the same.

What is handed out never has two underscores together. Passes and back ends that need a name of
their own make it with them: `beside`.
"""

from __future__ import annotations

import re
import unicodedata

FOUND = "found"
"""The rows that a lister makes."""
FRAME = "b"
"""Where the running frame starts."""
RUN = "run"
"""The function of a back end that runs blocks from one on, and gives the signal of the last."""
PASSED = "x"
"""The word for what may be a truth as well as a number: a parameter, an argument."""

RESERVED = frozenset(
    (
        *(FOUND, FRAME, "s", "row", "known", "key", "lies"),
        # What `lower.advance` binds.
        *("at", "signal", "opened", "who", "parts", "members", "verdict"),
        # What a game at random binds where it rests.
        *("decisions", "inputs", "options", "falls", "pause", "many", "lots", "one"),
        *("bound", "weight", "left", "id", "slot"),
        # What a module in Python is given, and what it gives.
        *("NONE", "fail", "find", "top", "front", "judge", "tidy", "advance", RUN),
        *("BLOCKS", "LISTS", "TAKES", "WHO"),
        *("bits", "mask", "masks", "put", "value", "bit"),
    )
)
"""Names without a number that back ends use."""


class NameAllocator:
    """The names of one program."""

    def __init__(self) -> None:
        """Only what is reserved is taken."""
        self._taken = set(RESERVED)
        self._number = 0

    def fresh(self, word: str) -> str:
        """A name that nothing else has: a word and a number."""
        while True:
            self._number += 1
            name = f"{word}{self._number}"
            if name not in self._taken:
                self._taken.add(name)
                return name

    def unique(self, text: str) -> str:
        """A text as a name, with a number behind it if something else has it."""
        word = plain(text)
        if word in self._taken:
            return self.fresh(f"{word}_")
        self._taken.add(word)
        return word


def beside(name: str, word: str) -> str:
    """A name that goes with another one."""
    return f"{name}__{word}"


def plain(text: str) -> str:
    """A text as an identifier of ASCII, since Python and LLVM spell other letters their own way."""
    letters = "".join(each for each in unicodedata.normalize("NFKD", text) if each.isascii())
    if not text.isascii() and not letters[:1].isalpha():
        letters = f"it_{letters}"
    return re.sub(r"[\W_]+", "_", letters).strip("_") or "it"
