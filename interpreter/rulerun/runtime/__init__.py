"""What every executor shares: states, inputs, actions, and the protocol of executors.

`executor` is the protocol; `state` and `play` are a state at rest and in the middle of a step;
`actions` (with `facets`) numbers decisions, `rng` draws luck; `index` looks the model up,
`components` and `control` read and write places and the control stack; `faults` tells rule errors.
"""
