"""What people read of a game, in their language.

`language` holds the sentences of the tables and the log that belong to no game, in every language
that is shipped; `labels` says what the things of a game are called, and `narration` what happens.
"""
