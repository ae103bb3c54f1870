"""The terminal: a game on a screen of text, played by people.

Front ends go through sessions: a session gives each viewer what they may see, so nothing in this
package hides anything, and nothing in it knows a game.

* `formatting` measures, wraps and paints;
* `layout` lays out an observation, by what `sorting` makes of it; `drawing` draws what is on
  boards, as `maps` of the rules file or as `board_grids`; `indexed_tables` has what stands at two
  indexes, or once for each player;
* `hearing` has what each viewer hears, `ending` who won; `menu` numbers the actions, `meant`
  understands answers, `commands` has the words that are none, `explaining` answers `?`;
* `screen` is the terminal, or a pipe; `save` keeps the record;
* `sitting` has people play at it, `script` takes the inputs from a file.
"""
