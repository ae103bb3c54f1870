"""Rule errors that random play has met: as findings, and as records.

Assumes: a `Crash` of `trials`, the setting that was played, and how the rules file is called.
Does: says how to see the error again; writes the game down that ends in it.
Leaves behind: a diagnostic; a file that `rulerun replay` reads.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from shlex import quote

from rulerun.analysis.settings import Setting
from rulerun.cli.common import Unable, note
from rulerun.cli.trials import Crash
from rulerun.runtime.faults import diagnostic
from rulerun.simulation.run.failures import write_record
from rulerun_dsl.diagnostics.diagnostic import Diagnostic
from rulerun_dsl.source.regular_files import why


def told(crash: Crash, setting: Setting, name: str) -> Diagnostic:
    """A rule error in play, with how to see it again."""
    fault = diagnostic(crash.error)
    settled = f" {setting.named}" if setting.named else ""
    if not crash.inputs:
        how = f"in play: set-up fails; `rulerun play {quote(name)}{settled}` shows it"
    elif crash.plain:
        again = f"rulerun simulate {quote(name)}{settled} -n 1"
        how = f"in play, after {len(crash.inputs)} inputs; `{again}` shows it"
    else:
        last = ", ".join(f"`{who or 'chance'}: {text}`" for who, text in crash.inputs[-2:])
        how = f"in play{settled and ' with' + settled}, after {len(crash.inputs)} inputs"
        how += f", the last {last}; `--records DIR` keeps such a game for `rulerun replay`"
    help_ = f"{fault.help}; found {how}" if fault.help else f"found {how}"
    return replace(fault, help=help_)


def keep(crash: Crash, folder: Path) -> None:
    """Write down a game that ended in a rule error. Raises `Unable`."""
    code = diagnostic(crash.error).code
    seats = dict.fromkeys(range(crash.game.people), "random")
    line = crash.error.span.line
    path = folder / f"{crash.game.name}-{code}-line-{line}-{len(crash.inputs)}.jsonl"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_record(path, crash.game, seats, list(crash.inputs))
    except OSError as failure:
        raise Unable(f"`{path}`: a record cannot be written: {why(failure)}") from None
    note(f"{code}: the game is in {path}")
