"""Where the shipped rulesets and schemas are.

They stand at the root of the repository, where a designer looks for them, and inside this package
once it is installed from a wheel. Everything that reads shipped data asks here, and no other module
knows which of the two holds. The package's own folder is asked first, since a checkout has no data
there, and the folder two levels up from it second.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

_PACKAGE = Path(__file__).resolve().parents[1]
_SUFFIX = ".yaml"
_SCENARIOS = ".test.yaml"
# In a checkout; the wheel has them inside the package.
_PAGES = "docs/reference/diagnostics"
_LANGUAGE = "docs/reference/language"
_GLOSSARY = "docs/glossary.md"
# In the order in which a name is looked up.
_SHELVES = (".", "classics")


def shipped(kind: Literal["rulesets", "schemas"]) -> Path:
    """The folder of the shipped data of one kind; `FileNotFoundError` if the install is broken.

    >>> shipped("rulesets").name
    'rulesets'
    """
    places = (_PACKAGE / kind, _PACKAGE.parent.parent / kind)
    for place in places:
        if place.is_dir():
            return place
    raise FileNotFoundError(
        f"the {kind} that come with rulerun are missing (looked in {places[0]} and {places[1]}): "
        "install it again"
    )


def ruleset_path(name: str) -> Path | None:
    """The file of the shipped ruleset of this name, given with or without `.yaml`, if there is one.

    A name is only ever a name: anything with a folder in it is no shipped ruleset.

    >>> ruleset_path("no such game") is None
    True
    """
    wanted = name.removesuffix(_SUFFIX)
    for path in _ruleset_files():
        if path.name == wanted + _SUFFIX:
            return path
    return None


def diagnostic_page(code: str) -> Path | None:
    """The page that explains a code, if there is one.

    >>> diagnostic_page("../../README") is None
    True
    """
    if not (code.isascii() and code.isalnum()):
        return None
    for folder in (_PACKAGE / "diagnostics_pages", _PACKAGE.parent.parent / _PAGES):
        page = folder / f"{code}.md"
        if page.is_file():
            return page
    return None


def language_pages() -> list[Path]:
    """The pages of the reference about the language, by name; none if they are missing.

    >>> [page.name for page in language_pages()][:2]
    ['chance.md', 'decisions.md']
    """
    for folder in (_PACKAGE / "language_pages", _PACKAGE.parent.parent / _LANGUAGE):
        if folder.is_dir():
            return sorted(folder.glob("*.md"))
    return []


def glossary() -> Path | None:
    """The page with the words that we use, if it is there."""
    for page in (_PACKAGE / "glossary.md", _PACKAGE.parent.parent / _GLOSSARY):
        if page.is_file():
            return page
    return None


def ruleset_names() -> list[str]:
    """The names of the shipped rulesets, without `.yaml`, sorted.

    >>> ruleset_names() == sorted(set(ruleset_names()))
    True
    """
    return sorted({path.name.removesuffix(_SUFFIX) for path in _ruleset_files()})


def _ruleset_files() -> Iterator[Path]:
    """Each shipped ruleset's file, shelf by shelf; scenarios beside a ruleset are not rulesets."""
    root = shipped("rulesets")
    for shelf in _SHELVES:
        for path in sorted((root / shelf).glob("*" + _SUFFIX)):
            if not path.name.endswith(_SCENARIOS):
                yield path
