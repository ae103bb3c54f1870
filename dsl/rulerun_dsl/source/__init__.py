"""Texts, the places in them, and where they come from.

`spans` has the text of a file and the places in it; `regular_files` reads files up to a size;
`resources` knows where shipped files are; `safe_text` makes a text harmless to show; `frozen` and
`depth` serve the values and the walks of every later stage.
"""
