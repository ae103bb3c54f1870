"""Sentences for people, with values in them and the forms that words take beside a value.

Assumes: a template, in which `<…>` is the place of a value and `<<` is a `<`.
Does: puts the values in. What stands in brackets is left out where a value in it is nothing. In
brackets with `|` stand the forms of a word for the value before them: `<n> [card|cards]` for a
number, `<p> [takes]` as `<p> [take|takes]` for a player, first for who reads it, then for another,
then perhaps for several. A form may hold the value itself, on which it hangs then: `[dich|<p>]`.
Leaves behind `Said`: the sentence in the language of the rules, as it is for everybody, with what
another language needs to say it anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from rulerun_dsl.model import Expression
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.placeholders import pieces

Plain = object
"""A value of a sentence as plain data: a number, a truth value, None, a name, or a list of them."""

SELF, OTHER, SEVERAL = 0, 1, 2
"""Whom a sentence speaks of, as seen by who reads it: which form of a verb it takes."""

_BRACKETS = re.compile(r"(\[[^\[\]|]*\|[^\[\]]*\]|[\[\]])")


class Said(str):
    """A sentence with the template and the values that it was made of."""

    template: str
    values: tuple[Plain, ...]

    @classmethod
    def of(cls, text: str, template: str, values: Iterable[Plain]) -> Said:
        """The sentence `text`."""
        said = cls(text)
        said.template, said.values = template, tuple(values)
        return said


@frozen
class Filling:
    """A value as it is put in."""

    text: str
    form: int = OTHER
    """Which of the forms behind it is meant."""
    something: bool = True
    """Whether brackets with it are kept."""
    decides: bool = False
    """Whether it is a truth value: it decides on brackets, and is not told in them."""


def template_of(parts: Iterable[str | Expression]) -> str:
    """A sentence of the model as it stands in the rules file."""
    return one_line(
        "".join(
            part.replace("<", "<<") if isinstance(part, str) else f"<{part.span.text}>"
            for part in parts
        )
    )


def one_line(text: str) -> str:
    """A text without its line breaks."""
    return " ".join(text.split())


def places(template: str) -> Iterator[str]:
    """What stands in `<…>` of a template.

    >>> list(places("<you> takes <count(trick)> of << 3"))
    ['you', 'count(trick)']
    """
    return (text for is_value, text in _pieces(template) if is_value)


def filled(template: str, value: Callable[[str], Filling]) -> str:
    """A template with its values; `value` says what to put in for what stands in `<…>`.

    >>> cards = {"n": Filling("1", SELF), "p": Filling("Ann")}
    >>> filled("<p> [take|takes] <n> [card|cards][ of <n>].", cards.__getitem__)
    'Ann takes 1 card of 1.'
    """
    return assembled(value(text) if is_value else text for is_value, text in _pieces(template))


@lru_cache(4_096)
def _pieces(template: str) -> tuple[tuple[bool, str], ...]:
    """Values by what stands in their `<…>`, and the words between them."""
    return tuple(
        (True, one_line(template[start + 1 : end - 1]))
        if kind
        else (False, template[start:end].replace("<<", "<"))
        for kind, start, end in pieces(template)
    )


def assembled(pieces: Iterable[str | Filling]) -> str:
    """Words and values as one sentence. What has no value before it goes with the next.

    >>> rains = Filling("yes", SELF, decides=True)
    >>> assembled(["Rain: ", rains, "[", rains, ", so it is wet]."])
    'Rain: yes, so it is wet.'
    >>> [assembled(["B sees [you|", Filling("Ann", form), "]."]) for form in (SELF, OTHER)]
    ['B sees you.', 'B sees Ann.']
    """
    every = list(pieces)
    form = next((each.form for each in every if isinstance(each, Filling)), OTHER)
    said = inside = ""
    whole, open_ = True, False
    forms: list[str] = []
    """Those in open brackets, before the one that is being written."""
    for piece in every:
        if isinstance(piece, Filling):
            inside += "" if open_ and piece.decides else piece.text
            form = piece.form
            whole = whole and piece.something
            continue
        for part in _BRACKETS.split(piece):
            if part == "[" or (part == "]" and open_):
                inside = _form([*forms, inside], form) if forms else inside
                said += inside if whole or not open_ else ""
                inside, whole, open_, forms = "", True, part == "[", []
            elif part[:1] == "[":
                inside += _form(part[1:-1].split("|"), form)
            elif open_:
                *more, last = part.split("|")
                for each in more:
                    forms.append(inside + each)
                    inside = ""
                inside += last
            else:
                inside += part
    return said + (inside if whole or not open_ else "")


def filling(value: Plain, language: str) -> Filling:
    """A value as everybody reads it in the language of the rules."""
    form = OTHER
    if isinstance(value, int) and not isinstance(value, bool):
        form = count_form(value, language)
    elif isinstance(value, list) and len(value) > 1:
        form = SEVERAL
    return Filling(as_written(value), form, is_something(value), isinstance(value, bool))


def is_something(value: Plain) -> bool:
    """Whether brackets with a value are kept."""
    return value not in (None, False, 0, [])


def as_written(plain: Plain) -> str:
    """A plain value, as the rules write it."""
    match plain:
        case None:
            return "none"
        case bool():
            return "true" if plain else "false"
        case list():
            return ", ".join(map(as_written, plain)) or "nothing"
        case _:
            return str(plain)


def _form(forms: list[str], form: int) -> str:
    if form < len(forms):
        return forms[form]
    return forms[0] if form == SEVERAL else forms[-1]


def count_form(number: int, language: str) -> int:
    """Which form of a word goes with a number: the one for a single thing is the first.

    >>> [count_form(n, "en") for n in (0, 1, 2)], [count_form(n, "fr") for n in (0, 1, 2)]
    ([1, 0, 1], [0, 0, 1])
    """
    single = abs(number) < 2 if language == "fr" else abs(number) == 1
    return SELF if single else OTHER
