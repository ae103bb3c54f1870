// boardgame.io: its pure reducer, without client or server, driven by a loop in JavaScript.
//
// Assumes: `FOLDER GAME` as arguments: where node_modules is, and one of `games.js`.
// Does: plays at random; what is legal comes from the game's `ai.enumerate`, as its own bots ask.
// Leaves behind: answers a line, as `lines.py` says.

"use strict";

const path = require("node:path");
const readline = require("node:readline");
const { createRequire } = require("node:module");

const [folder, name] = process.argv.slice(2);
const theirs = createRequire(path.join(folder, "node_modules", "anchor.js"));
const { CreateGameReducer, InitializeGame } = theirs("boardgame.io/internal");
const { INVALID_MOVE } = theirs("boardgame.io/core");
const { version } = theirs("boardgame.io/package.json");
const game = require("./games.js")[name](INVALID_MOVE);
const reduce = CreateGameReducer({ game });

const begin = () => InitializeGame({ game, numPlayers: 2 });

const apply = (state, { move, args }) =>
  reduce(state, {
    type: "MAKE_MOVE",
    payload: { type: move, args, playerID: state.ctx.currentPlayer },
  });

const once = () => {
  let state = begin();
  let decisions = 0;
  while (state.ctx.gameover === undefined) {
    const legal = game.ai.enumerate(state.G, state.ctx);
    state = apply(state, legal[Math.floor(Math.random() * legal.length)]);
    decisions += 1;
  }
  return [decisions, state.ctx.gameover.winner];
};

// All threads of the process, as in the other workers: the collector's too.
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

const play = (seconds) => {
  const wall = performance.now();
  const begun = cpu();
  let playouts = 0;
  let decisions = 0;
  while (cpu() - begun < seconds) {
    for (let i = 0; i < 5; i += 1) decisions += once()[0];
    playouts += 5;
  }
  return { playouts, decisions, cpu: cpu() - begun, wall: (performance.now() - wall) / 1000 };
};

const check = (seconds) => {
  const begun = cpu();
  let [plays, decisions, squares, first, second] = [0, 0, 0, 0, 0];
  while (cpu() - begun < seconds) {
    const [length, winner] = once();
    plays += 1;
    decisions += length;
    squares += length * length;
    if (winner === "0") first += 1;
    if (winner === "1") second += 1;
  }
  const draws = plays - first - second;
  return {
    plays,
    decisions,
    squares,
    returns: [first - second, second - first],
    return_squares: [first + second, first + second],
    signs: [[first, draws, second], [second, draws, first]],
    means: [],
  };
};

const below = (state, depth) => {
  if (state.ctx.gameover !== undefined) return 0;
  const legal = game.ai.enumerate(state.G, state.ctx);
  if (depth === 1) return legal.length;
  return legal.reduce((found, one) => found + below(apply(state, one), depth - 1), 0);
};

const answer = (request) => {
  if (request.do === "hello") {
    const versions = { "boardgame.io": version, node: process.version };
    return { versions, notes: ["without undo"], caveat: "", seconds: 0 };
  }
  if (request.do === "play") return play(request.seconds);
  if (request.do === "check") return check(request.seconds);
  if (request.do === "perft") return { leaves: below(begin(), request.depth) };
  throw new Error(`unknown request ${request.do}`);
};

readline.createInterface({ input: process.stdin }).on("line", (text) => {
  let told;
  try {
    told = answer(JSON.parse(text));
  } catch (error) {
    told = { error: String(error).slice(0, 300) };
  }
  process.stdout.write(`${JSON.stringify(told)}\n`);
});
