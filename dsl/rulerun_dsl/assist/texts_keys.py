"""What may be written in a file of texts: keys that are not there yet.

Assumes: the text of such a file, broken or not, and a game of the rules that it belongs to.
Does: puts a key that nobody writes at the cursor, reads the file with it, and asks which names or
sentences of the rules belong where it then stands.
Leaves behind: items; first what readers of that language would find untranslated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from rulerun_dsl import model as m
from rulerun_dsl.assist.completion import Completion, Item
from rulerun_dsl.check.display import names_of_words, sentences, words
from rulerun_dsl.check.env.recorder import HERE
from rulerun_dsl.check.env.world import World
from rulerun_dsl.load import Loaded
from rulerun_dsl.schema.ruleset_schema import definition
from rulerun_dsl.source.spans import Source
from rulerun_dsl.yaml.document import load_document
from rulerun_dsl.yaml.nodes import Mapping, Scalar

_KEY = re.compile(r"(?:\A *|[{,] *)(?P<key>[^{},:#]*)\Z")
_PLAIN = re.compile(r"[^\s\[\]{}>|*&!%#`@,?:\"'-](?:(?!: | #).)*[^:\s]|\w")
"""A key that needs no quotes."""

SENTENCES = "sentences"
_OF_A_NAME = ("name", "plural", "about")


def complete_texts(loaded: Loaded, game: m.Game, text: str, offset: int) -> Completion:
    """What may be written at a place of a file of texts of a game."""
    begin = text.rfind("\n", 0, offset) + 1
    line = text[begin:offset]
    key = _KEY.search(line)
    starts = [len(line) - len(line.lstrip()), *([] if key is None else [key.start("key")])]
    # A sentence has commas and brackets in it; any other key begins behind them.
    for start in reversed(starts):
        spot = _spot(text, begin + start, offset)
        if spot is None:
            continue
        path, there = spot
        if re.search(r":\s", text[begin + start : offset]):
            # The key is written; what it is in this language nobody knows here.
            continue
        if (path == [SENTENCES]) != (start == starts[0]) and len(set(starts)) > 1:
            continue
        with loaded.world_of(game) as world:
            found = [each for each in _items(world, path) if each.label not in there]
        items = sorted(found, key=lambda each: each.rank)
        return Completion(begin + start, offset, tuple(items))
    return Completion(offset, offset, ())


def _spot(text: str, start: int, offset: int) -> tuple[list[str], set[str]] | None:
    """The keys above a place, and those beside it; None where no key can stand."""
    stop = text.find("\n", offset)
    after = text[stop:] if stop >= 0 else "\n"
    opened = _open(text[text.rfind("\n", 0, start) + 1 : start])
    for tried in (
        f"{text[:start]}{HERE}{text[offset:]}",
        f"{text[:start]}{HERE}: x{text[offset:]}",
        f"{text[:start]}{HERE}: x{opened}{after}",
        f"{text[:start]}{HERE}: x{opened}\n",
    ):
        document, _ = load_document(Source("", tried))
        if isinstance(document, Mapping) and (found := _found(document, [])) is not None:
            return found
    return None


def _open(line: str) -> str:
    """What closes the brackets that are open at the end of a line."""
    ends = ""
    for sign in re.sub(r"\"[^\"]*\"|'[^']*'", "", line):
        if sign == "{":
            ends = "}" + ends
        elif sign == "}":
            ends = ends[1:]
    return ends


def _found(mapping: Mapping, path: list[str]) -> tuple[list[str], set[str]] | None:
    for entry in mapping.entries:
        if entry.key.text == HERE:
            return path, {each.key.text for each in mapping.entries} - {HERE}
        value = entry.value
        if isinstance(value, Scalar) and value.text == HERE:
            # It stands below a key of which nothing is written yet.
            below = value.span.line > entry.key.span.line
            return ([*path, entry.key.text], set()) if below else None
        if isinstance(value, Mapping):
            found = _found(value, [*path, entry.key.text])
            if found is not None:
                return found
    return None


def _items(world: World, path: Sequence[str]) -> Iterator[Item]:
    wanted = frozenset(words.untranslated(world, m.NO_WORDS))
    names = names_of_words.names(world)
    if not path:
        yield from _sections(world, names)
    elif list(path) == [SENTENCES]:
        for sentence in sentences.every(world):
            if words.has_words(sentence):
                written = sentence if _PLAIN.fullmatch(sentence) else _quoted(sentence)
                yield Item(sentence, "word", "a sentence of the rules", insert=f"{written}: ")
    elif path[0] in words.SECTIONS:
        yield from _named(world, names, wanted, path)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _sections(world: World, names: names_of_words.Names) -> Iterator[Item]:
    for key, form in definition("texts_file")["properties"].items():
        group = words.SECTIONS.get(key)
        if group is not None and not names[group]:
            continue
        section = group is not None or key == SENTENCES
        if key == SENTENCES and not sentences.every(world):
            continue
        insert = f"{key}:\n  $0" if section else f"{key}: "
        yield Item(key, "key", about=form["description"], insert=insert)


def _named(
    world: World, names: names_of_words.Names, wanted: frozenset[str], path: Sequence[str]
) -> Iterator[Item]:
    """Names of a group, or what may be said of one."""
    word = group = words.SECTIONS[path[0]]
    rest = list(path[1:])
    while len(rest) > 1 and rest[1] in ("rows", "has"):
        word, group = names_of_words.inside(word, group, rest[0], rest[1])
        rest = rest[2:]
    said = dict(words.words(world).texts)
    if not rest:
        for name in names.get(group, ()):
            key = f"{group} {name}"
            own = said.get(key, m.NO_TEXT)
            missing = key in wanted or f"{key} (about)" in wanted
            written = name if _PLAIN.fullmatch(name) else _quoted(name)
            yield Item(
                name, "key", own.name, own.about, insert=f"{written}: ", rank=0 if missing else 1
            )
    elif len(rest) == 1 and rest[0] in names.get(group, ()):
        own = said.get(f"{group} {rest[0]}", m.NO_TEXT)
        for part, text in zip(_OF_A_NAME, (own.name, own.plural, own.about), strict=True):
            asked = f"{group} {rest[0]}{' (about)' if part == 'about' else ''}"
            rank = 0 if asked in wanted and part != "plural" else 1
            yield Item(part, "key", about=text, insert=f"{part}: ", rank=rank)
        for part in ("rows", "has"):
            _, inner = names_of_words.inside(word, group, rest[0], part)
            if names.get(inner):
                yield Item(part, "key", insert=f"{part}: {{$0}}", rank=1)
