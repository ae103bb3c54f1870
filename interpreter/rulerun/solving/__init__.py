"""Exact answers to small games.

`hiding` says whether a position hides anything from anybody; `pile_order` which order of which pile
the rules can still read; `positions` tells positions apart by that; `estimating` says beforehand
how many there are. `graph` walks them all, `backward` finds their values from the ends, and
`matrix_games` what two players do who decide at the same time. Where something is hidden,
`sequence_form` walks all histories instead, and `regret` makes two players learn not to regret.
`solver` chooses between the two; `policy_file` keeps what was found, and `exact_agent` plays it.

Nothing is drawn: the same rules give the same answer on every machine and executor. Of what is not
exact the last digits may differ from one version of Python to another, whose sums are rounded
otherwise.
"""
