"""Checked statements: from the syntax of rules to trees.

`statements` checks blocks and calls the rest by the form of the statement: `assignments`,
`choices`, `calls`, `loops`, `moves`, `chance`; `phases`, `hooks` and `scoring` check what stands
around them, `row_rules` what rows say. `tree` is what is left behind, `walking` goes through it.
"""
