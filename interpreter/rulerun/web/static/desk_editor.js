// The editor of the desk: CodeMirror with what rulerun knows of the rules. It stands in a shadow root,
// where its styles need no leave of the page's policy.
import {
  EditorState, StateEffect, StateField, EditorView, keymap, lineNumbers, highlightActiveLine,
  highlightActiveLineGutter, drawSelection, highlightSpecialChars, dropCursor, hoverTooltip, Decoration,
  defaultKeymap, history, historyKeymap, indentWithTab, autocompletion, completionKeymap, snippet,
  setDiagnostics, lintGutter, lintKeymap, nextDiagnostic, search, searchKeymap, highlightSelectionMatches,
  HighlightStyle, syntaxHighlighting, indentUnit, foldGutter, foldKeymap, bracketMatching, yaml, tags,
} from "./codemirror.js";
import { h } from "./words.js";

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--faint)", fontStyle: "italic" },
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: "var(--code-key)", fontWeight: "600" },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace, tags.meta], color: "var(--faint)" },
]);

const theme = EditorView.theme({
  "&": { height: "100%", fontSize: "13.5px", color: "var(--ink)", backgroundColor: "var(--sheet)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "ui-monospace, 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  ".cm-gutters": { backgroundColor: "var(--sheet)", color: "var(--faint)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--can) 9%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--accent) 30%, transparent)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "color-mix(in srgb, var(--can) 30%, transparent)" },
  ".cm-selectionMatch": { backgroundColor: "color-mix(in srgb, var(--can) 18%, transparent)" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--wood)", color: "var(--faint)", border: "none" },
  ".cm-tooltip": { backgroundColor: "var(--sheet)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: ".5rem", boxShadow: "var(--shadow)", maxWidth: "34rem", font: "14px/1.45 system-ui, sans-serif" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace", fontSize: "13px", maxHeight: "16em" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--accent-ink)" },
  ".cm-completionDetail": { color: "inherit", opacity: ".75", fontStyle: "normal" },
  ".cm-completionInfo": { padding: ".4rem .7rem" },
  ".cm-diagnostic": { padding: ".4rem .7rem", whiteSpace: "pre-wrap", borderLeftWidth: "4px" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--wrong)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--can)" },
  ".cm-diagnosticAction": { font: "inherit", backgroundColor: "var(--accent)", color: "var(--accent-ink)", borderRadius: ".4rem", padding: ".15rem .6rem", margin: ".3rem .4rem 0 0" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--wrong) 1.5px", textUnderlineOffset: "3px" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--can) 1.5px", textUnderlineOffset: "3px" },
  ".cm-lintRange-info, .cm-lintRange-hint": { backgroundImage: "none", textDecoration: "underline dotted var(--faint) 1.5px", textUnderlineOffset: "3px" },
  ".cm-lintPoint:after": { borderBottomColor: "var(--wrong)" },
  ".cm-panels": { backgroundColor: "var(--wood)", color: "var(--ink)", borderTop: "1px solid var(--line)" },
  ".cm-textfield": { backgroundColor: "var(--sheet)", border: "1px solid var(--line)", color: "var(--ink)" },
  ".cm-button": { backgroundImage: "none", backgroundColor: "var(--sheet)", border: "1px solid var(--line)", color: "var(--ink)" },
  ".cm-hover": { padding: ".4rem .7rem", whiteSpace: "pre-wrap" },
  ".cm-hover code, .cm-completionInfo code": { fontFamily: "ui-monospace, monospace", backgroundColor: "var(--wood)", borderRadius: ".25rem", padding: "0 .25rem" },
  ".w-keyword, .w-language": { color: "var(--code-word)", fontWeight: "600" },
  ".w-number": { color: "var(--code-number)" },
  ".w-function, .w-library, .w-procedure": { color: "var(--code-call)" },
  ".w-zone, .w-variable": { color: "var(--code-state)" },
  ".w-kind, .w-type, .w-column, .w-option, .w-constant, .w-member": { color: "var(--code-type)" },
});

const words = StateEffect.define(); // What the words of the rules are: start, end and kind of each.
const wordsField = StateField.define({
  create: () => Decoration.none,
  update(found, change) {
    let now = found.map(change.changes);
    for (const effect of change.effects) if (effect.is(words)) now = effect.value;
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});
const marks = new Map();

function mark(kind) {
  if (!marks.has(kind)) marks.set(kind, Decoration.mark({ class: `w-${kind}` }));
  return marks.get(kind);
}

// A little Markdown as nodes: code, bold and slanted words. Nothing is read as HTML.
export function prose(text) {
  const pieces = text.replace(/^```\w*\n?|```$/gm, "").split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*\n]+\*)/);
  return h("span", {}, pieces.map((piece, place) => {
    if (place % 2 === 0) return piece;
    if (piece.startsWith("`")) return h("code", {}, piece.slice(1, -1));
    return piece.startsWith("**") ? h("b", {}, piece.slice(2, -2)) : h("i", {}, piece.slice(1, -1));
  }));
}

// `look(what, name, offset)` asks rulerun; `changed`, `shown`, `save` and `mend` tell the page.
/** Write what somebody chose; the cursor then stands behind it, or where `$0` says. */
function put(view, item, from, to, insert) {
  if (insert.includes("$0")) return snippet(insert.replace("$0", "${}"))(view, item, from, to);
  view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length }, userEvent: "input.complete", scrollIntoView: true });
}

export class Editor {
  constructor(host, { look, changed, shown, save, mend, label }) {
    this.calls = { look, changed, shown, save, mend };
    this.states = new Map();
    this.name = "";
    const root = host.attachShadow({ mode: "open" });
    this.common = [
      lineNumbers(), foldGutter(), lintGutter(), highlightSpecialChars(), history(), drawSelection(), dropCursor(),
      bracketMatching(), highlightActiveLine(), highlightActiveLineGutter(), highlightSelectionMatches(), search({ top: true }),
      indentUnit.of("  "), EditorState.tabSize.of(2), yaml(), syntaxHighlighting(colours), theme, wordsField,
      autocompletion({ override: [(context) => this.complete(context)], icons: false }),
      hoverTooltip((view, at) => this.hover(at), { hoverTime: 350 }),
      EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
      EditorView.updateListener.of((update) => { if (update.docChanged) this.calls.changed(this.name); }),
      EditorView.domEventHandlers({ mousedown: (event, view) => {
        if (!event.ctrlKey && !event.metaKey) return false;
        const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
        if (at !== null) this.declared(at);
        return at !== null;
      } }),
      keymap.of([
        { key: "Mod-s", preventDefault: true, run: () => { this.calls.save(); return true; } },
        { key: "F12", run: (view) => { this.declared(view.state.selection.main.head); return true; } },
        { key: "F8", run: nextDiagnostic },
        ...completionKeymap, ...defaultKeymap, ...historyKeymap, ...searchKeymap, ...foldKeymap, ...lintKeymap, indentWithTab,
      ]),
    ];
    this.view = new EditorView({ parent: root, root, state: EditorState.create({}) });
  }

  state(name) {
    return name === this.name ? this.view.state : this.states.get(name);
  }

  text(name) {
    return this.state(name).doc.toString();
  }

  names() {
    return [...this.states.keys()];
  }

  add(name, text) {
    this.states.set(name, EditorState.create({ doc: text, extensions: this.common }));
  }

  show(name) {
    if (name === this.name) return;
    if (this.name) this.states.set(this.name, this.view.state);
    this.name = name;
    this.view.setState(this.states.get(name));
    this.calls.shown(name);
  }

  change(name, spec) {
    if (name === this.name) this.view.dispatch(spec);
    else {
      this.states.set(name, this.states.get(name).update(spec).state);
      if (spec.changes) this.calls.changed(name);
    }
  }

  // Put another text in place, as one step that can be undone.
  replace(name, text) {
    const was = this.text(name);
    let start = 0;
    while (start < Math.min(was.length, text.length) && was[start] === text[start]) start += 1;
    let rest = 0;
    while (rest < Math.min(was.length, text.length) - start && was[was.length - 1 - rest] === text[text.length - 1 - rest]) rest += 1;
    if (was !== text) this.change(name, { changes: { from: start, to: was.length - rest, insert: text.slice(start, text.length - rest) } });
  }

  go(name, from, to = from) {
    this.show(name);
    const most = this.view.state.doc.length;
    const selection = { anchor: Math.min(from, most), head: Math.min(to, most) };
    this.view.dispatch({ selection, effects: EditorView.scrollIntoView(selection.anchor, { y: "center" }) });
    this.view.focus();
  }

  line(name, number) {
    const { doc } = this.state(name);
    return doc.line(Math.max(1, Math.min(number, doc.lines))).from;
  }

  findings(name, every) {
    const most = this.state(name).doc.length;
    const shown = every.map((each) => ({
      from: Math.min(each.from, most), to: Math.min(Math.max(each.to, each.from), most), severity: each.severity,
      message: `${each.code}: ${each.message}`,
      renderMessage: () => h("span", {}, prose(each.message), each.help ? h("div", {}, prose(each.help)) : null),
      actions: each.fixes.slice(0, 3).map((fix) => ({ name: fix.title, apply: () => this.calls.mend(fix) })),
    }));
    this.change(name, setDiagnostics(this.state(name), shown));
  }

  words(name, kinds, numbers) {
    const most = this.state(name).doc.length;
    const found = [];
    for (let at = 0; at + 2 < numbers.length; at += 3) {
      if (numbers[at + 1] <= most && numbers[at] < numbers[at + 1]) found.push(mark(kinds[numbers[at + 2]]).range(numbers[at], numbers[at + 1]));
    }
    this.change(name, { effects: words.of(Decoration.set(found, true)) });
  }

  async complete(context) {
    const word = context.matchBefore(/\w+/);
    const sign = context.matchBefore(/[.(<[]|: |- /);
    if (!context.explicit && !word && !sign) return null;
    const found = await this.calls.look("complete", this.name, context.pos);
    if (!found || context.aborted || !found.items.length) return null;
    return {
      from: found.from, to: context.pos, validFor: /^\w*$/,
      options: found.items.map((each) => ({
        label: each.label, detail: each.detail === each.label ? "" : each.detail, type: each.kind, boost: -each.rank,
        info: each.about ? () => prose(each.about) : undefined,
        apply: (view, item, from, to) => put(view, item, from - each.back, to, each.insert),
      })),
    };
  }

  async hover(at) {
    const found = await this.calls.look("hover", this.name, at);
    return found && { pos: found.from, end: found.to, above: true, create: () => ({ dom: h("div.cm-hover", {}, prose(found.text)) }) };
  }

  async declared(at) {
    const found = await this.calls.look("definition", this.name, at);
    if (found && this.states.has(found.file)) this.go(found.file, found.from, found.to);
  }
}
