"""Games by the thousand: played, counted, and told.

`run` plays: `stepping` plays a batch with any executor, `counting` sees which rules ran, `schedule`
cuts a run into pieces, `pool` and `cluster` have them played, `checkpoint` keeps them in a folder,
`driver` is a whole run. `stats` adds up: `totals` come to the same sums in any order, `result`
makes plain data of them. `report` writes the data for people and programs. `compare` sets two
games against each other.
"""

from __future__ import annotations
