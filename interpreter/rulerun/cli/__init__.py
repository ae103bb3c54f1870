"""The commands: `rulerun play`, `validate`, `test`, `replay`, `simulate`, `show` and others.

Assumes a command line without the name of the program. `main` runs it and gives the exit code, the
same for all commands:

    0    fine; also when the reader of the output goes away
    1    the tool worked and the answer is no: findings, a failed test, a difference, a refusal
    2    could not do what was asked: usage, a missing file, nothing to examine, a full disk
    5    `test` found no scenarios
    130  interrupted from the keyboard

Data goes to standard output, the rest (findings of a bad command line, progress, summaries) to
standard error. Each command is a module that is imported when it is called: `group` has the list,
`common` what they share.
"""

from __future__ import annotations

import sys

import click

from rulerun.host.collecting import seldom_collected
from rulerun.host.streams import OutputLost, guarded

EXIT_FINE = 0
EXIT_NO = 1
EXIT_UNABLE = 2
EXIT_NO_TESTS = 5
EXIT_INTERRUPTED = 130


def main(arguments: list[str]) -> int:
    """Run one command line and give the exit code."""
    with guarded(), seldom_collected():
        try:
            return _run(arguments)
        except OutputLost as lost:
            return lost.answer()


def _run(arguments: list[str]) -> int:
    from rulerun.cli.group import rulerun

    try:
        answer = rulerun.main(arguments, prog_name="rulerun", standalone_mode=False)
        # Here a failure can still be answered.
        sys.stdout.flush()
    except click.ClickException as problem:
        problem.show(file=sys.stderr)
        return problem.exit_code
    except (click.Abort, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except OSError as failure:
        # What the system refuses (a full disk, a file that vanished) is never a bug.
        from rulerun_dsl.source.regular_files import why

        what = f"`{failure.filename}`: " if failure.filename else ""
        print(f"rulerun: {what}{why(failure)}", file=sys.stderr)
        return EXIT_UNABLE
    except MemoryError:
        print("rulerun: there is not enough memory for that", file=sys.stderr)
        return EXIT_UNABLE
    except Exception as failure:
        from rulerun.runtime.executor import RuleError

        if not isinstance(failure, RuleError):
            raise
        from rulerun.cli.common import tell
        from rulerun.runtime.faults import diagnostic

        # Nobody caught it, so looking at a state failed: who sees what takes too long to find out.
        tell([diagnostic(failure)])
        return EXIT_NO
    return answer if isinstance(answer, int) else EXIT_FINE
