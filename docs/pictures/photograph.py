"""The picture of the designer's desk: photographs it in a browser.

Needs the extra `browser` and a Chromium. Run it when the desk looks otherwise:

    python docs/pictures/photograph.py
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

PICTURE = Path(__file__).parent / "desk.jpg"
RULESETS = Path(__file__).parents[2] / "rulesets"
LAID = ("Prince 7", "Musician 0", "Spy 2", "Princess 1")
WRITE = """([old, now]) => {
  const { editor } = window.rulerun.desk;
  const from = editor.text(editor.name).indexOf(old);
  editor.view.dispatch({ changes: { from, to: from + old.length, insert: now } });
  editor.go(editor.name, from + now.length);
}"""


def main() -> None:
    """Lay out the desk of a copy of Brave Rats, play two rounds, slip with a name."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for each in ("brave_rats.yaml", "brave_rats.test.yaml"):
            shutil.copy(RULESETS / each, folder / each)
        command = [sys.executable, "-m", "rulerun", "serve", "--port", "0"]
        command += ["--edit", str(folder / "brave_rats.yaml"), "--data", str(folder / "tables")]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            address = re.search(r"http\S+", server.stdout.readline())
            assert address is not None
            with sync_playwright() as started:
                chromium = shutil.which("chromium") or shutil.which("google-chrome")
                browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
                page = browser.new_page(viewport={"width": 1280, "height": 820})
                photograph(page, address[0])
                browser.close()
        finally:
            server.terminate()
            server.wait()


def photograph(page: Page, address: str) -> None:
    """Take the picture."""
    page.set_default_timeout(120_000)
    page.goto(address)
    page.locator("#panels .good").nth(1).wait_for()
    table = page.frame_locator("#framed iframe")
    for card in LAID:
        table.locator("#ask").get_by_role("button", name=card).click()
        page.wait_for_timeout(1_500)
    page.evaluate(WRITE, ["strength(yarg) == ", "strenght(yarg) == "])
    page.locator("#panel .fixes").wait_for()
    page.wait_for_timeout(500)
    page.screenshot(path=PICTURE, type="jpeg", quality=72)


if __name__ == "__main__":
    main()
