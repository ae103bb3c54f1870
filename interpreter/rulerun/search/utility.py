"""What the end of a game is worth to each player.

Assumes: the verdict on a game, or what machine code says of it.
Does: takes the declared `returns` where there are some; else a share of the win, and a small part
for the margin of points, so that a lost game is not thrown away and a won one is won clearly.
Leaves behind: a whole number for each player; the more, the better. They are compared within one
search. Whole numbers, since machine code reckons the same in any order. Beside it, for who asks
why: who has won, and by how many points.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from math import floor

from rulerun.compiled.lower.scoring import counts_returns
from rulerun.runtime.executor import Verdict
from rulerun.runtime.state import State
from rulerun_dsl.model import (
    Arithmetic,
    BuiltinCall,
    Conditional,
    Expression,
    Game,
    Literal,
    Register,
    valuetypes,
)
from rulerun_dsl.model.game import ScoreLine
from rulerun_dsl.model.valuetypes import ANY_INT, Int
from rulerun_dsl.source.frozen import frozen

SHARES = 2_520
"""What every number of winners up to ten divides."""
WIN = SHARES << 10
"""What a win is worth."""
MARGIN = WIN // 10
"""What the largest margin of points seen so far is worth."""
RETURN = 1 << 10
"""What 1 of whole returns is worth. Of returns that may be fractions, 1 is worth `SHARES`."""


CUT = 400
"""Inputs at random after which a play is judged where it stands, if points say who is ahead."""
SHORT = 16
"""Bits of a slot where all of them fit."""


@frozen
class Ends:
    """What one end is worth, by player."""

    worth: Sequence[int]
    won: Sequence[bool]
    """Who has won, if others have not. Nobody where `returns` say what is sought."""
    drawn: bool
    """Whether nobody of several has won, or all of them."""
    ahead: Sequence[int]
    """By how many points of the best of the others; 0 where points say nothing."""


def packed(slots: Sequence[int]) -> bytes:
    """Slots as bytes: of 16 bits each if all fit, else of 64; as text if large sets are among them.

    Text is as many bytes as no numbers are: an odd number.
    """
    for code in "hq":
        with suppress(OverflowError):
            return array(code, slots).tobytes()
    text = json.dumps(list(slots)).encode()
    return text if len(text) % 2 else text + b" "


def unpacked(cells: bytes, size: int) -> State:
    """The state of so many slots that was packed."""
    if len(cells) % 2:
        return State(tuple(json.loads(cells)))
    return State(tuple(memoryview(cells).cast("h" if len(cells) == 2 * size else "q")))


def shares(won: Sequence[object]) -> list[Fraction | int]:
    """What a game is worth to each player, by who has won: 1, shared by the winners or by all."""
    winners = sum(map(bool, won))
    if winners == 1:
        return [1 if each else 0 for each in won]
    if winners:
        return [Fraction(1, winners) if each else 0 for each in won]
    return [Fraction(1, len(won))] * len(won)


def lined(game: Game) -> Game | None:
    """The game with its returns as its only line of the score, which is compiled.

    Returns that may be fractions are that in parts of `SHARES`, rounded down. None if the game has
    no returns, or such that only the reference works out.
    """
    scoring = game.scoring
    if scoring.returns is None or not counts_returns(game):
        return None
    value = _in_parts(scoring.returns) if has_fractions(game) else scoring.returns
    if value is None:
        return None
    line = ScoreLine("returns", value)
    alone = replace(
        scoring, lines=(line,), best="highest", ties=(), out=None, winner=None, returns=None
    )
    return replace(game, scoring=alone)


def says_who_wins(game: Game) -> bool:
    """Whether returns are a share of the win, stretched and moved: more of one is more of both.

    A search asks for the share then, which machine code knows.
    """
    scoring = game.scoring
    return scoring.returns is not None and _rises(scoring.returns, scoring.register)


def _rises(node: Expression, register: int) -> bool:
    match node:
        case BuiltinCall(word="share_of_win", arguments=(Register(index=index),)):
            return index == register
        case Arithmetic(operator="+" | "-", left=left, right=Literal()):
            return _rises(left, register)
        case Arithmetic(operator="+", left=Literal(), right=right):
            return _rises(right, register)
        case Arithmetic(operator="*" | "/", left=left, right=Literal(value=by)) if by and by > 0:
            return _rises(left, register)
        case Arithmetic(operator="*", left=Literal(value=by), right=right) if by and by > 0:
            return _rises(right, register)
        case _:
            return False


def has_fractions(game: Game) -> bool:
    """Whether returns may be fractions."""
    returns = game.scoring.returns
    return returns is not None and isinstance(returns.type, valuetypes.Fraction)


def _in_parts(node: Expression) -> Expression | None:
    """The value times `SHARES`, rounded down part by part, without fractions; None if unknown."""
    whole, span = ANY_INT, node.span
    shares = Literal(Int(SHARES, SHARES), span, SHARES)
    if not isinstance(node.type, valuetypes.Fraction):
        return Arithmetic(whole, span, "*", node, shares)
    match node:
        case Conditional(condition=condition, value=value, alternative=alternative):
            yes, no = _in_parts(value), _in_parts(alternative)
            return Conditional(whole, span, condition, yes, no) if yes and no else None
        case Arithmetic(operator="+" | "-" as operator, left=left, right=right):
            one, other = _in_parts(left), _in_parts(right)
            return Arithmetic(whole, span, operator, one, other) if one and other else None
        case Arithmetic(operator="/", left=left, right=right):
            if isinstance(right.type, valuetypes.Fraction):
                return None
            many = _in_parts(left)
            return Arithmetic(whole, span, "//", many, right) if many else None
        case _:
            return None


class Utility:
    """The worth of ends of one game. It remembers the largest margin."""

    def __init__(self, game: Game) -> None:
        """Read which way points count."""
        scoring = game.scoring
        self.players = len(game.players)
        self.returns = scoring.returns is not None and not says_who_wins(game)
        best = scoring.best or ("highest" if scoring.lines else None)
        self.sign = {"highest": 1, "lowest": -1, None: 0}[best]
        self.unit = 1 if has_fractions(game) else RETURN
        """What 1 of a line of returns is worth (see `lined`)."""
        self.one = SHARES if self.unit == 1 else self.unit
        """What returns of 1 are worth."""
        self.cut = CUT if self.sign and not self.returns else 0
        """Inputs at random after which a play is judged where it stands; 0: none is."""
        self.largest = 1
        """The largest margin so far."""

    def of_verdict(self, verdict: Verdict | None, lined: bool = False) -> Ends:
        """By player; a game that did not come to its end is a win for nobody.

        `lined`: the verdict is that on the game that `lined` makes.
        """
        if verdict is None:
            return self._alike([0 if self.returns else WIN // self.players] * self.players)
        if self.returns and not lined:
            return self._alike([floor(each * self.one) for each in verdict.returns])
        won = [player in verdict.winners for player in range(self.players)]
        return self.of_ends(won, [total or 0 for total in verdict.totals])

    def of_ends(self, won: Sequence[object], totals: Sequence[int]) -> Ends:
        """By who has won, and points (where there are returns, those)."""
        if self.returns:
            return self._alike([each * self.unit for each in totals])
        winners = sum(map(bool, won))
        share = WIN // (winners or self.players)
        # Who plays alone and does not win has lost.
        shared = not winners and self.players > 1
        found = [share if each or shared else 0 for each in won]
        drawn = shared or winners == self.players > 1
        alone = [bool(each) and not drawn for each in won]
        if not self.sign:
            return Ends(found, alone, drawn, [0] * self.players)
        margins = self.ahead(totals)
        self.largest = max(self.largest, *map(abs, margins))
        worth = [
            share + MARGIN * ahead // self.largest
            for share, ahead in zip(found, margins, strict=True)
        ]
        return Ends(worth, alone, drawn, margins)

    def _alike(self, worth: list[int]) -> Ends:
        """Ends of which there is no more to say than what they are worth."""
        return Ends(worth, [False] * self.players, False, [0] * self.players)

    def ahead(self, totals: Sequence[int]) -> list[int]:
        """By how many points each is ahead of the best of the others."""
        if self.players < 2:
            return [self.sign * total for total in totals]
        found = []
        for player, total in enumerate(totals):
            others = [self.sign * other for at, other in enumerate(totals) if at != player]
            found.append(self.sign * total - max(others))
        return found
