"""Machine code is kept in the cache, and what is broken there is made anew."""

from pathlib import Path

import pytest

from rulerun.compiled.native import objects
from rulerun.host import cache_dir

pytest.importorskip("llvmlite")

SEVEN = "define i64 @seven() {\n  ret i64 7\n}\n"


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("RULERUN_CACHE", str(tmp_path))
    return tmp_path / "native"


def load(text: str = SEVEN) -> tuple[bytes, bool]:
    engine, code, kept = objects.load(objects.library(), text)
    assert engine.get_function_address("seven")
    return code, kept


def test_code_is_compiled_once(folder: Path) -> None:
    code, kept = load()
    assert not kept
    assert load() == (code, True)
    assert [each.suffix for each in folder.iterdir()] == [".o"]


@pytest.mark.parametrize("left", [0, 1, 16, 17, 64, 200, -1])
def test_a_truncated_file_is_as_good_as_not_there(folder: Path, left: int) -> None:
    code, _ = load()
    (entry,) = folder.iterdir()
    whole = entry.read_bytes()
    entry.write_bytes(whole[:left])
    assert load() == (code, False)
    assert entry.read_bytes() == whole
    assert load() == (code, True)


def test_other_bytes_are_as_good_as_not_there(folder: Path) -> None:
    code, _ = load()
    (entry,) = folder.iterdir()
    whole = entry.read_bytes()
    for wrong in (b"no code", code, whole[:-1] + bytes([whole[-1] ^ 1])):
        entry.write_bytes(wrong)
        assert load() == (code, False)
    assert load() == (code, True)


def test_the_oldest_are_forgotten(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_dir, "MOST", 2)
    for number in range(4):
        load(SEVEN.replace("ret i64 7", f"ret i64 {number}"))
    assert len(list(folder.iterdir())) == 2


def test_a_folder_that_cannot_be_written_is_no_obstacle(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RULERUN_CACHE", str(tmp_path / "file"))
    assert load() == load()
