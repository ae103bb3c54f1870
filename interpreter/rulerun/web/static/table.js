// One table: a link, a scene, and what is picked of it. The server says what there is to see and to
// do; this page draws it, and remembers only what was clicked since the last question.
import { WORDS, chosenLanguage, fillLanguages, h } from "./words.js";
import { labels } from "./answering.js";
import { drawBoard } from "./boards.js";
import { hint, tip } from "./tip.js";
import { byRequests, bySocket } from "./link.js";

const table = location.pathname.split("/").pop();
// One token for each seat that is played on this device; a seat is a link and what came by it.
// With `!` behind them one person plays all of these, and nothing is covered.
const alone = location.hash.endsWith("!");
const tokens = location.hash.slice(1).replace("!", "").split("+");
const chairs = tokens.map((token) => ({ token, link: null, failed: 0, wait: 500, scene: null, seats: null, pending: null }));
let chair = chairs[0];
let covered = chairs.length > 1 && !alone; // Nobody has said yet that they sit here now.
let language = chosenLanguage();
let say = WORDS[language];
let scene = null; // Of the seat that is looked from.
let seats = null;
let picked = []; // Keys of things that were clicked.
let several = new Map(); // Of a choice of several: how many of each member.
let aside = null; // What was asked about the question, and the question: it stands above the bar.
let wanted = "";
let goesAgain = false; // Whether somebody here has asked for another game, and goes there.
let listed = false; // Whether a long list of answers is open.
let told = 0; // Sentences that were shown before.

const at = (id) => document.getElementById(id);

// Beside the rules, on a designer's desk, there is less room.
document.body.classList.toggle("beside", window.parent !== window);
fillLanguages(at("language"), language, (code) => {
  language = code;
  say = WORDS[code];
  told = 0;
  label();
  for (const each of chairs) send({ is: "speak", language }, each);
});
label();
// Of a game that is over any moment can be looked at again.
at("slider").oninput = (event) => send({ is: "back", to: Number(event.target.value) });
const step = (by) => { at("slider").value = Number(at("slider").value) + by; at("slider").oninput({ target: at("slider") }); };
at("earlier").onclick = () => step(-1);
at("later").onclick = () => step(1);
chairs.forEach(connect);
window.rulerun = { chairs }; // For tests, and for who looks what a page knows: nothing more.

function label() {
  document.documentElement.lang = language;
  for (const each of document.querySelectorAll("[data-say]")) each.textContent = say[each.dataset.say];
  at("rules").textContent = say.rules;
  at("rules").href = `/api/tables/${table}/rules?lang=${language}`;
  at("story").setAttribute("aria-label", say.story);
  at("earlier").setAttribute("aria-label", say.earlier);
  at("later").setAttribute("aria-label", say.later);
}

// ------------------------------------------------------------------------------------ the link

function connect(one) {
  // Where sockets do not get through, requests are tried, and the other way round.
  const carry = one.failed % 4 < 2 ? bySocket : byRequests;
  one.link = carry(table, {
    opened: () => {
      one.failed -= one.failed % 2;
      send({ is: "hello", token: one.token, language }, one);
    },
    heard: (message) => take(message, one),
    closed: () => {
      one.failed += 1;
      if (!one.wait) return;
      if (one.pending) one.pending.lost = true;
      at("link").textContent = say.lost;
      setTimeout(connect, one.wait, one);
      one.wait = Math.min(8000, one.wait * 2);
    },
  });
}

function send(message, one = chair) {
  if (one.link.open) one.link.say(JSON.stringify(message));
}

function take(message, one) {
  if (message.closed) {
    one.wait = 0;
    at("ask").replaceChildren(h("p.refused", { role: "alert" }, message.closed));
    return;
  }
  if (message.welcome) {
    one.scene = one.scene && { ...one.scene, log: [] };
    one.wait = 500;
    at("link").textContent = "";
    at("title").textContent = message.welcome.title;
    document.title = `${message.welcome.title} · rulerun`;
  }
  if (message.refused) {
    one.pending = null;
    goesAgain = false;
    note(message.refused);
  }
  if (message.token) {
    // The link to the seat is in the address now, as if it had been sent.
    location.hash = message.token;
    location.reload();
    return;
  }
  if (message.why && one === chair) {
    opened("why", message.why.length ? h("ul", {}, message.why.map(([what, why]) => h("li", {}, h("b", {}, what), ` – ${why}`))) : h("p", {}, say.nothingElse));
    return;
  }
  if (message.advice && one === chair) {
    opened("advice", h("p", {}, message.how), h("ul", {}, message.advice.map((each) => h("li", {}, each))));
    return;
  }
  if (message.past && one === chair) {
    scene = { ...message.past, question: "", actions: [], several: null, past: `${message.to}/${message.of}` };
    at("slider").max = message.of;
    if (document.activeElement !== at("slider")) at("slider").value = message.to;
    at("moment").querySelector("output").textContent = scene.past;
    at("earlier").disabled = message.to === 0;
    at("later").disabled = message.to === message.of;
    told = 0;
    draw();
    return;
  }
  if (message.scene) {
    if (goesAgain && message.seats.next) {
      location.href = following(message.seats.next);
      return;
    }
    const fresh = !one.scene || one.scene.at !== message.scene.at;
    // Of the log only what is new is sent.
    const { from, lines } = message.scene.log;
    one.scene = { ...message.scene, log: [...(one.scene ? one.scene.log.slice(0, from) : []), ...lines] };
    one.seats = message.seats;
    // An answer that got lost on the way is given again, to the same question only.
    if (one.pending?.lost && one.pending.mark === one.scene.at) {
      one.pending.lost = false;
      send({ is: "do", action: one.pending.action, mark: one.pending.mark }, one);
    } else one.pending = null;
    if (fresh && one === chair) clear();
    const news = one === chair && asks(one.scene) !== one.asks;
    one.asks = asks(one.scene);
    // Who begins does not hang on whose link was quicker.
    if (!chairs.every((each) => each.scene)) return;
    pass();
    if (chair.scene.result && at("moment").hidden) {
      at("moment").hidden = false;
      send({ is: "back", to: 2 ** 31 });
    }
    draw();
    if (news) reveal();
  }
}

// What a question is about comes into view above the bar: all of it if it fits, else where it begins.
function reveal() {
  const things = scene.result ? [at("board").querySelector(".ending")] : [...at("board").querySelectorAll(".can")];
  const boxes = things.filter(Boolean).map((each) => each.getBoundingClientRect());
  if (!boxes.length || covered) return;
  const room = at("ask").getBoundingClientRect().top || innerHeight;
  const [top, bottom] = [Math.min(...boxes.map((each) => each.top)) - EDGE, Math.max(...boxes.map((each) => each.bottom)) + EDGE];
  if (top < 0 || bottom - top > room) scrollBy({ top, behavior: "instant" });
  else if (bottom > room) scrollBy({ top: bottom - room, behavior: "instant" });
}

function clear() {
  picked = [];
  several = new Map();
  wanted = "";
}

// On one device: who is asked gets it, and sees nothing before they say that they have it.
function pass() {
  if (!asked(chair)) {
    const next = chairs.find(asked);
    if (next && next !== chair) sit(next, !alone);
  }
  if (chairs.some((each) => each.scene?.result)) covered = false;
  ({ scene, seats } = chair);
}

function asked(one) {
  return Boolean(one.scene && (one.scene.actions.length || one.scene.several));
}

function sit(one, cover) {
  chair = one;
  covered = cover;
  told = 0;
  clear();
  ({ scene, seats } = chair);
}

function answer(action) {
  if (chair.pending) return;
  chair.pending = { action, mark: scene.at, lost: !chair.link.open };
  send({ is: "do", action, mark: scene.at });
  document.body.classList.add("sent");
}

function note(text) {
  document.body.classList.remove("sent");
  opened("refused", h("p.refused", { role: "alert" }, text));
}

// What is told beside the question moves no answer: it stands above the bar, and scrolls by itself.
function opened(what, ...inside) {
  aside = { what, inside, question: asks(scene) };
  drawAside();
}

function drawAside() {
  if (aside && aside.question !== asks(scene)) aside = null;
  at("ask").querySelector(".aside")?.remove();
  if (!aside) return;
  at("ask").prepend(h("div.aside", { class: aside.what, role: "status", tabindex: 0 },
    h("button.close", { type: "button", "aria-label": say.close, title: say.close, onclick: () => { aside = null; drawAside(); } }, "×"), aside.inside));
  for (const each of at("ask").querySelectorAll("[data-opens]")) each.setAttribute("aria-expanded", `${each.dataset.opens === aside.what}`);
}

function asks(shown) { // What tells one question from another, whatever else is news.
  return shown && JSON.stringify([shown.question, shown.actions.map((each) => each.id), shown.done, Boolean(shown.result)]);
}

function explain() {
  const told = scene.actions.filter((each) => each.about);
  opened("explains", h("dl", {}, told.map((each) => [h("dt", {}, each.text), h("dd", {}, each.about)])));
}

function consider() {
  opened("advice", h("p.thinks", {}, say.considers, dots()));
  send({ is: "advise" });
}

// ------------------------------------------------------------------------------------ what is picked

function open() { // The answers that are about everything picked.
  return scene.actions.filter((each) => picked.every((key) => each.on.includes(key)));
}

function pickable(key) {
  return !picked.includes(key) && open().some((each) => each.on.includes(key));
}

function pick(key) {
  if (picked.includes(key)) picked = picked.filter((each) => each !== key);
  else picked = [...picked, key];
  const left = open();
  if (left.length === 1) answer(left[0].id);
  else draw();
}

// ------------------------------------------------------------------------------------ drawing

function draw() {
  document.body.classList.remove("sent");
  if (!scene) return;
  document.body.classList.toggle("covered", covered);
  if (covered) {
    for (const each of ["headline", "board", "seats", "story"]) at(each).replaceChildren();
    const name = scene.players.find((each) => each.id === scene.viewer)?.name ?? "";
    at("ask").replaceChildren(h("h2", {}, `${say.handOver} ${name}`),
      h("button.primary", { type: "button", "data-focus": "have", onclick: () => { sit(chair, false); draw(); reveal(); } }, `${say.have} ${name}`));
    at("ask").querySelector("button").focus();
    return;
  }
  const focus = document.activeElement?.dataset?.focus;
  // What is still to be won is no news beside the result.
  at("headline").replaceChildren(scene.past && !scene.result ? h("span.looks-back", {}, `${say.lookBack} (${scene.past})`) : "", scene.result ? "" : scene.headline, scene.note ? h("small", {}, ` ${scene.note}`) : "");
  drawTable();
  drawSeats();
  drawStory();
  drawAsk();
  if (focus) document.querySelector(`[data-focus="${CSS.escape(focus)}"]`)?.focus({ preventScroll: true });
  tip(); // What it was about is drawn anew, and may lie elsewhere.
}

function drawTable() {
  const mine = scene.players.find((each) => each.id === scene.viewer);
  const turn = scene.players.findIndex((each) => each.id === scene.viewer);
  const others = [...scene.players.slice(turn + 1), ...scene.players.slice(0, Math.max(turn, 0))];
  const shared = scene.boards.filter((each) => !each.owner);
  at("board").replaceChildren(
    scene.result ? ending() : "",
    ...(turn < 0 ? scene.players : others).map((each) => area(each)),
    scene.table.values.length + shared.length + scene.table.zones.length
      ? h("section.shared", {}, values(scene.table.values), boards(shared), zones(scene.table.zones)) : "",
    mine ? area(mine, true) : "");
}

function board(each) {
  return drawBoard(each, { pickable, picked: (key) => picked.includes(key), pick, icon });
}

function area(player, own = false) {
  const key = `player/${player.id}`;
  const name = pickable(key) || picked.includes(key)
    ? h("button.name.can", { type: "button", "data-focus": key, "aria-pressed": `${picked.includes(key)}`, onclick: () => pick(key) }, player.name)
    : h("span.name", {}, player.name);
  return h("section.area", { class: [own && "own", player.asked && "asked"].filter(Boolean).join(" "), style: tint(player.colour), "aria-label": player.name },
    h("header", {}, h("i.dot", { style: tint(player.colour) }), name, own ? h("small", {}, say.you) : null, values(player.values)),
    boards(scene.boards.filter((each) => each.owner === player.id)),
    zones(player.zones));
}

function tint(colour) {
  return colour ? `--tint: var(--${colour})` : null;
}

function boards(every) {
  return every.length ? h("div.boards", {}, every.map(board)) : null;
}

function values(every) {
  if (!every.length) return null;
  return h("dl.values", {}, every.map((each) => h("div", hint(each.about), h("dt", {}, [each.label, ...each.at].join(" ")), h("dd", {}, each.value))));
}

function zones(every) { // Those of one family that have indexes make a small table.
  const parts = [];
  for (const each of every) {
    const last = parts[parts.length - 1];
    if (each.at.length && last && last[0].at.length === each.at.length && last[0].label === each.label) last.push(each);
    else parts.push([each]);
  }
  return parts.length ? h("div.zones", {}, parts.map((part) => (part.length > 1 ? chart(part) : zone(part[0], part[0].at)))) : null;
}

function chart(part) {
  const [first] = part;
  const two = first.at.length > 1;
  const rows = [...new Set(part.map((each) => (two ? each.at[0] : "")))];
  const columns = [...new Set(part.map((each) => (two ? each.at.slice(1).join(" ") : each.at[0])))];
  const cell = (row, column) => {
    const found = part.find((each) => (two ? each.at[0] === row && each.at.slice(1).join(" ") === column : each.at[0] === column));
    return h("td", {}, found ? h("div.cards", {}, inside(found)) : "");
  };
  return h("figure.zone.chart", {}, h("figcaption", hint(first.about), first.label),
    h("div.wide", {}, h("table", {},
      h("thead", {}, h("tr", {}, two ? h("td", {}) : null, columns.map((each) => h("th", { scope: "col" }, each)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, two ? h("th", { scope: "row" }, row) : null, columns.map((each) => cell(row, each))))))));
}

function inside(each) {
  const cards = each.cards.map((card) => face(card));
  if (each.hidden) cards.push(back(each, each.hidden));
  if (each.count === null && !each.cards.length) cards.push(back(each, 0));
  return cards;
}

function zone(each, where = []) {
  const cards = inside(each);
  return h("figure.zone", { class: each.ordered ? "stack" : "" },
    h("figcaption", hint(each.about), [each.label, ...where].join(" "), each.cards.length > 4 || each.closed ? h("small", {}, ` ${each.count ?? ""}`) : null,
      // These are known by counting, or were seen before.
      each.closed ? h("small", {}, ` ${say.hidden}`) : null),
    h("div.cards", {}, cards.length ? cards : h("span.none", {}, say.empty)));
}

function icon(name) { // Of these rules: edited ones have other addresses, so that nothing old is shown.
  return `/api/tables/${table}/icons/${encodeURIComponent(name)}?rules=${seats.rules}`;
}

function back(each, many) {
  return h("span.card.back", { role: "img", "aria-label": `${many || ""} ${each.kind}, ${say.hidden}`, title: `${each.kind}, ${say.hidden}` }, many > 1 ? h("b", {}, `×${many}`) : "");
}

function face(card) {
  const found = /^(.*\S)\s+(-?\d+)$/.exec(card.text);
  const inside = found
    ? [h("b.corner", {}, found[2]), card.icon ? h("img.icon", { src: icon(card.icon), alt: "" }) : null, h("span.what", {}, found[1])]
    : [card.icon ? h("img.icon", { src: icon(card.icon), alt: "" }) : card.glyph ? h("b.corner", {}, card.glyph) : null, h("span.what", { class: card.text.length < 4 ? "short" : "" }, card.text)];
  if (card.many > 1) inside.push(h("small.many", {}, `×${card.many}`));
  const key = card.keys.find(pickable) ?? card.keys.find((each) => picked.includes(each));
  const on = picked.includes(key);
  const attributes = { ...hint(card.about), style: tint(card.colour) };
  if (!key) return h("span.card", { ...attributes, tabindex: card.about ? 0 : null }, inside);
  return h("button.card.can", { ...attributes, type: "button", "data-focus": key, "aria-pressed": `${on}`, onclick: () => pick(key) }, inside);
}

function ending() {
  const [head, ...rows] = scene.result.rows;
  return h("section.ending", { class: scene.result.won ? "won" : "", role: "status" },
    h("h2", {}, scene.result.text),
    head ? h("div.wide", {}, h("table", {}, h("thead", {}, h("tr", {}, head.map((each) => h("th", { scope: "col" }, each)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map((each, place) => h(place ? "td" : "th", place ? {} : { scope: "row" }, each))))))) : null,
    scene.result.reasons.map((each) => h("p", {}, each)),
    h("p.ways", {}, h("button.button", { type: "button", onclick: download }, say.record), " ", 
      seats.next ? [h("a.button.primary", { href: following(seats.next), "data-focus": "again" }, say.joinAgain), h("small", {}, ` ${say.nextLaid}`)]
        : scene.viewer || seats.owner ? h("button.button.primary", { type: "button", "data-focus": "again", onclick: () => { goesAgain = true; send({ is: "again" }); } }, say.rematch) : null));
}

function following(next) { // The same seats at the next table.
  return `/t/${next}#${tokens.join("+")}${alone ? "!" : ""}`;
}

async function download() {
  const given = await fetch(`/api/tables/${table}/record`, { headers: { Authorization: `Bearer ${chair.token}` } });
  if (!given.ok) return note((await given.json()).error);
  const link = h("a", { href: URL.createObjectURL(await given.blob()), download: /filename="(.+)"/.exec(given.headers.get("content-disposition"))[1] });
  link.click();
}

function drawSeats() {
  at("seats").replaceChildren(...seats.who.map((each) => {
    const player = scene.players.find((one) => one.id === each.player);
    const open = each.who === "open";
    const state = open ? say.open : each.who !== "person" ? say[each.who] ?? each.who : each.here ? "" : say.away;
    const free = seats.owner && !each.here;
    return h("span.seat", { style: tint(player.colour), class: player.asked ? "asked" : "" }, h("i.dot", { style: tint(player.colour) }), player.name,
      state ? h("small", {}, state) : null,
      open && !scene.viewer ? h("button.primary", { type: "button", onclick: () => send({ is: "sit", player: each.player }) }, say.sit) : null,
      free ? h("select", { "aria-label": `${say.seatBot} ${player.name}`, onchange: (event) => send({ is: "seat", player: each.player, who: event.target.value }) },
        ["person", "easy", "normal", "hard", "random"].map((who) => h("option", { value: who, selected: who === each.who }, say[who]))) : null);
  }));
}

function drawStory() {
  const story = at("story");
  const stuck = story.scrollHeight - story.scrollTop - story.clientHeight < 60;
  const log = scene.log;
  if (told > log.length) told = 0;
  // A heading under which nothing stands is none, once all is told.
  const end = scene.result && log.at(-1)?.[0] === "phase" ? log.slice(0, -1) : log;
  const shown = end.slice(-300);
  story.replaceChildren(h("h2", {}, say.story), ...shown.map(([style, text], place) => {
    const fresh = told && end.length - shown.length + place >= told;
    return h(style === "phase" ? "h3" : "p", { class: [style, fresh && "fresh"].filter(Boolean).join(" ") }, text);
  }));
  told = log.length;
  if (stuck) story.scrollTop = story.scrollHeight;
}

function drawAsk() {
  const place = at("ask");
  const parts = [];
  const links = [];
  const scrolled = place.querySelector(".answers")?.scrollTop ?? 0;
  if (seats.trouble) parts.push(h("p.refused", { role: "alert" }, `${say.trouble} ${seats.trouble}`));
  if (scene.question) {
    const found = open();
    parts.push(h("h2", {}, scene.question));
    const inside = [];
    if (picked.length) inside.push(h("button.back", { type: "button", onclick: () => { picked = []; draw(); } }, `← ${say.again}`));
    if (scene.several && !picked.length) inside.push(members());
    inside.push(choices(found));
    parts.push(h("div.answers", { onscroll: goesOn }, inside), h("button.goes-on.quiet", { type: "button", hidden: true, onclick: () => at("ask").querySelector(".answers").scrollBy({ top: 120, behavior: "smooth" }) }, `▾ ${say.goesOn}`));
    const link = (what, does, text) => links.push(h("button.quiet", { type: "button", "data-focus": what, "data-opens": what, "aria-expanded": "false", onclick: () => { if (aside?.what === what) { aside = null; drawAsk(); } else does(); } }, text));
    if (scene.actions.some((each) => each.about)) link("explains", explain, say.explain);
    link("advice", consider, say.advice);
    link("why", () => send({ is: "why" }), say.whyNot);
  } else if (!scene.result && !scene.past) {
    const asked = scene.players.filter((each) => each.asked && each.id !== scene.viewer);
    const bots = seats.who.filter((each) => !["person", "open"].includes(each.who)).map((each) => each.player);
    if (scene.together && scene.done) parts.push(h("p.waiting", {}, say.done));
    else if (asked.length) {
      const names = asked.map((each) => each.name).join(", ");
      parts.push(asked.every((each) => bots.includes(each.id))
        ? h("p.waiting.thinks", {}, `${names} ${say.thinks}`, dots()) : h("p.waiting", {}, `${say.waits} ${names} …`));
    } else if (!scene.viewer) parts.push(h("p.waiting", {}, say.looking));
  }
  if (seats.undo) links.push(h("button.quiet", { type: "button", "data-focus": "undo", onclick: () => send({ is: "undo" }) }, say.undo));
  if (links.length) parts.push(h("div.links", {}, links));
  place.replaceChildren(...parts);
  place.classList.toggle("mine", Boolean(scene.question));
  if (scrolled) place.querySelector(".answers")?.scrollTo(0, scrolled);
  goesOn();
  drawAside();
}

// The bar leaves room for the table: where its answers do not fit it says that they go on below.
function goesOn() {
  const inside = at("ask").querySelector(".answers");
  if (inside) at("ask").querySelector(".goes-on").hidden = inside.scrollHeight - inside.scrollTop - inside.clientHeight < 4;
}

function dots() { // They move, so that who waits sees that the table is alive.
  return h("span.dots", { "aria-hidden": "true" }, h("i", {}, "."), h("i", {}, "."), h("i", {}, "."));
}

const MOST = 14;
const EDGE = 16;

function choices(found) {
  const shown = wanted ? found.filter((each) => each.text.toLowerCase().includes(wanted)) : found;
  const keys = labels(shown);
  const list = h("div.choices", {}, shown.map((each, place) => h("button.choice", {
    type: "button", "data-focus": `do ${each.id}`, "data-key": keys[place] || null, onclick: () => answer(each.id),
    onmouseenter: () => mark(each.on), onmouseleave: () => mark([]), onfocus: () => mark(each.on), onblur: () => mark([]) },
    keys[place] ? h("kbd", { "aria-hidden": "true" }, keys[place]) : null,
    h("span", {}, each.text, each.sign ? h("b", { "aria-hidden": "true" }, ` ${each.sign}`) : null, each.hint ? h("small", {}, ` (${each.hint})`) : null)))) ;
  if (!shown.length && found.length) list.append(h("p", {}, say.nothingFits));
  if (found.length <= MOST) return list;
  const search = h("input", { type: "search", placeholder: say.filter, "aria-label": say.filter, value: wanted, "data-focus": "filter",
    onkeydown: (event) => { const left = at("ask").querySelectorAll(".choice"); if (event.key === "Enter" && left.length === 1) left[0].click(); },
    oninput: (event) => { wanted = event.target.value.toLowerCase(); drawAsk(); const again = at("ask").querySelector("[type=search]"); again.focus(); again.setSelectionRange(wanted.length, wanted.length); } });
  // What can be clicked on the table need not be listed as well; what cannot is.
  const there = new Set([...document.querySelectorAll("#board [data-focus]")].map((each) => each.dataset.focus));
  if (!found.every((each) => each.on.some((key) => there.has(key) || picked.includes(key)))) return h("div.every", {}, search, list);
  const all = h("details.every", { open: listed, ontoggle: (event) => { listed = event.currentTarget.open; goesOn(); } },
    h("summary", {}, `${say.every} (${found.length})`), search, list);
  return h("div", {}, h("p", {}, say.click), all);
}

function mark(keys) {
  for (const each of document.querySelectorAll("[data-focus]")) each.classList.toggle("meant", keys.includes(each.dataset.focus));
}

function members() { // A choice of several: things are counted, then taken together.
  const group = scene.several;
  const chosen = [...several].flatMap(([member, many]) => Array(many).fill(member)).sort((a, b) => a - b);
  const found = group.choices.find(([those]) => those.length === chosen.length && those.every((each, place) => each === chosen[place]));
  const [low, high] = group.sizes;
  return h("div.members", {},
    h("p", {}, `${group.name ? `${group.name}: ` : ""}${say.need} ${low === high ? low : `${low}–${high}`}`),
    h("div.cards", {}, group.members.map((each, place) => {
      const many = several.get(place) || 0;
      return h("button.card.can", { type: "button", "data-focus": `member ${place}`, "aria-pressed": `${many > 0}`,
        onclick: () => { several.set(place, many < each.most && (chosen.length < high || many > 0) ? (many + 1) % (each.most + 1) : 0); draw(); } },
        h("span.what", {}, each.text), many > 1 || each.most > 1 ? h("small.many", {}, `${many}/${each.most}`) : null);
    })),
    h("button.primary", { type: "button", "data-focus": "take", disabled: !found, onclick: () => answer(found[1]) },
      chosen.length ? `${say.take} (${chosen.length})` : found ? group.nothing : say.take));
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") tip();
  if (event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey || !scene) return;
  if (event.key === "Escape") { clear(); draw(); }
  if (/^[a-z0-9]$/.test(event.key)) at("ask").querySelector(`.choice[data-key="${event.key}"]`)?.click();
});
