"""The terminal table: a game on a screen of text, played by people.

Front ends go through sessions: everything that is shown here was given by a session to the one who
looks, so nothing in this package hides anything, and nothing in it knows a game.

* `text` measures, wraps and paints; `naming` says what things are called;
* `layout` lays out an observation; `drawing` draws what is on boards, as `maps` of the rules file
  or as grids (`boards`), with the signs and colours of `glyphs`;
* `telling` tells events in sentences, `ending` says who won, `menu` numbers the actions and
  understands answers, `explaining` answers `?`;
* `screen` is the terminal, or a pipe; `keeping` keeps the record;
* `sitting` has people play at it, `script` takes the inputs from a file.
"""
