"""What docstrings show of a function is what it does.

Only the modules with an example are asked: to look for one in all of them takes seconds.
"""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import rulerun
import rulerun_dsl

ROOTS = [Path(package.__path__[0]) for package in (rulerun, rulerun_dsl)]
WITH_EXAMPLES = [
    ".".join(path.relative_to(root.parent).with_suffix("").parts)
    for root in ROOTS
    for path in sorted(root.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


def test_there_are_examples_in_both_packages() -> None:
    assert {name.partition(".")[0] for name in WITH_EXAMPLES} == {"rulerun", "rulerun_dsl"}


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_an_example_is_so(name: str) -> None:
    result = doctest.testmod(import_module(name))
    assert result.attempted and not result.failed
