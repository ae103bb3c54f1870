"""What every executor shares: states, inputs, actions, and the protocol of executors.

* `executor` is the protocol; `state` is a state at rest, `play` one in the middle of a step, and
  `signals` say how an instruction goes on when it has no successor; `closures` is the shape of a
  compiled expression.
* `actions` (with `facets`) numbers decisions, `rng` draws luck, `luck_bound` says when luck has no
  end, `batch` says how whole games are played.
* `index` looks the model up, `addresses` finds one of a family; `components` and `control` read and
  write the places of components and the control stack.
* `faults` makes diagnostics of rule errors, `recent` remembers what was made of the last games.
"""
