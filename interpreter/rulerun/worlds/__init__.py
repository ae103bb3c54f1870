"""Worlds that a viewer's history allows, proved by replay.

`sight` sees and `telling` hears what a viewer does, as numbers; `script` writes down what they know
of a play; `replay` holds other plays against that; `chain` finds such plays and goes from one to
the next; `worlds` proves them and hands them out.
"""
