"""The `rulerun` command: `rulerun …` and `python -m rulerun …`.

This module is the outermost ring: it answers `--version` before anything heavy is imported, hands
every other command line to `rulerun.cli.main(arguments)`, which answers with an exit code, and
turns what escapes from there into one of the documented exits:

    0    done; also when the reader of our output went away (`rulerun … | head`)
    1    the tool worked and the answer is no
    2    could not do what was asked
    3    a bug in rulerun: one line, and a traceback only with -v or RULERUN_TRACEBACK
    130  interrupted from the keyboard
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

from rulerun.host.streams import OutputLost, guarded
from rulerun.host.version import VERSION

EXIT_FINE = 0
EXIT_NO = 1
EXIT_BUG = 3
EXIT_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and give the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    with guarded():
        try:
            code = _run(arguments)
            # Here a reader that went away can still be answered quietly.
            sys.stdout.flush()
        except OutputLost as lost:
            return lost.answer()
        except KeyboardInterrupt:
            return EXIT_INTERRUPTED
        except Exception as error:
            _report_bug(error, arguments)
            return EXIT_BUG
        return code


def _run(arguments: list[str]) -> int:
    if arguments in (["--version"], ["-V"]):
        print(f"rulerun {VERSION}")
        return EXIT_FINE
    from rulerun.cli import main as cli_main

    try:
        return int(cli_main(arguments) or EXIT_FINE)
    except SystemExit as exit_:
        if exit_.code is None or isinstance(exit_.code, int):
            return exit_.code or EXIT_FINE
        print(exit_.code, file=sys.stderr)
        return EXIT_NO


def _report_bug(error: Exception, arguments: list[str]) -> None:
    if os.environ.get("RULERUN_TRACEBACK") or {"-v", "--verbose"} & set(arguments):
        import traceback

        traceback.print_exception(error)
    text = " ".join(str(error).split())
    what = f"{type(error).__name__}: {text}" if text else type(error).__name__
    print(
        f"rulerun: internal error: {what} (a bug in rulerun; "
        "RULERUN_TRACEBACK=1 shows where it happened)",
        file=sys.stderr,
    )


def command() -> int:
    """Run the command line of this process: how it ends, another Ctrl-C does not change."""
    code = main()
    # Nothing is worth looking for any more: the system takes all of it back at once.
    gc.freeze()
    if code == EXIT_INTERRUPTED:
        import signal

        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return code


if __name__ == "__main__":
    sys.exit(command())
