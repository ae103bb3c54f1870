"""Games by the thousand: played, counted, and told.

`stepping` plays a batch with any executor, `counting` sees which rules ran. `schedule` cuts a run
into pieces, `running` and `cluster` have them played, `totals` adds them up to the same sums in any
order, `keeping` holds them in a folder. `simulating` is a whole run. `result` makes plain data of
the sums, which `text`, `table` and `page` write for people and programs. `pairing` and `comparing`
set two games against each other.
"""

from __future__ import annotations
