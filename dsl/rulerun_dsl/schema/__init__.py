"""The shape of a document: which keys stand where, and what they may hold.

Assumes: a mapping that `yaml` has read; anything may be in it, as deep as it likes.
Does: holds it against `schemas/ruleset.schema.json`, the same file that editors use.
Leaves behind: diagnostics, one for each problem, at the key or value that is wrong. Where there are
none, the passes that follow may rely on the shape.

`ruleset_schema` reads the file. Two validators share the work. The one in `validator` knows just
the keywords that our schema uses, walks the nodes with a list of what is left to see (so depth
cannot hurt it), and finds the places at fault. Only then does `failed_keywords` import
`jsonschema`, which costs more than everything else that checks a file: it is asked about each
faulty place alone, what is inside cut away, and says which keywords failed. `shapes` and `keys` put
that into words. A test holds the two validators against each other.

Our schema describes a choice of forms by `if`, `then`, `else` on the keys that are there, so a
place has one form and its errors are about that form.
"""
