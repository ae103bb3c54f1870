"""The one elaborator of expressions: names bound, types found.

`elaborate` is its door and calls the rest by the form of the expression: `binding` for names,
`families` for indexed ones, `attributes` for what follows a dot, `comparing`, `quantifiers`,
`calling` with `library` and `sites` for calls, `branching` for cases. The modules call one
another, as expressions stand in one another.
"""
