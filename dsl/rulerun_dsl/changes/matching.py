"""What is different between two lists of things.

Assumes: two outlines.
Does: pairs things by name or by what they are (`renaming`), and compares pair by pair, all of the
old rules as if they had the new names.
Leaves behind: `Changes`. Whatever tells two rules apart and no part shows is a change all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rulerun_dsl.changes.change import Change, Changes, Detail
from rulerun_dsl.changes.plain import one_line
from rulerun_dsl.changes.renaming import Identity, Renaming, identity, paired
from rulerun_dsl.changes.things import Part, Thing, things_of
from rulerun_dsl.changes.told_texts import other_hints, other_texts
from rulerun_dsl.changes.written_steps import different, written
from rulerun_dsl.syntax.declarations import Outline

_HOLDING = ("component", "type", "phase", "game", "variant", "row", "table")
"""Sorts of things whose parts are all there is to them, but for other things."""


def changes_between(old: Outline, new: Outline) -> Changes:
    """What is different in the game."""
    before, after = things_of(old), things_of(new)
    pairs, renaming = paired(before, after)
    return Changes(
        tuple(_changes(before, after, pairs, renaming)),
        other_texts(old, new),
        other_hints(old, new),
    )


# ------------------------------------------------------------------------------------ comparing


def _changes(
    before: Iterable[Thing],
    after: Iterable[Thing],
    pairs: Mapping[Identity, Thing],
    renaming: Renaming,
) -> Iterator[Change]:
    kept = {identity(each) for each in pairs.values()}
    gone = [each for each in before if identity(each) not in kept]
    new = list(after)
    for at, thing in enumerate(new):
        old = pairs.get(identity(thing))
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
        elif part.text and not part.understood:
            sides = (None, part.text) if how == "added" else (part.text, None)
            details.append(Detail(part.name, *sides))
    old, new = (None, thing.span) if how == "added" else (thing.span, None)
    name = thing.name
    return Change(thing.sort, thing.within, name, how, name, tuple(details), old, new)


def _changed(old: Thing, new: Thing, renaming: Renaming) -> Iterator[Change]:
    now = {part.name: part for part in new.parts}
    was = {part.name if part.name in now else renaming(part.name): part for part in old.parts}
    details: list[Detail] = []
    for name in dict.fromkeys((*was, *now)):
        details += _detail(was.get(name), now.get(name), renaming)
    if not details and not renaming.same(old.key, new.key) and new.sort not in _HOLDING:
        details.append(Detail("", _written(old), _written(new)))
    renamed = old.name != new.name
    if details or renamed:
        how = "renamed" if renamed else "changed"
        place = (new.sort, new.within, new.name)
        yield Change(*place, how, old.name, tuple(details), old.span, new.span)


def _written(thing: Thing) -> str:
    """All of a thing as it is written, where no part of it shows what is different."""
    return one_line(thing.span.text) if thing.span is not None else thing.name


def _detail(old: Part | None, new: Part | None, renaming: Renaming) -> Iterator[Detail]:
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
