# Tic-tac-toe in Rulebook, with a loop of random playouts around it. Squares are 0..8, row by row.

import rng

fun has(Int[9] board, Int a, Int b, Int c, Int mark) -> Bool:
  return board[a] == mark and board[b] == mark and board[c] == mark

fun has_line(Int[9] board, Int mark) -> Bool:
  let i = 0
  while i != 3:
    if has(board, 3 * i, 3 * i + 1, 3 * i + 2, mark) or has(board, i, i + 3, i + 6, mark):
      return true
    i = i + 1
  return has(board, 0, 4, 8, mark) or has(board, 2, 4, 6, mark)

act play() -> Game:
  frm board : Int[9]
  frm turn : Int
  frm moves : Int
  frm winner = -1
  while moves != 9 and winner == -1:
    act mark(Int square) { board[square] == 0 }
    board[square] = turn + 1
    moves = moves + 1
    if has_line(board, turn + 1):
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
  let legal : Int[9]
  let played = 0
  while played != count:
    let game = play()
    while !game.is_done():
      let options = 0
      let square = 0
      while square != 9:
        if can game.mark(square):
          legal[options] = square
          options = options + 1
        square = square + 1
      game.mark(legal[(((luck.next() >> 16) & 4294967295) * options) >> 32])
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
  let square = 0
  while square != 9:
    if can game.mark(square):
      if depth == 1:
        found = found + 1
      else:
        let next = game
        next.mark(square)
        found = found + below(next, depth - 1)
    square = square + 1
  return found

# How many sequences of so many moves there are.
fun perft(Int depth) -> Int:
  return below(play(), depth)
