"""From documents to an outline: every key in its slot, every string parsed.

`outline` reads a file with its modules, `declarations` what is in its sections about the things of
the game, `rules` what is done with them, `blocks` the steps of a rule; `citations` reads what
comments cite.
"""
