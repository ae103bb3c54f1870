"""Only regular files are read, up to a size, and a rules file reaches no further than its folder.

What would hang, or fill the memory, if it were otherwise runs in a process of its own.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.rulesets import FOR_CI

from rulerun_dsl.load import load
from rulerun_dsl.source.regular_files import Special, TooLarge, opened, read_regular, within
from rulerun_dsl.yaml.open_source import read_source

MEMORY = 2**30
"""Bytes of address space that a command gets here."""

pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
zero = pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no endless device here")

RULES = "rulerun: 1\ngame: demo\nplayers: 2\nfiles: [{name}]\nstate: {{visible: all, n: 0..9}}\n"
MODULE = "module: more\nsetup: n = 3\n"


def rulerun(
    *arguments: str, cwd: Path, stdin: int = subprocess.DEVNULL
) -> subprocess.CompletedProcess[str]:
    """Run a command with little memory and little time."""
    limit = (
        f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))\n"
        "import sys; from rulerun.__main__ import main\n"
        f"sys.exit(main({list(arguments)!r}))"
    )
    return subprocess.run(
        [sys.executable, "-c", limit],
        cwd=cwd,
        stdin=stdin,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=60,
    )


# ------------------------------------------------------------------------------------ reading


def test_a_file_of_just_the_size_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 100)
    assert read_regular(path, 100) == b"x" * 100
    with pytest.raises(TooLarge):
        read_regular(path, 99)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc here")
def test_a_file_that_does_not_say_its_size_is_read_up_to_it() -> None:
    assert Path("/proc/self/status").stat().st_size == 0
    assert read_regular("/proc/self/status").startswith(b"Name:")
    with pytest.raises(TooLarge):
        read_regular("/proc/self/status", 20)


def test_a_hole_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as file:
        file.truncate(2**40)
    with pytest.raises(TooLarge):
        read_regular(tmp_path / "file")


@pipes
def test_what_is_no_file_is_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(os.path.relpath(tmp_path / "socket"))
    for name, what in {
        str(tmp_path / "pipe"): "a pipe",
        str(tmp_path / "link"): "a pipe",
        str(tmp_path): "a folder",
        str(tmp_path / "socket"): "a socket",
        "/dev/null": "a device",
    }.items():
        with pytest.raises(Special) as caught:
            read_regular(name)
        assert caught.value.what == what
        assert caught.value.strerror == f"it is {what}, not a file"
    listening.close()


def test_a_link_is_refused_where_none_may_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    with opened(tmp_path / "link") as file:
        assert file.read() == b"x"
    with pytest.raises(Special):
        opened(tmp_path / "link", follow=False)


# ---------------------------------------------------------------------------------- commands


@pipes
@zero
@pytest.mark.parametrize("what", ["/dev/zero", "pipe.yaml"])
@pytest.mark.parametrize(
    "arguments",
    [
        "validate WHAT",
        "show WHAT",
        "play WHAT",
        "play pig --script WHAT",
        "play pig --resume WHAT",
        "replay WHAT",
        "replay WHAT --rules pig",
    ],
)
def test_no_command_reads_what_is_no_file(tmp_path: Path, what: str, arguments: str) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    done = rulerun(*arguments.replace("WHAT", what).split(), cwd=tmp_path)
    assert done.returncode in (1, 2), done.stderr
    said = done.stdout + done.stderr
    assert any(each in said for each in ("not a file", "no regular file", "is no record")), said
    assert "not a file" in said or "no regular file" in said
    assert "internal error" not in said


@pipes
@pytest.mark.parametrize("name", ["game.yaml", "game.test.yaml", "module.yaml"])
def test_a_pipe_in_a_folder_is_reported(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    if name == "module.yaml":
        (tmp_path / "game.yaml").write_text(RULES.format(name=name))
    if name == "game.test.yaml":
        done = rulerun("test", name, cwd=tmp_path)
        assert done.returncode == 1 and "RR0147" in done.stdout
    done = rulerun("validate", ".", cwd=tmp_path)
    assert done.returncode == 1
    assert "RR0147" in done.stdout and "is a pipe, not a file" in done.stdout


@zero
@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ("validate -", "larger than 1 MiB"),
        ("play pig --script -", "larger than 1 MiB"),
        ("play pig --seat all=human", "input"),
    ],
)
def test_endless_standard_input_is_not_read_to_its_end(
    tmp_path: Path, arguments: str, word: str
) -> None:
    with open("/dev/zero") as endless:
        done = rulerun(*arguments.split(), cwd=tmp_path, stdin=endless.fileno())
    assert done.returncode in (1, 2)
    assert word in done.stdout + done.stderr
    assert len(done.stdout) < 10_000


ASKED = ("simulate", "pig", "-n", "2", "--out", "run")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a simulation."""
    here = tmp_path_factory.mktemp("kept")
    assert rulerun(*ASKED, cwd=here).returncode == 0
    return here / "run"


@pipes
@pytest.mark.parametrize("name", ["settings.jsonl", pytest.param("chunks.jsonl", marks=FOR_CI)])
@pytest.mark.parametrize("what", ["pipe", "deep", "huge"])
def test_what_lies_under_out_is_looked_at_first(
    tmp_path: Path, kept: Path, name: str, what: str
) -> None:
    shutil.copytree(kept, tmp_path / "run")
    place = tmp_path / "run" / name
    place.unlink()
    if what == "pipe":
        os.mkfifo(place)
    elif what == "deep":
        place.write_bytes(b"[" * 100_000 + b"\n")
    else:
        with place.open("wb") as file:
            file.truncate(2**40)
    done = rulerun(*ASKED, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("rulerun: `run"), done.stderr


def test_bytes_of_a_script_may_be_anything(tmp_path: Path) -> None:
    (tmp_path / "script").write_bytes(b"\xff\n")
    with (tmp_path / "script").open() as file:
        done = rulerun("play", "pig", "--script", "-", cwd=tmp_path, stdin=file.fileno())
    assert done.returncode == 1
    assert "refused" in done.stdout + done.stderr


# ------------------------------------------------------------------------------ module files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of rules, with a file beside it that is none of them."""
    (tmp_path / "outside.yaml").write_text("secret: 17\n")
    inside = tmp_path / "rules"
    (inside / "below").mkdir(parents=True)
    (inside / "below" / "more.yaml").write_text(MODULE)
    (inside / "more.yaml").symlink_to(Path("below") / "more.yaml")
    (inside / "out.yaml").symlink_to(Path("..") / "outside.yaml")
    (inside / "up").symlink_to("..")
    (inside / "twice.yaml").symlink_to("out.yaml")
    (inside / "circle.yaml").symlink_to("circle.yaml")
    (inside / "gone.yaml").symlink_to(tmp_path / "nothing.yaml")
    return inside


def found(folder: Path, name: str) -> tuple[list[str], str]:
    path = folder / "game.yaml"
    path.write_text(RULES.format(name=name))
    _, diagnostics = load(path)
    text = " ".join(f"{each.message} {each.span and each.span.text}" for each in diagnostics)
    return [each.code for each in diagnostics], text


@pytest.mark.parametrize("name", ["more.yaml", "below/more.yaml", "below/../more.yaml"])
def test_a_module_file_in_the_folder_is_read(folder: Path, name: str) -> None:
    codes, _ = found(folder, name)
    assert codes == (["RR0148"] if ".." in name else [])


@pytest.mark.parametrize(
    ("name", "verb"),
    [
        ("out.yaml", "leads"),
        ("twice.yaml", "leads"),
        ("up/outside.yaml", "leads"),
        ("gone.yaml", "leads"),
        ("../outside.yaml", "lies"),
        ("/dev/zero", "lies"),
    ],
)
def test_a_module_file_outside_is_not_read(folder: Path, name: str, verb: str) -> None:
    codes, text = found(folder, name)
    assert codes == ["RR0148"]
    assert f"`{name}` {verb} outside the folder of the rules file" in text
    assert "17" not in text


def test_a_folder_that_is_reached_by_a_link_is_a_folder(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "linked").symlink_to(folder)
    assert found(tmp_path / "linked", "below/more.yaml")[0] == []
    assert found(tmp_path / "linked", "more.yaml")[0] == []
    assert found(tmp_path / "linked", "out.yaml")[0] == ["RR0148"]


def test_a_circle_of_links_is_no_file(folder: Path) -> None:
    codes, _ = found(folder, "circle.yaml")
    assert codes in (["RR0142"], ["RR0140"])
    assert within(folder, folder / "nul\0") == folder / "nul\0"


@pipes
def test_a_module_file_that_is_a_pipe_is_named_where_it_is_named(folder: Path) -> None:
    os.mkfifo(folder / "pipe.yaml")
    codes, text = found(folder, "pipe.yaml")
    assert codes == ["RR0147"]
    assert text.endswith("pipe.yaml")
    assert [each.code for each in read_source(folder / "pipe.yaml")[1]] == ["RR0147"]
