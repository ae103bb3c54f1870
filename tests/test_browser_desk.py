"""The designer's desk in a real browser: write, see what is wrong, save, play on.

Needs playwright and a Chromium; run by `-m browser`, skipped where one of them is missing.
"""

from __future__ import annotations

import shutil
import socket
import threading
import time

import pytest

from rulerun_dsl.source.resources import ruleset_path

pytestmark = pytest.mark.browser
pytest.importorskip("starlette")
playwright = pytest.importorskip("playwright.sync_api")
uvicorn = pytest.importorskip("uvicorn")

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)
WRITE = """([old, now]) => {
  const { editor } = window.rulerun.desk;
  const from = editor.text(editor.name).indexOf(old);
  if (from < 0) throw new Error(`there is no ${old}`);
  const changes = { from, to: from + old.length, insert: now };
  editor.view.dispatch({ changes, selection: { anchor: from + now.length }, scrollIntoView: true });
  editor.view.focus();
}"""
"""As somebody types over a piece of the text."""


@pytest.fixture
def rules(tmp_path):
    """A copy of Brave Rats."""
    shipped = ruleset_path("brave_rats")
    assert shipped is not None
    for name in ("brave_rats.yaml", "brave_rats.test.yaml"):
        shutil.copy(shipped.with_name(name), tmp_path / name)
    return tmp_path / "brave_rats.yaml"


@pytest.fixture
def base(rules, tmp_path):
    """The address of a desk."""
    from rulerun.web.app import application
    from rulerun.web.shelf import Shelf
    from rulerun.web.store import Store

    listener = socket.create_server(("127.0.0.1", 0))
    shelf, store = Shelf({"brave_rats": rules}), Store(tmp_path / "tables")
    app = application(shelf, store, frozenset({"127.0.0.1"}), 1, (rules, "owner"))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join(20)


@pytest.fixture
def open_(base):
    """Pages of the desk; none may report an error, of its policy neither."""
    if not CHROMIUM:
        pytest.skip("there is no Chromium on the path")
    faults, refused = [], []
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])

        def begin(path="/desk#owner", width=1280, height=860, **more):
            page = browser.new_page(viewport={"width": width, "height": height}, **more)
            page.set_default_timeout(60_000)
            page.on("pageerror", lambda fault: faults.append(str(fault)))
            page.on("console", lambda said: faults.extend([said.text] * (said.type == "error")))
            page.on("response", lambda given: refused.append(given.status))
            page.goto(base + path)
            return page

        yield begin
        browser.close()
    if 403 in refused:
        # A browser says so as well, and that is as it should be.
        faults = [each for each in faults if "403" not in each]
    assert not faults


def write(page, old, now):
    page.evaluate(WRITE, [old, now])


def text_of(page):
    return page.evaluate("window.rulerun.desk.editor.text('brave_rats.yaml')")


def until(holds, seconds=60):
    """Wait until something holds: the policy of the page lets playwright wait for no expression."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.05)


def lay(page, *cards):
    """Yarg and Applewood lay cards, one after the other."""
    table = page.frame_locator("#framed iframe")
    for card in cards:
        said = table.locator("#ask h2, #ask .waiting").first
        said.wait_for()
        table.locator("#ask").get_by_role("button", name=card).click()
    return table


def test_from_a_slip_to_games_by_bots(open_, rules):
    page = open_()
    page.locator("#panel .good").wait_for()
    # A slip is marked, said, and mended by its button.
    write(page, "strength(yarg) == ", "strenght(yarg) == ")
    page.locator(".cm-lintRange-error").wait_for()
    assert "there is no function" in page.locator("#panel .found").inner_text()
    page.locator("#panel .fixes button").first.click()
    page.locator("#panel p.good").wait_for()
    assert not page.locator("#files .dirty").count()
    page.locator("#panels .good").nth(1).wait_for()  # All scenarios pass.
    # The table goes on by a number that is another now.
    table = lay(page, "Prince 7", "Musician 0")
    write(page, "default: 4, about: Won rounds", "default: 3, about: Won rounds")
    page.locator("#files .dirty").wait_for()
    page.keyboard.press("Control+s")
    page.locator("#fate .fine").wait_for()
    assert "2 inputs were given again" in page.locator("#fate").inner_text()
    table.get_by_text("who wins 3 wins").wait_for()
    assert "default: 3, about: Won rounds" in rules.read_text(encoding="utf-8")
    page.locator("#panels").get_by_text("Scenarios").click()
    page.locator("#panel").get_by_text("Failed with this save").first.wait_for()
    # A card that is gone was laid: that input is named.
    write(page, "default: 8, about: Cards", "default: 3, about: Cards")
    page.get_by_role("button", name="Save", exact=True).click()
    page.locator("#fate .note:not(.fine)").wait_for()
    assert "Input 1, Yarg: Prince 7" in page.locator("#fate").inner_text()
    page.locator("#fate").get_by_role("button", name="Begin anew").click()
    page.locator("#fate .fine").wait_for()
    # Bots say what it does to the game.
    page.locator("#panels").get_by_text("Games by bots").click()
    for number, target in enumerate((2, 3)):
        page.locator("#panel input").fill("20")
        page.locator("#panel select").select_option("random")
        page.get_by_role("button", name="Play", exact=True).click()
        table = page.locator("#panel table").nth(0)
        table.wait_for()
        page.locator("#panel").get_by_role("button", name="Play", exact=True).wait_for()
        # What was changed before they first played counts as well.
        assert "Difference" in table.inner_text()
        if not number:
            write(page, "default: 3, about: Won rounds", f"default: {target}, about: Won rounds")
            page.keyboard.press("Control+s")
            page.locator("#fate .fine").wait_for()


def test_completion_and_what_a_thing_is(open_):
    page = open_()
    page.locator("#panel .good").wait_for()
    write(page, "- move c to line", "- move c to line")
    page.keyboard.press("Enter")
    page.keyboard.type("- move c to ha")
    page.locator(".cm-tooltip-autocomplete").get_by_text("hand", exact=True).first.wait_for()
    page.keyboard.press("Enter")
    assert "- move c to hand" in text_of(page)
    write(page, "face(yarg)", "face(yarg)")
    page.locator(".cm-line", has_text="- say: ").get_by_text("face").first.hover()
    page.locator(".cm-hover").get_by_text("face").first.wait_for()


def test_somebody_else_has_saved(open_, rules):
    page = open_()
    page.locator("#panel .good").wait_for()
    text = rules.read_text(encoding="utf-8")
    # What is not being written here is taken over.
    rules.write_text(text.replace("minutes: 5..10", "minutes: 5..12"), encoding="utf-8")
    until(lambda: "minutes: 5..12" in text_of(page))
    write(page, "minutes: 5..12", "minutes: 5..15")
    rules.write_text(text.replace("minutes: 5..10", "minutes: 5..20"), encoding="utf-8")
    page.keyboard.press("Control+s")
    page.locator("#stale").get_by_role("button", name="See the difference").click()
    assert "+ minutes: 5..15" in page.locator("#stale ins").inner_text()
    assert "minutes: 5..20" in rules.read_text(encoding="utf-8")
    page.get_by_role("button", name="Overwrite with mine").click()
    page.locator("#stale").wait_for(state="hidden")
    until(lambda: "minutes: 5..15" in rules.read_text(encoding="utf-8"))


@pytest.mark.parametrize("width", [800, 1280])
def test_the_desk_fits_its_screen_and_everybody(open_, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    for scheme in ("light", "dark"):
        page = open_(width=width, height=740, color_scheme=scheme)
        page.locator("#panel .good").wait_for()
        out = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert out <= 0, f"{out} pixels stick out"
        found = [
            f"{each['id']}: {each['nodes'][0]['html'][:160]}"
            for each in axe.run(page).response["violations"]
            if each["impact"] in ("serious", "critical")
        ]
        assert not found
        if width == 800:
            page.get_by_role("button", name="The table").click()
            page.frame_locator("#framed iframe").locator("#ask h2").wait_for()


def test_whoever_has_no_key_sees_nothing(open_):
    page = open_("/desk#guessed", width=800)
    page.locator("#desk [role=alert]").wait_for()
    assert "for who has begun the server" in page.locator("#desk").inner_text()
