"""A table: one play, its seats, and who looks at it.

Assumes an edition of rules, and a store.
Does: takes answers from seats one after another, keeps each with all that follows of it (luck too)
before anybody is told, and asks bots in processes of their own. What could not be kept has not
happened: the play is then read again from what was.
Leaves behind scenes. A table that nobody looks at is let go, and read again when somebody comes.
"""

from __future__ import annotations

import asyncio
import io
import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from rulerun.runtime.executor import IllegalInput, RuleError, Verdict
from rulerun.session.record import RecordWriter, read_record
from rulerun.session.replay import replay
from rulerun.session.session import Session
from rulerun.session.taking_back import CannotUndo
from rulerun.terminal.told_advice import advice
from rulerun.terminal.why_not import Reasons
from rulerun.web import bots
from rulerun.web.editions import Edition, executor_of, game_of, names_of, stage_of
from rulerun.web.scene import Data, Eyes, Scene, viewer_of
from rulerun.web.store import Kept, NotKept, Store
from rulerun.words.language import language as spoken
from rulerun.words.narration import capital
from rulerun_dsl.source.safe_text import clean

PERSON, OPEN = "person", "open"
OWNER, SPECTATOR = "owner", "spectator"
NOTHING_SENT = "", ""


class NotTaken(Exception):
    """An answer that is not taken; the message is for who gave it."""


class Moved(NotTaken):
    """The table is another by now."""


class Lines:
    """The lines that a session writes, until they are kept."""

    def __init__(self, writer: RecordWriter, buffer: io.BytesIO) -> None:
        self._writer, self._buffer = writer, buffer

    def decision(self, number: int, player: str, action: str) -> None:
        self._writer.decision(number, player, action)

    def chance(self, number: int, outcome: str) -> None:
        self._writer.chance(number, outcome)

    def undo(self, number: int, of: int) -> None:
        self._writer.undo(number, of)

    def end(self, number: int, how: str, verdict: Verdict | None, state: str) -> None:
        self._writer.end(number, how, verdict, state)

    def taken(self) -> list[bytes]:
        """The lines since the last time."""
        lines = self._buffer.getvalue().splitlines(keepends=True)
        self._buffer.seek(0)
        self._buffer.truncate()
        return lines


@dataclass
class Client:
    """Somebody who looks: which role, in which language, and how to send to them."""

    role: str
    language: str
    send: Callable[[str], None]
    log: Sequence[object] = ()
    """The sentences they have."""
    last: tuple[str, str] = NOTHING_SENT
    """The mark of the scene that they have, and who they know to sit where."""

    def give(self, scene: Scene, seats: str) -> None:
        """Send what is new to them: a scene, of its log what they do not have; `seats`: JSON."""
        if (scene.at, seats) == self.last:
            # Nothing that they may know has changed: not even when tells them otherwise.
            return
        same = 0
        for one, other in zip(self.log, scene.log, strict=False):
            if one != other:
                break
            same += 1
        log = _json({"from": same, "lines": scene.log[same:]})
        self.log, self.last = scene.log, (scene.at, seats)
        self.send(f'{{"scene":{scene.text[:-1]},"at":"{scene.at}","log":{log}}},"seats":{seats}}}')


def _json(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


@dataclass
class Table:
    """One table while somebody is there."""

    store: Store
    kept: Kept
    edition: Edition
    session: Session
    pool: bots.Pool
    lines: Lines
    count: int
    """Lines that are kept."""
    clients: list[Client] = field(default_factory=list)
    busy: asyncio.Lock = field(default_factory=asyncio.Lock)
    thinking: asyncio.Task[None] | None = None
    trouble: str = ""
    """Why it does not go on by itself: a rule that fails, a bot that cannot be asked."""
    _eyes: dict[tuple[str, str], Eyes] = field(default_factory=dict)
    _scenes: dict[tuple[str, str], Scene] = field(default_factory=dict)
    """By role and language; of how the play stands now."""

    # ------------------------------------------------------------------------------------ answers

    async def answer(self, client: Client, action: int, mark: str) -> None:
        """Take an answer of a player to the question of the scene with this mark."""
        async with self.busy:
            player = self._player(client.role)
            if self.scene(client.role, client.language).at != mark:
                raise NotTaken("the table has changed since; look again")
            await self._do(lambda: self._submit(player, action), client)

    async def undo(self, client: Client) -> None:
        """Take back a player's last decision."""
        async with self.busy:
            player = self._player(client.role)
            await self._do(lambda: self._undo(player, client.language), client)

    async def reseat(self, player: str, who: str) -> None:
        """Let a bot, or a person, play on for a player."""
        async with self.busy:
            seats = tuple((name, who if name == player else had) for name, had in self.kept.seats)
            await asyncio.to_thread(self.store.seat, self.kept.id, seats)
            self.kept = replace(self.kept, seats=seats)
            self.trouble = ""
        self.tell()
        self.go_on()

    async def sit(self, player: str) -> str:
        """Sit down on an open seat; the token of who sits there now."""
        async with self.busy:
            if dict(self.kept.seats).get(player) != OPEN:
                raise NotTaken("that seat is not free")
            seats = tuple({**dict(self.kept.seats), player: PERSON}.items())
            token = secrets.token_urlsafe(18)
            await asyncio.to_thread(self.store.seat, self.kept.id, seats, {token: player})
            self.kept = replace(self.kept, seats=seats)
        self.tell()
        return token

    async def carry(
        self, seen: tuple[Kept, int], edition: Edition, seed: str, lines: Sequence[bytes]
    ) -> None:
        """Go on under other rules, by the lines of another record; who sits there stays there.

        `seen`: the table and its count of lines, when it was looked at for this. Raises `Moved` if
        somebody has decided since, sits elsewhere or plays again, and `NotKept`.
        """
        async with self.busy:
            if self.kept is not seen[0] or self.count != seen[1]:
                raise Moved("somebody has decided meanwhile, or sits elsewhere: try again")
            # What cannot be read back is not kept.
            read = await asyncio.to_thread(_session, b"".join(lines), edition)
            rules = edition.path.relative_to(self.store.folder / "rules").as_posix()
            players, options = edition.players, edition.options
            kept = replace(self.kept, rules=rules, players=players, options=options, seed=seed)
            self.store.carry(kept, lines)
            # All at once: whoever comes meanwhile sees the one or the other.
            self.kept, self.edition, self.trouble = kept, edition, ""
            self.session, self.lines, self.count = read
            self._eyes.clear()
            self._scenes.clear()
        self.tell()
        self.go_on()

    async def again(self, client: Client, follow: Callable[[Table], str]) -> None:
        """Lay a table for the same people, once this game is over. `follow` keeps it."""
        async with self.busy:
            if client.role == SPECTATOR:
                raise NotTaken("who looks on does not begin games")
            if not self.over:
                raise NotTaken("this game is not over")
            if self.kept.next is None:
                following = await asyncio.to_thread(follow, self)
                self.kept = replace(self.kept, next=following)
        client.last = NOTHING_SENT
        self.tell()

    def why_not(self, role: str, language: str) -> list[tuple[str, str]]:
        """What a player who is asked may not do now, and why."""
        player = self._player(role)
        if player not in self.session.asked:
            return []
        offered = self.session.executor.legal(self.session.state, player)
        names = names_of(self.edition, language)
        return Reasons(self.session, names).refused(player, offered)

    async def advise(self, role: str, language: str) -> tuple[str, list[str]]:
        """What a player who is asked would do who thinks: how it was found, and the best."""
        player = self._player(role)
        if player not in self.session.asked:
            raise NotTaken("it is not for you to decide now")
        names = names_of(self.edition, language)
        mark = self.scene(role, language).at
        record = await asyncio.to_thread(self.store.record, self.kept.id)
        try:
            found = await self.pool.advise(self.kept.id, self.edition, record, role)
        except bots.NoAnswer as failure:
            raise NotTaken(str(failure)) from None
        # What others decide in the same `together` changes nothing for who is asked.
        if mark != self.scene(role, language).at:
            raise NotTaken("the table has changed since; look again")
        texts = {each.action: capital(names.action(each.action, role)) for each in found.choices}
        return advice(found, texts, names, self.session.game.players)

    def past(self, role: str, language: str, number: int) -> tuple[Scene, int]:
        """What a role saw of a game that is over, after so many inputs; how many there were."""
        if not self.over:
            raise NotTaken("a game is looked back at when it is over")
        stage = stage_of(self.edition, language)
        number = min(number, len(self.session.history))
        seen, told = self.session.past(viewer_of(stage.names, role), number)
        return Eyes(stage, role).look(seen, told), len(self.session.history)

    @property
    def over(self) -> bool:
        """Whether nobody will decide any more."""
        return self.session.over or self.session.truncated

    def _player(self, role: str) -> int:
        if role not in self.session.game.players:
            raise NotTaken("who looks on takes no decision")
        return self.session.game.players.index(role)

    def _submit(self, player: int, action: int) -> None:
        try:
            self.session.submit(player, action)
        except IllegalInput as illegal:
            raise NotTaken(clean(illegal.refusal.message)) from None

    def _undo(self, player: int, language: str) -> None:
        try:
            self.session.undo(player)
        except CannotUndo as refused:
            # The page speaks the language of who reads, whatever texts the game has.
            speech = spoken(language) if language else names_of(self.edition, "").speech
            raise NotTaken(speech.undo_not[refused.code]) from None

    async def _do(self, change: Callable[[], None], client: Client) -> None:
        """Change the play, keep what was written of it, and tell everybody."""
        try:
            await asyncio.to_thread(self._change_and_keep, change)
        except RuleError as error:
            self.trouble = clean(str(error))
        finally:
            # Who does something hears of it, whatever comes of it: now, and not when the next does.
            client.last = NOTHING_SENT
            self.tell()
        self.go_on()

    def _change_and_keep(self, change: Callable[[], None]) -> None:
        try:
            change()
        finally:
            self._scenes.clear()
            lines = self.lines.taken()
            if lines:
                try:
                    self.store.append(self.kept.id, self.count, lines)
                except NotKept:
                    self._read_again()
                    raise
                self.count += len(lines)

    def _read_again(self) -> None:
        """Go back to what is kept."""
        read = _session(self.store.record(self.kept.id), self.edition)
        self.session, self.lines, self.count = read
        self._eyes.clear()

    # --------------------------------------------------------------------------------------- bots

    def go_on(self) -> None:
        """Ask the bots that are to decide, unless they are being asked."""
        if self.thinking is None or self.thinking.done():
            self.thinking = asyncio.ensure_future(self._bots())

    async def _bots(self) -> None:
        while not self.trouble:
            who = self._bot_asked()
            if who is None:
                return
            player, name = who
            record = await asyncio.to_thread(self.store.record, self.kept.id)
            count, edition = self.count, self.edition
            try:
                action = await self.pool.ask(self.kept.id, edition, record, player, name)
            except bots.NoAnswer as failure:
                self.trouble = str(failure)
                self.tell()
                return
            async with self.busy:
                since = count != self.count or edition is not self.edition
                if since or who != self._bot_asked():
                    continue
                number = self.session.game.players.index(player)
                await self._keep_bot(number, action)

    async def _keep_bot(self, player: int, action: int) -> None:
        try:
            await asyncio.to_thread(self._change_and_keep, lambda: self._submit(player, action))
        except (RuleError, NotTaken, NotKept) as failure:
            self.trouble = clean(str(failure))
        self.tell()

    def _bot_asked(self) -> tuple[str, str] | None:
        seats = dict(self.kept.seats)
        for player in self.session.asked:
            name = self.session.game.players[player]
            if seats.get(name, PERSON) not in (PERSON, OPEN):
                return name, seats[name]
        return None

    # -------------------------------------------------------------------------------------- scenes

    def scene(self, role: str, language: str) -> Scene:
        """What a role sees."""
        key = role, language
        if key not in self._scenes:
            stage = stage_of(self.edition, language)
            viewer = viewer_of(stage.names, role)
            if key not in self._eyes:
                self._eyes[key] = Eyes(stage, role)
            seen, told = self.session.observation(viewer), self.session.log(viewer)
            self._scenes[key] = self._eyes[key].look(seen, told)
        return self._scenes[key]

    def tell(self) -> None:
        """Send to each client the scene of their seat."""
        for client in self.clients:
            client.give(self.scene(client.role, client.language), _json(self.seats(client.role)))

    def seats(self, role: str) -> Data:
        """Who sits where and who is there; what the table waits for beside its players."""
        here = {client.role for client in self.clients}
        return {
            "who": [
                {"player": name, "who": who.partition(":")[0], "here": name in here}
                for name, who in self.kept.seats
            ],
            "owner": role == OWNER,
            "rules": self.edition.mark,
            "trouble": self.trouble,
            "undo": self._may_take_back(role),
            "next": self.kept.next,
        }

    def _may_take_back(self, role: str) -> bool:
        """Whether there is something to take back, as far as who sits there has been told."""
        players = self.session.game.players
        return role in players and not self.session.plainly_stays(players.index(role))


def edition_of_table(store: Store, kept: Kept) -> Edition:
    """The edition that a table is a play of."""
    return Edition(store.folder / "rules" / kept.rules, kept.players, kept.options)


def _session(content: bytes, edition: Edition) -> tuple[Session, Lines, int]:
    """The play of a table from its record, and what writes on. Raises `NotKept`."""
    game = game_of(edition)
    record, _ = read_record(content)
    if record is None:
        raise NotKept("the record of this table cannot be read")
    session, found = replay(record, executor_of(edition))
    if session is None or found:
        raise NotKept(found[0].message if found else "the record cannot be played")
    buffer = io.BytesIO()
    writer = RecordWriter(buffer, game, format=record.format, sum=record.sum)
    lines = Lines(writer, buffer)
    session.record_with(lines, closed=record.end is not None)
    return session, lines, 1 + len(record.entries)


def reopened(store: Store, id_: str, pool: bots.Pool) -> Table | None:
    """The table of that name, as it is kept; None: there is none. Raises `NotKept`."""
    kept = store.table(id_)
    if kept is None:
        return None
    edition = edition_of_table(store, kept)
    session, lines, count = _session(store.record(kept.id), edition)
    table = Table(store, kept, edition, session, pool, lines, count)
    # Luck that had to fall when the server stopped falls now, as it would have.
    table._change_and_keep(session.advance)
    return table


def title_of(edition: Edition, language: str) -> str:
    """What the game is called."""
    return names_of(edition, language).title
