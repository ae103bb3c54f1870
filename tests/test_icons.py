"""Pictures beside a rules file: found by the names of what they show."""

from __future__ import annotations

import json

import pytest

from rulerun.cli import main
from rulerun_dsl.icons import LARGEST, files_of_icons
from rulerun_dsl.source.resources import ruleset_path

SVG = '<?xml version="1.0"?>\n<!-- a\ncomment -->\n<svg xmlns="http://www.w3.org/2000/svg"/>'


@pytest.fixture
def rules(tmp_path):
    shipped = ruleset_path("checkers")
    assert shipped is not None
    path = tmp_path / "checkers.yaml"
    path.write_bytes(shipped.read_bytes())
    (tmp_path / "icons" / "checkers").mkdir(parents=True)
    return path


def found(rules, capsys):
    """What `validate` finds: file and message of each."""
    code = main(["validate", str(rules), "--play", "0", "--format", "json"])
    every = json.loads(capsys.readouterr().out)["diagnostics"]
    assert bool(code) == bool(every)
    return [(each["code"], each["message"], str(each["help"])) for each in every]


def put(rules, name, content=SVG):
    (rules.parent / "icons" / "checkers" / name).write_text(content, encoding="utf-8")


def test_pictures_of_what_there_is_are_right(rules, capsys):
    for name in ("man", "white man", "king", "black", "on"):
        put(rules, f"{name}.svg")
    put(rules, "notes.txt")
    assert sorted(files_of_icons(rules)) == ["black", "king", "man", "on", "white man"]
    assert not found(rules, capsys)
    assert not found(rules, capsys)


@pytest.mark.parametrize(
    ("name", "content", "message", "help_"),
    [
        ("wite man.svg", SVG, "called `wite man`", "`white man.svg`"),
        ("elephant.svg", SVG, "called `elephant`", "glyph"),
        ("man.svg", "GIF89a", "no SVG", "<svg"),
        ("man.svg", "", "no SVG", "<svg"),
        ("man.svg", "<!---->" * 60, "no SVG", "<svg"),
        ("man.svg", "<svg>" + " " * LARGEST, "64 KiB", "leave out"),
    ],
)
def test_a_picture_that_is_wrong_is_told(rules, capsys, name, content, message, help_):
    put(rules, "black man.svg")
    assert not found(rules, capsys)
    # What was found right before does not hide a picture that came since.
    put(rules, name, content)
    ((code, text, help_text),) = found(rules, capsys)
    assert code == "RR0755" and message in text and help_ in help_text


def test_a_picture_that_is_a_link_out_of_the_folder_is_nobodys(rules, tmp_path_factory, capsys):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "key"
    elsewhere.write_text("secret", encoding="utf-8")
    put(rules, "king.svg")
    folder = rules.parent / "icons" / "checkers"
    try:
        (folder / "man.svg").symlink_to(elsewhere)
        (folder / "white man.svg").symlink_to(folder / "king.svg")
    except OSError:
        pytest.skip("there are no links here")
    assert sorted(files_of_icons(rules)) == ["king", "white man"]
    ((code, message, help_),) = found(rules, capsys)
    assert code == "RR0755" and "leads out" in message and "copy" in help_
