"""Executors by name, and plays that change in place: the one package that knows them all."""
