"""The pieces of a run, played by the workers of a Dask cluster.

Assumes: the address of a scheduler, workers with the same rulerun, the package `distributed` here.
Does: hands each worker the task once and then pieces, a few more than there are threads; where a
worker dies, the scheduler gives its piece to another.
Leaves behind: results as they come, each piece once. What cannot be done raises `task.Lost`.

Each thread has a batch of its own, since a batch serves one thread at a time.
"""

from __future__ import annotations

import pickle
import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from typing import Any, TypeVar

from rulerun.host.version import VERSION
from rulerun.simulation.run.schedule import Piece
from rulerun.simulation.run.task import Lost, Task

PATIENCE = 10
"""Seconds to wait for a scheduler, and for its first worker."""

Found = TypeVar("Found")


def run_cluster(
    task: Task[Found], pieces: Iterable[Piece], address: str
) -> Iterator[tuple[Piece, Found]]:
    """Play the pieces on the workers of a scheduler."""
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise Lost(
            "`--cluster` needs the package `distributed`, which is not installed here: "
            "`pip install 'rulerun[dist]'`, or leave `--cluster` out and play with `--jobs`"
        ) from None
    client = _connected(Client, address)
    waiting: dict[Any, Piece] = {}
    try:
        content = pickle.dumps((VERSION, task))
        name = blake2b(content, digest_size=16).hexdigest()
        # The result of a submitted task, unlike scattered data, is made again if its worker dies.
        shared = client.submit(_same, content, key=f"rulerun-task-{name}")
        left, arriving = iter(pieces), as_completed()
        exhausted = False
        while True:
            window = 2 * sum(client.nthreads().values()) + 2
            while not exhausted and len(waiting) < window:
                piece = next(left, None)
                if piece is None:
                    exhausted = True
                    break
                future = client.submit(_play, shared, name, tuple(piece), pure=False)
                waiting[future] = piece
                arriving.add(future)
            if not waiting:
                return
            done = next(arriving)
            yield waiting.pop(done), _result(done)
    finally:
        if waiting:
            client.cancel(list(waiting), force=True)
        client.close(timeout=PATIENCE)


def _connected(client: Any, address: str) -> Any:
    """A client of the scheduler. What is no scheduler may answer anything, or nothing, for ever."""
    answer: queue.Queue[Any] = queue.Queue()

    def connect() -> None:
        try:
            answer.put(client(address, timeout=PATIENCE))
        except Exception:
            answer.put(None)

    threading.Thread(target=connect, daemon=True).start()
    try:
        made = answer.get(timeout=2 * PATIENCE)
    except queue.Empty:
        made = None
    if made is None:
        raise Lost(
            f"no Dask scheduler answers at `{address}`; `dask scheduler` starts one, and says its "
            "address, such as tcp://10.0.0.1:8786"
        )
    try:
        made.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        made.close()
        raise Lost(
            f"the scheduler at `{address}` has no workers; `dask worker {address}` starts one"
        ) from None
    return made


def _result(future: Any) -> Any:
    """What a piece came to; whatever a cluster may raise is one kind of trouble here."""
    try:
        return future.result()
    except Exception as failure:
        reason = str(failure).strip().partition("\n")[0] or "no reason is known"
        raise Lost(
            f"the cluster gave up ({type(failure).__name__}: {reason}); do its workers have "
            f"rulerun {VERSION}?"
        ) from None


# ------------------------------------------------------------------------------- on the workers

_HERE = threading.local()


def _same(content: bytes) -> bytes:
    return content


def _play(content: bytes, name: str, piece: tuple[int, int]) -> Any:
    ready: dict[str, Callable[[Piece], Any]] = _HERE.__dict__.setdefault("ready", {})
    if name not in ready:
        version, task = pickle.loads(content)
        if version != VERSION:
            raise RuntimeError(f"a worker has rulerun {VERSION}, the run {version}")
        ready.clear()
        ready[name] = task.begin()
    return ready[name](Piece(*piece))
