"""A result, told: as `text`, as a `csv_table`, and as a page for a browser (`html`).

`sections` makes the report of a run, `choosing` its part about choices and leads; `charts` and
`style` serve the page; `formats` writes numbers, names and rows for all of them.
"""
