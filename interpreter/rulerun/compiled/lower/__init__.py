"""From a game to a program of `ir`: a module for each area of the language.

`lower` is the door and `builder` what all of it shares. The modules bear the names of those of
`rulerun.reference` and `rulerun.runtime` whose meaning they keep: `evaluate` lowers expressions,
with its parts `arithmetic`, `boards`, `collections`, `membership`, `multi_choice` and
`quantifiers`, which know it as a `Compiler`; `machine` lowers instructions, on top of all others
but `scoring`. A few have no namesake here: what is `canonical` is in `scoring`, `visibility` in
`knowledge`.
"""
