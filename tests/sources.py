"""The sources of this repository as trees, each parsed once in a process."""

import ast
from functools import cache
from pathlib import Path


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a module. Nobody changes it."""
    return ast.parse(path.read_text(encoding="utf-8"))
