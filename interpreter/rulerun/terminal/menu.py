"""What a person may answer: the numbered actions, and how a typed answer is understood.

Assumes the legal actions of an observation, in order.
Does: gives each a label: its place in the list, except where an action is itself a number (a bid):
there the number is the label, so that `3` can only mean one thing. For the same reason the labels
are letters where a number stands in the words (`tile 2`). Many that differ in a number are one line
with a range, and of many choices of several things only the things are listed (`several`).
An answer is a label, the action as the rules write it or as the screen does, or a beginning that
only one of them has.
Leaves behind lines to show, and actions found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from rulerun.runtime import actions
from rulerun.terminal.fairness import fair, in_order_of_need
from rulerun.terminal.formatting import Paint, flow, in_columns, pad, width_of, wrap
from rulerun.terminal.letters import letters, plain
from rulerun.views.observation import Action
from rulerun.words.labels import Labels
from rulerun.words.language import Language
from rulerun.words.several import several
from rulerun.words.signs import Glyphs
from rulerun_dsl.model.valuetypes import Int
from rulerun_dsl.source.frozen import frozen

MOST_ROWS = 12
_A_FEW = 8
_WORTH_GROUPING = 4
_WORTH_A_RANGE = 15

Begun = tuple[str, int, int]
"""A line, how many entries begin on it, and of what sort the first is."""

_OF_ITSELF = re.compile(r"(?<![\w-])\d+(?!\w)")
"""A number that stands by itself in words: not that of `O4`."""

_COUNTS = re.compile(r"(?<![\w-])\d+(?:\w|\.(?=\s))*")
"""Words that a label must not contradict: such a number, and an ordinal (`2nd`, `2.`)."""


@frozen
class Entry:
    """An action that may be taken, and what to call it."""

    label: str
    """What to type for it; nothing if only its name will do."""
    action: Action
    text: str
    """For people: `play prince 7`."""
    values: str
    """The same without the action's name: `prince 7`."""
    head: str = ""
    """What it has in common with others that stand on one line: all but its last value."""
    tail: str = ""
    """Its last value."""
    hint: str = ""
    """What it would cost or bring: ` (costs 2)`."""
    sign: str = ""
    """How the one thing that it names is drawn: ` ├`."""

    @property
    def remark(self) -> str:
        """What stands behind it."""
        return self.sign + self.hint

    def is_called(self, answer: str) -> bool:
        """Whether an answer names it, or begins as it does; a number of a list is no name."""
        wanted = plain(answer)
        return bool(wanted) and any(text.startswith(wanted) for text in _spoken(self))

    @property
    def named(self) -> str:
        """Its name with what to type for it: `tile 2 (b)`."""
        return self.text if self.label in ("", self.text) else f"{self.text} ({self.label})"

    @property
    def number(self) -> int | None:
        """Its last value, if that is a number."""
        last = self.tail.rpartition(" ")[2]
        return int(last) if _number(last) else None


class Menu:
    """The actions that one person may take now."""

    def __init__(
        self, names: Labels, legal: Sequence[Action], glyphs: Glyphs | None = None
    ) -> None:
        """Label the actions. `glyphs`: those of the boards, which stand behind what they mean."""
        legal = names.actions_in_order(legal, lambda action: action.id)
        signs = {} if glyphs is None else glyphs.of_actions([action.id for action in legal])
        self.names = names
        self.speech = names.speech
        self.several, others = several(names, legal)
        numbers = any(_number(action.text) for action in others)
        places = {action.id: place for place, action in enumerate(others, 1)}
        same = _same_number(names, legal)
        entries = [
            Entry(
                _label(action, places[action.id], numbers) if action.id in places else "",
                action,
                _without(names.action(action.id), action.id in same),
                names.action_values(action.id),
                *_parted(*names.parameters(action.id), same=action.id in same),
                hint=f" ({names.said(action.hint)})" if action.hint else "",
                sign=f" {signs[action.id]}" if action.id in signs else "",
            )
            for action in legal
        ]
        self.ranges = _ranges([each for each in entries if each.action.id in places])
        inside = {id(each) for run in self.ranges for each in run}
        # What is in a range is typed: `raise 90`.
        self.entries = tuple(
            replace(each, label=each.label if numbers else "") if id(each) in inside else each
            for each in entries
        )
        hidden = inside | {id(each) for each in entries if each.action.id not in places}
        shown = [at for at, each in enumerate(entries) if id(each) not in hidden]
        label = len(shown)
        relabelled = list(self.entries)
        things = () if self.several is None else self.several.texts
        labels = [str(1 + at) for at in range(label + len(things))]
        texts = [*(relabelled[at].text for at in shown), *things]
        if not numbers and any(map(_COUNTS.search, texts)):
            labels = letters(texts)
        for at, each in zip(shown, labels, strict=False):
            if not numbers:
                relabelled[at] = replace(relabelled[at], label=each)
        self.entries = tuple(relabelled)
        self.shown = tuple(relabelled[at] for at in shown)
        if self.several is not None:
            self.several = replace(self.several, labels=tuple(labels[label:]))

    def find(self, answer: str) -> list[Entry]:
        """The entries that an answer may mean: one, or several that begin so, or none."""
        wanted = plain(answer)
        if not wanted:
            return []
        exact = self.exact(answer)
        if exact is not None:
            return [exact]
        if _number(wanted) and (told := [each for each in self.entries if _has(each, wanted)]):
            # Who types a number that is no label may mean any that has it.
            return told
        several_ = None if self.several is None else self.several.find(answer)
        if several_ is not None:
            return [each for each in self.entries if each.action.id == several_.id]
        begun = [
            each for each in self.entries if any(_goes_on(text, wanted) for text in _spoken(each))
        ]
        # What begins with none of it may have it inside: `lake` means `into the lake`.
        return begun or [each for each in self.entries if f" {wanted} " in f" {plain(each.text)} "]

    def exact(self, answer: str) -> Entry | None:
        """The entry whose label or whole name was typed; a number that others have is no name."""
        wanted = plain(answer)
        ways: tuple[Callable[[Entry], set[str]], ...] = (
            lambda entry: {entry.label} - {""},
            lambda entry: {plain(entry.action.text)},
            _spoken,
        )
        several_ = _number(wanted) and sum(_has(each, wanted) for each in self.entries) > 1
        for spoken in ways[: 1 if several_ else None]:
            for each in self.entries:
                if wanted in spoken(each):
                    return each
        if actions.PLUS.strip() in answer:
            return next((each for each in self.entries if _rearranged(each, answer)), None)
        return None

    def among(self, answer: str, named: Sequence[int]) -> list[Entry]:
        """Those of some actions by whose words or label an answer goes, who has just read them."""
        wanted = set(plain(answer).split())
        those = [each for each in self.entries if each.action.id in named]
        called = [each for each in those if wanted <= {each.label, *plain(each.text).split()}]
        return called or [each for each in those if each.is_called(answer)]

    def near(self, answer: str, words: Sequence[str]) -> str:
        """What was probably meant: an action, or one of these words; nothing if none is near."""
        spoken = {plain(entry.text): entry.text for entry in self.entries}
        spoken |= {word: word for word in words}
        from difflib import get_close_matches

        close = get_close_matches(plain(answer), spoken, n=1, cutoff=0.6)
        return spoken[close[0]] if close else ""

    def lines(self, width: int, paint: Paint, rows: int | None = MOST_ROWS) -> list[str]:
        """The list for the screen, on so many rows; None: all of it."""
        members = [] if self.several is None else self.several.items()
        labels = [*(entry.label for entry in self.shown), *(label for label, _ in members)]
        wide = max(map(width_of, labels), default=0)
        items = [
            pad(entry.text, wide, right=True) + entry.remark
            if entry.label in ("", entry.text)
            else f"{pad(entry.label, wide, right=True)} {entry.text}{entry.remark}"
            for entry in self.shown
        ]
        items += [f"{pad(label, wide, right=True)} {text}" for label, text in members]
        more = [*self._of_ranges(width), *self._of_several(width)]
        lines = in_columns(items, width)
        named = any(entry.head and entry.tail not in entry.values for entry in self.shown)
        if not members and (named or len(lines) >= _WORTH_GROUPING) and (groups := self._groups()):
            grouped = self._grouped(groups, width, wide, paint)
            if rows is not None and len(grouped) > rows:
                grouped = min(grouped, self._packed(groups, width, paint), key=len)
            return [*self._cut(grouped, rows, width), *more]
        left = 0
        if rows is not None and len(lines) > rows:
            kinds = [self._kind(entry) for entry in self.shown] + [-1] * len(members)
            kept = fair(kinds, len(items) * rows // len(lines), self._besides)
            lines = in_columns([items[at] for at in kept], width)
            left = len(items) - len(kept)
        if paint.on:
            lines = [_painted(line, labels, paint) for line in lines]
        if left:
            lines.append(_more(left, width, self.speech))
        return lines + more

    def fewest(self, width: int) -> int:
        """On how few lines all of the list can stand; a few, if those are too many for a screen."""
        lines = len(self.lines(width, Paint(), None))
        # Only groups move together.
        if self.several is None and lines >= _WORTH_GROUPING and (groups := self._groups()):
            packed = self._packed(groups, width, Paint())
            lines = min(lines, len(packed) + len(self._of_ranges(width)))
        return lines if lines <= MOST_ROWS else _A_FEW

    def _of_ranges(self, width: int) -> list[str]:
        """What differs in a number, in a line each."""
        lines = []
        for run in self.ranges:
            text = f"{run[0].head} {run[0].number}..{run[-1].number}".strip()
            lines += wrap(text, width, first="  ", rest="    ")
        return lines

    def _of_several(self, width: int) -> list[str]:
        """How to answer with several things at once."""
        if self.several is None:
            return []
        low, high = self.several.sizes
        many = str(low) if low == high else f"{low}..{high}"
        example = " ".join(self.several.labels[: max(2, low)])
        said = self.speech.choose_several.format(many=many, example=example)
        return wrap(said, width, first="  ", rest="  ")

    def _kind(self, entry: Entry) -> int:
        """What sort of action an entry is."""
        return actions.split(self.names.game, entry.action.id)[0]

    def _besides(self, kind: int) -> bool:
        """Whether a sort of action goes besides what is asked for."""
        return kind >= 0 and self.names.is_besides(self.names.game.actions[kind].base)

    def _groups(self) -> list[list[Entry]]:
        """Entries that differ in one value only, together; none where none do."""
        groups: list[list[Entry]] = []
        for entry in self.shown:
            if not (entry.tail and entry.label and groups and groups[-1][0].tail):
                groups.append([entry])
            elif groups[-1][0].head == entry.head:
                groups[-1].append(entry)
            else:
                groups.append([entry])
        return groups if any(len(group) > 1 and group[0].head for group in groups) else []

    def _grouped(
        self, groups: Sequence[Sequence[Entry]], width: int, wide: int, paint: Paint
    ) -> list[Begun]:
        """A line for each group, or several."""
        side = max(width_of(group[0].head) for group in groups if len(group) > 1)
        side = min(side, width // 3)
        lines: list[Begun] = []
        small: list[Begun] = []

        def item(entry: Entry, text: str) -> str:
            return _item(entry, text, wide, paint)

        def flush() -> None:
            lines.extend(_set_in_columns(small, width))
            small.clear()

        for group in groups:
            kind = self._kind(group[0])
            if len(group) == 1:
                small.append((item(group[0], group[0].text), 1, kind))
                continue
            items = [item(entry, entry.tail) for entry in group]
            together = "   ".join([group[0].head, *items])
            if small and width_of(together) <= width // 2 - 4:
                small.append((together, len(group), kind))
                continue
            flush()
            first = pad(f"  {group[0].head} ", side + 4)
            above, rest = [], " " * (side + 4)
            if width_of(first) > width // 2:
                above, first = wrap(group[0].head, width, first="  ", rest="  "), rest
            if any(width_of(text) > width - side - 4 for text in items):
                # None begins behind the end of one that takes several lines.
                body = [
                    line
                    for at, text in enumerate(items)
                    for line in wrap(text, width, first=rest if at else first, rest=rest + "     ")
                ]
            else:
                body = flow(items, width, first=first, rest=rest, gap="   ")
            body = [*above, *body]
            begun = _begun(body, [(text, 1, kind) for text in items])
            lines.extend((line, count, kind) for line, count, _ in begun)
        flush()
        return lines

    def _packed(self, groups: Sequence[Sequence[Entry]], width: int, paint: Paint) -> list[Begun]:
        """Groups one behind the other; one that is wider than a line has lines of its own."""
        lines: list[Begun] = []
        small: list[Begun] = []

        def flush() -> None:
            texts = [text for text, _, _ in small]
            set_ = flow(texts, width, first="  ", rest="  ", gap=" " * 3) if small else []
            lines.extend(_begun(set_, small))
            small.clear()

        for group in groups:
            kind = self._kind(group[0])
            if len(group) == 1:
                text = _item(group[0], group[0].text, 0, paint)
                small.append((text, 1, kind))
                continue
            items = [_item(entry, entry.tail, 0, paint) for entry in group]
            text = "  ".join([group[0].head, *items])
            if width_of(text) <= width - 2:
                small.append((text, len(group), kind))
                continue
            flush()
            parts = [group[0].head, *items]
            body = flow(parts, width, first="  ", rest=" " * 6, gap="  ")
            begun = _begun(body, [(each, 1, kind) for each in items])
            lines.extend((line, count, kind) for line, count, _ in begun)
        flush()
        return lines

    def _cut(self, lines: list[Begun], rows: int | None, width: int) -> list[str]:
        """As many lines as there is room for, some of every sort."""
        if rows is None or len(lines) <= rows:
            return [line for line, _, _ in lines]
        # What begins on a line and goes on below it is kept, or left out, whole.
        whole: list[list[Begun]] = []
        for line in lines:
            if line[1] or not whole:
                whole.append([line])
            else:
                whole[-1].append(line)
        kept: list[int] = []
        room = rows - 1
        for at in in_order_of_need([each[0][2] for each in whole], room, self._besides):
            if len(whole[at]) <= room:
                kept.append(at)
                room -= len(whole[at])
        left = sum(each[0][1] for at, each in enumerate(whole) if at not in kept)
        shown = [line for at in sorted(kept) for line, _, _ in whole[at]]
        return [*shown, _more(left, width, self.speech)]


def _item(entry: Entry, text: str, wide: int, paint: Paint) -> str:
    """An entry with what to type for it, and with what stands behind it."""
    return f"{paint.number(pad(entry.label, wide, right=True))} {text}{entry.remark}"


def _set_in_columns(texts: Sequence[Begun], width: int) -> list[Begun]:
    """Texts in columns."""
    return _begun(in_columns([text for text, _, _ in texts], width), texts)


def _begun(lines: Iterable[str], texts: Sequence[Begun]) -> list[Begun]:
    """Lines of texts, each with how many entries begin on it."""
    found = []
    left = list(texts)
    for line in lines:
        begun = [each for each in left if _beginning(each[0]) in line]
        left = [each for each in left if each not in begun]
        found.append((line, sum(count for _, count, _ in begun), begun[0][2] if begun else -1))
    return found


def _more(left: int, width: int, speech: Language) -> str:
    """What is told of entries for which there is no room."""
    text = "  " + speech.more_answers.format(number=left)
    return text if width_of(text) <= width else "  " + speech.more_short.format(number=left)


def _beginning(text: str) -> str:
    """Its first two words, and blanks before: the rest may stand on the next line.

    >>> _beginning(" 2 a fork")
    ' 2 a'
    """
    found = re.match(r" *\S+ +\S+", text)
    return text if found is None else found[0]


def _ranges(entries: Sequence[Entry]) -> list[list[Entry]]:
    """The runs of many actions that differ in a number, each the next one, without a hint."""
    runs: list[list[Entry]] = []
    for entry in entries:
        last = runs[-1][-1] if runs else None
        if (
            last is not None
            and None not in (last.number, entry.number)
            and (last.head, last.number) == (entry.head, (entry.number or 0) - 1)
            and not (entry.hint or last.hint)
        ):
            runs[-1].append(entry)
        else:
            runs.append([entry])
    return [run for run in runs if len(run) >= _WORTH_A_RANGE]


def _same_number(names: Labels, legal: Sequence[Action]) -> frozenset[int]:
    """Actions of which the last of several values is a number that all of their kind have."""
    kinds: dict[int, list[int]] = {}
    for each in legal:
        kinds.setdefault(actions.split(names.game, each.id)[0], []).append(each.id)
    found: set[int] = set()
    for kind, every in kinds.items():
        told = {names.parameters(each)[1] for each in every}
        *most, last = names.game.actions[kind].parameters or [None]
        if most and last is not None and isinstance(last.of, Int) and min(map(len, told)) > 1:
            found.update(every if len({values[-1] for values in told}) == 1 else ())
    return frozenset(found)


def _without(text: str, last: bool) -> str:
    """A text, without the `last` of its values."""
    return text.rpartition(",")[0] if last else text


def _parted(name: str, values: Sequence[str], *, same: bool = False) -> tuple[str, str]:
    """What an action has in common with others that differ in the last value; and that value.

    `same`: the last one is left out.
    """
    *most, last = (values[:-1] if same else values) or ("",)
    return f"{name} {', '.join(most)}".strip().rstrip(","), last


def _rearranged(entry: Entry, answer: str) -> bool:
    """Whether an answer is a choice of several, written in another order."""
    ways = (entry.action.text, entry.values, answer)
    *meant, given = (plain(actions.in_order(each.casefold())) for each in ways)
    return given in meant


def _spoken(entry: Entry) -> set[str]:
    texts = (entry.text, entry.action.text, entry.action.sentence, entry.values)
    return {plain(text) for text in texts} - {""}


def _has(entry: Entry, number: str) -> bool:
    """Whether a number stands in the words of an entry."""
    return any(number in _OF_ITSELF.findall(text) for text in _spoken(entry))


def _goes_on(text: str, wanted: str) -> bool:
    """Whether a text begins so; a number is no beginning of a longer one."""
    return text.startswith(wanted) and not (
        wanted[-1:].isdigit() and text[len(wanted) : len(wanted) + 1].isdigit()
    )


def _label(action: Action, place: int, numbers: bool) -> str:
    if not numbers:
        return str(place)
    return action.text if _number(action.text) else ""


def _number(text: str) -> bool:
    return text.lstrip("-").isdigit()


def begins(text: str, answer: str) -> bool:
    """Whether a text begins as somebody typed it, or has that inside, whatever the case."""
    wanted = plain(answer)
    return bool(wanted) and (_goes_on(plain(text), wanted) or f" {wanted} " in f" {plain(text)} ")


def _painted(line: str, labels: Collection[str], paint: Paint) -> str:
    """The labels of a line in colour."""
    return re.sub(
        r"(^ {2,}| {3,})(-?\w+)(?= |$)",
        lambda found: found[1] + paint.number(found[2]) if found[2] in labels else found[0],
        line,
    )
