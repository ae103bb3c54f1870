"""Which things are the same as before but for their names.

Assumes: two lists of things.
Does: pairs things by name; of those that are left, pairs what is the same but for its name, as far
as the rules around it use both names alike, and what is used in just the same places and says much
the same. Each new name that is found is looked for in the old rules, and may bring others to light.
Leaves behind: which new thing was which old one, and `Renaming`, old names as the new rules have
them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import SequenceMatcher

from rulerun_dsl.changes.things import Thing

Identity = tuple[str, str, str]

_UNNAMED = ("constraint", "game", "setup", "scoring", "points", "tie", "hook")
"""Sorts of things whose name says what they are."""
_WORD = re.compile(r"\w+")
_TOKEN = re.compile(r"\w+|\S")
_ALIKE = 2 / 3
"""So much of a thing is as before if it is to be the same under another name."""


class Renaming:
    """Old names as the new rules have them."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = dict(names)

    def __call__(self, text: str) -> str:
        if not self.names:
            return text
        return _WORD.sub(lambda found: self.names.get(found[0], found[0]), text)

    def same(self, old: str, new: str) -> bool:
        """Whether an old text says the same: by its own names, or by the new ones."""
        return old == new or self(old) == new


def identity(thing: Thing) -> Identity:
    """What a thing is known by among those of its rules."""
    return thing.sort, thing.within, thing.name


def paired(
    before: Iterable[Thing], after: Iterable[Thing]
) -> tuple[dict[Identity, Thing], Renaming]:
    """By the identity of a new thing, the old one that it was; and the new names."""
    olds, news = tuple(before), tuple(after)
    left = {identity(each): each for each in olds}
    new = {identity(each): each for each in news}
    pairs: dict[Identity, Thing] = {}
    renaming = Renaming({})
    while True:
        moved = {
            (sort, renaming(within), name): mine for mine in left for sort, within, name in [mine]
        }
        for each in new:
            mine = each if each in left else moved.get(each, each)
            if each not in pairs and mine in left:
                pairs[each] = left.pop(mine)
        added = [new[each] for each in new if each not in pairs]
        gone = list(left.values())
        if not gone or not added:
            return pairs, renaming
        uses = (
            _Uses(olds, {each.name for each in gone}, renaming),
            _Uses(news, {each.name for each in added}, Renaming({})),
        )
        found = _renamed(gone, added, renaming, *uses) or _rewritten(gone, added, renaming, *uses)
        if not found:
            return pairs, renaming
        for thing, other in found:
            pairs[identity(other)] = left.pop(identity(thing))
            renaming = Renaming({**renaming.names, thing.name: other.name})


class _Uses:
    """Where names stand in the rules around what they name, whatever else has no pair yet."""

    def __init__(self, things: Iterable[Thing], names: set[str], renaming: Renaming) -> None:
        self._lines: dict[str, Counter[str]] = defaultdict(Counter)
        known = {renaming.names.get(name, name): name for name in names}
        for line in (renaming(line) for each in things for line in _lines(each)):
            for name in known.keys() & set(_WORD.findall(line)):
                self._lines[known[name]][_masked(line, name, known.keys())] += 1

    def of(self, name: str) -> Counter[str]:
        """The lines in which a name stands, without it."""
        return self._lines[name]


def _masked(line: str, name: str, others: Collection[str]) -> str:
    """A line with stand-ins for a name, and for the other names that have no pair."""

    def stand_in(found: re.Match[str]) -> str:
        return "\0" if found[0] == name else "\1" if found[0] in others else found[0]

    return _WORD.sub(stand_in, line)


def _lines(thing: Thing) -> Iterator[str]:
    """All that a thing says, line by line, but for its own name."""
    if thing.within:
        yield f"{thing.sort} in {thing.within}"
    if thing.sort in _UNNAMED:
        yield f"{thing.sort} {thing.name}"
    for part in thing.parts:
        if part.steps:
            yield from (each.key for each in part.steps)
        elif not part.order:
            yield f"{part.name}: {part.key}"


def _renamed(
    left: Iterable[Thing], added: Iterable[Thing], renaming: Renaming, old: _Uses, new: _Uses
) -> list[tuple[Thing, Thing]]:
    """Things that are the same but for their names; several alike go by their order."""
    gone: dict[tuple[str, ...], list[Thing]] = defaultdict(list)
    come: dict[tuple[str, ...], list[Thing]] = defaultdict(list)
    for each in left:
        gone[_nameless(each, renaming)].append(each)
    for each in added:
        come[_nameless(each, Renaming({}))].append(each)
    return [
        pair
        for key, olds in gone.items()
        if olds[0].sort not in _UNNAMED and len(olds) == len(come.get(key, ()))
        for pair in zip(olds, come[key], strict=True)
        if _used_alike(old.of(pair[0].name), new.of(pair[1].name))
    ]


def _used_alike(old: Counter[str], new: Counter[str]) -> bool:
    """Whether two names stand in a line that is the same, or both in none."""
    return bool(old & new) or not (old or new)


def _rewritten(
    left: Iterable[Thing], added: Iterable[Thing], renaming: Renaming, old: _Uses, new: _Uses
) -> list[tuple[Thing, Thing]]:
    """Things that stand in just the same lines, have other names and say much the same."""
    gone: dict[object, list[Thing]] = defaultdict(list)
    come: dict[object, list[Thing]] = defaultdict(list)
    for each in left:
        uses = frozenset(old.of(each.name).items())
        gone[each.sort, renaming(each.within), uses].append(each)
    for each in added:
        come[each.sort, each.within, frozenset(new.of(each.name).items())].append(each)
    return [
        (olds[0], come[key][0])
        for key, olds in gone.items()
        if olds[0].sort not in _UNNAMED
        and old.of(olds[0].name)
        and len(olds) == len(come.get(key, ())) == 1
        and _much_alike(olds[0], come[key][0], renaming)
    ]


def _much_alike(old: Thing, new: Thing, renaming: Renaming) -> bool:
    """Whether two things are much the same as people read them."""
    one, two = _TOKEN.findall(renaming(_said(old))), _TOKEN.findall(_said(new))
    matcher = SequenceMatcher(None, one, two, autojunk=False)
    return matcher.real_quick_ratio() >= _ALIKE and matcher.ratio() >= _ALIKE


def _said(thing: Thing) -> str:
    return "\n".join(
        f"{part.name} {part.text} {' '.join(step.text for step in part.steps)}"
        for part in thing.parts
    )


def _nameless(thing: Thing, renaming: Renaming) -> tuple[str, ...]:
    """What a thing is, without its name."""
    body = renaming(re.sub(rf"\b{re.escape(thing.name)}\b", "\0", thing.key))
    return thing.sort, renaming(thing.within), body
