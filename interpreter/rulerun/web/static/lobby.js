import { WORDS, chosenLanguage, fillLanguages, h } from "./words.js";

const main = document.getElementById("main");
let language = chosenLanguage();
let say = WORDS[language];

fillLanguages(document.getElementById("language"), language, (code) => {
  language = code;
  say = WORDS[code];
  show();
});
window.addEventListener("hashchange", show);
show();

async function show() {
  document.documentElement.lang = language;
  for (const each of document.querySelectorAll("[data-say]")) each.textContent = say[each.dataset.say];
  const name = decodeURIComponent(location.hash.slice(1));
  try {
    if (name) form(await ask(`/api/games/${encodeURIComponent(name)}?lang=${language}`));
    else {
      const { games, uploads } = await ask(`/api/games?lang=${language}`);
      shelf(games, uploads);
    }
  } catch (failure) {
    main.replaceChildren(h("p.refused", { role: "alert" }, `${say.error} ${failure.message}`), h("a", { href: "/" }, say.back));
  }
}

async function ask(url, options) {
  const answer = await fetch(url, options);
  const data = await answer.json();
  if (!answer.ok) throw new Error(data.error || answer.statusText);
  return data;
}

function range([low, high]) {
  return low === high ? `${low}` : `${low}–${high}`;
}

function shelf(games, uploads) {
  const list = h("ul.shelf");
  const draw = (wanted) => {
    const found = games.filter((each) => `${each.title} ${each.about || ""} ${each.kind}`.toLowerCase().includes(wanted));
    const several = new Set(found.map((each) => each.kind)).size > 1;
    list.replaceChildren(...found.flatMap((each, at) => [
      several && each.kind !== found[at - 1]?.kind ? h("li.kind", {}, h("h2", {}, each.kind)) : "",
      h("li", {}, each.error
        ? h("div.game.broken", {}, h("b", {}, each.title), h("p", {}, each.error))
        : h("a.game", { href: `#${encodeURIComponent(each.name)}` },
            h("b", {}, each.title),
            h("p", {}, each.about),
            h("small", {}, `${range(each.players)} ${each.players[1] === 1 ? say.player : say.players}`, each.minutes ? ` · ${each.minutes.replace("..", "–")} ${each.minutes === "1" ? say.minute : say.minutes}` : ""))),
    ].filter(Boolean)));
    if (!found.length) list.append(h("li", { role: "status" }, say.nothingFits));
  };
  draw("");
  main.replaceChildren(
    h("h1", {}, say.games),
    h("input", { type: "search", placeholder: say.search, "aria-label": say.search, oninput: (event) => draw(event.target.value.toLowerCase()) }),
    list,
    h("label.field", {}, h("span", {}, say.openRecord),
      h("input", { type: "file", accept: ".jsonl", onchange: (event) => openRecord(event.target.files[0]) })),
    uploads ? h("label.field", {}, h("span", {}, say.bring, h("small", {}, say.bringAbout)),
      h("input", { type: "file", accept: ".yaml,.yml", onchange: (event) => bring(event.target) })) : "");
}

// Rules of one's own are a game that only those find who have its link.
async function bring(input) {
  main.querySelector(".refused")?.remove();
  try {
    const made = await ask("/api/rules", { method: "POST", body: await input.files[0].text() });
    location.hash = made.game;
  } catch (failure) {
    main.append(h("p.refused", { role: "alert" }, `${say.error} ${failure.message}`));
    input.value = "";
  }
}

// A record of a game is a table that goes on where it ends.
async function openRecord(file) {
  try {
    const made = await ask("/api/records", { method: "POST", body: await file.text() });
    const roles = Object.keys(made.tokens).filter((each) => each !== "owner" && each !== "spectator");
    links(made, roles.map((each) => ({ id: each, name: each })), false);
  } catch (failure) {
    main.append(h("p.refused", { role: "alert" }, `${say.error} ${failure.message}`));
  }
}

function form(game) {
  const state = { count: game.people.find((each) => each.players.length)?.count, seats: {}, options: {}, variants: new Set() };
  const seats = h("div.seats");
  const error = h("p.refused", { role: "alert", hidden: true });
  // What the server says of the settings as they are: why they are none, and which mean nothing.
  let asked = 0;
  const consider = async () => {
    const mine = ++asked;
    const body = { players: state.count, options: state.options, variants: [...state.variants] };
    const found = await ask(`/api/games/${encodeURIComponent(game.name)}/settings?lang=${language}`, { method: "POST", body: JSON.stringify(body) }).catch((failure) => ({ refused: failure.message, values: {}, idle: [] }));
    if (mine !== asked) return;
    error.textContent = found.refused;
    error.hidden = !found.refused;
    submit.disabled = Boolean(found.refused);
    for (const [name, field] of Object.entries(fields)) {
      const idle = found.idle.includes(name);
      field.classList.toggle("idle", idle);
      field.querySelector(".note").textContent = idle ? say.idle : "";
      // What a variant sets is what is played where nothing else is chosen.
      const each = game.options.find((option) => option.name === name);
      const value = name in state.options ? each.default : found.values[name] ?? each.default;
      field.querySelector("option").textContent = `${each.values.find(([one]) => one === value)?.[1] ?? value} (${value === each.default ? say.none : say.byVariant})`;
    }
  };
  const drawSeats = () => {
    const people = game.people.find((each) => each.count === state.count);
    let first = true;
    seats.replaceChildren(...people.players.filter((each) => !each.automa).map((each) => {
      const who = state.seats[each.id] ?? (first ? "person" : game.level);
      state.seats[each.id] = who;
      first = false;
      return h("label.field", {}, h("span", {}, each.name),
        h("select", { onchange: (event) => { state.seats[each.id] = event.target.value; } },
          ["person", "open", ...game.levels].map((level) => h("option", { value: level, selected: level === who }, say[level] ?? level))));
    }));
  };
  drawSeats();
  const counts = game.people.filter((each) => each.players.length).map((each) =>
    h("label.pill", {}, h("input", { type: "radio", name: "count", checked: each.count === state.count,
      onchange: () => { state.count = each.count; drawSeats(); consider(); } }), h("span", {}, each.count)));
  const variants = game.variants.map((each) => h("label.check", {},
    h("input", { type: "checkbox", onchange: (event) => { event.target.checked ? state.variants.add(each.name) : state.variants.delete(each.name); consider(); } }),
    h("span", {}, h("b", {}, each.label), each.about ? ` ${each.about}` : "")));
  const fields = Object.fromEntries(game.options.map((each) => [each.name, h("label.field", {},
    h("span", {}, each.label, each.about ? h("small", {}, each.about) : null, h("small.note", {})),
    h("select", { onchange: (event) => { if (event.target.value === "") delete state.options[each.name]; else state.options[each.name] = event.target.value; consider(); } },
      h("option", { value: "" }), each.values.filter(([value]) => variants.length || value !== each.default).map(([value, label]) => h("option", { value }, label))))]));
  const options = Object.values(fields);
  const submit = h("button.primary", { type: "submit" }, say.begin);
  const luck = h("input.luck", { type: "text", maxlength: 80, "aria-label": say.luck, placeholder: say.luck });
  const begin = async (event) => {
    event.preventDefault();
    error.hidden = true;
    const people = game.people.find((each) => each.count === state.count).players;
    const taken = Object.fromEntries(people.filter((each) => !each.automa).map((each) => [each.id, state.seats[each.id]]));
    const body = { game: game.name, players: state.count, seats: taken, options: state.options, variants: [...state.variants], seed: luck.value };
    try {
      const made = await ask("/api/tables", { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });
      const persons = people.filter((each) => taken[each.id] === "person");
      links(made, persons, people.some((each) => taken[each.id] === "open"));
    } catch (failure) {
      error.textContent = failure.message;
      error.hidden = false;
      error.scrollIntoView({ block: "nearest" });
    }
  };
  main.replaceChildren(
    h("p", {}, h("a", { href: "/#" }, `← ${say.games}`)),
    h("h1", {}, game.title),
    h("p.about", {}, game.about),
    h("form", { onsubmit: begin },
      counts.length > 1 ? h("fieldset", {}, h("legend", {}, say.players), h("div.pills", {}, counts)) : null,
      h("fieldset", {}, h("legend", {}, say.seats), seats),
      variants.length ? h("fieldset", {}, h("legend", {}, say.variants), variants) : null,
      options.length ? h("details", {}, h("summary", {}, `${say.options} (${options.length})`), options) : null,
      h("details", {}, h("summary", {}, say.luck.split(" ")[0]), luck),
      error, submit));
  consider();
  main.querySelector("h1").scrollIntoView({ block: "nearest" });
}

function links(made, persons, open) {
  const url = (token) => `${location.origin}/t/${made.table}#${token}`;
  const row = (label, token, verb) => h("li", {}, h("span", {}, label),
    h("input", { readonly: true, value: url(token), "aria-label": label, onfocus: (event) => event.target.select() }),
    h("button", { type: "button", onclick: async (event) => {
      const button = event.currentTarget;
      // Browsers give the clipboard to pages from this machine and by TLS only.
      if (navigator.clipboard) await navigator.clipboard.writeText(url(token));
      else {
        button.previousElementSibling.select();
        document.execCommand("copy");
      }
      button.textContent = say.copied;
    } }, say.copy),
    h("a.button", { href: url(token), class: verb === say.sit ? "primary" : "", target: persons.length > 1 ? "_blank" : null, rel: "noopener" }, verb));
  if (persons.length === 1 && !open) {
    // Alone against bots: sit down at once; the links are in the table's menu of the browser's history.
    location.href = url(made.tokens[persons[0].id]);
    return;
  }
  main.replaceChildren(
    h("h1", {}, say.links), h("p", {}, say.linksAbout), open ? h("p", {}, say.openAbout) : "",
    h("ul.links", {},
      persons.map((each) => row(each.name, made.tokens[each.id], say.sit)),
      row(say.allHere, persons.map((each) => made.tokens[each.id]).join("+"), say.sit),
      row(say.look, made.tokens.spectator, say.look),
      row(say.owner, made.tokens.owner, say.look)));
}
