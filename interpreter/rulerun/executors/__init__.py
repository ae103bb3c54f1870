"""Executors by name (`make`), and plays that change in place (`stepper`)."""
