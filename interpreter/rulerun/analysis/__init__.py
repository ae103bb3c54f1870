"""Questions about the model that need no state: what an expression reads, how much work it is."""
