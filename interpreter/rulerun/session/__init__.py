"""A live play: people and agents decide, luck is drawn, records are kept and replayed.

`session` drives one play; `agents` decide for players; `record` (with `record_lines`) saves a play,
and `replay` plays it again.
"""
