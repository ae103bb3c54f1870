"""The sections of a rules file, as a reader knows them: by words at the left edge.

Assumes: a text, which need not be YAML.
Does: tells a section that is indented from what may have its name: a phase, a word of the texts.
Leaves behind: the name of such a section.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rulerun_dsl.source.spans import Source

SECTIONS = (
    *("options", "variants", "constants", "types", "tables", "boards", "components", "zones"),
    *("state", "functions", "actions", "setup", "phases", "procedures", "scoring", "always"),
    *("constraints", "view", "words", "story"),
)
HEAD_KEYS = (
    *("rulerun", "game", "module", "title", "about", "minutes", "kind", "shows", "language"),
    *("players", "limits", "sources", "files", "visible", "cite", "assumed"),
)
PHASE_KEYS = ("do", "phases", "if", "until", "for", "turns", "repeat")
_KEY = re.compile(r" +(\w+):(?:\s+#.*|\s*)$")
"""A key with all that it holds below it: what has its value beside it is one of several names."""
_AT_THE_LEFT = re.compile(r"([^\s#-][^:]*):")
_ALSO_KEYS_OF = {"state": ("components", "boards"), "phases": ("phases",)}
_NAMES_EACH = ("words", "story", "texts", "scenarios")
"""What has keys that are called like sections."""


def at_the_left_edge(words: str) -> bool:
    """Whether a line may begin there: with a section, a chapter, a line of the head."""
    first = re.match(r"\w+", words)
    return first is not None and first[0] in (*SECTIONS, *HEAD_KEYS, "chapter")


def indented_section(source: Source, line: int) -> str | None:
    """The section that begins at a line, if it is indented and can be nothing else."""
    key = _KEY.match(source.line_text(line))
    if key is None or key[1] not in SECTIONS:
        return None
    around = next(_tops(source, range(line, 0, -1)), None)
    if around is None or around.startswith("chapter ") or around in _NAMES_EACH:
        return None
    if around in _ALSO_KEYS_OF.get(key[1], ()) or key[1] in _tops(
        source, range(1, source.line_count + 1)
    ):
        return None
    return None if around == "phases" and _holds_steps(source, line) else key[1]


def _holds_steps(source: Source, line: int) -> bool:
    """Whether what begins below a key is one of the keys of a phase."""
    for each in range(line + 1, source.line_count + 1):
        words = source.line_text(each).strip()
        if words and not words.startswith("#"):
            return words.partition(":")[0] in PHASE_KEYS
    return False


def _tops(source: Source, lines: Iterable[int]) -> Iterator[str]:
    """The keys at the left edge of lines."""
    for each in lines:
        if found := _AT_THE_LEFT.match(source.line_text(each)):
            yield found[1]
