// What the desk needs of CodeMirror: `.ci/build-editor` makes one file of it.
export { EditorState, StateEffect, StateField } from "@codemirror/state";
export {
  EditorView, keymap, lineNumbers, highlightActiveLine, highlightActiveLineGutter, drawSelection,
  highlightSpecialChars, dropCursor, hoverTooltip, Decoration,
} from "@codemirror/view";
export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
export { autocompletion, completionKeymap, snippet } from "@codemirror/autocomplete";
export { setDiagnostics, lintGutter, lintKeymap, nextDiagnostic } from "@codemirror/lint";
export { search, searchKeymap, highlightSelectionMatches } from "@codemirror/search";
export {
  HighlightStyle, syntaxHighlighting, indentUnit, foldGutter, foldKeymap, bracketMatching,
} from "@codemirror/language";
export { yaml } from "@codemirror/lang-yaml";
export { tags } from "@lezer/highlight";
