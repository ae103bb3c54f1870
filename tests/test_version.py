"""The outermost ring of the command: `--version` imports next to nothing, and exits are quiet."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rulerun
import rulerun_dsl

HEAVY = ["lark", "yaml", "jsonschema", "click", "rulerun.cli", "rulerun_dsl.load"]

# The packages under test, wherever this suite found them: in the checkout or installed.
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join(
        str(Path(package.__file__ or "").parent.parent) for package in (rulerun, rulerun_dsl)
    ),
}


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env=ENVIRONMENT, timeout=60
    )


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_version_is_printed(flag):
    done = run("-m", "rulerun", flag)
    expected = f"rulerun {rulerun.__version__}\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, "")


def test_version_imports_nothing_heavy():
    code = (
        "import sys; from rulerun.__main__ import main; assert main(['--version']) == 0; "
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = run("-c", code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"


def test_unknown_public_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = rulerun.no_such_name


FAKE_CLI = """
import sys, types
fake = types.ModuleType("rulerun.cli")
def cli_main(arguments):
    {body}
fake.main = cli_main
sys.modules["rulerun.cli"] = fake
from rulerun.__main__ import main
sys.exit(main(["anything", *sys.argv[1:]]))
"""


def run_with_cli(body: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return run("-c", FAKE_CLI.format(body=body), *arguments)


def test_a_bug_is_one_line_and_exit_3():
    done = run_with_cli("raise ValueError('two\\nlines')")
    assert done.returncode == 3
    assert done.stdout == ""
    assert done.stderr.startswith("rulerun: internal error: ValueError: two lines")
    assert done.stderr.count("\n") == 1


def test_a_bug_shows_its_traceback_when_asked():
    done = run_with_cli("raise ValueError('here')", "-v")
    assert done.returncode == 3
    assert "Traceback" in done.stderr


def test_an_interrupt_is_quiet_and_exits_130():
    done = run_with_cli("raise KeyboardInterrupt")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.parametrize(
    ("body", "code"), [("return 1", 1), ("return None", 0), ("sys.exit(2)", 2), ("sys.exit()", 0)]
)
def test_exit_codes_pass_through(body, code):
    assert run_with_cli(body).returncode == code


@pytest.mark.skipif(os.name == "nt", reason="closing the reading end acts otherwise on Windows")
def test_a_closed_pipe_is_quiet_and_exits_0():
    program = FAKE_CLI.format(body="print('x' * 1_000_000)")
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert (process.wait(timeout=60), errors) == (0, b"")
