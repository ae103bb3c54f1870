"""A module of which each function is written when it is first called.

Assumes: a `Writer` of a program, and the names that its source needs.
Does: puts a stand-in where each function belongs. When play first comes to one, the function is
written, compiled, and put in its place, there and in the tables by instruction.
Leaves behind: the names that the whole module would leave. A play of few inputs comes to a part of
its functions, and writing all of them would take longer than the play. Games of one rules file for
several settings have most of their functions in common: what reads the same is compiled once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import lru_cache
from types import CodeType
from typing import Any

from rulerun.compiled.python.source import Part, Writer

TABLES = ("BLOCKS", "LISTS", "TAKES", "WHO")


def put_piecemeal(writer: Writer, names: dict[str, Any]) -> None:
    """Give `names` what the module of a program defines."""
    _Piecemeal(writer, names).begin()


class _Piecemeal:
    """One module in the making."""

    def __init__(self, writer: Writer, names: dict[str, Any]) -> None:
        self.writer = writer
        self.names = names
        self.places: defaultdict[Callable[..., Any], list[tuple[dict[int, Any], int]]]
        """By stand-in, where it stands in tables."""
        self.places = defaultdict(list)

    def begin(self) -> None:
        """Write what is no part, and a stand-in for each part."""
        self.writer.head()
        self._run()
        for part in self.writer.parts():
            for name in part.names:
                self.names[name] = self._stand_in(part, name)
        self.writer.foot()
        self._run()
        for table in (self.names[each] for each in TABLES):
            for at, stand_in in table.items():
                self.places[stand_in].append((table, at))

    def _stand_in(self, part: Part, name: str) -> Callable[..., Any]:
        names = self.names

        def first(*given: Any) -> Any:
            if names[name] is first:
                stand_ins = [names[each] for each in part.names]
                part.write()
                self._run()
                for each, stand_in in zip(part.names, stand_ins, strict=True):
                    for table, at in self.places.pop(stand_in, ()):
                        table[at] = names[each]
            return names[name](*given)

        return first

    def _run(self) -> None:
        name = f"<{self.writer.program.name}, compiled>"
        exec(_compiled(self.writer.taken(), name), self.names)


@lru_cache(maxsize=4096)
def _compiled(text: str, name: str) -> CodeType:
    return compile(text, name, "exec")
