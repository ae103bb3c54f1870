"""How a game ended, in words: who won, the places, and the lines of the points.

Assumes an observation of a game that is over.
Leaves behind a sentence, and rows of a table with its heads first.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulerun.views.observation import Standing
from rulerun.words.labels import Labels
from rulerun_dsl.model import Literal


def headline(result: Sequence[Standing], names: Labels, viewer: str = "") -> str:
    """Who won, in a sentence."""
    winners = [each.player for each in result if each.winner]
    speech = names.speech
    if not winners:
        return speech.nobody_wins
    if len(winners) == len(result) > 1:
        return speech.all_win
    if winners == [viewer]:
        return speech.you_win
    if len(winners) == 1:
        return speech.wins.format(player=names.player(winners[0]))
    return speech.share.format(players=names.players(winners))


def standings(result: Sequence[Standing], names: Labels) -> list[list[str]]:
    """The places and points, a row a player and the heads first; none if who won says it all."""
    # What the settings decide alone, such as the points of a module that is off, is not counted.
    settled = {each.label for each in names.game.scoring.lines if isinstance(each.value, Literal)}
    lines_of = {
        each.player: [pair for pair in each.lines if pair[0] not in settled] for each in result
    }
    labels = list(dict.fromkeys(label for each in lines_of.values() for label, _ in each))
    speech = names.speech
    head = ["", speech.place, *(names.named("line", label) for label in labels)]
    totals = any(each.total is not None for each in result)
    # One line is its own total.
    totals = totals and not (len(labels) == 1 and all(len(each) == 1 for each in lines_of.values()))
    # What a place is worth to an agent is told where the rules themselves say so.
    returns = names.game.scoring.returns is not None
    head += [speech.total] * totals + [speech.result] * returns
    if len(head) <= 2 and len(result) <= 2:
        return []
    rows = [head]
    for each in sorted(result, key=lambda each: each.place or len(result) + 1):
        values = dict(lines_of[each.player])
        row = [names.player(each.player), str(each.place) if each.place else speech.out]
        row += [str(values.get(label, "")) for label in labels]
        row += ["" if each.total is None else str(each.total)] * totals
        row += [each.returns] * returns
        rows.append(row)
    return rows
