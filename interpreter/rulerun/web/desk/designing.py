"""The desk itself: the files of one ruleset, its table, and what is asked of both.

Assumes a rules file, a store, the tables that are open, and that only the owner asks.
Does: has texts looked at, saves them, lets the table go on under what was saved, runs scenarios and
games by bots, each in a process that can be stopped and has a bound on time and memory.
Leaves behind plain data for the page. Raises `NotTaken` with a word why.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from rulerun.web import editions
from rulerun.web.beginning import begun, prepared
from rulerun.web.desk import helping, measuring, trying
from rulerun.web.desk.carrying import HERE, HOWS, REPLAY, Carried, Given
from rulerun.web.desk.files import Files, NotSaved
from rulerun.web.desk.trying import Fate, Setting
from rulerun.web.editions import Edition, Unplayable
from rulerun.web.hands import Hands
from rulerun.web.shelf import LEVELS
from rulerun.web.store import Kept, NotKept, Store
from rulerun.web.table import OWNER, PERSON, SPECTATOR, Moved, NotTaken, Table
from rulerun.words.narration import capital
from rulerun_dsl.translations import FOLDER

Data = dict[str, Any]

LOOK, TRY, RUN, PLAY = 20.0, 60.0, 300.0, 3_600.0
"""Seconds for a look at texts, for a save, for scenarios, for games by bots."""
MOST_GAMES = 2_000
MOST_CARRIED = 10
"""So many editions of the rules are kept in memory; of a large game each has 20 MB."""
ANEW = "anew"


class Rooms(Protocol):
    """The tables that are open."""

    async def table(self, id_: str) -> Table | None:
        """The table of that name."""


@dataclass
class Run:
    """Games by bots, while they are played and after."""

    level: str
    many: int
    done: int = 0
    answer: Data | None = None
    stopped: bool = False

    def data(self) -> Data:
        """What the page is told."""
        return {
            "level": self.level,
            "of": self.many,
            "done": self.done,
            "running": self.answer is None and not self.stopped,
            "answer": self.answer,
        }


class Desk:
    """One ruleset and its table."""

    def __init__(self, files: Files, store: Store, rooms: Rooms) -> None:
        """Lay nothing yet: that takes until somebody comes."""
        self.files, self.store, self.rooms = files, store, rooms
        self.table_id = ""
        self.tokens: Mapping[str, str] = {}
        self.setting = Setting(None)
        self.run: Run | None = None
        self._failed: frozenset[str] | None = None
        """The scenarios that failed last."""
        self._carried = 0
        self._testing: tuple[dict[str, str], asyncio.Task[Data]] | None = None
        """The last run of the scenarios, and the files as they were for it."""
        self._played: Edition | None = None
        """What bots played last, else what the table began with."""
        self._help, self._try, self._scenarios = Hands(), Hands(), Hands()
        self._games = Hands(0, 5)
        self._tasks: set[asyncio.Task[None]] = set()
        self._laying = asyncio.Lock()

    def close(self) -> None:
        """End all processes."""
        for each in (self._help, self._try, self._scenarios, self._games):
            each.close()

    # --------------------------------------------------------------------------------- the files

    async def opened(self) -> Data:
        """All that the page begins with."""
        every = await asyncio.to_thread(self.files.every)
        trouble = ""
        async with self._laying:
            try:
                if not self.table_id:
                    await self._lay()
            except (NotTaken, Unplayable, NotKept) as failure:
                trouble = str(failure)
        return {
            "files": [
                {
                    "name": each.name,
                    "kind": each.kind,
                    "text": each.text,
                    "mark": each.mark,
                    "trouble": each.trouble,
                }
                for each in every
            ],
            "folder": str(self.files.folder),
            "scenarios": self.files.scenarios,
            "languages": self.files.languages(),
            "trouble": trouble,
            "levels": [*LEVELS],
            **(await self.table()),
        }

    async def marks(self) -> Data:
        """The mark of each file as it is on the disk, and how far the bots are."""
        marks = await asyncio.to_thread(self.files.marks)
        return {"marks": marks, "run": None if self.run is None else self.run.data()}

    async def save(self, texts: Mapping[str, tuple[str, str]]) -> Data:
        """Write texts, each with the mark of what it replaces."""
        try:
            made = await asyncio.to_thread(self.files.save, texts)
        except NotSaved as failure:
            raise NotTaken(str(failure)) from None
        stale = made.stale
        return {
            "marks": dict(made.marks),
            "kinds": await asyncio.to_thread(self.files.kinds),
            "stale": stale and {"name": stale.name, "text": stale.text, "mark": stale.mark},
            "trouble": made.trouble,
        }

    # ------------------------------------------------------------------------------------- looks

    def _desk(self, texts: Mapping[str, str]) -> helping.Desk:
        files = self.files
        if files.main.name not in texts:
            raise NotTaken("the rules file is not among the texts")
        translated = frozenset(name for name in texts if name.startswith(f"{FOLDER}/"))
        return helping.Desk(str(files.folder), files.main.name, texts, files.scenarios, translated)

    async def check(self, texts: Mapping[str, str]) -> Data:
        """What is wrong with texts."""
        found: Data = await self._help.ask(helping.check, self._desk(texts), seconds=LOOK)
        return found

    async def look(
        self, what: Callable[..., Data | None], texts: Mapping[str, str], name: str, offset: int
    ) -> Data:
        """What `helping` knows of a place."""
        if name not in texts:
            raise NotTaken("that is no file of this ruleset")
        found = await self._help.ask(what, self._desk(texts), name, offset, seconds=LOOK)
        return {"found": found}

    async def settings(self) -> Data:
        """What is wrong with the saved rules in any setting."""
        found: Data = await self._try.ask(trying.settings, str(self.files.main), seconds=TRY)
        return found

    async def scenarios(self) -> Data:
        """How the saved scenarios go, and which fail that did not; `stopped`: they run anew."""
        path = self.files.folder / self.files.scenarios
        if not path.is_file():
            return {"scenarios": [], "there": False}
        self.files.path(path.name)
        marks = await asyncio.to_thread(self.files.marks)
        known = self._testing
        if known is None or known[0] != marks or known[1].done():
            if known is not None and not known[1].done():
                # Of what the files were nobody wants to know any more.
                self._scenarios.aside.stop()
            task = asyncio.get_running_loop().create_task(self._tested(str(path)))
            self._testing = known = marks, task
        try:
            return await asyncio.shield(known[1])
        except NotTaken:
            if self._testing is not known:
                return {"stopped": True}
            raise

    async def _tested(self, path: str) -> Data:
        every = await self._scenarios.ask(trying.scenarios, path, seconds=RUN)
        failed = frozenset(each["id"] for each in every if not each["passed"])
        before, self._failed = self._failed, failed
        return {
            "there": True,
            "passed": sum(each["passed"] for each in every),
            "scenarios": [
                {**each, "new": before is not None and each["id"] not in before}
                for each in every
                if not each["passed"]
            ],
            "mended": [] if before is None else sorted(before - failed),
        }

    # ----------------------------------------------------------------------------------- the table

    async def _lay(self) -> None:
        """Find the table of this desk, or lay one."""
        known = self.store.desk(str(self.files.main))
        kept = None if known is None else self.store.table(known)
        if kept is not None:
            roles = [*(name for name, _ in kept.seats), OWNER, SPECTATOR]
            tokens = {role: secrets.token_urlsafe(18) for role in roles}
            self.store.admit(kept.id, {token: role for role, token in tokens.items()})
            self.table_id, self.tokens = kept.id, tokens
            self._played = self._edition_of(kept)
            self.setting = await asyncio.to_thread(self._setting_of, kept)
            return
        await self._begin(Setting(None), {})

    def _edition_of(self, kept: Kept) -> Edition:
        return Edition(self.store.folder / "rules" / kept.rules, kept.players, kept.options)

    def _setting_of(self, kept: Kept) -> Setting:
        game = editions.game_of(self._edition_of(kept))
        chosen = [(each.name, each.text) for each in game.options if each.text != each.default_text]
        return Setting(kept.players, tuple(chosen))

    async def _begin(self, setting: Setting, seats: Mapping[str, str]) -> None:
        """Lay another table, with other links. Raises `NotTaken`, `NotKept`."""
        fate = await self._fate(setting, {}, secrets.token_hex(8), (), REPLAY)
        if fate.carried is None:
            raise NotTaken(fate.why)
        edition = fate.carried.edition

        def lay() -> tuple[str, dict[str, str]]:
            table, tokens = begun(self.store, prepared(edition, seats, secrets.token_hex(8)))
            self.store.lay(str(self.files.main), table)
            return table, tokens

        self.table_id, self.tokens = await asyncio.to_thread(lay)
        self.setting = replace(setting, players=edition.players)
        if self.run is None:
            self._played = edition

    async def _fate(
        self,
        setting: Setting,
        seats: Mapping[str, str],
        seed: str,
        inputs: tuple[Given, ...],
        how: str,
    ) -> Fate:
        main, kept = str(self.files.main), str(self.store.folder / "rules")
        fate: Fate = await self._try.ask(
            trying.fate, main, kept, setting, dict(seats), seed, inputs, how, seconds=TRY
        )
        return fate

    async def table(self) -> Data:
        """The table and the links to it."""
        if not self.table_id:
            return {"table": None}
        table = await self._open()
        return {
            "table": self.table_id,
            "tokens": dict(self.tokens),
            "players": self._names(table),
            "seats": dict(table.kept.seats),
        }

    def _names(self, table: Table) -> list[Data]:
        names = editions.names_of(table.edition, "")
        game = names.game
        return [
            {"id": each, "name": names.player(each), "automa": each in game.players[game.people :]}
            for each in game.players
        ]

    async def _open(self) -> Table:
        """The table, or the one at which the same people play again by now."""
        table = await self.rooms.table(self.table_id)
        while table is not None and table.kept.next is not None:
            self.table_id = table.kept.next
            held = {token: self.store.role(self.table_id, token) for token in self.tokens.values()}
            self.tokens = {role: token for token, role in held.items() if role is not None}
            self.store.lay(str(self.files.main), self.table_id)
            table = await self.rooms.table(self.table_id)
        if table is None:
            raise NotTaken("the table is gone")
        return table

    async def go_on(self, how: str) -> Data:
        """Let the table go on under the rules as they are saved; say what does not fit."""
        async with self._laying:
            if not self.table_id:
                await self._begin(self.setting, {})
                return {"went": "laid", **(await self.table())}
            if how not in (*HOWS, ANEW):
                raise NotTaken(f"`how` is one of {', '.join((*HOWS, ANEW))}")
            for last in (False, False, True):
                table = await self._open()
                try:
                    if how == ANEW:
                        return await self._anew(table)
                    return await self._given_again(table, how)
                except Moved:
                    # Somebody has decided meanwhile: what they did comes along as well.
                    if last:
                        raise
            raise AssertionError("tried three times")

    async def _given_again(self, table: Table, how: str) -> Data:
        """Give the inputs of a table again. Raises `Moved` if it is another by then."""
        inputs, seen = _inputs(table), (table.kept, table.count)
        seats, seed = dict(table.kept.seats), table.kept.seed
        fate = await self._fate(self.setting, seats, seed, inputs, how)
        if fate.carried is None:
            return {"went": "", "why": fate.why}
        come = fate.carried
        players = await self._players(come)
        if {*players} != {*seats}:
            now, then = ", ".join(players), ", ".join(seats)
            why = f"the rules now have the players {now}, the table has {then}"
            return {"went": "", "why": why, "others": True}
        if come.misfit is not None and how != HERE:
            return {"went": "", **_told(table, come)}
        await self._carry(table, seen, come, seed)
        told = {**_told(table, come), "dropped": list(fate.dropped)}
        return {"went": "on", **told, **(await self.table())}

    async def _anew(self, table: Table) -> Data:
        """Begin again: at the same table where the same people play, else at another."""
        seats, seen = dict(table.kept.seats), (table.kept, table.count)
        seed = secrets.token_hex(8)
        fate = await self._fate(self.setting, seats, seed, (), REPLAY)
        if fate.carried is None:
            return {"went": "", "why": fate.why}
        if {*await self._players(fate.carried)} == {*seats}:
            await self._carry(table, seen, fate.carried, seed)
            return {"went": "anew", "dropped": list(fate.dropped), **(await self.table())}
        await self._begin(self.setting, {})
        return {"went": "laid", **(await self.table())}

    async def _players(self, come: Carried) -> tuple[str, ...]:
        return (await asyncio.to_thread(editions.game_of, come.edition)).players

    async def _carry(self, table: Table, seen: tuple[Kept, int], come: Carried, seed: str) -> None:
        self._carried += 1
        if not self._carried % MOST_CARRIED:
            editions.forget()
        # What takes long is made before anybody at the table waits for it.
        await asyncio.to_thread(editions.executor_of, come.edition)
        await table.carry(seen, come.edition, seed, come.lines)

    async def form(self, language: str) -> Data:
        """What can be chosen for another table."""
        found: Data = await self._try.ask(trying.form, str(self.files.main), language, seconds=TRY)
        if "error" in found:
            raise NotTaken(found["error"])
        return found

    async def lay(self, setting: Setting, seats: Mapping[str, str]) -> Data:
        """Lay another table, for other settings."""
        for who in seats.values():
            if who not in (PERSON, *LEVELS):
                raise NotTaken(f"a seat is for {PERSON}, {', '.join(LEVELS)}")
        async with self._laying:
            await self._begin(setting, seats)
        return await self.table()

    # ----------------------------------------------------------------------------- games by bots

    async def play(self, level: str, many: int) -> Data:
        """Begin to have bots play the saved rules; what they come to is told by `marks`."""
        if level not in LEVELS:
            raise NotTaken(f"who plays is one of {', '.join(LEVELS)}")
        if not 1 <= many <= MOST_GAMES:
            raise NotTaken(f"between 1 and {MOST_GAMES} games are played")
        if self.run is not None and self.run.data()["running"]:
            raise NotTaken("games are being played")
        self.run = run = Run(level, many)
        task = asyncio.get_running_loop().create_task(self._play(run))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return run.data()

    async def _play(self, run: Run) -> None:
        def told(news: object) -> None:
            run.done = int(str(news))

        try:
            fate = await self._fate(self.setting, {}, "0", (), REPLAY)
            if fate.carried is None:
                raise NotTaken(fate.why)
            edition, before = fate.carried.edition, self._played
            answer = await self._games.ask(
                measuring.games,
                edition,
                before,
                run.level,
                run.many,
                seconds=PLAY,
                told=told,
                wanted=lambda: not run.stopped,
            )
            if run.stopped:
                return
            run.answer = answer
            if "error" not in answer:
                self._played = edition
        except NotTaken as refused:
            if not run.stopped:
                run.answer = {"error": str(refused)}

    def stop_playing(self) -> Data:
        """Have the bots stop; what they have played is dropped."""
        if self.run is not None and self.run.answer is None:
            self.run.stopped = True
            self._games.aside.stop()
        return {}


def _inputs(table: Table) -> tuple[Given, ...]:
    """What was decided and what fell, without what was taken back."""
    players = table.session.game.players
    return tuple(
        Given("" if each.player is None else players[each.player], each.text)
        for each in table.session.history
    )


def _told(table: Table, come: Carried) -> Data:
    found: Data = {"fitting": come.fitting, "of": come.of, "anew": come.anew, "misfit": None}
    if come.misfit is not None:
        names = editions.names_of(table.edition, "")
        who = come.misfit.given.who
        found["misfit"] = {
            "number": come.misfit.number,
            "who": names.player(who) if who else "",
            "text": capital(names.action_text(come.misfit.given.text))
            if who
            else come.misfit.given.text,
            "why": come.misfit.why,
            "luck": come.misfit.luck,
        }
    return found
