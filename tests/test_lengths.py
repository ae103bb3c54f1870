"""The page that compares lengths: our side is that of our files, and counting does what it says."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]


def module() -> ModuleType:
    """The benchmarks are no package of ours: they are found by their path."""
    path = ROOT / "benchmarks" / "counting.py"
    spec = importlib.util.spec_from_file_location("benchmarks_counting", path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = made
    spec.loader.exec_module(made)
    return made


COUNTING = module()


def test_the_page_is_that_of_our_files() -> None:
    command = [sys.executable, "-m", "benchmarks.lengths", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("style", "text", "lines", "tokens"),
    [
        ("ruleset", "title: Who dares?\nminutes: 1\n", 2, 6),
        ("rules", "title: Who dares?\nminutes: 1\nwords:\n  a: b\nstate:\n  n: 0..3\n", 2, 7),
        ("ruleset", "about: Who dares?\n  After all.\nminutes: 1\n", 3, 7),
        ("ruleset", "shows: [deck that refills, draft]\nminutes: 1\n", 2, 6),
        ("rules", "kind: dice\nshows:\n  - draft\nstate:\n  n: 0..3\n", 2, 7),
        ("ruleset", "# no line\n- ask: Which card, if any?   # no token\n", 1, 4),
        ("ruleset", "o: {type: 1..2, about: Its size.}\n", 1, 13),
        ("c++", '#include "a.h"\nint x = 1; // two\n/* three\nfour */ f("// five");\n', 2, 10),
        ("java", "package a.b;\nimport c.D;\nint x;\n", 1, 3),
        ("python", 'from a import (\n    b,\n)\ndef f():\n    """No."""\n    return r"#"\n', 2, 7),
        ("rlc", "import a\nfun f():\n  return 1\nfun main():\n  return 0\n", 2, 7),
        ("ludii", '(game "A b") // c\n(metadata\n (info "d")\n)\n', 1, 4),
        ("rbg", "#x = y // z\n ->> {e}\n", 2, 8),
        ("cardstock", ";; a\n(all player 'P)\n", 1, 5),
    ],
)
def test_what_is_counted(style: str, text: str, lines: int, tokens: int) -> None:
    assert COUNTING.count(text, COUNTING.STYLES[style]) == COUNTING.Count(lines, tokens)
