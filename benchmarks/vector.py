"""Many plays stepped at once, beside pgx and PettingZoo: steps a second, as a learner takes them.

    python -m benchmarks.vector [--plays 1024] [--rounds 5] [--games tic_tac_toe …]

Assumes: numpy and llvmlite; pgx and PettingZoo where they are to be compared (`pip install pgx
'pettingzoo[classic]'`), in the same environment, best on one core (`taskset -c 0`).
Does: in turn, round by round, draws any legal action in each play, takes it, begins the next game
in the same step where one is over, and writes what whoever decides sees. pgx does all of that
inside of one compiled loop, the way it is quickest; ours goes back to Python for each step, as a
learner does.
Leaves behind: a line for each game: steps a second of CPU time of each, in all rounds together (a
round may lie at the beginning of all games, or at their end), and ratios.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")

import numpy as np

from benchmarks.classics import game_named
from rulerun.vector import VectorPlays

PEERS = {
    "tic_tac_toe": ("tic_tac_toe", "tictactoe_v3"),
    "connect_four": ("connect_four", "connect_four_v3"),
    "kuhn_poker": ("kuhn_poker", None),
    "leduc_poker": ("leduc_holdem", "leduc_holdem_v4"),
    "othello": ("othello", None),
    "backgammon": ("backgammon", None),
    "hex": ("hex", None),
    "chess": ("chess", "chess_v6"),
    "go": ("go_9x9", "go_v5"),
    "brave_rats": (None, None),
    "hearts": (None, None),
}
"""What the game is called by pgx and by PettingZoo."""
SLICE = 0.5
"""Seconds that a measurement lasts at least."""

Stepper = Callable[[], int]
"""Steps some times; how many steps of single plays that were."""


def ours(name: str, plays: int) -> Stepper:
    """Our plays, in machine code, the best of it."""
    many = VectorPlays(game_named(name), plays, 1, "native", same_step=True)
    actions, seen = many.sample(), many.observe()

    def step() -> int:
        many.step(many.sample(out=actions))
        many.observe(out=seen)
        return plays

    return step


def of_pgx(name: str, plays: int) -> Stepper:
    """A compiled loop of 32 steps."""
    jax = import_module("jax")
    env = import_module("pgx").make(name)
    again = import_module("pgx.experimental.wrappers").auto_reset(env.step, env.init)

    def turn(carried: Any, _: Any) -> Any:
        state, key, sum_ = carried
        key, luck, more = jax.random.split(key, 3)
        logits = jax.numpy.log(state.legal_action_mask.astype(jax.numpy.float32))
        action = jax.random.categorical(luck, logits, axis=-1)
        state = jax.vmap(again)(state, action, jax.random.split(more, plays))
        return (state, key, sum_ + state.observation.sum()), None

    run = jax.jit(lambda carried: jax.lax.scan(turn, carried, None, length=32)[0])
    key = jax.random.PRNGKey(1)
    carried = (jax.vmap(env.init)(jax.random.split(key, plays)), key, jax.numpy.float32(0))
    held = [jax.block_until_ready(run(carried))]

    def step() -> int:
        held[0] = jax.block_until_ready(run(held[0]))
        return 32 * plays

    return step


def of_pettingzoo(name: str) -> Stepper:
    """One environment, with its wrappers, in Python."""
    warnings.simplefilter("ignore")
    env: Any = import_module(f"pettingzoo.classic.{name}").env(render_mode=None)
    luck = np.random.default_rng(1)

    def step() -> int:
        env.reset()
        steps = 0
        for _ in env.agent_iter():
            seen, _, over, cut, _ = env.last()
            if over or cut:
                env.step(None)
                continue
            env.step(int(luck.choice(np.flatnonzero(seen["action_mask"]))))
            steps += 1
        return steps

    return step


def measured(step: Stepper) -> tuple[int, float]:
    """Steps of single plays, and seconds of CPU time: others may use the machine too."""
    steps, begun = 0, time.process_time()
    while (spent := time.process_time() - begun) < SLICE:
        steps += step()
    return steps, spent


def rate(rounds: list[tuple[int, float]]) -> float:
    """Steps a second; the first round warms up."""
    return sum(steps for steps, _ in rounds[1:]) / sum(spent for _, spent in rounds[1:])


def main() -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(prog="benchmarks.vector")
    parser.add_argument("--plays", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", nargs="*", default=list(PEERS))
    given = parser.parse_args()
    print(f"{'game':14}{'ours':>12}{'pgx':>12}{'PettingZoo':>12}{'/ pgx':>8}{'/ PettingZoo':>14}")
    for name in given.games:
        pgx, zoo = PEERS[name]
        steppers: dict[str, Stepper] = {"ours": ours(name, given.plays)}
        for peer, called, make in (
            ("pgx", pgx, lambda it: of_pgx(it, given.plays)),
            ("zoo", zoo, of_pettingzoo),
        ):
            if called is not None:
                try:
                    steppers[peer] = make(called)
                except ImportError as failure:
                    print(f"{name}: no {peer} ({failure})")
        found: dict[str, list[tuple[int, float]]] = {each: [] for each in steppers}
        for _ in range(1 + given.rounds):
            for each, step in steppers.items():
                found[each].append(measured(step))
        rates = {each: rate(rounds) for each, rounds in found.items()}
        cells = [
            f"{rates[each]:12,.0f}" if each in rates else f"{'':12}"
            for each in ("ours", "pgx", "zoo")
        ]
        ratios = [
            f"{rates['ours'] / rates[each]:{wide}.2f}" if each in rates else " " * wide
            for each, wide in (("pgx", 8), ("zoo", 14))
        ]
        print(f"{name:14}{''.join(cells)}{''.join(ratios)}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
