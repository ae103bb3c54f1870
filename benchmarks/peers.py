"""The peers: how each is installed, and how it is started.

    python -m benchmarks.peers install [DIR] [--only NAME,…]

Assumes: pip, and npm for boardgame.io; a Python that the peers have wheels for (3.11 is one).
Does: makes one environment for each peer, in a folder of its own, so that none can spoil another.
Leaves behind: DIR/NAME; without DIR, `rulerun-bench-peers` in the user's cache folder. What cannot
be installed is told and left out; a run then says "not measured".
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from argparse import ArgumentParser
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORKERS = "benchmarks.workers"
WORKER_FILES = Path(__file__).parent / "workers"


@dataclass(frozen=True, slots=True)
class Peer:
    """A library, and where its packages come from."""

    name: str
    manager: str
    """`pip` or `npm`."""
    package: str


PEERS = (
    Peer("open_spiel", "pip", "open_spiel"),
    Peer("pgx", "pip", "pgx"),
    # The compiler alone: `rl_language` itself pulls in torch, which is 5.7 GB.
    Peer("rlc", "pip", "rl_language_core"),
    Peer("rlcard", "pip", "rlcard"),
    Peer("pettingzoo", "pip", "pettingzoo[classic]"),
    Peer("boardgame.io", "npm", "boardgame.io"),
)


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to run a peer: what the figures of a run are of."""

    name: str
    peer: str
    worker: str
    """Its module or file in `workers/`."""
    arguments: tuple[str, ...]
    """Before the name of the game."""
    loop: str
    """Where the loop over moves is: `inside` (in the engine's own language, the best it has),
    `stepped` (in Python, over a faster engine) or `both` (in Python, as the engine is)."""
    title: str


VARIANTS = (
    Variant("open_spiel inside", "open_spiel", "play_open_spiel", ("inside",), "inside",
            "OpenSpiel, C++, rollouts in C++"),
    Variant("open_spiel stepped", "open_spiel", "play_open_spiel", ("stepped",), "stepped",
            "OpenSpiel, C++, stepped from Python"),
    Variant("open_spiel python", "open_spiel", "play_open_spiel", ("stepped",), "both",
            "OpenSpiel, game written in Python"),
    Variant("rlc", "rlc", "play_rlc", (), "inside", "rlc, compiled Rulebook"),
    Variant("pgx 256", "pgx", "play_pgx", ("256",), "inside", "pgx, batches of 256"),
    Variant("pgx 1024", "pgx", "play_pgx", ("1024",), "inside", "pgx, batches of 1024"),
    Variant("pgx 8192", "pgx", "play_pgx", ("8192",), "inside", "pgx, batches of 8192"),
    Variant("boardgame.io", "boardgame.io", "boardgame_io/play.js", (), "inside",
            "boardgame.io, pure reducer in Node"),
    Variant("rlcard", "rlcard", "play_rlcard", (), "both", "RLCard"),
    Variant("pettingzoo", "pettingzoo", "play_pettingzoo", (), "both", "PettingZoo classic"),
)  # fmt: skip

BY_NAME = {each.name: each for each in VARIANTS}


def default_folder() -> Path:
    """Where peers go if nobody says."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "rulerun-bench-peers"


def command(variant: Variant, folder: Path, game: str) -> list[str] | str:
    """The command line that starts a worker; a text says why there is none."""
    home = folder / variant.peer
    if variant.worker.endswith(".js"):
        node = shutil.which("node")
        if node is None:
            return "there is no `node`"
        if not (home / "node_modules").is_dir():
            return "not installed"
        script = str(WORKER_FILES / variant.worker)
        return [node, script, *variant.arguments, str(home), game]
    python = _python(home)
    if not python.exists():
        return "not installed"
    return [str(python), "-m", f"{WORKERS}.{variant.worker}", *variant.arguments, game]


def _python(home: Path) -> Path:
    windows = home / "Scripts" / "python.exe"
    return windows if windows.exists() else home / "bin" / "python"


def install(folder: Path, names: list[str]) -> int:
    """Install the peers of these names; how many failed."""
    failed = 0
    for peer in PEERS:
        if names and peer.name not in names:
            continue
        print(f"{peer.name}: {peer.manager} install {peer.package} …", flush=True)
        try:
            _install(peer, folder / peer.name)
        except (OSError, subprocess.CalledProcessError) as error:
            failed += 1
            said = getattr(error, "stderr", None) or str(error)
            print(f"  failed: {said.strip().splitlines()[-1]}")
    return failed


def _install(peer: Peer, home: Path) -> None:
    home.mkdir(parents=True, exist_ok=True)
    if peer.manager == "npm":
        npm = shutil.which("npm")
        if npm is None:
            raise OSError("there is no `npm`")
        _run([npm, "install", "--no-audit", "--no-fund", "--prefix", str(home), peer.package])
        return
    if not _python(home).exists():
        _run([sys.executable, "-m", "venv", str(home)])
    _run([str(_python(home)), "-m", "pip", "install", "--quiet", peer.package])


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True, text=True)


def main() -> int:
    """Read the command line."""
    parser = ArgumentParser(prog="python -m benchmarks.peers", description="Install the peers.")
    parser.add_argument("action", choices=["install"])
    parser.add_argument("folder", nargs="?", type=Path, default=default_folder())
    parser.add_argument("--only", default="", help="names with commas: " + _names())
    given = parser.parse_args()
    names = [name for name in given.only.split(",") if name]
    unknown = set(names) - {each.name for each in PEERS}
    if unknown:
        parser.error(f"no such peer: {', '.join(sorted(unknown))}; there are: {_names()}")
    given.folder.mkdir(parents=True, exist_ok=True)
    return 1 if install(given.folder.resolve(), names) else 0


def _names() -> str:
    return ", ".join(each.name for each in PEERS)


if __name__ == "__main__":
    sys.exit(main())
