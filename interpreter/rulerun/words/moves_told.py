"""What moves, told in sentences: cards that go the same way, a deal, one by one.

Assumes events of moves that belong together, as one viewer heard them.
Does: tells them as the rules have it (`story: moves`), else in the words of the language.
Leaves behind sentences.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from rulerun.runtime.phrases import OTHER, SEVERAL, Filling, count_form, filled
from rulerun.views.observation import Told
from rulerun.words.places_told import Sentence, Teller, last, plain

_INNERMOST = re.compile(r"\[[^\[\]]*\]")
_VALUE = re.compile(r"<[^<>]*>")


def _of_owner(template: str) -> bool:
    """Whether what a sentence about a move names is what its `<owner>` gets.

    Brackets with words of their own speak to the reader.

    >>> _of_owner("<owner> [draw|draws] <what>."), _of_owner("<owner> [draw|draws][: <list>].")
    (True, True)
    >>> _of_owner("<owner> [get|gets] <count> cards[; you get <list>].")
    False
    """

    def kept(bracket: re.Match[str]) -> str:
        words = any(each.isalpha() for each in _VALUE.sub("", bracket[0]))
        return "" if words and "<owner>" not in bracket[0] else bracket[0][1:-1]

    before = ""
    while before != template:
        before, template = template, _INNERMOST.sub(kept, template)
    return "<owner>" in template and ("<what>" in template or "<list>" in template)


class Moves(Teller):
    """Tells moves."""

    def _moves(self, events: Sequence[Told]) -> list[Sentence]:
        # An end that is not told is one of which the viewer sees nothing.
        source, target = self._ends(events)
        if source == target:
            return []
        owner, giver = self._owner(target), self._owner(source)
        values = self._values_of(events)
        told = self._story_of_move(source, target, {**values, "list": self._seen(events)})
        if told is not None:
            return told
        if not source or not target:
            template = self.speech.came if target else self.speech.left
        elif owner and owner == giver:
            # Whose it is need be said but once.
            template = self.speech.moved_within
        else:
            template = self.speech.moved
        return plain(filled(template, values.__getitem__))

    @staticmethod
    def _ends(events: Sequence[Told]) -> tuple[str, str]:
        """Whence and where things move."""
        what = events[0].what
        return str(what.get("from", "")), str(what.get("to", ""))

    def _values_of(self, events: Sequence[Told]) -> dict[str, Filling]:
        """What a sentence may name of things that go the same way."""
        source, target = self._ends(events)
        owner, giver = self._owner(target), self._owner(source)
        return {
            **self._pieces(events),
            "owner": self._filling(owner or giver),
            "giver": self._filling(giver or owner),
            "from": Filling(self._place(source)),
            "to": Filling(self._places(events)),
            "own": Filling(self._own(target)),
            "own_from": Filling(self._zone(source)),
        }

    def _template_of_move(self, source: str, target: str) -> tuple[str, str] | None:
        """Where the rules tell of a move, and how; None if they do not."""
        ends = [each.partition("[")[0] for each in (source, target)]
        for key in (f"{ends[0]} to {ends[1]}", f"to {ends[1]}", f"from {ends[0]}"):
            template = self.names.story.get(f"moves {key}")
            if template is not None:
                return f"moves {key}", template
        return None

    def _story_of_move(
        self, source: str, target: str, values: Mapping[str, Filling]
    ) -> list[Sentence] | None:
        """What the rules tell of a move; None if that is left to the narrator."""
        found = self._template_of_move(source, target)
        if found is not None:
            return self._story(found[0], values)
        ends = {each.partition("[")[0] for each in (source, target) if each}
        return [] if self._hidden.issuperset(ends) else None

    def _dealt_until(self, events: Sequence[Told], at: int) -> int | None:
        """Where a deal ends that begins there: as much for each of several; None if none does."""
        first = events[at].what
        if events[at].word != "move" or not self._owner(str(first.get("to", ""))):
            return None
        family = str(first["to"]).partition("[")[0]
        end = at
        counts: Counter[str] = Counter()
        while end < len(events) and events[end].word == "move":
            what = events[end].what
            target = str(what.get("to", ""))
            owner = self._owner(target)
            if target.partition("[")[0] != family or not owner:
                break
            if any(what.get(key) != first.get(key) for key in ("kind", "from")):
                break
            counts[owner] += 1
            end += 1
        return end if len(counts) > 1 and len(set(counts.values())) == 1 else None

    def _deal(self, events: Sequence[Told]) -> list[Sentence]:
        """Several players get as much each from one place."""
        owners: dict[str, list[Told]] = {}
        for each in events:
            owners.setdefault(self._owner(str(each.what["to"])), []).append(each)
        mine = owners.get(self.viewer)
        one = next(iter(owners.values()))
        everybody = len(owners) == len(self._players)
        who = self.speech.everybody if everybody else self._all([self._who(p) for p in owners])
        source, target = self._ends(events)
        found = self._template_of_move(source, target)
        of_owner = found is not None and _of_owner(self.names.said_alone(found[1]))
        seen = {owner: self._seen(each) for owner, each in owners.items()}
        alike = len({each.text for each in seen.values()}) == 1
        values = {
            **self._pieces(mine or one, named=False),
            "owner": Filling(who, OTHER if everybody else SEVERAL),
            "giver": self._filling(self._owner(source)),
            "from": Filling(self._place(source)),
            "to": Filling(self._zone(target)),
        }
        if not (alike if of_owner else mine):
            # What one of them gets is not what they all get, nor what the viewer gets.
            values |= {"what": values["pieces"], "list": Filling("", OTHER, False)}
        elif found is not None:
            values["list"] = self._seen(mine or one)
        if found is None or not of_owner or alike:
            told = self._story_of_move(source, target, values)
            return plain(filled(self.speech.dealt, values.__getitem__)) if told is None else told
        apart = [owner for owner in owners if seen[owner].something]
        if len(apart) == len(owners):
            return [each for owner in apart for each in self._moves(owners[owner])]
        sentences = self._story(found[0], values) or []
        for owner in apart:
            own = {**self._values_of(owners[owner]), "list": seen[owner]}
            if len(owners[owner]) > 1:
                # How many it is has just been said.
                own["what"] = seen[owner]
            sentences += self._story(found[0], own) or []
        return sentences

    def _pieces(self, events: Sequence[Told], *, named: bool = True) -> dict[str, Filling]:
        """What moves, in words: `the prince 7`, `3 cards`; and which, as far as it is seen.

        `named`: a single one is called by its name.
        """
        kind, many = str(events[0].what.get("kind")), len(events)
        form = count_form(many, self.speech.code)
        names = [str(each.what["component"]) for each in events if "component" in each.what]
        which = ""
        if names and set(names) != {kind} and (many > 1 or not named):
            which = self._things(kind, names)
            if many > len(names):
                unseen = self.speech.unseen.format(number=many - len(names))
                which += f" {self.speech.conjunction} {unseen}"
        if many == 1 and names and named:
            whole = self.names.component(kind, names[0], alone=True)
            text = whole if self.names.by_columns(kind) else self.speech.the.format(name=whole)
        elif many == 1:
            noun = self.names.kind(kind)
            vowel = noun[:1].lower() in tuple("aeiou")
            text = (self.speech.a_vowel if vowel else self.speech.a).format(name=noun)
        else:
            text = f"{many} {self.names.kind(kind, many)}"
        return {
            "pieces": Filling(text, form),
            "list": Filling(which, OTHER, bool(which)),
            "what": Filling(f"{text} ({which})" if which else text, form),
            "count": Filling(str(many), form),
        }

    def _seen(self, events: Sequence[Told]) -> Filling:
        """Which pieces move, as far as the viewer sees; nothing if they see none."""
        kind = str(events[0].what.get("kind"))
        names = [str(each.what["component"]) for each in events if "component" in each.what]
        named = [each for each in names if each != kind]
        return Filling(self._things(kind, named), OTHER, bool(named))

    def _places(self, events: Sequence[Told]) -> str:
        """Where things go; to several sites: the zone is named once."""
        places = dict.fromkeys(str(each.what.get("to", "")) for each in events)
        first, *more = (self._place(each) for each in places)
        return self.speech.listed([first, *(last(each) for each in more)])

    def _own(self, label: str) -> str:
        """A zone of the one who is named already: `their hand`."""
        zone = self._zone(label)
        if self.speech.code != "en":
            return zone
        return f"{'your' if self._owner(label) == self.viewer else 'their'} {zone}"
