"""Rules in words: one thing in several files, each on top of the one before it.

`naming`, then `member_prose`, `value_prose`, `condition_prose`, `move_prose`,
`statement_prose`, `step_prose`, `choice_prose`, which has the whole: `Prose`.
"""
