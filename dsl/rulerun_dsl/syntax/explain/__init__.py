"""What was probably meant by a text that does not parse.

`stop` is the place where the parser gave up; `typos`, `missing` and `phrases` look for a cause
there, in the words of `wording`.
"""
