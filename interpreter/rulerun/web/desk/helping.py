"""Help while somebody types, as plain data: findings, what may be written, what a thing is.

Assumes the texts of a ruleset as they are in the page, broken or not; runs in a process beside the
server, which may be stopped at any moment.
Does: has `rulerun_dsl.assist` look at them. Places are counted as a browser counts them, in units
of UTF-16.
Leaves behind plain data. What was read stays with the process, so that the next look is quicker.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from rulerun.host.aside import Tell
from rulerun.scenario.completing import answers, items, place_at
from rulerun.scenario.reader import scenarios_in
from rulerun_dsl.assist.analysis import Analysis, Memory, analyse, modules_of
from rulerun_dsl.assist.block import Block, extent_at, read_extent
from rulerun_dsl.assist.completion import Completion, complete
from rulerun_dsl.assist.hover import hover
from rulerun_dsl.assist.open_texts import MAIN, Book, Changes, Place, change_between
from rulerun_dsl.assist.symbols import declaration_of, found_in_block
from rulerun_dsl.assist.texts_keys import complete_texts
from rulerun_dsl.assist.tokens import KINDS, tokens
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, Severity
from rulerun_dsl.load import Loaded, load, load_module
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.spans import Source, Span
from rulerun_dsl.translations import translation
from rulerun_dsl.yaml.open_source import read_open

Data = dict[str, Any]
_MOST_ITEMS = 300


@frozen
class Desk:
    """The texts of a ruleset as they are in the page."""

    folder: str
    main: str
    """The name of the rules file."""
    texts: Mapping[str, str]
    """By name in the folder: the rules file, modules and scenarios."""
    scenarios: str
    """The name of the file of scenarios."""
    translated: frozenset[str] = frozenset()
    """The names of files of texts in other languages."""

    def is_rules(self, name: str) -> bool:
        """Whether a file is the rules or a module of them."""
        return name != self.scenarios and name not in self.translated


class _Known:
    """What the process knows of the ruleset."""

    memory = Memory()
    analysis: Analysis | None = None
    loaded: tuple[Mapping[str, str], Loaded] | None = None
    """The last texts of which a game could be made, and that game."""


def check(_: Tell, desk: Desk) -> Data:
    """What is wrong with the texts, and what their words are."""
    analysis = _analysed(desk)
    found = [finding(each, desk.main) for each in analysis.findings]
    if desk.scenarios in desk.texts:
        text = desk.texts[desk.scenarios]
        found += [finding(each, desk.scenarios) for each in scenarios_in(text, desk.scenarios)[1]]
    wrong, untranslated = _in_translations(desk)
    return {
        "findings": found + wrong,
        "untranslated": untranslated,
        "sound": analysis.is_sound,
        "kinds": KINDS,
        "tokens": {
            source.name: [*_tokens(analysis, file, source)]
            for file, source in analysis.sources.items()
        },
    }


def _in_translations(desk: Desk) -> tuple[list[Data], dict[str, list[str]]]:
    """What is wrong with texts in other languages, and what each of them leaves out."""
    loaded = _loaded(desk) if desk.translated else None
    game = None if loaded is None else loaded.game()[0]
    if loaded is None or game is None:
        return [], {}
    wrong: list[Data] = []
    untranslated = {}
    for name in sorted(desk.translated):
        path = Path(desk.folder) / name
        read = partial(read_open, {path: desk.texts[name]})
        _, found, missing = translation(loaded, game, path, read)
        # A text goes by its path there, and by its name in the folder here.
        wrong += [{**finding(each, name), "file": name} for each in found]
        untranslated[name] = [*missing]
    return wrong, untranslated


def completion(_: Tell, desk: Desk, name: str, offset: int) -> Data | None:
    """What may be written at a place."""
    text = desk.texts[name]
    at = characters(text, offset)
    if name in desk.translated:
        # Rules that are broken while somebody types are what they were last.
        loaded = _loaded(desk) or (_Known.loaded and _Known.loaded[1])
        game = loaded.game()[0] if loaded else None
        if not loaded or game is None:
            return None
        found = complete_texts(loaded, game, text, at)
    elif name == desk.scenarios:
        found = _in_scenarios(desk, text, at)
    else:
        analysis, file = _known(desk), _file(desk, name)
        found = complete(analysis, file, text, at, _changes(analysis, file, text))
    return {
        "from": units(text, found.start),
        "to": units(text, found.end),
        "items": [
            {
                "label": each.label,
                "kind": each.kind,
                "detail": each.detail,
                "about": each.about,
                "insert": each.insert or each.label,
                "rank": each.rank,
                "back": each.back,
            }
            for each in found.items[:_MOST_ITEMS]
        ],
    }


def _in_scenarios(desk: Desk, text: str, at: int) -> Completion:
    place = place_at(text, at)
    possible: tuple[str, ...] = ()
    if place.who is not None and (loaded := _loaded(desk)) is not None:
        possible = answers(place, loaded)
    return Completion(place.start, at, tuple(items(place, _known(desk), possible)))


def _loaded(desk: Desk) -> Loaded | None:
    """A game of the rules as they are in the page; None if they are wrong."""
    texts = {name: text for name, text in desk.texts.items() if desk.is_rules(name)}
    if _Known.loaded is None or _Known.loaded[0] != texts:
        folder = Path(desk.folder)
        in_page = {folder / each: text for each, text in texts.items()}
        loaded, _ = load(folder / desk.main, None, partial(read_open, in_page))
        if loaded is None:
            return None
        _Known.loaded = texts, loaded
    return _Known.loaded[1]


def hovering(_: Tell, desk: Desk, name: str, offset: int) -> Data | None:
    """What is known of the thing at a place."""
    if not desk.is_rules(name):
        return None
    analysis, file, text = _known(desk), _file(desk, name), desk.texts[name]
    at = characters(text, offset)
    found = hover(analysis, _block(analysis, file, name, text, at), file, at)
    if found is None:
        return None
    place = found.place
    return {"from": units(text, place.start), "to": units(text, place.end), "text": found.text}


def definition(_: Tell, desk: Desk, name: str, offset: int) -> Data | None:
    """Where the thing at a place is declared."""
    if not desk.is_rules(name):
        return None
    analysis, file, text = _known(desk), _file(desk, name), desk.texts[name]
    at = characters(text, offset)
    block = _block(analysis, file, name, text, at)
    found = found_in_block(block, file, at)
    if found is None:
        return None
    here = found.use.symbol.at
    if here is not None and here.source is block.source:
        return {"file": name, "from": units(text, here.start), "to": units(text, here.end)}
    place = declaration_of(analysis, found.use.symbol)
    return None if place is None else _now(desk, analysis, place)


def _now(desk: Desk, analysis: Analysis, place: Place) -> Data:
    """A place of a text that was analysed, in the text as it is now."""
    name = desk.main if place.file == MAIN else place.file
    text = desk.texts.get(name, analysis.sources[place.file].text)
    changes = _changes(analysis, place.file, text)
    start, end = changes.moved(place.start), changes.moved(place.end)
    return {"file": name, "from": units(text, start), "to": units(text, max(start, end))}


# ----------------------------------------------------------------------------------- what is known


def _analysed(desk: Desk) -> Analysis:
    """The ruleset as it is now."""
    book = _book(desk)
    if _Known.analysis is None or _Known.analysis.book != book:
        _Known.analysis = analyse(book, desk.main, _Known.memory)
    return _Known.analysis


def _known(desk: Desk) -> Analysis:
    """The last analysis, of however long ago."""
    return _Known.analysis or _analysed(desk)


def _book(desk: Desk) -> Book:
    texts = {MAIN: desk.texts[desk.main]}
    missing: list[tuple[str, Diagnostic]] = []
    _, document, _ = _Known.memory.read(MAIN, texts[MAIN], desk.main)
    for item in modules_of(document) if document is not None else ():
        if item.text in desk.texts:
            texts[item.text] = desk.texts[item.text]
            continue
        module, found = load_module(Path(desk.folder), item)
        if module is not None:
            texts[item.text] = module.span.source.text
        else:
            missing += [(item.text, each) for each in found]
    return Book(texts, tuple(missing))


def _file(desk: Desk, name: str) -> str:
    return MAIN if name == desk.main else name


def _changes(analysis: Analysis, file: str, text: str) -> Changes:
    source = analysis.sources.get(file)
    return Changes((change_between(source.text if source is not None else "", text),))


def _block(analysis: Analysis, file: str, name: str, text: str, at: int) -> Block:
    changes = _changes(analysis, file, text)
    return read_extent(analysis, file, Source(name, text), extent_at(text, at), changes)


def _tokens(analysis: Analysis, file: str, source: Source) -> Iterator[int]:
    """Start, end and kind of each word, one after another."""
    for each in tokens(analysis, file):
        yield units(source.text, each.start)
        yield units(source.text, each.end)
        yield KINDS.index(each.kind)


# ------------------------------------------------------------------------------ findings and places


def finding(each: Diagnostic, main: str) -> Data:
    """A finding for the page; one without a place stands at the beginning of the rules."""
    return {
        "code": each.code,
        "message": each.message,
        "help": each.help or "",
        "severity": {Severity.ERROR: "error", Severity.WARNING: "warning"}.get(
            each.severity, "info"
        ),
        **_place(each.span, main),
        "related": [{"message": more.message, **_place(more.span, main)} for more in each.related],
        "fixes": [
            {
                "title": fix.title,
                "safe": fix.safe,
                "edits": [{**_place(edit.span, main), "text": edit.text} for edit in fix.edits],
            }
            for fix in each.fixes
        ],
    }


def findings(every: Iterable[Diagnostic], main: str) -> list[Data]:
    """Findings for the page."""
    return [finding(each, main) for each in every]


def _place(span: Span | None, main: str) -> Data:
    if span is None:
        return {"file": main, "from": 0, "to": 0, "line": 1}
    text = span.source.text
    return {
        "file": span.source.name or main,
        "from": units(text, span.start),
        "to": units(text, span.end),
        "line": span.line,
    }


@lru_cache(64)
def _wide(text: str) -> tuple[int, ...]:
    """Where the characters stand that a browser counts twice."""
    if text.isascii():
        return ()
    return tuple(place for place, letter in enumerate(text) if ord(letter) > 0xFFFF)


def units(text: str, offset: int) -> int:
    """Where a browser sees a character of a text.

    >>> units("a\U0001f0cfb", 2), characters("a\U0001f0cfb", 3)
    (3, 2)
    """
    return offset + bisect_left(_wide(text), offset)


def characters(text: str, offset: int) -> int:
    """The character at which a browser sees a place."""
    for number, place in enumerate(_wide(text)):
        if place + number >= offset:
            return max(0, offset - number)
    return max(0, min(offset - len(_wide(text)), len(text)))
