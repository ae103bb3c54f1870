"""A skill ladder: agents that think longer and longer, against each other.

`climbing` has the games played, `ratings` makes one scale of them, `findings` says what they came
to, and whether it is luck or skill.
"""
