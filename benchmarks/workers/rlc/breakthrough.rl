# Breakthrough in Rulebook, 8 by 8, with a loop of random playouts around it.
# Squares are 8 * row + column. The first player starts on rows 0 and 1 and goes up.

import rng

# A step: 3 * square + 0 (aslant to the left), 1 (straight) or 2 (aslant to the right).
fun target(Int step, Int turn) -> Int:
  if turn == 0:
    return step / 3 + 7 + step % 3
  return step / 3 - 9 + step % 3

fun may_step(Int[64] board, Int step, Int turn) -> Bool:
  let from = step / 3
  let way = step % 3
  if board[from] != turn + 1:
    return false
  let column = from % 8
  if (way == 0 and column == 0) or (way == 2 and column == 7):
    return false
  # Who has a pawn on the last row has won: no step leads off the board.
  let there = board[target(step, turn)]
  if way == 1:
    return there == 0
  return there != turn + 1

act play() -> Game:
  frm board : Int[64]
  frm pawns : Int[2]
  frm turn : Int
  frm moves : Int
  frm winner = -1
  let square = 0
  while square != 16:
    board[square] = 1
    board[63 - square] = 2
    square = square + 1
  pawns[0] = 16
  pawns[1] = 16
  while winner == -1:
    act go(Int step) { may_step(board, step, turn) }
    let there = target(step, turn)
    if board[there] != 0:
      pawns[1 - turn] = pawns[1 - turn] - 1
    board[step / 3] = 0
    board[there] = turn + 1
    moves = moves + 1
    if pawns[1 - turn] == 0 or (turn == 0 and there >= 56) or (turn == 1 and there < 8):
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
  let legal : Int[192]
  let played = 0
  while played != count:
    let game = play()
    while !game.is_done():
      let options = 0
      let square = 0
      while square != 64:
        # No pawn, no steps: nobody would ask for all 192 of them.
        if game.board[square] == game.turn + 1:
          let step = 3 * square
          while step != 3 * square + 3:
            if can game.go(step):
              legal[options] = step
              options = options + 1
            step = step + 1
        square = square + 1
      game.go(legal[(((luck.next() >> 16) & 4294967295) * options) >> 32])
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
  let step = 0
  while step != 192:
    if can game.go(step):
      if depth == 1:
        found = found + 1
      else:
        let next = game
        next.go(step)
        found = found + below(next, depth - 1)
    step = step + 1
  return found

# How many sequences of so many moves there are.
fun perft(Int depth) -> Int:
  return below(play(), depth)
