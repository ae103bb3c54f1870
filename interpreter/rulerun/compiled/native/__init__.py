"""The native executor: a program as LLVM IR, compiled, run behind the protocol.

`llvm` translates a program (`llvm_values`, `emit`), `intrinsics` and `driver` are written by hand,
`memory` says where things stand, `objects` keeps machine code, `builtin` makes a Python type of
it.
"""
