"""Imports go one way only: the contracts in pyproject.toml, run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import rulerun
import rulerun_dsl

ROOT = Path(__file__).resolve().parents[1]
COMMAND = "from importlinter.cli import lint_imports_command; lint_imports_command()"


def lint_imports(folder: Path, *roots: Path) -> "subprocess.CompletedProcess[str]":
    """Run the contracts of the pyproject.toml in a folder on the packages below some roots."""
    return subprocess.run(
        [sys.executable, "-c", COMMAND, "--no-cache"],
        capture_output=True,
        encoding="utf-8",
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, roots)),
            "PYTHONIOENCODING": "utf-8",
            "COLUMNS": "120",
        },
        timeout=120,
    )


def test_import_contracts_are_kept():
    # The packages under test, wherever this suite found them: in the checkout or installed.
    roots = [Path(package.__file__ or "").parent.parent for package in (rulerun, rulerun_dsl)]
    done = lint_imports(ROOT, *roots)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_contracts_catch_a_language_that_imports_its_interpreter(tmp_path):
    """The contracts themselves work: an import planted the wrong way is found."""
    for package in (rulerun, rulerun_dsl):
        folder = Path(package.__file__ or "").parent
        shutil.copytree(
            folder, tmp_path / folder.name, ignore=shutil.ignore_patterns("__pycache__", "rulesets")
        )
    with (tmp_path / "rulerun_dsl" / "source.py").open("a", encoding="utf-8") as planted:
        planted.write("import rulerun.state\n")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    done = lint_imports(tmp_path, tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "The language knows nothing of what runs it BROKEN" in done.stdout
