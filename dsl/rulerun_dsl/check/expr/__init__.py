"""The one elaborator of expressions: names bound, types found.

`elaborate` is its door and calls the rest by the form of the expression: `binding` for names,
`families` for indexed ones, `attributes` for what follows a dot, `comparing`, `quantifiers`,
`calling` with `library` and `sites` for calls, `branching` for functions and cases. The modules
call one another, as expressions stand in one another. `scopes` says what may be named,
`visibility` asks for what `visible:` says. Others import these, `elaborate`, and `families` and
`branching` for what declarations and statements have in common with expressions.
"""
