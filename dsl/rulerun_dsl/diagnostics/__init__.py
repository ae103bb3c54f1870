"""Findings: their codes, the values that carry them, and how they are shown.

Every stage yields `diagnostic.Diagnostic` values with codes of the `catalogue`; `render` writes
them for people, for programs and for GitHub.
"""
