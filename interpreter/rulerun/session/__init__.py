"""A live play: people and agents decide, luck is drawn, records are kept and replayed.

`session` drives one play, and `taking_back` says what of it may be undone; `agents` decide for
players; `record` (with `record_lines`) saves a play, and `replay` plays it again.
"""
