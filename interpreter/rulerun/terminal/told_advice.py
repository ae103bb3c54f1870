"""Advice to a person, in sentences.

Assumes: what a search has found of what they may do (`search.advising`), and what that is called.
Does: names the best of it, how well each came out, whether one of them is better at all, why, and
how play is expected to go on, where that is open to everybody.
Leaves behind: sentences, for a screen of text or a page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt

from rulerun.search.advising import Advice, advised
from rulerun.search.tree_search import Choice
from rulerun.session.session import Session
from rulerun.terminal.formatting import wrap
from rulerun.views.observation import name_of
from rulerun.words.labels import Labels
from rulerun.words.language import Language
from rulerun.words.narration import sentence

SHOWN = 5
"""Actions that are named."""

_ABOUT = 0.03
"""What differs by less is about equal."""

_NOTHING = 0.005
"""What is as good as the worst end."""

_PERCENT = 2.0
"""What differs by less is no reason, of 100 games."""

_FEW = 0.02
"""Fewer draws are not told."""

_SURE = 2.0
"""What differs by less than so many standard errors may be luck."""


def advice(
    found: Advice, texts: Mapping[int, str], names: Labels, players: Sequence[str]
) -> tuple[str, list[str]]:
    """A sentence on how it was found, one on each of the best, and what comes of it.

    `texts`: what the actions are called to who is asked; `players`: the names of all.
    """
    speech = names.speech
    if len(found.choices) == 1:
        return speech.advice_alone, []
    tried = sum(choice.tried for choice in found.choices)
    if not tried:
        return speech.advice_none, []
    shown = [choice for choice in found.choices[:SHOWN] if choice.tried]
    told = [
        speech.advice_one.format(action=texts[choice.action], ends=_ends(found, choice, speech))
        for choice in shown
    ]
    if len(found.choices) > len(shown):
        told.append(speech.advice_rest.format(number=len(found.choices) - len(shown)))
    told.append(sentence(_verdict(found, shown, texts, speech)))
    if found.line:
        steps = [
            speech.advice_step.format(
                player=names.player(players[player]), action=names.action(action, players[player])
            )
            for player, action in found.line
        ]
        first = texts[shown[0].action]
        told.append(sentence(speech.advice_line.format(action=first, line=", ".join(steps))))
    return speech.advice_by.format(tried=_number(tried, speech)), told


def searched_for(
    session: Session, player: int, texts: Mapping[int, str], names: Labels, width: int
) -> list[str]:
    """Advice to a player who is asked, as lines of a screen."""
    players = [name_of(session.game, each) for each in range(len(session.game.players))]
    how, best = advice(advised(session, player), texts, names, players)
    lines = wrap(how, width)
    for each in best:
        lines += wrap(each, width, first="  ", rest="    ")
    return lines


def _ends(found: Advice, choice: Choice, speech: Language) -> str:
    """How the games of an action ended."""
    tried, won = _number(choice.tried, speech), _number(choice.won, speech)
    if found.seeks != "wins":
        gain = _decimal(choice.gain, speech)
        return speech.advice_brings.format(gain=gain, tried=tried)
    if choice.drawn >= _FEW * choice.tried:
        drawn = _number(choice.drawn, speech)
        ends = speech.advice_draws.format(won=won, drawn=drawn, tried=tried)
    else:
        ends = speech.advice_wins.format(won=won, tried=tried)
    if not found.scored or not round(10 * choice.gain):
        return ends
    pattern = speech.advice_ahead if choice.gain > 0 else speech.advice_behind
    return pattern.format(ends=ends, points=_decimal(abs(choice.gain), speech))


def _verdict(
    found: Advice, shown: Sequence[Choice], texts: Mapping[int, str], speech: Language
) -> str:
    """What comes of it: which is best and why, or that several are as good, or that none is."""
    best, *others = shown
    if best.worth < _NOTHING:
        return speech.advice_lost
    equal = 1 + sum(not _better(best, other) for other in others)
    if equal == 1:
        action = texts[best.action]
        if not others:
            return speech.advice_best.format(action=action, why="").strip()
        why = _reason(found, best, others[0], texts[others[0].action], speech)
        return speech.advice_best.format(action=action, why=why)
    if any(best.worth - other.worth >= _ABOUT for other in others[: equal - 1]):
        return speech.advice_few
    if equal == len(shown):
        return speech.advice_equal
    return speech.advice_equal_first.format(number=equal)


def _better(one: Choice, other: Choice) -> bool:
    """Whether one came out better than another by more than luck explains."""
    apart = one.worth - other.worth
    error = sqrt(sum(each.worth * (1 - each.worth) / each.tried for each in (one, other)))
    return apart >= max(_ABOUT, _SURE * error)


def _reason(found: Advice, best: Choice, other: Choice, called: str, speech: Language) -> str:
    """What the best has before the next."""
    wins, losses = ([_of_100(each, kind) for each in (best, other)] for kind in ("won", "lost"))
    if found.seeks != "wins":
        pattern = speech.because_brings
        one, two = (_decimal(each.gain, speech) for each in (best, other))
    elif wins[0] - wins[1] >= _PERCENT:
        pattern = speech.because_wins
        one, two = (f"{each:.0f}" for each in wins)
    elif losses[1] - losses[0] >= _PERCENT:
        pattern = speech.because_loses
        one, two = (f"{each:.0f}" for each in losses)
    elif found.scored:
        pattern = speech.because_points
        one = _decimal(best.gain - other.gain, speech)
        two = ""
    else:
        return ""
    return pattern.format(one=one, two=two, other=called)


def _of_100(choice: Choice, kind: str) -> float:
    many = choice.won if kind == "won" else choice.tried - choice.won - choice.drawn
    return 100 * many / choice.tried


def _number(number: int, speech: Language) -> str:
    return f"{number:,}".replace(",", speech.thousands)


def _decimal(number: float, speech: Language) -> str:
    """A mean, with a place behind the point if there is something in it."""
    text = f"{number:.1f}".removesuffix(".0")
    return ("0" if text == "-0" else text).replace(".", speech.point)
