"""What a viewer knows of how a play went, as evidence that other plays can be held against.

Assumes: a play as a path of inputs and states, and a viewer who is one of the players.
Does: goes along the path and keeps what the viewer did, what they saw (`sight_key`) and what they
were told of single inputs (`told_inputs`), in the order in which they cannot but have noticed it.
As in `views.recall` nothing is seen while luck is awaited, nor in a `together` once one's own part
is done, and a sight that is as the last one is none.
Leaves behind `Evidence`. Of two plays that the viewer cannot tell apart it is the same: whatever is
made of it cannot hang on what is hidden.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulerun.analysis.reads import reads
from rulerun.posterior.sight_key import Key, Sight
from rulerun.posterior.told_inputs import Answering
from rulerun.runtime.closures import fresh_registers
from rulerun.runtime.executor import CHANCE, Decision, Executor, Input, Waiting
from rulerun.runtime.play import TOGETHER
from rulerun.runtime.state import State
from rulerun.views.player_view import PlayerView
from rulerun.views.vantage import Move, opening
from rulerun_dsl.model import Choose, Game, TogetherStart
from rulerun_dsl.source.frozen import frozen

Item = int | Key
"""What the viewer did (the id of an action), or a sight."""
Word = tuple[int, object]
"""Who took what was told (`CHANCE`, or a player), and how it was told."""


@frozen
class Evidence:
    """What a viewer knows of a play."""

    items: tuple[Item, ...]
    told: tuple[Word, ...]
    """Of inputs outside any `together`, in order."""
    own: tuple[Word, ...]
    """Of luck in the viewer's own parts of a `together`, in order."""
    opened: int | None
    """How many items there were when the `together` opened that is open still; None: none is."""
    luck: bool
    """Whether the play rests where luck is awaited."""


class Looking:
    """What a viewer may look at, and how a look is written; for states at rest."""

    def __init__(self, game: Game, viewer: int) -> None:
        """Make what sees and what hears."""
        self.game = game
        self.viewer = viewer
        self.sight = Sight(game, viewer)
        self.telling = Answering(game, viewer)
        self._taking_part: dict[int, bool] = {}
        self._frame = game.layout.base + (1 + viewer) * game.layout.frame

    def outside(self, slots: Sequence[int], who: int, at: int, legal: Sequence[int]) -> Key:
        """A sight outside any `together`, where `who` is asked at an instruction (-1: nobody)."""
        mine = tuple(legal) if who == self.viewer else None
        return (who, self._question(at), mine, None, *self.sight.at(slots))

    def busy(self, slots: Sequence[int]) -> bool:
        """Whether the viewer's own part of the open `together` is not done."""
        return slots[self._frame] != 0

    def at(self, slots: Sequence[int]) -> int:
        """The instruction at which the viewer's own part rests."""
        return slots[self._frame] - 1

    def inside(self, slots: Sequence[int], legal: Sequence[int] | None) -> Key | None:
        """A sight inside a `together`; None if there is none, since one's own part is done."""
        if not self.busy(slots) and self._always(slots[TOGETHER] - 1):
            return None
        done = PlayerView(self.game, State(tuple(slots)), self.viewer).done()
        if done:
            return None
        at = self.at(slots) if legal is not None else -1
        mine = None if legal is None else tuple(legal)
        return (self.viewer, self._question(at), mine, done, *self.sight.inside(slots))

    def _always(self, at: int) -> bool:
        """Whether the viewer takes part in a `together`, whatever the state."""
        if at not in self._taking_part:
            node = self.game.code[at]
            assert isinstance(node, TogetherStart)
            sure = not reads(self.game, node.players).state
            if sure:
                run = self.sight.index.evaluator.compile(node.players)
                sure = self.viewer in run((), 0, fresh_registers(self.game))
            self._taking_part[at] = sure
        return self._taking_part[at]

    def _question(self, at: int) -> object:
        """What is asked: as words where they are the same in every state, else which question."""
        node = self.game.code[at] if at >= 0 else None
        if not isinstance(node, Choose) or not node.ask:
            return None
        return (
            "".join(map(str, node.ask)) if all(isinstance(each, str) for each in node.ask) else at
        )

    def look(self, executor: Executor, state: State) -> Key | None:
        """The sight of a state; None where nothing is seen."""
        waiting = executor.waiting(state)
        if waiting and waiting[0].player == CHANCE:
            return None
        slots = state.slots
        if slots[TOGETHER]:
            mine = any(each.player == self.viewer for each in waiting)
            return self.inside(slots, executor.legal(state, self.viewer) if mine else None)
        if not waiting:
            return self.outside(slots, -1, -1, ())
        who, at = waiting[0].player, waiting[0].instruction
        legal = executor.legal(state, who) if who == self.viewer else ()
        return self.outside(slots, who, at, legal)


def evidence_of(
    looking: Looking, executor: Executor, initial: State, path: Sequence[Move]
) -> Evidence:
    """What the viewer knows of a play. Of a `together` that is open they know their own part."""
    items: list[Item] = []
    told: list[Word] = []
    own: list[Word] = []
    last: Key | None = None
    opened: int | None = None
    key: tuple[int, ...] = ()

    def see(state: State) -> None:
        nonlocal last
        seen = looking.look(executor, state)
        if seen is not None and seen != last:
            items.append(seen)
            last = seen

    state = initial
    for frame, given, after in (*path, (0, None, None)):
        now = opening(looking.game, state)
        if now != key:
            key, opened = now, len(items) if now else None
        see(state)
        if given is None or after is None:
            break
        if isinstance(given, Decision) and given.player == looking.viewer:
            items.append(given.action)
        else:
            word = _word(looking, executor.waiting(state), state, frame, given)
            if word is not None:
                (own if frame else told).append(word)
        state = after
    waiting = executor.waiting(state)
    luck = bool(waiting) and waiting[0].player == CHANCE
    return Evidence(tuple(items), tuple(told), tuple(own), opened, luck)


def _word(
    looking: Looking, waiting: Sequence[Waiting], state: State, frame: int, given: Input
) -> Word | None:
    """How the viewer is told of an input by itself; None if they are not."""
    at = next(each.instruction for each in waiting if each.frame == frame)
    slots = state.slots
    said: object
    if isinstance(given, Decision):
        if frame:
            return None
        said = looking.telling.chosen(slots, at, given.player, given.action)
        return None if said is None else (given.player, said)
    if frame not in (0, 1 + looking.viewer):
        return None
    if not looking.telling.hears(slots, frame, at):
        return None
    return CHANCE, looking.telling.fallen(at, given.outcome)
