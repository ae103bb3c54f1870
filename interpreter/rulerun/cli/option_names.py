"""Options and variants by what they are called in the language of who types them.

Assumes: a rules file, `--set` and `--variant` as they were typed, and a language.
Does: takes what the rulebook calls an option, its values and a variant for their names in the
rules. What is neither is refused in that language, with what there is instead; in English the
finding of the rules file says it.
Leaves behind: options and variants by their names in the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rulerun.cli.common import Unable, game_of, settings
from rulerun.cli.languages import labels
from rulerun_dsl.model.valuetypes import Bool, Enum, Int, Player, bare
from rulerun_dsl.source.safe_text import clean

if TYPE_CHECKING:
    from rulerun.words.labels import Labels
    from rulerun_dsl.model import OptionValue

_ENGLISH = "en"


def named_settings(
    path: Path,
    players: int | None,
    assignments: Sequence[str],
    variants: Sequence[str],
    lang: str | None,
) -> tuple[dict[str, str], tuple[str, ...]]:
    """The options given with `--set OPTION=VALUE`, and the variants."""
    given = settings(assignments)
    if not given and not variants:
        return {}, ()
    names = labels(game_of(path, players, {}, ()), path, lang, tell=False)
    options = {each.name: each for each in names.game.options}
    called = {each: names.named("option", each) for each in options}
    found = {}
    for name, value in given.items():
        known = _meant(name, called)
        if known is None:
            _refuse(names, names.speech.no_option, name, called)
            found[name] = value
        else:
            found[known] = _value(names, options[known], called[known], value)
    there = names.named_in("variant")
    chosen = []
    for name in variants:
        known = _meant(name, there)
        if known is None and there:
            _refuse(names, names.speech.no_variant, name, there)
        chosen.append(known or name)
    return found, tuple(chosen)


def _value(names: Labels, option: OptionValue, called: str, given: str) -> str:
    """A value of an option by its name in the rules."""
    there = bare(option.type)
    match there:
        case Bool():
            values = {"true": names.speech.yes, "false": names.speech.no}
        case Enum() | Player():
            texts = names.texts(there)
            values = {each: names.of_type(there, each) for each in texts}
        case Int(low, high):
            if given.lstrip("-").isdigit() and low <= int(given) <= high:
                return given
            values = {f"{low} … {high}": f"{low} … {high}"}
        case _:
            return given
    if option.type != there:
        values["none"] = names.speech.none
    known = _meant(given, values)
    if known is None:
        _refuse(names, names.speech.no_value, given, values, option=clean(called))
    return given if known is None else known


def _meant(given: str, called: Mapping[str, str]) -> str | None:
    """The name in the rules of what is typed: that itself, or what one of them alone is called."""
    from rulerun.terminal.formatting import folded

    if given in called:
        return given
    plain = " ".join(folded(given).split())
    found = [name for name, text in called.items() if plain in (folded(text), folded(name))]
    return found[0] if len(found) == 1 else None


def _refuse(names: Labels, why: str, given: str, called: Mapping[str, str], **more: str) -> None:
    """Say what there is, unless the finding of the rules file says so in the same language."""
    if names.speech.code == _ENGLISH:
        return
    listed = [text if text == name else f"{text} ({name})" for name, text in called.items()]
    raise Unable(why.format(name=clean(given), names=", ".join(listed), **more))
