"""The abstract syntax of the language, and the parser of its strings.

`expressions` and `statements` are the syntax of what stands inside one scalar, `declarations` that
of what stands above: blocks, choices, phases. `parse` turns the text of a scalar into a tree with
the parser of `parser_tables` (made from `grammar.lark`) and the callbacks of `tree_builder`
(statements) and `expression_builder`, which hand each other `pieces`; `explain` says what was meant
by a text that does not parse.
"""
