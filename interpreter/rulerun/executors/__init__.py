"""Executors by name (`make`), and plays that change in place (`stepper`).

The one package that imports all executors.
"""
