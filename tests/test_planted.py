"""What somebody planted in the cache is not believed: no code of theirs runs, no file gets green.

Each payload is harmless: it would leave a file in the temporary folder, or another number.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from hashlib import blake2b, sha256
from pathlib import Path

import pytest

from rulerun.cli import main
from rulerun.cli.common import game_of
from rulerun.cli.game_cache import Checked, read_game, recall, recall_game, remember, remember_game
from rulerun.host import cache_dir
from rulerun_dsl.model import Game
from rulerun_dsl.source.resources import shipped

posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="owners and modes say nothing here")
root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away"
)

ASKED = repr((None, [], ()))


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("RULERUN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache_dir, "_said", [])
    return tmp_path / "cache"


@pytest.fixture
def rules(cache: Path, tmp_path: Path) -> Path:
    path = tmp_path / "pig.yaml"
    path.write_bytes((shipped("rulesets") / "classics" / "pig.yaml").read_bytes())
    return path


def only(folder: Path) -> Path:
    (entry,) = folder.iterdir()
    return entry


def digests(path: Path) -> dict[str, str]:
    return {path.name: sha256(path.read_bytes()).hexdigest()}


# ------------------------------------------------------------------------------------ games


def command(tmp_path: Path) -> str:
    return f"{sys.executable} -c \"open('{tmp_path / 'ran'}', 'w')\""


def payload(module: str, name: str, argument: str) -> bytes:
    """A pickle that calls what a name leads to."""
    parts = [pickle.PROTO + b"\x04"]
    for text in (module, name):
        parts.append(pickle.SHORT_BINUNICODE + bytes([len(text)]) + text.encode())
    parts += [pickle.STACK_GLOBAL, pickle.BINUNICODE]
    parts += [len(argument.encode()).to_bytes(4, "little"), argument.encode()]
    return b"".join([*parts, pickle.TUPLE1, pickle.REDUCE, pickle.STOP])


PATHS = [
    ("rulerun_dsl.source.frozen", "inspect.os.system"),
    ("rulerun_dsl.source.frozen", "dataclasses.sys.modules"),
    ("rulerun_dsl.source.spans", "re.enum.sys.exit"),
    ("rulerun_dsl.source.spans", "Source.__init__.__globals__"),
    ("rulerun_dsl.source.spans", "re"),
    ("rulerun_dsl.model.game", "frozen"),
    ("os", "system"),
    ("builtins", "exec"),
]


@pytest.mark.parametrize(("module", "name"), PATHS)
def test_a_game_names_values_of_the_language_only(tmp_path: Path, module: str, name: str) -> None:
    with pytest.raises(pickle.UnpicklingError, match="no value of the language"):
        read_game(payload(module, name, command(tmp_path)))
    assert not (tmp_path / "ran").exists()


def test_the_payload_would_run(tmp_path: Path) -> None:
    """What is planted is a real one: plain pickle runs it."""
    pickle.loads(payload("rulerun_dsl.source.frozen", "inspect.os.system", command(tmp_path)))
    assert (tmp_path / "ran").exists()


def test_a_planted_game_is_not_read(rules: Path, cache: Path, tmp_path: Path) -> None:
    game_of(rules, None, {}, ())
    entry = only(cache / "games")
    head = json.dumps(digests(rules)).encode()
    body = payload("rulerun_dsl.source.frozen", "inspect.os.system", command(tmp_path))
    planted = head + b"\n" + body
    for content in (planted, entry.read_bytes()[:32] + planted, bytes(32) + planted):
        entry.write_bytes(content)
        assert recall_game(rules, ASKED) is None
        assert isinstance(game_of(rules, None, {}, ()), Game)
        assert not (tmp_path / "ran").exists()


def test_a_game_in_the_place_of_another_is_not_read(rules: Path, cache: Path) -> None:
    game = game_of(rules, None, {}, ())
    entry = only(cache / "games")
    remember_game(rules, [], "other settings", game)
    (other,) = {*(cache / "games").iterdir()} - {entry}
    os.replace(other, entry)
    assert recall_game(rules, ASKED) is None


# ----------------------------------------------------------------------------- what is right


def test_a_planted_note_makes_no_file_green(
    rules: Path, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["validate", str(rules)]) == 0
    rules.write_text(rules.read_text(encoding="utf-8") + "surprise: 1\n", encoding="utf-8")
    note = json.dumps({"settings": 14, "files": digests(rules)}).encode()
    entry = only(cache / "validated")
    for content in (note, entry.read_bytes()[:32] + note):
        entry.write_bytes(content)
        assert main(["validate", str(rules)]) == 1
    assert "surprise" in capsys.readouterr().out


# ------------------------------------------------------------------------------ machine code


def test_planted_machine_code_does_not_run(cache: Path) -> None:
    pytest.importorskip("llvmlite")
    from ctypes import CFUNCTYPE, c_int64

    from rulerun.compiled.native import objects

    text = "define i64 @seven() {\n  ret i64 7\n}\n"

    def ran() -> int:
        engine, _, _ = objects.load(objects.library(), text)
        return int(CFUNCTYPE(c_int64)(engine.get_function_address("seven"))())

    _, evil, _ = objects.load(objects.library(), text.replace("7", "666"))
    for each in (cache / "native").iterdir():
        each.unlink()
    assert ran() == 7
    entry = only(cache / "native")
    for digest in (b"", blake2b(evil, digest_size=16).digest(), blake2b(evil).digest()[:32]):
        entry.write_bytes(digest + evil)
        assert ran() == 7


# ---------------------------------------------------------------------------------- the key


@posix
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644])
def test_a_key_that_others_can_read_signs_nothing(rules: Path, cache: Path, mode: int) -> None:
    remember(rules, [], Checked(3))
    before = (cache / "key").read_bytes()
    (cache / "key").chmod(mode)
    assert recall(rules) is None
    remember(rules, [], Checked(3))
    assert recall(rules) == Checked(3)
    assert (cache / "key").read_bytes() != before
    assert (cache / "key").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("key", [b"", b"short", bytes(33), bytes(2**20)])
def test_a_spoilt_key_is_made_anew(rules: Path, cache: Path, key: bytes) -> None:
    remember(rules, [], Checked(3))
    (cache / "key").write_bytes(key)
    assert recall(rules) is None
    remember(rules, [], Checked(3))
    assert recall(rules) == Checked(3)


# ------------------------------------------------------------------------------- the folder


def kept(rules: Path) -> bool:
    """Whether anything is kept, and whether that was said."""
    remember(rules, [], Checked(3))
    return recall(rules) == Checked(3)


@posix
@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o770, 0o702])
def test_a_folder_where_others_may_write_is_not_used(
    rules: Path, cache: Path, mode: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert kept(rules)
    cache.chmod(mode)
    assert not kept(rules)
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "nothing is kept" in said and "others may write in it" in said
    cache.chmod(0o755)
    assert kept(rules)


@posix
def test_a_folder_below_one_where_others_may_write_is_not_used(
    rules: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """They could put another in its place; in a sticky folder they could not."""
    shared = tmp_path / "shared"
    for made in (False, True):
        shared.mkdir(exist_ok=True)
        shared.chmod(0o777)
        if made:
            (shared / "mine").mkdir(mode=0o700)
        monkeypatch.setenv("RULERUN_CACHE", str(shared / "mine"))
        monkeypatch.setattr(cache_dir, "_said", [])
        assert not kept(rules)
        assert f"others may write in `{shared}`" in capsys.readouterr().err
        assert (shared / "mine").exists() is made
    shared.chmod(0o1777)
    assert kept(rules)
    assert capsys.readouterr().err == ""


@posix
def test_links_are_followed_first(
    rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o777)
    (tmp_path / "link").symlink_to(tmp_path / "shared")
    monkeypatch.setenv("RULERUN_CACHE", str(tmp_path / "link"))
    assert not kept(rules)
    (tmp_path / "shared").chmod(0o700)
    assert kept(rules)


@root
@pytest.mark.parametrize("what", ["cache", "validated", "key", "entry", "above"])
def test_what_belongs_to_somebody_else_is_not_used(
    rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    cache = tmp_path / "above" / "cache"
    monkeypatch.setenv("RULERUN_CACHE", str(cache))
    assert kept(rules)
    places = {
        "cache": cache,
        "validated": cache / "validated",
        "key": cache / "key",
        "entry": only(cache / "validated"),
        "above": cache.parent,
    }
    os.chown(places[what], 12345, 12345)
    assert recall(rules) is None


@posix
def test_what_is_made_is_for_this_user_alone(rules: Path, cache: Path) -> None:
    before = os.umask(0)
    try:
        assert kept(rules)
    finally:
        os.umask(before)
    for each in (cache, cache / "validated"):
        assert each.stat().st_mode & 0o777 == 0o700
    for each in (cache / "key", only(cache / "validated")):
        assert each.stat().st_mode & 0o777 == 0o600


def test_it_is_said_once_in_a_process(tmp_path: Path, rules: Path) -> None:
    (tmp_path / "file").write_text("")
    script = (
        "from rulerun.cli import main\n"
        f"for _ in range(2): main(['validate', {str(rules)!r}])\n"
        f"main(['simulate', {str(rules)!r}, '-n', '4', '--jobs', '2', '--format', 'json'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={
            **os.environ,
            "RULERUN_CACHE": str(tmp_path / "file"),
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0
    assert done.stderr.count("nothing is kept") == 1


# ---------------------------------------------------------------------------------- entries


def test_a_link_is_no_entry(rules: Path, cache: Path, tmp_path: Path) -> None:
    remember(rules, [], Checked(3))
    for place in (only(cache / "validated"), cache / "key"):
        moved = tmp_path / "moved"
        os.replace(place, moved)
        place.symlink_to(moved)
        assert recall(rules) is None
        place.unlink()
        os.replace(moved, place)
        assert recall(rules) == Checked(3)
    os.replace(cache / "validated", tmp_path / "moved")
    (cache / "validated").symlink_to(tmp_path / "moved")
    assert recall(rules) is None


def test_a_link_is_not_written_through(rules: Path, cache: Path, tmp_path: Path) -> None:
    remember(rules, [], Checked(3))
    entry, precious = only(cache / "validated"), tmp_path / "precious"
    precious.write_text("precious")
    entry.unlink()
    entry.symlink_to(precious)
    remember(rules, [], Checked(3))
    assert precious.read_text() == "precious"
    assert recall(rules) == Checked(3)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("what", ["key", "entry"])
def test_a_pipe_is_not_waited_for(rules: Path, cache: Path, what: str) -> None:
    remember(rules, [], Checked(3))
    place = cache / "key" if what == "key" else only(cache / "validated")
    place.unlink()
    os.mkfifo(place)
    script = (
        "from pathlib import Path\n"
        "from rulerun.cli.game_cache import Checked, recall, remember\n"
        f"path = Path({str(rules)!r})\n"
        "assert recall(path) is None\n"
        "remember(path, [], Checked(4))\n"
        "assert recall(path) == Checked(4)\n"
    )
    subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=True,
        timeout=60,
    )


def test_a_huge_entry_is_not_read(
    rules: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember(rules, [], Checked(3))
    with only(cache / "validated").open("r+b") as file:
        file.truncate(2**40)  # a hole: it takes no room
    assert recall(rules) is None
