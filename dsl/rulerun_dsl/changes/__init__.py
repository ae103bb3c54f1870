"""What is different in the game between two rules files, whatever is different in their text.

Assumes: two outlines of rules files, such as `load` gives.
Does: describes each as a list of things (`things`: zones, rows, procedures, …) with their parts,
finds what was only renamed, and compares part by part and step by step (`matching`). Comments,
layout, and the order of declarations that mean the same in any order are no part of a thing.
Leaves behind: `Changes`, frozen; nothing is checked, so the rules may be wrong otherwise.
"""
