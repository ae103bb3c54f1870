"""Statistics of many games, from whole numbers.

`totals` adds games up, `choice_sums` what was chosen in them, `moments` pairs of numbers;
`intervals` says what a sample tells, `clustered` where what is measured comes in games; `coverage`
says which rules ran, `chosen` what choices came to, `action_names` what lists call actions;
`result` is plain data made of all of it.
"""
