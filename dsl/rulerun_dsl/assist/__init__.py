"""Help while somebody writes a rules file: findings, completion, what a name is and where.

Assumes: texts, as they are in an editor: often broken, changed with every key.
Does: asks the stages of the language, with a recorder where names are bound (`check.env.recorder`),
and turns what they say into answers about a place in a text. It knows no editor and no protocol:
places are offsets into a text, counted in characters.
Leaves behind: plain values, for a language server or a page in a browser to show.
"""
