"""What the declared names are, for one setting of options and players.

`world` holds the declarations and the findings; `facts` answers questions about a declaration when
they are first asked, from `boards`, `component_kinds`, `tables` and `tabular`; `typing` says how
types go together, `constants` folds what is constant.
"""
