"""A skill ladder: agents that think longer and longer, against each other.

`climbing` has the games played, `ratings` makes one scale of them, `luck_or_skill` says what they
came to.
"""
