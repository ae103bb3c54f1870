"""What happened, told in sentences.

Assumes events as one viewer heard them (`Told`), in order: their data says what, their text is what
to say when nothing better is known.
Does: speaks to the viewer as `you`, calls cards by what is printed on them, and gathers what
belongs together: cards that go the same way, cards of one kind that all players get, values that
are set one after another. What the rules tell in their own words (`story:`) is told so, or not at
all; a choice that the next event shows anyway (playing a card moves it) is not told twice.
Leaves behind sentences with a style: `phase`, `say`, `luck` or `plain`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rulerun.runtime.phrases import OTHER, SEVERAL, Filling, count_form, filled
from rulerun.runtime.wording import words
from rulerun.views.observation import Told
from rulerun.words.labels import Labels, is_player
from rulerun_dsl.model.valuetypes import Int, Site
from rulerun_dsl.source.safe_text import clean


@dataclass(frozen=True, slots=True)
class Sentence:
    """Something that happened."""

    style: str
    text: str


class Narrator:
    """Tells one viewer what happens. Remembers the phase, which is told when it changes."""

    def __init__(self, names: Labels, viewer: str) -> None:
        """`viewer`: a player's name, or anything else for who is none."""
        self.names = names
        self.speech = names.speech
        self.viewer = viewer
        self._phase = ""
        self._players = frozenset(names.game.players)
        self._hidden = frozenset(names.game.view.hides)
        self._on_boards = {
            zone.name
            for zone in names.game.zones
            if len(zone.indexes) == 1 and isinstance(zone.indexes[0], Site)
        }
        variables = names.game.variables
        self._of_players = {each.name for each in variables if is_player(each.type)}
        self._numbers = {each.name: each.start for each in variables if isinstance(each.type, Int)}
        self._last: dict[str, int] = {}
        """What was told last of a variable that is a number."""

    def tell(self, told: Iterable[Told]) -> list[Sentence]:
        """Tell some events, which follow those told before."""
        events = list(told)
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
        # Of phases that begin one inside the other, the innermost says enough.
        return [
            each
            for at, each in enumerate(found)
            if each.style != "phase" or at + 1 == len(found) or found[at + 1].style != "phase"
        ]

    def _group(self, events: Sequence[Told], follows: Told | None) -> list[Sentence]:
        first = events[0]
        match first.word:
            case "phase":
                return self._enter(first)
            case "choose":
                return self._choice(first, follows)
            case "move":
                return self._moves(events)
            case "set":
                return self._sets(events)
            case "roll" | "pick":
                text = "; ".join(filter(None, map(self._luck, events)))
                return [Sentence("luck", sentence(text))] if text else []
            case "show":
                return self._shows(first)
            case "say":
                return [Sentence("say", sentence(self._said(first)))]
            case "undo":
                action = first.what.get("action")
                if isinstance(action, str):
                    since = self.speech.with_replies if "since" in first.text else ""
                    what = self.names.action_text(action)
                    return _plain(self.speech.took_back.format(what=what) + since)
            case "together_end" | "end":
                return []
        return _plain(clean(first.text))

    def _said(self, event: Told) -> str:
        template, values = event.what.get("sentence"), event.what.get("values")
        if isinstance(template, str) and isinstance(values, list):
            return self.names.sentence(template, values, self.viewer)
        return words(clean(event.text))

    def _story(self, key: str, values: Mapping[str, Filling]) -> list[Sentence] | None:
        """What the rules tell of a happening in their own words; None if they do not."""
        template = self.names.story.get(key)
        if template is None:
            return None
        return _plain(self.names.story_of(template, values)) if template else []

    # ------------------------------------------------------------------------------ each kind

    def _enter(self, event: Told) -> list[Sentence]:
        path = event.what.get("path")
        names = [str(each) for each in path] if isinstance(path, list) else []
        name = ": ".join(names) or event.text
        if name == self._phase:
            return []
        self._phase = name
        if names and self.names.has_words(f"phase {names[-1]}"):
            return [Sentence("phase", capital(self.names.named("phase", names[-1])))]
        return [Sentence("phase", clean(words(event.text)))]

    def _choice(self, event: Told, follows: Told | None) -> list[Sentence]:
        player, action = event.what.get("player"), event.what.get("action")
        if not isinstance(player, str) or not isinstance(action, str):
            return _plain(clean(event.text))
        who = self._filling(player)
        told = self._story(
            f"choices {self.names.key_of_choice(action)}",
            {"player": who, "what": Filling(self.names.values_text(action))},
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
        what = Filling(self.names.action_text(action))
        return _plain(filled(self.speech.chose, {"player": who, "what": what}.__getitem__))

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
        told = self._story_of_move(source, target, values)
        if told is not None:
            return told
        if not source or not target:
            template = self.speech.came if target else self.speech.left
        elif owner and owner == giver:
            # Whose it is need be said but once.
            template = self.speech.moved_within
        else:
            template = self.speech.moved
        return _plain(filled(template, values.__getitem__))

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
        told = self._story_of_move(source, target, values)
        if told is not None:
            return told
        return _plain(filled(self.speech.dealt, values.__getitem__))

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
            text = self.speech.the.format(name=whole)
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

    def _things(self, kind: str, names: Sequence[str]) -> str:
        counted = Counter(self.names.component(kind, name) for name in names)
        return self.speech.listed(
            [text if n == 1 else f"{text} x{n}" for text, n in counted.items()]
        )

    def _places(self, events: Sequence[Told]) -> str:
        """Where things go; to several sites: the zone is named once."""
        places = dict.fromkeys(str(each.what.get("to", "")) for each in events)
        first, *more = (self._place(each) for each in places)
        return self.speech.listed([first, *(_last(each) for each in more)])

    def _own(self, label: str) -> str:
        """A zone of the one who is named already: `their hand`."""
        zone = self._zone(label)
        if self.speech.code != "en":
            return zone
        return f"{'your' if self._owner(label) == self.viewer else 'their'} {zone}"

    def _shows(self, event: Told) -> list[Sentence]:
        what = event.what
        names, to, kind = what.get("components"), what.get("to"), str(what.get("kind"))
        if not isinstance(to, list) or not isinstance(names, list):
            return _plain(clean(event.text))
        whom = self.speech.everybody
        if to != ["all"]:
            whom = self.speech.listed([self._who(str(each)) for each in to])
        alone = len(names) == 1 and str(names[0]).isdigit()
        things = (
            f"{self.names.kind(kind)} {names[0]}"
            if alone
            else self._things(kind, list(map(str, names)))
        )
        return _plain(self.speech.shown.format(what=things, whom=whom))

    def _sets(self, events: Sequence[Told]) -> list[Sentence]:
        """Values, by the variable: `won is 2 for Yarg and 0 for Applewood`."""
        last: dict[str, str] = {}
        for event in events:
            name = event.what.get("name")
            if not isinstance(name, str) or "value" not in event.what:
                return [found for each in events for found in self._attribute(each)]
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
        return [*told, *(_plain("; ".join(found)) if found else ())]

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
        return Filling(self._value(name, value), OTHER, value not in ("none", "false"))

    def _change(self, name: str, value: str) -> int | None:
        """By how much a number has changed since it was told last."""
        family = name.partition("[")[0]
        if family not in self._numbers or not value.lstrip("-").isdigit():
            return None
        starts = set(self._numbers[family])
        start = starts.pop() if len(starts) == 1 else None
        before = self._last.get(name, start)
        self._last[name] = int(value)
        return None if before is None else int(value) - before

    def _attribute(self, event: Told) -> list[Sentence]:
        what = event.what
        if not {"kind", "component", "attribute", "value"}.issubset(what):
            return _plain(clean(event.text))
        kind, attribute = str(what["kind"]), str(what["attribute"])
        named = self.names.named(f"column {kind}", attribute)
        whole = self.names.component(kind, str(what["component"]), alone=True)
        thing = self.speech.the.format(name=whole)
        value = self.names.word(str(what["value"]))
        return _plain(
            self.speech.now.format(
                what=self.speech.attribute_of.format(attribute=named, thing=thing), values=value
            )
        )

    def _luck(self, event: Told) -> str:
        name, value = event.what.get("name"), event.what.get("value")
        verb = self.speech.rolled if event.word == "roll" else self.speech.drawn
        if not isinstance(name, str):
            found = self._attribute(event) if "attribute" in event.what else ()
            return "; ".join(each.text.rstrip(".") for each in found) or clean(event.text)
        own = self._story_of_value(name, str(value))
        if own is not None:
            return "; ".join(each.text.rstrip(".") for each in own)
        if name.partition("[")[0] in self._hidden:
            return ""
        family, whose = self._split(name)
        what = f"{family} {self.speech.round_of.format(owner=whose)}" if whose else family
        return self.speech.by_lot.format(value=self._value(name, str(value)), drawn=verb, what=what)

    # ----------------------------------------------------------------------------------- names

    def _filling(self, player: str) -> Filling:
        if not player:
            return Filling("", OTHER, False)
        return self.names.filling(player, self.viewer)

    def _indexes(self, name: str) -> list[str]:
        rest = name.partition("[")[2]
        return [each.strip() for each in rest.rstrip("]").split(",") if each.strip()]

    def _split(self, name: str) -> tuple[str, str]:
        """`won[yarg]` as what and whose."""
        indexes = self._indexes(name)
        whose = [each for each in indexes if each in self._players]
        others = [self.names.word(each) for each in indexes if each not in self._players]
        label = " ".join([self.names.variable(name.partition("[")[0]), *others])
        return label, f" {self.speech.conjunction} ".join(map(self._who, whose))

    def _who(self, player: str) -> str:
        return self.speech.you if player == self.viewer else self.names.player(player)

    def _all(self, whose: Sequence[str]) -> str:
        everybody = [self._who(each) for each in self.names.game.players]
        if len(everybody) > 2 and sorted(whose) == sorted(everybody):
            return self.speech.everybody
        return self.speech.listed(list(whose))

    def _value(self, name: str, value: str) -> str:
        if value == "none" and name.partition("[")[0] in self._of_players:
            return self.speech.nobody
        return ", ".join(self.names.value_text(each) for each in value.split(", "))

    def _owner(self, label: str) -> str:
        return next((each for each in self._indexes(label) if each in self._players), "")

    def _zone(self, label: str) -> str:
        """A zone without its owner: `line`."""
        family = label.partition("[")[0]
        others = [each for each in self._indexes(label) if each not in self._players]
        name = self.names.zone(family)
        if len(others) == 1 and family in self._on_boards:
            site = self.names.word(others[0])
            return f"{name} {site}" if name.split()[-1] == "on" else f"{name} on {site}"
        return " ".join([name, *map(self.names.word, others)])

    def _alike(self, first: Told, second: Told) -> bool:
        """Whether two events are told in one sentence."""
        if first.word != second.word:
            return False
        if first.word != "move":
            return first.word in ("set", "roll", "pick")
        if any(first.what.get(key) != second.what.get(key) for key in ("kind", "from")):
            return False
        targets = [str(each.what.get("to", "")) for each in (first, second)]
        families = {each.partition("[")[0] for each in targets}
        return targets[0] == targets[1] or (len(families) == 1 and families <= self._on_boards)

    def _place(self, label: str) -> str:
        """A zone with its owner: `Yarg's hand`, `your hand`, `the deck`."""
        if not label:
            return ""
        owner = self._owner(label)
        zone = self._zone(label)
        if not owner and label.startswith("on["):
            return zone.removeprefix("on ")
        if not owner:
            return self.speech.the.format(name=zone)
        if owner == self.viewer:
            return self.speech.your.format(zone=zone)
        return self.speech.whose.format(player=self.names.player(owner), zone=zone)


def capital(text: str) -> str:
    """A text that begins with a capital letter."""
    return text[:1].upper() + text[1:]


def sentence(text: str) -> str:
    """A text that begins with a capital letter and ends with a full stop.

    >>> sentence("the prince moves")
    'The prince moves.'
    """
    text = capital(text)
    return text if text.endswith((".", "!", "?", "…", ":")) else text + "."


def _plain(text: str) -> list[Sentence]:
    return [Sentence("plain", sentence(text))] if text else []


def _last(place: str) -> str:
    """The site in the name of a zone on a board."""
    return place.rsplit(" ", 1)[-1]
