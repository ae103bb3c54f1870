"""Tables that begin, from a form, from the table before, or from a record.

Assumes a store, and rules that are kept or can be.
Does: plays until somebody is asked, and keeps that with tokens for all who come.
Leaves behind tables that nobody looks at yet. Raises `NotKept` where they cannot be kept.
"""

from __future__ import annotations

import io
import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rulerun.runtime.executor import RuleError
from rulerun.session.record import Record, RecordWriter, read_record
from rulerun.session.replay import replay
from rulerun.session.session import Session
from rulerun.web import editions
from rulerun.web.editions import OWN, Edition, Unplayable, brought, executor_of, game_of
from rulerun.web.store import Kept, Store
from rulerun.web.table import OPEN, OWNER, PERSON, SPECTATOR, Lines, NotTaken, Table
from rulerun_dsl.source.frozen import frozen
from rulerun_dsl.source.safe_text import clean

Begun = tuple[str, dict[str, str]]
"""The name of a table, and its tokens by role."""


@frozen
class Prepared:
    """A table that is yet to be kept."""

    edition: Edition
    seats: Mapping[str, str]
    seed: str
    lines: Sequence[bytes]
    """Of its record, until somebody is asked."""


def prepared(edition: Edition, seats: Mapping[str, str], seed: str) -> Prepared:
    """Play until somebody is asked; who is not seated is a person. Raises `RuleError`."""
    seated = {name: seats.get(name, PERSON) for name in game_of(edition).players}
    return Prepared(edition, seated, seed, _beginning(edition, seated, seed))


def begun(store: Store, table: Prepared) -> Begun:
    """Keep a new table."""
    new = _new(store, table.edition, table.seats, table.seed)
    return _added(store, new, table.lines)


def followed(table: Table) -> str:
    """Keep a table for the same people, each one seat further on; its name."""
    kept, edition = table.kept, table.edition
    people = [name for name, _ in kept.seats][: game_of(edition).people]
    further = dict(zip(people, [*people[1:], *people[:1]], strict=True))
    moved = {further.get(name, name): who for name, who in kept.seats}
    seats = {name: moved[name] for name, _ in kept.seats}
    seed = secrets.token_hex(8)
    lines = _beginning(edition, seats, seed)
    new = _new(table.store, edition, seats, seed)
    roles = {each: further.get(each, each) for each in (*seats, OWNER, SPECTATOR)}
    table.store.follow(kept.id, new, roles, lines, time.time())
    return new.id


def opened(store: Store, content: bytes, paths: Iterable[Path]) -> Begun:
    """Keep a table that goes on where a record ends. Raises `NotTaken` where it fits no game."""
    record, found = read_record(content)
    if record is None:
        raise NotTaken(clean(found[-1].message))
    why = f"a game of {clean(record.game)} is not among those that are offered here"
    for path in paths:
        try:
            if editions.loaded_from(path).outline.name != record.game:
                continue
            edition = _edition_of(store, path, record)
            session, found = replay(record, executor_of(edition))
        except (Unplayable, RuleError) as failure:
            why = clean(str(failure))
            continue
        if session is None or found:
            why = clean(found[0].message) if found else why
            continue
        seats = dict.fromkeys(game_of(edition).players, PERSON)
        lines = record.content[: record.good].splitlines(keepends=True)
        seed = "" if record.seed is None else str(record.seed)
        return _added(store, _new(store, edition, seats, seed), lines)
    raise NotTaken(why)


def _edition_of(store: Store, path: Path, record: Record) -> Edition:
    copy = editions.keep(path, store.folder / "rules")
    people = editions.loaded_from(copy).people_among(record.players)
    return editions.edition_of(copy, people, record.options, ())


def _added(store: Store, kept: Kept, lines: Sequence[bytes]) -> Begun:
    roles = [*(name for name, _ in kept.seats), OWNER, SPECTATOR]
    tokens = {secrets.token_urlsafe(18): role for role in roles}
    store.add(kept, tokens, lines, time.time())
    return kept.id, {role: token for token, role in tokens.items()}


def _new(store: Store, edition: Edition, seats: Mapping[str, str], seed: str) -> Kept:
    rules = edition.path.relative_to(store.folder / "rules").as_posix()
    id_ = (OWN if brought(edition.path.stem) else "") + secrets.token_urlsafe(9)
    return Kept(id_, rules, edition.players, edition.options, tuple(seats.items()), seed)


def _beginning(edition: Edition, seats: Mapping[str, str], seed: str) -> list[bytes]:
    """The lines of a record until somebody is asked. Raises `RuleError`."""
    game = game_of(edition)
    buffer = io.BytesIO()
    writer = RecordWriter(buffer, game)
    written = {
        at: PERSON if seats[name] in (PERSON, OPEN) else seats[name]
        for at, name in enumerate(game.players)
    }
    writer.begin(written, seed)
    lines = Lines(writer, buffer)
    Session(executor_of(edition), {}, seed, lines, automatic=False).advance()
    return lines.taken()
