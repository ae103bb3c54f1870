"""The exit codes that docs/reference/cli.md promises, whatever the world outside is like.

Exit 3 means a bug. So nothing that a file, a folder, a disk, a stream or a command line can be ends
in it. A row with a stream in it is a command of a shell, run on its own, with a limit on its time;
the others run in this process.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import rulerun
import rulerun_dsl
from rulerun.__main__ import main

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="these are words of a shell")

SMALL = """
rulerun: 1
game: small
title: Small
players: [a, b]
options: {most: {type: 1..3, default: 2}}
state: {visible: all, n: 0..most}
phases:
  play:
    turns: you in players
    until: n == most
    do: [choose: {more: n += 1, wait: pass}]
"""

CLOSED = "rulerun: standard output is closed"
FULL = "rulerun: standard output takes no more: no space left on device"


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """A folder with files that are right, wrong, endless, gone, and go round in circles."""
    here: Path = tmp_path_factory.mktemp("exits")
    (here / "g.yaml").write_text(SMALL)
    (here / "g.test.yaml").write_text("scenarios: [{id: x, do: [{a: more}], expect: [n == 1]}]\n")
    (here / "wrong.yaml").write_text("rulerun: 1\ngame: wrong\nodd: 1\n")
    (here / "bytes.yaml").write_bytes(b"\xff\xfe\x00\x01" * 50)
    (here / "bytes.test.yaml").write_bytes(b"\xff\xfe\x00\x01" * 50)
    deep = "[" * 100_000
    (here / "deep.yaml").write_text(f"a: {deep}")
    (here / "deep.test.yaml").write_text(f"scenarios: {deep}")
    (here / "deep.jsonl").write_text(f"{deep}\n")
    circle = here / "circle"
    circle.mkdir()
    (circle / "a.yaml").symlink_to("b.yaml")
    (circle / "b.yaml").symlink_to("a.yaml")
    (circle / "up").symlink_to("..")
    (circle / "gone.yaml").symlink_to("nowhere")
    (circle / "folder.yaml").mkdir()
    for name, file in (("settings", "settings"), ("chunks", "chunks"), ("linked", "")):
        kept = here / f"kept-{name}"
        run(here, f"rulerun simulate g.yaml -n 5 --out kept-{name}")
        if file:
            (kept / f"{file}.jsonl").write_text(f"{deep}\n")
        else:
            (kept / "chunks.jsonl").unlink()
            (kept / "chunks.jsonl").symlink_to("/dev/zero")
    run(here, "rulerun play g.yaml --seat all=first --record r.jsonl")
    header = json.loads((here / "r.jsonl").read_text().splitlines()[0])
    header = {key: header[key] for key in header if key != "sum"}
    header |= {"record": 1, "options": {"odd": "1"}}
    (here / "options.jsonl").write_text(json.dumps(header) + "\n")
    return here


def run(here: Path, command: str) -> subprocess.CompletedProcess[str]:
    roots = {str(Path(package.__path__[0]).parent) for package in (rulerun, rulerun_dsl)}
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sorted(roots)),
        "RULERUN_CACHE": "off",
    }
    environment.pop("RULERUN_TRACEBACK", None)
    program = f'rulerun() {{ "{sys.executable}" -m rulerun "$@"; }}\n'
    return subprocess.run(
        ["/bin/sh", "-c", program + command],
        cwd=here,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=60,
    )


def run_here(here: Path, command: str) -> subprocess.CompletedProcess[str]:
    """The same without a shell, for what asks nothing of the streams."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(here),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.delenv("RULERUN_TRACEBACK", raising=False)
        patch.setattr("sys.stdin", io.StringIO())
        try:
            code = main(shlex.split(command))
        except SystemExit as exit_:
            code = exit_.code if isinstance(exit_.code, int) else 1
    return subprocess.CompletedProcess(command, code, out.getvalue(), err.getvalue())


TABLE = {
    # Streams that are closed, full, or nobody's.
    "--version >&-": (2, CLOSED),
    "--version >/dev/full": (2, FULL),
    "--help >/dev/full": (2, FULL),
    "show g.yaml >&-": (2, CLOSED),
    "show g.yaml >/dev/full": (2, FULL),
    "play g.yaml >&-": (2, CLOSED),
    "play g.yaml <&-": (2, "the input ended before the game"),
    "play g.yaml --script - <&-": (2, "the input ended before the game"),
    "play g.yaml --script - <bytes.yaml": (1, "is refused"),
    "validate - <&-": (1, ""),
    "validate - <bytes.yaml": (1, ""),
    "validate g.yaml >&-": (0, "no problems found"),
    "validate wrong.yaml >&-": (2, CLOSED),
    "validate wrong.yaml 2>&-": (1, ""),
    "validate wrong.yaml 2>/dev/full": (1, ""),
    "validate wrong.yaml --format github >/dev/full": (2, FULL),
    "test g.yaml >&-": (2, CLOSED),
    "replay r.jsonl --rules g.yaml >&- 2>&-": (2, ""),
    "simulate g.yaml -n 5 <&- >&- 2>&-": (2, ""),
    "simulate g.yaml -n 5 --jobs 2 >&-": (2, CLOSED),
    "compile g.yaml >/dev/full": (2, FULL),
    "compare g.yaml --against most=1 -n 5 >&-": (2, CLOSED),
    # Files that are folders, circles, bytes, deep, gone.
    "validate circle": (1, "settings"),
    "validate circle/a.yaml": (2, "there is no file or folder"),
    "validate bytes.yaml deep.yaml": (1, ""),
    "validate bytes.test.yaml deep.test.yaml": (1, ""),
    "validate g.yaml/x": (2, "there is no file or folder"),
    "test circle": (5, "there is no scenario"),
    "test deep.test.yaml bytes.test.yaml": (1, "failed"),
    "show circle": (2, "is a folder"),
    "show circle/a.yaml": (2, "there is no file"),
    "show deep.yaml": (1, ""),
    "replay circle": (2, "RR1001"),
    "replay circle/a.yaml": (2, "RR1001"),
    "replay deep.jsonl": (2, "RR1003"),
    "replay bytes.yaml": (2, "RR1003"),
    "replay options.jsonl --rules g.yaml": (1, "has no longer"),
    "replay r.jsonl --rules circle": (2, "is a folder"),
    "play --resume circle": (2, "RR1001"),
    "play --resume r.jsonl g.yaml --seat zed=human": (2, "there is no player zed"),
    "play g.yaml --record circle": (2, "already"),
    "play g.yaml --record nowhere/x": (2, "cannot be written"),
    "play g.yaml --script circle": (2, "cannot be read"),
    "simulate g.yaml -n 5 --out r.jsonl": (2, "file exists"),
    "simulate g.yaml -n 5 --out circle": (2, "and no simulation"),
    "simulate g.yaml -n 5 --out kept-settings": (2, "is none of a simulation"),
    "simulate g.yaml -n 5 --out kept-chunks": (2, "is damaged in line 1"),
    "simulate g.yaml -n 5 --out kept-linked": (2, "is no file of a simulation"),
    "simulate g.yaml -n 5 --html circle": (2, "is a folder"),
    "simulate g.yaml -n 5 --html /dev/full": (2, "no space left"),
    "compile g.yaml -o circle/a.yaml": (2, "cannot be written"),
    # Numbers that are none.
    "simulate g.yaml --until-ci nan": (2, "nan is not a number"),
    "simulate g.yaml --until-ci inf": (2, "not in the range"),
    "simulate g.yaml --until-ci=-1": (2, "not in the range"),
    "simulate g.yaml -n 5 --players 99999999999999999999": (2, "is for 2 players"),
    "play g.yaml --seat": (2, "requires an argument"),
    "explain 99999999999999999999": (2, "there is no finding"),
}


THE_LIKE = {
    *("--help >/dev/full", "show g.yaml >/dev/full", "play g.yaml <&-", "test g.yaml >&-"),
    *("validate wrong.yaml 2>/dev/full", "simulate g.yaml -n 5 --jobs 2 >&-"),
    *("compare g.yaml --against most=1 -n 5 >&-", "validate - <&-", "show g.yaml >&-"),
    *("compile g.yaml >/dev/full", "play g.yaml --script - <bytes.yaml", "play g.yaml >&-"),
}
"""Rows with a stream of which the quick run has the like."""


@pytest.mark.slow_in_ci
@pytest.mark.parametrize(
    "command",
    [pytest.param(row, marks=[pytest.mark.slow] if row in THE_LIKE else []) for row in TABLE],
)
def test_exits(place, command):
    code, said = TABLE[command]
    if "/dev/full" in command and not Path("/dev/full").exists():
        pytest.skip("there is no full disk")
    done = (
        run(place, f"rulerun {command}") if set("<>") & set(command) else run_here(place, command)
    )
    assert done.returncode == code, done.stderr + done.stdout
    assert " ".join(said.split()) in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "command",
    ["show g.yaml", "compile g.yaml", "validate wrong.yaml", "play g.yaml --seat all=first"],
)
def test_a_reader_that_goes_away_is_no_failure(place, command):
    """`| head`: what was asked for was read as far as it was wanted."""
    done = run(place, f"{{ rulerun {command}; echo $? >code; }} | true; cat code")
    assert done.stdout in ("0\n", "1\n")  # 1: the answer was ready before the reader went away
    assert "rulerun:" not in done.stderr


def test_a_disk_that_is_full_is_named_and_nothing_is_lost(place):
    # Python would leave half a compiled module for others.
    keeps_nothing = "export PYTHONDONTWRITEBYTECODE=1"
    done = run(place, f"{keeps_nothing}; ulimit -f 1; rulerun simulate g.yaml -n 400 --out full")
    assert done.returncode == 2
    assert "`full/chunks.jsonl` takes no more" in done.stderr
    again = run(place, "rulerun simulate g.yaml -n 400 --out full --format json")
    alone = run(place, "rulerun simulate g.yaml -n 400 --format json")
    assert again.returncode == 0
    assert again.stdout == alone.stdout


def test_what_is_no_scheduler(monkeypatch):
    """It may answer anything, or nothing: both are the same line, and soon."""
    from rulerun.simulation.run import cluster
    from rulerun.simulation.run.task import Lost

    def strange(address, timeout):
        raise OverflowError("cannot fit 'int' into an index-sized integer")

    def silent(address, timeout):
        import threading

        threading.Event().wait()

    monkeypatch.setattr(cluster, "PATIENCE", 0.1)
    for client in (strange, silent):
        with pytest.raises(Lost, match="no Dask scheduler answers at `somewhere`"):
            cluster._connected(client, "somewhere")


def test_what_the_system_refuses_is_no_bug(monkeypatch, capsys, tmp_path):
    """A file that vanishes between two looks, or memory that is not there."""
    from rulerun.cli import main

    (tmp_path / "g.yaml").write_text(SMALL)
    for error, said in (
        (FileNotFoundError(2, "No such file or directory", "g.yaml"), "`g.yaml`: no such file"),
        (PermissionError(13, "Permission denied", "g.yaml"), "`g.yaml`: permission denied"),
        (OSError(5, "Input/output error"), "input/output error"),
        (MemoryError(), "not enough memory"),
    ):

        def refuse(*arguments, error=error):
            raise error

        monkeypatch.setattr("rulerun.cli.validate.collect", refuse)
        assert main(["validate", str(tmp_path / "g.yaml")]) == 2
        assert said in capsys.readouterr().err
