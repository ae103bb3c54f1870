"""What happened, told in sentences.

Assumes events as one viewer heard them (`Told`), in order: their data says what, their text is what
to say when nothing better is known.
Does: speaks to the viewer as `you`, calls cards by what is printed on them, and gathers what
belongs together: cards that go the same way, values that are set one after another. A choice that
the next event shows anyway (playing a card moves it) is not told twice.
Leaves behind sentences with a style: `phase`, `say`, `luck` or `plain`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rulerun.runtime.wording import words
from rulerun.terminal.formatting import listed, sentence
from rulerun.terminal.naming import Labels, is_player
from rulerun.views.observation import Told
from rulerun_dsl.model.valuetypes import Site
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.safe_text import clean


@frozen
class Sentence:
    """Something that happened."""

    style: str
    text: str


class Narrator:
    """Tells one viewer what happens. Remembers the phase, which is told when it changes."""

    def __init__(self, names: Labels, viewer: str) -> None:
        """`viewer`: a player's name, or anything else for who is none."""
        self.names = names
        self.viewer = viewer
        self._phase = ""
        self._players = frozenset(names.game.players)
        self._hidden = frozenset(names.game.view.hides)
        self._on_boards = {
            zone.name
            for zone in names.game.zones
            if len(zone.indexes) == 1 and isinstance(zone.indexes[0], Site)
        }
        self._of_players = {
            variable.name for variable in names.game.variables if is_player(variable.type)
        }

    def tell(self, told: Iterable[Told]) -> list[Sentence]:
        """Tell some events, which follow those told before."""
        events = list(told)
        found: list[Sentence] = []
        at = 0
        while at < len(events):
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
                text = "; ".join(self._luck(event) for event in events)
                return [Sentence("luck", sentence(text))]
            case "show":
                return self._shows(first)
            case "say":
                return [Sentence("say", sentence(words(clean(first.text))))]
            case "undo":
                action = first.what.get("action")
                if isinstance(action, str):
                    since = " and what was done since" if "since" in first.text else ""
                    text = f"you take back {self.names.action_text(action)}{since}"
                    return [Sentence("plain", sentence(text))]
            case "together_end" | "end":
                return []
        return [Sentence("plain", sentence(clean(first.text)))]

    # ------------------------------------------------------------------------------ each kind

    def _enter(self, event: Told) -> list[Sentence]:
        path = event.what.get("path")
        name = ": ".join(map(str, path)) if isinstance(path, list) else event.text
        if name == self._phase:
            return []
        self._phase = name
        return [Sentence("phase", clean(words(event.text)))]

    def _choice(self, event: Told, follows: Told | None) -> list[Sentence]:
        player, action = event.what.get("player"), event.what.get("action")
        if not isinstance(player, str) or not isinstance(action, str):
            return [Sentence("plain", sentence(clean(event.text)))]
        if (
            follows is not None
            and follows.word == "move"
            # Told by its kind, a piece was hidden: the move says more of it.
            and action in (follows.what.get("component"), follows.what.get("kind"))
        ):
            return []
        said = self.names.action_text(action)
        if player == self.viewer:
            return [Sentence("plain", sentence(f"you choose {said}"))]
        return [Sentence("plain", sentence(f"{self.names.player(player)} chooses {said}"))]

    def _moves(self, events: Sequence[Told]) -> list[Sentence]:
        what = events[0].what
        # An end that is not told is one of which the viewer sees nothing.
        source, target = str(what.get("from", "")), str(what.get("to", ""))
        if source == target:
            return []
        kind = str(what.get("kind"))
        way = self._way(source, target)
        if len(events) == 1:
            name = what.get("component")
            thing = (
                _a(clean(words(kind)))
                if name is None
                else f"the {self.names.component(kind, str(name), alone=True)}"
            )
            return [Sentence("plain", sentence(f"{thing} goes {way}"))]
        names = [str(each.what["component"]) for each in events if "component" in each.what]
        places = dict.fromkeys(str(each.what.get("to", "")) for each in events)
        if len(places) > 1:
            # To several sites: the zone is named once.
            first, *more = (self._place(each) for each in places)
            way = way.removesuffix(first) + listed([first, *(_last(each) for each in more)])
        text = f"{len(events)} {_plural(clean(words(kind)))} go {way}"
        if names and set(names) != {kind}:
            hidden = len(events) - len(names)
            text += f": {self._things(kind, names)}" + (f" and {hidden} unseen" if hidden else "")
        return [Sentence("plain", sentence(text))]

    def _things(self, kind: str, names: Sequence[str]) -> str:
        counted = Counter(self.names.component(kind, name) for name in names)
        return listed([text if n == 1 else f"{text} x{n}" for text, n in counted.items()])

    def _shows(self, event: Told) -> list[Sentence]:
        what = event.what
        names, to, kind = what.get("components"), what.get("to"), str(what.get("kind"))
        if not isinstance(to, list) or not isinstance(names, list):
            return [Sentence("plain", sentence(clean(event.text)))]
        whom = "everybody" if to == ["all"] else listed([self._who(str(each)) for each in to])
        alone = len(names) == 1 and str(names[0]).isdigit()
        things = f"{kind} {names[0]}" if alone else self._things(kind, list(map(str, names)))
        return [Sentence("plain", sentence(f"{things} shown to {whom}"))]

    def _way(self, source: str, target: str) -> str:
        if not source or not target:
            return f"to {self._place(target)}" if target else f"away from {self._place(source)}"
        owner, other = self._owner(source), self._owner(target)
        start, goal = self._place(source), self._place(target)
        if owner and owner == other:
            # Whose it is need be said but once.
            goal = f"{'your' if owner == self.viewer else 'their'} {self._zone(target)}"
        return f"from {start} to {goal}"

    def _sets(self, events: Sequence[Told]) -> list[Sentence]:
        """Values, by the variable: `won is 2 for Yarg and 0 for Applewood`."""
        last: dict[str, str] = {}
        for event in events:
            name = event.what.get("name")
            if not isinstance(name, str) or "value" not in event.what:
                return [Sentence("plain", sentence(clean(each.text))) for each in events]
            last.pop(name, None)
            if name.partition("[")[0] not in self._hidden:
                last[name] = str(event.what["value"])
        if not last:
            return []
        families: dict[str, dict[str, list[str]]] = {}
        for name, value in last.items():
            family, whose = self._split(name)
            said = self._value(name, value)
            families.setdefault(family, {}).setdefault(said, []).append(whose)
        told = []
        for family, values in families.items():
            parts = [
                value + (f" for {self._all(whose)}" if any(whose) else "")
                for value, whose in values.items()
            ]
            told.append(f"{family} is now {listed(parts)}")
        return [Sentence("plain", sentence("; ".join(told)))]

    def _luck(self, event: Told) -> str:
        name, value = event.what.get("name"), event.what.get("value")
        verb = "is rolled" if event.word == "roll" else "is drawn by lot"
        if not isinstance(name, str):
            return clean(event.text)
        family, whose = self._split(name)
        return f"{self._value(name, str(value))} {verb} ({family}{f' of {whose}' if whose else ''})"

    # ----------------------------------------------------------------------------------- names

    def _split(self, name: str) -> tuple[str, str]:
        """`won[yarg]` as what and whose."""
        family, _, rest = name.partition("[")
        indexes = [each.strip() for each in rest.rstrip("]").split(",") if each.strip()]
        whose = [each for each in indexes if each in self._players]
        others = [self.names.word(each) for each in indexes if each not in self._players]
        label = " ".join([clean(words(family)), *others])
        return label, " and ".join(map(self._who, whose))

    def _who(self, player: str) -> str:
        return "you" if player == self.viewer else self.names.player(player)

    def _all(self, whose: Sequence[str]) -> str:
        everybody = [self._who(each) for each in self.names.game.players]
        if len(everybody) > 2 and sorted(whose) == sorted(everybody):
            return "everybody"
        return listed(list(whose))

    def _value(self, name: str, value: str) -> str:
        if value == "none" and name.partition("[")[0] in self._of_players:
            return "nobody"
        return ", ".join(self.names.word(each) for each in value.split(", "))

    def _owner(self, label: str) -> str:
        indexes = label.partition("[")[2].rstrip("]").split(", ")
        return next((each for each in indexes if each in self._players), "")

    def _zone(self, label: str) -> str:
        """A zone without its owner: `line`."""
        family, _, rest = label.partition("[")
        indexes = [each for each in rest.rstrip("]").split(", ") if each]
        others = [each for each in indexes if each not in self._players]
        name = clean(words(family))
        if len(others) == 1 and family in self._on_boards:
            return f"{name} {others[0]}" if name.split()[-1] == "on" else f"{name} on {others[0]}"
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
        owner = self._owner(label)
        if not owner and label.startswith("on["):
            return self._zone(label).removeprefix("on ")
        if not owner:
            return f"the {self._zone(label)}"
        if owner == self.viewer:
            return f"your {self._zone(label)}"
        return f"{self.names.player(owner)}'s {self._zone(label)}"


def _last(place: str) -> str:
    """The site in the name of a zone on a board."""
    return place.rsplit(" ", 1)[-1]


def _a(word: str) -> str:
    return f"an {word}" if word[:1].lower() in tuple("aeiou") else f"a {word}"


def _plural(word: str) -> str:
    return word if word.endswith("s") else word + "s"
