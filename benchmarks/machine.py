"""What a figure was measured on: without it a figure says nothing."""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from rulerun import __version__


@dataclass(frozen=True, slots=True)
class Machine:
    """Where and with what."""

    when: str
    processor: str
    cores: int
    system: str
    python: str
    rulerun: str
    load: float
    """How many processes wanted a processor in the last minute, ours included; -1: unknown."""

    def data(self) -> dict[str, str | int | float]:
        """As plain JSON."""
        return asdict(self)

    def __str__(self) -> str:
        """Two lines for people."""
        return (
            f"{self.processor}, {self.cores} cores, load {self.load:.2f}, {self.system}\n"
            f"{self.python}, rulerun {self.rulerun}, {self.when}"
        )


def machine() -> Machine:
    """This one, now."""
    try:
        load = os.getloadavg()[0]
    except (AttributeError, OSError):
        load = -1.0
    return Machine(
        when=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        processor=_processor(),
        cores=os.cpu_count() or 1,
        system=f"{platform.system()} {platform.machine()}",
        python=f"{platform.python_implementation()} {platform.python_version()}",
        rulerun=__version__,
        load=round(load, 2),
    )


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        names = {"family": "", "model": "", "name": ""}
        keys = {"cpu family": "family", "model": "model", "model name": "name"}
        for line in information.read_text().splitlines():
            key, _, value = line.partition(":")
            if key.strip() in keys:
                names[keys[key.strip()]] = value.strip()
            elif not line:
                break
        if names["name"]:
            return f"{names['name']} (family {names['family']}, model {names['model']})"
    return platform.processor() or "unknown processor"


def out(path: Path, text: str) -> None:
    """Write a file, and the folder for it: results go into `build/`, which git ignores."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def pin(core: int | None) -> int | None:
    """Keep this process, and what it starts, on one core: the last, if none is named.

    Then "one thread" holds for engines too that have helpers. None where it cannot be done.
    """
    if sys.platform != "linux":
        return None
    allowed = sorted(os.sched_getaffinity(0))
    chosen = allowed[-1] if core is None else core
    os.sched_setaffinity(0, {chosen})
    return chosen
