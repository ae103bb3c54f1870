"""What people read: `about:` of declarations, `words:`, `story:`, and translations of all of it.

Assumes: declarations that can be asked for, and sections of a sound shape.
Does: finds what each name is the name of, and works out what texts say of the settings. What a text
says of a row stands as a column of its kind, since it differs from row to row.
Leaves behind: `Words`. Nothing else reads them; who reads a text may know all that it says, since
it is the same in every play of these settings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from rulerun_dsl import model as m
from rulerun_dsl.check.display import names_of_words, sentences, view
from rulerun_dsl.check.env import facts
from rulerun_dsl.check.env.world import World
from rulerun_dsl.diagnostics.diagnostic import Related
from rulerun_dsl.model import valuetypes as t
from rulerun_dsl.source.spans import Span
from rulerun_dsl.yaml.nodes import Mapping, Node, Scalar

SECTIONS = {
    "players": "player",
    "options": "option",
    "variants": "variant",
    "types": "type",
    "components": "kind",
    "boards": "board",
    "zones": "zone",
    "state": "variable",
    "actions": "action",
    "rules": "rule",
    "phases": "phase",
    "scoring": "line",
}
"""By section of `words:`: the word with which its keys begin."""

_ABOUT_ALONE = ("option", "variant")
"""Of what a text alone says what it does."""

SILENT = "silent"
"""What is written in `story:` where nothing is to be told."""


class _Gathering:
    """Texts as they are found, the first of each."""

    def __init__(self, world: World, language: str) -> None:
        self.world = world
        self.language = language
        self.names = names_of_words.names(world)
        self.texts: dict[str, dict[str, str]] = {}
        self.stood: dict[tuple[str, str], Span] = {}

    def put(self, key: str, part: str, text: Scalar, used: bool = True) -> None:
        """A text, or the finding that it stands twice."""
        first = self.stood.setdefault((key, part), text.span)
        if first is not text.span:
            self.world.report(
                "RR0403",
                f"there are two texts for `{key.split()[-1]}`",
                text.span,
                related=(Related(first, "it stands here first"),),
                help="keep one of them",
            )
            return
        said = sentences.settled(self.world, key, part, text, self.language)
        if used and said:
            self.texts.setdefault(key, {})[part] = said

    def section(self, word: str, node: Node | None, used: bool) -> None:
        """One section of `words:`."""
        for entry in node.entries if isinstance(node, Mapping) else ():
            self.word(f"{word} {entry.key.text}", word, entry.key, entry.value, used)

    def word(self, key: str, word: str, name: Scalar, node: Node, used: bool) -> None:
        """What is said of one name."""
        # The label of a line of the points may have blanks in it.
        group = key.removesuffix(f" {name.text}")
        known = self.names.get(group, ())
        # Options may take numbers away: those that are not there now are no mistake.
        if name.text not in known and not (word == "number" and name.text.isdigit()):
            what = names_of_words.CALLED.get(word, word)
            owner = group.partition(" ")[2]
            what += f" of {owner}" if owner else ""
            self.world.unknown(name.text, name.span, what, known)
            return
        if isinstance(node, Scalar):
            self.put(key, "about" if word in _ABOUT_ALONE else "name", node, used)
            return
        for entry in node.entries if isinstance(node, Mapping) else ():
            if entry.key.text in ("name", "plural", "about") and isinstance(entry.value, Scalar):
                self.put(key, entry.key.text, entry.value, used)
            elif entry.key.text == "rows" and isinstance(entry.value, Scalar):
                if word != "kind":
                    self.world.report(
                        "RR0409", f"the rows of `{name.text}` have no columns", entry.value.span
                    )
                    continue
                self.put(f"rows {name.text}", "name", entry.value, used)
            elif entry.key.text in ("rows", "has") and isinstance(entry.value, Mapping):
                inner, prefix = names_of_words.inside(word, group, name.text, entry.key.text)
                if prefix not in self.names:
                    self.world.report(
                        "RR0409", f"`{name.text}` has no {entry.key.text}", entry.key.span
                    )
                    continue
                for each in entry.value.entries:
                    self.word(f"{prefix} {each.key.text}", inner, each.key, each.value, used)

    def made(self) -> tuple[tuple[str, m.Text], ...]:
        """The texts."""
        return tuple((key, m.Text(**parts)) for key, parts in self.texts.items())


def words(world: World) -> m.Words:
    """The words in the language of the rules file."""
    return world.fact("words", "words", lambda: _made(world), m.NO_WORDS)


def _made(world: World) -> m.Words:
    outline = world.outline
    plain = m.Words(outline.written_in, outline.title, outline.about)
    if not (outline.abouts or outline.words or outline.story):
        return plain
    found = _Gathering(world, outline.written_in)
    for about in outline.abouts:
        found.put(about.key, "about", about.text)
    for decl in outline.words:
        used = decl.when is None or facts.constant(world, decl.when, t.Bool()) == 1
        for section in decl.node.entries:
            found.section(SECTIONS[section.key.text], section.value, used)
    return replace(plain, texts=found.made(), story=tuple(_story(world)))


def _story(world: World) -> Iterator[tuple[str, str]]:
    for decl in world.outline.story:
        used = decl.when is None or facts.constant(world, decl.when, t.Bool()) == 1
        for section in decl.node.entries:
            entries = section.value.entries if isinstance(section.value, Mapping) else ()
            for entry in entries:
                if not isinstance(entry.value, Scalar):
                    continue
                names_of_words.check_story_key(world, section.key.text, entry.key)
                sentences.check_story(world, section.key.text, entry.value)
                text = " ".join(entry.value.text.split())
                if used:
                    yield f"{section.key.text} {entry.key.text}", "" if text == SILENT else text


def translation(world: World, document: Mapping) -> m.Words:
    """The words of a file of texts, in its language."""
    written_in = document.get("language")
    found = _Gathering(world, written_in.text if isinstance(written_in, Scalar) else "")
    known = sentences.every(world)
    said: dict[str, str] = {}
    plain: dict[str, str] = {}
    for entry in document.entries:
        word, value = entry.key.text, entry.value
        if word in SECTIONS:
            found.section(SECTIONS[word], value, used=True)
        elif word == "sentences" and isinstance(value, Mapping):
            for each in value.entries:
                if isinstance(each.value, Scalar):
                    told = sentences.translated(world, known, each.key, each.value)
                    if told is not None:
                        said[told[0]] = told[1]
        elif isinstance(value, Scalar):
            plain[word] = value.text
    return m.Words(
        language=plain.get("language", ""),
        title=plain.get("title", ""),
        about=plain.get("about", ""),
        texts=found.made(),
        sentences=tuple(said.items()),
    )


def untranslated(world: World, translation: m.Words) -> Iterable[str]:
    """What people may read that a translation does not say, as one would look for it."""
    texts = dict(translation.texts)
    base = dict(words(world).texts)
    hidden = frozenset(view.view(world).hides)
    for group, names in names_of_words.names(world).items():
        for name in names:
            key = f"{group} {name}"
            said = base.get(key, m.NO_TEXT).name
            every = f"rows {group.removeprefix('row ')}"
            by_columns = every in base or every in texts
            wanted = name not in hidden and not by_columns
            wanted = wanted and names_of_words.wants_a_name(world, group, name)
            wanted = has_words(said) if said else wanted
            if wanted and not texts.get(key, m.NO_TEXT).name:
                yield key
            if base.get(key, m.NO_TEXT).about and not texts.get(key, m.NO_TEXT).about:
                yield f"{key} (about)"
    told = dict(translation.sentences)
    for sentence in sentences.every(world):
        if sentence not in told and has_words(sentence):
            yield f"“{sentence}”"


def has_words(text: str) -> bool:
    """Whether a text says something besides its values, which have words of their own."""
    return any(letter.isalpha() for letter in sentences.bare(text))
