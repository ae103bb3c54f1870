"""From a game to a program of `ir`: a module for each area of the language.

`lower` is the door and `builder` what all of it shares. The modules bear the names of those of
`rulerun.reference` and `rulerun.runtime` whose meaning they keep.
"""
