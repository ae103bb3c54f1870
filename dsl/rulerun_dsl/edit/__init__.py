"""Changes of a text that leave the rest of it as it was, byte for byte.

`applying` makes a new text of edits; `mending` puts in the fixes of findings as long as nothing
gets worse; `paths` finds a place by keys and positions, and `setting` changes the one value there;
`laying_out` lays a whole file out. All of it is functions from texts to texts: who asks for it
reads and writes the files.
"""
