"""Many games, played: cut into pieces, spread over processes, kept in a folder.

`driver` is a whole run; `schedule` cuts it into pieces, `task` plays one, `pool` and `cluster` have
them played, `ordered` puts them in order; `seats` makes the batch of an executor and the agents,
`stepping` plays one input by input, `counting` sees which rules ran, `noting` what was chosen and
who led; `checkpoint` keeps pieces, `failures` the games that a rule error stopped.
"""
