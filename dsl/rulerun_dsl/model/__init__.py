"""The model: a checked game with its options and players fixed, as frozen values free of sugar.

This is the one meeting point of the language and of all that runs it. `load` makes a `Game`;
executors, observation, the terminal table and the tools read nothing else.

The parts:

* **Expressions** (`expressions`). Trees that have a type and a place. Evaluating one never writes
  the state. A scalar expression gives a whole number or `None` (none); a collection a list.
* **Instructions** (`instructions`). Procedures are flat code with jumps, all in one `Game.code`.
  The control stack is a static slot for each local, loop and return address (there is no
  recursion), so a state is one vector of whole numbers. Code rests only at `Choose`, at a chance
  instruction with two outcomes or more, and in a `Together`.
* **The game** (`game`). Declarations, the layout of the state, actions, and all of it together.

Registers are scratch: each binder of an expression and each parameter of a function has its own
(`Game.registers` of them). They are not part of the state.
"""

from __future__ import annotations

from rulerun_dsl.model.expressions import *  # noqa: F403
from rulerun_dsl.model.game import *  # noqa: F403
from rulerun_dsl.model.instructions import *  # noqa: F403
from rulerun_dsl.model.words import *  # noqa: F403
