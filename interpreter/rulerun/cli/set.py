"""`rulerun set`: one value of a file changed in place.

Assumes a file of rules, scenarios or texts, a path into it, and a value.
Does: writes the value where the old one stood, with everything else as it was. Before anything is
written it looks at what is found of the file then: an error that was not there before is refused.
Leaves behind the changed file, and the line as it was and as it is.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rulerun.cli.common import Refused, Unable, color_option, complain, note, out
from rulerun.cli.editing import Opened, changed_lines, difference, opened, own_file, written

if TYPE_CHECKING:
    from rulerun_dsl.diagnostics.diagnostic import Diagnostic


@click.command("set", context_settings={"ignore_unknown_options": True})
@click.argument("file")
@click.argument("path")
@click.argument("value")
@click.option("--diff", "only_shown", is_flag=True, help="Show the change, and write nothing.")
@click.option("--force", is_flag=True, help="Write it, whatever is wrong with it.")
@color_option
def set_(file: str, path: str, value: str, only_shown: bool, force: bool) -> int:
    """Change one value of a file, and nothing else.

    PATH names it by keys, as in `options.gems.default`, and by positions in lists, counted from 1,
    as in `players.2`. VALUE is written with quotes if it needs some.
    """
    from rulerun_dsl.diagnostics.diagnostic import Severity, has_errors
    from rulerun_dsl.diagnostics.render import summary
    from rulerun_dsl.edit.applying import applied
    from rulerun_dsl.edit.paths import NoPlace, find
    from rulerun_dsl.edit.setting import CannotSet, setting
    from rulerun_dsl.yaml.document import load_document

    found = own_file(file)
    was, findings = opened(found)
    if was is None:
        complain(findings)
        raise Refused("")
    document, findings = load_document(was.source)
    if document is None or has_errors(findings):
        complain(findings)
        raise Refused(f"nothing is set in `{found}` before its YAML can be read")
    try:
        edit = setting(document, find(document, path), value)
    except (NoPlace, CannotSet) as problem:
        raise Unable(f"{found}: {problem}") from None
    text = applied(was.source, [edit])
    if text == was.source.text:
        note(f"{found}: `{path}` is that already")
        return 0
    wrong = [each for each in _findings(was, text) if each.severity is Severity.ERROR]
    if wrong and not force:
        # What was wrong before is no reason to leave this value as it is.
        known = Counter((each.code, each.message) for each in _findings(was, was.source.text))
        fresh = [each for each in wrong if not _seen(each, known)]
        if fresh:
            complain(fresh)
            verb = "is" if len(fresh) == 1 else "are"
            many = summary(fresh)
            raise Refused(
                f"nothing is written: with this value there {verb} {many} (--force writes it)"
            )
    if only_shown:
        out(difference(str(found), was.source.text, text))
        return 0
    written(was, text)
    out("".join(f"{line}\n" for line in changed_lines(was.source.text, text)))
    if wrong:
        note(f"{found}: {summary(wrong)} now; `rulerun validate {found}` shows them")
    return 0


def _seen(each: Diagnostic, known: Counter[tuple[str, str]]) -> bool:
    """Whether a finding was there before; each that was counts once."""
    key = (each.code, each.message)
    known[key] -= 1
    return known[key] >= 0


def _findings(was: Opened, text: str) -> list[Diagnostic]:
    """What is found of the file with another text, in the settings that it has by default."""
    from rulerun.cli.looking import findings_of
    from rulerun_dsl.source.regular_files import unsaved

    path = Path(was.file.path)
    with unsaved({path: was.file.with_text(text)}):
        return findings_of(path)
