"""Imports go one way only: the contracts in pyproject.toml, run."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import rulerun
import rulerun_dsl
from rulerun.compiled.ir.fresh_names import RESERVED, NameAllocator

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
    with (tmp_path / "rulerun_dsl" / "source" / "spans.py").open("a", encoding="utf-8") as planted:
        planted.write("import rulerun.runtime.state\n")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    done = lint_imports(tmp_path, tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "The language knows nothing of what runs it BROKEN" in done.stdout


BINDS = set(
    "Var Assign For Each EachEqual EachBit EachRow NewRows Push RowSet SortRows Swap CallLister "
    "Length RowGet Checked Decoded Maybe OrElse".split()
)
"""What of a program takes a name."""
MAKES_PROGRAMS = "rulerun.compiled.lower.builder"
BY_HAND = ("runs.py", "many.py", "searching.py", "sighting.py", "builder.py")
"""Four have a function for the names they make; the last hands names out."""


def names_made_up(source: str) -> list[str]:
    """Where a name is written, or put together of numbers, instead of asked for."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        owner = node.func.value
        binds = isinstance(owner, ast.Name) and owner.id == "ir" and node.func.attr in BINDS
        made: list[ast.expr] = []
        if node.func.attr in ("fresh", "keep"):
            made = [each for each in node.args[:1] if isinstance(each, ast.JoinedStr)]
        elif binds:
            made = [
                each
                for each in node.args
                if isinstance(each, ast.JoinedStr)
                or (isinstance(each, ast.Constant) and isinstance(each.value, str))
                if getattr(each, "value", None) not in RESERVED
            ]
        else:
            continue
        found += [f"{each.lineno}: {ast.unparse(node)}" for each in made]
    return found


def test_whoever_binds_asks_for_a_name():
    """Where programs are made, each name comes from `fresh_names`: so no two are the same."""
    folder = Path(rulerun.__file__ or "").parent / "compiled"
    looked_at = 0
    for path in sorted(folder.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if MAKES_PROGRAMS in source and path.name not in BY_HAND:
            looked_at += 1
            assert names_made_up(source) == [], path.name
    assert looked_at > 10
    assert names_made_up(
        'ir.Assign(f"x{register}", value)\nir.Var("n")\nbuilder.fresh(f"x{n}")'
    ) == [
        "1: ir.Assign(f'x{register}', value)",
        "2: ir.Var('n')",
        "3: builder.fresh(f'x{n}')",
    ]


def test_no_two_names_are_the_same():
    names = NameAllocator()
    asked = ["x1", "x", "x", "x1", "LISTS", "it", "", "f x", "f_x", "x_2", "x_"]
    given = [*map(names.unique, asked), *map(names.fresh, asked), *map(names.unique, asked)]
    assert len({*given, *RESERVED}) == len(given) + len(RESERVED)
    assert not any("__" in each for each in given)


ROLES = {"executor", "batch"}
"""What executors have alike, each in a package of its own."""
STAGES = ("check", "reference", "runtime", "lower", "model", "syntax", "outline")
"""An area of the language has one name wherever it is written, read, checked, run or lowered."""
BY_THEIR_COMMAND = "cli"


def test_a_file_name_says_which_file():
    """No two files have a name in common, but those that do the same at another stage."""
    homes: dict[str, list[tuple[str, ...]]] = {}
    for package in (rulerun, rulerun_dsl):
        root = Path(package.__file__ or "").parent
        for path in root.rglob("*.py"):
            if path.stem not in ("__init__", "__main__") and path.stem not in ROLES:
                homes.setdefault(path.stem, []).append(path.relative_to(root).parts[:-1])
    apart = {
        name: [each for each in found if each[:1] != (BY_THEIR_COMMAND,)]
        for name, found in homes.items()
    }
    doubles = {
        name: found
        for name, found in apart.items()
        if len(found) > 1 and not all(set(each) & set(STAGES) for each in found)
    }
    assert not doubles
