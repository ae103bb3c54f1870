"""Solutions in files.

Assumes: a `Solution` to write; to read, a path and the game that is to be played.
Does: writes lines of JSON, packed with gzip: first what was solved (format, game, the fingerprint
of its rules, players, options, kind), then for each key and player how likely each action is, last
how many such lines there are. So a file that was cut off is known by its end. A file is written
beside its place and put there when it is whole.
Leaves behind a file, or a `Policy`. What is no such file, or one of another game, raises `NoPolicy`
with one sentence.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from rulerun.solving.belonging import belonging, difference
from rulerun.solving.solver import IMPERFECT, Solution
from rulerun_dsl.model import Game
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.regular_files import opened, why

FORMAT = 1
MOST_BYTES = 2**32
"""So much is unpacked of one file."""


class NoPolicy(ValueError):
    """A file is no policy for a game; the message says why."""


Mix = tuple[tuple[int, float], ...]
"""By action how likely it is."""


@frozen
class Policy:
    """What to play, by key and player."""

    remembers: bool
    """Whether keys are what a player has seen and done; else positions."""
    lines: dict[bytes, bytes]
    """By key and number of the player: the mix as JSON."""

    def mix(self, key: bytes, player: int) -> Mix | None:
        """What to play; None where the file says nothing."""
        line = self.lines.get(_key(key.hex(), player))
        return None if line is None else tuple((int(a), float(s)) for a, s in json.loads(line))


def _key(key: str, player: int) -> bytes:
    return f"{player} {key}".encode("ascii")


def head_of(game: Game, kind: str) -> dict[str, Any]:
    """The first line of a policy."""
    return {"policy": FORMAT, **belonging(game), "kind": kind}


def write_policy(path: Path, solution: Solution) -> int:
    """Write a solution; how many decisions it knows. Raises `OSError`."""
    beside = path.with_name(f"{path.name}.{os.getpid()}.part")
    count = 0
    try:
        with beside.open("wb") as raw, gzip.GzipFile("", "wb", 5, raw, mtime=0) as packed:
            packed.write(_line(head_of(solution.game, solution.kind)))
            for key, player, mix in solution.plans():
                count += 1
                packed.write(_line([key.hex(), player, [[a, round(s, 12)] for a, s in mix]]))
            packed.write(_line({"end": count}))
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
    return count


def _line(data: object) -> bytes:
    return (json.dumps(data, separators=(",", ":")) + "\n").encode("ascii")


def check_policy(path: str, game: Game) -> None:
    """See that a file begins as a policy for a game. Raises `NoPolicy`."""
    with _opened(path) as file:
        _head(path, next(_lines(path, file), b""), game)


def read_policy(path: str, game: Game) -> Policy:
    """Read a policy for a game. Raises `NoPolicy`."""
    found: dict[bytes, bytes] = {}
    end: object = None
    with _opened(path) as file:
        lines = _lines(path, file)
        head = _head(path, next(lines, b""), game)
        for line in lines:
            if end is not None:
                raise _torn(path)
            if line.startswith(b"{"):
                end = _json(path, line).get("end", -1)
                continue
            # A line is ["key",player,mix]: the mix is read when it is asked for.
            parts = line.rstrip(b"]\n").split(b",", 2)
            if len(parts) < 3 or not line.endswith(b"]\n") or not line.startswith(b'["'):
                raise _torn(path)
            found[parts[1] + b" " + parts[0][2:-1]] = line[len(parts[0]) + len(parts[1]) + 2 : -2]
    if end != len(found):
        raise _torn(path)
    return Policy(head["kind"] == IMPERFECT, found)


def _opened(path: str) -> BinaryIO:
    try:
        return opened(path)
    except (OSError, ValueError) as failure:
        raise NoPolicy(f"`{path}` cannot be read: {why(failure)}") from None


def _lines(path: str, file: BinaryIO) -> Iterator[bytes]:
    left = MOST_BYTES
    try:
        with gzip.GzipFile(fileobj=file) as packed:
            while line := packed.readline(2**20):
                left -= len(line)
                if left < 0:
                    raise NoPolicy(f"`{path}` is larger than {MOST_BYTES // 2**30} GiB unpacked")
                yield line
    except EOFError:
        raise _torn(path) from None
    except (OSError, zlib.error):
        raise NoPolicy(f"`{path}` is no policy of `rulerun solve`, or a broken one") from None


def _torn(path: str) -> NoPolicy:
    return NoPolicy(f"the policy `{path}` is not whole: solve the game again")


def _json(path: str, line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        raise _torn(path) from None
    if not isinstance(found, dict):
        raise _torn(path)
    return found


def _head(path: str, line: bytes, game: Game) -> dict[str, Any]:
    try:
        head = json.loads(line)
    except ValueError:
        head = None
    if not isinstance(head, dict) or "policy" not in head:
        raise NoPolicy(f"`{path}` is no policy of `rulerun solve`")
    if head["policy"] != FORMAT:
        raise NoPolicy(f"`{path}` is a policy of another version of rulerun: solve the game again")
    other = difference(head, game)
    if other is not None:
        raise NoPolicy(f"`{path}` is a policy for {other}")
    return head
