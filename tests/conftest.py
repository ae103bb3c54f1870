"""What tests share: goldens, which only `--update-goldens` rewrites."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"

# No test finds what another has left in a cache.
os.environ["RULERUN_CACHE"] = "off"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-goldens",
        action="store_true",
        help="write the goldens anew instead of comparing; read the difference like code",
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with the golden of a name below tests/golden; one that is missing fails."""
    update = request.config.getoption("--update-goldens")

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
            return
        assert path.is_file(), f"there is no golden {name}: `pytest --update-goldens` writes it"
        assert text == path.read_text(encoding="utf-8")

    return compare
