"""rulerun: board and card games as data, checked and played.

The public face:

    import rulerun

    loaded, findings = rulerun.load("rulesets/brave_rats.yaml")
    game, findings = loaded.game(options={"target": "3"})
    session = rulerun.Session(rulerun.Reference(game), {1: rulerun.RandomAgent()}, seed=7)
    session.submit(0, "prince")

The names in `__all__` are loaded from their modules when first asked for, so that `import rulerun`
(and with it `rulerun --version`) stays fast.
"""

from __future__ import annotations

from importlib import import_module

from rulerun.host.version import VERSION as __version__

# As in `typing`, which `--version` need not pay for; type checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from rulerun.executors.make import executor_for
    from rulerun.executors.stepper import Stepper, stepper
    from rulerun.posterior.worlds import World, worlds
    from rulerun.reference.executor import Reference
    from rulerun.runtime.executor import (
        Chance,
        Decision,
        Executor,
        IllegalInput,
        Input,
        Outcome,
        Refusal,
        RuleError,
        Verdict,
    )
    from rulerun.runtime.state import State
    from rulerun.scenario.runner import ScenarioResult, run_scenarios
    from rulerun.session.agents import Agent, AgentFault, FirstAgent, RandomAgent, ScriptedAgent
    from rulerun.session.record import Record, RecordWriter, read_record
    from rulerun.session.session import Session
    from rulerun.session.taking_back import CannotUndo
    from rulerun.simulation.run.driver import simulate
    from rulerun.simulation.stats.totals import Totals
    from rulerun.views.observation import Observation
    from rulerun_dsl.diagnostics.diagnostic import Diagnostic
    from rulerun_dsl.load import Loaded, load, load_game
    from rulerun_dsl.model import SPECTATOR, Game

# Public name -> the module that defines it.
_HOMES: dict[str, str] = {
    name: module
    for module, names in {
        "rulerun.session.agents": (
            "Agent",
            "AgentFault",
            "FirstAgent",
            "RandomAgent",
            "ScriptedAgent",
        ),
        "rulerun.runtime.executor": (
            "Chance",
            "Decision",
            "Executor",
            "IllegalInput",
            "Input",
            "Outcome",
            "Refusal",
            "RuleError",
            "Verdict",
        ),
        "rulerun.executors.make": ("executor_for",),
        "rulerun.views.observation": ("Observation",),
        "rulerun.simulation.run.driver": ("simulate",),
        "rulerun.simulation.stats.totals": ("Totals",),
        "rulerun.session.record": ("Record", "RecordWriter", "read_record"),
        "rulerun.reference.executor": ("Reference",),
        "rulerun.session.session": ("Session",),
        "rulerun.session.taking_back": ("CannotUndo",),
        "rulerun.runtime.state": ("State",),
        "rulerun.executors.stepper": ("Stepper", "stepper"),
        "rulerun.scenario.runner": ("ScenarioResult", "run_scenarios"),
        "rulerun.posterior.worlds": ("World", "worlds"),
        "rulerun_dsl.diagnostics.diagnostic": ("Diagnostic",),
        "rulerun_dsl.load": ("Loaded", "load", "load_game"),
        "rulerun_dsl.model": ("SPECTATOR", "Game"),
    }.items()
    for name in names
}

__all__ = [
    "SPECTATOR",
    "Agent",
    "AgentFault",
    "CannotUndo",
    "Chance",
    "Decision",
    "Diagnostic",
    "Executor",
    "FirstAgent",
    "Game",
    "IllegalInput",
    "Input",
    "Loaded",
    "Observation",
    "Outcome",
    "RandomAgent",
    "Record",
    "RecordWriter",
    "Reference",
    "Refusal",
    "RuleError",
    "ScenarioResult",
    "ScriptedAgent",
    "Session",
    "State",
    "Stepper",
    "Totals",
    "Verdict",
    "World",
    "__version__",
    "executor_for",
    "load",
    "load_game",
    "read_record",
    "run_scenarios",
    "simulate",
    "stepper",
    "worlds",
]


def __getattr__(name: str) -> object:
    """Load a public name from its module on first use."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
