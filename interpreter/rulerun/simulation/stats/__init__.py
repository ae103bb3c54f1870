"""Statistics of many games, from whole numbers.

`totals` adds games up, `intervals` says what a sample tells, `coverage` which rules ran,
`action_names` what lists call actions; `result` is plain data made of all of it.
"""
