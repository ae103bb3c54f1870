"""Players that think: search over worlds that may be the true one.

`plays` runs games from any state on, as fast as it can be had; `utility` says what an end is worth
to each player; `tree_search` searches; `thinking` makes agents of that; `agent_names` reads who is
meant.

A search is handed a `Vantage`, never a state. Its budget is a number of iterations, its luck a
stream of its own, and its arithmetic sums, products and square roots, which are the same on every
machine: so one seed gives one game.
"""
