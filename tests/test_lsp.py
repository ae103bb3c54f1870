"""The language server as an editor sees it: a client at the other end of two pipes.

One server serves all of these tests; each has files of its own. Whatever is waited for has a limit,
so that a server that hangs is a failure and not a run that hangs.
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Awaitable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar
from xml.etree import ElementTree

import pytest
from lsprotocol import types as lsp
from pytest_lsp import LanguageClient, client_capabilities, make_test_lsp_client
from tests.test_mistakes import RULES

import rulerun
from rulerun.__main__ import main
from rulerun.language_server import publishing
from rulerun.language_server.desk import Desk
from rulerun.language_server.utf16 import Positions
from rulerun_dsl.diagnostics.fixes import Edit, Fix
from rulerun_dsl.source.spans import Source

T = TypeVar("T")
LIMIT = 60
SCENARIOS = """\
scenarios:
  - id: B-1
    title: The market is laid out
    expect:
      - count(market) == 5
"""


class Editor:
    """An editor with files in a folder."""

    def __init__(self, loop: asyncio.AbstractEventLoop, client: LanguageClient) -> None:
        self.loop, self.client = loop, client
        self.folder = Path()
        self.texts: dict[str, tuple[str, int]] = {}

    def run(self, work: Awaitable[T]) -> T:
        return self.loop.run_until_complete(asyncio.wait_for(work, LIMIT))

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")
        self.texts[name] = text, 1
        item = lsp.TextDocumentItem(self.uri(name), "yaml", 1, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))

    def type(self, name: str, old: str, new: str) -> None:
        """Change one place, as an edit and not as a new text."""
        text, version = self.texts[name]
        start = text.index(old)
        places = Positions(text)
        change = lsp.TextDocumentContentChangePartial(places.range(start, start + len(old)), new)
        self.texts[name] = text[:start] + new + text[start + len(old) :], version + 1
        self.client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(
                lsp.VersionedTextDocumentIdentifier(version + 1, self.uri(name)), [change]
            )
        )

    def findings(self, name: str, *codes: str) -> list[lsp.Diagnostic]:
        """What is found once it is just this."""

        async def wait() -> list[lsp.Diagnostic]:
            while True:
                found = self.client.diagnostics.get(self.uri(name))
                if found is not None and sorted(str(each.code) for each in found) == sorted(codes):
                    return list(found)
                await asyncio.sleep(0.01)

        return self.run(wait())

    def at(self, name: str, where: str, behind: int = 1) -> dict[str, Any]:
        """A place in a text: so far into where it says this."""
        text, _ = self.texts[name]
        position = Positions(text).position(text.index(where) + behind)
        return {"text_document": lsp.TextDocumentIdentifier(self.uri(name)), "position": position}

    def file(self, name: str) -> lsp.TextDocumentIdentifier:
        return lsp.TextDocumentIdentifier(self.uri(name))


@pytest.fixture(scope="module")
def server() -> Iterator[Editor]:
    loop = asyncio.new_event_loop()
    client = make_test_lsp_client()
    editor = Editor(loop, client)
    editor.run(client.start_io(sys.executable, "-m", "rulerun", "lsp"))
    params = lsp.InitializeParams(capabilities=client_capabilities("visual-studio-code"))
    editor.run(client.initialize_session(params))
    yield editor
    editor.run(client.shutdown_session())
    code = client._server.returncode if client._server is not None else None
    editor.run(client.stop())
    loop.close()
    assert code == 0


@pytest.fixture
def editor(server: Editor, tmp_path: Path) -> Editor:
    server.folder, server.texts = tmp_path, {}
    return server


def test_findings_come_and_go_as_one_types(editor):
    editor.open("bazaar.yaml", RULES)
    editor.findings("bazaar.yaml")
    editor.type("bazaar.yaml", "until: empty(deck)", "until: empty(dock)")
    (found,) = editor.findings("bazaar.yaml", "RR0402")
    assert (found.range.start.line, found.range.start.character) == (35, 17)
    assert found.severity == lsp.DiagnosticSeverity.Error and "deck" in found.message
    # Lines above it move it.
    editor.type("bazaar.yaml", "state:\n", "# a remark\n\nstate:\n")
    editor.type("bazaar.yaml", "zones:", "zones")
    found_all = editor.findings("bazaar.yaml", "RR0132", "RR0402")
    assert sorted(each.range.start.line for each in found_all)[-1] == 37
    editor.type("bazaar.yaml", "zones", "zones:")
    editor.type("bazaar.yaml", "dock", "deck")
    editor.findings("bazaar.yaml")


def test_a_file_that_is_no_yaml_is_answered_too(editor):
    editor.open("broken.yaml", "rulerun: 1\ngame: [\n\tplayers: 2\n")
    assert editor.run(
        editor.client.text_document_document_symbol_async(
            lsp.DocumentSymbolParams(editor.file("broken.yaml"))
        )
    )
    editor.findings("broken.yaml", "RR0126")
    # One that is not ours is left alone.
    editor.open("other.yaml", "services:\n  web: {image: x}\n")
    editor.findings("other.yaml")


def test_what_is_asked_at_a_place(editor):
    client = editor.client
    editor.open("bazaar.yaml", RULES)
    editor.findings("bazaar.yaml")
    where = "hand if c.spice == s) >= 2\n"
    told = editor.run(
        client.text_document_hover_async(lsp.HoverParams(**editor.at("bazaar.yaml", where)))
    )
    assert told is not None and isinstance(told.contents, lsp.MarkupContent)
    assert "hand[player]" in told.contents.value and "bazaar.yaml:22" in told.contents.value
    found = editor.run(
        client.text_document_definition_async(
            lsp.DefinitionParams(**editor.at("bazaar.yaml", where))
        )
    )
    assert isinstance(found, lsp.Location) and found.range.start == lsp.Position(21, 2)
    context = lsp.ReferenceContext(True)
    uses = editor.run(
        client.text_document_references_async(
            lsp.ReferenceParams(context, **editor.at("bazaar.yaml", where))
        )
    )
    assert uses is not None and len(uses) == len(re.findall(r"\bhand\b", RULES))
    editor.type("bazaar.yaml", "move c to sold", "move c to ")
    offered = editor.run(
        client.text_document_completion_async(
            lsp.CompletionParams(**editor.at("bazaar.yaml", "move c to \n", 10))
        )
    )
    assert isinstance(offered, lsp.CompletionList)
    best = sorted(offered.items, key=lambda each: each.sort_text or "")
    assert {each.label for each in best[:4]} == {"deck", "hand", "market", "sold"}
    editor.type("bazaar.yaml", "price[count(c)]", "price[count(c)] + min(1, 2)")
    help_ = editor.run(
        client.text_document_signature_help_async(
            lsp.SignatureHelpParams(**editor.at("bazaar.yaml", "1, 2)", 3))
        )
    )
    assert help_ is not None and help_.active_parameter == 1


def test_what_is_asked_of_a_file(editor):
    client = editor.client
    editor.open("bazaar.yaml", RULES)
    editor.findings("bazaar.yaml")
    file = editor.file("bazaar.yaml")
    symbols = editor.run(client.text_document_document_symbol_async(lsp.DocumentSymbolParams(file)))
    (zones,) = (each for each in symbols or () if each.name == "zones")
    assert isinstance(zones, lsp.DocumentSymbol)
    assert [each.name for each in zones.children or ()][:2] == ["deck", "market"]
    folds = editor.run(client.text_document_folding_range_async(lsp.FoldingRangeParams(file)))
    assert lsp.FoldingRange(18, 22) in (folds or ())
    tokens = editor.run(
        client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(file))
    )
    assert tokens is not None and len(tokens.data) > 200 and len(tokens.data) % 5 == 0
    lenses = editor.run(client.text_document_code_lens_async(lsp.CodeLensParams(file)))
    assert [each.command.title for each in lenses or () if each.command] == [
        *("play", "simulate", "test"),
    ]


def test_a_new_name_goes_through_rules_and_scenarios(editor):
    client = editor.client
    editor.open("bazaar.yaml", RULES)
    editor.open("bazaar.test.yaml", SCENARIOS)
    editor.findings("bazaar.yaml")
    editor.findings("bazaar.test.yaml")
    place = editor.at("bazaar.yaml", "market: {of")
    made = editor.run(
        client.text_document_rename_async(lsp.RenameParams(new_name="stall", **place))
    )
    assert made is not None and made.changes is not None
    assert len(made.changes[editor.uri("bazaar.yaml")]) == 4
    (edit,) = made.changes[editor.uri("bazaar.test.yaml")]
    assert edit.new_text == "stall" and edit.range.start == lsp.Position(4, 14)
    with pytest.raises(Exception, match="written twice"):
        editor.run(client.text_document_rename_async(lsp.RenameParams(new_name="deck", **place)))


def test_a_module_is_read_with_the_rules_that_list_it(editor):
    function = "  most_saffron:" + RULES.partition("  most_saffron:")[2].partition("\n")[0] + "\n"
    assert function.startswith("  most_saffron: highest")
    rules = RULES.replace(f"functions:\n{function}", "files: [more.yaml]\n")
    (editor.folder / "bazaar.yaml").write_text(rules, encoding="utf-8")
    editor.open("more.yaml", f"module: more\n\nfunctions:\n{function}")
    editor.type("more.yaml", "hand[p]", "hund[p]")
    (found,) = editor.findings("more.yaml", "RR0402")
    assert found.range.start.line == 3
    editor.type("more.yaml", "hund[p]", "hand[p]")
    editor.findings("more.yaml")
    found = editor.run(
        editor.client.text_document_definition_async(
            lsp.DefinitionParams(**editor.at("more.yaml", "hand[p]"))
        )
    )
    assert isinstance(found, lsp.Location) and found.uri == editor.uri("bazaar.yaml")


def test_scenarios_are_looked_up_in_the_rules_as_they_are_typed(editor):
    editor.open("bazaar.yaml", RULES)
    editor.open("bazaar.test.yaml", SCENARIOS)
    editor.findings("bazaar.test.yaml")
    editor.type("bazaar.test.yaml", "count(market)", "count(stall)")
    (found,) = editor.findings("bazaar.test.yaml", "RR0402")
    assert found.range.start.line == 4
    editor.type("bazaar.test.yaml", "count(stall)", "count(market)")
    editor.findings("bazaar.test.yaml")
    offered = editor.run(
        editor.client.text_document_completion_async(
            lsp.CompletionParams(**editor.at("bazaar.test.yaml", "title", 0))
        )
    )
    assert isinstance(offered, lsp.CompletionList)
    assert {"given", "do", "outcome"} <= {each.label for each in offered.items}
    editor.type("bazaar.test.yaml", "    expect:", "    do:\n      - chance: \n    expect:")

    def labels(where: str, behind: int) -> set[str]:
        found = editor.run(
            editor.client.text_document_completion_async(
                lsp.CompletionParams(**editor.at("bazaar.test.yaml", where, behind))
            )
        )
        assert isinstance(found, lsp.CompletionList)
        return {each.label for each in found.items}

    # What may fall, and what may be done, is what the rules say there.
    assert labels("chance: ", 8) == {"pepper", "saffron", "cinnamon", "clove"}
    editor.type("bazaar.test.yaml", "chance: \n", "P1: t\n      - P2: sel\n")
    assert labels("P1: t", 5) == {"take(pepper)", "sell"}


def test_a_line_of_scenarios_that_stands_too_deep_is_drawn_back(editor):
    editor.open("bazaar.yaml", RULES)
    editor.open("bazaar.test.yaml", SCENARIOS + "    do:\n      - P1: sell\n        #\n")
    offered = editor.run(
        editor.client.text_document_completion_async(
            lsp.CompletionParams(**editor.at("bazaar.test.yaml", "        #", 8))
        )
    )
    assert isinstance(offered, lsp.CompletionList)
    made = {each.label: each for each in offered.items}
    (taken,) = made["- P2"].additional_text_edits or ()
    assert (taken.new_text, taken.range.end.character, taken.range.start.character) == ("", 8, 6)
    edit = made["given"].text_edit
    assert isinstance(edit, lsp.TextEdit) and edit.new_text == "given:\n      "
    assert made["given"].insert_text_mode == lsp.InsertTextMode.AsIs


def test_texts_are_completed_by_what_they_do_not_say_yet(editor):
    editor.open("bazaar.yaml", RULES)
    (editor.folder / "texts").mkdir()
    name = "texts/bazaar.fr.yaml"
    editor.open(name, "texts: bazaar\nlanguage: fr\nzones:\n  market: marché\n  de\n")
    offered = editor.run(
        editor.client.text_document_completion_async(
            lsp.CompletionParams(**editor.at(name, "  de", 4))
        )
    )
    assert isinstance(offered, lsp.CompletionList)
    labels = {each.label for each in offered.items}
    assert {"deck", "hand"} <= labels and "market" not in labels
    (deck,) = (each for each in offered.items if each.label == "deck")
    assert isinstance(deck.text_edit, lsp.TextEdit) and deck.text_edit.new_text == "deck: "
    assert deck.text_edit.range.start == lsp.Position(4, 2)


SENTENCE = "Which spice do you sell?"
TEXTS = """\
texts: spice_bazaar
language: fr
components:
  card: {rows: {clove: clou de girofle}}
zones:
  market: marché
  stall: étal
sentences:
  "Which ware do you take?": Que prenez-vous ?
"""


def test_texts_have_findings_by_the_rules_as_they_are_now(editor):
    (editor.folder / "texts").mkdir()
    name = "texts/bazaar.fr.yaml"
    editor.open("texts/alone.fr.yaml", TEXTS)
    (found,) = editor.findings("texts/alone.fr.yaml", "RR0754")
    assert "there is no rules file" in found.message
    editor.open("bazaar.yaml", RULES)
    editor.open(name, TEXTS)
    editor.findings(name, "RR0402", "RR0753")
    editor.type(name, "stall", "deck")
    editor.findings(name, "RR0753")
    editor.type(name, "Which ware do you take?", SENTENCE)
    editor.findings(name)
    # These rules are not saved.
    editor.type("bazaar.yaml", SENTENCE, "Which one?")
    (found,) = editor.findings(name, "RR0753")
    assert found.range.start.line == 8
    # By rules that are wrong nothing is said but of its shape.
    editor.type("bazaar.yaml", "until: empty(deck)", "until: empty(dock)")
    editor.findings(name)
    editor.type(name, "language: fr", "language: 7")
    (found,) = editor.findings(name, "RR0207")
    assert found.range.start.line == 1


def test_from_a_translation_to_what_it_translates(editor):
    editor.open("bazaar.yaml", RULES)
    (editor.folder / "texts").mkdir()
    name = "texts/bazaar.fr.yaml"
    editor.open(name, TEXTS.replace("Which ware do you take?", SENTENCE))

    def goes_to(where: str) -> str | None:
        """The line of the rules, and what of it is meant."""
        found = editor.run(
            editor.client.text_document_definition_async(
                lsp.DefinitionParams(**editor.at(name, where))
            )
        )
        if found is None:
            return None
        assert isinstance(found, lsp.Location) and found.uri == editor.uri("bazaar.yaml")
        start, end = found.range.start, found.range.end
        line = RULES.splitlines()[start.line]
        return f"{line.strip()[:12]}… {line[start.character : end.character]}"

    assert goes_to("marché") == "market: {of:… market"
    assert goes_to("clou de") == "clove: {spic… clove"
    assert goes_to("Que prenez") == f"ask: Which s… {SENTENCE}"
    assert goes_to("étal") is None and goes_to("language") is None


def test_code_actions_are_the_fixes_of_findings(tmp_path):
    """Where a fix goes is where its text is by now."""
    path = tmp_path / "game.yaml"
    desk = Desk(lambda _: [])
    desk.put(path, "🃏 scores\n")
    source = Source(str(path), "🃏 scores\n")
    fix = Fix("write `score`", (Edit(source.span(2, 8), "score"),), True)
    desk.put(path, "# above\n🃏 scores\n")
    edits = publishing.edits_of(desk, fix)
    assert edits == {
        path.as_uri(): [lsp.TextEdit(lsp.Range(lsp.Position(1, 3), lsp.Position(1, 9)), "score")]
    }


def test_without_pygls_it_says_what_to_install(monkeypatch, capsys):
    for name in [each for each in sys.modules if each.startswith("rulerun.language_server")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pygls", None)
    monkeypatch.setitem(sys.modules, "lsprotocol", None)
    assert main(["lsp"]) == 2
    assert "pip install 'rulerun[lsp]'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "sent",
    [b"", b"words\r\nContent-Length: 5\r\n\r\n{[[[[Content-Length: 99\r\n\r\n{}"],
    ids=["says nothing", "no JSON, then cut off"],
)
def test_a_client_that_goes_away_ends_it(sent):
    done = subprocess.run(
        [sys.executable, "-m", "rulerun", "lsp"],
        input=sent,
        capture_output=True,
        timeout=LIMIT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr


def test_without_streams_it_says_so(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(fileno=lambda: -1))
    assert main(["lsp"]) == 2
    assert "an editor starts" in capsys.readouterr().err


def test_the_extension_starts_this_rulerun(tmp_path, capsys):
    path = tmp_path / "here.vsix"
    assert main(["editor", "vscode", "-o", str(path)]) == 0
    assert "code --install-extension" in capsys.readouterr().err
    first = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        package = json.loads(archive.read("extension/package.json"))
        command = json.loads(archive.read("extension/command.json"))
        manifest = ElementTree.fromstring(archive.read("extension.vsixmanifest"))
        main_file = f"extension/{package['main'].removeprefix('./')}"
        assert {"[Content_Types].xml", main_file} <= set(archive.namelist())
    assert package["version"] == rulerun.__version__
    assert command == [sys.executable, "-m", "rulerun"]
    (identity,) = (each for each in manifest.iter() if each.tag.endswith("}Identity"))
    assert identity.get("Version") == package["version"]
    assert main(["editor", "vscode", "-o", str(path)]) == 0
    assert path.read_bytes() == first
    assert main(["editor", "vscode", "-o", str(tmp_path / "no" / "where.vsix")]) == 2
    assert "cannot be written" in capsys.readouterr().err
