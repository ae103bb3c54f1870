"""What people read of a game in one language: names, texts, sentences. No rule depends on it.

A name is looked up by what it names: `zone hand`, `row card prince`, `value suit hearts`,
`column card rank`, `player yarg`. A sentence is looked up by how the rules have it, with each
`<expression>` as it is written there.
"""

from __future__ import annotations

from rulerun_dsl.source.frozen import frozen


@frozen
class Text:
    """What a thing is called, and what it does.

    `<column>` stands for what a row has in that column, `<=name>` for what that name is called. In
    the name of a rule, `<1>` stands for its first argument.
    """

    name: str = ""
    plural: str = ""
    about: str = ""


NO_TEXT = Text()


@frozen
class Words:
    """The words of one game, in one language."""

    language: str = "en"
    title: str = ""
    about: str = ""
    texts: tuple[tuple[str, Text], ...] = ()
    sentences: tuple[tuple[str, str], ...] = ()
    """Of a translation: a sentence of the rules, and what it is in this language."""
    story: tuple[tuple[str, str], ...] = ()
    """By happening (`moves hand to line`, `values won`, `choices bid`): a sentence, or nothing."""


NO_WORDS = Words()


def translated(base: Words, other: Words) -> Words:
    """The words in another language; what it does not say is said as in the rules file."""
    texts = dict(base.texts)
    for key, text in other.texts:
        before = texts.get(key, NO_TEXT)
        texts[key] = Text(
            text.name or before.name,
            text.plural or ("" if text.name else before.plural),
            text.about or before.about,
        )
    return Words(
        other.language,
        other.title or base.title,
        other.about or base.about,
        tuple(texts.items()),
        other.sentences,
        base.story,
    )
