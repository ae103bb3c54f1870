"""What a viewer has been told and knows: a log that grows, and an information state.

Assumes events that `observe.tell` has redacted for one viewer, and observations.
Does what needs memory: what is said in somebody else's block of a `together` is held back until
the block ends for all, then told in player order, with what has changed there;
what was taken back by undo before that is never told.
Leaves behind `Told`s in the order in which a viewer hears them (`Listener`), and `Recall`, whose
`known` is the viewer's information state: their own actions, what they were told and what they saw,
nothing forgotten.

While a `together` is open and the viewer's own part is done, nothing new is seen: what they saw
then would tell who was last, and order of submission may not matter. Nor is anything seen while
luck is awaited: a draw with one outcome left does not wait, and nobody may tell the two apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field, replace
from hashlib import blake2b

from rulerun.runtime import actions
from rulerun.runtime.executor import CHANCE, Decision, Event, Executor, Input, Step
from rulerun.views.observe import SPECTATOR, Told, canonical, observe, tell
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen

TOGETHER_END = "together_end"


@frozen
class Happening:
    """An input of a session (0: the set-up) with its events, every secret in them."""

    number: int
    events: tuple[Event, ...]


@frozen
class TookBack:
    """Input `of` was taken back; `inside`: out of a `together` that is open still.

    `replies`: and with it what bots have done since.
    """

    of: int
    player: int
    text: str
    inside: bool
    replies: bool = False


Held = tuple[tuple[int, Event], ...]


def sift(
    events: Iterable[Event], number: int, viewer: int, held: Held, players: int
) -> tuple[list[Told], Held]:
    """Return what the viewer hears of these events, and what is held back from them from now on."""
    heard: list[Told] = []
    waiting = list(held)
    bit = 1 << (players if viewer == SPECTATOR else viewer)
    for event in events:
        if event.block is not None and event.block != viewer:
            if event.audience & bit:
                waiting.append((number, event))
            continue
        if event.word == TOGETHER_END:
            # Stable: of one block, in the order in which it happened.
            waiting.sort(key=lambda each: -1 if each[1].block is None else each[1].block)
            heard += tell((each for _, each in waiting), viewer, players)
            waiting.clear()
        heard += tell((event,), viewer, players)
    return heard, tuple(waiting)


class Listener:
    """Hears what happens in a session, one viewer's ears."""

    def __init__(self, game: Game, viewer: int) -> None:
        """Nothing heard yet."""
        self.told: list[Told] = []
        self._game = game
        self._viewer = viewer
        self._held: Held = ()
        self._count = 0

    def hear(self, happened: list[Happening | TookBack]) -> tuple[Told, ...]:
        """Return all that was told, after hearing what of `happened` is new."""
        players = self._game.players
        for each in happened[self._count :]:
            if isinstance(each, Happening):
                heard, self._held = sift(
                    each.events, each.number, self._viewer, self._held, len(players)
                )
                self.told += heard
            else:
                self._take_back(each)
        self._count = len(happened)
        return tuple(self.told)

    def _take_back(self, back: TookBack) -> None:
        self._held = tuple(each for each in self._held if each[0] != back.of)
        name = self._game.players[back.player]
        since = " and what was done since" if back.replies else ""
        what: dict[str, object] = {"player": name}
        if back.player == self._viewer:
            what["action"] = back.text
            self.told.append(Told("undo", f"You take back {back.text}{since}.", what))
        elif not back.inside:
            self.told.append(Told("undo", f"{name} takes back a decision{since}.", what))


@frozen
class InformationState:
    """All that a viewer may know. Two of them are equal if the viewer cannot tell them apart."""

    viewer: int
    items: tuple[str, ...] = ()
    """Own actions, what was told, what was seen: canonical JSON, in order."""
    _digest: bytes = field(default=b"", repr=False)

    @property
    def digest(self) -> str:
        """A hash of it, the same on every machine."""
        return self._digest.hex()

    def with_items(self, items: Iterable[str]) -> InformationState:
        """The state after hearing, seeing or doing these."""
        new = tuple(items)
        digest = self._digest
        for item in new:
            digest = blake2b(digest + item.encode("utf-8"), digest_size=32).digest()
        return InformationState(self.viewer, self.items + new, digest)


@frozen
class Recall:
    """A viewer's information state on the authority's side, with what is held back from them."""

    known: InformationState
    held: Held = field(default=(), repr=False)
    """What others have said in an open `together`, with every secret."""

    @classmethod
    def begin(cls, executor: Executor, initial: Step, viewer: int) -> Recall:
        """What the viewer knows when set-up is over."""
        return cls(InformationState(viewer))._after(executor, (), initial)

    def extended(self, executor: Executor, given: Input, step: Step) -> Recall:
        """What the viewer knows after another input."""
        own: tuple[str, ...] = ()
        if isinstance(given, Decision) and given.player == self.known.viewer:
            own = (canonical(["did", actions.text(executor.game, given.action)]),)
        return self._after(executor, own, step)

    def _after(self, executor: Executor, own: tuple[str, ...], step: Step) -> Recall:
        viewer = self.known.viewer
        players = len(executor.game.players)
        heard, held = sift(step.events, 0, viewer, self.held, players)
        items = [*own, *(canonical(["told", *told.data()]) for told in heard)]
        seen = observe(executor, step.state, viewer)
        resting = executor.waiting(step.state)
        if seen.done is not True and not (resting and resting[0].player == CHANCE):
            saw = canonical(["saw", seen.data()])
            if saw != self._last_sight():
                items.append(saw)
        return replace(self, known=self.known.with_items(items), held=held)

    def _last_sight(self) -> str | None:
        return next(
            (item for item in reversed(self.known.items) if item.startswith('["saw"')), None
        )
