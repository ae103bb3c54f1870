"""The native executor: a program as LLVM IR, compiled, run behind the protocol.

`memory` says how a program is written and where things stand; `llvm` translates it, on
`llvm_values` and `emit`; `intrinsics` and `runs` are written by hand; `objects` keeps machine
code, `builtin` makes a Python type of it.
"""
