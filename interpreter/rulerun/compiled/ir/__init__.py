"""The intermediate representation: a small program of whole numbers, and passes over it.

`program` is the representation, `fresh_names` hands out its names, `printing` shows it; `passes`,
`scans` and `sampling` make the same program quicker. Imports nothing of rulerun's executors.
"""
