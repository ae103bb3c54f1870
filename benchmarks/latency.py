"""How long a user waits for rulerun: whole processes, many runs of each.

    python -m benchmarks.latency [--runs 20] [--only WORD] [--out FILE]

Assumes: rulerun installed beside the Python that runs this; a system with pseudo-terminals.
Does: runs each command in turn, round after round, and takes the CPU time of the whole process
from start to end; of `play` until its first prompt is on the terminal. The first round is not
counted: it fills the caches of Python and of the disk.
Leaves behind: median and spread of each, as text and JSON. What cannot be run yet says so.
"""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import ours
from benchmarks.machine import machine, out, pin
from benchmarks.report import Spread
from rulerun_dsl.model import Game

ROOT = Path(__file__).parents[1]
RULESET = ROOT / "rulesets" / "brave_rats.yaml"
"""Some 200 lines."""
GAMES = 100_000
PROMPT = re.compile(rb"> (\x1b\[[0-9;]*m)*$")
LONGEST = 60.0
"""Seconds that a prompt may take to come."""

NATIVE_READY = """
import sys
from benchmarks.ours import engines, load_game
game = load_game('{"ruleset": "brave_rats", "players": null, "options": {}}')
engines(game)["native"]().whole(1, 0, 1)
"""
"""Load, check, compile and play one game: what is ready can play."""


@dataclass(frozen=True, slots=True)
class Used:
    """What one run took, in seconds."""

    cpu: float
    wall: float


@dataclass(slots=True)
class Case:
    """One thing to wait for."""

    name: str
    run: Callable[[], Used]
    slow: bool = False
    """Is run three times only."""
    missing: str = ""
    """Why it cannot be run."""
    used: list[Used] = field(default_factory=list)

    def data(self) -> dict[str, Any]:
        """As plain JSON, in seconds."""
        if not self.used:
            return {"name": self.name, "skipped": self.missing}
        cpu = Spread.of([each.cpu for each in self.used])
        wall = Spread.of([each.wall for each in self.used])
        return {
            "name": self.name,
            "runs": len(self.used),
            "cpu": cpu.data(),
            "wall": wall.data(),
        }


def rulerun(*arguments: str) -> list[str]:
    """A command line of rulerun: the script if it is installed, else the module."""
    script = Path(sys.executable).parent / "rulerun"
    start = [str(script)] if script.exists() else [sys.executable, "-m", "rulerun"]
    return [*start, *arguments]


def run(command: list[str], cache: Path) -> Used:
    """Run a command to its end."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment(cache), cwd=ROOT
    )
    assert process.stderr is not None
    said = process.stderr.read()
    # `wait4` tells the use of this child and its children, and of no other.
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode != 0:
        raise RuntimeError(said.decode(errors="replace").strip().splitlines()[-1])
    return Used(used.ru_utime + used.ru_stime, wall)


def run_to_prompt(command: list[str], cache: Path) -> Used:
    """Run a command on a terminal of its own until it asks something, then end it."""
    begun = time.perf_counter()
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(ROOT)
        os.execvpe(command[0], command, {**environment(cache), "TERM": "xterm"})
    shown = b""
    try:
        while not PROMPT.search(shown):
            ready, _, _ = select.select([terminal], [], [], LONGEST)
            more = os.read(terminal, 65536) if ready else b""
            if not more:
                raise RuntimeError(f"no prompt: {shown[-200:]!r}")
            shown += more
        wall = time.perf_counter() - begun
    finally:
        os.kill(process, 9)
        _, _, used = os.wait4(process, 0)
        os.close(terminal)
    return Used(used.ru_utime + used.ru_stime, wall)


def environment(cache: Path) -> dict[str, str]:
    """That of this process, with a cache folder for rulerun."""
    roots = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    path = os.pathsep.join(filter(None, roots))
    return {**os.environ, "RULERUN_CACHE": str(cache), "PYTHONPATH": path}


def cases(folder: Path) -> Iterator[Case]:
    """All that is waited for; `folder` is for caches."""
    warm = folder / "warm"
    empty = (folder / f"cold-{number}" for number in range(10**6))
    ruleset = str(RULESET)
    lines = len(RULESET.read_text(encoding="utf-8").splitlines())
    python, version = [sys.executable, "-c", "pass"], rulerun("--version")
    validate, play = rulerun("validate", ruleset), rulerun("play", ruleset, "--seed", "1")
    yield Case("python -c pass (the floor)", lambda: run(python, warm))
    yield Case("rulerun --version", lambda: run(version, warm))
    told = f"rulerun validate, {lines} lines"
    yield Case(f"{told}, cold", lambda: run(validate, next(empty)))
    yield Case(f"{told}, warm", lambda: run(validate, warm))
    yield Case("rulerun play to its first prompt", lambda: run_to_prompt(play, warm))
    ready = [sys.executable, "-c", NATIVE_READY]
    why = missing(lambda game: ours.engines(game)["native"]())
    yield Case("native ready, cold", lambda: run(ready, next(empty)), missing=why)
    yield Case("native ready, cached", lambda: run(ready, warm), missing=why)
    for name in ("python", "native"):
        # `simulate` itself must have it: until then the reference would run for minutes.
        why = missing(lambda game, name=name: ours.engines(game)[name]())  # type: ignore[misc]
        words = ["simulate", ruleset, "-n", str(GAMES), "--jobs", "1", "--executor", name]
        for also in ([], ["--no-coverage"]):
            command = rulerun(*words, *also)
            yield Case(
                " ".join([f"rulerun simulate -n {GAMES} --executor {name}", *also]),
                # The command is that of this turn of the loop, not of the last.
                lambda command=command: run(command, warm),  # type: ignore[misc]
                slow=True,
                missing=why,
            )


def missing(make: Callable[[Game], object]) -> str:
    """Why an executor cannot be made; nothing if it can."""
    game = ours.load_game('{"ruleset": "brave_rats", "players": null, "options": {}}')
    try:
        make(game)
    except Exception as error:  # whatever is wrong with it, the other figures stand
        return str(error)
    return ""


def measure(found: list[Case], runs: int) -> None:
    """Run all cases, round by round."""
    for number in range(runs + 1):
        for case in found:
            if case.missing or (case.slow and number > 3):
                continue
            try:
                used = case.run()
            except (RuntimeError, OSError) as error:
                case.missing = f"failed: {error}"
                case.used.clear()
                continue
            if number:
                case.used.append(used)


def main() -> int:
    """Read the command line, measure, tell."""
    parser = ArgumentParser(prog="python -m benchmarks.latency")
    parser.add_argument("--runs", type=int, default=20, help="of each command (default 20)")
    parser.add_argument("--only", default="", help="commands that hold this word")
    parser.add_argument("--out", type=Path, default=Path("build/latency.json"))
    given = parser.parse_args()
    pin(None)
    here = machine()
    print(here)
    with tempfile.TemporaryDirectory() as folder:
        found = [each for each in cases(Path(folder)) if given.only in each.name]
        measure(found, given.runs)
    width = max(len(each.name) for each in found)
    print(f"{'':{width}}  {'CPU':>8}  min .. max (of all runs)    clock")
    for case in found:
        if not case.used:
            print(f"{case.name:{width}}  skipped: {case.missing}")
            continue
        cpu = Spread.of([each.cpu * 1000 for each in case.used])
        wall = Spread.of([each.wall * 1000 for each in case.used])
        span = f"{cpu.least:.0f} .. {cpu.most:.0f} ms"
        print(f"{case.name:{width}}  {cpu.median:5.0f} ms  {span:26} {wall.median:5.0f} ms")
    told = {"machine": here.data(), "cases": [each.data() for each in found]}
    out(given.out, json.dumps(told, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
