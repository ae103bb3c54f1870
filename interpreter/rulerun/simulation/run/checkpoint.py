"""A run, kept in a folder, so that it can be stopped in any way and go on.

    settings.jsonl   one line: which run it is
    chunks.jsonl     a line for each piece that was played: {"first": 0, "count": 5, "totals": {…}}
    GAME-CODE-N.jsonl   records of games that a rule error stopped (written by `failures`)

Assumes: the identity of a run, and a folder that holds nothing, or this run.
Does: begins the folder, or reads what it holds; appends each piece as one line, handed to the
system at once. A last line that was cut off is dropped, and its games are played again.
Leaves behind: the pieces that were read, none of them overlapping. A folder of another run raises
`Unkept` with the difference, and so do lines that are none, and a run that is going on in it.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from rulerun.host.locking import InUse, hold
from rulerun.runtime.rng import QUICK_SCHEME
from rulerun.simulation.run.schedule import Piece
from rulerun.simulation.stats.totals import Totals
from rulerun_dsl.model import Game
from rulerun_dsl.model.canonical_json import digest
from rulerun_dsl.source.regular_files import Special, TooLarge, read_open, read_regular, why

FORMAT = 2
SETTINGS = "settings.jsonl"
CHUNKS = "chunks.jsonl"

LARGEST = 2**30
"""So many bytes of pieces are read back at most."""


class Unkept(Exception):
    """The folder cannot be used; the message says why, and what can be done."""


def identity(
    game: Game,
    seats: Mapping[int, str],
    seed: int | str,
    coverage: str,
    watched: Iterable[int] = (),
) -> dict[str, object]:
    """What makes two runs the same, except for how many games they have."""
    return {
        "simulation": FORMAT,
        "scheme": QUICK_SCHEME,
        "rulerun": game.language,
        "game": game.name,
        "fingerprint": game.fingerprint,
        "model": digest(game),
        "players": list(game.players),
        "options": {option.name: option.text for option in game.options},
        "seats": {game.players[seat]: agent for seat, agent in sorted(seats.items())},
        "seed": str(seed),
        "coverage": coverage,
        "choices": [game.players[seat] for seat in sorted(watched)],
    }


_WORDS = {
    "simulation": "another format",
    "scheme": "another scheme of chance",
    "rulerun": "another version of the language",
    "game": "the game {was}, not {now}",
    "fingerprint": "other rules: the file has changed since",
    "model": "other rules: rulerun or the file has changed since",
    "players": "the players {was}, not {now}",
    "options": "the options {was}, not {now}",
    "seats": "the seats {was}, not {now}",
    "seed": "the seed {was}, not {now}",
    "coverage": "coverage of {was} games, not of {now}",
    "choices": "choices counted of {was}, not of {now}",
}


class Folder:
    """A folder that keeps one run."""

    def __init__(self, path: Path, game: Game, who: dict[str, object]) -> None:
        """Begin it, or read what it holds. Raises `Unkept`."""
        self.path = path
        self.game = game
        self.known: dict[Piece, Totals] = {}
        self._held: list[Piece] = []
        """What is in the file, ascending."""
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._settle(who)
            self._file = self._opened(path / CHUNKS)
        except OSError as failure:
            raise Unkept(f"`{failure.filename or path}`: {why(failure)}") from None
        try:
            self._read()
        except BaseException:
            self._file.close()
            raise

    def _settle(self, who: dict[str, object]) -> None:
        """Write which run this is, or compare it with what is written."""
        settings = self.path / SETTINGS
        if not settings.exists():
            strangers = [each.name for each in self.path.iterdir() if each.name != SETTINGS + "~"]
            if strangers:
                raise Unkept(
                    f"`{self.path}` holds `{min(strangers)}` and no simulation: "
                    "name a folder of its own"
                )
            # In one go: a folder without settings holds nothing that could be lost.
            draft = settings.with_name(SETTINGS + "~")
            draft.write_bytes(_line(who))
            os.replace(draft, settings)
            return
        _regular(settings)
        try:
            was = json.loads(read_regular(settings))
        except (ValueError, RecursionError, Special, TooLarge):
            was = None
        if not isinstance(was, dict) or "simulation" not in was:
            raise Unkept(f"`{settings}` is none of a simulation: name another folder")
        for key, now in who.items():
            if was.get(key) != now:
                words = _WORDS[key].format(was=_shown(was.get(key)), now=_shown(now))
                raise Unkept(
                    f"`{self.path}` holds a simulation with {words}; name another folder, or ask "
                    "for the same"
                )

    @staticmethod
    def _opened(path: Path) -> BinaryIO:
        if path.exists():
            _regular(path)
        file: BinaryIO = open(path, "a+b", buffering=0)
        try:
            hold(file)
        except InUse:
            file.close()
            raise Unkept(f"another run is going on in `{path.parent}`: wait for its end") from None
        return file

    def _read(self) -> None:
        self._file.seek(0)
        try:
            content = read_open(self._file, LARGEST)
        except OSError as failure:
            raise Unkept(f"`{self.path / CHUNKS}` cannot be read: {why(failure)}") from None
        at = 0
        for number, line in enumerate(content.splitlines(keepends=True), start=1):
            whole = line.endswith(b"\n")
            try:
                if not whole:
                    raise ValueError("cut off")
                data = json.loads(line)
                piece = Piece(int(data["first"]), int(data["count"]))
                totals = Totals.read(self.game, data["totals"])
                if totals.games != piece.many or piece.first < 0:
                    raise ValueError("the sums do not agree")
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
                if not whole:
                    self._file.truncate(at)
                    return
                raise Unkept(
                    f"`{self.path / CHUNKS}` is damaged in line {number}: take that line out, and "
                    "its games are played again"
                ) from None
            at += len(line)
            if not self._holds(piece):
                self.known[piece] = totals
                insort(self._held, piece)

    def _holds(self, piece: Piece) -> bool:
        """Whether some of these games are there. Pieces that are there do not overlap."""
        at = bisect_left(self._held, piece)
        beside = self._held[max(0, at - 1) : at + 1]
        return any(each.first < piece.end and piece.first < each.end for each in beside)

    def keep(self, piece: Piece, totals: Totals) -> None:
        """Keep a piece that was played, unless some of its games are there already.

        Raises `Unkept` where the disk takes no more of it.
        """
        if self._holds(piece):
            return
        line = _line({"first": piece.first, "count": piece.many, "totals": totals.data()})
        written = 0
        try:
            while written < len(line):
                written += self._file.write(line[written:]) or 0
        except OSError as failure:
            raise Unkept(
                f"`{self.path / CHUNKS}` takes no more: {why(failure)}; what was played until "
                "then is kept, and the same command goes on with it"
            ) from None
        insort(self._held, piece)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _regular(path: Path) -> None:
    """Refuse what has no end, or waits for somebody. Raises `Unkept`."""
    if not path.is_file():
        raise Unkept(f"`{path}` is no file of a simulation: name another folder")


def _line(data: dict[str, Any]) -> bytes:
    return json.dumps(data, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}={each}" for key, each in value.items()) or "none"
    return ", ".join(map(str, value)) or "nobody" if isinstance(value, list) else str(value)
