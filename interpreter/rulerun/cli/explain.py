"""`rulerun explain`: what a finding means, and what a word of the language does.

Assumes what somebody types who has just met it: a code, the name of a finding, a message as it was
printed, or a word such as `refill`; behind it perhaps the file in which it was met.
Does: looks for the code, then for a message of that wording, then for the word among the keys of
the schemas, the statements, the library, the pages of the reference, and the findings. A file is
checked, for the findings of that code in it.
Leaves behind the page, below what was found in the file or the message, or what is said of the word
in one place after the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rulerun.cli.common import Unable, color_option, colored, out

if TYPE_CHECKING:
    from rulerun_dsl.diagnostics.diagnostic import Diagnostic

_MOST = 8
"""So many findings are named about a word."""

_ENOUGH = 0.6
"""So much of a message must be in what a finding says, for it to be that finding."""

_PARTS = re.compile(r"`[^`]*`|\"[^\"]*\"|\d+")
_WORDS = re.compile(r"[a-z]{3,}")


@click.command("explain")
@click.argument("what", nargs=-1, required=True)
@color_option
def explain(what: tuple[str, ...]) -> None:
    """Explain a finding or a word of the language.

    WHAT is a code such as RR0402, the name of a finding (`unknown-name`), a message as it was
    printed, or a word: `rulerun explain refill`. With a rules file behind a code, such as
    `rulerun explain RR0402 game.yaml`, what was found there stands above the page; a file alone
    shows all that was found in it, each with its page.
    """
    last = what[-1]
    if last.endswith((".yaml", ".yml")):
        if _is_file(last):
            of_file(Path(last), " ".join(what[:-1]))
            return
        if len(what) > 1:
            raise Unable(f"there is no file `{last}`")
    wanted = " ".join(what).strip().strip("[]")
    code = _code(wanted)
    if code is not None:
        out(page_of(code))
        return
    if " " in wanted:
        found = _of_message(wanted)
        if found is not None:
            out(f"{wanted}\n\n{page_of(found)}")
            return
    lines = list(_of_word(wanted.casefold()))
    if lines:
        out("\n".join([f"# {wanted}", "", *lines]) + "\n")
        return
    raise _unknown(wanted)


def _unknown(wanted: str) -> Unable:
    from rulerun_dsl.diagnostics.catalogue import CATALOGUE
    from rulerun_dsl.diagnostics.diagnostic import suggest

    slugs = {entry.slug: number for number, entry in CATALOGUE.items()}
    words = _known_words()
    near = CATALOGUE if wanted.upper().startswith("RR") else {*slugs, *words}
    close = suggest(wanted.upper() if near is CATALOGUE else wanted, near)
    hint = f"; did you mean `{close}`?" if close else ""
    return Unable(f"there is no finding and no word `{wanted}`{hint}")


# ---------------------------------------------------------------------------- a file, as it is now


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def of_file(path: Path, wanted: str) -> None:
    """Show what `validate` finds in a file of one code, or of each, and the pages."""
    code = (_code(wanted) or _of_message(wanted)) if wanted else None
    if wanted and code is None:
        raise _unknown(wanted)
    found = _found_in(path)
    codes = [code] if code else list(dict.fromkeys(each.code for each in found))
    if not codes:
        out(f"{path}: nothing was found that could be explained\n")
    for at, each in enumerate(codes):
        here = [one for one in found if one.code == each]
        case = _rendered(here) if here else f"{path}: {each} is not found there\n"
        out(("\n" if at else "") + f"{case}\n{page_of(each)}")


def _found_in(path: Path) -> list[Diagnostic]:
    from rulerun.cli.examining import DEFAULT_PLAY, Report, Wanted

    report = Report(Wanted(play=DEFAULT_PLAY))
    report.files([path], False)
    return list(report.found.values())


def _rendered(found: Iterable[Diagnostic]) -> str:
    import sys

    from rulerun_dsl.diagnostics.render import render_text

    return render_text(found, color=colored(sys.stdout))


def _code(wanted: str) -> str | None:
    """The code that is meant, if one is."""
    from rulerun_dsl.diagnostics.catalogue import CATALOGUE

    written = re.search(r"RR\d{4}", wanted.upper())
    if written is not None and written[0] in CATALOGUE:
        return written[0]
    slugs = {entry.slug: number for number, entry in CATALOGUE.items()}
    found = slugs.get(wanted.casefold().replace("_", "-"), wanted.upper())
    if found.isdigit():
        found = f"RR{found.zfill(4)}"
    return found if found in CATALOGUE else None


def page_of(code: str) -> str:
    """The page of a code; its title where there is none."""
    from rulerun_dsl.diagnostics.catalogue import CATALOGUE
    from rulerun_dsl.source.resources import diagnostic_page

    page = diagnostic_page(code)
    if page is not None:
        return page.read_text(encoding="utf-8")
    entry = CATALOGUE[code]
    return f"# {code}: {entry.slug}\n\n{entry.title}. ({entry.severity.value})\n"


# ------------------------------------------------------------------------------------ a message


def _of_message(message: str) -> str | None:
    """The finding that speaks of the same, names aside: what few speak of counts more."""
    from rulerun_dsl.diagnostics.catalogue import CATALOGUE

    wanted = _plain(message)
    said = {
        code: _plain(f"{CATALOGUE[code].title} {_summary(page_of(code))}") for code in CATALOGUE
    }
    rare = {word: 1 / (1 + sum(word in each for each in said.values())) for word in wanted}
    most = sum(rare.values())

    def shared(code: str) -> float:
        title = _plain(CATALOGUE[code].title)
        return sum(rare[word] * (1.2 if word in title else 1) for word in wanted & said[code])

    best = max(CATALOGUE, key=shared)
    return best if wanted and shared(best) >= _ENOUGH * most else None


def _plain(text: str) -> set[str]:
    """The words of a sentence that do not depend on the file."""
    return set(_WORDS.findall(_PARTS.sub(" ", text.casefold())))


def _summary(page: str) -> str:
    """What a page says before its examples."""
    return page.partition("## Avoid")[0]


# --------------------------------------------------------------------------------------- a word


def _of_word(word: str) -> Iterator[str]:
    """What is said of a word: as a key, in the library, on the pages, in findings."""
    from rulerun_dsl.diagnostics.catalogue import CATALOGUE

    known = list(_meanings(word))
    yield from (f"- {each}" for each in known)
    if " " in word and not known:
        return
    games = [] if known else list(_shown_by_games(word))
    yield from games
    found = [code for code in CATALOGUE if _speaks_of(word, code, quoted=bool(known))]
    title = "Findings about it"
    if not (found or known):
        title = "Findings whose pages speak of it"
        often = {code: _WORDS.findall(page_of(code).casefold()).count(word) for code in CATALOGUE}
        found = sorted(filter(often.get, often), key=lambda code: -often[code])
    if found:
        yield from ("",) if known or games else ()
        yield from (f"{title} (`rulerun explain CODE` says more):", "")
        yield from (f"- {code} {CATALOGUE[code].title}." for code in found[:_MOST])


def _shown_by_games(word: str) -> Iterator[str]:
    """Where a word of rulebooks, which is none of the language, is shown in rules to copy from."""
    from rulerun.cli.shelf import shown_by

    begins = re.compile(rf"(?<!\w){re.escape(word)}s?(?!\w)")
    found = {each: names for each, names in shown_by().items() if begins.search(each.casefold())}
    if found:
        yield "No word of the language, but games that come with rulerun have it"
        yield f"(`rulerun list --shows {word}`), and docs/how-to/patterns.md takes it apart:"
        yield ""
        yield from (f"- {each}: {', '.join(names)}" for each, names in [*found.items()][:_MOST])


def _meanings(word: str) -> Iterator[str]:
    """What a word of the language means; nothing of any other word."""
    from rulerun.cli.pages import in_glossary, said_of
    from rulerun_dsl.model.library import LIBRARY
    from rulerun_dsl.syntax.statements import FORMS

    places: dict[str, dict[str, None]] = {}
    for where, about in _keys(word):
        places.setdefault(about, {})[where] = None
    for about, each in places.items():
        *before, last = each
        where = f"{', '.join(before)} and of {last}" if before else last
        yield f"As a key of {where.replace(', ', ', of ')}: {about}"
    form = FORMS.get(word)
    if form is not None:
        yield f"As a step of a rule: {form}."
    entry = LIBRARY.get(word)
    if entry is not None:
        forms = ", ".join(f"`{form}`" for form in entry.forms)
        yield f"In an expression, {forms}: {entry.about}."
    if entry is None and not places:
        yield from (f"{title}: {about}" for title, about in said_of(word))
    noun = in_glossary(word)
    if noun:
        yield f"In the glossary: {noun}"


def _keys(word: str) -> Iterator[tuple[str, str]]:
    """Where a word is a key of a rules file or of scenarios, and what it says there."""
    for forms in _schemas():
        for form in forms.values():
            described: dict[str, Any] = form.get("properties", {}).get(word, {})
            name = str(described.get("$ref", "")).rpartition("/")[2]
            about = described.get("description") or (name and forms[name].get("description"))
            if about and "title" in form and form["title"] != "a statement":
                yield form["title"], about


def _schemas() -> Iterator[dict[str, Any]]:
    """The forms of rules files, and those of files of scenarios."""
    import json

    from rulerun_dsl.schema.ruleset_schema import rules_schema
    from rulerun_dsl.source.resources import shipped

    yield rules_schema()["definitions"]
    scenarios = (shipped("schemas") / "scenario.schema.json").read_text(encoding="utf-8")
    yield json.loads(scenarios)["definitions"]


def _speaks_of(word: str, code: str, *, quoted: bool) -> bool:
    """Whether a finding is about a word; `quoted`: only where it stands as one of the language."""
    from rulerun_dsl.diagnostics.catalogue import CATALOGUE

    title = CATALOGUE[code].title.casefold()
    if f"`{word}`" in title or f"`{word}`" in _summary(page_of(code)):
        return True
    return not quoted and word in _WORDS.findall(title)


def _known_words() -> set[str]:
    from rulerun_dsl.model.library import LIBRARY
    from rulerun_dsl.syntax.statements import FORMS

    every = [form for forms in _schemas() for form in forms.values()]
    keys = {key for form in every for key in form.get("properties", {})}
    return keys | set(LIBRARY) | set(FORMS)
