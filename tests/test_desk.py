"""The designer's desk without a browser: looks, saves, tables that go on, games by bots.

Jobs run in this process; that they can be stopped in theirs is one test.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import threading
import time

import pytest

from rulerun.cli import main

pytest.importorskip("starlette")
pytest.importorskip("httpx2")
from starlette.testclient import TestClient

from rulerun.host.aside import Aside, Lost
from rulerun.host.rewriting import rewrite
from rulerun.web.app import application
from rulerun.web.desk import carrying, designing, helping, trying
from rulerun.web.desk.files import Files, NotSaved, Stale, mark_of, with_ends
from rulerun.web.shelf import Shelf
from rulerun.web.store import NotKept, Store
from rulerun.web.table import NotTaken

RULES = """\
rulerun: 1
game: duel
title: Duel   # a comment that stays
players: [ann, bob]
files: [duel/lines.yaml]
components:
  card: {rows: {one: {}, two: {}, three: {}}, start: pile}
zones:
  pile: {of: card, order: random, visible: none}
  hand[player]: {of: card, visible: owner}
state:
  score[player]: {type: 0..20, visible: all}
setup:
  - move 1 from pile to hand[p] for p in players
phases:
  round:
    do:
      - for: p in players
        do:
          - choose:
              low: score[p] += 1
              high: score[p] += 3
            by: p
            visible: all
          - note_it(p)
scoring:
  points(player p): score[p]
"""
MODULE = """\
module: lines
procedures:
  note_it(player p):
    - say: "<p> has <score[p]>."
"""
SCENARIOS = """\
scenarios:
  - id: high
    title: High is three
    do: [ann: high]
    expect:
      - score[ann] == 3
"""


class Here:
    """Jobs, done in this process."""

    def __init__(self, *_):
        self.aside = self

    async def ask(self, job, *arguments, seconds, told=None, wanted=None):
        if wanted is not None and not wanted():
            raise NotTaken("it was stopped")
        return job(told or (lambda _: None), *arguments)

    def stop(self):
        pass

    def close(self):
        pass


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "rules" / "duel").mkdir(parents=True)
    (tmp_path / "rules" / "duel.yaml").write_text(RULES, encoding="utf-8")
    (tmp_path / "rules" / "duel" / "lines.yaml").write_text(MODULE, encoding="utf-8")
    (tmp_path / "rules" / "duel.test.yaml").write_text(SCENARIOS, encoding="utf-8")
    return tmp_path / "rules"


@pytest.fixture
def site(folder, monkeypatch):
    """Servers over one folder, each with a desk; each call begins a server anew."""
    monkeypatch.setattr(designing, "Hands", Here)
    monkeypatch.setattr("rulerun.simulation.run.pool.jobs_for", lambda *_: 1)
    helping._Known.analysis = None
    open_ = []

    def begin():
        store, path = Store(folder.parent / "tables"), folder / "duel.yaml"
        hosts = frozenset({"localhost", "play.example"})
        app = application(Shelf({"duel": path}), store, hosts, 1, (path, "owner's"))
        client = TestClient(app, base_url="http://localhost")
        client.__enter__()
        page = Site(client)
        open_.append(page)
        return page

    yield begin
    for page in open_:
        for seat in page.seats:
            seat.close()
        page.client.__exit__(None, None, None)


class Site:
    """What the page does."""

    def __init__(self, client):
        self.client = client
        self.seats: list[Seat] = []
        self.opened = self.ask("open")
        self.texts = {each["name"]: each["text"] for each in self.opened["files"]}
        self.marks = {each["name"]: each["mark"] for each in self.opened["files"]}

    def post(self, what, token="owner's", **body):
        headers = {"Authorization": f"Bearer {token}", **body.pop("headers", {})}
        return self.client.post(f"/api/desk/{what}", content=json.dumps(body), headers=headers)

    def ask(self, what, **body):
        answer = self.post(what, **body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def check(self, *change, name="duel.yaml"):
        texts = {**self.texts, name: self.texts[name].replace(*change)}
        return self.ask("check", texts=texts)

    def save(self, *change, name="duel.yaml"):
        assert change[0] in self.texts[name]
        self.texts[name] = self.texts[name].replace(*change)
        made = self.ask("save", texts={name: self.texts[name]}, marks=self.marks)
        self.marks.update(made.get("marks", {}))
        return made

    def seat(self, role, language="en"):
        self.seats.append(Seat(self.client, self.opened, role, language))
        return self.seats[-1]


class Seat:
    """Somebody at the table of the desk."""

    def __init__(self, client, opened, role, language):
        self.context = client.websocket_connect(f"ws://localhost/ws/{opened['table']}")
        self.socket = self.context.__enter__()
        token = opened["tokens"][role]
        self.send(**{"is": "hello", "token": token, "language": language})
        self.scene = self.next()

    def send(self, **message):
        self.socket.send_text(json.dumps(message))

    def next(self):
        while "scene" not in (message := json.loads(self.socket.receive_text())):
            assert "closed" not in message, message
        self.scene = message["scene"]
        return self.scene

    def do(self, text):
        answers = {each["text"]: each["id"] for each in self.scene["actions"]}
        self.send(**{"is": "do", "action": answers[text], "mark": self.scene["at"]})
        return self.next()

    def close(self):
        """Go; who goes twice has gone."""
        context, self.context = self.context, contextlib.nullcontext()
        context.__exit__(None, None, None)


# ----------------------------------------------------------------------------------- as one types


def test_files_of_the_ruleset_are_tabs(site):
    kinds = {each["name"]: each["kind"] for each in site().opened["files"]}
    assert kinds == {
        "duel.yaml": "rules",
        "duel/lines.yaml": "module",
        "duel.test.yaml": "scenarios",
    }


def test_a_slip_is_found_where_it_stands_with_its_fix(site):
    page = site()
    assert page.check("nothing", "of it")["findings"] == []
    text = page.texts["duel.yaml"].replace("high: score[p]", "high: scroe[p]")
    (found,) = page.check("high: score[p]", "high: scroe[p]")["findings"]
    assert text[found["from"] : found["to"]] == "scroe" and "score" in found["help"]
    (edit,) = found["fixes"][0]["edits"]
    assert edit["text"] == "score" and edit["from"] == found["from"]


def test_a_slip_in_a_module_and_in_scenarios_is_found_there(site):
    page = site()
    (found,) = page.check("<score[p]>", "<scroe[p]>", name="duel/lines.yaml")["findings"]
    assert found["file"] == "duel/lines.yaml" and found["line"] == 4
    found = page.check("expect:", "expcet:", name="duel.test.yaml")["findings"]
    assert found and {each["file"] for each in found} == {"duel.test.yaml"}


@pytest.mark.parametrize("text", ["", "a: [", "\0", "- " * 3_000, "x: &a [*a]", "game: \ud800"])
def test_broken_texts_are_looked_at(site, text):
    page = site()
    page.texts["duel.yaml"] = text
    assert page.check("nothing", "of it")["findings"]


def test_places_are_those_of_a_browser(site):
    page = site()
    found = page.check("title: Duel", "title: 🃏🃏 Duel\nabuot: x")["findings"][0]
    # Each of these two is one character here, and two there.
    text = page.texts["duel.yaml"].replace("title: Duel", "title: 🃏🃏 Duel\nabuot: x")
    assert found["from"] == text.index("abuot") + 2


def test_what_may_be_written_what_it_is_and_where(site):
    page = site()
    text = page.texts["duel.yaml"]
    place = {"texts": page.texts, "file": "duel.yaml", "offset": text.index("score[p] += 3") + 2}
    page.check("nothing", "of it")
    assert "score" in [each["label"] for each in page.ask("complete", **place)["found"]["items"]]
    assert "0..20" in page.ask("hover", **place)["found"]["text"]
    found = page.ask("definition", **place)["found"]
    assert found["file"] == "duel.yaml" and text[found["from"] :].startswith("score[player]: {")
    place["offset"] = text.index("note_it") + 1
    assert page.ask("definition", **place)["found"]["file"] == "duel/lines.yaml"


@pytest.mark.parametrize(
    ("written", "labels"),
    [
        ("    do: [ann: hi", {"high", "low"}),
        ("    do: [", {"ann", "bob", "chance"}),
        ("    ", {"do", "expect"}),
        ("    expect:\n      - sc", {"score", "hand"}),
        ("    do: [ann: high]\n    legal: {bob: ", {"high", "low"}),
    ],
)
def test_what_may_be_written_in_scenarios(site, written, labels):
    page = site()
    head = SCENARIOS.partition("    do:")[0]
    page.texts["duel.test.yaml"] = head + written
    place = {"texts": page.texts, "file": "duel.test.yaml", "offset": len(head + written)}
    found = page.ask("complete", **place)["found"]
    assert labels <= {each["label"] for each in found["items"]}
    # Rules that are broken while somebody types take nothing away.
    page.texts["duel.yaml"] += "]"
    assert page.ask("complete", **place)["found"] is not None


def test_who_wins_is_mended_where_a_name_stands_alone(site):
    page = site()
    text = page.texts["duel.test.yaml"] + "    outcome: ann\n"
    (found,) = page.ask("check", texts={**page.texts, "duel.test.yaml": text})["findings"]
    (edit,) = found["fixes"][0]["edits"]
    assert edit["text"] == "{winners: [ann]}" and text[edit["from"] : edit["to"]] == "ann"


def test_a_line_of_scenarios_that_stands_too_deep_is_drawn_back(site):
    page = site()
    text = "scenarios:\n  - id: x\n    do:\n      - ann: high\n        "
    texts = {**page.texts, "duel.test.yaml": text}
    found = page.ask("complete", texts=texts, file="duel.test.yaml", offset=len(text))["found"]
    bob = next(each for each in found["items"] if each["label"] == "- bob")
    assert (bob["back"], bob["insert"]) == (2, "- bob: ")


def test_texts_in_another_language_are_begun_checked_and_saved(site, folder):
    page = site()
    name = "texts/duel.fr.yaml"
    assert page.ask("open")["languages"]["fr"] == name
    text = "texts: duel\nlanguage: fr\ntitle: Le duel\nrules:\n  note_it: {name: noter, abuot: x}\n"
    found = page.ask("check", texts={**page.texts, name: text})
    (wrong,) = found["findings"]
    assert wrong["file"] == name and "abuot" in wrong["message"]
    text = text.replace("abuot: x", "about: Qui a combien.")
    found = page.ask("check", texts={**page.texts, name: text})
    assert not found["findings"] and "variable score" in found["untranslated"][name]
    made = page.ask("save", texts={name: text}, marks={name: ""})
    assert made["kinds"][name] == "texts"
    assert (folder / name).read_text(encoding="utf-8") == text
    assert "fr" not in page.ask("open")["languages"]
    # Nothing else is written beside the rules.
    for other in ("texts/duel.xx.yaml", "texts/other.fr.yaml", "texts/../duel/x.fr.yaml"):
        assert "no file of this ruleset" in page.post("save", texts={other: text}, marks={}).text


@pytest.mark.parametrize(
    ("written", "labels", "absent"),
    [
        ("", {"title", "state", "sentences"}, {"texts", "boards"}),
        ("state:\n  sc", {"score"}, {"high"}),
        ("rules:\n  note_it: {name: noter, ", {"about"}, {"name"}),
    ],
)
def test_what_may_be_written_in_texts(site, written, labels, absent):
    page = site()
    name, text = "texts/duel.fr.yaml", "texts: duel\nlanguage: fr\n" + written
    texts = {**page.texts, name: text}
    place = {"texts": texts, "file": name, "offset": len(text)}
    found = {each["label"] for each in page.ask("complete", **place)["found"]["items"]}
    assert labels <= found and not absent & found
    # Rules that are broken while somebody types take nothing away.
    texts["duel.yaml"] += "]"
    assert page.ask("complete", **place)["found"] is not None


# ----------------------------------------------------------------------------------------- saving


def test_a_save_is_the_text_as_it_is(site, folder):
    page = site()
    page.save("+= 3", "+= 4")
    assert (folder / "duel.yaml").read_text(encoding="utf-8") == RULES.replace("+= 3", "+= 4")


def test_what_somebody_else_has_written_is_not_overwritten(site, folder):
    page = site()
    theirs = RULES.replace("+= 1", "+= 2")
    (folder / "duel.yaml").write_text(theirs, encoding="utf-8")
    stale = page.save("+= 3", "+= 4")["stale"]
    assert stale["text"] == theirs == (folder / "duel.yaml").read_text(encoding="utf-8")
    page.marks["duel.yaml"] = stale["mark"]
    page.save("+= 4", "+= 5")
    assert "+= 5" in (folder / "duel.yaml").read_text(encoding="utf-8")


def test_a_module_that_is_named_can_be_written(site, folder):
    page = site()
    made = page.save("[duel/lines.yaml]", "[duel/lines.yaml, more/new.yaml]")
    assert made["kinds"]["more/new.yaml"] == "module"
    page.texts["more/new.yaml"] = ""
    page.save("", "module: new\n", name="more/new.yaml")
    assert (folder / "more" / "new.yaml").read_text(encoding="utf-8") == "module: new\n"
    (folder / "more" / "new.yaml").write_text("else", encoding="utf-8")
    page.marks["more/new.yaml"] = ""
    assert page.save("new", "newer", name="more/new.yaml")["stale"]["text"] == "else"


def test_of_several_files_all_are_saved_or_none(folder):
    files = Files(folder / "duel.yaml")
    marks = files.marks()
    (folder / "duel" / "lines.yaml").write_text("else", encoding="utf-8")
    texts = {name: ("new", mark) for name, mark in marks.items()}
    made = files.save(texts)
    assert made.stale == Stale("duel/lines.yaml", "else", mark_of(b"else")) and not made.marks
    assert (folder / "duel.yaml").read_text(encoding="utf-8") == RULES


def test_what_changes_while_texts_are_made_ready_leaves_all_as_they_are(folder, monkeypatch):
    def slow(old, text):
        (folder / "duel" / "lines.yaml").write_text("else", encoding="utf-8")
        return text

    files = Files(folder / "duel.yaml")
    texts = {name: ("new", mark) for name, mark in files.marks().items()}
    monkeypatch.setattr("rulerun.web.desk.files.with_ends", slow)
    made = files.save({name: texts[name] for name in ("duel.test.yaml", "duel/lines.yaml")})
    assert made.stale is not None and not made.marks
    assert (folder / "duel.test.yaml").read_text(encoding="utf-8") == SCENARIOS


def test_a_text_that_takes_no_other_leaves_all_as_they_are(folder):
    latin = b"module: lines # \xe9\n"
    (folder / "duel" / "lines.yaml").write_bytes(latin)
    files = Files(folder / "duel.yaml")
    marks = {**files.marks(), "duel/lines.yaml": mark_of(latin)}
    with pytest.raises(NotSaved, match="UTF-8"):
        files.save({name: ("new", mark) for name, mark in marks.items()})
    assert (folder / "duel.yaml").read_text(encoding="utf-8") == RULES


@pytest.mark.parametrize("full", [False, True])
def test_what_was_written_before_is_told_with_what_was_not(site, folder, monkeypatch, full):
    page = site()

    def slow(was, text):
        if was.path.name == "lines.yaml":
            if full:
                raise OSError(28, "No space left on device")
            was.path.write_text("else", encoding="utf-8")
        rewrite(was, text)

    monkeypatch.setattr("rulerun.web.desk.files.rewrite", slow)
    texts = {"duel.yaml": RULES.replace("+= 3", "+= 4"), "duel/lines.yaml": "mine"}
    made = page.ask("save", texts=texts, marks=page.marks)
    now = page.ask("marks")["marks"]
    assert (
        made["marks"] == {"duel.yaml": now["duel.yaml"]} != {"duel.yaml": page.marks["duel.yaml"]}
    )
    assert made["stale"] == (
        None
        if full
        else {"name": "duel/lines.yaml", "text": "else", "mark": now["duel/lines.yaml"]}
    )
    assert ("no space left" in made["trouble"]) == full


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "other.yaml", "duel", "", "a\0b"])
def test_no_other_file_is_read_or_written(site, folder, name):
    (folder / "other.yaml").write_text("mine", encoding="utf-8")
    page = site()
    answer = page.post("save", texts={name: "x"}, marks={})
    assert answer.status_code == 400 and "no file of this ruleset" in answer.json()["error"]
    assert name not in page.texts
    assert (folder / "other.yaml").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    "name", ["Makefile", ".git/hooks/pre-commit", ".bashrc", ".ssh/id.yaml", "duel/.x.yml", "l.yml"]
)
def test_what_the_rules_name_is_not_thereby_a_file_of_theirs(site, folder, name):
    (folder / ".ssh").mkdir()
    (folder / "key").write_text("mine", encoding="utf-8")
    (folder / "l.yml").symlink_to(folder / "key")
    page = site()
    made = page.save("[duel/lines.yaml]", f"[duel/lines.yaml, {name}, more.yml]")
    assert name not in made["kinds"] and made["kinds"]["more.yml"] == "module"
    assert page.post("save", texts={name: "x"}, marks={}).status_code == 400
    assert name not in {each["name"] for each in page.ask("open")["files"]}
    assert (folder / "key").read_text(encoding="utf-8") == "mine"


def test_a_link_out_of_the_folder_is_no_file_of_it(folder):
    outside = folder.parent / "outside.yaml"
    outside.write_text(MODULE, encoding="utf-8")
    inside = folder / "duel" / "lines.yaml"
    inside.unlink()
    inside.symlink_to(outside)
    files = Files(folder / "duel.yaml")
    assert "duel/lines.yaml" not in files.kinds()
    with pytest.raises(NotSaved):
        files.save({"duel/lines.yaml": ("x", "")})
    assert outside.read_text(encoding="utf-8") == MODULE


def test_lines_keep_their_ends():
    assert with_ends("a\r\nb\nc\r\n", "a\nb\nnew\nc\n") == "a\r\nb\nnew\r\nc\r\n"
    assert with_ends("a\nb\n", "a\nB\n") == "a\nB\n"


def test_what_no_file_can_hold_is_not_saved(folder):
    files = Files(folder / "duel.yaml")
    mark = files.marks()["duel.yaml"]
    for text in ("x" * (2**20 + 1), "half \ud800"):
        with pytest.raises(NotSaved):
            files.save({"duel.yaml": (text, mark)})
    assert (folder / "duel.yaml").read_text(encoding="utf-8") == RULES


# ----------------------------------------------------------------------------- what comes of a save


def test_scenarios_that_fail_now_are_told(site):
    page = site()
    assert page.ask("scenarios")["passed"] == 1
    page.save("+= 3", "+= 4")
    (failed,) = page.ask("scenarios")["scenarios"]
    assert failed["id"] == "high" and failed["new"] and "4" in failed["why"][0]["message"]
    page.save("+= 4", "+= 3")
    assert page.ask("scenarios")["mended"] == ["high"]


def test_the_table_goes_on_by_the_new_rules(site):
    page = site()
    ann, friend = page.seat("ann"), page.seat("bob", "fr")
    ann.next()
    ann.do("High")
    friend.next()
    assert "3" in str(ann.scene["players"])
    page.save("+= 3", "+= 4")
    went = page.ask("go_on", how="replay")
    assert went["went"] == "on" and went["misfit"] is None and went["fitting"] == went["of"]
    # Who sat there sits there, by the same link, and sees what came of the new rule.
    assert "has 4" in str(friend.next()["log"]) and friend.scene["actions"]
    friend.do("Low")
    assert friend.scene["result"] is not None
    ann.close()
    friend.close()


def test_the_first_input_that_no_longer_fits_is_named(site):
    page = site()
    ann = page.seat("ann")
    ann.do("High")
    page.save("high: score[p] += 3", "tall: score[p] += 3")
    went = page.ask("go_on", how="replay")
    assert went["went"] == "" and went["misfit"]["text"] == "High"
    assert went["fitting"] == 2 and "no answer" in went["misfit"]["why"]
    page.ask("go_on", how="here")
    assert {each["text"] for each in ann.next()["actions"]} == {"Low", "Tall"}
    page.ask("go_on", how="anew")
    ann.close()
    # The server forgets nothing of it.
    again = site()
    assert again.opened["table"] == page.opened["table"]
    ann = again.seat("ann")
    assert {each["text"] for each in ann.scene["actions"]} == {"Low", "Tall"}
    ann.close()


def test_who_decides_meanwhile_comes_along(site, monkeypatch):
    page = site()
    ann = page.seat("ann")
    _while_it_is_tried(monkeypatch, lambda: ann.do("High"))
    page.save("+= 3", "+= 4")
    assert page.ask("go_on", how="replay")["fitting"] == 3
    assert "has 4" in str(ann.next()["log"])
    ann.close()


def test_a_record_that_cannot_be_read_back_is_not_kept(site, monkeypatch):
    page = site()
    ann = page.seat("ann")
    ann.do("High")

    def unread(*_):
        raise NotKept("the record of this table cannot be read")

    with monkeypatch.context() as now:
        now.setattr("rulerun.web.table._session", unread)
        assert page.post("go_on", how="anew").status_code == 507
    ann.close()
    # A server that begins anew has what everybody sees.
    ann = site().seat("ann")
    assert "has 3" in str(ann.scene["log"]) and not ann.scene["actions"]
    ann.close()


def test_luck_may_fall_anew(site):
    page = site()
    ann = page.seat("ann")
    ann.do("High")
    page.save("one: {}, two: {}, three: {}", "four: {}, five: {}, six: {}")
    went = page.ask("go_on", how="replay")
    assert went["went"] == "" and went["misfit"]["luck"] and went["misfit"]["number"] == 1
    went = page.ask("go_on", how="luck")
    assert went["went"] == "on" and went["anew"] == 2 and went["misfit"] is None
    assert "has 3" in str(ann.next()["log"])
    ann.close()


def test_rules_with_errors_leave_the_table_alone(site):
    page = site()
    ann = page.seat("ann")
    before = ann.scene
    page.save("+= 3", "+= threee")
    went = page.ask("go_on", how="replay")
    assert went["went"] == "" and "threee" in went["why"]
    ann.do("Low")
    assert ann.scene["at"] != before["at"]
    ann.close()


def test_other_players_get_another_table(site):
    page = site()
    page.save("[ann, bob]", "[ann, eve]")
    page.save("ann", "ann", name="duel.test.yaml")
    ann = page.seat("ann")
    ann.do("Low")
    found = page.ask("go_on", how="replay")
    assert found["others"] and "players" in found["why"]
    laid = page.ask("go_on", how="anew")
    assert laid["went"] == "laid" and "eve" in laid["tokens"]
    assert laid["table"] != page.opened["table"]
    ann.close()


@pytest.mark.parametrize("how", ["replay", "here"])
def test_other_players_get_another_table_before_anybody_has_decided(site, folder, how):
    # No luck either: there is nothing to be given again.
    before, _, after = RULES.partition("components:\n")
    rules = before + "state:\n" + after.partition("state:\n")[2]
    before, _, after = rules.partition("setup:\n")
    rules = before + "phases:\n" + after.partition("phases:\n")[2]
    (folder / "duel.yaml").write_text(rules, encoding="utf-8")
    page = site()
    page.save("[ann, bob]", "[ann, eve]")
    found = page.ask("go_on", how=how)
    assert found["went"] == "" and found["others"]
    assert "ann, eve" in found["why"]
    assert page.ask("go_on", how="anew")["went"] == "laid"


def test_another_reason_to_stay_is_none_of_players(site):
    page = site()
    page.save("+= 3", "+= players")
    found = page.ask("go_on", how="replay")
    assert "players" in found["why"] and "others" not in found


@pytest.mark.parametrize("how", ["replay", "anew"])
def test_who_sits_down_meanwhile_sits_there(site, monkeypatch, how):
    page = site()
    owner = page.seat("owner")

    def meanwhile():
        owner.send(**{"is": "seat", "player": "bob", "who": "random"})
        owner.next()

    _while_it_is_tried(monkeypatch, meanwhile)
    page.save("+= 3", "+= 4")
    assert page.ask("go_on", how=how)["seats"]["bob"] == "random"
    assert site().opened["seats"]["bob"] == "random"


def test_who_plays_again_meanwhile_is_followed(site, monkeypatch):
    page = site()
    ann, bob = page.seat("ann"), page.seat("bob")
    ann.next()
    ann.do("Low")
    bob.next()
    bob.do("Low")
    ann.next()

    def meanwhile():
        bob.send(**{"is": "again"})
        bob.next()

    _while_it_is_tried(monkeypatch, meanwhile)
    page.save("+= 3", "+= 4")
    went = page.ask("go_on", how="replay")
    assert went["went"] == "on" and went["table"] != page.opened["table"]


def _while_it_is_tried(monkeypatch, meanwhile):
    """Have something happen once, while it is looked what becomes of a table."""
    fate = trying.fate
    tried: list[int] = []

    def slow(*asked):
        if not tried:
            tried.append(1)
            meanwhile()
        return fate(*asked)

    # Here a job would hold up the server: it is done in a thread, as a process is waited for.
    async def aside(self, job, *asked, **_):
        return await asyncio.to_thread(job, None, *asked)

    monkeypatch.setattr(Here, "ask", aside)
    monkeypatch.setattr(trying, "fate", slow)


def test_a_desk_for_rules_that_do_not_load_yet(site, folder):
    (folder / "duel.yaml").write_text(RULES.replace("+= 3", "+= threee"), encoding="utf-8")
    page = site()
    assert page.opened["table"] is None and "threee" in page.opened["trouble"]
    page.save("+= threee", "+= 3")
    page.opened = page.ask("go_on", how="replay")
    ann = page.seat("ann")
    assert len(ann.scene["actions"]) == 2
    ann.close()


def test_who_plays_again_is_followed(site):
    page = site()
    ann, bob = page.seat("ann"), page.seat("bob")
    ann.next()
    ann.do("Low")
    bob.next()
    bob.do("Low")
    ann.next()
    bob.send(**{"is": "again"})
    bob.next()
    page.save("+= 3", "+= 4")
    went = page.ask("go_on", how="replay")
    assert went["went"] == "on" and went["table"] not in ("", page.opened["table"])
    assert went["tokens"]["bob"] == page.opened["tokens"]["ann"], "each sits a seat further on"
    ann.close()
    bob.close()


def test_another_table_for_other_settings(site):
    page = site()
    assert [each["count"] for each in page.ask("form", language="de")["people"]] == [2]
    laid = page.ask("lay", players=2, seats={"bob": "random"}, options={}, variants=[])
    assert laid["table"] != page.opened["table"] and laid["seats"]["bob"] == "random"
    page.save("+= 3", "+= threee")
    assert "threee" in page.post("form", language="").json()["error"]


def test_what_was_taken_back_is_not_given_again(site):
    page = site()
    ann = page.seat("ann")
    ann.do("High")
    ann.send(**{"is": "undo"})
    ann.next()
    page.save("high: score[p] += 3", "tall: score[p] += 3")
    assert page.ask("go_on", how="replay")["went"] == "on"
    ann.close()


# ---------------------------------------------------------------------------------- games by bots


def test_bots_play_and_then_both_rules_with_the_same_luck(site):
    page = site()
    page.ask("play", level="random", games=40)
    answer = _played(page)
    assert [each["name"] for each in answer["seats"]] == ["ann", "bob"]
    assert all(low <= share <= high for share, low, high in (e["now"] for e in answer["seats"]))
    more = "- choose: {more: pass, less: pass}\n            by: p\n          - note_it(p)"
    page.save("- note_it(p)", more)
    page.ask("play", level="random", games=40)
    answer = _played(page)
    assert answer["length"]["before"] == 2 and answer["length"]["now"] == 4
    assert answer["length"]["told"] and "longer" in answer["changes"][-1] + answer["changes"][0]
    assert page.post("play", level="os:system", games=4).status_code == 400
    assert page.post("play", level="easy", games=10**6).status_code == 400


def test_before_bots_have_played_a_change_is_held_against_the_rules_of_the_table(site):
    more = "- choose: {more: pass, less: pass}\n            by: p\n          - note_it(p)"
    page = site()
    page.save("- note_it(p)", more)
    page.ask("play", level="random", games=10)
    assert _played(page)["length"]["before"] == 2
    # Another server finds the table of the desk, and the rules that it has.
    page = site()
    page.ask("play", level="random", games=10)
    assert _played(page)["length"]["before"] == 2
    page = site()
    page.save(more, "- note_it(p)")
    page.ask("play", level="random", games=10)
    assert "before" not in _played(page)["length"], "nothing has changed"


@pytest.mark.parametrize("late", ["fate", "games"])
def test_stop_before_the_games_have_begun(site, monkeypatch, late):
    page = site()
    waits, stopped, ended = threading.Event(), threading.Event(), threading.Event()
    done = []
    here, play = Here.ask, designing.Desk._play

    async def slow(self, job, *asked, **more):
        if job.__name__ == late:
            waits.set()
            await asyncio.to_thread(stopped.wait, 20)
        answer = await here(self, job, *asked, **more)
        done.append(job.__name__)
        return answer

    async def whole(self, run):
        await play(self, run)
        ended.set()

    monkeypatch.setattr(Here, "ask", slow)
    monkeypatch.setattr(designing.Desk, "_play", whole)
    page.ask("play", level="random", games=2)
    assert waits.wait(20)
    page.ask("stop")
    stopped.set()
    assert ended.wait(20)
    run = page.ask("marks")["run"]
    assert not run["running"] and run["answer"] is None
    assert done == ["fate"]


def _played(page):
    for _ in range(500):
        run = page.ask("marks")["run"]
        if not run["running"]:
            assert "error" not in run["answer"], run
            return run["answer"]
        time.sleep(0.01)
    raise AssertionError("they do not end")


# ------------------------------------------------------------------------------------ whoever asks


def test_the_desk_is_for_its_owner_on_this_machine(site):
    page = site()
    for token in ("", "guessed", page.opened["tokens"]["owner"]):
        answer = page.post("open", token=token)
        assert answer.status_code == 403 and "files" not in answer.json()
    assert page.post("open", headers={"host": "play.example"}).status_code == 403
    assert page.post("open", headers={"origin": "http://evil.example"}).status_code == 403
    assert page.client.get("/api/desk/open").status_code == 405


@pytest.mark.parametrize(
    ("what", "body", "word"),
    [
        ("check", {}, "texts"),
        ("check", {"texts": {"duel.yaml": 1}}, "texts"),
        ("check", {"texts": {}}, "rules file"),
        ("hover", {"texts": {"duel.yaml": ""}, "file": "x", "offset": 1}, "no file"),
        ("hover", {"texts": {"duel.yaml": ""}, "file": "duel.yaml", "offset": -1}, "number"),
        ("go_on", {"how": "sideways"}, "replay"),
        ("lay", {"players": "two"}, "number"),
        ("lay", {"players": 7}, "2"),
        ("lay", {"players": 2, "seats": {"ann": "os:system"}}, "person"),
        ("save", {"texts": []}, "texts"),
    ],
)
def test_a_request_that_is_wrong_is_told_why(site, what, body, word):
    answer = site().post(what, **body)
    assert answer.status_code == 400 and word in answer.json()["error"]


def test_a_page_may_not_do_more_than_it_has_to(site):
    page = site()
    policy = page.client.get("/desk").headers["content-security-policy"]
    assert "unsafe" not in policy and "frame-ancestors 'none'" in policy
    table = page.client.get(f"/t/{page.opened['table']}").headers["content-security-policy"]
    assert "unsafe" not in table and "frame-ancestors 'self'" in table


def test_no_token_of_the_desk_is_on_the_disk(site, folder):
    page = site()
    held = b"".join(each.read_bytes() for each in folder.parent.rglob("*") if each.is_file())
    assert page.opened["table"].encode() in held
    assert not any(token.encode() in held for token in ("owner's", *page.opened["tokens"].values()))


def test_a_server_without_a_desk_has_none(tmp_path, folder):
    shelf, store = Shelf({"duel": folder / "duel.yaml"}), Store(tmp_path / "tables")
    with TestClient(application(shelf, store, frozenset({"testserver"}))) as client:
        assert client.get("/desk").status_code == 404
        assert client.post("/api/desk/open").status_code == 404


def test_the_command_line_refuses_what_is_not_safe(capsys, folder):
    rules = str(folder / "duel.yaml")
    assert main(["serve", "--edit", rules, "--host", "0.0.0.0"]) == 2
    assert "--edit" in capsys.readouterr().err
    assert main(["serve", "--edit", "brave_rats"]) == 2
    assert "copied first" in capsys.readouterr().err
    if os.geteuid():
        os.chmod(rules, 0o400)
        assert main(["serve", "--edit", rules]) == 2
        assert "may not be written" in capsys.readouterr().err


# ----------------------------------------------------------------------------- work that is stopped


def test_work_that_takes_too_long_is_stopped(folder):
    texts = {"duel.yaml": RULES, "duel/lines.yaml": MODULE}
    looked = helping.Desk(str(folder), "duel.yaml", texts, "duel.test.yaml")
    aside = Aside()
    try:
        with pytest.raises(Lost, match=r"more than 0\.01 seconds"):
            aside.ask(helping.check, looked, seconds=0.01)
        assert aside.ask(helping.check, looked, seconds=60)["sound"]
        with pytest.raises(Lost, match="KeyError"):
            aside.ask(helping.check, helping.Desk("", "x", {}, ""), seconds=60)
    finally:
        aside.close()


def test_a_misfit_says_what_is_asked_instead(folder):
    from rulerun.web import editions

    copy = editions.keep(folder / "duel.yaml", folder.parent / "kept")
    edition = editions.edition_of(copy, 2, {}, ())
    given = [carrying.Given("", "one"), carrying.Given("", "two"), carrying.Given("bob", "low")]
    come = carrying.carried(edition, {}, "7", given, carrying.REPLAY)
    assert come.misfit is not None and come.misfit.why == "ann is asked instead"
    come = carrying.carried(edition, {}, "7", [*given[:2], given[0]], carrying.REPLAY)
    assert come.fitting == 2 and come.misfit is not None
