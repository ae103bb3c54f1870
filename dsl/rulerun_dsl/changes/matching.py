"""What is different between two lists of things.

Assumes: two outlines.
Does: pairs things by name; of those that are left, pairs what is the same but for its name, and
looks at all of the old rules as if they had the new names. Then compares pair by pair.
Leaves behind: `Changes`. Whatever tells two rules apart and no part shows is a change all the same.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from rulerun_dsl.changes.change import Change, Changes, Detail
from rulerun_dsl.changes.things import Part, Thing, things_of
from rulerun_dsl.changes.told_texts import other_hints, other_texts
from rulerun_dsl.changes.written_steps import different, written
from rulerun_dsl.syntax.declarations import Outline

Identity = tuple[str, str, str]

_UNNAMED = ("constraint", "game", "setup", "scoring", "points", "tie", "hook")
"""Sorts of things whose name says what they are."""
_HOLDING = ("component", "type", "phase", "game", "variant", "row")
"""Sorts of things whose parts are all there is to them, but for other things."""
_WORD = re.compile(r"\w+")


class _Renaming:
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


def changes_between(old: Outline, new: Outline) -> Changes:
    """What is different in the game."""
    before, after = things_of(old), things_of(new)
    pairs, renaming = _paired(before, after)
    return Changes(
        tuple(_changes(before, after, pairs, renaming)),
        other_texts(old, new),
        other_hints(old, new),
    )


def _identity(thing: Thing) -> Identity:
    return thing.sort, thing.within, thing.name


def _paired(
    before: Iterable[Thing], after: Iterable[Thing]
) -> tuple[dict[Identity, Thing], _Renaming]:
    """By the identity of a new thing, the old one that it was; and the new names."""
    left = {_identity(each): each for each in before}
    new = {_identity(each): each for each in after}
    pairs: dict[Identity, Thing] = {}
    renaming = _Renaming({})
    while True:
        moved = {
            (sort, renaming(within), name): mine for mine in left for sort, within, name in [mine]
        }
        for identity in new:
            mine = identity if identity in left else moved.get(identity, identity)
            if identity not in pairs and mine in left:
                pairs[identity] = left.pop(mine)
        found = _renamed(left.values(), [new[each] for each in new if each not in pairs], renaming)
        if not found:
            return pairs, renaming
        for thing, other in found:
            pairs[_identity(other)] = left.pop(_identity(thing))
            renaming = _Renaming({**renaming.names, thing.name: other.name})


def _renamed(
    left: Iterable[Thing], added: Iterable[Thing], renaming: _Renaming
) -> list[tuple[Thing, Thing]]:
    """Things that are the same but for their names; several alike go by their order."""
    gone: dict[tuple[str, ...], list[Thing]] = defaultdict(list)
    come: dict[tuple[str, ...], list[Thing]] = defaultdict(list)
    for each in left:
        gone[_nameless(each, renaming)].append(each)
    for each in added:
        come[_nameless(each, _Renaming({}))].append(each)
    return [
        pair
        for key, olds in gone.items()
        if olds[0].sort not in _UNNAMED and len(olds) == len(come.get(key, ()))
        for pair in zip(olds, come[key], strict=True)
    ]


def _nameless(thing: Thing, renaming: _Renaming) -> tuple[str, ...]:
    """What a thing is, without its name."""
    body = renaming(re.sub(rf"\b{re.escape(thing.name)}\b", "\0", thing.key))
    return thing.sort, renaming(thing.within), body


# ------------------------------------------------------------------------------------ comparing


def _changes(
    before: Iterable[Thing],
    after: Iterable[Thing],
    pairs: Mapping[Identity, Thing],
    renaming: _Renaming,
) -> Iterator[Change]:
    kept = {_identity(each) for each in pairs.values()}
    gone = [each for each in before if _identity(each) not in kept]
    new = list(after)
    for at, thing in enumerate(new):
        old = pairs.get(_identity(thing))
        if old is None:
            yield _one_sided(thing, "added")
        else:
            yield from _changed(old, thing, renaming)
        # What is gone stands where its section ends.
        if at + 1 == len(new) or new[at + 1].sort != thing.sort:
            yield from (_one_sided(each, "removed") for each in gone if each.sort == thing.sort)
            gone = [each for each in gone if each.sort != thing.sort]
    yield from (_one_sided(each, "removed") for each in gone)


def _one_sided(thing: Thing, how: str) -> Change:
    """A thing that stands on one side alone, with its parts."""
    sign = "+" if how == "added" else "-"
    details = []
    for part in thing.parts:
        if part.steps:
            details.append(Detail(part.name, lines=written(part.steps, sign)))
        elif part.text:
            sides = (None, part.text) if how == "added" else (part.text, None)
            details.append(Detail(part.name, *sides))
    old, new = (None, thing.span) if how == "added" else (thing.span, None)
    name = thing.name
    return Change(thing.sort, thing.within, name, how, name, tuple(details), old, new)


def _changed(old: Thing, new: Thing, renaming: _Renaming) -> Iterator[Change]:
    was = {part.name: part for part in old.parts}
    now = {part.name: part for part in new.parts}
    details: list[Detail] = []
    for name in dict.fromkeys((*was, *now)):
        details += _detail(was.get(name), now.get(name), renaming)
    if not details and not renaming.same(old.key, new.key) and new.sort not in _HOLDING:
        details.append(Detail("", old.key, new.key))
    renamed = old.name != new.name
    if details or renamed:
        how = "renamed" if renamed else "changed"
        place = (new.sort, new.within, new.name)
        yield Change(*place, how, old.name, tuple(details), old.span, new.span)


def _detail(old: Part | None, new: Part | None, renaming: _Renaming) -> Iterator[Detail]:
    if old is None or new is None:
        part = old or new
        assert part is not None
        sign = "-" if new is None else "+"
        if part.steps:
            yield Detail(part.name, lines=written(part.steps, sign))
        elif not part.order:
            sides = (part.text, None) if new is None else (None, part.text)
            yield Detail(part.name, *sides)
    elif old.order or new.order:
        both = [each for each in map(renaming, old.order) if each in new.order]
        now = [each for each in new.order if each in both]
        if both != now:
            yield Detail(new.name, ", ".join(both), ", ".join(now))
    elif not renaming.same(old.key, new.key):
        if old.steps or new.steps:
            keys = [
                line.key if line.key in {each.key for each in new.steps} else renaming(line.key)
                for line in old.steps
            ]
            yield Detail(new.name, lines=different(old.steps, new.steps, keys))
        else:
            yield Detail(new.name, old.text, new.text)
