"""A worker, seen from the run: a process that is asked and answers, or fails without harm.

Assumes: a command line whose process speaks as `workers.lines` says.
Does: asks with a limit on the time; turns whatever goes wrong into `Failed` with one line of why.
Leaves behind: answers, as JSON; no process, once it is closed.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


class Failed(Exception):
    """An engine gave no figure; the text says why."""


class Pipe:
    """One worker process."""

    def __init__(self, command: list[str]) -> None:
        """Start it. It runs in the root of the repository, with the source roots importable."""
        roots = [ROOT, ROOT / "dsl", ROOT / "interpreter"]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, roots)),
            "PYTHONDONTWRITEBYTECODE": "1",
            "OMP_NUM_THREADS": "1",
            "NODE_ENV": "production",
        }
        # Where this workplace holds numpy's kernels back, a peer would pay for it.
        for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
            environment.pop(name, None)
        # A file, since a pipe that nobody reads stops whoever writes much.
        self._noise = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._noise,
            cwd=ROOT,
            env=environment,
        )
        self._rest = b""

    def ask(self, request: dict[str, Any], limit: float) -> dict[str, Any]:
        """One request, one answer within so many seconds."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise Failed(self._last_words()) from None
        answer = json.loads(self._line(limit, str(request["do"])))
        if "error" in answer:
            raise Failed(str(answer["error"]))
        return dict(answer)

    def _line(self, limit: float, what: str) -> bytes:
        stdout = self._process.stdout
        assert stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(stdout, selectors.EVENT_READ)
            while b"\n" not in self._rest:
                if not selector.select(limit):
                    self._process.kill()
                    raise Failed(f"no answer to `{what}` in {limit:.0f} s")
                more = os.read(stdout.fileno(), 65536)
                if not more:
                    raise Failed(self._last_words())
                self._rest += more
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _last_words(self) -> str:
        code = self._process.wait()
        self._noise.seek(0)
        said = self._noise.read().decode(errors="replace").strip().splitlines()
        return f"ended with exit code {code}" + (f": {said[-1][:200]}" if said else "")

    def close(self) -> None:
        """End the process."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    pass
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._noise.close()
