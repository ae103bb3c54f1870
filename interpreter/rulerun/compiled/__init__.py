"""Compiled executors: the model lowered to a small typed program, and that made to run.

`lower` turns a game into a `Program` of `ir`; `python` writes a program as Python source, `native`
as LLVM IR. A compiled executor is quick where all goes well: what goes wrong, or is told to people,
is left to the reference executor, which takes the same input again.
"""
