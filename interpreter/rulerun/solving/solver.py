"""Solving a game, whichever kind it is.

Assumes: a checked `Game`, plays of it, and bounds.
Does: estimates how large it is, and refuses what is too large. Walks all positions as long as none
hides anything, and values them from the ends; where one hides something, goes through all histories
instead, and learns.
Leaves behind a `Solution`: what the game is worth to each player, the best first decisions, figures
on the way, and what to play everywhere (`Solution.plans`).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from rulerun.executors.make import AUTO
from rulerun.runtime import actions
from rulerun.search.plays import Plays, plays_for
from rulerun.solving.backward import VALUES, Values, solve_backward
from rulerun.solving.estimating import Estimate, estimate
from rulerun.solving.graph import WALK, Deciding, Graph, Hidden, Stage, walk
from rulerun.solving.hiding import Hiding
from rulerun.solving.keeping import Keeper
from rulerun.solving.matrix_games import NOISE, Number
from rulerun.solving.positions import Positions, Reordered
from rulerun.solving.refusals import TooBig
from rulerun.solving.regret import LEARNING, Learned, learn
from rulerun.solving.sequence_form import FORM, Form, enumerate_histories
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen

Told = Callable[[int, float, str], None]
"""Is told how far it has come: so many, of about how many, of what."""

PERFECT = "perfect information"
SIMULTANEOUS = "perfect information, simultaneous decisions"
IMPERFECT = "imperfect information"
POSITIONS = 5_000_000
"""Positions that are walked unless it is said otherwise."""
HISTORIES = 500_000
MEMORY = 3_000
"""MiB that are taken up unless it is said otherwise."""
WORTH_COMPILING = 20_000
"""Positions from which on machine code is worth its start."""
ROUNDS = 2_000
WITHIN = 1e-4

Plan = tuple[bytes, int, tuple[tuple[int, float], ...]]
"""A key, who decides there, and by action how likely they take it."""


@frozen
class Limits:
    """How much may be done."""

    positions: int | None = None
    """Positions, or histories; None: as many as usual."""
    rounds: int = ROUNDS
    """Rounds of learning at most."""
    within: float = WITHIN
    """The exploitability at which learning ends."""
    memory: int = MEMORY
    """MiB that the process may take up at most, where the system says how many it does."""


@frozen
class Option:
    """A first decision: one action, or a row of them in one `together`."""

    text: str
    share: Number
    """How likely a perfect player takes it."""
    worth: Number | None = None
    """What it is worth to who decides, if all else goes perfectly; None: not known."""


@frozen
class First:
    """What a player may do first."""

    player: int
    options: tuple[Option, ...]
    seen: str = ""
    """What tells this first decision from others, where luck comes before it."""


@frozen
class Solution:
    """An answer to a game."""

    game: Game
    kind: str
    values: tuple[Number, ...]
    exact: bool
    gap: float
    """By how much values may be off; of imperfect information the exploitability."""
    positions: int
    """Positions, or histories."""
    levels: tuple[tuple[int, int], ...]
    """By decisions taken before: how many positions there are."""
    first: tuple[First, ...]
    figures: tuple[tuple[str, int], ...]
    """Numbers on the way, by name."""
    notes: tuple[str, ...]
    playable: bool
    """Whether an agent can play it."""
    _plans: Callable[[], Iterator[Plan]]

    @property
    def hides(self) -> bool:
        """Whether the game hides something."""
        return self.kind == IMPERFECT

    def plans(self) -> Iterator[Plan]:
        """What to play everywhere, by key."""
        return self._plans()


def solve(
    game: Game, executor: str, limits: Limits, told: Told, keeper: Keeper | None = None
) -> Solution:
    """Solve a game. Raises `Unsolvable`, and `TooBig` where it is too large.

    `executor` walks positions; `auto`: machine code where it is worth its start. `keeper` keeps
    what is found on the way, and has what a run before has found.
    """
    keeper = keeper or Keeper(None, game)
    hiding, positions = Hiding(game), Positions(game)
    most = limits.positions or POSITIONS
    told(0, 1, "games at random, to see how large it is")
    plays = plays_for(game, "python" if executor == AUTO else executor)
    sized = estimate(game, plays, positions, hiding, max(most, limits.positions or HISTORIES))

    def within(done: int, about: float, what: str) -> None:
        _see_memory(game, limits.memory)
        told(done, max(done, int(about)), what)

    if not sized.hidden and keeper.at(FORM, LEARNING) is None:
        if sized.positions > most:
            raise TooBig(_too_big(game, sized, sized.positions, most, "positions"))
        if executor == AUTO and sized.positions > WORTH_COMPILING:
            plays = plays_for(game, "native")
        try:
            return _walked(game, plays, positions, hiding, most, sized, within, keeper)
        except Hidden:
            pass
    most = limits.positions or HISTORIES
    if sized.histories > most:
        raise TooBig(_too_big(game, sized, sized.histories, most, "histories"))
    return _learned(game, limits, most, sized, within, keeper)


def _see_memory(game: Game, most: int) -> None:
    """Stop before the machine does."""
    try:
        from resource import RUSAGE_SELF, getrusage
    except ImportError:  # Windows does not say
        return
    # Kibibytes, but for macOS, which counts bytes.
    taken = getrusage(RUSAGE_SELF).ru_maxrss // (2**20 if sys.platform == "darwin" else 2**10)
    if taken > most:
        raise TooBig(
            f"solving {game.name} takes more than {most:,} MiB of memory; --memory N allows more"
        )


def _too_big(game: Game, sized: Estimate, many: float, most: int, what: str) -> str:
    deep = "" if sized.whole else f", {sized.steps} steps deep"
    return (
        f"{game.name} is too big to solve: it has at least some {_rounded(many)} {what} (an "
        f"estimate from {sized.games:,} games at random{deep}), and {most:,} are allowed; "
        "--states N allows more, options of the game may make it smaller"
    )


def _rounded(many: float) -> str:
    if many < 1e6:
        return f"{round(many, 2 - len(str(int(many)))):,.0f}"
    return f"{many:.0e}".replace("e+0", "e").replace("e+", "e")


# ------------------------------------------------------------------------------------- positions


def _walked(
    game: Game,
    plays: Plays,
    positions: Positions,
    hiding: Hiding,
    most: int,
    sized: Estimate,
    told: Told,
    keeper: Keeper,
) -> Solution:

    def found(many: int, what: str) -> None:
        told(many, sized.positions, what)

    kept = keeper.at(WALK, VALUES)
    if kept is not None and not kept.data("forgets"):
        positions = Positions(game, forget=False)
    if kept is not None and kept.stage == VALUES:
        graph = Graph.of(kept)
    else:
        try:
            graph = walk(game, plays, positions, hiding, most, found, keeper)
        except Reordered:
            keeper.forget()
            positions = Positions(game, forget=False)
            graph = walk(game, plays, positions, hiding, most, found, keeper)
    many = len(graph)
    values = solve_backward(game, graph, lambda done, what: told(done, many, what), keeper)
    stages = any(isinstance(shape, Stage) for shape in graph.shapes)
    worth = values.at(0)
    exact = not any(isinstance(each, float) for each in worth)
    figures = [(f"stages by {how}", times) for how, times in sorted(values.how.items())]
    if values.cyclic:
        figures.append(("positions that may come again", values.cyclic))
    notes = []
    if values.total is None:
        notes.append(
            "Everybody takes what is best for themselves, and of what is as good the first: with "
            f"{len(game.players)} players who do not just take from one another, others may take "
            "otherwise, and it may be worth something else."
        )
    return Solution(
        game=game,
        kind=SIMULTANEOUS if stages else PERFECT,
        values=worth,
        exact=exact,
        # Each step on the way may add what it is off; rounding adds less than any tells.
        gap=0.0 if exact else (values.gap / values.scale + NOISE) * (1 + max(graph.level)),
        positions=many,
        levels=tuple(sorted(Counter(graph.level).items())),
        first=_first(game, values),
        figures=tuple(figures),
        notes=tuple(notes),
        playable=True,
        _plans=lambda: _everywhere(plays, game, positions, values),
    )


def _first(game: Game, values: Values) -> tuple[First, ...]:
    """The first decisions: of the first position, or of those behind the luck that comes first."""
    graph = values.graph
    shape = graph.shapes[graph.shape[0]]
    if isinstance(shape, Deciding):
        ways = [
            (values.at(way)[shape.player], action)
            for way, action in zip(graph.on(0), shape.actions, strict=True)
        ]
        best = max(worth for worth, _ in ways)
        good = [action for worth, action in ways if worth == best]
        options = tuple(
            Option(
                actions.text(game, action),
                Fraction(1, len(good)) if worth == best else 0,
                worth,
            )
            for worth, action in ways
        )
        return (First(shape.player, options),)
    if isinstance(shape, Stage):
        return _first_stage(game, values, shape)
    return ()


def _first_stage(game: Game, values: Values, shape: Stage) -> tuple[First, ...]:
    answer = values.stage(0)
    graph, wide = values.graph, len(shape.columns)
    ways = graph.on(0)
    found = []
    for side, (player, rows, mix) in enumerate(
        zip(
            shape.players,
            (shape.rows, shape.columns),
            (answer.rows, answer.columns),
            strict=True,
        )
    ):
        if player < 0:
            continue
        options = []
        for at, row in enumerate(rows):
            if side == 0:
                met = zip(answer.columns, ways[at * wide : at * wide + wide], strict=True)
            else:
                met = zip(answer.rows, ways[at::wide], strict=True)
            worth = sum((share * values.at(way)[player] for share, way in met if share), start=0)
            text = ", ".join(actions.text(game, action) for action in row)
            options.append(Option(text, mix[at], worth))
        found.append(First(player, tuple(options)))
    return tuple(found)


def _everywhere(plays: Plays, game: Game, positions: Positions, values: Values) -> Iterator[Plan]:
    """What to play in every position; in a part of a `together` behind each of one's own actions.

    A player in a part knows where the `together` began and what they did since: that is the
    position in which nobody else has done anything yet.
    """
    graph = values.graph
    for key, at in graph.numbers.items():
        shape = graph.shapes[graph.shape[at]]
        if isinstance(shape, Deciding):
            worth = _worth(values, at, shape.player)
            best = max(worth)
            good = [
                action for action, each in zip(shape.actions, worth, strict=True) if each == best
            ]
            yield key, shape.player, tuple((action, 1 / len(good)) for action in good)
        elif isinstance(shape, Stage):
            answer = values.stage(at)
            for player, rows, mix in zip(
                shape.players,
                (shape.rows, shape.columns),
                (answer.rows, answer.columns),
                strict=True,
            ):
                if player >= 0:
                    yield from _in_part(key, player, rows, mix)


def _worth(values: Values, at: int, player: int) -> list[Number]:
    """What each way on is worth to who decides, larger than it is perhaps, but in proportion."""
    ways = values.graph.on(at)
    if values.total is None:
        return [values.at(way)[player] for way in ways]
    return [values.raw(way) if player == 0 else -values.raw(way) for way in ways]


def _in_part(
    key: bytes, player: int, rows: Sequence[Sequence[int]], mix: Sequence[Number]
) -> Iterator[Plan]:
    """A mix of rows of actions, action by action."""
    behind: dict[tuple[int, ...], dict[int, float]] = {}
    for row, share in zip(rows, mix, strict=True):
        for at, action in enumerate(row):
            shares = behind.setdefault(tuple(row[:at]), {})
            shares[action] = shares.get(action, 0.0) + float(share)
    for done, shares in behind.items():
        total = sum(shares.values())
        yield (
            part_key(key, done),
            player,
            tuple(
                (action, share / total if total else 1 / len(shares))
                for action, share in shares.items()
                if share or not total
            ),
        )


def part_key(key: bytes, done: Sequence[int]) -> bytes:
    """The key of a decision inside a part of a `together`, behind some of one's own actions."""
    return key if not done else key + b"".join(b"%d." % each for each in done)


# ------------------------------------------------------------------------------------- histories


def _learned(
    game: Game, limits: Limits, most: int, sized: Estimate, told: Told, keeper: Keeper
) -> Solution:

    def histories(many: int, what: str) -> None:
        told(many, sized.histories, what)

    def rounds(done: int, what: str) -> None:
        told(done, limits.rounds, what)

    kept = keeper.at(LEARNING)
    form = enumerate_histories(game, most, histories, keeper) if kept is None else Form.of(kept)
    found = learn(form, limits.rounds, limits.within, rounds, keeper)
    notes = []
    if form.told_more:
        notes.append(
            f"In {form.told_more:,} information sets players were told more than they see where "
            "they decide: no agent can play this policy, and none is kept."
        )
    total = float(form.total)
    return Solution(
        game=game,
        kind=IMPERFECT,
        values=(found.value, total - found.value),
        exact=False,
        gap=found.exploitability,
        positions=form.histories,
        levels=(),
        first=_first_known(game, form, found),
        figures=(
            *(
                (f"information sets of {name}", len(form.sets[at]))
                for at, name in enumerate(game.players)
            ),
            ("rounds of learning", found.rounds),
        ),
        notes=tuple(notes),
        playable=not form.told_more,
        _plans=lambda: _known_plans(form, found),
    )


def _first_known(game: Game, form: Form, found: Learned) -> tuple[First, ...]:
    firsts = []
    for player, number in form.firsts:
        known = form.sets[player][number]
        plan = found.plans[player]
        options = tuple(
            Option(actions.text(game, action), plan[known.first + at])
            for at, action in enumerate(known.actions)
        )
        firsts.append(First(player, options, known.seen))
    return tuple(firsts)


def _known_plans(form: Form, found: Learned) -> Iterator[Plan]:
    """How both play on the average, by what they have seen and done."""
    if form.told_more:
        return
    for player, sets in enumerate(form.sets):
        plan = found.plans[player]
        for known in sets:
            before = plan[known.parent]
            shares = [plan[known.first + at] for at in range(len(known.actions))]
            # Where one's own play never leads, what to do there was learned nevertheless.
            if before <= 0:
                shares = [found.shares[player][known.first + at] for at in range(len(shares))]
                before = 1.0
            yield (
                known.trail,
                player,
                tuple(
                    (action, share / before)
                    for action, share in zip(known.actions, shares, strict=True)
                    if share > 0
                ),
            )
