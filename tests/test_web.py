"""Tables in a browser: seats by tokens, nothing lost, nothing told to the wrong seat."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from multiprocessing import connection
from typing import Any

import pytest

from rulerun.cli import main
from rulerun.session.record import read_record
from rulerun.session.replay import replay
from rulerun_dsl.load import load_game
from rulerun_dsl.source.resources import ruleset_path

pytest.importorskip("starlette")
pytest.importorskip("httpx2")
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from rulerun.executors.make import executor_for
from rulerun.web import editions, serving
from rulerun.web.apart import Apart
from rulerun.web.app import application
from rulerun.web.bots import Pool
from rulerun.web.links import BURST, MOST_WAITING, Gone, OverRequests
from rulerun.web.meeting import Rooms
from rulerun.web.messages import LONGEST, Unclear, read
from rulerun.web.shelf import Shelf
from rulerun.web.store import Kept, NotKept, Store

GAMES = {
    name: path
    for name in ("brave_rats", "chasse_en_folie", "love_letter", "tic_tac_toe", "ruse")
    if (path := ruleset_path(name)) is not None
}


WITH_OPTIONS = """
rulerun: 1
game: settings
players: 1..3
options:
  target: {type: 1..8, default: 4}
  joker: {type: bool, default: false}
  hand: {type: 3..9, default: 5, only_if: joker}
variants:
  short: {about: For a coffee break., target: 2}
constraints:
  - {never: joker and target < 3, say: With the joker a short game is pure luck.}
state: {visible: all, left: 0..90 = target + (hand if joker else 0)}
phases:
  all:
    until: left == 0
    do:
      - turns: you in players
        until: left == 0
        do: {choose: n in 1..left}
"""


OF_VARIANTS = ["first_drafter", "princes_to", "princess_needs_other_clan"]
"""Options of Brave Rats that mean something in a variant alone."""


@pytest.fixture(autouse=True)
def patience():
    """A message that does not come fails the test that waits for it."""
    if not hasattr(signal, "alarm"):
        yield
        return

    def give_up(*_):
        raise TimeoutError("no message came")

    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(60)
    yield
    signal.alarm(0)


@pytest.fixture
def serve(tmp_path):
    """Clients of servers over one folder: each call is a server that begins anew."""
    open_ = []

    def begin(folder="tables", games=GAMES, **more):
        store = Store(tmp_path / folder)
        hosts = frozenset({"testserver", "localhost"})
        client = TestClient(application(Shelf(games), store, hosts, **more))
        client.__enter__()
        open_.append(client)
        return client

    yield begin
    for client in open_:
        leave(client)
        client.__exit__(None, None, None)


def leave(client):
    """Everybody at the tables of a server goes."""
    for seat in vars(client).pop("seats", []):
        seat.close()


def begin(client, game="brave_rats", **more):
    answer = client.post("/api/tables", content=json.dumps({"game": game, "seed": "7", **more}))
    assert answer.status_code == 201, answer.text
    return answer.json()


class Seat:
    """Somebody at a table."""

    def __init__(self, client, made, role, language="en"):
        vars(client).setdefault("seats", []).append(self)
        self.context = client.websocket_connect(f"/ws/{made['table']}")
        self.socket = self.context.__enter__()
        self.heard = []
        self.scene: Any = None
        self.send(**{"is": "hello", "token": made["tokens"][role], "language": language})
        self.until("scene")

    def send(self, **message):
        self.socket.send_text(json.dumps(message))

    def until(self, *words):
        """Listen until a message has one of these words; that message."""
        while True:
            text = self.socket.receive_text()
            self.heard.append(text)
            message = json.loads(text)
            if "scene" in message:
                news = message["scene"]["log"]
                before = [] if self.scene is None else self.scene["log"][: news["from"]]
                self.scene = {**message["scene"], "log": before + news["lines"]}
            if any(word in message for word in words):
                return message

    def do(self, text):
        """Give the answer that reads so."""
        answers = {each["text"]: each["id"] for each in self.scene["actions"]}
        self.send(**{"is": "do", "action": answers[text], "mark": self.scene["at"]})
        return self.until("scene", "refused")

    def close(self):
        if self.context is not None:
            self.context.__exit__(None, None, None)
            self.context = None


# ---------------------------------------------------------------------------------------- playing


def test_two_people_play_a_round(serve):
    client = serve()
    made = begin(client)
    yarg, applewood = Seat(client, made, "yarg"), Seat(client, made, "applewood")
    yarg.until("scene")  # Applewood has come.
    yarg.do("Prince 7")
    assert yarg.scene["done"] and not yarg.scene["actions"]
    # Applewood hears nothing of it, not even when it was.
    applewood.do("Musician 0")
    assert sum('"scene"' in each for each in applewood.heard) == 2
    assert "prince" in str(applewood.scene["log"]).lower()
    assert applewood.scene["actions"], "the next round has begun"


def test_the_only_seat_of_a_link(serve):
    client = serve()
    made = begin(client)
    looks_on = Seat(client, made, "spectator")
    assert looks_on.scene["viewer"] == "" and not looks_on.scene["actions"]
    looks_on.send(**{"is": "do", "action": 0, "mark": looks_on.scene["at"]})
    assert "decision" in looks_on.until("refused")["refused"]
    with client.websocket_connect(f"/ws/{made['table']}") as socket:
        socket.send_text(json.dumps({"is": "hello", "token": "guessed", "language": "en"}))
        assert "link" in json.loads(socket.receive_text())["closed"]
    other = begin(client)
    with client.websocket_connect(f"/ws/{other['table']}") as socket:
        token = made["tokens"]["yarg"]
        socket.send_text(json.dumps({"is": "hello", "token": token, "language": "en"}))
        assert "closed" in json.loads(socket.receive_text()), "a token opens one table"


def test_who_comes_first_sits_on_an_open_seat(serve):
    client = serve()
    made = begin(client, seats={"applewood": "open"})
    first, second = Seat(client, made, "spectator"), Seat(client, made, "spectator")
    first.send(**{"is": "sit", "player": "yarg"})
    assert "not free" in first.until("refused")["refused"]
    yarg = Seat(client, made, "yarg")
    yarg.send(**{"is": "sit", "player": "applewood"})
    assert "you have a seat" in yarg.until("refused")["refused"]
    first.send(**{"is": "sit", "player": "applewood"})
    token = first.until("token")["token"]
    second.send(**{"is": "sit", "player": "applewood"})
    assert "not free" in second.until("refused")["refused"]
    assert token not in "".join(second.heard)
    seat = Seat(client, {**made, "tokens": {"applewood": token}}, "applewood")
    seat.do("Musician 0")
    # The seat is kept.
    assert Seat(serve(), {**made, "tokens": {"applewood": token}}, "applewood").scene == seat.scene


def test_an_answer_to_an_old_question_is_not_taken(serve):
    client = serve()
    made = begin(client, "tic_tac_toe")
    first = Seat(client, made, next(iter(made["tokens"])))
    action, mark = first.scene["actions"][0]["id"], first.scene["at"]
    first.send(**{"is": "do", "action": action, "mark": mark})
    first.until("scene")
    # The same message again, as after a lost connection: nothing is doubled.
    first.send(**{"is": "do", "action": action, "mark": mark})
    assert "changed" in first.until("refused")["refused"]


def test_the_log_speaks_the_language_of_who_reads(serve):
    client = serve()
    made = begin(client)
    yarg, applewood = Seat(client, made, "yarg", "fr"), Seat(client, made, "applewood", "en")
    assert yarg.scene["question"] == "Quelle carte jouez-vous ?"
    assert applewood.scene["question"] == "Which card do you play?"
    applewood.send(**{"is": "speak", "language": "fr"})
    applewood.until("welcome")
    applewood.until("scene")
    assert applewood.scene["question"] == yarg.scene["question"]


def test_a_table_without_texts_is_told_in_one_language(serve):
    client = serve()
    made = begin(client, "tic_tac_toe")
    first, second = (
        Seat(client, made, each, code)
        for each, code in zip(
            [each for each in made["tokens"] if each not in ("owner", "spectator")],
            ("fr", "en"),
            strict=False,
        )
    )
    assert "pas de textes en français" in first.scene["note"] and second.scene["note"] == ""
    asked = {first.scene["question"], second.scene["question"]}
    assert asked == {"", "Where do you put your mark?"}
    rated = Seat(client, begin(client), "yarg", "fr")
    assert rated.scene["note"] == "", "it has texts in French"


def test_a_bot_answers_and_the_record_replays(serve):
    client = serve()
    made = begin(client, seats={"applewood": "random"})
    yarg = Seat(client, made, "yarg")
    refused = client.get(f"/api/tables/{made['table']}/record", headers=_key(made, "yarg"))
    assert refused.status_code == 409, "while it is played, a record would tell every secret"
    while yarg.scene["result"] is None:
        if yarg.scene["actions"]:
            yarg.do(yarg.scene["actions"][0]["text"])
        else:
            yarg.until("scene")
    content = client.get(f"/api/tables/{made['table']}/record", headers=_key(made, "yarg")).content
    record, found = read_record(content)
    assert record is not None and not found and record.end is not None
    game, _ = load_game(GAMES["brave_rats"])
    assert game is not None
    session, found = replay(record, executor_for(game))
    assert session is not None and session.over and not found


def _key(made, role):
    return {"Authorization": f"Bearer {made['tokens'][role]}"}


@pytest.mark.parametrize(
    ("game", "group", "where"),
    [
        ("brave_rats", "card", "hand/me"),
        ("ruse", "den_cell", "/me"),
        ("battleship", "square", "/me"),
    ],
)
def test_an_answer_is_about_what_lies_with_who_is_asked(game, group, where):
    """Not about the card or the cell of that name that is somebody else's."""
    from rulerun.web.clicking import Keys
    from rulerun.words.labels import Labels

    path = ruleset_path(game)
    assert path is not None
    loaded, _ = load_game(path)
    assert loaded is not None
    keys, found = Keys(Labels(loaded)), []
    for type_ in loaded.actions:
        if any(str(each.of) == group for each in type_.parameters):
            found += keys.of_action(type_.base, "me")
    ends = {key.partition("@")[2] for key in found if key.startswith(f"{group}/")}
    assert where in ends


def test_undo_as_the_law_allows(serve):
    client = serve()
    made = begin(client, "tic_tac_toe")
    names = [each for each in made["tokens"] if each not in ("owner", "spectator")]
    first = Seat(client, made, names[0])
    before = first.scene["at"]
    first.do(first.scene["actions"][4]["text"])
    first.send(**{"is": "undo"})
    first.until("scene")
    assert first.scene["at"] != before and first.scene["actions"]
    first.send(**{"is": "undo"})
    assert "refused" in first.until("refused")


def test_undo_is_offered_until_one_is_told_that_it_is_too_late(serve):
    client = serve()
    made = begin(client)
    yarg, applewood = Seat(client, made, "yarg", "fr"), Seat(client, made, "applewood", "de")
    assert not yarg.until("scene")["seats"]["undo"], "there is nothing to take back"
    assert yarg.do("Prince 7")["seats"]["undo"]
    applewood.do(applewood.scene["actions"][0]["text"])
    assert not json.loads(applewood.heard[-1])["seats"]["undo"]
    for seat, why in ((yarg, "en même temps"), (applewood, "gleichzeitig")):
        seat.send(**{"is": "undo"})
        assert why in seat.until("refused")["refused"]


# --------------------------------------------------------------------------- rooms of their own


def test_tables_in_rooms_of_their_own(serve):
    client = serve(rooms=2)
    for _ in range(3):
        made = begin(client, seats={"applewood": "random"})
        yarg = Seat(client, made, "yarg")
        yarg.do("Prince 7")
        while not yarg.scene["actions"]:
            yarg.until("scene")
        assert "prince" in str(yarg.scene["log"]).lower()
        with client.websocket_connect(f"/ws/{made['table']}") as stranger:
            stranger.send_text(json.dumps({"is": "hello", "token": "guessed", "language": ""}))
            assert "link" in json.loads(stranger.receive_text())["closed"]
    # The same tables, without rooms.
    assert Seat(serve(), made, "yarg").scene == yarg.scene


def test_a_room_that_ends_is_begun_again(serve):
    client = serve(rooms=1)
    made = begin(client)
    yarg = Seat(client, made, "yarg")
    yarg.do("Prince 7")
    seen = yarg.scene
    (room,) = multiprocessing.active_children()
    room.kill()
    with pytest.raises(WebSocketDisconnect):
        yarg.until("scene")
    assert Seat(client, made, "yarg").scene == seen


# --------------------------------------------------------------------------------- without sockets


class Asking:
    """Somebody at a table whom no socket reaches."""

    def __init__(self, client, made, role):
        self.client = client
        answer = client.post(f"/api/tables/{made['table']}/links")
        assert answer.status_code == 201
        self.key = {"Link": answer.json()["link"]}
        self.news: list[Any] = []
        self.heard: list[Any] = []
        self.send(**{"is": "hello", "token": made["tokens"][role], "language": "en"})

    def send(self, **message):
        answer = self.client.post("/api/link", content=json.dumps(message), headers=self.key)
        assert answer.status_code == 200, answer.text

    def until(self, word):
        while True:
            while self.news:
                message = self.news.pop(0)
                self.heard.append(message)
                if word in message:
                    return message
            heard = self.client.get("/api/link", headers=self.key).json()
            assert heard["news"] or not heard["ended"], "the link has ended"
            self.news += map(json.loads, heard["news"])


@pytest.mark.parametrize("rooms", [0, 1])
def test_who_has_no_socket_plays_by_requests(serve, rooms):
    client = serve(rooms=rooms)
    made = begin(client)
    yarg, applewood = Asking(client, made, "yarg"), Seat(client, made, "applewood")
    scene = yarg.until("scene")["scene"]
    answers = {each["text"]: each["id"] for each in scene["actions"]}
    yarg.send(**{"is": "do", "action": answers["Prince 7"], "mark": scene["at"]})
    applewood.do("Musician 0")
    while not yarg.until("scene")["scene"]["actions"]:
        pass
    yarg.send(**{"is": "do", "action": answers["Prince 7"], "mark": scene["at"]})
    assert "changed" in yarg.until("refused")["refused"]


def test_a_link_by_requests_is_for_who_began_it(serve, monkeypatch):
    # As slow as it may be to ask, it is quicker than that.
    monkeypatch.setattr("rulerun.web.links.RATE", 0.01)
    client = serve()
    made = begin(client)
    assert client.get("/api/link", headers={"Link": "guessed"}).status_code == 404
    assert client.post("/api/link", content="{}", headers={"Link": ""}).status_code == 404
    stranger = Asking(client, {**made, "tokens": {"yarg": "guessed"}}, "yarg")
    assert "link" in stranger.until("closed")["closed"]
    yarg = Asking(client, made, "yarg")
    long = client.post("/api/link", content="x" * (LONGEST + 1), headers=yarg.key)
    assert long.status_code == 400
    for _ in range(3 * BURST):
        answer = client.post("/api/link", content="nothing", headers=yarg.key)
    assert answer.status_code == 429, "who sends too many waits"


def test_links_of_strangers_make_room(serve, monkeypatch):
    client = serve()
    made = begin(client)
    monkeypatch.setattr("rulerun.web.app.MOST_LINKS", 3)
    keys = [client.post(f"/api/tables/{made['table']}/links").json()["link"] for _ in range(3)]
    people = [Asking(client, made, role) for role in ("yarg", "applewood", "spectator")]
    for key in keys:
        assert client.get("/api/link", headers={"Link": key}).status_code == 404
    assert client.post(f"/api/tables/{made['table']}/links").status_code == 503
    for each in people:
        each.until("scene")


# ------------------------------------------------------------------- who sends, and takes nothing


class Deaf:
    """A link to one who says who they are, and takes nothing of what is sent."""

    def __init__(self, hello):
        self.hello, self.closed = hello, asyncio.Event()
        self.holds = asyncio.Event()
        self.sent = 0

    async def receive(self):
        if self.hello:
            return self.hello.pop(0)
        await self.closed.wait()
        raise Gone

    async def send(self, text):
        await self.holds.wait()
        self.sent += 1

    async def close(self, why):
        self.closed.set()


@pytest.mark.parametrize("apart", [False, True])
def test_who_takes_nothing_is_cut_off(serve, tmp_path, apart):
    made = begin(serve())
    speak = ['{"is": "speak", "language": "en"}'] * (2 * MOST_WAITING)
    hello = {"is": "hello", "token": made["tokens"]["yarg"], "language": ""}

    async def meet():
        store = Store(tmp_path / "tables")
        rooms = Apart(1, store.folder, 1) if apart else Rooms(store, Pool(1))
        link = Deaf([json.dumps(hello), *speak])
        meeting = asyncio.ensure_future(rooms.meet(link, made["table"]))
        while link.hello:
            await asyncio.sleep(0.01)
        link.holds.set()
        await asyncio.wait_for(meeting, 30)
        await asyncio.to_thread(rooms.close)
        store.close()
        return link.sent

    assert asyncio.run(meet()) <= 2 * MOST_WAITING + 2


def test_who_takes_nothing_by_requests_holds_up_what_is_sent():
    async def send():
        link = OverRequests(lambda: None)
        sending = [asyncio.ensure_future(link.send("text")) for _ in range(1000)]
        await asyncio.sleep(0)
        news, _ = await link.hear()
        assert 0 < len(news) < 100
        link.end()
        await asyncio.gather(*sending, return_exceptions=True)
        return await link.hear()

    news, ended = asyncio.run(send())
    assert ended and len(news) < 100


# -------------------------------------------------------------------------- the end of processes


def test_rooms_end_by_themselves(tmp_path):
    before = {*multiprocessing.active_children()}
    store = Store(tmp_path / "tables")
    with TestClient(application(Shelf(GAMES), store, frozenset({"testserver"}), rooms=2)) as client:
        for _ in range(4):
            Seat(client, begin(client), "yarg")
        begun = {*multiprocessing.active_children()} - before
        leave(client)
    assert begun
    assert {each.exitcode for each in begun} == {0}, "nobody had to kill them"


def test_who_thinks_ends_with_the_server():
    async def think():
        pool, before = Pool(1), {*multiprocessing.active_children()}
        thinking = asyncio.ensure_future(pool._run(time.sleep, 600))
        await asyncio.sleep(0)
        (worker,) = {*multiprocessing.active_children()} - before
        pool.close()
        thinking.cancel()
        # The thread of the pool waits for it as well, and one of the two hears its exit code.
        return connection.wait([worker.sentinel], 30)

    assert asyncio.run(think()), "it has ended"


# ------------------------------------------------------------------------------------ what is kept


def test_a_server_that_begins_anew_goes_on(serve):
    client = serve()
    made = begin(client)
    yarg = Seat(client, made, "yarg")
    yarg.do("Prince 7")
    seen = yarg.scene
    again = serve()
    yarg = Seat(again, made, "yarg")
    assert yarg.scene == seen
    applewood = Seat(again, made, "applewood")
    applewood.do("Spy 2")
    assert "prince" in str(applewood.scene["log"]).lower()


def test_a_table_keeps_the_rules_it_began_with(serve, tmp_path):
    mine = tmp_path / "pairs.yaml"
    mine.write_text(GAMES["tic_tac_toe"].read_text(encoding="utf-8"), encoding="utf-8")
    store = Store(tmp_path / "mine")
    app = application(Shelf({"pairs": mine}), store, frozenset({"testserver"}))
    with TestClient(app) as client:
        made = begin(client, "pairs")
        mine.write_text("game: broken", encoding="utf-8")
        seat = Seat(client, made, next(iter(made["tokens"])))
        seat.do(seat.scene["actions"][0]["text"])
        listed = client.get("/api/games").json()["games"]
        assert "error" in listed[0], "the file as it is now does not load"
        leave(client)
    app = application(Shelf({"pairs": mine}), Store(tmp_path / "mine"), frozenset({"testserver"}))
    with TestClient(app) as client:
        assert len(Seat(client, made, next(iter(made["tokens"]))).scene["log"]) > 1
        leave(client)


def test_what_cannot_be_kept_has_not_happened(serve, monkeypatch):
    client = serve()
    made = begin(client)
    yarg = Seat(client, made, "yarg")
    before = yarg.scene

    def full(*_):
        raise NotKept("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(Store, "append", full)
        answers = {each["text"]: each["id"] for each in before["actions"]}
        yarg.send(**{"is": "do", "action": answers["Prince 7"], "mark": before["at"]})
        assert "disk is full" in yarg.until("refused")["refused"]
    yarg.do("Prince 7")
    assert yarg.scene["done"]


def test_a_table_whose_rules_are_gone_says_so(serve, tmp_path):
    made = begin(serve())
    shutil.rmtree(tmp_path / "tables" / "rules")
    editions.forget()
    for client in (serve(), serve(rooms=1)):
        with client.websocket_connect(f"/ws/{made['table']}") as socket_:
            hello = {"is": "hello", "token": made["tokens"]["yarg"], "language": ""}
            socket_.send_text(json.dumps(hello))
            assert "cannot be read" in json.loads(socket_.receive_text())["closed"]


def test_a_database_of_a_newer_version_is_left_alone(tmp_path):
    Store(tmp_path / "new").close()
    database = sqlite3.connect(tmp_path / "new" / "tables.sqlite")
    database.execute("pragma user_version = 99")
    database.close()
    with pytest.raises(NotKept, match="newer"):
        Store(tmp_path / "new")


def test_no_token_is_on_the_disk(serve, tmp_path):
    client = serve()
    made = begin(client)
    Seat(client, made, "yarg").close()
    held = b"".join(each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())
    assert made["table"].encode() in held
    assert not any(token.encode() in held for token in made["tokens"].values())


# ----------------------------------------------------------------------------------------- secrets


@pytest.mark.parametrize("chosen", [("Prince 7", "Musician 0"), ("Spy 2", "General 6")])
def test_the_bytes_for_a_seat_hold_no_choice_of_another(serve, monkeypatch, chosen):
    """Two tables that differ only in what one player has chosen in secret."""
    heard = []
    monkeypatch.setattr("secrets.token_urlsafe", _counter())
    for number, text in enumerate(chosen):
        monkeypatch.setattr("secrets.token_urlsafe", _counter())
        client = serve(f"twin{number}")
        made = begin(client)
        yarg, looks_on = Seat(client, made, "yarg"), Seat(client, made, "spectator")
        applewood = Seat(client, made, "applewood")
        applewood.do(text)
        for each in (yarg, looks_on):
            each.send(**{"is": "speak", "language": "en"})
            each.until("welcome")
            each.until("scene")
        heard.append((yarg.heard, looks_on.heard))
    assert heard[0] == heard[1]


@pytest.mark.parametrize("game", ["brave_rats", "chasse_en_folie"])
def test_no_link_hears_whether_another_is_done(serve, game):
    """While some choose at once, nothing comes over the link of anybody else."""
    client, luck = serve(), random.Random(game)
    made = begin(client, game)
    roles = [each for each in made["tokens"] if each not in ("owner", "spectator")]
    seats = {role: Seat(client, made, role, "fr") for role in roles}
    links: list[tuple[str, Any]] = [(role, seats[role]) for role in roles]
    links += [(role, Seat(client, made, role)) for role in (roles[0], "spectator", "owner")]
    links += [(role, Asking(client, made, role)) for role in (roles[-1], "spectator")]
    looked = 0
    for _ in range(9):
        for _, link in links:
            link.send(**{"is": "do", "action": 0, "mark": "of before"})
            _news(link)
        asked = [role for role in roles if seats[role].scene["actions"]]
        if not asked:
            break
        role = luck.choice(asked)
        seat = seats[role]
        seat.do(luck.choice(seat.scene["actions"])["text"])
        if len(asked) > 1 and seat.scene["together"]:
            seat.send(**{"is": "undo"})
            seat.until("scene")
            assert seat.scene["actions"], "one's own is taken back"
            seat.do(luck.choice(seat.scene["actions"])["text"])
            assert not [news for other, link in links if other != role for news in _news(link)]
            looked += 1
    assert looked > 1


def _news(link):
    """What has come over a link."""
    link.send(**{"is": "nothing"})
    before = len(link.heard)
    while "is one of" not in link.until("refused")["refused"]:
        pass
    return link.heard[before:-1]


def _counter():
    number = iter(range(100))
    return lambda size: f"token-{next(number):03}-{size}"


# ------------------------------------------------------------------------------- whoever else comes


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing",
        "[]",
        "{}",
        '{"is": 7}',
        '{"is": "do"}',
        '{"is": "do", "action": "1", "mark": "x"}',
        '{"is": "do", "action": true, "mark": "x"}',
        '{"is": "do", "action": -1, "mark": "x"}',
        '{"is": "do", "action": 1e999, "mark": "x"}',
        '{"is": "do", "action": 1, "mark": "x", "more": 1}',
        '{"is": "undo", "of": 3}',
        "[" * 4_000,
        '{"is": "hello", "token": "' + "x" * LONGEST + '", "language": ""}',
        '{"is": "hello", "token": "\\ud800", "language": ""}',
    ],
)
def test_a_message_that_is_none_says_what_was_expected(text):
    with pytest.raises(Unclear):
        read(text)


def test_half_a_character_holds_no_lock(serve, tmp_path):
    client = serve(rooms=1)
    body = '{"game": "brave_rats", "seed": "\\ud800"}'
    answer = client.post("/api/tables", content=body)
    assert answer.status_code == 400 and "characters" in answer.json()["error"]
    store = Store(tmp_path / "tables")
    kept = Kept("a", "r", 2, (), (), "\ud800")
    with pytest.raises(UnicodeEncodeError):
        store.add(kept, {}, [], 0.0)
    # Nothing is left that other processes would wait for.
    Seat(client, begin(client), "yarg").do("Prince 7")
    store.close()


def test_hostile_messages_change_nothing(serve):
    client = serve()
    made = begin(client)
    yarg = Seat(client, made, "yarg")
    before = yarg.scene
    luck = random.Random(3)
    pieces = [
        '{"is":',
        '"do"',
        ",",
        '"action":',
        "9" * 30,
        "1",
        '"mark":',
        "}",
        "null",
        '"\\ud800"',
    ]
    for _ in range(30):
        yarg.socket.send_text("".join(luck.choices(pieces, k=luck.randrange(1, 9))))
        yarg.until("refused")
    for action in (10**6, 2**52):
        yarg.send(**{"is": "do", "action": action, "mark": before["at"]})
        assert "refused" in yarg.until("refused")
    yarg.send(**{"is": "seat", "player": "applewood", "who": "random"})
    assert "only who began" in yarg.until("refused")["refused"]
    yarg.close()
    assert Seat(client, made, "yarg").scene == before


@pytest.mark.parametrize("who", ["os:system", "exact:/etc/passwd", "mcts:800", "HARD", ""])
def test_no_agent_of_ones_own_comes_from_a_browser(serve, who):
    body = json.dumps({"game": "brave_rats", "seats": {"yarg": who}})
    answer = serve().post("/api/tables", content=body)
    assert answer.status_code == 400 and "person, easy" in answer.json()["error"]


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ("", "JSON"),
        ("[1]", "object"),
        ('{"game": "nim"}', "no such game"),
        ('{"game": "brave_rats", "players": "2"}', "number"),
        ('{"game": "brave_rats", "players": 5}', "2"),
        ('{"game": "brave_rats", "options": {"target": "99"}}', "target"),
        ('{"game": "brave_rats", "options": [1]}', "text"),
        ('{"game": "brave_rats", "variants": ["x"]}', "variant"),
        ('{"game": "../../etc/passwd"}', "no such game"),
        (" " * 20_000, "bytes"),
    ],
)
def test_a_form_that_is_wrong_is_told_why(serve, body, word):
    answer = serve().post("/api/tables", content=body)
    assert answer.status_code == 400 and word in answer.json()["error"]


@pytest.mark.parametrize(
    ("game", "chosen", "refused", "values", "idle"),
    [
        ("brave_rats", {}, "", {}, ["emperor_draws", *OF_VARIANTS]),
        ("brave_rats", {"options": {"target": "99"}}, "target", {}, []),
        ("brave_rats", {"players": 5}, "players", {}, []),
        ("brave_rats", {"variants": ["nothing"]}, "variant", {}, []),
        ("settings", {"variants": ["short"]}, "", {"target": "2"}, ["hand"]),
        ("settings", {"options": {"joker": "true"}}, "", {"joker": "true"}, []),
        ("settings", {"variants": ["short"], "options": {"joker": "true"}}, "pure luck", {}, []),
    ],
)
def test_a_form_says_what_settings_come_to(serve, tmp_path, game, chosen, refused, values, idle):
    path = tmp_path / "settings.yaml"
    path.write_text(WITH_OPTIONS, encoding="utf-8")
    client = serve(games={**GAMES, "settings": path})
    found = client.post(f"/api/games/{game}/settings", content=json.dumps(chosen)).json()
    assert refused in found["refused"] and bool(refused) == bool(found["refused"])
    if not refused:
        assert found["values"] == values
    if idle is not None:
        assert found["idle"] == idle


def test_a_form_says_in_the_readers_language_what_clashes(serve):
    client = serve()
    chosen = json.dumps({"variants": ["draft", "at_random"]})
    url = "/api/games/brave_rats/settings"
    french = client.post(f"{url}?lang=fr", content=chosen).json()["refused"]
    assert french == "Les variantes D et E distribuent toutes deux les seize cartes."
    assert "both deal out" in client.post(url, content=chosen).json()["refused"]


def test_rules_that_somebody_brings(serve):
    client = serve(uploads=True)
    assert client.get("/api/games").json()["uploads"]
    answer = client.post("/api/rules", content=WITH_OPTIONS)
    assert answer.status_code == 201, answer.text
    name = answer.json()["game"]
    assert client.post("/api/rules", content=WITH_OPTIONS).json()["game"] == name
    assert len(client.get("/api/games").json()["games"]) == len(GAMES), "it is on no shelf"
    assert [each["name"] for each in client.get(f"/api/games/{name}").json()["options"]] == [
        "target",
        "joker",
        "hand",
    ]
    made = begin(client, name, players=2, options={"joker": "true"})
    seat = Seat(client, made, next(iter(made["tokens"])))
    seat.do(seat.scene["actions"][0]["text"])
    for wrong in ({"variants": ["short"], "options": {"joker": "true"}}, {"players": 9}):
        body = json.dumps({"game": name, **wrong})
        assert client.post("/api/tables", content=body).status_code == 400
    # A server without that finds neither the game nor its file.
    without = serve()
    assert without.post("/api/rules", content=WITH_OPTIONS).status_code == 403
    assert without.get(f"/api/games/{name}").status_code == 404


def test_what_somebody_brings_stays_out_of_the_server(serve, monkeypatch):
    """A process with bounds does all of it, and a room of its own plays it."""
    from rulerun_dsl.load import load

    def watched(path, *more):
        assert not str(path).startswith("your") and "own-" not in str(path)
        return load(path, *more)

    client = serve(uploads=True, rooms=1)
    monkeypatch.setattr("rulerun.web.editions.load", watched)
    monkeypatch.setattr("rulerun.web.uploads.load", watched)
    rules = WITH_OPTIONS.replace("target: {type: 1..8,", "target: {type: 1..2000000000,")
    name = client.post("/api/rules", content=rules).json()["game"]
    url = f"/api/games/{name}"
    target, *_ = client.get(url).json()["options"]
    assert len(target["values"]) == 60
    found = client.post(f"{url}/settings", content='{"options": {"target": "1"}}').json()
    assert not found["refused"]
    made = begin(client, name, players=1)
    seat = Seat(client, made, next(iter(made["tokens"])))
    seat.do(seat.scene["actions"][0]["text"])
    for each in (client, serve()):
        book = each.get(f"/api/tables/{made['table']}/rules")
        assert book.status_code == 200 and "<h1" in book.text
    # Another table is in another room.
    before = {*multiprocessing.active_children()}
    Seat(client, begin(client), "yarg")
    assert len({*multiprocessing.active_children()} - before) == 1


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "nothing to read"),
        (b"\xff\xfe", "UTF-8"),
        (b"rulerun: 1\ngame: x\nplayers: 2\nfiles: [../../etc/passwd]\n", "module"),
        (WITH_OPTIONS.replace("left: 0..90", "left: 0..9000000000000000000").encode(), "line"),
        (WITH_OPTIONS.replace("choose: n", "chose: n").encode(), "line 20: "),
        (b"x" * 300_000, "bytes"),
    ],
)
def test_rules_that_are_wrong_are_not_kept(serve, tmp_path, content, word):
    answer = serve(uploads=True).post("/api/rules", content=content)
    assert answer.status_code == 400 and word in answer.json()["error"], answer.text
    assert not list(tmp_path.rglob("own-*"))


def test_pictures_are_what_a_table_has_of_them(serve, tmp_path):
    mine, folder = tmp_path / "pairs.yaml", tmp_path / "icons" / "pairs"
    mine.write_text(GAMES["tic_tac_toe"].read_text(encoding="utf-8"), encoding="utf-8")
    folder.mkdir(parents=True)
    (folder / "x.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>", encoding="utf-8")
    client = serve(games={"pairs": mine})
    made = begin(client, "pairs")
    seat = Seat(client, made, "x")
    seat.do(seat.scene["actions"][0]["text"])
    (sign,) = seat.scene["boards"][0]["cells"][0]["things"][0]
    assert sign["icon"] == "x"
    (folder / "x.svg").unlink()
    picture = client.get(f"/api/tables/{made['table']}/icons/x")
    assert picture.status_code == 200 and picture.headers["content-type"] == "image/svg+xml"
    assert "sandbox" in picture.headers["content-security-policy"]
    assert picture.headers["cache-control"] == "no-cache", "this address has another one some day"
    (folder / "x.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg' id='new'/>", "utf-8")
    edited = begin(client, "pairs")
    marks = [_rules_of(client, table) for table in (made, edited)]
    assert marks[0] != marks[1], "an edited picture has another address"
    for table, mark, new in zip((made, edited), marks, (False, True), strict=True):
        kept = client.get(f"/api/tables/{table['table']}/icons/x", params={"rules": mark})
        assert "immutable" in kept.headers["cache-control"] and ("new" in kept.text) == new
    for name in ("o", "..%2Fx", "%2e%2e", "x.svg"):
        assert client.get(f"/api/tables/{made['table']}/icons/{name}").status_code == 404


def _rules_of(client, made):
    """The mark of the rules of a table, which its pictures have in their addresses."""
    seat = Seat(client, made, "o")
    mark = json.loads(seat.heard[-1])["seats"]["rules"]
    seat.close()
    return mark


def test_another_host_and_another_page_are_refused(serve):
    client = serve()
    assert client.get("/", headers={"host": "evil.example"}).status_code == 403
    assert client.get("/", headers={"host": "localhost:99"}).status_code == 200
    headers = {"origin": "http://evil.example"}
    assert client.post("/api/tables", content="{}", headers=headers).status_code == 403
    made = begin(client)
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect(f"/ws/{made['table']}", headers=headers),
    ):
        pass


@pytest.mark.parametrize("name", ["host", "origin"])
@pytest.mark.parametrize("address", ["[", "http://[", "\u00bd.example"])
def test_what_is_no_address_is_not_ours(serve, name, address):
    headers = {name: address.encode("latin-1")}
    assert serve().post("/api/tables", content="{}", headers=headers).status_code == 403


def test_pages_come_with_a_policy(serve):
    client = serve()
    for url in ("/", "/t/anything", "/static/table.js", "/static/style.css"):
        assert client.get(url).status_code == 200
    policy = client.get("/").headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe-eval" not in policy


@pytest.mark.slow_in_ci
@pytest.mark.parametrize(
    "name",
    # Of that ruleset every number of players is another large game; `.ci/run` asks for it.
    [pytest.param(each, marks=pytest.mark.slow if each == "ruse" else ()) for each in GAMES],
)
def test_every_game_has_a_form_and_a_first_scene(serve, name):
    client = serve(games={name: GAMES[name]})
    (listed,) = client.get("/api/games?lang=fr").json()["games"]
    assert listed["name"] == name and "error" not in listed
    form = client.get(f"/api/games/{name}?lang=fr").json()
    assert form["people"] and form["levels"]
    scene = Seat(client, begin(client, name), "owner").scene
    assert scene["viewer"] == "" and scene["players"]


def test_why_not_is_told_to_who_is_asked(serve):
    client = serve()
    made = begin(client, "chasse_en_folie", players=3)
    seat = Seat(client, made, next(iter(made["tokens"])), "fr")
    seat.send(**{"is": "why"})
    assert isinstance(seat.until("why")["why"], list)
    looks_on = Seat(client, made, "spectator")
    looks_on.send(**{"is": "why"})
    assert "decision" in looks_on.until("refused")["refused"]


def test_advice_is_told_to_who_is_asked(serve):
    client = serve()
    made = begin(client, "brave_rats")
    seat = Seat(client, made, next(iter(made["tokens"])), "de")
    seat.send(**{"is": "advise"})
    told = seat.until("advice")
    texts = [each["text"] for each in seat.scene["actions"]]
    assert len(told["advice"]) == 7 and "wins" in told["advice"][0]
    assert any(told["advice"][0].startswith(text) for text in texts)
    looks_on = Seat(client, made, "spectator")
    looks_on.send(**{"is": "advise"})
    assert "decision" in looks_on.until("refused")["refused"]
    seat.do(texts[0])
    seat.send(**{"is": "advise"})
    assert "not for you" in seat.until("refused")["refused"]


def test_advice_is_given_though_others_decide_at_the_same_time(serve):
    client = serve()
    made = begin(client, "brave_rats")
    seat, other = (Seat(client, made, role) for role in ("yarg", "applewood"))
    seat.send(**{"is": "advise"})
    other.do(other.scene["actions"][0]["text"])
    assert seat.until("advice")["advice"]


# -------------------------------------------------------------------------- games that are over


def finished(client):
    """A table at which a game is played to its end."""
    made = begin(client, "tic_tac_toe")
    seats = {role: Seat(client, made, role) for role in ("x", "o")}
    for number in range(9):
        seat, other = (seats[each] for each in ("xo" if number % 2 == 0 else "ox"))
        seat.do(seat.scene["actions"][0]["text"])
        # Others that come and go are told of on the way.
        while seat.scene["actions"]:
            seat.until("scene")
        while not (other.scene["actions"] or other.scene["result"]):
            other.until("scene")
        if other.scene["result"]:
            break
    while not seat.scene["result"]:
        seat.until("scene")
    return made, seats


def test_a_game_is_looked_back_at_when_it_is_over(serve):
    client = serve()
    running = Seat(client, begin(client), "yarg")
    running.send(**{"is": "back", "to": 0})
    assert "when it is over" in running.until("refused")["refused"]
    _, seats = finished(client)
    seats["x"].send(**{"is": "back", "to": 2**31})
    last = seats["x"].until("past")
    assert last["to"] == last["of"] >= 5
    assert last["past"]["at"] == seats["x"].scene["at"]
    seats["x"].send(**{"is": "back", "to": 1})
    first = seats["x"].until("past")
    assert first["past"]["result"] is None
    assert len(str(first["past"]["log"])) < len(str(last["past"]["log"]))


def test_the_same_people_play_again(serve):
    client = serve()
    made, seats = finished(client)
    Seat(client, made, "spectator").send(**{"is": "again"})
    seats["o"].send(**{"is": "again"})
    following = None
    while following is None:
        following = seats["x"].until("scene")["seats"]["next"]
    assert following != made["table"]
    # Who has a token has one at the new table as well: that of the next seat.
    again = Seat(client, {**made, "table": following}, "x")
    assert again.scene["viewer"] == "o"
    seats["x"].send(**{"is": "again"})
    assert seats["x"].until("scene")["seats"]["next"] == following, "there is one, not two"


def test_a_record_is_a_table_that_goes_on(serve):
    client = serve()
    made, _ = finished(client)
    token = made["tokens"]["x"]
    headers = {"Authorization": f"Bearer {token}"}
    content = client.get(f"/api/tables/{made['table']}/record", headers=headers).content
    lines = content.splitlines(keepends=True)
    halfway = b"".join(lines[: len(lines) // 2])
    answer = client.post("/api/records", content=halfway)
    assert answer.status_code == 201, answer.text
    seat = Seat(client, answer.json(), "x")
    assert seat.scene["log"] and seat.scene["result"] is None
    for wrong in (
        b"",
        b"x" * 2_000_000,
        content.replace(b"tic_tac_toe", b"tac_tic_toe", 1),
    ):
        answer = client.post("/api/records", content=wrong)
        assert answer.status_code == 400, answer.text


# ------------------------------------------------------------------------------------ the command


def test_without_the_extra_it_says_what_to_install(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("rulerun.cli.serve.find_spec", lambda _: None)
    monkeypatch.chdir(tmp_path)
    assert main(["serve"]) == 2
    assert "pip install 'rulerun[web]'" in capsys.readouterr().err
    assert not list(tmp_path.iterdir()), "nothing is begun"


def test_an_address_that_is_taken(tmp_path, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        data = str(tmp_path / "tables")
        assert main(["serve", "tic_tac_toe", "--port", port, "--data", data]) == 2
    said = capsys.readouterr().err
    assert "cannot be had" in said and "--port 0" in said


@pytest.mark.skipif(os.name == "nt", reason="signals and ports are another matter there")
def test_where_it_serves_is_said_at_once_into_a_file_as_well(tmp_path):
    """The key of a desk stands nowhere else, so it must not wait in a buffer until the end."""
    rules, log = tmp_path / "game.yaml", tmp_path / "log"
    rules.write_bytes(GAMES["tic_tac_toe"].read_bytes())
    more = ["--port", "0", "--rooms", "0", "--data", tmp_path / "tables", "--edit", rules]
    buffered = {each: os.environ[each] for each in os.environ if each != "PYTHONUNBUFFERED"}
    with log.open("wb") as into:
        server = subprocess.Popen(
            [sys.executable, "-m", "rulerun", "serve", *map(str, more)],
            stdout=into,
            stderr=subprocess.STDOUT,
            env=buffered,
        )
    try:
        until = time.monotonic() + 60
        while "Ctrl-C" not in log.read_text("utf-8") and time.monotonic() < until:
            assert server.poll() is None, log.read_text("utf-8")
            time.sleep(0.05)
    finally:
        server.terminate()
        server.wait(60)
    assert "/desk#" in log.read_text("utf-8") and "rulerun serves 1 game" in log.read_text("utf-8")


def test_a_folder_that_cannot_be_used(tmp_path, capsys):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    assert main(["serve", "--data", str(tmp_path / "file" / "tables")]) == 2
    assert "cannot be used" in capsys.readouterr().err


@pytest.mark.parametrize("more", [[], ["--uploads"]])
def test_who_listens_beyond_this_machine_is_told_what_is_at_risk(
    monkeypatch, tmp_path, capsys, more
):
    served = []
    monkeypatch.setattr(serving, "serve_until_stopped", lambda *given: served.append(given[2]))
    data = ["--data", str(tmp_path / "tables")]
    assert main(["serve", *data]) == 0 and capsys.readouterr().err == ""
    assert main(["serve", *data, "--host", "0.0.0.0", *more]) == 0
    said = capsys.readouterr().err
    for risk in ("over the network", "begin tables", "unencrypted", "proxy with TLS", "--name"):
        assert risk in said
    assert ("bring rules" in said) == bool(more)
    assert served == ["127.0.0.1", "0.0.0.0"]
    assert serving.address("0.0.0.0", 8000, ()) == "http://localhost:8000/"
