"""The server: requests of the protocol, each handed to whoever answers it.

Assumes: pygls.
Does: registers what can be asked for. A request that fails is logged, and answers nothing: an
editor goes on without it.
Leaves behind: a server, which `serve` runs until its client is gone.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from lsprotocol import types as lsp
from pygls import uris
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from rulerun.language_server import answers, lenses, scenario_help, texts_help
from rulerun.language_server.checking import Checking
from rulerun.language_server.desk import Desk, is_scenarios
from rulerun.language_server.publishing import Shown, edits_of, uri_of

log = logging.getLogger(__name__)
_Handler = TypeVar("_Handler", bound=Callable[..., Any])

_LONGEST_RUN = 300
"""Seconds that a command may take which a client asks for."""


def _guarded(handler: _Handler) -> _Handler:
    """The handler, whose failures answer nothing."""
    if inspect.iscoroutinefunction(handler):

        @functools.wraps(handler)
        async def waited(*arguments: Any) -> Any:
            try:
                return await handler(*arguments)
            except Exception:
                log.exception("%s failed", handler.__name__)
                return None

        return waited  # type: ignore[return-value]

    @functools.wraps(handler)
    def guarded(*arguments: Any) -> Any:
        try:
            return handler(*arguments)
        except Exception:
            log.exception("%s failed", handler.__name__)
            return None

    return guarded  # type: ignore[return-value]


class Server(LanguageServer):
    """The server, with what lies on its desk."""

    def __init__(self, version: str, parents: Callable[[Path], list[Path]]) -> None:
        super().__init__("rulerun", version, lsp.TextDocumentSyncKind.Incremental)
        self.desk = Desk(parents)
        self.checking = Checking(self.desk, self.publish)
        self._uris: dict[Path, str] = {}

    def path(self, uri: str) -> Path:
        """The path of a document; one that is no file has its address for a path."""
        path = Path(uris.to_fs_path(uri) or uri)
        self._uris[path] = uri
        return path

    def take(self, uri: str) -> Path:
        """Put the text of a document on the desk as it is now."""
        path = self.path(uri)
        self.desk.put(path, self.workspace.get_text_document(uri).source)
        return path

    def publish(self, path: Path, found: list[Shown]) -> None:
        """Tell the client what is wrong with a file."""
        uri = self._uris.get(path, uri_of(path))
        version = None
        if path in self.desk.open:
            version = self.workspace.get_text_document(uri).version
        self.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(uri, [each.told for each in found], version)
        )

    def spot(self, params: Any) -> tuple[Path, Path, int] | None:
        """The game, the file and the offset of a request; None for what is no rules file."""
        path = self.path(params.text_document.uri)
        mains = self.desk.mains_of(path)
        if not mains:
            return None
        return mains[0], path, self.desk.positions(path).offset(params.position)

    @property
    def snippets(self) -> bool:
        """Does the client know where to leave the cursor."""
        text = self.client_capabilities.text_document
        item = text.completion.completion_item if text and text.completion else None
        return bool(item and item.snippet_support)


def make_server(version: str, parents: Callable[[Path], list[Path]]) -> Server:
    """A server that waits for its client; `parents` finds the rules files that list a module."""
    server = Server(version, parents)
    _texts(server)
    _names(server)
    _whole_files(server)
    _commands(server)
    return server


def _texts(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    @_guarded
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        server.checking.changed(server.take(params.text_document.uri))

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    @_guarded
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        server.checking.changed(server.take(params.text_document.uri))

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    @_guarded
    def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        server.checking.changed(server.take(params.text_document.uri))

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    @_guarded
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        path = server.path(params.text_document.uri)
        server.desk.close(path)
        server.checking.forget(path)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    @_guarded
    def written(params: lsp.DidChangeWatchedFilesParams) -> None:
        for each in params.changes:
            path = server.path(each.uri)
            if path not in server.desk.open:
                # A module or rules file that an open file may belong to.
                server.desk.written(path)
                for one in list(server.desk.open):
                    server.checking.changed(one)

    @server.feature(lsp.SHUTDOWN)
    @_guarded
    def ended(*_: Any) -> None:
        server.checking.end()


def _names(server: Server) -> None:
    @server.feature(
        lsp.TEXT_DOCUMENT_COMPLETION,
        lsp.CompletionOptions(trigger_characters=[".", "(", "[", "<", " ", ":"]),
    )
    @_guarded
    async def completion(params: lsp.CompletionParams) -> lsp.CompletionList | None:
        path = server.path(params.text_document.uri)
        if is_scenarios(path):
            return await scenario_help.completion(
                server.desk, path, params.position, server.checking.answers_at
            )
        if texts_help.is_texts(path):
            asked, position = server.checking.texts_at, params.position
            return await texts_help.completion(server.desk, path, position, asked, server.snippets)
        spot = server.spot(params)
        return answers.completion(server.desk, *spot, server.snippets) if spot else None

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    @_guarded
    def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        spot = server.spot(params)
        return answers.hovering(server.desk, *spot) if spot else None

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    @_guarded
    def definition(params: lsp.DefinitionParams) -> lsp.Location | None:
        path = server.path(params.text_document.uri)
        if texts_help.is_texts(path):
            return texts_help.definition(server.desk, path, params.position)
        spot = server.spot(params)
        return answers.definition(server.desk, *spot) if spot else None

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    @_guarded
    def references(params: lsp.ReferenceParams) -> list[lsp.Location] | None:
        spot = server.spot(params)
        return answers.references(server.desk, *spot) if spot else None

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    @_guarded
    def highlight(params: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight] | None:
        spot = server.spot(params)
        found = answers.references(server.desk, *spot) if spot else None
        mine = params.text_document.uri
        return [lsp.DocumentHighlight(each.range) for each in found or () if each.uri == mine]

    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    @_guarded
    def renamable(params: lsp.PrepareRenameParams) -> lsp.Range | None:
        spot = server.spot(params)
        return answers.renamable(server.desk, *spot) if spot else None

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    def rename(params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        spot = server.spot(params)
        if spot is None:
            return None
        edits, refused, symbol = answers.renaming(server.desk, *spot, params.new_name)
        if refused:
            # The client shows the reason.
            raise JsonRpcException(refused, lsp.LSPErrorCodes.RequestFailed)
        assert symbol is not None
        scenario_help.renamed(server.desk, spot[0], symbol, params.new_name, edits)
        return lsp.WorkspaceEdit(edits)

    @server.feature(
        lsp.TEXT_DOCUMENT_SIGNATURE_HELP, lsp.SignatureHelpOptions(trigger_characters=["(", ","])
    )
    @_guarded
    def signature(params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
        spot = server.spot(params)
        return answers.signature(server.desk, *spot) if spot else None

    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION,
        lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix]),
    )
    @_guarded
    def actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        path = server.path(params.text_document.uri)
        found = []
        for each in server.checking.told(path):
            if _overlap(each.told.range, params.range):
                found += [
                    lsp.CodeAction(
                        title=fix.title[:1].upper() + fix.title[1:],
                        kind=lsp.CodeActionKind.QuickFix,
                        diagnostics=[each.told],
                        edit=lsp.WorkspaceEdit(edits_of(server.desk, fix)),
                        is_preferred=fix.safe,
                    )
                    for fix in each.fixes
                ]
        return found


def _overlap(one: lsp.Range, other: lsp.Range) -> bool:
    def key(place: lsp.Position) -> tuple[int, int]:
        return place.line, place.character

    return key(one.start) <= key(other.end) and key(other.start) <= key(one.end)


def _whole_files(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    @_guarded
    def symbols(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        return answers.symbols(server.desk, server.path(params.text_document.uri))

    @server.feature(lsp.TEXT_DOCUMENT_FOLDING_RANGE)
    @_guarded
    def folds(params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
        return answers.folds(server.desk, server.path(params.text_document.uri))

    @server.feature(
        lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, lsp.SemanticTokensLegend(answers.LEGEND, [])
    )
    @_guarded
    def tokens(params: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        path = server.path(params.text_document.uri)
        mains = server.desk.mains_of(path)
        data = answers.semantic_tokens(server.desk, mains[0], path) if mains else []
        return lsp.SemanticTokens(data)

    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    @_guarded
    def code_lenses(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        return lenses.lenses(server.desk, server.path(params.text_document.uri))


def _commands(server: Server) -> None:
    for name in lenses.RUN:
        _command(server, name)


def _command(server: Server, name: str) -> None:
    @server.command(f"rulerun.{name}")
    async def run(*arguments: Any) -> str | None:
        """Run a command of rulerun on a saved file; its output is the answer."""
        try:
            line = lenses.command_line(name, list(arguments))
            return await asyncio.to_thread(_output, line)
        except Exception:
            log.exception("running %s failed", name)
            return None


def _output(line: list[str]) -> str:
    """What a command prints."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "rulerun", *line],
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=_LONGEST_RUN,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"rulerun {' '.join(line)}: stopped after {_LONGEST_RUN} seconds"
    return done.stdout + done.stderr


def _is_news(record: logging.LogRecord) -> bool:
    """Whether a record of pygls tells more than the client knows: what it was refused, it does."""
    refused = record.exc_info is not None and isinstance(record.exc_info[1], JsonRpcException)
    # What is cancelled has often been answered already.
    return not refused and "Cancel notification" not in record.getMessage()


def serve(
    version: str, parents: Callable[[Path], list[Path]], reads: BinaryIO, writes: BinaryIO
) -> None:
    """Serve the client at the other end of two streams."""
    logging.getLogger("pygls.protocol.json_rpc").addFilter(_is_news)
    server = make_server(version, parents)
    try:
        server.start_io(reads, writes)
    finally:
        server.checking.end()
