"""The terminal: a game on a screen of text, played by people.

Front ends go through sessions: a session gives each viewer what they may see, so nothing in this
package hides anything, and nothing in it knows a game.

* `formatting` measures, wraps and paints; `naming` says what things are called;
* `layout` lays out an observation; `drawing` draws what is on boards, as `maps` of the rules file
  or as `board_grids`, with the signs and colours of `glyphs`; `indexed_tables` has what stands at
  two indexes, or once for each player;
* `telling` tells events in sentences, `ending` says who won, `menu` numbers the actions and
  understands answers, `explaining` answers `?`;
* `screen` is the terminal, or a pipe; `save` keeps the record;
* `sitting` has people play at it, `script` takes the inputs from a file.
"""
