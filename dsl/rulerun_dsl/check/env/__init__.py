"""What the declared names are, for one setting of options and players.

`world` holds the declarations, what was found out about them (`records`), and the findings. On it
stand, each on those before it: `constants` (the value of what is constant), `directions` of boards,
`facts` (types, options, zones, variables), `board_sites`, `tabular` (rows with their columns),
`boards`, `tables`, `component_kinds` and `refills`; `replacing` puts what modules say in the place
of functions and procedures, `typing` says how types go together, `domains` what their values are.
Types ask for rows, kinds and sites all the same: `new_world` hands the world those who make them.
"""
