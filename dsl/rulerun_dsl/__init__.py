"""The language of rulerun: from the text of a rules file to a checked game.

This package reads, checks and lowers; it runs nothing and imports nothing that does. The passes,
in order, are `document`, `schema`, `parse`, `declare`, `check` and `lower`; `load` is the pipeline
that calls them. Import what is wanted from its module: this one stays empty so that a command that
needs no parser does not pay for one.
"""
