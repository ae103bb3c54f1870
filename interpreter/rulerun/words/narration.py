"""What happened, told in sentences.

Assumes events as one viewer heard them (`Told`), in order: their data says what, their text is what
to say when nothing better is known.
Does: speaks to the viewer as `you`, calls cards by what is printed on them, and gathers what
belongs together: cards that go the same way, cards of one kind that all players get, values that
are set one after another. What the rules tell in their own words (`story:`) is told so, or not at
all; a choice that the next event shows anyway (playing a card moves it) is not told twice.
Short sentences of the rules that follow each other and say the same of others share a line.
Leaves behind sentences with a style: `phase`, `say`, `luck` or `plain`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from rulerun.runtime.phrases import OTHER, Filling, count_form, filled
from rulerun.runtime.wording import words
from rulerun.views.observation import Told
from rulerun.words.moves_told import Moves
from rulerun.words.places_told import Sentence, capital, joined, plain, sentence
from rulerun_dsl.source.safe_text import clean

_GATHERED = ("move", "set", "roll", "pick")
"""Words of events of which several may be told in one sentence."""

__all__ = ["Narrator", "Sentence", "capital", "sentence"]


class Narrator(Moves):
    """Tells one viewer what happens. Remembers the phase, which is told when it changes."""

    def tell(self, told: Iterable[Told]) -> list[Sentence]:
        """Tell some events, which follow those told before."""
        return self.put_behind([], self.parts(list(told)))

    def parts(self, events: Sequence[Told]) -> list[Sentence]:
        """What groups of events say, one after another."""
        found: list[Sentence] = []
        at = 0
        while at < len(events):
            end = self._dealt_until(events, at)
            if end is not None:
                found += self._deal(events[at:end])
                at = end
                continue
            end = at + 1
            while end < len(events) and self._alike(events[at], events[end]):
                end += 1
            follows = events[end] if end < len(events) else None
            found += self._group(events[at:end], follows)
            at = end
        return found

    def put_behind(self, told: Sequence[Sentence], found: Sequence[Sentence]) -> list[Sentence]:
        """The sentences of a log with what is new."""
        last = [*told[-1:], *found]
        # Of phases that begin one inside the other, the innermost says enough.
        kept = (
            each
            for at, each in enumerate(last)
            if each.style != "phase" or at + 1 == len(last) or last[at + 1].style != "phase"
        )
        return [*told[:-1], *joined(self.speech.and_so, kept)]

    def _group(self, events: Sequence[Told], follows: Told | None) -> list[Sentence]:
        first = events[0]
        match first.word:
            case "phase":
                return self._enter(first)
            case "choose":
                self._chosen.append((str(first.what.get("player")), len(self._changed)))
                return self._choice(first, follows)
            case "move":
                return self._moves(events)
            case "set":
                return self._sets(events)
            case "roll" | "pick":
                if all("attribute" in each.what for each in events):
                    return [replace(each, style="luck") for each in self._attributes(events)]
                text = "; ".join(filter(None, map(self._luck, events)))
                return [Sentence("luck", sentence(text))] if text else []
            case "show":
                return self._shows(first)
            case "shuffle" | "swap":
                return self._befalls(first)
            case "say":
                made_of = str(first.what.get("sentence", ""))
                said = self._said(first)
                inside = self.names.inside(made_of, said)
                return [Sentence("say", sentence(said), made_of, inside)] if said else []
            case "undo":
                self._go_back(str(first.what.get("player")))
                action = first.what.get("action")
                if isinstance(action, str):
                    since = self.speech.with_replies if "since" in first.text else ""
                    what = self.names.action_text(action)
                    return plain(self.speech.took_back.format(what=what) + since)
            case "together_end" | "end":
                return []
        return plain(clean(first.text))

    def _said(self, event: Told) -> str:
        template, values = event.what.get("sentence"), event.what.get("values")
        if isinstance(template, str) and isinstance(values, list):
            return self.names.sentence(template, values, self.viewer)
        return words(clean(event.text))

    def _enter(self, event: Told) -> list[Sentence]:
        path = event.what.get("path")
        names = [str(each) for each in path] if isinstance(path, list) else []
        name = ": ".join(names) or event.text
        if name == self._phase:
            return []
        self._phase = name
        own = self.names.story.get(f"phases {names[-1]}") if names else None
        if own is not None:
            told = self._story(f"phases {names[-1]}", {}) or []
            return [Sentence("phase", each.text.removesuffix(".")) for each in told]
        if names and self.names.has_words(f"phase {names[-1]}"):
            return [Sentence("phase", capital(self.names.named("phase", names[-1])))]
        return [Sentence("phase", clean(words(event.text)))]

    def _choice(self, event: Told, follows: Told | None) -> list[Sentence]:
        player, action = event.what.get("player"), event.what.get("action")
        if not isinstance(player, str) or not isinstance(action, str):
            return plain(clean(event.text))
        who = self._filling(player)
        told = self._story(
            f"choices {self.names.key_of_choice(action)}",
            {"player": who, "what": Filling(self.names.values_text(action, self.viewer))},
        )
        if told is not None:
            return told
        if (
            follows is not None
            and follows.word == "move"
            # Told by its kind, a piece was hidden: the move says more of it.
            and action in (follows.what.get("component"), follows.what.get("kind"))
        ):
            return []
        what = Filling(self.names.action_text(action, self.viewer))
        return plain(filled(self.speech.chose, {"player": who, "what": what}.__getitem__))

    def _shows(self, event: Told) -> list[Sentence]:
        what = event.what
        names, to, kind = what.get("components"), what.get("to"), str(what.get("kind"))
        if not isinstance(to, list) or not isinstance(names, list):
            return plain(clean(event.text))
        whom = self.speech.everybody
        if to != ["all"]:
            whom = self.speech.listed([self._who(str(each)) for each in to])
        alone = len(names) == 1 and str(names[0]).isdigit()
        things = (
            f"{self.names.kind(kind)} {names[0]}"
            if alone
            else self._things(kind, list(map(str, names)))
        )
        labels = what.get("zones")
        owners = {self._owner(str(each)) for each in labels} if isinstance(labels, list) else {""}
        if len(owners) > 1 or "" in owners:
            return plain(self.speech.shown.format(what=things, whom=whom))
        values = {"owner": self._filling(owners.pop())}
        values |= {"whom": Filling(whom), "what": Filling(things)}
        return plain(filled(self.speech.shows, values.__getitem__))

    def _befalls(self, event: Told) -> list[Sentence]:
        """Zones are shuffled or exchanged."""
        zones = event.what.get("zones")
        if not isinstance(zones, list):
            return plain(clean(event.text))
        if self._hidden.issuperset(str(each).partition("[")[0] for each in zones):
            return []
        template = self.speech.shuffled if event.word == "shuffle" else self.speech.exchanged
        return plain(template.format(zones=self.speech.listed([self._place(z) for z in zones])))

    def _sets(self, events: Sequence[Told]) -> list[Sentence]:
        """Values, by the variable: `won is 2 for Yarg and 0 for Applewood`."""
        last: dict[str, str] = {}
        for event in events:
            name = event.what.get("name")
            if not isinstance(name, str) or "value" not in event.what:
                return self._attributes(events)
            last.pop(name, None)
            family = name.partition("[")[0]
            if family not in self._hidden or f"values {family}" in self.names.story:
                last[name] = str(event.what["value"])
        told: list[Sentence] = []
        families: dict[str, dict[str, list[str]]] = {}
        for name, value in last.items():
            own = self._story_of_value(name, value)
            if own is not None:
                told += own
                continue
            family, whose = self._split(name)
            said = self._value(name, value)
            families.setdefault(family, {}).setdefault(said, []).append(whose)
        found = []
        for family, values in families.items():
            parts = [
                self.speech.of_whom.format(value=value, whom=self._all(whose))
                if any(whose)
                else value
                for value, whose in values.items()
            ]
            found.append(self.speech.now.format(what=family, values=self.speech.listed(parts)))
        return [*told, *(plain("; ".join(found)) if found else ())]

    def _story_of_value(self, name: str, value: str) -> list[Sentence] | None:
        family = name.partition("[")[0]
        change = self._change(name, value)
        if f"values {family}" not in self.names.story:
            return None
        indexes = self._indexes(name)
        whose = [each for each in indexes if each in self._players]
        others = [self.names.word(each) for each in indexes if each not in self._players]
        values = {
            "owner": self._filling(whose[0] if whose else ""),
            "what": Filling(self.speech.listed(others)),
            "value": self._value_filling(name, value),
            "change": Filling(
                f"{change:+d}" if change is not None else "",
                OTHER if change is None else count_form(change, self.speech.code),
                bool(change),
            ),
        }
        return self._story(f"values {family}", values)

    def _value_filling(self, name: str, value: str) -> Filling:
        if value.lstrip("-").isdigit():
            return self.names.filling(int(value), self.viewer)
        if value in self._players:
            return self._filling(value)
        if value in ("true", "false"):
            return self.names.filling(value == "true", self.viewer)
        return Filling(self._value(name, value), OTHER, value != "none")

    def _change(self, name: str, value: str) -> int | None:
        """By how much a number has changed since it was told last."""
        family = name.partition("[")[0]
        if family not in self._numbers or not value.lstrip("-").isdigit():
            return None
        starts = set(self._numbers[family])
        start = starts.pop() if len(starts) == 1 else None
        before = self._last.get(name, start)
        self._changed.append((name, self._last.get(name)))
        self._last[name] = int(value)
        return None if before is None else int(value) - before

    def _go_back(self, player: str) -> None:
        """What a player chose last is taken back: numbers are again what they were then."""
        at = max((at for at, (who, _) in enumerate(self._chosen) if who == player), default=None)
        if at is None:
            return
        since = self._chosen[at][1]
        for name, before in reversed(self._changed[since:]):
            if before is None:
                self._last.pop(name, None)
            else:
                self._last[name] = before
        del self._changed[since:], self._chosen[at:]

    def _attributes(self, events: Sequence[Told]) -> list[Sentence]:
        """Attributes; those of alike components together: `face of 3 dice is now 2, 5 and 5`."""
        told: list[Sentence] = []
        at = 0
        while at < len(events):
            end = at + 1
            keys = [events[at].what.get(key) for key in ("kind", "component", "attribute")]
            while end < len(events) and keys == [
                events[end].what.get(key) for key in ("kind", "component", "attribute")
            ]:
                end += 1
            kind, attribute = str(keys[0]), str(keys[2])
            own = f"values {kind}.{attribute}" in self.names.story
            if end - at > 1 and "value" in events[at].what and not own:
                thing = f"{end - at} {self.names.kind(kind, end - at)}"
                what = self.names.named(f"column {kind}", attribute)
                values = [self.names.word(str(each.what["value"])) for each in events[at:end]]
                told += plain(
                    self.speech.now.format(
                        what=self.speech.attribute_of.format(attribute=what, thing=thing),
                        values=self.speech.listed(values),
                    )
                )
            else:
                told += [found for each in events[at:end] for found in self._attribute(each)]
            at = end
        return told

    def _attribute(self, event: Told) -> list[Sentence]:
        what = event.what
        if not {"kind", "component", "attribute", "value"}.issubset(what):
            return plain(clean(event.text))
        kind, attribute = str(what["kind"]), str(what["attribute"])
        own = self._story_of_attribute(kind, attribute, what)
        if own is not None:
            return own
        named = self.names.named(f"column {kind}", attribute)
        whole = self.names.component(kind, str(what["component"]), alone=True)
        thing = self.speech.the.format(name=whole)
        value = self.names.word(str(what["value"]))
        return plain(
            self.speech.now.format(
                what=self.speech.attribute_of.format(attribute=named, thing=thing), values=value
            )
        )

    def _story_of_attribute(
        self, kind: str, attribute: str, what: Mapping[str, object]
    ) -> list[Sentence] | None:
        """What the rules tell of what becomes of a component, in their own words."""
        text, value = str(what["component"]), str(what["value"])
        whole, _, owner = text.partition(" of ")
        owned = owner in self._players
        thing = self.names.component(kind, whole if owned else text, alone=True)
        number = value.lstrip("-").isdigit()
        said = self.names.filling(int(value)) if number else Filling(self.names.value_text(value))
        something = value not in ("none", "false", "0")
        values = {
            "owner": self._filling(owner if owned else ""),
            "what": Filling(self.speech.the.format(name=thing)),
            "value": Filling(said.text, said.form, something),
            "change": Filling("", OTHER, False),
        }
        return self._story(f"values {kind}.{attribute}", values)

    def _luck(self, event: Told) -> str:
        name, value = event.what.get("name"), event.what.get("value")
        verb = self.speech.rolled if event.word == "roll" else self.speech.drawn
        if not isinstance(name, str):
            if "attribute" not in event.what:
                return clean(event.text)
            return "; ".join(each.text.rstrip(".") for each in self._attribute(event))
        own = self._story_of_value(name, str(value))
        if own is not None:
            return "; ".join(each.text.rstrip(".") for each in own)
        if name.partition("[")[0] in self._hidden:
            return ""
        family, whose = self._split(name)
        what = f"{family} {self.names.of_player(whose)}" if whose else family
        return self.speech.by_lot.format(value=self._value(name, str(value)), drawn=verb, what=what)

    @staticmethod
    def parted(first: Told, second: Told) -> bool:
        """Whether what is behind `first` is told the same, whatever comes from `second` on."""
        gathered = first.word == second.word and first.word in _GATHERED
        return first.word != "choose" and not gathered

    def _alike(self, first: Told, second: Told) -> bool:
        """Whether two events are told in one sentence."""
        if first.word != second.word:
            return False
        if first.word == "set" and ("name" in first.what) != ("name" in second.what):
            return False
        if first.word != "move":
            return first.word in _GATHERED
        if any(first.what.get(key) != second.what.get(key) for key in ("kind", "from")):
            return False
        targets = [str(each.what.get("to", "")) for each in (first, second)]
        families = {each.partition("[")[0] for each in targets}
        return targets[0] == targets[1] or (len(families) == 1 and families <= self._on_boards)
