"""The language of rulerun: from the text of a rules file to a checked game.

This package reads and checks; it runs nothing and imports nothing that does. Its stages, in order:

* `source`, `diagnostics`: texts and places, and findings about them
* `yaml`, `schema`: bytes as a document, and the shape of that document
* `syntax`, `outline`: the text of each scalar as a tree, and every key in its slot
* `check`, `lint`: names, types and secrets; what the rules allow and an author hardly means
* `codegen`, `model`: the checked game, free of sugar

`load` is the pipeline that calls them. Import from the modules: this one stays empty, so that a
command that needs no parser does not pay for one.
"""
