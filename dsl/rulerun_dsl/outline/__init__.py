"""From documents to an outline: every key in its slot, every string parsed.

`outline` reads a file with its modules, `declarations` and `blocks` read the sections of it,
`citations` reads what comments cite.
"""
