"""Somebody new goes through the README and the tutorial, in a shell that has nothing.

Every command is typed as it stands there, each into a process of its own, in one folder, and the
files are those of the pages at that point. `test_docs` runs the same inside one process.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.test_docs import DOCS, ROOT, Block, blocks_of, matches

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DOCS.is_dir(), reason="the pages are not in the wheel"),
    pytest.mark.skipif(os.name == "nt", reason="the shell is that of Unix"),
]

TUTORIAL = sorted((DOCS / "tutorial").glob("[0-9]-*.md"))
PATHS = [[ROOT / "README.md"], TUTORIAL, [DOCS / "tutorial" / "ten-minutes.md"]]


def shell(folder: Path) -> dict[str, str]:
    """What is known to a shell in which somebody has installed `rulerun` and no more."""
    programs = folder / "bin"
    programs.mkdir()
    home = folder / "home"
    home.mkdir()
    roots = os.pathsep.join(str(ROOT / each) for each in ("dsl", "interpreter"))
    command = programs / "rulerun"
    command.write_text(
        f'#!/bin/sh\nPYTHONPATH="{roots}" exec "{sys.executable}" -m rulerun "$@"\n',
        encoding="utf-8",
    )
    command.chmod(0o755)
    return {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(home), "COLUMNS": "100"}


def stumbles(blocks: list[Block], folder: Path, env: dict[str, str]) -> list[str]:
    """The commands that do something else than the page says."""
    found: list[str] = []
    for block in blocks:
        if block.file is not None:
            path = folder / block.file
            before = path.read_text(encoding="utf-8") + "\n" if "append" in block.info else ""
            path.write_text(before + block.text, encoding="utf-8")
        if block.language != "console" or "slow" in block.info:
            continue
        for each in block.text.removeprefix("$ ").split("\n$ "):
            command, *expected = each.splitlines()
            done = subprocess.run(
                ["sh", "-c", command],
                cwd=folder,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
                timeout=300,
            )
            wanted = int(block.setting("exit") or 0)
            if done.returncode != wanted or not matches(expected, done.stdout.splitlines()):
                found.append(f"{block.place}: `{command}` exits {done.returncode}\n{done.stdout}")
    return found


@pytest.mark.parametrize("pages", PATHS, ids=["readme", "tutorial", "ten-minutes"])
def test_a_walk(pages: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    blocks = [block for page in pages for block in blocks_of(page)]
    assert any(block.language == "console" for block in blocks)
    wrong = stumbles(blocks, folder, shell(tmp_path))
    assert not wrong, "\n\n".join(wrong)
