"""What else may have happened, for all that a viewer knows: drawn from its posterior, and proved.

`sight_key` says what a viewer sees and `told_inputs` what they hear, as numbers; `evidence` writes
down what they know of a play; `rerun` holds other plays against that; `chain` finds such plays and
goes from one to the next; `proof` proves them; `worlds` hands out where they end.
"""
