"""What moves, told in sentences: cards that go the same way, a deal, one by one.

Assumes events of moves that belong together, as one viewer heard them.
Does: tells them as the rules have it (`story: moves`), else in the words of the language.
Leaves behind sentences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rulerun.runtime.phrases import OTHER, SEVERAL, Filling, count_form, filled
from rulerun.views.observation import Told
from rulerun.words.places_told import Sentence, Teller, last, plain


class Moves(Teller):
    """Tells moves."""

    def _moves(self, events: Sequence[Told]) -> list[Sentence]:
        what = events[0].what
        # An end that is not told is one of which the viewer sees nothing.
        source, target = str(what.get("from", "")), str(what.get("to", ""))
        if source == target:
            return []
        owner, giver = self._owner(target), self._owner(source)
        values = {
            **self._pieces(events),
            "owner": self._filling(owner or giver),
            "giver": self._filling(giver or owner),
            "from": Filling(self._place(source)),
            "to": Filling(self._places(events)),
            "own": Filling(self._own(target)),
            "own_from": Filling(self._zone(source)),
        }
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

    def _story_of_move(
        self, source: str, target: str, values: Mapping[str, Filling]
    ) -> list[Sentence] | None:
        """What the rules tell of a move; None if that is left to the narrator."""
        ends = [each.partition("[")[0] for each in (source, target)]
        for key in (f"{ends[0]} to {ends[1]}", f"to {ends[1]}", f"from {ends[0]}"):
            told = self._story(f"moves {key}", values)
            if told is not None:
                return told
        return [] if self._hidden.issuperset(each for each in ends if each) else None

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
        source, target = str(events[0].what.get("from", "")), str(events[0].what["to"])
        values = {
            **self._pieces(mine or one, named=False),
            "owner": Filling(who, OTHER if everybody else SEVERAL),
            "giver": self._filling(self._owner(source)),
            "from": Filling(self._place(source)),
            "to": Filling(self._zone(target)),
        }
        told = self._story_of_move(source, target, {**values, "list": self._seen(mine or one)})
        if told is not None:
            return told
        return plain(filled(self.speech.dealt, values.__getitem__))

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
