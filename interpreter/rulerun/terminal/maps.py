"""Boards as the rules file draws them (`view: maps`).

Assumes a map, whose lines are cut into sites and what is between them, and a cell for each site.
Does: puts each cell where the name of its site stands. A cell covers the blanks and level strokes
behind the name as far as it needs them; what does not fit is left out, and told below the map.
Leaves behind lines, or None where the map is wider than the screen: the layout then does without.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rulerun.terminal.formatting import MORE, Paint, clip, width_of
from rulerun.words.signs import Sign
from rulerun_dsl.model import Map
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.safe_text import visible


@frozen
class Cell:
    """A site on a map: its name with what is printed on it, then groups of what lies there."""

    name: Sign
    printed: tuple[Sign, ...] = ()
    groups: tuple[tuple[Sign, ...], ...] = ()
    wanted: bool = False
    """Whether it is one of the choices now."""


def draw_map(
    drawn: Map, cells: Mapping[str, Cell], room: int, paint: Paint
) -> tuple[list[str], list[str]] | None:
    """The lines of a map, and the sites of which not all could be shown; None if it is too wide."""
    if width_of_map(drawn) > room:
        return None
    lines, short = [], []
    for pieces in drawn.lines:
        line, used = "", 0
        for at, piece in enumerate(pieces):
            if piece.site is None:
                line += paint.faint(visible(piece.text))
                used += width_of(visible(piece.text))
                continue
            # At the end of a line there is as much room as the screen has.
            given = width_of(piece.text)
            most = room - used if at + 1 == len(pieces) else given
            text, taken, whole = _cell(cells[piece.site], max(most, given), paint)
            line += text
            if not whole:
                short.append(piece.site)
            if taken < given:
                # A blank parts what is shown from the stroke behind it.
                line += " " + paint.faint(piece.text[len(piece.text) - (given - taken) + 1 :])
            used += max(taken, given)
        lines.append(line.rstrip())
    return lines, short


def width_of_map(drawn: Map) -> int:
    """How many columns a map takes."""
    return max(sum(width_of(visible(each.text)) for each in line) for line in drawn.lines)


def _cell(cell: Cell, room: int, paint: Paint) -> tuple[str, int, bool]:
    """A cell, how many columns it takes, and whether all of it is there."""
    name = clip(cell.name.text, room)
    text, used = (
        paint.wanted(name, cell.name.colour)
        if cell.wanted
        else paint.sign(name, cell.name.colour, strong=True),
        width_of(name),
    )
    groups = [cell.printed, *cell.groups] if cell.printed else [*cell.groups]
    for at, group in enumerate(groups):
        gap = "" if at == 0 and cell.printed else " "
        wide = len(gap) + sum(width_of(sign.text) for sign in group)
        last = at + 1 == len(groups)
        if used + wide + (0 if last else 1) > room and not (last and used + wide <= room):
            return (text + MORE, used + 1, False) if used < room else (text, used, False)
        text += gap + "".join(
            paint.sign(sign.text, sign.colour, strong=sign.strong) for sign in group
        )
        used += wide
    return text, used, True


def signs_in(cells: Sequence[Cell]) -> list[Sign]:
    """Every sign on a map, those that are printed first."""
    printed = [sign for cell in cells for sign in cell.printed]
    return printed + [sign for cell in cells for group in cell.groups for sign in group]
