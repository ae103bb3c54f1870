"""Exact answers to small games.

`hiding` says whether a position hides anything from anybody; `pile_order` which order of which pile
the rules can still read; `positions` tells positions apart by that; `estimating` says beforehand
how many there are. `graph` walks them all, `backward` finds their values from the ends, and
`matrix_games` what two players do who decide at the same time. Where something is hidden,
`sequence_form` walks all histories instead, and `regret` makes two players learn not to regret.
`solver` chooses between the two; `keeping` has on file what is found on the way, so that a run can
go on; `policy_file` keeps what was found in the end, and `exact_agent` plays it. `belonging` says
of which game such files are.

Nothing is drawn: the same rules give the same answer on every machine and executor. Of what is not
exact the last digits may differ from one version of Python to another, whose sums are rounded
otherwise.
"""
