"""Laws 10 and 13, on the file itself: options that change nothing, slips that nobody noticed.

Assumes a file that was read without errors.
Does: makes the game of every value of an option and compares it, apart from the option, with the
default game; misspells keys of the file, adds what nobody reads, and reads it again.
Leaves behind options that change nothing, and slips that were not reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from rulerun.analysis.settings import Setting, by_value
from rulerun.laws.games import MOST_VALUES, make, settings
from rulerun.laws.report import Finding
from rulerun.runtime.rng import Stream, stream
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, Severity, has_errors
from rulerun_dsl.load import Loaded, load, read_document
from rulerun_dsl.model import Game
from rulerun_dsl.source.spans import Source

FEW_VALUES = 4
SLIPS = 6
WORDS = frozenset(
    "when choose ask until turns together then else cases match repeat setup phases procedures "
    "functions components zones state scoring players options visible order start has rows "
    "returns winner forced if_possible also limits always boards types constants".split()
)
"""Keys of the language that are spelt otherwise, one at a time."""
UNREAD = {
    "a variable that nobody reads": "chapter nobody_reads_me:\n"
    "  state:\n    nobody_reads_me_either: {type: 0..3, visible: all}\n",
    "a procedure that nobody calls": "chapter nobody_calls_me:\n"
    "  procedures:\n    nobody_calls_me_either(): pass\n",
}
"""What is added to the file."""


def look(loaded: Loaded, seed: int | str) -> Iterator[Finding]:
    """Look for what nobody reads."""
    yield from idle_options(loaded)
    yield from slips(loaded, stream(seed, "laws", "slips"))


def idle_options(loaded: Loaded) -> Iterator[Finding]:
    """Options of which no value changes the game, whatever else is set."""
    base = settings(loaded, None, {}, ())[0]
    game = make(loaded, base).game
    if game is None:
        return
    low, high = base.players, loaded.outline.player_range[1]
    for option in game.options:
        counts = list(dict.fromkeys((low, high)))
        bases = chain(
            map(Setting, counts), *(_bases(loaded, game, each, option.name) for each in counts)
        )
        values = list(by_value(Setting(), game, (option.name,), MOST_VALUES))
        if not any(_changes(loaded, one, value) for one in bases for value in values):
            declared = (each.at for each in loaded.outline.options if each.at.name == option.name)
            span = next((each.span for each in declared), None)
            yield Finding(13, f"the option `{option.name}` changes nothing", base, span=span)


def _bases(loaded: Loaded, game: Game, players: int | None, name: str) -> Iterator[Setting]:
    """What else may be set, for an option that matters only then."""
    for variant in loaded.variants:
        yield Setting(players, (variant,))
    others = (option.name for option in game.options if option.name != name)
    yield from by_value(Setting(players), game, others, FEW_VALUES)


def _changes(loaded: Loaded, base: Setting, value: Setting) -> bool:
    """Whether a value of an option changes the game of a setting, or is refused in it."""
    one = make(loaded, base).game
    other = make(loaded, replace(base, options=base.options + value.options)).game
    return one is not None and (other is None or without_options(one) != without_options(other))


def without_options(game: Game) -> Game:
    """The game, except for what its options are called and set to."""
    bare = replace(game, options=(), fingerprint="", former_fingerprints=())
    return replace(bare, citations=(), view=type(game.view)())


# ------------------------------------------------------------------------------------- slips


def slips(loaded: Loaded, luck: Stream) -> Iterator[Finding]:
    """Slips in the file that are not reported."""
    text = loaded.source.text
    if re.search(r"^files:", text, re.MULTILINE):
        return  # its module files cannot be read beside a text
    keys = [
        found
        for found in re.finditer(r"^[ ]*(?:- )?([a-z_]+):(?=\s)", text, re.MULTILINE)
        if found[1] in WORDS
    ]
    for found in luck.shuffled(keys)[:SLIPS]:
        slipped = _slip(found[1], luck)
        if slipped in WORDS:
            continue
        start, end = found.span(1)
        line = text.count("\n", 0, start) + 1
        if not _reported(loaded, text[:start] + slipped + text[end:]):
            what = f"`{slipped}:` for `{found[1]}:` in line {line} is not reported"
            yield Finding(13, what, span=loaded.source.span(start, end))
    yield from _unread(loaded)


def _unread(loaded: Loaded) -> Iterator[Finding]:
    """What is added to the file, read by nothing, and not reported where it stands."""
    text = loaded.source.text.rstrip()
    added = []
    for what, chapter in UNREAD.items():
        text = f"{text}\n\n"
        added.append((what, len(text)))
        text += chapter
    places = [each.span.start for each in _errors(loaded, text) if each.span is not None]
    ends = [*(start for _, start in added[1:]), len(text)]
    for (what, start), end in zip(added, ends, strict=True):
        if not any(start <= place < end for place in places):
            yield Finding(13, f"{what} is not reported")


def _slip(word: str, luck: Stream) -> str:
    """The word with two neighbouring letters exchanged."""
    places = [at for at in range(len(word) - 1) if word[at] != word[at + 1]]
    at = places[luck.below(len(places))]
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _reported(loaded: Loaded, text: str) -> bool:
    """Whether a text of the file is refused: by its shape, while reading or for some setting."""
    # A key that is misspelt is mostly found before anything is parsed.
    document, found = read_document(Source(loaded.source.name, text))
    return document is None or has_errors(found) or bool(_errors(loaded, text))


def _errors(loaded: Loaded, text: str) -> list[Diagnostic]:
    """What is wrong with a text of the file, while reading or for the first setting it fails in."""
    again, found = load(text.encode("utf-8"), loaded.source.name)
    if again is not None and not has_errors(found):
        low, high = again.outline.player_range
        found = again.game(low)[1]
        if low != high and not has_errors(found):
            found = again.game(high)[1]
    return [each for each in found if each.severity is Severity.ERROR]
