"""The game as one person sees it: an observation, laid out to be read.

Assumes an observation, which holds nothing that its viewer may not see, and its game.
Does: puts what `sorting` has sorted one part below the other. Everybody's values and zones come
first, boards are drawn, then a small table has the values of each player, then come the players'
zones, the viewer's last, next to the prompt. What a screen has no room for is left out.
Leaves behind lines that fit the width asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from rulerun.terminal.board_grids import beside
from rulerun.terminal.drawing import Drawer
from rulerun.terminal.formatting import MORE, Paint, clip, flow, pad, table, width_of, wrap
from rulerun.terminal.indexed_tables import Charter
from rulerun.terminal.sorting import Line, Sorted, Sorter
from rulerun.views.observation import Observation, Told, moved_in
from rulerun.words.labels import HIDDEN, NOTHING, Labels
from rulerun.words.narration import capital

_LONGEST_NAME = 16
_MOST_STACKED = 3
"""What is told of a stack where there is little room."""

_KEPT = "\u00a0"
"""A blank at which no line ends."""

_WHOLE = ("loose", "roomy", "dense", "flat")
"""The ways to show all of it, each on fewer lines."""

BELOW = 8
"""Rows that a question and its answers usually need below the table."""


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

    def lines(
        self,
        seen: Observation,
        told: Iterable[Told] = (),
        below: int = BELOW,
        *,
        tight: int = BELOW,
        above: int = 0,
        whole: bool = False,
    ) -> list[str]:
        """The table. `told` is what the viewer has heard so far: zones in use are shown empty.

        `below`: rows that a question and its answers need, `tight`: the fewest; `above`: those of
        what was told, which stay in sight if the table can be told on fewer lines. What does not
        fit is left out, and it is said that it is; `whole`: nothing is left out.
        """
        groups = self._sorter.sort(seen, moved_in(told))
        flat = replace(groups, charts={}, charted=set())
        ways = [(groups, "loose"), (groups, "roomy"), (groups, "dense"), (flat, "dense")]
        if not whole:
            ways += [
                (short, how)
                for short in self._shortened(groups, seen)
                for how in ("roomy", "dense")
            ]
        every: list[list[str]] = []
        for sorted_, how in ways:
            lines = self._blocks(sorted_, seen, how)
            # Answers move together before the table loses anything.
            below = below if len(every) < len(_WHOLE) else min(below, tight)
            room = self.height if self.height is None else self.height - below
            every.append(lines)
            if room is None or len(lines) <= room - above:
                return lines
            if len(every) == len(_WHOLE):
                # What stands above may scroll away before something is left out.
                above = 0
                fits = [each for each in every if len(each) <= room]
                if fits:
                    return fits[0]
        # A screen that cannot hold all of it is scrolled; then tables are worth their room.
        charted, shortest = every[2], every[3]
        least = min(every[len(_WHOLE) :], key=len, default=shortest)
        if len(least) < len(shortest):
            return least
        return shortest if len(shortest) <= (self.height or 0) < len(charted) else charted

    def _shortened(self, groups: Sorted, seen: Observation) -> Iterable[Sorted]:
        """Less and less: without what the rules can spare, others' boards, and explanations."""
        found = groups
        labels = {
            self.names.zone(name) if name in self._zones else self.names.variable(name): name
            for name in self.names.game.view.spares
        }
        lines = [each for each in groups.lines if each.family not in self._spares]
        columns = {name: each for name, each in groups.columns.items() if name not in labels}
        shared = [each for each in groups.shared if not each.startswith(tuple(labels))]
        charts = {name: each for name, each in groups.charts.items() if name not in self._spares}
        gone = [
            each.label for each in groups.lines if each not in lines and each.items[0] != NOTHING
        ]
        gone += [each for each in groups.columns if each not in columns]
        gone += [each for each in labels if any(one.startswith(each) for one in groups.shared)]
        if gone:
            found = replace(
                found,
                lines=lines,
                columns=columns,
                shared=shared,
                charts=charts,
                left_out=list(dict.fromkeys(gone)),
            )
            yield found
        if seen.name in self.names.game.players:
            kept = [each for each in groups.drawings if each[0] in ("", seen.name)]
            left = [lines[0] for owner, lines in groups.drawings if owner not in ("", seen.name)]
            if left:
                found = replace(found, drawings=kept, left_out=[*left, *found.left_out])
                yield found
        for unexplained in ("some", "first", "all"):
            found = replace(found, unexplained=unexplained)
            yield found
        if seen.name in self.names.game.players:
            others = [each for each in self._order(seen) if each != seen.name]
            lines = [each for each in found.lines if each.owner not in others]
            if len(lines) < len(found.lines):
                speech = self.names.speech
                rest = speech.rest_of.format(players=self.names.players(others))
                yield replace(found, lines=lines, left_out=[rest, *found.left_out])

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

    def _blocks(self, groups: Sorted, seen: Observation, how: str) -> list[str]:
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
            charts += [self._charter.chart(each, titles) for each in groups.charts.values()]
        tables = [each for chart in charts if (each := chart.lines(self.width, self.paint))]
        # Narrow ones stand beside the boards, wide ones below.
        tables.sort(key=lambda each: max(map(width_of, each)) > self.width // 2)
        blocks = [
            self._headline(seen),
            beside([*(each for _, each in groups.drawings), *tables], self.width, first_fit=True),
            self._notes(groups),
            self._left_out(groups, unexplained),
        ]
        if dense:
            blocks.append(self._dense(groups, seen, roomy=how == "roomy"))
        else:
            blocks.append(self._shared(groups.shared))
            blocks.append(self._table(self._with_values(groups), seen))
            blocks.append(self._owned(groups.lines, seen))
        lines: list[str] = []
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
                    text = _in_a_row(line.label, texts, mark, self.width // 4)
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
            ordered_heads = (f"{speech.top}: ", f"{speech.next}: ")
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
    text = f"{label.replace(' ', _KEPT) if width_of(label) <= longest else label}:"
    for at, item in enumerate(items):
        text += mark * (at > 0 and not item.startswith("("))
        text += " " if at else _KEPT
        text += item.replace(" ", _KEPT) if width_of(item) <= longest else item
    return text
