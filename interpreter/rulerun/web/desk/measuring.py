"""Many games by bots, for the page: how often each seat wins, how long it takes, what has changed.

Assumes editions of rules; runs in a process beside the server, which may be stopped.
Does: plays the rules as they are; with those of the last time both, in pairs of games with the same
luck (`simulation.compare`).
Leaves behind plain data, the same for the same rules.
"""

from __future__ import annotations

from typing import Any

from rulerun.host.aside import Tell
from rulerun.session.agents import AgentFault, Unfit
from rulerun.simulation.compare.differences import comparison
from rulerun.simulation.compare.findings import comparison_report, sentence
from rulerun.simulation.compare.paired import Comparing
from rulerun.simulation.compare.pairing import run_pairs
from rulerun.simulation.report.sections import simulation_report
from rulerun.simulation.report.text import text
from rulerun.simulation.run.driver import run
from rulerun.simulation.run.pool import Simulating, runner
from rulerun.simulation.run.seats import seated, watched
from rulerun.simulation.stats.intervals import wilson
from rulerun.simulation.stats.result import result
from rulerun.web.desk.helping import Data
from rulerun.web.editions import Edition, Unplayable, game_of
from rulerun_dsl.model import Game
from rulerun_dsl.model.canonical_json import digest

SEED = 0


def games(tell: Tell, edition: Edition, before: Edition | None, level: str, many: int) -> Data:
    """What so many games come to, beside those of other rules if there are such."""
    try:
        game = game_of(edition)
        other = None if before is None else _other(game, game_of(before))
        seats = seated(game, [f"all={level}"])
        if other is None:
            return _alone(tell, game, seats, level, many)
        return _beside(tell, (other, game), seats, level, many)
    except (Unplayable, Unfit, AgentFault) as failure:
        return {"error": str(failure)}


def _other(game: Game, before: Game) -> Game | None:
    """The rules of before, if they are others for the same people."""
    if game.players != before.players or game.people != before.people:
        return None
    same = digest(game, ("name", "title")) == digest(before, ("name", "title"))
    return None if same else before


def _alone(tell: Tell, game: Game, seats: dict[int, str], level: str, many: int) -> Data:
    counted = watched(game, seats)
    task = Simulating(game, "python", tuple(seats.items()), SEED, 0, counted)
    played, largest = runner(task, "python", many, None, None)
    outcome = run(game, played, many, largest=largest, told=tell)
    found = result(game, seats, SEED, outcome.totals, outcome.stopped, watched=counted)
    length = found["length"]["decisions"]
    return {
        "level": level,
        "games": found["games"]["played"],
        "failed": found["games"]["failed"] + found["games"]["truncated"],
        "seats": [
            {"name": each["player"], "now": [each["share"], each["low"], each["high"]]}
            for each in found["wins"]["seats"]
        ],
        "nobody": [found["wins"]["nobody"]["share"]],
        "length": None if length is None else {"now": length["mean"]},
        "text": text(simulation_report(found)),
    }


def _beside(
    tell: Tell, sides: tuple[Game, Game], seats: dict[int, str], level: str, many: int
) -> Data:
    task = Comparing(sides, "python", tuple(seats.items()), SEED)
    played, largest = runner(task, "python", 2 * many, None, None)
    pairs, stopped = run_pairs(played, many, largest=largest, told=tell)
    found = comparison(task, ["before", "now"], pairs, stopped)
    both = found["pairs"]["both_ended"]
    wins = [each for each in found["differences"] if each["about"] == "wins"]
    length = next((each for each in found["differences"] if each["about"] == "length"), None)
    return {
        "level": level,
        "games": found["pairs"]["played"],
        "failed": found["pairs"]["played"] - both,
        "seats": [_seat(each, both) for each in wins if each["of"] != "nobody"],
        "nobody": next(
            ([each["b"], each["a"]] for each in wins if each["of"] == "nobody"), [0.0, 0.0]
        ),
        "length": None
        if length is None
        else {"now": length["b"], "before": length["a"], **_told(length)},
        "changes": [sentence(each, both) for each in found["differences"] if each["told"]],
        "text": text(comparison_report(found)),
    }


def _seat(each: dict[str, Any], both: int) -> Data:
    def share(number: float) -> list[float]:
        return [number, *wilson(round(number * both), both)]

    return {
        "name": each["of"],
        "now": share(each["b"]),
        "before": share(each["a"]),
        **_told(each),
    }


def _told(each: dict[str, Any]) -> Data:
    return {"difference": [each["difference"], each["low"], each["high"]], "told": each["told"]}
