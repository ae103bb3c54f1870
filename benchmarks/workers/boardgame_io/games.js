// Our rules of two games, as boardgame.io wants them written: a state `G`, moves that change it,
// an end, and for bots a list of what is legal. Cells are numbered row by row from the top.

const line = (cells, columns, rows, needed, at) => {
  const mark = cells[at];
  const [row, column] = [Math.floor(at / columns), at % columns];
  for (const [down, right] of [[0, 1], [1, 0], [1, 1], [1, -1]]) {
    let found = 1;
    for (const sign of [1, -1]) {
      let [r, c] = [row + sign * down, column + sign * right];
      while (r >= 0 && r < rows && c >= 0 && c < columns && cells[r * columns + c] === mark) {
        found += 1;
        r += sign * down;
        c += sign * right;
      }
    }
    if (found >= needed) return true;
  }
  return false;
};

const ended = ({ G }) => {
  if (G.winner !== null) return { winner: G.winner };
  if (G.cells.every((cell) => cell !== null)) return { draw: true };
  return undefined;
};

const ticTacToe = (invalid) => ({
  name: "tic_tac_toe",
  disableUndo: true,
  setup: () => ({ cells: Array(9).fill(null), winner: null }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    mark: ({ G, playerID }, cell) => {
      if (G.cells[cell] !== null) return invalid;
      G.cells[cell] = playerID;
      if (line(G.cells, 3, 3, 3, cell)) G.winner = playerID;
      return undefined;
    },
  },
  endIf: ended,
  ai: {
    enumerate: (G) => {
      const legal = [];
      for (let cell = 0; cell < 9; cell += 1) {
        if (G.cells[cell] === null) legal.push({ move: "mark", args: [cell] });
      }
      return legal;
    },
  },
});

const connectFour = (invalid) => ({
  name: "connect_four",
  disableUndo: true,
  setup: () => ({ cells: Array(42).fill(null), winner: null }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    drop: ({ G, playerID }, column) => {
      let row = 5;
      while (row >= 0 && G.cells[7 * row + column] !== null) row -= 1;
      if (row < 0) return invalid;
      G.cells[7 * row + column] = playerID;
      if (line(G.cells, 7, 6, 4, 7 * row + column)) G.winner = playerID;
      return undefined;
    },
  },
  endIf: ended,
  ai: {
    enumerate: (G) => {
      const legal = [];
      for (let column = 0; column < 7; column += 1) {
        if (G.cells[column] === null) legal.push({ move: "drop", args: [column] });
      }
      return legal;
    },
  },
});

module.exports = { tic_tac_toe: ticTacToe, connect_four: connectFour };
