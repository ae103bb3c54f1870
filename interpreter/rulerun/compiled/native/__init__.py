"""The native executor: a program as LLVM IR, compiled, run behind the protocol.

`memory` says how a program is written and where things stand; `llvm` translates it, on
`llvm_values` and `emit`; `intrinsics` and `runs` are written by hand; `building` leads from a game
to all that. `objects` makes machine code and keeps it, in two tiers, and `worth` says when which;
`loaded_code` calls it, by a `plan`; `executor` and `batch` play with it, and `builtin` makes a
Python type of it, which `standing` searches with.
"""
