"""What tests share: goldens, which only `--update-goldens` rewrites; executors to run on."""

import atexit
import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from tests import executors

from rulerun.host.collecting import seldom_collected

# A slow machine is no fault of what is tested.
settings.register_profile("suite", suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")

# It would read all modules that are imported so far for constants to try: that takes each process
# seconds, and what is tried would depend on which tests came before.
vars(providers)["_get_local_constants"] = lambda: providers._local_constants

# A shell that starts a job behind the scenes has it ignore interrupts, and programs inherit that:
# the programs that tests start and interrupt shall hear it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


GOLDEN = Path(__file__).parent / "golden"

# No test finds what another has left in a cache.
os.environ["RULERUN_CACHE"] = "off"

# Tests start some hundred processes: where no compiled modules may lie beside the sources, they lie
# in a folder of this run. (Workers of xdist inherit it.)
if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
    os.environ["PYTHONPYCACHEPREFIX"] = tempfile.mkdtemp(prefix="rulerun-tests-")
    atexit.register(shutil.rmtree, os.environ["PYTHONPYCACHEPREFIX"], ignore_errors=True)


COLLECTING = seldom_collected()


def pytest_configure() -> None:
    """Look for garbage seldom: most of what is made is shared, and stays."""
    COLLECTING.__enter__()


def pytest_collection_finish() -> None:
    """Set the tests themselves aside."""
    gc.freeze()


def pytest_unconfigure() -> None:
    """Set aside what is left: pytest looks for garbage five times before the process ends."""
    COLLECTING.__exit__(None, None, None)
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-goldens",
        action="store_true",
        help="write the goldens anew instead of comparing; read the difference like code",
    )
    parser.addoption(
        "--executors",
        choices=[*executors.NAMES, "all"],
        help="run behaviour tests on this executor alone, or on all (else: python)",
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what is marked `executors` on each of them."""
    marks = {mark.name for mark in metafunc.definition.iter_markers()}
    if "executors" not in marks or "once" in marks:
        return
    wanted = metafunc.config.getoption("--executors")
    names = executors.NAMES if wanted in (None, "all") else [wanted]
    params = [
        # Machine code takes its time; python asks the reference as well.
        pytest.param(name, marks=[pytest.mark.slow] if name != "python" and not wanted else [])
        for name in names
    ]
    metafunc.parametrize("running_on", params, indirect=True)


@pytest.fixture(autouse=True)
def running_on(request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of the executor on which a behaviour test runs."""
    # A fixture that is only parametrised is not set up: a test has to ask for it.
    executors.current = getattr(request, "param", "reference")
    yield executors.current
    executors.current = "reference"


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
