"""Golden play-throughs: everything at every rest, for each shipped ruleset.

At each rest: who is asked, what the spectator sees that has changed, what each player sees besides,
what is legal or what luck may bring; then the input and what each is told of it. A ruleset without
a golden fails. Long plays show their beginning and their end.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.rulesets import SHIPPED as RULESETS
from tests.rulesets import read

from rulerun.executors.make import executor_for
from rulerun.reference.executor import Reference
from rulerun.runtime import actions
from rulerun.runtime.executor import CHANCE, Chance, Decision, Input, Step
from rulerun.runtime.rng import stream
from rulerun.runtime.state import State
from rulerun.views.observation import name_of
from rulerun.views.observe import observe, tell
from rulerun_dsl.model import SPECTATOR, Game
from rulerun_dsl.source.resources import shipped

SEED = 1
SHOWN = 6
"""How many rests are shown from the beginning; the last two are shown as well."""

LONGEST = 300
"""Where a long play is cut."""

BRAVE_RATS = shipped("rulesets") / "brave_rats.yaml"
VARIANTS = (
    "traitor",
    "draw_pile",
    "fast_rat",
    "draft",
    "at_random",
    "princess_attacks",
    "emperor",
)
RUSE = shipped("rulesets") / "ruse.yaml"
LONG_PLAYS = ("chess", "lines_of_action", "quoridor", "ruse")
"""These take seconds; `.ci/run` asks for them."""
PLAYS: list[Any] = [
    *((path, "", None) for path in RULESETS if path.stem not in LONG_PLAYS),
    *(
        pytest.param(path, "", None, marks=pytest.mark.slow)
        for path in RULESETS
        if path.stem in LONG_PLAYS
    ),
    *((BRAVE_RATS, variant, None) for variant in VARIANTS),
    *(
        pytest.param(RUSE, variant, players, marks=pytest.mark.slow)  # made anew for each
        for variant, players in (("solo", 1), ("", 3), ("", 4))
    ),
]


def play(game: Game) -> list[tuple[State, Input | None]]:
    """A play by seed: each state, with the input that is given there; the last has none.

    A compiled executor plays, which takes the same steps (law 14) and tells nothing.
    """
    executor = executor_for(game, events=False)
    luck = stream(SEED, "playthrough", game.name)
    state = executor.initial().state
    points: list[tuple[State, Input | None]] = []
    for _ in range(LONGEST):
        waiting = executor.waiting(state)
        if not waiting:
            break
        given: Input
        if waiting[0].player == CHANCE:
            outcomes = executor.outcomes(state)
            given = Chance(outcomes[luck.weighted([each.weight for each in outcomes])].id)
        else:
            player = waiting[luck.below(len(waiting))].player
            legal = executor.legal(state, player)
            given = Decision(player, legal[luck.below(len(legal))])
        points.append((state, given))
        state = executor.apply(state, given).state
    return [*points, (state, None)]


def sight(executor: Reference, step: Step, viewer: int) -> dict[str, str]:
    """What a viewer sees of each variable and zone, as text."""
    data = observe(executor, step.state, viewer).data()
    state, zones = data["state"], data["zones"]
    assert isinstance(state, dict) and isinstance(zones, dict)
    return {
        name: json.dumps(value, separators=(",", ":")) for name, value in {**state, **zones}.items()
    }


def listed(seen: dict[str, str], known: dict[str, str]) -> str:
    """What is seen beyond, or otherwise than, what was said already."""
    news = [f"\n    {name}: {text}" for name, text in seen.items() if known.get(name) != text]
    return "".join(news) or " nothing more"


def rest(executor: Reference, before: Step | None, step: Step, given: Input | None) -> str:
    """One rest as text."""
    game, lines = executor.game, []
    viewers = [SPECTATOR, *range(len(game.players))]
    if isinstance(given, Decision):
        lines.append(f"> {game.players[given.player]}: {actions.text(game, given.action)}")
    elif isinstance(given, Chance) and before is not None:
        texts = {each.id: each.text for each in executor.outcomes(before.state)}
        lines.append(f"> chance: {texts[given.outcome]}")
    for viewer in viewers:
        for told in tell(step.events, viewer, len(game.players)):
            lines.append(f"  told {name_of(game, viewer)}: {told.text}")
    waiting = executor.waiting(step.state)
    asked = ["chance" if each.player == CHANCE else game.players[each.player] for each in waiting]
    lines.append(f"asked: {', '.join(asked) or 'nobody: it is over'}")
    public = sight(executor, step, SPECTATOR)
    earlier = sight(executor, before, SPECTATOR) if before is not None else {}
    lines.append("  everybody sees" + listed(public, earlier))
    for viewer in range(len(game.players)):
        lines.append(
            f"  {game.players[viewer]} sees" + listed(sight(executor, step, viewer), public)
        )
    outcomes = executor.outcomes(step.state)
    whole = sum(each.weight for each in outcomes)
    if outcomes:
        chances = [f"{each.text} {Fraction(each.weight, whole)}" for each in outcomes]
        lines.append(f"  chance: {', '.join(chances)}")
    for one in waiting:
        if one.player != CHANCE:
            legal = [actions.text(game, each) for each in executor.legal(step.state, one.player)]
            lines.append(f"  {game.players[one.player]} may: {', '.join(legal)}")
    verdict = executor.verdict(step.state)
    if verdict is not None:
        winners = ", ".join(game.players[each] for each in verdict.winners) or "nobody"
        returns = ", ".join(map(str, verdict.returns))
        places = ", ".join(map(str, verdict.places))
        lines.append(f"winners: {winners}; places: {places}; returns: {returns}")
    return "\n".join(lines)


@pytest.mark.slow_in_ci
@pytest.mark.parametrize(
    ("path", "variant", "players"), PLAYS, ids=lambda each: str(getattr(each, "stem", each))
)
def test_the_play_is_the_golden_one(
    path: Path, variant: str, players: int | None, golden: Callable[[str, str], None]
) -> None:
    game, _ = read(path).game(players, variants=[variant] if variant else [])
    assert game is not None
    # The reference tells what is shown, each rest with the one before it.
    executor, steps = Reference(game), play(game)
    shown = list(range(len(steps)))
    if len(steps) > SHOWN + 2:
        shown = [*range(SHOWN), len(steps) - 2, len(steps) - 1]
    rests = []
    for at in shown:
        if at == 0:
            rests.append(rest(executor, None, executor.initial(), None))
            continue
        before, given = steps[at - 1]
        assert given is not None
        step = executor.apply(before, given)
        assert step.state == steps[at][0]
        rests.append(rest(executor, Step(before, ()), step, given))
    if len(rests) < len(steps):
        rests[SHOWN:SHOWN] = [f"… {len(steps) - len(rests)} rests"]
    parts = [path.stem, *([variant] if variant else []), *([f"{players}p"] if players else [])]
    name = ".".join(parts)
    golden(f"playthroughs/{name}.{SEED}.txt", "\n\n".join(rests) + "\n")
