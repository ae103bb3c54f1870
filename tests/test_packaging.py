"""What an installed rulerun holds: the wheel is built and opened.

`RULERUN_WHEEL` names one that is built already.
"""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import rulerun

ROOT = Path(__file__).resolve().parents[1]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (ROOT / "dsl").is_dir(),
        reason="the suite runs from a copy, against an installed wheel: there is nothing to build",
    ),
]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    if built := os.environ.get("RULERUN_WHEEL"):
        with zipfile.ZipFile(built) as archive:
            yield archive
        return
    folder = tmp_path_factory.mktemp("dist")
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        yield archive


def test_every_module_is_in_the_wheel(wheel):
    names = set(wheel.namelist())
    for root in ("dsl", "interpreter"):
        for path in (ROOT / root).rglob("*.py"):
            assert path.relative_to(ROOT / root).as_posix() in names


def test_data_is_in_the_wheel(wheel):
    names = set(wheel.namelist())
    assert {"rulerun/py.typed", "rulerun_dsl/py.typed", "rulerun_dsl/syntax/grammar.lark"} <= names
    for kind in ("rulesets", "schemas"):
        files = [path for path in (ROOT / kind).rglob("*") if path.is_file()]
        assert files, f"no {kind} in the checkout"
        for path in files:
            assert f"rulerun_dsl/{path.relative_to(ROOT).as_posix()}" in names


def test_nothing_else_is_in_the_wheel(wheel):
    tops = {name.split("/")[0] for name in wheel.namelist()}
    assert tops == {"rulerun", "rulerun_dsl", f"rulerun-{rulerun.__version__}.dist-info"}
    parts = {part for name in wheel.namelist() for part in name.split("/")}
    assert not parts & {"tests", "conftest.py", "__pycache__"}
    assert not [part for part in parts if part.startswith("test_") and part.endswith(".py")]


def test_version_and_licence_are_stated(wheel):
    folder = f"rulerun-{rulerun.__version__}.dist-info"
    metadata = wheel.read(f"{folder}/METADATA").decode("utf-8")
    assert f"\nVersion: {rulerun.__version__}\n" in metadata
    assert "\nLicense-Expression: MIT\n" in metadata
    assert f"{folder}/licenses/LICENSE" in wheel.namelist()
