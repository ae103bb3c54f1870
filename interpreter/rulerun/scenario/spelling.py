"""What a written action means where nothing is played, and what was meant by one that is none.

Assumes: a game's action types with their domains.
Does: finds the actions that a text names, whole or abbreviated, as `checks` finds them among the
legal ones; for a text that names none it finds the nearest, argument by argument.
Leaves behind: ids and texts. Which of them are legal is not asked.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence

from rulerun.runtime import actions
from rulerun_dsl.diagnostics.diagnostic import suggest
from rulerun_dsl.model import ActionType, Choose, Domain, Game


def shorter(text: str) -> Iterator[str]:
    """A text without what is around it: the name of the action, then the owner.

    >>> list(shorter("lay(king of x)"))
    ['king of x', 'king']
    """
    if text.endswith(")") and "(" in text:
        text = text[text.index("(") + 1 : -1]
        yield text
    if " of " in text:
        yield text[: text.index(" of ")]


def meant(game: Game, text: str, types: Container[int] = ()) -> list[int]:
    """The actions that a text names: those of that text, else those that it names in short.

    Where the question that is open offers some, of these `types`, those alone.
    """
    whole = actions.named(game, text, types)
    if whole:
        return whole
    text = " ".join(text.split())
    if not text:
        return []
    found = [each for longer in shorter(text) for each in actions.named(game, longer)]
    for number, type_ in enumerate(game.actions):
        found += (actions.join(game, number, places) for places in _in_short(type_, text))
    offered = [each for each in found if actions.split(game, each)[0] in types]
    return list(dict.fromkeys(offered or found))


def unclear(game: Game, text: str) -> list[int]:
    """Actions of one question among which a short text does not choose; none: it is clear.

    Which of them are legal is no matter: a text that says what it means says so everywhere.
    """
    if actions.parse(game, text) is not None:
        return []
    found: dict[int, int] = {}
    for each in meant(game, text):
        found.setdefault(actions.split(game, each)[0], each)
    for instruction in game.code if len(found) > 1 else ():
        if isinstance(instruction, Choose):
            types = dict.fromkeys(option.action for option in instruction.options)
            offered = [found[each] for each in types if each in found]
            if len(offered) > 1:
                return offered
    return []


def is_one_of_several(game: Game, text: str) -> bool:
    """Whether a text chooses several of what the game lets choose: perhaps too few or too many."""
    text = " ".join(text.split())
    named = re.fullmatch(r"[^()]+\((.*)\)", text)
    inside = text if named is None else named[1]
    name = "" if named is None else text[: text.index("(")].strip()
    pieces = [piece.strip() for piece in inside.split(actions.PLUS.strip())]
    for type_ in game.actions:
        if type_.name != name:
            continue
        for domain in type_.parameters:
            if domain.element is None:
                continue
            known = set(domain.element.texts)
            if inside == actions.NOTHING or all(piece in known for piece in pieces):
                return True
    return False


def _in_short(type_: ActionType, text: str) -> Iterator[tuple[int, ...]]:
    """The places of the values of which a text names the first, the last of them by its stem."""
    pieces = re.split(r"\s*,\s*", text)
    domains = type_.parameters
    if type_.name and len(pieces) == len(domains):
        places = [_place(domain, piece) for domain, piece in zip(domains, pieces, strict=True)]
        if all(place is not None for place in places):
            yield tuple(place for place in places if place is not None)
    if not 0 < len(pieces) <= len(domains):
        return
    *before, last = pieces
    places = [_place(domain, piece) for domain, piece in zip(domains, before, strict=False)]
    if any(place is None for place in places):
        return
    first = tuple(place for place in places if place is not None)
    rest = (0,) * (len(domains) - len(pieces))
    for place, whole in enumerate(domains[len(before)].texts):
        if " of " in whole and whole[: whole.index(" of ")] == last:
            yield (*first, place, *rest)


def _place(domain: Domain, piece: str) -> int | None:
    return domain.texts.index(piece) if piece in domain.texts else None


# -------------------------------------------------------------------------------- what was meant


def nearest(game: Game, text: str) -> str | None:
    """The text of the action that was probably meant."""
    name, pieces = _apart(text)
    for type_ in game.actions:
        if type_.name and type_.name.casefold() == name.casefold():
            return _rebuilt(type_, pieces)
    close = actions.suggestions(game, text)
    if close:
        return close[0]
    near = suggest(name, [each.name for each in game.actions if each.name])
    types = [each for each in game.actions if each.name == near]
    return _rebuilt(types[0], pieces) if types else None


def forms(game: Game) -> str:
    """How actions are written, some of them: `bid(red, 1)`, `wait`."""
    samples = list(dict.fromkeys(_rebuilt(each, []) for each in game.actions if each.size))
    shown = ", ".join(f"`{each}`" for each in samples[:_SHOWN])
    return f"{shown}, …" if len(samples) > _SHOWN else shown


_SHOWN = 6


def _apart(text: str) -> tuple[str, list[str]]:
    """The name in front of a bracket, which may be missing or open, and what stands in it."""
    found = re.match(r"\s*([^(),]*?)\s*(?:\((.*?)\)?)?\s*\Z", text, re.DOTALL)
    if found is None:
        return "", text.split(",")
    inside = (found[2] or "").strip()
    return found[1], re.split(r"\s*,\s*", inside) if inside else []


def _rebuilt(type_: ActionType, pieces: Sequence[str]) -> str:
    """An action of a type out of these values, wherever they stand and however they are spelt."""
    left = list(pieces)
    chosen: list[str | None] = []
    for domain in type_.parameters:
        exact = next((each for each in left if each in domain.texts), None)
        if exact is not None:
            left.remove(exact)
        chosen.append(exact)
    for at, domain in enumerate(type_.parameters):
        if chosen[at] is not None:
            continue
        near = next(((each, one) for each in left if (one := suggest(each, domain.texts))), None)
        if near is not None:
            left.remove(near[0])
            chosen[at] = near[1]
        else:
            chosen[at] = domain.texts[0] if domain.texts else ""
    values = ", ".join(each or "" for each in chosen)
    if not type_.name:
        return values
    return f"{type_.name}({values})" if values else type_.name
