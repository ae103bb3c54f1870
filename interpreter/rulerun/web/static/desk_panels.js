// What stands below the editor of the desk: problems, scenarios, games by bots.
import { h } from "./words.js";
import { prose } from "./desk_editor.js";

export function problemsPanel(desk, place) {
  const { say, found } = desk;
  const live = found?.findings ?? [];
  const said = new Set(live.map((each) => `${each.code} ${each.message}`));
  const more = desk.elsewhere.filter((each) => !said.has(`${each.code} ${each.message}`));
  const clean = !desk.editor.names().some(desk.dirty);
  place.replaceChildren(
    found?.trouble ? h("p.refused", {}, found.trouble) : "",
    live.length ? h("ul.found", {}, live.map((each) => problem(desk, each, true))) : found?.trouble ? "" : h("p", { class: found ? "good" : "" }, found ? say.noProblems : say.checking),
    ...Object.entries(found?.untranslated ?? {}).filter(([, each]) => each.length).map(([name, each]) => h("details", {}, h("summary", {}, h("b", {}, name), ` ${say.untranslated} ${each.length}`), h("p", {}, each.join(", ")))),
    clean && more.length && found?.sound ? h("h3", {}, say.elsewhere) : "",
    clean && more.length && found?.sound ? h("ul.found", {}, more.map((each) => problem(desk, each, false))) : "",
    h("p.keys", {}, say.keys));
}

function problem(desk, each, exact) {
  const { say, editor } = desk;
  const go = () => {
    if (!editor.states.has(each.file)) return;
    if (exact) editor.go(each.file, each.from, each.to);
    else editor.go(each.file, editor.line(each.file, each.line));
  };
  return h("li", { class: each.severity },
    h("button.to", { type: "button", onclick: go }, h("b", {}, prose(each.message))),
    h("span.where", {}, h("code", {}, each.code), ` ${each.file}, ${say.line} ${each.line}`),
    each.help ? h("div.help", {}, prose(each.help)) : null,
    exact && each.fixes.length ? h("div.fixes", {}, h("small", {}, say.mend), each.fixes.slice(0, 4).map((fix) => h("button", { type: "button", class: fix.safe ? "primary" : "", onclick: () => desk.mend(fix) }, prose(fix.title)))) : null);
}

export function scenariosPanel(desk, place) {
  const { say, scenarios, editor } = desk;
  if (!scenarios || (scenarios.running && !scenarios.scenarios)) return place.replaceChildren(h("p", {}, say.runs));
  if (scenarios.trouble) return place.replaceChildren(h("p.refused", {}, scenarios.trouble));
  if (!scenarios.there) {
    return place.replaceChildren(h("p", {}, say.noScenarios), desk.files.has(desk.opened.scenarios) ? "" : h("button", { type: "button", onclick: desk.writeScenarios }, say.writeScenarios));
  }
  const name = desk.opened.scenarios;
  const failed = [...scenarios.scenarios].sort((one, other) => other.new - one.new);
  return place.replaceChildren(
    h("p", {}, `${scenarios.passed} ${say.pass}, ${failed.length} ${say.fail}. `, scenarios.running ? h("small", {}, say.runs) : failed.length ? "" : h("span.good", {}, say.allPass)),
    scenarios.mended.length ? h("p.good", {}, say.mended, " ", scenarios.mended.join(", ")) : "",
    h("ul.found", {}, failed.map((each) => h("li.error", {},
      h("button.to", { type: "button", onclick: () => editor.go(name, editor.line(name, each.why[0]?.line || each.line)) }, each.id ? h("code", {}, `${each.id} `) : null, h("b", {}, each.title), " ", each.new ? h("span.fresh-fail", {}, say.failsNow) : null),
      h("span.where", {}, `${say.line} ${each.line}`),
      each.why.map((why) => h("div.help", {}, `${say.line} ${why.line}: `, prose(why.message), why.help ? h("div", {}, prose(why.help)) : null))))));
}

// ---------------------------------------------------------------------------------- games by bots

export function botsPanel(desk, place) {
  const { say, run } = desk;
  if (run?.running) {
    const bar = place.querySelector("progress");
    if (bar) {
      bar.value = run.done;
      place.querySelector("output").textContent = `${run.done}/${run.of}`;
      return;
    }
    place.replaceChildren(
      h("div.row", { role: "status" }, `${say.playing200} …`, h("progress", { max: run.of, value: run.done, "aria-label": say.playing200 }), h("output", {}, `${run.done}/${run.of}`),
        h("button", { type: "button", onclick: () => desk.ask("stop") }, say.stop)),
      ...desk.runs.slice(0, 1).map((each) => answer(desk, each)));
    return;
  }
  const many = h("input", { type: "number", min: 1, max: 2000, value: desk.many ?? 200, "aria-label": say.games });
  const level = h("select", { "aria-label": say.games }, desk.opened.levels.map((each) => h("option", { value: each, selected: each === (desk.level ?? "easy") }, say[each] ?? each)));
  const begin = async () => {
    [desk.level, desk.many] = [level.value, Number(many.value) || 200];
    try {
      desk.run = await desk.ask("play", { level: level.value, games: desk.many });
    } catch (failure) {
      error.textContent = failure.message;
      return;
    }
    desk.draw();
  };
  const error = h("p.refused", { role: "alert" });
  const [last, ...earlier] = desk.runs;
  place.replaceChildren(
    h("div.row", {}, h("button.primary", { type: "button", onclick: begin }, say.play), many, say.games, level),
    error,
    last ? answer(desk, last) : h("p.keys", {}, say.botsAbout),
    ...earlier.map((each) => h("details", {}, h("summary", {}, `${say.earlier}: ${each.of} ${say.games} ${say[each.level] ?? each.level}`), answer(desk, each))));
}

const percent = (share) => `${(100 * share).toFixed(1)} %`;
const range = ([, low, high]) => `${(100 * low).toFixed(0)}–${(100 * high).toFixed(0)}`;
const signed = (number, digits) => `${number > 0 ? "+" : number < 0 ? "−" : "±"}${Math.abs(number).toFixed(digits)}`;

function answer(desk, { answer: found, of, level }) {
  const { say } = desk;
  if (!found) return h("p", {}, say.stop);
  if (found.error) return h("p.refused", {}, found.error);
  const both = found.seats.some((each) => each.before);
  const name = (id) => desk.table?.players.find((each) => each.id === id)?.name ?? id;
  const change = (each, scale, digits) => h("td", { class: each.told ? "change told" : "change" },
    each.difference ? [signed(scale * each.difference[0], digits), h("small", {}, each.difference[1] === null ? "" : `${signed(scale * each.difference[1], digits)} … ${signed(scale * each.difference[2], digits)} · ${each.told ? say.told : say.notTold}`)] : "");
  const cell = (share, drawn) => h("td", {}, drawn ? interval(share) : null, " ", percent(share[0]), h("small", {}, range(share)));
  return h("div.wide", {},
    h("p", {}, `${found.games} ${say.games} ${say[level] ?? level}`, found.failed ? ` · ${found.failed} ${say.failedGames}` : "", found.games < of ? ` (${of})` : ""),
    !both && desk.runs.length > 1 && desk.runs[0].answer === found ? h("p.keys", {}, say.sameRules) : null,
    h("table", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, say.seat), h("th", { scope: "col" }, say.now), both ? [h("th", { scope: "col" }, say.before), h("th", { scope: "col" }, say.change)] : null)),
      h("tbody", {},
        found.seats.map((each) => h("tr", {}, h("th", { scope: "row" }, name(each.name)), cell(each.now, true), both ? [cell(each.before, false), change(each, 100, 1)] : null)),
        found.nobody.some(Boolean) ? h("tr", {}, h("th", { scope: "row" }, say.nobody), h("td", {}, percent(found.nobody[0])), both ? [h("td", {}, percent(found.nobody[1])), h("td", {})] : null) : null,
        found.length ? h("tr", {}, h("th", { scope: "row" }, say.length), h("td", {}, found.length.now.toFixed(1)), both ? [h("td", {}, found.length.before?.toFixed(1)), change(found.length, 1, 1)] : null) : null)),
    found.changes?.length ? h("ul", {}, found.changes.map((each) => h("li", {}, each))) : null,
    h("details", {}, h("summary", {}, say.whole), both ? h("p.keys", {}, say.unlike) : null, h("pre", { tabindex: 0 }, found.text)));
}

function interval([share, low, high]) {
  return h("span.bar2", { "aria-hidden": "true" }, h("i", { style: `left: ${100 * low}%; width: ${100 * (high - low)}%` }), h("b", { style: `left: ${100 * share}%` }));
}

// ------------------------------------------------------------------------------- two texts, by line

const MOST = 3000;

// Lines of `theirs` that go and of `mine` that come, with two lines around each stretch.
export function difference(theirs, mine) {
  const one = theirs.split("\n");
  const other = mine.split("\n");
  let start = 0;
  while (start < Math.min(one.length, other.length) && one[start] === other[start]) start += 1;
  let rest = 0;
  while (rest < Math.min(one.length, other.length) - start && one[one.length - 1 - rest] === other[other.length - 1 - rest]) rest += 1;
  const steps = between(one.slice(start, one.length - rest), other.slice(start, other.length - rest));
  const around = (lines) => lines.map((line) => ["", line]);
  const all = [...around(one.slice(Math.max(0, start - 2), start)), ...steps, ...around(one.slice(one.length - rest, one.length - rest + 2))];
  const near = all.map((_, place) => all.slice(Math.max(0, place - 2), place + 3).some(([sign]) => sign));
  const shown = all.flatMap((each, place) => (near[place] ? [each] : near[place - 1] ? [["", "…"]] : []));
  return shown.map(([sign, line]) => (sign ? h(sign === "+" ? "ins" : "del", {}, `${sign} ${line}`) : h("span", {}, `  ${line}\n`)));
}

function between(one, other) {
  if (one.length * other.length > MOST * MOST) return [...one.map((line) => ["-", line]), ...other.map((line) => ["+", line])];
  const longest = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let j = other.length - 1; j >= 0; j -= 1) longest[i][j] = one[i] === other[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
  }
  const steps = [];
  let [i, j] = [0, 0];
  while (i < one.length || j < other.length) {
    if (i < one.length && j < other.length && one[i] === other[j]) steps.push(["", one[i++]], ...(j++, []));
    else if (j >= other.length || (i < one.length && longest[i + 1][j] >= longest[i][j + 1])) steps.push(["-", one[i++]]);
    else steps.push(["+", other[j++]]);
  }
  return steps;
}
