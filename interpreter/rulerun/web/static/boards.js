// Boards as SVG: squares, hexes, or places with lines between them.
import { hint } from "./tip.js";
import { h } from "./words.js";

const SIZE = 64;
const NUMBERED = /^r\d+c\d+$/; // A site without a name of its own.

export function drawBoard(board, { pickable, picked, pick, icon }) {
  const cells = board.cells;
  const hex = board.shape === "hex";
  const map = board.shape === "map";
  const unit = hex ? SIZE * 0.95 : map ? SIZE * 1.25 : SIZE;
  const spots = cells.map((each) => [each.x * unit, each.y * unit]);
  const xs = spots.map(([x]) => x);
  const ys = spots.map(([, y]) => y);
  const edge = unit * 0.75;
  const [left, top] = [Math.min(...xs) - edge, Math.min(...ys) - edge];
  const [wide, high] = [Math.max(...xs) - left + edge, Math.max(...ys) - top + edge];
  const drawn = h("svg.board", { viewBox: `${left} ${top} ${wide} ${high}`, role: "group", "aria-label": board.title,
    style: `max-width: ${Math.round(Math.max(wide * (cells.length > 150 ? 0.62 : 1), 240))}px` });
  for (const [one, other] of board.edges) {
    drawn.append(h("line.edge", { x1: spots[one][0], y1: spots[one][1], x2: spots[other][0], y2: spots[other][1] }));
  }
  cells.forEach((cell, place) => drawn.append(one(cell, spots[place], { hex, map, unit, pickable, picked, pick, icon })));
  for (const each of board.sides) drawn.append(side(each, unit));
  if (!hex && !map && cells.every((each) => /^[a-z]+\d+$/.test(each.site) && !NUMBERED.test(each.site))) {
    // Letters and numbers stand at the edge, as on a chess board.
    const [first, last] = [Math.min(...xs), Math.max(...ys)];
    cells.forEach((each, place) => {
      const [x, y] = spots[place];
      if (x === first) drawn.append(h("text.site", { x: x - unit * 0.62, y }, each.site.replace(/^[a-z]+/, "")));
      if (y === last) drawn.append(h("text.site", { x, y: y + unit * 0.62 }, each.site.replace(/\d+$/, "")));
    });
  }
  return h("figure.boardbox", {}, board.title ? h("figcaption", {}, board.title) : null, drawn);
}

function one(cell, [x, y], { hex, map, unit, pickable, picked, pick, icon }) {
  const key = cell.keys.find(pickable) ?? cell.keys.find(picked);
  const on = cell.keys.some(picked);
  const words = [cell.site, ...cell.told].join(", ");
  const group = h("g.cell", {
    class: [key && "can", on && "on", !hex && !map && (cell.x + cell.y) % 2 && "odd"].filter(Boolean).join(" "),
    transform: `translate(${x} ${y})`, role: key ? "button" : "img", tabindex: key ? 0 : null, "aria-label": words,
    "aria-pressed": key ? `${on}` : null, "data-focus": key ?? null,
    // A place without a name of its own is told by what lies there.
    ...hint([(NUMBERED.test(cell.site) ? cell.told : [cell.site, ...cell.told]).join(", "), cell.about].filter(Boolean).join(". ")), "aria-description": null,
    onclick: key ? () => pick(key) : null,
    onkeydown: key ? (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); pick(key); } } : null,
  });
  group.append(ground(cell, hex, map, unit));
  const named = !/^[a-z]+\d+$/.test(cell.site) && !NUMBERED.test(cell.site);
  if (map || (named && !cell.things.length)) group.append(h("text.site", { y: map ? -unit * (cell.things.length ? 0.36 : 0.27) : unit * 0.36 }, cell.site));
  const printed = cell.printed.map((each) => each.text).join(" ");
  if (printed && !(cell.things.length && !map)) group.append(h("text.printed", { y: map ? unit * (cell.things.length ? 0.38 : 0.27) : 0 }, printed));
  pieces(group, cell.things, unit, map, icon);
  // Names, which answers speak of, and signs of the ground stand before the pieces.
  if (map) group.append(...group.querySelectorAll(":scope > .site, :scope > .printed"));
  return group;
}

// What stands on a side of a cell; a wall where it has no sign.
function side({ x, y, level, signs }, unit) {
  const group = h("g.side", { transform: `translate(${x * unit} ${y * unit})` });
  const half = unit / 2;
  if (!signs.length) group.append(h("line.wall", level ? { x1: -half, y1: 0, x2: half, y2: 0 } : { x1: 0, y1: -half, x2: 0, y2: half }));
  const colour = signs.findLast((each) => each.colour)?.colour;
  if (signs.length) {
    group.append(h("text.site", { style: colour ? `fill: var(--${colour})` : null }, signs.map((each) => each.text).join("")),
      h("title", {}, signs.map((each) => each.meaning || each.text).join(" ")));
  }
  return group;
}

function ground(cell, hex, map, unit) {
  const style = cell.colour ? `--ground: var(--${cell.colour})` : null;
  if (map) return h("circle.ground", { r: unit * 0.45, style, class: cell.colour ? "tinted" : "" });
  if (!hex) return h("rect.ground", { x: -unit / 2, y: -unit / 2, width: unit, height: unit, style, class: cell.colour ? "tinted" : "" });
  const points = [0, 1, 2, 3, 4, 5].map((k) => {
    const angle = (Math.PI / 3) * k + Math.PI / 6;
    return `${(Math.cos(angle) * unit) / Math.sqrt(3)},${(Math.sin(angle) * unit) / Math.sqrt(3)}`;
  });
  return h("polygon.ground", { points: points.join(" "), style, class: cell.colour ? "tinted" : "" });
}

function pieces(group, things, unit, map, icon) {
  if (!things.length) return;
  const columns = things.length === 1 ? 1 : things.length <= 4 ? 2 : 3;
  const lines = Math.ceil(things.length / columns);
  const room = (unit * (map ? 0.78 : 0.86)) / Math.max(columns, lines);
  things.forEach((signs, place) => {
    const line = Math.floor(place / columns);
    const inLine = Math.min(columns, things.length - line * columns);
    const x = ((place % columns) - (inLine - 1) / 2) * room;
    const y = (line - (lines - 1) / 2) * room + (map && things.length ? unit * 0.04 : 0);
    const text = signs.map((each) => each.text).join("");
    const colour = signs.findLast((each) => each.colour)?.colour;
    const meaning = signs.map((each) => each.meaning || each.text).join(" ");
    const drawn = signs.find((each) => each.icon);
    if (drawn) {
      // Signs beside the picture (how many there are, what has become of it) stand at its corner.
      const rest = signs.filter((each) => each !== drawn).map((each) => each.text).join("");
      group.append(h("g.piece", { transform: `translate(${x} ${y})`, style: colour ? `--tint: var(--${colour})` : null },
        h("image", { href: icon(drawn.icon), x: -room * 0.46, y: -room * 0.46, width: room * 0.92, height: room * 0.92 }),
        rest ? h("text.corner", { x: room * 0.34, y: room * 0.34, "font-size": room * 0.3 }, rest) : null, h("title", {}, meaning)));
      return;
    }
    const size = Math.min(room * 0.52, (room * 1.05) / Math.max(1, [...text].length * 0.56));
    group.append(h("g.piece", { transform: `translate(${x} ${y})`, style: colour ? `--tint: var(--${colour})` : null },
      h("circle", { r: room * 0.42, class: colour ? "" : "plain" }), h("text", { "font-size": size }, text), h("title", {}, meaning)));
  });
}
