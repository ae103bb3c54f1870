"""Tables in a real browser, as people use them: by mouse, by keyboard, on a phone, on one device.

Needs playwright and a Chromium; run by `-m browser`, skipped where one of them is missing.
"""

from __future__ import annotations

import io
import json
import random
import shutil
import socket
import threading
import time
import urllib.request
from itertools import pairwise

import pytest

from rulerun_dsl.source.resources import ruleset_path

pytestmark = pytest.mark.browser
pytest.importorskip("starlette")
playwright = pytest.importorskip("playwright.sync_api")
uvicorn = pytest.importorskip("uvicorn")

NAMES = ("antler_island", "brave_rats", "chasse_en_folie", "ruse", "tic_tac_toe")
GAMES = {name: path for name in NAMES if (path := ruleset_path(name)) is not None}
ASKED = "#ask.mine h2"
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """The address of a server."""
    from rulerun.web.app import application
    from rulerun.web.shelf import Shelf
    from rulerun.web.store import Store

    listener = socket.create_server(("127.0.0.1", 0))
    store = Store(tmp_path_factory.mktemp("tables"))
    app = application(Shelf(GAMES), store, frozenset({"127.0.0.1"}))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join(20)


@pytest.fixture(scope="module")
def chromium():
    if not CHROMIUM:
        pytest.skip("there is no Chromium on the path")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def sit(base, chromium):
    """Pages of people, each in a browser of their own; none of them may report an error."""
    contexts, faults = [], []

    def begin(path, width=1280, height=860, script="", **more):
        context = chromium.new_context(viewport={"width": width, "height": height}, **more)
        contexts.append(context)
        context.add_init_script(script)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.on("console", lambda said: faults.extend([said.text] * (said.type == "error")))
        page.goto(base + path)
        return page

    yield begin
    for context in contexts:
        context.close()
    assert not faults


def lay(base, game, **more):
    """A new table."""
    body = json.dumps({"game": game, "seed": "7", **more}).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{base}/api/tables", body)) as answer:
        made = json.load(answer)
    return {role: f"/t/{made['table']}#{token}" for role, token in made["tokens"].items()}


def answer(page):
    """Take the first answer to a question."""
    if page.locator("#ask .members").count():
        group = page.locator("#ask .members")
        for at in range(group.locator(".card").count()):
            if group.locator("button.primary:not([disabled])").count():
                break
            group.locator(".card").nth(at).click()
        if group.locator("button.primary:not([disabled])").count():
            return group.locator("button.primary").click()
    if page.locator("details.every:not([open])").count():
        page.locator("details.every summary").click()
    page.locator("#ask .choice").first.click()
    return None


def play(pages, most=200):
    """Everybody who is asked takes the first answer, until the end; how many there were."""
    for number in range(most):
        if all(page.locator(".ending").count() for page in pages):
            return number
        asked = next((page for page in pages if page.locator(ASKED).count()), None)
        if asked is None:
            time.sleep(0.05)
            continue
        before = mark(asked)
        answer(asked)
        until(lambda asked=asked, before=before: mark(asked) != before)
    raise AssertionError("the game does not end")


def first_key(page):
    """What is typed for the first answer."""
    return page.locator("#ask .choice kbd").first.inner_text()


def mark(page):
    """What tells what a page shows from what it showed before."""
    return page.evaluate("window.rulerun.chairs[0].scene.at")


def until(holds, seconds=30):
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.03)


def test_a_whole_game_between_two_browsers_and_another(base, sit):
    links = lay(base, "brave_rats")
    pages = [sit(links["yarg"]), sit(links["applewood"])]
    play(pages)
    assert pages[0].locator(".ending h2").count()
    for page in pages:
        assert page.locator("#headline").inner_text() == "", "nothing is to be won any more"
        assert page.locator(".ending").bounding_box()["y"] >= 0
        assert not page.locator("#story h3:last-child").count()
    # Who asks for another game goes there, and the others may.
    here = pages[0].url
    pages[0].get_by_role("button", name="Another game").click()
    pages[1].get_by_role("link", name="To the next game").click()
    until(lambda: pages[0].url != here)
    for page in pages:
        page.wait_for_selector(ASKED)
    names = [page.locator("section.own .name").inner_text() for page in pages]
    assert names == ["Applewood", "Yarg"], "the seats are turned"


def test_three_play_chasse(base, sit):
    links = lay(base, "chasse_en_folie", players=3)
    roles = [role for role in links if role not in ("owner", "spectator")]
    pages = [sit(links[role]) for role in roles]
    for _ in range(9):
        until(lambda: any(page.locator(ASKED).count() for page in pages))
        asked = next(page for page in pages if page.locator(ASKED).count())
        before = mark(asked)
        answer(asked)
        until(lambda asked=asked, before=before: mark(asked) != before)
    assert all(page.locator("#story p").count() > 3 for page in pages)


def test_the_keyboard_alone(base, sit):
    links = lay(base, "tic_tac_toe", seats={"o": "random"})
    page = sit(links["x"])
    for _ in range(5):
        page.wait_for_selector(f"{ASKED}, .ending")
        if page.locator(".ending").count():
            break
        before = page.locator("#story").inner_text()
        page.keyboard.press(first_key(page))
        until(lambda before=before: page.locator("#story").inner_text() != before)
    page.wait_for_selector(".ending")


def test_a_card_is_clicked_on_the_table(base, sit):
    page = sit(lay(base, "brave_rats")["yarg"])
    page.locator("section.own").get_by_role("button", name="7 Prince").click()
    page.wait_for_selector("#ask .waiting")
    page.get_by_role("button", name="Undo").click()
    page.wait_for_selector(ASKED)


def test_nothing_is_lost_when_the_connection_is(base, sit):
    links = lay(base, "brave_rats")
    page = sit(links["yarg"])
    page.wait_for_selector(ASKED)
    page.evaluate("for (const each of window.rulerun.chairs) each.link.end()")
    other = sit(links["yarg"])
    other.locator("section.own").get_by_role("button", name="7 Prince").click()
    other.wait_for_selector("#ask .waiting")
    # The first tab of that seat sees what the second did.
    page.wait_for_selector("#ask .waiting")


def test_where_no_socket_gets_through_requests_do(base, sit):
    links = lay(base, "brave_rats")
    no_sockets = "window.WebSocket = class { constructor() { setTimeout(() => this.onclose()); } };"
    pages = [sit(links["yarg"], script=no_sockets), sit(links["applewood"])]
    assert play(pages) >= 8


def test_two_on_one_device(base, sit):
    links = lay(base, "brave_rats")
    token = links["applewood"].partition("#")[2]
    page = sit(f"{links['yarg']}+{token}")
    page.get_by_role("button", name="I am Yarg").click()
    page.locator("section.own").get_by_role("button", name="7 Prince").click()
    page.get_by_role("button", name="I am Applewood").wait_for()
    assert "Prince" not in page.locator("body").inner_text(), "the next one sees nothing yet"
    page.get_by_role("button", name="I am Applewood").click()
    page.locator("section.own").get_by_role("button", name="0 Musician").click()
    # The round is over, and both are asked again: who has the device goes on.
    page.locator("section.own").get_by_role("button", name="6 General").click()
    page.get_by_role("button", name="I am Yarg").wait_for()


@pytest.mark.parametrize("game", NAMES)
@pytest.mark.parametrize("width", [360, 1280])
def test_a_page_fits_its_screen_and_everybody(base, sit, game, width):
    """Nothing sticks out at the side, and axe finds nothing serious."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    links = lay(base, game, **({"players": 3} if game == "antler_island" else {}))
    for scheme in ("light", "dark"):
        page = sit(next(iter(links.values())), width=width, height=740, color_scheme=scheme)
        page.wait_for_selector("#ask h2, #ask p")
        out = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert out <= 0, f"{out} pixels stick out"
        found = [
            f"{each['id']}: {each['nodes'][0]['html'][:120]}"
            for each in axe.run(page).response["violations"]
            if each["impact"] in ("serious", "critical")
        ]
        assert not found


def test_the_lobby_fits_and_begins_a_table(base, sit):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = sit("/", width=360, height=740)
    page.wait_for_selector(".game")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    serious = ("serious", "critical")
    assert not [each for each in axe.run(page).response["violations"] if each["impact"] in serious]
    page.locator("a.game", has_text="Brave Rats").click()
    page.wait_for_selector("form")
    assert not [each for each in axe.run(page).response["violations"] if each["impact"] in serious]
    page.get_by_role("button", name="Begin the table").click()
    page.wait_for_selector(f"{ASKED}, ul.links")


@pytest.mark.parametrize("game", ["ruse", "antler_island"])
def test_some_turns_by_mouse_and_by_keyboard(base, sit, game):
    links = lay(base, game, players=3 if game == "antler_island" else 2)
    pages = [sit(link) for role, link in links.items() if role not in ("owner", "spectator")]
    for number in range(16):
        until(lambda: any(page.locator(ASKED).count() for page in pages))
        asked = next(page for page in pages if page.locator(ASKED).count())
        before = mark(asked)
        if number % 2 and not asked.locator("#ask details, #ask .members").count():
            asked.keyboard.press(first_key(asked))
        elif asked.locator("#board button.can, #board [role=button].can").count():
            # What is clicked may be about several answers still: then one of these is taken.
            asked.locator("#board button.can, #board [role=button].can").first.click()
            until(
                lambda asked=asked, before=before: (
                    mark(asked) != before or asked.locator("#ask .back").count()
                )
            )
            if mark(asked) == before:
                answer(asked)
        else:
            answer(asked)
        until(lambda asked=asked, before=before: mark(asked) != before)


def before_a_fight():
    """A play on Antler Island that an answer brings to a fight: the record, who answers, how."""
    from rulerun.executors.answering import Answering
    from rulerun.session.record import RecordWriter
    from rulerun.session.session import Session
    from rulerun_dsl.load import load_game

    game, _ = load_game(GAMES["antler_island"], players=3)
    assert game is not None
    executor = Answering(game)
    for seed in range(40):
        luck, buffer = random.Random(seed), io.BytesIO()
        writer = RecordWriter(buffer, game)
        writer.begin(dict.fromkeys(range(3), "person"), str(seed))
        session = Session(executor, {}, str(seed), writer, automatic=False)
        session.advance()
        given: list[tuple[bytes, str, int, int]] = []
        while len(given) < 120 and not session.over:
            player = luck.choice(session.asked)
            action = luck.choice(executor.legal(session.state, player))
            given.append((buffer.getvalue(), game.players[player], action, len(session.history)))
            session.submit(player, action)
        if FIGHT in str(session.log(0)):
            return next(
                (before[0], game.players, *before[1:3])
                for before, after in pairwise(given)
                if FIGHT in str(session.past(0, after[3])[1])
            )
    raise AssertionError("nobody fights")


FIGHT = "They lock antlers"


def test_a_fight_on_antler_island(base, sit):
    """Two stags on one space: the answer that makes them fight, and how that is told and shown."""
    content, players, who, action = before_a_fight()
    with urllib.request.urlopen(urllib.request.Request(f"{base}/api/records", content)) as answer_:
        made = json.load(answer_)
    pages = {each: sit(f"/t/{made['table']}#{made['tokens'][each]}") for each in players}
    page = pages[who]
    page.wait_for_selector(ASKED)
    text = page.evaluate(
        "(id) => window.rulerun.chairs[0].scene.actions.find((each) => each.id === id).text", action
    )
    if page.locator("details.every:not([open])").count():
        page.locator("details.every summary").click()
    page.locator("#ask .choice", has_text=text).first.click()
    for each in pages.values():
        until(lambda each=each: FIGHT in each.locator("#story").inner_text())
        assert "strong (antlers" in each.locator("#story").inner_text()


def test_a_game_is_looked_at_again(base, sit):
    links = lay(base, "tic_tac_toe")
    pages = [sit(links["x"]), sit(links["o"])]
    play(pages)
    slider = pages[0].locator("#slider")
    until(lambda: pages[0].locator("#moment output").inner_text() not in ("", "0/1"))
    slider.fill("1")
    until(lambda: pages[0].locator("#moment output").inner_text().startswith("1/"))
    assert not pages[0].locator(".ending").count()
    assert "You look back" in pages[0].locator("#headline").inner_text()
    assert not pages[0].locator("#ask .waiting").count(), "nobody is waited for"
    pages[0].get_by_role("button", name="One on").click()
    until(lambda: pages[0].locator("#moment output").inner_text().startswith("2/"))
    for _ in range(2):
        pages[0].get_by_role("button", name="One back").click()
    until(lambda: pages[0].locator("#moment output").inner_text().startswith("0/"))
    assert pages[0].get_by_role("button", name="One back").is_disabled()


def test_a_card_of_somebody_else_is_no_answer(base, sit):
    """Both have played their Prince: who holds another of that name clicks that one only."""
    links = lay(base, "chasse_en_folie", players=3)
    roles = [role for role in links if role not in ("owner", "spectator")]
    pages = [sit(links[role]) for role in roles]
    shared = set()
    for _ in range(12):
        until(lambda: any(page.locator(ASKED).count() for page in pages))
        page = next(page for page in pages if page.locator(ASKED).count())
        elsewhere = page.locator("section.area:not(.own)")
        names = set(elsewhere.locator(".card .what").all_inner_texts())
        mine = page.locator("section.own button.card.can .what").all_inner_texts()
        shared |= names & set(mine)
        assert mine and not elsewhere.locator(".card.can").count()
        before = mark(page)
        answer(page)
        until(lambda page=page, before=before: mark(page) != before)
    assert shared, "nobody has laid out what somebody else may still play"


@pytest.mark.parametrize(
    ("texts", "keys"),
    [
        (["Left", "Right"], ["1", "2"]),
        (["0", "1", "12", "Pass"], ["0", "1", "", ""]),
        (["Tile 2", "Tile 1", "Field O4"], ["a", "b", "c"]),
        (["O4", "R2c3"], ["1", "2"]),
    ],
)
def test_a_key_means_no_other_answer(base, sit, texts, keys):
    """A number is typed for itself; letters stand where numbers stand in the words."""
    page = sit("/")
    found = page.evaluate(
        """async (texts) => (await import("/static/answering.js")).labels(
            texts.map((text) => ({ text })))""",
        texts,
    )
    assert found == keys


def test_a_number_is_answered_by_itself(base, sit):
    """A scene whose answers are 0, 1 and 2: the key 2 takes the answer 2."""
    page = sit(lay(base, "brave_rats")["yarg"])
    page.wait_for_selector(ASKED)
    sent = page.evaluate(
        """() => {
            const { chairs } = window.rulerun, one = chairs[0], sent = [];
            one.link.say = (text) => sent.push(JSON.parse(text));
            const actions = one.scene.actions.slice(0, 3);
            actions.forEach((each, place) => { each.text = `${place}`; });
            one.scene.actions.splice(0, Infinity, ...actions);
            for (const key of ["Escape", "2"])
                document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
            return [sent.map((each) => each.action), actions[2].id];
        }"""
    )
    assert sent[0] == [sent[1]]


def test_what_is_told_of_a_card_goes_with_it(base, sit):
    """By a key, a scroll or the answer; and it covers nothing that counts."""
    page = sit(lay(base, "brave_rats")["yarg"])
    card = page.locator("section.own button.card.can", has_text="Princess")
    tip, values = page.locator("#tip"), page.locator("section.own .values")
    card.hover()
    tip.wait_for()
    place, counts = tip.bounding_box(), values.bounding_box()
    assert (
        counts["y"] + counts["height"] <= place["y"] or place["y"] + place["height"] < counts["y"]
    )
    page.keyboard.press("Escape")
    assert tip.is_hidden()
    page.mouse.move(1, 1)
    card.hover()
    tip.wait_for()
    card.click()
    page.wait_for_selector("#ask .waiting")
    assert tip.is_hidden()


def test_no_name_that_nobody_gave_is_told_of_a_field(base, sit):
    page = sit(next(iter(lay(base, "ruse").values())))
    page.wait_for_selector(".cell")
    cells = page.locator(".cell[aria-label*=r1c]")
    assert cells.count()
    for at in range(cells.count()):
        cells.nth(at).hover(force=True)
        assert "r1c" not in page.locator("#tip").inner_text()


def test_what_is_asked_about_a_question_moves_no_answer(base, sit):
    """What they do, why nothing else, and what was advised: above the bar, one at a time."""
    page = sit(lay(base, "brave_rats")["yarg"])
    page.wait_for_selector(ASKED)
    place = page.locator("#ask .choice").first.bounding_box()
    for what in ("explains", "why"):
        page.locator(f"[data-focus={what}]").click()
        box = page.locator(f"#ask .aside.{what}")
        box.wait_for()
        assert page.locator("#ask .choice").first.bounding_box() == place
        assert box.bounding_box()["y"] + box.bounding_box()["height"] <= place["y"]
        assert page.locator(".aside").count() == 1
    assert not page.locator(".aside li").count(), "a word that there is nothing is no list"
    page.locator(".aside .close").click()
    assert not page.locator(".aside").count()
    tops = {each.bounding_box()["y"] for each in page.locator("#ask .links button").all()}
    assert len(tops) == 1


@pytest.mark.parametrize("game", ["brave_rats", "chasse_en_folie", "antler_island"])
@pytest.mark.parametrize(("width", "height"), [(390, 800), (1280, 800)])
def test_what_a_question_is_about_is_in_view(base, sit, game, width, height):
    players = {} if game == "brave_rats" else {"players": 3}
    links = lay(base, game, **players)
    roles = [role for role in links if role not in ("owner", "spectator")]
    pages = [sit(links[role], width=width, height=height) for role in roles]
    until(lambda: any(page.locator(ASKED).count() for page in pages))
    page = next(page for page in pages if page.locator(ASKED).count())
    things = page.locator("#board .can")
    if things.count():
        bar = page.locator("#ask").bounding_box()
        until(lambda: 0 <= things.first.bounding_box()["y"] < bar["y"])
        assert bar["height"] <= height * 0.45 + 1


def test_no_line_begins_with_a_colon_in_french(base, sit):
    page = sit(lay(base, "brave_rats")["yarg"], locale="fr")
    page.wait_for_selector(ASKED)
    page.locator("#ask .choice").first.click()
    page.wait_for_selector("#ask .waiting")
    texts = page.evaluate("document.querySelector('#layout').textContent")
    assert "\u00a0:" in texts and " :" not in texts


def test_names_of_fields_stand_before_what_lies_there(base, sit):
    page = sit(next(iter(lay(base, "antler_island", players=3).values())))
    page.wait_for_selector(ASKED)
    page.locator("#ask .choice").first.click()
    page.wait_for_selector(".cell .piece")
    last = page.evaluate(
        """[...document.querySelectorAll(".cell:has(.piece)")].map((cell) =>
            [...cell.children].findLastIndex((each) => each.matches(".piece"))
            < [...cell.children].findIndex((each) => each.matches(".site")))"""
    )
    assert last and all(last)


def test_a_page_handed_over_shows_one_question(base, sit):
    links = lay(base, "brave_rats")
    page = sit(f"{links['yarg']}+{links['applewood'].partition('#')[2]}")
    button = page.get_by_role("button", name="I am Yarg")
    button.wait_for()
    assert page.locator("#story").is_hidden()
    assert button.bounding_box()["y"] < 600


def test_links_stand_in_columns(base, sit):
    page = sit("/#brave_rats", locale="fr")
    page.wait_for_selector("form")
    assert page.locator("legend").first.inner_text() == "Places", "two play: nothing to choose"
    page.locator(".seats select").nth(1).select_option("person")
    page.locator("button[type=submit]").click()
    page.wait_for_selector("ul.links")
    for kind in ("input", "a"):
        boxes = [each.bounding_box() for each in page.locator(f"ul.links {kind}").all()]
        assert len({(round(each["x"]), round(each["width"])) for each in boxes}) == 1


def test_the_shelf_counts_well_and_says_that_nothing_is_found(base, sit):
    page = sit("/", locale="fr-FR")
    playwright.expect(page.locator("a.game", has_text="tic").locator("small")).to_have_text(
        "2 joueurs · 1 minute"
    )
    page.locator("input[type=search]").fill("no game is called so")
    playwright.expect(page.get_by_role("status")).to_have_text("rien ne convient")
