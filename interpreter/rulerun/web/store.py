"""Tables on disk: every input is in the database before anybody is told of it.

Assumes a folder that nobody else writes to.
Does: keeps tables, the marks of their tokens (never the tokens) and the lines of their records, in
SQLite with a write-ahead log; a write waits for the disk.
Leaves behind what a server that was killed begins again with. Raises `NotKept` where the disk is
full or the database is locked: then nothing has changed.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType

from rulerun.host.table_folder import TABLES
from rulerun_dsl.source.frozen import frozen

FORMAT = 1

_SCHEMA = """
create table if not exists tables (
  id text primary key,
  made real not null,
  rules text not null,
  players integer not null,
  options text not null,
  seats text not null,
  seed text not null,
  next text
);
create table if not exists tokens (
  mark text not null,
  table_id text not null references tables(id),
  role text not null,
  primary key (mark, table_id)
) without rowid;
create table if not exists lines (
  table_id text not null references tables(id),
  number integer not null,
  line blob not null,
  primary key (table_id, number)
) without rowid;
create table if not exists desks (
  path text primary key,
  table_id text not null references tables(id)
) without rowid;
"""


class NotKept(Exception):
    """Something could not be written, and so was not done."""


@frozen
class Kept:
    """A table as it is kept."""

    id: str
    rules: str
    """The copy of its rules, below the folder."""
    players: int
    options: tuple[tuple[str, str], ...]
    seats: tuple[tuple[str, str], ...]
    """By player: `person`, `open` or the name of a bot."""
    seed: str
    next: str | None = None
    """The table at which the same people play again."""


class Store:
    """The database of one server."""

    def __init__(self, folder: Path) -> None:
        """Open it, or make it. Raises `NotKept`."""
        self.folder = folder
        self._lock = threading.Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(
                folder / TABLES, timeout=5, check_same_thread=False, isolation_level=None
            )
            self._database.execute("pragma journal_mode = wal")
            self._database.execute("pragma synchronous = full")
            self._database.executescript(_SCHEMA)
            found = self._database.execute("pragma user_version").fetchone()[0]
            if found not in (0, FORMAT):
                raise NotKept(f"{folder} was written by a newer rulerun (format {found})")
            self._database.execute(f"pragma user_version = {FORMAT}")
        except (OSError, sqlite3.Error) as failure:
            raise NotKept(f"{folder} cannot be used: {failure}") from failure

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                self._database.execute("begin immediate")
                yield self._database
                self._database.execute("commit")
            except sqlite3.Error as failure:
                raise NotKept(str(failure)) from failure
            finally:
                # Whatever came between: a lock that is left would stop the rooms too.
                if self._database.in_transaction:
                    self._database.execute("rollback")

    # -------------------------------------------------------------------------------------- tables

    def add(
        self, table: Kept, tokens: Mapping[str, str], lines: Sequence[bytes], now: float
    ) -> None:
        """Keep a new table. `tokens`: by token, the role it opens."""
        with self._writing() as database:
            self._add(database, table, lines, now)
            self._admit(database, table.id, tokens)

    def follow(
        self, before: str, table: Kept, roles: Mapping[str, str], lines: Sequence[bytes], now: float
    ) -> None:
        """Keep a table that follows another: who has a token there has it here.

        `roles`: by the role at the table before, the one at the new table.
        """
        with self._writing() as database:
            self._add(database, table, lines, now)
            held = database.execute("select mark, role from tokens where table_id = ?", (before,))
            database.executemany(
                "insert into tokens values (?, ?, ?)",
                [(mark, table.id, roles[role]) for mark, role in held.fetchall()],
            )
            database.execute("update tables set next = ? where id = ?", (table.id, before))

    def _add(
        self, database: sqlite3.Connection, table: Kept, lines: Sequence[bytes], now: float
    ) -> None:
        database.execute(
            "insert into tables values (?, ?, ?, ?, ?, ?, ?, null)",
            (
                table.id,
                now,
                table.rules,
                table.players,
                json.dumps(table.options),
                json.dumps(table.seats),
                table.seed,
            ),
        )
        self._append(database, table.id, 0, lines)

    def carry(self, table: Kept, lines: Sequence[bytes]) -> None:
        """Keep a table under other rules, with other lines; its tokens stay."""
        with self._writing() as database:
            database.execute(
                "update tables set rules = ?, players = ?, options = ?, seats = ?, seed = ?, "
                "next = ? where id = ?",
                (
                    table.rules,
                    table.players,
                    json.dumps(table.options),
                    json.dumps(table.seats),
                    table.seed,
                    table.next,
                    table.id,
                ),
            )
            database.execute("delete from lines where table_id = ?", (table.id,))
            self._append(database, table.id, 0, lines)

    def admit(self, table: str, tokens: Mapping[str, str]) -> None:
        """Keep more tokens of a table. `tokens`: by token, the role it opens."""
        with self._writing() as database:
            self._admit(database, table, tokens)

    def _admit(self, database: sqlite3.Connection, table: str, tokens: Mapping[str, str]) -> None:
        database.executemany(
            "insert into tokens values (?, ?, ?)",
            [(_mark(token), table, role) for token, role in tokens.items()],
        )

    def desk(self, path: str) -> str | None:
        """The table that lies on the desk of a rules file."""
        with self._lock:
            row = self._database.execute(
                "select table_id from desks where path = ?", (path,)
            ).fetchone()
        return None if row is None else str(row[0])

    def lay(self, path: str, table: str) -> None:
        """Keep which table lies on the desk of a rules file."""
        with self._writing() as database:
            database.execute("insert or replace into desks values (?, ?)", (path, table))

    def append(self, table: str, first: int, lines: Sequence[bytes]) -> None:
        """Keep lines of a record; the first of them has this number."""
        with self._writing() as database:
            self._append(database, table, first, lines)

    def _append(
        self, database: sqlite3.Connection, table: str, first: int, lines: Sequence[bytes]
    ) -> None:
        database.executemany(
            "insert into lines values (?, ?, ?)",
            [(table, first + at, line) for at, line in enumerate(lines)],
        )

    def seat(
        self,
        table: str,
        seats: Sequence[tuple[str, str]],
        tokens: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Keep who sits where. `tokens`: of who sits down by it, as for a new table."""
        with self._writing() as database:
            database.execute("update tables set seats = ? where id = ?", (json.dumps(seats), table))
            self._admit(database, table, tokens)

    def table(self, id_: str) -> Kept | None:
        """The table of that name, if there is one."""
        with self._lock:
            row = self._database.execute(
                "select id, rules, players, options, seats, seed, next from tables where id = ?",
                (id_,),
            ).fetchone()
        if row is None:
            return None
        options, seats = (tuple(map(tuple, json.loads(row[at]))) for at in (3, 4))
        return Kept(row[0], row[1], row[2], options, seats, row[5], row[6])

    def record(self, id_: str) -> bytes:
        """The record of a table so far."""
        with self._lock:
            rows = self._database.execute(
                "select line from lines where table_id = ? order by number", (id_,)
            ).fetchall()
        return b"".join(row[0] for row in rows)

    def role(self, id_: str, token: str) -> str | None:
        """What a token opens at a table: a player's name, `owner`, `spectator`; None: nothing."""
        with self._lock:
            row = self._database.execute(
                "select role from tokens where mark = ? and table_id = ?", (_mark(token), id_)
            ).fetchone()
        return None if row is None else str(row[0])


def _mark(token: str) -> str:
    return sha256(token.encode()).hexdigest()
