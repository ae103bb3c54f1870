"""From bytes to a document: YAML with every place kept.

`open_source` decodes a file, `document` makes `nodes` of it, `scalars` says what one scalar means;
`pitfalls` finds what YAML reads as something else, `errors` (with `error_context` and `recovery`)
explains what it cannot read, `comments` keeps what it throws away.
"""
