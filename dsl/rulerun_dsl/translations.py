"""What people read of a game in other languages: files of texts beside a rules file.

The texts of `checkers.yaml` in French lie in `texts/checkers.fr.yaml`: `texts` is a folder beside
the rules file. They change no rule. Each is read, and checked against the game, when it is asked
for; what is wrong in one gives findings, and no exception.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from rulerun_dsl import model as m
from rulerun_dsl.check.display import words
from rulerun_dsl.diagnostics.diagnostic import Diagnostic, first_of, has_errors, problem
from rulerun_dsl.diagnostics.fixes import rewrite
from rulerun_dsl.heads import Head, head_of
from rulerun_dsl.load import Loaded, Reader
from rulerun_dsl.schema.shapes import check_shape
from rulerun_dsl.yaml.document import load_document
from rulerun_dsl.yaml.nodes import Mapping as Document
from rulerun_dsl.yaml.nodes import Scalar
from rulerun_dsl.yaml.open_source import read_source

FOLDER = "texts"
_NAME = re.compile(r"(?P<game>.+)\.(?P<language>[a-z]{2,3})\.ya?ml")


def files_of_texts(rules: Path) -> dict[str, Path]:
    """The files of texts of a rules file, by language."""
    try:
        every = sorted((rules.parent / FOLDER).iterdir())
    except OSError:
        return {}
    found = {each: _NAME.fullmatch(each.name) for each in every}
    return {
        name["language"]: path
        for path, name in found.items()
        if name is not None and name["game"] == rules.stem
    }


def texts_of(rules: Path, language: str) -> Path:
    """Where the texts of a rules file in a language belong."""
    return rules.parent / FOLDER / f"{rules.stem}.{language}.yaml"


def rules_of(texts: Path) -> Path | None:
    """The rules file to which a file of texts belongs, by where it lies."""
    name = _NAME.fullmatch(texts.name)
    if name is None or texts.parent.name != FOLDER:
        return None
    beside = (texts.parent.parent / (name["game"] + ending) for ending in (".yaml", ".yml"))
    return next((each for each in beside if each.is_file()), None)


def head_in(rules: Path, language: str) -> Head:
    """The head of a rules file, with title and text in a language if it has them in that."""
    head = head_of(rules)
    texts = files_of_texts(rules).get(language)
    if texts is None:
        return head
    said = head_of(texts)
    # A file of texts without a title goes by the name of its file there.
    title = head.title if said.title == said.name else said.title
    return replace(head, title=title, about=said.about or head.about)


def document_of(path: Path, read: Reader = read_source) -> tuple[Document | None, list[Diagnostic]]:
    """Read a file of texts, and say what is wrong with its shape."""
    source, findings = read(path, None)
    if source is None:
        return None, findings
    document, more = load_document(source)
    findings.extend(more)
    if document is not None:
        findings.extend(check_shape(document))
    return document, findings


def without_rules(path: Path, read: Reader = read_source) -> list[Diagnostic]:
    """What is said of a file of texts to which no rules file belongs."""
    source, findings = read(path, None)
    message = "nothing was checked: there is no rules file for these texts"
    span = None if source is None else source.span(0)
    help = "they belong in a folder `texts` beside NAME.yaml, as `texts/NAME.fr.yaml`"
    return [*findings, problem("RR0754", message, span, help=help)]


def translation(
    loaded: Loaded, game: m.Game, path: Path, read: Reader = read_source
) -> tuple[m.Words | None, list[Diagnostic], tuple[str, ...]]:
    """Read a file of texts for a game that `loaded` has made; `read` may give one not saved yet.

    Return the words (with those of the rules file where it has none), what is wrong, and what a
    reader of this language would find untranslated.
    """
    document, findings = document_of(path, read)
    if document is None or has_errors(findings):
        return None, first_of(findings), ()
    findings.extend(_head(document, game, path))
    with loaded.world_of(game) as world:
        found = words.translation(world, document)
        missing = tuple(words.untranslated(world, found))
        findings.extend(world.diagnostics)
    whole = None if has_errors(findings) else m.translated(game.words, found)
    return whole, first_of(findings), missing


def _head(document: Document, game: m.Game, path: Path) -> list[Diagnostic]:
    """What is wrong with which game and language a file says it is of."""
    name = _NAME.fullmatch(path.name)
    wanted: Mapping[str, str] = {"texts": game.name}
    if name is not None:
        wanted = {**wanted, "language": name["language"]}
    found = []
    for key, text in wanted.items():
        given = document.get(key)
        if isinstance(given, Scalar) and given.text != text:
            message = f"the file is `{path.name}`, and `{key}` is `{given.text}`"
            fixes = rewrite(given.span, text, safe=False)
            help = f"write `{key}: {text}`"
            found.append(problem("RR0754", message, given.span, help=help, fixes=fixes))
    return found
