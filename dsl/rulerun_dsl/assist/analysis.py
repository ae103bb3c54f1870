"""A book as a whole: what it declares, what is wrong with it, what each name in it stands for.

Assumes: a `Book`, whatever stands in it.
Does: runs the stages of the language over it, for one setting, with a recorder. What has not
changed since the book was read before is not read again: the documents of texts, and the trees of
scalars that are the same nodes.
Leaves behind: an `Analysis`. Broken files have one too: of the parts that could be read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from rulerun_dsl.assist.open_texts import (
    MAIN,
    Book,
    Place,
    names_of,
    place_of,
)
from rulerun_dsl.check import checker
from rulerun_dsl.check.env.recorder import Recorder
from rulerun_dsl.check.env.world import World
from rulerun_dsl.check.stmt import statements
from rulerun_dsl.codegen.generate import generate
from rulerun_dsl.diagnostics.diagnostic import (
    COUNTS,
    Diagnostic,
    first_of,
    has_errors,
    without_echoes,
)
from rulerun_dsl.lint.suppressions import read_answers, unanswered
from rulerun_dsl.load import findings_of_the_rest, outline_of, read_document
from rulerun_dsl.source.spans import Source
from rulerun_dsl.syntax.declarations import Outline
from rulerun_dsl.yaml.nodes import Mapping as Node
from rulerun_dsl.yaml.nodes import Scalar, Sequence
from rulerun_dsl.yaml.open_source import check_characters


class Stopped(Exception):
    """Somebody does not want the answer any more."""


@dataclass
class Memory:
    """What was read before: documents by file and text."""

    documents: dict[str, tuple[Source, Node | None, list[Diagnostic]]] = field(default_factory=dict)

    def read(
        self, name: str, text: str, shown: str
    ) -> tuple[Source, Node | None, list[Diagnostic]]:
        """The document of a text, read once."""
        known = self.documents.get(name)
        if known is not None and known[0].text == text and known[0].name == shown:
            return known
        source = Source(shown, text)
        findings = check_characters(source)
        document = None
        if not findings:
            document, findings = read_document(source)
        found = source, document, findings
        self.documents[name] = found
        return found


@dataclass(frozen=True)
class Analysis:
    """What is known of a book, for one setting."""

    book: Book
    sources: Mapping[str, Source]
    documents: Mapping[str, Node]
    outline: Outline | None
    world: World | None
    """Of the default setting; None if too much is missing."""
    recorder: Recorder
    findings: tuple[Diagnostic, ...]
    is_sound: bool
    """There is a game."""

    def place(self, span: object) -> Place | None:
        """Where a span lies in the book."""
        from rulerun_dsl.source.spans import Span

        return place_of(span, names_of(self.sources)) if isinstance(span, Span) else None


def _never() -> bool:
    return False


def analyse(
    book: Book,
    shown: str = "rules",
    memory: Memory | None = None,
    stopped: Callable[[], bool] = _never,
    whole: bool = True,
) -> Analysis:
    """Read and check a book for its default setting.

    `shown` is what messages call the rules file. `stopped` is asked all the time, and ends the work
    with `Stopped`. Without `whole` only the parts are checked, each by itself.
    """
    memory = memory or Memory()
    sources: dict[str, Source] = {}
    documents: dict[str, Node] = {}

    def pause() -> None:
        if stopped():
            raise Stopped

    recorder = Recorder(pause)

    def done(
        outlined: Outline | None, world: World | None, found: list[Diagnostic], sound: bool = False
    ) -> Analysis:
        return Analysis(
            book, sources, documents, outlined, world, recorder, tuple(first_of(found)), sound
        )

    sources[MAIN], document, findings = memory.read(MAIN, book.texts.get(MAIN, ""), shown)
    if document is None:
        return done(None, None, findings)
    findings = list(findings)
    documents[MAIN] = document
    pause()
    complete = True
    for item in modules_of(document):
        if item.text in book.texts:
            sources[item.text], module, more = memory.read(
                item.text, book.texts[item.text], _beside(shown, item.text)
            )
            findings += more
        else:
            module = None
            findings += [each for name, each in book.missing if name == item.text]
        if module is not None:
            documents[item.text] = module
        else:
            complete = False
        pause()
    every = list(documents.values())
    outlined, findings = outline_of(every, findings)
    pause()
    if outlined is None or (
        has_errors(findings) and (not complete or any(each.code in COUNTS for each in findings))
    ):
        return done(outlined, None, findings)
    if has_errors(findings):
        rest, world = findings_of_the_rest(outlined, every, findings, recorder)
        return done(outlined, world, without_echoes([*findings, *rest]))
    answers, more = read_answers(sources.values())
    world = checker.world_of(outlined, checker.fewest(outlined, {}), {})
    world.recorder = recorder
    rules = statements.rule_checker(world)
    checker.check_each_part(rules)
    if whole and not has_errors(world.diagnostics):
        pause()
    if whole:
        checker.check_whole(rules)
    found = [*findings, *more, *world.diagnostics, *world.unfollowed]
    sound = not has_errors(found)
    if whole and sound:
        pause()
        # The layout and the actions have limits of their own.
        generate(rules, "")
        found = [*findings, *more, *world.diagnostics, *world.unfollowed]
        sound = not has_errors(found)
    return done(outlined, world, unanswered(found, answers, set()), sound)


def modules_of(document: Node) -> tuple[Scalar, ...]:
    """The module files that a rules file names."""
    files = document.get("files")
    items = files.items if isinstance(files, Sequence) else ()
    return tuple(item for item in items if isinstance(item, Scalar))


def _beside(shown: str, name: str) -> str:
    folder, slash, _ = shown.rpartition("/")
    return f"{folder}{slash}{name}"
