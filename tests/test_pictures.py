"""The pictures in the docs are what the terminal shows: drawn anew, they are the same."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"

pytestmark = pytest.mark.skipif(not PICTURES.is_dir(), reason="the pages are not in the wheel")


@pytest.fixture(scope="module")
def draw() -> ModuleType:
    spec = importlib.util.spec_from_file_location("draw", PICTURES / "draw.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_picture_of_play_is_what_is_shown(draw: ModuleType) -> None:
    drawn = draw.picture(draw.screen())
    assert drawn == draw.PICTURE.read_text(encoding="utf-8"), "run python docs/pictures/draw.py"
    texts = [each.text for each in ElementTree.fromstring(drawn).iter() if each.text]
    assert f"$ {draw.COMMAND}" in texts and "Yarg>" in texts


def test_styles_and_gaps_are_kept_apart(draw: ModuleType) -> None:
    found = list(draw.runs("\x1b[1;35mA <b>\x1b[0m   x y  \x1b[2mz\x1b[0m"))
    assert found == [(0, "1;35", "A <b>"), (8, "0", "x y"), (13, "2", "z")]
    assert ">A &lt;b&gt;</text>" in draw.picture(["\x1b[1;35mA <b>\x1b[0m"])
