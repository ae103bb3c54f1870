"""How a game ended, in words: who won, the places, and the lines of the points.

Assumes an observation of a game that is over.
Leaves behind a sentence, and rows of a table with its heads first.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulerun.analysis.reads import reads
from rulerun.views.observation import Standing
from rulerun.words.labels import Labels
from rulerun_dsl.model import Clause, Game, Literal, Quantifier, Values


def headline(result: Sequence[Standing], names: Labels, viewer: str = "") -> str:
    """Who won, in a sentence."""
    winners = [each.player for each in result if each.winner]
    speech = names.speech
    if not winners and (len(result) == 1 or _together(names.game)):
        # Of a game against nobody that says what it is worth, its numbers tell.
        worth = names.game.scoring.returns is not None
        return speech.game_over if worth else speech.not_won
    if not winners:
        return speech.nobody_wins
    if len(winners) == len(result) > 1:
        return speech.all_win
    if winners == [viewer]:
        return speech.you_win
    if len(winners) == 1:
        return speech.wins.format(player=names.player(winners[0]))
    return speech.share.format(players=names.players(winners))


def _together(game: Game) -> bool:
    """Whether all win or nobody does: who wins hangs on nothing that is one player's."""
    match game.scoring.winner:
        case Quantifier(word="those", clauses=(Clause(source=Values(), condition=found) as each,)):
            return found is not None and each.register not in reads(game, found).registers
    return False


def standings(result: Sequence[Standing], names: Labels) -> list[list[str]]:
    """The places and points, a row a player and the heads first; none if who won says it all."""
    # What the settings decide alone, such as the points of a module that is off, is not counted.
    settled = {each.label for each in names.game.scoring.lines if isinstance(each.value, Literal)}
    lines_of = {
        each.player: [pair for pair in each.lines if pair[0] not in settled] for each in result
    }
    labels = list(dict.fromkeys(label for each in lines_of.values() for label, _ in each))
    speech = names.speech
    places = _places(result, names)
    head = ["", *[speech.place] * bool(places)]
    head += [names.line(label) for label in labels]
    totals = any(each.total is not None for each in result)
    # One line is its own total.
    totals = totals and not (len(labels) == 1 and all(len(each) == 1 for each in lines_of.values()))
    # What a place is worth to an agent is told where the rules themselves say so; of a score of
    # which less is better it is the contrary, and says no more.
    scoring = names.game.scoring
    returns = scoring.returns is not None and not (labels and scoring.best == "lowest")
    head += [speech.total] * totals + [speech.result] * returns
    if len(head) == 1 or (len(head) == 1 + bool(places) and len(result) <= 2):
        return []
    rows = [head]
    for each in sorted(result, key=lambda each: places.get(each.player) or len(result) + 1):
        values = dict(lines_of[each.player])
        row = [names.player(each.player)]
        if places:
            place = places[each.player]
            row.append(str(place) if place else speech.out)
        row += [str(values.get(label, "")) for label in labels]
        row += ["" if each.total is None else str(each.total)] * totals
        row += [each.returns] * returns
        rows.append(row)
    return rows


def reasons(result: Sequence[Standing], names: Labels) -> list[str]:
    """Why players are out, and one stands before another of as many points, by the rules' words."""
    told = []
    out = [each.player for each in result if not each.place]
    why = names.about("line out")
    if out and why:
        told.append(f"{names.players(out)} ({names.speech.out}){names.speech.colon} {why}")
    places: dict[int, set[int]] = {}
    for each in result:
        if each.place and each.total is not None:
            places.setdefault(each.total, set()).add(each.place)
    ties = names.about("line ties")
    if ties and any(len(every) > 1 for every in places.values()):
        told.append(ties)
    return told


def _places(result: Sequence[Standing], names: Labels) -> dict[str, int]:
    """The place of each player; 0: out. Nothing where the rules say only who wins.

    There all others share the next place. If they have points, these rank them behind the winners,
    more before fewer or fewer before more, as the winners' own points have it.
    """
    places = {each.player: each.place for each in result}
    behind = [each for each in result if each.place > 1]
    if names.game.scoring.winner is None or len(behind) < 2:
        return places
    won = [each.total for each in result if each.winner]
    totals = [each.total for each in behind]
    for sign in (1, -1):
        order = [sign * total for total in totals if total is not None]
        best = [sign * total for total in won if total is not None]
        if best and len(order) == len(behind) and min(best) >= max(order):
            first = len(result) - len(behind) - list(places.values()).count(0) + 1
            ranks = [first + sum(other > own for other in order) for own in order]
            return places | dict(zip((each.player for each in behind), ranks, strict=True))
    return {}
