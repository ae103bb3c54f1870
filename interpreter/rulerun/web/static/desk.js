// The designer's desk: the texts of one ruleset, what is wrong with them, and its table beside them.
// The server checks, saves and plays; this page asks for it and shows what came of it.
import { WORDS, chosenLanguage, fillLanguages, h } from "./words.js";
import { DESK } from "./desk_words.js";
import { Editor } from "./desk_editor.js";
import { botsPanel, difference, problemsPanel, scenariosPanel } from "./desk_panels.js";
import { drawSeats, newTable } from "./desk_table.js";

const at = (id) => document.getElementById(id);
const token = location.hash.slice(1);
let language = chosenLanguage();

// All that the page knows, shared by its parts.
const desk = {
  say: { ...WORDS[language], ...DESK[language] },
  language,
  files: new Map(), // By name: kind, mark and text as they are on the disk.
  found: null, // What was wrong when the texts were last looked at.
  elsewhere: [], // What is wrong in other settings, as saved.
  scenarios: null,
  run: null,
  runs: [],
  table: null,
  seat: "all",
  panel: "problems",
  ask,
  draw,
  editor: null,
  dirty: (name) => desk.editor.text(name) !== desk.files.get(name).text,
  mend,
  goOn,
  runScenarios,
  newTable: () => newTable(desk),
  writeScenarios,
};
window.rulerun = { desk }; // For tests, and for who looks what a page knows: nothing more.

fillLanguages(at("language"), language, (code) => {
  language = code;
  desk.language = code;
  desk.say = { ...WORDS[code], ...DESK[code] };
  draw();
  drawSeats(desk, true);
});
begin();

async function ask(what, body = {}) {
  const given = await fetch(`/api/desk/${what}`, { method: "POST", body: JSON.stringify(body), headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" } });
  const answer = await given.json();
  if (!given.ok) throw new Error(answer.error || given.statusText);
  return answer;
}

async function begin() {
  document.documentElement.lang = language;
  let opened;
  try {
    opened = await ask("open");
  } catch (failure) {
    at("desk").replaceChildren(h("p.refused", { role: "alert" }, failure.message));
    return;
  }
  desk.opened = opened;
  desk.editor = new Editor(at("editor"), { look, changed, shown: drawFiles, save, mend, label: desk.say.writing });
  for (const each of opened.files) take(each);
  if (!desk.files.has(opened.files[0].name)) return;
  desk.editor.show(opened.files[0].name);
  desk.table = opened.table && opened;
  draw();
  drawSeats(desk, true);
  if (opened.trouble) fate({ went: "", why: opened.trouble });
  await check();
  afterSave(false);
  setInterval(watch, 1500);
}

function take(file) {
  if (file.trouble) return trouble(`${desk.say.unreadable} ${file.name}: ${file.trouble}`);
  const known = desk.files.has(file.name);
  desk.files.set(file.name, file);
  if (known) desk.editor.replace(file.name, file.text);
  // A module that the rules name and that is not there begins with its name.
  else desk.editor.add(file.name, file.mark || file.kind !== "module" ? file.text : `module: ${file.name.replace(/^.*\/|\.[^.]*$/g, "")}\n`);
  return undefined;
}

function texts() {
  return Object.fromEntries(desk.editor.names().map((name) => [name, desk.editor.text(name)]));
}

// -------------------------------------------------------------------------------- as somebody types

let soon = 0;
let checking = false;
let again = false;

function changed() {
  clearTimeout(soon);
  soon = setTimeout(check, 250);
  drawFiles();
}

// One look at a time; of what was typed meanwhile only the last text is looked at.
async function check() {
  if (checking) {
    again = true;
    return;
  }
  checking = true;
  const looked = texts();
  try {
    const found = await ask("check", { texts: looked });
    if (desk.editor.names().every((name) => desk.editor.text(name) === looked[name])) {
      desk.found = { ...found, looked };
      for (const name of desk.editor.names()) {
        desk.editor.findings(name, found.findings.filter((each) => each.file === name));
        if (found.tokens[name] && found.sound) desk.editor.words(name, found.kinds, found.tokens[name]);
      }
    } else again = true;
  } catch (failure) {
    desk.found = { findings: [], trouble: failure.message, looked };
  }
  checking = false;
  drawPanel();
  if (again) {
    again = false;
    changed();
  }
}

async function look(what, name, offset) {
  try {
    return (await ask(what, { texts: texts(), file: name, offset })).found;
  } catch {
    return null;
  }
}

// What a finding knows to write instead, if the text is still the one that was looked at.
function mend(fix) {
  const names = [...new Set(fix.edits.map((each) => each.file))];
  if (!desk.found || names.some((name) => desk.editor.text(name) !== desk.found.looked[name])) return changed();
  for (const name of names) {
    const changes = fix.edits.filter((each) => each.file === name).map((each) => ({ from: each.from, to: each.to, insert: each.text }));
    desk.editor.change(name, { changes });
  }
  return desk.editor.view.focus();
}

// ------------------------------------------------------------------------------------------- saving

let saving = false;

async function save() {
  const names = desk.editor.names().filter(desk.dirty);
  if (!names.length || saving) return;
  saving = true;
  const now = Object.fromEntries(names.map((name) => [name, desk.editor.text(name)]));
  try {
    const marks = Object.fromEntries(names.map((name) => [name, desk.files.get(name).mark]));
    const made = await ask("save", { texts: now, marks });
    at("stale").hidden = true;
    // What was written is ours, even where another file then was somebody else's.
    const saved = Object.keys(made.marks);
    for (const name of saved) desk.files.set(name, { ...desk.files.get(name), text: now[name], mark: made.marks[name] });
    if (made.stale) stale(made.stale);
    if (made.trouble) trouble(made.trouble);
    for (const name of Object.keys(made.kinds)) if (!desk.files.has(name)) await reread([name]);
    if (saved.length) afterSave(saved.some((name) => desk.files.get(name).kind !== "scenarios"));
  } catch (failure) {
    trouble(failure.message);
  } finally {
    saving = false;
    drawFiles();
  }
}

function afterSave(rules) {
  if (rules) goOn("replay");
  ask("settings").then((found) => { desk.elsewhere = found.findings; drawPanel(); }, (failure) => trouble(failure.message));
  runScenarios();
}

let runs = 0;

async function runScenarios() {
  const mine = runs += 1;
  desk.scenarios = { ...desk.scenarios, running: true };
  drawPanel();
  const found = await ask("scenarios").catch((failure) => ({ trouble: failure.message }));
  // A later save has stopped this run: of this page, or of another.
  if (mine !== runs) return;
  if (found.stopped) {
    runScenarios();
    return;
  }
  desk.scenarios = found;
  drawPanel();
}

function writeScenarios() {
  const name = desk.opened.scenarios;
  desk.files.set(name, { name, kind: "scenarios", text: "", mark: "" });
  desk.editor.add(name, "scenarios:\n  - title: \n    do:\n      - \n    expect: \n");
  desk.editor.show(name);
  changed();
}

// Texts in another language begin with the name of the game and the language.
function beginTexts(name) {
  const game = /^game:\s*(\S+)/m.exec(desk.editor.text(desk.opened.files[0].name))?.[1] ?? "";
  const code = Object.keys(desk.opened.languages).find((each) => desk.opened.languages[each] === name);
  desk.files.set(name, { name, kind: "texts", text: "", mark: "" });
  desk.editor.add(name, `texts: ${game}\nlanguage: ${code}\ntitle: \nabout: \n`);
  desk.editor.show(name);
  changed();
}

function trouble(text) {
  at("stale").dataset.mark = "";
  at("stale").replaceChildren(h("p.refused", {}, text), h("div.row", {}, h("button", { type: "button", onclick: () => { at("stale").hidden = true; } }, desk.say.close)));
  at("stale").hidden = false;
}

// Somebody else has written the file: theirs, ours, or first a look at both.
function stale(theirs) {
  const { say } = desk;
  const { name, mark } = theirs;
  if (!at("stale").hidden && at("stale").dataset.mark === mark) return;
  at("stale").dataset.mark = mark;
  const settled = (text) => {
    desk.files.set(name, { ...desk.files.get(name), text: theirs.text, mark });
    if (text !== null) desk.editor.replace(name, text);
    at("stale").hidden = true;
    drawFiles();
  };
  const shown = h("pre.difference", { hidden: true, tabindex: 0 });
  at("stale").replaceChildren(
    h("p", {}, h("b", {}, name), ` ${say.stale}`),
    h("div.row", {},
      h("button", { type: "button", onclick: () => { settled(theirs.text); changed(); afterSave(true); } }, say.theirs),
      h("button", { type: "button", onclick: () => { settled(null); save(); } }, say.mine),
      h("button", { type: "button", onclick: () => { shown.hidden = !shown.hidden; shown.replaceChildren(...difference(theirs.text, desk.editor.text(name))); } }, say.difference)),
    shown);
  at("stale").hidden = false;
}

// ---------------------------------------------------------------------------- what happens elsewhere

let watching = false;

async function watch() {
  if (watching || saving) return;
  watching = true;
  try {
    const { marks, run } = await ask("marks");
    if (JSON.stringify(run) !== JSON.stringify(desk.run)) {
      if (run && !run.running && run.answer && (desk.run?.running || !desk.runs.length)) desk.runs = [run, ...desk.runs].slice(0, 6);
      desk.run = run;
      drawPanel();
    }
    const others = Object.keys(marks).filter((name) => marks[name] && marks[name] !== desk.files.get(name)?.mark);
    if (others.length && !saving) await reread(others);
    if (at("state").classList.contains("lost")) {
      at("state").classList.remove("lost");
      drawFiles();
    }
  } catch {
    at("state").textContent = desk.say.lost;
    at("state").classList.add("lost");
  }
  watching = false;
}

// Files that another program has written, or that belong to the ruleset now.
async function reread(names) {
  let rules = false;
  for (const file of (await ask("open")).files) {
    if (!names.includes(file.name) || file.trouble || file.mark === desk.files.get(file.name)?.mark) continue;
    if (desk.files.has(file.name) && desk.dirty(file.name)) {
      stale(file);
      continue;
    }
    rules ||= file.kind !== "scenarios";
    take(file);
    drawFiles();
    at("state").textContent = `${file.name} ${desk.say.taken}`;
    afterSave(rules);
  }
}

// ---------------------------------------------------------------------------------------- the table

async function goOn(how) {
  try {
    fate(await ask("go_on", { how }));
  } catch (failure) {
    fate({ went: "", why: failure.message });
  }
}

function fate(found) {
  const { say } = desk;
  const parts = [];
  const button = (how, text) => h("button", { type: "button", onclick: () => goOn(how) }, text);
  const leave = h("button.quiet", { type: "button", onclick: () => at("fate").replaceChildren() }, say.leave);
  if (found.table) {
    const other = found.table !== desk.table?.table;
    desk.table = found;
    drawSeats(desk, other);
  }
  if (found.misfit) {
    const { number, who, text, why, luck } = found.misfit;
    parts.push(h("p", {}, found.went ? say.goesOn : say.misfit),
      h("p", {}, h("b", {}, `${say.input} ${number}, ${who || say.luck}: ${text}`), ` – ${why}. `, h("small", {}, `${found.fitting} ${say.of} ${found.of} ${say.fit}.`)));
    if (!found.went) parts.push(h("div.row", {}, button("here", say.from), luck ? button("luck", say.luckOn) : null, button("anew", say.again), leave));
  } else if (found.why) parts.push(h("p", {}, say.stays, " ", found.why), h("div.row", {}, found.others ? button("anew", say.again) : null, leave));
  else if (found.went === "on") parts.push(h("p", {}, say.goesOn, found.of ? ` ${found.fitting} ${say.given}` : "", found.anew ? ` ${found.anew} ${say.luckAnew}` : ""));
  else if (found.went) parts.push(h("p", {}, found.went === "laid" ? say.laid : say.anew));
  if (found.dropped?.length) parts.push(h("p", {}, say.dropped, " ", found.dropped.join(", ")));
  const fine = found.went && !found.dropped?.length;
  const note = h("div.note", { class: fine ? "fine" : "" }, parts);
  at("fate").replaceChildren(note);
  if (fine) setTimeout(() => note.remove(), 9000);
}

// ---------------------------------------------------------------------------------------- drawing

function draw() {
  const { say } = desk;
  document.documentElement.lang = desk.language;
  for (const each of document.querySelectorAll("[data-say]")) each.textContent = say[each.dataset.say];
  for (const [id, word] of [["writing", "writing"], ["playing", "playing"], ["files", "files"], ["between", "between"], ["panels", "problems"]]) at(id).setAttribute("aria-label", say[word]);
  at("save").textContent = say.save;
  at("save").onclick = save;
  const main = desk.opened?.files[0].name ?? "";
  at("title").textContent = main;
  document.title = `${main} · rulerun`;
  at("side").textContent = document.body.classList.contains("atable") ? say.writing : say.playing;
  at("side").onclick = () => {
    document.body.classList.toggle("atable");
    draw();
  };
  if (desk.editor) {
    drawFiles();
    drawPanel();
  }
}

// Tabs as screen readers and the arrow keys expect them.
function tabs(place, panel, names, chosen, choose, label) {
  const focus = place.contains(document.activeElement);
  place.replaceChildren(...names.map((name, number) => h("button", {
    type: "button", role: "tab", id: `${place.id}-${number}`, "aria-selected": `${name === chosen}`, "aria-controls": panel.id, tabindex: name === chosen ? 0 : -1,
    onclick: () => choose(name),
    onkeydown: (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) choose(names[(number + step + names.length) % names.length]);
    } }, label(name))));
  const selected = place.querySelector("[aria-selected=true]");
  if (selected) panel.setAttribute("aria-labelledby", selected.id);
  if (focus) selected?.focus();
}

function drawFiles() {
  const { editor, say } = desk;
  const unsaved = editor.names().filter(desk.dirty);
  tabs(at("files"), at("editor"), editor.names(), editor.name, (name) => { editor.show(name); }, (name) => [name, unsaved.includes(name) ? h("span.dirty", { "aria-label": say.unsaved }, "●") : null]);
  const more = Object.entries(desk.opened.languages).filter(([, name]) => !desk.files.has(name));
  at("more").hidden = !more.length;
  at("more").setAttribute("aria-label", say.moreTexts);
  at("more").replaceChildren(h("option", { value: "" }, "+"), ...more.map(([code, name]) => h("option", { value: name }, `${say.moreTexts}: ${code}`)));
  at("more").onchange = (event) => beginTexts(event.target.value);
  at("save").disabled = !unsaved.length || saving;
  at("state").textContent = saving ? say.saving : unsaved.length ? say.unsaved : say.saved;
  at("state").classList.toggle("not", unsaved.length > 0);
}

function drawPanel() {
  const { say, found, scenarios, run } = desk;
  const wrong = found ? found.findings.filter((each) => each.severity === "error").length : 0;
  const failed = scenarios?.scenarios?.length ?? 0;
  const numbers = {
    problems: found?.findings.length ? h("span.number", { class: wrong ? "bad" : "" }, found.findings.length) : found && !found.trouble ? h("span.number.good", {}, "✓") : null,
    scenarios: scenarios?.running ? h("span.number", {}, "…") : failed ? h("span.number.bad", {}, failed) : scenarios?.passed ? h("span.number.good", {}, "✓") : null,
    bots: run?.running ? h("span.number", {}, `${run.done}/${run.of}`) : null,
  };
  const choose = (name) => {
    desk.panel = name;
    drawPanel();
  };
  tabs(at("panels"), at("panel"), ["problems", "scenarios", "bots"], desk.panel, choose, (name) => [say[name], numbers[name]]);
  // What is the same as before stays as it is: what was typed there, opened, scrolled to.
  const about = { problems: [found, desk.elsewhere, desk.editor.names().some(desk.dirty)], scenarios: [scenarios], bots: [run, desk.runs] }[desk.panel];
  const now = [desk.panel, desk.language, ...about];
  if (now.every((each, place) => each === drawn[place])) return;
  drawn = now;
  ({ problems: problemsPanel, scenarios: scenariosPanel, bots: botsPanel })[desk.panel](desk, at("panel"));
}

let drawn = [];

// ------------------------------------------------------------------------------- the line between

function part(percent) {
  const whole = Math.round(Math.max(25, Math.min(75, percent)));
  at("desk").style.setProperty("--part", `${whole}fr`);
  at("desk").style.setProperty("--rest", `${100 - whole}fr`);
  at("between").setAttribute("aria-valuenow", whole);
}

at("between").addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -3, ArrowRight: 3 }[event.key];
  if (step) part(Number(at("between").getAttribute("aria-valuenow")) + step);
});
at("between").addEventListener("pointerdown", (event) => {
  at("between").setPointerCapture(event.pointerId);
  const moved = (now) => part((now.clientX / innerWidth) * 100);
  at("between").addEventListener("pointermove", moved);
  at("between").addEventListener("pointerup", () => at("between").removeEventListener("pointermove", moved), { once: true });
});
document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") {
    event.preventDefault();
    save();
  }
});
window.addEventListener("beforeunload", (event) => {
  if (desk.editor?.names().some(desk.dirty)) event.preventDefault();
});
