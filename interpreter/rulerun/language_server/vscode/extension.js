// What VS Code needs to talk to `rulerun lsp`: a process, its messages, and who is asked what.
//
// Assumes `command.json` beside it: the words that start rulerun, written by `rulerun editor vscode`.
// Does: starts the server when a YAML file is opened, tells it of each edit, and hands its answers to
// VS Code. What the server finds to run (play, simulate, test) runs in a terminal.
// It needs no packages: what is below is all of the client.
"use strict";

const vscode = require("vscode");
const { spawn } = require("child_process");
const fs = require("fs");
const path = require("path");

const MOST_STARTS = 4;
const SELECTOR = [
  { language: "yaml", scheme: "file" },
  { language: "yaml", scheme: "untitled" },
];
const HEADER_END = Buffer.from("\r\n\r\n");

function command() {
  const chosen = vscode.workspace.getConfiguration("rulerun").get("command");
  if (Array.isArray(chosen) && chosen.length) return chosen;
  const text = fs.readFileSync(path.join(__dirname, "command.json"), "utf8");
  return JSON.parse(text);
}

// --------------------------------------------------------------------------------- messages

class Connection {
  constructor(child, told, ended) {
    this.child = child;
    this.told = told;
    this.waiting = new Map();
    this.number = 0;
    this.buffer = Buffer.alloc(0);
    this.over = false;
    const end = (reason) => {
      if (this.over) return;
      this.over = true;
      for (const { reject } of this.waiting.values()) reject(new Error("rulerun has ended"));
      this.waiting.clear();
      ended(reason);
    };
    child.stdout.on("data", (data) => this.read(data));
    child.stdin.on("error", () => {});
    child.on("error", (error) => end(error.message));
    child.on("exit", (code) => end(`exit code ${code}`));
  }

  read(data) {
    this.buffer = Buffer.concat([this.buffer, data]);
    for (;;) {
      const head = this.buffer.indexOf(HEADER_END);
      if (head < 0) return;
      const length = /content-length: *(\d+)/i.exec(this.buffer.toString("ascii", 0, head));
      const start = head + HEADER_END.length;
      const end = start + Number(length ? length[1] : 0);
      if (this.buffer.length < end) return;
      const message = JSON.parse(this.buffer.toString("utf8", start, end));
      this.buffer = this.buffer.subarray(end);
      this.take(message);
    }
  }

  take(message) {
    if (message.method !== undefined) {
      if (message.id !== undefined) this.send({ id: message.id, result: null });
      this.told(message.method, message.params);
      return;
    }
    const asked = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (asked === undefined) return;
    if (message.error) asked.reject(new Error(message.error.message));
    else asked.resolve(message.result);
  }

  send(message) {
    if (this.over || this.child.stdin.destroyed) return;
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }), "utf8");
    this.child.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.child.stdin.write(body);
  }

  tell(method, params) {
    this.send({ method, params });
  }

  ask(method, params, token) {
    if (this.over) return Promise.reject(new Error("rulerun has ended"));
    const id = ++this.number;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send({ id, method, params });
      if (token) token.onCancellationRequested(() => this.tell("$/cancelRequest", { id }));
    });
  }
}

// ----------------------------------------------------------------------- values of VS Code

const place = (at) => new vscode.Position(at.line, at.character);
const range = (at) => new vscode.Range(place(at.start), place(at.end));
const location = (at) => new vscode.Location(vscode.Uri.parse(at.uri), range(at.range));
const plain = (at) => ({ line: at.line, character: at.character });
const stretch = (at) => ({ start: plain(at.start), end: plain(at.end) });
const text = (content) =>
  content === undefined || content === null
    ? undefined
    : typeof content === "string"
      ? content
      : new vscode.MarkdownString(content.value);
const optional = (value, make) => (value === null || value === undefined ? undefined : make(value));
const list = (values, make) => (values || []).map(make);

function diagnostic(told) {
  const made = new vscode.Diagnostic(range(told.range), told.message, (told.severity || 1) - 1);
  made.code = told.code;
  made.source = told.source;
  made.relatedInformation = list(
    told.relatedInformation,
    (each) => new vscode.DiagnosticRelatedInformation(location(each.location), each.message),
  );
  return made;
}

function edits(told) {
  const made = new vscode.WorkspaceEdit();
  for (const [uri, changes] of Object.entries((told && told.changes) || {})) {
    for (const each of changes) made.replace(vscode.Uri.parse(uri), range(each.range), each.newText);
  }
  return made;
}

function item(told) {
  const made = new vscode.CompletionItem(told.label, (told.kind || 1) - 1);
  made.detail = told.detail;
  made.documentation = text(told.documentation);
  made.sortText = told.sortText;
  made.range = range(told.textEdit.range);
  const written = told.textEdit.newText;
  made.insertText = told.insertTextFormat === 2 ? new vscode.SnippetString(written) : written;
  return made;
}

function symbol(told) {
  const made = new vscode.DocumentSymbol(
    told.name,
    told.detail || "",
    told.kind - 1,
    range(told.range),
    range(told.selectionRange),
  );
  made.children = list(told.children, symbol);
  return made;
}

function signatures(told) {
  const made = new vscode.SignatureHelp();
  made.signatures = list(told.signatures, (each) => {
    const one = new vscode.SignatureInformation(each.label, text(each.documentation));
    one.parameters = list(each.parameters, (part) => new vscode.ParameterInformation(part.label));
    return one;
  });
  made.activeSignature = told.activeSignature || 0;
  made.activeParameter = told.activeParameter || 0;
  return made;
}

function action(told) {
  const made = new vscode.CodeAction(told.title, vscode.CodeActionKind.QuickFix);
  made.edit = edits(told.edit);
  made.diagnostics = list(told.diagnostics, diagnostic);
  made.isPreferred = told.isPreferred;
  return made;
}

function lens(told) {
  return new vscode.CodeLens(range(told.range), {
    title: told.command.title,
    command: told.command.command,
    arguments: told.command.arguments,
  });
}

// ------------------------------------------------------------------------------ the client

class Client {
  constructor(log) {
    this.log = log;
    this.found = vscode.languages.createDiagnosticCollection("rulerun");
    this.starts = 0;
    this.registered = [];
  }

  async start() {
    this.starts += 1;
    const words = command();
    const folder = vscode.workspace.workspaceFolders && vscode.workspace.workspaceFolders[0];
    const child = spawn(words[0], [...words.slice(1), "lsp"], {
      cwd: folder && folder.uri.scheme === "file" ? folder.uri.fsPath : undefined,
    });
    child.stderr.on("data", (data) => this.log.append(data.toString("utf8")));
    const connection = new Connection(
      child,
      (method, params) => this.told(method, params),
      (reason) => this.ended(connection, words, reason),
    );
    this.connection = connection;
    const result = await connection.ask("initialize", {
      processId: process.pid,
      clientInfo: { name: "VS Code" },
      rootUri: folder ? folder.uri.toString() : null,
      capabilities: {
        textDocument: {
          completion: { completionItem: { snippetSupport: true } },
          publishDiagnostics: { relatedInformation: true },
        },
      },
    });
    connection.tell("initialized", {});
    this.register(result.capabilities);
    vscode.workspace.textDocuments.forEach((each) => this.opened(each));
  }

  told(method, params) {
    if (method === "textDocument/publishDiagnostics") {
      this.found.set(vscode.Uri.parse(params.uri), list(params.diagnostics, diagnostic));
    } else if (method === "window/showMessage" || method === "window/logMessage") {
      this.log.appendLine(params.message);
    }
  }

  ended(connection, words, reason) {
    if (connection !== this.connection) return;
    this.found.clear();
    this.connection = undefined;
    this.log.appendLine(`${words.join(" ")} lsp has ended: ${reason}`);
    if (this.starts < MOST_STARTS) {
      setTimeout(() => this.start().catch(() => {}), 1000 * this.starts);
    } else {
      vscode.window.showErrorMessage(
        `rulerun does not run (${reason}). Is \`${words.join(" ")} lsp\` what starts it? ` +
          "The setting rulerun.command says another; pip install 'rulerun[lsp]' brings what it needs.",
      );
    }
  }

  async stop() {
    const connection = this.connection;
    this.connection = undefined;
    this.dispose();
    if (!connection || connection.over) return;
    const kill = setTimeout(() => connection.child.kill(), 2000);
    connection.child.on("exit", () => clearTimeout(kill));
    await connection.ask("shutdown", null).catch(() => {});
    connection.tell("exit", null);
  }

  dispose() {
    this.registered.forEach((each) => each.dispose());
    this.registered = [];
    this.found.clear();
  }

  ours(document) {
    return vscode.languages.match(SELECTOR, document) > 0;
  }

  opened(document) {
    if (!this.ours(document)) return;
    this.tell("textDocument/didOpen", {
      textDocument: {
        uri: document.uri.toString(),
        languageId: document.languageId,
        version: document.version,
        text: document.getText(),
      },
    });
  }

  tell(method, params) {
    if (this.connection) this.connection.tell(method, params);
  }

  // Ask, and have nothing for an answer where the server has gone.
  async ask(method, document, more, token, make) {
    if (!this.connection) return undefined;
    const asked = { textDocument: { uri: document.uri.toString() }, ...more };
    const result = await this.connection.ask(method, asked, token);
    return optional(result, make);
  }

  at(method, make) {
    return (document, position, token) =>
      this.ask(method, document, { position: plain(position) }, token, make).catch(() => undefined);
  }

  of(method, make) {
    return (document, token) =>
      this.ask(method, document, {}, token, make).catch(() => undefined);
  }

  register(can) {
    this.dispose();
    const { languages, workspace } = vscode;
    const complete = this.at("textDocument/completion", (found) => list(found.items, item));
    const help = this.at("textDocument/signatureHelp", signatures);
    const references = (document, position, context, token) =>
      this.ask(
        "textDocument/references",
        document,
        { position: plain(position), context },
        token,
        (found) => list(found, location),
      ).catch(() => undefined);
    const rename = (document, position, newName, token) =>
      this.ask("textDocument/rename", document, { position: plain(position), newName }, token, edits);
    const renamable = async (document, position, token) => {
      const found = await this.at("textDocument/prepareRename", range)(document, position, token);
      if (!found) throw new Error("no name of these rules stands here");
      return found;
    };
    const actions = (document, where, context, token) =>
      this.ask(
        "textDocument/codeAction",
        document,
        { range: stretch(where), context: { diagnostics: [] } },
        token,
        (found) => list(found, action),
      ).catch(() => undefined);
    const folds = this.of("textDocument/foldingRange", (found) =>
      list(found, (each) => new vscode.FoldingRange(each.startLine, each.endLine)),
    );
    const tokens = this.of(
      "textDocument/semanticTokens/full",
      (found) => new vscode.SemanticTokens(new Uint32Array(found.data)),
    );
    const legend = can.semanticTokensProvider.legend;
    this.registered.push(
      workspace.onDidOpenTextDocument((document) => this.opened(document)),
      workspace.onDidChangeTextDocument((event) => this.changed(event)),
      workspace.onDidSaveTextDocument((document) => this.done("didSave", document)),
      workspace.onDidCloseTextDocument((document) => this.done("didClose", document)),
      this.watched(),
      languages.registerCompletionItemProvider(
        SELECTOR,
        { provideCompletionItems: complete },
        ...can.completionProvider.triggerCharacters,
      ),
      languages.registerHoverProvider(SELECTOR, {
        provideHover: this.at(
          "textDocument/hover",
          (found) => new vscode.Hover(text(found.contents), optional(found.range, range)),
        ),
      }),
      languages.registerDefinitionProvider(SELECTOR, {
        provideDefinition: this.at("textDocument/definition", location),
      }),
      languages.registerReferenceProvider(SELECTOR, { provideReferences: references }),
      languages.registerDocumentHighlightProvider(SELECTOR, {
        provideDocumentHighlights: this.at("textDocument/documentHighlight", (found) =>
          list(found, (each) => new vscode.DocumentHighlight(range(each.range))),
        ),
      }),
      languages.registerRenameProvider(SELECTOR, {
        provideRenameEdits: rename,
        prepareRename: renamable,
      }),
      languages.registerSignatureHelpProvider(
        SELECTOR,
        { provideSignatureHelp: help },
        ...can.signatureHelpProvider.triggerCharacters,
      ),
      languages.registerCodeActionsProvider(SELECTOR, { provideCodeActions: actions }),
      languages.registerDocumentSymbolProvider(SELECTOR, {
        provideDocumentSymbols: this.of("textDocument/documentSymbol", (found) =>
          list(found, symbol),
        ),
      }),
      languages.registerFoldingRangeProvider(SELECTOR, {
        provideFoldingRanges: (document, context, token) => folds(document, token),
      }),
      languages.registerDocumentSemanticTokensProvider(
        SELECTOR,
        { provideDocumentSemanticTokens: tokens },
        new vscode.SemanticTokensLegend(legend.tokenTypes, legend.tokenModifiers),
      ),
      languages.registerCodeLensProvider(SELECTOR, {
        provideCodeLenses: this.of("textDocument/codeLens", (found) => list(found, lens)),
      }),
    );
  }

  changed(event) {
    if (!this.ours(event.document) || !event.contentChanges.length) return;
    this.tell("textDocument/didChange", {
      textDocument: { uri: event.document.uri.toString(), version: event.document.version },
      contentChanges: event.contentChanges.map((each) => ({
        range: stretch(each.range),
        text: each.text,
      })),
    });
  }

  done(what, document) {
    if (!this.ours(document)) return;
    const named = { textDocument: { uri: document.uri.toString() } };
    this.tell(`textDocument/${what}`, named);
    if (what === "didClose") this.found.delete(document.uri);
  }

  // Files that somebody else writes: a module that was fetched, a file that was deleted.
  watched() {
    const watcher = vscode.workspace.createFileSystemWatcher("**/*.{yaml,yml}");
    const tell = (type) => (uri) =>
      this.tell("workspace/didChangeWatchedFiles", { changes: [{ uri: uri.toString(), type }] });
    watcher.onDidCreate(tell(1));
    watcher.onDidChange(tell(2));
    watcher.onDidDelete(tell(3));
    return watcher;
  }
}

// `rulerun play game.yaml` and the like, which need a terminal.
async function inTerminal(words) {
  await vscode.workspace.saveAll(false);
  const [program, ...before] = command();
  const task = new vscode.Task(
    { type: "rulerun" },
    vscode.TaskScope.Workspace,
    `rulerun ${words[0]}`,
    "rulerun",
    new vscode.ProcessExecution(program, [...before, ...words]),
  );
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, focus: words[0] === "play" };
  return vscode.tasks.executeTask(task);
}

let client;

async function activate(context) {
  const log = vscode.window.createOutputChannel("rulerun");
  client = new Client(log);
  context.subscriptions.push(
    log,
    client.found,
    vscode.commands.registerCommand("rulerun.terminal", inTerminal),
    vscode.commands.registerCommand("rulerun.restart", async () => {
      await client.stop();
      client.starts = 0;
      await client.start();
    }),
  );
  await client.start().catch((error) => log.appendLine(String(error)));
}

function deactivate() {
  return client ? client.stop() : undefined;
}

module.exports = { activate, deactivate };
