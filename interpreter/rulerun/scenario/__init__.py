"""Scenarios beside a rules file: read, checked against the rules, run.

`reader` reads them, `names` and `spelling` find what they name, `resolving` checks that without
playing; `setup` makes their beginnings, `runner` runs them, `checks` compares, `reasons` says why
a condition does not hold.
"""
