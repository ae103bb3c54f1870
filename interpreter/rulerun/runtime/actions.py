"""Actions as whole numbers, as texts of the rules, and as sentences for people.

Assumes: a game's action types with their domains, as `model` describes them.
Does: splits an id into a type and the places of its values, and puts it together again; writes an
action as the rules name it and reads it back.
Leaves behind: ids and texts. Which of them are legal now is not asked here.

Options of different questions may have one text: what it means is up to the question that is open.

The first parameter is slowest: the id is `base + sum(place * product of the sizes behind it)`.

A choice of several (`wool + wool + ore`) may be written in any order: who reads one puts it into
the order in which the game writes it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import lru_cache

from rulerun.runtime.executor import Waiting
from rulerun_dsl.model import Choose, Domain, Game

PLUS = " + "
"""Between the members of a choice of several."""
NOTHING = "nothing"
"""A choice of none."""


def split(game: Game, action: int) -> tuple[int, tuple[int, ...]]:
    """The number of the action's type, and where its values stand in their domains."""
    if not 0 <= action < game.number_of_actions:
        raise ValueError(f"{game.name} has actions 0..{game.number_of_actions - 1}, not {action}")
    number = bisect_right(game.actions, action, key=lambda type_: type_.base) - 1
    type_ = game.actions[number]
    rest = action - type_.base
    places: list[int] = []
    for domain in reversed(type_.parameters):
        rest, place = divmod(rest, domain.size)
        places.append(place)
    return number, tuple(reversed(places))


def join(game: Game, number: int, places: Sequence[int]) -> int:
    """The id of an action of type `number` whose values stand at `places`."""
    type_ = game.actions[number]
    at = 0
    for domain, place in zip(type_.parameters, places, strict=True):
        at = at * domain.size + place
    return type_.base + at


def text(game: Game, action: int) -> str:
    """The action as the rules name it: `play(prince)`, and the bare value without a name."""
    number, places = split(game, action)
    type_ = game.actions[number]
    pairs = zip(type_.parameters, places, strict=True)
    values = ", ".join(domain.texts[place] for domain, place in pairs)
    if not type_.name:
        return values
    return f"{type_.name}({values})" if values else type_.name


def sentence(game: Game, action: int) -> str:
    """The action for people: `play prince`."""
    number, places = split(game, action)
    type_ = game.actions[number]
    pairs = zip(type_.parameters, places, strict=True)
    words = [type_.name, *(domain.texts[place] for domain, place in pairs)]
    return " ".join(word.replace("_", " ") for word in words if word)


def parse(game: Game, given: str, types: Container[int] = ()) -> int | None:
    """The id of the action of that text, however it is spaced; None if there is none.

    Of several that have it, the one of these `types`: those of the question that is open.
    """
    return next(iter(named(game, given, types)), None)


def named(game: Game, given: str, types: Container[int] = ()) -> list[int]:
    """The actions of that text: of these `types` if one has it, else each that has it."""
    found = list(_find(game, _spaced(given), _spaced)) or list(_find(game, _normal(given), _normal))
    return [each for each in found if split(game, each)[0] in types] or found


def asked(game: Game, waiting: Iterable[Waiting], player: int) -> frozenset[int]:
    """The types of action of the question that a player is asked; none is."""
    nodes = (game.code[each.instruction] for each in waiting if each.player == player)
    return frozenset(
        option.action for node in nodes if isinstance(node, Choose) for option in node.options
    )


def _find(game: Game, whole: str, normal: Callable[[str], str]) -> Iterator[int]:
    named = re.fullmatch(r"([^(),]+)\((.*)\)", whole)
    for number, type_ in enumerate(game.actions):
        if not type_.name:
            pieces = whole.split(",")
        elif whole == normal(type_.name):
            pieces = []
        elif named is not None and named[1] == normal(type_.name):
            pieces = named[2].split(",")
        else:
            continue
        places = next(_matches(type_.parameters, pieces, normal), None)
        if places is not None:
            yield join(game, number, places)


def suggestions(game: Game, given: str, among: Iterable[int] | None = None) -> list[str]:
    """Texts that `given` may have meant, the nearest first; of the actions `among`, if given."""
    if among is None:
        among = range(min(game.number_of_actions, _MOST_COMPARED))
    texts = {_normal(written): written for written in (text(game, action) for action in among)}
    from difflib import get_close_matches

    close = get_close_matches(_normal(given), list(texts), n=3, cutoff=0.5)
    return [texts[normal] for normal in close]


_MOST_COMPARED = 20_000


@lru_cache(4_096)
def _spaced(given: str) -> str:
    """The text with single spaces, and none beside a bracket or comma."""
    return re.sub(r"\s*([(),])\s*", r"\1", " ".join(given.split()))


def _normal(given: str) -> str:
    """The same without case."""
    return _spaced(given).lower()


def _several(
    domain: Domain, given: str, written: dict[str, int], normal: Callable[[str], str]
) -> int | None:
    """The place of a choice of several, in whatever order its members are written."""
    if () in domain.multisets and given == normal(NOTHING):
        return domain.multisets.index(())
    members = [written.get(each.strip()) for each in given.split(PLUS.strip())]
    found = tuple(sorted(each for each in members if each is not None))
    whole = len(found) == len(members) and found in domain.multisets
    return domain.multisets.index(found) if whole else None


def in_order(text: str) -> str:
    """A text of an action with the members of each choice of several in order of the alphabet.

    >>> in_order("eat(spy + old_prince, 1)")
    'eat(old_prince + spy, 1)'
    """
    if "+" not in text:
        return text
    name, bracket, rest = text.partition("(")
    inside, closing = (rest[:-1], ")") if bracket and rest.endswith(")") else (text, "")
    values = (
        PLUS.join(sorted(" ".join(each.split()) for each in value.split(PLUS.strip())))
        for value in inside.split(",")
    )
    return (name + bracket if closing else "") + ", ".join(map(str.strip, values)) + closing


def _matches(
    domains: Sequence[Domain], pieces: list[str], normal: Callable[[str], str]
) -> Iterator[tuple[int, ...]]:
    """The places of the values written in `pieces` (one value may hold commas itself)."""
    if not domains:
        if not pieces or pieces == [""]:
            yield ()
        return
    domain, *rest = domains
    single = domain if domain.element is None else domain.element
    written = {normal(value): place for place, value in reversed(list(enumerate(single.texts)))}
    most = 1 + max((value.count(",") for value in written), default=0)
    if domain.element is not None:
        most *= max(map(len, domain.multisets), default=1)
    for length in range(1, min(most, len(pieces) - len(rest)) + 1):
        given = ",".join(pieces[:length])
        place = (
            written.get(given)
            if domain.element is None
            else _several(domain, given, written, normal)
        )
        if place is not None:
            for others in _matches(rest, pieces[length:], normal):
                yield (place, *others)
