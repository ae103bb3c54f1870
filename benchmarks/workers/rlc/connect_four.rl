# Connect Four in Rulebook, 6 rows and 7 columns, with a loop of random playouts around it.
# Cells are 7 * row + column; row 0 is the bottom.

import rng

# How many discs of this mark lie in a line from a cell in one direction, the cell left out.
fun run_of(Int[42] board, Int row, Int column, Int up, Int right, Int mark) -> Int:
  let found = 0
  let r = row + up
  let c = column + right
  while r >= 0 and r < 6 and c >= 0 and c < 7:
    if board[7 * r + c] != mark:
      return found
    found = found + 1
    r = r + up
    c = c + right
  return found

# Is there a line of four through the disc that was dropped last?
fun has_four(Int[42] board, Int row, Int column, Int mark) -> Bool:
  if run_of(board, row, column, -1, 0, mark) >= 3:
    return true
  if run_of(board, row, column, 0, -1, mark) + run_of(board, row, column, 0, 1, mark) >= 3:
    return true
  if run_of(board, row, column, -1, -1, mark) + run_of(board, row, column, 1, 1, mark) >= 3:
    return true
  return run_of(board, row, column, -1, 1, mark) + run_of(board, row, column, 1, -1, mark) >= 3

act play() -> Game:
  frm board : Int[42]
  frm height : Int[7]
  frm turn : Int
  frm moves : Int
  frm winner = -1
  while moves != 42 and winner == -1:
    act drop_disc(Int column) { height[column] != 6 }
    let row = height[column]
    board[7 * row + column] = turn + 1
    height[column] = row + 1
    moves = moves + 1
    if has_four(board, row, column, turn + 1):
      winner = turn
    turn = 1 - turn

# What many playouts add up to.
cls Totals:
  Int playouts
  Int moves
  Int squares
  Int first
  Int second

fun playouts(Totals totals, Int count, Int seed):
  let luck = make_rng(seed)
  let legal : Int[7]
  let played = 0
  while played != count:
    let game = play()
    while !game.is_done():
      let options = 0
      let column = 0
      while column != 7:
        if can game.drop_disc(column):
          legal[options] = column
          options = options + 1
        column = column + 1
      game.drop_disc(legal[(((luck.next() >> 16) & 4294967295) * options) >> 32])
    totals.moves = totals.moves + game.moves
    totals.squares = totals.squares + game.moves * game.moves
    if game.winner == 0:
      totals.first = totals.first + 1
    if game.winner == 1:
      totals.second = totals.second + 1
    played = played + 1
  totals.playouts = totals.playouts + count

fun below(Game game, Int depth) -> Int:
  if game.is_done():
    return 0
  let found = 0
  let column = 0
  while column != 7:
    if can game.drop_disc(column):
      if depth == 1:
        found = found + 1
      else:
        let next = game
        next.drop_disc(column)
        found = found + below(next, depth - 1)
    column = column + 1
  return found

# How many sequences of so many moves there are.
fun perft(Int depth) -> Int:
  return below(play(), depth)
