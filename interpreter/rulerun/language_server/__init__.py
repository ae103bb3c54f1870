"""The language server: help in any editor that speaks the Language Server Protocol.

Assumes pygls (`rulerun[lsp]`), and a client at the other end of standard input and output.
Does: keeps the texts of open files, has `rulerun_dsl.assist` answer about them, and turns places
and answers into those of the protocol. Scenario files are looked up in the game they are about.
Leaves behind nothing but messages to the client: no file is written here.
"""
