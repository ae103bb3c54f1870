"""pgx: games as array programs, played by the batch with JAX on one core.

Assumes: `BATCH GAME` as arguments.
Does: plays a whole batch to its end in one compiled loop; games that have ended wait for the last.
Leaves behind: answers to `lines`; a slice is at least one batch.

Players of a board game take turns at random there: first is whoever moves first.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"

from importlib.metadata import version

import jax  # type: ignore[import-not-found,unused-ignore]
import jax.numpy as jnp  # type: ignore[import-not-found,unused-ignore]
import pgx  # type: ignore[import-not-found,unused-ignore]

from benchmarks.workers.lines import Counted, Sample, serve


def _done(state: Any) -> Any:
    return state.terminated | state.truncated


class Batches:
    """Batches of one size."""

    def __init__(self, name: str, batch: int) -> None:
        """Make the game and compile the loop."""
        begun = time.perf_counter()
        self.batch = batch
        self.env: Any = pgx.make(name)
        self.step: Any = jax.jit(self.env.step)
        self.run: Any = jax.jit(self._run)
        self.look: Any = jax.jit(self._look)
        self.key: Any = jax.random.PRNGKey(time.time_ns() % 2**31)
        self.many(1)
        spent = time.perf_counter() - begun
        self.versions = {"pgx": version("pgx"), "jax": version("jax")}
        self.notes = [f"load and compile took {spent:.1f} s"]
        self.caveat = ""

    def _begin(self, key: Any) -> tuple[Any, Any]:
        key, luck = jax.random.split(key)
        return jax.vmap(self.env.init)(jax.random.split(luck, self.batch)), key

    def _turn(self, state: Any, key: Any) -> tuple[Any, Any]:
        key, luck = jax.random.split(key)
        # As the examples of pgx choose at random.
        logits = jnp.log(state.legal_action_mask.astype(jnp.float32))
        action = jax.random.categorical(luck, logits, axis=-1)
        return jax.vmap(self.env.step)(state, action), key

    def _run(self, key: Any) -> Any:
        """What is timed: nothing is kept but how many decisions there were."""
        state, key = self._begin(key)

        def turn(carried: Any) -> Any:
            state, key, decisions = carried
            running = ~_done(state)
            state, key = self._turn(state, key)
            return state, key, decisions + running.sum()

        carried = (state, key, jnp.int32(0))
        _, key, decisions = jax.lax.while_loop(lambda c: ~_done(c[0]).all(), turn, carried)
        return key, decisions

    def _look(self, key: Any) -> Any:
        """The same, and what came of each game."""
        state, key = self._begin(key)
        first = state.current_player[:, None]

        def turn(carried: Any) -> Any:
            state, key, lengths, returns = carried
            lengths = lengths + ~_done(state)
            state, key = self._turn(state, key)
            # What has ended before gives nothing more.
            return state, key, lengths, returns + state.rewards

        carried = (state, key, jnp.zeros(self.batch, jnp.int32), jnp.zeros((self.batch, 2)))
        done = jax.lax.while_loop(lambda c: ~_done(c[0]).all(), turn, carried)
        _, key, lengths, returns = done
        mine, other = (jnp.take_along_axis(returns, side, 1)[:, 0] for side in (first, 1 - first))
        return key, lengths, mine, other

    def many(self, count: int) -> Counted:
        """Play batches until there are as many games."""
        counted = Counted()
        while counted.playouts < count:
            self.key, decisions = self.run(self.key)
            counted.add(Counted(self.batch, int(decisions)))
        return counted

    def sample(self, count: int) -> Sample:
        """Play one batch and look at it."""
        self.key, lengths, mine, other = self.look(self.key)
        sides = (mine, other)
        signs = [[(one > 0).sum(), (one == 0).sum(), (one < 0).sum()] for one in sides]
        return Sample(
            plays=self.batch,
            decisions=int(lengths.sum()),
            squares=int((lengths.astype(jnp.float32) ** 2).sum()),
            returns=[float(one.sum()) for one in sides],
            return_squares=[float((one**2).sum()) for one in sides],
            signs=[[int(number) for number in row] for row in signs],
        )

    def perft(self, depth: int) -> int | None:
        """Count sequences of actions, unless there is luck, which is hidden in the first state."""
        if any(word in self.env.id for word in ("poker", "holdem")):
            return None
        return self._below(self.env.init(self.key), depth)

    def _below(self, state: Any, depth: int) -> int:
        if bool(state.terminated):
            return 0
        legal = [int(action) for action in jnp.flatnonzero(state.legal_action_mask)]
        if depth == 1:
            return len(legal)
        return sum(self._below(self.step(state, action), depth - 1) for action in legal)


def main() -> None:
    """Serve one game."""
    batch, name = sys.argv[1:]
    serve(lambda: Batches(name, int(batch)))


if __name__ == "__main__":
    main()
