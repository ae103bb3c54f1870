"""Many machines: a scheduler and two workers, of which one is killed in the middle of a run."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.simulation.test_simulate import PACKAGES, RACE

from rulerun.simulation.run.checkpoint import CHUNKS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="a worker is killed by a signal"),
]

GAMES = "6000"


@pytest.fixture
def begin(tmp_path):
    """Begin processes, and end them all."""
    pytest.importorskip("distributed", reason="`pip install 'rulerun[dist]'` brings it")
    (tmp_path / "race.yaml").write_text(RACE, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(PACKAGES)}
    begun = []

    def begin(*arguments, log=None):
        into = subprocess.PIPE if log is None else (tmp_path / log).open("wb")
        process = subprocess.Popen(
            [sys.executable, "-m", *arguments],
            cwd=tmp_path,
            env=environment,
            stdout=into,
            stderr=subprocess.STDOUT if log else subprocess.PIPE,
        )
        begun.append(process)
        return process

    yield begin
    for process in reversed(begun):
        process.kill()
        process.wait()


def address_in(log):
    until = time.monotonic() + 60
    while time.monotonic() < until:
        found = re.search(r"Scheduler at: +(tcp://\S+)", log.read_text()) if log.exists() else None
        if found is not None:
            return found[1]
        time.sleep(0.1)
    raise AssertionError("the scheduler does not begin")


def test_a_worker_is_killed(begin, tmp_path):
    quiet = ("--no-dashboard",)
    begin("dask", "scheduler", "--host", "127.0.0.1", "--port", "0", *quiet, log="scheduler")
    address = address_in(tmp_path / "scheduler")
    worker = ("dask", "worker", address, "--nthreads", "1", "--no-nanny", *quiet)
    workers = [begin(*worker, log=f"worker-{number}") for number in range(2)]
    command = ("rulerun", "simulate", "race.yaml", "-n", GAMES, "--format", "json")
    run = begin(*command, "--cluster", address, "--out", "kept")
    chunks = tmp_path / "kept" / CHUNKS
    until = time.monotonic() + 60
    while not (chunks.exists() and chunks.read_bytes().count(b"\n") > 10):
        assert time.monotonic() < until and run.poll() is None
        time.sleep(0.01)
    workers[0].send_signal(signal.SIGKILL)
    out, err = run.communicate(timeout=120)
    assert run.returncode == 0, err
    alone = begin(*command, "--jobs", "1").communicate(timeout=120)
    assert out == alone[0]
    assert workers[1].poll() is None
    assert (Path(tmp_path) / "kept" / CHUNKS).read_bytes().endswith(b"\n")
