"""Many games, played: cut into pieces, spread over processes, kept in a folder.

`driver` is a whole run; `schedule` cuts it into pieces, `task` plays one, `pool` and `cluster` have
them played; `players` makes the batch of an executor and the agents, `stepping` plays one input by
input, `counting` sees which rules ran; `checkpoint` keeps pieces, `failures` the games that a rule
error stopped.
"""
