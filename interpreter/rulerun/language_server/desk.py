"""What lies on the desk: open texts, the games that they belong to, what is known of each.

Assumes: paths of files, and the texts of those that are open in an editor.
Does: makes a book of a rules file with its modules, open texts before saved ones; says which rules
files a module belongs to; keeps the last analysis of each game.
Leaves behind: books, analyses, blocks. Whoever changes a text tells so here.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from rulerun.language_server.utf16 import Positions
from rulerun_dsl.assist.analysis import Analysis, Memory, analyse, modules_of
from rulerun_dsl.assist.block import Block, extent_at, read_extent
from rulerun_dsl.assist.open_texts import MAIN, Book, Change, Changes, History, change_between
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, problem
from rulerun_dsl.source import first_words
from rulerun_dsl.source.regular_files import LARGEST_FILE, within
from rulerun_dsl.source.spans import Source
from rulerun_dsl.yaml.document import load_document
from rulerun_dsl.yaml.nodes import Scalar
from rulerun_dsl.yaml.open_source import read_open, read_source

SCENARIOS = (".test.yaml", ".test.yml")


@dataclass
class Game:
    """A rules file, and what is known of it."""

    path: Path
    memory: Memory = field(default_factory=Memory)
    analysis: Analysis | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)
    """One analysis at a time: they share what was read before."""


class Desk:
    """Open texts and the games they belong to."""

    def __init__(self, parents: Callable[[Path], list[Path]]) -> None:
        self._parents = parents
        self.open: dict[Path, str] = {}
        self._histories: dict[Path, History] = {}
        self.games: dict[Path, Game] = {}
        self._mains: dict[Path, list[Path]] = {}
        self._positions: dict[Path, Positions] = {}
        self._blocks: dict[tuple[Path, Path, int], tuple[str, Analysis, Block]] = {}

    # ------------------------------------------------------------------------------------ texts

    def put(self, path: Path, text: str) -> None:
        """Keep the text of an open file."""
        if path not in self.open or _head(self.open[path]) != _head(text):
            self._mains.clear()
        self.open[path] = text
        self._histories.setdefault(path, History(text)).put(text)

    def close(self, path: Path) -> None:
        """Forget an open text: what is saved counts again."""
        self.open.pop(path, None)
        self._histories.pop(path, None)
        self._mains.clear()

    def written(self, path: Path) -> None:
        """Note that somebody else has written a file."""
        self._positions.pop(path, None)
        self._mains.clear()

    def changes(self, path: Path, text: str) -> Changes:
        """What has made the text of a file of what it was."""
        history = self._histories.get(path)
        if history is not None:
            return history.since(text)
        return Changes((change_between(text, self.text(path)),))

    def last_change(self, path: Path) -> Change:
        """The last edit of an open file."""
        return self._histories[path].last

    def text(self, path: Path) -> str:
        """The text of a file as it is now; nothing of one that cannot be read."""
        if path in self.open:
            return self.open[path]
        source, _ = read_source(path)
        return source.text if source is not None else ""

    def positions(self, path: Path) -> Positions:
        """The places of the text of a file as it is now."""
        text = self.text(path)
        known = self._positions.get(path)
        if known is None or known.text != text:
            known = self._positions[path] = Positions(text)
        return known

    def read(
        self, path: str | Path | bytes, name: str | None = None
    ) -> tuple[Source | None, list[Diagnostic]]:
        """Read a file for `load`: open texts before saved ones."""
        return read_open(self.open, path, name)

    # ------------------------------------------------------------------------------------ games

    def mains_of(self, path: Path) -> list[Path]:
        """The rules files that a file belongs to: itself, or those that list a module."""
        if path not in self._mains:
            content = self.text(path).encode("utf-8", "replace")
            if (
                self.follows_rules(path)
                or not first_words.is_ours(content)
                or len(content) > LARGEST_FILE
            ):
                found = []
            elif first_words.is_module(content):
                found = self._parents(path)
                found += [
                    each
                    for each in self.open
                    if each not in (path, *found) and path in self.files_of(each).values()
                ]
            else:
                found = [path]
            self._mains[path] = found
        return self._mains[path]

    def is_texts(self, path: Path) -> bool:
        """Whether a file has texts in another language, by its first words."""
        return first_words.is_texts(self.text(path).encode("utf-8", "replace"))

    def follows_rules(self, path: Path) -> bool:
        """Whether a file is looked at by the rules of another: scenarios and texts are."""
        return is_scenarios(path) or self.is_texts(path)

    def game(self, main: Path) -> Game:
        """What is known of a rules file."""
        return self.games.setdefault(main, Game(main))

    def files_of(self, main: Path) -> dict[str, Path]:
        """The files of a game by their names in its book."""
        document, _ = load_document(Source("", self.text(main)))
        found = {MAIN: main}
        for item in modules_of(document) if document is not None else ():
            path = main.parent / item.text
            if within(main.parent, path) is not None:
                found[item.text] = path
        return found

    def book(self, main: Path) -> Book:
        """The texts of a game as they are now."""
        text = self.text(main)
        game = self.game(main)
        texts = {MAIN: text}
        missing: list[tuple[str, Diagnostic]] = []
        _, document, _ = game.memory.read(MAIN, text, str(main))
        for item in modules_of(document) if document is not None else ():
            source, findings = self._module(main.parent, item)
            if source is not None:
                texts[item.text] = source.text
            else:
                missing += [(item.text, each) for each in findings]
        return Book(texts, tuple(missing))

    def _module(self, folder: Path, item: Scalar) -> tuple[Source | None, list[Diagnostic]]:
        relative = Path(item.text)
        plain = not relative.is_absolute() and ".." not in relative.parts
        if not plain or within(folder, folder / relative) is None:
            return None, [
                problem(
                    "RR0148",
                    f"`{item.text}` lies outside the folder of the rules file",
                    item.span,
                    help="copy the file into that folder, or into one below it",
                )
            ]
        source, found = self.read(folder / relative, str(folder / relative))
        return source, [
            problem(each.code, each.message, item.span, help=each.help) for each in found
        ]

    # -------------------------------------------------------------------------------- knowledge

    def analysed(self, main: Path, stopped: Callable[[], bool] | None = None) -> Analysis:
        """Analyse a game as it is now."""
        game = self.game(main)
        with game.lock:
            book = self.book(main)
            if game.analysis is None or game.analysis.book != book:
                never = lambda: False  # noqa: E731
                game.analysis = analyse(book, str(main), game.memory, stopped or never, whole=False)
            return game.analysis

    def known(self, main: Path) -> Analysis:
        """The last analysis of a game, however old; made now if there is none."""
        return self.game(main).analysis or self.analysed(main)

    def name_in(self, main: Path, path: Path) -> str:
        """The name of a file in the book of a game."""
        if path == main:
            return MAIN
        return (
            path.relative_to(main.parent).as_posix() if path.is_relative_to(main.parent) else MAIN
        )

    def path_of(self, main: Path, file: str) -> Path:
        """The path of a file of a book."""
        return main if file == MAIN else main.parent / file

    def block(self, main: Path, path: Path, offset: int) -> tuple[Analysis, str, Block]:
        """The declaration around a place as it is now, with the analysis that it was read by."""
        analysis, file, text = self.known(main), self.name_in(main, path), self.text(path)
        extent = extent_at(text, offset)
        key = main, path, extent.start
        known = self._blocks.get(key)
        if known is not None and known[0] == text and known[1] is analysis:
            return analysis, file, known[2]
        before = analysis.sources.get(file)
        changes = self.changes(path, before.text if before is not None else "")
        block = read_extent(analysis, file, Source(str(path), text), extent, changes)
        if len(self._blocks) > 50:
            self._blocks.clear()
        self._blocks[key] = text, analysis, block
        return analysis, file, block


def is_scenarios(path: Path) -> bool:
    """Whether a file holds scenarios, by its name."""
    return path.name.endswith(SCENARIOS)


def _head(text: str) -> tuple[bool, bool, bool, str]:
    """What it hangs on to which games a file belongs."""
    content = text.encode("utf-8", "replace")
    files = re.search(r"^files[ \t]*:[^\n]*(?:\n[ \t-][^\n]*)*", text, re.MULTILINE)
    return (
        first_words.is_module(content),
        first_words.is_texts(content),
        first_words.is_ours(content),
        files[0] if files is not None else "",
    )
