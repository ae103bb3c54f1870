"""The game as one person sees it: an observation, laid out to be read.

Assumes an observation, which holds nothing that its viewer may not see, and its game.
Does: puts what `sorting` has sorted one part below the other. Everybody's values and zones come
first, boards are drawn, then a small table has the values of each player, then come the players'
zones, the viewer's last, next to the prompt. What a screen has no room for is left out.
The form stays from table to table: what was left out once stays out, and a block keeps its place.
Leaves behind lines that fit the width asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from rulerun.terminal.board_grids import Shelves
from rulerun.terminal.drawing import Drawer
from rulerun.terminal.formatting import MORE, Paint, clip, flow, pad, table, width_of, wrap
from rulerun.terminal.indexed_tables import Charter
from rulerun.terminal.sorting import Line, Sorted, Sorter
from rulerun.views.observation import Observation, Told, moved_in
from rulerun.words.labels import HIDDEN, NOTHING, Labels
from rulerun.words.narration import capital
from rulerun.words.signs import legend

_LONGEST_NAME = 16
_MOST_STACKED = 3
"""What is told of a stack where there is little room."""

_KEPT = "\u00a0"
"""A blank at which no line ends."""

_DENSE = 2
"""The last of the ways to show all of it, each on fewer lines: loose, roomy, and dense.

Then less and less of it is shown; a text without tables is the very last.
"""

_TIGHT = ("roomy", "dense")
"""How what is left is set when something is left out."""

_BELOW = 6
"""This part of a screen is kept free below the table for a question and its answers."""


_FEWEST = 4
"""A question and its answers take so many rows at least, with blank ones."""


class Layout:
    """Lays out the observations of one game."""

    def __init__(self, names: Labels, width: int, paint: Paint, height: int | None = None) -> None:
        """Know the families of zones and variables. `height`: how tall the screen is."""
        self.names = names
        self.width = width
        self.paint = paint
        self.height = height
        game = names.game
        self._zones = {family.name: family for family in game.zones}
        self._spares = frozenset(game.view.spares)
        speech = names.speech
        self._nothing = tuple(f" {word}" for word in (speech.no, speech.nobody, NOTHING))
        """How a value ends that is nothing."""
        self._drawer = Drawer(names, width, paint)
        self.glyphs = self._drawer.glyphs
        self._charter = Charter(names, self.glyphs, paint)
        self._sorter = Sorter(names, self._drawer, self._charter)
        self._shelves = Shelves(width)
        self._charts: set[str] = set()
        """The charts that were not empty once."""
        self._way = 0
        """How tables are made on this screen so far; what the screen has no room for stays out."""
        self._below = 0 if height is None else height // _BELOW
        """So many rows are usually kept free for a question."""

    def lines(
        self,
        seen: Observation,
        told: Iterable[Told] = (),
        below: int | None = None,
        *,
        whole: bool = False,
    ) -> list[str]:
        """The table. `told` is what the viewer has heard so far: zones in use are shown empty.

        `below`: rows that a question and its answers need, besides the line that is typed. What
        does not fit is left out, and it is said that it is; `whole`: nothing is left out.
        """
        groups = self._sorter.sort(seen, moved_in(told))
        flat = replace(groups, charts={}, charted=set())
        ways = [(groups, "loose"), (groups, "roomy"), (groups, "dense")]
        if self.height is None:
            return self._blocks(*ways[0], seen)
        if whole:
            return self._blocks(*ways[min(self._way, _DENSE)], seen)
        ways += [(short, how) for short in self._shortened(groups, seen) for how in _TIGHT]
        ways.append((flat, "dense"))
        usual = self.height - self._below - 2
        room = min(usual, self.height - (below or 0) - 2)
        lines = self._blocks(*ways[self._way], seen)
        if len(lines) > usual:
            self._way, lines = self._fitting(ways, seen, usual)
        if len(lines) > room:
            # A question that needs more than most do has a shorter table, this once.
            kept = self._shelves
            _, lines = self._fitting(ways, seen, room)
            self._shelves = kept
        else:
            self._shelves.keep()
        return lines

    def _fitting(
        self, ways: Sequence[tuple[Sorted, str]], seen: Observation, room: int
    ) -> tuple[int, list[str]]:
        """The first way from the present one on that fits, and its lines."""
        self._shelves = Shelves(self.width)
        every: dict[int, list[str]] = {}
        for way in range(self._way, len(ways)):
            every[way] = lines = self._blocks(*ways[way], seen)
            if len(lines) <= room:
                return way, lines
        way = self._shortest(every)
        return way, self._blocks(*ways[way], seen)

    def _shortest(self, every: Mapping[int, Sequence[str]]) -> int:
        """Of what does not fit, what is worth its room: the screen is read in parts."""
        *others, flat = sorted(every)
        shortest = min(others or [flat], key=lambda way: (len(every[way]), way))
        fits = len(every[flat]) <= (self.height or 0) - _FEWEST < len(every[shortest])
        return flat if fits else shortest

    def boards(self, seen: Observation, told: Iterable[Told] = ()) -> list[list[str]]:
        """The boards on a table."""
        return [lines for _, lines in self._sorter.sort(seen, moved_in(told)).drawings]

    def to_choose(self, seen: Observation) -> bool:
        """Whether a place on a board is to be chosen."""
        return self._drawer.to_choose(seen)

    def _shortened(self, groups: Sorted, seen: Observation) -> Iterable[Sorted]:
        """Less and less: without what the rules can spare, explanations, and what others have.

        Of what can be spared, that of which more than its name is told keeps its names as long as
        there is room for them. As many for each observation, so that each is the same way to
        shorten all of them.
        """
        found = self._spared(groups)
        yield found
        for unexplained in ("some", "first", "all"):
            found = replace(found, unexplained=unexplained)
            yield found
        others = [each for each in self._order(seen) if each != seen.name]
        if seen.name not in self.names.game.players:
            others = []
        left = [lines[0] for owner, lines in groups.drawings if owner in others]
        kept = [each for each in groups.drawings if each[0] not in others]
        found = replace(found, drawings=kept, left_out=[*left, *found.left_out])
        yield found
        lines = [each for each in found.lines if each.owner not in others]
        if len(lines) < len(found.lines):
            speech = self.names.speech
            rest = speech.contracted(speech.rest_of.format(players=self.names.players(others)))
            found = replace(found, lines=lines, left_out=[rest, *found.left_out])
        yield found
        lines = [each for each in found.lines if each.family not in self._spares]
        gone = [each.label for each in found.lines if each not in lines]
        yield replace(found, lines=lines, left_out=[*found.left_out, *dict.fromkeys(gone)])

    def _spared(self, groups: Sorted) -> Sorted:
        """Without what the rules can spare, but for names."""
        labels = {
            self.names.zone(name) if name in self._zones else self.names.variable(name): name
            for name in self.names.game.view.spares
        }
        lines = [
            replace(each, items=each.short) if each.short else each
            for each in groups.lines
            if each.family not in self._spares or each.short
        ]
        columns = {name: each for name, each in groups.columns.items() if name not in labels}
        told = {(each.owner, each.family) for each in lines}
        gone = [
            each.label
            for each in groups.lines
            if (each.owner, each.family) not in told and each.items[0] != NOTHING
        ]
        gone += [each for each in groups.columns if each not in columns]
        gone += [each for each in labels if any(one.startswith(each) for one in groups.shared)]
        return replace(
            groups,
            lines=lines,
            columns=columns,
            shared=[each for each in groups.shared if not each.startswith(tuple(labels))],
            charts={name: each for name, each in groups.charts.items() if name not in self._spares},
            left_out=list(dict.fromkeys(gone)),
        )

    def _notes(self, groups: Sorted) -> list[str]:
        """What the signs on drawings mean; where there is little room, as much as fits a line."""
        if groups.unexplained == "all" or not groups.notes:
            return []
        lines = flow(groups.notes, self.width, whole=0)
        if groups.unexplained and len(lines) > 1:
            kept = len(groups.notes) - 1
            while kept and len(flow([*groups.notes[:kept], MORE], self.width, whole=0)) > 1:
                kept -= 1
            lines = flow([*groups.notes[:kept], MORE], self.width, whole=0)
        return list(map(self.paint.faint, lines))

    def _left_out(self, groups: Sorted, unexplained: bool) -> list[str]:
        """What of it is not shown. `unexplained`: a legend is among it."""
        speech = self.names.speech
        left = [*groups.left_out, *[speech.signs_mean] * unexplained]
        if not left:
            return []
        what, look = speech.listed(left), speech.commands["look"][0]
        said = speech.left_out.format(what=what, look=look)
        return list(map(self.paint.faint, wrap(said, self.width)))

    def _blocks(self, groups: Sorted, how: str, seen: Observation) -> list[str]:
        """All of it, one part below the other.

        `roomy` and `dense`: what is a player's shares its lines, and families of two indexes are
        tables. `roomy`: what is long has lines of its own.
        """
        dense = how != "loose"
        charts = self._charter.beside(seen)
        kept = {"first": 1, "all": 0}.get(groups.unexplained, len(charts))
        unexplained = groups.unexplained == "all" and bool(groups.notes)
        for chart in charts[kept:]:
            unexplained = unexplained or bool(chart.signs or chart.about)
            chart.signs, chart.about = [], ""
        if dense:
            titles = {player: self._title(player, seen.name) for player in self._order(seen)}
            made = self._charter.charts(groups.charts.values(), titles)
            known = set(groups.notes)
            for chart in made:
                # What is explained below the boards is explained.
                chart.signs = [each for each in chart.signs if not known & set(legend([each]))]
            charts += made
        # Boards come first, by numbers: what stands on them is no name that would stay.
        shelved = {f"\0{at}": lines for at, (_, lines) in enumerate(groups.drawings)}
        for chart in charts:
            lines = chart.lines(self.width, self.paint)
            name = chart.caption
            while name in shelved:
                name += " "
            if lines or name in self._charts:
                # What was there once keeps its place.
                self._charts.add(name)
                shelved[name] = lines or [f"{self.paint.faint(chart.caption)}  {NOTHING}"]
        notes = self._notes(groups)
        blocks = [
            self._headline(seen),
            self._shelves.set(shelved),
            notes,
            self._left_out(groups, unexplained or any(MORE in line for line in notes[-1:])),
        ]
        if dense:
            blocks.append(self._dense(groups, seen, roomy=how == "roomy"))
        else:
            blocks.append(self._shared(groups.shared))
            blocks.append(self._table(self._with_values(groups), seen))
            blocks.append(self._owned(groups.lines, seen))
        lines = []
        for block in blocks:
            if block and lines and not dense:
                lines.append("")
            lines += block
        return lines

    def _headline(self, seen: Observation) -> list[str]:
        """What the rules would have everybody read first."""
        if seen.headline is None or seen.result is not None:
            # What it says of the play is no longer so when the game is over.
            return []
        said = capital(self.names.said(seen.headline, seen.name))
        if not said:
            return []
        return [self.paint.strong(line) for line in wrap(said, self.width)]

    # --------------------------------------------------------------------------------- blocks

    def _shared(self, items: Sequence[str]) -> list[str]:
        return flow(items, self.width, gap="   ") if items else []

    def _title(self, player: str, viewer: str) -> str:
        name = self.names.player(player)
        return f"{name} ({self.names.speech.you})" if player == viewer else name

    def _order(self, seen: Observation) -> list[str]:
        """The players round the table; the viewer last."""
        players = list(self.names.game.players)
        if seen.name not in players:
            return players
        at = players.index(seen.name)
        return players[at + 1 :] + players[: at + 1]

    def _with_values(self, groups: Sorted) -> Mapping[str, Mapping[str, str]]:
        """The columns in which somebody has something; of a family with many, 0 is nothing."""
        nothing = (self.names.speech.no, NOTHING)
        return {
            label: values
            for label, values in groups.columns.items()
            if any(each not in nothing for each in values.values())
            and not (label in groups.indexed and all(each == "0" for each in values.values()))
        }

    def _table(self, columns: Mapping[str, Mapping[str, str]], seen: Observation) -> list[str]:
        """The values of each player: a row each, or, if that is shorter, a column each."""
        if not columns:
            return []
        titles = {player: self._title(player, seen.name) for player in self._order(seen)}
        rows = [["", *columns]]
        for player, title in titles.items():
            rows.append([title, *(values.get(player, "?") for values in columns.values())])
        lines = table(rows, self.width)
        for player, title in titles.items():
            painted = self._in_colour(title, player)
            lines = [
                line.replace(title, painted, 1) if line.split("  ")[0] == title else line
                for line in lines
            ]
        return lines

    def _dense(self, groups: Sorted, seen: Observation, *, roomy: bool) -> list[str]:
        """Values and zones on few lines, without those that are nothing or empty.

        `roomy`: a zone in which there is much has lines of its own.
        """
        speech = self.names.speech
        order = ["", *self._order(seen)]
        titles = {owner: self._title(owner, seen.name) if owner else "" for owner in order}
        side = 2 + min(_LONGEST_NAME, max(map(width_of, titles.values())))
        shown: list[str] = []
        for owner, title in titles.items():
            items = (
                []
                if owner
                else [each for each in groups.shared if not each.endswith(self._nothing)]
            )
            apart: list[str] = []
            colon = f"{self.names.speech.colon} "
            for name, values in groups.columns.items():
                value = values.get(owner, self.names.speech.no)
                if value not in (self.names.speech.no, NOTHING) and name not in groups.charted:
                    items.append(name if value == self.names.speech.yes else f"{name} {value}")
            for line in groups.lines:
                if line.family in groups.charts:
                    continue
                if line.owner == owner and line.items != (NOTHING,):
                    shown_items = line.items
                    if (
                        shown_items[0].startswith(self.names.speech.top + colon)
                        and len(shown_items) > _MOST_STACKED
                    ):
                        under = len(shown_items) - _MOST_STACKED
                        shown_items = (
                            *shown_items[:_MOST_STACKED],
                            self.names.speech.below.format(number=under),
                        )
                    mark = ";" if colon in line.items[0] else ","
                    texts = [item.replace(f"{HIDDEN} x", "?") for item in shown_items]
                    text = _in_a_row(line.label + speech.colon, texts, mark, self.width // 4)
                    if roomy and width_of(text) > self.width // 2:
                        apart.append(text)
                    else:
                        items.append(text)
            if items or apart:
                head = pad(clip(title, side - 2), side) if owner else ""
                blank = " " * len(head)
                # What is wider than this may go on in the next line.
                whole = self.width // (2 if roomy else 4)
                body = flow(items, self.width, first=head, rest=blank, whole=whole) if items else []
                for text in apart:
                    first = blank if body else head
                    body += flow([text], self.width, first=first, rest=blank + "  ")
                body = [each.replace(_KEPT, " ") for each in body]
                painted = self._in_colour(head, owner)
                shown += [painted + body[0].removeprefix(head), *body[1:]]
        return shown

    def _in_colour(self, text: str, owner: str) -> str:
        """What is about one player, in that player's colour on the boards."""
        return self.paint.sign(text, self.glyphs.colour(owner), strong=True)

    def _owned(self, lines: Sequence[Line], seen: Observation) -> list[str]:
        """The zones: everybody's, then each player's."""
        order = ["", *self._order(seen)]
        names = {owner: self._title(owner, seen.name) if owner else "" for owner in order}
        ordered = sorted(lines, key=lambda line: order.index(line.owner))
        if not any(line.owner for line in ordered):
            side = 0
        else:
            side = 2 + min(_LONGEST_NAME, max(width_of(names[line.owner]) for line in ordered))
        label = 2 + max((width_of(line.label) for line in ordered), default=0)
        label = min(label, self.width // 3)
        shown: list[str] = []
        last = None
        for line in ordered:
            name = names[line.owner] if line.owner != last else ""
            last = line.owner
            head = pad(clip(name, side - 2 if side else 0), side)
            speech = self.names.speech
            ordered_heads = (f"{speech.top}{speech.colon} ", f"{speech.next}{speech.colon} ")
            gap = ", " if line.items[0].startswith(ordered_heads) else "   "
            room = self.width - side
            first = pad(clip(line.label, label - 1), label)
            body = flow(line.items, room, first=first, rest=" " * label, gap=gap)
            if name:
                head = self._in_colour(head, line.owner)
            shown += [head + body[0], *(" " * side + each for each in body[1:])]
        return [line.rstrip() for line in shown]


def _in_a_row(label: str, items: Sequence[str], mark: str, longest: int) -> str:
    """Things behind their label, with blanks at which a line may end between them alone."""
    text = label.replace(" ", _KEPT) if width_of(label) <= longest else label
    for at, item in enumerate(items):
        text += mark * (at > 0 and not item.startswith("("))
        text += " " if at else _KEPT
        text += item.replace(" ", _KEPT) if width_of(item) <= longest else item
    return text
