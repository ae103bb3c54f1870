"""Pictures of things: SVG files beside a rules file.

The pictures of `checkers.yaml` lie in `icons/checkers/`: each goes by the name of what it shows,
the same name that may have a glyph (`white king.svg`). They change no rule and no text. What is
wrong with one gives a finding, and no exception.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rulerun_dsl.source.regular_files import TooLarge, read_regular, why, within

if TYPE_CHECKING:
    from rulerun_dsl import model as m
    from rulerun_dsl.diagnostics.diagnostic import Diagnostic
    from rulerun_dsl.load import Loaded

FOLDER = "icons"
LARGEST = 65_536
"""Bytes of a picture."""
_ROOT = re.compile(
    rb"\s*+(?:<\?xml[^>]*\?>\s*)?(?:<!--(?:(?!-->).)*+-->\s*+)*+<svg[\s>]", re.DOTALL
)


def files_of_icons(rules: Path) -> dict[str, Path]:
    """The pictures that belong to a rules file, by the name of what each shows."""
    # What is shown to everybody lies where the rules lie: a link may lead to any file.
    every = _every(rules).items()
    return {name: each for name, each in every if within(rules.parent, each) is not None}


def _every(rules: Path) -> dict[str, Path]:
    try:
        every = sorted((rules.parent / FOLDER / rules.stem).iterdir())
    except OSError:
        return {}
    return {each.stem: each for each in every if each.suffix == ".svg" and each.is_file()}


def wrong_icons(loaded: Loaded, game: m.Game, rules: Path) -> Iterator[Diagnostic]:
    """What is wrong with the pictures of a game that `loaded` has made."""
    icons = _every(rules)
    if not icons:
        return
    # Who asks only which pictures there are imports no checker.
    from rulerun_dsl.check.display.view import drawable
    from rulerun_dsl.diagnostics.diagnostic import problem, suggest
    from rulerun_dsl.source.spans import Source

    with loaded.world_of(game) as world:
        names = drawable(world)
    for name, path in icons.items():
        place = Source(str(path), "").span(0)
        if name not in names:
            near = suggest(name, names)
            help = f"did you mean `{near}.svg`?" if near else "call it as what may have a glyph"
            yield problem("RR0755", f"nothing in the rules is called `{name}`", place, help=help)
        if within(rules.parent, path) is None:
            help = "copy it: nobody is shown it from there"
            yield problem(
                "RR0755", "its link leads out of the folder of the rules", place, help=help
            )
            continue
        try:
            content = read_regular(path, LARGEST)
        except TooLarge:
            text = f"a picture has at most {LARGEST // 1024} KiB"
            yield problem("RR0755", text, place, help="leave out what an editor of pictures adds")
        except (OSError, ValueError) as failure:
            yield problem("RR0755", f"it cannot be read: {why(failure)}", place)
        else:
            if not _ROOT.match(content):
                help = "it begins with `<svg`, perhaps behind `<?xml …?>` and comments"
                yield problem("RR0755", "this is no SVG picture", place, help=help)
