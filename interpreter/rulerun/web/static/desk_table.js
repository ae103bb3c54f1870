// The table of the desk: from whose seat it is seen, the links to it, a form for another one.
import { h } from "./words.js";

const at = (id) => document.getElementById(id);

export function drawSeats(desk, fresh = false) {
  const { say, table } = desk;
  if (!table) {
    at("seatbar").replaceChildren(h("div.row", {}, h("button", { type: "button", onclick: desk.newTable }, say.newTable)));
    at("framed").replaceChildren();
    return;
  }
  const people = table.players.filter((each) => !each.automa && (table.seats[each.id] ?? "person") === "person");
  const together = people.map((each) => table.tokens[each.id]).join("+");
  const ways = new Map([
    ["all", [say.allSeats, people.length > 1 ? `${together}!` : together]],
    ...people.map((each) => [each.id, [each.name, table.tokens[each.id]]]),
    ["passing", [say.passing, together]],
    ["spectator", [say.lookOn, table.tokens.spectator]],
  ]);
  if (!people.length || !ways.has(desk.seat)) desk.seat = people.length ? "all" : "spectator";
  const choose = (event) => {
    desk.seat = event.target.value;
    drawSeats(desk, true);
  };
  const shown = [...ways].filter(([id]) => people.length || id === "spectator");
  const url = (token) => `${location.origin}/t/${table.table}#${token}`;
  const open = at("seatbar").querySelector("details")?.open;
  at("seatbar").replaceChildren(h("div.row", {},
    h("label", {}, `${say.seeAs} `, h("select", { onchange: choose }, shown.map(([id, [label]]) => h("option", { value: id, selected: id === desk.seat }, label)))),
    h("button", { type: "button", onclick: desk.newTable }, say.newTable),
    h("details", { open }, h("summary", {}, say.links),
      h("ul.links", {}, [...people.map((each) => [each.name, table.tokens[each.id]]), [say.look, table.tokens.spectator], [say.owner, table.tokens.owner]].map(([label, token]) => h("li", {}, h("span", {}, label),
        h("input", { readonly: true, value: url(token), "aria-label": label, onfocus: (event) => event.target.select() }),
        h("button", { type: "button", onclick: async (event) => { event.currentTarget.textContent = say.copied; await navigator.clipboard.writeText(url(token)); } }, say.copy)))))));
  if (fresh) at("framed").replaceChildren(h("iframe", { src: url(ways.get(desk.seat)[1]), title: say.playing }));
}

// Another table: for so many, with these variants and options, with bots on some seats.
export async function newTable(desk) {
  const { say } = desk;
  const dialog = at("form");
  const error = h("p.refused", { role: "alert" });
  const close = h("button", { type: "button", onclick: () => dialog.close() }, say.cancel);
  let game;
  try {
    game = await desk.ask("form", { language: desk.language });
  } catch (failure) {
    dialog.replaceChildren(h("p.refused", {}, failure.message), close);
    dialog.showModal();
    return;
  }
  const counts = game.people.filter((each) => each.players.length);
  const state = { count: desk.table?.players.filter((each) => !each.automa).length, seats: {}, options: {}, variants: new Set() };
  if (!counts.some((each) => each.count === state.count)) state.count = counts[0]?.count;
  const seats = h("div.seats");
  const people = () => counts.find((each) => each.count === state.count).players.filter((each) => !each.automa);
  const drawSeatsOf = () => seats.replaceChildren(...people().map((each) => h("label.field", {}, h("span", {}, each.name),
    h("select", { onchange: (event) => { state.seats[each.id] = event.target.value; } }, ["person", ...game.levels].map((level) => h("option", { value: level, selected: level === (state.seats[each.id] ?? "person") }, say[level] ?? level))))));
  drawSeatsOf();
  const lay = async (event) => {
    event.preventDefault();
    const chosen = Object.fromEntries(people().map((each) => [each.id, state.seats[each.id] ?? "person"]));
    try {
      desk.table = await desk.ask("lay", { players: state.count, seats: chosen, options: state.options, variants: [...state.variants] });
      at("fate").replaceChildren();
      dialog.close();
      drawSeats(desk, true);
    } catch (failure) {
      error.textContent = failure.message;
    }
  };
  dialog.replaceChildren(h("form", { onsubmit: lay },
    h("h2", {}, game.title),
    h("fieldset", {}, h("legend", {}, say.players), h("div.pills", {}, counts.map((each) => h("label.pill", {},
      h("input", { type: "radio", name: "count", checked: each.count === state.count, onchange: () => { state.count = each.count; drawSeatsOf(); } }), h("span", {}, each.count))))),
    h("fieldset", {}, h("legend", {}, say.seats), seats),
    game.variants.length ? h("fieldset", {}, h("legend", {}, say.variants), game.variants.map((each) => h("label.check", {},
      h("input", { type: "checkbox", onchange: (event) => { event.target.checked ? state.variants.add(each.name) : state.variants.delete(each.name); } }),
      h("span", {}, h("b", {}, each.label), each.about ? ` ${each.about}` : "")))) : null,
    game.options.length ? h("details", {}, h("summary", {}, `${say.options} (${game.options.length})`), game.options.map((each) => h("label.field", {}, h("span", {}, each.label, each.about ? h("small", {}, each.about) : null),
      h("select", { onchange: (event) => { if (event.target.value) state.options[each.name] = event.target.value; else delete state.options[each.name]; } },
        h("option", { value: "" }, `${each.values.find(([value]) => value === each.default)?.[1] ?? each.default} (${say.none})`),
        each.values.filter(([value]) => value !== each.default).map(([value, label]) => h("option", { value }, label)))))) : null,
    error,
    h("div.row", {}, h("button.primary", { type: "submit" }, say.lay), close)));
  dialog.showModal();
}
