"""What may be written at a place: keys by the schema, names by what they mean.

Assumes: an `Analysis` of the book as it was, and the text of a file as it is.
Does: puts a name that nobody writes at the cursor and reads the declaration around it. Where the
checker tries to bind that name it says which names are in scope and which type is wanted. Of a line
that is not finished several endings are tried.
Leaves behind: items, the most fitting first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rulerun_dsl.assist import schema_keys
from rulerun_dsl.assist.analysis import Analysis
from rulerun_dsl.assist.block import Block, extent_at, read_extent
from rulerun_dsl.assist.describing import about_of, detail_of, type_of
from rulerun_dsl.assist.open_texts import Changes, change_between
from rulerun_dsl.check.env import domains
from rulerun_dsl.check.env.recorder import HERE, Asked
from rulerun_dsl.check.env.typing import element, join
from rulerun_dsl.check.env.world import World
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.model.library import LIBRARY, WORDS
from rulerun_dsl.schema.ruleset_schema import HEADS
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.identifiers import is_name
from rulerun_dsl.source.spans import Source
from rulerun_dsl.syntax import declarations
from rulerun_dsl.syntax.statements import FORMS
from rulerun_dsl.yaml.nodes import Scalar

_WORD = re.compile(r"\w*")
_BEFORE = re.compile(r"\w*\Z")


@frozen
class Item:
    """Something that may be written."""

    label: str
    kind: str
    """`key`, `value`, `word`, or what a name stands for: `local`, `zone`, `member`, …"""
    detail: str = ""
    about: str = ""
    insert: str = ""
    """What is written, where that is not the label; `$0` is where the cursor then stands."""
    rank: int = 0
    """The lower, the better it fits."""
    back: int = 0
    """So many spaces before it are taken away, where its line stands too deep."""


@frozen
class Completion:
    """What may be written in place of a stretch."""

    start: int
    end: int
    items: tuple[Item, ...]


def complete(analysis: Analysis, file: str, text: str, offset: int, changes: Changes) -> Completion:
    """What may be written at a place of a file; `changes` made its text of the one analysed."""
    before = _BEFORE.search(text, 0, offset)
    start = before.start() if before is not None else offset
    after = _WORD.match(text, offset)
    end = after.end() if after is not None else offset
    found: dict[str, Item] = {}
    name = analysis.sources[file].name if file in analysis.sources else file
    variants = () if _in_comment(text, start) else dict.fromkeys(_variants(text, start, end))
    for tried in variants:
        extent = extent_at(tried, start)
        typed = Changes((*changes.steps, change_between(text, tried)))
        source = Source(name, tried)
        block = read_extent(analysis, file, source, extent, typed, only_whole=True)
        for item in _items(analysis, file, block):
            found.setdefault(item.label, item)
        if found:
            break
    items = sorted(found.values(), key=lambda each: (each.rank, each.label))
    return Completion(start, end, tuple(items))


def _variants(text: str, start: int, end: int) -> Iterator[str]:
    """The text with the placeholder in it, and with endings that may make the line whole."""
    stop = _end_of_line(text, end)
    head, rest, tail = text[:start], text[end:stop], text[stop:]
    begin = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    closing = _closing(text[begin:start])
    line = text[begin:start].strip()
    if line in ("", "-") and not rest.strip():
        # It may become a key or a statement.
        yield f"{head}{HERE}(){tail}"
        yield f"{head}{HERE}: x{tail}"
    yield head + HERE + text[end:]
    for ending in ("", "()", " to x", " in x", " from x to x", " else x", " x", ": x", " = x"):
        for close in dict.fromkeys((closing, "")):
            yield f"{head}{HERE}{ending}{close}{tail}"
    yield f"{head}{HERE}(){rest}{tail}"


def _in_comment(text: str, place: int) -> bool:
    begin = max(text.rfind("\n", 0, place), text.rfind("\r", 0, place)) + 1
    return re.search(r"(?:^|\s)#", text[begin:place]) is not None


def _end_of_line(text: str, place: int) -> int:
    found = re.search(r"[\r\n]", text[place:])
    return place + found.start() if found is not None else len(text)


def _closing(line: str) -> str:
    """The brackets that are open at the end of a line, closed."""
    waiting: list[str] = []
    for sign in line:
        if sign in "([{":
            waiting.append({"(": ")", "[": "]", "{": "}"}[sign])
        elif waiting and sign == waiting[-1]:
            waiting.pop()
    if re.search(r"\b(?:say|ask|hint|headline)\s*:.*<[^<>]*\Z", line):
        waiting.insert(1 if waiting[:1] == ["}"] else 0, ">")
    return "".join(reversed(waiting))


def _items(analysis: Analysis, file: str, block: Block) -> Iterator[Item]:
    """What one reading of the text offers."""
    if block.document is None:
        return
    spot = schema_keys.placeholder_in(block.document)
    if spot is None or not isinstance(spot.node, Scalar):
        return
    asked = sorted(block.recorder.asked, key=lambda each: each.role == "name")
    whole = re.fullmatch(rf"{HERE}(\(\))?", spot.node.text) is not None
    if whole and spot.is_key and spot.around is not None:
        found = schema_keys.keys_at(block.document, spot.around)
        if spot.around is block.document and file in analysis.documents:
            # The other sections are not in the block.
            taken = {each.key.text for each in analysis.documents[file].entries}
            found = {key: about for key, about in found.items() if key not in taken}
        yield from _keys(found)
        # In a mapping of declarations the author thinks of the name.
    elif whole:
        for word, about in schema_keys.values_at(block.document, spot.node).items():
            if word != HERE:
                yield Item(word, "value", about=about, rank=1)
        if spot.key is not None and spot.key.text in ("visible", "count"):
            for word, about in _VIEWERS.items():
                yield Item(word, "value", about=about, rank=1)
    world = block.world or analysis.world
    if asked and world is not None:
        if asked[0].role == "statement" and whole:
            yield from _keys({head: schema_keys.about_key({}, head) for head in HEADS}, rank=3)
        yield from _names(analysis, world, asked[0])


def _keys(found: dict[str, str], rank: int = 1) -> Iterator[Item]:
    for key, about in found.items():
        yield Item(key, "key", about=about, insert=f"{key}: $0", rank=rank)


_VIEWERS = {
    "all": "Everybody sees it.",
    "owner": "The player it belongs to sees it.",
    "none": "Nobody sees it.",
}


def _names(analysis: Analysis, world: World, asked: Asked) -> Iterator[Item]:
    """The names that may stand there."""
    if asked.role == "name":
        inside = asked.what.startswith(("attribute", "column", "rule of"))
        for name in filter(is_name, asked.known):
            if inside:
                yield Item(name, "column", rank=1)
            elif name in world.declared:
                yield _declared(analysis, world, world.declared[name][0], name, 1)
            else:
                yield Item(name, "member", asked.what, rank=1)
        return
    if asked.role == "statement":
        for word, form in FORMS.items():
            yield Item(word, "word", about=_sentence(form), insert=f"{word} $0", rank=2)
        yield from _of_words(analysis, world, ("procedure",), 1)
        yield from _of_words(analysis, world, ("variable",), 2)
        for name, local in asked.names.items():
            yield Item(name, "local", detail=str(local.type), rank=2)
        return
    if asked.role == "target":
        for name, local in asked.names.items():
            yield Item(name, "local", detail=str(local.type), rank=1)
        yield from _of_words(analysis, world, ("variable",), 1)
        return
    if asked.role == "zone":
        yield from _of_words(analysis, world, ("zone",), 1)
        return
    yield from _values(analysis, world, asked)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


def _of_words(analysis: Analysis, world: World, words: Iterable[str], rank: int) -> Iterator[Item]:
    for word in words:
        for name in filter(is_name, world.by_kind[word]):
            yield _declared(analysis, world, word, name, rank)


def _declared(analysis: Analysis, world: World, word: str, name: str, rank: int) -> Item:
    insert = f"{name}($0)" if word in ("procedure", "action") else ""
    decl = world.by_kind[word][name]
    if isinstance(decl, declarations.FunctionDecl) and decl.signature.parameters:
        insert = f"{name}($0)"
    detail = detail_of(analysis, world, word, name)
    return Item(name, word, detail, about_of(analysis, word, name), insert, rank)


def _values(analysis: Analysis, world: World, asked: Asked) -> Iterator[Item]:
    """The values that may stand there: what is of the wanted type first."""
    wanted = asked.expected
    for name, local in asked.names.items():
        fits = _fits(local.type, wanted, asked.many)
        yield Item(name, "local", str(local.type), rank=1 if fits else 4)
    if asked.has_you:
        fits = _fits(t.Player(), wanted, asked.many)
        yield Item("you", "language", "player", "Whose rule this is.", rank=1 if fits else 4)
    if wanted is not None and not asked.many:
        inner = t.bare(wanted)
        of = inner.element if isinstance(inner, t.SetOf) else inner
        for name in domains.named(world, of):
            yield Item(name, "member", str(of), rank=1)
    if isinstance(wanted, t.Bool):
        for word in ("true", "false", "not"):
            yield Item(word, "language", rank=3)
    if isinstance(wanted, t.Optional):
        yield Item("none", "language", rank=2)
    for word in (
        "variable",
        "function",
        "constant",
        "option",
        "zone",
        "table",
        "type",
        "kind",
        "board",
    ):
        for name in world.by_kind[word]:
            type_ = type_of(analysis, word, name)
            fits = _fits(type_, wanted, asked.many) if type_ is not None else False
            likely = fits or (wanted is None and not asked.many and word not in ("type", "kind"))
            yield _declared(analysis, world, word, name, 2 if likely else 5)
    players = _fits(t.Collection(t.Player(), True), wanted, asked.many)
    yield Item("players", "language", "players", "All players.", rank=2 if players else 5)
    for name in world.players:
        if not re.fullmatch(r"P\d+", name):
            yield Item(name, "player", "player", rank=2 if _fits(t.Player(), wanted) else 6)
    for word in sorted(WORDS):
        row = LIBRARY[word]
        about = row.about[:1].upper() + row.about[1:] + "."
        yield Item(word, "library", row.forms[0], about, f"{word}($0)", 4)


def _fits(type_: t.Type, wanted: t.Type | None, many: bool = False) -> bool:
    """May a value of a type stand where another is wanted."""
    several = isinstance(type_, t.Collection | t.Zone | t.Order | t.SetOf | t.Multiset)
    if many:
        return several
    if wanted is None or isinstance(wanted, t.Unknown) or isinstance(type_, t.Unknown):
        return True
    of = t.bare(wanted)
    if isinstance(of, t.Collection | t.Zone | t.Order):
        return several
    if isinstance(type_, t.Collection | t.Zone | t.Order):
        if isinstance(of, t.SetOf):
            return join(of.element, element(type_)) is not None
        # One of them may be asked for by an attribute or an index.
        one = isinstance(type_, t.Zone) and type_.one
        return one and join(of, element(type_)) is not None
    inner = t.bare(type_)
    return not isinstance(inner, t.Collection | t.Zone) and join(of, inner) is not None
